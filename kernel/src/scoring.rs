//! From documents to scores: for each class, what its features say for it.
//!
//! Counts can be read in several ways: `plain.rs` has the likelihoods, `trust.rs` the automatic model. Each is a [`Reading`],
//! and a [`Scorer`] does for all of them what is the same: it looks features up and shares the texts among threads.
//!
//! Weights are computed from the counts when they are needed. After some use they are kept, in a table where a word is found
//! together with its weight (`lookup.rs`); it holds exactly the numbers that would be computed, so it changes the time and
//! nothing else.

mod lookup;
mod plain;
mod rounded;
mod runs;
mod sums;
mod weights;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::counts::{Counts, Kind, Names};
use crate::processor::expect_text;
use crate::text::{Analyzer, Tokens};
use crate::threads::{in_turns, parts_of_size};
use crate::vocabulary::{Hashed, Places, Seed, UNKNOWN, make_keys, pieces};
use lookup::{AskedRuns, KnownFeatures, Remembered, known_words};
pub use lookup::{Known, Looked, Stored};
pub use plain::{FeatureTable, Length, Plain, features};
pub use rounded::Rounded;
use runs::KnownRuns;
pub use sums::{Start, Sums, sum_in_lanes, sum_pairs_in_lanes};

/// Text bytes that are looked up together.
const FLUSH: usize = 4 << 10;
/// A text of more bytes is looked up alone and in pieces, and each run of characters is kept once, with how often it stands there:
/// there are several for each byte.
const LONG: usize = 64 << 10;
/// A text of more bytes, or of more features, leaves no memory behind that the next one could use again.
const LONGEST_KEPT: usize = 1 << 17;
/// What is worth keeping is made once this part of the number of features has been looked up without it.
const WORTH: usize = 8;
/// A thread remembers some more features than this at the most.
const MOST_REMEMBERED: usize = 1 << 18;
/// Below so many bytes for each, another thread costs more than it saves.
const SHARE: usize = 256 << 10;

/// A way to read counts: what features weigh, and what those of a document add up to.
pub trait Reading: Send + Sync {
    /// The weights of a block's features, as they are kept after some use.
    type Weights: Send + Sync;
    /// What adding up needs of memory; it is used again.
    type Scratch: Default + Send;
    /// Weights of features that documents had, where those of all features are not kept.
    type Few: Default + Send;

    /// Whether there are weights that can be kept.
    fn keeps(&self) -> bool;

    /// The weights of all features, by block.
    fn keep(&self, counts: &Counts) -> Vec<Self::Weights>;

    /// Whether the weights of a document's features are all that is asked for: not which features they are.
    fn wants_weights_only(&self) -> bool {
        false
    }

    /// The weights rounded, by which the best class of most documents is found sooner. Asked for once [`Reading::rounds`] is true.
    fn rounded(&self, _: &Counts) -> Rounded {
        unreachable!("this reading does not round")
    }

    /// Whether there are rounded weights: where words are all that counts, and a few classes.
    fn rounds(&self, _: &Counts) -> bool {
        false
    }

    /// What is kept beside the key of feature `id`.
    fn stored(weights: &Self::Weights, id: usize) -> Stored;

    /// Takes note of where the keys of runs, which have no other number in a table, were put: by id, among so many places.
    fn place(_weights: &mut Self::Weights, _places: &[u32], _n_places: usize) {}

    /// What is known of a feature that is there, where the weights of all are not kept; its weights are among `few` then.
    fn weigh(&self, _counts: &Counts, _block: usize, id: u32, _few: &mut Self::Few) -> Known {
        Known::bare(id)
    }

    /// Lets go of such weights; the memory may be used again.
    fn forget(few: &mut Self::Few) {
        *few = Self::Few::default();
    }

