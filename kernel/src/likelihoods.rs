//! From counts to log-probabilities: multinomial, Bernoulli and complement.
//!
//! A weight is a number, or impossible: without smoothing, a word that a class has never seen gives that class probability
//! zero, and a document with such a word stays impossible whatever else it holds. Both are kept apart,
//! so that no infinity is ever added to another.

use std::ops::AddAssign;

use crate::counts::Counts;
use crate::rows::{Cell, Histogram};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likelihood {
    /// Occurrences count.
    Multinomial,
    /// Presence counts, and so does absence.
    Bernoulli,
    /// Multinomial over everything outside the class, with its sign turned.
    Complement,
}

/// How counts become probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    pub likelihood: Likelihood,
    /// Added to how often a feature was seen.
    pub smoothing: f64,
    /// Added to how often a feature was missed; Bernoulli only.
    pub absent_smoothing: f64,
    /// Whether the denominator counts each class's own features instead of all.
    pub class_vocabulary: bool,
}

impl Form {
    /// Whether every weight is a number.
    pub fn is_smooth(&self) -> bool {
        let absent = self.likelihood != Likelihood::Bernoulli || self.absent_smoothing > 0.0;
        // A class that has seen no feature has an empty vocabulary of its own.
        self.smoothing > 0.0 && absent && !self.class_vocabulary
    }
}

/// A log-probability, or a sum of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    pub log: f64,
    /// How many of the parts are impossible.
    pub impossible: i64,
}

impl Weight {
    pub fn ln(probability_top: f64, log_bottom: f64) -> Self {
        // A share of nothing is nothing, too.
        if probability_top > 0.0 && log_bottom > f64::NEG_INFINITY {
            Weight { log: probability_top.ln() - log_bottom, impossible: 0 }
        } else {
            Weight { log: 0.0, impossible: 1 }
        }
    }

    pub fn minus(self, other: Weight) -> Self {
        Weight { log: self.log - other.log, impossible: self.impossible - other.impossible }
    }

    /// So many of it.
    pub fn times(self, n: u32) -> Self {
        Weight { log: self.log * f64::from(n), impossible: self.impossible * i64::from(n) }
    }

    /// So much of it.
    pub fn times_float(self, share: f64) -> Self {
        Weight { log: self.log * share, impossible: self.impossible }
    }

    pub fn value(self) -> f64 {
        if self.impossible > 0 { f64::NEG_INFINITY } else { self.log }
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Weight) {
        self.log += other.log;
        self.impossible += other.impossible;
    }
}

/// What the denominators are made of, by class.
#[derive(Clone, Debug)]
pub struct Totals {
    pub documents: Vec<u64>,
    pub occurrences: Vec<u64>,
    /// How many features the class's denominator counts: all, or its own.
    pub features: Vec<u64>,
}

impl Totals {
    pub fn of(counts: &Counts, form: Form) -> Self {
        let n_classes = counts.n_classes();
        let occurrences = |c: usize| counts.blocks.iter().map(|block| block.rows.sums[c].occurrences).sum();
        Totals {
            documents: counts.documents.clone(),
            occurrences: (0..n_classes).map(occurrences).collect(),
            features: if form.class_vocabulary { own_features(counts) } else { vec![all_features(counts); n_classes] },
        }
    }
}

/// What the weights of a model have in common.
#[derive(Clone, Debug)]
pub struct Model {
    pub form: Form,
    /// The logarithm of each class's denominator.
    log_bottoms: Vec<f64>,
    /// Documents of each class.
    documents: Vec<u64>,
    /// What each class gets before any feature is looked at: for Bernoulli, that all are absent.
    pub start: Vec<Weight>,
}

impl Model {
    pub fn new(counts: &Counts, form: Form) -> Self {
        let mut model = Model::with(Totals::of(counts, form), form);
        if form.likelihood == Likelihood::Bernoulli {
            model.start = model.all_absent(counts);
        }
        model
    }

