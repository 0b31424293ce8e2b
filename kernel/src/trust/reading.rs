//! From the features of documents to scores.

use super::model::Model;
use super::weights::{ChannelSums, NOTHING, Weights};
use crate::counts::Counts;
use crate::documents::{Features, Finder};
use crate::scoring::{Known, Looked, Reading, Scorer, Sums, features, sum_in_lanes};
use crate::seen::Seen;
use crate::text::Analyzer;
use crate::vocabulary::UNKNOWN;

/// What adding up needs of memory.
#[derive(Default)]
pub struct TrustScratch {
    /// By block.
    seen: Vec<Seen<Known>>,
    few: Weights,
    channels: ChannelSums,
    word_shares: Vec<f64>,
}

impl Reading for Model {
    type Weights = Weights;
    type Scratch = TrustScratch;

    fn keeps(&self) -> bool {
        self.shape.n_classes > 1
    }

    fn keep(&self, counts: &Counts) -> Vec<Weights> {
        self.prepare(counts);
        let weights = |block: usize| match self.shape.blocks[block] {
            Some(_) => Weights::of(self, counts, block),
            None => Weights::default(),
        };
        (0..counts.blocks.len()).map(weights).collect()
    }

    fn known(weights: &Weights, id: u32) -> Known {
        // A block that is not counted has no weights.
        weights.known.get(id as usize).copied().unwrap_or(Known { weight: NOTHING, ..Known::bare(id) })
    }

    fn sum(
        &self,
        counts: &Counts,
        kept: Option<&[Weights]>,
        looked: &[Looked],
        at: usize,
        scratch: &mut TrustScratch,
        sums: &mut Sums,
    ) {
        sums.clear(self.shape.n_classes, self.shape.is_two());
        if self.shape.n_classes < 2 {
            return;
        }
        scratch.seen.resize_with(looked.len(), Seen::default);
        for (block, looked) in looked.iter().enumerate().filter(|(block, _)| self.shape.blocks[*block].is_some()) {
            let (found, rows, seen) = (looked.of(at), &counts.blocks[block].rows, &mut scratch.seen[block]);
            match kept {
                Some(_) => seen.read(found, |known| if known.weight == NOTHING { UNKNOWN } else { known.id }),
                None => seen.read(found, |known| if rows.is_live(known.id) { known.id } else { UNKNOWN }),
            }
        }
        if self.shape.is_two() {
            sums.logs[0] = self.lead(counts, kept.is_some(), scratch);
        } else {
            self.add_channels(counts, kept, scratch, &mut sums.logs);
        }
    }
}

impl Model {
    /// With two classes: by how much the features of a document speak for the second.
    fn lead(&self, counts: &Counts, is_kept: bool, scratch: &TrustScratch) -> f64 {
        let mut lead = 0.0;
        for (block, Seen { features, .. }) in scratch.seen.iter().enumerate() {
            if features.is_empty() {
                continue;
            }
            let sum = if is_kept {
                sum_in_lanes(features.iter().map(|known| known.weight.number()))
            } else {
                sum_in_lanes(features.iter().map(|known| self.lambda(counts, block, known.id)))
            };
            lead += sum * (features.len() as f64).powf(-0.5);
        }
        lead
    }

    /// With more classes: what the features of a document say, by class.
    fn add_channels(&self, counts: &Counts, kept: Option<&[Weights]>, scratch: &mut TrustScratch, logs: &mut [f64]) {
        let n = self.shape.n_classes;
        let TrustScratch { seen, few, channels, word_shares } = scratch;
        word_shares.clear();
        // Pairs before words: they say how much of the words' odds they take back.
        for block in (0..seen.len()).rev() {
            let features = &mut seen[block].features;
            let m = features.len() as f64;
            if features.is_empty() {
                continue;
            }
            let (half, one) = (m.powf(-0.5), m.powf(-1.0));
            let shares: &[f64] = if block == 0 { word_shares } else { &[] };
            let weights = match kept {
                Some(kept) => &kept[block],
                None => {
                    few.clear();
                    for known in features.iter_mut() {
                        few.push(self, counts, block, known.id);
                        *known = *few.known.last().expect("just pushed");
                    }
                    &*few
                }
            };
            weights.sum(n, features, shares, channels);
            for (class, log) in logs.iter_mut().enumerate() {
                *log += channels.weights[class] * half + channels.weights[n + class] * one + channels.odds[class];
            }
            if self.shape.pairs() == Some(block) {
                let share = |pair: &Known| {
                    let [by_half, by_one] = weights.taken_back(self, pair.weight);
                    by_half * half + by_one * one
                };
                share_out(&seen[0], &seen[block], share, word_shares);
            }
        }
    }
}

/// Gives the share of each pair to both its words.
fn share_out(words: &Seen<Known>, pairs: &Seen<Known>, share: impl Fn(&Known) -> f64, word_shares: &mut Vec<f64>) {
    word_shares.resize(words.features.len(), 0.0);
    for (pair, &at) in pairs.features.iter().zip(&pairs.firsts) {
        let share = share(pair);
        for word in &words.numbers[at as usize..at as usize + 2] {
            if let Some(sum) = word_shares.get_mut(*word as usize) {
                *sum += share;
            }
        }
    }
}

impl Scorer<Model> {
    /// What each feature of a text adds to each class's score, feature by feature as the analyzer gives them: None for one
    /// that is not known, nothing for one that has been named before.
    pub fn terms(&self, counts: &Counts, analyzer: &Analyzer, text: &str) -> Vec<Option<Vec<f64>>> {
        let model = self.reading();
        let mut finder = Finder::new(counts, analyzer);
        finder.find(text);
        let mut blocks: Vec<Features> = counts.blocks.iter().map(|_| Features::default()).collect();
        finder.distinct(&mut blocks);
        let mut terms = vec![];
        for (block, features) in blocks.iter().enumerate().filter(|(block, _)| model.shape.blocks[*block].is_some()) {
            let m = features.ids.len() as f64;
            let mut next = 0;
            for &id in &finder.found()[block] {
                if id == UNKNOWN || !counts.blocks[block].rows.is_live(id) {
                    terms.push(None);
                } else if features.ids.get(next) == Some(&id) {
                    next += 1;
                    terms.push(Some(model.term(counts, block, id, m)));
                } else {
                    terms.push(Some(vec![]));
                }
            }
        }
        terms
    }
    /// What each of these features adds to each class's score where it is the only one of its block, in the order of the
    /// plain scorer's table.
    pub fn weights(&self, counts: &Counts, names: Option<&[String]>, min_documents: u64) -> Vec<f64> {
        let weight = |(block, id)| self.reading().term(counts, block, id, 1.0);
        features(counts, names, min_documents).into_iter().flat_map(weight).collect()
    }
}
