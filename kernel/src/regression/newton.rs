//! Newton's method: the fit, and what it would have been without some rows.

use super::curvature::{Curvature, Factor};
use super::{Fitted, Prior, Regression, Row, add, dot};
use crate::processor::vectorised;

/// A step that gains less for each row is the last.
const ENOUGH: f64 = 1e-6;
/// The curvature is that of so many of the rows where there are more, taken at equal distances: it only says where to look next.
const ROWS: usize = 2048;
/// The same where the curvature is all that a step without some rows is found by: on six sets the log loss of reports moved by less
/// than .001.
const ROWS_WITHOUT: usize = 4096;
/// Steps with one curvature, and curvatures, at the most.
const STEPS: usize = 20;
const CURVATURES: usize = 10;

/// Loss and gradient.
struct Slope {
    loss: f64,
    /// Of the coefficients, then of the biases.
    gradient: Vec<f64>,
}

impl Regression {
    /// The coefficients and the biases with the least loss and penalty, and these.
    ///
    /// A curvature takes as long as dozens of gradients. So one is worked out where the way begins, by some of the rows, and what
    /// changes along it is learned from the gradients themselves (BFGS); only a long way needs another.
    pub fn fit(&self, prior: &Prior, threads: usize) -> (Fitted, f64) {
        let penalty = Penalty::new(self, prior);
        let all: Vec<usize> = (0..self.rows.class_ids.len()).collect();
        let slope = |at: &Fitted| {
            let mut slope = self.slope_of(&all, at, threads);
            penalty.add_slope(at, &mut slope);
            slope
        };
        let enough = ENOUGH * self.weight(&all);
        let mut at = Fitted { coefficients: prior.mean.to_vec(), biases: prior.bias.to_vec() };
        let mut here = slope(&at);
        for _ in 0..CURVATURES {
            let mut curvature = self.curvature_of_some(&all, &at, ROWS, threads);
            penalty.add_curvature(&mut curvature);
            let Some(factor) = curvature.factor() else { break };
            let mut way = Way { factor, steps: vec![] };
            for _ in 0..STEPS {
                let step = way.step(&here.gradient);
                let descent = dot(&here.gradient, &step);
                if descent <= enough {
                    return (at, here.loss);
                }
                let (mut length, mut next, mut there);
                length = 1.0;
                loop {
                    next = self.moved(&at, &step, -length);
                    there = slope(&next);
                    if there.loss <= here.loss - 1e-4 * length * descent || length < 1e-5 {
                        break;
                    }
                    length /= 2.0;
                }
                let gain = here.loss - there.loss;
                if gain > 0.0 {
                    way.learn(step.iter().map(|step| -length * step), &here.gradient, &there.gradient);
                    (at, here) = (next, there);
                }
                if gain.is_nan() || gain <= 0.0 {
                    return (at, here.loss);
                }
            }
        }
        (at, here.loss)
    }

