//! Lines as programs write them: an object of strings, whole numbers, true, false and null, with nothing but spaces around them.
//!
//! Strings are passed over 32 bytes at a time. Whatever else there is, sound or not, is left to serde_json, which also has the words
//! for what is wrong: so this accepts only what serde_json accepts, and a test compares the two.

use super::keep_string;
use crate::processor::vectorised;
use crate::readers::{Kind, RowBuilder};

/// Fills the cells of a row from a line that starts at `start` of the block; false, and nothing has changed, where it is not
/// plain.
pub fn read(names: &[String], line: &str, start: usize, builder: &mut RowBuilder) -> bool {
    let before = builder.rows.beside.len();
    let is_plain = Line { line, at: 0, start }.read(names, builder).is_some();
    if !is_plain {
        builder.cells.fill(Default::default());
        builder.rows.beside.truncate(before);
    }
    is_plain
}

struct Line<'a> {
    line: &'a str,
    /// How far it has been read.
    at: usize,
    /// Where it starts in the block.
    start: usize,
}

impl Line<'_> {
    fn read(mut self, names: &[String], builder: &mut RowBuilder) -> Option<()> {
        let line = self.line.strip_suffix('\r').unwrap_or(self.line);
        if has_controls(line.as_bytes()) {
            return None; // in a string an error, elsewhere rare
        }
        self.line = line;
        self.spaces();
        self.expect(b'{')?;
        loop {
            self.spaces();
            let (from, to, None) = self.string()? else { return None };
            let name = &line.as_bytes()[from..to];
            let column = names.iter().position(|known| known.as_bytes() == name);
            self.spaces();
            self.expect(b':')?;
            self.spaces();
            self.value(column, builder)?;
            self.spaces();
            match self.next()? {
                b',' => (),
                b'}' => break,
                _ => return None,
            }
        }
        self.spaces();
        (self.at == line.len()).then_some(())
    }

    /// Passes a value, and keeps it where it is one of a column.
    fn value(&mut self, column: Option<usize>, builder: &mut RowBuilder) -> Option<()> {
        let from = self.at;
        let kind = match *self.line.as_bytes().get(from)? {
            b'"' => {
                let (from, to, escape) = self.string()?;
                if let Some(column) = column {
                    keep_string(column, &self.line[from..to], self.start + from, escape, builder);
                }
                return Some(());
            }
            b't' => self.word("true", Kind::Truth)?,
            b'f' => self.word("false", Kind::Truth)?,
            b'n' => self.word("null", Kind::Missing)?,
            _ => self.whole_number()?,
        };
        match (column, kind) {
            (None, _) => (),
            (Some(column), Kind::Missing) => builder.cells[column] = Default::default(),
            (Some(column), kind) => builder.within(column, self.start + from..self.start + self.at, kind),
        }
        Some(())
    }

    /// Passes a string: where it starts and ends, without its quotes, and where in it its first backslash is.
    fn string(&mut self) -> Option<(usize, usize, Option<usize>)> {
        self.expect(b'"')?;
        let (from, bytes) = (self.at, self.line.as_bytes());
        let mut escape = None;
        loop {
            let at = self.at + memchr::memchr2(b'"', b'\\', &bytes[self.at..])?;
            if bytes[at] == b'"' {
                self.at = at + 1;
                return Some((from, at, escape));
            }
            escape = escape.or(Some(at - from));
            self.at = at + length_of_escape(&bytes[at + 1..])?;
        }
    }

    fn word(&mut self, word: &str, kind: Kind) -> Option<Kind> {
        let is_there = self.line.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_there.then_some(kind)
    }

    /// Passes a whole number; what follows it is for the caller to see.
    fn whole_number(&mut self) -> Option<Kind> {
        let bytes = &self.line.as_bytes()[self.at..];
        let sign = usize::from(bytes.first() == Some(&b'-'));
        let n_digits = bytes[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if n_digits == 0 || (n_digits > 1 && bytes[sign] == b'0') {
            return None;
        }
        self.at += sign + n_digits;
        Some(Kind::Integer)
    }

    fn spaces(&mut self) {
        while self.line.as_bytes().get(self.at) == Some(&b' ') {
            self.at += 1;
        }
    }

    fn next(&mut self) -> Option<u8> {
        self.at += 1;
        self.line.as_bytes().get(self.at - 1).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }
}

