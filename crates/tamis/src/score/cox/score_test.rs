//! The score test of each feature of a view, and its log hazard ratio.

use super::CoxEstimate;
use super::covariates;
use super::information_factor::InformationFactor;
use super::newton::{information, maximise};
use super::null_model::NullModel;
use super::risk_sets::RiskSets;
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::numeric::linalg::dot;
use crate::numeric::special::chi2_to_z;
use crate::score::score_from_moments::Outcome;
use crate::score::statistic::times_needed;
use crate::table::{Categories, MISSING, Target, View};
use rayon::prelude::*;
use std::borrow::Cow;

/// Samples of a view in the order of their risk sets, with the model of the covariates alone.
pub(super) struct CoxTest {
    /// The row of the table at each position.
    rows: Vec<u32>,
    model: NullModel,
}

/// Where less than this share of the information at β = 0 is left, the partial likelihood is flat and β has run away.
const LEAST_INFORMATION: f64 = 1e-8;

/// A feature at its own rows.
struct OwnRows<'a> {
    values: Vec<f64>,
    model: Cow<'a, NullModel>,
}

impl CoxTest {
    /// Sorts the samples and fits the covariates; blocks are strata.
    ///
    /// # Errors
    ///
    /// Another kind of target, and rows that have importance weights.
    pub(super) fn of(data: &View) -> Result<CoxTest> {
        let Target::Survival { times, events } = data.target() else {
            return Err(Error::parameter("score", "cox", times_needed()));
        };
        let data = &data.copies_as_rows()?;
        if data.weights().is_some() {
            let numbers = OptionName::WeightKind.set("frequency");
            let remedy = text!["remove ", OptionName::Weight, ", or pass ", numbers, " if they are numbers of rows"];
            return Err(Error::method("cox", "takes no importance weights", remedy));
        }
        let rows = data.rows();
        let times: Vec<f64> = rows.iter().map(|&row| times[row as usize]).collect();
        let events: Vec<bool> = rows.iter().map(|&row| events[row as usize]).collect();
        let strata: Option<Vec<u32>> =
            data.blocks().map(|(_, blocks)| rows.iter().map(|&row| blocks.codes()[row as usize]).collect());
        let risk_sets = RiskSets::new(&times, &events, strata.as_deref());
        let rows: Vec<u32> = risk_sets.order.iter().map(|&sample| rows[sample as usize]).collect();
        let covariates = covariates::columns(data.covariates(), &rows)?;
        let start = vec![0.0; covariates.len()];
        Ok(CoxTest { rows, model: NullModel::fit(risk_sets, covariates, start) })
    }

    /// Whether the covariates' coefficients have finite estimates.
    pub(super) fn converged(&self) -> bool {
        self.model.maximum.converged
    }

    /// The martingale residuals of the model of the covariates alone, each at its row of a table of so many rows; NaN
    /// elsewhere.
    pub(super) fn residuals(&self, table_rows: usize) -> Vec<f64> {
        let mut residuals = vec![f64::NAN; table_rows];
        for (&row, residual) in self.rows.iter().zip(&self.model.residuals) {
            residuals[row as usize] = *residual;
        }
        residuals
    }

    /// z = U/√V of a column of numbers.
    pub(super) fn numbers(&self, column: &[f64]) -> Outcome {
        let OwnRows { mut values, model } = self.own_rows(column);
        let rows = values.len() as u32;
        if covariates::centre(&mut values).is_none() {
            return Outcome::Constant { rows };
        }
        match model.score_test(&values) {
            Some(test) => Outcome::Score { z: test.derivative / test.information.sqrt(), rows },
            None => Outcome::TooFew { rows },
        }
    }

