//! Rows of a text file, batch by batch: JSON Lines, CSV and its relatives, fastText's format, plain lines.
//!
//! Whoever has the file hands over its bytes, in pieces of any size; each piece gives the rows that it completes, and what is
//! left of it waits for the next. A batch keeps its bytes. A cell is a range of them, or where a text had to be unescaped, of
//! the bytes beside them: no cell is an object of its own. A row that cannot be used is not among the rows; it has a line and a
//! reason.

mod delimited;
mod jsonl;
mod lines;

use std::ops::Range;
use std::sync::Arc;

use crate::array::Bytes;
use crate::threads::{each_on_a_thread, equal_parts};
pub use delimited::Dialect;

/// Bytes that are worth a thread of their own.
const SHARE: usize = 1 << 20;

/// How rows are written.
#[derive(Clone, Debug)]
pub enum Format {
    /// An object a line; cells are found by the names of their columns.
    Jsonl(Vec<String>),
    /// Cells with something between them; those at these places, of so many.
    Delimited { dialect: Dialect, places: Vec<usize>, n_cells: usize },
    /// `__label__spam the text`: column 0 is the text, 1 the label.
    FastText,
    /// Each line is a text.
    Lines,
}

/// What a column is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A row without a text is a bad row, and so is one whose text is a number. In JSON it may be an array of tokens.
    Text,
    /// A row without a label is a bad row; it is text, a whole number or a truth value, in all rows alike.
    Label,
    /// Anything, or nothing.
    Value,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Missing,
    Text,
    /// A document that is already tokens, in the form that `text::given` reads.
    Tokens,
    Integer,
    Float,
    Truth,
    /// An array or an object, as JSON.
    Nested,
}

/// Where a value lies, and what it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// A row that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    pub line: u64,
    pub reason: String,
}

/// Some rows, one after the other. Their places count the bytes of the block, and those beside it after that.
#[derive(Default)]
pub struct Rows {
    block: Option<Arc<dyn Bytes>>,
    /// What had to be made, such as texts without escapes.
    beside: Vec<u8>,
    /// What other rows, which were appended, have beside the block, and where among all such bytes it begins.
    beside_more: Vec<(usize, Vec<u8>)>,
    /// By column and row.
    columns: Vec<Vec<Cell>>,
    /// Each row as it stands in the file, without the end of its line.
    raw: Vec<Range<usize>>,
    pub lines: Vec<u64>,
    pub bad: Vec<Bad>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    pub fn kind(&self, column: usize, row: usize) -> Kind {
        self.columns[column][row].kind
    }

    /// The text of a cell; for what is not text, how JSON writes it.
    pub fn get(&self, column: usize, row: usize) -> &[u8] {
        let Cell { start, end, .. } = self.columns[column][row];
        self.at(start..end)
    }

    pub fn raw(&self, row: usize) -> &[u8] {
        self.at(self.raw[row].clone())
    }

    fn at(&self, range: Range<usize>) -> &[u8] {
        let block = self.block.as_ref().map_or(&[] as &[u8], |block| block.bytes());
        match range.start.checked_sub(block.len()) {
            Some(start) => {
                let later = self.beside_more.iter().rev().find(|(from, _)| *from <= start);
                let (from, beside) = later.map_or((0, &self.beside), |(from, beside)| (*from, beside));
                &beside[start - from..range.end - block.len() - from]
            }
            None => &block[range],
        }
    }

    fn n_beside(&self) -> usize {
        self.beside_more.last().map_or(self.beside.len(), |(from, beside)| from + beside.len())
    }

    /// Takes over rows of the same block. What they have beside it stays where it is: texts without escapes are most of some
    /// files, and to copy them again took longer than to find them.
    fn append(&mut self, mut part: Rows, n_block: usize) {
        let shift = self.n_beside();
        let moved = |at: usize, start: usize| if start >= n_block { at + shift } else { at };
        for (column, cells) in self.columns.iter_mut().zip(part.columns) {
            column.extend(cells.into_iter().map(|cell| {
                let (start, end) = (moved(cell.start, cell.start), moved(cell.end, cell.start));
                Cell { start, end, ..cell }
            }));
        }
        self.raw.extend(part.raw.into_iter().map(|raw| moved(raw.start, raw.start)..moved(raw.end, raw.start)));
        self.beside_more.push((shift, part.beside));
        self.beside_more.extend(part.beside_more.into_iter().map(|(from, beside)| (shift + from, beside)));
        self.lines.append(&mut part.lines);
        self.bad.append(&mut part.bad);
    }

