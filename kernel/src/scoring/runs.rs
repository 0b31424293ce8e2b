//! The runs of words whose weights are kept, five in a line of the cache.
//!
//! There are too many of them for any cache, so that a look costs what it takes to bring a line: the fewer lines the better. A run is a
//! number, its two ids side by side. A permutation of these numbers says the line, and the last bits of what it makes of one tell the few
//! numbers apart that share a line, so that half of the bytes of the ids are enough and yet no run is taken for another.
//!
//! All runs of a line are compared without a branch: which of them it is, or none, cannot be guessed, and a wrong guess waits for
//! memory. What did not fit into its line is in one of the next ones, which are asked later, for several runs together.
//! A look at a run of IMDB takes 5 ns; 8.5 ns with the whole ids, four runs in a line, and memory asked for 16 runs ahead.

use super::lookup::{Known, Stored};
use crate::processor::{Scattered, prefetch, vectorised};
use crate::vocabulary::{Index, Permutation, Seed, UNKNOWN, pair};

const PER_LINE: usize = 5;
/// How many runs a line has on average, at the most.
const FILLED: f64 = 4.0;
/// How many runs ahead memory is asked for.
const AHEAD: usize = 48;
/// How many runs are looked for in their first lines before the next lines are asked for those that are left.
const STEP: usize = 256;

/// So many bits of a key say which run it is.
const OWN_BITS: u32 = 28;
/// What a key has besides in the `n`-th line after its own.
const fn moved(n: u32) -> u32 {
    n << OWN_BITS
}
/// A run is at most so many lines behind its own.
const FURTHEST: u32 = 7;
/// A key has this bit, and a free place has not.
const TAKEN: u32 = 1 << 31;
/// The key of a run with an unknown part: of no run that is kept.
const NO_RUN: u32 = 1;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line {
    keys: [u32; PER_LINE],
    /// Whether runs of this line, or of one before it, are in the next one.
    goes_on: u32,
    stored: [Stored; PER_LINE],
}

/// A run that is looked for: its line, and its key there.
#[derive(Clone, Copy)]
pub struct Asked {
    line: u32,
    key: u32,
}

/// Where runs have their lines.
#[derive(Clone, Copy)]
struct Lines {
    /// How many bits the right id has, and both.
    bits: [u32; 2],
    permutation: Permutation,
    n: u32,
}

pub struct KnownRuns {
    lines: Scattered<Line>,
    homes: Lines,
}

impl Lines {
    /// Lines for `n` runs of ids below `left` and `right`, with so many of them in a line.
    fn new([left, right]: [usize; 2], n: usize, filled: f64, seed: Seed) -> Self {
        let bits_of = |n: usize| usize::BITS - n.saturating_sub(1).leading_zeros();
        let right = bits_of(right);
        let both = bits_of(left) + right;
        // The numbers of one line follow each other, and there may not be more of them than its keys can tell apart.
        let least = 1usize << both.saturating_sub(OWN_BITS);
        let n = ((n as f64 / filled) as usize + 2).max(least);
        let n = u32::try_from(n).expect("so many lines do not fit into memory");
        Lines { bits: [right, both], permutation: seed.permutation(both), n }
    }

    #[inline(always)]
    fn of(&self, left: u32, right: u32) -> Asked {
        let [right_bits, both] = self.bits;
        let number = self.permutation.of(u64::from(left) << right_bits | u64::from(right));
        // With no bits at all there is one number, 0. Its first 32 bits say the line: products of these are worked out for several
        // runs at once.
        let first = number << (64 - both.max(1)) >> 32;
        Asked { line: ((first * u64::from(self.n)) >> 32) as u32, key: number as u32 & (moved(1) - 1) | TAKEN }
    }

    #[inline(always)]
    fn after(&self, line: usize) -> usize {
        if line + 1 == self.n as usize { 0 } else { line + 1 }
    }
}

impl KnownRuns {
    /// All runs of an index, of ids below `n_ids`. `left` has the place of each of the shorter runs that these begin with, or nothing
    /// where these are words. It then has those of these.
    pub(super) fn new(
        index: &Index<u64>,
        n_ids: [usize; 2],
        seed: Seed,
        left: &mut Vec<u32>,
        stored: impl Fn(usize) -> Stored,
    ) -> Self {
        let spelled = |key: u64| left.get((key >> 32) as usize).map_or(key, |&place| pair(place, key as u32));
        let mut filled = FILLED;
        let (runs, places) = loop {
            let homes = Lines::new(n_ids, index.len(), filled, seed);
            if let Some(made) = Self::place_all(homes, index.keys(), spelled, &stored) {
                break made;
            }
            // Hardly ever: some run would be too far from its line.
            filled *= 0.7;
        };
        *left = places;
        runs
    }

