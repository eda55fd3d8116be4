//! The curvature of a log posterior at a point: precision, and what the data add to it, without ever a matrix larger
//! than the smaller of rows and unknowns.

use super::effect::{Effect, Seen};
use crate::numeric::linalg::{Cholesky, Matrix, scale};

/// H = JᵀCJ + G for a diagonal G > 0 and C ≥ 0, factored through S = C^½ J G^(−½).
pub(crate) struct Curvature {
    root_g: Vec<f64>,
    side: Side,
    factor: Cholesky,
    /// ln det H.
    pub(crate) log_determinant: f64,
    /// Whether the diagonal had to be raised for the factorisation to succeed.
    pub(crate) jittered: bool,
}

/// Which of the two small matrices was factored.
enum Side {
    /// I + SSᵀ, as rows are fewer than unknowns; S is kept.
    Rows(Matrix),
    /// I + SᵀS; SᵀS is kept (lower half).
    Columns(Matrix),
}

impl Curvature {
    /// `effect` is J and `seen` a pass over it, of which only the columns `which` count; `c` weighs the rows, `g` is the
    /// diagonal.
    ///
    /// `None` where the numbers have left the range that can be factored.
    ///
    /// Cost: the smaller of rows and unknowns cubed, and where rows are fewer, rows² × unknowns.
    pub(crate) fn new(effect: &Effect, seen: &Seen, which: &[usize], c: &[f64], g: &[f64]) -> Option<Curvature> {
        let root_g: Vec<f64> = g.iter().map(|g| g.sqrt()).collect();
        let inverse: Vec<f64> = root_g.iter().map(|g| 1.0 / g).collect();
        let Some(gram) = &seen.gram else {
            let root_c: Vec<f64> = c.iter().map(|c| c.sqrt()).collect();
            return Self::of_s(effect.scaled(which, &root_c, &inverse), root_g);
        };
        let scaled = Matrix::from_columns(which.len(), which.len(), |k, out| {
            for i in k..which.len() {
                // `which` goes up, so this is the lower half of the gram matrix too
                out[i] = gram.column(which[k])[which[i]] * inverse[k] * inverse[i];
            }
        });
        Self::factor(None, scaled, root_g)
    }

    /// The same for J as a matrix.
    pub(crate) fn of(j: &Matrix, c: &[f64], g: &[f64]) -> Option<Curvature> {
        let root_g: Vec<f64> = g.iter().map(|g| g.sqrt()).collect();
        let root_c: Vec<f64> = c.iter().map(|c| c.sqrt()).collect();
        let s = Matrix::from_columns(j.rows(), j.columns(), |k, out| scale(j.column(k), &root_c, 1.0 / root_g[k], out));
        Self::of_s(s, root_g)
    }

    fn of_s(s: Matrix, root_g: Vec<f64>) -> Option<Curvature> {
        let size = s.rows().min(s.columns());
        let mut small = Matrix::zeros(size, size);
        if s.rows() < s.columns() {
            s.outer_gram(&mut small);
            return Self::factor(Some(s), small, root_g);
        }
        s.add_gram(&mut small);
        Self::factor(None, small, root_g)
    }

    /// Factors I + `small`, which is SSᵀ if S is given and SᵀS otherwise.
    fn factor(s: Option<Matrix>, small: Matrix, root_g: Vec<f64>) -> Option<Curvature> {
        const MOST_TRIES: usize = 12;
        let size = small.columns();
        let largest =
            (0..size).map(|k| small.column(k)[k]).fold(1.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
        if !largest.is_finite() {
            return None;
        }
        let mut jitter = 0.0;
        let mut tries = 0;
        let factor = loop {
            let mut m = small.clone();
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
        let side = s.map_or(Side::Columns(small), Side::Rows);
        Some(Curvature { root_g, side, factor, log_determinant, jittered: jitter > 0.0 })
    }

    /// Replaces `x` by H⁻¹x.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.root_g).for_each(|(x, g)| *x /= g);
        match &self.side {
            Side::Rows(s) => {
                let mut rows = vec![0.0; s.rows()];
                s.times(x, &mut rows);
                self.factor.solve(&mut rows);
                let mut back = vec![0.0; x.len()];
                s.transpose_times(&rows, &mut back);
                x.iter_mut().zip(back).for_each(|(x, b)| *x -= b);
            }
            Side::Columns(_) => self.factor.solve(x),
        }
        x.iter_mut().zip(&self.root_g).for_each(|(x, g)| *x /= g);
    }

    /// The share c_k of each unknown's precision that the data give it: (H⁻¹)_kk = (1 − c_k)/G_k.
    ///
    /// Cost: as much as the factorisation, and unknowns² for each share below `SMALL`.
    pub(crate) fn shares(&self) -> Vec<f64> {
        /// Below this, one minus the rest would cost digits.
        const SMALL: f64 = 1e-4;
        match &self.side {
            Side::Rows(s) => {
                // ‖L⁻¹S_k‖²
                let mut half = s.clone();
                self.factor.half_solve(&mut half);
                half.column_squares()
            }
            Side::Columns(gram) => {
                // with M = I + SᵀS: [M⁻¹]_kk = ‖L⁻¹e_k‖², and c_k = 1 − that = [M⁻¹SᵀS]_kk
                let squares = self.factor.inverse_factor().column_squares();
                let share = |(k, d): (usize, f64)| {
                    if 1.0 - d >= SMALL {
                        return 1.0 - d;
                    }
                    let entry = |i: usize| gram.column(i.min(k))[i.max(k)];
                    let mut column: Vec<f64> = (0..self.root_g.len()).map(entry).collect();
                    self.factor.solve(&mut column);
                    column[k].max(0.0)
                };
                squares.into_iter().enumerate().map(share).collect()
            }
        }
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
    use super::super::kernel::{Kernel, Shape};
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
            // a linear kernel between j's rows and one basis of ones is j itself, in the features' weights
            let z = Matrix::from_fn(1, p, |_, _| 1.0);
            let kernel = Kernel { shape: Shape::Linear, degree: 1, scale: 1.0 };
            let blocks = super::super::kernel::blocks_of(&j, 4);
            let values = kernel.values(&blocks, &z, &vec![1.0; p]);
            let effect = Effect::Features { kernel, x: &blocks, z: &z, values: &values, v: vec![1.0] };
            let seen = effect.look(&vec![0.0; n], Some(&c));
            let curvature = Curvature::new(&effect, &seen, &all, &c, &g).expect("factors");
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
                let data: f64 =
                    (0..p).map(|b| unit[b] * (0..n).map(|i| c[i] * j.column(b)[i] * j.column(k)[i]).sum::<f64>()).sum();
                assert!(off(shares[k], data) < 1e-8, "{n}×{p}, {k}: {} {data}", shares[k]);
            }
        }
    }
}
