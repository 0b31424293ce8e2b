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
            gone: vec![0.0; n],
            prior: vec![0.0; n],
            shares: vec![0.0; n_columns * MOST_CELLS * DEPTHS[0] * n],
            stamps: vec![0; n_columns * MOST_CELLS],
            stamp: 0,
            ratios: vec![vec![1.0; n]; 4],
            naive: vec![0.0; n],
        };
        reader.leave_out(&vec![0.0; n]);
        reader
    }
}

/// Reads evidence as it is without some rows.
pub struct Reader<'a> {
    of: &'a Evidence,
    gone: Vec<f64>,
    prior: Vec<f64>,
    /// By column, code, level and class: P, where the stamp is the present one.
    shares: Vec<f64>,
    stamps: Vec<u32>,
    stamp: u32,
    /// Of the term that is read, and of its pairs where it is a triple.
    ratios: Vec<Vec<f64>>,
    naive: Vec<f64>,
}

impl Reader<'_> {
    /// From now on without so many rows of each class, all of them in every cell that is asked about.
    pub fn leave_out(&mut self, gone: &[f64]) {
        self.gone.copy_from_slice(gone);
        self.stamp += 1;
        let rows = &self.of.counts.rows;
        self.prior
            .iter_mut()
            .zip(rows)
            .zip(gone)
            .for_each(|((prior, rows), gone)| *prior = (rows - gone).max(0.0) + 1.0);
        let total: f64 = self.prior.iter().sum();
        self.prior.iter_mut().for_each(|prior| *prior /= total);
    }

    /// The classes' shares of all rows.
    pub fn prior(&self) -> &[f64] {
        &self.prior
    }

    /// By level and class, the shares in the cells of a column that a code is in.
    pub fn shares(&mut self, column: usize, code: u8) -> &[f64] {
        let at = self.prepared(column, code);
        &self.shares[at..at + DEPTHS[0] * self.prior.len()]
    }

    fn prepared(&mut self, column: usize, code: u8) -> usize {
        let n = self.prior.len();
        let place = column * MOST_CELLS + usize::from(code);
        let at = place * DEPTHS[0] * n;
        if self.stamps[place] == self.stamp {
            return at;
        }
        self.stamps[place] = self.stamp;
        let (counts, term) = (&self.of.counts, &self.of.layout().terms[column]);
        let kind = self.of.layout().columns[column];
        let Smoothing { mut strength, growth } = self.of.smoothing[column];
        for level in 1..=term.n_levels {
            let counts = counts.at(term, level, kind.cell(code, level));
            let (before, here) = self.shares[at..].split_at_mut((level - 1) * n);
            let coarser = if level == 1 { &self.prior[..] } else { &before[(level - 2) * n..] };
            let left = |class: usize| (f64::from(counts[class]) - self.gone[class]).max(0.0);
            let total = (0..n).map(left).sum::<f64>() + strength;
            for class in 0..n {
                here[class] = (left(class) + strength * coarser[class]) / total;
            }
            strength *= growth;
        }
        at
    }

    /// What a term says of each class, in nats, where it has these codes; nothing where one of its values says nothing.
    pub fn write(&mut self, term: usize, code: impl Fn(usize) -> u8 + Copy, evidence: &mut [f64]) {
        let of = self.of;
        let layout = of.layout();
        let n = self.prior.len();
        let columns = &layout.terms[term].columns;
        if columns.iter().any(|&column| code(column) == super::NOTHING) {
            return evidence.fill(0.0);
        }
        if let [column] = columns[..] {
            let n_levels = layout.terms[term].n_levels;
            let at = self.prepared(column, code(column)) + (n_levels - 1) * n;
            let shares = self.shares[at..].iter().zip(&self.prior);
            evidence.iter_mut().zip(shares).for_each(|(said, (share, prior))| *said = share.ln() - prior.ln());
            return;
        }
        for &column in columns {
            self.prepared(column, code(column));
        }
        let mut ratios = std::mem::take(&mut self.ratios);
        let mut naive = std::mem::take(&mut self.naive);
        let (own, of_pairs) = ratios.split_at_mut(1);
        own[0].fill(1.0);
        of_pairs.iter_mut().for_each(|ratios| ratios.fill(1.0));
        let mut strength = BEYOND.strength;
        for level in 1..=layout.terms[term].n_levels {
            if columns.len() == 3 {
                for (&pair, ratios) in of.pairs[term - of.n_others].iter().zip(of_pairs.iter_mut()) {
                    // A pair of categories has one level, also in a triple that has more.
                    if level <= layout.terms[pair].n_levels {
                        self.write_naive(&layout.terms[pair], level, code, &[], &mut naive);
                        self.step(&layout.terms[pair], level, code, strength, &naive, ratios);
                    }
                }
                self.write_naive(&layout.terms[term], level, code, of_pairs, &mut naive);
            } else {
                self.write_naive(&layout.terms[term], level, code, &[], &mut naive);
            }
            self.step(&layout.terms[term], level, code, strength, &naive, &mut own[0]);
            strength *= BEYOND.growth;
        }
        evidence.iter_mut().zip(&own[0]).for_each(|(evidence, ratio)| *evidence = ratio.ln());
        (self.ratios, self.naive) = (ratios, naive);
    }

    /// The shares by the columns alone, and by ratios of their pairs.
    fn write_naive(
        &self,
        term: &Term,
        level: usize,
        code: impl Fn(usize) -> u8,
        ratios: &[Vec<f64>],
        naive: &mut [f64],
    ) {
        let n = self.prior.len();
        naive.copy_from_slice(&self.prior);
        for &column in &term.columns {
            let level = self.of.layout().columns[column].level(level);
            let at = ((column * MOST_CELLS + usize::from(code(column))) * DEPTHS[0] + level - 1) * n;
            let shares = &self.shares[at..at + n];
            naive.iter_mut().zip(shares).zip(&self.prior).for_each(|((naive, share), prior)| *naive *= share / prior);
        }
        for ratios in ratios {
            naive.iter_mut().zip(ratios).for_each(|(naive, ratio)| *naive *= ratio);
        }
        let total: f64 = naive.iter().sum();
        naive.iter_mut().for_each(|naive| *naive /= total);
    }

    /// From the ratios of one level to those of the next.
    fn step(
        &self,
        term: &Term,
        level: usize,
        code: impl Fn(usize) -> u8,
        strength: f64,
        naive: &[f64],
        ratios: &mut [f64],
    ) {
        let cell = self.of.layout().cell(term, level, code).expect("the caller has looked");
        let counts = self.of.counts.at(term, level, cell);
        let left = |class: usize| (f64::from(counts[class]) - self.gone[class]).max(0.0);
        let expected: f64 = naive.iter().zip(&*ratios).map(|(naive, ratio)| naive * ratio).sum();
        let total = (0..naive.len()).map(left).sum::<f64>() + strength;
        for (class, (ratio, naive)) in ratios.iter_mut().zip(naive).enumerate() {
            *ratio = (left(class) + strength * naive * *ratio / expected) / total / naive;
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
    let n = evidence.counts.n_classes;
    let mut reader = evidence.reader();
    let mut losses = vec![0.0; evidence.layout().columns.len()];
    for (rows, gone) in left_out.runs(0..codes.n_rows) {
        reader.leave_out(gone);
        for (column, loss) in losses.iter_mut().enumerate() {
            let last = (evidence.layout().terms[column].n_levels - 1) * n;
            for row in rows.clone() {
                let code = codes.column(column)[row];
                if code != super::NOTHING {
                    *loss -= weights[row] * reader.shares(column, code)[last + left_out.own[row] as usize].ln();
                }
            }
        }
    }
    losses
}
