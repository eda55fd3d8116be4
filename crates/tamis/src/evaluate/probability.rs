//! Predicted probabilities against what happened.

use crate::base::Result;
use crate::numeric::logistic_line::logistic_line;
use crate::numeric::measure_checks::{check_shape, refuse, same_length};
use serde::{Deserialize, Serialize};

/// Log loss takes no probability to be smaller than this, so that one sure mistake does not cost infinity.
const LEAST_PROBABILITY: f64 = 1e-15;

/// Cases with about the same predicted probability, and how often it happened.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CalibrationBin {
    /// The predicted probabilities of the bin: above the first (the lowest bin: from 0), up to the second.
    pub range: [f64; 2],
    /// How many cases.
    pub count: u64,
    /// Their mean predicted probability.
    #[serde(rename = "predicted")]
    pub mean_predicted: f64,
    /// The share of them in which it happened.
    pub observed: f64,
}

/// The Brier score, a mean squared error of probabilities; 0 is perfect.
///
/// `probabilities` has one array per class, `truth` one class per row. Two classes: mean (p − y)² of one class, in
/// [0, 1]. Several: the sum of that over the classes, in [0, 2], as Brier had it. O(rows × classes).
pub fn brier<P: AsRef<[f64]>>(probabilities: &[P], truth: &[u32]) -> Result<f64> {
    check(probabilities, truth)?;
    let sum: f64 = probabilities
        .iter()
        .enumerate()
        .flat_map(|(class, p)| p.as_ref().iter().zip(truth).map(move |(p, &t)| (p - is(class, t)).powi(2)))
        .sum();
    let halved = if probabilities.len() == 2 { 0.5 } else { 1.0 };
    Ok(halved * sum / truth.len() as f64)
}

/// Log loss: the mean of −ln of the probability given to the true class, no probability taken below
/// 10⁻¹⁵. O(rows).
pub fn log_loss<P: AsRef<[f64]>>(probabilities: &[P], truth: &[u32]) -> Result<f64> {
    check(probabilities, truth)?;
    let given = |(row, &class): (usize, &u32)| probabilities[class as usize].as_ref()[row];
    let loss = |p: f64| -p.clamp(LEAST_PROBABILITY, 1.0).ln();
    Ok(truth.iter().enumerate().map(given).map(loss).sum::<f64>() / truth.len() as f64)
}

/// The slope of logistic regression of what happened on the predicted log odds: 1 where probabilities are as sure as they
/// should be, less where they are too sure, more where they are not sure enough.
///
/// Of several classes each is set against all others, and one line is fitted to all of these pairs. An error where no
/// line exists: all probabilities are equal, or they separate the classes without a mistake. O(rows × classes).
pub fn calibration_slope<P: AsRef<[f64]>>(probabilities: &[P], truth: &[u32]) -> Result<f64> {
    check(probabilities, truth)?;
    let classes = if probabilities.len() == 2 { 1..2 } else { 0..probabilities.len() };
    let (mut odds, mut happened) = (Vec::new(), Vec::new());
    for class in classes {
        for (row, &t) in truth.iter().enumerate() {
            let p = probabilities[class].as_ref()[row].clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY);
            odds.push((p / (1.0 - p)).ln());
            happened.push(is(class, t));
        }
    }
    match logistic_line(&odds, &happened) {
        Some(line) => Ok(line.slope),
        None => refuse("the probabilities have no calibration slope", "they are all equal, or never on the wrong side"),
    }
}

/// Calibration in `bins` bins of equal width over [0, 1]; empty bins are left out. O(cases + bins).
pub fn calibration(predicted: &[f64], happened: &[bool], bins: usize) -> Result<Vec<CalibrationBin>> {
    same_length((predicted.len(), "probabilities"), (happened.len(), "outcomes"))?;
    if bins == 0 {
        return refuse("there are no bins", "ask for at least one");
    }
    let mut gathered = vec![(0_u64, 0.0, 0_u64); bins];
    for (at, (&p, &yes)) in predicted.iter().zip(happened).enumerate() {
        if !is_probability(p) {
            return refuse(format!("probability {} is {p}", at + 1), "probabilities lie between 0 and 1");
        }
        let bin = ((p * bins as f64).ceil() as usize).clamp(1, bins) - 1;
        let (count, sum, yeses) = &mut gathered[bin];
        *count += 1;
        *sum += p;
        *yeses += u64::from(yes);
    }
    let edge = |at: usize| at as f64 / bins as f64;
    let full = gathered.into_iter().enumerate().filter(|(_, (count, ..))| *count > 0);
    Ok(full
        .map(|(at, (count, sum, yeses))| CalibrationBin {
            range: [edge(at), edge(at + 1)],
            count,
            mean_predicted: sum / count as f64,
            observed: yeses as f64 / count as f64,
        })
        .collect())
}

