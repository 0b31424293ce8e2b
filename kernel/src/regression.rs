//! Penalised softmax regression by Newton's method: what the trust curves and calibrations are fitted with.
//!
//! One vector of coefficients serves all classes, since each class has features of its own in each row, and each class has a
//! bias, which counts as much as the row says. With two classes a row has the features of the second; the first has their
//! negatives. Scores may have offsets. Where there are many classes a row may list some of them only, its own first.
//!
//! It is done here and not by matrix products of NumPy: on a busy machine the threads of a BLAS wait for each other far
//! longer than they work, and their sums depend on their number. Here sums are taken over fixed parts of the rows.

mod curvature;
mod features;
mod newton;

use std::ops::Range;

use crate::processor::vectorised;
use crate::threads::{each_on_a_thread, equal_parts, fill_rows, summed_in_parts};
use features::Row;
pub use features::{Features, Scaled};

/// What is known of the rows.
#[derive(Clone, Default)]
pub struct Rows {
    pub class_ids: Vec<u32>,
    pub weights: Vec<f64>,
    /// By row and class, or listed class; none where all are 0.
    pub offsets: Vec<f64>,
    /// How much biases count in each row; none where they count whole.
    pub scales: Vec<f64>,
    /// By row the classes that it knows, its own first; none where it knows all.
    pub lists: Vec<u32>,
}

pub struct Regression {
    features: Features,
    n_classes: usize,
    rows: Rows,
}

/// What is known beforehand: where the penalties are zero, and how strong they are.
pub struct Prior<'a> {
    pub mean: &'a [f64],
    /// By pairs of coefficients.
    pub precision: &'a [f64],
    pub bias: &'a [f64],
    pub bias_precision: f64,
}

/// Coefficients and biases.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    pub coefficients: Vec<f64>,
    pub biases: Vec<f64>,
}

impl Regression {
    /// None where the arrays do not fit each other.
    pub fn new(features: Features, n_classes: usize, rows: Rows) -> Option<Self> {
        let n = rows.class_ids.len();
        let width = if n == 0 || rows.lists.is_empty() { n_classes } else { rows.lists.len() / n };
        let regression = Regression { features, n_classes, rows };
        let rows = &regression.rows;
        let is_known = |class: &u32| (*class as usize) < n_classes;
        let starts_with_own =
            || (0..n).all(|at| rows.lists.is_empty() || rows.lists.get(at * width) == Some(&rows.class_ids[at]));
        let fits = rows.weights.len() == n
            && (rows.offsets.is_empty() || rows.offsets.len() == n * width)
            && (rows.scales.is_empty() || rows.scales.len() == n)
            && (rows.lists.is_empty() || (n_classes > 2 && rows.lists.len() == n * width))
            && rows.class_ids.iter().chain(&rows.lists).all(is_known)
            && starts_with_own()
            && regression.features.fit(n, regression.n_scored());
        fits.then_some(regression)
    }

    pub fn n_rows(&self) -> usize {
        self.rows.class_ids.len()
    }

    /// How many classes a row knows.
    fn n_known(&self) -> usize {
        if self.rows.lists.is_empty() { self.n_classes } else { self.rows.lists.len() / self.rows.class_ids.len() }
    }

    fn n_scored(&self) -> usize {
        if self.n_classes == 2 { 1 } else { self.n_known() }
    }

    /// How many numbers the biases are: with two classes they are each other's negatives.
    fn n_biases(&self) -> usize {
        if self.n_classes == 2 { 1 } else { self.n_classes }
    }

    /// The class at this place of a row.
    fn class(&self, at: usize, place: usize) -> usize {
        self.rows.lists.get(at * self.n_known() + place).map_or(place, |&class| class as usize)
    }

    /// The place of the row's own class.
    fn own_place(&self, at: usize) -> usize {
        if self.rows.lists.is_empty() { self.rows.class_ids[at] as usize } else { 0 }
    }

    fn scale(&self, at: usize) -> f64 {
        self.rows.scales.get(at).copied().unwrap_or(1.0)
    }

    /// The features of a row, in memory that can be used for it.
    #[inline(always)]
    fn row<'a>(&'a self, at: usize, memory: &'a mut Vec<f64>) -> Row<'a> {
        self.features.row(at, self.n_scored(), memory)
    }

