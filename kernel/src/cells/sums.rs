//! The evidence of many terms for many rows, added up by column; and how much each term would gain.
//!
//! What a row's cell says depends on the cell and on what is left out with the row alone. So rows come sorted by what is left
//! out with them, and each cell is read once for all rows of a run.

use std::ops::Range;

use super::evidence::{Evidence, Reader};
use super::{Codes, Column, DEPTHS, Layout, NOTHING, Term};
use crate::threads::each_on_a_thread;
use crate::threads::equal_parts;

/// Rows are summed up in so many parts, whatever the threads: gains are always the same.
const PARTS: usize = 16;
/// Rows times terms for which another thread is worth starting.
const WORTH_A_THREAD: usize = 1 << 17;

/// What is left out with each row: rows of the same pattern stand side by side.
pub struct LeftOut<'a> {
    pub class_ids: &'a [u32],
    /// By row the number of its pattern.
    pub patterns: &'a [u32],
    /// By pattern and class: how many copies of a row are left out.
    pub gone: &'a [f64],
    pub n_classes: usize,
    /// By pattern the rows that are left out besides, each of its own cells.
    pub groups: Option<Groups<'a>>,
}

/// Rows that belong together, those of a group side by side.
#[derive(Clone, Copy)]
pub struct Groups<'a> {
    pub codes: Codes<'a>,
    pub class_ids: &'a [u32],
    pub weights: &'a [u32],
    /// By pattern the first row of its group, and the one after the last.
    pub bounds: &'a [[u32; 2]],
}

/// The rows of a group.
#[derive(Clone, Copy)]
pub struct Members<'a> {
    pub codes: Codes<'a>,
    pub class_ids: &'a [u32],
    pub weights: &'a [u32],
    bounds: [u32; 2],
}

impl Members<'_> {
    pub fn rows(&self) -> Range<usize> {
        self.bounds[0] as usize..self.bounds[1] as usize
    }
}

/// Rows of one pattern, and what is left out with each.
pub struct Run<'a> {
    pub rows: Range<usize>,
    /// By class, how many copies.
    pub gone: &'a [f64],
    /// Rows that leave besides, each of its own cells.
    pub members: Option<Members<'a>>,
}

impl<'a> LeftOut<'a> {
    /// Rows in runs of one pattern.
    pub fn runs(&self, rows: Range<usize>) -> Vec<Run<'a>> {
        let mut runs: Vec<Run> = vec![];
        for row in rows {
            let pattern = self.patterns[row] as usize;
            match runs.last_mut() {
                Some(run) if self.patterns[run.rows.start] as usize == pattern => run.rows.end = row + 1,
                _ => {
                    let gone = &self.gone[pattern * self.n_classes..][..self.n_classes];
                    let members = self.groups.map(|groups| Members {
                        codes: groups.codes,
                        class_ids: groups.class_ids,
                        weights: groups.weights,
                        bounds: groups.bounds[pattern],
                    });
                    runs.push(Run { rows: row..row + 1, gone, members });
                }
            }
        }
        runs
    }
}

/// What is added up, and what is judged besides.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// By term asked for; all 1 where there are none.
    pub term_weights: Option<&'a [f64]>,
    /// Gains without sums: these take rows times classes times columns.
    pub gains_alone: bool,
    pub judged: Option<Judged<'a>>,
}

/// Probabilities that terms are judged by.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// By row and class.
    pub probabilities: &'a [f64],
    pub weights: &'a [f64],
}

pub struct Sums {
    /// By row, class and column: the evidence of all terms that the column is in.
    pub by_column: Vec<f32>,
    /// By term: how many nats it would gain with the best weight, negative where that weight is.
    pub gains: Vec<f64>,
}

/// What so many parts of the rows add to the slope and the curvature of the loss, by term.
type Slopes = Vec<(f64, f64)>;

