//! The partial likelihood at given risks: its logarithm, its derivative and its information.
//!
//! With risks r_i = exp(η_i) let S0, S1, S2 be the sums of r, r·x and r·x² over the risk set of a time and D0, D1, D2 those
//! over its m events. By Efron's rule for ties the l-th of them sees S − (l/m)·D, l = 0 … m − 1. In the derivatives of
//! every feature the same five sums over l appear, so they are taken once for each time ([`TieSums`]).

use super::risk_sets::{RiskSets, Tie};

/// Everything about the risks of the samples that does not depend on a feature.
#[derive(Debug, Clone, Default)]
pub(super) struct Baseline {
    /// The logarithm of the partial likelihood.
    pub(super) log_likelihood: f64,
    /// r_i, but for a factor common to a stratum.
    risks: Vec<f64>,
    /// How many events each sample was to have: its risk times the cumulative hazard until its time.
    expected: Vec<f64>,
    sums: Vec<TieSums>,
}

/// Sums over the m events of one time, with s = l/m and q = S0 − s·D0.
#[derive(Debug, Clone, Copy, Default)]
struct TieSums {
    /// Σ 1/q.
    hazard: f64,
    /// Σ s/q.
    hazard_of_events: f64,
    /// Σ 1/q², Σ s/q² and Σ s²/q².
    squares: [f64; 3],
}

impl Baseline {
    /// The partial likelihood where the samples have these logarithms of risks. Cost: O(N).
    pub(super) fn new(risk_sets: &RiskSets, log_risks: &[f64]) -> Baseline {
        let (risks, shifts) = scaled_risks(risk_sets, log_risks);
        let mut sums = Vec::with_capacity(risk_sets.ties.len());
        let (mut log_likelihood, mut at_risk) = (0.0, 0.0);
        for (tie, shift) in risk_sets.ties.iter().zip(shifts) {
            if tie.opens_stratum {
                at_risk = 0.0;
            }
            at_risk += risks[tie.start..tie.end].iter().sum::<f64>();
            let of_events: f64 = risks[tie.event_positions()].iter().sum();
            log_likelihood += log_risks[tie.event_positions()].iter().map(|log| log - shift).sum::<f64>();
            let mut tied = TieSums::default();
            for l in 0..tie.events {
                let share = l as f64 / tie.events as f64;
                let inverse = 1.0 / (at_risk - share * of_events);
                log_likelihood += inverse.ln();
                tied.hazard += inverse;
                tied.hazard_of_events += share * inverse;
                let square = inverse * inverse;
                tied.squares[0] += square;
                tied.squares[1] += share * square;
                tied.squares[2] += share * share * square;
            }
            sums.push(tied);
        }
        let expected = expected_events(risk_sets, &risks, &sums);
        Baseline { log_likelihood, risks, expected, sums }
    }

    /// The martingale residuals M_i: 1 for an event, else 0, less the expected number of events.
    pub(super) fn residuals(&self, risk_sets: &RiskSets) -> Vec<f64> {
        let mut residuals: Vec<f64> = self.expected.iter().map(|expected| -expected).collect();
        for tie in &risk_sets.ties {
            residuals[tie.event_positions()].iter_mut().for_each(|residual| *residual += 1.0);
        }
        residuals
    }

    /// The information of a column with itself, xᵀKx = Σ over events of the variance of x in the risk set. Cost: O(N).
    pub(super) fn information_of(&self, risk_sets: &RiskSets, x: &[f64]) -> f64 {
        let mut information = self.second_moment(x);
        self.each_tie(risk_sets, x, |[whole, once, twice], at_risk, of_events| {
            information -= whole * at_risk * at_risk - 2.0 * once * at_risk * of_events + twice * of_events * of_events;
        });
        information
    }

    /// Σ over events of the second moment of x in the risk set: the size that rounding errors of the information have.
    pub(super) fn second_moment(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.expected).map(|(x, expected)| x * x * expected).sum()
    }

    /// K·x, where aᵀKx is the information of the columns a and x. Cost: O(N).
    pub(super) fn information_times(&self, risk_sets: &RiskSets, x: &[f64]) -> Vec<f64> {
        let mut means = Vec::with_capacity(self.sums.len());
        self.each_tie(risk_sets, x, |[whole, once, twice], at_risk, of_events| {
            means.push((whole * at_risk - once * of_events, twice * of_events - once * at_risk));
        });
        let mut product = vec![0.0; x.len()];
        let mut sum = 0.0;
        for (tie, (of_all, of_events)) in risk_sets.ties.iter().zip(means).rev() {
            sum += of_all;
            for at in tie.start..tie.end {
                let own = if tie.event_positions().contains(&at) { of_events } else { 0.0 };
                product[at] = x[at] * self.expected[at] - self.risks[at] * (sum + own);
            }
            if tie.opens_stratum {
                sum = 0.0;
            }
        }
        product
    }

    /// Visits every time with its [`TieSums::squares`] and the sums of r·x over its risk set and over its events.
    fn each_tie(&self, risk_sets: &RiskSets, x: &[f64], mut visit: impl FnMut([f64; 3], f64, f64)) {
        let mut at_risk = 0.0;
        for (tie, sums) in risk_sets.ties.iter().zip(&self.sums) {
            if tie.opens_stratum {
                at_risk = 0.0;
            }
            let product = |at: usize| self.risks[at] * x[at];
            let of_events: f64 = tie.event_positions().map(product).sum();
            at_risk += of_events + (tie.start + tie.events..tie.end).map(product).sum::<f64>();
            visit(sums.squares, at_risk, of_events);
        }
    }
}

impl Tie {
    /// The positions of its events.
    fn event_positions(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.events
    }
}

/// Risks divided by the largest of their stratum, so that none overflows, and for each time the logarithm of that one.
fn scaled_risks(risk_sets: &RiskSets, log_risks: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut shifts = vec![f64::NEG_INFINITY; risk_sets.ties.len()];
    let mut largest = f64::NEG_INFINITY;
    for (tie, shift) in risk_sets.ties.iter().zip(&mut shifts) {
        if tie.opens_stratum {
            largest = f64::NEG_INFINITY;
        }
        largest = log_risks[tie.start..tie.end].iter().copied().fold(largest, f64::max);
        *shift = largest;
    }
    let mut risks = vec![0.0; log_risks.len()];
    let mut of_stratum = f64::NAN;
    for (tie, shift) in risk_sets.ties.iter().zip(&mut shifts).rev() {
        if of_stratum.is_nan() {
            of_stratum = *shift;
        }
        *shift = of_stratum;
        for at in tie.start..tie.end {
            risks[at] = (log_risks[at] - of_stratum).exp();
        }
        if tie.opens_stratum {
            of_stratum = f64::NAN;
        }
    }
    (risks, shifts)
}

/// How many events each sample was to have.
fn expected_events(risk_sets: &RiskSets, risks: &[f64], sums: &[TieSums]) -> Vec<f64> {
    let mut expected = vec![0.0; risks.len()];
    let mut hazard = 0.0;
    for (tie, sums) in risk_sets.ties.iter().zip(sums).rev() {
        hazard += sums.hazard;
        for at in tie.start..tie.end {
            let tied = if tie.event_positions().contains(&at) { sums.hazard_of_events } else { 0.0 };
            expected[at] = risks[at] * (hazard - tied);
        }
        if tie.opens_stratum {
            hazard = 0.0;
        }
    }
    expected
}
