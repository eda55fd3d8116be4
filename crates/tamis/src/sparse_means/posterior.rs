//! Decisions from the posterior: q-values, ranks, the selected set, the expected number.

use crate::selection::Unsaid;
use crate::selection::detail::FitDetail;
use crate::sparse_means::best_first::Ranked;
use crate::sparse_means::null::EmpiricalNull;
use crate::sparse_means::{Decide, PriorFit, Sides, named_features};

/// The answer for every score, in input order.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Posterior {
    /// The scores after the empirical null, where it was asked for; NaN where missing.
    pub rescaled: Option<Vec<f64>>,
    /// The posterior mean of μ; 0 where the score is missing.
    pub effects: Vec<f64>,
    /// The probability of being irrelevant (the local false discovery rate) p_i; 1 where missing.
    pub irrelevant: Vec<f64>,
    /// The probability that the effect has not the more likely sign (the local false sign rate), where scores have a sign
    /// and the prior tells (`prior=auto`); NaN where missing.
    pub sign_errors: Option<Vec<f64>>,
    /// The ends of a 95 % interval for μ given the scores, where they were asked for; NaN where the score is missing.
    pub effects_95: Option<[Vec<f64>; 2]>,
    /// The mean of p over {j : p_j ≤ p_i}; NaN where the score is missing.
    pub q_values: Vec<f64>,
    /// 1 for the smallest p (`prior=auto`), then the largest |effect|, then |score|, then index.
    pub ranks: Vec<u32>,
    /// The selected features, best rank first.
    pub selected: Vec<u32>,
    /// How many scores were not missing.
    pub n_scores: usize,
    /// The fraction of irrelevant features w, the mean of p.
    pub fraction_irrelevant: f64,
    /// How many features differ, named or not.
    pub differ: HowManyDiffer,
    /// How many of the selected features are expected to be false, the sum of their p.
    pub expected_false: f64,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken.
    pub iterations: usize,
    /// The rescaling that was applied, if any.
    pub empirical_null: Option<EmpiricalNull>,
    /// Data for plots.
    pub detail: FitDetail,
}

/// How many features differ, named or not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct HowManyDiffer {
    /// Whether anything does (`prior=auto`'s gate is open).
    pub open: bool,
    /// At least so many do, with 95 % confidence (`prior=auto`).
    pub at_least: Option<u64>,
    /// At least so many of the named do, at the same time (`prior=auto`).
    pub at_least_named: Option<u64>,
    /// The expected number of effects beyond ±1 (`prior=auto`; left out with the curves), or Σ (1−p_i).
    pub expected: Option<f64>,
    /// A 95 % interval for that number: for `prior=auto` of a profile likelihood, where it says something; for the papers'
    /// priors given the fitted prior.
    pub interval: Option<[u64; 2]>,
    /// The expected number of effects beyond ±2 (`prior=auto`).
    pub strong: Option<f64>,
    /// A 95 % interval for that number, where it says something.
    pub strong_interval: Option<[u64; 2]>,
    /// Why there is no interval, where there could be one.
    pub why: Option<Unsaid>,
}

impl HowManyDiffer {
    /// Under one of the papers' priors, given p.
    pub(super) fn given_prior(irrelevant: &[f64]) -> HowManyDiffer {
        HowManyDiffer {
            open: true,
            expected: Some(irrelevant.iter().map(|p| 1.0 - p).sum::<f64>()),
            interval: Some(poisson_binomial_95(irrelevant)),
            ..HowManyDiffer::default()
        }
    }
}

impl Posterior {
    /// Whether the data give no evidence that anything differs.
    pub fn no_evidence(&self) -> bool {
        let expects_nothing = self.differ.expected == Some(0.0);
        !self.differ.open || (self.detail.gate.is_none() && expects_nothing)
    }
}

/// The rule that selects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// With `auto` for the rule at `fdr`.
    pub(super) decide: Decide,
    /// At most this share of the selected features is expected to be false.
    pub(super) fdr: f64,
    /// Ranks go by probability; otherwise by effect.
    pub(super) by_probability: bool,
}

