//! The log posterior of a vector machine at given weights of samples and features, with its derivatives.
//!
//! f(x) = b + Σ_j w_j y_j k_θ(x, z_j). Of the weights, w_0 = b is the bias; with precisions α and β, steepness λ of the
//! truncation at zero, and rows of sign y,
//!
//! Q = Σ ln σ(y f) − ½wᵀAw − ½θᵀBθ + Σ ln σ(λ·) + Σ(ln 2 + ½ ln precision),
//!
//! the last two sums without the bias but for its ½ ln precision.

use crate::machines::block::MANY_ROWS;
use crate::machines::hessian::hessian;
use crate::machines::jacobian::{Jacobian, JacobianProducts};
use crate::numeric::factored_hessian::Curvature;
use crate::numeric::linalg::{Matrix, exp_of_distance, vectorised};
use crate::numeric::logistic::{ln_sigmoid, sigmoid};

/// The precision of the bias, which is not estimated: it can run away.
pub(crate) const BIAS_PRECISION: f64 = 1e-3;

/// Weights with their precisions and the steepness of their truncation; 0 where weights are cut off at zero instead.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    pub(crate) values: Vec<f64>,
    pub(crate) precision: Vec<f64>,
    pub(crate) steepness: Vec<f64>,
    /// Weights from here on cannot be negative.
    pub(crate) positive_from: usize,
}

/// f, with the likelihood of the rows' signs and its derivatives.
pub(crate) struct Likelihood {
    pub(crate) f: Vec<f64>,
    /// Σ ln σ(y f).
    pub(crate) log: f64,
    /// ∂/∂f, and −∂²/∂f².
    residual: Vec<f64>,
    spread: Vec<f64>,
}

/// Derivatives by one set of weights, the other fixed; only of the weights that are free to move.
pub(crate) struct PosteriorCurvature {
    /// The contribution of the truncation to the precision.
    pub(crate) truncation: Vec<f64>,
    pub(crate) curvature: Curvature,
}

impl Likelihood {
    /// `y` has −1 or 1 per row.
    pub(crate) fn at(f: Vec<f64>, y: &[f64]) -> Likelihood {
        if f.len() > MANY_ROWS {
            return Likelihood::of_many(f, y);
        }
        let up: Vec<f64> = f.iter().map(|f| sigmoid(*f)).collect();
        Likelihood {
            log: log_likelihood(&f, y),
            residual: up.iter().zip(y).map(|(up, y)| 0.5 * (y + 1.0) - up).collect(),
            spread: up.iter().map(|up| up * (1.0 - up)).collect(),
            f,
        }
    }

    /// [`Likelihood::at`] with one exponential a row, vectorised.
    fn of_many(f: Vec<f64>, y: &[f64]) -> Likelihood {
        let mut e: Vec<f64> = f.iter().map(|f| -0.5 * f.abs()).collect();
        exp_of_distance(&mut e, &vec![0.0; f.len()], 0.0); // e^−|f|
        let mut log = 0.0;
        for ((f, y), e) in f.chunks(FACTORS).zip(y.chunks(FACTORS)).zip(e.chunks(FACTORS)) {
            let below: f64 = f.iter().zip(y).map(|(f, y)| (f * y).min(0.0)).sum();
            log += below - e.iter().map(|e| 1.0 + e).product::<f64>().ln();
        }
        if f.iter().any(|f| f.is_nan()) {
            log = f64::NAN;
        }
        let mut residual = vec![0.0; f.len()];
        let parts = residual.iter_mut().zip(&mut e).zip(&f).zip(y);
        vectorised(|| {
            parts.for_each(|(((r, e), f), y)| {
                let up = if *f < 0.0 { *e } else { 1.0 } / (1.0 + *e);
                *r = 0.5 * (y + 1.0) - up;
                *e = up * (1.0 - up);
            });
        });
        Likelihood { log, residual, spread: e, f }
    }

    /// The Gaussian likelihood of targets h with noise of variance one: Σ −½(h − f)².
    pub(crate) fn of_targets(f: Vec<f64>, h: &[f64]) -> Likelihood {
        let residual: Vec<f64> = h.iter().zip(&f).map(|(h, f)| h - f).collect();
        let log = -0.5 * residual.iter().map(|r| r * r).sum::<f64>();
        Likelihood { log, spread: vec![1.0; f.len()], residual, f }
    }

    /// One pass over the Jacobian: the gradient of Q and, on request, the parts of its Hessian.
    pub(crate) fn products(&self, effect: &Jacobian, weights: &Weights, curvature: bool) -> JacobianProducts {
        let mut products = effect.products(&self.residual, curvature.then_some(&self.spread));
        products.gradient.iter_mut().enumerate().for_each(|(at, g)| *g += weights.prior_slope(at).0);
        products
    }

