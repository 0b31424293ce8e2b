//! Cells of tables as Python sees them.

use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::array::Array;
use super::exception;
use super::input::input_error;
use crate::cells::counting::{Labels, count};
use crate::cells::evidence::{Evidence, Smoothing, column_losses};
use crate::cells::reading::{Correction, Reading, evidence_of};
use crate::cells::ridge::{Features, Ridge};
use crate::cells::sums::{Asked, Groups, Judged, LeftOut, sums};
use crate::cells::weights::{Prior, Weighing};
use crate::cells::{Codes, Column, Layout, Leveled, codes_of};
use crate::threads::n_threads;

#[pyclass(frozen, module = "banbury._kernel")]
pub struct CellLayout {
    inner: Layout,
}

#[pymethods]
impl CellLayout {
    #[new]
    fn new(py: Python<'_>, sizes: Vec<usize>, pairs: Vec<[usize; 2]>, triples: Vec<[usize; 3]>) -> PyResult<Self> {
        let columns = sizes.iter().map(|&size| if size == 0 { Column::Number } else { Column::Categories(size) });
        let inner = Layout::new(columns.collect(), &pairs, &triples).map_err(|error| exception(py, error))?;
        Ok(CellLayout { inner })
    }

    #[getter]
    fn n_cells(&self) -> usize {
        self.inner.n_cells
    }

    /// The first cell of each term.
    fn firsts(&self) -> Vec<usize> {
        self.inner.terms.iter().map(|term| term.first).collect()
    }

    #[pyo3(signature = (rows, weights, n_classes, threads))]
    fn count(
        &self,
        py: Python<'_>,
        rows: &CellRows,
        weights: Option<PyBuffer<i64>>,
        n_classes: usize,
        threads: usize,
    ) -> PyResult<Array> {
        let weights = weights.map(|weights| weights.to_vec(py)).transpose()?;
        rows.check(py, &self.inner, n_classes)?;
        if weights.as_ref().is_some_and(|weights| weights.len() != rows.n_rows) {
            return Err(misfit(py));
        }
        let labels = Labels { class_ids: &rows.class_ids, weights: weights.as_deref(), n_classes };
        let counts = py.detach(|| count(&self.inner, rows.codes(), labels, n_threads(threads)));
        Ok(Array::rows(counts, self.inner.n_cells, n_classes))
    }
}

/// Codes of rows, one column after the other, their classes, and what is left out with each.
#[pyclass(frozen, module = "banbury._kernel")]
pub struct CellRows {
    codes: Vec<u8>,
    n_rows: usize,
    class_ids: Vec<u32>,
    patterns: Vec<u32>,
    gone: Vec<f64>,
    n_classes: usize,
    groups: Option<CellGroups>,
}

/// Rows that belong together side by side, what each weighs, and by pattern where its group begins and ends.
struct CellGroups {
    rows: Py<CellRows>,
    weights: Vec<u32>,
    bounds: Vec<[u32; 2]>,
}

impl CellGroups {
    fn new(py: Python<'_>, rows: Py<CellRows>, weights: &PyBuffer<u32>, bounds: &PyBuffer<u32>) -> PyResult<Self> {
        let bounds = bounds.to_vec(py)?.as_chunks().0.to_vec();
        let made = CellGroups { rows, weights: weights.to_vec(py)?, bounds };
        let n_rows = made.rows.get().n_rows;
        let inside = |&[start, end]: &[u32; 2]| start <= end && end as usize <= n_rows;
        let sound = made.weights.len() == n_rows && made.bounds.iter().all(inside);
        if sound { Ok(made) } else { Err(misfit(py)) }
    }

    fn given(&self) -> Groups<'_> {
        let rows = self.rows.get();
        Groups { codes: rows.codes(), class_ids: &rows.class_ids, weights: &self.weights, bounds: &self.bounds }
    }
}

