//! Densities of a feature, class by class.

use crate::numeric::order_statistics::{ascending, quantile, variance};

/// Points of a curve.
const POINTS: usize = 80;
/// Bandwidths that a curve reaches beyond the values.
const REACH: f64 = 3.0;
/// Fewer values have no curve.
const FEWEST: usize = 5;

/// The density of a feature in every class, at the same points: a normal kernel with Silverman's bandwidth
/// 0.9·min(standard deviation, interquartile range/1.34)·n^(−1/5) of the class (Silverman 1986, eq. 3.31).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClassDensity {
    /// Where the density is given.
    pub at: Vec<f64>,
    /// A curve per class; `None` for a class with fewer than five values, or with a single one.
    pub curves: Vec<Option<Vec<f64>>>,
}

impl ClassDensity {
    /// The densities of values that are not missing; `None` if no class has a curve.
    pub fn of(values: &[f64], codes: &[u32], classes: usize) -> Option<ClassDensity> {
        let of_class = |class: usize| {
            let members =
                values.iter().zip(codes).filter(|(value, code)| **code as usize == class && value.is_finite());
            ascending(members.map(|(value, _)| *value).collect())
        };
        let sorted: Vec<Vec<f64>> = (0..classes).map(of_class).collect();
        let widths: Vec<Option<f64>> = sorted.iter().map(|values| bandwidth(values)).collect();
        let drawn = || sorted.iter().zip(&widths).filter_map(|(values, width)| width.map(|width| (values, width)));
        let low = drawn().map(|(values, width)| values[0] - REACH * width).fold(f64::INFINITY, f64::min);
        let high = drawn().map(|(values, width)| values[values.len() - 1] + REACH * width);
        let high = high.fold(f64::NEG_INFINITY, f64::max);
        if !(low < high && (high - low).is_finite()) {
            return None;
        }
        let at: Vec<f64> = (0..POINTS).map(|i| low + (high - low) * i as f64 / (POINTS - 1) as f64).collect();
        let curve = |(values, width): (&Vec<f64>, &Option<f64>)| {
            width.map(|width| at.iter().map(|&x| density(values, width, x)).collect())
        };
        let curves = sorted.iter().zip(&widths).map(curve).collect();
        Some(ClassDensity { at, curves })
    }
}

fn bandwidth(sorted: &[f64]) -> Option<f64> {
    if sorted.len() < FEWEST {
        return None;
    }
    let deviation = variance(sorted).sqrt();
    let quartiles = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.34;
    let spread = if quartiles > 0.0 { deviation.min(quartiles) } else { deviation };
    (spread > 0.0).then(|| 0.9 * spread * (sorted.len() as f64).powf(-0.2))
}

fn density(values: &[f64], width: f64, x: f64) -> f64 {
    let kernel = |value: &f64| (-0.5 * ((x - value) / width).powi(2)).exp();
    values.iter().map(kernel).sum::<f64>() / (values.len() as f64 * width * (2.0 * std::f64::consts::PI).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_density_integrates_to_one_and_a_wider_class_is_lower() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i % 100 - 50) * if i < 100 { 0.1 } else { 0.5 }).collect();
        let codes: Vec<u32> = (0..200).map(|i| u32::from(i >= 100)).collect();
        let found = ClassDensity::of(&values, &codes, 3).expect("curves");
        let step = found.at[1] - found.at[0];
        let [Some(narrow), Some(wide), None] = &found.curves[..] else { panic!("two curves") };
        for curve in [narrow, wide] {
            let sum: f64 = curve.iter().sum::<f64>() * step;
            assert!((sum - 1.0).abs() < 0.02, "{sum}");
        }
        let top = |curve: &[f64]| curve.iter().copied().fold(0.0, f64::max);
        assert!(top(narrow) > 3.0 * top(wide));
    }

    #[test]
    fn few_values_and_constants_have_no_curve() {
        assert_eq!(ClassDensity::of(&[1.0, 2.0, 3.0, f64::NAN], &[0, 0, 0, 0], 1), None);
        assert_eq!(ClassDensity::of(&[2.0; 9], &[0; 9], 1), None);
    }
}
