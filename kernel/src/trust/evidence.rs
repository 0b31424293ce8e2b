//! How strongly a feature speaks for a class, how sure that is, and where that lies between the knots of the curves.
//!
//! [`Side`] works out what one class gets to hear, [`Sides`] the same for all classes at once.

use std::sync::LazyLock;

use crate::processor::{ln, vectorised};

/// Curves over the signal-to-noise ratio have knots at 0, 0.5, 1, 2, 4, 8, 16: the last of them.
const LAST_Z: f64 = 16.0;
/// Of the curves over the number of documents, as binary logarithms: 1, 2, 4, 8, 32, 128, 1024 documents.
const D_KNOTS: [f64; KNOTS] = [0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0];
pub(super) const KNOTS: usize = 7;
/// From so many documents on the curves are flat.
pub(super) const FLAT: usize = 1 << 10;
/// Pseudo-counts are so many times the root of a side's share: little for a small class, so that a few documents of it are
/// heard, and more than in proportion, so that they are not believed too soon.
const SMOOTHING: f64 = 0.7;
/// Cells that are worked out at once.
const LANES: usize = 8;
/// A side has at least this share: it may have lost its only document.
const LEAST: f64 = 1e-9;

/// A place between two knots.
#[derive(Clone, Copy)]
pub(super) struct Hat {
    pub(super) knot: usize,
    pub(super) share: f64,
}

impl Hat {
    /// Of a signal-to-noise ratio: the knots are 0, ½ and the powers of two from 1 on.
    #[inline(always)]
    pub(super) fn of_ratio(z: f64) -> Self {
        // Without a branch: in which interval a ratio lies cannot be guessed. The exponent of a number says between which powers
        // of two it lies, its fraction says where.
        let bits = z.min(LAST_Z).to_bits();
        let exponent = (bits >> 52) as i64 - 1023;
        let fraction = f64::from_bits(bits & (u64::MAX >> 12) | 1.0f64.to_bits()) - 1.0;
        let half = f64::from(u8::from(z >= 0.5));
        let (knot, share) = if z < 1.0 { (half as i64, 2.0 * z - half) } else { (2 + exponent, fraction) };
        // At the last knot itself the exponent is that of the interval behind it.
        let is_last = z >= LAST_Z;
        Hat { knot: (knot - i64::from(is_last)) as usize, share: if is_last { 1.0 } else { share } }
    }

    /// The same for a loop over many: with comparisons alone it is worked out for several at once.
    #[inline(always)]
    fn of_ratio_in_a_loop(z: f64) -> (u64, f64) {
        let fraction = f64::from_bits(z.to_bits() & (u64::MAX >> 12) | 1.0f64.to_bits()) - 1.0;
        let below = 2.0 * z - if z >= 0.5 { 1.0 } else { 0.0 };
        let share = if z < 1.0 { below } else { fraction };
        let steps = [0.5, 1.0, 2.0, 4.0, 8.0];
        let knot = steps.iter().fold(0, |knot, &step| knot + u64::from(z >= step));
        (knot, if z >= LAST_Z { 1.0 } else { share })
    }

    /// Of so many documents, one or more.
    #[inline(always)]
    pub(super) fn of_documents(documents: u32) -> Self {
        // A logarithm each time would take longer than all else that is done with a feature.
        static HATS: LazyLock<Vec<Hat>> =
            LazyLock::new(|| (0..=FLAT).map(|n| Hat::between(&D_KNOTS, (n.max(1) as f64).log2())).collect());
        HATS[(documents as usize).min(FLAT)]
    }

    /// Of a value that is not below the first of the knots; from the last one on all are the same.
    fn between(knots: &[f64; KNOTS], value: f64) -> Self {
        let knot = (1..KNOTS).find(|&knot| value < knots[knot]).unwrap_or(KNOTS - 1) - 1;
        Hat { knot, share: ((value - knots[knot]) / (knots[knot + 1] - knots[knot])).min(1.0) }
    }

