//! Penalised softmax regression by Newton's method: what the trust curves and calibrations are fitted with.
//!
//! One vector of coefficients serves all classes, since each class has features of its own in each row, and each class has a
//! bias, which counts as much as the row says. With two classes a row has the features of the second; the first has their
//! negatives. Scores may have offsets. Where there are many classes a row may list some of them only, its own first.
//!
//! It is done here and not by matrix products of NumPy: on a busy machine the threads of a BLAS wait for each other far
//! longer than they work, and their sums depend on their number. Here sums are taken over fixed parts of the rows.

use std::ops::Range;

use crate::processor::add_products;
use crate::threads::{each_on_a_thread, equal_parts, summed_in_parts};

/// A class with less probability than this has no part in the curvature.
const SMALLEST: f64 = 1e-6;
/// With more classes than this the curvature between their biases is left out of the steps, which grows with the square of
/// their number.
const MOST_TOGETHER: usize = if cfg!(test) { 60 } else { 600 };

/// What is known of the rows.
#[derive(Clone, Default)]
pub struct Rows {
    pub own: Vec<u32>,
    pub weights: Vec<f64>,
    /// By row and class, or listed class; none where all are 0.
    pub offsets: Vec<f64>,
    /// How much biases count in each row; none where they count whole.
    pub scales: Vec<f64>,
    /// By row the classes that it knows, its own first; none where it knows all.
    pub lists: Vec<u32>,
}

pub struct Regression {
    /// By row, scored class and feature.
    features: Vec<f64>,
    n_features: usize,
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

/// Gradient and Hessian of the loss: of the coefficients, of the biases, and of both.
struct Derivatives {
    n: usize,
    n_biases: usize,
    gradient: Vec<f64>,
    coefficients: Vec<f64>,
    /// By bias and coefficient.
    across: Vec<f64>,
    /// By pairs of biases, or with very many of them by bias alone.
    biases: Vec<f64>,
}

impl Regression {
    /// None where the arrays do not fit each other.
    pub fn new(features: Vec<f64>, n_features: usize, n_classes: usize, rows: Rows) -> Option<Self> {
        let n = rows.own.len();
        let width = if n == 0 || rows.lists.is_empty() { n_classes } else { rows.lists.len() / n };
        let regression = Regression { features, n_features, n_classes, rows };
        let rows = &regression.rows;
        let is_known = |class: &u32| (*class as usize) < n_classes;
        let starts_with_own =
            || (0..n).all(|at| rows.lists.is_empty() || rows.lists.get(at * width) == Some(&rows.own[at]));
        let fits = rows.weights.len() == n
            && (rows.offsets.is_empty() || rows.offsets.len() == n * width)
            && (rows.scales.is_empty() || rows.scales.len() == n)
            && (rows.lists.is_empty() || (n_classes > 2 && rows.lists.len() == n * width))
            && rows.own.iter().chain(&rows.lists).all(is_known)
            && starts_with_own()
            && regression.features.len() == n * regression.n_scored() * n_features;
        fits.then_some(regression)
    }

    pub fn n_rows(&self) -> usize {
        self.rows.own.len()
    }

