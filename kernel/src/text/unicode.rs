//! The words of a text in any language: the scanner for `words = "unicode"`.
//!
//! One pass, one decision at the first byte of each token:
//!
//! 1. a web address, e-mail address, @handle or HTML tag, if their treatment is not to split;
//! 2. a #hashtag, with its sign unless punctuation is dropped;
//! 3. an emoticon or emoji;
//! 4. a word: a run of letters and the marks on them, of digits, or of both. Apostrophes and
//!    hyphens join letters to letters, `.` `,` `:` join digits to digits;
//! 5. punctuation, as far as it is wanted.
//!
//! Chinese and Japanese are written without spaces: each Chinese character is a word, and so is
//! each run of hiragana and of katakana. Runs of Thai, Lao or Khmer stay whole; there,
//! character n-grams do better. What is left (spaces, control characters) separates.

use std::ops::Range;

use super::classes::{
    ASCII, CURRENCY, Class, DIGIT, END, HAN, LETTER, LOUD, MARK, RESPELLED, SIGN, SPACE, UNDERSCORE, UNSPACED, WORD,
    characters, class, wide_class,
};
use super::emoticons::{emoji, emoticon};
use super::letters::{letters_end, may_start_address};
use super::recognisers::{Recognisers, Thing};
use super::writer::{Places, Writer};
use super::{Punctuation, Settings};
use crate::processor::{Plan, Planning, plan};

/// Hands the pieces of `text` to the writer, in order. Most are plain words, which a plan of the text finds 64 bytes at a time.
pub(super) fn scan<P: Places>(text: &str, settings: &Settings, writer: &mut Writer<P>) {
    let mut plans = writer.take_plans();
    let mut scanner = Scanner::new(text, settings, writer);
    let how = Planning { characters, lowercase: settings.lowercase, leave_quiet: scanner.is_quiet };
    plan(text, how, scanner.writer.place_for_copy(), &mut plans);
    let mut at = 0;
    while let Some(start) = scanner.plain_words(&plans, at) {
        at = scanner.piece(start);
        // A plan knows runs of letters from their beginning.
        while Plan::is_inside_run(&plans, at) {
            at = scanner.piece(at);
        }
    }
    scanner.writer.keep_plans(plans);
}

/// The same without a plan, piece by piece.
#[cfg(test)]
pub(super) fn scan_plainly<P: Places>(text: &str, settings: &Settings, writer: &mut Writer<P>) {
    writer.copy(text);
    let mut scanner = Scanner::new(text, settings, writer);
    let mut at = 0;
    while at < text.len() {
        at = scanner.piece(at);
    }
}

struct Scanner<'t, 'w, 'a, P> {
    text: &'t str,
    bytes: &'t [u8],
    settings: &'t Settings,
    recognisers: Recognisers<'t>,
    writer: &'w mut Writer<'a, P>,
    /// Whether most signs say nothing before white space.
    is_quiet: bool,
}

impl<'t, 'w, 'a, P: Places> Scanner<'t, 'w, 'a, P> {
    fn new(text: &'t str, settings: &'t Settings, writer: &'w mut Writer<'a, P>) -> Self {
        let recognisers = Recognisers::new(text, settings);
        let is_quiet = settings.punctuation != Punctuation::All && !settings.negation;
        Scanner { text, bytes: text.as_bytes(), settings, recognisers, writer, is_quiet }
    }

    /// Writes the plain words from `at` on. Returns where the next piece starts that takes a closer look; None at the end.
    #[inline]
    fn plain_words(&mut self, plans: &[Plan], at: usize) -> Option<usize> {
        if self.writer.takes_spans() {
            return self.writer.plain_words(plans, at);
        }
        self.plain_words_one_by_one(plans, at)
    }

    /// The same for a writer that looks at each of them.
    fn plain_words_one_by_one(&mut self, plans: &[Plan], at: usize) -> Option<usize> {
        let mut reached = u64::MAX << (at % 64);
        // Where the run of letters starts that comes from the block before.
        let mut open = None;
        for (block, plan) in plans.iter().enumerate().skip(at / 64) {
            let place = |bits: u64| 64 * block + bits.trailing_zeros() as usize;
            let letters = plan.letters & reached;
            let after_letters = letters << 1 | u64::from(open.is_some());
            let breaks = plan.breaks & after_letters;
            let mut starts = letters & !after_letters | breaks;
            let joined = plan.joined & after_letters;
            let stops = plan.others & reached | joined;
            // A word ends before the first stop or there, unless something joins it to more.
            let first_stop = stops & stops.wrapping_neg();
            let before_stop = first_stop.wrapping_sub(1);
            let mut ends = (after_letters & !letters | breaks) & (before_stop | first_stop & !joined);
            while ends != 0 {
                let start = open.take().unwrap_or_else(|| {
                    let start = place(starts);
                    starts &= starts.wrapping_sub(1);
                    start
                });
                self.writer.copied_word(start, place(ends));
                ends &= ends - 1;
            }
            if first_stop & joined != 0 {
                return open.or(Some(place(starts)));
            }
            if stops != 0 {
                return Some(place(stops));
            }
            if open.is_none() && letters >> 63 == 1 {
                open = Some(place(starts));
            }
            reached = u64::MAX;
        }
        None
    }

