//! `prior=auto`: four families of normal mixtures, averaged, with a gate against pure noise.
//!
//! *Matters* means |μ| > 1, more than one noise standard deviation: that question has an answer the
//! data can give, while "μ ≠ 0" has none when small effects are possible. Each family is a point
//! mass at 0 plus normals; its weights maximise
//!
//! Σ_b c_b ln f(x_b) + 10 ln(π_0 + 0.9 Σ_j π_j P_j(|μ| ≤ 1)),
//!
//! a concave problem with one optimum (in `mixture.rs`). Families are averaged with
//! weights ∝ exp(L − D). Unless allowing |μ| > 1 raises the log likelihood by more than
//! ½ + ¼ ln n, nothing is called relevant.
//!
//! Cost: one pass to bin the scores, about 100 interior-point steps on at most 800 × 200 numbers, one
//! pass to evaluate. No parameters.

use crate::base::{Progress, Result};
use crate::numeric::special::{LN_SQRT_2PI, ndtr, normal_within};
use crate::selection::detail::{FamilyWeight, FitDetail, FittedCurve, Gate};
use crate::sparse_means::{PriorFit, floor, mixture};
use rayon::prelude::*;

/// Scores beyond this matter with certainty and stay out of the fit.
const CERTAIN: f64 = 20.0;
/// Spacing of the grid the scores are binned on.
const BIN: f64 = 0.05;
/// A family of less weight than this changes no probability that anybody could see.
const NOTHING: f64 = 1e-14;
/// The largest effect that counts as irrelevant.
const LIMIT: f64 = 1.0;
/// Weight of the penalty that favours irrelevance.
const PENALTY: f64 = 10.0;

/// A normal component N(mean, sd²) of the prior; sd 0 is the point mass.
#[derive(Debug, Clone, Copy)]
struct Component {
    mean: f64,
    sd: f64,
}

impl Component {
    /// ln N(z; mean, 1 + sd²).
    fn ln_marginal(&self, z: f64) -> f64 {
        let v = 1.0 + self.sd * self.sd;
        let d = z - self.mean;
        -0.5 * d * d / v - 0.5 * v.ln() - LN_SQRT_2PI
    }

    /// The probability of being irrelevant under the component: |μ| ≤ 1, or μ ≤ 1 where only positive scores count.
    fn irrelevant(&self, one_sided: bool) -> f64 {
        match (self.sd == 0.0, one_sided) {
            (true, _) => 1.0,
            (false, false) => normal_within(LIMIT, self.mean, self.sd),
            (false, true) => ndtr((LIMIT - self.mean) / self.sd),
        }
    }

    /// The mean of μ given z, and the probability of being irrelevant given z.
    fn posterior(&self, z: f64, one_sided: bool) -> (f64, f64) {
        if self.sd == 0.0 {
            return (0.0, 1.0);
        }
        let v = self.sd * self.sd;
        let given = Component { mean: (self.mean + v * z) / (1.0 + v), sd: self.sd / (1.0 + v).sqrt() };
        (given.mean, given.irrelevant(one_sided))
    }
}

/// The scores on the grid: nodes with a positive count.
struct Binned {
    x: Vec<f64>,
    count: Vec<f64>,
}

/// Fits the four families to sorted, finite scores. Where only positive scores count (`one_sided`), *matters* means
/// μ > 1 and no component lies below zero. With `brief`, data for plots are left out.
pub(crate) fn fit(sorted: &[f64], one_sided: bool, brief: bool, progress: &mut dyn Progress) -> Result<PriorFit> {
    let first = sorted.partition_point(|z| *z < -CERTAIN);
    let last = sorted.partition_point(|z| *z <= CERTAIN);
    let inside = &sorted[first..last];
    let mut irrelevant = vec![0.0; sorted.len()];
    let mut effects = sorted.to_vec();
    let mut detail = FitDetail::default();
    if let (Some(&low), Some(&high)) = (inside.first(), inside.last()) {
        let (x, count) = bin(inside, BIN);
        let binned = Binned { x, count };
        let mut families = Vec::with_capacity(4);
        for (done, (name, cost, components)) in families_of(low, high, one_sided).into_iter().enumerate() {
            progress.step("fitting the prior", done as u64, 5)?;
            families.push((name, cost, Family::fit(components, &binned, PENALTY, one_sided)));
        }
        progress.step("fitting the prior", 4, 5)?;
        let near: Vec<Component> = families[0].2.all.iter().copied().filter(|c| c.mean.abs() <= LIMIT + 1e-9).collect();
        let null = Family::fit(near, &binned, 0.0, one_sided);
        let gain = families[0].2.log_likelihood - null.log_likelihood;
        let threshold = 0.5 + 0.25 * (inside.len() as f64).ln();
        let gate = Gate { gain, threshold, passed: gain > threshold };

        let best = families.iter().map(|(_, d, f)| f.log_likelihood - d).fold(f64::NEG_INFINITY, f64::max);
        let raw: Vec<f64> = families.iter().map(|(_, d, f)| (f.log_likelihood - d - best).exp()).collect();
        let sum: f64 = raw.iter().sum();
        detail.families = raw
            .iter()
            .zip(&families)
            .map(|(weight, (name, ..))| FamilyWeight { family: (*name).into(), weight: weight / sum })
            .collect();
        let average: Vec<(f64, Family)> = raw
            .iter()
            .zip(families)
            .filter(|(r, _)| **r / sum > NOTHING)
            .map(|(r, (_, _, family))| (r / sum, family))
            .collect();
        detail.gate = Some(gate);
        if !brief {
            detail.curve = curve(&average, low, high, gate.passed);
        }

        let evaluate = Evaluator::new(&average, low, high, inside.len());
        irrelevant[first..last].par_iter_mut().zip(effects[first..last].par_iter_mut()).with_min_len(4096).for_each(
            |(p, e)| {
                let (within, mean) = evaluate.at(*e);
                *p = if gate.passed { within } else { 1.0 };
                *e = mean;
            },
        );
    }
    Ok(PriorFit { irrelevant, effects, converged: true, iterations: 0, detail })
}