    /// Adds a value to the two knots around the place.
    #[inline(always)]
    pub(super) fn spread(self, value: f64, knots: &mut [f64]) {
        knots[self.knot] += value * (1.0 - self.share);
        knots[self.knot + 1] += value * self.share;
    }

    /// The height of a curve at the place.
    #[inline(always)]
    pub(super) fn read(self, knots: &[f64]) -> f64 {
        knots[self.knot] * (1.0 - self.share) + knots[self.knot + 1] * self.share
    }
}

/// A class against all others, in one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The class's share of the features of all documents.
    share: f64,
    /// What is added to the counts inside the class, and to those outside.
    inside: f64,
    outside: f64,
}

/// What a feature says for a class.
#[derive(Clone, Copy)]
pub(super) struct Evidence {
    /// Inside the class, against what the class's size lets expect; and outside.
    pub(super) inside: f64,
    pub(super) outside: f64,
    /// Their sum: the weight of evidence.
    pub(super) odds: f64,
    /// Its signal-to-noise ratio.
    pub(super) z: f64,
}

impl Side {
    /// Of a class with `size` of the `total` features of all documents.
    pub(super) fn new(size: f64, total: f64) -> Self {
        let share = (size / total.max(1.0)).clamp(LEAST, 1.0 - LEAST);
        Side { share, inside: SMOOTHING * share.sqrt(), outside: SMOOTHING * (1.0 - share).sqrt() }
    }

    /// The smoothed counts inside and outside, and over each what would be expected of any feature.
    #[inline(always)]
    fn counts(&self, inside: f64, df: f64) -> Smoothed {
        Smoothed {
            inside: inside + self.inside,
            outside: df - inside + self.outside,
            expected_inside: df * self.share + self.inside,
            expected_outside: df * (1.0 - self.share) + self.outside,
        }
    }

    /// What a feature says that `inside` documents of the class have, and `df` in all.
    #[inline(always)]
    pub(super) fn of(&self, inside: u32, df: u32) -> Evidence {
        self.counts(f64::from(inside), f64::from(df)).evidence(f64::ln)
    }

    /// The weight of evidence, and its signal-to-noise ratio.
    #[inline(always)]
    pub(super) fn odds(&self, inside: u32, df: u32) -> (f64, f64) {
        self.counts(f64::from(inside), f64::from(df)).odds(f64::ln)
    }

    /// The same of several features: `inside` documents of the class have each, and `df` in all.
    pub(super) fn all_odds(&self, inside: &[f64], df: &[u32], row: &mut EvidenceRow) {
        let n = inside.len();
        row.odds.resize(n, 0.0);
        row.z.resize(n, 0.0);
        let (df, odds, z) = (&df[..n], &mut row.odds[..n], &mut row.z[..n]);
        vectorised(
            #[inline(always)]
            || {
                for i in 0..n {
                    (odds[i], z[i]) = self.counts(inside[i], f64::from(df[i])).odds(ln);
                }
            },
        );
    }
}

/// Counts of a feature, with the pseudo-counts.
struct Smoothed {
    inside: f64,
    outside: f64,
    expected_inside: f64,
    expected_outside: f64,
}

impl Smoothed {
    #[inline(always)]
    fn evidence(&self, ln: impl Fn(f64) -> f64) -> Evidence {
        let inside = ln(self.inside / self.expected_inside);
        let outside = ln(self.expected_outside / self.outside);
        let odds = inside + outside;
        Evidence { inside, outside, odds, z: self.z(odds) }
    }

    #[inline(always)]
    fn odds(&self, ln: impl Fn(f64) -> f64) -> (f64, f64) {
        // One logarithm instead of two.
        let odds = ln((self.inside * self.expected_outside) / (self.expected_inside * self.outside));
        (odds, self.z(odds))
    }

