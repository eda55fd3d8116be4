//! Weights of rows: what they mean, and the effective number of rows.
//!
//! *Importance* weights say how much rows count beside each other. Only their ratios matter, and n rows with such weights
//! tell as much as (Σw)²/Σw² rows alike (Kish 1965): a view scales them to that sum, so that whatever counts rows counts
//! effective ones. *Frequency* weights are numbers of copies: a row of weight 3 is three rows.

use crate::base::error::Place;
use crate::base::parameter::{name_of, named};
use crate::base::{Error, OptionName, Result, text};
use crate::table::caller_checks::check_weights;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What the weight of a row means.
///
/// ```
/// use tamis::prelude::*;
///
/// assert!(RowWeights::new(vec![1.0, 2.5], WeightKind::Importance).is_ok());
/// assert!(RowWeights::new(vec![1.0, 2.5], WeightKind::Frequency).is_err(), "no number of copies");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightKind {
    /// How much the row counts beside others; only ratios matter.
    #[default]
    Importance,
    /// How many rows it stands for.
    Frequency,
}

impl WeightKind {
    /// Every kind with the name users type.
    const ALL: [(&'static str, WeightKind); 2] =
        [("importance", WeightKind::Importance), ("frequency", WeightKind::Frequency)];

    /// The name users type.
    pub fn name(self) -> &'static str {
        name_of(&Self::ALL, &self)
    }

    /// How many rows a row of this weight is, where rows are counted: none without weight, one with any importance.
    pub(crate) fn rows(self, weight: f64) -> f64 {
        match self {
            WeightKind::Importance => f64::from(u8::from(weight > 0.0)),
            WeightKind::Frequency => weight,
        }
    }

    /// Refuses numbers of copies that are not whole; `place` is that of the weights, with `before` rows before them.
    pub(crate) fn check(self, weights: &[f64], place: &Place, before: u64) -> Result<()> {
        let broken = |weight: &f64| self == WeightKind::Frequency && weight.fract() != 0.0;
        match weights.iter().position(broken) {
            None => Ok(()),
            Some(row) => {
                let place = place.clone().at_row(before + row as u64 + 1);
                let problem = format!("the weight {} is no number of rows", weights[row]);
                Err(Error::data(place, problem, text!["pass ", OptionName::WeightKind.set("importance")]))
            }
        }
    }
}

impl FromStr for WeightKind {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        named(&Self::ALL, "kind of weights", text)
    }
}

impl fmt::Display for WeightKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A weight for every row, and what it means.
///
/// ```
/// use tamis::prelude::*;
///
/// let copies = RowWeights::new(vec![1.0, 3.0], WeightKind::Frequency)?;
/// assert_eq!(copies.values(), [1.0, 3.0]);
/// assert!(RowWeights::new(vec![1.0, -1.0], WeightKind::Importance).is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RowWeights {
    pub(crate) values: Vec<f64>,
    pub(crate) kind: WeightKind,
}

impl RowWeights {
    /// Weights of this kind.
    ///
    /// # Errors
    ///
    /// A weight that is negative, missing, or above 1e100; weights that sum to nothing; a number of copies that is not
    /// whole.
    pub fn new(values: Vec<f64>, kind: WeightKind) -> Result<RowWeights> {
        let weights = RowWeights { values, kind };
        weights.check(&Place::default())?;
        Ok(weights)
    }

    /// What they mean.
    pub fn kind(&self) -> WeightKind {
        self.kind
    }

    /// One per row, as they were given.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Refuses what [`RowWeights::new`] refuses, in the words for this place.
    pub(super) fn check(&self, place: &Place) -> Result<()> {
        check_weights(&self.values, place)?;
        self.kind.check(&self.values, place, 0)
    }

    /// How many rows each row is, where rows are counted.
    pub(crate) fn rows(&self) -> Vec<f64> {
        self.values.iter().map(|weight| self.kind.rows(*weight)).collect()
    }
}

/// Weights as a view's rows have them.
#[derive(Debug, Clone)]
pub(super) enum ViewWeights<'a> {
    /// So many copies of each row of the table.
    Copies(&'a [f64]),
    /// Importance weights of the rows of the table, which sum over the view's to their effective number.
    Effective {
        values: Arc<[f64]>,
        /// Whether those of the view are all 1.
        equal: bool,
    },
}

impl<'a> ViewWeights<'a> {
    /// These weights for rows of a view.
    pub(super) fn of(weights: &'a RowWeights, rows: &[u32]) -> ViewWeights<'a> {
        match weights.kind {
            WeightKind::Frequency => ViewWeights::Copies(&weights.values),
            WeightKind::Importance => ViewWeights::effective(&weights.values, rows),
        }
    }

    fn effective(weights: &[f64], rows: &[u32]) -> ViewWeights<'static> {
        let scale = Scale::of(rows.iter().map(|&row| weights[row as usize]));
        let values: Arc<[f64]> = weights.iter().map(|weight| scale.apply(*weight)).collect();
        let equal = rows.iter().all(|&row| values[row as usize] == 1.0);
        ViewWeights::Effective { values, equal }
    }

