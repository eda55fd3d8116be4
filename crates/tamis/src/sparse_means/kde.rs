//! `prior=kde`: the papers' nonparametric prior, a weighted kernel estimate of the marginal.
//!
//! With s_i = (1−w) g(z_i), one iteration (SNBL §5.3; adaptive sparsity §3.3) is
//!
//! 1. p_i = w φ(z_i) / (w φ(z_i) + s_i) — eq. (10)
//! 2. w = mean p (`update=em`), or the maximiser of eq. (16) (`update=argmax`)
//! 3. s_i = (1/K) Σ_j (1−p_j) N(z_i; z_j, h²) — eq. (17), self term included
//!
//! started from w = ½ and half the plain kernel estimate, until no p_i moves more than `tol`. The
//! posterior mean is (1−p_i) [z_i + (Σ_j r_ij z_j − z_i)/h²] — eq. (20–22).
//!
//! Cost: up to 2,000 scores exact sums, K² a pass; above that p depends on z only, so the scores are
//! binned once (in `kde_binned.rs`) and a pass costs the same for any K.

use crate::base::{Progress, Result};
use crate::numeric::linalg::dot;
use crate::numeric::special::normal_density;
use crate::selection::detail::{FitDetail, FittedCurve};
use crate::sparse_means::{Bandwidth, PriorFit, SparseMeans, Update};
use rayon::prelude::*;

/// Up to this many scores the kernel sums are exact.
pub const EXACT: usize = 2000;

/// Kernel sums over the points at which the iteration runs.
pub(crate) trait Smoother {
    /// The points.
    fn points(&self) -> &[f64];
    /// How many scores each point stands for.
    fn masses(&self) -> &[f64];
    /// Scores kept off the points; they matter with certainty.
    fn certain(&self) -> f64;
    /// Σ_j weight_j N(x_i; x_j, h²) for every point i, `certain` scores included; `weights` has their mass in it.
    fn smooth(&self, weights: &[f64], out: &mut [f64]);
}

/// Where the iteration ended, at the smoother's points.
pub(crate) struct State {
    pub w: f64,
    pub irrelevant: Vec<f64>,
    pub relevant: Vec<f64>,
    /// (1−w) g.
    pub marginal: Vec<f64>,
    pub converged: bool,
    pub iterations: usize,
    pub trace: Vec<f64>,
}

/// Fits the kernel prior to sorted, finite scores.
pub(crate) fn fit(sorted: &[f64], params: &SparseMeans, progress: &mut dyn Progress) -> Result<PriorFit> {
    if sorted.is_empty() {
        return Ok(PriorFit {
            sign_errors: None,
            effects_95: None,
            irrelevant: vec![],
            effects: vec![],
            converged: true,
            iterations: 0,
            detail: FitDetail::default(),
        });
    }
    let h = bandwidth(params.bandwidth, sorted);
    if sorted.len() > EXACT {
        return crate::sparse_means::kde_binned::fit(sorted, h, params, progress);
    }
    let exact = Exact::new(sorted, h);
    let state = iterate(&exact, params, progress)?;
    let mut drift = vec![0.0; sorted.len()];
    exact.drift(&state.relevant, &state.marginal, &mut drift);
    let effects = sorted.iter().zip(&state.relevant).zip(&drift).map(|((z, r), d)| r * (z + d / (h * h))).collect();
    let curve = curve(sorted, state.w, |z| {
        let near = |zj: f64| normal_density((z - zj) / h) / h;
        let terms = || sorted.iter().zip(&state.relevant);
        let s: f64 = terms().map(|(zj, r)| r * near(*zj)).sum();
        let t: f64 = terms().map(|(zj, r)| r * (zj - z) * near(*zj)).sum();
        (s / sorted.len() as f64, if s > 0.0 { t / s / (h * h) } else { 0.0 })
    });
    Ok(finish(state, effects, curve, h))
}

/// The common end of both ways: probabilities at the points are those of the scores.
pub(crate) fn finish(state: State, effects: Vec<f64>, curve: FittedCurve, h: f64) -> PriorFit {
    PriorFit {
        sign_errors: None,
        effects_95: None,
        irrelevant: state.irrelevant,
        effects,
        converged: state.converged,
        iterations: state.iterations,
        detail: FitDetail { curve, fraction_trace: state.trace, bandwidth: Some(h), ..FitDetail::default() },
    }
}

/// The bandwidth; `paper` falls back to 1.06 where sd(z) is not defined or zero.
fn bandwidth(rule: Bandwidth, sorted: &[f64]) -> f64 {
    let n = sorted.len() as f64;
    match rule {
        Bandwidth::Noise => 1.06,
        Bandwidth::Fixed(h) => h,
        Bandwidth::Paper => {
            let mean = sorted.iter().sum::<f64>() / n;
            let m2: f64 = sorted.iter().map(|z| (z - mean) * (z - mean)).sum();
            let sd = (m2 / (n - 1.0)).sqrt();
            if sd > 0.0 && sd.is_finite() { 1.06 * sd * n.powf(-0.2) } else { 1.06 }
        }
    }
}

