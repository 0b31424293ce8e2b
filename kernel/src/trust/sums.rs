//! What the features of a document, and of a window of it, say to each class: the sums that curves are multiplied with.

use std::collections::HashMap;
use std::ops::Range;

use super::Shape;
use super::evidence::{CellRows, Cells, EvidenceRow, FLAT, Hat, KNOTS, Said, Side};
use crate::documents::{Features, Taken, Total};
use crate::processor::{LANES, vectorised};
use crate::rows::{Cell, Rows};

/// How many features ahead memory is asked for.
const AHEAD: usize = 16;
/// So many cells of features and classes wait to be worked out together: enough for most documents.
const MOST_CELLS: usize = 1 << 16;
/// Of a row of more cells only those are read that a document's list of classes asks for.
const LONG_ROW: usize = if cfg!(test) { 2 } else { 128 };

/// A document, and what is to be known of it.
pub(super) struct Asked<'a> {
    /// The features of the document by block, and of a window of it; or of the window alone.
    pub(super) views: &'a [&'a [Features]],
    pub(super) at: usize,
    pub(super) classes: &'a [u32],
    pub(super) is_listed: bool,
    pub(super) taken: &'a Taken<'a>,
    /// What that takes from each class.
    pub(super) totals: &'a [Total],
}

/// A document's features of one block.
pub(super) struct Part<'a> {
    pub(super) shape: &'a Shape,
    /// What is asked for; with `is_listed` these are some of all classes.
    pub(super) classes: &'a [u32],
    pub(super) is_listed: bool,
    /// The numbers of the block's curves.
    pub(super) width: usize,
    /// Whether the odds are needed by pairs later.
    pub(super) keeps_odds: bool,
    /// Whether these are pairs of features whose odds were kept.
    pub(super) has_parents: bool,
}

/// The sums of a document's features of one block, and what they need of memory.
///
/// A window has features of its document, which say the same there: they are worked out once and added to both.
///
/// With many classes most have not seen most features. To these a feature of so many documents says the same as any other of
/// as many documents: that is worked out once for all of them.
#[derive(Default)]
pub(super) struct Scratch {
    /// The document, and its window.
    pub(super) views: Vec<View>,
    pub(super) sides: Vec<Side>,
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
    rows: CellRows,
    cells: Cells,
    /// Where the features of so many documents are in `alike`, [`NONE`] where there are none.
    places: Vec<u32>,
    alike: Vec<Alike>,
    n_alike: usize,
    /// The cells of a feature that are left.
    left: Vec<Cell>,
    /// By block and feature that very many classes have, the documents that have it.
    long_rows: HashMap<(usize, u32), u32>,
}

/// The sums of a document, or of its window.
#[derive(Default)]
pub(super) struct View {
    pub(super) known: u32,
    /// By number of the curves and class.
    pub(super) sums: Vec<f64>,
    /// By word of the document and knot: the share of its odds that pairs take back.
    shares: Vec<[f64; KNOTS]>,
}

