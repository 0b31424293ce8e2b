//! What several threads have counted of one stretch of documents each, joined by as many threads.
//!
//! Words have the ids that one thread would have given them: in the order in which they were first met. So a word that is new to a
//! stretch has an id after those of the stretches before it, and any other word the id that it has there. Most words are in the
//! first stretch, whose table is there already; the others are looked for by parts of their hashes.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{AHEAD, Counter, Stream, Tally};
use crate::processor::scattered_zeros;
use crate::rows::{Cell, Rows};
use crate::table::Table;
use crate::threads::{each_on_a_thread, equal_parts};
use crate::vocabulary::{Key, LongNames, Seed, WordKey, placing_hashes, share};

/// What all of them have counted.
#[derive(Default)]
pub(super) struct Joined {
    pub keys: Vec<WordKey>,
    pub long: LongNames,
    /// By stretch.
    cells: Vec<Vec<(u32, Cell)>>,
    pub stream: Stream,
}

impl Joined {
    /// The rows of all words. Each thread makes those of some words.
    pub fn rows(&mut self, n_classes: usize) -> Rows {
        let cells = std::mem::take(&mut self.cells);
        let words = equal_parts(self.keys.len(), cells.len());
        let made = each_on_a_thread(&words, |words| {
            let mut rows = Rows::new(n_classes);
            if let ([cells], true) = (&cells[..], words.len() == self.keys.len()) {
                rows.append(words.len(), cells);
                return rows;
            }
            let all = cells.iter().flatten().filter(|(id, _)| words.contains(&(*id as usize)));
            let mut own: Vec<_> = all.map(|&(id, cell)| (id - words.start as u32, cell)).collect();
            own.sort_by_key(|(_, cell)| cell.class); // which they are, where the stretches are of one batch
            rows.append(words.len(), &own);
            rows
        });
        if made.is_empty() { Rows::new(n_classes) } else { Rows::joined(made) }
    }
}

pub(super) fn join(mut counters: Vec<Counter>) -> Joined {
    if counters.len() < 2 {
        let Some(counter) = counters.pop() else { return Joined::default() };
        return Joined { keys: counter.keys, long: counter.long, cells: vec![counter.cells], stream: counter.stream };
    }
    let (ids, starts) = joined_ids(&counters);
    let stream = joined_stream(&counters, &ids);
    let first = counters.remove(0); // whose words keep their ids
    let mut joined = Joined { keys: first.keys, long: first.long, cells: vec![first.cells], stream };
    joined.keys.reserve_exact(starts[starts.len() - 1] as usize - joined.keys.len());
    let work: Vec<_> = counters.iter().zip(&ids).zip(&starts[1..]).collect();
    let others = each_on_a_thread(&work, |((counter, ids), first)| {
        let (mut keys, mut long) = (vec![], LongNames::default());
        for (number, (&id, &key)) in ids.iter().zip(&counter.keys).enumerate() {
            if id.wrapping_sub(**first) as usize == keys.len() {
                keys.push(key);
                if let Some(name) = name(counter, number) {
                    long.push(id, name);
                }
            }
        }
        let cells = counter.cells.iter().map(|&(id, cell)| (ids[id as usize], cell)).collect();
        (keys, long, cells)
    });
    for (keys, long, cells) in others {
        joined.keys.extend(keys);
        joined.long.append(&long);
        joined.cells.push(cells);
    }
    joined
}

