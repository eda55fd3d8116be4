//! `rvm`: the relevance vector machine, weights of either sign on every feature.

use super::kernel::Shape;
use super::laplace::{Options, Run, Truncation};
use super::pfcvm_em::{BASES, DEGREE, KERNEL, SAMPLEWISE};
use super::several::{self, Common, Learner, Trained, check};
use super::slate;
use crate::method::Entry;
use crate::model::Model;
use crate::numeric::linalg::Matrix;
use crate::settings::{Auto, Parameter};
use crate::table::View;
use crate::{Method, Progress, Result};
use serde::{Deserialize, Serialize};

/// Relevance vector machine (Tipping, JMLR 2001): a precision per weight, updated by MacKay's rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rvm {
    /// The kernel.
    pub kernel: Shape,
    /// The degree of a polynomial.
    pub degree: u32,
    /// Candidate bases; auto: all rows up to 400, 200 of them beyond.
    pub bases: Auto<usize>,
    /// Whether each row is standardised over the features first.
    pub samplewise: bool,
    /// It ends when the evidence changes less, relatively, three times in a row.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
    /// The seed of the bases.
    #[serde(skip)]
    pub seed: u64,
}

impl Default for Rvm {
    fn default() -> Self {
        Rvm { kernel: Shape::Rbf, degree: 2, bases: Auto::Auto, samplewise: false, tol: 1e-5, max_iter: 500, seed: 0 }
    }
}

/// This method for the catalogue.
pub fn entry() -> Entry {
    let tol =
        Parameter { name: "tol", range: "1e-12…0.1", purpose: "stop when the evidence changes less, relatively" };
    let max_iter = Parameter { name: "max_iter", range: "1…100000", purpose: "most iterations" };
    Entry {
        name: "rvm",
        summary: "the relevance vector machine: a sparse classifier on all features (`tamis fit`)",
        number_by: "",
        cost: "tens of iterations of rows × bases² flops, less as samples drop out",
        reference: "Tipping, Sparse Bayesian learning and the relevance vector machine, JMLR 1, 2001",
        parameters: vec![KERNEL, DEGREE, BASES, SAMPLEWISE, tol, max_iter],
        default: Method::Rvm(Rvm::default()),
    }
}

impl Rvm {
    /// Trains a classifier.
    pub fn fit(&self, data: &View, progress: &mut dyn Progress) -> Result<Model> {
        several::fit(self, data, progress)
    }
}

impl Learner for Rvm {
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
        Method::Rvm(self.clone())
    }

    fn validate(&self) -> Result<()> {
        self.common().validate()?;
        check("tol", self.tol, 1e-12, 0.1)?;
        check("max_iter", self.max_iter as f64, 1.0, 1e5)
    }

    fn learn(&self, x: &Matrix, problems: &[Vec<f64>], progress: &mut dyn Progress) -> Result<Vec<Vec<Trained>>> {
        let common = self.common();
        let kernel = common.kernel(x.columns());
        let options = Options {
            truncation: Truncation::Hard,
            strictness: [0.0, 0.0],
            max_iter: self.max_iter,
            tol: self.tol,
            features: false,
            signed: true,
            ..Options::default()
        };
        let make = |at: usize| {
            let y = &problems[at];
            Run::new(kernel, x, y, common.draw_bases(y, at, 0), options.clone())
        };
        slate::by_problem(problems.len(), 1, self.max_iter, make, |run| run.trained(x), progress)
    }
}
