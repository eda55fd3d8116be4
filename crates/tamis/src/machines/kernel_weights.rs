//! How much each of several predictors counts: weights learned from rows that none of them was trained on.
//!
//! Of two predictors the second, which is less simple, has weight v in p = (1 − v)p₁ + vp₂: the least v whose likelihood of
//! the held-out rows is within one standard error of the largest (the rule of Breiman, Friedman, Olshen & Stone,
//! *Classification and regression trees*, 1984). What these rows cannot tell apart counts as the same.

use crate::machines::training_run::Standing;

/// No probability counts as smaller.
const LEAST: f64 = 1e-15;
/// Steps of a weight between 0 and 1, and halvings of an interval around one.
const STEPS: usize = 50;
const HALVINGS: usize = 40;

/// Predictions for rows that were held out of training.
#[derive(Default)]
pub(super) struct HeldOutPredictions {
    /// The sign of every row.
    pub(super) y: Vec<f64>,
    /// The share of sign 1 among the rows learned from.
    pub(super) shares: Vec<f64>,
    /// For every kernel, simplest first, the probability of sign 1.
    pub(super) kernels: Vec<Vec<f64>>,
    /// That of a process on all features, where there is one.
    pub(super) process: Vec<f64>,
}

/// What held-out rows say of predictors.
#[derive(Debug, PartialEq)]
pub(super) struct Weighed {
    /// Of every kernel.
    pub(super) kernels: Vec<Standing>,
    /// The weight of the process on all features; the kernels have the rest.
    pub(super) process: f64,
}

impl HeldOutPredictions {
    /// Whether each kernel predicts, and with what weight; one that predicts no better than the shares of the classes
    /// does not. Then the same for the process, which is simpler than the kernels' mixture. Without rows all count alike.
    pub(super) fn weigh(&self) -> Weighed {
        let n = self.kernels.len();
        if self.y.is_empty() {
            return Weighed { kernels: vec![Standing::Predicts(1.0 / n as f64); n], process: 0.0 };
        }
        let by_shares = self.likelihoods(&self.shares);
        let is_of_use = |likelihoods: &[f64]| {
            likelihoods.iter().zip(&by_shares).map(|(likelihood, share)| (likelihood / share).ln()).sum::<f64>() > 0.0
        };
        let likelihoods: Vec<Vec<f64>> = self.kernels.iter().map(|p| self.likelihoods(p)).collect();
        let mut kernels = vec![Standing::BelowShares; n];
        let mut mixture: Option<Vec<f64>> = None;
        for (at, of_kernel) in likelihoods.iter().enumerate().filter(|(_, l)| is_of_use(l)) {
            let Some(simpler) = &mixture else {
                (kernels[at], mixture) = (Standing::Predicts(1.0), Some(of_kernel.clone()));
                continue;
            };
            let weight = weight_of_second(simpler, of_kernel);
            mixture = Some(mixed(simpler, of_kernel, weight));
            kernels.iter_mut().for_each(|standing| *standing = standing.scaled(1.0 - weight));
            kernels[at] = if weight > 0.0 { Standing::Predicts(weight) } else { Standing::AddsNothing };
        }
        let of_process = self.likelihoods(&self.process);
        let process = match mixture {
            Some(kernels) if !of_process.is_empty() && is_of_use(&of_process) => {
                1.0 - weight_of_second(&of_process, &kernels)
            }
            _ => 0.0,
        };
        Weighed { kernels, process }
    }

    /// The probability of each row's own sign.
    fn likelihoods(&self, p: &[f64]) -> Vec<f64> {
        p.iter().zip(&self.y).map(|(p, y)| (if *y > 0.0 { *p } else { 1.0 - p }).max(LEAST)).collect()
    }
}

/// A sum over rows, and its standard error.
struct Sum {
    value: f64,
    error: f64,
}

impl Sum {
    fn of(rows: impl Iterator<Item = f64>) -> Sum {
        let rows: Vec<f64> = rows.collect();
        let value: f64 = rows.iter().sum();
        let mean = value / rows.len() as f64;
        Sum { value, error: rows.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>().sqrt() }
    }
}

