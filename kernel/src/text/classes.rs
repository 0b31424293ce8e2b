//! What kind of character this is, as a set of bits.
//!
//! ASCII is a table made at compile time. Every other character is looked up in a page of 256
//! that is filled the first time one of its characters is met, so that a text pays for the
//! scripts it uses: two loads a character instead of the dozen steps of a search.

use std::sync::OnceLock;

use unicode_properties::{
    GeneralCategory as Category, GeneralCategoryGroup as Group, UnicodeEmoji, UnicodeGeneralCategory,
};

use super::given::pieces;
use super::unicode::exclamation;
use crate::processor::{Characters64, Sets};

/// A set of the bits below.
pub(super) type Class = u16;

/// Letters of any script, and numbers that are not decimal digits (½, Ⅷ, ²).
pub(super) const LETTER: Class = 1;
/// Decimal digits of any script.
pub(super) const DIGIT: Class = 1 << 1;
/// The underscore.
pub(super) const UNDERSCORE: Class = 1 << 2;
/// What belongs to the character before it: accents, vowel signs, joiners, the soft hyphen.
pub(super) const MARK: Class = 1 << 3;
/// What separates words for Python's `str.split()`.
pub(super) const SPACE: Class = 1 << 4;
/// Punctuation and symbols, currency and emoji included.
pub(super) const SIGN: Class = 1 << 5;
pub(super) const CURRENCY: Class = 1 << 6;
/// Pictographs that stand alone; not the digits and signs that need a selector to become emoji.
pub(super) const EMOJI: Class = 1 << 7;
/// Chinese characters.
pub(super) const HAN: Class = 1 << 8;
pub(super) const HIRAGANA: Class = 1 << 9;
pub(super) const KATAKANA: Class = 1 << 10;
/// Lower-casing changes it.
pub(super) const UPPER: Class = 1 << 11;
/// Not ASCII.
pub(super) const WIDE: Class = 1 << 12;
/// ASCII that ends a word whatever follows: nothing that joins words or addresses.
pub(super) const END: Class = 1 << 13;
/// ASCII signs that are tokens by themselves. Any other says nothing before white space, unless all punctuation is wanted.
pub(super) const LOUD: Class = 1 << 14;
/// Not ASCII, and spelled in another way in tokens than in the copy of the text: in a lower case of another length, or not at all.
pub(super) const RESPELLED: Class = 1 << 15;

/// Python's `\w`: `str.isalnum()` or the underscore.
pub(super) const WORD: Class = LETTER | DIGIT | UNDERSCORE;
/// Scripts written without spaces, where a change of script is the best boundary there is.
pub(super) const UNSPACED: Class = HAN | HIRAGANA | KATAKANA;

const PAGE: usize = 256;

static PAGES: [OnceLock<Box<[Class; PAGE]>>; 0x11_0000 / PAGE] = [const { OnceLock::new() }; 0x11_0000 / PAGE];

/// The class of each ASCII byte; 0 for the others.
pub(super) const ASCII: [Class; 256] = ascii();

const fn ascii() -> [Class; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LETTER,
            b'A'..=b'Z' => LETTER | UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b'\'' | b'+' | b'-' | b'.' | b'@' => SIGN,
            b'$' => SIGN | CURRENCY | END | LOUD,
            b'!' | b'?' | b'%' => SIGN | END | LOUD,
            b'\t'..=b'\r' | 0x1c..=0x1f | b' ' => SPACE | END,
            b'!'..=b'~' => SIGN | END,
            _ => END,
        };
        byte += 1;
    }
    classes
}

/// The class of any character.
#[inline]
pub(super) fn class(character: char) -> Class {
    let point = character as usize;
    if point < 128 {
        return ASCII[point];
    }
    PAGES[point / PAGE].get_or_init(|| page(point / PAGE))[point % PAGE]
}

/// The class of the character that begins at a byte which is not ASCII, and its length in bytes.
#[inline]
pub(super) fn wide_class(bytes: &[u8], at: usize) -> (Class, usize) {
    let low = |place: usize| usize::from(bytes[place] & 0x3f);
    let first = usize::from(bytes[at]);
    let (point, length) = match first {
        0..0xe0 => ((first & 0x1f) << 6 | low(at + 1), 2),
        0xe0..0xf0 => ((first & 0x0f) << 12 | low(at + 1) << 6 | low(at + 2), 3),
        _ => ((first & 0x07) << 18 | low(at + 1) << 12 | low(at + 2) << 6 | low(at + 3), 4),
    };
    (PAGES[point / PAGE].get_or_init(|| page(point / PAGE))[point % PAGE], length)
}

