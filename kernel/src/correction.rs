//! What independence cannot express: a weight for each feature on top of the automatic model's own.
//!
//! `ridge.rs` fits it. A [`Correction`] is what is kept of that: a table from features to their weights, one for each class
//! (with two classes one, of the second less the first). Features are known by a hash of their names, which no vocabulary has
//! a say in: counts can learn, forget, be merged, pruned and saved, and the weights still find their features. The
//! hashes lie in rising order, so that a file can hold them and any order of learning gives the same one.
//!
//! A document's weights are added up and multiplied with [`Scale::of`] their number, which falls to 0 for short texts: these are
//! unlike the whole documents that the weights were fitted on.

mod applied;
mod ridge;

use crate::array::Array;
use crate::counts::{Counts, Kind, Names};
use crate::vocabulary::Seed;

pub use applied::Applied;
pub use ridge::Ridge;

/// Weights by feature.
pub struct Correction {
    /// Of the features' names, rising.
    hashes: Array<u64>,
    /// By feature, in the order of the hashes, and class.
    weights: Array<f32>,
    n_scored: usize,
    scale: Scale,
    /// By the first bits of a hash, and one more: where the hashes that begin with them start.
    starts: Vec<u32>,
}

/// What the sum of a document's weights is multiplied with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scale {
    pub factor: f64,
    /// How many features with weights half of the documents have at the most, and 99 % of them.
    pub typical: f64,
    pub cap: f64,
}

impl Scale {
    /// For documents with these numbers of features: their rows of scaled presences have length 1 on average, so that a penalty means
    /// the same everywhere.
    pub fn fitted(lengths: &[u32]) -> Self {
        let mut sorted = lengths.to_vec();
        sorted.sort_unstable();
        let quantile = |share: f64| {
            let Some(last) = sorted.len().checked_sub(1) else { return 1.0 };
            let place = share * last as f64;
            let (low, high) = (sorted[place as usize], sorted[(place as usize + 1).min(last)]);
            (f64::from(low) + place.fract() * (f64::from(high) - f64::from(low))).max(1.0)
        };
        let plain = Scale { factor: 1.0, typical: quantile(0.5), cap: f64::INFINITY };
        let squares: f64 = lengths.iter().map(|&m| plain.of(m as usize).powi(2) * f64::from(m)).sum();
        let factor = if squares > 0.0 { (lengths.len() as f64 / squares).sqrt() } else { 1.0 };
        Scale { factor, cap: quantile(0.99), ..plain }
    }

    /// For a document with `m` features that have weights; one with more than `cap` counts as one with so many and the same mean
    /// weight.
    #[inline(always)]
    pub fn of(&self, m: usize) -> f64 {
        let m = m as f64;
        let (within, beyond) = (m.min(self.cap), if m > self.cap { self.cap / m } else { 1.0 });
        self.factor * within.sqrt() / (within + self.typical) * beyond
    }

    fn is_sound(&self) -> bool {
        self.factor.is_finite()
            && self.factor > 0.0
            && self.typical.is_finite()
            && self.typical > 0.0
            && self.cap >= 1.0
    }
}

impl Correction {
    /// None where the arrays do not fit each other, the hashes are not in order or a weight is not a number.
    pub fn new(hashes: Array<u64>, weights: Array<f32>, n_scored: usize, scale: Scale) -> Option<Self> {
        let fits = weights.len() == hashes.len().checked_mul(n_scored)? && u32::try_from(hashes.len()).is_ok();
        let is_sound = fits
            && n_scored > 0
            && scale.is_sound()
            && hashes.windows(2).all(|two| two[0] < two[1])
            && weights.iter().all(|weight| weight.is_finite());
        if !is_sound {
            return None;
        }
        // As many beginnings as hashes: a search then looks at one or two.
        let mut starts = vec![0; hashes.len().next_power_of_two() + 1];
        for hash in hashes.iter() {
            starts[beginning(*hash, hashes.len()) + 1] += 1;
        }
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        Some(Correction { hashes, weights, n_scored, scale, starts })
    }

    pub fn hashes(&self) -> &Array<u64> {
        &self.hashes
    }

    pub fn weights(&self) -> &Array<f32> {
        &self.weights
    }

    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// How many weights a feature has.
    pub fn n_scored(&self) -> usize {
        self.n_scored
    }

    /// Which row is the feature's with this hash.
    pub fn find(&self, hash: u64) -> Option<u32> {
        let at = beginning(hash, self.hashes.len());
        let range = self.starts[at] as usize..self.starts[at + 1] as usize;
        let place = self.hashes[range.clone()].binary_search(&hash).ok()?;
        Some((range.start + place) as u32)
    }

    pub fn row(&self, number: u32) -> &[f32] {
        &self.weights[number as usize * self.n_scored..][..self.n_scored]
    }

    /// The same weights for other classes: each has a sum of some of these, so many times.
    pub fn arranged(&self, sums: &[Vec<(usize, f32)>]) -> Self {
        let row = |row: &[f32]| {
            let sum = |parts: &Vec<(usize, f32)>| parts.iter().map(|&(class, times)| times * row[class]).sum();
            sums.iter().map(sum).collect::<Vec<f32>>()
        };
        let weights: Vec<f32> = self.weights.chunks(self.n_scored).flat_map(row).collect();
        Correction {
            hashes: self.hashes.clone(),
            weights: weights.into(),
            n_scored: sums.len(),
            scale: self.scale,
            starts: self.starts.clone(),
        }
    }
}

