//! The columns that each method shows in the table of features.

use super::SelectionResult;
use super::column_values::ColumnValues;
use serde::Serialize;
use std::borrow::Cow;

/// Digits behind the point of p-values.
pub const P_DIGITS: usize = 4;
/// Digits behind the point of scores that are not z.
const SCORE_DIGITS: usize = 5;

/// What `inclusion_probability` means.
const NEEDED: &str = "probability of being needed, given all other features; copies share it";

/// A column of the table of features as it is shown.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ResultColumn<'a> {
    /// Its name in files.
    pub key: &'static str,
    /// Its name for people.
    pub head: &'static str,
    /// Its meaning, in one sentence.
    pub title: &'static str,
    /// Digits behind the point.
    pub digits: usize,
    /// One value a feature, in input order.
    pub values: Cow<'a, ColumnValues>,
    /// Whether a terminal, where there is little room, shows it too.
    #[serde(skip)]
    pub brief: bool,
}

impl SelectionResult {
    /// The columns beside rank and name; the first is what plots of every feature show. Clusters come last, where any has
    /// two features.
    pub fn columns(&self) -> Vec<ResultColumn<'_>> {
        let mut columns = self.method_columns();
        if self.clusters().iter().any(|cluster| cluster.len() > 1) {
            let title =
                "selected features with the same number move together: their residuals correlate by 0.8 or more";
            columns.push(self.shown(("cluster", "cluster", title), 0));
        }
        columns
    }

    fn method_columns(&self) -> Vec<ResultColumn<'_>> {
        if self.detail.npfs.is_some() {
            return self.npfs_columns();
        }
        if self.detail.pairs.is_some() {
            return self.pairs_columns();
        }
        if self.detail.dependence.is_some() {
            return self.dependence_columns();
        }
        if self.is_of_needed() {
            return self.needed_columns();
        }
        if self.features.column("probability").is_some() {
            let title = "standard normal where the feature has no effect";
            let mut columns = vec![self.shown(("score", "score", title), 2)];
            columns.extend(self.difference_column());
            if self.has_probabilities() {
                columns.extend(self.posterior_columns());
            }
            let beside = self.if_known(("inclusion_probability", "needed", NEEDED), 3);
            columns.extend(beside.map(|column| ResultColumn { brief: false, ..column }));
            return columns;
        }
        if !self.detail.machines.is_empty() {
            let title = "weight in the classifier; 1 is the largest, 0 was dropped";
            return vec![self.shown(("score", "weight", title), SCORE_DIGITS)];
        }
        let mut columns = vec![self.shown(("score", "score", "the score that the filter ranks by"), SCORE_DIGITS)];
        let title = "share of permutations, the data among them, with as good a feature at the step that looked at it";
        columns.extend(self.detail.steps.as_ref().map(|_| self.shown(("p_value", "p", title), P_DIGITS)));
        columns
    }

    /// A column under its key, head and title; empty if no feature has a value.
    fn shown(&self, (key, head, title): (&'static str, &'static str, &'static str), digits: usize) -> ResultColumn<'_> {
        let empty = || Cow::Owned(ColumnValues::Numbers(vec![None; self.features.len()]));
        let values = self.features.column(key).map_or_else(empty, Cow::Borrowed);
        ResultColumn { key, head, title, digits, values, brief: true }
    }

    /// As [`SelectionResult::shown`], if any feature has a value.
    fn if_known(&self, names: (&'static str, &'static str, &'static str), digits: usize) -> Option<ResultColumn<'_>> {
        self.features.column(names.0).map(|_| self.shown(names, digits))
    }

    /// The difference in the features' own units, where there is one.
    fn difference_column(&self) -> Option<ResultColumn<'_>> {
        let (head, title) = match (&self.input.classes, self.input.events) {
            (Some(_), _) => ("difference", "positive class minus reference, in the feature's own unit"),
            (None, None) => ("slope", "change of the feature per unit of the target"),
            (None, Some(_)) => ("log hazard", "logarithm of the hazard ratio for each unit of the feature"),
        };
        self.if_known(("difference", head, title), 3)
    }

    fn posterior_columns(&self) -> [ResultColumn<'_>; 3] {
        let effect = "the score shrunk towards zero by the fitted prior";
        let of = match self.has_directional_probabilities() {
            true => "of an effect in the direction shown",
            false => "of an effect",
        };
        let q = "expected share of false discoveries if this feature and all more probable ones are chosen";
        [
            self.shown(("effect", "effect (z)", effect), 2),
            self.shown(("probability", "probability", of), 3),
            ResultColumn { brief: false, ..self.shown(("q_value", "q-value", q), 3) },
        ]
    }

    fn needed_columns(&self) -> Vec<ResultColumn<'_>> {
        let set = "that at least one feature of its set is needed";
        let lead = "the feature that stands for the set";
        let mut columns = vec![self.shown(("inclusion_probability", "probability", NEEDED), 3)];
        columns.extend(self.if_known(("set_probability", "of its set", set), 3));
        columns.extend(self.if_known(("lead", "stands for", lead), 0));
        columns
    }

    fn npfs_columns(&self) -> Vec<ResultColumn<'_>> {
        let explained = "share of the target that the feature explains by itself";
        let p = "probability that chance alone chooses a feature at least as often";
        let mut columns =
            vec![self.shown(("frequency", "frequency", "share of the bootstraps that chose the feature"), 2)];
        columns.extend(self.if_known(("explained", "explains", explained), 3));
        columns.extend(self.if_known(("p", "p", p), P_DIGITS));
        columns.extend(
            self.if_known(("adjusted", "adjusted", "the p-value adjusted for the number of features"), P_DIGITS),
        );
        columns
    }

    fn pairs_columns(&self) -> Vec<ResultColumn<'_>> {
        let score = "information about the target, together with the best partner";
        let p = "share of permutations whose largest score is at least as large";
        let gain = "information that the two have together beyond the better one of them";
        let mut columns = vec![
            self.shown(("score", "score", score), SCORE_DIGITS),
            self.shown(("p_value", "p", p), P_DIGITS),
            self.shown(("partner", "with", "the partner with which it is most informative"), 0),
        ];
        columns.extend(self.if_known(("gain", "gain", gain), SCORE_DIGITS));
        columns
    }

    fn dependence_columns(&self) -> Vec<ResultColumn<'_>> {
        let score = "how surprising the strongest relation is: −ln p before permutations are looked at";
        let p = "probability that a permuted target has so strong a relation";
        let q = "expected share of false discoveries if this feature and all with a smaller p are chosen";
        let kind = "level: higher values in some class; shape: another spread or form; together: with a partner";
        let partner = "the feature together with which it is related to the target";
        vec![
            self.shown(("score", "score", score), 2),
            self.shown(("p_value", "p", p), P_DIGITS),
            self.shown(("q_value", "q-value", q), P_DIGITS),
            self.shown(("kind", "kind", kind), 0),
            self.shown(("partner", "with", partner), 0),
        ]
    }
}
