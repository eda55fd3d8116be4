//! Cox's proportional hazards: a feature's score against survival times, some of them censored.
//!
//! The hazard of a sample is h(t)·exp(x·β + z·γ) with covariates z. The score test asks whether β is 0, with γ at its
//! estimate γ̂: z = U/√V, where U is the derivative of the logarithm of the partial likelihood by β and
//! V = I_xx − I_xz·I_zz⁻¹·I_zx. The risk set of a time t is all samples whose own time is at least t, those censored at t
//! included; tied events share it by Efron's rule. U is also Σ x·M with the martingale residuals M of the model of the
//! covariates alone. Blocks are strata: each has its own h(t) and its own risk sets.
//!
//! A feature with missing values uses its own rows, on which γ̂ is estimated again.
//!
//! Cost: one sort of the samples, then O(N·(q + 1)) for a feature beside q covariates.
//!
//! Reference: Cox, *Regression models and life-tables*, J. R. Statist. Soc. B 34, 1972; Efron, *The efficiency of Cox's
//! likelihood function for censored data*, JASA 72, 1977.

mod covariates;
mod estimate;
mod information_factor;
mod log_hazard_ratio;
mod newton;
mod null_model;
mod partial_likelihood;
mod risk_sets;
mod score_test;

pub use estimate::log_hazard_ratios;
pub use log_hazard_ratio::CoxEstimate;

use super::score_from_moments::Outcome;
use crate::base::note::{Note, NoteKind};
use crate::base::{Progress, Result};
use crate::table::{Target, View, column_source};
use score_test::{CoxTest, each_feature};

/// The score test of every feature, and notes on the covariates.
pub(super) fn outcomes(data: &View, progress: &mut dyn Progress) -> Result<(Vec<Outcome>, Option<Note>)> {
    let test = CoxTest::of(data)?;
    let outcomes = each_feature(data, progress, |feature, column| match column {
        Some(values) => {
            column_source::check_finite(values, None, &data.names()[feature])?;
            Ok(test.numbers(values))
        }
        None => Ok(data.columns().categories(feature).map_or(Outcome::TooFew { rows: 0 }, |c| test.categories(c))),
    })?;
    let text = "survival can be explained perfectly by a covariate, whose log hazard ratio has no finite estimate";
    Ok((outcomes, (!test.converged()).then(|| Note::new(NoteKind::NotConverged, text))))
}

/// The martingale residuals of survival explained by the covariates alone: 1 for an event, else 0, less the number of
/// events that was to be expected. One per row of the table; NaN where the view does not have the row.
///
/// They stand for the target where numbers are needed: U = Σ x·M for every feature x.
///
/// # Errors
///
/// A target that is not survival times, and rows that have importance weights.
pub fn martingale_residuals(data: &View) -> Result<Vec<f64>> {
    Ok(CoxTest::of(data)?.residuals(data.target().len()))
}

/// The target that is permuted in place of survival times: their martingale residuals. `None` for another target.
pub(crate) fn permutable_target(data: &View) -> Result<Option<Target>> {
    match data.target() {
        Target::Survival { .. } => Ok(Some(Target::Real { values: martingale_residuals(data)? })),
        Target::Classes { .. } | Target::Real { .. } => Ok(None),
    }
}
