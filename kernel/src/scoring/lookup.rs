//! From the words of documents to what is known of them.
//!
//! Once weights are kept they lie in a table beside the keys of their features, so that a word and its weight are found at
//! one stroke.

use std::ops::Range;

use super::runs::{Asked, KnownRuns};
use crate::processor::prefetch;
use crate::rows::Rows;
use crate::table::Table;
use crate::vocabulary::{AHEAD, Hashed, Index, Key, Places, Seed, UNKNOWN, WordKey, Words, pair};

/// Eight bytes beside the key of a feature: a weight, or where its weights are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stored(pub u64);

impl Stored {
    /// A weight as a number.
    #[inline(always)]
    pub fn number(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// Two weights, as numbers of half the size.
    #[inline(always)]
    pub fn pair([first, second]: [f32; 2]) -> Self {
        Stored(u64::from(first.to_bits()) | u64::from(second.to_bits()) << 32)
    }

    /// The two numbers that [`Stored::pair`] was made of.
    #[inline(always)]
    pub fn numbers(self) -> [f32; 2] {
        [f32::from_bits(self.0 as u32), f32::from_bits((self.0 >> 32) as u32)]
    }
}

/// A feature as the table of known features has it.
#[derive(Clone, Copy)]
pub struct Known {
    /// Its id; [`UNKNOWN`] for none. The id of a run that was found in a table is the place of its key there.
    pub id: u32,
    /// What is kept of the feature's correction, where that is not kept elsewhere.
    pub correction: u32,
    /// What is kept of it.
    pub weight: Stored,
}

impl Known {
    /// One of which the weight is not known yet, or will never be.
    pub fn bare(id: u32) -> Self {
        Known { id, correction: UNKNOWN, weight: Stored(0) }
    }
}

impl Default for Known {
    fn default() -> Self {
        Known::bare(UNKNOWN)
    }
}

pub(super) enum KnownFeatures {
    Words(Table<WordKey, Known>),
    Runs(KnownRuns),
}

/// The words of a vocabulary, whose counts are `rows`.
pub(super) fn known_words(
    words: &Words,
    rows: &Rows,
    seed: Seed,
    stored: impl Fn(usize) -> Stored,
) -> Table<WordKey, Known> {
    let (keys, order) = (words.keys(seed), frequent_first(words.index.len(), rows));
    let mut table = Table::with_room_for(keys.len());
    let hash = |id: u32| keys[id as usize].placing_hash(seed);
    for (i, &id) in order.iter().enumerate() {
        if let Some(&next) = order.get(i + AHEAD) {
            table.expect(hash(next));
        }
        // Equal keys are those of long words with the same hash: both have a place.
        let (place, _) = table.place(keys[id as usize], hash(id), |_| false);
        *table.at(place) = Known { weight: stored(id as usize), ..Known::bare(id) };
    }
    table
}

/// All `n` ids, those of more documents first, as far as their binary logarithms differ: a word that comes early lies where it is looked for
/// first, and the order of names, which a file has, says nothing of how often that will be.
pub(super) fn frequent_first(n: usize, rows: &Rows) -> Vec<u32> {
    let mut by_logarithm = vec![vec![]; u64::BITS as usize + 1];
    for id in 0..n as u32 {
        // Words that do not count themselves, only runs of them, have no rows.
        let row = if (id as usize) < rows.len() { rows.get(id) } else { &[] };
        let documents: u64 = row.iter().map(|cell| u64::from(cell.documents)).sum();
        by_logarithm[documents.leading_zeros() as usize].push(id);
    }
    by_logarithm.concat()
}

/// What is known of the features of a block that documents had, unknown ones too: a small table, which stays in the cache, where
/// the counts do not. It is of use where counts change before their weights are worth keeping.
#[derive(Default)]
pub(super) struct Remembered {
    words: Few<WordKey>,
    runs: Few<u64>,
}

/// The table of some features, and the places and ids of those of a document that are not in it yet.
struct Few<K: Key> {
    table: Option<Table<K, Known>>,
    missing: Vec<usize>,
    ids: Vec<u32>,
}

impl<K: Key> Default for Few<K> {
    fn default() -> Self {
        Few { table: None, missing: vec![], ids: vec![] }
    }
}

/// Features that a table has room for at first.
const FIRST_ROOM: usize = 256;
/// Places of the largest table that is cleared and used again.
const MOST_CLEARED: usize = 4 << 10;

impl Remembered {
    /// How many features it has.
    pub(super) fn len(&self) -> usize {
        let n_words = self.words.table.as_ref().map_or(0, Table::n_keys);
        n_words + self.runs.table.as_ref().map_or(0, Table::n_keys)
    }