impl CellRows {
    fn codes(&self) -> Codes<'_> {
        Codes { columns: &self.codes, n_rows: self.n_rows }
    }

    fn left_out(&self) -> LeftOut<'_> {
        LeftOut {
            class_ids: &self.class_ids,
            patterns: &self.patterns,
            gone: &self.gone,
            n_classes: self.n_classes,
            groups: self.groups.as_ref().map(CellGroups::given),
        }
    }

    fn check(&self, py: Python<'_>, layout: &Layout, n_classes: usize) -> PyResult<()> {
        let groups = self.groups.as_ref().map(|groups| groups.rows.get());
        let fits = [Some(self), groups]
            .into_iter()
            .flatten()
            .all(|rows| layout.fits(&rows.codes()) && rows.n_classes == n_classes);
        if fits { Ok(()) } else { Err(misfit(py)) }
    }
}

#[pymethods]
impl CellRows {
    #[new]
    #[pyo3(signature = (codes, n_rows, n_classes, class_ids=None, patterns=None, gone=None, groups=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        codes: PyBuffer<u8>,
        n_rows: usize,
        n_classes: usize,
        class_ids: Option<PyBuffer<u32>>,
        patterns: Option<PyBuffer<u32>>,
        gone: Option<PyBuffer<f64>>,
        groups: Option<(Py<CellRows>, PyBuffer<u32>, PyBuffer<u32>)>,
    ) -> PyResult<Self> {
        let or_zeros = |given: Option<PyBuffer<u32>>| given.map_or(Ok(vec![0; n_rows]), |given| given.to_vec(py));
        let rows = CellRows {
            codes: codes.to_vec(py)?,
            n_rows,
            class_ids: or_zeros(class_ids)?,
            patterns: or_zeros(patterns)?,
            gone: gone.map_or(Ok(vec![0.0; n_classes]), |gone| gone.to_vec(py))?,
            n_classes,
            groups: groups.map(|(rows, weights, bounds)| CellGroups::new(py, rows, &weights, &bounds)).transpose()?,
        };
        let n_patterns = rows.groups.as_ref().map_or(usize::MAX, |groups| groups.bounds.len());
        let n_patterns = n_patterns.min(rows.gone.len() / n_classes.max(1));
        let known = |class: &u32| (*class as usize) < n_classes;
        let sound = n_classes > 0
            && rows.class_ids.len() == n_rows
            && rows.class_ids.iter().all(known)
            && rows.patterns.len() == n_rows
            && rows.patterns.iter().all(|&pattern| (pattern as usize) < n_patterns);
        if sound { Ok(rows) } else { Err(misfit(py)) }
    }
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct CellEvidence {
    inner: Arc<Evidence>,
}

impl CellEvidence {
    fn check(&self, py: Python<'_>, rows: &CellRows, terms: &[usize]) -> PyResult<()> {
        rows.check(py, self.inner.layout(), self.inner.counts.n_classes)?;
        if terms.iter().all(|&term| term < self.inner.layout().terms.len()) { Ok(()) } else { Err(misfit(py)) }
    }
}

#[pymethods]
impl CellEvidence {
    #[new]
    fn new(
        py: Python<'_>,
        layout: &CellLayout,
        counts: PyBuffer<i64>,
        rows: Vec<f64>,
        smoothing: Vec<(f64, f64)>,
    ) -> PyResult<Self> {
        let counts = counts.to_vec(py)?;
        let smoothing = smoothing.into_iter().map(|(strength, growth)| Smoothing { strength, growth }).collect();
        let layout = layout.inner.clone();
        let made = py.detach(|| Evidence::new(Leveled::new(layout, &counts, rows)?, smoothing));
        Ok(CellEvidence { inner: Arc::new(made.map_err(|error| exception(py, error))?) })
    }

    fn column_losses(&self, py: Python<'_>, rows: &CellRows, weights: PyBuffer<f64>) -> PyResult<Vec<f64>> {
        let weights = weights.to_vec(py)?;
        self.check(py, rows, &[])?;
        if weights.len() != rows.n_rows {
            return Err(misfit(py));
        }
        Ok(py.detach(|| column_losses(&self.inner, rows.codes(), &rows.left_out(), &weights)))
    }

