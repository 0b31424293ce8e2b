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
    /// Letters that are tokens as they are in the copy of the text, the marks on them, and apostrophes and hyphens between two of them.
    pub letters: u64,
    /// Where a word begins right behind an ideograph, which is a word by itself.
    pub breaks: u64,
    /// Where something begins that takes a closer look: what is not made of such letters; what may be an address or a face.
    pub others: u64,
    /// Where a run of letters ends that takes a closer look: before a byte that may join it to more.
    pub joined: u64,
}

impl Plan {
    /// Whether the byte at `at` belongs to the same run of letters as the one before it.
    pub fn is_inside_run(plans: &[Plan], at: usize) -> bool {
        let is_letter = |at: usize| plans.get(at / 64).is_some_and(|plan| plan.letters >> (at % 64) & 1 == 1);
        let is_break = |at: usize| plans[at / 64].breaks >> (at % 64) & 1 == 1;
        at > 0 && is_letter(at) && is_letter(at - 1) && !is_break(at)
    }
}

/// What 64 characters of two or three bytes are that differ in the last six bits of their numbers: bit i speaks of the one in which
/// these are i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Characters64 {
    pub sets: Sets,
    /// What the letters of two bytes become in lower case; that of any other is not specified.
    pub lowered: [[u8; 2]; 64],
}

/// Kinds of characters of two or three bytes. One that is in no set takes a closer look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    /// Letters of a script with spaces that are tokens as they are, or once they are lowered.
    pub letters: u64,
    /// Those of two bytes that have another form of two bytes in lower case, wherever they stand.
    pub upper: u64,
    /// Marks on the letter before them.
    pub marks: u64,
    /// Letters each of which is a word by itself.
    pub ideographs: u64,
    /// What separates words and makes no token, unless all punctuation does.
    pub mute: u64,
}

impl Sets {
    fn map(self, change: impl Fn(u64) -> u64) -> Sets {
        let Sets { letters, upper, marks, ideographs, mute } = self;
        let [letters, upper, marks, ideographs, mute] = [letters, upper, marks, ideographs, mute].map(change);
        Sets { letters, upper, marks, ideographs, mute }
    }

    fn with(self, more: Sets) -> Sets {
        Sets {
            letters: self.letters | more.letters,
            upper: self.upper | more.upper,
            marks: self.marks | more.marks,
            ideographs: self.ideographs | more.ideographs,
            mute: self.mute | more.mute,
        }
    }
}

/// Which bytes of a block are what.
#[derive(Clone, Copy, Default)]
struct Kinds {
    /// Letters of ASCII, and those of [`Sets`].
    letters: u64,
    /// Bytes that are not ASCII.
    wide: u64,
    /// ASCII white space.
    space: u64,
    /// What ends a word for certain: no letter, digit or `_`, and none of the signs that may join it to more.
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
    marks: u64,
    ideographs: u64,
    /// Where ideographs begin, and capital letters of two bytes.
    ideograph_starts: u64,
    upper: u64,
}

/// Signs that are no part of a face, a tag, a handle or a number, and make no token unless all punctuation does.
const MUTE: [u8; 11] = *b"\"',/&`~|{}\\";

/// `(:` and `(-:` are faces.
const BRACKETS: [u8; 4] = *b"()[]";
const EYES: [u8; 3] = *b"-:;";
/// `..` is a token, `-_-` and `-.-` are faces.
const LINKING: [u8; 4] = *b"-.*+";
const LINKS: [u8; 2] = *b"_.";

/// How a text is planned.
#[derive(Clone, Copy)]
pub struct Planning<F> {
    /// What characters of two or three bytes are, by their numbers without the last six bits.
    pub characters: F,
    /// Whether the copy is in lower case.
    pub lowercase: bool,
    /// Whether signs that make no token where they stand are left out.
    pub leave_quiet: bool,
}

