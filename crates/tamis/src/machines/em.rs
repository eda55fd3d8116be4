//! PFCVM by expectation–maximisation (Li & Chen 2014) with the corrections of its errata; PCVM (Chen, Tino & Yao
//! 2009), which is the same with the features' weights fixed; and JCFO (Krishnapuram et al. 2004), which is the same with
//! Laplace's priors and weights of either sign.
//!
//! The sign of a row is that of a latent H ~ N(f, 1). Given H̄, its mean, f is a regression with precisions that the
//! weights' own sizes give them, in turns: w with b as it was, then b, then θ.

use crate::base::{Parameter, Progress, Result};
use crate::machines::active_set::{ActiveSet, survivors};
use crate::machines::basis::BasisParameters;
use crate::machines::hessian::hessian;
use crate::machines::jacobian::Jacobian;
use crate::machines::kernel::{Kernel, Values};
use crate::machines::laplace::BIAS_PRECISION;
use crate::machines::log_posterior::{Likelihood, Weights};
use crate::machines::machine::{Link, Machine};
use crate::machines::newton::newton;
use crate::machines::one_vs_rest::{Task, TrainingRun};
use crate::machines::run_many;
use crate::machines::run_many::{Status, Stepwise};
use crate::numeric::linalg::Matrix;
use crate::numeric::special::log_ndtr;
use crate::selection::detail::MachineDetail;

pub(super) const KAPPA: Parameter = Parameter {
    name: "kappa",
    range: "0.001…100",
    purpose: "strictness for samples: a sample is kept if its |z| exceeds 2√kappa",
};
pub(super) const TOL: Parameter = Parameter {
    name: "tol",
    range: "1e-12…0.1",
    purpose: "stop when the relative change of the samples' weights is smaller",
};
pub(super) const MAX_ITER: Parameter = Parameter { name: "max_iter", range: "1…100000", purpose: "most iterations" };

pub(super) const COST: &str =
    "up to hundreds of iterations of rows × bases² and rows × features × bases flops, fewer as weights are pruned";

/// One run per problem.
pub(super) fn learn(
    basis: &BasisParameters,
    options: &Options,
    task: &Task,
    progress: &mut dyn Progress,
) -> Result<Vec<Vec<TrainingRun>>> {
    let Task { x, problems, seed } = *task;
    let kernel = basis.of_features(x.columns());
    let make = |at: usize| {
        let y = &problems[at];
        Run::new(kernel, x, y, basis.draw(y, seed, at, 0), options.clone())
    };
    run_many::by_problem(problems.len(), 1, options.max_iter, make, |run| run.trained(x), progress)
}

/// The prior of a weight, by the expected precision given the weight.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Prior {
    /// κ/w², whatever the scale.
    ScaleFree(f64),
    /// γ/|w|: a density ∝ exp(−γ|w|), a normal one whose variance is exponential.
    Laplace(f64),
}

impl Prior {
    fn precision(self, weights: &[f64]) -> Vec<f64> {
        let of = |w: &f64| match self {
            Prior::ScaleFree(kappa) => kappa / (w * w),
            Prior::Laplace(gamma) => gamma / w.abs(),
        };
        weights.iter().map(of).collect()
    }
}

/// The settings of one run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) samples: Prior,
    /// The features' weights stay as they start without it.
    pub(crate) features: Option<Prior>,
    /// Whether the samples' weights may have either sign; otherwise they are positive, and a basis counts for its class.
    pub(crate) signed: bool,
    /// A weight goes when it is below this share of the largest.
    pub(crate) prune_share: f64,
    pub(crate) theta_start: f64,
    /// Most steps for the features' weights in an iteration.
    pub(crate) theta_steps: usize,
    pub(crate) max_iter: usize,
    pub(crate) tol: f64,
}

/// Steps for the features' weights in an iteration that are worth their time.
pub(crate) const THETA_STEPS: usize = 10;
/// The first expectation takes f as this much on the right side.
const FIRST_F: f64 = 2.0;

/// Where f differs less between rows, weights of either sign have faded.
const FLAT: f64 = 1e-6;

/// The state after an iteration.
#[derive(Debug, Clone)]
pub(crate) struct Iteration {
    pub(crate) bases: usize,
    pub(crate) features: usize,
    pub(crate) log_likelihood: f64,
}

/// Bases and features that are kept, with their weights.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) bases: Vec<usize>,
    pub(crate) features: Vec<usize>,
    pub(crate) bias: f64,
    pub(crate) w: Vec<f64>,
    pub(crate) theta: Vec<f64>,
    /// The sign of each basis.
    pub(crate) signs: Vec<f64>,
}

