//! A correction read beside counts: what it adds to the weights of features.

use std::sync::{Arc, OnceLock};

use super::{Correction, hash_of, hashes};
use crate::counts::Counts;
use crate::processor::{LANES, add_rows, prefetch};
use crate::scoring::sum_in_lanes;
use crate::vocabulary::UNKNOWN;

/// How many rows ahead memory is asked for.
const AHEAD: usize = 8;

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

    /// Which row has the weights of a feature; [`UNKNOWN`] where it has none.
    #[inline(always)]
    pub fn row(&self, counts: &Counts, block: usize, id: u32) -> u32 {
        match self.rows.get() {
            Some(rows) => rows[block][id as usize],
            None => self.correction.find(hash_of(counts, block, id)).unwrap_or(UNKNOWN),
        }
    }

    /// What is kept beside a feature: the one weight where there is one, or the number of its row.
    pub fn kept(&self, counts: &Counts, block: usize, id: u32) -> u32 {
        match self.row(counts, block, id) {
            UNKNOWN => UNKNOWN,
            row if self.correction.n_scored() == 1 => self.correction.row(row)[0].to_bits(),
            row => row,
        }
    }

    /// Adds what these features say, as they are kept, to each scored class.
    pub fn add(&self, kept: &[u32], logs: &mut [f64]) {
        let scale = self.correction.scale().of(kept.len());
        if let [log] = logs {
            *log += scale * sum_in_lanes(kept.iter().map(|&bits| f64::from(f32::from_bits(bits))));
            return;
        }
        let mut sums = vec![0.0; logs.len()];
        if sums.len().is_multiple_of(LANES) {
            add_rows(self.correction.weights(), kept, &mut sums);
        } else {
            for (at, &row) in kept.iter().enumerate() {
                if let Some(&next) = kept.get(at + AHEAD) {
                    prefetch(self.correction.weights(), next as usize * sums.len());
                }
                sums.iter_mut().zip(self.correction.row(row)).for_each(|(sum, &weight)| *sum += f64::from(weight));
            }
        }
        logs.iter_mut().zip(sums).for_each(|(log, sum)| *log += scale * sum);
    }

    /// The weights of a feature in a document with so many features that have some, by scored class.
    pub fn term(&self, counts: &Counts, block: usize, id: u32, m: usize) -> Vec<f64> {
        let row = self.row(counts, block, id);
        let weights = if row == UNKNOWN { &[][..] } else { self.correction.row(row) };
        weights.iter().map(|&weight| self.correction.scale().of(m) * f64::from(weight)).collect()
    }

    /// How many features with weights a document of typical length has.
    pub fn typical(&self) -> usize {
        self.correction.scale().typical as usize
    }
}
