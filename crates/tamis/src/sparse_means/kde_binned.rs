//! The kernel iteration for many scores: binned once, then independent of their number.
//!
//! Scores up to ±40 are spread over grid nodes with 4-point Lagrange weights at a spacing of
//! min(h, 1.06)/16, and the whole iteration runs on the nodes. Further scores have φ = 0: they matter
//! with certainty and only add to the kernel sums of what lies near them.
//!
//! Accuracy against exact sums: |Δw| ≤ 1.2e-7, |Δp| ≤ 1.2e-6. Cost of a pass: nodes × kernel width.

use crate::base::{Progress, Result};
use crate::numeric::linalg::dot;
use crate::numeric::special::normal_density;
use crate::sparse_means::binned::floor;
use crate::sparse_means::kde::{EXACT, Smoother, curve, finish, iterate};
use crate::sparse_means::{PriorFit, SparseMeans};
use rayon::prelude::*;

/// Beyond this, φ underflows.
const FAR: f64 = 40.0;
/// The kernel is taken as zero beyond this many bandwidths (1e-18 of its peak).
const REACH: f64 = 9.0;

/// Scores on a grid.
pub(crate) struct Grid {
    h: f64,
    step: f64,
    from: i64,
    x: Vec<f64>,
    mass: Vec<f64>,
    /// N(d·step; 0, h²) for d = −reach…reach.
    taps: Vec<f64>,
    /// The contribution of far scores at each node.
    base: Vec<f64>,
    far: Far,
}

/// Fits on the grid, then takes probabilities and effects back to the scores.
pub(crate) fn fit(sorted: &[f64], h: f64, params: &SparseMeans, progress: &mut dyn Progress) -> Result<PriorFit> {
    let grid = Grid::new(sorted, h);
    let state = iterate(&grid, params, progress)?;
    let weights: Vec<f64> = grid.mass.iter().zip(&state.relevant).map(|(m, r)| m * r).collect();
    // ln s and the drift are smooth where p is not: interpolate those.
    let mut s = vec![0.0; grid.x.len()];
    grid.smooth(&weights, &mut s);
    let ln_s: Vec<f64> = s.iter().map(|s| (s.max(1e-300) / sorted.len() as f64).ln()).collect();
    let drift = grid.drift(&weights, &s);

    let w = state.w;
    let at = |z: f64| {
        let (i, c) = lagrange(z, grid.step, grid.from);
        let pick = |v: &[f64]| (0..4).map(|k| c[k] * v[i + k]).sum::<f64>();
        (pick(&ln_s), pick(&drift) / (h * h))
    };
    let answer = |z: f64| {
        if z.abs() > FAR {
            return (0.0, z + grid.exact(z, &weights).1 / (h * h));
        }
        let (ln_s, drift) = at(z);
        let null = w * normal_density(z);
        let rest = ln_s.exp();
        let p = if !params.mixing || null <= 0.0 { 0.0 } else { null / (null + rest) };
        let relevant = if !params.mixing || null <= 0.0 { 1.0 } else { rest / (null + rest) };
        (p, relevant * (z + drift))
    };
    let (irrelevant, effects): (Vec<f64>, Vec<f64>) = sorted.par_iter().with_min_len(1024).map(|z| answer(*z)).unzip();
    let curve = curve(sorted, w, |z| {
        let (s, drift) = grid.exact(z, &weights);
        (s / sorted.len() as f64, drift / (h * h))
    });
    let mut fit = finish(state, effects, curve, h);
    fit.irrelevant = irrelevant;
    Ok(fit)
}

/// The first of the four nodes around z, counted from node `from`, and their cubic weights.
fn lagrange(z: f64, step: f64, from: i64) -> (usize, [f64; 4]) {
    let at = z / step;
    let node = floor(at);
    let u = at - node as f64;
    let (m, p, q) = (u + 1.0, u - 1.0, u - 2.0);
    let weights = [-u * p * q / 6.0, m * p * q / 2.0, -m * u * q / 2.0, m * u * p / 6.0];
    ((node - from - 1) as usize, weights)
}

