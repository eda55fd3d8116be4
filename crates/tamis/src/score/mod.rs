//! Scores: one number per feature that is N(0, 1) where the feature has nothing to do with the target.
//!
//! | target | numbers, `score=auto` | or | categories | z |
//! | --- | --- | --- | --- | --- |
//! | two classes | Welch's t, positive minus negative class (SNBL eq. 1) | `pooled`, `mann-whitney` | χ² | t through its degrees of freedom; χ² one-sided |
//! | several classes | F, one-way analysis of variance | `kruskal` | χ² | p-value, one-sided |
//! | numeric | Pearson's correlation | `spearman` | F | r → t → z; F one-sided |
//! | survival times | Cox's score test ([`cox`]) | | log-rank χ² | U/√V; χ² one-sided |
//!
//! A feature uses its own non-missing rows. One without variance has no score (NaN) and is named in a
//! note. One that the target determines gets the largest finite score, unless variances are moderated. Importance weights
//! are scaled to the effective number of rows (of each class); with frequency weights a row of weight 3 is three rows.
//!
//! Cost: one pass over each column for two classes, two while it is in cache otherwise, or a sort for ranks; columns in
//! parallel.

pub(crate) mod category;
pub(crate) mod choice;
pub(crate) mod class_moments;
pub(crate) mod comoments;
pub mod cox;
pub(crate) mod design;
mod each_column;
pub(crate) mod feature_residuals;
pub(crate) mod from_sums;
#[doc(hidden)]
pub mod given;
pub(crate) mod joint_moments;
mod linear;
mod means_and_differences;
pub(crate) mod moments;
pub(crate) mod null;
pub(crate) mod rank;
pub(crate) mod score_from_moments;
mod scorer;
mod statistic;
mod two_class_moments;
mod two_class_nonzeros;
mod two_class_rows;

pub use design::covariate_remover::CovariateRemover;
pub use design::latent_factors::Factors;
pub use linear::EffectEstimate;
pub(crate) use linear::{Moderation, TrendUse};
pub(crate) use means_and_differences::unit_of_score;
pub use means_and_differences::{FeatureSummaries, FeatureSummary, summaries};
pub use moments::Moments;
pub use statistic::{Scale, Scoring, Statistic};

use crate::base::note::{Note, NoteKind};
use crate::base::remedies::wrong_df;
use crate::base::{Progress, Result, plural};
use crate::numeric::special::t_to_z;
use crate::table::View;
use design::Design;
use score_from_moments::Outcome;

/// A score for every feature.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scores {
    z: Vec<f64>,
    one_sided: Vec<bool>,
    /// How many rows each feature's score rests on.
    pub rows: Vec<u32>,
    /// The statistic that was used, `auto` resolved.
    pub statistic: Statistic,
    /// Notes on features without a score.
    pub notes: Vec<Note>,
    /// What each score rests on, where features were regressed on the target.
    pub estimates: Option<Vec<Option<EffectEstimate>>>,
    pub(crate) moderation: Option<Moderation>,
    pub(crate) trend: Option<TrendUse>,
}

impl Scores {
    /// The score of each feature; NaN where it has none.
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// The scores alone.
    pub fn into_z(self) -> Vec<f64> {
        self.z
    }

    /// For each feature whether only a positive score speaks for it: F, χ² and H have one tail.
    pub fn one_sided(&self) -> &[bool] {
        &self.one_sided
    }

    /// Where variances were moderated: degrees of freedom and variance of their prior, one pair or one per class (of the
    /// reference, of the positive class). The degrees of freedom are infinite where all variances are equal but for
    /// noise; where the prior follows a trend the variance is that of the middle feature.
    pub fn variance_priors(&self) -> Vec<(f64, f64)> {
        match &self.moderation {
            None => vec![],
            Some(Moderation::Pooled(prior)) => vec![(prior.df, prior.typical_variance())],
            Some(Moderation::Welch(priors)) => priors.iter().map(|p| (p.df, p.typical_variance())).collect(),
        }
    }

    /// How strongly a score speaks for its feature: |z| where both signs do, z where only a positive one does. NaN where
    /// there is no score.
    pub fn strength(&self, feature: usize) -> f64 {
        let z = self.z[feature];
        if self.one_sided[feature] { z } else { z.abs() }
    }

    /// The share of the target that a feature explains by itself on `rows` rows, s²/(s² + rows) for its strength s; 0
    /// where nothing speaks for it.
    pub fn explained(&self, feature: usize, rows: usize) -> f64 {
        let strength = self.strength(feature).max(0.0); // a NaN becomes 0
        strength * strength / (strength * strength + rows as f64)
    }
}

/// Scores every feature of `data` against its target.
pub fn compute(data: &View, statistic: Statistic, scale: Scale, progress: &mut dyn Progress) -> Result<Scores> {
    Scoring { statistic, scale, ..Scoring::default() }.scores(data, progress)
}

