//! Ridge regression of labels on presences, on top of scores that are given: how a [`Correction`] is fitted.
//!
//! ```text
//! score of a class    offset + scale(m) · Σ weights of the features       m: features that documents of other groups have too
//! minimised           Σ documents −log P(own class)  +  penalty / 2 · |weights|²
//! ```
//!
//! There are far more weights than documents. The best ones are sums over the documents (the gradient is one, and so is every
//! step made of gradients), so a vector of weights is held as what each document adds to it, beside the scores it gives the
//! documents. Adding two vectors, and their product, need nothing else: only the scores of a new gradient need a pass over the
//! features. The loss along a line needs none either, so each step goes as far as is best.
//!
//! Sums are taken in the order of the documents, or over fixed parts of them: no result depends on the number of threads.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::{Correction, Scale, hashes};
use crate::counts::Counts;
use crate::documents::Documents;
use crate::processor::{prefetch, scattered_filled, vectorised};
use crate::threads::{each_on_a_thread, equal_parts, summed_in_parts};
use crate::vocabulary::UNKNOWN;

/// Weights that a correction has at the most; beyond, only the more frequent features have any.
const MOST_WEIGHTS: usize = 1 << 25;
/// Steps that the curvature is estimated from.
const HISTORY: usize = 6;
/// Sums of products are taken in so many parts, of which every one has each fourth number.
const LANES: usize = 4;
/// Numbers of a vector from which on more than one thread pays.
const LARGE: usize = 1 << 15;
/// Numbers of a vector that are worked out together while they are in the nearest cache.
const AT_A_TIME: usize = 1 << 10;
/// How many rows ahead memory is asked for.
const AHEAD: usize = 8;
/// A step that gains less than this share of the loss is the last.
const ENOUGH: f64 = 1e-7;

pub struct Ridge {
    blocks: Vec<Presences>,
    /// By block and id of a feature, its column; [`UNKNOWN`] for one that has no weight.
    columns: Vec<Vec<u32>>,
    class_ids: Vec<u32>,
    weights: Vec<f64>,
    /// By document and scored class.
    offsets: Vec<f64>,
    n_classes: usize,
    scale: Scale,
    /// By document.
    scales: Vec<f64>,
    at: Vector,
    /// By block the memory of the weights of its columns.
    kept_weights: Mutex<Vec<Vec<f32>>>,
}

/// The features of a block that documents have: by document, and the other way round.
#[derive(Default)]
struct Presences {
    /// The columns of each document, one document after the other, and where each ends.
    columns: Vec<u32>,
    ends: Vec<usize>,
    /// The documents of each column, and where each ends.
    documents: Vec<u32>,
    column_ends: Vec<usize>,
    /// By column the feature.
    ids: Vec<u32>,
}

/// Weights.
#[derive(Clone, Default)]
struct Vector {
    /// By document and scored class: how often the document's features are in the weights.
    shares: Vec<f64>,
    /// By document and scored class: what the weights add to its score.
    scores: Vec<f64>,
}

impl Vector {
    fn dot(&self, other: &Vector) -> f64 {
        product(&self.shares, &other.scores)
    }

    fn add(&mut self, times: f64, other: &Vector, threads: usize) {
        self.each_with(other, threads, |to, from| *to += times * from);
    }

    fn scale(&mut self, times: f64) {
        let all = self.shares.iter_mut().chain(&mut self.scores);
        all.for_each(|number| *number *= times);
    }

    /// Changes each number by the same one of `other`; two threads halve the time that waits for memory.
    fn each_with(&mut self, other: &Vector, threads: usize, change: impl Fn(&mut f64, f64) + Sync) {
        let halves = [Mutex::new((&mut self.shares, &other.shares)), Mutex::new((&mut self.scores, &other.scores))];
        let work = |half: &Mutex<(&mut Vec<f64>, &Vec<f64>)>| {
            let (to, from) = &mut *half.lock().expect("each half has one thread");
            to.iter_mut().zip(from.iter()).for_each(|(to, &from)| change(to, from));
        };
        if threads > 1 && other.shares.len() >= LARGE {
            each_on_a_thread(&halves, work);
        } else {
            halves.iter().for_each(work);
        }
    }
}

