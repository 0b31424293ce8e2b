//! Penalised softmax regression by Newton's method: what the trust curves and calibrations are fitted with.
//!
//! One vector of coefficients serves all classes, since each class has features of its own in each document, and each
//! class has a bias. With two classes a document has the features of the second; the first has their negatives.
//!
//! It is done here and not by matrix products of NumPy: on a busy machine the threads of a BLAS wait for each other far
//! longer than they work, and their sums depend on their number. Here sums are taken over fixed parts of the documents.

use std::ops::Range;

use crate::processor::add_products;
use crate::threads::{each_on_a_thread, equal_parts, summed_in_parts};

/// A class with less probability than this has no part in the curvature.
const SMALLEST: f64 = 1e-6;
/// With more classes than this their biases stay where the prior has them: there are few documents for each, and the
/// curvature grows with the square of their number.
const MOST_BIASES: usize = 50;

/// A fit ends where a step lowers the loss by less than this for each unit of the documents' weight.
const ENOUGH: f64 = 1e-7;
const MOST_STEPS: usize = 60;
/// The shortest part of a step that is tried.
const SHORTEST: f64 = 1e-5;

pub struct Regression {
    /// By document, scored class and feature.
    features: Vec<f64>,
    n_features: usize,
    classes: Vec<u32>,
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
    pub fn new(features: Vec<f64>, n_features: usize, classes: Vec<u32>, weights: Vec<f64>, n_classes: usize) -> Self {
        let regression = Regression { features, n_features, classes, weights, n_classes };
        assert_eq!(regression.features.len(), regression.classes.len() * regression.n_scored() * n_features);
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
        let mut features = Vec::with_capacity(self.classes.len() * self.n_scored() * ranges.len());
        for row in self.features.chunks(self.n_features) {
            features.extend(ranges.iter().map(|range| dot(&row[range.clone()], &coefficients[range.clone()])));
        }
        Regression::new(features, ranges.len(), self.classes.clone(), self.weights.clone(), self.n_classes)
    }

    /// The root of the mean square of each scored class's score.
    pub fn size(&self, coefficients: &[f64]) -> f64 {
        let n = coefficients.len();
        let square = |document: usize| {
            let squares = (0..self.n_scored()).map(|place| dot(self.row(document, place, n), coefficients).powi(2));
            self.weights[document] * squares.sum::<f64>()
        };
        let total: f64 = self.weights.iter().sum();
        ((0..self.classes.len()).map(square).sum::<f64>() / (total * self.n_scored() as f64).max(1.0)).sqrt()
    }

    /// The logarithm of each class's probability for each document.
    pub fn log_probabilities(&self, coefficients: &[f64], bias: &[f64], threads: usize) -> Vec<f64> {
        let parts = equal_parts(self.classes.len(), threads);
        let logs = each_on_a_thread(&parts, |part| {
            let mut logs = vec![0.0; part.len() * self.n_classes];
            for (document, logs) in part.clone().zip(logs.chunks_mut(self.n_classes)) {
                self.write_logs(document, coefficients, bias, logs);
            }
            logs
        });
        logs.concat()
    }