    /// The model of counts with these totals; for Bernoulli it starts from nothing, not from all features absent.
    pub fn with(totals: Totals, form: Form) -> Self {
        let n_classes = totals.documents.len();
        let all: u64 = totals.occurrences.iter().sum();
        let features = |c: usize| form.smoothing * totals.features[c] as f64;
        let bottom = |c: usize| match form.likelihood {
            Likelihood::Multinomial => totals.occurrences[c] as f64 + features(c),
            Likelihood::Complement => (all - totals.occurrences[c]) as f64 + features(c),
            Likelihood::Bernoulli => totals.documents[c] as f64 + form.smoothing + form.absent_smoothing,
        };
        let log_bottoms = (0..n_classes).map(|c| bottom(c).ln()).collect();
        Model { form, log_bottoms, documents: totals.documents, start: vec![Weight::default(); n_classes] }
    }

    /// log P(feature | class), for a feature that has `total` occurrences in all classes; for complement, the
    /// negative logarithm of its probability outside the class.
    pub fn log_probability(&self, cell: Cell, total: u64) -> Weight {
        let log_bottom = self.log_bottoms[cell.class as usize];
        match self.form.likelihood {
            Likelihood::Multinomial => Weight::ln(f64::from(cell.occurrences) + self.form.smoothing, log_bottom),
            Likelihood::Bernoulli => Weight::ln(f64::from(cell.documents) + self.form.smoothing, log_bottom),
            Likelihood::Complement => {
                let outside = total - u64::from(cell.occurrences);
                Weight::default().minus(Weight::ln(outside as f64 + self.form.smoothing, log_bottom))
            }
        }
    }

    /// log P(not feature | class).
    pub fn log_absent(&self, cell: Cell) -> Weight {
        let missed = self.documents[cell.class as usize].saturating_sub(u64::from(cell.documents));
        Weight::ln(missed as f64 + self.form.absent_smoothing, self.log_bottoms[cell.class as usize])
    }

    /// What a feature of a document adds to the class's score.
    pub fn weight(&self, cell: Cell, total: u64) -> Weight {
        let present = self.log_probability(cell, total);
        if self.form.likelihood == Likelihood::Bernoulli { present.minus(self.log_absent(cell)) } else { present }
    }

    /// For each class, the sum over all features that they are absent.
    ///
    /// Features are grouped by how often they were seen, so that the sum is the same, to the bit, in whatever order the
    /// features were learned.
    pub fn all_absent(&self, counts: &Counts) -> Vec<Weight> {
        let features = all_features(counts);
        let mut all = vec![Histogram::new(); counts.n_classes()];
        for block in &counts.blocks {
            for (sum, more) in all.iter_mut().zip(block.rows.histograms().iter()) {
                more.iter().for_each(|(&documents, &n)| *sum.entry(documents).or_default() += n);
            }
        }
        let sum = |(class, seen): (usize, Histogram)| {
            let class = class as u32;
            let mut sum = Weight::default();
            let mut add = |documents: u32, n: u64| {
                let one = self.log_absent(Cell { class, documents, occurrences: 0 });
                sum += Weight { log: one.log * n as f64, impossible: one.impossible * n as i64 };
            };
            add(0, features - seen.values().sum::<u64>());
            seen.into_iter().for_each(|(documents, n)| add(documents, n));
            sum
        };
        all.into_iter().enumerate().map(sum).collect()
    }
}

/// How many features have been seen at all.
fn all_features(counts: &Counts) -> u64 {
    counts.blocks.iter().map(|block| block.rows.live).sum()
}

/// How many features each class has seen.
pub fn own_features(counts: &Counts) -> Vec<u64> {
    let own = |class: usize| counts.blocks.iter().map(|block| block.rows.sums[class].features).sum();
    (0..counts.n_classes()).map(own).collect()
}
