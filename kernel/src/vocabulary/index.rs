//! Keys to ids, and back: open addressing, linear probing, in two arrays.
//!
//! `slots` holds 8 bytes for each place, the id and what is left of the hash, so eight places share a cache line and a probe
//! hardly ever reads a wrong key; `keys` holds the keys in the order of their ids. Both lie in a model file as they are, so that
//! loading builds nothing. Where the keys were made to collide under the seed of files, the file has no slots, and whoever
//! loads it builds them with a seed of his own.

use bytemuck::{AnyBitPattern, NoUninit};

use super::{AHEAD, Hashed, Seed, UNKNOWN};
use crate::array::Array;
use crate::processor::{prefetch, scattered_filled};

/// The longest run of filled places in an index of a file. By chance a hundred million keys have one of about a hundred.
const LONGEST_RUN: usize = 128;

pub trait Key: Copy + Eq + AnyBitPattern + NoUninit {
    /// What no feature has as its key.
    const EMPTY: Self;

    fn hash(self, seed: Seed) -> u64;
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
    slots: Array<u64>,
    keys: Array<K>,
}

impl<K: Key> Index<K> {
    pub fn new(seed: Seed) -> Self {
        Index { seed, slots: vec![0; 16].into(), keys: Array::default() }
    }

    /// An index that lies in a file; None where the arrays do not fit each other. It may be without slots.
    pub fn mapped(slots: Array<u64>, keys: Array<K>) -> Option<Self> {
        let has_room = slots.len().is_power_of_two() && slots.len() >= 16 && keys.len() <= slots.len() / 2;
        (slots.is_empty() || has_room).then_some(Index { seed: Seed::of_files(), slots, keys })
    }

    /// The index of `keys`, which are distinct.
    pub fn from_keys(seed: Seed, keys: Vec<K>) -> Self {
        let mut index = Index { seed, slots: Array::default(), keys: keys.into() };
        index.rebuild(places_for(index.len()));
        index
    }

    /// The index of `keys`, which are distinct, for a file: without slots, where it would have long runs.
    pub fn for_file(keys: Vec<K>) -> Self {
        let mut index = Index { seed: Seed::of_files(), slots: Array::default(), keys: keys.into() };
        if let Some(slots) = index.slots_of(places_for(index.len()), LONGEST_RUN) {
            index.slots = slots.into();
            if !index.is_sound() {
                index.slots = Array::default();
            }
        }
        index
    }

    /// Whether every key of an index that lies in a file has one place, which is found in a bounded time.
    pub fn is_sound(&self) -> bool {
        let sum = self.keys.iter().enumerate().fold(0u64, |sum, (id, &key)| sum.wrapping_add(self.trace(id, key)));
        self.has_slots_of(sum)
    }

    /// What a key adds to the sum that tells the slots of an index.
    ///
    /// Keys and slots are read from their beginning to their end, which is far quicker than going from one to the other: that
    /// the slots are those of the keys is told by a sum over a hash that nobody else can compute.
    #[inline(always)]
    pub(super) fn trace(&self, id: usize, key: K) -> u64 {
        if self.slots.is_empty() { 0 } else { trace(Self::slot(self.slots.len(), key.hash(self.seed), id)) }
    }

    /// Whether the slots are those of keys with this sum of traces, each in a short run that starts at or before its home. The
    /// loop has no branches: whether a slot is filled is as hard to foresee as a coin.
    pub(super) fn has_slots_of(&self, sum: u64) -> bool {
        let slots = &self.slots[..];
        if slots.is_empty() {
            return true;
        }
        let Some(start) = slots.iter().position(|slot| *slot == 0) else { return false };
        let (mut left, mut run, mut is_sound) = (sum, 0, true);
        let mut look = |first: usize, part: &[u64]| {
            for (place, &slot) in (first..).zip(part) {
                let is_filled = slot != 0;
                let distance = place.wrapping_sub(home(slots.len(), slot)) & (slots.len() - 1);
                run = (run + 1) * usize::from(is_filled);
                is_sound &= !is_filled | ((distance < run) & (run <= LONGEST_RUN));
                left = left.wrapping_sub(trace(slot) * u64::from(is_filled));
            }
        };
        look(start, &slots[start..]);
        look(0, &slots[..start]);
        is_sound && left == 0
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

    /// Whether it can be looked up in: an index from a file may be without slots.
    pub fn has_slots(&self) -> bool {
        !self.slots.is_empty()
    }

    pub fn keys(&self) -> &Array<K> {
        &self.keys
    }

    /// The slots and the keys.
    pub fn into_arrays(self) -> (Array<u64>, Array<K>) {
        (self.slots, self.keys)
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
            self.rebuild(places_for(n));
        }
    }

