//! What the features of a document add up to.
//!
//! With two classes one number is enough, the second class's lead over the first, which then scores zero: a score of exactly 0 is
//! a tie, as on paper.

use crate::likelihoods::Weight;

/// Where scores start: what a document without a word has, and what it gets besides as it grows longer.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    pub prior: &'a [f64],
    pub growth: &'a [f64],
}

impl Start<'_> {
    /// Where the scores of a document start that has so much of the growth.
    pub fn at(&self, growth: f64) -> Vec<f64> {
        self.prior.iter().zip(self.growth).map(|(prior, more)| prior + growth * more).collect()
    }
}

/// The running sums of one document.
#[derive(Default)]
pub struct Sums {
    /// How much of the growth the document has, from 0 to 1.
    pub growth: f64,
    /// Whether `logs` is one number, the second class's lead over the first.
    pub difference: bool,
    /// That, or a sum for each class.
    pub logs: Vec<f64>,
    /// Used instead of `logs` where some weights are impossible.
    pub exact: Vec<Weight>,
}

impl Sums {
    /// From nothing: one number, or one for each class.
    pub fn clear(&mut self, n_classes: usize, difference: bool) {
        self.growth = 0.0;
        self.difference = difference;
        self.exact.clear();
        self.logs.clear();
        self.logs.resize(if difference { 1 } else { n_classes }, 0.0);
    }

    /// The second class's lead, with what scores start from.
    fn lead(&self, start: Start) -> f64 {
        let Start { prior, growth } = start;
        self.logs[0] + ((prior[1] - prior[0]) + self.growth * (growth[1] - growth[0]))
    }

    fn get(&self, class: usize, start: Start) -> f64 {
        let sum = self.exact.get(class).map_or_else(|| self.logs[class], |weight| weight.value());
        sum + (start.prior[class] + self.growth * start.growth[class])
    }

    /// The score of each class.
    pub fn write(&self, start: Start, out: &mut [f64]) {
        if self.difference {
            let lead = self.lead(start);
            // Infinite where the first class has prior 0: then it is that class that has none.
            [out[0], out[1]] = if lead == f64::INFINITY { [f64::NEG_INFINITY, 0.0] } else { [0.0, lead] };
            return;
        }
        for (class, score) in out.iter_mut().enumerate() {
            *score = self.get(class, start);
        }
        // Where no class is possible nothing is known, and the prior speaks alone.
        if out.iter().all(|score| *score == f64::NEG_INFINITY) {
            out.copy_from_slice(start.prior);
        }
    }

    /// The class with the highest score; the first of them where several are equal.
    pub fn best(&self, start: Start) -> u32 {
        if self.difference {
            return u32::from(self.lead(start) > 0.0);
        }
        let first_highest = |score: &dyn Fn(usize) -> f64| {
            let (mut best, mut highest) = (0, score(0));
            for class in 1..start.prior.len() {
                let score = score(class);
                if score > highest {
                    (best, highest) = (class, score);
                }
            }
            (best as u32, highest)
        };
        match first_highest(&|class| self.get(class, start)) {
            (_, f64::NEG_INFINITY) => first_highest(&|class| start.prior[class]).0,
            (best, _) => best,
        }
    }
}

/// The sum of weights, in four lanes: a fixed order, so the same to the bit every time, that does not wait for each addition.
#[inline(always)]
pub fn sum_in_lanes(mut weights: impl ExactSizeIterator<Item = f64>) -> f64 {
    let mut lanes = [0.0; 4];
    for _ in 0..weights.len() / 4 {
        lanes.iter_mut().for_each(|lane| *lane += weights.next().unwrap_or(0.0));
    }
    lanes.iter_mut().zip(weights).for_each(|(lane, weight)| *lane += weight);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// The sums of two weights each, in the same way.
#[inline(always)]
pub fn sum_pairs_in_lanes(mut weights: impl ExactSizeIterator<Item = [f32; 2]>) -> [f64; 2] {
    let mut lanes = [[0.0; 2]; 4];
    let add = |lane: &mut [f64; 2], [first, second]: [f32; 2]| {
        lane[0] += f64::from(first);
        lane[1] += f64::from(second);
    };
    for _ in 0..weights.len() / 4 {
        lanes.iter_mut().for_each(|lane| add(lane, weights.next().unwrap_or_default()));
    }
    lanes.iter_mut().zip(weights).for_each(|(lane, weight)| add(lane, weight));
    [0, 1].map(|at: usize| (lanes[0][at] + lanes[1][at]) + (lanes[2][at] + lanes[3][at]))
}
