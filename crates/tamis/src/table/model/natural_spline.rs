//! Natural cubic splines of a variable as columns of a design.

use crate::numeric::order_statistics::{ascending, quantile};

/// The columns of natural cubic splines with `df` degrees of freedom, which all vanish at the least number: knots at the
/// quantiles i/df, straight lines beyond. `None` where there are fewer different knots.
pub(super) fn natural_spline(x: &[f64], df: usize) -> Option<Vec<Vec<f64>>> {
    let sorted = ascending(x.to_vec());
    let knots: Vec<f64> = (0..=df).map(|i| quantile(&sorted, i as f64 / df as f64)).collect();
    if knots.windows(2).any(|pair| pair[0] >= pair[1]) {
        return None;
    }
    let (first, last) = (knots[0], knots[df]);
    let cube = |x: f64, knot: f64| (x - knot).max(0.0).powi(3);
    let slope = |x: f64, j: usize| (cube(x, knots[j]) - cube(x, last)) / (last - knots[j]);
    let range = last - first;
    let curved = |j: usize| x.iter().map(|&x| (slope(x, j) - slope(x, df - 1)) / (range * range)).collect();
    let line: Vec<f64> = x.iter().map(|x| x - first).collect();
    Some(std::iter::once(line).chain((0..df - 1).map(curved)).collect())
}
