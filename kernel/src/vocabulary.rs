//! Features and their ids.
//!
//! An [`Index`] finds the id of a key: open addressing, linear probing, in two arrays. `slots` holds 8 bytes for each
//! place, 32 bits of the hash and the id, so eight places share a cache line and a probe rarely reads a wrong key;
//! `keys` holds the keys in the order of their ids. Both lie in a model file as they are, so that loading builds nothing.
//!
//! The key of a word of up to 15 bytes is the word itself and its length, in 16 bytes: equal keys are equal words. A longer
//! word has its hash and length as key, and its bytes in [`LongNames`], where they are compared. The key of a
//! pair is the two ids. Tables in memory are keyed by a number that each process draws for itself, so that nobody can
//! prepare texts whose words collide; a table in a file is keyed by a number that depends on its words alone.

mod keys;

use std::sync::OnceLock;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::array::Array;
use crate::processor::{prefetch, scattered_filled};
use crate::text::Tokens;
use keys::key_of;
pub use keys::{Hashed, Placed, WordKey, make_keys, make_places, make_places_ahead, share};

/// The id of what is not in a vocabulary.
pub const UNKNOWN: u32 = u32::MAX;

/// How many lookups ahead memory is asked for: about the time of one trip to memory.
pub const AHEAD: usize = 16;

/// Keys the hashes of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64, u64);

impl Seed {
    /// The same for any number, on any machine.
    pub fn fixed(number: u64) -> Self {
        Seed(scramble(2 * number + 1), scramble(2 * number + 2))
    }

    /// Drawn once for each process.
    pub fn of_this_process() -> Self {
        static SEED: OnceLock<Seed> = OnceLock::new();
        *SEED.get_or_init(|| {
            use std::hash::{BuildHasher, RandomState};
            let state = RandomState::new();
            Seed(state.hash_one(1u8), state.hash_one(2u8))
        })
    }

    #[inline(always)]
    fn mix(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a ^ self.0) * u128::from(b ^ self.1);
        (product as u64) ^ (product >> 64) as u64
    }

    /// A hash of any bytes.
    #[cold]
    #[inline(never)]
    pub fn digest(self, bytes: &[u8]) -> u64 {
        bytes.chunks(16).fold(bytes.len() as u64, |sum, chunk| {
            let mut padded = [0; 16];
            padded[..chunk.len()].copy_from_slice(chunk);
            let [low, high] = bytemuck::cast::<[u8; 16], [u64; 2]>(padded);
            self.mix(low ^ sum, high.rotate_left(17)).wrapping_add(sum.rotate_left(23))
        })
    }
}

/// The finaliser of SplitMix64.
fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

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

