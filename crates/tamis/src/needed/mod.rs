//! Which features are needed, given all the others: a small set, sampled.
//!
//! | file | holds |
//! | --- | --- |
//! | `target.rs` | any target as working responses |
//! | `projection.rs` | columns and responses without covariates and blocks |
//! | `gate.rs` | whether any column is related to the target at all |
//! | `eigenbasis.rs`, `column_blocks.rs` | one eigen-decomposition, of rows or of columns |
//! | `model.rs`, `kept_columns.rs` | grids, priors, and inner products |
//! | `evidence.rs` | the evidence of every share of the background and every variance, given the set |
//! | `flips.rs` | the odds of every column, given the rest of the set |
//! | `sampler.rs` | chains of sets |
//! | `findings.rs` | sets of interchangeable columns |
//! | `plot_data.rs` | chains, correlations and components for plots |
//! | `component_scores.rs` | the scores of samples on components |
//! | `method.rs` | the method: its parameters, and its answer |

mod column_blocks;
mod component_scores;
mod eigenbasis;
mod evidence;
mod findings;
mod flips;
mod gate;
mod kept_columns;
mod method;
mod model;
mod plot_data;
mod projection;
mod sampler;
mod target;

#[cfg(test)]
mod fixture_tests;

pub use component_scores::ComponentScores;
pub use method::{Needed, Selects};
