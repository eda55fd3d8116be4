//! Checks that measures on arrays begin with.

use crate::base::{Error, Place, Result, Text};

/// An error about the numbers given to a measure.
pub(crate) fn refuse<T>(problem: impl Into<Text>, remedy: impl Into<Text>) -> Result<T> {
    Err(Error::data(Place::default(), problem, remedy))
}

/// Refuses to measure nothing.
pub(crate) fn nothing_predicted<T>() -> Result<T> {
    refuse("there are no predicted rows", "predict at least one")
}

/// What is wrong with rows that cannot be told apart.
pub(crate) const ONE_CLASS: &str = "all rows are of one class";

/// Refuses two arrays of different lengths.
pub(crate) fn same_length(a: (usize, &str), b: (usize, &str)) -> Result<()> {
    if a.0 == b.0 {
        return Ok(());
    }
    let problem = format!("as many {} as {} are needed, but there are {} and {}", a.1, b.1, a.0, b.0);
    refuse(problem, "give one of each per row")
}

/// Refuses arrays that do not have one number per row and one array per class.
pub(crate) fn check_shape<P: AsRef<[f64]>>(probabilities: &[P], truth: &[u32]) -> Result<()> {
    if truth.is_empty() {
        return nothing_predicted();
    }
    for p in probabilities {
        same_length((p.as_ref().len(), "probabilities"), (truth.len(), "rows"))?;
    }
    if let Some(row) = truth.iter().position(|&t| t as usize >= probabilities.len()) {
        let problem = format!("row {} is of class {}, of {}", row + 1, truth[row], probabilities.len());
        return refuse(problem, "give the probabilities of every class, numbered from 0");
    }
    Ok(())
}
