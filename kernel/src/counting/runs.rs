//! Counting runs of words.
//!
//! A run of n words is a pair of ids: that of its first n - 1 words, and that of its last. There are so many pairs that each
//! look into one large table would be a trip to memory. So they are sorted first, by the first bits of their hashes, into
//! parts of a few thousand: a part has a table that fits the nearest cache and is forgotten when the part is done. Since
//! equal pairs are in the same part, threads share the parts and nothing has to be joined.
//!
//! Both steps are shared by threads: first each sorts the pairs of some documents, then each counts some parts, of which it finds the
//! pairs of all documents in their order.

use std::ops::Range;

use bytemuck::Zeroable;

use super::words::Stream;
use super::{Order, Stamp, Tally};
use crate::processor::{scattered, scattered_zeros};
use crate::rows::{Cell, Rows};
use crate::table::Table;
use crate::threads::{each_on_a_thread, equal_parts, parts_of_size};
use crate::vocabulary::{Index, Key, Seed, UNKNOWN, pair};

/// About so many pairs make a part.
const PART: usize = 1 << 13;
/// Parts are written to all at once while pairs are sorted; more than these would be too many.
const MOST_PARTS: usize = 1 << 9;

/// The runs of `n` words, counted into `rows` where these are given.
///
/// `left[i]` is the id of the run of n - 1 words that starts at word i, one of `n_left`; words have one of `n_words`. With `keep` the
/// ids of the runs of n words come back in the same form.
#[allow(clippy::too_many_arguments)]
pub fn count(
    order: &Order,
    threads: usize,
    words: &Stream,
    n_words: usize,
    left: &[u32],
    n_left: usize,
    n: u8,
    rows: Option<&mut Rows>,
    keep: bool,
) -> (Index<u64>, Vec<u32>) {
    let seed = Seed::of_this_process();
    let bits = (words.ids.len() / PART).next_power_of_two().min(MOST_PARTS).trailing_zeros();
    let runs = Runs { words, left, n: n as usize, seed, bits };
    let is_counted = rows.is_some();
    let counted = match Packing::new(n_left, n_words, order.len()) {
        Some(packing) => count_by::<u64>(order, threads, &runs, &packing, is_counted, keep),
        None => count_by::<[u64; 2]>(order, threads, &runs, &(), is_counted, keep),
    };
    let mut ids = if keep { vec![UNKNOWN; words.ids.len()] } else { vec![] };
    let (mut keys, mut parts) = (vec![], vec![]);
    for Counter { keys: more, rows, places, .. } in counted {
        let first = keys.len() as u32;
        places.iter().for_each(|&(position, id)| ids[position as usize] = first + id);
        parts.extend(rows);
        if keys.is_empty() { keys = more } else { keys.extend(more) }
    }
    if let Some(rows) = rows.filter(|_| !parts.is_empty()) {
        *rows = Rows::joined(parts);
    }
    (Index::from_keys(seed, keys, threads), ids)
}

/// What threads have counted, each of them some of the parts, in the order of these.
fn count_by<W: Waiting>(
    order: &Order,
    threads: usize,
    runs: &Runs,
    packing: &W::Packing,
    is_counted: bool,
    keep: bool,
) -> Vec<Counter> {
    let documents = parts_of_size(runs.words.lengths(), runs.words.ids.len().div_ceil(threads.max(1)).max(PART));
    let documents: Vec<_> = documents.collect();
    let sorted = each_on_a_thread(&documents, |ranks| Sorted::<W>::new(runs, ranks.clone(), packing, keep));
    each_on_a_thread(&equal_parts(1 << runs.bits, threads), |parts| {
        let counter = Counter { rows: is_counted.then(|| Rows::new(order.batch.n_classes)), ..Counter::default() };
        counter.count(order, runs, &sorted, parts.clone(), packing)
    })
}

/// A run that waits for its part to be counted: its key and the rank of its document. How it is kept says a packing.
trait Waiting: Copy + Sync + Send + Zeroable {
    type Packing: Sync;
    fn new(key: u64, rank: u32, packing: &Self::Packing) -> Self;
    fn get(self, packing: &Self::Packing) -> (u64, u32);
}

impl Waiting for [u64; 2] {
    type Packing = ();

