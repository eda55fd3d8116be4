//! States are few; each is moved and stretched a little, so that together they stay as spread as they were.

use super::score_grid::{OnGrid, interpolate, mean_and_sd, node, normalised};
use crate::numeric::special::normal_quantile;

/// How far centres move, and logarithms of widths, in units of their spread.
const CENTRE: f64 = 0.4;
const WIDTH: f64 = 0.3;

/// The states of one kind, smoothed. Shifts and stretches come from low-discrepancy normal sequences.
pub(super) fn smoothed(states: &[OnGrid], one_sided: bool) -> Vec<OnGrid> {
    let shapes: Vec<(f64, f64)> = states.iter().map(mean_and_sd).collect();
    let n = states.len() as f64;
    let over = |of: &dyn Fn(&(f64, f64)) -> f64| shapes.iter().map(of).sum::<f64>() / n;
    let centre = if one_sided { over(&|shape| shape.0) } else { 0.0 };
    let spread = over(&|shape| (shape.0 - centre).powi(2)).sqrt();
    let width = over(&|shape| shape.1.ln());
    let width_spread = over(&|shape| (shape.1.ln() - width).powi(2)).sqrt();
    let kept = |moved: f64| (1.0 - moved * moved).sqrt();
    let smooth = |(i, (density, (mean, sd))): (usize, (&OnGrid, &(f64, f64)))| {
        let new_mean = centre + kept(CENTRE) * (mean - centre) + CENTRE * spread * normal_sequence(i, 0.618_033_988_7);
        let new_log_sd =
            width + kept(WIDTH) * (sd.ln() - width) + WIDTH * width_spread * normal_sequence(i, 0.754_877_666_2);
        let narrower = (sd.ln() - new_log_sd).exp();
        let moved: OnGrid = std::array::from_fn(|b| interpolate(density, mean + (node(b) - new_mean) * narrower));
        normalised(moved).map(|h| h.max(1e-12))
    };
    states.iter().zip(&shapes).enumerate().map(smooth).collect()
}

/// Number `i` of a sequence whose numbers fill N(0, 1) evenly.
fn normal_sequence(i: usize, ratio: f64) -> f64 {
    normal_quantile(((i as f64 + 0.5) * ratio).fract().clamp(1e-3, 1.0 - 1e-3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn together_states_stay_as_spread_as_they_were() {
        let state = |i: usize| {
            let (mean, sd) = (0.5 * normal_sequence(i, 0.3), (0.15 * normal_sequence(i, 0.7)).exp());
            normalised(std::array::from_fn(|b| (-0.5 * ((node(b) - mean) / sd).powi(2)).exp()))
        };
        let states: Vec<OnGrid> = (0..400).map(state).collect();
        let spread = |states: &[OnGrid]| {
            let shapes: Vec<(f64, f64)> = states.iter().map(mean_and_sd).collect();
            let width = shapes.iter().map(|shape| shape.1.ln()).sum::<f64>() / 400.0;
            let centres = shapes.iter().map(|shape| shape.0.powi(2)).sum::<f64>() / 400.0;
            [centres, shapes.iter().map(|shape| (shape.1.ln() - width).powi(2)).sum::<f64>() / 400.0]
        };
        let after = smoothed(&states, false);
        for (before, after) in spread(&states).into_iter().zip(spread(&after)) {
            assert!((after / before - 1.0).abs() < 0.15, "{before} {after}");
        }
        let moved = states.iter().zip(&after).filter(|(a, b)| (mean_and_sd(a).0 - mean_and_sd(b).0).abs() > 0.05);
        assert!(moved.count() > 200);
    }
}
