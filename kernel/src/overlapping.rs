//! Counts of documents that may have several labels, or none: class 0 has all documents, every other class those of one label.
//!
//! A document is read once, under the set of its labels; [`Counts::spread`] then gives what was counted under each set to class 0 and
//! to each of its labels. What is outside a label is class 0 less the label's class. All else (adding, taking away, files) is the same
//! arithmetic as that of other counts.

use crate::counts::{Counts, find_cell};
use crate::error::Error;
use crate::rows::{Cell, Rows};

/// The documents of all labels together that have the feature of a row.
#[inline(always)]
pub fn of_all(row: &[Cell]) -> u32 {
    row.first().filter(|cell| cell.class == 0).map_or(0, |cell| cell.documents)
}

/// Which classes each set of labels has: class 0, then its labels, rising.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets(Vec<Vec<u32>>);

impl Sets {
    /// None where a set does not start with class 0, does not rise, or has a class that there is not.
    pub fn new(sets: Vec<Vec<u32>>, n_classes: usize) -> Option<Self> {
        let is_sound = |set: &Vec<u32>| {
            set.first() == Some(&0) && set.is_sorted_by(|a, b| a < b) && set.iter().all(|&c| (c as usize) < n_classes)
        };
        sets.iter().all(is_sound).then_some(Sets(sets))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, set: u32) -> &[u32] {
        &self.0[set as usize]
    }

    /// Weights by set as weights by class, in the order of the classes.
    pub fn by_class(&self, weights: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut sums: Vec<(u32, u32)> = vec![];
        for &(set, weight) in weights {
            for &class in self.get(set) {
                match sums.binary_search_by_key(&class, |(known, _)| *known) {
                    Ok(at) => sums[at].1 = sums[at].1.saturating_add(weight),
                    Err(at) => sums.insert(at, (class, weight)),
                }
            }
        }
        sums
    }
}

impl Counts {
    /// Counts by class of what was counted by set of labels.
    pub fn spread(&self, sets: &Sets, n_classes: usize) -> Result<Counts, Error> {
        assert_eq!(sets.len(), self.n_classes(), "the caller has compared them");
        let mut counts = Counts { blocks: vec![], documents: vec![0; n_classes], is_overlapping: true };
        for (set, &n) in self.documents.iter().enumerate() {
            sets.get(set as u32).iter().for_each(|&class| counts.documents[class as usize] += n);
        }
        for (at, block) in self.blocks.iter().enumerate() {
            let (mut cells, mut sums) = (vec![], vec![]);
            for id in 0..block.rows.len() as u32 {
                sums.clear();
                for cell in block.rows.get(id).iter().filter(|cell| !cell.is_zero()) {
                    sums.extend(sets.get(cell.class).iter().map(|&class| Cell { class, ..*cell }));
                }
                sums.sort_unstable_by_key(|cell: &Cell| cell.class);
                for same in sums.chunk_by(|a, b| a.class == b.class) {
                    let sum = joined(same);
                    let too_many = || Error::TooMany {
                        feature: format!("{:?}", self.name(at, id)),
                        class: same[0].class as usize,
                    };
                    cells.push((id, sum.ok_or_else(too_many)?));
                }
            }
            let mut rows = Rows::new(n_classes);
            rows.append(block.rows.len(), &cells);
            counts.blocks.push(crate::counts::Block { kind: block.kind, names: block.names.clone(), rows });
        }
        Ok(counts)
    }

    /// The same counts, read as those of classes that overlap; None where a class has more than the class of all documents.
    pub fn overlapping(mut self) -> Option<Counts> {
        let (&all, others) = self.documents.split_first()?;
        let is_part = |row: &[Cell]| row.iter().all(|cell| fits(cell, &find_cell(row, 0)));
        let is_sound = others.iter().all(|&n| n <= all)
            && self.blocks.iter().all(|block| (0..block.rows.len() as u32).all(|id| is_part(block.rows.get(id))));
        self.is_overlapping = true;
        is_sound.then_some(self)
    }

