//! The few things that need the processor's own instructions, each beside its plain twin.
//!
//! This is the only file of the kernel's core with `unsafe` in it.
#![allow(unsafe_code)]

use crate::threads::each_on_a_thread;

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

/// An empty vector with room for `n` elements which will be read all over the place: in large pages where the system has them,
/// so that the processor need not look up where each small one lies.
pub fn scattered<T>(n: usize) -> Vec<T> {
    let vector = Vec::with_capacity(n);
    #[cfg(target_os = "linux")]
    if n * size_of::<T>() >= 4 << 20 {
        const PAGE: usize = 4096;
        let start = (vector.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (vector.as_ptr() as usize + n * size_of::<T>()) / PAGE * PAGE;
        // SAFETY: advice about memory that the vector owns; it changes nothing that a program can see, and may be refused.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
    vector
}

/// The same, filled with `element`.
pub fn scattered_filled<T: Clone>(element: T, n: usize) -> Vec<T> {
    let mut vector = scattered(n);
    vector.resize(n, element);
    vector
}

/// The same elements, in memory for elements which will be read all over the place.
pub fn scattered_copy<T: Clone>(elements: &[T]) -> Vec<T> {
    let mut vector = scattered(elements.len());
    vector.extend_from_slice(elements);
    vector
}

/// What 64 bytes of text are: bit i speaks of byte i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// ASCII letters, digits, `_`, and every byte of a non-ASCII character.
    pub word: u64,
    /// Bytes of non-ASCII characters.
    pub wide: u64,
}

/// Writes `block` to `lower` with its ASCII letters in lower case, and says which bytes belong to words.
///
/// ```
/// use banbury_kernel::processor::classify_plain;
/// let (mut block, mut lower) = ([b' '; 64], [0; 64]);
/// block[..5].copy_from_slice(b"A b_1");
/// let masks = classify_plain(&block, &mut lower);
/// assert_eq!((&lower[..5], masks.word, masks.wide), (&b"a b_1"[..], 0b11101, 0));
/// ```
pub fn classify_plain(block: &[u8; 64], lower: &mut [u8; 64]) -> Masks {
    let mut masks = Masks { word: 0, wide: 0 };
    for (i, byte) in block.iter().enumerate() {
        lower[i] = byte.to_ascii_lowercase();
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
fn classify_avx2(block: &[u8; 64], lower: &mut [u8; 64]) -> Masks {
    use std::arch::x86_64::*;

    let between = |v: __m256i, low: u8, high: u8| {
        let above = _mm256_cmpgt_epi8(v, _mm256_set1_epi8(low as i8 - 1));
        let below = _mm256_cmpgt_epi8(_mm256_set1_epi8(high as i8 + 1), v);
        _mm256_and_si256(above, below)
    };
    let mut masks = Masks { word: 0, wide: 0 };
    for (half, (bytes, lower)) in block.as_chunks::<32>().0.iter().zip(lower.as_chunks_mut::<32>().0).enumerate() {
        // SAFETY: both pointers are to 32 bytes, and these instructions ask for no alignment.
        let v = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        let upper = between(v, b'A', b'Z');
        let lowered = _mm256_or_si256(v, _mm256_and_si256(upper, _mm256_set1_epi8(0x20)));
        unsafe { _mm256_storeu_si256(lower.as_mut_ptr().cast(), lowered) };
        let letter = between(lowered, b'a', b'z');
        let digit = between(v, b'0', b'9');
        let underscore = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(b'_' as i8));
        // `v` itself brings its sign bit, which is what marks a non-ASCII byte.
        let word = _mm256_or_si256(_mm256_or_si256(letter, digit), _mm256_or_si256(underscore, v));
        masks.word |= u64::from(_mm256_movemask_epi8(word) as u32) << (32 * half);
        masks.wide |= u64::from(_mm256_movemask_epi8(v) as u32) << (32 * half);
    }
    masks
}

/// Where runs of word bytes start and end, in turn: what [`word_bounds`] looks for.
pub struct Runs<'a> {
    /// Receives, behind what it holds, the text in lower case (ASCII letters only), with at least one zero after it.
    pub lower: &'a mut Vec<u8>,
    /// Whether runs of a single byte are left out.
    pub skip_single: bool,
    /// Receives the bounds; has room for one a byte, and 64 more.
    pub bounds: &'a mut [u32],
}

/// The bounds of the runs of word bytes in `text`, as places in `runs.lower`: how many, and whether any byte is not ASCII.
pub fn word_bounds(text: &[u8], runs: Runs) -> (usize, bool) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("popcnt")
    {
        // SAFETY: the processor has what the function asks for.
        return unsafe { word_bounds_avx2(text, runs) };
    }
    word_bounds_plain(text, runs)
}

