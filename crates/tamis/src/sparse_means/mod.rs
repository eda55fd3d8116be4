//! Sparse normal means: from scores to *how many features matter, and which*.
//!
//! The model: z_i ~ N(μ_i, 1), most μ_i are nothing, the rest come from a prior that is estimated
//! from the scores themselves (empirical Bayes). One file per prior; what is done with the
//! posterior is the same for all of them ([`posterior`]).
//!
//! | `prior` | a feature is irrelevant if | reference |
//! | --- | --- | --- |
//! | `auto` (default; [`noise_states`]) | it has no effect, or one in the other direction than its score shows | |
//! | [`kde`] | μ = 0 | Raykar & Zhao, SNBL, and AISTATS 2010 |
//! | [`normal`], [`laplace`] | μ = 0 | SNBL eq. (23–24); Johnstone & Silverman 2004 |
//! | [`npmle`] | μ = 0 | Kiefer & Wolfowitz 1956, with an atom at zero |
//!
//! `prior=auto` averages over the states that correlated noise may be in, as null scores of the table show them; without
//! null scores it takes features as independent.
//!
//! | file | holds |
//! | --- | --- |
//! | `snbl`, `select_from_scores`, `parameters` | the methods `snbl` and `shrink`, and their parameters |
//! | `snbl_notes`, `design_and_own_units`, `average_rows_in_blocks` | what `snbl` says beside its selection; the rows of blocks it averages |
//! | `prior_fit`, `posterior` | what a fitted prior says of every score, and what follows for all of them |
//! | `decision_rule`, `named_features`, `best_first` | which features are selected |
//! | `auto`, `kde` (many scores: `kde_binned`), `normal` and `laplace` (`parametric`), `npmle` | the priors |
//! | `mixture_interior_point`, `mixture_newton`, `nonnegative_minimum`, `binned` | how mixtures are fitted |
//! | `null`, `null_scores`, `permuted_targets`, `table_nulls` | the empirical null; null scores and where they come from |
//! | `ascending_order` | scores in order |

mod ascending_order;
mod auto;
mod average_rows_in_blocks;
mod best_first;
mod binned;
mod by_rows;
mod decision_rule;
mod design_and_own_units;
pub mod kde;
mod kde_binned;
pub mod laplace;
mod mixture_interior_point;
mod mixture_newton;
mod named_features;
pub mod noise_states;
mod nonnegative_minimum;
pub mod normal;
pub mod npmle;
pub mod null;
pub mod null_scores;
mod null_targets;
pub mod parameters;
mod parametric;
mod permuted_targets;
pub mod posterior;
mod prior_fit;
mod row_noise;
mod sample_weights;
mod select_from_scores;
mod set_tests;
mod snbl;
mod snbl_notes;
mod table_nulls;

pub use decision_rule::Decide;
pub use null_targets::NullTargets;
pub use parameters::{Bandwidth, Estimate, Null, Prior, SparseMeans, Update};
pub use posterior::Posterior;
pub(crate) use prior_fit::PriorFit;
pub use prior_fit::{Curves, Sides};
pub use sample_weights::SampleWeights;
pub use select_from_scores::{shrink, shrink_given};
pub use snbl::Snbl;
pub(crate) use table_nulls::TableNulls;

use crate::base::{Context, Describe, Result};
use ascending_order::{check, sort};
use noise_states::Noise;
use null_scores::NullScores;
use posterior::{HowManyDiffer, Rule};

impl SparseMeans {
    /// Fits the prior to two-sided scores and decides which features matter; see [`SparseMeans::fit_sides`].
    pub fn fit(&self, scores: &[f64], context: &mut Context) -> Result<Posterior> {
        self.fit_sides(scores, Sides::Two, Curves::Drawn, context)
    }

    /// Fits the prior to the scores of independent features and decides which matter.
    ///
    /// Where only positive scores count, a negative one is irrelevant with certainty.
    ///
    /// A missing score (NaN) is set aside: irrelevant with certainty, effect 0, counted nowhere. The result does not depend
    /// on the order of the scores.
    ///
    /// Cost: one sort, then O(n); for `auto` 199 passes over drawn null scores; see [`kde`] for the iteration.
    pub fn fit_sides(
        &self,
        scores: &[f64],
        sides: Sides<'_>,
        curves: Curves,
        context: &mut Context,
    ) -> Result<Posterior> {
        let seed = context.seed;
        self.conclude(scores, sides, Noise::Independent { seed }, curves, context)
    }

    /// Like [`SparseMeans::fit_sides`], for the scores of a table whose null scores are at hand: with `prior=auto` they show
    /// which states the noise may be in ([`noise_states`]). `residual_dimension` is the dimension of the space of
    /// residuals. The papers' priors do not use them, nor does `null=empirical`, which takes the noise of this table from
    /// its own scores.
    pub fn fit_with_nulls(
        &self,
        scores: &[f64],
        sides: Sides<'_>,
        nulls: &dyn NullScores,
        residual_dimension: usize,
        curves: Curves,
        context: &mut Context,
    ) -> Result<Posterior> {
        let noise = match self.null {
            Null::Theoretical => Noise::Table { nulls, residual_dimension },
            Null::Empirical => Noise::Independent { seed: context.seed },
        };
        self.conclude(scores, sides, noise, curves, context)
    }

    /// Fits the prior to the scores and decides.
    fn conclude(
        &self,
        scores: &[f64],
        sides: Sides<'_>,
        noise: Noise<'_>,
        curves: Curves,
        context: &mut Context,
    ) -> Result<Posterior> {
        self.validate()?;
        check(scores)?;
        let (mut sorted, order) = sort(scores);
        let rescaled = match self.null {
            Null::Theoretical => None,
            Null::Empirical => Some(null::standardise(&mut sorted)?),
        };
        let (mut fit, differ) = match self.prior {
            Prior::Auto => auto::fit((&sorted, &order), sides, noise, self, curves, context)?,
            Prior::Kde => (kde::fit(&sorted, self, context)?, None),
            Prior::Normal => (parametric::fit(&normal::Normal, &sorted, self.estimate, context)?, None),
            Prior::Laplace => (parametric::fit(&laplace::Laplace, &sorted, self.estimate, context)?, None),
            Prior::Npmle => (npmle::fit(&sorted, context)?, None),
        };
        fit.forget_signs(&sorted, &order, sides);
        let differ = differ.unwrap_or_else(|| HowManyDiffer::given_prior(&fit.irrelevant));
        Ok(posterior::decide(scores.len(), (sorted, &order), sides, fit, self.rule(), differ, rescaled))
    }

    fn rule(&self) -> Rule {
        let decide = self.decide_resolved();
        Rule { decide, fdr: self.fdr, by_probability: self.prior == Prior::Auto && decide != Decide::Count }
    }
}

#[cfg(test)]
mod error_rates_tests;
