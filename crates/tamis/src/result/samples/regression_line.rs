//! The least-squares line through a feature against a numeric target.

/// A line: intercept + slope · target.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RegressionLine {
    /// The feature where the target is 0.
    pub intercept: f64,
    /// The change of the feature per unit of the target.
    pub slope: f64,
}

impl RegressionLine {
    /// The line that fits the rows that have both numbers; `None` where the target does not vary in them.
    pub fn of(target: &[f64], feature: &[f64]) -> Option<RegressionLine> {
        let known = || target.iter().zip(feature).filter(|(x, y)| !x.is_nan() && !y.is_nan());
        let first = known().next()?.0;
        if known().all(|(x, _)| x == first) {
            return None;
        }
        let n = known().count() as f64;
        let (mean_x, mean_y) = (known().map(|(x, _)| x).sum::<f64>() / n, known().map(|(_, y)| y).sum::<f64>() / n);
        let xx: f64 = known().map(|(x, _)| (x - mean_x).powi(2)).sum();
        let xy: f64 = known().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        let slope = xy / xx;
        slope.is_finite().then_some(RegressionLine { intercept: mean_y - slope * mean_x, slope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_a_missing_number_are_left_out() {
        let line = RegressionLine::of(&[1.0, 2.0, 3.0, 9.0, f64::NAN], &[3.0, 5.0, 7.0, f64::NAN, 1.0]);
        assert_eq!(line, Some(RegressionLine { intercept: 1.0, slope: 2.0 }));
        // means 2 and 3, Σ(x − 2)² = 2, Σ(x − 2)(y − 3) = 1
        let line = RegressionLine::of(&[1.0, 2.0, 3.0], &[2.0, 4.0, 3.0]);
        assert_eq!(line, Some(RegressionLine { intercept: 2.0, slope: 0.5 }));
    }

    #[test]
    fn a_constant_feature_has_a_level_line_and_a_constant_target_none() {
        assert_eq!(RegressionLine::of(&[1.0, 2.0], &[4.0, 4.0]), Some(RegressionLine { intercept: 4.0, slope: 0.0 }));
        assert_eq!(RegressionLine::of(&[2.0, 2.0], &[4.0, 5.0]), None);
        assert_eq!(RegressionLine::of(&[], &[]), None);
    }
}
