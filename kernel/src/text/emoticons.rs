//! Faces: `:-)` made of signs, and 😀.
//!
//! A face of signs is read as eyes, nose and mouth, or the other way round. Signs are also what
//! they are, so a face has to be a whole one: nothing of a word may follow, right after a word only a
//! nose, a bracket, `D` or `P` tell a face from a colon, and `8`, `x` and `X` are eyes only with a nose
//! (`8-)`) or as `XD`, never in `(page 8)` or `XP`.

use unicode_properties::UnicodeEmoji;

use super::classes::{EMOJI, WORD, class};

/// The end of the face of signs that starts at `at`. `after_word` says what is before it.
pub(super) fn emoticon(text: &str, at: usize, after_word: bool) -> Option<usize> {
    let bytes = &text.as_bytes()[at..];
    let end = at
        + match bytes[0] {
            b':' | b';' | b'=' | b'8' | b'x' | b'X' => face(bytes, after_word),
            b'>' | b'<' => heart(bytes).or_else(|| hat(bytes)),
            b'^' | b'-' if !after_word => between_eyes(bytes),
            b'(' | b'[' | b')' | b']' if !after_word => mirrored(bytes),
            _ => None,
        }?;
    let starts_word = |c: char| class(c) & WORD != 0;
    (!text[end..].starts_with(starts_word)).then_some(end)
}

/// `:)` `;-P` `=D` `:'(` `:o)` `8-)` `XD`: its length.
fn face(bytes: &[u8], after_word: bool) -> Option<usize> {
    let eyes = bytes[0];
    let mouths: &[u8] = match eyes {
        b':' => b")(][}{DdPp/\\|@3oO*$xX",
        b';' => b")(][}{DdPp/\\|*",
        b'=' => b")(][}{DPp/\\|",
        _ => b")(D",
    };
    let is_mouth = |at: usize| bytes.get(at).is_some_and(|byte| mouths.contains(byte));
    let has_nose = matches!(bytes.get(1), Some(b'-' | b'\'' | b'^' | b'o' | b'*')) && is_mouth(2);
    if matches!(eyes, b'8' | b'x' | b'X') {
        let is_laughing = eyes != b'8' && bytes.get(1) == Some(&b'D');
        if after_word || !(is_laughing || has_nose && bytes[1] == b'-') {
            return None;
        }
    }
    let mouth = if has_nose { 2 } else { 1 };
    let is_clear = has_nose || is_mouth(mouth) && b")(][}{DP".contains(&bytes[mouth]);
    if !is_mouth(mouth) || after_word && !is_clear {
        return None;
    }
    Some(mouth + run(&bytes[mouth..]))
}

/// `<3` `<33` `</3`
fn heart(bytes: &[u8]) -> Option<usize> {
    let three = if bytes.get(1) == Some(&b'/') { 2 } else { 1 };
    (bytes[0] == b'<' && bytes.get(three) == Some(&b'3')).then(|| three + run(&bytes[three..]))
}

/// `>:(` `>;)`, and `>_<` `>.<`
fn hat(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b':' | b';' => face(&bytes[1..], false).map(|length| length + 1),
        b'_' | b'.' if bytes[0] == b'>' => {
            let nose = 1 + run(&bytes[1..]);
            (bytes.get(nose) == Some(&b'<')).then_some(nose + 1)
        }
        _ => None,
    }
}

/// `^_^` `^^` `-_-` `-.-`
fn between_eyes(bytes: &[u8]) -> Option<usize> {
    let eye = bytes[0];
    let nose = match bytes.get(1)? {
        b'_' | b'.' => run(&bytes[1..]),
        b'-' if eye == b'^' => 1,
        b'^' if eye == b'^' => 0,
        _ => return None,
    };
    (bytes.get(1 + nose) == Some(&eye)).then_some(2 + nose)
}

/// `(:` `(-;` `[:` and, because "(so):" is common, `):` only after a gap.
fn mirrored(bytes: &[u8]) -> Option<usize> {
    let eyes = 1 + usize::from(bytes.get(1) == Some(&b'-'));
    matches!(bytes.get(eyes), Some(b':' | b';')).then_some(eyes + 1)
}

