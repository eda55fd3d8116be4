//! `cart`: a classification tree, grown by Gini's index and pruned by cross-validation.

use super::grow::{GrownNode, grow};
use super::naive_bayes::not_categories;
use super::prune;
use super::sorted_columns::{FeatureValue, SortedColumns};
use crate::base::parameter::parameters;
use crate::base::{Context, Describe, Error, MethodInfo, Progress, Result};
use crate::model::Fitted;
use crate::model::faults::UNNAMED_FEATURE;
use crate::model::model_columns::{columns, numbers};
use crate::model::training_classes::{TrainingClasses, bad_shares};
use crate::table::{Column, View};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// How far a tree is pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Prune {
    /// Not at all: leaves are pure or cannot be split further.
    None,
    /// To the least error in cross-validation; among equals the smallest tree.
    #[default]
    Min,
    /// To the smallest tree whose error is within one standard error of the least.
    OneSe,
}

parameters! {
    /// A classification tree, grown by the Gini index and pruned by cross-validation.
    ///
    /// A node is split where Σ_c n_c²/n, summed over both sides, is largest. A number is split half-way between two of its
    /// values. Categories are split by their share of the second class if there are two classes, and one against the rest
    /// otherwise. The feature's name breaks ties. A row with a missing value, or with a category that the node has not
    /// seen, follows the majority of the training rows.
    ///
    /// The tree is pruned by cost complexity. Its strength is chosen by cross-validation on stratified folds, which depend
    /// on the seed and on the contents of the rows, but not on their order or on the units of the columns, and which keep
    /// groups of rows together. Where all rows are of one group the tree is not pruned.
    ///
    /// Cost: one sort per feature, then rows × features for every level of the tree; again for every fold.
    ///
    /// Errors: [`Error::Parameter`] for a number of folds out of range; [`Error::Data`] for a numeric target.
    ///
    /// Reference: Breiman, Friedman, Olshen & Stone, *Classification and Regression Trees*, 1984.
    ///
    /// ```
    /// use tamis::{Context, Method, classify::Cart, simulate::TwoGaussians};
    ///
    /// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
    /// let model = Method::from(Cart::default()).fit(&drawn.table.view(), &mut Context::default())?;
    /// let predictions = model.predict(&drawn.table.view())?;
    /// assert_eq!(predictions.probabilities[0].len(), 100);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Cart {
        prune: Prune = Prune::Min, "min, one-se, none",
            "prune the tree to the least cross-validation error, to within one standard error of it, or not at all";
        folds: usize = 10, "2…100", "number of folds of that cross-validation";
    }
}

/// A trained [`Cart`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FittedCart {
    /// Each class's share of the training rows.
    pub shares: Vec<f64>,
    /// The features that the tree asks for.
    pub features: Vec<TreeFeature>,
    /// The nodes; the first is the root, children come after their parents.
    pub nodes: Vec<Node>,
    /// The cost per leaf at which the tree was pruned, if it was.
    pub strength: Option<f64>,
}

/// A feature of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TreeFeature {
    /// Its name.
    pub name: String,
    /// The categories that splits name; absent for numbers.
    pub labels: Option<Vec<String>>,
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Node {
    /// Each class's share of the training rows that came here.
    pub shares: Vec<f64>,
    /// Where rows go from here; a leaf has none.
    pub split: Option<Split>,
}

/// A question, and where the answers lead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Split {
    /// The feature asked for, by position.
    pub feature: usize,
    /// The rule that splits the rows.
    pub rule: Rule,
    /// Whether rows that the rule cannot decide go left.
    pub otherwise_left: bool,
    /// The node for *yes*.
    pub left: usize,
    /// The node for *no*.
    pub right: usize,
}

/// A rule that splits rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Whether the number is at most this.
    AtMost(f64),
    /// Whether the category is among the first or among the second, by position, ascending.
    Among(Vec<u32>, Vec<u32>),
}

impl Split {
    /// Whether a row with this value goes left.
    pub(super) fn goes_left(&self, answer: FeatureValue) -> bool {
        match (&self.rule, answer) {
            (Rule::AtMost(limit), FeatureValue::Number(x)) => x <= *limit,
            (Rule::Among(left, right), FeatureValue::Category(c)) => {
                left.binary_search(&c).is_ok() || (self.otherwise_left && right.binary_search(&c).is_err())
            }
            _ => self.otherwise_left,
        }
    }
}

impl Describe for Cart {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "cart",
            summary: "a classifier: a tree, pruned by cross-validation",
            number_by: "",
            cost: "rows × features × depth, for the tree and again for every fold",
            reference: "Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984",
            parameters: Cart::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if (2..=100).contains(&self.folds) {
            return Ok(());
        }
        Err(Error::parameter("folds", self.folds, "it takes 2…100"))
    }
}

classifier!(Cart, FittedCart);

impl Cart {
    pub(super) fn train(&self, data: &View, context: &mut Context) -> Result<FittedCart> {
        self.validate()?;
        let classes = TrainingClasses::of(data)?;
        context.step("sorting", 0, 0)?;
        let sorted = SortedColumns::new(data, &classes);
        context.step("growing", 0, 0)?;
        let mut nodes = grow(&sorted, &sorted.rows);
        let mut strength = None;
        if self.prune != Prune::None && nodes.len() > 1 {
            let costs = prune::costs(&nodes);
            let chosen = prune::choose(&sorted, &nodes, &costs, (self, context.seed), context)?;
            nodes = prune::cut(&nodes, &costs, chosen);
            strength = Some(chosen);
        }
        Ok(finish(data, classes.shares, nodes, strength))
    }
}

