//! The log posterior of a vector machine at given weights of samples and features, with its derivatives.
//!
//! f(x) = b + Σ_j w_j y_j k_θ(x, z_j). Of the weights, w_0 = b is the bias; with precisions α and β, steepness λ of the
//! truncation at zero, and rows of sign y,
//!
//! Q = Σ ln σ(y f) − ½wᵀAw − ½θᵀBθ + Σ ln σ(λ·) + Σ(ln 2 + ½ ln precision),
//!
//! the last two sums without the bias but for its ½ ln precision.

use super::curvature::Curvature;
use super::effect::{Effect, Seen};

/// Weights with their precisions and the steepness of their truncation; 0 where weights are cut off at zero instead.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    pub(crate) values: Vec<f64>,
    pub(crate) precision: Vec<f64>,
    pub(crate) steepness: Vec<f64>,
    /// Weights from here on cannot be negative.
    pub(crate) positive_from: usize,
}

/// f, and what the likelihood of the rows' signs says there.
pub(crate) struct Likelihood {
    pub(crate) f: Vec<f64>,
    /// Σ ln σ(y f).
    pub(crate) log: f64,
    /// ∂/∂f, and −∂²/∂f².
    residual: Vec<f64>,
    spread: Vec<f64>,
}

/// Derivatives by one set of weights, the other fixed; only of the weights that are free to move.
pub(crate) struct Slope {
    /// What the truncation adds to the precision.
    pub(crate) truncation: Vec<f64>,
    pub(crate) curvature: Curvature,
}

/// ln σ(x).
pub(crate) fn ln_sigmoid(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Likelihood {
    /// `y` has −1 or 1 per row.
    pub(crate) fn at(f: Vec<f64>, y: &[f64]) -> Likelihood {
        let up: Vec<f64> = f.iter().map(|f| sigmoid(*f)).collect();
        Likelihood {
            log: f.iter().zip(y).map(|(f, y)| ln_sigmoid(f * y)).sum(),
            residual: up.iter().zip(y).map(|(up, y)| 0.5 * (y + 1.0) - up).collect(),
            spread: up.iter().map(|up| up * (1.0 - up)).collect(),
            f,
        }
    }

    /// The same for targets with noise of variance one: Σ −½(h − f)².
    pub(crate) fn of_targets(f: Vec<f64>, h: &[f64]) -> Likelihood {
        let residual: Vec<f64> = h.iter().zip(&f).map(|(h, f)| h - f).collect();
        let log = -0.5 * residual.iter().map(|r| r * r).sum::<f64>();
        Likelihood { log, spread: vec![1.0; f.len()], residual, f }
    }

    /// One pass over how weights move f: the gradient of Q by them and, if asked for, what its curvature is made of.
    pub(crate) fn look(&self, effect: &Effect, weights: &Weights, curvature: bool) -> Seen {
        let mut seen = effect.look(&self.residual, curvature.then_some(&self.spread));
        seen.gradient.iter_mut().enumerate().for_each(|(at, g)| *g += weights.prior_slope(at).0);
        seen
    }

    /// The derivatives of Q by those of the weights that are `free`, in order.
    /// `None` where they cannot be factored.
    pub(crate) fn slope(&self, effect: &Effect, seen: &Seen, weights: &Weights, free: &[usize]) -> Option<Slope> {
        let truncation: Vec<f64> = free.iter().map(|&at| weights.prior_slope(at).1).collect();
        let diagonal: Vec<f64> = truncation.iter().zip(free).map(|(o, &at)| o + weights.precision[at]).collect();
        let curvature = Curvature::new(effect, seen, free, &self.spread, &diagonal)?;
        Some(Slope { truncation, curvature })
    }

    /// The derivatives by all weights.
    pub(crate) fn full_slope(&self, effect: &Effect, weights: &Weights) -> Option<Slope> {
        let all: Vec<usize> = (0..effect.len()).collect();
        self.slope(effect, &self.look(effect, weights, true), weights, &all)
    }
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

    /// The same weights with other values.
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

impl Slope {
    /// How well each weight is determined: γ = (O + precision·c)/(O + precision), which cannot cancel.
    pub(crate) fn determined(&self, weights: &Weights, shares: &[f64]) -> Vec<f64> {
        let parts = self.truncation.iter().zip(&weights.precision).zip(shares);
        parts.map(|((o, a), c)| (o + a * c) / (o + a)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{self, Fixture, matrix, numbers};
    use super::super::left::Left;
    use super::*;
    use serde_json::Value;

    fn close(name: &str, got: &[f64], wanted: &Value) {
        let wanted = if wanted.is_number() { vec![wanted.as_f64().expect("a number")] } else { numbers(wanted) };
        assert_eq!(got.len(), wanted.len(), "{name}");
        for (a, b) in got.iter().zip(&wanted) {
            assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{name}: {a} {b}");
        }
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
            let left = Left::new(&x, &y, (0..y.len()).collect(), false);
            let values = left.kernel(kernel, &theta.values);
            let samples = left.by_samples(&values);
            let at = Likelihood::at(samples.times(&w.values), &y);
            let f = &at.f;
            close(&format!("{name} f"), f, &point["f"]);
            let features = left.by_features(kernel, &values, &w.values[1..]);
            let all: Vec<usize> = (0..features.len()).collect();
            let d = features.scaled(&all, &vec![1.0; y.len()], &vec![1.0; all.len()]);
            let expected = matrix(&point["D"]);
            for k in 0..d.columns() {
                for (a, b) in d.column(k).iter().zip(expected.column(k)) {
                    assert!((a - b).abs() < 1e-9, "{name} D: {a} {b}");
                }
            }
            let q = at.log + w.log_prior() + theta.log_prior();
            close(&format!("{name} Q"), &[q], &point["Q"]);
            let mut evidence = q;
            for (weights, effect, letter, greek) in [(&w, samples, "w", "w"), (&theta, features, "theta", "theta")] {
                let slope = at.full_slope(&effect, weights).expect("factors");
                let gradient = at.look(&effect, weights, false).gradient;
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
}