    /// None where a line has too many runs.
    fn place_all(
        homes: Lines,
        keys: &[u64],
        spelled: impl Fn(u64) -> u64,
        stored: impl Fn(usize) -> Stored,
    ) -> Option<(Self, Vec<u32>)> {
        let empty = Line { keys: [0; PER_LINE], goes_on: 0, stored: [Stored::default(); PER_LINE] };
        let mut lines = Scattered::filled(empty, homes.n as usize);
        let mut places = Vec::with_capacity(keys.len());
        let asked = |key: u64| {
            let key = spelled(key);
            homes.of((key >> 32) as u32, key as u32)
        };
        for (id, &key) in keys.iter().enumerate() {
            if let Some(&next) = keys.get(id + AHEAD) {
                prefetch(&lines, asked(next).line as usize);
            }
            let Asked { line, mut key } = asked(key);
            let mut at = line as usize;
            while lines[at].keys[PER_LINE - 1] != 0 {
                if key & moved(FURTHEST) == moved(FURTHEST) {
                    return None;
                }
                lines[at].goes_on = 1;
                (at, key) = (homes.after(at), key + moved(1));
            }
            let line = &mut lines[at];
            let lane = line.keys.iter().take_while(|other| **other != 0).count();
            (line.keys[lane], line.stored[lane]) = (key, stored(id));
            places.push((at * PER_LINE + lane) as u32);
        }
        Some((KnownRuns { lines, homes }, places))
    }

    /// How many places there are; the place of a run is its number here.
    pub(super) fn n_places(&self) -> usize {
        self.lines.len() * PER_LINE
    }

    /// Appends how runs are asked for: `left` has all but the last word of each, `right` the last. Runs with an unknown part have
    /// their places too.
    pub(super) fn ask(&self, left: &[Known], right: &[Known], asked: &mut Vec<Asked>) {
        let (before, n) = (asked.len(), left.len().min(right.len()));
        asked.resize(before + n, Asked { line: 0, key: NO_RUN });
        let (homes, new) = (self.homes, &mut asked[before..]);
        vectorised(
            #[inline(always)]
            || {
                for (run, (left, right)) in new.iter_mut().zip(left.iter().zip(right)) {
                    let is_unknown = (left.id == UNKNOWN) | (right.id == UNKNOWN);
                    let Asked { line, key } = homes.of(left.id, right.id);
                    // All of the unknown ask the same line, which stays near.
                    *run =
                        Asked { line: if is_unknown { 0 } else { line }, key: if is_unknown { NO_RUN } else { key } };
                }
            },
        );
        // Those that are looked for first, so that memory has the time that the others need to be asked for.
        let first = asked.iter().take(AHEAD).skip(before);
        first.for_each(|run| prefetch(&self.lines, run.line as usize));
    }

    /// Appends what is known of runs, all of those that were asked for.
    pub(super) fn find(&self, runs: &[Asked], found: &mut Vec<Known>) {
        let (lines, first) = (&self.lines[..], found.len());
        for (step, some) in runs.chunks(STEP).enumerate() {
            let ahead = &runs[(step * STEP + AHEAD).min(runs.len())..];
            let (mut further, mut n_further) = ([0; STEP], 0);
            found.extend(some.iter().enumerate().map(|(i, run)| {
                if let Some(next) = ahead.get(i) {
                    prefetch(lines, next.line as usize);
                }
                let at = run.line as usize;
                let (known, is_done) = lines[at].find(at, run.key);
                // The next line, or once more this one: whether it is needed cannot be guessed.
                prefetch(lines, at + usize::from(!is_done));
                further[n_further % STEP] = i;
                n_further += usize::from(!is_done);
                known
            }));
            for &i in &further[..n_further] {
                found[first + step * STEP + i] = self.find_further(some[i]);
            }
        }
    }

    /// A run that is not in its first line, which goes on.
    fn find_further(&self, Asked { line, mut key }: Asked) -> Known {
        let mut at = line as usize;
        loop {
            (at, key) = (self.homes.after(at), key + moved(1));
            let (known, is_done) = self.lines[at].find(at, key);
            if is_done || key & moved(FURTHEST) == moved(FURTHEST) {
                return known;
            }
        }
    }
}

