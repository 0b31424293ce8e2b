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
/// Shared by the two sides in proportion to their sizes, so that a feature never seen has odds of 1.
pub(super) const SMOOTHING: f64 = 1.0;
/// A side has at least this size: it may have lost its only document.
const LEAST: f64 = 1e-3;

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
    /// What is added to the count inside the class, and to that outside.
    pub(super) inside: f64,
    pub(super) outside: f64,
    log_inside: f64,
    log_outside: f64,
    pub(super) log_all: f64,
    /// The logarithms of the frequencies of what was not seen inside, and not outside.
    unseen_inside: f64,
    unseen_outside: f64,
}

#[derive(Clone, Copy)]
pub(super) struct Evidence {
    pub(super) inside: f64,
    pub(super) outside: f64,
    pub(super) odds: f64,
    pub(super) z: f64,
}

impl Side {
    /// Of a class with `size` of the `total` features of all documents.
    pub(super) fn new(size: f64, total: f64) -> Self {
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

    /// How strongly a feature speaks for the class that `inside` of `df` documents with it belong to.
    pub(super) fn odds(&self, inside: u32, df: u32) -> f64 {
        self.of(inside, df).odds
    }

    /// What such a feature says for the class.
    #[inline(always)]
    pub(super) fn of(&self, inside: u32, df: u32) -> Evidence {
        let (a, r) = (f64::from(inside) + self.inside, f64::from(df - inside) + self.outside);
        let f1 = if inside == 0 { self.unseen_inside } else { a.ln() - self.log_inside };
        let f0 = if inside == df { self.unseen_outside } else { r.ln() - self.log_outside };
        Evidence::new(a, r, f1, f0)
    }
}

impl Evidence {
    /// Of the smoothed counts inside and outside, and the logarithms of the frequencies there.
    #[inline(always)]
    fn new(a: f64, r: f64, f1: f64, f0: f64) -> Self {
        let odds = f1 - f0;
        // 1 / sqrt(1/a + 1/r), with one division less.
        Evidence { inside: f1, outside: f0, odds, z: odds.abs() * (a * r / (a + r)).sqrt() }
    }
}

/// The sides of all classes, column by column.
#[derive(Default)]
pub(super) struct Sides {
    inside: Vec<f64>,
    outside: Vec<f64>,
    log_inside: Vec<f64>,
    log_outside: Vec<f64>,
}

/// What a feature says for each class, column by column.
#[derive(Clone, Default)]
pub(super) struct EvidenceRow {
    pub(super) inside: Vec<f64>,
    pub(super) outside: Vec<f64>,
    pub(super) odds: Vec<f64>,
    pub(super) z: Vec<f64>,
}

impl Sides {
    pub(super) fn read(&mut self, sides: &[Side]) {
        let copy = |column: &mut Vec<f64>, pick: fn(&Side) -> f64| {
            column.clear();
            column.extend(sides.iter().map(pick));
        };
        copy(&mut self.inside, |side| side.inside);
        copy(&mut self.outside, |side| side.outside);
        copy(&mut self.log_inside, |side| side.log_inside);
        copy(&mut self.log_outside, |side| side.log_outside);
    }

    /// What a feature says that `inside` documents of each class have, and `df` in all.
    pub(super) fn of(&self, inside: &[f64], df: f64, row: &mut EvidenceRow) {
        let n = inside.len();
        for column in [&mut row.inside, &mut row.outside, &mut row.odds, &mut row.z] {
            column.resize(n, 0.0);
        }
        let [to_inside, to_outside] = [&self.inside[..n], &self.outside[..n]];
        let [log_inside, log_outside] = [&self.log_inside[..n], &self.log_outside[..n]];
        let [f1, f0] = [&mut row.inside[..n], &mut row.outside[..n]];
        let [odds, z] = [&mut row.odds[..n], &mut row.z[..n]];
        vectorised(
            #[inline(always)]
            || {
                for class in 0..n {
                    let (a, r) = (inside[class] + to_inside[class], df - inside[class] + to_outside[class]);
                    let evidence = Evidence::new(a, r, ln(a) - log_inside[class], ln(r) - log_outside[class]);
                    f1[class] = evidence.inside;
                    f0[class] = evidence.outside;
                    odds[class] = evidence.odds;
                    z[class] = evidence.z;
                }
            },
        );
    }
}

/// The logarithm of a number of documents, smoothed.
#[inline(always)]
pub(super) fn log_documents(df: u32) -> f64 {
    static LOGS: LazyLock<Vec<f64>> = LazyLock::new(|| (0..FLAT).map(|df| (df as f64 + SMOOTHING).ln()).collect());
    LOGS.get(df as usize).copied().unwrap_or_else(|| (f64::from(df) + SMOOTHING).ln())
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
                let Evidence { inside, outside, odds, z } = side.of(inside[class], df);
                let found = [row.inside[class], row.outside[class], row.odds[class], row.z[class]];
                for (found, expected) in found.into_iter().zip([inside, outside, odds, z]) {
                    assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{found} {expected}");
                }
            }
        }
    }
}
