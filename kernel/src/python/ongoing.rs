//! Documents that are counted batch by batch, as Python sees it.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use super::input::{Labelled, input_error};
use super::{Analyzer, Counts, exception, interrupted};
use crate::counting::{Batch, Ongoing};
use crate::text;
use crate::threads::n_threads;

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Counting {
    analyzer: Arc<text::Analyzer>,
    /// None once it has come to its end, which an error is, too.
    ongoing: Mutex<Option<Ongoing>>,
}

impl Counting {
    fn take(&self, py: Python<'_>) -> PyResult<Ongoing> {
        let taken = self.ongoing.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| input_error(py, "the counting has come to its end".into()))
    }
}

#[pymethods]
impl Counting {
    #[new]
    fn new(analyzer: &Analyzer) -> Self {
        let analyzer = analyzer.inner.clone();
        Counting { ongoing: Mutex::new(Some(Ongoing::new(analyzer.clone()))), analyzer }
    }

    #[pyo3(signature = (texts, classes, weights, n_classes, threads))]
    fn add(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        classes: PyBuffer<u32>,
        weights: Option<PyBuffer<u32>>,
        n_classes: usize,
        threads: usize,
    ) -> PyResult<()> {
        let Labelled { texts, classes, weights } = Labelled::new(texts, &classes, weights.as_ref())?;
        if let Some(class) = classes.iter().find(|&&class| class as usize >= n_classes) {
            return Err(input_error(py, format!("there is no class {class}; there are {n_classes}")));
        }
        let read = texts.read(py, threads)?;
        let slices = read.slices();
        let batch = Batch { texts: &slices, classes: &classes, weights: weights.as_deref(), n_classes };
        let mut ongoing = self.take(py)?;
        let ongoing = py.detach(|| ongoing.add(batch, n_threads(threads), &interrupted).map(|()| ongoing));
        let ongoing = ongoing.map_err(|error| exception(py, error))?;
        *self.ongoing.lock().unwrap_or_else(PoisonError::into_inner) = Some(ongoing);
        Ok(())
    }

    fn finish(&self, py: Python<'_>, threads: usize) -> PyResult<Counts> {
        let ongoing = self.take(py)?;
        let counts = py.detach(|| ongoing.finish(n_threads(threads))).map_err(|error| exception(py, error))?;
        Ok(Counts::with(self.analyzer.clone(), counts))
    }
}
