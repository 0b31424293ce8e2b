//! Counts that may change, with a scorer that is made anew when they have: what every scorer of Python is made of.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::array::Array;
use super::input::{self, Texts, input_error};
use super::labeller::{AnyScorer, Labeller, MadeFrom};
use super::{Counts, FORKS, changed};
use crate::correction;
use crate::counts::{self, Kind};
use crate::documents::{Listed, list};
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
pub trait Recipe: Send + Sync + Sized + 'static {
    type Reading: Reading;

    /// The way to read these counts; None where it is one for others.
    fn reading(&self, counts: &counts::Counts, analyzer: &text::Analyzer) -> Option<Self::Reading>;

    /// What a text's scores are before its first feature, and what each feature adds to them.
    fn terms(
        scorer: &ScorerOf<Self>,
        counts: &counts::Counts,
        analyzer: &text::Analyzer,
        text: &str,
        start: Start,
    ) -> Terms;

    /// The same of features that are listed once.
    fn listed_terms(scorer: &ScorerOf<Self>, counts: &counts::Counts, listed: &[Listed], start: Start) -> Terms;

    /// The scorer as a labeller keeps it.
    fn kept(scorer: Arc<ScorerOf<Self>>) -> AnyScorer;
}

/// A plain likelihood, and how it is calibrated.
pub struct Likelihoods {
    pub form: Form,
    pub length: Option<Length>,
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

    fn terms(
        scorer: &ScorerOf<Self>,
        counts: &counts::Counts,
        analyzer: &text::Analyzer,
        text: &str,
        start: Start,
    ) -> Terms {
        scorer.terms(counts, analyzer, text, start)
    }

    fn listed_terms(scorer: &ScorerOf<Self>, counts: &counts::Counts, listed: &[Listed], start: Start) -> Terms {
        scorer.listed_terms(counts, listed, start)
    }

    fn kept(scorer: Arc<ScorerOf<Self>>) -> AnyScorer {
        AnyScorer::Plain(scorer)
    }
}

/// The curves of the automatic model, and its correction.
pub struct Curves {
    pub numbers: Vec<f64>,
    pub caps: Vec<f64>,
    pub factors: Vec<f64>,
    pub correction: Option<Arc<correction::Correction>>,
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

    fn terms(
        scorer: &ScorerOf<Self>,
        counts: &counts::Counts,
        analyzer: &text::Analyzer,
        text: &str,
        start: Start,
    ) -> Terms {
        scorer.terms(counts, analyzer, text, start)
    }

    fn listed_terms(scorer: &ScorerOf<Self>, counts: &counts::Counts, listed: &[Listed], start: Start) -> Terms {
        scorer.listed_terms(counts, listed, start)
    }

    fn kept(scorer: Arc<ScorerOf<Self>>) -> AnyScorer {
        AnyScorer::Trust(scorer)
    }
}

/// The terms of the features of a text that are listed once; the features, each with its first place; and how many of these are
/// words or runs of words, which come first.
pub type ListedTerms = (Terms, Vec<(String, usize, usize)>, usize);

/// Where the scores of a text start, and what each of its features adds to them.
pub type Terms = (Vec<f64>, Vec<Option<Vec<f64>>>);

/// The same for one class against another: the starts by class, of each known feature its weight and its place. A text of 2,000
/// letters can have 7,000 features, and Python would make objects of each.
pub type PairTerms = (Vec<f64>, Array, Array);

