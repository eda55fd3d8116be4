//! NPFS: run a selector on many bootstraps of the rows, and test how often each feature is chosen.
//!
//! | file | holds |
//! | --- | --- |
//! | `method` | the method, its parameters and their ranges |
//! | `base`, `base_count` | the selectors that can be run on a bootstrap, and how many features they choose |
//! | `chosen_by_run` | the features chosen in every bootstrap, of the data and under permuted targets |
//! | `by_method`, `coded` | running a base: any selector; selectors that count information |
//! | `lanes`, `lane_counts`, `lane_tables` | many runs that count information at once |
//! | `packed_lanes`, `packed_words`, `sorted_rows` | such runs on few rows |
//! | `own_count` | runs that choose their number of features themselves |
//! | `null_model`, `binomial_test`, `permutation_test` | the test of the counts, one file per null hypothesis |
//! | [`count_significance`] | tails, critical values, adjusted p-values, consistency: numbers in, numbers out |
//! | `runs_to_selection` | from runs to a selection |
//! | `given_runs`, `given_matrix` | the test on runs of a selector from elsewhere |

pub mod count_significance;

mod base;
mod base_count;
mod binomial_test;
mod by_method;
mod chosen_by_run;
mod coded;
mod given_matrix;
mod given_runs;
mod lane_counts;
mod lane_tables;
mod lanes;
mod method;
mod null_model;
mod own_count;
mod packed_lanes;
mod packed_words;
mod permutation_test;
mod runs_to_selection;
mod sorted_rows;

pub use base::Base;
pub use base_count::BaseCount;
pub use coded::PartialRuns;
pub use count_significance::Adjust;
pub use given_matrix::{decide_matrix, matrix_test};
pub use lanes::choose;
pub use method::Npfs;
pub use null_model::NullModel;
