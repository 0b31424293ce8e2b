//! Rows of files, and zstd, as Python sees them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use zstd::stream::raw::{Decoder, Encoder, InBuffer, Operation, OutBuffer};

use super::Mapped;
use super::input::{Column, Held, Labelled, Texts, input_error, to_python};
use crate::array::Bytes;
use crate::documents;
use crate::readers::{self, Dialect, Format, Kind, Use};
use crate::threads::n_threads;

/// Labels are few, and each is made once; texts that differ all the time are not kept.
const MOST_KEPT: usize = 4096;
const FIRST_KEPT: usize = 8;
const LEVEL: i32 = 3; // zstd's own
const PIECE: usize = 128 << 10; // of what is compressed

fn bytes_of(py: Python<'_>, buffer: PyBuffer<u8>) -> PyResult<Mapped> {
    Mapped::new(buffer).ok_or_else(|| input_error(py, "the buffer is not contiguous".into()))
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Reader {
    inner: Mutex<readers::Reader>,
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (format, uses, *, names, places, n_cells, delimiter, quotes, line, longest))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        format: &str,
        uses: Vec<String>,
        names: Vec<String>,
        places: Vec<usize>,
        n_cells: usize,
        delimiter: u8,
        quotes: bool,
        line: u64,
        longest: usize,
    ) -> PyResult<Self> {
        let wrong = |what: &str| input_error(py, format!("there is no reader for {what}"));
        let uses: Vec<Use> = uses
            .iter()
            .map(|name| match name.as_str() {
                "text" => Ok(Use::Text),
                "label" => Ok(Use::Label),
                "value" => Ok(Use::Value),
                name => Err(wrong(name)),
            })
            .collect::<PyResult<_>>()?;
        let (n_columns, format) = match format {
            "jsonl" => (names.len(), Format::Jsonl(names)),
            "csv" if places.iter().all(|&place| place < n_cells) => {
                (places.len(), Format::Delimited { dialect: Dialect { delimiter, quotes }, places, n_cells })
            }
            "fasttext" => (uses.len().clamp(1, 2), Format::FastText),
            "lines" => (1, Format::Lines),
            name => return Err(wrong(name)),
        };
        if !delimiter.is_ascii() {
            return Err(wrong("a delimiter that is half a character"));
        }
        if uses.len() != n_columns {
            return Err(wrong(&format!("{} of {n_columns} columns", uses.len())));
        }
        Ok(Reader { inner: Mutex::new(readers::Reader::new(format, uses, line, longest)) })
    }

    /// The rows that these bytes complete.
    fn feed(&self, py: Python<'_>, data: PyBuffer<u8>, is_last: bool, threads: usize) -> PyResult<Rows> {
        if !data.readonly() {
            return Err(input_error(py, "the rows keep the bytes that they are read from: give bytes".into()));
        }
        let data = Arc::new(bytes_of(py, data)?);
        let rows = py.detach(|| {
            let mut reader = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            reader.feed(data, is_last, n_threads(threads))
        });
        match rows {
            Ok(rows) => Ok(Rows { inner: Arc::new(rows) }),
            Err(bad) => Err(input_error(py, format!("line {}: {}", bad.line, bad.reason))),
        }
    }
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Rows {
    inner: Arc<readers::Rows>,
}

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// A column of texts, which stays where it is.
    fn texts(&self, column: usize) -> Held {
        Held { columns: vec![Column::Rows { rows: self.inner.clone(), column }] }
    }

    /// A column as Python objects.
    fn values<'py>(&self, py: Python<'py>, column: usize) -> PyResult<Bound<'py, PyList>> {
        // Most files have a handful of labels, which are compared sooner than a hash is made.
        let mut first: Vec<(&[u8], Bound<'py, PyAny>)> = vec![];
        let mut kept: HashMap<&[u8], Bound<'py, PyAny>> = HashMap::new();
        let values: Vec<Bound<'py, PyAny>> = (0..self.inner.len())
            .map(|row| {
                let cell = self.inner.get(column, row);
                let kind = self.inner.kind(column, row);
                if kind != Kind::Text {
                    return value(py, kind, cell);
                }
                if let Some((_, known)) = first.iter().find(|(text, _)| *text == cell) {
                    return Ok(known.clone());
                }
                if let Some(known) = kept.get(cell) {
                    return Ok(known.clone());
                }
                let made = value(py, kind, cell)?;
                if first.len() < FIRST_KEPT {
                    first.push((cell, made.clone()));
                } else if kept.len() < MOST_KEPT {
                    kept.insert(cell, made.clone());
                }
                Ok(made)
            })
            .collect::<PyResult<_>>()?;
        PyList::new(py, values)
    }

    /// The line that each row starts in.
    #[getter]
    fn lines(&self) -> Vec<u64> {
        self.inner.lines.clone()
    }

    /// The line and the reason of each row that could not be used.
    #[getter]
    fn bad(&self) -> Vec<(u64, &str)> {
        self.inner.bad.iter().map(|bad| (bad.line, bad.reason.as_str())).collect()
    }

    /// Rows as they stand in the file, each with \n at its end.
    #[pyo3(signature = (rows=None))]
    fn raw<'py>(&self, py: Python<'py>, rows: Option<PyBuffer<u32>>) -> PyResult<Bound<'py, PyBytes>> {
        let rows = match rows {
            Some(rows) => rows.to_vec(py)?,
            None => (0..self.inner.len() as u32).collect(),
        };
        if let Some(row) = rows.iter().find(|&&row| row as usize >= self.inner.len()) {
            return Err(input_error(py, format!("there is no row {row}; there are {}", self.inner.len())));
        }
        let lines = || rows.iter().map(|&row| self.inner.raw(row as usize));
        PyBytes::new_with(py, lines().map(|line| line.len() + 1).sum(), |mut raw| {
            for line in lines() {
                let (place, rest) = raw.split_at_mut(line.len() + 1);
                place[..line.len()].copy_from_slice(line);
                place[line.len()] = b'\n';
                raw = rest;
            }
            Ok(())
        })
    }
}