/// The likelihoods of a mixture, in which the second has weight v.
fn mixed(first: &[f64], second: &[f64], v: f64) -> Vec<f64> {
    first.iter().zip(second).map(|(a, b)| (1.0 - v) * a + v * b).collect()
}

/// The least weight of the second of two predictors whose mixture is within one standard error of the likeliest.
fn weight_of_second(first: &[f64], second: &[f64]) -> f64 {
    let best = mixed(first, second, likeliest(first, second));
    let within_one_error = |v: &f64| {
        let lost = Sum::of(best.iter().zip(mixed(first, second, *v)).map(|(best, l)| (best / l).ln()));
        lost.value <= lost.error
    };
    (0..=STEPS).map(|step| step as f64 / STEPS as f64).find(within_one_error).unwrap_or(1.0)
}

/// The weight of the second predictor in the likeliest mixture: ln likelihood is concave in it.
fn likeliest(first: &[f64], second: &[f64]) -> f64 {
    let slope = |v: f64| -> f64 { first.iter().zip(second).map(|(a, b)| (b - a) / ((1.0 - v) * a + v * b)).sum() };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        *(if slope(middle) > 0.0 { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_out(kernels: Vec<Vec<f64>>, process: Vec<f64>) -> HeldOutPredictions {
        let y: Vec<f64> = (0..200).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        HeldOutPredictions { shares: vec![0.5; 200], y, kernels, process }
    }

    /// Probabilities of sign 1 that are right in all rows but every `wrong`th.
    fn right_but(wrong: usize, sure: f64) -> Vec<f64> {
        (0..200).map(|i| if (i % 2 == 0) == (i % wrong == 0) { 1.0 - sure } else { sure }).collect()
    }

    #[test]
    fn what_is_clearly_better_takes_the_weight() {
        let found = held_out(vec![right_but(3, 0.7), right_but(51, 0.95)], vec![]).weigh();
        assert!(found.kernels[1].weight() > 0.8, "{found:?}");
        assert!((found.kernels[0].weight() + found.kernels[1].weight() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn of_equals_the_first_predicts_alone() {
        let found = held_out(vec![right_but(11, 0.9), right_but(11, 0.9)], vec![]).weigh();
        assert_eq!(found.kernels, [Standing::Predicts(1.0), Standing::AddsNothing]);
    }

    #[test]
    fn what_is_no_better_than_the_shares_does_not_predict() {
        let wrong = right_but(1, 0.9);
        let found = held_out(vec![wrong.clone(), right_but(11, 0.9)], vec![]).weigh();
        assert_eq!(found.kernels, [Standing::BelowShares, Standing::Predicts(1.0)]);
        let found = held_out(vec![wrong.clone()], right_but(11, 0.9)).weigh();
        assert_eq!(found, Weighed { kernels: vec![Standing::BelowShares], process: 0.0 });
    }

    #[test]
    fn a_process_counts_unless_kernels_are_clearly_better() {
        let kernels = vec![right_but(11, 0.9)];
        assert_eq!(held_out(kernels.clone(), right_but(11, 0.9)).weigh().process, 1.0);
        assert!(held_out(kernels.clone(), right_but(3, 0.6)).weigh().process < 0.2);
        assert_eq!(held_out(kernels.clone(), right_but(1, 0.9)).weigh().process, 0.0);
        assert_eq!(held_out(kernels, vec![]).weigh().process, 0.0);
    }

    #[test]
    fn the_likeliest_weight_is_at_the_maximum() {
        let (first, second): (Vec<f64>, Vec<f64>) =
            (0..100).map(|i| (if i % 3 == 0 { 0.2 } else { 0.9 }, if i % 4 == 0 { 0.3 } else { 0.8 })).unzip();
        let value = |v: f64| mixed(&first, &second, v).iter().map(|l| l.ln()).sum::<f64>();
        let best = likeliest(&first, &second);
        assert!(best > 0.0 && best < 1.0, "{best}");
        assert!(value(best) > value(best - 1e-3) && value(best) > value(best + 1e-3));
    }
}
