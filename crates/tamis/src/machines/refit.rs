//! A Gaussian process on the features that a machine keeps: its few bases are replaced by many.
//!
//! With θ of the machine, landmarks Z and LLᵀ = K_θ(Z, Z), the features φ(x) = L⁻¹K_θ(Z, x) make f = b + φᵀv with v ~
//! N(0, I/α) a Gaussian process of covariance K_θ/α, approximated on Z. α maximises the evidence by MacKay's update α =
//! Σ(1 − αΣ_kk)/Σv². In terms of the kernel, f = b + Σ_j w_j k(x, z_j) with w = L⁻ᵀv: a machine like any other.

use crate::machines::block::double_blocks;
use crate::machines::kernel::{Kernel, KernelShape};
use crate::machines::log_posterior::BIAS_PRECISION;
use crate::machines::machine::{Link, Machine};
use crate::numeric::factored_hessian::Curvature;
use crate::numeric::linalg::{Matrix, dot};
use crate::numeric::logistic::{ln_sigmoid, sigmoid};
use serde::{Deserialize, Serialize};

/// A second fit on the features that a machine keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Refit {
    /// None: the sparse machine predicts.
    #[default]
    None,
    /// A Gaussian process with the machine's kernel.
    Gp,
}

/// Most landmarks.
const MOST_LANDMARKS: usize = 200;
/// A landmark is worth adding while this share of its kernel is not explained by the others.
const UNEXPLAINED: f64 = 1e-6;
/// Steps of weights and precision, and the relative change at which they end.
const MOST_STEPS: usize = 100;
const TOLERANCE: f64 = 5e-3;
/// Numbers of φ that are kept in memory; beyond them φ is computed again in every step.
const MOST_KEPT: usize = 1 << 25;

/// The Gaussian process with the kernel and the features of a machine, on landmarks among the rows of `x`; `None` where
/// the numbers do not allow it.
///
/// Cost: tens of steps of rows × landmarks² flops, with at most 200 landmarks.
pub(super) fn gaussian_process(machine: &Machine, x: &Matrix, y: &[f64], landmarks: &[usize]) -> Option<Machine> {
    let Machine { kernel, features, theta, .. } = machine;
    let x = x.select_columns(features);
    let candidates = Matrix::from_fn(landmarks.len(), features.len(), |j, k| x.column(k)[landmarks[j]]);
    let pivots = Pivots::of(&kernel.matrix(&candidates, &candidates, theta));
    if pivots.chosen.is_empty() {
        return None;
    }
    let z = Matrix::from_fn(pivots.chosen.len(), features.len(), |j, k| candidates.column(k)[pivots.chosen[j]]);
    let process =
        Process { kernel: *kernel, theta, blocks: double_blocks(&x, z.n_rows()), z, back: pivots.inverse_transposed() };
    let fit = process.fit(y)?;
    let w = process.in_kernel_terms(&fit.weights);
    let finite = w.iter().chain(fit.covariance.iter().flatten()).all(|x| x.is_finite());
    finite.then(|| Machine {
        kernel: *kernel,
        link: Link::Logistic,
        features: features.clone(),
        theta: theta.clone(),
        bases: (0..process.z.n_rows()).map(|j| (0..features.len()).map(|k| process.z.column(k)[j]).collect()).collect(),
        signs: vec![1.0; process.z.n_rows()],
        w,
        covariance: fit.covariance,
    })
}

/// The Gaussian process with a linear kernel over all features alike, which is ridge regression of the log odds.
pub(super) fn linear_process(x: &Matrix, y: &[f64], landmarks: &[usize]) -> Option<Machine> {
    let k = x.n_columns();
    let alike = Machine {
        kernel: Kernel { shape: KernelShape::Linear, degree: 1, scale: 1.0 / k as f64 },
        link: Link::Logistic,
        features: (0..k).collect(),
        theta: vec![1.0; k],
        bases: vec![],
        signs: vec![],
        w: vec![],
        covariance: vec![],
    };
    gaussian_process(&alike, x, y, landmarks)
}

