//! The slots of keys that come in the order of their hashes, as those of a file do.
//!
//! The homes of such keys rise, so each goes to its home or behind the key before it: slots are written from the first to the last,
//! nothing is searched, and no memory is waited for. A million keys take 2 ms instead of 7. Threads have parts of the keys, and of
//! the places those from the home of their first key to that of the next part.

use std::hint::select_unpredictable;
use std::mem::take;
use std::ops::Range;
use std::sync::Mutex;

use super::index::{Index, Key, home, insert, places_for};
use crate::processor::Cleared;
use crate::threads::each_on_a_thread;

/// How many places in a row may be filled. By chance a hundred million keys have a hundred of them.
const LONGEST_RUN: usize = 128;

/// Some of the places, while they are filled.
pub struct Filling<'a> {
    slots: &'a mut [u32],
    /// Where they are among all places.
    first: usize,
    n_places: usize,
    /// The place after the last one that is filled.
    next: usize,
    /// Where the filled places before that one begin.
    run: usize,
    longest_run: usize,
    /// Homes and slots of keys that are displaced beyond the end.
    outside: Vec<(usize, u32)>,
}

impl Filling<'_> {
    /// Adds a key, whose hash is not less than those before.
    #[inline(always)]
    pub fn push<K: Key>(&mut self, hash: u64, id: usize) {
        let home = home(self.n_places, hash);
        let place = home.max(self.next);
        // Every other key begins a run: whether this one does cannot be guessed.
        self.run = select_unpredictable(home > self.next, home, self.run);
        self.longest_run = self.longest_run.max(place - self.run);
        self.next = place + 1;
        let slot = Index::<K>::slot(self.n_places, hash, id);
        match self.slots.get_mut(place.wrapping_sub(self.first)) {
            Some(free) => *free = slot,
            None => self.outside.push((home, slot)),
        }
    }
}

/// What comes of keys that were filled in: their slots, or None where they were made to collide; and what each part has returned.
pub type Filled<R> = (Option<Cleared<u32>>, Vec<R>);

/// Fills in parts of keys on a thread each. `work` adds those of the part with this number, which begins with this hash. None where
/// it is None for any part, or where parts do not follow each other.
pub fn fill<R: Send>(
    parts: &[Range<usize>],
    first_hashes: &[u64],
    work: impl Fn(usize, &mut Filling) -> Option<R> + Sync,
) -> Option<Filled<R>> {
    let n_places = places_for(parts.last().map_or(0, |part| part.end));
    let mut slots = Cleared::new(n_places);
    let mut fillings = vec![];
    let (mut rest, mut first) = (&mut slots[..], 0);
    for number in 0..parts.len() {
        let end = first_hashes.get(number + 1).map_or(n_places, |&hash| home(n_places, hash));
        let own;
        (own, rest) = rest.split_at_mut_checked(end.checked_sub(first)?)?;
        let filling = Filling { slots: own, first, n_places, next: first, run: first, longest_run: 0, outside: vec![] };
        fillings.push((number, Mutex::new(filling)));
        first = end;
    }
    let results = each_on_a_thread(&fillings, |(number, filling)| {
        let filling = &mut *filling.lock().expect("each part has one thread");
        // Of its own, so that what changes with every key stays in registers.
        let mut own = Filling { slots: take(&mut filling.slots), outside: vec![], ..*filling };
        let result = work(*number, &mut own);
        *filling = own;
        result
    });
    let results = results.into_iter().collect::<Option<Vec<R>>>()?;
    let fillings: Vec<Filling> =
        fillings.into_iter().map(|(_, filling)| filling.into_inner().expect("no thread has panicked")).collect();
    if fillings.iter().any(|filling| filling.longest_run >= LONGEST_RUN) {
        return Some((None, results));
    }
    // As few as a run is long: they follow one on another.
    let outside: Vec<(usize, u32)> = fillings.into_iter().flat_map(|filling| filling.outside).collect();
    outside.into_iter().for_each(|(home, slot)| insert(&mut slots, home, slot));
    Some((Some(slots), results))
}
