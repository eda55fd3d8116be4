//! The target: classes or numeric.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, Text, text};
use crate::table::check::{check_codes, check_length};
use crate::table::column::{Categories, Dictionary};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The code of a row without a target.
pub const MISSING: u32 = u32::MAX;

/// A column of whole numbers with at most this many values is taken as classes.
pub(crate) const MOST_INTEGER_CLASSES: usize = 20;
/// A column of text may have this many classes.
pub(crate) const MOST_TEXT_CLASSES: usize = 1000;

/// The target of every row.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Two or more classes, made by [`Target::classes`], [`Target::of_codes`] or [`Target::of_numbers`].
    #[non_exhaustive]
    Classes {
        /// The classes' names, in sorted order (as numbers if they are).
        labels: Vec<String>,
        /// Each row's class, or [`MISSING`].
        codes: Vec<u32>,
        /// The class that counts as positive when there are two.
        positive: u32,
    },
    /// A number per row; NaN is missing.
    Real {
        /// The numbers.
        values: Vec<f64>,
    },
}

/// Whether a target is classes or numeric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Classes, whatever they look like.
    Classes,
    /// A number.
    Real,
}

impl Target {
    /// Classes from one label per row; `None` is missing.
    pub fn classes<S: AsRef<str>>(rows: &[Option<S>]) -> Target {
        let mut gathered = Labels::default();
        for row in rows {
            gathered.push(row.as_ref().map(AsRef::as_ref));
        }
        gathered.classes()
    }

    /// Classes from their names and one code per row, [`MISSING`] where a row has none; `positive` is the class that
    /// counts as positive when there are two.
    ///
    /// # Errors
    ///
    /// A code or a positive class beyond the names, and a name that stands twice.
    pub fn of_codes(labels: Vec<String>, codes: Vec<u32>, positive: u32) -> Result<Target> {
        let target = Target::Classes { labels, codes, positive };
        target.check_codes(&Place::default())?;
        Ok(target)
    }

