//! The log posterior of a vector machine at given weights of samples and features, with its derivatives.
//!
//! f(x) = b + Σ_j w_j y_j k_θ(x, z_j). Of the weights, w_0 = b is the bias; with precisions α and β, steepness λ of the
//! truncation at zero, and rows of sign y,
//!
//! Q = Σ ln σ(y f) − ½wᵀAw − ½θᵀBθ + Σ ln σ(λ·) + Σ(ln 2 + ½ ln precision),
//!
//! the last two sums without the bias but for its ½ ln precision.

use super::curvature::Curvature;
use super::kernel::Values;
use crate::numeric::linalg::Matrix;

/// The rows, the bases, and their signs.
pub(crate) struct Problem<'a> {
    /// Standardised rows.
    pub(crate) x: &'a Matrix,
    /// −1 or 1 per row.
    pub(crate) y: &'a [f64],
    /// Rows that are bases.
    pub(crate) z: &'a Matrix,
    /// −1 or 1 per basis.
    pub(crate) zy: &'a [f64],
}

/// Weights with their precisions and the steepness of their truncation; 0 where weights are cut off at zero instead.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    pub(crate) values: Vec<f64>,
    pub(crate) precision: Vec<f64>,
    pub(crate) steepness: Vec<f64>,
}

/// Derivatives by one set of weights, the other fixed.
pub(crate) struct Slope {
    pub(crate) gradient: Vec<f64>,
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

impl Weights {
    /// The prior's part of Q, from weight `from` on.
    fn log_prior(&self, from: usize) -> f64 {
        let quadratic: f64 =
            self.values.iter().zip(&self.precision).map(|(v, a)| -0.5 * a * v * v + 0.5 * a.ln()).sum();
        let truncated = self.values.iter().zip(&self.steepness).skip(from);
        quadratic
            + truncated
                .map(|(v, l)| std::f64::consts::LN_2 + if *l > 0.0 { ln_sigmoid(l * v) } else { 0.0 })
                .sum::<f64>()
    }

    /// (gradient, curvature) of the prior's part: −αv + λσ(−λv), and λ²σ(λv)σ(−λv).
    fn prior_slope(&self, at: usize) -> (f64, f64) {
        let (v, a, l) = (self.values[at], self.precision[at], self.steepness[at]);
        let up = sigmoid(l * v);
        (-a * v + l * (1.0 - up), l * l * up * (1.0 - up))
    }
}

impl Problem<'_> {
    /// The columns 1, y_1 k(·, z_1), …
    pub(crate) fn design(&self, values: &Values) -> Matrix {
        Matrix::from_columns(self.x.rows(), self.z.rows() + 1, |j, out| match j {
            0 => out.fill(1.0),
            j => out.iter_mut().zip(values.values.column(j - 1)).for_each(|(o, k)| *o = k * self.zy[j - 1]),
        })
    }

    /// Q, given f.
    pub(crate) fn log_posterior(&self, f: &[f64], w: &Weights, theta: &Weights) -> f64 {
        let fit: f64 = f.iter().zip(self.y).map(|(f, y)| ln_sigmoid(f * y)).sum();
        fit + w.log_prior(1) + theta.log_prior(0)
    }

    /// The gradient of Q by weights whose effect on f is `j`.
    pub(crate) fn gradient(&self, f: &[f64], j: &Matrix, weights: &Weights) -> Vec<f64> {
        let residual: Vec<f64> = f.iter().zip(self.y).map(|(f, y)| 0.5 * (y + 1.0) - sigmoid(*f)).collect();
        let mut gradient = vec![0.0; j.columns()];
        j.transpose_times(&residual, &mut gradient);
        gradient.iter_mut().enumerate().for_each(|(at, g)| *g += weights.prior_slope(at).0);
        gradient
    }

