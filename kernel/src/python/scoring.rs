//! Scorers as Python sees them: one for the plain likelihoods, one for the automatic model.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::array::{Array, Elements};
use super::correction::Correction;
use super::input::{self, Texts, input_error};
use super::labeller::{AnyScorer, Labeller};
use super::{Counts, FORKS, changed, exception, unknown};
use crate::correction;
use crate::counts;
use crate::likelihoods::{Form, Likelihood};
use crate::scoring::{self, Length, Plain, Reading, Start};
use crate::text;
use crate::threads::n_threads;
use crate::trust;
use crate::versions::Version;

/// Bytes of text that are worked on between two looks at whether the user wants to stop.
const ROUND: usize = 64 << 20;

/// What is said where something was made for other counts.
pub const MISFIT: &str = "the curves, or what scores start from, are not those of these counts";

/// What a way to read counts is made from.
pub trait Recipe: Send + Sync {
    type Reading: Reading;

    /// The way to read these counts; None where it is one for others.
    fn reading(&self, counts: &counts::Counts, analyzer: &text::Analyzer) -> Option<Self::Reading>;
}

/// A plain likelihood, and how it is calibrated.
pub struct Likelihoods {
    form: Form,
    length: Option<Length>,
}

impl Recipe for Likelihoods {
    type Reading = Plain;

    fn reading(&self, counts: &counts::Counts, analyzer: &text::Analyzer) -> Option<Plain> {
        if self.form.likelihood == Likelihood::Bernoulli {
            // The interpreter is held, so nobody forks meanwhile.
            counts.blocks.iter().for_each(|block| block.rows.keep_histograms());
        }
        Some(Plain::new(counts, analyzer, self.form, self.length))
    }
}

/// The curves of the automatic model, and its correction.
pub struct Curves {
    numbers: Vec<f64>,
    caps: Vec<f64>,
    factors: Vec<f64>,
    correction: Option<Arc<correction::Correction>>,
}

impl Recipe for Curves {
    type Reading = trust::Model;

    fn reading(&self, counts: &counts::Counts, analyzer: &text::Analyzer) -> Option<trust::Model> {
        let shape = trust::Shape::new(analyzer, counts);
        let is_for = |correction: &Arc<correction::Correction>| correction.n_scored() == shape.n_scored();
        let curves = trust::Curves::new(&shape, &self.numbers, &self.caps)?;
        let curves = curves.with_factors(&shape, self.factors.clone())?;
        let fits = self.correction.as_ref().is_none_or(is_for);
        fits.then(|| trust::Model::new(counts, analyzer, &curves, self.correction.clone()))
    }
}

/// Where the scores of a text start, and what each of its features adds to them.
type Terms = (Vec<f64>, Vec<Option<Vec<f64>>>);

/// The same for one class against another: the starts by class, of each known feature its weight and its place. A text of 2,000
/// letters can have 7,000 features, and Python would make objects of each.
type PairTerms = (Vec<f64>, Array, Array);

fn pair_terms((start, terms): Terms, features: Vec<text::Token>, (ours, theirs): (usize, usize)) -> PairTerms {
    let (mut weights, mut places) = (vec![], vec![]);
    for (term, feature) in terms.iter().zip(features) {
        let Some(by_class) = term else { continue };
        // A repeat that counts only once has no weights; two impossible classes are equally impossible.
        weights.push(match (by_class.get(ours), by_class.get(theirs)) {
            (Some(ours), Some(theirs)) if ours != theirs => ours - theirs,
            _ => 0.0,
        });
        places.extend([feature.start as i64, feature.end as i64]);
    }
    let n_known = weights.len();
    (start, Array::flat(weights), Array::rows(places, n_known, 2))
}

/// The scorer of a recipe.
type ScorerOf<R> = scoring::Scorer<<R as Recipe>::Reading>;
pub type FormScorer = ScorerOf<Likelihoods>;
pub type CurvesScorer = ScorerOf<Curves>;

