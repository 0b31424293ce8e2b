//! The correction of the automatic model, and what fits it, as Python sees them.

use std::sync::{Arc, PoisonError, RwLock};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::array::Array as Numbers;
use super::input::input_error;
use super::selection::Documents;
use super::{Mapped, exception};
use crate::array::Array;
use crate::correction;
use crate::error::Error;
use crate::threads::n_threads;

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Correction {
    pub inner: Arc<correction::Correction>,
}

#[pymethods]
impl Correction {
    #[new]
    fn new(
        py: Python<'_>,
        hashes: PyBuffer<u8>,
        weights: PyBuffer<u8>,
        n_scored: usize,
        scale: (f64, f64, f64),
    ) -> PyResult<Self> {
        let (factor, typical, cap) = scale;
        let scale = correction::Scale { factor, typical, cap };
        let made = || {
            let hashes = Array::mapped(Arc::new(Mapped::new(hashes)?))?;
            let weights = Array::mapped(Arc::new(Mapped::new(weights)?))?;
            correction::Correction::new(hashes, weights, n_scored, scale)
        };
        let unsound = || exception(py, Error::Damaged("the weights of its correction do not fit its features".into()));
        Ok(Correction { inner: Arc::new(made().ok_or_else(unsound)?) })
    }

    fn arrays<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let bytes = |slice: &[u8]| PyBytes::new(py, slice);
        (bytes(self.inner.hashes().as_bytes()), bytes(self.inner.weights().as_bytes()))
    }

    #[getter]
    fn scale(&self) -> (f64, f64, f64) {
        let correction::Scale { factor, typical, cap } = self.inner.scale();
        (factor, typical, cap)
    }

    fn arranged(&self, py: Python<'_>, sums: Vec<Vec<(usize, f32)>>) -> PyResult<Self> {
        if sums.is_empty() || sums.iter().flatten().any(|&(column, _)| column >= self.inner.n_scored()) {
            return Err(input_error(py, "there is no such column".into()));
        }
        Ok(Correction { inner: Arc::new(py.detach(|| self.inner.arranged(&sums))) })
    }
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Ridge {
    inner: RwLock<correction::Ridge>,
    n_documents: usize,
}

#[pymethods]
impl Ridge {
    #[new]
    fn new(py: Python<'_>, documents: &Documents, weights: PyBuffer<f64>, offsets: PyBuffer<f64>) -> PyResult<Self> {
        let (weights, offsets) = (weights.to_vec(py)?, offsets.to_vec(py)?);
        let n_documents = documents.inner.len();
        let inner = documents.with(py, |counts, _| {
            let n_scored = if counts.n_classes() == 2 { 1 } else { counts.n_classes() };
            let fits = weights.len() == n_documents && offsets.len() == n_documents * n_scored;
            fits.then(|| correction::Ridge::new(counts, &documents.inner, weights, offsets))
        })?;
        let inner = inner.ok_or_else(|| input_error(py, "the arrays do not fit the documents".into()))?;
        Ok(Ridge { inner: RwLock::new(inner), n_documents })
    }

    fn fit(&self, py: Python<'_>, penalty: f64, steps: usize, threads: usize) -> f64 {
        py.detach(|| {
            let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
            inner.fit(penalty, steps, n_threads(threads))
        })
    }

    fn scores(&self, py: Python<'_>, documents: &Documents, threads: usize) -> PyResult<Numbers> {
        let (scores, n_scored) = documents.with(py, |_, _| {
            let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
            (inner.scores(&documents.inner, n_threads(threads)), inner.n_scored())
        })?;
        Ok(Numbers::rows(scores, documents.inner.len(), n_scored))
    }

    fn correction(&self, py: Python<'_>, documents: &Documents, threads: usize) -> PyResult<Correction> {
        let fitted = documents.with(py, |counts, _| {
            let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
            (documents.inner.len() == self.n_documents).then(|| inner.correction(counts, n_threads(threads)))
        })?;
        let made = fitted.ok_or_else(|| input_error(py, "these are other documents".into()))?;
        Ok(Correction { inner: Arc::new(made) })
    }
}
