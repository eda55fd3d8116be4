//! Sparse normal means: from scores to *how many features matter, and which*.
//!
//! The model: z_i ~ N(μ_i, 1), most μ_i are nothing, the rest come from a prior that is estimated
//! from the scores themselves (empirical Bayes). One file per prior; what is done with the
//! posterior is the same for all of them ([`posterior`]).
//!
//! | `prior` | an effect μ is irrelevant if | reference |
//! | --- | --- | --- |
//! | [`auto_normal_mixtures`] (default) | \|μ\| ≤ 1, less than one noise standard deviation | four families of normal mixtures, averaged |
//! | [`kde`] | μ = 0 | Raykar & Zhao, SNBL, and AISTATS 2010 |
//! | [`normal`], [`laplace`] | μ = 0 | SNBL eq. (23–24); Johnstone & Silverman 2004 |
//! | [`npmle`] | μ = 0 | Kiefer & Wolfowitz 1956, with an atom at zero |
//!
//! With `prior=auto` more follows: an interval for how many effects are larger than 1 or 2 (`count_interval.rs`), the
//! features that can be named (`named_features.rs`), and, where null scores of a table are at hand, the correlation of its scores
//! ([`correlated`]).

mod ascending_order;
pub mod auto_normal_mixtures;
mod average_rows_in_blocks;
mod best_first;
mod binned;
pub mod correlated;
mod count_interval;
mod decision_rule;
mod design_and_own_units;
mod effect_given_score;
mod how_many_matter;
pub mod kde;
mod kde_binned;
pub mod laplace;
mod mixture_interior_point;
mod mixture_newton;
mod named_features;
pub mod noise_states;
mod nonnegative_minimum;
pub mod normal;
mod normal_mixture_families;
pub mod npmle;
pub mod null;
pub mod parameters;
mod parametric;
mod permuted_targets;
pub mod posterior;
mod select_from_scores;
mod snbl;
mod snbl_notes;
mod table_nulls;

pub use decision_rule::Decide;
pub use parameters::{Bandwidth, Estimate, Null, Prior, SparseMeans, Update};
pub use posterior::Posterior;
pub use select_from_scores::{shrink, shrink_given};
pub use snbl::Snbl;
pub(crate) use table_nulls::TableNulls;

use crate::base::{Describe, Error, Place, Progress, Result};
use crate::selection::detail::FitDetail;
use ascending_order::sort;
use auto_normal_mixtures::{GateRule, Setting};
use correlated::{Calibration, Judgement, NullScores};
use how_many_matter::{Intervals, Scalings};
use posterior::Rule;

/// The fit of a prior to sorted scores.
#[derive(Debug, Clone)]
pub(crate) struct PriorFit {
    /// The posterior probability that each score's feature is irrelevant, p_i.
    pub irrelevant: Vec<f64>,
    /// The posterior mean of each μ_i.
    pub effects: Vec<f64>,
    /// The probability that each μ_i has not the more likely sign, where it is known.
    pub sign_errors: Option<Vec<f64>>,
    /// The ends of a 95 % interval for each μ_i, where they were asked for and are known.
    pub effects_95: Option<[Vec<f64>; 2]>,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken.
    pub iterations: usize,
    /// Data for plots.
    pub detail: FitDetail,
}

impl PriorFit {
    /// Takes negative scores that count on their positive side only as irrelevant; none of those has a sign.
    fn forget_signs(&mut self, sorted: &[f64], order: &[u32], sides: Sides<'_>) {
        for (at, _) in order.iter().enumerate().filter(|(_, i)| sides.one(**i as usize)) {
            if sorted[at] < 0.0 {
                self.irrelevant[at] = 1.0;
                self.effects[at] = 0.0;
            }
            if let Some(sign_errors) = &mut self.sign_errors {
                sign_errors[at] = f64::NAN;
            }
        }
    }
}

/// Whether the curves that only plots need are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curves {
    /// They are, and so is an interval for every effect (`prior=auto`).
    DrawnWithIntervals,
    /// They are.
    Drawn,
    /// Nobody will look at them.
    LeftOut,
}

