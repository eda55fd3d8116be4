//! The design of a study around `snbl`: blocks averaged, facts about the design, effects in the features' own units.

use crate::base::{Note, NoteKind, Result};
use crate::score::{FeatureSummaries, Scores};
use crate::selection::{DesignFacts, Selection};
use crate::table::{BlockLayout, Table, Target, View, block_means};

/// The design of a view with these scores, if it has one or if variances were moderated.
pub(super) fn design_facts(data: &View, scores: &Scores, blocks: Option<&str>) -> Option<DesignFacts> {
    let priors = scores.variance_priors();
    let (df, variance) = priors.first().copied().unzip();
    let facts = DesignFacts {
        covariates: data.covariates().iter().map(|covariate| covariate.name.clone()).collect(),
        blocks: blocks.map(Into::into),
        contrast: contrast(data),
        rows_used: data.rows().len(),
        prior_df: df.filter(|df| df.is_finite()),
        prior_var: variance,
        by_class: priors.len() > 1,
        ..DesignFacts::default()
    };
    let adjusted = !facts.covariates.is_empty() || facts.blocks.is_some() || facts.contrast.is_some();
    let any = adjusted || !priors.is_empty();
    any.then_some(facts)
}

/// The names of two of several classes that are compared.
fn contrast(data: &View) -> Option<[String; 2]> {
    let Target::Classes { labels, .. } = data.target() else { return None };
    data.comparison().contrast.map(|pair| pair.map(|class| labels[class as usize].clone()))
}

/// Effects in the features' own units: an effect in z times the width of a standard score times the standard error.
pub(super) fn shrunken_differences(selection: &Selection, summaries: &FeatureSummaries) -> Option<Vec<f64>> {
    let effects = selection.effects.as_ref()?;
    let correlation = selection.detail.fit.as_ref().and_then(|fit| fit.correlation.as_ref());
    let width = correlation.map_or(1.0, |correlation| correlation.divisor);
    Some(
        effects
            .iter()
            .zip(&summaries.features)
            .map(|(effect, summary)| effect * width * summary.standard_error)
            .collect(),
    )
}

/// The means of a view's blocks, where its target is constant inside every block, and a note on that.
pub(super) fn averaged(data: &View) -> Result<Option<(Table, Note)>> {
    let Some((name, _)) = data.blocks().filter(|_| BlockLayout::of(data) == BlockLayout::Nested) else {
        return Ok(None);
    };
    let table = block_means(data)?;
    let (rows, blocks) = (data.rows().len(), table.n_rows());
    let text = format!("{rows} rows of {blocks} blocks (`{name}`) are averaged and used as {blocks} samples");
    Ok(Some((table, Note::new(NoteKind::Blocks, text))))
}
