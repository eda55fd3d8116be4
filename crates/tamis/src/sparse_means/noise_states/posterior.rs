//! What the averaged explanations say of a score, and of how many effects are large.

use super::features::Kind;
use super::mixture_given_state::{Average, MixtureGivenState};
use super::score_grid::{NODES, OnGrid, STEP, interpolate, node};
use super::table_scores::{TableScores, is_far};
use crate::numeric::special::ndtr;
use crate::selection::detail::FittedCurve;
use std::f64::consts::FRAC_1_SQRT_2;

/// How large an effect may be that cannot be told from none, in standard errors.
const SMALL_EFFECT: f64 = 0.6;

/// The averaged posterior of one kind of scores, on the grid.
pub(super) struct Posterior {
    /// The probability of no effect, a negative and a positive one.
    none: OnGrid,
    below: OnGrid,
    above: OnGrid,
    /// The mean effect.
    effect: OnGrid,
    /// The density of the scores.
    density: OnGrid,
    /// The mean of each component, and its probability at each node.
    means: Vec<f64>,
    shares: Vec<OnGrid>,
    /// The expected number of effects beyond ±1 and ±2.
    pub(super) expected: [f64; 2],
}

/// A judgement about a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judged {
    /// The probability that it has no effect, or one in the other direction.
    pub(super) p: f64,
    /// The posterior mean of its effect.
    pub(super) effect: f64,
    /// The local false sign rate; missing where scores have no sign.
    pub(super) sign_error: f64,
}

impl Posterior {
    /// From what the states say on average.
    pub(super) fn new(average: Average, mixture: &MixtureGivenState<'_>, table: &TableScores) -> Posterior {
        let Average { shares, density } = average;
        let means = mixture.means();
        let sum = |factor: &dyn Fn(f64) -> f64| -> OnGrid {
            let components = || shares.iter().zip(&means).skip(1);
            std::array::from_fn(|b| components().map(|(share, mean)| share[b] * factor(*mean)).sum())
        };
        let expected = [1.0, 2.0].map(|limit| {
            let beyond = mixture.beyond(limit);
            let inside = |b: usize| shares.iter().zip(&beyond).map(|(share, beyond)| share[b] * beyond).sum::<f64>();
            table.far as f64 + (0..NODES).map(|b| table.counts[b] * inside(b)).sum::<f64>()
        });
        Posterior {
            none: shares[0],
            below: sum(&|mean| f64::from(u8::from(mean < 0.0))),
            above: sum(&|mean| f64::from(u8::from(mean > 0.0))),
            effect: sum(&|mean| mean),
            expected,
            density,
            means,
            shares,
        }
    }

    /// The 2.5 % and the 97.5 % quantile of the effect at each node, linear between nodes; the mean lies between them.
    pub(super) fn effect_quantiles(&self) -> [OnGrid; 2] {
        let low = |b: usize| self.effect_quantile(b, 0.025).min(self.effect[b]);
        let high = |b: usize| self.effect_quantile(b, 0.975).max(self.effect[b]);
        [std::array::from_fn(low), std::array::from_fn(high)]
    }

    /// By bisection. A fitted prior is sharper than what is known of it, so for an interval no effect stands for all that
    /// cannot be told from none, and the other components are as wide as the noise: given the score the effect is
    /// N(mean + (z − mean)/2, ½).
    fn effect_quantile(&self, b: usize, level: f64) -> f64 {
        let below = |x: f64| -> f64 {
            let components = self.means.iter().zip(&self.shares).skip(1).filter(|(_, share)| share[b] > 1e-9);
            self.shares[0][b] * ndtr(x / SMALL_EFFECT)
                + components
                    .map(|(mean, share)| share[b] * ndtr((x - 0.5 * (mean + node(b))) / FRAC_1_SQRT_2))
                    .sum::<f64>()
        };
        let wanted = level * below(f64::INFINITY);
        let (mut low, mut high) = (-10.0, 10.0);
        while high - low > 1e-3 {
            let middle = 0.5 * (low + high);
            if below(middle) < wanted { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// For plots: the densities of scores of features without and with an effect in the direction that their scores show,
    /// and the mean effect, in `curve`, for a kind with this share of all features.
    pub(super) fn add_to(&self, curve: &mut FittedCurve, kind: &Kind, share: f64, open: bool) {
        if curve.z.is_empty() {
            curve.z = (0..NODES).map(node).collect();
            for part in [&mut curve.irrelevant_density, &mut curve.relevant_density, &mut curve.effect] {
                *part = vec![0.0; NODES];
            }
        }
        for b in 0..NODES {
            let judged = self.judge(node(b).clamp(-7.9, 7.9), kind);
            let p = if open { judged.p } else { 1.0 };
            let density = share * self.density[b] / STEP;
            curve.irrelevant_density[b] += density * p;
            curve.relevant_density[b] += density * (1.0 - p);
            curve.effect[b] += share * judged.effect;
        }
    }

    /// Judges a score: of the effects of the other sign as many again are mistaken for none.
    pub(super) fn judge(&self, z: f64, kind: &Kind) -> Judged {
        if is_far(kind, z) {
            return Judged { p: 0.0, effect: z, sign_error: if kind.one_sided { f64::NAN } else { 0.0 } };
        }
        let [none, effect] = [&self.none, &self.effect].map(|values| interpolate(values, z));
        if kind.one_sided {
            return Judged { p: if z > 0.0 { none.min(1.0) } else { 1.0 }, effect, sign_error: f64::NAN };
        }
        let other = interpolate(if z > 0.0 { &self.below } else { &self.above }, z);
        Judged { p: (none + 2.0 * other).min(1.0), effect, sign_error: none + other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_of_the_other_sign_count_twice() {
        let signed = Kind { one_sided: false, places: 0..1 };
        let one_sided = Kind { one_sided: true, places: 0..1 };
        let posterior = Posterior {
            none: [0.5; NODES],
            below: [0.1; NODES],
            above: [0.4; NODES],
            effect: [0.7; NODES],
            expected: [0.0; 2],
            density: [0.0; NODES],
            means: vec![],
            shares: vec![],
        };
        let close = |judged: Judged, p: f64, sign_error: f64| {
            assert!((judged.p - p).abs() < 1e-12 && (judged.sign_error - sign_error).abs() < 1e-12, "{judged:?}");
        };
        close(posterior.judge(2.0, &signed), 0.7, 0.6);
        close(posterior.judge(-2.0, &signed), 1.0, 0.9);
        assert_eq!(posterior.judge(-8.5, &signed), Judged { p: 0.0, effect: -8.5, sign_error: 0.0 });
        assert_eq!([2.0, -2.0, -9.0, 9.0].map(|z| posterior.judge(z, &one_sided).p), [0.5, 1.0, 1.0, 0.0]);
        assert!(posterior.judge(2.0, &one_sided).sign_error.is_nan());
    }
}
