//! Lower-casing as Python's `str.lower` does it, into a buffer that is already there.
//!
//! Two characters make it more than a table. `İ` becomes two characters, so places in the
//! result are not places in the text: `Origins` lead back. `Σ` becomes `ς` at the end of a
//! word; what decides is its neighbours, never across white space, so that a text may be
//! lower-cased piece by piece where it is cut at white space.

use super::classes::{UPPER, class};

/// Appends `text` in lower case to `out`.
pub(super) fn push_lowercase(text: &str, out: &mut Vec<u8>) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|byte| byte.to_ascii_lowercase()));
        return;
    }
    let begin = out.len();
    for character in text.chars() {
        if character == 'Σ' {
            // The standard library looks at the neighbours; the letter is rare enough to start
            // again for it.
            out.truncate(begin);
            out.extend_from_slice(text.to_lowercase().as_bytes());
            return;
        }
        push_lowercase_character(character, out);
    }
}

/// Appends one character, which is not `Σ`, in lower case.
#[inline]
pub(super) fn push_lowercase_character(character: char, out: &mut Vec<u8>) {
    if class(character) & UPPER == 0 {
        push_character(character, out);
    } else {
        for lowered in character.to_lowercase() {
            push_character(lowered, out);
        }
    }
}

#[inline]
pub(super) fn push_character(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The way back from a lower-cased text to the text.
pub(super) struct Origins<'t> {
    text: &'t str,
    /// For each byte of the lower-cased text, where the character it came from starts; then the
    /// length of the text.
    starts: Vec<usize>,
}

impl<'t> Origins<'t> {
    /// Of `text` lower-cased, or of `text` itself.
    pub(super) fn new(text: &'t str, lowercase: bool) -> Self {
        let mut starts = Vec::with_capacity(text.len() + 1);
        for (at, character) in text.char_indices() {
            // σ and ς are both two bytes long: the neighbours do not matter here.
            let lowered = || character.to_lowercase().map(char::len_utf8).sum();
            let length = if lowercase { lowered() } else { character.len_utf8() };
            starts.extend(std::iter::repeat_n(at, length));
        }
        starts.push(text.len());
        Origins { text, starts }
    }

    /// The place in the text of bytes `start..end` of the lower-cased text, widened to whole
    /// characters.
    pub(super) fn place(&self, start: usize, end: usize) -> (usize, usize) {
        let first = self.starts[start];
        if start == end {
            return (first, first);
        }
        let last = self.starts[end - 1];
        let length = self.text[last..].chars().next().map_or(0, char::len_utf8);
        (first, last + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowercase(text: &str) -> String {
        let mut bytes = Vec::new();
        push_lowercase(text, &mut bytes);
        String::from_utf8(bytes).expect("lower case is text")
    }

    #[test]
    fn every_character_becomes_what_the_standard_library_says() {
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            assert_eq!(lowercase(&text), text.to_lowercase());
        }
    }

    #[test]
    fn a_sigma_at_the_end_of_a_word_is_final() {
        assert_eq!(lowercase("ΟΔΟΣ ΣΟΦΟΣ. Σ"), "οδος σοφος. σ");
    }

    #[test]
    fn origins_lead_back_to_the_text() {
        assert_eq!(lowercase("aİb"), "ai\u{307}b");
        let origins = Origins::new("aİb", true);
        assert_eq!(origins.place(0, 1), (0, 1));
        assert_eq!(origins.place(1, 2), (1, 3), "half of what the letter became");
        assert_eq!(origins.place(4, 5), (3, 4));
        assert_eq!(origins.place(5, 5), (4, 4));
    }
}
