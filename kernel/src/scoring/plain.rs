//! Counts read by a plain likelihood.
//!
//! With two classes one number a feature is enough, the difference of their weights (λ). `weights.rs` has the other cases.

use std::collections::HashSet;

use super::weights::{Place, Weights, each_more, lambda};
use super::{Known, Looked, Reading, Rounded, Scorer, Scratch, Start, Stored, Sums, sum_in_lanes};
use crate::counts::{Counts, Kind, Names, find_cell};
use crate::documents::{Finder, Listed};
use crate::likelihoods::{Form, Likelihood, Model, Weight};
use crate::rows::{Cell, total};
use crate::seen::Seen;
use crate::text::Analyzer;
use crate::trust::growth;
use crate::vocabulary::UNKNOWN;

/// Reads counts by a likelihood.
pub struct Plain {
    model: Model,
    counted: Vec<bool>,
    /// What each class gets from a feature that it has never seen.
    unseen: Vec<f64>,
    /// How scores are calibrated by the length of a text; None where they are left as they are.
    length: Option<Length>,
    /// Whether no feature has been forgotten.
    all_live: bool,
}

/// What the log-likelihood of a text with so many known features is multiplied with: words repeat each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    pub scale: f64,
    /// With so many features it is half of `scale`.
    pub half: f64,
}

impl Length {
    pub fn of(&self, n: f64) -> f64 {
        self.scale / (1.0 + n / self.half)
    }
}

/// What adding up needs of memory.
#[derive(Default)]
pub struct PlainScratch {
    seen: Seen<Known>,
    few: Weights,
    rows: Vec<u32>,
}

impl Plain {
    /// Reads `counts` in this form.
    pub fn new(counts: &Counts, analyzer: &Analyzer, form: Form, length: Option<Length>) -> Self {
        let settings = analyzer.settings();
        let model = Model::new(counts, form);
        let never = |class| Cell { class, documents: 0, occurrences: 0 };
        Plain {
            unseen: (0..counts.n_classes() as u32).map(|class| model.weight(never(class), 0).log).collect(),
            counted: Kind::of(settings).iter().map(|kind| kind.is_counted(settings)).collect(),
            length: length.filter(|_| model.form.is_smooth()),
            all_live: counts.blocks.iter().all(|block| block.rows.live == block.len() as u64),
            model,
        }
    }

    /// The formulas, and what they need of the counts.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether a feature counts once in a document, however often it stands there.
    fn is_presence(&self) -> bool {
        self.model.form.likelihood == Likelihood::Bernoulli
    }

    /// One number a feature, λ, is enough for two classes, unless some weight is not a number.
    fn is_difference(&self) -> bool {
        self.unseen.len() == 2 && self.model.form.is_smooth()
    }

    /// Appends the weights of a feature with these cells.
    fn weigh(&self, row: &[Cell], weights: &mut Weights) {
        if self.is_difference() {
            weights.dense.push(lambda(row, &self.model));
        } else {
            weights.push(row, &self.model, &self.unseen);
        }
    }

    /// The features of a document in a block: each occurrence, or for Bernoulli each once.
    fn features<'a>(&self, looked: &'a Looked, at: usize, seen: &'a mut Seen<Known>) -> &'a [Known] {
        if !self.is_presence() {
            return looked.of(at);
        }
        seen.read_features(looked.of(at), |known| known.id != UNKNOWN, |known| known.id);
        seen.features()
    }

    /// Visits the known features of document `at`.
    fn each_feature(
        &self,
        counts: &Counts,
        looked: &[Looked],
        at: usize,
        seen: &mut Seen<Known>,
        mut visit: impl FnMut(usize, u32),
    ) {
        for (block, looked) in looked.iter().enumerate().filter(|(block, _)| self.counted[*block]) {
            let rows = &counts.blocks[block].rows;
            let is_live = |known: &Known| known.id != UNKNOWN && rows.is_live(known.id);
            if self.is_presence() || looked.times.is_empty() {
                let features = self.features(looked, at, seen).iter();
                features.filter(|known| is_live(known)).for_each(|known| visit(block, known.id));
            } else {
                for (known, times) in looked.each(at).filter(|(known, _)| is_live(known)) {
                    (0..times).for_each(|_| visit(block, known.id));
                }
            }
        }
    }

