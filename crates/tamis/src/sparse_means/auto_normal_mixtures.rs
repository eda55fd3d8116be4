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
use crate::sparse_means::normal_mixture_families::{Family, PENALTY, families_of, gain_over_noise};
use crate::sparse_means::{PriorFit, floor};
use rayon::prelude::*;

/// Scores beyond this matter with certainty and stay out of the fit.
pub(super) const CERTAIN: f64 = 20.0;
/// A family of less weight than this changes no effect that anybody could see.
const NOTHING: f64 = 1e-14;
/// Of more scores than this the sign is not asked: memory is short there.
const MOST_SIGN_ERRORS: usize = 10_000_000;
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

/// Fits the four families to sorted, finite scores. With `brief`, data for plots are left out.
pub(crate) fn fit(sorted: &[f64], setting: &Setting, brief: bool, progress: &mut dyn Progress) -> Result<PriorFit> {
    let part = fitted_part(sorted, setting.one_sided);
    let inside = &sorted[part.clone()];
    let mut irrelevant = vec![0.0; sorted.len()];
    let mut effects = sorted.to_vec();
    let mut sign_errors = vec![0.0; sorted.len()];
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
        if !brief {
            detail.curve = curve(&families, low, high, gate.passed);
            detail.curve.dilute(inside.len() as f64 / sorted.len() as f64);
        }
        let evaluate = Evaluator::new(&families, low, high, inside.len());
        let zone = irrelevant[part.clone()].par_iter_mut().zip(effects[part.clone()].par_iter_mut());
        let zone = zone.zip(sign_errors[part].par_iter_mut());
        zone.with_min_len(4096).for_each(|((p, e), sign)| {
            let at = evaluate.at(*e);
            *p = if gate.passed { at.irrelevant } else { 1.0 };
            *sign = if gate.passed { at.sign_error() } else { 1.0 };
            *e = at.effect;
        });
    }
    let sign_errors = (!setting.one_sided && sorted.len() <= MOST_SIGN_ERRORS).then_some(sign_errors);
    Ok(PriorFit { irrelevant, effects, sign_errors, converged: true, iterations: 0, detail })
}

/// What is known about μ given z.
#[derive(Debug, Clone, Copy, Default)]
struct Given {
    /// P(|μ| ≤ 1) under family A.
    irrelevant: f64,
    /// The mean of μ under the average.
    effect: f64,
    /// P(μ < 0) under family A.
    below: f64,
    /// P(μ > 0) under family A.
    above: f64,
}

impl Given {
    /// The probability that μ has not the more likely sign.
    fn sign_error(&self) -> f64 {
        (1.0 - self.above.max(self.below)).clamp(0.0, 1.0)
    }

    /// self · factor + other.
    fn times_plus(&self, factor: f64, other: &Given) -> Given {
        Given {
            irrelevant: self.irrelevant * factor + other.irrelevant,
            effect: self.effect * factor + other.effect,
            below: self.below * factor + other.below,
            above: self.above * factor + other.above,
        }
    }
}

/// A fitted family and its share in the average of effects.
struct Weighed {
    name: &'static str,
    weight: f64,
    family: Family,
}

