//! One run by Laplace approximation.

use crate::machines::active_set::{ActiveSet, survivors};
use crate::machines::block::MANY_ROWS;
use crate::machines::generalisation;
use crate::machines::kernel::{Kernel, KernelValues};
use crate::machines::laplace::fitted_weights::{Checkpoint, FittedWeights};
use crate::machines::laplace::options::{LaplaceOptions, Truncation};
use crate::machines::log_posterior::{BIAS_PRECISION, Likelihood, PosteriorCurvature, Weights};
use crate::machines::newton::{Ascent, Known, newton};
use crate::machines::screen::favoured_weights;
use crate::machines::solver::{Objective, RunRecord, Solver};
use crate::machines::training_run::TrainingRun;
use crate::numeric::linalg::Matrix;

/// Most Newton steps for the samples' weights in an iteration.
const W_STEPS: usize = 25;
/// Iterations before it may stop, and how often in a row the evidence must stand still.
const LEAST_ITERATIONS: usize = 5;
const PATIENCE: usize = 3;
/// Rows from which an iteration is worth interrupting.
const IN_STEPS: usize = 20_000;

/// A run from one start.
pub(crate) struct LaplaceSolver<'a> {
    kernel: Kernel,
    options: LaplaceOptions,
    active: ActiveSet<'a>,
    w: Weights,
    theta: Weights,
    /// The state that stands if the next iteration fails: as it was before the last gauge.
    good: Option<Checkpoint>,
    record: RunRecord,
    still: usize,
    under_way: Option<UnderWay>,
    carried: Carried,
    #[cfg(test)]
    history: Vec<History>,
}

/// An iteration under way.
struct UnderWay {
    values: KernelValues,
    at: Likelihood,
    known: Known,
    stage: Stage,
}

/// What the next iteration need not compute again.
#[derive(Default)]
struct Carried {
    /// The kernel, where no feature was pruned.
    values: Option<KernelValues>,
    /// The likelihood, where nothing was pruned.
    at: Option<Likelihood>,
    /// The curvature of the samples' weights that were kept: what was pruned had next to no effect.
    gram: Option<Matrix>,
}

/// What comes next in an iteration.
enum Stage {
    /// A Newton step for the samples' weights, after so many.
    Samples(usize),
    /// A Gauss–Newton step for the features' weights, after so many.
    Features(usize),
    /// Precisions are estimated anew, and weights are pruned.
    Precisions,
}

/// The weights and how well each is determined, for tests.
#[cfg(test)]
struct History {
    gamma: [Vec<f64>; 2],
    weights: [Vec<f64>; 2],
}

