//! How features were adjusted and their variances moderated, as results tell it.

use serde::{Deserialize, Serialize};

/// The design of a study as it was used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DesignFacts {
    /// Variables that features were adjusted for.
    pub covariates: Vec<String>,
    /// The column of blocks.
    pub blocks: Option<String>,
    /// Two of several classes that were compared: the second minus the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contrast: Option<[String; 2]>,
    /// The formula of the linear model, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// What was tested of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The degrees of freedom of the test: 1 for a coefficient or a contrast, more for an F test of several columns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub test_df: usize,
    /// Samples that were compared; blocks whose rows were averaged count as one each.
    pub rows_used: usize,
    /// Degrees of freedom that the typical variance is worth; null where variances were not moderated, or where it is
    /// infinite because all variances are equal but for noise.
    pub prior_df: Option<f64>,
    /// The typical variance; where it follows a trend, that of the middle feature.
    pub prior_var: Option<f64>,
    /// Whether the typical variance follows the features' means; null where variances were not moderated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend: Option<bool>,
    /// The share of the variances' spread that the means explain, where that decided about `trend`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend_share: Option<f64>,
    /// Whether each class has variances of its own; the numbers above are then those of the reference class.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_class: bool,
    /// The correlation of rows of a block, where it was estimated and not removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_correlation: Option<f64>,
    /// The weight of every sample, where samples were weighted by how precise they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample_weights: Vec<SampleWeight>,
}

/// How precise a sample is: its weight is in proportion to one over its variance, 1 on (geometric) average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleWeight {
    /// The sample's name, or its row.
    pub sample: String,
    /// Its weight.
    pub weight: f64,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}