    fn new(key: u64, rank: u32, (): &()) -> Self {
        [key, u64::from(rank)]
    }

    fn get(self, (): &()) -> (u64, u32) {
        (self[0], self[1] as u32)
    }
}

/// Both ids and the rank in one number: half the memory, and that is what sorting them takes time for.
struct Packing {
    right_bits: u32,
    rank_bits: u32,
}

impl Packing {
    /// None where the largest of each would not fit.
    fn new(n_left: usize, n_words: usize, n_ranks: usize) -> Option<Self> {
        let [left_bits, right_bits, rank_bits] = [n_left, n_words, n_ranks].map(|n| usize::BITS - n.leading_zeros());
        (left_bits + right_bits + rank_bits <= u64::BITS).then_some(Packing { right_bits, rank_bits })
    }
}

impl Waiting for u64 {
    type Packing = Packing;

    #[inline(always)]
    fn new(key: u64, rank: u32, packing: &Packing) -> Self {
        let (left, right) = (key >> 32, key & u64::from(u32::MAX));
        (left << packing.right_bits | right) << packing.rank_bits | u64::from(rank)
    }

    #[inline(always)]
    fn get(self, packing: &Packing) -> (u64, u32) {
        let lowest = |number: u64, bits: u32| (number & ((1 << bits) - 1)) as u32;
        let both = self >> packing.rank_bits;
        let left = (both >> packing.right_bits) as u32;
        (pair(left, lowest(both, packing.right_bits)), lowest(self, packing.rank_bits))
    }
}

/// All runs of n words of some documents.
struct Runs<'a> {
    words: &'a Stream,
    left: &'a [u32],
    n: usize,
    seed: Seed,
    /// How many bits of a hash choose the part.
    bits: u32,
}

impl Runs<'_> {
    /// The part of a hash, and the bits after those that choose it, which choose the place in the part's table.
    fn split(&self, hash: u64) -> (usize, u64) {
        if self.bits == 0 { (0, hash) } else { ((hash >> (64 - self.bits)) as usize, hash << self.bits) }
    }

    /// Each run of some documents: its part, its key, its document's rank and its first word's position.
    #[inline(always)]
    fn each(&self, ranks: Range<usize>, mut visit: impl FnMut(usize, u64, u32, u32)) {
        let mut from = self.words.start(ranks.start);
        for rank in ranks {
            let end = self.words.ends[rank];
            for position in from..(end + 1).saturating_sub(self.n).max(from) {
                let key = pair(self.left[position], self.words.ids[position + self.n - 1]);
                visit(self.split(key.hash(self.seed)).0, key, rank as u32, position as u32);
            }
            from = end;
        }
    }
}

/// Runs of some documents, sorted by part.
struct Sorted<W> {
    waiting: Vec<W>,
    /// Beside them the positions of their first words, where these are wanted.
    positions: Vec<u32>,
    /// By part, the place after its last run.
    ends: Vec<usize>,
}

impl<W: Waiting> Sorted<W> {
    /// Looks at all runs twice: once to know how many each part has, and once to write them. Blocks that are added to as they fill
    /// need one look and were no faster.
    fn new(runs: &Runs, ranks: Range<usize>, packing: &W::Packing, keep: bool) -> Self {
        let mut ends = vec![0; 1 << runs.bits];
        runs.each(ranks.clone(), |part, _, _, _| ends[part] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // For now where the part begins; it moves to the part's end as the part fills.
            (*end, sum) = (sum, sum + *end);
        }
        let mut waiting = scattered_zeros(sum);
        let mut positions = scattered_zeros(if keep { sum } else { 0 });
        runs.each(ranks, |part, key, rank, position| {
            let at = ends[part];
            ends[part] += 1;
            waiting[at] = W::new(key, rank, packing);
            if keep {
                positions[at] = position;
            }
        });
        Sorted { waiting, positions, ends }
    }

    /// The runs of a part in the order of the documents, and the positions of their first words where these are known.
    fn part(&self, part: usize) -> (&[W], &[u32]) {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        let range = start..self.ends[part];
        (&self.waiting[range.clone()], self.positions.get(range).unwrap_or_default())
    }
}

