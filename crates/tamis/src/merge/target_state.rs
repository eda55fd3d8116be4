//! The target that columns are summed against: separate labels, or numeric.

use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::merge::feature::unit;
use crate::score::Moments;
use crate::table::Task;
use crate::table::column::{is_too_large, too_large_words};
use crate::table::target_rule::{
    MOST_INTEGER_CLASSES, MOST_TEXT_CLASSES, correct_or_classes, distinct_values, other_target_or_number, value_of,
};
use std::collections::BTreeMap;

/// The target of the rows so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TargetState {
    /// Its texts, sorted. Numbers stay here as long as they could be classes.
    Labels(Vec<Label>),
    /// A number.
    Number(Number),
}

/// A text of the target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Label {
    pub(crate) text: String,
    /// Rows that have it.
    pub(crate) rows: u64,
    /// Those of them that have any weight.
    pub(crate) used: u64,
}

/// A numeric target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    /// The largest size among the numbers; their squares must not leave the range of f64.
    pub(crate) size: f64,
    /// Rows that have one.
    pub(crate) rows: u64,
    /// Of the numbers themselves, times [`unit`] of their size, whatever their weights.
    pub(crate) moments: Moments,
}

/// The change that a feature's sums undergo when the target is recast.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// Nothing.
    Keep,
    /// Labels move to these places among so many.
    Move(Vec<usize>, usize),
    /// Labels become these numbers, scaled by [`unit`] of the size.
    ToNumber(Vec<f64>),
    /// Numbers are scaled once more.
    Scale(f64),
}

impl TargetState {
    /// No rows.
    pub(crate) fn none(task: Option<Task>) -> TargetState {
        match task {
            Some(Task::Real) => TargetState::Number(Number { size: 0.0, rows: 0, moments: Moments::default() }),
            _ => TargetState::Labels(vec![]),
        }
    }

    /// How many labels are told apart.
    pub(crate) fn labels(&self) -> usize {
        match self {
            TargetState::Labels(labels) => labels.len(),
            TargetState::Number(_) => 0,
        }
    }

    /// The target as numeric. All labels must be numbers.
    pub(crate) fn as_number(labels: &[Label], place: &Place) -> Result<(Number, Vec<f64>)> {
        let values: Option<Vec<f64>> = labels.iter().map(|label| value_of(&label.text)).collect();
        let values = values.ok_or_else(|| mixed(labels, place))?;
        let size = values.iter().map(|x| x.abs()).fold(0.0, f64::max);
        if is_too_large(size) {
            let problem = format!("the target {}", too_large_words(size));
            return Err(Error::data(place.clone(), problem, "replace it by a number"));
        }
        let values: Vec<f64> = values.iter().map(|x| x * unit(size)).collect();
        let one = |(label, x): (&Label, &f64)| Moments { count: label.rows as f64, mean: *x, rest: 0.0, m2: 0.0 };
        let moments: Vec<Moments> = labels.iter().zip(&values).map(one).collect();
        let rows = labels.iter().fold(0, |sum: u64, label| sum.saturating_add(label.rows));
        Ok((Number { size, rows, moments: Moments::merge_in_order(&moments) }, values))
    }
}

/// Whether the target must be numeric: it has more values than whole-number classes may have.
pub(crate) fn must_be_number<'a>(labels: impl Iterator<Item = &'a str> + Clone, task: Option<Task>) -> bool {
    match task {
        Some(Task::Real) => true,
        Some(Task::Classes) => false,
        None => labels.clone().all(|text| value_of(text).is_some()) && distinct_values(labels) > MOST_INTEGER_CLASSES,
    }
}

/// Refuses more labels than any classes have.
pub(crate) fn check_count(labels: usize, place: &Place) -> Result<()> {
    if labels <= MOST_TEXT_CLASSES + 1 {
        return Ok(());
    }
    let problem = format!("the target has more than {MOST_TEXT_CLASSES} classes");
    Err(Error::data(place.clone(), problem, other_target_or_number()))
}

/// Text where other rows had too many different numbers to be classes.
fn mixed(labels: &[Label], place: &Place) -> Error {
    let text = labels.iter().find(|label| value_of(&label.text).is_none()).map_or("", |label| &label.text);
    let problem =
        format!("the target is `{text}` here, and more than {MOST_INTEGER_CLASSES} distinct numbers elsewhere");
    let remedy = correct_or_classes();
    Error::data(place.clone(), problem, remedy)
}

/// Both targets merged, and the change for the features of each.
pub(crate) fn union(
    a: &TargetState,
    b: &TargetState,
    task: Option<Task>,
    place: &Place,
) -> Result<(TargetState, [Change; 2])> {
    if let (TargetState::Labels(a), TargetState::Labels(b)) = (a, b) {
        let mut all: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for label in a.iter().chain(b) {
            let (rows, used) = all.entry(&label.text).or_default();
            *rows = rows.saturating_add(label.rows);
            *used = used.saturating_add(label.used);
        }
        if !must_be_number(all.keys().copied(), task) {
            check_count(all.len(), place)?;
            let places: Vec<&str> = all.keys().copied().collect();
            let change = |labels: &[Label]| {
                if labels.len() == places.len() {
                    return Change::Keep;
                }
                let at = |label: &Label| places.binary_search(&label.text.as_str()).unwrap_or(0);
                Change::Move(labels.iter().map(at).collect(), places.len())
            };
            let changes = [change(a), change(b)];
            let label = |(text, (rows, used)): (&str, (u64, u64))| Label { text: text.into(), rows, used };
            return Ok((TargetState::Labels(all.into_iter().map(label).collect()), changes));
        }
    }
    let (a, from_a) = to_number(a, place)?;
    let (b, from_b) = to_number(b, place)?;
    let size = a.size.max(b.size);
    let scales = [unit(size) / unit(a.size), unit(size) / unit(b.size)];
    let moments = scaled(a.moments, scales[0]).merge(scaled(b.moments, scales[1]));
    let number = Number { size, rows: a.rows.saturating_add(b.rows), moments };
    Ok((TargetState::Number(number), [then(from_a, scales[0]), then(from_b, scales[1])]))
}

/// The target recast as numeric, and the change for its features.
fn to_number(target_state: &TargetState, place: &Place) -> Result<(Number, Change)> {
    match target_state {
        TargetState::Number(number) => Ok((*number, Change::Keep)),
        TargetState::Labels(labels) => {
            let (number, values) = TargetState::as_number(labels, place)?;
            Ok((number, Change::ToNumber(values)))
        }
    }
}

/// One change after the other.
fn then(change: Change, scale: f64) -> Change {
    match change {
        change if scale == 1.0 => change,
        Change::ToNumber(values) => Change::ToNumber(values.into_iter().map(|x| x * scale).collect()),
        _ => Change::Scale(scale),
    }
}

/// The moments of numbers times a power of two.
pub(crate) fn scaled(m: Moments, by: f64) -> Moments {
    Moments { count: m.count, mean: m.mean * by, rest: m.rest * by, m2: m.m2 * by * by }
}