    /// The derivatives of Q by those of the weights that are `free`, in order.
    /// `None` where they cannot be factored.
    pub(crate) fn curvature(
        &self,
        effect: &Jacobian,
        products: &JacobianProducts,
        weights: &Weights,
        free: &[usize],
    ) -> Option<PosteriorCurvature> {
        let truncation: Vec<f64> = free.iter().map(|&at| weights.prior_slope(at).1).collect();
        let diagonal: Vec<f64> = truncation.iter().zip(free).map(|(o, &at)| o + weights.precision[at]).collect();
        let curvature = hessian(effect, products, free, &self.spread, &diagonal)?;
        Some(PosteriorCurvature { truncation, curvature })
    }

    /// The derivatives by all weights, and JᵀCJ (lower half) where it was formed.
    pub(crate) fn full_curvature(
        &self,
        effect: &Jacobian,
        weights: &Weights,
    ) -> Option<(PosteriorCurvature, Option<Matrix>)> {
        let all: Vec<usize> = (0..effect.len()).collect();
        let products = self.products(effect, weights, true);
        let curvature = self.curvature(effect, &products, weights, &all)?;
        Some((curvature, products.gram))
    }
}

/// Factors of at most 2 whose product is far from the largest number.
const FACTORS: usize = 512;

/// Σ ln σ(y f) = Σ min(y f, 0) − ln Π(1 + e^−|f|): one logarithm for many rows.
fn log_likelihood(f: &[f64], y: &[f64]) -> f64 {
    let of_rows = |(f, y): (&[f64], &[f64])| {
        let below: f64 = f.iter().zip(y).map(|(f, y)| (f * y).min(0.0)).sum();
        below - f.iter().map(|f| 1.0 + (-f.abs()).exp()).product::<f64>().ln()
    };
    f.chunks(FACTORS).zip(y.chunks(FACTORS)).map(of_rows).sum()
}

impl Weights {
    /// The prior's part of Q.
    pub(crate) fn log_prior(&self) -> f64 {
        let quadratic: f64 =
            self.values.iter().zip(&self.precision).map(|(v, a)| -0.5 * a * v * v + 0.5 * a.ln()).sum();
        let truncated = self.values.iter().zip(&self.steepness).skip(self.positive_from);
        quadratic
            + truncated
                .map(|(v, l)| std::f64::consts::LN_2 + if *l > 0.0 { ln_sigmoid(l * v) } else { 0.0 })
                .sum::<f64>()
    }

    /// (gradient, curvature) of the prior's part: −αv + λσ(−λv), and λ²σ(λv)σ(−λv).
    fn prior_slope(&self, at: usize) -> (f64, f64) {
        let (v, a, l) = (self.values[at], self.precision[at], self.steepness[at]);
        if l == 0.0 {
            return (-a * v, 0.0);
        }
        let up = sigmoid(l * v);
        (-a * v + l * (1.0 - up), l * l * up * (1.0 - up))
    }

    /// A copy with other values.
    pub(crate) fn with_values(&self, values: Vec<f64>) -> Weights {
        Weights { values, ..self.clone() }
    }

    /// Only these weights stay.
    pub(crate) fn keep(&mut self, kept: &[usize]) {
        for list in [&mut self.values, &mut self.precision, &mut self.steepness] {
            *list = kept.iter().map(|&i| list[i]).collect();
        }
    }
}

