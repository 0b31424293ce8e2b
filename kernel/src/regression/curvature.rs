//! The Hessian of the loss, and its Cholesky factor.

use super::{Fitted, Regression, Row, add, dot};
use crate::processor::{add_products, vectorised};

/// A class with less probability than this has no part in the curvature, nor in the time that it takes.
const LIKELY: f64 = 1e-3;
/// With more classes than this the curvature between their biases is left out of the steps, which grows with the square of
/// their number.
pub(super) const MOST_TOGETHER: usize = if cfg!(test) { 60 } else { 600 };

/// The Hessian of the coefficients, of the biases, and of both.
#[derive(Clone)]
pub(super) struct Curvature {
    n: usize,
    n_biases: usize,
    coefficients: Vec<f64>,
    /// By bias and coefficient.
    across: Vec<f64>,
    /// By pairs of biases, or with very many of them by bias alone.
    biases: Vec<f64>,
}

/// The Cholesky factor of a curvature, with which steps are found.
pub(super) struct Factor {
    n_biases: usize,
    matrix: Vec<f64>,
    /// With very many biases the factor is that of the coefficients, with the biases solved out: these.
    across: Vec<f64>,
    biases: Vec<f64>,
}

impl Regression {
    /// The curvature of the loss of some rows, by about `most` of them where there are more.
    pub(super) fn curvature_of_some(&self, rows: &[usize], fitted: &Fitted, most: usize, threads: usize) -> Curvature {
        let taken: Vec<usize> = rows.iter().copied().step_by((rows.len() / most.max(1)).max(1)).collect();
        let mut curvature = self.curvature_of(&taken, fitted, threads);
        let whole = self.weight(&taken);
        if whole > 0.0 && taken.len() < rows.len() {
            curvature.scale(self.weight(rows) / whole);
        }
        curvature
    }

    /// The curvature of the loss of some rows.
    fn curvature_of(&self, rows: &[usize], fitted: &Fitted, threads: usize) -> Curvature {
        let (n, n_biases) = (fitted.coefficients.len(), self.n_biases());
        let parts = self.in_parts(rows.len(), threads, |part| {
            let mut sums = Curvature::new(n, n_biases);
            let mut scratch =
                Scratch { logs: vec![0.0; self.n_known()], mean: vec![0.0; n], products: Products::new(n) };
            let mut memory = vec![];
            vectorised(
                #[inline(always)]
                || {
                    for &at in rows[part].iter().filter(|&&at| self.rows.weights[at] != 0.0) {
                        let row = self.row(at, &mut memory);
                        self.write_logs(at, row, fitted, &mut scratch.logs);
                        if self.n_classes == 2 {
                            self.add_two(at, row, &mut scratch, &mut sums);
                        } else {
                            self.add_more(at, row, &mut scratch, &mut sums);
                        }
                    }
                },
            );
            scratch.products.flush(&mut sums.coefficients);
            sums
        });
        let mut whole = Curvature::new(n, n_biases);
        parts.iter().for_each(|part| whole.add(1.0, part));
        // Only the upper half was summed up.
        for i in 0..n {
            (0..i).for_each(|j| whole.coefficients[i * n + j] = whole.coefficients[j * n + i]);
        }
        whole
    }

    #[inline(always)]
    fn add_two(&self, at: usize, row: Row, scratch: &mut Scratch, sums: &mut Curvature) {
        // The log-odds are twice the score of the second class.
        let chance = (scratch.logs[0] + scratch.logs[1]).exp();
        if chance < LIKELY * (1.0 - LIKELY) {
            return;
        }
        let (share, square) = (self.scale(at), 4.0 * self.rows.weights[at] * chance);
        let (row, scale) = (row.of(0, sums.n), square.sqrt());
        add(&mut sums.across, share * square, row);
        sums.biases[0] += share * share * square;
        scratch.products.push(row.iter().map(|value| scale * value), &mut sums.coefficients);
    }