    #[inline(always)]
    fn z(&self, odds: f64) -> f64 {
        // 1 / sqrt(1/a + 1/r), with one division less.
        odds.abs() * (self.inside * self.outside / (self.inside + self.outside)).sqrt()
    }
}

/// The sides of several classes, column by column.
#[derive(Default)]
pub(super) struct Sides {
    share: Vec<f64>,
    inside: Vec<f64>,
    outside: Vec<f64>,
}

/// What a feature says for each class, column by column.
#[derive(Clone, Default)]
pub(super) struct EvidenceRow {
    pub(super) inside: Vec<f64>,
    pub(super) outside: Vec<f64>,
    pub(super) odds: Vec<f64>,
    pub(super) z: Vec<f64>,
}

impl EvidenceRow {
    /// What it says for one class.
    #[inline(always)]
    pub(super) fn get(&self, class: usize) -> Evidence {
        Evidence { inside: self.inside[class], outside: self.outside[class], odds: self.odds[class], z: self.z[class] }
    }
}

impl Sides {
    pub(super) fn new(sides: &[Side]) -> Self {
        let mut columns = Sides::default();
        columns.read(sides);
        columns
    }

    pub(super) fn read(&mut self, sides: &[Side]) {
        let copy = |column: &mut Vec<f64>, pick: fn(&Side) -> f64| {
            column.clear();
            column.extend(sides.iter().map(pick));
        };
        copy(&mut self.share, |side| side.share);
        copy(&mut self.inside, |side| side.inside);
        copy(&mut self.outside, |side| side.outside);
    }

    fn clear(&mut self) {
        self.share.clear();
        self.inside.clear();
        self.outside.clear();
    }

    #[inline(always)]
    fn push(&mut self, side: &Side) {
        self.share.push(side.share);
        self.inside.push(side.inside);
        self.outside.push(side.outside);
    }

    /// The same sides over and over, so that as many as are worked out at once follow each of the first ones.
    fn repeat(&mut self) {
        for column in [&mut self.share, &mut self.inside, &mut self.outside] {
            let n = column.len();
            (0..if n == 0 { 0 } else { LANES - 1 }).for_each(|at| column.push(column[at % n]));
        }
    }

    /// What a feature says that `inside` documents of each class have, and `df` in all.
    pub(super) fn of(&self, inside: &[f64], df: f64, row: &mut EvidenceRow) {
        self.each(inside, |_| df, |at| at, row);
    }

    /// What features say, each to the side at its place: `inside` documents of the class have it, and `df` in all.
    fn all(&self, inside: &[f64], df: &[f64], row: &mut EvidenceRow) {
        let df = &df[..inside.len()];
        self.each(inside, |at| df.get(at).copied().unwrap_or(1.0), |at| at, row);
    }

    /// What features say to all of `n` sides, which are repeated: the first feature to each, then the next.
    fn all_rows(&self, n: usize, inside: &[f64], df: &[f64], row: &mut EvidenceRow) {
        let df = &df[..inside.len()];
        self.each(inside, |at| df.get(at).copied().unwrap_or(1.0), |at| at % n, row);
    }

