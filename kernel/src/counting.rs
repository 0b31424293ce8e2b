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
use crate::processor::{scattered, scattered_filled};
use crate::rows::{Cell, Rows};
use crate::table::Table;
use crate::text::{Analyzer, Tokens};
use crate::vocabulary::{Hashed, Index, Key, LongNames, Seed, UNKNOWN, WordKey, Words, make_keys, pair};

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
const FLUSH: usize = 4 << 10;
/// How many lookups ahead memory is asked for: about the time of one trip to memory.
const AHEAD: usize = 16;

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
#[derive(Default)]
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
    let mut words = Stream::default();
    let mut previous = vec![];
    for (block, &kind) in counts.blocks.iter_mut().zip(&kinds) {
        let rows = kind.is_counted(settings).then_some(&mut block.rows);
        match kind {
            Kind::Words => {
                let keep = settings.ngrams.1 > 1;
                let (names, stream) = tally_words(&order, |text, tokens| analyzer.words(text, tokens), rows, keep)?;
                (block.names, words) = (Names::Words(names), stream);
            }
            Kind::Runs(n) => {
                let left = if n == 2 { &words.ids } else { &previous };
                let (index, ids) = tally_runs(&order, &words, left, n as usize, rows, n < settings.ngrams.1)?;
                (block.names, previous) = (Names::Runs(index), ids);
            }
            Kind::Characters => {
                let (names, _) = tally_words(&order, |text, tokens| analyzer.characters(text, tokens), rows, false)?;
                block.names = Names::Words(names);
            }
        }
    }
    Ok(counts)
}

/// What one class has of one feature so far.
#[derive(Clone, Copy, Default)]
struct Tally {
    id: u32,
    documents: u32,
    occurrences: u32,
    /// The last document that had it, counted from 1; 0 where the class has not had it yet.
    last: u32,
}

impl Tally {
    /// Counts one more; true where it is the class's first.
    #[inline(always)]
    fn add(&mut self, weight: u32, stamp: u32) -> bool {
        let is_first = self.last == 0;
        self.occurrences += weight;
        self.documents += if self.last == stamp { 0 } else { weight };
        self.last = stamp;
        is_first
    }

    /// Reads the class off and makes ready for the next.
    fn finish(&mut self, class: u32, cells: &mut Vec<(u32, Cell)>) {
        // A document of weight 0 has been looked at, and that is all.
        if self.occurrences > 0 {
            cells.push((self.id, Cell { class, documents: self.documents, occurrences: self.occurrences }));
        }
        *self = Tally { id: self.id, ..Tally::default() };
    }
}

/// Counts the tokens that `analyze` finds into `rows`, and with `keep` gives them back as ids.
fn tally_words(
    order: &Order,
    analyze: impl Fn(&str, &mut Tokens),
    rows: Option<&mut Rows>,
    keep: bool,
) -> Result<(Words, Stream), Error> {
    let seed = Seed::of_this_process();
    // A guess, which saves most of the growing; a text of n bytes rarely has more than n / 64 different words.
    let bytes: usize = order.batch.texts.iter().map(|text| text.len()).sum();
    let mut counter = WordCounter {
        table: Table::with_room_for((bytes / 64).clamp(1 << 8, 1 << 17)),
        seed,
        names: vec![],
        long: LongNames::default(),
        touched: vec![],
        cells: vec![],
        stream: Stream { ids: scattered(if keep { bytes / 6 } else { 0 }), ends: vec![] },
    };
    let n = order.documents.len();
    let (mut tokens, mut keys, mut ends, mut first, mut weight) = (Tokens::default(), vec![], vec![], 0, 0u64);
    for rank in 0..n {
        analyze(order.batch.texts[order.documents[rank] as usize], &mut tokens);
        ends.push(tokens.len());
        let is_last_of_class = rank + 1 == n || order.class(rank + 1) != order.class(rank);
        if tokens.bytes.len() > FLUSH || is_last_of_class {
            weight = weight.saturating_add(weight_of(order, first, &ends));
            if weight > u64::from(u32::MAX) {
                return Err(Error::TooMany {
                    feature: "a word of these documents".into(),
                    class: order.class(rank) as usize,
                });
            }
            make_keys(&mut tokens, seed, &mut keys);
            counter.add(order, first, &ends, &keys, &tokens, keep);
            (tokens.clear(), ends.clear());
            first = rank + 1;
        }
        if is_last_of_class {
            counter.finish_class(order.class(rank));
            weight = 0;
        }
    }
    if let Some(rows) = rows {
        rows.append(counter.names.len(), &counter.cells);
    }
    Ok((Words::new(Index::from_keys(seed, counter.names), counter.long), counter.stream))
}

/// What the tokens of some documents weigh: no cell of their class can become more than the sum, which must fit 32 bits.
fn weight_of(order: &Order, first: usize, ends: &[usize]) -> u64 {
    let mut from = 0;
    let weigh = |(at, &end): (usize, &usize)| {
        let tokens = (end - from).max(1) as u64;
        from = end;
        tokens * u64::from(order.weight(first + at))
    };
    ends.iter().enumerate().map(weigh).sum()
}

struct WordCounter {
    table: Table<WordKey, Tally>,
    seed: Seed,
    names: Vec<WordKey>,
    long: LongNames,
    /// Places in the table that the current class has touched.
    touched: Vec<u32>,
    cells: Vec<(u32, Cell)>,
    stream: Stream,
}