    /// Refuses codes and a positive class that no name belongs to.
    pub(super) fn check_codes(&self, place: &Place) -> Result<()> {
        let Target::Classes { labels, codes, positive } = self else { return Ok(()) };
        check_codes(labels, codes, "class", place)?;
        if *positive as usize >= labels.len().max(1) {
            let expected = format!("classes are numbered from 0, and there are {}", labels.len());
            return Err(Error::parameter(OptionName::Positive, positive, expected));
        }
        Ok(())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Target::Classes { codes, .. } => codes.len(),
            Target::Real { values } => values.len(),
        }
    }

    /// Whether there is no row at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of classes; `None` for a numeric target.
    pub fn n_classes(&self) -> Option<usize> {
        match self {
            Target::Classes { labels, .. } => Some(labels.len()),
            Target::Real { .. } => None,
        }
    }

    /// The positive class of two.
    pub fn positive(&self) -> usize {
        match self {
            Target::Classes { positive, .. } => *positive as usize,
            Target::Real { .. } => 0,
        }
    }

    /// Makes `label` the positive class; only two classes have one.
    pub fn with_positive(mut self, label: &str) -> Result<Target> {
        match &mut self {
            Target::Classes { labels, positive, .. } if labels.len() == 2 => {
                let at = labels.iter().position(|l| l == label).ok_or_else(|| Error::Unknown {
                    kind: "class",
                    name: label.into(),
                    known: labels.clone(),
                })?;
                *positive = at as u32;
                Ok(self)
            }
            Target::Classes { labels, .. } => Err(Error::parameter(
                OptionName::Positive,
                label,
                format!("only a target of two classes has a positive one; this has {}", labels.len()),
            )),
            Target::Real { .. } => {
                Err(Error::parameter(OptionName::Positive, label, "the target is numeric and has no classes"))
            }
        }
    }

    /// The class of a row; `None` where it has none.
    pub fn code(&self, row: usize) -> Option<usize> {
        match self {
            Target::Classes { codes, .. } if codes[row] != MISSING => Some(codes[row] as usize),
            _ => None,
        }
    }

    /// Whether a row has a target.
    pub fn has(&self, row: usize) -> bool {
        match self {
            Target::Classes { codes, .. } => codes[row] != MISSING,
            Target::Real { values } => !values[row].is_nan(),
        }
    }

    /// The rows that have a target.
    pub fn labelled_rows(&self) -> Vec<u32> {
        (0..self.len() as u32).filter(|&r| self.has(r as usize)).collect()
    }

    /// The text of a row's target, as in the file; empty if missing.
    pub fn text(&self, row: usize) -> String {
        match self {
            Target::Classes { labels, codes, .. } => labels.get(codes[row] as usize).cloned().unwrap_or_default(),
            Target::Real { values } if values[row].is_nan() => String::new(),
            Target::Real { values } => values[row].to_string(),
        }
    }

    /// Classes or a numeric target from numbers, by the rule used for files; a row of weight 3 counts as
    /// three, one of weight 0 not at all.
    ///
    /// # Errors
    ///
    /// Weights of another length than the values, and more classes than a target may have.
    pub fn of_numbers(values: &[f64], weights: Option<&[f64]>, task: Option<Task>) -> Result<Target> {
        if let Some(weights) = weights {
            check_length(weights.len(), "weight", values.len())?;
        }
        let mut labels = Labels::default();
        let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
        for (row, value) in values.iter().enumerate() {
            labels.push_number(if weight(row) > 0.0 { *value } else { f64::NAN });
        }
        labels.into_weighted_target(task, weights, &Place::default()).map(|(target, _)| target)
    }

    /// Refuses a target nothing can be learned from.
    pub(crate) fn check(&self, place: &Place) -> Result<()> {
        self.check_weighted(None, place)
    }

    /// Like the unweighted form; a row of weight 2 counts as two rows.
    pub(super) fn check_weighted(&self, weights: Option<&[f64]>, place: &Place) -> Result<()> {
        let refuse = |problem: String, remedy: Text| Err(Error::data(place.clone(), problem, remedy));
        let other_target = || text!["name another column with ", OptionName::Target];
        let labelled = self.labelled_rows().len();
        if self.len() < 2 {
            return refuse(format!("there are {} rows", self.len()), "at least 2 are needed to learn anything".into());
        }
        if labelled == 0 {
            return refuse("every value of the target is missing".into(), other_target());
        }
        match self {
            Target::Real { values } => {
                if let Some(row) = values.iter().position(|v| v.is_infinite()) {
                    let place = place.clone().at_row(row as u64 + 1);
                    return Err(Error::data(place, "the target is infinite", "replace it by a number"));
                }
                let mut known = values.iter().filter(|v| !v.is_nan());
                let first = known.next();
                if known.all(|v| Some(v) == first) {
                    return refuse("the target has one value only".into(), other_target());
                }
            }
            Target::Classes { labels, codes, .. } => {
                if labels.len() < 2 {
                    let problem = format!("the target has one value only, `{}`", labels[0]);
                    return refuse(problem, other_target());
                }
                if let Some(at) = twice(codes, labels.len(), weights).iter().position(|twice| !twice) {
                    let problem = format!("class `{}` has one sample only", labels[at]);
                    let remedy = text![
                        "every class needs at least 2: drop that row or join the class with another (if the target is \
                         numeric, pass ",
                        OptionName::Task.set("real"),
                        ")"
                    ];
                    return refuse(problem, remedy);
                }
            }
        }
        Ok(())
    }
}

/// Text in a target that was declared a number.
pub(crate) fn not_a_number(text: &str, place: Place) -> Error {
    let problem = text![format!("`{text}` is not a number, which "), OptionName::Task.set("real"), " asks for"];
    Error::data(place, problem, correct_or_classes())
}

/// The remedy for text among a target's numbers.
pub(crate) fn correct_or_classes() -> Text {
    text!["correct the cell, declare it with ", OptionName::Missing, ", or pass ", OptionName::Task.set("classes")]
}

/// The remedy for a target of too many classes.
pub(crate) fn other_target_or_number() -> Text {
    text![
        "name another column with ",
        OptionName::Target,
        ", or pass ",
        OptionName::Task.set("real"),
        " if it is numeric"
    ]
}

/// Whether each class has two rows, or weighs as much as two.
fn twice(codes: &[u32], classes: usize, weights: Option<&[f64]>) -> Vec<bool> {
    let mut found = vec![(0_u64, 0.0); classes];
    for (row, &code) in codes.iter().enumerate() {
        let weight = weights.map_or(1.0, |w| w[row]);
        if code != MISSING && weight > 0.0 {
            found[code as usize].0 += 1;
            found[code as usize].1 += weight;
        }
    }
    found.into_iter().map(|(rows, weight)| rows >= 2 || weight >= 2.0).collect()
}

/// The target's cells as they are read: labels with codes, and numbers as long as they all are.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    dictionary: Dictionary,
    /// The codes of numbers by their bits, for files that have types.
    seen: HashMap<u64, u32>,
    /// The numbers that the dictionary's labels are; NaN for text.
    values: Vec<f64>,
    numbers: Vec<f64>,
    /// The first cell that is not a number: (row, text).
    text: Option<(u64, String)>,
    /// More labels than any classes have; only numbers can save this column.
    too_many: bool,
}

