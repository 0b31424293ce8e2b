//! From a piece of text to a token: lower case, negation, stop words, stem, keywords.
//!
//! The scanners find the pieces, the writer decides what becomes of them. It first copies the
//! text, most letters in lower case, to the end of `Tokens::bytes`: most words are tokens right
//! there, and cost no more than their span. Only what is spelled in another way is written
//! behind the copy. Where the places are wanted they are kept beside the tokens, by the same
//! code, so that both kinds of caller get the same tokens.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use super::lowercase::{push_character, push_lowercase, push_lowercase_character};
use super::recognisers::Thing;
use super::{Analyzer, Tokens, Treatment};
use crate::processor::{Plan, plain_spans};

/// Takes the place of each token, in bytes of the text.
pub(super) trait Places {
    const WANTED: bool;
    fn push(&mut self, start: usize, end: usize);
}

impl Places for () {
    const WANTED: bool = false;
    fn push(&mut self, _: usize, _: usize) {}
}

impl Places for Vec<(usize, usize)> {
    const WANTED: bool = true;
    fn push(&mut self, start: usize, end: usize) {
        self.push((start, end));
    }
}

/// Shared with whoever takes the places out.
impl Places for &RefCell<Vec<(usize, usize)>> {
    const WANTED: bool = true;
    fn push(&mut self, start: usize, end: usize) {
        self.borrow_mut().push((start, end));
    }
}

const NEGATION: &[u8] = b"not_";

#[rustfmt::skip]
const NEGATORS: &[&str] = &[
    "not", "no", "never", "neither", "nor", "none", "nobody", "nothing", "nowhere", "hardly", "cannot", "without",
];

/// Writes the tokens of one document.
pub(super) struct Writer<'a, P> {
    analyzer: &'a Analyzer,
    out: &'a mut Tokens,
    places: &'a mut P,
    /// Where in the bytes the copy of the text starts.
    copy: usize,
    is_negated: bool,
}

impl<'a, P: Places> Writer<'a, P> {
    pub(super) fn new(analyzer: &'a Analyzer, out: &'a mut Tokens, places: &'a mut P) -> Self {
        let copy = out.bytes.len();
        Writer { analyzer, out, places, copy, is_negated: false }
    }

    /// Memory for a scanner, which is used again.
    pub(super) fn take_plans(&mut self) -> Vec<Plan> {
        std::mem::take(&mut self.out.plans)
    }

    pub(super) fn keep_plans(&mut self, plans: Vec<Plan>) {
        self.out.plans = plans;
    }

    /// Where the copy of the text is to be appended, which `copied_word` relies on.
    pub(super) fn place_for_copy(&mut self) -> &mut Vec<u8> {
        self.copy = self.out.bytes.len();
        &mut self.out.bytes
    }

    /// Copies the text, letter by letter in lower case where this changes no place in it.
    #[cfg(test)]
    pub(super) fn copy(&mut self, text: &str) {
        let lowercase = self.analyzer.settings.lowercase;
        let copy = self.place_for_copy();
        for character in text.chars() {
            let mut lowered = character.to_lowercase();
            match (lowered.next(), lowered.next()) {
                (Some(lowered), None) if lowercase && lowered.len_utf8() == character.len_utf8() => {
                    push_character(lowered, copy);
                }
                _ => push_character(character, copy),
            }
        }
    }

    /// The word at `start..end` of the copied text, where it is spelled as tokens are.
    #[inline]
    pub(super) fn copied_word(&mut self, start: usize, end: usize) {
        self.finish_word(self.copy + start..self.copy + end, start, end);
    }

    /// Whether words of the copied text are tokens as they are, and nobody asks for their places.
    pub(super) fn takes_spans(&self) -> bool {
        self.analyzer.is_plain && !P::WANTED
    }

    /// The plain words of the copied text from `at` on, for a writer that [takes spans](Self::takes_spans). Returns where the next piece
    /// starts that takes a closer look; None at the end.
    pub(super) fn plain_words(&mut self, plans: &[Plan], at: usize) -> Option<usize> {
        plain_spans(plans, at, self.copy, &mut self.out.spans)
    }

    /// A word as it stands in the text: apostrophes and hyphens become the plain ones, soft
    /// hyphens go.
    pub(super) fn word(&mut self, word: &str, start: usize) {
        let begin = self.out.bytes.len();
        push_word(word, self.analyzer.settings.lowercase, &mut self.out.bytes);
        self.finish_word(begin..self.out.bytes.len(), start, start + word.len());
    }

    /// A word that is in lower case already, if it should be.
    #[inline]
    pub(super) fn finished_word(&mut self, word: &[u8], start: usize, end: usize) {
        let begin = self.out.bytes.len();
        self.out.bytes.extend_from_slice(word);
        self.finish_word(begin..self.out.bytes.len(), start, end);
    }

    /// A token that is no word: an emoticon, a hashtag, an address that is kept.
    pub(super) fn other(&mut self, text: &str, start: usize) {
        let begin = self.out.bytes.len();
        if self.analyzer.settings.lowercase {
            push_lowercase(text, &mut self.out.bytes);
        } else {
            self.out.bytes.extend_from_slice(text.as_bytes());
        }
        self.finish(begin, start, start + text.len());
    }

