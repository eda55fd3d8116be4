//! `slda`: linear discriminant with shrunken correlations, and the scores that go with it.

use crate::base::{Context, Describe, MethodInfo, Progress, Result};
use crate::filter::{ShrunkenCorrelation, out_of_range};
use crate::model::Linear;
use crate::model::training_classes::TrainingClasses;
use crate::numeric::factored_hessian::Curvature;
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Linear discriminant analysis with shrunken correlations.
///
/// The score of a class is that of [`Lda`](crate::classify::Lda) with Σ = V^½ ((1 − λ)R + λI) V^½. V holds the
/// variances, pooled with n − classes degrees of freedom, and R the correlations within the classes. The intensity λ =
/// Σ_{i≠j} Var(r_ij)/Σ_{i≠j} r_ij², at most 1, is computed from the data without a search. A missing value is replaced
/// by the feature's mean.
///
/// It has no parameters.
///
/// Cost: rows × features × min(rows, features) flops; no matrix larger than the smaller of both is factored.
///
/// Errors: [`Error::Method`](crate::Error::Method) for weighted rows; [`Error::Data`](crate::Error::Data) for a numeric
/// target and for a column of categories.
///
/// Reference: Schäfer & Strimmer, *A shrinkage approach to large-scale covariance matrix estimation*, SAGMB 4, 2005;
/// Ahdesmäki & Strimmer, *Feature selection in omics prediction problems using cat scores and false nondiscovery rate
/// control*, Annals of Applied Statistics 4, 2010.
///
/// ```
/// use tamis::{Context, Method, classify::Slda, simulate::TwoGaussians};
///
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let model = Method::from(Slda::default()).fit(&drawn.table.view(), &mut Context::default())?;
/// let predictions = model.predict(&drawn.table.view())?;
/// assert_eq!(predictions.probabilities[0].len(), 100);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Slda {}

/// A trained [`Slda`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedSlda {
    /// The scores of the classes.
    #[serde(flatten)]
    pub linear: Linear,
    /// λ, how much correlations were shrunk; absent where nothing could be learned.
    pub intensity: Option<f64>,
}

impl Describe for Slda {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "slda",
            summary: "a classifier: linear discriminant with shrunken correlations",
            number_by: "",
            cost: "rows × features × min(rows, features) flops",
            reference: "Ahdesmäki & Strimmer, Feature selection in omics prediction problems using cat scores, AOAS 2010",
            parameters: vec![],
        }
    }
}

classifier!(Slda, FittedSlda);

impl Slda {
    pub(super) fn train(&self, data: &View, context: &mut Context) -> Result<FittedSlda> {
        let classes = TrainingClasses::unweighted(data, "slda")?;
        context.step("covariance", 0, 0)?;
        let Some(ShrunkenCorrelation { design, means, units, z, intensity }) =
            ShrunkenCorrelation::learn(data, &classes)?
        else {
            return Ok(FittedSlda { linear: Linear::majority(&classes.shares), intensity: None });
        };
        let curvature = Curvature::of(&z, &vec![1.0 - intensity; z.n_rows()], &vec![intensity; z.n_columns()])
            .ok_or_else(out_of_range)?;
        let solve = |w: &mut [f64]| {
            w.iter_mut().zip(&units).for_each(|(w, u)| *w /= u);
            curvature.solve(w);
            w.iter_mut().zip(&units).for_each(|(w, u)| *w /= u);
        };
        Ok(FittedSlda { linear: design.discriminant(&classes, &means, solve), intensity: Some(intensity) })
    }
}

super::predicts_by_linear!(FittedSlda);