/// Counts that may change, with a scorer that is made anew when they have.
struct Current<R: Recipe> {
    counts: Py<Counts>,
    recipe: R,
    latest: Mutex<Option<Latest<R>>>,
}

/// The scorer of one version of the counts.
struct Latest<R: Recipe> {
    number: u64,
    /// In a process that was forked since, another thread may have been about to finish some of it.
    forks: u64,
    scorer: Arc<ScorerOf<R>>,
}

/// A version of the counts, and what scores by it.
struct Taken<R: Recipe> {
    version: Arc<Version>,
    scorer: Arc<ScorerOf<R>>,
    analyzer: Arc<text::Analyzer>,
}

impl<R: Recipe> Current<R> {
    fn new(counts: Py<Counts>, recipe: R) -> Self {
        Current { counts, recipe, latest: Mutex::new(None) }
    }

    /// The counts as they are, and their scorer; an error where something is not for these counts, or where `expected` is another
    /// version than theirs.
    fn take(&self, py: Python<'_>, expected: Option<u64>) -> PyResult<Taken<R>> {
        let counts = self.counts.get();
        let version = counts.current_for_reader();
        if expected.is_some_and(|expected| expected != version.number) {
            return Err(changed(py));
        }
        let forks = FORKS.load(Ordering::Relaxed);
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let analyzer = counts.analyzer.clone();
        if let Some(known) = &*latest
            && (known.number, known.forks) == (version.number, forks)
        {
            return Ok(Taken { version, scorer: known.scorer.clone(), analyzer });
        }
        let reading = self.recipe.reading(&version.counts, &analyzer);
        let reading = reading.ok_or_else(|| input_error(py, MISFIT.into()))?;
        let is_live = version.number > 0;
        let mut scorer = scoring::Scorer::new(&version.counts, &analyzer, reading, is_live);
        if let Some(known) = &*latest
            && known.forks == forks
        {
            scorer = scorer.with_memory_of(&known.scorer);
        }
        let scorer = Arc::new(scorer);
        *latest = Some(Latest { number: version.number, forks, scorer: scorer.clone() });
        Ok(Taken { version, scorer, analyzer })
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&ScorerOf<R>, &counts::Counts, &text::Analyzer) -> T + Send,
    ) -> PyResult<T> {
        let taken = self.take(py, None)?;
        // What was taken is let go before the interpreter is waited for.
        Ok(py.detach(move || work(&taken.scorer, &taken.version.counts, &taken.analyzer)))
    }

    /// Runs `work` on rounds of texts, without the interpreter but for very short ones, and joins the results; also the
    /// number of texts.
    fn rounds<T: Send>(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        expected: Option<u64>,
        work: impl Fn(&ScorerOf<R>, &counts::Counts, &text::Analyzer, &[&str]) -> Option<Vec<T>> + Sync,
    ) -> PyResult<(Vec<T>, usize)> {
        let texts = Texts::new(texts)?;
        let read = texts.read(py)?;
        let slices: Vec<&str> = read.iter().map(|text| &**text).collect();
        let taken = self.take(py, expected)?;
        let run = |slices: &[&str]| work(&taken.scorer, &taken.version.counts, &taken.analyzer, slices);
        let misfit = || input_error(py, MISFIT.into());
        if input::is_small(&slices) {
            return Ok((run(&slices).ok_or_else(misfit)?, slices.len()));
        }
        let (mut results, mut from, mut bytes) = (vec![], 0, 0);
        for to in 1..=slices.len() {
            bytes += slices[to - 1].len();
            if bytes > ROUND || to == slices.len() {
                py.check_signals()?;
                let part = py.detach(|| run(&slices[from..to])).ok_or_else(misfit)?;
                if results.is_empty() {
                    results = part
                } else {
                    results.extend(part)
                }
                (from, bytes) = (to, 0);
            }
        }
        Ok((results, slices.len()))
    }

    fn scores(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: &Starts,
        threads: usize,
        expected: Option<u64>,
    ) -> PyResult<Array> {
        let (scores, n_texts) = self.rounds(py, texts, expected, |scorer, counts, analyzer, texts| {
            Some(scorer.scores(counts, analyzer, texts, start.of(counts)?, n_threads(threads)))
        })?;
        Ok(Array::rows(scores, n_texts, start.prior.len()))
    }

    fn best(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: &Starts,
        threads: usize,
        expected: Option<u64>,
    ) -> PyResult<Array> {
        let (best, _) = self.rounds(py, texts, expected, |scorer, counts, analyzer, texts| {
            Some(scorer.best(counts, analyzer, texts, start.of(counts)?, n_threads(threads)))
        })?;
        Ok(Array::flat(best))
    }

    fn best_one(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<u32> {
        let text = input::checked_text(text)?;
        let Taken { version, scorer, analyzer } = self.take(py, expected)?;
        let start = start.of(&version.counts).ok_or_else(|| input_error(py, MISFIT.into()))?;
        if input::is_small(&[&text]) {
            return Ok(scorer.best_one(&version.counts, &analyzer, &text, start));
        }
        Ok(py.detach(|| {
            let best = scorer.best_one(&version.counts, &analyzer, &text, start);
            drop(version);
            best
        }))
    }

    /// What a text's scores are before its first feature, and what each feature adds to them.
    fn terms<T: Send>(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
        terms: impl FnOnce(&ScorerOf<R>, &counts::Counts, &text::Analyzer, &str, Start) -> T + Send,
    ) -> PyResult<T> {
        let text = input::checked_text(text)?;
        let Taken { version, scorer, analyzer } = self.take(py, expected)?;
        let start = start.of(&version.counts).ok_or_else(|| input_error(py, MISFIT.into()))?;
        Ok(py.detach(|| {
            let terms = terms(&scorer, &version.counts, &analyzer, &text, start);
            drop(version);
            terms
        }))
    }

    /// A labeller by this version of the counts; None where they have another, or other classes.
    fn labeller(
        &self,
        py: Python<'_>,
        number: u64,
        start: Starts,
        classes: Vec<Py<PyAny>>,
        kept: impl Fn(Arc<ScorerOf<R>>) -> AnyScorer,
    ) -> Option<Labeller> {
        let Taken { version, scorer, .. } = self.take(py, Some(number)).ok()?;
        if classes.len() != version.counts.n_classes() {
            return None;
        }
        start.of(&version.counts)?;
        Some(Labeller::new(self.counts.clone_ref(py), number, kept(scorer), start, classes))
    }
}

