//! Weights that are kept, and their sums.

use std::collections::HashMap;

use super::model::{CHANNELS, Model};
use super::{Hat, documents};
use crate::counts::Counts;

/// The weights of the features of a block.
#[derive(Default)]
pub(super) struct Weights {
    /// With two classes.
    pub(super) lambdas: Vec<f64>,
    pub(super) places: Vec<Place>,
    /// By feature that many classes have seen, then by channel and class.
    rows: Vec<f64>,
    /// Classes that know a feature, and by how much its channels there differ from those of its default row.
    list: Vec<(u32, [f64; CHANNELS])>,
    /// The rows that features of the same number of documents have in common.
    defaults: Vec<f64>,
    numbers: HashMap<u32, u32>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    start: u32,
    /// How many in the list; [`Place::ROW`] for a row.
    len: u32,
    /// In how many documents.
    pub(super) df: u32,
    default: u32,
}

impl Place {
    const ROW: u32 = u32::MAX;
}

impl Weights {
    pub(super) fn clear(&mut self) {
        self.lambdas.clear();
        self.places.clear();
        self.rows.clear();
        self.list.clear();
        self.defaults.clear();
        self.numbers.clear();
    }

    pub(super) fn push(&mut self, model: &Model, counts: &Counts, block: usize, id: u32) {
        if model.shape.is_two() {
            self.lambdas.push(model.lambda(counts, block, id));
            return;
        }
        let n = model.shape.n_classes;
        let row = counts.blocks[block].rows.get(id);
        let df = documents(row);
        if df == 0 {
            self.places.push(Place::default());
            return;
        }
        let hat = Hat::of_documents(f64::from(df));
        let known = row.iter().filter(|cell| cell.documents > 0).count();
        if known * 3 > n {
            self.places.push(Place {
                start: (self.rows.len() / (CHANNELS * n)) as u32,
                len: Place::ROW,
                df,
                default: 0,
            });
            let start = self.rows.len();
            self.rows.resize(start + CHANNELS * n, 0.0);
            let rows = &mut self.rows[start..];
            model.weigh(counts, block, id, |class, channels| write_channels(rows, n, class, channels));
            return;
        }
        let default = match self.numbers.get(&df) {
            Some(&number) => number,
            None => {
                let number = self.numbers.len() as u32;
                let start = self.defaults.len();
                self.defaults.resize(start + CHANNELS * n, 0.0);
                for class in 0..n {
                    write_channels(&mut self.defaults[start..], n, class, model.channels(block, class, 0, df, hat));
                }
                self.numbers.insert(df, number);
                number
            }
        };
        self.places.push(Place { start: self.list.len() as u32, len: known as u32, df, default });
        let common = &self.defaults[default as usize * CHANNELS * n..][..CHANNELS * n];
        for cell in row.iter().filter(|cell| cell.documents > 0) {
            let class = cell.class as usize;
            let mut more = model.channels(block, class, cell.documents, df, hat);
            more.iter_mut().enumerate().for_each(|(channel, value)| *value -= common[channel * n + class]);
            self.list.push((cell.class, more));
        }
    }

    /// Adds the channels of the features at these places, the last of them times the feature's share.
    pub(super) fn add(
        &self,
        n: usize,
        places: impl Iterator<Item = Place>,
        shares: &[f64],
        sums: &mut [f64],
        defaults: &mut Vec<(u32, f64, f64)>,
    ) {
        const W: usize = CHANNELS - 1;
        defaults.clear();
        let add_row = |row: &[f64], times: f64, share: f64, sums: &mut [f64]| {
            sums[..W * n].iter_mut().zip(row).for_each(|(sum, weight)| *sum += times * weight);
            if share != 0.0 {
                sums[W * n..].iter_mut().zip(&row[W * n..]).for_each(|(sum, odds)| *sum += share * odds);
            }
        };
        for (at, place) in places.enumerate() {
            let share = shares.get(at).copied().unwrap_or(0.0);
            if place.len == Place::ROW {
                add_row(&self.rows[place.start as usize * CHANNELS * n..][..CHANNELS * n], 1.0, share, sums);
                continue;
            }
            for (class, more) in &self.list[place.start as usize..(place.start + place.len) as usize] {
                let class = *class as usize;
                (0..W).for_each(|channel| sums[channel * n + class] += more[channel]);
                sums[W * n + class] += share * more[W];
            }
            if place.df > 0 {
                defaults.push((place.df, f64::from(place.default), share));
            }
        }
        // By their numbers of documents: an order that does not depend on when they were first met.
        defaults.sort_by_key(|(df, ..)| *df);
        for group in defaults.chunk_by(|a, b| a.0 == b.0) {
            let row = &self.defaults[group[0].1 as usize * CHANNELS * n..][..CHANNELS * n];
            add_row(row, group.len() as f64, group.iter().map(|(.., share)| share).sum(), sums);
        }
    }
}

/// Into a row of channels and then classes.
fn write_channels(row: &mut [f64], n: usize, class: usize, channels: [f64; CHANNELS]) {
    channels.iter().enumerate().for_each(|(channel, value)| row[channel * n + class] = *value);
}
