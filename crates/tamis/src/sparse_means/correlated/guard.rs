//! The guard: below which score are too many of the features false?
//!
//! Let a_1 ≥ a_2 ≥ … be the strengths of the scores and V_r(a) the number of null scores of target r as strong as a. k* is
//! the largest k for which nine tenths of the targets have V_r(a_k) ≤ k/5, and only features as strong as a_k* may be
//! named.
//!
//! V_r(a_k) grows with k. It is counted first at a few hundred k, which bounds it between them, and then at every k of the
//! stretches where the answer can lie.

use super::conditional_null::Scaling;
use super::null_rows::{Features, Row};
use crate::sparse_means::named_features::strength;
use rayon::prelude::*;

/// Stretches of k.
const STRETCHES: usize = 512;
/// At most this share of the features as strong may be false.
const FALSE_SHARE: f64 = 0.2;

/// The smallest strength of a feature that may be named: infinite if there is none, absent without null scores.
pub(super) fn limit(
    rows: &[Row],
    scalings: &[Scaling],
    (observed, scaling): (&Row, Scaling),
    features: &Features,
) -> Option<f64> {
    if rows.is_empty() || features.len() == 0 {
        return None;
    }
    let strengths = descending((observed, scaling), features);
    let nulls = Nulls { rows, scalings, features };
    let k = largest(&strengths, &nulls);
    Some(if k == 0 { f64::INFINITY } else { strengths[k - 1] })
}

/// The strength among the scores `judged` that as many features reach as reach `limit` among the scores `observed`.
pub(super) fn at_same_rank(limit: f64, observed: (&Row, Scaling), judged: (&Row, Scaling), features: &Features) -> f64 {
    let reaching = descending(observed, features).partition_point(|strength| *strength >= limit);
    reaching.checked_sub(1).map_or(f64::INFINITY, |last| descending(judged, features)[last])
}

/// The strengths of standardised scores, the largest first.
fn descending((row, scaling): (&Row, Scaling), features: &Features) -> Vec<f64> {
    let mut strengths = vec![];
    row.each(features, |z, one_sided, _| strengths.push(strength(scaling.apply(z), one_sided)));
    strengths.sort_by(|a, b| b.total_cmp(a));
    strengths
}

/// k*, or 0 if no k qualifies.
fn largest(strengths: &[f64], nulls: &Nulls<'_>) -> usize {
    let n = strengths.len();
    let every = n.div_ceil(STRETCHES).max(1);
    let ends: Vec<usize> = (1..=n).step_by(every).chain([n]).collect();
    let thresholds: Vec<f64> = ends.iter().map(|k| strengths[k - 1]).collect();
    let counts = nulls.upper_counts(&thresholds);
    let qualifies = |count: u64, k: usize| count as f64 <= FALSE_SHARE * k as f64;
    for i in (0..ends.len()).rev() {
        if qualifies(counts[i], ends[i]) {
            return ends[i];
        }
        // between the previous end and this one counts are no smaller than at the previous, and k is below this end
        if i > 0 && ends[i - 1] + 1 < ends[i] && qualifies(counts[i - 1], ends[i] - 1) {
            let between: Vec<usize> = (ends[i - 1] + 1..ends[i]).collect();
            let thresholds: Vec<f64> = between.iter().map(|k| strengths[k - 1]).collect();
            let counts = nulls.upper_counts(&thresholds);
            if let Some(j) = (0..between.len()).rev().find(|&j| qualifies(counts[j], between[j])) {
                return between[j];
            }
        }
    }
    0
}

struct Nulls<'a> {
    rows: &'a [Row],
    scalings: &'a [Scaling],
    features: &'a Features,
}

impl Nulls<'_> {
    /// For each of the descending thresholds, the 90 % quantile over targets (the next higher order statistic) of how many
    /// null scores are as strong.
    fn upper_counts(&self, thresholds: &[f64]) -> Vec<u64> {
        let of = |(row, scaling): (&Row, &Scaling)| self.counts(row, scaling, thresholds);
        let counts: Vec<Vec<u64>> = self.rows.par_iter().zip(self.scalings).map(of).collect();
        let at = (9 * (self.rows.len() - 1)).div_ceil(10);
        let quantile = |k: usize| {
            let mut over: Vec<u64> = counts.iter().map(|counts| counts[k]).collect();
            *over.select_nth_unstable(at).1
        };
        (0..thresholds.len()).map(quantile).collect()
    }

    /// How many null scores of one target are as strong as each threshold.
    fn counts(&self, row: &Row, scaling: &Scaling, thresholds: &[f64]) -> Vec<u64> {
        let mut counts = vec![0; thresholds.len()];
        let Some(&weakest) = thresholds.last() else { return counts };
        row.each(self.features, |z, one_sided, count| {
            let strength = strength(scaling.apply(z), one_sided);
            if strength >= weakest {
                counts[thresholds.partition_point(|threshold| *threshold > strength)] += count as u64;
            }
        });
        let mut sum = 0;
        for count in &mut counts {
            sum += *count;
            *count = sum;
        }
        counts
    }
}
