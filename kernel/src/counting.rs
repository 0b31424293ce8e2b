//! From documents to counts: the one pass that trains a model.
//!
//! Documents are taken class by class, so that one small tally per feature serves all classes in turn: it is
//! filled by the documents of a class, read off as that class's cells, and emptied. Words become ids a few
//! kilobytes of text at a time, while everything they need is in the cache.
//!
//! Runs of words are pairs of ids, and there are so many of them that every look into their table would be a trip to memory.
//! So they are sorted first, by the first bits of their hashes: then one small part of the table is filled at a time.
//!
//! Large inputs are cut into parts, which threads count on their own and which are added up in order.

use crate::counts::{Counts, Kind, Names};
use crate::error::Error;
use crate::rows::{Cell, Rows};
use crate::text::{Analyzer, Tokens};
use crate::vocabulary::{Index, Key, UNKNOWN, pair};

/// Documents to count: `classes[i]` is the class of `texts[i]`, and `weights[i]` says how often it counts (once without weights).
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub texts: &'a [&'a str],
    pub classes: &'a [u32],
    pub weights: Option<&'a [u32]>,
    pub n_classes: usize,
}

/// Text bytes in one part: what is kept for each token while a part is counted stays in bounds.
const PART: usize = 64 << 20;
/// Text bytes that become tokens before their ids are looked up: they, and what is made of them, fit the nearest cache.
const FLUSH: usize = 16 << 10;

/// The counts of a batch, by up to `threads` threads; the result does not depend on their number.
///
/// `interrupted` is asked now and then, and stops the work where it says so.
pub fn count(
    analyzer: &Analyzer,
    batch: Batch,
    threads: usize,
    interrupted: &dyn Fn() -> bool,
) -> Result<Counts, Error> {
    let kinds = Kind::of(analyzer.settings());
    let mut total = Counts::new(&kinds, batch.n_classes);
    let parts = cut(analyzer, batch, threads);
    for round in parts.chunks(threads.max(1)) {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        for part in each_on_a_thread(round, |part| count_part(analyzer, *part)) {
            total = merge(total, part?)?;
        }
    }
    Ok(total)
}

/// Runs `work` on each item, the first on this thread and each other one on a thread of its own.
pub fn each_on_a_thread<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let Some((first, rest)) = items.split_first() else { return vec![] };
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = rest.iter().map(|item| scope.spawn(move || work(item))).collect();
        let mut results = vec![work(first)];
        results.extend(handles.into_iter().map(|handle| handle.join().expect("the work does not panic")));
        results
    })
}

fn merge(mut total: Counts, part: Counts) -> Result<Counts, Error> {
    if total.is_empty() {
        return Ok(part);
    }
    total.add(&part)?;
    Ok(total)
}

/// Cuts a batch into parts of about the same number of bytes.
fn cut<'a>(analyzer: &Analyzer, batch: Batch<'a>, threads: usize) -> Vec<Batch<'a>> {
    let bytes: usize = batch.texts.iter().map(|text| text.len() + 8).sum();
    // Character n-grams make some four tokens of each byte.
    let most = if analyzer.settings().characters.is_some() { PART / 8 } else { PART };
    // A second thread costs the work of adding its counts; a text of less than a megabyte is counted before that pays.
    let wanted = threads.min(bytes >> 20).max(bytes.div_ceil(most)).max(1);
    let share = bytes.div_ceil(wanted);
    let (mut parts, mut from, mut sum) = (vec![], 0, 0);
    for (i, text) in batch.texts.iter().enumerate() {
        sum += text.len() + 8;
        if sum >= share || i + 1 == batch.texts.len() {
            let range = from..i + 1;
            parts.push(Batch {
                texts: &batch.texts[range.clone()],
                classes: &batch.classes[range.clone()],
                weights: batch.weights.map(|weights| &weights[range]),
                ..batch
            });
            (from, sum) = (i + 1, 0);
        }
    }
    parts
}

/// The documents of a part in the order in which they are counted: class by class.
struct Order<'a> {
    batch: Batch<'a>,
    documents: Vec<u32>,
}

impl<'a> Order<'a> {
    fn new(batch: Batch<'a>) -> Self {
        let mut documents: Vec<u32> = (0..batch.texts.len() as u32).collect();
        documents.sort_by_key(|&document| batch.classes[document as usize]);
        Order { batch, documents }
    }

    fn class(&self, rank: usize) -> u32 {
        self.batch.classes[self.documents[rank] as usize]
    }

    fn weight(&self, rank: usize) -> u32 {
        self.batch.weights.map_or(1, |weights| weights[self.documents[rank] as usize])
    }
}