/// A feature, and which cells are its own: those of all classes, in a row, or with `alike` those of classes that have seen it.
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
    pub(super) fn start(&mut self, part: &Part, asked: &Asked, block: usize) {
        let n = part.classes.len();
        self.rows.start(&self.sides);
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
    pub(super) fn read_two(&mut self, part: &Part, asked: &Asked, block: usize, rows: &Rows) {
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
    pub(super) fn read_more(&mut self, part: &Part, asked: &Asked, block: usize, rows: &Rows) {
        let features = &asked.views[0][block];
        let ids = &features.ids[features.range(asked.at)];
        let mut left = std::mem::take(&mut self.left);
        let touched = touched(part, asked);
        // Whether a row of many classes is read where it is wanted: most are, in one pass and without a search.
        let is_direct = !part.is_listed && asked.taken.is_of_copies();
        for (i, &id) in ids.iter().enumerate() {
            expect(rows, ids, i);
            let row = rows.get(id);
            let in_window = self.in_window[i];
            // Presences count: how often they stand there does not.
            let (df, alike, cells) = if is_direct && has_row(part, row.len()) {
                let (counts, first) = self.rows.push();
                let all = asked.taken.left_by_class(row, counts);
                let df = if part.shape.is_overlapping { counts[0] as u32 } else { all };
                self.rows.finish(df);
                (df, NONE, first..self.rows.len())
            } else {
                let df = if part.is_listed && row.len() > LONG_ROW {
                    let gone = asked.taken.left_of(block, id, 1, row, &touched, &mut left);
                    let all = self.long_rows.entry((block, id)).or_insert_with(|| part.shape.documents(row));
                    if part.shape.is_overlapping { part.shape.documents(&left) } else { *all - gone }
                } else {
                    asked.taken.left(block, id, 1, row, &mut left);
                    part.shape.documents(&left)
                };
                let (alike, cells) = self.cells_of(part, &left, row.len(), df);
                (df, alike, cells)
            };
            self.documents.push(df);
            if df > 0 {
                self.views[..1 + usize::from(in_window)].iter_mut().for_each(|view| view.known += 1);
            }
            self.waiting.push(Waiting { df, in_window, alike, cells });
            if self.rows.len() + self.cells.len() >= MOST_CELLS {
                self.add_waiting(part);
            }
        }
        self.add_waiting(part);
        if part.is_listed {
            part.classes.iter().for_each(|&class| self.listed[class as usize] = NONE);
        }
        self.left = left;
    }

    /// The cells of a feature of so many classes and documents: of all classes, or of those that have seen it, beside what it is alike
    /// with.
    fn cells_of(&mut self, part: &Part, row: &[Cell], n_known: usize, df: u32) -> (u32, Range<usize>) {
        let place = |listed: &[u32], class: u32| {
            let place = if part.is_listed { listed[class as usize] } else { class };
            (place != NONE).then_some(place as usize)
        };
        if df == 0 {
            return (NONE, 0..0);
        }
        if has_row(part, n_known) || df as usize >= FLAT {
            let (counts, first) = self.rows.push();
            for cell in row {
                if let Some(place) = place(&self.listed, cell.class) {
                    counts[place] = f64::from(cell.documents);
                }
            }
            self.rows.finish(df);
            return (NONE, first..self.rows.len());
        }
        let alike = self.alike_with(part, df);
        let first = self.cells.len();
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
            (alike.df, alike.unseen, alike.n) = (df, self.rows.push().1, [0.0; 2]);
            self.rows.finish(df);
            for seen in &mut alike.seen {
                seen.clear();
                seen.resize(part.classes.len(), 0.0);
            }
        }
        *number
    }

    /// Works out the cells that are waiting, and adds what they say.
    fn add_waiting(&mut self, part: &Part) {
        let n = part.classes.len();
        self.rows.listen();
        self.cells.listen();
        let Scratch { rows, cells, alike, views, odds, places, .. } = self;
        let (unseen, own_said) = (&rows.said, &cells.said);
        for Waiting { df, in_window, alike: number, cells: own } in self.waiting.drain(..) {
            let hat = Hat::of_documents(df);
            let views = views[..1 + usize::from(in_window)].iter_mut().enumerate();
            if number == NONE {
                views
                    .filter(|_| df > 0)
                    .for_each(|(_, view)| spread(unseen, own.start, n, |_| 1.0, hat, &mut view.sums));
                if part.keeps_odds && df > 0 {
                    odds.extend_from_slice(&unseen.row.odds[own]);
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
                    add(0, own_said.knots[cell] as usize, own_said.shares[cell], own_said.row.odds[cell]);
                    add(1, hat.knot, hat.share, own_said.row.inside[cell]);
                    add(2, hat.knot, hat.share, own_said.row.outside[cell]);
                }
            }
            if part.keeps_odds {
                let first = odds.len();
                odds.extend_from_slice(&unseen.row.odds[alike.unseen..alike.unseen + n]);
                own.for_each(|cell| odds[first + cells.places[cell] as usize] = own_said.row.odds[cell]);
            }
        }
        for alike in &self.alike[..self.n_alike] {
            places[alike.df as usize] = NONE;
            let hat = Hat::of_documents(alike.df);
            for (view, (n_alike, seen)) in views.iter_mut().zip(alike.n.iter().zip(&alike.seen)) {
                if *n_alike > 0.0 {
                    let seen = &seen[..n];
                    spread(unseen, alike.unseen, n, |class| n_alike - seen[class], hat, &mut view.sums);
                }
            }
        }
        self.n_alike = 0;
        self.rows.clear();
        self.cells.clear();
    }

    /// Adds what pairs, those that were read last, take back from the odds of their words.
    pub(super) fn take_back(&mut self, part: &Part, parents: &[[u32; 2]]) {
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
            vectorised(
                #[inline(always)]
                || {
                    let mut from = 0;
                    while from < n {
                        from += match n - from {
                            8.. => add_shares::<8>(shares, &self.odds, n, from, sums),
                            4.. => add_shares::<4>(shares, &self.odds, n, from, sums),
                            _ => add_shares::<1>(shares, &self.odds, n, from, sums),
                        };
                    }
                },
            );
        }
    }
}