/// Which scores speak for a feature.
#[derive(Debug, Clone, Copy)]
pub enum Sides<'a> {
    /// Large positive and large negative ones.
    Two,
    /// Only positive ones: a small F or χ² is no evidence of anything.
    One,
    /// Feature by feature: `true` where only positive ones do.
    Mixed(&'a [bool]),
}

impl Sides<'_> {
    /// Whether only positive scores speak for feature `i`.
    fn one(&self, i: usize) -> bool {
        match self {
            Sides::Two => false,
            Sides::One => true,
            Sides::Mixed(one) => one[i],
        }
    }
}

impl SparseMeans {
    /// Fits the prior to two-sided scores and decides which features matter; see [`SparseMeans::fit_sides`].
    pub fn fit(&self, scores: &[f64], progress: &mut dyn Progress) -> Result<Posterior> {
        self.fit_sides(scores, Sides::Two, Curves::Drawn, progress)
    }

    /// Fits the prior to the scores and decides which features matter.
    ///
    /// Where only positive scores count, a negative one is irrelevant with certainty; under `prior=auto` with all
    /// scores so, *matters* means μ > 1 and the prior has no component below zero.
    ///
    /// A missing score (NaN) is set aside: irrelevant with certainty, effect 0, counted nowhere. The
    /// result does not depend on the order of the scores: they are sorted first, and every sum runs
    /// in that order.
    ///
    /// Cost: one sort, then O(n) for `auto`; see [`kde`] for the iteration. Memory: about five
    /// numbers a score.
    pub fn fit_sides(
        &self,
        scores: &[f64],
        sides: Sides<'_>,
        curves: Curves,
        progress: &mut dyn Progress,
    ) -> Result<Posterior> {
        self.conclude(scores, sides, None, curves, progress)
    }

    /// Like [`SparseMeans::fit_sides`], for the scores of a table whose null scores are at hand: with `prior=auto` they show
    /// how the scores of noise move together ([`correlated`]). `residual_dimension` is the dimension of the space of
    /// residuals. The papers' priors do not use them.
    pub fn fit_with_nulls(
        &self,
        scores: &[f64],
        sides: Sides<'_>,
        nulls: &dyn NullScores,
        residual_dimension: usize,
        curves: Curves,
        progress: &mut dyn Progress,
    ) -> Result<Posterior> {
        self.validate()?;
        check(scores)?;
        if self.prior != Prior::Auto {
            return self.conclude(scores, sides, None, curves, progress);
        }
        let judgement = Judgement { quiet: self.quiet, null: self.null, residual_dimension };
        let calibration = correlated::calibrate(scores, sides, nulls, &judgement, progress)?;
        self.conclude(scores, sides, Some(calibration), curves, progress)
    }

