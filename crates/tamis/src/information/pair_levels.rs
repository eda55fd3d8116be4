//! Names for the levels of coded features and for the classes of a coded target.

use crate::codes::coded_table::JoinedLevels;
use crate::codes::{CodedTable, ColumnCoding};
use crate::selection::detail::FeatureLevels;
use crate::table::Target;

/// The levels of the feature at a position of the codes, in their order; `joined` says which features had their rarest
/// levels merged into the last.
pub(super) fn level_names(codes: &CodedTable, at: usize, joined: &[JoinedLevels]) -> FeatureLevels {
    let (index, levels) = (codes.features[at], codes.levels_of(at));
    let known = match codes.codings.get(at) {
        Some(ColumnCoding::Cuts(cuts)) => cut_names(cuts),
        Some(ColumnCoding::Labels(labels)) => labels.clone(),
        None => (1..=levels).map(|level| format!("level {level}")).collect(),
    };
    let name = |code: usize| known.get(code).cloned().unwrap_or_else(|| "missing".into());
    let names = match joined.iter().find(|joined| joined.feature == index) {
        Some(joined) => joined.kept.iter().map(|code| name(usize::from(*code))).chain(["others".into()]).collect(),
        None => (0..levels).map(name).collect(),
    };
    FeatureLevels { index, names }
}

/// Names of the intervals between cuts.
fn cut_names(cuts: &[f64]) -> Vec<String> {
    let number = |x: f64| {
        let digits = (3 - x.abs().log10().floor().clamp(-4.0, 3.0) as i32).max(0) as usize;
        let text = format!("{x:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    };
    match cuts {
        [] => vec!["any".into()],
        [first, .., last] | [first @ last] => {
            let below = format!("below {}", number(*first));
            let between = cuts.windows(2).map(|w| format!("{} to {}", number(w[0]), number(w[1])));
            let above = format!("{} or more", number(*last));
            [below].into_iter().chain(between).chain([above]).collect()
        }
    }
}

/// The classes, or the levels that a numeric target was cut into.
pub(super) fn class_names(target: &Target, classes: usize) -> Vec<String> {
    match target {
        Target::Classes { labels, .. } => labels.iter().map(ToString::to_string).collect(),
        _ => (1..=classes).map(|c| format!("{c} of {classes}, by size")).collect(),
    }
}
