//! Ridge regression of labels on cells, on top of scores that are given: what counting the cells could not tell.
//!
//! Every term has a feature for each of its cells at its coarser levels, up to [`LEVELS`]; a row has one feature of each term
//! and level, of size m^(−½), if there are m. Cells that only one row of the sample is in have no weight.

use super::minimum::{Effort, minimise};
use super::weights::log_softmax;
use super::{Codes, Layout};
use crate::threads::summed_in_parts;

/// The finest level with weights, of columns, pairs and triples.
const LEVELS: [usize; 3] = [4, 3, 3];
const NONE: u32 = u32::MAX;

/// Which features there are.
#[derive(Clone)]
pub struct Features {
    /// A term and a level, and the first feature of its cells.
    blocks: Vec<(usize, usize, usize)>,
    pub n_features: usize,
}

impl Features {
    /// Of these terms, whose numbers rise.
    pub fn new(layout: &Layout, terms: &[usize]) -> Features {
        let (mut blocks, mut n_features) = (vec![], 0);
        for &term in terms {
            let of = &layout.terms[term];
            for level in 1..=of.n_levels.min(LEVELS[of.columns.len() - 1]) {
                blocks.push((term, level, n_features));
                n_features += layout.cells_of(of, level);
            }
        }
        Features { blocks, n_features }
    }

    /// Whether a term has any.
    pub fn has(&self, term: usize) -> bool {
        self.blocks.binary_search_by_key(&term, |block| block.0).is_ok()
    }

    /// How much each feature of a row counts.
    pub fn scale(&self) -> f64 {
        1.0 / (self.blocks.len().max(1) as f64).sqrt()
    }

    /// The features of a term's cell, by the codes of its columns.
    pub fn of<'a>(
        &'a self,
        layout: &'a Layout,
        term: usize,
        code: impl Fn(usize) -> u8 + Copy + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let from = self.blocks.partition_point(|block| block.0 < term);
        let blocks = self.blocks[from..].iter().take_while(move |block| block.0 == term);
        blocks.filter_map(move |&(term, level, first)| Some(first + layout.cell(&layout.terms[term], level, code)?))
    }

    /// By row and block, the feature; [`NONE`] where a value says nothing.
    fn rows(&self, layout: &Layout, codes: Codes) -> Vec<u32> {
        let width = self.blocks.len();
        let mut rows = vec![NONE; width * codes.n_rows];
        for (block, &(term, level, first)) in self.blocks.iter().enumerate() {
            for row in 0..codes.n_rows {
                if let Some(cell) = layout.cell(&layout.terms[term], level, |column| codes.column(column)[row]) {
                    rows[row * width + block] = (first + cell) as u32;
                }
            }
        }
        rows
    }
}

/// Rows with labels, weights and scores to start from.
pub struct Ridge<'a> {
    pub features: &'a Features,
    pub class_ids: &'a [u32],
    pub row_weights: &'a [f64],
    /// By row and class.
    pub offsets: &'a [f64],
    pub n_classes: usize,
}

impl Ridge<'_> {
    /// Weights by feature and class: for each penalty, which fall, from those of the one before.
    pub fn fit(&self, layout: &Layout, codes: Codes, penalties: &[f64], steps: usize, threads: usize) -> Vec<Vec<f64>> {
        let (rows, places) = self.kept(layout, codes);
        let n_kept = places.iter().filter(|&&place| place != NONE).count();
        let mut at = vec![0.0; n_kept * self.n_classes];
        let mut blocks = vec![];
        for &penalty in penalties {
            let effort = Effort { steps, enough: 1e-7 };
            minimise(&mut at, 0, effort, |at| self.loss(&rows, at, penalty, threads));
            let mut weights = vec![0.0; self.features.n_features * self.n_classes];
            for (weights, &place) in weights.chunks_mut(self.n_classes).zip(&places) {
                if place != NONE {
                    weights.copy_from_slice(&at[place as usize * self.n_classes..][..self.n_classes]);
                }
            }
            blocks.push(weights);
        }
        blocks
    }

    /// The rows' features that have weights, by their places among these; and the place of each feature.
    fn kept(&self, layout: &Layout, codes: Codes) -> (Vec<u32>, Vec<u32>) {
        let mut rows = self.features.rows(layout, codes);
        let mut counts = vec![0_u32; self.features.n_features];
        rows.iter().filter(|&&feature| feature != NONE).for_each(|&feature| counts[feature as usize] += 1);
        let mut n = 0;
        let mut places = vec![NONE; counts.len()];
        for (place, &count) in places.iter_mut().zip(&counts) {
            if count > 1 {
                *place = n;
                n += 1;
            }
        }
        rows.iter_mut().filter(|feature| **feature != NONE).for_each(|feature| *feature = places[*feature as usize]);
        (rows, places)
    }

    fn loss(&self, rows: &[u32], at: &[f64], penalty: f64, threads: usize) -> (f64, Vec<f64>) {
        let (n, width, scale) = (self.n_classes, self.features.blocks.len(), self.features.scale());
        let excesses = summed_in_parts(self.class_ids.len(), threads, |part| {
            let (mut value, mut excesses) = (0.0, vec![0.0; part.len() * n]);
            for (row, excess) in part.zip(excesses.chunks_mut(n)) {
                for &feature in &rows[row * width..(row + 1) * width] {
                    if feature != NONE {
                        let weights = &at[feature as usize * n..][..n];
                        excess.iter_mut().zip(weights).for_each(|(score, weight)| *score += weight);
                    }
                }
                let offsets = &self.offsets[row * n..(row + 1) * n];
                excess.iter_mut().zip(offsets).for_each(|(score, offset)| *score = scale * *score + offset);
                let class_id = self.class_ids[row] as usize;
                value -= self.row_weights[row] * log_softmax(excess, class_id);
                excess[class_id] -= 1.0;
                excess.iter_mut().for_each(|excess| *excess *= self.row_weights[row] * scale);
            }
            (value, excesses)
        });
        let mut value = at.iter().map(|weight| weight * weight).sum::<f64>() * penalty / 2.0;
        let mut gradient: Vec<f64> = at.iter().map(|weight| penalty * weight).collect();
        let mut row = 0;
        for (more, excesses) in &excesses {
            value += more;
            for excess in excesses.chunks(n) {
                for &feature in &rows[row * width..(row + 1) * width] {
                    if feature != NONE {
                        let slopes = &mut gradient[feature as usize * n..][..n];
                        slopes.iter_mut().zip(excess).for_each(|(slope, excess)| *slope += excess);
                    }
                }
                row += 1;
            }
        }
        (value, gradient)
    }
}
