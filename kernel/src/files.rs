//! Counts as a file holds them: arrays by name, which are read whole or refused.
//!
//! All that the arrays say of each other is looked at: their checksums tell damage, not malice.

mod earlier;

use std::sync::Arc;

use crate::array::{Array, Bytes};
use crate::counts::{Block, Counts, Kind, Names};
use crate::error::Error;
use crate::rows::RowArrays;
use crate::vocabulary::{Index, NameArrays};

/// What a file may say of how many documents there were: sums of such numbers fit into 64 bits.
const MOST_DOCUMENTS: u64 = 1 << 53;

/// Gives the bytes of an array by its name.
pub type Arrays<'a> = &'a dyn Fn(&str) -> Result<Arc<dyn Bytes>, Error>;

/// The arrays of one block of features.
struct BlockArrays<'a> {
    kind: Kind,
    arrays: Arrays<'a>,
}

impl BlockArrays<'_> {
    /// One of them.
    fn get<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(&self, part: &str) -> Result<Array<T>, Error> {
        typed(self.arrays, &format!("{}.{part}", self.kind.name()))
    }

    fn has(&self, part: &str) -> bool {
        (self.arrays)(&format!("{}.{part}", self.kind.name())).is_ok()
    }

    fn misfit(&self) -> Error {
        Error::Damaged(format!("the arrays of {} do not fit each other", self.kind.name()))
    }

    fn contradiction(&self) -> Error {
        Error::Damaged(format!("the arrays of {} contradict each other", self.kind.name()))
    }

    /// The block; `blocks` are those before it.
    fn read(&self, blocks: &[Block], n_classes: usize, threads: usize) -> Result<Block, Error> {
        let names = match self.kind {
            Kind::Runs(_) => {
                let is_named = run_names(blocks);
                Index::of_file(self.get("keys")?, is_named, threads).map(Names::Runs)
            }
            _ => {
                let (lengths, short) = (self.get("name_lengths")?, self.get("names")?);
                let arrays =
                    NameArrays { lengths, short, long_ends: self.get("long_ends")?, long: self.get("long_names")? };
                arrays.words(threads).map(Names::Words)
            }
        };
        let rows = RowArrays {
            lengths: self.get("row_lengths")?,
            large_lengths: self.get("large_rows")?,
            classes: self.get("classes")?,
            counts: self.get("counts")?,
            large_counts: self.get("large_counts")?,
        };
        let names = names.ok_or_else(|| self.contradiction())?;
        let rows = rows.rows(n_classes, threads).ok_or_else(|| self.contradiction())?;
        let block = Block { kind: self.kind, names, rows };
        if block.rows.len() == block.len() { Ok(block) } else { Err(self.misfit()) }
    }
}

/// Whether a key is that of a run of words, or of shorter runs, that there are; `blocks` are those before it.
fn run_names(blocks: &[Block]) -> impl Fn(u64) -> bool + Sync + use<> {
    let n_left = blocks.last().map_or(0, |block| block.len() as u64);
    let n_words = blocks.first().map_or(0, |block| block.len() as u64);
    move |key| key >> 32 < n_left && u64::from(key as u32) < n_words
}

fn typed<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(arrays: Arrays, name: &str) -> Result<Array<T>, Error> {
    Array::mapped(arrays(name)?).ok_or_else(|| Error::Damaged(format!("array {name:?} has a wrong length")))
}

impl Counts {
    /// The counts of the arrays of a file.
    pub fn mapped(kinds: &[Kind], arrays: Arrays, threads: usize) -> Result<Counts, Error> {
        let documents = typed::<u64>(arrays, "documents")?.to_vec();
        let n_documents = documents.iter().try_fold(0u64, |sum, &n| sum.checked_add(n));
        if n_documents.is_none_or(|n| n > MOST_DOCUMENTS) {
            return Err(Error::Damaged("it has more documents than can be counted".into()));
        }
        let mut blocks: Vec<Block> = vec![];
        for &kind in kinds {
            let block = BlockArrays { kind, arrays };
            // Files of version 2 have it, later ones do not.
            let is_earlier = block.has("cells");
            blocks.push(if is_earlier {
                block.read_earlier(&blocks, documents.len(), threads)?
            } else {
                block.read(&blocks, documents.len(), threads)?
            });
        }
        Ok(Counts { blocks, documents, is_overlapping: false })
    }

    /// Hands over the arrays of settled counts, by name, as a file holds them. Each block is let go before the next one comes:
    /// of a large model, whoever copies them needs room for one more of them, not for all.
    pub fn hand_over<E>(self, mut give: impl FnMut(String, &[u8]) -> Result<(), E>) -> Result<(), E> {
        give("documents".into(), bytemuck::cast_slice(&self.documents))?;
        for Block { kind, names, rows } in self.blocks {
            let mut give = |part: &str, bytes: &[u8]| give(format!("{}.{part}", kind.name()), bytes);
            match names {
                Names::Words(words) => {
                    let arrays = NameArrays::of(&words);
                    drop(words);
                    give("name_lengths", &arrays.lengths)?;
                    give("names", &arrays.short)?;
                    give("long_ends", arrays.long_ends.as_bytes())?;
                    give("long_names", &arrays.long)?;
                }
                Names::Runs(index) => give("keys", index.keys().as_bytes())?,
            }
            let arrays = RowArrays::of(&rows);
            drop(rows);
            give("row_lengths", &arrays.lengths)?;
            give("large_rows", arrays.large_lengths.as_bytes())?;
            give("classes", &arrays.classes)?;
            give("counts", &arrays.counts)?;
            give("large_counts", arrays.large_counts.as_bytes())?;
        }
        Ok(())
    }
}
