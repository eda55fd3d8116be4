//! `pcvm`: a sparse classifier on all features, by expectation–maximisation.

use super::basis_parameters::{BASES, BasisParameters, DEGREE, KERNEL, SAMPLEWISE, check, check_stopping};
use super::em::{COST, EmOptions, EmSolver, KAPPA, MAX_ITER, TOL, WeightPrior};
use super::kernel::{Kernel, KernelShape};
use super::one_vs_rest::{Learner, TrainingProblems};
use super::run_many::train_with;
use super::training_run::ProblemRuns;
use crate::base::{Describe, MethodInfo, Parameter, Progress, Result};
use serde::{Deserialize, Serialize};

/// Probabilistic classification vector machine: a sparse kernel classifier on all features.
///
/// The decision function is f(x) = b + Σ_j w_j y_j k(x, x_j) with w_j ≥ 0 and labels y_j = ±1. The kernel, with s = γ/K
/// for K features, is k(x, z) = s Σ x_k z_k (`linear`), exp(−s Σ (x_k − z_k)²) (`rbf`) or (1 + s Σ x_k z_k)^P (`poly`).
/// A row is of class y with probability Φ(y f). Expectation–maximisation climbs to a mode of Σ ln Φ(y f) − κ Σ ln w_j −
/// ½·10⁻³ b², in which most samples have weight zero and are pruned. It is [`PfcvmEm`](crate::machines::PfcvmEm) with
/// all features kept. Several classes are separated one against the rest.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `kernel` | `rbf` | the kernel | `linear`, `rbf`, `poly` |
/// | `degree` | 2 | the degree of `kernel=poly` | 1…20 |
/// | `kappa` | 0.5 | κ: a sample survives if its \|z\| exceeds 2√κ | 0.001…100 |
/// | `gamma` | 1 | γ: the larger, the narrower the kernel | 1e-6…1e6 |
/// | `bases` | `auto` | candidate bases; auto: all rows up to 400, else 200 drawn at random | `auto`, 2…10⁶ |
/// | `samplewise` | false | standardise each row over its features first, as for gene expression | true, false |
/// | `tol` | 1e-3 | stop when the relative change of the weights is smaller | 1e-12…0.1 |
/// | `max_iter` | 500 | most iterations | 1…10⁵ |
///
/// Cost: one kernel of rows × bases × features flops, then up to hundreds of iterations of rows × bases² flops for
/// every class. Iterations become cheaper as samples are pruned.
///
/// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range;
/// [`Error::Method`](crate::Error::Method) for a numeric target and for weighted rows;
/// [`Error::Data`](crate::Error::Data) for a column of categories and for rows of a single class.
///
/// Reference: Chen, Tino & Yao, *Probabilistic classification vector machines*, IEEE Transactions on Neural Networks
/// 20(6), 2009.
///
/// ```
/// use tamis::{Classifier, Context, machines::Pcvm, model::Fitted, simulate::TwoGaussians};
///
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let trained = Pcvm::default().fit(&drawn.table.view(), &mut Context::default())?;
/// assert!(trained.fitted.samples() < 100); // the other samples were pruned
/// assert_eq!(trained.fitted.features().len(), 5);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pcvm {
    /// The kernel and its bases.
    #[serde(flatten)]
    pub basis: BasisParameters,
    /// Of the samples' precision κ/w².
    pub kappa: f64,
    /// γ of the kernel's scale γ/K: the larger, the narrower an `rbf` kernel.
    pub gamma: f64,
    /// It ends when the samples' weights change less, relatively.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for Pcvm {
    fn default() -> Self {
        Pcvm { basis: BasisParameters::of(KernelShape::Rbf), kappa: 0.5, gamma: 1.0, tol: 1e-3, max_iter: 500 }
    }
}

impl Describe for Pcvm {
    fn info() -> MethodInfo {
        let gamma = Parameter {
            name: "gamma",
            range: "1e-6…1e6",
            purpose: "factor of the kernel's scale, 1/features: larger is narrower",
        };
        MethodInfo {
            name: "pcvm",
            summary: "a sparse classifier on all features, fitted by expectation–maximisation",
            number_by: "",
            cost: COST,
            reference: "Chen, Tino & Yao, Probabilistic classification vector machines, IEEE Transactions on Neural \
                        Networks 20(6), 2009",
            parameters: vec![KERNEL, DEGREE, KAPPA, gamma, BASES, SAMPLEWISE, TOL, MAX_ITER],
        }
    }

    fn validate(&self) -> Result<()> {
        self.basis.validate()?;
        check("kappa", self.kappa, 1e-3, 100.0)?;
        check("gamma", self.gamma, 1e-6, 1e6)?;
        check_stopping(self.tol, self.max_iter)
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        // the scale of a linear kernel is that of its weights, whose prior has none
        let no_gamma = key == "gamma" && self.basis.kernel == KernelShape::Linear;
        if no_gamma { Some("kernel") } else { self.basis.overruled(key) }
    }
}

impl Learner for Pcvm {
    fn samplewise(&self) -> bool {
        self.basis.samplewise
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<ProblemRuns>> {
        let options = EmOptions::new(WeightPrior::ScaleFree(self.kappa), None, self.tol, self.max_iter);
        let usual = self.basis.of_features(task.x.n_columns());
        let kernel = Kernel { scale: self.gamma * usual.scale, ..usual };
        let runs = train_with(kernel, task, &self.basis, &[options], EmSolver::new, progress)?;
        Ok(ProblemRuns::of_problems(runs))
    }
}
