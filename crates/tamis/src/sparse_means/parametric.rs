//! Priors with one parameter: the fraction and the parameter by maximum marginal likelihood.
//!
//! For a given parameter the log likelihood Σ ln[w φ(z_i) + (1−w) g_a(z_i)] is concave in w, so w is found exactly;
//! what is left is a curve in ln a that may have several maxima. It is scanned over its whole range and the best
//! places are refined, so that a local maximum is never reported. At w = 1 the parameter is not identified and is
//! left out.
//!
//! Cost: some 200 evaluations over at most 2,000 points; above that the scores are binned with 4-point Lagrange
//! weights first (`kde_binned.rs`).

use crate::base::{Progress, Result};
use crate::numeric::special::{LN_SQRT_2PI, normal_density};
use crate::selection::detail::{FitDetail, FittedCurve};
use crate::sparse_means::kde::EXACT;
use crate::sparse_means::kde_binned::{Far, spread};
use crate::sparse_means::{Estimate, PriorFit};
use rayon::prelude::*;

/// A family of densities γ_a for the effects of relevant features.
pub(crate) trait Family: Sync {
    /// The parameter's range for scores up to this size.
    fn range(&self, largest: f64) -> (f64, f64);
    /// ln g_a(z), g_a = γ_a ∗ N(0, 1).
    fn ln_marginal(&self, a: f64, z: f64) -> f64;
    /// E[μ | z, μ ≠ 0].
    fn mean(&self, a: f64, z: f64) -> f64;
    /// The median of μ given z ≥ 0, when μ ≠ 0 has this probability: a true threshold, 0 for small z.
    fn median(&self, a: f64, z: f64, relevant: f64) -> f64;
}

/// Scores beyond this have φ = 0 and stay off the grid.
const FAR: f64 = 40.0;
/// Spacing of the grid for many scores.
const STEP: f64 = 0.02;
/// Places at which the profile is looked at first.
const SCAN: usize = 64;

/// Fits a family to sorted, finite scores.
pub(crate) fn fit(
    family: &dyn Family,
    sorted: &[f64],
    estimate: Estimate,
    progress: &mut dyn Progress,
) -> Result<PriorFit> {
    let points = Points::new(sorted);
    let largest = sorted.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
    let (low, high) = family.range(largest);
    let profile = |ln_a: f64| points.best_fraction(family, ln_a.exp());
    let at = |i: usize| low.ln() + (high / low).ln() * i as f64 / (SCAN - 1) as f64;
    let mut scan = Vec::with_capacity(SCAN);
    for i in 0..SCAN {
        progress.step("fitting the prior", i as u64, SCAN as u64)?;
        scan.push(profile(at(i)).1);
    }
    let peak = |i: usize| (i == 0 || scan[i] >= scan[i - 1]) && (i + 1 == SCAN || scan[i] >= scan[i + 1]);
    let mut peaks: Vec<usize> = (0..SCAN).filter(|&i| peak(i)).collect();
    peaks.sort_by(|&i, &j| scan[j].total_cmp(&scan[i]));
    peaks.truncate(3);
    let best = peaks
        .into_iter()
        .map(|i| maximise(at(i.saturating_sub(1)), at((i + 1).min(SCAN - 1)), |x| profile(x).1))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let (mut w, mut a) = (1.0, None);
    if let Some((ln_a, likelihood)) = best
        && likelihood > points.null_likelihood() + 1e-9
    {
        (w, a) = (profile(ln_a).0, Some(ln_a.exp()));
    }

    let answer = |z: f64| match a.filter(|_| w < 1.0) {
        None => (1.0, 0.0),
        Some(a) => {
            let p = irrelevant(family, a, w, z);
            let effect = match estimate {
                Estimate::Mean => (1.0 - p) * family.mean(a, z),
                Estimate::Median => family.median(a, z.abs(), 1.0 - p).copysign(z),
            };
            (p, effect)
        }
    };
    let (irrelevant, effects) = sorted.par_iter().with_min_len(256).map(|z| answer(*z)).unzip();
    let detail = FitDetail { curve: curve(family, a, w, sorted, &answer), parameter: a, ..FitDetail::default() };
    Ok(PriorFit { irrelevant, effects, sign_errors: None, effects_95: None, converged: true, iterations: 0, detail })
}

/// p(z) = w φ/(w φ + (1−w) g), by the ratio of the two so that nothing underflows.
fn irrelevant(family: &dyn Family, a: f64, w: f64, z: f64) -> f64 {
    let ln_ratio = family.ln_marginal(a, z) + 0.5 * z * z + LN_SQRT_2PI;
    w / (w + (1.0 - w) * ln_ratio.exp())
}

