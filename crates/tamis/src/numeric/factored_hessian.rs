//! The curvature of a log posterior at a point: the precision plus the contribution of the data, without ever a matrix
//! larger
//! than the smaller of rows and unknowns.

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
    /// H for J as a matrix.
    ///
    /// `None` where the numbers have left the range that can be factored.
    ///
    /// Cost: the smaller of rows and unknowns cubed, and where rows are fewer, rows² × unknowns.
    pub(crate) fn of(j: &Matrix, c: &[f64], g: &[f64]) -> Option<Curvature> {
        let root_g: Vec<f64> = g.iter().map(|g| g.sqrt()).collect();
        let root_c: Vec<f64> = c.iter().map(|c| c.sqrt()).collect();
        let s =
            Matrix::from_columns(j.n_rows(), j.n_columns(), |k, out| scale(j.column(k), &root_c, 1.0 / root_g[k], out));
        Self::of_s(s, root_g)
    }

    /// From S = C^½ J G^(−½) itself.
    pub(crate) fn of_s(s: Matrix, root_g: Vec<f64>) -> Option<Curvature> {
        let size = s.n_rows().min(s.n_columns());
        let mut small = Matrix::zeros(size, size);
        if s.n_rows() < s.n_columns() {
            s.outer_gram(&mut small);
            return Self::factor(Some(s), small, root_g);
        }
        s.add_gram(&mut small);
        Self::factor(None, small, root_g)
    }

    /// From SᵀS (lower half).
    pub(crate) fn of_gram(gram: Matrix, root_g: Vec<f64>) -> Option<Curvature> {
        Self::factor(None, gram, root_g)
    }

    /// Factors I + `small`, which is SSᵀ if S is given and SᵀS otherwise.
    fn factor(s: Option<Matrix>, small: Matrix, root_g: Vec<f64>) -> Option<Curvature> {
        const MOST_TRIES: usize = 12;
        let size = small.n_columns();
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
                let mut rows = vec![0.0; s.n_rows()];
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
