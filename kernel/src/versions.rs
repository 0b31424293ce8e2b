//! Counts that change while others read them: a reader that has taken a version keeps it, whole, and waits for nobody.
//!
//! The naive way is a lock: whoever reads a long text keeps the one who learns waiting, who keeps all other readers waiting.
//! Here a reader takes an [`Arc`] of the current version. A change is made in place where nobody has it; else in a spare copy,
//! which lags behind by the changes since it was set aside, and which then is the current one. The old one is the spare: so
//! counts that are read and changed all the time are there twice, and are copied once, not at every change.

use std::mem::replace;
use std::sync::Arc;

use crate::counts::Counts;
use crate::error::Error;

/// A change of more features than this is made in a copy: in place it would take more than a few hundred microseconds.
const SMALL: usize = 4 << 10;
/// A spare that has missed more changes is let go: nobody seems to read for long any more.
const MOST_MISSED: usize = 256;

/// Counts at one moment.
#[derive(Clone)]
pub struct Version {
    pub counts: Counts,
    /// Goes up with every change.
    pub number: u64,
}

/// What is added or taken away.
#[derive(Clone)]
pub enum Change {
    Add(Arc<Version>),
    Subtract(Arc<Version>),
}

impl Change {
    fn other(&self) -> &Counts {
        let (Change::Add(other) | Change::Subtract(other)) = self;
        &other.counts
    }

    /// Where it does not succeed nothing has changed.
    fn apply(&self, version: &mut Version) -> Result<(), Error> {
        match self {
            Change::Add(other) => version.counts.add(&other.counts)?,
            Change::Subtract(other) => version.counts.subtract(&other.counts)?,
        }
        version.number += 1;
        Ok(())
    }
}

/// The current version, and one that has missed some changes.
pub struct Versions {
    current: Arc<Version>,
    spare: Option<(Arc<Version>, Vec<Change>)>,
}

impl Versions {
    pub fn new(counts: Counts) -> Self {
        Versions::of(Arc::new(Version { counts, number: 0 }))
    }

    /// Versions that begin with one that others may have too.
    pub fn of(current: Arc<Version>) -> Self {
        Versions { current, spare: None }
    }

    pub fn current(&self) -> &Arc<Version> {
        &self.current
    }

    /// Makes a change where that takes microseconds; None where it takes a [`copy`](changed_copy) first.
    pub fn change(&mut self, change: &Change) -> Option<Result<(), Error>> {
        if change.other().size() > SMALL || !self.current.counts.is_ready_for(change.other()) {
            return None;
        }
        if let Some(current) = Arc::get_mut(&mut self.current) {
            let result = change.apply(current);
            if result.is_ok() {
                self.note(change);
            }
            return Some(result);
        }
        let (spare, missed) = self.spare.as_mut()?;
        let ready = Arc::get_mut(spare).filter(|spare| spare.counts.is_ready_for(change.other()))?;
        for change in missed.drain(..) {
            change.apply(ready).expect("it could be applied to the other, which was the same");
        }
        let result = change.apply(ready);
        if result.is_ok() {
            *missed = vec![change.clone()];
            std::mem::swap(&mut self.current, spare);
        }
        Some(result)
    }

    /// Makes a change of any size in place, while nobody else reads.
    pub fn change_alone(&mut self, change: &Change) -> Result<(), Error> {
        self.spare = None;
        change.apply(Arc::make_mut(&mut self.current))
    }

    /// Class `c` becomes class `to[c]`, one of `n_classes`, while nobody else reads.
    pub fn renumber(&mut self, to: &[u32], n_classes: usize) {
        self.spare = None;
        let current = Arc::make_mut(&mut self.current);
        current.counts.renumber(to, n_classes);
        current.number += 1;
    }

    /// Takes note of what the spare has missed.
    fn note(&mut self, change: &Change) {
        if let Some((_, missed)) = &mut self.spare {
            missed.push(change.clone());
            if missed.len() > MOST_MISSED {
                self.spare = None;
            }
        }
    }

    /// Makes `changed`, which was made of a copy of version `number`, the current one; gives it back where there is another by
    /// now. What is no longer needed is given back, too: letting go of it takes time.
    pub fn replace(&mut self, changed: Version, number: u64, change: Option<&Change>) -> Result<Released, Version> {
        if self.current.number != number {
            return Err(changed);
        }
        let old = replace(&mut self.current, Arc::new(changed));
        let small = change.filter(|change| change.other().size() <= SMALL && old.counts.is_ready_for(change.other()));
        let spare = small.map(|change| (old.clone(), vec![change.clone()]));
        Ok(Released(old, replace(&mut self.spare, spare)))
    }
}