impl Line {
    /// What this line, the one with number `at`, knows of a run; and whether no other line can know it.
    #[inline(always)]
    fn find(&self, at: usize, key: u32) -> (Known, bool) {
        let mut lanes = 0;
        for (lane, &there) in self.keys.iter().enumerate() {
            lanes |= u32::from(there == key) << lane;
        }
        let lane = (lanes.trailing_zeros() as usize).min(PER_LINE - 1);
        let is_known = lanes != 0;
        // All bits, or none: a choice would become a branch.
        let if_known = u64::from(is_known).wrapping_neg();
        let id = (at * PER_LINE + lane) as u32 | !(if_known as u32);
        let weight = self.stored[lane].0 & if_known;
        let is_done = is_known | (self.goes_on == 0) | (key == NO_RUN);
        (Known { weight: Stored(weight), ..Known::bare(id) }, is_done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(id: u32) -> Known {
        Known::bare(id)
    }

    /// Each of these runs of ids below `n_ids`, and what a plain search says of it.
    fn compare(n_ids: [usize; 2], keys: &[[u32; 2]], asked: &[[u32; 2]]) {
        let seed = Seed::of_this_process();
        let index = Index::from_keys(seed, keys.iter().map(|&[left, right]| pair(left, right)).collect(), 1);
        let mut places = vec![];
        let runs = KnownRuns::new(&index, n_ids, seed, &mut places, |id| Stored(1000 + id as u64));
        let (left, right): (Vec<Known>, Vec<Known>) =
            asked.iter().map(|&[left, right]| (known(left), known(right))).unzip();
        let (mut homes, mut found) = (vec![], vec![]);
        runs.ask(&left, &right, &mut homes);
        runs.find(&homes, &mut found);
        assert_eq!(found.len(), asked.len());
        for (run, known) in asked.iter().zip(&found) {
            let id = keys.iter().position(|key| key == run);
            assert_eq!(known.id, id.map_or(UNKNOWN, |id| places[id]));
            assert_eq!(known.weight, id.map_or(Stored(0), |id| Stored(1000 + id as u64)));
        }
        let mut distinct = places.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), keys.len());
        assert!(places.iter().all(|place| (*place as usize) < runs.n_places()));
    }

    #[test]
    fn runs_are_found_where_a_plain_search_finds_them() {
        for n in [0, 1, 4, 5, 30, 2000] {
            let runs = |n: u32| (0..n).map(|i| [i * 7 % 61, i]).collect::<Vec<_>>();
            let mut asked = runs(2 * n);
            asked.extend([[UNKNOWN, 1], [3, 1], [1, UNKNOWN], [UNKNOWN; 2]]);
            for left in [61, 1 << 20, 1 << 26] {
                let asked: Vec<_> = asked.iter().copied().filter(|run| n > 0 || run.contains(&UNKNOWN)).collect();
                compare([left, 4096], &runs(n), &asked);
            }
        }
        compare([1, 1], &[[0, 0]], &[[0, 0], [UNKNOWN, 0]]);
        // All pairs of some ids, as close to each other as can be.
        let all: Vec<[u32; 2]> = (0..64 * 32).map(|i| [i / 32, i % 32]).collect();
        compare([64, 32], &all[..1500], &all);
    }

    #[test]
    fn runs_are_spread_evenly_over_the_lines() {
        for keys in [|i: u32| [i, i + 1], |i: u32| [i % 7, i], |i: u32| [i, 5], |i: u32| [i / 300, i % 300]] {
            let homes = Lines::new([1 << 17, 1 << 17], 1 << 16, 4.0, Seed::of_this_process());
            let mut numbers = vec![0; homes.n as usize];
            (0..1 << 16).map(keys).for_each(|[left, right]| numbers[homes.of(left, right).line as usize] += 1);
            assert!(numbers.iter().all(|&number| number < 4 + 12 * 2));
        }
    }

    #[test]
    fn runs_that_are_too_far_from_their_line_make_a_larger_table() {
        let homes = Lines::new([64, 64], 1000, 100.0, Seed::of_this_process());
        let keys: Vec<u64> = (0..1000).map(|i| pair(i / 64, i % 64)).collect();
        assert!(KnownRuns::place_all(homes, &keys, |key| key, |_| Stored(0)).is_none());
    }

    #[test]
    fn longer_runs_begin_with_the_places_of_shorter_ones() {
        let seed = Seed::of_this_process();
        let index = |keys: &[u64]| Index::from_keys(seed, keys.to_vec(), 1);
        let mut left = vec![];
        let pairs = KnownRuns::new(&index(&[pair(0, 1), pair(1, 2)]), [6, 6], seed, &mut left, |_| Stored(0));
        let (first, second) = (left[0], left[1]);
        let n_ids = [pairs.n_places(), 6];
        let triples = KnownRuns::new(&index(&[pair(1, 5), pair(0, 2)]), n_ids, seed, &mut left, |id| Stored(id as u64));
        let (mut asked, mut found) = (vec![], vec![]);
        triples.ask(&[second, first, first].map(known), &[5, 2, 5].map(known), &mut asked);
        triples.find(&asked, &mut found);
        let ids: Vec<u32> = found.iter().map(|known| known.id).collect();
        assert_eq!(ids, [left[0], left[1], UNKNOWN]);
    }
}
