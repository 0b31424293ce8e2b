//! Weights that are kept, and their sums.
//!
//! With two classes a feature has one number, λ. With more, one that many classes have seen has a row of its own. Any other is
//! a list of the classes that have seen it, to be added to the row that all features of the same number of documents
//! share. Most features are rare and have the list of many others, which is there once: the lists stay in the cache.

use std::collections::HashMap;

use super::documents;
use super::evidence::{FLAT, Hat};
use super::model::{CHANNELS, Model};
use crate::counts::Counts;
use crate::processor::{LANES, add_rows, add_scaled_rows, prefetch, scattered_copy};
use crate::rows::Cell;
use crate::scoring::{Known, Stored};
use crate::vocabulary::UNKNOWN;

/// The channels that are weights; the last one is the odds.
const POWERS: usize = CHANNELS - 1;
/// Features of fewer documents than this often have the same counts as others.
const SMALL: u32 = 64;
/// How many features ahead memory is asked for.
const AHEAD: usize = 8;

/// The weights of the features of a block.
#[derive(Default)]
pub struct Weights {
    /// What is kept of each feature: λ as a number, or a [`Place`]; [`NOTHING`] of one that has been forgotten.
    pub(super) known: Vec<Known>,
    /// By feature that many classes have seen.
    rows: Rows,
    /// Classes that have seen a feature, and by how much its channels there differ from those of its default row.
    lists: Vec<(u32, [f64; CHANNELS])>,
    /// By number of documents: the row of a feature that no class has seen.
    defaults: Rows,
    /// Rows by class that are added to the first channel of features with lists, each filled up to a whole number of [`LANES`].
    corrections: Vec<f32>,
    /// The numbers of documents of the defaults.
    documents: Vec<u32>,
    numbers: HashMap<u32, u32>,
    /// Where the lists of rare features are, by their classes and documents.
    places: HashMap<[u64; 2], Stored>,
}

/// What is stored of a feature that does not count.
pub(super) const NOTHING: Stored = Stored(u64::MAX);

/// Where the weights of a feature are.
struct Place {
    /// The number of its row, or where its list starts.
    start: u32,
    /// The length of its list; [`Place::ROW`] for a row.
    len: u8,
    /// With a row, its documents, [`FLAT`] at the most. With a list, the number of its default.
    more: u32,
}

impl Place {
    const ROW: u8 = u8::MAX;
    const MOST: u32 = (1 << 24) - 1;

    fn store(self) -> Stored {
        assert!(
            self.more <= Place::MOST,
            "so many different numbers of documents take more documents than can be counted"
        );
        Stored(u64::from(self.start) | u64::from(self.len) << 32 | u64::from(self.more) << 40)
    }

    #[inline(always)]
    fn read(stored: Stored) -> Self {
        Place { start: stored.0 as u32, len: (stored.0 >> 32) as u8, more: (stored.0 >> 40) as u32 }
    }
}

/// Rows by power and class, and rows of odds by class, each filled up to a whole number of [`LANES`].
#[derive(Default)]
struct Rows {
    weights: Vec<f64>,
    odds: Vec<f64>,
    len: u32,
}

impl Rows {
    /// A new row of zeros, for its channels to be written to.
    fn push(&mut self, n: usize) -> impl FnMut(usize, [f64; CHANNELS]) {
        let (from, odds) = (self.weights.len(), self.odds.len());
        self.weights.resize(from + (POWERS * n).next_multiple_of(LANES), 0.0);
        self.odds.resize(odds + n.next_multiple_of(LANES), 0.0);
        self.len += 1;
        let (weights, odds) = (&mut self.weights[from..], &mut self.odds[odds..]);
        move |class, channels| {
            (0..POWERS).for_each(|power| weights[power * n + class] = channels[power]);
            odds[class] = channels[POWERS];
        }
    }

    fn clear(&mut self) {
        self.weights.clear();
        self.odds.clear();
        self.len = 0;
    }
}

/// The sums of a document's channels in a block, and what adding needs of memory.
#[derive(Default)]
pub(super) struct ChannelSums {
    /// By power and class.
    pub(super) weights: Vec<f64>,
    /// By class: of each feature its odds times its share.
    pub(super) odds: Vec<f64>,
    rows: Vec<u32>,
    listed: Vec<u32>,
    shares: Vec<f64>,
    /// By default: how many features have it, and the sum of their shares.
    times: Vec<(f64, f64)>,
    touched: Vec<u32>,
}

