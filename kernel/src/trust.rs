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

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::counting::each_on_a_thread;
use crate::counts::{Counts, Kind};
use crate::documents::{Documents, Features, Finder, Scratch, shares};
use crate::rows::Cell;
use crate::text::Analyzer;
use crate::vocabulary::UNKNOWN;

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
    fn n_scored(&self) -> usize {
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

/// Counts, and what their features sum to.
pub struct Corpus<'a> {
    counts: &'a Counts,
    shape: Shape,
    /// By block and class: the documents of all features.
    sizes: Vec<Vec<u64>>,
}

impl<'a> Corpus<'a> {
    pub fn new(counts: &'a Counts, analyzer: &Analyzer) -> Self {
        let sizes = counts.blocks.iter().map(|block| {
            let mut sizes = vec![0; counts.n_classes()];
            let cells = (0..block.rows.len() as u32).flat_map(|id| block.rows.get(id));
            cells.for_each(|cell| sizes[cell.class as usize] += u64::from(cell.documents));
            sizes
        });
        Corpus { counts, shape: Shape::new(analyzer, counts.n_classes()), sizes: sizes.collect() }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The sides of a block from which a document of `own` with `less` features is taken.
    fn sides(&self, block: usize, own: usize, less: usize, sides: &mut Vec<Side>) {
        let sizes = &self.sizes[block];
        let total = sizes.iter().sum::<u64>() as f64 - less as f64;
        let size = |class: usize| sizes[class] as f64 - if class == own { less as f64 } else { 0.0 };
        sides.clear();
        sides.extend((0..self.shape.n_scored()).map(|at| Side::new(size(self.shape.class(at) as usize), total)));
    }

    /// What each number of the curves is multiplied by in the score of each document and each scored class, as if the
    /// document had never been counted; less the mean of the classes, which no probability depends on.
    pub fn basis(&self, documents: &Documents, threads: usize) -> Vec<f64> {
        let parts = shares(documents.len(), threads);
        let width = self.shape.n_scored() * self.shape.len();
        let found = each_on_a_thread(&parts, |part| {
            let mut values = vec![0.0; part.len() * width];
            let mut scratch = BasisScratch::default();
            for (at, values) in part.clone().zip(values.chunks_mut(width)) {
                self.add_basis(documents, at, &mut scratch, values);
                centre(values, self.shape.len());
            }
            values
        });
        found.concat()
    }

    /// The score of each document and each scored class under curves with these numbers, without a start, as if the
    /// document had never been counted.
    pub fn leave_one_out(&self, documents: &Documents, curves: &[f64], threads: usize) -> Vec<f64> {
        let parts = shares(documents.len(), threads);
        let found = each_on_a_thread(&parts, |part| {
            let mut values = vec![0.0; self.shape.n_scored() * self.shape.len()];
            let (mut scratch, mut scores) = (BasisScratch::default(), vec![]);
            for at in part.clone() {
                values.fill(0.0);
                self.add_basis(documents, at, &mut scratch, &mut values);
                let score = |values: &[f64]| values.iter().zip(curves).map(|(value, knot)| value * knot).sum::<f64>();
                scores.extend(values.chunks(curves.len().max(1)).map(score));
            }
            scores
        });
        found.concat()
    }

    fn add_basis(&self, corpus: &Documents, at: usize, scratch: &mut BasisScratch, values: &mut [f64]) {
        let (shape, own) = (&self.shape, corpus.classes[at]);
        let (n_scored, all) = (shape.n_scored(), shape.len());
        let BasisScratch { sides, sums, odds } = scratch;
        let keeps_odds = shape.pairs().is_some();
        odds.clear();
        let mut start = 0;
        for (block, &has_parents) in shape.blocks.iter().enumerate().filter_map(|(at, is)| Some((at, is.as_ref()?))) {
            let (rows, features) = (&self.counts.blocks[block].rows, &corpus.blocks[block]);
            let range = features.range(at);
            let width = shape.width(has_parents);
            self.sides(block, own as usize, range.len(), sides);
            sums.clear();
            sums.resize(n_scored * width, 0.0);
            let mut known = 0;
            for i in range {
                let row = rows.get(features.ids[i]);
                let df = documents(row) - 1;
                if df == 0 {
                    if keeps_odds && block == 0 {
                        odds.resize(odds.len() + n_scored, 0.0);
                    }
                    continue;
                }
                known += 1;
                let df = f64::from(df);
                let hat = Hat::of_documents(df);
                let log_df = (df + SMOOTHING).ln();
                each_class(shape, row, |place, n| {
                    let side = &sides[place];
                    let inside = f64::from(n - u32::from(shape.class(place) == own));
                    let evidence = side.evidence(inside, df - inside);
                    let sums = &mut sums[place * width..(place + 1) * width];
                    Hat::new(evidence.z, &Z_KNOTS).spread(evidence.odds, sums);
                    let mut from = KNOTS;
                    if shape.is_two() {
                        hat.spread(evidence.odds, &mut sums[from..]);
                        from += KNOTS;
                    } else {
                        let overall = log_df - side.log_all;
                        hat.spread(evidence.inside - overall, &mut sums[from..]);
                        hat.spread(overall - evidence.outside, &mut sums[from + KNOTS..]);
                        from += 2 * KNOTS;
                    }
                    if has_parents {
                        let [left, right] = features.parents[i];
                        let parent = |word: u32| odds[word as usize * n_scored + place];
                        hat.spread(parent(left) + parent(right), &mut sums[from..]);
                    }
                    if keeps_odds && block == 0 {
                        odds.push(evidence.odds);
                    }
                });
            }
            for power in shape.powers() {
                let scale = f64::from(known.max(1)).powf(-power);
                for place in 0..n_scored {
                    let sums = &sums[place * width..(place + 1) * width];
                    let values = &mut values[place * all + start..][..width];
                    values.iter_mut().zip(sums).for_each(|(value, sum)| *value = sum * scale);
                }
                start += width;
            }
        }
    }
}

/// Takes from rows of `width` numbers their mean, where there are several.
fn centre(rows: &mut [f64], width: usize) {
    let n = rows.len() / width.max(1);
    if n < 2 {
        return;
    }
    for column in 0..width {
        let mean = (0..n).map(|row| rows[row * width + column]).sum::<f64>() / n as f64;
        (0..n).for_each(|row| rows[row * width + column] -= mean);
    }
}

#[derive(Default)]
struct BasisScratch {
    sides: Vec<Side>,
    sums: Vec<f64>,
    /// By word of the document and scored class.
    odds: Vec<f64>,
}

/// Most powers that a shape has, and one more channel for the odds of words.
const CHANNELS: usize = 3;

/// Scores documents by the counts that it was made from.
pub struct Scorer {
    shape: Shape,
    curves: Vec<f64>,
    sides: Vec<Vec<Side>>,
    /// What pairs of so many documents take back, for each power.
    taken_back: Vec<[f64; 2]>,
    n_features: usize,
    looked_up: AtomicUsize,
    ready: OnceLock<Vec<Weights>>,
    scratch: Mutex<Vec<Work>>,
}

#[derive(Default)]
struct Work {
    scratch: Scratch,
    blocks: Vec<Features>,
    few: Weights,
    sums: Vec<f64>,
    word_shares: Vec<f64>,
    scores: Vec<f64>,
    defaults: Vec<(u32, f64, f64)>,
}

impl Scorer {
    /// `curves` has the numbers that [`Shape`] describes.
    pub fn new(counts: &Counts, analyzer: &Analyzer, curves: Vec<f64>) -> Self {
        let corpus = Corpus::new(counts, analyzer);
        let shape = corpus.shape.clone();
        assert_eq!(curves.len(), shape.len(), "the caller has compared them");
        let mut sides = vec![vec![]; counts.blocks.len()];
        sides.iter_mut().enumerate().for_each(|(block, sides)| corpus.sides(block, usize::MAX, 0, sides));
        let mut scorer = Scorer {
            shape,
            curves,
            sides,
            taken_back: vec![],
            n_features: counts.blocks.iter().map(|block| block.len()).sum(),
            looked_up: AtomicUsize::new(0),
            ready: OnceLock::new(),
            scratch: Mutex::new(vec![]),
        };
        scorer.taken_back = (0..=FLAT).map(|df| scorer.taken_back_by(df)).collect();
        scorer
    }

