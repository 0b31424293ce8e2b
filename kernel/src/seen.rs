//! The distinct features of a document.

use crate::vocabulary::{Key, Seed, UNKNOWN};

/// The distinct features of a document, numbered in the order of their first occurrence.
///
/// A table of a few kilobytes, whatever the size of the vocabulary: it stays in the nearest cache, where an array with a place for
/// each feature would not.
#[derive(Clone, Default)]
pub struct Seen<F> {
    /// By hash: a feature's number, counted on from those of the documents before. A place with less is free, so nothing has to
    /// be cleared.
    places: Vec<u32>,
    /// How many numbers have been given before this document.
    before: u32,
    /// The features, each once.
    pub features: Vec<F>,
    /// The number of each feature of the document, in their order; [`UNKNOWN`] for those that do not count.
    pub numbers: Vec<u32>,
    /// Where each of the features stands for the first time.
    pub firsts: Vec<u32>,
}

impl<F: Copy + Default> Seen<F> {
    /// Takes the features of a document. `id` says what tells them apart: [`UNKNOWN`] for those that do not count.
    #[inline(always)]
    pub fn read(&mut self, found: &[F], id: impl Fn(&F) -> u32) {
        let seed = Seed::of_this_process();
        let bits = (2 * found.len()).next_power_of_two().trailing_zeros().max(4);
        // Number 0 is never given, since every place begins with it.
        self.before = self.before.max(1) + self.features.len() as u32;
        if self.places.len() < 1 << bits || self.before as usize + found.len() >= u32::MAX as usize {
            self.places.clear();
            self.places.resize(1 << bits, 0);
            self.before = 1;
        }
        self.features.clear();
        self.features.resize(found.len() + 1, F::default());
        self.numbers.clear();
        self.firsts.resize(found.len() + 1, 0);
        let (places, features, before) = (&mut self.places[..1 << bits], &mut self.features[..], self.before);
        let firsts = &mut self.firsts[..];
        let mut n = 0;
        self.numbers.extend(found.iter().enumerate().map(|(position, feature)| {
            let own = id(feature);
            if own == UNKNOWN {
                return UNKNOWN;
            }
            let mut at = (u64::from(own).hash(seed) >> (64 - bits)) as usize;
            loop {
                let place = &mut places[at & ((1 << bits) - 1)];
                let number = place.wrapping_sub(before).min(n);
                // Both are asked, and what follows is done either way: whether a word has been in the document before cannot
                // be guessed.
                if (number == n) | (id(&features[number as usize]) == own) {
                    *place = before + number;
                    features[number as usize] = *feature;
                    // Written over by the next one unless this one is new.
                    firsts[n as usize] = position as u32;
                    n += u32::from(number == n);
                    return number;
                }
                at += 1;
            }
        }));
        self.features.truncate(n as usize);
        self.firsts.truncate(n as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_of_a_document_is_seen_once() {
        let mut seen = Seen::default();
        for round in 0..100u32 {
            let ids: Vec<u32> = (0..10 * round).map(|i| (i * 7919 + round) % (4 * round + 1)).collect();
            seen.read(&ids, |&id| if id == 3 { UNKNOWN } else { id });
            let mut distinct: Vec<u32> = vec![];
            let number = |&id: &u32| {
                if id == 3 {
                    return UNKNOWN;
                }
                let number = distinct.iter().position(|&other| other == id);
                number.unwrap_or_else(|| {
                    distinct.push(id);
                    distinct.len() - 1
                }) as u32
            };
            let numbers: Vec<u32> = ids.iter().map(number).collect();
            assert_eq!(seen.numbers, numbers);
            assert_eq!(seen.features, distinct);
            let firsts: Vec<u32> =
                distinct.iter().map(|id| ids.iter().position(|other| other == id).unwrap() as u32).collect();
            assert_eq!(seen.firsts, firsts);
        }
    }
}
