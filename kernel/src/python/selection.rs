//! Documents for leave-one-out, and what is fitted to them, as Python sees them.

use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use super::array::Array;
use super::current::MISFIT;
use super::input::{Held, Labelled, Texts, input_error, to_python};
use super::scoring::form_of;
use super::{Analyzer, Counts, exception};
use crate::counts;
use crate::documents;
use crate::duplicates;
use crate::overlapping::Sets;
use crate::regression;
use crate::scoring;
use crate::selection;
use crate::text;
use crate::threads::n_threads;
use crate::trust;
use crate::versions::Version;

#[pyclass(frozen, module = "banbury._kernel")]
pub struct Documents {
    analyzer: Arc<text::Analyzer>,
    version: Arc<Version>,
    pub inner: documents::Documents,
}

impl Documents {
    pub fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&counts::Counts, &text::Analyzer) -> R + Send,
    ) -> PyResult<R> {
        py.detach(|| Ok(work(&self.version.counts, &self.analyzer)))
    }
}

#[pymethods]
impl Documents {
    #[new]
    #[pyo3(signature = (counts, texts, classes, weights, most, threads, *, groups=None, windows=false, sets=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        counts: Py<Counts>,
        texts: &Bound<'_, PyAny>,
        classes: PyBuffer<u32>,
        weights: Option<PyBuffer<u32>>,
        most: usize,
        threads: usize,
        groups: Option<Vec<String>>,
        windows: bool,
        sets: Option<Vec<Vec<u32>>>,
    ) -> PyResult<Self> {
        let Labelled { texts, classes, weights } = Labelled::new(texts, &classes, weights.as_ref())?;
        if let Some(groups) = groups.as_ref().filter(|groups| groups.len() != texts.len()) {
            return Err(input_error(py, format!("{} documents but {} groups", texts.len(), groups.len())));
        }
        let read = texts.read(py, threads)?;
        let slices = read.slices();
        let groups: Option<Vec<&str>> = groups.as_ref().map(|groups| groups.iter().map(|group| &**group).collect());
        let (version, analyzer) = (counts.get().current_for_reader(), counts.get().analyzer.clone());
        let sets = sets.map(|sets| sets_of(py, sets, &version.counts)).transpose()?;
        if version.counts.is_overlapping != sets.is_some()
            || sets.as_ref().is_some_and(|sets| classes.iter().any(|&set| set as usize >= sets.len()))
        {
            return Err(input_error(py, NO_SETS.into()));
        }
        let inner = py.detach(|| {
            let given = documents::Given {
                texts: &slices,
                classes: &classes,
                weights: weights.as_deref(),
                groups: groups.as_deref(),
                sets: sets.as_ref(),
            };
            let threads = n_threads(threads);
            documents::Documents::new(&version.counts, &analyzer, &given, most, windows, threads)
        });
        Ok(Documents { analyzer, version, inner })
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

    #[getter]
    fn groups(&self) -> Array {
        Array::flat(self.inner.groups.clone())
    }

    fn taken(&self, py: Python<'_>) -> PyResult<Array> {
        let (taken, n) = self.with(py, |counts, _| (self.inner.taken(counts.n_classes()), counts.n_classes()))?;
        Ok(Array::rows(taken, self.inner.len(), n))
    }

    fn taken_from_own(&self, py: Python<'_>) -> PyResult<Array> {
        self.with(py, |_, _| Array::flat(self.inner.taken_from_own()))
    }

    fn whole_groups(&self, n: usize) -> usize {
        self.inner.whole_groups(n)
    }

    #[pyo3(signature = (n, threads=1))]
    fn alike(&self, py: Python<'_>, n: usize, threads: usize) -> PyResult<Vec<bool>> {
        self.with(py, |counts, _| self.inner.alike(counts, n, n_threads(threads)))
    }

    fn words(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Incidence> {
        let incidence = self.with(py, |counts, _| self.inner.incidence(counts, &names))?;
        Ok(Incidence {
            lengths: Py::new(py, Array::flat(incidence.lengths))?,
            ends: Py::new(py, Array::flat(incidence.ends))?,
            words: Py::new(py, Array::flat(incidence.words))?,
        })
    }

    /// Counts without the first `n` documents, and the other documents as these know them.
    fn held_out(&self, py: Python<'_>, n: usize) -> PyResult<(Py<Counts>, Self)> {
        let held_out = self.with(py, |counts, _| self.inner.held_out(counts, n))?;
        let (counts, inner) = held_out.map_err(|error| exception(py, error))?;
        let counts = Py::new(py, Counts::with(self.analyzer.clone(), counts))?;
        let version = counts.get().current_for_reader();
        Ok((counts, Documents { analyzer: self.analyzer.clone(), version, inner }))
    }

    fn log_likelihoods(
        &self,
        py: Python<'_>,
        likelihood: &str,
        smoothing: f64,
        absent_smoothing: f64,
        class_vocabulary: bool,
        threads: usize,
    ) -> PyResult<LeftOut> {
        let form = form_of(py, likelihood, smoothing, absent_smoothing, class_vocabulary)?;
        let (found, n_classes) = self.with(py, |counts, _| {
            let left_out = selection::leave_one_out(counts, form, &self.inner, n_threads(threads));
            (left_out, counts.n_classes())
        })?;
        let n_rows = found.lengths.len();
        Ok(LeftOut {
            scores: Py::new(py, Array::rows(found.logs, n_rows, n_classes))?,
            absent: Some(Py::new(py, Array::rows(found.absent, n_rows, n_classes))?),
            lengths: Py::new(py, Array::flat(found.lengths))?,
        })
    }

    #[pyo3(signature = (threads, lists=None))]
    fn basis(&self, py: Python<'_>, threads: usize, lists: Option<PyBuffer<u32>>) -> PyResult<Basis> {
        let lists = lists.map(|lists| lists.to_vec(py)).transpose()?;
        let n_rows = self.inner.len() * if self.inner.windows.is_empty() { 1 } else { 2 };
        let width = lists.as_ref().map_or(0, |lists| lists.len() / n_rows.max(1));
        let result = self.with(py, |counts, analyzer| {
            let fits = lists.as_ref().is_none_or(|lists| {
                width > 0 && lists.len() == width * n_rows && lists.iter().all(|&c| (c as usize) < counts.n_classes())
            });
            let lists = lists.as_ref().map(|lists| (&lists[..], width));
            fits.then(|| trust::Corpus::new(counts, analyzer).basis(&self.inner, lists, n_threads(threads)))
        })?;
        let inner = result.ok_or_else(|| input_error(py, "the lists of classes do not fit the documents".into()))?;
        Ok(Basis { inner })
    }

    #[pyo3(signature = (curves, caps, threads, most=usize::MAX))]
    fn scores(
        &self,
        py: Python<'_>,
        curves: Vec<Vec<f64>>,
        caps: Vec<f64>,
        threads: usize,
        most: usize,
    ) -> PyResult<LeftOut> {
        let result = self.with(py, |counts, analyzer| {
            let corpus = trust::Corpus::new(counts, analyzer);
            let curves: Option<Vec<_>> =
                curves.iter().map(|numbers| trust::Curves::new(corpus.shape(), numbers, &caps)).collect();
            let curves = curves.filter(|curves| !curves.is_empty())?;
            Some((corpus.leave_one_out(&self.inner, most, &curves, n_threads(threads)), corpus.shape().n_scored()))
        })?;
        let ((scores, lengths), n_scored) = result.ok_or_else(|| input_error(py, MISFIT.into()))?;
        Ok(LeftOut {
            scores: Py::new(py, Array::rows(scores, lengths.len(), n_scored))?,
            absent: None,
            lengths: Py::new(py, Array::flat(lengths))?,
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn listed(
        &self,
        py: Python<'_>,
        curves: Vec<f64>,
        caps: Vec<f64>,
        start: PyBuffer<f64>,
        growth: PyBuffer<f64>,
        wanted: (usize, usize, usize),
        threads: usize,
    ) -> PyResult<Array> {
        let (prior, growth) = (start.to_vec(py)?, growth.to_vec(py)?);
        let wanted = trust::Wanted { own: wanted.0, certain: wanted.1, width: wanted.2 };
        let lists = self.with(py, |counts, analyzer| {
            let n = counts.n_classes();
            let shape = trust::Shape::new(analyzer, counts);
            let curves = trust::Curves::new(&shape, &curves, &caps)?;
            let n_listed = n - usize::from(counts.is_overlapping);
            let fits = shape.n_scored() == n && [prior.len(), growth.len()] == [n; 2] && wanted.fits(n_listed);
            let start = scoring::Start { prior: &prior, growth: &growth };
            let threads = n_threads(threads);
            fits.then(|| trust::listed(counts, analyzer, &self.inner, &curves, start, wanted, threads))
        })?;
        let lists = lists.ok_or_else(|| input_error(py, MISFIT.into()))?;
        let n_rows = lists.len() / wanted.width;
        Ok(Array::rows(lists, n_rows, wanted.width))
    }
}

/// What documents say, as if their groups had never been counted.
#[pyclass(frozen, get_all, module = "banbury._kernel")]
pub struct LeftOut {
    scores: Py<Array>,
    absent: Option<Py<Array>>,
    lengths: Py<Array>,
}

/// What curves are fitted on.
#[pyclass(frozen, module = "banbury._kernel")]
pub struct Basis {
    inner: trust::Basis,
}

#[pymethods]
impl Basis {
    #[getter]
    fn lengths(&self) -> Array {
        let n_rows = self.inner.n_rows();
        Array::rows(self.inner.lengths.clone(), n_rows, self.inner.lengths.len() / n_rows.max(1))
    }

    fn features(&self, py: Python<'_>, caps: Vec<f64>) -> PyResult<Array> {
        let (n_rows, n_features) = (self.inner.n_rows(), self.inner.n_features());
        let features = py.detach(|| self.inner.features(&caps, &[], 1).all(n_rows));
        let n_places = features.len() / (n_rows * n_features).max(1);
        Ok(Array::new(features, &[n_rows, n_places, n_features]))
    }

    #[pyo3(signature = (curves, caps, turns, threads=1))]
    fn scores(
        &self,
        py: Python<'_>,
        curves: Vec<Vec<f64>>,
        caps: Vec<f64>,
        turns: PyBuffer<u32>,
        threads: usize,
    ) -> PyResult<Array> {
        let (turns, n_rows) = (turns.to_vec(py)?, self.inner.n_rows());
        let result = py.detach(|| {
            let curves: Option<Vec<_>> = curves.iter().map(|numbers| self.inner.curves(numbers, &caps)).collect();
            let fits = turns.len() == n_rows
                && turns.iter().all(|&turn| (turn as usize) < curves.as_ref().map_or(0, Vec::len));
            curves.filter(|_| fits).map(|curves| self.inner.scores(&curves, &turns, n_threads(threads)))
        });
        let scores = result.ok_or_else(|| input_error(py, MISFIT.into()))?;
        let n_places = scores.len() / n_rows.max(1);
        Ok(Array::rows(scores, n_rows, n_places))
    }

    #[pyo3(signature = (caps, class_ids, weights, n_classes, offsets, scales, lists=None, threads=1))]
    #[allow(clippy::too_many_arguments)]
    fn regression(
        &self,
        py: Python<'_>,
        caps: Vec<f64>,
        class_ids: PyBuffer<u32>,
        weights: PyBuffer<f64>,
        n_classes: usize,
        offsets: PyBuffer<f64>,
        scales: PyBuffer<f64>,
        lists: Option<PyBuffer<u32>>,
        threads: usize,
    ) -> PyResult<Regression> {
        let rows = regression::Rows {
            class_ids: class_ids.to_vec(py)?,
            weights: weights.to_vec(py)?,
            offsets: offsets.to_vec(py)?,
            scales: scales.to_vec(py)?,
            lists: lists.map_or(Ok(vec![]), |lists| lists.to_vec(py))?,
        };
        let made = py.detach(|| {
            let fits = self.inner.knows(&rows.lists);
            let features = fits.then(|| self.inner.features(&caps, &rows.lists, n_threads(threads)))?;
            regression::Regression::new(features, n_classes, rows)
        });
        Ok(Regression { inner: made.ok_or_else(|| input_error(py, UNFIT.into()))? })
    }
}

const NO_SETS: &str = "the sets of labels do not fit the counts or the documents";

/// Sets of labels, as Python gives them, for these counts.
fn sets_of(py: Python<'_>, sets: Vec<Vec<u32>>, counts: &counts::Counts) -> PyResult<Sets> {
    Sets::new(sets, counts.n_classes()).ok_or_else(|| input_error(py, NO_SETS.into()))
}

const UNFIT: &str = "the arrays of the regression do not fit each other";

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
    #[pyo3(signature = (features, n_features, class_ids, weights, n_classes, *, offsets=None, scales=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        features: PyBuffer<f64>,
        n_features: usize,
        class_ids: PyBuffer<u32>,
        weights: PyBuffer<f64>,
        n_classes: usize,
        offsets: Option<PyBuffer<f64>>,
        scales: Option<PyBuffer<f64>>,
    ) -> PyResult<Self> {
        let rows = regression::Rows {
            class_ids: class_ids.to_vec(py)?,
            weights: weights.to_vec(py)?,
            offsets: offsets.map_or(Ok(vec![]), |offsets| offsets.to_vec(py))?,
            scales: scales.map_or(Ok(vec![]), |scales| scales.to_vec(py))?,
            lists: vec![],
        };
        let features = regression::Features::plain(features.to_vec(py)?, n_features);
        let made = regression::Regression::new(features, n_classes, rows);
        Ok(Regression { inner: made.ok_or_else(|| input_error(py, UNFIT.into()))? })
    }

    #[pyo3(signature = (ranges, coefficients, threads=1))]
    fn grouped(&self, ranges: Vec<(usize, usize)>, coefficients: Vec<f64>, threads: usize) -> Self {
        let ranges: Vec<_> = ranges.into_iter().map(|(from, to)| from..to).collect();
        Regression { inner: self.inner.grouped(&ranges, &coefficients, n_threads(threads)) }
    }

    #[pyo3(signature = (coefficients, threads=1))]
    fn size(&self, coefficients: Vec<f64>, threads: usize) -> f64 {
        self.inner.size(&coefficients, n_threads(threads))
    }

    fn log_probabilities(
        &self,
        py: Python<'_>,
        fits: Vec<(Vec<f64>, Vec<f64>)>,
        turns: PyBuffer<u32>,
        threads: usize,
    ) -> PyResult<Array> {
        let (turns, n_rows) = (turns.to_vec(py)?, self.inner.n_rows());
        if turns.len() != n_rows || turns.iter().any(|&turn| turn as usize >= fits.len()) {
            return Err(input_error(py, UNFIT.into()));
        }
        let fits: Vec<_> =
            fits.into_iter().map(|(coefficients, biases)| regression::Fitted { coefficients, biases }).collect();
        let logs = py.detach(|| self.inner.log_probabilities(&fits, &turns, n_threads(threads)));
        let width = logs.len().checked_div(n_rows).unwrap_or(0);
        Ok(Array::rows(logs, n_rows, width))
    }

    fn fit(
        &self,
        py: Python<'_>,
        mean: Vec<f64>,
        precision: Vec<f64>,
        bias: Vec<f64>,
        bias_precision: f64,
        threads: usize,
    ) -> (Vec<f64>, Vec<f64>, f64) {
        let prior = regression::Prior { mean: &mean, precision: &precision, bias: &bias, bias_precision };
        let (fitted, loss) = py.detach(|| self.inner.fit(&prior, n_threads(threads)));
        (fitted.coefficients, fitted.biases, loss)
    }

    #[allow(clippy::too_many_arguments)]
    fn without(
        &self,
        py: Python<'_>,
        mean: Vec<f64>,
        precision: Vec<f64>,
        bias: Vec<f64>,
        bias_precision: f64,
        fitted: (Vec<f64>, Vec<f64>),
        folds: PyBuffer<u32>,
        n_folds: u32,
        threads: usize,
    ) -> PyResult<Vec<(Vec<f64>, Vec<f64>)>> {
        let folds = folds.to_vec(py)?;
        if folds.len() != self.inner.n_rows() {
            return Err(input_error(py, UNFIT.into()));
        }
        let prior = regression::Prior { mean: &mean, precision: &precision, bias: &bias, bias_precision };
        let fitted = regression::Fitted { coefficients: fitted.0, biases: fitted.1 };
        let each = py.detach(|| self.inner.without(&prior, &fitted, &folds, n_folds, n_threads(threads)));
        Ok(each.into_iter().map(|fold| (fold.coefficients, fold.biases)).collect())
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
    let read = texts.read(py, 1)?;
    let slices = read.slices();
    Ok((slices.len(), py.detach(|| slices.iter().map(|text| text.chars().count()).sum())))
}

/// Signatures of documents, by which nearly equal ones are found.
#[pyfunction]
pub fn signatures(py: Python<'_>, analyzer: &Analyzer, texts: &Bound<'_, PyAny>, threads: usize) -> PyResult<Array> {
    let texts = Texts::new(texts)?;
    let read = texts.read(py, threads)?;
    let slices = read.slices();
    let signatures = py.detach(|| duplicates::signatures(&analyzer.inner, &slices, n_threads(threads)));
    Ok(Array::rows(signatures, slices.len(), duplicates::HASHES))
}

/// How many bytes the documents have all together.
#[pyfunction]
pub fn size(texts: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(Texts::new(texts)?.bytes())
}

/// One of the documents.
#[pyfunction]
pub fn text_at<'py>(texts: &Bound<'py, PyAny>, row: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
    let read = Texts::new(texts)?;
    read.get(row).map(|text| to_python(texts.py(), &text)).transpose()
}
