//! Features and their ids.
//!
//! An [`Index`] finds the id of a key. The key of a word of up to 15 bytes is the word itself and its length, in 16 bytes:
//! equal keys are equal words. A longer word has its hash and length as key, and its bytes in [`LongNames`], where they are
//! compared. The key of a pair is the two ids. A [`Seed`] keys the hashes.

mod index;
mod keys;
mod seed;

use std::borrow::Cow;
use std::ops::Range;

use crate::array::Array;
use crate::text::Tokens;
use crate::threads::{each_on_a_thread, large_parts};
pub use index::{Index, Key, pair};
use keys::key_of;
pub use keys::{Hashed, Places, WordKey, make_keys, pieces, placing_hashes, share};
pub use seed::{Permutation, Seed, scramble};

/// The id of what is not in a vocabulary.
pub const UNKNOWN: u32 = u32::MAX;
/// Words of more bytes have their hash as key.
const LONGEST_SHORT: usize = 15;
/// How many lookups ahead memory is asked for: about the time of one trip to memory.
pub const AHEAD: usize = 16;

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

    /// The next of the names of a file, which has this id, and is text of more bytes than a key holds; `place` counts them.
    fn next(&self, place: &mut usize, id: u32) -> Option<&[u8]> {
        let start = if *place == 0 { 0 } else { self.ends[*place - 1] };
        let name = self.bytes.get(start as usize..*self.ends.get(*place)? as usize)?;
        let is_sound = self.ids[*place] == id && name.len() > LONGEST_SHORT && str::from_utf8(name).is_ok();
        *place += 1;
        is_sound.then_some(name)
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

    /// Words that lie in a file; None where the arrays do not fit each other. They cannot be looked up yet.
    pub fn mapped(keys: Array<WordKey>, ids: Array<u32>, ends: Array<u64>, bytes: Array<u8>) -> Option<Self> {
        (ids.len() == ends.len()).then(|| Words::new(Index::unfilled(keys), LongNames { ids, ends, bytes }))
    }

    /// These names, which are distinct, keyed by `seed`; with the seed of files they cannot be looked up.
    pub fn from_names(names: &[Vec<u8>], seed: Seed) -> Self {
        let keys = names.iter().map(|name| key_of(name, seed)).collect();
        let mut long = LongNames::default();
        for (id, name) in names.iter().enumerate().filter(|(_, name)| name.len() > LONGEST_SHORT) {
            long.push(id as u32, name);
        }
        Words::new(Index::for_seed(seed, keys), long)
    }

    /// The keys of the words under a seed.
    pub fn keys(&self, seed: Seed) -> Cow<'_, [WordKey]> {
        let mut keys = Cow::Borrowed(&self.index.keys()[..]);
        if seed != self.index.seed() {
            for &id in self.long.ids.iter() {
                keys.to_mut()[id as usize] = key_of(self.long.get(id).unwrap_or_default(), seed);
            }
        }
        keys
    }

    /// The same words with another seed.
    pub fn rekeyed(&self, seed: Seed) -> Self {
        Words::new(Index::from_keys(seed, self.keys(seed).into_owned(), 1), self.long.clone())
    }

    /// Whether the arrays of a file are those of distinct words, in the order of their names.
    pub fn is_sound(&self, threads: usize) -> bool {
        let parts = large_parts(self.index.len(), threads);
        // Where the first long name of each part is. Ids that are not in order are found out below.
        let mut starts: Vec<usize> =
            parts.iter().map(|part| self.long.ids.partition_point(|id| (*id as usize) < part.start)).collect();
        starts.push(self.long.ids.len());
        let numbers: Vec<usize> = (0..parts.len()).collect();
        let are_sound = each_on_a_thread(&numbers, |&number| {
            self.is_part_sound(parts[number].clone(), starts[number]) == Some(starts[number + 1])
        });
        starts[0] == 0
            && are_sound.into_iter().all(|is_sound| is_sound)
            && self.long.ends.last().copied().unwrap_or(0) == self.long.bytes.len() as u64
    }

    /// Looks at a part of the keys, whose first long name is that number `n_long`, and at the order of its last key and the one after
    /// it. Returns the number of the next long name after the part; None where something is wrong.
    fn is_part_sound(&self, part: Range<usize>, mut n_long: usize) -> Option<usize> {
        let (keys, mut last, mut next) = (self.index.keys(), None, None);
        for (id, &key) in keys.iter().enumerate().take(part.end + 1).skip(part.start) {
            if id == part.end {
                next = Some(n_long);
            }
            let order = if key.is_long() {
                let name = self.long.next(&mut n_long, id as u32)?;
                if key_of(name, self.index.seed()) != key {
                    return None;
                }
                (WordKey::order_of_long(name), name)
            } else if key.is_short_text() {
                (key.order(), &[][..])
            } else {
                return None;
            };
            if last.is_some_and(|last| last >= order) {
                return None;
            }
            last = Some(order);
        }
        next.or(Some(n_long))
    }

    /// Makes the words of a file ready to be looked up: keyed anew where they were made to collide.
    pub fn fill(&mut self, threads: usize) {
        if !self.index.fill(threads) {
            *self = self.rekeyed(Seed::of_this_process());
        }
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
        let key = key_of(name, self.index.seed());
        self.index.find_same(key, |id| !key.is_long() || self.long.get(id) == Some(name))
    }

    /// The ids of `tokens`, appended to `ids`; [`UNKNOWN`] for those that are not here.
    pub fn find(&self, tokens: &mut Tokens, keys: &mut Vec<Hashed>, ids: &mut Vec<u32>) {
        for piece in pieces(tokens.len()) {
            make_keys(tokens, piece.clone(), self.index.seed(), keys);
            let token = |i: usize| tokens.get(piece.start + i);
            let same = |i: usize, id| !keys[i].key.is_long() || self.long.get(id) == Some(token(i));
            self.index.find_each(keys, same, ids);
        }
    }

    /// The id of a word, which is added where it is new.
    pub fn intern(&mut self, name: &[u8]) -> u32 {
        let key = key_of(name, self.index.seed());
        let id = self.index.intern_same(key, |id| !key.is_long() || self.long.get(id) == Some(name));
        if key.is_long() && self.long.get(id).is_none() {
            self.long.push(id, name);
        }
        id
    }

    /// The id of word `id` of `other`, which is added where it is new.
    pub fn adopt(&mut self, other: &Words, id: u32) -> u32 {
        let key = other.index.key(id);
        // Only the key of a long word depends on the seed.
        if key.is_long() { self.intern(&other.name(id)) } else { self.index.intern(key) }
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
        let mut known = vec![];
        words.find(&mut tokens(&all), &mut vec![], &mut known);
        assert_eq!(known, ids);
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
    fn the_words_of_a_file_are_found_and_depend_on_nothing_else() {
        let names = sorted((0..3000).map(|i| format!("some word number {i}")));
        let (mut words, same) =
            (Words::from_names(&names, Seed::of_files()), Words::from_names(&names, Seed::of_files()));
        words.fill(2);
        assert!(names.iter().enumerate().all(|(id, name)| words.find_one(name) == id as u32));
        assert_eq!(words.index.keys()[..], same.index.keys()[..]);
        assert!((1..9).all(|threads| words.is_sound(threads)));
        let rekeyed = words.rekeyed(Seed::of_this_process());
        assert!(names.iter().enumerate().all(|(id, name)| rekeyed.find_one(name) == id as u32));
    }

    #[test]
    fn words_of_a_file_that_are_not_in_order_or_no_text_are_not_sound() {
        let words = |names: &[&[u8]]| {
            let names: Vec<Vec<u8>> = names.iter().map(|name| name.to_vec()).collect();
            let words = Words::from_names(&names, Seed::of_files());
            let is_sound = words.is_sound(1);
            assert!((2..5).all(|threads| words.is_sound(threads) == is_sound));
            is_sound
        };
        let long = |n: u8| [b"more than fifteen bytes".to_vec(), vec![n]].concat();
        assert!(!words(&[b"", b"a", "\u{e9}".as_bytes(), &long(b'z')]));
        assert!(words(&[b"", b"a", b"a\0", b"ab", &long(b'a'), &long(b'z'), "\u{e9}".as_bytes()]));
        assert!(!words(&[b"b", b"a"]) && !words(&[b"a", b"a"]) && !words(&[&long(b'z'), &long(b'a')]));
        assert!(!words(&[b"a\xff"]) && !words(&[&long(0xff)]));
    }

    fn sorted(names: impl Iterator<Item = String>) -> Vec<Vec<u8>> {
        let mut names: Vec<Vec<u8>> = names.map(String::into_bytes).collect();
        names.sort();
        names
    }
}
