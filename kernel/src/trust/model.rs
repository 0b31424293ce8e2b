//! What a feature weighs: its counts, read by the curves.
//!
//! A weight has channels: one for each power of the document's number of features, and last the odds of the feature, of which
//! pairs take back a share. [`Model::weigh`] is where the weights of a feature come from, whatever they are wanted for:
//! scores, tables that are ready, explanations. A correction adds to the first channel (p = ½). `weights.rs` says
//! where it is kept.

use std::sync::{Arc, OnceLock};

use super::basis::Corpus;
use super::evidence::{FLAT, Hat, KNOTS, Side, log_documents};
use super::{Shape, documents, each_class};
use crate::correction::{Applied, Correction};
use crate::counts::Counts;
use crate::text::Analyzer;

/// Most powers that a shape has, and one more channel for the odds of words.
pub(super) const CHANNELS: usize = 3;

/// Reads counts by curves: the automatic model.
pub struct Model {
    pub(super) shape: Shape,
    /// By block and power.
    curves: Vec<[Vec<f64>; 2]>,
    /// By block and scored class.
    sides: Vec<Vec<Side>>,
    /// What pairs of so many documents take back, for each power.
    taken_back: Vec<[f64; 2]>,
    pub(super) correction: Option<Applied>,
    /// With two classes the odds of each word, once all features are weighed.
    word_odds: OnceLock<Vec<f64>>,
}

impl Model {
    /// `curves` has the numbers that [`Shape`] describes, a correction the weights of as many classes.
    pub fn new(counts: &Counts, analyzer: &Analyzer, curves: &[f64], correction: Option<Arc<Correction>>) -> Self {
        let corpus = Corpus::new(counts, analyzer);
        let shape = corpus.shape().clone();
        assert_eq!(curves.len(), shape.len(), "the caller has compared them");
        let fits = correction.as_ref().is_none_or(|correction| correction.n_scored() == shape.n_scored());
        assert!(fits, "the caller has compared them");
        let correction = correction.map(Applied::new);
        let mut sides = vec![vec![]; counts.blocks.len()];
        sides.iter_mut().enumerate().for_each(|(block, sides)| corpus.sides(block, usize::MAX, 0, sides));
        let curves = by_block(&shape, curves);
        let mut model = Model { shape, curves, sides, taken_back: vec![], correction, word_odds: OnceLock::new() };
        model.taken_back = (0..=FLAT).map(|df| model.taken_back_by(df)).collect();
        model
    }

    fn taken_back_by(&self, df: usize) -> [f64; 2] {
        let Some(pairs) = self.shape.pairs() else { return [0.0; 2] };
        let mut values = [0.0; 2];
        let hat = Hat::of_documents(df as u32);
        for (power, value) in values.iter_mut().enumerate().take(self.shape.powers().len()) {
            let curves = &self.curves[pairs][power];
            *value = hat.read(&curves[curves.len() - KNOTS..]);
        }
        values
    }

    /// What a pair of `df` documents takes back from the odds of its words, for each power.
    pub(super) fn taken_back(&self, df: u32) -> [f64; 2] {
        self.taken_back[(df as usize).min(FLAT)]
    }

    /// Visits each scored class with the channels of a feature that has been seen. What a pair takes back is not in them.
    #[inline(always)]
    pub(super) fn weigh(&self, counts: &Counts, block: usize, id: u32, mut visit: impl FnMut(usize, [f64; CHANNELS])) {
        let row = counts.blocks[block].rows.get(id);
        let df = documents(row);
        let hat = Hat::of_documents(df);
        each_class(&self.shape, row, |place, inside| visit(place, self.channels(block, place, inside, df, hat)));
    }

    /// The channels of any feature that was seen in `inside` of `df` documents, in one class.
    #[inline(always)]
    pub(super) fn channels(&self, block: usize, place: usize, inside: u32, df: u32, hat: Hat) -> [f64; CHANNELS] {
        let side = &self.sides[block][place];
        let evidence = side.of(inside, df);
        let z = Hat::of_ratio(evidence.z);
        let mut channels = [0.0; CHANNELS];
        for (power, channel) in channels.iter_mut().enumerate().take(self.shape.powers().len()) {
            let curves = &self.curves[block][power];
            *channel = if self.shape.is_two() {
                evidence.odds * (z.read(curves) + hat.read(&curves[KNOTS..]))
            } else {
                let overall = log_documents(df) - side.log_all;
                evidence.odds * z.read(curves)
                    + (evidence.inside - overall) * hat.read(&curves[KNOTS..])
                    + (overall - evidence.outside) * hat.read(&curves[2 * KNOTS..])
            };
        }
        channels[CHANNELS - 1] = evidence.odds;
        channels
    }

