//! The few things that need the processor's own instructions, each beside its plain twin.
//!
//! This is the only file of the kernel's core with `unsafe` in it.
#![allow(unsafe_code)]

/// Asks for `slice[index]` to be brought into the cache. A hint: an index past the end does nothing harmful.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults and never changes what a program sees, whatever its address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast::<i8>());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

/// What 64 bytes of text are: bit i speaks of byte i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// ASCII letters, digits, `_`, and every byte of a non-ASCII character.
    pub word: u64,
    /// Bytes of non-ASCII characters.
    pub wide: u64,
}

/// Lower-cases the ASCII letters of `block` in place and says which bytes belong to words.
///
/// ```
/// use banbury_kernel::processor::classify_plain;
/// let mut block = [b' '; 64];
/// block[..5].copy_from_slice(b"A b_1");
/// let masks = classify_plain(&mut block);
/// assert_eq!((&block[..5], masks.word, masks.wide), (&b"a b_1"[..], 0b11101, 0));
/// ```
pub fn classify_plain(block: &mut [u8; 64]) -> Masks {
    let mut masks = Masks { word: 0, wide: 0 };
    for (i, byte) in block.iter_mut().enumerate() {
        byte.make_ascii_lowercase();
        let wide = !byte.is_ascii();
        let word = byte.is_ascii_alphanumeric() || *byte == b'_' || wide;
        masks.word |= u64::from(word) << i;
        masks.wide |= u64::from(wide) << i;
    }
    masks
}

/// The same with AVX2: 64 bytes in some twenty instructions instead of some four hundred.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn classify_avx2(block: &mut [u8; 64]) -> Masks {
    use std::arch::x86_64::*;

    let between = |v: __m256i, low: u8, high: u8| {
        let above = _mm256_cmpgt_epi8(v, _mm256_set1_epi8(low as i8 - 1));
        let below = _mm256_cmpgt_epi8(_mm256_set1_epi8(high as i8 + 1), v);
        _mm256_and_si256(above, below)
    };
    let mut masks = Masks { word: 0, wide: 0 };
    for half in 0..2 {
        let bytes: &mut [u8; 32] = (&mut block[32 * half..32 * half + 32]).try_into().expect("half a block");
        // SAFETY: both pointers are to 32 bytes, and these instructions ask for no alignment.
        let v = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        let upper = between(v, b'A', b'Z');
        let lower = _mm256_or_si256(v, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
        unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), lower) };
        let letter = between(lower, b'a', b'z');
        let digit = between(v, b'0', b'9');
        let underscore = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(b'_' as i8));
        // `v` itself brings its sign bit, which is what marks a non-ASCII byte.
        let word = _mm256_or_si256(_mm256_or_si256(letter, digit), _mm256_or_si256(underscore, v));
        masks.word |= u64::from(_mm256_movemask_epi8(word) as u32) << (32 * half);
        masks.wide |= u64::from(_mm256_movemask_epi8(v) as u32) << (32 * half);
    }
    masks
}

/// Where the runs of word bytes in `bytes` start and end, in turn, with `offset` added: how many such bounds were written, and
/// whether any byte is not ASCII.
///
/// `bytes` is lower-cased (ASCII letters only) in place; its length is a multiple of 64 and its last byte is no word byte.
/// `bounds` has room for one bound a byte, and 64 more.
pub fn word_bounds(bytes: &mut [u8], offset: u32, bounds: &mut [u32]) -> (usize, bool) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has what the function asks for.
        return unsafe { word_bounds_avx2(bytes, offset, bounds) };
    }
    word_bounds_plain(bytes, offset, bounds)
}

macro_rules! word_bounds_with {
    ($classify:ident, $bytes:ident, $offset:ident, $bounds:ident) => {{
        let (mut written, mut carry, mut wide) = (0, 0u64, 0u64);
        let mut base = $offset;
        for block in $bytes.as_chunks_mut::<64>().0 {
            let masks = $classify(block);
            wide |= masks.wide;
            let mut changes = masks.word ^ ((masks.word << 1) | carry);
            carry = masks.word >> 63;
            let count = changes.count_ones() as usize;
            let window = &mut $bounds[written..written + 64];
            // Eight at a time without asking which of them are there: fewer branches to guess wrong.
            for eight in window.as_chunks_mut::<8>().0.iter_mut().take(count.div_ceil(8)) {
                for bound in eight {
                    *bound = base + changes.trailing_zeros();
                    changes &= changes.wrapping_sub(1);
                }
            }
            written += count;
            base += 64;
        }
        (written, wide != 0)
    }};
}

fn word_bounds_plain(bytes: &mut [u8], offset: u32, bounds: &mut [u32]) -> (usize, bool) {
    word_bounds_with!(classify_plain, bytes, offset, bounds)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn word_bounds_avx2(bytes: &mut [u8], offset: u32, bounds: &mut [u32]) -> (usize, bool) {
    word_bounds_with!(classify_avx2, bytes, offset, bounds)
}

/// The CRC-32 of `bytes` (the one of zlib), large ones on two threads.
///
/// ```
/// assert_eq!(banbury_kernel::processor::checksum(b"123456789"), 0xcbf4_3926);
/// ```
pub fn checksum(bytes: &[u8]) -> u32 {
    // Under a megabyte starting a thread costs more than it saves.
    if bytes.len() < 1 << 20 {
        return crc32fast::hash(bytes);
    }
    let (head, tail) = bytes.split_at(bytes.len() / 2);
    let (mut sum, rest) = std::thread::scope(|scope| {
        let rest = scope.spawn(|| hasher(tail));
        (hasher(head), rest.join().expect("the hasher does not panic"))
    });
    sum.combine(&rest);
    sum.finalize()
}

fn hasher(bytes: &[u8]) -> crc32fast::Hasher {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes);
    hasher
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_masks_equal_the_plain_ones() {
        let mut random = 1u64;
        for _ in 0..2000 {
            let mut bytes = vec![0u8; 256];
            for byte in &mut bytes {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *byte = (random >> 56) as u8;
            }
            bytes[255] = b' ';
            let (mut plain, mut fast) = (bytes.clone(), bytes.clone());
            let (mut plain_bounds, mut fast_bounds) = ([0; 320], [0; 320]);
            let (count, wide) = word_bounds_plain(&mut plain, 100, &mut plain_bounds);
            assert_eq!(word_bounds(&mut fast, 100, &mut fast_bounds), (count, wide));
            assert_eq!((plain, &plain_bounds[..count]), (fast, &fast_bounds[..count]));
        }
    }

    #[test]
    fn a_long_checksum_equals_the_one_of_its_parts() {
        let bytes: Vec<u8> = (0..3_000_001u32).map(|i| (i * 31 % 251) as u8).collect();
        assert_eq!(checksum(&bytes), crc32fast::hash(&bytes));
    }
}
