//! Scores and summaries of features of which only sums are at hand: moments by class, or jointly with a numeric target.

use super::comoments::CoMoments;
use super::design::linear_fit::{ClassSquares, FeatureFit, LinearFit};
use super::design::summed_design::{AdjustedSums, SummedDesign};
use super::design::{constant_target, dependent, determined_by, too_few_rows};
use super::means_and_differences::{FeatureSummaries, FeatureSummary, from_class_moments, from_joint_moments};
use super::score_from_moments::Outcome;
use super::{Moments, Scores, Scoring, Statistic, collect, linear};
use crate::base::Result;
use crate::table::ComparedClasses;
use rayon::prelude::*;

/// A feature as its sums against the target.
#[derive(Debug, Clone)]
pub(crate) enum FeatureSums {
    /// By class, of numbers that were multiplied by `unit`.
    Classes { moments: Vec<Moments>, unit: f64 },
    /// Joint with a numeric target, both multiplied by units of their own.
    Number { joint: CoMoments, units: [f64; 2] },
    /// By class, or with a numeric target as the last column, and jointly with the columns of covariates.
    Adjusted(AdjustedSums),
    /// A column of categories, which has its score already.
    Categories(Outcome),
    /// All values are missing.
    Nothing,
}

/// All features of a table as sums.
pub(crate) struct SummedFeatures<'a> {
    pub(crate) names: &'a [String],
    /// For each feature its rows and its sums.
    pub(crate) features: Vec<(u32, FeatureSums)>,
    /// The classes' names; none for a numeric target.
    pub(crate) classes: &'a [String],
    /// The positive class of two.
    pub(crate) positive: usize,
    /// Which of several classes are compared.
    pub(crate) comparison: ComparedClasses,
    /// The target's name.
    pub(crate) target: &'a str,
    /// What features are adjusted for.
    pub(crate) design: Option<SummedDesign>,
    /// Rows that have a target and any weight.
    pub(crate) rows: u64,
}

impl SummedFeatures<'_> {
    /// How many classes there are; `None` for a numeric target.
    fn n_classes(&self) -> Option<usize> {
        (!self.classes.is_empty()).then_some(self.classes.len())
    }

    /// The scores by a statistic that rests on moments.
    ///
    /// # Errors
    ///
    /// Covariates that determine the target, and too few rows for them.
    pub(crate) fn scores(&self, scoring: &Scoring, statistic: Statistic) -> Result<Scores> {
        let n_classes = self.n_classes();
        let always = statistic.one_sided(n_classes);
        let is_category = |sums: &FeatureSums| matches!(sums, FeatureSums::Categories(_));
        let one_sided = self.features.iter().map(|(_, sums)| always || is_category(sums)).collect();
        let several = n_classes.is_some_and(|n| n > 2);
        let found = match &self.design {
            Some(design) => self.adjusted(design, scoring, statistic, several)?,
            None if statistic != Statistic::Moderated => {
                let outcomes = self.features.iter().map(|(rows, sums)| self.outcome(*rows, sums, scoring, statistic));
                return Ok(collect(outcomes.collect(), statistic, one_sided, self.names, self.rows));
            }
            None => {
                let fits: Vec<FeatureFit> = self.features.iter().map(|(rows, sums)| self.fit(*rows, sums)).collect();
                let mut found = linear::of_fits(&fits, scoring, statistic, several, true);
                for (outcome, (_, sums)) in found.outcomes.iter_mut().zip(&self.features) {
                    if let FeatureSums::Categories(own) = sums {
                        *outcome = *own;
                    }
                }
                found
            }
        };
        let mut scores = collect(found.outcomes, statistic, one_sided, self.names, self.rows);
        scores.notes.splice(0..0, found.notes);
        scores.estimates = Some(found.estimates);
        scores.moderation = found.moderation;
        scores.trend = found.trend;
        Ok(scores)
    }

    /// Scores that are adjusted for covariates.
    fn adjusted(
        &self,
        design: &SummedDesign,
        scoring: &Scoring,
        statistic: Statistic,
        several: bool,
    ) -> Result<linear::LinearScores> {
        if design.target_is_constant() {
            return Err(constant_target(self.target));
        }
        let names: Vec<&str> = design.covariates.iter().map(String::as_str).collect();
        let shared = design.factor().ok_or_else(|| {
            let mut distinct = names.clone();
            distinct.dedup();
            determined_by(self.target, &distinct, &|name| design.is_determined_by(name))
        })?;
        if shared.weight() <= shared.n_coefficients() as f64 {
            let rows = usize::try_from(self.rows).unwrap_or(usize::MAX);
            return Err(too_few_rows(rows, shared.weight(), shared.n_coefficients()));
        }
        let fit = |(rows, sums): &(u32, FeatureSums)| match sums {
            FeatureSums::Adjusted(sums) => design.fit(*rows, sums, &shared),
            FeatureSums::Categories(_) => FeatureFit::Categories,
            _ => FeatureFit::Constant { rows: *rows },
        };
        let fits: Vec<FeatureFit> = self.features.par_iter().map(fit).collect();
        let mut found = linear::of_fits(&fits, scoring, statistic, several, false);
        let categories = self.features.iter().enumerate();
        let categories = categories.filter(|(_, (_, sums))| matches!(sums, FeatureSums::Categories(_)));
        let rows = u32::try_from(self.rows).unwrap_or(u32::MAX);
        found.set_aside(categories.map(|(at, _)| at), self.names, rows);
        found.notes.splice(0..0, dependent(&names, &shared.dependent));
        Ok(found)
    }

    fn outcome(&self, rows: u32, sums: &FeatureSums, scoring: &Scoring, statistic: Statistic) -> Outcome {
        match sums {
            FeatureSums::Nothing => Outcome::Constant { rows },
            FeatureSums::Categories(outcome) => *outcome,
            FeatureSums::Number { joint, .. } => Outcome::pearson(joint, scoring.scale, rows),
            FeatureSums::Adjusted(_) => Outcome::TooFew { rows }, // scored by the design
            FeatureSums::Classes { moments, .. } => {
                let two = || (&moments[self.positive], &moments[1 - self.positive]);
                match statistic {
                    Statistic::F => Outcome::f(moments, rows),
                    Statistic::Pooled => Outcome::pooled(two().0, two().1, scoring.scale, rows),
                    _ => Outcome::welch(two().0, two().1, scoring.scale, rows),
                }
            }
        }
    }

    /// The regression of a feature on the target.
    fn fit(&self, rows: u32, sums: &FeatureSums) -> FeatureFit {
        match sums {
            FeatureSums::Nothing => FeatureFit::Constant { rows },
            FeatureSums::Categories(_) | FeatureSums::Adjusted(_) => FeatureFit::Categories,
            FeatureSums::Number { joint, units } => fit_number(rows, joint, *units),
            FeatureSums::Classes { moments, unit } => fit_classes(rows, moments, *unit, self.positive),
        }
    }

    /// The features in their own units.
    pub(crate) fn summaries(&self, scores: &Scores, scoring: &Scoring) -> FeatureSummaries {
        let one = |(feature, (_, sums)): (usize, &(u32, FeatureSums))| match sums {
            FeatureSums::Nothing | FeatureSums::Categories(_) => {
                FeatureSummary::of_estimate(feature, scores, scoring.scale, None)
            }
            FeatureSums::Number { joint, units: [x, y] } => {
                let estimate = from_joint_moments(joint, scores.statistic, y / x);
                FeatureSummary::of_estimate(feature, scores, scoring.scale, Some(estimate))
            }
            FeatureSums::Adjusted(_) if self.classes.is_empty() => {
                FeatureSummary::of_estimate(feature, scores, scoring.scale, None)
            }
            FeatureSums::Classes { moments, unit } | FeatureSums::Adjusted(AdjustedSums { moments, unit, .. }) => {
                let roles = (self.positive, self.comparison);
                from_class_moments(moments, *unit, roles, (feature, scores, scoring.scale))
            }
        };
        FeatureSummaries {
            classes: self.classes.to_vec(),
            features: self.features.iter().enumerate().map(one).collect(),
        }
    }
}

