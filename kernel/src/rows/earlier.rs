//! Rows of files of version 2: cells of twelve bytes, read where they lie.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Cell, MOST_CELLS, Row, Rows, Sum};
use crate::array::Array;
use crate::processor::scattered;
use crate::threads::{each_on_a_thread, large_parts};

impl Row {
    /// Rows of these lengths, one after the other; None where there would be too many cells.
    pub fn of_lengths(lengths: &[u32]) -> Option<Vec<Row>> {
        let mut rows = scattered(lengths.len());
        let mut start = 0u32;
        for &len in lengths {
            rows.push(Row { start, len });
            start = start.checked_add(len)?;
        }
        Some(rows)
    }
}

/// What is to be known of rows of a file that follow each other.
#[derive(Default)]
struct RowsOfFile {
    /// Those that the rows own.
    cells: Range<usize>,
    sums: Vec<Sum>,
    live: u64,
}

impl RowsOfFile {
    /// None where something is wrong with the rows or their cells.
    fn read(rows: &[Row], cells: &[Cell], n_classes: usize) -> Option<Self> {
        let start = rows.first().map_or(0, |row| row.start as usize);
        let (mut end, mut live, mut sums) = (start, 0, vec![Sum::default(); n_classes]);
        for row in rows {
            let cells = cells.get(end..end + row.len as usize).filter(|_| row.start as usize == end)?;
            let mut next_class = 0;
            for cell in cells {
                let is_possible = cell.class >= next_class && cell.documents > 0 && cell.documents <= cell.occurrences;
                let sum = sums.get_mut(cell.class as usize).filter(|_| is_possible)?;
                sum.replace(Cell::default(), *cell);
                next_class = cell.class + 1;
            }
            end += cells.len();
            live += u64::from(!cells.is_empty());
        }
        Some(RowsOfFile { cells: start..end, sums, live })
    }

    /// Both together; None where they do not follow each other.
    fn followed_by(mut self, other: Self) -> Option<Self> {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| sum.add(more));
        let cells = self.cells.start..other.cells.end;
        (self.cells.end == other.cells.start).then_some(RowsOfFile { cells, live: self.live + other.live, ..self })
    }
}

impl Rows {
    /// Rows that lie in a file, which says how often each class has seen all features, and how many have been seen at all. None
    /// where that is not so, or where the rows are not one after the other, their cells in the order of the classes, with an
    /// occurrence for each document.
    pub fn mapped(
        rows: Array<Row>,
        cells: Array<Cell>,
        occurrences: &[u64],
        live: u64,
        threads: usize,
    ) -> Option<Self> {
        let parts = large_parts(rows.len(), threads);
        let read = each_on_a_thread(&parts, |part| RowsOfFile::read(&rows[part.clone()], &cells, occurrences.len()));
        let mut whole = RowsOfFile { sums: vec![Sum::default(); occurrences.len()], ..RowsOfFile::default() };
        for part in read {
            whole = whole.followed_by(part?)?;
        }
        let is_sum = whole.sums.iter().map(|sum| sum.occurrences).eq(occurrences.iter().copied());
        let is_sound =
            is_sum && (whole.cells.end, whole.live) == (cells.len(), live) && cells.len() as u64 <= MOST_CELLS;
        is_sound.then_some(Rows { rows, cells, sums: whole.sums, live, packed: true, histograms: OnceLock::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_file_lie_one_after_the_other() {
        let row = |start, len| Row { start, len };
        assert_eq!(Row::of_lengths(&[2, 0, 3]), Some(vec![row(0, 2), row(2, 0), row(2, 3)]));
        assert_eq!(Row::of_lengths(&[u32::MAX, 1]), None);
    }
}