impl PosteriorCurvature {
    /// How well each weight is determined: γ = (O + precision·c)/(O + precision), which cannot cancel.
    pub(crate) fn determined(&self, weights: &Weights, shares: &[f64]) -> Vec<f64> {
        let parts = self.truncation.iter().zip(&weights.precision).zip(shares);
        parts.map(|((o, a), c)| (o + a * c) / (o + a)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::active_set::ActiveSet;
    use crate::machines::fixtures::{self, Fixture, matrix, numbers};
    use crate::machines::kernel::{Kernel, KernelShape};
    use crate::numeric::random;
    use rand::RngExt;
    use serde_json::Value;

    fn close(name: &str, got: &[f64], wanted: &Value) {
        let wanted = if wanted.is_number() { vec![wanted.as_f64().expect("a number")] } else { numbers(wanted) };
        assert_eq!(got.len(), wanted.len(), "{name}");
        for (a, b) in got.iter().zip(&wanted) {
            assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{name}: {a} {b}");
        }
    }

    #[test]
    fn one_logarithm_for_many_rows_is_the_sum_of_theirs() {
        let f: Vec<f64> = (0..1500).map(|i| f64::from(i % 81 - 40) * if i % 7 == 0 { 30.0 } else { 0.1 }).collect();
        let y: Vec<f64> = (0..1500).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let each: f64 = f.iter().zip(&y).map(|(f, y)| ln_sigmoid(f * y)).sum();
        assert!((log_likelihood(&f, &y) / each - 1.0).abs() < 1e-13);
        assert!(log_likelihood(&[f64::NAN], &[1.0]).is_nan());
    }

    #[test]
    fn many_rows_have_the_likelihood_of_few() {
        let f: Vec<f64> = (0..6000).map(|i| f64::from(i % 81 - 40) * if i % 7 == 0 { 30.0 } else { 0.1 }).collect();
        let y: Vec<f64> = (0..6000).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let many = Likelihood::at(f.clone(), &y);
        assert!((many.log / log_likelihood(&f, &y) - 1.0).abs() < 1e-13);
        for at in 0..f.len() {
            let up = sigmoid(f[at]);
            assert!((many.residual[at] - (0.5 * (y[at] + 1.0) - up)).abs() < 1e-15, "{}", f[at]);
            assert!((many.spread[at] - up * (1.0 - up)).abs() < 1e-15, "{}", f[at]);
        }
        assert!(Likelihood::at(vec![f64::NAN; 6000], &y).log.is_nan());
    }

    /// Values, gradients, curvature and evidence at a fixed point, for every kernel and both shapes of table.
    #[test]
    fn every_fixture_is_met_at_its_point() {
        fixtures::each(|Fixture { name, kernel, x, y, json }| {
            let point = &json["point"];
            let weights = |values: &str, precision: &str, bias: bool| {
                let (values, precision) = (numbers(&point[values]), numbers(&point[precision]));
                let mut steepness = vec![5.0; values.len()];
                if bias {
                    steepness[0] = 0.0;
                }
                Weights { values, precision, steepness, positive_from: usize::from(bias) }
            };
            let (w, theta) = (weights("w", "alpha", true), weights("theta", "beta", false));
            let active = ActiveSet::new(&x, &y, (0..y.len()).collect(), false);
            let values = active.kernel(kernel, &theta.values);
            let samples = active.by_samples(&values);
            let at = Likelihood::at(samples.times(&w.values), &y);
            let f = &at.f;
            close(&format!("{name} f"), f, &point["f"]);
            let features = active.by_features(kernel, &values, &w.values[1..]);
            let all: Vec<usize> = (0..features.len()).collect();
            let d = features.scaled(&all, &vec![1.0; y.len()], &vec![1.0; all.len()]);
            let expected = matrix(&point["D"]);
            for k in 0..d.n_columns() {
                for (a, b) in d.column(k).iter().zip(expected.column(k)) {
                    assert!((a - b).abs() < 1e-9, "{name} D: {a} {b}");
                }
            }
            let q = at.log + w.log_prior() + theta.log_prior();
            close(&format!("{name} Q"), &[q], &point["Q"]);
            let mut evidence = q;
            for (weights, effect, letter, greek) in [(&w, samples, "w", "w"), (&theta, features, "theta", "theta")] {
                let slope = at.full_curvature(&effect, weights).expect("factors").0;
                let gradient = at.products(&effect, weights, false).gradient;
                close(&format!("{name} grad_{letter}"), &gradient, &point[format!("grad_{letter}")]);
                close(&format!("{name} O_{letter}"), &slope.truncation, &point[format!("O_{letter}")]);
                let mut direction = gradient.clone();
                slope.curvature.solve(&mut direction);
                close(&format!("{name} direction {letter}"), &direction, &point[format!("newton_dir_{letter}")]);
                let shares = slope.curvature.shares();
                close(&format!("{name} gamma"), &slope.determined(weights, &shares), &point[format!("gamma_{greek}")]);
                let variances = slope.curvature.variances(&shares);
                close(&format!("{name} Sigma_{letter}"), &variances, &point[format!("Sigma_{letter}_diag")]);
                let key = if letter == "w" { "logdet_Hw" } else { "logdet_Htheta" };
                close(&format!("{name} {key}"), &[slope.curvature.log_determinant], &point[key]);
                evidence -= 0.5 * slope.curvature.log_determinant;
            }
            close(&format!("{name} evidence"), &[evidence], &point["evidence"]);
        });
    }

    /// The step of differences.
    const STEP: f64 = 1e-5;

    fn moved(of: &Weights, at: usize, by: f64) -> Weights {
        let mut values = of.values.clone();
        values[at] += by;
        of.with_values(values)
    }

    /// A gradient against differences of Q.
    fn check_gradient(name: &str, gradient: &[f64], weights: &Weights, q: impl Fn(&Weights) -> f64) {
        for (i, g) in gradient.iter().enumerate() {
            let slope = (q(&moved(weights, i, STEP)) - q(&moved(weights, i, -STEP))) / (2.0 * STEP);
            assert!((slope - g).abs() < 1e-7 * (1.0 + g.abs()), "{name} {i}: {slope} {g}");
        }
    }

    /// The inverse of a curvature undoes minus the differences of the gradient.
    fn check_curvature(name: &str, curvature: &Curvature, weights: &Weights, gradient: impl Fn(&Weights) -> Vec<f64>) {
        for i in 0..weights.values.len() {
            let (up, down) = (gradient(&moved(weights, i, STEP)), gradient(&moved(weights, i, -STEP)));
            let mut column: Vec<f64> = up.iter().zip(&down).map(|(u, d)| -(u - d) / (2.0 * STEP)).collect();
            curvature.solve(&mut column);
            for (j, c) in column.iter().enumerate() {
                let unit = if i == j { 1.0 } else { 0.0 };
                assert!((c - unit).abs() < 1e-6, "{name} {i} {j}: {c}");
            }
        }
    }

    fn check_derivatives(active: &ActiveSet, kernel: Kernel, w: &Weights, theta: &Weights) {
        let (y, shape) = (active.y, kernel.shape);
        let q = |w: &Weights, theta: &Weights| {
            let values = active.kernel(kernel, &theta.values);
            let f = active.by_samples(&values).times(&w.values);
            Likelihood::at(f, y).log + w.log_prior() + theta.log_prior()
        };
        let values = active.kernel(kernel, &theta.values);
        let (by_w, by_theta) = (active.by_samples(&values), active.by_features(kernel, &values, &w.values[1..]));
        let at = Likelihood::at(by_w.times(&w.values), y);
        let (of_w, of_theta) = (at.products(&by_w, w, false).gradient, at.products(&by_theta, theta, false).gradient);
        check_gradient(&format!("{shape:?} w"), &of_w, w, |w| q(w, theta));
        check_gradient(&format!("{shape:?} theta"), &of_theta, theta, |theta| q(w, theta));
        // H by the samples' weights is exact
        let curvature = at.full_curvature(&by_w, w).expect("factors").0.curvature;
        check_curvature(&format!("{shape:?} H_w"), &curvature, w, |w| {
            Likelihood::at(by_w.times(&w.values), y).products(&by_w, w, false).gradient
        });
        // by the features' weights it leaves out f's own curvature, which is nothing only for a linear kernel
        if shape == KernelShape::Linear {
            let curvature = at.full_curvature(&by_theta, theta).expect("factors").0.curvature;
            check_curvature(&format!("{shape:?} H_theta"), &curvature, theta, |theta| {
                let values = active.kernel(kernel, &theta.values);
                let at = Likelihood::at(active.by_samples(&values).times(&w.values), y);
                at.products(&active.by_features(kernel, &values, &w.values[1..]), theta, false).gradient
            });
        }
    }

    /// Gradients and curvature of Q by both sets of weights against differences of Q, on random tables with every
    /// kernel, truncation and shape.
    #[test]
    fn derivatives_are_differences_of_the_log_posterior() {
        let mut rng = random::stream(21, 0);
        for (n, k) in [(9, 4), (5, 8)] {
            let x = Matrix::from_fn(n, k, |_, _| rng.random::<f64>() * 4.0 - 2.0);
            let y: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
            let active = ActiveSet::new(&x, &y, (0..n).collect(), false);
            for (shape, degree, steep) in [
                (KernelShape::Linear, 1, 0.0),
                (KernelShape::Rbf, 1, 5.0),
                (KernelShape::Poly, 3, 1.5),
                (KernelShape::Rbf, 1, 0.0),
            ] {
                let mut weights = |size: usize, from: usize| Weights {
                    values: (0..size).map(|_| 0.2 + rng.random::<f64>()).collect(),
                    precision: (0..size).map(|_| 0.5 + rng.random::<f64>()).collect(),
                    steepness: (0..size).map(|i| if i < from { 0.0 } else { steep }).collect(),
                    positive_from: from,
                };
                let (w, theta) = (weights(n + 1, 1), weights(k, 0));
                check_derivatives(&active, Kernel { shape, degree, scale: 1.0 / k as f64 }, &w, &theta);
            }
        }
    }
}
