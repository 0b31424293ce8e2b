//! Character n-grams inside words, as scikit-learn's `char_wb` counts them.
//!
//! Each piece of text between white space gets a space on either side; its n-grams are the
//! windows of n characters, for each n in turn. A padded word no longer than n is counted once,
//! whole, and no larger n is tried. The padded word is written once and the n-grams are spans of
//! it: they overlap in memory as they do in the word.

use super::Tokens;
use super::classes::chunks;
use super::lowercase::{Origins, push_lowercase};
use super::writer::Places;

/// Appends the n-grams of `text` for n in `range`, both ends included.
pub(super) fn scan<P: Places>(text: &str, range: (u8, u8), lowercase: bool, out: &mut Tokens, places: &mut P) {
    let mut edges = Vec::new();
    for (start, word) in chunks(text) {
        let begin = out.bytes.len();
        out.bytes.push(b' ');
        if lowercase {
            push_lowercase(word, &mut out.bytes);
        } else {
            out.bytes.extend_from_slice(word.as_bytes());
        }
        out.bytes.push(b' ');
        let padded = &out.bytes[begin..];
        edges.clear();
        edges.extend((0..padded.len()).filter(|at| padded[*at] & 0xc0 != 0x80));
        edges.push(padded.len());

        let origins = P::WANTED.then(|| Origins::new(word, lowercase));
        let inside = out.bytes.len() - begin - 2;
        let mut push = |from: usize, to: usize| {
            out.mark(begin + from, begin + to);
            if let Some(origins) = &origins {
                // The padding is nowhere in the text: it shrinks to the edge of the word.
                let clamp = |at: usize| at.saturating_sub(1).min(inside);
                let (first, last) = origins.place(clamp(from), clamp(to));
                places.push(start + first, start + last);
            }
        };
        let length = edges.len() - 1;
        for n in usize::from(range.0)..=usize::from(range.1) {
            if length <= n {
                push(0, edges[length]);
                break;
            }
            for at in 0..=length - n {
                push(edges[at], edges[at + n]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(text: &str, range: (u8, u8)) -> Vec<(String, usize, usize)> {
        let (mut out, mut places) = (Tokens::default(), Vec::new());
        scan(text, range, true, &mut out, &mut places);
        let text = |i| String::from_utf8_lossy(out.get(i)).into_owned();
        places.iter().enumerate().map(|(i, (start, end))| (text(i), *start, *end)).collect()
    }

    fn names(text: &str, range: (u8, u8)) -> Vec<String> {
        grams(text, range).into_iter().map(|(name, ..)| name).collect()
    }

    #[test]
    fn windows_of_each_length_in_turn() {
        assert_eq!(names("Ab c", (2, 3)), [" a", "ab", "b ", " ab", "ab ", " c", "c ", " c "]);
    }

    #[test]
    fn a_short_word_is_counted_once_whole() {
        assert_eq!(names("a bc", (3, 5)), [" a ", " bc", "bc ", " bc "]);
        assert_eq!(names("a", (5, 9)), [" a "]);
        assert!(names(" \t\u{1f}", (1, 2)).is_empty());
    }

    #[test]
    fn places_are_those_of_the_characters_without_the_padding() {
        let expected = [(" i", 0, 2), ("i\u{307}", 0, 2), ("\u{307}b", 0, 3), ("b ", 2, 3)];
        assert_eq!(grams("İb", (2, 2)), expected.map(|(name, start, end)| (name.into(), start, end)));
        let expected = [(" ", 1, 1), ("a", 1, 2), (" ", 2, 2)];
        assert_eq!(grams(" a", (1, 1)), expected.map(|(name, start, end)| (name.into(), start, end)));
    }
}
