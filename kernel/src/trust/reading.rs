//! From the features of documents to scores.

use super::length::{CHANNELS, growth};
use super::model::Model;
use super::rounded::{RoundedRows, RoundedSums};
use super::weights::{ChannelSums, NOTHING, Weights};
use crate::counts::{Counts, Names};
use crate::documents::{Features, Finder, Listed};
use crate::processor::prefetch;
use crate::scoring::{Known, Looked, Reading, Scorer, Start, Stored, Sums, features, sum_pairs_in_lanes};
use crate::seen::Seen;
use crate::text::Analyzer;
use crate::vocabulary::UNKNOWN;

/// How many features ahead memory is asked for.
const AHEAD: usize = 16;

/// What adding up needs of memory.
#[derive(Default)]
pub struct TrustScratch {
    /// By block.
    pub(super) seen: Vec<Seen<Known>>,
    channels: ChannelSums,
    rounded: RoundedSums,
    /// By class.
    logs: Vec<f64>,
    word_shares: Vec<f64>,
    corrections: Vec<u32>,
}

/// By block: the weights of features that documents had.
#[derive(Default)]
pub struct Few(Vec<Weights>);

impl Reading for Model {
    type Weights = Weights;
    type Scratch = TrustScratch;
    type Few = Few;

    fn keeps(&self) -> bool {
        self.shape.n_classes > 1
    }

    fn keep(&self, counts: &Counts) -> Vec<Weights> {
        self.prepare(counts);
        let weights = |block: usize| {
            if self.shape.is_counted(block) { Weights::of(self, counts, block) } else { Weights::default() }
        };
        (0..counts.blocks.len()).map(weights).collect()
    }

    fn stored(weights: &Weights, id: usize) -> Stored {
        // A block that is not counted has no weights.
        weights.stored.get(id).copied().unwrap_or(NOTHING)
    }

    fn place(weights: &mut Weights, places: &[u32], n_places: usize) {
        weights.place(places, n_places);
    }

    fn forget(few: &mut Few) {
        few.0.iter_mut().for_each(Weights::clear);
    }

    fn weigh(&self, counts: &Counts, block: usize, id: u32, few: &mut Few) -> Known {
        // With one class nothing speaks for it or against it; what is not counted is there for its name.
        if self.shape.n_classes < 2 || !self.shape.is_counted(block) {
            return Known { weight: NOTHING, ..Known::bare(id) };
        }
        few.0.resize_with(counts.blocks.len(), Weights::default);
        few.0[block].push(self, counts, block, id);
        let weight = few.0[block].stored.pop().expect("just pushed");
        let correction = self.correction.as_ref().map_or(UNKNOWN, |correction| correction.kept(counts, block, id));
        Known { id, correction, weight }
    }

    fn sum(
        &self,
        counts: &Counts,
        kept: Option<&[Weights]>,
        few: &Few,
        looked: &[Looked],
        at: usize,
        scratch: &mut TrustScratch,
        sums: &mut Sums,
    ) {
        sums.clear(self.shape.n_classes, self.shape.is_two());
        if self.shape.n_classes < 2 {
            return;
        }
        sums.growth = self.read_seen(counts, looked, at, scratch);
        if self.shape.is_two() {
            sums.logs[0] = self.lead(scratch);
        } else {
            self.add_channels(|block| kept.map_or_else(|| &few.0[block], |kept| &kept[block]), scratch, &mut sums.logs);
        }
        self.add_correction(kept, scratch, &mut sums.logs);
    }

    fn quick_best(
        &self,
        counts: &Counts,
        kept: &[Weights],
        looked: &[Looked],
        at: usize,
        scratch: &mut TrustScratch,
        start: Start,
    ) -> Option<u32> {
        if self.shape.is_two() || !self.shape.counted().all(|(block, _)| self.rounded(kept, block).is_some()) {
            return None;
        }
        let growth = self.read_seen(counts, looked, at, scratch);
        let mut logs = std::mem::take(&mut scratch.logs);
        logs.clear();
        logs.extend(start.prior.iter().zip(start.growth).map(|(prior, more)| prior + growth * more));
        let error = self.add_rounded(kept, scratch, &mut logs);
        self.add_correction(Some(kept), scratch, &mut logs);
        let (mut best, mut highest, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (class, &log) in logs.iter().enumerate() {
            if log > highest {
                (best, highest, second) = (class as u32, log, highest);
            } else {
                second = second.max(log);
            }
        }
        scratch.logs = logs;
        let error = error? + 1e-9 * (1.0 + highest.abs());
        // Not so where no class is possible: then nothing is larger.
        (highest - second > error).then_some(best)
    }
}

impl Model {
    /// Finds the distinct features of a document that count, by block; returns how much of the growth it has.
    #[inline(always)]
    fn read_seen(&self, counts: &Counts, looked: &[Looked], at: usize, scratch: &mut TrustScratch) -> f64 {
        scratch.seen.resize_with(looked.len(), Seen::default);
        for (block, looked) in looked.iter().enumerate().filter(|(block, _)| self.shape.is_counted(*block)) {
            let is_counted = |known: &Known| (known.id != UNKNOWN) & (known.weight != NOTHING);
            let (before, rest) = scratch.seen.split_at_mut(block);
            let seen = &mut rest[0];
            let (found, id, n_ids) = (looked.of(at), |known: &Known| known.id, counts.blocks[block].len());
            let is_words = matches!(counts.blocks[block].names, Names::Words(_));
            // Where words stand, and which, is asked only for pairs of them. A run has the number of its place in a table, which are
            // too many for a place each.
            if self.shape.is_pairs(block) {
                seen.read_pairs(&before[0], found, is_counted, id);
            } else if is_words && block == 0 && self.shape.pairs().is_some() {
                seen.read_below(n_ids, found, is_counted, id);
            } else if is_words {
                seen.read_features_below(n_ids, found, is_counted, id);
            } else {
                seen.read_features(found, is_counted, id);
            }
        }
        let first = self.shape.counted().next().map_or(0, |(block, _)| scratch.seen[block].features().len());
        growth(first as f64)
    }

