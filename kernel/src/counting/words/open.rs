//! Tables that stay open from one batch of documents to the next, one for each thread.

use std::sync::Mutex;

use super::{Counter, Order, check_weights, count_stretches, join, stretches};
use crate::error::Error;
use crate::rows::{Cell, Rows};
use crate::text::Tokens;
use crate::threads::each_on_a_thread;
use crate::vocabulary::{Index, Seed, Words};

/// Cells of a thread that are added up when there are more of them, and twice as many as were left the last time.
const MANY_CELLS: usize = 1 << 20;

#[derive(Default)]
pub struct Open {
    counters: Vec<Counter>,
}

impl Open {
    /// Counts the documents of a batch. What the words of each class weigh in all batches has to fit 32 bits.
    pub fn add(
        &mut self,
        order: &Order,
        threads: usize,
        analyze: impl Fn(&str, &mut Tokens, &mut dyn FnMut(&mut Tokens)) + Sync,
    ) -> Result<(), Error> {
        let ranges = stretches(order, threads);
        // A batch is a beginning: a table has room for what twice as much text is likely to bring.
        let missing = ranges.iter().skip(self.counters.len());
        let missing: Vec<_> = missing.map(|ranks| Counter::new(2 * order.bytes(ranks.clone()), false)).collect();
        self.counters.extend(missing);
        let unused = self.counters.split_off(ranges.len());
        self.counters = count_stretches(std::mem::take(&mut self.counters), ranges, order, analyze, |counter| {
            if counter.cells.len() > MANY_CELLS.max(2 * counter.n_added_up) {
                counter.add_up();
            }
        })?;
        check_weights(&self.counters)?;
        self.counters.iter_mut().for_each(|counter| counter.weights.0.clear());
        self.counters.extend(unused);
        Ok(())
    }

    /// How many words the largest table has.
    pub fn most_words(&self) -> usize {
        self.counters.iter().map(|counter| counter.keys.len()).max().unwrap_or(0)
    }

    #[cfg(test)]
    pub fn n_tables(&self) -> usize {
        self.counters.len()
    }

    /// All that was counted.
    pub fn close(self, n_classes: usize, threads: usize) -> (Words, Rows) {
        let counters: Vec<_> = self.counters.into_iter().map(|counter| Mutex::new(Some(counter))).collect();
        let counters = each_on_a_thread(&counters, |counter| {
            let mut counter = counter.lock().expect("each has one thread").take().expect("each is taken once");
            counter.add_up();
            counter
        });
        let mut joined = join::join(counters);
        let rows = joined.rows(n_classes);
        (Words::new(Index::from_keys(Seed::of_this_process(), joined.keys, threads), joined.long), rows)
    }
}

impl Counter {
    /// Brings the cells into the order of their classes and adds up those of one word and class.
    fn add_up(&mut self) {
        const NOWHERE: u32 = u32::MAX;
        let mut cells = std::mem::take(&mut self.cells);
        cells.sort_by_key(|(_, cell)| cell.class); // each batch has left them sorted, so this merges
        let mut places = vec![NOWHERE; self.keys.len()];
        let mut kept: Vec<(u32, Cell)> = Vec::with_capacity(self.keys.len());
        for cells in cells.chunk_by(|(_, a), (_, b)| a.class == b.class) {
            let first = kept.len() as u32;
            for &(id, cell) in cells {
                let place = &mut places[id as usize];
                if *place == NOWHERE || *place < first {
                    *place = kept.len() as u32;
                    kept.push((id, cell));
                } else {
                    let sum = &mut kept[*place as usize].1;
                    (sum.documents, sum.occurrences) =
                        (sum.documents + cell.documents, sum.occurrences + cell.occurrences);
                }
            }
        }
        (self.n_added_up, self.cells) = (kept.len(), kept);
    }
}
