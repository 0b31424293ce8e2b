//! Weights rounded to whole numbers: the best class of most documents is found by them alone.
//!
//! A row of whole numbers for each row and list of exact weights takes a quarter of the memory or less, all rows are read alike, and their
//! sums are exact. So the lead of a class is off by at most one unit for each feature and channel: where it is larger the class is
//! the best one, and the few documents where it is not are left to the exact weights.

use super::length::CHANNELS;
use super::model::WITH_ODDS;
use super::weights::Place;
use crate::processor::{LANES, SMALL_LANES, add_scaled_columns, add_small_rows, scattered_zeros, vectorised};
use crate::scoring::Known;

/// With more classes the rows would be long, and most features would be known by few of them.
const MOST_CLASSES: usize = 64;
/// Numbers in all: more would not stay in any cache.
const MOST_NUMBERS: usize = 32 << 20;
/// A sum of as many of the largest numbers is one too many for 32 bits.
const TOO_LONG: usize = 1 << 16;
/// What a number is rounded to, and something for the rounding of sums of 64-bit numbers, in units.
const ERROR: f64 = 1.001;

/// The rounded weights of the features of a block.
pub(super) struct RoundedRows {
    /// By row, channel and class; then the odds. Each row is filled up.
    numbers: Vec<i16>,
    width: usize,
    n_classes: usize,
    /// How many of the rows are those of features with a row of exact weights; those of lists follow.
    n_rows: u32,
    /// Nats by channel.
    units: [f64; WITH_ODDS],
}

/// What adding up needs of memory.
#[derive(Default)]
pub(super) struct RoundedSums {
    rows: Vec<u32>,
    sums: Vec<i32>,
    odds: Vec<f64>,
}

impl RoundedRows {
    /// Whether so many rows of so many classes are worth it.
    pub(super) fn fits(n_classes: usize, n_rows: usize) -> bool {
        n_classes <= MOST_CLASSES && n_rows * n_classes * WITH_ODDS <= MOST_NUMBERS
    }

    /// Rounds rows: so many of features with a row of exact weights, and of lists. `each` visits them with their weights by channel and
    /// class, odds last.
    pub(super) fn new(
        n_classes: usize,
        has_odds: bool,
        [n_rows, n_lists]: [u32; 2],
        each: impl Fn(&mut dyn FnMut(&[f64])),
    ) -> Self {
        let n_columns = CHANNELS * n_classes;
        let with_odds = if has_odds { n_columns + n_classes.next_multiple_of(LANES) } else { n_columns };
        let width = with_odds.next_multiple_of(SMALL_LANES);
        let mut largest = vec![0f64; WITH_ODDS * n_classes];
        each(&mut |row| {
            largest.iter_mut().zip(row).for_each(|(largest, weight)| *largest = largest.max(weight.abs()));
        });
        let mut units = [0.0; WITH_ODDS];
        for (unit, largest) in units.iter_mut().zip(largest.chunks(n_classes)) {
            *unit = largest.iter().fold(1e-9, |most: f64, weight| most.max(*weight)) / f64::from(i16::MAX - 1);
        }
        let times: Vec<f64> = units.iter().flat_map(|unit| std::iter::repeat_n(1.0 / unit, n_classes)).collect();
        let mut numbers = scattered_zeros((n_rows + n_lists) as usize * width);
        let (mut rows, n) = (numbers.chunks_exact_mut(width), if has_odds { times.len() } else { n_columns });
        each(&mut |row| {
            let numbers = rows.next().expect("there are as many rows as the caller has said");
            let weights = row[..n].iter().zip(&times);
            // In the last bits of so large a number is the nearest whole number: several are rounded at once.
            const LARGE: f64 = (3u64 << 51) as f64;
            vectorised(
                #[inline(always)]
                || {
                    for (number, (weight, times)) in numbers.iter_mut().zip(weights) {
                        *number = (weight * times + LARGE).to_bits() as i16;
                    }
                },
            );
        });
        RoundedRows { numbers, width, n_classes, n_rows, units }
    }

    /// Adds what features of a block say to each class, as exact weights would, but for an error: by how much the lead of any class
    /// over another can be off. None where there are too many features.
    pub(super) fn add(
        &self,
        features: &[Known],
        shares: &[f64],
        scales: [f64; CHANNELS],
        scratch: &mut RoundedSums,
        logs: &mut [f64],
    ) -> Option<f64> {
        let (n, RoundedSums { rows, sums, odds }) = (self.n_classes, scratch);
        if features.len() >= TOO_LONG {
            return None;
        }
        rows.clear();
        rows.extend(features.iter().map(|known| Place::read(known.weight).number(self.n_rows)));
        sums.clear();
        sums.resize((CHANNELS * n).next_multiple_of(SMALL_LANES), 0);
        add_small_rows(&self.numbers, self.width, rows, sums);
        let [first, second] = [0, 1].map(|channel: usize| scales[channel] * self.units[channel]);
        for (class, log) in logs.iter_mut().enumerate() {
            *log += f64::from(sums[class]) * first + f64::from(sums[n + class]) * second;
        }
        let mut error = features.len() as f64 * (first + second);
        if !shares.is_empty() {
            let unit = self.units[CHANNELS];
            odds.clear();
            odds.resize(n.next_multiple_of(LANES), 0.0);
            add_scaled_columns(&self.numbers[CHANNELS * n..], self.width, rows, shares, odds);
            logs.iter_mut().zip(odds).for_each(|(log, odds)| *log += *odds * unit);
            error += shares.iter().map(|share| share.abs()).sum::<f64>() * unit;
        }
        Some(ERROR * error)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::TrustScratch;
    use super::super::weights::Weights;
    use super::super::{Curves, Model, Shape};
    use super::*;
    use crate::counting::{Batch, count};
    use crate::counts::Counts;
    use crate::documents::{Documents, Given};
    use crate::scoring::{Reading, Scorer, Start};
    use crate::seen::Seen;
    use crate::text::{Analyzer, Settings};

    fn random_texts(n: usize) -> Vec<String> {
        let mut random = 1u64;
        let mut word = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // Some words are in most texts, and most are in few.
            let [draw, range] = [random >> 33, random >> 53 & 3];
            format!("w{}", draw % [7, 40, 200, 1500][range as usize])
        };
        (0..n).map(|i| (0..i % 40).map(|_| word()).collect::<Vec<_>>().join(" ")).collect()
    }

