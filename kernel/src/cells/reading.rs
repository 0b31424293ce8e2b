//! From codes to scores: what the terms that have a weight say, each times its weight.
//!
//! A cell's evidence depends on nothing but the cell, so it is looked up in tables. The first rows fill them, each with the
//! cells that it is in; once rows have asked often enough, the rest is filled. The sums are always the same to the bit.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

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
    /// By term that counts: its first cell in the tables. Each has one more, which says nothing, for values that do.
    firsts: Vec<usize>,
    /// By term, cell and class.
    tables: OnceLock<Vec<f64>>,
    /// The same as far as rows have asked, until all of it is there.
    filling: Mutex<Filling>,
    n_read: AtomicUsize,
}

/// Tables of which some cells are known.
#[derive(Default)]
struct Filling {
    table: Vec<f64>,
    known: Vec<bool>,
}

impl Reading {
    /// Evidence read with a weight for each term; one of weight 0 says nothing but what a correction does.
    pub fn new(evidence: Arc<Evidence>, weights: &[f64], correction: Option<Correction>) -> Reading {
        let corrected = |term| correction.as_ref().is_some_and(|one| one.features.has(term));
        let terms = weights.iter().copied().enumerate().filter(|&(term, weight)| weight != 0.0 || corrected(term));
        let terms: Vec<(usize, f64)> = terms.collect();
        let layout = evidence.layout();
        let mut firsts = vec![0];
        for &(term, _) in &terms {
            let term = &layout.terms[term];
            firsts.push(firsts[firsts.len() - 1] + layout.cells_of(term, term.n_levels) + 1);
        }
        let (tables, filling, n_read) = (OnceLock::new(), Mutex::default(), AtomicUsize::new(0));
        Reading { evidence, terms, correction, firsts, tables, filling, n_read }
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
        let mut votes = vec![];
        for &term in &self.terms {
            let mut said = vec![0.0; self.evidence.counts.n_classes];
            self.write(&mut reader, term, code, &mut said);
            votes.push((term.0, said));
        }
        votes
    }

    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// By row and class.
    pub fn scores(&self, codes: Codes, threads: usize) -> Vec<f64> {
        let tables = self.tables_for(codes.n_rows, threads);
        let threads = threads.clamp(1, 1 + self.terms.len() * codes.n_rows / WORTH_A_THREAD);
        let parts = equal_parts(codes.n_rows, threads);
        let scores = each_on_a_thread(&parts, |part| {
            if let Some(tables) = tables {
                return self.looked_up(tables, codes, part.clone());
            }
            match self.filling.try_lock() {
                Ok(mut filling) => self.filled(&mut filling, codes, part.clone()),
                Err(_) => self.filled(&mut Filling::default(), codes, part.clone()),
            }
        });
        scores.concat()
    }

    /// By tables that are filled as far as these rows need them.
    fn filled(&self, filling: &mut Filling, codes: Codes, rows: Range<usize>) -> Vec<f64> {
        let (n, layout) = (self.evidence.counts.n_classes, self.evidence.layout());
        if filling.known.is_empty() {
            let n_cells = self.firsts[self.terms.len()];
            *filling = Filling { table: vec![0.0; n_cells * n], known: vec![false; n_cells] };
        }
        let mut scores = vec![0.0; rows.len() * n];
        let mut reader = self.evidence.reader();
        let mut cells = vec![];
        for (&(term, weight), &first) in self.terms.iter().zip(&self.firsts) {
            cells.clear();
            write_cells(layout, &layout.terms[term], codes, rows.clone(), &mut cells);
            for ((scores, &cell), row) in scores.chunks_mut(n).zip(&cells).zip(rows.clone()) {
                if cell == NONE {
                    continue;
                }
                let place = first + cell as usize;
                let said = &mut filling.table[place * n..(place + 1) * n];
                if !filling.known[place] {
                    self.write(&mut reader, (term, weight), |column| codes.column(column)[row], said);
                    filling.known[place] = true;
                }
                scores.iter_mut().zip(said).for_each(|(score, said)| *score += *said);
            }
        }
        scores
    }

