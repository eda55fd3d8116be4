//! `pfcvm-em`: a sparse classifier that selects features as it learns, by expectation–maximisation.

use super::basis::{BASES, BasisParameters, DEGREE, KERNEL, SAMPLEWISE, check, check_stopping};
use super::em::{COST, EmOptions, EmSolver, KAPPA, MAX_ITER, TOL, WeightPrior};
use super::kernel::KernelShape;
use super::one_vs_rest::{self, Learner, TrainingProblems, TrainingRun};
use super::run_many::train;
use crate::base::{Context, Describe, MethodInfo, Parameter, Progress, Result};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Probabilistic feature selection and classification vector machine by EM (Li & Chen, IEEE CIM 2014).
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
            purpose: "how strong a feature must be to stay: |z| above 2√kappa_theta",
        };
        MethodInfo {
            name: "pfcvm-em",
            summary: "a sparse Bayesian classifier that drops features, by expectation–maximisation",
            number_by: "the mode of the posterior",
            cost: COST,
            reference: "Li & Chen, Joint feature selection and classification with vector machines, IEEE \
                        Computational Intelligence Magazine, 2014",
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
    fn basis(&self) -> &BasisParameters {
        &self.basis
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<Vec<TrainingRun>>> {
        let features = Some(WeightPrior::ScaleFree(self.kappa_theta));
        let options = EmOptions::new(WeightPrior::ScaleFree(self.kappa), features, self.tol, self.max_iter);
        train(task, &self.basis, &[options], EmSolver::new, progress)
    }
}

impl Selector for PfcvmEm {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        one_vs_rest::select(self, data, context)
    }
}