    /// The numbers of a block's curves for a power.
    fn curves(&self, block: usize, power: usize) -> &[f64] {
        let before = &self.shape.blocks[..block];
        let n_powers = self.shape.powers().len();
        let start: usize = before.iter().flatten().map(|&is| self.shape.width(is) * n_powers).sum();
        let width = self.shape.width(self.shape.blocks[block].expect("only counted blocks are asked for"));
        &self.curves[start + power * width..][..width]
    }

    fn taken_back_by(&self, df: usize) -> [f64; 2] {
        let Some(pairs) = self.shape.pairs() else { return [0.0; 2] };
        let mut values = [0.0; 2];
        let hat = Hat::of_documents(df.max(1) as f64);
        for (power, value) in values.iter_mut().enumerate().take(self.shape.powers().len()) {
            let curves = self.curves(pairs, power);
            *value = hat.read(&curves[curves.len() - KNOTS..]);
        }
        values
    }

    /// A feature's weights in a class for each power, and last its odds there. What a pair takes back is not in it.
    #[inline(always)]
    fn channels(&self, block: usize, place: usize, inside: u32, df: u32, hat: Hat) -> [f64; CHANNELS] {
        let side = &self.sides[block][place];
        let (inside, df) = (f64::from(inside), f64::from(df));
        let evidence = side.evidence(inside, df - inside);
        let z = Hat::new(evidence.z, &Z_KNOTS);
        let mut channels = [0.0; CHANNELS];
        for (power, channel) in channels.iter_mut().enumerate().take(self.shape.powers().len()) {
            let curves = self.curves(block, power);
            *channel = if self.shape.is_two() {
                evidence.odds * (z.read(curves) + hat.read(&curves[KNOTS..]))
            } else {
                let overall = (df + SMOOTHING).ln() - side.log_all;
                evidence.odds * z.read(curves)
                    + (evidence.inside - overall) * hat.read(&curves[KNOTS..])
                    + (overall - evidence.outside) * hat.read(&curves[2 * KNOTS..])
            };
        }
        channels[CHANNELS - 1] = evidence.odds;
        channels
    }