/// A step that was taken, and how it has changed the gradient.
struct Taken {
    step: Vector,
    change: Vector,
    /// `step · change`, and the square of `change`: asked for again and again.
    product: f64,
    square: f64,
}

/// The products that the penalty along a line is made of.
struct Squares {
    at: f64,
    across: f64,
    step: f64,
}

/// Loss, slope and curvature at a place of a line.
#[derive(Clone, Copy, Default)]
struct Local {
    value: f64,
    slope: f64,
    curvature: f64,
}

impl Ridge {
    /// Of documents that were counted, each with a weight, and by document and scored class an offset.
    pub fn new(counts: &Counts, documents: &Documents, weights: Vec<f64>, offsets: Vec<f64>) -> Self {
        let n_classes = counts.n_classes();
        let n_scored = if n_classes == 2 { 1 } else { n_classes };
        assert_eq!(weights.len(), documents.len(), "the caller has compared them");
        assert_eq!(offsets.len(), documents.len() * n_scored, "the caller has compared them");
        let least = least_documents(counts, MOST_WEIGHTS / n_scored);
        let (mut blocks, mut columns) = (vec![], vec![]);
        for block in 0..counts.blocks.len() {
            let (presences, of) = Presences::new(counts, documents, block, least);
            blocks.push(presences);
            columns.push(of);
        }
        let length = |at: usize| blocks.iter().map(|block: &Presences| range(&block.ends, at).len() as u32).sum();
        let lengths: Vec<u32> = (0..documents.len()).map(length).collect();
        let scale = Scale::fitted(&lengths);
        let scales = lengths.iter().map(|&m| scale.of(m as usize)).collect();
        let zeros = vec![0.0; documents.len() * n_scored];
        let at = Vector { shares: zeros.clone(), scores: zeros };
        let kept_weights = Mutex::new(vec![vec![]; blocks.len()]);
        let class_ids = documents.classes.clone();
        Ridge { blocks, columns, class_ids, weights, offsets, n_classes, scale, scales, at, kept_weights }
    }

    /// With two classes only the second has a score of its own; the first has 0.
    pub fn n_scored(&self) -> usize {
        if self.n_classes == 2 { 1 } else { self.n_classes }
    }

    /// Goes on from where it is by so many steps of L-BFGS. Returns loss and penalty.
    pub fn fit(&mut self, penalty: f64, steps: usize, threads: usize) -> f64 {
        let mut history: VecDeque<Taken> = VecDeque::new();
        let mut gradient = self.gradient(penalty, threads);
        let mut value = f64::INFINITY;
        for _ in 0..steps {
            let mut step = direction(&gradient, &history, threads);
            let (length, before, after) = self.search(&step, penalty, threads);
            value = after;
            if length == 0.0 {
                break;
            }
            self.at.add(length, &step, threads);
            if before - after <= ENOUGH * before {
                break;
            }
            let next = self.gradient(penalty, threads);
            // The old gradient is no longer needed: its memory holds the change.
            let mut change = gradient;
            change.each_with(&next, threads, |before, after| *before = after - *before);
            step.scale(length);
            let product = step.dot(&change);
            if product > 0.0 {
                let square = change.dot(&change);
                history.push_back(Taken { step, change, product, square });
            }
            if history.len() > HISTORY {
                history.pop_front();
            }
            gradient = next;
        }
        value
    }

    fn gradient(&self, penalty: f64, threads: usize) -> Vector {
        let n = self.n_scored();
        let excesses = self.in_parts(threads, |part| {
            let mut excesses = vec![0.0; part.len() * n];
            let mut chances = vec![0.0; self.n_classes];
            for (at, excesses) in part.zip(excesses.chunks_mut(n)) {
                self.write_scores(at, &mut chances);
                softmax(&mut chances);
                chances[self.class_ids[at] as usize] -= 1.0;
                let scored = &chances[self.n_classes - n..];
                excesses.iter_mut().zip(scored).for_each(|(excess, chance)| *excess = self.weights[at] * chance);
            }
            excesses
        });
        let shares = excesses.concat();
        let mut gradient = Vector { scores: self.scores_by(&shares, threads), shares };
        gradient.add(penalty, &self.at, threads);
        gradient
    }

