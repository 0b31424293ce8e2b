//! Counting runs of words.
//!
//! A run of n words is a pair of ids: that of its first n - 1 words, and that of its last. There are so many pairs that each
//! look into one large table would be a trip to memory. So they are sorted: first into parts of some thousands, which fit a near
//! cache, then inside each part, digit by digit. Then equal runs lie side by side in the order of their documents, and are read
//! off without a guess of what comes next. A table for each part took nearly twice as long: every other run is a new one, and
//! that cannot be foreseen. Since equal pairs are in the same part, threads share the parts and nothing has to be joined.
//!
//! Both steps are shared by threads: first each deals out the pairs of some documents, then each counts some parts, of which it finds
//! the pairs of all documents in their order.

use std::hint::select_unpredictable;
use std::ops::Range;

use bytemuck::Zeroable;

use super::Order;
use super::words::Stream;
use crate::processor::{scattered, scattered_zeros};
use crate::rows::{Cell, Rows};
use crate::threads::{each_on_a_thread, equal_parts, parts_of_size};
use crate::vocabulary::{Index, Seed, UNKNOWN, pair, scramble};

/// About so many pairs make a part.
const PART: usize = 1 << 13;
/// Parts are written to all at once while pairs are dealt out; more than these would be too many.
const MOST_PARTS: usize = 1 << 9;
/// Bits by which a part is sorted at a time, at the most.
const DIGIT: u32 = 9;

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
    let packing = Packing::new(seed, n_left, n_words, order.len());
    let bits = (words.ids.len() / PART).next_power_of_two().min(MOST_PARTS).trailing_zeros();
    let runs = Runs { words, left, n: n as usize, packing, bits: bits.min(packing.key_bits) };
    let ranked = Ranked::new(order);
    let is_counted = rows.is_some();
    let counted = if keep || packing.key_bits + packing.rank_bits > u64::BITS {
        count_by::<[u64; 2]>(&ranked, threads, &runs, is_counted, keep)
    } else {
        count_by::<u64>(&ranked, threads, &runs, is_counted, keep)
    };
    let mut ids = if keep { vec![UNKNOWN; words.ids.len()] } else { vec![] };
    let (mut keys, mut parts) = (vec![], vec![]);
    for Counted { keys: more, rows, places } in counted {
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
fn count_by<W: Waiting>(ranked: &Ranked, threads: usize, runs: &Runs, is_counted: bool, keep: bool) -> Vec<Counted> {
    let documents = parts_of_size(runs.words.lengths(), runs.words.ids.len().div_ceil(threads.max(1)).max(PART));
    let documents: Vec<_> = documents.collect();
    let dealt = each_on_a_thread(&documents, |ranks| Dealt::<W>::new(runs, ranks.clone()));
    each_on_a_thread(&equal_parts(1 << runs.bits, threads), |parts| {
        let counted = Counted { rows: is_counted.then(|| Rows::new(ranked.n_classes)), ..Counted::default() };
        counted.count(ranked, runs, &dealt, parts.clone(), keep)
    })
}

/// What has to be known of documents, by rank.
struct Ranked {
    classes: Vec<u32>,
    weights: Option<Vec<u32>>,
    n_classes: usize,
}

impl Ranked {
    fn new(order: &Order) -> Self {
        let each = || 0..order.len();
        Ranked {
            classes: each().map(|rank| order.class(rank)).collect(),
            weights: order.batch.weights.map(|_| each().map(|rank| order.weight(rank)).collect()),
            n_classes: order.batch.n_classes,
        }
    }
}

/// How the two ids of a run become one number of as few bits as they need, in which they are mixed so that its first bits, which
/// choose a part, depend on both. By what they are mixed each process draws, so nobody can prepare texts that fill one part.
#[derive(Clone, Copy)]
struct Packing {
    right_bits: u32,
    key_bits: u32,
    rank_bits: u32,
    /// An odd number, and the one that undoes a multiplication by it.
    factor: u64,
    inverse: u64,
}

impl Packing {
    fn new(seed: Seed, n_left: usize, n_words: usize, n_ranks: usize) -> Self {
        let [left_bits, right_bits, rank_bits] = [n_left, n_words, n_ranks].map(|n| usize::BITS - n.leading_zeros());
        let factor = scramble(seed.digest(b"runs")) | 1;
        // Each step of Newton's doubles the bits that are right, three at first.
        let inverse = (0..5)
            .fold(factor, |inverse: u64, _| inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse))));
        Packing { right_bits, key_bits: left_bits + right_bits, rank_bits, factor, inverse }
    }

    #[inline(always)]
    fn lowest(bits: u32) -> u64 {
        u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0)
    }

    #[inline(always)]
    fn mixed(&self, left: u32, right: u32) -> u64 {
        let both = u64::from(left) << self.right_bits | u64::from(right);
        both.wrapping_mul(self.factor) & Packing::lowest(self.key_bits)
    }

    /// The key of the pair of ids.
    #[inline(always)]
    fn key(&self, mixed: u64) -> u64 {
        let both = mixed.wrapping_mul(self.inverse) & Packing::lowest(self.key_bits);
        pair((both >> self.right_bits) as u32, (both & Packing::lowest(self.right_bits)) as u32)
    }
}

