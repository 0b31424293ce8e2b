//! The words of `words = "python"`, 64 bytes at a time.
//!
//! Most text is ASCII, where one look at 64 bytes says which of them belong to words: the work left is one step for each
//! word, not for each byte. Runs that hold other characters are looked at again, character by character.

use super::Tokens;
use super::classes::{Classes, UPPER, WORD, class};
use super::lowercase::push_lowercase_character;
use crate::processor::{Runs, word_bounds};

/// Appends the words of `text`, lower-cased, of `min_length` or more characters; false, and nothing is appended, where the
/// text needs a closer look: a Σ is lower-cased by what surrounds it.
pub(super) fn words(text: &str, min_length: usize, out: &mut Tokens) -> bool {
    let (begin, n_spans) = (out.bytes.len(), out.spans.len());
    let runs = Runs { lower: &mut out.bytes, skip_single: min_length > 1, spans: &mut out.spans };
    let is_wide = word_bounds(text.as_bytes(), runs);
    if is_wide {
        // What a Σ becomes depends on its neighbours, beyond the run it is in.
        if text.contains('Σ') {
            out.bytes.truncate(begin);
            out.spans.truncate(n_spans);
            return false;
        }
        let wide = next_wide(text, begin, begin);
        let first = n_spans + out.spans[n_spans..].partition_point(|&[_, end]| end as usize <= wide);
        let runs = out.spans.split_off(first);
        keep_long(min_length, n_spans, out);
        look_again(text, begin, wide, &runs, min_length, out);
    } else {
        keep_long(min_length, n_spans, out);
    }
    true
}

/// Takes words of fewer than `min_length` bytes out, from the one of this number on. Those of one have been left out already.
fn keep_long(min_length: usize, from: usize, out: &mut Tokens) {
    if min_length > 2 {
        let mut n_kept = from;
        for at in from..out.spans.len() {
            let [start, end] = out.spans[at];
            out.spans[n_kept] = [start, end];
            n_kept += usize::from((end - start) as usize >= min_length);
        }
        out.spans.truncate(n_kept);
    }
}

/// Takes those runs apart that hold characters which belong to no word, and puts the other characters into lower case. The first
/// byte that is not ASCII is at `wide`.
fn look_again(text: &str, begin: usize, mut wide: usize, runs: &[[u32; 2]], min_length: usize, out: &mut Tokens) {
    let mut classes = Classes::new();
    let mut at = 0;
    while at < runs.len() {
        // Most runs are ASCII, and in lower case in `out` already.
        let n_plain = runs[at..].iter().take_while(|[_, end]| *end as usize <= wide).count();
        let n_spans = out.spans.len();
        out.spans.extend_from_slice(&runs[at..at + n_plain]);
        keep_long(min_length, n_spans, out);
        at += n_plain;
        let Some(&[start, end]) = runs.get(at) else { break };
        let run = &text[start as usize - begin..end as usize - begin];
        if !push_spans(run, start, min_length, &mut classes, out) {
            push_words(run, min_length, out);
        }
        wide = next_wide(text, begin, end as usize);
        at += 1;
    }
}

/// Appends the words of a run that starts in `out` at `start`, where they are in lower case; false, and nothing is appended, where they
/// are not.
fn push_spans(run: &str, start: u32, min_length: usize, classes: &mut Classes, out: &mut Tokens) -> bool {
    let n_spans = out.spans.len();
    let (mut word, mut length) = (0, 0);
    for (at, character) in run.char_indices() {
        let class = classes.of(character);
        if class & UPPER != 0 && !character.is_ascii() {
            out.spans.truncate(n_spans);
            return false;
        }
        if class & WORD != 0 {
            length += 1;
            continue;
        }
        if length >= min_length.max(1) {
            out.spans.push([start + word as u32, start + at as u32]);
        }
        (word, length) = (at + character.len_utf8(), 0);
    }
    if length >= min_length.max(1) {
        out.spans.push([start + word as u32, start + run.len() as u32]);
    }
    true
}

/// Appends the words of a run, in lower case.
fn push_words(run: &str, min_length: usize, out: &mut Tokens) {
    let mut lowered = Vec::with_capacity(run.len() + 8);
    run.chars().for_each(|character| push_lowercase_character(character, &mut lowered));
    let lowered = std::str::from_utf8(&lowered).expect("lower case is text");
    for word in lowered.split(|character| class(character) & WORD == 0) {
        if !word.is_empty() && (min_length <= 1 || word.chars().count() >= min_length) {
            out.push(word.as_bytes());
        }
    }
}

/// Where the next byte that is not ASCII stands, from `from` on; places are those of the text plus `begin`.
fn next_wide(text: &str, begin: usize, from: usize) -> usize {
    let rest = text.as_bytes().get(from - begin..).unwrap_or_default();
    let mut at = from;
    for block in rest.chunks(64) {
        if !block.is_ascii() {
            return at + block.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
        }
        at += block.len();
    }
    usize::MAX
}
