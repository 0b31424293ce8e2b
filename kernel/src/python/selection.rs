//! Documents for leave-one-out, and the scorer of the automatic model, as Python sees them.

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::input::{self, Held, Texts, input_error};
use super::{Counts, State, form_of, in_rounds, processors};
use crate::counts;
use crate::documents;
use crate::regression;
use crate::selection;
use crate::text;
use crate::trust;

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Documents {
    counts: Py<Counts>,
    version: u64,
    inner: documents::Documents,
}

impl Documents {
    fn with<R: Send>(
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
        counts.get().check(py)?;
        let texts = Texts::new(texts)?;
        let (classes, weights) = (classes.to_vec(py)?, weights.map(|weights| weights.to_vec(py)).transpose()?);
        if classes.len() != texts.len() {
            return Err(input_error(py, format!("{} documents but {} labels", texts.len(), classes.len())));
        }
        let read = texts.read();
        let slices: Vec<&str> = read.iter().map(|text| &**text).collect();
        let inner = counts.get();
        let (version, inner) = py.detach(|| {
            let state = inner.read();
            let weights = weights.as_deref();
            let threads = processors(threads);
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
    fn places<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, bytemuck::cast_slice(&self.inner.places))
    }

    #[getter]
    fn classes(&self) -> Vec<u32> {
        self.inner.classes.clone()
    }

    #[getter]
    fn weights(&self) -> Vec<u32> {
        self.inner.weights.clone()
    }

    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        likelihood: &str,
        smoothing: f64,
        absent_smoothing: f64,
        class_vocabulary: bool,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let form = form_of(py, likelihood, smoothing, absent_smoothing, class_vocabulary)?;
        let scores =
            self.with(py, |counts, _| selection::leave_one_out(counts, form, &self.inner, processors(threads)))?;
        Ok(PyBytes::new(py, bytemuck::cast_slice(&scores)))
    }

    fn basis<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<Bound<'py, PyBytes>> {
        let values = self.with(py, |counts, analyzer| {
            trust::Corpus::new(counts, analyzer).basis(&self.inner, processors(threads))
        })?;
        Ok(PyBytes::new(py, bytemuck::cast_slice(&values)))
    }

    fn scores<'py>(&self, py: Python<'py>, curves: Vec<f64>, threads: usize) -> PyResult<Bound<'py, PyBytes>> {
        let scores = self.with(py, |counts, analyzer| {
            let corpus = trust::Corpus::new(counts, analyzer);
            (corpus.shape().len() == curves.len())
                .then(|| corpus.leave_one_out(&self.inner, &curves, processors(threads)))
        })?;
        let scores = scores.ok_or_else(|| misfit(py))?;
        Ok(PyBytes::new(py, bytemuck::cast_slice(&scores)))
    }
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
        own: PyBuffer<u32>,
        weights: PyBuffer<f64>,
        n_classes: usize,
    ) -> PyResult<Self> {
        let (features, own, weights) = (features.to_vec(py)?, own.to_vec(py)?, weights.to_vec(py)?);
        let n_scored = if n_classes == 2 { 1 } else { n_classes };
        if features.len() != own.len() * n_scored * n_features || own.len() != weights.len() {
            return Err(input_error(py, "the arrays of the regression do not fit each other".into()));
        }
        Ok(Regression { inner: regression::Regression::new(features, n_features, own, weights, n_classes) })
    }

    fn grouped(&self, ranges: Vec<(usize, usize)>, coefficients: Vec<f64>) -> Self {
        let ranges: Vec<_> = ranges.into_iter().map(|(from, to)| from..to).collect();
        Regression { inner: self.inner.grouped(&ranges, &coefficients) }
    }

    fn size(&self, coefficients: Vec<f64>) -> f64 {
        self.inner.size(&coefficients)
    }

    fn log_probabilities<'py>(
        &self,
        py: Python<'py>,
        coefficients: Vec<f64>,
        bias: Vec<f64>,
        threads: usize,
    ) -> Bound<'py, PyBytes> {
        let logs = py.detach(|| self.inner.log_probabilities(&coefficients, &bias, processors(threads)));
        PyBytes::new(py, bytemuck::cast_slice(&logs))
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
            self.inner.fit(&prior, processors(threads))
        })
    }
}

