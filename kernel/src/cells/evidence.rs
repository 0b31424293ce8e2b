//! What a cell says of the classes: shares that back off from fine cells to coarse ones, and in the end to the classes' own.
//!
//! ```text
//! prior     π(c)    = (rows(c) + 1) / Σ (rows + 1)
//! column    P₀ = π;   P_l(c) = (n_l(c) + κ_l P_{l−1}(c)) / (n_l + κ_l),   κ_l = κ γ^(l−1)      evidence  ln P_L − ln π
//! pair      naive_l ∝ π · Pa_l/π · Pb_l/π;   r₀ = 1;   q ∝ naive_l · r_{l−1}
//!           r_l(c)  = (n_l(c) + κ_l q(c)) / (n_l + κ_l) / naive_l(c)                           evidence  ln r_L
//! triple    the same with naive_l ∝ π · Pa_l/π · Pb_l/π · Pd_l/π · r_ab r_ad r_bd
//! ```
//!
//! The evidence of a pair is what it says beyond its two columns, that of a triple what it says beyond its pairs: a cell that
//! nobody was in says what the coarser one says, and at last nothing. Every count is that without the rows that are left out,
//! so leave-one-out is exact.

use std::collections::HashMap;

use super::sums::Members;
use super::{DEPTHS, Layout, Leveled, MOST_CELLS, Term};
use crate::error::Error;

/// How strongly a cell is drawn towards the coarser one: κ, and γ, by which that grows from level to level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    pub strength: f64,
    pub growth: f64,
}

/// Of pairs and triples. One chosen for each pair by its own loss was worse: it is too strong, and weights cannot bring back
/// what was smoothed away.
pub const BEYOND: Smoothing = Smoothing { strength: 3.0, growth: 1.5 };

/// Counts with all that is needed to read them.
pub struct Evidence {
    pub counts: Leveled,
    /// By column.
    pub smoothing: Vec<Smoothing>,
    /// By triple: the terms that are its pairs.
    pairs: Vec<[usize; 3]>,
    n_others: usize,
}

impl Evidence {
    pub fn new(counts: Leveled, smoothing: Vec<Smoothing>) -> Result<Evidence, Error> {
        let layout = &counts.layout;
        let place: HashMap<&[usize], usize> =
            layout.terms.iter().enumerate().map(|(at, term)| (term.columns.as_slice(), at)).collect();
        let mut pairs = vec![];
        for term in layout.terms.iter().filter(|term| term.columns.len() == 3) {
            let [a, b, c] = [term.columns[0], term.columns[1], term.columns[2]];
            let of = |pair: [usize; 2]| place.get(pair.as_slice()).copied();
            match (of([a, b]), of([a, c]), of([b, c])) {
                (Some(ab), Some(ac), Some(bc)) => pairs.push([ab, ac, bc]),
                _ => return Err(Error::Settings("a triple needs its three pairs".into())),
            }
        }
        let sound = |one: &Smoothing| one.strength > 0.0 && one.growth > 0.0 && (one.strength * one.growth).is_finite();
        if smoothing.len() != layout.columns.len() || !smoothing.iter().all(sound) {
            return Err(Error::Settings("every column needs a smoothing".into()));
        }
        let n_others = layout.terms.len() - pairs.len();
        Ok(Evidence { counts, smoothing, pairs, n_others })
    }

    pub fn layout(&self) -> &Layout {
        &self.counts.layout
    }

    /// Something that reads it, nothing left out.
    pub fn reader(&self) -> Reader<'_> {
        let n = self.counts.n_classes;
        let n_columns = self.layout().columns.len();
        let mut reader = Reader {
            of: self,
            without: None,
            taken: None,
            gone: vec![0.0; n],
            prior: vec![0.0; n],
            per_prior: vec![0.0; n],
            lifts: vec![],
            places: vec![(0, 0); n_columns * MOST_CELLS],
            stamp: 0,
            ones: vec![1.0; n],
            naive: vec![0.0; n],
            ratios: vec![1.0; DEPTHS[1] * n],
            of_pairs: PairRatios::new(self),
        };
        reader.leave_out(&vec![0.0; n], None);
        reader
    }
}

