//! Null targets that each row draws by itself: for tables in shards and pieces, and for many rows.
//!
//! | file | holds |
//! | --- | --- |
//! | `row_key` | 64 bits of a row's own cells |
//! | `target_sketch`, `plan` | the profile of the target, and what all pieces share |
//! | `draws` | null targets from seed, number and key |
//! | `digits`, `exact` | sums with the same bits in any order |
//! | `context_sums`, `sums`, `repeated_rows` | the sums of rows |
//! | `of_view` | the sums of a table in memory |
//! | `observed`, `null_scores` | scores of the real target, and of the null targets |

mod context_sums;
mod digits;
mod draws;
mod exact;
mod null_scores;
mod observed;
mod of_view;
mod plan;
mod repeated_rows;
mod row_key;
mod sums;
mod target_sketch;
#[cfg(test)]
mod tests;

pub(crate) use context_sums::ContextSums;
pub(crate) use digits::KEPT;
pub(crate) use exact::Exact;
pub(crate) use null_scores::RowScores;
pub(crate) use of_view::{MOST_COPIES, most_copies, weighing};
pub(crate) use plan::{FEWEST_ROWS, OTHER_PROFILE, Plan, PlannedCovariate, PlannedTarget};
pub(crate) use repeated_rows::RepeatedRows;
pub(crate) use row_key::ColumnKey;
pub(crate) use sums::{
    FeatureSums, GroupSums, Mixed, NullProducts, NumberSums, RowSums, Rows, SomeRows, Values, add_feature_keys,
};
pub(crate) use target_sketch::TargetSketch;
