//! From characters of one, two or four bytes each, as Python's `str` holds them, to UTF-8.
//!
//! With AVX-512 each character becomes its bytes in a lane of its own, 32 at once or, where one takes three bytes, sixteen, and what the lanes leave empty is
//! pressed out. A lone surrogate, which UTF-8 cannot hold, reads as U+FFFD.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::{Level, level};

/// The characters of a text.
#[derive(Clone, Copy, Debug)]
pub enum Characters<'a> {
    /// Up to U+00FF.
    One(&'a [u8]),
    /// Up to U+FFFF.
    Two(&'a [u16]),
    Four(&'a [u32]),
}

impl Characters<'_> {
    /// How many bytes of a text appending them may take, while that is done.
    pub fn most_bytes(self) -> usize {
        SLACK
            + match self {
                Characters::One(bytes) => 2 * bytes.len(),
                Characters::Two(units) => 4 * units.len(),
                Characters::Four(units) => 4 * units.len(),
            }
    }

    /// How many bytes they take in UTF-8.
    ///
    /// ```
    /// use banbury_kernel::processor::Characters;
    /// assert_eq!(Characters::One(&[b'a', 0xe9]).n_bytes(), "aé".len());
    /// assert_eq!(Characters::Four(&[0x65e5, 0x1f600]).n_bytes(), "日😀".len());
    /// ```
    pub fn n_bytes(self) -> usize {
        let more = |is_more: bool| usize::from(is_more);
        match self {
            Characters::One(bytes) => bytes.iter().map(|&byte| 1 + more(byte >= 0x80)).sum(),
            Characters::Two(units) => units.iter().map(|&unit| 1 + more(unit >= 0x80) + more(unit >= 0x800)).sum(),
            Characters::Four(units) => {
                units.iter().map(|&unit| 1 + more(unit >= 0x80) + more(unit >= 0x800) + more(unit >= 0x1_0000)).sum()
            }
        }
    }

    /// Appends them to a text.
    ///
    /// ```
    /// use banbury_kernel::processor::Characters;
    /// let mut text = String::from("caf");
    /// Characters::One(&[0xe9]).push_to(&mut text);
    /// Characters::Two(&[0xd800, 0x65e5]).push_to(&mut text);
    /// assert_eq!(text, "café\u{fffd}日");
    /// ```
    pub fn push_to(self, text: &mut String) {
        text.reserve(self.most_bytes());
        match level() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has what the functions ask for, what they append is UTF-8, and there is room for it.
            Level::Avx512 => unsafe {
                let out = text.as_mut_vec();
                match self {
                    Characters::One(bytes) => push_bytes_avx512(bytes, out),
                    Characters::Two(units) => push_pairs_avx512(units, out),
                    Characters::Four(units) => push_fours_avx512(units, out),
                }
            },
            _ => self.push_plain(text),
        }
    }

    fn push_plain(self, text: &mut String) {
        match self {
            Characters::One(bytes) => {
                for block in bytes.chunks(16) {
                    match str::from_utf8(block).ok().filter(|block| block.is_ascii()) {
                        Some(block) => text.push_str(block),
                        None => text.extend(block.iter().map(|&byte| char::from(byte))),
                    }
                }
            }
            Characters::Two(units) => text.extend(units.iter().map(|&unit| character(u32::from(unit)))),
            Characters::Four(units) => text.extend(units.iter().map(|&unit| character(unit))),
        }
    }
}

fn character(number: u32) -> char {
    char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// So many bytes may be written behind the last character.
const SLACK: usize = 64;

/// 32 characters of one byte become 32 times two bytes.
///
/// # Safety
/// There is room for [`Characters::most_bytes`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn push_bytes_avx512(bytes: &[u8], out: &mut Vec<u8>) {
    let (blocks, rest) = bytes.as_chunks::<32>();
    // SAFETY: each character takes two bytes at the most, and 64 more can be written. The blocks have 32 bytes, of the rest no
    // more are read than there are, and no instruction asks for alignment.
    unsafe {
        let start = out.as_mut_ptr().add(out.len());
        let mut end = start;
        for block in blocks {
            end = push_32(_mm256_loadu_si256(block.as_ptr().cast()), u32::MAX, end);
        }
        if !rest.is_empty() {
            let there = u32::MAX >> (32 - rest.len());
            end = push_32(_mm256_maskz_loadu_epi8(there, rest.as_ptr().cast()), there, end);
        }
        out.set_len(out.len() + end.offset_from_unsigned(start));
    }
}

