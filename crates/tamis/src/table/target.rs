//! The target: classes, numeric, or survival times.

use crate::base::error::Place;
use crate::base::remedies::{REPLACE, another_column};
use crate::base::{Error, OptionName, Result, text};
use crate::table::column::{MISSING, check_codes};
use crate::table::comparison::{ComparedClasses, RequestedComparison};
use crate::table::row_weights::RowWeights;
use crate::table::target_rule::{self, AT_LEAST_TWO, TargetValues, Task, check_used};

/// The target of every row.
///
/// ```
/// use tamis::prelude::*;
///
/// let classes = Target::classes(&[Some("yes"), Some("no"), None]);
/// let numbers = Target::Real { values: vec![1.5, 2.0, f64::NAN] };
/// let survival = Target::survival(vec![3.0, 5.0], vec![Some(true), Some(false)])?;
/// assert_eq!((classes.n_classes(), numbers.n_classes(), survival.n_events()), (Some(2), None, Some(1)));
/// assert_eq!(classes.labelled_rows(), [0, 1]);
/// # Ok::<(), Error>(())
/// ```
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
    /// A time per row until an event or until the row was last seen without it, made by [`Target::survival`].
    #[non_exhaustive]
    Survival {
        /// The times, all above 0; NaN is missing.
        times: Vec<f64>,
        /// Whether the event happened; otherwise the row is censored.
        events: Vec<bool>,
    },
}

impl Default for Target {
    /// No rows.
    fn default() -> Self {
        Target::Real { values: vec![] }
    }
}

impl Target {
    /// What labels in memory are treated as, in words, with or without a user's request.
    pub fn rule_of_labels(task: Option<Task>) -> &'static str {
        if task == Some(Task::Classes) { target_rule::CLASSES_REQUESTED } else { target_rule::CLASSES_OF_TEXT }
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
            Target::Real { values } | Target::Survival { times: values, .. } => values.len(),
        }
    }

    /// Whether there is no row at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of classes; `None` for a numeric target and for survival times.
    pub fn n_classes(&self) -> Option<usize> {
        match self {
            Target::Classes { labels, .. } => Some(labels.len()),
            Target::Real { .. } | Target::Survival { .. } => None,
        }
    }

    /// The positive class of two.
    pub fn positive(&self) -> usize {
        match self {
            Target::Classes { positive, .. } => *positive as usize,
            Target::Real { .. } | Target::Survival { .. } => 0,
        }
    }

    /// Makes `label` the positive class; only two classes have one.
    pub fn with_positive(mut self, label: &str) -> Result<Target> {
        self.compare(&RequestedComparison { positive: Some(label.into()), ..RequestedComparison::default() })?;
        Ok(self)
    }

    /// Gives classes the roles that a user wants them to have.
    pub(crate) fn compare(&mut self, wanted: &RequestedComparison) -> Result<ComparedClasses> {
        match self {
            Target::Classes { labels, positive, .. } => {
                let (found, comparison) = wanted.resolve(Some(labels))?;
                *positive = found as u32;
                Ok(comparison)
            }
            Target::Real { .. } | Target::Survival { .. } => Ok(wanted.resolve(None)?.1),
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
            Target::Real { values } | Target::Survival { times: values, .. } => !values[row].is_nan(),
        }
    }

    /// The target of these rows, in their order.
    pub(crate) fn of_rows(&self, rows: &[u32]) -> Target {
        match self {
            Target::Classes { labels, codes, positive } => Target::Classes {
                labels: labels.clone(),
                codes: rows.iter().map(|&r| codes[r as usize]).collect(),
                positive: *positive,
            },
            Target::Real { values } => Target::Real { values: rows.iter().map(|&r| values[r as usize]).collect() },
            Target::Survival { times, events } => Target::Survival {
                times: rows.iter().map(|&r| times[r as usize]).collect(),
                events: rows.iter().map(|&r| events[r as usize]).collect(),
            },
        }
    }

    /// The rows that have a target.
    pub fn labelled_rows(&self) -> Vec<u32> {
        (0..self.len() as u32).filter(|&r| self.has(r as usize)).collect()
    }

    /// How many events survival times have; `None` for another target.
    pub fn n_events(&self) -> Option<u64> {
        match self {
            Target::Survival { times, events } => {
                Some(times.iter().zip(events).filter(|(time, event)| **event && !time.is_nan()).count() as u64)
            }
            Target::Classes { .. } | Target::Real { .. } => None,
        }
    }

    /// The text of a row's target, as in the file; empty if missing. Of survival times it is the time.
    pub fn text(&self, row: usize) -> String {
        match self {
            Target::Classes { labels, codes, .. } => labels.get(codes[row] as usize).cloned().unwrap_or_default(),
            Target::Real { values } | Target::Survival { times: values, .. } if values[row].is_nan() => String::new(),
            Target::Real { values } | Target::Survival { times: values, .. } => values[row].to_string(),
        }
    }

    /// Refuses a target nothing can be learned from.
    pub(crate) fn check(&self, place: &Place) -> Result<()> {
        self.check_weighted(None, place)
    }

    /// Like the unweighted form; a row counts as often as it has copies.
    pub(super) fn check_weighted(&self, weights: Option<&RowWeights>, place: &Place) -> Result<()> {
        let (rows, labelled) = (self.len() as u64, self.labelled_rows().len() as u64);
        let counts = weights.map(RowWeights::rows);
        let facts = match self {
            Target::Real { values } => {
                if let Some(row) = values.iter().position(|v| v.is_infinite()) {
                    let place = place.clone().at_row(row as u64 + 1);
                    return Err(Error::data(place, "the target is infinite", REPLACE));
                }
                let mut known = values.iter().filter(|v| !v.is_nan());
                let first = known.next();
                TargetValues::Numbers { vary: known.any(|v| Some(v) != first) }
            }
            Target::Survival { times, events } => return check_survival(times, events, place),
            Target::Classes { labels, codes, .. } => {
                TargetValues::Classes { labels, twice: &target_rule::twice(codes, labels.len(), counts.as_deref()) }
            }
        };
        facts.check(rows, labelled, place)
    }
}

