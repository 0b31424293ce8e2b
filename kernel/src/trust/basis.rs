//! The numbers on which curves are fitted: what each document says, with its own counts taken out.

use super::{Hat, KNOTS, SMOOTHING, Shape, Side, Z_KNOTS, documents, each_class};
use crate::counting::each_on_a_thread;
use crate::counts::Counts;
use crate::documents::{Documents, shares};
use crate::text::Analyzer;

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
        let parts = shares(documents.len(), threads);
        let width = self.shape.n_scored() * self.shape.len();
        let found = each_on_a_thread(&parts, |part| {
            let mut values = vec![0.0; part.len() * width];
            let mut scratch = BasisScratch::default();
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
        let parts = shares(documents.len(), threads);
        let found = each_on_a_thread(&parts, |part| {
            let mut values = vec![0.0; self.shape.n_scored() * self.shape.len()];
            let (mut scratch, mut scores) = (BasisScratch::default(), vec![]);
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

    fn add_basis(&self, corpus: &Documents, at: usize, scratch: &mut BasisScratch, values: &mut [f64]) {
        let (shape, own) = (&self.shape, corpus.classes[at]);
        let (n_scored, all) = (shape.n_scored(), shape.len());
        let BasisScratch { sides, sums, odds } = scratch;
        let keeps_odds = shape.pairs().is_some();
        odds.clear();
        let mut start = 0;
        for (block, &has_parents) in shape.blocks.iter().enumerate().filter_map(|(at, is)| Some((at, is.as_ref()?))) {
            let (rows, features) = (&self.counts.blocks[block].rows, &corpus.blocks[block]);
            let range = features.range(at);
            let width = shape.width(has_parents);
            self.sides(block, own as usize, range.len(), sides);
            sums.clear();
            sums.resize(n_scored * width, 0.0);
            let mut known = 0;
            for i in range {
                let row = rows.get(features.ids[i]);
                let df = documents(row) - 1;
                if df == 0 {
                    if keeps_odds && block == 0 {
                        odds.resize(odds.len() + n_scored, 0.0);
                    }
                    continue;
                }
                known += 1;
                let df = f64::from(df);
                let hat = Hat::of_documents(df);
                let log_df = (df + SMOOTHING).ln();
                each_class(shape, row, |place, n| {
                    let side = &sides[place];
                    let inside = f64::from(n - u32::from(shape.class(place) == own));
                    let evidence = side.evidence(inside, df - inside);
                    let sums = &mut sums[place * width..(place + 1) * width];
                    Hat::new(evidence.z, &Z_KNOTS).spread(evidence.odds, sums);
                    let mut from = KNOTS;
                    if shape.is_two() {
                        hat.spread(evidence.odds, &mut sums[from..]);
                        from += KNOTS;
                    } else {
                        let overall = log_df - side.log_all;
                        hat.spread(evidence.inside - overall, &mut sums[from..]);
                        hat.spread(overall - evidence.outside, &mut sums[from + KNOTS..]);
                        from += 2 * KNOTS;
                    }
                    if has_parents {
                        let [left, right] = features.parents[i];
                        let parent = |word: u32| odds[word as usize * n_scored + place];
                        hat.spread(parent(left) + parent(right), &mut sums[from..]);
                    }
                    if keeps_odds && block == 0 {
                        odds.push(evidence.odds);
                    }
                });
            }
            for power in shape.powers() {
                let scale = f64::from(known.max(1)).powf(-power);
                for place in 0..n_scored {
                    let sums = &sums[place * width..(place + 1) * width];
                    let values = &mut values[place * all + start..][..width];
                    values.iter_mut().zip(sums).for_each(|(value, sum)| *value = sum * scale);
                }
                start += width;
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

#[derive(Default)]
struct BasisScratch {
    sides: Vec<Side>,
    sums: Vec<f64>,
    /// By word of the document and scored class.
    odds: Vec<f64>,
}