    /// What the features of document `at` of those that were looked up say. `kept` has the weights where these were kept
    /// already when the features were looked up; where they were not, they are among `few`.
    #[allow(clippy::too_many_arguments)]
    fn sum(
        &self,
        counts: &Counts,
        kept: Option<&[Self::Weights]>,
        few: &Self::Few,
        looked: &[Looked],
        at: usize,
        scratch: &mut Self::Scratch,
        sums: &mut Sums,
    );

    /// The class that is best by the sums of document `at`, where that can be told sooner, by weights that are kept; else None.
    fn quick_best(
        &self,
        _counts: &Counts,
        _kept: &[Self::Weights],
        _looked: &[Looked],
        _at: usize,
        _scratch: &mut Self::Scratch,
        _start: Start,
    ) -> Option<u32> {
        None
    }
}

/// Scores documents by the counts that it was made from.
pub struct Scorer<R: Reading> {
    reading: R,
    kinds: Vec<Kind>,
    n_classes: usize,
    n_features: usize,
    /// Whether the counts are changed every now and then, and with them all weights.
    is_live: bool,
    looked_up: AtomicUsize,
    kept: OnceLock<Kept<R::Weights>>,
    rounds: bool,
    /// How many tokens were labelled before there were rounded weights.
    labelled: AtomicUsize,
    rounded: OnceLock<Rounded>,
    /// Boxed, since what one call gives back another takes: to move all of it takes as long as to read a word.
    #[allow(clippy::vec_box)]
    scratch: Mutex<Vec<Box<Scratch<R>>>>,
}

/// By block: all features with what is stored of them, and their weights.
struct Kept<W> {
    known: Vec<KnownFeatures>,
    weights: Vec<W>,
}

/// What scoring needs of memory, kept between calls.
struct Scratch<R: Reading> {
    tokens: Tokens,
    keys: Vec<Hashed>,
    places: Places,
    ids: Vec<u32>,
    ends: Vec<usize>,
    /// Texts that rounded weights did not decide.
    close: Vec<usize>,
    runs: AskedRuns,
    looked: Vec<Looked>,
    reading: R::Scratch,
    /// By block.
    remembered: Vec<Remembered>,
    few: R::Few,
    sums: Sums,
}

impl<R: Reading> Default for Scratch<R> {
    fn default() -> Self {
        Scratch {
            tokens: Tokens::default(),
            keys: vec![],
            places: Places::default(),
            ids: vec![],
            ends: vec![],
            close: vec![],
            runs: AskedRuns::default(),
            looked: vec![],
            reading: R::Scratch::default(),
            remembered: vec![],
            few: R::Few::default(),
            sums: Sums::default(),
        }
    }
}

impl<R: Reading> Scratch<R> {
    /// Forgets what was remembered of features: their weights are others now.
    fn forget(&mut self) {
        self.remembered.iter_mut().for_each(Remembered::clear);
        R::forget(&mut self.few);
    }
}

/// A document whose features were looked up, and the memory that adding up needs.
struct Document<'a, R: Reading> {
    counts: &'a Counts,
    kept: Option<&'a [R::Weights]>,
    few: &'a R::Few,
    looked: &'a [Looked],
    at: usize,
    reading: &'a mut R::Scratch,
    sums: &'a mut Sums,
}

impl<R: Reading> Document<'_, R> {
    fn sums(&mut self, scorer: &Scorer<R>) -> &Sums {
        let Document { counts, kept, few, looked, at, reading, sums } = self;
        scorer.reading.sum(counts, *kept, few, looked, *at, reading, sums);
        sums
    }

    fn quick_best(&mut self, scorer: &Scorer<R>, start: Start) -> Option<u32> {
        let Document { counts, kept, looked, at, reading, .. } = self;
        scorer.reading.quick_best(counts, (*kept)?, looked, *at, reading, start)
    }
}