/// Keys to ids, and back.
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

    /// An index that lies in a file; None where the arrays do not fit each other.
    pub fn mapped(seed: Seed, slots: Array<u64>, keys: Array<K>) -> Option<Self> {
        let fits = slots.len().is_power_of_two() && slots.len() >= 16 && keys.len() <= slots.len() / 2;
        fits.then_some(Index { seed, slots, keys })
    }

    /// The index of `keys`, which are distinct.
    pub fn from_keys(seed: Seed, keys: Vec<K>) -> Self {
        let mut index = Index { seed, slots: Array::default(), keys: keys.into() };
        index.rebuild(places_for(index.len()));
        index
    }

    /// The index of `keys`, which are distinct, keyed by the smallest number under which no search is long.
    ///
    /// Returns that number too: it goes into the file. `rekey` makes the keys for a seed.
    pub fn settled(rekey: impl Fn(Seed) -> Vec<K>) -> (u64, Self) {
        for number in 0.. {
            let seed = Seed::fixed(number);
            let keys = rekey(seed);
            // Some seed always does: after eight that did not, every further one has twice the room.
            let room = keys.len() << (number / 8).min(6);
            let mut index = Index { seed, slots: Array::default(), keys: keys.into() };
            index.rebuild(places_for(room));
            if index.longest_search() <= 64 {
                return (number, index);
            }
        }
        unreachable!("the loop above has no end")
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

    pub fn slots(&self) -> &Array<u64> {
        &self.slots
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

    /// Makes room for `n` keys in all.
    pub fn reserve(&mut self, n: usize) {
        if places_for(n) > self.slots.len() {
            let more = n.saturating_sub(self.len());
            self.keys.to_mut().reserve(more);
            self.rebuild(places_for(n));
        }
    }

    #[inline(always)]
    fn home(places: usize, hash: u64) -> usize {
        // The top bits: keys that are sorted by hash then fill the table from its beginning to its end.
        (hash >> (64 - places.trailing_zeros())) as usize
    }

    #[inline(always)]
    fn tagged(hash: u64, id: usize) -> u64 {
        hash << 32 | (id as u64 + 1)
    }

    /// The id of `key`, or the free place where it would be. `same` has the last word on equal keys.
    #[inline(always)]
    fn search(slots: &[u64], keys: &[K], key: K, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut place = Self::home(slots.len(), hash);
        loop {
            let slot = slots[place];
            if slot == 0 {
                return Err(place);
            }
            if (slot >> 32) as u32 == hash as u32 {
                let id = slot as u32 - 1;
                if keys.get(id as usize) == Some(&key) && same(id) {
                    return Ok(id);
                }
            }
            place = (place + 1) & (slots.len() - 1);
        }
    }

    pub fn find(&self, key: K) -> u32 {
        Self::search(&self.slots, &self.keys, key, key.hash(self.seed), |_| true).unwrap_or(UNKNOWN)
    }

    /// The ids of `keys`, appended to `ids`; [`UNKNOWN`] for those that are not here. `same` has the last word on equal keys, by
    /// the number of the one that is asked for and the id of the one that was found.
    pub fn find_each(&self, keys: &[Hashed<K>], same: impl Fn(usize, u32) -> bool, ids: &mut Vec<u32>) {
        let (slots, known) = (&self.slots[..], &self.keys[..]);
        ids.extend(keys.iter().enumerate().map(|(i, &Hashed { key, hash })| {
            // The slot of one far ahead, and the key of one for which the slot should have come by now.
            if let Some(next) = keys.get(i + AHEAD) {
                prefetch(slots, Self::home(slots.len(), next.hash));
                let slot = slots[Self::home(slots.len(), keys[i + AHEAD / 2].hash)];
                prefetch(known, (slot as u32).wrapping_sub(1) as usize);
            }
            Self::search(slots, known, key, hash, |id| same(i, id)).unwrap_or(UNKNOWN)
        }));
    }

    /// The id of `key`, which is added where it is new.
    pub fn intern(&mut self, key: K) -> u32 {
        let hash = key.hash(self.seed);
        let (slots, keys) = (self.slots.to_mut(), self.keys.to_mut());
        match Self::search(slots, keys, key, hash, |_| true) {
            Ok(id) => id,
            Err(place) => {
                Self::put(slots, keys, place, key, hash);
                self.grow_if_full();
                self.len() as u32 - 1
            }
        }
    }

    #[inline(always)]
    fn put(slots: &mut [u64], keys: &mut Vec<K>, place: usize, key: K, hash: u64) {
        slots[place] = Self::tagged(hash, keys.len());
        keys.push(key);
    }

    fn grow_if_full(&mut self) {
        if places_for(self.len() + 1) > self.slots.len() {
            self.rebuild(self.slots.len() * 2);
        }
    }

    fn rebuild(&mut self, places: usize) {
        let mut slots = scattered_filled(0u64, places);
        for (id, key) in self.keys.iter().enumerate() {
            if let Some(next) = self.keys.get(id + AHEAD) {
                prefetch(&slots, Self::home(places, next.hash(self.seed)));
            }
            let hash = key.hash(self.seed);
            let mut place = Self::home(places, hash);
            while slots[place] != 0 {
                place = (place + 1) & (places - 1);
            }
            slots[place] = Self::tagged(hash, id);
        }
        self.slots = slots.into();
    }

    fn longest_search(&self) -> usize {
        let (mut longest, mut run) = (0, 0);
        // Twice around, since a run may go over the end.
        for slot in self.slots.iter().chain(self.slots.iter()) {
            run = if *slot == 0 { 0 } else { run + 1 };
            longest = longest.max(run);
        }
        longest
    }
}

/// Places for `n` keys: half of them stay free, so that searches are short.
fn places_for(n: usize) -> usize {
    (2 * n).next_power_of_two().max(16)
}

/// The words of more than 15 bytes, by id.
#[derive(Clone, Default)]
pub struct LongNames {
    ids: Array<u32>,
    ends: Array<u64>,
    bytes: Array<u8>,
}

impl LongNames {
    pub fn get(&self, id: u32) -> Option<&[u8]> {
        let at = self.ids.binary_search(&id).ok()?;
        let start = if at == 0 { 0 } else { *self.ends.get(at - 1)? };
        self.bytes.get(start as usize..*self.ends.get(at)? as usize)
    }

    /// Ids come in rising order, as a vocabulary gives them out.
    pub fn push(&mut self, id: u32, name: &[u8]) {
        self.ids.to_mut().push(id);
        self.bytes.to_mut().extend_from_slice(name);
        let end = self.bytes.len() as u64;
        self.ends.to_mut().push(end);
    }
}

/// Words to ids, and back.
///
/// ```
/// use banbury_kernel::{text::Tokens, vocabulary::Words};
/// let mut tokens = Tokens::default();
/// for word in ["so", "incomprehensibly", "so", "good"] {
///     tokens.push(word.as_bytes());
/// }
/// let mut words = Words::default();
/// let ids: Vec<u32> = (0..4).map(|i| words.intern(tokens.get(i))).collect();
/// assert_eq!(ids, [0, 1, 0, 2]);
/// assert_eq!(words.name(1), b"incomprehensibly");
/// ```
#[derive(Clone)]
pub struct Words {
    pub index: Index<WordKey>,
    pub long: LongNames,
}

impl Default for Words {
    fn default() -> Self {
        Words::new(Index::new(Seed::of_this_process()), LongNames::default())
    }
}

impl Words {
    pub fn new(index: Index<WordKey>, long: LongNames) -> Self {
        Words { index, long }
    }

    pub fn mapped(index: Index<WordKey>, ids: Array<u32>, ends: Array<u64>, bytes: Array<u8>) -> Option<Self> {
        (ids.len() == ends.len()).then(|| Words::new(index, LongNames { ids, ends, bytes }))
    }

    /// The words, which are distinct, as an index that can go into a file, and the number of its seed.
    pub fn settled(names: &[Vec<u8>]) -> (u64, Self) {
        let (number, index) = Index::settled(|seed| names.iter().map(|name| key_of(name, seed)).collect());
        let mut long = LongNames::default();
        for (id, name) in names.iter().enumerate().filter(|(_, name)| name.len() > 15) {
            long.push(id as u32, name);
        }
        (number, Words::new(index, long))
    }

    pub fn long_arrays(&self) -> (&Array<u32>, &Array<u64>, &Array<u8>) {
        (&self.long.ids, &self.long.ends, &self.long.bytes)
    }

    /// The bytes of word `id`.
    pub fn name(&self, id: u32) -> Vec<u8> {
        let key = self.index.key(id);
        if key.is_long() {
            return self.long.get(id).unwrap_or_default().to_vec();
        }
        key.short_name()
    }

    pub fn find_one(&self, name: &[u8]) -> u32 {
        let key = key_of(name, self.index.seed);
        let hash = key.hash(self.index.seed);
        self.search(key, hash, name).unwrap_or(UNKNOWN)
    }

    #[inline(always)]
    fn search(&self, key: WordKey, hash: u64, name: &[u8]) -> Result<u32, usize> {
        let same = |id| !key.is_long() || self.long.get(id) == Some(name);
        Index::search(&self.index.slots, &self.index.keys, key, hash, same)
    }

    /// The ids of `tokens`, appended to `ids`; [`UNKNOWN`] for those that are not here.
    pub fn find(&self, tokens: &mut Tokens, keys: &mut Vec<Hashed>, ids: &mut Vec<u32>) {
        make_keys(tokens, self.index.seed, keys);
        let same = |i: usize, id| !keys[i].key.is_long() || self.long.get(id) == Some(tokens.get(i));
        self.index.find_each(keys, same, ids);
    }

    /// The id of a word, which is added where it is new.
    pub fn intern(&mut self, name: &[u8]) -> u32 {
        match self.find_one(name) {
            UNKNOWN => {
                let id = self.index.intern_new(key_of(name, self.index.seed));
                if name.len() > 15 {
                    self.long.push(id, name);
                }
                id
            }
            id => id,
        }
    }

    /// The id of word `id` of `other`, which is added where it is new.
    pub fn adopt(&mut self, other: &Words, id: u32) -> u32 {
        let key = other.index.key(id);
        // Only the key of a long word depends on the seed.
        if key.is_long() { self.intern(&other.name(id)) } else { self.index.intern(key) }
    }
}

impl Index<WordKey> {
    /// Adds a key that is known not to be here (or whose equal is another long word).
    fn intern_new(&mut self, key: WordKey) -> u32 {
        let hash = key.hash(self.seed);
        let (slots, keys) = (self.slots.to_mut(), self.keys.to_mut());
        let Err(place) = Self::search(slots, keys, key, hash, |_| false) else {
            unreachable!("nothing is accepted as the same")
        };
        Self::put(slots, keys, place, key, hash);
        self.grow_if_full();
        self.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(words: &[&str]) -> Tokens {
        let mut tokens = Tokens::default();
        words.iter().for_each(|word| tokens.push(word.as_bytes()));
        tokens
    }

    #[test]
    fn every_word_has_its_own_id_and_gives_back_its_name() {
        let names: Vec<String> = (0..50_000).map(|i| format!("w{}{}", i, "é".repeat(i % 12))).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut words = Words::default();
        let ids: Vec<u32> = all.iter().map(|name| words.intern(name.as_bytes())).collect();
        assert_eq!(ids, (0..50_000).collect::<Vec<u32>>());
        let mut found = vec![];
        words.find(&mut tokens(&all), &mut vec![], &mut found);
        assert_eq!(found, ids);
        assert!(ids.iter().all(|&id| words.name(id) == names[id as usize].as_bytes()));
        assert_eq!(words.find_one(b"never seen"), UNKNOWN);
    }

    #[test]
    fn words_that_differ_only_in_trailing_zeros_differ() {
        let mut words = Words::default();
        assert_eq!(["", "a", "a\0", "a\0\0"].map(|word| words.intern(word.as_bytes())), [0, 1, 2, 3]);
        assert_eq!(words.name(2), b"a\0");
    }

    #[test]
    fn a_settled_index_finds_everything_and_depends_on_nothing_else() {
        let names: Vec<Vec<u8>> = (0..3000).map(|i| format!("some word number {i}").into_bytes()).collect();
        let ((number, words), (again, same)) = (Words::settled(&names), Words::settled(&names));
        assert!(names.iter().enumerate().all(|(id, name)| words.find_one(name) == id as u32));
        assert_eq!((number, words.index.slots().to_vec()), (again, same.index.slots().to_vec()));
    }

    #[test]
    fn pairs_are_found_by_their_two_ids() {
        let mut index = Index::new(Seed::of_this_process());
        let ids: Vec<u32> = (0..10_000u32).map(|i| index.intern(pair(i / 100, i % 100))).collect();
        assert_eq!(ids, (0..10_000).collect::<Vec<u32>>());
        assert_eq!(index.find(pair(3, 7)), 307);
        assert_eq!(index.find(pair(7, 1000)), UNKNOWN);
    }
}