    /// How far to go in a direction, and the loss before and after: to where the slope is small, by Newton's method.
    fn search(&self, step: &Vector, penalty: f64, threads: usize) -> (f64, f64, f64) {
        let squares = Squares { at: self.at.dot(&self.at), across: self.at.dot(step), step: step.dot(step) };
        let start = self.along(step, 0.0, penalty, &squares, threads);
        if start.slope >= 0.0 || start.curvature <= 0.0 {
            return (0.0, start.value, start.value);
        }
        // Convex: the best place is between one where it goes down and one where it goes up.
        let (mut low, mut high) = ((0.0, start.value), f64::INFINITY);
        let mut length = -start.slope / start.curvature;
        for _ in 0..20 {
            let here = self.along(step, length, penalty, &squares, threads);
            if here.slope.abs() <= 0.1 * -start.slope && here.value < start.value {
                return (length, start.value, here.value);
            }
            if here.slope < 0.0 {
                low = (length, here.value);
            } else {
                high = length;
            }
            let next = length - here.slope / here.curvature;
            length = if next > low.0 && next < high {
                next
            } else if high.is_finite() {
                (low.0 + high) / 2.0
            } else {
                2.0 * length
            };
        }
        (low.0, start.value, low.1)
    }

    /// Loss and penalty so far along a direction.
    fn along(&self, step: &Vector, length: f64, penalty: f64, squares: &Squares, threads: usize) -> Local {
        let n = self.n_scored();
        let parts = self.in_parts(threads, |part| {
            let (mut chances, mut slopes) = (vec![0.0; self.n_classes], vec![0.0; self.n_classes]);
            let mut sum = Local::default();
            for at in part {
                self.write_scores(at, &mut chances);
                slopes[self.n_classes - n..].copy_from_slice(&step.scores[at * n..(at + 1) * n]);
                chances.iter_mut().zip(&slopes).for_each(|(score, slope)| *score += length * slope);
                let class_id = self.class_ids[at] as usize;
                let own_score = chances[class_id];
                let whole = softmax(&mut chances);
                let mean = product(&chances, &slopes);
                let square: f64 = chances.iter().zip(&slopes).map(|(chance, slope)| chance * slope * slope).sum();
                sum.value += self.weights[at] * (whole - own_score);
                sum.slope += self.weights[at] * (mean - slopes[class_id]);
                sum.curvature += self.weights[at] * (square - mean * mean).max(0.0);
            }
            sum
        });
        let Squares { at: before, across, step: square } = *squares;
        let ridge = Local {
            value: penalty / 2.0 * (before + length * (2.0 * across + length * square)),
            slope: penalty * (across + length * square),
            curvature: penalty * square,
        };
        parts.into_iter().fold(ridge, |sum, part| Local {
            value: sum.value + part.value,
            slope: sum.slope + part.slope,
            curvature: sum.curvature + part.curvature,
        })
    }

    /// The score of each class for a document.
    fn write_scores(&self, at: usize, scores: &mut [f64]) {
        let n = self.n_scored();
        let first = self.n_classes - n;
        scores[..first].fill(0.0);
        for (place, score) in scores[first..].iter_mut().enumerate() {
            *score = self.offsets[at * n + place] + self.at.scores[at * n + place];
        }
    }

