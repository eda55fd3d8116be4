//! Counts, of sequencing reads for instance: from counts to log₂ counts per million.
//!
//! A row is a sample, a column a feature. The *library size* of a row is the sum of its counts. It depends on how deeply
//! the sample was sequenced, so counts are compared after dividing by it.
//!
//! | file | holds |
//! | --- | --- |
//! | `checked_counts.rs` | the counts of some rows, checked; library sizes |
//! | `enough_counts.rs` | the features with enough counts to be compared |
//! | `tmm.rs` | factors of library sizes: the trimmed mean of M values |
//! | `log_cpm.rs` | the logarithm of counts per million |
//! | `normaliser.rs` | everything that is learned from training rows and applied to others |
//! | `looks_like_counts.rs` | the note on a table that seems to hold counts |

mod checked_counts;
mod enough_counts;
mod log_cpm;
mod looks_like_counts;
mod normaliser;
mod tmm;

pub use looks_like_counts::looks_like_counts;
pub use normaliser::CountNormaliser;

use crate::base::{Error, OptionName, Result};
use crate::table::View;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How counts are made comparable between rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalize {
    /// Features are used as they are.
    #[default]
    None,
    /// Log₂ counts per million of the row's library size.
    LogCpm,
    /// Log₂ counts per million of the library size times the row's TMM factor (Robinson & Oshlack 2010).
    Tmm,
}

/// How a table of counts is prepared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountSettings {
    /// How counts are made comparable between rows.
    pub normalize: Normalize,
    /// A feature is used if enough rows have at least this count, in a library of median size: as many rows as the
    /// smallest class has. 0 uses every feature.
    pub min_count: f64,
}

impl Normalize {
    /// Every way with the name users type.
    const ALL: [(&'static str, Normalize); 3] =
        [("none", Normalize::None), ("logcpm", Normalize::LogCpm), ("tmm", Normalize::Tmm)];

    /// Whether features become log counts per million, whose variance depends on their mean: tests on them should let
    /// the prior variance follow a trend.
    pub fn gives_log_counts(self) -> bool {
        self != Normalize::None
    }
}

impl FromStr for Normalize {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, way)| *way).ok_or_else(|| Error::Unknown {
            kind: "normalisation",
            name: text.into(),
            known: Self::ALL.iter().map(|(name, _)| (*name).to_string()).collect(),
        })
    }
}

impl fmt::Display for Normalize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.iter().find(|(_, way)| way == self).map_or("", |(name, _)| name))
    }
}

impl Default for CountSettings {
    fn default() -> Self {
        CountSettings { normalize: Normalize::None, min_count: 10.0 }
    }
}

impl CountSettings {
    /// Refuses a `min_count` that is negative, infinite or not a number.
    pub fn validate(&self) -> Result<()> {
        if self.min_count >= 0.0 && self.min_count.is_finite() {
            return Ok(());
        }
        Err(Error::parameter(OptionName::MinCount, self.min_count, "it takes a number of at least 0"))
    }

    /// Learns from the rows of a view how counts are normalised; `None` with [`Normalize::None`].
    ///
    /// Cost: O(cells), and a sort of every row with [`Normalize::Tmm`].
    ///
    /// # Errors
    ///
    /// Features that are no counts (categories; values that are missing, negative or not whole), a row without any
    /// count above 0, no feature with enough counts, and a `min_count` that [`CountSettings::validate`] refuses.
    pub fn learn(&self, data: &View) -> Result<Option<CountNormaliser>> {
        self.validate()?;
        match self.normalize {
            Normalize::None => Ok(None),
            Normalize::LogCpm | Normalize::Tmm => CountNormaliser::learn(data, self).map(Some),
        }
    }
}

#[cfg(test)]
mod tests;
