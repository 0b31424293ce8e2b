//! Counting what an analyzer finds.
//!
//! A few kilobytes of text at a time become tokens, keys and tallies, while everything they need is in the nearest cache.
//! Threads take a stretch of documents each, with tables of their own; `join.rs` joins what they counted.

mod join;
mod open;

use std::ops::Range;
use std::sync::Mutex;

use super::{Order, Stamp, Tally};
use crate::error::Error;
use crate::processor::{expect_text, prefetch, scattered};
use crate::rows::{Cell, Rows};
use crate::table::Table;
use crate::text::Tokens;
use crate::threads::{each_on_a_thread, parts_of_size};
use crate::vocabulary::{AHEAD, Index, Key, LongNames, Places, Seed, WordKey, Words, pieces};
pub use open::Open;

/// Text bytes that become tokens before these are looked up.
const FLUSH: usize = 4 << 10;
/// Below so many bytes for each, another thread costs more than it saves.
const SHARE: usize = 1 << 20;

/// The tokens of documents as ids, one document after the other.
#[derive(Default)]
pub struct Stream {
    pub ids: Vec<u32>,
    pub ends: Vec<usize>,
}

impl Stream {
    /// Where the tokens of a document begin.
    pub fn start(&self, document: usize) -> usize {
        if document == 0 { 0 } else { self.ends[document - 1] }
    }

    /// How many tokens each document has.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        (0..self.ends.len()).map(|document| self.ends[document] - self.start(document))
    }
}

/// The words that `analyze` finds, counted into `rows`; with `keep` also as a stream of ids. From very long texts `analyze`
/// may hand over many at a time, by calling what it is given, unless they are kept.
pub fn count(
    order: &Order,
    threads: usize,
    analyze: impl Fn(&str, &mut Tokens, &mut dyn FnMut(&mut Tokens)) + Sync,
    rows: Option<&mut Rows>,
    keep: bool,
) -> Result<(Words, Stream), Error> {
    let ranges = stretches(order, threads);
    let counters = ranges.iter().map(|ranks| Counter::new(order.bytes(ranks.clone()), keep)).collect();
    let counters = count_stretches(counters, ranges, order, analyze, |_| ())?;
    check_weights(&counters)?;
    let mut counted = join::join(counters);
    if let Some(rows) = rows {
        *rows = counted.rows(order.batch.n_classes);
    }
    Ok((Words::new(Index::from_keys(Seed::of_this_process(), counted.keys, threads), counted.long), counted.stream))
}

/// The stretches of documents that threads take, one each.
fn stretches(order: &Order, threads: usize) -> Vec<Range<usize>> {
    let bytes = order.bytes(0..order.len()) + 8 * order.len();
    let sizes = (0..order.len()).map(|rank| order.text(rank).len());
    parts_of_size(sizes, bytes.div_ceil(threads.max(1)).max(SHARE)).collect()
}

/// Lets each counter count one of the stretches, on a thread of its own, where `finish` comes last.
fn count_stretches(
    counters: Vec<Counter>,
    ranges: Vec<Range<usize>>,
    order: &Order,
    analyze: impl Fn(&str, &mut Tokens, &mut dyn FnMut(&mut Tokens)) + Sync,
    finish: impl Fn(&mut Counter) + Sync,
) -> Result<Vec<Counter>, Error> {
    let counters = counters.into_iter().map(|counter| Mutex::new(Some(counter)));
    let work: Vec<_> = ranges.into_iter().zip(counters).collect();
    let counted = each_on_a_thread(&work, |(ranks, counter)| {
        let counter = counter.lock().expect("each has one thread").take().expect("each is taken once");
        let mut counter = counter.count(order, ranks.clone(), &analyze)?;
        finish(&mut counter);
        Ok(counter)
    });
    counted.into_iter().collect()
}

/// That what the tokens of a class weigh in all parts together fits 32 bits.
fn check_weights(counters: &[Counter]) -> Result<(), Error> {
    let mut sums = Weights::default();
    let mut all = counters.iter().flat_map(|counter| &counter.weights.0);
    all.try_for_each(|&(class, weight)| sums.add(class, weight))
}

/// The classes counted so far, and what the tokens of each weigh in all.
#[derive(Default)]
struct Weights(Vec<(u32, u64)>);

