//! The distinct features of a document.

use std::mem::take;

use crate::processor::prefetch;
use crate::vocabulary::{AHEAD, Seed, UNKNOWN};

/// The distinct features of a document, numbered in the order of their first occurrence.
///
/// A table of a few kilobytes, whatever the size of the vocabulary: it stays in the nearest cache, where an array with a place for
/// each feature would not.
#[derive(Clone, Default)]
pub struct Seen<F> {
    /// By hash: a feature's number, counted on from those of the documents before, and its id. A place with a lower number is free, so
    /// nothing has to be cleared.
    places: Vec<u64>,
    /// By id: the number alone, where each has a place of its own.
    direct: Vec<u32>,
    /// By two words, as numbers: whether the pair of them has been there.
    bits: Vec<u64>,
    /// Where the features stand that count, of a step.
    counted: Vec<u32>,
    /// How many numbers have been given before this document.
    before: u32,
    /// The features, each once, so many; what is behind them is from other documents.
    room: Vec<F>,
    n: usize,
    /// The number of each feature of the document, in their order; [`UNKNOWN`] for those that do not count.
    pub numbers: Vec<u32>,
    /// Where each of the features stands for the first time.
    pub firsts: Vec<u32>,
}

/// Features that are taken at a time, with room for all of them: in a long text most are not new.
const STEP: usize = 1 << 15;
/// So many ids have a place each: more would not stay in a near cache.
const MOST_PLACES: usize = 1 << 18;
/// Pairs of so many words have a bit each: half a megabyte for the longest documents, four kilobytes for most.
const MOST_PAIRED: usize = 1 << 11;

impl<F: Copy + Default> Seen<F> {
    /// The features, each once.
    #[inline(always)]
    pub fn features(&self) -> &[F] {
        &self.room[..self.n]
    }

    /// Takes these features, of which none is there twice; where they stand is for the caller to say.
    pub fn put(&mut self, features: impl Iterator<Item = F>) {
        self.room.clear();
        self.room.extend(features);
        self.n = self.room.len();
    }

    /// Room for `n` features and one more.
    #[inline(always)]
    fn make_room(&mut self, n: usize) {
        if self.room.len() <= n {
            self.room.resize(n + 1, F::default());
        }
    }

    /// Takes the features of a document: those that count, told apart by their ids.
    #[inline(always)]
    pub fn read(&mut self, found: &[F], counts: impl Fn(&F) -> bool, id: impl Fn(&F) -> u32) {
        self.numbers.clear();
        self.numbers.resize(found.len(), UNKNOWN);
        let (mut numbers, mut firsts) = (take(&mut self.numbers), take(&mut self.firsts));
        // Each is written over by the next one unless it is new.
        firsts.resize(firsts.len().max(found.len() + 1), 0);
        let note = |position: usize, number: u32, n: u32| {
            numbers[position] = number;
            firsts[n as usize] = position as u32;
        };
        self.read_and_note(found, counts, id, note);
        firsts.truncate(self.n);
        (self.numbers, self.firsts) = (numbers, firsts);
    }

    /// The same where only the features are asked for: `numbers` and `firsts` are those of another document then.
    #[inline(always)]
    pub fn read_features(&mut self, found: &[F], counts: impl Fn(&F) -> bool, id: impl Fn(&F) -> u32) {
        self.read_and_note(found, counts, id, |_, _, _| {});
    }

    /// The same as [`Seen::read`] for features with ids below `n_ids`. Where these are few each has a place of its own, and nothing has to
    /// be compared.
    #[inline(always)]
    pub fn read_below(&mut self, n_ids: usize, found: &[F], counts: impl Fn(&F) -> bool, id: impl Fn(&F) -> u32) {
        if n_ids > MOST_PLACES || found.len() > STEP {
            return self.read(found, counts, id);
        }
        self.numbers.clear();
        self.numbers.resize(found.len(), UNKNOWN);
        let (mut numbers, mut firsts) = (take(&mut self.numbers), take(&mut self.firsts));
        firsts.resize(found.len() + 1, 0);
        self.read_directly(n_ids, found, counts, id, |position, number, n| {
            numbers[position] = number;
            firsts[n as usize] = position as u32;
        });
        firsts.truncate(self.n);
        (self.numbers, self.firsts) = (numbers, firsts);
    }