impl Weights {
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.rows.clear();
        self.lists.clear();
        self.defaults.clear();
        self.corrections.clear();
        self.documents.clear();
        self.numbers.clear();
        self.places.clear();
    }

    /// The weights of all features of a block.
    pub(super) fn of(model: &Model, counts: &Counts, block: usize) -> Self {
        let mut weights = Weights::default();
        let n_features = counts.blocks[block].rows.len() as u32;
        weights.known.reserve(n_features as usize);
        (0..n_features).for_each(|id| weights.push(model, counts, block, id));
        weights.lists = scattered_copy(&weights.lists);
        weights.rows.weights = scattered_copy(&weights.rows.weights);
        weights.rows.odds = scattered_copy(&weights.rows.odds);
        weights.corrections = scattered_copy(&weights.corrections);
        weights
    }

    /// Appends the weights of a feature.
    pub(super) fn push(&mut self, model: &Model, counts: &Counts, block: usize, id: u32) {
        let row = counts.blocks[block].rows.get(id);
        let mut known = Known::bare(id);
        known.weight = match documents(row) {
            0 => NOTHING,
            _ if model.shape.is_two() => Stored(model.lambda(counts, block, id).to_bits()),
            df if Self::has_row(model, row) => self.push_row(model, counts, block, id, df),
            df => {
                known.row = self.push_correction(model.corrections(counts, block, id));
                self.push_list(model, block, row, df)
            }
        };
        self.known.push(known);
    }

    /// Whether so many classes have seen a feature that it has a row of its own.
    fn has_row(model: &Model, row: &[Cell]) -> bool {
        let known = row.iter().filter(|cell| cell.documents > 0).count();
        known * 3 > model.shape.n_classes || known >= usize::from(Place::ROW)
    }

    fn push_row(&mut self, model: &Model, counts: &Counts, block: usize, id: u32, df: u32) -> Stored {
        let start = self.rows.len;
        let corrections = model.corrections(counts, block, id);
        let mut write = self.rows.push(model.shape.n_classes);
        model.weigh(counts, block, id, |class, mut channels| {
            channels[0] += corrections.get(class).map_or(0.0, |&more| f64::from(more));
            write(class, channels);
        });
        Place { start, len: Place::ROW, more: df.min(FLAT as u32) }.store()
    }

    /// The number of the row; [`UNKNOWN`] where there is no correction.
    fn push_correction(&mut self, corrections: &[f32]) -> u32 {
        if corrections.is_empty() {
            return UNKNOWN;
        }
        let (start, width) = (self.corrections.len(), corrections.len().next_multiple_of(LANES));
        self.corrections.extend_from_slice(corrections);
        self.corrections.resize(start + width, 0.0);
        (start / width) as u32
    }

    fn push_list(&mut self, model: &Model, block: usize, row: &[Cell], df: u32) -> Stored {
        let n = model.shape.n_classes;
        let signature = signature(row, df);
        if let Some(&stored) = signature.and_then(|signature| self.places.get(&signature)) {
            return stored;
        }
        let hat = Hat::of_documents(df);
        let number = *self.numbers.entry(df).or_insert_with(|| {
            let mut write = self.defaults.push(n);
            (0..n).for_each(|class| write(class, model.channels(block, class, 0, df, hat)));
            self.documents.push(df);
            self.documents.len() as u32 - 1
        });
        let start = self.lists.len();
        for cell in row.iter().filter(|cell| cell.documents > 0) {
            let class = cell.class as usize;
            let mut more = model.channels(block, class, cell.documents, df, hat);
            let common = model.channels(block, class, 0, df, hat);
            more.iter_mut().zip(common).for_each(|(more, common)| *more -= common);
            self.lists.push((cell.class, more));
        }
        let len = (self.lists.len() - start) as u8;
        let stored = Place { start: start as u32, len, more: number }.store();
        if let Some(signature) = signature {
            self.places.insert(signature, stored);
        }
        stored
    }

    /// What a pair takes back from the odds of its words, for each power.
    #[inline(always)]
    pub(super) fn taken_back(&self, model: &Model, stored: Stored) -> [f64; 2] {
        let place = Place::read(stored);
        let is_row = place.len == Place::ROW;
        // Looked up either way: which it is cannot be guessed.
        let of_list = self.documents.get(if is_row { 0 } else { place.more as usize }).copied().unwrap_or(0);
        model.taken_back(if is_row { place.more } else { of_list })
    }

    /// Which of the features have rows, and which have lists.
    #[inline(always)]
    fn part(&self, features: &[Known], rows: &mut Vec<u32>, listed: &mut Vec<u32>) {
        rows.resize(features.len(), 0);
        listed.resize(features.len(), 0);
        let (mut n_rows, mut n_listed) = (0, 0);
        // Written to both, and kept in one: which it is cannot be guessed.
        for (at, feature) in features.iter().enumerate() {
            let is_row = Place::read(feature.weight).len == Place::ROW;
            rows[n_rows] = at as u32;
            listed[n_listed] = at as u32;
            n_rows += usize::from(is_row);
            n_listed += usize::from(!is_row);
        }
        rows.truncate(n_rows);
        listed.truncate(n_listed);
    }

    /// Sums up the channels of features, the last of them times the feature's share where there are shares.
    pub(super) fn sum(&self, n: usize, features: &[Known], shares: &[f64], sums: &mut ChannelSums) {
        let ChannelSums { weights, odds, rows, listed, shares: row_shares, times, touched } = sums;
        weights.clear();
        weights.resize((POWERS * n).next_multiple_of(LANES), 0.0);
        odds.clear();
        odds.resize(n.next_multiple_of(LANES), 0.0);
        times.resize(times.len().max(self.documents.len()), (0.0, 0.0));
        self.part(features, rows, listed);
        // Most lists lie in one or two lines of the cache.
        let expect = |at: &u32| {
            let place = Place::read(features[*at as usize].weight);
            prefetch(&self.lists, place.start as usize);
            prefetch(&self.lists, place.start as usize + 2);
        };
        listed.iter().take(AHEAD).for_each(expect);
        for (i, at) in listed.iter().enumerate() {
            listed.get(i + AHEAD).into_iter().for_each(expect);
            let place = Place::read(features[*at as usize].weight);
            let share = shares.get(*at as usize).copied().unwrap_or(0.0);
            for (class, more) in &self.lists[place.start as usize..][..usize::from(place.len)] {
                let class = *class as usize;
                (0..POWERS).for_each(|power| weights[power * n + class] += more[power]);
                odds[class] += share * more[POWERS];
            }
            let times = &mut times[place.more as usize];
            if times.0 == 0.0 {
                touched.push(place.more);
            }
            *times = (times.0 + 1.0, times.1 + share);
        }
        // Nothing is looked up any more of those with lists but their corrections.
        listed.iter_mut().for_each(|row| *row = features[*row as usize].row);
        listed.retain(|row| *row != UNKNOWN);
        add_rows(&self.corrections, listed, &mut weights[..n.next_multiple_of(LANES)]);
        row_shares.clear();
        if !shares.is_empty() {
            row_shares.extend(rows.iter().map(|&at| shares[at as usize]));
        }
        rows.iter_mut().for_each(|row| *row = Place::read(features[*row as usize].weight).start);
        add_rows(&self.rows.weights, rows, weights);
        if !shares.is_empty() {
            add_scaled_rows(&self.rows.odds, rows, row_shares, odds);
        }
        // By their numbers of documents: an order that does not depend on when they were first met.
        touched.sort_unstable_by_key(|&number| self.documents[number as usize]);
        let scales = |pick: fn((f64, f64)) -> f64, scales: &mut Vec<f64>| {
            scales.clear();
            scales.extend(touched.iter().map(|&number| pick(times[number as usize])));
        };
        scales(|(n, _)| n, row_shares);
        add_scaled_rows(&self.defaults.weights, touched, row_shares, weights);
        if !shares.is_empty() {
            scales(|(_, share)| share, row_shares);
            add_scaled_rows(&self.defaults.odds, touched, row_shares, odds);
        }
        touched.drain(..).for_each(|number| times[number as usize] = (0.0, 0.0));
    }
}

/// What tells rare features of one or two classes apart: their classes and the documents in each.
fn signature(row: &[Cell], df: u32) -> Option<[u64; 2]> {
    let mut cells = row.iter().filter(|cell| cell.documents > 0);
    let mut next = || cells.next().map_or(0, |cell| u64::from(cell.class) << 32 | u64::from(cell.documents));
    (df < SMALL && row.len() <= 2).then(|| [next(), next()])
}
