//! Mixture weights by maximum likelihood: a convex problem, solved to its one optimum.

use crate::numeric::linalg::{Cholesky, Matrix, dot};

/// The optimum of a weighted mixture likelihood.
#[derive(Debug, Clone)]
pub struct Mixture {
    /// The weight of each component; they sum to one.
    pub weights: Vec<f64>,
    /// ln f(x_b) of every observation at the optimum.
    pub log_density: Vec<f64>,
    /// Interior-point steps taken.
    pub steps: usize,
    /// At most so far is Σ_b c_b ln f(x_b) from its optimum: by concavity Σc · (max_j g_j − 1), with
    /// g_j = Σ_b c_b A_bj / f_b / Σc the gradient.
    pub gap: f64,
}

/// Maximises Σ_b c_b ln Σ_j π_j exp(`log_likelihood`(b, j)) over the simplex.
///
/// With c scaled to sum one the multiplier of Σπ = 1 is one, and the optimum satisfies
/// Aπ = f, Aᵀν + s = 1, f∘ν = c, π∘s = 0 with π, s ≥ 0: a Mehrotra predictor–corrector interior
/// point on these bilinear equations, stopped at πᵀs < 1e-12 with dual residual below 1e-9. Rows of
/// A are scaled by their largest entry, so that no observation underflows.
///
/// All unknowns move by one step, which goes 0.995 of the way to the boundary. The gradient certifies the optimum; where
/// it does not (rare: a step so long may stall), shorter steps start again from equal weights.
///
/// Cost: 10–25 steps of observations × components² flops.
pub fn fit(counts: &[f64], components: usize, log_likelihood: impl Fn(usize, usize) -> f64) -> Mixture {
    Likelihoods::new(counts.len(), components, log_likelihood).fit(counts)
}

/// The likelihood of every observation under every component.
#[derive(Debug, Clone)]
pub struct Likelihoods {
    /// Each row divided by its largest entry.
    scaled: Matrix,
    /// The logarithms of those.
    peak: Vec<f64>,
}

impl Likelihoods {
    /// exp(`log_likelihood`(b, j)) of every observation b and component j.
    pub fn new(observations: usize, components: usize, log_likelihood: impl Fn(usize, usize) -> f64) -> Likelihoods {
        let mut scaled = Matrix::from_fn(observations, components, &log_likelihood);
        let peak = largest_by_row(&scaled);
        for j in 0..components {
            scaled.column_mut(j).iter_mut().zip(&peak).for_each(|(v, p)| *v = (*v - p).exp());
        }
        Likelihoods { scaled, peak }
    }

    /// The weights that maximise the likelihood of observations with these counts; see [`fit`].
    pub fn fit(&self, counts: &[f64]) -> Mixture {
        const WAYS_TO_BOUNDARY: [f64; 3] = [0.995, 0.9, 0.7];
        /// The largest gap, of counts that sum to one, that certifies an optimum.
        const CERTIFIED: f64 = 1e-9;
        let total: f64 = counts.iter().sum();
        let c: Vec<f64> = counts.iter().map(|v| v / total).collect();
        let mut best = optimum(&self.scaled, &c, WAYS_TO_BOUNDARY[0]);
        for way in &WAYS_TO_BOUNDARY[1..] {
            if best.gap <= CERTIFIED {
                break;
            }
            let again = optimum(&self.scaled, &c, *way);
            if again.gap < best.gap {
                best = again;
            }
        }
        best.log_density.iter_mut().zip(&self.peak).for_each(|(l, p)| *l += p);
        best.gap *= total;
        best
    }
}

fn largest_by_row(a: &Matrix) -> Vec<f64> {
    let mut largest = vec![f64::NEG_INFINITY; a.n_rows()];
    for j in 0..a.n_columns() {
        largest.iter_mut().zip(a.column(j)).for_each(|(l, v)| *l = l.max(*v));
    }
    largest
}