    /// What a filled place holds: the hash, but for as many of its last bits as number the places; these are the id,
    /// counted from 1.
    #[inline(always)]
    fn slot(places: usize, hash: u64, id: usize) -> u64 {
        hash & !(places as u64 - 1) | (id as u64 + 1)
    }

    #[inline(always)]
    fn id(places: usize, slot: u64) -> usize {
        (slot & (places as u64 - 1)).wrapping_sub(1) as usize
    }

    /// The id of a key, or the free place where it would be. `same` has the last word on equal keys.
    #[inline(always)]
    fn search(slots: &[u64], keys: &[K], key: K, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut place = home(slots.len(), hash);
        loop {
            let slot = slots[place];
            if slot == 0 {
                return Err(place);
            }
            if slot ^ hash < slots.len() as u64 {
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
                    self.rebuild(self.slots.len() * 2);
                }
                self.len() as u32 - 1
            }
        }
    }

    fn rebuild(&mut self, places: usize) {
        self.slots = self.slots_of(places, usize::MAX).expect("no search is too long").into();
    }

    /// The slots of the keys in so many places; None where a key would be farther from its place than `farthest`.
    fn slots_of(&self, places: usize, farthest: usize) -> Option<Vec<u64>> {
        let mut slots = scattered_filled(0u64, places);
        for (id, key) in self.keys.iter().enumerate() {
            if let Some(next) = self.keys.get(id + AHEAD) {
                prefetch(&slots, home(places, next.hash(self.seed)));
            }
            let hash = key.hash(self.seed);
            let mut place = home(places, hash);
            let mut distance = 0;
            while slots[place] != 0 {
                place = (place + 1) & (places - 1);
                distance += 1;
                if distance > farthest {
                    return None;
                }
            }
            slots[place] = Self::slot(places, hash, id);
        }
        Some(slots)
    }
}

/// A number for a slot that depends on the process: sums of them are equal where the slots are the same.
#[inline(always)]
fn trace(slot: u64) -> u64 {
    let seed = Seed::of_this_process();
    seed.mix(seed.mix(slot, 1), 2)
}

/// The first place where a key is looked for. It is chosen by the top bits: keys that are sorted by hash then fill the
/// table from its beginning to its end.
#[inline(always)]
fn home(places: usize, hash: u64) -> usize {
    (hash >> (64 - places.trailing_zeros())) as usize
}

/// Places for `n` keys: half of them stay free, so that searches are short.
fn places_for(n: usize) -> usize {
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
    fn an_index_of_a_file_is_sound_and_no_longer_once_a_slot_is_changed() {
        let (slots, keys) = Index::for_file((0..500u64).collect()).into_arrays();
        let index = |slots: Vec<u64>| Index::mapped(slots.into(), keys.clone()).expect("the lengths fit");
        assert!(index(slots.to_vec()).is_sound());
        for place in 0..slots.len() {
            for wrong in [0, slots[place] ^ 1, slots[place] ^ 1 << 40, u64::MAX, slots[(place + 1) % slots.len()]] {
                let mut changed = slots.to_vec();
                changed[place] = wrong;
                assert_eq!(index(changed).is_sound(), wrong == slots[place]);
            }
        }
        assert!(!index(vec![u64::MAX; slots.len()]).is_sound());
    }

    /// Keys that would all be at the same place under the seed of files.
    fn colliding(n: usize) -> Vec<u64> {
        let seed = Seed::of_files();
        (0..).filter(|key: &u64| key.hash(seed) >> 52 == 7).take(n).collect()
    }

    #[test]
    fn keys_that_were_made_to_collide_leave_a_file_without_slots_and_another_seed_finds_them() {
        let keys = colliding(1000);
        let index = Index::for_file(keys.clone());
        assert!(!index.has_slots());
        let index = Index::from_keys(Seed::of_this_process(), keys.clone());
        assert!(keys.iter().enumerate().all(|(id, &key)| index.find(key) == id as u32));
    }
}
