//! `snbl`: score every feature, then let empirical Bayes say how many matter.

use super::average_rows_in_blocks::averaged;
use super::design_and_own_units::{
    design_facts, moderation_facts, shrunken_differences, with_blocks, with_model, with_noise,
};
use super::select_from_scores::{fit, select_scores};
use super::set_tests::test_sets;
use super::snbl_notes::{rotated, small_classes, untested_sets};
use super::table_nulls::TableNulls;
use super::{Curves, NullTargets, Prior, SampleWeights, Sides, SparseMeans};
use crate::base::counted;
use crate::base::parameter::parameters;
use crate::base::remedies::no_scored_feature;
use crate::base::{Auto, Context, Describe, Error, MethodInfo, Note, NoteKind, OptionName, Result};
use crate::score::{self, Factors, FeatureSummaries, Scale, Scores, Scoring, Statistic};
use crate::selection::{Selection, Selector, clusters};
use crate::table::{BlockModel, FeatureGroup, Study, Target, View};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

parameters! {
    /// Sparse nonparametric Bayesian learning: a score per feature, then empirical Bayes to decide how many features matter
    /// and which.
    ///
    /// Every feature gets a score z_i that is N(0, 1) if the feature is unrelated to the target ([`score`]). The scores are
    /// modelled as z_i ~ N(μ_i, 1), where most effects μ_i are zero and the others come from a prior that is estimated from
    /// all scores ([`SparseMeans`]). The result is the posterior probability that each feature matters, its shrunken
    /// effect, and the expected number of features that matter; the user sets no number of features and no threshold.
    ///
    /// Cost: two passes over the table, and a sort of the scores. The rest does not depend on the number of rows.
    ///
    /// Errors: [`Error::Parameter`] for a value out of its range and for a statistic that does not suit the target;
    /// [`Error::Data`] if no feature can be scored.
    ///
    /// Reference: Raykar & Zhao, *Feature selection via sparse non-parametric Bayesian learning*; Raykar & Zhao,
    /// *Nonparametric prior for adaptive sparsity*, AISTATS 2010. `prior=auto` goes beyond both
    /// ([`auto`](crate::sparse_means::noise_states)).
    ///
    /// ```
    /// use tamis::{Context, Selector, Snbl, simulate::TwoGroups};
    ///
    /// // 20 of 500 features differ between two groups
    /// let drawn = TwoGroups { features: 500, relevant: 20, ..TwoGroups::default() }.draw(1)?;
    /// let selection = Snbl::default().select(&drawn.table.view(), &mut Context::default())?;
    /// let found = selection.selected.iter().filter(|&&j| drawn.truth[j as usize] != 0.0).count();
    /// assert!(found >= 17 && selection.selected.len() - found <= 2);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Snbl {
        score: Statistic = Statistic::Auto,
            "auto, welch, pooled, moderated, mann-whitney, f, kruskal, pearson, spearman, cox",
            "statistic of numeric columns; auto: moderated for 20 features or more; for fewer welch for two classes, f for \
             several, pearson for a numeric target; cox for survival times";
        scale: Scale = Scale::Z, "z, raw",
            "t mapped to a normal score through its degrees of freedom, or t itself as in the papers";
        /// `auto`: where a test says that they explain at least a fifth of the variances' spread; log counts always do
        /// ([`Preparation`](crate::catalogue::Preparation)).
        trend: Auto<bool> = Auto::Auto, "auto, true, false",
            "the prior of moderated variances follows the features' means; auto: for log counts, and where they \
             explain the variances";
        /// Phipson and others 2016.
        robust: bool = true, "true, false",
            "a feature whose variance is far too large for the prior is not pulled towards it, nor does it widen it";
        min_difference: f64 = 0.0, "at least 0", "the least difference that matters, in the features' unit; 0: any";
        factors: Factors = Factors::None, "none, auto, 1 to 15",
            "principal components of the features within classes that are adjusted for";
        null_targets: NullTargets = NullTargets::Auto, "auto, permuted, rows",
            "null targets: permuted, or drawn by each row from its own cells, so that pieces and shards give the same \
             bits; auto: rows beyond 2,000 rows";
        block_model: BlockModel = BlockModel::Auto, "auto, correlated, fixed, mean",
            "rows of a block: one correlation that all features share, adjusted for, or averaged; auto: averaged where the \
             target is constant inside blocks or rows repeat, else adjusted for";
        /// Ritchie and others 2006.
        sample_weights: SampleWeights = SampleWeights::None, "none, auto",
            "samples weighted by how precise they are, as all features show; none: a note names samples that disagree";
        + means: SparseMeans = SparseMeans::default();
    }
}