/// Sorted scores spread over nodes at multiples of `step` by cubic weights: (nodes, masses).
pub(crate) fn spread(inside: &[f64], step: f64) -> (Vec<f64>, Vec<f64>) {
    let (Some(low), Some(high)) = (inside.first(), inside.last()) else { return (vec![], vec![]) };
    let from = floor(low / step) - 2;
    let nodes = (floor(high / step) + 3 - from) as usize + 1;
    let mut mass = vec![0.0; nodes];
    for z in inside {
        let (i, c) = lagrange(*z, step, from);
        for (m, c) in mass[i..i + 4].iter_mut().zip(c) {
            *m += c;
        }
    }
    ((0..nodes).map(|i| (from + i as i64) as f64 * step).collect(), mass)
}

impl Grid {
    fn new(sorted: &[f64], h: f64) -> Self {
        let step = h.min(1.06) / 16.0;
        let first = sorted.partition_point(|z| *z < -FAR);
        let last = sorted.partition_point(|z| *z <= FAR);
        let inside = &sorted[first..last];
        let (x, mass) = spread(if inside.is_empty() { &[0.0] } else { inside }, step);
        let nodes = x.len();
        let from = floor(inside.first().copied().unwrap_or(0.0) / step) - 2;
        let reach = ((REACH * h / step).ceil() as usize).min(nodes);
        let taps = (0..=2 * reach).map(|d| normal_density((d as f64 - reach as f64) * step / h) / h).collect();
        let far = Far::new(sorted[..first].iter().chain(&sorted[last..]).copied(), h);
        let base = x.par_iter().map(|x| far.sums(*x).0).collect();
        let mass = if inside.is_empty() { vec![0.0; nodes] } else { mass };
        Grid { h, step, from, x, mass, taps, base, far }
    }

    /// Σ_j r_j (x_j − x) at every node, r_j the normalised kernel weights.
    fn drift(&self, weights: &[f64], s: &[f64]) -> Vec<f64> {
        let reach = (self.taps.len() - 1) / 2;
        let n = self.x.len();
        (0..n)
            .into_par_iter()
            .map(|i| {
                let (low, high) = (i.saturating_sub(reach), (i + reach + 1).min(n));
                let pull: f64 =
                    (low..high).map(|j| weights[j] * self.taps[j + reach - i] * (self.x[j] - self.x[i])).sum::<f64>()
                        + self.far.sums(self.x[i]).1;
                if s[i] > 0.0 { pull / s[i] } else { 0.0 }
            })
            .collect()
    }

    /// The sum of the kernels, and the same drift, at any score: also one off the grid.
    fn exact(&self, z: f64, weights: &[f64]) -> (f64, f64) {
        let (mut s, mut pull) = self.far.sums(z);
        let near = self.x.partition_point(|x| *x < z - REACH * self.h);
        for (x, weight) in self.x[near..].iter().zip(&weights[near..]).take_while(|(x, _)| **x <= z + REACH * self.h) {
            let k = weight * normal_density((z - x) / self.h) / self.h;
            s += k;
            pull += k * (x - z);
        }
        (s, if s > 0.0 { pull / s } else { 0.0 })
    }
}

impl Smoother for Grid {
    fn points(&self) -> &[f64] {
        &self.x
    }

    fn masses(&self) -> &[f64] {
        &self.mass
    }

    fn certain(&self) -> f64 {
        self.far.count
    }

    fn smooth(&self, weights: &[f64], out: &mut [f64]) {
        let reach = (self.taps.len() - 1) / 2;
        let n = weights.len();
        out.par_iter_mut().with_min_len(4096).enumerate().for_each(|(i, o)| {
            let (low, high) = (i.saturating_sub(reach), (i + reach + 1).min(n));
            *o = dot(&self.taps[low + reach - i..high + reach - i], &weights[low..high]) + self.base[i];
        });
    }
}

/// Scores beyond ±40, ascending; above [`EXACT`] of them, gathered in cells of h/16 by their mean.
pub(crate) struct Far {
    h: f64,
    count: f64,
    pub(crate) x: Vec<f64>,
    pub(crate) weight: Vec<f64>,
}

