//! The rule that selects features, given their probabilities.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which features are selected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Decide {
    /// For `prior=auto` the longest list of features that each matter more likely than not and of which together at most
    /// `fdr` are expected to be false; else `count`.
    Auto,
    /// The ⌊(1−w)K + ½⌋ features with the largest effects (SNBL §6).
    Count,
    /// Every feature that matters with more than this probability.
    Probability(f64),
    /// The largest set whose mean probability of being irrelevant is at most this.
    FalseDiscoveryRate(f64),
}

impl FromStr for Decide {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<f64>().map_err(|_| format!("`{text}` is not a number"));
        match text.split_once(':') {
            None if text == "auto" => Ok(Decide::Auto),
            None if text == "count" => Ok(Decide::Count),
            Some(("prob", p)) => Ok(Decide::Probability(number(p)?)),
            Some(("fdr", q)) => Ok(Decide::FalseDiscoveryRate(number(q)?)),
            _ => Err("it takes `auto`, `count`, `prob:P` or `fdr:Q`, for example `fdr:0.1`".into()),
        }
    }
}

impl fmt::Display for Decide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decide::Auto => write!(f, "auto"),
            Decide::Count => write!(f, "count"),
            Decide::Probability(p) => write!(f, "prob:{p}"),
            Decide::FalseDiscoveryRate(q) => write!(f, "fdr:{q}"),
        }
    }
}

impl TryFrom<String> for Decide {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Decide> for String {
    fn from(value: Decide) -> Self {
        value.to_string()
    }
}