impl<'a> LaplaceSolver<'a> {
    /// `x` has a standardised row per sample, `bases` says which rows are candidates.
    pub(crate) fn new(
        kernel: Kernel,
        x: &'a Matrix,
        y: &'a [f64],
        bases: Vec<usize>,
        options: LaplaceOptions,
    ) -> LaplaceSolver<'a> {
        let (m, k) = (bases.len(), x.n_columns());
        let weights = |start: f64, size: usize, positive_from: usize| Weights {
            values: vec![start; size],
            precision: vec![1.0; size],
            steepness: vec![0.0; size],
            positive_from,
        };
        let mut w = weights(if options.signed { 0.0 } else { 1.0 }, m + 1, if options.signed { m + 1 } else { 1 });
        (w.values[0], w.precision[0]) = (0.0, BIAS_PRECISION);
        let mut theta = weights(options.theta_start, k, 0);
        if let Some(favoured) = options.screened.then(|| favoured_weights(x, y)).flatten() {
            // a prior as wide as the start: one of precision 1 would pull weights of some hundred back at the first step
            theta.precision = favoured.iter().map(|t| 1.0 / (t * t)).collect();
            theta.values = favoured;
        }
        let active = ActiveSet::new(x, y, bases, options.signed);
        let mut run = LaplaceSolver {
            kernel,
            w,
            theta,
            good: None,
            record: RunRecord::new(m, k, options.max_iter),
            options,
            active,
            still: 0,
            under_way: None,
            carried: Carried::default(),
            #[cfg(test)]
            history: vec![],
        };
        run.steepen();
        run
    }

    /// The steepness of the truncation follows the precision.
    fn steepen(&mut self) {
        for weights in [&mut self.w, &mut self.theta] {
            for at in weights.positive_from..weights.values.len() {
                weights.steepness[at] = match self.options.truncation {
                    Truncation::Relative => 5.0 * weights.precision[at].sqrt(),
                    Truncation::Hard => 0.0,
                    Truncation::Paper => 5.0,
                };
            }
        }
    }

    /// α = (γ + 2c)/w², β = (γ + 2c)/θ².
    fn reestimate(&mut self, gamma: &[Vec<f64>; 2]) {
        for (at, (weights, from)) in [(&mut self.w, 1), (&mut self.theta, 0)].into_iter().enumerate() {
            for i in from..gamma[at].len() {
                let square = weights.values[i] * weights.values[i];
                weights.precision[i] = (gamma[at][i] + 2.0 * self.options.strictness[at]) / square.max(1e-200);
            }
        }
    }

    /// Prunes weights that are numerically zero, but keeps the last sample and the last feature.
    /// Returns which weights of samples, the bias among them, and of features were kept.
    fn prune(&mut self, values: KernelValues, at: Likelihood, gram: Option<Matrix>) -> (Vec<usize>, Vec<usize>) {
        let options = &self.options;
        let survive = |weights: &Weights, from: usize| {
            survivors(&weights.values[from..], options.prune_share, |i, largest| {
                let unit = if options.prune_relative { largest * largest } else { 1.0 };
                weights.precision[from + i] * unit <= options.prune_precision
            })
        };
        let samples = survive(&self.w, 1);
        let features = if options.features { survive(&self.theta, 0) } else { (0..self.theta.values.len()).collect() };
        let weights: Vec<usize> = std::iter::once(0).chain(samples.iter().map(|i| i + 1)).collect();
        self.w.keep(&weights);
        self.theta.keep(&features);
        if options.signed {
            self.w.positive_from = self.w.values.len();
        }
        let unpruned = [samples.len() == self.active.bases.len(), features.len() == self.active.features.len()];
        // of few rows little is saved; the gauge moves the weights of a linear kernel
        let values = (self.active.y.len() > MANY_ROWS && !self.kernel.is_linear()).then_some(values);
        self.carried.gram = gram.filter(|_| values.is_some()).map(|gram| lower_half_of(&gram, &weights));
        let values = values.filter(|_| unpruned[1]); // frees its memory where the features' weights are gathered anew
        self.active.keep(&samples, &features);
        self.carried.at = (unpruned[0] && values.is_some()).then_some(at);
        self.carried.values = match values {
            Some(values) if !unpruned[0] => self.active.kept_kernel(values, &samples),
            values => values,
        };
        self.record.pruned(self.active.bases.len(), self.active.features.len());
        self.steepen();
        (weights, features)
    }

    /// Of a linear kernel only w·θ is known: max θ = 1.
    fn gauge(&mut self) {
        let g = self.theta.values.iter().copied().fold(0.0, f64::max);
        if !self.options.gauge || !self.options.features || !self.kernel.is_linear() || g <= 0.0 {
            return;
        }
        self.theta.values.iter_mut().for_each(|t| *t /= g);
        self.theta.precision.iter_mut().for_each(|b| *b *= g * g);
        self.w.values[1..].iter_mut().for_each(|w| *w *= g);
        self.w.precision[1..].iter_mut().for_each(|a| *a /= g * g);
        self.steepen();
    }

    /// One step of an iteration; whether that was its last. `None` where no iteration can follow.
    fn advance(&mut self) -> Option<bool> {
        let Some(mut now) = self.under_way.take() else {
            self.under_way = Some(self.begin());
            return Some(false);
        };
        match now.stage {
            Stage::Samples(steps) if steps < W_STEPS => {
                now.stage = if self.w_step(&mut now) { Stage::Samples(steps + 1) } else { Stage::Features(0) };
            }
            Stage::Samples(_) => now.stage = Stage::Features(0),
            Stage::Features(steps) if self.options.features && steps < self.options.theta_steps => {
                now.stage = if self.theta_step(&mut now) { Stage::Features(steps + 1) } else { Stage::Precisions };
            }
            Stage::Features(_) => now.stage = Stage::Precisions,
            Stage::Precisions => return self.conclude(now).map(|()| true),
        }
        self.under_way = Some(now);
        Some(false)
    }

    /// The start of an iteration.
    fn begin(&mut self) -> UnderWay {
        let Carried { values, at, gram } = std::mem::take(&mut self.carried);
        let values = values.unwrap_or_else(|| self.active.kernel(self.kernel, &self.theta.values));
        let likelihood = || Likelihood::at(self.active.by_samples(&values).times(&self.w.values), self.active.y);
        let at = at.unwrap_or_else(likelihood);
        UnderWay { values, at, known: Known::with_gram(gram), stage: Stage::Samples(0) }
    }

    /// A Newton step for the samples' weights and the bias; whether they moved.
    fn w_step(&mut self, now: &mut UnderWay) -> bool {
        let effect = self.active.by_samples(&now.values);
        let others = self.theta.log_prior();
        let moved = newton(&now.at, &effect, &self.w, others, &mut now.known, |w| {
            (Likelihood::at(effect.times(w), self.active.y), ())
        });
        let Some((values, likelihood, ())) = moved else { return false };
        self.w.values = values;
        now.at = likelihood;
        true
    }

    /// The end of an iteration: evidence, precisions, pruning. `None` after the last.
    fn conclude(&mut self, now: UnderWay) -> Option<()> {
        let UnderWay { values, at, .. } = now;
        let (by_w, gram) = at.full_curvature(&self.active.by_samples(&values), &self.w)?;
        let mut gamma = [determined(&by_w, &self.w), vec![]];
        let mut evidence = at.log + self.w.log_prior() - 0.5 * by_w.curvature.log_determinant;
        self.record.jittered |= by_w.curvature.jittered;
        if self.options.features {
            let features = self.active.by_features(self.kernel, &values, &self.w.values[1..]);
            let (by_theta, _) = at.full_curvature(&features, &self.theta)?;
            gamma[1] = determined(&by_theta, &self.theta);
            evidence += self.theta.log_prior() - 0.5 * by_theta.curvature.log_determinant;
            self.record.jittered |= by_theta.curvature.jittered;
        }
        if !evidence.is_finite() {
            return None;
        }
        let before = self.record.last();
        self.record.push(evidence);
        #[cfg(test)]
        self.history
            .push(History { gamma: gamma.clone(), weights: [self.w.values.clone(), self.theta.values.clone()] });
        let stands = before.is_some_and(|before| (evidence - before).abs() < self.options.tol * (1.0 + evidence.abs()));
        self.still = if stands { self.still + 1 } else { 0 };
        let (mut w, mut theta) = (self.w.clone(), self.theta.clone());
        self.reestimate(&gamma);
        let (kept_w, kept_theta) = self.prune(values, at, gram);
        w.keep(&kept_w);
        theta.keep(&kept_theta);
        self.good =
            Some(Checkpoint { bases: self.active.bases.clone(), features: self.active.features.clone(), w, theta });
        if self.still >= PATIENCE && self.record.len() >= LEAST_ITERATIONS {
            self.record.converged = true;
            return None;
        }
        self.gauge();
        Some(())
    }

    /// The weights of the last good state and the posterior around them; `None` if there is none that can predict.
    fn fitted(&self, x: &Matrix) -> Option<FittedWeights> {
        self.good.as_ref()?.fit(x, self.active.y, self.kernel, &self.options)
    }

    /// One Gauss–Newton step for the features' weights; whether they moved.
    fn theta_step(&mut self, now: &mut UnderWay) -> bool {
        let (w, others, known) = (&self.w.values, self.w.log_prior(), &mut Known::default());
        let effect = self.active.by_features(self.kernel, &now.values, &w[1..]);
        let Some(ascent) = Ascent::new(&now.at, &effect, &self.theta, others, known) else { return false };
        let moved = if self.kernel.is_linear() {
            // f = b + Dθ: no kernel is needed to know f
            let attempt = |theta: &[f64]| {
                let f = effect.times(theta).into_iter().map(|f| f + w[0]).collect();
                (Likelihood::at(f, self.active.y), ())
            };
            let moved = ascent.along(&self.theta, known, attempt);
            moved.map(|(theta, at, ())| (self.active.kernel(self.kernel, &theta), theta, at))
        } else {
            now.values.forget(); // room for the kernels of the attempts
            let attempt = |theta: &[f64]| {
                let kernel = self.active.kernel(self.kernel, theta);
                let f = self.active.by_samples(&kernel).times(w);
                (Likelihood::at(f, self.active.y), kernel)
            };
            let moved = ascent.along(&self.theta, known, attempt);
            if moved.is_none() {
                now.values = self.active.kernel(self.kernel, &self.theta.values);
            }
            moved.map(|(theta, at, kernel)| (kernel, theta, at))
        };
        let Some((values, theta, at)) = moved else { return false };
        self.theta.values = theta;
        (now.values, now.at) = (values, at);
        true
    }
}

