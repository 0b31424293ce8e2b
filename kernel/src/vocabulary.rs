//! Features and their ids.
//!
//! An [`Index`] finds the id of a key. The key of a word of up to 15 bytes is the word itself and its length, in 16 bytes:
//! equal keys are equal words. A longer word has its hash and length as key, and its bytes in [`LongNames`], where they are
//! compared. The key of a pair is the two ids. A [`Seed`] keys the hashes.

mod earlier;
mod index;
mod keys;
mod ordered;
mod seed;
mod stored;

use std::borrow::Cow;

use crate::array::Array;
use crate::text::Tokens;
pub use index::{Index, Key, pair};
use keys::key_of;
pub use keys::{Hashed, Places, WordKey, make_keys, pieces, placing_hashes, share};
pub use seed::{Permutation, Seed, scramble};
pub use stored::NameArrays;

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

    /// How many bytes all of them have.
    pub fn n_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The name of so many bytes that begins there.
    pub fn at(&self, start: usize, length: usize) -> Option<&[u8]> {
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// Whether this name, which is a long one, begins there. Most are compared by their first and last sixteen bytes, without a call.
    #[inline]
    pub fn is_at(&self, start: usize, name: &[u8]) -> bool {
        let Some(known) = self.at(start, name.len()) else { return false };
        known.first_chunk::<16>() == name.first_chunk()
            && known.last_chunk::<16>() == name.last_chunk()
            && (name.len() <= 32 || known == name)
    }

    /// Appends names whose ids come after those that are here.
    pub fn append(&mut self, other: &LongNames) {
        let before = self.bytes.len() as u64;
        self.ids.to_mut().extend_from_slice(&other.ids);
        self.bytes.to_mut().extend_from_slice(&other.bytes);
        self.ends.to_mut().extend(other.ends.iter().map(|end| before + end));
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

    /// These names, which are distinct, keyed by `seed`; with the seed of files they cannot be looked up.
    #[cfg(test)]
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
    fn a_name_is_compared_from_its_first_byte_to_its_last() {
        let mut names = LongNames::default();
        names.push(0, b"some other name, before it");
        for length in [16, 17, 31, 32, 33, 70] {
            let (start, name) = (names.n_bytes(), (0..length).collect::<Vec<u8>>());
            names.push(1, &name);
            assert!(names.is_at(start, &name) && names.at(start, name.len()) == Some(&name[..]));
            assert!(!names.is_at(start + 1, &name) && !names.is_at(start - 1, &name));
            for at in 0..name.len() {
                let mut other = name.clone();
                other[at] ^= 1;
                assert!(!names.is_at(start, &other));
            }
        }
    }

    #[test]
    fn words_that_differ_only_in_trailing_zeros_differ() {
        let mut words = Words::default();
        assert_eq!(["", "a", "a\0", "a\0\0"].map(|word| words.intern(word.as_bytes())), [0, 1, 2, 3]);
        assert_eq!(words.name(2), b"a\0");
    }
}
