//! Scorers as Python sees them: what all of them do, and one each for the plain likelihoods and for the automatic model.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::array::{Array, Elements};
use super::correction::Correction;
use super::current::{
    Current, Curves, CurvesScorer, FormScorer, Likelihoods, ListedTerms, PairTerms, Scoring, Starts, Terms,
};
use super::labeller::{Labeller, MadeFrom};
use super::{Counts, exception, unknown};
use crate::counts;
use crate::likelihoods::{Form, Likelihood};
use crate::scoring::{self, Length};
use crate::text;

/// A form from its parts.
pub fn form_of(
    py: Python<'_>,
    likelihood: &str,
    smoothing: f64,
    absent_smoothing: f64,
    class_vocabulary: bool,
) -> PyResult<Form> {
    let likelihood = match likelihood {
        "multinomial" => Likelihood::Multinomial,
        "bernoulli" => Likelihood::Bernoulli,
        "complement" => Likelihood::Complement,
        name => return Err(exception(py, unknown("likelihood", name, "multinomial, bernoulli, complement"))),
    };
    Ok(Form { likelihood, smoothing, absent_smoothing, class_vocabulary })
}

/// What all scorers do.
#[pyclass(frozen, subclass, module = "banbury._kernel")]
pub struct Scorer {
    current: Arc<dyn Scoring>,
}

#[pymethods]
impl Scorer {
    #[pyo3(signature = (texts, start, threads, growth=None, version=None))]
    fn scores(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: Vec<f64>,
        threads: usize,
        growth: Option<Vec<f64>>,
        version: Option<u64>,
    ) -> PyResult<Array> {
        self.current.scores(py, texts, &Starts::new(start, growth), threads, version)
    }

    #[pyo3(signature = (texts, start, threads, growth=None, version=None))]
    fn best(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: Vec<f64>,
        threads: usize,
        growth: Option<Vec<f64>>,
        version: Option<u64>,
    ) -> PyResult<Array> {
        self.current.best(py, texts, &Starts::new(start, growth), threads, version)
    }

    #[pyo3(signature = (text, start, growth=None, version=None))]
    fn best_one(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: Vec<f64>,
        growth: Option<Vec<f64>>,
        version: Option<u64>,
    ) -> PyResult<u32> {
        self.current.best_one(py, text, &Starts::new(start, growth), version)
    }

    #[pyo3(signature = (text, start, growth=None, version=None))]
    fn terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: Vec<f64>,
        growth: Option<Vec<f64>>,
        version: Option<u64>,
    ) -> PyResult<Terms> {
        self.current.terms(py, text, &Starts::new(start, growth), version)
    }

    #[pyo3(signature = (text, pair, start, growth=None, version=None))]
    fn pair_terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        pair: (usize, usize),
        start: Vec<f64>,
        growth: Option<Vec<f64>>,
        version: Option<u64>,
    ) -> PyResult<PairTerms> {
        self.current.pair_terms(py, text, pair, &Starts::new(start, growth), version)
    }

    #[pyo3(signature = (text, start, growth=None, version=None))]
    fn listed_terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: Vec<f64>,
        growth: Option<Vec<f64>>,
        version: Option<u64>,
    ) -> PyResult<ListedTerms> {
        self.current.listed_terms(py, text, &Starts::new(start, growth), version)
    }

    fn labeller(
        &self,
        py: Python<'_>,
        version: u64,
        classes: Vec<Py<PyAny>>,
        start: Vec<f64>,
        growth: Option<Vec<f64>>,
        made_from: MadeFrom,
    ) -> Option<Labeller> {
        self.current.labeller(py, version, Starts::new(start, growth), classes, made_from)
    }
}

/// Scores by a plain likelihood.
#[pyclass(frozen, extends = Scorer, module = "banbury._kernel")]
pub struct PlainScorer {
    current: Arc<Current<Likelihoods>>,
}

#[pymethods]
impl PlainScorer {
    #[new]
    #[pyo3(signature = (counts, likelihood, smoothing, absent_smoothing, class_vocabulary, length=None))]
    fn new(
        py: Python<'_>,
        counts: Py<Counts>,
        likelihood: &str,
        smoothing: f64,
        absent_smoothing: f64,
        class_vocabulary: bool,
        length: Option<(f64, f64)>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let form = form_of(py, likelihood, smoothing, absent_smoothing, class_vocabulary)?;
        let length = length.map(|(scale, half)| Length { scale, half });
        let current = Arc::new(Current::new(counts, Likelihoods { form, length }));
        Ok(PyClassInitializer::from(Scorer { current: current.clone() }).add_subclass(PlainScorer { current }))
    }

