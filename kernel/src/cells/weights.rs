//! Weights of 0 or more for evidence, and a bias for each class: penalised softmax regression.
//!
//! Evidence is by row, class and weight. What is minimised is Σ weight · −log P(own class), plus ½ ((w − mean) / sd)² for each
//! weight, plus ½ (bias − prior)² · precision. Sums are taken over fixed parts of the rows: no result depends on the threads.

use super::minimum::{Effort, minimise};
use crate::threads::summed_in_parts;

/// Numbers of evidence for which threads are worth starting.
const WORTH_THREADS: usize = 1 << 18;

pub struct Weighing<'a> {
    /// By row, class and weight.
    pub evidence: &'a [f32],
    pub n_weights: usize,
    pub class_ids: &'a [u32],
    pub row_weights: &'a [f64],
    pub n_classes: usize,
}

/// Evidence for all classes but the first ones, which have none.
#[derive(Clone, Copy)]
struct Scored<'a> {
    evidence: &'a [f32],
    first: usize,
}

/// Where weights and biases are without evidence, and how freely they move.
pub struct Prior<'a> {
    pub mean: &'a [f64],
    pub sd: &'a [f64],
    pub bias: &'a [f64],
    pub bias_precision: f64,
}

impl Weighing<'_> {
    /// From `start`, weights and then biases, to the best ones.
    pub fn fit(&self, start: &[f64], prior: &Prior, steps: usize, threads: usize) -> Vec<f64> {
        let differences;
        let scored = if self.n_classes == 2 {
            differences = self.differences();
            Scored { evidence: &differences, first: 1 }
        } else {
            Scored { evidence: self.evidence, first: 0 }
        };
        let mut at = start.to_vec();
        let effort = Effort { steps, enough: 1e-8 };
        minimise(&mut at, self.n_weights, effort, |at| self.loss(scored, at, prior, threads));
        at
    }

    /// Of two classes: what is said for the second and not for the first. Half the numbers, and all that matters.
    fn differences(&self) -> Vec<f32> {
        let mut differences = Vec::with_capacity(self.evidence.len() / 2);
        for row in self.evidence.chunks_exact((2 * self.n_weights).max(1)) {
            let (first, second) = row.split_at(self.n_weights);
            differences.extend(first.iter().zip(second).map(|(first, second)| second - first));
        }
        differences
    }

    fn loss(&self, scored: Scored, at: &[f64], prior: &Prior, threads: usize) -> (f64, Vec<f64>) {
        let (weights, biases) = at.split_at(self.n_weights);
        let (mut value, mut gradient) = (0.0, vec![0.0; at.len()]);
        for (place, ((weight, mean), sd)) in weights.iter().zip(prior.mean).zip(prior.sd).enumerate() {
            let away = (weight - mean) / sd;
            value += away * away / 2.0;
            gradient[place] = away / sd;
        }
        for (place, (bias, mean)) in biases.iter().zip(prior.bias).enumerate() {
            value += prior.bias_precision * (bias - mean).powi(2) / 2.0;
            gradient[self.n_weights + place] = prior.bias_precision * (bias - mean);
        }
        let threads = if self.evidence.len() < WORTH_THREADS { 1 } else { threads };
        let narrow: Vec<f32> = weights.iter().map(|&weight| weight as f32).collect();
        let parts = summed_in_parts(self.class_ids.len(), threads, |part| {
            let (mut value, mut gradient) = (0.0, vec![0.0; at.len()]);
            let mut slopes = vec![0.0_f32; self.n_weights];
            let mut chances = vec![0.0; self.n_classes];
            let size = (self.n_classes - scored.first) * self.n_weights;
            for row in part {
                let evidence = &scored.evidence[row * size..][..size];
                chances.copy_from_slice(biases);
                for (class, chance) in chances[scored.first..].iter_mut().enumerate() {
                    *chance += dot(&evidence[class * self.n_weights..][..self.n_weights], &narrow);
                }
                let class_id = self.class_ids[row] as usize;
                value -= self.row_weights[row] * log_softmax(&mut chances, class_id);
                chances[class_id] -= 1.0;
                chances.iter_mut().for_each(|excess| *excess *= self.row_weights[row]);
                gradient[self.n_weights..].iter_mut().zip(&chances).for_each(|(slope, excess)| *slope += excess);
                for (class, &excess) in chances[scored.first..].iter().enumerate() {
                    let evidence = &evidence[class * self.n_weights..][..self.n_weights];
                    slopes.iter_mut().zip(evidence).for_each(|(slope, said)| *slope += excess as f32 * said);
                }
                // Few enough rows are added in single precision that no digit of theirs is lost.
                if row % 64 == 63 {
                    flush(&mut slopes, &mut gradient);
                }
            }
            flush(&mut slopes, &mut gradient);
            (value, gradient)
        });
        for (more, slopes) in parts {
            value += more;
            gradient.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum += slope);
        }
        (value, gradient)
    }
}

fn flush(slopes: &mut [f32], gradient: &mut [f64]) {
    for (slope, sum) in slopes.iter_mut().zip(gradient) {
        *sum += f64::from(*slope);
        *slope = 0.0;
    }
}

/// Scores become probabilities; returns the logarithm of one of them.
pub fn log_softmax(scores: &mut [f64], class_id: usize) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log = scores[class_id] - largest;
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let total: f64 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= total);
    log - total.ln()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0_f32; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        (0..8).for_each(|lane| lanes[lane] += a[lane] * b[lane]);
    }
    f64::from(lanes.iter().sum::<f32>() + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_grow_with_what_is_right_and_are_never_negative() {
        // The first kind of evidence is always right, the second always wrong.
        let class_ids: Vec<u32> = (0..400).map(|row| row % 2).collect();
        let evidence: Vec<f32> = class_ids
            .iter()
            .flat_map(|&class_id| if class_id == 0 { [1.0, 0.0, 0.0, 1.0] } else { [0.0, 1.0, 1.0, 0.0] })
            .collect();
        let weighing = Weighing {
            evidence: &evidence,
            n_weights: 2,
            class_ids: &class_ids,
            row_weights: &[1.0; 400],
            n_classes: 2,
        };
        let prior = Prior { mean: &[1.0, 1.0], sd: &[2.0, 2.0], bias: &[0.0, 0.0], bias_precision: 1.0 };
        let one = weighing.fit(&[1.0, 1.0, 0.0, 0.0], &prior, 100, 1);
        assert!(one[0] > 3.0 && one[1] == 0.0, "{one:?}");
        assert_eq!(one, weighing.fit(&[1.0, 1.0, 0.0, 0.0], &prior, 100, 3));
    }
}
