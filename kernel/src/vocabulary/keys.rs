//! The keys of words, and the first places where they can be in a table.
//!
//! Every token goes through here, so a key is two numbers that stay in registers: built in memory from two halves and read
//! back as a whole it would wait for the writes (6.7 ns a key were measured instead of 1.8).

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::{AHEAD, Key, LONGEST_SHORT, Seed};
use crate::processor::{self, Spans, fast_places, placing_hash};
use crate::text::Tokens;

/// A word of up to 15 bytes and its length; or the hash of a longer one, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct WordKey {
    low: u64,
    high: u64,
}

impl WordKey {
    const LONG: u64 = 0xff << 56;

    /// The key of the word of `length` bytes, 15 at the most, that `head` begins with.
    #[inline(always)]
    pub(super) fn short(head: [u8; 16], length: usize) -> Self {
        /// What is kept of the head, and the length in its place.
        const MASKS: [[u64; 3]; 16] = {
            let mut masks = [[0; 3]; 16];
            let mut length = 0;
            while length < 16 {
                let mask = (1u128 << (8 * length)) - 1;
                // Counted from 1, so that no key is zero.
                masks[length] = [mask as u64, (mask >> 64) as u64, (length as u64 + 1) << 56];
                length += 1;
            }
            masks
        };
        let [low, high] = bytemuck::cast::<[u8; 16], [u64; 2]>(head).map(u64::from_le);
        let mask = &MASKS[length & 15];
        WordKey { low: low & mask[0], high: high & mask[1] | mask[2] }
    }

    #[inline(always)]
    fn long(word: &[u8], seed: Seed) -> Self {
        WordKey { low: seed.digest(word), high: Self::LONG | word.len() as u64 }
    }

    /// Whether its word has more than 15 bytes: words with equal keys are then not yet equal.
    #[inline(always)]
    pub fn is_long(self) -> bool {
        self.high >> 56 == 0xff
    }

    /// How many bytes its word has; None for one that is not long.
    pub fn long_length(self) -> Option<usize> {
        self.is_long().then_some((self.high & 0xffff_ffff_ffff) as usize)
    }

    /// How many bytes its word has; None for a long one.
    pub(super) fn short_length(self) -> Option<usize> {
        (!self.is_long()).then(|| (self.bytes()[15] as usize).saturating_sub(1).min(LONGEST_SHORT))
    }

    /// Whether the word is of ASCII; only of one that is not long.
    #[inline(always)]
    pub(super) fn is_ascii(self) -> bool {
        (self.low | self.high) & 0x8080_8080_8080_8080 == 0
    }

    /// The bytes of a word that is not long.
    pub(super) fn short_name(self) -> Vec<u8> {
        let bytes = self.bytes();
        bytes[..(bytes[15] as usize).saturating_sub(1).min(LONGEST_SHORT)].to_vec()
    }

    /// The bytes of a short word, zeros, and its length, counted from 1.
    pub(super) fn bytes(self) -> [u8; 16] {
        bytemuck::cast([self.low.to_le(), self.high.to_le()])
    }

    /// A number that puts short words into the order of their names.
    pub(super) fn order(self) -> u128 {
        u128::from_be_bytes(self.bytes())
    }

    /// The same number for the start of a longer word: it comes after the words that it begins with.
    pub(super) fn order_of_long(name: &[u8]) -> u128 {
        let mut bytes = [0xff; 16];
        bytes[..LONGEST_SHORT].copy_from_slice(&name[..LONGEST_SHORT]);
        u128::from_be_bytes(bytes)
    }

    /// Whether it is the key of a word of at most 15 bytes, which are text, with nothing after it.
    pub(super) fn is_short_text(self) -> bool {
        let bytes = self.bytes();
        let Some(length) = usize::from(bytes[15]).checked_sub(1).filter(|length| *length <= LONGEST_SHORT) else {
            return false;
        };
        WordKey::short(bytes, length) == self && (self.is_ascii() || str::from_utf8(&bytes[..length]).is_ok())
    }

    /// The key of a long word in a form that no table holds: a search by keys alone does not find it.
    #[inline(always)]
    fn asked(self) -> Self {
        WordKey { high: self.high ^ 1 << 48, ..self }
    }

    /// The key as a table holds it, of one that was asked for.
    #[inline(always)]
    pub fn stored(self) -> Self {
        if self.is_long() { self.asked() } else { self }
    }
}

impl Key for WordKey {
    const EMPTY: Self = WordKey { low: 0, high: 0 };

    #[inline(always)]
    fn hash(self, seed: Seed) -> u64 {
        seed.mix(self.low, self.high)
    }

    #[inline(always)]
    fn placing_hash(self, seed: Seed) -> u64 {
        placing_hash([self.low, self.high], seed.halves()).unwrap_or_else(|| self.hash(seed))
    }
}

/// The [placing hashes](Key::placing_hash) of many keys.
pub fn placing_hashes(keys: &[WordKey], seed: Seed) -> Vec<u64> {
    let hashes = processor::placing_hashes(bytemuck::cast_slice(keys), seed.halves());
    hashes.unwrap_or_else(|| keys.iter().map(|key| key.placing_hash(seed)).collect())
}

/// The key of one word.
pub(super) fn key_of(name: &[u8], seed: Seed) -> WordKey {
    if name.len() > LONGEST_SHORT {
        return WordKey::long(name, seed);
    }
    let mut padded = [0; 16];
    padded[..name.len()].copy_from_slice(name);
    WordKey::short(padded, name.len())
}

/// A key and its hash.
#[derive(Clone, Copy)]
pub struct Hashed<K = WordKey> {
    pub key: K,
    pub hash: u64,
}

