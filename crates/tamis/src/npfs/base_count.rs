//! How many features the base chooses in a bootstrap.

use crate::base::{Note, Result};
use crate::selection::k::{few_features, none_chosen, too_large};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many features the base chooses in a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum BaseCount {
    /// 20, or half of the features if there are fewer than 40; `auto` in text.
    #[default]
    Auto,
    /// As many as its own permutations allow, anew in every bootstrap; `own` in text.
    Own,
    /// So many.
    Set(usize),
}

impl BaseCount {
    /// The number for a table in which `features` vary, with a note where there are few; `None` if the base chooses.
    pub(super) fn resolve(self, features: usize) -> Result<(Option<usize>, Option<Note>)> {
        const MOST: usize = 20;
        const FEW: usize = 10;
        match self {
            BaseCount::Own => Ok((None, None)),
            BaseCount::Set(0) => Err(none_chosen()),
            BaseCount::Set(k) if k >= features => Err(too_large(k, features)),
            BaseCount::Set(k) => Ok((Some(k), None)),
            BaseCount::Auto => {
                let k = (features / 2).clamp(1, MOST);
                Ok((Some(k), (features <= FEW).then(|| few_features(features, k))))
            }
        }
    }
}

impl Serialize for BaseCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            BaseCount::Auto => serializer.serialize_str("auto"),
            BaseCount::Own => serializer.serialize_str("own"),
            BaseCount::Set(k) => k.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for BaseCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Word {
            Auto,
            Own,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Word(Word),
            Number(usize),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Word(Word::Auto) => BaseCount::Auto,
            Either::Word(Word::Own) => BaseCount::Own,
            Either::Number(k) => BaseCount::Set(k),
        })
    }
}
