//! Mixture weights of largest likelihood by Newton steps on the few components that matter.
//!
//! F(π) = −Σ_b c_b ln f_b − c₀ ln π₀ + Σ_j π_j with f = Σ_j π_j v_j A_j and c scaled to Σ_b c_b + c₀ = 1 is convex; its
//! minimum over π ≥ 0 has Σπ = 1 and is the largest penalised likelihood on the simplex. With the gradient
//! g_j = Σ_b c_b v_j A_bj/f_b (+ c₀/π₀ for j = 0) it lies at most max_j g_j − 1 below any π of sum 1: that gap is the
//! certificate, and the search ends by it.
//!
//! A step takes the components with weight and those where g has a peak above 1, minimises the quadratic model over
//! them ([`nonnegative_minimum`]) and halves the way until F falls (Wang 2007, *On fast computation of the
//! non-parametric maximum likelihood estimate of a mixing distribution*). Far from the optimum a Newton step at most
//! doubles a density; there the multiplicative step π_j ← π_j g_j of the EM algorithm goes on.
//!
//! Cost: 5 to 20 steps, each of observations × components flops and of observations × (components with weight)²/2.

use super::nonnegative_minimum::nonnegative_minimum;
use crate::numeric::linalg::{combine, project, weighted_gram};

/// A mixture likelihood with a prior ∝ π₀^`prior` on the weight of the first component.
#[derive(Clone, Copy)]
pub(super) struct MixtureProblem<'a> {
    /// The density of each observation, component by component; neighbours are alike.
    pub(super) components: &'a [&'a [f64]],
    /// The factor v_j of each component's density.
    pub(super) factors: &'a [f64],
    /// How often each observation occurs.
    pub(super) counts: &'a [f64],
    /// The exponent of the prior, positive.
    pub(super) prior: f64,
}

/// The weights of largest likelihood.
#[derive(Debug, Clone)]
pub(super) struct MixtureOptimum {
    /// The weight of each component; they sum to one.
    pub(super) weights: Vec<f64>,
    /// Σ_b c_b ln f_b + c₀ ln π₀.
    pub(super) maximum: f64,
    /// The true maximum is no more than so far above.
    pub(super) gap: f64,
}

/// Maximises from weights `start`, of which the first is positive, until the gap is at most `tolerance` of Σ_b c_b + c₀.
pub(super) fn maximise(problem: &MixtureProblem<'_>, start: &[f64], tolerance: f64) -> MixtureOptimum {
    const MOST_STEPS: usize = 200;
    /// Above this gap densities have to grow by more than Newton steps make them.
    const FAR: f64 = 1.0;
    const MOST_MULTIPLICATIVE: usize = 8;
    let total = problem.counts.iter().sum::<f64>() + problem.prior;
    let counts: Vec<f64> = problem.counts.iter().map(|c| c / total).collect();
    let scaled = MixtureProblem { counts: &counts, prior: problem.prior / total, ..*problem };
    let mut point = Point::new(scaled, start);
    let mut multiplicative = 0;
    for _ in 0..MOST_STEPS {
        point.differentiate();
        if point.gap() <= tolerance {
            break;
        }
        if point.gap() > FAR && multiplicative < MOST_MULTIPLICATIVE {
            point.multiply();
            multiplicative += 1;
        } else if !point.newton() {
            break; // rounding allows no further step
        }
    }
    MixtureOptimum { gap: total * point.gap(), maximum: -total * point.value, weights: point.weights }
}

/// Where a search starts that knows nothing: half of the weight on the first component, the rest evenly on every third.
pub(super) fn spread_weights(components: usize) -> Vec<f64> {
    let share = 0.5 / components.div_ceil(3) as f64;
    (0..components).map(|j| if j % 3 == 0 { share } else { 0.0 } + if j == 0 { 0.5 } else { 0.0 }).collect()
}

