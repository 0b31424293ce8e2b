//! The numbers on which curves are fitted: what each document says, with its own group's counts taken out.

use super::evidence::Side;
use super::length::{CHANNELS, scales};
use super::sums::{Asked, Part, Scratch, View};
use super::{Curves, Shape};
use crate::counts::{Block, Counts};
use crate::documents::{self, Documents, Taker, Total};
use crate::regression::{Features, Scaled, dot};
use crate::text::Analyzer;
use crate::threads::{each_on_a_thread, equal_parts, fill_rows};

/// Counts, and the shape of the curves by which they are read.
pub struct Corpus<'a> {
    counts: &'a Counts,
    shape: Shape,
    /// By block the features of all documents, each as often as documents have it.
    sizes: Vec<u64>,
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
    /// What the curves of all channels are multiplied by: by row, class, block, channel and number. Of a basis of all classes, `lists` may
    /// name some for each row.
    pub fn features(&self, caps: &[f64], lists: &[u32], threads: usize) -> Features {
        let raw = self.raw();
        let picks = !lists.is_empty() && self.is_whole();
        let n_places = if picks { lists.len() / self.n_rows().max(1) } else { self.n_places };
        // In small pages: many large ones at once take the system longer, where its memory has long not been used.
        let mut numbers = vec![0.0; self.n_rows() * n_places * raw];
        fill_rows(&mut numbers, n_places * raw, self.worth(threads), |part, numbers| {
            let rows = part.clone().zip(self.rows().skip(part.start));
            for ((at, (row, _)), numbers) in rows.zip(numbers.chunks_mut((n_places * raw).max(1))) {
                if !picks {
                    numbers.copy_from_slice(row);
                    continue;
                }
                for (numbers, &class) in numbers.chunks_mut(raw).zip(&lists[at * n_places..]) {
                    numbers.copy_from_slice(&row[class as usize * raw..][..raw]);
                }
                centre(numbers, raw);
            }
        });
        let of_row = |(_, lengths): (_, &[u32])| {
            lengths.iter().zip(caps).flat_map(|(&m, &cap)| scales(f64::from(m), cap)).collect::<Vec<_>>()
        };
        let widths = self.shape.counted().map(|(_, has_parents)| self.shape.width(has_parents)).collect();
        let factors = self.rows().flat_map(of_row).collect();
        Features::scaled(numbers, Scaled { widths, factors, n_channels: CHANNELS, n_places })
    }

    /// The score of each row and class, without a start and up to a number that the classes share; each row has one of several
    /// curves to read it.
    pub fn scores(&self, curves: &[Curves], turns: &[u32], threads: usize) -> Vec<f64> {
        let (raw, n_places) = (self.raw(), self.n_places);
        let mut scores = vec![0.0; self.n_rows() * n_places];
        fill_rows(&mut scores, n_places, self.worth(threads), |part, scores| {
            let mut weights = vec![];
            let rows = self.rows().skip(part.start).zip(&turns[part]);
            for (((row, lengths), &turn), scores) in rows.zip(scores.chunks_mut(n_places)) {
                let curves = &curves[turn as usize];
                weights.clear();
                for ((&m, &cap), numbers) in lengths.iter().zip(&curves.caps).zip(&curves.numbers) {
                    let [first, second] = scales(f64::from(m), cap);
                    weights.extend(numbers[0].iter().zip(&numbers[1]).map(|(a, b)| first * a + second * b));
                }
                scores.iter_mut().zip(row.chunks(raw)).for_each(|(score, values)| *score = dot(values, &weights));
            }
        });
        scores
    }

    /// The numbers of each row and how many features it has by block.
    fn rows(&self) -> impl Iterator<Item = (&[f64], &[u32])> {
        let n_blocks = self.shape.counted().count();
        let width = self.raw() * self.n_places;
        self.values.iter().flat_map(move |piece| piece.chunks(width.max(1))).zip(self.lengths.chunks(n_blocks.max(1)))
    }

    /// How many of so many threads reading it is worth.
    fn worth(&self, threads: usize) -> usize {
        if self.n_rows() * self.n_places * self.raw() < 1 << 16 { 1 } else { threads }
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
        let shape = Shape::new(analyzer, counts);
        let size = |block: &Block| match shape.is_overlapping {
            true => block.rows.sums[0].documents,
            false => block.rows.sums.iter().map(|sum| sum.documents).sum(),
        };
        Corpus { counts, sizes: counts.blocks.iter().map(size).collect(), shape }
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
        let gone = match self.shape.is_overlapping {
            true => less(0),
            false => taken.iter().map(|total| total.features[block]).sum(),
        };
        let all = self.sizes[block].saturating_sub(gone);
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
            let mut values: Vec<Vec<f64>> = views.iter().map(|_| vec![0.0; part.len() * n_places * raw]).collect();
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
pub(super) fn views_of(documents: &Documents) -> Vec<&[documents::Features]> {
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
    let mut means = vec![0.0; width];
    for row in rows.chunks(width) {
        means.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    means.iter_mut().for_each(|sum| *sum /= n as f64);
    for row in rows.chunks_mut(width) {
        row.iter_mut().zip(&means).for_each(|(value, mean)| *value -= mean);
    }
}