/// How often the first byte is repeated.
fn run(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == bytes[0]).count()
}

const JOINER: char = '\u{200d}';
const TEXT_STYLE: char = '\u{fe0e}';
const EMOJI_STYLE: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';

/// The end of the emoji at `at`, with its selectors, skin tone, flag letters and all that is
/// joined to it.
pub(super) fn emoji(text: &str, at: usize) -> Option<usize> {
    let mut end = picture(text, at)?;
    while text[end..].starts_with(JOINER) {
        match picture(text, end + JOINER.len_utf8()) {
            Some(next) => end = next,
            None => break,
        }
    }
    Some(end)
}

fn picture(text: &str, at: usize) -> Option<usize> {
    let mut rest = text[at..].chars();
    let first = rest.next()?;
    if class(first) & EMOJI == 0 && !becomes_emoji(first, rest.as_str()) {
        return None;
    }
    let is_flag_letter = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    if is_flag_letter(first) && rest.as_str().starts_with(is_flag_letter) {
        rest.next();
    }
    let belongs = |c: char| {
        let is_tone = ('\u{1f3fb}'..='\u{1f3ff}').contains(&c);
        let is_tag = ('\u{e0020}'..='\u{e007f}').contains(&c);
        is_tone || is_tag || matches!(c, TEXT_STYLE | EMOJI_STYLE | KEYCAP)
    };
    Some(text.len() - rest.as_str().trim_start_matches(belongs).len())
}

/// Digits and signs that are emoji by what follows: 1️⃣ ©️.
fn becomes_emoji(first: char, rest: &str) -> bool {
    if first.is_ascii() {
        let rest = rest.strip_prefix(EMOJI_STYLE).unwrap_or(rest);
        return matches!(first, '0'..='9' | '#' | '*') && rest.starts_with(KEYCAP);
    }
    // The list of emoji is long to search, and every word of another script than Latin comes by here.
    rest.starts_with(EMOJI_STYLE) && first.is_emoji_char()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_faces_are_found() {
        for face in [
            ":)", ":-)", ":(", ":-(", ";)", ":D", ":DDD", "=)", ":'(", ":')", ":P", ":-p", ":/", ":|", ":o", ":o)",
            ":*", ":3", "8-)", "x-(", "XD", "xDD", "<3", "<333", "</3", ">:(", ">_<", "^_^", "^^", "^__^", "-_-",
            "-.-", "(:", "(-:", "[:", "):", ":)))", ":((",
        ] {
            assert_eq!(emoticon(face, 0, false), Some(face.len()), "{face}");
            assert_eq!(emoticon(&format!("{face} x"), 0, false), Some(face.len()), "{face}");
        }
        for face in ["great:)", "great:-p", "great:D"] {
            assert_eq!(emoticon(face, 5, true), Some(face.len()), "{face}");
        }
    }

    #[test]
    fn signs_that_start_a_word_or_belong_to_a_number_are_no_face() {
        for text in [
            ":Dear", ":", ":-", ":30", "8)", "8", "xp", "XP", "x)", "XDe", "<30", "=3", "=>", "^", "-", "->", "(a",
            "(8)", ":Dé", "--", "- -",
        ] {
            assert_eq!(emoticon(text, 0, false), None, "{text}");
        }
        assert_eq!(emoticon("http://x", 4, true), None);
        assert_eq!(emoticon("a:d", 1, true), None);
        assert_eq!(emoticon("(b):", 2, true), None);
    }

    #[test]
    fn an_emoji_sequence_is_one() {
        for whole in ["😀", "❤️", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "#️⃣", "©️", "♥", "★", "🏳️‍🌈"]
        {
            assert_eq!(emoji(whole, 0), Some(whole.len()), "{whole}");
            assert_eq!(emoji(&format!("{whole}😀"), 0), Some(whole.len()), "{whole}");
        }
        assert_eq!(emoji("😀\u{200d}a", 0), Some(4));
        for none in ["1", "#", "©", "é", "a"] {
            assert_eq!(emoji(none, 0), None);
        }
    }
}