fn of_pair((start, terms): Terms, features: Vec<text::Token>, (ours, theirs): (usize, usize)) -> PairTerms {
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
pub type ScorerOf<R> = scoring::Scorer<<R as Recipe>::Reading>;
pub type FormScorer = ScorerOf<Likelihoods>;
pub type CurvesScorer = ScorerOf<Curves>;

/// Counts that may change, with a scorer that is made anew when they have.
pub struct Current<R: Recipe> {
    pub counts: Py<Counts>,
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
    pub fn new(counts: Py<Counts>, recipe: R) -> Self {
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

    pub fn with<T: Send>(
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
    pub fn rounds<T: Send>(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        threads: usize,
        expected: Option<u64>,
        work: impl Fn(&ScorerOf<R>, &counts::Counts, &text::Analyzer, &[&str]) -> Option<Vec<T>> + Sync,
    ) -> PyResult<(Vec<T>, usize)> {
        let texts = Texts::new(texts)?;
        let read = texts.read(py, threads)?;
        let slices = read.slices();
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

    /// What `work` makes of one text.
    fn with_text<T: Send>(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
        work: impl FnOnce(&ScorerOf<R>, &counts::Counts, &text::Analyzer, &str, Start) -> T + Send,
    ) -> PyResult<T> {
        let text = input::checked_text(text)?;
        let Taken { version, scorer, analyzer } = self.take(py, expected)?;
        let start = start.of(&version.counts).ok_or_else(|| input_error(py, MISFIT.into()))?;
        Ok(py.detach(|| {
            let result = work(&scorer, &version.counts, &analyzer, &text, start);
            drop(version);
            result
        }))
    }
}

/// What every scorer does, by whatever way it reads counts. `expected` is the version that the counts must have.
pub trait Scoring: Send + Sync {
    fn scores(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: &Starts,
        threads: usize,
        expected: Option<u64>,
    ) -> PyResult<Array>;

    fn best(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: &Starts,
        threads: usize,
        expected: Option<u64>,
    ) -> PyResult<Array>;

    fn best_one(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<u32>;

    fn terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<Terms>;

    fn pair_terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        pair: (usize, usize),
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<PairTerms>;

    fn listed_terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<ListedTerms>;

    /// A labeller by this version of the counts; None where they have another, or other classes.
    fn labeller(
        &self,
        py: Python<'_>,
        number: u64,
        start: Starts,
        classes: Vec<Py<PyAny>>,
        made_from: MadeFrom,
    ) -> Option<Labeller>;
}

impl<R: Recipe> Scoring for Current<R> {
    fn scores(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        start: &Starts,
        threads: usize,
        expected: Option<u64>,
    ) -> PyResult<Array> {
        let (scores, n_texts) = self.rounds(py, texts, threads, expected, |scorer, counts, analyzer, texts| {
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
        let (best, _) = self.rounds(py, texts, threads, expected, |scorer, counts, analyzer, texts| {
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

    fn terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<Terms> {
        self.with_text(py, text, start, expected, R::terms)
    }

    fn pair_terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        pair: (usize, usize),
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<PairTerms> {
        self.with_text(py, text, start, expected, |scorer, counts, analyzer, text, start| {
            of_pair(R::terms(scorer, counts, analyzer, text, start), analyzer.features(text), pair)
        })
    }

    fn listed_terms(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyString>,
        start: &Starts,
        expected: Option<u64>,
    ) -> PyResult<ListedTerms> {
        self.with_text(py, text, start, expected, |scorer, counts, analyzer, text, start| {
            let (listed, names) = list(counts, analyzer, text);
            let is_word = |feature: &&Listed| counts.blocks[feature.block].kind != Kind::Characters;
            let n_words = listed.iter().filter(is_word).count();
            let names = names.into_iter().map(|token| (token.text, token.start, token.end)).collect();
            (R::listed_terms(scorer, counts, &listed, start), names, n_words)
        })
    }

    fn labeller(
        &self,
        py: Python<'_>,
        number: u64,
        start: Starts,
        classes: Vec<Py<PyAny>>,
        made_from: MadeFrom,
    ) -> Option<Labeller> {
        let Taken { version, scorer, .. } = self.take(py, Some(number)).ok()?;
        if classes.len() != version.counts.n_classes() {
            return None;
        }
        start.of(&version.counts)?;
        Some(Labeller::new(self.counts.clone_ref(py), number, R::kept(scorer), start, classes, made_from))
    }
}

/// Where scores start, as Python gives it.
pub struct Starts {
    prior: Vec<f64>,
    growth: Vec<f64>,
}

impl Starts {
    pub fn new(prior: Vec<f64>, growth: Option<Vec<f64>>) -> Self {
        Starts { growth: growth.unwrap_or_else(|| vec![0.0; prior.len()]), prior }
    }

    /// None where it is for other classes.
    pub fn of(&self, counts: &counts::Counts) -> Option<Start<'_>> {
        let fits = self.prior.len() == counts.n_classes() && self.growth.len() == self.prior.len();
        fits.then_some(Start { prior: &self.prior, growth: &self.growth })
    }
}