/// The regression on classes that all have values; undetermined where one has none.
fn fit_classes(rows: u32, moments: &[Moments], unit: f64, positive: usize) -> FeatureFit {
    let all = Moments::merge_in_order(moments);
    if all.m2 == 0.0 {
        return FeatureFit::Constant { rows };
    }
    if moments.iter().any(|m| m.count == 0.0) {
        return FeatureFit::Undetermined { rows, left: None };
    }
    let residual: f64 = moments.iter().map(|m| m.m2).sum();
    let explained: f64 = moments.iter().map(|m| m.count * all.difference(m).powi(2)).sum();
    let (p, n) = (&moments[positive], &moments[if positive == 0 { 1 } else { 0 }]);
    let two = moments.len() == 2;
    let square = |m: &Moments| ClassSquares { count: m.count, squares: m.m2 / unit / unit };
    FeatureFit::Fitted(LinearFit {
        rows,
        mean: (all.mean + all.rest) / unit,
        mean_square: all.mean_square() / unit / unit,
        coefficients: if two { vec![n.difference(p) / unit] } else { vec![0.0; moments.len() - 1] },
        unscaled: vec![(1.0 / p.count + 1.0 / n.count).sqrt()].into(),
        explained: explained / unit / unit,
        residual: residual / unit / unit,
        df: all.count - moments.len() as f64,
        classes: two.then(|| [square(n), square(p)]),
    })
}

/// The regression on a number.
fn fit_number(rows: u32, joint: &CoMoments, [x, y]: [f64; 2]) -> FeatureFit {
    if joint.xx == 0.0 {
        return FeatureFit::Constant { rows };
    }
    if joint.yy == 0.0 {
        return FeatureFit::Undetermined { rows, left: None };
    }
    let slope = joint.xy / joint.yy;
    let explained = slope * joint.xy;
    FeatureFit::Fitted(LinearFit {
        rows,
        mean: joint.mean_x / x,
        mean_square: (joint.mean_x * joint.mean_x + joint.xx / joint.count) / x / x,
        coefficients: vec![slope * y / x],
        unscaled: vec![y / joint.yy.sqrt()].into(),
        explained: explained / x / x,
        residual: (joint.xx - explained).max(0.0) / x / x,
        df: joint.count - 2.0,
        classes: None,
    })
}