/// A run that waits for its part to be counted: its mixed ids and the rank of its document.
trait Waiting: Copy + Sync + Send + Zeroable {
    fn new(mixed: u64, rank: u32, position: u32, packing: &Packing) -> Self;
    fn mixed(self, packing: &Packing) -> u64;
    fn rank(self, packing: &Packing) -> u32;
    /// Where its first word is, if that is kept.
    fn position(self) -> u32;
}

/// All in one number: half the memory, and that is what sorting them takes time for.
impl Waiting for u64 {
    #[inline(always)]
    fn new(mixed: u64, rank: u32, _: u32, packing: &Packing) -> Self {
        mixed << packing.rank_bits | u64::from(rank)
    }

    #[inline(always)]
    fn mixed(self, packing: &Packing) -> u64 {
        self >> packing.rank_bits
    }

    #[inline(always)]
    fn rank(self, packing: &Packing) -> u32 {
        (self & Packing::lowest(packing.rank_bits)) as u32
    }

    fn position(self) -> u32 {
        UNKNOWN
    }
}

impl Waiting for [u64; 2] {
    #[inline(always)]
    fn new(mixed: u64, rank: u32, position: u32, _: &Packing) -> Self {
        [mixed, pair(rank, position)]
    }

    #[inline(always)]
    fn mixed(self, _: &Packing) -> u64 {
        self[0]
    }

    #[inline(always)]
    fn rank(self, _: &Packing) -> u32 {
        (self[1] >> 32) as u32
    }

    fn position(self) -> u32 {
        self[1] as u32
    }
}

/// All runs of n words of some documents.
struct Runs<'a> {
    words: &'a Stream,
    left: &'a [u32],
    n: usize,
    packing: Packing,
    /// How many of the first bits of the mixed ids choose the part.
    bits: u32,
}

impl Runs<'_> {
    /// How many bits are left when the part is known.
    fn bits_left(&self) -> u32 {
        self.packing.key_bits - self.bits
    }

    /// Each run of some documents: its part, its mixed ids, its document's rank and its first word's position.
    #[inline(always)]
    fn each(&self, ranks: Range<usize>, mut visit: impl FnMut(usize, u64, u32, u32)) {
        let mut from = self.words.start(ranks.start);
        for rank in ranks {
            let end = self.words.ends[rank];
            let last = (end + 1).saturating_sub(self.n).max(from);
            let pairs = self.left[from..last].iter().zip(&self.words.ids[(from + self.n - 1).min(end)..end]);
            for (position, (&left, &right)) in (from..).zip(pairs) {
                let mixed = self.packing.mixed(left, right);
                visit((mixed >> self.bits_left()) as usize, mixed, rank as u32, position as u32);
            }
            from = end;
        }
    }
}