macro_rules! word_bounds_with {
    ($classify:ident, $text:ident, $runs:ident) => {{
        let (blocks, rest) = $text.as_chunks::<64>();
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        let keep_single = if $runs.skip_single { 0 } else { u64::MAX };
        let mut wide = 0;
        // A block is dealt with when the next one is known: a single byte at its end may be the start of a run.
        let (mut block_word, mut before, mut carry) = (0, 0, 0);
        let (mut written, mut base) = (0, ($runs.lower.len() as u32).wrapping_sub(64));
        $runs.lower.reserve($text.len() + 128);
        for at in 0..=blocks.len() + 1 {
            let block = blocks.get(at).unwrap_or(&last);
            let mut lower = [0; 64];
            let mut masks = $classify(block, &mut lower);
            if at > blocks.len() {
                masks = Masks { word: 0, wide: 0 };
            } else {
                $runs.lower.extend_from_slice(&lower);
            }
            wide |= masks.wide;
            let neighbours = (block_word << 1) | before | (block_word >> 1) | (masks.word << 63);
            let word = block_word & (neighbours | keep_single);
            let mut changes = word ^ ((word << 1) | carry);
            (before, carry) = (block_word >> 63, word >> 63);
            let count = changes.count_ones() as usize;
            let window = &mut $runs.bounds[written..written + 64];
            // Eight at a time without asking which of them are there: fewer branches to guess wrong.
            for eight in window.as_chunks_mut::<8>().0.iter_mut().take(count.div_ceil(8)) {
                for bound in eight {
                    *bound = base.wrapping_add(changes.trailing_zeros());
                    changes &= changes.wrapping_sub(1);
                }
            }
            written += count;
            base = base.wrapping_add(64);
            block_word = masks.word;
        }
        (written, wide != 0)
    }};
}

