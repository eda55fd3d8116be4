//! `pfcvm-lp`: a sparse Bayesian classifier that selects features as it learns, by Laplace approximation.

use super::basis::{BasisParameters, check, check_stopping};
use super::kernel::KernelShape;
use super::laplace::{LaplaceOptions, LaplaceSolver, Truncation};
use super::one_vs_rest::{self, Learner, TrainingProblems, TrainingRun};
use super::run_many::train;
use crate::base::{Auto, Command, Context, Describe, Error, MethodInfo, Parameter, Progress, Result, text};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// Iterations of a start when not all rows are bases.
const FEW_ITERATIONS: usize = 50;

/// How weights are kept from being negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TruncationKind {
    /// `relative` where rows outnumber features, `hard` otherwise.
    #[default]
    Auto,
    /// σ(5x), as in the paper, whose rules for dropping weights go with it; it hardly prunes.
    Paper,
    /// Cut off at zero.
    Hard,
    /// σ(5√precision·x).
    Relative,
}

/// Probabilistic feature selection and classification vector machine (Jiang et al., ACM TKDD 13(2), 2019).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PfcvmLp {
    /// The kernel and its bases.
    #[serde(flatten)]
    pub basis: BasisParameters,
    /// c_β: the larger, the stronger a feature must be to stay.
    pub strictness: f64,
    /// How weights are kept from being negative.
    pub truncation: TruncationKind,
    /// Runs from different starts, of which the likeliest counts; auto: 8 where rows outnumber features, 1 otherwise.
    pub starts: Auto<usize>,
    /// Machines whose probabilities are averaged for prediction, the likeliest first.
    pub average: usize,
    /// A weight goes when its precision times the square of the largest weight exceeds this; with `truncation=paper` the
    /// precision itself. Auto: 10⁶, with `truncation=paper` 10⁴.
    pub prune_precision: Auto<f64>,
    /// A weight goes when it is below this share of the largest; auto: 0.001, with `truncation=paper` 0.
    pub prune_share: Auto<f64>,
    /// A start ends when its evidence changes less, relatively, three times in a row.
    pub tol: f64,
    /// Most iterations of a start; auto: 200, or 50 where not all rows are bases.
    pub max_iter: Auto<usize>,
}

impl Default for PfcvmLp {
    fn default() -> Self {
        PfcvmLp {
            basis: BasisParameters::of(KernelShape::Linear),
            strictness: 0.5,
            truncation: TruncationKind::Auto,
            starts: Auto::Auto,
            average: 1,
            prune_precision: Auto::Auto,
            prune_share: Auto::Auto,
            tol: 1e-5,
            max_iter: Auto::Auto,
        }
    }
}

const PARAMETERS: [Parameter; 12] = [
    Parameter { name: "kernel", range: "linear, rbf, poly", purpose: "the kernel; every feature has a weight in it" },
    Parameter { name: "degree", range: "1…20", purpose: "of kernel=poly" },
    Parameter {
        name: "strictness",
        range: "0…100",
        purpose: "how strong a feature must be to stay: 0 keeps |z| > 1, 0.5 keeps 2.4, 1 keeps 3.1",
    },
    Parameter {
        name: "truncation",
        range: "auto, relative, hard, paper",
        purpose: "how weights are kept positive; auto: relative where rows outnumber features, else hard; paper: all as \
                  published",
    },
    Parameter {
        name: "starts",
        range: "auto, 1…8",
        purpose: "runs of which the likeliest counts; auto: 8 where rows outnumber features, else 1",
    },
    Parameter {
        name: "bases",
        range: "auto, 2…",
        purpose: "candidate bases; auto: all up to 400 rows, else 200 of them",
    },
    Parameter { name: "average", range: "1…8", purpose: "machines whose probabilities are averaged in predictions" },
    Parameter { name: "samplewise", range: "true, false", purpose: "standardise each row over the features first" },
    Parameter {
        name: "prune_precision",
        range: "auto, 1…1e30",
        purpose: "a weight goes when its precision times the largest weight squared exceeds this; auto: 1e6 (paper: 1e4)",
    },
    Parameter {
        name: "prune_share",
        range: "auto, 0…0.5",
        purpose: "a weight goes when it is below this share of the largest; auto: 0.001 (paper: 0)",
    },
    Parameter { name: "tol", range: "1e-12…0.1", purpose: "stop when the evidence changes less, relatively" },
    Parameter { name: "max_iter", range: "auto, 1…100000", purpose: "most iterations of a start; auto: 200, or 50" },
];

