//! Web addresses, e-mail addresses, @handles and HTML tags, found without regular expressions.
//!
//! Each recogniser looks at one position and says where the thing ends, if it is one. What a
//! failed look-ahead learned is remembered, so that no text takes more than linear time.

use super::classes::{ASCII, MARK, SPACE, WORD, class};
use super::{Settings, Treatment};

/// What a recogniser recognises; its settings say what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Url,
    Handle,
    Email,
    Tag,
}

impl Thing {
    pub(super) const ALL: [Thing; 4] = [Thing::Url, Thing::Handle, Thing::Email, Thing::Tag];

    pub(super) fn treatment(self, settings: &Settings) -> Treatment {
        match self {
            Thing::Url => settings.urls,
            Thing::Handle => settings.handles,
            Thing::Email => settings.emails,
            Thing::Tag => settings.tags,
        }
    }

    pub(super) fn placeholder(self) -> &'static str {
        match self {
            Thing::Url => "<url>",
            Thing::Handle => "<user>",
            Thing::Email => "<email>",
            Thing::Tag => "<tag>",
        }
    }
}

/// A tag that goes on for longer than this, in bytes, is taken for text with a stray `<`.
const LONGEST_TAG: usize = 1_000;

/// What closes a sentence after an address rather than the address.
const AFTER_URL: &[char] = &['.', ',', ';', ':', '!', '?', ')', ']', '}', '\'', '*', '…', '’', '”', '»'];

/// The recognisers of one text that are switched on.
pub(super) struct Recognisers<'t> {
    text: &'t str,
    urls: bool,
    handles: bool,
    emails: bool,
    tags: bool,
    no_email_before: usize,
    no_comment_end_before: usize,
}

impl<'t> Recognisers<'t> {
    pub(super) fn new(text: &'t str, settings: &Settings) -> Self {
        let on = |thing: Thing| thing.treatment(settings) != Treatment::Split;
        Recognisers {
            text,
            urls: on(Thing::Url),
            handles: on(Thing::Handle),
            emails: on(Thing::Email),
            tags: on(Thing::Tag),
            no_email_before: 0,
            no_comment_end_before: 0,
        }
    }

    /// The thing that starts at `at`, the first character of a word or a sign, and its end.
    pub(super) fn thing(&mut self, at: usize) -> Option<(Thing, usize)> {
        match self.text.as_bytes()[at] {
            b'@' => self.handle(at).map(|end| (Thing::Handle, end)),
            b'<' => self.tag(at).map(|end| (Thing::Tag, end)),
            _ if !self.is_word(at) => None,
            _ => {
                let url = self.url(at).map(|end| (Thing::Url, end));
                url.or_else(|| self.email(at, at).map(|end| (Thing::Email, end)))
            }
        }
    }

    /// The end of the web address at `at`: `http://`, `https://` or `www.`, up to white space or
    /// a character no address can hold, less the punctuation that ends a sentence.
    #[inline]
    pub(super) fn url(&self, at: usize) -> Option<usize> {
        if !self.urls || !matches!(self.text.as_bytes()[at], b'h' | b'H' | b'w' | b'W') {
            return None;
        }
        let start = ["http://", "https://", "www."].iter().find_map(|prefix| {
            let head = self.text.as_bytes().get(at..at + prefix.len())?;
            head.eq_ignore_ascii_case(prefix.as_bytes()).then_some(at + prefix.len())
        })?;
        let rest = &self.text[start..];
        let ends = |c: char| class(c) & SPACE != 0 || c.is_control() || matches!(c, '<' | '>' | '"');
        let address = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let address = address.trim_end_matches(AFTER_URL);
        (!address.is_empty()).then_some(start + address.len())
    }

    /// The end of the e-mail address that starts at `at`, with a word whose characters up to
    /// `from` have been seen.
    #[inline]
    pub(super) fn email(&mut self, at: usize, from: usize) -> Option<usize> {
        if !self.emails || at < self.no_email_before {
            return None;
        }
        let sign = self.skip(from, |byte| matches!(byte, b'.' | b'+' | b'-'));
        let end = (self.text.as_bytes().get(sign) == Some(&b'@')).then(|| self.domain(sign + 1));
        let end = end.flatten();
        if end.is_none() {
            self.no_email_before = sign;
        }
        end
    }

    /// The end of a domain of two or more labels.
    fn domain(&self, start: usize) -> Option<usize> {
        let label = |at: usize| {
            let end = self.skip(at, |byte| byte == b'-');
            (end > at).then_some(end)
        };
        let dot = |at: usize| (self.text.as_bytes().get(at) == Some(&b'.')).then_some(at + 1);
        let mut end = dot(label(start)?).and_then(label)?;
        while let Some(next) = dot(end).and_then(label) {
            end = next;
        }
        Some(end)
    }

    /// The end of the @handle at `at`; an @ inside or after a word starts none.
    #[inline]
    pub(super) fn handle(&self, at: usize) -> Option<usize> {
        if !self.handles || self.is_after_word(at) || !self.is_word(at + 1) {
            return None;
        }
        Some(self.skip(at + 1, |_| false))
    }

