//! Weights that are kept, and their sums.
//!
//! With two classes a feature has one number a channel, λ. With more, one that many classes have seen has a row of its own. Any other is
//! a list of the classes that have seen it, to be added to the row that all features of the same number of documents
//! share, which has one place for all classes of one size. Most features are rare and have the list of many others, which is there
//! once: the lists stay in the cache.
//!
//! What is kept of a correction lies beside them, where the feature's id, or the place of its key, says.

use std::collections::HashMap;
use std::sync::OnceLock;

use bytemuck::{cast_slice, cast_slice_mut};

use super::evidence::{EvidenceRow, FLAT, Hat};
use super::length::CHANNELS;
use super::model::{Model, Sizes, WITH_ODDS};
use super::rounded::RoundedRows;
use crate::counts::Counts;
use crate::processor::{Line, add_rows, add_scaled_rows, prefetch, scattered, scattered_filled};
use crate::rows::Cell;
use crate::scoring::{Known, Stored};
use crate::vocabulary::UNKNOWN;

/// Features of fewer documents than this often have the same counts as others.
const SMALL: u32 = 64;
/// How many features ahead memory is asked for.
const AHEAD: usize = 24;
/// With more classes memory counts for more than time.
const MANY_CLASSES: usize = 1000;
/// Weights of more features are let go rather than cleared.
const MOST_CLEARED: usize = 4 << 10;

/// The weights of the features of a block.
#[derive(Default)]
pub struct Weights {
    /// What is stored of each feature: the two numbers of λ, or a [`Place`]; [`NOTHING`] of one that has been forgotten.
    pub(super) stored: Vec<Stored>,
    /// By feature that many classes have seen.
    rows: Rows,
    lists: Vec<Entry>,
    n_lists: u32,
    /// By number of documents: the row of a feature that no class has seen, by size of classes.
    defaults: Rows,
    /// What is kept of the correction, by id, or by the place of the key where [`Weights::place`] has put it there.
    pub(super) corrections: Vec<u32>,
    /// The numbers of documents of the defaults.
    documents: Vec<u32>,
    numbers: HashMap<u32, u32>,
    /// Where the lists of rare features are, by their classes and documents, and their numbers.
    places: HashMap<[u64; 2], [u32; 2]>,
    rounded: OnceLock<Option<RoundedRows>>,
    /// Used again for each feature: its documents by class, and what they say.
    inside: Vec<f64>,
    evidence: EvidenceRow,
}

/// What is stored of a feature that does not count.
pub(super) const NOTHING: Stored = Stored(u64::MAX);

/// Where the weights of a feature are.
pub(super) struct Place {
    /// The number of its row, or where its list starts.
    start: u32,
    /// The number of its list, [`MOST_NUMBERED`] at the most; 0 with a row.
    list: u32,
    is_row: bool,
    /// Its documents, [`FLAT`] at the most.
    documents: u32,
}

/// So many lists can be told apart by their numbers.
pub(super) const MOST_NUMBERED: u32 = (1 << 20) - 1;

impl Place {
    fn store(self) -> Stored {
        let Place { start, list, is_row, documents } = self;
        let list = u64::from(list.min(MOST_NUMBERED));
        Stored(u64::from(start) | list << 32 | u64::from(documents) << 52 | u64::from(is_row) << 63)
    }

    #[inline(always)]
    pub(super) fn read(Stored(bits): Stored) -> Self {
        Place {
            start: bits as u32,
            list: (bits >> 32) as u32 & MOST_NUMBERED,
            is_row: bits >> 63 == 1,
            documents: (bits << 1 >> 53) as u32,
        }
    }

    /// Its number among `n_rows` rows and then lists.
    #[inline(always)]
    pub(super) fn number(&self, n_rows: u32) -> u32 {
        if self.is_row { self.start } else { n_rows + self.list }
    }
}

/// A class that has seen a feature, as the feature's list has it.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Entry {
    /// By how much its channels differ from those of the default row.
    more: [f64; WITH_ODDS],
    /// With [`LAST`] where the list ends.
    class: u32,
    /// The number of the list's default row.
    default: u32,
}

