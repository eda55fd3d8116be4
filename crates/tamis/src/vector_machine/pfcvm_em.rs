//! `pfcvm-em`: a sparse classifier that selects features as it learns, by expectation–maximisation; and `pcvm`, the
//! same with every feature kept.

use super::em::{Options, Prior, Run, THETA_STEPS};
use super::kernel::Shape;
use super::several::{self, Common, Learner, Trained, check};
use super::slate;
use crate::method::Entry;
use crate::model::Model;
use crate::numeric::linalg::Matrix;
use crate::selection::{Selection, Selector};
use crate::settings::{Auto, Parameter};
use crate::table::View;
use crate::{Method, Progress, Result};
use serde::{Deserialize, Serialize};

/// Probabilistic feature selection and classification vector machine by EM (Li & Chen, IEEE CIM 2014).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PfcvmEm {
    /// The kernel.
    pub kernel: Shape,
    /// The degree of a polynomial.
    pub degree: u32,
    /// Of the samples' precision κ/w²: the larger, the stronger a sample must be to stay.
    pub kappa: f64,
    /// Of the features' precision κ_θ/θ².
    pub kappa_theta: f64,
    /// Candidate bases; auto: all rows up to 400, 200 of them beyond.
    pub bases: Auto<usize>,
    /// Whether each row is standardised over the features first, as gene data are.
    pub samplewise: bool,
    /// It ends when the samples' weights change less, relatively.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// The seed of the bases.
    #[serde(skip)]
    pub seed: u64,
}

impl Default for PfcvmEm {
    fn default() -> Self {
        PfcvmEm {
            kernel: Shape::Linear,
            degree: 2,
            kappa: 0.5,
            kappa_theta: 0.5,
            bases: Auto::Auto,
            samplewise: false,
            tol: 1e-3,
            max_iter: 500,
            seed: 0,
        }
    }
}

/// Probabilistic classification vector machine (Chen, Tino & Yao, IEEE TNN 2009).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pcvm {
    /// The kernel.
    pub kernel: Shape,
    /// The degree of a polynomial.
    pub degree: u32,
    /// Of the samples' precision κ/w².
    pub kappa: f64,
    /// Candidate bases; auto: all rows up to 400, 200 of them beyond.
    pub bases: Auto<usize>,
    /// Whether each row is standardised over the features first.
    pub samplewise: bool,
    /// It ends when the samples' weights change less, relatively.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// The seed of the bases.
    #[serde(skip)]
    pub seed: u64,
}

impl Default for Pcvm {
    fn default() -> Self {
        let PfcvmEm { degree, kappa, bases, samplewise, tol, max_iter, seed, .. } = PfcvmEm::default();
        Pcvm { kernel: Shape::Rbf, degree, kappa, bases, samplewise, tol, max_iter, seed }
    }
}

pub(super) const KERNEL: Parameter =
    Parameter { name: "kernel", range: "linear, rbf, poly", purpose: "how rows are compared" };
pub(super) const DEGREE: Parameter = Parameter { name: "degree", range: "1…20", purpose: "of kernel=poly" };
pub(super) const BASES: Parameter = Parameter {
    name: "bases",
    range: "auto, 2…",
    purpose: "candidate bases; auto: all up to 400 rows, else 200 of them",
};
pub(super) const SAMPLEWISE: Parameter =
    Parameter { name: "samplewise", range: "true, false", purpose: "standardise each row over the features first" };
const KAPPA: Parameter =
    Parameter {
        name: "kappa", range: "0.001…100", purpose: "how strong a sample must be to stay: |z| above 2√kappa"
    };
pub(super) const TOL: Parameter =
    Parameter { name: "tol", range: "1e-12…0.1", purpose: "stop when the samples' weights change less, relatively" };
pub(super) const MAX_ITER: Parameter = Parameter { name: "max_iter", range: "1…100000", purpose: "most iterations" };

pub(super) const COST: &str =
    "up to hundreds of iterations of rows × bases² and rows × features × bases flops, less as weights drop out";

