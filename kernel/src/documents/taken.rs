//! What leaves the counts with a document: all its copies, and all of its group.
//!
//! A model without some documents is the same counts less theirs. Copies have the same features, so they take the same from each
//! row. Other documents of the group take from the features that they share with the document: these are counted once a group.

use std::collections::HashMap;

use super::Documents;
use crate::counts::find_cell;
use crate::rows::Cell;

impl Documents {
    /// By document the weight of what is taken out of its own class, or set of labels, with it.
    pub fn taken_from_own(&self) -> Vec<f64> {
        let mut taker = Taker::new(self);
        let mut taken = |at: usize| {
            let own = self.classes[at];
            let documents = taker.of(at).documents();
            documents.iter().filter(|(class, _)| *class == own).map(|&(_, weight)| weight as f64).sum()
        };
        (0..self.len()).map(&mut taken).collect()
    }

    /// By document and class the weight of what is taken out with it.
    pub fn taken(&self, n_classes: usize) -> Vec<f64> {
        let mut taker = Taker::new(self);
        let mut weights = vec![0.0; n_classes * self.len()];
        for (at, weights) in weights.chunks_mut(n_classes.max(1)).enumerate() {
            taker.of(at).documents().iter().for_each(|&(class, weight)| weights[class as usize] += weight as f64);
        }
        weights
    }
}

/// What is taken out with one document after the other.
pub struct Taker<'a> {
    documents: &'a Documents,
    /// What the group of this number takes, its own documents included.
    group: Option<(u32, Group)>,
}

/// The counts of a group.
#[derive(Default)]
struct Group {
    /// By block, id and class.
    cells: Vec<HashMap<u32, Vec<Cell>>>,
    totals: Vec<Total>,
}

/// What leaves a class.
#[derive(Clone, Default)]
pub struct Total {
    pub class: u32,
    pub documents: u64,
    pub occurrences: u64,
    /// By block: features, each as often as documents have it.
    pub features: Vec<u64>,
}

impl<'a> Taker<'a> {
    pub fn new(documents: &'a Documents) -> Self {
        Taker { documents, group: None }
    }

    /// What is taken out with this document.
    pub fn of(&mut self, at: usize) -> Taken<'_> {
        let documents = self.documents;
        if documents.is_grouped && self.group.as_ref().is_none_or(|(number, _)| *number != documents.groups[at]) {
            self.group = Some((documents.groups[at], Group::of(documents, at)));
        }
        let start = if at == 0 { 0 } else { documents.copy_ends[at - 1] };
        let copies = &documents.copies[start..documents.copy_ends[at]];
        Taken { documents, at, copies, group: self.group.as_ref().map(|(_, group)| group) }
    }
}

/// What is taken out with a document.
pub struct Taken<'a> {
    documents: &'a Documents,
    at: usize,
    copies: &'a [(u32, u32)],
    group: Option<&'a Group>,
}