impl Describe for Snbl {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "snbl",
            summary: "a score per feature, then empirical Bayes for how many features matter and which",
            number_by: "the data",
            cost: "two passes over the table; the rest does not grow with its rows",
            reference: "Raykar & Zhao, Feature selection via sparse non-parametric Bayesian learning; \
                        Raykar & Zhao, Nonparametric prior for adaptive sparsity, AISTATS 2010",
            parameters: Snbl::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if !(self.min_difference >= 0.0 && self.min_difference.is_finite()) {
            return Err(Error::parameter(OptionName::MinDifference, self.min_difference, "a number of at least 0"));
        }
        self.means.validate()?;
        self.means.validate_permutations()
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        if key == "null_targets" {
            return match (self.means.prior, self.means.takes_independent()) {
                (Prior::Auto, false) => None,
                (Prior::Auto, true) => Some("permutations"),
                _ => Some("prior"),
            };
        }
        self.means.overruled(key)
    }
}

impl Selector for Snbl {
    fn choose(&self, data: &View, context: &mut Context) -> Result<Vec<u32>> {
        self.validate()?;
        let data = &data.copies_as_rows()?;
        let averaged = averaged(data, self.block_model)?;
        let data = &averaged.as_ref().map_or_else(|| data.clone(), |(table, _)| table.view());
        let coded = data.coded()?;
        let data = &coded.as_ref().map_or_else(|| data.clone(), |(study, _)| data.in_study(study));
        let mut study = None;
        let (data, _) = &self.with_factors(data, &mut study, context)?;
        let mut noisy = None;
        let (data, _) = &self.with_row_noise(data, &mut noisy, context)?;
        let posterior = match self.row_sums(data, context)? {
            Some(sums) => {
                let (scores, _, nulls) = self.of_row_sums(&sums, data.comparison())?;
                let scores = usable(scores)?;
                fit(&self.means, scores.z(), sides(&scores), Some(&nulls), Curves::LeftOut, context)?
            }
            None => {
                let scores = usable(self.scoring().scores(data, context)?)?;
                self.with_nulls(data, &scores, context, |nulls, context| {
                    fit(&self.means, scores.z(), sides(&scores), nulls, Curves::LeftOut, context)
                })?
            }
        };
        let mut selected = posterior.selected;
        let forced: Vec<u32> = data.keep().iter().copied().filter(|i| !selected.contains(i)).collect();
        selected.extend(forced);
        selected.sort_by_key(|&i| posterior.ranks[i as usize]);
        Ok(selected)
    }

    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.select_with_sets(data, &[], context)
    }
}