/// Puts the fit back into input order and applies the rule. `order[k]` is where `sorted[k]` came from among `n` scores;
/// `sides` tells which scores speak for a feature.
///
/// Arrays are let go as soon as they have been put in order: at 10⁸ scores each is 0.8 GB.
pub(super) fn decide(
    n: usize,
    (sorted, order): (Vec<f64>, &[u32]),
    sides: Sides<'_>,
    fit: PriorFit,
    rule: Rule,
    differ: HowManyDiffer,
    empirical_null: Option<EmpiricalNull>,
) -> Posterior {
    let k = sorted.len();
    let PriorFit { irrelevant: p, effects: e, sign_errors, effects_95, converged, iterations, mut detail } = fit;
    let fraction_irrelevant = if k == 0 { 1.0 } else { p.iter().sum::<f64>() / k as f64 };
    let ranked = Ranked { irrelevant: &p, effects: &e, sorted: &sorted, order, sides };
    let best_first = if rule.by_probability { ranked.by_probability() } else { ranked.by_effect() };
    if rule.by_probability {
        detail.named_at = named_features::at_rates(&p, &best_first);
    }
    let ranks = ranks(&best_first, order, n);
    let scatter = |values: Vec<f64>, missing: f64| {
        let mut out = vec![missing; n];
        order.iter().zip(values).for_each(|(&i, value)| out[i as usize] = value);
        out
    };
    let rescaled = empirical_null.map(|_| scatter(sorted, f64::NAN));
    let effects = scatter(e, 0.0);
    let sign_errors = sign_errors.map(|values| scatter(values, f64::NAN));
    let effects_95 = effects_95.map(|ends| ends.map(|values| scatter(values, f64::NAN)));
    let q_values = q_values(&p, &ascending(&p), order, n);
    let chosen = chosen(rule, &p, &best_first, |at| q_values[order[at as usize] as usize]);
    let expected_false = chosen.iter().map(|&at| p[at as usize]).sum::<f64>() + 0.0; // an empty sum is −0
    let selected = chosen.into_iter().map(|at| order[at as usize]).collect();
    drop(best_first);
    Posterior {
        rescaled,
        effects,
        sign_errors,
        effects_95,
        irrelevant: scatter(p, 1.0),
        q_values,
        ranks,
        selected,
        n_scores: k,
        fraction_irrelevant,
        differ,
        expected_false,
        converged,
        iterations,
        empirical_null,
        detail,
    }
}

/// The positions that a rule selects, best first.
fn chosen(rule: Rule, p: &[f64], best_first: &[u32], q_value: impl Fn(u32) -> f64) -> Vec<u32> {
    let those = |test: &dyn Fn(u32) -> bool| best_first.iter().copied().filter(|at| test(*at)).collect();
    match rule.decide {
        Decide::Auto => {
            let named = named_features::longest_prefix(best_first.iter().map(|&at| p[at as usize]), rule.fdr);
            best_first[..named].to_vec()
        }
        Decide::Count => {
            let n_expected = p.iter().map(|p| 1.0 - p).sum::<f64>();
            best_first[..((n_expected + 0.5).floor() as usize).min(p.len())].to_vec()
        }
        Decide::Probability(bound) => those(&|at| 1.0 - p[at as usize] > bound),
        Decide::FalseDiscoveryRate(rate) => those(&|at| q_value(at) <= rate),
    }
}

/// The rank of each of `n` features; those without a score come last.
fn ranks(best_first: &[u32], order: &[u32], n: usize) -> Vec<u32> {
    let mut ranks = vec![0; n];
    for (rank, &at) in (1..).zip(best_first) {
        ranks[order[at as usize] as usize] = rank;
    }
    let missing = ranks.iter_mut().filter(|r| **r == 0);
    missing.zip(best_first.len() as u32 + 1..).for_each(|(rank, last)| *rank = last);
    ranks
}

/// Positions, the smallest p first.
fn ascending(p: &[f64]) -> Vec<u32> {
    let mut by: Vec<u32> = (0..p.len() as u32).collect();
    by.sort_by(|&a, &b| p[a as usize].total_cmp(&p[b as usize]));
    by
}

/// The mean of p over the features that are at least as probable as each; NaN for those without a score. `by` holds the
/// positions by ascending p.
fn q_values(p: &[f64], by: &[u32], order: &[u32], n: usize) -> Vec<f64> {
    let mut q_values = vec![f64::NAN; n];
    let (mut sum, mut from) = (0.0, 0);
    while from < by.len() {
        let value = p[by[from] as usize];
        let mut to = from + 1;
        while to < by.len() && p[by[to] as usize] == value {
            to += 1;
        }
        sum += value * (to - from) as f64;
        for &at in &by[from..to] {
            q_values[order[at as usize] as usize] = sum / to as f64;
        }
        from = to;
    }
    q_values
}

