//! The folds that a user asks for, and the words that describe them.

use super::folds::{self, Plan};
use crate::base::{Error, Result};
use crate::table::View;

/// How rows are divided into folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestedFolds {
    /// So many folds, drawn anew so many times.
    Count {
        /// How many folds.
        folds: usize,
        /// How many times they are drawn.
        repeats: usize,
    },
    /// One row, or one group of rows, is tested at a time.
    LeaveOneOut,
}

impl RequestedFolds {
    /// The folds, and words that describe them. Rows of a group, or else of a block, stay together.
    ///
    /// # Errors
    ///
    /// More folds than rows of a class, or than groups, and no repeats.
    pub fn plan(self, view: &View, seed: u64) -> Result<(Plan, String)> {
        Ok(match (self, view.groups()) {
            (RequestedFolds::Count { repeats: 0, .. }, _) => {
                return Err(Error::parameter("repeats", 0, "it takes a whole number of at least 1"));
            }
            (RequestedFolds::LeaveOneOut, Some(groups)) => {
                (folds::leave_one_group_out(view, groups.codes())?, "one group left out at a time".into())
            }
            (RequestedFolds::LeaveOneOut, None) => (folds::leave_one_out(view)?, "one row left out at a time".into()),
            (RequestedFolds::Count { folds, repeats }, groups) => {
                let kind = if groups.is_some() { "folds that keep groups together" } else { "stratified folds" };
                (folds::drawn(view, folds, repeats, seed)?, format!("{folds} {kind}{}", times(repeats)))
            }
        })
    }
}

fn times(repeats: usize) -> String {
    if repeats > 1 { format!(", drawn {repeats} times") } else { String::new() }
}