/// The keys of tokens that are looked for, and the first places where they can be in a table.
#[derive(Default)]
pub struct Places {
    /// That of a long word equals no key in a table, so it is found only by who compares the words: see [`WordKey::stored`].
    keys: Vec<[u64; 2]>,
    /// With [`AHEAD`] more behind them, for loops that ask for memory so far ahead.
    homes: Vec<u32>,
}

impl Places {
    /// Those of some tokens in a table of so many places.
    pub fn make(&mut self, tokens: &mut Tokens, some: Range<usize>, seed: Seed, places: usize) {
        tokens.pad();
        let (bytes, spans) = (&tokens.bytes[..], &tokens.spans[some]);
        let home = |key: WordKey| share(key.placing_hash(seed), places) as u32;
        let long = |token: usize| {
            let [start, end] = spans[token].map(|at| at as usize);
            let key = WordKey::long(&bytes[start..end], seed);
            (bytemuck::cast(key.asked()), home(key))
        };
        let Places { keys, homes } = self;
        let words = Spans { bytes, spans };
        if !fast_places(words, seed.halves(), places as u32, keys, homes, long) {
            keys.clear();
            homes.clear();
            homes.reserve(spans.len() + AHEAD);
            keys.extend(spans.iter().enumerate().map(|(token, &[start, end])| {
                let (start, length) = (start as usize, end.wrapping_sub(start) as usize);
                if length > LONGEST_SHORT {
                    let (key, home) = long(token);
                    homes.push(home);
                    return key;
                }
                let head: &[u8; 16] = bytes[start..start + 16].try_into().expect("tokens are padded");
                let key = WordKey::short(*head, length);
                homes.push(home(key));
                bytemuck::cast(key)
            }));
        }
        homes.resize(homes.len() + AHEAD, 0);
    }

    pub fn keys(&self) -> &[WordKey] {
        bytemuck::cast_slice(&self.keys)
    }

    /// A place for each key, and [`AHEAD`] more.
    pub fn homes(&self) -> &[u32] {
        &self.homes
    }

    /// Keys, and their places, which can be changed.
    pub fn both_mut(&mut self) -> (&[WordKey], &mut [u32]) {
        (bytemuck::cast_slice(&self.keys), &mut self.homes)
    }
}

/// Of so many tokens at a time keys are made: they are larger than the tokens of most texts.
pub const PIECE: usize = 1 << 14;

/// Runs of at most [`PIECE`] of `n` tokens; of no tokens one that is empty.
pub fn pieces(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n.max(1)).step_by(PIECE).map(move |first| first..(first + PIECE).min(n))
}

/// The keys of some tokens and their hashes.
pub fn make_keys(tokens: &mut Tokens, some: Range<usize>, seed: Seed, keys: &mut Vec<Hashed>) {
    tokens.pad();
    let bytes = &tokens.bytes[..];
    keys.clear();
    keys.extend(tokens.spans[some].iter().map(|&[start, end]| {
        let (start, end) = (start as usize, end as usize);
        let length = end.wrapping_sub(start);
        let key = if length > LONGEST_SHORT {
            WordKey::long(&bytes[start..end], seed)
        } else {
            let head: &[u8; 16] = bytes[start..start + 16].try_into().expect("tokens are padded");
            WordKey::short(*head, length)
        };
        Hashed { key, hash: key.hash(seed) }
    }));
}

/// The share of all hashes that lies before this one, as a place.
#[inline(always)]
pub fn share(hash: u64, places: usize) -> usize {
    ((u128::from(hash) * places as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_tokens_are_those_of_their_words_one_by_one() {
        let seed = Seed::of_this_process();
        let word = |length: usize| "añ日b".chars().cycle().skip(length % 3).take(length).collect::<String>();
        // Every number of words that are left over by steps of eight, and every length in every place.
        for n in 0..80 {
            let words: Vec<String> = (0..n).map(|i| word((i * 7 + n) % 40)).collect();
            let mut tokens = Tokens::new();
            words.iter().for_each(|word| tokens.push(word.as_bytes()));
            let (mut hashed, mut places) = (vec![], Places::default());
            make_keys(&mut tokens, 0..n, seed, &mut hashed);
            let from = n / 3;
            places.make(&mut tokens, from..n, seed, 1000);
            assert_eq!((hashed.len(), places.keys().len(), places.homes().len()), (n, n - from, n - from + AHEAD));
            for (i, word) in words.iter().enumerate() {
                let key = key_of(word.as_bytes(), seed);
                assert_eq!((hashed[i].key, hashed[i].hash), (key, key.hash(seed)));
                assert!(key.is_long() || key.short_name() == word.as_bytes());
                let Some(at) = i.checked_sub(from) else { continue };
                assert_eq!(places.keys()[at].stored(), key);
                assert_eq!(places.keys()[at] != key, word.len() > 15, "only long words are asked for by another key");
                assert_eq!(places.homes()[at] as usize, share(key.placing_hash(seed), 1000));
                assert_eq!(placing_hashes(&[key, key], seed), [key.placing_hash(seed); 2]);
            }
        }
    }

    #[test]
    fn places_of_words_that_hardly_differ_are_spread_evenly() {
        let words = (0..1u64 << 16).map(|number| WordKey { low: number, high: 1 });
        let mut numbers = vec![0; 1 << 10];
        words.for_each(|key| numbers[share(key.placing_hash(Seed::of_this_process()), 1 << 10)] += 1);
        // 64 on average, and ten standard deviations more.
        assert!(numbers.iter().all(|&number| number < 64 + 10 * 8));
    }

    #[test]
    fn pieces_are_all_tokens_in_their_order() {
        for n in [0, 1, PIECE, 2 * PIECE + 1] {
            assert!(pieces(n).flatten().eq(0..n) && pieces(n).all(|piece| piece.len() <= PIECE));
        }
    }
}
