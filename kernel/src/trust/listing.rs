//! The classes that documents are told apart from where curves are fitted, with very many classes: a few for each document.
//!
//! These are its own, the likeliest others by a first score, and some at random, which stand for all that were not drawn. The first
//! score has nothing taken out. Memory grows with the rows and the lists, not with rows times classes.

use super::Curves;
use super::basis::views_of;
use super::length::growth;
use super::model::Model;
use super::reading::TrustScratch;
use super::weights::{NOTHING, Weights};
use crate::counts::Counts;
use crate::documents::{Documents, Features};
use crate::scoring::{Known, Reading, Start};
use crate::seen::Seen;
use crate::text::Analyzer;
use crate::threads::{each_on_a_thread, equal_parts};
use crate::vocabulary::{UNKNOWN, scramble};

/// First scores leave out a feature that more classes than this have seen: it tells few of them apart, and such features take nearly all
/// of the time. On 10,000 and 90,000 classes made of words of reviews the fitted curves were as good.
const COMMON: usize = 3000;

/// How many classes a row lists.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Of its own, at the most.
    pub own: usize,
    /// Of its own and the likeliest others together.
    pub certain: usize,
    /// Of all.
    pub width: usize,
}

impl Wanted {
    /// Whether so many can be found among `n` classes.
    pub fn fits(&self, n: usize) -> bool {
        self.own <= self.certain && self.certain <= self.width && (1..=n).contains(&self.width)
    }
}

/// The lists of documents, and then those of a window of each where there are windows, one row after the other.
///
/// A row has its own classes first, by draw where there are more than wanted, then the likeliest others, then others by draw. Where
/// there are too few others, what is left of its own fills it up. Draws depend on the text alone.
pub fn listed(
    counts: &Counts,
    analyzer: &Analyzer,
    documents: &Documents,
    curves: &Curves,
    start: Start,
    wanted: Wanted,
    threads: usize,
) -> Vec<u32> {
    let model = Model::new(counts, analyzer, curves, None);
    model.prepare(counts);
    let weights: Vec<Weights> =
        (0..counts.blocks.len()).map(|block| model.weights_of(counts, documents, block)).collect();
    let mut lists = vec![];
    for (view, features) in views_of(documents).into_iter().enumerate() {
        let parts = each_on_a_thread(&equal_parts(documents.len(), threads), |part| {
            let (mut scratch, mut scores, mut lists) = (TrustScratch::default(), vec![], vec![]);
            scratch.seen.resize_with(features.len(), Seen::default);
            for at in part.clone() {
                model.write_scores(&weights, features, at, start, &mut scratch, &mut scores);
                let first = u32::from(counts.is_overlapping); // the class of all documents tells nothing apart
                let own = documents.classes_of(at).iter().copied().filter(|&class| class >= first).collect();
                let seed = scramble(documents.hash(at) ^ view as u64);
                List { scores: &mut scores, first, own, seed }.write(wanted, &mut lists);
            }
            lists
        });
        lists.extend(parts.concat());
    }
    lists
}

impl Model {
    /// The weights of the features that documents have, and that tell classes apart.
    fn weights_of(&self, counts: &Counts, documents: &Documents, block: usize) -> Weights {
        if !self.shape.is_counted(block) {
            return Weights::default();
        }
        let rows = &counts.blocks[block].rows;
        let tells_apart = |id: &u32| rows.get(*id).len() <= COMMON;
        let mut ids: Vec<u32> = documents.blocks[block].ids.iter().copied().filter(tells_apart).collect();
        ids.sort_unstable();
        ids.dedup();
        Weights::of_some(self, counts, block, &ids)
    }

    /// The score of each class for a document, with nothing taken out.
    pub(super) fn write_scores(
        &self,
        weights: &[Weights],
        blocks: &[Features],
        at: usize,
        start: Start,
        scratch: &mut TrustScratch,
        scores: &mut Vec<f64>,
    ) {
        let mut numbers = vec![]; // of the words that count, by place
        for (block, features) in blocks.iter().enumerate() {
            let weight = |id: u32| Model::stored(&weights[block], id as usize);
            let counts = |id: &u32| weight(*id) != NOTHING;
            let known = |id: u32| Known { weight: weight(id), ..Known::bare(id) };
            let ids = &features.ids[features.range(at)];
            let seen = &mut scratch.seen[block];
            seen.put(ids.iter().copied().filter(counts).map(known));
            (seen.numbers, seen.firsts) = (vec![], vec![]);
            if block == 0 {
                let mut next = 0..;
                let mut number = |id: &u32| if counts(id) { next.next().unwrap_or(UNKNOWN) } else { UNKNOWN };
                numbers = ids.iter().map(&mut number).collect();
            }
            // Pairs stand where their words do.
            let parents = features.parents.get(features.range(at)).unwrap_or_default();
            for (words, _) in parents.iter().zip(ids).filter(|(_, id)| counts(id)) {
                let place = scratch.seen[0].numbers.len() as u32;
                scratch.seen[block].firsts.push(place);
                scratch.seen[0].numbers.extend(words.map(|word| numbers[word as usize]));
            }
        }
        let first = self.shape.counted().next().map_or(0, |(block, _)| scratch.seen[block].features().len());
        *scores = start.at(growth(first as f64));
        self.add_channels(|block| &weights[block], scratch, scores);
    }
}