    fn evidence(&self, py: Python<'_>, terms: Vec<usize>, rows: &CellRows) -> PyResult<Array> {
        self.check(py, rows, &terms)?;
        let said = py.detach(|| evidence_of(&self.inner, &terms, rows.codes(), &rows.left_out()));
        Ok(Array::new(said, &[rows.n_rows, terms.len(), rows.n_classes]))
    }

    #[pyo3(signature = (terms, rows, threads, *, term_weights=None, probabilities=None, row_weights=None))]
    #[allow(clippy::too_many_arguments)]
    fn sums(
        &self,
        py: Python<'_>,
        terms: Vec<usize>,
        rows: &CellRows,
        threads: usize,
        term_weights: Option<PyBuffer<f64>>,
        probabilities: Option<PyBuffer<f64>>,
        row_weights: Option<PyBuffer<f64>>,
    ) -> PyResult<(Array, Vec<f64>)> {
        self.check(py, rows, &terms)?;
        let numbers = |given: Option<PyBuffer<f64>>| given.map(|given| given.to_vec(py)).transpose();
        let (probabilities, weights) = (numbers(probabilities)?, numbers(row_weights)?);
        let term_weights = numbers(term_weights)?;
        let judged = match (&probabilities, &weights) {
            (Some(probabilities), Some(weights)) => Some(Judged { probabilities, weights }),
            _ => None,
        };
        let unjudged = judged.is_some_and(|one| {
            one.weights.len() != rows.n_rows || one.probabilities.len() != rows.n_rows * rows.n_classes
        });
        if unjudged || term_weights.as_ref().is_some_and(|weights| weights.len() != terms.len()) {
            return Err(misfit(py));
        }
        let left_out = rows.left_out();
        let asked = Asked { term_weights: term_weights.as_deref(), gains_alone: false, judged };
        let summed = py.detach(|| sums(&self.inner, &terms, rows.codes(), &left_out, asked, n_threads(threads)));
        let shape = [rows.n_rows, rows.n_classes, self.inner.layout().columns.len()];
        Ok((Array::new(summed.by_column, &shape), summed.gains))
    }

    /// How much each term would gain, beside these probabilities.
    fn gains(
        &self,
        py: Python<'_>,
        terms: Vec<usize>,
        rows: &CellRows,
        probabilities: PyBuffer<f64>,
        row_weights: PyBuffer<f64>,
        threads: usize,
    ) -> PyResult<Vec<f64>> {
        self.check(py, rows, &terms)?;
        let (probabilities, weights) = (probabilities.to_vec(py)?, row_weights.to_vec(py)?);
        if weights.len() != rows.n_rows || probabilities.len() != rows.n_rows * rows.n_classes {
            return Err(misfit(py));
        }
        let judged = Some(Judged { probabilities: &probabilities, weights: &weights });
        let asked = Asked { term_weights: None, gains_alone: true, judged };
        let left_out = rows.left_out();
        Ok(py.detach(|| sums(&self.inner, &terms, rows.codes(), &left_out, asked, n_threads(threads)).gains))
    }

    #[allow(clippy::too_many_arguments)]
    fn ridge(
        &self,
        py: Python<'_>,
        terms: Vec<usize>,
        rows: &CellRows,
        row_weights: PyBuffer<f64>,
        offsets: PyBuffer<f64>,
        penalties: Vec<f64>,
        steps: usize,
        threads: usize,
    ) -> PyResult<Vec<Array>> {
        self.check(py, rows, &terms)?;
        let (row_weights, offsets) = (row_weights.to_vec(py)?, offsets.to_vec(py)?);
        if row_weights.len() != rows.n_rows || offsets.len() != rows.n_rows * rows.n_classes {
            return Err(misfit(py));
        }
        let layout = self.inner.layout();
        let features = Features::new(layout, &terms);
        let ridge = Ridge {
            features: &features,
            class_ids: &rows.class_ids,
            row_weights: &row_weights,
            offsets: &offsets,
            n_classes: rows.n_classes,
        };
        let fitted = py.detach(|| ridge.fit(layout, rows.codes(), &penalties, steps, n_threads(threads)));
        Ok(fitted.into_iter().map(|weights| Array::rows(weights, features.n_features, rows.n_classes)).collect())
    }
}

