//! What a fitted prior says of every score, and which scores speak for their feature.

use crate::selection::detail::FitDetail;

/// The fit of a prior to sorted scores.
#[derive(Debug, Clone)]
pub(crate) struct PriorFit {
    /// The posterior probability that each score's feature is irrelevant, p_i.
    pub irrelevant: Vec<f64>,
    /// The posterior mean of each μ_i.
    pub effects: Vec<f64>,
    /// The probability that each μ_i has not the more likely sign, where it is known.
    pub sign_errors: Option<Vec<f64>>,
    /// The ends of a 95 % interval for each μ_i, where they were asked for and are known.
    pub effects_95: Option<[Vec<f64>; 2]>,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken.
    pub iterations: usize,
    /// Data for plots.
    pub detail: FitDetail,
}

impl PriorFit {
    /// Takes negative scores that count on their positive side only as irrelevant; none of those has a sign.
    pub(super) fn forget_signs(&mut self, sorted: &[f64], order: &[u32], sides: Sides<'_>) {
        for (at, _) in order.iter().enumerate().filter(|(_, i)| sides.one(**i as usize)) {
            if sorted[at] < 0.0 {
                self.irrelevant[at] = 1.0;
                self.effects[at] = 0.0;
            }
            if let Some(sign_errors) = &mut self.sign_errors {
                sign_errors[at] = f64::NAN;
            }
        }
    }
}

/// Whether the curves that only plots need are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curves {
    /// They are, and so is an interval for every effect (`prior=auto`).
    DrawnWithIntervals,
    /// They are.
    Drawn,
    /// Nobody will look at them.
    LeftOut,
}

/// Which scores speak for a feature.
#[derive(Debug, Clone, Copy)]
pub enum Sides<'a> {
    /// Large positive and large negative ones.
    Two,
    /// Only positive ones: a small F or χ² is no evidence of anything.
    One,
    /// Feature by feature: `true` where only positive ones do.
    Mixed(&'a [bool]),
}

impl Sides<'_> {
    /// Whether only positive scores speak for feature `i`.
    pub(super) fn one(&self, i: usize) -> bool {
        match self {
            Sides::Two => false,
            Sides::One => true,
            Sides::Mixed(one) => one[i],
        }
    }
}
