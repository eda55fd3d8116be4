//! Probabilities corrected by what happened to rows that were not learned from.

use crate::numeric::logistic::sigmoid;
use crate::numeric::logistic_line::{LogisticLine, logistic_line};
use serde::{Deserialize, Serialize};

/// How probabilities are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Calibrate {
    /// σ(a + b·log odds), with a and b by maximum likelihood (Platt 1999).
    Platt,
    /// The increasing step function nearest to what happened, with straight lines between its steps.
    Isotonic,
}

impl Calibrate {
    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            Calibrate::Platt => "platt",
            Calibrate::Isotonic => "isotonic",
        }
    }
}

/// The corrected probability of a class, by the probability it was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProbabilityMap {
    /// σ(offset + slope·log odds).
    Platt {
        /// a.
        offset: f64,
        /// b.
        slope: f64,
    },
    /// Straight lines between points, flat outside of them.
    Isotonic {
        /// Probabilities as given, increasing.
        given: Vec<f64>,
        /// The corrected ones.
        corrected: Vec<f64>,
    },
}

/// How a model's probabilities are corrected: of two classes the second's, of several each, divided by their sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibrator {
    /// One map for two classes, one per class for several.
    pub maps: Vec<ProbabilityMap>,
}

/// No probability counts as nearer to 0 or 1.
const LEAST: f64 = 1e-15;

impl Calibrator {
    /// Learns from probabilities of rows that were not learned from, and from their classes.
    pub(crate) fn learn(how: Calibrate, probabilities: &[Vec<f64>], truth: &[usize]) -> Calibrator {
        let classes = if probabilities.len() == 2 { 1..2 } else { 0..probabilities.len() };
        let map = |class: usize| {
            let p = &probabilities[class];
            let happened: Vec<bool> = truth.iter().map(|t| *t == class).collect();
            match how {
                Calibrate::Platt => platt(p, &happened),
                Calibrate::Isotonic => isotonic(p, &happened),
            }
        };
        Calibrator { maps: classes.map(map).collect() }
    }

    /// Corrects probabilities, class by class.
    pub(crate) fn apply(&self, probabilities: &mut [Vec<f64>]) {
        if let ([map], [no, yes]) = (self.maps.as_slice(), &mut *probabilities) {
            for (no, yes) in no.iter_mut().zip(yes) {
                *yes = map.of(*yes);
                *no = 1.0 - *yes;
            }
            return;
        }
        for row in 0..probabilities.first().map_or(0, Vec::len) {
            let corrected: Vec<f64> = self.maps.iter().zip(&*probabilities).map(|(map, p)| map.of(p[row])).collect();
            let total: f64 = corrected.iter().sum();
            if total > 0.0 {
                probabilities.iter_mut().zip(corrected).for_each(|(p, c)| p[row] = c / total);
            }
        }
    }

    /// The reason why it cannot be used for this many classes, if there is one.
    pub(crate) fn fault(&self, classes: usize) -> Option<&'static str> {
        let wanted = if classes == 2 { 1 } else { classes };
        let usable = |map: &ProbabilityMap| match map {
            ProbabilityMap::Platt { offset, slope } => offset.is_finite() && slope.is_finite(),
            ProbabilityMap::Isotonic { given, corrected } => {
                let probabilities = given.iter().chain(corrected).all(|p| (0.0..=1.0).contains(p));
                probabilities && !given.is_empty() && given.len() == corrected.len() && given.is_sorted()
            }
        };
        let fits = self.maps.len() == wanted && self.maps.iter().all(usable);
        (!fits).then_some("its calibration does not match its classes")
    }
}

impl ProbabilityMap {
    fn of(&self, p: f64) -> f64 {
        match self {
            ProbabilityMap::Platt { offset, slope } => sigmoid(offset + slope * log_odds(p)),
            ProbabilityMap::Isotonic { given, corrected } => {
                let after = given.partition_point(|g| *g < p);
                let (Some(low), Some(high)) = (after.checked_sub(1), given.get(after)) else {
                    return corrected[after.min(corrected.len() - 1)];
                };
                let share = (p - given[low]) / (high - given[low]);
                corrected[low] + share * (corrected[after] - corrected[low])
            }
        }
    }
}

fn log_odds(p: f64) -> f64 {
    let p = p.clamp(LEAST, 1.0 - LEAST);
    (p / (1.0 - p)).ln()
}