/// The four families for scores between `low` and `high`: name, cost and components.
fn families_of(low: f64, high: f64, one_sided: bool) -> [(&'static str, f64, Vec<Component>); 4] {
    let lattice = |sd: f64, step: f64| {
        let lowest = if one_sided { 0.0 } else { low.min(0.0) };
        let (from, to) = ((lowest / step).floor() as i64, (high.max(0.0) / step).ceil() as i64);
        let means = (from..=to).filter(|m| *m != 0).map(|m| Component { mean: m as f64 * step, sd });
        std::iter::once(Component { mean: 0.0, sd: 0.0 }).chain(means).collect::<Vec<_>>()
    };
    let widest = 2.0 * low.abs().max(high.abs()).max(2.0);
    let scales = (0..).map(|k| 0.5 * 2f64.powf(0.5 * f64::from(k))).take_while(|s| *s <= widest);
    let scale_family = std::iter::once(0.0).chain(scales).map(|sd| Component { mean: 0.0, sd }).collect();
    [
        ("A", 6.0, lattice(0.25, 0.2)),
        ("B", 4.5, lattice(0.5, 0.2)),
        ("C", 3.0, lattice(1.0, 0.4)),
        ("S", 0.0, scale_family),
    ]
}

/// Linear binning onto multiples of `width`: the nodes that got anything, and how much. `inside` is sorted, so the
/// sums run in one fixed order.
pub(super) fn bin(inside: &[f64], width: f64) -> (Vec<f64>, Vec<f64>) {
    let (Some(low), Some(high)) = (inside.first(), inside.last()) else { return (vec![], vec![]) };
    let from = floor(low / width);
    let mut count = vec![0.0; (floor(high / width) + 2 - from) as usize];
    for z in inside {
        let at = z / width;
        let node = floor(at);
        let share = at - node as f64;
        let i = (node - from) as usize;
        count[i] += 1.0 - share;
        count[i + 1] += share;
    }
    let kept = count.iter().enumerate().filter(|(_, c)| **c > 0.0);
    kept.map(|(i, c)| ((from + i as i64) as f64 * width, *c)).unzip()
}

/// A fitted family of priors.
#[derive(Debug, Clone)]
struct Family {
    all: Vec<Component>,
    /// Components that carry weight, with the logarithm of it.
    kept: Vec<(f64, Component)>,
    log_likelihood: f64,
    one_sided: bool,
}

impl Family {
    fn fit(components: Vec<Component>, binned: &Binned, penalty: f64, one_sided: bool) -> Family {
        let nodes = binned.x.len();
        let mut counts = binned.count.clone();
        if penalty > 0.0 {
            counts.push(penalty);
        }
        // The penalty is one more observation, with "density" π_0 + 0.9 Σ π_j P_j(|μ| ≤ 1).
        let ln = |b: usize, j: usize| {
            let c = &components[j];
            if b < nodes {
                c.ln_marginal(binned.x[b])
            } else if c.sd == 0.0 {
                0.0
            } else {
                (0.9 * c.irrelevant(one_sided)).ln()
            }
        };
        let fitted = mixture::fit(&counts, components.len(), ln);
        let log_likelihood = binned.count.iter().zip(&fitted.log_density).map(|(c, l)| c * l).sum();
        let kept =
            fitted.weights.iter().zip(&components).filter(|(w, _)| **w > 1e-15).map(|(w, c)| (w.ln(), *c)).collect();
        Family { kept, all: components, log_likelihood, one_sided }
    }

    /// (P(|μ| ≤ 1 | z), E[μ | z], ln f(z)).
    fn posterior(&self, z: f64, ln_terms: &mut Vec<f64>) -> (f64, f64, f64) {
        ln_terms.clear();
        ln_terms.extend(self.kept.iter().map(|(ln_w, c)| ln_w + c.ln_marginal(z)));
        let top = ln_terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut f, mut within, mut mean) = (0.0, 0.0, 0.0);
        for (ln_term, (_, component)) in ln_terms.iter().zip(&self.kept) {
            if ln_term - top < -32.0 {
                continue; // below 1e-14 of the largest term
            }
            let d = (ln_term - top).exp();
            let (m, p) = component.posterior(z, self.one_sided);
            f += d;
            mean += d * m;
            within += d * p;
        }
        (within / f, mean / f, top + f.ln())
    }
}

