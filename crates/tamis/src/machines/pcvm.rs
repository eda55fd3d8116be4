//! `pcvm`: a sparse classifier on all features, by expectation–maximisation.

use super::basis::{BASES, BasisParameters, DEGREE, KERNEL, SAMPLEWISE, check};
use super::em::{self, COST, KAPPA, MAX_ITER, Options, Prior, THETA_STEPS, TOL};
use super::kernel::Shape;
use super::one_vs_rest::{Learner, Task, TrainingRun};
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
        Pcvm { basis: BasisParameters::of(Shape::Rbf), kappa: 0.5, tol: 1e-3, max_iter: 500 }
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
        check("tol", self.tol, 1e-12, 0.1)?;
        check("max_iter", self.max_iter as f64, 1.0, 1e5)
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        self.basis.overruled(key)
    }
}

impl Learner for Pcvm {
    fn basis(&self) -> &BasisParameters {
        &self.basis
    }

    fn learn(&self, task: &Task, progress: &mut dyn Progress) -> Result<Vec<Vec<TrainingRun>>> {
        let options = Options {
            samples: Prior::ScaleFree(self.kappa),
            features: None,
            signed: false,
            prune_share: 1e-3,
            theta_start: 1.0,
            theta_steps: THETA_STEPS,
            max_iter: self.max_iter,
            tol: self.tol,
        };
        em::learn(&self.basis, &options, task, progress)
    }
}