impl Weights {
    /// Adds to what the tokens of a class weigh, which must fit 32 bits: then so does every tally of the class.
    fn add(&mut self, class: u32, weight: u64) -> Result<(), Error> {
        if self.0.last().is_none_or(|&(last, _)| last != class) {
            self.0.push((class, 0));
        }
        let (_, sum) = self.0.last_mut().expect("the class is there");
        *sum = sum.saturating_add(weight);
        if *sum <= u64::from(u32::MAX) {
            return Ok(());
        }
        Err(Error::TooMany { feature: "a word of these documents".into(), class: class as usize })
    }
}

struct Counter {
    seed: Seed,
    table: Table<WordKey, Tally>,
    keys: Vec<WordKey>,
    long: LongNames,
    /// By word, where its name begins among those of long words, if it is one: to search for each of them takes longer than to compare it.
    long_starts: Vec<usize>,
    /// Places in the table that the current class has touched.
    touched: Vec<u32>,
    cells: Vec<(u32, Cell)>,
    /// How many cells were left when they were last added up, where batch after batch is counted.
    n_added_up: usize,
    weights: Weights,
    keep: bool,
    stream: Stream,
}

impl Counter {
    fn new(bytes: usize, keep: bool) -> Self {
        // A guess, which saves most of the growing: text rarely has more different words.
        let n_words = (bytes / 32).clamp(1 << 8, 1 << 17);
        Counter {
            seed: Seed::of_this_process(),
            table: Table::unready(n_words),
            keys: Vec::with_capacity(n_words),
            long: LongNames::default(),
            long_starts: vec![],
            touched: vec![],
            cells: vec![],
            n_added_up: 0,
            weights: Weights::default(),
            keep,
            stream: Stream { ids: scattered(if keep { bytes / 5 } else { 0 }), ends: vec![] },
        }
    }

    fn count(
        mut self,
        order: &Order,
        ranks: Range<usize>,
        analyze: impl Fn(&str, &mut Tokens, &mut dyn FnMut(&mut Tokens)),
    ) -> Result<Self, Error> {
        self.table.make_ready();
        let (mut tokens, mut places, mut ends, mut first) = (Tokens::default(), Places::default(), vec![], ranks.start);
        let mut bytes_left = order.bytes(ranks.clone());
        for rank in ranks.clone() {
            bytes_left -= order.text(rank).len();
            if rank + 1 < ranks.end {
                expect_text(order.text(rank + 1));
            }
            let (before, mut n_taken) = (tokens.len(), 0);
            analyze(order.text(rank), &mut tokens, &mut |tokens| {
                n_taken += tokens.len();
                ends.push(tokens.len());
                self.take(order, first, &mut ends, &mut places, tokens);
                first = rank;
            });
            ends.push(tokens.len());
            let n_tokens = (n_taken + tokens.len() - before).max(1) as u64;
            self.weights.add(order.class(rank), n_tokens * u64::from(order.weight(rank)))?;
            let is_last_of_class = rank + 1 == ranks.end || order.class(rank + 1) != order.class(rank);
            if tokens.bytes.len() > FLUSH || is_last_of_class {
                self.take(order, first, &mut ends, &mut places, &mut tokens);
                first = rank + 1;
            }
            if is_last_of_class {
                let to_come = (ranks.end - rank - 1) as f64 / (rank + 1 - ranks.start) as f64;
                self.finish_class(order.class(rank), to_come, bytes_left);
            }
        }
        Ok(self)
    }

    /// Counts the tokens of documents from rank `first` on, which end at `ends`, and takes them away.
    fn take(&mut self, order: &Order, first: usize, ends: &mut Vec<usize>, places: &mut Places, tokens: &mut Tokens) {
        let (mut rank, mut ends_left) = (first, &ends[..]);
        for piece in pieces(tokens.len()) {
            while self.table.is_full(piece.len()) {
                self.grow();
            }
            places.make(tokens, piece.clone(), self.seed, self.table.places());
            let n_ended = ends_left.partition_point(|&end| end <= piece.end);
            self.add(order, rank, ends_left, &piece, places, tokens);
            (rank, ends_left) = (rank + n_ended, &ends_left[n_ended..]);
        }
        tokens.clear();
        ends.clear();
    }

    /// Counts a piece of the tokens of the documents from rank `first` on, whose tokens end at `ends`; it has these places.
    fn add(
        &mut self,
        order: &Order,
        first: usize,
        ends: &[usize],
        piece: &Range<usize>,
        places: &Places,
        tokens: &Tokens,
    ) {
        let mut from = piece.start;
        for (rank, &document_end) in (first..).zip(ends) {
            let stamp = Stamp::new(rank, order.weight(rank));
            let end = document_end.min(piece.end);
            while from < end {
                let some = from - piece.start..end - piece.start;
                from += if self.keep {
                    self.add_at_home::<true>(places, some, stamp)
                } else {
                    self.add_at_home::<false>(places, some, stamp)
                };
                if from < end {
                    let at = from - piece.start;
                    let id = self.add_with_care(places.keys()[at], places.homes()[at], tokens.get(from), stamp);
                    if self.keep {
                        self.stream.ids.push(id);
                    }
                    from += 1;
                }
            }
            if document_end > piece.end {
                return; // it goes on in the next piece
            }
            if self.keep {
                self.stream.ends.push(self.stream.ids.len());
            }
        }
    }

