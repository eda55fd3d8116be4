//! The run under Laplace's priors, as `jcfo` has it, against finite differences of its posterior.

use crate::machines::em::options::{EmOptions, WeightPrior};
use crate::machines::em::solver::{EmSolver, KeptWeights};
use crate::machines::em::steps::{latent, w_step};
use crate::machines::jacobian::Jacobian;
use crate::machines::kernel::{Kernel, KernelShape};
use crate::machines::log_posterior::BIAS_PRECISION;
use crate::machines::solver::Solver;
use crate::numeric::linalg::Matrix;
use crate::numeric::random;
use crate::numeric::special::log_ndtr;
use rand::RngExt;

fn jcfo(features: bool) -> EmOptions {
    EmOptions {
        samples: WeightPrior::Laplace(0.7),
        features: features.then_some(WeightPrior::Laplace(0.4)),
        signed: true,
        prune_share: 0.0,
        theta_start: 1.0,
        theta_steps: 200,
        max_iter: 1000,
        tol: 1e-12,
    }
}

/// 40 rows of 6 features, of which the product of two decides, for a kernel of each shape.
fn each_kernel(mut test: impl FnMut(Kernel, &Matrix, &[f64])) {
    let mut rng = random::stream(21, 0);
    let x = Matrix::from_fn(40, 6, |_, _| rng.random::<f64>() * 2.0 - 1.0);
    let mut side =
        |i: usize| x.column(0)[i] * x.column(1)[i] + 0.3 * x.column(2)[i] + 0.4 * (rng.random::<f64>() - 0.5);
    let y: Vec<f64> = (0..40).map(|i| side(i).signum()).collect();
    for shape in [KernelShape::Linear, KernelShape::Rbf, KernelShape::Poly] {
        test(Kernel { shape, degree: 2, scale: 1.0 / 6.0 }, &x, &y);
    }
}

fn predicted(kept: &KeptWeights, kernel: Kernel, x: &Matrix) -> Vec<f64> {
    kept.machine(kernel, x).prepare().predict(&x.select_columns(&kept.features)).0
}

/// Σ −½(h − f)² less the penalty of the precisions, with f from the predicting machine.
fn expected(kept: &KeptWeights, kernel: Kernel, x: &Matrix, h: &[f64], of_w: &[f64], of_theta: &[f64]) -> f64 {
    let f = predicted(kept, kernel, x);
    let taken = |weights: &[f64], precision: &[f64]| -> f64 {
        weights.iter().zip(precision).map(|(w, a)| 0.5 * a * w * w).sum()
    };
    -h.iter().zip(f).map(|(h, f)| 0.5 * (h - f) * (h - f)).sum::<f64>()
        - taken(&kept.w, of_w)
        - taken(&kept.theta, of_theta)
}

