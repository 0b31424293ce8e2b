//! Names as a file holds them.
//!
//! A byte for the length of each name; the short ones one after the other, and the long ones apart. They come in the order of their
//! hashes under the seed of files, then of their keys, then of their bytes: so they are distinct where each is more than the one
//! before, and one pass makes keys of them, looks at all that could be wrong, and fills in the slots by which they are found.

use std::ops::Range;
use std::sync::Mutex;

use bytemuck::{AnyBitPattern, NoUninit};

use super::ordered::{Filling, fill};
use super::{Index, Key, LONGEST_SHORT, LongNames, Seed, WordKey, Words, key_of};
use crate::array::Array;
use crate::processor::Cleared;
use crate::threads::large_parts;

/// The length of a name of more than 15 bytes.
const LONG: u8 = 255;

#[derive(Default)]
pub struct NameArrays {
    /// By name, its bytes or [`LONG`].
    pub lengths: Array<u8>,
    pub short: Array<u8>,
    /// Where the long names end.
    pub long_ends: Array<u64>,
    pub long: Array<u8>,
}

/// How many bytes of short names, and how many long names, come before a name.
#[derive(Clone, Copy, Default)]
struct Before {
    bytes: usize,
    long: usize,
}

impl NameArrays {
    /// The arrays of names that are in the order of a file.
    pub fn of(words: &Words) -> Self {
        let mut arrays = NameArrays { long_ends: words.long.ends.clone(), ..NameArrays::default() };
        arrays.long = words.long.bytes.clone();
        let (lengths, short) = (arrays.lengths.to_mut(), arrays.short.to_mut());
        lengths.reserve(words.index.len());
        for key in words.index.keys().iter() {
            match key.short_length() {
                Some(length) => {
                    lengths.push(length as u8);
                    short.extend_from_slice(&key.bytes()[..length]);
                }
                None => lengths.push(LONG),
            }
        }
        arrays
    }

    /// The words of these names; None where something is wrong with them.
    pub fn words(&self, threads: usize) -> Option<Words> {
        let NameArrays { lengths, short, long_ends, long } = self;
        let names = StoredNames { lengths, short, long_ends, long };
        let parts = large_parts(names.lengths.len(), threads);
        let mut before = Before::default();
        let mut starts = vec![];
        for part in &parts {
            starts.push(before);
            before = before.and(&names.lengths[part.clone()]);
        }
        let end = names.long_ends.last().copied().unwrap_or(0);
        if (before.bytes, before.long, end) != (names.short.len(), names.long_ends.len(), names.long.len() as u64) {
            return None;
        }
        let first_keys = parts.iter().zip(&starts).map(|(part, start)| names.key(names.lengths[part.start], *start));
        let first_hashes = first_keys.map(|key| Some(key?.hash(Seed::of_files()))).collect::<Option<Vec<u64>>>()?;
        let mut keys = Cleared::new(names.lengths.len());
        let mut rest = &mut keys[..];
        let mut own_keys = vec![];
        for part in &parts {
            let own;
            (own, rest) = rest.split_at_mut(part.len());
            own_keys.push(Mutex::new(own));
        }
        let (slots, read) = fill(&parts, &first_hashes, |number, filling| {
            let keys = &mut own_keys[number].lock().expect("each part has one thread");
            names.read(parts[number].clone(), starts[number], keys, filling)
        })?;
        drop(own_keys);
        let is_filled = slots.is_some();
        let index = Index::filled(Array::shared(keys), slots.unwrap_or_else(|| Cleared::new(0)));
        let long = LongNames {
            ids: shared(read.iter().flat_map(|part| &part.long_ids).copied().collect()),
            ends: shared(names.long_ends.to_vec()),
            bytes: shared(names.long.to_vec()),
        };
        let words = Words::new(index, long);
        // The first of a part and the last of the one before, too.
        let borders = parts.iter().map(|part| part.start).skip(1);
        let mut doubtful = read.iter().flat_map(|part| part.doubtful.iter().copied()).chain(borders);
        if !doubtful.all(|id| words.file_order(id as u32 - 1) < words.file_order(id as u32)) {
            return None;
        }
        Some(if is_filled { words } else { words.rekeyed(Seed::of_this_process()) })
    }
}

/// The same arrays, as slices.
struct StoredNames<'a> {
    lengths: &'a [u8],
    short: &'a [u8],
    long_ends: &'a [u64],
    long: &'a [u8],
}

