//! From documents to scores: for each class, the sum of its features' weights.
//!
//! Weights are computed from the counts when they are needed. After some use they are kept, in a table where a word is found
//! together with its weight; it holds exactly the numbers that would be computed, so it changes the time and nothing else. With two classes one number
//! a feature is enough, the difference of their weights (λ), and the first class scores zero: a score of exactly 0 is then
//! a tie, as on paper. With more classes, frequent features have a row with a weight for each class; the others have a list
//! of the few classes that know them, to be added to the row that all unseen cells share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::counting::each_on_a_thread;
use crate::counts::{Block, Counts, Kind, Names, find_cell};
use crate::likelihoods::{Form, Likelihood, Model, Weight};
use crate::processor::{LANES, add_rows};
use crate::rows::Cell;
use crate::table::Table;
use crate::text::{Analyzer, Tokens};
use crate::vocabulary::{Hashed, Index, Key, Seed, UNKNOWN, WordKey, Words, make_keys, pair};

/// Text bytes that are looked up together.
const FLUSH: usize = 4 << 10;
/// A feature with so many occurrences has a row of its own where there are few classes: adding a row takes no guess at how long
/// a list is, and most tokens are frequent features.
const FREQUENT: u64 = 16;
const FEW_CLASSES: usize = 64;
/// How many lookups ahead memory is asked for.
const AHEAD: usize = 16;

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
        let found: Vec<(usize, u32)> = match names {
            Some(names) => names.iter().flat_map(|name| find_name(counts, name)).collect(),
            None => (0..counts.blocks.len())
                .flat_map(|block| (0..counts.blocks[block].rows.len() as u32).map(move |id| (block, id)))
                .collect(),
        };
        for (block, id) in found {
            let row = counts.blocks[block].rows.get(id);
            let documents: u64 = row.iter().map(|cell| u64::from(cell.documents)).sum();
            if documents < min_documents.max(1) {
                continue;
            }
            let total = total(row);
            table.names.push(counts.name(block, id));
            for class in 0..self.n_classes as u32 {
                let cell = find_cell(row, class);
                table.documents.push(cell.documents);
                table.occurrences.push(cell.occurrences);
                table.log_probabilities.push(self.model.log_probability(cell, total).value());
            }
        }
        table
    }

    /// What a feature adds to each class's score; None where it is not known.
    pub fn weights(&self, counts: &Counts, name: &str) -> Option<Vec<f64>> {
        let (block, id) = find_name(counts, name).find(|&(block, id)| counts.blocks[block].rows.is_live(id))?;
        let mut sums = vec![Weight::default(); self.n_classes];
        self.add_computed(counts, block, id, &mut sums);
        Some(sums.iter().map(|sum| sum.value()).collect())
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
    pub documents: Vec<u32>,
    pub occurrences: Vec<u32>,
    pub log_probabilities: Vec<f64>,
}

/// The feature of this name in each block that has one.
fn find_name<'a>(counts: &'a Counts, name: &'a str) -> impl Iterator<Item = (usize, u32)> + 'a {
    (0..counts.blocks.len()).map(move |block| (block, counts.find(block, name))).filter(|(_, id)| *id != UNKNOWN)
}

/// Occurrences of a feature in all classes.
pub fn total(row: &[Cell]) -> u64 {
    row.iter().map(|cell| u64::from(cell.occurrences)).sum()
}

/// The second class's weight less the first's; 0 for a feature that has been forgotten.
fn lambda(row: &[Cell], model: &Model) -> f64 {
    match total(row) {
        0 => 0.0,
        total => model.weight(find_cell(row, 1), total).log - model.weight(find_cell(row, 0), total).log,
    }
}

/// The running sums of one document.
#[derive(Default)]
struct Sums {
    /// Whether `logs` is one number, the second class's lead over the first.
    difference: bool,
    logs: Vec<f64>,
    /// Which rows of weights are still to be added.
    rows: Vec<u32>,
    /// Used instead of `logs` where some weights are impossible.
    exact: Vec<Weight>,
}

impl Sums {
    fn start(&mut self, model: &Model, difference: bool) {
        self.difference = difference;
        self.exact.clear();
        self.logs.clear();
        if difference {
            self.logs.push(model.start[1].log - model.start[0].log);
        } else if model.form.is_smooth() {
            self.logs.extend(model.start.iter().map(|weight| weight.log));
        } else {
            self.exact.extend_from_slice(&model.start);
        }
    }

    /// The second class's lead, with the prior.
    fn lead(&self, log_prior: &[f64]) -> f64 {
        self.logs[0] + (log_prior[1] - log_prior[0])
    }

