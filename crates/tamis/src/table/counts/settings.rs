//! How counts are made comparable.

use crate::base::parameter::{name_of, named};
use crate::base::{Error, OptionName, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How counts are made comparable between rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Normalize {
    /// Features are used as they are.
    #[default]
    None,
    /// Log₂ counts per million of the row's library size.
    LogCpm,
    /// Log₂ counts per million of the library size times the row's TMM factor (Robinson & Oshlack 2010).
    Tmm,
    /// The same with a precision for every value, by how the variance of counts follows their mean (Law and others 2014).
    Voom,
}

impl Normalize {
    /// Every way with the name users type.
    pub(super) const ALL: [(&'static str, Normalize); 4] =
        [("none", Normalize::None), ("logcpm", Normalize::LogCpm), ("tmm", Normalize::Tmm), ("voom", Normalize::Voom)];

    /// Whether features become log counts per million.
    pub fn gives_log_counts(self) -> bool {
        self != Normalize::None
    }
}

impl FromStr for Normalize {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        named(&Self::ALL, "normalisation", text)
    }
}

impl fmt::Display for Normalize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Self::ALL, self))
    }
}

/// How a table of counts is prepared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountSettings {
    /// How counts are made comparable between rows.
    pub normalize: Normalize,
    /// A feature is used if enough rows have at least this count, in a library of median size: as many rows as the
    /// smallest class has, or one over the largest leverage of the design. 0 uses every feature.
    pub min_count: f64,
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
}