    /// What weights that are so many times the features of each document add to the documents' scores.
    fn scores_by(&self, shares: &[f64], threads: usize) -> Vec<f64> {
        let n = self.n_scored();
        let mut scores = vec![0.0; shares.len()];
        let scaled = self.scaled(shares);
        // Each gradient needs them, and memory that is new each time is cleared before it is written to.
        let mut kept = self.kept_weights.lock().unwrap_or_else(PoisonError::into_inner);
        for (block, weights) in self.blocks.iter().zip(kept.iter_mut()) {
            if weights.len() != block.ids.len() * n {
                *weights = scattered_filled(0.0, block.ids.len() * n);
            }
            block.write_weights(&scaled, n, threads, weights);
            let sums = self.in_parts(threads, |part| {
                let mut sums = vec![0.0; part.len() * n];
                vectorised(
                    #[inline(always)]
                    || {
                        for (at, sums) in part.zip(sums.chunks_mut(n)) {
                            sum_rows(weights, n, &block.columns[range(&block.ends, at)], sums);
                            sums.iter_mut().for_each(|sum| *sum *= self.scales[at]);
                        }
                    },
                );
                sums
            });
            let mut left = &mut scores[..];
            for sums in &sums {
                let here;
                (here, left) = left.split_at_mut(sums.len());
                here.iter_mut().zip(sums).for_each(|(score, sum)| *score += sum);
            }
        }
        scores
    }

    /// Shares of documents, each times the document's scale.
    fn scaled(&self, shares: &[f64]) -> Vec<f64> {
        let n = self.n_scored();
        let mut scaled = shares.to_vec();
        for (row, scale) in scaled.chunks_mut(n).zip(&self.scales) {
            row.iter_mut().for_each(|share| *share *= scale);
        }
        scaled
    }

    /// By block the weights of its columns.
    fn weights(&self, threads: usize) -> Vec<Vec<f32>> {
        let scaled = self.scaled(&self.at.shares);
        self.blocks.iter().map(|block| block.weights(&scaled, self.n_scored(), threads)).collect()
    }

    /// What is added to the score of each document for each scored class; they are documents that were not fitted to.
    pub fn scores(&self, documents: &Documents, threads: usize) -> Vec<f64> {
        let n = self.n_scored();
        let weights = self.weights(threads);
        let parts = each_on_a_thread(&equal_parts(documents.len(), threads), |part| {
            let (mut scores, mut sums, mut columns) = (vec![], vec![0.0; n], vec![]);
            for at in part.clone() {
                let (start, mut m) = (scores.len(), 0);
                scores.resize(start + n, 0.0);
                for (block, features) in documents.blocks.iter().enumerate() {
                    let ids = &features.ids[features.range(at)];
                    columns.clear();
                    let known = ids.iter().map(|&id| self.columns[block].get(id as usize).copied().unwrap_or(UNKNOWN));
                    columns.extend(known.filter(|&column| column != UNKNOWN));
                    m += columns.len();
                    sum_rows(&weights[block], n, &columns, &mut sums);
                    scores[start..].iter_mut().zip(&sums).for_each(|(score, sum)| *score += sum);
                }
                let scale = self.scale.of(m);
                scores[start..].iter_mut().for_each(|score| *score *= scale);
            }
            scores
        });
        parts.concat()
    }

    /// The weights, to be kept.
    pub fn correction(&self, counts: &Counts, threads: usize) -> Correction {
        let n = self.n_scored();
        let names = hashes(counts);
        let weights = self.weights(threads);
        let mut places: Vec<(u64, usize, usize)> = vec![];
        for (block, presences) in self.blocks.iter().enumerate() {
            places.extend(presences.ids.iter().enumerate().map(|(at, &id)| (names[block][id as usize], block, at)));
        }
        places.sort_unstable();
        // Two features with one hash are one in many million corpora; the second goes without.
        places.dedup_by_key(|(hash, ..)| *hash);
        let hashes: Vec<u64> = places.iter().map(|(hash, ..)| *hash).collect();
        let rows = places.iter().flat_map(|&(_, block, at)| weights[block][at * n..(at + 1) * n].iter().copied());
        Correction::new(hashes.into(), rows.collect::<Vec<f32>>().into(), n, self.scale)
            .expect("made in order, of finite sums")
    }

    /// Hands parts of the documents to `work`, always the same ones; the results are in their order.
    fn in_parts<R: Send>(&self, threads: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        let threads = if self.at.shares.len() < 1 << 12 { 1 } else { threads };
        summed_in_parts(self.class_ids.len(), threads, work)
    }
}

