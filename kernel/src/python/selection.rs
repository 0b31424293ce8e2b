//! Documents for leave-one-out, and what is fitted to them, as Python sees them.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use super::array::Array;
use super::input::{Held, Texts, input_error};
use super::scoring::{MISFIT, form_of};
use super::{Analyzer, Counts, exception};
use crate::counts;
use crate::documents;
use crate::duplicates;
use crate::regression;
use crate::selection;
use crate::text;
use crate::threads::n_threads;
use crate::trust;

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Documents {
    counts: Py<Counts>,
    version: u64,
    pub inner: documents::Documents,
}

impl Documents {
    pub fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&counts::Counts, &text::Analyzer) -> R + Send,
    ) -> PyResult<R> {
        let counts = self.counts.get();
        py.detach(|| {
            let state = counts.read();
            (state.version == self.version).then(|| work(&state.counts, &counts.analyzer))
        })
        .ok_or_else(|| input_error(py, "the counts have changed since these documents were looked up".into()))
    }
}

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (counts, texts, classes, weights, most, threads))]
    fn new(
        py: Python<'_>,
        counts: Py<Counts>,
        texts: &Bound<'_, PyAny>,
        classes: PyBuffer<u32>,
        weights: Option<PyBuffer<u32>>,
        most: usize,
        threads: usize,
    ) -> PyResult<Self> {
        let texts = Texts::new(texts)?;
        let (classes, weights) = (classes.to_vec(py)?, weights.map(|weights| weights.to_vec(py)).transpose()?);
        if classes.len() != texts.len() {
            return Err(input_error(py, format!("{} documents but {} labels", texts.len(), classes.len())));
        }
        let read = texts.read(py)?;
        let slices: Vec<&str> = read.iter().map(|text| &**text).collect();
        let inner = counts.get();
        let (version, inner) = py.detach(|| {
            let state = inner.read();
            let weights = weights.as_deref();
            let threads = n_threads(threads);
            let found =
                documents::Documents::new(&state.counts, &inner.analyzer, &slices, &classes, weights, most, threads);
            (state.version, found)
        });
        Ok(Documents { counts, version, inner })
    }

    #[getter]
    fn rows(&self) -> Vec<u32> {
        self.inner.rows.clone()
    }

    #[getter]
    fn places(&self) -> Array {
        Array::flat(self.inner.places.clone())
    }

    #[getter]
    fn classes(&self) -> Vec<u32> {
        self.inner.classes.clone()
    }

    #[getter]
    fn weights(&self) -> Vec<u32> {
        self.inner.weights.clone()
    }

    fn words(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Incidence> {
        let found = self.with(py, |counts, _| self.inner.incidence(counts, &names))?;
        Ok(Incidence {
            lengths: Py::new(py, Array::flat(found.lengths))?,
            ends: Py::new(py, Array::flat(found.ends))?,
            words: Py::new(py, Array::flat(found.words))?,
        })
    }

    /// Counts without the first `n` documents, and the other documents as these know them.
    fn held_out(&self, py: Python<'_>, n: usize) -> PyResult<(Py<Counts>, Self)> {
        let found = self.with(py, |counts, _| self.inner.held_out(counts, n))?;
        let (counts, inner) = found.map_err(|error| exception(py, error))?;
        let counts = Py::new(py, Counts::with(self.counts.get().analyzer.clone(), counts))?;
        Ok((counts.clone_ref(py), Documents { counts, version: 0, inner }))
    }

    fn log_likelihoods(
        &self,
        py: Python<'_>,
        likelihood: &str,
        smoothing: f64,
        absent_smoothing: f64,
        class_vocabulary: bool,
        threads: usize,
    ) -> PyResult<Array> {
        let form = form_of(py, likelihood, smoothing, absent_smoothing, class_vocabulary)?;
        let (scores, n_classes) = self.with(py, |counts, _| {
            let scores = selection::leave_one_out(counts, form, &self.inner, n_threads(threads));
            (scores, counts.n_classes())
        })?;
        Ok(Array::rows(scores, self.inner.len(), n_classes))
    }

    fn basis(&self, py: Python<'_>, threads: usize) -> PyResult<Array> {
        let (values, shape) = self.with(py, |counts, analyzer| {
            let corpus = trust::Corpus::new(counts, analyzer);
            let shape = [self.inner.len(), corpus.shape().n_scored(), corpus.shape().len()];
            (corpus.basis(&self.inner, n_threads(threads)), shape)
        })?;
        Ok(Array::new(values, &shape))
    }

    fn scores(&self, py: Python<'_>, curves: Vec<f64>, threads: usize) -> PyResult<Array> {
        let found = self.with(py, |counts, analyzer| {
            let corpus = trust::Corpus::new(counts, analyzer);
            let fits = corpus.shape().len() == curves.len();
            fits.then(|| (corpus.leave_one_out(&self.inner, &curves, n_threads(threads)), corpus.shape().n_scored()))
        })?;
        let (scores, n_scored) = found.ok_or_else(|| input_error(py, MISFIT.into()))?;
        Ok(Array::rows(scores, self.inner.len(), n_scored))
    }
}

