//! What a feature weighs: its counts, read by the curves.
//!
//! A weight has channels: one for each function of the document's length, and last the odds of the feature, of which
//! pairs take back a share. [`Model::weigh`] is where the weights of a feature come from, whatever they are wanted for:
//! scores, tables that are ready, explanations. A correction is a sum of its own.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::basis::Corpus;
use super::evidence::{Evidence, EvidenceRow, FLAT, Hat, KNOTS, Side, Sides};
use super::length::{CHANNELS, scales};
use super::{Curves, Shape, each_class};
use crate::correction::{Applied, Correction};
use crate::counts::Counts;
use crate::text::Analyzer;

/// The channels of a weight, and one more for the odds of words.
pub(super) const WITH_ODDS: usize = CHANNELS + 1;

/// Reads counts by curves: the automatic model.
pub struct Model {
    pub(super) shape: Shape,
    /// By block; none for one that is not counted.
    curves: Vec<[Vec<f64>; CHANNELS]>,
    pub(super) caps: Vec<f64>,
    /// By block and scored class.
    sides: Vec<Vec<Side>>,
    /// The same column by column, with more than two classes.
    columns: Vec<Sides>,
    /// By block, with more than two classes: which of them are of one size.
    pub(super) sizes: Vec<Sizes>,
    /// What pairs of so many documents take back, for each channel, once all features are weighed.
    taken_back: OnceLock<Vec<[f64; CHANNELS]>>,
    /// By class; none where all are 1.
    factors: Vec<f64>,
    pub(super) correction: Option<Applied>,
    /// With two classes the odds of each word, once all features are weighed.
    word_odds: OnceLock<Vec<f64>>,
}

impl Model {
    /// `curves` are for the same blocks and number of classes, a correction has the weights of as many classes.
    pub fn new(counts: &Counts, analyzer: &Analyzer, curves: &Curves, correction: Option<Arc<Correction>>) -> Self {
        let corpus = Corpus::new(counts, analyzer);
        let shape = corpus.shape().clone();
        let fits = correction.as_ref().is_none_or(|correction| correction.n_scored() == shape.n_scored());
        assert!(fits, "the caller has compared them");
        let correction = correction.map(Applied::new);
        let classes: Vec<u32> = shape.classes().collect();
        let mut sides = vec![vec![]; counts.blocks.len()];
        sides.iter_mut().enumerate().for_each(|(block, sides)| corpus.sides(block, &[], &classes, sides));
        let (mut by_block, mut caps) = (vec![[vec![], vec![]]; counts.blocks.len()], vec![1.0; counts.blocks.len()]);
        for (number, (block, _)) in shape.counted().enumerate() {
            (by_block[block], caps[block]) = (curves.numbers[number].clone(), curves.caps[number]);
        }
        let word_odds = OnceLock::new();
        let factors = curves.factors.clone();
        let columns = sides.iter().map(|sides| Sides::new(if shape.is_two() { &[] } else { sides })).collect();
        let sizes_of = |(block, sides): (usize, &Vec<Side>)| match shape.is_two() {
            true => Sizes::default(),
            false => Sizes::new(counts, block, sides, &factors),
        };
        let sizes = sides.iter().enumerate().map(sizes_of).collect();
        let taken_back = OnceLock::new();
        Model { shape, curves: by_block, caps, sides, columns, sizes, taken_back, factors, correction, word_odds }
    }

    fn taken_back_by(&self, df: usize) -> [f64; CHANNELS] {
        let Some(pairs) = self.shape.pairs() else { return [0.0; CHANNELS] };
        let hat = Hat::of_documents(df as u32);
        [0, 1].map(|channel| {
            let curves: &Vec<f64> = &self.curves[pairs][channel];
            hat.read(&curves[curves.len() - KNOTS..])
        })
    }

    /// What a pair of `df` documents takes back from the odds of its words, for each channel.
    pub(super) fn taken_back(&self, df: u32) -> [f64; CHANNELS] {
        let documents = (df as usize).min(FLAT);
        self.taken_back.get().map_or_else(|| self.taken_back_by(documents), |known| known[documents])
    }

    /// What the sums of a block are multiplied with in a document with `m` known features of it.
    #[inline(always)]
    pub(super) fn scales(&self, block: usize, m: usize) -> [f64; CHANNELS] {
        scales(m as f64, self.caps[block])
    }