impl Solver for LaplaceSolver<'_> {
    const OBJECTIVE: Objective = Objective::Evidence;

    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    /// Of many rows only a step of the iteration, so that a run can be cancelled within it.
    fn iterate(&mut self) -> Option<()> {
        let in_steps = self.active.y.len() > IN_STEPS;
        while !self.advance()? {
            if in_steps {
                break;
            }
        }
        Some(())
    }

    fn trained(&self, x: &Matrix) -> Option<TrainingRun> {
        let fitted = self.fitted(x)?;
        let machine = fitted.machine(self.kernel, x, self.active.y, self.options.signed);
        let collapsed = !self.record.converged && self.record.len() < self.options.max_iter;
        let mut run = self.record.training_run::<Self>(machine, &fitted.bases, collapsed);
        run.detail.generalisation = self.options.features.then(|| generalisation::diagnostics(&fitted, self.active.y));
        Some(run.checked(&fitted.f))
    }
}

/// The lower half of a symmetric matrix over only these of its rows and columns, which go up.
fn lower_half_of(gram: &Matrix, kept: &[usize]) -> Matrix {
    Matrix::from_columns(kept.len(), kept.len(), |k, out| {
        (k..kept.len()).for_each(|i| out[i] = gram.column(kept[k])[kept[i]]);
    })
}

