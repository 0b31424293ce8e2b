//! The weights of features under a plain likelihood.
//!
//! With two classes a feature has one number, λ. With more it has a row with a weight for each class, or where few classes
//! know it a list of these, to be added to the row that all unseen cells share.

use super::{Stored, Sums};
use crate::counts::find_cell;
use crate::likelihoods::Model;
use crate::processor::{LANES, add_rows, prefetch};
use crate::rows::{Cell, total};

/// A feature with so many occurrences has a row of its own where there are few classes: adding a row takes no guess at how long
/// a list is, and most tokens are frequent features.
const FREQUENT: u64 = 16;
const FEW_CLASSES: usize = 64;
/// How many features ahead memory is asked for.
const AHEAD: usize = 16;

/// The second class's weight less the first's; 0 for a feature that has been forgotten.
pub(super) fn lambda(row: &[Cell], model: &Model) -> f64 {
    match total(row) {
        0 => 0.0,
        total => model.weight(find_cell(row, 1), total).log - model.weight(find_cell(row, 0), total).log,
    }
}

/// Visits the classes that know a feature, with how much more each of them gets from it than one that has never seen it.
pub(super) fn each_more(row: &[Cell], model: &Model, unseen: &[f64], mut visit: impl FnMut(u32, f64)) {
    let total = total(row);
    // What a whole row has in common does not matter to a decision, so complement's share of `total` is left out.
    let common = model.weight(Cell { class: 0, documents: 0, occurrences: 0 }, total).log - unseen[0];
    for cell in row.iter().filter(|cell| !cell.is_zero()) {
        visit(cell.class, model.weight(*cell, total).log - unseen[cell.class as usize] - common);
    }
}

/// The weights of features of a smooth model.
#[derive(Default)]
pub struct Weights {
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

impl From<Stored> for Place {
    fn from(stored: Stored) -> Self {
        Place { start: stored.0 as u32, len: (stored.0 >> 32) as u32 }
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
            each_more(row, model, unseen, |class, more| self.list.push((class, more)));
        }
    }

    /// What a table of known features keeps of feature `id`: λ, or its place. All zeros add nothing either way.
    pub(super) fn stored(&self, id: usize) -> Stored {
        match self.places.get(id) {
            Some(place) => Stored(u64::from(place.start) | u64::from(place.len) << 32),
            None => Stored(self.dense.get(id).map_or(0, |lambda| lambda.to_bits())),
        }
    }

    /// Adds the weights of the features at these places, for each class.
    pub(super) fn add(
        &self,
        places: impl ExactSizeIterator<Item = Place> + Clone,
        unseen: &[f64],
        rows: &mut Vec<u32>,
        sums: &mut Sums,
    ) {
        let mut n_listed = 0;
        let mut ahead = places.clone().skip(AHEAD);
        rows.resize(places.len() + 1, 0);
        let mut n_rows = 0;
        for place in places {
            // Rows are asked for by who adds them.
            if let Some(next) = ahead.next() {
                prefetch(&self.list, next.start as usize);
            }
            // Written either way, and kept where it is a row: most are.
            rows[n_rows] = place.start;
            if place.len == Place::ROW {
                n_rows += 1;
            } else if place.len > 0 {
                n_listed += 1;
                let list = &self.list[place.start as usize..(place.start + place.len) as usize];
                list.iter().for_each(|(class, more)| sums.logs[*class as usize] += more);
            }
        }
        rows.truncate(n_rows);
        if n_listed > 0 {
            sums.logs.iter_mut().zip(unseen).for_each(|(sum, weight)| *sum += f64::from(n_listed) * weight);
        }
        sums.logs.resize(unseen.len().next_multiple_of(LANES), 0.0);
        add_rows(&self.dense, rows, &mut sums.logs);
        sums.logs.truncate(unseen.len());
    }
}
