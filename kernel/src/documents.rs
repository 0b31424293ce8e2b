//! Documents as the features that counts know of them: what leave-one-out works on.
//!
//! Counting keeps no documents. Those that are needed again, all or a sample, are looked up in the finished vocabulary:
//! each known feature of a document once, in the order of its first occurrence, and how often it stands there. `finder.rs`
//! looks them up.
//!
//! Which documents are taken, and their order, depend on their texts alone: by a fixed hash, the smallest first. Equal
//! texts of one class are one document of their joint weight. So nothing that is computed from them depends on the order
//! in which they came. `sample.rs` chooses.
//!
//! Copies of a text know its label, and so do documents that the caller says belong together: they form a group, which is left out
//! as a whole. `taken.rs` says what that takes from the counts.

mod alike;
mod finder;
mod listed;
mod sample;
mod taken;

use std::ops::Range;

use crate::counts::{Counts, Kind, find_cell};
use crate::error::Error;
use crate::overlapping::Sets;
use crate::rows::Cell;
use crate::seen::Seen;
use crate::text::Analyzer;
use crate::threads::{each_on_a_thread, equal_parts};
use crate::vocabulary::UNKNOWN;
pub use finder::Finder;
pub use listed::{Listed, list};
pub use sample::{Member, Sample};
pub use taken::{Taken, Taker, Total};

/// The features of some documents, of one block.
#[derive(Default)]
pub struct Features {
    pub ids: Vec<u32>,
    /// How often each stands in its document.
    pub times: Vec<u32>,
    /// For runs of two words: where these are among the words of the document.
    pub parents: Vec<[u32; 2]>,
    /// For those of a window: where each is among the features of its document.
    pub whole: Vec<u32>,
    /// Where the features of each document end.
    ends: Vec<usize>,
}

impl Features {
    pub fn range(&self, document: usize) -> Range<usize> {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        start..self.ends[document]
    }

    /// Appends the features that were seen in a document; `words` are those of which these are pairs.
    fn extend(&mut self, seen: &Seen<u32>, id: impl Fn(&u32) -> u32, words: Option<&Seen<u32>>) {
        let start = self.ids.len();
        self.ids.extend(seen.features().iter().map(id));
        self.times.resize(self.ids.len(), 0);
        for (i, &number) in seen.numbers.iter().enumerate().filter(|(_, number)| **number != UNKNOWN) {
            self.times[start + number as usize] += 1;
            // A pair that stands here for the first time.
            if let Some(words) = words.filter(|_| start + number as usize == self.parents.len()) {
                self.parents.push([words.numbers[i], words.numbers[i + 1]]);
            }
        }
    }

    /// Those of the documents from number `first` on.
    fn from(&self, first: usize) -> Features {
        let start = if first == 0 { 0 } else { self.ends[first - 1] };
        Features {
            ids: self.ids[start..].to_vec(),
            times: self.times[start..].to_vec(),
            parents: self.parents.get(start..).unwrap_or_default().to_vec(),
            whole: self.whole.get(start..).unwrap_or_default().to_vec(),
            ends: self.ends[first..].iter().map(|end| end - start).collect(),
        }
    }

    fn append(&mut self, other: Features) {
        let before = self.ids.len();
        self.ids.extend(other.ids);
        self.times.extend(other.times);
        self.parents.extend(other.parents);
        self.whole.extend(other.whole);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }
}

/// Labelled documents as they are given.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    pub texts: &'a [&'a str],
    pub classes: &'a [u32],
    pub weights: Option<&'a [u32]>,
    /// The name of the group of each.
    pub groups: Option<&'a [&'a str]>,
    /// Where documents have several labels: the classes of each set of labels, which `classes` then are the numbers of.
    pub sets: Option<&'a Sets>,
}