/// # Safety
/// 64 bytes can be written.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn push_32(block: __m256i, there: u32, out: *mut u8) -> *mut u8 {
    let wide = _mm256_movepi8_mask(block);
    // SAFETY: as the caller says.
    unsafe {
        if wide == 0 {
            _mm256_storeu_si256(out.cast(), block);
            return out.add(there.count_ones() as usize);
        }
        push_narrow(_mm512_cvtepu8_epi16(block), wide, there, out)
    }
}

/// Writes 32 characters up to U+07FF, of which those that are not ASCII are known.
///
/// # Safety
/// 64 bytes can be written.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn push_narrow(units: __m512i, wide: u32, there: u32, out: *mut u8) -> *mut u8 {
    let lead = _mm512_or_si512(_mm512_srli_epi16::<6>(units), _mm512_set1_epi16(0x80c0u16 as i16));
    let trail = _mm512_slli_epi16::<8>(_mm512_and_si512(units, _mm512_set1_epi16(0x3f)));
    let both = _mm512_mask_mov_epi16(units, wide, _mm512_or_si512(lead, trail));
    // Every first byte that is there, and the second ones of wide characters.
    let kept = _pdep_u64(u64::from(there), 0x5555_5555_5555_5555) | _pdep_u64(u64::from(wide), 0xaaaa_aaaa_aaaa_aaaa);
    // SAFETY: as the caller says.
    unsafe {
        _mm512_storeu_si512(out.cast(), _mm512_maskz_compress_epi8(kept, both));
        out.add(kept.count_ones() as usize)
    }
}

/// 32 characters of two bytes become 32 times two bytes, or twice 16 times four bytes.
///
/// # Safety
/// There is room for [`Characters::most_bytes`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn push_pairs_avx512(units: &[u16], out: &mut Vec<u8>) {
    // SAFETY: each character takes three bytes at the most, and 64 more can be written. No more units are read than there are, and no
    // instruction asks for alignment.
    unsafe {
        let start = out.as_mut_ptr().add(out.len());
        let mut end = start;
        for block in units.chunks(32) {
            let there = u32::MAX >> (32 - block.len());
            let units = _mm512_maskz_loadu_epi16(there, block.as_ptr().cast());
            let wide = _mm512_cmpge_epu16_mask(units, _mm512_set1_epi16(0x80));
            if wide == 0 {
                _mm256_storeu_si256(end.cast(), _mm512_cvtepi16_epi8(units));
                end = end.add(block.len());
            } else if _mm512_cmpge_epu16_mask(units, _mm512_set1_epi16(0x800)) == 0 {
                end = push_narrow(units, wide, there, end);
            } else {
                let half = |units: __m256i| _mm512_cvtepu16_epi32(units);
                end = push_16(half(_mm512_castsi512_si256(units)), there as u16, end);
                end = push_16(half(_mm512_extracti64x4_epi64::<1>(units)), (there >> 16) as u16, end);
            }
        }
        out.set_len(out.len() + end.offset_from_unsigned(start));
    }
}

/// 16 characters of four bytes become 16 times four bytes.
///
/// # Safety
/// There is room for [`Characters::most_bytes`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn push_fours_avx512(units: &[u32], out: &mut Vec<u8>) {
    // SAFETY: each character takes four bytes at the most, and 64 more can be written. No more units are read than there are, and no
    // instruction asks for alignment.
    unsafe {
        let start = out.as_mut_ptr().add(out.len());
        let mut end = start;
        for block in units.chunks(16) {
            let there = u16::MAX >> (16 - block.len());
            end = push_16(_mm512_maskz_loadu_epi32(there, block.as_ptr().cast()), there, end);
        }
        out.set_len(out.len() + end.offset_from_unsigned(start));
    }
}