    /// `side` says which side the cell at a place is for; the next ones are for the next.
    #[inline(always)]
    fn each(&self, inside: &[f64], df: impl Fn(usize) -> f64, side: impl Fn(usize) -> usize, row: &mut EvidenceRow) {
        let n = inside.len();
        for column in [&mut row.inside, &mut row.outside, &mut row.odds, &mut row.z] {
            column.resize(n, 0.0);
        }
        vectorised(
            #[inline(always)]
            || {
                for start in (0..n).step_by(LANES) {
                    let lanes = start..n.min(start + LANES);
                    let read = |column: &[f64], from: usize| {
                        column[from..].first_chunk::<LANES>().copied().unwrap_or_else(|| {
                            let mut read = [0.5; LANES];
                            read[..lanes.len()].copy_from_slice(&column[from..from + lanes.len()]);
                            read
                        })
                    };
                    let side = side(start);
                    let (share, to_inside) = (read(&self.share, side), read(&self.inside, side));
                    let to_outside = read(&self.outside, side);
                    let inside = read(inside, start);
                    let all = std::array::from_fn::<f64, LANES, _>(|lane| df(start + lane));
                    let (mut e1, mut e0, mut odds, mut z) = ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
                    // Arrays of their own: of slices the compiler could not know that they do not overlap.
                    for lane in 0..LANES {
                        let side = Side { share: share[lane], inside: to_inside[lane], outside: to_outside[lane] };
                        let evidence = side.counts(inside[lane], all[lane]).evidence(ln);
                        (e1[lane], e0[lane]) = (evidence.inside, evidence.outside);
                        (odds[lane], z[lane]) = (evidence.odds, evidence.z);
                    }
                    let write = |column: &mut [f64], values: [f64; LANES]| match column[start..].first_chunk_mut() {
                        Some(column) => *column = values,
                        None => column[lanes.clone()].copy_from_slice(&values[..lanes.len()]),
                    };
                    write(&mut row.inside, e1);
                    write(&mut row.outside, e0);
                    write(&mut row.odds, odds);
                    write(&mut row.z, z);
                }
            },
        );
    }
}

/// What features say for classes, and by cell where its ratio lies between the knots.
#[derive(Default)]
pub(super) struct Said {
    pub(super) row: EvidenceRow,
    pub(super) knots: Vec<u64>,
    pub(super) shares: Vec<f64>,
}

impl Said {
    /// Finds the places of `n` ratios between the knots.
    fn find_places(&mut self, n: usize) {
        self.knots.resize(n, 0);
        self.shares.resize(n, 0.0);
        let (z, knots, shares) = (&self.row.z[..n], &mut self.knots[..n], &mut self.shares[..n]);
        vectorised(
            #[inline(always)]
            || {
                for cell in 0..n {
                    (knots[cell], shares[cell]) = Hat::of_ratio_in_a_loop(z[cell]);
                }
            },
        );
    }
}

/// What features say for classes, cell by cell, of any features and classes: all cells are worked out at once, since several
/// logarithms take little longer than one.
#[derive(Default)]
pub(super) struct Cells {
    /// The place of the class among those asked for.
    pub(super) places: Vec<u32>,
    counts: Vec<f64>,
    df: Vec<f64>,
    sides: Sides,
    pub(super) said: Said,
}

impl Cells {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.counts.clear();
        self.df.clear();
        self.sides.clear();
    }

    /// Adds a feature that `inside` documents of a class have, and `df` in all.
    #[inline(always)]
    pub(super) fn push(&mut self, place: usize, side: &Side, inside: u32, df: u32) {
        self.places.push(place as u32);
        self.counts.push(f64::from(inside));
        self.df.push(f64::from(df));
        self.sides.push(side);
    }

    /// Works out what all of them say.
    pub(super) fn listen(&mut self) {
        let n = self.len();
        self.sides.all(&self.counts, &self.df, &mut self.said.row);
        self.said.find_places(n);
    }
}

/// The same of features that all classes asked for get to hear, row by row.
#[derive(Default)]
pub(super) struct CellRows {
    /// How many classes there are.
    n: usize,
    sides: Sides,
    counts: Vec<f64>,
    df: Vec<f64>,
    pub(super) said: Said,
}

impl CellRows {
    /// Starts anew, for these classes.
    pub(super) fn start(&mut self, sides: &[Side]) {
        self.n = sides.len();
        self.sides.read(sides);
        self.sides.repeat();
        self.clear();
    }

