//! Keys to ids, and back: open addressing, linear probing, in two arrays.
//!
//! `slots` holds 4 bytes for each place, the id and a part of the hash, so sixteen places share a cache line and a probe hardly
//! ever reads a wrong key; `keys` holds the keys in the order of their ids. A model file has the keys alone, in the order of their
//! hashes: filling the slots at load (`ordered.rs`) takes less time than looking whether those of a file are right.

use std::ops::Range;

use bytemuck::{AnyBitPattern, NoUninit};

use super::{AHEAD, Hashed, Seed, UNKNOWN};
use crate::array::Array;
use crate::processor::{Cleared, prefetch, scattered_zeros};
use crate::threads::{each_on_a_thread, in_turns, large_parts};

/// How far a key of a file may be from its home, and how many places in a row may be filled, about. By chance a hundred million
/// keys have a hundred filled places in a row.
const FARTHEST: usize = 128;
/// Places that fit into a cache which a thread has for itself.
const SMALL_PART: usize = 1 << 16;
/// More parts are not written to at the same time.
const MOST_PARTS: usize = 64;

pub trait Key: Copy + Eq + Send + Sync + AnyBitPattern + NoUninit {
    /// What no feature has as its key.
    const EMPTY: Self;

    fn hash(self, seed: Seed) -> u64;

    /// The hash that says its place in a `Table`, which lives in memory alone: one that is quick for many keys at a time.
    #[inline(always)]
    fn placing_hash(self, seed: Seed) -> u64 {
        self.hash(seed)
    }
}

/// Two ids: a word after a word, or after a shorter run of words.
impl Key for u64 {
    const EMPTY: Self = u64::MAX;

    #[inline(always)]
    fn hash(self, seed: Seed) -> u64 {
        seed.mix(self, 0)
    }
}

/// The key of a pair of ids.
#[inline(always)]
pub fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[derive(Clone)]
pub struct Index<K> {
    seed: Seed,
    slots: Array<u32>,
    keys: Array<K>,
}

impl<K: Key> Index<K> {
    pub fn new(seed: Seed) -> Self {
        Index { seed, slots: vec![0; 16].into(), keys: Array::default() }
    }

    /// The keys of a file, which everybody knows the seed of. They cannot be looked up before [`Index::fill`].
    pub fn unfilled(keys: Array<K>) -> Self {
        Index { seed: Seed::of_files(), slots: Array::default(), keys }
    }

    /// The keys of a file with their slots.
    pub(super) fn filled(keys: Array<K>, slots: Cleared<u32>) -> Self {
        Index { seed: Seed::of_files(), slots: Array::shared(slots), keys }
    }

    /// The index of `keys`, which are distinct.
    pub fn from_keys(seed: Seed, keys: Vec<K>, threads: usize) -> Self {
        let mut index = Index { seed, slots: Array::default(), keys: keys.into() };
        index.rebuild(places_for(index.len()), threads);
        index
    }

    /// The index of `keys`, which are distinct; unfilled, where the seed is that of files.
    pub fn for_seed(seed: Seed, keys: Vec<K>) -> Self {
        if seed == Seed::of_files() { Index::unfilled(keys.into()) } else { Index::from_keys(seed, keys, 1) }
    }

