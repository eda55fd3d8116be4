//! `slda`: linear discriminant with shrunken correlations, and the scores that go with it.

use super::design::{Design, row_squares, squared_gram};
use super::lda::out_of_range;
use super::linear::Linear;
use super::rows::Classes;
use crate::error::Place;
use crate::numeric::linalg::{Eigen, Matrix, dot};
use crate::score::outcome::LARGEST;
use crate::settings::Parameter;
use crate::table::View;
use crate::vector_machine::curvature::Curvature;
use crate::{Error, Progress, Result};
use serde::{Deserialize, Serialize};

/// The least intensity: with none at all a singular correlation could not be inverted.
const LEAST: f64 = 1e-8;

/// Linear discriminant analysis with the correlation (1−λ)R + λI.
///
/// R is the correlation within the classes, the variances are pooled with n − classes degrees of freedom and not
/// shrunk, and λ = Σ_{i≠j} Var(r_ij)/Σ_{i≠j} r_ij², at most 1, estimated from the data without any search. Nothing
/// larger than the smaller of rows and features is ever factored. A missing value is taken as the feature's mean.
///
/// Cost: rows × features × the smaller of both flops.
///
/// Reference: Schäfer & Strimmer, *A shrinkage approach to large-scale covariance matrix estimation*, 2005; Ahdesmäki &
/// Strimmer, *Feature selection in omics prediction problems using CAT scores*, 2010.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Slda {}

/// The parameters of [`Slda`]: none.
pub const PARAMETERS: [Parameter; 0] = [];

/// A trained [`Slda`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FittedSlda {
    /// The scores of the classes.
    #[serde(flatten)]
    pub linear: Linear,
    /// λ, how much correlations were shrunk; absent where nothing could be learned.
    pub intensity: Option<f64>,
}

/// What the discriminant and the scores have in common.
struct Correlated {
    design: Design,
    /// The classes' means, in units of the design.
    means: Vec<Vec<f64>>,
    /// Standard deviations within the classes, in units of the design.
    units: Vec<f64>,
    /// The rows minus the mean of their class, scaled so that ZᵀZ is the correlation.
    z: Matrix,
    intensity: f64,
}

impl Correlated {
    /// `None` where there is nothing to learn from.
    fn learn(data: &View, classes: &Classes) -> Result<Option<Correlated>> {
        let design = Design::learn(data)?;
        let (n, present) = (design.x.rows(), classes.occurring.len());
        if design.x.columns() == 0 || present < 2 || n <= present {
            return Ok(None);
        }
        let (means, mut z) = design.centred(classes);
        let df = (n - present) as f64;
        let mut units = Vec::with_capacity(z.columns());
        for j in 0..z.columns() {
            let squares = dot(z.column(j), z.column(j));
            let apart = means.iter().map(|m| m[j].abs()).fold(0.0, f64::max);
            if squares > 1e-24 * n as f64 {
                let scale = 1.0 / squares.sqrt();
                z.column_mut(j).iter_mut().for_each(|x| *x *= scale);
                units.push((squares / df).sqrt());
            } else {
                // no variance within the classes: the largest score is large but finite
                z.column_mut(j).fill(0.0);
                units.push(apart * (n as f64).sqrt() / LARGEST);
            }
        }
        let intensity = intensity(&z);
        Ok(Some(Correlated { design, means, units, z, intensity }))
    }
}

/// λ = Σ_{i≠j} Var(r_ij)/Σ_{i≠j} r_ij² for columns of squared length 1. With w_tij = z_ti z_tj, Var(r_ij) is
/// n/(n−1) · Σ_t (w_tij − w̄_ij)²; all by sums over rows, never over pairs of features.
fn intensity(z: &Matrix) -> f64 {
    let n = z.rows() as f64;
    if z.columns() < 2 || n < 2.0 {
        return 1.0;
    }
    let (mut fourth, mut diagonal) = (0.0, 0.0);
    for j in 0..z.columns() {
        let (mut second, mut here) = (0.0, 0.0);
        for x in z.column(j) {
            second += x * x;
            here += (x * x) * (x * x);
        }
        fourth += here;
        diagonal += second * second;
    }
    // Σ_{i≠j} r_ij², and Σ_{i≠j} Σ_t w_tij²
    let correlations = squared_gram(z) - diagonal;
    let products = row_squares(z).iter().map(|q| q * q).sum::<f64>() - fourth;
    if correlations <= 1e-14 * diagonal {
        return 1.0;
    }
    let variance = n / (n - 1.0) * (products - correlations / n);
    (variance / correlations).clamp(LEAST, 1.0)
}

