//! Files of version 2, as the first release has written them.

use super::{BlockArrays, run_names};
use crate::array::Array;
use crate::counts::{Block, Kind, Names};
use crate::error::Error;
use crate::rows::{Row, Rows};
use crate::vocabulary::{Index, Words};

impl BlockArrays<'_> {
    /// A block; `blocks` are those before it.
    pub(super) fn read_earlier(&self, blocks: &[Block], n_classes: usize, threads: usize) -> Result<Block, Error> {
        let mut names = match self.kind {
            Kind::Runs(_) => Names::Runs(Index::unfilled(self.get("keys")?)),
            _ => {
                let (ids, ends, bytes) = (self.get("long_ids")?, self.get("long_ends")?, self.get("long_bytes")?);
                let words = Words::mapped(self.get("keys")?, ids, ends, bytes);
                Names::Words(words.ok_or_else(|| self.misfit())?)
            }
        };
        let totals: Array<u64> = self.get("totals")?;
        let (live, occurrences) = totals.split_last().ok_or_else(|| self.misfit())?;
        if occurrences.len() != n_classes {
            return Err(self.misfit());
        }
        // The first of them have the start of each row, too.
        let rows = if self.has("lengths") {
            Row::of_lengths(&self.get("lengths")?).ok_or_else(|| self.misfit())?.into()
        } else {
            self.get("rows")?
        };
        let rows = Rows::mapped(rows, self.get("cells")?, occurrences, *live, threads);
        let rows = rows.ok_or_else(|| self.contradiction())?;
        let is_named = match &mut names {
            Names::Words(words) => words.is_sound(threads),
            Names::Runs(index) => {
                let is_run = run_names(blocks);
                index.keys().iter().all(|&key| is_run(key)) && index.keys().is_sorted_by(|a, b| a < b)
            }
        };
        if !is_named {
            return Err(self.contradiction());
        }
        match &mut names {
            Names::Words(words) => words.fill(threads),
            Names::Runs(index) => {
                if !index.fill(threads) {
                    names.rekey();
                }
            }
        }
        let block = Block { kind: self.kind, names, rows };
        if block.rows.len() == block.len() { Ok(block) } else { Err(self.misfit()) }
    }
}
