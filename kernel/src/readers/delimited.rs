//! Cells with something between them: CSV, TSV and what calls itself so. csv-core knows the quotes.

use csv_core::{ReadRecordResult, ReaderBuilder};

use super::{Found, Kind, Use, count, not_utf8};

/// What stands between cells, and whether quotes around them have a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub delimiter: u8,
    pub quotes: bool,
}

/// Reads the records of a block; comes back with how much of it was used and the number of the line after that.
pub fn read(
    dialect: Dialect,
    places: &[usize],
    n_cells: usize,
    block: &[u8],
    is_last: bool,
    mut line: u64,
    found: &mut Found,
) -> (usize, u64) {
    let mut parser = ReaderBuilder::new().delimiter(dialect.delimiter).quoting(dialect.quotes).build();
    // A parser takes away a mark at the very first; whoever opened the file has done so.
    let (mut cells, mut ends) = (vec![0; 1 << 10], vec![0; n_cells + 8]);
    parser.read_record(b"x\n", &mut cells, &mut ends);
    let mut from = 0;
    loop {
        // What ended the record before may be followed by the rest of it, and by lines with nothing on them.
        while from < block.len() && matches!(block[from], b'\r' | b'\n') {
            line += u64::from(ends_line(block, from));
            from += 1;
        }
        if from == block.len() {
            return (from, line);
        }
        let (mut used, mut n_out, mut n_ends) = (from, 0, 0);
        let is_closed = loop {
            let (result, n_in, out, n) = parser.read_record(&block[used..], &mut cells[n_out..], &mut ends[n_ends..]);
            (used, n_out, n_ends) = (used + n_in, n_out + out, n_ends + n);
            match result {
                ReadRecordResult::OutputFull => cells.resize(2 * cells.len(), 0),
                ReadRecordResult::OutputEndsFull => ends.resize(2 * ends.len(), 0),
                ReadRecordResult::Record | ReadRecordResult::End => break true,
                ReadRecordResult::InputEmpty if !is_last => return (from, line),
                // The end of the file ends the record too, unless it is inside of quotes: then one more line does not.
                ReadRecordResult::InputEmpty => {
                    cells.resize(cells.len() + 1, 0);
                    let (result, _, _, n) = parser.read_record(b"\n", &mut cells[n_out..], &mut ends[n_ends..]);
                    if matches!(result, ReadRecordResult::OutputEndsFull) {
                        ends.resize(2 * ends.len(), 0);
                        let (_, _, _, n) = parser.read_record(b"\n", &mut cells[n_out..], &mut ends[n_ends..]);
                        n_ends += n;
                        break true;
                    }
                    n_ends += n;
                    break matches!(result, ReadRecordResult::Record);
                }
            }
        };
        let mut end = used;
        while end > from && matches!(block[end - 1], b'\r' | b'\n') {
            end -= 1;
        }
        if !is_closed {
            found.bad(line, "a quote is opened here and never closed".into());
        } else if n_ends != n_cells {
            found.bad(line, format!("it has {n_ends} cells; the others have {n_cells}"));
        } else if let Some(reason) = not_utf8(&block[from..end]) {
            // Of the row, not of its cells put together: one might end with half of what the next begins with.
            found.bad(line, reason);
        } else {
            for (column, &place) in places.iter().enumerate() {
                let start = if place == 0 { 0 } else { ends[place - 1] };
                let cell = &cells[start..ends[place]];
                // An empty text is a text; an empty label is none.
                if !(cell.is_empty() && found.uses[column] != Use::Text) {
                    found.made(column, Kind::Text, |bytes| bytes.extend_from_slice(cell));
                }
            }
            found.finish(from..end, line);
        }
        line += count(b'\n', &block[from..used]) + u64::from(block[used - 1] == b'\r' && ends_line(block, used - 1));
        from = used;
    }
}

/// \n ends a line, and so does \r without it.
fn ends_line(block: &[u8], at: usize) -> bool {
    block[at] == b'\n' || (block[at] == b'\r' && block.get(at + 1).is_some_and(|&next| next != b'\n'))
}
