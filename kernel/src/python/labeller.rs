//! Labels of single texts: all that is needed for one is kept, and nothing is made for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::current::{CurvesScorer, FormScorer, Starts};
use super::input;
use super::{Counts, FORKS};
use crate::counts;
use crate::scoring::Start;
use crate::text;

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

/// The classes, and the score of each.
type ClassScores = (Vec<Py<PyAny>>, Vec<f64>);

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

    /// What `work` makes of a short text; None where the counts have changed since, and for a long one.
    fn with<T>(
        &self,
        text: &Bound<'_, PyString>,
        work: impl FnOnce(&AnyScorer, &counts::Counts, &text::Analyzer, &str, Start) -> T,
    ) -> PyResult<Option<T>> {
        let text = input::checked_text(text)?;
        let counts = self.counts.get();
        let version = counts.current();
        // A long text is read without the interpreter, by those who know how.
        let is_same = (version.number, FORKS.load(Ordering::Relaxed)) == (self.version, self.forks);
        if !is_same || !input::is_small(&[&text]) {
            return Ok(None);
        }
        let Some(start) = self.start.of(&version.counts) else { return Ok(None) };
        Ok(Some(work(&self.scorer, &version.counts, &counts.analyzer, &text, start)))
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
        self.with(text, |scorer, counts, analyzer, text, start| match scorer {
            AnyScorer::Plain(scorer) => scorer.best_one(counts, analyzer, text, start),
            AnyScorer::Trust(scorer) => scorer.best_one(counts, analyzer, text, start),
        })
    }

    /// The classes, and the score of each.
    fn scores(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<Option<ClassScores>> {
        let scores = self.with(text, |scorer, counts, analyzer, text, start| match scorer {
            AnyScorer::Plain(scorer) => scorer.scores(counts, analyzer, &[text], start, 1),
            AnyScorer::Trust(scorer) => scorer.scores(counts, analyzer, &[text], start, 1),
        })?;
        Ok(scores.map(|scores| (self.classes.iter().map(|class| class.clone_ref(py)).collect(), scores)))
    }
}
