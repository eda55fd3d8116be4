//! Features that count together, as a result shows them.

use super::SelectionResult;
use crate::table::FeatureGroup;
use serde::{Deserialize, Serialize};

/// A group of features, and how many of them are selected and expected to matter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupSummary {
    /// The group's name.
    pub name: String,
    /// How many features it has.
    pub size: usize,
    /// How many of them are selected.
    pub selected: usize,
    /// How many of them are expected to matter, where features have probabilities.
    pub expected: Option<f64>,
}

impl SelectionResult {
    /// The result with the columns of the input that each feature was made of, where it is not a column itself.
    pub fn with_columns(mut self, members: &[Vec<u32>], names: &[String]) -> Self {
        let several = |members: &Vec<u32>| -> Vec<String> {
            members.iter().filter(|_| members.len() > 1).map(|&member| names[member as usize].clone()).collect()
        };
        if members.iter().any(|members| members.len() > 1) {
            self.features.members = members.iter().map(several).collect();
        }
        self
    }

    /// The result with groups of its features: those with most selected first, then those that matter most.
    pub fn with_feature_groups(mut self, groups: &[FeatureGroup]) -> Self {
        let summary = |group: &FeatureGroup| {
            let features = || group.members.iter().map(|&member| member as usize);
            let known: Vec<f64> = features().filter_map(|i| self.features.number("probability", i)).collect();
            GroupSummary {
                name: group.name.clone(),
                size: group.members.len(),
                selected: features().filter(|&i| self.features.selected[i]).count(),
                expected: (!known.is_empty()).then(|| known.iter().sum()),
            }
        };
        let mut groups: Vec<GroupSummary> = groups.iter().map(summary).collect();
        let expected = |group: &GroupSummary| group.expected.unwrap_or(0.0);
        groups.sort_by(|a, b| b.selected.cmp(&a.selected).then(expected(b).total_cmp(&expected(a))));
        self.feature_groups = groups;
        self
    }

    /// The columns of the input that the selected features stand for.
    pub fn selected_columns(&self) -> Vec<String> {
        let features = &self.features;
        let columns = |i: usize| match features.members.get(i).filter(|members| !members.is_empty()) {
            None => vec![features.names[i].clone()],
            Some(members) => members.clone(),
        };
        (0..features.len()).filter(|&i| features.selected[i]).flat_map(columns).collect()
    }
}
