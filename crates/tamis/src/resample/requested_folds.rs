//! The folds that a user asks for, and the words that describe them.

use super::folds::{self, Plan};
use crate::base::{Error, Result};
use crate::table::{Categories, View};

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
    pub fn plan(self, view: &View, groups: Option<&Categories>, seed: u64) -> Result<(Plan, String)> {
        let groups = groups.or(view.blocks().map(|(_, blocks)| blocks));
        Ok(match (self, groups) {
            (RequestedFolds::Count { repeats: 0, .. }, _) => {
                return Err(Error::parameter("repeats", 0, "it takes a whole number of at least 1"));
            }
            (RequestedFolds::LeaveOneOut, Some(groups)) => {
                (folds::leave_one_group_out(view, groups.codes())?, "one group left out at a time".into())
            }
            (RequestedFolds::LeaveOneOut, None) => (folds::leave_one_out(view)?, "one row left out at a time".into()),
            (RequestedFolds::Count { folds, repeats }, Some(groups)) => (
                folds::grouped(view, groups.codes(), folds, repeats, seed)?,
                format!("{folds} folds that keep groups together{}", times(repeats)),
            ),
            (RequestedFolds::Count { folds, repeats }, None) => {
                (folds::stratified(view, folds, repeats, seed)?, format!("{folds} stratified folds{}", times(repeats)))
            }
        })
    }
}

fn times(repeats: usize) -> String {
    if repeats > 1 { format!(", drawn {repeats} times") } else { String::new() }
}
