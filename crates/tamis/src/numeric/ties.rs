//! Ranks and ties, and the checks that measures on arrays begin with.

use crate::base::{Error, Place, Result, Text};

/// The normal quantile of every 95 % interval.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// An error about the numbers given to a measure.
pub(crate) fn refuse<T>(problem: impl Into<Text>, remedy: impl Into<Text>) -> Result<T> {
    Err(Error::data(Place::default(), problem, remedy))
}

/// Refuses two arrays of different lengths.
pub(crate) fn same_length(a: (usize, &str), b: (usize, &str)) -> Result<()> {
    if a.0 == b.0 {
        return Ok(());
    }
    refuse(format!("there are {} {} and {} {}", a.0, a.1, b.0, b.1), "give one of each per row")
}

/// The positions of `values` in rising order, and the stretches of that order in which values are equal.
///
/// Refuses NaN. O(n log n).
pub(crate) fn tied_runs(values: &[f64], what: &str) -> Result<(Vec<u32>, Vec<std::ops::Range<usize>>)> {
    if let Some(at) = values.iter().position(|v| v.is_nan()) {
        return refuse(format!("{what} {} is not a number", at + 1), "measure only what was predicted");
    }
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    let value = |at: usize| values[order[at] as usize];
    let mut runs = Vec::new();
    let mut start = 0;
    for end in 1..=values.len() {
        if end == values.len() || value(end) != value(start) {
            runs.push(start..end);
            start = end;
        }
    }
    Ok((order, runs))
}

/// Ranks from 1, equal values sharing their average, and Σ(t³ − t) over runs of t equal values. O(n log n).
pub(crate) fn average_ranks(values: &[f64], what: &str) -> Result<(Vec<f64>, f64)> {
    let (order, runs) = tied_runs(values, what)?;
    let mut ranks = vec![0.0; values.len()];
    let mut ties = 0.0;
    for run in runs {
        let t = run.len() as f64;
        ties += t * t * t - t;
        for &at in &order[run.clone()] {
            ranks[at as usize] = 0.5 * (run.start + 1 + run.end) as f64;
        }
    }
    Ok((ranks, ties))
}

/// Refuses arrays that do not have one number per row and one array per class.
pub(crate) fn check_shape<P: AsRef<[f64]>>(probabilities: &[P], truth: &[u32]) -> Result<()> {
    if truth.is_empty() {
        return refuse("there are no predicted rows", "predict at least one");
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