    /// Counts some words for as long as they are at their first places, which most are; how many these were. The loop
    /// does what nearly every word needs and nothing else: 3.5 ns a word where one that did everything took 7.6.
    #[inline(never)]
    fn add_at_home<const KEEP: bool>(&mut self, places: &Places, some: Range<usize>, stamp: Stamp) -> usize {
        let Counter { table, touched, stream, .. } = self;
        let slots = table.slots_mut();
        let n = some.len();
        let (keys, homes) = (&places.keys()[some.clone()], &places.homes()[some.start..some.end + AHEAD]);
        for (i, (&key, (&home, &next))) in keys.iter().zip(homes.iter().zip(&homes[AHEAD..])).enumerate() {
            prefetch(slots, next as usize);
            let slot = &mut slots[home as usize];
            if slot.key != key {
                return i;
            }
            if slot.value.add(stamp) {
                touched.push(home);
            }
            if KEEP {
                stream.ids.push(slot.value.id);
            }
        }
        n
    }

    /// Counts a word that may be new, or long, or not at its first place; its id.
    #[inline(never)]
    fn add_with_care(&mut self, key: WordKey, home: u32, name: &[u8], stamp: Stamp) -> u32 {
        let key = key.stored();
        let same = |tally: &Tally| !key.is_long() || self.long.is_at(self.long_starts[tally.id as usize], name);
        let (place, is_new) = self.table.place_from(home as usize, key, same);
        let tally = self.table.at(place);
        if is_new {
            tally.id = self.keys.len() as u32;
            self.keys.push(key);
            if key.is_long() {
                self.long_starts.resize(tally.id as usize, 0);
                self.long_starts.push(self.long.n_bytes());
                self.long.push(tally.id, name);
            }
        }
        if tally.add(stamp) {
            self.touched.push(place as u32);
        }
        tally.id
    }

    /// Reads the class off. So many times as many documents are still to come as there have been, of so many bytes.
    fn finish_class(&mut self, class: u32, to_come: f64, bytes_left: usize) {
        // Room for theirs at once: cells that are moved while they grow take memory twice, which the system has to clear first. But no
        // more than one for every four bytes of text: after a class of one long document, short ones may come by the thousand.
        let n = self.cells.len() + self.touched.len();
        if n > self.cells.capacity() {
            let n = n + ((n as f64 * to_come) as usize).min(bytes_left / 4);
            self.cells.reserve(n - self.cells.len());
        }
        for (i, &place) in self.touched.iter().enumerate() {
            if let Some(&next) = self.touched.get(i + AHEAD) {
                prefetch(self.table.slots(), next as usize);
            }
            self.table.at(place as usize).finish(class, &mut self.cells);
        }
        self.touched.clear();
    }

    /// A larger table, in which what the class has touched is elsewhere.
    #[cold]
    fn grow(&mut self) {
        self.table.grow(|key| key.placing_hash(self.seed));
        self.touched.clear();
        let slots = self.table.slots().iter().enumerate();
        self.touched.extend(slots.filter(|(_, slot)| slot.value.last != 0).map(|(place, _)| place as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::Batch;
    use crate::text::{Analyzer, Settings};

    #[test]
    fn short_documents_after_a_long_one_get_no_more_room_than_their_text_can_fill() {
        let long = (0..2000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let mut texts = vec!["a"; 2001];
        texts[0] = &long;
        let classes: Vec<u32> = (0..2001).map(|number| number.min(1)).collect();
        let order = Order::new(Batch { texts: &texts, classes: &classes, weights: None, n_classes: 2 });
        let analyzer = Analyzer::new(Settings::default()).unwrap();
        let analyze = |text: &str, tokens: &mut Tokens, _: &mut dyn FnMut(&mut Tokens)| analyzer.words(text, tokens);
        let counted = Counter::new(64, false).count(&order, 0..order.len(), analyze).unwrap();
        assert!(counted.cells.len() == 2001 && counted.cells.capacity() < order.bytes(0..order.len()));
    }
}
