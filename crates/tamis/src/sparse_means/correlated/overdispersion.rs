//! Overdispersion: how much more than independent scores do counts of scores vary?
//!
//! S_r = Σ_i (e^(−½) cosh z*_ri − 1), the score statistic of the effects ±1, has variance K(cosh 1 − 1) over independent
//! null scores (where only positive scores count: e^(z − ½) − 1, with variance K(e − 1)). φ is its variance over null
//! targets divided by this.

use super::conditional_null::Scaling;
use super::null_rows::{Features, Row};
use crate::numeric::order_statistics::variance;
use rayon::prelude::*;
use std::f64::consts::E;

/// Scores are taken as no larger: no exact normal score is, and squares of sums must stay finite.
const LARGEST: f64 = 40.0;

/// φ of standardised null scores; 1 unless it is larger than `beyond`.
pub(super) fn phi(rows: &[Row], scalings: &[Scaling], features: &Features, beyond: f64) -> f64 {
    let sums: Vec<f64> = rows.par_iter().zip(scalings).map(|(row, scaling)| sum(row, scaling, features)).collect();
    let one_sided = features.count_one_sided() as f64;
    let two_sided = features.len() as f64 - one_sided;
    let phi = variance(&sums) / (two_sided * (1_f64.cosh() - 1.0) + one_sided * (E - 1.0));
    if phi > beyond { phi } else { 1.0 }
}

fn sum(row: &Row, scaling: &Scaling, features: &Features) -> f64 {
    let half = (-0.5_f64).exp();
    let mut sum = 0.0;
    row.each(features, |z, one_sided, count| {
        let exp = scaling.apply(z).clamp(-LARGEST, LARGEST).exp();
        let term = if one_sided { half * exp } else { half * 0.5 * (exp + 1.0 / exp) };
        sum += count * (term - 1.0);
    });
    sum
}