fn value<'py>(py: Python<'py>, kind: Kind, cell: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let text = std::str::from_utf8(cell).expect("readers keep UTF-8 only");
    Ok(match kind {
        Kind::Missing => py.None().into_bound(py),
        Kind::Text => PyString::new(py, text).into_any(),
        Kind::Tokens => to_python(py, text)?,
        Kind::Truth => (text == "true").into_pyobject(py)?.to_owned().into_any(),
        Kind::Integer => match text.parse::<i64>() {
            Ok(number) => number.into_pyobject(py)?.into_any(),
            Err(_) => py.import("json")?.call_method1("loads", (text,))?,
        },
        Kind::Float | Kind::Nested => py.import("json")?.call_method1("loads", (text,))?,
    })
}

/// How many line ends there are, at the most.
#[pyfunction]
pub fn n_line_ends(py: Python<'_>, data: PyBuffer<u8>) -> PyResult<u64> {
    let data = bytes_of(py, data)?;
    Ok(py.detach(|| readers::n_line_ends(data.bytes())))
}

/// All texts of several columns, one after the other.
#[pyfunction]
pub fn join<'py>(py: Python<'py>, parts: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    let mut columns = vec![];
    for part in &parts {
        match Texts::new(part)? {
            Texts::Columns(more) => columns.extend(more),
            Texts::Strings(_) => return Err(input_error(py, "only columns can be joined".into())),
        }
    }
    Ok(Bound::new(py, Held { columns })?.into_any())
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Sample {
    inner: Mutex<documents::Sample>,
}

#[pymethods]
impl Sample {
    #[new]
    fn new(most: usize) -> Self {
        Sample { inner: Mutex::new(documents::Sample::new(most)) }
    }

    #[pyo3(signature = (texts, classes, weights, threads, rows=None))]
    fn add(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        classes: PyBuffer<u32>,
        weights: Option<PyBuffer<u32>>,
        threads: usize,
        rows: Option<PyBuffer<u64>>,
    ) -> PyResult<()> {
        let Labelled { texts, classes, weights } = Labelled::new(texts, &classes, weights.as_ref())?;
        let rows = rows.map(|rows| rows.to_vec(py)).transpose()?;
        if let Some(n) = rows.as_ref().map(Vec::len).filter(|n| *n != texts.len()) {
            return Err(input_error(py, format!("{} documents but {n} rows", texts.len())));
        }
        let read = texts.read(py, threads)?;
        let slices = read.slices();
        py.detach(|| {
            let mut sample = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            sample.add(&slices, &classes, weights.as_deref(), rows.as_deref(), n_threads(threads));
        });
        Ok(())
    }

