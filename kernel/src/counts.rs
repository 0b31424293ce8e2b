//! The learned state: what was seen, how often, in which class. Everything else is computed from it.
//!
//! Features come in blocks: words, runs of two words, of three …, and characters. Each block has its own vocabulary and
//! its own [`Rows`]. A run of n words is named by two ids, that of its first n - 1 words and that of its last word,
//! so no text of it is kept. Counts can be added to each other and taken from each other; documents become counts in
//! `counting.rs`.

use crate::error::Error;
use crate::rows::{Cell, MOST_CELLS, Rows};
use crate::text::Settings;
use crate::vocabulary::{Index, Seed, UNKNOWN, Words, pair};

/// What the features of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Words,
    /// Runs of this many words, two or more.
    Runs(u8),
    Characters,
}

impl Kind {
    /// The blocks that an analyzer with these settings fills.
    pub fn of(settings: &Settings) -> Vec<Kind> {
        let mut kinds = vec![];
        if settings.words.is_some() {
            kinds.push(Kind::Words);
            kinds.extend((2..=settings.ngrams.1).map(Kind::Runs));
        }
        kinds.extend(settings.characters.map(|_| Kind::Characters));
        kinds
    }

    /// Whether the block's features are counted, or are only there to name longer runs.
    pub fn is_counted(self, settings: &Settings) -> bool {
        match self {
            Kind::Words => settings.ngrams.0 <= 1,
            Kind::Runs(n) => settings.ngrams.0 <= n,
            Kind::Characters => true,
        }
    }

    /// How many words a feature has; 0 for characters.
    pub fn length(self) -> u8 {
        match self {
            Kind::Words => 1,
            Kind::Runs(n) => n,
            Kind::Characters => 0,
        }
    }

    /// The name of the block's arrays in a file.
    pub fn name(self) -> String {
        match self {
            Kind::Words => "words".into(),
            Kind::Runs(n) => format!("runs{n}"),
            Kind::Characters => "characters".into(),
        }
    }
}

#[derive(Clone)]
pub enum Names {
    Words(Words),
    Runs(Index<u64>),
}

impl Names {
    fn is_keyed_here(&self) -> bool {
        match self {
            Names::Words(words) => words.index.seed() == Seed::of_this_process(),
            Names::Runs(index) => index.seed() == Seed::of_this_process(),
        }
    }

    /// Whether so many more names leave the index as large as it is.
    fn has_room_for(&self, n: usize) -> bool {
        match self {
            Names::Words(words) => words.index.has_room_for(n),
            Names::Runs(index) => index.has_room_for(n),
        }
    }

    /// Keys what came from a file by the seed of this process.
    pub fn rekey(&mut self) {
        let seed = Seed::of_this_process();
        match self {
            Names::Words(words) if words.index.seed() != seed => *words = words.rekeyed(seed),
            Names::Runs(index) if index.seed() != seed => *index = Index::from_keys(seed, index.keys().to_vec(), 1),
            _ => {}
        }
    }
}

#[derive(Clone)]
pub struct Block {
    pub kind: Kind,
    pub names: Names,
    pub rows: Rows,
}

impl Block {
    pub fn new(kind: Kind, n_classes: usize) -> Self {
        let names = match kind {
            Kind::Runs(_) => Names::Runs(Index::new(Seed::of_this_process())),
            _ => Names::Words(Words::default()),
        };
        Block { kind, names, rows: Rows::new(n_classes) }
    }