    /// Fits the prior to the scores, standardised if null scores are known, and decides.
    fn conclude(
        &self,
        scores: &[f64],
        sides: Sides<'_>,
        calibration: Option<Calibration>,
        curves: Curves,
        progress: &mut dyn Progress,
    ) -> Result<Posterior> {
        self.validate()?;
        check(scores)?;
        let (mut sorted, order) = match (&calibration, self.null) {
            (Some(calibration), Null::Theoretical) => sort(&calibration.standardised),
            _ => sort(scores),
        };
        let rescaled = match self.null {
            Null::Theoretical => None,
            Null::Empirical => Some(null::standardise(&mut sorted)?),
        };
        let brief = curves == Curves::LeftOut;
        let mut fit = match self.prior {
            Prior::Auto => {
                auto_normal_mixtures::fit(&sorted, &self.setting(sides, calibration.as_ref()), curves, progress)?
            }
            Prior::Kde => kde::fit(&sorted, self, progress)?,
            Prior::Normal => parametric::fit(&normal::Normal, &sorted, self.estimate, progress)?,
            Prior::Laplace => parametric::fit(&laplace::Laplace, &sorted, self.estimate, progress)?,
            Prior::Npmle => npmle::fit(&sorted, progress)?,
        };
        fit.forget_signs(&sorted, &order, sides);
        let guard = calibration.as_ref().and_then(|calibration| calibration.guard);
        if let (Some(limit), Decide::Auto) = (guard, self.decide) {
            named_features::guard(&mut fit.irrelevant, &sorted, &order, sides, limit);
            let one_sided = matches!(sides, Sides::One);
            fit.detail.curve.doubt(|z| named_features::is_doubted(z, one_sided, limit));
        }
        let intervals = match self.prior {
            Prior::Auto if brief => Intervals::default(),
            Prior::Auto => {
                let open = fit.detail.gate.is_some_and(|gate| gate.passed);
                let certain = named_features::certain(&sorted, &order, sides);
                let standardised = calibration.as_ref().filter(|_| rescaled.is_none());
                how_many_matter::intervals(&scalings(scores, &sorted, &order, sides, standardised), open, certain)
            }
            _ => Intervals { matters: Some(posterior::poisson_binomial_95(&fit.irrelevant)), strongly: None },
        };
        if let Some(calibration) = calibration {
            if rescaled.is_none() {
                fit.detail.curve.stretch(calibration.correlation.shift, calibration.correlation.divisor);
            }
            fit.detail.correlation = Some(calibration.correlation);
        }
        Ok(posterior::decide(scores.len(), (sorted, &order), sides, fit, self.rule(), intervals, rescaled))
    }

    fn setting(&self, sides: Sides<'_>, calibration: Option<&Calibration>) -> Setting {
        let gate = match calibration {
            Some(calibration) => GateRule::Decided(calibration.gate),
            None => GateRule::Threshold { quiet: self.quiet },
        };
        let overdispersion = calibration.map_or(1.0, |calibration| calibration.correlation.phi);
        Setting { one_sided: matches!(sides, Sides::One), overdispersion, gate }
    }

    fn rule(&self) -> Rule {
        let decide = self.decide_resolved();
        Rule { decide, fdr: self.fdr, by_probability: self.prior == Prior::Auto && decide != Decide::Count }
    }
}

/// Refuses scores that cannot be ranked.
fn check(scores: &[f64]) -> Result<()> {
    if u32::try_from(scores.len()).is_err() {
        let problem = format!("{} scores are more than the 4,294,967,295 that can be ranked", scores.len());
        return Err(Error::data(Place::default(), problem, "split them"));
    }
    if let Some(i) = scores.iter().position(|z| z.is_infinite()) {
        return Err(Error::data(
            Place::default().at_row(i as u64 + 1),
            format!("the score is {}", scores[i]),
            "give a finite score, or leave it empty to set it aside",
        ));
    }
    Ok(())
}

/// The scalings of the scores that tell how many features matter. If they were standardised, the scores as they are and,
/// where noise about its own centre is narrower than 1, the scores widened to 1 may show more.
fn scalings(
    scores: &[f64],
    sorted: &[f64],
    order: &[u32],
    sides: Sides<'_>,
    calibration: Option<&Calibration>,
) -> Scalings {
    let counted = |scores: &[f64]| how_many_matter::counted(scores, order, sides);
    let mut wider = vec![];
    let mut overdispersion = 1.0;
    if let Some(Calibration { correlation, .. }) = calibration {
        overdispersion = correlation.phi;
        if correlation.shift != 0.0 || correlation.divisor != 1.0 {
            let raw: Vec<f64> = order.iter().map(|&i| scores[i as usize]).collect();
            wider.push(counted(&raw));
        }
        if correlation.w0 < 1.0 {
            let widened: Vec<f64> = sorted.iter().map(|z| z / correlation.w0).collect();
            wider.push(counted(&widened));
        }
    }
    Scalings { scores: counted(sorted), wider, overdispersion }
}

/// ⌊x⌋ as an integer, without a call on processors that have no instruction for it.
fn floor(x: f64) -> i64 {
    let towards_zero = x as i64;
    towards_zero - i64::from((towards_zero as f64) > x)
}

#[cfg(test)]
mod error_rates_tests;
