//! Which features are needed, given the others, as saved.

use crate::selection::{FactorProbability, Finding, NeededFeatures, RelatedAtAll, Selection};
use serde::{Deserialize, Serialize};

/// What `needed` found, with features by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FindingSummary {
    /// The feature that stands for the set.
    pub lead: String,
    /// The features of the set, the most probable first.
    pub members: Vec<String>,
    /// The probability that at least one of them is needed.
    pub probability: f64,
    /// The least size of a correlation between the lead and another.
    pub correlation: f64,
    /// Whether independent chains of the sampler differ; the probability is then the least of theirs.
    #[serde(default)]
    pub disputed: bool,
}

/// Members that a row names.
pub(super) const LISTED: usize = 8;
impl FindingSummary {
    /// The findings of a selection.
    pub(super) fn all(selection: &Selection, needed: &NeededFeatures) -> Vec<FindingSummary> {
        let name = |&feature: &u32| selection.names[feature as usize].clone();
        let summary = |finding: &Finding| FindingSummary {
            lead: name(&finding.lead()),
            members: finding.members.iter().map(name).collect(),
            probability: finding.probability,
            correlation: finding.correlation,
            disputed: finding.disputed,
        };
        needed.findings.iter().map(summary).collect()
    }

    /// "GENE7 (or GENE9, GENE31: correlated 0.93 or more): needed with probability 0.97".
    pub fn words(&self) -> String {
        let others = &self.members[1.min(self.members.len())..];
        let more = others.len().saturating_sub(LISTED);
        let listed = others[..others.len() - more].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        // a correlation is rounded down: "or more" stays true
        let least = (100.0 * self.correlation).floor() / 100.0;
        let set = if others.is_empty() {
            String::new()
        } else {
            format!(" (or {listed}{more}: correlated {least:.2} or more)")
        };
        let disputed = if self.disputed { "; independent chains disagree" } else { "" };
        format!("{}{set}: needed with {}{disputed}", self.lead, probability_words(self.probability))
    }
}

fn probability_words(p: f64) -> String {
    if p > 0.99 { "probability above 0.99".into() } else { format!("probability {p:.2}") }
}

/// What is saved of the answer beside the findings.
pub(super) struct Beside {
    pub(super) working_set: Vec<String>,
    pub(super) factors: Vec<FactorProbability>,
    pub(super) background: f64,
    pub(super) related_at_all: RelatedAtAll,
}

impl Beside {
    pub(super) fn of(selection: &Selection, needed: &NeededFeatures) -> Beside {
        Beside {
            working_set: needed.working_set.iter().map(|&at| selection.names[at as usize].clone()).collect(),
            factors: needed.factors.clone(),
            background: needed.background,
            related_at_all: needed.gate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_told_with_its_members() {
        let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let mut finding = FindingSummary {
            lead: "GENE7".into(),
            members: names(&["GENE7", "GENE9", "GENE31"]),
            probability: 0.97,
            correlation: 0.939,
            disputed: false,
        };
        assert_eq!(finding.words(), "GENE7 (or GENE9, GENE31: correlated 0.93 or more): needed with probability 0.97");
        finding.members.truncate(1);
        finding.probability = 0.999;
        finding.disputed = true;
        assert_eq!(finding.words(), "GENE7: needed with probability above 0.99; independent chains disagree");
    }
}
