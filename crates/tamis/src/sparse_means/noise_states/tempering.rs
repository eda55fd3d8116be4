//! Tempering: by how much must log likelihoods be divided so that a null row sees more than its own state?

use super::score_grid::{NODES, OnGrid};
use crate::base::{Progress, Result};
use crate::numeric::linalg::{Matrix, exp_of_distance};
use crate::numeric::order_statistics::median;
use rayon::prelude::*;

const STAGE: &str = "comparing null scores with the states";
/// A typical row is to see this share of the states.
const SHARE: f64 = 0.1;
/// The largest φ, and how closely ln φ is found.
const LARGEST: f64 = 1e4;
const CLOSE: f64 = 0.01;

/// Log likelihoods of null rows under states: a column per row.
pub(super) struct RowLikelihoods(Matrix);

impl RowLikelihoods {
    /// None yet, of so many states and rows.
    pub(super) fn new(states: usize, rows: usize) -> RowLikelihoods {
        RowLikelihoods(Matrix::zeros(states, rows))
    }

    /// Adds those of one kind: Σ_b C_tb ln H_s(b) for the counts of each row t and the density of each state s.
    pub(super) fn add(&mut self, counts: &[&OnGrid], densities: &[OnGrid]) {
        let logarithms = Matrix::from_fn(NODES, densities.len(), |b, s| densities[s][b].ln());
        let counts = Matrix::from_columns(NODES, counts.len(), |t, out| out.copy_from_slice(counts[t]));
        logarithms.add_transpose_product(&counts, &mut self.0);
    }

    /// The smallest φ ≥ 1 for which half of the rows have (Σw)²/Σw² ≥ a tenth of the states, w = exp(L/φ), a row's own
    /// states (`is_own`) left out.
    pub(super) fn overdispersion(
        mut self,
        is_own: impl Fn(usize, usize) -> bool,
        progress: &mut dyn Progress,
    ) -> Result<f64> {
        progress.step(STAGE, 0, 0)?;
        let (states, rows) = (self.0.n_rows(), self.0.n_columns());
        for t in 0..rows {
            let column = self.0.column_mut(t);
            (0..states).filter(|&s| is_own(t, s)).for_each(|s| column[s] = f64::NEG_INFINITY);
            let most = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            column.iter_mut().for_each(|l| *l = (*l - most).max(-1e300));
        }
        let enough = |phi: f64| {
            let mut seen: Vec<f64> = (0..rows).into_par_iter().map(|t| effective(self.0.column(t), phi)).collect();
            median(&mut seen) >= SHARE * states as f64
        };
        let (mut low, mut high) = (0.0, if enough(1.0) { 0.0 } else { LARGEST.ln() });
        while high - low > CLOSE {
            progress.step(STAGE, 0, 0)?;
            let middle = 0.5 * (low + high);
            if enough(f64::exp(middle)) { high = middle } else { low = middle }
        }
        Ok(high.exp())
    }
}

/// (Σw)²/Σw² of w = exp(l/φ).
fn effective(logarithms: &[f64], phi: f64) -> f64 {
    let mut w: Vec<f64> = logarithms.iter().map(|l| 0.5 * l / phi).collect();
    let zeros = vec![0.0; w.len()];
    exp_of_distance(&mut w, &zeros, 0.0); // exp(−(−2x))
    let (sum, squares) = w.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    sum * sum / squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Silent;

    #[test]
    fn the_effective_number_grows_with_the_temperature() {
        let l: Vec<f64> = (0..50).map(|i| -2.0 * f64::from(i)).collect();
        let direct = |phi: f64| {
            let w: Vec<f64> = l.iter().map(|l| (l / phi).exp()).collect();
            w.iter().sum::<f64>().powi(2) / w.iter().map(|w| w * w).sum::<f64>()
        };
        for phi in [1.0, 3.0, 40.0, 1e4] {
            assert!((effective(&l, phi) - direct(phi)).abs() < 1e-12 * direct(phi));
        }
        assert!(effective(&l, 2.0) < effective(&l, 4.0));
    }

    #[test]
    fn phi_is_one_where_every_state_explains_every_row() {
        let likelihoods = || RowLikelihoods::new(40, 20);
        assert_eq!(likelihoods().overdispersion(|t, s| t == s, &mut Silent).expect("not cancelled"), 1.0);
        let mut apart = likelihoods();
        (0..20).for_each(|t| (0..40).for_each(|s| apart.0.column_mut(t)[s] = -30.0 * t.abs_diff(s) as f64));
        let phi = apart.overdispersion(|t, s| t == s, &mut Silent).expect("not cancelled");
        // neighbours at distances 1, 1, 2, 2 … count; w = exp(−30 d/φ) must leave four of them
        assert!((10.0..100.0).contains(&phi), "{phi}");
    }
}
