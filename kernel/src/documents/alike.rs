//! Documents that share much of their text with another one: quotations, forwarded messages, forms that were filled in.
//!
//! They are no copies, so leave-one-out leaves them in, and the other one says what the label is. What they have in common is
//! measured by pairs of words (by words, where pairs are not counted) that few of the documents have.

use super::Documents;
use crate::counts::{Counts, Kind};
use crate::processor::prefetch;
use crate::threads::{each_on_a_thread, equal_parts};

/// A pair that more of the documents have is no sign that one was taken from the other.
const MOST: usize = 20;
/// Documents with fewer rare pairs can have half of them in common by chance.
const FEWEST: u32 = 6;
/// How many pairs ahead memory is asked for.
const AHEAD: usize = 16;

impl Documents {
    /// Whether each of the first `n` shares at least half of its rare pairs, or of the other one's, with a document of another group.
    pub fn alike(&self, counts: &Counts, n: usize, threads: usize) -> Vec<bool> {
        let n = n.min(self.len());
        let is_pairs = |block: usize| counts.blocks[block].kind == Kind::Runs(2) && !self.blocks[block].ids.is_empty();
        let block = (0..counts.blocks.len()).find(|&block| is_pairs(block)).unwrap_or(0);
        let (Some(features), Some(known)) = (self.blocks.get(block), counts.blocks.get(block)) else {
            return vec![false; n];
        };
        // By feature, where those of the first documents end that have it; once they are there, where they begin. There are far more
        // features than they have, so one array of them is enough.
        let mut starts = vec![0u32; known.len() + 1];
        let of_first = |at: usize| features.ids[features.range(at)].iter().map(|&id| id as usize);
        (0..n).flat_map(of_first).for_each(|id| starts[id] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut holders = vec![0; end as usize];
        for at in (0..n).rev() {
            for id in of_first(at) {
                starts[id] -= 1;
                holders[starts[id] as usize] = at;
            }
        }
        let holders_of = |id: u32| &holders[starts[id as usize] as usize..starts[id as usize + 1] as usize];
        let rare = |at: usize| {
            let ids = &features.ids[features.range(at)];
            let expected = ids.iter().enumerate().map(|(i, id)| {
                ids.get(i + AHEAD).into_iter().for_each(|&next| prefetch(&starts, next as usize));
                id
            });
            expected.filter(|&&id| holders_of(id).len() <= MOST)
        };
        let sizes: Vec<u32> = (0..n).map(|at| rare(at).count() as u32).collect();

        let parts = each_on_a_thread(&equal_parts(self.len(), threads), |part| {
            let (mut shared, mut touched, mut is_alike) = (vec![0u32; n], vec![], vec![false; n]);
            for at in part.clone() {
                let mut size = 0;
                for &id in rare(at) {
                    size += 1;
                    for &other in holders_of(id) {
                        if shared[other] == 0 {
                            touched.push(other);
                        }
                        shared[other] += 1;
                    }
                }
                for other in touched.drain(..) {
                    let smaller = size.min(sizes[other]);
                    let is_other = self.groups[other] != self.groups[at];
                    is_alike[other] |= is_other && smaller >= FEWEST && 2 * shared[other] >= smaller;
                    shared[other] = 0;
                }
            }
            is_alike
        });
        let mut is_alike = vec![false; n];
        for part in parts {
            is_alike.iter_mut().zip(part).for_each(|(is_alike, other)| *is_alike |= other);
        }
        is_alike
    }
}

#[cfg(test)]
mod tests {
    use super::super::Given;
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::{Analyzer, Settings};

    #[test]
    fn a_quotation_is_alike_and_a_copy_or_another_text_is_not() {
        let told = "the old man went down to the river to see the boats";
        let quoted = format!("{told} and then home");
        let other = "nothing in this text was ever written by anybody else here";
        let texts = [told, &quoted, other, other];
        let classes = [0, 1, 0, 1];
        for ngrams in [(1, 2), (1, 1)] {
            let analyzer = Analyzer::new(Settings { ngrams, ..Settings::default() }).expect("sound settings");
            let batch = Batch { texts: &texts, classes: &classes, weights: None, n_classes: 2 };
            let counts = count(&analyzer, batch, 1, &|| false).expect("counted");
            let given = Given { texts: &texts, classes: &classes, weights: None, groups: None, sets: None };
            let documents = Documents::new(&counts, &analyzer, &given, 9, false, 1);
            let alike = documents.alike(&counts, 9, 1);
            let of = |row: usize| alike[documents.places[row] as usize];
            assert_eq!([of(0), of(1), of(2), of(3)], [true, true, false, false]);
            assert_eq!(documents.alike(&counts, 1, 2), alike[..1]);
            assert_eq!(documents.alike(&counts, 9, 3), alike);
        }
    }
}
