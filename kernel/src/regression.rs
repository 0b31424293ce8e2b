//! Penalised softmax regression by Newton's method: what the trust curves and calibrations are fitted with.
//!
//! One vector of coefficients serves all classes, since each class has features of its own in each document, and each
//! class has a bias. With two classes a document has the features of the second; the first has their negatives.
//!
//! It is done here and not by matrix products of NumPy: on a busy machine the threads of a BLAS wait for each other far
//! longer than they work, and their sums depend on their number. Here sums are taken over fixed parts of the documents.

use std::ops::Range;

use crate::counting::each_on_a_thread;
use crate::documents::{in_parts, shares};
use crate::processor::add_products;

/// A class with less probability than this has no part in the curvature.
const SMALLEST: f64 = 1e-6;
/// With more classes than this their biases stay where the prior has them: there are few documents for each, and the
/// curvature grows with the square of their number.
const MOST_BIASES: usize = 50;

pub struct Regression {
    /// By document, scored class and feature.
    features: Vec<f64>,
    n_features: usize,
    own: Vec<u32>,
    weights: Vec<f64>,
    n_classes: usize,
}

/// What is known beforehand: where the penalties are zero, and how strong they are.
pub struct Prior<'a> {
    pub mean: &'a [f64],
    /// By pairs of coefficients.
    pub precision: &'a [f64],
    pub bias: &'a [f64],
    pub bias_precision: f64,
}

impl Regression {
    pub fn new(features: Vec<f64>, n_features: usize, own: Vec<u32>, weights: Vec<f64>, n_classes: usize) -> Self {
        let regression = Regression { features, n_features, own, weights, n_classes };
        assert_eq!(regression.features.len(), regression.own.len() * regression.n_scored() * n_features);
        regression
    }

    fn n_scored(&self) -> usize {
        if self.n_classes == 2 { 1 } else { self.n_classes }
    }

    /// How many numbers the biases are: with two classes they are each other's negatives.
    fn n_biases(&self) -> usize {
        if self.n_classes == 2 {
            1
        } else if self.n_classes <= MOST_BIASES {
            self.n_classes
        } else {
            0
        }
    }

    /// The first `n` features of a document in a scored class.
    fn row(&self, document: usize, place: usize, n: usize) -> &[f64] {
        &self.features[(document * self.n_scored() + place) * self.n_features..][..n]
    }

    /// The features joined to groups: each range of them becomes one, their sum weighted by `coefficients`.
    pub fn grouped(&self, ranges: &[Range<usize>], coefficients: &[f64]) -> Regression {
        let mut features = Vec::with_capacity(self.own.len() * self.n_scored() * ranges.len());
        for row in self.features.chunks(self.n_features) {
            features.extend(ranges.iter().map(|range| dot(&row[range.clone()], &coefficients[range.clone()])));
        }
        Regression::new(features, ranges.len(), self.own.clone(), self.weights.clone(), self.n_classes)
    }

    /// The root of the mean square of each scored class's score.
    pub fn size(&self, coefficients: &[f64]) -> f64 {
        let n = coefficients.len();
        let square = |at: usize| {
            let squares = (0..self.n_scored()).map(|place| dot(self.row(at, place, n), coefficients).powi(2));
            self.weights[at] * squares.sum::<f64>()
        };
        let total: f64 = self.weights.iter().sum();
        ((0..self.own.len()).map(square).sum::<f64>() / (total * self.n_scored() as f64).max(1.0)).sqrt()
    }

    /// The logarithm of each class's probability for each document.
    pub fn log_probabilities(&self, coefficients: &[f64], bias: &[f64], threads: usize) -> Vec<f64> {
        let parts = shares(self.own.len(), threads);
        let logs = each_on_a_thread(&parts, |part| {
            let mut logs = vec![0.0; part.len() * self.n_classes];
            for (at, logs) in part.clone().zip(logs.chunks_mut(self.n_classes)) {
                self.write_logs(at, coefficients, bias, logs);
            }
            logs
        });
        logs.concat()
    }

    fn write_logs(&self, at: usize, coefficients: &[f64], bias: &[f64], logs: &mut [f64]) {
        let score = |place: usize| dot(self.row(at, place, coefficients.len()), coefficients);
        if self.n_classes == 2 {
            logs[1] = score(0);
            logs[0] = -logs[1];
        } else {
            logs.iter_mut().enumerate().for_each(|(class, log)| *log = score(class));
        }
        logs.iter_mut().zip(bias).for_each(|(log, bias)| *log += bias);
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        let whole = largest + sum.ln();
        logs.iter_mut().for_each(|log| *log -= whole);
    }