impl Kept {
    /// The machine that predicts.
    pub(crate) fn machine(&self, kernel: Kernel, x: &Matrix) -> Machine {
        let basis = |&j: &usize| self.features.iter().map(|&k| x.column(k)[j]).collect();
        Machine {
            kernel,
            link: Link::Probit,
            features: self.features.clone(),
            theta: self.theta.clone(),
            bases: self.bases.iter().map(basis).collect(),
            signs: self.signs.clone(),
            w: std::iter::once(self.bias).chain(self.w.iter().copied()).collect(),
            covariance: vec![],
        }
    }
}

/// A run from the start.
pub(crate) struct Run<'a> {
    kernel: Kernel,
    options: Options,
    left: ActiveSet<'a>,
    bias: f64,
    w: Vec<f64>,
    theta: Vec<f64>,
    /// f of every row; at first on the right side for all.
    f: Vec<f64>,
    pub(crate) trace: Vec<Iteration>,
    pub(crate) converged: bool,
    pub(crate) jittered: bool,
    /// Whether every weight dropped out at once, so that the state before had to stand, or faded.
    collapsed: bool,
    over: bool,
}

impl<'a> Run<'a> {
    /// `x` has a standardised row per sample, `bases` says which rows are candidates.
    pub(crate) fn new(kernel: Kernel, x: &'a Matrix, y: &'a [f64], bases: Vec<usize>, options: Options) -> Run<'a> {
        Run {
            kernel,
            bias: 0.0,
            w: vec![1.0; bases.len()],
            theta: vec![options.theta_start; x.columns()],
            left: ActiveSet::new(x, y, bases, options.signed),
            f: y.iter().map(|y| FIRST_F * y).collect(),
            options,
            trace: vec![],
            converged: false,
            jittered: false,
            collapsed: false,
            over: false,
        }
    }

    /// The bases and features kept so far.
    pub(crate) fn kept(&self) -> Kept {
        Kept {
            bases: self.left.bases.clone(),
            features: self.left.features.clone(),
            bias: self.bias,
            w: self.w.clone(),
            theta: self.theta.clone(),
            signs: self.left.signs.clone(),
        }
    }

    /// The trained machine and its record; `None` if no iteration succeeded.
    pub(crate) fn trained(&self, x: &Matrix) -> Option<TrainingRun> {
        let kept = self.kept();
        let evidence = self.trace.last().map_or(f64::NEG_INFINITY, |i| i.log_likelihood);
        let detail = MachineDetail {
            log_likelihood: self.trace.iter().map(|i| i.log_likelihood).collect(),
            features_left: self.trace.iter().map(|i| i.features).collect(),
            samples_left: self.trace.iter().map(|i| i.bases).collect(),
            samples: kept.bases.iter().map(|&i| i as u32).collect(),
            ..MachineDetail::default()
        };
        Some(TrainingRun {
            machine: kept.machine(self.kernel, x),
            detail,
            evidence,
            converged: self.converged,
            jittered: self.jittered,
            collapsed: self.collapsed,
        })
    }

    /// One iteration; `None` after a numerical breakdown, when the last state is final.
    fn iterate(&mut self) -> Option<()> {
        let h = latent(&self.f, self.left.y);
        let values = self.left.kernel(self.kernel, &self.theta);
        let (mut w, jittered) = w_step(&values, &self.left.signs, &h, self.bias, &self.w, self.options.samples)?;
        self.jittered |= jittered;
        let effect = Jacobian::without_bias(&values, &self.left.signs);
        let rest: f64 = h.iter().zip(effect.times(&w)).map(|(h, f)| h - f).sum();
        let bias = rest / (h.len() as f64 + BIAS_PRECISION);
        if !self.options.signed {
            w.iter_mut().for_each(|w| *w = w.max(0.0));
        }
        if !w.iter().any(|w| *w != 0.0 && w.is_finite()) {
            self.collapsed = true;
            return None; // the state before stands
        }
        let mut f = effect.times(&w);
        f.iter_mut().for_each(|f| *f += bias);
        let mut theta = self.theta.clone();
        if let Some(prior) = self.options.features {
            let (moved, there) = self.theta_steps(values, &h, bias, &w, prior, f.clone());
            // where no feature is worth its weight, weights of either sign fade together and the bias finds its place
            if !self.options.signed || moved.iter().any(|t| *t > 0.0) {
                (theta, f) = (moved, there);
            }
        }
        let log_likelihood: f64 = f.iter().zip(self.left.y).map(|(f, y)| log_ndtr(f * y)).sum();
        if !log_likelihood.is_finite() || !theta.iter().any(|t| *t > 0.0) {
            self.collapsed = true;
            return None;
        }
        let g = self.gauge(&w, &theta);
        theta.iter_mut().for_each(|t| *t /= g);
        w.iter_mut().for_each(|w| *w *= g);
        let norm = |w: &mut dyn Iterator<Item = f64>| w.map(|w| w * w).sum::<f64>().sqrt();
        let moved = norm(&mut w.iter().zip(&self.w).map(|(a, b)| a - b));
        self.converged = moved < self.options.tol * norm(&mut self.w.iter().copied());

        self.trace.push(Iteration { bases: self.left.bases.len(), features: self.left.features.len(), log_likelihood });
        let bases = survivors(&w, self.options.prune_share, |i, _| w[i] != 0.0);
        let features = match self.options.features {
            Some(_) => survivors(&theta, self.options.prune_share, |k, _| theta[k] > 0.0),
            None => (0..theta.len()).collect(),
        };
        self.w = bases.iter().map(|&i| w[i]).collect();
        self.theta = features.iter().map(|&i| theta[i]).collect();
        self.left.keep(&bases, &features);
        if self.options.signed {
            let (low, high) = f.iter().fold((f64::MAX, f64::MIN), |(low, high), f| (f.min(low), f.max(high)));
            self.collapsed = high - low < FLAT && (bias - self.bias).abs() < FLAT;
        }
        (self.bias, self.f) = (bias, f);
        (!self.converged && !self.collapsed).then_some(())
    }

    /// The factor that divides θ and multiplies w: with a linear kernel the data determine only w·θ. A prior without a
    /// scale
    /// leaves it to us, max θ = 1; Laplace's are at their best where γ₁Σ|w| = γ₂Σθ.
    fn gauge(&self, w: &[f64], theta: &[f64]) -> f64 {
        match (self.options.samples, self.options.features) {
            _ if !self.kernel.is_linear() => 1.0,
            (_, None) => 1.0,
            (Prior::Laplace(of_w), Some(Prior::Laplace(of_theta))) => {
                let sum = |weights: &[f64]| weights.iter().map(|w| w.abs()).sum::<f64>();
                (of_theta * sum(theta) / (of_w * sum(w))).sqrt()
            }
            _ => theta.iter().copied().fold(0.0, f64::max),
        }
    }

    /// A few Gauss–Newton steps for the features' weights; returns them and f.
    fn theta_steps(
        &self,
        mut values: Values,
        h: &[f64],
        bias: f64,
        w: &[f64],
        prior: Prior,
        f: Vec<f64>,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut theta = theta_prior(&self.theta, prior);
        let mut at = Likelihood::of_targets(f, h);
        for _ in 0..self.options.theta_steps {
            let effect = self.left.by_features(self.kernel, &values, w);
            let moved = newton(&at, &effect, &theta, 0.0, &mut None, |theta| {
                let values = self.left.kernel(self.kernel, theta);
                let mut f = Jacobian::without_bias(&values, &self.left.signs).times(w);
                f.iter_mut().for_each(|f| *f += bias);
                (Likelihood::of_targets(f, h), values)
            });
            let Some((next, likelihood, kernel)) = moved else { break };
            theta.values = next;
            at = likelihood;
            values = kernel;
        }
        (theta.values, at.f)
    }
}

