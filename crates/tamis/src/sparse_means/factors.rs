//! How many common factors of the features are taken out of a table before they are scored.

use crate::base::{Error, Result};
use serde::{Deserialize, Serialize};

/// The number of common factors of the features that are taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "NumberOrText", into = "NumberOrText")]
pub enum Factors {
    /// None.
    None,
    /// As many as parallel analysis finds.
    Auto,
    /// So many.
    Fixed(usize),
}

impl Factors {
    /// Refuses a number out of range.
    pub(super) fn validate(&self) -> Result<()> {
        match self {
            Factors::Fixed(n) if !(1..=100).contains(n) => {
                Err(Error::parameter("factors", n, "it takes `none`, `auto` or a whole number from 1 to 100"))
            }
            _ => Ok(()),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(usize),
    Text(String),
}

impl TryFrom<NumberOrText> for Factors {
    type Error = String;
    fn try_from(value: NumberOrText) -> Result<Self, String> {
        match value {
            NumberOrText::Number(n) => Ok(Factors::Fixed(n)),
            NumberOrText::Text(text) => match text.as_str() {
                "none" => Ok(Factors::None),
                "auto" => Ok(Factors::Auto),
                _ => Err("it takes `none`, `auto` or a whole number".into()),
            },
        }
    }
}

impl From<Factors> for NumberOrText {
    fn from(value: Factors) -> Self {
        match value {
            Factors::None => NumberOrText::Text("none".into()),
            Factors::Auto => NumberOrText::Text("auto".into()),
            Factors::Fixed(n) => NumberOrText::Number(n),
        }
    }
}
