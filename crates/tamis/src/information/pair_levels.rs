//! Names for the levels of coded features and for the classes of a coded target.

use crate::codes::{CodedTable, ColumnCoding};
use crate::selection::detail::FeatureLevels;
use crate::table::{Target, View};

/// The levels of the feature at a position of the codes, in their order. In `joined` are the features whose rarest levels
/// were merged into the last.
pub(super) fn level_names(codes: &CodedTable, at: usize, data: &View, joined: &[u32]) -> FeatureLevels {
    let index = codes.features[at];
    let levels = codes.levels_of(at);
    let names = match &codes.codings[at] {
        ColumnCoding::Cuts(cuts) if !joined.contains(&index) => cut_names(cuts),
        _ => category_names(codes, at, data),
    };
    let merged = joined.contains(&index);
    let name = |level: usize| match names.get(level) {
        Some(_) if merged && level + 1 == levels => "others".into(),
        Some(name) => name.clone(),
        None => "missing".into(),
    };
    FeatureLevels { index, names: (0..levels).map(name).collect() }
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

/// The text of a row of each level.
fn category_names(codes: &CodedTable, at: usize, data: &View) -> Vec<String> {
    let column = data.column(codes.features[at] as usize);
    let mut names: Vec<Option<String>> = vec![None; codes.levels_of(at)];
    for (code, &row) in codes.column(at).iter().zip(data.rows()) {
        let name = &mut names[usize::from(*code)];
        if name.is_none() && !column.is_missing(row as usize) {
            *name = Some(column.text(row as usize).to_string());
        }
    }
    names.into_iter().map(|name| name.unwrap_or_else(|| "missing".into())).collect()
}

/// The classes, or the levels that a numeric target was cut into.
pub(super) fn class_names(target: &Target, classes: usize) -> Vec<String> {
    match target {
        Target::Classes { labels, .. } => labels.iter().map(ToString::to_string).collect(),
        _ => (1..=classes).map(|c| format!("{c} of {classes}, by size")).collect(),
    }
}
