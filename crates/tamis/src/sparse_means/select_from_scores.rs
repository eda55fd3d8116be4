//! `shrink`: from scores, one per feature, to which of them matter and how many.

use super::snbl_notes::{notes, other_null};
use super::table_nulls::TableNulls;
use super::{Curves, Posterior, Prior, Sides, SparseMeans};
use crate::base::{Auto, Context, Describe, Error, MethodRecord, Note, NoteKind, Place, Result, some_of};
use crate::score::given::GivenScores;
use crate::selection::Selection;
use crate::selection::detail::Detail;
use std::sync::Arc;

/// Selects from scores that exist already, one per feature, each N(0, 1) if the feature does not matter.
pub fn shrink(means: &SparseMeans, names: Arc<[String]>, scores: &[f64], context: &mut Context) -> Result<Selection> {
    shrink_sides(means, names, (scores, Sides::Two), Curves::Drawn, context)
}

/// Selects from statistics that were made into scores. Effects of estimates with standard errors are also given in the
/// estimates' unit.
pub fn shrink_given(
    means: &SparseMeans,
    names: Arc<[String]>,
    given: &GivenScores,
    context: &mut Context,
) -> Result<Selection> {
    let sides = if given.one_sided { Sides::One } else { Sides::Two };
    let curves = if given.units.is_some() { Curves::DrawnWithIntervals } else { Curves::Drawn };
    let mut selection = shrink_sides(means, names, (&given.z, sides), curves, context)?;
    if let Some(units) = &given.units {
        let in_own_unit = |effects: &Vec<f64>| -> Vec<f64> {
            effects.iter().zip(units).map(|(effect, unit)| effect * unit).collect()
        };
        selection.shrunken_differences = selection.effects.as_ref().map(in_own_unit);
        let ends = selection.effects_95.as_ref();
        selection.shrunken_differences_95 = ends.map(|[low, high]| [in_own_unit(low), in_own_unit(high)]);
    }
    selection.notes.splice(0..0, given.notes.iter().cloned());
    Ok(selection)
}

fn shrink_sides(
    means: &SparseMeans,
    names: Arc<[String]>,
    (scores, sides): (&[f64], Sides<'_>),
    curves: Curves,
    context: &mut Context,
) -> Result<Selection> {
    let missing: Vec<String> =
        scores.iter().zip(names.iter()).filter(|(z, _)| z.is_nan()).map(|(_, n)| n.clone()).collect();
    if missing.len() == scores.len() {
        return Err(Error::data(Place::default(), "every score is missing", "check which column holds the scores"));
    }
    let means = SparseMeans { permutations: Auto::Set(0), ..means.clone() }; // scores alone have no null targets
    let mut selection = select_scores(&means, names, (scores, sides, curves), None, means.record(), context)?;
    if !missing.is_empty() {
        let text = format!("{} missing and set aside", some_of(missing.len(), scores.len(), "scores", ["is", "are"]));
        selection.notes.insert(0, Note::about(NoteKind::MissingScores, text, missing));
    }
    Ok(selection)
}

/// With fewer scores their own middle says nothing about the null.
const FEWEST_FOR_NULL: usize = 20;

/// Selects from scores, with null scores where there are any.
pub(super) fn select_scores(
    means: &SparseMeans,
    names: Arc<[String]>,
    (scores, sides, curves): (&[f64], Sides<'_>, Curves),
    nulls: Option<&dyn TableNulls>,
    method: MethodRecord,
    context: &mut Context,
) -> Result<Selection> {
    let posterior = fit(means, scores, sides, nulls, curves, context)?;
    let mut notes = notes(&posterior);
    if means.prior == Prior::Auto && nulls.is_none() {
        let text = "features are taken as independent: correlated ones make the interval too narrow and noise more \
                    likely to be named";
        notes.push(Note::new(NoteKind::Independence, text));
    }
    if posterior.n_scores >= FEWEST_FOR_NULL && nulls.is_none() {
        notes.extend(other_null(means, scores, sides, context)?);
    }
    let no_evidence = posterior.no_evidence();
    let Posterior { ranks, selected, .. } = &posterior;
    let scores = posterior.rescaled.clone().unwrap_or_else(|| scores.to_vec());
    let bare = Selection::new(names, scores, ranks.clone(), selected.clone(), method, context.seed);
    Ok(Selection {
        no_evidence,
        probabilities: Some(posterior.irrelevant.iter().map(|p| 1.0 - p).collect()),
        effects: Some(posterior.effects),
        effects_95: posterior.effects_95,
        sign_errors: posterior.sign_errors,
        q_values: Some(posterior.q_values),
        at_least_95: posterior.differ.at_least,
        at_least_named_95: posterior.differ.at_least_named,
        n_expected: posterior.differ.expected,
        n_expected_95: posterior.differ.interval,
        n_strong: posterior.differ.strong,
        n_strong_95: posterior.differ.strong_interval,
        why: posterior.differ.why,
        expected_false: Some(posterior.expected_false),
        fraction_irrelevant: Some(posterior.fraction_irrelevant),
        converged: posterior.converged,
        iterations: posterior.iterations,
        notes,
        detail: Detail { fit: Some(posterior.detail), ..Detail::default() },
        ..bare
    })
}

/// The posterior of scores, with what null targets show about them.
pub(super) fn fit(
    means: &SparseMeans,
    scores: &[f64],
    sides: Sides<'_>,
    nulls: Option<&dyn TableNulls>,
    curves: Curves,
    context: &mut Context,
) -> Result<Posterior> {
    match nulls {
        None => means.fit_sides(scores, sides, curves, context),
        Some(nulls) => means.fit_with_nulls(scores, sides, nulls, nulls.residual_dimension(), curves, context),
    }
}
