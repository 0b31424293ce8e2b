//! Cells with something between them: CSV, TSV and what calls itself so. csv-core knows the quotes.

use csv_core::{ReadRecordResult, ReaderBuilder};

use super::{Kind, RowBuilder, Use, count, not_utf8};

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
    builder: &mut RowBuilder,
) -> (usize, u64) {
    let mut records = Records::new(dialect, n_cells);
    let mut from = 0;
    loop {
        // What ended the record before may be followed by the rest of it, and by lines with nothing on them.
        while from < block.len() && matches!(block[from], b'\r' | b'\n') {
            line += u64::from(ends_line(block, from));
            from += 1;
        }
        let record = if from < block.len() { records.next(&block[from..], is_last) } else { None };
        let Some(Record { n_bytes, is_closed }) = record else { return (from, line) };
        let to = from + n_bytes;
        let end =
            block[from..to].iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(from, |at| from + at + 1);
        match fault(is_closed, &records, n_cells, &block[from..end]) {
            Some(reason) => builder.bad(line, reason),
            None => {
                for (column, &place) in places.iter().enumerate() {
                    let cell = records.cell(place);
                    // An empty text is a text; an empty label is none.
                    if !cell.is_empty() || builder.uses[column] == Use::Text {
                        builder.made(column, Kind::Text, |bytes| bytes.extend_from_slice(cell));
                    }
                }
                builder.finish(from..end, line);
            }
        }
        line += count(b'\n', &block[from..to]) + u64::from(block[to - 1] == b'\r' && ends_line(block, to - 1));
        from = to;
    }
}

/// Why a record cannot be used; `raw` is how it stands in the file.
fn fault(is_closed: bool, records: &Records, n_cells: usize, raw: &[u8]) -> Option<String> {
    if !is_closed {
        return Some("a quote is opened here and never closed".into());
    }
    if records.n_cells != n_cells {
        return Some(format!("it has {} cells; the others have {n_cells}", records.n_cells));
    }
    // Of the row, not of its cells put together: one might end with half of what the next begins with.
    not_utf8(raw)
}

/// \n ends a line, and so does \r without it.
fn ends_line(block: &[u8], at: usize) -> bool {
    block[at] == b'\n' || (block[at] == b'\r' && block.get(at + 1).is_some_and(|&next| next != b'\n'))
}

/// Finds the cells of one record after the other.
struct Records {
    parser: csv_core::Reader,
    /// The cells of the record that was read last, one after the other; there is more room than they need.
    bytes: Vec<u8>,
    n_bytes: usize,
    ends: Vec<usize>,
    n_cells: usize,
}

struct Record {
    /// How much of the block it takes, with what ends it.
    n_bytes: usize,
    /// False for one whose last quote is open when the file ends.
    is_closed: bool,
}

impl Records {
    fn new(dialect: Dialect, n_cells: usize) -> Self {
        let mut parser = ReaderBuilder::new().delimiter(dialect.delimiter).quoting(dialect.quotes).build();
        let (mut bytes, mut ends) = (vec![0; 1 << 10], vec![0; n_cells + 8]);
        // A parser takes away a byte order mark at the very first; whoever opened the file has done so.
        parser.read_record(b"x\n", &mut bytes, &mut ends);
        Records { parser, bytes, n_bytes: 0, ends, n_cells: 0 }
    }

    fn cell(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    /// The record that `block` starts with; None where only more of the file can tell where it ends.
    fn next(&mut self, block: &[u8], is_last: bool) -> Option<Record> {
        (self.n_bytes, self.n_cells) = (0, 0);
        let (n_bytes, is_ended) = self.feed(block);
        if is_ended {
            return Some(Record { n_bytes, is_closed: true });
        }
        // The end of the file ends the record too, unless it is inside of quotes: then one more line does not.
        is_last.then(|| Record { n_bytes, is_closed: self.feed(b"\n").1 })
    }

    /// Reads on in the same record: how much of the input it takes, and whether it ends there.
    fn feed(&mut self, input: &[u8]) -> (usize, bool) {
        let mut used = 0;
        loop {
            let (bytes, ends) = (&mut self.bytes[self.n_bytes..], &mut self.ends[self.n_cells..]);
            let (result, n_in, n_bytes, n_cells) = self.parser.read_record(&input[used..], bytes, ends);
            used += n_in;
            self.n_bytes += n_bytes;
            self.n_cells += n_cells;
            match result {
                ReadRecordResult::OutputFull => self.bytes.resize(2 * self.bytes.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record | ReadRecordResult::End => return (used, true),
                ReadRecordResult::InputEmpty => return (used, false),
            }
        }
    }
}