/// The tokens of documents as ids, one document after the other.
struct Stream {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

fn count_part(analyzer: &Analyzer, batch: Batch) -> Result<Counts, Error> {
    let settings = analyzer.settings();
    let kinds = Kind::of(settings);
    let mut counts = Counts::new(&kinds, batch.n_classes);
    let order = Order::new(batch);
    for rank in 0..order.documents.len() {
        counts.documents[order.class(rank) as usize] += u64::from(order.weight(rank));
    }
    let mut words = Stream { ids: vec![], ends: vec![] };
    let mut previous = vec![];
    for (at, &kind) in kinds.iter().enumerate() {
        let counted = kind.is_counted(settings);
        let block = &mut counts.blocks[at];
        match (&mut block.names, kind) {
            (Names::Words(names), Kind::Words) => {
                words =
                    read(&order, |text, tokens| analyzer.words(text, tokens), |tokens, ids| names.intern(tokens, ids));
                if counted {
                    tally(&order, &words, names.index.len(), &mut block.rows)?;
                }
                // The run of one word is the word: runs of two are made from the words themselves.
            }
            (Names::Words(names), _) => {
                let characters = read(
                    &order,
                    |text, tokens| analyzer.characters(text, tokens),
                    |tokens, ids| names.intern(tokens, ids),
                );
                tally(&order, &characters, names.index.len(), &mut block.rows)?;
            }
            (Names::Runs(index), Kind::Runs(n)) => {
                let keep = n < settings.ngrams.1;
                let left = if n == 2 { &words.ids } else { &previous };
                let ids =
                    tally_runs(&order, &words, left, n as usize, index, counted.then_some(&mut block.rows), keep)?;
                previous = ids;
            }
            (Names::Runs(_), _) => unreachable!("runs have a kind of their own"),
        }
    }
    Ok(counts)
}

/// Every document's tokens, as ids.
fn read(
    order: &Order,
    analyze: impl Fn(&str, &mut Tokens),
    mut intern: impl FnMut(&mut Tokens, &mut Vec<u32>),
) -> Stream {
    let bytes: usize = order.batch.texts.iter().map(|text| text.len()).sum();
    let mut stream = Stream { ids: Vec::with_capacity(bytes / 6), ends: Vec::with_capacity(order.documents.len()) };
    let mut tokens = Tokens::default();
    for &document in &order.documents {
        analyze(order.batch.texts[document as usize], &mut tokens);
        stream.ends.push(stream.ids.len() + tokens.len());
        if tokens.bytes.len() > FLUSH {
            intern(&mut tokens, &mut stream.ids);
            tokens.clear();
        }
    }
    intern(&mut tokens, &mut stream.ids);
    stream
}

/// What one class has of one feature so far.
#[derive(Clone, Copy, Default)]
struct Tally {
    documents: u32,
    occurrences: u32,
    /// The last document that had it, counted from 1.
    last: u32,
}

/// The tallies of one class, and which features they speak of.
struct Tallies {
    all: Vec<Tally>,
    touched: Vec<u32>,
}

impl Tallies {
    fn new(n: usize) -> Self {
        Tallies { all: vec![Tally::default(); n], touched: vec![] }
    }

    #[inline(always)]
    fn add(&mut self, id: u32, weight: u32, stamp: u32) {
        let tally = &mut self.all[id as usize];
        if tally.last == 0 {
            self.touched.push(id);
        }
        tally.occurrences += weight;
        tally.documents += if tally.last == stamp { 0 } else { weight };
        tally.last = stamp;
    }

