//! `prior=auto`: four families of normal mixtures, and a gate against pure noise.
//!
//! *Matters* means |μ| > 1, more than one noise standard deviation: that question has an answer the
//! data can give, while "μ ≠ 0" has none when small effects are possible. Each family is a point
//! mass at 0 plus normals; its weights maximise
//!
//! Σ_b c_b ln f(x_b) + 10 ln(π_0 + 0.9 Σ_j π_j P_j(|μ| ≤ 1)),
//!
//! a concave problem with one optimum (in `mixture_interior_point.rs`). The probabilities are those of the family of the narrowest
//! normals, A. The effects average all four families (`normal_mixture_families.rs`) with weights ∝ exp(L − D).
//!
//! The gate: unless allowing |μ| > 1 raises the log likelihood by more than ¼ + ¼ ln n − ½ ln((1 − quiet)/0.01),
//! nothing is called relevant. Where null scores of the table are known, they decide in place of this threshold
//! (`correlated/`), and the counts are divided by their overdispersion, but by no more than 30.
//!
//! Cost: one pass to bin the scores, about 100 interior-point steps on at most 800 × 200 numbers, one
//! pass to evaluate.

use crate::base::{Progress, Result};
use crate::selection::detail::{FamilyWeight, FitDetail, FittedCurve, Gate, GateTest};
use crate::sparse_means::binned::{BIN, Binned};
use crate::sparse_means::effect_given_score::{Evaluator, Given, averaged, effect_quantiles};
use crate::sparse_means::normal_mixture_families::{Family, PENALTY, Weighed, families_of, gain_over_noise};
use crate::sparse_means::{Curves, PriorFit};
use rayon::prelude::*;

/// Scores beyond this matter with certainty and stay out of the fit.
pub(super) const CERTAIN: f64 = 20.0;
/// Of more scores than this the sign is not asked: memory is short there.
const MOST_SIGN_ERRORS: usize = 10_000_000;
/// The 97.5 % quantile of N(0, 1).
const NORMAL_95: f64 = 1.959_963_984_540_054;
/// Counts are divided by the overdispersion, but by no more than this.
const MOST_OVERDISPERSION: f64 = 30.0;

/// How scores are taken by [`fit`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// Only positive scores count: *matters* means μ > 1, and no component lies below zero.
    pub one_sided: bool,
    /// The overdispersion φ of correlated scores; 1 if they are independent.
    pub overdispersion: f64,
    /// The gate.
    pub gate: GateRule,
}

/// How it is decided whether anything matters at all.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GateRule {
    /// By the gain in log likelihood, so that a share `quiet` of tables of independent noise stays shut.
    Threshold {
        /// That share.
        quiet: f64,
    },
    /// By null scores, beforehand.
    Decided(Gate),
}

impl GateRule {
    /// The gate for `n` scores in the fit and this gain.
    fn gate(&self, gain: f64, n: usize) -> Gate {
        match *self {
            GateRule::Decided(gate) => Gate { gain, ..gate },
            GateRule::Threshold { quiet } => {
                let threshold = 0.25 + 0.25 * (n as f64).ln() - 0.5 * ((1.0 - quiet) / 0.01).ln();
                let passed = gain > threshold;
                let by = passed.then_some(GateTest::Gain);
                Gate { gain, threshold: Some(threshold), passed, by, exceedances: None }
            }
        }
    }
}

/// The part of ascending scores that is fitted, by position: not those beyond doubt.
pub(super) fn fitted_part(sorted: &[f64], one_sided: bool) -> std::ops::Range<usize> {
    let first = if one_sided { 0 } else { sorted.partition_point(|z| *z < -CERTAIN) };
    first..sorted.partition_point(|z| *z <= CERTAIN)
}

/// Scores on the grid, their counts divided by the overdispersion as far as that goes.
pub(super) fn dispersed(binned: Binned, overdispersion: f64) -> Binned {
    binned.divided(overdispersion.min(MOST_OVERDISPERSION))
}

