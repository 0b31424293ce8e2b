//! The words of `words = "python"`, 64 bytes at a time.
//!
//! Most text is ASCII, where one look at 64 bytes says which of them belong to words: the work left is one step for each
//! word, not for each byte. Runs that hold other characters are looked at again, character by character.

use super::Tokens;
use super::classes::{UPPER, WORD, class};
use super::lowercase::push_lowercase_character;
use crate::processor::word_bounds;

/// Appends the words of `text`, lower-cased, of `min_length` or more characters; false, and nothing is appended, where the
/// text needs a closer look: a Σ is lower-cased by what surrounds it.
pub(super) fn words(text: &str, min_length: usize, out: &mut Tokens) -> bool {
    let begin = out.bytes.len();
    out.bytes.extend_from_slice(text.as_bytes());
    // At least one byte that is no word closes the last word.
    out.bytes.resize(begin + (text.len() + 64) / 64 * 64, 0);
    let offset = u32::try_from(begin).ok().filter(|_| out.bytes.len() <= u32::MAX as usize);
    let offset = offset.expect("the tokens of a run of documents fit in 4 GiB");

    let first = out.spans.len();
    // A word and the byte that ends it are two bytes at the least; a block's bounds are written eight at a time.
    out.spans.resize(first + text.len() / 2 + 64, [0; 2]);
    let bounds = bytemuck::cast_slice_mut(&mut out.spans[first..]);
    let (n_bounds, is_wide) = word_bounds(&mut out.bytes[begin..], offset, bounds);
    out.spans.truncate(first + n_bounds / 2);
    if is_wide {
        if text.contains('Σ') {
            out.bytes.truncate(begin);
            out.spans.truncate(first);
            return false;
        }
        look_again(first, min_length, out);
        return true;
    }
    if min_length > 1 {
        let mut kept = first;
        for i in first..out.spans.len() {
            let span = out.spans[i];
            out.spans[kept] = span;
            kept += usize::from((span[1] - span[0]) as usize >= min_length);
        }
        out.spans.truncate(kept);
    }
    true
}

/// Takes the runs from `first` on apart where they hold characters that belong to no word, and puts the others into lower case.
fn look_again(first: usize, min_length: usize, out: &mut Tokens) {
    let runs = out.spans.split_off(first);
    for [start, end] in runs {
        let run = &out.bytes[start as usize..end as usize];
        if run.is_ascii() {
            if run.len() >= min_length {
                out.spans.push([start, end]);
            }
            continue;
        }
        let run = std::str::from_utf8(run).expect("runs begin and end between characters");
        let mut length = 0;
        let is_word = run.chars().all(|character| {
            length += 1;
            class(character) & WORD != 0 && class(character) & UPPER == 0
        });
        if is_word {
            if length >= min_length {
                out.spans.push([start, end]);
            }
            continue;
        }
        let run = run.to_owned();
        let mut lowered = Vec::with_capacity(run.len() + 8);
        run.chars().for_each(|character| push_lowercase_character(character, &mut lowered));
        let lowered = std::str::from_utf8(&lowered).expect("lower case is text");
        for word in lowered.split(|character| class(character) & WORD == 0) {
            if !word.is_empty() && (min_length <= 1 || word.chars().count() >= min_length) {
                out.push(word.as_bytes());
            }
        }
    }
}
