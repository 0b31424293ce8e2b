//! From codes to scores: what the terms that have a weight say, each times its weight.
//!
//! A cell's evidence depends on nothing but the cell, so it is looked up in tables once rows have asked often enough to pay
//! for them. A few rows are read without; the sums are the same to the bit.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::Codes;
use super::evidence::{Evidence, Reader};
use super::ridge::Features;
use super::sums::{LeftOut, NONE, write_cells};
use crate::threads::each_on_a_thread;
use crate::threads::equal_parts;

/// Rows for which another thread is worth starting, with a hundred terms.
const WORTH_A_THREAD: usize = 100 * (1 << 12);

/// Weights of cells, by feature and class, that are added to what they say.
pub struct Correction {
    pub features: Features,
    pub weights: Vec<f64>,
}

pub struct Reading {
    evidence: Arc<Evidence>,
    /// The terms that count, with their weights.
    terms: Vec<(usize, f64)>,
    correction: Option<Correction>,
    /// By term, cell and class; and where each term begins.
    tables: OnceLock<(Vec<f64>, Vec<usize>)>,
    n_read: AtomicUsize,
}

impl Reading {
    /// Evidence read with a weight for each term; one of weight 0 says nothing but what a correction does.
    pub fn new(evidence: Arc<Evidence>, weights: &[f64], correction: Option<Correction>) -> Reading {
        let corrected = |term| correction.as_ref().is_some_and(|one| one.features.has(term));
        let terms = weights.iter().copied().enumerate().filter(|&(term, weight)| weight != 0.0 || corrected(term));
        let terms = terms.collect();
        Reading { evidence, terms, correction, tables: OnceLock::new(), n_read: AtomicUsize::new(0) }
    }

    /// What a term adds to the score of each class.
    fn write(
        &self,
        reader: &mut Reader,
        (term, weight): (usize, f64),
        code: impl Fn(usize) -> u8 + Copy,
        said: &mut [f64],
    ) {
        reader.write(term, code, said);
        said.iter_mut().for_each(|said| *said *= weight);
        if let Some(Correction { features, weights }) = &self.correction {
            let scale = features.scale();
            for feature in features.of(self.evidence.layout(), term, code) {
                let weights = &weights[feature * said.len()..][..said.len()];
                said.iter_mut().zip(weights).for_each(|(said, weight)| *said += scale * weight);
            }
        }
    }