impl StoredNames<'_> {
    /// The key of a name of this length; None where it is no name.
    #[inline(always)]
    fn key(&self, length: u8, before: Before) -> Option<WordKey> {
        if usize::from(length) > LONGEST_SHORT {
            return if length == LONG { self.long_key(before.long) } else { None };
        }
        let length = usize::from(length);
        let key = match self.short.get(before.bytes..before.bytes + 16) {
            Some(head) => WordKey::short(head.try_into().expect("16 bytes were asked for"), length),
            None => key_of(self.short.get(before.bytes..before.bytes + length)?, Seed::of_files()),
        };
        (key.is_ascii() || is_text(key, length)).then_some(key)
    }

    #[inline(never)]
    fn long_key(&self, number: usize) -> Option<WordKey> {
        let start = if number == 0 { 0 } else { self.long_ends[number - 1] };
        let name = self.long.get(start as usize..*self.long_ends.get(number)? as usize)?;
        (name.len() > LONGEST_SHORT && str::from_utf8(name).is_ok()).then(|| key_of(name, Seed::of_files()))
    }

    /// Makes the keys of a part of the names, and fills them in.
    fn read(
        &self,
        part: Range<usize>,
        mut before: Before,
        keys: &mut [WordKey],
        filling: &mut Filling,
    ) -> Option<ReadNames> {
        let seed = Seed::of_files();
        let mut read = ReadNames { long_ids: vec![], doubtful: vec![] };
        let (mut last, first) = (0, part.start);
        // Some keys at a time: two short loops have room for all they need in registers, one long loop has not.
        let mut hashes = [0; 256];
        let mut id = part.start;
        for (lengths, keys) in self.lengths[part].chunks(hashes.len()).zip(keys.chunks_mut(hashes.len())) {
            for (at, ((&length, to), hash)) in lengths.iter().zip(keys).zip(&mut hashes).enumerate() {
                *to = self.key(length, before)?;
                *hash = to.hash(seed);
                if length == LONG {
                    read.long_ids.push((id + at) as u32);
                    before.long += 1;
                } else {
                    before.bytes += usize::from(length);
                }
            }
            for &hash in &hashes[..lengths.len()] {
                if hash <= last && id > first {
                    if hash < last {
                        return None;
                    }
                    read.doubtful.push(id);
                }
                filling.push::<WordKey>(hash, id);
                last = hash;
                id += 1;
            }
        }
        Some(read)
    }
}

fn shared<T: AnyBitPattern + NoUninit>(elements: Vec<T>) -> Array<T> {
    Array::shared(Cleared::Few(elements))
}

#[inline(never)]
fn is_text(key: WordKey, length: usize) -> bool {
    str::from_utf8(&key.bytes()[..length]).is_ok()
}

struct ReadNames {
    long_ids: Vec<u32>,
    /// Names with the hash of the one before: whether they come after it has to be looked at.
    doubtful: Vec<usize>,
}

impl Before {
    /// The same, and then names of these lengths.
    fn and(mut self, lengths: &[u8]) -> Self {
        // Sums of few bytes are narrow, so that many are added at once.
        for some in lengths.chunks(1 << 12) {
            let short = |length: u8| if usize::from(length) > LONGEST_SHORT { 0 } else { u16::from(length) };
            self.bytes += usize::from(some.iter().map(|&length| short(length)).sum::<u16>());
            self.long += usize::from(some.iter().map(|&length| u16::from(length == LONG)).sum::<u16>());
        }
        self
    }
}

impl Words {
    /// What puts words into the order of a file.
    fn file_order(&self, id: u32) -> (u64, WordKey, &[u8]) {
        let (key, seed) = (self.index.key(id), Seed::of_files());
        if !key.is_long() {
            return (key.hash(seed), key, &[]);
        }
        let name = self.long.get(id).unwrap_or_default();
        let key = key_of(name, seed);
        (key.hash(seed), key, name)
    }

    /// These of the words, in the order of a file.
    pub fn in_file_order(&self, ids: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut hashed = sorted(ids.map(|id| (self.file_order(id).0, id)).collect(), |(hash, _)| *hash);
        for same in hashed.chunk_by_mut(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            same.sort_unstable_by_key(|&(_, id)| self.file_order(id));
        }
        hashed.into_iter().map(|(_, id)| id).collect()
    }

    /// These of the words with the ids 0, 1, …, keyed by `seed`; with the seed of files they cannot be looked up.
    pub fn picked(&self, ids: &[u32], seed: Seed) -> Words {
        let (all, mut keys, mut long) = (self.index.keys(), Vec::with_capacity(ids.len()), LongNames::default());
        for (new, &id) in ids.iter().enumerate() {
            let mut key = all[id as usize];
            if key.is_long() {
                let name = self.long.get(id).unwrap_or_default();
                key = key_of(name, seed);
                long.push(new as u32, name);
            }
            keys.push(key);
        }
        Words::new(Index::for_seed(seed, keys), long)
    }
}

