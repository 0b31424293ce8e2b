//! Documents as Python gives them: a list of `str`, any other sequence of them, an Arrow column from any library, or a column
//! of the rows of a file; or documents that are already tokens, which `banbury.text.tokens` makes one `str` each of.
//!
//! No Python object is made for any other. A lone surrogate, which Python's `str` can hold and UTF-8 cannot, reads as
//! U+FFFD, and so does each stretch of invalid UTF-8 that an Arrow column may hold.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::ArrayStreamReader;
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PySet, PyString, PyTuple};

use super::strings::{self, Content, Shared};
use crate::processor::Characters;
use crate::readers;
use crate::text::{MARK, is_given};
use crate::threads::{each_on_a_thread, equal_parts, n_threads};

/// Places in a text and in its tokens, which may take more room than the text, are numbers of 32 bits.
const LONGEST_TEXT: usize = 1 << 30;
/// Below so many documents for each, another thread costs more than it saves.
const FEW: usize = 1 << 13;

/// Columns that are kept, so that they can be read more than once: a stream ends with its first reader.
#[pyclass(frozen, sequence, module = "banbury._kernel")]
pub struct Held {
    pub columns: Vec<Column>,
}

#[pymethods]
impl Held {
    fn __len__(&self) -> usize {
        self.columns.iter().map(Column::len).sum()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        match text_in(&self.columns, row) {
            Some(text) => to_python(py, &text),
            None => Err(PyIndexError::new_err(format!("there is no text {row}"))),
        }
    }
}

/// Documents, kept alive.
pub enum Texts<'py> {
    Strings(Vec<Bound<'py, PyString>>),
    Columns(Vec<Column>),
}

impl<'py> Texts<'py> {
    pub fn new(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        if object.is_instance_of::<PySet>() || object.is_instance_of::<PyDict>() || object.is_instance_of::<PyBytes>() {
            return Err(input_error(py, format!("expected a list of documents, not {}", describe(object))));
        }
        if object.is_instance_of::<PyString>() {
            return Err(input_error(py, "expected a list of documents, not one str: put it into a list".into()));
        }
        if let Ok(list) = object.cast::<PyList>() {
            return strings(strings::items(list));
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return strings(tuple.iter());
        }
        if let Ok(held) = object.cast::<Held>() {
            return Ok(Texts::Columns(held.get().columns.clone()));
        }
        if let Some(arrays) = arrow_arrays(object)? {
            if arrays.iter().any(|array| matches!(array.data_type(), DataType::List(_) | DataType::LargeList(_)))
                && let Some(lists) =
                    ["to_pylist", "to_list", "tolist"].iter().find_map(|name| object.getattr(*name).ok())
                && let Ok(lists) = lists.call0()?.cast::<PyList>()
            {
                return strings(lists.iter());
            }
            return columns(py, arrays);
        }
        // NumPy and pandas make a list of their strings much faster than they can be iterated.
        if let Ok(tolist) = object.getattr("tolist")
            && let Ok(list) = tolist.call0()?.cast::<PyList>()
        {
            return strings(list.iter());
        }
        match object.try_iter() {
            Ok(items) => strings(items.collect::<PyResult<Vec<_>>>()?.into_iter()),
            Err(_) => Err(input_error(py, format!("expected a list of documents, not {}", describe(object)))),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Texts::Strings(strings) => strings.len(),
            Texts::Columns(columns) => columns.iter().map(Column::len).sum(),
        }
    }

    /// How many bytes they have all together, as UTF-8.
    pub fn bytes(&self) -> usize {
        match self {
            Texts::Strings(strings) => strings.iter().map(n_bytes).sum(),
            Texts::Columns(columns) => {
                columns.iter().flat_map(|column| (0..column.len()).map(|row| column.get(row).len())).sum()
            }
        }
    }