    /// The coefficients and the biases with the least loss and penalty.
    pub fn fit(&self, prior: &Prior, threads: usize) -> (Vec<f64>, Vec<f64>) {
        let n = prior.mean.len();
        // With two classes the biases are one number with both their penalties.
        let bias_precision = prior.bias_precision * if self.n_classes == 2 { 2.0 } else { 1.0 };
        let free = &prior.bias[self.n_classes - self.n_biases()..];
        let around: Vec<f64> = prior.mean.iter().chain(free).copied().collect();
        let size = around.len();
        let mut penalty = vec![0.0; size * size];
        for i in 0..size {
            if i < n {
                penalty[i * size..i * size + n].copy_from_slice(&prior.precision[i * n..(i + 1) * n]);
            } else {
                penalty[i * size + i] = bias_precision;
            }
        }
        let biases = |at: &[f64]| match self.n_biases() {
            0 => prior.bias.to_vec(),
            1 => vec![-at[n], at[n]],
            _ => at[n..].to_vec(),
        };
        let pull = |at: &[f64]| -> Vec<f64> {
            let away: Vec<f64> = at.iter().zip(&around).map(|(at, around)| at - around).collect();
            penalty.chunks(size).map(|row| dot(row, &away)).collect()
        };
        let loss = |at: &[f64]| {
            let away: Vec<f64> = at.iter().zip(&around).map(|(at, around)| at - around).collect();
            self.loss(&at[..n], &biases(at), threads) + 0.5 * dot(&away, &pull(at))
        };
        let enough = 1e-7 * self.weights.iter().sum::<f64>();
        let mut at = around.clone();
        let mut value = loss(&at);
        for _ in 0..60 {
            let (mut gradient, mut curvature) = self.derivatives(&at[..n], &biases(&at), threads);
            gradient.iter_mut().zip(pull(&at)).for_each(|(slope, pull)| *slope += pull);
            curvature.iter_mut().zip(&penalty).for_each(|(curve, penalty)| *curve += penalty);
            let Some(step) = solve(&mut curvature, &gradient) else { break };
            let descent = dot(&gradient, &step);
            let (mut length, mut next, mut lower);
            length = 1.0;
            loop {
                next = at.iter().zip(&step).map(|(at, step)| at - length * step).collect::<Vec<f64>>();
                lower = loss(&next);
                if lower <= value - 1e-4 * length * descent || length < 1e-5 {
                    break;
                }
                length /= 2.0;
            }
            let gain = value - lower;
            if gain > 0.0 {
                (at, value) = (next, lower);
            }
            if gain.is_nan() || gain <= enough {
                break;
            }
        }
        let biases = biases(&at);
        at.truncate(n);
        (at, biases)
    }

    /// Hands each part of the documents to `sum`, on up to so many threads; the results are in the order of the parts.
    fn in_parts<R: Send>(&self, threads: usize, sum: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        in_parts(self.own.len(), if self.features.len() < 1 << 16 { 1 } else { threads }, sum)
    }

    fn loss(&self, coefficients: &[f64], bias: &[f64], threads: usize) -> f64 {
        let losses = self.in_parts(threads, |part| {
            let mut logs = vec![0.0; self.n_classes];
            let mut loss = 0.0;
            for at in part {
                self.write_logs(at, coefficients, bias, &mut logs);
                loss -= self.weights[at] * logs[self.own[at] as usize];
            }
            loss
        });
        losses.iter().sum()
    }

