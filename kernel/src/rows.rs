//! How often each feature was seen in each class: one row a feature, one cell a class in which it was seen.
//!
//! A feature is seen in one or two classes on average, however many there are, so a row holds only the cells that are
//! not empty, in the order of their classes. All cells lie in one array. A row of n cells owns the next power
//! of two of places; one that outgrows them moves to the end, so the places left behind are never more than those in use. Packed
//! rows have as many places as cells, and rows of a file that are equal may share them.

mod earlier;
mod stored;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, OnceLock};

use bytemuck::{Pod, Zeroable};

use crate::array::Array;
use crate::processor::{prefetch, scattered, scattered_zeros};
use crate::threads::each_on_a_thread;
use crate::vocabulary::{AHEAD, UNKNOWN};
pub use stored::RowArrays;

/// A feature in a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Cell {
    pub class: u32,
    /// In how many documents of the class.
    pub documents: u32,
    /// How often in all of them.
    pub occurrences: u32,
}

impl Cell {
    pub fn is_zero(&self) -> bool {
        self.documents == 0 && self.occurrences == 0
    }

    /// Whether `other` can be a part of it: what is left has an occurrence at the least in each document, or nothing.
    pub fn has_had(&self, other: Cell) -> bool {
        let left = (self.documents.checked_sub(other.documents), self.occurrences.checked_sub(other.occurrences));
        matches!(left, (Some(documents), Some(occurrences))
            if documents <= occurrences && (documents == 0) == (occurrences == 0))
    }
}

/// Places for cells that may be taken before more are added. A row that grows leaves its places behind, never more than are in use,
/// and those in use are never more than twice the cells: so four times as many have numbers of 32 bits.
pub const MOST_CELLS: u64 = 1 << 30;

/// Occurrences in all classes together.
pub fn total(row: &[Cell]) -> u64 {
    row.iter().map(|cell| u64::from(cell.occurrences)).sum()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    start: u32,
    len: u32,
}

/// What the cells of a class sum to. Every change of a cell changes them too, so nobody has to add all cells up again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Of all features: in how many documents each was seen.
    pub documents: u64,
    pub occurrences: u64,
    /// How many features the class has seen.
    pub features: u64,
}

impl Sum {
    /// Adds what the cells of other features sum to.
    fn add(&mut self, other: &Sum) {
        self.documents += other.documents;
        self.occurrences += other.occurrences;
        self.features += other.features;
    }

    /// Replaces one cell by another of the same feature.
    fn replace(&mut self, before: Cell, after: Cell) {
        self.documents = self.documents - u64::from(before.documents) + u64::from(after.documents);
        self.occurrences = self.occurrences - u64::from(before.occurrences) + u64::from(after.occurrences);
        self.features = self.features - u64::from(!before.is_zero()) + u64::from(!after.is_zero());
    }
}

#[derive(Clone, Default)]
pub struct Rows {
    rows: Array<Row>,
    cells: Array<Cell>,
    /// By class.
    pub sums: Vec<Sum>,
    /// How many features have been seen at all.
    pub live: u64,
    packed: bool,
    /// Kept up with every change once somebody wants it.
    histograms: OnceLock<Vec<Histogram>>,
}

/// How many features a class has seen in so many documents.
pub type Histogram = BTreeMap<u32, u64>;

impl Rows {
    pub fn new(n_classes: usize) -> Self {
        Rows { sums: vec![Sum::default(); n_classes], ..Rows::default() }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many places for cells there are, taken or free.
    pub fn n_places(&self) -> u64 {
        self.cells.len() as u64
    }

    /// The cells of feature `id`; none for one that has no row yet.
    #[inline(always)]
    pub fn get(&self, id: u32) -> &[Cell] {
        let Some(row) = self.rows.get(id as usize) else { return &[] };
        let start = row.start as usize;
        self.cells.get(start..start + row.len as usize).unwrap_or(&[])
    }

    /// Whether a cell can change without all others being moved first: those of a file lie side by side.
    pub fn is_open(&self) -> bool {
        !self.packed
    }

    /// Asks for the memory of feature `id`'s row.
    #[inline(always)]
    pub fn expect(&self, id: u32) {
        prefetch(&self.rows, id as usize);
    }

    /// Asks for the memory of its cells; its row should have come by now.
    #[inline(always)]
    pub fn expect_cells(&self, id: u32) {
        if let Some(row) = self.rows.get(id as usize) {
            prefetch(&self.cells, row.start as usize);
        }
    }

    /// By class, how many features it has seen in so many documents: as it is known, or counted.
    pub fn histograms(&self) -> Cow<'_, [Histogram]> {
        self.histograms.get().map_or_else(|| self.counted_histograms().into(), |known| known[..].into())
    }

