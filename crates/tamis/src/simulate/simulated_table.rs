//! A simulated table: its truth, its sizes, its names.

use crate::base::{Error, Result};
use crate::table::{Table, Target};

/// A table and the truth behind it.
///
/// ```
/// use tamis::prelude::*;
///
/// let drawn: Simulated = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?;
/// assert_eq!(drawn.truth.len(), drawn.table.names().len());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Simulated {
    /// The table.
    pub table: Table,
    /// The simulated effect of each feature; 0 for noise.
    pub truth: Vec<f64>,
}

/// What there is to say of the number of features that matter, for the tables of parameters.
macro_rules! relevant {
    (range) => {
        "a whole number up to `features`"
    };
    (purpose) => {
        "how many features matter"
    };
}
pub(super) use relevant;

/// Four decimals, as measured data have them.
pub(super) fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// Refuses sizes nothing can be drawn for.
pub(super) fn check(rows: usize, features: usize, relevant: usize) -> Result<()> {
    if rows < 4 {
        return Err(Error::parameter("rows", rows, "at least 4 are needed"));
    }
    if features == 0 {
        return Err(Error::parameter("features", features, "at least 1 is needed"));
    }
    if relevant > features {
        return Err(Error::parameter("relevant", relevant, format!("there are {features} features")));
    }
    // counted in 64 bits: the bound itself does not fit a usize of 32
    if (rows as u64).checked_mul(features as u64).is_none_or(|cells| cells > 1 << 33) {
        return Err(Error::parameter("rows", rows, format!("with {features} features that is more than 64 GB")));
    }
    Ok(())
}

/// A table with features f1…fK and a label per row.
pub(super) fn table(
    columns: Vec<Vec<f64>>,
    target_name: &str,
    labels: &[String],
    truth: Vec<f64>,
) -> Result<Simulated> {
    let width = columns.len().to_string().len();
    let names = (1..=columns.len()).map(|j| format!("f{j:0width$}")).collect();
    let labels: Vec<Option<&String>> = labels.iter().map(Some).collect();
    Ok(Simulated { table: Table::new(names, columns, target_name, Target::classes(&labels))?, truth })
}