impl PfcvmLp {
    /// The starts: how weights are kept positive, c_α and θ steps, and where θ begins.
    fn plan(&self, rows: usize, features: usize) -> Vec<LaplaceOptions> {
        let wide = features >= rows;
        let first = match (self.truncation, wide) {
            (TruncationKind::Auto, true) | (TruncationKind::Hard, _) => Truncation::Hard,
            (TruncationKind::Auto, false) | (TruncationKind::Relative, _) => Truncation::Relative,
            (TruncationKind::Paper, _) => Truncation::Paper,
        };
        let other = match (self.truncation, first) {
            (TruncationKind::Auto, Truncation::Relative) => Truncation::Hard,
            (TruncationKind::Auto, _) => Truncation::Relative,
            _ => first, // what the user asked for
        };
        let paper = first == Truncation::Paper;
        let few = self.basis.n_bases(rows) < rows;
        let base = LaplaceOptions {
            strictness: [0.0, self.strictness],
            prune_precision: self.prune_precision.or(if paper { 1e4 } else { 1e6 }),
            prune_share: self.prune_share.or(if paper { 0.0 } else { 1e-3 }),
            prune_relative: !paper,
            gauge: !paper,
            tol: self.tol,
            max_iter: self.max_iter.or(if few { FEW_ITERATIONS } else { 200 }),
            ..LaplaceOptions::default()
        };
        let mut plan = Vec::new();
        for theta_start in [1.0, 4.0] {
            for (c_alpha, theta_steps) in [(0.0, 1), (0.25, 3)] {
                for truncation in [first, other] {
                    plan.push(LaplaceOptions {
                        truncation,
                        strictness: [c_alpha, self.strictness],
                        theta_steps,
                        theta_start,
                        ..base.clone()
                    });
                }
            }
        }
        plan.truncate(self.starts.or(if wide { 1 } else { 8 }));
        plan
    }
}

impl Describe for PfcvmLp {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "pfcvm-lp",
            summary: "a sparse Bayesian classifier that drops features and samples as it learns",
            number_by: "the marginal likelihood",
            cost: "tens of iterations of rows × bases² and rows × features × bases flops, less as features drop out",
            reference: "Jiang, Li, de Rijke, Yao & Chen, Probabilistic feature selection and classification vector \
                        machine, ACM TKDD 13(2), 2019",
            parameters: PARAMETERS.into(),
        }
    }

    fn validate(&self) -> Result<()> {
        self.basis.validate()?;
        check("strictness", self.strictness, 0.0, 100.0)?;
        check("starts", self.starts.or(1) as f64, 1.0, 8.0)?;
        check("average", self.average as f64, 1.0, 8.0)?;
        check("prune_precision", self.prune_precision.or(1.0), 1.0, 1e30)?;
        check("prune_share", self.prune_share.or(0.0), 0.0, 0.5)?;
        check_stopping(self.tol, self.max_iter.or(1))
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        self.basis.overruled(key)
    }
}

impl Learner for PfcvmLp {
    fn basis(&self) -> &BasisParameters {
        &self.basis
    }

    fn average(&self) -> usize {
        self.average
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<Vec<TrainingRun>>> {
        let starts = self.plan(task.x.rows(), task.x.columns());
        train(task, &self.basis, &starts, LaplaceSolver::new, progress)
    }
}

impl Selector for PfcvmLp {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        if self.average > 1 {
            let expected =
                text!["features are selected by the likeliest machine alone; averaging is for ", Command::Fit];
            return Err(Error::parameter("average", self.average, expected));
        }
        one_vs_rest::select(self, data, context)
    }
}
