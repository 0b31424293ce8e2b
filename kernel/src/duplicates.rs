//! Signatures by which texts that are nearly equal are found: MinHash of their runs of three words.
//!
//! Each of many hash functions keeps its smallest value over the runs of a text. Two texts have the same smallest value as
//! often as their sets of runs overlap, so that signatures agree in about as large a share as the sets do.

use std::sync::LazyLock;

use crate::text::{Analyzer, Tokens};
use crate::threads::{each_on_a_thread, equal_parts};
use crate::vocabulary::Seed;

/// Numbers of a signature.
pub const HASHES: usize = 128;
/// Words of a run.
const RUN: usize = 3;

/// For each hash function what it turns over, and an odd number that it multiplies with: each is another order of all
/// 32-bit numbers, and sixteen of them are computed at once.
static FUNCTIONS: LazyLock<([u32; HASHES], [u32; HASHES])> = LazyLock::new(|| {
    let seed = Seed::fixed(1);
    let number = |at: usize| seed.digest(&(at as u64).to_le_bytes()) as u32;
    (std::array::from_fn(number), std::array::from_fn(|at| number(HASHES + at) | 1))
});

/// For each text a signature of its words; a text without words has the largest numbers that there are.
///
/// ```
/// use banbury_kernel::{duplicates::{HASHES, signatures}, text::{Analyzer, Settings}};
///
/// let analyzer = Analyzer::new(Settings::default()).unwrap();
/// let found = signatures(&analyzer, &["the same old song", "The SAME old song", "something else"], 1);
/// assert_eq!(found[..HASHES], found[HASHES..2 * HASHES]);
/// assert_ne!(found[..HASHES], found[2 * HASHES..]);
/// ```
pub fn signatures(analyzer: &Analyzer, texts: &[&str], threads: usize) -> Vec<u32> {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    each_on_a_thread(&equal_parts(texts.len(), threads.min(bytes >> 16).max(1)), |part| {
        let (mut tokens, mut words) = (Tokens::default(), vec![]);
        let mut hashes = Vec::with_capacity(part.len() * HASHES);
        for text in &texts[part.clone()] {
            tokens.clear();
            analyzer.words(text, &mut tokens);
            words.clear();
            words.extend((0..tokens.len()).map(|at| Seed::fixed(0).digest(tokens.get(at))));
            hashes.extend(signature(&words));
        }
        hashes
    })
    .concat()
}

fn signature(words: &[u64]) -> [u32; HASHES] {
    let (turns, factors) = &*FUNCTIONS;
    let mut smallest = [u32::MAX; HASHES];
    for run in words.windows(RUN.min(words.len()).max(1)) {
        let hash = Seed::fixed(2).digest(bytemuck::cast_slice(run)) as u32;
        for at in 0..HASHES {
            smallest[at] = smallest[at].min((hash ^ turns[at]).wrapping_mul(factors[at]));
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Settings;

    fn agreement(one: &str, other: &str) -> f64 {
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let hashes = signatures(&analyzer, &[one, other], 1);
        let (one, other) = hashes.split_at(HASHES);
        one.iter().zip(other).filter(|(a, b)| a == b).count() as f64 / HASHES as f64
    }

    #[test]
    fn signatures_agree_about_as_often_as_the_runs_overlap() {
        let words: Vec<String> = (0..402).map(|at| format!("word{at}")).collect();
        let (one, other) = (words[..302].join(" "), words[100..].join(" "));
        // 200 runs of 400 are in both.
        assert!((agreement(&one, &other) - 0.5).abs() < 0.15);
        assert_eq!(agreement(&one, &one), 1.0);
        assert!(agreement(&words[..200].join(" "), &words[202..].join(" ")) < 0.05);
    }

    #[test]
    fn short_texts_are_one_run_and_no_words_are_none() {
        assert_eq!(agreement("one two", "One, two"), 1.0);
        assert!(agreement("one two", "two one") < 0.05);
        assert_eq!(signature(&[]), [u32::MAX; HASHES]);
    }

    #[test]
    fn threads_change_nothing() {
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let long = "so many words ".repeat(10_000);
        let texts = [long.as_str(), "a b c d", "", long.as_str()];
        assert_eq!(signatures(&analyzer, &texts, 1), signatures(&analyzer, &texts, 3));
    }
}
