//! From documents to scores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use super::documents;
use super::model::{CHANNELS, Model};
use super::weights::Weights;
use crate::counting::each_on_a_thread;
use crate::counts::Counts;
use crate::documents::{Features, Finder, Scratch};
use crate::scoring::features;
use crate::text::Analyzer;
use crate::vocabulary::UNKNOWN;

/// Scores documents by the counts that it was made from.
pub struct Scorer {
    model: Model,
    n_features: usize,
    looked_up: AtomicUsize,
    ready: OnceLock<Vec<Weights>>,
    scratch: Mutex<Vec<Work>>,
}

#[derive(Default)]
struct Work {
    scratch: Scratch,
    blocks: Vec<Features>,
    few: Weights,
    sums: Vec<f64>,
    word_shares: Vec<f64>,
    scores: Vec<f64>,
    defaults: Vec<(u32, f64, f64)>,
}

impl Scorer {
    /// `curves` has the numbers that [`Shape`](super::Shape) describes.
    pub fn new(counts: &Counts, analyzer: &Analyzer, curves: Vec<f64>) -> Self {
        Scorer {
            model: Model::new(counts, analyzer, curves),
            n_features: counts.blocks.iter().map(|block| block.len()).sum(),
            looked_up: AtomicUsize::new(0),
            ready: OnceLock::new(),
            scratch: Mutex::new(vec![]),
        }
    }

    /// The score of each class for each text, texts one after the other: start + Σ weights; with two classes the first
    /// has 0.
    pub fn scores(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        start: &[f64],
        threads: usize,
    ) -> Vec<f64> {
        let mut scores = vec![0.0; texts.len() * start.len()];
        self.spread(counts, analyzer, texts, threads, start, &mut scores, |found, out| out.copy_from_slice(found));
        scores
    }

    /// The class with the highest score for each text; the first of them where several are equal.
    pub fn best(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        start: &[f64],
        threads: usize,
    ) -> Vec<u32> {
        let mut best = vec![0; texts.len()];
        self.spread(counts, analyzer, texts, threads, start, &mut best, |scores, out| {
            let higher = |best: usize, class: usize| if scores[class] > scores[best] { class } else { best };
            out[0] = (0..scores.len()).fold(0, higher) as u32;
        });
        best
    }

    /// Hands each text's scores to `finish` with the numbers of `out` that are the text's.
    #[allow(clippy::too_many_arguments)]
    fn spread<T: Send>(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        threads: usize,
        start: &[f64],
        out: &mut [T],
        finish: impl Fn(&[f64], &mut [T]) + Sync,
    ) {
        let width = (out.len() / texts.len().max(1)).max(1);
        let run = |texts: &[&str], out: &mut [T]| {
            let mut work = self.scratch.lock().expect("nobody panics").pop().unwrap_or_default();
            let mut finder = Finder::with(counts, analyzer, std::mem::take(&mut work.scratch));
            work.blocks.resize_with(counts.blocks.len(), Features::default);
            for (text, out) in texts.iter().zip(out.chunks_mut(width)) {
                finder.find(text);
                work.blocks.iter_mut().for_each(Features::clear);
                finder.distinct(&mut work.blocks);
                self.score(counts, start, &mut work);
                finish(&work.scores, out);
            }
            work.scratch = finder.into_scratch();
            self.scratch.lock().expect("nobody panics").push(work);
        };
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let threads = threads.min(bytes >> 18);
        if threads <= 1 {
            return run(texts, out);
        }
        let share = texts.len().div_ceil(threads);
        let parts: Vec<_> = texts.chunks(share).zip(out.chunks_mut(share * width)).map(Mutex::new).collect();
        each_on_a_thread(&parts, |part| {
            let (texts, out) = &mut *part.lock().expect("each part has one thread");
            run(texts, out);
        });
    }

    /// The weights of all features, where as much has been looked up as makes them worth having.
    fn ready(&self, counts: &Counts, features: usize) -> Option<&Vec<Weights>> {
        if let Some(ready) = self.ready.get() {
            return Some(ready);
        }
        let before = self.looked_up.fetch_add(features, Ordering::Relaxed);
        let make = || {
            let weights = |(block, of): (usize, &crate::counts::Block)| {
                let mut weights = Weights::default();
                if self.model.shape.blocks[block].is_some() {
                    (0..of.rows.len() as u32).for_each(|id| weights.push(&self.model, counts, block, id));
                }
                weights
            };
            counts.blocks.iter().enumerate().map(weights).collect()
        };
        (before + features > self.n_features / 8).then(|| self.ready.get_or_init(make))
    }

