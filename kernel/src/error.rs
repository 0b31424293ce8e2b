//! What can go wrong in the kernel.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A setting that no analyzer or likelihood has.
    Settings(String),
    /// Counts that would become negative: something is removed that was never added.
    NeverAdded { feature: String, class: usize },
    /// A class that would have no documents left, but words: what is removed was not what was added.
    LeftOver { class: usize },
    /// More cells than a table of counts can have.
    TooLarge { cells: u64 },
    /// Counts that would not fit.
    TooMany { feature: String, class: usize },
    /// The work was interrupted from outside; nothing has changed.
    Interrupted,
    /// Arrays that are not those of a model.
    Damaged(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Settings(what) | Error::Damaged(what) => f.write_str(what),
            Error::NeverAdded { feature, .. } => write!(f, "{feature} was never added that often"),
            Error::LeftOver { .. } => f.write_str("these were never all the documents: words of others would be left"),
            Error::TooLarge { cells } => {
                write!(f, "a feature in a class is a cell, and there would be more than {cells} of them: prune first")
            }
            Error::TooMany { feature, .. } => write!(f, "{feature} would be counted more than {} times", u32::MAX),
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}
