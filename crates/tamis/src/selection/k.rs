//! The number of features that a ranking method chooses.

use crate::base::{Auto, Error, Note, NoteKind, Parameter, Result};

/// The parameter `k`.
pub(crate) const K: Parameter = Parameter {
    name: "k",
    range: "auto, 1…",
    purpose: "number of features to select; auto: 10, or half of the features if there are at most 10",
};

/// How many features are chosen where nobody says.
const DEFAULT_K: usize = 10;

/// The number of features to choose from `features`, and a note where the default had to give way.
pub(crate) fn resolve_k(k: Auto<usize>, features: usize) -> Result<(usize, Option<Note>)> {
    match k {
        Auto::Set(0) => Err(Error::parameter("k", 0, "at least one feature must be chosen")),
        // the default gives way to few features, whoever names it
        Auto::Set(k) if k >= features && k != DEFAULT_K => {
            let expected = format!("it must be less than the number of features that vary, which is {features}");
            Err(Error::parameter("k", k, expected))
        }
        Auto::Set(k) if k < features => Ok((k, None)),
        _ if features > DEFAULT_K => Ok((DEFAULT_K, None)),
        _ => {
            let k = (features / 2).max(1);
            let are = if features == 1 { "1 feature varies".into() } else { format!("{features} features vary") };
            let text = format!("only {are}, so k is {k}");
            Ok((k, Some(Note::new(NoteKind::FewFeatures, text))))
        }
    }
}
