//! The numbers on which curves are fitted: what each document says, with its own counts taken out.

use super::evidence::{EvidenceRow, FLAT, Hat, KNOTS, Side, Sides, log_documents};
use super::{Shape, documents};
use crate::counts::Counts;
use crate::documents::Documents;
use crate::rows::Cell;
use crate::text::Analyzer;
use crate::threads::{each_on_a_thread, equal_parts};

/// How many features ahead memory is asked for.
const AHEAD: usize = 16;

/// Counts, and what their features sum to.
pub struct Corpus<'a> {
    counts: &'a Counts,
    shape: Shape,
    /// By block and class: the documents of all features.
    sizes: Vec<Vec<u64>>,
}

impl<'a> Corpus<'a> {
    pub fn new(counts: &'a Counts, analyzer: &Analyzer) -> Self {
        let sizes = counts.blocks.iter().map(|block| {
            let mut sizes = vec![0; counts.n_classes()];
            let cells = (0..block.rows.len() as u32).flat_map(|id| block.rows.get(id));
            cells.for_each(|cell| sizes[cell.class as usize] += u64::from(cell.documents));
            sizes
        });
        Corpus { counts, shape: Shape::new(analyzer, counts.n_classes()), sizes: sizes.collect() }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The sides of a block from which a document of `own` with `less` features is taken.
    pub(super) fn sides(&self, block: usize, own: usize, less: usize, sides: &mut Vec<Side>) {
        let sizes = &self.sizes[block];
        let total = sizes.iter().sum::<u64>() as f64 - less as f64;
        let size = |class: usize| sizes[class] as f64 - if class == own { less as f64 } else { 0.0 };
        sides.clear();
        sides.extend((0..self.shape.n_scored()).map(|at| Side::new(size(self.shape.class(at) as usize), total)));
    }

    /// What each number of the curves is multiplied by in the score of each document and each scored class, as if the
    /// document had never been counted; less the mean of the classes, which no probability depends on.
    pub fn basis(&self, documents: &Documents, threads: usize) -> Vec<f64> {
        let parts = equal_parts(documents.len(), threads);
        let width = self.shape.n_scored() * self.shape.len();
        let found = each_on_a_thread(&parts, |part| {
            let mut values = vec![0.0; part.len() * width];
            let mut scratch = Scratch::default();
            for (at, values) in part.clone().zip(values.chunks_mut(width)) {
                self.add_basis(documents, at, &mut scratch, values);
                centre(values, self.shape.len());
            }
            values
        });
        found.concat()
    }

    /// The score of each document and each scored class under curves with these numbers, without a start, as if the
    /// document had never been counted.
    pub fn leave_one_out(&self, documents: &Documents, curves: &[f64], threads: usize) -> Vec<f64> {
        let parts = equal_parts(documents.len(), threads);
        let found = each_on_a_thread(&parts, |part| {
            let mut values = vec![0.0; self.shape.n_scored() * self.shape.len()];
            let (mut scratch, mut scores) = (Scratch::default(), vec![]);
            for at in part.clone() {
                values.fill(0.0);
                self.add_basis(documents, at, &mut scratch, &mut values);
                let score = |values: &[f64]| values.iter().zip(curves).map(|(value, knot)| value * knot).sum::<f64>();
                scores.extend(values.chunks(curves.len().max(1)).map(score));
            }
            scores
        });
        found.concat()
    }

    fn add_basis(&self, corpus: &Documents, at: usize, scratch: &mut Scratch, values: &mut [f64]) {
        let shape = &self.shape;
        let mut start = 0;
        for (block, &has_parents) in shape.blocks.iter().enumerate().filter_map(|(at, is)| Some((at, is.as_ref()?))) {
            let (rows, features) = (&self.counts.blocks[block].rows, &corpus.blocks[block]);
            let range = features.range(at);
            let part = Part {
                shape,
                own: corpus.classes[at],
                width: shape.width(has_parents),
                keeps_odds: block == 0 && shape.pairs().is_some(),
            };
            self.sides(block, part.own as usize, range.len(), &mut scratch.sides);
            scratch.start(&part, has_parents);
            let mut known = 0;
            for i in range.clone() {
                if i + AHEAD < range.end {
                    rows.expect(features.ids[i + AHEAD]);
                    rows.expect_cells(features.ids[i + AHEAD / 2]);
                }
                let row = rows.get(features.ids[i]);
                let df = documents(row) - 1;
                scratch.add(&part, row, df);
                if df > 0 {
                    known += 1;
                    if has_parents {
                        scratch.share_out(features.parents[i], Hat::of_documents(df));
                    }
                }
            }
            scratch.finish(&part, has_parents);
            for power in shape.powers() {
                let scale = f64::from(known.max(1)).powf(-power);
                for (number, sums) in scratch.sums.chunks(shape.n_scored()).enumerate() {
                    let values = values[start + number..].iter_mut().step_by(shape.len());
                    values.zip(sums).for_each(|(value, sum)| *value = sum * scale);
                }
                start += part.width;
            }
        }
    }
}

/// Takes from rows of `width` numbers their mean, where there are several.
fn centre(rows: &mut [f64], width: usize) {
    let n = rows.len() / width.max(1);
    if n < 2 {
        return;
    }
    for column in 0..width {
        let mean = (0..n).map(|row| rows[row * width + column]).sum::<f64>() / n as f64;
        (0..n).for_each(|row| rows[row * width + column] -= mean);
    }
}

/// A document's features of one block.
struct Part<'a> {
    shape: &'a Shape,
    /// The document's class.
    own: u32,
    /// The numbers of the block's curves.
    width: usize,
    /// Whether the odds are needed by pairs later.
    keeps_odds: bool,
}

