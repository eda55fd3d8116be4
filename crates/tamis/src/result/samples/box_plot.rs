//! Box plots: quartiles, whiskers and the values beyond them.

use crate::numeric::order_statistics::{ascending, quantile};

/// A box from the lower to the upper quartile, and whiskers to the furthest values within 1.5 times its length (Tukey
/// 1977). Quartiles are quantiles of type 7, linear between order statistics.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BoxPlot {
    /// How many values there are.
    pub rows: usize,
    /// The end of the lower whisker.
    pub low: f64,
    /// The lower quartile.
    pub lower_quartile: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub upper_quartile: f64,
    /// The end of the upper whisker.
    pub high: f64,
    /// The values beyond the whiskers, ascending.
    pub outliers: Vec<f64>,
}

impl BoxPlot {
    /// The box of the values that are not missing; `None` if all are.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<BoxPlot> {
        let sorted = ascending(values.filter(|x| !x.is_nan()).collect());
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|level| quantile(&sorted, level));
        let reach = 1.5 * (upper - lower);
        let inside = |x: f64| x >= lower - reach && x <= upper + reach;
        let (within, outliers): (Vec<f64>, Vec<f64>) = sorted.iter().partition(|x| inside(**x));
        // A whisker ends at the box where no value lies between them.
        let low = within.first()?.min(lower);
        let high = within.last()?.max(upper);
        Some(BoxPlot { rows: sorted.len(), low, lower_quartile: lower, median, upper_quartile: upper, high, outliers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(values: &[f64]) -> Option<[f64; 5]> {
        let found = BoxPlot::of(values.iter().copied())?;
        Some([found.low, found.lower_quartile, found.median, found.upper_quartile, found.high])
    }

    #[test]
    fn quartiles_are_linear_between_order_statistics() {
        // 1 2 3 4: quartiles at positions 0.75, 1.5, 2.25 from the first
        assert_eq!(marks(&[4.0, 1.0, 3.0, 2.0]), Some([1.0, 1.75, 2.5, 3.25, 4.0]));
        assert_eq!(marks(&[5.0, 1.0, f64::NAN, 2.0, 4.0, 3.0]), Some([1.0, 2.0, 3.0, 4.0, 5.0]));
    }

    #[test]
    fn whiskers_end_at_the_last_value_within_reach() {
        // quartiles 2 and 4, so values from -1 to 7 are within reach
        let found = BoxPlot::of([1.0, 2.0, 3.0, 4.0, 50.0].into_iter()).expect("a box");
        assert_eq!((found.low, found.high, found.rows), (1.0, 4.0, 5));
        assert_eq!(found.outliers, [50.0]);
    }

    #[test]
    fn one_value_constant_values_and_none_are_boxes_or_nothing() {
        assert_eq!(marks(&[7.0]), Some([7.0; 5]));
        assert_eq!(marks(&[2.0; 9]), Some([2.0; 5]));
        assert_eq!(marks(&[f64::NAN]), None);
        assert_eq!(marks(&[]), None);
    }

    #[test]
    fn a_whisker_never_ends_inside_the_box() {
        // quartiles 0.75 and 26, and the largest value within reach is 1
        let found = BoxPlot::of([0.0, 1.0, 1.0, 101.0].into_iter()).expect("a box");
        assert_eq!((found.lower_quartile, found.upper_quartile), (0.75, 26.0));
        assert_eq!((found.high, found.outliers), (26.0, vec![101.0]));
    }
}