/// Adds to the sums of `N` of `n` classes, from one on, the odds of each word times its shares, by knot; returns `N`. All sums stay in
/// registers, and are taken in the order of the words.
#[inline(always)]
fn add_shares<const N: usize>(shares: &[[f64; KNOTS]], odds: &[f64], n: usize, from: usize, sums: &mut [f64]) -> usize {
    let mut lanes = [[0.0; N]; KNOTS];
    for (shares, odds) in shares.iter().zip(odds.chunks_exact(n)) {
        let odds = &odds[from..from + N];
        for (lanes, share) in lanes.iter_mut().zip(shares) {
            for (lane, odds) in lanes.iter_mut().zip(odds) {
                *lane += share * odds;
            }
        }
    }
    for (sums, lanes) in sums.chunks_exact_mut(n).zip(&lanes) {
        sums[from..from + N].iter_mut().zip(lanes).for_each(|(sum, lane)| *sum += lane);
    }
    N
}

/// The listed classes and those that something is taken from, rising: all of a long row that has to be looked at.
fn touched(part: &Part, asked: &Asked) -> Vec<u32> {
    if !part.is_listed {
        return vec![];
    }
    let of_all = part.shape.is_overlapping.then_some(0);
    let taken = asked.totals.iter().map(|total| total.class);
    let mut classes: Vec<u32> = part.classes.iter().copied().chain(taken).chain(of_all).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Asks for the memory of rows that will be read soon.
#[inline(always)]
fn expect(rows: &Rows, ids: &[u32], i: usize) {
    if let Some(&id) = ids.get(i + AHEAD) {
        rows.expect(id);
        rows.expect_cells(ids[i + AHEAD / 2]);
    }
}

/// Whether so many of the classes know a feature that it is worked out for all of them.
#[inline(always)]
fn has_row(part: &Part, n_known: usize) -> bool {
    2 * n_known > part.shape.n_classes
}

/// Adds what the cells of all `n` classes say, each so many times, to the sums.
#[inline(always)]
fn spread(said: &Said, first: usize, n: usize, times: impl Fn(usize) -> f64, hat: Hat, sums: &mut [f64]) {
    let own = first..first + n;
    let [odds, inside, outside] = [&said.row.odds, &said.row.inside, &said.row.outside].map(|all| &all[own.clone()]);
    let (knots, shares) = (&said.knots[own.clone()], &said.shares[own]);
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
            add_between(inside, &times, hat, by_inside);
            add_between(outside, &times, hat, by_outside);
        },
    );
}

/// Adds numbers by class, each so many times, to the sums of the two knots around a place.
#[inline(always)]
fn add_between(values: &[f64], times: &impl Fn(usize) -> f64, hat: Hat, sums: &mut [f64]) {
    let n = values.len();
    let (low, high) = sums[hat.knot * n..][..2 * n].split_at_mut(n);
    // In pieces that fill registers: a loop over a few classes would take most of them one by one.
    let mut from = 0;
    while n - from >= LANES {
        let [low, high] = [&mut *low, &mut *high].map(|sums| &mut sums[from..from + LANES]);
        let values = &values[from..from + LANES];
        for lane in 0..LANES {
            let value = times(from + lane) * values[lane];
            low[lane] += value * (1.0 - hat.share);
            high[lane] += value * hat.share;
        }
        from += LANES;
    }
    for class in from..n {
        let value = times(class) * values[class];
        low[class] += value * (1.0 - hat.share);
        high[class] += value * hat.share;
    }
}