fn misfit(py: Python<'_>) -> PyErr {
    input_error(py, "the curves are not those of these counts".into())
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct TrustScorer {
    counts: Py<Counts>,
    curves: Vec<f64>,
    /// The scorer of one version of the counts; made anew when they have changed.
    current: RwLock<Option<(u64, Arc<trust::Scorer>)>>,
}

impl TrustScorer {
    fn current(&self, state: &State, analyzer: &text::Analyzer) -> Option<Arc<trust::Scorer>> {
        if let Some((version, scorer)) = &*self.current.read().unwrap_or_else(PoisonError::into_inner)
            && *version == state.version
        {
            return Some(scorer.clone());
        }
        if trust::Shape::new(analyzer, state.counts.n_classes()).len() != self.curves.len() {
            return None;
        }
        let scorer = Arc::new(trust::Scorer::new(&state.counts, analyzer, self.curves.clone()));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some((state.version, scorer.clone()));
        Some(scorer)
    }

    fn rounds<R: Send>(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: &[f64],
        work: impl Fn(&trust::Scorer, &counts::Counts, &text::Analyzer, &[&str]) -> Vec<R> + Sync,
    ) -> PyResult<Vec<R>> {
        let counts = self.counts.get();
        counts.check(py)?;
        let found = in_rounds(py, texts, |slices| {
            let state = counts.read();
            let scorer = self.current(&state, &counts.analyzer).filter(|_| state.counts.n_classes() == start.len());
            vec![scorer.map(|scorer| work(&scorer, &state.counts, &counts.analyzer, slices))]
        })?;
        let found: Option<Vec<Vec<R>>> = found.into_iter().collect();
        Ok(found.ok_or_else(|| misfit(py))?.into_iter().flatten().collect())
    }
}

#[pymethods]
impl TrustScorer {
    #[new]
    fn new(counts: Py<Counts>, curves: Vec<f64>) -> Self {
        TrustScorer { counts, curves, current: RwLock::new(None) }
    }

    fn scores<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        start: Vec<f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let scores = self.rounds(py, texts, &start, |scorer, counts, analyzer, texts| {
            scorer.scores(counts, analyzer, texts, &start, processors(threads))
        })?;
        Ok(PyBytes::new(py, bytemuck::cast_slice(&scores)))
    }

    fn best<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        start: Vec<f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let best = self.rounds(py, texts, &start, |scorer, counts, analyzer, texts| {
            scorer.best(counts, analyzer, texts, &start, processors(threads))
        })?;
        Ok(PyBytes::new(py, bytemuck::cast_slice(&best)))
    }

    fn best_one(&self, py: Python<'_>, text: &Bound<'_, PyString>, start: Vec<f64>) -> PyResult<u32> {
        let counts = self.counts.get();
        counts.check(py)?;
        let text = input::text_of(text);
        let state = counts.read();
        let scorer = self.current(&state, &counts.analyzer).filter(|_| state.counts.n_classes() == start.len());
        let scorer = scorer.ok_or_else(|| misfit(py))?;
        Ok(scorer.best(&state.counts, &counts.analyzer, &[&text], &start, 1)[0])
    }

    fn terms(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Vec<Option<Vec<f64>>>> {
        let counts = self.counts.get();
        counts.check(py)?;
        let text = input::text_of(text);
        let state = counts.read();
        let scorer = self.current(&state, &counts.analyzer).ok_or_else(|| misfit(py))?;
        Ok(scorer.terms(&state.counts, &counts.analyzer, &text))
    }

    #[pyo3(signature = (names=None, min_documents=1))]
    fn weights<'py>(
        &self,
        py: Python<'py>,
        names: Option<Vec<String>>,
        min_documents: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let counts = self.counts.get();
        counts.check(py)?;
        let weights = py.detach(|| {
            let state = counts.read();
            let scorer = self.current(&state, &counts.analyzer)?;
            Some(scorer.weights(&state.counts, names.as_deref(), min_documents))
        });
        Ok(PyBytes::new(py, bytemuck::cast_slice(&weights.ok_or_else(|| misfit(py))?)))
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
    let read = texts.read();
    Ok((read.len(), py.detach(|| read.iter().map(|text| text.chars().count()).sum())))
}

/// One of the documents.
#[pyfunction]
pub fn text_at(texts: &Bound<'_, PyAny>, row: usize) -> PyResult<Option<String>> {
    let texts = Texts::new(texts)?;
    Ok(texts.get(row).map(|text| text.into_owned()))
}