impl<R: Reading> Scorer<R> {
    /// A scorer that reads `counts` in this way. Of counts that are `live` it will soon be replaced by another.
    pub fn new(counts: &Counts, analyzer: &Analyzer, reading: R, is_live: bool) -> Self {
        Scorer {
            rounds: reading.rounds(counts),
            reading,
            kinds: Kind::of(analyzer.settings()),
            n_classes: counts.n_classes(),
            n_features: counts.blocks.iter().map(|block| block.len()).sum(),
            is_live,
            looked_up: AtomicUsize::new(0),
            kept: OnceLock::new(),
            labelled: AtomicUsize::new(0),
            rounded: OnceLock::new(),
            scratch: Mutex::new(vec![]),
        }
    }

    /// Takes the memory that a scorer of another version of the counts needed, without what was in it.
    pub fn with_memory_of(self, other: &Self) -> Self {
        if let (Ok(mut ours), Ok(mut theirs)) = (self.scratch.try_lock(), other.scratch.try_lock()) {
            ours.append(&mut theirs);
            ours.iter_mut().for_each(|scratch| scratch.forget());
        }
        self
    }

    /// How it reads the counts.
    pub fn reading(&self) -> &R {
        &self.reading
    }

    /// The score of each class for each text, texts one after the other: start + Σ weights, up to a number that all classes
    /// of a text have in common.
    pub fn scores(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        start: Start,
        threads: usize,
    ) -> Vec<f64> {
        let mut scores = vec![0.0; texts.len() * self.n_classes];
        let sum = |mut document: Document<R>, out: &mut [f64]| document.sums(self).write(start, out);
        self.spread(counts, analyzer, texts, threads, self.n_classes, true, &mut scores, sum);
        scores
    }

    /// The class with the highest score for each text; the first of them where several are equal.
    pub fn best(&self, counts: &Counts, analyzer: &Analyzer, texts: &[&str], start: Start, threads: usize) -> Vec<u32> {
        let mut best = vec![0; texts.len()];
        self.find_best(counts, analyzer, texts, start, threads, &mut best);
        best
    }

    /// The same for one text.
    pub fn best_one(&self, counts: &Counts, analyzer: &Analyzer, text: &str, start: Start) -> u32 {
        let mut best = [0];
        self.find_best(counts, analyzer, &[text], start, 1, &mut best);
        best[0]
    }

    fn find_best(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        start: Start,
        threads: usize,
        best: &mut [u32],
    ) {
        match self.rounded_if_worth(counts, texts) {
            Some(rounded) => self.share(texts, threads, 1, best, |texts, best, scratch| {
                self.best_by_rounded(rounded, counts, analyzer, texts, start, scratch, best);
            }),
            // Two kinds of weights that are kept would be one too many.
            None => self.spread(counts, analyzer, texts, threads, 1, !self.rounds, best, |mut document, out| {
                out[0] = document.quick_best(self, start).unwrap_or_else(|| document.sums(self).best(start));
            }),
        }
    }

    /// The rounded weights, made once as many tokens have been labelled without them as a fair part of the features.
    fn rounded_if_worth(&self, counts: &Counts, texts: &[&str]) -> Option<&Rounded> {
        if !self.rounds {
            return None;
        }
        if self.rounded.get().is_none() {
            // A word has about five letters and something after it.
            let tokens = texts.iter().map(|text| text.len()).sum::<usize>() / 6;
            let before = self.labelled.fetch_add(tokens, Ordering::Relaxed);
            if before + tokens <= self.worth(tokens) {
                return None;
            }
        }
        Some(self.rounded.get_or_init(|| self.reading.rounded(counts)))
    }

    /// How many tokens are looked up before the weights of all features are worth keeping. With live counts so many that it
    /// has taken as long as to keep them, unless there are as many in one call.
    fn worth(&self, tokens: usize) -> usize {
        let few = self.n_features / WORTH;
        if self.is_live && tokens <= few { self.n_features } else { few }
    }