/// H̄ = f + yφ(f)/Φ(yf), through the logarithm of Φ.
fn latent(f: &[f64], y: &[f64]) -> Vec<f64> {
    let half_ln_2_pi = 0.5 * (2.0 * std::f64::consts::PI).ln();
    f.iter().zip(y).map(|(f, y)| f + y * (-0.5 * f * f - half_ln_2_pi - log_ndtr(f * y)).exp()).collect()
}

/// (ΦᵀΦ + the precisions)⁻¹Φᵀ(H̄ − b), on the smaller side, and whether it needed help.
fn w_step(values: &Values, signs: &[f64], h: &[f64], bias: f64, w: &[f64], prior: Prior) -> Option<(Vec<f64>, bool)> {
    let effect = Jacobian::without_bias(values, signs);
    let precision = prior.precision(w);
    let all: Vec<usize> = (0..w.len()).collect();
    let (target, ones): (Vec<f64>, Vec<f64>) = h.iter().map(|h| (h - bias, 1.0)).unzip();
    let seen = effect.look(&target, Some(&ones));
    let curvature = hessian(&effect, &seen, &all, &ones, &precision)?;
    let mut moved = seen.gradient;
    curvature.solve(&mut moved);
    Some((moved, curvature.jittered))
}

/// Features' weights with the precision that their values give them.
fn theta_prior(theta: &[f64], prior: Prior) -> Weights {
    Weights {
        values: theta.to_vec(),
        precision: prior.precision(theta),
        steepness: vec![0.0; theta.len()],
        positive_from: 0,
    }
}