/// Landmarks in the order of a pivoted Cholesky factorisation, which takes the one least explained so far.
struct Pivots {
    chosen: Vec<usize>,
    /// L: row i holds its first i + 1 numbers.
    rows: Vec<Vec<f64>>,
}

impl Pivots {
    fn of(k: &Matrix) -> Pivots {
        let m = k.n_rows();
        let mut left: Vec<f64> = (0..m).map(|i| k.column(i)[i]).collect();
        let enough = UNEXPLAINED * left.iter().sum::<f64>() / m.max(1) as f64;
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < MOST_LANDMARKS.min(m) {
            let Some(next) = (0..m).max_by(|&a, &b| left[a].total_cmp(&left[b]).then(b.cmp(&a))) else { break };
            if left[next].is_nan() || left[next] <= enough {
                break;
            }
            let root = left[next].sqrt();
            let column: Vec<f64> = (0..m)
                .map(|i| (k.column(next)[i] - columns.iter().map(|c| c[i] * c[next]).sum::<f64>()) / root)
                .collect();
            left.iter_mut().zip(&column).for_each(|(left, c)| *left = (*left - c * c).max(0.0));
            left[next] = 0.0;
            columns.push(column);
            chosen.push(next);
        }
        let rows = chosen.iter().enumerate().map(|(i, &at)| columns[..=i].iter().map(|c| c[at]).collect()).collect();
        Pivots { chosen, rows }
    }

    /// L⁻ᵀ.
    fn inverse_transposed(&self) -> Matrix {
        let r = self.rows.len();
        // column j of L⁻ᵀ is row j of L⁻¹
        let mut inverse = vec![vec![0.0; r]; r];
        for i in 0..r {
            let (before, rest) = inverse.split_at_mut(i);
            let row = &mut rest[0];
            row[i] = 1.0;
            for (j, other) in before.iter().enumerate() {
                let by = self.rows[i][j];
                row.iter_mut().zip(other).for_each(|(x, o)| *x -= by * o);
            }
            let diagonal = self.rows[i][i];
            row.iter_mut().for_each(|x| *x /= diagonal);
        }
        Matrix::from_columns(r, r, |j, out| out.copy_from_slice(&inverse[j]))
    }
}

/// The process over blocks of rows.
struct Process<'a> {
    kernel: Kernel,
    theta: &'a [f64],
    blocks: Vec<Matrix>,
    z: Matrix,
    /// L⁻ᵀ.
    back: Matrix,
}

/// The bias and the weights, with their covariance in terms of the kernel.
struct ProcessFit {
    weights: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl Process<'_> {
    /// A column of ones, then φ of the rows of a block.
    fn design(&self, block: &Matrix) -> Matrix {
        let k = self.kernel.matrix(block, &self.z, self.theta);
        let mut phi = Matrix::zeros(block.n_rows(), self.z.n_rows());
        k.product(&self.back, &mut phi);
        Matrix::from_columns(block.n_rows(), phi.n_columns() + 1, |j, out| match j {
            0 => out.fill(1.0),
            j => out.copy_from_slice(phi.column(j - 1)),
        })
    }

    /// Calls `with` for every block of the design with the place of its first row.
    fn each(&self, kept: &[Matrix], mut with: impl FnMut(&Matrix, usize)) {
        let mut from = 0;
        for (at, block) in self.blocks.iter().enumerate() {
            match kept.get(at) {
                Some(design) => with(design, from),
                None => with(&self.design(block), from),
            }
            from += block.n_rows();
        }
    }