fn averaged(average: &[(f64, Family)], z: f64, scratch: &mut Vec<f64>) -> (f64, f64) {
    average.iter().fold((0.0, 0.0), |(p, e), (weight, family)| {
        let (within, mean, _) = family.posterior(z, scratch);
        (p + weight * within, e + weight * mean)
    })
}

/// p(z) and the effect at z: exactly for few scores, by interpolation for many.
enum Evaluator<'a> {
    Exact(&'a [(f64, Family)]),
    Grid { from: i64, nodes: Vec<(f64, f64)> },
}

impl<'a> Evaluator<'a> {
    /// Interpolation pays off once there are more scores than nodes.
    fn new(average: &'a [(f64, Family)], low: f64, high: f64, scores: usize) -> Self {
        let from = (low / Self::STEP).floor() as i64 - 3;
        let to = (high / Self::STEP).floor() as i64 + 4;
        if ((to - from) as usize) * 4 > scores {
            return Evaluator::Exact(average);
        }
        let nodes = (from..=to)
            .into_par_iter()
            .map_init(Vec::new, |scratch, i| averaged(average, i as f64 * Self::STEP, scratch))
            .collect();
        Evaluator::Grid { from, nodes }
    }

    const STEP: f64 = 0.01;

    /// Six-point Lagrange interpolation at spacing 0.01: error below 1e-9 (both curves are analytic and
    /// change over a scale of about ¼).
    fn at(&self, z: f64) -> (f64, f64) {
        match self {
            Evaluator::Exact(average) => averaged(average, z, &mut Vec::new()),
            Evaluator::Grid { from, nodes } => {
                let at = z / Self::STEP;
                let node = floor(at);
                let u = at - node as f64;
                let i = (node - from) as usize;
                let (m2, m1, p1, p2, p3) = (u + 2.0, u + 1.0, u - 1.0, u - 2.0, u - 3.0);
                let weights = [
                    -m1 * u * p1 * p2 * p3 / 120.0,
                    m2 * u * p1 * p2 * p3 / 24.0,
                    -m2 * m1 * p1 * p2 * p3 / 12.0,
                    m2 * m1 * u * p2 * p3 / 12.0,
                    -m2 * m1 * u * p1 * p3 / 24.0,
                    m2 * m1 * u * p1 * p2 / 120.0,
                ];
                let (mut p, mut e) = (0.0, 0.0);
                for (w, (pn, en)) in weights.iter().zip(&nodes[i - 2..i + 4]) {
                    p += w * pn;
                    e += w * en;
                }
                (p.clamp(0.0, 1.0), e)
            }
        }
    }
}

/// The averaged fit on 401 points over the range of the scores.
fn curve(average: &[(f64, Family)], low: f64, high: f64, passed: bool) -> FittedCurve {
    let (low, high) = (low.min(-4.0), high.max(4.0));
    let mut curve = FittedCurve::default();
    let mut scratch = Vec::new();
    for i in 0..=400 {
        let z = low + (high - low) * f64::from(i) / 400.0;
        let (mut relevant, mut rest, mut effect) = (0.0, 0.0, 0.0);
        for (weight, family) in average {
            let (within, mean, ln_f) = family.posterior(z, &mut scratch);
            let within = if passed { within } else { 1.0 };
            rest += weight * ln_f.exp() * within;
            relevant += weight * ln_f.exp() * (1.0 - within);
            effect += weight * mean;
        }
        curve.z.push(z);
        curve.irrelevant_density.push(rest);
        curve.relevant_density.push(relevant);
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
        let (x, count) = bin(&z, BIN);
        let binned = Binned { x, count };
        let component = |m: i32| Component { mean: 0.2 * f64::from(m), sd: if m == 0 { 0.0 } else { 0.25 } };
        let family = Family::fit((-40..=50).map(component).collect(), &binned, PENALTY, false);
        let average = [(1.0, family)];
        let (low, high) = (z[0], z[z.len() - 1]);
        let grid = Evaluator::new(&average, low, high, usize::MAX);
        assert!(matches!(grid, Evaluator::Grid { .. }));
        for i in 0..=2000 {
            let at = low + (high - low) * f64::from(i) / 2000.0;
            let (p, e) = grid.at(at);
            let (p0, e0) = averaged(&average, at, &mut Vec::new());
            assert!((p - p0).abs() < 1e-9 && (e - e0).abs() < 1e-9, "{at}: {} {}", p - p0, e - e0);
        }
    }

    #[test]
    fn a_cancelled_fit_stops() {
        struct Stop;
        impl Progress for Stop {
            fn update(&mut self, _: &str, _: u64, _: u64) -> bool {
                false
            }
        }
        assert!(matches!(fit(&[0.0, 1.0], false, false, &mut Stop), Err(crate::Error::Cancelled)));
        assert!(fit(&[], false, false, &mut Context::default()).is_ok());
    }
}