/// Runs of some documents, dealt out to parts.
struct Dealt<W> {
    waiting: Vec<W>,
    /// By part, the place after its last run.
    ends: Vec<usize>,
}

impl<W: Waiting> Dealt<W> {
    /// Looks at all runs twice: once to know how many each part has, and once to write them. Blocks that are added to as they fill
    /// need one look and were no faster.
    fn new(runs: &Runs, ranks: Range<usize>) -> Self {
        let mut ends = vec![0; 1 << runs.bits];
        runs.each(ranks.clone(), |part, _, _, _| ends[part] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // For now where the part begins; it moves to the part's end as the part fills.
            (*end, sum) = (sum, sum + *end);
        }
        let mut waiting = scattered_zeros(sum);
        runs.each(ranks, |part, mixed, rank, position| {
            let at = ends[part];
            ends[part] += 1;
            waiting[at] = W::new(mixed, rank, position, &runs.packing);
        });
        Dealt { waiting, ends }
    }

    /// The runs of a part in the order of the documents.
    fn part(&self, part: usize) -> &[W] {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        &self.waiting[start..self.ends[part]]
    }
}

/// Runs that lie side by side where they are equal, in the order of their documents: sorted by one digit after the other, from the last
/// one on. A digit that many runs share costs nothing more, so no text takes longer than others.
struct Sorter<W> {
    /// The runs, and room for as many.
    sorted: Vec<W>,
    room: Vec<W>,
    counts: Vec<[u32; 1 << DIGIT]>,
}

impl<W: Waiting> Sorter<W> {
    fn new() -> Self {
        Sorter { sorted: vec![], room: vec![], counts: vec![] }
    }

    /// Sorts all of these by the last `bits` bits of their mixed ids.
    fn sort<'a>(&'a mut self, all: &[&[W]], bits: u32, packing: &Packing) -> &'a [W] {
        let Sorter { sorted, room, counts } = self;
        let n = all.iter().map(|some| some.len()).sum();
        // What is there of other parts is written over.
        for runs in [&mut *sorted, &mut *room] {
            runs.resize(n, W::zeroed());
        }
        let n_digits = bits.div_ceil(DIGIT).max(1);
        let width = bits.div_ceil(n_digits);
        let digit = |run: W, number: u32| {
            (run.mixed(packing) >> (number * width) & Packing::lowest(width)) as usize % (1 << DIGIT)
        };
        counts.clear();
        counts.resize(n_digits as usize, [0; 1 << DIGIT]);
        for &run in all.iter().copied().flatten() {
            counts.iter_mut().zip(0..).for_each(|(counts, number)| counts[digit(run, number)] += 1);
        }
        for (places, number) in counts.iter_mut().zip(0..) {
            let mut sum = 0;
            for place in places.iter_mut() {
                (*place, sum) = (sum, sum + *place);
            }
            let mut put = |run: W| {
                let place = &mut places[digit(run, number)];
                room[*place as usize] = run;
                *place += 1;
            };
            if number == 0 {
                all.iter().for_each(|some| some.iter().for_each(|&run| put(run)));
            } else {
                sorted.iter().for_each(|&run| put(run));
            }
            std::mem::swap(sorted, room);
        }
        sorted
    }
}

#[derive(Default)]
struct Counted {
    /// Of the runs, by id, which are counted from 0 for each thread.
    keys: Vec<u64>,
    /// Theirs, where they are wanted.
    rows: Option<Rows>,
    /// Where runs were found, and their ids.
    places: Vec<(u32, u32)>,
}

