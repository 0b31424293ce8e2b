//! From the words of documents to what is known of them.
//!
//! Once weights are kept they lie in a table beside the keys of their features, so that a word and its weight are found at
//! one stroke.

use std::ops::Range;

use crate::table::Table;
use crate::text::Tokens;
use crate::vocabulary::{Hashed, Index, Key, Seed, UNKNOWN, WordKey, Words, pair};

/// How many lookups ahead memory is asked for.
const AHEAD: usize = 16;

/// Eight bytes beside the key of a feature: a weight, or where its weights are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored(pub u64);

impl Stored {
    /// A weight as a number.
    #[inline(always)]
    pub fn number(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// A feature as the table of known features has it.
#[derive(Clone, Copy)]
pub struct Known {
    /// Its id; [`UNKNOWN`] for none.
    pub id: u32,
    /// The number of a row of further weights; [`UNKNOWN`] for none.
    pub row: u32,
    /// What is kept of it.
    pub weight: Stored,
}

impl Known {
    /// One of which the weight is not known yet, or will never be.
    pub fn bare(id: u32) -> Self {
        Known { id, row: UNKNOWN, weight: Stored(0) }
    }
}

impl Default for Known {
    fn default() -> Self {
        Known::bare(UNKNOWN)
    }
}

pub(super) enum KnownFeatures {
    Words(Table<WordKey, Known>),
    Runs(Table<u64, Known>),
}

pub(super) fn known<K: Key>(index: &Index<K>, known: impl Fn(u32) -> Known) -> Table<K, Known> {
    let mut table = Table::with_room_for(index.len());
    let keys = index.keys();
    for (id, &key) in keys.iter().enumerate() {
        if let Some(next) = keys.get(id + AHEAD) {
            table.expect(next.hash(index.seed()));
        }
        // Equal keys are those of long words with the same hash: both have a place.
        let (place, _) = table.place(key, key.hash(index.seed()), |_| false);
        *table.at(place) = known(id as u32);
    }
    table
}

/// The features of some documents, of one block.
#[derive(Default)]
pub struct Looked {
    /// What is known of each, in the order of the documents; unknown ones have their places too.
    pub found: Vec<Known>,
    /// Where the features of each document end.
    pub(super) ends: Vec<usize>,
}

impl Looked {
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.ends.clear();
    }

    /// Those of one document.
    pub fn of(&self, document: usize) -> &[Known] {
        &self.found[self.range(document)]
    }

    fn range(&self, document: usize) -> Range<usize> {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        start..self.ends[document]
    }

    pub(super) fn find_words(
        &mut self,
        known: &Table<WordKey, Known>,
        keys: &[Hashed],
        tokens: &Tokens,
        words: &Words,
    ) {
        self.found.extend(keys.iter().enumerate().map(|(i, &Hashed { key, hash })| {
            if let Some(next) = keys.get(i + AHEAD) {
                known.expect(next.hash);
            }
            let same = |known: &Known| !key.is_long() || words.long.get(known.id) == Some(tokens.get(i));
            known.get(key, hash, same).copied().unwrap_or_default()
        }));
    }

    pub(super) fn find_runs(&mut self, known: &Table<u64, Known>, pairs: &[Hashed<u64>]) {
        self.found.extend(pairs.iter().enumerate().map(|(i, &Hashed { key, hash })| {
            if let Some(next) = pairs.get(i + AHEAD) {
                known.expect(next.hash);
            }
            if key == u64::EMPTY {
                Known::default()
            } else {
                known.get(key, hash, |_| true).copied().unwrap_or_default()
            }
        }));
    }

    /// The keys of the runs of `n` words in the documents of `words`, and their hashes; `left` has the runs of n - 1 words.
    /// Runs with an unknown part have their places too.
    pub(super) fn make_runs(
        &mut self,
        words: &Looked,
        left: &Looked,
        n: usize,
        seed: Seed,
        pairs: &mut Vec<Hashed<u64>>,
    ) {
        pairs.clear();
        for at in 0..words.ends.len() {
            for (left, right) in left.of(at).iter().zip(words.of(at).iter().skip(n - 1)) {
                let is_unknown = left.id == UNKNOWN || right.id == UNKNOWN;
                let key = if is_unknown { u64::EMPTY } else { pair(left.id, right.id) };
                pairs.push(Hashed { key, hash: key.hash(seed) });
            }
            self.ends.push(pairs.len());
        }
    }
}