/// By stretch after the first, the ids that its words have in all of them together; and by stretch the first id of a word that is new
/// there, then how many words there are.
fn joined_ids(counters: &[Counter]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let origins = origins(counters);
    // Which of the words of a stretch are new there, as numbers that count them from 0, and how many these are.
    let numbered = each_on_a_thread(&(1..counters.len()).collect::<Vec<_>>(), |&stretch| {
        let mut n_new = 0;
        let number = |origin: &AtomicU64| {
            let (first, _) = unpacked(origin.load(Ordering::Relaxed));
            n_new += u32::from(first == stretch);
            n_new.wrapping_sub(1)
        };
        let numbers: Vec<u32> = origins[stretch - 1].iter().map(number).collect();
        (numbers, n_new)
    });
    let mut starts = vec![0, counters[0].keys.len() as u32];
    numbered.iter().for_each(|(_, n_new)| starts.push(starts[starts.len() - 1] + n_new));
    let ids = each_on_a_thread(&origins, |origins| {
        let id = |origin: &AtomicU64| match unpacked(origin.load(Ordering::Relaxed)) {
            (0, id) => id as u32,
            (stretch, number) => starts[stretch] + numbered[stretch - 1].0[number],
        };
        origins.iter().map(id).collect()
    });
    (ids, starts)
}

/// By stretch after the first, where each of its words was met first: a stretch, and the word's number there.
fn origins(counters: &[Counter]) -> Vec<Vec<AtomicU64>> {
    let origins: Vec<Vec<AtomicU64>> =
        counters[1..].iter().map(|counter| counter.keys.iter().map(|_| AtomicU64::new(0)).collect()).collect();
    let seed = Seed::of_this_process();
    find_in_the_first(counters, &origins, seed);
    if counters.len() > 2 {
        find_in_the_others(counters, &origins, seed);
    }
    origins
}

/// Looks for the words of the other stretches in the table of the first, which has most of them. One that is not there is its own
/// origin until it is found in another stretch.
fn find_in_the_first(counters: &[Counter], origins: &[Vec<AtomicU64>], seed: Seed) {
    let (first, others) = counters.split_first().expect("there are two or more");
    each_on_a_thread(&(0..counters.len()).collect::<Vec<_>>(), |&thread| {
        for (stretch, (counter, origins)) in (1..).zip(others.iter().zip(origins)) {
            let parts = equal_parts(counter.keys.len(), counters.len());
            let Some(words) = parts.get(thread) else { continue };
            let hashes = placing_hashes(&counter.keys[words.clone()], seed);
            for (at, number) in words.clone().enumerate() {
                if let Some(&next) = hashes.get(at + AHEAD) {
                    first.table.expect(next);
                }
                let key = counter.keys[number];
                let same = |tally: &Tally| !key.is_long() || name(first, tally.id as usize) == name(counter, number);
                let origin = match first.table.find(key, hashes[at], same) {
                    Some(place) => packed(0, first.table.value(place).id as usize),
                    None => packed(stretch, number),
                };
                origins[number].store(origin, Ordering::Relaxed);
            }
        }
    });
}

/// Looks for the words that the first stretch does not have in the other ones: each thread for those of a part of all hashes, stretch
/// by stretch, in a table of its own.
fn find_in_the_others(counters: &[Counter], origins: &[Vec<AtomicU64>], seed: Seed) {
    let n_parts = counters.len();
    let hashes = each_on_a_thread(&counters[1..], |counter| placing_hashes(&counter.keys, seed));
    each_on_a_thread(&(0..n_parts).collect::<Vec<_>>(), |&part| {
        let most = counters.iter().map(|counter| counter.keys.len()).max().unwrap_or(0);
        let mut table: Table<WordKey, Origin> = Table::with_room_for(most / n_parts + 64);
        let mut some = vec![];
        for (stretch, counter) in counters.iter().enumerate().skip(1) {
            some.clear();
            let origins = &origins[stretch - 1];
            let each = counter.keys.iter().zip(&hashes[stretch - 1]).enumerate();
            some.extend(each.filter_map(|(number, (key, &hash))| {
                let is_left = unpacked(origins[number].load(Ordering::Relaxed)).0 > 0;
                (share(hash, n_parts) == part && is_left).then_some((number, *key, rest(hash, n_parts)))
            }));
            for (at, &(number, key, hash)) in some.iter().enumerate() {
                if let Some(&(_, _, next)) = some.get(at + AHEAD) {
                    table.expect(next);
                }
                let same = |origin: &Origin| {
                    let (first, there) = unpacked(origin.0);
                    !key.is_long() || name(&counters[first], there) == name(counter, number)
                };
                let (place, is_new) = table.place(key, hash, same);
                if is_new {
                    *table.at(place) = Origin(packed(stretch, number));
                }
                origins[number].store(table.at(place).0, Ordering::Relaxed);
                if is_new && table.is_full(1) {
                    table.grow(|key| rest(key.placing_hash(seed), n_parts));
                }
            }
        }
    });
}