    /// The documents: their texts, classes, weights, and where they were among all that were given.
    fn documents<'py>(&self, py: Python<'py>) -> PyResult<Sampled<'py>> {
        let (mut texts, mut classes, mut weights, mut rows) = (vec![], vec![], vec![], vec![]);
        for (text, of) in self.inner.lock().unwrap_or_else(PoisonError::into_inner).documents() {
            texts.push(text.to_string());
            classes.push(of.class);
            weights.push(of.weight);
            rows.push(of.row);
        }
        // Python may run other threads here, so the lock is gone.
        let texts = texts.iter().map(|text| to_python(py, text)).collect::<PyResult<_>>()?;
        Ok((texts, classes, weights, rows))
    }
}

/// Texts, classes, weights and places of a sample.
type Sampled<'py> = (Vec<Bound<'py, PyAny>>, Vec<u32>, Vec<u32>, Vec<u64>);

fn failed(error: std::io::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct ZstdDecoder {
    state: Mutex<(Decoder<'static>, Vec<u8>, bool)>,
}

#[pymethods]
impl ZstdDecoder {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(ZstdDecoder { state: Mutex::new((Decoder::new().map_err(failed)?, vec![], true)) })
    }

    /// What `data` expand to, at most so many bytes; what is left over waits for the next call.
    fn decompress<'py>(&self, py: Python<'py>, data: PyBuffer<u8>, most: usize) -> PyResult<Bound<'py, PyBytes>> {
        let data = bytes_of(py, data)?;
        let expanded = py.detach(|| -> std::io::Result<Vec<u8>> {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let (decoder, waiting, is_complete) = &mut *state;
            waiting.extend_from_slice(data.bytes());
            let mut expanded = vec![0; most];
            let (mut used, mut made) = (0, 0);
            while made < most {
                let mut input = InBuffer::around(&waiting[used..]);
                let mut output = OutBuffer::around(&mut expanded[made..]);
                let hint = decoder.run(&mut input, &mut output)?;
                let (n_in, n_out) = (input.pos(), output.pos());
                (used, made) = (used + n_in, made + n_out);
                if n_in + n_out > 0 {
                    *is_complete = hint == 0;
                }
                if n_out == 0 && (n_in == 0 || used == waiting.len()) {
                    break;
                }
            }
            waiting.drain(..used);
            expanded.truncate(made);
            Ok(expanded)
        });
        Ok(PyBytes::new(py, &expanded.map_err(failed)?))
    }

    /// Whether the last frame has come to its end.
    #[getter]
    fn is_complete(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).2
    }
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct ZstdEncoder {
    encoder: Mutex<Encoder<'static>>,
}

#[pymethods]
impl ZstdEncoder {
    #[new]
    fn new() -> PyResult<Self> {
        Ok(ZstdEncoder { encoder: Mutex::new(Encoder::new(LEVEL).map_err(failed)?) })
    }

    fn compress<'py>(&self, py: Python<'py>, data: PyBuffer<u8>) -> PyResult<Bound<'py, PyBytes>> {
        let data = bytes_of(py, data)?;
        let compressed = py.detach(|| -> std::io::Result<Vec<u8>> {
            let mut encoder = self.encoder.lock().unwrap_or_else(PoisonError::into_inner);
            let (mut compressed, mut piece, mut input) = (vec![], vec![0; PIECE], InBuffer::around(data.bytes()));
            while input.pos() < data.bytes().len() {
                let mut output = OutBuffer::around(piece.as_mut_slice());
                encoder.run(&mut input, &mut output)?;
                compressed.extend_from_slice(output.as_slice());
            }
            Ok(compressed)
        });
        Ok(PyBytes::new(py, &compressed.map_err(failed)?))
    }

    /// The end of the frame.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut encoder = self.encoder.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut compressed, mut piece) = (vec![], vec![0; PIECE]);
        loop {
            let mut output = OutBuffer::around(piece.as_mut_slice());
            let left = encoder.finish(&mut output, true).map_err(failed)?;
            compressed.extend_from_slice(output.as_slice());
            if left == 0 {
                return Ok(PyBytes::new(py, &compressed));
            }
        }
    }
}