    /// Newton steps for the weights, each followed by an update of α, until neither moves.
    fn fit(&self, y: &[f64]) -> Option<ProcessFit> {
        let (n, p) = (y.len(), self.z.n_rows() + 1);
        let kept: Vec<Matrix> =
            if n * p <= MOST_KEPT { self.blocks.iter().map(|b| self.design(b)).collect() } else { vec![] };
        let mut weights = vec![0.0; p];
        let mut alpha = 1.0;
        for step in 0..MOST_STEPS {
            let (curvature, gradient) = self.slopes(&kept, y, &weights, alpha)?;
            let mut direction = gradient.clone();
            curvature.solve(&mut direction);
            let promised = dot(&direction, &gradient);
            let value = self.value(&kept, y, &weights, alpha);
            let mut size = 1.0;
            let moved = loop {
                let tried: Vec<f64> = weights.iter().zip(&direction).map(|(w, d)| w + size * d).collect();
                if self.value(&kept, y, &tried, alpha) >= value + 1e-4 * size * promised {
                    break Some(tried);
                }
                size *= 0.5;
                if size < 1e-6 {
                    break None;
                }
            };
            let at_mode = moved.is_none() || promised < 1e-8 * (1.0 + value.abs());
            weights = moved.unwrap_or(weights);
            let determined: f64 = curvature.shares()[1..].iter().sum();
            let wanted = (determined / dot(&weights[1..], &weights[1..]).max(1e-12)).clamp(1e-6, 1e6);
            let still = (wanted / alpha).ln().abs() < TOLERANCE;
            if (still && (at_mode || promised < 1e-6 * (1.0 + value.abs()))) || step + 1 == MOST_STEPS {
                let inverse = curvature.inverse();
                return Some(ProcessFit { weights, covariance: self.covariance_in_kernel_terms(&inverse) });
            }
            alpha = wanted;
        }
        None
    }

    /// The log posterior of weights.
    fn value(&self, kept: &[Matrix], y: &[f64], weights: &[f64], alpha: f64) -> f64 {
        let mut log = -0.5 * (BIAS_PRECISION * weights[0] * weights[0] + alpha * dot(&weights[1..], &weights[1..]));
        self.each(kept, |design, from| {
            let mut f = vec![0.0; design.n_rows()];
            design.times(weights, &mut f);
            log += f.iter().zip(&y[from..]).map(|(f, y)| ln_sigmoid(f * y)).sum::<f64>();
        });
        log
    }

    /// The curvature of the log posterior and its gradient.
    fn slopes(&self, kept: &[Matrix], y: &[f64], weights: &[f64], alpha: f64) -> Option<(Curvature, Vec<f64>)> {
        let p = weights.len();
        let precision: Vec<f64> = (0..p).map(|k| if k == 0 { BIAS_PRECISION } else { alpha }).collect();
        let mut gradient: Vec<f64> = weights.iter().zip(&precision).map(|(w, g)| -g * w).collect();
        let mut gram = Matrix::zeros(p, p);
        let mut part = vec![0.0; p];
        self.each(kept, |design, from| {
            let mut f = vec![0.0; design.n_rows()];
            design.times(weights, &mut f);
            let residual: Vec<f64> = f.iter().zip(&y[from..]).map(|(f, y)| y * sigmoid(-f * y)).collect();
            design.transpose_times(&residual, &mut part);
            gradient.iter_mut().zip(&part).for_each(|(g, p)| *g += p);
            let root: Vec<f64> = f.iter().map(|f| (sigmoid(*f) * sigmoid(-f)).sqrt()).collect();
            let scaled = Matrix::from_columns(design.n_rows(), p, |k, out| {
                out.iter_mut().zip(design.column(k)).zip(&root).for_each(|((o, x), r)| *o = x * r);
            });
            scaled.add_gram(&mut gram);
        });
        let root: Vec<f64> = precision.iter().map(|g| g.sqrt()).collect();
        for k in 0..p {
            let by = root[k];
            gram.column_mut(k)[k..].iter_mut().zip(&root[k..]).for_each(|(x, r)| *x /= by * r);
        }
        Some((Curvature::of_gram(gram, root)?, gradient))
    }

