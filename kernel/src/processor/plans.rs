//! Which parts of a text are plain words, and where a scanner has to take a closer look: 64 bytes at a time.
//!
//! Measured for the words of IMDB in any language, without counting: 9.3 ns a token instead of 14.4.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use super::words::{EMITTED, emit_plain};
#[cfg(target_arch = "x86_64")]
use super::words::{emit_avx2, emit_avx512};
use super::{Level, level};

/// What 64 bytes of text are for a scanner of words: bit i speaks of byte i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Letters that are tokens as they are (ASCII, and those of [`Letters`]), and apostrophes and hyphens between two of them.
    pub letters: u64,
    /// Where something begins that takes a closer look: what is not made of such letters; what may be an address or a face.
    pub others: u64,
    /// Where a run of letters ends that takes a closer look: before a byte that may join it to more.
    pub joined: u64,
}

impl Plan {
    /// Whether the byte at `at` belongs to the same run of letters as the one before it.
    pub fn is_inside_run(plans: &[Plan], at: usize) -> bool {
        let is_letter = |at: usize| plans.get(at / 64).is_some_and(|plan| plan.letters >> (at % 64) & 1 == 1);
        at > 0 && is_letter(at) && is_letter(at - 1)
    }
}

/// Letters of two bytes that are tokens as they are, in lower case and of a script with spaces: for each first byte from 0xc0 on, the
/// last six bits of the second bytes, as bits.
pub type Letters = [u64; 32];

/// Which bytes of a block are what.
#[derive(Clone, Copy, Default)]
struct Kinds {
    /// ASCII letters, and those of two bytes where these are known.
    letters: u64,
    /// Bytes that are not ASCII.
    wide: u64,
    /// Whether a letter of two bytes begins with the last byte.
    is_open: u64,
    /// ASCII white space.
    space: u64,
    /// ASCII that ends a word for certain: no letter, digit or `_`, and none of the signs that may join it to more.
    end: u64,
    /// ASCII that is never part of a token: white space and control characters.
    control: u64,
    dot: u64,
    /// Apostrophes and hyphens, which join letters to letters.
    joiner: u64,
    /// Signs that make no token before white space, unless all punctuation does.
    quiet: u64,
    /// Those of them that make no token wherever they stand.
    mute: u64,
    /// Brackets, which begin a face only before [`EYES`], and signs that make a token or a face only before [`LINKS`].
    bracket: u64,
    link: u64,
    /// [`EYES`] and [`LINKS`], with all bytes that are not ASCII.
    eyes: u64,
    links: u64,
    /// `h`, `t`, `w` and `x`, in either case: web addresses begin with some of them, faces with the last.
    htwx: [u64; 4],
}

/// Signs that are no part of a face, a tag, a handle or a number, and make no token unless all punctuation does.
const MUTE: [u8; 11] = *b"\"',/&`~|{}\\";

/// `(:` and `(-:` are faces.
const BRACKETS: [u8; 4] = *b"()[]";
const EYES: [u8; 3] = *b"-:;";
/// `..` is a token, `-_-` and `-.-` are faces.
const LINKING: [u8; 4] = *b"-.*+";
const LINKS: [u8; 2] = *b"_.";

