//! A feature's values: numbers or categories.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, counted, text};
use crate::table::caller_checks::first_repeated;
use std::collections::HashMap;

/// One value per row.
///
/// ```
/// use tamis::prelude::*;
///
/// let numbers = Column::from(vec![0.5, f64::NAN]);
/// let stages = Column::from(Categories::of([Some("early"), None]));
/// assert!(numbers.is_missing(1) && stages.is_missing(1));
/// assert_eq!((numbers.text(0).as_str(), stages.text(0).as_str()), ("0.5", "early"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Categories without an order.
    Categories(Categories),
}

/// Categories: names in sorted order, and a code per row.
///
/// ```
/// use tamis::prelude::*;
///
/// let stages = Categories::of([Some("late"), Some("early"), None]);
/// assert_eq!(stages.labels(), ["early", "late"]);
/// assert_eq!((stages.get(0), stages.get(2)), (Some("late"), None));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Categories {
    labels: Vec<String>,
    codes: Vec<u32>,
}

impl Column {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Numbers(values) => values.len(),
            Column::Categories(c) => c.codes.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers, if it is numeric.
    pub fn numbers(&self) -> Option<&[f64]> {
        match self {
            Column::Numbers(values) => Some(values),
            Column::Categories(_) => None,
        }
    }

    /// A row's value as text, as it is written to a file; empty if missing.
    pub fn text(&self, row: usize) -> String {
        match self {
            Column::Numbers(values) if values[row].is_nan() => String::new(),
            Column::Numbers(values) => values[row].to_string(),
            Column::Categories(c) => c.text(row).to_string(),
        }
    }

    /// Whether a row's value is missing.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Column::Numbers(values) => values[row].is_nan(),
            Column::Categories(c) => c.codes[row] == MISSING,
        }
    }
}

impl From<Vec<f64>> for Column {
    fn from(values: Vec<f64>) -> Self {
        Column::Numbers(values)
    }
}

impl From<Categories> for Column {
    fn from(categories: Categories) -> Self {
        Column::Categories(categories)
    }
}

impl Categories {
    /// Categories from one text per row; `None` is missing.
    pub fn of<S: AsRef<str>>(rows: impl IntoIterator<Item = Option<S>>) -> Categories {
        let mut dictionary = Dictionary::default();
        for row in rows {
            dictionary.push(row.as_ref().map(AsRef::as_ref));
        }
        dictionary.into_categories()
    }

    /// Categories from their names and one code per row, [`MISSING`] where a row has none. Names that are not sorted are
    /// sorted, and the codes with them.
    ///
    /// # Errors
    ///
    /// A code that no name belongs to, and a name that stands twice.
    pub fn new(labels: Vec<String>, codes: Vec<u32>) -> Result<Categories> {
        check_codes(&labels, &codes, "category", &Place::default())?;
        Ok(Categories::sorted(labels, codes))
    }

    /// The labels sorted, the codes with them.
    fn sorted(labels: Vec<String>, codes: Vec<u32>) -> Categories {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by(|&a, &b| labels[a].cmp(&labels[b]));
        let mut new_code = vec![0; order.len()];
        for (code, &at) in order.iter().enumerate() {
            new_code[at] = code as u32;
        }
        let codes = codes.into_iter().map(|c| if c == MISSING { MISSING } else { new_code[c as usize] }).collect();
        Categories { labels: order.iter().map(|&at| labels[at].clone()).collect(), codes }
    }

    /// The same categories for other rows, by code.
    pub(super) fn recoded(&self, codes: Vec<u32>) -> Categories {
        Categories { labels: self.labels.clone(), codes }
    }

    /// The categories' names, sorted.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Each row's category, or [`MISSING`].
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The category of a row; `None` if missing.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.labels.get(self.codes[row] as usize).map(String::as_str)
    }

    /// The text of a row; empty if missing.
    pub fn text(&self, row: usize) -> &str {
        self.get(row).unwrap_or_default()
    }
}

/// Distinct texts with codes, in order of first appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    pub(crate) labels: Vec<String>,
    index: HashMap<String, u32>,
    pub(crate) codes: Vec<u32>,
}