    /// One of the documents.
    pub fn get(&self, row: usize) -> Option<Cow<'_, str>> {
        match self {
            Texts::Strings(strings) => strings.get(row).map(text_of),
            Texts::Columns(columns) => text_in(columns, row),
        }
    }

    /// The documents as UTF-8, where they lie if they can be; many of them are read by up to so many threads.
    pub fn read(&self, py: Python<'_>, threads: usize) -> PyResult<Read<'_>> {
        let parts = equal_parts(self.len(), n_threads(threads).min(self.len() / FEW));
        let read = match self {
            Texts::Strings(strings) => {
                let shared = Shared::new(strings, py);
                let mut read = Read::joined(each_on_a_thread(&parts, |rows| Read::of_strings(shared, rows.clone())));
                for row in std::mem::take(&mut read.left) {
                    read.push_string(&strings[row]);
                    read.pieces.swap_remove(row);
                }
                read
            }
            Texts::Columns(columns) => {
                Read::joined(each_on_a_thread(&parts, |rows| Read::of_columns(columns, rows.clone())))
            }
        };
        match read.pieces.iter().map(Piece::len).enumerate().find(|(_, length)| *length > LONGEST_TEXT) {
            Some((row, length)) => Err(too_long(py, &format!("document {row}"), length)),
            None => Ok(read),
        }
    }
}

/// Documents with a class for each, and maybe a weight.
pub struct Labelled<'py> {
    pub texts: Texts<'py>,
    pub classes: Vec<u32>,
    pub weights: Option<Vec<u32>>,
}

impl<'py> Labelled<'py> {
    /// An error where there are not as many of each.
    pub fn new(texts: &Bound<'py, PyAny>, classes: &PyBuffer<u32>, weights: Option<&PyBuffer<u32>>) -> PyResult<Self> {
        let (py, texts) = (texts.py(), Texts::new(texts)?);
        let (classes, weights) = (classes.to_vec(py)?, weights.map(|weights| weights.to_vec(py)).transpose()?);
        for (what, n) in [("labels", Some(classes.len())), ("weights", weights.as_ref().map(Vec::len))] {
            if let Some(n) = n.filter(|n| *n != texts.len()) {
                return Err(input_error(py, format!("{} documents but {n} {what}", texts.len())));
            }
        }
        Ok(Labelled { texts, classes, weights })
    }
}

/// Documents as UTF-8.
#[derive(Default)]
pub struct Read<'a> {
    pieces: Vec<Piece<'a>>,
    /// Those that do not lie anywhere as UTF-8, many to a string.
    made: Vec<String>,
    /// Those that only Python can read. Their pieces are empty.
    left: Vec<usize>,
}

enum Piece<'a> {
    There(&'a str),
    /// A part of the string of this number.
    Made(usize, Range<usize>),
}

impl Piece<'_> {
    fn len(&self) -> usize {
        match self {
            Piece::There(text) => text.len(),
            Piece::Made(_, range) => range.len(),
        }
    }
}

impl<'a> Read<'a> {
    /// So many bytes go into one string: a longer one would be moved while it grows.
    const ROOM: usize = 256 << 10;

    fn with_room_for(n: usize) -> Self {
        Read { pieces: Vec::with_capacity(n), ..Read::default() }
    }

    /// Some of the strings, but for those that only Python can read.
    fn of_strings(strings: Shared<'a>, rows: Range<usize>) -> Self {
        let mut read = Read::with_room_for(rows.len());
        for row in rows {
            match strings.content(row) {
                Some(Content::Text(text)) if !is_given(text) => read.pieces.push(Piece::There(text)),
                Some(Content::Characters(characters)) => read.push_characters(characters),
                _ => {
                    read.left.push(row);
                    read.pieces.push(Piece::There(""));
                }
            }
        }
        read
    }

    /// Some of the rows of all columns.
    fn of_columns(columns: &'a [Column], rows: Range<usize>) -> Self {
        let (mut read, mut before) = (Read::with_room_for(rows.len()), 0);
        for column in columns {
            let [from, to] = [rows.start, rows.end].map(|row| row.saturating_sub(before).min(column.len()));
            (from..to).for_each(|row| read.push(column.text(row)));
            before += column.len();
        }
        read
    }

