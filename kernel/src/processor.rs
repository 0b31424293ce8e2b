//! What needs the processor's own instructions, each beside its plain twin.
//!
//! This file and its folder are the only ones of the kernel's core with `unsafe` in them. Which instructions there are is found
//! out once, at run time: one build serves every processor.
#![allow(unsafe_code)]

mod keys;
mod memory;
mod plans;
mod utf8;
mod words;

use std::ops::AddAssign;
use std::sync::OnceLock;

use crate::threads::each_on_a_thread;
pub use keys::{Halves, Spans, fast_places, placing_hash, placing_hashes};
pub use memory::{Cleared, Scattered, scattered, scattered_copy, scattered_filled, scattered_zeros};
pub use plans::{Characters64, Plan, Planning, Sets, plain_spans, plan};
pub use utf8::Characters;
pub use words::{Runs, word_bounds};

/// What the processor can do; each level has what the ones before it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Plain,
    /// AVX2, BMI1, BMI2, LZCNT and POPCNT: x86-64 processors from 2013 on.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Also AVX-512 with VBMI2 and BITALG, and AES four times at once: from 2019 on.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The highest level that this processor has.
#[inline(always)]
fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(find_level)
}

#[cfg(not(target_arch = "x86_64"))]
fn find_level() -> Level {
    Level::Plain
}

#[cfg(target_arch = "x86_64")]
fn find_level() -> Level {
    use std::arch::is_x86_feature_detected as has;
    if !(has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")) {
        Level::Plain
    } else if has!("avx512f")
        && has!("avx512bw")
        && has!("avx512dq")
        && has!("avx512vl")
        && has!("avx512vbmi")
        && has!("avx512vbmi2")
        && has!("avx512bitalg")
        && has!("aes")
        && has!("vaes")
    {
        Level::Avx512
    } else {
        Level::Avx2
    }
}

/// What the instructions in use are called: those of the highest level that this processor has.
pub fn instructions() -> &'static str {
    match level() {
        Level::Plain => "plain",
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => "AVX2",
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => "AVX-512",
    }
}

/// Asks for `slice[index]` to be brought into the cache. A hint: an index past the end does nothing harmful.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    prefetch_at(slice.as_ptr().wrapping_add(index));
}

/// The same for what lies at an address.
#[inline(always)]
pub fn prefetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults and never changes what a program sees, whatever its address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast::<i8>());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks for the beginning of a text; where it goes on, the processor sees by itself.
#[inline(always)]
pub fn expect_text(text: &str) {
    (0..text.len().min(4096)).step_by(64).for_each(|at| prefetch(text.as_bytes(), at));
}

