//! Data for plots of pairs of features.

use serde::{Deserialize, Serialize};

/// Scores of the permutations of `pairs`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PairsDetail {
    /// The threshold of a score: the largest of any feature under any permutation.
    pub threshold: f64,
    /// The largest score of each permutation.
    pub null: Vec<f64>,
    /// With which other feature each has its score, by index; null for features set aside.
    pub partners: Vec<Option<u32>>,
    /// The share of permutations, the data counted among them, whose largest score is as large.
    pub p_values: Vec<f64>,
    /// What each feature and its partner tell together beyond the better of the two; null for features set aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gains: Vec<Option<f64>>,
    /// Pairs of features that need each other, the largest gain first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<FeaturePair>,
    /// The levels of features in tables of pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<FeatureLevels>,
    /// The classes of tables of pairs, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
}

/// Two features that tell more about the target together than either alone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeaturePair {
    /// The feature that comes first in the table.
    pub first: u32,
    /// The other.
    pub second: u32,
    /// Information about the target, in nats, that the two have beyond the better one of them.
    pub gain: f64,
    /// The share of permutations, the data counted among them, with a pair of as large a score.
    pub p_value: f64,
    /// How many rows each class has in every cell: by class, by level of the first, by level of the second. Of the first
    /// 100 pairs only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<Vec<Vec<u32>>>,
}

/// The names of a feature's levels.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureLevels {
    /// The feature.
    pub index: u32,
    /// Its levels, in the order of the tables.
    pub names: Vec<String>,
}