    /// The features joined to groups: each range of them becomes one, their sum weighted by `coefficients`.
    pub fn grouped(&self, ranges: &[Range<usize>], coefficients: &[f64], threads: usize) -> Regression {
        let (width, n_scored) = (ranges.len(), self.n_scored());
        let mut features = vec![0.0; self.rows.class_ids.len() * n_scored * width];
        fill_rows(&mut features, n_scored * width, self.worth(threads), |part, features| {
            let mut memory = vec![];
            vectorised(
                #[inline(always)]
                || {
                    for (at, features) in part.zip(features.chunks_mut((n_scored * width).max(1))) {
                        let row = self.row(at, &mut memory);
                        for (place, features) in features.chunks_mut(width.max(1)).enumerate() {
                            let row = row.of(place, self.features.width());
                            let joined = |range: &Range<usize>| dot(&row[range.clone()], &coefficients[range.clone()]);
                            features.iter_mut().zip(ranges).for_each(|(feature, range)| *feature = joined(range));
                        }
                    }
                },
            );
        });
        let features = Features::plain(features, width);
        Regression { features, n_classes: self.n_classes, rows: self.rows.clone() }
    }

    /// The root of the mean square of each scored class's score, without offsets and biases.
    pub fn size(&self, coefficients: &[f64], threads: usize) -> f64 {
        let n = coefficients.len();
        let mut squares = vec![0.0; self.rows.class_ids.len()];
        fill_rows(&mut squares, 1, self.worth(threads), |part, squares| {
            let mut memory = vec![];
            for (at, square) in part.zip(squares) {
                let row = self.row(at, &mut memory);
                let of_row = (0..self.n_scored()).map(|place| dot(row.of(place, n), coefficients).powi(2));
                *square = self.rows.weights[at] * of_row.sum::<f64>();
            }
        });
        let total: f64 = self.rows.weights.iter().sum();
        let whole = total * self.n_scored() as f64;
        if whole > 0.0 { (squares.iter().sum::<f64>() / whole).sqrt() } else { 0.0 }
    }

    /// The logarithm of the probability of each class that a row knows; each row has one of several fits to read it.
    pub fn log_probabilities(&self, fits: &[Fitted], turns: &[u32], threads: usize) -> Vec<f64> {
        let parts = equal_parts(self.rows.class_ids.len(), threads);
        let logs = each_on_a_thread(&parts, |part| {
            let (mut logs, mut memory) = (vec![0.0; part.len() * self.n_known()], vec![]);
            vectorised(
                #[inline(always)]
                || {
                    for (at, logs) in part.clone().zip(logs.chunks_mut(self.n_known())) {
                        self.write_logs(at, self.row(at, &mut memory), &fits[turns[at] as usize], logs);
                    }
                },
            );
            logs
        });
        logs.concat()
    }

    #[inline(always)]
    fn write_logs(&self, at: usize, row: Row, fitted: &Fitted, logs: &mut [f64]) {
        let Fitted { coefficients, biases } = fitted;
        if self.n_classes == 2 {
            logs[1] = dot(row.of(0, coefficients.len()), coefficients);
            logs[0] = -logs[1];
        } else {
            // Not `for_each`, which is a call: one that knows nothing of wide registers.
            for (place, log) in logs.iter_mut().enumerate() {
                *log = dot(row.of(place, coefficients.len()), coefficients);
            }
        }
        let (n, scale) = (logs.len(), self.scale(at));
        logs.iter_mut().enumerate().for_each(|(place, log)| *log += scale * biases[self.class(at, place)]);
        if let Some(offsets) = self.rows.offsets.get(at * n..(at + 1) * n) {
            logs.iter_mut().zip(offsets).for_each(|(log, offset)| *log += offset);
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = match *logs {
            // Of two one is the largest: its exponential is 1.
            [first, second] => 1.0 + (-(first - second).abs()).exp(),
            _ => logs.iter().map(|log| (log - largest).exp()).sum(),
        };
        let whole = largest + sum.ln();
        logs.iter_mut().for_each(|log| *log -= whole);
    }

    /// Hands each part of some rows to `sum`, on up to so many threads; the results are in the order of the parts.
    fn in_parts<R: Send>(&self, n: usize, threads: usize, sum: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        summed_in_parts(n, self.worth(threads), sum)
    }

    /// How many of so many threads a pass over the features is worth.
    fn worth(&self, threads: usize) -> usize {
        let n_features = self.rows.class_ids.len() * self.n_scored() * self.features.width();
        if n_features < 1 << 16 { 1 } else { threads }
    }
}

/// The sum of products.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    // So many sums that none has to wait for the one before.
    let mut lanes = [0.0; 8];
    let ((left, a), (right, b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (left, right) in left.iter().zip(right) {
        for lane in 0..8 {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    let rest: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest
}

#[inline(always)]
fn add(sums: &mut [f64], times: f64, values: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += times * value;
    }
}

#[cfg(test)]
mod tests;