    /// With two classes: the second class's weight of a feature less the first's.
    fn lambda(&self, counts: &Counts, block: usize, id: u32) -> f64 {
        let row = counts.blocks[block].rows.get(id);
        let df = documents(row);
        if df == 0 {
            return 0.0;
        }
        let second = |row: &[Cell]| row.iter().find(|cell| cell.class == 1).map_or(0, |cell| cell.documents);
        let mut weight = self.channels(block, 0, second(row), df, Hat::of_documents(f64::from(df)))[0];
        if self.shape.blocks[block] == Some(true) {
            let key = counts.blocks[block].runs().key(id);
            let odds = |word: u32| {
                let (row, side) = (counts.blocks[0].rows.get(word), &self.sides[0][0]);
                let inside = f64::from(second(row));
                side.odds(inside, f64::from(documents(row)) - inside)
            };
            weight += self.taken_back[(df as usize).min(FLAT)][0] * (odds((key >> 32) as u32) + odds(key as u32));
        }
        2.0 * weight
    }

    /// The score of each class for each text, texts one after the other: start + Σ weights; with two classes the first
    /// has 0.
    pub fn scores(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        start: &[f64],
        threads: usize,
    ) -> Vec<f64> {
        let mut scores = vec![0.0; texts.len() * start.len()];
        self.spread(counts, analyzer, texts, threads, start, &mut scores, |found, out| out.copy_from_slice(found));
        scores
    }

    /// The class with the highest score for each text; the first of them where several are equal.
    pub fn best(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        start: &[f64],
        threads: usize,
    ) -> Vec<u32> {
        let mut best = vec![0; texts.len()];
        self.spread(counts, analyzer, texts, threads, start, &mut best, |scores, out| {
            let higher = |best: usize, class: usize| if scores[class] > scores[best] { class } else { best };
            out[0] = (0..scores.len()).fold(0, higher) as u32;
        });
        best
    }