/// The target's cells before anything is decided.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// The texts in the order they came, unless there are too many.
    pub(crate) labels: Vec<String>,
    /// Each row's text, or [`MISSING`] if it has none or there are too many.
    pub(crate) codes: Vec<u32>,
    /// Each row's number; NaN if it is none.
    pub(crate) numbers: Vec<f64>,
    /// The first cell that is not a number: (row, text).
    pub(crate) text: Option<(u64, String)>,
    /// There are more texts than any classes have.
    pub(crate) too_many: bool,
}

/// The number that a label is, if it is one; there is one zero.
pub(crate) fn value_of(label: &str) -> Option<f64> {
    fast_float2::parse::<f64, _>(label.trim()).ok().filter(|x| !x.is_nan()).map(|x| x + 0.0)
}

/// How many classes these labels are, all of them numbers: whole numbers beyond 2⁵³ look alike as f64 and are told apart
/// by their text.
pub(crate) fn distinct_values<'a>(labels: impl Iterator<Item = &'a str>) -> usize {
    let key = |label: &'a str| match value_of(label) {
        Some(x) if x.abs() < 9e15 => (x.to_bits(), ""),
        _ => (0, label),
    };
    labels.map(key).collect::<std::collections::HashSet<_>>().len()
}

impl Labels {
    pub(crate) fn push(&mut self, cell: Option<&str>) {
        let cell = cell.map(str::trim);
        if let Some(code) = cell.and_then(|text| self.dictionary.find(text)) {
            self.again(code, self.values[code as usize]);
            return;
        }
        let number = cell.and_then(|c| fast_float2::parse(c).ok()).filter(|x: &f64| !x.is_nan());
        self.numbers.push(number.unwrap_or(f64::NAN));
        if let (Some(text), None, None) = (cell, number, &self.text) {
            self.text = Some((self.numbers.len() as u64, text.into()));
        }
        if cell.is_some() && self.dictionary.labels.len() > MOST_TEXT_CLASSES {
            self.too_many = true;
            self.dictionary.push(None);
        } else {
            self.dictionary.push(cell);
            if cell.is_some() {
                self.values.push(number.unwrap_or(f64::NAN));
            }
        }
    }

    /// One more row of a code that is known, and of that value.
    fn again(&mut self, code: u32, value: f64) {
        self.numbers.push(value);
        self.dictionary.codes.push(code);
    }

    /// The rows of a column of text.
    pub(crate) fn push_categories(&mut self, column: &Categories) {
        let mut known: Vec<Option<(u32, f64)>> = vec![None; column.labels().len()];
        for (row, &code) in column.codes().iter().enumerate() {
            match known.get(code as usize) {
                Some(Some((code, value))) => self.again(*code, *value),
                _ => {
                    self.push(column.get(row));
                    let last = self.dictionary.codes.last().zip(self.numbers.last());
                    if let (Some(known), Some((&code, &value))) = (known.get_mut(code as usize), last) {
                        *known = Some((code, value));
                    }
                }
            }
        }
    }

    /// Whether no cell has been read.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// A number from a file that has types.
    pub(crate) fn push_number(&mut self, x: f64) {
        // a number seen before needs no text, and neither does one too many
        let code = match self.seen.get(&x.to_bits()) {
            Some(&code) => Some(code),
            None if self.too_many => Some(MISSING),
            None => None,
        };
        if let Some(code) = code {
            return self.again(code, x);
        }
        self.push((!x.is_nan()).then(|| x.to_string()).as_deref());
        if let Some(&code) = self.dictionary.codes.last() {
            self.seen.insert(x.to_bits(), code);
        }
    }

    /// Recognises the target, and returns the rule in words: text is classes; so are two values, and at
    /// most 20 different whole numbers, each at least twice; other numbers are a numeric target.
    pub(crate) fn into_target(self, task: Option<Task>, place: &Place) -> Result<(Target, String)> {
        self.into_weighted_target(task, None, place)
    }

    /// Like the unweighted form; a row of weight 2 counts as two rows.
    fn into_weighted_target(
        self,
        task: Option<Task>,
        weights: Option<&[f64]>,
        place: &Place,
    ) -> Result<(Target, String)> {
        if let (Some(Task::Real), Some((row, text))) = (task, &self.text) {
            return Err(not_a_number(text, place.clone().at_row(*row)));
        }
        let must_be_classes = task == Some(Task::Classes) || self.text.is_some();
        if self.too_many && must_be_classes {
            let problem = format!("the target has more than {MOST_TEXT_CLASSES} classes");
            return Err(Error::data(place.clone(), problem, other_target_or_number()));
        }
        let classes = self.classes();
        let real = |rule: &str| (Target::Real { values: self.numbers.clone() }, rule.into());
        Ok(match task {
            Some(Task::Classes) => (classes, "classes, as requested".into()),
            Some(Task::Real) => real("numeric, as requested"),
            None if self.text.is_some() => (classes, "classes, since it is text".into()),
            None if !self.too_many && classes.n_classes() == Some(2) => {
                (classes, "two classes, since it has two values".into())
            }
            None if self.few_whole_numbers(&classes, weights) => {
                (classes, "classes, since it has few distinct whole numbers (task=real makes it numeric)".into())
            }
            None => real("numeric (task=classes makes its values classes)"),
        })
    }

