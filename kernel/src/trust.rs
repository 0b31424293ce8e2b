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
mod model;
mod reading;
mod weights;

use crate::counts::Kind;
use crate::rows::Cell;
use crate::text::Analyzer;
pub use basis::Corpus;
pub use model::Model;

/// Of the curves over the signal-to-noise ratio.
const Z_KNOTS: [f64; KNOTS] = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// Of the curves over the number of documents, as binary logarithms: 1, 2, 4, 8, 32, 128, 1024 documents.
const D_KNOTS: [f64; KNOTS] = [0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0];
const KNOTS: usize = 7;
/// From so many documents on the curves are flat.
const FLAT: usize = 1 << 10;
/// Shared by the two sides in proportion to their sizes, so that a feature never seen has odds of 1.
const SMOOTHING: f64 = 1.0;
/// A side has at least this size: it may have lost its only document.
const LEAST: f64 = 1e-3;

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

/// A place between two knots.
#[derive(Clone, Copy)]
struct Hat {
    knot: usize,
    share: f64,
}

impl Hat {
    fn new(value: f64, knots: &[f64; KNOTS]) -> Self {
        if value <= knots[0] {
            return Hat { knot: 0, share: 0.0 };
        }
        if value >= knots[KNOTS - 1] {
            return Hat { knot: KNOTS - 2, share: 1.0 };
        }
        let knot = (1..KNOTS).find(|&knot| value < knots[knot]).expect("it is below the last") - 1;
        Hat { knot, share: (value - knots[knot]) / (knots[knot + 1] - knots[knot]) }
    }

    fn of_documents(documents: f64) -> Self {
        Hat::new(documents.log2(), &D_KNOTS)
    }

    #[inline(always)]
    fn spread(self, value: f64, knots: &mut [f64]) {
        knots[self.knot] += value * (1.0 - self.share);
        knots[self.knot + 1] += value * self.share;
    }

    #[inline(always)]
    fn read(self, knots: &[f64]) -> f64 {
        knots[self.knot] * (1.0 - self.share) + knots[self.knot + 1] * self.share
    }
}

/// A class against all others, in one block.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// What is added to the count inside the class, and to that outside.
    inside: f64,
    outside: f64,
    log_inside: f64,
    log_outside: f64,
    log_all: f64,
    /// The logarithms of the frequencies of what was not seen inside, and not outside.
    unseen_inside: f64,
    unseen_outside: f64,
}

struct Evidence {
    inside: f64,
    outside: f64,
    odds: f64,
    z: f64,
}

impl Side {
    /// Of a class with `size` of the `total` features of all documents.
    fn new(size: f64, total: f64) -> Self {
        let (n, rest) = (size.max(LEAST), (total - size).max(LEAST));
        let share = n / (n + rest);
        let (inside, outside) = (SMOOTHING * share, SMOOTHING * (1.0 - share));
        let (log_inside, log_outside) = (n.ln(), rest.ln());
        Side {
            inside,
            outside,
            log_inside,
            log_outside,
            log_all: (n + rest).ln(),
            unseen_inside: inside.ln() - log_inside,
            unseen_outside: outside.ln() - log_outside,
        }
    }

    #[inline(always)]
    fn frequencies(&self, inside: f64, outside: f64) -> (f64, f64) {
        let f1 = if inside == 0.0 { self.unseen_inside } else { (inside + self.inside).ln() - self.log_inside };
        let f0 = if outside == 0.0 { self.unseen_outside } else { (outside + self.outside).ln() - self.log_outside };
        (f1, f0)
    }

    fn odds(&self, inside: f64, outside: f64) -> f64 {
        let (f1, f0) = self.frequencies(inside, outside);
        f1 - f0
    }

    #[inline(always)]
    fn evidence(&self, inside: f64, outside: f64) -> Evidence {
        let (f1, f0) = self.frequencies(inside, outside);
        let (a, r) = (inside + self.inside, outside + self.outside);
        // 1 / sqrt(1/a + 1/r), with one division less.
        let z = (f1 - f0).abs() * (a * r / (a + r)).sqrt();
        Evidence { inside: f1, outside: f0, odds: f1 - f0, z }
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