fn word_bounds_plain(text: &[u8], runs: Runs) -> (usize, bool) {
    word_bounds_with!(classify_plain, text, runs)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn word_bounds_avx2(text: &[u8], runs: Runs) -> (usize, bool) {
    word_bounds_with!(classify_avx2, text, runs)
}

/// Runs `work`, whose loops may use wide registers where the processor has them. It has to be marked `#[inline(always)]`.
///
/// ```
/// let (numbers, mut sum) = ([1.0, 2.0, 4.0], 0.0);
/// banbury_kernel::processor::vectorised(#[inline(always)] || numbers.iter().for_each(|number| sum += number));
/// assert_eq!(sum, 7.0);
/// ```
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function asks for.
        return unsafe { vectorised_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn vectorised_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// The natural logarithm of a positive number that is not tiny, within two units in its last place. Plain arithmetic without a branch: in
/// a loop several are worked out at once.
///
/// ```
/// assert!((banbury_kernel::processor::ln(10.0) - 10f64.ln()).abs() < 1e-15);
/// ```
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    // x = m · 2^e with m between √½ and √2.
    const LOWEST: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    const BIAS: u64 = 1 << 11;
    let above = x.to_bits().wrapping_sub(LOWEST).wrapping_add(BIAS << 52);
    let m = f64::from_bits((above & (u64::MAX >> 12)) + LOWEST);
    // A number below 2^52 in the last bits of 2^52 makes the sum of both.
    const LARGE: f64 = (1u64 << 52) as f64;
    let e = f64::from_bits((above >> 52) | LARGE.to_bits()) - (LARGE + BIAS as f64);
    // ln m = 2 artanh s; the first term that is left out is below 10⁻¹⁷.
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    const TERMS: [f64; 10] = [21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0];
    let sum = TERMS.iter().fold(0.0, |sum, term| (sum + 1.0 / term) * square);
    e * std::f64::consts::LN_2 + (2.0 * s + 2.0 * s * sum)
}

/// Eight numbers in one line of the cache: rows of lines touch no more of these than they have to.
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct Line([f64; Line::LEN]);

impl Line {
    pub const LEN: usize = 8;
}

/// How many numbers are added at once; rows for [`add_rows`] are multiples of it long.
pub const LANES: usize = 4;

/// How many rows ahead memory is asked for.
const AHEAD: usize = 8;

/// Adds those rows of `table` that `rows` names to `sums`, in their order. A row is as long as `sums`.
///
/// ```
/// let (table, mut sums) = ([1., 2., 3., 4., 10., 20., 30., 40.], [0.5; 4]);
/// banbury_kernel::processor::add_rows(&table, &[1, 0, 1], &mut sums);
/// assert_eq!(sums, [21.5, 42.5, 63.5, 84.5]);
/// ```
pub fn add_rows<W: Copy + Into<f64>>(table: &[W], rows: &[u32], sums: &mut [f64]) {
    add_each(table, rows, |_| 1.0, sums);
}

/// The same with each row times its own number.
///
/// ```
/// let (table, mut sums) = ([1., 2., 3., 4., 10., 20., 30., 40.], [0.5; 4]);
/// banbury_kernel::processor::add_scaled_rows(&table, &[1, 0], &[0.5, 2.0], &mut sums);
/// assert_eq!(sums, [7.5, 14.5, 21.5, 28.5]);
/// ```
pub fn add_scaled_rows(table: &[f64], rows: &[u32], scales: &[f64], sums: &mut [f64]) {
    assert_eq!(rows.len(), scales.len());
    add_each(table, rows, |i| scales[i], sums);
}

#[inline(always)]
fn add_each<W: Copy + Into<f64>>(table: &[W], rows: &[u32], scale: impl Fn(usize) -> f64, sums: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            let width = sums.len();
            // As many sums at a time as the processor has registers for.
            let mut from = 0;
            while from < width {
                match (width - from) / LANES {
                    1 => add_columns::<1, W>(table, rows, &scale, &mut from, sums),
                    2 => add_columns::<2, W>(table, rows, &scale, &mut from, sums),
                    3 => add_columns::<3, W>(table, rows, &scale, &mut from, sums),
                    4 => add_columns::<4, W>(table, rows, &scale, &mut from, sums),
                    5 => add_columns::<5, W>(table, rows, &scale, &mut from, sums),
                    6 => add_columns::<6, W>(table, rows, &scale, &mut from, sums),
                    7 => add_columns::<7, W>(table, rows, &scale, &mut from, sums),
                    8 => add_columns::<8, W>(table, rows, &scale, &mut from, sums),
                    9 => add_columns::<9, W>(table, rows, &scale, &mut from, sums),
                    10 => add_columns::<10, W>(table, rows, &scale, &mut from, sums),
                    11 => add_columns::<11, W>(table, rows, &scale, &mut from, sums),
                    _ => add_columns::<12, W>(table, rows, &scale, &mut from, sums),
                }
            }
        },
    );
}

