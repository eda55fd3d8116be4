//! Relations of any kind between a feature and a target: its level, its shape, and pairs of features.
//!
//! Columns become levels, rows become bits. [`alone`] tests every feature by itself, [`together`] every pair; both are
//! repeated on permuted targets, and [`significance`] compares the two.

mod alone;
mod levels;
mod method;
mod moments;
mod null_targets;
mod packed_rows;
mod pair_kernel;
mod relations;
mod significance;
mod together;

#[cfg(test)]
mod fixture_tests;

pub use method::Dependence;
