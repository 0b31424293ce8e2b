//! The automatic model: evidence, weighted by how far evidence of its kind can be trusted.
//!
//! Features are presences. How strongly one speaks for a class is `lo`, the logarithm of how much more frequent it is inside the
//! class than outside; how sure that is, `z`, its signal-to-noise ratio. Curves over `z` and over the number of documents with
//! the feature say what such evidence is worth:
//!
//! ```text
//! W = lo · Tz(z) + e1 · T1(df) + e0 · T0(df)            lo = e1 + e0: what it says inside and outside the class
//! pairs  W += Rb(df) · (lo of the left word + lo of the right word)
//! score  prior + m/(m + 16) · growth + Σ blocks Σ k  h_k(m) Σ W_k          h_k(m) = 1 / (1 + m/M_k), M = 4, 128
//! ```
//!
//! m is the number of known features of the document in the block; for the growth, of its words. The empty document has the
//! prior. `length.rs` has these functions, `evidence.rs` those of the counts.
//!
//! With two classes lo is e1 + e0 of one class and the negative of the other's, so that only the mean of T1 and T0 matters, and only
//! one class has to be worked out. The curves are kept in the form for more: a label may come later.
//!
//! The curves are piecewise linear, so a score is a sum of values at knots times numbers that come from the counts. Those
//! numbers, with the document's group taken out, are the [`Basis`] on which the curves are fitted.
//!
//! Where a document may be in several classes, the first of which has all documents, each class is told from all documents outside
//! it: the number of documents with a feature is that of the first class, and probabilities are those of one class or none.
//!
//! With more than two classes a feature has a weight for each. One that few classes have seen is a list of these, on top of
//! a row that all features of the same number of documents share. What pairs take back from their words is added
//! up for each word first, so that a pair needs no row of its own for it.

mod basis;
mod evidence;
mod length;
mod listing;
mod model;
mod reading;
mod rounded;
mod sums;
mod weights;

use crate::counts::{Counts, Kind};
use crate::overlapping::of_all;
use crate::rows::Cell;
use crate::text::Analyzer;
pub use basis::{Basis, Corpus};
use evidence::KNOTS;
use length::CHANNELS;
pub use length::growth;
pub use listing::{Wanted, listed};
pub use model::Model;

/// How the features of a block are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    /// The analyzer counts no such features.
    NotCounted,
    /// Each feature counts by its own curves.
    Single,
    /// Features are pairs of words that count too: a pair takes back a share of what its words say.
    Pairs,
}

/// Which curves there are, and in which order: for each counted block and each channel, those over z (7 numbers), over the
/// number of documents (7 inside and 7 outside; for two classes their 7 means), and of what pairs take back (7).
#[derive(Clone, Debug)]
pub struct Shape {
    n_classes: usize,
    /// Whether a document may be in several classes, the first of which has all documents.
    is_overlapping: bool,
    blocks: Vec<BlockKind>,
}

impl Shape {
    pub fn new(analyzer: &Analyzer, counts: &Counts) -> Self {
        let settings = analyzer.settings();
        let has_words = Kind::Words.is_counted(settings);
        let block = |kind: Kind| match kind {
            _ if !kind.is_counted(settings) => BlockKind::NotCounted,
            Kind::Runs(2) if has_words => BlockKind::Pairs,
            _ => BlockKind::Single,
        };
        Shape {
            n_classes: counts.n_classes(),
            is_overlapping: counts.is_overlapping,
            blocks: Kind::of(settings).into_iter().map(block).collect(),
        }
    }

    fn is_two(&self) -> bool {
        self.n_classes == 2 && !self.is_overlapping
    }

    /// Of how many classes the scores are computed: with two, the first one's is the other's negative.
    pub fn n_scored(&self) -> usize {
        if self.is_two() { 1 } else { self.n_classes }
    }

    /// The classes that have a score of their own.
    fn classes(&self) -> impl Iterator<Item = u32> + use<> {
        u32::from(self.is_two())..self.n_classes as u32
    }