    /// Derivatives of Q by weights whose effect on f is `j`.
    /// `None` where they cannot be factored.
    pub(crate) fn slope(&self, f: &[f64], j: &Matrix, weights: &Weights) -> Option<Slope> {
        let spread: Vec<f64> = f.iter().map(|f| sigmoid(*f) * (1.0 - sigmoid(*f))).collect();
        let gradient = self.gradient(f, j, weights);
        let truncation: Vec<f64> = (0..gradient.len()).map(|at| weights.prior_slope(at).1).collect();
        let diagonal: Vec<f64> = truncation.iter().zip(&weights.precision).map(|(o, a)| o + a).collect();
        Some(Slope { gradient, truncation, curvature: Curvature::new(j, &spread, &diagonal)? })
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
    use super::super::kernel::{Kernel, Shape};
    use super::*;
    use serde_json::Value;

    fn numbers(v: &Value) -> Vec<f64> {
        v.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
    }

    fn matrix(v: &Value) -> Matrix {
        let rows: Vec<Vec<f64>> = v.as_array().expect("rows").iter().map(numbers).collect();
        Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
    }

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
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle/vector_machine");
        let Ok(files) = std::fs::read_dir(folder) else { return };
        for file in files {
            let path = file.expect("a file").path();
            let fixture: Value = serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
            let name = fixture["name"].as_str().expect("a name").to_string();
            let kernel = Kernel {
                shape: match fixture["kernel"]["kind"].as_str().expect("a kind") {
                    "rbf" => Shape::Rbf,
                    "linear" => Shape::Linear,
                    _ => Shape::Poly,
                },
                degree: fixture["kernel"]["P"].as_u64().expect("P") as u32,
                scale: fixture["kernel"]["s"].as_f64().expect("s"),
            };
            let (x, y, point) = (matrix(&fixture["X"]), numbers(&fixture["y"]), &fixture["point"]);
            let weights = |values: &str, precision: &str, bias: bool| {
                let (values, precision) = (numbers(&point[values]), numbers(&point[precision]));
                let mut steepness = vec![5.0; values.len()];
                if bias {
                    steepness[0] = 0.0;
                }
                Weights { values, precision, steepness }
            };
            let (w, theta) = (weights("w", "alpha", true), weights("theta", "beta", false));
            let problem = Problem { x: &x, y: &y, z: &x, zy: &y };
            let values = kernel.values(&x, &x, &theta.values);
            let design = problem.design(&values);
            let mut f = vec![0.0; y.len()];
            design.times(&w.values, &mut f);
            close(&format!("{name} f"), &f, &point["f"]);
            let v: Vec<f64> = w.values[1..].iter().zip(&y).map(|(w, y)| w * y).collect();
            let d = kernel.derivative(&x, &x, &values, &v);
            let expected = matrix(&point["D"]);
            for k in 0..d.columns() {
                for (a, b) in d.column(k).iter().zip(expected.column(k)) {
                    assert!((a - b).abs() < 1e-9, "{name} D: {a} {b}");
                }
            }
            let q = problem.log_posterior(&f, &w, &theta);
            close(&format!("{name} Q"), &[q], &point["Q"]);
            let mut evidence = q;
            for (weights, j, letter, greek) in [(&w, &design, "w", "w"), (&theta, &d, "theta", "theta")] {
                let slope = problem.slope(&f, j, weights).expect("factors");
                close(&format!("{name} grad_{letter}"), &slope.gradient, &point[format!("grad_{letter}")]);
                close(&format!("{name} O_{letter}"), &slope.truncation, &point[format!("O_{letter}")]);
                let mut direction = slope.gradient.clone();
                slope.curvature.solve(&mut direction);
                close(&format!("{name} direction {letter}"), &direction, &point[format!("newton_dir_{letter}")]);
                let shares = slope.curvature.shares();
                close(&format!("{name} gamma"), &slope.determined(weights, &shares), &point[format!("gamma_{greek}")]);
                let variances: Vec<f64> = (0..shares.len())
                    .map(|k| (1.0 - shares[k]) / (slope.truncation[k] + weights.precision[k]))
                    .collect();
                close(&format!("{name} Sigma_{letter}"), &variances, &point[format!("Sigma_{letter}_diag")]);
                let key = if letter == "w" { "logdet_Hw" } else { "logdet_Htheta" };
                close(&format!("{name} {key}"), &[slope.curvature.log_determinant], &point[key]);
                evidence -= 0.5 * slope.curvature.log_determinant;
            }
            close(&format!("{name} evidence"), &[evidence], &point["evidence"]);
        }
    }
}