impl Slda {
    /// Trains on the rows of a view.
    pub fn fit(&self, data: &View, progress: &mut dyn Progress) -> Result<FittedSlda> {
        let classes = Classes::unweighted(data, "slda")?;
        progress.step("covariance", 0, 0)?;
        let Some(Correlated { design, means, units, z, intensity }) = Correlated::learn(data, &classes)? else {
            return Ok(FittedSlda { linear: Linear::majority(&classes.shares), intensity: None });
        };
        let curvature = Curvature::of(&z, &vec![1.0 - intensity; z.rows()], &vec![intensity; z.columns()])
            .ok_or_else(out_of_range)?;
        let solve = |w: &mut [f64]| {
            w.iter_mut().zip(&units).for_each(|(w, u)| *w /= u);
            curvature.solve(w);
            w.iter_mut().zip(&units).for_each(|(w, u)| *w /= u);
        };
        Ok(FittedSlda { linear: design.discriminant(&classes, &means, solve), intensity: Some(intensity) })
    }
}

/// Correlation-adjusted t scores of two classes: R^(−½) t with the shrunken correlation R of [`Slda`] and the pooled t,
/// positive minus negative class; one per column, NaN where a column has one value.
///
/// Cost: rows × features × the smaller of both flops, and an eigendecomposition of that size.
pub fn cat_scores(data: &View) -> Result<Vec<f64>> {
    let classes = Classes::unweighted(data, "cat")?;
    if classes.shares.len() != 2 {
        let place = Place::default().at_column(data.target_name());
        let problem = format!("the target has {} classes", classes.shares.len());
        return Err(Error::data(place, problem, "correlation-adjusted scores are for two; use another score"));
    }
    let mut scores = vec![f64::NAN; data.columns().len()];
    let Some(Correlated { design, means, units, z, intensity }) = Correlated::learn(data, &classes)? else {
        return Ok(scores);
    };
    let side = |positive: bool| usize::from((classes.occurring[1] == classes.positive) == positive);
    let error = (1.0 / classes.count(0) + 1.0 / classes.count(1)).sqrt();
    let mut t: Vec<f64> =
        (0..units.len()).map(|k| (means[side(true)][k] - means[side(false)][k]) / (units[k] * error)).collect();
    power(&z, intensity, &mut t, -0.5)?;
    design.features.iter().zip(t).for_each(|(&at, t)| scores[at] = t);
    Ok(scores)
}

/// Replaces x by ((1−λ)ZᵀZ + λI)^power x = λ^p x + V[((1−λ)d² + λ)^p − λ^p]Vᵀx, where Z = UDVᵀ comes from the
/// eigenvectors of ZZᵀ or ZᵀZ, whichever is smaller.
fn power(z: &Matrix, intensity: f64, x: &mut [f64], power: f64) -> Result<()> {
    let size = z.rows().min(z.columns());
    let mut gram = Matrix::zeros(size, size);
    let by_rows = z.rows() < z.columns();
    if by_rows {
        z.outer_gram(&mut gram);
    } else {
        z.add_gram(&mut gram);
    }
    let Eigen { values, vectors } = Eigen::of(&gram).ok_or_else(out_of_range)?;
    let largest = values.last().copied().unwrap_or(0.0);
    let base = intensity.powf(power);
    // x seen from the smaller side, where V = ZᵀU/d for the rows
    let mut inner = vec![0.0; size];
    if by_rows {
        z.times(x, &mut inner);
    } else {
        inner.copy_from_slice(x);
    }
    let mut along = vec![0.0; size];
    vectors.transpose_times(&inner, &mut along);
    for (a, &d2) in along.iter_mut().zip(&values) {
        let change = ((1.0 - intensity) * d2.max(0.0) + intensity).powf(power) - base;
        *a *= match (d2 > 1e-13 * largest, by_rows) {
            (false, true) => 0.0, // nothing of x lies there
            (true, true) => change / d2,
            (_, false) => change,
        };
    }
    vectors.times(&along, &mut inner);
    x.iter_mut().for_each(|x| *x *= base);
    if by_rows {
        x.iter_mut().enumerate().for_each(|(k, x)| *x += dot(z.column(k), &inner));
    } else {
        x.iter_mut().zip(&inner).for_each(|(x, i)| *x += i);
    }
    Ok(())
}

impl FittedSlda {
    /// The columns a table must have.
    pub fn columns(&self) -> Vec<&str> {
        self.linear.columns()
    }

    pub(crate) fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        self.linear.probabilities(data)
    }

    pub(crate) fn fault(&self, classes: usize) -> Option<&'static str> {
        self.linear.fault(classes)
    }
}
