//! One run by expectation–maximisation.

use crate::machines::active_set::{ActiveSet, survivors};
use crate::machines::em::options::{EmOptions, WeightPrior};
use crate::machines::em::steps::{latent, theta_prior, w_step};
use crate::machines::jacobian::Jacobian;
use crate::machines::kernel::{Kernel, KernelValues};
use crate::machines::log_posterior::{BIAS_PRECISION, Likelihood};
use crate::machines::machine::{Link, Machine};
use crate::machines::newton::{Known, newton};
use crate::machines::solver::{Objective, RunRecord, Solver};
use crate::machines::training_run::TrainingRun;
use crate::numeric::linalg::Matrix;
use crate::numeric::special::log_ndtr;

/// The first expectation takes f as this much on the right side.
const FIRST_F: f64 = 2.0;

/// Where f differs less between rows, weights of either sign have faded.
const FLAT: f64 = 1e-6;

/// Bases and features that are kept, with their weights.
#[derive(Debug, Clone)]
pub(crate) struct KeptWeights {
    pub(crate) bases: Vec<usize>,
    pub(crate) features: Vec<usize>,
    pub(crate) bias: f64,
    pub(crate) w: Vec<f64>,
    pub(crate) theta: Vec<f64>,
    /// The sign of each basis.
    pub(crate) signs: Vec<f64>,
}

impl KeptWeights {
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
pub(crate) struct EmSolver<'a> {
    kernel: Kernel,
    pub(super) options: EmOptions,
    pub(super) active: ActiveSet<'a>,
    pub(super) bias: f64,
    pub(super) w: Vec<f64>,
    pub(super) theta: Vec<f64>,
    /// f of every row; at first on the right side for all.
    pub(super) f: Vec<f64>,
    record: RunRecord,
    /// Whether every weight dropped out at once, so that the state before had to stand, or faded.
    collapsed: bool,
}

