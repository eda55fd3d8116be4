//! What the scores of a table say.

use super::dispersion::Dispersion;
use super::gate::NoiseGate;
use crate::selection::Unsaid;
use crate::selection::detail::{FittedCurve, NullBand};

/// What the scores of a table say, given the states the noise may be in.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NoiseStates {
    /// The probability that each feature has no effect, or one in the other direction; 1 where its score is missing, and
    /// for all behind a shut gate.
    pub p: Vec<f64>,
    /// The posterior mean of each effect on the scale of the scores, whatever the gate says; 0 where the score is missing.
    pub effects: Vec<f64>,
    /// The local false sign rate of each feature, never above its p; missing (NaN) where scores have no sign.
    pub sign_errors: Vec<f64>,
    /// The named features, by index.
    pub named: Vec<u32>,
    /// Whether anything differs.
    pub gate: NoiseGate,
    /// The states of the noise that were averaged; 1 where features are independent.
    pub states: usize,
    /// The overdispersion φ ≥ 1 of counts of scores within a state.
    pub phi: f64,
    /// How far null rows differ: in signed scores, then in one-sided ones, as far as there are any; empty without null
    /// scores.
    pub dispersions: Vec<Dispersion>,
    /// At least so many features differ, with 95 % confidence.
    pub at_least: usize,
    /// At least so many of the named do, at the same time.
    pub at_least_named: usize,
    /// How many effects are larger than 1, and larger than 2; none where this was not asked for.
    pub matter: Option<[HowMany; 2]>,
    /// The ends of a 95 % interval for each effect, where they were asked for; NaN where the score is missing.
    pub effects_95: Option<[Vec<f64>; 2]>,
    /// The averaged fit on the nodes, for plots.
    pub curve: FittedCurve,
    /// Where the scores of null targets lie, for a histogram; none without null scores.
    pub band: Option<NullBand>,
}

impl NoiseStates {
    /// The answer about features without any score.
    pub(super) fn of_nothing(features: usize) -> NoiseStates {
        NoiseStates {
            p: vec![1.0; features],
            effects: vec![0.0; features],
            sign_errors: vec![f64::NAN; features],
            named: vec![],
            gate: NoiseGate { open: false, above: 0, allowed: 0, rows: 0 },
            states: 1,
            phi: 1.0,
            dispersions: vec![],
            at_least: 0,
            at_least_named: 0,
            matter: Some([HowMany::new(0.0, [0.0; 2], false); 2]),
            effects_95: None,
            curve: FittedCurve::default(),
            band: None,
        }
    }
}

/// How many effects exceed a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HowMany {
    /// The expected number.
    pub expected: f64,
    /// The ends of a 95 % interval, as computed whatever the gate says.
    pub interval: [f64; 2],
    /// Why the interval says nothing and is not to be shown, if so.
    pub unsaid: Option<Unsaid>,
}

impl HowMany {
    /// The interval in whole numbers, if it says something.
    pub fn whole_numbers(&self) -> Option<[u64; 2]> {
        const ROUNDING: f64 = 0.01;
        let [low, high] = self.interval;
        let low = (low - ROUNDING).ceil().max(0.0) as u64;
        self.unsaid.is_none().then(|| [low, ((high + ROUNDING).floor() as u64).max(low)])
    }

    pub(super) fn new(expected: f64, interval: [f64; 2], open: bool) -> HowMany {
        let unsaid = match interval {
            _ if !open => Some(Unsaid::GateShut),
            [low, high] if high > 10.0 * low => Some(Unsaid::TooWide),
            _ => None,
        };
        HowMany { expected, interval, unsaid }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_shown_only_behind_an_open_gate_and_if_it_says_something() {
        let unsaid = |interval, open| HowMany::new(3.0, interval, open).unsaid;
        assert_eq!(unsaid([2.0, 20.0], true), None);
        assert_eq!(unsaid([2.0, 20.1], true), Some(Unsaid::TooWide));
        assert_eq!(unsaid([2.0, 3.0], false), Some(Unsaid::GateShut));
        assert_eq!(unsaid([0.0, 0.1], true), Some(Unsaid::TooWide));
    }
}