    /// Forgets all of them. A large table is let go: to clear it would take longer than to make a small one.
    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.runs.clear();
    }

    /// The words of documents with these keys, of which `token` has the bytes; `ask` says what there is to know of one that is
    /// asked for the first time.
    pub(super) fn find_words<'t>(
        &mut self,
        words: &Words,
        rows: &Rows,
        token: impl Fn(usize) -> &'t [u8],
        keys: &[Hashed],
        ask: impl FnMut(u32) -> Known,
        found: &mut Vec<Known>,
    ) {
        let is_same = |at: usize, id: u32| !keys[at].key.is_long() || words.long.get(id) == Some(token(at));
        // The key of a long word is that of others, too.
        let can_keep = |key: WordKey, id: u32| id != UNKNOWN || !key.is_long();
        self.words.find(&words.index, rows, keys, words.index.seed(), is_same, can_keep, ask, found);
    }

    /// The runs of documents with these keys, [`Key::EMPTY`] for one of which a part is unknown.
    pub(super) fn find_runs(
        &mut self,
        index: &Index<u64>,
        rows: &Rows,
        keys: &[Hashed<u64>],
        ask: impl FnMut(u32) -> Known,
        found: &mut Vec<Known>,
    ) {
        self.runs.find(index, rows, keys, Seed::of_this_process(), |_, _| true, |_, _| true, ask, found);
    }
}

impl<K: Key> Few<K> {
    fn clear(&mut self) {
        self.table.take_if(|table| table.places() > MOST_CLEARED);
        self.table.iter_mut().for_each(Table::clear);
    }

    /// `seed` is that of the hashes of `keys`.
    #[allow(clippy::too_many_arguments)]
    fn find(
        &mut self,
        index: &Index<K>,
        rows: &Rows,
        keys: &[Hashed<K>],
        seed: Seed,
        is_same: impl Fn(usize, u32) -> bool,
        can_keep: impl Fn(K, u32) -> bool,
        mut ask: impl FnMut(u32) -> Known,
        found: &mut Vec<Known>,
    ) {
        let hash_by = |other: Seed, at: usize| if seed == other { keys[at].hash } else { keys[at].key.hash(other) };
        // The seed of a file is known to all, so the table has that of the process.
        let hash_here = |at: usize| hash_by(Seed::of_this_process(), at);
        let hash_there = |at: usize| hash_by(index.seed(), at);
        let Few { table, missing, ids } = self;
        let table = table.get_or_insert_with(|| Table::with_room_for(FIRST_ROOM));
        let first = found.len();
        missing.clear();
        found.extend(keys.iter().enumerate().map(|(at, &Hashed { key, .. })| {
            if key == K::EMPTY {
                return Known::default();
            }
            let place = table.find(key, hash_here(at), |known| is_same(at, known.id));
            place.map_or_else(
                || {
                    missing.push(at);
                    Known::default()
                },
                |place| *table.value(place),
            )
        }));
        // Each step asks for the memory that the next one reads, for all that are missing: one trip to it instead of many.
        missing.iter().for_each(|&at| index.expect(hash_there(at)));
        missing.iter().for_each(|&at| index.expect_key(hash_there(at)));
        ids.clear();
        for &at in missing.iter() {
            let id = index.find_hashed(keys[at].key, hash_there(at), |id| is_same(at, id));
            rows.expect(id);
            ids.push(id);
        }
        ids.iter().for_each(|&id| rows.expect_cells(id));
        for (&at, &id) in missing.iter().zip(ids.iter()) {
            let (key, hash) = (keys[at].key, hash_here(at));
            // It may stand twice in the same document.
            let place = table.find(key, hash, |known| is_same(at, known.id));
            found[first + at] = place.map_or_else(|| ask(id), |place| *table.value(place));
            if place.is_none() && can_keep(key, id) {
                insert(table, key, hash, found[first + at]);
            }
        }
    }
}

