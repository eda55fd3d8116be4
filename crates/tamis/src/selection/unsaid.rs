//! Why a number is not given.

use serde::{Deserialize, Serialize};

/// Why an interval says nothing and is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unsaid {
    /// The gate is shut: nothing shows that any feature differs.
    GateShut,
    /// Its upper end is more than ten times its lower one.
    TooWide,
}