/// Which of some words documents have.
#[pyclass(frozen, get_all, module = "banbury._kernel")]
pub struct Incidence {
    lengths: Py<Array>,
    ends: Py<Array>,
    words: Py<Array>,
}

/// Penalised softmax regression.
#[pyclass(frozen, module = "banbury._kernel")]
pub struct Regression {
    inner: regression::Regression,
}

#[pymethods]
impl Regression {
    #[new]
    fn new(
        py: Python<'_>,
        features: PyBuffer<f64>,
        n_features: usize,
        classes: PyBuffer<u32>,
        weights: PyBuffer<f64>,
        n_classes: usize,
    ) -> PyResult<Self> {
        let (features, classes, weights) = (features.to_vec(py)?, classes.to_vec(py)?, weights.to_vec(py)?);
        let n_scored = if n_classes == 2 { 1 } else { n_classes };
        if features.len() != classes.len() * n_scored * n_features || classes.len() != weights.len() {
            return Err(input_error(py, "the arrays of the regression do not fit each other".into()));
        }
        Ok(Regression { inner: regression::Regression::new(features, n_features, classes, weights, n_classes) })
    }

    fn grouped(&self, ranges: Vec<(usize, usize)>, coefficients: Vec<f64>) -> Self {
        let ranges: Vec<_> = ranges.into_iter().map(|(from, to)| from..to).collect();
        Regression { inner: self.inner.grouped(&ranges, &coefficients) }
    }

    fn size(&self, coefficients: Vec<f64>) -> f64 {
        self.inner.size(&coefficients)
    }

    fn log_probabilities(&self, py: Python<'_>, coefficients: Vec<f64>, bias: Vec<f64>, threads: usize) -> Array {
        let logs = py.detach(|| self.inner.log_probabilities(&coefficients, &bias, n_threads(threads)));
        let n_documents = logs.len().checked_div(bias.len()).unwrap_or(0);
        Array::rows(logs, n_documents, bias.len())
    }

    fn fit(
        &self,
        py: Python<'_>,
        mean: Vec<f64>,
        precision: Vec<f64>,
        bias: Vec<f64>,
        bias_precision: f64,
        threads: usize,
    ) -> (Vec<f64>, Vec<f64>) {
        py.detach(|| {
            let prior = regression::Prior { mean: &mean, precision: &precision, bias: &bias, bias_precision };
            self.inner.fit(&prior, n_threads(threads))
        })
    }
}

/// Documents that can be read more than once.
#[pyfunction]
pub fn hold<'py>(py: Python<'py>, texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match Texts::new(texts)? {
        Texts::Columns(columns) => Ok(Bound::new(py, Held { columns })?.into_any()),
        Texts::Strings(strings) => Ok(pyo3::types::PyList::new(py, strings)?.into_any()),
    }
}

/// How many documents there are, and how many characters they have all together.
#[pyfunction]
pub fn measure(py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<(usize, usize)> {
    let texts = Texts::new(texts)?;
    let read = texts.read(py)?;
    Ok((read.len(), py.detach(|| read.iter().map(|text| text.chars().count()).sum())))
}

/// Signatures of documents, by which nearly equal ones are found.
#[pyfunction]
pub fn signatures(py: Python<'_>, analyzer: &Analyzer, texts: &Bound<'_, PyAny>, threads: usize) -> PyResult<Array> {
    let texts = Texts::new(texts)?;
    let read = texts.read(py)?;
    let slices: Vec<&str> = read.iter().map(|text| &**text).collect();
    let found = py.detach(|| duplicates::signatures(&analyzer.inner, &slices, n_threads(threads)));
    Ok(Array::rows(found, slices.len(), duplicates::HASHES))
}

/// How many bytes the documents have all together.
#[pyfunction]
pub fn size(texts: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(Texts::new(texts)?.bytes())
}

/// One of the documents.
#[pyfunction]
pub fn text_at(texts: &Bound<'_, PyAny>, row: usize) -> PyResult<Option<String>> {
    let texts = Texts::new(texts)?;
    Ok(texts.get(row).map(|text| text.into_owned()))
}
