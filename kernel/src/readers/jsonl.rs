//! One JSON object a line.
//!
//! Most lines hold strings and plain values, and `plain.rs` reads them. Of all others serde_json walks through the object,
//! checks it, and points at the values of the columns that are wanted; all else is skipped, not built. Strings without a
//! backslash stay where they are, others are unescaped in one go.

mod plain;

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Kind, RowBuilder, Use, not_utf8};
use crate::text;

const REPLACEMENT: char = '\u{fffd}';

/// A line with nothing on it is no row.
pub fn read(names: &[String], raw: Range<usize>, line: u64, builder: &mut RowBuilder) {
    let block = builder.block;
    let Ok(text) = std::str::from_utf8(&block[raw.clone()]) else {
        return builder.bad(line, not_utf8(&block[raw]).expect("it was looked at"));
    };
    if plain::read(names, text, raw.start, builder) {
        return builder.finish(raw, line);
    }
    if !text.bytes().all(|byte| byte.is_ascii_whitespace()) {
        read_with_serde(names, text, raw, line, builder);
    }
}

fn read_with_serde(names: &[String], text: &str, raw: Range<usize>, line: u64, builder: &mut RowBuilder) {
    let mut json = serde_json::Deserializer::from_str(text);
    match json.deserialize_map(Row { names, builder }).and_then(|()| json.end()) {
        Ok(()) => builder.finish(raw, line),
        Err(error) => builder.bad(line, reason(&error)),
    }
}

/// serde_json's own words, without a line that is always the first.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    if error.is_data() { what.to_string() } else { format!("not JSON at column {}: {what}", error.column()) }
}

struct Row<'r, 'f, 'a> {
    names: &'r [String],
    builder: &'f mut RowBuilder<'a>,
}

impl<'de> Visitor<'de> for Row<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(column) = map.next_key_seed(Name(self.names))? {
            match column {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some(column) => keep(column, map.next_value::<&RawValue>()?.get(), self.builder),
            }
        }
        Ok(())
    }
}

/// Which of the columns a key names. As bytes: half a character in a key is no reason to refuse a row.
struct Name<'r>(&'r [String]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a name")
    }

    /// A key without escapes, as it stands in the file. serde_json leaves it to whoever asks for bytes to look at them.
    fn visit_borrowed_bytes<E: Error>(self, key: &'de [u8]) -> Result<Self::Value, E> {
        match key.iter().find(|byte| **byte < b' ') {
            Some(byte) => Err(E::custom(format!("a name has the control character 0x{byte:02x} in it"))),
            None => self.visit_bytes(key),
        }
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name.as_bytes() == key))
    }
}

/// A value that serde_json has found to be sound; it lies in the block. The last of equal names counts.
fn keep(column: usize, json: &str, builder: &mut RowBuilder) {
    let start = json.as_ptr() as usize - builder.block.as_ptr() as usize;
    let range = start..start + json.len();
    match json.as_bytes()[0] {
        b'"' => {
            let inner = &json[1..json.len() - 1];
            keep_string(column, inner, range.start + 1, memchr::memchr(b'\\', inner.as_bytes()), builder);
        }
        b'n' => builder.cells[column] = Default::default(),
        b't' | b'f' => builder.within(column, range, Kind::Truth),
        b'[' if builder.uses[column] == Use::Text && keep_tokens(column, json, builder) => (),
        b'[' | b'{' => builder.within(column, range, Kind::Nested),
        _ if json.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => builder.within(column, range, Kind::Float),
        _ => builder.within(column, range, Kind::Integer),
    }
}

/// A string that lies at `start`, and where its first backslash is; its escapes are sound.
fn keep_string(column: usize, inner: &str, start: usize, escape: Option<usize>, builder: &mut RowBuilder) {
    match escape {
        None => builder.within(column, start..start + inner.len(), Kind::Text),
        Some(first) => builder.made(column, Kind::Text, |bytes| unescape(inner, first, bytes)),
    }
}

/// Makes a document of an array of strings, each a token: white space inside one becomes `_`, and one of white space alone is
/// none. False for any other array.
fn keep_tokens(column: usize, json: &str, builder: &mut RowBuilder) -> bool {
    let Ok(tokens) = serde_json::from_str::<Vec<&RawValue>>(json) else { return false };
    if !tokens.iter().all(|token| token.get().starts_with('"')) {
        return false;
    }
    let mut text = vec![];
    builder.made(column, Kind::Tokens, |document| {
        write_mark(document);
        let mut is_first = true;
        for token in tokens {
            let inner = &token.get()[1..token.get().len() - 1];
            text.clear();
            match memchr::memchr(b'\\', inner.as_bytes()) {
                None => text.extend_from_slice(inner.as_bytes()),
                Some(first) => unescape(inner, first, &mut text),
            }
            let token = std::str::from_utf8(&text).expect("JSON is UTF-8, and so is what is unescaped");
            for (number, part) in token.split(is_space).filter(|part| !part.is_empty()).enumerate() {
                match (number, is_first) {
                    (0, true) => is_first = false,
                    (0, false) => write_mark(document),
                    _ => document.push(b'_'),
                }
                document.extend_from_slice(part.replace(text::MARK, "\u{fffd}").as_bytes());
            }
        }
    });
    true
}

fn write_mark(document: &mut Vec<u8>) {
    document.extend_from_slice(text::MARK.encode_utf8(&mut [0; 4]).as_bytes());
}

/// White space as Python's `str.split` has it.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// The text of a string whose first backslash is at `next`, and whose escapes are sound. A lone surrogate, which UTF-8 has no
/// form for, becomes U+FFFD, as it does in a `str` of Python's.
fn unescape(mut string: &str, mut next: usize, text: &mut Vec<u8>) {
    text.reserve(string.len());
    loop {
        text.extend_from_slice(&string.as_bytes()[..next]);
        let (character, length) = match string.as_bytes()[next + 1] {
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'n' => ('\n', 2),
            b'r' => ('\r', 2),
            b't' => ('\t', 2),
            b'u' => unicode(&string[next..]),
            other => (char::from(other), 2), // a quote, a slash, a backslash
        };
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        string = &string[next + length..];
        let Some(at) = memchr::memchr(b'\\', string.as_bytes()) else { break };
        next = at;
    }
    text.extend_from_slice(string.as_bytes());
}

/// The character of `\uXXXX`, or of two of these, and how many bytes they take.
fn unicode(escapes: &str) -> (char, usize) {
    let code = |at: usize| {
        let escape = escapes.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(escape, 16).ok()
    };
    let first = code(0).expect("it was checked");
    if let (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) = (first, code(6)) {
        let whole = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return (char::from_u32(whole).expect("every pair is a character"), 12);
    }
    (char::from_u32(first).unwrap_or(REPLACEMENT), 6)
}