#[derive(Clone, Copy, Default)]
struct Origin(u64);

fn packed(stretch: usize, number: usize) -> u64 {
    (stretch as u64) << 32 | number as u64
}

fn unpacked(origin: u64) -> (usize, usize) {
    ((origin >> 32) as usize, origin as u32 as usize)
}

/// What of a hash is left when it has chosen one of `n` parts: the place inside of the part, as a share of all hashes again.
fn rest(hash: u64, n: usize) -> u64 {
    hash.wrapping_mul(n as u64)
}

fn name(counter: &Counter, number: usize) -> Option<&[u8]> {
    let length = counter.keys[number].long_length()?;
    counter.long.at(counter.long_starts[number], length)
}

fn joined_stream(counters: &[Counter], ids: &[Vec<u32>]) -> Stream {
    if !counters[0].keep {
        return Stream::default();
    }
    let mut all = scattered_zeros(counters.iter().map(|counter| counter.stream.ids.len()).sum());
    let (mut ends, mut left, mut copies) = (vec![], &mut all[..], vec![]);
    let mut before = 0;
    for (counter, ids) in counters.iter().zip(std::iter::once(None).chain(ids.iter().map(Some))) {
        let to;
        (to, left) = left.split_at_mut(counter.stream.ids.len());
        copies.push(Mutex::new((to, &counter.stream.ids, ids)));
        ends.extend(counter.stream.ends.iter().map(|end| before + end));
        before += counter.stream.ids.len();
    }
    each_on_a_thread(&copies, |copy| match &mut *copy.lock().expect("each stretch has one thread") {
        (to, from, Some(ids)) => to.iter_mut().zip(from.iter()).for_each(|(to, id)| *to = ids[*id as usize]),
        (to, from, None) => to.copy_from_slice(from),
    });
    drop(copies);
    Stream { ids: all, ends }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, Order};
    use crate::text::{Analyzer, Settings, Tokens};
    use crate::threads::equal_parts;

    #[test]
    fn stretches_that_are_joined_are_what_one_thread_counts() {
        let word = |n: usize| if n.is_multiple_of(5) { format!("w{n}-that-is-a-long-word") } else { format!("w{n}") };
        let texts: Vec<String> = (0..60usize)
            .map(|i| (0..i % 17).map(|j| word((i * i + 7 * j * j) % 97)).collect::<Vec<_>>().join(" "))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..60).map(|i| i / 25).collect();
        let order = Order::new(Batch { texts: &texts, classes: &classes, weights: None, n_classes: 3 });
        let analyzer = Analyzer::new(Settings::default()).unwrap();
        let analyze = |text: &str, tokens: &mut Tokens, _: &mut dyn FnMut(&mut Tokens)| analyzer.words(text, tokens);
        let joined_from = |n: usize| {
            let ranges = equal_parts(order.len(), n);
            join(
                ranges.into_iter().map(|ranks| Counter::new(64, true).count(&order, ranks, analyze).unwrap()).collect(),
            )
        };
        let mut whole = joined_from(1);
        let rows = whole.rows(3);
        for n in 2..9 {
            let mut joined = joined_from(n);
            assert_eq!(joined.keys, whole.keys);
            assert_eq!((&joined.stream.ids, &joined.stream.ends), (&whole.stream.ids, &whole.stream.ends));
            let made = joined.rows(3);
            assert_eq!((&made.sums, made.live, made.len()), (&rows.sums, rows.live, rows.len()));
            for id in 0..rows.len() as u32 {
                assert_eq!((made.get(id), joined.long.get(id)), (rows.get(id), whole.long.get(id)));
            }
        }
    }
}