/// What marks the last class of a list.
const LAST: u32 = 1 << 31;

/// Rows by channel and class, and rows of odds by class, each filled up to a whole number of lines.
#[derive(Default)]
struct Rows {
    weights: Vec<Line>,
    odds: Vec<Line>,
    len: u32,
}

impl Rows {
    /// A new row of zeros, for its channels to be written to.
    fn push(&mut self, n: usize) -> impl FnMut(usize, [f64; WITH_ODDS]) {
        let (from, odds) = (self.weights.len(), self.odds.len());
        self.weights.resize(from + (CHANNELS * n).div_ceil(Line::LEN), Line::default());
        self.odds.resize(odds + n.div_ceil(Line::LEN), Line::default());
        self.len += 1;
        let weights = cast_slice_mut::<Line, f64>(&mut self.weights[from..]);
        let odds = cast_slice_mut::<Line, f64>(&mut self.odds[odds..]);
        move |class, channels| {
            (0..CHANNELS).for_each(|channel| weights[channel * n + class] = channels[channel]);
            odds[class] = channels[CHANNELS];
        }
    }
}

impl Rows {
    fn clear(&mut self) {
        self.weights.clear();
        self.odds.clear();
        self.len = 0;
    }

    /// The weights of a row, by channel and class, and its odds.
    fn get(&self, n: usize, row: u32) -> (&[f64], &[f64]) {
        let (width, odds) = ((CHANNELS * n).next_multiple_of(Line::LEN), n.next_multiple_of(Line::LEN));
        let weights = &cast_slice::<Line, f64>(&self.weights)[row as usize * width..];
        let odds = &cast_slice::<Line, f64>(&self.odds)[row as usize * odds..];
        (&weights[..CHANNELS * n], &odds[..n])
    }

    /// The channels of a class in a row.
    fn channels(&self, n: usize, row: u32, class: usize) -> [f64; WITH_ODDS] {
        let (weights, odds) = self.get(n, row);
        [weights[class], weights[n + class], odds[class]]
    }
}

/// What adding up needs of memory.
#[derive(Default)]
pub(super) struct ChannelSums {
    /// By channel and class, or size of classes.
    weights: Vec<f64>,
    /// By class or size: of each feature its odds times its share.
    odds: Vec<f64>,
    rows: Vec<u32>,
    listed: Vec<u32>,
    shares: Vec<f64>,
    /// By default: how many features have it, and the sum of their shares.
    times: Vec<(f64, f64)>,
    touched: Vec<u32>,
}

impl Weights {
    /// The weights of some features of a block, in the order of their ids; all others are as those that have been forgotten.
    pub(super) fn of_some(model: &Model, counts: &Counts, block: usize, ids: &[u32]) -> Self {
        let mut weights = Weights::default();
        for &id in ids {
            weights.stored.resize(id as usize, NOTHING);
            weights.push(model, counts, block, id);
        }
        weights
    }

    /// The weights of all features of a block.
    pub(super) fn of(model: &Model, counts: &Counts, block: usize) -> Self {
        let mut weights = Weights::default();
        let n_features = counts.blocks[block].rows.len() as u32;
        weights.stored.reserve(n_features as usize);
        if !model.shape.is_two() {
            weights.reserve(model, counts, block);
        }
        (0..n_features).for_each(|id| weights.push(model, counts, block, id));
        if let Some(correction) = &model.correction {
            weights.corrections = (0..n_features).map(|id| correction.kept(counts, block, id)).collect();
        }
        weights
    }

