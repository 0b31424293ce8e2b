//! The features of a long text, each once: what an explanation lists of it.
//!
//! A text of a million letters has millions of features, and few different ones that are known. Only these are kept, each with
//! its first place and how often it stands there. Runs of characters, of which there are most, are found in pieces.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::counts::{Counts, Kind, Names};
use crate::text::{Analyzer, Token, Tokens, in_code_points};
use crate::vocabulary::{Hashed, Key, UNKNOWN, pair, pieces};

/// So many unknown features are listed of a text; of the others nothing is kept.
pub const MOST_UNKNOWN: usize = 1000;

/// A feature of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    pub block: usize,
    /// [`UNKNOWN`] for one that the counts do not know.
    pub id: u32,
    pub times: u32,
}

/// The features of a text by block, in the order of their first places: what is known of each, and its name and first place, in
/// code points.
pub fn list(counts: &Counts, analyzer: &Analyzer, text: &str) -> (Vec<Listed>, Vec<Token>) {
    let settings = analyzer.settings();
    let (mut tokens, mut places, mut keys) = (Tokens::new(), vec![], vec![]);
    let (mut words, mut left): (Vec<u32>, Vec<u32>) = (vec![], vec![]);
    let mut lister = Lister::new(counts);
    for (at, block) in counts.blocks.iter().enumerate() {
        let is_counted = block.kind.is_counted(settings);
        match (&block.names, block.kind) {
            (Names::Words(names), Kind::Characters) => {
                let piece_places = RefCell::new(vec![]);
                let mut ids = vec![];
                let mut take = |tokens: &mut Tokens| {
                    ids.clear();
                    names.find(tokens, &mut keys, &mut ids);
                    let places = piece_places.take();
                    for (i, &id) in ids.iter().enumerate() {
                        lister.add(at, id, places[i], || tokens.text(i..i + 1));
                    }
                    tokens.clear();
                };
                let mut tokens = Tokens::new();
                analyzer.characters_with_places(text, &mut tokens, &piece_places, &mut take);
                take(&mut tokens);
            }
            (Names::Words(names), _) => {
                analyzer.words_with_places(text, &mut tokens, &mut places);
                names.find(&mut tokens, &mut keys, &mut words);
                for (i, &id) in words.iter().enumerate().filter(|_| is_counted) {
                    lister.add(at, id, places[i], || tokens.text(i..i + 1));
                }
            }
            (Names::Runs(index), _) => {
                let shorter = if at == 1 { &words } else { &left };
                let last = words.get(at..).unwrap_or_default();
                let (mut ids, mut pairs) = (vec![], vec![]);
                for piece in pieces(shorter.len().min(last.len())) {
                    pairs.clear();
                    pairs.extend(shorter[piece.clone()].iter().zip(&last[piece]).map(|(&left, &right)| {
                        let is_unknown = left == UNKNOWN || right == UNKNOWN;
                        let key = if is_unknown { u64::EMPTY } else { pair(left, right) };
                        Hashed { key, hash: key.hash(index.seed()) }
                    }));
                    index.find_each(&pairs, |_, _| true, &mut ids);
                }
                for (i, &id) in ids.iter().enumerate().filter(|_| is_counted) {
                    lister.add(at, id, (places[i].0, places[i + at].1), || tokens.text(i..i + at + 1));
                }
                left = ids;
            }
        }
    }
    (lister.listed, in_code_points(text, lister.names))
}

impl Tokens {
    /// These tokens as one text, with a space between them.
    fn text(&self, range: Range<usize>) -> String {
        let words: Vec<_> = range.map(|i| String::from_utf8_lossy(self.get(i))).collect();
        words.join(" ")
    }
}

/// Features that have been found so far.
struct Lister<'a> {
    counts: &'a Counts,
    listed: Vec<Listed>,
    /// Their names, and their places in bytes.
    names: Vec<Token>,
    /// By block and id, where a known feature is among these.
    numbers: HashMap<(usize, u32), usize>,
    unknown: HashSet<(usize, String)>,
}

impl<'a> Lister<'a> {
    fn new(counts: &'a Counts) -> Self {
        Lister { counts, listed: vec![], names: vec![], numbers: HashMap::new(), unknown: HashSet::new() }
    }

    fn add(&mut self, block: usize, id: u32, (start, end): (usize, usize), name: impl Fn() -> String) {
        let is_known = id != UNKNOWN && self.counts.blocks[block].rows.is_live(id);
        let number = if is_known {
            *self.numbers.entry((block, id)).or_insert(self.listed.len())
        } else {
            if self.unknown.len() == MOST_UNKNOWN || !self.unknown.insert((block, name())) {
                return;
            }
            self.listed.len()
        };
        if number == self.listed.len() {
            self.listed.push(Listed { block, id: if is_known { id } else { UNKNOWN }, times: 0 });
            self.names.push(Token { text: name(), start, end });
        }
        let times = &mut self.listed[number].times;
        *times = times.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::Settings;

    #[test]
    fn each_feature_is_listed_once_with_its_first_place() {
        let settings = Settings { ngrams: (1, 3), characters: Some((2, 3)), ..Settings::default() };
        let analyzer = Analyzer::new(settings).expect("sound settings");
        let batch = Batch { texts: &["é so good so good", "bad"], classes: &[0, 1], weights: None, n_classes: 2 };
        let counts = count(&analyzer, batch, 1, &|| false).expect("counted");
        for text in ["", "é", "É so good, so good; new so bad é new"] {
            let (listed, names) = list(&counts, &analyzer, text);
            let features = analyzer.features(text);
            // The first of equal ones of each kind: words and their runs are apart from runs of characters.
            let n_words = Analyzer::new(Settings { characters: None, ..analyzer.settings().clone() })
                .expect("sound settings")
                .features(text)
                .len();
            let is_first = |&(i, token): &(usize, &Token)| {
                let from = if i < n_words { 0 } else { n_words };
                features[from..i].iter().all(|other| other.text != token.text)
            };
            let firsts: Vec<Token> =
                features.iter().enumerate().filter(is_first).map(|(_, token)| token.clone()).collect();
            assert_eq!(names, firsts, "{text}");
            let n: u32 = listed.iter().map(|feature| if feature.id == UNKNOWN { 0 } else { feature.times }).sum();
            let is_known =
                |token: &&Token| (0..counts.blocks.len()).any(|block| counts.find(block, &token.text) != UNKNOWN);
            assert_eq!(n as usize, features.iter().filter(is_known).count());
        }
    }

    #[test]
    fn unknown_features_do_not_fill_the_memory() {
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let batch = Batch { texts: &["a"], classes: &[0], weights: None, n_classes: 1 };
        let counts = count(&analyzer, batch, 1, &|| false).expect("counted");
        let text: String = (0..2 * MOST_UNKNOWN).map(|n| format!("x{n}y a ")).collect();
        let (listed, _) = list(&counts, &analyzer, &text);
        assert_eq!(listed.len(), MOST_UNKNOWN + 1);
        assert_eq!(
            listed.iter().find(|feature| feature.id == 0).map(|feature| feature.times),
            Some(2 * MOST_UNKNOWN as u32)
        );
    }
}
