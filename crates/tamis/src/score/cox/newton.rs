//! The maximum of the partial likelihood by Newton's method.

use super::information_factor::InformationFactor;
use super::partial_likelihood::Baseline;
use super::risk_sets::RiskSets;
use crate::numeric::linalg::dot;

/// Coefficients are found once a step is smaller than this.
const SMALLEST_STEP: f64 = 1e-10;
/// A likelihood that has a maximum reaches it in far fewer steps.
const MOST_STEPS: usize = 40;
/// A step is halved at most this often until the likelihood grows.
const MOST_HALVINGS: usize = 30;
/// Logarithms of risks further apart than this mean that a coefficient runs away.
const WIDEST: f64 = 200.0;

/// Coefficients and the partial likelihood there.
#[derive(Debug, Clone, Default)]
pub(super) struct Maximum {
    pub(super) coefficients: Vec<f64>,
    pub(super) baseline: Baseline,
    /// K·column for each column.
    pub(super) products: Vec<Vec<f64>>,
    /// The information of the coefficients.
    pub(super) factor: InformationFactor,
    /// False where the likelihood grows without end, so that a coefficient has no finite estimate.
    pub(super) converged: bool,
}

/// Maximises the partial likelihood over the coefficients of these columns, which are of size one. Where it grows for
/// ever the last coefficients are returned. Cost: O(N·p²) for each of about five steps.
pub(super) fn maximise(risk_sets: &RiskSets, columns: &[&[f64]], start: Vec<f64>) -> Maximum {
    let mut at = Maximum::at(risk_sets, columns, start);
    if columns.is_empty() {
        at.converged = true;
        return at;
    }
    for _ in 0..MOST_STEPS {
        let residuals = at.baseline.residuals(risk_sets);
        let score: Vec<f64> = columns.iter().map(|column| dot(column, &residuals)).collect();
        let step = at.factor.solve(&score);
        let largest = step.iter().fold(0.0_f64, |largest, step| largest.max(step.abs()));
        let Some(next) = at.uphill(risk_sets, columns, &step) else {
            // rounding hides any further growth
            at.converged = largest < SMALLEST_STEP.sqrt();
            return at;
        };
        at = next;
        if largest < SMALLEST_STEP {
            at.converged = true;
            return at;
        }
        if spread(&log_risks(columns, &at.coefficients, risk_sets.len())) > WIDEST {
            return at;
        }
    }
    at
}

impl Maximum {
    /// The likelihood at these coefficients, which need not be its maximum.
    fn at(risk_sets: &RiskSets, columns: &[&[f64]], coefficients: Vec<f64>) -> Maximum {
        let log_risks = log_risks(columns, &coefficients, risk_sets.len());
        Maximum::with_baseline(risk_sets, columns, coefficients, Baseline::new(risk_sets, &log_risks))
    }

    fn with_baseline(risk_sets: &RiskSets, columns: &[&[f64]], coefficients: Vec<f64>, baseline: Baseline) -> Maximum {
        let products: Vec<Vec<f64>> =
            columns.iter().map(|column| baseline.information_times(risk_sets, column)).collect();
        let factor = InformationFactor::new(&information(columns, &products));
        Maximum { coefficients, baseline, products, factor, converged: false }
    }

    /// The likelihood after the step, or half of it, or a quarter …, the first that is no smaller.
    fn uphill(&self, risk_sets: &RiskSets, columns: &[&[f64]], step: &[f64]) -> Option<Maximum> {
        let rounding = 1e-12 * (1.0 + self.baseline.log_likelihood.abs());
        let mut share = 1.0;
        for _ in 0..MOST_HALVINGS {
            let coefficients: Vec<f64> =
                self.coefficients.iter().zip(step).map(|(old, step)| old + share * step).collect();
            let log_risks = log_risks(columns, &coefficients, risk_sets.len());
            let baseline = Baseline::new(risk_sets, &log_risks);
            if baseline.log_likelihood >= self.baseline.log_likelihood - rounding {
                return Some(Maximum::with_baseline(risk_sets, columns, coefficients, baseline));
            }
            share *= 0.5;
        }
        None
    }
}

/// The lower triangle of the information matrix of columns whose products with K are known.
pub(super) fn information(columns: &[&[f64]], products: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |(i, column): (usize, &&[f64])| products[..=i].iter().map(|product| dot(column, product)).collect();
    columns.iter().enumerate().map(row).collect()
}

/// η = Σ coefficient·column.
pub(super) fn log_risks(columns: &[&[f64]], coefficients: &[f64], samples: usize) -> Vec<f64> {
    let mut log_risks = vec![0.0; samples];
    for (column, coefficient) in columns.iter().zip(coefficients) {
        log_risks.iter_mut().zip(*column).for_each(|(sum, x)| *sum += coefficient * x);
    }
    log_risks
}

fn spread(values: &[f64]) -> f64 {
    let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    ends.1 - ends.0
}
