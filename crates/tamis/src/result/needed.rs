//! Which features are needed, given the others: as saved, and in words.

use super::SelectionResult;
use crate::base::{counted, plural};
use crate::selection::{FactorProbability, NeededFeatures, RelatedAtAll, Selection};
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
const LISTED: usize = 8;
/// A factor with a larger probability explains why nothing is singled out, and a background with a larger share.
const LIKELY_FACTOR: f64 = 0.5;
const LARGE_BACKGROUND: f64 = 0.3;

impl FindingSummary {
    /// The findings of a selection.
    pub(super) fn all(selection: &Selection, needed: &NeededFeatures) -> Vec<FindingSummary> {
        let name = |&feature: &u32| selection.names[feature as usize].clone();
        let summary = |finding: &crate::selection::Finding| FindingSummary {
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

impl SelectionResult {
    /// Whether this is the answer of `needed`, not one beside another.
    pub(super) fn is_of_needed(&self) -> bool {
        self.method.name == "needed"
    }

    /// The answer of `needed`, a sentence each.
    pub(super) fn needed_lines(&self) -> Vec<String> {
        let findings = self.findings.as_deref().unwrap_or_default();
        let mut lines = match findings.len() {
            0 => vec![self.nothing_singled_out()],
            n => {
                let false_ones = self.fdr.map_or_else(String::new, |fdr| {
                    format!("; at most {:.0} % of such sets are expected to be wrong", 100.0 * fdr)
                });
                let each = plural(n, "a set", "each is a set");
                vec![format!(
                    "{}: {each} of interchangeable features of which at least one is needed, given all the others{false_ones}.",
                    counted(n, "finding")
                )]
            }
        };
        lines.extend(match self.working_set.len() {
            0 => None,
            1 => Some("Working set: 1 feature that predicts; another may do as well.".into()),
            n => Some(format!("Working set: {n} features that predict together; another set may do as well.")),
        });
        lines
    }

    fn nothing_singled_out(&self) -> String {
        let Some(RelatedAtAll { open, p_value, .. }) = self.related_at_all else {
            return "No feature can be singled out.".into();
        };
        if !open {
            return format!(
                "No feature can be singled out: none is shown to be related to the target (p = {p_value:.3})."
            );
        }
        let likeliest = self.factors.iter().map(|factor| factor.probability).fold(0.0, f64::max);
        let background = self.background.unwrap_or(0.0);
        let reason = if likeliest >= LIKELY_FACTOR {
            format!("a factor shared by many features (P = {likeliest:.2}) explains it as well as any few features")
        } else if background >= LARGE_BACKGROUND {
            format!("many small effects (a share of {background:.2}) explain it as well as any few features")
        } else {
            "several sets of features explain it equally well".into()
        };
        format!("No feature can be singled out. The target is related to the table (p = {p_value:.3}), but {reason}.")
    }

    /// Beside the answer of another method: "Of these 68, 3 can be singled out as needed, given the others (GENE7, GENE12,
    /// GENE40); a working set of 10 predicts about as well (method `needed`)".
    pub(super) fn needed_words(&self) -> Option<String> {
        let findings = self.findings.as_ref().filter(|_| !self.is_of_needed())?;
        let these = self.n_selected.saturating_sub(self.kept.len());
        let leads: Vec<String> = findings.iter().take(LISTED).map(|finding| format!("`{}`", finding.lead)).collect();
        let more = if findings.len() > LISTED { ", …" } else { "" };
        let some = match findings.len() {
            0 => "none can be singled out as needed, given the others".into(),
            n => format!("{n} can be singled out as needed, given the others ({}{more})", leads.join(", ")),
        };
        let working = match self.working_set.len() {
            0 => String::new(),
            n => format!("; a working set of {n} predicts about as well"),
        };
        Some(format!("Of these {these}, {some}{working} (method `needed`)"))
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
