//! How alike the selections of several runs are.
//!
//! A run is a list of selected features among K. Where an index depends on the runs only through how often each
//! feature was selected, it is computed from those counts in O(selected + K), selected being the sum of all lists'
//! lengths. Jaccard's index needs the overlap of every pair of runs: O(runs × selected + K).
//!
//! Conventions that keep every value a number: two runs that select the same are alike to degree 1, also if they
//! select nothing or everything; where one of two different runs selects nothing or everything, their overlap is what
//! chance gives and the corrected indices count 0. One run alone agrees with itself: 1, with an interval that says
//! nothing is known.

use crate::base::Result;
use crate::base::remedies::GIVE_ONE;
use crate::numeric::measure_checks::refuse;
use crate::numeric::special::Z_95;
use serde::{Deserialize, Serialize};

/// Every index of a set of runs.
///
/// ```
/// use tamis::prelude::*;
///
/// let found = stability(&[[0_u32, 1], [0, 1], [0, 2]], 10)?;
/// assert!(format!("{found:?}").contains("jaccard"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stability {
    /// How many runs were compared; with one, the indices say nothing.
    pub runs: u64,
    /// Features selected per run, on average.
    pub mean_selected: f64,
    /// Kuncheva's index: overlap corrected for chance. It is defined for runs of one length; see [`kuncheva`].
    pub kuncheva: Option<f64>,
    /// The mean of |A ∩ B| / |A ∪ B| over pairs of runs.
    pub jaccard: f64,
    /// The mean correlation of two runs' 0/1 vectors.
    pub pearson: f64,
    /// Nogueira's measure, which holds for any lengths, with its interval.
    pub nogueira: Nogueira,
}

/// The stability of Nogueira, Sechidis and Brown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Nogueira {
    /// 1 − (mean variance of a feature's selection) / (that of selecting at random); 1 is perfect, 0 is chance.
    pub stability: f64,
    /// Its large-sample variance.
    pub variance: f64,
    /// A 95 % interval, ± 1.96 standard errors cut to [−1, 1]; all of that with fewer than 3 runs, which say nothing
    /// of the variance.
    pub interval_95: [f64; 2],
}

/// All indices of these runs among `features` features. A feature listed twice in a run counts once.
///
/// ```
/// use tamis::prelude::*;
///
/// let found = stability(&[[0, 1, 2], [0, 1, 3]], 10)?;
/// assert_eq!((found.runs, found.jaccard), (2, 0.5));
/// # Ok::<(), Error>(())
/// ```
pub fn stability<R: AsRef<[u32]>>(runs: &[R], features: usize) -> Result<Stability> {
    let runs = CheckedRuns::new(runs, features)?;
    Ok(Stability {
        runs: runs.lists.len() as u64,
        mean_selected: runs.mean_size(),
        kuncheva: runs.kuncheva().ok(),
        jaccard: runs.jaccard(),
        pearson: runs.pearson(),
        nogueira: runs.nogueira(),
    })
}

/// Kuncheva's index: the mean over pairs of (rK − k²)/(k(K − k)), r the overlap of two lists of k, in O(selected + K).
///
/// # Errors
///
/// Lists of several lengths: extensions to these count a list inside another as 1, so that one feature and nearly all of
/// them would agree perfectly. [`nogueira`] takes any lengths.
///
/// Reference: L. I. Kuncheva (2007), *A stability index for feature selection*.
pub fn kuncheva<R: AsRef<[u32]>>(runs: &[R], features: usize) -> Result<f64> {
    CheckedRuns::new(runs, features)?.kuncheva()
}

/// The mean of |A ∩ B| / |A ∪ B| over pairs of runs, in O(runs × selected + K).
pub fn jaccard<R: AsRef<[u32]>>(runs: &[R], features: usize) -> Result<f64> {
    Ok(CheckedRuns::new(runs, features)?.jaccard())
}

/// The mean correlation of two runs' 0/1 vectors, from the squared length of the sum of the standardised vectors: in
/// O(selected + K).
pub fn pearson<R: AsRef<[u32]>>(runs: &[R], features: usize) -> Result<f64> {
    Ok(CheckedRuns::new(runs, features)?.pearson())
}

