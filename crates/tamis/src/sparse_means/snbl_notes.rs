//! Notes on the answer of `snbl`.

use super::{Curves, Null, Posterior, Sides, SparseMeans};
use crate::base::{Context, Error, Note, NoteKind, OptionName, Result, Text, counted, text};
use crate::selection::Selection;
use crate::table::FeatureGroup;

/// Few samples have few arrangements.
pub(super) fn rotated() -> Note {
    let text =
        "too few samples for 2,000 distinct permutations; random rotations with pooled variances are used instead";
    Note::new(NoteKind::Rotations, text)
}

/// Why no set of features is tested, where none is.
pub(super) fn untested_sets(selection: &Selection, sets: &[FeatureGroup]) -> Option<Note> {
    if sets.is_empty() || selection.set_tests.iter().any(Option::is_some) {
        return None;
    }
    let reason = match selection.set_tests.is_empty() {
        true => "there are no null targets",
        false => "scores have no sign",
    };
    Some(Note::new(NoteKind::FeatureGroups, format!("groups of features are not tested: {reason}")))
}

/// Rows that are equal draw the same null targets.
pub(super) fn repeated_rows(share: f64) -> Option<Note> {
    const FEW: f64 = 0.01;
    let text = format!(
        "about {:.0} % of the rows repeat another row; equal rows have the same null targets, as if they were one sample",
        100.0 * share
    );
    (share > FEW).then(|| Note::new(NoteKind::NullTargets, text))
}

/// Notes on evidence, on the null and on convergence.
pub(super) fn notes(posterior: &Posterior) -> Vec<Note> {
    let mut notes = Vec::new();
    if posterior.no_evidence() {
        let text = "no evidence that any feature is related to the target";
        notes.push(Note::new(NoteKind::NoEvidence, text));
    }
    if let Some(null) = posterior.empirical_null {
        let text = format!("scores were centred at {:.3} and divided by {:.3}", null.centre, null.spread);
        notes.push(Note::new(NoteKind::EmpiricalNull, text));
    }
    if !posterior.converged {
        let remedy = match posterior.detail.optimum_gap {
            Some(_) => Text::default(),
            None => text!["; raise ", OptionName::from("max_iter"), " or ", OptionName::from("tol")],
        };
        let problem = format!("the prior had not converged after {}", counted(posterior.iterations, "step"));
        let text = text![problem, remedy, ": doubt the number"];
        notes.push(Note::new(NoteKind::NotConverged, text));
    }
    notes
}

/// A note with the number of features that the other null distribution would select, so that users see how much depends
/// on it.
pub(super) fn other_null(
    means: &SparseMeans,
    scores: &[f64],
    sides: Sides<'_>,
    context: &mut Context,
) -> Result<Option<Note>> {
    let (null, name) = match means.null {
        Null::Theoretical => (Null::Empirical, "empirical"),
        Null::Empirical => (Null::Theoretical, "theoretical"),
    };
    let other = SparseMeans { null, ..means.clone() };
    match other.fit_sides(scores, sides, Curves::LeftOut, context) {
        Ok(posterior) => {
            let found = posterior.empirical_null;
            let rescaled =
                found.map_or_else(String::new, |n| format!(" (centre {:.2}, spread {:.2})", n.centre, n.spread));
            let text = text![
                "with ",
                OptionName::from("null").set(name),
                format!("{rescaled} {} would be selected", posterior.selected.len())
            ];
            Ok(Some(Note::new(NoteKind::OtherNull, text)))
        }
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(_) => Ok(None), // the empirical null has no spread: there is nothing to compare with
    }
}

/// A note on classes that have few samples.
pub(super) fn small_classes(classes: &[(&str, u64)]) -> Option<Note> {
    let small: Vec<String> =
        classes.iter().filter(|(_, count)| *count < 5).map(|(label, count)| format!("`{label}` ({count})")).collect();
    let text = format!("classes with fewer than 5 samples make scores unreliable: {}", small.join(", "));
    (!small.is_empty()).then(|| Note::new(NoteKind::SmallClass, text))
}
