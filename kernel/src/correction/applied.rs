//! A correction read beside counts: what it adds to the scores of documents.

use std::sync::{Arc, OnceLock};

use super::{Correction, hash_of, hashes};
use crate::counts::Counts;
use crate::documents::Features;
use crate::vocabulary::UNKNOWN;

/// For one version of some counts.
pub struct Applied {
    correction: Arc<Correction>,
    /// By block and id of a feature the row of its weights; [`UNKNOWN`] for one that has none.
    rows: OnceLock<Vec<Vec<u32>>>,
}

impl Applied {
    pub fn new(correction: Arc<Correction>) -> Self {
        Applied { correction, rows: OnceLock::new() }
    }

    /// What is added to the score of each scored class for a document, whose features these are by block.
    ///
    /// With `all`, the features of all documents are looked up at once, which is worth it where many are asked for.
    pub fn sums(&self, counts: &Counts, blocks: &[Features], all: bool, sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(self.correction.n_scored(), 0.0);
        let rows = if all { Some(self.rows.get_or_init(|| self.rows_of(counts))) } else { self.rows.get() };
        for (block, features) in blocks.iter().enumerate().filter(|(_, features)| !features.ids.is_empty()) {
            let scale = scale(features.ids.len());
            for &id in &features.ids {
                let row = match rows {
                    Some(rows) => rows[block][id as usize],
                    None => self.row_of(counts, block, id),
                };
                if row != UNKNOWN {
                    let weights = self.correction.row(row);
                    sums.iter_mut().zip(weights).for_each(|(sum, &weight)| *sum += f64::from(weight) * scale);
                }
            }
        }
    }

    /// What one feature adds to the score of each scored class in a document with `n_features` known ones.
    pub fn term(&self, counts: &Counts, block: usize, id: u32, n_features: usize) -> Vec<f64> {
        let row = self.row_of(counts, block, id);
        if row == UNKNOWN {
            return vec![0.0; self.correction.n_scored()];
        }
        self.correction.row(row).iter().map(|&weight| f64::from(weight) * scale(n_features)).collect()
    }

    fn row_of(&self, counts: &Counts, block: usize, id: u32) -> u32 {
        self.correction.find(hash_of(counts, block, id)).unwrap_or(UNKNOWN)
    }

    fn rows_of(&self, counts: &Counts) -> Vec<Vec<u32>> {
        let find = |hash: u64| self.correction.find(hash).unwrap_or(UNKNOWN);
        hashes(counts).into_iter().map(|block| block.into_iter().map(find).collect()).collect()
    }
}

/// m^(−½): long documents repeat themselves.
pub fn scale(n_features: usize) -> f64 {
    (n_features.max(1) as f64).powf(-0.5)
}