    /// How many features have a name, seen or not.
    pub fn len(&self) -> usize {
        match &self.names {
            Names::Words(words) => words.index.len(),
            Names::Runs(index) => index.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn words(&self) -> &Words {
        match &self.names {
            Names::Words(words) => words,
            Names::Runs(_) => unreachable!("asked of blocks of words only"),
        }
    }

    pub fn runs(&self) -> &Index<u64> {
        match &self.names {
            Names::Runs(index) => index,
            Names::Words(_) => unreachable!("asked of blocks of runs only"),
        }
    }
}

/// Where each feature of some counts is in others, by block.
pub type Places = Vec<Vec<u32>>;

#[derive(Clone)]
pub struct Counts {
    pub blocks: Vec<Block>,
    /// Documents of each class.
    pub documents: Vec<u64>,
    /// Whether a document may be in several classes; then class 0 is that of all documents. See `overlapping.rs`.
    pub is_overlapping: bool,
}

/// Features and where they were seen, feature by feature: an inverted index where each document is a class.
#[derive(Default)]
pub struct Postings {
    pub names: Vec<String>,
    /// Where the classes of each feature end among `classes`.
    pub ends: Vec<u64>,
    pub classes: Vec<u32>,
    /// How often the feature was seen in that class.
    pub occurrences: Vec<u32>,
}

impl Counts {
    pub fn new(kinds: &[Kind], n_classes: usize) -> Self {
        let blocks = kinds.iter().map(|&kind| Block::new(kind, n_classes)).collect();
        Counts { blocks, documents: vec![0; n_classes], is_overlapping: false }
    }

    pub fn n_classes(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.iter().all(|&n| n == 0) && self.blocks.iter().all(|block| block.rows.live == 0)
    }

    /// The text of a feature: a word, or the words of a run with spaces between them.
    pub fn name(&self, block: usize, id: u32) -> String {
        let mut bytes = vec![];
        self.write_name(block, id, &mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn write_name(&self, block: usize, id: u32, bytes: &mut Vec<u8>) {
        match &self.blocks[block].names {
            Names::Words(words) => bytes.extend(words.name(id)),
            Names::Runs(index) => {
                let key = index.key(id);
                self.write_name(block - 1, (key >> 32) as u32, bytes);
                bytes.push(b' ');
                bytes.extend(self.blocks[0].words().name(key as u32));
            }
        }
    }

    /// The id of a feature by its text; [`UNKNOWN`] where there is none.
    pub fn find(&self, block: usize, name: &str) -> u32 {
        match &self.blocks[block].names {
            Names::Words(words) => words.find_one(name.as_bytes()),
            Names::Runs(index) => {
                let Some((left, right)) = name.rsplit_once(' ') else { return UNKNOWN };
                match (self.find(block - 1, left), self.find(0, right)) {
                    (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
                    (left, right) => index.find(pair(left, right)),
                }
            }
        }
    }

    /// Adds what `other` has counted; the classes of both are the same. Nothing changes where a count would not fit.
    pub fn add(&mut self, other: &Counts) -> Result<(), Error> {
        self.check_room(other)?;
        if self.is_empty() && self.blocks.iter().all(Block::is_empty) {
            *self = other.clone();
            return Ok(());
        }
        self.absorb(other);
        Ok(())
    }

    /// Adds `other` without asking whether it fits, and says where its features are now.
    pub fn absorb(&mut self, other: &Counts) -> Places {
        // What is learned may have been made to collide under the seed that everybody knows.
        self.blocks.iter_mut().for_each(|block| block.names.rekey());
        let mut places: Places = vec![];
        for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
            let map: Vec<u32> = match (&mut block.names, &theirs.names) {
                (Names::Words(words), Names::Words(others)) => {
                    (0..others.index.len() as u32).map(|id| words.adopt(others, id)).collect()
                }
                (Names::Runs(index), Names::Runs(others)) => {
                    let (left, words) = (places.last().expect("words come first"), &places[0]);
                    index.reserve(index.len().max(others.len()));
                    let translate = |key: u64| pair(left[(key >> 32) as usize], words[key as u32 as usize]);
                    others.keys().iter().map(|&key| index.intern(translate(key))).collect()
                }
                _ => unreachable!("both have the same blocks"),
            };
            for (id, &place) in map.iter().enumerate() {
                theirs.rows.get(id as u32).iter().for_each(|cell| block.rows.add(place, *cell));
            }
            places.push(map);
        }
        self.documents.iter_mut().zip(&other.documents).for_each(|(n, more)| *n += more);
        places
    }

    /// Takes away what `other` has counted. Nothing changes where any of it was never added.
    pub fn subtract(&mut self, other: &Counts) -> Result<(), Error> {
        let places = self.locate(other);
        for (at, (block, theirs)) in self.blocks.iter().zip(&other.blocks).enumerate() {
            for (id, &place) in places[at].iter().enumerate() {
                for cell in theirs.rows.get(id as u32).iter().filter(|cell| !cell.is_zero()) {
                    let known = find_cell(block.rows.get(place), cell.class);
                    if !known.has_had(*cell) {
                        let feature = format!("{:?}", other.name(at, id as u32));
                        return Err(Error::NeverAdded { feature, class: cell.class as usize });
                    }
                }
            }
        }
        if let Some(class) = (0..self.n_classes()).find(|&c| self.documents[c] < other.documents[c]) {
            return Err(Error::NeverAdded { feature: "a document".into(), class });
        }
        if let Some(class) = (0..self.n_classes()).find(|&class| self.has_left_over(other, class)) {
            return Err(Error::LeftOver { class });
        }
        if self.is_overlapping {
            self.check_overlap(other, &places)?;
        }
        self.blocks.iter_mut().for_each(|block| block.names.rekey());
        for (at, theirs) in other.blocks.iter().enumerate() {
            for (id, &place) in places[at].iter().enumerate() {
                let rows = &mut self.blocks[at].rows;
                theirs.rows.get(id as u32).iter().filter(|c| !c.is_zero()).for_each(|c| rows.subtract(place, *c));
            }
        }
        self.documents.iter_mut().zip(&other.documents).for_each(|(n, less)| *n -= less);
        Ok(())
    }

    /// Whether a class would have words left but no documents, if `other` were taken away.
    fn has_left_over(&self, other: &Counts, class: usize) -> bool {
        let is_last = other.documents[class] > 0 && self.documents[class] == other.documents[class];
        is_last
            && self
                .blocks
                .iter()
                .zip(&other.blocks)
                .any(|(block, theirs)| block.rows.sums[class].occurrences != theirs.rows.sums[class].occurrences)
    }

    /// Whether `other` can be added or taken away in a time that depends on `other` alone: nothing that lies in a file has to
    /// be copied first, and no index has to grow.
    pub fn is_ready_for(&self, other: &Counts) -> bool {
        self.blocks.iter().zip(&other.blocks).all(|(block, theirs)| {
            block.rows.is_open() && block.names.is_keyed_here() && block.names.has_room_for(theirs.len())
        })
    }

    /// How many cells there are to add or to take away, about.
    pub fn size(&self) -> usize {
        self.blocks.iter().map(Block::len).sum()
    }

    /// Where the features of `other` are here; [`UNKNOWN`] for those that are not.
    fn locate(&self, other: &Counts) -> Places {
        let mut places: Places = vec![];
        for (block, theirs) in self.blocks.iter().zip(&other.blocks) {
            let map: Vec<u32> = match (&block.names, &theirs.names) {
                (Names::Words(words), Names::Words(others)) => {
                    (0..others.index.len() as u32).map(|id| words.find_one(&others.name(id))).collect()
                }
                (Names::Runs(index), Names::Runs(others)) => {
                    let (left, words) = (places.last().expect("words come first"), &places[0]);
                    let find = |&key: &u64| match (left[(key >> 32) as usize], words[key as u32 as usize]) {
                        (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
                        (left, right) => index.find(pair(left, right)),
                    };
                    others.keys().iter().map(find).collect()
                }
                _ => unreachable!("both have the same blocks"),
            };
            places.push(map);
        }
        places
    }

    fn check_room(&self, other: &Counts) -> Result<(), Error> {
        let blocks = self.blocks.iter().zip(&other.blocks);
        check_cells(blocks.map(|(block, theirs)| (block.rows.n_places(), theirs.rows.n_places())))?;
        let fits = |(block, theirs): (&Block, &Block)| {
            // A cell is never more than its class; only a class beyond 32 bits needs its cells looked at.
            let sums = block.rows.sums.iter().zip(&theirs.rows.sums).zip(&self.documents).zip(&other.documents);
            sums.into_iter().all(|(((a, b), c), d)| {
                a.occurrences + b.occurrences <= u64::from(u32::MAX) && c + d <= u64::from(u32::MAX)
            })
        };
        if self.blocks.iter().zip(&other.blocks).all(fits) {
            return Ok(());
        }
        let places = self.locate(other);
        for (at, (block, theirs)) in self.blocks.iter().zip(&other.blocks).enumerate() {
            for (id, &place) in places[at].iter().enumerate() {
                for cell in theirs.rows.get(id as u32) {
                    let known = find_cell(block.rows.get(place), cell.class);
                    if known.occurrences.checked_add(cell.occurrences).is_none()
                        || known.documents.checked_add(cell.documents).is_none()
                    {
                        let feature = format!("{:?}", other.name(at, id as u32));
                        return Err(Error::TooMany { feature, class: cell.class as usize });
                    }
                }
            }
        }
        Ok(())
    }

    /// Class `c` becomes class `to[c]`, one of `n_classes`; one that becomes [`UNKNOWN`] has nothing left and is dropped.
    pub fn renumber(&mut self, to: &[u32], n_classes: usize) {
        let mut documents = vec![0; n_classes];
        for (n, &class) in self.documents.iter().zip(to).filter(|(_, class)| **class != UNKNOWN) {
            documents[class as usize] = *n;
        }
        self.documents = documents;
        self.blocks.iter_mut().for_each(|block| block.rows.renumber(to, n_classes));
    }

    /// Every feature that is counted, by block and name, and the classes that have it.
    pub fn postings(&self) -> Postings {
        let mut postings = Postings::default();
        for (at, block) in self.blocks.iter().enumerate() {
            let live = (0..block.rows.len() as u32).filter(|&id| block.rows.is_live(id));
            let mut named: Vec<(String, u32)> = live.map(|id| (self.name(at, id), id)).collect();
            named.sort_unstable();
            for (name, id) in named {
                for cell in block.rows.get(id).iter().filter(|cell| !cell.is_zero()) {
                    postings.classes.push(cell.class);
                    postings.occurrences.push(cell.occurrences);
                }
                postings.names.push(name);
                postings.ends.push(postings.classes.len() as u64);
            }
        }
        postings
    }

    /// These counts with the features that `keep` accepts, in the order of a file, keyed by `seed`. With the seed of files the same
    /// counts give the same arrays, in whatever order they were learned.
    pub fn settled(&self, keep: impl Fn(usize, u32) -> bool, seed: Seed) -> Counts {
        let (wanted, kept) = self.kept(keep);
        let mut blocks: Vec<Block> = vec![];
        let mut places: Places = vec![];
        for ((block, kept), wanted) in self.blocks.iter().zip(&kept).zip(&wanted) {
            let some = (0..block.len() as u32).filter(|&id| kept[id as usize]);
            let (ids, names) = match &block.names {
                Names::Words(words) => {
                    let ids = words.in_file_order(some);
                    let names = Names::Words(words.picked(&ids, seed));
                    (ids, names)
                }
                Names::Runs(index) => {
                    let (left, words) = (places.last().expect("words come first"), &places[0]);
                    let key = |id: u32| {
                        let key = index.key(id);
                        pair(left[(key >> 32) as usize], words[key as u32 as usize])
                    };
                    let (ids, keys) = Index::in_file_order(some, key);
                    (ids, Names::Runs(Index::for_seed(seed, keys)))
                }
            };
            let mut place = vec![UNKNOWN; block.len()];
            ids.iter().enumerate().for_each(|(at, &id)| place[id as usize] = at as u32);
            blocks.push(Block { kind: block.kind, names, rows: block.rows.pack(&ids, |id| wanted[id as usize]) });
            places.push(place);
        }
        Counts { blocks, documents: self.documents.clone(), is_overlapping: self.is_overlapping }
    }

    /// These counts with other documents: so many of each class, and of each feature those that `other` has, which was counted from
    /// the same features in the same classes. None where it was not.
    pub fn with_documents(&self, documents: Vec<u64>, other: &Counts) -> Option<Counts> {
        let [mut counts, other] = [self, other].map(|counts| counts.settled(|_, _| true, Seed::of_this_process()));
        let is_alike = documents.len() == counts.n_classes()
            && other.blocks.len() == counts.blocks.len()
            && counts
                .blocks
                .iter_mut()
                .zip(&other.blocks)
                .all(|(block, theirs)| block.rows.take_documents(&theirs.rows));
        counts.documents = documents;
        is_alike.then_some(counts)
    }

    /// Which features are wanted and have been seen, and which of the others name one of these.
    fn kept(&self, keep: impl Fn(usize, u32) -> bool) -> (Vec<Vec<bool>>, Vec<Vec<bool>>) {
        let choose = |at: usize, block: &Block| -> Vec<bool> {
            (0..block.len() as u32).map(|id| block.rows.is_live(id) && keep(at, id)).collect()
        };
        let wanted: Vec<Vec<bool>> = self.blocks.iter().enumerate().map(|(at, block)| choose(at, block)).collect();
        let mut kept = wanted.clone();
        for at in (1..self.blocks.len()).rev() {
            if let Names::Runs(index) = &self.blocks[at].names {
                for (id, &key) in index.keys().iter().enumerate() {
                    if !kept[at][id] {
                        continue;
                    }
                    kept[at - 1][(key >> 32) as usize] = true;
                    kept[0][key as u32 as usize] = true;
                }
            }
        }
        (wanted, kept)
    }
}

/// That the cells of each block and those that are added to them can be numbered.
fn check_cells(mut places: impl Iterator<Item = (u64, u64)>) -> Result<(), Error> {
    if places.all(|(ours, theirs)| ours + theirs <= MOST_CELLS) {
        return Ok(());
    }
    Err(Error::TooLarge { cells: MOST_CELLS })
}

/// The cell of `class` in a row; an empty one where there is none.
#[inline(always)]
pub fn find_cell(row: &[Cell], class: u32) -> Cell {
    match row.binary_search_by_key(&class, |cell| cell.class) {
        Ok(at) => row[at],
        Err(_) => Cell { class, documents: 0, occurrences: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::Analyzer;

    #[test]
    fn documents_can_be_those_of_other_counts_of_the_same_features() {
        let analyzer = Analyzer::new(Settings::default()).expect("usual settings");
        let counted = |texts: &[&str]| {
            let batch = Batch { texts, classes: &vec![0; texts.len()], weights: None, n_classes: 1 };
            count(&analyzer, batch, 1, &|| false).expect("counted")
        };
        let (often, once) = (counted(&["so so so", "happy happy"]), counted(&["so happy"]));
        let counts = often.with_documents(vec![7], &once).expect("the same words");
        let cell = |name: &str| counts.blocks[0].rows.get(counts.find(0, name))[0];
        assert_eq!((cell("so").documents, cell("so").occurrences, cell("happy").occurrences), (1, 3, 2));
        assert_eq!((counts.documents[0], counts.blocks[0].rows.sums[0].documents), (7, 2));
        assert!(often.with_documents(vec![1], &counted(&["so"])).is_none());
        assert!(once.with_documents(vec![2], &counted(&["so happy", "so happy"])).is_none());
    }

    #[test]
    fn more_cells_than_can_be_numbered_are_refused() {
        assert_eq!(check_cells([(3, 4), (MOST_CELLS - 1, 1)].into_iter()), Ok(()));
        assert_eq!(check_cells([(3, 4), (MOST_CELLS, 1)].into_iter()), Err(Error::TooLarge { cells: MOST_CELLS }));
    }
}
