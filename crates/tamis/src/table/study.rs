//! The roles of rows and features: target, weights, groups, features to keep.

use crate::base::Result;
use crate::base::error::Place;
use crate::table::check::{check_length, check_weights};
use crate::table::{Categories, Target};

/// Everything about a study but its features: the target of each row, its weight and group, and the features to keep.
#[derive(Debug, Clone)]
pub struct Study {
    pub(super) target_name: String,
    pub(super) target: Target,
    pub(super) weights: Option<(String, Vec<f64>)>,
    pub(super) groups: Option<(String, Categories)>,
    pub(super) keep: Vec<u32>,
}

impl Study {
    /// A target and, where rows are weighted, a weight per row: a row of weight 3 counts as three rows.
    ///
    /// # Errors
    ///
    /// A target that nothing can be learned from or whose codes are out of range; another number of weights than rows;
    /// a weight that is negative, missing or infinite.
    pub fn new(target_name: impl Into<String>, target: Target, weights: Option<Vec<f64>>) -> Result<Study> {
        let study = Study {
            target_name: target_name.into(),
            target,
            weights: weights.map(|w| ("weight".into(), w)),
            groups: None,
            keep: vec![],
        };
        let place = Place::default();
        study.target.check_codes(&place.clone().at_column(&study.target_name))?;
        if let Some(weights) = study.weights() {
            check_length(weights.len(), "weight", study.target.len())?;
            check_weights(weights, &place)?;
        }
        study.target.check_weighted(study.weights(), &place.at_column(&study.target_name))?;
        Ok(study)
    }

    /// Rows without a target: nothing can be learned from them, only predicted.
    pub(super) fn without_target(rows: usize) -> Study {
        let target = Target::Real { values: vec![f64::NAN; rows] };
        Study { target_name: String::new(), target, weights: None, groups: None, keep: vec![] }
    }

    /// The target's name.
    pub fn target_name(&self) -> &str {
        &self.target_name
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// A weight per row, if rows are weighted.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|(_, weights)| weights.as_slice())
    }

    /// A group per row, if rows belong together.
    pub fn groups(&self) -> Option<&Categories> {
        self.groups.as_ref().map(|(_, groups)| groups)
    }

    /// Features that are selected whatever the method says.
    pub fn keep(&self) -> &[u32] {
        &self.keep
    }
}