/// Labelled documents, looked up.
#[derive(Default)]
pub struct Documents {
    /// Where each document was among those given: the first of equal ones.
    pub rows: Vec<u32>,
    /// By document its class, or the number of its set of labels.
    pub classes: Vec<u32>,
    pub weights: Vec<u32>,
    /// The number of each document's group; those of a group follow each other.
    pub groups: Vec<u32>,
    /// For each text that was given which of the documents it is; [`UNKNOWN`] for one that was not taken.
    pub places: Vec<u32>,
    /// By block of the counts; a block that is not counted has no features.
    pub blocks: Vec<Features>,
    /// The same of a window of each document, where they were asked for.
    pub windows: Vec<Features>,
    /// Of each text.
    hashes: Vec<u64>,
    /// By document, class and weight of what is taken out with it besides its group; where there are no groups but copies, of
    /// all copies, itself among them.
    copies: Vec<(u32, u32)>,
    copy_ends: Vec<usize>,
    /// Whether the groups are the caller's, not just copies.
    is_grouped: bool,
    /// Where documents have several labels: the classes of each set of labels.
    sets: Option<Sets>,
}

impl Documents {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The hash of its text.
    pub fn hash(&self, at: usize) -> u64 {
        self.hashes[at]
    }

    /// The classes that a document is counted in.
    pub fn classes_of(&self, at: usize) -> &[u32] {
        self.sets.as_ref().map_or(&self.classes[at..=at], |sets| sets.get(self.classes[at]))
    }

    /// The documents as `counts` know them: at most `most` of them, but for the last group, which is whole.
    pub fn new(
        counts: &Counts,
        analyzer: &Analyzer,
        given: &Given,
        most: usize,
        has_windows: bool,
        threads: usize,
    ) -> Self {
        let mut documents = sample::chosen(given, most, threads);
        let bytes: usize = documents.rows.iter().map(|&row| given.texts[row as usize].len()).sum();
        let parts = equal_parts(documents.len(), threads.min(bytes >> 16).max(1));
        let none = || counts.blocks.iter().map(|_| Features::default()).collect::<Vec<Features>>();
        let read = each_on_a_thread(&parts, |part| {
            let finder = Finder::new(counts, analyzer);
            let mut finder = if has_windows { finder.with_windows() } else { finder };
            let (mut blocks, mut windows) = (none(), none());
            for at in part.clone() {
                let text = given.texts[documents.rows[at] as usize];
                finder.find(text);
                finder.distinct(&mut blocks);
                if has_windows {
                    finder.window(text, documents.hashes[at], &mut windows);
                }
            }
            (blocks, windows)
        });
        (documents.blocks, documents.windows) = (none(), if has_windows { none() } else { vec![] });
        for (blocks, windows) in read {
            documents.blocks.iter_mut().zip(blocks).for_each(|(block, more)| block.append(more));
            documents.windows.iter_mut().zip(windows).for_each(|(block, more)| block.append(more));
        }
        documents
    }

    /// The first `n` held out, and what belongs to the same group as the last of them: the counts without them, and the other
    /// documents. These are known by the same ids.
    pub fn held_out(&self, counts: &Counts, n: usize) -> Result<(Counts, Documents), Error> {
        let n = self.whole_groups(n);
        let mut without = counts.clone();
        for at in 0..n {
            without.forget(self, at)?;
        }
        let copies_before = if n == 0 { 0 } else { self.copy_ends[n - 1] };
        let rest = Documents {
            rows: self.rows[n..].to_vec(),
            classes: self.classes[n..].to_vec(),
            weights: self.weights[n..].to_vec(),
            groups: self.groups[n..].to_vec(),
            places: self.places.iter().map(|&place| place.checked_sub(n as u32).unwrap_or(UNKNOWN)).collect(),
            blocks: self.blocks.iter().map(|features| features.from(n)).collect(),
            windows: self.windows.iter().map(|features| features.from(n)).collect(),
            hashes: self.hashes[n..].to_vec(),
            copies: self.copies[copies_before..].to_vec(),
            copy_ends: self.copy_ends[n..].iter().map(|end| end - copies_before).collect(),
            is_grouped: self.is_grouped,
            sets: self.sets.clone(),
        };
        Ok((without, rest))
    }