    /// The same weights for other rows of the table.
    pub(super) fn over(&self, rows: &[u32]) -> ViewWeights<'a> {
        match self {
            ViewWeights::Copies(weights) => ViewWeights::Copies(weights),
            ViewWeights::Effective { values, .. } => ViewWeights::effective(values, rows),
        }
    }

    /// One per row of the table, zeros included.
    pub(super) fn values(&self) -> &[f64] {
        match self {
            ViewWeights::Copies(weights) => weights,
            ViewWeights::Effective { values, .. } => values,
        }
    }

    /// Unless the view's rows count alike.
    pub(super) fn unequal(&self) -> Option<&[f64]> {
        match self {
            ViewWeights::Effective { equal: true, .. } => None,
            _ => Some(self.values()),
        }
    }

    pub(super) fn kind(&self) -> WeightKind {
        match self {
            ViewWeights::Copies(_) => WeightKind::Frequency,
            ViewWeights::Effective { .. } => WeightKind::Importance,
        }
    }

    /// Weights of which those of each class sum to its own effective number of rows; `None` where all are 1 then.
    pub(super) fn by_class(&self, rows: &[u32], codes: &[u32], classes: usize) -> Option<Cow<'_, [f64]>> {
        let ViewWeights::Effective { values, .. } = self else { return Some(Cow::Borrowed(self.values())) };
        let of_class = |class: u32| rows.iter().map(|&row| row as usize).filter(move |&row| codes[row] == class);
        let scales: Vec<Scale> =
            (0..classes as u32).map(|class| Scale::of(of_class(class).map(|row| values[row]))).collect();
        let mut scaled = values.to_vec();
        rows.iter()
            .map(|&row| row as usize)
            .for_each(|row| scaled[row] = scales[codes[row] as usize].apply(values[row]));
        rows.iter().any(|&row| scaled[row as usize] != 1.0).then_some(Cow::Owned(scaled))
    }
}

/// What importance weights are multiplied by so that they sum to their effective number.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// They are divided by the largest first: weights in the same ratios give the same bits.
    largest: f64,
    factor: f64,
}

impl Scale {
    fn of(weights: impl Iterator<Item = f64> + Clone) -> Scale {
        let largest = weights.clone().fold(0.0, f64::max);
        let (sum, squares) =
            weights.map(|w| w / largest).fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
        Scale { largest, factor: sum / squares }
    }

    fn apply(self, weight: f64) -> f64 {
        if weight > 0.0 { weight / self.largest * self.factor } else { 0.0 }
    }
}

/// Importance weights scaled to sum to their effective number.
pub(crate) fn effective(weights: &[f64]) -> Vec<f64> {
    let scale = Scale::of(weights.iter().copied());
    weights.iter().map(|weight| scale.apply(*weight)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effective_weights_sum_to_kishs_number_whatever_their_unit() {
        let weights = [1.0, 2.0, 0.0, 3.5, 0.25];
        let found = effective(&weights);
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(s, q), w| (s + w, q + w * w));
        assert!((found.iter().sum::<f64>() - sum * sum / squares).abs() < 1e-12);
        for unit in [10.0, 0.125, 3.0, 2f64.powi(300)] {
            assert_eq!(effective(&weights.map(|w| w * unit)), found, "{unit}");
        }
        assert_eq!(effective(&[7.3; 5]), [1.0; 5]);
    }

    #[test]
    fn weights_that_differ_between_classes_only_are_equal_in_each() {
        let weights = RowWeights::new(vec![9.0, 1.0, 9.0, 1.0, 1.0], WeightKind::Importance).expect("weights");
        let (rows, codes) = ([0, 1, 2, 3, 4], [0, 1, 0, 1, 1]);
        let view = ViewWeights::of(&weights, &rows);
        assert!(view.by_class(&rows, &codes, 2).is_none());
        assert_eq!(view.unequal().map(|w| w.len()), Some(5));
        assert!(view.over(&[0, 2]).unequal().is_none());
    }

    #[test]
    fn copies_are_whole() {
        assert!(RowWeights::new(vec![1.0, 0.5], WeightKind::Frequency).is_err());
        assert!(RowWeights::new(vec![1.0, 0.5], WeightKind::Importance).is_ok());
        assert_eq!("frequency".parse::<WeightKind>().expect("a kind"), WeightKind::Frequency);
        assert!("count".parse::<WeightKind>().is_err());
    }
}
