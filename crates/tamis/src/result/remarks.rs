//! What a reader should know before the list of features, in plain sentences, and the fit in numbers.

use super::SelectionResult;
use super::gate_and_correlation::sparse_means;
use crate::base::{counted, plural, some_of};
use crate::selection::detail::{Correlation, Gate};
use crate::sparse_means::Prior;

/// Overdispersion, or a common part of the noise, from which on the correlation of features is told.
const CORRELATED: (f64, f64) = (2.0, 0.5);
/// Overdispersion from which on single tables can be far worse than claimed.
const UNRELIABLE: f64 = 10.0;
/// A shift of the scores that hardly matters.
const SMALL: f64 = 0.1;
/// A shift of the scores that hides much.
const STRONG: f64 = 0.5;
/// Half the width of a 95 % interval, in standard deviations.
const WITHIN: f64 = 1.96;

impl SelectionResult {
    /// Sentences that belong before the list of features: how they are correlated, why nothing or so much is named.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.fit_remarks();
        remarks.extend(self.second_look_words());
        remarks
    }

    fn fit_remarks(&self) -> Vec<String> {
        let mut remarks = vec![];
        if let Some(correlation) = self.null_facts() {
            remarks.extend(correlation_remarks(correlation, self.features.len()));
        }
        if self.no_evidence || !self.counts_by_likelihood() {
            return remarks;
        }
        let named = self.n_selected.saturating_sub(self.kept.len());
        let open = self.gate.is_none_or(|gate| gate.open);
        if named == 0 && open {
            remarks.push("Something matters, but no feature is certain enough to be named.".into());
        }
        if named > 0 && !open {
            remarks.push(
                "Only scores far too large for chance are named; there is no evidence that any other feature matters."
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

    /// How the scores of noise move together.
    fn null_facts(&self) -> Option<&Correlation> {
        self.detail.fit.as_ref()?.correlation.as_ref()
    }

    /// Whether the interval is that of the likelihood, and not one given the fitted prior.
    pub(super) fn counts_by_likelihood(&self) -> bool {
        self.format_version > 1 && sparse_means(&self.method).is_some_and(|means| means.prior == Prior::Auto)
    }

    /// The fit in numbers: names and values, for people.
    pub fn fit_facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = vec![];
        let Some(fit) = &self.detail.fit else { return facts };
        let between = |[low, high]: [u64; 2]| format!("between {low} and {high}");
        let whose = if self.counts_by_likelihood() { "95 %" } else { "95 %, if the fitted prior is right" };
        if let Some(interval) = self.n_expected_95 {
            facts.push(("features that matter", format!("{} ({whose})", between(interval))));
        }
        if let Some(interval) = self.n_strong_95 {
            facts.push(("features that matter strongly", format!("{} (95 %)", between(interval))));
        }
        if let Some(expected) = self.n_expected {
            facts.push(("sum of the probabilities", format!("{expected:.1}")));
        }
        if !fit.named_at.is_empty() && !self.no_evidence {
            let at = |of: &crate::selection::detail::NamedAt| format!("{} at {:.0} %", of.named, 100.0 * of.fdr);
            let list: Vec<String> = fit.named_at.iter().map(at).collect();
            facts.push(("named, by the share that may be false", list.join(", ")));
        }
        if let Some(gate) = &fit.gate {
            facts.push(("does anything matter?", gate_words(gate)));
        }
        if let Some(correlation) = &fit.correlation {
            facts.extend(correlation_facts(correlation));
        }
        if let Some(share) = self.fraction_irrelevant {
            facts.push(("share that does not matter", format!("{share:.3}")));
        }
        facts
    }
}

/// Why more features are named than matter.
fn more_named_words(named: usize, wrong: f64, expected: f64) -> String {
    let wrong = if wrong < 0.95 { "some".into() } else { format!("about {wrong:.0}") };
    let (are, expected) = (plural(named, "is", "are"), rounded(expected));
    format!("{} {are} named, {wrong} of them false; about {expected} matter in all.", counted(named, "feature"))
}

/// Why there is evidence that something matters, or none.
fn gate_words(gate: &Gate) -> String {
    let Some(of) = gate.exceedances else {
        let threshold = gate.threshold.map_or_else(String::new, |threshold| format!(" (threshold {threshold:.1})"));
        let answer = if gate.passed { "yes" } else { "no evidence" };
        return format!("{answer}: log-likelihood gain {:.1}{threshold}", gate.gain.max(0.0));
    };
    let targets = of.targets;
    let some = |n: usize| some_of(n, targets, "permuted targets", ["gives", "give"]);
    let only = |n: usize| if n == 0 { "" } else { "only " };
    match (gate.passed, of.gain) {
        (true, None) => format!("yes: {}{} a score as large", only(of.maximum), some(of.maximum)),
        (true, Some(gain)) => format!("yes: {}{} as many large scores", only(gain), some(gain)),
        (false, _) => format!("no evidence: {} a score as large", some(of.maximum)),
    }
}

/// How correlated features are and what that costs, where it is worth telling.
fn correlation_remarks(found: &Correlation, features: usize) -> Vec<String> {
    let (phi, share) = CORRELATED;
    if !(found.phi > phi || found.a > share || found.b > share) {
        return vec![];
    }
    let moved = WITHIN * found.centre_deviation;
    let mut costs = vec![];
    if found.b > share || moved >= SMALL {
        let digits = if moved >= SMALL { 1 } else { 2 };
        costs.push(format!("correlation shifts all null scores together by up to ±{moved:.digits$}"));
    }
    if found.a > share {
        costs.push("noise can make all scores larger at once".into());
    }
    if found.phi > phi {
        let as_many = counted((features as f64 / found.phi).max(1.0).round(), "independent feature");
        let all = counted(features, "feature");
        costs.push(format!("{all} carry as much information as about {as_many}, so fewer can be named"));
    }
    let strongly = if found.phi > UNRELIABLE || moved >= STRONG { "strongly " } else { "" };
    let list = match &costs[..] {
        [first, middle, last] => format!("{first}, {middle}, and {last}"),
        several => several.join(", and "),
    };
    let mut remarks = vec![format!("These features are {strongly}correlated: {list}.")];
    if found.phi > UNRELIABLE {
        remarks.push(
            "The false discovery rate holds on average over studies; in one with features as correlated as these it can be \
             much higher."
                .into(),
        );
    }
    remarks
}

fn correlation_facts(found: &Correlation) -> Vec<(&'static str, String)> {
    let &Correlation { a, b, phi, shift, divisor, guard, centre_deviation, .. } = found;
    let mut facts = vec![];
    if a > 0.0 || b > 0.0 || phi > 1.0 {
        let moved = WITHIN * centre_deviation;
        let varied = format!("their counts vary {phi:.1} times as much as those of independent features");
        facts.push(("scores of noise", format!("move together by ±{moved:.2}; {varied}")));
    }
    if shift != 0.0 || divisor != 1.0 {
        facts.push(("scores", format!("recentred by {shift:.2} and divided by {divisor:.2}")));
    }
    if let Some(guard) = guard {
        let after = if shift != 0.0 || divisor != 1.0 { ", after that" } else { "" };
        facts.push(("smallest score that may be named", format!("{guard:.2}{after}")));
    }
    facts
}

/// A number of features as it is told: in whole ones from 10 on.
pub(super) fn rounded(x: f64) -> String {
    if x >= 10.0 { format!("{x:.0}") } else { format!("{x:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::detail::{Exceedances, GateTest, NullBand};

    const INDEPENDENT: Correlation = Correlation {
        a: 0.0,
        b: 0.0,
        w0: 1.0,
        phi: 1.0,
        shift: 0.0,
        divisor: 1.0,
        guard: None,
        permutations: 199,
        centre_deviation: 0.03,
        band: NullBand { from: -6.0, width: 0.25, low: vec![], middle: vec![], high: vec![] },
    };

    #[test]
    fn correlation_is_told_with_its_price_where_it_matters() {
        let remarks = |found: &Correlation| correlation_remarks(found, 2000);
        assert!(remarks(&INDEPENDENT).is_empty());
        assert!(remarks(&Correlation { a: 0.5, b: 0.5, phi: 2.0, ..INDEPENDENT }).is_empty());
        let moved = Correlation { b: 0.9, centre_deviation: 0.714, ..INDEPENDENT };
        assert_eq!(
            remarks(&moved),
            ["These features are strongly correlated: correlation shifts all null scores together by up to ±1.4."]
        );
        let counted = remarks(&Correlation { phi: 4.0, ..INDEPENDENT });
        assert!(
            counted.len() == 1
                && counted[0].contains("2000 features carry as much information as about 500 independent features"),
            "{counted:?}"
        );
        let worst = remarks(&Correlation { a: 0.9, phi: 18.0, ..moved });
        assert!(worst.len() == 2 && worst[1].contains("much higher"), "{worst:?}");
    }

    #[test]
    fn more_features_than_matter_are_told_in_the_singular_and_the_plural() {
        assert_eq!(more_named_words(1, 0.2, 0.3), "1 feature is named, some of them false; about 0.3 matter in all.");
        let words = "4587 features are named, about 399 of them false; about 4544 matter in all.";
        assert_eq!(more_named_words(4587, 399.2, 4544.0), words);
    }

    #[test]
    fn the_gate_speaks_of_random_targets_or_of_likelihood() {
        let counts = Exceedances { targets: 199, allowed: 0, maximum: 0, gain: None };
        let gate =
            Gate { gain: 0.0, threshold: None, passed: true, by: Some(GateTest::Maximum), exceedances: Some(counts) };
        assert_eq!(gate_words(&gate), "yes: none of 199 permuted targets gives a score as large");
        let many = |gain| Gate { exceedances: Some(Exceedances { gain: Some(gain), ..counts }), ..gate };
        let words = [0, 1, 6].map(|gain| gate_words(&many(gain)));
        assert_eq!(words[0], "yes: none of 199 permuted targets gives as many large scores");
        assert_eq!(words[1], "yes: only 1 of 199 permuted targets gives as many large scores");
        assert_eq!(words[2], "yes: only 6 of 199 permuted targets give as many large scores");
        let shut = Gate { passed: false, by: None, exceedances: Some(Exceedances { maximum: 12, ..counts }), ..gate };
        assert_eq!(gate_words(&shut), "no evidence: 12 of 199 permuted targets give a score as large");
        let alone = Gate { gain: 1093.56, threshold: Some(2.72), exceedances: None, ..gate };
        assert_eq!(gate_words(&alone), "yes: log-likelihood gain 1093.6 (threshold 2.7)");
    }
}
