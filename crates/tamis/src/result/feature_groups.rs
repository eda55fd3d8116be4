//! Features that count together, as a result shows them.

use super::SelectionResult;
use crate::selection::{Direction, Selection, SetTest};
use crate::table::write::{Named, Values, write_columns};
use crate::table::{FeatureGroup, Format};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

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
    /// The group as a set, where it was tested.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub test: Option<SetSummary>,
}

/// The test of a group as a set: whether it differs at all (self-contained), and more than all other features do
/// (competitive); mostly in one direction, or in either (mixed).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetSummary {
    /// How many of its features were tested: those whose scores have a sign.
    pub tested: usize,
    /// Which way most of them go.
    pub direction: Direction,
    /// The mean of their scores.
    pub mean_score: f64,
    /// The mean of their differences, or slopes.
    pub mean_difference: Option<f64>,
    /// Does anything differ, in one direction?
    pub p_direction: Option<f64>,
    /// Does anything differ?
    pub p_mixed: Option<f64>,
    /// Does it differ more than the rest, in one direction?
    pub p_competitive_direction: Option<f64>,
    /// Does it differ more than the rest?
    pub p_competitive_mixed: Option<f64>,
    /// Each p-value adjusted for the number of groups (Benjamini & Hochberg).
    pub q_direction: Option<f64>,
    /// Likewise.
    pub q_mixed: Option<f64>,
    /// Likewise.
    pub q_competitive_direction: Option<f64>,
    /// Likewise.
    pub q_competitive_mixed: Option<f64>,
    /// The features that speak most for it, strongest first.
    pub leading: Vec<String>,
}

impl SetSummary {
    fn of(test: &SetTest, names: &[String], mean_difference: Option<f64>) -> SetSummary {
        SetSummary {
            tested: test.tested,
            direction: test.direction,
            mean_score: test.mean_score,
            mean_difference,
            p_direction: test.p.direction,
            p_mixed: test.p.mixed,
            p_competitive_direction: test.p.competitive_direction,
            p_competitive_mixed: test.p.competitive_mixed,
            q_direction: test.q.direction,
            q_mixed: test.q.mixed,
            q_competitive_direction: test.q.competitive_direction,
            q_competitive_mixed: test.q.competitive_mixed,
            leading: test.leading.iter().map(|&at| names[at as usize].clone()).collect(),
        }
    }

    /// "up" or "down".
    pub fn direction_word(&self) -> &'static str {
        match self.direction {
            Direction::Up => "up",
            Direction::Down => "down",
        }
    }

    /// What each of the four questions asks, by the ending of its p and q, with both.
    pub fn questions(&self) -> [(&'static str, Option<f64>, Option<f64>); 4] {
        let [direction, mixed, competitive_direction, competitive_mixed] = QUESTIONS;
        [
            (direction, self.p_direction, self.q_direction),
            (mixed, self.p_mixed, self.q_mixed),
            (competitive_direction, self.p_competitive_direction, self.q_competitive_direction),
            (competitive_mixed, self.p_competitive_mixed, self.q_competitive_mixed),
        ]
    }

    /// The smallest of the four p-values.
    fn least(&self) -> f64 {
        self.questions().into_iter().filter_map(|(_, p, _)| p).fold(1.0, f64::min)
    }
}

/// The endings of the names of the four p-values.
const QUESTIONS: [&str; 4] = ["direction", "mixed", "competitive_direction", "competitive_mixed"];

/// What the two kinds of questions ask, a sentence each.
pub const SET_QUESTIONS: [&str; 2] = [
    "Self-contained (direction, mixed): does any feature of the group differ, mostly one way or either way?",
    "Competitive: do its features differ more than those outside it, mostly one way or either way?",
];

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

    /// The result with groups of its features and their tests: those with the smallest p-value first, then those with most
    /// selected, then those that matter most.
    pub fn with_feature_groups(mut self, groups: &[FeatureGroup], selection: &Selection) -> Self {
        let summary = |(at, group): (usize, &FeatureGroup)| {
            let of_features = |name: &str| -> Vec<f64> {
                group.members.iter().filter_map(|&member| self.features.number(name, member as usize)).collect()
            };
            let known = of_features("probability");
            let differences = of_features("difference");
            let mean = (!differences.is_empty()).then(|| differences.iter().sum::<f64>() / differences.len() as f64);
            let test = selection.set_tests.get(at).and_then(Option::as_ref);
            GroupSummary {
                name: group.name.clone(),
                size: group.members.len(),
                selected: group.members.iter().filter(|&&member| self.features.selected[member as usize]).count(),
                expected: (!known.is_empty()).then(|| known.iter().sum()),
                test: test.map(|test| SetSummary::of(test, &self.features.names, mean)),
            }
        };
        let mut groups: Vec<GroupSummary> = groups.iter().enumerate().map(summary).collect();
        let expected = |group: &GroupSummary| group.expected.unwrap_or(0.0);
        let p = |group: &GroupSummary| group.test.as_ref().map_or(1.0, SetSummary::least);
        groups.sort_by(|a, b| {
            p(a).total_cmp(&p(b)).then(b.selected.cmp(&a.selected)).then(expected(b).total_cmp(&expected(a)))
        });
        self.feature_groups = groups;
        self
    }

    /// Writes the table of groups, as [`SelectionResult::write_table`] does that of features; leading features are
    /// separated by spaces.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn write_groups(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        let groups = &self.feature_groups;
        let of_tests = |value: &dyn Fn(&SetSummary) -> Option<f64>| -> Vec<f64> {
            groups.iter().map(|group| group.test.as_ref().and_then(value).unwrap_or(f64::NAN)).collect()
        };
        let of_groups = |value: &dyn Fn(&GroupSummary) -> f64| groups.iter().map(value).collect::<Vec<f64>>();
        let mut numbers = vec![
            ("size".to_string(), of_groups(&|group| group.size as f64)),
            ("selected".into(), of_groups(&|group| group.selected as f64)),
            ("expected".into(), of_groups(&|group| group.expected.unwrap_or(f64::NAN))),
            ("tested".into(), of_tests(&|test| Some(test.tested as f64))),
            ("mean_score".into(), of_tests(&|test| Some(test.mean_score))),
            ("mean_difference".into(), of_tests(&|test| test.mean_difference)),
        ];
        for (at, name) in QUESTIONS.into_iter().enumerate() {
            numbers.push((format!("p_{name}"), of_tests(&|test| test.questions()[at].1)));
            numbers.push((format!("q_{name}"), of_tests(&|test| test.questions()[at].2)));
        }
        let of_test = |row: usize| groups[row].test.as_ref();
        let name = |row: usize| Some(groups[row].name.clone());
        let direction = |row: usize| of_test(row).map(|test| test.direction_word().to_string());
        let leading = |row: usize| of_test(row).map(|test| test.leading.join(" "));
        let mut columns = vec![Named { name: "name", values: Values::Text(Box::new(name)) }];
        columns.extend(numbers.iter().map(|(name, x)| Named { name, values: Values::Numbers(x) }));
        columns.push(Named { name: "direction", values: Values::Text(Box::new(direction)) });
        columns.push(Named { name: "leading", values: Values::Text(Box::new(leading)) });
        write_columns(&columns, groups.len(), format, out)
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
