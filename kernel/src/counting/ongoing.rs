//! Counting that goes on: batches of documents one after the other, into tables that stay open until the last.
//!
//! Counts of each batch could be added to each other, which looks up every word of every batch again and inserts its cells one by
//! one: a third of the time that training from a file took. The result is the same.

use std::sync::Arc;

use super::words::Open;
use super::{Batch, Order, PART, count};
use crate::counts::{Block, Counts, Kind, Names};
use crate::error::Error;
use crate::text::Analyzer;
use crate::threads::parts_of_size;

/// So many words in the table of a thread, and what they have is moved to the counts: memory stays in bounds.
const MOST_WORDS: usize = 1 << 19;

pub struct Ongoing {
    analyzer: Arc<Analyzer>,
    /// What is no longer in the tables.
    settled: Counts,
    open: Open,
    /// By class: documents in the tables, and what their words weigh at the most.
    documents: Vec<u64>,
    most: Vec<u64>,
}

impl Ongoing {
    pub fn new(analyzer: Arc<Analyzer>) -> Self {
        let settled = Counts::new(&Kind::of(analyzer.settings()), 0);
        Ongoing { analyzer, settled, open: Open::default(), documents: vec![], most: vec![] }
    }

    /// Counts these documents too; there may be more classes than before. After an error nothing is left of use.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use banbury_kernel::counting::{Batch, Ongoing};
    /// use banbury_kernel::text::{Analyzer, Settings};
    /// let mut ongoing = Ongoing::new(Arc::new(Analyzer::new(Settings::default()).unwrap()));
    /// for (text, class) in [("so happy", 0), ("so sad", 1)] {
    ///     let batch = Batch { texts: &[text], classes: &[class], weights: None, n_classes: 2 };
    ///     ongoing.add(batch, 1, &|| false).unwrap();
    /// }
    /// assert_eq!(ongoing.finish(1).unwrap().blocks[0].rows.live, 3);
    /// ```
    pub fn add(&mut self, batch: Batch, threads: usize, interrupted: &dyn Fn() -> bool) -> Result<(), Error> {
        let n_classes = batch.n_classes.max(self.documents.len());
        self.documents.resize(n_classes, 0);
        self.most.resize(n_classes, 0);
        if !self.is_of_words_alone() {
            let counted = count(&self.analyzer, Batch { n_classes, ..batch }, threads, interrupted)?;
            return self.settle(counted);
        }
        for range in parts_of_size(batch.texts.iter().map(|text| text.len()), PART) {
            if interrupted() {
                return Err(Error::Interrupted);
            }
            let order = Order::new(batch.part(range));
            self.make_room(&order, threads)?;
            let analyzer = &*self.analyzer;
            let analyze = |text: &str, tokens: &mut _, _: &mut dyn FnMut(&mut _)| analyzer.words(text, tokens);
            self.open.add(&order, threads, analyze)?;
            order.add_documents(&mut self.documents);
        }
        Ok(())
    }

    /// The counts of all documents.
    pub fn finish(mut self, threads: usize) -> Result<Counts, Error> {
        self.close(threads)?;
        Ok(self.settled)
    }

    /// Runs and characters are counted apart: the runs of a part are made from all of its words.
    fn is_of_words_alone(&self) -> bool {
        let settings = self.analyzer.settings();
        Kind::of(settings) == [Kind::Words] && Kind::Words.is_counted(settings)
    }

    /// Sees to it that what the tables hold of each class fits 32 bits, with these documents too: a word has a byte or more.
    fn make_room(&mut self, order: &Order, threads: usize) -> Result<(), Error> {
        let mut more = vec![0u64; self.most.len()];
        for rank in 0..order.len() {
            let weight = (order.text(rank).len() as u64 + 1) * u64::from(order.weight(rank));
            let sum = &mut more[order.class(rank) as usize];
            *sum = sum.saturating_add(weight);
        }
        let fits = |(most, more): (&u64, &u64)| most.saturating_add(*more) <= u64::from(u32::MAX);
        if self.open.most_words() > MOST_WORDS || !self.most.iter().zip(&more).all(fits) {
            self.close(threads)?;
        }
        self.most.iter_mut().zip(more).for_each(|(most, more)| *most = most.saturating_add(more));
        Ok(())
    }

    /// Moves what is in the tables to the counts.
    fn close(&mut self, threads: usize) -> Result<(), Error> {
        let n_classes = self.documents.len();
        if self.is_of_words_alone() {
            let (words, rows) = std::mem::take(&mut self.open).close(n_classes, threads);
            let documents = std::mem::replace(&mut self.documents, vec![0; n_classes]);
            let block = Block { kind: Kind::Words, names: Names::Words(words), rows };
            self.settle(Counts { blocks: vec![block], documents, is_overlapping: false })?;
            self.most.fill(0);
        }
        Ok(())
    }