impl Stepwise for Run<'_> {
    fn step(&mut self) -> bool {
        self.over = self.over || self.iterate().is_none() || self.trace.len() >= self.options.max_iter;
        self.over
    }

    fn status(&self) -> Status {
        Status {
            iteration: self.trace.len(),
            features: self.left.features.len(),
            samples: self.left.bases.len(),
            evidence: f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::fixtures;
    use crate::machines::fixtures::{Fixture, matrix, numbers};
    use crate::machines::kernel::Shape;
    use crate::numeric::random;
    use rand::RngExt;

    fn near(name: &str, got: &[f64], wanted: &[f64], within: f64) {
        assert_eq!(got.len(), wanted.len(), "{name}");
        for (a, b) in got.iter().zip(wanted) {
            assert!((a - b).abs() < within * (1.0 + b.abs()), "{name}: {a} {b}");
        }
    }

    /// The expectation, the weights' step and the features' objective with its gradient at the fixtures' point.
    #[test]
    fn steps_meet_the_fixtures_at_their_point() {
        let mut met = 0;
        fixtures::each(|Fixture { name, kernel, x, y, json }| {
            let point = &json["point"];
            let Some(objective) = point["em_theta_obj"].as_f64() else { return };
            met += 1;
            let (w, theta) = (numbers(&point["w"]), numbers(&point["theta"]));
            let h = latent(&numbers(&point["f"]), &y);
            near(&format!("{name} H"), &h, &numbers(&point["em_H"]), 1e-9);
            let left = ActiveSet::new(&x, &y, (0..y.len()).collect(), false);
            let values = left.kernel(kernel, &theta);
            let (step, _) = w_step(&values, &left.signs, &h, w[0], &w[1..], Prior::ScaleFree(1.0)).expect("solves");
            near(&format!("{name} w"), &step, &numbers(&point["em_w_step_kap1"]), 1e-8);
            let weights = Weights {
                values: theta.clone(),
                precision: numbers(&point["beta"]),
                steepness: vec![0.0; theta.len()],
                positive_from: 0,
            };
            let effect = left.by_features(kernel, &values, &w[1..]);
            let mut f = Jacobian::without_bias(&values, &left.signs).times(&w[1..]);
            f.iter_mut().for_each(|f| *f += w[0]);
            let at = Likelihood::of_targets(f, &h);
            let quadratic: f64 = theta.iter().zip(&weights.precision).map(|(t, b)| 0.5 * b * t * t).sum();
            near(&format!("{name} objective"), &[quadratic - at.log], &[objective], 1e-9);
            let gradient: Vec<f64> = at.look(&effect, &weights, false).gradient.into_iter().map(|g| -g).collect();
            near(&format!("{name} gradient"), &gradient, &numbers(&point["em_theta_grad"]), 1e-8);
        });
        assert!(met > 0);
    }

    /// The first iteration exactly; the end by its features and its accuracy, as the fixtures' θ step is another one.
    #[test]
    fn runs_meet_the_fixtures() {
        let mut met = 0;
        fixtures::each(|Fixture { name, kernel, x, y, json }| {
            let em = &json["em"];
            let Some(max_iter) = em["options"]["maxit"].as_u64() else { return };
            met += 1;
            let options = Options {
                samples: Prior::ScaleFree(1.0),
                features: Some(Prior::ScaleFree(1.0)),
                signed: false,
                prune_share: 1e-3,
                theta_start: em["options"]["theta0"].as_f64().unwrap_or(1.0 / x.columns() as f64),
                theta_steps: THETA_STEPS,
                max_iter: max_iter as usize,
                tol: 1e-3,
            };
            let mut run = Run::new(kernel, &x, &y, (0..y.len()).collect(), options);
            let h = latent(&run.f, &y);
            near(&name, &h, &numbers(&em["iter0"]["H"]), 1e-9);
            let values = run.left.kernel(kernel, &run.theta);
            let (w, _) = w_step(&values, &run.left.signs, &h, 0.0, &run.w, Prior::ScaleFree(1.0)).expect("solves");
            near(&format!("{name} w"), &w, &numbers(&em["iter0"]["w"]), 1e-8);
            run.step();
            near(&format!("{name} b"), &[run.bias], &[em["iter0"]["b"].as_f64().expect("b")], 1e-8);
            while !run.step() {}
            let kept = run.kept();
            let machine = kept.machine(kernel, &x);
            let (f, _) = machine.ready().predict(&matrix(&json["X_test"]).select_columns(&kept.features));
            let truth = numbers(&json["y_test"]);
            let right = f.iter().zip(&truth).filter(|(f, y)| **f * **y > 0.0).count() as f64 / f.len() as f64;
            let theirs = em["test_accuracy"].as_f64().expect("a number");
            let features: Vec<f64> = kept.features.iter().map(|k| *k as f64).collect();
            assert_eq!(features, numbers(&em["final"]["F"]), "{name}");
            assert!((right - theirs).abs() <= 0.05, "{name}: {right} {theirs}");
        });
        assert!(met > 0);
    }

    fn jcfo(features: bool) -> Options {
        Options {
            samples: Prior::Laplace(0.7),
            features: features.then_some(Prior::Laplace(0.4)),
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
        for shape in [Shape::Linear, Shape::Rbf, Shape::Poly] {
            test(Kernel { shape, degree: 2, scale: 1.0 / 6.0 }, &x, &y);
        }
    }

    fn predicted(kept: &Kept, kernel: Kernel, x: &Matrix) -> Vec<f64> {
        kept.machine(kernel, x).ready().predict(&x.select_columns(&kept.features)).0
    }

    /// Σ −½(h − f)² less the penalty of the precisions, with f from the predicting machine.
    fn expected(kept: &Kept, kernel: Kernel, x: &Matrix, h: &[f64], of_w: &[f64], of_theta: &[f64]) -> f64 {
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
            let mut run = Run::new(kernel, x, y, (0..y.len()).collect(), jcfo(true));
            (0..3).for_each(|_| assert!(!run.step()));
            let h = latent(&run.f, y);
            let [of_w, of_theta] = [(0.7, &run.w), (0.4, &run.theta)]
                .map(|(gamma, weights)| weights.iter().map(|w| gamma / w.abs()).collect::<Vec<f64>>());
            let values = run.left.kernel(kernel, &run.theta);
            let (w, _) = w_step(&values, &run.left.signs, &h, run.bias, &run.w, run.options.samples).expect("solves");
            assert!(w.iter().any(|w| *w < 0.0) && w.iter().any(|w| *w > 0.0), "either sign");
            let with_w = Kept { w: w.clone(), ..run.kept() };
            let mut f = Jacobian::without_bias(&values, &run.left.signs).times(&w);
            f.iter_mut().for_each(|f| *f += run.bias);
            let (theta, _) = run.theta_steps(values, &h, run.bias, &w, Prior::Laplace(0.4), f);
            let with_theta = Kept { theta, ..with_w.clone() };
            let at = |kept: &Kept| expected(kept, kernel, x, &h, &of_w, &of_theta);
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
            let steepest = |kept: &Kept| {
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
    fn posterior(run: &Run, kernel: Kernel, x: &Matrix, y: &[f64]) -> f64 {
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
                let options = Options { max_iter: 60, ..jcfo(features) };
                let mut run = Run::new(kernel, x, y, (0..y.len()).collect(), options);
                let mut before = f64::NEG_INFINITY;
                while !run.step() {
                    let now = posterior(&run, kernel, x, y);
                    assert!(now >= before - 1e-9 * before.abs(), "{kernel:?}, {features}: {before} {now}");
                    before = now;
                }
                assert!(run.trace.len() == 60 && before.is_finite(), "{kernel:?}, {features}");
            }
        });
    }

    /// Where the weights of samples alone are learned, the end is the one mode: the likelihood's slope, by finite
    /// differences, is γ₁ along every weight that is left and no steeper along the others.
    #[test]
    fn the_end_under_a_laplace_prior_is_its_mode() {
        each_kernel(|kernel, x, y| {
            let options = Options { max_iter: 3000, tol: 1e-9, ..jcfo(false) };
            let mut run = Run::new(kernel, x, y, (0..y.len()).collect(), options);
            while !run.step() {}
            let kept = run.kept();
            let mut w = vec![0.0; y.len()];
            kept.bases.iter().zip(&kept.w).for_each(|(&j, v)| w[j] = *v);
            let all = Kept { bases: (0..y.len()).collect(), w, signs: vec![1.0; y.len()], ..kept };
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
}