impl Dictionary {
    /// One more row; returns its code.
    pub(super) fn push(&mut self, cell: Option<&str>) -> u32 {
        let code = match cell {
            None => MISSING,
            Some(text) => match self.find(text) {
                Some(code) => code,
                None => {
                    let code = self.labels.len() as u32;
                    self.index.insert(text.into(), code);
                    self.labels.push(text.into());
                    code
                }
            },
        };
        self.codes.push(code);
        code
    }

    /// The code of a text that has come before.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        const FEW: usize = 8; // so few are compared faster than hashed
        if self.labels.len() <= FEW {
            return self.labels.iter().position(|label| label == text).map(|at| at as u32);
        }
        self.index.get(text).copied()
    }

    /// Replaces texts that mean *missing* by missing values.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub(super) fn without(mut self, is_missing: impl Fn(&str) -> bool) -> Dictionary {
        if self.labels.iter().any(|label| is_missing(label)) {
            let old = std::mem::take(&mut self);
            for code in old.codes {
                self.push(old.labels.get(code as usize).map(String::as_str).filter(|label| !is_missing(label)));
            }
        }
        self
    }

    /// The labels sorted, the codes with them.
    pub(super) fn into_categories(self) -> Categories {
        Categories::sorted(self.labels, self.codes)
    }
}

/// Larger numbers are refused: sums of them, and of their differences, might not be numbers any more.
const LARGEST: f64 = 1e300;
/// The largest whose squares can be summed.
const LARGEST_TO_SQUARE: f64 = 1e100;

/// Whether none of the numbers is infinite or too large.
pub(super) fn all_finite(numbers: &[f64]) -> bool {
    numbers.iter().fold(true, |finite, x| finite & !is_too_large(*x)) // no early end: this way it is vectorised
}

/// Whether arithmetic cannot hold this number. A missing value is none.
pub(crate) fn is_too_large(x: f64) -> bool {
    x.abs() > LARGEST
}

/// Whether sums of squares cannot hold a number: those of covariates, which are not brought near one before.
pub(crate) fn is_too_large_to_square(x: f64) -> bool {
    x.abs() > LARGEST_TO_SQUARE
}

/// The error of a number that arithmetic cannot hold; `what` begins the sentence.
pub(crate) fn too_large(what: &str, x: f64, place: Place, remedy: &'static str) -> Error {
    Error::data(place, format!("{what} {}", too_large_words(x)), remedy)
}

/// The reason why a number is refused, as the rest of a sentence that begins with it.
pub(crate) fn too_large_words(x: f64) -> &'static str {
    match x.abs() {
        x if x.is_infinite() => "is infinite",
        x if x > LARGEST => "is beyond 1e300, more than sums can hold",
        _ => "is beyond 1e100, more than sums of squares can hold",
    }
}

/// The code of a row without a target.
pub const MISSING: u32 = u32::MAX;

/// Refuses codes that no label belongs to, and labels that stand twice; `noun` is what a label names.
pub(super) fn check_codes(labels: &[String], codes: &[u32], noun: &str, place: &Place) -> Result<()> {
    if let Some(label) = first_repeated(labels) {
        let problem = format!("`{label}` is the name of more than one {noun}");
        return Err(Error::data(place.clone(), problem, "give every name once"));
    }
    let wrong = |code: u32| code != MISSING && code as usize >= labels.len();
    match codes.iter().position(|&code| wrong(code)) {
        None => Ok(()),
        Some(row) => {
            let problem = format!(
                "the code {} is not that of any of {} (the first is 0)",
                codes[row],
                counted(labels.len(), "name")
            );
            let remedy = format!("give each row the number of its {noun}, or `MISSING`");
            Err(Error::data(place.clone().at_row(row as u64 + 1), problem, remedy))
        }
    }
}

/// Refuses a missing value.
pub(crate) fn check_complete(column: &Column, name: &str, place: &Place, before: u64) -> Result<()> {
    match (0..column.len()).find(|&row| column.is_missing(row)) {
        None => Ok(()),
        Some(row) => Err(missing_value(name, place, before + row as u64 + 1)),
    }
}

/// The error of a missing value where none may be missing; rows count from 1.
pub(crate) fn missing_value(name: &str, place: &Place, row: u64) -> Error {
    let remedy = text!["fill it in, or leave out ", OptionName::RefuseMissing];
    Error::data(place.clone().at_row(row).at_column(name), "the value is missing", remedy)
}
