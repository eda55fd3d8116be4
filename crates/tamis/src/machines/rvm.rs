//! `rvm`: the relevance vector machine, weights of either sign on every feature.

use super::basis_parameters::{BasisParameters, check_stopping, shared};
use super::kernel::KernelShape;
use super::laplace::{LaplaceOptions, LaplaceSolver, Truncation};
use super::one_vs_rest::{Learner, TrainingProblems};
use super::run_many::train;
use super::training_run::ProblemRuns;
use crate::base::parameter::parameters;
use crate::base::{Describe, MethodInfo, Progress, Result};
use serde::{Deserialize, Serialize};

parameters! {
    /// Relevance vector machine: a sparse kernel classifier on all features, with weights of either sign.
    ///
    /// The log odds are f(x) = b + Σ_j w_j k(x, x_j). The kernel, with s = 1/K for K features, is k(x, z) = s Σ x_k z_k
    /// (`linear`), exp(−s Σ (x_k − z_k)²) (`rbf`) or (1 + s Σ x_k z_k)^P (`poly`). Each weight has a normal prior with a
    /// precision α_j of its own. For given precisions w is the mode of Q = Σ ln σ(y f) − ½ Σ α_j w_j² + ½ Σ ln α_j;
    /// MacKay's update α = γ/w², where γ is the share of a weight that the data determine, then raises the evidence L = Q −
    /// ½ ln det H, where H is the negative Hessian of Q. A sample whose precision diverges is pruned. Several classes are
    /// separated one against the rest.
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
        ..basis: BasisParameters = BasisParameters::of(KernelShape::Rbf);
        tol: f64 = 1e-5, shared!(tol range), shared!(evidence purpose);
        max_iter: usize = 500, shared!(steps range), "most iterations";
    }
}

impl Describe for Rvm {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "rvm",
            summary: "the relevance vector machine: a sparse classifier on all features",
            number_by: "",
            cost: "tens of iterations of rows × bases² flops, fewer as samples are pruned",
            reference: "Tipping, Sparse Bayesian learning and the relevance vector machine, JMLR 1, 2001",
            parameters: Rvm::described(),
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
