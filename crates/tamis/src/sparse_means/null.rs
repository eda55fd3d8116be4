//! The empirical null: scores rescaled by the middle of their own distribution.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, text};
use serde::{Deserialize, Serialize};

/// Centre and spread of the scores' middle, which is taken to be irrelevant features.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EmpiricalNull {
    /// The median.
    pub centre: f64,
    /// MAD/0.67449, the standard deviation of a normal with that median absolute deviation.
    pub spread: f64,
}

/// Turns sorted scores z into (z − median)/(MAD/0.67449), in place. Cost: O(n).
pub(crate) fn standardise(sorted: &mut [f64]) -> Result<EmpiricalNull> {
    let Some(null) = measure(sorted) else {
        return Ok(EmpiricalNull { centre: 0.0, spread: 1.0 });
    };
    if null.spread <= 0.0 {
        return Err(Error::data(
            Place::default(),
            "more than half of the scores are equal, so the empirical null has no spread",
            text!["pass ", OptionName::from("null").set("theoretical")],
        ));
    }
    for z in sorted {
        *z = (*z - null.centre) / null.spread;
    }
    Ok(null)
}

fn measure(sorted: &[f64]) -> Option<EmpiricalNull> {
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    let centre = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    // |z − centre| grows outwards on both sides: merge the two runs up to the middle.
    let split = sorted.partition_point(|z| *z < centre);
    let (mut left, mut right) = (split, split);
    let mut next = || {
        let below = (left > 0).then(|| centre - sorted[left - 1]);
        let above = (right < n).then(|| sorted[right] - centre);
        match (below, above) {
            (Some(b), Some(a)) if b < a => {
                left -= 1;
                b
            }
            (_, Some(a)) => {
                right += 1;
                a
            }
            (Some(b), None) => {
                left -= 1;
                b
            }
            (None, None) => 0.0,
        }
    };
    let mut mad = 0.0;
    for i in 0..=n / 2 {
        let deviation = next();
        if i == (n - 1) / 2 {
            mad += 0.5 * deviation;
        }
        if i == n / 2 {
            mad += 0.5 * deviation;
        }
    }
    Some(EmpiricalNull { centre, spread: mad / 0.674_49 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_mad_agree_with_sorting_the_deviations() {
        for n in 1..40_usize {
            let mut z: Vec<f64> = (0..n).map(|i| ((i * 37 + 11) % 23) as f64 * 0.3 - 2.0).collect();
            z.sort_by(f64::total_cmp);
            let middle = |v: &[f64]| 0.5 * (v[(n - 1) / 2] + v[n / 2]);
            let centre = middle(&z);
            let mut deviations: Vec<f64> = z.iter().map(|v| (v - centre).abs()).collect();
            deviations.sort_by(f64::total_cmp);
            let got = measure(&z).expect("not empty");
            assert_eq!(got.centre, centre);
            assert!((got.spread - middle(&deviations) / 0.674_49).abs() < 1e-15, "{n}");
        }
    }

    #[test]
    fn scores_without_spread_are_refused() {
        assert!(standardise(&mut [0.0, 1.0, 1.0, 1.0, 2.0]).is_err());
    }
}
