//! `pcvm`: a sparse classifier on all features, by expectation–maximisation.

use super::basis_parameters::{BasisParameters, check, check_stopping, shared};
use super::em::{COST, EmOptions, EmSolver, WeightPrior};
use super::kernel::{Kernel, KernelShape};
use super::one_vs_rest::{Learner, TrainingProblems};
use super::run_many::train_with;
use super::training_run::ProblemRuns;
use crate::base::parameter::parameters;
use crate::base::{Describe, MethodInfo, Progress, Result};
use serde::{Deserialize, Serialize};

parameters! {
    /// Probabilistic classification vector machine: a sparse kernel classifier on all features.
    ///
    /// The decision function is f(x) = b + Σ_j w_j y_j k(x, x_j) with w_j ≥ 0 and labels y_j = ±1. The kernel, with s = γ/K
    /// for K features, is k(x, z) = s Σ x_k z_k (`linear`), exp(−s Σ (x_k − z_k)²) (`rbf`) or (1 + s Σ x_k z_k)^P (`poly`).
    /// A row is of class y with probability Φ(y f). Expectation–maximisation climbs to a mode of Σ ln Φ(y f) − κ Σ ln w_j −
    /// ½·10⁻³ b², in which most samples have weight zero and are pruned. It is [`PfcvmEm`](crate::machines::PfcvmEm) with
    /// all features kept. Several classes are separated one against the rest.
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
        ..basis: BasisParameters = BasisParameters::of(KernelShape::Rbf);
        kappa: f64 = 0.5, shared!(kappa range), shared!(kappa purpose);
        /// The scale of an `rbf` kernel is γ/K.
        gamma: f64 = 1.0, "1e-6…1e6", "factor γ of the kernel's scale, 1/features: larger is narrower";
        tol: f64 = 1e-3, shared!(tol range), shared!(weights purpose);
        max_iter: usize = 500, shared!(steps range), "most iterations";
    }
}

impl Describe for Pcvm {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "pcvm",
            summary: "a sparse classifier on all features, fitted by expectation–maximisation",
            number_by: "",
            cost: COST,
            reference: "Chen, Tino & Yao, Probabilistic classification vector machines, IEEE Transactions on Neural \
                        Networks 20(6), 2009",
            parameters: Pcvm::described(),
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
