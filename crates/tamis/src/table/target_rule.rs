//! The rule that tells classes from a numeric target, and the checks that something can be learned from it.
//!
//! Both take facts, not cells, so that they hold for a table in memory and for one in pieces alike.

use crate::base::error::Place;
use crate::base::remedies::another_column;
use crate::base::{Command, Error, Note, NoteKind, OptionName, Result, Text, counted, text};
use crate::table::MISSING;
use serde::{Deserialize, Serialize};

/// A column of whole numbers with at most this many values is taken as classes.
pub(crate) const MOST_INTEGER_CLASSES: usize = 20;
/// A column of text may have this many classes.
pub(crate) const MOST_TEXT_CLASSES: usize = 1000;

/// What is wrong with a target that does not vary.
pub(crate) const ONE_TARGET: &str = "the target has one value only";
/// Why one row will not do.
pub(crate) const AT_LEAST_TWO: &str = "at least 2 are needed to learn anything";

/// The rule in words, where a user asked for classes, and where the target is text.
pub(super) const CLASSES_REQUESTED: &str = "classes";
pub(super) const CLASSES_OF_TEXT: &str = "classes, since it is text";

/// Facts about a target's cells that the rule asks for.
pub(crate) struct TargetFacts<'a> {
    /// The first cell that is not a number, with its row where that is known.
    pub(crate) text: Option<(Option<u64>, &'a str)>,
    /// How many classes its values would be; `None` where there are more than classes may be.
    pub(crate) classes: Option<usize>,
    /// Whether its numbers are all whole.
    pub(crate) whole: bool,
    /// Whether each value stands in two rows at least, or weighs as much as two.
    pub(crate) each_twice: bool,
}

impl TargetFacts<'_> {
    /// Recognises the target, and returns the rule in words: text is classes; so are two values, and at most 20
    /// different whole numbers, each at least twice; other numbers are a numeric target.
    pub(crate) fn recognise(&self, task: Option<Task>, place: &Place) -> Result<(Task, Text)> {
        if let (Some(Task::Real), Some((row, text))) = (task, self.text) {
            let place = place.clone();
            return Err(not_a_number(text, row.map_or(place.clone(), |row| place.at_row(row))));
        }
        let must_be_classes = task == Some(Task::Classes) || self.text.is_some();
        if self.classes.is_none() && must_be_classes {
            return Err(too_many_classes(place.clone()));
        }
        let few_whole_numbers =
            self.whole && self.each_twice && self.classes.is_some_and(|n| n <= MOST_INTEGER_CLASSES);
        Ok(match task {
            Some(Task::Classes) => (Task::Classes, CLASSES_REQUESTED.into()),
            Some(Task::Real) => (Task::Real, "numeric".into()),
            None if self.text.is_some() => (Task::Classes, CLASSES_OF_TEXT.into()),
            None if self.classes == Some(2) => (Task::Classes, "two classes, since it has two values".into()),
            None if few_whole_numbers => {
                let numeric = OptionName::Task.set("real");
                (
                    Task::Classes,
                    text!["classes, since it has few distinct whole numbers (", numeric, " makes it numeric)"],
                )
            }
            None => (Task::Real, text!["numeric (", OptionName::Task.set("classes"), " makes its values classes)"]),
        })
    }
}

/// The note on how a target is understood.
pub(crate) fn note(target: &str, rule: Text) -> Note {
    Note::new(NoteKind::TargetRule, text![format!("target `{target}` is treated as "), rule])
}

/// The values of a target once it is recognised.
pub(crate) enum TargetValues<'a> {
    /// A numeric target, and whether its numbers differ.
    Numbers {
        /// Whether there are two different ones.
        vary: bool,
    },
    /// Classes, and whether each has two rows or weighs as much.
    Classes {
        /// Their names.
        labels: &'a [String],
        /// For each class whether it has two rows.
        twice: &'a [bool],
    },
}