    /// Rows of a block of their own, as rows that lie beside a block of `n_block` bytes.
    fn aside(mut self, block: Vec<u8>, n_block: usize) -> Rows {
        let shift = block.len();
        self.beside_more.iter_mut().for_each(|(from, _)| *from += shift);
        self.beside_more.insert(0, (shift, std::mem::replace(&mut self.beside, block)));
        let cells = self.columns.iter_mut().flatten();
        cells.for_each(|cell| (cell.start, cell.end) = (cell.start + n_block, cell.end + n_block));
        self.raw.iter_mut().for_each(|raw| *raw = raw.start + n_block..raw.end + n_block);
        self
    }
}

/// Turns the bytes of a file into rows.
pub struct Reader {
    format: Format,
    uses: Vec<Use>,
    /// Bytes of which nobody knows yet where their row ends.
    pending: Vec<u8>,
    /// The number of the line that `pending` starts with.
    line: u64,
    /// Longer rows are an error: memory has to end somewhere.
    longest: usize,
    /// Of the labels, since the first one.
    label_kind: Kind,
}

impl Reader {
    /// `uses` says what each of the format's columns is needed for; `line` is the number of the first line.
    pub fn new(format: Format, uses: Vec<Use>, line: u64, longest: usize) -> Self {
        Reader { format, uses, pending: vec![], line, longest, label_kind: Kind::Missing }
    }

    /// The rows that these bytes complete; with `is_last`, also the one that the file ends with. They keep the bytes.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use banbury_kernel::readers::{Format, Reader, Use};
    /// let mut reader = Reader::new(Format::Jsonl(vec!["text".into()]), vec![Use::Text], 1, 1 << 20);
    /// let [one, other] = [b"{\"text\": \"so happy\"}\n{\"te".to_vec(), b"xt\": \"so sad\"}".to_vec()];
    /// assert_eq!(reader.feed(Arc::new(one), false, 1).unwrap().get(0, 0), b"so happy");
    /// assert_eq!(reader.feed(Arc::new(other), true, 1).unwrap().get(0, 0), b"so sad");
    /// ```
    pub fn feed(&mut self, block: Arc<dyn Bytes>, is_last: bool, threads: usize) -> Result<Rows, Bad> {
        let mut rows = match &self.format {
            Format::Delimited { .. } => self.delimited(block.bytes(), is_last),
            _ => self.line_by_line(&block, is_last, threads),
        };
        if self.pending.len() > self.longest {
            let reason = format!("the row is longer than {} bytes{}", self.longest, self.hint());
            return Err(Bad { line: self.line, reason });
        }
        self.check_labels(&mut rows);
        Ok(rows)
    }

