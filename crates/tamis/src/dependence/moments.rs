//! Pearson's X² over permutations of the target: its exact mean and variance, and the surprise of a value.

use crate::numeric::special::surprise_chi2;

/// A variance below this share of the squared mean is none.
const NO_VARIANCE: f64 = 1e-10;

/// The gamma distribution that X² of a table with fixed margins has about, if rows are permuted.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableNull {
    /// Mean and variance over all permutations (Dawson, Biometrika 41, 1954).
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl TableNull {
    /// For margins that are all positive and have the same sum.
    pub(super) fn of(levels: &[f64], classes: &[f64]) -> TableNull {
        let n: f64 = levels.iter().sum();
        let spread = |margin: &[f64]| {
            let k = margin.len() as f64;
            let inverse: f64 = margin.iter().map(|size| 1.0 / size).sum();
            ((k - 1.0) * (n - k) / (n - 1.0), (n * inverse - k * k) / (n - 2.0))
        };
        let ((v_r, w_r), (v_c, w_c)) = (spread(levels), spread(classes));
        let (r, c) = (levels.len() as f64, classes.len() as f64);
        TableNull {
            mean: n * (r - 1.0) * (c - 1.0) / (n - 1.0),
            variance: 2.0 * n / (n - 3.0) * (v_r - w_r) * (v_c - w_c) + n * n / (n - 1.0) * w_r * w_c,
        }
    }

    /// −ln P(X² ≥ x), by the gamma distribution of this mean and variance; 0 where X² does not vary.
    pub(super) fn surprise(&self, x: f64) -> f64 {
        let &TableNull { mean, variance } = self;
        let varies = variance > NO_VARIANCE * mean * mean; // false for what is no number, too
        if varies && variance.is_finite() {
            surprise_chi2(2.0 * x * mean / variance, 2.0 * mean * mean / variance)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fixture, numbers};

    #[test]
    fn moments_and_surprises_are_those_of_the_definition() {
        for case in fixture("oracle/dependence/moments.json").as_array().expect("cases") {
            let null = TableNull::of(&numbers(&case["rows"]), &numbers(&case["cols"]));
            let wanted = |key: &str| case[key].as_f64().expect("a number");
            assert!((null.mean - wanted("mean")).abs() < 1e-12, "{case}: {null:?}");
            assert!((null.variance - wanted("variance")).abs() < 1e-12, "{case}: {null:?}");
        }
        for case in fixture("oracle/dependence/surprise.json").as_array().expect("cases") {
            let given = |key: &str| case[key].as_f64().expect("a number");
            let got = match case["kind"].as_str() {
                Some("gamma") => TableNull { mean: given("mean"), variance: given("variance") }.surprise(given("x")),
                _ => surprise_chi2(given("x"), given("df")),
            };
            let wanted = given("value");
            assert!((got - wanted).abs() < 1e-12 * wanted.abs().max(1.0), "{case}: {got}");
        }
    }

    #[test]
    fn a_table_that_cannot_vary_surprises_nobody() {
        assert_eq!(TableNull::of(&[499.0, 1.0], &[250.0, 250.0]).surprise(1.0), 0.0);
        assert_eq!(TableNull::of(&[2.0, 1.0], &[2.0, 1.0]).surprise(3.0), 0.0);
    }
}
