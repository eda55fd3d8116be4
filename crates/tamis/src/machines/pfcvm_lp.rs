//! `pfcvm-lp`: a sparse Bayesian classifier that selects features as it learns, by Laplace approximation.

use super::basis_parameters::{BasisParameters, check, check_stopping};
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

/// Probabilistic feature selection and classification vector machine, by Laplace approximation: a kernel classifier
/// that prunes samples and features while it learns.
///
/// The log odds are f(x) = b + Σ_j w_j y_j k_θ(x, x_j) with w_j ≥ 0, θ_k ≥ 0 and labels y_j = ±1. The kernel, with s =
/// 1/K for K features, is k_θ(x, z) = s Σ θ_k x_k z_k (`linear`), exp(−s Σ θ_k (x_k − z_k)²) (`rbf`) or (1 + s Σ θ_k
/// x_k z_k)^P (`poly`).
///
/// The weights have normal priors truncated at zero, with precisions α_j and β_k. For given precisions, w and θ
/// maximise Q = Σ ln σ(y f) + ln p(w; α) + ln p(θ; β). For given weights, α = γ/w² and β = (γ + 2c)/θ², where γ is the
/// share of a weight that the data determine and c is `strictness`. These two steps alternate; a weight whose precision
/// diverges is pruned.
///
/// The evidence of a run is L = Q − ½ ln det H_w − ½ ln det H_θ, where H_w and H_θ are the negative Hessians of Q. Of
/// several starts the one with the highest evidence counts, and the features left in it are selected. Several classes
/// are separated one against the rest, and a feature is selected if any of these machines keeps it.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `kernel` | `linear` | the kernel | `linear`, `rbf`, `poly` |
/// | `degree` | 2 | the degree of `kernel=poly` | 1…20 |
/// | `strictness` | 0.5 | c: a single feature survives if its \|z\| exceeds 1 (c = 0), 2.4 (0.5) or 3.1 (1) | 0…100 |
/// | `truncation` | `auto` | how weights are kept positive; auto: `relative` if rows outnumber features, else `hard` | `auto`, `relative`, `hard`, `paper` |
/// | `starts` | `auto` | runs from different starts, of which the one with the highest evidence counts; auto: 8 if rows outnumber features, else 1 | `auto`, 1…8 |
/// | `bases` | `auto` | candidate bases; auto: all rows up to 400, else 200 drawn at random | `auto`, 2…10⁶ |
/// | `samplewise` | false | standardise each row over its features first, as for gene expression | true, false |
/// | `average` | 1 | machines whose probabilities are averaged in predictions, highest evidence first | 1…8 |
/// | `prune_precision` | `auto` | prune a weight when its precision times the largest weight squared exceeds this; auto: 10⁶ (`truncation=paper`: 10⁴) | `auto`, 1…10³⁰ |
/// | `prune_share` | `auto` | prune a weight below this share of the largest; auto: 0.001 (`truncation=paper`: 0) | `auto`, 0…0.5 |
/// | `tol` | 1e-5 | stop when the relative change of the evidence is smaller, three times in a row | 1e-12…0.1 |
/// | `max_iter` | `auto` | most iterations of a start; auto: 200, or 50 if not every row is a basis | `auto`, 1…10⁵ |
///
/// Cost: tens of iterations of rows × bases² and rows × features × bases flops for every start and class. Iterations
/// become cheaper as samples and features are pruned. No matrix larger than the smaller of rows and features is
/// factored.
///
/// Errors: [`Error::Parameter`] for a value out of its range; [`Error::Method`] for a numeric target and for weighted
/// rows; [`Error::Data`] for a column of categories and for rows of a single class. Selecting with `average` above 1 is
/// an [`Error::Parameter`] too: the features come from one machine.
///
/// Reference: Jiang, Li, de Rijke, Yao & Chen, *Probabilistic feature selection and classification vector machine*, ACM
/// TKDD 13(2), 2019; the updates of α and β are its eq. (29).
///
/// ```
/// use tamis::{Context, Selector, machines::PfcvmLp, simulate::TwoGaussians};
///
/// // two of five features separate the classes
/// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
/// let selection = PfcvmLp::default().select(&drawn.table.view(), &mut Context::default())?;
/// assert!(selection.selected.contains(&0) && selection.selected.contains(&1));
/// # Ok::<(), tamis::Error>(())
/// ```
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
    Parameter {
        name: "kernel",
        range: "linear, rbf, poly",
        purpose: "the kernel, in which every feature has a weight",
    },
    Parameter { name: "degree", range: "1…20", purpose: "degree of kernel=poly" },
    Parameter {
        name: "strictness",
        range: "0…100",
        purpose: "strictness for features: 0 keeps those with |z| above 1, 0.5 above 2.4, 1 above 3.1",
    },
    Parameter {
        name: "truncation",
        range: "auto, relative, hard, paper",
        purpose: "how weights are kept positive; auto: relative if rows outnumber features, else hard; paper: \
                  everything as published",
    },
    Parameter {
        name: "starts",
        range: "auto, 1…8",
        purpose: "runs, of which the one with the highest evidence counts; auto: 8 if rows outnumber features, else 1",
    },
    Parameter {
        name: "bases",
        range: "auto, 2…",
        purpose: "candidate bases; auto: all rows up to 400, else 200 of them",
    },
    Parameter { name: "average", range: "1…8", purpose: "machines whose probabilities are averaged in predictions" },
    Parameter { name: "samplewise", range: "true, false", purpose: "standardise each row over the features first" },
    Parameter {
        name: "prune_precision",
        range: "auto, 1…1e30",
        purpose: "prune a weight if its precision times the largest weight squared exceeds this; auto: 1e6 (paper: \
                  1e4)",
    },
    Parameter {
        name: "prune_share",
        range: "auto, 0…0.5",
        purpose: "prune a weight below this share of the largest; auto: 0.001 (paper: 0)",
    },
    Parameter {
        name: "tol", range: "1e-12…0.1", purpose: "stop when the relative change of the evidence is smaller"
    },
    Parameter {
        name: "max_iter",
        range: "auto, 1…100000",
        purpose: "most iterations of a run; auto: 200, or 50 if not every row is a basis",
    },
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
            summary: "a sparse Bayesian classifier that prunes features and samples as it learns",
            number_by: "the marginal likelihood",
            cost: "tens of iterations of rows × bases² and rows × features × bases flops, fewer as features are pruned",
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
        let starts = self.plan(task.x.n_rows(), task.x.n_columns());
        train(task, &self.basis, &starts, LaplaceSolver::new, progress)
    }
}

impl Selector for PfcvmLp {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        if self.average > 1 {
            let expected = text!["features are selected by a single machine; averaging is for ", Command::Fit];
            return Err(Error::parameter("average", self.average, expected));
        }
        one_vs_rest::select(self, data, context)
    }
}