/// Replaces `plans` by those of the blocks of `text`; the last block is filled up with zeros. With `leave_quiet`, signs that
/// make no token where they stand are left out.
pub fn plan(text: &[u8], letters: &Letters, leave_quiet: bool, plans: &mut Vec<Plan>) {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what the function asks for.
        Level::Avx512 => unsafe { plan_avx512(text, letters, leave_quiet, plans) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx2 => unsafe { plan_avx2(text, letters, leave_quiet, plans) },
        Level::Plain => plan_with(text, leave_quiet, plans, kinds_plain, |block| wide_plain(block, letters)),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn plan_avx2(text: &[u8], letters: &Letters, leave_quiet: bool, plans: &mut Vec<Plan>) {
    // SAFETY: as this function is called, so can be the other.
    plan_with(
        text,
        leave_quiet,
        plans,
        #[inline(always)]
        |block| unsafe { kinds_avx2(block) },
        |block| wide_plain(block, letters),
    )
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn plan_avx512(text: &[u8], letters: &Letters, leave_quiet: bool, plans: &mut Vec<Plan>) {
    // SAFETY: as this function is called, so can be the other.
    plan_with(
        text,
        leave_quiet,
        plans,
        #[inline(always)]
        |block| unsafe { kinds_avx512(block) },
        |block| unsafe { wide_avx512(block, letters) },
    )
}

#[inline(always)]
fn plan_with(
    text: &[u8],
    leave_quiet: bool,
    plans: &mut Vec<Plan>,
    kinds: impl Fn(&[u8; 64]) -> Kinds,
    wide_letters: impl Fn(&[u8; 65]) -> u64,
) {
    let (blocks, rest) = text.as_chunks::<64>();
    let last = || {
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        last
    };
    plans.clear();
    plans.reserve(blocks.len() + 1);
    let quiet = if leave_quiet { u64::MAX } else { 0 };
    // The end of the text is read when it is reached: before, it would have to be waited for. `after` says whether a letter of two
    // bytes began with the last byte of the block before.
    let kinds_at = |at: usize, after: u64| {
        let mut kinds = blocks.get(at).map_or_else(|| kinds(&last()), &kinds);
        if kinds.wide != 0 {
            let mut block = [0; 65];
            let known = &text[64 * at..text.len().min(64 * at + 65)];
            block[..known.len()].copy_from_slice(known);
            let pairs = wide_letters(&block);
            kinds.letters |= pairs | pairs << 1 | after;
            kinds.is_open = pairs >> 63;
        }
        kinds
    };
    let mut here = kinds_at(0, 0);
    // The last bit of the block before: whether it is a letter, and whether it is part of a run of them.
    let (mut after_letter, mut open) = (0, 0);
    for at in 0..=blocks.len() {
        let next = match at.cmp(&blocks.len()) {
            std::cmp::Ordering::Less => kinds_at(at + 1, here.is_open),
            _ => Kinds { end: u64::MAX, ..Kinds::default() },
        };
        // Bit i of the result is bit i + n of the text.
        let ahead = |own: u64, next: u64, n: u32| own >> n | next << (64 - n);
        let between = (here.letters << 1 | after_letter) & ahead(here.letters, next.letters, 1);
        let letters = here.letters | here.joiner & between;
        let is_quiet = here.quiet & ahead(here.space, next.space, 1)
            | here.mute
            | here.bracket & !ahead(here.eyes, next.eyes, 1)
            | here.link & !ahead(here.links, next.links, 1);
        let skipped = here.control | is_quiet & quiet;
        let ends = here.end | (here.dot | here.joiner) & ahead(here.end, next.end, 1);
        let after_letters = letters << 1 | open;
        let first = letters & !after_letters;
        let [[h, t, w, x], [_, t_next, w_next, _]] = [here.htwx, next.htwx];
        // `htt` and `www` are rare enough to be looked at.
        let http = h & ahead(t, t_next, 1) & ahead(t, t_next, 2);
        let www = w & ahead(w, w_next, 1) & ahead(w, w_next, 2);
        plans.push(Plan {
            letters,
            others: !(letters | skipped) | (http | www | x) & first,
            joined: after_letters & !letters & !ends,
        });
        (after_letter, open) = (here.letters >> 63, letters >> 63);
        here = next;
    }
}

/// Where letters of two bytes begin in the first 64 bytes.
fn wide_plain(block: &[u8; 65], letters: &Letters) -> u64 {
    let is_letter = |at: usize| {
        let set = block[at].checked_sub(0xc0).and_then(|first| letters.get(usize::from(first)));
        set.is_some_and(|set| set >> (block[at + 1] & 0x3f) & 1 == 1)
    };
    (0..64).fold(0, |found, at| found | u64::from(is_letter(at)) << at)
}

/// The same with AVX-512: for each first byte that there is, one look at all second bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn wide_avx512(block: &[u8; 65], letters: &Letters) -> u64 {
    // SAFETY: both pointers are to 64 bytes, and these instructions ask for no alignment.
    let (bytes, next) =
        unsafe { (_mm512_loadu_si512(block.as_ptr().cast()), _mm512_loadu_si512(block[1..].as_ptr().cast())) };
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    let mut firsts =
        _mm512_cmpge_epu8_mask(bytes, all(0xc0)) & _mm512_cmplt_epu8_mask(bytes, all(0xc0 + letters.len() as u8));
    let mut found = 0;
    while firsts != 0 {
        let first = block[firsts.trailing_zeros() as usize];
        let same = _mm512_cmpeq_epi8_mask(bytes, all(first));
        let set = _mm512_set1_epi64(letters[usize::from(first - 0xc0)] as i64);
        found |= same & _mm512_bitshuffle_epi64_mask(set, next);
        firsts &= !same;
    }
    found
}

fn kinds_plain(block: &[u8; 64]) -> Kinds {
    let mut kinds = Kinds::default();
    for (i, &byte) in block.iter().enumerate() {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_';
        let may_join = matches!(byte, b'\'' | b'+' | b'-' | b'.' | b'@');
        let is_loud = matches!(byte, b'!' | b'?' | b'%' | b'$');
        let put = |mask: &mut u64, is: bool| *mask |= u64::from(is) << i;
        put(&mut kinds.letters, byte.is_ascii_alphabetic());
        put(&mut kinds.space, matches!(byte, b'\t'..=b'\r' | 0x1c..=b' '));
        put(&mut kinds.end, byte.is_ascii() && !is_word && !may_join);
        put(&mut kinds.control, byte.is_ascii() && !byte.is_ascii_graphic());
        put(&mut kinds.dot, byte == b'.');
        put(&mut kinds.joiner, matches!(byte, b'\'' | b'-'));
        put(&mut kinds.mute, MUTE.contains(&byte));
        put(&mut kinds.quiet, byte.is_ascii_graphic() && !is_word && !is_loud);
        put(&mut kinds.bracket, BRACKETS.contains(&byte));
        put(&mut kinds.link, LINKING.contains(&byte));
        put(&mut kinds.wide, !byte.is_ascii());
        put(&mut kinds.eyes, EYES.contains(&byte) || !byte.is_ascii());
        put(&mut kinds.links, LINKS.contains(&byte) || !byte.is_ascii());
        for (mask, letter) in kinds.htwx.iter_mut().zip(*b"htwx") {
            put(mask, byte | 0x20 == letter && byte.is_ascii());
        }
    }
    kinds
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn kinds_avx2(block: &[u8; 64]) -> Kinds {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let between = |v: __m256i, low: u8, high: u8| {
        _mm256_and_si256(_mm256_cmpgt_epi8(v, all(low - 1)), _mm256_cmpgt_epi8(all(high + 1), v))
    };
    let or = |a, b| _mm256_or_si256(a, b);
    let mut kinds = Kinds::default();
    for (half, bytes) in block.as_chunks::<32>().0.iter().enumerate() {
        // SAFETY: the pointer is to 32 bytes, and this instruction asks for no alignment.
        let v = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        let is = |byte: u8| _mm256_cmpeq_epi8(v, all(byte));
        let letters = between(or(v, all(0x20)), b'a', b'z');
        let word = or(or(letters, between(v, b'0', b'9')), is(b'_'));
        let dot = is(b'.');
        let (joiner, hyphen) = (is(b'\''), is(b'-'));
        let any = |bytes: &[u8]| bytes.iter().fold(all(0), |any, byte| or(any, is(*byte)));
        let mute = any(&MUTE);
        let inner = or(or(or(joiner, is(b'+')), or(hyphen, dot)), is(b'@'));
        let loud = or(or(is(b'!'), is(b'?')), or(is(b'%'), is(b'$')));
        let graphic = between(v, b'!', b'~');
        let space = or(between(v, b'\t', b'\r'), between(v, 0x1c, b' '));
        let put = |mask: &mut u64, is: __m256i| *mask |= u64::from(_mm256_movemask_epi8(is) as u32) << (32 * half);
        put(&mut kinds.letters, letters);
        put(&mut kinds.space, space);
        // The sign bit of `v` marks what is not ASCII.
        put(&mut kinds.end, or(or(word, inner), v));
        put(&mut kinds.control, or(graphic, v));
        put(&mut kinds.dot, dot);
        put(&mut kinds.joiner, or(joiner, hyphen));
        put(&mut kinds.mute, mute);
        put(&mut kinds.quiet, _mm256_andnot_si256(or(word, loud), graphic));
        let lowered = or(v, all(0x20));
        put(&mut kinds.bracket, any(&BRACKETS));
        put(&mut kinds.link, any(&LINKING));
        put(&mut kinds.wide, v);
        put(&mut kinds.eyes, or(any(&EYES), v));
        put(&mut kinds.links, or(any(&LINKS), v));
        for (mask, letter) in kinds.htwx.iter_mut().zip(*b"htwx") {
            put(mask, _mm256_cmpeq_epi8(lowered, all(letter)));
        }
    }
    Kinds { end: !kinds.end, control: !kinds.control, ..kinds }
}

/// The kinds of each ASCII byte as bits: those of signs, and the letters of addresses and faces.
#[cfg(target_arch = "x86_64")]
static KINDS: [[u8; 128]; 2] = {
    let mut kinds = [[0; 128]; 2];
    let mut byte = 0u8;
    while byte < 128 {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_';
        let may_join = matches!(byte, b'\'' | b'+' | b'-' | b'.' | b'@');
        let is_loud = matches!(byte, b'!' | b'?' | b'%' | b'$');
        kinds[0][byte as usize] = byte.is_ascii_alphabetic() as u8
            | (matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ') as u8) << 1
            | ((!is_word && !may_join) as u8) << 2
            | (!byte.is_ascii_graphic() as u8) << 3
            | ((byte == b'.') as u8) << 4
            | ((byte.is_ascii_graphic() && !is_word && !is_loud) as u8) << 5
            | (matches!(byte, b'\'' | b'-') as u8) << 6;
        kinds[1][byte as usize] = match byte | 0x20 {
            b'h' => 1,
            b't' => 1 << 1,
            b'w' => 1 << 2,
            b'x' => 1 << 3,
            _ => 0,
        };
        byte += 1;
    }
    let marked: [(usize, u8, &[u8]); 5] =
        [(0, 7, &MUTE), (1, 4, &BRACKETS), (1, 5, &LINKING), (1, 6, &EYES), (1, 7, &LINKS)];
    let mut which = 0;
    while which < marked.len() {
        let (table, bit, bytes) = marked[which];
        let mut number = 0;
        while number < bytes.len() {
            kinds[table][bytes[number] as usize] |= 1 << bit;
            number += 1;
        }
        which += 1;
    }
    kinds
};

/// The same with AVX-512: two looks into a table, and a mask for each bit.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn kinds_avx512(block: &[u8; 64]) -> Kinds {
    // SAFETY: all pointers are to 64 bytes or more, and these instructions ask for no alignment.
    let (bytes, tables) = unsafe {
        let half = |table: usize, from: usize| _mm512_loadu_si512(KINDS[table].as_ptr().add(from).cast());
        (_mm512_loadu_si512(block.as_ptr().cast()), [[half(0, 0), half(0, 64)], [half(1, 0), half(1, 64)]])
    };
    let ascii = !_mm512_movepi8_mask(bytes);
    let found = tables.map(|[low, high]| _mm512_maskz_mov_epi8(ascii, _mm512_permutex2var_epi8(low, bytes, high)));
    let mask = |table: usize, bit: u8| _mm512_test_epi8_mask(found[table], _mm512_set1_epi8((1u8 << bit) as i8));
    Kinds {
        letters: mask(0, 0),
        wide: !ascii,
        is_open: 0,
        space: mask(0, 1),
        end: mask(0, 2),
        control: mask(0, 3),
        dot: mask(0, 4),
        quiet: mask(0, 5),
        joiner: mask(0, 6),
        mute: mask(0, 7),
        bracket: mask(1, 4),
        link: mask(1, 5),
        eyes: mask(1, 6) | !ascii,
        links: mask(1, 7) | !ascii,
        htwx: [mask(1, 0), mask(1, 1), mask(1, 2), mask(1, 3)],
    }
}

/// Appends where the plain words of a text are, from byte `at` on, with `base` added. Returns where the next piece starts that takes a
/// closer look; None at the end.
///
/// A plain word is a run of letters before the first such piece. A run that may be joined to more is such a piece itself.
pub fn plain_spans(plans: &[Plan], at: usize, base: usize, spans: &mut Vec<[u32; 2]>) -> Option<usize> {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what the function asks for.
        Level::Avx512 => unsafe { plain_spans_avx512(plans, at, base, spans) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx2 => unsafe { plain_spans_avx2(plans, at, base, spans) },
        Level::Plain => plain_spans_plain(plans, at, base, spans),
    }
}

macro_rules! plain_spans_with {
    ($emit:ident, $plans:ident, $at:ident, $base:ident, $spans:ident) => {{
        let rest = $plans.get($at / 64..).unwrap_or_default();
        assert!($base + 64 * $plans.len() <= u32::MAX as usize, "the tokens of a run of documents fit in 4 GiB");
        $spans.reserve(32 * rest.len() + 1 + EMITTED);
        let mut stop = None;
        // SAFETY: a text of n bytes has n + 1 bounds at the most, and `spans` has room for these and for what is written besides.
        // What the length is set to has been written: bounds come in pairs.
        unsafe {
            let first = $spans.as_mut_ptr().add($spans.len()).cast::<u32>();
            let mut out = first;
            let mut reached = u64::MAX << ($at % 64);
            // Whether a run of letters comes from the block before; its start has been written.
            let mut open = 0;
            for (block, plan) in ($at / 64..).zip(rest) {
                let letters = plan.letters & reached;
                let after_letters = letters << 1 | open;
                let joined = plan.joined & after_letters;
                let stops = plan.others & reached | joined;
                // A word ends before the first stop or there, unless something joins it to more.
                let first_stop = stops & stops.wrapping_neg();
                let before_stop = first_stop.wrapping_sub(1);
                let starts = letters & !after_letters & before_stop;
                let ends = after_letters & !letters & (before_stop | first_stop & !joined);
                out = $emit(starts | ends, ($base + 64 * block) as u32, out);
                if stops != 0 {
                    stop = Some(64 * block + stops.trailing_zeros() as usize);
                    if first_stop & joined != 0 {
                        // The run that is joined to more has a start and no end.
                        out = out.sub(1);
                        stop = Some(*out as usize - $base);
                    }
                    break;
                }
                open = letters >> 63;
                reached = u64::MAX;
            }
            let n_bounds = out.offset_from(first) as usize;
            $spans.set_len($spans.len() + n_bounds / 2);
        }
        stop
    }};
}

fn plain_spans_plain(plans: &[Plan], at: usize, base: usize, spans: &mut Vec<[u32; 2]>) -> Option<usize> {
    plain_spans_with!(emit_plain, plans, at, base, spans)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn plain_spans_avx2(plans: &[Plan], at: usize, base: usize, spans: &mut Vec<[u32; 2]>) -> Option<usize> {
    plain_spans_with!(emit_avx2, plans, at, base, spans)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn plain_spans_avx512(plans: &[Plan], at: usize, base: usize, spans: &mut Vec<[u32; 2]>) -> Option<usize> {
    plain_spans_with!(emit_avx512, plans, at, base, spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_find_plain_words_finds_the_same() {
        let mut random = 7u64;
        for round in 0..2000 {
            let mut text = vec![0u8; round % 300];
            for byte in &mut text {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *byte = b"  aabcdewxh.,-'1\xc3"[(random >> 40) as usize % 17];
            }
            let mut plans = vec![];
            plan(&text, &[0; 32], true, &mut plans);
            for at in [0, text.len() / 3, text.len() / 2] {
                let (mut spans, mut expected) = (vec![[9, 9]], vec![[9, 9]]);
                let stop = plain_spans(&plans, at, 100, &mut spans);
                assert_eq!(stop, plain_spans_plain(&plans, at, 100, &mut expected));
                assert_eq!(spans, expected);
                #[cfg(target_arch = "x86_64")]
                if level() != Level::Plain {
                    let mut others = vec![[9, 9]];
                    // SAFETY: who has more has this, too.
                    assert_eq!(unsafe { plain_spans_avx2(&plans, at, 100, &mut others) }, stop);
                    assert_eq!(spans, others);
                }
                for [start, end] in &spans[1..] {
                    let word = &text[*start as usize - 100..*end as usize - 100];
                    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-');
                    assert!(!word.is_empty() && word.iter().all(is_letter));
                }
            }
        }
    }

    #[test]
    fn the_fast_plan_equals_the_plain_one() {
        let mut letters: Letters = std::array::from_fn(|first| (first as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        letters[5] = 0;
        let mut random = 1u64;
        for round in 0..3000 {
            let mut text = vec![0u8; round % 200];
            for byte in &mut text {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *byte = [b' ', b'x', b'.', (random >> 48) as u8][(random >> 60) as usize % 4];
            }
            for leave_quiet in [false, true] {
                let (mut fast, mut plain) = (vec![], vec![]);
                plan(&text, &letters, leave_quiet, &mut fast);
                plan_with(&text, leave_quiet, &mut plain, kinds_plain, |block| wide_plain(block, &letters));
                assert_eq!(fast, plain);
                assert_eq!(fast.len(), text.len() / 64 + 1);
                #[cfg(target_arch = "x86_64")]
                if level() != Level::Plain {
                    // SAFETY: who has more has this, too.
                    unsafe { plan_avx2(&text, &letters, leave_quiet, &mut fast) };
                    assert_eq!(fast, plain);
                }
            }
        }
    }
}
