//! The keys of words and their first places in a table, eight words at a time.
//!
//! With AVX-512 four keys of 16 bytes share a register: a comparison says which bytes belong to the word, and rounds of AES, of
//! which the processor does four at once, are the hash. One after the other, and hashed by a multiplication, they take three times
//! as long.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::{Level, level};

/// A key, or a seed, as two numbers; the first byte of a word is the lowest of the first number.
pub type Halves = [u64; 2];

/// Words as spans of bytes, behind each of whose starts there are 16 bytes.
#[derive(Clone, Copy)]
pub struct Spans<'a> {
    pub bytes: &'a [u8],
    pub spans: &'a [[u32; 2]],
}

/// Replaces `keys` by the keys of words, and `homes` by their first places among so many, as [`placing_hash`] says; false, and
/// nothing is done, where the processor has nothing for it. `long` makes those of a word of more than 15 bytes, by its number.
pub fn fast_places(
    words: Spans,
    seed: Halves,
    places: u32,
    keys: &mut Vec<Halves>,
    homes: &mut Vec<u32>,
    long: impl Fn(usize) -> (Halves, u32),
) -> bool {
    match level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            // SAFETY: the processor has what the function asks for.
            unsafe { places_avx512(words, seed, places, keys, homes, long) };
            true
        }
        _ => {
            let _ = (words, seed, places, keys, homes, long);
            false
        }
    }
}

/// The hash of a key by which it finds its place in a table in memory; None where the processor has no quick one.
#[inline(always)]
pub fn placing_hash(key: Halves, seed: Halves) -> Option<u64> {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what the function asks for.
        Level::Avx512 => Some(unsafe { placing_hash_aes(key, seed) }),
        _ => {
            let _ = (key, seed);
            None
        }
    }
}

/// The hashes by which keys find their places; None where the processor has no quick ones.
pub fn placing_hashes(keys: &[Halves], seed: Halves) -> Option<Vec<u64>> {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what the function asks for.
        Level::Avx512 => Some(unsafe { placing_hashes_aes(keys, seed) }),
        _ => {
            let _ = (keys, seed);
            None
        }
    }
}