/// `N` times [`LANES`] columns, from column `from` on, which moves behind them.
#[inline(always)]
fn add_columns<const N: usize, W: Copy + Into<f64>>(
    table: &[W],
    rows: &[u32],
    scale: &impl Fn(usize) -> f64,
    from: &mut usize,
    sums: &mut [f64],
) {
    let width = sums.len();
    let mut lanes = [[0.0; LANES]; N];
    let first = *from;
    let expect = |row: &u32| {
        let start = *row as usize * width + first;
        (0..N * LANES).step_by(64 / size_of::<W>()).for_each(|column| prefetch(table, start + column));
        prefetch(table, start + N * LANES - 1);
    };
    rows.iter().take(AHEAD).for_each(expect);
    for (i, &row) in rows.iter().enumerate() {
        rows.get(i + AHEAD).into_iter().for_each(expect);
        let (start, scale) = (row as usize * width + *from, scale(i));
        let row = table[start..start + N * LANES].as_chunks::<LANES>().0;
        for (lanes, weights) in lanes.iter_mut().zip(row) {
            for (lane, weight) in lanes.iter_mut().zip(weights) {
                *lane += scale * (*weight).into();
            }
        }
    }
    let columns = sums[*from..*from + N * LANES].iter_mut();
    columns.zip(lanes.as_flattened()).for_each(|(sum, lane)| *sum += lane);
    *from += N * LANES;
}

/// Adds to the upper half of a square matrix the products of four rows with themselves.
pub fn add_products(rows: &[f64], size: usize, matrix: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            let [a, b, c, d] = [0, 1, 2, 3].map(|row| &rows[row * size..(row + 1) * size]);
            for (i, sums) in matrix.chunks_exact_mut(size).enumerate() {
                let scales = [a[i], b[i], c[i], d[i]];
                let values = a[i..].iter().zip(&b[i..]).zip(c[i..].iter().zip(&d[i..]));
                for (sum, ((a, b), (c, d))) in sums[i..].iter_mut().zip(values) {
                    *sum += (scales[0] * a + scales[1] * b) + (scales[2] * c + scales[3] * d);
                }
            }
        },
    );
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
    let sums = each_on_a_thread(&[head, tail], |bytes| {
        let mut sum = crc32fast::Hasher::new();
        sum.update(bytes);
        sum
    });
    let joined = sums.into_iter().reduce(|mut sum, rest| {
        sum.combine(&rest);
        sum
    });
    joined.expect("there are two parts").finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_bounds_equal_the_plain_ones_and_those_found_byte_by_byte() {
        let mut random = 1u64;
        for round in 0..3000 {
            let mut text = vec![0u8; round % 200];
            for byte in &mut text {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Spaces, letters and anything, so that there are runs of every length.
                *byte = [b' ', b'x', (random >> 48) as u8][(random >> 60) as usize % 3];
            }
            for skip_single in [false, true] {
                let find = |bounds_of: fn(&[u8], Runs) -> (usize, bool)| {
                    let (mut lower, mut bounds) = (vec![1; 100], vec![0; text.len() + 128]);
                    let (n, wide) = bounds_of(&text, Runs { lower: &mut lower, skip_single, bounds: &mut bounds });
                    bounds.truncate(n);
                    (lower, bounds, wide)
                };
                let found = find(word_bounds);
                assert_eq!(found, find(word_bounds_plain));
                assert_eq!(found.1, bounds_byte_by_byte(&text, skip_single));
                assert_eq!(found.2, !text.is_ascii());
                assert_eq!(found.0[100..=100 + text.len()], [text.to_ascii_lowercase(), vec![0]].concat());
            }
        }
    }

    fn bounds_byte_by_byte(text: &[u8], skip_single: bool) -> Vec<u32> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
        let mut bounds = vec![];
        let mut at = 0;
        while at < text.len() {
            let length = text[at..].iter().take_while(|byte| is_word(byte)).count();
            if length > usize::from(skip_single) {
                bounds.extend([100 + at as u32, 100 + (at + length) as u32]);
            }
            at += length.max(1);
        }
        bounds
    }

    #[test]
    fn the_logarithm_is_that_of_the_system() {
        let mut x = 1e-12;
        while x < 1e12 {
            let expected = f64::ln(x);
            assert!((ln(x) - expected).abs() <= 2.0 * f64::EPSILON * expected.abs().max(0.5), "{x}");
            x *= 1.000_37;
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn a_long_checksum_equals_the_one_of_its_parts() {
        let bytes: Vec<u8> = (0..3_000_001u32).map(|i| (i * 31 % 251) as u8).collect();
        assert_eq!(checksum(&bytes), crc32fast::hash(&bytes));
    }
}