/// Steps 1–3 until nothing moves.
pub(crate) fn iterate(on: &dyn Smoother, params: &SparseMeans, progress: &mut dyn Progress) -> Result<State> {
    let (z, mass, certain) = (on.points(), on.masses(), on.certain());
    let n = z.len();
    let total = mass.iter().sum::<f64>() + certain;
    let phi: Vec<f64> = z.iter().map(|z| normal_density(*z)).collect();
    let mut marginal = vec![0.0; n];
    on.smooth(mass, &mut marginal);
    marginal.iter_mut().for_each(|s| *s = (*s / total).max(0.0));
    if !params.mixing {
        return Ok(State {
            w: 0.0,
            irrelevant: vec![0.0; n],
            relevant: vec![1.0; n],
            marginal,
            converged: true,
            iterations: 0,
            trace: vec![],
        });
    }
    let mut w = match params.update {
        Update::Em => 0.5,
        Update::Argmax => best_fraction(&phi, &marginal, mass, certain),
    };
    marginal.iter_mut().for_each(|s| *s *= 1.0 - w);
    let (mut irrelevant, mut relevant) = (vec![0.0; n], vec![0.0; n]);
    let mut weights = vec![0.0; n];
    let mut trace = Vec::new();
    let mut converged = false;
    while trace.len() < params.max_iter && !converged {
        progress.step("fitting the prior", trace.len() as u64, 0)?;
        let mut moved = 0.0_f64;
        for i in 0..n {
            let (null, rest) = (w * phi[i], marginal[i]);
            let p = if null > 0.0 { null / (null + rest) } else { 0.0 };
            relevant[i] = if null > 0.0 { rest / (null + rest) } else { 1.0 };
            moved = moved.max((p - irrelevant[i]).abs());
            irrelevant[i] = p;
            weights[i] = mass[i] * relevant[i];
        }
        on.smooth(&weights, &mut marginal);
        marginal.iter_mut().for_each(|s| *s = (*s / total).max(0.0));
        match params.update {
            Update::Em => w = dot(mass, &irrelevant) / total,
            Update::Argmax => {
                let effective = (weights.iter().sum::<f64>() + certain) / total;
                if effective > 0.0 {
                    marginal.iter_mut().for_each(|s| *s /= effective);
                    w = best_fraction(&phi, &marginal, mass, certain);
                    marginal.iter_mut().for_each(|s| *s *= 1.0 - w);
                }
            }
        }
        converged = !trace.is_empty() && moved <= params.tol;
        trace.push(w);
    }
    Ok(State { w, irrelevant, relevant, marginal, converged, iterations: trace.len(), trace })
}

/// The w in [0, 1] that maximises Σ m_i ln(w φ_i + (1−w) g_i), eq. (16): concave, so its derivative is
/// bisected. A `certain` score (φ = 0) contributes −1/(1−w).
fn best_fraction(phi: &[f64], g: &[f64], mass: &[f64], certain: f64) -> f64 {
    let slope = |w: f64| -> f64 {
        let terms = phi.iter().zip(g).zip(mass).map(|((p, g), m)| {
            let density = w * p + (1.0 - w) * g;
            if density > 0.0 { m * (p - g) / density } else { -m / (1.0 - w) }
        });
        terms.sum::<f64>() - if certain > 0.0 { certain / (1.0 - w) } else { 0.0 }
    };
    if slope(0.0) <= 0.0 {
        return 0.0;
    }
    if slope(1.0) >= 0.0 {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > 1e-16 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The fitted model on 401 points; `at(z)` gives s(z) and the drift g′/g.
pub(crate) fn curve(sorted: &[f64], w: f64, at: impl Fn(f64) -> (f64, f64)) -> FittedCurve {
    let low = sorted[0].clamp(-40.0, -4.0);
    let high = sorted[sorted.len() - 1].clamp(4.0, 40.0);
    let mut curve = FittedCurve::default();
    for i in 0..=400 {
        let z = low + (high - low) * f64::from(i) / 400.0;
        let (s, drift) = at(z);
        let null = w * normal_density(z);
        curve.z.push(z);
        curve.irrelevant_density.push(null);
        curve.relevant_density.push(s);
        curve.effect.push(if null + s > 0.0 { s / (null + s) * (z + drift) } else { z });
    }
    curve
}

/// All pairs of scores: the kernel matrix is kept, 32 MB at 2,000 scores.
struct Exact<'a> {
    z: &'a [f64],
    mass: Vec<f64>,
    kernel: Vec<f64>,
}

impl<'a> Exact<'a> {
    fn new(z: &'a [f64], h: f64) -> Self {
        let n = z.len();
        let mut kernel = vec![0.0; n * n];
        kernel.par_chunks_mut(n).zip(z).for_each(|(row, zi)| {
            for (k, zj) in row.iter_mut().zip(z) {
                *k = normal_density((zi - zj) / h) / h;
            }
        });
        Exact { z, mass: vec![1.0; n], kernel }
    }

    /// Σ_j r_ij (z_j − z_i) with r_ij the normalised weights (1−p_j) N(z_i; z_j, h²).
    fn drift(&self, relevant: &[f64], marginal: &[f64], out: &mut [f64]) {
        let n = self.z.len();
        for (i, o) in out.iter_mut().enumerate() {
            let row = &self.kernel[i * n..(i + 1) * n];
            let pull: f64 = (0..n).map(|j| relevant[j] * (self.z[j] - self.z[i]) * row[j]).sum();
            let sum = marginal[i] * n as f64;
            *o = if sum > 0.0 { pull / sum } else { 0.0 };
        }
    }
}

impl Smoother for Exact<'_> {
    fn points(&self) -> &[f64] {
        self.z
    }

    fn masses(&self) -> &[f64] {
        &self.mass
    }

    fn certain(&self) -> f64 {
        0.0
    }

    fn smooth(&self, weights: &[f64], out: &mut [f64]) {
        let n = self.z.len();
        out.par_iter_mut()
            .with_min_len(1 + 65_536 / n)
            .zip(self.kernel.par_chunks(n))
            .for_each(|(o, row)| *o = dot(row, weights));
    }
}