    fn get(&self, class: usize, log_prior: &[f64]) -> f64 {
        self.exact.get(class).map_or_else(|| self.logs[class], |weight| weight.value()) + log_prior[class]
    }

    fn write(&self, log_prior: &[f64], out: &mut [f64]) {
        if self.difference {
            let lead = self.lead(log_prior);
            // Infinite where the first class has prior 0: then it is that class that has none.
            [out[0], out[1]] = if lead == f64::INFINITY { [f64::NEG_INFINITY, 0.0] } else { [0.0, lead] };
            return;
        }
        for (class, score) in out.iter_mut().enumerate() {
            *score = self.get(class, log_prior);
        }
        // Where no class is possible nothing is known, and the prior speaks alone.
        if out.iter().all(|score| *score == f64::NEG_INFINITY) {
            out.copy_from_slice(log_prior);
        }
    }

    fn best(&self, log_prior: &[f64]) -> u32 {
        if self.difference {
            return u32::from(self.lead(log_prior) > 0.0);
        }
        let first_highest = |score: &dyn Fn(usize) -> f64| {
            let (mut best, mut highest) = (0, score(0));
            for class in 1..log_prior.len() {
                let score = score(class);
                if score > highest {
                    (best, highest) = (class, score);
                }
            }
            (best as u32, highest)
        };
        match first_highest(&|class| self.get(class, log_prior)) {
            (_, f64::NEG_INFINITY) => first_highest(&|class| log_prior[class]).0,
            (best, _) => best,
        }
    }
}

