//! Data for plots of a selection, beside its arrays; no decision depends on it.

pub use super::relation::{DependenceDetail, RelationKind};
use serde::{Deserialize, Serialize};

pub use super::needed_detail::{ComponentLoadings, NeededDetail, Neighbours};
pub use super::pairs_detail::{FeatureLevels, FeaturePair, PairsDetail};

/// Data for plots beside the arrays; no decision depends on it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
#[non_exhaustive]
pub struct Detail {
    /// The fitted prior.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitDetail>,
    /// Counts and p-values of the test on bootstraps (`npfs`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub npfs: Option<NpfsDetail>,
    /// Scores of the permutations (`pairs`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairsDetail>,
    /// Kinds of relations, partners and p-values (`dependence`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependence: Option<DependenceDetail>,
    /// Chains and correlations behind findings (`needed`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<NeededDetail>,
    /// The steps of a forward selection that chose its number itself (`jmi` and `cmim` with `k=auto`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<StepsDetail>,
    /// Training records of vector machines, class by class (`pfcvm-lp`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineDetail>,
    /// Validation AUC as features are added (`auc-curve`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc_curve: Option<AucCurveDetail>,
    /// Groups of selected features that are near-copies of each other, by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_copies: Vec<Vec<u32>>,
    /// How many rows each score rests on, where they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<u32>,
}

/// Data for plots of a fit; no decision depends on it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
#[non_exhaustive]
pub struct FitDetail {
    /// The fitted densities and the shrinkage curve on a grid of scores.
    pub curve: FittedCurve,
    /// The fraction of irrelevant features after each iteration (`kde`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fraction_trace: Vec<f64>,
    /// The bandwidth used (`kde`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<f64>,
    /// The prior's parameter: the standard deviation of `normal`, the rate of `laplace`; absent where nothing matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<f64>,
    /// How far the log likelihood can be from its optimum, by the gradient condition (`npmle`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum_gap: Option<f64>,
    /// Whether anything differs from noise (`auto`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// How many features are named at several rates of false ones (`auto`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named_at: Vec<NamedAt>,
    /// The states the noise may be in (`auto`); in version 2 of the format, how the scores of noise move together.
    #[serde(default, alias = "correlation", skip_serializing_if = "Option::is_none")]
    pub noise: Option<NoiseDetail>,
}

/// The fitted model over a grid of scores.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
pub struct FittedCurve {
    /// The scores at which the rest is given.
    pub z: Vec<f64>,
    /// The density of scores of irrelevant features, times their fraction.
    pub irrelevant_density: Vec<f64>,
    /// The density of scores of features that matter, times their fraction.
    pub relevant_density: Vec<f64>,
    /// The posterior mean of μ at that score.
    pub effect: Vec<f64>,
}

impl FittedCurve {
    /// Multiplies the densities by the share of the scores that they describe.
    pub(crate) fn dilute(&mut self, share: f64) {
        self.irrelevant_density.iter_mut().chain(&mut self.relevant_density).for_each(|density| *density *= share);
    }

    /// Whether all its parts have one value per score.
    pub(crate) fn is_even(&self) -> bool {
        let n = self.z.len();
        [&self.irrelevant_density, &self.relevant_density, &self.effect].iter().all(|part| part.len() == n)
    }
}

/// The evidence that anything differs at all (`auto`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gate {
    /// Whether there is evidence: the gate is open.
    pub passed: bool,
    /// Vectors of null scores that are as extreme as the data's; not known in version 2 of the format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exceeded: Option<usize>,
    /// Vectors of null scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permutations: Option<usize>,
    /// The gate opens if no more of them than so many are as extreme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<usize>,
    /// The null scores are those of independent features, drawn and not permuted.
    #[serde(default)]
    pub drawn: bool,
}

/// How many features are named if a share of them may be expected to be false.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NamedAt {
    /// The share.
    pub fdr: f64,
    /// Named features.
    pub named: usize,
}

/// The states the noise of a table may be in, as null targets show them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NoiseDetail {
    /// The states that were averaged; 1 where features are independent, 0 where they are not known.
    #[serde(default)]
    pub states: usize,
    /// The overdispersion φ of counts of scores within a state.
    pub phi: f64,
    /// The weight λ of the average null row in every state: 1 if null rows differ by no more than chance.
    #[serde(default)]
    pub lambda: Option<f64>,
    /// The dispersion of counts of scores over null rows: 1 where features are independent.
    #[serde(default)]
    pub dispersion: Option<f64>,
    /// Null targets.
    pub permutations: usize,
    /// The scores of null targets, for a histogram.
    pub band: NullBand,
}