impl Counted {
    /// Counts some of the parts.
    fn count<W: Waiting>(
        mut self,
        ranked: &Ranked,
        runs: &Runs,
        dealt: &[Dealt<W>],
        parts: Range<usize>,
        keep: bool,
    ) -> Self {
        let n_runs: usize = dealt.iter().flat_map(|dealt| parts.clone().map(|part| dealt.part(part).len())).sum();
        // A guess: hardly any text has more different ones. What is not used is never touched, and growing would touch all twice.
        self.keys = scattered(n_runs / 4 * 3);
        self.rows.iter_mut().for_each(|rows| rows.reserve(n_runs / 4 * 3, n_runs));
        let (mut sorter, mut read) = (Sorter::new(), ReadOff::default());
        for part in parts {
            let all: Vec<_> = dealt.iter().map(|dealt| dealt.part(part)).collect();
            let sorted = sorter.sort(&all, runs.bits_left(), &runs.packing);
            let first = self.keys.len() as u32;
            if keep {
                let mut id = first;
                for (at, run) in sorted.iter().enumerate() {
                    let is_new = at > 0 && sorted[at - 1].mixed(&runs.packing) != run.mixed(&runs.packing);
                    id += u32::from(is_new);
                    self.places.push((run.position(), id));
                }
            }
            match &ranked.weights {
                None => read.read(sorted, &runs.packing, &ranked.classes, |_| 1),
                Some(weights) => read.read(sorted, &runs.packing, &ranked.classes, |rank| weights[rank]),
            }
            self.keys.extend(read.mixed().iter().map(|&mixed| runs.packing.key(mixed)));
            if let Some(rows) = &mut self.rows {
                read.leave_out_empty(ranked.weights.is_some());
                rows.append_sorted(read.lengths(), read.cells());
            }
        }
        self
    }
}

/// What is read off sorted runs: for each different one its mixed ids, how many cells it has, and these.
#[derive(Default)]
struct ReadOff {
    mixed: Vec<u64>,
    lengths: Vec<u32>,
    cells: Vec<Cell>,
    n_keys: usize,
    n_cells: usize,
}

impl ReadOff {
    /// Reads sorted runs. Every run is written as if it were the last of its cell and of its row, which the next one corrects:
    /// nothing has to be guessed.
    fn read<W: Waiting>(&mut self, sorted: &[W], packing: &Packing, classes: &[u32], weight: impl Fn(usize) -> u32) {
        let n = sorted.len();
        if self.mixed.len() < n {
            self.mixed.resize(n, 0);
            self.lengths.resize(n, 0);
            self.cells.resize(n, Cell::default());
        }
        let (keys, lengths, cells) = (&mut self.mixed[..n], &mut self.lengths[..n], &mut self.cells[..n]);
        let (mut n_keys, mut n_cells, mut length) = (0, 0, 0);
        let (mut before, mut rank_before) = (0, usize::MAX);
        let mut cell = Cell { class: UNKNOWN, ..Cell::default() };
        for &run in sorted {
            let (mixed, rank) = (run.mixed(packing), run.rank(packing) as usize);
            let (class, weight) = (classes[rank], weight(rank));
            let is_same = mixed == before && n_keys > 0;
            let is_same_cell = is_same & (class == cell.class);
            let is_same_document = is_same & (rank == rank_before);
            cell = Cell {
                class,
                documents: select_unpredictable(is_same_cell, cell.documents, 0)
                    + select_unpredictable(is_same_document, 0, weight),
                occurrences: select_unpredictable(is_same_cell, cell.occurrences, 0) + weight,
            };
            length = select_unpredictable(is_same, length, 0) + u32::from(!is_same_cell);
            n_keys += usize::from(!is_same);
            n_cells += usize::from(!is_same_cell);
            keys[n_keys - 1] = mixed;
            lengths[n_keys - 1] = length;
            cells[n_cells - 1] = cell;
            (before, rank_before) = (mixed, rank);
        }
        (self.n_keys, self.n_cells) = (n_keys, n_cells);
    }

    /// Takes out cells of documents that weigh nothing: they have been looked at, and that is all.
    fn leave_out_empty(&mut self, may_be_empty: bool) {
        if !may_be_empty {
            return;
        }
        let (mut from, mut n_kept) = (0, 0);
        for length in &mut self.lengths[..self.n_keys] {
            let end = from + *length as usize;
            *length = 0;
            for at in from..end {
                if self.cells[at].occurrences > 0 {
                    self.cells[n_kept] = self.cells[at];
                    n_kept += 1;
                    *length += 1;
                }
            }
            from = end;
        }
        self.n_cells = n_kept;
    }

