//! The target that columns are summed against: separate labels, or numeric.

use crate::base::error::Place;
use crate::base::remedies::REPLACE;
use crate::base::{Error, Result};
use crate::score::Moments;
use crate::score::moments::scale_to_one;
use crate::table::Task;
use crate::table::column::{is_too_large, too_large};
use crate::table::target_rule::{
    MOST_INTEGER_CLASSES, MOST_TEXT_CLASSES, correct_or_classes, distinct_values, too_many_classes, value_of,
};
use serde::{Deserialize, Serialize};
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
    /// Their weights.
    pub(crate) weights: WeightSums,
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
    /// The weights of the rows that count.
    pub(crate) weights: WeightSums,
}

/// Σw and Σw² of some rows; 0 where rows have no weights.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct WeightSums {
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

impl WeightSums {
    pub(crate) fn of(weights: impl Iterator<Item = f64>) -> WeightSums {
        weights.fold(WeightSums::default(), |sums, w| sums.merge(WeightSums { sum: w, squares: w * w }))
    }

    pub(crate) fn merge(self, other: WeightSums) -> WeightSums {
        WeightSums { sum: self.sum + other.sum, squares: self.squares + other.squares }
    }

    /// What importance weights are multiplied by so that they sum to their effective number, (Σw)²/Σw².
    pub(crate) fn factor(self) -> f64 {
        if self.squares > 0.0 { self.sum / self.squares } else { 1.0 }
    }
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
            Some(Task::Real) => TargetState::Number(Number {
                size: 0.0,
                rows: 0,
                moments: Moments::default(),
                weights: WeightSums::default(),
            }),
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

    /// The weights of the rows that count, label by label or of all.
    pub(crate) fn weights(&self) -> Vec<WeightSums> {
        match self {
            TargetState::Labels(labels) => labels.iter().map(|label| label.weights).collect(),
            TargetState::Number(number) => vec![number.weights],
        }
    }

    /// The weights of all rows that count.
    pub(crate) fn all_weights(&self) -> WeightSums {
        self.weights().into_iter().fold(WeightSums::default(), WeightSums::merge)
    }

    /// Whether the rows of two states can be the same: sums in another order differ in their last digits.
    pub(crate) fn has_rows_of(&self, other: &TargetState) -> bool {
        match (self, other) {
            (TargetState::Labels(a), TargetState::Labels(b)) => {
                let rows = |label: &Label| (label.text.clone(), label.rows, label.used);
                a.iter().map(rows).eq(b.iter().map(rows))
            }
            (TargetState::Number(a), TargetState::Number(b)) => {
                (a.size, a.rows, a.moments) == (b.size, b.rows, b.moments)
            }
            _ => false,
        }
    }

    /// The target as numeric. All labels must be numbers.
    pub(crate) fn as_number(labels: &[Label], place: &Place) -> Result<(Number, Vec<f64>)> {
        let values: Option<Vec<f64>> = labels.iter().map(|label| value_of(&label.text)).collect();
        let values = values.ok_or_else(|| mixed(labels, place))?;
        let size = values.iter().map(|x| x.abs()).fold(0.0, f64::max);
        if is_too_large(size) {
            return Err(too_large("the target", size, place.clone(), REPLACE));
        }
        let values: Vec<f64> = values.iter().map(|x| x * unit(size)).collect();
        let one = |(label, x): (&Label, &f64)| Moments { count: label.rows as f64, mean: *x, rest: 0.0, m2: 0.0 };
        let moments: Vec<Moments> = labels.iter().zip(&values).map(one).collect();
        let rows = labels.iter().fold(0, |sum: u64, label| sum.saturating_add(label.rows));
        let weights = labels.iter().fold(WeightSums::default(), |sums, label| sums.merge(label.weights));
        Ok((Number { size, rows, moments: Moments::merge_in_order(&moments), weights }, values))
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
    Err(too_many_classes(place.clone()))
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
        let mut all: BTreeMap<&str, (u64, u64, WeightSums)> = BTreeMap::new();
        for label in a.iter().chain(b) {
            let (rows, used, weights) = all.entry(&label.text).or_default();
            *rows = rows.saturating_add(label.rows);
            *used = used.saturating_add(label.used);
            *weights = weights.merge(label.weights);
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
            let labels = all.into_iter();
            let labels = labels.map(|(text, (rows, used, weights))| Label { text: text.into(), rows, used, weights });
            return Ok((TargetState::Labels(labels.collect()), changes));
        }
    }
    let (a, from_a) = to_number(a, place)?;
    let (b, from_b) = to_number(b, place)?;
    let size = a.size.max(b.size);
    let scales = [unit(size) / unit(a.size), unit(size) / unit(b.size)];
    let moments = scaled(a.moments, scales[0]).merge(scaled(b.moments, scales[1]));
    let number = Number { size, rows: a.rows.saturating_add(b.rows), moments, weights: a.weights.merge(b.weights) };
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

/// A power of two that numbers of this size are multiplied by so that their squares stay in the range of f64: 1 for all
/// that are neither very large nor very small.
pub(crate) fn unit(size: f64) -> f64 {
    if size == 0.0 || (1e-100..=1e100).contains(&size) { 1.0 } else { scale_to_one(size) }
}