    /// Makes keys of a file, which are distinct, ready to be looked up; false where they were made to collide.
    pub fn fill(&mut self, threads: usize) -> bool {
        let slots = self.slots_of(places_for(self.len()), FARTHEST, threads);
        // A search that ends nowhere passes by what lies in a row. Nobody has to be far from home for that.
        let slots = slots.filter(|slots| slots.chunks(FARTHEST).all(|places| places.contains(&0)));
        let is_filled = slots.is_some();
        self.slots = slots.unwrap_or_default().into();
        is_filled
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn seed(&self) -> Seed {
        self.seed
    }

    pub fn keys(&self) -> &Array<K> {
        &self.keys
    }

    pub fn key(&self, id: u32) -> K {
        self.keys[id as usize]
    }

    /// Whether so many more keys have room.
    pub fn has_room_for(&self, n: usize) -> bool {
        places_for(self.len() + n) <= self.slots.len()
    }

    /// Makes room for `n` keys in all.
    pub fn reserve(&mut self, n: usize) {
        if places_for(n) > self.slots.len() {
            let more = n.saturating_sub(self.len());
            self.keys.to_mut().reserve(more);
            self.rebuild(places_for(n), 1);
        }
    }

    /// What a filled place holds: the last half of the hash, but for as many of its last bits as number the places; these are the id,
    /// counted from 1. Half of the places stay free, so there are enough of these bits.
    #[inline(always)]
    pub(super) fn slot(places: usize, hash: u64, id: usize) -> u32 {
        (hash & !(places as u64 - 1)) as u32 | (id as u32 + 1)
    }

    #[inline(always)]
    fn id(places: usize, slot: u32) -> usize {
        (u64::from(slot) & (places as u64 - 1)).wrapping_sub(1) as usize
    }

    /// The id of a key, or the free place where it would be. `same` has the last word on equal keys.
    #[inline(always)]
    fn search(slots: &[u32], keys: &[K], key: K, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut place = home(slots.len(), hash);
        loop {
            let slot = slots[place];
            if slot == 0 {
                return Err(place);
            }
            if u64::from(slot ^ hash as u32) < slots.len() as u64 {
                let id = Self::id(slots.len(), slot);
                if keys.get(id) == Some(&key) && same(id as u32) {
                    return Ok(id as u32);
                }
            }
            place = (place + 1) & (slots.len() - 1);
        }
    }

    pub fn find(&self, key: K) -> u32 {
        self.find_same(key, |_| true)
    }

    /// The id of a key; `same` has the last word on equal keys.
    #[inline(always)]
    pub fn find_same(&self, key: K, same: impl Fn(u32) -> bool) -> u32 {
        Self::search(&self.slots, &self.keys, key, key.hash(self.seed), same).unwrap_or(UNKNOWN)
    }

    /// The same for a key whose hash is known.
    #[inline(always)]
    pub fn find_hashed(&self, key: K, hash: u64, same: impl Fn(u32) -> bool) -> u32 {
        Self::search(&self.slots, &self.keys, key, hash, same).unwrap_or(UNKNOWN)
    }

    /// Asks for the memory of the slot of a key with this hash.
    #[inline(always)]
    pub fn expect(&self, hash: u64) {
        prefetch(&self.slots, home(self.slots.len(), hash));
    }

    /// Asks for the memory of that key; its slot should have come by now.
    #[inline(always)]
    pub fn expect_key(&self, hash: u64) {
        let slots = &self.slots[..];
        prefetch(&self.keys, Self::id(slots.len(), slots[home(slots.len(), hash)]));
    }

    /// The ids of `keys`, appended to `ids`; [`UNKNOWN`] for those that are not here. `same` has the last word on equal keys, by
    /// the number of the one that is asked for and the id of the one that was found.
    pub fn find_each(&self, keys: &[Hashed<K>], same: impl Fn(usize, u32) -> bool, ids: &mut Vec<u32>) {
        let (slots, known) = (&self.slots[..], &self.keys[..]);
        ids.extend(keys.iter().enumerate().map(|(i, &Hashed { key, hash })| {
            // The slot of one far ahead, and the key of one for which the slot should have come by now.
            if let Some(next) = keys.get(i + AHEAD) {
                prefetch(slots, home(slots.len(), next.hash));
                let slot = slots[home(slots.len(), keys[i + AHEAD / 2].hash)];
                prefetch(known, Self::id(slots.len(), slot));
            }
            Self::search(slots, known, key, hash, |id| same(i, id)).unwrap_or(UNKNOWN)
        }));
    }

    /// The id of `key`, which is added where it is new.
    pub fn intern(&mut self, key: K) -> u32 {
        self.intern_same(key, |_| true)
    }

    /// The id of `key`, which is added where it is new; `same` has the last word on equal keys.
    pub fn intern_same(&mut self, key: K, same: impl Fn(u32) -> bool) -> u32 {
        let hash = key.hash(self.seed);
        let (slots, keys) = (self.slots.to_mut(), self.keys.to_mut());
        match Self::search(slots, keys, key, hash, same) {
            Ok(id) => id,
            Err(place) => {
                slots[place] = Self::slot(slots.len(), hash, keys.len());
                keys.push(key);
                if places_for(self.len() + 1) > self.slots.len() {
                    self.rebuild(self.slots.len() * 2, 1);
                }
                self.len() as u32 - 1
            }
        }
    }

    fn rebuild(&mut self, places: usize, threads: usize) {
        self.slots = self.slots_of(places, usize::MAX, threads).expect("no search is too long").into();
    }

    /// The slots of the keys in so many places; None where a key would be farther from its home than `farthest`.
    ///
    /// Keys are dealt out to parts of the places first, each of which fits into a cache. Both steps run on several threads.
    fn slots_of(&self, places: usize, farthest: usize, threads: usize) -> Option<Vec<u32>> {
        let n_parts = (places / SMALL_PART).clamp(1, MOST_PARTS);
        let dealt =
            each_on_a_thread(&large_parts(self.len(), threads), |ids| self.dealt_out(ids.clone(), places, n_parts));
        let mut slots = scattered_zeros(places);
        let mut outside: Vec<Option<Vec<u64>>> = vec![None; n_parts];
        let parts = slots.chunks_mut(places / n_parts).zip(&mut outside).enumerate().collect();
        let fill = |(number, (part, outside)): &mut (usize, (&mut [u32], &mut Option<_>)), (): &mut ()| {
            let entries = dealt.iter().flat_map(|dealt| dealt.part(*number));
            **outside = fill_part(part, *number * (places / n_parts), entries, farthest);
        };
        in_turns(parts, dealt.len().max(1), || (), fill, |()| ());
        let outside = outside.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten();
        for entry in outside.chain(dealt.iter().flat_map(|dealt| dealt.more.iter().copied())) {
            let mut place = (entry >> 32) as usize;
            let mut distance = 0;
            while slots[place] != 0 {
                place = (place + 1) & (places - 1);
                distance += 1;
                if distance > farthest {
                    return None;
                }
            }
            slots[place] = entry as u32;
        }
        Some(slots)
    }

    /// By part of the places, the home and the slot of each key that is at home there.
    fn dealt_out(&self, ids: Range<usize>, places: usize, n_parts: usize) -> Dealt {
        let room = ids.len() / n_parts * 9 / 8 + 64;
        let mut dealt =
            Dealt { room, entries: scattered_zeros(n_parts * room), lengths: vec![0; n_parts], more: vec![] };
        let shift = (places / n_parts).trailing_zeros();
        for (id, key) in self.keys[ids.clone()].iter().enumerate() {
            let hash = key.hash(self.seed);
            let home = home(places, hash);
            let entry = (home as u64) << 32 | u64::from(Self::slot(places, hash, ids.start + id));
            let length = &mut dealt.lengths[home >> shift];
            if *length < room {
                dealt.entries[(home >> shift) * room + *length] = entry;
                *length += 1;
            } else {
                dealt.more.push(entry);
            }
        }
        dealt
    }
}

/// Homes and slots of keys, by part of the places: the home in the upper half, the slot in the lower.
struct Dealt {
    /// How many each part has room for.
    room: usize,
    entries: Vec<u64>,
    lengths: Vec<usize>,
    /// Those that had no room.
    more: Vec<u64>,
}

impl Dealt {
    fn part(&self, number: usize) -> &[u64] {
        &self.entries[number * self.room..][..self.lengths[number]]
    }
}

/// Fills a part of all places, from `first` on, with the slots of keys that are at home there. Returns those that find no place up
/// to the end of the part; None where one would be farther from its home than `farthest`.
fn fill_part<'a>(
    part: &mut [u32],
    first: usize,
    entries: impl Iterator<Item = &'a u64>,
    farthest: usize,
) -> Option<Vec<u64>> {
    let mut outside = vec![];
    for &entry in entries {
        let start = (entry >> 32) as usize - first;
        match part[start..].iter().take(farthest.saturating_add(1)).position(|slot| *slot == 0) {
            Some(distance) => part[start + distance] = entry as u32,
            None if part.len() - start <= farthest => outside.push(entry),
            None => return None,
        }
    }
    Some(outside)
}