    /// Documents that follow each other, from several parts.
    fn joined(parts: Vec<Read<'a>>) -> Self {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().unwrap_or_default();
        for part in parts {
            let first = whole.made.len();
            whole.pieces.extend(part.pieces.into_iter().map(|piece| match piece {
                Piece::Made(number, range) => Piece::Made(first + number, range),
                there => there,
            }));
            whole.made.extend(part.made);
            whole.left.extend(part.left);
        }
        whole
    }

    fn push(&mut self, text: Cow<'a, str>) {
        match text {
            Cow::Borrowed(text) => self.pieces.push(Piece::There(text)),
            Cow::Owned(text) => self.make(text.len(), |made| made.push_str(&text)),
        }
    }

    fn push_characters(&mut self, characters: Characters) {
        self.make(characters.most_bytes(), |made| push(characters, made));
    }

    fn push_string(&mut self, string: &'a Bound<'_, PyString>) {
        match Source::of(string) {
            Source::There(text) => self.push(Cow::Borrowed(text)),
            Source::Text(text) => self.push(Cow::Owned(text)),
            Source::Characters(characters) => self.push_characters(characters),
        }
    }

    /// A piece that `append` appends to what it is given: so many bytes at the most.
    fn make(&mut self, most: usize, append: impl FnOnce(&mut String)) {
        let full = |made: &String| made.capacity() - made.len() < most;
        if self.made.last().is_none_or(full) {
            self.made.push(String::with_capacity(most.max(Self::ROOM)));
        }
        let number = self.made.len() - 1;
        let made = &mut self.made[number];
        let start = made.len();
        append(made);
        self.pieces.push(Piece::Made(number, start..made.len()));
    }

    /// All of them, in their order.
    pub fn slices(&self) -> Vec<&str> {
        let slice = |piece: &'_ Piece<'a>| match piece {
            Piece::There(text) => *text,
            Piece::Made(number, range) => &self.made[*number][range.clone()],
        };
        self.pieces.iter().map(slice).collect()
    }
}

fn text_in(columns: &[Column], row: usize) -> Option<Cow<'_, str>> {
    let mut before = 0;
    let holds = |column: &&Column| {
        let is_here = row < before + column.len();
        before += if is_here { 0 } else { column.len() };
        is_here
    };
    let column = columns.iter().find(holds)?;
    Some(column.text(row - before))
}

/// Bytes as text. Nearly all are UTF-8, which is found out several times as fast as where they are not.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    without_mark(std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed))
}

/// A text from outside: one that begins with the mark of tokens would be taken for these.
#[inline]
fn without_mark(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_given(&text) { Cow::Owned(text.replacen(MARK, "\u{fffd}", 1)) } else { text }
}

fn strings<'py>(items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Texts<'py>> {
    let string = |(row, item): (usize, Bound<'py, PyAny>)| {
        if item.is_exact_instance_of::<PyString>() {
            // SAFETY: it is one.
            return Ok(unsafe { item.cast_into_unchecked() });
        }
        item.cast_into().or_else(|error| tokens(row, error.into_inner()))
    };
    Ok(Texts::Strings(items.enumerate().map(string).collect::<PyResult<_>>()?))
}

/// A document that is no `str`: a sequence of tokens, or an error.
fn tokens(row: usize, item: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyString>> {
    let py = item.py();
    let is_sequence = item.hasattr("__iter__")?
        && !item.is_instance_of::<PyBytes>()
        && !item.is_instance_of::<PyDict>()
        && !item.is_instance_of::<PySet>();
    if !is_sequence {
        let what = describe(&item);
        return Err(input_error(
            py,
            format!("document {row} is {what}; each document must be a str or a list of tokens"),
        ));
    }
    let as_document = py.import("banbury.text.tokens")?.getattr("as_document")?;
    Ok(as_document.call1((item, format!("document {row}")))?.cast_into::<PyString>()?)
}

/// A document for Python: a `str`, or `Tokens` for one that came as these.
pub fn to_python<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if is_given(text) {
        return py.import("banbury.text.tokens")?.getattr("from_marked")?.call1((text,));
    }
    Ok(PyString::new(py, text).into_any())
}

