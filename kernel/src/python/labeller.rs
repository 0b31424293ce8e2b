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
    made_from: MadeFrom,
}

/// What counts were learned and what was chosen, then the settings: what else a labeller was made from. None of these objects changes,
/// so it is asked by identity whether they are still the same.
pub type MadeFrom = [Py<PyAny>; 7];

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
        made_from: MadeFrom,
    ) -> Labeller {
        Labeller { counts, version, forks: FORKS.load(Ordering::Relaxed), scorer, start, classes, made_from }
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
    /// Whether it was made from these.
    #[allow(clippy::too_many_arguments)]
    fn is_from(
        &self,
        learned: &Bound<'_, PyAny>,
        choice: &Bound<'_, PyAny>,
        likelihood: &Bound<'_, PyAny>,
        smoothing: &Bound<'_, PyAny>,
        vocabulary: &Bound<'_, PyAny>,
        prior: &Bound<'_, PyAny>,
        calibration: &Bound<'_, PyAny>,
    ) -> bool {
        let given = [learned, choice, likelihood, smoothing, vocabulary, prior, calibration];
        self.made_from.iter().zip(given).all(|(ours, given)| ours.is(given))
    }

    /// The label of a text; None where the counts have changed since, where it was not made from the others of these, and for a long
    /// text. One call asks for all of it: a second one would take a tenth of the time.
    #[allow(clippy::too_many_arguments)]
    fn label(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        learned: &Bound<'_, PyAny>,
        choice: &Bound<'_, PyAny>,
        likelihood: &Bound<'_, PyAny>,
        smoothing: &Bound<'_, PyAny>,
        vocabulary: &Bound<'_, PyAny>,
        prior: &Bound<'_, PyAny>,
        calibration: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Py<PyAny>>> {
        if !self.is_from(learned, choice, likelihood, smoothing, vocabulary, prior, calibration) {
            return Ok(None);
        }
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
