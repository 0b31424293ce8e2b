//! The numbers on which curves are fitted: what each document says, with its own group's counts taken out.

use std::ops::Range;

use super::evidence::{Cells, EvidenceRow, FLAT, Hat, KNOTS, Side, Sides};
use super::length::{CHANNELS, scales};
use super::{Curves, Shape};
use crate::counts::Counts;
use crate::documents::{Documents, Features, Taken, Taker, Total};
use crate::processor::vectorised;
use crate::regression::dot;
use crate::rows::{Cell, Rows};
use crate::text::Analyzer;
use crate::threads::{each_on_a_thread, equal_parts};

/// How many features ahead memory is asked for.
const AHEAD: usize = 16;
/// So many cells of features and classes wait to be worked out together: enough for most documents.
const MOST_CELLS: usize = 1 << 16;

/// Counts, and the shape of the curves by which they are read.
pub struct Corpus<'a> {
    counts: &'a Counts,
    shape: Shape,
}

/// What each number of the curves is multiplied by, before the length of the document is taken into account.
///
/// By row (each document, then a window of each where there are windows), class and number. Less the mean of the classes, which no
/// probability depends on; but for classes that overlap, which have probabilities of their own.
pub struct Basis {
    /// Piece by piece, as threads have made them: joining them would take as long as reading them.
    values: Vec<Vec<f64>>,
    /// By row and counted block, how many features it has that others have too.
    pub lengths: Vec<u32>,
    shape: Shape,
    n_places: usize,
}

impl Basis {
    /// The numbers with which the curves of all channels are multiplied: by row, class, block, channel and number. Of a basis of all
    /// classes, `lists` may name some for each row.
    pub fn features(&self, caps: &[f64], lists: &[u32]) -> Vec<f64> {
        let (blocks, raw) = (self.shape.counted().collect::<Vec<_>>(), self.raw());
        let picks = !lists.is_empty() && self.is_whole();
        let n_places = if picks { lists.len() / self.n_rows().max(1) } else { self.n_places };
        let mut features = Vec::with_capacity(self.n_rows() * n_places * raw * CHANNELS);
        let mut picked = vec![0.0; if picks { n_places * raw } else { 0 }];
        for (at, (row, lengths)) in self.rows().enumerate() {
            let by_block: Vec<[f64; CHANNELS]> =
                lengths.iter().zip(caps).map(|(&m, &cap)| scales(f64::from(m), cap)).collect();
            let mut row = row;
            if picks {
                for (target, &class) in picked.chunks_mut(raw).zip(&lists[at * n_places..]) {
                    target.copy_from_slice(&row[class as usize * raw..][..raw]);
                }
                centre(&mut picked, raw);
                row = &picked;
            }
            for values in row.chunks(raw) {
                let mut start = 0;
                for (&(_, has_parents), scales) in blocks.iter().zip(&by_block) {
                    let width = self.shape.width(has_parents);
                    for scale in scales {
                        features.extend(values[start..start + width].iter().map(|value| value * scale));
                    }
                    start += width;
                }
            }
        }
        features
    }

    /// The score of each row and class, without a start and up to a number that the classes share; each row has one of several
    /// curves to read it.
    pub fn scores(&self, curves: &[Curves], turns: &[u32]) -> Vec<f64> {
        let raw = self.raw();
        let (mut scores, mut weights) = (Vec::with_capacity(self.n_rows() * self.n_places), vec![]);
        for ((row, lengths), &turn) in self.rows().zip(turns) {
            let curves = &curves[turn as usize];
            weights.clear();
            for ((&m, &cap), numbers) in lengths.iter().zip(&curves.caps).zip(&curves.numbers) {
                let [first, second] = scales(f64::from(m), cap);
                weights.extend(numbers[0].iter().zip(&numbers[1]).map(|(a, b)| first * a + second * b));
            }
            scores.extend(row.chunks(raw).map(|values| dot(values, &weights)));
        }
        scores
    }

    /// The numbers of each row and how many features it has by block.
    fn rows(&self) -> impl Iterator<Item = (&[f64], &[u32])> {
        let n_blocks = self.shape.counted().count();
        let width = self.raw() * self.n_places;
        self.values.iter().flat_map(move |piece| piece.chunks(width.max(1))).zip(self.lengths.chunks(n_blocks.max(1)))
    }

    /// How many numbers there are by row and class.
    fn raw(&self) -> usize {
        self.shape.len() / CHANNELS
    }

