//! Ageing of counts by exact arithmetic: a count that is halved so many times is shifted by so many bits, and rounded.
//!
//! What is halved is a count of whole periods, not what was halved before: rounding happens once, so 1 halved twice is 0 and 3
//! halved twice is 1, in whatever order the periods came.

use crate::counts::{Block, Counts};
use crate::rows::{Cell, Rows};
use crate::vocabulary::Seed;

/// `count` / 2^`times`, rounded; a half is rounded up.
///
/// ```
/// use banbury_kernel::ageing::halved;
/// assert_eq!([0, 1, 2, 3, 5].map(|count| halved(count, 1)), [0, 1, 1, 2, 3]);
/// assert_eq!([1, 2, 3, 5, 6].map(|count| halved(count, 2)), [0, 1, 1, 1, 2]);
/// assert_eq!(halved(u64::MAX, 64), 0);
/// ```
pub fn halved(count: u64, times: u32) -> u64 {
    match times {
        0 => count,
        1..64 => (count >> times) + (count >> (times - 1) & 1),
        _ => 0,
    }
}

impl Counts {
    /// These counts, each halved so many times. What is then in no document any more is gone.
    ///
    /// Rounding keeps the order of numbers: a feature is still in no more documents than its class has.
    pub fn halved(&self, times: u32) -> Counts {
        let blocks = self.blocks.iter().map(|block| {
            let mut cells = vec![];
            for id in 0..block.rows.len() as u32 {
                let aged = block.rows.get(id).iter().map(|cell| aged(cell, times)).filter(|cell| cell.documents > 0);
                cells.extend(aged.map(|cell| (id, cell)));
            }
            let mut rows = Rows::new(self.n_classes());
            rows.append(block.rows.len(), &cells);
            Block { kind: block.kind, names: block.names.clone(), rows }
        });
        let counts = Counts {
            blocks: blocks.collect(),
            documents: self.documents.iter().map(|&n| halved(n, times)).collect(),
            is_overlapping: self.is_overlapping,
        };
        counts.settled(|_, _| true, Seed::of_this_process())
    }
}

fn aged(cell: &Cell, times: u32) -> Cell {
    let by = |count: u32| halved(u64::from(count), times) as u32;
    Cell { class: cell.class, documents: by(cell.documents), occurrences: by(cell.occurrences) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::{Analyzer, Settings};
    use crate::vocabulary::UNKNOWN;

    fn counted(texts: &[&str]) -> Counts {
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let batch = Batch { texts, classes: &vec![0; texts.len()], weights: None, n_classes: 1 };
        count(&analyzer, batch, 1, &|| false).expect("counted")
    }

    #[test]
    fn every_count_is_shifted_and_what_is_gone_has_no_name() {
        let counts = counted(&["a a a b", "a b", "a c"]).halved(2);
        let cell = |name: &str| counts.blocks[0].rows.get(counts.find(0, name)).first().copied();
        assert_eq!(counts.documents, [1]); // 3/4
        assert_eq!(cell("a"), Some(Cell { class: 0, documents: 1, occurrences: 1 })); // 3/4 and 5/4
        assert_eq!(cell("b"), Some(Cell { class: 0, documents: 1, occurrences: 1 })); // 2/4
        assert_eq!(counts.find(0, "c"), UNKNOWN); // 1/4
        assert_eq!(counts.blocks[0].rows.live, 2);
    }

    #[test]
    fn halved_no_times_is_the_same() {
        let counts = counted(&["a a b", "c"]);
        let same = counts.halved(0);
        assert_eq!(same.documents, counts.documents);
        for name in ["a", "b", "c"] {
            let row = |counts: &Counts| counts.blocks[0].rows.get(counts.find(0, name)).to_vec();
            assert_eq!(row(&same), row(&counts));
        }
    }
}
