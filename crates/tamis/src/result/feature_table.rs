//! Everything that is known about every feature, as columns: what files, data frames, screens and plots are made of.

use super::column_values::{Cell, ColumnValues};
use crate::score::FeatureSummary;
use crate::selection::detail::RelationKind;
use crate::selection::{Detail, NeededFeatures, SecondLook, Selection};
use std::borrow::Cow;
use std::sync::Arc;

/// The features in input order: names, ranks, decisions, and a column for everything else that is known.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct FeatureTable {
    /// The features' names.
    pub names: Arc<[String]>,
    /// 1 for the best.
    pub ranks: Vec<u32>,
    /// Which are selected.
    pub selected: Vec<bool>,
    /// The columns of the input that each feature stands for, where it is not one itself: one-hot columns. Empty where
    /// every feature is one.
    pub(super) members: Vec<Vec<String>>,
    /// What result files hold of each feature.
    pub(super) columns: Vec<FeatureColumn>,
    /// What they hold in the detail.
    pub(super) of_detail: Vec<FeatureColumn>,
}

/// A column of the table of features.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FeatureColumn {
    /// Its name in files.
    pub name: Cow<'static, str>,
    /// One value a feature.
    pub values: ColumnValues,
}

/// What the names of columns of means begin with, before the class.
pub(super) const MEAN: &str = "mean_";

impl FeatureTable {
    /// The table of a selection, its columns in the order of tables in files.
    pub(super) fn of(selection: &Selection) -> FeatureTable {
        let summaries = selection.summaries.as_ref();
        let summary = |value: &dyn Fn(&FeatureSummary) -> f64| {
            summaries.map(|all| ColumnValues::known(all.features.iter().map(value)))
        };
        let numbers = |values: &Option<Vec<f64>>| values.as_ref().map(|x| ColumnValues::known(x.iter().copied()));
        let [low, high] = selection.shrunken_differences_95.clone().map_or([None, None], |ends| ends.map(Some));
        let [p_value, kind, partner] = relations(selection);
        let rows = summaries.map(|all| ColumnValues::Counts(all.features.iter().map(|f| Some(f.rows)).collect()));
        let stands_out = summaries.map(|all| {
            let name = |f: &FeatureSummary| f.stands_out.map(|class| all.classes[class as usize].clone());
            ColumnValues::Texts(all.features.iter().map(name).collect())
        });
        let mut table = FeatureTable {
            names: selection.names.clone(),
            ranks: selection.ranks.clone(),
            selected: selection.mask(),
            ..FeatureTable::default()
        };
        table.add("n", rows);
        let mut classes: Vec<(usize, &String)> =
            summaries.iter().flat_map(|all| all.classes.iter().enumerate()).collect();
        classes.sort_by_key(|(_, class)| *class);
        for (at, class) in classes {
            table.add(format!("{MEAN}{class}"), summary(&|f| f.means.get(at).copied().unwrap_or(f64::NAN)));
        }
        table.add("stands_out", stands_out);
        table.add("score", Some(ColumnValues::known(selection.scores.iter().copied())));
        table.add("statistic", summary(&|f| f.statistic));
        table.add("df", summary(&|f| f.df));
        table.add("p_value", p_value.or_else(|| summary(&|f| f.p_value)));
        table.add("difference", summary(&|f| f.difference));
        table.add("difference_low", summary(&|f| f.low));
        table.add("difference_high", summary(&|f| f.high));
        table.add("shrunken_difference", numbers(&selection.shrunken_differences));
        table.add("shrunken_difference_low", numbers(&low));
        table.add("shrunken_difference_high", numbers(&high));
        table.add("effect", numbers(&selection.effects));
        table.add("lfsr", numbers(&selection.sign_errors));
        table.add("probability", numbers(&selection.probabilities));
        table.add("q_value", numbers(&selection.q_values));
        table.add("cluster", selection.clusters.as_ref().map(|clusters| cluster_numbers(clusters, table.len())));
        table.add("kind", kind);
        table.add("partner", partner);
        if let Some(needed) = &selection.needed {
            let [set, probability, lead] = set_columns(needed, table.len());
            let inclusion = ColumnValues::known(needed.inclusion_probabilities.iter().copied());
            table.add("inclusion_probability", Some(inclusion));
            table.add("set", Some(set));
            table.add("set_probability", Some(probability));
            table.add("lead", Some(lead));
        }
        table.with_detail(&selection.detail)
    }

    /// Adds a column, if it has any value.
    pub(super) fn add(&mut self, name: impl Into<Cow<'static, str>>, values: Option<ColumnValues>) {
        let known = values.filter(ColumnValues::any);
        self.columns.extend(known.map(|values| FeatureColumn { name: name.into(), values }));
    }