    #[allow(clippy::too_many_arguments)]
    fn best_by_rounded(
        &self,
        rounded: &Rounded,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        start: Start,
        scratch: &mut Scratch<R>,
        best: &mut [u32],
    ) {
        let Names::Words(words) = &counts.blocks[0].names else { unreachable!("rounded weights are those of words") };
        for range in parts_of_size(texts.iter().map(|text| text.len()), FLUSH) {
            texts.get(range.end).into_iter().for_each(|next| expect_text(next));
            let Scratch { tokens, places, ends, close, .. } = &mut *scratch;
            find_tokens(analyzer, self.kinds[0], &texts[range.clone()], tokens, ends);
            places.make(tokens, 0..tokens.len(), Seed::of_this_process(), rounded.n_places());
            let mut from = 0;
            for (at, &end) in range.zip(ends.iter()) {
                match rounded.best(places, from..end, tokens, words, start) {
                    Some(class) => best[at] = class,
                    None => close.push(at),
                }
                from = end;
            }
            while let Some(at) = scratch.close.pop() {
                let kept = self.kept.get();
                self.look_up(kept, counts, analyzer, &texts[at..=at], scratch);
                let Scratch { looked, reading, few, sums, .. } = &mut *scratch;
                self.reading.sum(counts, kept.map(|kept| &kept.weights[..]), few, looked, 0, reading, sums);
                best[at] = sums.best(start);
            }
        }
    }

    /// Hands each text, looked up, to `finish` with the `width` numbers of `out` that are the text's; `keeps` says whether weights may
    /// be kept on the way.
    #[allow(clippy::too_many_arguments)]
    fn spread<T: Send>(
        &self,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        threads: usize,
        width: usize,
        keeps: bool,
        out: &mut [T],
        finish: impl Fn(Document<R>, &mut [T]) + Sync,
    ) {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let work = |texts: &[&str], out: &mut [T], scratch: &mut Scratch<R>| {
            for range in parts_with_long_texts_alone(texts) {
                let kept = self.kept.get();
                texts.get(range.end).into_iter().for_each(|next| expect_text(next));
                self.look_up(kept, counts, analyzer, &texts[range.clone()], scratch);
                let Scratch { looked, reading, few, sums, .. } = &mut *scratch;
                if kept.is_none() && keeps {
                    self.keep_if_worth(counts, looked, bytes / 6);
                }
                let kept = kept.map(|kept| &kept.weights[..]);
                for (document, at) in range.enumerate() {
                    let document = Document { counts, kept, few, looked, at: document, reading, sums };
                    finish(document, &mut out[at * width..(at + 1) * width]);
                }
            }
        };
        self.share(texts, threads, width, out, work);
    }

    /// Shares texts among threads.
    fn share<T: Send>(
        &self,
        texts: &[&str],
        threads: usize,
        width: usize,
        out: &mut [T],
        work: impl Fn(&[&str], &mut [T], &mut Scratch<R>) + Sync,
    ) {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let threads = threads.min(bytes / SHARE);
        if threads <= 1 {
            let mut scratch = self.take_scratch();
            work(texts, out, &mut scratch);
            return self.keep_scratch(scratch);
        }
        let (mut parts, mut rest) = (vec![], out);
        for range in parts_of_size(texts.iter().map(|text| text.len()), SHARE / 4) {
            let (out, after) = rest.split_at_mut(range.len() * width);
            parts.push((&texts[range], out));
            rest = after;
        }
        let score = |(texts, out): &mut (&[&str], &mut [T]), scratch: &mut Box<_>| work(texts, out, scratch);
        in_turns(parts, threads, || self.take_scratch(), score, |scratch| self.keep_scratch(scratch));
    }

    fn take_scratch(&self) -> Box<Scratch<R>> {
        // Nobody waits: in a process that was forked the lock may be that of a thread that is not there.
        self.scratch.try_lock().ok().and_then(|mut kept| kept.pop()).unwrap_or_default()
    }