    #[inline(always)]
    fn add_more(&self, at: usize, all: Row, scratch: &mut Scratch, sums: &mut Curvature) {
        let n = sums.n;
        let Scratch { logs, mean, products } = scratch;
        let (weight, share) = (self.rows.weights[at], self.scale(at));
        // As if the unlikely classes were not there: what is left is a curvature too.
        let likely = |log: &f64| if *log < LIKELY.ln() { 0.0 } else { log.exp() };
        logs.iter_mut().for_each(|log| *log = likely(log));
        let whole: f64 = logs.iter().sum();
        if logs.iter().filter(|chance| **chance > 0.0).count() < 2 {
            return;
        }
        logs.iter_mut().for_each(|chance| *chance /= whole);
        let chances =
            || logs.iter().enumerate().filter(|(_, chance)| **chance > 0.0).map(|(place, &chance)| (place, chance));
        mean.fill(0.0);
        chances().for_each(|(place, chance)| add(mean, chance, all.of(place, n)));
        for (place, chance) in chances() {
            let (row, class, scale) = (all.of(place, n), self.class(at, place), (weight * chance).sqrt());
            products.push(row.iter().zip(&*mean).map(|(value, mean)| scale * (value - mean)), &mut sums.coefficients);
            let across = &mut sums.across[class * n..(class + 1) * n];
            let by = weight * share * chance;
            across.iter_mut().zip(row.iter().zip(&*mean)).for_each(|(sum, (value, mean))| *sum += by * (value - mean));
            let square = by * share;
            if sums.is_together() {
                sums.biases[class * sums.n_biases + class] += square;
                for (other, chance) in chances() {
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

impl Curvature {
    pub(super) fn new(n: usize, n_biases: usize) -> Self {
        let together = if n_biases <= MOST_TOGETHER { n_biases * n_biases } else { n_biases };
        Curvature {
            n,
            n_biases,
            coefficients: vec![0.0; n * n],
            across: vec![0.0; n_biases * n],
            biases: vec![0.0; together],
        }
    }

    /// Whether there is a curvature between biases.
    fn is_together(&self) -> bool {
        self.n_biases <= MOST_TOGETHER
    }

    pub(super) fn add(&mut self, times: f64, other: &Curvature) {
        add(&mut self.coefficients, times, &other.coefficients);
        add(&mut self.across, times, &other.across);
        add(&mut self.biases, times, &other.biases);
    }

    fn scale(&mut self, times: f64) {
        let numbers = [&mut self.coefficients, &mut self.across, &mut self.biases];
        numbers.into_iter().flatten().for_each(|number| *number *= times);
    }

    pub(super) fn add_precision(&mut self, coefficients: &[f64], biases: f64) {
        add(&mut self.coefficients, 1.0, coefficients);
        let step = if self.is_together() { self.n_biases + 1 } else { 1 };
        self.biases.iter_mut().step_by(step).for_each(|bias| *bias += biases);
    }

    /// None where it is not positive definite.
    pub(super) fn factor(&self) -> Option<Factor> {
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
            factor(&mut matrix, size)?;
            return Some(Factor { n_biases: 0, matrix, across: vec![], biases: vec![] });
        }
        // The biases by themselves are solved by division: what is left is a system of the coefficients.
        let mut matrix = self.coefficients.clone();
        for (across, bias) in self.across.chunks(n.max(1)).zip(&self.biases) {
            for (row, &by) in matrix.chunks_mut(n).zip(across) {
                add(row, -by / bias, across);
            }
        }
        factor(&mut matrix, n)?;
        Some(Factor { n_biases: m, matrix, across: self.across.clone(), biases: self.biases.clone() })
    }
}

impl Factor {
    /// The Newton step for a gradient.
    pub(super) fn solve(&self, gradient: &[f64]) -> Vec<f64> {
        let n = gradient.len() - self.n_biases;
        let mut right = gradient[..n].to_vec();
        let biases = || self.across.chunks(n.max(1)).zip(&self.biases).zip(&gradient[n..]);
        biases().for_each(|((across, bias), slope)| add(&mut right, -slope / bias, across));
        let mut step = solve(&self.matrix, &right);
        for ((across, bias), slope) in biases() {
            step.push((slope - dot(across, &step[..n])) / bias);
        }
        step
    }
}

/// Turns the lower half of a symmetric matrix into its Cholesky factor; None where it is not positive definite.
pub(super) fn factor(matrix: &mut [f64], n: usize) -> Option<()> {
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
    Some(())
}

/// The solution of the system whose Cholesky factor this is.
pub(super) fn solve(factor: &[f64], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let mut x = right.to_vec();
    for i in 0..n {
        x[i] = (x[i] - dot(&factor[i * n..i * n + i], &x[..i])) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|j| factor[j * n + i] * x[j]).sum();
        x[i] = (x[i] - sum) / factor[i * n + i];
    }
    x
}
