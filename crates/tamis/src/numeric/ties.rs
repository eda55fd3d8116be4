//! Ranks and ties.

use super::measure_checks::refuse;
use crate::base::Result;

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
