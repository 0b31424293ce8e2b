//! Counts cut into shards by the hashes of the features' names, so that many machines can each merge one of them.

use crate::counts::{Counts, Names};
use crate::vocabulary::Seed;

impl Counts {
    /// So many counts that add up to these. Which shard has a feature depends on its name alone, so shards of the same
    /// number, of whatever counts, can be added and pruned on their own. The first has the documents, too.
    pub fn shards(&self, n: usize) -> Vec<Counts> {
        let hashes = self.name_hashes();
        (0..n)
            .map(|number| {
                let is_here = |block: usize, id: u32| hashes[block][id as usize] % n as u64 == number as u64;
                let mut shard = self.settled(is_here, Seed::of_this_process());
                if number > 0 {
                    shard.documents.fill(0);
                }
                shard
            })
            .collect()
    }

    /// By block and id the hash of a feature's name, the same in every process.
    fn name_hashes(&self) -> Vec<Vec<u64>> {
        let seed = Seed::fixed(0);
        let mut hashes: Vec<Vec<u64>> = vec![];
        for block in &self.blocks {
            let of_block = match &block.names {
                Names::Words(words) => (0..block.len() as u32).map(|id| seed.digest(&words.name(id))).collect(),
                // A run is named by the run before its last word, and that word.
                Names::Runs(index) => {
                    let (left, words) = (hashes.last().expect("words come first"), &hashes[0]);
                    let hash = |key: u64| {
                        let (left, word) = (left[(key >> 32) as usize], words[key as u32 as usize]);
                        seed.digest(&[left.to_le_bytes(), word.to_le_bytes()].concat())
                    };
                    index.keys().iter().map(|&key| hash(key)).collect()
                }
            };
            hashes.push(of_block);
        }
        hashes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::{Analyzer, Settings};

    fn name_counts(counts: &Counts) -> Vec<(String, Vec<u32>)> {
        let postings = counts.postings();
        let ends: Vec<usize> = postings.ends.iter().map(|&end| end as usize).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let cells = starts.zip(&ends).map(|(start, &end)| postings.occurrences[start..end].to_vec());
        postings.names.iter().cloned().zip(cells).collect()
    }

    #[test]
    fn shards_add_up_to_the_whole_and_share_no_feature() {
        let analyzer = Analyzer::new(Settings { ngrams: (1, 2), ..Settings::default() }).expect("usual settings");
        let texts = ["a rose is a rose", "a tulip is no rose", "so it is"];
        let batch = Batch { texts: &texts, classes: &[0, 1, 1], weights: None, n_classes: 2 };
        let counts = count(&analyzer, batch, 1, &|| false).expect("counted");
        for n in [1, 2, 5] {
            let shards = counts.shards(n);
            assert_eq!(shards.len(), n);
            let mut together = Counts::new(&[], 0);
            for (number, shard) in shards.iter().enumerate() {
                assert_eq!(shard.documents.iter().sum::<u64>(), if number == 0 { 3 } else { 0 });
                if number == 0 {
                    together = shard.clone();
                } else {
                    together.add(shard).expect("there is room");
                }
            }
            assert_eq!(name_counts(&together), name_counts(&counts));
            let n_features: usize = shards.iter().map(|shard| shard.postings().names.len()).sum();
            assert_eq!(n_features, counts.postings().names.len());
        }
    }
}
