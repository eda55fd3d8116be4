//! The prior of the variances where a few features differ from all others (Phipson, Lee, Majewski, Alexander & Smyth 2016).
//!
//! ln s² is winsorised before its spread is taken, and features whose variance is too large for the prior get fewer prior
//! degrees of freedom of their own: a column in another unit neither widens the prior of the others nor is pulled
//! towards it.

use super::feature_variance::Variance;
use crate::numeric::lowess::lowess;
use crate::numeric::order_statistics::{ascending, quantile};
use crate::numeric::special::{Fisher, Tail};
use std::collections::HashMap;
use std::f64::consts::LN_2;

/// With fewer features than this nothing can be said about the others.
const FEWEST: usize = 10;
/// The share of ln s² that is winsorised below and above.
const WINSORISED: [f64; 2] = [0.05, 0.1];
/// The share of ln s² that is left out at either end of their mean.
const TRIMMED: f64 = 0.1;
/// The share of features in a window of the trend.
const SPAN: f64 = 0.4;

/// A prior with degrees of freedom for every feature.
pub(super) struct RobustPrior {
    /// d0 of most features.
    pub(super) df: f64,
    /// s0² of each feature.
    pub(super) variances: Vec<f64>,
    /// d0 of each feature.
    pub(super) dfs: Vec<f64>,
}

/// The robust prior of features whose variances are above 0 and which have the plain prior with `df` degrees of freedom and
/// these variances; `None` where the plain prior is as good.
///
/// Cost: O(n log n), about 60 integrals of 128 points, and a lowess curve with `trend`.
pub(super) fn robust_prior(used: &[Variance], (df, plain): (f64, &[f64]), trend: bool) -> Option<RobustPrior> {
    let n = used.len();
    if n < FEWEST {
        return None;
    }
    let most = used.iter().map(|feature| feature.df).fold(0.0, f64::max);
    let logs = logs_on(most, used, df, plain);
    let level = level(used, &logs, trend);
    let left: Vec<f64> = logs.iter().zip(&level).map(|(z, level)| z - level).collect();
    let sorted = ascending(left.clone());
    let (low, high) = (quantile(&sorted, WINSORISED[0]), quantile(&sorted, 1.0 - WINSORISED[1]));
    let count = n as f64;
    let clipped = || left.iter().map(|r| r.clamp(low, high));
    let mean = clipped().sum::<f64>() / count;
    let spread = clipped().map(|r| (r - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let nodes = gauss_legendre(128);
    let moments = |df: f64| winsorised_moments(Fisher { d1: most, d2: df }, &nodes);
    let narrowest = moments(f64::INFINITY).1;
    let df = if spread <= narrowest {
        f64::INFINITY
    } else if df.is_infinite() {
        return None;
    } else {
        root(df, |df| moments(df).1 >= spread)
    };
    let shift = mean - moments(df).0;
    let variances: Vec<f64> = level.iter().map(|level| (level + shift).exp()).collect();
    let ratios: Vec<f64> = logs.iter().zip(&variances).map(|(z, s)| (z - s.ln()).exp()).collect();
    let dfs = degrees(&ratios, Fisher { d1: most, d2: df });
    Some(RobustPrior { df, variances, dfs })
}

/// The ratio of a variance to the prior's, with this distribution, from which on the prior would count for less than the
/// variance if it were the largest of `n`; infinite among few.
pub(super) fn too_large(fisher: Fisher, n: f64) -> f64 {
    if n < FEWEST as f64 { f64::INFINITY } else { fisher.point(Tail::Upper, -LN_2 - 2.0 * n.ln()) }
}

/// ln s² of all features, as if each had the `most` degrees of freedom: with the same tail probability.
fn logs_on(most: f64, used: &[Variance], df: f64, plain: &[f64]) -> Vec<f64> {
    let to = Fisher { d1: most, d2: df };
    used.iter()
        .zip(plain)
        .map(|(feature, scale)| {
            if feature.df >= most - 1e-14 {
                return feature.variance.ln();
            }
            let (lower, upper) = Fisher { d1: feature.df, d2: df }.log_tails(feature.variance / scale);
            let moved = if upper < lower { to.point(Tail::Upper, upper) } else { to.point(Tail::Lower, lower) };
            (scale * moved).ln()
        })
        .collect()
}

/// The middle of ln s², one for all features or one that follows their means.
fn level(used: &[Variance], logs: &[f64], trend: bool) -> Vec<f64> {
    let n = logs.len();
    if !trend {
        let sorted = ascending(logs.to_vec());
        let cut = (TRIMMED * n as f64).floor() as usize;
        let kept = &sorted[cut..n - cut];
        return vec![kept.iter().sum::<f64>() / kept.len() as f64; n];
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| used[a].mean.total_cmp(&used[b].mean));
    let x: Vec<f64> = order.iter().map(|&at| used[at].mean).collect();
    let y: Vec<f64> = order.iter().map(|&at| logs[at]).collect();
    let mut level = vec![0.0; n];
    order.iter().zip(lowess(&x, &y, SPAN)).for_each(|(&at, height)| level[at] = height);
    level
}

/// The largest df of at least `from` for which `too_wide` holds, by bisection of df/(1 + df).
fn root(from: f64, too_wide: impl Fn(f64) -> bool) -> f64 {
    let df = |u: f64| u / (1.0 - u);
    if !too_wide(from) {
        return from;
    }
    let (mut low, mut high) = (from / (1.0 + from), 1.0_f64);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return df(low);
        }
        if too_wide(df(middle)) { low = middle } else { high = middle }
    }
}

