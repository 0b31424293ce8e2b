//! The numbers on which curves are fitted: what each document says, with its own group's counts taken out.

use super::evidence::{EvidenceRow, FLAT, Hat, KNOTS, Side, Sides};
use super::length::{CHANNELS, scales};
use super::{Curves, Shape};
use crate::counts::Counts;
use crate::documents::{Documents, Features, Taken, Taker, Total};
use crate::regression::dot;
use crate::rows::{Cell, Rows};
use crate::text::Analyzer;
use crate::threads::{each_on_a_thread, equal_parts};

/// How many features ahead memory is asked for.
const AHEAD: usize = 16;

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
    values: Vec<f64>,
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
        self.values.chunks(self.raw() * self.n_places).zip(self.lengths.chunks(n_blocks))
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
        let parts = each_on_a_thread(&equal_parts(documents.len(), threads), |part| {
            let mut values = vec![vec![0.0; part.len() * n_places * raw]; views.len()];
            let mut lengths = vec![vec![0; part.len() * n_blocks]; views.len()];
            let (mut scratch, mut taker) = (Scratch::default(), Taker::new(documents));
            for (place, at) in part.clone().enumerate() {
                let taken = taker.of(at);
                let totals = taken.totals();
                for (view, features) in views.iter().enumerate() {
                    let row = view * documents.len() + at;
                    let classes = lists.map_or(&all[..], |(lists, width)| &lists[row * width..(row + 1) * width]);
                    let asked = Asked {
                        features,
                        at,
                        classes,
                        is_listed: lists.is_some(),
                        is_window: view > 0,
                        taken: &taken,
                        totals: &totals,
                    };
                    let values = &mut values[view][place * n_places * raw..][..n_places * raw];
                    let lengths = &mut lengths[view][place * n_blocks..][..n_blocks];
                    let mut start = 0;
                    self.each_block(&asked, &mut scratch, |at, known, sums| {
                        lengths[at] = known;
                        for (number, sums) in sums.chunks(n_places).enumerate() {
                            let values = values[start + number..].iter_mut().step_by(raw);
                            values.zip(sums).for_each(|(value, sum)| *value = *sum);
                        }
                        start += sums.len() / n_places;
                    });
                    if !self.shape.is_overlapping {
                        centre(values, raw);
                    }
                }
            }
            (values, lengths)
        });
        let values = joined(parts.iter().map(|(values, _)| values), views.len());
        let lengths = joined(parts.iter().map(|(_, lengths)| lengths), views.len());
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
                for (view, features) in views.iter().enumerate() {
                    let asked = Asked {
                        features,
                        at,
                        classes: &classes,
                        is_listed: false,
                        is_window: view > 0,
                        taken: &taken,
                        totals: &totals,
                    };
                    let scores = &mut scores[view][place * n..][..n];
                    self.each_block(&asked, &mut scratch, |block, known, sums| {
                        if block == 0 {
                            lengths[view].push(known);
                        }
                        curves.add(block, known, sums, scores);
                    });
                }
            }
            (scores, lengths)
        });
        (
            joined(parts.iter().map(|(scores, _)| scores), views.len()),
            joined(parts.iter().map(|(_, lengths)| lengths), views.len()),
        )
    }

    /// Visits each counted block with its number among these, how many features are known, and the sums by number and class.
    fn each_block(&self, asked: &Asked, scratch: &mut Scratch, mut visit: impl FnMut(usize, u32, &[f64])) {
        for (number, (block, has_parents)) in self.shape.counted().enumerate() {
            let (rows, features) = (&self.counts.blocks[block].rows, &asked.features[block]);
            let range = features.range(asked.at);
            let part = Part {
                shape: &self.shape,
                classes: asked.classes,
                is_listed: asked.is_listed,
                width: self.shape.width(has_parents),
                keeps_odds: block == 0 && self.shape.pairs().is_some(),
            };
            let is_kept = self.shape.is_two() && asked.is_window;
            if !is_kept {
                self.sides(block, asked.totals, asked.classes, &mut scratch.sides);
            }
            scratch.start(&part, has_parents);
            let known = match self.shape.is_two() {
                true if is_kept => scratch.read_window_of_two(&part, &features.whole[range.clone()], block),
                true => scratch.read_two(&part, asked, block, rows),
                false => scratch.read_more(&part, asked, block, rows),
            };
            if has_parents {
                scratch.share_out(&features.parents[range]);
            }
            scratch.finish(&part, has_parents);
            visit(number, known, &scratch.sums);
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

/// A document, or a window of one, and what is to be known of it.
struct Asked<'a> {
    /// By block.
    features: &'a [Features],
    at: usize,
    classes: &'a [u32],
    is_listed: bool,
    /// Whether this is the window of the document that was asked for before.
    is_window: bool,
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
}

/// The sums of a document's features of one block, and what they need of memory.
///
/// With many classes most have not seen most features. To these a feature of so many documents says the same as any other of
/// as many documents: that is worked out once for all of them.
#[derive(Default)]
struct Scratch {
    sides: Vec<Side>,
    columns: Sides,
    /// By number of the curves and class.
    sums: Vec<f64>,
    /// By word of the document and class.
    odds: Vec<f64>,
    /// How many documents of each class have a feature; with two classes, how many of the second have each feature.
    inside: Vec<f64>,
    /// By feature in how many documents it is; 0 where nobody else has it.
    documents: Vec<u32>,
    /// By class, where some are listed: its place among these, or [`NONE`].
    listed: Vec<u32>,
    row: EvidenceRow,
    /// Where the features of so many documents are in `alike`, [`NONE`] where there are none.
    places: Vec<u32>,
    alike: Vec<Alike>,
    n_alike: usize,
    /// By word of the document and knot: the share of its odds that pairs take back.
    shares: Vec<[f64; KNOTS]>,
    /// The cells of a feature that are left.
    left: Vec<Cell>,
    /// By block, with two classes: the features of the last document, which are those of its window too.
    kept: Vec<Kept>,
}

/// What the features of a document say for the second of two classes.
#[derive(Clone, Default)]
struct Kept {
    documents: Vec<u32>,
    odds: Vec<f64>,
    z: Vec<f64>,
}

const NONE: u32 = u32::MAX;

/// Features of the same number of documents.
#[derive(Clone, Default)]
struct Alike {
    df: u32,
    /// What each says to a class that has not seen it.
    unseen: EvidenceRow,
    /// How many there are.
    n: f64,
    /// By class: how many it has not seen; as long as they come in, how many it has seen, below zero.
    times: Vec<f64>,
}

impl Scratch {
    fn start(&mut self, part: &Part, has_parents: bool) {
        let n = part.classes.len();
        self.columns.read(&self.sides);
        self.sums.clear();
        self.sums.resize(part.width * n, 0.0);
        self.places.resize(FLAT, NONE);
        self.inside.clear();
        self.inside.resize(n, 0.0);
        if part.is_listed {
            self.listed.resize(part.shape.n_classes, NONE);
            part.classes.iter().zip(0..).for_each(|(&class, place)| self.listed[class as usize] = place);
        }
        if part.keeps_odds {
            self.odds.clear();
        }
        if has_parents {
            self.shares.clear();
            self.shares.resize(self.odds.len() / n, [0.0; KNOTS]);
        }
    }

    /// Adds the features of a document of two classes; how many are known.
    fn read_two(&mut self, part: &Part, asked: &Asked, block: usize, rows: &Rows) -> u32 {
        let (features, range) = (&asked.features[block], asked.features[block].range(asked.at));
        let ids = &features.ids[range];
        self.inside.clear();
        self.documents.clear();
        for (i, &id) in ids.iter().enumerate() {
            expect(rows, ids, i);
            let [first, second] = asked.taken.left_of_two(block, id, rows.get(id));
            self.inside.push(f64::from(second));
            self.documents.push(first + second);
        }
        // All at once: several logarithms take little longer than one.
        self.sides[0].all_odds(&self.inside, &self.documents, &mut self.row);
        if self.kept.len() <= block {
            self.kept.resize(block + 1, Kept::default());
        }
        let kept = &mut self.kept[block];
        kept.documents.clone_from(&self.documents);
        kept.odds.clone_from(&self.row.odds);
        kept.z.clone_from(&self.row.z);
        self.add_two(part)
    }

    /// Adds the features of a window of the document of two classes that was read last; how many are known.
    fn read_window_of_two(&mut self, part: &Part, whole: &[u32], block: usize) -> u32 {
        let kept = &self.kept[block];
        let of_document = |values: &[f64], target: &mut Vec<f64>| {
            target.clear();
            target.extend(whole.iter().map(|&place| values[place as usize]));
        };
        of_document(&kept.odds, &mut self.row.odds);
        of_document(&kept.z, &mut self.row.z);
        self.documents.clear();
        self.documents.extend(whole.iter().map(|&place| kept.documents[place as usize]));
        self.add_two(part)
    }

    /// Adds what features say for the second of two classes; how many are known.
    fn add_two(&mut self, part: &Part) -> u32 {
        let mut known = 0;
        for ((&df, &odds), &z) in self.documents.iter().zip(&self.row.odds).zip(&self.row.z) {
            // One that nobody else has says nothing: its odds are 0.
            known += u32::from(df > 0);
            Hat::of_ratio(z).spread(odds, &mut self.sums);
            Hat::of_documents(df).spread(odds, &mut self.sums[KNOTS..]);
        }
        if part.keeps_odds {
            self.odds.extend_from_slice(&self.row.odds);
        }
        known
    }

    /// Adds the features of a document of more classes; how many are known.
    fn read_more(&mut self, part: &Part, asked: &Asked, block: usize, rows: &Rows) -> u32 {
        let (features, range) = (&asked.features[block], asked.features[block].range(asked.at));
        let ids = &features.ids[range];
        self.documents.clear();
        let (mut known, mut left) = (0, std::mem::take(&mut self.left));
        for (i, &id) in ids.iter().enumerate() {
            expect(rows, ids, i);
            // Presences count: how often they stand there does not.
            asked.taken.left(block, id, 1, rows.get(id), &mut left);
            let df = part.shape.documents(&left);
            self.documents.push(df);
            known += u32::from(df > 0);
            if df == 0 {
                if part.keeps_odds {
                    self.odds.resize(self.odds.len() + part.classes.len(), 0.0);
                }
            } else if 2 * left.len() > part.shape.n_classes || df as usize >= FLAT {
                self.add_to_each(part, &left, df);
            } else {
                self.add_to_some(part, &left, df);
            }
        }
        self.left = left;
        known
    }

    /// The place of a class among those asked for.
    #[inline(always)]
    fn place(&self, part: &Part, class: u32) -> Option<usize> {
        let place = if part.is_listed { self.listed[class as usize] } else { class };
        (place != NONE).then_some(place as usize)
    }

    fn add_to_each(&mut self, part: &Part, row: &[Cell], df: u32) {
        self.inside.fill(0.0);
        for cell in row {
            if let Some(place) = self.place(part, cell.class) {
                self.inside[place] = f64::from(cell.documents);
            }
        }
        self.columns.of(&self.inside, f64::from(df), &mut self.row);
        self.inside.fill(1.0);
        spread(&self.row, &self.inside, df, &mut self.sums);
        if part.keeps_odds {
            self.odds.extend_from_slice(&self.row.odds);
        }
    }

    fn add_to_some(&mut self, part: &Part, row: &[Cell], df: u32) {
        let n = part.classes.len();
        let number = &mut self.places[df as usize];
        if *number == NONE {
            *number = self.n_alike as u32;
            self.n_alike += 1;
            self.alike.resize(self.alike.len().max(self.n_alike), Alike::default());
            let alike = &mut self.alike[*number as usize];
            (alike.df, alike.n) = (df, 0.0);
            alike.times.clear();
            alike.times.resize(n, 0.0);
            self.inside.fill(0.0);
            self.columns.of(&self.inside, f64::from(df), &mut alike.unseen);
        }
        let number = *number as usize;
        self.alike[number].n += 1.0;
        let first = self.odds.len();
        if part.keeps_odds {
            self.odds.extend_from_slice(&self.alike[number].unseen.odds);
        }
        let hat = Hat::of_documents(df);
        for cell in row.iter().filter(|cell| cell.documents > 0) {
            let Some(place) = self.place(part, cell.class) else { continue };
            self.alike[number].times[place] -= 1.0;
            let evidence = self.sides[place].of(cell.documents, df);
            let mut add = |curve: usize, hat: Hat, value: f64| {
                let knot = curve * KNOTS + hat.knot;
                self.sums[knot * n + place] += value * (1.0 - hat.share);
                self.sums[(knot + 1) * n + place] += value * hat.share;
            };
            add(0, Hat::of_ratio(evidence.z), evidence.odds);
            add(1, hat, evidence.inside);
            add(2, hat, evidence.outside);
            if part.keeps_odds {
                self.odds[first + place] = evidence.odds;
            }
        }
    }

    /// Notes what pairs, those that were read last, take back from the odds of their words.
    fn share_out(&mut self, parents: &[[u32; 2]]) {
        for (words, &df) in parents.iter().zip(&self.documents).filter(|(_, df)| **df > 0) {
            let hat = Hat::of_documents(df);
            words.iter().for_each(|&word| hat.spread(1.0, &mut self.shares[word as usize]));
        }
    }

    /// Adds what has been put off until all features were there.
    fn finish(&mut self, part: &Part, has_parents: bool) {
        let n = part.classes.len();
        for alike in &mut self.alike[..self.n_alike] {
            self.places[alike.df as usize] = NONE;
            alike.times.iter_mut().for_each(|times| *times += alike.n);
            spread(&alike.unseen, &alike.times, alike.df, &mut self.sums);
        }
        self.n_alike = 0;
        if part.is_listed {
            part.classes.iter().for_each(|&class| self.listed[class as usize] = NONE);
        }
        if has_parents {
            let sums = &mut self.sums[(part.width - KNOTS) * n..];
            for (shares, odds) in self.shares.iter().zip(self.odds.chunks(n)) {
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

/// Adds what features of `df` documents say to each class, so many times, to the sums.
fn spread(row: &EvidenceRow, times: &[f64], df: u32, sums: &mut [f64]) {
    let (hat, n) = (Hat::of_documents(df), times.len());
    let (by_ratio, by_documents) = sums.split_at_mut(KNOTS * n);
    for class in 0..n {
        let (ratio, odds) = (Hat::of_ratio(row.z[class]), times[class] * row.odds[class]);
        by_ratio[ratio.knot * n + class] += odds * (1.0 - ratio.share);
        by_ratio[(ratio.knot + 1) * n + class] += odds * ratio.share;
    }
    let (inside, outside) = by_documents.split_at_mut(KNOTS * n);
    let (inside, outside) = (&mut inside[hat.knot * n..][..2 * n], &mut outside[hat.knot * n..][..2 * n]);
    for class in 0..n {
        let (e1, e0) = (times[class] * row.inside[class], times[class] * row.outside[class]);
        inside[class] += e1 * (1.0 - hat.share);
        inside[n + class] += e1 * hat.share;
        outside[class] += e0 * (1.0 - hat.share);
        outside[n + class] += e0 * hat.share;
    }
}