    /// Whether it is of all classes that have a score.
    fn is_whole(&self) -> bool {
        self.n_places == self.shape.n_scored()
    }

    /// Whether each row can have as many of these classes.
    pub fn knows(&self, lists: &[u32]) -> bool {
        let n_rows = self.n_rows().max(1);
        lists.len().is_multiple_of(n_rows)
            && (!self.is_whole() || lists.iter().all(|&class| (class as usize) < self.n_places))
    }

    /// Curves of the same shape; None where they are for other blocks.
    pub fn curves(&self, unified: &[f64], caps: &[f64]) -> Option<Curves> {
        Curves::new(&self.shape, unified, caps)
    }

    pub fn n_features(&self) -> usize {
        self.shape.len()
    }

    pub fn n_rows(&self) -> usize {
        self.lengths.len() / self.shape.counted().count().max(1)
    }
}

impl<'a> Corpus<'a> {
    pub fn new(counts: &'a Counts, analyzer: &Analyzer) -> Self {
        Corpus { counts, shape: Shape::new(analyzer, counts) }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The sides of a block for some classes, from which `taken` is taken.
    pub(super) fn sides(&self, block: usize, taken: &[Total], classes: &[u32], sides: &mut Vec<Side>) {
        let sums = &self.counts.blocks[block].rows.sums;
        let less = |class: u32| {
            let total = taken.iter().find(|total| total.class == class);
            total.map_or(0, |total| total.features[block])
        };
        let (all, gone) = match self.shape.is_overlapping {
            true => (sums[0].documents, less(0)),
            false => (
                sums.iter().map(|sum| sum.documents).sum::<u64>(),
                taken.iter().map(|total| total.features[block]).sum(),
            ),
        };
        let all = all.saturating_sub(gone);
        let size = |class: u32| sums[class as usize].documents.saturating_sub(less(class)) as f64;
        sides.clear();
        sides.extend(classes.iter().map(|&class| Side::new(size(class), all as f64)));
    }

    /// The basis of documents, as if none of their groups had been counted. With `lists`, of so many classes for each row; else
    /// of all that have a score.
    pub fn basis(&self, documents: &Documents, lists: Option<(&[u32], usize)>, threads: usize) -> Basis {
        let all: Vec<u32> = self.shape.classes().collect();
        let n_places = lists.map_or(all.len(), |(_, width)| width);
        let (n_blocks, raw) = (self.shape.counted().count(), self.shape.len() / CHANNELS);
        let views = views_of(documents);
        // Where the numbers of each block begin.
        let widths = self.shape.counted().map(|(_, has_parents)| self.shape.width(has_parents));
        let starts: Vec<usize> = widths.scan(0, |end, width| Some(std::mem::replace(end, *end + width))).collect();
        let parts = each_on_a_thread(&equal_parts(documents.len(), threads), |part| {
            let mut values = vec![vec![0.0; part.len() * n_places * raw]; views.len()];
            let mut lengths = vec![vec![0; part.len() * n_blocks]; views.len()];
            let (mut scratch, mut taker) = (Scratch::default(), Taker::new(documents));
            for (place, at) in part.clone().enumerate() {
                let taken = taker.of(at);
                let totals = taken.totals();
                let mut write = |view: usize, block: usize, known: u32, sums: &[f64]| {
                    lengths[view][place * n_blocks + block] = known;
                    let values = &mut values[view][place * n_places * raw..][..n_places * raw];
                    for (number, sums) in sums.chunks(n_places).enumerate() {
                        let values = values[starts[block] + number..].iter_mut().step_by(raw);
                        values.zip(sums).for_each(|(value, sum)| *value = *sum);
                    }
                };
                match lists {
                    None => {
                        let asked = Asked {
                            views: &views,
                            at,
                            classes: &all,
                            is_listed: false,
                            taken: &taken,
                            totals: &totals,
                        };
                        self.each_block(&asked, &mut scratch, write);
                    }
                    // Documents and windows have lists of their own.
                    Some((lists, width)) => {
                        for view in 0..views.len() {
                            let classes = &lists[(view * documents.len() + at) * width..][..width];
                            let views = &views[view..=view];
                            let asked = Asked { views, at, classes, is_listed: true, taken: &taken, totals: &totals };
                            self.each_block(&asked, &mut scratch, |_, block, known, sums| {
                                write(view, block, known, sums)
                            });
                        }
                    }
                }
                if !self.shape.is_overlapping {
                    let row = place * n_places * raw..(place + 1) * n_places * raw;
                    values.iter_mut().for_each(|values| centre(&mut values[row.clone()], raw));
                }
            }
            (values, lengths)
        });
        let lengths = joined(parts.iter().map(|(_, lengths)| lengths), views.len());
        let mut values: Vec<_> = parts.into_iter().map(|(values, _)| values.into_iter()).collect();
        let values = (0..views.len()).flat_map(|_| values.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>());
        let values = values.collect();
        Basis { values, lengths, shape: self.shape.clone(), n_places }
    }

    /// The score of each of the first `most` documents and each scored class, without a start, as if its group had not been counted,
    /// and then of a window of each where there are windows; and how many words each has.
    ///
    /// There can be several sets of curves: each group has the one whose turn it is.
    pub fn leave_one_out(
        &self,
        documents: &Documents,
        most: usize,
        curves: &[Curves],
        threads: usize,
    ) -> (Vec<f64>, Vec<u32>) {
        let classes: Vec<u32> = self.shape.classes().collect();
        let n = classes.len();
        let views = views_of(documents);
        let parts = each_on_a_thread(&equal_parts(documents.len().min(most), threads), |part| {
            let (mut scratch, mut taker) = (Scratch::default(), Taker::new(documents));
            let mut scores = vec![vec![0.0; part.len() * n]; views.len()];
            let mut lengths = vec![vec![]; views.len()];
            for (place, at) in part.clone().enumerate() {
                let curves = &curves[documents.groups[at] as usize % curves.len()];
                let taken = taker.of(at);
                let totals = taken.totals();
                let asked =
                    Asked { views: &views, at, classes: &classes, is_listed: false, taken: &taken, totals: &totals };
                self.each_block(&asked, &mut scratch, |view, block, known, sums| {
                    if block == 0 {
                        lengths[view].push(known);
                    }
                    curves.add(block, known, sums, &mut scores[view][place * n..][..n]);
                });
            }
            (scores, lengths)
        });
        (
            joined(parts.iter().map(|(scores, _)| scores), views.len()),
            joined(parts.iter().map(|(_, lengths)| lengths), views.len()),
        )
    }

    /// Visits each view of a document and each counted block with their numbers, how many features are known, and the sums by number
    /// and class.
    fn each_block(&self, asked: &Asked, scratch: &mut Scratch, mut visit: impl FnMut(usize, usize, u32, &[f64])) {
        for (number, (block, has_parents)) in self.shape.counted().enumerate() {
            let rows = &self.counts.blocks[block].rows;
            let part = Part {
                shape: &self.shape,
                classes: asked.classes,
                is_listed: asked.is_listed,
                width: self.shape.width(has_parents),
                keeps_odds: block == 0 && self.shape.pairs().is_some(),
                has_parents,
            };
            self.sides(block, asked.totals, asked.classes, &mut scratch.sides);
            scratch.start(&part, asked, block);
            match self.shape.is_two() {
                true => scratch.read_two(&part, asked, block, rows),
                false => scratch.read_more(&part, asked, block, rows),
            }
            if has_parents {
                let features = &asked.views[0][block];
                scratch.take_back(&part, &features.parents[features.range(asked.at)]);
            }
            for (view, View { known, sums, .. }) in scratch.views.iter().take(asked.views.len()).enumerate() {
                visit(view, number, *known, sums);
            }
        }
    }
}

impl Curves {
    /// Adds what sums by number and class, of so many features of a block, say to the score of each class.
    fn add(&self, block: usize, known: u32, sums: &[f64], scores: &mut [f64]) {
        let scales = scales(f64::from(known), self.caps[block]);
        for (number, sums) in sums.chunks(scores.len()).enumerate() {
            let curves = &self.numbers[block];
            let weight: f64 = (0..CHANNELS).map(|channel| scales[channel] * curves[channel][number]).sum();
            scores.iter_mut().zip(sums).for_each(|(score, sum)| *score += weight * sum);
        }
    }
}

/// The documents, and a window of each where there are windows.
fn views_of(documents: &Documents) -> Vec<&[Features]> {
    [&documents.blocks[..], &documents.windows].into_iter().filter(|view| !view.is_empty()).collect()
}

/// Arrays by part and view, joined: the first view of all parts, then the next.
fn joined<'a, T: Copy + 'a>(parts: impl Iterator<Item = &'a Vec<Vec<T>>> + Clone, n_views: usize) -> Vec<T> {
    (0..n_views).flat_map(|view| parts.clone().flat_map(move |part| part[view].iter().copied())).collect()
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

/// A document, and what is to be known of it.
struct Asked<'a> {
    /// The features of the document by block, and of a window of it; or of the window alone.
    views: &'a [&'a [Features]],
    at: usize,
    classes: &'a [u32],
    is_listed: bool,
    taken: &'a Taken<'a>,
    /// What that takes from each class.
    totals: &'a [Total],
}