    fn hint(&self) -> &'static str {
        match self.format {
            Format::Delimited { dialect: Dialect { quotes: true, .. }, .. } => ": is a quote never closed?",
            _ => "",
        }
    }

    /// Every format in which only \n ends a row.
    fn line_by_line(&mut self, block: &Arc<dyn Bytes>, is_last: bool, threads: usize) -> Rows {
        let bytes = block.bytes();
        // The first line ends what was left over; only that has to be put together.
        let from = match memchr::memchr(b'\n', bytes) {
            _ if self.pending.is_empty() => 0,
            Some(at) => at + 1,
            None => bytes.len(),
        };
        self.pending.extend_from_slice(&bytes[..from]);
        let mut rows = RowBuilder::new(&[], &self.uses).rows;
        if is_last || self.pending.ends_with(b"\n") {
            let first = std::mem::take(&mut self.pending);
            let read = self.read_lines(&first, 0..first.len(), 1);
            rows.append(read.aside(first, bytes.len()), bytes.len());
        }
        let end = if is_last { bytes.len() } else { memchr::memrchr(b'\n', bytes).map_or(from, |at| at + 1).max(from) };
        rows.append(self.read_lines(bytes, from..end, threads), bytes.len());
        self.pending.extend_from_slice(&bytes[end..]);
        rows.block = Some(block.clone());
        rows
    }

    /// The rows of whole lines.
    fn read_lines(&mut self, block: &[u8], range: Range<usize>, threads: usize) -> Rows {
        let parts = cut(block, range.clone(), threads.min(range.len() / SHARE).max(1));
        let (mut line, last) = (self.line, parts.len().saturating_sub(1));
        // Where a part starts is known by what is before it; of the last one its own rows tell where it ends.
        let numbers = each_on_a_thread(&parts[..last], |part| count(b'\n', &block[part.clone()]));
        let starts: Vec<u64> = std::iter::once(line)
            .chain(numbers.into_iter().map(|n| {
                line += n;
                line
            }))
            .collect();
        let parts: Vec<(Range<usize>, u64)> = parts.into_iter().zip(starts).collect();
        let read = each_on_a_thread(&parts, |(part, line)| {
            let mut builder = RowBuilder { n_made: part.len(), ..RowBuilder::new(block, &self.uses) };
            let mut line = *line;
            for raw in lines_of(block, part.clone()) {
                match &self.format {
                    Format::Jsonl(names) => jsonl::read(names, raw, line, &mut builder),
                    Format::FastText => lines::read_labelled(raw, line, &mut builder),
                    _ => lines::read(raw, line, &mut builder),
                }
                line += 1;
            }
            (builder.rows, line)
        });
        self.line = read.last().map_or(line, |(_, line)| *line);
        let mut rows = RowBuilder::new(&[], &self.uses).rows;
        read.into_iter().for_each(|(part, _)| rows.append(part, block.len()));
        rows
    }

    fn delimited(&mut self, bytes: &[u8], is_last: bool) -> Rows {
        let Format::Delimited { dialect, places, n_cells } = &self.format else { unreachable!("feed has looked") };
        let mut block = std::mem::take(&mut self.pending);
        block.extend_from_slice(bytes);
        let mut builder = RowBuilder::new(&block, &self.uses);
        let (used, line) = delimited::read(*dialect, places, *n_cells, &block, is_last, self.line, &mut builder);
        let mut rows = builder.rows;
        self.line = line;
        self.pending = block[used..].to_vec();
        rows.block = Some(Arc::new(block));
        rows
    }

    /// Labels are of one kind, that of the first.
    fn check_labels(&mut self, rows: &mut Rows) {
        let Some(column) = self.uses.iter().position(|&one| one == Use::Label) else { return };
        if self.label_kind == Kind::Missing {
            self.label_kind = rows.columns[column].first().map_or(Kind::Missing, |cell| cell.kind);
        }
        let first = self.label_kind;
        if rows.columns[column].iter().all(|cell| cell.kind == first) {
            return;
        }
        let is_kept: Vec<bool> = rows.columns[column].iter().map(|cell| cell.kind == first).collect();
        for (row, _) in is_kept.iter().enumerate().filter(|(_, kept)| !**kept) {
            let label = String::from_utf8_lossy(rows.get(column, row)).into_owned();
            let (is, was) = (name(rows.columns[column][row].kind), name(first));
            let reason = format!("the label {label:?} is {is}, but those before it are {was}");
            rows.bad.push(Bad { line: rows.lines[row], reason });
        }
        rows.bad.sort_by_key(|bad| bad.line);
        for cells in &mut rows.columns {
            retain(cells, &is_kept);
        }
        retain(&mut rows.raw, &is_kept);
        retain(&mut rows.lines, &is_kept);
    }
}

fn retain<T>(items: &mut Vec<T>, is_kept: &[bool]) {
    let mut kept = is_kept.iter();
    items.retain(|_| *kept.next().expect("one for each item"));
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Missing => "missing",
        Kind::Text => "text",
        Kind::Tokens => "tokens",
        Kind::Integer => "a whole number",
        Kind::Float => "a number with a fraction",
        Kind::Truth => "true or false",
        Kind::Nested => "an array or an object",
    }
}

/// How many \n there are, or how many \r where these are more: no format has more rows.
///
/// ```
/// assert_eq!(banbury_kernel::readers::n_line_ends(b"a\r\nb\rc"), 2);
/// ```
pub fn n_line_ends(bytes: &[u8]) -> u64 {
    count(b'\n', bytes).max(count(b'\r', bytes))
}

