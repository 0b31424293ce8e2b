//! The features of texts, looked up in counts.

use std::ops::Range;

use super::Features;
use crate::counts::{Counts, Kind, Names};
use crate::seen::Seen;
use crate::text::{Analyzer, Chunk, Tokens};
use crate::vocabulary::{Hashed, Key, UNKNOWN, pair, scramble};

/// The share of windows that lie at the beginning of a long text: short texts are often the beginnings of longer ones (titles,
/// subjects, what is typed so far), and these have words of their own. Short documents, those whose characters count too, have
/// no such beginnings. On held-out parts of the training documents of eight sets, measured with beginnings in short documents too,
/// the log loss of the first three words fell from .772 to .764, of the first ten from .458 to .455; that of whole documents and
/// of random words stayed as it was.
const BEGINNINGS: f64 = 0.5;

/// Finds the features of texts, one text after the other.
pub struct Finder<'a> {
    counts: &'a Counts,
    analyzer: &'a Analyzer,
    counted: Vec<bool>,
    /// By block whether none of its features has been forgotten: then nobody has to look.
    all_live: Vec<bool>,
    /// Whether windows are asked for whose characters have to be found by the places of their words.
    keeps_places: bool,
    scratch: Scratch,
}

/// What finding needs of memory.
#[derive(Default)]
struct Scratch {
    tokens: Tokens,
    /// Where the words are, in bytes, if that is kept.
    places: Vec<(usize, usize)>,
    keys: Vec<Hashed>,
    pairs: Vec<Hashed<u64>>,
    /// By block: the id of every feature of the text, in order, [`UNKNOWN`] for what has never been seen or is forgotten.
    found: Vec<Vec<u32>>,
    /// By block: these, each once.
    seen: Vec<Seen<u32>>,
    /// By block: those of a window, as numbers among these.
    inside: Vec<Seen<u32>>,
}

impl<'a> Finder<'a> {
    /// A finder of what `counts` know.
    pub fn new(counts: &'a Counts, analyzer: &'a Analyzer) -> Self {
        let counted = Kind::of(analyzer.settings()).iter().map(|kind| kind.is_counted(analyzer.settings())).collect();
        let mut scratch = Scratch::default();
        scratch.found.resize(counts.blocks.len(), vec![]);
        scratch.seen.resize(counts.blocks.len(), Seen::default());
        scratch.inside.resize(counts.blocks.len(), Seen::default());
        let all_live = counts.blocks.iter().map(|block| block.rows.live == block.len() as u64).collect();
        Finder { counts, analyzer, counted, all_live, keeps_places: false, scratch }
    }

    /// The same, for windows too.
    pub fn with_windows(self) -> Self {
        Finder { keeps_places: self.analyzer.settings().characters.is_some(), ..self }
    }

    /// By block, the ids of the text that was looked up last.
    pub fn found(&self) -> &[Vec<u32>] {
        &self.scratch.found
    }

    /// Looks up every feature of a text.
    pub fn find(&mut self, text: &str) {
        let Scratch { tokens, places, keys, pairs, found, .. } = &mut self.scratch;
        for (at, block) in self.counts.blocks.iter().enumerate() {
            let (before, rest) = found.split_at_mut(at);
            let ids = &mut rest[0];
            ids.clear();
            match &block.names {
                Names::Words(words) => {
                    tokens.clear();
                    match block.kind {
                        Kind::Characters => self.analyzer.characters(text, tokens),
                        _ if self.keeps_places => self.analyzer.words_with_places(text, tokens, places),
                        _ => self.analyzer.words(text, tokens),
                    }
                    words.find(tokens, keys, ids);
                }
                Names::Runs(index) => {
                    // The run of n words that starts at word i ends with word i + n - 1.
                    let (left, words) = (&before[at - 1], &before[0]);
                    pairs.clear();
                    pairs.extend(left.iter().zip(words.iter().skip(at)).map(|(&left, &right)| {
                        let is_unknown = left == UNKNOWN || right == UNKNOWN;
                        let key = if is_unknown { u64::EMPTY } else { pair(left, right) };
                        Hashed { key, hash: key.hash(index.seed()) }
                    }));
                    index.find_each(pairs, |_, _| true, ids);
                }
            }
        }
    }