    fn add_correction(&self, kept: Option<&[Weights]>, scratch: &mut TrustScratch, logs: &mut [f64]) {
        let Some(correction) = &self.correction else { return };
        let TrustScratch { seen, corrections, .. } = scratch;
        corrections.clear();
        for (block, seen) in seen.iter().enumerate() {
            let features = seen.features();
            let known =
                features.iter().enumerate().map(|(at, known)| match kept.map(|kept| &kept[block].corrections) {
                    Some(kept) => {
                        features.get(at + AHEAD).into_iter().for_each(|next| prefetch(kept, next.id as usize));
                        kept[known.id as usize]
                    }
                    None => known.correction,
                });
            corrections.extend(known.filter(|&kept| kept != UNKNOWN));
        }
        correction.add(corrections, logs);
    }

    /// The rounded weights of a block; of words with the odds that pairs take back.
    fn rounded<'a>(&self, kept: &'a [Weights], block: usize) -> Option<&'a RoundedRows> {
        kept[block].rounded(&self.sizes[block], block == 0 && self.shape.pairs().is_some())
    }

    /// With more classes: adds what the features of a document say by rounded weights, and returns by how much the lead of any class over
    /// another can be off. None where there are no rounded weights.
    pub(super) fn add_rounded(&self, kept: &[Weights], scratch: &mut TrustScratch, logs: &mut [f64]) -> Option<f64> {
        let TrustScratch { seen, rounded, word_shares, .. } = scratch;
        word_shares.clear();
        let mut error = 0.0;
        // Pairs before words: they say how much of the words' odds they take back.
        for block in (0..seen.len()).rev().filter(|&block| self.shape.is_counted(block)) {
            let features = seen[block].features();
            let rows = self.rounded(kept, block)?;
            let scales = self.scales(block, features.len());
            let shares: &[f64] = if block == 0 { word_shares } else { &[] };
            error += rows.add(features, shares, scales, rounded, logs)?;
            if self.shape.pairs() == Some(block) {
                self.share_pairs(&seen[0], &seen[block], scales, word_shares);
            }
        }
        Some(error)
    }

    /// Gives what each pair takes back, at these scales of the channels, to both its words.
    fn share_pairs(
        &self,
        words: &Seen<Known>,
        pairs: &Seen<Known>,
        scales: [f64; CHANNELS],
        word_shares: &mut Vec<f64>,
    ) {
        let share = |pair: &Known| {
            let [first, second] = Weights::taken_back(self, pair.weight);
            first * scales[0] + second * scales[1]
        };
        share_out(words, pairs, share, word_shares);
    }

    /// With two classes: by how much the features of a document speak for the second.
    fn lead(&self, scratch: &TrustScratch) -> f64 {
        let mut lead = 0.0;
        for (block, features) in scratch.seen.iter().map(Seen::features).enumerate() {
            if features.is_empty() {
                continue;
            }
            let [first, second] = sum_pairs_in_lanes(features.iter().map(|known| known.weight.numbers()));
            let scales = self.scales(block, features.len());
            lead += first * scales[0] + second * scales[1];
        }
        lead
    }

    /// With more classes: what the features of a document say, by class.
    pub(super) fn add_channels<'a>(
        &self,
        weights_of: impl Fn(usize) -> &'a Weights,
        scratch: &mut TrustScratch,
        logs: &mut [f64],
    ) {
        let TrustScratch { seen, channels, word_shares, .. } = scratch;
        word_shares.clear();
        // Pairs before words: they say how much of the words' odds they take back.
        for block in (0..seen.len()).rev() {
            let features = seen[block].features();
            let scales = self.scales(block, features.len());
            if features.is_empty() {
                continue;
            }
            let shares: &[f64] = if block == 0 { word_shares } else { &[] };
            let weights = weights_of(block);
            weights.add(&self.sizes[block], features, shares, scales, channels, logs);
            if self.shape.pairs() == Some(block) {
                self.share_pairs(&seen[0], &seen[block], scales, word_shares);
            }
        }
    }
}

