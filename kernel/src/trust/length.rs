//! What the length of a document makes of the sums of its weights.
//!
//! Features of one document repeat each other: m of them are worth m / (1 + m/M) independent ones. How much they do differs, so
//! there are two channels, one for features that soon repeat each other and one for such as do later.

/// M of each channel.
const REPEATS: [f64; CHANNELS] = [4.0, 128.0];
pub(super) const CHANNELS: usize = 2;
/// With so many words half of what a class starts with besides its prior has come in.
const HALF: f64 = 16.0;

/// What the sums of a document with `m` features of a block are multiplied with, by channel.
///
/// A document of more than `cap` features, more than any that the curves were fitted on, counts as one of `cap` features with the
/// same mean weights.
#[inline(always)]
pub(super) fn scales(m: f64, cap: f64) -> [f64; CHANNELS] {
    let (within, beyond) = (m.min(cap), if m > cap { cap / m } else { 1.0 });
    REPEATS.map(|repeats| beyond / (1.0 + within / repeats))
}

/// How much of what a class starts with besides its prior a document with `m` words has: nothing without a word.
#[inline(always)]
pub fn growth(m: f64) -> f64 {
    m / (m + HALF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_cap_the_mean_weight_counts_and_not_the_length() {
        for m in [10.0, 20.0, 1000.0] {
            let [first, second] = scales(m, 10.0).map(|scale| m * scale);
            assert!((first - 10.0 / 3.5).abs() < 1e-12 && (second - 10.0 / (1.0 + 10.0 / 128.0)).abs() < 1e-12);
        }
        assert_eq!(scales(0.0, 1.0), [1.0, 1.0]);
        assert_eq!([growth(0.0), growth(16.0)], [0.0, 0.5]);
    }
}