    /// The same as [`Seen::read_features`].
    #[inline(always)]
    pub fn read_features_below(
        &mut self,
        n_ids: usize,
        found: &[F],
        counts: impl Fn(&F) -> bool,
        id: impl Fn(&F) -> u32,
    ) {
        if n_ids > MOST_PLACES || found.len() > STEP {
            return self.read_features(found, counts, id);
        }
        self.read_directly(n_ids, found, counts, id, |_, _, _| {});
    }

    /// The same as [`Seen::read`] for pairs, of which one stands wherever two of `words` follow each other, but for `numbers`: those are
    /// of another document. Of a document's own words two say the pair, so nothing has to be searched.
    #[inline(always)]
    pub fn read_pairs(&mut self, words: &Self, found: &[F], counts: impl Fn(&F) -> bool, id: impl Fn(&F) -> u32) {
        if words.n > MOST_PAIRED || found.len() > STEP || words.numbers.len() <= found.len() {
            return self.read(found, counts, id);
        }
        let (mut n_counted, mut has_lost) = (0, false);
        self.counted.resize(self.counted.len().max(found.len()), 0);
        let (lefts, rights) = (&words.numbers[..found.len()], &words.numbers[1..found.len() + 1]);
        let counted = &mut self.counted[..found.len()];
        for (position, (feature, (left, right))) in found.iter().zip(lefts.iter().zip(rights)).enumerate() {
            let is_counted = counts(feature);
            counted[n_counted] = position as u32;
            n_counted += usize::from(is_counted);
            has_lost |= is_counted & ((left | right) == UNKNOWN);
        }
        if has_lost {
            // A pair that counts, of a word that does not.
            return self.read(found, counts, id);
        }
        self.start(found.len());
        self.make_room(n_counted);
        self.firsts.clear();
        self.firsts.resize(n_counted + 1, 0);
        let width = words.n.div_ceil(u64::BITS as usize);
        self.bits.clear();
        self.bits.resize(words.n * width, 0);
        let (features, firsts, bits) = (&mut self.room[..=n_counted], &mut self.firsts[..], &mut self.bits[..]);
        let mut n = 0;
        for &position in &self.counted[..n_counted] {
            let at = position as usize;
            let (left, right) = (lefts[at] as usize, rights[at]);
            let place = &mut bits[left * width + (right / u64::BITS) as usize];
            let bit = 1 << (right % u64::BITS);
            let is_new = *place & bit == 0;
            *place |= bit;
            // Written over by the next one unless this one is new.
            (features[n], firsts[n]) = (found[at], position);
            n += usize::from(is_new);
        }
        self.firsts.truncate(n);
        self.n = n;
    }

    #[inline(always)]
    fn read_directly(
        &mut self,
        n_ids: usize,
        found: &[F],
        counts: impl Fn(&F) -> bool,
        id: impl Fn(&F) -> u32,
        mut note: impl FnMut(usize, u32, u32),
    ) {
        self.start(found.len());
        if self.direct.len() < n_ids {
            self.direct.resize(n_ids, 0);
        }
        self.make_room(found.len());
        let (places, features, before) = (&mut self.direct[..n_ids], &mut self.room[..], self.before);
        let mut n = 0;
        for (position, feature) in found.iter().enumerate() {
            if let Some(next) = found.get(position + AHEAD) {
                prefetch(places, id(next) as usize);
            }
            if !counts(feature) {
                continue;
            }
            let place = &mut places[id(feature) as usize];
            let number = place.wrapping_sub(before).min(n);
            *place = before + number;
            // Written over by the next one unless this one is new.
            features[n as usize] = *feature;
            note(position, number, n);
            n += u32::from(number == n);
        }
        self.n = n as usize;
    }

