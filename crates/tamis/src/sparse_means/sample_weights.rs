//! Whether samples are weighted by how precise they are.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether samples are weighted by how precise they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SampleWeights {
    /// No; a note names samples that disagree with the others.
    #[default]
    None,
    /// Estimated from the residuals of all features (limma's `arrayWeights`).
    Auto,
}

impl fmt::Display for SampleWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SampleWeights::None => "none",
            SampleWeights::Auto => "auto",
        })
    }
}