    /// Reads the class off and starts the next.
    fn finish(&mut self, class: u32, cells: &mut Vec<(u32, Cell)>) {
        for id in self.touched.drain(..) {
            let Tally { documents, occurrences, .. } = std::mem::take(&mut self.all[id as usize]);
            // A document of weight 0 has been looked at, and that is all.
            if occurrences > 0 {
                cells.push((id, Cell { class, documents, occurrences }));
            }
        }
    }
}

/// No cell of the part can be more than what all its tokens weigh; that must fit 32 bits.
fn check_weight(order: &Order, stream: &Stream) -> Result<(), Error> {
    let Some(weights) = order.batch.weights else { return Ok(()) };
    let (mut sum, mut from) = (0u64, 0);
    for (rank, &end) in stream.ends.iter().enumerate() {
        let document = order.documents[rank] as usize;
        sum = sum.saturating_add((end - from).max(1) as u64 * u64::from(weights[document]));
        from = end;
    }
    if sum > u64::from(u32::MAX) {
        return Err(Error::TooMany { feature: "a word of these weighted documents".into(), class: 0 });
    }
    Ok(())
}

/// Fills the rows of the first `n` features with what `stream` has of them.
fn tally(order: &Order, stream: &Stream, n: usize, rows: &mut Rows) -> Result<(), Error> {
    check_weight(order, stream)?;
    let (mut tallies, mut cells) = (Tallies::new(n), vec![]);
    let mut from = 0;
    for (rank, &end) in stream.ends.iter().enumerate() {
        let weight = order.weight(rank);
        stream.ids[from..end].iter().for_each(|&id| tallies.add(id, weight, rank as u32 + 1));
        if rank + 1 == stream.ends.len() || order.class(rank + 1) != order.class(rank) {
            tallies.finish(order.class(rank), &mut cells);
        }
        from = end;
    }
    rows.append(n, &cells);
    Ok(())
}

/// Names, and where `rows` are given counts, the runs of `n` words.
///
/// `left[i]` is the id of the run of n - 1 words that starts at word i. With `keep` the ids of the runs of n words come
/// back in the same form, for the runs of one word more.
fn tally_runs(
    order: &Order,
    words: &Stream,
    left: &[u32],
    n: usize,
    index: &mut Index<u64>,
    rows: Option<&mut Rows>,
    keep: bool,
) -> Result<Vec<u32>, Error> {
    check_weight(order, words)?;
    let sorted = Sorted::new(words, left, n, index);
    let mut ids = if keep { vec![UNKNOWN; words.ids.len()] } else { vec![] };
    let mut uncounted = Rows::new(order.batch.n_classes);
    let counted = rows.is_some();
    let rows = rows.unwrap_or(&mut uncounted);
    let (mut tallies, mut cells) = (Tallies::new(0), vec![]);
    for part in 0..sorted.n_parts() {
        let first = index.len() as u32;
        let (keys, positions) = sorted.part(part);
        cells.clear();
        let mut rank = 0;
        for (&key, &position) in keys.iter().zip(positions) {
            let id = index.intern(key);
            if keep {
                ids[position as usize] = id;
            }
            if words.ends[rank] <= position as usize {
                let class = order.class(rank);
                while words.ends[rank] <= position as usize {
                    rank += 1;
                }
                if order.class(rank) != class {
                    tallies.finish(class, &mut cells);
                }
            }
            if tallies.all.len() <= (id - first) as usize {
                tallies.all.resize((id - first) as usize * 2 + 64, Tally::default());
            }
            tallies.add(id - first, order.weight(rank), rank as u32 + 1);
        }
        if rank < words.ends.len() {
            tallies.finish(order.class(rank), &mut cells);
        }
        if counted {
            rows.append(index.len() - first as usize, &cells);
        }
        if part == 0 {
            // The hashes are even, so every part has about as many new runs as the first.
            index.reserve(index.len() * sorted.n_parts() * 17 / 16);
        }
    }
    Ok(ids)
}

/// All runs of n words, with the positions of their first words, sorted by the first bits of their hashes.
struct Sorted {
    keys: Vec<u64>,
    positions: Vec<u32>,
    ends: Vec<usize>,
}

impl Sorted {
    fn new(words: &Stream, left: &[u32], n: usize, index: &Index<u64>) -> Self {
        // So many that a part's share of the table fits the nearer caches, and not more than memory can be written to at once.
        let bits = (words.ids.len() >> 14).next_power_of_two().trailing_zeros().min(9);
        let part_of = |key: u64| if bits == 0 { 0 } else { (key.hash(index.seed()) >> (64 - bits)) as usize };
        let mut ends = vec![0; 1 << bits];
        each_run(words, left, n, |key, _| ends[part_of(key)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // For now each part's beginning; it moves to the part's end as the part fills.
            (*end, sum) = (sum, sum + *end);
        }
        let (mut keys, mut positions) = (vec![0; sum], vec![0; sum]);
        each_run(words, left, n, |key, position| {
            let at = &mut ends[part_of(key)];
            keys[*at] = key;
            positions[*at] = position;
            *at += 1;
        });
        Sorted { keys, positions, ends }
    }

    fn n_parts(&self) -> usize {
        self.ends.len()
    }

    fn part(&self, part: usize) -> (&[u64], &[u32]) {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        (&self.keys[start..self.ends[part]], &self.positions[start..self.ends[part]])
    }
}

/// Every run of `n` words inside a document: its key, and the position of its first word.
fn each_run(words: &Stream, left: &[u32], n: usize, mut visit: impl FnMut(u64, u32)) {
    let mut from = 0;
    for &end in &words.ends {
        if end - from >= n {
            let runs = left[from..end + 1 - n].iter().zip(&words.ids[from + n - 1..end]);
            runs.enumerate().for_each(|(i, (&left, &right))| visit(pair(left, right), (from + i) as u32));
        }
        from = end;
    }
}
