//! The automatic model: evidence, weighted by how far evidence of its kind can be trusted.
//!
//! Features are presences. How strongly one speaks for a class is `lo`, the logarithm of its frequency inside the class over
//! that outside; how sure that is, `z`, its signal-to-noise ratio. Curves over `z` and over the number of documents with
//! the feature say what such evidence is worth:
//!
//! ```text
//! two classes     W = lo · (Tz(z) + Td(df))                        one class gets W, the other −W
//! more classes    W = lo · Tz(z) + e1 · T1(df) + e0 · T0(df)       e1, e0: the parts of lo inside and outside the class
//! pairs           W += Rb(df) · (lo of the left word + lo of the right word)
//! score           start + Σ blocks Σ p  m^(−p) Σ W_p               m: known features of the document in the block
//! ```
//!
//! The curves are piecewise linear, so a score is a sum of values at knots times numbers that come from the counts. Those
//! numbers, with the document's own counts taken out, are the [`Corpus::basis`] on which the curves are fitted.
//!
//! With more than two classes a feature has a weight for each. One that few classes have seen is a list of these, on top of
//! a row that all features of the same number of documents share. What pairs take back from their words is added
//! up for each word first, so that a pair needs no row of its own for it.

mod basis;
mod evidence;
mod model;
mod reading;
mod weights;

use crate::counts::Kind;
use crate::rows::Cell;
use crate::text::Analyzer;
pub use basis::Corpus;
use evidence::KNOTS;
pub use model::Model;

/// Which curves there are, and in which order: for each counted block and each power, those over z (7 numbers), over the
/// number of documents (7; for more than two classes 7 inside and 7 outside), and of what pairs take back (7).
#[derive(Clone, Debug)]
pub struct Shape {
    n_classes: usize,
    /// By block whether its features are pairs of features; None for a block that is not counted.
    blocks: Vec<Option<bool>>,
}

impl Shape {
    pub fn new(analyzer: &Analyzer, n_classes: usize) -> Self {
        let settings = analyzer.settings();
        let has_words = Kind::Words.is_counted(settings);
        let shape = |kind: Kind| kind.is_counted(settings).then_some(kind == Kind::Runs(2) && has_words);
        Shape { n_classes, blocks: Kind::of(settings).into_iter().map(shape).collect() }
    }

    fn is_two(&self) -> bool {
        self.n_classes == 2
    }

    /// The powers of a document's number of features that its sums are divided by.
    fn powers(&self) -> &'static [f64] {
        if self.is_two() { &[0.5] } else { &[0.5, 1.0] }
    }

    /// Of how many classes the scores are computed: with two, the first one's is the other's negative.
    pub fn n_scored(&self) -> usize {
        if self.is_two() { 1 } else { self.n_classes }
    }

    /// The class of the score at this place.
    fn class(&self, place: usize) -> u32 {
        if self.is_two() { 1 } else { place as u32 }
    }

    /// The numbers that a block has for each power.
    fn width(&self, has_parents: bool) -> usize {
        KNOTS * (if self.is_two() { 2 } else { 3 } + usize::from(has_parents))
    }

    /// The numbers of all curves.
    pub fn len(&self) -> usize {
        self.blocks.iter().flatten().map(|&has_parents| self.width(has_parents) * self.powers().len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The block whose pairs are of words that count too.
    fn pairs(&self) -> Option<usize> {
        self.blocks.iter().position(|block| *block == Some(true))
    }
}

/// In how many documents of any class.
fn documents(row: &[Cell]) -> u32 {
    row.iter().map(|cell| cell.documents).sum()
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
