//! The curvature of a log posterior at a point: precision, and what the data add to it, without ever a matrix larger
//! than the smaller of rows and unknowns.

use crate::numeric::linalg::{Cholesky, Matrix, dot};

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
    /// `j` has a row per observation and a column per unknown; `c` weighs the rows, `g` is the diagonal.
    ///
    /// `None` where the numbers have left the range that can be factored.
    ///
    /// Cost: rows × unknowns × the smaller of both flops.
    pub(crate) fn new(j: &Matrix, c: &[f64], g: &[f64]) -> Option<Curvature> {
        const MOST_TRIES: usize = 12;
        let (n, p) = (j.rows(), j.columns());
        let root_g: Vec<f64> = g.iter().map(|g| g.sqrt()).collect();
        let root_c: Vec<f64> = c.iter().map(|c| c.sqrt()).collect();
        let s = Matrix::from_columns(n, p, |k, out| {
            let scale = 1.0 / root_g[k];
            out.iter_mut().zip(j.column(k)).zip(&root_c).for_each(|((o, j), c)| *o = j * c * scale);
        });
        let by_rows = n < p;
        let size = n.min(p);
        let largest =
            (0..p).map(|k| dot(s.column(k), s.column(k))).fold(1.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
        if !largest.is_finite() {
            return None;
        }
        let mut jitter = 0.0;
        let mut tries = 0;
        let factor = loop {
            let mut m = Matrix::zeros(size, size);
            if by_rows {
                s.outer_gram(&mut m);
            } else {
                s.gram(&mut m);
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
    /// Cost: as much as the factorisation.
    pub(crate) fn shares(&self) -> Vec<f64> {
        if self.by_rows {
            // ‖L⁻¹S_k‖²
            let mut half = self.s.clone();
            self.factor.half_solve(&mut half);
            return (0..half.columns()).map(|k| dot(half.column(k), half.column(k))).collect();
        }
        // [M⁻¹SᵀS]_kk = (L⁻¹e_k)·(L⁻¹SᵀS e_k), which is not one minus something near one
        let p = self.s.columns();
        let mut inverse = Matrix::zeros(p, p);
        inverse.add_diagonal(&vec![1.0; p]);
        self.factor.half_solve(&mut inverse);
        let mut data = Matrix::zeros(p, p);
        self.s.transpose_product(&self.s, &mut data);
        self.factor.half_solve(&mut data);
        let mut shares = vec![0.0; p];
        for (k, share) in shares.iter_mut().enumerate() {
            *share = dot(inverse.column(k), data.column(k));
        }
        shares
    }
}