fn count(byte: u8, bytes: &[u8]) -> u64 {
    memchr::memchr_iter(byte, bytes).count() as u64
}

/// Ranges that cover `range`, about as long as each other; each ends with a line.
fn cut(block: &[u8], range: Range<usize>, parts: usize) -> Vec<Range<usize>> {
    let mut ranges = vec![];
    let mut from = range.start;
    for share in equal_parts(range.len(), parts) {
        let share = share.end + range.start;
        if share <= from {
            continue;
        }
        let to = memchr::memchr(b'\n', &block[share - 1..range.end]).map_or(range.end, |at| share + at);
        ranges.push(from..to);
        from = to;
    }
    ranges
}

/// The lines in a range of a block, without \n at their ends.
fn lines_of(block: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = range.start;
    std::iter::from_fn(move || {
        (from < range.end).then(|| {
            let end = memchr::memchr(b'\n', &block[from..range.end]).map_or(range.end, |at| from + at);
            let line = from..end;
            from = end + 1;
            line
        })
    })
}

/// Rows in the making.
struct RowBuilder<'a> {
    block: &'a [u8],
    uses: &'a [Use],
    /// The cells of the row that is being read.
    cells: Vec<Cell>,
    rows: Rows,
    /// So many bytes are likely to be made at the most: room for all of them is asked for once, and costs only where it is used.
    n_made: usize,
}

impl<'a> RowBuilder<'a> {
    fn new(block: &'a [u8], uses: &'a [Use]) -> Self {
        let columns = uses.iter().map(|_| vec![]).collect();
        let rows = Rows { columns, ..Rows::default() };
        RowBuilder { block, uses, cells: vec![Cell::default(); uses.len()], rows, n_made: 0 }
    }

    /// A cell that lies in the block.
    fn within(&mut self, column: usize, range: Range<usize>, kind: Kind) {
        self.cells[column] = Cell { start: range.start, end: range.end, kind };
    }

    /// A cell that has to be made, beside it.
    fn made(&mut self, column: usize, kind: Kind, make: impl FnOnce(&mut Vec<u8>)) {
        if self.rows.beside.capacity() == 0 {
            self.rows.beside.reserve(self.n_made);
        }
        let start = self.block.len() + self.rows.beside.len();
        make(&mut self.rows.beside);
        self.cells[column] = Cell { start, end: self.block.len() + self.rows.beside.len(), kind };
    }

    /// The row is what its cells are, or a bad one.
    fn finish(&mut self, raw: Range<usize>, line: u64) {
        match self.fault() {
            Some(reason) => self.bad(line, reason),
            None => {
                self.rows.columns.iter_mut().zip(&self.cells).for_each(|(column, &cell)| column.push(cell));
                self.rows.raw.push(raw);
                self.rows.lines.push(line);
            }
        }
        self.cells.fill(Cell::default());
    }

    fn fault(&self) -> Option<String> {
        self.uses.iter().zip(&self.cells).find_map(|(&column, cell)| match (column, cell.kind) {
            (Use::Text, Kind::Text | Kind::Tokens)
            | (Use::Value, _)
            | (Use::Label, Kind::Text | Kind::Integer | Kind::Truth) => None,
            (Use::Text, Kind::Missing) => Some("it has no text".into()),
            (Use::Text, kind) => Some(format!("its text is {}", name(kind))),
            (Use::Label, Kind::Missing) => Some("it has no label".into()),
            (Use::Label, kind) => {
                Some(format!("its label is {}; a label is text, a whole number, true or false", name(kind)))
            }
        })
    }

    fn bad(&mut self, line: u64, reason: String) {
        self.cells.fill(Cell::default());
        self.rows.bad.push(Bad { line, reason });
    }
}

/// Why these bytes are no text.
fn not_utf8(bytes: &[u8]) -> Option<String> {
    let error = std::str::from_utf8(bytes).err()?;
    let at = error.valid_up_to();
    Some(format!("byte {} of it (0x{:02x}) is not UTF-8", at + 1, bytes[at]))
}

#[cfg(test)]
mod tests;