    /// Keeps them from now on. Whoever forks must not do so meanwhile.
    pub fn keep_histograms(&self) {
        self.histograms.get_or_init(|| self.counted_histograms());
    }

    fn counted_histograms(&self) -> Vec<Histogram> {
        let mut seen: Vec<Vec<u32>> = vec![vec![]; self.sums.len()];
        for id in 0..self.len() as u32 {
            let cells = self.get(id).iter().filter(|cell| !cell.is_zero());
            cells.for_each(|cell| seen[cell.class as usize].push(cell.documents));
        }
        let count = |mut seen: Vec<u32>| {
            seen.sort_unstable();
            seen.chunk_by(|a, b| a == b).map(|group| (group[0], group.len() as u64)).collect()
        };
        seen.into_iter().map(count).collect()
    }

    /// Whether feature `id` has been seen and not been forgotten since.
    pub fn is_live(&self, id: u32) -> bool {
        self.get(id).iter().any(|cell| !cell.is_zero())
    }

    /// Makes room for so many more rows and cells; the largest part of what will ever be read.
    pub fn reserve(&mut self, n_rows: usize, n_cells: usize) {
        if self.is_empty() {
            (self.rows, self.cells) = (scattered(n_rows).into(), scattered(n_cells).into());
        }
    }

    /// Appends rows for the next `n` features: `cells` are (feature counted from the first of them, cell), sorted by class. Cells of
    /// one feature and class are added up; the caller has made sure that they fit.
    pub fn append(&mut self, n: usize, cells: &[(u32, Cell)]) {
        /// Rows and cells lie all over the memory, so they are asked for so many cells ahead.
        const AHEAD: usize = 16;
        self.unpack();
        let mut lengths = vec![0u32; n];
        cells.iter().for_each(|(feature, _)| lengths[*feature as usize] += 1);
        let (rows, all) = (self.rows.to_mut(), self.cells.to_mut());
        let first = rows.len();
        let mut start = all.len();
        rows.reserve(n);
        for &len in &lengths {
            rows.push(Row { start: start as u32, len: 0 });
            start += places(len);
            self.live += u64::from(len > 0);
        }
        // The first cells of all have memory that the system has cleared.
        if all.is_empty() {
            *all = scattered_zeros(start)
        } else {
            all.resize(start, Cell::default())
        }
        let mut rest = cells;
        for cells in cells.chunk_by(|(_, a), (_, b)| a.class == b.class) {
            let mut sum = Sum::default();
            for (feature, cell) in cells {
                if let Some((next, _)) = rest.get(AHEAD) {
                    prefetch(all, rows[first + *next as usize].start as usize);
                }
                if let Some((next, _)) = rest.get(2 * AHEAD) {
                    prefetch(rows, first + *next as usize);
                }
                rest = &rest[1..];
                let row = &mut rows[first + *feature as usize];
                let at = (row.start + row.len) as usize;
                sum.documents += u64::from(cell.documents);
                sum.occurrences += u64::from(cell.occurrences);
                // Two threads may have had documents of the same class.
                if row.len > 0 && all[at - 1].class == cell.class {
                    all[at - 1].documents += cell.documents;
                    all[at - 1].occurrences += cell.occurrences;
                } else {
                    all[at] = *cell;
                    row.len += 1;
                    sum.features += u64::from(!cell.is_zero());
                }
            }
            self.sums[cells[0].1.class as usize].add(&sum);
        }
        self.histograms = OnceLock::new();
    }