/// The evidence of these terms.
pub fn sums(
    evidence: &Evidence,
    terms: &[usize],
    codes: Codes,
    left_out: &LeftOut,
    asked: Asked,
    threads: usize,
) -> Sums {
    let n = evidence.counts.n_classes;
    let width = if asked.gains_alone { 0 } else { evidence.layout().columns.len() };
    let parts = equal_parts(codes.n_rows, PARTS);
    let threads = threads.clamp(1, 1 + terms.len() * codes.n_rows / WORTH_A_THREAD);
    let groups = equal_parts(parts.len(), threads);
    let parts = each_on_a_thread(&groups, |group| {
        let parts = &parts[group.clone()];
        let rows = parts[0].start..parts[parts.len() - 1].end;
        // One column after the other: the rows of a run pass by in order, whatever the number of columns.
        let mut by_column = vec![0.0_f32; rows.len() * n * width];
        let mut slopes: Vec<Slopes> = vec![vec![(0.0, 0.0); terms.len()]; parts.len()];
        let mut cells = Cells::new(evidence, terms);
        for run in left_out.runs(rows.clone()) {
            cells.reader.leave_out(run.gone, run.members);
            for (at, &term) in terms.iter().enumerate() {
                let columns = &evidence.layout().terms[term].columns;
                cells.read(term, codes, run.rows.clone(), asked.term_weights.map_or(1.0, |weights| weights[at]));
                for &column in columns.iter().filter(|_| width > 0) {
                    let to = column * rows.len() + run.rows.start - rows.start;
                    cells.add_to(&mut by_column[to * n..(to + run.rows.len()) * n]);
                }
                if let Some(judged) = asked.judged {
                    for (part, slopes) in parts.iter().zip(&mut slopes) {
                        let some = part.start.max(run.rows.start)..part.end.min(run.rows.end);
                        cells.add_slopes(&mut slopes[at], some, run.rows.start, left_out.class_ids, judged);
                    }
                }
            }
        }
        (rows_first(&by_column, rows.len(), n, width), slopes)
    });
    let mut gains = vec![(0.0, 0.0); terms.len()];
    for slopes in parts.iter().flat_map(|(_, slopes)| slopes) {
        gains.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum = (sum.0 + slope.0, sum.1 + slope.1));
    }
    Sums {
        by_column: parts.into_iter().flat_map(|(by_column, _)| by_column).collect(),
        gains: gains.into_iter().map(|(slope, curvature)| slope * slope.abs() / (2.0 * curvature + 1e-9)).collect(),
    }
}

/// From [column, row, class] to [row, class, column].
fn rows_first(by_column: &[f32], n_rows: usize, n_classes: usize, n_columns: usize) -> Vec<f32> {
    let mut turned = vec![0.0; by_column.len()];
    let size = n_rows * n_classes;
    // In squares that stay in the cache.
    for rows in (0..size).step_by(32) {
        for (column, from) in by_column.chunks(size.max(1)).enumerate() {
            for row in rows..(rows + 32).min(size) {
                turned[row * n_columns + column] = from[row];
            }
        }
    }
    turned
}

/// The cells of one term after the other, each read once for the rows of a run.
struct Cells<'a> {
    evidence: &'a Evidence,
    reader: Reader<'a>,
    /// By cell and class: what was read; and the same times the term's weight, rounded.
    said: Vec<f64>,
    weighted: Vec<f32>,
    stamps: Vec<u32>,
    stamp: u32,
    /// The cell of each row of the run.
    cells: Vec<u32>,
}

impl<'a> Cells<'a> {
    fn new(evidence: &'a Evidence, terms: &[usize]) -> Self {
        let layout = evidence.layout();
        let sizes = terms.iter().map(|&term| layout.cells_of(&layout.terms[term], layout.terms[term].n_levels));
        let most = sizes.max().unwrap_or(0);
        let n = most * evidence.counts.n_classes;
        let (said, weighted) = (vec![0.0; n], vec![0.0; n]);
        Cells { evidence, reader: evidence.reader(), said, weighted, stamps: vec![0; most], stamp: 0, cells: vec![] }
    }

