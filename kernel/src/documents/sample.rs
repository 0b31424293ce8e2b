//! Which documents are looked at: a sample that depends on their texts alone.

use std::collections::{BTreeMap, HashMap};

use super::{Documents, Given};
use crate::threads::{each_on_a_thread, equal_parts};
use crate::vocabulary::{Seed, UNKNOWN};

/// The documents without their features: whole groups, as many as it takes to have `most` documents.
pub(super) fn chosen(given: &Given, most: usize, threads: usize) -> Documents {
    let Given { texts, classes, weights, groups, sets } = *given;
    let hashes = digests(texts, threads);
    let group_hashes = groups.map(|groups| digests(groups, threads));
    let weight = |row: u32| weights.map_or(1, |weights| weights[row as usize]);
    let group = |row: u32| group_hashes.as_ref().unwrap_or(&hashes)[row as usize];
    let text = |row: u32| (hashes[row as usize], texts[row as usize]);
    let mut order: Vec<u32> = (0..texts.len() as u32).filter(|&row| weight(row) > 0).collect();
    order.sort_unstable_by_key(|&row| (group(row), text(row), classes[row as usize], row));
    let copies = groups.map(|_| copies_of(&order, text, |row| (classes[row as usize], weight(row))));

    let mut documents = Documents { places: vec![UNKNOWN; texts.len()], ..Documents::default() };
    // Without groups of the caller's, copies are a group: texts with one hash are told apart.
    let same_group = |a: &u32, b: &u32| group(*a) == group(*b) && (groups.is_some() || text(*a) == text(*b));
    for (number, members) in order.chunk_by(same_group).enumerate() {
        if documents.len() >= most {
            break;
        }
        for copies_here in members.chunk_by(|a, b| text(*a) == text(*b)) {
            let here = by_class(copies_here.iter().map(|&row| (classes[row as usize], weight(row))));
            let away = match &copies {
                None => here,
                // The group takes its own members out: only the copies elsewhere are left.
                Some(copies) => elsewhere(&copies[&text(copies_here[0])], &here),
            };
            let away = if let Some(sets) = sets { sets.by_class(&away) } else { away };
            for same in copies_here.chunk_by(|a, b| classes[*a as usize] == classes[*b as usize]) {
                same.iter().for_each(|&row| documents.places[row as usize] = documents.rows.len() as u32);
                documents.rows.push(same[0]);
                documents.classes.push(classes[same[0] as usize]);
                documents.weights.push(same.iter().map(|&row| weight(row)).fold(0, u32::saturating_add));
                documents.groups.push(number as u32);
                documents.hashes.push(hashes[same[0] as usize]);
                documents.copies.extend_from_slice(&away);
                documents.copy_ends.push(documents.copies.len());
            }
        }
    }
    documents.is_grouped = groups.is_some();
    documents.sets = sets.cloned();
    documents
}

type Weights = Vec<(u32, u32)>;

/// The weight of each class; the rows come in the order of the classes.
fn by_class(rows: impl Iterator<Item = (u32, u32)>) -> Weights {
    let mut sums: Weights = vec![];
    for (class, weight) in rows {
        match sums.last_mut() {
            Some((last, sum)) if *last == class => *sum = sum.saturating_add(weight),
            _ => sums.push((class, weight)),
        }
    }
    sums
}

/// By text the weight of each class.
fn copies_of<'a>(
    order: &[u32],
    text: impl Fn(u32) -> (u64, &'a str),
    row: impl Fn(u32) -> (u32, u32),
) -> HashMap<(u64, &'a str), Weights> {
    let mut copies: HashMap<(u64, &str), Weights> = HashMap::new();
    order.iter().for_each(|&at| copies.entry(text(at)).or_default().push(row(at)));
    for sums in copies.values_mut() {
        sums.sort_unstable();
        *sums = by_class(sums.drain(..));
    }
    copies
}

fn elsewhere(all: &[(u32, u32)], here: &[(u32, u32)]) -> Weights {
    let here = |class: u32| here.iter().find(|(known, _)| *known == class).map_or(0, |(_, weight)| *weight);
    all.iter().map(|&(class, weight)| (class, weight - here(class))).filter(|(_, weight)| *weight > 0).collect()
}

/// The documents that [`super::Documents::new`] would take, of more than fit into memory: the texts with the smallest hashes, seen so
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

    /// A text that stays to the end was never let go, so its weight is that of all its documents. `rows` says where the
    /// documents were, in any order; without it they follow on those given so far.
    pub fn add(
        &mut self,
        texts: &[&str],
        classes: &[u32],
        weights: Option<&[u32]>,
        rows: Option<&[u64]>,
        threads: usize,
    ) {
        let hashes = digests(texts, threads);
        for (at, (&text, &hash)) in texts.iter().zip(&hashes).enumerate() {
            let (class, weight) = (classes[at], weights.map_or(1, |weights| weights[at]));
            let row = rows.map_or(self.seen + at as u64, |rows| rows[at]);
            let is_beyond = |last: &(u64, Box<str>)| (hash, text) > (last.0, &*last.1);
            if weight == 0
                || (self.kept.len() >= self.most && self.kept.last_key_value().is_some_and(|(k, _)| is_beyond(k)))
            {
                continue;
            }
            let members = self.kept.entry((hash, text.into())).or_default();
            match members.iter_mut().find(|member| member.class == class) {
                Some(member) => {
                    member.weight = member.weight.saturating_add(weight);
                    member.row = member.row.min(row);
                }
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
