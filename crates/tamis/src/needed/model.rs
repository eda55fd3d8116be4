//! y = X_S b + u + e: grids, priors, and inner products given a share of the background.
//!
//! S is a small unknown set of columns, b ~ N(0, t·s²); u is a tiny effect of every column, a share h of the variance that S
//! leaves; e ~ N(0, (1 − h)·s²). With V_h = (1 − h)·I + h·XXᵀ/(mean eigenvalue), diagonal in the eigenbasis, inner products
//! are ⟨a, b⟩_h = Σ a_i b_i/v_i.

use super::eigenbasis::Eigenbasis;
use super::kept_columns::KeptColumns;
use crate::numeric::linalg::{dot, widely};
use std::sync::{Arc, OnceLock};

/// Shares of the background.
pub(super) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 0.9];
/// The prior probability of a background, spread evenly over its shares; less with fewer than 200 columns.
const BACKGROUND: f64 = 0.5;
/// The prior of the number of effects is geometric with this ratio.
const SIZE: f64 = 0.8;
/// The prior observations of the variance of a bounded target, as a share of m, at the variance of Y.
const BOUNDED: f64 = 0.5;
/// Leading principal components that compete with the columns.
const FACTORS: usize = 10;
/// Most columns of S.
const LARGEST_SET: usize = 200;
/// With room for fewer columns of products, none is made before it is asked for.
const MOST_LIKELY: usize = 64;

/// The model of a table: everything that does not change while S is sampled.
pub(super) struct Model {
    pub(super) basis: Eigenbasis,
    /// Columns; factors follow them.
    pub(super) features: usize,
    pub(super) factors: usize,
    /// Variances t of an effect, in units of the noise variance.
    pub(super) variances: Vec<f64>,
    /// π_j of every column and factor.
    pub(super) prior: Vec<f64>,
    /// ln P(h).
    pub(super) log_shares: [f64; SHARES.len()],
    /// Observations n of the likelihood.
    pub(super) observations: f64,
    /// The prior residual sum of squares f.
    pub(super) floor: f64,
    pub(super) largest_set: usize,
    shares: [OnceLock<Share>; SHARES.len()],
    scales: [Scale; SHARES.len()],
    pub(super) kept: KeptColumns,
}

/// What is known of a share without a pass over the columns.
struct Scale {
    /// 1/v_i.
    inverse: Vec<f64>,
    /// |ỹ|²_h.
    yy: f64,
    /// ln det V.
    log_det: f64,
}

/// Products of all columns given a share.
pub(super) struct Share {
    /// g_j = ⟨z_j, ỹ⟩, response by response.
    pub(super) g: Vec<Vec<f64>>,
    /// d_j = ⟨z_j, z_j⟩.
    pub(super) d: Vec<f64>,
}

impl Model {
    /// `factors`: how many components compete; by default a tenth of the columns, at most 10. Kept columns may take so many
    /// `bytes`.
    pub(super) fn new(basis: Eigenbasis, bounded: bool, factors: Option<usize>, bytes: usize) -> Model {
        let (columns, m) = (basis.z.n_columns(), basis.freedom);
        let factors = factors.unwrap_or(FACTORS.min(columns / 10)).min(basis.values.len());
        let sum: f64 = basis.values.iter().sum();
        let of_columns = std::iter::repeat_n(SIZE / columns as f64, columns);
        let prior: Vec<f64> =
            of_columns.chain(basis.values[..factors].iter().map(|value| SIZE * value / sum)).collect();
        let steps = ((2.0 * (m / 1.5).log10()).ceil().max(5.0)) as i32;
        let background = BACKGROUND * (columns as f64 / 200.0).min(1.0);
        let log_shares = SHARES.map(|h| match h {
            0.0 => (1.0 - background).ln(),
            _ => (background / (SHARES.len() - 1) as f64).ln(),
        });
        let nu = if bounded { BOUNDED } else { 0.0 };
        let scales = SHARES.map(|h| Scale::of(&basis, h));
        let largest_set = (columns).min(((m / 3.0) as usize).max(3)).min(LARGEST_SET);
        let kept = KeptColumns::new(SHARES.len(), prior.len(), bytes);
        Model {
            features: columns,
            factors,
            variances: (0..steps).map(|i| 3.0 * 10f64.powf(0.5 * f64::from(i))).collect(),
            prior,
            log_shares,
            observations: m * (1.0 + nu),
            floor: nu * basis.total,
            largest_set,
            shares: Default::default(),
            scales,
            kept,
            basis,
        }
    }

    /// Columns and factors.
    pub(super) fn len(&self) -> usize {
        self.prior.len()
    }

    /// Responses q.
    pub(super) fn responses(&self) -> usize {
        self.basis.y.len()
    }

    /// The products of a share, made when they are first asked for.
    pub(super) fn share(&self, h: usize) -> &Share {
        self.shares[h].get_or_init(|| self.products(h))
    }

    pub(super) fn yy(&self, h: usize) -> f64 {
        self.scales[h].yy
    }

    pub(super) fn log_det(&self, h: usize) -> f64 {
        self.scales[h].log_det
    }

