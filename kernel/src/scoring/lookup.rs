//! From the words of documents to what is known of them.
//!
//! Once weights are ready they lie in a table beside the keys of their features, so that a word and its weight are found at
//! one stroke.

use std::ops::Range;

use super::weights::{Stored, Weights};
use crate::table::Table;
use crate::text::Tokens;
use crate::vocabulary::{Hashed, Index, Key, Seed, UNKNOWN, WordKey, Words, pair};

/// How many lookups ahead memory is asked for.
const AHEAD: usize = 16;

/// A feature as the table of known features has it.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) id: u32,
    pub(super) weight: Stored,
}

impl Known {
    /// One of which the weight is not known yet, or will never be.
    pub(super) fn bare(id: u32) -> Self {
        Known { id, weight: Stored(0) }
    }
}

impl Default for Known {
    fn default() -> Self {
        Known::bare(UNKNOWN)
    }
}

/// What scoring keeps of a block after some use.
pub(super) struct Ready {
    pub(super) known: KnownFeatures,
    pub(super) weights: Weights,
}

pub(super) enum KnownFeatures {
    Words(Table<WordKey, Known>),
    Runs(Table<u64, Known>),
}

pub(super) fn known<K: Key>(index: &Index<K>, weights: &Weights) -> Table<K, Known> {
    let mut table = Table::with_room_for(index.len());
    for (id, &key) in index.keys().iter().enumerate() {
        // Equal keys are those of long words with the same hash: both have a place.
        let (place, _) = table.place(key, key.hash(index.seed()), |_| false);
        *table.at(place) = Known { id: id as u32, weight: weights.stored(id) };
    }
    table
}

/// The features of some documents, of one block.
#[derive(Default)]
pub(super) struct Looked {
    pub(super) found: Vec<Known>,
    pub(super) ends: Vec<usize>,
    /// Whether they were found together with their weights.
    pub(super) is_ready: bool,
    /// For each feature the last document that had it.
    pub(super) seen: Vec<u32>,
}

impl Looked {
    pub(super) fn clear(&mut self, is_ready: bool) {
        self.found.clear();
        self.ends.clear();
        self.is_ready = is_ready;
    }

    pub(super) fn range(&self, at: usize) -> Range<usize> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start..self.ends[at]
    }

    /// Makes every feature of a document unknown that stands there already.
    pub(super) fn keep_first(&mut self, range: Range<usize>, stamp: u32, n_features: usize) {
        self.seen.resize(n_features, 0);
        for known in &mut self.found[range] {
            let Some(seen) = self.seen.get_mut(known.id as usize) else { continue };
            if std::mem::replace(seen, stamp) == stamp {
                *known = Known::default();
            }
        }
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

    pub(super) fn find_runs(&mut self, known: &Table<u64, Known>, pairs: &[(u64, u64)]) {
        self.found.extend(pairs.iter().enumerate().map(|(i, &(key, hash))| {
            if let Some(&(_, next)) = pairs.get(i + AHEAD) {
                known.expect(next);
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
        pairs: &mut Vec<(u64, u64)>,
    ) {
        pairs.clear();
        for at in 0..words.ends.len() {
            let (words, left) = (&words.found[words.range(at)], &left.found[left.range(at)]);
            for (left, right) in left.iter().zip(words.iter().skip(n - 1)) {
                let is_unknown = left.id == UNKNOWN || right.id == UNKNOWN;
                let key = if is_unknown { u64::EMPTY } else { pair(left.id, right.id) };
                pairs.push((key, key.hash(seed)));
            }
            self.ends.push(pairs.len());
        }
    }
}
