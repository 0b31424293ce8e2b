//! The kernel as Python sees it: the module `banbury._kernel`, whose contract is `src/banbury/_kernel.pyi`.
//!
//! Functions here turn arguments into Rust, let go of the interpreter while the work runs, and turn the result into
//! Python. Counts that others may read are only locked while the interpreter is held, for as long as it takes to get hold of a
//! version or to make a small change: nobody waits for long, and a process that forks leaves no lock behind.

mod array;
mod cells;
mod correction;
mod current;
mod input;
mod labeller;
mod labels;
mod ongoing;
mod process;
mod readers;
mod scoring;
mod selection;
mod strings;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::array::Bytes;
use crate::counting::{self, Batch};
use crate::counts;
use crate::error::Error;
use crate::likelihoods;
use crate::overlapping::Sets;
use crate::processor;
use crate::text::{self, Punctuation, Settings, Token, Treatment};
use crate::threads::n_threads;
use crate::versions::{Change, Version, Versions, changed_copy};
use crate::vocabulary::{Seed, UNKNOWN};
use array::Array;
use input::{Labelled, input_error};

/// The exception for an error of the kernel: the one place where that is decided.
fn exception(py: Python<'_>, error: Error) -> PyErr {
    let name = match &error {
        Error::Interrupted => return PyErr::take(py).unwrap_or_else(|| PyKeyboardInterrupt::new_err(())),
        Error::Damaged(_) => "FileFormatError",
        Error::NeverAdded { .. } | Error::LeftOver { .. } | Error::TooMany { .. } => "CountError",
        Error::Settings(_) | Error::TooLarge { .. } => "InputError",
    };
    let place = match &error {
        Error::NeverAdded { class, .. } | Error::LeftOver { class } | Error::TooMany { class, .. } => Some(*class),
        _ => None,
    };
    let raise = || -> PyResult<PyErr> {
        let class = py.import("banbury.errors")?.getattr(name)?;
        let value = match place {
            Some(class_number) => class.call1((error.to_string(), class_number))?,
            None => class.call1((error.to_string(),))?,
        };
        Ok(PyErr::from_value(value))
    };
    raise().unwrap_or_else(|error| error)
}

/// What is said to one who expected another version of the counts.
fn changed(py: Python<'_>) -> PyErr {
    let raise =
        || -> PyResult<PyErr> { Ok(PyErr::from_value(py.import("banbury.errors")?.getattr("ChangedError")?.call0()?)) };
    raise().unwrap_or_else(|error| error)
}

fn interrupted() -> bool {
    Python::attach(|py| match py.check_signals() {
        Ok(()) => false,
        Err(error) => {
            error.restore(py);
            true
        }
    })
}

#[pyclass(frozen, module = "banbury._kernel")]
struct Analyzer {
    inner: Arc<text::Analyzer>,
}