/// The text of a `str` that is not too long.
pub fn checked_text<'a>(string: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    let text = text_of(string);
    if text.len() > LONGEST_TEXT { Err(too_long(string.py(), "the document", text.len())) } else { Ok(text) }
}

fn too_long(py: Python<'_>, what: &str, length: usize) -> PyErr {
    input_error(py, format!("{what} has {length} bytes; a document has at most {LONGEST_TEXT}: cut it into parts"))
}

/// The text of a `str`, where it lies if it can be; of `Tokens` the marked form.
fn text_of<'a>(string: &'a Bound<'_, PyString>) -> Cow<'a, str> {
    match Source::of(string) {
        Source::There(text) => Cow::Borrowed(text),
        Source::Text(text) => Cow::Owned(text),
        Source::Characters(characters) => {
            let mut text = String::new();
            push(characters, &mut text);
            Cow::Owned(text)
        }
    }
}

/// Where the text of a `str` comes from.
enum Source<'a> {
    There(&'a str),
    Text(String),
    Characters(Characters<'a>),
}

impl<'a> Source<'a> {
    #[inline]
    fn of(string: &'a Bound<'_, PyString>) -> Source<'a> {
        if !string.is_exact_instance_of::<PyString>()
            && let Some(marked) = marked(string)
        {
            return Source::Text(text_as_is(&marked).into_owned());
        }
        let text = match strings::content(string) {
            Some(Content::Text(text)) => Cow::Borrowed(text),
            Some(Content::Characters(characters)) => return Source::Characters(characters),
            None => text_as_is(string),
        };
        match without_mark(text) {
            Cow::Borrowed(text) => Source::There(text),
            Cow::Owned(text) => Source::Text(text),
        }
    }
}

/// Appends the characters of a text from outside.
fn push(characters: Characters, text: &mut String) {
    let start = text.len();
    characters.push_to(text);
    if is_given(&text[start..]) {
        text.replace_range(start..start + MARK.len_utf8(), "\u{fffd}");
    }
}

fn marked<'py>(string: &Bound<'py, PyString>) -> Option<Bound<'py, PyString>> {
    string.getattr("marked").ok()?.cast_into().ok()
}

/// How many bytes the text of a `str` has as UTF-8.
fn n_bytes(string: &Bound<'_, PyString>) -> usize {
    match Source::of(string) {
        Source::There(text) => text.len(),
        Source::Text(text) => text.len(),
        Source::Characters(characters) => characters.n_bytes(),
    }
}

fn text_as_is<'a>(string: &'a Bound<'_, PyString>) -> Cow<'a, str> {
    match string.to_str() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(without_surrogates(string)),
    }
}

/// Each lone surrogate becomes one U+FFFD, so that places in the text stay what they were.
fn without_surrogates(string: &Bound<'_, PyString>) -> String {
    let encoded = string.call_method1("encode", ("utf-8", "surrogatepass")).expect("surrogatepass encodes every str");
    let mut bytes = encoded.cast_into::<PyBytes>().expect("encode gives bytes").as_bytes().to_vec();
    for at in 0..bytes.len().saturating_sub(2) {
        if bytes[at] == 0xed && bytes[at + 1] >= 0xa0 {
            bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    String::from_utf8(bytes).expect("no surrogate is left")
}

/// A string column as bytes, since nobody has yet looked whether they are UTF-8.
#[derive(Clone)]
pub enum Column {
    Binary(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Dictionary {
        keys: Vec<usize>,
        values: Box<Column>,
    },
    /// Of a file.
    Rows {
        rows: Arc<readers::Rows>,
        column: usize,
    },
}

impl Column {
    fn new(array: &ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Column::Binary(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Column::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Column::View(array.as_string_view().clone().to_binary_view()),
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let values = Box::new(Column::new(dictionary.values())?);
                // An empty dictionary has no key to be brought into its range.
                let keys = if array.is_empty() { vec![] } else { dictionary.normalized_keys() };
                Column::Dictionary { keys, values }
            }
            // A column of nulls has no strings, and each of its rows is an error by itself.
            _ => return None,
        })
    }

    fn len(&self) -> usize {
        match self {
            Column::Binary(array) => array.len(),
            Column::Large(array) => array.len(),
            Column::View(array) => array.len(),
            Column::Dictionary { keys, .. } => keys.len(),
            Column::Rows { rows, .. } => rows.len(),
        }
    }

    /// A document; tokens in the form that the kernel reads.
    fn text(&self, row: usize) -> Cow<'_, str> {
        match self {
            Column::Rows { rows, column } if rows.kind(*column, row) == readers::Kind::Tokens => {
                String::from_utf8_lossy(rows.get(*column, row))
            }
            _ => lossy(self.get(row)),
        }
    }

    fn get(&self, row: usize) -> &[u8] {
        match self {
            Column::Binary(array) => array.value(row),
            Column::Large(array) => array.value(row),
            Column::View(array) => array.value(row),
            Column::Dictionary { keys, values } => values.get(keys[row]),
            Column::Rows { rows, column } => rows.get(*column, row),
        }
    }
}