/// # Safety
/// 64 bytes can be written.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn push_16(units: __m512i, there: u16, out: *mut u8) -> *mut u8 {
    let all = |number: u32| _mm512_set1_epi32(number as i32);
    // SAFETY: as the caller says.
    unsafe {
        let two = _mm512_cmpge_epu32_mask(units, all(0x80));
        if two == 0 {
            _mm_storeu_si128(out.cast(), _mm512_cvtepi32_epi8(units));
            return out.add(there.count_ones() as usize);
        }
        let is_surrogate = _mm512_cmpeq_epi32_mask(_mm512_and_si512(units, all(0xffff_f800)), all(0xd800));
        let units = _mm512_mask_mov_epi32(units, is_surrogate, all(0xfffd));
        let three = _mm512_cmpge_epu32_mask(units, all(0x800));
        let four = _mm512_cmpge_epu32_mask(units, all(0x1_0000));
        // From the last byte to the first: what comes before it moves the others up.
        let tail = |shifted: __m512i| _mm512_or_si512(_mm512_and_si512(shifted, all(0x3f)), all(0x80));
        let before = |head: __m512i, rest: __m512i| _mm512_or_si512(head, _mm512_slli_epi32::<8>(rest));
        let (by_6, by_12) = (_mm512_srli_epi32::<6>(units), _mm512_srli_epi32::<12>(units));
        let last = tail(units);
        let last_two = before(tail(by_6), last);
        let mut bytes = _mm512_mask_mov_epi32(units, two, before(_mm512_or_si512(by_6, all(0xc0)), last));
        bytes = _mm512_mask_mov_epi32(bytes, three, before(_mm512_or_si512(by_12, all(0xe0)), last_two));
        let head = _mm512_or_si512(_mm512_srli_epi32::<18>(units), all(0xf0));
        bytes = _mm512_mask_mov_epi32(bytes, four, before(head, before(tail(by_12), last_two)));
        // Every first byte that is there, and every other one that is not empty.
        let kept = _pdep_u64(u64::from(there), 0x1111_1111_1111_1111) | _mm512_test_epi8_mask(bytes, bytes);
        _mm512_storeu_si512(out.cast(), _mm512_maskz_compress_epi8(kept, bytes));
        out.add(kept.count_ones() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(characters: Characters, expected: &str) {
        for push in [Characters::push_to, Characters::push_plain] {
            let mut text = String::from("before");
            push(characters, &mut text);
            assert_eq!(text.strip_prefix("before"), Some(expected));
        }
        assert_eq!(characters.n_bytes(), expected.len());
    }

    #[test]
    fn every_character_is_written_as_the_standard_library_writes_it() {
        let all: Vec<u32> = (0..0x11_0000).collect();
        for some in all.chunks(1009) {
            check(Characters::Four(some), &some.iter().map(|&unit| character(unit)).collect::<String>());
        }
        for some in all[..0x1_0000].chunks(97) {
            let units: Vec<u16> = some.iter().map(|&unit| unit as u16).collect();
            check(Characters::Two(&units), &some.iter().map(|&unit| character(unit)).collect::<String>());
        }
        for length in 0..100 {
            for from in 0..=255u8 {
                let bytes: Vec<u8> = (0..length).map(|i: u8| from.wrapping_add(i.wrapping_mul(5))).collect();
                check(Characters::One(&bytes), &bytes.iter().map(|&byte| char::from(byte)).collect::<String>());
            }
        }
    }

    #[test]
    fn mixed_lengths_end_where_they_should() {
        let kinds = [0x61, 0, 0xe9, 0x7ff, 0x65e5, 0xdc00, 0xffff, 0x1_f600, 0x10_ffff];
        let mut random = 7u64;
        for n in 0..200 {
            let units: Vec<u32> = (0..n)
                .map(|_| {
                    random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    kinds[(random >> 40) as usize % kinds.len()]
                })
                .collect();
            check(Characters::Four(&units), &units.iter().map(|&unit| character(unit)).collect::<String>());
        }
    }
}