fn insert<K: Key>(table: &mut Table<K, Known>, key: K, hash: u64, known: Known) {
    if table.is_full(1) {
        table.grow(|key| key.hash(Seed::of_this_process()));
    }
    let (place, _) = table.place(key, hash, |_| false);
    *table.at(place) = known;
}

/// The features of some documents, of one block.
#[derive(Default)]
pub struct Looked {
    /// What is known of each, in the order of the documents; unknown ones have their places too.
    pub found: Vec<Known>,
    /// The same without the ids, where nobody asks for these.
    pub weights: Vec<Stored>,
    /// Of a long text, how often each stands there: then each is there once. Else nothing.
    pub times: Vec<u32>,
    /// Where the features of each document end.
    pub(super) ends: Vec<usize>,
    /// By id, where a feature of a long text is among these.
    numbers: Option<Table<u64, u32>>,
}

impl Looked {
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.weights.clear();
        self.times.clear();
        self.ends.clear();
        self.numbers = None;
    }

    /// Counts features of a long text: those with an id, each of which is kept once. `known_of` says what is known of it.
    pub(super) fn count(&mut self, ids: &[u32], mut known_of: impl FnMut(u32) -> Known) {
        let seed = Seed::of_this_process();
        let numbers = self.numbers.get_or_insert_with(|| Table::with_room_for(FIRST_ROOM));
        for &id in ids.iter().filter(|id| **id != UNKNOWN) {
            let key = u64::from(id);
            let (place, is_new) = numbers.place(key, key.hash(seed), |_| true);
            if is_new {
                *numbers.at(place) = self.found.len() as u32;
                self.found.push(known_of(id));
                self.times.push(0);
            }
            let times = &mut self.times[*numbers.at(place) as usize];
            *times = times.saturating_add(1);
            if is_new && numbers.is_full(1) {
                numbers.grow(|key| key.hash(seed));
            }
        }
    }

    /// The features of one document, and how often each is meant.
    pub fn each(&self, document: usize) -> impl Iterator<Item = (&Known, u32)> {
        let range = self.range(document);
        let times = self.times.get(range.clone()).unwrap_or_default().iter().copied();
        self.found[range].iter().zip(times.chain(std::iter::repeat(1)))
    }

    /// Those of one document.
    pub fn of(&self, document: usize) -> &[Known] {
        &self.found[self.range(document)]
    }

    /// The weights of one document's features, where only these were looked up.
    pub fn weights_of(&self, document: usize) -> &[Stored] {
        &self.weights[self.range(document)]
    }

    fn range(&self, document: usize) -> Range<usize> {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        start..self.ends[document]
    }

    /// Finds words.
    pub(super) fn find_words<'a>(
        &mut self,
        known: &Table<WordKey, Known>,
        places: &Places,
        token: impl Fn(usize) -> &'a [u8],
        words: &Words,
    ) {
        self.found.extend(each_found(known, places, token, words));
    }

    /// The same where only the weights are wanted.
    pub(super) fn find_weights<'a>(
        &mut self,
        known: &Table<WordKey, Known>,
        places: &Places,
        token: impl Fn(usize) -> &'a [u8],
        words: &Words,
    ) {
        self.weights.extend(each_found(known, places, token, words).map(|known| known.weight));
    }

    /// Asks for the runs of `n` words in the documents of `words`; `left` has the runs of n - 1 words.
    pub(super) fn ask_runs(
        &mut self,
        words: &Looked,
        left: &Looked,
        n: usize,
        known: Option<&KnownRuns>,
        runs: &mut AskedRuns,
    ) {
        for at in 0..words.ends.len() {
            runs.push(known, left.of(at), words.of(at).get(n - 1..).unwrap_or_default());
            self.ends.push(runs.asked.len() + runs.keys.len());
        }
    }
}

