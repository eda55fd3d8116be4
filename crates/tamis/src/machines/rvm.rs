//! `rvm`: the relevance vector machine, weights of either sign on every feature.

use super::basis_parameters::{BASES, BasisParameters, DEGREE, KERNEL, SAMPLEWISE, check_stopping};
use super::kernel::KernelShape;
use super::laplace::{LaplaceOptions, LaplaceSolver, Truncation};
use super::one_vs_rest::{Learner, TrainingProblems};
use super::run_many::train;
use super::training_run::ProblemRuns;
use crate::base::{Describe, MethodInfo, Parameter, Progress, Result};
use serde::{Deserialize, Serialize};

/// Relevance vector machine: a sparse kernel classifier on all features, with weights of either sign.
///
/// The log odds are f(x) = b + Σ_j w_j k(x, x_j). The kernel, with s = 1/K for K features, is k(x, z) = s Σ x_k z_k
/// (`linear`), exp(−s Σ (x_k − z_k)²) (`rbf`) or (1 + s Σ x_k z_k)^P (`poly`). Each weight has a normal prior with a
/// precision α_j of its own. For given precisions w is the mode of Q = Σ ln σ(y f) − ½ Σ α_j w_j² + ½ Σ ln α_j;
/// MacKay's update α = γ/w², where γ is the share of a weight that the data determine, then raises the evidence L = Q −
/// ½ ln det H, where H is the negative Hessian of Q. A sample whose precision diverges is pruned. Several classes are
/// separated one against the rest.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `kernel` | `rbf` | the kernel | `linear`, `rbf`, `poly` |
/// | `degree` | 2 | the degree of `kernel=poly` | 1…20 |
/// | `bases` | `auto` | candidate bases; auto: all rows up to 400, else 200 drawn at random | `auto`, 2…10⁶ |
/// | `samplewise` | false | standardise each row over its features first, as for gene expression | true, false |
/// | `tol` | 1e-5 | stop when the relative change of the evidence is smaller, three times in a row | 1e-12…0.1 |
/// | `max_iter` | 500 | most iterations | 1…10⁵ |
///
/// Cost: one kernel of rows × bases × features flops, then tens of iterations of rows × bases² flops for every class.
/// Iterations become cheaper as samples are pruned.
///
/// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range;
/// [`Error::Method`](crate::Error::Method) for a numeric target and for weighted rows;
/// [`Error::Data`](crate::Error::Data) for a column of categories and for rows of a single class.
///
/// Reference: Tipping, *Sparse Bayesian learning and the relevance vector machine*, JMLR 1, 2001.
///
/// ```
/// use tamis::{Classifier, Context, machines::Rvm, model::Fitted, simulate::TwoGaussians};
///
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let trained = Rvm::default().fit(&drawn.table.view(), &mut Context::default())?;
/// assert!(trained.fitted.samples() < 100); // the other samples were pruned
/// assert_eq!(trained.fitted.features().len(), 5);
/// # Ok::<(), tamis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rvm {
    /// The kernel and its bases.
    #[serde(flatten)]
    pub basis: BasisParameters,
    /// It ends when the evidence changes less, relatively, three times in a row.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for Rvm {
    fn default() -> Self {
        Rvm { basis: BasisParameters::of(KernelShape::Rbf), tol: 1e-5, max_iter: 500 }
    }
}

impl Describe for Rvm {
    fn info() -> MethodInfo {
        let tol = Parameter {
            name: "tol",
            range: "1e-12…0.1",
            purpose: "stop when the relative change of the evidence is smaller",
        };
        let max_iter = Parameter { name: "max_iter", range: "1…100000", purpose: "most iterations" };
        MethodInfo {
            name: "rvm",
            summary: "the relevance vector machine: a sparse classifier on all features",
            number_by: "",
            cost: "tens of iterations of rows × bases² flops, fewer as samples are pruned",
            reference: "Tipping, Sparse Bayesian learning and the relevance vector machine, JMLR 1, 2001",
            parameters: vec![KERNEL, DEGREE, BASES, SAMPLEWISE, tol, max_iter],
        }
    }

    fn validate(&self) -> Result<()> {
        self.basis.validate()?;
        check_stopping(self.tol, self.max_iter)
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        self.basis.overruled(key)
    }
}

impl Learner for Rvm {
    fn samplewise(&self) -> bool {
        self.basis.samplewise
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<ProblemRuns>> {
        let options = LaplaceOptions {
            truncation: Truncation::Hard,
            strictness: [0.0, 0.0],
            max_iter: self.max_iter,
            tol: self.tol,
            features: false,
            signed: true,
            ..LaplaceOptions::default()
        };
        Ok(ProblemRuns::of_problems(train(task, &self.basis, &[options], LaplaceSolver::new, progress)?))
    }
}
