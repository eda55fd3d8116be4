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
}

impl SecondLook {
    /// Whether there is anything to tell.
    pub fn is_empty(&self) -> bool {
        self.shape.is_empty() && self.together.is_empty()
    }
}