    /// Hands each text's scores to `finish` with the numbers of `out` that are the text's.
    #[allow(clippy::too_many_arguments)]
    fn spread<T: Send>(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        threads: usize,
        start: &[f64],
        out: &mut [T],
        finish: impl Fn(&[f64], &mut [T]) + Sync,
    ) {
        let width = (out.len() / texts.len().max(1)).max(1);
        let run = |texts: &[&str], out: &mut [T]| {
            let mut work = self.scratch.lock().expect("nobody panics").pop().unwrap_or_default();
            let mut finder = Finder::with(counts, analyzer, std::mem::take(&mut work.scratch));
            work.blocks.resize_with(counts.blocks.len(), Features::default);
            for (text, out) in texts.iter().zip(out.chunks_mut(width)) {
                finder.find(text);
                work.blocks.iter_mut().for_each(Features::clear);
                finder.distinct(&mut work.blocks);
                self.score(counts, start, &mut work);
                finish(&work.scores, out);
            }
            work.scratch = finder.into_scratch();
            self.scratch.lock().expect("nobody panics").push(work);
        };
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let threads = threads.min(bytes >> 18);
        if threads <= 1 {
            return run(texts, out);
        }
        let share = texts.len().div_ceil(threads);
        let parts: Vec<_> = texts.chunks(share).zip(out.chunks_mut(share * width)).map(Mutex::new).collect();
        each_on_a_thread(&parts, |part| {
            let (texts, out) = &mut *part.lock().expect("each part has one thread");
            run(texts, out);
        });
    }

    /// The weights of all features, where as much has been looked up as makes them worth having.
    fn ready(&self, counts: &Counts, features: usize) -> Option<&Vec<Weights>> {
        if let Some(ready) = self.ready.get() {
            return Some(ready);
        }
        let before = self.looked_up.fetch_add(features, Ordering::Relaxed);
        let make = || {
            let weights = |(block, of): (usize, &crate::counts::Block)| {
                let mut weights = Weights::default();
                if self.shape.blocks[block].is_some() {
                    (0..of.rows.len() as u32).for_each(|id| weights.push(self, counts, block, id));
                }
                weights
            };
            counts.blocks.iter().enumerate().map(weights).collect()
        };
        (before + features > self.n_features / 8).then(|| self.ready.get_or_init(make))
    }

    /// The scores of the document in `work`.
    fn score(&self, counts: &Counts, start: &[f64], work: &mut Work) {
        work.scores.clear();
        work.scores.extend_from_slice(start);
        if start.len() < 2 {
            return;
        }
        let ready = self.ready(counts, work.blocks.iter().map(|features| features.ids.len()).sum());
        if self.shape.is_two() {
            let mut lead = start[1] - start[0];
            for (block, features) in work.blocks.iter().enumerate().filter(|(_, features)| !features.ids.is_empty()) {
                let sum = match ready {
                    Some(ready) => sum_in_lanes(features.ids.iter().map(|&id| ready[block].lambdas[id as usize])),
                    None => sum_in_lanes(features.ids.iter().map(|&id| self.lambda(counts, block, id))),
                };
                lead += sum * (features.ids.len() as f64).powf(-0.5);
            }
            // Infinite where the first class has prior 0: then it is that class that has none.
            let scores = if lead == f64::INFINITY { [f64::NEG_INFINITY, 0.0] } else { [0.0, lead] };
            work.scores.copy_from_slice(&scores);
            return;
        }
        self.share_out(counts, ready, work);
        for block in 0..work.blocks.len() {
            let m = work.blocks[block].ids.len();
            if m == 0 {
                continue;
            }
            let n = self.shape.n_classes;
            work.sums.clear();
            work.sums.resize(CHANNELS * n, 0.0);
            let shares: &[f64] = if block == 0 { &work.word_shares } else { &[] };
            match ready {
                Some(ready) => {
                    let places = work.blocks[block].ids.iter().map(|&id| ready[block].places[id as usize]);
                    ready[block].add(n, places, shares, &mut work.sums, &mut work.defaults);
                }
                None => {
                    work.few.clear();
                    work.blocks[block].ids.iter().for_each(|&id| work.few.push(self, counts, block, id));
                    let places = work.few.places.iter().copied();
                    work.few.add(n, places, shares, &mut work.sums, &mut work.defaults);
                }
            }
            let (half, one) = ((m as f64).powf(-0.5), (m as f64).powf(-1.0));
            for (class, score) in work.scores.iter_mut().enumerate() {
                let odds = work.sums[2 * n + class];
                *score += work.sums[class] * half + work.sums[n + class] * one + odds;
            }
        }
    }

