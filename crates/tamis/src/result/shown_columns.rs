//! The columns that each method shows in the table of features.

use super::SelectionResult;
use crate::selection::detail::RelationKind;
use serde::Serialize;

/// Digits behind the point of p-values.
pub const P_DIGITS: usize = 4;
/// Digits behind the point of scores that are not z.
const SCORE_DIGITS: usize = 5;

/// A column of the table of features.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ResultColumn {
    /// Its name in files.
    pub key: &'static str,
    /// Its name for people.
    pub head: &'static str,
    /// Its meaning, in one sentence.
    pub title: &'static str,
    /// Digits behind the point.
    pub digits: usize,
    /// One value a feature, in input order.
    pub values: ColumnValues,
    /// Whether a terminal, where there is little room, shows it too.
    #[serde(skip)]
    pub brief: bool,
}

/// One value a feature.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum ColumnValues {
    /// Numbers; null where there is none.
    Numbers(Vec<Option<f64>>),
    /// Other features, by position.
    Features(Vec<Option<u32>>),
    /// Words.
    Words(Vec<Option<&'static str>>),
}

impl SelectionResult {
    /// The columns beside rank and name; the first is what plots of every feature show. Clusters come last, where any has
    /// two features.
    pub fn columns(&self) -> Vec<ResultColumn> {
        let mut columns = self.method_columns();
        if self.clusters().iter().any(|cluster| cluster.len() > 1) {
            let title =
                "selected features with the same number are correlated by 0.8 or more, directly or through others";
            let number = |i: usize| self.features[i].cluster.map(f64::from);
            columns.push(column(("cluster", "cluster", title), 0, self.numbers(number)));
        }
        columns
    }

    fn method_columns(&self) -> Vec<ResultColumn> {
        if self.detail.npfs.is_some() {
            return self.npfs_columns();
        }
        if self.detail.pairs.is_some() {
            return self.pairs_columns();
        }
        if self.detail.dependence.is_some() {
            return self.dependence_columns();
        }
        let score =
            |head, title, digits| column(("score", head, title), digits, self.numbers(|i| self.features[i].score));
        if self.features.iter().any(|f| f.probability.is_some()) {
            let mut found = vec![score("score", "standard normal where the feature does not matter", 2)];
            found.extend(self.difference_column());
            if self.has_probabilities() {
                found.extend(self.posterior_columns());
            }
            return found;
        }
        if !self.detail.machines.is_empty() {
            return vec![score("weight", "weight in the classifier; 1 is the largest, 0 was dropped", SCORE_DIGITS)];
        }
        let mut found = vec![score("score", "the score that the filter ranks by", SCORE_DIGITS)];
        found.extend(self.steps_column());
        found
    }

    fn numbers(&self, value: impl Fn(usize) -> Option<f64>) -> ColumnValues {
        ColumnValues::Numbers((0..self.features.len()).map(|i| value(i).filter(|x| x.is_finite())).collect())
    }

    /// The difference in the features' own units, where there is one.
    fn difference_column(&self) -> Option<ResultColumn> {
        let (head, title) = match (&self.input.classes, self.input.events) {
            (Some(_), _) => ("difference", "positive class minus reference, in the feature's own unit"),
            (None, None) => ("slope", "change of the feature per unit of the target"),
            (None, Some(_)) => ("log hazard", "logarithm of the hazard ratio for each unit of the feature"),
        };
        let any = self.features.iter().any(|f| f.difference.is_some());
        any.then(|| column(("difference", head, title), 3, self.numbers(|i| self.features[i].difference)))
    }

    fn posterior_columns(&self) -> [ResultColumn; 3] {
        let (effect, probability) = ("the score shrunk towards zero by the fitted prior", "that the feature matters");
        let q = "expected share of false discoveries if this feature and all more probable ones are chosen";
        [
            column(("effect", "effect (z)", effect), 2, self.numbers(|i| self.features[i].effect)),
            column(("probability", "probability", probability), 3, self.numbers(|i| self.features[i].probability)),
            ResultColumn {
                brief: false,
                ..column(("q_value", "q-value", q), 3, self.numbers(|i| self.features[i].q_value))
            },
        ]
    }