    /// How many cells there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn clear(&mut self) {
        self.counts.clear();
        self.df.clear();
    }

    /// Adds a feature of which no class has a document so far; returns the counts, and where its cells begin.
    #[inline(always)]
    pub(super) fn push(&mut self) -> (&mut [f64], usize) {
        let first = self.len();
        self.counts.resize(first + self.n, 0.0);
        (&mut self.counts[first..], first)
    }

    /// So many documents in all have the feature that was added last; with none it is gone again.
    #[inline(always)]
    pub(super) fn finish(&mut self, df: u32) {
        match df {
            0 => self.counts.truncate(self.df.len()),
            _ => self.df.resize(self.counts.len(), f64::from(df)),
        }
    }

    /// Works out what all of them say.
    pub(super) fn listen(&mut self) {
        self.sides.all_rows(self.n, &self.counts, &self.df, &mut self.said.row);
        self.said.find_places(self.counts.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_lies_between_its_knots() {
        let knots = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
        let ratios =
            (0..2000).map(|i| f64::from(i) * 0.01).chain([1e-300, 0.49999999999999994, 0.9999999999999999, 1e9]);
        for z in ratios {
            let (fast, plain) = (Hat::of_ratio(z), Hat::between(&knots, z));
            assert_eq!((fast.knot, fast.share), (plain.knot, plain.share), "{z}");
            assert_eq!(Hat::of_ratio_in_a_loop(z), (plain.knot as u64, plain.share), "{z}");
        }
    }

    #[test]
    fn rows_of_cells_say_what_the_cells_say() {
        for n in [1, 3, 7, 8, 9, 20] {
            let sides: Vec<Side> = (1..=n).map(|size| Side::new(f64::from(size * size), 9000.0)).collect();
            let (mut cells, mut rows) = (Cells::default(), CellRows::default());
            rows.start(&sides);
            for df in [3, 0, 1, 40, 7] {
                let (counts, first) = rows.push();
                for (place, side) in sides.iter().enumerate().filter(|_| df > 0) {
                    let inside = (place as u32 + df) % (df + 1);
                    counts[place] = f64::from(inside);
                    cells.push(place, side, inside, df);
                }
                rows.finish(df);
                assert_eq!(rows.len(), if df > 0 { first + sides.len() } else { first });
            }
            cells.listen();
            rows.listen();
            let bits = |said: &Said| -> Vec<u64> {
                let EvidenceRow { inside, outside, odds, z } = &said.row;
                let numbers = [inside, outside, odds, z, &said.shares].map(|all| &all[..4 * sides.len()]);
                numbers.concat().into_iter().map(f64::to_bits).chain(said.knots[..4 * sides.len()].to_vec()).collect()
            };
            assert_eq!(bits(&cells.said), bits(&rows.said), "{n} classes");
        }
    }

    #[test]
    fn what_all_classes_hear_is_what_each_hears() {
        let sides: Vec<Side> = (1..30).map(|size| Side::new(f64::from(size * size), 9000.0)).collect();
        let (mut all, mut row) = (Sides::default(), EvidenceRow::default());
        all.read(&sides);
        for df in [1, 2, 7, 300] {
            let inside: Vec<u32> = (0..29).map(|i| i % (df + 1)).collect();
            all.of(&inside.iter().map(|&n| f64::from(n)).collect::<Vec<_>>(), f64::from(df), &mut row);
            for (class, side) in sides.iter().enumerate() {
                let (mut several, counts) = (EvidenceRow::default(), [f64::from(inside[class]); 5]);
                side.all_odds(&counts, &[df; 5], &mut several);
                let (short, ratio) = side.odds(inside[class], df);
                let Evidence { inside, outside, odds, z } = side.of(inside[class], df);
                assert!((short - odds).abs() < 1e-13 && (ratio - z).abs() < 1e-12);
                assert!((several.odds[4] - odds).abs() < 1e-13 && (several.z[4] - z).abs() < 1e-12);
                let said = [row.inside[class], row.outside[class], row.odds[class], row.z[class]];
                for (said, expected) in said.into_iter().zip([inside, outside, odds, z]) {
                    assert!((said - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{said} {expected}");
                }
            }
        }
    }
}
