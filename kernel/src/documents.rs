//! Documents as the features that counts know of them: what leave-one-out works on.
//!
//! Counting keeps no documents. Those that are needed again, all or a sample, are looked up in the finished vocabulary:
//! each known feature of a document once, in the order of its first occurrence, and how often it stands there.
//!
//! Which documents are taken, and their order, depend on their texts alone: by a fixed hash, the smallest first. Equal
//! texts of one class are one document of their joint weight. So nothing that is computed from them depends on the order
//! in which they came.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::counts::{Counts, Kind, Names, find_cell};
use crate::error::Error;
use crate::rows::Cell;
use crate::seen::Seen;
use crate::text::{Analyzer, Tokens};
use crate::threads::{each_on_a_thread, equal_parts};
use crate::vocabulary::{Hashed, Key, Seed, UNKNOWN, pair};

/// The features of some documents, of one block.
#[derive(Default)]
pub struct Features {
    pub ids: Vec<u32>,
    /// How often each stands in its document.
    pub times: Vec<u32>,
    /// For runs of two words: where these are among the words of the document.
    pub parents: Vec<[u32; 2]>,
    /// Where the features of each document end.
    ends: Vec<usize>,
}

impl Features {
    pub fn range(&self, document: usize) -> Range<usize> {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        start..self.ends[document]
    }

    /// Those of the documents from number `first` on.
    fn from(&self, first: usize) -> Features {
        let start = if first == 0 { 0 } else { self.ends[first - 1] };
        Features {
            ids: self.ids[start..].to_vec(),
            times: self.times[start..].to_vec(),
            parents: self.parents.get(start..).unwrap_or_default().to_vec(),
            ends: self.ends[first..].iter().map(|end| end - start).collect(),
        }
    }

    fn append(&mut self, other: Features) {
        let before = self.ids.len();
        self.ids.extend(other.ids);
        self.times.extend(other.times);
        self.parents.extend(other.parents);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }
}

/// Labelled documents, looked up.
#[derive(Default)]
pub struct Documents {
    /// Where each document was among those given: the first of equal ones.
    pub rows: Vec<u32>,
    pub classes: Vec<u32>,
    pub weights: Vec<u32>,
    /// For each text that was given which of the documents it is; [`UNKNOWN`] for one that was not taken.
    pub places: Vec<u32>,
    /// By block of the counts; a block that is not counted has no features.
    pub blocks: Vec<Features>,
}

impl Documents {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The documents, at most `most` of them, as `counts` know them.
    pub fn new(
        counts: &Counts,
        analyzer: &Analyzer,
        texts: &[&str],
        classes: &[u32],
        weights: Option<&[u32]>,
        most: usize,
        threads: usize,
    ) -> Self {
        let mut documents = chosen(texts, classes, weights, most, threads);
        let bytes: usize = documents.rows.iter().map(|&row| texts[row as usize].len()).sum();
        let parts = equal_parts(documents.len(), threads.min(bytes >> 16).max(1));
        let found = each_on_a_thread(&parts, |part| {
            let mut finder = Finder::new(counts, analyzer);
            let mut blocks: Vec<Features> = counts.blocks.iter().map(|_| Features::default()).collect();
            for &row in &documents.rows[part.clone()] {
                finder.find(texts[row as usize]);
                finder.distinct(&mut blocks);
            }
            blocks
        });
        documents.blocks = counts.blocks.iter().map(|_| Features::default()).collect();
        for part in found {
            documents.blocks.iter_mut().zip(part).for_each(|(block, more)| block.append(more));
        }
        documents
    }

    /// The first `n` held out: the counts without them, and the other documents. These are known by the same ids.
    pub fn held_out(&self, counts: &Counts, n: usize) -> Result<(Counts, Documents), Error> {
        let n = n.min(self.len());
        let mut without = counts.clone();
        for at in 0..n {
            without.forget(self, at)?;
        }
        let rest = Documents {
            rows: self.rows[n..].to_vec(),
            classes: self.classes[n..].to_vec(),
            weights: self.weights[n..].to_vec(),
            places: self.places.iter().map(|&place| place.checked_sub(n as u32).unwrap_or(UNKNOWN)).collect(),
            blocks: self.blocks.iter().map(|features| features.from(n)).collect(),
        };
        Ok((without, rest))
    }
}