    /// How many features of document `at` are known: each as often as it counts.
    fn n_known(&self, counts: &Counts, looked: &[Looked], at: usize, seen: &mut Seen<Known>) -> usize {
        if self.all_live {
            let blocks = looked.iter().enumerate().filter(|(block, _)| self.counted[*block]);
            let known = |looked: &Looked| {
                if self.is_presence() || looked.times.is_empty() {
                    return self.features(looked, at, seen).iter().filter(|known| known.id != UNKNOWN).count();
                }
                looked.each(at).map(|(_, times)| times as usize).sum()
            };
            return blocks.map(|(_, looked)| looked).map(known).sum();
        }
        let mut n = 0;
        self.each_feature(counts, looked, at, seen, |_, _| n += 1);
        n
    }

    /// Adds the weights of a feature of a smooth model that stands in a document so many times.
    fn add_times(&self, row: &[Cell], times: u32, sums: &mut Sums) {
        let (total, times) = (total(row), f64::from(times));
        if self.is_difference() {
            sums.logs[0] += times * lambda(row, &self.model);
        } else if total > 0 {
            for (class, sum) in sums.logs.iter_mut().enumerate() {
                *sum += times * self.model.weight(find_cell(row, class as u32), total).log;
            }
        }
    }

    fn add_computed(&self, counts: &Counts, block: usize, id: u32, sums: &mut [Weight]) {
        let row = counts.blocks[block].rows.get(id);
        let total = total(row);
        for (class, sum) in sums.iter_mut().enumerate() {
            *sum += self.model.weight(find_cell(row, class as u32), total);
        }
    }
}

impl Reading for Plain {
    type Weights = Weights;
    type Scratch = PlainScratch;
    type Few = ();

    fn keeps(&self) -> bool {
        // Beside kept weights nobody can tell a feature that was forgotten, which has no part in the length.
        self.model.form.is_smooth() && (self.length.is_none() || self.all_live)
    }

    fn keep(&self, counts: &Counts) -> Vec<Weights> {
        let weights = |rows: &crate::rows::Rows| {
            let mut weights = Weights::default();
            (0..rows.len() as u32).for_each(|id| self.weigh(rows.get(id), &mut weights));
            weights
        };
        counts.blocks.iter().map(|block| weights(&block.rows)).collect()
    }

    fn wants_weights_only(&self) -> bool {
        // The length of a text is the number of its known features.
        !self.is_presence() && self.length.is_none()
    }

    fn rounds(&self, counts: &Counts) -> bool {
        let is_words = matches!(&counts.blocks[..], [block] if matches!(block.names, Names::Words(_)));
        is_words
            && self.counted[0]
            && self.keeps()
            && self.wants_weights_only()
            && Rounded::has_room_for(self.unseen.len())
    }

    fn rounded(&self, counts: &Counts) -> Rounded {
        let block = &counts.blocks[0];
        let Names::Words(words) = &block.names else { unreachable!("only weights of words are rounded") };
        let rows = &block.rows;
        if self.model.form.likelihood != Likelihood::Multinomial {
            let mut most = 0f64;
            for id in 0..rows.len() as u32 {
                each_more(rows.get(id), &self.model, &self.unseen, |_, more| most = most.max(more.abs()));
            }
            let visit = |id: u32, visit: &mut dyn FnMut(u32, f64)| {
                each_more(rows.get(id), &self.model, &self.unseen, visit);
                rows.is_live(id)
            };
            return Rounded::new(words, rows, &self.unseen, most, visit);
        }
        // How much more a class gets follows from how often it has seen the word, and few words are frequent: most logarithms
        // are in a table.
        let smoothing = self.model.form.smoothing;
        let more = |n: u32| (f64::from(n) + smoothing).ln() - smoothing.ln();
        let table: Vec<f64> = (0..1 << 12).map(more).collect();
        let highest = |id: u32| rows.get(id).iter().map(|cell| cell.occurrences).max().unwrap_or(0);
        let most = (0..rows.len() as u32).map(highest).max().unwrap_or(0);
        let visit = |id: u32, visit: &mut dyn FnMut(u32, f64)| {
            for cell in rows.get(id) {
                visit(
                    cell.class,
                    table.get(cell.occurrences as usize).copied().unwrap_or_else(|| more(cell.occurrences)),
                );
            }
            rows.is_live(id)
        };
        Rounded::new(words, rows, &self.unseen, more(most), visit)
    }