    /// That what is left without `other` is still a part of all documents: taken away in other sets than it came in, it might not be.
    pub fn check_overlap(&self, other: &Counts, places: &[Vec<u32>]) -> Result<(), Error> {
        let left = |class: usize| self.documents[class] - other.documents[class];
        if let Some(class) = (1..self.n_classes()).find(|&class| left(class) > left(0)) {
            return Err(Error::NeverAdded { feature: "a document".into(), class });
        }
        for (at, (block, theirs)) in self.blocks.iter().zip(&other.blocks).enumerate() {
            for (id, &place) in places[at].iter().enumerate() {
                let gone = theirs.rows.get(id as u32);
                if gone.iter().all(Cell::is_zero) {
                    continue;
                }
                let row = block.rows.get(place);
                let left = |class: u32| less(find_cell(row, class), find_cell(gone, class));
                let all = left(0);
                if let Some(cell) = row.iter().find(|cell| !fits(&left(cell.class), &all)) {
                    let feature = format!("{:?}", other.name(at, id as u32));
                    return Err(Error::NeverAdded { feature, class: cell.class as usize });
                }
            }
        }
        Ok(())
    }
}

fn fits(part: &Cell, whole: &Cell) -> bool {
    part.documents <= whole.documents && part.occurrences <= whole.occurrences
}

fn less(cell: Cell, gone: Cell) -> Cell {
    Cell {
        documents: cell.documents - gone.documents,
        occurrences: cell.occurrences - gone.occurrences,
        class: cell.class,
    }
}

/// The sum of cells of one class; None where it does not fit.
fn joined(cells: &[Cell]) -> Option<Cell> {
    let mut sum = cells[0];
    for cell in &cells[1..] {
        sum.documents = sum.documents.checked_add(cell.documents)?;
        sum.occurrences = sum.occurrences.checked_add(cell.occurrences)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::{Analyzer, Settings};

    /// "a b" has labels 1 and 2, "a a" label 2, "c" none.
    fn spread() -> Counts {
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let batch = Batch { texts: &["a b", "a a", "c"], classes: &[0, 1, 2], weights: None, n_classes: 3 };
        let by_set = count(&analyzer, batch, 1, &|| false).expect("counted");
        let sets = Sets::new(vec![vec![0, 1, 2], vec![0, 2], vec![0]], 3).expect("sound sets");
        by_set.spread(&sets, 3).expect("few")
    }

    fn row(counts: &Counts, name: &str) -> Vec<(u32, u32, u32)> {
        let cells = counts.blocks[0].rows.get(counts.find(0, name)).iter();
        cells.map(|cell| (cell.class, cell.documents, cell.occurrences)).collect()
    }

    #[test]
    fn a_document_counts_once_in_each_of_its_labels_and_once_in_all() {
        let counts = spread();
        assert_eq!(counts.documents, [3, 1, 2]);
        assert_eq!(row(&counts, "a"), [(0, 2, 3), (1, 1, 1), (2, 2, 3)]);
        assert_eq!(row(&counts, "b"), [(0, 1, 1), (1, 1, 1), (2, 1, 1)]);
        assert_eq!(row(&counts, "c"), [(0, 1, 1)]);
        assert_eq!([of_all(&[]), of_all(counts.blocks[0].rows.get(counts.find(0, "a")))], [0, 2]);
    }

    #[test]
    fn what_would_leave_a_label_with_more_than_there_is_in_all_was_never_added() {
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let batch = Batch { texts: &["a b"], classes: &[0], weights: None, n_classes: 1 };
        let by_set = count(&analyzer, batch, 1, &|| false).expect("counted");
        let unlabelled = by_set.spread(&Sets::new(vec![vec![0]], 3).expect("sound"), 3).expect("few");
        let mut counts = spread();
        assert!(matches!(counts.subtract(&unlabelled), Err(Error::NeverAdded { .. })));
        let labelled = by_set.spread(&Sets::new(vec![vec![0, 1, 2]], 3).expect("sound"), 3).expect("few");
        assert_eq!(counts.subtract(&labelled), Ok(()));
        assert_eq!(counts.documents, [2, 0, 1]);
    }

    #[test]
    fn counts_in_which_a_label_has_more_than_all_are_refused() {
        assert!(spread().overlapping().is_some());
        let mut counts = spread();
        counts.documents[2] = 4;
        assert!(counts.overlapping().is_none());
        let mut counts = spread();
        let id = counts.find(0, "b");
        counts.blocks[0].rows.add(id, Cell { class: 1, documents: 1, occurrences: 1 });
        assert!(counts.overlapping().is_none());
    }

    #[test]
    fn sets_start_with_all_and_rise() {
        for set in [vec![], vec![1], vec![0, 2, 1], vec![0, 1, 1], vec![0, 3]] {
            assert!(Sets::new(vec![set], 3).is_none());
        }
        let sets = Sets::new(vec![vec![0, 2], vec![0, 1, 2]], 3).expect("sound sets");
        assert_eq!(sets.by_class(&[(0, 5), (1, 2)]), [(0, 7), (1, 2), (2, 7)]);
    }
}