/// Ratios of the pairs that triples need, by pair, cell of the triples' finest level, level and class.
struct PairRatios {
    /// By term: where its ratios begin, and how many levels of it a triple reads; none where no triple needs it.
    places: Vec<Option<(usize, usize)>>,
    /// By term: where its stamps begin.
    cells: Vec<usize>,
    ratios: Vec<f64>,
    stamps: Vec<u32>,
}

impl PairRatios {
    fn new(evidence: &Evidence) -> PairRatios {
        let layout = evidence.layout();
        let mut made =
            PairRatios { places: vec![None; layout.terms.len()], cells: vec![], ratios: vec![], stamps: vec![] };
        evidence.pairs.iter().flatten().for_each(|&pair| made.places[pair] = Some((0, 0)));
        let (mut n_ratios, mut n_cells) = (0, 0);
        for (term, place) in layout.terms.iter().zip(&mut made.places) {
            made.cells.push(n_cells);
            if place.is_some() {
                let n_levels = term.n_levels.min(DEPTHS[2]);
                *place = Some((n_ratios, n_levels));
                let size = layout.cells_of(term, n_levels);
                n_cells += size;
                n_ratios += size * n_levels * evidence.counts.n_classes;
            }
        }
        (made.ratios, made.stamps) = (vec![0.0; n_ratios], vec![0; n_cells]);
        made
    }
}

/// Reads evidence as it is without some rows.
pub struct Reader<'a> {
    of: &'a Evidence,
    /// The counts without rows that are taken out by their own cells; none before the first of these.
    without: Option<Vec<u32>>,
    taken: Option<Members<'a>>,
    /// By class, how many rows are left out of every cell that is asked about.
    gone: Vec<f64>,
    prior: Vec<f64>,
    per_prior: Vec<f64>,
    /// Share by prior, by level and class, of the columns and codes that were asked for.
    lifts: Vec<f64>,
    /// By column and code: where its lifts begin, if the stamp is the present one. One row needs one code of each column:
    /// lifts of all of them would be 2 MB for 64 columns and ten classes.
    places: Vec<(u32, usize)>,
    stamp: u32,
    ones: Vec<f64>,
    /// Of the term that is read: what its parts say, not normalised.
    naive: Vec<f64>,
    /// Of the term that is read, by level and class.
    ratios: Vec<f64>,
    of_pairs: PairRatios,
}

impl<'a> Reader<'a> {
    /// From now on without so many copies of a row, by class, and without these other rows.
    ///
    /// Copies are in every cell that the row is in, so their number is all that has to be known. Others leave by their own
    /// cells: their counts come out of a copy of the table, and go back when something else is left out.
    pub fn leave_out(&mut self, gone: &[f64], members: Option<Members<'a>>) {
        if let Some(members) = self.taken.take() {
            self.move_members(&members, u32::wrapping_add);
        }
        self.gone.copy_from_slice(gone);
        self.stamp += 1;
        self.lifts.clear();
        self.prior.iter_mut().zip(&self.of.counts.rows).zip(gone).for_each(|((left, rows), gone)| *left = rows - gone);
        if let Some(members) = members {
            self.move_members(&members, u32::wrapping_sub);
            members
                .rows()
                .for_each(|row| self.prior[members.class_ids[row] as usize] -= f64::from(members.weights[row]));
            self.taken = Some(members);
        }
        self.prior.iter_mut().for_each(|prior| *prior = prior.max(0.0) + 1.0);
        let total: f64 = self.prior.iter().sum();
        self.prior.iter_mut().for_each(|prior| *prior /= total);
        self.per_prior.iter_mut().zip(&self.prior).for_each(|(inverse, prior)| *inverse = 1.0 / prior);
    }