impl Counts {
    /// Takes away a document that was looked up here; an error where it was never added leaves counts for nothing.
    fn forget(&mut self, documents: &Documents, at: usize) -> Result<(), Error> {
        let (class, weight) = (documents.classes[at], documents.weights[at]);
        let never = |feature: String| Error::NeverAdded { feature, class: class as usize };
        for (block, features) in documents.blocks.iter().enumerate() {
            for i in features.range(at) {
                let id = features.ids[i];
                let cell = Cell { class, documents: weight, occurrences: weight.saturating_mul(features.times[i]) };
                let known = find_cell(self.blocks[block].rows.get(id), class);
                if known.documents < cell.documents || known.occurrences < cell.occurrences {
                    return Err(never(format!("{:?}", self.name(block, id))));
                }
                self.blocks[block].rows.subtract(id, cell);
            }
        }
        let own = &mut self.documents[class as usize];
        *own = own.checked_sub(u64::from(weight)).ok_or_else(|| never("a document".into()))?;
        Ok(())
    }
}

/// Which of some words documents have.
#[derive(Default)]
pub struct Incidence {
    /// How many words of each document are known, repeated ones included.
    pub lengths: Vec<u32>,
    /// Where the words of each document end.
    pub ends: Vec<u64>,
    /// Numbers of words, each once in a document.
    pub words: Vec<u32>,
}

impl Documents {
    /// Which of these words each document has; none, where words are not counted.
    pub fn incidence(&self, counts: &Counts, names: &[String]) -> Incidence {
        let mut found = Incidence::default();
        let (Some(block), Some(features)) = (counts.blocks.first(), self.blocks.first()) else { return found };
        let mut numbers = vec![UNKNOWN; block.len()];
        if block.kind == Kind::Words {
            for (number, name) in names.iter().enumerate() {
                if let Some(place) = numbers.get_mut(counts.find(0, name) as usize) {
                    *place = number as u32;
                }
            }
        }
        for document in 0..self.len() {
            let range = features.range(document);
            found.lengths.push(features.times[range.clone()].iter().sum());
            found.words.extend(features.ids[range].iter().map(|&id| numbers[id as usize]).filter(|&n| n != UNKNOWN));
            found.ends.push(found.words.len() as u64);
        }
        found
    }
}

/// The documents without their features.
fn chosen(texts: &[&str], classes: &[u32], weights: Option<&[u32]>, most: usize, threads: usize) -> Documents {
    let hashes = digests(texts, threads);
    let weight = |row: u32| weights.map_or(1, |weights| weights[row as usize]);
    let mut order: Vec<u32> = (0..texts.len() as u32).filter(|&row| weight(row) > 0).collect();
    let key = |row: u32| (hashes[row as usize], texts[row as usize], classes[row as usize], row);
    order.sort_unstable_by_key(|&row| key(row));
    let mut documents = Documents { places: vec![UNKNOWN; texts.len()], ..Documents::default() };
    let same = |a: &u32, b: &u32| {
        let (a, b) = (*a as usize, *b as usize);
        hashes[a] == hashes[b] && classes[a] == classes[b] && texts[a] == texts[b]
    };
    for (at, group) in order.chunk_by(same).take(most).enumerate() {
        group.iter().for_each(|&row| documents.places[row as usize] = at as u32);
        documents.rows.push(group[0]);
        documents.classes.push(classes[group[0] as usize]);
        documents.weights.push(group.iter().map(|&row| weight(row)).fold(0, u32::saturating_add));
    }
    documents
}

/// The documents that [`Documents::new`] would take, of more than fit into memory: the texts with the smallest hashes, seen so
/// far, and of each what every class has of it.
pub struct Sample {
    most: usize,
    kept: BTreeMap<(u64, Box<str>), Vec<Member>>,
    /// How many documents were given so far.
    seen: u64,
}

/// Equal documents of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub class: u32,
    pub weight: u32,
    /// Where the first of them was.
    pub row: u64,
}

impl Sample {
    /// At least `most` documents, where there are so many: those of one text stay together.
    pub fn new(most: usize) -> Self {
        Sample { most, kept: BTreeMap::new(), seen: 0 }
    }