    /// χ² of a column of categories, the score test of a coefficient for every level but one, as a one-sided z: with no
    /// covariates the log-rank test.
    pub(super) fn categories(&self, column: &Categories) -> Outcome {
        let codes: Vec<u32> = self.rows.iter().map(|&row| column.codes()[row as usize]).collect();
        let kept: Vec<bool> = codes.iter().map(|code| *code != MISSING).collect();
        let model = self.model_of(&kept);
        let codes: Vec<u32> = codes.into_iter().filter(|code| *code != MISSING).collect();
        let rows = codes.len() as u32;
        let mut levels = codes.clone();
        levels.sort_unstable();
        levels.dedup();
        if levels.len() < 2 {
            return Outcome::Constant { rows };
        }
        let indicator = |level: &u32| codes.iter().map(|code| f64::from(u8::from(code == level))).collect();
        let indicators: Vec<Vec<f64>> = levels[1..].iter().map(indicator).collect();
        let own_products =
            indicators.iter().map(|column| model.maximum.baseline.information_times(&model.risk_sets, column));
        let products: Vec<Vec<f64>> = model.maximum.products.iter().cloned().chain(own_products).collect();
        let columns: Vec<&[f64]> = model.covariates.iter().chain(&indicators).map(Vec::as_slice).collect();
        let factor = InformationFactor::new(&information(&columns, &products));
        let before = model.covariates.len();
        let derivative = |(at, column): (usize, &&[f64])| if at < before { 0.0 } else { dot(column, &model.residuals) };
        let derivatives: Vec<f64> = columns.iter().enumerate().map(derivative).collect();
        match factor.rank_from(before) {
            0 => Outcome::TooFew { rows },
            rank => Outcome::one_sided(chi2_to_z(factor.quadratic(&derivatives), rank as f64), rows),
        }
    }

    /// The log hazard ratio of a unit of a column: to convergence, or after the first step of Newton's method.
    pub(super) fn estimate(&self, column: &[f64], to_convergence: bool) -> CoxEstimate {
        let OwnRows { mut values, model } = self.own_rows(column);
        let Some(unit) = covariates::standardise(&mut values) else { return CoxEstimate::NONE };
        let Some(test) = model.score_test(&values) else { return CoxEstimate::NONE };
        if !to_convergence {
            return CoxEstimate::new(test.derivative / test.information, test.information, unit);
        }
        let columns: Vec<&[f64]> = model.covariates.iter().chain([&values]).map(Vec::as_slice).collect();
        let start = model.maximum.coefficients.iter().copied().chain([0.0]).collect();
        let joint = maximise(&model.risk_sets, &columns, start);
        let (coefficient, information) = (joint.coefficients[columns.len() - 1], joint.factor.last_pivot());
        if joint.converged && information > LEAST_INFORMATION * test.information {
            CoxEstimate::new(coefficient, information, unit)
        } else {
            CoxEstimate { log_hazard_ratio: coefficient / unit, ..CoxEstimate::NONE }
        }
    }

    /// The values of a column that are not missing, and the model of their rows.
    fn own_rows(&self, column: &[f64]) -> OwnRows<'_> {
        let mut values: Vec<f64> = self.rows.iter().map(|&row| column[row as usize]).collect();
        let kept: Vec<bool> = values.iter().map(|x| !x.is_nan()).collect();
        values.retain(|x| !x.is_nan());
        OwnRows { values, model: self.model_of(&kept) }
    }

    /// The model of some positions; all share one.
    fn model_of(&self, kept: &[bool]) -> Cow<'_, NullModel> {
        if kept.iter().all(|kept| *kept) {
            Cow::Borrowed(&self.model)
        } else {
            Cow::Owned(self.model.of_positions(kept))
        }
    }
}

/// Features between two progress reports.
const BATCH: usize = 1024;

/// Work on every feature, in order; the numbers are `None` for categories.
pub(super) fn each_feature<T: Send>(
    data: &View,
    progress: &mut dyn Progress,
    work: impl Fn(usize, Option<&[f64]>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let total = data.n_features();
    let mut done: Vec<T> = Vec::with_capacity(total);
    for from in (0..total).step_by(BATCH) {
        progress.step("scoring", from as u64, total as u64)?;
        let one = |feature: usize| work(feature, data.numbers(feature).as_deref());
        let some: Result<Vec<T>> = (from..(from + BATCH).min(total)).into_par_iter().map(one).collect();
        done.extend(some?);
    }
    progress.step("scoring", total as u64, total as u64)?;
    Ok(done)
}