    // Each of the methods below takes the piece at `at` and returns where the next one starts.

    #[inline]
    fn piece(&mut self, at: usize) -> usize {
        let byte = self.bytes[at];
        match ASCII[byte as usize] {
            class if class & WORD != 0 => self.word(at),
            class if class & SIGN != 0 => self.sign(at, byte),
            _ if byte < 128 => at + 1,
            _ => self.beyond_ascii(at),
        }
    }

    #[inline]
    fn word(&mut self, at: usize) -> usize {
        let end = letters_end(self.bytes, at);
        let next = self.ascii_at(end);
        let is_face = self.bytes[at] | 0x20 == b'x';
        let is_end = next & END != 0 || self.bytes[end] == b'.' && self.ascii_at(end + 1) & END != 0;
        if is_end && end > at && !is_face && !may_start_address(self.bytes, at) {
            self.writer.copied_word(at, end);
            return end + usize::from(next & SPACE != 0) + 2 * usize::from(self.says_nothing(end, next));
        }
        self.any_word(at, end)
    }

    /// The class of the ASCII byte at `at`; the end of the text ends what is before it.
    #[inline]
    fn ascii_at(&self, at: usize) -> Class {
        self.bytes.get(at).map_or(END, |byte| ASCII[*byte as usize])
    }

    /// Whether what is at `at` is a sign, with white space after it, that makes no token.
    #[inline]
    fn says_nothing(&self, at: usize, kind: Class) -> bool {
        self.is_quiet & (kind & (SIGN | LOUD) == SIGN) & (self.ascii_at(at + 1) & SPACE != 0)
    }

    /// The word at `at` in full: what can be an address or a face, what is joined, all scripts. Up to `end` it is of ASCII letters.
    fn any_word(&mut self, at: usize, end: usize) -> usize {
        if let Some(end) = self.recognisers.url(at) {
            return self.thing(Thing::Url, at, end);
        }
        if let Some(end) = self.face(at) {
            return end;
        }
        let (mut end, mut kinds) = self.run(end, if end > at { LETTER } else { 0 });
        if matches!(self.bytes.get(end), Some(b'@' | b'.' | b'+' | b'-'))
            && let Some(end) = self.recognisers.email(at, end)
        {
            return self.thing(Thing::Email, at, end);
        }
        while let Some((further, more)) = self.joined(end, kinds) {
            (end, kinds) = (further, kinds | more);
        }
        let word = if kinds & UNDERSCORE == 0 { at..end } else { self.without_underscores(at, end) };
        if word.is_empty() {
            return end;
        }
        if kinds & RESPELLED == 0 {
            self.writer.copied_word(word.start, word.end);
        } else {
            self.writer.word(&self.text[word.clone()], word.start);
        }
        end
    }

    /// A word without the underscores around it, where no punctuation is wanted.
    fn without_underscores(&self, at: usize, end: usize) -> Range<usize> {
        if self.settings.punctuation != Punctuation::None {
            return at..end;
        }
        let word = self.text[at..end].trim_start_matches('_');
        let start = end - word.len();
        start..start + word.trim_end_matches('_').len()
    }

    /// The end of the run of word characters at `at`, and the classes seen in it, or before it.
    #[inline]
    fn run(&self, mut at: usize, before: Class) -> (usize, Class) {
        let mut kinds = before;
        while let Some(&byte) = self.bytes.get(at) {
            let mut kind = ASCII[byte as usize];
            let mut length = 1;
            if byte >= 128 {
                (kind, length) = wide_class(self.bytes, at);
                if kind & UNSPACED != 0 {
                    break;
                }
            }
            if kind & (WORD | MARK) == 0 {
                break;
            }
            kinds |= kind;
            at += length;
        }
        (at, kinds)
    }

    /// The run that a joiner at `end` ties to the run before it: letters to letters, digits to
    /// digits.
    #[inline]
    fn joined(&self, end: usize, kinds: Class) -> Option<(usize, Class)> {
        let is_letters = |kinds: Class| kinds & (DIGIT | UNDERSCORE) == 0;
        let is_digits = |kinds: Class| kinds & (LETTER | UNDERSCORE | MARK) == 0;
        let joiner = match self.bytes.get(end)? {
            b'\'' | b'-' if is_letters(kinds) => 1,
            b'.' | b',' | b':' if is_digits(kinds) => 1,
            0xe2 if is_letters(kinds) && self.text[end..].starts_with(['’', '‐', '‑']) => 3,
            _ => return None,
        };
        let start = end + joiner;
        let first = self.class_at(start);
        if first & (LETTER | DIGIT) == 0 {
            return None;
        }
        let (further, more) = self.run(start, 0);
        let is_same = if is_letters(kinds) { is_letters(more) } else { is_digits(more) };
        let joiner_kind = if joiner == 1 { 0 } else { RESPELLED };
        (further > start && is_same).then_some((further, more | joiner_kind))
    }

