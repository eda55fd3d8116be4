//! `rvm`: the relevance vector machine, weights of either sign on every feature.

use super::basis::{BASES, BasisParameters, DEGREE, KERNEL, SAMPLEWISE, check_stopping};
use super::kernel::KernelShape;
use super::laplace::{LaplaceOptions, LaplaceSolver, Truncation};
use super::one_vs_rest::{Learner, TrainingProblems, TrainingRun};
use super::run_many::train;
use crate::base::{Describe, MethodInfo, Parameter, Progress, Result};
use serde::{Deserialize, Serialize};

/// Relevance vector machine (Tipping, JMLR 2001): a precision per weight, updated by MacKay's rule.
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
        let tol =
            Parameter { name: "tol", range: "1e-12…0.1", purpose: "stop when the evidence changes less, relatively" };
        let max_iter = Parameter { name: "max_iter", range: "1…100000", purpose: "most iterations" };
        MethodInfo {
            name: "rvm",
            summary: "the relevance vector machine: a sparse classifier on all features",
            number_by: "",
            cost: "tens of iterations of rows × bases² flops, less as samples drop out",
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
    fn basis(&self) -> &BasisParameters {
        &self.basis
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<Vec<TrainingRun>>> {
        let options = LaplaceOptions {
            truncation: Truncation::Hard,
            strictness: [0.0, 0.0],
            max_iter: self.max_iter,
            tol: self.tol,
            features: false,
            signed: true,
            ..LaplaceOptions::default()
        };
        train(task, &self.basis, &[options], LaplaceSolver::new, progress)
    }
}
