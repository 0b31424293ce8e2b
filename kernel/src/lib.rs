//! The kernel of banbury: text to tokens, tokens to counts, counts to scores.
//!
//! Everything here is plain Rust that `cargo test` runs; `python.rs` alone knows Python.
#![deny(unsafe_code)]

pub mod ageing;
pub mod array;
pub mod cells;
pub mod correction;
pub mod counting;
pub mod counts;
pub mod documents;
pub mod duplicates;
pub mod error;
pub mod files;
pub mod likelihoods;
pub mod overlapping;
pub mod processor;
pub mod readers;
pub mod regression;
pub mod rows;
pub mod scoring;
pub mod seen;
pub mod selection;
pub mod shards;
pub mod table;
pub mod text;
pub mod threads;
pub mod trust;
pub mod versions;
pub mod vocabulary;

#[cfg(feature = "python")]
mod python;
