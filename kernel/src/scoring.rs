//! From documents to scores: for each class, the sum of its features' weights.
//!
//! Weights are computed from the counts when they are needed. After some use they are kept, in a table where a word is found
//! together with its weight (`lookup.rs`); it holds exactly the numbers that would be computed, so it changes the time and
//! nothing else. With two classes one number a feature is enough, the difference of their weights (λ), and the first
//! class scores zero: a score of exactly 0 is then a tie, as on paper. `weights.rs` has the other cases.

mod lookup;
mod weights;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::counting::each_on_a_thread;
use crate::counts::{Block, Counts, Kind, Names, find_cell};
use crate::documents::Finder;
use crate::likelihoods::{Form, Likelihood, Model, Weight};
use crate::rows::{Cell, total};
use crate::text::{Analyzer, Tokens};
use crate::vocabulary::{Hashed, UNKNOWN, make_keys};
use lookup::{Known, KnownFeatures, Looked, Ready, known};
use weights::{Sums, Weights, lambda, sum_in_lanes};

/// Text bytes that are looked up together.
const FLUSH: usize = 4 << 10;

/// Scores documents by the counts that it was made from.
pub struct Scorer {
    model: Model,
    kinds: Vec<Kind>,
    counted: Vec<bool>,
    n_classes: usize,
    n_features: usize,
    /// What each class gets from a feature that it has never seen.
    unseen: Vec<f64>,
    looked_up: AtomicUsize,
    ready: OnceLock<Vec<Ready>>,
    scratch: Mutex<Vec<Scratch>>,
}

