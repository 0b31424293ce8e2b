//! Counting runs of words.
//!
//! A run of n words is a pair of ids: that of its first n - 1 words, and that of its last. There are so many pairs that each
//! look into one large table would be a trip to memory. So they are sorted first, by the first bits of their hashes, into
//! parts of a few thousand: a part has a table that fits the nearest cache and is forgotten when the part is done. Since
//! equal pairs are in the same part, threads share the parts and nothing has to be joined.

use std::ops::Range;

use super::words::Stream;
use super::{Order, Stamp, Tally};
use crate::processor::{scattered, scattered_filled};
use crate::rows::{Cell, Rows};
use crate::table::Table;
use crate::threads::{each_on_a_thread, equal_parts};
use crate::vocabulary::{Index, Key, Seed, UNKNOWN, pair};

/// About so many pairs make a part.
const PART: usize = 1 << 13;
/// Parts are written to all at once while pairs are sorted; more than these would be too many.
const MOST_PARTS: usize = 1 << 9;

/// The runs of `n` words, counted into `rows` where these are given.
///
/// `left[i]` is the id of the run of n - 1 words that starts at word i. With `keep` the ids of the runs of n words come
/// back in the same form.
pub fn count(
    order: &Order,
    threads: usize,
    words: &Stream,
    left: &[u32],
    n: u8,
    rows: Option<&mut Rows>,
    keep: bool,
) -> (Index<u64>, Vec<u32>) {
    let seed = Seed::of_this_process();
    let bits = (words.ids.len() / PART).next_power_of_two().min(MOST_PARTS).trailing_zeros();
    let ranges = equal_parts(1 << bits, threads);
    let runs = Runs { words, left, n: n as usize, seed, bits };
    let counted = each_on_a_thread(&ranges, |parts| Counter::default().count(order, &runs, parts.clone(), keep));

    let mut ids = if keep { vec![UNKNOWN; words.ids.len()] } else { vec![] };
    let n_keys = counted.iter().map(|counter| counter.keys.len()).sum();
    let mut keys = scattered(n_keys);
    let mut uncounted = Rows::new(order.batch.n_classes);
    let rows = rows.unwrap_or(&mut uncounted);
    // Rows of three cells have a fourth place; most have one cell.
    rows.reserve(n_keys, counted.iter().map(|counter| counter.cells.len() * 5 / 4).sum());
    for counter in counted {
        let first = keys.len() as u32;
        counter.places.iter().for_each(|&(position, id)| ids[position as usize] = first + id);
        rows.append(counter.keys.len(), &counter.cells);
        keys.extend(counter.keys);
    }
    (Index::from_keys(seed, keys, threads), ids)
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

    /// Each run in `parts`: its part, counted from the first of these, its key, its document's rank and its first word's position.
    #[inline(always)]
    fn each(&self, parts: &Range<usize>, mut visit: impl FnMut(usize, u64, u32, u32)) {
        let mut from = 0;
        for (rank, &end) in self.words.ends.iter().enumerate() {
            for position in from..(end + 1).saturating_sub(self.n).max(from) {
                let key = pair(self.left[position], self.words.ids[position + self.n - 1]);
                let part = self.split(key.hash(self.seed)).0.wrapping_sub(parts.start);
                if part < parts.len() {
                    visit(part, key, rank as u32, position as u32);
                }
            }
            from = end;
        }
    }
}

#[derive(Default)]
struct Counter {
    /// Of the runs, by id, which are counted from 0 for each counter.
    keys: Vec<u64>,
    cells: Vec<(u32, Cell)>,
    /// Where runs were found, and their ids.
    places: Vec<(u32, u32)>,
}

impl Counter {
    fn count(mut self, order: &Order, runs: &Runs, parts: Range<usize>, keep: bool) -> Self {
        let mut ends = vec![0; parts.len()];
        runs.each(&parts, |part, _, _, _| ends[part] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // For now where the part begins; it moves to the part's end as the part fills.
            (*end, sum) = (sum, sum + *end);
        }
        let mut counted = scattered_filled((0u64, 0u32), sum);
        let mut positions = scattered_filled(0, if keep { sum } else { 0 });
        runs.each(&parts, |part, key, rank, position| {
            let at = ends[part];
            ends[part] += 1;
            counted[at] = (key, rank);
            if keep {
                positions[at] = position;
            }
        });
        let (mut table, mut touched, mut from) = (Table::with_room_for(PART / 4), vec![], 0);
        for end in ends {
            let positions = if keep { &positions[from..end] } else { &[] };
            self.count_part(order, runs, &counted[from..end], positions, &mut table, &mut touched);
            from = end;
        }
        self
    }

    /// Counts the runs of one part: `found` has their keys and the ranks of their documents.
    fn count_part(
        &mut self,
        order: &Order,
        runs: &Runs,
        found: &[(u64, u32)],
        positions: &[u32],
        table: &mut Table<u64, Tally>,
        touched: &mut Vec<u32>,
    ) {
        table.clear();
        let place_hash = |key: u64| runs.split(key.hash(runs.seed)).1;
        let mut class_end = 0;
        for (i, &(key, rank)) in found.iter().enumerate() {
            if rank as usize >= class_end {
                self.finish_class(order, class_end, table, touched);
                class_end = order.class_end(rank as usize);
            }
            let (place, is_new) = table.place(key, place_hash(key), |_| true);
            let tally = table.at(place);
            if is_new {
                tally.id = self.keys.len() as u32;
                self.keys.push(key);
            }
            if tally.add(Stamp::new(rank as usize, order.weight(rank as usize))) {
                touched.push(place as u32);
            }
            if let Some(&position) = positions.get(i) {
                self.places.push((position, tally.id));
            }
            if is_new && table.is_full(1) {
                let ids: Vec<u32> = touched.drain(..).map(|place| table.at(place as usize).id).collect();
                table.grow(place_hash);
                let place =
                    |id: u32| table.place(self.keys[id as usize], place_hash(self.keys[id as usize]), |_| true).0;
                touched.extend(ids.into_iter().map(place).map(|place| place as u32));
            }
        }
        self.finish_class(order, class_end, table, touched);
    }

    /// Reads off the class whose last document is the one before `class_end`.
    fn finish_class(&mut self, order: &Order, class_end: usize, table: &mut Table<u64, Tally>, touched: &mut Vec<u32>) {
        if class_end > 0 {
            let class = order.class(class_end - 1);
            touched.drain(..).for_each(|place| table.at(place as usize).finish(class, &mut self.cells));
        }
    }
}
