//! The runs of words whose weights are kept, four in a line of the cache.
//!
//! There are too many of them for any cache, so that a look costs what it takes to bring a line. All four of a line are compared without
//! a branch: which of them it is, or none, cannot be guessed, and a wrong guess waits for memory. Where a line is full the next one may
//! have to be asked: later, for several runs together.

use super::lookup::{Known, Stored};
use crate::processor::{Scattered, prefetch};
use crate::vocabulary::{AHEAD, Hashed, Index, Key, Seed, UNKNOWN, pair, share};

const PER_LINE: usize = 4;
/// How many runs are looked for in their first lines before the next lines are asked for those that are left.
const STEP: usize = 256;

/// Free from some place on: that has [`Key::EMPTY`].
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line {
    keys: [u64; PER_LINE],
    stored: [Stored; PER_LINE],
}

pub struct KnownRuns {
    lines: Scattered<Line>,
}

impl KnownRuns {
    /// All runs of an index. `left` has the place of each of the shorter runs that these begin with, or nothing where these are words.
    /// It then has those of these.
    pub(super) fn new(index: &Index<u64>, seed: Seed, left: &mut Vec<u32>, stored: impl Fn(usize) -> Stored) -> Self {
        let keys = index.keys();
        let empty = Line { keys: [u64::EMPTY; PER_LINE], stored: [Stored::default(); PER_LINE] };
        // Half of the places are free, and always one.
        let n_lines = (keys.len() * 2 / PER_LINE + 1).max(PER_LINE);
        let mut lines = Scattered::filled(empty, n_lines);
        let spelled = |key: u64| left.get((key >> 32) as usize).map_or(key, |&place| pair(place, key as u32));
        let home = |key: u64| share(key.hash(seed), n_lines);
        let mut places = Vec::with_capacity(keys.len());
        for (id, &key) in keys.iter().enumerate() {
            if let Some(&next) = keys.get(id + AHEAD) {
                prefetch(&lines, home(spelled(next)));
            }
            let key = spelled(key);
            let mut at = home(key);
            while lines[at].keys[PER_LINE - 1] != u64::EMPTY {
                at = after(at, n_lines);
            }
            let line = &mut lines[at];
            let lane = line.keys.iter().take_while(|other| **other != u64::EMPTY).count();
            (line.keys[lane], line.stored[lane]) = (key, stored(id));
            places.push((at * PER_LINE + lane) as u32);
        }
        *left = places;
        KnownRuns { lines }
    }

    /// How many places there are; the place of a run is its number here.
    pub(super) fn n_places(&self) -> usize {
        self.lines.len() * PER_LINE
    }

    /// Appends what is known of runs.
    pub(super) fn find(&self, runs: &[Hashed<u64>], found: &mut Vec<Known>) {
        let (lines, first) = (&self.lines[..], found.len());
        let home = |run: &Hashed<u64>| share(run.hash, lines.len());
        runs.iter().take(AHEAD).for_each(|run| prefetch(lines, home(run)));
        for (step, some) in runs.chunks(STEP).enumerate() {
            let ahead = &runs[(step * STEP + AHEAD).min(runs.len())..];
            let (mut further, mut n_further) = ([0; STEP], 0);
            found.extend(some.iter().enumerate().map(|(i, run)| {
                if let Some(next) = ahead.get(i) {
                    prefetch(lines, home(next));
                }
                let at = home(run);
                let (known, is_done) = lines[at].find(at, run.key);
                further[n_further % STEP] = i;
                n_further += usize::from(!is_done);
                known
            }));
            for &i in &further[..n_further] {
                found[first + step * STEP + i] = self.find_further(&some[i]);
            }
        }
    }

    /// A run that is not in its first line, which is full.
    fn find_further(&self, run: &Hashed<u64>) -> Known {
        let mut at = share(run.hash, self.lines.len());
        loop {
            at = after(at, self.lines.len());
            let (known, is_done) = self.lines[at].find(at, run.key);
            if is_done {
                return known;
            }
        }
    }
}

impl Line {
    /// What this line, the one with number `at`, knows of a run; and whether no other line can know it.
    #[inline(always)]
    fn find(&self, at: usize, key: u64) -> (Known, bool) {
        let mut lane = PER_LINE;
        for (other, &there) in self.keys.iter().enumerate() {
            lane = if there == key { other } else { lane };
        }
        // A run with an unknown part is equal to a free place.
        let is_known = (lane < PER_LINE) & (key != u64::EMPTY);
        let (id, weight) = ((at * PER_LINE + lane) as u32, self.stored[lane % PER_LINE].0);
        let (id, weight) = if is_known { (id, weight) } else { (UNKNOWN, 0) };
        let is_done = is_known | (self.keys[PER_LINE - 1] == u64::EMPTY) | (key == u64::EMPTY);
        (Known { weight: Stored(weight), ..Known::bare(id) }, is_done)
    }
}

#[inline(always)]
fn after(line: usize, n_lines: usize) -> usize {
    if line + 1 == n_lines { 0 } else { line + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of these runs, and what a plain search says of it.
    fn compare(keys: &[u64], asked: &[u64]) {
        let seed = Seed::of_this_process();
        let index = Index::from_keys(seed, keys.to_vec(), 1);
        let mut places = vec![];
        let runs = KnownRuns::new(&index, seed, &mut places, |id| Stored(1000 + id as u64));
        let asked: Vec<Hashed<u64>> = asked.iter().map(|&key| Hashed { key, hash: key.hash(seed) }).collect();
        let mut found = vec![];
        runs.find(&asked, &mut found);
        assert_eq!(found.len(), asked.len());
        for (run, known) in asked.iter().zip(&found) {
            let id = keys.iter().position(|key| *key == run.key && run.key != u64::EMPTY);
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
            let keys: Vec<u64> = (0..n).map(|i| pair(i * 7 % 61, i)).collect();
            let mut asked: Vec<u64> = (0..2 * n).map(|i| pair(i * 7 % 61, i)).collect();
            asked.extend([u64::EMPTY, pair(3, 1), u64::EMPTY]);
            compare(&keys, &asked);
        }
    }

    #[test]
    fn longer_runs_begin_with_the_places_of_shorter_ones() {
        let seed = Seed::of_this_process();
        let index = |keys: &[u64]| Index::from_keys(seed, keys.to_vec(), 1);
        let mut left = vec![];
        KnownRuns::new(&index(&[pair(0, 1), pair(1, 2)]), seed, &mut left, |_| Stored(0));
        let (first, second) = (left[0], left[1]);
        let triples = KnownRuns::new(&index(&[pair(1, 5), pair(0, 2)]), seed, &mut left, |id| Stored(id as u64));
        let mut found = vec![];
        let asked = [pair(second, 5), pair(first, 2), pair(first, 5)];
        triples.find(&asked.map(|key| Hashed { key, hash: key.hash(seed) }), &mut found);
        let ids: Vec<u32> = found.iter().map(|known| known.id).collect();
        assert_eq!(ids, [left[0], left[1], UNKNOWN]);
    }
}
