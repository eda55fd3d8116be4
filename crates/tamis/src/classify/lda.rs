//! `lda`: linear discriminant with the pooled covariance.

use crate::base::{Context, Describe, MethodInfo, Progress, Result};
use crate::filter::out_of_range;
use crate::model::Linear;
use crate::model::standardised_matrix::{StandardisedMatrix, row_squares, squared_gram};
use crate::model::training_classes::TrainingClasses;
use crate::numeric::factored_hessian::Curvature;
use crate::numeric::linalg::{Cholesky, Matrix, dot};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// A feature that the others explain to all but this share of its variance makes the covariance singular.
const SINGULAR: f64 = 1e-10;

/// Linear discriminant analysis.
///
/// The score of a class is x·Σ⁻¹m_c − ½ m_c·Σ⁻¹m_c + ln π_c, where m_c is the mean of class c, Σ the covariance within
/// the classes (sums of squares divided by the number of rows) and π_c the class's share of the rows.
///
/// If Σ is singular, because there are too few rows or because features are combinations of others, it is replaced by
/// (1 − λ)Σ + λμI on standardised features, where μ is the mean of the diagonal of Σ and λ the intensity of Ledoit and
/// Wolf. A missing value is replaced by the feature's mean.
///
/// It has no parameters.
///
/// Cost: rows × features × min(rows, features) flops; no matrix larger than the smaller of both is factored.
///
/// Errors: [`Error::Method`](crate::Error::Method) for weighted rows; [`Error::Data`](crate::Error::Data) for a numeric
/// target and for a column of categories.
///
/// Reference: Fisher, *The use of multiple measurements in taxonomic problems*, Annals of Eugenics 7, 1936; Ledoit &
/// Wolf, *A well-conditioned estimator for large-dimensional covariance matrices*, Journal of Multivariate Analysis 88,
/// 2004.
///
/// ```
/// use tamis::{Context, Method, classify::Lda, simulate::TwoGaussians};
///
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let model = Method::from(Lda::default()).fit(&drawn.table.view(), &mut Context::default())?;
/// let predictions = model.predict(&drawn.table.view())?;
/// assert_eq!(predictions.probabilities[0].len(), 100);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lda {}

/// A trained [`Lda`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedLda {
    /// The scores of the classes.
    #[serde(flatten)]
    pub linear: Linear,
    /// λ where the covariance was singular.
    pub intensity: Option<f64>,
}

impl Describe for Lda {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "lda",
            summary: "a classifier: linear discriminant; a singular covariance is shrunk",
            number_by: "",
            cost: "rows × features × min(rows, features) flops",
            reference: "Fisher 1936; Ledoit & Wolf, A well-conditioned estimator for large-dimensional covariance matrices, 2004",
            parameters: vec![],
        }
    }
}

classifier!(Lda, FittedLda);

impl Lda {
    pub(super) fn train(&self, data: &View, context: &mut Context) -> Result<FittedLda> {
        let classes = TrainingClasses::unweighted(data, "lda")?;
        let design = StandardisedMatrix::learn(data)?;
        context.step("covariance", 0, 0)?;
        let (n, k) = (design.x.n_rows(), design.x.n_columns());
        if k == 0 || classes.occurring.len() < 2 {
            return Ok(FittedLda { linear: Linear::majority(&classes.shares), intensity: None });
        }
        let (means, centred) = design.centred(&classes);
        if k + classes.occurring.len() <= n
            && let Some((units, factor)) = correlation(&centred)
        {
            let solve = |w: &mut [f64]| {
                w.iter_mut().zip(&units).for_each(|(w, u)| *w /= u);
                factor.solve(w);
                w.iter_mut().zip(&units).for_each(|(w, u)| *w /= u);
            };
            return Ok(FittedLda { linear: design.discriminant(&classes, &means, solve), intensity: None });
        }
        let (intensity, ridge) = ledoit_wolf(&centred);
        let curvature = Curvature::of(&centred, &vec![(1.0 - intensity) / n as f64; n], &vec![ridge; k])
            .ok_or_else(out_of_range)?;
        let linear = design.discriminant(&classes, &means, |w| curvature.solve(w));
        Ok(FittedLda { linear, intensity: Some(intensity) })
    }
}

/// Standard deviations (of divisor n) and the factor of the correlation; `None` where it is singular.
fn correlation(centred: &Matrix) -> Option<(Vec<f64>, Cholesky)> {
    let (n, k) = (centred.n_rows() as f64, centred.n_columns());
    let units: Vec<f64> = (0..k).map(|j| (dot(centred.column(j), centred.column(j)) / n).sqrt()).collect();
    if units.iter().any(|u| u * u < SINGULAR) {
        return None;
    }
    let z = Matrix::from_columns(centred.n_rows(), k, |j, out| {
        let unit = 1.0 / (units[j] * n.sqrt());
        out.iter_mut().zip(centred.column(j)).for_each(|(o, x)| *o = x * unit);
    });
    let mut gram = Matrix::zeros(k, k);
    z.add_gram(&mut gram);
    let factor = Cholesky::factor(gram).ok()?;
    (factor.smallest_pivot() > SINGULAR).then_some((units, factor))
}

/// λ, and the λμ that is added to the diagonal. With S = XᵀX/n: δ² = ‖S − μI‖², β² = Σ_i ‖x_i x_iᵀ − S‖²/n²,
/// λ = min(β², δ²)/δ².
fn ledoit_wolf(centred: &Matrix) -> (f64, f64) {
    let (n, k) = (centred.n_rows() as f64, centred.n_columns() as f64);
    let squares = row_squares(centred);
    let mu = squares.iter().sum::<f64>() / (n * k);
    let s2 = squared_gram(centred) / (n * n);
    let delta = s2 - k * mu * mu;
    let beta = squares.iter().map(|q| q * q).sum::<f64>() / (n * n) - s2 / n;
    let intensity = if delta > 1e-12 * s2 { (beta.max(0.0) / delta).min(1.0) } else { 1.0 };
    // features that separate the classes with no variance at all leave nothing to shrink towards
    (intensity, (intensity * mu).max(SINGULAR))
}

super::predicts_by_linear!(FittedLda);
