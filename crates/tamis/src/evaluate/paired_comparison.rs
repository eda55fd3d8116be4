//! Two methods on the same folds, rows or data sets: is one better?
//!
//! Every p-value is two-sided.

use crate::base::{Error, Result, counted};
use crate::numeric::measure_checks::{refuse, same_length};
use crate::numeric::special::{ln_beta, normal_two_sided, t_quantile, t_two_sided};
use crate::numeric::ties::average_ranks;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

/// A paired t test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PairedT {
    /// The mean of first − second.
    pub mean_difference: f64,
    /// Its 95 % interval.
    pub interval_95: [f64; 2],
    /// The statistic; null if infinite (differences that do not vary).
    pub t: Option<f64>,
    /// Degrees of freedom: pairs − 1.
    pub df: f64,
    /// The p-value.
    pub p: f64,
}

/// Wilcoxon's signed rank test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wilcoxon {
    /// The sum of the ranks of pairs in which the first is larger.
    pub w_plus: f64,
    /// The sum of the ranks of pairs in which the second is larger.
    pub w_minus: f64,
    /// Pairs that differ; the others are left out.
    pub pairs: u64,
    /// The p-value.
    pub p: f64,
    /// Whether the p-value is exact, not from the normal approximation.
    pub exact: bool,
}

/// Cases that one of two methods gets right and the other does not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Discordant {
    /// Right by the first only.
    pub first_only: u64,
    /// Right by the second only.
    pub second_only: u64,
    /// The p-value of the exact binomial test (McNemar's).
    pub p: f64,
}

/// The paired t test of `first` and `second`: are their means equal? O(n).
///
/// For data sets or other independent pairs; for the folds of one data set see [`corrected_paired_t`]. Differences
/// that are all 0 have p = 1; all equal but not 0, p = 0.
pub fn paired_t(first: &[f64], second: &[f64]) -> Result<PairedT> {
    t_test(first, second, 0.0)
}

/// The paired t test for the folds of (repeated) cross-validation, whose training parts overlap: the variance of the
/// mean is (1/n + `test_share`) s² instead of s²/n, with `test_share` = test rows / training rows of a fold, 1/(k−1)
/// for k folds. O(n).
///
/// Reference: C. Nadeau, Y. Bengio (2003), *Inference for the generalization error*, Machine Learning 52.
pub fn corrected_paired_t(first: &[f64], second: &[f64], test_share: f64) -> Result<PairedT> {
    if !(test_share.is_finite() && test_share >= 0.0) {
        return Err(Error::parameter("test_share", test_share, "it is test rows / training rows, at least 0"));
    }
    t_test(first, second, test_share)
}

fn t_test(first: &[f64], second: &[f64], correction: f64) -> Result<PairedT> {
    let differences = differences(first, second)?;
    if differences.len() < 2 {
        return refuse(counted(differences.len(), "pair"), "a paired t test needs at least 2");
    }
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0);
    let error = ((1.0 / n + correction) * variance).sqrt();
    let t = if mean == 0.0 { 0.0 } else { mean / error };
    let df = n - 1.0;
    let half = t_quantile(0.975, df) * error;
    Ok(PairedT {
        mean_difference: mean,
        interval_95: [mean - half, mean + half],
        t: t.is_finite().then_some(t),
        df,
        p: t_two_sided(t, df),
    })
}

/// Wilcoxon's signed rank test, pairs that are equal left out.
///
/// Exact up to 50 pairs if no pairs are equal and no differences tied, and up to 13 pairs otherwise; beyond that the
/// normal approximation with correction for ties, without one for continuity: scipy's rules. The exact distribution
/// is that of the given ranks under random signs, by adding one rank at a time: O(n³).
///
/// Reference: F. Wilcoxon (1945), Biometrics Bulletin 1.
pub fn wilcoxon(first: &[f64], second: &[f64]) -> Result<Wilcoxon> {
    let all = differences(first, second)?;
    if all.is_empty() {
        return refuse("there are no pairs", "Wilcoxon's test needs at least one");
    }
    let differing: Vec<f64> = all.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = differing.iter().map(|d| d.abs()).collect();
    let (ranks, ties) = average_ranks(&sizes, "difference")?;
    let sum_where = |sign: f64| ranks.iter().zip(&differing).filter(|(_, d)| **d * sign > 0.0).map(|(r, _)| r).sum();
    let (w_plus, w_minus): (f64, f64) = (sum_where(1.0), sum_where(-1.0));
    let n = differing.len() as f64;
    let simple = ties == 0.0 && differing.len() == all.len();
    let exact = all.len() <= if simple { 50 } else { 13 };
    let p = if differing.is_empty() {
        1.0
    } else if exact {
        exact_signed_rank(&ranks, w_plus.min(w_minus))
    } else {
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - 0.5 * ties) / 24.0;
        normal_two_sided((w_plus - 0.25 * n * (n + 1.0)) / variance.sqrt())
    };
    Ok(Wilcoxon { w_plus, w_minus, pairs: differing.len() as u64, p, exact })
}

