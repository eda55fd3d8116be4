//! The area under the ROC curve, its interval, and the curve itself.

use crate::base::Result;
use crate::numeric::measure_checks::{ONE_CLASS, check_shape, refuse, same_length};
use crate::numeric::special::Z_95;
use crate::numeric::ties::tied_runs;
use serde::{Deserialize, Serialize};

/// An area under the ROC curve and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Auc {
    /// The probability that a positive row scores above a negative one, ties counted half.
    pub auc: f64,
    /// DeLong's variance; null if a class has one row only.
    pub variance: Option<f64>,
    /// A 95 % interval; see [`auc_with_interval`].
    pub interval_95: [f64; 2],
    /// Rows of the positive class.
    pub positives: u64,
    /// Rows of the other class.
    pub negatives: u64,
}

/// A point of the ROC curve: the rates if every score from `threshold` up is called positive.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RocPoint {
    /// The least score that is called positive; null for the first point, where none is.
    pub threshold: Option<f64>,
    /// The share of negative rows that are called positive.
    pub false_positive_rate: f64,
    /// The share of positive rows that are called positive.
    pub true_positive_rate: f64,
}

/// The area under the ROC curve, ties counted half: (wins + ½ ties) / (positives × negatives), the counts exact.
///
/// Scores may be infinite but not NaN, and both classes must be there. O(n log n).
pub fn auc(scores: &[f64], positive: &[bool]) -> Result<f64> {
    Ok(RankedRows::new(scores, positive)?.auc())
}

/// The area with DeLong's variance and a 95 % interval. O(n log n).
///
/// The interval is symmetric on the logit scale, logit A ± 1.96 s/(A(1−A)), so it stays inside (0, 1). Where DeLong's
/// variance is zero or unknown (perfect separation, all scores equal, a class of one row) it is the score interval
/// {θ: (A−θ)² ≤ 1.96² V(θ)} with V(θ) = θ(1−θ)/(mn) · [1 + (N−1)((1−θ)/(2−θ) + θ/(1+θ))], N = (m+n)/2: Newcombe's
/// method 5, which has a length even when A is 0 or 1.
///
/// References: E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), Biometrics 44; R. G. Newcombe (2006),
/// Statistics in Medicine 25.
pub fn auc_with_interval(scores: &[f64], positive: &[bool]) -> Result<Auc> {
    let ranked = RankedRows::new(scores, positive)?;
    let auc = ranked.auc();
    let (m, n) = (ranked.positives as f64, ranked.negatives as f64);
    let variance = ranked.delong(auc);
    let interval_95 = match variance {
        Some(v) if v > 1e-14 / (m * n) && auc > 0.0 && auc < 1.0 => {
            let logit = (auc / (1.0 - auc)).ln();
            let half = Z_95 * v.sqrt() / (auc * (1.0 - auc));
            [logit - half, logit + half].map(|x| 1.0 / (1.0 + (-x).exp()))
        }
        _ => newcombe(auc, m, n),
    };
    Ok(Auc { auc, variance, interval_95, positives: ranked.positives, negatives: ranked.negatives })
}

/// The ROC curve from (0, 0) to (1, 1), one point per distinct score from the highest down. O(n log n).
pub fn roc_points(scores: &[f64], positive: &[bool]) -> Result<Vec<RocPoint>> {
    let ranked = RankedRows::new(scores, positive)?;
    let (m, n) = (ranked.positives as f64, ranked.negatives as f64);
    let mut points = vec![RocPoint { threshold: None, false_positive_rate: 0.0, true_positive_rate: 0.0 }];
    let (mut hits, mut false_alarms) = (0, 0);
    for run in ranked.runs.iter().rev() {
        hits += run.positives;
        false_alarms += run.negatives;
        points.push(RocPoint {
            threshold: Some(run.score),
            false_positive_rate: false_alarms as f64 / n,
            true_positive_rate: hits as f64 / m,
        });
    }
    Ok(points)
}

/// The area for several classes: Hand and Till's M, the mean over pairs of classes (i, j) of ½ (A(i|j) + A(j|i)),
/// where A(i|j) ranks the rows of the two classes by the probability of class i.
///
/// `probabilities` has one array per class (any scores will do), `truth` one class per row. Unlike one-versus-rest, M does not change when
/// a class becomes more frequent; with two classes it is the area itself. Pairs of which a class has no rows are left
/// out. O(c n log n) for c classes.
///
/// Reference: D. J. Hand, R. J. Till (2001), Machine Learning 45.
pub fn auc_of_classes<P: AsRef<[f64]>>(probabilities: &[P], truth: &[u32]) -> Result<f64> {
    check_shape(probabilities, truth)?;
    let mut rows_of = vec![Vec::new(); probabilities.len()];
    for (row, &class) in truth.iter().enumerate() {
        rows_of[class as usize].push(row);
    }
    let (mut sum, mut pairs) = (0.0, 0.0);
    let present: Vec<usize> = (0..rows_of.len()).filter(|&c| !rows_of[c].is_empty()).collect();
    for (at, &i) in present.iter().enumerate() {
        for &j in &present[..at] {
            for (own, other) in [(i, j), (j, i)] {
                let rows = || rows_of[own].iter().chain(&rows_of[other]);
                let scores: Vec<f64> = rows().map(|&row| probabilities[own].as_ref()[row]).collect();
                let positive: Vec<bool> = rows().map(|&row| truth[row] as usize == own).collect();
                sum += 0.5 * auc(&scores, &positive)?;
            }
            pairs += 1.0;
        }
    }
    if pairs == 0.0 {
        return refuse(ONE_CLASS, "an AUC needs rows of two classes");
    }
    Ok(sum / pairs)
}