    /// How many classes a row knows.
    fn n_known(&self) -> usize {
        if self.rows.lists.is_empty() { self.n_classes } else { self.rows.lists.len() / self.rows.own.len() }
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
    fn own(&self, at: usize) -> usize {
        if self.rows.lists.is_empty() { self.rows.own[at] as usize } else { 0 }
    }

    fn scale(&self, at: usize) -> f64 {
        self.rows.scales.get(at).copied().unwrap_or(1.0)
    }

    /// The first `n` features of a row in a scored class.
    fn row(&self, at: usize, place: usize, n: usize) -> &[f64] {
        &self.features[(at * self.n_scored() + place) * self.n_features..][..n]
    }

    /// The features joined to groups: each range of them becomes one, their sum weighted by `coefficients`.
    pub fn grouped(&self, ranges: &[Range<usize>], coefficients: &[f64]) -> Regression {
        let mut features = Vec::with_capacity(self.rows.own.len() * self.n_scored() * ranges.len());
        for row in self.features.chunks(self.n_features) {
            features.extend(ranges.iter().map(|range| dot(&row[range.clone()], &coefficients[range.clone()])));
        }
        Regression { features, n_features: ranges.len(), n_classes: self.n_classes, rows: self.rows.clone() }
    }

    /// The root of the mean square of each scored class's score, without offsets and biases.
    pub fn size(&self, coefficients: &[f64]) -> f64 {
        let n = coefficients.len();
        let square = |at: usize| {
            let squares = (0..self.n_scored()).map(|place| dot(self.row(at, place, n), coefficients).powi(2));
            self.rows.weights[at] * squares.sum::<f64>()
        };
        let total: f64 = self.rows.weights.iter().sum();
        let whole = total * self.n_scored() as f64;
        if whole > 0.0 { ((0..self.rows.own.len()).map(square).sum::<f64>() / whole).sqrt() } else { 0.0 }
    }

    /// The logarithm of the probability of each class that a row knows.
    pub fn log_probabilities(&self, at: &Fitted, threads: usize) -> Vec<f64> {
        let parts = equal_parts(self.rows.own.len(), threads);
        let logs = each_on_a_thread(&parts, |part| {
            let mut logs = vec![0.0; part.len() * self.n_known()];
            for (row, logs) in part.clone().zip(logs.chunks_mut(self.n_known())) {
                self.write_logs(row, at, logs);
            }
            logs
        });
        logs.concat()
    }

    fn write_logs(&self, at: usize, fitted: &Fitted, logs: &mut [f64]) {
        let Fitted { coefficients, biases } = fitted;
        let score = |place: usize| dot(self.row(at, place, coefficients.len()), coefficients);
        if self.n_classes == 2 {
            logs[1] = score(0);
            logs[0] = -logs[1];
        } else {
            logs.iter_mut().enumerate().for_each(|(place, log)| *log = score(place));
        }
        let (n, scale) = (logs.len(), self.scale(at));
        logs.iter_mut().enumerate().for_each(|(place, log)| *log += scale * biases[self.class(at, place)]);
        if let Some(offsets) = self.rows.offsets.get(at * n..(at + 1) * n) {
            logs.iter_mut().zip(offsets).for_each(|(log, offset)| *log += offset);
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|log| (log - largest).exp()).sum();
        let whole = largest + sum.ln();
        logs.iter_mut().for_each(|log| *log -= whole);
    }

    /// The coefficients and the biases with the least loss and penalty, and these.
    pub fn fit(&self, prior: &Prior, threads: usize) -> (Fitted, f64) {
        let penalty = Penalty::new(self, prior);
        let loss = |at: &Fitted| self.loss(at, threads) + penalty.value(at);
        let enough = 1e-7 * self.rows.weights.iter().sum::<f64>();
        let mut at = Fitted { coefficients: prior.mean.to_vec(), biases: prior.bias.to_vec() };
        let mut value = loss(&at);
        for _ in 0..60 {
            let mut local = self.derivatives(&at, threads);
            penalty.add(&at, &mut local);
            let Some(step) = local.solve(&local.gradient) else { break };
            let descent = dot(&local.gradient, &step);
            let (mut length, mut next, mut lower);
            length = 1.0;
            loop {
                next = self.moved(&at, &step, -length);
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
        (at, value)
    }

    /// What would have been fitted without the rows of each fold, by one Newton step from what was.
    pub fn without(&self, prior: &Prior, fitted: &Fitted, folds: &[u32], n_folds: u32, threads: usize) -> Vec<Fitted> {
        let each: Vec<Derivatives> = (0..n_folds)
            .map(|fold| {
                let rows: Vec<usize> = (0..folds.len()).filter(|&at| folds[at] == fold).collect();
                self.derivatives_of(&rows, fitted, threads)
            })
            .collect();
        let mut whole = Derivatives::new(prior.mean.len(), self.n_biases());
        each.iter().for_each(|fold| whole.add(1.0, fold));
        Penalty::new(self, prior).add(fitted, &mut whole);
        let step = |fold: &Derivatives| {
            let mut rest = Derivatives::new(whole.n, whole.n_biases);
            rest.add(1.0, &whole);
            rest.add(-1.0, fold);
            rest.solve(&fold.gradient)
        };
        each.iter()
            .map(|fold| step(fold).map_or_else(|| fitted.clone(), |step| self.moved(fitted, &step, 1.0)))
            .collect()
    }

    /// From a place so many times a step.
    fn moved(&self, from: &Fitted, step: &[f64], times: f64) -> Fitted {
        let (ours, of_biases) = step.split_at(from.coefficients.len());
        let by = |value: &f64, step: f64| value + times * step;
        let biases = match of_biases {
            [step] if self.n_classes == 2 => vec![by(&from.biases[0], -step), by(&from.biases[1], *step)],
            steps => from.biases.iter().zip(steps).map(|(bias, &step)| by(bias, step)).collect(),
        };
        let coefficients = from.coefficients.iter().zip(ours).map(|(value, &step)| by(value, step)).collect();
        Fitted { coefficients, biases }
    }

    /// Hands each part of some rows to `sum`, on up to so many threads; the results are in the order of the parts.
    fn in_parts<R: Send>(&self, n: usize, threads: usize, sum: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        summed_in_parts(n, if self.features.len() < 1 << 16 { 1 } else { threads }, sum)
    }

    fn loss(&self, fitted: &Fitted, threads: usize) -> f64 {
        let losses = self.in_parts(self.rows.own.len(), threads, |part| {
            let mut logs = vec![0.0; self.n_known()];
            let mut loss = 0.0;
            for at in part.filter(|&at| self.rows.weights[at] != 0.0) {
                self.write_logs(at, fitted, &mut logs);
                loss -= self.rows.weights[at] * logs[self.own(at)];
            }
            loss
        });
        losses.iter().sum()
    }

    fn derivatives(&self, fitted: &Fitted, threads: usize) -> Derivatives {
        self.derivatives_of(&(0..self.rows.own.len()).collect::<Vec<_>>(), fitted, threads)
    }

    /// The derivatives of the loss of some rows.
    fn derivatives_of(&self, rows: &[usize], fitted: &Fitted, threads: usize) -> Derivatives {
        let (n, n_biases) = (fitted.coefficients.len(), self.n_biases());
        let found = self.in_parts(rows.len(), threads, |part| {
            let mut sums = Derivatives::new(n, n_biases);
            let mut scratch =
                Scratch { logs: vec![0.0; self.n_known()], mean: vec![0.0; n], products: Products::new(n) };
            for &at in rows[part].iter().filter(|&&at| self.rows.weights[at] != 0.0) {
                self.write_logs(at, fitted, &mut scratch.logs);
                if self.n_classes == 2 {
                    self.add_two(at, &mut scratch, &mut sums);
                } else {
                    self.add_more(at, &mut scratch, &mut sums);
                }
            }
            scratch.products.flush(&mut sums.coefficients);
            sums
        });
        let mut whole = Derivatives::new(n, n_biases);
        found.iter().for_each(|part| whole.add(1.0, part));
        // Only the upper half was summed up.
        for i in 0..n {
            (0..i).for_each(|j| whole.coefficients[i * n + j] = whole.coefficients[j * n + i]);
        }
        whole
    }

    fn add_two(&self, at: usize, scratch: &mut Scratch, sums: &mut Derivatives) {
        let n = sums.n;
        // The log-odds are twice the score of the second class.
        let (weight, share, second) = (self.rows.weights[at], self.scale(at), scratch.logs[1].exp());
        let excess = 2.0 * weight * (second - f64::from(self.rows.own[at]));
        let scale = 2.0 * (weight * second * scratch.logs[0].exp()).sqrt();
        let row = self.row(at, 0, n);
        add(&mut sums.gradient[..n], excess, row);
        sums.gradient[n] += share * excess;
        add(&mut sums.across, share * scale * scale, row);
        sums.biases[0] += (share * scale).powi(2);
        scratch.products.push(row.iter().map(|value| scale * value), &mut sums.coefficients);
    }

    fn add_more(&self, at: usize, scratch: &mut Scratch, sums: &mut Derivatives) {
        let n = sums.n;
        let Scratch { logs, mean, products } = scratch;
        let (weight, share, own) = (self.rows.weights[at], self.scale(at), self.own(at));
        logs.iter_mut().for_each(|log| *log = log.exp());
        let chances = &logs[..];
        mean.fill(0.0);
        for (place, &chance) in chances.iter().enumerate() {
            add(mean, chance, self.row(at, place, n));
        }
        add(&mut sums.gradient[..n], weight, mean);
        add(&mut sums.gradient[..n], -weight, self.row(at, own, n));
        sums.gradient[n + self.class(at, own)] -= weight * share;
        for (place, &chance) in chances.iter().enumerate() {
            let class = self.class(at, place);
            sums.gradient[n + class] += weight * share * chance;
            if chance < SMALLEST {
                continue;
            }
            let row = self.row(at, place, n);
            let scale = (weight * chance).sqrt();
            products.push(row.iter().zip(&*mean).map(|(value, mean)| scale * (value - mean)), &mut sums.coefficients);
            let across = &mut sums.across[class * n..(class + 1) * n];
            let by = weight * share * chance;
            across.iter_mut().zip(row.iter().zip(&*mean)).for_each(|(sum, (value, mean))| *sum += by * (value - mean));
            let square = weight * share * share * chance;
            if sums.is_together() {
                sums.biases[class * sums.n_biases + class] += square;
                for (other, &chance) in chances.iter().enumerate() {
                    sums.biases[class * sums.n_biases + self.class(at, other)] -= square * chance;
                }
            } else {
                sums.biases[class] += square;
            }
        }
    }
}

/// What adding up needs of memory.
struct Scratch {
    logs: Vec<f64>,
    mean: Vec<f64>,
    products: Products,
}

/// Rows whose products with themselves are a matrix; four at a time.
struct Products {
    rows: Vec<f64>,
    size: usize,
    filled: usize,
}

impl Products {
    fn new(size: usize) -> Self {
        Products { rows: vec![0.0; 4 * size], size, filled: 0 }
    }

    #[inline(always)]
    fn push(&mut self, row: impl Iterator<Item = f64>, matrix: &mut [f64]) {
        let target = &mut self.rows[self.filled * self.size..(self.filled + 1) * self.size];
        target.iter_mut().zip(row).for_each(|(target, value)| *target = value);
        self.filled += 1;
        if self.filled == 4 {
            self.flush(matrix);
        }
    }

    fn flush(&mut self, matrix: &mut [f64]) {
        self.rows[self.filled * self.size..].fill(0.0);
        self.filled = 0;
        if self.size > 0 {
            add_products(&self.rows, self.size, matrix);
        }
    }
}

/// The penalty of a prior.
struct Penalty<'a> {
    prior: &'a Prior<'a>,
    is_two: bool,
}

impl<'a> Penalty<'a> {
    fn new(regression: &Regression, prior: &'a Prior<'a>) -> Self {
        Penalty { prior, is_two: regression.n_classes == 2 }
    }

    fn away(&self, at: &Fitted) -> Vec<f64> {
        at.coefficients.iter().zip(self.prior.mean).map(|(at, mean)| at - mean).collect()
    }

    fn pull(&self, away: &[f64]) -> Vec<f64> {
        self.prior.precision.chunks(away.len().max(1)).map(|row| dot(row, away)).collect()
    }

    fn value(&self, at: &Fitted) -> f64 {
        let away = self.away(at);
        let biases = at.biases.iter().zip(self.prior.bias).map(|(at, mean)| (at - mean).powi(2));
        0.5 * (dot(&away, &self.pull(&away)) + self.prior.bias_precision * biases.sum::<f64>())
    }

    fn add(&self, at: &Fitted, to: &mut Derivatives) {
        let n = to.n;
        add(&mut to.gradient[..n], 1.0, &self.pull(&self.away(at)));
        add(&mut to.coefficients, 1.0, self.prior.precision);
        // With two classes the biases are one number with both their penalties.
        let precision = self.prior.bias_precision * if self.is_two { 2.0 } else { 1.0 };
        let first = at.biases.len() - to.n_biases;
        for place in 0..to.n_biases {
            to.gradient[n + place] += precision * (at.biases[first + place] - self.prior.bias[first + place]);
            let step = if to.is_together() { to.n_biases + 1 } else { 1 };
            to.biases[place * step] += precision;
        }
    }
}

impl Derivatives {
    fn new(n: usize, n_biases: usize) -> Self {
        let together = if n_biases <= MOST_TOGETHER { n_biases * n_biases } else { n_biases };
        Derivatives {
            n,
            n_biases,
            gradient: vec![0.0; n + n_biases],
            coefficients: vec![0.0; n * n],
            across: vec![0.0; n_biases * n],
            biases: vec![0.0; together],
        }
    }

    /// Whether there is a curvature between biases.
    fn is_together(&self) -> bool {
        self.n_biases <= MOST_TOGETHER
    }

    fn add(&mut self, times: f64, other: &Derivatives) {
        add(&mut self.gradient, times, &other.gradient);
        add(&mut self.coefficients, times, &other.coefficients);
        add(&mut self.across, times, &other.across);
        add(&mut self.biases, times, &other.biases);
    }

    /// The Newton step for a gradient.
    fn solve(&self, gradient: &[f64]) -> Option<Vec<f64>> {
        let (n, m) = (self.n, self.n_biases);
        if self.is_together() {
            let size = n + m;
            let mut matrix = vec![0.0; size * size];
            for i in 0..n {
                matrix[i * size..i * size + n].copy_from_slice(&self.coefficients[i * n..(i + 1) * n]);
            }
            for i in 0..m {
                let row = &mut matrix[(n + i) * size..(n + i + 1) * size];
                row[..n].copy_from_slice(&self.across[i * n..(i + 1) * n]);
                row[n..].copy_from_slice(&self.biases[i * m..(i + 1) * m]);
            }
            return solve(&mut matrix, gradient);
        }
        // The biases by themselves are solved by division: what is left is a system of the coefficients.
        let mut matrix = self.coefficients.clone();
        let mut right = gradient[..n].to_vec();
        for (i, across) in self.across.chunks(n.max(1)).enumerate() {
            for (row, &by) in matrix.chunks_mut(n).zip(across) {
                add(row, -by / self.biases[i], across);
            }
            add(&mut right, -gradient[n + i] / self.biases[i], across);
        }
        let mut step = solve(&mut matrix, &right)?;
        for i in 0..m {
            let across = &self.across[i * n..(i + 1) * n];
            step.push((gradient[n + i] - dot(across, &step[..n])) / self.biases[i]);
        }
        Some(step)
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

/// The solution of a symmetric, positive definite system, by Cholesky's method; None for one that is not. The lower half is read.
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
mod tests;
