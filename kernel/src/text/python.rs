//! The words that Python's `re.findall(r"\w+", text.lower())` finds: `words = "python"`.
//!
//! The text is taken apart at white space first, which changes nothing (see `lowercase`) and
//! keeps the way back to the places short.

use super::classes::{WORD, chunks, class};
use super::lowercase::{Origins, push_lowercase};
use super::recognisers::{Recognisers, Thing};
use super::unicode::ends_negation;
use super::writer::{Places, Writer};
use super::{Settings, Treatment};

/// Hands the words of `text` to the writer, in order.
pub(super) fn scan<P: Places>(text: &str, settings: &Settings, writer: &mut Writer<P>) {
    if Thing::ALL.iter().all(|thing| thing.treatment(settings) == Treatment::Split) {
        return words(text, 0, settings, writer);
    }
    let mut recognisers = Recognisers::new(text, settings);
    let (mut done, mut at) = (0, 0);
    while let Some(character) = text[at..].chars().next() {
        if let Some((thing, end)) = recognisers.thing(at) {
            words(&text[done..at], done, settings, writer);
            writer.thing(thing, &text[at..end], at);
            at = recognisers.after_apostrophe(end);
            done = at;
        } else if class(character) & WORD != 0 {
            at = recognisers.skip(at, |_| false);
        } else {
            at += character.len_utf8();
        }
    }
    words(&text[done..], done, settings, writer);
}

/// The words of a part of the text that starts at byte `offset`.
fn words<P: Places>(text: &str, offset: usize, settings: &Settings, writer: &mut Writer<P>) {
    let mut bytes = Vec::new();
    for (start, chunk) in chunks(text) {
        bytes.clear();
        if settings.lowercase {
            push_lowercase(chunk, &mut bytes);
        } else {
            bytes.extend_from_slice(chunk.as_bytes());
        }
        let lowered = std::str::from_utf8(&bytes).expect("lower case is text");
        let origins = P::WANTED.then(|| Origins::new(chunk, settings.lowercase));
        let mut at = 0;
        while let Some(character) = lowered[at..].chars().next() {
            if class(character) & WORD == 0 {
                if ends_negation(character) {
                    writer.end_negation();
                }
                at += character.len_utf8();
                continue;
            }
            let rest = &lowered[at..];
            let end = at + rest.find(|c| class(c) & WORD == 0).unwrap_or(rest.len());
            let (from, to) = origins.as_ref().map_or((0, 0), |origins| origins.place(at, end));
            let base = offset + start;
            writer.finished_word(&bytes[at..end], base + from, base + to);
            if end - at == 1 && is_contraction(&lowered[..end]) {
                writer.begin_negation();
            }
            at = end;
        }
    }
}

/// Whether the text ends in n't, of which the t is a word here.
fn is_contraction(text: &str) -> bool {
    let stem = text.strip_suffix(['t', 'T']).and_then(|rest| rest.strip_suffix(['\'', '’']));
    stem.is_some_and(|stem| stem.ends_with(['n', 'N']))
}