    /// The class of the score at this place.
    fn class(&self, place: usize) -> u32 {
        if self.is_two() { 1 } else { place as u32 }
    }

    fn is_counted(&self, block: usize) -> bool {
        self.blocks[block] != BlockKind::NotCounted
    }

    fn is_pairs(&self, block: usize) -> bool {
        self.blocks[block] == BlockKind::Pairs
    }

    /// The counted blocks, and whether their features are pairs of features.
    fn counted(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        (0..self.blocks.len()).filter(|&block| self.is_counted(block)).map(|block| (block, self.is_pairs(block)))
    }

    /// The numbers that a block has for each channel.
    fn width(&self, has_parents: bool) -> usize {
        KNOTS * (if self.is_two() { 2 } else { 3 } + usize::from(has_parents))
    }

    /// The numbers of all curves, as they are fitted.
    pub fn len(&self) -> usize {
        self.counted().map(|(_, has_parents)| self.width(has_parents) * CHANNELS).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The block whose pairs are of words that count too.
    fn pairs(&self) -> Option<usize> {
        (0..self.blocks.len()).find(|&block| self.is_pairs(block))
    }
}

/// The curves of all blocks, ready to be read.
#[derive(Clone, Debug)]
pub struct Curves {
    /// By counted block and channel, as [`Shape`] has them.
    numbers: Vec<[Vec<f64>; CHANNELS]>,
    /// By counted block the features of the longest documents that the curves were fitted on.
    caps: Vec<f64>,
    /// By class what all its evidence is multiplied with; none where that is 1. Of two classes nobody asks.
    factors: Vec<f64>,
}

impl Curves {
    /// Of numbers for any number of classes, and of the caps of the blocks; None where they are for other blocks.
    pub fn new(shape: &Shape, unified: &[f64], caps: &[f64]) -> Option<Self> {
        let mut rest = unified.chunks_exact(KNOTS);
        let is_whole = rest.remainder().is_empty();
        let mut numbers = vec![];
        for (_, has_parents) in shape.counted() {
            let mut channel = || {
                let [z, inside, outside] = [rest.next()?, rest.next()?, rest.next()?];
                let mut curves = z.to_vec();
                if shape.is_two() {
                    curves.extend(inside.iter().zip(outside).map(|(inside, outside)| (inside + outside) / 2.0));
                } else {
                    curves.extend(inside.iter().chain(outside));
                }
                if has_parents {
                    curves.extend(rest.next()?);
                }
                Some(curves)
            };
            numbers.push([channel()?, channel()?]);
        }
        let fits = is_whole && rest.next().is_none() && caps.len() == numbers.len();
        (fits && caps.iter().all(|&cap| cap >= 1.0)).then(|| Curves { numbers, caps: caps.to_vec(), factors: vec![] })
    }

    /// The same, with the evidence of each class multiplied; None where there are other classes.
    pub fn with_factors(mut self, shape: &Shape, factors: Vec<f64>) -> Option<Self> {
        let fits = factors.is_empty() || factors.len() == shape.n_classes;
        if !shape.is_two() {
            self.factors = factors;
        }
        fits.then_some(self)
    }
}

impl Shape {
    /// In how many documents the feature of a row is.
    #[inline(always)]
    fn documents(&self, row: &[Cell]) -> u32 {
        if self.is_overlapping { of_all(row) } else { row.iter().map(|cell| cell.documents).sum() }
    }
}

/// Calls `visit` with the place of each scored class and its documents in the row.
#[inline(always)]
fn each_class(shape: &Shape, row: &[Cell], mut visit: impl FnMut(usize, u32)) {
    let mut cells = row.iter().peekable();
    for place in 0..shape.n_scored() {
        let class = shape.class(place);
        while cells.next_if(|cell| cell.class < class).is_some() {}
        visit(place, cells.next_if(|cell| cell.class == class).map_or(0, |cell| cell.documents));
    }
}