impl Snbl {
    /// [`Selector::select`], and what null targets say about sets of features ([`SetTest`](crate::selection::SetTest)).
    ///
    /// # Errors
    ///
    /// Those of [`Selector::select`].
    pub fn select_with_sets(&self, data: &View, sets: &[FeatureGroup], context: &mut Context) -> Result<Selection> {
        self.validate()?;
        let original = data;
        let original = &original.copies_as_rows()?;
        let data = original;
        let averaged = averaged(data, self.block_model)?;
        let data = &averaged.as_ref().map_or_else(|| data.clone(), |(table, _)| table.view());
        let coded = data.coded()?;
        let data = &coded.as_ref().map_or_else(|| data.clone(), |(study, _)| data.in_study(study));
        let mut study = None;
        let (data, factors) = &self.with_factors(data, &mut study, context)?;
        let mut noisy = None;
        let (data, noise) = &self.with_row_noise(data, &mut noisy, context)?;
        let classes = class_counts(data);
        let mut selection = match self.row_sums(data, context)? {
            Some(sums) => {
                let mut selection = self.select_row_sums(&sums, data.comparison(), &classes, context)?;
                if !sets.is_empty() && self.wants_nulls() {
                    let (scores, _, nulls) = self.of_row_sums(&sums, data.comparison())?;
                    selection.set_tests = test_sets(scores.z(), sides(&scores), &nulls, sets, context)?;
                }
                with_blocks(&mut selection, data.rows().len(), original.blocks().map(|(name, _)| name));
                selection
            }
            None => {
                let scores = self.scoring().scores(data, context)?;
                let summaries = score::summaries(data, &scores, self.scale, context)?;
                let mut selection = self.with_nulls(data, &scores, context, |nulls, context| {
                    let mut selection =
                        self.select_with_nulls(scores.clone(), data.names(), &classes, nulls, context)?;
                    if let (Some(nulls), false) = (nulls, sets.is_empty()) {
                        let z = nulls.observed().unwrap_or(scores.z());
                        selection.set_tests = test_sets(z, sides(&scores), nulls, sets, context)?;
                    }
                    Ok(selection)
                })?;
                let blocks = original.blocks().map(|(name, _)| name);
                let design = design_facts(data, &scores, blocks);
                selection.design = design.map(|facts| with_noise(with_model(facts, original.model(), data), data));
                selection.shrunken_differences =
                    shrunken_differences(&selection, &summaries, self.min_difference > 0.0);
                selection.summaries = Some(summaries);
                selection
            }
        };
        clusters::annotate(&mut selection, data);
        let averaged = averaged.as_ref().map(|(_, note)| note.clone());
        let coded = coded.iter().flat_map(|(_, notes)| notes.clone());
        let noise = noise.iter().cloned();
        selection.notes.splice(0..0, averaged.into_iter().chain(coded).chain(factors.clone()).chain(noise));
        let named = selection.selected.len();
        selection.notes.extend(self.disagreeing_samples((original, data), named, context)?);
        selection.notes.extend(untested_sets(&selection, sets));
        Ok(selection)
    }
}