/// Platt's targets are a little inside of 0 and 1, so that the line exists where a threshold separates the classes.
fn platt(p: &[f64], happened: &[bool]) -> ProbabilityMap {
    let yes = happened.iter().filter(|h| **h).count() as f64;
    let no = happened.len() as f64 - yes;
    let targets: Vec<f64> =
        happened.iter().map(|h| if *h { (yes + 1.0) / (yes + 2.0) } else { 1.0 / (no + 2.0) }).collect();
    let z: Vec<f64> = p.iter().map(|p| log_odds(*p)).collect();
    let share = ((yes + 1.0) / (yes + no + 2.0)).clamp(LEAST, 1.0 - LEAST);
    let constant = LogisticLine { offset: log_odds(share), slope: 0.0 };
    let LogisticLine { offset, slope } = logistic_line(&z, &targets).unwrap_or(constant);
    ProbabilityMap::Platt { offset, slope }
}

/// Pool adjacent violators; no probability is nearer to 0 or 1 than one row in all of them and two more.
fn isotonic(p: &[f64], happened: &[bool]) -> ProbabilityMap {
    let mut rows: Vec<(f64, f64)> = p.iter().zip(happened).map(|(p, h)| (*p, f64::from(u8::from(*h)))).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    /// Neighbours with one corrected probability.
    struct Pool {
        from: f64,
        to: f64,
        sum: f64,
        count: f64,
    }
    let mut pools: Vec<Pool> = Vec::new();
    for (p, h) in rows {
        match pools.last_mut() {
            Some(last) if last.to == p && last.from == p => (last.sum, last.count) = (last.sum + h, last.count + 1.0),
            _ => pools.push(Pool { from: p, to: p, sum: h, count: 1.0 }),
        }
    }
    let mut merged: Vec<Pool> = Vec::new();
    for mut pool in pools {
        while let Some(last) = merged.pop_if(|last| last.sum * pool.count >= pool.sum * last.count) {
            pool = Pool { from: last.from, to: pool.to, sum: last.sum + pool.sum, count: last.count + pool.count };
        }
        merged.push(pool);
    }
    let least = 1.0 / (happened.len() as f64 + 2.0);
    let (mut given, mut corrected) = (Vec::new(), Vec::new());
    for Pool { from, to, sum, count } in merged {
        let value = (sum / count).clamp(least, 1.0 - least);
        given.push(from);
        corrected.push(value);
        if to > from {
            given.push(to);
            corrected.push(value);
        }
    }
    ProbabilityMap::Isotonic { given, corrected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    /// Overconfident probabilities: three times the true log odds.
    fn overconfident(n: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<usize>, Vec<f64>) {
        let mut rng = random::stream(seed, 0);
        let odds: Vec<f64> = (0..n).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect();
        let truth = odds.iter().map(|z| usize::from(rng.random::<f64>() < sigmoid(*z))).collect();
        let said: Vec<f64> = odds.iter().map(|z| sigmoid(3.0 * z)).collect();
        (vec![said.iter().map(|p| 1.0 - p).collect(), said], truth, odds.iter().map(|z| sigmoid(*z)).collect())
    }

    #[test]
    fn both_ways_bring_probabilities_near_the_true_ones() {
        let (learned, truth, _) = overconfident(2000, 1);
        let (said, _, exact) = overconfident(500, 2);
        let off = |p: &[f64]| p.iter().zip(&exact).map(|(p, q)| (p - q).abs()).sum::<f64>() / 500.0;
        assert!(off(&said[1]) > 0.1);
        for how in [Calibrate::Platt, Calibrate::Isotonic] {
            let calibrator = Calibrator::learn(how, &learned, &truth);
            assert_eq!(calibrator.fault(2), None);
            assert!(calibrator.fault(3).is_some());
            let mut corrected = said.clone();
            calibrator.apply(&mut corrected);
            assert!(off(&corrected[1]) < 0.04, "{how:?}: {}", off(&corrected[1]));
            assert!(corrected[0].iter().zip(&corrected[1]).all(|(a, b)| (a + b - 1.0).abs() < 1e-12));
        }
    }

    #[test]
    fn several_classes_still_sum_to_one() {
        let p = vec![vec![0.7, 0.2, 0.1, 0.5], vec![0.2, 0.7, 0.1, 0.3], vec![0.1, 0.1, 0.8, 0.2]];
        for how in [Calibrate::Platt, Calibrate::Isotonic] {
            let calibrator = Calibrator::learn(how, &p, &[0, 1, 2, 1]);
            assert_eq!(calibrator.fault(3), None);
            let mut corrected = p.clone();
            calibrator.apply(&mut corrected);
            for row in 0..4 {
                assert!((corrected.iter().map(|c| c[row]).sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn isotonic_steps_are_the_pooled_means() {
        let ProbabilityMap::Isotonic { given, corrected } =
            isotonic(&[0.1, 0.2, 0.3, 0.4, 0.4, 0.9], &[false, true, false, true, false, true])
        else {
            panic!("isotonic")
        };
        assert_eq!(given, [0.1, 0.2, 0.4, 0.9]);
        assert_eq!(corrected, [0.125, 0.5, 0.5, 0.875]);
    }
}