    /// A text that stays to the end was never let go, so its weight is that of all its documents.
    pub fn add(&mut self, texts: &[&str], classes: &[u32], weights: Option<&[u32]>, threads: usize) {
        let hashes = digests(texts, threads);
        for (at, (&text, &hash)) in texts.iter().zip(&hashes).enumerate() {
            let (class, weight) = (classes[at], weights.map_or(1, |weights| weights[at]));
            let row = self.seen + at as u64;
            let is_beyond = |last: &(u64, Box<str>)| (hash, text) > (last.0, &*last.1);
            if weight == 0
                || (self.kept.len() >= self.most && self.kept.last_key_value().is_some_and(|(k, _)| is_beyond(k)))
            {
                continue;
            }
            let members = self.kept.entry((hash, text.into())).or_default();
            match members.iter_mut().find(|member| member.class == class) {
                Some(member) => member.weight = member.weight.saturating_add(weight),
                None => members.push(Member { class, weight, row }),
            }
            if self.kept.len() > self.most {
                self.kept.pop_last();
            }
        }
        self.seen += texts.len() as u64;
    }

    pub fn documents(&self) -> impl Iterator<Item = (&str, Member)> {
        self.kept.iter().flat_map(|((_, text), members)| members.iter().map(move |&member| (&**text, member)))
    }
}

/// By which documents are ordered: of their texts alone.
fn digests(texts: &[&str], threads: usize) -> Vec<u64> {
    let seed = Seed::fixed(0);
    each_on_a_thread(&equal_parts(texts.len(), threads), |part| {
        texts[part.clone()].iter().map(|text| seed.digest(text.as_bytes())).collect::<Vec<u64>>()
    })
    .concat()
}

/// Finds the features of texts, one text after the other.
pub struct Finder<'a> {
    counts: &'a Counts,
    analyzer: &'a Analyzer,
    counted: Vec<bool>,
    /// By block whether none of its features has been forgotten: then nobody has to look.
    all_live: Vec<bool>,
    scratch: Scratch,
}

/// What finding needs of memory.
#[derive(Default)]
struct Scratch {
    tokens: Tokens,
    keys: Vec<Hashed>,
    pairs: Vec<Hashed<u64>>,
    /// By block: the id of every feature of the text, in order, [`UNKNOWN`] for what has never been seen or is forgotten.
    found: Vec<Vec<u32>>,
    /// By block: these, each once.
    seen: Vec<Seen<u32>>,
}

impl<'a> Finder<'a> {
    /// A finder of what `counts` know.
    pub fn new(counts: &'a Counts, analyzer: &'a Analyzer) -> Self {
        let counted = Kind::of(analyzer.settings()).iter().map(|kind| kind.is_counted(analyzer.settings())).collect();
        let mut scratch = Scratch::default();
        scratch.found.resize(counts.blocks.len(), vec![]);
        scratch.seen.resize(counts.blocks.len(), Seen::default());
        let all_live = counts.blocks.iter().map(|block| block.rows.live == block.len() as u64).collect();
        Finder { counts, analyzer, counted, all_live, scratch }
    }

    /// By block, the ids of the text that was looked up last.
    pub fn found(&self) -> &[Vec<u32>] {
        &self.scratch.found
    }