/// Puts a slot into the first free place from its home on.
pub(super) fn insert(slots: &mut [u32], home: usize, slot: u32) {
    let mut place = home;
    while slots[place] != 0 {
        place = (place + 1) & (slots.len() - 1);
    }
    slots[place] = slot;
}

/// The first place where a key is looked for. It is chosen by the top bits: keys that are sorted by hash then fill the
/// table from its beginning to its end.
#[inline(always)]
pub(super) fn home(places: usize, hash: u64) -> usize {
    (hash >> (64 - places.trailing_zeros())) as usize
}

/// Places for `n` keys: half of them stay free, so that searches are short.
pub(super) fn places_for(n: usize) -> usize {
    (2 * n).next_power_of_two().max(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_by_their_two_ids() {
        let mut index = Index::new(Seed::of_this_process());
        let ids: Vec<u32> = (0..10_000u32).map(|i| index.intern(pair(i / 100, i % 100))).collect();
        assert_eq!(ids, (0..10_000).collect::<Vec<u32>>());
        assert_eq!(index.find(pair(3, 7)), 307);
        assert_eq!(index.find(pair(7, 1000)), UNKNOWN);
    }

    #[test]
    fn keys_of_a_file_are_found_once_they_are_filled_in_by_any_number_of_threads() {
        // The last are in several parts.
        for n in [0, 1, 500, 3 * SMALL_PART] {
            for threads in [1, 2, 3, 5] {
                let keys: Vec<u64> = (0..n as u64).map(|n| n * n).collect();
                let mut index = Index::unfilled(keys.clone().into());
                assert!(index.fill(threads));
                assert!(keys.iter().enumerate().all(|(id, &key)| index.find(key) == id as u32));
                assert_eq!(index.find(2), UNKNOWN);
            }
        }
    }

    /// Keys that would all be at the same place under the seed of files.
    fn colliding(n: usize) -> Vec<u64> {
        let seed = Seed::of_files();
        (0..).filter(|key: &u64| key.hash(seed) >> 52 == 7).take(n).collect()
    }

    /// Keys whose homes under the seed of files are those from the first on, in a row.
    fn in_a_row(n: usize) -> Vec<u64> {
        let mut keys = vec![None; n];
        let (mut key, mut left) = (0u64, n);
        while left > 0 {
            key += 1;
            if let Some(place @ None) = keys.get_mut(home(places_for(n), key.hash(Seed::of_files()))) {
                *place = Some(key);
                left -= 1;
            }
        }
        keys.into_iter().flatten().collect()
    }

    #[test]
    fn keys_that_were_made_to_collide_are_not_filled_in_and_another_seed_finds_them() {
        for keys in [colliding(1000), in_a_row(1000)] {
            let mut index = Index::unfilled(keys.clone().into());
            assert!(!index.fill(2));
            let index = Index::from_keys(Seed::of_this_process(), keys.clone(), 2);
            assert!(keys.iter().enumerate().all(|(id, &key)| index.find(key) == id as u32));
        }
    }

    #[test]
    fn keys_that_leave_the_end_of_the_places_go_on_at_their_beginning() {
        let seed = Seed::of_files();
        let keys: Vec<u64> = (0..).filter(|key: &u64| home(64, key.hash(seed)) == 63).take(20).collect();
        let mut index = Index::unfilled(keys.clone().into());
        assert!(index.fill(1));
        assert!(keys.iter().enumerate().all(|(id, &key)| index.find(key) == id as u32));
    }
}