    /// Visits each scored class with the channels of a feature that has been seen. What a pair takes back is not in them.
    #[inline(always)]
    pub(super) fn weigh(&self, counts: &Counts, block: usize, id: u32, mut visit: impl FnMut(usize, [f64; WITH_ODDS])) {
        let row = counts.blocks[block].rows.get(id);
        let df = self.shape.documents(row);
        let hat = Hat::of_documents(df);
        each_class(&self.shape, row, |place, inside| visit(place, self.channels(block, place, inside, df, hat)));
    }

    /// The channels of any feature that was seen in `inside` of `df` documents, in one class.
    #[inline(always)]
    pub(super) fn channels(&self, block: usize, place: usize, inside: u32, df: u32, hat: Hat) -> [f64; WITH_ODDS] {
        let side = &self.sides[block][place];
        let curves = &self.curves[block];
        if self.shape.is_two() {
            let (odds, ratio) = side.odds(inside, df);
            let z = Hat::of_ratio(ratio);
            let weight = |curves: &[f64]| odds * (z.read(curves) + hat.read(&curves[KNOTS..]));
            return [weight(&curves[0]), weight(&curves[1]), odds];
        }
        let by_documents = self.heights(block, hat);
        self.channels_of(block, place, side.of(inside, df), by_documents)
    }

    /// The heights of the curves over the number of documents, inside and outside, for each channel.
    #[inline(always)]
    fn heights(&self, block: usize, hat: Hat) -> [[f64; 2]; CHANNELS] {
        let height = |curves: &Vec<f64>| [hat.read(&curves[KNOTS..]), hat.read(&curves[2 * KNOTS..])];
        [height(&self.curves[block][0]), height(&self.curves[block][1])]
    }

    /// With more than two classes: the channels of evidence for a class.
    #[inline(always)]
    fn channels_of(
        &self,
        block: usize,
        place: usize,
        evidence: Evidence,
        by_documents: [[f64; 2]; CHANNELS],
    ) -> [f64; WITH_ODDS] {
        let z = Hat::of_ratio(evidence.z);
        let curves = &self.curves[block];
        let weight = |channel: usize| {
            let [inside, outside] = by_documents[channel];
            evidence.odds * z.read(&curves[channel]) + evidence.inside * inside + evidence.outside * outside
        };
        let factor = self.factors.get(place).copied().unwrap_or(1.0);
        [factor * weight(0), factor * weight(1), factor * evidence.odds]
    }

    /// With more than two classes: visits each with the channels of any feature that was seen in `inside` of `df` documents. The
    /// logarithms of all classes are taken at once.
    pub(super) fn each_channels(
        &self,
        block: usize,
        inside: &[f64],
        df: u32,
        row: &mut EvidenceRow,
        mut visit: impl FnMut(usize, [f64; WITH_ODDS]),
    ) {
        self.columns[block].of(inside, f64::from(df), row);
        let by_documents = self.heights(block, Hat::of_documents(df));
        for place in 0..inside.len() {
            visit(place, self.channels_of(block, place, row.get(place), by_documents));
        }
    }

    /// The same of a feature of `df` documents that no class has seen: visits one class of each size.
    pub(super) fn each_unseen_channels(
        &self,
        block: usize,
        df: u32,
        row: &mut EvidenceRow,
        mut visit: impl FnMut(usize, [f64; WITH_ODDS]),
    ) {
        let Sizes { columns, examples, .. } = &self.sizes[block];
        columns.of(&vec![0.0; examples.len()], f64::from(df), row);
        let by_documents = self.heights(block, Hat::of_documents(df));
        for (size, &class) in examples.iter().enumerate() {
            visit(size, self.channels_of(block, class as usize, row.get(size), by_documents));
        }
    }

    /// The odds of a word for a scored class.
    fn odds(&self, place: usize, inside: u32, df: u32) -> f64 {
        self.factors.get(place).copied().unwrap_or(1.0) * self.sides[0][place].odds(inside, df).0
    }

    /// Visits each scored class with the odds of the two words of a pair.
    fn each_word_odds(&self, counts: &Counts, block: usize, id: u32, mut visit: impl FnMut(usize, f64)) {
        for word in words_of(counts, block, id) {
            let row = counts.blocks[0].rows.get(word);
            let df = self.shape.documents(row);
            each_class(&self.shape, row, |place, inside| visit(place, self.odds(place, inside, df)));
        }
    }

    /// Works out what the weights of many features need: worth it where all will be asked for.
    pub(super) fn prepare(&self, counts: &Counts) {
        if let Some(correction) = &self.correction {
            correction.prepare(counts);
        }
        self.taken_back.get_or_init(|| (0..=FLAT).map(|df| self.taken_back_by(df)).collect());
        if self.shape.is_two() && self.shape.pairs().is_some() {
            let rows = &counts.blocks[0].rows;
            let odds = |id: u32| {
                let mut odds = 0.0;
                let df = self.shape.documents(rows.get(id));
                each_class(&self.shape, rows.get(id), |_, inside| odds = self.odds(0, inside, df));
                odds
            };
            self.word_odds.get_or_init(|| (0..counts.blocks[0].len() as u32).map(odds).collect());
        }
    }