    /// How many documents the first `n` are with the rest of the last one's group.
    pub fn whole_groups(&self, n: usize) -> usize {
        let Some(last) = n.min(self.len()).checked_sub(1) else { return 0 };
        self.groups.partition_point(|&group| group <= self.groups[last])
    }
}

impl Counts {
    /// Takes away a document that was looked up here; an error where it was never added leaves counts for nothing.
    fn forget(&mut self, documents: &Documents, at: usize) -> Result<(), Error> {
        for &class in documents.classes_of(at) {
            self.forget_in(class, documents, at)?;
        }
        Ok(())
    }

    fn forget_in(&mut self, class: u32, documents: &Documents, at: usize) -> Result<(), Error> {
        let weight = documents.weights[at];
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
        let mut incidence = Incidence::default();
        let (Some(block), Some(features)) = (counts.blocks.first(), self.blocks.first()) else { return incidence };
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
            incidence.lengths.push(features.times[range.clone()].iter().sum());
            incidence
                .words
                .extend(features.ids[range].iter().map(|&id| numbers[id as usize]).filter(|&n| n != UNKNOWN));
            incidence.ends.push(incidence.words.len() as u64);
        }
        incidence
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
        let given = Given { texts: &TEXTS, classes: &classes, weights: None, groups: None, sets: None };
        let documents = Documents::new(&counts, &analyzer, &given, most, true, 2);
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
    fn a_window_is_a_part_of_its_document_and_its_pairs_know_their_words() {
        let (_, documents) = looked_up(9);
        for at in 0..documents.len() {
            for (whole, window) in documents.blocks.iter().zip(&documents.windows) {
                let first = whole.range(at).start;
                for i in window.range(at) {
                    let own = first + window.whole[i] as usize;
                    assert_eq!(window.ids[i], whole.ids[own]);
                    assert!(window.times[i] <= whole.times[own]);
                }
            }
            let [words, pairs] = [&documents.windows[0], &documents.windows[1]];
            assert!(!words.range(at).is_empty() && pairs.parents.len() == pairs.ids.len());
            assert!(
                pairs.range(at).all(|i| pairs.parents[i].iter().all(|&word| (word as usize) < words.range(at).len()))
            );
        }
    }

