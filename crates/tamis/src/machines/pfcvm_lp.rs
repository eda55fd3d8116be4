//! `pfcvm-lp`: a sparse Bayesian classifier that selects features as it learns, by Laplace approximation.

use super::basis_parameters::{check, check_stopping};
use super::kernel::KernelShape;
use super::one_vs_rest;
use super::refit::Refit;
use crate::base::{Auto, Command, Context, Describe, Error, MethodInfo, Parameter, Result, text};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

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
/// are separated one against the rest, and a feature is selected if any of these machines keeps it. A run whose f is the
/// same for all rows has failed; where every run fails, the model predicts the shares of the classes and selects nothing.
///
/// The starts differ in how weights are kept positive, in c for samples, and in θ. Two starts of `rbf` and `poly` give most
/// weight to features with large z scores, alone or in products of two, with priors as wide as those weights: that finds an
/// XOR among hundreds of features. Where features are at least as many as rows, one start gives it to the five with the
/// largest z scores, if these exceed what chance gives.
///
/// `kernel=auto` trains machines with the linear kernel and with `rbf`, and averages the probabilities of the three
/// likeliest of each: p = (1 − v)p_linear + v p_rbf. The weight v is learned from rows held out of training: of up to
/// 1,000 rows each fifth in turn, of more at least 1,000 rows. It is the least v whose likelihood of these rows is within
/// one standard error of the largest, so that `rbf` takes part only if it helps. A kernel whose log loss on these rows is not
/// smaller than that of the shares of the classes takes no part, nor does a machine that gains less than a tenth as much
/// evidence over these shares as the likeliest one. Selected are the features that machines with at least half of the weight
/// keep. Where features are at least as many as rows, it is the linear kernel alone, and `rbf` or `poly`, if asked for, must
/// predict held-out rows better than the shares of the classes.
///
/// `refit=gp` keeps θ and replaces the few bases by a Gaussian process: f = b + φ(x)ᵀv with φ(x) = L⁻¹K_θ(Z, x), LLᵀ =
/// K_θ(Z, Z) for up to 200 rows Z, and v ~ N(0, I/α), where α maximises the evidence. With `kernel=auto` a process with a
/// linear kernel on all features joins, as weak features that machines drop help to predict: the machines have the least
/// weight beside it that is within one standard error of the likeliest, by the same held-out rows. Selected features are
/// those of the machines. Its probabilities are better, its models larger, and they may need all features.
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `kernel` | `auto` | the kernel; auto: `linear` and, as far as it helps, `rbf`, or `linear` if features are at least as many as rows | `auto`, `linear`, `rbf`, `poly` |
/// | `degree` | 2 | the degree of `kernel=poly` | 1…20 |
/// | `strictness` | `auto` | c: a single feature survives if its \|z\| exceeds 1 (c = 0), 2.4 (0.5) or 3.1 (1); auto: 0.5, but 0 for `rbf` and `poly` if features are at least as many as rows | `auto`, 0…100 |
/// | `truncation` | `auto` | how weights are kept positive; auto: `relative` if rows outnumber features, else `hard` | `auto`, `relative`, `hard`, `paper` |
/// | `starts` | `auto` | runs from different starts, of which the one with the highest evidence counts; auto: 8, above 2,000 rows 2; unless rows outnumber features 1 for `linear`, else 2 | `auto`, 1…8 |
/// | `bases` | `auto` | candidate bases; auto: all rows up to 400, else 200 drawn at random | `auto`, 2…10⁶ |
/// | `samplewise` | false | standardise each row over its features first, as for gene expression | true, false |
/// | `average` | `auto` | machines of a kernel whose probabilities are averaged, highest evidence first; a feature is selected if those with half of the weight keep it; auto: 3 with `kernel=auto`, 2 for `rbf` and `poly` if features are at least as many as rows, else 1 | `auto`, 1…8 |
/// | `refit` | `none` | Gaussian processes, for better probabilities: on the features kept and, with `kernel=auto`, on all | `none`, `gp` |
/// | `prune_precision` | `auto` | prune a weight when its precision times the largest weight squared exceeds this; auto: 10⁶ (`truncation=paper`: 10⁴) | `auto`, 1…10³⁰ |
/// | `prune_share` | `auto` | prune a weight below this share of the largest; auto: 0.001 (`truncation=paper`: 0) | `auto`, 0…0.5 |
/// | `tol` | 1e-5 | stop when the relative change of the evidence is smaller, three times in a row | 1e-12…0.1 |
/// | `max_iter` | `auto` | most iterations of a start; auto: 200, or 50 if not every row is a basis | `auto`, 1…10⁵ |
///
/// Cost: tens of iterations of rows × bases² and rows × features × bases flops for every start, kernel and class; held-out
/// rows cost two starts each time.
/// Iterations become cheaper as samples and features are pruned. No matrix larger than the smaller of rows and features
/// is factored.
///
/// Errors: [`Error::Parameter`] for a value out of its range; [`Error::Method`] for a numeric target and for weighted
/// rows; [`Error::Data`] for a column of categories and for rows of a single class. Selecting with `refit=gp` is an
/// [`Error::Parameter`] too: it changes predictions only.
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
    /// The kernel; auto: linear and, as far as it helps, rbf; linear alone where features are at least as many as rows.
    pub kernel: Auto<KernelShape>,
    /// The degree of a polynomial.
    pub degree: u32,
    /// Candidate bases; auto: all rows up to 400, 200 of them beyond.
    pub bases: Auto<usize>,
    /// Whether each row is standardised over the features first, as gene data are.
    pub samplewise: bool,
    /// c_β: the larger, the stronger a feature must be to stay; auto: 0.5, but 0 for kernels other than the linear where
    /// features are at least as many as rows, as all of them would drop out together.
    pub strictness: Auto<f64>,
    /// How weights are kept from being negative.
    pub truncation: TruncationKind,
    /// Runs from different starts, of which the likeliest counts; auto: 8, above 2,000 rows 2; unless rows outnumber
    /// features 1 for the linear kernel, else 2.
    pub starts: Auto<usize>,
    /// Machines of a kernel whose probabilities are averaged, the likeliest first; auto: 3 with `kernel=auto`, 2 for other
    /// kernels than the linear where features are at least as many as rows, else 1.
    pub average: Auto<usize>,
    /// A second fit on the features that a machine keeps.
    pub refit: Refit,
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
            kernel: Auto::Auto,
            degree: 2,
            bases: Auto::Auto,
            samplewise: false,
            strictness: Auto::Auto,
            truncation: TruncationKind::Auto,
            starts: Auto::Auto,
            average: Auto::Auto,
            refit: Refit::None,
            prune_precision: Auto::Auto,
            prune_share: Auto::Auto,
            tol: 1e-5,
            max_iter: Auto::Auto,
        }
    }
}

