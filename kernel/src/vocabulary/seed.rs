//! What keys the hashes of a table.
//!
//! Tables in memory are keyed by a number that each process draws for itself, so that nobody can prepare texts whose words
//! collide. The index in a file has a seed that everybody knows, so that the same words give the same bytes: it is bounded
//! instead, and left out of the file where words were made to collide.

use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64, u64);

impl Seed {
    /// That of the index in a file.
    pub fn of_files() -> Self {
        Seed::fixed(0)
    }

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

    /// Its two numbers.
    #[inline(always)]
    pub(super) fn halves(self) -> [u64; 2] {
        [self.0, self.1]
    }

    /// Both numbers, multiplied and folded. They are added once more, since a product with zero would forget the other one.
    #[inline(always)]
    pub(super) fn mix(self, a: u64, b: u64) -> u64 {
        let (a, b) = (a ^ self.0, b ^ self.1);
        let product = u128::from(a) * u128::from(b);
        (product as u64) ^ (product >> 64) as u64 ^ a ^ b
    }

    /// An odd number: the first bits of its products with small numbers are spread evenly.
    #[inline(always)]
    pub fn factor(self) -> u32 {
        (self.0 >> 32) as u32 | 1
    }

    /// A permutation of the numbers of so many bits.
    pub fn permutation(self, bits: u32) -> Permutation {
        let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        Permutation { factors: [self.0 | 1, self.1 | 1], mask, shift: bits / 2 + 1 }
    }

    /// A hash of any bytes.
    #[cold]
    #[inline(never)]
    pub fn digest(self, bytes: &[u8]) -> u64 {
        let (chunks, rest) = bytes.as_chunks::<16>();
        let sum =
            chunks.iter().fold(bytes.len() as u64, |sum, chunk| self.digest_more(sum, u128::from_le_bytes(*chunk)));
        if rest.is_empty() {
            return sum;
        }
        // Where there are sixteen bytes up to the end, the last ones of them need not be copied.
        let last = match bytes.last_chunk() {
            Some(chunk) => u128::from_le_bytes(*chunk) >> (8 * (16 - rest.len())),
            None => rest.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte)),
        };
        self.digest_more(sum, last)
    }

    /// A digest of some bytes and sixteen more.
    #[inline(always)]
    fn digest_more(self, sum: u64, more: u128) -> u64 {
        let (low, high) = (more as u64, (more >> 64) as u64);
        self.mix(low ^ sum, high.rotate_left(17)).wrapping_add(sum.rotate_left(23))
    }
}

/// Puts the numbers below a power of two into another order: no two of them become the same, so that some bits of the result say
/// a place in a table, and the others which number it is that lies there.
#[derive(Clone, Copy)]
pub struct Permutation {
    factors: [u64; 2],
    mask: u64,
    shift: u32,
}

impl Permutation {
    /// What becomes of a number. Products with odd factors can be undone, and so can the addition of shifted bits.
    #[inline(always)]
    pub fn of(&self, number: u64) -> u64 {
        let product = number.wrapping_mul(self.factors[0]) & self.mask;
        (product ^ product >> self.shift).wrapping_mul(self.factors[1]) & self.mask
    }
}

/// The finaliser of SplitMix64.
pub fn scramble(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_digest_is_that_of_chunks_that_are_filled_up_with_zeros() {
        let (seed, bytes) = (Seed::of_files(), [7, 1, 255, 0, 9, 128].repeat(12));
        for length in 0..bytes.len() {
            let bytes = &bytes[..length];
            let plain = bytes.chunks(16).fold(length as u64, |sum, chunk| {
                let mut padded = [0; 16];
                padded[..chunk.len()].copy_from_slice(chunk);
                let [low, high] = bytemuck::cast::<[u8; 16], [u64; 2]>(padded).map(u64::from_le);
                seed.mix(low ^ sum, high.rotate_left(17)).wrapping_add(sum.rotate_left(23))
            });
            assert_eq!(seed.digest(bytes), plain);
        }
    }

    #[test]
    fn no_part_of_a_text_makes_a_digest_forget_the_others() {
        let seed = Seed::of_files();
        // Sixteen bytes whose second half turns the seed's second number into zero.
        let zero = |first: u64| [first.to_le_bytes(), seed.1.rotate_right(17).to_le_bytes()].concat();
        let digests: HashSet<u64> = (0..1000).map(|first| seed.digest(&zero(first))).collect();
        assert_eq!(digests.len(), 1000);
    }

    #[test]
    fn a_permutation_has_each_number_once() {
        for bits in [0, 1, 2, 7, 16] {
            let permutation = Seed::of_this_process().permutation(bits);
            let mut all: Vec<u64> = (0..1 << bits).map(|number| permutation.of(number)).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1 << bits));
        }
        let largest = Seed::of_files().permutation(64);
        assert_ne!(largest.of(u64::MAX), largest.of(u64::MAX - 1));
    }
}