    /// Appends rows for the next features: the first has the first `lengths[0]` of the cells, and so on, each in the order of the
    /// classes.
    pub fn append_sorted(&mut self, lengths: &[u32], cells: &[Cell]) {
        self.unpack();
        let (rows, all) = (self.rows.to_mut(), self.cells.to_mut());
        let mut rest = cells;
        for &len in lengths {
            let start = all.len();
            let row;
            (row, rest) = rest.split_at(len as usize);
            all.extend_from_slice(row);
            all.resize(start + places(len), Cell::default());
            rows.push(Row { start: start as u32, len });
            self.live += u64::from(len > 0);
        }
        for cell in cells {
            self.sums[cell.class as usize].replace(Cell::default(), *cell);
        }
        self.histograms = OnceLock::new();
    }

    /// The rows of features that follow each other, of the same classes, from several parts; each is copied by a thread of its own.
    pub fn joined(mut parts: Vec<Rows>) -> Rows {
        if parts.len() < 2 {
            return parts.pop().unwrap_or_default();
        }
        let mut rows = scattered_zeros(parts.iter().map(|part| part.rows.len()).sum());
        let mut cells = scattered_zeros(parts.iter().map(|part| part.cells.len()).sum());
        let mut whole = Rows::new(parts[0].sums.len());
        let (mut rows_left, mut cells_left, mut first, mut copies) = (&mut rows[..], &mut cells[..], 0u32, vec![]);
        for part in &parts {
            let (part_rows, part_cells);
            (part_rows, rows_left) = rows_left.split_at_mut(part.rows.len());
            (part_cells, cells_left) = cells_left.split_at_mut(part.cells.len());
            copies.push(Mutex::new((part, first, part_rows, part_cells)));
            first += part.cells.len() as u32;
            whole.sums.iter_mut().zip(&part.sums).for_each(|(sum, more)| sum.add(more));
            whole.live += part.live;
        }
        each_on_a_thread(&copies, |copy| {
            let (part, first, rows, cells) = &mut *copy.lock().expect("each part has one thread");
            let moved = |row: &Row| Row { start: *first + row.start, ..*row };
            rows.iter_mut().zip(part.rows.iter()).for_each(|(to, row)| *to = moved(row));
            cells.copy_from_slice(&part.cells);
        });
        drop(copies);
        (whole.rows, whole.cells) = (rows.into(), cells.into());
        whole
    }

    /// Adds to one cell. The caller has made sure that it fits.
    pub fn add(&mut self, id: u32, cell: Cell) {
        self.unpack();
        if self.rows.len() <= id as usize {
            self.rows.to_mut().resize(id as usize + 1, Row::default());
        }
        self.live += u64::from(!self.is_live(id) && !cell.is_zero());
        match self.get(id).binary_search_by_key(&cell.class, |cell| cell.class) {
            Ok(at) => {
                let at = self.rows[id as usize].start as usize + at;
                let known = &mut self.cells.to_mut()[at];
                let before = *known;
                known.documents += cell.documents;
                known.occurrences += cell.occurrences;
                note(&mut self.sums, &mut self.histograms, before, *known);
            }
            Err(at) => {
                self.insert(id, at, cell);
                note(&mut self.sums, &mut self.histograms, Cell::default(), cell);
            }
        }
    }

    /// Takes from one cell. The caller has made sure that there is enough.
    pub fn subtract(&mut self, id: u32, cell: Cell) {
        self.unpack();
        let was_live = self.is_live(id);
        let row = self.rows[id as usize];
        let cells = &mut self.cells.to_mut()[row.start as usize..(row.start + row.len) as usize];
        if let Ok(at) = cells.binary_search_by_key(&cell.class, |cell| cell.class) {
            let before = cells[at];
            cells[at].documents -= cell.documents;
            cells[at].occurrences -= cell.occurrences;
            note(&mut self.sums, &mut self.histograms, before, cells[at]);
        }
        self.live -= u64::from(was_live && !self.is_live(id));
    }

