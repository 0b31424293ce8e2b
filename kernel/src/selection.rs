//! Exact leave-one-out: every document scored by the model that has not seen it.
//!
//! A Naive Bayes model without a document is the same counts less that document's, so nothing is trained again: its class
//! loses a document and its words, a feature that only it has leaves the vocabulary, and the formulas of `likelihoods.rs`
//! do the rest.

use crate::counts::{Counts, find_cell};
use crate::documents::Documents;
use crate::likelihoods::{Form, Likelihood, Model, Totals, Weight};
use crate::rows::total;
use crate::threads::{each_on_a_thread, equal_parts};

/// The log-likelihood of each document in each class, without the prior: as if it had never been counted, once.
///
/// `documents` are among those that were counted.
pub fn leave_one_out(counts: &Counts, form: Form, documents: &Documents, threads: usize) -> Vec<f64> {
    let all = Totals::of(counts, form);
    let full = Model::new(counts, form);
    let starts = own_starts(counts, form, &all);
    let parts = equal_parts(documents.len(), threads);
    let scored = each_on_a_thread(&parts, |part| {
        part.clone().flat_map(|at| without(counts, documents, at, &all, &full, &starts)).collect::<Vec<f64>>()
    });
    scored.concat()
}

/// For Bernoulli: what each class starts from once it has a document less. A feature of that document is put right where
/// the document is scored.
fn own_starts(counts: &Counts, form: Form, all: &Totals) -> Vec<Weight> {
    if form.likelihood != Likelihood::Bernoulli {
        return vec![Weight::default(); counts.n_classes()];
    }
    let mut fewer = all.clone();
    fewer.documents.iter_mut().for_each(|n| *n = n.saturating_sub(1));
    Model::with(fewer, form).all_absent(counts)
}

fn without(
    counts: &Counts,
    documents: &Documents,
    at: usize,
    all: &Totals,
    full: &Model,
    starts: &[Weight],
) -> Vec<f64> {
    let form = full.form;
    let own = documents.classes[at];
    let features = || {
        documents.blocks.iter().zip(&counts.blocks).flat_map(move |(features, block)| {
            features.range(at).map(move |i| (block.rows.get(features.ids[i]), features.times[i]))
        })
    };
    let seen = |row: &[crate::rows::Cell]| row.iter().map(|cell| u64::from(cell.documents)).sum::<u64>();

    let mut totals = all.clone();
    totals.documents[own as usize] -= 1;
    for (row, times) in features() {
        totals.occurrences[own as usize] -= u64::from(times);
        if form.class_vocabulary {
            totals.features[own as usize] -= u64::from(find_cell(row, own).documents == 1);
        } else if seen(row) == 1 {
            totals.features.iter_mut().for_each(|n| *n -= 1);
        }
    }
    let model = Model::with(totals, form);
    let mut sums = full.start.clone();
    sums[own as usize] = starts[own as usize];
    for (row, times) in features() {
        let is_gone = seen(row) == 1;
        let total = total(row) - u64::from(times);
        for (class, sum) in sums.iter_mut().enumerate() {
            let mut cell = find_cell(row, class as u32);
            if form.likelihood == Likelihood::Bernoulli {
                *sum = sum.minus(model.log_absent(cell));
            }
            if is_gone {
                continue;
            }
            if cell.class == own {
                cell.documents -= 1;
                cell.occurrences -= times;
            }
            let times = if form.likelihood == Likelihood::Bernoulli { 1 } else { times };
            *sum += model.log_probability(cell, total).times(times);
        }
    }
    sums.iter().map(|sum| sum.value()).collect()
}
