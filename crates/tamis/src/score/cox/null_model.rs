//! The model without a feature: survival explained by the covariates alone.

use super::newton::{Maximum, maximise};
use super::risk_sets::RiskSets;
use crate::numeric::linalg::dot;

/// Risk sets with the covariates' coefficients γ̂ at the maximum of the partial likelihood.
#[derive(Debug, Clone)]
pub(super) struct NullModel {
    pub(super) risk_sets: RiskSets,
    /// The covariates by position, of mean 0 and size one.
    pub(super) covariates: Vec<Vec<f64>>,
    pub(super) maximum: Maximum,
    /// The martingale residuals by position.
    pub(super) residuals: Vec<f64>,
}

/// The derivative U of the partial likelihood by a feature's coefficient at 0, and the information V about it once the
/// covariates' coefficients are estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoreTest {
    pub(super) derivative: f64,
    pub(super) information: f64,
}

/// An information below this share of its terms is rounding error.
const ROUNDING: f64 = 1e-11;

impl NullModel {
    /// Fits the covariates, beginning at the coefficients `start`. Cost: O(N·q²) a step for q covariates.
    pub(super) fn fit(risk_sets: RiskSets, covariates: Vec<Vec<f64>>, start: Vec<f64>) -> NullModel {
        let columns: Vec<&[f64]> = covariates.iter().map(Vec::as_slice).collect();
        let maximum = maximise(&risk_sets, &columns, start);
        let residuals = maximum.baseline.residuals(&risk_sets);
        NullModel { risk_sets, covariates, maximum, residuals }
    }

    /// The model of some positions only.
    pub(super) fn of_positions(&self, kept: &[bool]) -> NullModel {
        let some = |column: &Vec<f64>| column.iter().zip(kept).filter(|(_, kept)| **kept).map(|(x, _)| *x).collect();
        let covariates = self.covariates.iter().map(some).collect();
        NullModel::fit(self.risk_sets.of_positions(kept), covariates, self.maximum.coefficients.clone())
    }

    /// The score test of a column: U = Σ x·M and V = I_xx − I_xz·I_zz⁻¹·I_zx; `None` where nothing is known about its
    /// coefficient. Cost: O(N·(q + 1)).
    pub(super) fn score_test(&self, x: &[f64]) -> Option<ScoreTest> {
        let Maximum { baseline, products, factor, .. } = &self.maximum;
        let crossed: Vec<f64> = products.iter().map(|product| dot(product, x)).collect();
        let information = baseline.information_of(&self.risk_sets, x) - factor.quadratic(&crossed);
        let known = information > ROUNDING * baseline.second_moment(x);
        known.then(|| ScoreTest { derivative: dot(x, &self.residuals), information })
    }
}
