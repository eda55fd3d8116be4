//! Which features a target needs, given all the others.

use super::detail::NeededDetail;
use serde::{Deserialize, Serialize};

/// Sets of interchangeable features, and what else explains the target.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct NeededFeatures {
    /// The sets, the most probable first.
    pub findings: Vec<Finding>,
    /// Features that predict together, the most probable first; another set may do as well.
    pub working_set: Vec<u32>,
    /// Components of many features that compete with single ones, the strongest first.
    pub factors: Vec<FactorProbability>,
    /// The share of what single features and factors leave that many tiny effects explain, on average.
    pub background: f64,
    /// How many features and factors explain the target, on average.
    pub effects: f64,
    /// Whether any feature is related to the target at all.
    pub gate: RelatedAtAll,
    /// The probability that each feature is needed; NaN where it is set aside.
    pub inclusion_probabilities: Vec<f64>,
    /// Data for plots.
    pub detail: NeededDetail,
}

/// Features of which at least one is needed, and any will do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The features, the most probable first.
    pub members: Vec<u32>,
    /// The probability that at least one of them is needed.
    pub probability: f64,
    /// The least size of a correlation between the first and another.
    pub correlation: f64,
    /// Whether independent chains of the sampler differ, so that the probability is that of the chain with the least.
    pub disputed: bool,
}

impl Finding {
    /// A set of features, the most probable first.
    pub(crate) fn new(members: Vec<u32>, probability: f64, correlation: f64, disputed: bool) -> Finding {
        Finding { members, probability, correlation, disputed }
    }

    /// The feature that stands for the set.
    pub fn lead(&self) -> u32 {
        self.members[0]
    }
}

/// A component of many features, and how probable it is that the target follows it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FactorProbability {
    /// The number of the principal component, from 1.
    pub component: usize,
    /// The probability that the target follows it, given single features.
    pub probability: f64,
}

/// How the target compares with permuted ones: whether any feature is related to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RelatedAtAll {
    /// Whether features may be named.
    pub open: bool,
    /// The share of permuted targets, the target counted among them, that are as strongly related to some feature.
    pub p_value: f64,
    /// Permuted targets that are.
    pub exceeded: usize,
    /// Permuted targets.
    pub permutations: usize,
}

impl NeededFeatures {
    /// The features that stand for the findings.
    pub fn leads(&self) -> Vec<u32> {
        self.findings.iter().map(Finding::lead).collect()
    }
}
