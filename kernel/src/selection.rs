//! Exact leave-one-out: every document scored by the model that has not seen it.
//!
//! A Naive Bayes model without some documents is the same counts less theirs, so nothing is trained again: classes
//! lose documents and words, a feature that nobody else has leaves the vocabulary, and the formulas of `likelihoods.rs`
//! do the rest. What is left out with a document are its copies and its group: see [`Taken`].

use std::collections::HashMap;

use crate::counts::{Counts, find_cell};
use crate::documents::{Documents, Features, Taken, Taker};
use crate::likelihoods::{Form, Likelihood, Model, Totals, Weight};
use crate::rows::{Cell, total};
use crate::threads::{each_on_a_thread, equal_parts};

/// What documents say, as if their groups had never been counted.
#[derive(Default)]
pub struct LeftOut {
    /// By document and class, the log-likelihood of what stands in the document, without the prior.
    pub logs: Vec<f64>,
    /// By document and class: what the absence of all features says, which is a part of that; 0 but for Bernoulli.
    pub absent: Vec<f64>,
    /// By document, how many of its features others have too: each as often as it counts.
    pub lengths: Vec<u32>,
}

/// Of each document, and then of a window of each where there are windows. `documents` are among those that were counted.
pub fn leave_one_out(counts: &Counts, form: Form, documents: &Documents, threads: usize) -> LeftOut {
    let all = Totals::of(counts, form);
    let full = Model::new(counts, form);
    let mut whole = LeftOut::default();
    for features in [&documents.blocks, &documents.windows].into_iter().filter(|view| !view.is_empty()) {
        let parts = each_on_a_thread(&equal_parts(documents.len(), threads), |part| {
            let (mut parts, mut taker) = (LeftOut::default(), Taker::new(documents));
            let (mut starts, mut last) = (Starts::new(), None);
            for at in part.clone() {
                let asked = Asked { counts, documents, features, at, all: &all, full: &full };
                let taken = taker.of(at);
                // A group takes the same out for each of its documents, unless one has copies elsewhere.
                let rest = match last.take() {
                    Some((number, rest)) if taken.is_group() == Some(number) => rest,
                    _ => asked.rest(&taken, &mut starts),
                };
                asked.add(&taken, &rest, &mut parts);
                last = taken.is_group().map(|number| (number, rest));
            }
            parts
        });
        for part in parts {
            whole.logs.extend(part.logs);
            whole.absent.extend(part.absent);
            whole.lengths.extend(part.lengths);
        }
    }
    whole
}

/// A document, or a window of one, and what is known of all.
struct Asked<'a> {
    counts: &'a Counts,
    documents: &'a Documents,
    features: &'a [Features],
    at: usize,
    all: &'a Totals,
    full: &'a Model,
}

/// For Bernoulli, by the documents that they have lost: what the classes start from.
type Starts = HashMap<u64, Vec<Weight>>;

/// What is left of the counts.
struct Rest {
    model: Model,
    /// What each class gets before any feature is looked at.
    start: Vec<Weight>,
}

impl Asked<'_> {
    fn rest(&self, taken: &Taken, starts: &mut Starts) -> Rest {
        let Asked { counts, all, full, .. } = self;
        let form = full.form;
        let gone = taken.totals();
        let mut totals = (*all).clone();
        for one in &gone {
            let class = one.class as usize;
            totals.documents[class] = totals.documents[class].saturating_sub(one.documents);
            totals.occurrences[class] = totals.occurrences[class].saturating_sub(one.occurrences);
        }
        let features: Vec<_> = taken.features();
        for &(block, id, times) in &features {
            let (row, left) = (counts.blocks[block].rows.get(id), self.left(taken, block, id, times));
            if form.class_vocabulary {
                for cell in row.iter().filter(|cell| cell.documents > 0) {
                    let is_gone = find_cell(&left, cell.class).documents == 0;
                    totals.features[cell.class as usize] -= u64::from(is_gone);
                }
            } else if seen(&left) == 0 && seen(row) > 0 {
                totals.features.iter_mut().for_each(|n| *n -= 1);
            }
        }
        let model = Model::with(totals, form);
        let mut start = full.start.clone();
        if form.likelihood == Likelihood::Bernoulli {
            for one in &gone {
                let fewer = || {
                    let mut fewer = (*all).clone();
                    fewer.documents.iter_mut().for_each(|n| *n = n.saturating_sub(one.documents));
                    Model::with(fewer, form).all_absent(counts)
                };
                let class = one.class as usize;
                start[class] = starts.entry(one.documents).or_insert_with(fewer)[class];
            }
            // What was said of a feature's absence, by counts that still had the group, is said again without it.
            for &(block, id, times) in &features {
                let (row, left) = (counts.blocks[block].rows.get(id), self.left(taken, block, id, times));
                for (class, sum) in start.iter_mut().enumerate() {
                    *sum = sum.minus(model.log_absent(find_cell(row, class as u32)));
                    if seen(&left) > 0 {
                        *sum += model.log_absent(find_cell(&left, class as u32));
                    }
                }
            }
        }
        Rest { model, start }
    }

    fn add(&self, taken: &Taken, Rest { model, start }: &Rest, found: &mut LeftOut) {
        let is_bernoulli = model.form.likelihood == Likelihood::Bernoulli;
        let mut sums = start.clone();
        let mut length = 0;
        for (block, features) in self.features.iter().enumerate() {
            let whole = &self.documents.blocks[block];
            let first = whole.range(self.at).start;
            for i in features.range(self.at) {
                // How often a feature of a window stands in the whole document is what leaves with it.
                let own = features.whole.get(i).map_or(i, |&number| first + number as usize);
                let left = self.left(taken, block, features.ids[i], whole.times[own]);
                if seen(&left) == 0 {
                    continue;
                }
                let (total, times) = (total(&left), if is_bernoulli { 1 } else { features.times[i] });
                length += times;
                for (class, sum) in sums.iter_mut().enumerate() {
                    let cell = find_cell(&left, class as u32);
                    if is_bernoulli {
                        *sum = sum.minus(model.log_absent(cell));
                    }
                    *sum += model.log_probability(cell, total).times(times);
                }
            }
        }
        found.logs.extend(sums.iter().map(|sum| sum.value()));
        found.absent.extend(start.iter().map(|sum| sum.value()));
        found.lengths.push(length);
    }

    fn left(&self, taken: &Taken, block: usize, id: u32, times: u32) -> Vec<Cell> {
        let mut left = vec![];
        taken.left(block, id, times, self.counts.blocks[block].rows.get(id), &mut left);
        left
    }
}

/// In how many documents.
fn seen(row: &[Cell]) -> u64 {
    row.iter().map(|cell| u64::from(cell.documents)).sum()
}
