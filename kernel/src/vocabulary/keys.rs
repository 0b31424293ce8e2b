//! The keys of words, and the first places where they can be in a table.
//!
//! Every token goes through here, so a key is two numbers that stay in registers: built in memory from two halves and read
//! back as a whole it would wait for the writes (6.7 ns a key were measured instead of 1.8).

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::{AHEAD, Key, LONGEST_SHORT, Seed};
use crate::processor::prefetch;
use crate::text::Tokens;

/// A word of up to 15 bytes and its length; or the hash of a longer one, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct WordKey {
    low: u64,
    high: u64,
}

impl WordKey {
    const LONG: u64 = 0xff << 56;

    /// The key of the word of `length` bytes, 15 at the most, that `head` begins with.
    #[inline(always)]
    fn short(head: [u8; 16], length: usize) -> Self {
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

    /// The bytes of a word that is not long.
    pub(super) fn short_name(self) -> Vec<u8> {
        let bytes = self.bytes();
        bytes[..(bytes[15] as usize).saturating_sub(1).min(LONGEST_SHORT)].to_vec()
    }

    /// The bytes of a short word, zeros, and its length, counted from 1.
    fn bytes(self) -> [u8; 16] {
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
        let is_ascii = (self.low | self.high) & 0x8080_8080_8080_8080 == 0;
        WordKey::short(bytes, length) == self && (is_ascii || str::from_utf8(&bytes[..length]).is_ok())
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

/// The key of a token that is looked for, and the first place where it can be in a table.
#[derive(Clone, Copy)]
pub struct Placed {
    /// That of a long word equals no key in a table, so it is found only by who compares the words: see [`WordKey::stored`].
    pub key: WordKey,
    pub home: u32,
    /// The number of the token.
    pub token: u32,
}

/// Of so many tokens at a time keys are made: they are larger than the tokens of most texts.
pub const PIECE: usize = 1 << 14;

/// Runs of at most [`PIECE`] of `n` tokens; of no tokens one that is empty.
pub fn pieces(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n.max(1)).step_by(PIECE).map(move |first| first..(first + PIECE).min(n))
}

/// The keys of some tokens and their hashes.
pub fn make_keys(tokens: &mut Tokens, some: Range<usize>, seed: Seed, keys: &mut Vec<Hashed>) {
    each_key(tokens, some, seed, keys, |_, key, hash, _| Hashed { key, hash });
}

/// The keys of some tokens and their first places among `slots`, whose memory is asked for on the way: it comes while other keys
/// are made.
pub fn make_places<S>(tokens: &mut Tokens, some: Range<usize>, seed: Seed, slots: &[S], keys: &mut Vec<Placed>) {
    each_key(tokens, some, seed, keys, |token, key, hash, is_long| {
        let placed = placed(token, key, hash, is_long, slots.len());
        prefetch(slots, placed.home as usize);
        placed
    });
}

/// The keys of some tokens and their first places in a table of so many, and [`AHEAD`] keys of nothing behind them, for a loop
/// that asks for memory so far ahead: 4 to 8 % faster than [`make_places`] where the memory is also written.
pub fn make_places_ahead(tokens: &mut Tokens, some: Range<usize>, seed: Seed, places: usize, keys: &mut Vec<Placed>) {
    each_key(tokens, some, seed, keys, |token, key, hash, is_long| placed(token, key, hash, is_long, places));
    keys.extend([Placed { key: WordKey::EMPTY, home: 0, token: 0 }; AHEAD]);
}

#[inline(always)]
fn placed(token: usize, key: WordKey, hash: u64, is_long: bool, places: usize) -> Placed {
    Placed { key: if is_long { key.asked() } else { key }, home: share(hash, places) as u32, token: token as u32 }
}

/// The share of all hashes that lies before this one, as a place.
#[inline(always)]
pub fn share(hash: u64, places: usize) -> usize {
    ((u128::from(hash) * places as u128) >> 64) as usize
}

/// Replaces `keys` by what `make` makes of each of some tokens: of its number, its key, the key's hash, and whether the word is
/// long.
#[inline(always)]
fn each_key<T>(
    tokens: &mut Tokens,
    some: Range<usize>,
    seed: Seed,
    keys: &mut Vec<T>,
    make: impl Fn(usize, WordKey, u64, bool) -> T,
) {
    tokens.pad();
    let bytes = &tokens.bytes[..];
    let first = some.start;
    keys.clear();
    keys.extend(tokens.spans[some].iter().enumerate().map(|(i, &[start, end])| {
        let token = first + i;
        let (start, end) = (start as usize, end as usize);
        let length = end.wrapping_sub(start);
        if length > LONGEST_SHORT {
            let key = WordKey::long(&bytes[start..end], seed);
            return make(token, key, key.hash(seed), true);
        }
        let head: &[u8; 16] = bytes[start..start + 16].try_into().expect("tokens are padded");
        let key = WordKey::short(*head, length);
        make(token, key, key.hash(seed), false)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_tokens_are_those_of_their_words_one_by_one() {
        let seed = Seed::of_this_process();
        let words: Vec<String> = (0..40).map(|length| "añ日b".chars().cycle().take(length).collect()).collect();
        let mut tokens = Tokens::new();
        words.iter().for_each(|word| tokens.push(word.as_bytes()));
        let (mut hashed, mut places, mut ahead) = (vec![], vec![], vec![]);
        make_keys(&mut tokens, 0..words.len(), seed, &mut hashed);
        make_places(&mut tokens, 0..words.len(), seed, &[0u64; 100], &mut places);
        make_places_ahead(&mut tokens, 0..words.len(), seed, 100, &mut ahead);
        assert_eq!((places.len(), ahead.len()), (words.len(), words.len() + AHEAD));
        for (i, word) in words.iter().enumerate() {
            let key = key_of(word.as_bytes(), seed);
            assert_eq!((hashed[i].key, hashed[i].hash), (key, key.hash(seed)));
            for placed in [places[i], ahead[i]] {
                assert_eq!((placed.key.stored(), placed.token), (key, i as u32));
                assert_eq!(placed.key != key, word.len() > 15, "only long words are asked for by another key");
                assert_eq!(placed.home as usize, share(key.hash(seed), 100));
            }
            assert!(key.is_long() || key.short_name() == word.as_bytes());
        }
        let (last, mut some) = (words.len() - 1, vec![]);
        make_places(&mut tokens, last..last + 1, seed, &[0u64; 100], &mut some);
        assert_eq!((some.len(), some[0].token, some[0].home), (1, last as u32, places[last].home));
    }

    #[test]
    fn pieces_are_all_tokens_in_their_order() {
        for n in [0, 1, PIECE, 2 * PIECE + 1] {
            assert!(pieces(n).flatten().eq(0..n) && pieces(n).all(|piece| piece.len() <= PIECE));
        }
    }
}