/// Where scores start, as Python gives it.
pub struct Starts {
    prior: Vec<f64>,
    growth: Vec<f64>,
}

impl Starts {
    fn new(prior: Vec<f64>, growth: Option<Vec<f64>>) -> Self {
        Starts { growth: growth.unwrap_or_else(|| vec![0.0; prior.len()]), prior }
    }

    /// None where it is for other classes.
    pub fn of(&self, counts: &counts::Counts) -> Option<Start<'_>> {
        let fits = self.prior.len() == counts.n_classes() && self.growth.len() == self.prior.len();
        fits.then_some(Start { prior: &self.prior, growth: &self.growth })
    }
}

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

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Scorer {
    current: Current<Likelihoods>,
}

#[pymethods]
impl Scorer {
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
    ) -> PyResult<Self> {
        let form = form_of(py, likelihood, smoothing, absent_smoothing, class_vocabulary)?;
        let length = length.map(|(scale, half)| Length { scale, half });
        Ok(Scorer { current: Current::new(counts, Likelihoods { form, length }) })
    }

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
        self.current.terms(py, text, &Starts::new(start, growth), version, ScorerOf::<Likelihoods>::terms)
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
        self.current.terms(py, text, &Starts::new(start, growth), version, |scorer, counts, analyzer, text, start| {
            pair_terms(scorer.terms(counts, analyzer, text, start), analyzer.features(text), pair)
        })
    }

    #[pyo3(signature = (version, classes, start, growth=None))]
    fn labeller(
        &self,
        py: Python<'_>,
        version: u64,
        classes: Vec<Py<PyAny>>,
        start: Vec<f64>,
        growth: Option<Vec<f64>>,
    ) -> Option<Labeller> {
        self.current.labeller(py, version, Starts::new(start, growth), classes, AnyScorer::Plain)
    }

    #[pyo3(signature = (names=None, min_documents=1, length=0.0))]
    fn weights(&self, py: Python<'_>, names: Option<Vec<String>>, min_documents: u64, length: f64) -> PyResult<Array> {
        let weights = |scorer: &ScorerOf<Likelihoods>, counts: &counts::Counts, _: &text::Analyzer| {
            let weights = scorer.weights(counts, names.as_deref(), min_documents, length);
            by_feature(weights, counts)
        };
        self.current.with(py, weights)
    }

    #[pyo3(signature = (names=None, min_documents=1))]
    fn lengths(&self, py: Python<'_>, names: Option<Vec<String>>, min_documents: u64) -> PyResult<Array> {
        let lengths = self.current.with(py, |_, counts, _| {
            let found = scoring::features(counts, names.as_deref(), min_documents).into_iter();
            found.map(|(block, _)| counts.blocks[block].kind.length()).collect::<Vec<u8>>()
        })?;
        Ok(Array::flat(lengths))
    }

    fn log_likelihoods(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Array> {
        let n_classes = self.current.counts.get().n_classes();
        let (logs, n_texts) = self.current.rounds(py, texts, None, |scorer, counts, analyzer, texts| {
            (counts.n_classes() == n_classes).then(|| scorer.log_likelihoods(counts, analyzer, texts))
        })?;
        Ok(Array::rows(logs, n_texts, n_classes))
    }

    fn log_orders(&self, py: Python<'_>, texts: &Bound<'_, PyAny>) -> PyResult<Array> {
        let (logs, _) = self.current.rounds(py, texts, None, |scorer, counts, analyzer, texts| {
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

#[pyclass(frozen, module = "banbury._kernel")]
pub struct TrustScorer {
    current: Current<Curves>,
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
    ) -> Self {
        let correction = correction.map(|correction| correction.inner.clone());
        TrustScorer { current: Current::new(counts, Curves { numbers: curves, caps, factors, correction }) }
    }

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
        self.current.terms(py, text, &Starts::new(start, growth), version, ScorerOf::<Curves>::terms)
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
        self.current.terms(py, text, &Starts::new(start, growth), version, |scorer, counts, analyzer, text, start| {
            pair_terms(scorer.terms(counts, analyzer, text, start), analyzer.features(text), pair)
        })
    }

    #[pyo3(signature = (version, classes, start, growth=None))]
    fn labeller(
        &self,
        py: Python<'_>,
        version: u64,
        classes: Vec<Py<PyAny>>,
        start: Vec<f64>,
        growth: Option<Vec<f64>>,
    ) -> Option<Labeller> {
        self.current.labeller(py, version, Starts::new(start, growth), classes, AnyScorer::Trust)
    }

    #[pyo3(signature = (names=None, min_documents=1, lengths=vec![]))]
    fn weights(
        &self,
        py: Python<'_>,
        names: Option<Vec<String>>,
        min_documents: u64,
        lengths: Vec<f64>,
    ) -> PyResult<Array> {
        let weights = |scorer: &ScorerOf<Curves>, counts: &counts::Counts, _: &text::Analyzer| {
            let weights = scorer.weights(counts, names.as_deref(), min_documents, &lengths);
            by_feature(weights, counts)
        };
        self.current.with(py, weights)
    }
}
