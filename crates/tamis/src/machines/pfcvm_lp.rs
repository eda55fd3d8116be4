//! `pfcvm-lp`: a sparse Bayesian classifier that selects features as it learns, by Laplace approximation.

use super::basis_parameters::{check, check_stopping, shared};
use super::kernel::KernelShape;
use super::one_vs_rest;
use super::refit::Refit;
use crate::base::parameter::parameters;
use crate::base::{Auto, Command, Context, Describe, Error, MethodInfo, Result, text};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// How weights are kept from being negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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

parameters! {
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
        kernel: Auto<KernelShape> = Auto::Auto, "auto, linear, rbf, poly",
            "the kernel, in which every feature has a weight; auto: linear and, as far as it helps, rbf; linear alone \
             unless rows outnumber features";
        degree: u32 = 2, shared!(degree range), shared!(degree purpose);
        bases: Auto<usize> = Auto::Auto, shared!(bases range), shared!(bases purpose);
        samplewise: bool = false, shared!(flag range), shared!(samplewise purpose);
        strictness: Auto<f64> = Auto::Auto, "auto, 0…100",
            "strictness c for features: 0 keeps those whose z exceeds 1 in size, 0.5 above 2.4, 1 above 3.1; auto: 0.5, \
             but 0 for rbf and poly unless rows outnumber features";
        truncation: TruncationKind = TruncationKind::Auto, "auto, relative, hard, paper",
            "how weights are kept positive; auto: relative if rows outnumber features, else hard; paper: everything as \
             published";
        starts: Auto<usize> = Auto::Auto, "auto, 1…8",
            "runs, of which the one with the highest evidence counts; auto: 8, above 2,000 rows 2; unless rows outnumber \
             features 1 for linear, else 2";
        /// A feature is selected if machines with half of the weight keep it.
        average: Auto<usize> = Auto::Auto, "auto, 1…8",
            "machines of a kernel that predict and select together; auto: 3 with kernel=auto, 2 for rbf and poly unless \
             rows outnumber features, else 1";
        refit: Refit = Refit::None, "none, gp",
            "gp: predict by Gaussian processes on the features kept and, with kernel=auto, on all: better probabilities";
        prune_precision: Auto<f64> = Auto::Auto, "auto, 1…1e30",
            "prune a weight if its precision times the largest weight squared exceeds this; auto: 1e6 (paper: 1e4)";
        prune_share: Auto<f64> = Auto::Auto, "auto, 0…0.5",
            "prune a weight below this share of the largest; auto: 0.001 (paper: 0)";
        tol: f64 = 1e-5, shared!(tol range), shared!(evidence purpose);
        max_iter: Auto<usize> = Auto::Auto, "auto, 1…100000",
            "most iterations of a run; auto: 200, or 50 if not every row is a basis";
    }
}

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
            parameters: PfcvmLp::described(),
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
