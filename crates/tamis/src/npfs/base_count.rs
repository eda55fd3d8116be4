//! How many features the base chooses in a bootstrap.

use crate::base::{Error, Note, NoteKind, Parameter, Result};
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

/// The parameter `k`.
pub(super) const BASE_K: Parameter = Parameter {
    name: "k",
    range: "auto, own, 1…",
    purpose: "number of features that the base chooses; auto: 20, or half of the features if there are fewer than 40; \
              own: as many as jmi or cmim choose themselves with k=auto",
};

impl BaseCount {
    /// The number for a table in which `features` vary, with a note where there are few; `None` if the base chooses.
    pub(super) fn resolve(self, features: usize) -> Result<(Option<usize>, Option<Note>)> {
        const MOST: usize = 20;
        const FEW: usize = 10;
        match self {
            BaseCount::Own => Ok((None, None)),
            BaseCount::Set(0) => Err(Error::parameter("k", 0, "at least one feature must be chosen")),
            BaseCount::Set(k) if k >= features => {
                let expected = format!("it must be less than the number of features that vary, which is {features}");
                Err(Error::parameter("k", k, expected))
            }
            BaseCount::Set(k) => Ok((Some(k), None)),
            BaseCount::Auto => {
                let k = (features / 2).clamp(1, MOST);
                let are = if features == 1 { "1 feature varies".into() } else { format!("{features} features vary") };
                let note = || Note::new(NoteKind::FewFeatures, format!("only {are}, so k is {k}"));
                Ok((Some(k), (features <= FEW).then(note)))
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