/// Runs `work`, whose loops may use wide registers where the processor has them. It has to be marked `#[inline(always)]`. The results are
/// the same to the bit: no order of sums changes, and no product is fused with a sum.
///
/// ```
/// let (numbers, mut sum) = ([1.0, 2.0, 4.0], 0.0);
/// banbury_kernel::processor::vectorised(#[inline(always)] || numbers.iter().for_each(|number| sum += number));
/// assert_eq!(sum, 7.0);
/// ```
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    match level() {
        // SAFETY: the processor has what the function asks for.
        Level::Avx512 => return unsafe { vectorised_avx512(work) },
        // SAFETY: as above.
        Level::Avx2 => return unsafe { vectorised_avx2(work) },
        Level::Plain => {}
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn vectorised_avx512<R>(work: impl FnOnce() -> R) -> R {
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
/// The same for [`add_small_rows`].
pub const SMALL_LANES: usize = 16;

/// How many bytes of rows ahead memory is asked for.
const AHEAD: usize = 5 << 10;

/// Adds those rows of `table` that `rows` names to `sums`, in their order. A row is as long as `sums`.
///
/// ```
/// let (table, mut sums) = ([1., 2., 3., 4., 10., 20., 30., 40.], [0.5; 4]);
/// banbury_kernel::processor::add_rows(&table, &[1, 0, 1], &mut sums);
/// assert_eq!(sums, [21.5, 42.5, 63.5, 84.5]);
/// ```
pub fn add_rows<W: Copy + Into<f64>>(table: &[W], rows: &[u32], sums: &mut [f64]) {
    add_each::<LANES, _, _>(table, sums.len(), rows, |_, weight| weight.into(), sums);
}

/// The same with each row times its own number.
///
/// ```
/// let (table, mut sums) = ([1., 2., 3., 4., 10., 20., 30., 40.], [0.5; 4]);
/// banbury_kernel::processor::add_scaled_rows(&table, &[1, 0], &[0.5, 2.0], &mut sums);
/// assert_eq!(sums, [7.5, 14.5, 21.5, 28.5]);
/// ```
pub fn add_scaled_rows(table: &[f64], rows: &[u32], scales: &[f64], sums: &mut [f64]) {
    add_scaled_columns(table, sums.len(), rows, scales, sums);
}

/// The same of the first columns of rows that are `width` long.
pub fn add_scaled_columns<W: Copy + Into<f64>>(
    table: &[W],
    width: usize,
    rows: &[u32],
    scales: &[f64],
    sums: &mut [f64],
) {
    assert_eq!(rows.len(), scales.len());
    add_each::<LANES, _, _>(table, width, rows, |i, weight| scales[i] * weight.into(), sums);
}

/// Adds the first columns of rows of small numbers, as [`add_rows`] does those of others. A row is `width` long.
///
/// ```
/// let (table, mut sums) = ([[3; 32], [5; 32]].concat(), [1; 16]);
/// banbury_kernel::processor::add_small_rows(&table, 32, &[1, 0, 1], &mut sums);
/// assert_eq!(sums, [14; 16]);
/// ```
pub fn add_small_rows(table: &[i16], width: usize, rows: &[u32], sums: &mut [i32]) {
    add_each::<SMALL_LANES, _, _>(table, width, rows, |_, number| i32::from(number), sums);
}

#[inline(always)]
fn add_each<const L: usize, W: Copy, S: Copy + Default + AddAssign>(
    table: &[W],
    width: usize,
    rows: &[u32],
    term: impl Fn(usize, W) -> S,
    sums: &mut [S],
) {
    vectorised(
        #[inline(always)]
        || {
            // As many sums at a time as the processor has registers for.
            let mut from = 0;
            while from < sums.len() {
                match (sums.len() - from) / L {
                    1 => add_columns::<1, L, W, S>(table, width, rows, &term, &mut from, sums),
                    2 => add_columns::<2, L, W, S>(table, width, rows, &term, &mut from, sums),
                    3 => add_columns::<3, L, W, S>(table, width, rows, &term, &mut from, sums),
                    4 => add_columns::<4, L, W, S>(table, width, rows, &term, &mut from, sums),
                    5 => add_columns::<5, L, W, S>(table, width, rows, &term, &mut from, sums),
                    6 => add_columns::<6, L, W, S>(table, width, rows, &term, &mut from, sums),
                    7 => add_columns::<7, L, W, S>(table, width, rows, &term, &mut from, sums),
                    8 => add_columns::<8, L, W, S>(table, width, rows, &term, &mut from, sums),
                    9 => add_columns::<9, L, W, S>(table, width, rows, &term, &mut from, sums),
                    10 => add_columns::<10, L, W, S>(table, width, rows, &term, &mut from, sums),
                    11 => add_columns::<11, L, W, S>(table, width, rows, &term, &mut from, sums),
                    _ => add_columns::<12, L, W, S>(table, width, rows, &term, &mut from, sums),
                }
            }
        },
    );
}

/// `N` times `L` columns, from column `from` on, which moves behind them.
#[inline(always)]
fn add_columns<const N: usize, const L: usize, W: Copy, S: Copy + Default + AddAssign>(
    table: &[W],
    width: usize,
    rows: &[u32],
    term: &impl Fn(usize, W) -> S,
    from: &mut usize,
    sums: &mut [S],
) {
    let mut lanes = [[S::default(); L]; N];
    let first = *from;
    let expect = |row: &u32| {
        let start = *row as usize * width + first;
        (0..N * L).step_by(64 / size_of::<W>()).for_each(|column| prefetch(table, start + column));
        prefetch(table, start + N * L - 1);
    };
    let ahead = AHEAD / (N * L * size_of::<W>());
    rows.iter().take(ahead).for_each(expect);
    for (i, &row) in rows.iter().enumerate() {
        rows.get(i + ahead).into_iter().for_each(expect);
        let start = row as usize * width + *from;
        let row = table[start..start + N * L].as_chunks::<L>().0;
        for (lanes, weights) in lanes.iter_mut().zip(row) {
            for (lane, weight) in lanes.iter_mut().zip(weights) {
                *lane += term(i, *weight);
            }
        }
    }
    let columns = sums[*from..*from + N * L].iter_mut();
    columns.zip(lanes.as_flattened()).for_each(|(sum, lane)| *sum += *lane);
    *from += N * L;
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
    fn wide_registers_change_no_bit() {
        #[inline(always)]
        fn work(numbers: &[f64]) -> Vec<u64> {
            let mut sums = [0.1; 24];
            for row in numbers.chunks_exact(24) {
                sums.iter_mut().zip(row).for_each(|(sum, number)| *sum = ln(1.0 + *sum * number) + number / 3.0);
            }
            sums.map(f64::to_bits).to_vec()
        }
        let numbers: Vec<f64> = (0..24 * 500).map(|i| f64::from(i * 7919 % 1009) * 0.137 + 0.01).collect();
        let wide = vectorised(
            #[inline(always)]
            || work(&numbers),
        );
        assert_eq!(wide, work(&numbers));
    }

    #[test]
    fn a_long_checksum_equals_the_one_of_its_parts() {
        let bytes: Vec<u8> = (0..3_000_001u32).map(|i| (i * 31 % 251) as u8).collect();
        assert_eq!(checksum(&bytes), crc32fast::hash(&bytes));
    }
}