/// Fits the four families to sorted, finite scores.
pub(crate) fn fit(sorted: &[f64], setting: &Setting, curves: Curves, progress: &mut dyn Progress) -> Result<PriorFit> {
    let part = fitted_part(sorted, setting.one_sided);
    let inside = &sorted[part.clone()];
    let mut irrelevant = vec![0.0; sorted.len()];
    let mut effects = sorted.to_vec();
    let mut sign_errors = vec![0.0; sorted.len()];
    let mut effects_95 = (curves == Curves::DrawnWithIntervals).then(|| beyond_doubt(sorted));
    let mut detail = FitDetail::default();
    if let GateRule::Decided(gate) = setting.gate {
        detail.gate = Some(gate);
    }
    if let (Some(&low), Some(&high)) = (inside.first(), inside.last()) {
        let binned = dispersed(Binned::new(inside, BIN), setting.overdispersion);
        let families = fit_families(&binned, (low, high), setting.one_sided, progress)?;
        let gate = setting.gate.gate(gain_over_noise(&families[0].family, &binned), inside.len());
        detail.gate = Some(gate);
        let weighed = families.iter().map(|f| FamilyWeight { family: f.name.into(), weight: f.weight });
        detail.families = weighed.collect();
        if curves != Curves::LeftOut {
            detail.curve = curve(&families, low, high, gate.passed);
            detail.curve.dilute(inside.len() as f64 / sorted.len() as f64);
        }
        if let Some([lows, highs]) = &mut effects_95 {
            let quantiles = effect_quantiles(&families, inside);
            for (at, [low, high]) in part.clone().zip(quantiles) {
                (lows[at], highs[at]) = (low, high);
            }
        }
        let evaluate = Evaluator::new(&families, low, high, inside.len());
        let zone = irrelevant[part.clone()].par_chunks_mut(4096).zip(effects[part.clone()].par_chunks_mut(4096));
        let zone = zone.zip(sign_errors[part].par_chunks_mut(4096));
        zone.for_each(|((p, effects), signs)| {
            evaluate.replace(effects, p, signs);
            if !gate.passed {
                p.fill(1.0);
                signs.fill(1.0);
            }
        });
    }
    let sign_errors = (!setting.one_sided && sorted.len() <= MOST_SIGN_ERRORS).then_some(sign_errors);
    Ok(PriorFit { irrelevant, effects, sign_errors, effects_95, converged: true, iterations: 0, detail })
}

/// The four fitted families, A first, with weights ∝ exp(L − D).
pub(super) fn fit_families(
    binned: &Binned,
    range: (f64, f64),
    one_sided: bool,
    progress: &mut dyn Progress,
) -> Result<Vec<Weighed>> {
    let mut families = Vec::with_capacity(4);
    for (done, (name, cost, components)) in families_of(range, one_sided).into_iter().enumerate() {
        progress.step("fitting the prior", done as u64, 5)?;
        let family = Family::fit(components, binned, PENALTY, one_sided);
        families.push(Weighed { name, weight: family.log_likelihood - cost, family });
    }
    progress.step("fitting the prior", 4, 5)?;
    let best = families.iter().map(|f| f.weight).fold(f64::NEG_INFINITY, f64::max);
    families.iter_mut().for_each(|f| f.weight = (f.weight - best).exp());
    let sum: f64 = families.iter().map(|f| f.weight).sum();
    families.iter_mut().for_each(|f| f.weight /= sum);
    Ok(families)
}

/// The interval of a normal effect around each score: for those that are beyond doubt.
fn beyond_doubt(sorted: &[f64]) -> [Vec<f64>; 2] {
    [-NORMAL_95, NORMAL_95].map(|distance| sorted.iter().map(|z| z + distance).collect())
}

/// The fit on 401 points over the range of the scores: the densities of family A, whose areas are the shares of features,
/// and the averaged effect.
fn curve(families: &[Weighed], low: f64, high: f64, passed: bool) -> FittedCurve {
    let (low, high) = (low.min(-4.0), high.max(4.0));
    let mut curve = FittedCurve::default();
    let mut scratch = Vec::new();
    for i in 0..=400 {
        let z = low + (high - low) * f64::from(i) / 400.0;
        let (_, _, ln_f) = families[0].family.posterior(z, &mut scratch);
        let Given { irrelevant, effect, .. } = averaged(families, z, &mut scratch);
        let within = if passed { irrelevant } else { 1.0 };
        curve.z.push(z);
        curve.irrelevant_density.push(ln_f.exp() * within);
        curve.relevant_density.push(ln_f.exp() * (1.0 - within));
        curve.effect.push(effect);
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use crate::numeric::random;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn the_areas_of_the_curve_are_shares_of_all_scores() {
        let mut rng = random::stream(3, 0);
        let mut noise = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut z: Vec<f64> = (0..960).map(|i| noise() + if i < 60 { 5.0 } else { 0.0 }).collect();
        z.extend((0..40).map(|i| 21.0 + 15.0 * f64::from(i) / 40.0)); // up to 36, outside the fit
        let found = crate::SparseMeans::default().fit(&z, &mut Context::default()).expect("fits");
        let curve = &found.detail.curve;
        let area = |density: &[f64]| -> f64 {
            curve.z.windows(2).zip(density.windows(2)).map(|(z, d)| 0.5 * (z[1] - z[0]) * (d[0] + d[1])).sum()
        };
        let (rest, drawn) = (area(&curve.irrelevant_density), area(&curve.relevant_density));
        assert!((rest + drawn - 0.96).abs() < 0.005, "{}", rest + drawn);
        assert!((1000.0 * (drawn + 0.04) - found.n_expected).abs() < 10.0, "{drawn} {}", found.n_expected);
    }

    #[test]
    fn a_cancelled_fit_stops() {
        struct Stop;
        impl Progress for Stop {
            fn update(&mut self, _: &str, _: u64, _: u64) -> bool {
                false
            }
        }
        let setting = Setting { one_sided: false, overdispersion: 1.0, gate: GateRule::Threshold { quiet: 0.99 } };
        assert!(matches!(fit(&[0.0, 1.0], &setting, Curves::Drawn, &mut Stop), Err(crate::Error::Cancelled)));
        assert!(fit(&[], &setting, Curves::Drawn, &mut Context::default()).is_ok());
    }
}
