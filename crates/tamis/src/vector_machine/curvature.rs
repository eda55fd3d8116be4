//! The curvature of a log posterior at a point: precision, and what the data add to it, without ever a matrix larger
//! than the smaller of rows and unknowns.

use super::effect::Effect;
use crate::numeric::linalg::{Cholesky, Matrix};

/// H = JᵀCJ + G for a diagonal G > 0 and C ≥ 0, factored through S = C^½ J G^(−½): I + SSᵀ if rows are fewer than
/// unknowns, I + SᵀS otherwise.
pub(crate) struct Curvature {
    root_g: Vec<f64>,
    s: Matrix,
    factor: Cholesky,
    by_rows: bool,
    /// ln det H.
    pub(crate) log_determinant: f64,
    /// Whether the diagonal had to be raised for the factorisation to succeed.
    pub(crate) jittered: bool,
}

impl Curvature {
    /// `effect` is J, of which only the columns `which` count; `c` weighs the rows, `g` is the diagonal.
    ///
    /// `None` where the numbers have left the range that can be factored.
    ///
    /// Cost: rows × unknowns × the smaller of both flops.
    pub(crate) fn new(effect: &Effect, which: &[usize], c: &[f64], g: &[f64]) -> Option<Curvature> {
        const MOST_TRIES: usize = 12;
        let (n, p) = (effect.rows(), which.len());
        let root_g: Vec<f64> = g.iter().map(|g| g.sqrt()).collect();
        let root_c: Vec<f64> = c.iter().map(|c| c.sqrt()).collect();
        let s = effect.scaled(which, &root_c, &root_g.iter().map(|g| 1.0 / g).collect::<Vec<f64>>());
        let by_rows = n < p;
        let size = n.min(p);
        let mut jitter = 0.0;
        let mut tries = 0;
        let factor = loop {
            let mut m = Matrix::zeros(size, size);
            if by_rows {
                s.outer_gram(&mut m);
            } else {
                s.gram(&mut m);
            }
            let largest = (0..size).map(|k| m.column(k)[k]).fold(1.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
            if !largest.is_finite() {
                return None;
            }
            m.add_diagonal(&vec![1.0 + jitter; size]);
            match Cholesky::factor(m) {
                Ok(factor) => break factor,
                // a matrix I + SSᵀ is positive definite: rounding at huge S is all that can be in the way
                Err(_) if tries == MOST_TRIES => return None,
                Err(_) => {
                    tries += 1;
                    jitter = if jitter == 0.0 { 1e-12 * largest } else { 10.0 * jitter };
                }
            }
        };
        let log_determinant = 2.0 * root_g.iter().map(|g| g.ln()).sum::<f64>() + factor.log_determinant();
        Some(Curvature { root_g, s, factor, by_rows, log_determinant, jittered: jitter > 0.0 })
    }

    /// Replaces `x` by H⁻¹x.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.root_g).for_each(|(x, g)| *x /= g);
        if self.by_rows {
            let mut rows = vec![0.0; self.s.rows()];
            self.s.times(x, &mut rows);
            self.factor.solve(&mut rows);
            let mut back = vec![0.0; x.len()];
            self.s.transpose_times(&rows, &mut back);
            x.iter_mut().zip(back).for_each(|(x, b)| *x -= b);
        } else {
            self.factor.solve(x);
        }
        x.iter_mut().zip(&self.root_g).for_each(|(x, g)| *x /= g);
    }

    /// The share c_k of each unknown's precision that the data give it: (H⁻¹)_kk = (1 − c_k)/G_k.
    ///
    /// Cost: as much as the factorisation, and rows × unknowns for each share below `SMALL`.
    pub(crate) fn shares(&self) -> Vec<f64> {
        /// Below this, one minus the rest would cost digits.
        const SMALL: f64 = 1e-4;
        if self.by_rows {
            // ‖L⁻¹S_k‖²
            let mut half = self.s.clone();
            self.factor.half_solve(&mut half);
            return half.column_squares();
        }
        // with M = I + SᵀS: [M⁻¹]_kk = ‖L⁻¹e_k‖², and c_k = 1 − that = [M⁻¹SᵀS]_kk
        let mut shares: Vec<f64> = self.factor.inverse_factor().column_squares().into_iter().map(|d| 1.0 - d).collect();
        let small: Vec<usize> = (0..shares.len()).filter(|&k| shares[k] < SMALL).collect();
        let data = Matrix::from_columns(shares.len(), small.len(), |at, out| {
            self.s.transpose_times(self.s.column(small[at]), out);
            self.factor.solve(out);
        });
        small.iter().enumerate().for_each(|(at, &k)| shares[k] = data.column(at)[k].max(0.0));
        shares
    }

    /// (H⁻¹)_kk from the shares.
    pub(crate) fn variances(&self, shares: &[f64]) -> Vec<f64> {
        self.root_g.iter().zip(shares).map(|(g, c)| (1.0 - c).max(0.0) / (g * g)).collect()
    }

    /// H⁻¹. Cost: unknowns³.
    pub(crate) fn inverse(&self) -> Matrix {
        let p = self.root_g.len();
        Matrix::from_columns(p, p, |k, out| {
            out.fill(0.0);
            out[k] = 1.0;
            self.solve(out);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    /// Both ways of factoring against H formed in full and inverted column by column.
    #[test]
    fn both_sides_agree_with_the_matrix_in_full() {
        let mut rng = random::stream(5, 0);
        for (n, p) in [(4, 9), (9, 4), (6, 6), (1, 3), (3, 1)] {
            let j = Matrix::from_fn(n, p, |_, _| rng.random::<f64>() * 2.0 - 1.0);
            let c: Vec<f64> = (0..n).map(|_| rng.random::<f64>()).collect();
            // one unknown with hardly any say of the data
            let g: Vec<f64> = (0..p).map(|k| if k == 0 { 1e9 } else { 0.1 + rng.random::<f64>() }).collect();
            let all: Vec<usize> = (0..p).collect();
            let curvature = Curvature::new(&Effect::of_features(&j), &all, &c, &g).expect("factors");
            let h = Matrix::from_fn(p, p, |a, b| {
                let sum: f64 = (0..n).map(|i| c[i] * j.column(a)[i] * j.column(b)[i]).sum();
                sum + if a == b { g[a] } else { 0.0 }
            });
            let full = Cholesky::factor(h).expect("positive definite");
            assert!((curvature.log_determinant - full.log_determinant()).abs() < 1e-10);
            let (shares, inverse) = (curvature.shares(), curvature.inverse());
            for k in 0..p {
                let mut unit = vec![0.0; p];
                unit[k] = 1.0;
                full.solve(&mut unit);
                let off = |a: f64, b: f64| (a - b).abs() / (1e-300 + b.abs());
                assert!(off(inverse.column(k)[k], unit[k]) < 1e-10);
                assert!(off(curvature.variances(&shares)[k], unit[k]) < 1e-10);
                // [H⁻¹JᵀCJ]_kk, by the definition
                let data: f64 = (0..p)
                    .map(|b| unit[b] * (0..n).map(|i| c[i] * j.column(b)[i] * j.column(k)[i]).sum::<f64>())
                    .sum();
                assert!(off(shares[k], data) < 1e-8, "{n}×{p}, {k}: {} {data}", shares[k]);
            }
        }
    }
}