impl Scorer {
    pub fn new(counts: &Counts, analyzer: &Analyzer, form: Form) -> Self {
        let kinds = Kind::of(analyzer.settings());
        let model = Model::new(counts, form);
        let never = |class| Cell { class, documents: 0, occurrences: 0 };
        Scorer {
            unseen: (0..counts.n_classes() as u32).map(|class| model.weight(never(class), 0).log).collect(),
            model,
            counted: kinds.iter().map(|kind| kind.is_counted(analyzer.settings())).collect(),
            kinds,
            n_classes: counts.n_classes(),
            n_features: counts.blocks.iter().map(|block| block.len()).sum(),
            looked_up: AtomicUsize::new(0),
            ready: OnceLock::new(),
            scratch: Mutex::new(vec![]),
        }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The score of each class for each text, texts one after the other: log prior + Σ weights, up to a number
    /// that all classes of a text have in common.
    pub fn scores(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        log_prior: &[f64],
        threads: usize,
    ) -> Vec<f64> {
        let mut scores = vec![0.0; texts.len() * self.n_classes];
        self.spread(counts, analyzer, texts, threads, self.n_classes, &mut scores, |sums, out| {
            sums.write(log_prior, out);
        });
        scores
    }

    /// The class with the highest score for each text; the first of them where several are equal.
    pub fn best(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        log_prior: &[f64],
        threads: usize,
    ) -> Vec<u32> {
        let mut best = vec![0; texts.len()];
        self.spread(counts, analyzer, texts, threads, 1, &mut best, |sums, out| out[0] = sums.best(log_prior));
        best
    }

    /// The whole log-likelihood of each text under each class, without the prior.
    pub fn log_likelihoods(&self, counts: &Counts, analyzer: &Analyzer, texts: &[&str]) -> Vec<f64> {
        let mut scratch = Scratch::default();
        let mut all = Vec::with_capacity(texts.len() * self.n_classes);
        for text in texts {
            self.look_up(counts, analyzer, &[text], &mut scratch);
            let mut sums = self.model.start.clone();
            self.each_feature(counts, &mut scratch, 0, |block, id| self.add_computed(counts, block, id, &mut sums));
            all.extend(sums.iter().map(|sum| sum.value()));
        }
        all
    }

    /// The logarithm of the number of orders in which each text's known features could stand: N! / Π f!.
    pub fn log_orders(&self, counts: &Counts, analyzer: &Analyzer, texts: &[&str]) -> Vec<f64> {
        let ln_factorial = |n: usize| (2..=n).map(|k| (k as f64).ln()).sum::<f64>();
        let mut scratch = Scratch::default();
        let orders = |text: &&str| {
            self.look_up(counts, analyzer, &[text], &mut scratch);
            let mut features = vec![];
            self.each_feature(counts, &mut scratch, 0, |block, id| features.push((block, id)));
            features.sort_unstable();
            let repeats: f64 = features.chunk_by(|a, b| a == b).map(|group| ln_factorial(group.len())).sum();
            ln_factorial(features.len()) - repeats
        };
        texts.iter().map(orders).collect()
    }

    /// What is known of the features `names`, or of all that were seen in at least `min_documents` documents.
    pub fn table(&self, counts: &Counts, names: Option<&[String]>, min_documents: u64) -> FeatureTable {
        let mut table = FeatureTable::default();
        for (block, id) in features(counts, names, min_documents) {
            let row = counts.blocks[block].rows.get(id);
            let total = total(row);
            table.names.push(counts.name(block, id));
            table.lengths.push(self.kinds[block].length());
            for class in 0..self.n_classes as u32 {
                let cell = find_cell(row, class);
                table.documents.push(cell.documents);
                table.occurrences.push(cell.occurrences);
                table.log_probabilities.push(self.model.log_probability(cell, total).value());
            }
        }
        table
    }

    /// What each of these features adds to each class's score, in the order of [`Scorer::table`].
    pub fn weights(&self, counts: &Counts, names: Option<&[String]>, min_documents: u64) -> Vec<f64> {
        let weight = |(block, id)| self.term(counts, block, id);
        features(counts, names, min_documents).into_iter().flat_map(weight).collect()
    }

    /// What each feature of a text adds to each class's score, feature by feature as the analyzer gives them: None for one
    /// that is not known, nothing for one that counts only once and has been named before.
    pub fn terms(&self, counts: &Counts, analyzer: &Analyzer, text: &str) -> Vec<Option<Vec<f64>>> {
        let mut finder = Finder::new(counts, analyzer);
        finder.find(text);
        let once = self.model.form.likelihood == Likelihood::Bernoulli;
        let mut terms = vec![];
        for (block, found) in finder.found().iter().enumerate().filter(|(block, _)| self.counted[*block]) {
            let mut named = HashSet::new();
            terms.extend(found.iter().map(|&id| {
                let is_known = id != UNKNOWN && counts.blocks[block].rows.is_live(id);
                let is_repeated = once && !named.insert(id);
                is_known.then(|| if is_repeated { vec![] } else { self.term(counts, block, id) })
            }));
        }
        terms
    }

    fn term(&self, counts: &Counts, block: usize, id: u32) -> Vec<f64> {
        let mut sums = vec![Weight::default(); self.n_classes];
        self.add_computed(counts, block, id, &mut sums);
        sums.iter().map(|sum| sum.value()).collect()
    }

    /// Hands each text's sums to `finish` with the `width` numbers of `out` that are the text's.
    #[allow(clippy::too_many_arguments)]
    fn spread<T: Send>(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        threads: usize,
        width: usize,
        out: &mut [T],
        finish: impl Fn(&Sums, &mut [T]) + Sync,
    ) {
        let work = |texts: &[&str], out: &mut [T]| {
            let mut scratch = self.scratch.lock().expect("nobody panics").pop().unwrap_or_default();
            let (mut from, mut sum) = (0, 0);
            for to in 1..=texts.len() {
                sum += texts[to - 1].len();
                if sum > FLUSH || to == texts.len() {
                    self.look_up(counts, analyzer, &texts[from..to], &mut scratch);
                    for at in from..to {
                        let sums = self.sum(counts, &mut scratch, at - from);
                        finish(&sums, &mut out[at * width..(at + 1) * width]);
                        scratch.sums = sums;
                    }
                    (from, sum) = (to, 0);
                }
            }
            self.scratch.lock().expect("nobody panics").push(scratch);
        };
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let threads = threads.min(bytes >> 18);
        if threads <= 1 {
            return work(texts, out);
        }
        let share = texts.len().div_ceil(threads);
        let parts: Vec<_> = texts.chunks(share).zip(out.chunks_mut(share * width)).map(Mutex::new).collect();
        each_on_a_thread(&parts, |part| {
            let (texts, out) = &mut *part.lock().expect("each part has one thread");
            work(texts, out);
        });
    }

    /// The ids of all features of `texts`, and their weights where these are ready, into `scratch`.
    fn look_up(&self, counts: &Counts, analyzer: &Analyzer, texts: &[&str], scratch: &mut Scratch) {
        let ready = self.ready.get();
        scratch.blocks.resize_with(self.kinds.len(), Looked::default);
        for (at, &kind) in self.kinds.iter().enumerate() {
            let (before, rest) = scratch.blocks.split_at_mut(at);
            let looked = &mut rest[0];
            looked.clear(ready.is_some());
            match &counts.blocks[at].names {
                Names::Words(words) => {
                    scratch.tokens.clear();
                    for text in texts {
                        match kind {
                            Kind::Characters => analyzer.characters(text, &mut scratch.tokens),
                            _ => analyzer.words(text, &mut scratch.tokens),
                        }
                        looked.ends.push(scratch.tokens.len());
                    }
                    match ready.map(|ready| &ready[at].known) {
                        Some(KnownFeatures::Words(known)) => {
                            make_keys(&mut scratch.tokens, words.index.seed(), &mut scratch.keys);
                            looked.find_words(known, &scratch.keys, &scratch.tokens, words);
                        }
                        _ => {
                            scratch.ids.clear();
                            words.find(&mut scratch.tokens, &mut scratch.keys, &mut scratch.ids);
                            looked.found.extend(scratch.ids.iter().map(|&id| Known::bare(id)));
                        }
                    }
                }
                Names::Runs(index) => {
                    // Runs of n - 1 words are n - 2 fewer than words; the run that starts at i ends with word i + n - 1.
                    let n = at + 1;
                    looked.make_runs(&before[0], &before[at - 1], n, index.seed(), &mut scratch.pairs);
                    match ready.map(|ready| &ready[at].known) {
                        Some(KnownFeatures::Runs(known)) => looked.find_runs(known, &scratch.pairs),
                        _ => looked.found.extend(scratch.pairs.iter().map(|&(key, _)| Known::bare(index.find(key)))),
                    }
                }
            }
        }
        // Worth building once as much has been looked up as a fair part of the features.
        if self.model.form.is_smooth() && ready.is_none() {
            let tokens: usize = scratch.blocks.iter().map(|looked| looked.found.len()).sum();
            let before = self.looked_up.fetch_add(tokens, Ordering::Relaxed);
            if before + tokens > self.n_features / 8 {
                self.ready.get_or_init(|| self.make_ready(counts));
            }
        }
    }

    /// Visits the known features of the scratch's document `at`: each occurrence, or for Bernoulli each once.
    fn each_feature(&self, counts: &Counts, scratch: &mut Scratch, at: usize, mut visit: impl FnMut(usize, u32)) {
        let once = self.model.form.likelihood == Likelihood::Bernoulli;
        scratch.stamp += 1;
        for (block, looked) in scratch.blocks.iter_mut().enumerate().filter(|(block, _)| self.counted[*block]) {
            let rows = &counts.blocks[block].rows;
            let range = looked.range(at);
            if once {
                looked.seen.resize(counts.blocks[block].len(), 0);
            }
            for &Known { id, .. } in &looked.found[range] {
                if id == UNKNOWN || !rows.is_live(id) {
                    continue;
                }
                if once && std::mem::replace(&mut looked.seen[id as usize], scratch.stamp) == scratch.stamp {
                    continue;
                }
                visit(block, id);
            }
        }
    }

    /// One number a feature, λ, is enough for two classes, unless some weight is not a number.
    fn is_difference(&self) -> bool {
        self.n_classes == 2 && self.model.form.is_smooth()
    }

    fn make_ready(&self, counts: &Counts) -> Vec<Ready> {
        let ready = |block: &Block| {
            let mut weights = Weights::default();
            (0..block.rows.len() as u32).for_each(|id| self.weigh(block.rows.get(id), &mut weights));
            let known = match &block.names {
                Names::Words(words) => KnownFeatures::Words(known(&words.index, &weights)),
                Names::Runs(index) => KnownFeatures::Runs(known(index, &weights)),
            };
            Ready { known, weights }
        };
        counts.blocks.iter().map(ready).collect()
    }

    /// Appends the weights of a feature with these cells.
    fn weigh(&self, row: &[Cell], weights: &mut Weights) {
        if self.is_difference() {
            weights.dense.push(lambda(row, &self.model));
        } else {
            weights.push(row, &self.model, &self.unseen);
        }
    }

    /// The sums of the scratch's document `at`.
    fn sum(&self, counts: &Counts, scratch: &mut Scratch, at: usize) -> Sums {
        let mut sums = std::mem::take(&mut scratch.sums);
        sums.start(&self.model, self.is_difference());
        if !self.model.form.is_smooth() {
            self.each_feature(counts, scratch, at, |block, id| self.add_computed(counts, block, id, &mut sums.exact));
            return sums;
        }
        let once = self.model.form.likelihood == Likelihood::Bernoulli;
        for (block, looked) in scratch.blocks.iter_mut().enumerate().filter(|(block, _)| self.counted[*block]) {
            let counts = &counts.blocks[block];
            let range = looked.range(at);
            if once {
                scratch.stamp += 1;
                looked.keep_first(range.clone(), scratch.stamp, counts.len());
            }
            let found = &looked.found[range];
            match (self.ready.get().filter(|_| looked.is_ready), self.is_difference()) {
                (Some(_), true) => sums.logs[0] += sum_in_lanes(found.iter().map(|known| known.weight.lambda())),
                (None, true) => {
                    let lambda = |known: &Known| lambda(counts.rows.get(known.id), &self.model);
                    sums.logs[0] += sum_in_lanes(found.iter().map(lambda));
                }
                (Some(ready), false) => {
                    ready[block].weights.add(found.iter().map(|known| known.weight.place()), &self.unseen, &mut sums);
                }
                (None, false) => {
                    scratch.few.clear();
                    found.iter().for_each(|known| self.weigh(counts.rows.get(known.id), &mut scratch.few));
                    scratch.few.add(scratch.few.places.iter().copied(), &self.unseen, &mut sums);
                }
            }
        }
        sums
    }

    fn add_computed(&self, counts: &Counts, block: usize, id: u32, sums: &mut [Weight]) {
        let row = counts.blocks[block].rows.get(id);
        let total = total(row);
        for (class, sum) in sums.iter_mut().enumerate() {
            *sum += self.model.weight(find_cell(row, class as u32), total);
        }
    }
}

/// Features by name; the numbers are by feature and then by class.
#[derive(Default)]
pub struct FeatureTable {
    pub names: Vec<String>,
    /// The words that each feature has; 0 for characters.
    pub lengths: Vec<u8>,
    pub documents: Vec<u32>,
    pub occurrences: Vec<u32>,
    pub log_probabilities: Vec<f64>,
}

/// The features `names`, or all; of these such as were seen in at least `min_documents` documents.
pub fn features(counts: &Counts, names: Option<&[String]>, min_documents: u64) -> Vec<(usize, u32)> {
    let all = |block: usize| (0..counts.blocks[block].rows.len() as u32).map(move |id| (block, id));
    let mut found: Vec<(usize, u32)> = match names {
        Some(names) => names.iter().flat_map(|name| find_name(counts, name)).collect(),
        None => (0..counts.blocks.len()).flat_map(all).collect(),
    };
    found.retain(|&(block, id)| {
        let row = counts.blocks[block].rows.get(id);
        row.iter().map(|cell| u64::from(cell.documents)).sum::<u64>() >= min_documents.max(1)
    });
    found
}

/// The feature of this name in each block that has one.
fn find_name<'a>(counts: &'a Counts, name: &'a str) -> impl Iterator<Item = (usize, u32)> + 'a {
    (0..counts.blocks.len()).map(move |block| (block, counts.find(block, name))).filter(|(_, id)| *id != UNKNOWN)
}

/// What scoring needs of memory, kept between calls.
#[derive(Default)]
struct Scratch {
    tokens: Tokens,
    keys: Vec<Hashed>,
    ids: Vec<u32>,
    pairs: Vec<(u64, u64)>,
    blocks: Vec<Looked>,
    few: Weights,
    stamp: u32,
    sums: Sums,
}