impl TargetValues<'_> {
    /// Refuses a target that nothing can be learned from; it has so many rows, and so many of them have a value.
    pub(crate) fn check(&self, rows: u64, labelled: u64, place: &Place) -> Result<()> {
        let refuse = |problem: String, remedy: Text| Err(Error::data(place.clone(), problem, remedy));
        let other_target = || another_column(OptionName::Target);
        if rows < 2 {
            return refuse(counted(rows, "row"), AT_LEAST_TWO.into());
        }
        if labelled == 0 {
            return refuse("every value of the target is missing".into(), other_target());
        }
        match self {
            TargetValues::Numbers { vary: true } => Ok(()),
            TargetValues::Numbers { vary: false } => refuse(ONE_TARGET.into(), other_target()),
            TargetValues::Classes { labels: [label], .. } => refuse(format!("{ONE_TARGET}, `{label}`"), other_target()),
            TargetValues::Classes { labels, twice } => match twice.iter().position(|twice| !twice) {
                None => Ok(()),
                Some(at) => {
                    let remedy = text![
                        "every class needs at least 2: drop that row or join the class with another (numbers are a \
                         target of ",
                        Command::Select,
                        ", with ",
                        OptionName::Task.set("real"),
                        ")"
                    ];
                    refuse(format!("class `{}` has one sample only", labels[at]), remedy)
                }
            },
        }
    }
}

/// Refuses classes of which fewer than two rows have any weight; `used` are how many do.
pub(crate) fn check_used(labels: &[String], used: &[u64], place: &Place) -> Result<()> {
    match used.iter().position(|count| *count < 2) {
        Some(at) => {
            let problem = format!("class `{}` has {} with a positive weight", labels[at], counted(used[at], "sample"));
            Err(Error::data(place.clone(), problem, "every class needs at least 2: give more of its rows a weight"))
        }
        None => Ok(()),
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

/// The error of a target of too many classes.
pub(crate) fn too_many_classes(place: Place) -> Error {
    let problem = format!("the target has more than {MOST_TEXT_CLASSES} classes");
    Error::data(place, problem, other_target_or_number())
}

/// The remedy for a target of too many classes.
pub(crate) fn other_target_or_number() -> Text {
    text![another_column(OptionName::Target), ", or pass ", OptionName::Task.set("real"), " if it is numeric"]
}

/// Whether each class has two rows, or weighs as much as two.
pub(super) fn twice(codes: &[u32], classes: usize, weights: Option<&[f64]>) -> Vec<bool> {
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

/// The classes that labels stand for, sorted, as numbers if they all are, and the class of each label. Labels that are
/// the same number are one class.
pub(crate) fn classes_of(labels: &[String], numeric: bool) -> (Vec<String>, Vec<u32>) {
    let value = |label: &str| value_of(label).unwrap_or(f64::NAN);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    if numeric {
        order.sort_by(|&a, &b| value(&labels[a]).total_cmp(&value(&labels[b])).then(a.cmp(&b)));
    } else {
        order.sort_by(|&a, &b| labels[a].cmp(&labels[b]));
    }
    let mut classes: Vec<String> = Vec::with_capacity(order.len());
    let mut class_of = vec![0; order.len()];
    for at in order {
        // whole numbers beyond 2⁵³ look alike as f64: those are told apart by their text
        let alike = |l: &String| value(l) == value(&labels[at]) && value(l).abs() < 9e15;
        let same = numeric && classes.last().is_some_and(alike);
        if !same {
            classes.push(labels[at].clone());
        }
        class_of[at] = classes.len() as u32 - 1;
    }
    (classes, class_of)
}

/// Whether a target is classes or numeric.
///
/// ```
/// use tamis::prelude::*;
///
/// let mut options = ReadOptions::target("grade");
/// options.task = Some(Task::Real);
/// let text = "x,grade\n1,0\n3,1\n2,0\n5,1\n";
/// let table = read(Input::from_reader(text.as_bytes(), "four.csv"), &options, &mut Silent)?;
/// assert!(matches!(table.target(), Target::Real { .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Classes, whatever they look like.
    Classes,
    /// A number.
    Real,
}
