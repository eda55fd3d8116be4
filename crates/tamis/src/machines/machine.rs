//! A trained machine: kept bases and features, and the probability they give.

use crate::machines::kernel::Kernel;
use crate::model::faults::{SIZES_DIFFER, UNNAMED_FEATURE};
use crate::numeric::linalg::Matrix;
use crate::numeric::logistic::sigmoid;
use crate::numeric::special;
use serde::{Deserialize, Serialize};

/// How f becomes a probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Link {
    /// σ(κf), where κ averages over the weights' uncertainty.
    Logistic,
    /// Φ(f).
    Probit,
}

/// f(x) = b + Σ_j w_j y_j k_θ(x, z_j), with the covariance of the weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The kernel.
    pub kernel: Kernel,
    /// How f becomes a probability.
    pub link: Link,
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
    /// Row by row; empty where the method has none.
    pub covariance: Vec<Vec<f64>>,
}

/// A machine ready to predict many blocks of rows.
pub(crate) struct PreparedMachine<'a> {
    machine: &'a Machine,
    z: Matrix,
    /// w of the bases with their signs.
    signed: Vec<f64>,
    /// The covariance with the bases' signs.
    covariance: Option<Matrix>,
}

impl Machine {
    /// Brings its parts into the shape that predictions need.
    pub(crate) fn prepare(&self) -> PreparedMachine<'_> {
        let size = self.w.len();
        let sign = |i: usize| if i == 0 { 1.0 } else { self.signs[i - 1] };
        let covariance = (!self.covariance.is_empty())
            .then(|| Matrix::from_fn(size, size, |i, j| self.covariance[j][i] * sign(i) * sign(j)));
        PreparedMachine {
            machine: self,
            z: Matrix::from_fn(self.bases.len(), self.features.len(), |j, k| self.bases[j][k]),
            signed: self.w[1..].iter().zip(&self.signs).map(|(w, s)| w * s).collect(),
            covariance,
        }
    }

    /// The reason why the machine cannot be used with `features` features, if there is one.
    pub(crate) fn fault(&self, features: usize) -> Option<&'static str> {
        let (m, k) = (self.bases.len(), self.features.len());
        let square = self.covariance.len() == m + 1 && self.covariance.iter().all(|row| row.len() == m + 1);
        let sizes = self.theta.len() == k
            && self.signs.len() == m
            && self.w.len() == m + 1
            && (square || self.covariance.is_empty())
            && self.bases.iter().all(|basis| basis.len() == k);
        let all = self.theta.iter().chain(&self.signs).chain(&self.w).chain(self.covariance.iter().flatten());
        let mut numbers = all.chain(self.bases.iter().flatten()).chain([&self.kernel.scale]);
        if !sizes || m == 0 || k == 0 {
            Some(SIZES_DIFFER)
        } else if self.features.iter().any(|f| *f >= features) {
            Some(UNNAMED_FEATURE)
        } else if numbers.any(|x| !x.is_finite()) {
            Some("it has a number that is not finite")
        } else {
            None
        }
    }
}

impl PreparedMachine<'_> {
    /// f and the probability of the positive class, averaged over the uncertainty of the weights, for rows of the kept
    /// features.
    ///
    /// Cost: rows × bases × (features + bases).
    pub(crate) fn predict(&self, x: &Matrix) -> (Vec<f64>, Vec<f64>) {
        let machine = self.machine;
        let values = machine.kernel.matrix(x, &self.z, &machine.theta);
        let mut f = vec![0.0; x.n_rows()];
        values.times(&self.signed, &mut f);
        // huge weights of either sign may meet as ∞ − ∞: nothing is known there
        f.iter_mut().for_each(|f| *f = if f.is_nan() { 0.0 } else { *f + machine.w[0] });
        let p = match (machine.link, &self.covariance) {
            (Link::Probit, _) => f.iter().map(|f| special::ndtr(*f)).collect(),
            (Link::Logistic, None) => f.iter().map(|f| sigmoid(*f)).collect(),
            (Link::Logistic, Some(covariance)) => {
                let spread = variances(&values, covariance);
                let kappa = |v: f64| {
                    if v.is_nan() { 0.0 } else { 1.0 / (1.0 + std::f64::consts::PI / 8.0 * v.max(0.0)).sqrt() }
                };
                let p = |(f, v): (&f64, f64)| {
                    let scaled = kappa(v) * f;
                    sigmoid(if scaled.is_nan() { 0.0 } else { scaled })
                };
                f.iter().zip(spread).map(p).collect()
            }
        };
        (f, p)
    }
}

/// φᵀΣφ for φ = (1, a row of `values`).
fn variances(values: &Matrix, covariance: &Matrix) -> Vec<f64> {
    let (n, m) = (values.n_rows(), values.n_columns());
    let inner = Matrix::from_fn(m, m, |i, j| covariance.column(j + 1)[i + 1]);
    let mut product = Matrix::zeros(n, m);
    values.product(&inner, &mut product);
    let corner = covariance.column(0)[0];
    let mut sums = vec![corner; n];
    for k in 0..m {
        let twice = 2.0 * covariance.column(0)[k + 1];
        let parts = sums.iter_mut().zip(values.column(k)).zip(product.column(k));
        parts.for_each(|((s, v), p)| *s += v * (p + twice));
    }
    sums
}