    /// What a term says of these rows.
    fn read(&mut self, term: usize, codes: Codes, rows: Range<usize>, weight: f64) {
        let n = self.evidence.counts.n_classes;
        self.stamp += 1;
        let layout = self.evidence.layout();
        self.cells.clear();
        write_cells(layout, &layout.terms[term], codes, rows.clone(), &mut self.cells);
        for (row, &cell) in rows.zip(&self.cells) {
            if cell != NONE && self.stamps[cell as usize] != self.stamp {
                self.stamps[cell as usize] = self.stamp;
                let place = cell as usize * n..(cell as usize + 1) * n;
                let said = &mut self.said[place.clone()];
                self.reader.write(term, |column| codes.column(column)[row], said);
                let weighted = self.weighted[place].iter_mut().zip(said);
                weighted.for_each(|(weighted, said)| *weighted = (weight * *said) as f32);
            }
        }
    }

    /// Adds it to sums by row and class.
    fn add_to(&self, sums: &mut [f32]) {
        let n = self.evidence.counts.n_classes;
        for (sums, &cell) in sums.chunks_exact_mut(n).zip(&self.cells) {
            if cell != NONE {
                let said = &self.weighted[cell as usize * n..][..n];
                sums.iter_mut().zip(said).for_each(|(sum, said)| *sum += said);
            }
        }
    }

    /// Adds the slope and the curvature of the loss, as it is by some rows of the run, which begins with row `first`.
    fn add_slopes(&self, slope: &mut (f64, f64), rows: Range<usize>, first: usize, class_ids: &[u32], judged: Judged) {
        let n = self.evidence.counts.n_classes;
        for row in rows {
            let cell = self.cells[row - first];
            if cell == NONE {
                continue;
            }
            let said = &self.said[cell as usize * n..][..n];
            let chances = &judged.probabilities[row * n..][..n];
            let (mut mean, mut square) = (0.0, 0.0);
            for (chance, said) in chances.iter().zip(said) {
                mean += chance * said;
                square += chance * said * said;
            }
            slope.0 += judged.weights[row] * (said[class_ids[row] as usize] - mean);
            slope.1 += judged.weights[row] * (square - mean * mean);
        }
    }
}

/// A cell that no row is in: a value says nothing.
pub const NONE: u32 = u32::MAX;

/// Appends the cells that rows are in, at the finest level of a term.
pub fn write_cells(layout: &Layout, term: &Term, codes: Codes, rows: Range<usize>, cells: &mut Vec<u32>) {
    let given = |column: usize| {
        let kind = layout.columns[column];
        let shift = if kind == Column::Number { DEPTHS[0] - term.n_levels } else { 0 };
        (&codes.column(column)[rows.clone()], kind.n_cells(term.n_levels) as u32, shift as u32)
    };
    let cell = |before: u32, size: u32, code: u8, shift: u32| {
        if code == NOTHING || before == NONE { NONE } else { before * size + u32::from(code >> shift) }
    };
    let start = cells.len();
    let (firsts, _, first_shift) = given(term.columns[0]);
    let Some(&second) = term.columns.get(1) else {
        return cells.extend(firsts.iter().map(|&code| cell(0, 0, code, first_shift)));
    };
    let (seconds, size, shift) = given(second);
    // Both columns of a pair at once: most terms are pairs.
    cells.extend(firsts.iter().zip(seconds).map(|(&a, &b)| {
        let pair = u32::from(a >> first_shift) * size + u32::from(b >> shift);
        if a == NOTHING || b == NOTHING { NONE } else { pair }
    }));
    for &column in &term.columns[2..] {
        let (codes, size, shift) = given(column);
        cells[start..].iter_mut().zip(codes).for_each(|(before, &code)| *before = cell(*before, size, code, shift));
    }
}