/// Rows in runs of equal scores, lowest first.
struct RankedRows {
    runs: Vec<TiedRun>,
    positives: u64,
    negatives: u64,
}

struct TiedRun {
    score: f64,
    positives: u64,
    negatives: u64,
}

impl RankedRows {
    fn new(scores: &[f64], positive: &[bool]) -> Result<RankedRows> {
        same_length((scores.len(), "scores"), (positive.len(), "labels"))?;
        let (order, runs) = tied_runs(scores, "score")?;
        let runs: Vec<TiedRun> = runs
            .into_iter()
            .map(|run| {
                let rows = &order[run];
                let positives = rows.iter().filter(|&&row| positive[row as usize]).count() as u64;
                // zero has two signs, which rank alike
                TiedRun { score: scores[rows[0] as usize] + 0.0, positives, negatives: rows.len() as u64 - positives }
            })
            .collect();
        let positives = runs.iter().map(|r| r.positives).sum();
        let negatives = runs.iter().map(|r| r.negatives).sum();
        if positives == 0 || negatives == 0 {
            let which = if positives == 0 { "positive" } else { "negative" };
            return refuse(format!("there is no {which} row"), "an AUC needs rows of both classes");
        }
        Ok(RankedRows { runs, positives, negatives })
    }

    fn auc(&self) -> f64 {
        let (mut below, mut twice) = (0_u64, 0_u128);
        for run in &self.runs {
            twice += u128::from(run.positives) * u128::from(2 * below + run.negatives);
            below += run.negatives;
        }
        twice as f64 / (2.0 * self.positives as f64 * self.negatives as f64)
    }

    /// The variance of the share of negatives below each positive, over m, plus that of the share of positives above
    /// each negative, over n.
    fn delong(&self, auc: f64) -> Option<f64> {
        if self.positives < 2 || self.negatives < 2 {
            return None;
        }
        let (m, n) = (self.positives as f64, self.negatives as f64);
        let (mut lower_negatives, mut higher_positives) = (0.0, m);
        let (mut of_positives, mut of_negatives) = (0.0, 0.0);
        for run in &self.runs {
            let (p, q) = (run.positives as f64, run.negatives as f64);
            higher_positives -= p;
            of_positives += p * ((lower_negatives + 0.5 * q) / n - auc).powi(2);
            of_negatives += q * ((higher_positives + 0.5 * p) / m - auc).powi(2);
            lower_negatives += q;
        }
        Some(of_positives / (m - 1.0) / m + of_negatives / (n - 1.0) / n)
    }
}

/// The values θ whose score test does not reject the area, by bisection on either side.
fn newcombe(auc: f64, m: f64, n: f64) -> [f64; 2] {
    let rejected = |theta: f64| {
        let half = 0.5 * (m + n) - 1.0;
        let spread = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta);
        (auc - theta).powi(2) > Z_95 * Z_95 * theta * (1.0 - theta) / (m * n) * (1.0 + half * spread)
    };
    let end = |mut outside: f64| {
        let mut inside = auc;
        for _ in 0..60 {
            let middle = 0.5 * (inside + outside);
            if rejected(middle) { outside = middle } else { inside = middle }
        }
        inside
    };
    [end(0.0), end(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_separation_has_an_interval_with_a_length() {
        let top = auc_with_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], &[false, false, false, true, true]).expect("both");
        assert_eq!((top.auc, top.variance, top.interval_95[1]), (1.0, Some(0.0), 1.0));
        assert!(top.interval_95[0] > 0.3 && top.interval_95[0] < 0.8, "{top:?}");
        let bottom = auc_with_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], &[true, true, false, false, false]).expect("both");
        assert_eq!((bottom.auc, bottom.interval_95[0]), (0.0, 0.0));
        assert!((bottom.interval_95[1] + top.interval_95[0] - 1.0).abs() < 1e-12, "the mirror image");
        let level = auc_with_interval(&[7.0; 9], &[true, false, true, false, true, false, true, false, false]);
        let level = level.expect("both");
        assert_eq!(level.auc, 0.5);
        assert!(level.interval_95[0] < 0.4 && level.interval_95[1] > 0.6, "{level:?}");
        let one = auc_with_interval(&[1.0, 2.0, 3.0], &[false, true, false]).expect("both");
        assert_eq!(one.variance, None);
        assert!(one.interval_95[0] < 0.2 && one.interval_95[1] > 0.8, "{one:?}");
    }

    #[test]
    fn what_cannot_be_measured_is_said() {
        let said = |scores: &[f64], positive: &[bool]| auc(scores, positive).expect_err("refused").to_string();
        assert!(said(&[1.0, 2.0], &[true, true]).contains("no negative row"));
        assert!(said(&[1.0, f64::NAN], &[true, false]).contains("score 2 is not a number"));
        assert!(said(&[1.0], &[true, false]).contains("there are 1 and 2"));
        assert!(said(&[], &[]).contains("no positive row"));
    }

    #[test]
    fn signed_zeros_are_ties() {
        assert_eq!(auc(&[0.0, -0.0, 0.0, -0.0], &[true, true, false, false]).expect("both"), 0.5);
    }
}
