//! Everything that is known about every feature, as columns: for files and frames.

use super::{ColumnValues, Feature, SelectionResult};
use crate::table::write::number_text;
use std::collections::BTreeSet;

/// A column of the whole table of features, in input order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FeatureColumn {
    /// Its name in files.
    pub name: String,
    /// One value a feature.
    pub values: FeatureValues,
}

/// Values of a [`FeatureColumn`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FeatureValues {
    /// Numbers; `None` where there is none.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Counts(Vec<Option<u64>>),
    /// Texts; empty where there is none.
    Texts(Vec<String>),
    /// Truth values.
    Flags(Vec<bool>),
}

/// Columns that are the same for every method, in their order.
type Value = fn(&Feature) -> Option<f64>;
const COLUMNS: [(&str, Value); 14] = [
    ("score", |f| f.score),
    ("statistic", |f| f.statistic),
    ("df", |f| f.df),
    ("p_value", |f| f.p_value),
    ("difference", |f| f.difference),
    ("difference_low", |f| f.difference_low),
    ("difference_high", |f| f.difference_high),
    ("shrunken_difference", |f| f.shrunken_difference),
    ("shrunken_difference_low", |f| f.shrunken_difference_low),
    ("shrunken_difference_high", |f| f.shrunken_difference_high),
    ("effect", |f| f.effect),
    ("lfsr", |f| f.lfsr),
    ("probability", |f| f.probability),
    ("q_value", |f| f.q_value),
];

impl SelectionResult {
    /// Of two classes the one in which a feature is higher, by the sign of its difference.
    pub fn higher_in(&self, feature: usize) -> Option<&str> {
        let difference = self.features[feature].difference.filter(|difference| *difference != 0.0)?;
        let (positive, classes) = (self.input.positive.as_ref()?, self.input.classes.as_ref()?);
        match difference > 0.0 {
            true => Some(positive),
            false => classes.keys().find(|class| *class != positive).map(String::as_str),
        }
    }

    /// The whole table of features: rank, name, whether it is selected, then everything there is. A column without any
    /// value is left out.
    pub fn feature_table(&self) -> Vec<FeatureColumn> {
        let numbers =
            |value: &dyn Fn(&Feature) -> Option<f64>| FeatureValues::Numbers(self.features.iter().map(value).collect());
        let counts = |value: &dyn Fn(&Feature) -> Option<u32>| {
            FeatureValues::Counts(self.features.iter().map(|f| value(f).map(u64::from)).collect())
        };
        let texts =
            |value: &dyn Fn(&Feature) -> String| FeatureValues::Texts(self.features.iter().map(value).collect());
        let mut columns: Vec<(String, FeatureValues)> = vec![
            ("rank".into(), counts(&|f| Some(f.rank))),
            ("name".into(), texts(&|f| f.name.clone())),
            ("selected".into(), FeatureValues::Flags(self.features.iter().map(|f| f.selected).collect())),
            ("n".into(), counts(&|f| f.n)),
        ];
        let classes: BTreeSet<&String> = self.features.iter().flat_map(|f| f.mean.keys()).collect();
        columns.extend(
            classes.into_iter().map(|class| (format!("mean_{class}"), numbers(&|f| f.mean.get(class).copied()))),
        );
        columns.push(("stands_out".into(), texts(&|f| f.stands_out.clone().unwrap_or_default())));
        columns.extend(COLUMNS.iter().map(|(name, value)| (name.to_string(), numbers(value))));
        columns.push(("cluster".into(), counts(&|f| f.cluster)));
        columns.push(("kind".into(), texts(&|f| f.kind.map_or_else(String::new, |kind| kind.name().into()))));
        columns.push(("partner".into(), texts(&|f| f.partner.clone().unwrap_or_default())));
        for column in self.columns() {
            if columns.iter().any(|(name, values)| name == column.key && values.any()) {
                continue;
            }
            columns.retain(|(name, _)| name != column.key);
            let values = match column.values {
                ColumnValues::Numbers(numbers) => FeatureValues::Numbers(numbers),
                ColumnValues::Words(words) => {
                    FeatureValues::Texts(words.iter().map(|word| word.unwrap_or_default().into()).collect())
                }
                ColumnValues::Features(others) => {
                    let name = |other: &Option<u32>| other.map(|at| self.features[at as usize].name.clone());
                    FeatureValues::Texts(others.iter().map(|other| name(other).unwrap_or_default()).collect())
                }
            };
            columns.push((column.key.into(), values));
        }
        let known = columns.into_iter().filter(|(_, values)| values.any());
        known.map(|(name, values)| FeatureColumn { name, values }).collect()
    }
}

impl FeatureValues {
    /// Whether there is any value.
    fn any(&self) -> bool {
        match self {
            FeatureValues::Numbers(values) => values.iter().any(Option::is_some),
            FeatureValues::Counts(values) => values.iter().any(Option::is_some),
            FeatureValues::Texts(values) => values.iter().any(|text| !text.is_empty()),
            FeatureValues::Flags(_) => true,
        }
    }

    /// The text of a value; empty where there is none.
    pub fn text(&self, at: usize) -> String {
        match self {
            FeatureValues::Numbers(values) => values[at].map_or_else(String::new, number_text),
            FeatureValues::Counts(values) => values[at].map_or_else(String::new, |x| x.to_string()),
            FeatureValues::Texts(values) => values[at].clone(),
            FeatureValues::Flags(values) => values[at].to_string(),
        }
    }
}
