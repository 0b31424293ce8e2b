//! The least of a smooth convex function whose variables may have to be 0 or more: L-BFGS with projection.

use std::collections::VecDeque;

/// Steps that the curvature is estimated from.
const HISTORY: usize = 12;

/// Where a search ends.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub steps: usize,
    /// A step that gains less than this share of the value is the last.
    pub enough: f64,
}

/// Goes from `at` to where `function`, which gives value and gradient, is least; the first `bounded` variables stay 0 or more.
pub fn minimise(
    at: &mut Vec<f64>,
    bounded: usize,
    effort: Effort,
    mut function: impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> f64 {
    at[..bounded].iter_mut().for_each(|one| *one = one.max(0.0));
    let (mut value, mut gradient) = function(at);
    let mut history: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    for _ in 0..effort.steps {
        // A variable at 0 that would become negative does not move, and has no part in the curvature.
        let held: Vec<bool> = (0..at.len()).map(|i| i < bounded && at[i] <= 0.0 && gradient[i] >= 0.0).collect();
        let mut step = direction(&gradient, &held, &history);
        let mut slope = dot(&step, &gradient);
        if slope >= 0.0 {
            history.clear();
            step = direction(&gradient, &held, &history);
            slope = dot(&step, &gradient);
        }
        if slope >= 0.0 {
            break;
        }
        let mut length = if history.is_empty() { (1.0 / dot(&step, &step).sqrt()).min(1.0) } else { 1.0 };
        let moved = loop {
            let next: Vec<f64> = (0..at.len())
                .map(|i| at[i] + length * step[i])
                .enumerate()
                .map(|(i, to)| if i < bounded { to.max(0.0) } else { to })
                .collect();
            let (lower, slopes) = function(&next);
            let gained: f64 = (0..at.len()).map(|i| gradient[i] * (next[i] - at[i])).sum();
            if lower <= value + 1e-4 * gained.min(0.0) && lower.is_finite() {
                break Some((next, lower, slopes));
            }
            length /= 2.0;
            if length < 1e-10 {
                break None;
            }
        };
        let Some((next, lower, slopes)) = moved else {
            if history.is_empty() {
                break;
            }
            history.clear();
            continue;
        };
        let change: Vec<f64> = slopes.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let way: Vec<f64> = next.iter().zip(&*at).map(|(new, old)| new - old).collect();
        let gain = value - lower;
        (*at, value, gradient) = (next, lower, slopes);
        if dot(&way, &change) > 1e-12 * dot(&change, &change).sqrt() * dot(&way, &way).sqrt() {
            history.push_back((way, change));
            if history.len() > HISTORY {
                history.pop_front();
            }
        }
        if gain <= effort.enough * value.abs().max(1e-300) {
            break;
        }
    }
    value
}

/// Minus the gradient, times the inverse of the curvature that the history shows.
fn direction(gradient: &[f64], held: &[bool], history: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let free = |mut vector: Vec<f64>| {
        vector.iter_mut().zip(held).for_each(|(one, &held)| *one = if held { 0.0 } else { *one });
        vector
    };
    let mut step = free(gradient.iter().map(|slope| -slope).collect());
    let parts: Vec<(Vec<f64>, Vec<f64>)> =
        history.iter().map(|(way, change)| (free(way.clone()), free(change.clone()))).collect();
    let mut factors = vec![];
    for (way, change) in parts.iter().rev() {
        let curvature = dot(way, change);
        let factor = if curvature > 0.0 { dot(way, &step) / curvature } else { 0.0 };
        add(&mut step, -factor, change);
        factors.push(factor);
    }
    if let Some((way, change)) = parts.iter().rev().find(|(way, change)| dot(way, change) > 0.0) {
        let scale = dot(way, change) / dot(change, change);
        step.iter_mut().for_each(|one| *one *= scale);
    }
    for ((way, change), factor) in parts.iter().zip(factors.iter().rev()) {
        let curvature = dot(way, change);
        if curvature > 0.0 {
            let back = dot(change, &step) / curvature;
            add(&mut step, factor - back, way);
        }
    }
    step
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], times: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += times * from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bowl_has_its_lowest_point_within_the_bounds() {
        // (x − 1)² + 10 (y + 2)² + (x − z)², with x and y not below 0.
        let bowl = |at: &[f64]| {
            let (x, y, z) = (at[0], at[1], at[2]);
            let value = (x - 1.0).powi(2) + 10.0 * (y + 2.0).powi(2) + (x - z).powi(2);
            (value, vec![2.0 * (x - 1.0) + 2.0 * (x - z), 20.0 * (y + 2.0), 2.0 * (z - x)])
        };
        let mut at = vec![5.0, 5.0, -5.0];
        minimise(&mut at, 2, Effort { steps: 100, enough: 1e-14 }, bowl);
        assert!((at[0] - 1.0).abs() < 1e-5 && at[1] == 0.0 && (at[2] - 1.0).abs() < 1e-5, "{at:?}");
    }
}