/// A tree by the table's columns and codes as one by names.
fn finish(data: &View, shares: Vec<f64>, grown: Vec<GrownNode>, strength: Option<f64>) -> FittedCart {
    let mut features: Vec<TreeFeature> = Vec::new();
    let mut place: HashMap<usize, usize> = HashMap::new();
    let mut labels: HashMap<usize, Vec<u32>> = HashMap::new();
    for split in grown.iter().filter_map(|node| node.node.split.as_ref()) {
        if let Rule::Among(left, right) = &split.rule {
            labels.entry(split.feature).or_default().extend(left.iter().chain(right));
        }
    }
    labels.values_mut().for_each(|codes| {
        codes.sort_unstable();
        codes.dedup();
    });
    let mut nodes: Vec<Node> = grown.into_iter().map(|node| node.node).collect();
    for split in nodes.iter_mut().filter_map(|node| node.split.as_mut()) {
        let at = split.feature;
        let known = labels.get(&at);
        split.feature = *place.entry(at).or_insert_with(|| {
            let labels = match (&*data.column(at), known) {
                (Column::Categories(c), Some(codes)) => {
                    Some(codes.iter().map(|&code| c.labels()[code as usize].clone()).collect())
                }
                _ => None,
            };
            features.push(TreeFeature { name: data.names()[at].clone(), labels });
            features.len() - 1
        });
        if let (Rule::Among(left, right), Some(known)) = (&mut split.rule, known) {
            // both ascend, so that positions do too
            for code in left.iter_mut().chain(right) {
                *code = known.binary_search(code).unwrap_or(0) as u32;
            }
        }
    }
    FittedCart { shares, features, nodes, strength }
}

impl Fitted for FittedCart {
    fn column_names(&self) -> Vec<&str> {
        self.features.iter().map(|f| f.name.as_str()).collect()
    }

    fn probabilities(&self, data: &View) -> Result<Vec<Vec<f64>>> {
        let found = columns(data, self.column_names())?;
        // for a feature of categories: what the table's codes are in the tree
        let mut codes: Vec<Vec<Option<u32>>> = Vec::with_capacity(found.len());
        for (feature, column) in self.features.iter().zip(&found) {
            codes.push(match (&feature.labels, &**column) {
                (None, column) => numbers(column, &feature.name).map(|_| vec![])?,
                (Some(labels), Column::Categories(c)) => {
                    let places: HashMap<&str, u32> = labels.iter().map(String::as_str).zip(0..).collect();
                    c.labels().iter().map(|label| places.get(label.as_str()).copied()).collect()
                }
                (Some(_), Column::Numbers(_)) => return Err(not_categories(&feature.name)),
            });
        }
        let answer = |feature: usize, row: usize| match &*found[feature] {
            Column::Numbers(values) if values[row].is_nan() => FeatureValue::Missing,
            Column::Numbers(values) => FeatureValue::Number(values[row]),
            Column::Categories(c) => codes[feature]
                .get(c.codes()[row] as usize)
                .copied()
                .flatten()
                .map_or(FeatureValue::Missing, FeatureValue::Category),
        };
        let mut probabilities = vec![Vec::with_capacity(data.rows().len()); self.shares.len()];
        for &row in data.rows() {
            let mut node = &self.nodes[0];
            while let Some(split) = &node.split {
                let left = split.goes_left(answer(split.feature, row as usize));
                node = &self.nodes[if left { split.left } else { split.right }];
            }
            probabilities.iter_mut().zip(&node.shares).for_each(|(p, s)| p.push(*s));
        }
        Ok(probabilities)
    }

    fn fault(&self, classes: usize) -> Option<&'static str> {
        if let Some(fault) = bad_shares(&self.shares, classes) {
            return Some(fault);
        }
        if self.nodes.is_empty() {
            return Some("its tree has no root");
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let sum: f64 = node.shares.iter().sum();
            let shares = node.shares.iter().all(|s| (0.0..=1.0).contains(s)) && (sum - 1.0).abs() < 1e-9;
            if node.shares.len() != classes || !shares {
                return Some("a node of its tree has no shares");
            }
            let Some(split) = &node.split else { continue };
            let ahead = |child: usize| child > at && child < self.nodes.len();
            if !ahead(split.left) || !ahead(split.right) {
                return Some("a node of its tree leads nowhere");
            }
            let Some(feature) = self.features.get(split.feature) else {
                return Some(UNNAMED_FEATURE);
            };
            let ascending = |codes: &[u32]| codes.windows(2).all(|w| w[0] < w[1]);
            let fits = match (&split.rule, &feature.labels) {
                (Rule::AtMost(limit), None) => limit.is_finite(),
                (Rule::Among(left, right), Some(_)) => ascending(left) && ascending(right),
                _ => false,
            };
            if !fits {
                return Some("a node of its tree has a rule that does not suit its feature");
            }
        }
        None
    }
}
