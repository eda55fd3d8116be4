//! The settings of a run by expectation–maximisation, and the parameters of the methods that set them.

pub(in crate::machines) const COST: &str =
    "up to hundreds of iterations of rows × bases² and rows × features × bases flops, fewer as weights are pruned";
/// The prior of a weight, by the expected precision given the weight.
#[derive(Debug, Clone, Copy)]
pub(in crate::machines) enum WeightPrior {
    /// κ/w², whatever the scale.
    ScaleFree(f64),
    /// γ/|w|: a density ∝ exp(−γ|w|), a normal one whose variance is exponential.
    Laplace(f64),
}

impl WeightPrior {
    pub(super) fn precision(self, weights: &[f64]) -> Vec<f64> {
        let of = |w: &f64| match self {
            WeightPrior::ScaleFree(kappa) => kappa / (w * w),
            WeightPrior::Laplace(gamma) => gamma / w.abs(),
        };
        weights.iter().map(of).collect()
    }
}

/// The settings of one run.
#[derive(Debug, Clone)]
pub(in crate::machines) struct EmOptions {
    pub(in crate::machines) samples: WeightPrior,
    /// The features' weights stay as they start without it.
    pub(in crate::machines) features: Option<WeightPrior>,
    /// Whether the samples' weights may have either sign; otherwise they are positive, and a basis counts for its class.
    pub(in crate::machines) signed: bool,
    /// A weight goes when it is below this share of the largest.
    pub(in crate::machines) prune_share: f64,
    pub(in crate::machines) theta_start: f64,
    /// Most steps for the features' weights in an iteration.
    pub(in crate::machines) theta_steps: usize,
    pub(in crate::machines) max_iter: usize,
    pub(in crate::machines) tol: f64,
}

/// Steps for the features' weights in an iteration that are worth their time.
const THETA_STEPS: usize = 10;

impl EmOptions {
    /// The settings that the methods share: positive weights that start at one.
    pub(in crate::machines) fn new(
        samples: WeightPrior,
        features: Option<WeightPrior>,
        tol: f64,
        max_iter: usize,
    ) -> EmOptions {
        EmOptions {
            samples,
            features,
            signed: false,
            prune_share: 1e-3,
            theta_start: 1.0,
            theta_steps: THETA_STEPS,
            max_iter,
            tol,
        }
    }
}