/// These methods for the catalogue.
pub fn entries() -> Vec<Entry> {
    let kappa_theta = Parameter {
        name: "kappa_theta",
        range: "0.001…100",
        purpose: "how strong a feature must be to stay: |z| above 2√kappa_theta",
    };
    vec![
        Entry {
            name: "pfcvm-em",
            summary: "the same by expectation–maximisation, with a probit likelihood",
            number_by: "the mode of the posterior",
            cost: COST,
            reference: "Li & Chen, Joint feature selection and classification with vector machines, IEEE \
                        Computational Intelligence Magazine, 2014",
            parameters: vec![KERNEL, DEGREE, KAPPA, kappa_theta, BASES, SAMPLEWISE, TOL, MAX_ITER],
            default: Method::PfcvmEm(PfcvmEm::default()),
        },
        Entry {
            name: "pcvm",
            summary: "a sparse classifier on all features, by expectation–maximisation (`tamis fit`)",
            number_by: "",
            cost: COST,
            reference: "Chen, Tino & Yao, Probabilistic classification vector machines, IEEE Transactions on Neural \
                        Networks 20(6), 2009",
            parameters: vec![KERNEL, DEGREE, KAPPA, BASES, SAMPLEWISE, TOL, MAX_ITER],
            default: Method::Pcvm(Pcvm::default()),
        },
    ]
}

impl PfcvmEm {
    /// Trains a classifier.
    pub fn fit(&self, data: &View, progress: &mut dyn Progress) -> Result<Model> {
        several::fit(self, data, progress)
    }

    fn options(&self) -> Options {
        Options {
            samples: Prior::ScaleFree(self.kappa),
            features: Some(Prior::ScaleFree(self.kappa_theta)),
            signed: false,
            prune_share: 1e-3,
            theta_start: 1.0,
            theta_steps: THETA_STEPS,
            max_iter: self.max_iter,
            tol: self.tol,
        }
    }
}

impl Pcvm {
    /// Trains a classifier.
    pub fn fit(&self, data: &View, progress: &mut dyn Progress) -> Result<Model> {
        several::fit(self, data, progress)
    }

    /// PFCVM with these settings.
    fn with_features(&self) -> PfcvmEm {
        let Pcvm { kernel, degree, kappa, bases, samplewise, tol, max_iter, seed } = *self;
        PfcvmEm { kernel, degree, kappa, bases, samplewise, tol, max_iter, seed, ..PfcvmEm::default() }
    }
}

/// One run per problem.
pub(super) fn learn(
    common: Common,
    options: &Options,
    x: &Matrix,
    problems: &[Vec<f64>],
    progress: &mut dyn Progress,
) -> Result<Vec<Vec<Trained>>> {
    let kernel = common.kernel(x.columns());
    let make = |at: usize| {
        let y = &problems[at];
        Run::new(kernel, x, y, common.draw_bases(y, at, 0), options.clone())
    };
    slate::by_problem(problems.len(), 1, options.max_iter, make, |run| run.trained(x), progress)
}

impl Learner for PfcvmEm {
    fn common(&self) -> Common {
        Common {
            shape: self.kernel,
            degree: self.degree,
            bases: self.bases,
            samplewise: self.samplewise,
            seed: self.seed,
            average: 1,
        }
    }

    fn method(&self) -> Method {
        Method::PfcvmEm(self.clone())
    }

    fn validate(&self) -> Result<()> {
        self.common().validate()?;
        check("kappa", self.kappa, 1e-3, 100.0)?;
        check("kappa_theta", self.kappa_theta, 1e-3, 100.0)?;
        check("tol", self.tol, 1e-12, 0.1)?;
        check("max_iter", self.max_iter as f64, 1.0, 1e5)
    }

    fn learn(&self, x: &Matrix, problems: &[Vec<f64>], progress: &mut dyn Progress) -> Result<Vec<Vec<Trained>>> {
        learn(self.common(), &self.options(), x, problems, progress)
    }
}

impl Learner for Pcvm {
    fn common(&self) -> Common {
        self.with_features().common()
    }

    fn method(&self) -> Method {
        Method::Pcvm(self.clone())
    }

    fn validate(&self) -> Result<()> {
        self.with_features().validate()
    }

    fn learn(&self, x: &Matrix, problems: &[Vec<f64>], progress: &mut dyn Progress) -> Result<Vec<Vec<Trained>>> {
        let options = Options { features: None, ..self.with_features().options() };
        learn(self.common(), &options, x, problems, progress)
    }
}

impl Selector for PfcvmEm {
    fn select(&self, data: &View, progress: &mut dyn Progress) -> Result<Selection> {
        several::select(self, data, progress)
    }
}