    /// A word in a script without spaces.
    fn unspaced(&mut self, at: usize, kind: Class) -> usize {
        let (mut shared, mut kinds) = (kind & UNSPACED & !HAN, kind);
        let mut end = at + wide_class(self.bytes, at).1;
        while let Some(&byte) = self.bytes.get(end)
            && byte >= 128
        {
            let (next, length) = wide_class(self.bytes, end);
            if next & (shared | MARK) == 0 {
                break;
            }
            if next & MARK == 0 {
                shared &= next;
            }
            kinds |= next;
            end += length;
        }
        if kinds & RESPELLED == 0 {
            self.writer.copied_word(at, end);
        } else {
            self.writer.word(&self.text[at..end], at);
        }
        end
    }

    fn sign(&mut self, at: usize, byte: u8) -> usize {
        if self.says_nothing(at, ASCII[byte as usize]) {
            return at + 2;
        }
        match byte {
            b'@' => {
                if let Some(end) = self.recognisers.handle(at) {
                    return self.thing(Thing::Handle, at, end);
                }
            }
            b'<' => {
                if let Some(end) = self.recognisers.tag(at) {
                    return self.thing(Thing::Tag, at, end);
                }
            }
            // Not in &#39;, which is an apostrophe in HTML.
            b'#' if self.class_at(at + 1) & WORD != 0 && !self.text[..at].ends_with('&') => {
                if self.settings.punctuation == Punctuation::None {
                    return at + 1;
                }
                let end = self.recognisers.skip(at + 1, |_| false);
                self.writer.other(&self.text[at..end], at);
                return end;
            }
            _ => {}
        }
        self.face(at).unwrap_or_else(|| self.punctuation(at, char::from(byte), ASCII[byte as usize]))
    }

    fn beyond_ascii(&mut self, at: usize) -> usize {
        let (kind, length) = wide_class(self.bytes, at);
        if kind & UNSPACED != 0 {
            self.unspaced(at, kind)
        } else if kind & WORD != 0 {
            self.any_word(at, at)
        } else if kind & SIGN != 0 {
            self.face(at).unwrap_or_else(|| self.punctuation(at, self.character(at), kind))
        } else {
            at + length
        }
    }

    /// The end of the emoticon or emoji at `at`, which is written if they are wanted and passed
    /// over if not: the `d` of `:d` is no word either way.
    #[inline]
    fn face(&mut self, at: usize) -> Option<usize> {
        let end = match self.bytes[at] {
            b':' | b';' | b'=' | b'8' | b'x' | b'X' | b'<' | b'>' | b'^' | b'-' | b'(' | b')' | b'[' | b']' => {
                emoticon(self.text, at, self.recognisers.is_after_word(at))
            }
            _ => None,
        };
        let may_be_emoji = || matches!(self.bytes[at], b'0'..=b'9' | b'#' | b'*' | 128..);
        let is_next_wide = || self.bytes.get(at + 1).is_some_and(|byte| *byte >= 128);
        let end = match end {
            None if may_be_emoji() && is_next_wide() => emoji(self.text, at),
            end => end,
        }?;
        if self.settings.emoticons {
            self.writer.other(&self.text[at..end], at);
        }
        Some(end)
    }

    fn punctuation(&mut self, at: usize, sign: char, kind: Class) -> usize {
        let single = at + sign.len_utf8();
        if ends_negation(sign) {
            self.writer.end_negation();
        }
        if self.settings.punctuation == Punctuation::None {
            return single;
        }
        let rest = &self.text[at..];
        if let Some(mark) = exclamation(sign) {
            let end = self.text.len() - rest.trim_start_matches(|c| exclamation(c).is_some()).len();
            let token = if end == single { &mark[..1] } else { mark };
            self.writer.replacement(token, at, end);
            return end;
        }
        if matches!(sign, '.' | '…') {
            let end = self.text.len() - rest.trim_start_matches(['.', '…']).len();
            if end > single || sign == '…' {
                self.writer.replacement("..", at, end);
                return end;
            }
        }
        if self.settings.punctuation == Punctuation::All || kind & CURRENCY != 0 || sign == '%' {
            self.writer.other(&self.text[at..single], at);
        }
        single
    }

    fn thing(&mut self, thing: Thing, at: usize, end: usize) -> usize {
        self.writer.thing(thing, &self.text[at..end], at);
        self.recognisers.after_apostrophe(end)
    }

    #[inline]
    fn character(&self, at: usize) -> char {
        self.text[at..].chars().next().expect("`at` is before the end")
    }

    fn class_at(&self, at: usize) -> Class {
        self.text[at..].chars().next().map_or(0, class)
    }
}

/// The doubled mark for a sign that exclaims or asks, in any script.
pub(super) fn exclamation(sign: char) -> Option<&'static str> {
    match sign {
        '!' | '！' => Some("!!"),
        '?' | '？' | '؟' => Some("??"),
        _ => None,
    }
}

/// Where the reach of a negation ends.
pub(super) fn ends_negation(sign: char) -> bool {
    matches!(sign, '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')' | '"' | '…' | '“' | '”' | '！' | '？')
}
