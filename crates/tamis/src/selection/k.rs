//! The number of features that a ranking method chooses.

use crate::base::{Auto, Error, Note, NoteKind, Result, counted, plural};

/// What there is to say of the parameter `k`, for the tables of parameters.
macro_rules! k {
    (range) => {
        "auto, 1…"
    };
    (purpose) => {
        "number of features to select; auto: 10, or half of the features that vary if there are at most 10"
    };
}
pub(crate) use k;

/// How many features are chosen where nobody says.
const DEFAULT_K: usize = 10;

/// The number of features to choose from `features`, and a note where the default had to give way.
pub(crate) fn resolve_k(k: Auto<usize>, features: usize) -> Result<(usize, Option<Note>)> {
    match k {
        Auto::Set(0) => Err(none_chosen()),
        // the default gives way to few features, whoever names it
        Auto::Set(k) if k >= features && k != DEFAULT_K => Err(too_large(k, features)),
        Auto::Set(k) if k < features => Ok((k, None)),
        _ if features > DEFAULT_K => Ok((DEFAULT_K, None)),
        _ => {
            let k = (features / 2).max(1);
            Ok((k, Some(few_features(features, k))))
        }
    }
}

/// The error of no feature at all.
pub(crate) fn none_chosen() -> Error {
    Error::parameter("k", 0, "at least one feature must be chosen")
}

/// The error of a number that is not less than that of the features that vary.
pub(crate) fn too_large(k: usize, features: usize) -> Error {
    let expected = format!("it must be less than the number of features that vary, which is {features}");
    Error::parameter("k", k, expected)
}

/// The note on features so few that the default number had to give way.
pub(crate) fn few_features(features: usize, k: usize) -> Note {
    let vary = plural(features, "varies", "vary");
    Note::new(NoteKind::FewFeatures, format!("only {} {vary}, so k is {k}", counted(features, "feature")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_features_are_told_in_the_singular_and_the_plural() {
        let said = [0, 1, 2].map(|features| few_features(features, 1).to_string());
        let wanted = ["only 0 features vary", "only 1 feature varies", "only 2 features vary"];
        assert_eq!(said, wanted.map(|words| format!("{words}, so k is 1")));
    }
}