    fn write_logs(&self, document: usize, coefficients: &[f64], bias: &[f64], logs: &mut [f64]) {
        let score = |place: usize| dot(self.row(document, place, coefficients.len()), coefficients);
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

    /// The coefficients and the biases with the least loss and penalty, by Newton's method with a line search.
    pub fn fit(&self, prior: &Prior, threads: usize) -> (Vec<f64>, Vec<f64>) {
        let penalty = Penalty::new(prior, self.n_classes, self.n_biases());
        let n = prior.mean.len();
        let biases = |point: &[f64]| match self.n_biases() {
            0 => prior.bias.to_vec(),
            1 => vec![-point[n], point[n]],
            _ => point[n..].to_vec(),
        };
        let loss = |point: &[f64]| self.loss(&point[..n], &biases(point), threads) + penalty.loss(point);
        let enough = ENOUGH * self.weights.iter().sum::<f64>();
        let mut point = penalty.centre.clone();
        let mut value = loss(&point);
        for _ in 0..MOST_STEPS {
            let (mut gradient, mut curvature) = self.derivatives(&point[..n], &biases(&point), threads);
            add(&mut gradient, 1.0, &penalty.gradient(&point));
            add(&mut curvature, 1.0, &penalty.precision);
            let Some(step) = solve(&mut curvature, &gradient) else { break };
            let (next, lower) = line_search(loss, &point, value, &step, dot(&gradient, &step));
            let gain = value - lower;
            if gain > 0.0 {
                (point, value) = (next, lower);
            }
            if gain.is_nan() || gain <= enough {
                break;
            }
        }
        let biases = biases(&point);
        point.truncate(n);
        (point, biases)
    }

    /// Hands each part of the documents to `sum`, on up to so many threads; the results are in the order of the parts.
    fn in_parts<R: Send>(&self, threads: usize, sum: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        summed_in_parts(self.classes.len(), if self.features.len() < 1 << 16 { 1 } else { threads }, sum)
    }

    fn loss(&self, coefficients: &[f64], bias: &[f64], threads: usize) -> f64 {
        let losses = self.in_parts(threads, |part| {
            let mut logs = vec![0.0; self.n_classes];
            let mut loss = 0.0;
            for document in part {
                self.write_logs(document, coefficients, bias, &mut logs);
                loss -= self.weights[document] * logs[self.classes[document] as usize];
            }
            loss
        });
        losses.iter().sum()
    }

    /// The gradient and the Hessian of the loss, coefficients first and then biases.
    fn derivatives(&self, coefficients: &[f64], bias: &[f64], threads: usize) -> (Vec<f64>, Vec<f64>) {
        let parts = self.in_parts(threads, |part| {
            let mut sums = Derivatives::new(coefficients.len(), self.n_biases());
            let mut logs = vec![0.0; self.n_classes];
            for document in part {
                self.write_logs(document, coefficients, bias, &mut logs);
                if self.n_classes == 2 {
                    self.add_binary(document, &logs, &mut sums);
                } else {
                    self.add_softmax(document, &logs, &mut sums);
                }
            }
            sums.curvature.finish();
            sums
        });
        let mut total = Derivatives::new(coefficients.len(), self.n_biases());
        for part in &parts {
            add(&mut total.gradient, 1.0, &part.gradient);
            add(&mut total.curvature.sums, 1.0, &part.curvature.sums);
        }
        (total.gradient, total.curvature.symmetric())
    }

    /// A document of two classes: logistic regression, in which the log-odds are twice the score of the second class.
    fn add_binary(&self, document: usize, logs: &[f64], sums: &mut Derivatives) {
        let (weight, second) = (self.weights[document], logs[1].exp());
        let n = sums.n_coefficients;
        let row = self.row(document, 0, n);
        let excess = 2.0 * weight * (second - f64::from(self.classes[document]));
        add(&mut sums.gradient[..n], excess, row);
        sums.gradient[n] += excess;
        let scale = 2.0 * (weight * second * logs[0].exp()).sqrt();
        sums.curvature.push(|target| {
            target[..n].iter_mut().zip(row).for_each(|(target, value)| *target = scale * value);
            target[n] = scale;
        });
    }

    /// A document of more classes: the features of each class, around their mean under the model.
    fn add_softmax(&self, document: usize, logs: &[f64], sums: &mut Derivatives) {
        let (n, has_biases) = (sums.n_coefficients, self.n_biases() > 0);
        let (weight, class) = (self.weights[document], self.classes[document] as usize);
        let Derivatives { gradient, mean, curvature, .. } = sums;
        mean.fill(0.0);
        for (class, log) in logs.iter().enumerate() {
            let chance = log.exp();
            add(&mut mean[..n], chance, self.row(document, class, n));
            if has_biases {
                mean[n + class] = chance;
            }
        }
        add(gradient, weight, mean);
        add(&mut gradient[..n], -weight, self.row(document, class, n));
        if has_biases {
            gradient[n + class] -= weight;
        }
        for (class, log) in logs.iter().enumerate() {
            let chance = log.exp();
            if chance < SMALLEST {
                continue;
            }
            let scale = (weight * chance).sqrt();
            curvature.push(|target| {
                target.iter_mut().zip(&*mean).for_each(|(target, mean)| *target = -scale * mean);
                add(&mut target[..n], scale, self.row(document, class, n));
                if has_biases {
                    target[n + class] += scale;
                }
            });
        }
    }
}

/// A quadratic penalty on coefficients and free biases.
struct Penalty {
    /// Where it is zero.
    centre: Vec<f64>,
    /// By pairs of coefficients and biases.
    precision: Vec<f64>,
}

impl Penalty {
    fn new(prior: &Prior, n_classes: usize, n_biases: usize) -> Self {
        let n = prior.mean.len();
        // With two classes the biases are one number with both their penalties.
        let bias_precision = prior.bias_precision * if n_classes == 2 { 2.0 } else { 1.0 };
        let free = &prior.bias[n_classes - n_biases..];
        let centre: Vec<f64> = prior.mean.iter().chain(free).copied().collect();
        let size = centre.len();
        let mut precision = vec![0.0; size * size];
        for i in 0..size {
            if i < n {
                precision[i * size..i * size + n].copy_from_slice(&prior.precision[i * n..(i + 1) * n]);
            } else {
                precision[i * size + i] = bias_precision;
            }
        }
        Penalty { centre, precision }
    }