/// How many bytes an escape has, by what follows its backslash.
fn length_of_escape(rest: &[u8]) -> Option<usize> {
    match rest.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' if rest.get(1..5)?.iter().all(u8::is_ascii_hexdigit) => Some(6),
        _ => None,
    }
}

fn has_controls(bytes: &[u8]) -> bool {
    vectorised(
        #[inline(always)]
        || bytes.iter().fold(false, |found, &byte| found | (byte < b' ')),
    )
}

#[cfg(test)]
mod tests {
    use super::super::read_with_serde;
    use super::*;
    use crate::readers::{Rows, Use};

    /// What both make of a line: whether the plain reader takes it, and the cells and texts of serde_json's row.
    fn rows_of(line: &str, quick: bool) -> Option<Rows> {
        let names = ["text", "label"].map(String::from);
        let mut builder = RowBuilder::new(line.as_bytes(), &[Use::Value, Use::Value]);
        if quick {
            let is_plain = read(&names, line, 0, &mut builder);
            assert!(is_plain || builder.rows.beside.is_empty(), "nothing is left behind");
            if !is_plain {
                return None;
            }
            builder.finish(0..line.len(), 1);
        } else {
            read_with_serde(&names, line, 0..line.len(), 1, &mut builder);
        }
        Some(builder.rows)
    }

    /// Whether the plain reader takes a line, in which case it says what serde_json says.
    fn is_taken(line: &str) -> bool {
        let Some(plain) = rows_of(line, true) else { return false };
        let whole = rows_of(line, false).expect("it takes every line");
        assert_eq!(whole.bad, [], "{line}");
        assert_eq!((&plain.columns, &plain.beside, &plain.raw), (&whole.columns, &whole.beside, &whole.raw), "{line}");
        true
    }

    #[test]
    fn plain_lines_are_taken() {
        for line in [
            r#"{"text": "so happy", "label": "x"}"#,
            r#" { "label" : 12 , "more" : null , "text" : "\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00\ud83d" } "#,
            "{\"text\":\"\",\"label\":true}\r",
            r#"{"text":"a","text":"b","label":-0,"label":false,"text":null}"#,
            r#"{"other":"\"\u12aF","label":-120,"text":"ä\\"}"#,
        ] {
            assert!(is_taken(line), "{line}");
        }
    }

    #[test]
    fn all_else_is_left_to_serde_json() {
        for line in [
            "",
            " ",
            "{}",
            "{",
            "[]",
            r#"{"text"}"#,
            r#"{"text":}"#,
            r#"{"text":"a",}"#,
            r#"{"text":"a"} x"#,
            r#"{"text":"a"}}"#,
            r#"{"text":["a"]}"#,
            r#"{"text":{}}"#,
            r#"{"text":01}"#,
            r#"{"text":-}"#,
            r#"{"text":1.5}"#,
            r#"{"text":1e3}"#,
            r#"{"text":"\x"}"#,
            r#"{"text":"\u12g4"}"#,
            r#"{"text":"\u12"#,
            r#"{"text":"a"#,
            r#"{"text":"\"#,
            r#"{"te\u0078t":"a"}"#,
            "{\"text\":\"a\tb\"}",
            "{\t\"text\":\"a\"}",
            r#"{"text":tru}"#,
            r#"{"text":trueish}"#,
            r#"{,"text":"a"}"#,
            r#"{"text" "a"}"#,
        ] {
            assert!(!is_taken(line), "{line}");
        }
    }

    #[test]
    fn every_line_is_read_as_serde_json_reads_it() {
        const SOUND: &str = r#"{"text":"a \"ä\u0041\\","label":17 , "b":null,"c":true}"#;
        const PIECES: [&str; 20] = [
            "", "{", "}", "\"", "\"text\"", ":", ",", " ", "\\", "\\\"", "\\u00", "null", "true", "-", "0", ".5", "ä",
            "\t", "[", "]",
        ];
        let (mut state, mut n_taken) = (7u64, 0);
        let mut random = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for _ in 0..100_000 {
            let mut characters: Vec<String> = SOUND.chars().map(String::from).collect();
            for _ in 0..1 + random(3) {
                let at = random(characters.len());
                characters[at] = PIECES[random(PIECES.len())].repeat(random(3));
            }
            n_taken += usize::from(is_taken(&characters.concat()));
        }
        assert!(n_taken > 10_000, "{n_taken}");
    }
}
