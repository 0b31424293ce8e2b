//! One JSON object a line.
//!
//! serde_json walks through the object and stops at the columns that are wanted; all else is skipped, not built.

use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Found, Kind, Use, not_utf8};

/// A line with nothing on it is no row.
pub fn read(names: &[String], raw: Range<usize>, line: u64, found: &mut Found) {
    let block = found.block;
    let bytes = &block[raw.clone()];
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return;
    }
    if let Some(reason) = not_utf8(bytes) {
        return found.bad(line, reason);
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = json.deserialize_map(Row { names, found }).and_then(|()| json.end());
    match read {
        Ok(()) => found.finish(raw, line),
        Err(error) => found.bad(line, reason(&error)),
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
    found: &'f mut Found<'a>,
}

impl<'de> Visitor<'de> for Row<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(column) = map.next_key_seed(Name(self.names))? {
            match column.map(|column| (column, self.found.uses[column])) {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some((column, Use::Text)) => map.next_value_seed(Text { column, found: self.found })?,
                Some((column, _)) => {
                    let value: &RawValue = map.next_value()?;
                    keep(column, value.get(), self.found).map_err(serde::de::Error::custom)?;
                }
            }
        }
        Ok(())
    }
}

/// Which of the columns a key names.
struct Name<'r>(&'r [String]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name.as_bytes() == key))
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Self::Value, E> {
        self.visit_bytes(key.as_bytes())
    }
}

/// A text, as bytes: a lone surrogate, which UTF-8 has no form for, is to become U+FFFD instead of an error.
struct Text<'f, 'a> {
    column: usize,
    found: &'f mut Found<'a>,
}

impl<'de> DeserializeSeed<'de> for Text<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for Text<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_bytes<E>(self, text: &'de [u8]) -> Result<(), E> {
        // It lies in the block: that is what is being read.
        let start = text.as_ptr() as usize - self.found.block.as_ptr() as usize;
        self.found.within(self.column, start..start + text.len(), Kind::Text);
        Ok(())
    }

    fn visit_bytes<E>(self, text: &[u8]) -> Result<(), E> {
        let start = self.found.rows.beside.len();
        self.found.beside(self.column, text, Kind::Text);
        replace_surrogates(&mut self.found.rows.beside[start..]);
        Ok(())
    }
}

/// A value of any kind.
fn keep(column: usize, json: &str, found: &mut Found) -> Result<(), String> {
    let start = json.as_ptr() as usize - found.block.as_ptr() as usize;
    let kind = match json.as_bytes()[0] {
        b'"' => {
            let mut string = serde_json::Deserializer::from_str(json);
            let text = Text { column, found };
            return text.deserialize(&mut string).map_err(|error| reason(&error));
        }
        b'n' => return Ok(()),
        b't' | b'f' => Kind::Truth,
        b'[' | b'{' => Kind::Nested,
        _ if json.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => Kind::Float,
        _ => Kind::Integer,
    };
    found.within(column, start..start + json.len(), kind);
    Ok(())
}

/// In the bytes that stand for them.
fn replace_surrogates(bytes: &mut [u8]) {
    let mut from = 0;
    while let Some(at) = memchr::memchr(0xed, &bytes[from..]) {
        let at = from + at;
        if bytes.get(at + 1).is_some_and(|&next| next >= 0xa0) {
            bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
        }
        from = at + 1;
    }
}