    fn keep_scratch(&self, scratch: Box<Scratch<R>>) {
        let n_found = scratch.looked.iter().map(|looked| looked.found.capacity()).sum::<usize>();
        let is_small = scratch.tokens.bytes.capacity().max(n_found) <= LONGEST_KEPT;
        if is_small && let Ok(mut kept) = self.scratch.try_lock() {
            kept.push(scratch);
        }
    }

    /// Looks all features of `texts` up, into `scratch`, together with what is kept of them.
    fn look_up(
        &self,
        kept: Option<&Kept<R::Weights>>,
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        scratch: &mut Scratch<R>,
    ) {
        // Where weights are never kept, texts of ever new words would fill the memory.
        if scratch.remembered.iter().map(Remembered::len).sum::<usize>() > MOST_REMEMBERED {
            scratch.remembered.clear();
            scratch.few = R::Few::default();
        }
        scratch.looked.resize_with(self.kinds.len(), Looked::default);
        scratch.remembered.resize_with(self.kinds.len(), Remembered::default);
        let Scratch { tokens, keys, places, ids, runs, looked: all, remembered, few, .. } = scratch;
        for (at, &kind) in self.kinds.iter().enumerate() {
            let (before, rest) = all.split_at_mut(at);
            let looked = &mut rest[0];
            looked.clear();
            match &counts.blocks[at].names {
                Names::Words(words) if kind == Kind::Characters && is_long(texts) => {
                    let weights = kept.map(|kept| &kept.weights[at]);
                    let mut known_of = |id| match weights {
                        Some(weights) => Known { weight: R::stored(weights, id as usize), ..Known::bare(id) },
                        None => self.ask(counts, at, id, few),
                    };
                    tokens.clear();
                    let mut look = |tokens: &mut Tokens| {
                        ids.clear();
                        words.find(tokens, keys, ids);
                        tokens.clear();
                        looked.count(ids, &mut known_of);
                    };
                    analyzer.characters_in_pieces(texts[0], tokens, &mut look);
                    look(tokens);
                    looked.ends.push(looked.found.len());
                }
                Names::Words(words) => {
                    find_tokens(analyzer, kind, texts, tokens, &mut looked.ends);
                    match kept.map(|kept| &kept.known[at]) {
                        Some(KnownFeatures::Words(known)) => pieces(tokens.len()).for_each(|piece| {
                            places.make(tokens, piece.clone(), Seed::of_this_process(), known.places());
                            let token = |at: usize| tokens.get(piece.start + at);
                            if self.kinds.len() == 1 && self.reading.wants_weights_only() {
                                looked.find_weights(known, places, token, words);
                            } else {
                                looked.find_words(known, places, token, words);
                            }
                        }),
                        _ => pieces(tokens.len()).for_each(|piece| {
                            // A long text of ever new words would fill the memory. What was asked of them is still needed.
                            if remembered[at].len() > MOST_REMEMBERED {
                                remembered[at].clear();
                            }
                            make_keys(tokens, piece.clone(), words.index.seed(), keys);
                            let token = |i: usize| tokens.get(piece.start + i);
                            let ask = |id| self.ask(counts, at, id, few);
                            let rows = &counts.blocks[at].rows;
                            remembered[at].find_words(words, rows, token, keys, ask, &mut looked.found);
                        }),
                    }
                    if is_long(texts) {
                        *tokens = Tokens::new();
                    }
                }
                Names::Runs(index) => {
                    // Runs of n - 1 words are n - 2 fewer than words; the run that starts at i ends with word i + n - 1.
                    let n = at + 1;
                    let known = match kept.map(|kept| &kept.known[at]) {
                        Some(KnownFeatures::Runs(known)) => Some(known),
                        _ => None,
                    };
                    let mut find = |looked: &mut Looked, runs: &AskedRuns| match known {
                        Some(known) => known.find(&runs.asked, &mut looked.found),
                        None => {
                            let ask = |id| self.ask(counts, at, id, few);
                            let rows = &counts.blocks[at].rows;
                            remembered[at].find_runs(index, rows, &runs.keys, ask, &mut looked.found);
                        }
                    };
                    runs.clear();
                    if is_long(texts) {
                        let (left, right) = (before[at - 1].of(0), before[0].of(0).get(n - 1..).unwrap_or_default());
                        for piece in pieces(left.len().min(right.len())) {
                            runs.clear();
                            runs.push(known, &left[piece.clone()], &right[piece]);
                            find(looked, runs);
                        }
                        looked.ends.push(looked.found.len());
                    } else {
                        looked.ask_runs(&before[0], &before[at - 1], n, known, runs);
                        find(looked, runs);
                    }
                }
            }
        }
    }