    /// With two classes: the second class's weight of a feature less the first's, by channel; 0 for one that has been forgotten.
    ///
    /// Seven digits are enough, and so both fit where one number would.
    pub(super) fn lambda(&self, counts: &Counts, block: usize, id: u32) -> [f32; CHANNELS] {
        let df = self.shape.documents(counts.blocks[block].rows.get(id));
        if df == 0 {
            return [0.0; CHANNELS];
        }
        let mut weights = [0.0; CHANNELS];
        self.weigh(counts, block, id, |_, [first, second, _]| weights = [first, second]);
        if self.shape.is_pairs(block) {
            let mut odds = 0.0;
            match self.word_odds.get() {
                Some(known) => words_of(counts, block, id).iter().for_each(|&word| odds += known[word as usize]),
                None => self.each_word_odds(counts, block, id, |_, more| odds += more),
            }
            weights.iter_mut().zip(self.taken_back(df)).for_each(|(weight, share)| *weight += share * odds);
        }
        weights.map(|weight| (2.0 * weight) as f32)
    }

    /// What a feature adds to the score of each class, in a document with these scales of its block and so many features that are
    /// corrected.
    pub(super) fn term(
        &self,
        counts: &Counts,
        block: usize,
        id: u32,
        scales: [f64; CHANNELS],
        n_corrected: usize,
    ) -> Vec<f64> {
        let mut term = self.own_term(counts, block, id, scales);
        if let Some(correction) = &self.correction {
            let more = correction.term(counts, block, id, n_corrected);
            let first = term.len() - more.len();
            term[first..].iter_mut().zip(more).for_each(|(term, more)| *term += more);
        }
        term
    }

    /// The same without the correction.
    fn own_term(&self, counts: &Counts, block: usize, id: u32, scales: [f64; CHANNELS]) -> Vec<f64> {
        let at_scale = |values: [f64; CHANNELS]| values[0] * scales[0] + values[1] * scales[1];
        if self.shape.n_classes < 2 {
            return vec![0.0; self.shape.n_classes];
        }
        if self.shape.is_two() {
            return vec![0.0, at_scale(self.lambda(counts, block, id).map(f64::from))];
        }
        let mut term = vec![0.0; self.shape.n_classes];
        self.weigh(counts, block, id, |class, [first, second, _]| term[class] = at_scale([first, second]));
        if self.shape.is_pairs(block) {
            let share = at_scale(self.taken_back(self.shape.documents(counts.blocks[block].rows.get(id))));
            self.each_word_odds(counts, block, id, |class, odds| term[class] += share * odds);
        }
        term
    }
}

/// The classes by size: to all of one size a feature that they have not seen says the same.
///
/// Sizes are sums of what was counted, so there are few different ones even of very many classes: k of them need k²/2 counts. So
/// does a table of sizes and numbers of documents, which takes memory in proportion to what was counted, not to classes.
#[derive(Default)]
pub(super) struct Sizes {
    /// By class, the number of its size.
    pub(super) of_class: Vec<u32>,
    /// By size a class that has it.
    pub(super) examples: Vec<u32>,
    columns: Sides,
}

impl Sizes {
    fn new(counts: &Counts, block: usize, sides: &[Side], factors: &[f64]) -> Self {
        let sums = &counts.blocks[block].rows.sums;
        let mut numbers = HashMap::new();
        let (mut of_class, mut examples, mut different) = (vec![], vec![], vec![]);
        for (class, &side) in sides.iter().enumerate() {
            let factor = factors.get(class).copied().unwrap_or(1.0);
            let number = *numbers.entry((sums[class].documents, factor.to_bits())).or_insert_with(|| {
                examples.push(class as u32);
                different.push(side);
                examples.len() as u32 - 1
            });
            of_class.push(number);
        }
        Sizes { of_class, examples, columns: Sides::new(&different) }
    }

    pub(super) fn len(&self) -> usize {
        self.examples.len()
    }
}

/// The ids of the two words of a pair.
#[inline(always)]
fn words_of(counts: &Counts, block: usize, id: u32) -> [u32; 2] {
    let key = counts.blocks[block].runs().key(id);
    [(key >> 32) as u32, key as u32]
}