/// A document's features of one block.
struct Part<'a> {
    shape: &'a Shape,
    /// What is asked for; with `is_listed` these are some of all classes.
    classes: &'a [u32],
    is_listed: bool,
    /// The numbers of the block's curves.
    width: usize,
    /// Whether the odds are needed by pairs later.
    keeps_odds: bool,
    /// Whether these are pairs of features whose odds were kept.
    has_parents: bool,
}

/// The sums of a document's features of one block, and what they need of memory.
///
/// A window has features of its document, which say the same there: they are worked out once and added to both.
///
/// With many classes most have not seen most features. To these a feature of so many documents says the same as any other of
/// as many documents: that is worked out once for all of them.
#[derive(Default)]
struct Scratch {
    /// The document, and its window.
    views: Vec<View>,
    sides: Vec<Side>,
    columns: Sides,
    /// By word of the document and class.
    odds: Vec<f64>,
    /// With two classes: how many documents of the second have each feature.
    inside: Vec<f64>,
    row: EvidenceRow,
    /// By feature in how many documents it is; 0 where nobody else has it.
    documents: Vec<u32>,
    /// By feature whether the window has it.
    in_window: Vec<bool>,
    /// By class, where some are listed: its place among these, or [`NONE`].
    listed: Vec<u32>,
    /// With more classes: features whose cells are waiting.
    waiting: Vec<Waiting>,
    cells: Cells,
    /// Where the features of so many documents are in `alike`, [`NONE`] where there are none.
    places: Vec<u32>,
    alike: Vec<Alike>,
    n_alike: usize,
    /// The cells of a feature that are left.
    left: Vec<Cell>,
}