/// Versions that nobody needs any more.
pub struct Released(#[allow(dead_code)] Arc<Version>, #[allow(dead_code)] Option<(Arc<Version>, Vec<Change>)>);

/// A copy with the change in it.
pub fn changed_copy(version: &Version, change: &Change) -> Result<Version, Error> {
    let mut copy = version.clone();
    change.apply(&mut copy)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::{Batch, count};
    use crate::text::{Analyzer, Settings};
    use crate::vocabulary::Seed;

    fn counted(text: &str, class: u32) -> Counts {
        let analyzer = Analyzer::new(Settings { ngrams: (1, 2), ..Settings::default() }).expect("sound settings");
        let batch = Batch { texts: &[text], classes: &[class], weights: None, n_classes: 2 };
        count(&analyzer, batch, 1, &|| false).expect("counted")
    }

    fn version(text: &str, class: u32) -> Arc<Version> {
        Arc::new(Version { counts: counted(text, class), number: 0 })
    }

    type Arrays = Vec<(String, Vec<u8>)>;

    /// All that a file would hold.
    fn bytes(counts: &Counts) -> Arrays {
        let mut all = vec![];
        let give = |name: String, bytes: &[u8]| {
            all.push((name, bytes.to_vec()));
            Ok::<(), ()>(())
        };
        counts.settled(|_, _| true, Seed::of_files()).hand_over(give).expect("nothing fails");
        all
    }

    fn change(versions: &mut Versions, change: &Change) {
        match versions.change(change) {
            Some(result) => result.expect("it fits"),
            None => {
                let before = versions.current().clone();
                let copy = changed_copy(&before, change).expect("it fits");
                assert!(versions.replace(copy, before.number, Some(change)).is_ok());
            }
        }
    }

    #[test]
    fn a_version_that_was_taken_stays_as_it_is_and_the_current_one_has_every_change() {
        let texts = ["a b c", "b c d e", "incomprehensibly long words", "a", "c d c d", "x y z a b"];
        let (mut versions, mut plain) = (Versions::new(counted("a b", 0)), counted("a b", 0));
        let mut taken: Vec<(Arc<Version>, Arrays)> = vec![];
        for (step, text) in texts.iter().cycle().take(60).enumerate() {
            let other = version(text, step as u32 % 2);
            let next = if step % 5 == 4 {
                Change::Subtract(version(texts[step % 6 - step % 6 % 2], 0))
            } else {
                Change::Add(other)
            };
            let expected = match &next {
                Change::Add(other) => plain.add(&other.counts),
                Change::Subtract(other) => plain.subtract(&other.counts),
            };
            match expected {
                Ok(()) => change(&mut versions, &next),
                Err(_) => assert!(versions.change(&next).is_none_or(|result| result.is_err())),
            }
            assert!(bytes(&versions.current().counts) == bytes(&plain));
            // Readers come and go: some for one step, some for several.
            if step % 3 == 0 {
                taken.push((versions.current().clone(), bytes(&plain)));
            }
            if step % 7 == 6 {
                taken.drain(..taken.len() / 2);
            }
            assert!(taken.iter().all(|(version, expected)| bytes(&version.counts) == *expected));
        }
    }

    #[test]
    fn counts_that_are_read_all_the_time_are_copied_once() {
        let mut versions = Versions::new(counted("a b c", 0));
        let mut copies = 0;
        for step in 0..50u32 {
            let reader = versions.current().clone();
            let next = Change::Add(version("a b", step % 2));
            if versions.change(&next).is_none() {
                copies += 1;
                let copy = changed_copy(&reader, &next).expect("it fits");
                assert!(versions.replace(copy, reader.number, Some(&next)).is_ok());
            }
        }
        assert_eq!((copies, versions.current().number), (1, 50));
    }

    #[test]
    fn two_that_begin_with_the_same_version_change_on_their_own() {
        let mut first = Versions::new(counted("a b c", 0));
        let mut second = Versions::of(first.current().clone());
        let before = bytes(&first.current().counts);
        change(&mut first, &Change::Add(version("a", 1)));
        assert!(bytes(&second.current().counts) == before);
        second.change_alone(&Change::Add(version("d e", 0))).expect("it fits");
        let mut expected = counted("a b c", 0);
        expected.add(&counted("a", 1)).expect("it fits");
        assert!(bytes(&first.current().counts) == bytes(&expected));
    }

    #[test]
    fn a_copy_of_another_version_is_given_back() {
        let mut versions = Versions::new(counted("a b c", 0));
        let before = versions.current().clone();
        let next = Change::Add(version("a", 1));
        let copy = || changed_copy(&before, &next).expect("it fits");
        assert!(versions.replace(copy(), before.number, Some(&next)).is_ok());
        assert!(versions.replace(copy(), before.number, Some(&next)).is_err());
        assert_eq!(versions.current().number, 1);
    }

    #[test]
    fn sums_that_are_kept_equal_sums_of_all_cells() {
        let mut versions = Versions::new(counted("a b c a", 0));
        for (step, text) in ["a b", "c d e", "a b", "f"].iter().enumerate() {
            change(&mut versions, &Change::Add(version(text, step as u32 % 2)));
            change(&mut versions, &Change::Add(version("gone soon", 1)));
            change(&mut versions, &Change::Subtract(version("gone soon", 1)));
            for block in &versions.current().counts.blocks {
                let ids: Vec<u32> = (0..block.len() as u32).collect();
                assert_eq!(block.rows.sums, block.rows.pack(&ids, |_| true).sums);
            }
        }
    }
}
