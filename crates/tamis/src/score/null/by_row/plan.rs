//! What all pieces of a table share before its rows are summed: the target's profile and how null targets are drawn.

use crate::base::error::Place;
use crate::base::{Error, Result};
use crate::table::{Column, WeightKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A class of fewer rows could be missing from a null target.
pub(crate) const FEWEST_ROWS: u64 = 10;

/// The plan of sums by row. States of the same table have the same plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    /// Null targets.
    pub(crate) count: usize,
    /// The features, in order.
    pub(crate) names: Arc<[String]>,
    pub(crate) target_name: String,
    pub(crate) target: PlannedTarget,
    pub(crate) covariates: Vec<PlannedCovariate>,
    pub(crate) weights: Option<PlannedWeights>,
    /// Rows that count.
    pub(crate) rows: u64,
}

/// What null targets are drawn from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum PlannedTarget {
    /// Classes in sorted order, and their shares of the weight.
    Classes { labels: Vec<String>, positive: usize, shares: Vec<f64> },
    /// Equally likely numbers, ascending.
    Numbers { values: Vec<f64> },
}

/// A variable that features are adjusted for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannedCovariate {
    pub(crate) name: String,
    /// Its levels, sorted, if it is text.
    pub(crate) levels: Option<Vec<String>>,
}

/// What weights mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannedWeights {
    pub(crate) kind: WeightKind,
    /// By what those of a class are multiplied, so that they sum to its effective number of rows.
    pub(crate) factors: Vec<f64>,
    pub(crate) largest: f64,
}

impl PlannedCovariate {
    /// Its columns of numbers.
    pub(crate) fn width(&self) -> usize {
        self.levels.as_ref().map_or(1, |levels| levels.len().saturating_sub(1))
    }

    /// Its columns in some rows: the numbers, or an indicator of every level but the first.
    ///
    /// # Errors
    ///
    /// A level that the profile does not have, and numbers where it has levels.
    pub(crate) fn columns(&self, column: &Column, place: &Place) -> Result<Vec<Vec<f64>>> {
        let refuse = |problem: String| Err(Error::data(place.clone().at_column(&self.name), problem, OTHER_PROFILE));
        match (&self.levels, column) {
            (None, Column::Numbers(numbers)) => Ok(vec![numbers.clone()]),
            (Some(levels), Column::Categories(categories)) => {
                let places: Vec<Option<usize>> =
                    categories.labels().iter().map(|label| levels.iter().position(|level| level == label)).collect();
                let known = |code: &u32| places[*code as usize].is_some();
                if let Some(code) = categories.codes().iter().find(|code| !known(code)) {
                    let level = &categories.labels()[*code as usize];
                    return refuse(format!("the profile of the table lacks the level `{level}`"));
                }
                let is = |code: &u32, at: usize| f64::from(u8::from(places[*code as usize] == Some(at)));
                let of = |at: usize| categories.codes().iter().map(|code| is(code, at)).collect();
                Ok((1..levels.len()).map(of).collect())
            }
            (Some(_), Column::Numbers(numbers)) if numbers.is_empty() => Ok(vec![vec![]; self.width()]),
            _ => refuse("the profile of the table has another kind of values for this covariate".into()),
        }
    }
}

/// The remedy for rows that a profile was not made of.
pub(crate) const OTHER_PROFILE: &str = "make the profile again, of all shards";

impl Plan {
    /// How many classes there are; `None` for a numeric target.
    pub(crate) fn n_classes(&self) -> Option<usize> {
        match &self.target {
            PlannedTarget::Classes { labels, .. } => Some(labels.len()),
            PlannedTarget::Numbers { .. } => None,
        }
    }

    /// Groups of rows whose sums are kept apart: classes, or all in one.
    pub(crate) fn n_groups(&self) -> usize {
        self.n_classes().unwrap_or(1)
    }

    /// Classes that are columns of the target: the positive one of two, or all that have rows but the first.
    pub(crate) fn coded(&self) -> Vec<usize> {
        match &self.target {
            PlannedTarget::Classes { positive, shares, .. } if shares.len() == 2 => vec![*positive],
            PlannedTarget::Classes { shares, .. } => {
                (0..shares.len()).filter(|&class| shares[class] > 0.0).skip(1).collect()
            }
            PlannedTarget::Numbers { .. } => vec![],
        }
    }

    /// Numbers beside the features that every row has: covariates, and the target where it is numeric.
    pub(crate) fn n_context(&self) -> usize {
        let covariates: usize = self.covariates.iter().map(PlannedCovariate::width).sum();
        covariates + usize::from(self.n_classes().is_none())
    }

    /// Numbers that a null target has in a row.
    pub(crate) fn width(&self) -> usize {
        self.n_classes().map_or(1, |_| self.coded().len())
    }

    /// Bytes that the sums of null targets take in memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.names.len() as u64).saturating_mul((self.count * self.width()) as u64).saturating_mul(16)
    }
}