    fn stored(weights: &Weights, id: usize) -> Stored {
        weights.stored(id)
    }

    fn sum(
        &self,
        counts: &Counts,
        kept: Option<&[Weights]>,
        _: &(),
        looked: &[Looked],
        at: usize,
        scratch: &mut PlainScratch,
        sums: &mut Sums,
    ) {
        let PlainScratch { seen, few, rows } = scratch;
        let start = &self.model.start;
        sums.clear(start.len(), self.is_difference());
        if !self.model.form.is_smooth() {
            sums.exact.extend_from_slice(start);
            self.each_feature(counts, looked, at, seen, |block, id| {
                self.add_computed(counts, block, id, &mut sums.exact);
            });
            return;
        }
        let n = if self.length.is_some() { self.n_known(counts, looked, at, seen) } else { 0 };
        let (absent, scale) = match self.length {
            // That words are absent says the more, the longer the text is: of an empty one it says nothing.
            Some(length) => (growth(n as f64), length.of(n as f64)),
            None => (1.0, 1.0),
        };
        sums.growth = absent;
        if self.is_difference() {
            sums.logs[0] = absent * (start[1].log - start[0].log);
        } else {
            sums.logs.iter_mut().zip(start).for_each(|(sum, weight)| *sum = absent * weight.log);
        }
        for (block, looked) in looked.iter().enumerate().filter(|(block, _)| self.counted[*block]) {
            if let Some(kept) = kept
                && looked.found.is_empty()
            {
                let weights = looked.weights_of(at);
                if self.is_difference() {
                    sums.logs[0] += sum_in_lanes(weights.iter().map(|weight| weight.number()));
                } else {
                    kept[block].add(weights.iter().map(|&weight| Place::from(weight)), &self.unseen, rows, sums);
                }
                continue;
            }
            let counted = &counts.blocks[block].rows;
            if !looked.times.is_empty() && !self.is_presence() {
                looked.each(at).for_each(|(known, times)| self.add_times(counted.get(known.id), times, sums));
                continue;
            }
            let found = self.features(looked, at, seen);
            match (kept.map(|kept| &kept[block]), self.is_difference()) {
                (Some(_), true) => sums.logs[0] += sum_in_lanes(found.iter().map(|known| known.weight.number())),
                (None, true) => {
                    let lambda = |known: &Known| lambda(counted.get(known.id), &self.model);
                    sums.logs[0] += sum_in_lanes(found.iter().map(lambda));
                }
                (Some(weights), false) => {
                    weights.add(found.iter().map(|known| Place::from(known.weight)), &self.unseen, rows, sums);
                }
                (None, false) => {
                    few.clear();
                    found.iter().for_each(|known| self.weigh(counted.get(known.id), few));
                    few.add(few.places.iter().copied(), &self.unseen, rows, sums);
                }
            }
        }
        if self.length.is_some() {
            sums.logs.iter_mut().for_each(|sum| *sum *= scale);
        }
    }
}

impl Scorer<Plain> {
    /// The whole log-likelihood of each text under each class, without the prior.
    pub fn log_likelihoods(&self, counts: &Counts, analyzer: &Analyzer, texts: &[&str]) -> Vec<f64> {
        let mut scratch = Scratch::default();
        let mut all = Vec::with_capacity(texts.len() * self.n_classes);
        for text in texts {
            self.look_up(None, counts, analyzer, &[text], &mut scratch);
            let mut sums = self.reading.model.start.clone();
            self.reading.each_feature(counts, &scratch.looked, 0, &mut scratch.reading.seen, |block, id| {
                self.reading.add_computed(counts, block, id, &mut sums)
            });
            all.extend(sums.iter().map(|sum| sum.value()));
        }
        all
    }

