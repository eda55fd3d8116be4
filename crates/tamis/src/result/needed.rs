//! Which features are needed, given the others, in words.

use super::SelectionResult;
use super::needed_summary::{FindingSummary, LISTED};
use crate::base::{counted, plural};
use crate::selection::RelatedAtAll;
use std::collections::HashSet;

/// A factor with a larger probability explains why nothing is singled out, and a background with a larger share.
const LIKELY_FACTOR: f64 = 0.5;
const LARGE_BACKGROUND: f64 = 0.3;

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

    /// Beside the answer of another method: "Of these 68, 3 can be singled out as needed, given the others (`GENE7`, `GENE12`,
    /// `GENE40`); a working set of 10, to predict with, is in the result (method `needed`)". Findings without a named feature are counted
    /// by themselves.
    pub(super) fn needed_words(&self) -> Option<String> {
        let findings = self.findings.as_ref().filter(|_| !self.is_of_needed())?;
        let kept: HashSet<&str> = self.kept.iter().map(String::as_str).collect();
        let named: HashSet<&str> = self.selected().into_iter().map(|i| self.features.names[i].as_str()).collect();
        let is_named = |name: &String| named.contains(name.as_str()) && !kept.contains(name.as_str());
        let (among, others): (Vec<_>, Vec<_>) =
            findings.iter().partition(|finding| finding.members.iter().any(is_named));
        let named = self.n_selected.saturating_sub(self.kept.len());
        let mut words = match (named, among.len()) {
            (0, _) => return None,
            (1, 0) => "This feature cannot be singled out as needed, given the others".into(),
            (1, _) => "This feature can also be singled out as needed, given the others".into(),
            (n, 0) => format!("Of these {n}, none can be singled out as needed, given the others"),
            (n, some) => {
                format!("Of these {n}, {some} can be singled out as needed, given the others ({})", listed(&among))
            }
        };
        if !others.is_empty() {
            words.push_str(&format!(
                ", and so {} {} not among them ({})",
                plural(others.len(), "is", "are"),
                counted(others.len(), "feature"),
                listed(&others)
            ));
        }
        let working = self.working_set.len();
        if self.background.unwrap_or(0.0) >= LARGE_BACKGROUND {
            words.push_str("; many small effects explain the target as well as any few features");
        } else if (1..named).contains(&working) {
            words.push_str(&format!("; a working set of {working}, to predict with, is in the result"));
        }
        Some(words + " (method `needed`)")
    }
}

/// The leads of some findings.
fn listed(findings: &[&FindingSummary]) -> String {
    let leads: Vec<String> = findings.iter().take(LISTED).map(|finding| format!("`{}`", finding.lead)).collect();
    let more = if findings.len() > LISTED { ", …" } else { "" };
    format!("{}{more}", leads.join(", "))
}