/// From the gradient the way down, by what earlier steps have told of the curvature.
///
/// The products on the way need only the scores, so these are worked out first, each with the product that follows in one
/// pass. The shares come after that, some hundred at a time: each vector of the history is read once. With 20 classes this
/// takes a third of the time that one pass for each sum and product takes, and gives the same numbers.
fn direction(gradient: &Vector, history: &VecDeque<Taken>, threads: usize) -> Vector {
    let mut scores: Vec<f64> = gradient.scores.iter().map(|number| -number).collect();
    // What is added to the shares, in this order; in between they are scaled.
    let (mut first, mut second, mut scale) = (vec![], vec![], 1.0);
    if let Some(last) = history.back() {
        let mut product = product(&last.step.shares, &scores);
        for (at, taken) in history.iter().enumerate().rev() {
            let times = product / taken.product;
            let next: &[f64] = if at > 0 { &history[at - 1].step.shares } else { &[] };
            product = add_and_multiply(&mut scores, -times, &taken.change.scores, next);
            first.push((times, &taken.change.shares));
        }
        scale = last.product / last.square;
        product = scale_and_multiply(&mut scores, scale, &history[0].change.shares);
        for (at, taken) in history.iter().enumerate() {
            let times = first[history.len() - 1 - at].0 - product / taken.product;
            let next: &[f64] = history.get(at + 1).map_or(&[], |next| &next.change.shares);
            product = add_and_multiply(&mut scores, times, &taken.step.scores, next);
            second.push((times, &taken.step.shares));
        }
    }
    let write = |range: Range<usize>, shares: &mut [f64]| {
        shares.iter_mut().zip(&gradient.shares[range.clone()]).for_each(|(share, slope)| *share = -slope);
        let mut add = |times: f64, from: &[f64]| {
            shares.iter_mut().zip(&from[range.clone()]).for_each(|(share, from)| *share += times * from);
        };
        first.iter().for_each(|(times, from)| add(-times, from));
        shares.iter_mut().for_each(|share| *share *= scale);
        let mut add = |times: f64, from: &[f64]| {
            shares.iter_mut().zip(&from[range.clone()]).for_each(|(share, from)| *share += times * from);
        };
        second.iter().for_each(|(times, from)| add(*times, from));
    };
    let mut shares = vec![0.0; scores.len()];
    let threads = if shares.len() < LARGE { 1 } else { threads };
    let share = shares.len().div_ceil(threads.max(1)).max(1);
    let parts: Vec<_> = shares.chunks_mut(share).enumerate().map(|(at, part)| Mutex::new((at * share, part))).collect();
    each_on_a_thread(&parts, |part| {
        let (start, part) = &mut *part.lock().expect("each part has one thread");
        for (at, piece) in part.chunks_mut(AT_A_TIME).enumerate() {
            let from = *start + at * AT_A_TIME;
            write(from..from + piece.len(), piece);
        }
    });
    drop(parts);
    Vector { shares, scores }
}

/// Adds `times` a vector to another, and multiplies the sum with a third: as a pass for each would. 0 without a third.
fn add_and_multiply(to: &mut [f64], times: f64, from: &[f64], with: &[f64]) -> f64 {
    if with.is_empty() {
        to.iter_mut().zip(from).for_each(|(to, from)| *to += times * from);
        return 0.0;
    }
    let mut lanes = [0.0; LANES];
    let mut add = |to: &mut [f64], from: &[f64], with: &[f64]| {
        for (((to, from), with), lane) in to.iter_mut().zip(from).zip(with).zip(&mut lanes) {
            *to += times * from;
            *lane += with * *to;
        }
    };
    let (fours, rest) = to.as_chunks_mut::<LANES>();
    let ((from, from_rest), (with, with_rest)) = (from.as_chunks::<LANES>(), with.as_chunks::<LANES>());
    fours.iter_mut().zip(from).zip(with).for_each(|((to, from), with)| add(to, from, with));
    add(rest, from_rest, with_rest);
    sum_of(lanes)
}