    /// Room for the weights of all features of a block. Lists that are shared leave some of it unused, which the system has not
    /// given yet.
    fn reserve(&mut self, model: &Model, counts: &Counts, block: usize) {
        let (rows, n) = (&counts.blocks[block].rows, model.shape.n_classes);
        let (mut n_rows, mut n_listed) = (0, 0);
        for row in (0..rows.len() as u32).map(|id| rows.get(id)) {
            if has_row(model, row) {
                n_rows += 1;
            } else {
                n_listed += row.len();
            }
        }
        self.lists = scattered(n_listed);
        self.rows.weights = scattered(n_rows * (CHANNELS * n).div_ceil(Line::LEN));
        self.rows.odds = scattered(n_rows * n.div_ceil(Line::LEN));
    }

    /// Forgets all weights, and keeps the memory where it is not much.
    pub(super) fn clear(&mut self) {
        if self.places.len() + self.rows.len as usize > MOST_CLEARED {
            *self = Weights::default();
            return;
        }
        self.stored.clear();
        self.rows.clear();
        self.lists.clear();
        self.n_lists = 0;
        self.rounded = OnceLock::new();
        self.defaults.clear();
        self.corrections.clear();
        self.documents.clear();
        self.numbers.clear();
        self.places.clear();
    }

    /// Puts what is kept by id at the places of the keys.
    pub(super) fn place(&mut self, places: &[u32], n_places: usize) {
        if !self.corrections.is_empty() {
            let mut placed = scattered_filled(UNKNOWN, n_places);
            places.iter().zip(&self.corrections).for_each(|(&place, &kept)| placed[place as usize] = kept);
            self.corrections = placed;
        }
    }

    /// Appends the weights of a feature.
    pub(super) fn push(&mut self, model: &Model, counts: &Counts, block: usize, id: u32) {
        let row = counts.blocks[block].rows.get(id);
        let stored = match model.shape.documents(row) {
            0 => NOTHING,
            _ if model.shape.is_two() => Stored::pair(model.lambda(counts, block, id)),
            df if has_row(model, row) => self.push_row(model, counts, block, id, df),
            df => {
                let [start, list] = self.push_list(model, block, row, df);
                Place { start, list, is_row: false, documents: df.min(FLAT as u32) }.store()
            }
        };
        self.stored.push(stored);
    }

    fn push_row(&mut self, model: &Model, counts: &Counts, block: usize, id: u32, df: u32) -> Stored {
        let (start, n) = (self.rows.len, model.shape.n_classes);
        let Weights { inside, evidence, rows, .. } = self;
        inside.clear();
        inside.resize(n, 0.0);
        for cell in counts.blocks[block].rows.get(id) {
            inside[cell.class as usize] = f64::from(cell.documents);
        }
        model.each_channels(block, inside, df, evidence, rows.push(n));
        Place { start, list: 0, is_row: true, documents: df.min(FLAT as u32) }.store()
    }

    /// Where the list starts, and its number.
    fn push_list(&mut self, model: &Model, block: usize, row: &[Cell], df: u32) -> [u32; 2] {
        let sizes = &model.sizes[block];
        let signature = signature(row, df);
        if let Some(&known) = signature.and_then(|signature| self.places.get(&signature)) {
            return known;
        }
        let hat = Hat::of_documents(df);
        let Weights { evidence, defaults, documents, numbers, .. } = self;
        let default = *numbers.entry(df).or_insert_with(|| {
            model.each_unseen_channels(block, df, evidence, defaults.push(sizes.len()));
            documents.push(df);
            documents.len() as u32 - 1
        });
        let new = [self.lists.len() as u32, self.n_lists];
        self.n_lists += 1;
        for cell in row.iter().filter(|cell| cell.documents > 0) {
            let class = cell.class as usize;
            let mut more = model.channels(block, class, cell.documents, df, hat);
            let common = self.defaults.channels(sizes.len(), default, sizes.of_class[class] as usize);
            more.iter_mut().zip(common).for_each(|(more, common)| *more -= common);
            self.lists.push(Entry { more, class: cell.class, default });
        }
        self.lists.last_mut().expect("some class has seen it").class |= LAST;
        if let Some(signature) = signature {
            self.places.insert(signature, new);
        }
        new
    }

