//! What a reader should know before the list of features, in plain sentences, and the fit in numbers.

use super::SelectionResult;
use super::answer_lines::TABLES_OF_NOISE;
use super::gate_and_noise::sparse_means;
use crate::base::{counted, plural, some_of};
use crate::selection::detail::{Gate, NoiseDetail};
use crate::sparse_means::Prior;

/// Overdispersion within a state of the noise from which on single tables can be far worse than claimed.
const UNRELIABLE: f64 = 2.0;

impl SelectionResult {
    /// Sentences that belong before the list of features: how they are correlated, why nothing or so much is named.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.fit_remarks();
        remarks.extend(self.needed_words());
        remarks.extend(self.second_look_words());
        remarks
    }

    fn fit_remarks(&self) -> Vec<String> {
        let mut remarks = vec![];
        if self.no_evidence || !self.has_directional_probabilities() {
            return remarks;
        }
        let named = self.n_selected.saturating_sub(self.kept.len());
        if named > 0 && self.noise.is_some_and(|noise| noise.phi > UNRELIABLE) {
            remarks.push(
                "These features are strongly correlated: the share of false alarms holds on average over studies, but in an \
                 unlucky one a list like this can be mostly chance."
                    .into(),
            );
        }
        remarks.extend(self.more_than_expected(named));
        remarks
    }

    fn more_than_expected(&self, named: usize) -> Option<String> {
        let (expected, wrong) = (self.n_expected?, self.expected_false?);
        let most = self.n_expected_95.map_or(f64::INFINITY, |[_, high]| high as f64);
        let n = named as f64;
        (n > expected + 0.5 || n > most).then(|| more_named_words(named, wrong, expected))
    }

    /// Whether probabilities are those of an effect in the direction shown, and the intervals those of a likelihood, not
    /// given the fitted prior (`prior=auto`).
    pub(super) fn has_directional_probabilities(&self) -> bool {
        self.format_version > 1 && sparse_means(&self.method).is_some_and(|means| means.prior == Prior::Auto)
    }

    /// The fit in numbers: names and values, for people.
    pub fn fit_facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![];
        let Some(fit) = &self.detail.fit else { return facts };
        let between = |[low, high]: [u64; 2]| format!("{low} to {high}");
        let given = if self.has_directional_probabilities() { "95 %" } else { "95 %, if the fitted prior is right" };
        if let Some(at_least) = self.at_least_95.filter(|n| *n > 0) {
            facts.push(("affected features, at least", format!("{at_least} (95 %)")));
        }
        if let Some(at_least) = self.at_least_named_95.filter(|n| *n > 0) {
            facts.push(("of the named, at least", format!("{at_least} (95 %)")));
        }
        if let Some(expected) = self.n_expected.filter(|_| !self.no_evidence) {
            let interval = self.n_expected_95.map_or_else(String::new, |ends| format!(", {} ({given})", between(ends)));
            facts.push(("effects above 1", format!("about {expected:.1}{interval}")));
        }
        if let Some(expected) = self.n_strong.filter(|_| !self.no_evidence) {
            let interval = self.n_strong_95.map_or_else(String::new, |ends| format!(", {} (95 %)", between(ends)));
            facts.push(("effects above 2", format!("about {expected:.1}{interval}")));
        }
        if !fit.named_at.is_empty() && !self.no_evidence {
            let at = |of: &crate::selection::detail::NamedAt| format!("{} at {:.0} %", of.named, 100.0 * of.fdr);
            let list: Vec<String> = fit.named_at.iter().map(at).collect();
            facts.push(("named, by the share that may be false", list.join(", ")));
        }
        if let Some(gate) = &fit.gate {
            facts.push(("does anything differ?", gate_words(gate)));
        }
        if let Some(noise) = &fit.noise {
            facts.extend(noise_facts(noise));
        }
        if let Some(share) = self.fraction_irrelevant {
            facts.push(("share without an effect", format!("{share:.3}")));
        }
        facts
    }
}

/// Why more features are named than matter.
fn more_named_words(named: usize, wrong: f64, expected: f64) -> String {
    let wrong = if wrong < 0.95 { "some".into() } else { format!("about {wrong:.0}") };
    let (are, expected) = (plural(named, "is", "are"), rounded(expected));
    format!("{} {are} named, {wrong} of them false; about {expected} are affected in all.", counted(named, "feature"))
}

/// Why there is evidence that something differs, or none.
fn gate_words(gate: &Gate) -> String {
    let answer = if gate.passed { "yes" } else { "no evidence" };
    let (Some(exceeded), Some(permutations)) = (gate.exceeded, gate.permutations) else { return answer.into() };
    let tables = if gate.drawn { TABLES_OF_NOISE } else { "permuted targets" };
    let only = if gate.passed && exceeded > 0 { "only " } else { "" };
    format!("{answer}: {only}{} scores as extreme", some_of(exceeded, permutations, tables, ["gives", "give"]))
}

/// What null targets show of the noise.
fn noise_facts(noise: &NoiseDetail) -> Vec<(&'static str, String)> {
    let mut facts = vec![];
    if noise.states > 1 {
        facts.push(("states of the noise", format!("{} averaged", noise.states)));
        facts.push(("overdispersion within a state", format!("{:.1}", noise.phi)));
    }
    if let Some(dispersion) = noise.dispersion {
        let independent = if noise.states == 1 { "; features are as good as independent" } else { "" };
        facts.push(("dispersion of permuted targets", format!("{dispersion:.1} (independent: 1){independent}")));
    }
    facts
}

pub(super) fn rounded(x: f64) -> String {
    if x >= 10.0 { format!("{x:.0}") } else { format!("{x:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_features_than_matter_are_told_in_the_singular_and_the_plural() {
        assert_eq!(
            more_named_words(1, 0.2, 0.3),
            "1 feature is named, some of them false; about 0.3 are affected in all."
        );
        let words = "4587 features are named, about 399 of them false; about 4544 are affected in all.";
        assert_eq!(more_named_words(4587, 399.2, 4544.0), words);
    }

    #[test]
    fn the_gate_speaks_of_permuted_targets_or_of_drawn_tables() {
        let gate = |passed, exceeded| Gate {
            passed,
            exceeded: Some(exceeded),
            permutations: Some(999),
            allowed: None,
            drawn: false,
        };
        assert_eq!(gate_words(&gate(true, 0)), "yes: none of 999 permuted targets gives scores as extreme");
        assert_eq!(gate_words(&gate(true, 1)), "yes: only 1 of 999 permuted targets gives scores as extreme");
        let shut = Gate { drawn: true, ..gate(false, 12) };
        assert_eq!(gate_words(&shut), "no evidence: 12 of 999 tables of independent noise give scores as extreme");
        assert_eq!(gate_words(&Gate { exceeded: None, ..gate(true, 0) }), "yes");
    }
}