/// The same of a vector that is scaled.
fn scale_and_multiply(to: &mut [f64], times: f64, with: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (to, with) in to.chunks_mut(LANES).zip(with.chunks(LANES)) {
        for ((to, with), lane) in to.iter_mut().zip(with).zip(&mut lanes) {
            *to *= times;
            *lane += with * *to;
        }
    }
    sum_of(lanes)
}

impl Presences {
    /// The features of a block that at least `least` documents and more than one group have, and by id their columns.
    fn new(counts: &Counts, documents: &Documents, block: usize, least: u64) -> (Self, Vec<u32>) {
        let features = &documents.blocks[block];
        let n_documents = n_documents(counts, block);
        let mut seen = vec![0usize; n_documents.len()];
        let (mut n_groups, mut last) = (vec![0u8; seen.len()], vec![UNKNOWN; seen.len()]);
        for at in 0..documents.len() {
            for &id in &features.ids[features.range(at)] {
                let id = id as usize;
                seen[id] += 1;
                if last[id] != documents.groups[at] {
                    (last[id], n_groups[id]) = (documents.groups[at], n_groups[id].saturating_add(1));
                }
            }
        }
        let mut ids: Vec<u32> =
            (0..seen.len()).filter(|&id| n_groups[id] > 1 && n_documents[id] >= least).map(|id| id as u32).collect();
        // What is often asked for lies together.
        ids.sort_by_key(|&id| std::cmp::Reverse(seen[id as usize]));
        let mut columns = vec![UNKNOWN; seen.len()];
        ids.iter().enumerate().for_each(|(column, &id)| columns[id as usize] = column as u32);

        let mut presences = Presences::default();
        for at in 0..documents.len() {
            let ids = &features.ids[features.range(at)];
            presences.columns.extend(ids.iter().map(|&id| columns[id as usize]).filter(|&column| column != UNKNOWN));
            presences.ends.push(presences.columns.len());
        }
        let mut next: Vec<usize> = vec![0];
        next.extend(ids.iter().map(|&id| seen[id as usize]));
        (1..next.len()).for_each(|column| next[column] += next[column - 1]);
        presences.column_ends = next[1..].to_vec();
        presences.documents = vec![0; presences.columns.len()];
        for at in 0..documents.len() {
            for &column in &presences.columns[range(&presences.ends, at)] {
                let place = &mut next[column as usize];
                presences.documents[*place] = at as u32;
                *place += 1;
            }
        }
        presences.ids = ids;
        (presences, columns)
    }

    /// By column and scored class, the sum over its documents of their shares, which are scaled.
    fn weights(&self, scaled: &[f64], n: usize, threads: usize) -> Vec<f32> {
        let mut weights: Vec<f32> = scattered_filled(0.0, self.ids.len() * n);
        self.write_weights(scaled, n, threads, &mut weights);
        weights
    }

    /// The same, into memory that is there.
    fn write_weights(&self, scaled: &[f64], n: usize, threads: usize, weights: &mut [f32]) {
        let write = |columns: Range<usize>, weights: &mut [f32]| {
            let mut sums = vec![0.0; n];
            vectorised(
                #[inline(always)]
                || {
                    for (column, weights) in columns.zip(weights.chunks_mut(n)) {
                        sum_rows(scaled, n, &self.documents[range(&self.column_ends, column)], &mut sums);
                        weights.iter_mut().zip(&sums).for_each(|(weight, sum)| *weight = *sum as f32);
                    }
                },
            );
        };
        let threads = if self.documents.len() * n < 1 << 14 { 1 } else { threads };
        // Every thread has about as many documents to add up; whose column is whose changes no sum.
        let mut parts = vec![];
        let (mut rest, mut from) = (weights, 0);
        for part in equal_parts(self.documents.len(), threads) {
            let to = self.column_ends.partition_point(|&end| end <= part.end);
            let (mine, others) = rest.split_at_mut((to - from) * n);
            parts.push(Mutex::new((from..to, mine)));
            (rest, from) = (others, to);
        }
        each_on_a_thread(&parts, |part| {
            let (columns, weights) = &mut *part.lock().expect("each part has one thread");
            write(columns.clone(), weights);
        });
    }
}

