//! The weights of features, and their sums.
//!
//! With two classes a feature has one number, λ. With more it has a row with a weight for each class, or where few classes
//! know it a list of these, to be added to the row that all unseen cells share.

use crate::counts::find_cell;
use crate::likelihoods::{Model, Weight};
use crate::processor::{LANES, add_rows};
use crate::rows::{Cell, total};

/// A feature with so many occurrences has a row of its own where there are few classes: adding a row takes no guess at how long
/// a list is, and most tokens are frequent features.
const FREQUENT: u64 = 16;
const FEW_CLASSES: usize = 64;
/// The second class's weight less the first's; 0 for a feature that has been forgotten.
pub(super) fn lambda(row: &[Cell], model: &Model) -> f64 {
    match total(row) {
        0 => 0.0,
        total => model.weight(find_cell(row, 1), total).log - model.weight(find_cell(row, 0), total).log,
    }
}

/// The weights of features of a smooth model.
#[derive(Default)]
pub(super) struct Weights {
    /// For two classes one number a feature, λ. Otherwise rows with a weight for each class, filled up to a whole number of
    /// [`LANES`].
    pub(super) dense: Vec<f64>,
    /// For each feature where its row or its list starts; with λ not used.
    pub(super) places: Vec<Place>,
    /// Classes that know a feature, and by how much its weight there differs from that of an unseen one.
    pub(super) list: Vec<(u32, f64)>,
}

#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) start: u32,
    /// How many in the list; [`Place::ROW`] for a row.
    pub(super) len: u32,
}

impl Place {
    pub(super) const ROW: u32 = u32::MAX;
}

/// Eight bytes: λ, or where the weights of all classes are. All zeros add nothing either way.
#[derive(Clone, Copy)]
pub(super) struct Stored(pub(super) u64);

impl Stored {
    pub(super) fn lambda(self) -> f64 {
        f64::from_bits(self.0)
    }

    pub(super) fn place(self) -> Place {
        Place { start: self.0 as u32, len: (self.0 >> 32) as u32 }
    }
}

impl Weights {
    pub(super) fn clear(&mut self) {
        self.dense.clear();
        self.places.clear();
        self.list.clear();
    }

    pub(super) fn push(&mut self, row: &[Cell], model: &Model, unseen: &[f64]) {
        let known = row.iter().filter(|cell| !cell.is_zero()).count();
        let total = total(row);
        if known == 0 {
            self.places.push(Place { start: 0, len: 0 });
        } else if known * 3 > unseen.len() || (unseen.len() <= FEW_CLASSES && total >= FREQUENT) {
            let width = unseen.len().next_multiple_of(LANES);
            let start = self.dense.len();
            self.places.push(Place { start: (start / width) as u32, len: Place::ROW });
            self.dense.extend((0..unseen.len() as u32).map(|class| model.weight(find_cell(row, class), total).log));
            self.dense.resize(start + width, 0.0);
        } else {
            self.places.push(Place { start: self.list.len() as u32, len: known as u32 });
            // What a whole row has in common does not matter to a decision, so complement's share of `total` is left out.
            let common = model.weight(Cell { class: 0, documents: 0, occurrences: 0 }, total).log - unseen[0];
            for cell in row.iter().filter(|cell| !cell.is_zero()) {
                let more = model.weight(*cell, total).log - unseen[cell.class as usize] - common;
                self.list.push((cell.class, more));
            }
        }
    }

    /// What a table of known features keeps of feature `id`.
    pub(super) fn stored(&self, id: usize) -> Stored {
        match self.places.get(id) {
            Some(place) => Stored(u64::from(place.start) | u64::from(place.len) << 32),
            None => Stored(self.dense.get(id).map_or(0, |lambda| lambda.to_bits())),
        }
    }

    /// Adds the weights of the features at these places, for each class.
    pub(super) fn add(&self, places: impl Iterator<Item = Place>, unseen: &[f64], sums: &mut Sums) {
        sums.rows.clear();
        let mut n_listed = 0;
        for place in places {
            if place.len == Place::ROW {
                sums.rows.push(place.start);
            } else if place.len > 0 {
                n_listed += 1;
                let list = &self.list[place.start as usize..(place.start + place.len) as usize];
                list.iter().for_each(|(class, more)| sums.logs[*class as usize] += more);
            }
        }
        if n_listed > 0 {
            sums.logs.iter_mut().zip(unseen).for_each(|(sum, weight)| *sum += f64::from(n_listed) * weight);
        }
        sums.logs.resize(unseen.len().next_multiple_of(LANES), 0.0);
        add_rows(&self.dense, &sums.rows, &mut sums.logs);
        sums.logs.truncate(unseen.len());
    }
}

/// The running sums of one document.
#[derive(Default)]
pub(super) struct Sums {
    /// Whether `logs` is one number, the second class's lead over the first.
    pub(super) difference: bool,
    pub(super) logs: Vec<f64>,
    /// Which rows of weights are still to be added.
    pub(super) rows: Vec<u32>,
    /// Used instead of `logs` where some weights are impossible.
    pub(super) exact: Vec<Weight>,
}

impl Sums {
    pub(super) fn start(&mut self, model: &Model, difference: bool) {
        self.difference = difference;
        self.exact.clear();
        self.logs.clear();
        if difference {
            self.logs.push(model.start[1].log - model.start[0].log);
        } else if model.form.is_smooth() {
            self.logs.extend(model.start.iter().map(|weight| weight.log));
        } else {
            self.exact.extend_from_slice(&model.start);
        }
    }

    /// The second class's lead, with the prior.
    pub(super) fn lead(&self, log_prior: &[f64]) -> f64 {
        self.logs[0] + (log_prior[1] - log_prior[0])
    }

    pub(super) fn get(&self, class: usize, log_prior: &[f64]) -> f64 {
        self.exact.get(class).map_or_else(|| self.logs[class], |weight| weight.value()) + log_prior[class]
    }

    pub(super) fn write(&self, log_prior: &[f64], out: &mut [f64]) {
        if self.difference {
            let lead = self.lead(log_prior);
            // Infinite where the first class has prior 0: then it is that class that has none.
            [out[0], out[1]] = if lead == f64::INFINITY { [f64::NEG_INFINITY, 0.0] } else { [0.0, lead] };
            return;
        }
        for (class, score) in out.iter_mut().enumerate() {
            *score = self.get(class, log_prior);
        }
        // Where no class is possible nothing is known, and the prior speaks alone.
        if out.iter().all(|score| *score == f64::NEG_INFINITY) {
            out.copy_from_slice(log_prior);
        }
    }

    pub(super) fn best(&self, log_prior: &[f64]) -> u32 {
        if self.difference {
            return u32::from(self.lead(log_prior) > 0.0);
        }
        let first_highest = |score: &dyn Fn(usize) -> f64| {
            let (mut best, mut highest) = (0, score(0));
            for class in 1..log_prior.len() {
                let score = score(class);
                if score > highest {
                    (best, highest) = (class, score);
                }
            }
            (best as u32, highest)
        };
        match first_highest(&|class| self.get(class, log_prior)) {
            (_, f64::NEG_INFINITY) => first_highest(&|class| log_prior[class]).0,
            (best, _) => best,
        }
    }
}

/// The sum of weights, in four lanes: a fixed order, so the same to the bit every time, that does not wait for each addition.
pub(super) fn sum_in_lanes(weights: impl Iterator<Item = f64>) -> f64 {
    let mut lanes = [0.0; 4];
    weights.enumerate().for_each(|(i, weight)| lanes[i % 4] += weight);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