/// What a row's list is made from.
struct List<'a> {
    /// By class. Those of its own classes are lost.
    scores: &'a mut [f64],
    /// The first class that may be listed.
    first: u32,
    /// Its own classes, rising.
    own: Vec<u32>,
    seed: u64,
}

impl List<'_> {
    fn write(mut self, wanted: Wanted, lists: &mut Vec<u32>) {
        let from = lists.len();
        let n_others = self.scores.len() - self.first as usize - self.own.len();
        let n_own = self.own.len().min(wanted.own);
        let is_own = self.own.clone();
        if self.own.len() > n_own {
            self.own.sort_by_key(|&class| scramble(self.seed ^ u64::from(class)));
        }
        lists.extend(&self.own[..n_own]);
        is_own.iter().for_each(|&class| self.scores[class as usize] = f64::NEG_INFINITY);
        let n_likely = (wanted.certain - n_own).min(n_others);
        lists.extend(self.likeliest(n_likely));
        let n_drawn = (wanted.width - n_own - n_likely).min(n_others - n_likely);
        let (end, n_classes) = (lists.len() + n_drawn, self.scores.len() as u64 - u64::from(self.first));
        for draw in 1u64.. {
            if lists.len() == end {
                break;
            }
            let random = scramble(self.seed.wrapping_add(draw));
            let class = self.first + ((u128::from(random) * u128::from(n_classes)) >> 64) as u32;
            if is_own.binary_search(&class).is_err() && !lists[from..].contains(&class) {
                lists.push(class);
            }
        }
        let n_left = wanted.width - (lists.len() - from);
        lists.extend(&self.own[n_own..n_own + n_left]);
    }

    /// The classes with the highest scores, the first of equal ones.
    fn likeliest(&self, n: usize) -> impl Iterator<Item = u32> + use<> {
        let mut best: Vec<(f64, u32)> = Vec::with_capacity(n + 1);
        let mut least = f64::NEG_INFINITY;
        for (class, &score) in self.scores.iter().enumerate().skip(self.first as usize) {
            if score > least {
                let place = best.partition_point(|(known, _)| *known >= score);
                best.insert(place, (score, class as u32));
                best.truncate(n);
                least = if best.len() == n { best[n - 1].0 } else { least };
            }
        }
        best.into_iter().map(|(_, class)| class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(scores: &[f64], first: u32, own: &[u32], wanted: Wanted) -> Vec<u32> {
        let mut lists = vec![];
        List { scores: &mut scores.to_vec(), first, own: own.to_vec(), seed: 7 }.write(wanted, &mut lists);
        lists
    }

    #[test]
    fn a_list_has_its_own_class_then_the_likeliest_then_others_each_once() {
        let scores: Vec<f64> = (0..40).map(|class| f64::from(class % 7)).collect();
        let wanted = Wanted { own: 1, certain: 4, width: 8 };
        let classes = list(&scores, 0, &[13], wanted);
        // 13 and 6, 20, 27, 34 have the highest score.
        assert_eq!(classes[..4], [13, 6, 20, 27]);
        let mut different = classes.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!((classes.len(), different.len()), (8, 8));
    }

    #[test]
    fn every_class_is_drawn_as_often_as_every_other() {
        let (scores, wanted) = (vec![0.0; 24], Wanted { own: 1, certain: 3, width: 7 });
        let mut times = [0; 24];
        for seed in 0..4000 {
            let mut lists = vec![];
            List { scores: &mut scores.clone(), first: 0, own: vec![5], seed: scramble(seed) }
                .write(wanted, &mut lists);
            lists[3..].iter().for_each(|&class| times[class as usize] += 1);
        }
        // Classes 0 and 1 are the likeliest; 4 of the other 21 are drawn, 762 times each but for chance.
        assert_eq!((times[0], times[1], times[5]), (0, 0, 0));
        assert!(times.iter().filter(|&&n| n > 0).all(|n| (650..880).contains(n)), "{times:?}");
    }

    #[test]
    fn what_is_left_of_its_own_labels_fills_a_list_that_has_too_few_others() {
        let wanted = Wanted { own: 2, certain: 3, width: 5 };
        let classes = list(&[0.0; 6], 1, &[1, 2, 3, 4], wanted);
        assert_eq!(classes[2], 5);
        let mut sorted = classes.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [1, 2, 3, 4, 5]);
        assert!(wanted.fits(5) && !wanted.fits(4) && !Wanted { own: 4, ..wanted }.fits(9));
    }
}
