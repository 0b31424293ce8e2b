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

/// Features that are taken at a time, with room for all of them: in a long text most are not new.
const STEP: usize = 1 << 15;

impl<F: Copy + Default> Seen<F> {
    /// Takes the features of a document. `id` says what tells them apart: [`UNKNOWN`] for those that do not count.
    #[inline(always)]
    pub fn read(&mut self, found: &[F], id: impl Fn(&F) -> u32) {
        let bits_for = |n: usize| (2 * n).next_power_of_two().trailing_zeros().max(4);
        let mut bits = bits_for(found.len().min(STEP));
        // Number 0 is never given, since every place begins with it.
        self.before = self.before.max(1) + self.features.len() as u32;
        if self.places.len() < 1 << bits || self.before as usize + found.len() >= u32::MAX as usize {
            self.places.clear();
            self.places.resize(1 << bits, 0);
            self.before = 1;
        }
        self.features.clear();
        self.numbers.clear();
        let mut n = 0;
        for (step, found) in found.chunks(STEP).enumerate() {
            if bits_for(n as usize + found.len()) > bits {
                bits = bits_for(2 * n as usize + found.len());
                self.place_again(n, bits, &id);
            }
            n = self.read_step(found, step * STEP, n, bits, &id);
        }
        self.features.truncate(n as usize);
        self.firsts.truncate(n as usize);
    }

    /// More places, for `n` features that are there and for others.
    #[cold]
    fn place_again(&mut self, n: u32, bits: u32, id: &impl Fn(&F) -> u32) {
        self.places.clear();
        self.places.resize(1 << bits, 0);
        for number in 0..n {
            let mut at = first_place(id(&self.features[number as usize]), bits, Seed::of_this_process());
            while self.places[at & ((1 << bits) - 1)] != 0 {
                at += 1;
            }
            self.places[at & ((1 << bits) - 1)] = self.before + number;
        }
    }

    /// Takes the next features, the first of them at `position`, after `n` different ones; how many there are then.
    #[inline(always)]
    fn read_step(&mut self, found: &[F], position: usize, mut n: u32, bits: u32, id: &impl Fn(&F) -> u32) -> u32 {
        let seed = Seed::of_this_process();
        self.features.resize(n as usize + found.len() + 1, F::default());
        self.firsts.resize(n as usize + found.len() + 1, 0);
        let (places, features, before) = (&mut self.places[..1 << bits], &mut self.features[..], self.before);
        let firsts = &mut self.firsts[..];
        self.numbers.extend((position..).zip(found).map(|(position, feature)| {
            let own = id(feature);
            if own == UNKNOWN {
                return UNKNOWN;
            }
            let mut at = first_place(own, bits, seed);
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
        n
    }
}

/// Where a feature is among 2^`bits` places, if that is free.
#[inline(always)]
fn first_place(id: u32, bits: u32, seed: Seed) -> usize {
    (u64::from(id).hash(seed) >> (64 - bits)) as usize
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

    #[test]
    fn the_features_of_a_long_document_are_seen_once_too() {
        let mut seen = Seen::default();
        for (n, different) in [(3 * STEP + 5, 7), (4 * STEP, 3 * STEP + 1), (9, 9)] {
            let ids: Vec<u32> = (0..n).map(|i| (i * 7919 % different) as u32).collect();
            seen.read(&ids, |&id| id);
            assert!(seen.numbers.iter().zip(&ids).all(|(&number, &id)| seen.features[number as usize] == id));
            assert_eq!(seen.features.len(), different);
            let firsts: Vec<u32> = (0..different as u32).collect();
            assert_eq!(seen.firsts, firsts);
        }
    }
}