/// Nogueira's stability with its interval, in O(selected + K).
///
/// With p_f the share of the M runs that select f, k̄ the mean length: Φ = 1 − M/(M−1) · mean p_f(1−p_f) / D,
/// D = k̄/K (1 − k̄/K); and the variance 4/M² Σᵢ (φᵢ − φ̄)², where
/// φᵢ = {Σ_{f in run i} p_f/K − kᵢk̄/K² + Φ/2 (2kᵢk̄/K² − kᵢ/K − k̄/K + 1)} / D.
///
/// Reference: S. Nogueira, K. Sechidis, G. Brown (2018), *On the stability of feature selection algorithms*, JMLR 18.
pub fn nogueira<R: AsRef<[u32]>>(runs: &[R], features: usize) -> Result<Nogueira> {
    Ok(CheckedRuns::new(runs, features)?.nogueira())
}

/// Checked runs: lists without repetitions, and how often each feature occurs.
struct CheckedRuns {
    lists: Vec<Vec<u32>>,
    counts: Vec<u64>,
}

impl CheckedRuns {
    fn new<R: AsRef<[u32]>>(runs: &[R], features: usize) -> Result<CheckedRuns> {
        if runs.is_empty() {
            return refuse("there are no selections to compare", GIVE_ONE);
        }
        let mut counts = vec![0; features];
        let mut last_seen = vec![usize::MAX; features];
        let mut lists = Vec::with_capacity(runs.len());
        for (run, selected) in runs.iter().enumerate() {
            let mut list = Vec::with_capacity(selected.as_ref().len());
            for &feature in selected.as_ref() {
                let Some(seen) = last_seen.get_mut(feature as usize) else {
                    let problem = format!("run {} selects feature {feature} of {features}", run + 1);
                    return refuse(problem, "number the features from 0");
                };
                if *seen != run {
                    *seen = run;
                    counts[feature as usize] += 1;
                    list.push(feature);
                }
            }
            lists.push(list);
        }
        Ok(CheckedRuns { lists, counts })
    }

    fn m(&self) -> f64 {
        self.lists.len() as f64
    }

    fn k(&self) -> f64 {
        self.counts.len() as f64
    }

    fn pairs(&self) -> f64 {
        0.5 * self.m() * (self.m() - 1.0)
    }

    fn mean_size(&self) -> f64 {
        self.counts.iter().sum::<u64>() as f64 / self.m()
    }

    /// Whether every run selects the same.
    fn all_equal(&self) -> bool {
        self.counts.iter().all(|&c| c == 0 || c == self.lists.len() as u64)
    }

    /// Σ over pairs of runs of f(overlap, size, size).
    fn over_pairs(&self, f: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let mut in_run = vec![usize::MAX; self.counts.len()];
        let mut sum = 0.0;
        for (i, list) in self.lists.iter().enumerate() {
            list.iter().for_each(|&feature| in_run[feature as usize] = i);
            for other in &self.lists[..i] {
                let overlap = other.iter().filter(|&&feature| in_run[feature as usize] == i).count();
                sum += f(overlap as f64, list.len() as f64, other.len() as f64);
            }
        }
        sum
    }

    fn jaccard(&self) -> f64 {
        if self.all_equal() {
            return 1.0;
        }
        self.over_pairs(|r, k, l| if k + l == 0.0 { 1.0 } else { r / (k + l - r) }) / self.pairs()
    }

    fn kuncheva(&self) -> Result<f64> {
        let sizes = || self.lists.iter().map(Vec::len);
        let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        if least < most {
            let problem =
                format!("Kuncheva's index compares selections of one size, but these have {least} to {most} features");
            return refuse(problem, "use Nogueira's measure, which takes any sizes");
        }
        if self.all_equal() {
            return Ok(1.0);
        }
        // not all equal, so 0 < k < K
        let (k, features) = (least as f64, self.k());
        let overlaps: f64 = self.counts.iter().map(|&c| 0.5 * c as f64 * (c as f64 - 1.0)).sum();
        Ok((overlaps / self.pairs() - k * k / features) / (k - k * k / features))
    }

    fn pearson(&self) -> f64 {
        if self.all_equal() {
            return 1.0;
        }
        let features = self.k();
        let mut sums = vec![0.0; self.counts.len()];
        let (mut shift, mut vectors, mut empty, mut full) = (0.0, 0.0, 0.0, 0.0);
        for list in &self.lists {
            let k = list.len() as f64;
            if k == 0.0 {
                empty += 1.0;
            } else if k == features {
                full += 1.0;
            } else {
                let length = (k * (1.0 - k / features)).sqrt();
                list.iter().for_each(|&feature| sums[feature as usize] += 1.0 / length);
                shift += k / features / length;
                vectors += 1.0;
            }
        }
        let squared: f64 = sums.iter().map(|s| (s - shift) * (s - shift)).sum();
        let constant = 0.5 * (empty * (empty - 1.0) + full * (full - 1.0));
        (0.5 * (squared - vectors) + constant) / self.pairs()
    }