    #[pyo3(signature = (names=None, min_documents=1, length=0.0))]
    fn weights(&self, py: Python<'_>, names: Option<Vec<String>>, min_documents: u64, length: f64) -> PyResult<Array> {
        let weights = |scorer: &FormScorer, counts: &counts::Counts, _: &text::Analyzer| {
            let weights = scorer.weights(counts, names.as_deref(), min_documents, length);
            by_feature(weights, counts)
        };
        self.current.with(py, weights)
    }

    #[pyo3(signature = (names=None, min_documents=1))]
    fn lengths(&self, py: Python<'_>, names: Option<Vec<String>>, min_documents: u64) -> PyResult<Array> {
        let lengths = self.current.with(py, |_, counts, _| {
            let features = scoring::features(counts, names.as_deref(), min_documents).into_iter();
            features.map(|(block, _)| counts.blocks[block].kind.length()).collect::<Vec<u8>>()
        })?;
        Ok(Array::flat(lengths))
    }

    fn log_likelihoods(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Array> {
        let n_classes = self.current.counts.get().n_classes();
        let (logs, n_texts) = self.current.rounds(py, texts, 1, None, |scorer, counts, analyzer, texts| {
            (counts.n_classes() == n_classes).then(|| scorer.log_likelihoods(counts, analyzer, texts))
        })?;
        Ok(Array::rows(logs, n_texts, n_classes))
    }

    fn log_orders(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Array> {
        let (logs, _) = self.current.rounds(py, texts, 1, None, |scorer, counts, analyzer, texts| {
            Some(scorer.log_orders(counts, analyzer, texts))
        })?;
        Ok(Array::flat(logs))
    }

    /// The features `names`, or all that were seen in at least `min_documents` documents.
    #[pyo3(signature = (names=None, min_documents=1))]
    fn table(&self, py: Python<'_>, names: Option<Vec<String>>, min_documents: u64) -> PyResult<FeatureTable> {
        let (names, documents, occurrences, log_probabilities) = self.current.with(py, |scorer, counts, _| {
            let table = scorer.table(counts, names.as_deref(), min_documents);
            let documents = by_feature(table.documents, counts);
            let occurrences = by_feature(table.occurrences, counts);
            (table.names, documents, occurrences, by_feature(table.log_probabilities, counts))
        })?;
        Ok(FeatureTable {
            names: PyList::new(py, names)?.unbind(),
            documents: Py::new(py, documents)?,
            occurrences: Py::new(py, occurrences)?,
            log_probabilities: Py::new(py, log_probabilities)?,
        })
    }
}

/// Numbers by feature and class.
fn by_feature<T>(numbers: Vec<T>, counts: &counts::Counts) -> Array
where
    Vec<T>: Into<Elements>,
{
    let n_classes = counts.n_classes();
    let n_features = numbers.len().checked_div(n_classes).unwrap_or(0);
    Array::rows(numbers, n_features, n_classes)
}

/// Features, and for each of them and each class what was counted.
#[pyclass(frozen, get_all, module = "banbury._kernel")]
pub struct FeatureTable {
    names: Py<PyList>,
    documents: Py<Array>,
    occurrences: Py<Array>,
    log_probabilities: Py<Array>,
}

/// Scores by trust curves: the automatic model.
#[pyclass(frozen, extends = Scorer, module = "banbury._kernel")]
pub struct TrustScorer {
    current: Arc<Current<Curves>>,
}

#[pymethods]
impl TrustScorer {
    #[new]
    #[pyo3(signature = (counts, curves, caps, correction=None, factors=vec![]))]
    fn new(
        counts: Py<Counts>,
        curves: Vec<f64>,
        caps: Vec<f64>,
        correction: Option<&Correction>,
        factors: Vec<f64>,
    ) -> PyClassInitializer<Self> {
        let correction = correction.map(|correction| correction.inner.clone());
        let current = Arc::new(Current::new(counts, Curves { numbers: curves, caps, factors, correction }));
        PyClassInitializer::from(Scorer { current: current.clone() }).add_subclass(TrustScorer { current })
    }

    #[pyo3(signature = (names=None, min_documents=1, lengths=vec![]))]
    fn weights(
        &self,
        py: Python<'_>,
        names: Option<Vec<String>>,
        min_documents: u64,
        lengths: Vec<f64>,
    ) -> PyResult<Array> {
        let weights = |scorer: &CurvesScorer, counts: &counts::Counts, _: &text::Analyzer| {
            let weights = scorer.weights(counts, names.as_deref(), min_documents, &lengths);
            by_feature(weights, counts)
        };
        self.current.with(py, weights)
    }
}