/// The 2.5 % and 97.5 % quantiles of how many of independent events with probabilities 1 − p_i happen.
///
/// Exact by convolution up to 10,000 events that are in doubt, beyond that by the normal quantile with a
/// correction for skewness (error below one event there).
pub(super) fn poisson_binomial_95(irrelevant: &[f64]) -> [u64; 2] {
    let matters = || irrelevant.iter().map(|p| 1.0 - p);
    let certain = matters().filter(|q| *q >= 1.0).count() as u64;
    let in_doubt = || matters().filter(|q| *q > 0.0 && *q < 1.0);
    let doubtful = in_doubt().count();
    let [low, high] = if doubtful <= 10_000 {
        exact_95(in_doubt())
    } else {
        let (mut mean, mut variance, mut third) = (0.0, 0.0, 0.0);
        for q in in_doubt() {
            mean += q;
            variance += q * (1.0 - q);
            third += q * (1.0 - q) * (1.0 - 2.0 * q);
        }
        let sd = variance.sqrt();
        let skew = if sd > 0.0 { third / (sd * variance) } else { 0.0 };
        const Z: f64 = 1.959_963_984_540_054;
        let shift = skew * (Z * Z - 1.0) / 6.0;
        let quantile = |z: f64| (mean + sd * (z + shift)).clamp(0.0, doubtful as f64).round() as u64;
        [quantile(-Z), quantile(Z)]
    };
    [certain + low, certain + high]
}

/// Exact quantiles: the distribution is built up one event at a time, its negligible ends trimmed.
fn exact_95(events: impl Iterator<Item = f64>) -> [u64; 2] {
    let (mut start, mut pmf) = (0_u64, vec![1.0_f64]);
    for q in events {
        pmf.push(0.0);
        for i in (1..pmf.len()).rev() {
            pmf[i] = pmf[i] * (1.0 - q) + pmf[i - 1] * q;
        }
        pmf[0] *= 1.0 - q;
        while pmf.last().is_some_and(|m| *m < 1e-18) && pmf.len() > 1 {
            pmf.pop();
        }
        let light = pmf.iter().take_while(|m| **m < 1e-18).count();
        if light > 32 {
            pmf.drain(..light);
            start += light as u64;
        }
    }
    let quantile = |level: f64| {
        let mut sum = 0.0;
        let at = pmf.iter().position(|m| {
            sum += m;
            sum >= level
        });
        start + at.unwrap_or(pmf.len() - 1) as u64
    };
    [quantile(0.025), quantile(0.975)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_probabilities_give_the_binomial_quantiles() {
        // Binomial(100, 0.3): 2.5 % and 97.5 % quantiles are 21 and 39.
        assert_eq!(poisson_binomial_95(&[0.7; 100]), [21, 39]);
        assert_eq!(poisson_binomial_95(&[0.0; 5]), [5, 5]);
        assert_eq!(poisson_binomial_95(&[1.0; 5]), [0, 0]);
        assert_eq!(poisson_binomial_95(&[1e-30; 5]), [5, 5]);
        assert_eq!(poisson_binomial_95(&[]), [0, 0]);
    }

    #[test]
    fn the_approximation_meets_the_exact_quantiles() {
        for scale in [0.001, 0.02, 0.3] {
            let p: Vec<f64> = (0..10_001).map(|i| 1.0 - scale * (0.2 + f64::from(i % 7) / 5.0)).collect();
            let close = poisson_binomial_95(&p);
            let exact = exact_95(p.iter().map(|p| 1.0 - p));
            for (a, b) in close.iter().zip(exact) {
                assert!(a.abs_diff(b) <= 1, "{scale}: {close:?} {exact:?}");
            }
        }
    }

    #[test]
    fn q_values_are_running_means_with_ties_together() {
        let fit = PriorFit {
            sign_errors: None,
            effects_95: None,
            irrelevant: vec![0.5, 0.1, 0.5, 0.3],
            effects: vec![-1.0, 4.0, 1.0, 2.0],
            converged: true,
            iterations: 0,
            detail: FitDetail::default(),
        };
        let out = decide(
            5,
            (vec![-1.0, 4.0, 1.0, 2.0], &[3, 0, 4, 2]),
            Sides::Two,
            fit,
            Rule { decide: Decide::FalseDiscoveryRate(0.2), fdr: 0.1, by_probability: false },
            HowManyDiffer::default(),
            None,
        );
        assert_eq!(out.expected_false, 0.4);
        assert_eq!(out.q_values[0], 0.1);
        assert!((out.q_values[2] - 0.2).abs() < 1e-15);
        assert!((out.q_values[3] - 0.35).abs() < 1e-15 && (out.q_values[4] - 0.35).abs() < 1e-15);
        assert!(out.q_values[1].is_nan());
        assert_eq!(out.selected, vec![0, 2]);
        assert_eq!(out.ranks, vec![1, 5, 2, 3, 4]);
    }
}
