//! What can go wrong in the kernel.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A setting that no analyzer or likelihood has.
    Settings(String),
    /// Counts that would become negative: something is removed that was never added.
    NeverAdded { feature: String, class: usize },
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
            Error::TooMany { feature, .. } => write!(f, "{feature} would be counted more than {} times", u32::MAX),
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}