    /// A token that stands for something else in the text: a placeholder, a shortened run.
    pub(super) fn replacement(&mut self, token: &str, start: usize, end: usize) {
        let begin = self.out.bytes.len();
        self.out.bytes.extend_from_slice(token.as_bytes());
        self.finish(begin, start, end);
    }

    /// An address, handle or tag, treated as the settings say.
    pub(super) fn thing(&mut self, thing: Thing, text: &str, start: usize) {
        match thing.treatment(&self.analyzer.settings) {
            Treatment::Keep => self.other(text, start),
            Treatment::Replace => self.replacement(thing.placeholder(), start, start + text.len()),
            Treatment::Remove | Treatment::Split => {}
        }
    }

    /// Punctuation that ends what a negation reaches.
    #[inline]
    pub(super) fn end_negation(&mut self) {
        self.is_negated = false;
    }

    pub(super) fn begin_negation(&mut self) {
        self.is_negated = self.analyzer.settings.negation;
    }

    #[inline(always)]
    fn finish_word(&mut self, word: Range<usize>, start: usize, end: usize) {
        let token = if self.analyzer.is_plain { Some(word) } else { self.judge_word(word) };
        if let Some(token) = token {
            self.out.mark(token.start, token.end);
            self.places.push(start, end);
        }
    }

    fn finish(&mut self, begin: usize, start: usize, end: usize) {
        let token = &self.out.bytes[begin..];
        if self.analyzer.is_stop_word(token) || !self.analyzer.is_keyword(token) {
            self.out.bytes.truncate(begin);
            return;
        }
        self.out.mark(begin, self.out.bytes.len());
        self.places.push(start, end);
    }

    /// Where in the bytes the token is that a word becomes, unless it is dropped.
    #[inline(never)]
    fn judge_word(&mut self, range: Range<usize>) -> Option<Range<usize>> {
        let analyzer = self.analyzer;
        let word = &self.out.bytes[range.clone()];
        let is_negated = self.is_negated && !word[0].is_ascii_digit();
        if analyzer.settings.negation && is_negator(word) {
            self.is_negated = true;
        }
        if is_shorter(word, analyzer.settings.min_length) || analyzer.is_stop_word(word) {
            return None;
        }
        let mut token = range;
        if let Some(stemmer) = &analyzer.stemmer {
            let word = str::from_utf8(word).expect("words are text");
            if let Cow::Owned(stem) = stemmer.stem(word)
                && !stem.is_empty()
            {
                token = self.append(stem.as_bytes());
            }
        }
        if is_negated {
            let begin = self.append(NEGATION).start;
            self.out.bytes.extend_from_within(token);
            token = begin..self.out.bytes.len();
        }
        analyzer.is_keyword(&self.out.bytes[token.clone()]).then_some(token)
    }

    fn append(&mut self, bytes: &[u8]) -> Range<usize> {
        let begin = self.out.bytes.len();
        self.out.bytes.extend_from_slice(bytes);
        begin..self.out.bytes.len()
    }
}

/// Appends a word in the spelling that tokens have.
pub(super) fn push_word(word: &str, lowercase: bool, out: &mut Vec<u8>) {
    let begin = out.len();
    for character in word.chars() {
        match character {
            '’' => out.push(b'\''),
            '‐' | '‑' => out.push(b'-'),
            '\u{ad}' => {}
            // Lower-cased alone, it would not know that it ends the word.
            'Σ' if lowercase => {
                out.truncate(begin);
                return push_word(&word.to_lowercase(), false, out);
            }
            _ if lowercase => push_lowercase_character(character, out),
            _ => push_character(character, out),
        }
    }
}

fn is_negator(word: &[u8]) -> bool {
    let contraction = word.len().checked_sub(3).map(|at| &word[at..]);
    let may_be = matches!(word[0] | 0x20, b'n' | b'h' | b'c' | b'w');
    contraction.is_some_and(|end| end.eq_ignore_ascii_case(b"n't"))
        || may_be && NEGATORS.iter().any(|negator| word.eq_ignore_ascii_case(negator.as_bytes()))
}

/// Whether a word has fewer than `length` characters.
fn is_shorter(word: &[u8], length: usize) -> bool {
    let starts_character = |byte: &&u8| **byte & 0xc0 != 0x80;
    word.len() < length || length > 1 && word.iter().filter(starts_character).count() < length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spelled_with_plain_signs() {
        let mut bytes = Vec::new();
        push_word("DON’T\u{ad}S co‑op ΟΔΟΣ", true, &mut bytes);
        assert_eq!(String::from_utf8_lossy(&bytes), "don'ts co-op οδος");
    }

    #[test]
    fn length_is_in_characters() {
        assert!(is_shorter("ß".as_bytes(), 2));
        assert!(!is_shorter("ßa".as_bytes(), 2));
        assert!(!is_shorter(b"a", 1));
        assert!(!is_shorter(b"a", 0));
    }

    #[test]
    fn contractions_negate() {
        assert!(is_negator(b"didn't") && is_negator(b"Not") && !is_negator(b"knot"));
    }
}