    /// The end of the HTML tag or comment at `at`.
    #[inline]
    pub(super) fn tag(&mut self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if !self.tags {
            return None;
        }
        if bytes[at..].starts_with(b"<!--") {
            return self.comment(at);
        }
        let name = at + if matches!(bytes.get(at + 1), Some(b'/' | b'!')) { 2 } else { 1 };
        if !bytes.get(name)?.is_ascii_alphabetic() {
            return None;
        }
        let inside = &bytes[name..bytes.len().min(at + LONGEST_TAG)];
        let name_length = inside.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
        if !matches!(inside[name_length], b'>' | b'/' | b'\t' | b'\n' | b'\x0c' | b'\r' | b' ') {
            return None;
        }
        // A second < says that the first was no tag, and keeps the time linear.
        let close = inside.iter().position(|byte| matches!(byte, b'<' | b'>'))?;
        (inside[close] == b'>').then_some(name + close + 1)
    }

    fn comment(&mut self, at: usize) -> Option<usize> {
        let from = (at + 4).max(self.no_comment_end_before);
        let end = self.text.as_bytes().get(from..)?.windows(3).position(|w| w == b"-->");
        if end.is_none() {
            self.no_comment_end_before = self.text.len();
        }
        end.map(|position| from + position + 3)
    }

    /// The first position at or after `at` that is neither a word character nor `extra`.
    pub(super) fn skip(&self, mut at: usize, extra: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(at) {
            if byte < 128 {
                if ASCII[byte as usize] & WORD == 0 && !extra(byte) {
                    break;
                }
                at += 1;
            } else {
                match self.text[at..].chars().next() {
                    Some(c) if class(c) & (WORD | MARK) != 0 => at += c.len_utf8(),
                    _ => break,
                }
            }
        }
        at
    }

    /// Where the text goes on after a handle or an address that ends at `end`: behind what an apostrophe joins to it, such as
    /// the `'s` of `@bob's`, which is no word.
    pub(super) fn after_apostrophe(&self, end: usize) -> usize {
        let rest = &self.text[end..];
        match rest.strip_prefix(['\'', '’']) {
            Some(joined) if joined.starts_with(char::is_alphabetic) => {
                self.skip(self.text.len() - joined.len(), |_| false)
            }
            _ => end,
        }
    }

    /// Whether there is a word character at `at`.
    fn is_word(&self, at: usize) -> bool {
        self.text[at..].starts_with(|c| class(c) & WORD != 0)
    }

    /// Whether the character before `at` belongs to a word.
    #[inline]
    pub(super) fn is_after_word(&self, at: usize) -> bool {
        match self.text.as_bytes()[..at].last() {
            None => false,
            Some(&byte) if byte < 128 => ASCII[byte as usize] & WORD != 0,
            _ => self.text[..at].chars().next_back().is_some_and(|c| class(c) & WORD != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognised(text: &str) -> Option<(Thing, &str)> {
        let settings = Settings::default();
        let thing = Recognisers::new(text, &settings).thing(0);
        thing.map(|(thing, end)| (thing, &text[..end]))
    }

    #[test]
    fn things_are_recognised_up_to_their_end() {
        for (text, thing, length) in [
            ("http://a.b/c?d=e&f, and", Thing::Url, 18),
            ("HTTPS://A.B).", Thing::Url, 11),
            ("www.a.b<br>", Thing::Url, 7),
            ("http://x\u{3000}y", Thing::Url, 8),
            ("first.last+tag@mail.example.org.", Thing::Email, 31),
            ("jürgen@köln.de!", Thing::Email, 16),
            ("@some_one's", Thing::Handle, 9),
            ("<b>bold", Thing::Tag, 3),
            ("</b>", Thing::Tag, 4),
            ("<br/>x", Thing::Tag, 5),
            ("<a href=\"x\">y", Thing::Tag, 12),
            ("<!DOCTYPE html>", Thing::Tag, 15),
            ("<!-- a > b --> c", Thing::Tag, 14),
        ] {
            assert_eq!(recognised(text), Some((thing, &text[..length])));
        }
    }

    #[test]
    fn what_an_apostrophe_joins_belongs_to_no_word() {
        let settings = Settings::default();
        for (text, length) in [("@a's b", 4), ("@a’ll", 7), ("@a' b", 2), ("@a 's", 2), ("@a'", 2), ("@a'1", 2)] {
            assert_eq!(Recognisers::new(text, &settings).after_apostrophe(2), length, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_left_alone() {
        let long = format!("<b {}>", "x".repeat(1_000));
        for text in [
            "http://", "www.", "www...", "https", "hello", "a@b", "a@.b", "a.b.c", "@", "@ a", "< b>", "<3", "<a@b.c>",
            "<b", "<b <c", "<!-- a", "<ü>", "<>", "</>", &long,
        ] {
            assert_eq!(recognised(text), None, "{text}");
        }
        let settings = Settings::default();
        assert_eq!(Recognisers::new("a@b", &settings).handle(1), None);
    }
}