impl Index<u64> {
    /// The runs of a file, whose keys are in the order of their hashes, then of the keys, and all of which are `possible`; None where
    /// that is not so.
    pub fn of_file(keys: Array<u64>, possible: impl Fn(u64) -> bool + Sync, threads: usize) -> Option<Self> {
        let all = keys.clone();
        let (keys, parts) = (&all[..], large_parts(all.len(), threads));
        let order = |key: u64| (key.hash(Seed::of_files()), key);
        let first_hashes: Vec<u64> = parts.iter().map(|part| order(keys[part.start]).0).collect();
        let (slots, _) = fill(&parts, &first_hashes, |number, filling| {
            let part = parts[number].clone();
            let mut last = part.start.checked_sub(1).map(|id| order(keys[id]));
            for (id, &key) in part.clone().zip(&keys[part]) {
                let order = order(key);
                if last.is_some_and(|last| last >= order) || !possible(key) {
                    return None;
                }
                filling.push::<u64>(order.0, id);
                last = Some(order);
            }
            Some(())
        })?;
        Some(match slots {
            Some(slots) => Index::filled(all, slots),
            None => Index::from_keys(Seed::of_this_process(), keys.to_vec(), threads),
        })
    }

    /// These ids of runs, with the keys that `key` gives them, in the order of a file.
    pub fn in_file_order(ids: impl Iterator<Item = u32>, key: impl Fn(u32) -> u64) -> (Vec<u32>, Vec<u64>) {
        let hashed = |id| {
            let key = key(id);
            (key.hash(Seed::of_files()), key, id)
        };
        let all = sorted(ids.map(hashed).collect(), |(hash, _, _)| *hash);
        all.into_iter().map(|(_, key, id)| (id, key)).unzip()
    }
}