#[pyclass(frozen, module = "banbury._kernel")]
pub struct CellReading {
    inner: Reading,
}

#[pymethods]
impl CellReading {
    #[new]
    #[pyo3(signature = (evidence, weights, corrected, correction))]
    fn new(
        py: Python<'_>,
        evidence: &CellEvidence,
        weights: Vec<f64>,
        corrected: Vec<usize>,
        correction: Option<PyBuffer<f64>>,
    ) -> PyResult<Self> {
        let layout = evidence.inner.layout();
        if weights.len() != layout.terms.len() || corrected.iter().any(|&term| term >= weights.len()) {
            return Err(misfit(py));
        }
        let correction = match correction {
            None => None,
            Some(given) => {
                let made = Correction { features: Features::new(layout, &corrected), weights: given.to_vec(py)? };
                if made.weights.len() != made.features.n_features * evidence.inner.counts.n_classes {
                    return Err(misfit(py));
                }
                Some(made)
            }
        };
        Ok(CellReading { inner: Reading::new(evidence.inner.clone(), &weights, correction) })
    }

    fn scores(&self, py: Python<'_>, rows: &CellRows, threads: usize) -> PyResult<Array> {
        rows.check(py, self.inner.evidence().layout(), self.inner.evidence().counts.n_classes)?;
        let scores = py.detach(|| self.inner.scores(rows.codes(), n_threads(threads)));
        Ok(Array::rows(scores, rows.n_rows, rows.n_classes))
    }

    fn terms(&self, py: Python<'_>, rows: &CellRows) -> PyResult<Vec<(usize, Vec<f64>)>> {
        rows.check(py, self.inner.evidence().layout(), self.inner.evidence().counts.n_classes)?;
        if rows.n_rows != 1 {
            return Err(misfit(py));
        }
        Ok(self.inner.terms(|column| rows.codes[column]))
    }
}

#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn weigh(
    py: Python<'_>,
    evidence: PyBuffer<f32>,
    class_ids: PyBuffer<u32>,
    row_weights: PyBuffer<f64>,
    start: Vec<f64>,
    mean: Vec<f64>,
    sd: Vec<f64>,
    bias: Vec<f64>,
    bias_precision: f64,
    steps: usize,
    threads: usize,
) -> PyResult<Vec<f64>> {
    let (evidence, class_ids, row_weights) = (evidence.to_vec(py)?, class_ids.to_vec(py)?, row_weights.to_vec(py)?);
    let (n_weights, n_classes) = (mean.len(), bias.len());
    let fits = evidence.len() == class_ids.len() * n_classes * n_weights
        && row_weights.len() == class_ids.len()
        && sd.len() == n_weights
        && start.len() == n_weights + n_classes
        && class_ids.iter().all(|&class_id| (class_id as usize) < n_classes);
    if !fits {
        return Err(misfit(py));
    }
    let weighing =
        Weighing { evidence: &evidence, n_weights, class_ids: &class_ids, row_weights: &row_weights, n_classes };
    let prior = Prior { mean: &mean, sd: &sd, bias: &bias, bias_precision };
    Ok(py.detach(|| weighing.fit(&start, &prior, steps, n_threads(threads))))
}

#[pyfunction]
pub fn cell_codes(
    py: Python<'_>,
    numbers: PyBuffer<f64>,
    edges: PyBuffer<f64>,
    codes: PyBuffer<u8>,
) -> PyResult<Py<PyBytes>> {
    let (numbers, edges, codes) = (numbers.to_vec(py)?, edges.to_vec(py)?, codes.to_vec(py)?);
    if codes.len() != edges.len() + 1 {
        return Err(misfit(py));
    }
    Ok(PyBytes::new(py, &py.detach(|| codes_of(&numbers, &edges, &codes))).unbind())
}

fn misfit(py: Python<'_>) -> PyErr {
    input_error(py, "the arrays do not fit the cells of these columns".into())
}
