//! Labels of single texts: all that is needed for one is kept, and nothing is made for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::input;
use super::scoring::{CurvesScorer, FormScorer, Starts};
use super::{Counts, FORKS};

/// Finds the label of one text after the other, by one version of the counts.
#[pyclass(frozen, module = "banbury._kernel")]
pub struct Labeller {
    counts: Py<Counts>,
    version: u64,
    forks: u64,
    scorer: AnyScorer,
    start: Starts,
    classes: Vec<Py<PyAny>>,
}

pub enum AnyScorer {
    Plain(Arc<FormScorer>),
    Trust(Arc<CurvesScorer>),
}

impl Labeller {
    /// The caller has made sure that all of it is of this version of the counts.
    pub(super) fn new(
        counts: Py<Counts>,
        version: u64,
        scorer: AnyScorer,
        start: Starts,
        classes: Vec<Py<PyAny>>,
    ) -> Labeller {
        Labeller { counts, version, forks: FORKS.load(Ordering::Relaxed), scorer, start, classes }
    }
}

#[pymethods]
impl Labeller {
    /// The label of a text; None where the counts have changed since, and for a long one.
    fn label(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Option<Py<PyAny>>> {
        Ok(self.number(text)?.map(|best| self.classes[best as usize].clone_ref(py)))
    }

    /// The number of its class.
    fn number(&self, text: &Bound<'_, PyString>) -> PyResult<Option<u32>> {
        let text = input::checked_text(text)?;
        let counts = self.counts.get();
        let (version, analyzer) = (counts.current(), &counts.analyzer);
        // A long text is read without the interpreter, by those who know how.
        let is_same = (version.number, FORKS.load(Ordering::Relaxed)) == (self.version, self.forks);
        if !is_same || !input::is_small(&[&text]) {
            return Ok(None);
        }
        let Some(start) = self.start.of(&version.counts) else { return Ok(None) };
        Ok(Some(match &self.scorer {
            AnyScorer::Plain(scorer) => scorer.best_one(&version.counts, analyzer, &text, start),
            AnyScorer::Trust(scorer) => scorer.best_one(&version.counts, analyzer, &text, start),
        }))
    }
}