/// Refuses weights that leave a class with fewer than two rows, or a numeric target with one value; `rows` are how many
/// rows each row is.
pub(crate) fn check_target_weights(target: &Target, rows: &[f64], place: &Place) -> Result<()> {
    if let Target::Real { values } = target {
        let mut weighted = values.iter().zip(rows).filter(|(y, n)| !y.is_nan() && **n > 0.0).map(|(y, _)| *y);
        let first = weighted.next().unwrap_or(f64::NAN);
        if weighted.all(|y| y == first) {
            let problem = "the target has one value only in the rows with a positive weight";
            return Err(Error::data(place.clone(), problem, "give rows of other values a weight"));
        }
    }
    let Target::Classes { labels, codes, .. } = target else { return Ok(()) };
    let mut counts = vec![0_u64; labels.len()];
    for (code, rows) in codes.iter().zip(rows) {
        if let Some(count) = counts.get_mut(*code as usize) {
            *count = count.saturating_add(*rows as u64);
        }
    }
    check_used(labels, &counts, place)
}

/// Refuses survival times that nothing can be learned from.
pub(super) fn check_survival(times: &[f64], events: &[bool], place: &Place) -> Result<()> {
    let known = || times.iter().zip(events).filter(|(time, _)| !time.is_nan());
    let refuse = |problem: &str, remedy| Err(Error::data(place.clone(), problem, remedy));
    match known().count() {
        0 => {
            return refuse("no row has both a time and an event", text!["name other columns with ", OptionName::Event]);
        }
        1 => return refuse("one row only has a time and an event", AT_LEAST_TWO.into()),
        _ => {}
    }
    if !known().any(|(_, event)| *event) {
        let remedy = text!["at least one row needs an event: check which values of ", OptionName::Event, " mean one"];
        return refuse("no event happened: every time is censored", remedy);
    }
    let first = known().next().map(|(time, _)| *time);
    if known().all(|(time, _)| Some(*time) == first) {
        return refuse("all survival times are equal", another_column(OptionName::Target));
    }
    Ok(())
}