/// The calibration of each class against all others, in class order. O(rows × classes).
pub fn calibration_of_classes<P: AsRef<[f64]>>(
    probabilities: &[P],
    truth: &[u32],
    bins: usize,
) -> Result<Vec<Vec<CalibrationBin>>> {
    check(probabilities, truth)?;
    (0..probabilities.len())
        .map(|class| {
            let happened: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
            calibration(probabilities[class].as_ref(), &happened, bins)
        })
        .collect()
}

/// Whether a number is a probability, give or take the rounding of a sum.
fn is_probability(p: f64) -> bool {
    (-1e-9..=1.0 + 1e-9).contains(&p)
}

/// Refuses numbers that are not probabilities or do not fit the rows and classes.
fn check<P: AsRef<[f64]>>(probabilities: &[P], truth: &[u32]) -> Result<()> {
    check_shape(probabilities, truth)?;
    for (class, p) in probabilities.iter().enumerate() {
        if let Some(row) = p.as_ref().iter().position(|&p| !is_probability(p)) {
            let problem = format!("the probability of class {class} in row {} is {}", row + 1, p.as_ref()[row]);
            return refuse(problem, "probabilities lie between 0 and 1");
        }
    }
    Ok(())
}

fn is(class: usize, truth: u32) -> f64 {
    f64::from(u8::from(truth as usize == class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sure_mistake_costs_a_finite_loss() {
        let loss = log_loss(&[vec![1.0, 0.0], vec![0.0, 1.0]], &[1, 1]).expect("usable");
        assert!((loss - 0.5 * 15.0 * std::f64::consts::LN_10).abs() < 1e-12, "{loss}");
    }

    #[test]
    fn the_slope_tells_how_much_too_sure_probabilities_are() {
        // of 100 rows at each level, as many happen as the level says
        let levels = [0.1, 0.3, 0.5, 0.7, 0.9];
        let truth: Vec<u32> =
            levels.iter().flat_map(|p| (0..100).map(move |i| u32::from(f64::from(i) < 100.0 * p - 0.5))).collect();
        let said = |times: f64| -> Vec<Vec<f64>> {
            let sure = |p: f64| 1.0 / (1.0 + ((1.0 - p) / p).powf(times));
            let yes: Vec<f64> = levels.iter().flat_map(|p| vec![sure(*p); 100]).collect();
            vec![yes.iter().map(|p| 1.0 - p).collect(), yes]
        };
        for times in [1.0, 2.0, 0.5] {
            let slope = calibration_slope(&said(times), &truth).expect("a slope");
            assert!((slope - 1.0 / times).abs() < 1e-6, "{slope}");
        }
        assert!(calibration_slope(&[vec![0.5; 2], vec![0.5; 2]], &[0, 1]).is_err());
    }

    #[test]
    fn bins_hold_every_case_and_their_edges() {
        let bins = calibration(&[0.0, 0.1, 0.5, 0.51, 1.0], &[false, false, true, true, true], 2).expect("usable");
        assert_eq!(bins.iter().map(|b| b.count).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(bins[1].observed, 1.0);
        assert!(calibration(&[1.5], &[true], 10).is_err());
        assert!(calibration(&[f64::NAN], &[true], 10).is_err());
    }

    #[test]
    fn what_does_not_fit_is_said() {
        assert!(brier(&[vec![0.5], vec![0.5]], &[2]).is_err());
        assert!(brier(&[vec![0.5], vec![f64::NAN]], &[1]).is_err());
        assert!(brier::<Vec<f64>>(&[], &[]).is_err());
    }
}