    /// Appends the distinct known features of the text that was looked up last, as one more document.
    pub fn distinct(&mut self, blocks: &mut [Features]) {
        let Scratch { found, seen, .. } = &mut self.scratch;
        for (at, block) in self.counts.blocks.iter().enumerate() {
            let features = &mut blocks[at];
            if self.counted[at] {
                let (words, rest) = seen.split_at_mut(at);
                let (seen, rows, all_live) = (&mut rest[0], &block.rows, self.all_live[at]);
                seen.read(&found[at], |&id| id != UNKNOWN && (all_live || rows.is_live(id)), |&id| id);
                let has_parents = block.kind == Kind::Runs(2) && self.counted[0];
                features.extend(seen, |&id| id, words.first().filter(|_| has_parents));
            }
            features.ends.push(features.ids.len());
        }
    }

    /// Appends the features of a window of the text whose features were asked for last: words that follow each other, any
    /// number of them. `random` says which.
    pub fn window(&mut self, text: &str, random: u64, blocks: &mut [Features]) {
        let Some(window) = self.place_window(text, random) else {
            blocks.iter_mut().for_each(|features| features.ends.push(features.ids.len()));
            return;
        };
        let Scratch { seen, inside, .. } = &mut self.scratch;
        for (at, block) in self.counts.blocks.iter().enumerate() {
            let features = &mut blocks[at];
            if self.counted[at] {
                let (words, rest) = inside.split_at_mut(at);
                let range = match block.kind {
                    Kind::Characters => window.characters.clone(),
                    // A run of n words ends n - 1 words after the one it starts with.
                    _ => window.words.start..window.words.end.saturating_sub(at).max(window.words.start),
                };
                let numbers = &seen[at].numbers;
                let range = range.start.min(numbers.len())..range.end.min(numbers.len());
                rest[0].read(&numbers[range], |&number| number != UNKNOWN, |&number| number);
                let has_parents = block.kind == Kind::Runs(2) && self.counted[0];
                let own = seen[at].features();
                features.extend(&rest[0], |&number| own[number as usize], words.first().filter(|_| has_parents));
                features.whole.extend_from_slice(rest[0].features());
            }
            features.ends.push(features.ids.len());
        }
    }

    /// Where the window lies; None in a text without words. Its length is any from 1 to that of the text, the logarithms equally
    /// likely. Half of the windows of long texts lie at the beginning, the others anywhere.
    fn place_window(&self, text: &str, random: u64) -> Option<Window> {
        let uniform = |salt: u64| (scramble(random.wrapping_add(salt)) >> 11) as f64 / (1u64 << 53) as f64;
        let has_words = self.analyzer.settings().words.is_some();
        let has_characters = self.analyzer.settings().characters.is_some();
        let chunks = if has_characters || !has_words { self.analyzer.chunks(text) } else { vec![] };
        let n = if has_words { self.scratch.found[0].len() } else { chunks.len() };
        if n == 0 {
            return None;
        }
        let length = (uniform(1) * (n as f64 + 1.0).ln()).exp().floor().clamp(1.0, n as f64) as usize;
        let is_beginning = !has_characters && uniform(3) < BEGINNINGS;
        let start = if is_beginning { 0 } else { (uniform(2) * (n - length + 1) as f64) as usize };
        let words = start..start + length;
        let mut characters = 0..0;
        if has_characters {
            // All n-grams of the chunks that the words are in.
            let places = &self.scratch.places;
            let touched = match has_words {
                true => touched(&chunks, places[start].0, places[start + length - 1].1),
                false => words.clone(),
            };
            let before = |chunk: usize| chunks[..chunk].iter().map(|chunk| chunk.n_grams).sum::<usize>();
            characters = before(touched.start)..before(touched.end);
        }
        Some(Window { words, characters })
    }
}

/// The chunks that have something of a text from one byte to another.
fn touched(chunks: &[Chunk], from: usize, to: usize) -> Range<usize> {
    let first = chunks.partition_point(|chunk| chunk.end <= from);
    first..chunks.partition_point(|chunk| chunk.start < to).max(first)
}

/// A part of a text: ranges of its words, and of its character n-grams.
struct Window {
    words: Range<usize>,
    characters: Range<usize>,
}