    /// (b, v) as the bias and a weight per landmark.
    fn in_kernel_terms(&self, weights: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; weights.len()];
        w[0] = weights[0];
        self.back.times(&weights[1..], &mut w[1..]);
        w
    }

    /// TΣTᵀ for T = diag(1, L⁻ᵀ).
    fn covariance_in_kernel_terms(&self, sigma: &Matrix) -> Vec<Vec<f64>> {
        let p = sigma.n_columns();
        let half: Vec<Vec<f64>> = (0..p).map(|k| self.in_kernel_terms(sigma.column(k))).collect();
        let mut whole = vec![vec![0.0; p]; p];
        for i in 0..p {
            let row: Vec<f64> = half.iter().map(|column| column[i]).collect();
            whole[i] = self.in_kernel_terms(&row);
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    fn machine(shape: KernelShape, features: usize) -> Machine {
        Machine {
            kernel: Kernel { shape, degree: 2, scale: 1.0 / features as f64 },
            link: Link::Logistic,
            features: (0..features).collect(),
            theta: vec![1.0; features],
            bases: vec![vec![0.0; features]],
            signs: vec![1.0],
            w: vec![0.0, 1.0],
            covariance: vec![],
        }
    }

    /// A linear kernel has as many independent landmarks as features; the process is then ridge regression.
    #[test]
    fn a_linear_process_is_the_ridge_at_its_mode() {
        let mut rng = random::stream(3, 0);
        let x = Matrix::from_fn(80, 3, |_, _| rng.random::<f64>() * 2.0 - 1.0);
        let y: Vec<f64> =
            (0..80).map(|i| if x.column(0)[i] + 0.3 * x.column(1)[i] > 0.1 { 1.0 } else { -1.0 }).collect();
        let start = machine(KernelShape::Linear, 3);
        let fitted = gaussian_process(&start, &x, &y, &(0..80).collect::<Vec<_>>()).expect("fits");
        assert_eq!(fitted.bases.len(), 3, "as many landmarks as features");
        let (f, p) = fitted.prepare().predict(&x);
        let weights: Vec<f64> =
            (0..3).map(|k| (0..3).map(|j| fitted.w[j + 1] * fitted.bases[j][k] / 3.0).sum()).collect();
        for i in 0..80 {
            let linear = fitted.w[0] + (0..3).map(|k| weights[k] * x.column(k)[i]).sum::<f64>();
            assert!((f[i] - linear).abs() < 1e-8);
        }
        // at the mode the gradient by the weights is the prior's pull, in one direction for all features
        let residual = |i: usize| y[i] * sigmoid(-f[i] * y[i]);
        let pull: Vec<f64> =
            (0..3).map(|k| (0..80).map(|i| residual(i) * x.column(k)[i]).sum::<f64>() / weights[k]).collect();
        assert!(pull.iter().all(|g| (g / pull[0] - 1.0).abs() < 1e-3), "{pull:?}");
        let right = p.iter().zip(&y).filter(|(p, y)| (**p > 0.5) == (**y > 0.0)).count();
        assert!(right > 74, "{right}");
    }

    #[test]
    fn a_curved_process_learns_a_ring_and_is_unsure_far_away() {
        let mut rng = random::stream(4, 0);
        let x = Matrix::from_fn(300, 2, |_, _| rng.random::<f64>() * 4.0 - 2.0);
        let inside = |i: usize| x.column(0)[i].hypot(x.column(1)[i]) < 1.5;
        let y: Vec<f64> = (0..300).map(|i| if inside(i) { 1.0 } else { -1.0 }).collect();
        let fitted =
            gaussian_process(&machine(KernelShape::Rbf, 2), &x, &y, &(0..300).collect::<Vec<_>>()).expect("fits");
        let (_, p) = fitted.prepare().predict(&x);
        let right = p.iter().zip(&y).filter(|(p, y)| (**p > 0.5) == (**y > 0.0)).count();
        assert!(right > 285, "{right}");
        let (_, far) = fitted.prepare().predict(&Matrix::from_fn(1, 2, |_, _| 50.0));
        assert!((0.05..0.95).contains(&far[0]), "{far:?}");
    }
}