    fn gradient(&self, point: &[f64]) -> Vec<f64> {
        let away = self.away(point);
        self.precision.chunks(away.len()).map(|row| dot(row, &away)).collect()
    }

    fn loss(&self, point: &[f64]) -> f64 {
        0.5 * dot(&self.away(point), &self.gradient(point))
    }

    fn away(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.centre).map(|(value, centre)| value - centre).collect()
    }
}

/// The first of ever shorter steps back from `point` that lowers the loss by a fair part of what its slope promises
/// (Armijo's rule), and the loss there.
fn line_search(loss: impl Fn(&[f64]) -> f64, point: &[f64], value: f64, step: &[f64], descent: f64) -> (Vec<f64>, f64) {
    let mut length = 1.0;
    loop {
        let next: Vec<f64> = point.iter().zip(step).map(|(value, step)| value - length * step).collect();
        let lower = loss(&next);
        if lower <= value - 1e-4 * length * descent || length < SHORTEST {
            return (next, lower);
        }
        length /= 2.0;
    }
}

/// Sums over some documents of what the loss changes by.
struct Derivatives {
    n_coefficients: usize,
    gradient: Vec<f64>,
    /// What the features of a document's classes are on average, for a document at a time.
    mean: Vec<f64>,
    curvature: Products,
}

impl Derivatives {
    fn new(n_coefficients: usize, n_biases: usize) -> Self {
        let size = n_coefficients + n_biases;
        Derivatives { n_coefficients, gradient: vec![0.0; size], mean: vec![0.0; size], curvature: Products::new(size) }
    }
}

/// The sum of the products of rows with themselves, four rows at a time.
struct Products {
    size: usize,
    rows: Vec<f64>,
    n_rows: usize,
    /// The upper half of the matrix; nothing is written below its diagonal.
    sums: Vec<f64>,
}

impl Products {
    fn new(size: usize) -> Self {
        Products { size, rows: vec![0.0; 4 * size], n_rows: 0, sums: vec![0.0; size * size] }
    }

    /// Adds the row that `write` makes; whatever was there before is still in it.
    #[inline(always)]
    fn push(&mut self, write: impl FnOnce(&mut [f64])) {
        write(&mut self.rows[self.n_rows * self.size..(self.n_rows + 1) * self.size]);
        self.n_rows += 1;
        if self.n_rows == 4 {
            add_products(&self.rows, self.size, &mut self.sums);
            self.n_rows = 0;
        }
    }

    /// Adds the rows that are still waiting for others.
    fn finish(&mut self) {
        self.rows[self.n_rows * self.size..].fill(0.0);
        add_products(&self.rows, self.size, &mut self.sums);
    }

    /// The whole matrix.
    fn symmetric(mut self) -> Vec<f64> {
        for i in 0..self.size {
            (0..i).for_each(|j| self.sums[i * self.size + j] = self.sums[j * self.size + i]);
        }
        self.sums
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