    fn looked_up(&self, tables: &[f64], codes: Codes, rows: Range<usize>) -> Vec<f64> {
        let (n, layout) = (self.evidence.counts.n_classes, self.evidence.layout());
        let mut scores = vec![0.0; rows.len() * n];
        let mut cells = vec![];
        for start in (0..rows.len()).step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.len());
            let scores = &mut scores[block.start * n..block.end * n];
            for first in (0..self.terms.len()).step_by(TERMS_AT_ONCE) {
                let some = first..(first + TERMS_AT_ONCE).min(self.terms.len());
                cells.clear();
                for &(term, _) in &self.terms[some.clone()] {
                    let rows = rows.start + block.start..rows.start + block.end;
                    write_cells(layout, &layout.terms[term], codes, rows, &mut cells);
                }
                let tables = some.map(|term| &tables[self.firsts[term] * n..self.firsts[term + 1] * n]);
                match n {
                    2 => add_cells::<2>(scores, &cells, tables),
                    3 => add_cells::<3>(scores, &cells, tables),
                    10 => add_cells::<10>(scores, &cells, tables),
                    _ => add_cells_of(n, scores, &cells, tables),
                }
            }
        }
        scores
    }

    /// The tables, once enough rows have asked for them.
    fn tables_for(&self, n_rows: usize, threads: usize) -> Option<&Vec<f64>> {
        if let Some(tables) = self.tables.get() {
            return Some(tables);
        }
        let read = self.n_read.fetch_add(n_rows, Ordering::Relaxed) + n_rows;
        if read * self.terms.len() < 2 * self.firsts[self.terms.len()] {
            return None;
        }
        let tables = self.tables.get_or_init(|| {
            let parts = equal_parts(self.terms.len(), threads);
            each_on_a_thread(&parts, |part| self.table(part.clone())).concat()
        });
        if let Ok(mut filling) = self.filling.lock() {
            *filling = Filling::default();
        }
        Some(tables)
    }

    /// The table of some of the terms that count.
    fn table(&self, terms: Range<usize>) -> Vec<f64> {
        let (n, layout) = (self.evidence.counts.n_classes, self.evidence.layout());
        let first = self.firsts[terms.start];
        let mut table = vec![0.0; (self.firsts[terms.end] - first) * n];
        let mut reader = self.evidence.reader();
        for number in terms {
            let part = &mut table[(self.firsts[number] - first) * n..(self.firsts[number + 1] - 1 - first) * n];
            let term = &layout.terms[self.terms[number].0];
            for (cell, said) in part.chunks_mut(n).enumerate() {
                let codes = layout.codes(term, cell);
                let code = |column| codes[term.columns.iter().position(|&one| one == column).unwrap_or(0)];
                self.write(&mut reader, self.terms[number], code, said);
            }
        }
        table
    }
}

/// What the cells of each row say by some tables, added to its scores one term after the other. `cells` are by term and row;
/// the last cell of a table is for rows that are in none.
fn add_cells_of<'a>(n: usize, scores: &mut [f64], cells: &[u32], tables: impl Iterator<Item = &'a [f64]>) {
    let n_rows = scores.len() / n;
    for (cells, table) in cells.chunks_exact(n_rows).zip(tables) {
        let last = table.len() / n - 1;
        for (scores, &cell) in scores.chunks_exact_mut(n).zip(cells) {
            let said = &table[(cell as usize).min(last) * n..][..n];
            scores.iter_mut().zip(said).for_each(|(score, said)| *score += said);
        }
    }
}

/// The same where the number of classes is known when this is compiled: a row's scores stay in registers.
fn add_cells<'a, const N: usize>(scores: &mut [f64], cells: &[u32], tables: impl Iterator<Item = &'a [f64]>) {
    let tables: Vec<&[[f64; N]]> = tables.map(|table| table.as_chunks().0).collect();
    let scores = scores.as_chunks_mut::<N>().0;
    let cells: Vec<&[u32]> = cells.chunks_exact(scores.len()).collect();
    for (row, scores) in scores.iter_mut().enumerate() {
        let mut sums = *scores;
        for (cells, table) in cells.iter().zip(&tables) {
            let said = &table[(cells[row] as usize).min(table.len() - 1)];
            (0..N).for_each(|class| sums[class] += said[class]);
        }
        *scores = sums;
    }
}

/// Rows that stay in the cache while all terms pass over them: the tables of 2,000 pairs and ten classes are 41 MB.
const BLOCK: usize = 2048;
/// Terms whose tables stay in the cache while a block of rows passes over them.
const TERMS_AT_ONCE: usize = 8;

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