/// The four fitted families, A first, with weights ∝ exp(L − D).
fn fit_families(
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

/// What the fitted families say at z.
fn averaged(families: &[Weighed], z: f64, scratch: &mut Vec<f64>) -> Given {
    let mut given = Given::default();
    for (i, Weighed { weight, family, .. }) in families.iter().enumerate() {
        if i == 0 || *weight > NOTHING {
            let (within, mean, _) = family.posterior(z, scratch);
            if i == 0 {
                given.irrelevant = within;
                (given.below, given.above) = family.signs(z, scratch);
            }
            given.effect += weight * mean;
        }
    }
    given
}

/// The posterior at z: exactly for few scores, by interpolation for many.
enum Evaluator<'a> {
    Exact(&'a [Weighed]),
    /// From node `from` on, between each node and the next a polynomial in the distance from it, highest power first.
    Pieces {
        from: i64,
        pieces: Vec<[Given; POINTS]>,
    },
}

impl<'a> Evaluator<'a> {
    /// Interpolation pays off once there are more scores than nodes.
    fn new(families: &'a [Weighed], low: f64, high: f64, scores: usize) -> Self {
        let from = (low / Self::STEP).floor() as i64;
        let to = (high / Self::STEP).floor() as i64;
        if ((to - from) as usize + POINTS) * 4 > scores {
            return Evaluator::Exact(families);
        }
        let nodes: Vec<Given> = (from - BEFORE..=to + POINTS as i64 - BEFORE - 1)
            .into_par_iter()
            .map_init(Vec::new, |scratch, i| averaged(families, i as f64 * Self::STEP, scratch))
            .collect();
        Evaluator::Pieces { from, pieces: nodes.windows(POINTS).map(polynomial).collect() }
    }

    const STEP: f64 = 0.02;

    /// Eight-point interpolation at spacing 0.02: error below 1e-9 (both curves are analytic and change over a scale of
    /// about ¼).
    fn at(&self, z: f64) -> Given {
        match self {
            Evaluator::Exact(families) => averaged(families, z, &mut Vec::new()),
            Evaluator::Pieces { from, pieces } => {
                let at = z / Self::STEP;
                let node = floor(at);
                let u = at - node as f64;
                let [first, rest @ ..] = &pieces[(node - from) as usize];
                let given = rest.iter().fold(*first, |sum, power| sum.times_plus(u, power));
                Given { irrelevant: given.irrelevant.clamp(0.0, 1.0), ..given }
            }
        }
    }
}

/// Points that a polynomial goes through.
const POINTS: usize = 8;
/// Those before the node it starts from.
const BEFORE: i64 = 3;

/// The polynomial through values at −`BEFORE` and each next node, highest power first.
fn polynomial(values: &[Given]) -> [Given; POINTS] {
    // Newton's divided differences, multiplied out from the last node to the first
    let mut differences: [Given; POINTS] = std::array::from_fn(|i| values[i]);
    for gap in 1..POINTS {
        for i in (gap..POINTS).rev() {
            let change = differences[i - 1].times_plus(-1.0, &differences[i]);
            differences[i] = change.times_plus(1.0 / gap as f64, &Given::default());
        }
    }
    let mut powers = [Given::default(); POINTS];
    for (i, difference) in differences.iter().enumerate().rev() {
        let node = (i as i64 - BEFORE) as f64;
        for power in 0..POINTS - 1 {
            powers[power] = powers[power].times_plus(-node, &powers[power + 1]);
        }
        powers[POINTS - 1] = powers[POINTS - 1].times_plus(-node, difference);
    }
    powers
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
    fn interpolation_is_within_1e9_of_the_exact_posterior() {
        let mut rng = random::stream(7, 0);
        let mut z: Vec<f64> = (0..3000)
            .map(|i| {
                let noise: f64 = StandardNormal.sample(&mut rng);
                noise
                    + if i % 10 == 0 {
                        5.0
                    } else if i % 17 == 0 {
                        -3.5
                    } else {
                        0.0
                    }
            })
            .collect();
        z.sort_by(f64::total_cmp);
        let binned = Binned::new(&z, BIN);
        let (low, high) = (z[0], z[z.len() - 1]);
        let average = fit_families(&binned, (low, high), false, &mut Context::default()).expect("fits");
        let grid = Evaluator::new(&average, low, high, usize::MAX);
        assert!(matches!(grid, Evaluator::Pieces { .. }));
        for i in 0..=2000 {
            let at = low + (high - low) * f64::from(i) / 2000.0;
            let (found, wanted) = (grid.at(at), averaged(&average, at, &mut Vec::new()));
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{at}: {}", a - b);
            close(found.irrelevant, wanted.irrelevant);
            close(found.effect, wanted.effect);
            close(found.sign_error(), wanted.sign_error());
        }
    }

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
        assert!(matches!(fit(&[0.0, 1.0], &setting, false, &mut Stop), Err(crate::Error::Cancelled)));
        assert!(fit(&[], &setting, false, &mut Context::default()).is_ok());
    }
}