    /// What is known of a feature by its id.
    fn ask(&self, counts: &Counts, block: usize, id: u32, few: &mut R::Few) -> Known {
        if id == UNKNOWN { Known::default() } else { self.reading.weigh(counts, block, id, few) }
    }

    /// Keeps the weights once as much has been looked up without them as a fair part of the features.
    fn keep_if_worth(&self, counts: &Counts, looked: &[Looked], in_call: usize) {
        if self.reading.keeps() {
            let tokens: usize = looked.iter().map(|looked| looked.found.len()).sum();
            let before = self.looked_up.fetch_add(tokens, Ordering::Relaxed);
            if before + tokens > self.worth(in_call) {
                self.kept.get_or_init(|| self.make_kept(counts));
            }
        }
    }

    fn make_kept(&self, counts: &Counts) -> Kept<R::Weights> {
        let mut weights = self.reading.keep(counts);
        let seed = Seed::of_this_process();
        let (mut left, mut known) = (vec![], vec![]);
        // By how many ids there are of words, and of the shorter runs.
        let (mut n_words, mut n_left) = (0, 0);
        for (block, weights) in counts.blocks.iter().zip(&mut weights) {
            known.push(match &block.names {
                Names::Words(words) => {
                    (n_words, n_left) = (words.index.len(), words.index.len());
                    KnownFeatures::Words(known_words(words, &block.rows, seed, |id| R::stored(weights, id)))
                }
                Names::Runs(index) => {
                    let runs = KnownRuns::new(index, [n_left, n_words], seed, &mut left, |id| R::stored(weights, id));
                    n_left = runs.n_places();
                    R::place(weights, &left, n_left);
                    KnownFeatures::Runs(runs)
                }
            });
        }
        Kept { known, weights }
    }
}

/// Whether this is one long text.
fn is_long(texts: &[&str]) -> bool {
    matches!(texts, [text] if text.len() > LONG)
}

/// Texts that are looked up together. How a text is looked up depends on its own length, not on the texts around it.
fn parts_with_long_texts_alone(texts: &[&str]) -> impl Iterator<Item = Range<usize>> {
    parts_of_size(texts.iter().map(|text| text.len()), FLUSH).flat_map(|part| {
        // A long text is always the last of its part.
        let last = part.end - 1;
        let middle = if texts[last].len() > LONG { last } else { part.start };
        [part.start..middle, middle..part.end].into_iter().filter(|part| !part.is_empty())
    })
}

/// Replaces `tokens` by those of `texts`, of one kind; `ends` has where the tokens of each text end.
fn find_tokens(analyzer: &Analyzer, kind: Kind, texts: &[&str], tokens: &mut Tokens, ends: &mut Vec<usize>) {
    tokens.clear();
    ends.clear();
    for (at, text) in texts.iter().enumerate() {
        texts.get(at + 1).into_iter().for_each(|next| expect_text(next));
        match kind {
            Kind::Characters => analyzer.characters(text, tokens),
            _ => analyzer.words(text, tokens),
        }
        ends.push(tokens.len());
    }
}
