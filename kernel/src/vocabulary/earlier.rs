//! Names of files of version 2: keys in the order of their names.

use std::ops::Range;

use super::{Index, LONGEST_SHORT, LongNames, Seed, WordKey, Words, key_of};
use crate::array::Array;
use crate::threads::{each_on_a_thread, large_parts};

impl LongNames {
    /// The next of the names of a file, which has this id, and is text of more bytes than a key holds; `place` counts them.
    fn next(&self, place: &mut usize, id: u32) -> Option<&[u8]> {
        let start = if *place == 0 { 0 } else { self.ends[*place - 1] };
        let name = self.bytes.get(start as usize..*self.ends.get(*place)? as usize)?;
        let is_sound = self.ids[*place] == id && name.len() > LONGEST_SHORT && str::from_utf8(name).is_ok();
        *place += 1;
        is_sound.then_some(name)
    }
}

impl Words {
    /// Words that lie in a file; None where the arrays do not fit each other. They cannot be looked up yet.
    pub fn mapped(keys: Array<WordKey>, ids: Array<u32>, ends: Array<u64>, bytes: Array<u8>) -> Option<Self> {
        (ids.len() == ends.len()).then(|| Words::new(Index::unfilled(keys), LongNames { ids, ends, bytes }))
    }

    /// Whether the arrays of a file are those of distinct words, in the order of their names.
    pub fn is_sound(&self, threads: usize) -> bool {
        let parts = large_parts(self.index.len(), threads);
        // Where the first long name of each part is. Ids that are not in order are found out below.
        let mut starts: Vec<usize> =
            parts.iter().map(|part| self.long.ids.partition_point(|id| (*id as usize) < part.start)).collect();
        starts.push(self.long.ids.len());
        let numbers: Vec<usize> = (0..parts.len()).collect();
        let are_sound = each_on_a_thread(&numbers, |&number| {
            self.is_part_sound(parts[number].clone(), starts[number]) == Some(starts[number + 1])
        });
        starts[0] == 0
            && are_sound.into_iter().all(|is_sound| is_sound)
            && self.long.ends.last().copied().unwrap_or(0) == self.long.bytes.len() as u64
    }

    /// Looks at a part of the keys, whose first long name is that number `n_long`, and at the order of its last key and the one after
    /// it. Returns the number of the next long name after the part; None where something is wrong.
    fn is_part_sound(&self, part: Range<usize>, mut n_long: usize) -> Option<usize> {
        let (keys, mut last, mut next) = (self.index.keys(), None, None);
        for (id, &key) in keys.iter().enumerate().take(part.end + 1).skip(part.start) {
            if id == part.end {
                next = Some(n_long);
            }
            let order = if key.is_long() {
                let name = self.long.next(&mut n_long, id as u32)?;
                if key_of(name, self.index.seed()) != key {
                    return None;
                }
                (WordKey::order_of_long(name), name)
            } else if key.is_short_text() {
                (key.order(), &[][..])
            } else {
                return None;
            };
            if last.is_some_and(|last| last >= order) {
                return None;
            }
            last = Some(order);
        }
        next.or(Some(n_long))
    }

    /// Makes the words of a file ready to be looked up: keyed anew where they were made to collide.
    pub fn fill(&mut self, threads: usize) {
        if !self.index.fill(threads) {
            *self = self.rekeyed(Seed::of_this_process());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_file_are_found_and_depend_on_nothing_else() {
        let names = sorted((0..3000).map(|i| format!("some word number {i}")));
        let (mut words, same) =
            (Words::from_names(&names, Seed::of_files()), Words::from_names(&names, Seed::of_files()));
        words.fill(2);
        assert!(names.iter().enumerate().all(|(id, name)| words.find_one(name) == id as u32));
        assert_eq!(words.index.keys()[..], same.index.keys()[..]);
        assert!((1..9).all(|threads| words.is_sound(threads)));
        let rekeyed = words.rekeyed(Seed::of_this_process());
        assert!(names.iter().enumerate().all(|(id, name)| rekeyed.find_one(name) == id as u32));
    }

    #[test]
    fn words_of_a_file_that_are_not_in_order_or_no_text_are_not_sound() {
        let words = |names: &[&[u8]]| {
            let names: Vec<Vec<u8>> = names.iter().map(|name| name.to_vec()).collect();
            let words = Words::from_names(&names, Seed::of_files());
            let is_sound = words.is_sound(1);
            assert!((2..5).all(|threads| words.is_sound(threads) == is_sound));
            is_sound
        };
        let long = |n: u8| [b"more than fifteen bytes".to_vec(), vec![n]].concat();
        assert!(!words(&[b"", b"a", "\u{e9}".as_bytes(), &long(b'z')]));
        assert!(words(&[b"", b"a", b"a\0", b"ab", &long(b'a'), &long(b'z'), "\u{e9}".as_bytes()]));
        assert!(!words(&[b"b", b"a"]) && !words(&[b"a", b"a"]) && !words(&[&long(b'z'), &long(b'a')]));
        assert!(!words(&[b"a\xff"]) && !words(&[&long(0xff)]));
    }

    fn sorted(names: impl Iterator<Item = String>) -> Vec<Vec<u8>> {
        let mut names: Vec<Vec<u8>> = names.map(String::into_bytes).collect();
        names.sort();
        names
    }
}