impl WordCounter {
    /// Counts documents from `first` on; `ends` are the ends of their tokens among `keys`.
    fn add(&mut self, order: &Order, first: usize, ends: &[usize], keys: &[Hashed], tokens: &Tokens, keep: bool) {
        let mut from = 0;
        for (at, &end) in ends.iter().enumerate() {
            let (weight, stamp) = (order.weight(first + at), (first + at) as u32 + 1);
            for i in from..end {
                if let Some(next) = keys.get(i + AHEAD) {
                    self.table.expect(next.hash);
                }
                let Hashed { key, hash } = keys[i];
                let long = &self.long;
                let same = |tally: &Tally| !key.is_long() || long.get(tally.id) == Some(tokens.get(i));
                let (place, is_new) = self.table.place(key, hash, same);
                let tally = self.table.at(place);
                if is_new {
                    tally.id = self.names.len() as u32;
                    if key.is_long() {
                        self.long.push(tally.id, tokens.get(i));
                    }
                    self.names.push(key);
                }
                if tally.add(weight, stamp) {
                    self.touched.push(place as u32);
                }
                if keep {
                    self.stream.ids.push(tally.id);
                }
                if is_new && self.table.is_full() {
                    self.grow();
                }
            }
            from = end;
            self.stream.ends.push(self.stream.ids.len());
        }
    }

    #[cold]
    fn grow(&mut self) {
        let touched: Vec<u32> = self.touched.drain(..).map(|place| self.table.at(place as usize).id).collect();
        self.table.grow(self.seed);
        for id in touched {
            let key = self.names[id as usize];
            let (place, _) = self.table.place(key, key.hash(self.seed), |tally| tally.id == id);
            self.touched.push(place as u32);
        }
    }

    fn finish_class(&mut self, class: u32) {
        for place in self.touched.drain(..) {
            self.table.at(place as usize).finish(class, &mut self.cells);
        }
    }
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
    rows: Option<&mut Rows>,
    keep: bool,
) -> Result<(Index<u64>, Vec<u32>), Error> {
    let seed = Seed::of_this_process();
    let sorted = Sorted::new(words, left, n, seed);
    let mut ids = if keep { vec![UNKNOWN; words.ids.len()] } else { vec![] };
    let (mut names, mut cells, mut touched) = (vec![], vec![], vec![]);
    let mut uncounted = Rows::new(order.batch.n_classes);
    let rows = rows.unwrap_or(&mut uncounted);
    // Each part has a table of its own: it is small, and it is forgotten when the part is done.
    let mut table: Table<u64, Tally> = Table::with_room_for(0);
    for part in 0..sorted.n_parts() {
        let (keys, positions) = sorted.part(part);
        if part == 0 {
            table = Table::with_room_for(keys.len());
        }
        table.clear();
        let first = names.len();
        let (mut rank, mut end, mut weight) = (0, 0, 0);
        for (i, (&key, &position)) in keys.iter().zip(positions).enumerate() {
            if position as usize >= end {
                if i > 0 {
                    let class = order.class(rank);
                    while words.ends[rank] <= position as usize {
                        rank += 1;
                    }
                    if order.class(rank) != class {
                        touched.drain(..).for_each(|place: usize| table.at(place).finish(class, &mut cells));
                    }
                } else {
                    rank = words.ends.partition_point(|&end| end <= position as usize);
                }
                (end, weight) = (words.ends[rank], order.weight(rank));
            }
            // Inside a part the first bits of all hashes are the same; the bits after them choose the place.
            let hash = key.hash(seed) << sorted.bits;
            let (place, is_new) = table.place(key, hash, |_| true);
            let tally = table.at(place);
            if is_new {
                tally.id = (names.len() - first) as u32;
                names.push(key);
            }
            if tally.add(weight, rank as u32 + 1) {
                touched.push(place);
            }
            if keep {
                ids[position as usize] = first as u32 + tally.id;
            }
            if is_new && table.is_full() {
                // A part larger than the first: its table grows, and where its places were is of no use any more.
                let touched_keys: Vec<u64> =
                    touched.drain(..).map(|place| names[first + table.at(place).id as usize]).collect();
                table.grow_with(|key| key.hash(seed) << sorted.bits);
                touched.extend(
                    touched_keys.iter().map(|key| table.place(*key, key.hash(seed) << sorted.bits, |_| true).0),
                );
            }
        }
        if !keys.is_empty() {
            touched.drain(..).for_each(|place| table.at(place).finish(order.class(rank), &mut cells));
        }
        rows.append(names.len() - first, &cells);
        cells.clear();
    }
    Ok((Index::from_keys(seed, names), ids))
}

/// All runs of n words, with the positions of their first words, sorted by the first bits of their hashes.
struct Sorted {
    /// How many bits of the hash choose the part.
    bits: u32,
    keys: Vec<u64>,
    positions: Vec<u32>,
    ends: Vec<usize>,
}

impl Sorted {
    fn new(words: &Stream, left: &[u32], n: usize, seed: Seed) -> Self {
        // So many that a part's share of the table fits the nearer caches, and not more than memory can be written to at once.
        let bits = (words.ids.len() >> 14).next_power_of_two().trailing_zeros().min(9);
        let part_of = |key: u64| if bits == 0 { 0 } else { (key.hash(seed) >> (64 - bits)) as usize };
        let mut ends = vec![0; 1 << bits];
        each_run(words, left, n, |key, _| ends[part_of(key)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // For now each part's beginning; it moves to the part's end as the part fills.
            (*end, sum) = (sum, sum + *end);
        }
        let (mut keys, mut positions) = (scattered_filled(0, sum), scattered_filled(0, sum));
        each_run(words, left, n, |key, position| {
            let at = &mut ends[part_of(key)];
            keys[*at] = key;
            positions[*at] = position;
            *at += 1;
        });
        Sorted { bits, keys, positions, ends }
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