/// Finite differences of the expected log posterior where a step for w and the steps for θ end.
#[test]
fn steps_under_laplace_priors_end_where_the_expected_posterior_is_flat() {
    each_kernel(|kernel, x, y| {
        let mut run = EmSolver::new(kernel, x, y, (0..y.len()).collect(), jcfo(true));
        (0..3).for_each(|_| assert!(!run.step()));
        let h = latent(&run.f, y);
        let [of_w, of_theta] = [(0.7, &run.w), (0.4, &run.theta)]
            .map(|(gamma, weights)| weights.iter().map(|w| gamma / w.abs()).collect::<Vec<f64>>());
        let values = run.active.kernel(kernel, &run.theta);
        let (w, _) = w_step(&values, &run.active.signs, &h, run.bias, &run.w, run.options.samples).expect("solves");
        assert!(w.iter().any(|w| *w < 0.0) && w.iter().any(|w| *w > 0.0), "either sign");
        let with_w = KeptWeights { w: w.clone(), ..run.kept() };
        let mut f = Jacobian::without_bias(&values, &run.active.signs).times(&w);
        f.iter_mut().for_each(|f| *f += run.bias);
        let (theta, _) = run.theta_steps(values, &h, run.bias, &w, WeightPrior::Laplace(0.4), f);
        let with_theta = KeptWeights { theta, ..with_w.clone() };
        let at = |kept: &KeptWeights| expected(kept, kernel, x, &h, &of_w, &of_theta);
        assert!(at(&with_theta) >= at(&with_w) && at(&with_w) >= at(&run.kept()), "{kernel:?}");
        for i in 0..w.len() {
            let moved = |by: f64| {
                let mut kept = with_w.clone();
                kept.w[i] += by;
                at(&kept)
            };
            let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            assert!(slope.abs() < 1e-6, "{kernel:?}, w {i}: {slope}");
        }
        // along θ/θ_old, the scale on which the steps are judged
        let steepest = |kept: &KeptWeights| {
            let slope = |k: usize| {
                let moved = |by: f64| {
                    let mut kept = kept.clone();
                    kept.theta[k] += by;
                    at(&kept)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                run.theta[k] * if kept.theta[k] > 0.0 { slope.abs() } else { slope.max(0.0) }
            };
            (0..kept.theta.len()).map(slope).fold(0.0, f64::max)
        };
        let (before, after) = (steepest(&with_w), steepest(&with_theta));
        assert!(after < 1e-2 * before, "{kernel:?}: {before} {after}");
    });
}

/// Σ ln Φ(yf) less the penalties, with f by the machine that predicts.
fn posterior(run: &EmSolver, kernel: Kernel, x: &Matrix, y: &[f64]) -> f64 {
    let kept = run.kept();
    let f = predicted(&kept, kernel, x);
    let fit: f64 = f.iter().zip(y).map(|(f, y)| log_ndtr(f * y)).sum();
    let sizes = |weights: &[f64]| weights.iter().map(|w| w.abs()).sum::<f64>();
    let features = if run.options.features.is_some() { 0.4 * sizes(&kept.theta) } else { 0.0 };
    fit - 0.7 * sizes(&kept.w) - features - 0.5 * BIAS_PRECISION * kept.bias * kept.bias
}

#[test]
fn the_posterior_under_laplace_priors_only_rises() {
    each_kernel(|kernel, x, y| {
        for features in [false, true] {
            let options = EmOptions { max_iter: 60, ..jcfo(features) };
            let mut run = EmSolver::new(kernel, x, y, (0..y.len()).collect(), options);
            let mut before = f64::NEG_INFINITY;
            while !run.step() {
                let now = posterior(&run, kernel, x, y);
                assert!(now >= before - 1e-9 * before.abs(), "{kernel:?}, {features}: {before} {now}");
                before = now;
            }
            assert!(run.record().len() == 60 && before.is_finite(), "{kernel:?}, {features}");
        }
    });
}

/// Where the weights of samples alone are learned, the end is the one mode: the likelihood's slope, by finite
/// differences, is γ₁ along every weight that is left and no steeper along the others.
#[test]
fn the_end_under_a_laplace_prior_is_its_mode() {
    each_kernel(|kernel, x, y| {
        let options = EmOptions { max_iter: 3000, tol: 1e-9, ..jcfo(false) };
        let mut run = EmSolver::new(kernel, x, y, (0..y.len()).collect(), options);
        while !run.step() {}
        let kept = run.kept();
        let mut w = vec![0.0; y.len()];
        kept.bases.iter().zip(&kept.w).for_each(|(&j, v)| w[j] = *v);
        let all = KeptWeights { bases: (0..y.len()).collect(), w, signs: vec![1.0; y.len()], ..kept };
        for j in 0..y.len() {
            let moved = |by: f64| {
                let mut kept = all.clone();
                kept.w[j] += by;
                let f = predicted(&kept, kernel, x);
                f.iter().zip(y).map(|(f, y)| log_ndtr(f * y)).sum::<f64>()
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(slope.abs() < 0.7 * 1.01, "{kernel:?}, {j}: {slope}");
            if all.w[j].abs() > 1e-2 {
                assert!((slope - 0.7 * all.w[j].signum()).abs() < 1e-2, "{kernel:?}, {j}: {slope} {}", all.w[j]);
            }
        }
    });
}