/// The sums of a document, or of its window.
#[derive(Default)]
struct View {
    known: u32,
    /// By number of the curves and class.
    sums: Vec<f64>,
    /// By word of the document and knot: the share of its odds that pairs take back.
    shares: Vec<[f64; KNOTS]>,
}

/// A feature, and which cells are its own: those of all classes, or with `alike` those of classes that have seen it.
struct Waiting {
    df: u32,
    in_window: bool,
    alike: u32,
    cells: Range<usize>,
}

const NONE: u32 = u32::MAX;

/// Features of the same number of documents.
#[derive(Clone, Default)]
struct Alike {
    df: u32,
    /// The first of the cells that say what each says to a class that has not seen it.
    unseen: usize,
    /// How many there are, by view.
    n: [f64; 2],
    /// By view and class: how many of them it has seen.
    seen: [Vec<f64>; 2],
}

impl Scratch {
    fn start(&mut self, part: &Part, asked: &Asked, block: usize) {
        let n = part.classes.len();
        self.columns.read(&self.sides);
        self.views.resize_with(self.views.len().max(asked.views.len()), View::default);
        let n_words = self.odds.len() / n.max(1);
        for view in &mut self.views {
            view.known = 0;
            view.sums.clear();
            view.sums.resize(part.width * n, 0.0);
            if part.has_parents {
                view.shares.clear();
                view.shares.resize(n_words, [0.0; KNOTS]);
            }
        }
        self.places.resize(FLAT, NONE);
        self.documents.clear();
        self.in_window.clear();
        self.in_window.resize(asked.views[0][block].range(asked.at).len(), false);
        if let Some(window) = asked.views.get(1).map(|view| &view[block]) {
            window.whole[window.range(asked.at)].iter().for_each(|&place| self.in_window[place as usize] = true);
        }
        if part.is_listed {
            self.listed.resize(part.shape.n_classes, NONE);
            part.classes.iter().zip(0..).for_each(|(&class, place)| self.listed[class as usize] = place);
        }
        if part.keeps_odds {
            self.odds.clear();
        }
    }