    /// The gradient and the Hessian of the loss, coefficients first and then biases.
    fn derivatives(&self, coefficients: &[f64], bias: &[f64], threads: usize) -> (Vec<f64>, Vec<f64>) {
        let n = coefficients.len();
        let n_biases = self.n_biases();
        let size = n + n_biases;
        let found = self.in_parts(threads, |part| {
            let (mut gradient, mut curvature) = (vec![0.0; size], vec![0.0; size * size]);
            let mut logs = vec![0.0; self.n_classes];
            let mut mean = vec![0.0; size];
            // Rows whose products with themselves are the curvature; four at a time.
            let mut rows = vec![0.0; 4 * size];
            let mut filled = 0;
            for at in part {
                self.write_logs(at, coefficients, bias, &mut logs);
                let weight = self.weights[at];
                if self.n_classes == 2 {
                    // The log-odds are twice the score of the second class.
                    let second = logs[1].exp();
                    let excess = 2.0 * weight * (second - f64::from(self.own[at]));
                    let scale = 2.0 * (weight * second * logs[0].exp()).sqrt();
                    let row = self.row(at, 0, n);
                    add(&mut gradient[..n], excess, row);
                    gradient[n] += excess;
                    let target = &mut rows[filled * size..(filled + 1) * size];
                    target[..n].iter_mut().zip(row).for_each(|(target, value)| *target = scale * value);
                    target[n] = scale;
                    filled += 1;
                    if filled == 4 {
                        add_products(&rows, size, &mut curvature);
                        filled = 0;
                    }
                    continue;
                }
                mean.fill(0.0);
                for (class, log) in logs.iter().enumerate() {
                    let chance = log.exp();
                    add(&mut mean[..n], chance, self.row(at, class, n));
                    if n_biases > 0 {
                        mean[n + class] = chance;
                    }
                }
                let own = self.own[at] as usize;
                add(&mut gradient, weight, &mean);
                add(&mut gradient[..n], -weight, self.row(at, own, n));
                if n_biases > 0 {
                    gradient[n + own] -= weight;
                }
                for (class, log) in logs.iter().enumerate() {
                    let chance = log.exp();
                    if chance < SMALLEST {
                        continue;
                    }
                    let scale = (weight * chance).sqrt();
                    let target = &mut rows[filled * size..(filled + 1) * size];
                    target.iter_mut().zip(&mean).for_each(|(target, mean)| *target = -scale * mean);
                    add(&mut target[..n], scale, self.row(at, class, n));
                    if n_biases > 0 {
                        target[n + class] += scale;
                    }
                    filled += 1;
                    if filled == 4 {
                        add_products(&rows, size, &mut curvature);
                        filled = 0;
                    }
                }
            }
            rows[filled * size..].fill(0.0);
            add_products(&rows, size, &mut curvature);
            (gradient, curvature)
        });
        let (mut gradient, mut curvature) = (vec![0.0; size], vec![0.0; size * size]);
        for (slopes, curves) in &found {
            add(&mut gradient, 1.0, slopes);
            add(&mut curvature, 1.0, curves);
        }
        // Only the upper half was summed up.
        for i in 0..size {
            (0..i).for_each(|j| curvature[i * size + j] = curvature[j * size + i]);
        }
        (gradient, curvature)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (left, right) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        (0..4).for_each(|lane| lanes[lane] += a[lane] * b[lane]);
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}

fn add(sums: &mut [f64], times: f64, values: &[f64]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += times * value);
}

/// The solution of a symmetric, positive definite system, by Cholesky's method; None for one that is not.
fn solve(matrix: &mut [f64], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    let largest = (0..n).map(|i| matrix[i * n + i]).fold(1.0, f64::max);
    (0..n).for_each(|i| matrix[i * n + i] += 1e-9 * largest);
    for i in 0..n {
        for j in 0..=i {
            let sum = matrix[i * n + j] - dot(&matrix[i * n..i * n + j], &matrix[j * n..j * n + j]);
            if i > j {
                matrix[i * n + j] = sum / matrix[j * n + j];
            } else if sum > 0.0 {
                matrix[i * n + i] = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    let mut x = right.to_vec();
    for i in 0..n {
        x[i] = (x[i] - dot(&matrix[i * n..i * n + i], &x[..i])) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| matrix[j * n + i] * x[j]).sum();
        x[i] = (x[i] - sum) / matrix[i * n + i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        let x = solve(&mut [4.0, 2.0, 2.0, 3.0], &[2.0, 5.0]).expect("positive definite");
        assert!((x[0] + 0.5).abs() < 1e-6 && (x[1] - 2.0).abs() < 1e-6);
        assert_eq!(solve(&mut [1.0, 2.0, 2.0, 1.0], &[1.0, 1.0]), None);
    }

    #[test]
    fn the_biases_of_very_many_classes_stay_and_the_coefficients_do_not() {
        for n_classes in [MOST_BIASES, MOST_BIASES + 1] {
            let bias = vec![0.0; n_classes];
            let prior = Prior { mean: &[0.0], precision: &[1.0], bias: &bias, bias_precision: 1.0 };
            // Always the first class, which has the feature.
            let features = (0..20 * n_classes).map(|i| f64::from(u8::from(i % n_classes == 0))).collect();
            let regression = Regression::new(features, 1, vec![0; 20], vec![1.0; 20], n_classes);
            let (coefficients, biases) = regression.fit(&prior, 1);
            assert!(coefficients[0] > 1.0);
            assert_eq!(biases[0] > 0.0, n_classes == MOST_BIASES);
        }
    }

    #[test]
    fn nothing_to_learn_leaves_the_prior_and_much_moves_it() {
        let prior = Prior { mean: &[1.0], precision: &[1.0], bias: &[0.0; 3], bias_precision: 1.0 };
        let none = Regression::new(vec![0.0; 3], 1, vec![0], vec![0.0], 3);
        assert_eq!(none.fit(&prior, 1), (vec![1.0], vec![0.0; 3]));
        // A feature that always speaks for the wrong class.
        let features: Vec<f64> =
            (0..300).flat_map(|i| (0..3).map(move |c| f64::from(u8::from(c == (i + 1) % 3)))).collect();
        let wrong = Regression::new(features, 1, (0..300).map(|i| i % 3).collect(), vec![1.0; 300], 3);
        let (coefficients, _) = wrong.fit(&prior, 2);
        assert!(coefficients[0] < -3.0);
        assert_eq!(wrong.fit(&prior, 1).0, coefficients);
    }
}