    fn move_members(&mut self, members: &Members, change: impl Fn(u32, u32) -> u32) {
        let counted = &self.of.counts;
        let counts = self.without.get_or_insert_with(|| counted.counts.clone());
        for term in &counted.layout.terms {
            for row in members.rows() {
                for level in 1..=term.n_levels {
                    let code = |column| members.codes.column(column)[row];
                    let Some(cell) = counted.layout.cell(term, level, code) else { break };
                    let place = counted.place(term, level, cell) + members.class_ids[row] as usize;
                    counts[place] = change(counts[place], members.weights[row]);
                }
            }
        }
    }

    /// The classes' shares of all rows.
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    /// The share of a class in the finest cell of a column that a code is in.
    pub fn share(&mut self, column: usize, code: u8, class: usize) -> f64 {
        let last = self.of.layout().terms[column].n_levels - 1;
        let at = self.prepared(column, code) + last * self.prior.len();
        self.lifts[at + class] * self.prior[class]
    }

    /// Where the lifts of a column's code begin.
    fn prepared(&mut self, column: usize, code: u8) -> usize {
        let n = self.prior.len();
        let place = &mut self.places[column * MOST_CELLS + usize::from(code)];
        if place.0 == self.stamp {
            return place.1;
        }
        let at = self.lifts.len();
        *place = (self.stamp, at);
        let of = self.of;
        let (term, kind) = (&of.layout().terms[column], of.layout().columns[column]);
        self.lifts.resize(at + term.n_levels * n, 0.0);
        let Smoothing { mut strength, growth } = of.smoothing[column];
        for level in 1..=term.n_levels {
            let counts = of.counts.place(term, level, kind.cell(code, level));
            let counts = &self.without.as_ref().unwrap_or(&of.counts.counts)[counts..counts + n];
            let (before, here) = self.lifts[at..].split_at_mut((level - 1) * n);
            let coarser = if level == 1 { &self.ones[..] } else { &before[(level - 2) * n..] };
            let left = |class: usize| (f64::from(counts[class]) - self.gone[class]).max(0.0);
            let per_total = 1.0 / ((0..n).map(left).sum::<f64>() + strength);
            for class in 0..n {
                here[class] = (left(class) * self.per_prior[class] + strength * coarser[class]) * per_total;
            }
            strength *= growth;
        }
        at
    }

    /// What a term says of each class, in nats, where it has these codes; nothing where one of its values says nothing.
    pub fn write(&mut self, term: usize, code: impl Fn(usize) -> u8 + Copy, evidence: &mut [f64]) {
        let of = self.of;
        let here = &of.layout().terms[term];
        let n = self.prior.len();
        if here.columns.iter().any(|&column| code(column) == super::NOTHING) {
            return evidence.fill(0.0);
        }
        let last = (here.n_levels - 1) * n;
        let ratios = if let [column] = here.columns[..] {
            let at = self.prepared(column, code(column));
            &self.lifts[at..]
        } else {
            let mut ratios = std::mem::take(&mut self.ratios);
            match here.columns[..] {
                [_, _] => self.write_ratios(here, here.n_levels, code, &[], &mut ratios),
                _ => {
                    let pairs = of.pairs[term - of.n_others].map(|pair| self.pair_ratios(pair, code));
                    self.write_ratios(here, here.n_levels, code, &pairs, &mut ratios);
                }
            }
            self.ratios = ratios;
            &self.ratios[..]
        };
        evidence.iter_mut().zip(&ratios[last..last + n]).for_each(|(evidence, ratio)| *evidence = ratio.ln());
    }

    /// Where the ratios of a pair begin, and how many levels they have: read once for all triples.
    fn pair_ratios(&mut self, pair: usize, code: impl Fn(usize) -> u8 + Copy) -> (usize, usize) {
        let of = self.of;
        let term = &of.layout().terms[pair];
        let (first, n_levels) = self.of_pairs.places[pair].expect("the pair of a triple");
        let cell = of.layout().cell(term, n_levels, code).expect("the caller has looked");
        let size = n_levels * self.prior.len();
        let at = first + cell * size;
        if self.of_pairs.stamps[self.of_pairs.cells[pair] + cell] != self.stamp {
            self.of_pairs.stamps[self.of_pairs.cells[pair] + cell] = self.stamp;
            let mut all = std::mem::take(&mut self.of_pairs.ratios);
            self.write_ratios(term, n_levels, code, &[], &mut all[at..at + size]);
            self.of_pairs.ratios = all;
        }
        (at, n_levels)
    }