/// The mean and variance of ln F, winsorised.
fn winsorised_moments(fisher: Fisher, nodes: &[(f64, f64)]) -> (f64, f64) {
    let [low, high] = WINSORISED;
    let (a, b) = (fisher.point(Tail::Lower, low.ln()), fisher.point(Tail::Upper, high.ln()));
    let (from, to) = (a / (1.0 + a), b / (1.0 + b));
    let half = 0.5 * (to - from);
    let points: Vec<(f64, f64)> = nodes
        .iter()
        .map(|&(node, weight)| {
            let u = from + half * (node + 1.0);
            let x = u / (1.0 - u);
            (x.ln(), fisher.ln_density(x).exp() / (1.0 - u).powi(2) * weight * half)
        })
        .collect();
    let (ln_a, ln_b) = (a.ln(), b.ln());
    let mean = points.iter().map(|(x, w)| x * w).sum::<f64>() + low * ln_a + high * ln_b;
    let inner: f64 = points.iter().map(|(x, w)| w * (x - mean).powi(2)).sum();
    (mean, inner + low * (ln_a - mean).powi(2) + high * (ln_b - mean).powi(2))
}

/// Nodes and weights of Gauss and Legendre's quadrature on −1 … 1: roots of the Legendre polynomial by Newton's method.
fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    let count = n as f64;
    let node = |i: usize| {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (count + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..100 {
            let (mut before, mut value) = (1.0, x);
            for k in 2..=n {
                let k = k as f64;
                (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
            }
            slope = count * (x * value - before) / (x * x - 1.0);
            let step = value / slope;
            x -= step;
            if step.abs() <= 1e-16 {
                break;
            }
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(node).collect()
}

/// The prior degrees of freedom of features by the ratio of their variance to the prior's, which has this distribution: all
/// of them unless a ratio is too large.
fn degrees(ratios: &[f64], fisher: Fisher) -> Vec<f64> {
    let n = ratios.len() as f64;
    let tails: Vec<f64> = ratios.iter().map(|&ratio| fisher.log_tails(ratio).1).collect();
    let ranks = ranks(ratios);
    let log_shares: Vec<f64> =
        tails.iter().zip(&ranks).map(|(tail, rank)| (tail - ((n - rank + 0.5).ln() - n.ln())).min(0.0)).collect();
    let mut dfs = vec![fisher.d2; ratios.len()];
    if log_shares.iter().all(|share| *share >= 0.0) {
        return dfs;
    }
    let mut order: Vec<usize> = (0..ratios.len()).collect();
    order.sort_by(|&a, &b| tails[a].total_cmp(&tails[b]));
    if fisher.d2.is_infinite() {
        for (df, share) in dfs.iter_mut().zip(&log_shares).filter(|(_, share)| **share < 0.0) {
            *df = share.exp() * n * fisher.d1;
        }
    } else {
        let least = least_degrees(ratios, tails[order[0]], fisher);
        for (df, share) in dfs.iter_mut().zip(&log_shares) {
            *df = share.exp() * fisher.d2 - share.exp_m1() * least;
        }
        level_first(&mut dfs, &order);
    }
    let mut most = f64::NEG_INFINITY;
    for &at in &order {
        most = most.max(dfs[at]);
        dfs[at] = most;
    }
    dfs
}

/// The degrees of freedom at which the largest ratio would be the median of its tail.
fn least_degrees(ratios: &[f64], least_tail: f64, fisher: Fisher) -> f64 {
    if least_tail == f64::NEG_INFINITY {
        return 0.0;
    }
    let largest = ratios.iter().copied().fold(0.0, f64::max);
    let first = fisher.d2 * LN_2 / -least_tail;
    first * LN_2 / -Fisher { d1: fisher.d1, d2: first }.log_tails(largest).1
}

/// Gives the first features of an order, up to where the mean of their degrees of freedom is least, that mean.
fn level_first(dfs: &mut [f64], order: &[usize]) {
    let (mut sum, mut best) = (0.0, (f64::INFINITY, 0));
    for (k, &at) in order.iter().enumerate() {
        sum += dfs[at];
        let mean = sum / (k + 1) as f64;
        if mean < best.0 {
            best = (mean, k);
        }
    }
    order[..=best.1].iter().for_each(|&at| dfs[at] = best.0);
}

/// Ranks from 1, equal numbers sharing their average.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut groups: HashMap<u64, (usize, usize)> = HashMap::new();
    let sorted = ascending(numbers.to_vec());
    for (at, x) in sorted.iter().enumerate() {
        groups.entry(x.to_bits()).and_modify(|(_, last)| *last = at).or_insert((at, at));
    }
    let rank = |x: &f64| groups.get(&x.to_bits()).map_or(1.0, |(first, last)| 0.5 * (first + last) as f64 + 1.0);
    numbers.iter().map(rank).collect()
}