    fn insert(&mut self, id: u32, at: usize, cell: Cell) {
        let row = &mut self.rows.to_mut()[id as usize];
        let cells = self.cells.to_mut();
        if row.len as usize == places(row.len) {
            let start = cells.len();
            cells.extend_from_within(row.start as usize..(row.start + row.len) as usize);
            cells.resize(start + places(row.len + 1), Cell::default());
            row.start = start as u32;
        }
        row.len += 1;
        let cells = &mut cells[row.start as usize..(row.start + row.len) as usize];
        cells[at..].rotate_right(1);
        cells[at] = cell;
    }

    /// The rows of `ids`, one after the other, without empty cells and free places: as a file holds them. A feature that
    /// is not `counted` has an empty row: it is there for its name.
    pub fn pack(&self, ids: &[u32], counted: impl Fn(u32) -> bool) -> Rows {
        let (mut rows, mut cells) = (Vec::with_capacity(ids.len()), Vec::new());
        let mut live = 0;
        for (at, &id) in ids.iter().enumerate() {
            ids.get(at + 2 * AHEAD).into_iter().for_each(|&id| self.expect(id));
            ids.get(at + AHEAD).into_iter().for_each(|&id| self.expect_cells(id));
            let start = cells.len();
            let row = if counted(id) { self.get(id) } else { &[] };
            cells.extend(row.iter().filter(|cell| !cell.is_zero()));
            live += u64::from(cells.len() > start);
            rows.push(Row { start: start as u32, len: (cells.len() - start) as u32 });
        }
        let mut sums = vec![Sum::default(); self.sums.len()];
        cells.iter().for_each(|cell: &Cell| sums[cell.class as usize].replace(Cell::default(), *cell));
        Rows { rows: rows.into(), cells: cells.into(), sums, live, packed: true, histograms: OnceLock::new() }
    }

    /// Takes the documents of each cell from packed rows that are packed like these; false where there are other cells, or more
    /// documents than occurrences.
    pub fn take_documents(&mut self, other: &Rows) -> bool {
        if self.rows[..] != other.rows[..] || self.cells.len() != other.cells.len() {
            return false;
        }
        self.sums.iter_mut().for_each(|sum| sum.documents = 0);
        self.histograms = OnceLock::new();
        self.cells.to_mut().iter_mut().zip(other.cells.iter()).all(|(cell, other)| {
            cell.documents = other.documents;
            self.sums[cell.class as usize].documents += u64::from(cell.documents);
            cell.class == other.class && cell.documents <= cell.occurrences
        })
    }

    /// Gives every packed row the places that it owns while it can change.
    fn unpack(&mut self) {
        if !self.packed {
            return;
        }
        let mut cells = Vec::with_capacity(self.cells.len() * 5 / 4);
        let rows: Vec<Row> = (0..self.rows.len() as u32)
            .map(|id| {
                let (start, row) = (cells.len(), self.get(id));
                cells.extend_from_slice(row);
                cells.resize(start + places(row.len() as u32), Cell::default());
                Row { start: start as u32, len: row.len() as u32 }
            })
            .collect();
        (self.rows, self.cells, self.packed) = (rows.into(), cells.into(), false);
    }

    /// Class `c` becomes class `to[c]`, one of `n_classes`; one that becomes [`UNKNOWN`] is dropped with all it has.
    pub fn renumber(&mut self, to: &[u32], n_classes: usize) {
        self.unpack();
        let mut sums = vec![Sum::default(); n_classes];
        for (sum, &class) in self.sums.iter().zip(to).filter(|(_, class)| **class != UNKNOWN) {
            sums[class as usize] = *sum;
        }
        self.sums = sums;
        self.histograms = OnceLock::new();
        let (rows, cells) = (self.rows.to_mut(), self.cells.to_mut());
        for row in rows {
            let range = &mut cells[row.start as usize..(row.start + row.len) as usize];
            range.iter_mut().for_each(|cell| cell.class = to[cell.class as usize]);
            range.sort_unstable_by_key(|cell| cell.class);
            let kept = range.iter().filter(|cell| cell.class != UNKNOWN).count();
            // A row may own more places than its length tells, never fewer.
            row.len = kept as u32;
        }
        self.live = (0..self.len() as u32).filter(|&id| self.is_live(id)).count() as u64;
    }
}