    fn nogueira(&self) -> Nogueira {
        let (m, d) = (self.m(), self.k());
        if self.all_equal() {
            return Nogueira { stability: 1.0, variance: 0.0, interval_95: self.interval(1.0, 0.0) };
        }
        let share: Vec<f64> = self.counts.iter().map(|&c| c as f64 / m).collect();
        let q = self.mean_size() / d;
        let chance = q * (1.0 - q);
        let spread = share.iter().map(|p| p * (1.0 - p)).sum::<f64>() / d * m / (m - 1.0);
        let stability = 1.0 - spread / chance;
        let of_run = |list: &Vec<u32>| {
            let k = list.len() as f64 / d;
            let shared = list.iter().map(|&feature| share[feature as usize]).sum::<f64>() / d;
            (shared - k * q + 0.5 * stability * (2.0 * k * q - k - q + 1.0)) / chance
        };
        let of_runs: Vec<f64> = self.lists.iter().map(of_run).collect();
        let mean = of_runs.iter().sum::<f64>() / m;
        let variance = 4.0 / (m * m) * of_runs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        Nogueira { stability, variance, interval_95: self.interval(stability, variance) }
    }

    fn interval(&self, stability: f64, variance: f64) -> [f64; 2] {
        if self.lists.len() < 3 {
            return [-1.0, 1.0];
        }
        let half = Z_95 * variance.sqrt();
        [stability - half, stability + half].map(|x| x.clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(runs: &[&[u32]], features: usize) -> Stability {
        stability(runs, features).expect("usable")
    }

    #[test]
    fn degenerate_selections_have_sensible_values() {
        for runs in [&[&[][..], &[], &[]][..], &[&[0, 1, 2], &[2, 1, 0], &[1, 0, 2]], &[&[1], &[1], &[1]]] {
            let s = all(runs, 3);
            assert_eq!(
                [s.kuncheva, Some(s.jaccard), Some(s.pearson), Some(s.nogueira.stability)],
                [Some(1.0); 4],
                "{runs:?}"
            );
            assert_eq!(s.nogueira.interval_95, [1.0, 1.0]);
        }
        let one = all(&[&[0, 2]], 5);
        assert_eq!([one.kuncheva, Some(one.jaccard), Some(one.pearson), Some(one.nogueira.stability)], [Some(1.0); 4]);
        assert_eq!((one.runs, one.nogueira.interval_95), (1, [-1.0, 1.0]));
        let some_empty = all(&[&[], &[0, 1], &[]], 4);
        assert!((some_empty.jaccard - 1.0 / 3.0).abs() < 1e-15);
        assert!((some_empty.pearson - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(some_empty.kuncheva, None);
        assert!(some_empty.nogueira.variance.is_finite());
        let no_features = all(&[&[], &[]], 0);
        assert_eq!(no_features.nogueira.stability, 1.0);
        assert!(stability::<Vec<u32>>(&[], 3).is_err());
        assert!(stability(&[[3]], 3).expect_err("out of range").to_string().contains("run 1 selects feature 3 of 3"));
    }

    #[test]
    fn a_feature_listed_twice_counts_once() {
        assert_eq!(all(&[&[0, 0, 1], &[1, 2]], 4), all(&[&[0, 1], &[1, 2]], 4));
    }

    #[test]
    fn disjoint_runs_are_worse_than_chance() {
        let s = all(&[&[0, 1], &[2, 3]], 4);
        assert_eq!((s.kuncheva, s.jaccard, s.pearson), (Some(-1.0), 0.0, -1.0));
    }

    #[test]
    fn one_feature_and_nearly_all_of_them_are_alike_as_chance_has_it() {
        let runs = [vec![0], (0..52).collect::<Vec<u32>>()];
        let found = stability(&runs, 53).expect("usable");
        assert!(found.nogueira.stability < 0.1, "{found:?}");
        assert_eq!(found.kuncheva, None);
        let refused = kuncheva(&runs, 53).expect_err("unequal sizes").to_string();
        assert!(refused.contains("these have 1 to 52 features") && refused.contains("Nogueira"), "{refused}");
    }
}
