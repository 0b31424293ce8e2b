//! Work that is spread over threads: how it is cut into parts, and how the parts are run.
//!
//! Threads are started for each call and end with it, so that a `fork` leaves no pool behind. No result depends on their
//! number: it is put together in the order of the parts, and where floats are summed the parts are always the same.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;

/// More threads than this are never started, whatever is asked for.
const MOST_THREADS: usize = 256;
/// Sums over documents are taken in so many parts, whatever the threads: they are always the same.
const SUMMED_PARTS: usize = 16;

/// As many threads as asked for; 0 is one for each processor that this process may use.
pub fn n_threads(asked: usize) -> usize {
    // Asking the system takes longer than scoring a short text.
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    if asked > 0 { asked.min(MOST_THREADS) } else { *PROCESSORS.get_or_init(processors) }
}

/// Ranges of about the same length that cover `0..n`, at the most `parts` of them.
///
/// ```
/// assert_eq!(banbury_kernel::threads::equal_parts(5, 2), [0..3, 3..5]);
/// ```
pub fn equal_parts(n: usize, parts: usize) -> Vec<Range<usize>> {
    let share = n.div_ceil(parts.max(1)).max(1);
    (0..n).step_by(share).map(|from| from..(from + share).min(n)).collect()
}

/// The same, and each part long enough to be worth a thread: for what takes some nanoseconds an item.
pub fn large_parts(n: usize, threads: usize) -> Vec<Range<usize>> {
    equal_parts(n, threads.min(n >> 15))
}

/// Ranges of items that have about `share` bytes together, at the least one item each. An item costs 8 bytes of its own.
///
/// ```
/// let parts: Vec<_> = banbury_kernel::threads::parts_of_size([50, 50, 200, 1].into_iter(), 100).collect();
/// assert_eq!(parts, [0..2, 2..3, 3..4]);
/// ```
pub fn parts_of_size(sizes: impl Iterator<Item = usize>, share: usize) -> impl Iterator<Item = Range<usize>> {
    let (mut sizes, mut end) = (sizes, 0);
    std::iter::from_fn(move || {
        let (start, mut sum) = (end, 0);
        while sum < share.max(1) {
            let Some(size) = sizes.next() else { break };
            sum += size + 8;
            end += 1;
        }
        (start < end).then_some(start..end)
    })
}

/// Runs `work` on each item, the first on this thread and each other one on a thread of its own.
pub fn each_on_a_thread<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let Some((first, rest)) = items.split_first() else { return vec![] };
    if rest.is_empty() {
        return vec![work(first)];
    }
    thread::scope(|scope| {
        let work = &work;
        let start = |item| thread::Builder::new().spawn_scoped(scope, move || work(item)).map_err(|_| item);
        let started: Vec<_> = rest.iter().map(start).collect();
        let mut results = vec![work(first)];
        results.extend(started.into_iter().map(|handle| match handle {
            Ok(handle) => handle.join().expect("the work does not panic"),
            // The system has no more threads to give.
            Err(item) => work(item),
        }));
        results
    })
}

/// Runs `work` on each part, on so many threads: each takes the next part when it is done with one, so that none waits
/// long for another. `start` makes what a thread needs for itself, `end` takes it back.
pub fn in_turns<T: Send, S>(
    parts: Vec<T>,
    threads: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut T, &mut S) + Sync,
    end: impl Fn(S) + Sync,
) {
    let parts: Vec<Mutex<T>> = parts.into_iter().map(Mutex::new).collect();
    let next = AtomicUsize::new(0);
    each_on_a_thread(&vec![(); threads], |()| {
        let mut state = start();
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(&mut part.lock().expect("each part has one thread"), &mut state);
        }
        end(state);
    });
}

/// Hands the rows of `out`, each `width` numbers, to `fill`: a part of them, with its numbers, on each thread.
///
/// ```
/// let mut squares = vec![0; 6];
/// let fill = |rows: std::ops::Range<usize>, out: &mut [usize]| rows.zip(out).for_each(|(row, out)| *out = row * row);
/// banbury_kernel::threads::fill_rows(&mut squares, 1, 2, fill);
/// assert_eq!(squares, [0, 1, 4, 9, 16, 25]);
/// ```
pub fn fill_rows<T: Send>(out: &mut [T], width: usize, threads: usize, fill: impl Fn(Range<usize>, &mut [T]) + Sync) {
    let (mut parts, mut rest) = (vec![], out);
    for rows in equal_parts(rest.len() / width.max(1), threads) {
        let (own, after) = rest.split_at_mut(rows.len() * width);
        parts.push((rows, own));
        rest = after;
    }
    in_turns(parts, threads, || (), |(rows, own), ()| fill(rows.clone(), own), |()| ());
}

/// Hands parts of `0..n` to `sum`, on up to so many threads; the results are in the order of the parts, which are the same
/// for any number of threads.
pub fn summed_in_parts<R: Send>(n: usize, threads: usize, sum: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let parts = equal_parts(n, SUMMED_PARTS);
    let groups = equal_parts(parts.len(), threads.clamp(1, SUMMED_PARTS));
    let results = each_on_a_thread(&groups, |group| {
        parts[group.clone()].iter().map(|part| sum(part.clone())).collect::<Vec<R>>()
    });
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_once() {
        for n in 0..40 {
            for parts in 0..9 {
                let ranges = equal_parts(n, parts);
                assert!(ranges.len() <= parts.max(1));
                assert_eq!(ranges.into_iter().flatten().collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
            }
            let ranges = parts_of_size((0..n).map(|item| item * 7 % 30), 50);
            assert_eq!(ranges.flatten().collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn float_sums_are_the_same_for_any_number_of_threads() {
        let sum = |threads| -> f64 {
            summed_in_parts(1000, threads, |part| part.map(|n| 1.0 / (n as f64 + 0.1)).sum::<f64>()).iter().sum()
        };
        assert!((2..20).all(|threads| sum(threads).to_bits() == sum(1).to_bits()));
    }

    #[test]
    fn every_part_has_its_turn() {
        let mut numbers = vec![0; 100];
        let ended = AtomicUsize::new(0);
        let end = |worked: usize| {
            ended.fetch_add(worked, Ordering::Relaxed);
        };
        in_turns(numbers.iter_mut().collect(), 3, || 0, |number, worked| (**number, *worked) = (7, *worked + 1), end);
        assert_eq!((numbers, ended.into_inner()), (vec![7; 100], 100));
    }

    #[test]
    fn there_is_an_end_to_threads() {
        assert!(n_threads(0) >= 1);
        assert_eq!((n_threads(3), n_threads(usize::MAX)), (3, MOST_THREADS));
    }
}
