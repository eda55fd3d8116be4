//! How the values of a column become codes.

use crate::base::remedies::leave_out_or_join;
use crate::base::{Error, OptionName, Place, Result, text};
use crate::table::Column;
use serde::{Deserialize, Serialize};

/// The most levels a column may have: a code is a byte.
pub(crate) const MOST_LEVELS: usize = 256;

/// How a column becomes codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ColumnCoding {
    /// The code of a number is how many of these are not above it; a missing value comes last.
    Cuts(Vec<f64>),
    /// The code of a category is its position here; a missing or unknown one comes last.
    Labels(Vec<String>),
}

impl ColumnCoding {
    /// Levels, without that of missing values.
    pub fn known_levels(&self) -> usize {
        match self {
            ColumnCoding::Cuts(cuts) => cuts.len() + 1,
            ColumnCoding::Labels(labels) => labels.len(),
        }
    }

    /// Refuses more levels than a byte can tell apart.
    pub(crate) fn check_levels(&self, has_missing: bool, name: &str) -> Result<()> {
        let levels = self.known_levels() + usize::from(has_missing);
        if levels <= MOST_LEVELS && self.known_levels() < MOST_LEVELS {
            return Ok(());
        }
        let problem = format!("it has {levels} levels; at most {} are possible", MOST_LEVELS - 1);
        let remedy = match self {
            ColumnCoding::Cuts(_) => {
                text!["pass ", OptionName::from("discretise").set("frequency"), " to put several values into a bin"]
            }
            ColumnCoding::Labels(_) => leave_out_or_join(name),
        };
        Err(Error::data(Place::default().at_column(name), problem, remedy))
    }

    /// The code of every row of a column; `None` if the column is not of the kind that was learned.
    pub fn encode(&self, column: &Column, rows: &[u32]) -> Option<Vec<u8>> {
        let last = self.known_levels() as u8; // at most 255: `learn` sees to it
        Some(match (self, column) {
            (ColumnCoding::Cuts(cuts), Column::Numbers(values)) => rows
                .iter()
                .map(|&r| if values[r as usize].is_nan() { last } else { code(cuts, values[r as usize]) })
                .collect(),
            (ColumnCoding::Labels(labels), Column::Categories(c)) => {
                let known: Vec<u8> =
                    c.labels().iter().map(|l| labels.iter().position(|k| k == l).map_or(last, |at| at as u8)).collect();
                rows.iter().map(|&r| known.get(c.codes()[r as usize] as usize).copied().unwrap_or(last)).collect()
            }
            _ => return None,
        })
    }
}

/// How many cuts are not above x.
pub(crate) fn code(cuts: &[f64], x: f64) -> u8 {
    if cuts.len() <= 16 {
        return cuts.iter().map(|cut| u8::from(*cut <= x)).sum();
    }
    cuts.partition_point(|cut| *cut <= x) as u8
}
