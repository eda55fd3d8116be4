//! The weights that a run ends with, and the posterior around them.

use crate::machines::active_set::ActiveSet;
use crate::machines::jacobian::Jacobian;
use crate::machines::kernel::Kernel;
use crate::machines::laplace::options::LaplaceOptions;
use crate::machines::log_posterior::{Likelihood, Weights};
use crate::machines::machine::{Link, Machine};
use crate::numeric::linalg::Matrix;

/// The state after an iteration: kept bases and features with their weights, and the precisions those weights were
/// found with.
pub(super) struct Checkpoint {
    pub(super) bases: Vec<usize>,
    pub(super) features: Vec<usize>,
    pub(super) w: Weights,
    pub(super) theta: Weights,
}

/// The result of one run.
#[derive(Debug, Clone)]
pub(crate) struct FittedWeights {
    /// Positions of the kept bases and features.
    pub(crate) bases: Vec<usize>,
    pub(crate) features: Vec<usize>,
    /// The bias, then a weight per kept basis.
    pub(crate) w: Vec<f64>,
    pub(crate) theta: Vec<f64>,
    /// The posterior covariance of `w`, and the posterior variances of `theta` (empty where they were not learned).
    pub(crate) covariance: Matrix,
    pub(crate) theta_variances: Vec<f64>,
    /// f of every row.
    pub(crate) f: Vec<f64>,
    /// The posterior variance of f of every row.
    pub(crate) f_variances: Vec<f64>,
}

impl FittedWeights {
    /// The machine that predicts.
    pub(crate) fn machine(&self, kernel: Kernel, x: &Matrix, y: &[f64], signed: bool) -> Machine {
        let basis = |&j: &usize| self.features.iter().map(|&k| x.column(k)[j]).collect();
        Machine {
            kernel,
            link: Link::Logistic,
            features: self.features.clone(),
            theta: self.theta.clone(),
            bases: self.bases.iter().map(basis).collect(),
            signs: self.bases.iter().map(|&j| if signed { 1.0 } else { y[j] }).collect(),
            w: self.w.clone(),
            covariance: (0..self.w.len()).map(|i| self.covariance.column(i).to_vec()).collect(),
        }
    }
}
impl Checkpoint {
    /// The posterior around the weights; `None` where it cannot be computed.
    pub(super) fn fit(&self, x: &Matrix, y: &[f64], kernel: Kernel, options: &LaplaceOptions) -> Option<FittedWeights> {
        let Checkpoint { bases, features, w, theta } = self;
        let mut active = ActiveSet::new(x, y, bases.clone(), options.signed);
        active.keep(&(0..bases.len()).collect::<Vec<_>>(), features);
        let values = active.kernel(kernel, &theta.values);
        let samples = active.by_samples(&values);
        let at = Likelihood::at(samples.times(&w.values), active.y);
        let covariance = at.full_curvature(&samples, w)?.0.curvature.inverse();
        let theta_variances = if options.features {
            let by_features = active.by_features(kernel, &values, &w.values[1..]);
            let curvature = at.full_curvature(&by_features, theta)?.0.curvature;
            curvature.variances(&curvature.shares())
        } else {
            vec![]
        };
        let finite = (0..covariance.n_columns()).all(|k| covariance.column(k).iter().all(|x| x.is_finite()));
        let f_variances = variances(&samples, &covariance);
        finite.then(|| FittedWeights {
            bases: bases.clone(),
            features: features.clone(),
            w: w.values.clone(),
            theta: theta.values.clone(),
            covariance,
            theta_variances,
            f: at.f,
            f_variances,
        })
    }
}
/// φᵀΣφ for every row φ of J. Cost: rows × weights².
fn variances(effect: &Jacobian, covariance: &Matrix) -> Vec<f64> {
    let p = effect.len();
    let mut sums = vec![0.0; effect.n_rows()];
    effect.each_block(|block, from| {
        let n = block.n_rows();
        let ones = vec![1.0; n];
        let j = Matrix::from_columns(n, p, |k, out| block.scaled_column(k, &ones, 1.0, out));
        let mut spread = Matrix::zeros(n, p);
        j.product(covariance, &mut spread);
        for k in 0..p {
            let rows = sums[from..from + n].iter_mut().zip(j.column(k)).zip(spread.column(k));
            rows.for_each(|((s, a), b)| *s += a * b);
        }
    });
    sums
}