    fn settle(&mut self, counted: Counts) -> Result<(), Error> {
        if self.settled.n_classes() < counted.n_classes() {
            let same: Vec<u32> = (0..self.settled.n_classes() as u32).collect();
            self.settled.renumber(&same, counted.n_classes());
        }
        if self.settled.is_empty() {
            self.settled = counted;
            return Ok(());
        }
        self.settled.add(&counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Settings;

    const N_CLASSES: usize = 5;

    fn texts() -> Vec<String> {
        let word = |n: usize| if n.is_multiple_of(5) { format!("w{n}-that-is-a-long-word") } else { format!("w{n}") };
        let text = |i: usize| (0..i % 31).map(|j| word((i * i + 7 * j * j) % 97)).collect::<Vec<_>>().join(" ");
        (0..90).map(text).collect()
    }

    fn postings(counts: &Counts) -> String {
        let found = counts.postings();
        format!("{:?}", (found.names, found.ends, found.classes, found.occurrences, &counts.documents))
    }

    fn check(settings: Settings, weights: Option<&[u32]>, cut: impl Fn(&mut Ongoing)) {
        let texts = texts();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..90).map(|i| (i * i / 7) % (1 + i / 20).min(N_CLASSES as u32)).collect();
        let analyzer = Arc::new(Analyzer::new(settings).unwrap());
        let whole = Batch { texts: &texts, classes: &classes, weights, n_classes: N_CLASSES };
        let expected = count(&analyzer, whole, 1, &|| false).unwrap();
        for threads in 1..4 {
            for size in [1, 7, 30, 90] {
                let mut ongoing = Ongoing::new(analyzer.clone());
                for start in (0..90).step_by(size) {
                    let part = whole.part(start..(start + size).min(90));
                    // Classes come as they are met.
                    let n_classes = part.classes.iter().max().map_or(0, |class| *class as usize + 1);
                    ongoing.add(Batch { n_classes, ..part }, threads, &|| false).unwrap();
                    cut(&mut ongoing);
                }
                let counts = ongoing.finish(threads).unwrap();
                assert_eq!(postings(&counts), postings(&expected), "{threads} threads, {size} at a time");
                let sums = |counts: &Counts| format!("{:?}", counts.blocks[0].rows.sums);
                assert_eq!(sums(&counts), sums(&expected));
            }
        }
    }

    #[test]
    fn batches_counted_one_by_one_are_what_all_together_are() {
        check(Settings::default(), None, |_| ());
        let weights: Vec<u32> = (0..90).map(|i| i * 7 % 4).collect();
        check(Settings::default(), Some(&weights), |_| ());
    }

    #[test]
    fn several_threads_count_into_tables_of_their_own() {
        // Texts of a third of a megabyte: what a thread takes is three times that.
        let text = |i: usize| (0..50_000usize).map(|j| format!("w{} ", j * (i + 3) % 997)).collect::<String>();
        let texts: Vec<String> = (0..16).map(text).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..16).map(|i| i * i % 3).collect();
        let analyzer = Arc::new(Analyzer::new(Settings::default()).unwrap());
        let whole = Batch { texts: &texts, classes: &classes, weights: None, n_classes: 3 };
        let expected = count(&analyzer, whole, 1, &|| false).unwrap();
        let mut ongoing = Ongoing::new(analyzer);
        for range in [0..2, 2..9, 9..10, 10..16] {
            ongoing.add(whole.part(range), 3, &|| false).unwrap();
        }
        assert_eq!(ongoing.open.n_tables(), 2);
        assert_eq!(postings(&ongoing.finish(3).unwrap()), postings(&expected));
    }

    #[test]
    fn tables_can_be_closed_on_the_way() {
        check(Settings::default(), None, |ongoing| ongoing.close(2).unwrap());
        check(Settings::default(), None, |ongoing| ongoing.most.fill(u64::from(u32::MAX)));
    }

    #[test]
    fn runs_are_counted_apart() {
        check(Settings { ngrams: (1, 2), ..Settings::default() }, None, |_| ());
    }

    #[test]
    fn no_documents_are_no_counts() {
        let analyzer = Arc::new(Analyzer::new(Settings::default()).unwrap());
        let mut ongoing = Ongoing::new(analyzer.clone());
        assert!(Ongoing::new(analyzer).finish(1).unwrap().is_empty());
        ongoing.add(Batch { texts: &[], classes: &[], weights: None, n_classes: 0 }, 2, &|| false).unwrap();
        assert!(ongoing.finish(2).unwrap().is_empty());
    }

    #[test]
    fn what_does_not_fit_32_bits_is_refused_where_it_is_in_one_batch_and_added_where_it_is_in_two() {
        let analyzer = Arc::new(Analyzer::new(Settings::default()).unwrap());
        let most = [u32::MAX];
        let batch = Batch { texts: &["a"], classes: &[0], weights: Some(&most), n_classes: 1 };
        let mut ongoing = Ongoing::new(analyzer.clone());
        ongoing.add(batch, 1, &|| false).unwrap();
        ongoing.add(Batch { texts: &["b"], ..batch }, 1, &|| false).unwrap();
        assert_eq!(ongoing.finish(1).unwrap().blocks[0].rows.sums[0].occurrences, 2 * u64::from(u32::MAX));
        let mut ongoing = Ongoing::new(analyzer.clone());
        ongoing.add(batch, 1, &|| false).unwrap();
        let error = ongoing.add(batch, 1, &|| false).and_then(|()| ongoing.finish(1).map(|_| ()));
        assert!(matches!(error, Err(Error::TooMany { class: 0, .. })));
        let error = Ongoing::new(analyzer).add(Batch { texts: &["a b"], ..batch }, 1, &|| false);
        assert!(matches!(error, Err(Error::TooMany { class: 0, .. })));
    }
}
