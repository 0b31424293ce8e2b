//! From codes to counts: how many rows of each class are in each cell of each term.

use super::sums::{NONE, write_cells};
use super::{Codes, Layout};
use crate::threads::each_on_a_thread;
use crate::threads::equal_parts;

/// Rows times terms for which another thread is worth starting.
const WORTH_A_THREAD: usize = 1 << 21;

/// The class of each row, and how often it counts.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    pub class_ids: &'a [u32],
    pub weights: Option<&'a [i64]>,
    pub n_classes: usize,
}

/// Counts of these rows, by cell and class.
pub fn count(layout: &Layout, codes: Codes, labels: Labels, threads: usize) -> Vec<i64> {
    let threads = threads.clamp(1, 1 + layout.terms.len() * codes.n_rows / WORTH_A_THREAD);
    let parts = equal_parts(layout.terms.len(), threads);
    let counted = each_on_a_thread(&parts, |part| {
        let terms = &layout.terms[part.clone()];
        let n_cells: usize = terms.iter().map(|term| layout.cells_of(term, term.n_levels)).sum();
        let mut counts = vec![0; n_cells * labels.n_classes];
        let mut rest = counts.as_mut_slice();
        let mut cells = vec![];
        for term in terms {
            let size = layout.cells_of(term, term.n_levels) * labels.n_classes;
            let (counts, others) = rest.split_at_mut(size);
            rest = others;
            cells.clear();
            write_cells(layout, term, codes, 0..codes.n_rows, &mut cells);
            for (row, (&cell, &class_id)) in cells.iter().zip(labels.class_ids).enumerate() {
                if cell != NONE {
                    let weight = labels.weights.map_or(1, |weights| weights[row]);
                    counts[cell as usize * labels.n_classes + class_id as usize] += weight;
                }
            }
        }
        counts
    });
    counted.concat()
}

#[cfg(test)]
mod tests {
    use super::super::{Column, NOTHING};
    use super::*;

    #[test]
    fn what_says_nothing_is_not_counted_and_weights_count() {
        let layout = Layout::new(vec![Column::Categories(2), Column::Categories(2)], &[[0, 1]], &[]).expect("sound");
        let codes = Codes { columns: &[0, 1, 1, NOTHING, 1, 0], n_rows: 3 };
        let labels = Labels { class_ids: &[0, 1, 0], weights: Some(&[1, 2, 3]), n_classes: 2 };
        let expected = [1, 0, 3, 2, /* second column */ 3, 0, 0, 2, /* pair */ 0, 0, 0, 0, 3, 0, 0, 2];
        for threads in [1, 4] {
            assert_eq!(count(&layout, codes, labels, threads), expected);
        }
    }
}