    /// The table with the columns that its detail holds.
    pub(super) fn with_detail(mut self, detail: &Detail) -> FeatureTable {
        let mut add = |name: &'static str, values: Vec<Option<f64>>| {
            let known = Some(ColumnValues::Numbers(values)).filter(ColumnValues::any);
            self.of_detail.extend(known.map(|values| FeatureColumn { name: name.into(), values }));
        };
        if let Some(npfs) = &detail.npfs {
            let columns = [&npfs.frequency, &npfs.explained, &npfs.p_values, &npfs.adjusted];
            for (name, values) in ["frequency", "explained", "p", "adjusted"].into_iter().zip(columns) {
                add(name, values.iter().copied().map(Some).collect());
            }
        }
        if let Some(pairs) = &detail.pairs {
            add("gain", pairs.gains.clone());
        }
        if let Some(steps) = &detail.steps {
            let mut p = vec![None; self.ranks.len()];
            steps.features.iter().zip(&steps.p_values).for_each(|(&feature, step)| p[feature as usize] = *step);
            add("p_value", p);
        }
        self
    }

    /// How many features there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The columns beside rank, name and decision, in the order of tables in files; each has a value.
    pub fn columns(&self) -> impl Iterator<Item = &FeatureColumn> {
        self.columns.iter().chain(&self.of_detail)
    }

    /// The values of a column, if any feature has one.
    pub fn column(&self, name: &str) -> Option<&ColumnValues> {
        self.columns().find(|column| column.name == name).map(|column| &column.values)
    }

    /// Puts a column in the place of the one of this name, or at the end.
    pub fn put(&mut self, name: impl Into<Cow<'static, str>>, values: ColumnValues) {
        let name = name.into();
        match self.columns.iter_mut().find(|column| column.name == name) {
            Some(column) => column.values = values,
            None => self.columns.push(FeatureColumn { name, values }),
        }
    }

    /// The value of a feature in a column, if it has one.
    pub fn cell(&self, name: &str, feature: usize) -> Option<Cell<'_>> {
        self.column(name)?.cell(feature, &self.names)
    }

    /// The number of a feature in a column of numbers, if it has one.
    pub fn number(&self, name: &str, feature: usize) -> Option<f64> {
        match self.column(name)? {
            ColumnValues::Numbers(values) => values[feature],
            _ => None,
        }
    }

    /// The words of every feature in a column of words or of other features, empty where it has none.
    pub fn texts<'a>(&'a self, values: &'a ColumnValues) -> impl Iterator<Item = &'a str> {
        (0..self.len()).map(move |feature| match values.cell(feature, &self.names) {
            Some(Cell::Text(text)) => text,
            _ => "",
        })
    }

    /// The features' positions, the best first.
    pub fn by_rank(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&feature| self.ranks[feature]);
        order
    }
}

/// p-value, kind and partner of every feature, of a method that looks for relations; features without a score have no
/// p-value.
fn relations(selection: &Selection) -> [Option<ColumnValues>; 3] {
    let scored = |p: &[f64]| {
        let p = p.iter().zip(&selection.scores).map(|(p, score)| if score.is_nan() { f64::NAN } else { *p });
        Some(ColumnValues::known(p))
    };
    let partners = |partners: &[Option<u32>]| Some(ColumnValues::Features(partners.to_vec()));
    match (&selection.detail.pairs, &selection.detail.dependence) {
        (Some(found), _) => [scored(&found.p_values), None, partners(&found.partners)],
        (None, Some(found)) => {
            let name = |kind: &Option<RelationKind>| kind.map(|kind| kind.name().to_string());
            let kinds = ColumnValues::Texts(found.kinds.iter().map(name).collect());
            [scored(&found.p_values), Some(kinds), partners(&found.partners)]
        }
        (None, None) => match &selection.second_look {
            Some(look) => {
                let [kinds, partners] = second_look_columns(look, selection.names.len());
                [None, Some(kinds), Some(partners)]
            }
            None => [None, None, None],
        },
    }
}

/// Kind and partner of the features that a second look found.
fn second_look_columns(look: &SecondLook, features: usize) -> [ColumnValues; 2] {
    let (mut kinds, mut partners) = (vec![None; features], vec![None; features]);
    for (kind, found) in [(RelationKind::Shape, &look.shape), (RelationKind::Together, &look.together)] {
        found.iter().for_each(|&feature| kinds[feature as usize] = Some(kind.name().to_string()));
    }
    look.together.iter().zip(&look.partners).for_each(|(&feature, &other)| partners[feature as usize] = Some(other));
    [ColumnValues::Texts(kinds), ColumnValues::Features(partners)]
}

/// Number, probability and lead of the finding that each feature belongs to.
fn set_columns(needed: &NeededFeatures, features: usize) -> [ColumnValues; 3] {
    let (mut sets, mut probabilities, mut leads) = (vec![None; features], vec![None; features], vec![None; features]);
    for (number, finding) in (1..).zip(&needed.findings) {
        for &member in &finding.members {
            sets[member as usize] = Some(number);
            probabilities[member as usize] = Some(finding.probability);
            leads[member as usize] = Some(finding.lead());
        }
    }
    [ColumnValues::Counts(sets), ColumnValues::Numbers(probabilities), ColumnValues::Features(leads)]
}

/// The number of each feature's cluster, from 1.
fn cluster_numbers(clusters: &[Vec<u32>], features: usize) -> ColumnValues {
    let mut numbers = vec![None; features];
    for (number, cluster) in (1..).zip(clusters) {
        cluster.iter().for_each(|&feature| numbers[feature as usize] = Some(number));
    }
    ColumnValues::Counts(numbers)
}