const PARAMETERS: [Parameter; 13] = [
    Parameter {
        name: "kernel",
        range: "auto, linear, rbf, poly",
        purpose: "the kernel, in which every feature has a weight; auto: linear and, as far as it helps, rbf; linear \
                  alone unless rows outnumber features",
    },
    Parameter { name: "degree", range: "1…20", purpose: "degree of kernel=poly" },
    Parameter {
        name: "bases",
        range: "auto, 2…",
        purpose: "candidate bases; auto: all rows up to 400, else 200 of them",
    },
    Parameter { name: "samplewise", range: "true, false", purpose: "standardise each row over the features first" },
    Parameter {
        name: "strictness",
        range: "auto, 0…100",
        purpose: "strictness for features: 0 keeps those with |z| above 1, 0.5 above 2.4, 1 above 3.1; auto: 0.5, but 0 \
                  for rbf and poly unless rows outnumber features",
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
        purpose: "runs, of which the one with the highest evidence counts; auto: 8, above 2,000 rows 2; unless \
                  rows outnumber features 1 for linear, else 2",
    },
    Parameter {
        name: "average",
        range: "auto, 1…8",
        purpose: "machines of a kernel that predict and select together; auto: 3 with kernel=auto, 2 for rbf and poly \
                  unless rows outnumber features, else 1",
    },
    Parameter {
        name: "refit",
        range: "none, gp",
        purpose: "gp: predict by Gaussian processes on the features kept and, with kernel=auto, on all: better \
                  probabilities",
    },
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
    /// The defaults, with this kernel.
    pub fn of(kernel: KernelShape) -> PfcvmLp {
        PfcvmLp { kernel: Auto::Set(kernel), ..PfcvmLp::default() }
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
        self.basis(KernelShape::Linear).validate()?;
        check("strictness", self.strictness.or(0.0), 0.0, 100.0)?;
        check("starts", self.starts.or(1) as f64, 1.0, 8.0)?;
        check("average", self.average.or(1) as f64, 1.0, 8.0)?;
        check("prune_precision", self.prune_precision.or(1.0), 1.0, 1e30)?;
        check("prune_share", self.prune_share.or(0.0), 0.0, 0.5)?;
        check_stopping(self.tol, self.max_iter.or(1))
    }

    fn overruled(&self, key: &str) -> Option<&'static str> {
        (key == "degree" && self.kernel != Auto::Set(KernelShape::Poly)).then_some("kernel")
    }
}

impl Selector for PfcvmLp {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        if self.refit == Refit::Gp {
            let expected = text!["a Gaussian process changes predictions, not the features; it is for ", Command::Fit];
            return Err(Error::parameter("refit", "gp", expected));
        }
        one_vs_rest::select(self, data, context)
    }
}