    fn products(&self, h: usize) -> Share {
        let inverse = &self.scales[h].inverse;
        let g = self.basis.y.iter().map(|y| {
            let scaled: Vec<f64> = y.iter().zip(inverse).map(|(y, i)| y * i).collect();
            let mut g = vec![0.0; self.len()];
            let (columns, factors) = g.split_at_mut(self.features);
            self.basis.z.transpose_times(&scaled, columns);
            factors.copy_from_slice(&scaled[..self.factors]);
            g
        });
        let g = g.collect();
        let of_columns = (0..self.features).map(|j| {
            let z = self.basis.z.column(j);
            weighted_dot(z, z, inverse)
        });
        Share { g, d: of_columns.chain(inverse[..self.factors].iter().copied()).collect() }
    }

    /// ⟨Z, z_j⟩_h of all columns and factors, kept or made. Where they are made, those of `likely` columns are made beside
    /// them: Z is read once for all. Cost: one pass over Z where they are made.
    pub(super) fn kept_products(&self, h: usize, j: usize, likely: impl FnOnce() -> Vec<u32>) -> Arc<[f64]> {
        if let Some(products) = self.kept.get(h, j) {
            return products;
        }
        let mut wanted = vec![j];
        if self.kept.room() > MOST_LIKELY {
            let others = self.kept.missing(h, likely());
            wanted.extend(others.into_iter().map(|k| k as usize).filter(|&k| k != j));
        }
        let mut made = self.products_of(h, &wanted).into_iter();
        let first: Arc<[f64]> = made.next().unwrap_or_default().into();
        for (k, products) in wanted[1..].iter().zip(made) {
            self.kept.keep(h, *k, products.into());
        }
        self.kept.keep(h, j, Arc::clone(&first));
        first
    }

    fn products_of(&self, h: usize, wanted: &[usize]) -> Vec<Box<[f64]>> {
        let inverse = &self.scales[h].inverse;
        let scaled = |&j: &usize| -> Vec<f64> {
            match j.checked_sub(self.features) {
                None => self.basis.z.column(j).iter().zip(inverse).map(|(z, i)| z * i).collect(),
                Some(factor) => (0..inverse.len()).map(|i| if i == factor { inverse[i] } else { 0.0 }).collect(),
            }
        };
        let vectors: Vec<Vec<f64>> = wanted.iter().map(scaled).collect();
        let mut made: Vec<Box<[f64]>> = wanted.iter().map(|_| vec![0.0; self.len()].into_boxed_slice()).collect();
        let mut outs: Vec<&mut [f64]> = made.iter_mut().map(|out| &mut out[..self.features]).collect();
        self.basis.z.transpose_times_many(&vectors.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut outs);
        for (out, vector) in made.iter_mut().zip(&vectors) {
            out[self.features..].copy_from_slice(&vector[..self.factors]);
        }
        made
    }

    /// ⟨z_i, z_j⟩_h. Cost: one pass over a column.
    pub(super) fn inner_product(&self, h: usize, i: usize, j: usize) -> f64 {
        let inverse = &self.scales[h].inverse;
        let k = self.features;
        match (i < k, j < k) {
            (true, true) => weighted_dot(self.basis.z.column(i), self.basis.z.column(j), inverse),
            (true, false) => self.basis.z.column(i)[j - k] * inverse[j - k],
            (false, true) => self.basis.z.column(j)[i - k] * inverse[i - k],
            (false, false) => {
                if i == j {
                    inverse[i - k]
                } else {
                    0.0
                }
            }
        }
    }

    /// ⟨z_j, ỹ⟩_h of a response. Cost: one pass over a column.
    pub(super) fn response_product(&self, h: usize, j: usize, response: usize) -> f64 {
        let (inverse, y) = (&self.scales[h].inverse, &self.basis.y[response]);
        match j.checked_sub(self.features) {
            None => weighted_dot(self.basis.z.column(j), y, inverse),
            Some(factor) => y[factor] * inverse[factor],
        }
    }

    /// The correlation of two columns: their inner product without a background.
    pub(super) fn correlation(&self, i: usize, j: usize) -> f64 {
        dot(self.basis.z.column(i), self.basis.z.column(j))
    }
}

impl Scale {
    fn of(basis: &Eigenbasis, h: f64) -> Scale {
        let sum: f64 = basis.values.iter().sum();
        let v: Vec<f64> = basis.values.iter().map(|value| (1.0 - h) + h * value * basis.freedom / sum).collect();
        let inverse: Vec<f64> = v.iter().map(|v| 1.0 / v).collect();
        let inside: f64 = basis.y.iter().map(|y| weighted_dot(y, y, &inverse)).sum();
        let outside = (basis.freedom - v.len() as f64) * (1.0 - h).ln();
        Scale { yy: inside + basis.rest / (1.0 - h), log_det: v.iter().map(|v| v.ln()).sum::<f64>() + outside, inverse }
    }
}

/// Σ a_i b_i c_i in eight lanes.
fn weighted_dot(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    widely!((a: &'a [f64], b: &'a [f64], c: &'a [f64]) -> f64 {
        let mut lanes = [0.0; 8];
        let n = a.len().min(b.len()).min(c.len());
        let (ac, bc, cc) = (a[..n].chunks_exact(8), b[..n].chunks_exact(8), c[..n].chunks_exact(8));
        let rest: f64 = ac.remainder().iter().zip(bc.remainder()).zip(cc.remainder()).map(|((a, b), c)| a * b * c).sum();
        for ((a, b), c) in ac.zip(bc).zip(cc) {
            for i in 0..8 {
                lanes[i] += a[i] * b[i] * c[i];
            }
        }
        lanes.iter().sum::<f64>() + rest
    })
}
