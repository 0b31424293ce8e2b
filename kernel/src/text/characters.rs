//! Character n-grams inside words, as scikit-learn's `char_wb` counts them.
//!
//! Each piece of text between white space gets a space on either side; its n-grams are the
//! windows of n characters, for each n in turn. A padded word no longer than n is counted once,
//! whole, and no larger n is tried. The n-grams are spans of the padded word: they overlap in memory as they do in the word.

use super::Tokens;
use super::classes::chunks;
use super::lowercase::{Origins, push_lowercase};
use super::writer::Places;

/// A longer word is taken in stretches of so many characters, each with its n-grams of every length. Then what is kept of the
/// n-grams at a time stays in bounds, however long the word.
const STRETCH: usize = 1 << 12;
/// So many n-grams are handed over together.
const PIECE: usize = 1 << 15;

/// Appends the n-grams of `text` for n in `range`, both ends included. `take` is called whenever there are many, and may
/// take them out.
pub(super) fn scan<P: Places>(
    text: &str,
    range: (u8, u8),
    lowercase: bool,
    out: &mut Tokens,
    places: &mut P,
    take: &mut dyn FnMut(&mut Tokens),
) {
    let (mut padded, mut edges) = (Vec::new(), Vec::new());
    for (start, word) in chunks(text) {
        padded.clear();
        padded.push(b' ');
        if lowercase {
            push_lowercase(word, &mut padded);
        } else {
            padded.extend_from_slice(word.as_bytes());
        }
        padded.push(b' ');
        edges.clear();
        edges.extend((0..padded.len()).filter(|at| padded[*at] & 0xc0 != 0x80));
        edges.push(padded.len());

        let origins = P::WANTED.then(|| Origins::new(word, lowercase));
        let inside = padded.len() - 2;
        let length = edges.len() - 1;
        for first in (0..length).step_by(STRETCH) {
            let (last, end) = ((first + STRETCH).min(length), (first + STRETCH + usize::from(range.1)).min(length));
            // The stretch is written once, and its n-grams are spans of it.
            let begin = out.bytes.len();
            out.bytes.extend_from_slice(&padded[edges[first]..edges[end]]);
            let mut push = |from: usize, to: usize| {
                out.mark(begin + from - edges[first], begin + to - edges[first]);
                if let Some(origins) = &origins {
                    // The padding is nowhere in the text: it shrinks to the edge of the word.
                    let clamp = |at: usize| at.saturating_sub(1).min(inside);
                    let (first, last) = origins.place(clamp(from), clamp(to));
                    places.push(start + first, start + last);
                }
            };
            for n in usize::from(range.0)..=usize::from(range.1) {
                if length <= n {
                    push(0, edges[length]);
                    break;
                }
                for at in first..last.min(length - n + 1) {
                    push(edges[at], edges[at + n]);
                }
            }
            if out.spans.len() >= PIECE {
                take(out);
            }
        }
    }
}

/// A chunk of text between white space, by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub start: usize,
    pub end: usize,
    pub n_grams: usize,
}

/// The chunks of `text`, and how many n-grams [`scan`] finds in each; without a range none.
pub(super) fn chunks_of(text: &str, range: Option<(u8, u8)>, lowercase: bool) -> Vec<Chunk> {
    let mut padded = Vec::new();
    let mut length = |word: &str| {
        if word.is_ascii() || !lowercase {
            return word.chars().count() + 2;
        }
        padded.clear();
        push_lowercase(word, &mut padded);
        padded.iter().filter(|byte| **byte & 0xc0 != 0x80).count() + 2
    };
    let chunk = |(start, word): (usize, &str)| {
        let n_grams = range.map_or(0, |(least, most)| {
            let length = length(word);
            // A word no longer than n is one n-gram, and no larger n is tried.
            let most = usize::from(most).min(length.max(least.into()));
            (usize::from(least)..=most).map(|n| length.saturating_sub(n) + 1).sum()
        });
        Chunk { start, end: start + word.len(), n_grams }
    };
    chunks(text).map(chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(text: &str, range: (u8, u8)) -> Vec<(String, usize, usize)> {
        let (mut out, mut places) = (Tokens::default(), Vec::new());
        scan(text, range, true, &mut out, &mut places, &mut |_| {});
        let text = |i| String::from_utf8_lossy(out.get(i)).into_owned();
        places.iter().enumerate().map(|(i, (start, end))| (text(i), *start, *end)).collect()
    }

    fn names(text: &str, range: (u8, u8)) -> Vec<String> {
        grams(text, range).into_iter().map(|(name, ..)| name).collect()
    }

    #[test]
    fn chunks_have_as_many_n_grams_as_there_are() {
        let long = "x".repeat(STRETCH + 9);
        for text in ["", "a bc  def\tghijklm", "İb straßE ΣΣ", &long] {
            for range in [(1, 1), (2, 5), (4, 9)] {
                let n = chunks_of(text, Some(range), true).iter().map(|chunk| chunk.n_grams).sum::<usize>();
                assert_eq!(n, names(text, range).len(), "{text} {range:?}");
            }
            assert!(chunks_of(text, None, true).iter().all(|chunk| chunk.n_grams == 0));
        }
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
    fn a_very_long_word_has_the_same_grams_as_a_short_one_and_they_come_in_pieces() {
        let characters = (0..3 * STRETCH as u32 / 2).filter_map(|n| char::from_u32(97 + n * n % 400));
        let word: String = characters.filter(|character| !character.is_whitespace()).collect();
        let text = format!("{word} and {word}");
        let windows = |word: &str| {
            let padded: Vec<char> = format!(" {} ", word.to_lowercase()).chars().collect();
            let grams = (2..=3).flat_map(|n| padded.windows(n).map(String::from_iter).collect::<Vec<String>>());
            grams.collect::<Vec<String>>()
        };
        let mut expected = [windows(&word), windows("and"), windows(&word)].concat();
        let (mut found, mut pieces, mut out) = (names(&text, (2, 3)), vec![], Tokens::default());
        scan(&text.repeat(9), (2, 3), true, &mut out, &mut (), &mut |tokens| {
            pieces.push(tokens.len());
            tokens.clear();
        });
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
        assert!(pieces.len() > 2 && pieces.iter().all(|n| *n < PIECE + 2 * STRETCH));
    }

    #[test]
    fn places_are_those_of_the_characters_without_the_padding() {
        let expected = [(" i", 0, 2), ("i\u{307}", 0, 2), ("\u{307}b", 0, 3), ("b ", 2, 3)];
        assert_eq!(grams("İb", (2, 2)), expected.map(|(name, start, end)| (name.into(), start, end)));
        let expected = [(" ", 1, 1), ("a", 1, 2), (" ", 2, 2)];
        assert_eq!(grams(" a", (1, 1)), expected.map(|(name, start, end)| (name.into(), start, end)));
    }
}