/// What the characters of two or three bytes are whose numbers begin with `number` and end in any six bits.
#[inline]
pub(super) fn characters(number: usize) -> &'static Characters64 {
    static ALL: [OnceLock<Box<Characters64>>; 0x1_0000 / 64] = [const { OnceLock::new() }; 0x1_0000 / 64];
    ALL[number].get_or_init(|| compute_64(number))
}

#[cold]
fn compute_64(number: usize) -> Box<Characters64> {
    let mut all = Box::new(Characters64 { sets: Sets::default(), lowered: [[0; 2]; 64] });
    let sets = &mut all.sets;
    for last in 0..64 {
        let Some(character) = char::from_u32((number << 6 | last) as u32).filter(|character| !character.is_ascii())
        else {
            continue;
        };
        let class = class(character);
        // What can become an emoji by what follows takes a closer look.
        let set = match class & !UPPER {
            _ if character < NO_EMOJI_FROM && character.is_emoji_char() => continue,
            class if class == WIDE | LETTER => &mut sets.letters,
            class if class == WIDE | MARK => &mut sets.marks,
            class if class == WIDE | LETTER | HAN => &mut sets.ideographs,
            class if class & !(SIGN | SPACE) == WIDE && !is_loud(character) => &mut sets.mute,
            _ => continue,
        };
        *set |= 1 << last;
        if let Some(lowered) = lowered_in_place(character) {
            sets.upper |= 1 << last;
            lowered.encode_utf8(&mut all.lowered[last]);
        }
    }
    all
}

/// Whether a sign that is no currency says something, or may join words.
fn is_loud(sign: char) -> bool {
    matches!(sign, '…' | '’' | '‐' | '‑') || exclamation(sign).is_some()
}

/// The lower case of a capital letter of two bytes that takes as many, wherever it stands.
fn lowered_in_place(character: char) -> Option<char> {
    let mut lowered = character.to_lowercase();
    let first = lowered.next().filter(|first| *first != character && lowered.next().is_none())?;
    (character.len_utf8() == 2 && first.len_utf8() == 2 && character != 'Σ').then_some(first)
}

/// The class of one character after the other; neighbours share a page, which is found once.
pub(super) struct Classes {
    number: usize,
    page: &'static [Class; PAGE],
}

impl Classes {
    pub(super) fn new() -> Self {
        Classes { number: 0, page: PAGES[0].get_or_init(|| page(0)) }
    }

    #[inline]
    pub(super) fn of(&mut self, character: char) -> Class {
        let point = character as usize;
        if point < 128 {
            return ASCII[point];
        }
        if point / PAGE != self.number {
            self.number = point / PAGE;
            self.page = PAGES[self.number].get_or_init(|| page(self.number));
        }
        self.page[point % PAGE]
    }
}

#[cold]
fn page(number: usize) -> Box<[Class; PAGE]> {
    let first = (number * PAGE) as u32;
    let class_of = |i: usize| char::from_u32(first + i as u32).map_or(0, compute);
    Box::new(std::array::from_fn(class_of))
}

fn compute(character: char) -> Class {
    let category = character.general_category();
    let kind = match character.general_category_group() {
        Group::Letter => LETTER,
        Group::Number if category == Category::DecimalNumber => DIGIT,
        Group::Number => LETTER,
        Group::Mark => MARK,
        Group::Punctuation => SIGN,
        Group::Symbol if category == Category::CurrencySymbol => SIGN | CURRENCY,
        Group::Symbol => SIGN,
        // Persian and the Indic scripts spell with the joiners; the soft hyphen is no letter,
        // but a word that holds one is still one word.
        _ if matches!(character, '\u{ad}' | '\u{200c}' | '\u{200d}') => MARK,
        _ => 0,
    };
    let mut class = WIDE | kind;
    if character.is_whitespace() {
        class |= SPACE;
    }
    if kind == LETTER {
        class |= script(character);
    }
    if is_pictograph(character, category) {
        class |= EMOJI | SIGN;
    }
    if !character.to_lowercase().eq([character]) {
        class |= UPPER;
        if lowered_in_place(character).is_none() {
            class |= RESPELLED;
        }
    }
    if character == '\u{ad}' {
        class |= RESPELLED;
    }
    class
}

