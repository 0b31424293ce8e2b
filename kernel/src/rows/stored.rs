//! Rows as a file holds them: a byte for the length of a row, the classes of its cells, and a byte for the counts of each.
//!
//! Nearly all counts are small, and those that are not stand apart. Two thirds of all rows have been seen once: one cell, of one
//! document and one occurrence. In memory the rows of a file share that cell of each class, so they need no memory of their own.

use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use super::{Cell, MOST_CELLS, Row, Rows, Sum};
use crate::array::Array;
use crate::processor::Cleared;
use crate::threads::{each_on_a_thread, large_parts};

/// Stands for a length, or for counts, that a byte has no room for.
const LARGE: u8 = 255;
/// The counts of one document and one occurrence.
const ONCE: u8 = 0;

/// What one byte says of a cell: fifteen more documents than one, fifteen more occurrences than documents.
fn small_counts(cell: &Cell) -> Option<u8> {
    let (documents, more) = (cell.documents.wrapping_sub(1), cell.occurrences.wrapping_sub(cell.documents));
    (documents < 16 && more < 16).then_some((more << 4 | documents) as u8).filter(|&counts| counts != LARGE)
}

/// Bytes of the number of a class.
fn class_width(n_classes: usize) -> usize {
    match n_classes {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

#[derive(Default)]
pub struct RowArrays {
    /// By row, how many cells it has, or [`LARGE`].
    pub lengths: Array<u8>,
    /// The lengths of rows that a byte has no room for.
    pub large_lengths: Array<u32>,
    /// By cell, the number of its class: little-endian, of one byte, two, or four, by how many classes there are.
    pub classes: Array<u8>,
    /// By cell, its counts, or [`LARGE`].
    pub counts: Array<u8>,
    /// Documents and occurrences of the cells that a byte has no room for.
    pub large_counts: Array<[u32; 2]>,
}

/// How many cells, and how many that is large, come before a row.
#[derive(Clone, Copy, Default)]
struct Before {
    cells: usize,
    large_lengths: usize,
    large_counts: usize,
}

impl RowArrays {
    /// The arrays of rows that were made by [`Rows::pack`].
    pub fn of(rows: &Rows) -> Self {
        let width = class_width(rows.sums.len());
        let (mut lengths, mut classes, mut counts) = (vec![], vec![], vec![]);
        let (mut large_lengths, mut large_counts) = (vec![], vec![]);
        lengths.reserve(rows.len());
        counts.reserve(rows.cells.len());
        classes.reserve(width * rows.cells.len());
        for id in 0..rows.len() as u32 {
            let row = rows.get(id);
            lengths.push(u8::try_from(row.len()).unwrap_or(LARGE));
            if row.len() >= usize::from(LARGE) {
                large_lengths.push(row.len() as u32);
            }
            for cell in row {
                classes.extend_from_slice(&cell.class.to_le_bytes()[..width]);
                counts.push(small_counts(cell).unwrap_or_else(|| {
                    large_counts.push([cell.documents, cell.occurrences]);
                    LARGE
                }));
            }
        }
        RowArrays {
            lengths: lengths.into(),
            large_lengths: large_lengths.into(),
            classes: classes.into(),
            counts: counts.into(),
            large_counts: large_counts.into(),
        }
    }

    /// The rows of these arrays; None where something is wrong with them.
    pub fn rows(&self, n_classes: usize, threads: usize) -> Option<Rows> {
        match class_width(n_classes) {
            1 => self.rows_of::<1>(n_classes, threads),
            2 => self.rows_of::<2>(n_classes, threads),
            _ => self.rows_of::<4>(n_classes, threads),
        }
    }

    /// The rows, where the number of a class has so many bytes.
    fn rows_of<const WIDTH: usize>(&self, n_classes: usize, threads: usize) -> Option<Rows> {
        let parts = large_parts(self.lengths.len(), threads);
        let mut before = Before::default();
        let mut starts = vec![before];
        for part in &parts {
            before = self.and(before, part.clone())?;
            starts.push(before);
        }
        let Before { cells: n_cells, large_lengths, large_counts } = before;
        let are_all = (large_lengths, large_counts) == (self.large_lengths.len(), self.large_counts.len())
            && (n_cells, n_cells * WIDTH) == (self.counts.len(), self.classes.len());
        if !are_all || n_cells as u64 > MOST_CELLS || n_classes as u64 > MOST_CELLS {
            return None;
        }
        // There is room for all cells. What shared ones leave free is never touched, so it takes no memory.
        let (mut rows, mut cells) = (Cleared::new(self.lengths.len()), Cleared::new(n_classes + n_cells));
        let (shared, mut cells_left) = cells.split_at_mut(n_classes);
        shared.iter_mut().zip(0..).for_each(|(cell, class)| *cell = Cell { class, documents: 1, occurrences: 1 });
        let mut rows_left = &mut rows[..];
        let mut works = vec![];
        for (part, borders) in parts.iter().zip(starts.windows(2)) {
            let (own_rows, own_cells);
            (own_rows, rows_left) = rows_left.split_at_mut(part.len());
            (own_cells, cells_left) = cells_left.split_at_mut(borders[1].cells - borders[0].cells);
            works.push(Mutex::new((part.start, borders[0], own_rows, own_cells)));
        }
        let read = each_on_a_thread(&works, |work| {
            let (first, before, rows, cells) = &mut *work.lock().expect("each part has one thread");
            self.read::<WIDTH>(*first, *before, n_classes, rows, cells)
        });
        drop(works);
        let mut whole = Rows { packed: true, ..Rows::new(n_classes) };
        for part in read {
            let (sums, live) = part?;
            whole.sums.iter_mut().zip(&sums).for_each(|(sum, more)| sum.add(more));
            whole.live += live;
        }
        whole.histograms = OnceLock::new();
        (whole.rows, whole.cells) = (Array::shared(rows), Array::shared(cells));
        Some(whole)
    }

    /// What comes before the row after `part`; None where the arrays are too short for that.
    fn and(&self, before: Before, part: Range<usize>) -> Option<Before> {
        let mut after = before;
        // Sums of few bytes are narrow, so that many are added at once.
        for some in self.lengths[part].chunks(256) {
            let small = |length: u8| if length == LARGE { 0 } else { u16::from(length) };
            after.cells += usize::from(some.iter().map(|&length| small(length)).sum::<u16>());
            after.large_lengths += usize::from(n_large(some));
        }
        let large = self.large_lengths.get(before.large_lengths..after.large_lengths)?;
        after.cells += large.iter().map(|&length| length as usize).sum::<usize>();
        let counts = self.counts.get(before.cells..after.cells)?;
        after.large_counts += counts.chunks(256).map(|some| usize::from(n_large(some))).sum::<usize>();
        Some(after)
    }

    /// Makes the rows from the one with this id on, and their cells. Returns what the cells of each class sum to, and how many rows
    /// have any.
    fn read<const WIDTH: usize>(
        &self,
        first: usize,
        before: Before,
        n_classes: usize,
        rows: &mut [Row],
        cells: &mut [Cell],
    ) -> Option<(Vec<Sum>, u64)> {
        let (counts, classes) = (&self.counts[before.cells..], self.classes[before.cells * WIDTH..].as_chunks().0);
        let mut large_lengths = self.large_lengths[before.large_lengths..].iter();
        let mut large_counts = self.large_counts[before.large_counts..].iter();
        let (mut sums, mut live) = (vec![Sum::default(); n_classes], 0);
        let mut once = vec![0u64; n_classes];
        let start = n_classes + before.cells;
        // Cells that were read, and those that were written.
        let (mut at, mut written) = (0, 0);
        for (row, &length) in rows.iter_mut().zip(&self.lengths[first..]) {
            if length == 1 && *counts.get(at)? == ONCE {
                let class = class_of::<WIDTH>(classes.get(at)?);
                *once.get_mut(class as usize)? += 1;
                *row = Row { start: class, len: 1 };
                at += 1;
                continue;
            }
            let length = if length == LARGE { *large_lengths.next()? as usize } else { usize::from(length) };
            let (classes, counts) = (classes.get(at..at + length)?, counts.get(at..at + length)?);
            let mut next_class = 0;
            for ((cell, class), &counts) in
                cells.get_mut(written..written + length)?.iter_mut().zip(classes).zip(counts)
            {
                let class = class_of::<WIDTH>(class);
                let (mut documents, mut occurrences) = (u32::from(counts & 15) + 1, 0);
                occurrences += documents + u32::from(counts >> 4);
                if counts == LARGE {
                    [documents, occurrences] = *large_counts.next()?;
                }
                let is_possible = u64::from(class) >= next_class && documents > 0 && documents <= occurrences;
                let sum = sums.get_mut(class as usize).filter(|_| is_possible)?;
                *cell = Cell { class, documents, occurrences };
                sum.documents += u64::from(documents);
                sum.occurrences += u64::from(occurrences);
                sum.features += 1;
                next_class = u64::from(class) + 1;
            }
            *row = Row { start: (start + written) as u32, len: length as u32 };
            live += u64::from(length > 0);
            at += length;
            written += length;
        }
        for (sum, n) in sums.iter_mut().zip(once) {
            sum.add(&Sum { documents: n, occurrences: n, features: n });
            live += n;
        }
        Some((sums, live))
    }
}

fn n_large(some: &[u8]) -> u16 {
    some.iter().map(|&byte| u16::from(byte == LARGE)).sum()
}

#[inline(always)]
fn class_of<const WIDTH: usize>(bytes: &[u8; WIDTH]) -> u32 {
    let mut whole = [0; 4];
    whole[..WIDTH].copy_from_slice(bytes);
    u32::from_le_bytes(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(n_rows: usize, n_classes: u32) -> Rows {
        let mut rows = Rows::new(n_classes as usize);
        let counts = [(1, 1), (1, 1), (1, 2), (16, 31), (16, 30), (17, 17), (1, 17), (u32::MAX, u32::MAX)];
        for id in 0..n_rows as u32 {
            // Empty rows, rows of one cell, and of some; now and then one of all classes.
            let length = if id % 1000 == 7 { n_classes } else { [1, 0, 1, 1, 3][id as usize % 5].min(n_classes) };
            for number in 0..length {
                let class = if length == n_classes { number } else { (id * 7 + number * 31) % n_classes };
                let (documents, occurrences) = counts[((id + number) % 8) as usize];
                if rows.get(id).iter().all(|cell| cell.class != class) {
                    rows.add(id, Cell { class, documents, occurrences });
                }
            }
        }
        rows.pack(&(0..n_rows as u32).collect::<Vec<u32>>(), |_| true)
    }

    #[test]
    fn rows_of_a_file_are_those_that_were_saved_for_any_number_of_threads() {
        for (n_rows, n_classes) in
            [(0, 0), (0, 3), (1, 1), (100, 2), (3000, 256), (3000, 257), (2000, 70_000), (140_000, 20)]
        {
            let rows = packed(n_rows, n_classes);
            let arrays = RowArrays::of(&rows);
            for threads in [1, 2, 3] {
                let read = arrays.rows(n_classes as usize, threads).expect("they are sound");
                assert_eq!((read.len(), read.live, &read.sums), (rows.len(), rows.live, &rows.sums));
                assert!((0..n_rows as u32).all(|id| read.get(id) == rows.get(id)));
                let again = RowArrays::of(&read);
                assert_eq!((&again.lengths[..], &again.classes[..]), (&arrays.lengths[..], &arrays.classes[..]));
                assert_eq!(again.counts[..], arrays.counts[..]);
            }
        }
    }

    #[test]
    fn rows_that_share_a_cell_change_on_their_own() {
        let mut rows = RowArrays::of(&packed(100, 2)).rows(2, 1).expect("they are sound");
        let before: Vec<Vec<Cell>> = (0..100).map(|id| rows.get(id).to_vec()).collect();
        assert_eq!(rows.get(0), [Cell { class: 0, documents: 1, occurrences: 1 }]);
        rows.add(0, Cell { class: 0, documents: 1, occurrences: 5 });
        assert_eq!(rows.get(0), [Cell { class: 0, documents: 2, occurrences: 6 }]);
        assert!((1..100).all(|id| rows.get(id) == before[id as usize]));
    }

    #[test]
    fn arrays_that_do_not_fit_each_other_or_say_what_cannot_be_are_refused() {
        let rows = packed(300, 3);
        let whole = RowArrays::of(&rows);
        let changed = |change: &dyn Fn(&mut RowArrays)| {
            let mut arrays = RowArrays {
                lengths: whole.lengths.clone(),
                large_lengths: whole.large_lengths.clone(),
                classes: whole.classes.clone(),
                counts: whole.counts.clone(),
                large_counts: whole.large_counts.clone(),
            };
            change(&mut arrays);
            arrays.rows(3, 2).is_some()
        };
        assert!(changed(&|_| ()));
        assert!(!changed(&|arrays| arrays.lengths.to_mut()[1] = 1));
        assert!(!changed(&|arrays| arrays.lengths.to_mut()[1] = LARGE));
        assert!(!changed(&|arrays| arrays.large_lengths.to_mut().push(1)));
        assert!(!changed(&|arrays| arrays.large_counts.to_mut().push([1, 1])));
        assert!(!changed(&|arrays| arrays.large_counts.to_mut().truncate(2)));
        assert!(!changed(&|arrays| arrays.classes.to_mut().truncate(2)));
        assert!(!changed(&|arrays| arrays.counts.to_mut().truncate(2)));
        assert!(!changed(&|arrays| arrays.classes.to_mut()[0] = 3));
        assert!(!changed(&|arrays| arrays.large_counts.to_mut()[0] = [0, 0]));
        assert!(!changed(&|arrays| arrays.large_counts.to_mut()[0] = [2, 1]));
        let several = whole.lengths.iter().take_while(|&&length| length < 2).map(|&length| usize::from(length)).sum();
        assert!(!changed(&|arrays| arrays.classes.to_mut().swap(several, several + 1)));
    }
}