    /// The scores of the document in `work`.
    fn score(&self, counts: &Counts, start: &[f64], work: &mut Work) {
        work.scores.clear();
        work.scores.extend_from_slice(start);
        if start.len() < 2 {
            return;
        }
        let ready = self.ready(counts, work.blocks.iter().map(|features| features.ids.len()).sum());
        if self.model.shape.is_two() {
            let mut lead = start[1] - start[0];
            for (block, features) in work.blocks.iter().enumerate().filter(|(_, features)| !features.ids.is_empty()) {
                let sum = match ready {
                    Some(ready) => sum_in_lanes(features.ids.iter().map(|&id| ready[block].lambdas[id as usize])),
                    None => sum_in_lanes(features.ids.iter().map(|&id| self.model.lambda(counts, block, id))),
                };
                lead += sum * (features.ids.len() as f64).powf(-0.5);
            }
            // Infinite where the first class has prior 0: then it is that class that has none.
            let scores = if lead == f64::INFINITY { [f64::NEG_INFINITY, 0.0] } else { [0.0, lead] };
            work.scores.copy_from_slice(&scores);
            return;
        }
        self.share_out(counts, ready, work);
        for block in 0..work.blocks.len() {
            let m = work.blocks[block].ids.len();
            if m == 0 {
                continue;
            }
            let n = self.model.shape.n_classes;
            work.sums.clear();
            work.sums.resize(CHANNELS * n, 0.0);
            let shares: &[f64] = if block == 0 { &work.word_shares } else { &[] };
            match ready {
                Some(ready) => {
                    let places = work.blocks[block].ids.iter().map(|&id| ready[block].places[id as usize]);
                    ready[block].add(n, places, shares, &mut work.sums, &mut work.defaults);
                }
                None => {
                    work.few.clear();
                    work.blocks[block].ids.iter().for_each(|&id| work.few.push(&self.model, counts, block, id));
                    let places = work.few.places.iter().copied();
                    work.few.add(n, places, shares, &mut work.sums, &mut work.defaults);
                }
            }
            let (half, one) = ((m as f64).powf(-0.5), (m as f64).powf(-1.0));
            for (class, score) in work.scores.iter_mut().enumerate() {
                let odds = work.sums[2 * n + class];
                *score += work.sums[class] * half + work.sums[n + class] * one + odds;
            }
        }
    }

    /// For each word of the document in `work`, how much of its odds the pairs with it take back.
    fn share_out(&self, counts: &Counts, ready: Option<&Vec<Weights>>, work: &mut Work) {
        work.word_shares.clear();
        let Some(pairs) = self.model.shape.pairs() else { return };
        work.word_shares.resize(work.blocks[0].ids.len(), 0.0);
        let m = work.blocks[pairs].ids.len() as f64;
        let (half, one) = (m.powf(-0.5), m.powf(-1.0));
        for (&id, parents) in work.blocks[pairs].ids.iter().zip(&work.blocks[pairs].parents) {
            let df = match ready {
                Some(ready) => ready[pairs].places[id as usize].df,
                None => documents(counts.blocks[pairs].rows.get(id)),
            };
            let [by_half, by_one] = self.model.taken_back(df);
            for &word in parents {
                work.word_shares[word as usize] += by_half * half + by_one * one;
            }
        }
    }

    /// What each feature of a text adds to each class's score, feature by feature as the analyzer gives them: None for one
    /// that is not known, nothing for one that has been named before.
    pub fn terms(&self, counts: &Counts, analyzer: &Analyzer, text: &str) -> Vec<Option<Vec<f64>>> {
        let mut finder = Finder::new(counts, analyzer);
        finder.find(text);
        let mut blocks: Vec<Features> = counts.blocks.iter().map(|_| Features::default()).collect();
        finder.distinct(&mut blocks);
        let mut terms = vec![];
        for (block, features) in
            blocks.iter().enumerate().filter(|(block, _)| self.model.shape.blocks[*block].is_some())
        {
            let m = features.ids.len() as f64;
            let mut next = 0;
            for &id in &finder.found()[block] {
                if id == UNKNOWN || !counts.blocks[block].rows.is_live(id) {
                    terms.push(None);
                } else if features.ids.get(next) == Some(&id) {
                    next += 1;
                    terms.push(Some(self.model.term(counts, block, id, m)));
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
        let weight = |(block, id)| self.model.term(counts, block, id, 1.0);
        features(counts, names, min_documents).into_iter().flat_map(weight).collect()
    }
}

/// The sum of weights, in four lanes: a fixed order that does not wait for each addition.
fn sum_in_lanes(weights: impl Iterator<Item = f64>) -> f64 {
    let mut lanes = [0.0; 4];
    weights.enumerate().for_each(|(i, weight)| lanes[i % 4] += weight);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