    fn npfs_columns(&self) -> Vec<ResultColumn> {
        let Some(npfs) = &self.detail.npfs else { return vec![] };
        let of = |values: &[f64]| self.numbers(|i| values.get(i).copied());
        let title = "share of the bootstraps that chose the feature";
        let mut found = vec![column(("frequency", "frequency", title), 2, of(&npfs.frequency))];
        if !npfs.explained.is_empty() {
            let title = "share of the target that the feature explains by itself";
            found.push(column(("explained", "explains", title), 3, of(&npfs.explained)));
        }
        if !npfs.p_values.is_empty() {
            let title = "probability that chance alone chooses a feature at least as often";
            found.push(column(("p", "p", title), P_DIGITS, of(&npfs.p_values)));
            let title = "the p-value adjusted for the number of features";
            found.push(column(("adjusted", "adjusted", title), P_DIGITS, of(&npfs.adjusted)));
        }
        found
    }

    fn pairs_columns(&self) -> Vec<ResultColumn> {
        let Some(pairs) = &self.detail.pairs else { return vec![] };
        let title = "information about the target, together with the best partner";
        let p = "share of permutations whose largest score is at least as large";
        let partner = "the partner with which it is most informative";
        let gain = "information that the two have together beyond the better one of them";
        let mut found = vec![
            column(("score", "score", title), SCORE_DIGITS, self.numbers(|i| self.features[i].score)),
            column(("p_value", "p", p), P_DIGITS, self.numbers(|i| pairs.p_values.get(i).copied())),
            column(("partner", "with", partner), 0, ColumnValues::Features(pairs.partners.clone())),
        ];
        if !pairs.gains.is_empty() {
            let gains = self.numbers(|i| pairs.gains.get(i).copied().flatten());
            found.push(column(("gain", "gain", gain), SCORE_DIGITS, gains));
        }
        found
    }

    /// The p-value of each step, for features that a step looked at.
    fn steps_column(&self) -> Option<ResultColumn> {
        let steps = self.detail.steps.as_ref()?;
        let title = "share of permutations, the data among them, with as good a feature at the step that looked at it";
        let step = |i: usize| steps.features.iter().position(|&f| f as usize == i);
        let p = |i: usize| step(i).and_then(|at| steps.p_values.get(at).copied().flatten());
        Some(column(("p_value", "p", title), P_DIGITS, self.numbers(p)))
    }

    fn dependence_columns(&self) -> Vec<ResultColumn> {
        let Some(found) = &self.detail.dependence else { return vec![] };
        let score = "how surprising the strongest relation is: −ln p before permutations are looked at";
        let p = "probability that a permuted target has so strong a relation";
        let q = "expected share of false discoveries if this feature and all with a smaller p are chosen";
        let kind = "level: higher values in some class; shape: another spread or form; together: with a partner";
        let partner = "the feature together with which it is related to the target";
        let kinds = found.kinds.iter().map(|kind| kind.map(RelationKind::name)).collect();
        vec![
            column(("score", "score", score), 2, self.numbers(|i| self.features[i].score)),
            column(("p_value", "p", p), P_DIGITS, self.numbers(|i| self.features[i].p_value)),
            column(("q_value", "q-value", q), P_DIGITS, self.numbers(|i| self.features[i].q_value)),
            column(("kind", "kind", kind), 0, ColumnValues::Words(kinds)),
            column(("partner", "with", partner), 0, ColumnValues::Features(found.partners.clone())),
        ]
    }
}

fn column(
    (key, head, title): (&'static str, &'static str, &'static str),
    digits: usize,
    values: ColumnValues,
) -> ResultColumn {
    ResultColumn { key, head, title, digits, values, brief: true }
}