impl<'a> EmSolver<'a> {
    /// `x` has a standardised row per sample, `bases` says which rows are candidates.
    pub(crate) fn new(
        kernel: Kernel,
        x: &'a Matrix,
        y: &'a [f64],
        bases: Vec<usize>,
        options: EmOptions,
    ) -> EmSolver<'a> {
        let active = ActiveSet::new(x, y, bases, options.signed);
        EmSolver {
            kernel,
            bias: 0.0,
            w: vec![1.0; active.bases.len()],
            theta: vec![options.theta_start; x.n_columns()],
            f: y.iter().map(|y| FIRST_F * y).collect(),
            record: RunRecord::new(active.bases.len(), x.n_columns(), options.max_iter),
            active,
            options,
            collapsed: false,
        }
    }

    /// The bases and features kept so far.
    pub(crate) fn kept(&self) -> KeptWeights {
        KeptWeights {
            bases: self.active.bases.clone(),
            features: self.active.features.clone(),
            bias: self.bias,
            w: self.w.clone(),
            theta: self.theta.clone(),
            signs: self.active.signs.clone(),
        }
    }

    /// The factor that divides θ and multiplies w: with a linear kernel the data determine only w·θ. A prior without a
    /// scale leaves it to us, max θ = 1; Laplace's are at their best where γ₁Σ|w| = γ₂Σθ.
    fn gauge(&self, w: &[f64], theta: &[f64]) -> f64 {
        match (self.options.samples, self.options.features) {
            _ if !self.kernel.is_linear() => 1.0,
            (_, None) => 1.0,
            (WeightPrior::Laplace(of_w), Some(WeightPrior::Laplace(of_theta))) => {
                let sum = |weights: &[f64]| weights.iter().map(|w| w.abs()).sum::<f64>();
                (of_theta * sum(theta) / (of_w * sum(w))).sqrt()
            }
            _ => theta.iter().copied().fold(0.0, f64::max),
        }
    }

    /// A few Gauss–Newton steps for the features' weights; returns them and f.
    pub(super) fn theta_steps(
        &self,
        mut values: KernelValues,
        h: &[f64],
        bias: f64,
        w: &[f64],
        prior: WeightPrior,
        f: Vec<f64>,
    ) -> (Vec<f64>, Vec<f64>) {
        let mut theta = theta_prior(&self.theta, prior);
        let mut at = Likelihood::of_targets(f, h);
        for _ in 0..self.options.theta_steps {
            let effect = self.active.by_features(self.kernel, &values, w);
            let moved = newton(&at, &effect, &theta, 0.0, &mut Known::default(), |theta| {
                let values = self.active.kernel(self.kernel, theta);
                let mut f = Jacobian::without_bias(&values, &self.active.signs).times(w);
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

impl Solver for EmSolver<'_> {
    const OBJECTIVE: Objective = Objective::LogLikelihood;

    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    fn iterate(&mut self) -> Option<()> {
        let h = latent(&self.f, self.active.y);
        let values = self.active.kernel(self.kernel, &self.theta);
        let (mut w, jittered) = w_step(&values, &self.active.signs, &h, self.bias, &self.w, self.options.samples)?;
        self.record.jittered |= jittered;
        let effect = Jacobian::without_bias(&values, &self.active.signs);
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
        let log_likelihood: f64 = f.iter().zip(self.active.y).map(|(f, y)| log_ndtr(f * y)).sum();
        if !log_likelihood.is_finite() || !theta.iter().any(|t| *t > 0.0) {
            self.collapsed = true;
            return None;
        }
        let g = self.gauge(&w, &theta);
        theta.iter_mut().for_each(|t| *t /= g);
        w.iter_mut().for_each(|w| *w *= g);
        let norm = |w: &mut dyn Iterator<Item = f64>| w.map(|w| w * w).sum::<f64>().sqrt();
        let moved = norm(&mut w.iter().zip(&self.w).map(|(a, b)| a - b));
        self.record.converged = moved < self.options.tol * norm(&mut self.w.iter().copied());

        self.record.push(log_likelihood);
        let bases = survivors(&w, self.options.prune_share, |i, _| w[i] != 0.0);
        let features = match self.options.features {
            Some(_) => survivors(&theta, self.options.prune_share, |k, _| theta[k] > 0.0),
            None => (0..theta.len()).collect(),
        };
        self.w = bases.iter().map(|&i| w[i]).collect();
        self.theta = features.iter().map(|&i| theta[i]).collect();
        self.active.keep(&bases, &features);
        self.record.pruned(self.active.bases.len(), self.active.features.len());
        if self.options.signed {
            let (low, high) = f.iter().fold((f64::MAX, f64::MIN), |(low, high), f| (f.min(low), f.max(high)));
            self.collapsed = high - low < FLAT && (bias - self.bias).abs() < FLAT;
        }
        (self.bias, self.f) = (bias, f);
        (!self.record.converged && !self.collapsed).then_some(())
    }

    fn trained(&self, x: &Matrix) -> Option<TrainingRun> {
        let kept = self.kept();
        let run = self.record.training_run::<Self>(kept.machine(self.kernel, x), &kept.bases, self.collapsed);
        Some(run.checked(&self.f))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::em::steps::tests::near;
    use crate::machines::fixtures::{self, Fixture, matrix, numbers};

    /// The first iteration exactly; the end by its features and its accuracy, as the fixtures' θ step is another one.
    #[test]
    fn runs_meet_the_fixtures() {
        let mut met = 0;
        fixtures::each(|Fixture { name, kernel, x, y, json }| {
            let em = &json["em"];
            let Some(max_iter) = em["options"]["maxit"].as_u64() else { return };
            met += 1;
            let options = EmOptions {
                theta_start: em["options"]["theta0"].as_f64().unwrap_or(1.0 / x.n_columns() as f64),
                ..EmOptions::new(
                    WeightPrior::ScaleFree(1.0),
                    Some(WeightPrior::ScaleFree(1.0)),
                    1e-3,
                    max_iter as usize,
                )
            };
            let mut run = EmSolver::new(kernel, &x, &y, (0..y.len()).collect(), options);
            let h = latent(&run.f, &y);
            near(&name, &h, &numbers(&em["iter0"]["H"]), 1e-9);
            let values = run.active.kernel(kernel, &run.theta);
            let (w, _) =
                w_step(&values, &run.active.signs, &h, 0.0, &run.w, WeightPrior::ScaleFree(1.0)).expect("solves");
            near(&format!("{name} w"), &w, &numbers(&em["iter0"]["w"]), 1e-8);
            run.step();
            near(&format!("{name} b"), &[run.bias], &[em["iter0"]["b"].as_f64().expect("b")], 1e-8);
            while !run.step() {}
            let kept = run.kept();
            let machine = kept.machine(kernel, &x);
            let (f, _) = machine.prepare().predict(&matrix(&json["X_test"]).select_columns(&kept.features));
            let truth = numbers(&json["y_test"]);
            let right = f.iter().zip(&truth).filter(|(f, y)| **f * **y > 0.0).count() as f64 / f.len() as f64;
            let theirs = em["test_accuracy"].as_f64().expect("a number");
            let features: Vec<f64> = kept.features.iter().map(|k| *k as f64).collect();
            assert_eq!(features, numbers(&em["final"]["F"]), "{name}");
            assert!((right - theirs).abs() <= 0.05, "{name}: {right} {theirs}");
        });
        assert!(met > 0);
    }
}