    /// Looks up every feature of a text.
    pub fn find(&mut self, text: &str) {
        let Scratch { tokens, keys, pairs, found, .. } = &mut self.scratch;
        for (at, block) in self.counts.blocks.iter().enumerate() {
            let (before, rest) = found.split_at_mut(at);
            let ids = &mut rest[0];
            ids.clear();
            match &block.names {
                Names::Words(words) => {
                    tokens.clear();
                    match block.kind {
                        Kind::Characters => self.analyzer.characters(text, tokens),
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
                seen.read(&found[at], |&id| if all_live || rows.is_live(id) { id } else { UNKNOWN });
                let start = features.ids.len();
                features.ids.extend_from_slice(&seen.features);
                features.times.resize(features.ids.len(), 0);
                let has_parents = block.kind == Kind::Runs(2) && self.counted[0];
                for (i, &number) in seen.numbers.iter().enumerate().filter(|(_, number)| **number != UNKNOWN) {
                    features.times[start + number as usize] += 1;
                    // A pair that stands here for the first time.
                    if has_parents && start + number as usize == features.parents.len() {
                        features.parents.push([words[0].numbers[i], words[0].numbers[i + 1]]);
                    }
                }
            }
            features.ends.push(features.ids.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::Settings;

    const TEXTS: [&str; 4] = ["a b a b", "b c", "b c", "d"];

    fn looked_up(most: usize) -> (Counts, Documents) {
        let analyzer = Analyzer::new(Settings { ngrams: (1, 2), ..Settings::default() }).expect("sound settings");
        let classes = [0, 1, 1, 0];
        let batch = Batch { texts: &TEXTS, classes: &classes, weights: None, n_classes: 2 };
        let counts = count(&analyzer, batch, 1, &|| false).expect("counted");
        let documents = Documents::new(&counts, &analyzer, &TEXTS, &classes, None, most, 2);
        (counts, documents)
    }

    #[test]
    fn a_document_has_each_feature_once_and_a_pair_knows_its_words() {
        let (counts, documents) = looked_up(9);
        let at = documents.rows.iter().position(|&row| row == 0).expect("it is there");
        let names = |block: usize| -> Vec<(String, u32)> {
            let features = &documents.blocks[block];
            features.range(at).map(|i| (counts.name(block, features.ids[i]), features.times[i])).collect()
        };
        assert_eq!(names(0), [("a".into(), 2), ("b".into(), 2)]);
        assert_eq!(names(1), [("a b".into(), 2), ("b a".into(), 1)]);
        assert_eq!(documents.blocks[1].parents[documents.blocks[1].range(at)], [[0, 1], [1, 0]]);
    }

    #[test]
    fn a_document_has_those_of_the_words_asked_for_that_stand_in_it() {
        let (counts, documents) = looked_up(9);
        let at = documents.rows.iter().position(|&row| row == 0).expect("it is there");
        let found = documents.incidence(&counts, &["c".into(), "nowhere".into(), "b".into()]);
        let start = if at == 0 { 0 } else { found.ends[at - 1] as usize };
        assert_eq!(found.words[start..found.ends[at] as usize], [2]);
        assert_eq!(found.lengths[at], 4);
    }

    #[test]
    fn what_is_held_out_is_gone_from_the_counts_and_the_rest_stays_as_it_was() {
        let (counts, documents) = looked_up(9);
        let (without, rest) = documents.held_out(&counts, 2).expect("they were counted");
        assert_eq!(rest.rows, documents.rows[2..]);
        assert_eq!(without.documents.iter().sum::<u64>() + documents.weights[..2].iter().sum::<u32>() as u64, 4);
        for (block, features) in rest.blocks.iter().enumerate() {
            let all = &documents.blocks[block];
            for at in 0..rest.len() {
                assert_eq!(features.ids[features.range(at)], all.ids[all.range(at + 2)]);
                assert!(features.range(at).all(|i| without.blocks[block].rows.is_live(features.ids[i])));
            }
        }
        let (nothing, none) = documents.held_out(&counts, 9).expect("they were counted");
        assert!(nothing.is_empty() && none.is_empty());
        assert!(documents.held_out(&nothing, 1).is_err());
    }

    #[test]
    fn equal_documents_are_one_and_a_sample_is_a_part_of_the_whole() {
        let (_, all) = looked_up(9);
        let mut weights: Vec<(u32, u32)> = all.rows.iter().copied().zip(all.weights.iter().copied()).collect();
        weights.sort_unstable();
        assert_eq!(weights, [(0, 1), (1, 2), (3, 1)]);
        assert_eq!(looked_up(2).1.rows, all.rows[..2]);
    }

    #[test]
    fn a_sample_in_batches_has_what_one_of_the_whole_has() {
        let texts: Vec<String> = (0..300).map(|n| format!("text {}", n * n % 97)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..300).map(|n| n % 3).collect();
        let weights: Vec<u32> = (0..300).map(|n| n % 4).collect();
        for most in [1, 7, 40, 1000] {
            let whole = chosen(&texts, &classes, Some(&weights), most, 1);
            for size in [1, 50, 300] {
                let mut sample = Sample::new(most);
                for from in (0..300).step_by(size) {
                    let part = from..(from + size).min(300);
                    sample.add(&texts[part.clone()], &classes[part.clone()], Some(&weights[part]), 2);
                }
                let (kept, of): (Vec<&str>, Vec<Member>) = sample.documents().unzip();
                let again: Vec<u32> = of.iter().map(|member| member.class).collect();
                let again = chosen(&kept, &again, Some(&of.iter().map(|one| one.weight).collect::<Vec<_>>()), most, 1);
                let rows: Vec<u32> = again.rows.iter().map(|&row| of[row as usize].row as u32).collect();
                assert_eq!(
                    (rows, again.classes, again.weights),
                    (whole.rows.clone(), whole.classes.clone(), whole.weights.clone())
                );
            }
        }
    }
}