    /// What would have been fitted without the rows of each fold, by one Newton step from what was.
    pub fn without(&self, prior: &Prior, fitted: &Fitted, folds: &[u32], n_folds: u32, threads: usize) -> Vec<Fitted> {
        let each: Vec<(Slope, Curvature)> = (0..n_folds)
            .map(|fold| {
                let rows: Vec<usize> = (0..folds.len()).filter(|&at| folds[at] == fold).collect();
                let most = ROWS_WITHOUT / n_folds.max(1) as usize;
                (self.slope_of(&rows, fitted, threads), self.curvature_of_some(&rows, fitted, most, threads))
            })
            .collect();
        let mut whole = Curvature::new(prior.mean.len(), self.n_biases());
        each.iter().for_each(|(_, fold)| whole.add(1.0, fold));
        Penalty::new(self, prior).add_curvature(&mut whole);
        let step = |(slope, curvature): &(Slope, Curvature)| {
            let mut rest = whole.clone();
            rest.add(-1.0, curvature);
            Some(rest.factor()?.solve(&slope.gradient))
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

    /// The weight of some rows.
    pub(super) fn weight(&self, rows: &[usize]) -> f64 {
        rows.iter().map(|&at| self.rows.weights[at]).sum()
    }

    /// Loss and gradient of some rows.
    fn slope_of(&self, rows: &[usize], fitted: &Fitted, threads: usize) -> Slope {
        let n = fitted.coefficients.len();
        let new = || Slope { loss: 0.0, gradient: vec![0.0; n + self.n_biases()] };
        let parts = self.in_parts(rows.len(), threads, |part| {
            let (mut logs, mut sums, mut memory) = (vec![0.0; self.n_known()], new(), vec![]);
            vectorised(
                #[inline(always)]
                || {
                    for &at in rows[part].iter().filter(|&&at| self.rows.weights[at] != 0.0) {
                        let row = self.row(at, &mut memory);
                        self.write_logs(at, row, fitted, &mut logs);
                        sums.loss -= self.rows.weights[at] * logs[self.own_place(at)];
                        self.add_gradient(at, row, &mut logs, n, &mut sums.gradient);
                    }
                },
            );
            sums
        });
        let mut whole = new();
        for part in parts {
            whole.loss += part.loss;
            add(&mut whole.gradient, 1.0, &part.gradient);
        }
        whole
    }

    /// Adds the gradient of a row, whose log probabilities are lost.
    #[inline(always)]
    fn add_gradient(&self, at: usize, row: Row, logs: &mut [f64], n: usize, gradient: &mut [f64]) {
        let (weight, share, own_place) = (self.rows.weights[at], self.scale(at), self.own_place(at));
        if self.n_classes == 2 {
            // The log-odds are twice the score of the second class.
            let excess = 2.0 * weight * (logs[1].exp() - f64::from(self.rows.class_ids[at]));
            add(&mut gradient[..n], excess, row.of(0, n));
            gradient[n] += share * excess;
            return;
        }
        let (coefficients, biases) = gradient.split_at_mut(n);
        for (place, log) in logs.iter_mut().enumerate() {
            *log = weight * (log.exp() - f64::from(u8::from(place == own_place)));
            biases[self.class(at, place)] += share * *log;
        }
        // Eight coefficients after the other, each of all classes: their sums are read and written once.
        let excesses = &*logs;
        let (eights, rest) = coefficients.as_chunks_mut::<8>();
        let first = 8 * eights.len();
        for (number, sums) in eights.iter_mut().enumerate() {
            let mut lanes = *sums;
            for (place, excess) in excesses.iter().enumerate() {
                let values = &row.of(place, n)[8 * number..8 * number + 8];
                for lane in 0..8 {
                    lanes[lane] += excess * values[lane];
                }
            }
            *sums = lanes;
        }
        for (place, excess) in excesses.iter().enumerate() {
            add(rest, *excess, &row.of(place, n)[first..]);
        }
    }
}

/// A curvature at the start, and what the steps since then have said of it.
struct Way {
    factor: Factor,
    /// Of each step: itself, how the gradient changed, and the product of the two.
    steps: Vec<(Vec<f64>, Vec<f64>, f64)>,
}

impl Way {
    fn learn(&mut self, step: impl Iterator<Item = f64>, before: &[f64], after: &[f64]) {
        let (step, change) =
            (step.collect::<Vec<_>>(), after.iter().zip(before).map(|(a, b)| a - b).collect::<Vec<_>>());
        let product = dot(&step, &change);
        if product > 0.0 {
            self.steps.push((step, change, product));
        }
    }

    /// The next step for a gradient (Nocedal, 1980).
    fn step(&self, gradient: &[f64]) -> Vec<f64> {
        let mut rest = gradient.to_vec();
        let mut parts = vec![];
        for (step, change, product) in self.steps.iter().rev() {
            let part = dot(step, &rest) / product;
            add(&mut rest, -part, change);
            parts.push(part);
        }
        let mut next = self.factor.solve(&rest);
        for ((step, change, product), part) in self.steps.iter().zip(parts.iter().rev()) {
            let known = dot(change, &next) / product;
            add(&mut next, part - known, step);
        }
        next
    }
}

/// The penalty of a prior.
struct Penalty<'a> {
    prior: &'a Prior<'a>,
    /// With two classes the biases are one number with both their penalties.
    bias_precision: f64,
}

impl<'a> Penalty<'a> {
    fn new(regression: &Regression, prior: &'a Prior<'a>) -> Self {
        Penalty { prior, bias_precision: prior.bias_precision * if regression.n_classes == 2 { 2.0 } else { 1.0 } }
    }

    fn add_slope(&self, at: &Fitted, to: &mut Slope) {
        let n = at.coefficients.len();
        let away: Vec<f64> = at.coefficients.iter().zip(self.prior.mean).map(|(at, mean)| at - mean).collect();
        let pull: Vec<f64> = self.prior.precision.chunks(n.max(1)).map(|row| dot(row, &away)).collect();
        let biases = at.biases.iter().zip(self.prior.bias).map(|(at, mean)| (at - mean).powi(2));
        to.loss += 0.5 * (dot(&away, &pull) + self.prior.bias_precision * biases.sum::<f64>());
        let (of_coefficients, of_biases) = to.gradient.split_at_mut(n);
        add(of_coefficients, 1.0, &pull);
        let first = at.biases.len() - of_biases.len();
        for (slope, (bias, mean)) in of_biases.iter_mut().zip(at.biases.iter().zip(self.prior.bias).skip(first)) {
            *slope += self.bias_precision * (bias - mean);
        }
    }

    fn add_curvature(&self, to: &mut Curvature) {
        to.add_precision(self.prior.precision, self.bias_precision);
    }
}
