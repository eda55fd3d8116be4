//! What `snbl` tells beside its selection: the design as it was used, and effects in the features' own units.

use crate::score::{FeatureSummaries, Scores, unit_of_score};
use crate::selection::{DesignFacts, SampleWeight, Selection};
use crate::table::{Model, Target, View};

/// How the variances behind scores of so many rows were moderated, if they were.
pub(super) fn moderation_facts(scores: &Scores, rows: usize) -> Option<DesignFacts> {
    let priors = scores.variance_priors();
    let (df, variance) = priors.first().copied()?;
    Some(DesignFacts {
        rows_used: rows,
        prior_df: Some(df).filter(|df| df.is_finite()),
        prior_var: Some(variance),
        trend: scores.trend.map(|trend| trend.on),
        trend_share: scores.trend.and_then(|trend| trend.share),
        by_class: priors.len() > 1,
        ..DesignFacts::default()
    })
}

/// The design of a view with these scores, if it has one or if variances were moderated.
pub(super) fn design_facts(data: &View, scores: &Scores, blocks: Option<&str>) -> Option<DesignFacts> {
    let moderation = moderation_facts(scores, data.rows().len());
    let moderated = moderation.is_some();
    let facts = DesignFacts {
        covariates: data.covariates().iter().map(|covariate| covariate.name.clone()).collect(),
        blocks: blocks.map(Into::into),
        contrast: contrast(data),
        rows_used: data.rows().len(),
        ..moderation.unwrap_or_default()
    };
    let adjusted = !facts.covariates.is_empty() || facts.blocks.is_some() || facts.contrast.is_some();
    let any = adjusted || moderated;
    any.then_some(facts)
}

/// Adds the blocks whose rows were averaged to the design of a selection from so many of them.
pub(super) fn with_blocks(selection: &mut Selection, rows: usize, blocks: Option<&str>) {
    if let Some(name) = blocks {
        let design = selection.design.get_or_insert_with(DesignFacts::default);
        (design.blocks, design.rows_used) = (Some(name.into()), rows);
    }
}

/// The facts of a design that follows a model, whose test is the target of `coded`.
pub(super) fn with_model(facts: DesignFacts, model: Option<&Model>, coded: &View) -> DesignFacts {
    let Some(model) = model else { return facts };
    DesignFacts {
        covariates: vec![],
        formula: Some(model.formula.text().into()),
        test: Some(model.test.clone()),
        test_df: coded.n_compared().map_or(1, |n| n - 1),
        ..facts
    }
}

/// The facts of a design with the noise of its rows.
pub(super) fn with_noise(facts: DesignFacts, data: &View) -> DesignFacts {
    let Some(noise) = data.row_noise() else { return facts };
    let weight = |precisions: &Vec<f64>| {
        let one = |&row: &u32| SampleWeight { sample: data.row_name(row), weight: precisions[row as usize] };
        data.rows().iter().map(one).collect()
    };
    DesignFacts {
        block_correlation: noise.correlation,
        sample_weights: noise.precisions.as_ref().map_or_else(Vec::new, weight),
        ..facts
    }
}

/// The names of two of several classes that are compared.
fn contrast(data: &View) -> Option<[String; 2]> {
    let Target::Classes { labels, .. } = data.target() else { return None };
    data.comparison().contrast.map(|pair| pair.map(|class| labels[class as usize].clone()))
}

/// Effects in the features' own units: the difference shrunk as its score was. An effect in z is multiplied by what a score
/// of 1 stands for ([`unit_of_score`]). Beyond a least difference (`beyond`) it stands
/// for no difference, and the standard error is taken.
pub(super) fn shrunken_differences(
    selection: &Selection,
    summaries: &FeatureSummaries,
    beyond: bool,
) -> Option<Vec<f64>> {
    let effects = selection.effects.as_ref()?;
    Some(
        effects
            .iter()
            .zip(summaries.features.iter().zip(&selection.scores))
            .map(|(effect, (summary, score))| {
                let unit = || unit_of_score(summary.difference, summary.standard_error, *score);
                effect * if beyond { summary.standard_error } else { unit() }
            })
            .collect(),
    )
}