/// Scores that filters rank by, on the z scale: Welch's t, F, Pearson's correlation or Cox's test of every feature by itself,
/// whatever the others' variances; with covariates or blocks as [`Statistic::Auto`] has it.
pub fn each_by_itself(data: &View, progress: &mut dyn Progress) -> Result<Scores> {
    let statistic = match choice::is_adjusted(data) {
        true => Statistic::Auto,
        false => Statistic::Auto.resolve_for(data.target(), Scale::Z)?,
    };
    compute(data, statistic, Scale::Z, progress)
}

impl Scoring {
    /// The statistic that a view is scored by, `auto` resolved.
    ///
    /// # Errors
    ///
    /// A statistic that does not suit the target or the design.
    pub fn resolved(&self, data: &View) -> Result<Statistic> {
        choice::statistic(self, data)
    }

    /// Scores every feature of `data` against its target. Blocks, if there are any, are taken as crossed with the target.
    pub fn scores(&self, data: &View, progress: &mut dyn Progress) -> Result<Scores> {
        let statistic = choice::statistic(self, data)?;
        let (names, rows) = (data.names(), data.rows().len() as u64);
        let always = statistic.one_sided(data.n_compared());
        let is_one_sided = |feature| always || data.columns().categories(feature).is_some();
        let one_sided = (0..data.n_features()).map(is_one_sided).collect();
        if statistic == Statistic::Cox {
            let (outcomes, note) = cox::outcomes(data, progress)?;
            let mut scores = collect(outcomes, statistic, one_sided, names, rows);
            scores.notes.extend(note);
            return Ok(scores);
        }
        if statistic != Statistic::Moderated && !choice::is_adjusted(data) {
            let outcomes = each_column::outcomes(data, statistic, self.scale, progress)?;
            return Ok(collect(outcomes, statistic, one_sided, names, rows));
        }
        let design = Design::of(data)?;
        let found = linear::scores(data, &design, self, statistic, progress)?;
        let mut scores = collect(found.outcomes, statistic, one_sided, names, rows);
        scores.notes.splice(0..0, found.notes);
        scores.estimates = Some(found.estimates);
        scores.moderation = found.moderation;
        scores.trend = found.trend;
        Ok(scores)
    }
}

/// Scores from t statistics that all have `df` degrees of freedom.
pub fn from_t(t: &[f64], df: f64) -> Result<Vec<f64>> {
    if !(df > 0.0 && df.is_finite()) {
        return Err(wrong_df(df));
    }
    Ok(t.iter().map(|t| t_to_z(*t, df)).collect())
}

/// Features that have no variance but for the target's.
fn perfect_words(features: usize, statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::Pearson | Statistic::Spearman | Statistic::Cox => plural(
            features,
            "{} is determined by the target; its score is capped; check that it is no copy of the target",
            "{} are determined by the target; their scores are capped; check that none is a copy of the target",
        ),
        _ => plural(
            features,
            "{} separates the classes perfectly; its score is capped; check that it is no copy of the target",
            "{} separate the classes perfectly; their scores are capped; check that none is a copy of the target",
        ),
    }
}

/// Turns outcomes into scores and notes; a feature without missing values has `expected` rows.
pub(crate) fn collect(
    outcomes: Vec<Outcome>,
    statistic: Statistic,
    one_sided: Vec<bool>,
    names: &[String],
    expected: u64,
) -> Scores {
    let largest = outcomes.iter().filter_map(|o| o.finite()).map(f64::abs).fold(score_from_moments::LARGEST, f64::max);
    let named = |pick: &dyn Fn(&Outcome) -> bool| -> Vec<String> {
        outcomes.iter().zip(names.iter()).filter(|(o, _)| pick(o)).map(|(_, n)| n.clone()).collect()
    };
    let perfect = named(&|o| matches!(o, Outcome::Perfect { .. }));
    let too_few = match statistic {
        Statistic::Cox => "{} without variation in any risk set set aside",
        _ => "{} with too few values in some class set aside",
    };
    let missing = "{} with missing values, scored on the remaining rows";
    let notes = [
        Note::constant(named(&|o| matches!(o, Outcome::Constant { .. }))),
        Note::counting(NoteKind::TooFewValues, too_few, named(&|o| matches!(o, Outcome::TooFew { .. }))),
        Note::counting(NoteKind::PerfectSeparation, perfect_words(perfect.len(), statistic), perfect),
        Note::counting(NoteKind::MissingValues, missing, named(&|o| u64::from(o.n_rows()) < expected)),
    ];
    Scores {
        z: outcomes.iter().map(|o| o.score(largest)).collect(),
        rows: outcomes.iter().map(Outcome::n_rows).collect(),
        one_sided,
        statistic,
        notes: notes.into_iter().flatten().collect(),
        estimates: None,
        moderation: None,
        trend: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_without_variance_are_told_in_the_singular_and_the_plural() {
        let said = |features, statistic| perfect_words(features, statistic).split("; check").next().unwrap_or_default();
        assert_eq!(said(1, Statistic::Welch), "{} separates the classes perfectly; its score is capped");
        assert_eq!(said(2, Statistic::Welch), "{} separate the classes perfectly; their scores are capped");
        assert_eq!(said(1, Statistic::Pearson), "{} is determined by the target; its score is capped");
        assert_eq!(said(2, Statistic::Pearson), "{} are determined by the target; their scores are capped");
    }
}
