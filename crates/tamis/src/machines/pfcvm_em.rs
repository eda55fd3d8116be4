//! `pfcvm-em`: a sparse classifier that selects features as it learns, by expectation–maximisation.

use super::basis_parameters::{BasisParameters, check, check_stopping, shared};
use super::em::{COST, EmOptions, EmSolver, WeightPrior};
use super::kernel::KernelShape;
use super::one_vs_rest::{self, Learner, TrainingProblems};
use super::run_many::train;
use super::training_run::ProblemRuns;
use crate::base::parameter::parameters;
use crate::base::{Context, Describe, MethodInfo, Progress, Result};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
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
        ..basis: BasisParameters = BasisParameters::of(KernelShape::Linear);
        kappa: f64 = 0.5, shared!(kappa range), shared!(kappa purpose);
        kappa_theta: f64 = 0.5, shared!(kappa range),
            "strictness for features: a feature is kept if the size of its z exceeds 2√kappa_theta";
        tol: f64 = 1e-3, shared!(tol range), shared!(weights purpose);
        max_iter: usize = 500, shared!(steps range), "most iterations";
    }
}

impl Describe for PfcvmEm {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "pfcvm-em",
            summary: "a sparse Bayesian classifier that prunes features, fitted by expectation–maximisation",
            number_by: "the mode of the posterior",
            cost: COST,
            reference: "Li & Chen, Sparse Bayesian approach for feature selection, IEEE Symposium on Computational \
                        Intelligence in Big Data (CIBD), 2014",
            parameters: PfcvmEm::described(),
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
