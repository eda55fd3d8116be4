//! From sizes to the `k` largest, and the notes that all filters on numbers share.

use crate::base::remedies::no_scored_feature;
use crate::base::{Auto, Error, MethodInfo, Note, NoteKind, OptionName, Parameter, Place, Result, text};
use crate::score::Scores;
use crate::selection::{RankedFeatures, resolve_k};
use crate::table::View;
use std::borrow::Cow;

/// The page of a filter whose only parameter is `k`.
pub(super) fn info(
    name: &'static str,
    summary: &'static str,
    reference: &'static str,
    parameters: Vec<Parameter>,
) -> MethodInfo {
    MethodInfo { name, summary, number_by: "k", cost: "two passes over the table", reference, parameters }
}

/// The number chosen, and the features of the largest `size`, the first in order among equals; others rank by size too.
pub(super) fn largest(k: Auto<usize>, size: Vec<f64>, mut notes: Vec<Note>) -> Result<(usize, RankedFeatures)> {
    let mut order: Vec<u32> = (0..size.len() as u32).filter(|&i| !size[i as usize].is_nan()).collect();
    if order.is_empty() {
        return Err(no_scored_feature());
    }
    let (k, note) = resolve_k(k, order.len())?;
    notes.extend(note);
    order.sort_by(|&a, &b| size[b as usize].total_cmp(&size[a as usize]).then(a.cmp(&b)));
    order.truncate(k);
    Ok((k, RankedFeatures { order, scores: size, notes }))
}

/// How strongly every score speaks for its feature.
pub(super) fn strengths(scores: &Scores) -> Vec<f64> {
    (0..scores.z().len()).map(|i| scores.strength(i)).collect()
}

/// The columns, which must be numbers.
pub(super) fn numbers<'a>(data: &View<'a>, method: &str) -> Result<Vec<Cow<'a, [f64]>>> {
    let number = |(at, name): (usize, &String)| {
        data.numbers(at).ok_or_else(|| {
            let needs = format!("`{method}` needs numbers; pass ");
            let remedy = text![needs, OptionName::Drop.set(name), ", or a method such as jmi"];
            Error::data(Place::default().at_column(name), "it holds categories", remedy)
        })
    };
    data.names().iter().enumerate().map(number).collect()
}

/// How regressions fill gaps.
pub(super) const BY_THE_MEAN: &str = "replaced by the feature's mean";

/// A note of the features that have gaps, but not only gaps.
pub(super) fn missing_note(data: &View, columns: &[Cow<[f64]>], how: &str) -> Option<Note> {
    let gaps = |x: &[f64]| data.rows().iter().filter(|&&r| x[r as usize].is_nan()).count();
    let some = |x: &[f64]| (1..data.rows().len()).contains(&gaps(x));
    let named: Vec<String> =
        columns.iter().zip(data.names().iter()).filter(|(x, _)| some(x)).map(|(_, n)| n.clone()).collect();
    Note::counting(NoteKind::MissingValues, &format!("{{}} with missing values, {how}"), named)
}

/// A note of the features that have one value only.
pub(super) fn set_aside(data: &View, usable: impl Fn(usize) -> bool) -> Option<Note> {
    let names = data.names();
    Note::constant((0..names.len()).filter(|&i| !usable(i)).map(|i| names[i].clone()).collect())
}