    /// What each term that counts adds to the score of each class, for one row: the term, and by class.
    pub fn terms(&self, code: impl Fn(usize) -> u8 + Copy) -> Vec<(usize, Vec<f64>)> {
        let mut reader = self.evidence.reader();
        let mut found = vec![];
        for &term in &self.terms {
            let mut said = vec![0.0; self.evidence.counts.n_classes];
            self.write(&mut reader, term, code, &mut said);
            found.push((term.0, said));
        }
        found
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// By row and class.
    pub fn scores(&self, codes: Codes, threads: usize) -> Vec<f64> {
        let tables = self.tables_for(codes.n_rows, threads);
        let threads = threads.clamp(1, 1 + self.terms.len() * codes.n_rows / WORTH_A_THREAD);
        let parts = equal_parts(codes.n_rows, threads);
        let scores = each_on_a_thread(&parts, |part| match tables {
            Some(tables) => self.looked_up(tables, codes, part.clone()),
            None => self.computed(codes, part.clone()),
        });
        scores.concat()
    }

    /// Without tables: every cell that some of these rows are in is read once.
    fn computed(&self, codes: Codes, rows: std::ops::Range<usize>) -> Vec<f64> {
        let (n, layout) = (self.evidence.counts.n_classes, self.evidence.layout());
        let mut scores = vec![0.0; rows.len() * n];
        let mut reader = self.evidence.reader();
        let mut cells = vec![];
        // By cell the number of what was read of it, from 1 on, and by number and class what that was.
        let mut numbers: Vec<u32> = vec![];
        let mut read: Vec<f64> = vec![];
        for &(term, weight) in &self.terms {
            let of = &layout.terms[term];
            write_cells(layout, of, codes, rows.clone(), &mut cells);
            numbers.clear();
            numbers.resize(layout.cells_of(of, of.n_levels), 0);
            read.clear();
            for ((scores, &cell), row) in scores.chunks_mut(n).zip(&cells).zip(rows.clone()) {
                if cell == NONE {
                    continue;
                }
                let number = &mut numbers[cell as usize];
                if *number == 0 {
                    read.resize(read.len() + n, 0.0);
                    *number = (read.len() / n) as u32;
                    let said = &mut read[(*number as usize - 1) * n..];
                    self.write(&mut reader, (term, weight), |column| codes.column(column)[row], said);
                }
                let said = &read[(*number as usize - 1) * n..][..n];
                scores.iter_mut().zip(said).for_each(|(score, said)| *score += said);
            }
        }
        scores
    }

    fn looked_up(&self, tables: &(Vec<f64>, Vec<usize>), codes: Codes, rows: std::ops::Range<usize>) -> Vec<f64> {
        let (n, layout) = (self.evidence.counts.n_classes, self.evidence.layout());
        let mut scores = vec![0.0; rows.len() * n];
        // A block of rows stays in the cache while all terms pass over it.
        let mut cells = vec![];
        for start in (0..rows.len()).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.len());
            for (&(term, _), &first) in self.terms.iter().zip(&tables.1) {
                let term = &layout.terms[term];
                let some = rows.start + block.start..rows.start + block.end;
                write_cells(layout, term, codes, some, &mut cells);
                let table = &tables.0[first..][..(layout.cells_of(term, term.n_levels) + 1) * n];
                let scores = &mut scores[block.start * n..block.end * n];
                match n {
                    2 => add_cells::<2>(scores, &cells, table),
                    3 => add_cells::<3>(scores, &cells, table),
                    10 => add_cells::<10>(scores, &cells, table),
                    _ => add_cells_of(n, scores, &cells, table),
                }
            }
        }
        scores
    }

    /// The tables, once enough rows have asked for them.
    fn tables_for(&self, n_rows: usize, threads: usize) -> Option<&(Vec<f64>, Vec<usize>)> {
        if let Some(tables) = self.tables.get() {
            return Some(tables);
        }
        let read = self.n_read.fetch_add(n_rows, Ordering::Relaxed) + n_rows;
        let layout = self.evidence.layout();
        // One cell more, which says nothing, for rows where a value says nothing.
        let size = |term: usize| layout.cells_of(&layout.terms[term], layout.terms[term].n_levels) + 1;
        let n_cells: usize = self.terms.iter().map(|&(term, _)| size(term)).sum();
        if read * self.terms.len() < 2 * n_cells {
            return None;
        }
        Some(self.tables.get_or_init(|| {
            let n = self.evidence.counts.n_classes;
            let parts = equal_parts(self.terms.len(), threads);
            let tables = each_on_a_thread(&parts, |part| {
                let terms = &self.terms[part.clone()];
                let mut table = vec![0.0; terms.iter().map(|&(term, _)| size(term)).sum::<usize>() * n];
                let (mut reader, mut rest) = (self.evidence.reader(), table.as_mut_slice());
                for &(term, weight) in terms {
                    let (own, others) = rest.split_at_mut(size(term) * n);
                    rest = others;
                    let of = &layout.terms[term];
                    for (cell, said) in own.chunks_mut(n).enumerate().take(size(term) - 1) {
                        let codes = layout.codes(of, cell);
                        let code = |column| codes[of.columns.iter().position(|&one| one == column).unwrap_or(0)];
                        self.write(&mut reader, (term, weight), code, said);
                    }
                }
                table
            });
            let mut firsts = vec![];
            let mut first = 0;
            for &(term, _) in &self.terms {
                firsts.push(first);
                first += size(term) * n;
            }
            (tables.concat(), firsts)
        }))
    }
}

/// What each row's cell says, added to its scores; the last cell of a table is for rows that are in none.
fn add_cells_of(n: usize, scores: &mut [f64], cells: &[u32], table: &[f64]) {
    let last = table.len() / n - 1;
    for (scores, &cell) in scores.chunks_exact_mut(n).zip(cells) {
        let said = &table[(cell as usize).min(last) * n..][..n];
        scores.iter_mut().zip(said).for_each(|(score, said)| *score += said);
    }
}

/// The same where the number of classes is known when this is compiled: 2 ns a row and term instead of 8.
fn add_cells<const N: usize>(scores: &mut [f64], cells: &[u32], table: &[f64]) {
    let table = table.as_chunks::<N>().0;
    let last = table.len() - 1;
    for (scores, &cell) in scores.as_chunks_mut::<N>().0.iter_mut().zip(cells) {
        let said = &table[(cell as usize).min(last)];
        (0..N).for_each(|class| scores[class] += said[class]);
    }
}

const BLOCK: usize = 256;

/// What each of these terms says, by row, term and class.
pub fn evidence_of(evidence: &Evidence, terms: &[usize], codes: Codes, left_out: &LeftOut) -> Vec<f64> {
    let n = evidence.counts.n_classes;
    let mut said = vec![0.0; codes.n_rows * terms.len() * n];
    let mut reader = evidence.reader();
    for run in left_out.runs(0..codes.n_rows) {
        reader.leave_out(run.gone, run.members);
        for row in run.rows {
            let to = &mut said[row * terms.len() * n..(row + 1) * terms.len() * n];
            for (to, &term) in to.chunks_mut(n).zip(terms) {
                reader.write(term, |column| codes.column(column)[row], to);
            }
        }
    }
    said
}