#[pymethods]
impl Analyzer {
    #[new]
    #[pyo3(signature = (*, words, lowercase, urls, handles, emails, tags, punctuation, emoticons, negation, stop_words,
                        stemmer, min_length, ngrams, characters, keywords))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        words: Option<&str>,
        lowercase: bool,
        urls: &str,
        handles: &str,
        emails: &str,
        tags: &str,
        punctuation: &str,
        emoticons: bool,
        negation: bool,
        stop_words: Vec<String>,
        stemmer: Option<String>,
        min_length: usize,
        ngrams: (u8, u8),
        characters: Option<(u8, u8)>,
        keywords: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let treatment = |name: &str| match name {
            "keep" => Ok(Treatment::Keep),
            "remove" => Ok(Treatment::Remove),
            "replace" => Ok(Treatment::Replace),
            "split" => Ok(Treatment::Split),
            _ => Err(unknown("treatment", name, "keep, remove, replace, split")),
        };
        let settings = || {
            Ok(Settings {
                words: match words {
                    None => None,
                    Some("unicode") => Some(text::Words::Unicode),
                    Some("python") => Some(text::Words::Python),
                    Some(name) => return Err(unknown("words", name, "unicode, python, None")),
                },
                lowercase,
                urls: treatment(urls)?,
                handles: treatment(handles)?,
                emails: treatment(emails)?,
                tags: treatment(tags)?,
                punctuation: match punctuation {
                    "none" => Punctuation::None,
                    "expressive" => Punctuation::Expressive,
                    "all" => Punctuation::All,
                    name => return Err(unknown("punctuation", name, "none, expressive, all")),
                },
                emoticons,
                negation,
                stop_words,
                stemmer,
                min_length,
                ngrams,
                characters,
                keywords,
            })
        };
        let inner = settings().and_then(text::Analyzer::new).map_err(|error| exception(py, error))?;
        Ok(Analyzer { inner: Arc::new(inner) })
    }

    fn tokens(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<(String, usize, usize)>> {
        Ok(self.inner.tokens(&input::checked_text(text)?).into_iter().map(parts).collect())
    }

    fn features(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<(String, usize, usize)>> {
        Ok(self.inner.features(&input::checked_text(text)?).into_iter().map(parts).collect())
    }
}

fn unknown(what: &str, name: &str, known: &str) -> Error {
    Error::Settings(format!("{what} is {name:?}; it can be {known}"))
}

fn parts(token: Token) -> (String, usize, usize) {
    (token.text, token.start, token.end)
}

/// How often this process, or one that it comes from, has forked.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// To be called in a process that has just been forked: what other threads were about to finish will never be.
#[pyfunction]
fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

#[pyclass(frozen, module = "banbury._kernel")]
struct Counts {
    analyzer: Arc<text::Analyzer>,
    versions: Mutex<Versions>,
    /// Whether there has been something that reads them; until then they are changed in place, whatever their size.
    is_read: AtomicBool,
}

impl Counts {
    fn with(analyzer: Arc<text::Analyzer>, counts: counts::Counts) -> Self {
        Counts::of(analyzer, Versions::new(counts))
    }

    fn of(analyzer: Arc<text::Analyzer>, versions: Versions) -> Self {
        Counts { analyzer, versions: Mutex::new(versions), is_read: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, Versions> {
        // A panic elsewhere cannot leave counts half changed: they are checked before, and changed in one go.
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The counts as they are now, and as they will stay for whoever has them.
    fn current(&self) -> Arc<Version> {
        self.lock().current().clone()
    }

    /// The same for one who will come again.
    fn current_for_reader(&self) -> Arc<Version> {
        self.is_read.store(true, Ordering::Relaxed);
        self.current()
    }

    fn change(&self, py: Python<'_>, change: &Change) -> PyResult<()> {
        if !self.is_read.load(Ordering::Relaxed) {
            return py.detach(|| self.lock().change_alone(change)).map_err(|error| exception(py, error));
        }
        if let Some(result) = self.lock().change(change) {
            return result.map_err(|error| exception(py, error));
        }
        loop {
            let before = self.current();
            let copy = py.detach(|| changed_copy(&before, change)).map_err(|error| exception(py, error))?;
            let replaced = self.lock().replace(copy, before.number, Some(change));
            if let Ok(released) = replaced {
                py.detach(|| drop((released, before)));
                return Ok(());
            }
        }
    }
}

#[pymethods]
impl Counts {
    #[new]
    #[pyo3(signature = (analyzer, n_classes, *, overlapping=false))]
    fn new(analyzer: &Analyzer, n_classes: usize, overlapping: bool) -> Self {
        let kinds = counts::Kind::of(analyzer.inner.settings());
        let mut counts = counts::Counts::new(&kinds, n_classes);
        counts.is_overlapping = overlapping;
        Counts::with(analyzer.inner.clone(), counts)
    }

    #[staticmethod]
    #[pyo3(signature = (analyzer, arrays, *, overlapping=false))]
    fn from_arrays(
        py: Python<'_>,
        analyzer: &Analyzer,
        arrays: &Bound<'_, PyDict>,
        overlapping: bool,
    ) -> PyResult<Self> {
        let kinds = counts::Kind::of(analyzer.inner.settings());
        let array = |name: &str| -> Result<Arc<dyn Bytes>, Error> {
            let missing = || Error::Damaged(format!("array {name:?} is missing"));
            let object = arrays.get_item(name).ok().flatten().ok_or_else(missing)?;
            let buffer = PyBuffer::<u8>::get(&object).map_err(|_| missing())?;
            Ok(Arc::new(Mapped::new(buffer).ok_or_else(missing)?))
        };
        let mut counts = counts::Counts::mapped(&kinds, &array, n_threads(0)).map_err(|error| exception(py, error))?;
        if overlapping {
            let damaged = || Error::Damaged("a label has more documents than there are".into());
            counts = counts.overlapping().ok_or_else(|| exception(py, damaged()))?;
        }
        Ok(Counts::with(analyzer.inner.clone(), counts))
    }

    /// New counts of these documents alone.
    #[pyo3(signature = (texts, classes, weights, n_classes, threads))]
    fn count(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        classes: PyBuffer<u32>,
        weights: Option<PyBuffer<u32>>,
        n_classes: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let Labelled { texts, classes, weights } = Labelled::new(texts, &classes, weights.as_ref())?;
        let read = texts.read(py)?;
        let slices = read.slices();
        let analyzer = &*self.analyzer;
        let batch = Batch { texts: &slices, classes: &classes, weights: weights.as_deref(), n_classes };
        let counted = if input::is_small(&slices) {
            counting::count(analyzer, batch, 1, &|| false)
        } else {
            py.detach(|| counting::count(analyzer, batch, n_threads(threads), &interrupted))
        };
        Ok(Counts::with(self.analyzer.clone(), counted.map_err(|error| exception(py, error))?))
    }

    /// New counts of classes that overlap, from counts by set of labels: class 0 has all documents.
    fn spread(&self, py: Python<'_>, sets: Vec<Vec<u32>>, n_classes: usize) -> PyResult<Self> {
        let version = self.current();
        let sets = Sets::new(sets, n_classes).filter(|sets| sets.len() == version.counts.n_classes());
        let sets = sets.ok_or_else(|| input_error(py, "the sets of labels do not fit the counts".into()))?;
        let spread = py.detach(move || version.counts.spread(&sets, n_classes));
        Ok(Counts::with(self.analyzer.clone(), spread.map_err(|error| exception(py, error))?))
    }

    fn add(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.change(py, &Change::Add(other.current()))
    }

    fn subtract(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.change(py, &Change::Subtract(other.current()))
    }

    /// Class `c` becomes class `to[c]`; None for one that goes, with all it has. Only for counts that nobody else has.
    fn renumber(&self, py: Python<'_>, to: Vec<Option<u32>>, n_classes: usize) -> PyResult<()> {
        let to: Vec<u32> = to.into_iter().map(|class| class.unwrap_or(UNKNOWN)).collect();
        py.detach(|| self.lock().renumber(&to, n_classes));
        Ok(())
    }

    /// A copy with so many documents of each class, and of each feature those of `other`.
    fn with_documents(&self, py: Python<'_>, documents: Vec<u64>, other: &Self) -> PyResult<Self> {
        let (version, other) = (self.current(), other.current());
        let counts = py.detach(move || version.counts.with_documents(documents, &other.counts));
        let counts = counts.ok_or_else(|| input_error(py, "these were not counted from the same features".into()))?;
        Ok(Counts::with(self.analyzer.clone(), counts))
    }

    /// A copy with the features that were seen in at least so many documents.
    fn pruned(&self, py: Python<'_>, min_documents: u64) -> PyResult<Self> {
        let version = self.current();
        let counts = py.detach(move || {
            let rows: Vec<_> = version.counts.blocks.iter().map(|block| &block.rows).collect();
            let documents =
                |block: usize, id| rows[block].get(id).iter().map(|cell| u64::from(cell.documents)).sum::<u64>();
            version.counts.settled(|block, id| documents(block, id) >= min_documents, Seed::of_this_process())
        });
        Ok(Counts::with(self.analyzer.clone(), counts))
    }

    /// A copy in which each count is halved so many times, and rounded.
    fn halved(&self, py: Python<'_>, times: u32) -> PyResult<Self> {
        let version = self.current();
        let counts = py.detach(move || version.counts.halved(times));
        Ok(Counts::with(self.analyzer.clone(), counts))
    }

    /// A copy with the blocks that `analyzer` fills, which this one's does too.
    fn narrowed(&self, py: Python<'_>, analyzer: &Analyzer) -> PyResult<Self> {
        let kinds = counts::Kind::of(analyzer.inner.settings());
        let mut copy = self.cloned(py);
        copy.blocks.retain(|block| kinds.contains(&block.kind));
        if copy.blocks.len() != kinds.len() {
            return Err(input_error(py, "the analyzer has blocks that were not counted".into()));
        }
        Ok(Counts::with(analyzer.inner.clone(), copy))
    }

    /// So many counts that add up to these: which of them has a feature depends on its name alone.
    fn shards(&self, py: Python<'_>, n: usize) -> Vec<Self> {
        let version = self.current();
        let shards = py.detach(move || version.counts.shards(n.max(1)));
        shards.into_iter().map(|counts| Counts::with(self.analyzer.clone(), counts)).collect()
    }

    /// Counts that change on their own from now on; both have the same memory until one of them does.
    fn copy(&self) -> Self {
        Counts::of(self.analyzer.clone(), Versions::of(self.current()))
    }

    /// The arrays as a file holds them; the same counts give the same.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let version = self.current();
        let settled = py.detach(move || version.counts.settled(|_, _| true, Seed::of_files()));
        let dict = PyDict::new(py);
        settled.hand_over(|name, bytes| dict.set_item(name, PyBytes::new(py, bytes)))?;
        Ok(dict)
    }

    /// Every feature that is counted, and the classes that have it.
    fn postings(&self, py: Python<'_>) -> PyResult<Postings> {
        let version = self.current();
        let postings = py.detach(move || version.counts.postings());
        Ok(Postings {
            names: PyList::new(py, postings.names)?.unbind(),
            ends: Py::new(py, Array::flat(postings.ends))?,
            classes: Py::new(py, Array::flat(postings.classes))?,
            occurrences: Py::new(py, Array::flat(postings.occurrences))?,
        })
    }

    /// Goes up with every change.
    #[getter]
    fn version(&self) -> u64 {
        self.lock().current().number
    }

    /// The version, and the documents of each class, of one moment.
    fn moment(&self) -> (u64, Vec<u64>) {
        let versions = self.lock();
        (versions.current().number, versions.current().counts.documents.clone())
    }

    #[getter]
    fn n_classes(&self) -> usize {
        self.lock().current().counts.n_classes()
    }

    #[getter]
    fn n_features(&self) -> u64 {
        self.lock().current().counts.blocks.iter().map(|block| block.rows.live).sum()
    }

    /// How many different features each class has.
    #[getter]
    fn vocabulary(&self) -> Vec<u64> {
        likelihoods::own_features(&self.lock().current().counts)
    }

    #[getter]
    fn documents(&self) -> Vec<u64> {
        self.lock().current().counts.documents.clone()
    }

    #[getter]
    fn occurrences(&self) -> Vec<u64> {
        let versions = self.lock();
        let counts = &versions.current().counts;
        let sum = |class: usize| counts.blocks.iter().map(|block| block.rows.sums[class].occurrences).sum();
        (0..counts.n_classes()).map(sum).collect()
    }
}

impl Counts {
    fn cloned(&self, py: Python<'_>) -> counts::Counts {
        let version = self.current();
        py.detach(move || version.counts.clone())
    }
}

/// Features, where the classes of each end, these classes, and how often they have it.
#[pyclass(frozen, get_all, module = "banbury._kernel")]
struct Postings {
    names: Py<PyList>,
    ends: Py<Array>,
    classes: Py<Array>,
    occurrences: Py<Array>,
}

/// A Python buffer that stays as it is while it is looked at: a mapped, read-only file.
struct Mapped {
    buffer: PyBuffer<u8>,
}

impl Mapped {
    fn new(buffer: PyBuffer<u8>) -> Option<Self> {
        buffer.is_c_contiguous().then_some(Mapped { buffer })
    }
}

impl Bytes for Mapped {
    #[allow(unsafe_code)]
    fn bytes(&self) -> &[u8] {
        if self.buffer.len_bytes() == 0 {
            return &[];
        }
        // SAFETY: the buffer is contiguous and kept by `self`; storage.py hands out read-only maps of files that are
        // replaced by renaming, never written to.
        unsafe { std::slice::from_raw_parts(self.buffer.buf_ptr().cast(), self.buffer.len_bytes()) }
    }
}

/// The CRC-32 of a buffer.
#[pyfunction]
fn checksum(py: Python<'_>, buffer: PyBuffer<u8>) -> PyResult<u32> {
    let mapped = Mapped::new(buffer).ok_or_else(|| input_error(py, "the buffer is not contiguous".into()))?;
    Ok(py.detach(|| processor::checksum(mapped.bytes())))
}

/// What the processor's instructions in use are called.
#[pyfunction]
fn instructions() -> &'static str {
    processor::instructions()
}

/// The languages that can be stemmed.
#[pyfunction]
fn stemmers() -> Vec<&'static str> {
    text::stemmers()
}

/// The stop words of a language; None where there is no list.
#[pyfunction]
fn stop_words(name: &str) -> Option<Vec<&'static str>> {
    text::stop_words(name).map(<[_]>::to_vec)
}