    /// What a pair takes back from the odds of its words, for each channel.
    #[inline(always)]
    pub(super) fn taken_back(model: &Model, stored: Stored) -> [f64; CHANNELS] {
        model.taken_back(Place::read(stored).documents)
    }

    /// All rows and lists rounded, made when they are first asked for; with odds where these count. None where there are too many.
    pub(super) fn rounded(&self, sizes: &Sizes, has_odds: bool) -> Option<&RoundedRows> {
        let round = || {
            let n = sizes.of_class.len();
            let fits = self.n_lists <= MOST_NUMBERED && RoundedRows::fits(n, (self.rows.len + self.n_lists) as usize);
            fits.then(|| {
                RoundedRows::new(n, has_odds, [self.rows.len, self.n_lists], |visit| self.each_row(sizes, visit))
            })
        };
        self.rounded.get_or_init(round).as_ref()
    }

    /// Visits each row, and then each list as a row: by channel and class, odds last.
    fn each_row(&self, sizes: &Sizes, visit: &mut dyn FnMut(&[f64])) {
        let (n, n_sizes) = (sizes.of_class.len(), sizes.len());
        let mut row = vec![0.0; WITH_ODDS * n];
        for number in 0..self.rows.len {
            let (weights, odds) = self.rows.get(n, number);
            row[..CHANNELS * n].copy_from_slice(weights);
            row[CHANNELS * n..].copy_from_slice(odds);
            visit(&row);
        }
        for list in self.lists.chunk_by(|entry, _| entry.class & LAST == 0) {
            let (weights, odds) = self.defaults.get(n_sizes, list[0].default);
            let channels = weights.chunks(n_sizes).chain([odds]);
            for (row, unseen) in row.chunks_mut(n).zip(channels) {
                row.iter_mut().zip(&sizes.of_class).for_each(|(weight, &size)| *weight = unseen[size as usize]);
            }
            for Entry { more, class, .. } in list {
                let weights = row.iter_mut().skip((class & !LAST) as usize).step_by(n);
                weights.zip(more).for_each(|(weight, more)| *weight += more);
            }
            visit(&row);
        }
    }

    /// Which of the features have rows, and which have lists.
    #[inline(always)]
    fn part(&self, features: &[Known], rows: &mut Vec<u32>, listed: &mut Vec<u32>) {
        rows.resize(features.len(), 0);
        listed.resize(features.len(), 0);
        let (mut n_rows, mut n_listed) = (0, 0);
        // Written to both, and kept in one: which it is cannot be guessed.
        for (at, feature) in features.iter().enumerate() {
            let is_row = Place::read(feature.weight).is_row;
            rows[n_rows] = at as u32;
            listed[n_listed] = at as u32;
            n_rows += usize::from(is_row);
            n_listed += usize::from(!is_row);
        }
        rows.truncate(n_rows);
        listed.truncate(n_listed);
    }

    /// Adds what the features of a block say to each class, by these scales of the channels; where there are shares, with its odds times
    /// the share of each feature.
    pub(super) fn add(
        &self,
        sizes: &Sizes,
        features: &[Known],
        shares: &[f64],
        scales: [f64; CHANNELS],
        sums: &mut ChannelSums,
        logs: &mut [f64],
    ) {
        sums.times.resize(sums.times.len().max(self.documents.len()), (0.0, 0.0));
        self.part(features, &mut sums.rows, &mut sums.listed);
        self.add_lists(features, shares, scales, sums, logs);
        self.add_rows(features, shares, scales, sums, logs);
        self.add_unseen(sizes, !shares.is_empty(), scales, sums, logs);
    }