    /// Adds the features of a document of two classes.
    fn read_two(&mut self, part: &Part, asked: &Asked, block: usize, rows: &Rows) {
        let features = &asked.views[0][block];
        let ids = &features.ids[features.range(asked.at)];
        self.inside.clear();
        for (i, &id) in ids.iter().enumerate() {
            expect(rows, ids, i);
            let [first, second] = asked.taken.left_of_two(block, id, rows.get(id));
            self.inside.push(f64::from(second));
            self.documents.push(first + second);
        }
        // All at once: several logarithms take little longer than one.
        self.sides[0].all_odds(&self.inside, &self.documents, &mut self.row);
        let evidence = self.row.odds.iter().zip(&self.row.z);
        for ((&df, &in_window), (&odds, &z)) in self.documents.iter().zip(&self.in_window).zip(evidence) {
            // One that nobody else has says nothing: its odds are 0.
            let (ratio, documents) = (Hat::of_ratio(z), Hat::of_documents(df));
            for view in &mut self.views[..1 + usize::from(in_window)] {
                view.known += u32::from(df > 0);
                ratio.spread(odds, &mut view.sums);
                documents.spread(odds, &mut view.sums[KNOTS..]);
            }
        }
        if part.keeps_odds {
            self.odds.extend_from_slice(&self.row.odds);
        }
    }

    /// Adds the features of a document of more classes.
    fn read_more(&mut self, part: &Part, asked: &Asked, block: usize, rows: &Rows) {
        let features = &asked.views[0][block];
        let ids = &features.ids[features.range(asked.at)];
        let mut left = std::mem::take(&mut self.left);
        for (i, &id) in ids.iter().enumerate() {
            expect(rows, ids, i);
            // Presences count: how often they stand there does not.
            asked.taken.left(block, id, 1, rows.get(id), &mut left);
            let (df, in_window) = (part.shape.documents(&left), self.in_window[i]);
            self.documents.push(df);
            if df > 0 {
                self.views[..1 + usize::from(in_window)].iter_mut().for_each(|view| view.known += 1);
            }
            let (alike, cells) = self.cells_of(part, &left, df);
            self.waiting.push(Waiting { df, in_window, alike, cells });
            if self.cells.len() >= MOST_CELLS {
                self.add_waiting(part);
            }
        }
        self.add_waiting(part);
        if part.is_listed {
            part.classes.iter().for_each(|&class| self.listed[class as usize] = NONE);
        }
        self.left = left;
    }

    /// The cells of a feature of so many documents: of all classes, or of those that have seen it, beside what it is alike with.
    fn cells_of(&mut self, part: &Part, row: &[Cell], df: u32) -> (u32, Range<usize>) {
        let place = |listed: &[u32], class: u32| {
            let place = if part.is_listed { listed[class as usize] } else { class };
            (place != NONE).then_some(place as usize)
        };
        let mut first = self.cells.len();
        if df == 0 {
            return (NONE, first..first);
        }
        if 2 * row.len() > part.shape.n_classes || df as usize >= FLAT {
            let counts = self.cells.push_all(&self.columns, df);
            for cell in row {
                if let Some(place) = place(&self.listed, cell.class) {
                    counts[place] = f64::from(cell.documents);
                }
            }
            return (NONE, first..self.cells.len());
        }
        let alike = self.alike_with(part, df);
        first = self.cells.len();
        for cell in row.iter().filter(|cell| cell.documents > 0) {
            if let Some(place) = place(&self.listed, cell.class) {
                self.cells.push(place, &self.sides[place], cell.documents, df);
            }
        }
        (alike, first..self.cells.len())
    }

    /// The number of the features of so many documents in `alike`.
    fn alike_with(&mut self, part: &Part, df: u32) -> u32 {
        let number = &mut self.places[df as usize];
        if *number == NONE {
            *number = self.n_alike as u32;
            self.n_alike += 1;
            self.alike.resize(self.alike.len().max(self.n_alike), Alike::default());
            let alike = &mut self.alike[*number as usize];
            (alike.df, alike.unseen, alike.n) = (df, self.cells.len(), [0.0; 2]);
            for seen in &mut alike.seen {
                seen.clear();
                seen.resize(part.classes.len(), 0.0);
            }
            self.cells.push_all(&self.columns, df);
        }
        *number
    }

