//! The values of a column of the table of features.

use serde::Serialize;

/// One value a feature; `None` where there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ColumnValues {
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Counts(Vec<Option<u32>>),
    /// Words.
    Texts(Vec<Option<String>>),
    /// Other features, by position.
    Features(Vec<Option<u32>>),
}

/// The value of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell<'a> {
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u32),
    /// A word, or the name of another feature.
    Text(&'a str),
}

impl ColumnValues {
    /// Numbers of which NaN is none.
    pub(super) fn known(numbers: impl Iterator<Item = f64>) -> ColumnValues {
        ColumnValues::Numbers(numbers.map(|x| (!x.is_nan()).then_some(x)).collect())
    }

    /// Whether there is any value.
    pub(super) fn any(&self) -> bool {
        match self {
            ColumnValues::Numbers(values) => values.iter().any(Option::is_some),
            ColumnValues::Counts(values) | ColumnValues::Features(values) => values.iter().any(Option::is_some),
            ColumnValues::Texts(values) => values.iter().any(Option::is_some),
        }
    }

    /// The value of a feature, if it has one; `names` are those of the features.
    pub fn cell<'a>(&'a self, feature: usize, names: &'a [String]) -> Option<Cell<'a>> {
        match self {
            ColumnValues::Numbers(values) => values[feature].map(Cell::Number),
            ColumnValues::Counts(values) => values[feature].map(Cell::Count),
            ColumnValues::Texts(values) => values[feature].as_deref().map(Cell::Text),
            ColumnValues::Features(values) => values[feature].map(|other| Cell::Text(&names[other as usize])),
        }
    }
}