    /// Visits each scored class with the odds of the two words of a pair.
    fn each_word_odds(&self, counts: &Counts, block: usize, id: u32, mut visit: impl FnMut(usize, f64)) {
        for word in words_of(counts, block, id) {
            let row = counts.blocks[0].rows.get(word);
            let df = documents(row);
            each_class(&self.shape, row, |place, inside| visit(place, self.sides[0][place].odds(inside, df)));
        }
    }

    /// Works out what the weights of many features need: worth it where all will be asked for.
    pub(super) fn prepare(&self, counts: &Counts) {
        if let Some(correction) = &self.correction {
            correction.prepare(counts);
        }
        if self.shape.is_two() && self.shape.pairs().is_some() {
            let rows = &counts.blocks[0].rows;
            let odds = |id: u32| {
                let mut odds = 0.0;
                let df = documents(rows.get(id));
                each_class(&self.shape, rows.get(id), |_, inside| odds = self.sides[0][0].odds(inside, df));
                odds
            };
            self.word_odds.get_or_init(|| (0..counts.blocks[0].len() as u32).map(odds).collect());
        }
    }

    /// With two classes: the second class's weight of a feature less the first's; 0 for one that has been forgotten.
    pub(super) fn lambda(&self, counts: &Counts, block: usize, id: u32) -> f64 {
        let df = documents(counts.blocks[block].rows.get(id));
        if df == 0 {
            return 0.0;
        }
        let mut weight = 0.0;
        self.weigh(counts, block, id, |_, channels| weight = channels[0]);
        if self.shape.blocks[block] == Some(true) {
            let mut odds = 0.0;
            match self.word_odds.get() {
                Some(known) => words_of(counts, block, id).iter().for_each(|&word| odds += known[word as usize]),
                None => self.each_word_odds(counts, block, id, |_, more| odds += more),
            }
            weight += self.taken_back(df)[0] * odds;
        }
        2.0 * weight + self.corrections(counts, block, id).first().map_or(0.0, |&more| f64::from(more))
    }

    /// What the correction adds to the first channel of a feature, by scored class; nothing where it says nothing.
    #[inline(always)]
    pub(super) fn corrections(&self, counts: &Counts, block: usize, id: u32) -> &[f32] {
        self.correction.as_ref().map_or(&[], |correction| correction.weights(counts, block, id))
    }

    /// What a feature adds to the score of each class, in a document with `m` known features of its block.
    pub(super) fn term(&self, counts: &Counts, block: usize, id: u32, m: f64) -> Vec<f64> {
        if self.shape.n_classes < 2 {
            return vec![0.0; self.shape.n_classes];
        }
        if self.shape.is_two() {
            return vec![0.0, self.lambda(counts, block, id) * m.powf(-0.5)];
        }
        let scales: Vec<f64> = self.shape.powers().iter().map(|power| m.powf(-power)).collect();
        let at_scale = |values: &[f64]| values.iter().zip(&scales).map(|(value, scale)| value * scale).sum::<f64>();
        let mut term = vec![0.0; self.shape.n_classes];
        self.weigh(counts, block, id, |class, channels| term[class] = at_scale(&channels));
        let more = self.corrections(counts, block, id).iter();
        term.iter_mut().zip(more).for_each(|(term, &more)| *term += f64::from(more) * scales[0]);
        if self.shape.blocks[block] == Some(true) {
            let share = at_scale(&self.taken_back(documents(counts.blocks[block].rows.get(id))));
            self.each_word_odds(counts, block, id, |class, odds| term[class] += share * odds);
        }
        term
    }
}

/// The ids of the two words of a pair.
#[inline(always)]
fn words_of(counts: &Counts, block: usize, id: u32) -> [u32; 2] {
    let key = counts.blocks[block].runs().key(id);
    [(key >> 32) as u32, key as u32]
}

/// The numbers of each block's curves for each power; none for a block that is not counted.
fn by_block(shape: &Shape, mut curves: &[f64]) -> Vec<[Vec<f64>; 2]> {
    let mut take = |width: usize| {
        let (first, rest) = curves.split_at(width);
        curves = rest;
        first.to_vec()
    };
    let of_block = |has_parents: &Option<bool>| {
        let width = has_parents.map_or(0, |has_parents| shape.width(has_parents));
        [0, 1].map(|power| if power < shape.powers().len() { take(width) } else { vec![] })
    };
    shape.blocks.iter().map(of_block).collect()
}