/// Appends `text` to `copy`, in lower case where tokens are as far as the plan calls them letters, and replaces `plans` by those of
/// its blocks; the last block is filled up with zeros.
pub fn plan<F: Fn(usize) -> &'static Characters64 + Copy>(
    text: &str,
    how: Planning<F>,
    copy: &mut Vec<u8>,
    plans: &mut Vec<Plan>,
) {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has what the function asks for.
        Level::Avx512 => unsafe { plan_avx512(text, how, copy, plans) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Level::Avx2 => unsafe { plan_avx2(text, how, copy, plans) },
        Level::Plain => {
            let wide = |block: &_, next| wide_plain(block, next, leads_plain(block), how.characters);
            plan_with(text, how, copy, plans, kinds_plain, wide, filled_up)
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn plan_avx2<F: Fn(usize) -> &'static Characters64 + Copy>(
    text: &str,
    how: Planning<F>,
    copy: &mut Vec<u8>,
    plans: &mut Vec<Plan>,
) {
    // SAFETY: as this function is called, so can be the other.
    plan_with(
        text,
        how,
        copy,
        plans,
        #[inline(always)]
        |block, case, lower| unsafe { kinds_avx2(block, case, lower) },
        #[inline(always)]
        |block, next| wide_plain(block, next, unsafe { leads_avx2(block) }, how.characters),
        filled_up,
    )
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,bmi1,bmi2,lzcnt,popcnt")]
fn plan_avx512<F: Fn(usize) -> &'static Characters64 + Copy>(
    text: &str,
    how: Planning<F>,
    copy: &mut Vec<u8>,
    plans: &mut Vec<Plan>,
) {
    // SAFETY: as this function is called, so can be the other.
    plan_with(
        text,
        how,
        copy,
        plans,
        #[inline(always)]
        |block, case, lower| unsafe { kinds_avx512(block, case, lower) },
        #[inline(always)]
        |block, next| unsafe { wide_avx512(block, next, how.characters) },
        #[inline(always)]
        |rest| unsafe { filled_up_avx512(rest) },
    )
}

/// Fewer than 64 bytes, filled up with zeros.
fn filled_up(rest: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// The same with AVX-512: written at once, it can be read at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn filled_up_avx512(rest: &[u8]) -> [u8; 64] {
    let mut block = [0; 64];
    let there = _bzhi_u64(u64::MAX, rest.len() as u32);
    // SAFETY: no more bytes are read than there are, the block has 64, and no instruction asks for alignment.
    unsafe {
        _mm512_storeu_si512(block.as_mut_ptr().cast(), _mm512_maskz_loadu_epi8(there, rest.as_ptr().cast()));
    }
    block
}

#[inline(always)]
fn plan_with<F: Fn(usize) -> &'static Characters64>(
    text: &str,
    how: Planning<F>,
    copy: &mut Vec<u8>,
    plans: &mut Vec<Plan>,
    kinds: impl Fn(&[u8; 64], u8, &mut [u8; 64]) -> Kinds,
    wide: impl Fn(&[u8; 64], [u8; 2]) -> [Sets; 2],
    filled_up: impl Fn(&[u8]) -> [u8; 64],
) {
    let text = text.as_bytes();
    let (blocks, rest) = text.as_chunks::<64>();
    plans.clear();
    plans.reserve(blocks.len() + 1);
    copy.reserve(text.len() + 64);
    // SAFETY: there is room for whole blocks.
    let lower = unsafe { copy.as_mut_ptr().add(copy.len()) };
    let quiet = if how.leave_quiet { u64::MAX } else { 0 };
    // The bit in which capital letters differ from others.
    let case = if how.lowercase { 0x20 } else { 0 };
    // What of the characters of the block before is in this one.
    let mut after = Sets::default();
    let mut here = Kinds::default();
    // The last bit of the block before: whether it is a letter or a mark, part of an ideograph, part of a run.
    let (mut after_letter, mut after_ideograph, mut open) = (0, 0, 0);
    // A block is dealt with when the next one is known.
    for number in 0..=blocks.len() + 1 {
        let last;
        let block = match blocks.get(number) {
            Some(block) => Some(block),
            None if number == blocks.len() => {
                // Not before: the end of a long text would have to be waited for.
                last = filled_up(rest);
                Some(&last)
            }
            None => None,
        };
        let mut next = Kinds { end: u64::MAX, ..Kinds::default() };
        if let Some(block) = block {
            // SAFETY: there is room for whole blocks.
            next = kinds(block, case, unsafe { &mut *lower.add(64 * number).cast() });
            if next.wide != 0 {
                let byte = |at: usize| text.get(64 * (number + 1) + at).copied().unwrap_or(0);
                let [two, three] = wide(block, [byte(0), byte(1)]);
                let mut bytes = two.map(|bits| bits | bits << 1).with(after);
                after = two.map(|bits| bits >> 63);
                if three != Sets::default() {
                    bytes = bytes.with(three.map(|bits| bits | bits << 1 | bits << 2));
                    after = after.with(three.map(|bits| bits >> 62 | bits >> 63));
                }
                next.letters |= bytes.letters;
                next.end |= bytes.mute;
                next.mute |= bytes.mute;
                (next.marks, next.ideographs) = (bytes.marks, bytes.ideographs);
                (next.ideograph_starts, next.upper) = (three.ideographs, two.upper);
            }
        }
        let Some(at) = number.checked_sub(1) else {
            here = next;
            continue;
        };
        // Bit i of the result is bit i + n of the text.
        let ahead = |own: u64, next: u64, n: u32| own >> n | next << (64 - n);
        // What marks make of an ideograph takes a closer look.
        let behind_ideograph = here.ideographs << 1 | after_ideograph;
        let marks = here.marks & !behind_ideograph;
        let marked = here.letters | marks;
        let between = (marked << 1 | after_letter) & ahead(here.letters, next.letters, 1);
        let letters = marked | here.joiner & between | here.ideographs;
        let is_quiet = here.quiet & ahead(here.space, next.space, 1)
            | here.mute
            | here.bracket & !ahead(here.eyes, next.eyes, 1)
            | here.link & !ahead(here.links, next.links, 1);
        let skipped = here.control | is_quiet & quiet;
        let ends = here.end | (here.dot | here.joiner) & ahead(here.end, next.end, 1) | behind_ideograph & !here.wide;
        let after_letters = letters << 1 | open;
        let breaks = letters & behind_ideograph & (here.ideograph_starts | !here.ideographs);
        let first = letters & !after_letters | breaks;
        let [[h, t, w, x], [_, t_next, w_next, _]] = [here.htwx, next.htwx];
        // `htt` and `www` are rare enough to be looked at.
        let http = h & ahead(t, t_next, 1) & ahead(t, t_next, 2);
        let www = w & ahead(w, w_next, 1) & ahead(w, w_next, 2);
        plans.push(Plan {
            letters,
            breaks,
            others: !(letters | skipped) | (http | www | x | marks) & first,
            // Letters before an ideograph may be a part of an address.
            joined: after_letters & (!letters & !ends | here.ideograph_starts & !behind_ideograph),
        });
        let mut upper = if how.lowercase { here.upper } else { 0 };
        while upper != 0 {
            let place = 64 * at + upper.trailing_zeros() as usize;
            let (first, second) = (text[place], text[place + 1]);
            let lowered = (how.characters)(usize::from(first & 0x1f)).lowered[usize::from(second & 0x3f)];
            // SAFETY: both bytes are in the text, and have been copied: the next block has, too.
            unsafe { lower.add(place).cast::<[u8; 2]>().write(lowered) };
            upper &= upper - 1;
        }
        (after_letter, after_ideograph, open) = (marked >> 63, here.ideographs >> 63, letters >> 63);
        here = next;
    }
    // SAFETY: all blocks have been written.
    unsafe { copy.set_len(copy.len() + text.len()) };
}

/// Where characters of two bytes begin in a block, which two more bytes follow, and where those of three, by what they are. All of them
/// begin at `leads`.
#[inline]
fn wide_plain(
    block: &[u8; 64],
    next: [u8; 2],
    mut leads: u64,
    characters: impl Fn(usize) -> &'static Characters64,
) -> [Sets; 2] {
    let mut found = [Sets::default(); 2];
    while leads != 0 {
        let at = leads.trailing_zeros() as usize;
        let low = |at: usize| usize::from(block.get(at).unwrap_or_else(|| &next[(at - 64).min(1)]) & 0x3f);
        let (is_three, number, last) = match block[at] {
            first @ ..0xe0 => (0, usize::from(first & 0x1f), low(at + 1)),
            first => (1, usize::from(first & 0x0f) << 6 | low(at + 1), low(at + 2)),
        };
        let (found, sets) = (&mut found[is_three], &characters(number).sets);
        let is_in = |set: u64| (set >> last & 1) << at;
        // Nearly all are letters, and no character is in two sets but a capital.
        if is_in(sets.letters) != 0 {
            found.letters |= 1 << at;
            found.upper |= is_in(sets.upper);
        } else {
            found.marks |= is_in(sets.marks);
            found.ideographs |= is_in(sets.ideographs);
            found.mute |= is_in(sets.mute);
        }
        leads &= leads - 1;
    }
    found
}

/// Where characters of two and three bytes begin in a block.
fn leads_plain(block: &[u8; 64]) -> u64 {
    block.iter().rev().fold(0, |leads, byte| leads << 1 | u64::from((0xc2..0xf0).contains(byte)))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn leads_avx2(block: &[u8; 64]) -> u64 {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    block.as_chunks::<32>().0.iter().rev().fold(0, |leads, bytes| {
        // SAFETY: the pointer is to 32 bytes, and this instruction asks for no alignment.
        let v = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        let is_lead = _mm256_and_si256(_mm256_cmpgt_epi8(v, all(0xc1)), _mm256_cmpgt_epi8(all(0xf0), v));
        leads << 32 | u64::from(_mm256_movemask_epi8(is_lead) as u32)
    })
}

/// The same with AVX-512: for each beginning of characters that there is, one look at all last bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
unsafe fn wide_avx512(
    block: &[u8; 64],
    next: [u8; 2],
    characters: impl Fn(usize) -> &'static Characters64,
) -> [Sets; 2] {
    static NUMBERS: [u8; 66] = {
        let mut numbers = [0; 66];
        let mut at = 0;
        while at < 66 {
            numbers[at] = at as u8;
            at += 1;
        }
        numbers
    };
    // SAFETY: all pointers are to 64 bytes, and these instructions ask for no alignment.
    let [bytes, from_second, from_third] =
        [&block[..], &NUMBERS[1..], &NUMBERS[2..]].map(|bytes| unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) });
    let next = _mm512_set1_epi16(i16::from_le_bytes(next));
    let seconds = _mm512_permutex2var_epi8(bytes, from_second, next);
    let thirds = _mm512_permutex2var_epi8(bytes, from_third, next);
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    let starting =
        |least: u8, most: u8| _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, all(least)), all(most - least + 1));
    // Nearly all are letters: what else there may be is looked for where one is none.
    let add = |found: &mut Sets, same: u64, sets: &Sets, last: __m512i| {
        let is_in = |set: u64| same & _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(set as i64), last);
        let letters = is_in(sets.letters);
        found.letters |= letters;
        if sets.upper != 0 {
            found.upper |= is_in(sets.upper);
        }
        if letters != same {
            let marks = is_in(sets.marks);
            found.marks |= marks;
            if letters | marks != same {
                found.ideographs |= is_in(sets.ideographs);
                found.mute |= is_in(sets.mute);
            }
        }
    };
    let (mut two, mut three) = (Sets::default(), Sets::default());
    let mut left = starting(0xc2, 0xdf);
    while left != 0 {
        let first = block[left.trailing_zeros() as usize];
        let same = _mm512_cmpeq_epi8_mask(bytes, all(first));
        add(&mut two, same, &characters(usize::from(first & 0x1f)).sets, seconds);
        left &= !same;
    }
    left = starting(0xe0, 0xef);
    if left != 0 {
        // Chinese has nearly as many beginnings as characters: U+4E00 to U+9FFF.
        three.ideographs = starting(0xe5, 0xe9) | starting(0xe4, 0xe4) & _mm512_cmpge_epu8_mask(seconds, all(0xb8));
        left &= !three.ideographs;
    }
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        let first = block[at];
        let second = block.get(at + 1).copied().unwrap_or(_mm512_cvtsi512_si32(next) as u8);
        let same = _mm512_cmpeq_epi8_mask(bytes, all(first)) & _mm512_cmpeq_epi8_mask(seconds, all(second));
        let number = usize::from(first & 0x0f) << 6 | usize::from(second & 0x3f);
        add(&mut three, same, &characters(number).sets, thirds);
        left &= !same;
    }
    [two, three]
}