/// The sums of a document's features of one block, and what they need of memory.
///
/// With many classes most have not seen most features. To these a feature of so many documents says the same as any other of
/// as many documents: that is worked out once for all of them.
#[derive(Default)]
struct Scratch {
    sides: Vec<Side>,
    columns: Sides,
    /// By number of the curves and scored class.
    sums: Vec<f64>,
    /// By word of the document and scored class.
    odds: Vec<f64>,
    /// How many documents of each class have a feature.
    inside: Vec<f64>,
    row: EvidenceRow,
    /// Where the features of so many documents are in `alike`, [`NONE`] where there are none.
    places: Vec<u32>,
    alike: Vec<Alike>,
    n_alike: usize,
    /// By word of the document and knot: the share of its odds that pairs take back.
    shares: Vec<[f64; KNOTS]>,
}

const NONE: u32 = u32::MAX;

/// Features of the same number of documents.
#[derive(Clone, Default)]
struct Alike {
    df: u32,
    /// What each says to a class that has not seen it.
    unseen: EvidenceRow,
    /// By class: of how many it has not seen.
    times: Vec<f64>,
}

impl Scratch {
    fn start(&mut self, part: &Part, has_parents: bool) {
        let n_scored = part.shape.n_scored();
        self.columns.read(&self.sides);
        self.sums.clear();
        self.sums.resize(part.width * n_scored, 0.0);
        self.places.resize(FLAT, NONE);
        self.inside.resize(n_scored, 0.0);
        if part.keeps_odds {
            self.odds.clear();
        }
        if has_parents {
            self.shares.clear();
            self.shares.resize(self.odds.len() / n_scored, [0.0; KNOTS]);
        }
    }

    /// Adds the feature with these cells, which `df` other documents have.
    #[inline(always)]
    fn add(&mut self, part: &Part, row: &[Cell], df: u32) {
        let n_scored = part.shape.n_scored();
        if df == 0 {
            if part.keeps_odds {
                self.odds.resize(self.odds.len() + n_scored, 0.0);
            }
        } else if part.shape.is_two() {
            self.add_to_two(part, row, df);
        } else if 2 * row.len() > n_scored || df as usize >= FLAT {
            self.add_to_each(part, row, df);
        } else {
            self.add_to_some(part, row, df);
        }
    }

    fn add_to_two(&mut self, part: &Part, row: &[Cell], df: u32) {
        let second = row.iter().find(|cell| cell.class == 1).map_or(0, |cell| cell.documents);
        let evidence = self.sides[0].of(second - part.own, df);
        Hat::of_ratio(evidence.z).spread(evidence.odds, &mut self.sums);
        Hat::of_documents(df).spread(evidence.odds, &mut self.sums[KNOTS..]);
        if part.keeps_odds {
            self.odds.push(evidence.odds);
        }
    }

    fn add_to_each(&mut self, part: &Part, row: &[Cell], df: u32) {
        self.inside.fill(0.0);
        row.iter().for_each(|cell| self.inside[cell.class as usize] = f64::from(cell.documents));
        self.inside[part.own as usize] -= 1.0;
        self.columns.of(&self.inside, f64::from(df), &mut self.row);
        self.inside.fill(1.0);
        spread(&self.row, &self.sides, &self.inside, df, &mut self.sums);
        if part.keeps_odds {
            self.odds.extend_from_slice(&self.row.odds);
        }
    }

