//! Whether the variances of features follow their means closely enough for a prior that does so too.

use super::feature_variance::Variance;
use super::variance_trend_spline::NaturalSpline;
use crate::numeric::special::{digamma, f_upper, trigamma};

/// Fewer features do not show a trend.
const FEWEST: usize = 30;
/// The level of the test.
const LEVEL: f64 = 0.001;
/// The share of the spread that the means must explain.
const SHARE: f64 = 0.2;
/// Numbers that a trend has.
const DEGREES: usize = 4;

/// What the means say about the variances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TrendCheck {
    /// How much better a curve fits than a constant: F.
    pub(crate) f: f64,
    /// Its p-value.
    pub(crate) p_value: f64,
    /// The spread of ln s² beyond that of noise, about a constant and about a curve.
    pub(crate) spread: [f64; 2],
    /// The share of that spread that the curve explains.
    pub(crate) share: f64,
    /// Whether the prior is to follow the means. Both conditions are needed: means of noisy features scatter more, so
    /// that F alone is significant in most tables; few features that move together explain a share by chance.
    pub(crate) on: bool,
}

impl TrendCheck {
    /// The check of features with these variances, floored, on more than 0 degrees of freedom.
    ///
    /// Cost: a sort of the means and a pass.
    pub(super) fn of(used: &[Variance], logs: &[f64]) -> TrendCheck {
        let n = used.len() as f64;
        let means: Vec<f64> = used.iter().map(|feature| feature.mean).collect();
        let curve = NaturalSpline::of_degrees(&means, logs, DEGREES);
        let m = curve.degrees() as f64;
        let middle = logs.iter().sum::<f64>() / n;
        let about_middle: f64 = logs.iter().map(|e| (e - middle).powi(2)).sum();
        let about_curve: f64 = logs.iter().zip(&means).map(|(e, &mean)| (e - curve.at(mean)).powi(2)).sum();
        let noise = used.iter().map(|feature| trigamma(0.5 * feature.df)).sum::<f64>() / n;
        let spread = [about_middle / (n - 1.0) - noise, about_curve / (n - m) - noise];
        let f = if m > 1.0 { (about_middle - about_curve) / (m - 1.0) / (about_curve / (n - m)) } else { 0.0 };
        let p_value = if m > 1.0 { f_upper(f.max(0.0), m - 1.0, n - m) } else { 1.0 };
        let share = if spread[0] > 0.0 { 1.0 - spread[1].max(0.0) / spread[0] } else { 0.0 };
        let on = used.len() >= FEWEST && p_value < LEVEL && share >= SHARE;
        TrendCheck { f, p_value, spread, share, on }
    }
}

/// e = ln s² − ψ(d/2) + ln(d/2) of features with these variances: what ln σ² is expected to be.
pub(super) fn expected_logs(used: &[Variance], floored: &[f64]) -> Vec<f64> {
    used.iter().zip(floored).map(|(feature, s)| s.ln() - digamma(0.5 * feature.df) + (0.5 * feature.df).ln()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::score::design::variance_prior::VariancePrior;

    #[test]
    fn the_check_agrees_with_the_reference() {
        let path = format!("{}/tests/fixtures/oracle/designs2/trend_auto.json", env!("CARGO_MANIFEST_DIR"));
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let numbers =
            |v: &serde_json::Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
        for case in file["cases"].as_array().unwrap() {
            let (variance, df, mean) =
                (numbers(&case["variance"]), numbers(&case["df_residual"]), numbers(&case["mean"]));
            let feature = |i: usize| Some(Variance { variance: variance[i], df: df[i], mean: mean[i] });
            let found = VariancePrior::trend_of(&(0..mean.len()).map(feature).collect::<Vec<_>>()).unwrap();
            let wanted = |key: &str| case[key].as_f64().unwrap();
            for (found, key) in
                [(found.f, "F"), (found.spread[0], "V0"), (found.spread[1], "V1"), (found.share, "share")]
            {
                assert!((found - wanted(key)).abs() <= 1e-10 * wanted(key).abs().max(1.0), "{key}: {found}");
            }
            assert!((found.p_value - wanted("p_value")).abs() <= 1e-9 * wanted("p_value"));
            assert_eq!(found.on, case["on"].as_bool().unwrap());
        }
    }
}
