//! Features that a difference of means does not see, counted beside an answer and never part of it.

use serde::{Deserialize, Serialize};

/// What `dependence` finds beyond the features named by another method.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SecondLook {
    /// How many features were looked at.
    pub features: usize,
    /// Features whose shape differs between the classes, by index.
    pub shape: Vec<u32>,
    /// Features that tell of the target only together with another, by index.
    pub together: Vec<u32>,
    /// The other feature of each of these; empty in files of before.
    #[serde(default)]
    pub partners: Vec<u32>,
}

impl SecondLook {
    /// The features that it names, by index.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> {
        [&self.shape, &self.together, &self.partners].into_iter().flatten().copied()
    }

    /// Whether there is anything to tell.
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty() && self.together.is_empty()
    }
}
