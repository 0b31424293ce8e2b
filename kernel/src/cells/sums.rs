//! The evidence of many terms for many rows, added up by column; and how much each term would gain.
//!
//! What a row's cell says depends on the cell and on what is left out with the row alone. So rows come sorted by what is left
//! out with them, and each cell is read once for all rows of a run.

use std::ops::Range;

use super::Codes;
use super::evidence::Evidence;
use crate::threads::each_on_a_thread;
use crate::threads::equal_parts;

/// Rows are summed up in so many parts, whatever the threads: gains are always the same.
const PARTS: usize = 16;
/// Rows times terms for which another thread is worth starting.
const WORTH_A_THREAD: usize = 1 << 17;

/// What is left out with each row: rows of the same pattern stand side by side.
pub struct LeftOut<'a> {
    pub own: &'a [u32],
    /// By row the number of its pattern.
    pub patterns: &'a [u32],
    /// By pattern and class: how many rows are left out.
    pub gone: &'a [f64],
    pub n_classes: usize,
}

impl<'a> LeftOut<'a> {
    /// Rows in runs of one pattern, and what is left out of each.
    pub fn runs(&self, rows: Range<usize>) -> Vec<(Range<usize>, &'a [f64])> {
        let mut runs: Vec<(Range<usize>, &[f64])> = vec![];
        for row in rows {
            let gone = &self.gone[self.patterns[row] as usize * self.n_classes..][..self.n_classes];
            match runs.last_mut() {
                Some((run, _)) if self.patterns[run.start] == self.patterns[row] => run.end = row + 1,
                _ => runs.push((row..row + 1, gone)),
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
    let (n, width) = (evidence.counts.n_classes, evidence.layout().columns.len());
    let parts = equal_parts(codes.n_rows, PARTS);
    let threads = threads.clamp(1, 1 + terms.len() * codes.n_rows / WORTH_A_THREAD);
    let groups = equal_parts(parts.len(), threads);
    let found = each_on_a_thread(&groups, |group| {
        let parts = &parts[group.clone()];
        let rows = parts[0].start..parts[parts.len() - 1].end;
        let mut by_column = vec![0.0_f32; rows.len() * n * width];
        let mut slopes: Vec<Slopes> = vec![vec![(0.0, 0.0); terms.len()]; parts.len()];
        let mut cells = Cells::new(evidence, terms);
        for (run, gone) in left_out.runs(rows.clone()) {
            cells.reader.leave_out(gone);
            for (at, &term) in terms.iter().enumerate() {
                cells.start();
                let columns = &evidence.layout().terms[term].columns;
                let weight = asked.term_weights.map_or(1.0, |weights| weights[at]);
                for row in run.clone() {
                    let Some(said) = cells.read(term, |column| codes.column(column)[row]) else { continue };
                    let to = &mut by_column[(row - rows.start) * n * width..][..n * width];
                    for (to, &said) in to.chunks_mut(width).zip(said) {
                        columns.iter().for_each(|&column| to[column] += (weight * said) as f32);
                    }
                    if let Some(judged) = asked.judged {
                        let part = parts.partition_point(|part| part.end <= row);
                        add_slope(&mut slopes[part][at], said, row, left_out.own[row] as usize, judged);
                    }
                }
            }
        }
        (by_column, slopes)
    });
    let mut gains = vec![(0.0, 0.0); terms.len()];
    for slopes in found.iter().flat_map(|(_, slopes)| slopes) {
        gains.iter_mut().zip(slopes).for_each(|(sum, slope)| *sum = (sum.0 + slope.0, sum.1 + slope.1));
    }
    Sums {
        by_column: found.into_iter().flat_map(|(by_column, _)| by_column).collect(),
        gains: gains.into_iter().map(|(slope, curvature)| slope * slope.abs() / (2.0 * curvature + 1e-9)).collect(),
    }
}

fn add_slope(slope: &mut (f64, f64), said: &[f64], row: usize, own: usize, judged: Judged) {
    let chances = &judged.probabilities[row * said.len()..][..said.len()];
    let mean: f64 = chances.iter().zip(said).map(|(chance, said)| chance * said).sum();
    let square: f64 = chances.iter().zip(said).map(|(chance, said)| chance * said * said).sum();
    slope.0 += judged.weights[row] * (said[own] - mean);
    slope.1 += judged.weights[row] * (square - mean * mean);
}

/// The cells of one term after the other, each read once.
struct Cells<'a> {
    evidence: &'a Evidence,
    reader: super::evidence::Reader<'a>,
    said: Vec<f64>,
    stamps: Vec<u32>,
    stamp: u32,
}

impl<'a> Cells<'a> {
    fn new(evidence: &'a Evidence, terms: &[usize]) -> Self {
        let layout = evidence.layout();
        let sizes = terms.iter().map(|&term| layout.cells_of(&layout.terms[term], layout.terms[term].n_levels));
        let most = sizes.max().unwrap_or(0);
        let said = vec![0.0; most * evidence.counts.n_classes];
        Cells { evidence, reader: evidence.reader(), said, stamps: vec![0; most], stamp: 0 }
    }

    /// A new term, or other rows left out.
    fn start(&mut self) {
        self.stamp += 1;
    }

    fn read(&mut self, term: usize, code: impl Fn(usize) -> u8 + Copy) -> Option<&[f64]> {
        let layout = self.evidence.layout();
        let n = self.evidence.counts.n_classes;
        let cell = layout.cell(&layout.terms[term], layout.terms[term].n_levels, code)?;
        let said = &mut self.said[cell * n..(cell + 1) * n];
        if self.stamps[cell] != self.stamp {
            self.stamps[cell] = self.stamp;
            self.reader.write(term, code, said);
        }
        Some(said)
    }
}