    /// The ratios of a pair or a triple, by level and class; `pairs` are the places of those of a triple's pairs.
    fn write_ratios(
        &mut self,
        term: &Term,
        n_levels: usize,
        code: impl Fn(usize) -> u8 + Copy,
        pairs: &[(usize, usize)],
        ratios: &mut [f64],
    ) {
        let (of, n) = (self.of, self.prior.len());
        let mut lifts = [0; DEPTHS.len()];
        for (lifts, &column) in lifts.iter_mut().zip(&term.columns) {
            *lifts = self.prepared(column, code(column));
        }
        let mut strength = BEYOND.strength;
        for level in 1..=n_levels {
            self.naive.copy_from_slice(&self.prior);
            for (&lifts, &column) in lifts.iter().zip(&term.columns) {
                let at = lifts + (of.layout().columns[column].level(level) - 1) * n;
                multiply(&mut self.naive, &self.lifts[at..at + n]);
            }
            for &(at, n_levels) in pairs {
                // A pair of categories has one level, also in a triple that has more.
                let at = at + (level.min(n_levels) - 1) * n;
                multiply(&mut self.naive, &self.of_pairs.ratios[at..at + n]);
            }
            let cell = of.layout().cell(term, level, code).expect("the caller has looked");
            let counts = of.counts.place(term, level, cell);
            let counts = &self.without.as_ref().unwrap_or(&of.counts.counts)[counts..counts + n];
            let (before, after) = ratios.split_at_mut((level - 1) * n);
            let before = if level == 1 { &self.ones[..] } else { &before[(level - 2) * n..] };
            step(counts, &self.gone, strength, &self.naive, before, &mut after[..n]);
            strength *= BEYOND.growth;
        }
    }
}

fn multiply(product: &mut [f64], factors: &[f64]) {
    product.iter_mut().zip(factors).for_each(|(product, factor)| *product *= factor);
}

/// From the ratios of one level to those of the next: (n / naive + κ r / Σ naive r) / (Σ n + κ), with naive normalised.
///
/// Most cells have rows of few classes, so that there is little to divide.
fn step(counts: &[u32], gone: &[f64], strength: f64, naive: &[f64], before: &[f64], after: &mut [f64]) {
    let n = after.len();
    let (counts, gone, naive, before) = (&counts[..n], &gone[..n], &naive[..n], &before[..n]);
    let (mut total, mut whole, mut expected) = (strength, 0.0, 0.0);
    for class in 0..n {
        total += (f64::from(counts[class]) - gone[class]).max(0.0);
        whole += naive[class];
        expected += naive[class] * before[class];
    }
    let (kept, per_row) = (strength * whole / (expected * total), whole / total);
    for class in 0..n {
        after[class] = before[class] * kept;
        let left = f64::from(counts[class]) - gone[class];
        if left > 0.0 {
            after[class] += left * per_row / naive[class];
        }
    }
}

/// By column: what the class of a row costs, in nats, if only that column is known; values that say nothing cost nothing.
pub fn column_losses(
    evidence: &Evidence,
    codes: super::Codes,
    left_out: &super::sums::LeftOut,
    weights: &[f64],
) -> Vec<f64> {
    let mut reader = evidence.reader();
    let mut losses = vec![0.0; evidence.layout().columns.len()];
    for run in left_out.runs(0..codes.n_rows) {
        reader.leave_out(run.gone, run.members);
        for (column, loss) in losses.iter_mut().enumerate() {
            for row in run.rows.clone() {
                let code = codes.column(column)[row];
                if code != super::NOTHING {
                    *loss -= weights[row] * reader.share(column, code, left_out.class_ids[row] as usize).ln();
                }
            }
        }
    }
    losses
}
