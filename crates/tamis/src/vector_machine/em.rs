//! PFCVM by expectation–maximisation (Li & Chen 2014) with the corrections of its errata, and PCVM (Chen, Tino & Yao
//! 2009), which is the same with the features' weights fixed.
//!
//! The sign of a row is that of a latent H ~ N(f, 1). Given H̄, its mean, f is a regression with precisions κ/w² and
//! κ_θ/θ², in turns: w with b as it was, then b, then θ.

use super::curvature::Curvature;
use super::effect::Effect;
use super::kernel::{Kernel, Values};
use super::laplace::BIAS_PRECISION;
use super::left::{Left, survivors};
use super::machine::{Link, Machine};
use super::newton::newton;
use super::point::{Likelihood, Weights};
use super::several::{MachineDetail, Trained};
use super::slate::{Status, Stepwise};
use crate::numeric::linalg::Matrix;
use crate::numeric::special::log_ndtr;

/// The settings of one run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) kappa: f64,
    /// κ_θ; the features' weights stay as they start without it.
    pub(crate) kappa_theta: Option<f64>,
    /// A weight goes when it is below this share of the largest.
    pub(crate) prune_share: f64,
    pub(crate) theta_start: f64,
    pub(crate) max_iter: usize,
    pub(crate) tol: f64,
}

/// Most steps for the features' weights in an iteration.
const THETA_STEPS: usize = 10;
/// The first expectation takes f as this much on the right side.
const FIRST_F: f64 = 2.0;

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
}

impl Kept {
    /// The machine that predicts.
    pub(crate) fn machine(&self, kernel: Kernel, x: &Matrix, y: &[f64]) -> Machine {
        let basis = |&j: &usize| self.features.iter().map(|&k| x.column(k)[j]).collect();
        Machine {
            kernel,
            link: Link::Probit,
            features: self.features.clone(),
            theta: self.theta.clone(),
            bases: self.bases.iter().map(basis).collect(),
            signs: self.bases.iter().map(|&j| y[j]).collect(),
            w: std::iter::once(self.bias).chain(self.w.iter().copied()).collect(),
            covariance: vec![],
        }
    }
}

