//! The gate: does anything differ at all? The data's score vector is one of R + 1; under noise all are exchangeable, so
//! that the level is exact whatever the correlation.
//!
//! A vector's statistic is the largest of two legs. The first compares its strengths at a few ranks with those of all
//! vectors, in standard deviations. The second asks for a longer tail than a vector's core lets expect: the logarithms of
//! the largest distances from the median, regressed over the vectors on the core's width and centre.

use super::strengths::{Strengths, Tail};
use crate::base::{Error, Result};
use crate::numeric::linalg::dot;

/// The decision, with what it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoiseGate {
    /// Something differs.
    pub open: bool,
    /// Null targets whose scores are as extreme as the data's.
    pub above: usize,
    /// The gate opens if no more than so many are.
    pub allowed: usize,
    /// Null targets.
    pub rows: usize,
}

/// Rounding of 1 − quiet must not cost a null target.
const ROUNDING: f64 = 1e-9;

/// The fewest null targets with which a share `quiet` of tables of noise can stay quiet: 1/(1 − quiet) − 1.
pub(crate) fn fewest_rows(quiet: f64) -> usize {
    (1.0 / (1.0 - quiet) - 1.0 - ROUNDING).ceil() as usize
}

/// Refuses null targets too few for `quiet`.
pub(super) fn check_rows(rows: usize, quiet: f64) -> Result<()> {
    let needed = fewest_rows(quiet);
    if rows >= needed {
        return Ok(());
    }
    let expected = format!("quiet={quiet} needs at least {needed} null targets whose scores differ");
    Err(Error::parameter("permutations", rows, expected))
}

/// Decides from the strengths of the data and of the rows of null scores.
pub(super) fn decide(observed: &Strengths, rows: &[Strengths], quiet: f64) -> NoiseGate {
    let vectors: Vec<&Strengths> = std::iter::once(observed).chain(rows).collect();
    let mut extremes = vec![f64::NEG_INFINITY; vectors.len()];
    let mut raise = |values: Vec<f64>| extremes.iter_mut().zip(values).for_each(|(e, v)| *e = e.max(v));
    for at in 0..observed.largest.len() {
        raise(in_deviations(vectors.iter().map(|vector| vector.largest[at]).collect(), true));
    }
    for (k, tail) in observed.tails.iter().enumerate() {
        let basis = core_basis(&vectors, k);
        for at in 0..tail.largest.len() {
            let logarithms = vectors.iter().map(|vector| vector.tails[k].largest[at].max(1e-9).ln()).collect();
            raise(in_deviations(unexpected(logarithms, &basis), false));
        }
    }
    let above = extremes[1..].iter().filter(|e| **e >= extremes[0]).count();
    let allowed = (((1.0 - quiet) * vectors.len() as f64 + ROUNDING).floor() as usize).saturating_sub(1);
    NoiseGate { open: above <= allowed, above, allowed, rows: rows.len() }
}

/// The values in units of their standard deviation, less their mean if they are to be `centred`.
fn in_deviations(mut values: Vec<f64>, centred: bool) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
    let from = if centred { mean } else { 0.0 };
    values.iter_mut().for_each(|v| *v = (*v - from) / (sd + 1e-12));
    values
}

/// Orthonormal vectors of the space of 1, the logarithms of the core's quantiles and its centre.
fn core_basis(vectors: &[&Strengths], k: usize) -> Vec<Vec<f64>> {
    let of = |value: &dyn Fn(&Tail) -> f64| vectors.iter().map(|vector| value(&vector.tails[k])).collect::<Vec<f64>>();
    let centre = |tail: &Tail| if tail.one_sided { tail.median } else { tail.median.abs() };
    let log_core = |at: usize| move |tail: &Tail| (tail.core[at] + 1e-9).ln();
    let mut basis: Vec<Vec<f64>> = vec![];
    for mut vector in [of(&|_| 1.0), of(&log_core(0)), of(&log_core(1)), of(&centre)] {
        let length = dot(&vector, &vector).sqrt();
        for _ in 0..2 {
            // twice, for what rounding leaves
            for direction in &basis {
                let along = dot(direction, &vector);
                vector.iter_mut().zip(direction).for_each(|(v, d)| *v -= along * d);
            }
        }
        let left = dot(&vector, &vector).sqrt();
        if left > 1e-10 * length {
            vector.iter_mut().for_each(|v| *v /= left);
            basis.push(vector);
        }
    }
    basis
}

/// Residuals of a regression on the basis, each in units of its own standard error.
fn unexpected(mut values: Vec<f64>, basis: &[Vec<f64>]) -> Vec<f64> {
    for direction in basis {
        let along = dot(direction, &values);
        values.iter_mut().zip(direction).for_each(|(v, d)| *v -= along * d);
    }
    for (at, value) in values.iter_mut().enumerate() {
        let leverage: f64 = basis.iter().map(|direction| direction[at] * direction[at]).sum();
        *value /= (1.0 - leverage).max(1e-9).sqrt();
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_rows_allow_none_above() {
        for (quiet, needed) in [(0.99, 99), (0.9, 9), (0.95, 19), (0.999, 999), (0.5, 1), (0.98, 49)] {
            assert_eq!(fewest_rows(quiet), needed);
            assert!(check_rows(needed, quiet).is_ok());
            let refused = check_rows(needed - 1, quiet).expect_err("too few").to_string();
            assert!(refused.contains(&needed.to_string()), "{refused}");
            let same = Strengths { largest: vec![1.0], tails: vec![], reaching: vec![] };
            let gate = decide(&same, &vec![same.clone(); needed], quiet);
            assert_eq!(gate, NoiseGate { open: false, above: needed, allowed: 0, rows: needed });
        }
    }

    #[test]
    fn a_tail_longer_than_its_core_lets_expect_opens() {
        let vector = |i: usize, tail: f64| {
            let width = 1.0 + 0.3 * ((i * 7) % 10) as f64;
            let core = [0.3 * width, 0.7 * width];
            let jitter = 1.0 + 0.01 * ((i * 3) % 7) as f64;
            let tail = Tail { one_sided: false, median: 0.1, core, largest: vec![tail * width * jitter] };
            Strengths { largest: vec![tail.largest[0]], tails: vec![tail], reaching: vec![] }
        };
        let rows: Vec<Strengths> = (0..99).map(|i| vector(i, 3.0)).collect();
        // its largest score is less than those of wide rows, and far more than those of rows with its core
        assert!(decide(&vector(0, 6.0), &rows, 0.99).open);
        assert!(!decide(&vector(9, 3.0), &rows, 0.99).open);
    }
}