/// Densities of the scores of null targets, bin by bin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NullBand {
    /// The lower end of the first bin.
    pub from: f64,
    /// The width of a bin.
    pub width: f64,
    /// The 2.5 % quantile over null targets of the density in each bin.
    pub low: Vec<f64>,
    /// The median.
    pub middle: Vec<f64>,
    /// The 97.5 % quantile.
    pub high: Vec<f64>,
}

/// Counts and p-values of the test, feature by feature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NpfsDetail {
    /// How often each feature was chosen; 0 for those set aside.
    pub counts: Vec<u32>,
    /// The count of each feature over the number of bootstraps.
    pub frequency: Vec<f64>,
    /// The share of the target that each feature explains alone, with `null=permutation`; 0 for those set aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explained: Vec<f64>,
    /// The p-value of each; 1 for those set aside. Empty for `null=stability`. With `null=permutation` it is that of the
    /// frequency times one plus the share explained.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p_values: Vec<f64>,
    /// The p-values adjusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjusted: Vec<f64>,
    /// Half the width of a 95 % interval around each frequency (Hoeffding; NPFS eq. 5).
    pub half_width: f64,
    /// The critical value of a count; absent with `null=permutation`, where more than the count decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_value: Option<u64>,
    /// The chance of a blind choice.
    pub p0: f64,
    /// How many features the base chose on average.
    pub mean_chosen: f64,
    /// The mean of Kuncheva's consistency index over pairs of bootstraps.
    #[serde(default, with = "crate::base::parameter::nan_is_null")]
    pub kuncheva: f64,
    /// Bootstraps that were run.
    pub bootstraps: usize,
    /// Under the null: how many features, over all permutations, were chosen 0, 1, 2, … times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub null_counts: Vec<u64>,
    /// A corner of the selection matrix to look at: the features chosen most often, best rank first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub picture: Vec<PictureRow>,
    /// For each feature, a text of 0 and 1 over the bootstraps; on request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrix: Vec<String>,
}

/// When a feature was chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PictureRow {
    /// The feature.
    pub index: u32,
    /// 0 or 1 for each of the first bootstraps.
    pub runs: String,
}

/// The steps of a forward selection that went on until a step could be chance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepsDetail {
    /// The best feature at each step, by index; the last is the one that was not taken, unless all were.
    pub features: Vec<u32>,
    /// The share of permutations, the data counted among them, whose best candidate has as large a score; null where the
    /// user asked for the feature.
    pub p_values: Vec<Option<f64>>,
}

/// Training record of a vector machine, for plots, class by class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MachineDetail {
    /// The class that was told from the others.
    pub class: String,
    /// The kernel, where several were tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Evidence after each iteration, where the method has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<f64>,
    /// The log-likelihood of the rows after each iteration, where the method has no evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_likelihood: Vec<f64>,
    /// Features left at each iteration.
    pub features_left: Vec<usize>,
    /// Samples left at each iteration.
    pub samples_left: Vec<usize>,
    /// The weight of every feature of the table; 0 where it dropped out.
    pub theta: Vec<f64>,
    /// Rows of the table that were kept as bases.
    pub samples: Vec<u32>,
    /// Runs from different starts.
    pub starts: usize,
    /// Predictions for the training rows: for each class, how many rows of that class the machine gives a
    /// probability of `class` in each of equal parts of 0…1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predicted: Vec<ClassPredictions>,
    /// How far the posterior moved from the prior, and what that bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generalisation: Option<Generalisation>,
}

/// Predictions of a machine for the rows of one class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassPredictions {
    /// The class the rows are of.
    pub class: String,
    /// How many have a probability in each part of 0…1.
    pub counts: Vec<u32>,
}

/// A bound on the error on unseen rows, from training rows alone. The bound holds with probability 95 %; above 1 it
/// says
/// nothing, as such bounds mostly do unless rows are many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Generalisation {
    /// KL divergence of the posterior from the starting prior over the weights of samples and the bias, in nats.
    pub kl_samples: f64,
    /// The divergence over the weights of features.
    pub kl_features: f64,
    /// The share of rows on the wrong side, counted up to the margin 1 of the posterior's vote.
    pub empirical_loss: f64,
    /// The Rademacher bound on the error of the posterior's vote.
    pub bound: f64,
}

/// A curve: the order in which features were added, and the AUC after each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AucCurveDetail {
    /// Positions of the features, best first; as many as the training rows determine.
    pub order: Vec<u32>,
    /// The validation AUC of the first 1, 2, … of them.
    pub auc: Vec<f64>,
}
