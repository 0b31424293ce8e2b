//! A hash table for the two loops that see every word of every text: keys and what is known of them side by side.
//!
//! Finding a key and changing its value touch one cache line; in an `Index`, which is made to lie in a file, they touch
//! three. Open addressing, linear probing. The first bits of the hash choose the place, so that keys sorted by hash
//! fill it from its beginning to its end.

use crate::processor::{Scattered, prefetch};
use crate::vocabulary::{Key, share};

/// A place of a table: a key, [`Key::EMPTY`] where it is free, and its value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Slot<K, V> {
    pub key: K,
    pub value: V,
}

pub struct Table<K: Copy, V: Copy> {
    slots: Scattered<Slot<K, V>>,
    len: usize,
}

impl<K: Key, V: Copy + Default> Table<K, V> {
    /// A table with room for `n` keys before it has to grow.
    pub fn with_room_for(n: usize) -> Self {
        let mut table = Table::unready(n);
        table.make_ready();
        table
    }

    /// The same, which has to be [made ready](Self::make_ready) before it is used: on another thread, maybe.
    pub fn unready(n: usize) -> Self {
        Table { slots: Scattered::with_room_for((n * 8 / 5).max(16)), len: 0 }
    }

    pub fn make_ready(&mut self) {
        if self.slots.is_empty() {
            self.slots.fill_up(Slot { key: K::EMPTY, value: V::default() });
        }
    }

    /// The share of the hash's range that lies before it, as a place.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        share(hash, self.slots.len())
    }

    /// How many places there are.
    pub fn places(&self) -> usize {
        self.slots.len()
    }

    /// All places, taken or not.
    pub fn slots(&self) -> &[Slot<K, V>] {
        &self.slots
    }

    pub fn slots_mut(&mut self) -> &mut [Slot<K, V>] {
        &mut self.slots
    }

    #[inline(always)]
    fn after(&self, place: usize) -> usize {
        if place + 1 == self.slots.len() { 0 } else { place + 1 }
    }

    /// Asks for the memory of a key with this hash.
    #[inline(always)]
    pub fn expect(&self, hash: u64) {
        prefetch(&self.slots, self.home(hash));
    }

    /// The value of a key, whose first place is known. `same` has the last word on equal keys.
    #[inline(always)]
    pub fn get_from(&self, home: usize, key: K, same: impl Fn(&V) -> bool) -> Option<&V> {
        self.find_from(home, key, same).map(|place| self.value(place))
    }

    /// Where a key is.
    #[inline(always)]
    pub fn find(&self, key: K, hash: u64, same: impl Fn(&V) -> bool) -> Option<usize> {
        self.find_from(self.home(hash), key, same)
    }

    #[inline(always)]
    fn find_from(&self, home: usize, key: K, same: impl Fn(&V) -> bool) -> Option<usize> {
        let mut place = home;
        loop {
            let slot = &self.slots[place];
            if slot.key == key && same(&slot.value) {
                return Some(place);
            }
            if slot.key == K::EMPTY {
                return None;
            }
            place = self.after(place);
        }
    }

    /// Where a key is, and whether it has only come there now.
    #[inline(always)]
    pub fn place(&mut self, key: K, hash: u64, same: impl Fn(&V) -> bool) -> (usize, bool) {
        self.place_from(self.home(hash), key, same)
    }

    /// The same for a key whose first place is known.
    #[inline(always)]
    pub fn place_from(&mut self, home: usize, key: K, same: impl Fn(&V) -> bool) -> (usize, bool) {
        let mut place = home;
        loop {
            let slot = &self.slots[place];
            if slot.key == key && same(&slot.value) {
                return (place, false);
            }
            if slot.key == K::EMPTY {
                break;
            }
            place = self.after(place);
        }
        self.slots[place].key = key;
        self.len += 1;
        (place, true)
    }

    /// How many keys it has.
    pub fn n_keys(&self) -> usize {
        self.len
    }

    /// How many places it has, taken or free.
    pub fn n_places(&self) -> usize {
        self.slots.len()
    }

    #[inline(always)]
    pub fn value(&self, place: usize) -> &V {
        &self.slots[place].value
    }

    #[inline(always)]
    pub fn at(&mut self, place: usize) -> &mut V {
        &mut self.slots[place].value
    }

    /// Whether `n` more keys should find a larger table: where they would leave hardly any place free, or where it is so full
    /// already that searches are long.
    #[inline(always)]
    pub fn is_full(&self, n: usize) -> bool {
        self.len * 8 >= self.slots.len() * 5 || (self.len + n) * 8 >= self.slots.len() * 7
    }

    /// Makes room for twice as many keys.
    pub fn grow(&mut self, hash: impl Fn(K) -> u64) {
        let mut larger = Table::with_room_for(self.slots.len() * 5 / 4);
        for slot in self.slots.iter().filter(|slot| slot.key != K::EMPTY) {
            let (place, _) = larger.place(slot.key, hash(slot.key), |_| false);
            *larger.at(place) = slot.value;
        }
        *self = larger;
    }

    /// Forgets all keys and keeps the memory.
    pub fn clear(&mut self) {
        self.slots.fill(Slot { key: K::EMPTY, value: V::default() });
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Seed;

    #[test]
    fn it_finds_what_was_put_in_while_it_grows() {
        let seed = Seed::of_this_process();
        let mut table: Table<u64, u32> = Table::with_room_for(4);
        for key in 0..1000u64 {
            let (place, is_new) = table.place(key, key.hash(seed), |_| true);
            assert!(is_new);
            *table.at(place) = key as u32 * 3;
            if table.is_full(1) {
                table.grow(|key| key.hash(seed));
            }
        }
        assert!((0..1000u64).all(|key| table.find(key, key.hash(seed), |_| true).map(|at| *table.value(at)) == Some(key as u32 * 3)));
        assert_eq!(table.find(1000, 1000u64.hash(seed), |_| true), None);
        assert!(!table.place(7, 7u64.hash(seed), |_| true).1);
    }
}
