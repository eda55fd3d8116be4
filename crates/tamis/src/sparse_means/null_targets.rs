//! Where null targets come from.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where null targets come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NullTargets {
    /// Drawn by rows beyond 2,000 of them, and where rows are not all at hand; else permuted.
    #[default]
    Auto,
    /// The rows' own targets in another order.
    Permuted,
    /// Each row draws by itself, from the target's distribution and its own cells: the same bits however the table is cut.
    Rows,
}

impl fmt::Display for NullTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NullTargets::Auto => "auto",
            NullTargets::Permuted => "permuted",
            NullTargets::Rows => "rows",
        })
    }
}