fn columns<'py>(py: Python<'py>, arrays: Vec<ArrayRef>) -> PyResult<Texts<'py>> {
    let (mut columns, mut rows) = (vec![], 0);
    for array in arrays {
        let mut inner = &array;
        loop {
            let nulls = inner.logical_nulls();
            if let Some(row) = nulls.and_then(|nulls| (0..nulls.len()).find(|&row| nulls.is_null(row))) {
                let message = format!("document {} is missing (null); each document must be a string", rows + row);
                return Err(input_error(py, message));
            }
            // A table of one column is that column.
            let Some(table) = inner.as_struct_opt().filter(|table| table.num_columns() == 1) else { break };
            inner = table.column(0);
        }
        rows += inner.len();
        let wrong = || input_error(py, format!("expected an Arrow column of strings, not of {}", inner.data_type()));
        columns.push(Column::new(inner).ok_or_else(wrong)?);
    }
    Ok(Texts::Columns(columns))
}

/// The chunks of an object that speaks Arrow's PyCapsule interface; None for one that does not.
fn arrow_arrays(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ArrayRef>>> {
    let py = object.py();
    let failed = |error: ArrowError| input_error(py, format!("the Arrow column cannot be read: {error}"));
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: the capsule's name says what it points to; reading moves the stream out of it, as the interface wants.
        let reader = unsafe { ArrayStreamReader::from_raw(pointer.as_ptr().cast()) }.map_err(failed)?;
        return reader.collect::<Result<_, _>>().map(Some).map_err(failed);
    }
    if object.hasattr("__arrow_c_array__")? {
        let (schema, array) =
            object.call_method0("__arrow_c_array__")?.extract::<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)>()?;
        let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
        let array = array.pointer_checked(Some(c"arrow_array"))?;
        // SAFETY: as above; the array is moved out, the schema only looked at.
        let data = unsafe {
            let array = FFI_ArrowArray::from_raw(array.as_ptr().cast());
            from_ffi(array, schema.cast::<FFI_ArrowSchema>().as_ref())
        };
        return Ok(Some(vec![make_array(data.map_err(failed)?)]));
    }
    Ok(None)
}

/// An object in an error message: None, nan, 3.5 (a float), a bytes.
fn describe(object: &Bound<'_, PyAny>) -> String {
    if object.is_none() {
        return "None".into();
    }
    let kind = object.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string());
    match kind.as_str() {
        "float" | "int" | "bool" => {
            format!("{} (of type {kind})", object.str().map_or_else(|_| "?".into(), |s| s.to_string()))
        }
        "bytes" => "bytes (decode them first: data.decode(\"utf-8\", \"replace\"))".into(),
        _ => format!("of type {kind}"),
    }
}

/// An `InputError` with this message.
pub fn input_error(py: Python<'_>, message: String) -> PyErr {
    super::exception(py, crate::error::Error::Settings(message))
}

/// Below this many bytes the work is done before another thread could have used the interpreter.
const SMALL: usize = 4 << 10;

/// Whether texts are so short that the interpreter is held while they are worked on.
pub fn is_small(texts: &[&str]) -> bool {
    texts.iter().map(|text| text.len()).sum::<usize>() < SMALL
}