impl Snbl {
    /// The view with its factors as covariates, kept in `study`, and a note on them.
    fn with_factors<'a>(
        &self,
        data: &View<'a>,
        study: &'a mut Option<Study>,
        context: &mut Context,
    ) -> Result<(View<'a>, Option<Note>)> {
        if self.factors == Factors::None {
            return Ok((data.clone(), None));
        }
        let factors = score::design::latent_factors::find(data, self.factors, context.seed, context)?;
        if factors.is_empty() {
            let text = "no factor stands out: features are not adjusted for any";
            return Ok((data.clone(), Some(Note::new(NoteKind::Factors, text))));
        }
        let text = format!(
            "features are adjusted for {}, on the assumption that few features differ along a factor. If many do, \
             the FDR \
             is not controlled: 57 % were false in a simulation where 40 % of the features differed along a factor",
            counted(factors.len(), "factor")
        );
        Ok((data.adjusted_for(&factors, study), Some(Note::new(NoteKind::Factors, text))))
    }

    /// Refuses parameters that need the rows of the table.
    fn check_without_rows(&self) -> Result<()> {
        let expected = NEEDS_ROWS;
        if self.trend.or(false) {
            return Err(Error::parameter("trend", true, expected));
        }
        if self.min_difference > 0.0 {
            return Err(Error::parameter(OptionName::MinDifference, self.min_difference, expected));
        }
        self.check_without_factors()
    }

    /// Refuses factors, weights and correlations, which are found in the rows of the table.
    pub(crate) fn check_without_factors(&self) -> Result<()> {
        if self.sample_weights != SampleWeights::None {
            return Err(Error::parameter("sample_weights", self.sample_weights, NEEDS_ROWS));
        }
        if self.block_model != BlockModel::Auto {
            return Err(Error::parameter("block_model", self.block_model, NEEDS_ROWS));
        }
        match self.factors {
            Factors::None => Ok(()),
            factors => Err(Error::parameter("factors", factors, NEEDS_ROWS)),
        }
    }

    /// How features are scored.
    pub(crate) fn scoring(&self) -> Scoring {
        Scoring {
            statistic: self.score,
            scale: self.scale,
            trend: self.trend,
            robust: self.robust,
            min_difference: self.min_difference,
        }
    }

    /// Whether the prior makes use of null targets.
    pub(crate) fn wants_nulls(&self) -> bool {
        self.means.prior == Prior::Auto && !self.means.takes_independent()
    }

    /// From scores and summaries of so many rows that are not at hand to the answer, as [`Snbl::select_scores`].
    pub(crate) fn select_summed(
        &self,
        (scores, summaries, rows): (Scores, FeatureSummaries, usize),
        names: &Arc<[String]>,
        classes: &[(&str, u64)],
        nulls: Option<&dyn TableNulls>,
        context: &mut Context,
    ) -> Result<Selection> {
        self.check_without_factors()?;
        let design = moderation_facts(&scores, rows);
        let mut selection = self.select_without_rows(scores, names, classes, nulls, context)?;
        selection.design = design;
        selection.shrunken_differences = shrunken_differences(&selection, &summaries, self.min_difference > 0.0);
        selection.summaries = Some(summaries);
        Ok(selection)
    }

    /// From scores to the answer where the rows are not at hand: with null scores of them, or else with features taken
    /// as independent. `classes`: how many rows each class has, none for a numeric target.
    pub(crate) fn select_scores(
        &self,
        scores: Scores,
        names: &Arc<[String]>,
        classes: &[(&str, u64)],
        nulls: Option<&dyn TableNulls>,
        context: &mut Context,
    ) -> Result<Selection> {
        self.check_without_rows()?;
        self.select_without_rows(scores, names, classes, nulls, context)
    }

    pub(super) fn select_without_rows(
        &self,
        scores: Scores,
        names: &Arc<[String]>,
        classes: &[(&str, u64)],
        nulls: Option<&dyn TableNulls>,
        context: &mut Context,
    ) -> Result<Selection> {
        if nulls.is_some() {
            return self.select_with_nulls(scores, names, classes, nulls, context);
        }
        let mut means = self.means.clone();
        if means.prior == Prior::Auto {
            means.permutations = Auto::Set(0); // the other priors have no use for them
        }
        Snbl { means, ..self.clone() }.select_with_nulls(scores, names, classes, None, context)
    }

    /// From scores, and the scores of null targets where there are any, to the answer, but for what needs the numbers
    /// again.
    fn select_with_nulls(
        &self,
        scores: Scores,
        names: &Arc<[String]>,
        classes: &[(&str, u64)],
        nulls: Option<&dyn TableNulls>,
        context: &mut Context,
    ) -> Result<Selection> {
        let scores = usable(scores)?;
        let mut means = self.means.clone();
        if let Some(nulls) = nulls {
            means.permutations = Auto::Set(nulls.gate_rows());
        }
        let trend = scores.trend.map_or(self.trend, |trend| Auto::Set(trend.on));
        let resolved = Snbl { score: scores.statistic, trend, means, ..self.clone() };
        let (z, sides) = (scores.z(), sides(&scores));
        let mut selection = select_scores(
            &self.means,
            Arc::clone(names),
            (z, sides, Curves::Drawn),
            nulls,
            resolved.record(),
            context,
        )?;
        let mut notes = scores.notes;
        notes.extend(small_classes(classes));
        notes.extend(nulls.filter(|nulls| nulls.rotated()).map(|_| rotated()));
        notes.append(&mut selection.notes);
        selection.notes = notes;
        if scores.rows.iter().any(|r| *r != scores.rows[0]) {
            selection.detail.rows = scores.rows;
        }
        Ok(selection)
    }
}

const NEEDS_ROWS: &str = "it needs all rows at hand; leave it out, or read the table as a whole";

/// Refuses scores none of which says anything.
fn usable(scores: Scores) -> Result<Scores> {
    if scores.z().iter().all(|z| z.is_nan()) {
        return Err(no_scored_feature());
    }
    Ok(scores)
}

/// Which scores count on their positive side only.
fn sides(scores: &Scores) -> Sides<'_> {
    let one_sided = scores.one_sided();
    match one_sided.iter().filter(|one| **one).count() {
        0 => Sides::Two,
        n if n == one_sided.len() => Sides::One,
        _ => Sides::Mixed(one_sided),
    }
}

/// How many rows of a view each class has; empty for a numeric target.
fn class_counts<'a>(data: &View<'a>) -> Vec<(&'a str, u64)> {
    match data.target() {
        Target::Classes { labels, .. } => labels.iter().map(String::as_str).zip(data.class_counts()).collect(),
        Target::Real { .. } | Target::Survival { .. } => vec![],
    }
}
