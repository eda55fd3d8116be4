//! The columns of the table of features: what each method has to say of a feature.

use crate::escape::short;
use serde::Serialize;
use tamis::NoteKind;
use tamis::result::SavedSelection;

/// A column.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Column {
    pub key: &'static str,
    pub head: &'static str,
    /// What it means, in one sentence.
    pub title: &'static str,
    pub digits: usize,
    pub values: Values,
}

/// One value a feature, in input order.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Values {
    /// Null where there is none.
    Numbers(Vec<Option<f64>>),
    /// Other features, by index.
    Features(Vec<Option<u32>>),
}

/// Whether the probabilities say something: without evidence all are 0 by decree.
pub(crate) fn has_probabilities(saved: &SavedSelection) -> bool {
    !saved.notes.iter().any(|n| n.kind == NoteKind::NoEvidence)
        && saved.features.iter().any(|f| f.probability.is_some())
}

/// Number of digits that p-values and scores that are not z are shown with.
const FINE: usize = 4;

/// The columns beside rank and name; the first is what plots of every feature show.
pub(crate) fn columns(saved: &SavedSelection) -> Vec<Column> {
    let of = |value: &dyn Fn(usize) -> Option<f64>| {
        Values::Numbers((0..saved.features.len()).map(|i| value(i).filter(|x| x.is_finite())).collect())
    };
    let rounded = |values: &[f64]| of(&|i| values.get(i).copied().map(short));
    let score = of(&|i| saved.features[i].score.map(short));
    let column = |key, head, title, digits, values| Column { key, head, title, digits, values };
    if let Some(npfs) = &saved.detail.npfs {
        let mut found =
            vec![column("frequency", "frequency", "share of the bootstraps that chose the feature", 2, score)];
        if !npfs.explained.is_empty() {
            let title = "share of the target that the feature explains by itself";
            found.push(column("explained", "explains", title, 3, rounded(&npfs.explained)));
        }
        if !npfs.p_values.is_empty() {
            let title = "how likely chance alone chooses a feature so often";
            found.push(column("p", "p", title, FINE, rounded(&npfs.p_values)));
            let title = "the p-value adjusted for there being many features";
            found.push(column("adjusted", "adjusted", title, FINE, of(&|i| npfs.adjusted.get(i).copied())));
        }
        return found;
    }
    if let Some(pairs) = &saved.detail.pairs {
        let title = "information about the target, together with the best partner";
        let p = "share of permutations whose largest score is as large";
        let partner = "the feature with which it tells most";
        return vec![
            column("score", "score", title, FINE, score),
            column("p", "p", p, FINE, of(&|i| pairs.p_values.get(i).copied())),
            column("with", "with", partner, 0, Values::Features(pairs.partners.clone())),
        ];
    }
    if saved.features.iter().any(|f| f.probability.is_some()) {
        let mut found = vec![column("score", "score", "standard normal where the feature does not matter", 2, score)];
        if has_probabilities(saved) {
            let effect = of(&|i| saved.features[i].effect.map(short));
            found.push(column("effect", "effect", "the score shrunk towards zero by the fitted prior", 2, effect));
            let probability = of(&|i| saved.features[i].probability);
            found.push(column("probability", "probability", "that the feature matters", 3, probability));
            let title = "expected share of false discoveries if this feature and all more probable ones are chosen";
            found.push(column("q_value", "q-value", title, 3, of(&|i| saved.features[i].q_value)));
        }
        return found;
    }
    if !saved.detail.machines.is_empty() {
        let title = "weight in the classifier; 1 is the largest, 0 was dropped";
        return vec![column("score", "weight", title, FINE, score)];
    }
    vec![column("score", "score", "what the filter ranks by", FINE, score)]
}