/// Weights of sum 1, with what follows from them.
struct Point<'a> {
    problem: MixtureProblem<'a>,
    weights: Vec<f64>,
    density: Vec<f64>,
    /// Σ_b c_b ln f_b + c₀ ln π₀ with the sign changed.
    value: f64,
    /// c_b/f_b.
    slope: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a> Point<'a> {
    fn new(problem: MixtureProblem<'a>, start: &[f64]) -> Point<'a> {
        let (n, k) = (problem.counts.len(), problem.components.len());
        let mut point = Point {
            problem,
            weights: vec![],
            density: vec![0.0; n],
            value: 0.0,
            slope: vec![0.0; n],
            gradient: vec![0.0; k],
        };
        point.move_to(start.to_vec());
        point
    }

    /// Takes these weights, divided by their sum: of all multiples that one has the least F.
    fn move_to(&mut self, mut weights: Vec<f64>) {
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= sum);
        let MixtureProblem { components, factors, counts, prior } = self.problem;
        let heights: Vec<f64> = weights.iter().zip(factors).map(|(w, v)| w * v).collect();
        combine(components, &heights, &mut self.density);
        let fit: f64 = counts.iter().zip(&self.density).map(|(c, f)| if *c > 0.0 { c * f.ln() } else { 0.0 }).sum();
        self.value = -fit - prior * weights[0].ln();
        self.weights = weights;
    }

    fn differentiate(&mut self) {
        let MixtureProblem { components, factors, counts, prior } = self.problem;
        for ((slope, c), f) in self.slope.iter_mut().zip(counts).zip(&self.density) {
            *slope = c / f;
        }
        project(components, &self.slope, &mut self.gradient);
        self.gradient.iter_mut().zip(factors).for_each(|(g, v)| *g *= v);
        self.gradient[0] += prior / self.weights[0];
    }

    fn gap(&self) -> f64 {
        self.gradient.iter().copied().fold(1.0, f64::max) - 1.0
    }

    /// Whether the gradient of component `j` exceeds 1 and those of its neighbours.
    fn is_peak(&self, j: usize) -> bool {
        let g = &self.gradient;
        g[j] > 1.0 && (j == 0 || g[j] >= g[j - 1]) && (j + 1 == g.len() || g[j] > g[j + 1])
    }

    /// A step of the EM algorithm; peaks get some weight first.
    fn multiply(&mut self) {
        const SOME: f64 = 1e-3;
        let weight = |j: usize| if self.is_peak(j) { self.weights[j].max(SOME) } else { self.weights[j] };
        self.move_to((0..self.weights.len()).map(|j| weight(j) * self.gradient[j]).collect());
    }

    /// A step to the minimum of the quadratic model, or as far as F falls; whether it falls at all.
    fn newton(&mut self) -> bool {
        const SUFFICIENT: f64 = 1e-4;
        const MOST_HALVINGS: usize = 40;
        let active: Vec<usize> =
            (0..self.weights.len()).filter(|&j| self.weights[j] > 0.0 || self.is_peak(j)).collect();
        let Some(target) = self.model_minimum(&active) else { return false };
        let from = std::mem::take(&mut self.weights);
        let (before, rounding) = (self.value, 4.0 * f64::EPSILON * self.value.abs());
        let along: f64 = active.iter().zip(&target).map(|(&j, to)| (to - from[j]) * (1.0 - self.gradient[j])).sum();
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let mut weights = from.clone();
            for (&j, to) in active.iter().zip(&target) {
                weights[j] = if length == 1.0 { *to } else { from[j] + length * (to - from[j]) };
            }
            if weights[0] > 0.0 {
                self.move_to(weights);
                let falls = self.value <= before + SUFFICIENT * length * along;
                if falls || (length == 1.0 && self.value <= before + rounding) {
                    return true;
                }
            }
            length *= 0.5;
        }
        self.move_to(from);
        false
    }

    /// The weights of the active components at the minimum of the quadratic model of F.
    ///
    /// With H the Hessian, Hπ = g for components with weight, so that the model is ½x'Hx − (2g − 1)'x.
    fn model_minimum(&self, active: &[usize]) -> Option<Vec<f64>> {
        let MixtureProblem { components, factors, prior, .. } = self.problem;
        let columns: Vec<&[f64]> = active.iter().map(|&j| components[j]).collect();
        let curvature: Vec<f64> = self.slope.iter().zip(&self.density).map(|(s, f)| s / f).collect();
        let mut hessian = weighted_gram(&columns, &curvature);
        for (q, &j) in active.iter().enumerate() {
            let column = hessian.column_mut(q);
            active[q..].iter().zip(&mut column[q..]).for_each(|(&i, h)| *h *= factors[i] * factors[j]);
        }
        if active[0] == 0 {
            hessian.column_mut(0)[0] += prior / self.weights[0].powi(2);
        }
        let linear: Vec<f64> = active.iter().map(|&j| 2.0 * self.gradient[j] - 1.0).collect();
        let start: Vec<f64> = active.iter().map(|&j| self.weights[j]).collect();
        nonnegative_minimum(&hessian, &linear, &start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    fn grid(nodes: usize) -> Vec<f64> {
        (0..nodes).map(|b| -6.0 + 0.1 * b as f64).collect()
    }

    /// Densities of N(m, 1) on the grid, m on multiples of `step`, the one at 0 first.
    fn normals(step: f64) -> Vec<Vec<f64>> {
        let means = std::iter::once(0.0).chain((1..=12).flat_map(|k| [-step * f64::from(k), step * f64::from(k)]));
        let mut means: Vec<f64> = means.collect();
        means[1..].sort_by(f64::total_cmp);
        let density = |m: f64| grid(121).iter().map(|x| (-0.5 * (x - m) * (x - m)).exp() + 1e-12).collect();
        means.into_iter().map(density).collect()
    }

    #[test]
    fn the_gradient_certifies_every_optimum_from_any_start() {
        for (seed, step) in [(1, 0.2), (2, 0.4), (3, 0.5)] {
            let densities = normals(step);
            let components: Vec<&[f64]> = densities.iter().map(Vec::as_slice).collect();
            let k = components.len();
            let mut rng = random::stream(seed, 0);
            for scale in [1.0, 1e-9] {
                // few observations far out, many near zero, some nodes without any
                let of = |x: &f64| (100.0 * (-0.5 * x * x).exp() + 0.3).floor() + f64::from(rng.random_range(0..2_u8));
                let counts: Vec<f64> = grid(121).iter().map(of).collect();
                let factors: Vec<f64> = (0..k).map(|j| if j % 2 == 0 { 1.0 } else { scale }).collect();
                let problem =
                    MixtureProblem { components: &components, factors: &factors, counts: &counts, prior: 5.0 };
                let cold = maximise(&problem, &spread_weights(k), 1e-11);
                let even = maximise(&problem, &vec![1.0; k], 1e-11);
                assert!(cold.gap <= 1e-7 && even.gap <= 1e-7, "{} {}", cold.gap, even.gap);
                assert!((cold.maximum - even.maximum).abs() <= 1e-7, "{} {}", cold.maximum, even.maximum);
                assert!((cold.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            }
        }
    }
}
