//! Counting what an analyzer finds.
//!
//! A few kilobytes of text at a time become tokens, keys and tallies, while everything they need is in the nearest cache.
//! Threads take a stretch of documents each, with vocabularies of their own, which are joined at the end.

use std::ops::Range;

use super::{Order, Tally};
use crate::error::Error;
use crate::processor::scattered;
use crate::rows::{Cell, Rows};
use crate::table::Table;
use crate::text::Tokens;
use crate::threads::{each_on_a_thread, parts_of_size};
use crate::vocabulary::{Hashed, Index, Key, LongNames, Seed, WordKey, Words, make_keys};

/// Text bytes that become tokens before these are looked up.
const FLUSH: usize = 4 << 10;
/// How many lookups ahead memory is asked for: about the time of one trip to memory.
const AHEAD: usize = 16;
/// Below so many bytes for each, another thread costs more than it saves.
const SHARE: usize = 1 << 20;

/// The tokens of documents as ids, one document after the other.
#[derive(Default)]
pub struct Stream {
    pub ids: Vec<u32>,
    pub ends: Vec<usize>,
}

/// The words that `analyze` finds, counted into `rows`; with `keep` also as a stream of ids.
pub fn count(
    order: &Order,
    threads: usize,
    analyze: impl Fn(&str, &mut Tokens) + Sync,
    rows: Option<&mut Rows>,
    keep: bool,
) -> Result<(Words, Stream), Error> {
    let bytes = order.bytes(0..order.len()) + 8 * order.len();
    let sizes = (0..order.len()).map(|rank| order.text(rank).len());
    let ranges = parts_of_size(sizes, bytes.div_ceil(threads.max(1)).max(SHARE));
    let mut words = Words::default();
    let mut stream = Stream::default();
    let mut uncounted = Rows::new(order.batch.n_classes);
    let rows = rows.unwrap_or(&mut uncounted);
    let counters = each_on_a_thread(&ranges, |ranks| {
        Counter::new(order.bytes(ranks.clone()), keep).count(order, ranks.clone(), &analyze)
    });
    for counter in counters {
        let counter = counter?;
        let theirs = Words::new(Index::from_keys(counter.seed, counter.keys), counter.long);
        if words.index.is_empty() {
            rows.append(theirs.index.len(), &counter.cells);
            (words, stream) = (theirs, counter.stream);
            continue;
        }
        let places: Vec<u32> = (0..theirs.index.len() as u32).map(|id| words.adopt(&theirs, id)).collect();
        counter.cells.iter().for_each(|(id, cell)| rows.add(places[*id as usize], *cell));
        let before = stream.ids.len();
        stream.ids.extend(counter.stream.ids.iter().map(|&id| places[id as usize]));
        stream.ends.extend(counter.stream.ends.iter().map(|end| before + end));
    }
    Ok((words, stream))
}

struct Counter {
    seed: Seed,
    table: Table<WordKey, Tally>,
    keys: Vec<WordKey>,
    long: LongNames,
    /// Places in the table that the current class has touched.
    touched: Vec<u32>,
    cells: Vec<(u32, Cell)>,
    keep: bool,
    stream: Stream,
}

impl Counter {
    fn new(bytes: usize, keep: bool) -> Self {
        Counter {
            seed: Seed::of_this_process(),
            // A guess, which saves most of the growing: text rarely has more different words.
            table: Table::with_room_for((bytes / 64).clamp(1 << 8, 1 << 17)),
            keys: vec![],
            long: LongNames::default(),
            touched: vec![],
            cells: vec![],
            keep,
            stream: Stream { ids: scattered(if keep { bytes / 5 } else { 0 }), ends: vec![] },
        }
    }

    fn count(mut self, order: &Order, ranks: Range<usize>, analyze: impl Fn(&str, &mut Tokens)) -> Result<Self, Error> {
        let (mut tokens, mut keys, mut ends, mut first) = (Tokens::default(), vec![], vec![], ranks.start);
        let mut weight = 0u64;
        for rank in ranks.clone() {
            let before = tokens.len();
            analyze(order.text(rank), &mut tokens);
            ends.push(tokens.len());
            // No tally of the class can become more than what all its tokens weigh, and that must fit 32 bits.
            let n_tokens = (tokens.len() - before).max(1) as u64;
            weight = weight.saturating_add(n_tokens * u64::from(order.weight(rank)));
            if weight > u64::from(u32::MAX) {
                return Err(Error::TooMany {
                    feature: "a word of these documents".into(),
                    class: order.class(rank) as usize,
                });
            }
            let is_last_of_class = rank + 1 == ranks.end || order.class(rank + 1) != order.class(rank);
            if tokens.bytes.len() > FLUSH || is_last_of_class {
                make_keys(&mut tokens, self.seed, &mut keys);
                self.add(order, first, &ends, &keys, &tokens);
                tokens.clear();
                ends.clear();
                first = rank + 1;
            }
            if is_last_of_class {
                let class = order.class(rank);
                self.touched.drain(..).for_each(|place| self.table.at(place as usize).finish(class, &mut self.cells));
                weight = 0;
            }
        }
        Ok(self)
    }

    /// Counts the documents from rank `first` on; `ends` are the ends of their tokens among `keys`.
    fn add(&mut self, order: &Order, first: usize, ends: &[usize], keys: &[Hashed], tokens: &Tokens) {
        while self.table.is_full(keys.len()) {
            self.grow();
        }
        let mut from = 0;
        for (rank, &end) in (first..).zip(ends) {
            let (weight, stamp) = (order.weight(rank), rank as u32 + 1);
            for i in from..end {
                if let Some(next) = keys.get(i + AHEAD) {
                    self.table.expect(next.hash);
                }
                let Hashed { key, hash } = keys[i];
                let id = match self.table.at_home(key, hash) {
                    Some(tally) if tally.last != 0 && !key.is_long() => {
                        tally.add(weight, stamp);
                        tally.id
                    }
                    _ => self.add_with_care(keys[i], tokens.get(i), weight, stamp),
                };
                if self.keep {
                    self.stream.ids.push(id);
                }
            }
            from = end;
            if self.keep {
                self.stream.ends.push(self.stream.ids.len());
            }
        }
    }

    /// Counts a word that may be new, or new to the class, or long, or not at its first place; its id.
    #[inline(never)]
    fn add_with_care(&mut self, Hashed { key, hash }: Hashed, word: &[u8], weight: u32, stamp: u32) -> u32 {
        let same = |tally: &Tally| !key.is_long() || self.long.get(tally.id) == Some(word);
        let (place, is_new) = self.table.place(key, hash, same);
        let tally = self.table.at(place);
        if is_new {
            tally.id = self.keys.len() as u32;
            self.keys.push(key);
            if key.is_long() {
                self.long.push(tally.id, word);
            }
        }
        if tally.add(weight, stamp) {
            self.touched.push(place as u32);
        }
        tally.id
    }

    /// A larger table, in which what the class has touched is elsewhere.
    #[cold]
    fn grow(&mut self) {
        let ids: Vec<u32> = self.touched.drain(..).map(|place| self.table.at(place as usize).id).collect();
        self.table.grow(|key| key.hash(self.seed));
        for id in ids {
            let key = self.keys[id as usize];
            let (place, _) = self.table.place(key, key.hash(self.seed), |tally| tally.id == id);
            self.touched.push(place as u32);
        }
    }
}