/// The unspaced script of a letter. The long vowel mark belongs to both kana.
fn script(letter: char) -> Class {
    match letter {
        '\u{3005}' | '\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303b}' => HAN,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => HAN,
        '\u{20000}'..='\u{3ffff}' => HAN,
        '\u{30fc}' | '\u{ff70}' => HIRAGANA | KATAKANA,
        '\u{3041}'..='\u{309f}' | '\u{1b001}'..='\u{1b11f}' => HIRAGANA,
        '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => KATAKANA,
        _ => 0,
    }
}

/// Emoji by Unicode's own list, but also the stars, hearts and ticks of the older blocks, and
/// what is not yet assigned in the blocks set aside for pictographs.
fn is_pictograph(character: char, category: Category) -> bool {
    match category {
        Category::OtherSymbol | Category::Unassigned if matches!(character, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}') => {
            true
        }
        _ => matches!(character, '\u{2190}'..NO_EMOJI_FROM | NO_EMOJI_TO..) && character.is_emoji_char(),
    }
}

/// Between these no character is an emoji. To look each of them up would take longer than all else that is to be known.
const NO_EMOJI_FROM: char = '\u{3300}';
const NO_EMOJI_TO: char = '\u{1f000}';

/// The pieces of `text` between white space, each with its place in bytes: `str.split()`. Of a document that came as tokens, each
/// token is split by itself.
pub fn chunks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    pieces(text).flat_map(|(from, piece)| split(piece).map(move |(start, chunk)| (from + start, chunk)))
}

fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive(|character| class(character) & SPACE != 0).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let chunk = piece.trim_end_matches(|character| class(character) & SPACE != 0);
        (!chunk.is_empty()).then_some((start, chunk))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_tables_agree_on_ascii() {
        for byte in 0..128u8 {
            let computed = compute(char::from(byte)) & !(WIDE | EMOJI | RESPELLED);
            // Python splits at the four separators that Unicode does not call white space, and
            // the underscore is punctuation to Unicode.
            let expected = match byte {
                0x1c..=0x1f => SPACE,
                b'_' => UNDERSCORE,
                _ => computed,
            };
            assert_eq!(ASCII[byte as usize] & !(END | LOUD), expected, "{byte:#x}");
        }
    }

    #[test]
    fn characters_have_the_class_their_readers_expect() {
        for (character, expected) in [
            ('é', WIDE | LETTER),
            ('É', WIDE | LETTER | UPPER),
            ('İ', WIDE | LETTER | UPPER | RESPELLED),
            ('Σ', WIDE | LETTER | UPPER | RESPELLED),
            ('\u{ad}', WIDE | MARK | RESPELLED),
            ('½', WIDE | LETTER),
            ('٣', WIDE | DIGIT),
            ('\u{301}', WIDE | MARK),
            ('€', WIDE | SIGN | CURRENCY),
            ('“', WIDE | SIGN),
            ('\u{a0}', WIDE | SPACE),
            ('字', WIDE | LETTER | HAN),
            ('の', WIDE | LETTER | HIRAGANA),
            ('ー', WIDE | LETTER | HIRAGANA | KATAKANA),
            ('😀', WIDE | SIGN | EMOJI),
            ('★', WIDE | SIGN | EMOJI),
            ('©', WIDE | SIGN),
            ('\u{200b}', WIDE),
        ] {
            assert_eq!(class(character), expected, "{character:?}");
        }
    }

    #[test]
    fn the_class_of_a_character_is_found_from_its_bytes() {
        for character in ('\u{80}'..=char::MAX).step_by(7) {
            let text = format!("a{character}b");
            assert_eq!(wide_class(text.as_bytes(), 1), (class(character), character.len_utf8()), "{character:?}");
        }
    }

    #[test]
    fn what_a_plan_takes_for_ideographs_are_words_by_themselves() {
        assert!((0x4e00 / 64..0xa000 / 64).all(|number| characters(number).sets.ideographs == u64::MAX));
    }

    #[test]
    fn there_are_no_emoji_where_none_is_looked_for() {
        assert!(!(NO_EMOJI_FROM..NO_EMOJI_TO).any(UnicodeEmoji::is_emoji_char));
    }

    #[test]
    fn chunks_are_what_python_splits_into() {
        assert_eq!(chunks("\u{fdd0}a b\u{fdd0}\u{fdd0}c").collect::<Vec<_>>(), [(3, "a"), (5, "b"), (12, "c")]);
        let text = " a\u{1f}bé\u{3000}\u{85}c\u{200b}d ";
        let pieces: Vec<_> = chunks(text).collect();
        assert_eq!(pieces, [(1, "a"), (3, "bé"), (11, "c\u{200b}d")]);
    }
}