    /// Starts a document with at most `n` features.
    #[inline(always)]
    fn start(&mut self, n: usize) {
        // Number 0 is never given, since every place begins with it.
        self.before = self.before.max(1) + self.n as u32;
        if self.before as usize + n >= u32::MAX as usize {
            self.places.fill(0);
            self.direct.fill(0);
            self.before = 1;
        }
        self.n = 0;
    }

    /// `note` is told where a feature stands, its number, and how many there were before it.
    #[inline(always)]
    fn read_and_note(
        &mut self,
        found: &[F],
        counts: impl Fn(&F) -> bool,
        id: impl Fn(&F) -> u32,
        mut note: impl FnMut(usize, u32, u32),
    ) {
        // Where a quarter of the places is taken at the most, few are taken by another feature.
        let bits_for = |n: usize| (4 * n).next_power_of_two().trailing_zeros().max(4);
        let mut bits = bits_for(found.len().min(STEP));
        self.start(found.len());
        if self.places.len() < 1 << bits {
            self.places.clear();
            self.places.resize(1 << bits, 0);
        }
        let mut n = 0;
        for (step, found) in found.chunks(STEP).enumerate() {
            if bits_for(n as usize + found.len()) > bits {
                bits = bits_for(2 * n as usize + found.len());
                self.place_again(n, bits, &id);
            }
            let note = |position: usize, number: u32, n: u32| note(step * STEP + position, number, n);
            n = self.read_step(found, n, bits, &counts, &id, note);
        }
        self.n = n as usize;
    }

    /// More places, for `n` features that are there and for others.
    #[cold]
    fn place_again(&mut self, n: u32, bits: u32, id: &impl Fn(&F) -> u32) {
        self.places.clear();
        self.places.resize(1 << bits, 0);
        let factor = Seed::of_this_process().factor();
        for number in 0..n {
            let own = id(&self.room[number as usize]);
            let mut at = first_place(own, bits, factor);
            while self.places[at] != 0 {
                at = (at + 1) & ((1 << bits) - 1);
            }
            self.places[at] = entry(self.before + number, own);
        }
    }

    /// Takes the next features, after `n` different ones; how many there are then.
    #[inline(always)]
    fn read_step(
        &mut self,
        found: &[F],
        mut n: u32,
        bits: u32,
        counts: &impl Fn(&F) -> bool,
        id: &impl Fn(&F) -> u32,
        mut note: impl FnMut(usize, u32, u32),
    ) -> u32 {
        let factor = Seed::of_this_process().factor();
        self.make_room(n as usize + found.len());
        let (places, features, before) = (&mut self.places[..1 << bits], &mut self.room[..], self.before);
        // Whether one counts cannot be guessed: first those are noted that do, without a branch.
        let mut n_counted = 0;
        self.counted.resize(self.counted.len().max(found.len()), 0);
        let counted = &mut self.counted[..found.len()];
        for (position, feature) in found.iter().enumerate() {
            counted[n_counted] = position as u32;
            n_counted += usize::from(counts(feature));
        }
        for &position in &counted[..n_counted] {
            let position = position as usize;
            let feature = found[position];
            let own = id(&feature);
            let mut at = first_place(own, bits, factor);
            loop {
                let place = &mut places[at & ((1 << bits) - 1)];
                let number = ((*place >> 32) as u32).wrapping_sub(before).min(n);
                // Both are asked, and what follows is done either way: whether a word has been in the document before cannot
                // be guessed.
                if (number == n) | (*place as u32 == own) {
                    *place = entry(before + number, own);
                    // Written over by the next one unless this one is new.
                    features[n as usize] = feature;
                    note(position, number, n);
                    n += u32::from(number == n);
                    break;
                }
                at += 1;
            }
        }
        n
    }
}