    /// The logarithm of the number of orders in which each text's known features could stand: N! / Π f!.
    pub fn log_orders(&self, counts: &Counts, analyzer: &Analyzer, texts: &[&str]) -> Vec<f64> {
        let ln_factorial = |n: usize| (2..=n).map(|k| (k as f64).ln()).sum::<f64>();
        let mut scratch = Scratch::default();
        let orders = |text: &&str| {
            self.look_up(None, counts, analyzer, &[text], &mut scratch);
            let mut features = vec![];
            self.reading.each_feature(counts, &scratch.looked, 0, &mut scratch.reading.seen, |block, id| {
                features.push((block, id))
            });
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
            for class in 0..self.n_classes as u32 {
                let cell = find_cell(row, class);
                table.documents.push(cell.documents);
                table.occurrences.push(cell.occurrences);
                table.log_probabilities.push(self.reading.model.log_probability(cell, total).value());
            }
        }
        table
    }

    /// What each of these features adds to each class's score in a text with so many features, in the order of [`Scorer::table`].
    pub fn weights(&self, counts: &Counts, names: Option<&[String]>, min_documents: u64, n: f64) -> Vec<f64> {
        let scale = self.reading.length.map_or(1.0, |length| length.of(n));
        let weight = |(block, id)| self.term(counts, block, id, scale);
        features(counts, names, min_documents).into_iter().flat_map(weight).collect()
    }

    /// What a text's scores are before any of its features is looked at, and what each feature adds to each class's score, feature by
    /// feature as the analyzer gives them: None for one that is not known, nothing for one that counts only once and has been
    /// named before.
    pub fn terms(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        text: &str,
        start: Start,
    ) -> (Vec<f64>, Vec<Option<Vec<f64>>>) {
        let mut scratch = Scratch::default();
        self.look_up(None, counts, analyzer, &[text], &mut scratch);
        let n = self.reading.n_known(counts, &scratch.looked, 0, &mut scratch.reading.seen) as f64;
        let (first, scale) = self.before_terms(n, start);
        let mut finder = Finder::new(counts, analyzer);
        finder.find(text);
        let mut terms = vec![];
        for (block, found) in finder.found().iter().enumerate().filter(|(block, _)| self.reading.counted[*block]) {
            let mut named = HashSet::new();
            terms.extend(found.iter().map(|&id| {
                let is_known = id != UNKNOWN && counts.blocks[block].rows.is_live(id);
                let is_repeated = self.reading.is_presence() && !named.insert(id);
                is_known.then(|| if is_repeated { vec![] } else { self.term(counts, block, id, scale) })
            }));
        }
        (first, terms)
    }

    /// The same of features that are listed once, with how often they stand in the text.
    pub fn listed_terms(&self, counts: &Counts, listed: &[Listed], start: Start) -> (Vec<f64>, Vec<Option<Vec<f64>>>) {
        let times = |feature: &Listed| if self.reading.is_presence() { 1 } else { feature.times };
        let known = |feature: &&Listed| feature.id != UNKNOWN;
        let n = listed.iter().filter(known).map(|feature| f64::from(times(feature))).sum::<f64>();
        let (first, scale) = self.before_terms(n, start);
        let term = |feature: &Listed| {
            let term = || self.term(counts, feature.block, feature.id, scale * f64::from(times(feature)));
            known(&feature).then(term)
        };
        (first, listed.iter().map(term).collect())
    }

    /// What the scores of a text with so many known features start from, and the scale of its terms.
    fn before_terms(&self, n: f64, start: Start) -> (Vec<f64>, f64) {
        let (share, scale) = self.reading.length.map_or((1.0, 1.0), |length| (growth(n), length.of(n)));
        let absent = self.reading.model.start.iter().map(|start| start.times_float(scale * share).value());
        (start.at(share).iter().zip(absent).map(|(start, absent)| start + absent).collect(), scale)
    }

    fn term(&self, counts: &Counts, block: usize, id: u32, scale: f64) -> Vec<f64> {
        let mut sums = vec![Weight::default(); self.n_classes];
        self.reading.add_computed(counts, block, id, &mut sums);
        sums.iter().map(|sum| sum.times_float(scale).value()).collect()
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
