//! The grid of scores: −8, −7.9 … 8, with counts and densities on its nodes.

/// Spacing of the nodes.
pub(super) const STEP: f64 = 0.1;
/// The last node.
pub(super) const TOP: f64 = 8.0;
/// How many nodes there are.
pub(super) const NODES: usize = 161;
/// Scores beyond are certain.
pub(super) const CERTAIN: f64 = TOP - 0.1;

/// A number for each node.
pub(super) type OnGrid = [f64; NODES];

/// The score of a node.
pub(super) fn node(b: usize) -> f64 {
    STEP * b as f64 - TOP
}

/// The node below a score, and its nearness to the next one: what lies beyond the grid is at its ends.
#[inline(always)]
fn place(z: f64) -> (usize, f64) {
    const LAST: f64 = (NODES - 1) as f64 - 1e-9;
    let at = ((z + TOP) / STEP).clamp(0.0, LAST);
    let below = at as usize;
    (below, at - below as f64)
}

/// Counts a score `times` times, shared between the nodes on both sides of it by nearness.
#[inline(always)]
pub(super) fn count(counts: &mut OnGrid, z: f64, times: f64) {
    let (below, nearness) = place(z);
    counts[below] += times * (1.0 - nearness);
    counts[below + 1] += times * nearness;
}

/// Linear interpolation at a score.
pub(super) fn interpolate(values: &OnGrid, z: f64) -> f64 {
    let (below, nearness) = place(z);
    (1.0 - nearness) * values[below] + nearness * values[below + 1]
}

/// The mirror image about 0.
pub(super) fn mirrored(values: &OnGrid) -> OnGrid {
    std::array::from_fn(|b| values[NODES - 1 - b])
}

/// Divided by their sum.
pub(super) fn normalised(mut values: OnGrid) -> OnGrid {
    let sum: f64 = values.iter().sum();
    values.iter_mut().for_each(|v| *v /= sum);
    values
}

/// N(0, 1) on the nodes, with sum 1.
pub(super) fn standard_normal() -> OnGrid {
    normalised(std::array::from_fn(|b| (-0.5 * node(b) * node(b)).exp()))
}

/// The convolution with N(0, `sd`²), cut where it is small, with zeros outside the grid.
pub(super) fn blurred(values: &OnGrid, sd: f64) -> OnGrid {
    let reach = (4.0 * sd / STEP) as usize + 1;
    let mut kernel: Vec<f64> = (0..=reach).map(|k| (-0.5 * (k as f64 * STEP / sd).powi(2)).exp()).collect();
    let sum = kernel[0] + 2.0 * kernel[1..].iter().sum::<f64>();
    kernel.iter_mut().for_each(|k| *k /= sum);
    let mut out = [0.0; NODES];
    for (b, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        for to in b.saturating_sub(reach)..NODES.min(b + reach + 1) {
            out[to] += value * kernel[to.abs_diff(b)];
        }
    }
    out
}

/// The mean and the standard deviation of a density of sum 1.
pub(super) fn mean_and_sd(density: &OnGrid) -> (f64, f64) {
    let moment = |power: i32| density.iter().enumerate().map(|(b, h)| h * node(b).powi(power)).sum::<f64>();
    let mean = moment(1);
    (mean, (moment(2) - mean * mean).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_keep_the_number_and_the_mean_of_scores_on_the_grid() {
        let mut counts = [0.0; NODES];
        let scores = [-7.93, -0.05, 0.0, 0.1, 1.234, 7.99];
        scores.iter().for_each(|z| count(&mut counts, *z, 2.0));
        assert!((counts.iter().sum::<f64>() - 12.0).abs() < 1e-12);
        let mean: f64 = counts.iter().enumerate().map(|(b, c)| c * node(b)).sum::<f64>() / 12.0;
        assert!((mean - scores.iter().sum::<f64>() / 6.0).abs() < 1e-12);
        let mut beyond = [0.0; NODES];
        [-30.0, 8.0, 1e30].iter().for_each(|z| count(&mut beyond, *z, 1.0));
        assert!((beyond[0] - 1.0).abs() < 1e-6 && (beyond[NODES - 1] - 2.0).abs() < 1e-6);
    }

    #[test]
    fn blurring_keeps_the_sum_and_adds_the_variance() {
        let narrow = standard_normal();
        let (mean, sd) = mean_and_sd(&normalised(blurred(&narrow, 0.2)));
        assert!(mean.abs() < 1e-12 && (sd - (1.0_f64 + 0.04).sqrt()).abs() < 1e-4, "{sd}");
        assert!((blurred(&narrow, 0.2).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((interpolate(&std::array::from_fn(node), 1.2345) - 1.2345).abs() < 1e-12);
        assert_eq!(mirrored(&mirrored(&narrow)), narrow);
    }
}