    /// For each word of the document in `work`, how much of its odds the pairs with it take back.
    fn share_out(&self, counts: &Counts, ready: Option<&Vec<Weights>>, work: &mut Work) {
        work.word_shares.clear();
        let Some(pairs) = self.shape.pairs() else { return };
        work.word_shares.resize(work.blocks[0].ids.len(), 0.0);
        let m = work.blocks[pairs].ids.len() as f64;
        let (half, one) = (m.powf(-0.5), m.powf(-1.0));
        for (&id, parents) in work.blocks[pairs].ids.iter().zip(&work.blocks[pairs].parents) {
            let df = match ready {
                Some(ready) => ready[pairs].places[id as usize].df,
                None => documents(counts.blocks[pairs].rows.get(id)),
            };
            let [by_half, by_one] = self.taken_back[(df as usize).min(FLAT)];
            for &word in parents {
                work.word_shares[word as usize] += by_half * half + by_one * one;
            }
        }
    }

    /// What each feature of a text adds to each class's score, feature by feature as the analyzer gives them: None for one
    /// that is not known, nothing for one that has been named before.
    pub fn terms(&self, counts: &Counts, analyzer: &Analyzer, text: &str) -> Vec<Option<Vec<f64>>> {
        let mut finder = Finder::new(counts, analyzer);
        finder.find(text);
        let mut blocks: Vec<Features> = counts.blocks.iter().map(|_| Features::default()).collect();
        finder.distinct(&mut blocks);
        let mut terms = vec![];
        for (block, features) in blocks.iter().enumerate().filter(|(block, _)| self.shape.blocks[*block].is_some()) {
            let m = features.ids.len() as f64;
            let mut next = 0;
            for &id in &finder.found()[block] {
                if id == UNKNOWN || !counts.blocks[block].rows.is_live(id) {
                    terms.push(None);
                } else if features.ids.get(next) == Some(&id) {
                    next += 1;
                    terms.push(Some(self.term(counts, block, id, m)));
                } else {
                    terms.push(Some(vec![]));
                }
            }
        }
        terms
    }