impl Taken<'_> {
    /// The documents that leave each class, some of which may be named twice.
    fn documents(&self) -> Vec<(u32, u64)> {
        let group = self.group.map_or(&[][..], |group| &group.totals);
        let of_group = group.iter().map(|total| (total.class, total.documents));
        of_group.chain(self.copies.iter().map(|&(class, weight)| (class, u64::from(weight)))).collect()
    }

    /// What leaves each class.
    pub fn totals(&self) -> Vec<Total> {
        let blocks = &self.documents.blocks;
        let features: Vec<u64> = blocks.iter().map(|block| block.range(self.at).len() as u64).collect();
        let times =
            |block: &super::Features| block.times[block.range(self.at)].iter().map(|&n| u64::from(n)).sum::<u64>();
        let occurrences: u64 = blocks.iter().map(times).sum();
        let mut totals = self.group.map_or(vec![], |group| group.totals.clone());
        for &(class, weight) in self.copies {
            total_of(&mut totals, class, blocks.len()).add(u64::from(weight), occurrences, &features);
        }
        totals
    }

    /// The number of the group, where nothing but its documents is taken out: then it is the same for each of them.
    pub fn is_group(&self) -> Option<u32> {
        (self.group.is_some() && self.copies.is_empty()).then(|| self.documents.groups[self.at])
    }

    /// Every feature that something is taken from, with its block and how often it stands in the document itself.
    pub fn features(&self) -> Vec<(usize, u32, u32)> {
        let mut all = vec![];
        for (block, features) in self.documents.blocks.iter().enumerate() {
            let own = features.range(self.at).map(|i| (features.ids[i], features.times[i]));
            let Some(group) = self.group else {
                all.extend(own.map(|(id, times)| (block, id, times)));
                continue;
            };
            // The document is one of its group.
            let own: HashMap<u32, u32> = own.collect();
            all.extend(group.cells[block].keys().map(|&id| (block, id, own.get(&id).copied().unwrap_or(0))));
        }
        // Those of a document alone come as they stand in it: ids depend on the order in which documents were counted.
        if self.group.is_some() {
            all.sort_unstable();
        }
        all
    }

    /// The documents of two classes that are left of a feature that stands in the document.
    #[inline(always)]
    pub fn left_of_two(&self, block: usize, id: u32, row: &[Cell]) -> [u32; 2] {
        let mut left = [0; 2];
        row.iter().for_each(|cell| left[usize::from(cell.class == 1)] = cell.documents);
        let mut subtract = |class: u32, documents: u32| {
            let left = &mut left[usize::from(class == 1)];
            *left = left.saturating_sub(documents);
        };
        self.copies.iter().for_each(|&(class, weight)| subtract(class, weight));
        let of_group = self.group.and_then(|group| group.cells[block].get(&id));
        of_group.into_iter().flatten().for_each(|cell| subtract(cell.class, cell.documents));
        left
    }

    /// Whether nothing is taken out but copies of the document.
    pub fn is_of_copies(&self) -> bool {
        self.group.is_none()
    }

    /// The documents that are left of a feature that stands in the document, where only its copies are taken out: by class, into
    /// zeros, and of all.
    #[inline(always)]
    pub fn left_by_class(&self, row: &[Cell], left: &mut [f64]) -> u32 {
        let mut all = 0;
        for cell in row {
            left[cell.class as usize] = f64::from(cell.documents);
            all += cell.documents;
        }
        for &(class, weight) in self.copies {
            let left = &mut left[class as usize];
            let taken = left.min(f64::from(weight));
            *left -= taken;
            all -= taken as u32;
        }
        all
    }

    /// The cells of a feature that are left, which stands in the document so many times: in none of its copies where it stands there
    /// not once.
    #[inline(always)]
    pub fn left(&self, block: usize, id: u32, times: u32, row: &[Cell], left: &mut Vec<Cell>) {
        left.clear();
        // Cell by cell: most rows are so short that asking for a copy of the whole takes longer.
        if row.len() > SHORT_ROW {
            left.extend_from_slice(row);
        } else {
            row.iter().for_each(|&cell| left.push(cell));
        }
        self.take(block, id, times, left);
    }

    /// The same of some classes, which rise and are all that something is taken from; and how many documents have left the row.
    pub fn left_of(
        &self,
        block: usize,
        id: u32,
        times: u32,
        row: &[Cell],
        classes: &[u32],
        left: &mut Vec<Cell>,
    ) -> u32 {
        left.clear();
        left.extend(classes.iter().map(|&class| find_cell(row, class)));
        let documents = |left: &[Cell]| left.iter().map(|cell| cell.documents).sum::<u32>();
        let before = documents(left);
        self.take(block, id, times, left);
        before - documents(left)
    }

    #[inline(always)]
    fn take(&self, block: usize, id: u32, times: u32, left: &mut [Cell]) {
        for &(class, weight) in self.copies.iter().filter(|_| times > 0) {
            subtract(left, class, weight, weight.saturating_mul(times));
        }
        if let Some(group) = self.group {
            for cell in group.cells[block].get(&id).into_iter().flatten() {
                subtract(left, cell.class, cell.documents, cell.occurrences);
            }
        }
    }
}

/// Cells of a row that are looked at one by one; they are in the order of their classes.
const SHORT_ROW: usize = 8;

/// Saturating: a document that was never counted takes no more than there is.
#[inline(always)]
fn subtract(left: &mut [Cell], class: u32, documents: u32, occurrences: u32) {
    let place = if left.len() > SHORT_ROW {
        left.binary_search_by_key(&class, |cell| cell.class).ok()
    } else {
        left.iter().position(|cell| cell.class == class)
    };
    if let Some(cell) = place.map(|place| &mut left[place]) {
        cell.documents = cell.documents.saturating_sub(documents);
        cell.occurrences = cell.occurrences.saturating_sub(occurrences);
    }
}

fn total_of(totals: &mut Vec<Total>, class: u32, n_blocks: usize) -> &mut Total {
    let at = totals.iter().position(|total| total.class == class).unwrap_or_else(|| {
        totals.push(Total { class, features: vec![0; n_blocks], ..Total::default() });
        totals.len() - 1
    });
    &mut totals[at]
}

impl Total {
    fn add(&mut self, weight: u64, occurrences: u64, features: &[u64]) {
        self.documents += weight;
        self.occurrences += weight * occurrences;
        self.features.iter_mut().zip(features).for_each(|(sum, n)| *sum += weight * n);
    }
}

impl Group {
    /// Of all documents that are in the group of this one.
    fn of(documents: &Documents, at: usize) -> Self {
        let n_blocks = documents.blocks.len();
        let mut group = Group { cells: vec![HashMap::new(); n_blocks], totals: vec![] };
        let number = documents.groups[at];
        let members = documents.groups.partition_point(|&other| other < number)
            ..documents.groups.partition_point(|&other| other <= number);
        for at in members {
            for &class in documents.classes_of(at) {
                group.add(documents, at, class);
            }
        }
        group
    }

    /// Adds a document in one of its classes.
    fn add(&mut self, documents: &Documents, at: usize, class: u32) {
        let weight = documents.weights[at];
        let (mut occurrences, mut sizes) = (0, vec![]);
        for (block, features) in documents.blocks.iter().enumerate() {
            sizes.push(features.range(at).len() as u64);
            for i in features.range(at) {
                occurrences += u64::from(features.times[i]);
                let cells = self.cells[block].entry(features.ids[i]).or_default();
                let place = cells.iter().position(|cell| cell.class == class).unwrap_or_else(|| {
                    cells.push(Cell { class, documents: 0, occurrences: 0 });
                    cells.len() - 1
                });
                cells[place].documents += weight;
                cells[place].occurrences += weight.saturating_mul(features.times[i]);
            }
        }
        total_of(&mut self.totals, class, documents.blocks.len()).add(u64::from(weight), occurrences, &sizes);
    }
}
