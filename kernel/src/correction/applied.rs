//! A correction read beside counts: what it adds to the weights of features.

use std::sync::{Arc, OnceLock};

use super::{Correction, hash_of, hashes};
use crate::counts::Counts;
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

    /// Looks up all features at once: worth it where many will be asked for.
    pub fn prepare(&self, counts: &Counts) {
        let find = |hash: u64| self.correction.find(hash).unwrap_or(UNKNOWN);
        let rows = || hashes(counts).into_iter().map(|block| block.into_iter().map(find).collect()).collect();
        self.rows.get_or_init(rows);
    }

    /// The weights of a feature, one for each scored class; none where it has no correction.
    #[inline(always)]
    pub fn weights(&self, counts: &Counts, block: usize, id: u32) -> &[f32] {
        let row = match self.rows.get() {
            Some(rows) => rows[block][id as usize],
            None => self.correction.find(hash_of(counts, block, id)).unwrap_or(UNKNOWN),
        };
        if row == UNKNOWN { &[] } else { self.correction.row(row) }
    }
}

/// m^(−½): long documents repeat themselves.
pub fn scale(n_features: usize) -> f64 {
    (n_features.max(1) as f64).powf(-0.5)
}
