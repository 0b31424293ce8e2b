//! Documents that are already tokens.
//!
//! Every document is a `str` inside the kernel. One that came as tokens is a `str` too, in which the noncharacter U+FDD0, which
//! Unicode reserves for the inside of programs, stands before each token. A text from outside that begins with it has it
//! replaced where it comes in (`python/input.rs`), so no text can pass for tokens.
//!
//! Tokens are words as they are: whatever finds words in a text (addresses, tags, punctuation, emoticons) has no say.
//! Whatever is done with a word is done with them: lower case, negation, stop words, length, stem, keywords, n-grams.

use super::classes::{WORD, class};
use super::unicode::ends_negation;
use super::writer::{Places, Writer};

/// Stands before each token.
pub const MARK: char = '\u{fdd0}';

/// Whether a document came as tokens.
#[inline]
pub fn is_given(text: &str) -> bool {
    text.as_bytes().starts_with("\u{fdd0}".as_bytes())
}

/// The tokens of a document that came as tokens, each with its place in bytes; of a text, all of it.
///
/// ```
/// use banbury_kernel::text::pieces;
///
/// assert_eq!(pieces("\u{fdd0}ice\u{fdd0}cream").collect::<Vec<_>>(), [(3, "ice"), (9, "cream")]);
/// assert_eq!(pieces("ice cream").collect::<Vec<_>>(), [(0, "ice cream")]);
/// ```
pub fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_given = is_given(text);
    let mut rest = Some(if is_given { &text[MARK.len_utf8()..] } else { text });
    std::iter::from_fn(move || {
        let here = rest?;
        let start = text.len() - here.len();
        let (piece, after) = match here.split_once(MARK).filter(|_| is_given) {
            Some((piece, after)) => (piece, Some(after)),
            None => (here, None),
        };
        rest = after;
        Some((start, piece))
    })
}

/// Hands the tokens to the writer, in order.
pub(super) fn scan<P: Places>(text: &str, writer: &mut Writer<P>) {
    for (start, token) in pieces(text) {
        // An empty token, or one of nothing but soft hyphens, has nothing to count.
        if token.chars().all(|character| character == '\u{ad}') {
            continue;
        }
        let is_word = token.chars().any(|character| class(character) & WORD != 0);
        if is_word {
            writer.word(token, start);
            continue;
        }
        if token.starts_with(ends_negation) {
            writer.end_negation();
        }
        writer.other(token, start);
    }
}