/// Items in their order, which is first that of their hashes. These are even, so their first bits nearly tell the place of each:
/// dealt out by them, the words of reviews are sorted in a third of the time.
fn sorted<T: Copy + Ord>(items: Vec<T>, hash: impl Fn(&T) -> u64) -> Vec<T> {
    const MOST_BITS: u32 = 12;
    const FEW: usize = 16; // items that are sorted as they are
    let Some(&any) = items.first() else { return items };
    let shift = u64::BITS - (items.len() / FEW).max(2).ilog2().min(MOST_BITS);
    let part = |item: &T| (hash(item) >> shift) as usize;
    let mut ends = vec![0; (u64::MAX >> shift) as usize + 1];
    items.iter().for_each(|item| ends[part(item)] += 1);
    let mut before = 0;
    ends.iter_mut().for_each(|end| before = std::mem::replace(end, before) + before);
    let mut dealt = vec![any; items.len()];
    for item in items {
        let end = &mut ends[part(&item)];
        dealt[*end] = item;
        *end += 1;
    }
    let mut start = 0;
    for end in ends {
        dealt[start..end].sort_unstable();
        start = end;
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(names: &[String]) -> Words {
        let mut words = Words::default();
        names.iter().for_each(|name| {
            words.intern(name.as_bytes());
        });
        words
    }

    fn stored(words: &Words) -> NameArrays {
        let ids = words.in_file_order(0..words.index.len() as u32);
        NameArrays::of(&words.picked(&ids, Seed::of_files()))
    }

    #[test]
    fn items_are_sorted_whatever_their_hashes_are() {
        let mixed = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for n in [0, 1, 2, 15, 16, 33, 1000, 100_000] {
            let even: Vec<(u64, u32)> = (0..n).map(|n| (mixed(n), n as u32)).collect();
            let uneven = even.iter().map(|&(hash, _)| (hash % 3 * 7 + (hash & 1 << 63), (hash >> 32) as u32)).collect();
            for items in [even, uneven] {
                let mut expected = items.clone();
                expected.sort_unstable();
                assert_eq!(sorted(items, |(hash, _)| *hash), expected);
            }
        }
    }

    /// Names of all lengths, some of them long, some not of ASCII.
    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("{i:x}{}", ["", "é", "日本", " with many letters"][i % 4].repeat(i % 3))).collect()
    }

    #[test]
    fn names_of_a_file_are_found_by_any_number_of_threads_and_depend_on_no_order() {
        for n in [0, 1, 2, 500, 140_000] {
            let names = names(n);
            let arrays = stored(&words(&names));
            let reversed: Vec<String> = names.iter().rev().cloned().collect();
            let again = stored(&words(&reversed));
            assert_eq!((&arrays.lengths[..], &arrays.short[..]), (&again.lengths[..], &again.short[..]));
            assert_eq!((&arrays.long_ends[..], &arrays.long[..]), (&again.long_ends[..], &again.long[..]));
            for threads in [1, 2, 3] {
                let words = arrays.words(threads).expect("they are sound");
                assert_eq!(words.index.len(), n);
                for name in &names {
                    assert_eq!(words.name(words.find_one(name.as_bytes())), name.as_bytes());
                }
                assert_eq!(words.find_one(b"never seen"), super::super::UNKNOWN);
            }
        }
    }

    #[test]
    fn names_that_are_changed_in_any_byte_are_refused_or_other_names() {
        let whole = stored(&words(&names(60)));
        let copy = |arrays: &NameArrays| NameArrays {
            lengths: arrays.lengths.to_vec().into(),
            short: arrays.short.to_vec().into(),
            long_ends: arrays.long_ends.to_vec().into(),
            long: arrays.long.to_vec().into(),
        };
        let check = |arrays: &NameArrays| {
            let Some(words) = arrays.words(1) else { return false };
            for id in 0..words.index.len() as u32 {
                assert_eq!(words.find_one(&words.name(id)), id);
                assert!(String::from_utf8(words.name(id)).is_ok());
            }
            true
        };
        assert!(check(&whole));
        let mut n_refused = 0;
        for value in [0, 1, 15, 16, 127, 128, 254, 255] {
            for at in 0..whole.lengths.len() {
                let mut changed = copy(&whole);
                changed.lengths.to_mut()[at] = value;
                assert!(!check(&changed) || value == whole.lengths[at]);
            }
            for at in 0..whole.short.len() {
                let mut changed = copy(&whole);
                changed.short.to_mut()[at] = value;
                n_refused += usize::from(!check(&changed));
            }
            for at in 0..whole.long.len() {
                let mut changed = copy(&whole);
                changed.long.to_mut()[at] = value;
                check(&changed);
            }
            for at in 0..whole.long_ends.len() {
                let mut changed = copy(&whole);
                changed.long_ends.to_mut()[at] = u64::from(value);
                assert!(!check(&changed) || u64::from(value) == whole.long_ends[at]);
            }
        }
        assert!(n_refused > whole.short.len(), "nearly all of them change their place");
    }

    #[test]
    fn names_that_stand_there_twice_are_refused() {
        for name in ["short", "one that has many letters"] {
            let once = words(&[name.to_string()]);
            let twice = NameArrays::of(&once.picked(&[0, 0], Seed::of_files()));
            assert!(twice.words(1).is_none());
        }
    }

    /// Runs whose homes under the seed of files are all the same.
    fn made_to_collide(n: usize) -> Vec<u64> {
        let hash = |key: &u64| key.hash(Seed::of_files());
        let (_, keys) = Index::in_file_order(0..n as u32, {
            let keys: Vec<u64> = (0..).filter(|key| hash(key) >> 52 == 7).take(n).collect();
            move |id| keys[id as usize]
        });
        keys
    }

    #[test]
    fn runs_that_were_made_to_collide_are_found_by_another_seed() {
        let keys = made_to_collide(1000);
        let index = Index::of_file(keys.clone().into(), |_| true, 2).expect("they are distinct and in order");
        assert!(index.seed() == Seed::of_this_process());
        assert!(keys.iter().enumerate().all(|(id, &key)| index.find(key) == id as u32));
    }

    #[test]
    fn runs_of_a_file_are_found_by_any_number_of_threads_or_refused() {
        for n in [0, 1, 500, 200_000] {
            let (ids, keys) = Index::in_file_order(0..n, |id| u64::from(id) * u64::from(id));
            assert!(ids.iter().zip(&keys).all(|(&id, &key)| u64::from(id) * u64::from(id) == key));
            for threads in [1, 2, 3] {
                let index = Index::of_file(keys.clone().into(), |_| true, threads).expect("they are in order");
                assert!(index.seed() == Seed::of_files());
                assert!(keys.iter().enumerate().all(|(id, &key)| index.find(key) == id as u32));
            }
            if n > 1 {
                let mut swapped = keys.clone();
                swapped.swap(n as usize / 2, n as usize / 2 - 1);
                let repeated = [&keys[..1], &keys[..]].concat();
                assert!((1..4).all(|threads| Index::of_file(swapped.clone().into(), |_| true, threads).is_none()));
                assert!(Index::of_file(repeated.into(), |_| true, 2).is_none());
                assert!(Index::of_file(keys.into(), |key| key > 0, 2).is_none());
            }
        }
    }
}