    #[test]
    fn half_of_the_windows_lie_at_the_beginning_of_their_text() {
        let texts: Vec<String> =
            (0..400).map(|text| (0..40).map(|word| format!("w{text}x{word} ")).collect()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes = vec![0; texts.len()];
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let batch = Batch { texts: &texts, classes: &classes, weights: None, n_classes: 1 };
        let counts = count(&analyzer, batch, 1, &|| false).expect("counted");
        let given = Given { texts: &texts, classes: &classes, weights: None, groups: None, sets: None };
        let documents = Documents::new(&counts, &analyzer, &given, 400, true, 1);
        let windows = &documents.windows[0];
        let starts = (0..documents.len()).map(|at| windows.whole[windows.range(at).start]);
        // Of those that lie anywhere some are at the beginning, too: all that are the whole text.
        let n = starts.filter(|&start| start == 0).count();
        assert!((200..260).contains(&n), "{n} of 400");
    }

    #[test]
    fn a_group_is_taken_whole_and_copies_elsewhere_leave_with_a_document() {
        let texts = ["a b", "a c", "a b", "d"];
        let (classes, groups) = ([0, 1, 1, 0], ["x", "x", "y", "z"]);
        let analyzer = Analyzer::new(Settings::default()).expect("sound settings");
        let batch = Batch { texts: &texts, classes: &classes, weights: None, n_classes: 2 };
        let counts = count(&analyzer, batch, 1, &|| false).expect("counted");
        let given = Given { texts: &texts, classes: &classes, weights: None, groups: Some(&groups), sets: None };
        let documents = Documents::new(&counts, &analyzer, &given, 9, false, 1);
        let at = documents.places[0] as usize;
        let mut taker = Taker::new(&documents);
        let taken = taker.of(at);
        let left = |id: &str| {
            let (id, mut left) = (counts.find(0, id), vec![]);
            taken.left(0, id, 1, counts.blocks[0].rows.get(id), &mut left);
            left.iter().map(|cell| cell.documents).sum::<u32>()
        };
        // Both documents of x, and the other "a b".
        assert_eq!([left("a"), left("b"), left("c")], [0, 0, 0]);
        let totals = taken.totals();
        let of = |class: u32| totals.iter().find(|total| total.class == class).map(|total| total.documents);
        assert_eq!((of(0), of(1)), (Some(1), Some(2)));
        assert_eq!(taken.is_group(), None);
    }

    #[test]
    fn a_document_has_those_of_the_words_asked_for_that_stand_in_it() {
        let (counts, documents) = looked_up(9);
        let at = documents.rows.iter().position(|&row| row == 0).expect("it is there");
        let incidence = documents.incidence(&counts, &["c".into(), "nowhere".into(), "b".into()]);
        let start = if at == 0 { 0 } else { incidence.ends[at - 1] as usize };
        assert_eq!(incidence.words[start..incidence.ends[at] as usize], [2]);
        assert_eq!(incidence.lengths[at], 4);
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
        assert_eq!(documents.whole_groups(2), 2);
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
            let given = Given { texts: &texts, classes: &classes, weights: Some(&weights), groups: None, sets: None };
            let whole = sample::chosen(&given, most, 1);
            for size in [1, 50, 300] {
                let mut sample = Sample::new(most);
                for from in (0..300).step_by(size) {
                    let part = from..(from + size).min(300);
                    sample.add(&texts[part.clone()], &classes[part.clone()], Some(&weights[part]), None, 2);
                }
                let (kept, of): (Vec<&str>, Vec<Member>) = sample.documents().unzip();
                let again: Vec<u32> = of.iter().map(|member| member.class).collect();
                let weights: Vec<u32> = of.iter().map(|one| one.weight).collect();
                let given = Given { texts: &kept, classes: &again, weights: Some(&weights), groups: None, sets: None };
                let again = sample::chosen(&given, most, 1);
                let rows: Vec<u32> = again.rows.iter().map(|&row| of[row as usize].row as u32).collect();
                assert_eq!(
                    (rows, again.classes, again.weights),
                    (whole.rows.clone(), whole.classes.clone(), whole.weights.clone())
                );
            }
        }
    }

    #[test]
    fn samples_of_parts_merge_to_the_sample_of_the_whole_in_any_order() {
        let texts: Vec<String> = (0..200).map(|n| format!("text {}", n * n % 61)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let classes: Vec<u32> = (0..200).map(|n| n % 3).collect();
        let sorted = |sample: &Sample| {
            let mut all: Vec<(String, u32, u32, u64)> =
                sample.documents().map(|(text, of)| (text.to_string(), of.class, of.weight, of.row)).collect();
            all.sort();
            all
        };
        for most in [1, 7, 40, 1000] {
            let mut whole = Sample::new(most);
            whole.add(&texts, &classes, None, None, 1);
            let mut merged = Sample::new(most);
            for part in [120..200, 0..50, 50..120] {
                let (mut sample, rows) = (Sample::new(most), part.clone().map(|row| row as u64).collect::<Vec<_>>());
                sample.add(&texts[part.clone()], &classes[part], None, Some(&rows), 1);
                let (kept, of): (Vec<&str>, Vec<Member>) = sample.documents().unzip();
                let (classes, weights): (Vec<u32>, Vec<u32>) = of.iter().map(|one| (one.class, one.weight)).unzip();
                let rows: Vec<u64> = of.iter().map(|one| one.row).collect();
                merged.add(&kept, &classes, Some(&weights), Some(&rows), 1);
            }
            assert_eq!(sorted(&merged), sorted(&whole));
        }
    }
}