    fn add_to_some(&mut self, part: &Part, row: &[Cell], df: u32) {
        let n_scored = part.shape.n_scored();
        let place = &mut self.places[df as usize];
        if *place == NONE {
            *place = self.n_alike as u32;
            self.n_alike += 1;
            self.alike.resize(self.alike.len().max(self.n_alike), Alike::default());
            let alike = &mut self.alike[*place as usize];
            alike.df = df;
            alike.times.clear();
            alike.times.resize(n_scored, 0.0);
            self.inside.fill(0.0);
            self.columns.of(&self.inside, f64::from(df), &mut alike.unseen);
        }
        let alike = &mut self.alike[*place as usize];
        alike.times.iter_mut().for_each(|times| *times += 1.0);
        let first = self.odds.len();
        if part.keeps_odds {
            self.odds.extend_from_slice(&alike.unseen.odds);
        }
        let (hat, log_df) = (Hat::of_documents(df), log_documents(df));
        for cell in row {
            let (class, inside) = (cell.class as usize, cell.documents - u32::from(cell.class == part.own));
            if inside > 0 {
                alike.times[class] -= 1.0;
                let side = &self.sides[class];
                let (evidence, overall) = (side.of(inside, df), log_df - side.log_all);
                let mut add = |curve: usize, hat: Hat, value: f64| {
                    let knot = curve * KNOTS + hat.knot;
                    self.sums[knot * n_scored + class] += value * (1.0 - hat.share);
                    self.sums[(knot + 1) * n_scored + class] += value * hat.share;
                };
                add(0, Hat::of_ratio(evidence.z), evidence.odds);
                add(1, hat, evidence.inside - overall);
                add(2, hat, overall - evidence.outside);
                if part.keeps_odds {
                    self.odds[first + class] = evidence.odds;
                }
            }
        }
    }

    /// Notes that a pair takes back from the odds of these words.
    #[inline(always)]
    fn share_out(&mut self, words: [u32; 2], hat: Hat) {
        words.iter().for_each(|&word| hat.spread(1.0, &mut self.shares[word as usize]));
    }

    /// Adds what has been put off until all features were there.
    fn finish(&mut self, part: &Part, has_parents: bool) {
        let n_scored = part.shape.n_scored();
        for alike in &self.alike[..self.n_alike] {
            self.places[alike.df as usize] = NONE;
            spread(&alike.unseen, &self.sides, &alike.times, alike.df, &mut self.sums);
        }
        self.n_alike = 0;
        if has_parents {
            let sums = &mut self.sums[(part.width - KNOTS) * n_scored..];
            for (shares, odds) in self.shares.iter().zip(self.odds.chunks(n_scored)) {
                for (sums, share) in sums.chunks_mut(n_scored).zip(shares).filter(|(_, share)| **share != 0.0) {
                    sums.iter_mut().zip(odds).for_each(|(sum, odds)| *sum += share * odds);
                }
            }
        }
    }
}

/// Adds what features of `df` documents say to each class, so many times, to the sums.
fn spread(row: &EvidenceRow, sides: &[Side], times: &[f64], df: u32, sums: &mut [f64]) {
    let (hat, log_df, n) = (Hat::of_documents(df), log_documents(df), times.len());
    let (by_ratio, by_documents) = sums.split_at_mut(KNOTS * n);
    for class in 0..n {
        let (ratio, odds) = (Hat::of_ratio(row.z[class]), times[class] * row.odds[class]);
        by_ratio[ratio.knot * n + class] += odds * (1.0 - ratio.share);
        by_ratio[(ratio.knot + 1) * n + class] += odds * ratio.share;
    }
    let (inside, outside) = by_documents.split_at_mut(KNOTS * n);
    let (inside, outside) = (&mut inside[hat.knot * n..][..2 * n], &mut outside[hat.knot * n..][..2 * n]);
    for class in 0..n {
        let overall = log_df - sides[class].log_all;
        let (e1, e0) = (times[class] * (row.inside[class] - overall), times[class] * (overall - row.outside[class]));
        inside[class] += e1 * (1.0 - hat.share);
        inside[n + class] += e1 * hat.share;
        outside[class] += e0 * (1.0 - hat.share);
        outside[n + class] += e0 * hat.share;
    }
}
