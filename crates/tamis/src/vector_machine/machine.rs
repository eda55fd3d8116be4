//! A trained machine: kept bases and features, and the probability they give.

use super::kernel::Kernel;
use super::laplace::Fitted;
use super::point::sigmoid;
use crate::numeric::linalg::{Matrix, dot};
use serde::{Deserialize, Serialize};

/// f(x) = b + Σ_j w_j y_j k_θ(x, z_j), with the covariance of the weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The kernel.
    pub kernel: Kernel,
    /// Positions of the kept features among those the model was trained on.
    pub features: Vec<usize>,
    /// Their weights.
    pub theta: Vec<f64>,
    /// For each kept basis the standardised values of those features.
    pub bases: Vec<Vec<f64>>,
    /// −1 or 1 for each basis.
    pub signs: Vec<f64>,
    /// The bias, then a weight per basis.
    pub w: Vec<f64>,
    /// Row by row.
    pub covariance: Vec<Vec<f64>>,
    /// The evidence it was kept for.
    pub evidence: f64,
}

impl Machine {
    pub(crate) fn new(kernel: Kernel, x: &Matrix, y: &[f64], fitted: &Fitted) -> Machine {
        let basis = |&j: &usize| fitted.features.iter().map(|&k| x.column(k)[j]).collect();
        let size = fitted.w.len();
        Machine {
            kernel,
            features: fitted.features.clone(),
            theta: fitted.theta.clone(),
            bases: fitted.bases.iter().map(basis).collect(),
            signs: fitted.bases.iter().map(|&j| y[j]).collect(),
            w: fitted.w.clone(),
            covariance: (0..size).map(|i| fitted.covariance.column(i).to_vec()).collect(),
            evidence: fitted.trace.last().map_or(f64::NEG_INFINITY, |i| i.evidence),
        }
    }

    /// f and the probability of the positive class, averaged over the uncertainty of the weights, for rows of the kept
    /// features.
    ///
    /// Cost: rows × bases × (features + bases).
    pub(crate) fn predict(&self, x: &Matrix) -> (Vec<f64>, Vec<f64>) {
        let z = Matrix::from_fn(self.bases.len(), self.features.len(), |j, k| self.bases[j][k]);
        let values = self.kernel.values(x, &z, &self.theta).values;
        let size = self.w.len();
        let sigma = Matrix::from_fn(size, size, |i, j| self.covariance[j][i]);
        let mut phi = vec![1.0; size];
        let mut spread = vec![0.0; size];
        let one = |row: usize| {
            for j in 1..size {
                phi[j] = values.column(j - 1)[row] * self.signs[j - 1];
            }
            let f = dot(&phi, &self.w);
            sigma.times(&phi, &mut spread);
            let variance = dot(&phi, &spread).max(0.0);
            let kappa = 1.0 / (1.0 + std::f64::consts::PI / 8.0 * variance).sqrt();
            (f, sigmoid(kappa * f))
        };
        (0..x.rows()).map(one).unzip()
    }

    /// What is wrong with it, if it cannot be used with `features` features.
    pub(crate) fn fault(&self, features: usize) -> Option<&'static str> {
        let (m, k) = (self.bases.len(), self.features.len());
        let sizes = self.theta.len() == k
            && self.signs.len() == m
            && self.w.len() == m + 1
            && self.covariance.len() == m + 1
            && self.covariance.iter().all(|row| row.len() == m + 1)
            && self.bases.iter().all(|basis| basis.len() == k);
        let all = self.theta.iter().chain(&self.signs).chain(&self.w).chain(self.covariance.iter().flatten());
        let mut numbers = all.chain(self.bases.iter().flatten()).chain([&self.kernel.scale]);
        if !sizes || m == 0 || k == 0 {
            Some("its parts differ in size")
        } else if self.features.iter().any(|f| *f >= features) {
            Some("it uses a feature that it does not name")
        } else if numbers.any(|x| !x.is_finite()) {
            Some("it has a number that is not finite")
        } else {
            None
        }
    }
}
