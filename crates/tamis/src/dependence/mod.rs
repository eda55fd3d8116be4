//! Relations of any kind between a feature and a target: its level, its shape, and pairs of features.
//!
//! Columns become levels, sets of rows become bits. `alone.rs` tests every feature by itself, `together.rs` every pair, both
//! in the data and on permuted targets; `significance.rs` compares these,
//! `chance_finds.rs` asks how much the same decision finds on permuted targets, and `relations.rs` decides.

mod alone;
mod chance_finds;
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
pub(crate) use method::shapes_dominate;