fn determined(slope: &PosteriorCurvature, weights: &Weights) -> Vec<f64> {
    slope.determined(weights, &slope.curvature.shares())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::fixtures::{self, Fixture, matrix, numbers};
    use serde_json::Value;

    fn options(set: &Value) -> LaplaceOptions {
        let number = |key: &str| set[key].as_f64().expect("a number");
        LaplaceOptions {
            truncation: match set["lam_mode"].as_str().expect("a mode") {
                "rel" => Truncation::Relative,
                "hard" => Truncation::Hard,
                _ => Truncation::Paper,
            },
            strictness: [number("ca"), number("cb")],
            prune_precision: number("prune_b"),
            prune_relative: set["relative"].as_bool().expect("a flag"),
            prune_share: number("w_min"),
            max_iter: set["maxit"].as_u64().expect("a count") as usize,
            tol: number("tol"),
            gauge: set["gauge"].as_bool().expect("a flag"),
            ..LaplaceOptions::default()
        }
    }

    fn near(what: &str, got: &[f64], wanted: &Value) {
        let wanted = numbers(wanted);
        assert_eq!(got.len(), wanted.len(), "{what}");
        for (a, b) in got.iter().zip(wanted) {
            assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{what}: {a} {b}");
        }
    }

    /// With a hard cut the fixtures leave out the ln 2 of every weight kept, and may stop one iteration earlier.
    fn check_path(name: &str, run: &LaplaceSolver, wanted: &Value, hard: bool) {
        let iterations = &run.record.iterations;
        let wanted_iterations = wanted["iterations"].as_u64().expect("a count") as usize;
        let more = iterations.len().checked_sub(wanted_iterations);
        assert!(more.is_some_and(|more| more <= usize::from(hard)), "{name}: {}", iterations.len());
        for (got, key) in run.history.iter().zip(["iter0_at_mode", "iter1_at_mode"]) {
            let wanted = &wanted[key];
            near(&format!("{name} w"), &got.weights[0], &wanted["w"]);
            near(&format!("{name} theta"), &got.weights[1], &wanted["theta"]);
            near(&format!("{name} gamma_w"), &got.gamma[0], &wanted["gamma_w"]);
            near(&format!("{name} gamma_theta"), &got.gamma[1], &wanted["gamma_theta"]);
        }
        for (at, evidence) in numbers(&wanted["evidence_path"]).into_iter().enumerate() {
            let got = &iterations[at];
            let extra = if hard { (got.bases + got.features) as f64 * std::f64::consts::LN_2 } else { 0.0 };
            let apart = (got.objective - extra - evidence).abs();
            assert!(apart < 1e-5 * (1.0 + evidence.abs()), "{name}, iteration {at}");
            assert_eq!(wanted["n_samples_path"][at], got.bases, "{name}, iteration {at}");
            assert_eq!(wanted["n_features_path"][at], got.features, "{name}, iteration {at}");
        }
    }

    #[test]
    fn paths_and_end_states_of_the_fixtures() {
        fixtures::each(|Fixture { name, kernel, x, y, json: fixture }| {
            let lp = &fixture["lp"];
            let options = options(&lp["options"]);
            let hard = options.truncation == Truncation::Hard;
            let mut run = LaplaceSolver::new(kernel, &x, &y, (0..y.len()).collect(), options);
            while !run.step() {}
            assert!(run.record.len() >= 2, "{name}");
            check_path(&name, &run, lp, hard);
            let fitted = run.fitted(&x).expect("an end");
            let end = &lp["final"];
            let places = |wanted: &Value| numbers(wanted).iter().map(|i| *i as usize).collect::<Vec<_>>();
            assert_eq!(fitted.bases, places(&end["S"]), "{name}");
            assert_eq!(fitted.features, places(&end["F"]), "{name}");
            if !hard {
                near(&format!("{name} end w"), &fitted.w, &end["w"]);
                near(&format!("{name} end theta"), &fitted.theta, &end["theta"]);
                for (k, row) in end["Sigma_w"].as_array().expect("rows").iter().enumerate() {
                    near(&format!("{name} Sigma"), fitted.covariance.column(k), row);
                }
                let machine = fitted.machine(kernel, &x, &y, false);
                let (f, p) = machine.prepare().predict(&matrix(&fixture["X_test"]).select_columns(&fitted.features));
                near(&format!("{name} test f"), &f, &lp["test_f"]);
                near(&format!("{name} test p"), &p, &lp["test_p"]);
            }
        });
    }
}
