//! A text a line, with or without fastText's label in front.

use std::ops::Range;

use super::{Kind, RowBuilder, not_utf8};

const PREFIX: &[u8] = b"__label__";

/// The line is the text, be it empty.
pub fn read(raw: Range<usize>, line: u64, builder: &mut RowBuilder) {
    let text = without_return(builder.block, raw.clone());
    if let Some(reason) = not_utf8(&builder.block[text.clone()]) {
        return builder.bad(line, reason);
    }
    if !builder.uses.is_empty() {
        builder.within(0, text, Kind::Text);
    }
    builder.finish(raw, line);
}

/// Column 0 is the text, 1 the label; a line with nothing on it is no row.
pub fn read_labelled(raw: Range<usize>, line: u64, builder: &mut RowBuilder) {
    let mut rest = trimmed(builder.block, raw.clone());
    if rest.is_empty() {
        return;
    }
    if let Some(reason) = not_utf8(&builder.block[rest.clone()]) {
        return builder.bad(line, reason);
    }
    let mut labels = vec![];
    while builder.block[rest.clone()].starts_with(PREFIX) {
        let word = &builder.block[rest.clone()];
        let end = rest.start + word.iter().position(|&byte| is_space(byte)).unwrap_or(word.len());
        labels.push(rest.start + PREFIX.len()..end);
        rest = trimmed(builder.block, end..rest.end);
    }
    builder.within(0, rest, Kind::Text);
    if builder.uses.len() > 1 {
        match labels.as_slice() {
            [label] if !label.is_empty() => builder.within(1, label.clone(), Kind::Text),
            [] | [_] => {}
            _ => return builder.bad(line, format!("it has {} labels; a document has one", labels.len())),
        }
    }
    builder.finish(raw, line);
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

fn trimmed(block: &[u8], range: Range<usize>) -> Range<usize> {
    let start = range.clone().find(|&at| !is_space(block[at])).unwrap_or(range.end);
    let end = (start..range.end).rfind(|&at| !is_space(block[at])).map_or(start, |at| at + 1);
    start..end
}

/// Lines of Windows end with \r\n.
fn without_return(block: &[u8], range: Range<usize>) -> Range<usize> {
    range.start..range.end - usize::from(block[range].ends_with(b"\r"))
}