/// The optimum for counts `c` that sum to one, by steps that go this far to the boundary.
fn optimum(a: &Matrix, c: &[f64], way: f64) -> Mixture {
    const MOST_STEPS: usize = 200;
    let mut point = Point::start(a, c);
    let mut scratch = Matrix::zeros(a.n_rows(), a.n_columns());
    let mut steps = 0;
    while steps < MOST_STEPS {
        let residuals = point.residuals(a);
        if residuals.are_small() {
            break;
        }
        steps += 1;
        if point.step(a, c, &residuals, way, &mut scratch).is_none() {
            break; // rounding has taken over, at the optimum
        }
    }

    let Point { mut pi, mut f, .. } = point;
    let sum: f64 = pi.iter().sum();
    pi.iter_mut().for_each(|p| *p /= sum);
    a.times(&pi, &mut f);
    let slope: Vec<f64> = c.iter().zip(&f).map(|(c, f)| c / f).collect();
    let mut gradient = vec![0.0; a.n_columns()];
    a.transpose_times(&slope, &mut gradient);
    let steepest = gradient.iter().copied().fold(1.0, f64::max);
    Mixture { weights: pi, log_density: f.into_iter().map(f64::ln).collect(), steps, gap: steepest - 1.0 }
}

/// An interior point: π, s, f and ν are positive.
struct Point {
    pi: Vec<f64>,
    s: Vec<f64>,
    f: Vec<f64>,
    nu: Vec<f64>,
}

/// How far a point is from satisfying the linear equations, and πᵀs.
struct Residuals {
    dual: Vec<f64>,
    primal: Vec<f64>,
    gap: f64,
}

impl Residuals {
    fn are_small(&self) -> bool {
        const GAP: f64 = 1e-12;
        const DUAL: f64 = 1e-9;
        self.gap < GAP && self.dual.iter().all(|r| r.abs() < DUAL)
    }
}

impl Point {
    /// Equal weights.
    fn start(a: &Matrix, c: &[f64]) -> Point {
        let (n, k) = (a.n_rows(), a.n_columns());
        let pi = vec![1.0 / k as f64; k];
        let mut f = vec![0.0; n];
        a.times(&pi, &mut f);
        let nu = c.iter().zip(&f).map(|(c, f)| c / f).collect();
        Point { pi, s: vec![1.0; k], f, nu }
    }

    fn residuals(&self, a: &Matrix) -> Residuals {
        let Point { pi, s, f, nu } = self;
        let (mut at_nu, mut a_pi) = (vec![0.0; pi.len()], vec![0.0; f.len()]);
        a.transpose_times(nu, &mut at_nu);
        a.times(pi, &mut a_pi);
        Residuals {
            dual: (0..pi.len()).map(|j| 1.0 - at_nu[j] - s[j]).collect(),
            primal: (0..f.len()).map(|b| f[b] - a_pi[b]).collect(),
            gap: dot(pi, s),
        }
    }

    /// One predictor and corrector step, `way` of the distance to the boundary; `None` where rounding allows no further one.
    fn step(&mut self, a: &Matrix, c: &[f64], residuals: &Residuals, way: f64, scratch: &mut Matrix) -> Option<()> {
        let Point { pi, s, f, nu } = &*self;
        let (n, k) = (f.len(), pi.len());
        let weight: Vec<f64> = (0..n).map(|b| nu[b] / f[b]).collect();
        let mut normal = Matrix::zeros(k, k);
        a.weighted_gram(&weight, scratch, &mut normal);
        normal.add_diagonal(&(0..k).map(|j| s[j] / pi[j]).collect::<Vec<_>>());
        // s/π > 0 on the diagonal: the factorisation fails only once rounding has taken over
        let factor = Cholesky::factor(normal).ok()?;

        let r_c: Vec<f64> = (0..n).map(|b| c[b] - f[b] * nu[b]).collect();
        let r_s: Vec<f64> = (0..k).map(|j| -pi[j] * s[j]).collect();
        let affine = self.direction(a, &factor, residuals, (&r_c, &r_s));
        let primal = longest(pi, &affine.d_pi).min(longest(f, &affine.d_f)).min(1.0);
        let dual = longest(s, &affine.d_s).min(longest(nu, &affine.d_nu)).min(1.0);
        let reached: f64 = (0..k).map(|j| (pi[j] + primal * affine.d_pi[j]) * (s[j] + dual * affine.d_s[j])).sum();
        let centre = (reached / residuals.gap).powi(3) * residuals.gap / k as f64;

        let r_c: Vec<f64> = (0..n).map(|b| c[b] - f[b] * nu[b] - affine.d_f[b] * affine.d_nu[b]).collect();
        let r_s: Vec<f64> = (0..k).map(|j| centre - pi[j] * s[j] - affine.d_pi[j] * affine.d_s[j]).collect();
        let d = self.direction(a, &factor, residuals, (&r_c, &r_s));
        if !d.is_finite() {
            return None;
        }
        let primal = longest(pi, &d.d_pi).min(longest(f, &d.d_f));
        let dual = longest(s, &d.d_s).min(longest(nu, &d.d_nu));
        let length = (way * primal.min(dual)).min(1.0);
        advance(&mut self.pi, length, &d.d_pi);
        advance(&mut self.f, length, &d.d_f);
        advance(&mut self.s, length, &d.d_s);
        advance(&mut self.nu, length, &d.d_nu);
        Some(())
    }