    /// Works out the cells that are waiting, and adds what they say.
    fn add_waiting(&mut self, part: &Part) {
        let n = part.classes.len();
        self.cells.listen();
        let Scratch { cells, alike, views, odds, places, .. } = self;
        for Waiting { df, in_window, alike: number, cells: own } in self.waiting.drain(..) {
            let hat = Hat::of_documents(df);
            let views = views[..1 + usize::from(in_window)].iter_mut().enumerate();
            if number == NONE {
                views
                    .filter(|_| df > 0)
                    .for_each(|(_, view)| spread(cells, own.start, n, |_| 1.0, hat, &mut view.sums));
                if part.keeps_odds && df > 0 {
                    odds.extend_from_slice(&cells.said.odds[own]);
                } else if part.keeps_odds {
                    odds.resize(odds.len() + n, 0.0);
                }
                continue;
            }
            let alike = &mut alike[number as usize];
            for (view, View { sums, .. }) in views {
                alike.n[view] += 1.0;
                for cell in own.clone() {
                    let place = cells.places[cell] as usize;
                    alike.seen[view][place] += 1.0;
                    let mut add = |curve: usize, knot: usize, share: f64, value: f64| {
                        let knot = curve * KNOTS + knot;
                        sums[knot * n + place] += value * (1.0 - share);
                        sums[(knot + 1) * n + place] += value * share;
                    };
                    add(0, cells.knots[cell] as usize, cells.shares[cell], cells.said.odds[cell]);
                    add(1, hat.knot, hat.share, cells.said.inside[cell]);
                    add(2, hat.knot, hat.share, cells.said.outside[cell]);
                }
            }
            if part.keeps_odds {
                let first = odds.len();
                odds.extend_from_slice(&cells.said.odds[alike.unseen..alike.unseen + n]);
                own.for_each(|cell| odds[first + cells.places[cell] as usize] = cells.said.odds[cell]);
            }
        }
        for alike in &self.alike[..self.n_alike] {
            places[alike.df as usize] = NONE;
            let hat = Hat::of_documents(alike.df);
            for (view, (n_alike, seen)) in views.iter_mut().zip(alike.n.iter().zip(&alike.seen)) {
                if *n_alike > 0.0 {
                    let seen = &seen[..n];
                    spread(cells, alike.unseen, n, |class| n_alike - seen[class], hat, &mut view.sums);
                }
            }
        }
        self.n_alike = 0;
        self.cells.clear();
    }

    /// Adds what pairs, those that were read last, take back from the odds of their words.
    fn take_back(&mut self, part: &Part, parents: &[[u32; 2]]) {
        let n = part.classes.len();
        let pairs = parents.iter().zip(&self.documents).zip(&self.in_window);
        for ((words, &df), &in_window) in pairs.filter(|((_, df), _)| **df > 0) {
            let hat = Hat::of_documents(df);
            for view in &mut self.views[..1 + usize::from(in_window)] {
                words.iter().for_each(|&word| hat.spread(1.0, &mut view.shares[word as usize]));
            }
        }
        for View { sums, shares, .. } in &mut self.views {
            let sums = &mut sums[(part.width - KNOTS) * n..];
            for (shares, odds) in shares.iter().zip(self.odds.chunks(n)) {
                for (sums, share) in sums.chunks_mut(n).zip(shares).filter(|(_, share)| **share != 0.0) {
                    sums.iter_mut().zip(odds).for_each(|(sum, odds)| *sum += share * odds);
                }
            }
        }
    }
}

/// Asks for the memory of rows that will be read soon.
#[inline(always)]
fn expect(rows: &Rows, ids: &[u32], i: usize) {
    if let Some(&id) = ids.get(i + AHEAD) {
        rows.expect(id);
        rows.expect_cells(ids[i + AHEAD / 2]);
    }
}

/// Adds what the cells of all `n` classes say, each so many times, to the sums.
#[inline(always)]
fn spread(cells: &Cells, first: usize, n: usize, times: impl Fn(usize) -> f64, hat: Hat, sums: &mut [f64]) {
    let own = first..first + n;
    let [odds, inside, outside] =
        [&cells.said.odds, &cells.said.inside, &cells.said.outside].map(|all| &all[own.clone()]);
    let (knots, shares) = (&cells.knots[own.clone()], &cells.shares[own]);
    let (by_ratio, by_documents) = sums.split_at_mut(KNOTS * n);
    for class in 0..n {
        let (knot, value) = (knots[class] as usize * n + class, times(class) * odds[class]);
        by_ratio[knot] += value * (1.0 - shares[class]);
        by_ratio[knot + n] += value * shares[class];
    }
    let (by_inside, by_outside) = by_documents.split_at_mut(KNOTS * n);
    vectorised(
        #[inline(always)]
        || {
            for (values, sums) in [(inside, by_inside), (outside, by_outside)] {
                let (low, high) = sums[hat.knot * n..][..2 * n].split_at_mut(n);
                for class in 0..n {
                    let value = times(class) * values[class];
                    low[class] += value * (1.0 - hat.share);
                    high[class] += value * hat.share;
                }
            }
        },
    );
}
