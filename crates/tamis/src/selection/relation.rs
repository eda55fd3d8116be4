//! Kinds of relations between a feature and the target, and their tests, for a result.

use serde::{Deserialize, Serialize};

/// How a feature is related to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RelationKind {
    /// Its values are higher in some class than in another.
    Level,
    /// Its values are spread or formed otherwise in some class.
    Shape,
    /// It tells of the target with a partner.
    Together,
}

impl RelationKind {
    /// All kinds.
    pub const ALL: [RelationKind; 3] = [RelationKind::Level, RelationKind::Shape, RelationKind::Together];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            RelationKind::Level => "level",
            RelationKind::Shape => "shape",
            RelationKind::Together => "together",
        }
    }
}

/// Tests of `dependence`, feature by feature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DependenceDetail {
    /// The kind of every find; null for other features.
    pub kinds: Vec<Option<RelationKind>>,
    /// With which other feature a find of kind *together* is related to the target, by index.
    pub partners: Vec<Option<u32>>,
    /// The p-value of each feature, from both tests; 1 for those set aside.
    pub p_values: Vec<f64>,
    /// The p-value of each feature by itself.
    pub p_alone: Vec<f64>,
    /// The p-value of the strongest pair of each feature.
    pub p_together: Vec<f64>,
}

impl DependenceDetail {
    /// No find among so many features.
    pub(crate) fn of_size(features: usize) -> DependenceDetail {
        let ones = vec![1.0; features];
        DependenceDetail {
            kinds: vec![None; features],
            partners: vec![None; features],
            p_values: ones.clone(),
            p_alone: ones.clone(),
            p_together: ones,
        }
    }

    /// How many finds are of a kind.
    pub fn count(&self, kind: RelationKind) -> usize {
        self.kinds.iter().flatten().filter(|found| **found == kind).count()
    }

    /// Whether it describes so many features.
    pub(crate) fn fits(&self, features: usize) -> bool {
        let sizes =
            [self.kinds.len(), self.partners.len(), self.p_values.len(), self.p_alone.len(), self.p_together.len()];
        sizes.iter().all(|size| *size == features) && self.partners.iter().flatten().all(|&p| (p as usize) < features)
    }
}