/// Which bytes of a block are what. Writes it to `lower` with capital letters of ASCII changed by the bit `case`.
fn kinds_plain(block: &[u8; 64], case: u8, lower: &mut [u8; 64]) -> Kinds {
    let mut kinds = Kinds::default();
    for (i, &byte) in block.iter().enumerate() {
        lower[i] = if byte.is_ascii_uppercase() { byte | case } else { byte };
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
unsafe fn kinds_avx2(block: &[u8; 64], case: u8, lower: &mut [u8; 64]) -> Kinds {
    let all = |byte: u8| _mm256_set1_epi8(byte as i8);
    let between = |v: __m256i, low: u8, high: u8| {
        _mm256_and_si256(_mm256_cmpgt_epi8(v, all(low - 1)), _mm256_cmpgt_epi8(all(high + 1), v))
    };
    let or = |a, b| _mm256_or_si256(a, b);
    let mut kinds = Kinds::default();
    for (half, (bytes, lower)) in block.as_chunks::<32>().0.iter().zip(lower.as_chunks_mut::<32>().0).enumerate() {
        // SAFETY: the pointers are to 32 bytes, and these instructions ask for no alignment.
        let v = unsafe {
            let v = _mm256_loadu_si256(bytes.as_ptr().cast());
            let changed = _mm256_and_si256(between(v, b'A', b'Z'), all(case));
            _mm256_storeu_si256(lower.as_mut_ptr().cast(), or(v, changed));
            v
        };
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
unsafe fn kinds_avx512(block: &[u8; 64], case: u8, lower: &mut [u8; 64]) -> Kinds {
    // SAFETY: all pointers are to 64 bytes or more, and these instructions ask for no alignment.
    let (bytes, tables) = unsafe {
        let half = |table: usize, from: usize| _mm512_loadu_si512(KINDS[table].as_ptr().add(from).cast());
        (_mm512_loadu_si512(block.as_ptr().cast()), [[half(0, 0), half(0, 64)], [half(1, 0), half(1, 64)]])
    };
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    let upper = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, all(b'A')), all(26));
    // SAFETY: as above.
    unsafe {
        _mm512_storeu_si512(lower.as_mut_ptr().cast(), _mm512_mask_add_epi8(bytes, upper, bytes, all(case)));
    }
    let ascii = !_mm512_movepi8_mask(bytes);
    let found = tables.map(|[low, high]| _mm512_maskz_mov_epi8(ascii, _mm512_permutex2var_epi8(low, bytes, high)));
    let mask = |table: usize, bit: u8| _mm512_test_epi8_mask(found[table], all(1u8 << bit));
    Kinds {
        letters: mask(0, 0),
        wide: !ascii,
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
        ..Kinds::default()
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
                let breaks = plan.breaks & after_letters;
                let starts = (letters & !after_letters | breaks) & before_stop;
                let ends = (after_letters & !letters | breaks) & (before_stop | first_stop & !joined);
                let place = ($base + 64 * block) as u32;
                out = if breaks == 0 { $emit(starts | ends, place, out) } else { emit_both(ends, starts, place, out) };
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

/// Writes `base` plus the place of each bit of both, twice where both have it; where the next one goes.
///
/// # Safety
/// So many places, and one more, can be written.
#[inline(always)]
unsafe fn emit_both(ends: u64, starts: u64, base: u32, mut out: *mut u32) -> *mut u32 {
    let mut both = ends | starts;
    while both != 0 {
        let at = both.trailing_zeros();
        // SAFETY: as the caller says.
        unsafe {
            *out = base.wrapping_add(at);
            out = out.add((ends >> at & 1) as usize);
            *out = base.wrapping_add(at);
            out = out.add((starts >> at & 1) as usize);
        }
        both &= both - 1;
    }
    out
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
    use std::sync::OnceLock;

    use super::*;

    /// What the tests take characters to be: of any script some of each kind, by their numbers.
    fn characters(number: usize) -> &'static Characters64 {
        static ALL: [OnceLock<Box<Characters64>>; 1024] = [const { OnceLock::new() }; 1024];
        ALL[number].get_or_init(|| {
            let random = |salt: u64| (number as u64 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let ideographs = if (0x4e00 >> 6..0xa000 >> 6).contains(&number) { u64::MAX } else { 0 };
            let (kinds, free) = ([random(1), random(1000), random(2000)], !ideographs);
            let letters = kinds[0] & free;
            let marks = kinds[1] & !kinds[0] & free;
            let mute = kinds[2] & !kinds[1] & !kinds[0] & free;
            let upper = if number < 32 { letters & random(3000) } else { 0 };
            let lowered = std::array::from_fn(|last| [number as u8 ^ 0xc1, last as u8 ^ 0x9f]);
            Box::new(Characters64 { sets: Sets { letters, upper, marks, ideographs, mute }, lowered })
        })
    }

    fn random_text(length: usize, random: &mut u64, characters: &[char]) -> String {
        let mut next = || {
            *random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *random >> 40
        };
        let any = |number: u64| char::from_u32(number as u32 % 0x1_1000).unwrap_or('x');
        let choose = |number: u64| {
            if number.is_multiple_of(8) { any(number / 8) } else { characters[number as usize % characters.len()] }
        };
        (0..length).map(|_| choose(next())).collect()
    }

    #[test]
    fn every_way_to_find_plain_words_finds_the_same() {
        let mut random = 7u64;
        let some: Vec<char> = "  aabcdewxh.,-'1éЖकাβ字字".chars().collect();
        for round in 0..2000 {
            let text = random_text(round % 300, &mut random, &some);
            let (mut plans, mut copy) = (vec![], vec![]);
            plan(&text, Planning { characters, lowercase: true, leave_quiet: true }, &mut copy, &mut plans);
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
                    assert!(start < end && *end as usize - 100 <= text.len());
                    let inside = *start as usize - 100 + 1..*end as usize - 100;
                    assert!(inside.into_iter().all(|at| Plan::is_inside_run(&plans, at)));
                }
            }
        }
    }

    #[test]
    fn the_fast_plan_equals_the_plain_one() {
        let mut random = 1u64;
        let some: Vec<char> = " x.Abé字字जा\u{301}".chars().collect();
        for round in 0..4000 {
            let text = random_text(round % 150, &mut random, &some);
            for (leave_quiet, lowercase) in [(false, true), (true, true), (true, false)] {
                let how = Planning { characters, lowercase, leave_quiet };
                let (mut fast, mut plain) = ((b"before".to_vec(), vec![]), (b"before".to_vec(), vec![]));
                plan(&text, how, &mut fast.0, &mut fast.1);
                let wide = |block: &_, next| wide_plain(block, next, leads_plain(block), characters);
                plan_with(&text, how, &mut plain.0, &mut plain.1, kinds_plain, wide, filled_up);
                assert_eq!(fast, plain);
                assert_eq!((fast.0.len(), fast.1.len()), (6 + text.len(), text.len() / 64 + 1));
                assert!(lowercase || fast.0[6..] == *text.as_bytes());
                #[cfg(target_arch = "x86_64")]
                if level() != Level::Plain {
                    let mut others = (b"before".to_vec(), vec![]);
                    // SAFETY: who has more has this, too.
                    unsafe { plan_avx2(&text, how, &mut others.0, &mut others.1) };
                    assert_eq!(others, plain);
                }
            }
        }
    }
}