impl Far {
    pub(crate) fn new(scores: impl Iterator<Item = f64>, h: f64) -> Self {
        let all: Vec<f64> = scores.collect();
        let count = all.len() as f64;
        if all.len() <= EXACT {
            return Far { h, count, weight: vec![1.0; all.len()], x: all };
        }
        let (mut x, mut weight): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
        let mut cell = f64::NAN;
        for z in all {
            let at = (z / (h / 16.0)).floor();
            match (x.last_mut(), weight.last_mut()) {
                (Some(mean), Some(weight)) if at == cell => {
                    *weight += 1.0;
                    *mean += (z - *mean) / *weight;
                }
                _ => {
                    cell = at;
                    x.push(z);
                    weight.push(1.0);
                }
            }
        }
        Far { h, count, x, weight }
    }

    /// Σ N(z; x_j, h²) and Σ (x_j − z) N(z; x_j, h²).
    fn sums(&self, z: f64) -> (f64, f64) {
        let near = self.x.partition_point(|x| *x < z - REACH * self.h);
        let mut sums = (0.0, 0.0);
        for (x, weight) in self.x[near..].iter().zip(&self.weight[near..]) {
            if *x > z + REACH * self.h {
                break;
            }
            let k = weight * normal_density((z - x) / self.h) / self.h;
            sums.0 += k;
            sums.1 += k * (x - z);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use crate::numeric::random;
    use crate::sparse_means::{Bandwidth, Prior};
    use rand_distr::{Distribution, StandardNormal};

    fn scores(n: usize, seed: u64) -> Vec<f64> {
        let mut rng = random::stream(seed, 0);
        let mut z: Vec<f64> = (0..n)
            .map(|i| {
                let noise: f64 = StandardNormal.sample(&mut rng);
                noise + if i % 8 == 0 { 4.0 } else { 0.0 }
            })
            .collect();
        z.sort_by(f64::total_cmp);
        z
    }

    #[test]
    fn the_grid_agrees_with_exact_sums() {
        for bandwidth in [Bandwidth::Noise, Bandwidth::Paper, Bandwidth::Fixed(0.4)] {
            let mut z = scores(1500, 3);
            z.extend([45.0, 45.5, 300.0]);
            let params = SparseMeans { prior: Prior::Kde, bandwidth, tol: 1e-10, ..SparseMeans::default() };
            let exact = crate::sparse_means::kde::fit(&z, &params, &mut Context::default()).expect("exact");
            let h = exact.detail.bandwidth.expect("kde has one");
            let grid = fit(&z, h, &params, &mut Context::default()).expect("grid");
            for i in 0..z.len() {
                let dp = (exact.irrelevant[i] - grid.irrelevant[i]).abs();
                let de = (exact.effects[i] - grid.effects[i]).abs();
                assert!(dp < 2e-6 && de < 1e-5, "{bandwidth:?} z = {}: {dp} {de}", z[i]);
            }
            let (a, b) = (&exact.detail.curve, &grid.detail.curve);
            for i in 0..a.z.len() {
                let (ds, de) = (a.relevant_density[i] - b.relevant_density[i], a.effect[i] - b.effect[i]);
                let empty = a.relevant_density[i] < 1e-6;
                assert!(ds.abs() < 1e-6 && (empty || de.abs() < 1e-3), "{bandwidth:?} curve at {}: {ds} {de}", a.z[i]);
            }
        }
    }

    #[test]
    fn thousands_of_far_scores_stay_cheap_and_close_to_exact() {
        let mut z = scores(3000, 5);
        z.extend((0..5000).map(|i| 50.0 + 0.01 * f64::from(i)));
        let params = SparseMeans { prior: Prior::Kde, ..SparseMeans::default() };
        let fit = fit(&z, 1.06, &params, &mut Context::default()).expect("grid");
        // in the middle of an even stretch the neighbours balance
        let middle = 3000 + 2500;
        assert!((fit.effects[middle] - z[middle]).abs() < 1e-3, "{} {}", fit.effects[middle], z[middle]);
        assert_eq!(fit.irrelevant[middle], 0.0);
    }
}