    fn counted(texts: &[&str], classes: &[u32], n_classes: usize) -> (Counts, Analyzer, Curves) {
        let analyzer = Analyzer::new(Settings { ngrams: (1, 2), ..Settings::default() }).expect("sound settings");
        let counts =
            count(&analyzer, Batch { texts, classes, weights: None, n_classes }, 1, &|| false).expect("counted");
        let numbers: Vec<f64> = (0..98).map(|i| f64::from(i * 37 % 23) * 0.11 - 0.4).collect();
        let curves = Curves::new(&Shape::new(&analyzer, &counts), &numbers, &[20.0, 15.0]).expect("they fit");
        (counts, analyzer, curves)
    }

    #[test]
    fn leads_by_rounded_weights_are_off_by_no_more_than_the_error() {
        let owned = random_texts(600);
        let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        for n in [3, 7, 20, MOST_CLASSES] {
            let classes: Vec<u32> = (0..texts.len()).map(|i| (i * i % n) as u32).collect();
            let (counts, analyzer, curves) = counted(&texts, &classes, n);
            let model = Model::new(&counts, &analyzer, &curves, None);
            let kept: Vec<Weights> = model.keep(&counts);
            let given = Given { texts: &texts, classes: &classes, weights: None, groups: None, sets: None };
            let documents = Documents::new(&counts, &analyzer, &given, 200, false, 1);
            let (prior, growth) = (vec![0.25; n], vec![0.5; n]);
            let (mut scratch, mut scores) = (TrustScratch::default(), vec![]);
            scratch.seen.resize_with(2, Seen::default);
            for at in 0..documents.len() {
                let start = Start { prior: &prior, growth: &growth };
                model.write_scores(&kept, &documents.blocks, at, start, &mut scratch, &mut scores);
                let mut logs = vec![0.0; n];
                let error = model.add_rounded(&kept, &mut scratch, &mut logs).expect("there are few rows");
                assert!(error < 0.05);
                for class in 1..n {
                    let [rounded, exact] = [&logs, &scores].map(|all| all[class] - all[0]);
                    assert!((rounded - exact).abs() <= error + 1e-12, "{rounded} {exact} {error}");
                }
            }
        }
    }

    #[test]
    fn the_best_class_is_that_of_the_exact_scores() {
        let owned = random_texts(400);
        let mut texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        texts.extend(["twin words", "twin words", "unheard of"]);
        for n in [3, 8, 20] {
            let mut classes: Vec<u32> = (0..texts.len()).map(|i| (i * i % n) as u32).collect();
            let last = classes.len();
            classes[last - 3..].copy_from_slice(&[0, 1, 2]);
            let (counts, analyzer, curves) = counted(&texts, &classes, n);
            let scorer = Scorer::new(&counts, &analyzer, Model::new(&counts, &analyzer, &curves, None), false);
            for impossible in [0, 1, n] {
                let prior: Vec<f64> = (0..n).map(|c| if c < impossible { f64::NEG_INFINITY } else { 0.0 }).collect();
                let start = Start { prior: &prior, growth: &vec![0.1; n] };
                let first_highest =
                    |row: &[f64]| (0..n).rev().max_by(|&a, &b| row[a].total_cmp(&row[b])).expect("some class") as u32;
                for _ in 0..2 {
                    let scores = scorer.scores(&counts, &analyzer, &texts, start, 1);
                    let expected: Vec<u32> = scores.chunks(n).map(first_highest).collect();
                    assert_eq!(scorer.best(&counts, &analyzer, &texts, start, 2), expected);
                }
            }
        }
    }

    #[test]
    fn too_many_rows_or_classes_are_not_rounded() {
        assert!(RoundedRows::fits(20, 100_000) && !RoundedRows::fits(MOST_CLASSES + 1, 5));
        assert!(!RoundedRows::fits(20, MOST_NUMBERS / 20));
        let each = |visit: &mut dyn FnMut(&[f64])| visit(&[1.0, -2.0, 0.5, 0.0, 4.0, -4.0, 8.0, 0.0, 1.0]);
        let (rounded, mut logs) = (RoundedRows::new(3, true, [1, 0], each), vec![0.0; 3]);
        assert_eq!(rounded.numbers[..6], [16383, -32766, 8192, 0, 32766, -32766]);
        assert_eq!(rounded.numbers[6..9], [32766, 0, 4096]);
        let many = vec![Known::default(); TOO_LONG];
        assert!(rounded.add(&many, &[], [1.0; 2], &mut RoundedSums::default(), &mut logs).is_none());
    }
}