/// Gives the share of each pair to both its words.
fn share_out(words: &Seen<Known>, pairs: &Seen<Known>, share: impl Fn(&Known) -> f64, word_shares: &mut Vec<f64>) {
    word_shares.resize(words.features().len(), 0.0);
    for (pair, &at) in pairs.features().iter().zip(&pairs.firsts) {
        let share = share(pair);
        for word in &words.numbers[at as usize..at as usize + 2] {
            if let Some(sum) = word_shares.get_mut(*word as usize) {
                *sum += share;
            }
        }
    }
}

impl Scorer<Model> {
    /// What a text's scores are before any of its features is looked at, and what each feature adds to each class's score, feature by
    /// feature as the analyzer gives them: None for one that is not known, nothing for one that has been named before.
    pub fn terms(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        text: &str,
        start: Start,
    ) -> (Vec<f64>, Vec<Option<Vec<f64>>>) {
        let model = self.reading();
        let mut finder = Finder::new(counts, analyzer);
        finder.find(text);
        let mut blocks: Vec<Features> = counts.blocks.iter().map(|_| Features::default()).collect();
        finder.distinct(&mut blocks);
        let is_corrected = |block: usize, id: u32| {
            model.correction.as_ref().is_some_and(|correction| correction.row(counts, block, id) != UNKNOWN)
        };
        let all =
            blocks.iter().enumerate().flat_map(|(block, features)| features.ids.iter().map(move |&id| (block, id)));
        let n_corrected = all.filter(|&(block, id)| is_corrected(block, id)).count();
        let mut terms = vec![];
        for (block, features) in blocks.iter().enumerate().filter(|(block, _)| model.shape.is_counted(*block)) {
            let scales = model.scales(block, features.ids.len());
            let mut next = 0;
            for &id in &finder.found()[block] {
                if id == UNKNOWN || !counts.blocks[block].rows.is_live(id) {
                    terms.push(None);
                } else if features.ids.get(next) == Some(&id) {
                    next += 1;
                    terms.push(Some(model.term(counts, block, id, scales, n_corrected)));
                } else {
                    terms.push(Some(vec![]));
                }
            }
        }
        let first = model.shape.counted().next().map_or(0, |(block, _)| blocks[block].ids.len());
        (start.at(growth(first as f64)), terms)
    }

    /// The same of features that are listed once.
    pub fn listed_terms(&self, counts: &Counts, listed: &[Listed], start: Start) -> (Vec<f64>, Vec<Option<Vec<f64>>>) {
        let model = self.reading();
        let known = |feature: &&Listed| feature.id != UNKNOWN;
        let is_corrected = |feature: &&Listed| {
            let Listed { block, id, .. } = **feature;
            let correction = model.correction.as_ref().filter(|_| id != UNKNOWN);
            correction.is_some_and(|correction| correction.row(counts, block, id) != UNKNOWN)
        };
        let n_corrected = listed.iter().filter(is_corrected).count();
        let n_in = |block: usize| listed.iter().filter(known).filter(|feature| feature.block == block).count();
        let scales: Vec<_> = (0..counts.blocks.len()).map(|block| model.scales(block, n_in(block))).collect();
        let term = |feature: &Listed| {
            let Listed { block, id, .. } = *feature;
            known(&feature).then(|| model.term(counts, block, id, scales[block], n_corrected))
        };
        let first = model.shape.counted().next().map_or(0, |(block, _)| n_in(block));
        (start.at(growth(first as f64)), listed.iter().map(term).collect())
    }

    /// What each of these features adds to each class's score in a document with so many features of its block, in the order of the
    /// plain scorer's table.
    pub fn weights(&self, counts: &Counts, names: Option<&[String]>, min_documents: u64, lengths: &[f64]) -> Vec<f64> {
        let model = self.reading();
        let by_block: Vec<usize> = model.shape.counted().map(|(block, _)| block).collect();
        let mut scales = vec![[1.0; CHANNELS]; counts.blocks.len()];
        for (&block, &m) in by_block.iter().zip(lengths) {
            scales[block] = super::length::scales(m, model.caps[block]);
        }
        let n_corrected = model.correction.as_ref().map_or(0, |correction| correction.typical());
        let weight = |(block, id): (usize, u32)| match by_block.contains(&block) {
            true => model.term(counts, block, id, scales[block], n_corrected),
            false => vec![0.0; model.shape.n_classes],
        };
        features(counts, names, min_documents).into_iter().flat_map(weight).collect()
    }
}