    fn mixed(&self) -> &[u64] {
        &self.mixed[..self.n_keys]
    }

    fn lengths(&self) -> &[u32] {
        &self.lengths[..self.n_keys]
    }

    fn cells(&self) -> &[Cell] {
        &self.cells[..self.n_cells]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_packed_run_is_the_one_that_was_packed() {
        for (n_left, n_words, n_ranks) in
            [(1, 1, 1), (1000, 70_000, 25_000), (1 << 30, 1 << 20, 1 << 11), (1 << 31, 1 << 31, 1 << 31)]
        {
            let packing = Packing::new(Seed::of_this_process(), n_left, n_words, n_ranks);
            let is_small = packing.key_bits + packing.rank_bits <= u64::BITS;
            for (left, right, rank) in [(0, 0, 0), (n_left - 1, n_words - 1, n_ranks - 1), (n_left / 2, 0, n_ranks / 3)]
            {
                let (left, right, rank) = (left as u32, right as u32, rank as u32);
                let mixed = packing.mixed(left, right);
                assert_eq!(packing.key(mixed), pair(left, right));
                let wide = <[u64; 2]>::new(mixed, rank, 7, &packing);
                assert_eq!((wide.mixed(&packing), wide.rank(&packing), wide.position()), (mixed, rank, 7));
                let narrow = u64::new(mixed, rank, 7, &packing);
                assert!(!is_small || (narrow.mixed(&packing), narrow.rank(&packing)) == (mixed, rank));
            }
        }
    }

    #[test]
    fn what_is_read_off_sorted_runs_is_what_was_counted() {
        let (classes, weights) = ([0, 0, 0, 1, 1, 2], [1, 2, 0, 1, 0, 3]);
        for (n_ids, n) in [(1, 0), (1, 50), (5, 300), (200, 3000)] {
            let packing = Packing::new(Seed::of_this_process(), n_ids, n_ids, classes.len());
            let mut random = 3u64;
            let mut next = |below: usize| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (random >> 33) as usize % below
            };
            let mut runs: Vec<_> = (0..n).map(|_| (next(classes.len()), next(n_ids), next(n_ids))).collect();
            runs.sort_by_key(|(rank, _, _)| *rank);
            // By run and class, what each document weighs, and all occurrences.
            let mut expected = BTreeMap::<u64, BTreeMap<u32, (BTreeMap<usize, u32>, u32)>>::new();
            for &(rank, left, right) in &runs {
                let row = expected.entry(packing.mixed(left as u32, right as u32)).or_default();
                let (documents, occurrences) = row.entry(classes[rank]).or_default();
                documents.insert(rank, weights[rank]);
                *occurrences += weights[rank];
            }
            let waiting: Vec<u64> = runs
                .iter()
                .map(|&(rank, left, right)| {
                    u64::new(packing.mixed(left as u32, right as u32), rank as u32, 0, &packing)
                })
                .collect();
            let (mut sorter, mut read) = (Sorter::new(), ReadOff::default());
            let (head, tail) = waiting.split_at(n / 3);
            let sorted = sorter.sort(&[head, tail], packing.key_bits, &packing);
            read.read(sorted, &packing, &classes, |rank| weights[rank]);
            read.leave_out_empty(true);
            assert!(read.mixed().iter().eq(expected.keys()));
            let mut cells = read.cells().iter();
            for (row, &length) in expected.values().zip(read.lengths()) {
                let row = row.iter().filter(|(_, (_, occurrences))| *occurrences > 0).map(|(&class, counted)| Cell {
                    class,
                    documents: counted.0.values().sum(),
                    occurrences: counted.1,
                });
                assert!(cells.by_ref().take(length as usize).copied().eq(row));
            }
            assert!(cells.next().is_none());
        }
    }
}