    fn term(&self, counts: &Counts, block: usize, id: u32, m: f64) -> Vec<f64> {
        if self.shape.n_classes < 2 {
            return vec![0.0; self.shape.n_classes];
        }
        if self.shape.is_two() {
            return vec![0.0, self.lambda(counts, block, id) * m.powf(-0.5)];
        }
        let scales: Vec<f64> = self.shape.powers().iter().map(|power| m.powf(-power)).collect();
        let row = counts.blocks[block].rows.get(id);
        let df = documents(row);
        let hat = Hat::of_documents(f64::from(df));
        let mut term = vec![0.0; self.shape.n_classes];
        each_class(&self.shape, row, |class, inside| {
            let channels = self.channels(block, class, inside, df, hat);
            term[class] += channels.iter().zip(&scales).map(|(weight, scale)| weight * scale).sum::<f64>();
        });
        if self.shape.blocks[block] == Some(true) {
            let key = counts.blocks[block].runs().key(id);
            let taken_back = self.taken_back[(df as usize).min(FLAT)];
            let share: f64 = taken_back.iter().zip(&scales).map(|(value, scale)| value * scale).sum();
            for word in [(key >> 32) as u32, key as u32] {
                let row = counts.blocks[0].rows.get(word);
                let df = f64::from(documents(row));
                each_class(&self.shape, row, |class, inside| {
                    let inside = f64::from(inside);
                    term[class] += share * self.sides[0][class].odds(inside, df - inside);
                });
            }
        }
        term
    }
}

/// The sum of weights, in four lanes: a fixed order that does not wait for each addition.
fn sum_in_lanes(weights: impl Iterator<Item = f64>) -> f64 {
    let mut lanes = [0.0; 4];
    weights.enumerate().for_each(|(i, weight)| lanes[i % 4] += weight);
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// The weights of the features of a block.
#[derive(Default)]
struct Weights {
    /// With two classes.
    lambdas: Vec<f64>,
    places: Vec<Place>,
    /// By feature that many classes have seen, then by channel and class.
    rows: Vec<f64>,
    /// Classes that know a feature, and by how much its channels there differ from those of its default row.
    list: Vec<(u32, [f64; CHANNELS])>,
    /// The rows that features of the same number of documents have in common.
    defaults: Vec<f64>,
    numbers: HashMap<u32, u32>,
}

#[derive(Clone, Copy, Default)]
struct Place {
    start: u32,
    /// How many in the list; [`Place::ROW`] for a row.
    len: u32,
    /// In how many documents.
    df: u32,
    default: u32,
}

impl Place {
    const ROW: u32 = u32::MAX;
}

impl Weights {
    fn clear(&mut self) {
        self.lambdas.clear();
        self.places.clear();
        self.rows.clear();
        self.list.clear();
        self.defaults.clear();
        self.numbers.clear();
    }

    fn push(&mut self, scorer: &Scorer, counts: &Counts, block: usize, id: u32) {
        if scorer.shape.is_two() {
            self.lambdas.push(scorer.lambda(counts, block, id));
            return;
        }
        let n = scorer.shape.n_classes;
        let row = counts.blocks[block].rows.get(id);
        let df = documents(row);
        if df == 0 {
            self.places.push(Place::default());
            return;
        }
        let hat = Hat::of_documents(f64::from(df));
        let known = row.iter().filter(|cell| cell.documents > 0).count();
        if known * 3 > n {
            self.places.push(Place {
                start: (self.rows.len() / (CHANNELS * n)) as u32,
                len: Place::ROW,
                df,
                default: 0,
            });
            push_row(&mut self.rows, n, |class| {
                let inside = crate::counts::find_cell(row, class).documents;
                scorer.channels(block, class as usize, inside, df, hat)
            });
            return;
        }
        let default = match self.numbers.get(&df) {
            Some(&number) => number,
            None => {
                let number = self.numbers.len() as u32;
                push_row(&mut self.defaults, n, |class| scorer.channels(block, class as usize, 0, df, hat));
                self.numbers.insert(df, number);
                number
            }
        };
        self.places.push(Place { start: self.list.len() as u32, len: known as u32, df, default });
        let common = &self.defaults[default as usize * CHANNELS * n..][..CHANNELS * n];
        for cell in row.iter().filter(|cell| cell.documents > 0) {
            let class = cell.class as usize;
            let mut more = scorer.channels(block, class, cell.documents, df, hat);
            more.iter_mut().enumerate().for_each(|(channel, value)| *value -= common[channel * n + class]);
            self.list.push((cell.class, more));
        }
    }

    /// Adds the channels of the features at these places, the last of them times the feature's share.
    fn add(
        &self,
        n: usize,
        places: impl Iterator<Item = Place>,
        shares: &[f64],
        sums: &mut [f64],
        defaults: &mut Vec<(u32, f64, f64)>,
    ) {
        const W: usize = CHANNELS - 1;
        defaults.clear();
        let add_row = |row: &[f64], times: f64, share: f64, sums: &mut [f64]| {
            sums[..W * n].iter_mut().zip(row).for_each(|(sum, weight)| *sum += times * weight);
            if share != 0.0 {
                sums[W * n..].iter_mut().zip(&row[W * n..]).for_each(|(sum, odds)| *sum += share * odds);
            }
        };
        for (at, place) in places.enumerate() {
            let share = shares.get(at).copied().unwrap_or(0.0);
            if place.len == Place::ROW {
                add_row(&self.rows[place.start as usize * CHANNELS * n..][..CHANNELS * n], 1.0, share, sums);
                continue;
            }
            for (class, more) in &self.list[place.start as usize..(place.start + place.len) as usize] {
                let class = *class as usize;
                (0..W).for_each(|channel| sums[channel * n + class] += more[channel]);
                sums[W * n + class] += share * more[W];
            }
            if place.df > 0 {
                defaults.push((place.df, f64::from(place.default), share));
            }
        }
        // By their numbers of documents: an order that does not depend on when they were first met.
        defaults.sort_by_key(|(df, ..)| *df);
        for group in defaults.chunk_by(|a, b| a.0 == b.0) {
            let row = &self.defaults[group[0].1 as usize * CHANNELS * n..][..CHANNELS * n];
            add_row(row, group.len() as f64, group.iter().map(|(.., share)| share).sum(), sums);
        }
    }
}

fn push_row(rows: &mut Vec<f64>, n: usize, channels: impl Fn(u32) -> [f64; CHANNELS]) {
    let start = rows.len();
    rows.resize(start + CHANNELS * n, 0.0);
    for class in 0..n {
        let values = channels(class as u32);
        values.iter().enumerate().for_each(|(channel, value)| rows[start + channel * n + class] = *value);
    }
}