fn curve(
    family: &dyn Family,
    a: Option<f64>,
    w: f64,
    sorted: &[f64],
    answer: &dyn Fn(f64) -> (f64, f64),
) -> FittedCurve {
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return FittedCurve::default() };
    let (low, high) = (low.clamp(-FAR, -4.0), high.clamp(4.0, FAR));
    let z: Vec<f64> = (0..=400).map(|i| low + (high - low) * f64::from(i) / 400.0).collect();
    FittedCurve {
        irrelevant_density: z.iter().map(|z| w * normal_density(*z)).collect(),
        relevant_density: z.iter().map(|z| a.map_or(0.0, |a| (1.0 - w) * family.ln_marginal(a, *z).exp())).collect(),
        effect: z.iter().map(|z| answer(*z).1).collect(),
        z,
    }
}

/// The scores, or what stands for them.
struct Points {
    x: Vec<f64>,
    mass: Vec<f64>,
}

impl Points {
    fn new(sorted: &[f64]) -> Points {
        if sorted.len() <= EXACT {
            return Points { x: sorted.to_vec(), mass: vec![1.0; sorted.len()] };
        }
        let first = sorted.partition_point(|z| *z < -FAR);
        let last = sorted.partition_point(|z| *z <= FAR);
        let (mut x, mut mass) = spread(&sorted[first..last], STEP);
        let far = Far::new(sorted[..first].iter().chain(&sorted[last..]).copied(), 16.0);
        x.extend(far.x);
        mass.extend(far.weight);
        Points { x, mass }
    }

    fn null_likelihood(&self) -> f64 {
        self.x.iter().zip(&self.mass).map(|(x, m)| m * (-0.5 * x * x - LN_SQRT_2PI)).sum()
    }

    /// The w that maximises the likelihood for this parameter, and the likelihood there.
    fn best_fraction(&self, family: &dyn Family, a: f64) -> (f64, f64) {
        let ln_ratio: Vec<f64> = self.x.iter().map(|&x| family.ln_marginal(a, x) + 0.5 * x * x + LN_SQRT_2PI).collect();
        let ratio: Vec<f64> = ln_ratio.iter().map(|l| l.exp()).collect();
        // d/dw Σ m ln(w + (1−w) r): falls from w = 0 to w = 1
        let slope = |w: f64| -> (f64, f64) {
            ratio.iter().zip(&self.mass).fold((0.0, 0.0), |(first, second), (r, m)| {
                let t = if r.is_infinite() { -1.0 / (1.0 - w) } else { (1.0 - r) / (w + (1.0 - w) * r) };
                (first + m * t, second - m * t * t)
            })
        };
        let likelihood = |w: f64| -> f64 {
            let ln_mix = |l: f64, r: f64| if r.is_infinite() { (1.0 - w).ln() + l } else { (w + (1.0 - w) * r).ln() };
            let terms = self.x.iter().zip(&self.mass).zip(ln_ratio.iter().zip(&ratio));
            terms.map(|((x, m), (l, r))| m * (ln_mix(*l, *r) - 0.5 * x * x - LN_SQRT_2PI)).sum()
        };
        if slope(0.0).0 <= 0.0 {
            return (0.0, likelihood(0.0));
        }
        if ratio.iter().all(|r| r.is_finite()) && slope(1.0).0 >= 0.0 {
            return (1.0, likelihood(1.0));
        }
        // Newton, kept inside a shrinking bracket
        let (mut low, mut high, mut w) = (0.0, 1.0, 0.5);
        for _ in 0..100 {
            let (first, second) = slope(w);
            if first > 0.0 {
                low = w
            } else {
                high = w
            }
            let newton = w - first / second;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - w).abs() <= 1e-15 {
                break;
            }
            w = next;
        }
        (w, likelihood(w))
    }
}

/// The maximum of `f` between `low` and `high`, by golden sections: (place, value).
fn maximise(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut x1, mut x2) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut f1, mut f2) = (f(x1), f(x2));
    for _ in 0..45 {
        if f1 >= f2 {
            high = x2;
            (x2, f2) = (x1, f1);
            x1 = high - GOLDEN * (high - low);
            f1 = f(x1);
        } else {
            low = x1;
            (x1, f1) = (x2, f2);
            x2 = low + GOLDEN * (high - low);
            f2 = f(x2);
        }
    }
    if f1 >= f2 { (x1, f1) } else { (x2, f2) }
}