/// 2 P(W ≤ w), at most 1, W the sum of these ranks where fair coins fall heads. Ranks are whole or half.
fn exact_signed_rank(ranks: &[f64], w: f64) -> f64 {
    let doubled: Vec<usize> = ranks.iter().map(|r| (2.0 * r) as usize).collect();
    let total: usize = doubled.iter().sum();
    let mut probability = vec![0.0; total + 1];
    probability[0] = 1.0;
    let mut reached = 0;
    for &rank in &doubled {
        for sum in (0..=reached).rev() {
            let half = 0.5 * probability[sum];
            probability[sum] = half;
            probability[sum + rank] += half;
        }
        reached += rank;
    }
    let below: f64 = probability.iter().take((2.0 * w) as usize + 1).sum();
    (2.0 * below).min(1.0)
}

/// The exact test of two methods on the same cases, from whether each is right: only cases on which they differ
/// count. O(n).
pub fn discordant(first_right: &[bool], second_right: &[bool]) -> Result<Discordant> {
    same_length((first_right.len(), "cases of the first method"), (second_right.len(), "of the second"))?;
    let count = |first: bool, second: bool| {
        first_right.iter().zip(second_right).filter(|(a, b)| **a == first && **b == second).count() as u64
    };
    let (first_only, second_only) = (count(true, false), count(false, true));
    Ok(Discordant { first_only, second_only, p: sign_test(first_only, second_only) })
}

/// The two-sided binomial test of `first` against `second` cases, both equally likely: 2 P(X ≤ smaller), at most 1.
///
/// Sums the terms from the largest down until they no longer count: O(√n).
pub fn sign_test(first: u64, second: u64) -> f64 {
    let (least, n) = (first.min(second) as f64, (first + second) as f64);
    if first == second {
        return 1.0;
    }
    let mut term = (-(n + 1.0).ln() - ln_beta(least + 1.0, n - least + 1.0) - n * LN_2).exp();
    let (mut sum, mut i) = (0.0, least);
    while term > 1e-18 * sum {
        sum += term;
        term *= i / (n - i + 1.0);
        i -= 1.0;
    }
    (2.0 * sum).min(1.0)
}

fn differences(first: &[f64], second: &[f64]) -> Result<Vec<f64>> {
    same_length((first.len(), "values of the first method"), (second.len(), "of the second"))?;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    match differences.iter().position(|d| !d.is_finite()) {
        Some(at) => refuse(format!("the values of pair {} are not numbers", at + 1), "leave that pair out"),
        None => Ok(differences),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_never_differ_are_equal_for_every_test() {
        let x = [0.25, 0.5, 0.75];
        let t = paired_t(&x, &x).expect("usable");
        assert_eq!((t.t, t.p, t.interval_95), (Some(0.0), 1.0, [0.0, 0.0]));
        assert_eq!(wilcoxon(&x, &x).expect("usable").p, 1.0);
        assert_eq!(discordant(&[true, false], &[true, false]).expect("usable").p, 1.0);
    }

    #[test]
    fn a_constant_difference_is_certain() {
        let t = paired_t(&[1.0, 2.0, 3.0], &[0.5, 1.5, 2.5]).expect("usable");
        assert_eq!((t.t, t.p, t.interval_95), (None, 0.0, [0.5, 0.5]));
    }

    #[test]
    fn what_cannot_be_tested_is_said() {
        assert!(paired_t(&[1.0], &[2.0]).is_err());
        assert!(paired_t(&[1.0, f64::NAN], &[2.0, 1.0]).is_err());
        assert!(paired_t(&[1.0, 2.0], &[2.0]).is_err());
        assert!(corrected_paired_t(&[1.0, 2.0], &[2.0, 4.0], -0.1).is_err());
        assert!(wilcoxon(&[], &[]).is_err());
        assert!(discordant(&[true], &[]).is_err());
    }
}