#[pymodule(gil_used = true)]
fn _kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Analyzer>()?;
    module.add_class::<Array>()?;
    module.add_class::<Counts>()?;
    module.add_class::<Postings>()?;
    module.add_class::<ongoing::Counting>()?;
    module.add_function(wrap_pyfunction!(forked, module)?)?;
    module.add_class::<scoring::Scorer>()?;
    module.add_class::<scoring::PlainScorer>()?;
    module.add_class::<scoring::FeatureTable>()?;
    module.add_class::<input::Held>()?;
    module.add_class::<selection::Documents>()?;
    module.add_class::<selection::Incidence>()?;
    module.add_class::<selection::Regression>()?;
    module.add_class::<selection::Basis>()?;
    module.add_class::<selection::LeftOut>()?;
    module.add_class::<scoring::TrustScorer>()?;
    module.add_class::<labeller::Labeller>()?;
    module.add_function(wrap_pyfunction!(labels::types, module)?)?;
    module.add_function(wrap_pyfunction!(labels::distinct, module)?)?;
    module.add_function(wrap_pyfunction!(labels::distinct_strings, module)?)?;
    module.add_function(wrap_pyfunction!(labels::numbers, module)?)?;
    module.add_class::<readers::Reader>()?;
    module.add_class::<readers::Rows>()?;
    module.add_class::<readers::Sample>()?;
    module.add_class::<readers::ZstdDecoder>()?;
    module.add_class::<readers::ZstdEncoder>()?;
    module.add_function(wrap_pyfunction!(readers::join, module)?)?;
    module.add_function(wrap_pyfunction!(readers::n_line_ends, module)?)?;
    module.add_class::<cells::CellEvidence>()?;
    module.add_class::<cells::CellLayout>()?;
    module.add_class::<cells::CellReading>()?;
    module.add_class::<cells::CellRows>()?;
    module.add_function(wrap_pyfunction!(cells::cell_codes, module)?)?;
    module.add_function(wrap_pyfunction!(cells::weigh, module)?)?;
    module.add_class::<correction::Correction>()?;
    module.add_class::<correction::Ridge>()?;
    module.add_function(wrap_pyfunction!(selection::hold, module)?)?;
    module.add_function(wrap_pyfunction!(selection::measure, module)?)?;
    module.add_function(wrap_pyfunction!(selection::size, module)?)?;
    module.add_function(wrap_pyfunction!(selection::signatures, module)?)?;
    module.add_function(wrap_pyfunction!(selection::text_at, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(checksum, module)?)?;
    module.add_function(wrap_pyfunction!(instructions, module)?)?;
    module.add_function(wrap_pyfunction!(process::keep_memory, module)?)?;
    module.add_function(wrap_pyfunction!(stemmers, module)?)?;
    module.add_function(wrap_pyfunction!(stop_words, module)?)?;
    Ok(())
}
