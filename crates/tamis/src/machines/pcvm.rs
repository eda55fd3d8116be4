//! `pcvm`: a sparse classifier on all features, by expectation–maximisation.

use super::basis::{BASES, BasisParameters, DEGREE, KERNEL, SAMPLEWISE, check, check_stopping};
use super::em::{COST, EmOptions, EmSolver, KAPPA, MAX_ITER, TOL, WeightPrior};
use super::kernel::KernelShape;
use super::one_vs_rest::{Learner, TrainingProblems, TrainingRun};
use super::run_many::train;
use crate::base::{Describe, MethodInfo, Progress, Result};
use serde::{Deserialize, Serialize};

/// Probabilistic classification vector machine (Chen, Tino & Yao, IEEE TNN 2009).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pcvm {
    /// The kernel and its bases.
    #[serde(flatten)]
    pub basis: BasisParameters,
    /// Of the samples' precision κ/w².
    pub kappa: f64,
    /// It ends when the samples' weights change less, relatively.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for Pcvm {
    fn default() -> Self {
        Pcvm { basis: BasisParameters::of(KernelShape::Rbf), kappa: 0.5, tol: 1e-3, max_iter: 500 }
    }
}

impl Describe for Pcvm {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "pcvm",
            summary: "a sparse classifier on all features, by expectation–maximisation",
            number_by: "",
            cost: COST,
            reference: "Chen, Tino & Yao, Probabilistic classification vector machines, IEEE Transactions on Neural \
                        Networks 20(6), 2009",
            parameters: vec![KERNEL, DEGREE, KAPPA, BASES, SAMPLEWISE, TOL, MAX_ITER],
        }
    }

    fn validate(&self) -> Result<()> {
        self.basis.validate()?;
        check("kappa", self.kappa, 1e-3, 100.0)?;
        check_stopping(self.tol, self.max_iter)
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        self.basis.overruled(key)
    }
}

impl Learner for Pcvm {
    fn basis(&self) -> &BasisParameters {
        &self.basis
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<Vec<TrainingRun>>> {
        let options = EmOptions::new(WeightPrior::ScaleFree(self.kappa), None, self.tol, self.max_iter);
        train(task, &self.basis, &[options], EmSolver::new, progress)
    }
}