#[derive(Default)]
struct Counter {
    /// Of the runs, by id, which are counted from 0 for each counter.
    keys: Vec<u64>,
    /// Theirs, where they are wanted.
    rows: Option<Rows>,
    /// Where runs were found, and their ids.
    places: Vec<(u32, u32)>,
    /// Of the part that is counted: the number of the run in the part, and what a class has of it.
    cells: Vec<(u32, Cell)>,
}

impl Counter {
    /// Counts some of the parts.
    fn count<W: Waiting>(
        mut self,
        order: &Order,
        runs: &Runs,
        sorted: &[Sorted<W>],
        parts: Range<usize>,
        packing: &W::Packing,
    ) -> Self {
        let n_runs: usize = sorted.iter().flat_map(|sorted| parts.clone().map(|part| sorted.part(part).0.len())).sum();
        // A guess: hardly any text has more different ones. What is not used is never touched.
        self.keys = scattered(n_runs / 2);
        self.rows.iter_mut().for_each(|rows| rows.reserve(n_runs / 2, n_runs / 2));
        let (mut table, mut touched) = (Table::with_room_for(PART / 4), vec![]);
        for part in parts {
            let all = sorted.iter().map(|sorted| sorted.part(part));
            self.count_part(order, runs, all, packing, &mut table, &mut touched);
        }
        self
    }

    /// Counts the runs of one part, which come from one thread after the other.
    fn count_part<'a, W: Waiting + 'a>(
        &mut self,
        order: &Order,
        runs: &Runs,
        all: impl Iterator<Item = (&'a [W], &'a [u32])>,
        packing: &W::Packing,
        table: &mut Table<u64, Tally>,
        touched: &mut Vec<u32>,
    ) {
        table.clear();
        self.cells.clear();
        let first = self.keys.len();
        let place_hash = |key: u64| runs.split(key.hash(runs.seed)).1;
        let mut class_end = 0;
        for (waiting, positions) in all {
            for (i, run) in waiting.iter().enumerate() {
                let (key, rank) = run.get(packing);
                if rank as usize >= class_end {
                    self.finish_class(order, class_end, table, touched);
                    class_end = order.class_end(rank as usize);
                }
                let (place, is_new) = table.place(key, place_hash(key), |_| true);
                let tally = table.at(place);
                if is_new {
                    tally.id = (self.keys.len() - first) as u32;
                    self.keys.push(key);
                }
                if tally.add(Stamp::new(rank as usize, order.weight(rank as usize))) {
                    touched.push(place as u32);
                }
                if let Some(&position) = positions.get(i) {
                    self.places.push((position, first as u32 + tally.id));
                }
                if is_new && table.is_full(1) {
                    let keys = &self.keys[first..];
                    let ids: Vec<u32> = touched.drain(..).map(|place| table.at(place as usize).id).collect();
                    table.grow(place_hash);
                    let place = |id: u32| table.place(keys[id as usize], place_hash(keys[id as usize]), |_| true).0;
                    touched.extend(ids.into_iter().map(place).map(|place| place as u32));
                }
            }
        }
        self.finish_class(order, class_end, table, touched);
        if let Some(rows) = &mut self.rows {
            rows.append(self.keys.len() - first, &self.cells);
        }
    }

    /// Reads off the class whose last document is the one before `class_end`.
    fn finish_class(&mut self, order: &Order, class_end: usize, table: &mut Table<u64, Tally>, touched: &mut Vec<u32>) {
        if class_end > 0 {
            let class = order.class(class_end - 1);
            touched.drain(..).for_each(|place| table.at(place as usize).finish(class, &mut self.cells));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_run_is_the_one_that_was_packed() {
        for (n_left, n_words, n_ranks) in [(1, 1, 1), (1000, 70_000, 25_000), (1 << 30, 1 << 20, 1 << 11)] {
            let packing = Packing::new(n_left, n_words, n_ranks).unwrap();
            for (left, right, rank) in [(0, 0, 0), (n_left - 1, n_words - 1, n_ranks - 1), (n_left / 2, 0, n_ranks / 3)]
            {
                let run = (pair(left as u32, right as u32), rank as u32);
                assert_eq!(<u64 as Waiting>::new(run.0, run.1, &packing).get(&packing), run);
            }
        }
        assert!(Packing::new(1 << 31, 1 << 31, 1).is_none());
    }
}