/// In how many documents each feature of a block is.
fn n_documents(counts: &Counts, block: usize) -> Vec<u64> {
    let block = &counts.blocks[block];
    let sum = |id: u32| block.rows.get(id).iter().map(|cell| u64::from(cell.documents)).sum();
    (0..block.len() as u32).map(sum).collect()
}

/// The least number of documents, two or more, that no more than `most` features have.
fn least_documents(counts: &Counts, most: usize) -> u64 {
    let mut all: Vec<u64> = (0..counts.blocks.len()).flat_map(|block| n_documents(counts, block)).collect();
    all.retain(|&n| n > 1);
    if all.len() <= most {
        return 2;
    }
    let at = all.len() - most - 1;
    *all.select_nth_unstable(at).1 + 1
}

fn range(ends: &[usize], at: usize) -> Range<usize> {
    let start = if at == 0 { 0 } else { ends[at - 1] };
    start..ends[at]
}

/// The sums, column by column, of the rows of `n` numbers at these places.
#[inline(always)]
fn sum_rows<T: Copy + Into<f64>>(rows: &[T], n: usize, places: &[u32], sums: &mut [f64]) {
    if n == 1 {
        let mut lanes = [0.0; 4];
        let (fours, rest) = places.as_chunks::<4>();
        for four in fours {
            four.iter().zip(&mut lanes).for_each(|(&place, lane)| *lane += rows[place as usize].into());
        }
        rest.iter().zip(&mut lanes).for_each(|(&place, lane)| *lane += rows[place as usize].into());
        sums[0] = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        return;
    }
    // With few classes the sums stay in registers: their number is known when this is compiled.
    macro_rules! with_known_width {
        ($($width:literal)*) => {
            match n {
                $($width => sum_rows_of::<T, $width>(rows, places, sums),)*
                _ => sum_wide_rows(rows, n, places, sums),
            }
        };
    }
    with_known_width!(3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
}

/// [`sum_wide_rows`] of a width that is known.
#[inline(always)]
fn sum_rows_of<T: Copy + Into<f64>, const N: usize>(rows: &[T], places: &[u32], sums: &mut [f64]) {
    let mut all = [0.0; N];
    for (at, &place) in places.iter().enumerate() {
        if let Some(&next) = places.get(at + AHEAD) {
            prefetch(rows, next as usize * N);
            prefetch(rows, next as usize * N + N - 1);
        }
        let row = &rows[place as usize * N..][..N];
        all.iter_mut().zip(row).for_each(|(sum, &number)| *sum += number.into());
    }
    sums.copy_from_slice(&all);
}

/// The same of any width.
fn sum_wide_rows<T: Copy + Into<f64>>(rows: &[T], n: usize, places: &[u32], sums: &mut [f64]) {
    sums.fill(0.0);
    for (at, &place) in places.iter().enumerate() {
        if let Some(&next) = places.get(at + AHEAD) {
            prefetch(rows, next as usize * n);
            prefetch(rows, next as usize * n + n - 1);
        }
        let row = &rows[place as usize * n..][..n];
        sums.iter_mut().zip(row).for_each(|(sum, &number)| *sum += number.into());
    }
}

/// Scores to probabilities; returns the logarithm of what they are divided by.
fn softmax(scores: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in &mut *scores {
        *score = (*score - largest).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
    largest + sum.ln()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let ((fours, rest), (others, other_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in fours.iter().zip(others) {
        a.iter().zip(b).zip(&mut lanes).for_each(|((a, b), lane)| *lane += a * b);
    }
    rest.iter().zip(other_rest).zip(&mut lanes).for_each(|((a, b), lane)| *lane += a * b);
    sum_of(lanes)
}

fn sum_of(lanes: [f64; LANES]) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

#[cfg(test)]
mod tests;