    /// Adds the lists of features that have one, and notes their defaults.
    fn add_lists(
        &self,
        features: &[Known],
        shares: &[f64],
        scales: [f64; CHANNELS],
        sums: &mut ChannelSums,
        logs: &mut [f64],
    ) {
        let ChannelSums { listed, times, touched, .. } = sums;
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
            let list = &self.lists[place.start as usize..];
            let default = list[0].default;
            for Entry { more: [first, second, odds], class, .. } in list {
                logs[(class & !LAST) as usize] += first * scales[0] + second * scales[1] + share * odds;
                if class & LAST != 0 {
                    break;
                }
            }
            let times = &mut times[default as usize];
            if times.0 == 0.0 {
                touched.push(default);
            }
            *times = (times.0 + 1.0, times.1 + share);
        }
    }

    /// Adds the rows of features that have one.
    fn add_rows(
        &self,
        features: &[Known],
        shares: &[f64],
        scales: [f64; CHANNELS],
        sums: &mut ChannelSums,
        logs: &mut [f64],
    ) {
        let ChannelSums { rows, weights, odds, shares: row_shares, .. } = sums;
        if rows.is_empty() {
            return;
        }
        let n = logs.len();
        clear(weights, CHANNELS * n);
        clear(odds, n);
        row_shares.clear();
        if !shares.is_empty() {
            row_shares.extend(rows.iter().map(|&at| shares[at as usize]));
        }
        rows.iter_mut().for_each(|row| *row = Place::read(features[*row as usize].weight).start);
        add_rows(cast_slice::<Line, f64>(&self.rows.weights), rows, weights);
        if !shares.is_empty() {
            add_scaled_rows(cast_slice(&self.rows.odds), rows, row_shares, odds);
        }
        for (class, log) in logs.iter_mut().enumerate() {
            *log += weights[class] * scales[0] + weights[n + class] * scales[1] + odds[class];
        }
    }

    /// Adds the defaults of features that have a list.
    fn add_unseen(
        &self,
        sizes: &Sizes,
        has_shares: bool,
        scales: [f64; CHANNELS],
        sums: &mut ChannelSums,
        logs: &mut [f64],
    ) {
        let ChannelSums { weights, odds, shares, times, touched, .. } = sums;
        if touched.is_empty() {
            return;
        }
        let n = sizes.len();
        clear(weights, CHANNELS * n);
        clear(odds, n);
        // By their numbers of documents: an order that does not depend on when they were first met.
        touched.sort_unstable_by_key(|&number| self.documents[number as usize]);
        let of_times = |pick: fn((f64, f64)) -> f64, scales: &mut Vec<f64>| {
            scales.clear();
            scales.extend(touched.iter().map(|&number| pick(times[number as usize])));
        };
        of_times(|(n, _)| n, shares);
        add_scaled_rows(cast_slice(&self.defaults.weights), touched, shares, weights);
        if has_shares {
            of_times(|(_, share)| share, shares);
            add_scaled_rows(cast_slice(&self.defaults.odds), touched, shares, odds);
        }
        touched.drain(..).for_each(|number| times[number as usize] = (0.0, 0.0));
        for size in 0..n {
            odds[size] += weights[size] * scales[0] + weights[n + size] * scales[1];
        }
        logs.iter_mut().zip(&sizes.of_class).for_each(|(log, &size)| *log += odds[size as usize]);
    }
}

/// So many zeros, filled up to a whole number of lines.
fn clear(sums: &mut Vec<f64>, n: usize) {
    sums.clear();
    sums.resize(n.next_multiple_of(Line::LEN), 0.0);
}

/// Whether so many classes have seen a feature that it has a row of its own.
fn has_row(model: &Model, row: &[Cell]) -> bool {
    let n = model.shape.n_classes;
    let known = row.iter().filter(|cell| cell.documents > 0).count();
    // A row is read sooner; a list takes less memory unless nearly all classes have seen the feature.
    if n > MANY_CLASSES { known * 4 > n * 3 } else { known * 3 > n }
}

/// What tells rare features of one or two classes apart: their classes and the documents in each.
fn signature(row: &[Cell], df: u32) -> Option<[u64; 2]> {
    let mut cells = row.iter().filter(|cell| cell.documents > 0);
    let mut next = || cells.next().map_or(0, |cell| u64::from(cell.class) << 32 | u64::from(cell.documents));
    (df < SMALL && row.len() <= 2).then(|| [next(), next()])
}