/// The sum of weights, in four lanes: a fixed order, so the same to the bit every time, that does not wait for each addition.
fn sum_in_lanes(weights: impl Iterator<Item = f64>) -> f64 {
    let mut lanes = [0.0; 4];
    weights.enumerate().for_each(|(i, weight)| lanes[i % 4] += weight);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// A feature as the table of known features has it.
#[derive(Clone, Copy)]
struct Known {
    id: u32,
    weight: Stored,
}

impl Known {
    /// One of which the weight is not known yet, or will never be.
    fn bare(id: u32) -> Self {
        Known { id, weight: Stored(0) }
    }
}

impl Default for Known {
    fn default() -> Self {
        Known::bare(UNKNOWN)
    }
}

/// Eight bytes: λ, or where the weights of all classes are. All zeros add nothing either way.
#[derive(Clone, Copy)]
struct Stored(u64);

impl Stored {
    fn lambda(self) -> f64 {
        f64::from_bits(self.0)
    }

    fn place(self) -> Place {
        Place { start: self.0 as u32, len: (self.0 >> 32) as u32 }
    }
}

/// What scoring keeps of a block after some use.
struct Ready {
    known: KnownFeatures,
    weights: Weights,
}

enum KnownFeatures {
    Words(Table<WordKey, Known>),
    Runs(Table<u64, Known>),
}

fn known<K: Key>(index: &Index<K>, weights: &Weights) -> Table<K, Known> {
    let mut table = Table::with_room_for(index.len());
    for (id, &key) in index.keys().iter().enumerate() {
        // Equal keys are those of long words with the same hash: both have a place.
        let (place, _) = table.place(key, key.hash(index.seed()), |_| false);
        *table.at(place) = Known { id: id as u32, weight: weights.stored(id) };
    }
    table
}

/// The features of some documents, of one block.
#[derive(Default)]
struct Looked {
    found: Vec<Known>,
    ends: Vec<usize>,
    /// Whether they were found together with their weights.
    is_ready: bool,
    /// For each feature the last document that had it.
    seen: Vec<u32>,
}

impl Looked {
    fn clear(&mut self, is_ready: bool) {
        self.found.clear();
        self.ends.clear();
        self.is_ready = is_ready;
    }

    fn range(&self, at: usize) -> std::ops::Range<usize> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        start..self.ends[at]
    }

    /// Makes every feature of a document unknown that stands there already.
    fn keep_first(&mut self, range: std::ops::Range<usize>, stamp: u32, n_features: usize) {
        self.seen.resize(n_features, 0);
        for known in &mut self.found[range] {
            let Some(seen) = self.seen.get_mut(known.id as usize) else { continue };
            if std::mem::replace(seen, stamp) == stamp {
                *known = Known::default();
            }
        }
    }

    fn find_words(&mut self, known: &Table<WordKey, Known>, keys: &[Hashed], tokens: &Tokens, words: &Words) {
        self.found.extend(keys.iter().enumerate().map(|(i, &Hashed { key, hash })| {
            if let Some(next) = keys.get(i + AHEAD) {
                known.expect(next.hash);
            }
            let same = |known: &Known| !key.is_long() || words.long.get(known.id) == Some(tokens.get(i));
            known.get(key, hash, same).copied().unwrap_or_default()
        }));
    }

    fn find_runs(&mut self, known: &Table<u64, Known>, pairs: &[(u64, u64)]) {
        self.found.extend(pairs.iter().enumerate().map(|(i, &(key, hash))| {
            if let Some(&(_, next)) = pairs.get(i + AHEAD) {
                known.expect(next);
            }
            if key == u64::EMPTY {
                Known::default()
            } else {
                known.get(key, hash, |_| true).copied().unwrap_or_default()
            }
        }));
    }

    /// The keys of the runs of `n` words in the documents of `words`, and their hashes; `left` has the runs of n - 1 words.
    /// Runs with an unknown part have their places too.
    fn make_runs(&mut self, words: &Looked, left: &Looked, n: usize, seed: Seed, pairs: &mut Vec<(u64, u64)>) {
        pairs.clear();
        for at in 0..words.ends.len() {
            let (words, left) = (&words.found[words.range(at)], &left.found[left.range(at)]);
            for (left, right) in left.iter().zip(words.iter().skip(n - 1)) {
                let is_unknown = left.id == UNKNOWN || right.id == UNKNOWN;
                let key = if is_unknown { u64::EMPTY } else { pair(left.id, right.id) };
                pairs.push((key, key.hash(seed)));
            }
            self.ends.push(pairs.len());
        }
    }
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

/// The weights of features of a smooth model.
#[derive(Default)]
struct Weights {
    /// For two classes one number a feature, λ. Otherwise rows with a weight for each class, filled up to a whole number of
    /// [`LANES`].
    dense: Vec<f64>,
    /// For each feature where its row or its list starts; with λ not used.
    places: Vec<Place>,
    /// Classes that know a feature, and by how much its weight there differs from that of an unseen one.
    list: Vec<(u32, f64)>,
}

#[derive(Clone, Copy)]
struct Place {
    start: u32,
    /// How many in the list; [`Place::ROW`] for a row.
    len: u32,
}

impl Place {
    const ROW: u32 = u32::MAX;
}

impl Weights {
    fn clear(&mut self) {
        self.dense.clear();
        self.places.clear();
        self.list.clear();
    }

    fn push(&mut self, row: &[Cell], model: &Model, unseen: &[f64]) {
        let known = row.iter().filter(|cell| !cell.is_zero()).count();
        let total = total(row);
        if known == 0 {
            self.places.push(Place { start: 0, len: 0 });
        } else if known * 3 > unseen.len() || (unseen.len() <= FEW_CLASSES && total >= FREQUENT) {
            let width = unseen.len().next_multiple_of(LANES);
            let start = self.dense.len();
            self.places.push(Place { start: (start / width) as u32, len: Place::ROW });
            self.dense.extend((0..unseen.len() as u32).map(|class| model.weight(find_cell(row, class), total).log));
            self.dense.resize(start + width, 0.0);
        } else {
            self.places.push(Place { start: self.list.len() as u32, len: known as u32 });
            // What a whole row has in common does not matter to a decision, so complement's share of `total` is left out.
            let common = model.weight(Cell { class: 0, documents: 0, occurrences: 0 }, total).log - unseen[0];
            for cell in row.iter().filter(|cell| !cell.is_zero()) {
                let more = model.weight(*cell, total).log - unseen[cell.class as usize] - common;
                self.list.push((cell.class, more));
            }
        }
    }

    /// What a table of known features keeps of feature `id`.
    fn stored(&self, id: usize) -> Stored {
        match self.places.get(id) {
            Some(place) => Stored(u64::from(place.start) | u64::from(place.len) << 32),
            None => Stored(self.dense.get(id).map_or(0, |lambda| lambda.to_bits())),
        }
    }

    /// Adds the weights of the features at these places, for each class.
    fn add(&self, places: impl Iterator<Item = Place>, unseen: &[f64], sums: &mut Sums) {
        sums.rows.clear();
        let mut n_listed = 0;
        for place in places {
            if place.len == Place::ROW {
                sums.rows.push(place.start);
            } else if place.len > 0 {
                n_listed += 1;
                let list = &self.list[place.start as usize..(place.start + place.len) as usize];
                list.iter().for_each(|(class, more)| sums.logs[*class as usize] += more);
            }
        }
        if n_listed > 0 {
            sums.logs.iter_mut().zip(unseen).for_each(|(sum, weight)| *sum += f64::from(n_listed) * weight);
        }
        sums.logs.resize(unseen.len().next_multiple_of(LANES), 0.0);
        add_rows(&self.dense, &sums.rows, &mut sums.logs);
        sums.logs.truncate(unseen.len());
    }
}