/// A run from the start.
pub(crate) struct Run<'a> {
    kernel: Kernel,
    options: Options,
    left: Left<'a>,
    bias: f64,
    w: Vec<f64>,
    theta: Vec<f64>,
    /// f of every row; at first on the right side for all.
    f: Vec<f64>,
    pub(crate) trace: Vec<Iteration>,
    pub(crate) converged: bool,
    pub(crate) jittered: bool,
    /// Whether every weight dropped out at once, so that the state before had to stand.
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
            left: Left::new(x, y, bases, false),
            f: y.iter().map(|y| FIRST_F * y).collect(),
            options,
            trace: vec![],
            converged: false,
            jittered: false,
            collapsed: false,
            over: false,
        }
    }

    /// What is kept now.
    pub(crate) fn kept(&self) -> Kept {
        Kept {
            bases: self.left.bases.clone(),
            features: self.left.features.clone(),
            bias: self.bias,
            w: self.w.clone(),
            theta: self.theta.clone(),
        }
    }

    /// What the run came to, for those who did not see it; `None` if to nothing.
    pub(crate) fn trained(&self, x: &Matrix) -> Option<Trained> {
        let kept = self.kept();
        let evidence = self.trace.last().map_or(f64::NEG_INFINITY, |i| i.log_likelihood);
        let detail = MachineDetail {
            log_likelihood: self.trace.iter().map(|i| i.log_likelihood).collect(),
            features_left: self.trace.iter().map(|i| i.features).collect(),
            samples_left: self.trace.iter().map(|i| i.bases).collect(),
            samples: kept.bases.iter().map(|&i| i as u32).collect(),
            ..MachineDetail::default()
        };
        Some(Trained {
            machine: kept.machine(self.kernel, x, self.left.y),
            detail,
            evidence,
            converged: self.converged,
            jittered: self.jittered,
            collapsed: self.collapsed,
        })
    }

    /// One iteration; `None` where arithmetic has come to an end and the last state stands.
    fn iterate(&mut self) -> Option<()> {
        let h = latent(&self.f, self.left.y);
        let values = self.left.kernel(self.kernel, &self.theta);
        let (mut w, jittered) = w_step(&values, &self.left.signs, &h, self.bias, &self.w, self.options.kappa)?;
        self.jittered |= jittered;
        let effect = Effect::without_bias(&values, &self.left.signs);
        let rest: f64 = h.iter().zip(effect.times(&w)).map(|(h, f)| h - f).sum();
        let bias = rest / (h.len() as f64 + BIAS_PRECISION);
        w.iter_mut().for_each(|w| *w = w.max(0.0));
        if !w.iter().any(|w| *w > 0.0 && w.is_finite()) {
            self.collapsed = true;
            return None; // the state before stands
        }
        let mut f = effect.times(&w);
        f.iter_mut().for_each(|f| *f += bias);
        let mut theta = self.theta.clone();
        if let Some(kappa) = self.options.kappa_theta {
            (theta, f) = self.theta_steps(values, &h, bias, &w, kappa, f);
        }
        let log_likelihood: f64 = f.iter().zip(self.left.y).map(|(f, y)| log_ndtr(f * y)).sum();
        if !log_likelihood.is_finite() || !theta.iter().any(|t| *t > 0.0) {
            self.collapsed = true;
            return None;
        }
        // of a linear kernel only w·θ is known: max θ = 1
        let largest = theta.iter().copied().fold(0.0, f64::max);
        let g = if self.kernel.is_linear() && self.options.kappa_theta.is_some() { largest } else { 1.0 };
        theta.iter_mut().for_each(|t| *t /= g);
        w.iter_mut().for_each(|w| *w *= g);
        let norm = |w: &mut dyn Iterator<Item = f64>| w.map(|w| w * w).sum::<f64>().sqrt();
        let moved = norm(&mut w.iter().zip(&self.w).map(|(a, b)| a - b));
        self.converged = moved < self.options.tol * norm(&mut self.w.iter().copied());

        self.trace.push(Iteration { bases: self.left.bases.len(), features: self.left.features.len(), log_likelihood });
        let bases = survivors(&w, self.options.prune_share, |i, _| w[i] > 0.0);
        let features = match self.options.kappa_theta {
            Some(_) => survivors(&theta, self.options.prune_share, |k, _| theta[k] > 0.0),
            None => (0..theta.len()).collect(),
        };
        self.w = bases.iter().map(|&i| w[i]).collect();
        self.theta = features.iter().map(|&i| theta[i]).collect();
        self.left.keep(&bases, &features);
        (self.bias, self.f) = (bias, f);
        (!self.converged).then_some(())
    }

    /// A few Gauss–Newton steps for the features' weights; returns them and f.
    fn theta_steps(
        &self,
        mut values: Values,
        h: &[f64],
        bias: f64,
        w: &[f64],
        kappa: f64,
        f: Vec<f64>,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut theta = theta_prior(&self.theta, kappa);
        let mut at = Likelihood::of_targets(f, h);
        for _ in 0..THETA_STEPS {
            let effect = self.left.by_features(self.kernel, &values, w);
            let moved = newton(&at, &effect, &theta, 0.0, &mut None, |theta| {
                let values = self.left.kernel(self.kernel, theta);
                let mut f = Effect::without_bias(&values, &self.left.signs).times(w);
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

/// (ΦᵀΦ + diag κ/w²)⁻¹Φᵀ(H̄ − b), on the smaller side, and whether it needed help.
fn w_step(values: &Values, signs: &[f64], h: &[f64], bias: f64, w: &[f64], kappa: f64) -> Option<(Vec<f64>, bool)> {
    let effect = Effect::without_bias(values, signs);
    let precision: Vec<f64> = w.iter().map(|w| kappa / (w * w)).collect();
    let all: Vec<usize> = (0..w.len()).collect();
    let (target, ones): (Vec<f64>, Vec<f64>) = h.iter().map(|h| (h - bias, 1.0)).unzip();
    let seen = effect.look(&target, Some(&ones));
    let curvature = Curvature::new(&effect, &seen, &all, &ones, &precision)?;
    let mut moved = seen.gradient;
    curvature.solve(&mut moved);
    Some((moved, curvature.jittered))
}

/// Features' weights with the precision that their values give them.
fn theta_prior(theta: &[f64], kappa: f64) -> Weights {
    Weights {
        values: theta.to_vec(),
        precision: theta.iter().map(|t| kappa / (t * t)).collect(),
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
    use super::super::fixtures::{self, Fixture, matrix, numbers};
    use super::*;

    fn near(name: &str, got: &[f64], wanted: &[f64], within: f64) {
        assert_eq!(got.len(), wanted.len(), "{name}");
        for (a, b) in got.iter().zip(wanted) {
            assert!((a - b).abs() < within * (1.0 + b.abs()), "{name}: {a} {b}");
        }
    }

    /// The expectation, the weights' step and the features' objective with its gradient at the fixtures' point.
    #[test]
    fn steps_meet_the_fixtures_at_their_point() {
        fixtures::each(|Fixture { name, kernel, x, y, json }| {
            let point = &json["point"];
            let Some(objective) = point["em_theta_obj"].as_f64() else { return };
            let (w, theta) = (numbers(&point["w"]), numbers(&point["theta"]));
            let h = latent(&numbers(&point["f"]), &y);
            near(&format!("{name} H"), &h, &numbers(&point["em_H"]), 1e-9);
            let left = Left::new(&x, &y, (0..y.len()).collect(), false);
            let values = left.kernel(kernel, &theta);
            let (step, _) = w_step(&values, &left.signs, &h, w[0], &w[1..], 1.0).expect("solves");
            near(&format!("{name} w"), &step, &numbers(&point["em_w_step_kap1"]), 1e-8);
            let weights = Weights {
                values: theta.clone(),
                precision: numbers(&point["beta"]),
                steepness: vec![0.0; theta.len()],
                positive_from: 0,
            };
            let effect = left.by_features(kernel, &values, &w[1..]);
            let mut f = Effect::without_bias(&values, &left.signs).times(&w[1..]);
            f.iter_mut().for_each(|f| *f += w[0]);
            let at = Likelihood::of_targets(f, &h);
            let quadratic: f64 = theta.iter().zip(&weights.precision).map(|(t, b)| 0.5 * b * t * t).sum();
            near(&format!("{name} objective"), &[quadratic - at.log], &[objective], 1e-9);
            let gradient: Vec<f64> = at.look(&effect, &weights, false).gradient.into_iter().map(|g| -g).collect();
            near(&format!("{name} gradient"), &gradient, &numbers(&point["em_theta_grad"]), 1e-8);
        });
    }

    /// The first iteration exactly; the end by its features and its accuracy, as the fixtures' θ step is another one.
    #[test]
    fn runs_meet_the_fixtures() {
        fixtures::each(|Fixture { name, kernel, x, y, json }| {
            let em = &json["em"];
            let Some(max_iter) = em["options"]["maxit"].as_u64() else { return };
            let options = Options {
                kappa: 1.0,
                kappa_theta: Some(1.0),
                prune_share: 1e-3,
                theta_start: em["options"]["theta0"].as_f64().unwrap_or(1.0 / x.columns() as f64),
                max_iter: max_iter as usize,
                tol: 1e-3,
            };
            let mut run = Run::new(kernel, &x, &y, (0..y.len()).collect(), options);
            let h = latent(&run.f, &y);
            near(&name, &h, &numbers(&em["iter0"]["H"]), 1e-9);
            let values = run.left.kernel(kernel, &run.theta);
            let (w, _) = w_step(&values, &run.left.signs, &h, 0.0, &run.w, 1.0).expect("solves");
            near(&format!("{name} w"), &w, &numbers(&em["iter0"]["w"]), 1e-8);
            run.step();
            near(&format!("{name} b"), &[run.bias], &[em["iter0"]["b"].as_f64().expect("b")], 1e-8);
            while !run.step() {}
            let kept = run.kept();
            let machine = kept.machine(kernel, &x, &y);
            let (f, _) = machine.ready().predict(&matrix(&json["X_test"]).select_columns(&kept.features));
            let truth = numbers(&json["y_test"]);
            let right = f.iter().zip(&truth).filter(|(f, y)| **f * **y > 0.0).count() as f64 / f.len() as f64;
            let theirs = em["test_accuracy"].as_f64().expect("a number");
            let features: Vec<f64> = kept.features.iter().map(|k| *k as f64).collect();
            assert_eq!(features, numbers(&em["final"]["F"]), "{name}");
            assert!((right - theirs).abs() <= 0.05, "{name}: {right} {theirs}");
        });
    }
}