    /// The Newton direction for these right-hand sides of the bilinear equations.
    fn direction(
        &self,
        a: &Matrix,
        factor: &Cholesky,
        residuals: &Residuals,
        (r_c, r_s): (&[f64], &[f64]),
    ) -> Direction {
        let Point { pi, f, nu, .. } = self;
        let Residuals { dual: r_d, primal: r_p, .. } = residuals;
        let (n, k) = (f.len(), pi.len());
        let u: Vec<f64> = (0..n).map(|b| (r_c[b] + nu[b] * r_p[b]) / f[b]).collect();
        let mut d_pi = vec![0.0; k];
        a.transpose_times(&u, &mut d_pi);
        for j in 0..k {
            d_pi[j] += r_s[j] / pi[j] - r_d[j];
        }
        factor.solve(&mut d_pi);
        let mut d_f = vec![0.0; n];
        a.times(&d_pi, &mut d_f);
        for b in 0..n {
            d_f[b] -= r_p[b];
        }
        let d_nu: Vec<f64> = (0..n).map(|b| (r_c[b] - nu[b] * d_f[b]) / f[b]).collect();
        let mut d_s = vec![0.0; k];
        a.transpose_times(&d_nu, &mut d_s);
        for j in 0..k {
            d_s[j] = r_d[j] - d_s[j];
        }
        Direction { d_pi, d_f, d_nu, d_s }
    }
}

struct Direction {
    d_pi: Vec<f64>,
    d_f: Vec<f64>,
    d_nu: Vec<f64>,
    d_s: Vec<f64>,
}

impl Direction {
    fn is_finite(&self) -> bool {
        [&self.d_pi, &self.d_f, &self.d_nu, &self.d_s].into_iter().flatten().all(|d| d.is_finite())
    }
}

/// The longest step along `d` that keeps `x` positive.
fn longest(x: &[f64], d: &[f64]) -> f64 {
    x.iter().zip(d).filter(|(_, d)| **d < 0.0).map(|(x, d)| -x / d).fold(f64::INFINITY, f64::min)
}

fn advance(x: &mut [f64], step: f64, d: &[f64]) {
    for (x, d) in x.iter_mut().zip(d) {
        *x += step * d;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The optimum is certified by its gradient: Σ_b c_b A_bj / f_b ≤ Σ c with equality where π_j > 0.
    #[test]
    fn the_gradient_condition_certifies_the_optimum() {
        let x: Vec<f64> = (0..60).map(|i| -3.0 + 0.15 * f64::from(i)).collect();
        let counts: Vec<f64> = (0..60).map(|i| 1.0 + f64::from((i * 7) % 13)).collect();
        let centres: Vec<f64> = (0..25).map(|j| -3.0 + 0.4 * f64::from(j)).collect();
        let ln = |b: usize, j: usize| -0.5 * (x[b] - centres[j]).powi(2);
        let fitted = fit(&counts, centres.len(), ln);
        let total: f64 = counts.iter().sum();
        for j in 0..centres.len() {
            let gradient: f64 =
                (0..x.len()).map(|b| counts[b] * (ln(b, j) - fitted.log_density[b]).exp()).sum::<f64>() / total;
            assert!(gradient < 1.0 + 1e-8, "component {j}: {gradient}");
            if fitted.weights[j] > 1e-6 {
                assert!((gradient - 1.0).abs() < 1e-6, "component {j}: {gradient}");
            }
        }
        assert!((fitted.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert!(fitted.steps < 40, "{}", fitted.steps);
        assert!(fitted.gap < 1e-6, "{}", fitted.gap);
    }
}