/// A number and an id side by side.
#[inline(always)]
fn entry(number: u32, id: u32) -> u64 {
    u64::from(number) << 32 | u64::from(id)
}

/// Where a feature is among 2^`bits` places, if that is free: its id times a secret number says it.
#[inline(always)]
fn first_place(id: u32, bits: u32, factor: u32) -> usize {
    (id.wrapping_mul(factor) >> (32 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_of_a_document_is_seen_once() {
        let (mut seen, mut direct, mut alone) = (Seen::default(), Seen::default(), Seen::default());
        for round in 0..100u32 {
            let ids: Vec<u32> = (0..10 * round).map(|i| (i * 7919 + round) % (4 * round + 1)).collect();
            seen.read(&ids, |&id| id != 3, |&id| id);
            match round % 2 {
                0 => alone.read_features(&ids, |&id| id != 3, |&id| id),
                _ => alone.read_features_below(4 * round as usize + 1, &ids, |&id| id != 3, |&id| id),
            }
            // One table serves both ways, and vocabularies that grow.
            match round % 3 {
                0 => direct.read(&ids, |&id| id != 3, |&id| id),
                _ => direct.read_below(4 * round as usize + 1, &ids, |&id| id != 3, |&id| id),
            }
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
            assert_eq!((seen.features(), alone.features()), (&distinct[..], &distinct[..]));
            let firsts: Vec<u32> =
                distinct.iter().map(|id| ids.iter().position(|other| other == id).unwrap() as u32).collect();
            assert_eq!(seen.firsts, firsts);
            assert_eq!((direct.features(), &direct.firsts, &direct.numbers), (&distinct[..], &firsts, &numbers));
        }
    }

    #[test]
    fn pairs_of_words_are_told_apart_by_their_words() {
        let (mut words, mut pairs, mut plain) = (Seen::default(), Seen::default(), Seen::default());
        for round in 0..120u32 {
            let different = if round % 40 == 7 { MOST_PAIRED as u32 + 5 } else { 2 * round + 1 };
            let ids: Vec<u32> = (0..30 * round).map(|i| (i * i * 31 + i * round + i / 9) % different).collect();
            words.read(&ids, |&id| id != 3, |&id| id);
            // A pair counts unless a word of it does not, or by itself; in some documents there are others.
            let number = |two: &[u32]| if two.contains(&3) { UNKNOWN } else { two[0] * 10_000 + two[1] };
            let found: Vec<u32> = ids.windows(2).map(number).collect();
            let counts = |&id: &u32| if round % 10 == 4 { id % 5 > 0 } else { id != UNKNOWN && id % 5 > 0 };
            pairs.read_pairs(&words, &found, counts, |&id| id);
            plain.read(&found, counts, |&id| id);
            assert_eq!((pairs.features(), &pairs.firsts), (plain.features(), &plain.firsts));
        }
    }

    #[test]
    fn the_features_of_a_long_document_are_seen_once_too() {
        let mut seen = Seen::default();
        for (n, different) in [(3 * STEP + 5, 7), (4 * STEP, 3 * STEP + 1), (9, 9)] {
            let ids: Vec<u32> = (0..n).map(|i| (i * 7919 % different) as u32).collect();
            seen.read(&ids, |_| true, |&id| id);
            assert!(seen.numbers.iter().zip(&ids).all(|(&number, &id)| seen.features()[number as usize] == id));
            assert_eq!(seen.features().len(), different);
            let mut direct = Seen::default();
            direct.read_below(different, &ids, |_| true, |&id| id);
            assert_eq!((direct.features(), &direct.numbers), (seen.features(), &seen.numbers));
            let firsts: Vec<u32> = (0..different as u32).collect();
            assert_eq!(seen.firsts, firsts);
        }
    }
}