    /// Whether the numbers are whole, at most 20 different ones, each at least twice.
    fn few_whole_numbers(&self, classes: &Target, weights: Option<&[f64]>) -> bool {
        let Target::Classes { labels, codes, .. } = classes else { return false };
        let whole = self.numbers.iter().filter(|x| !x.is_nan()).all(|x| x.fract() == 0.0);
        let few = !self.too_many && labels.len() <= MOST_INTEGER_CLASSES;
        whole && few && twice(codes, labels.len(), weights).into_iter().all(|twice| twice)
    }

    /// The cells, row by row.
    pub(crate) fn into_cells(self) -> Cells {
        Cells {
            labels: self.dictionary.labels,
            codes: self.dictionary.codes,
            numbers: self.numbers,
            text: self.text,
            too_many: self.too_many,
        }
    }

    /// Labels in sorted order, as numbers if they all are; labels that are the same number are one class.
    fn classes(&self) -> Target {
        let numeric = self.text.is_none();
        let value = |label: &str| value_of(label).unwrap_or(f64::NAN);
        let mut order: Vec<usize> = (0..self.dictionary.labels.len()).collect();
        if numeric {
            order.sort_by(|&a, &b| {
                value(&self.dictionary.labels[a]).total_cmp(&value(&self.dictionary.labels[b])).then(a.cmp(&b))
            });
        } else {
            order.sort_by(|&a, &b| self.dictionary.labels[a].cmp(&self.dictionary.labels[b]));
        }
        let mut labels: Vec<String> = Vec::with_capacity(order.len());
        let mut new_code = vec![0; order.len()];
        for at in order {
            // whole numbers beyond 2⁵³ look alike as f64: those are told apart by their text
            let alike = |l: &String| value(l) == value(&self.dictionary.labels[at]) && value(l).abs() < 9e15;
            let same = numeric && labels.last().is_some_and(alike);
            if !same {
                labels.push(self.dictionary.labels[at].clone());
            }
            new_code[at] = labels.len() as u32 - 1;
        }
        let codes =
            self.dictionary.codes.iter().map(|&c| if c == MISSING { MISSING } else { new_code[c as usize] }).collect();
        let positive = (labels.len() as u32).saturating_sub(1);
        Target::Classes { labels, codes, positive }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(cells: &[&str], task: Option<Task>) -> Target {
        let mut labels = Labels::default();
        cells.iter().for_each(|c| labels.push((!c.is_empty()).then_some(*c)));
        labels.into_target(task, &Place::default()).expect("usable").0
    }

    #[test]
    fn classes_sort_as_numbers_when_they_are() {
        let Target::Classes { labels, codes, positive } = understood(&["10", "9", "10", "9", "-1", "-1"], None) else {
            panic!("classes")
        };
        assert_eq!(labels, ["-1", "9", "10"]);
        assert_eq!(codes, [2, 1, 2, 1, 0, 0]);
        assert_eq!(positive, 2);
    }

    #[test]
    fn the_rule_tells_classes_from_numbers() {
        assert_eq!(understood(&["0.5", "1.5", "0.5"], None).n_classes(), Some(2));
        assert_eq!(understood(&["1", "2", "3", "1", "2", "3", ""], None).n_classes(), Some(3));
        assert_eq!(understood(&["1", "2", "3", "4"], None).n_classes(), None, "whole numbers that never repeat");
        assert_eq!(understood(&["1.5", "2", "3", "1.5", "2", "3"], None).n_classes(), None);
        assert_eq!(understood(&["a", "b", "c"], None).n_classes(), Some(3));
        assert_eq!(understood(&["1", "0", "1"], Some(Task::Real)).n_classes(), None);
        assert_eq!(understood(&["1.25", "0", "3"], Some(Task::Classes)).n_classes(), Some(3));
    }

    #[test]
    fn the_same_number_written_twice_is_one_class() {
        assert_eq!(understood(&["1", "1.0", "0", "0"], None).n_classes(), Some(2));
    }
}
