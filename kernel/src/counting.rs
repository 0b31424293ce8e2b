//! From documents to counts: the one pass that trains a model.
//!
//! Documents are taken class by class, so that one small tally a feature serves all classes in turn: it is filled by the
//! documents of a class, read off as that class's cells, and emptied. `words.rs` counts what an analyzer finds; `runs.rs`
//! counts runs of words, from the words' ids. Threads share the work, and the result does not depend on their number.

mod ongoing;
mod runs;
mod words;

use std::ops::Range;

use crate::counts::{Counts, Kind, Names};
use crate::error::Error;
use crate::rows::Cell;
use crate::text::Analyzer;
use crate::threads::parts_of_size;
pub use ongoing::Ongoing;
use words::Stream;

/// Documents to count: `classes[i]` is the class of `texts[i]`, and `weights[i]` says how often it counts (once without weights).
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    pub texts: &'a [&'a str],
    pub classes: &'a [u32],
    pub weights: Option<&'a [u32]>,
    pub n_classes: usize,
}

impl<'a> Batch<'a> {
    /// Some of its documents.
    fn part(self, range: Range<usize>) -> Batch<'a> {
        Batch {
            texts: &self.texts[range.clone()],
            classes: &self.classes[range.clone()],
            weights: self.weights.map(|weights| &weights[range]),
            ..self
        }
    }
}

/// Text bytes that are counted at a time: what is kept for each token meanwhile stays in bounds.
const PART: usize = 64 << 20;

/// The counts of a batch, by up to `threads` threads.
///
/// `interrupted` is asked now and then, and stops the work where it says so.
pub fn count(
    analyzer: &Analyzer,
    batch: Batch,
    threads: usize,
    interrupted: &dyn Fn() -> bool,
) -> Result<Counts, Error> {
    let mut total = Counts::new(&Kind::of(analyzer.settings()), batch.n_classes);
    // Character n-grams make some four tokens of each byte.
    let most = if analyzer.settings().characters.is_some() { PART / 8 } else { PART };
    for range in parts_of_size(batch.texts.iter().map(|text| text.len()), most) {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        let part = count_part(analyzer, &Order::new(batch.part(range)), threads)?;
        if total.is_empty() { total = part } else { total.add(&part)? }
    }
    Ok(total)
}

fn count_part(analyzer: &Analyzer, order: &Order, threads: usize) -> Result<Counts, Error> {
    let settings = analyzer.settings();
    let kinds = Kind::of(settings);
    let mut counts = Counts::new(&kinds, order.batch.n_classes);
    order.add_documents(&mut counts.documents);
    let (mut words, mut n_words) = (Stream::default(), 0);
    let (mut previous, mut n_previous) = (vec![], 0);
    for (block, &kind) in counts.blocks.iter_mut().zip(&kinds) {
        let rows = kind.is_counted(settings).then_some(&mut block.rows);
        match kind {
            Kind::Words => {
                let analyze = |text: &str, tokens: &mut _, _: &mut dyn FnMut(&mut _)| analyzer.words(text, tokens);
                let (names, stream) = words::count(order, threads, analyze, rows, settings.ngrams.1 > 1)?;
                (n_words, words) = (names.index.len(), stream);
                block.names = Names::Words(names);
            }
            Kind::Runs(n) => {
                let (left, n_left) = if n == 2 { (&words.ids, n_words) } else { (&previous, n_previous) };
                let keep = n < settings.ngrams.1;
                let (index, ids) = runs::count(order, threads, &words, n_words, left, n_left, n, rows, keep);
                (n_previous, previous) = (index.len(), ids);
                block.names = Names::Runs(index);
            }
            Kind::Characters => {
                let analyze = |text: &str, tokens: &mut _, take: &mut dyn FnMut(&mut _)| {
                    analyzer.characters_in_pieces(text, tokens, take);
                };
                let (names, _) = words::count(order, threads, analyze, rows, false)?;
                block.names = Names::Words(names);
            }
        }
    }
    Ok(counts)
}

/// The documents of a part in the order in which they are counted, class by class. A document's place in it is its rank.
struct Order<'a> {
    batch: Batch<'a>,
    documents: Vec<u32>,
}

impl<'a> Order<'a> {
    fn new(batch: Batch<'a>) -> Self {
        let mut documents: Vec<u32> = (0..batch.texts.len() as u32).collect();
        if batch.n_classes > documents.len() {
            documents.sort_by_key(|&document| batch.classes[document as usize]);
            return Order { batch, documents };
        }
        // By class, where its next document goes.
        let mut places = vec![0; batch.n_classes];
        batch.classes.iter().for_each(|&class| places[class as usize] += 1);
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for (document, &class) in (0..).zip(batch.classes) {
            let place = &mut places[class as usize];
            documents[*place] = document;
            *place += 1;
        }
        Order { batch, documents }
    }

    fn len(&self) -> usize {
        self.documents.len()
    }

    fn text(&self, rank: usize) -> &'a str {
        self.batch.texts[self.documents[rank] as usize]
    }

    fn class(&self, rank: usize) -> u32 {
        self.batch.classes[self.documents[rank] as usize]
    }

    fn weight(&self, rank: usize) -> u32 {
        self.batch.weights.map_or(1, |weights| weights[self.documents[rank] as usize])
    }

    /// Adds how many documents each class has.
    fn add_documents(&self, documents: &mut [u64]) {
        for rank in 0..self.len() {
            documents[self.class(rank) as usize] += u64::from(self.weight(rank));
        }
    }

    fn bytes(&self, ranks: Range<usize>) -> usize {
        ranks.map(|rank| self.text(rank).len()).sum()
    }
}

/// What one class has of one feature so far.
#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Tally {
    id: u32,
    /// The last document that had it, counted from 1; 0 where the class has not had it yet.
    last: u32,
    /// Its occurrences times 2³², and its documents: one addition serves both.
    counts: u64,
}

/// A document that is being counted.
#[derive(Clone, Copy)]
struct Stamp {
    number: u32,
    /// What the first occurrence of a feature adds to its counts, and what each other one adds.
    first: u64,
    other: u64,
}

impl Stamp {
    fn new(rank: usize, weight: u32) -> Self {
        let other = u64::from(weight) << 32;
        Stamp { number: rank as u32 + 1, first: other | u64::from(weight), other }
    }
}

impl Tally {
    /// Counts one more; true where it is the class's first.
    #[inline(always)]
    fn add(&mut self, stamp: Stamp) -> bool {
        let is_first = self.last == 0;
        // Chosen without a branch: whether a word has been in the document before cannot be guessed.
        self.counts += std::hint::select_unpredictable(self.last == stamp.number, stamp.other, stamp.first);
        self.last = stamp.number;
        is_first
    }

    /// Reads the class off and makes ready for the next.
    fn finish(&mut self, class: u32, cells: &mut Vec<(u32, Cell)>) {
        let (documents, occurrences) = (self.counts as u32, (self.counts >> 32) as u32);
        // A document of weight 0 has been looked at, and that is all.
        if occurrences > 0 {
            cells.push((self.id, Cell { class, documents, occurrences }));
        }
        *self = Tally { id: self.id, ..Tally::default() };
    }
}