/// Runs that are about to be looked up: in the table of those that are kept, or else by their keys.
#[derive(Default)]
pub(super) struct AskedRuns {
    pub(super) asked: Vec<Asked>,
    pub(super) keys: Vec<Hashed<u64>>,
}

impl AskedRuns {
    pub(super) fn clear(&mut self) {
        self.asked.clear();
        self.keys.clear();
    }

    /// Appends runs: `left` has all but the last word of each, `right` the last. Runs with an unknown part have their places too.
    pub(super) fn push(&mut self, known: Option<&KnownRuns>, left: &[Known], right: &[Known]) {
        if let Some(known) = known {
            return known.ask(left, right, &mut self.asked);
        }
        let seed = Seed::of_this_process();
        self.keys.extend(left.iter().zip(right).map(|(left, right)| {
            let is_unknown = left.id == UNKNOWN || right.id == UNKNOWN;
            let key = if is_unknown { u64::EMPTY } else { pair(left.id, right.id) };
            Hashed { key, hash: key.hash(seed) }
        }));
    }
}

#[inline(always)]
fn each_found<'a>(
    known: &Table<WordKey, Known>,
    places: &Places,
    token: impl Fn(usize) -> &'a [u8],
    words: &Words,
) -> impl Iterator<Item = Known> {
    let (slots, homes) = (known.slots(), places.homes());
    let each = places.keys().iter().zip(homes.iter().zip(&homes[AHEAD..]));
    each.enumerate().map(move |(at, (&key, (&home, &next)))| {
        prefetch(slots, next as usize);
        let slot = &slots[home as usize];
        if slot.key == key { slot.value } else { find_further(known, key, home, token(at), words) }
    })
}

/// A word that is long, or unknown, or not at its first place.
#[inline(never)]
fn find_further(known: &Table<WordKey, Known>, key: WordKey, home: u32, name: &[u8], words: &Words) -> Known {
    let key = key.stored();
    let same = |known: &Known| !key.is_long() || words.long.get(known.id) == Some(name);
    known.get_from(home as usize, key, same).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Cell;

    #[test]
    fn frequent_words_come_first_and_all_are_found() {
        let seed = Seed::of_this_process();
        let name = |id: u32| format!("word{id}{}", if id.is_multiple_of(5) { "-which-is-a-long-one" } else { "" });
        let names: Vec<Vec<u8>> = (0..300).map(|id| name(id).into_bytes()).collect();
        let words = Words::from_names(&names, seed);
        let documents = |id: u32| if id == 7 { 0 } else { 1 + id * id % 1000 };
        let mut rows = Rows::new(2);
        let cells: Vec<(u32, Cell)> = (0..300)
            .filter(|&id| documents(id) > 0)
            .map(|id| (id, Cell { class: id % 2, occurrences: documents(id), documents: documents(id) }))
            .collect();
        rows.append(300, &cells);
        let order = frequent_first(300, &rows);
        assert!(order.windows(2).all(|pair| documents(pair[0]) * 2 >= documents(pair[1])));
        assert_eq!(order.last(), Some(&7));
        // Words of which only runs count have no rows.
        for rows in [rows, Rows::new(2)] {
            let table = known_words(&words, &rows, seed, |id| Stored(id as u64));
            for (id, name) in names.iter().enumerate() {
                let key = words.keys(seed)[id];
                let same = |known: &Known| !key.is_long() || words.long.get(known.id) == Some(&name[..]);
                let known = table.value(table.find(key, key.placing_hash(seed), same).unwrap());
                assert_eq!((known.id, known.weight), (id as u32, Stored(id as u64)));
            }
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..300));
    }
}
