//! The cells of a target as they are read, before it is known whether they are classes or numbers.

use crate::base::error::Place;
use crate::base::{Result, Text};
use crate::table::caller_checks::check_length;
use crate::table::column::{Categories, Dictionary};
use crate::table::comparison::usual_positive;
use crate::table::target_rule::{self, MOST_TEXT_CLASSES, TargetFacts};
use crate::table::{MISSING, RowWeights, Target, Task};
use std::collections::HashMap;

/// The target's cells as they are read: labels with codes, and numbers as long as they all are.
#[derive(Debug, Default)]
pub(crate) struct TargetCells {
    pub(crate) dictionary: Dictionary,
    /// The codes of numbers by their bits, for files that have types.
    seen: HashMap<u64, u32>,
    /// The numbers that the dictionary's labels are; NaN for text.
    values: Vec<f64>,
    /// Each row's number; NaN if it is none.
    pub(crate) numbers: Vec<f64>,
    /// The first cell that is not a number: (row, text).
    pub(crate) text: Option<(u64, String)>,
    /// More labels than any classes have; only numbers can save this column.
    pub(crate) too_many: bool,
}

impl TargetCells {
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

    /// The target that the rule recognises, and the rule in words.
    pub(crate) fn into_target(self, task: Option<Task>, place: &Place) -> Result<(Target, Text)> {
        self.into_weighted_target(task, None, place)
    }

    /// Like the unweighted form; a row of weight 2 counts as two rows.
    pub(super) fn into_weighted_target(
        self,
        task: Option<Task>,
        weights: Option<&[f64]>,
        place: &Place,
    ) -> Result<(Target, Text)> {
        let (labels, codes) = self.classes();
        let facts = TargetFacts {
            text: self.text.as_ref().map(|(row, text)| (Some(*row), text.as_str())),
            classes: (!self.too_many).then_some(labels.len()),
            whole: self.numbers.iter().filter(|x| !x.is_nan()).all(|x| x.fract() == 0.0),
            each_twice: target_rule::twice(&codes, labels.len(), weights).into_iter().all(|twice| twice),
        };
        let (task, rule) = facts.recognise(task, place)?;
        let target = match task {
            Task::Classes => class_target(labels, codes),
            Task::Real => Target::Real { values: self.numbers },
        };
        Ok((target, rule))
    }

    /// The cells as classes, whatever they look like.
    pub(super) fn into_classes(self) -> Target {
        let (labels, codes) = self.classes();
        class_target(labels, codes)
    }

    /// The classes' names, and the class of every row.
    fn classes(&self) -> (Vec<String>, Vec<u32>) {
        let (labels, class_of) = target_rule::classes_of(&self.dictionary.labels, self.text.is_none());
        let class = |&code: &u32| if code == MISSING { MISSING } else { class_of[code as usize] };
        (labels, self.dictionary.codes.iter().map(class).collect())
    }
}

/// Classes with the usual positive one.
fn class_target(labels: Vec<String>, codes: Vec<u32>) -> Target {
    let positive = usual_positive(&labels) as u32;
    Target::Classes { labels, codes, positive }
}

impl Target {
    /// Classes from one label per row; `None` is missing.
    pub fn classes<S: AsRef<str>>(rows: &[Option<S>]) -> Target {
        let mut gathered = TargetCells::default();
        for row in rows {
            gathered.push(row.as_ref().map(AsRef::as_ref));
        }
        gathered.into_classes()
    }

    /// Classes or a numeric target from numbers, by the rule used for files, and that rule in words; a row counts as often
    /// as it has copies, one of weight 0 not at all.
    ///
    /// # Errors
    ///
    /// Weights of another length than the values, and more classes than a target may have.
    pub fn of_numbers(values: &[f64], weights: Option<&RowWeights>, task: Option<Task>) -> Result<(Target, Text)> {
        if let Some(weights) = weights {
            check_length(weights.values.len(), "weight", values.len())?;
        }
        let mut labels = TargetCells::default();
        let rows = weights.map(RowWeights::rows);
        for (row, value) in values.iter().enumerate() {
            let counts = rows.as_ref().is_none_or(|rows| rows[row] > 0.0);
            labels.push_number(if counts { *value } else { f64::NAN });
        }
        labels.into_weighted_target(task, rows.as_deref(), &Place::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understood(cells: &[&str], task: Option<Task>) -> Target {
        let mut labels = TargetCells::default();
        cells.iter().for_each(|c| labels.push((!c.is_empty()).then_some(*c)));
        labels.into_target(task, &Place::default()).expect("usable").0
    }

    #[test]
    fn nobody_is_said_to_have_asked_for_classes() {
        let mut labels = TargetCells::default();
        ["1.5", "2.5", "1.5", "2.5"].iter().for_each(|cell| labels.push(Some(*cell)));
        let rule = labels.into_target(Some(Task::Classes), &Place::default()).expect("usable").1;
        assert_eq!(rule.to_string(), "classes"); // `evaluate` asks for them, not its user
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
