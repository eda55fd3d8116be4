//! `pfcvm-em`: a sparse classifier that selects features as it learns, by expectation–maximisation.

use super::basis_parameters::{BASES, BasisParameters, DEGREE, KERNEL, SAMPLEWISE, check, check_stopping};
use super::em::{COST, EmOptions, EmSolver, KAPPA, MAX_ITER, TOL, WeightPrior};
use super::kernel::KernelShape;
use super::one_vs_rest::{self, Learner, TrainingProblems};
use super::run_many::train;
use super::training_run::ProblemRuns;
use crate::base::{Context, Describe, MethodInfo, Parameter, Progress, Result};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Probabilistic feature selection and classification vector machine, by expectation–maximisation: a kernel classifier
/// that prunes samples and features while it learns.
///
/// The decision function is f(x) = b + Σ_j w_j y_j k_θ(x, x_j) with w_j ≥ 0, θ_k ≥ 0 and labels y_j = ±1. The kernel,
/// with s = 1/K for K features, is k_θ(x, z) = s Σ θ_k x_k z_k (`linear`), exp(−s Σ θ_k (x_k − z_k)²) (`rbf`) or (1 + s
/// Σ θ_k x_k z_k)^P (`poly`). A row is of class y with probability Φ(y f). The method climbs to a mode of
///
/// Σ ln Φ(y f) − κ Σ ln w_j − κ_θ Σ ln θ_k − ½·10⁻³ b²,
///
/// in which a weight is either clearly positive or falls to zero and is pruned. A feature is selected if its θ is left.
/// Several classes are separated one against the rest, and a feature is selected if any of these machines keeps it.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `kernel` | `linear` | the kernel | `linear`, `rbf`, `poly` |
/// | `degree` | 2 | the degree of `kernel=poly` | 1…20 |
/// | `kappa` | 0.5 | κ: a sample survives if its \|z\| exceeds 2√κ | 0.001…100 |
/// | `kappa_theta` | 0.5 | κ_θ: a feature survives if its \|z\| exceeds 2√κ_θ | 0.001…100 |
/// | `bases` | `auto` | candidate bases; auto: all rows up to 400, else 200 drawn at random | `auto`, 2…10⁶ |
/// | `samplewise` | false | standardise each row over its features first, as for gene expression | true, false |
/// | `tol` | 1e-3 | stop when the relative change of the samples' weights is smaller | 1e-12…0.1 |
/// | `max_iter` | 500 | most iterations | 1…10⁵ |
///
/// Cost: up to hundreds of iterations of rows × bases² and rows × features × bases flops for every class. Iterations
/// become cheaper as weights are pruned.
///
/// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range;
/// [`Error::Method`](crate::Error::Method) for a numeric target and for weighted rows;
/// [`Error::Data`](crate::Error::Data) for a column of categories and for rows of a single class.
///
/// Reference: Li & Chen, *Sparse Bayesian approach for feature selection*, IEEE Symposium on Computational Intelligence in
/// Big Data (CIBD), 2014.
///
/// ```
/// use tamis::{Context, Selector, machines::PfcvmEm, simulate::TwoGaussians};
///
/// // two of five features separate the classes
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let selection = PfcvmEm::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert!(selection.selected.contains(&0) && selection.selected.contains(&1));
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PfcvmEm {
    /// The kernel and its bases.
    #[serde(flatten)]
    pub basis: BasisParameters,
    /// Of the samples' precision κ/w²: the larger, the stronger a sample must be to stay.
    pub kappa: f64,
    /// Of the features' precision κ_θ/θ².
    pub kappa_theta: f64,
    /// It ends when the samples' weights change less, relatively.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for PfcvmEm {
    fn default() -> Self {
        PfcvmEm {
            basis: BasisParameters::of(KernelShape::Linear),
            kappa: 0.5,
            kappa_theta: 0.5,
            tol: 1e-3,
            max_iter: 500,
        }
    }
}

impl Describe for PfcvmEm {
    fn info() -> MethodInfo {
        let kappa_theta = Parameter {
            name: "kappa_theta",
            range: "0.001…100",
            purpose: "strictness for features: a feature is kept if its |z| exceeds 2√kappa_theta",
        };
        MethodInfo {
            name: "pfcvm-em",
            summary: "a sparse Bayesian classifier that prunes features, fitted by expectation–maximisation",
            number_by: "the mode of the posterior",
            cost: COST,
            reference: "Li & Chen, Sparse Bayesian approach for feature selection, IEEE Symposium on Computational \
                        Intelligence in Big Data (CIBD), 2014",
            parameters: vec![KERNEL, DEGREE, KAPPA, kappa_theta, BASES, SAMPLEWISE, TOL, MAX_ITER],
        }
    }

    fn validate(&self) -> Result<()> {
        self.basis.validate()?;
        check("kappa", self.kappa, 1e-3, 100.0)?;
        check("kappa_theta", self.kappa_theta, 1e-3, 100.0)?;
        check_stopping(self.tol, self.max_iter)
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        self.basis.overruled(key)
    }
}

impl Learner for PfcvmEm {
    fn samplewise(&self) -> bool {
        self.basis.samplewise
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<ProblemRuns>> {
        let features = Some(WeightPrior::ScaleFree(self.kappa_theta));
        let options = EmOptions::new(WeightPrior::ScaleFree(self.kappa), features, self.tol, self.max_iter);
        Ok(ProblemRuns::of_problems(train(task, &self.basis, &[options], EmSolver::new, progress)?))
    }
}

impl Selector for PfcvmEm {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        one_vs_rest::select(self, data, context)
    }
}