/// What the rounds add: the seed in other orders.
#[cfg(target_arch = "x86_64")]
fn round_keys([first, second]: Halves) -> [Halves; 3] {
    [[second, first], [first.rotate_left(32), second.rotate_left(32)], [second.rotate_left(17), first.rotate_left(41)]]
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "aes")]
#[inline]
fn placing_hash_aes(key: Halves, seed: Halves) -> u64 {
    let vector = |halves: Halves| _mm_set_epi64x(halves[1] as i64, halves[0] as i64);
    let start = _mm_xor_si128(vector(key), vector(seed));
    let hash = round_keys(seed).into_iter().fold(start, |state, key| _mm_aesenc_si128(state, vector(key)));
    // 32 bits say a place, and as many can be multiplied eight at a time.
    (_mm_cvtsi128_si64(hash) as u64) << 32
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "aes")]
fn placing_hashes_aes(keys: &[Halves], seed: Halves) -> Vec<u64> {
    keys.iter().map(|&key| placing_hash_aes(key, seed)).collect()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt,aes,vaes")]
fn places_avx512(
    words: Spans,
    seed: Halves,
    places: u32,
    keys: &mut Vec<Halves>,
    homes: &mut Vec<u32>,
    long: impl Fn(usize) -> (Halves, u32),
) {
    /// Of each byte of four keys its number in the key, and where the length of its word is among the lengths of eight.
    static WITHIN: [u8; 64] = quotients(1, 16, 1);
    static LENGTH: [u8; 64] = quotients(16, 4, 8);
    /// The last byte of each key has the length.
    const LAST: u64 = 0x8000_8000_8000_8000;
    let Spans { bytes, spans } = words;
    let farthest = bytes.len().checked_sub(16).expect("there are 16 bytes behind the start of a word");
    let n = spans.len();
    keys.clear();
    homes.clear();
    keys.reserve(n.next_multiple_of(8));
    homes.reserve(n.next_multiple_of(8));
    let (groups, rest) = spans.as_chunks::<8>();
    let mut last = [[0; 2]; 8];
    last[..rest.len()].copy_from_slice(rest);
    let last = (!rest.is_empty()).then_some(&last);
    // SAFETY: eight spans are 64 bytes. 16 bytes are read from starts that have been compared with `farthest`. There is room for
    // whole groups of eight, and `n` keys and homes are written before the lengths say so. No instruction asks for alignment.
    unsafe {
        let within = _mm512_loadu_si512(WITHIN.as_ptr().cast());
        let first_lengths = _mm512_loadu_si512(LENGTH.as_ptr().cast());
        let last_lengths = _mm512_add_epi8(first_lengths, _mm512_set1_epi8(32));
        let four_times = |[low, high]: Halves| _mm512_broadcast_i32x4(_mm_set_epi64x(high as i64, low as i64));
        let (start, rounds) = (four_times(seed), round_keys(seed).map(four_times));
        let n_places = _mm512_set1_epi64(i64::from(places));
        let low_halves = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        let (keys_out, homes_out) = (keys.as_mut_ptr(), homes.as_mut_ptr());
        for (number, group) in groups.iter().chain(last).enumerate() {
            let both = _mm512_loadu_si512(group.as_ptr().cast());
            let starts = _mm512_and_si512(both, _mm512_set1_epi64(0xffff_ffff));
            let lengths = _mm512_sub_epi64(_mm512_srli_epi64::<32>(both), starts);
            let is_far = _mm512_cmpgt_epu64_mask(starts, _mm512_set1_epi64(farthest as i64));
            assert!(is_far == 0, "there are 16 bytes behind the start of a word");
            let head = |word: usize| _mm_loadu_si128(bytes.as_ptr().add(group[word][0] as usize).cast());
            let four = |word: usize, which: __m512i| {
                let heads = _mm512_castsi128_si512(head(word));
                let heads = _mm512_inserti32x4::<1>(heads, head(word + 1));
                let heads = _mm512_inserti32x4::<2>(heads, head(word + 2));
                let heads = _mm512_inserti32x4::<3>(heads, head(word + 3));
                let lengths = _mm512_permutexvar_epi8(which, lengths);
                let kept = _mm512_maskz_mov_epi8(_mm512_cmplt_epu8_mask(within, lengths), heads);
                // Counted from 1, so that no key is zero.
                let four = _mm512_mask_add_epi8(kept, LAST, lengths, _mm512_set1_epi8(1));
                _mm512_storeu_si512(keys_out.add(8 * number + word).cast(), four);
                rounds.iter().fold(_mm512_xor_si512(four, start), |state, key| _mm512_aesenc_epi128(state, *key))
            };
            let hashes = _mm512_permutex2var_epi64(four(0, first_lengths), low_halves, four(4, last_lengths));
            let homes = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<32>(_mm512_mul_epu32(hashes, n_places)));
            _mm256_storeu_si256(homes_out.add(8 * number).cast(), homes);
            let mut longs = _mm512_cmpgt_epu64_mask(lengths, _mm512_set1_epi64(15));
            while longs != 0 {
                let word = 8 * number + longs.trailing_zeros() as usize;
                let (key, home) = long(word);
                *keys_out.add(word) = key;
                *homes_out.add(word) = home;
                longs &= longs - 1;
            }
        }
        keys.set_len(n);
        homes.set_len(n);
    }
}

/// Of the numbers up to 63 the quotients by `divisor`, from 0 again after each `cycle` of them, times `factor`.
#[cfg(target_arch = "x86_64")]
const fn quotients(divisor: usize, cycle: usize, factor: usize) -> [u8; 64] {
    let mut numbers = [0; 64];
    let mut at = 0;
    while at < 64 {
        numbers[at] = (at / divisor % cycle * factor) as u8;
        at += 1;
    }
    numbers
}