/// Takes note that a cell is replaced by another of the same feature.
fn note(sums: &mut [Sum], histograms: &mut OnceLock<Vec<Histogram>>, before: Cell, after: Cell) {
    sums[after.class as usize].replace(before, after);
    let Some(histograms) = histograms.get_mut() else { return };
    let histogram = &mut histograms[after.class as usize];
    if !before.is_zero()
        && let Entry::Occupied(mut known) = histogram.entry(before.documents)
    {
        *known.get_mut() -= 1;
        if *known.get() == 0 {
            known.remove();
        }
    }
    if !after.is_zero() {
        *histogram.entry(after.documents).or_default() += 1;
    }
}

/// The places that a row of `len` cells owns.
fn places(len: u32) -> usize {
    if len == 0 { 0 } else { len.next_power_of_two() as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(class: u32, n: u32) -> Cell {
        Cell { class, documents: n, occurrences: 2 * n }
    }

    fn sum(n: u64, features: u64) -> Sum {
        Sum { documents: n, occurrences: 2 * n, features }
    }

    #[test]
    fn cells_added_one_by_one_equal_cells_appended() {
        let mut whole = Rows::new(9);
        let cells: Vec<(u32, Cell)> =
            (0..9).flat_map(|class| (0..5).map(move |id| (id, cell(class, id + 1)))).collect();
        whole.append(5, &cells);
        let mut grown = Rows::new(9);
        cells.iter().rev().for_each(|(id, cell)| grown.add(*id, *cell));
        assert!((0..5).all(|id| whole.get(id) == grown.get(id)));
        assert_eq!((whole.live, &whole.sums), (grown.live, &grown.sums));
    }

    #[test]
    fn what_is_taken_away_again_leaves_nothing() {
        let mut rows = Rows::new(2);
        rows.add(3, cell(1, 4));
        assert_eq!(rows.live, 1);
        rows.subtract(3, cell(1, 4));
        assert_eq!((rows.live, &rows.sums[..], rows.is_live(3)), (0, &[Sum::default(); 2][..], false));
        assert!(rows.pack(&[3], |_| true).get(0).is_empty());
    }

    #[test]
    fn histograms_that_are_kept_equal_histograms_that_are_counted() {
        let mut rows = Rows::new(3);
        rows.append(2, &[(0, cell(0, 1)), (1, cell(0, 1)), (1, cell(2, 4))]);
        rows.keep_histograms();
        for (id, class, n) in [(0, 0, 2), (5, 1, 1), (1, 2, 3), (7, 2, 3)] {
            rows.add(id, cell(class, n));
            assert_eq!(rows.histograms().to_vec(), rows.counted_histograms());
        }
        rows.append(1, &[(0, cell(1, 1)), (0, cell(1, 2))]);
        rows.subtract(1, cell(0, 1));
        rows.subtract(7, cell(2, 1));
        assert_eq!(rows.clone().histograms().to_vec(), rows.counted_histograms());
        rows.renumber(&[1, 0, 2], 3);
        assert_eq!(rows.histograms().to_vec(), rows.counted_histograms());
    }

    #[test]
    fn classes_can_be_renumbered() {
        let mut rows = Rows::new(2);
        rows.append(1, &[(0, cell(0, 1)), (0, cell(1, 2))]);
        rows.renumber(&[2, 0], 3);
        assert_eq!(rows.get(0), [cell(0, 2), cell(2, 1)]);
        assert_eq!(rows.sums, [sum(2, 1), Sum::default(), sum(1, 1)]);
    }

    #[test]
    fn a_class_that_is_dropped_takes_its_features_along() {
        let mut rows = Rows::new(2);
        rows.append(2, &[(0, cell(0, 1)), (0, cell(1, 2)), (1, cell(1, 3))]);
        rows.renumber(&[0, UNKNOWN], 1);
        assert_eq!((rows.get(0), rows.get(1)), (&[cell(0, 1)][..], &[][..]));
        assert_eq!((rows.live, &rows.sums[..]), (1, &[sum(1, 1)][..]));
    }
}
