//! How the scores of one kind in a vector are spread: counts on the grid, in classes, and a smoothed density.

use super::null_rows::KindScores;
use super::score_grid::{NODES, OnGrid, blurred, count, normalised};

/// Cuts between classes of about equal size under N(0, 1), above 0; with their negatives and 0 they make 16 classes.
const CUTS: [f64; 15] = [
    -1.5341, -1.1503, -0.8871, -0.6745, -0.4888, -0.3186, -0.1573, 0.0, 0.1573, 0.3186, 0.4888, 0.6745, 0.8871, 1.1503,
    1.5341,
];
/// How many classes there are.
pub(super) const CLASSES: usize = CUTS.len() + 1;
/// The standard deviation by which a row's density is smoothed.
const BLUR: f64 = 0.2;

/// The spread of some scores.
pub(super) struct RowShape {
    /// On the grid.
    pub(super) counts: OnGrid,
    /// In classes; a score at a cut is in the lower one.
    pub(super) classes: [f64; CLASSES],
    pub(super) n: f64,
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl RowShape {
    pub(super) fn of(scores: &KindScores<'_>) -> RowShape {
        let mut counts = [0.0; NODES];
        let mut above = [0.0; CUTS.len()];
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        scores.each(|z, times| {
            count(&mut counts, z, times);
            for (above, cut) in above.iter_mut().zip(CUTS) {
                *above += if z > cut { times } else { 0.0 };
            }
            n += times;
            sum += times * z;
            squares += times * z * z;
        });
        let mean = sum / n;
        let reaching = |class: usize| if class == 0 { n } else { above[class - 1] };
        let beyond = |class: usize| above.get(class).copied().unwrap_or(0.0);
        let classes = std::array::from_fn(|class| reaching(class) - beyond(class));
        RowShape { counts, classes, n, mean, variance: (squares / n - mean * mean).max(0.0) }
    }

    /// The density of these scores, drawn to their mean by as much as the smoothing widens them.
    pub(super) fn density(&self, scores: &KindScores<'_>) -> OnGrid {
        let narrower = (1.0 - BLUR * BLUR / self.variance.max(1e-9)).max(0.5).sqrt();
        let mut counts = [0.0; NODES];
        scores.each(|z, times| count(&mut counts, self.mean + (z - self.mean) * narrower, times));
        normalised(blurred(&counts, BLUR))
    }
}

/// The standard deviation of the scores of all kinds together.
pub(super) fn width(shapes: &[RowShape]) -> f64 {
    let n: f64 = shapes.iter().map(|shape| shape.n).sum();
    let mean = shapes.iter().map(|shape| shape.n * shape.mean).sum::<f64>() / n;
    let about = |shape: &RowShape| shape.n * (shape.variance + (shape.mean - mean).powi(2));
    (shapes.iter().map(about).sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse_means::noise_states::score_grid::mean_and_sd;

    #[test]
    fn a_score_at_a_cut_is_in_the_lower_class() {
        let shape = RowShape::of(&KindScores::Held(&[0.0, -9.0, 9.0, 0.1, 0.2]));
        let filled: Vec<usize> = (0..CLASSES).filter(|&class| shape.classes[class] > 0.0).collect();
        assert_eq!(filled, [0, 7, 8, 9, 15]);
        assert_eq!(shape.classes.iter().sum::<f64>(), 5.0);
    }

    #[test]
    fn smoothing_keeps_the_width() {
        let scores: Vec<f32> = (0..4000).map(|i| (i as f32 - 1999.5) / 1200.0 + 0.3).collect();
        let shape = RowShape::of(&KindScores::Held(&scores));
        let (mean, sd) = mean_and_sd(&shape.density(&KindScores::Held(&scores)));
        assert!((mean - shape.mean).abs() < 2e-3 && (sd - shape.variance.sqrt()).abs() < 2e-3, "{mean} {sd}");
        assert!((width(&[shape]) - sd).abs() < 2e-3);
    }
}