/// The first bits of a hash, as many as number the `n` hashes.
fn beginning(hash: u64, n: usize) -> usize {
    let bits = n.next_power_of_two().trailing_zeros();
    if bits == 0 { 0 } else { (hash >> (64 - bits)) as usize }
}

/// A number for a feature that depends on nothing but its name and its kind.
pub fn hash_of(counts: &Counts, block: usize, id: u32) -> u64 {
    let of = &counts.blocks[block];
    match &of.names {
        Names::Words(words) => seed(of.kind).digest(&words.name(id)),
        Names::Runs(index) => {
            let key = index.key(id);
            joined(of.kind, hash_of(counts, block - 1, (key >> 32) as u32), hash_of(counts, 0, key as u32))
        }
    }
}

/// The same of every feature, by block and id.
pub fn hashes(counts: &Counts) -> Vec<Vec<u64>> {
    let mut all: Vec<Vec<u64>> = vec![];
    for (block, of) in counts.blocks.iter().enumerate() {
        let hashes = match &of.names {
            Names::Words(_) => (0..of.len() as u32).map(|id| hash_of(counts, block, id)).collect(),
            Names::Runs(index) => {
                let (left, words) = (&all[block - 1], &all[0]);
                let hash = |&key: &u64| joined(of.kind, left[(key >> 32) as usize], words[key as u32 as usize]);
                index.keys().iter().map(hash).collect()
            }
        };
        all.push(hashes);
    }
    all
}

fn seed(kind: Kind) -> Seed {
    Seed::fixed(match kind {
        Kind::Words => 1,
        Kind::Runs(n) => u64::from(n),
        Kind::Characters => 256,
    })
}

fn joined(kind: Kind, left: u64, right: u64) -> u64 {
    seed(kind).digest(bytemuck::bytes_of(&[left, right]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::{Analyzer, Settings};

    #[test]
    fn a_row_is_found_by_its_hash_and_nothing_else_is() {
        for n in [0, 1, 2, 3, 100] {
            let mut hashes: Vec<u64> = (0..n).map(|at| Seed::fixed(at).digest(b"x")).collect();
            hashes.sort_unstable();
            let weights: Vec<f32> = (0..2 * n).map(|at| at as f32).collect();
            let correction =
                Correction::new(hashes.clone().into(), weights.into(), 2, Scale::fitted(&[1, 5])).expect("sound");
            for (at, &hash) in hashes.iter().enumerate() {
                let place = correction.find(hash).expect("it is there");
                assert_eq!(correction.row(place), [2.0 * at as f32, 2.0 * at as f32 + 1.0]);
                assert_eq!(correction.find(hash ^ 1), None);
            }
            let swapped = correction.arranged(&[vec![], vec![(1, 1.0)], vec![(0, 1.0)]]);
            assert!(hashes.iter().all(|&hash| {
                let row = correction.row(correction.find(hash).expect("there"));
                swapped.row(swapped.find(hash).expect("there")) == [0.0, row[1], row[0]]
            }));
        }
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let sound = |hashes: &[u64], weights: &[f32]| {
            Correction::new(hashes.to_vec().into(), weights.to_vec().into(), 1, Scale::fitted(&[1])).is_some()
        };
        assert!(sound(&[1, 2], &[0.5, 0.5]) && sound(&[], &[]));
        assert!(!sound(&[2, 1], &[0.5, 0.5]) && !sound(&[1, 1], &[0.5, 0.5]));
        assert!(!sound(&[1], &[]) && !sound(&[1], &[f32::NAN]));
        assert!(Correction::new(Array::default(), Array::default(), 0, Scale::fitted(&[1])).is_none());
    }

    #[test]
    fn a_hash_depends_on_the_name_alone() {
        let settings = Settings { ngrams: (1, 3), characters: Some((2, 2)), ..Settings::default() };
        let analyzer = Analyzer::new(settings).expect("sound settings");
        let counted = |text: &str| {
            let batch = Batch { texts: &[text], classes: &[0], weights: None, n_classes: 1 };
            count(&analyzer, batch, 1, &|| false).expect("counted")
        };
        let named = |counts: &Counts| {
            let mut named: Vec<(String, u64)> = vec![];
            for (block, hashes) in hashes(counts).iter().enumerate() {
                for (id, &hash) in hashes.iter().enumerate() {
                    assert_eq!(hash_of(counts, block, id as u32), hash);
                    named.push((format!("{block} {}", counts.name(block, id as u32)), hash));
                }
            }
            named.sort();
            named
        };
        // All words and runs of the one, met in another order.
        let (one, other) = (counted("a bb incomprehensibly"), counted("incomprehensibly bb a bb incomprehensibly"));
        let other = named(&other);
        let mut all: Vec<u64> = other.iter().map(|(_, hash)| *hash).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), other.len());
        assert!(named(&one).iter().all(|pair| other.contains(pair)));
    }
}
