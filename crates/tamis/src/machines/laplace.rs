//! Type-II maximum likelihood over the precisions of samples and features by Laplace approximation: PFCVM-LP
//! (Jiang, Li, de Rijke, Yao & Chen 2019) with the corrections of its errata and, with features fixed and weights of
//! either sign, the relevance vector machine (Tipping 2001).

use crate::machines::active_set::{ActiveSet, survivors};
use crate::machines::generalisation;
use crate::machines::jacobian::Jacobian;
use crate::machines::kernel::{Kernel, Values};
use crate::machines::log_posterior::{Likelihood, Slope, Weights};
use crate::machines::machine::{Link, Machine};
use crate::machines::newton::newton;
use crate::machines::one_vs_rest::TrainingRun;
use crate::machines::run_many::{Status, Stepwise};
use crate::numeric::linalg::Matrix;
use crate::selection::detail::MachineDetail;

/// How weights are kept from being negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Truncation {
    /// σ(5√precision·x): as steep as the prior is narrow.
    Relative,
    /// Cut off at zero, and no more.
    Hard,
    /// σ(5x), as in the paper.
    Paper,
}

/// The settings of one run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) truncation: Truncation,
    /// Added to γ/2 of the samples' and of the features' precision: larger leaves fewer.
    pub(crate) strictness: [f64; 2],
    /// A weight goes when its precision times the square of the largest weight exceeds this.
    pub(crate) prune_precision: f64,
    /// Whether that square is taken; otherwise the precision itself counts, as in the paper.
    pub(crate) prune_relative: bool,
    /// A weight goes when it is below this share of the largest.
    pub(crate) prune_share: f64,
    pub(crate) max_iter: usize,
    pub(crate) tol: f64,
    pub(crate) theta_steps: usize,
    pub(crate) theta_start: f64,
    /// Whether the scale of a linear kernel, which only w·θ fixes, is kept at max θ = 1.
    pub(crate) gauge: bool,
    /// Whether the features' weights are learned; they stay as they start otherwise.
    pub(crate) features: bool,
    /// Whether the samples' weights may be negative.
    pub(crate) signed: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            truncation: Truncation::Relative,
            strictness: [0.0, 0.5],
            prune_precision: 1e6,
            prune_relative: true,
            prune_share: 1e-3,
            max_iter: 200,
            tol: 1e-5,
            theta_steps: 1,
            theta_start: 1.0,
            gauge: true,
            features: true,
            signed: false,
        }
    }
}

/// The precision of the bias, which is not estimated: it can run away.
pub(crate) const BIAS_PRECISION: f64 = 1e-3;
/// Most Newton steps for the samples' weights in an iteration.
const W_STEPS: usize = 25;
/// Iterations before it may stop, and how often in a row the evidence must stand still.
const LEAST_ITERATIONS: usize = 5;
const PATIENCE: usize = 3;

/// The state of an iteration, before anything was pruned.
#[derive(Debug, Clone)]
pub(crate) struct Iteration {
    pub(crate) bases: usize,
    pub(crate) features: usize,
    pub(crate) evidence: f64,
    #[cfg(test)]
    pub(crate) gamma: [Vec<f64>; 2],
    #[cfg(test)]
    pub(crate) weights: [Vec<f64>; 2],
}

/// A run from one start.
pub(crate) struct Run<'a> {
    kernel: Kernel,
    options: Options,
    left: ActiveSet<'a>,
    w: Weights,
    theta: Weights,
    /// The state that stands if the next iteration fails: as it was before the last gauge.
    good: Option<Good>,
    pub(crate) trace: Vec<Iteration>,
    pub(crate) converged: bool,
    /// Whether a factorisation needed help on the way.
    pub(crate) jittered: bool,
    still: usize,
    over: bool,
}

/// Kept bases and features with their weights, and the precisions those weights were found with.
struct Good {
    bases: Vec<usize>,
    features: Vec<usize>,
    w: Weights,
    theta: Weights,
}

/// The result of one run.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    /// Positions of the kept bases and features.
    pub(crate) bases: Vec<usize>,
    pub(crate) features: Vec<usize>,
    /// The bias, then a weight per kept basis.
    pub(crate) w: Vec<f64>,
    pub(crate) theta: Vec<f64>,
    /// The posterior covariance of `w`, and the posterior variances of `theta` (empty where they were not learned).
    pub(crate) covariance: Matrix,
    pub(crate) theta_variances: Vec<f64>,
    /// f of every row.
    pub(crate) f: Vec<f64>,
    /// The posterior variance of f of every row.
    pub(crate) f_variances: Vec<f64>,
}

impl Fitted {
    /// The machine that predicts.
    pub(crate) fn machine(&self, kernel: Kernel, x: &Matrix, y: &[f64], signed: bool) -> Machine {
        let basis = |&j: &usize| self.features.iter().map(|&k| x.column(k)[j]).collect();
        Machine {
            kernel,
            link: Link::Logistic,
            features: self.features.clone(),
            theta: self.theta.clone(),
            bases: self.bases.iter().map(basis).collect(),
            signs: self.bases.iter().map(|&j| if signed { 1.0 } else { y[j] }).collect(),
            w: self.w.clone(),
            covariance: (0..self.w.len()).map(|i| self.covariance.column(i).to_vec()).collect(),
        }
    }
}

impl<'a> Run<'a> {
    /// `x` has a standardised row per sample, `bases` says which rows are candidates.
    pub(crate) fn new(kernel: Kernel, x: &'a Matrix, y: &'a [f64], bases: Vec<usize>, options: Options) -> Run<'a> {
        let (m, k) = (bases.len(), x.columns());
        let weights = |start: f64, size: usize, positive_from: usize| Weights {
            values: vec![start; size],
            precision: vec![1.0; size],
            steepness: vec![0.0; size],
            positive_from,
        };
        let mut w = weights(if options.signed { 0.0 } else { 1.0 }, m + 1, if options.signed { m + 1 } else { 1 });
        (w.values[0], w.precision[0]) = (0.0, BIAS_PRECISION);
        let theta = weights(options.theta_start, k, 0);
        let left = ActiveSet::new(x, y, bases, options.signed);
        let mut run = Run {
            kernel,
            options,
            left,
            w,
            theta,
            good: None,
            trace: vec![],
            converged: false,
            jittered: false,
            still: 0,
            over: false,
        };
        run.steepen();
        run
    }

    /// One iteration; `None` after a numerical breakdown, when the last good state is final.
    fn iterate(&mut self) -> Option<()> {
        let mut values = self.left.kernel(self.kernel, &self.theta.values);
        let mut at = self.w_steps(&values);
        if self.options.features {
            for _ in 0..self.options.theta_steps {
                match self.theta_step(&values, &at) {
                    Some((moved, likelihood, kernel)) => {
                        self.theta.values = moved;
                        at = likelihood;
                        values = kernel;
                    }
                    None => break,
                }
            }
        }
        let by_w = at.full_slope(&self.left.by_samples(&values), &self.w)?;
        let mut gamma = [determined(&by_w, &self.w), vec![]];
        let mut evidence = at.log + self.w.log_prior() - 0.5 * by_w.curvature.log_determinant;
        self.jittered |= by_w.curvature.jittered;
        if self.options.features {
            let features = self.left.by_features(self.kernel, &values, &self.w.values[1..]);
            let by_theta = at.full_slope(&features, &self.theta)?;
            gamma[1] = determined(&by_theta, &self.theta);
            evidence += self.theta.log_prior() - 0.5 * by_theta.curvature.log_determinant;
            self.jittered |= by_theta.curvature.jittered;
        }
        if !evidence.is_finite() {
            return None;
        }
        let before = self.trace.last().map(|i| i.evidence);
        self.trace.push(Iteration {
            bases: self.left.bases.len(),
            features: self.left.features.len(),
            evidence,
            #[cfg(test)]
            gamma: gamma.clone(),
            #[cfg(test)]
            weights: [self.w.values.clone(), self.theta.values.clone()],
        });
        let stands = before.is_some_and(|before| (evidence - before).abs() < self.options.tol * (1.0 + evidence.abs()));
        self.still = if stands { self.still + 1 } else { 0 };
        let (mut w, mut theta) = (self.w.clone(), self.theta.clone());
        self.reestimate(&gamma);
        let (kept_w, kept_theta) = self.prune();
        w.keep(&kept_w);
        theta.keep(&kept_theta);
        self.good = Some(Good { bases: self.left.bases.clone(), features: self.left.features.clone(), w, theta });
        if self.still >= PATIENCE && self.trace.len() >= LEAST_ITERATIONS {
            self.converged = true;
            return None;
        }
        self.gauge();
        Some(())
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
    fn prune(&mut self) -> (Vec<usize>, Vec<usize>) {
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
        self.left.keep(&samples, &features);
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

    /// All Newton steps for the samples' weights and the bias.
    fn w_steps(&mut self, values: &Values) -> Likelihood {
        let effect = self.left.by_samples(values);
        let others = self.theta.log_prior();
        let mut at = Likelihood::at(effect.times(&self.w.values), self.left.y);
        let mut chord = None;
        for _ in 0..W_STEPS {
            let moved = newton(&at, &effect, &self.w, others, &mut chord, |w| {
                (Likelihood::at(effect.times(w), self.left.y), ())
            });
            match moved {
                Some((values, likelihood, ())) => {
                    self.w.values = values;
                    at = likelihood;
                }
                None => break,
            }
        }
        at
    }

    /// One Gauss–Newton step for the features' weights, with the likelihood and the kernel there. `None` at the mode.
    fn theta_step(&self, values: &Values, at: &Likelihood) -> Option<(Vec<f64>, Likelihood, Values)> {
        let w = &self.w.values;
        let effect = self.left.by_features(self.kernel, values, &w[1..]);
        let (moved, likelihood, kernel) = newton(at, &effect, &self.theta, self.w.log_prior(), &mut None, |theta| {
            if self.kernel.is_linear() {
                // f = b + Dθ: no kernel is needed to know f
                let f = effect.times(theta).into_iter().map(|f| f + w[0]).collect();
                return (Likelihood::at(f, self.left.y), None);
            }
            let kernel = self.left.kernel(self.kernel, theta);
            let f = self.left.by_samples(&kernel).times(w);
            (Likelihood::at(f, self.left.y), Some(kernel))
        })?;
        let kernel = kernel.unwrap_or_else(|| self.left.kernel(self.kernel, &moved));
        Some((moved, likelihood, kernel))
    }

    /// The fitted weights; `None` if no iteration gave a machine that can predict.
    pub(crate) fn finish(&self, x: &Matrix) -> Option<Fitted> {
        let Good { bases, features, w, theta } = self.good.as_ref()?;
        let mut left = ActiveSet::new(x, self.left.y, bases.clone(), self.options.signed);
        left.keep(&(0..bases.len()).collect::<Vec<_>>(), features);
        let values = left.kernel(self.kernel, &theta.values);
        let samples = left.by_samples(&values);
        let at = Likelihood::at(samples.times(&w.values), left.y);
        let covariance = at.full_slope(&samples, w)?.curvature.inverse();
        let theta_variances = if self.options.features {
            let by_features = left.by_features(self.kernel, &values, &w.values[1..]);
            let curvature = at.full_slope(&by_features, theta)?.curvature;
            curvature.variances(&curvature.shares())
        } else {
            vec![]
        };
        let finite = (0..covariance.columns()).all(|k| covariance.column(k).iter().all(|x| x.is_finite()));
        let f_variances = variances(&samples, &covariance);
        finite.then(|| Fitted {
            bases: bases.clone(),
            features: features.clone(),
            w: w.values.clone(),
            theta: theta.values.clone(),
            covariance,
            theta_variances,
            f: at.f,
            f_variances,
        })
    }
}

impl Run<'_> {
    /// The trained machine and its record; `None` if no iteration succeeded.
    pub(crate) fn trained(&self, x: &Matrix) -> Option<TrainingRun> {
        let fitted = self.finish(x)?;
        let signed = self.options.signed;
        let generalisation = self.options.features.then(|| generalisation::of(&fitted, self.left.y));
        let detail = MachineDetail {
            evidence: self.trace.iter().map(|i| i.evidence).collect(),
            features_left: self.trace.iter().map(|i| i.features).collect(),
            samples_left: self.trace.iter().map(|i| i.bases).collect(),
            samples: fitted.bases.iter().map(|&i| i as u32).collect(),
            generalisation,
            ..MachineDetail::default()
        };
        Some(TrainingRun {
            machine: fitted.machine(self.kernel, x, self.left.y, signed),
            detail,
            evidence: self.trace.last().map_or(f64::NEG_INFINITY, |i| i.evidence),
            converged: self.converged,
            jittered: self.jittered,
            collapsed: !self.converged && self.trace.len() < self.options.max_iter,
        })
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
            evidence: self.trace.last().map_or(f64::NAN, |i| i.evidence),
        }
    }
}

fn determined(slope: &Slope, weights: &Weights) -> Vec<f64> {
    slope.determined(weights, &slope.curvature.shares())
}

/// φᵀΣφ for every row φ of J. Cost: rows × weights².
fn variances(effect: &Jacobian, covariance: &Matrix) -> Vec<f64> {
    let all: Vec<usize> = (0..effect.len()).collect();
    let j = effect.scaled(&all, &vec![1.0; effect.rows()], &vec![1.0; all.len()]);
    let mut spread = Matrix::zeros(effect.rows(), all.len());
    j.product(covariance, &mut spread);
    let mut sums = vec![0.0; effect.rows()];
    for k in 0..all.len() {
        sums.iter_mut().zip(j.column(k)).zip(spread.column(k)).for_each(|((s, a), b)| *s += a * b);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::fixtures;
    use crate::machines::fixtures::{Fixture, matrix, numbers};
    use serde_json::Value;

    #[test]
    fn paths_and_end_states_of_the_fixtures() {
        fixtures::each(|Fixture { name, kernel, x, y, json: fixture }| {
            let number = |v: &Value| v.as_f64().expect("a number");
            let lp = &fixture["lp"];
            let set = &lp["options"];
            let options = Options {
                truncation: match set["lam_mode"].as_str().expect("a mode") {
                    "rel" => Truncation::Relative,
                    "hard" => Truncation::Hard,
                    _ => Truncation::Paper,
                },
                strictness: [number(&set["ca"]), number(&set["cb"])],
                prune_precision: number(&set["prune_b"]),
                prune_relative: set["relative"].as_bool().expect("a flag"),
                prune_share: number(&set["w_min"]),
                max_iter: set["maxit"].as_u64().expect("a count") as usize,
                tol: number(&set["tol"]),
                gauge: set["gauge"].as_bool().expect("a flag"),
                ..Options::default()
            };
            let mut run = Run::new(kernel, &x, &y, (0..y.len()).collect(), options.clone());
            while !run.step() {}
            let (trace, fitted) = (&run.trace, run.finish(&x).expect("an end"));
            let hard = options.truncation == Truncation::Hard;
            // with a hard cut the fixtures leave out the ln 2 of every weight kept, and may stop one iteration earlier
            let wanted_iterations = lp["iterations"].as_u64().expect("a count") as usize;
            let more = trace.len().checked_sub(wanted_iterations);
            assert!(more.is_some_and(|more| more <= usize::from(hard)), "{name}: {}", trace.len());
            let near = |what: &str, got: &[f64], wanted: &Value| {
                let wanted = numbers(wanted);
                assert_eq!(got.len(), wanted.len(), "{name} {what}");
                for (a, b) in got.iter().zip(wanted) {
                    assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{name} {what}: {a} {b}");
                }
            };
            for (at, key) in ["iter0_at_mode", "iter1_at_mode"].iter().enumerate() {
                let (got, wanted) = (&trace[at], &lp[*key]);
                near("w", &got.weights[0], &wanted["w"]);
                near("theta", &got.weights[1], &wanted["theta"]);
                near("gamma_w", &got.gamma[0], &wanted["gamma_w"]);
                near("gamma_theta", &got.gamma[1], &wanted["gamma_theta"]);
            }
            for (at, evidence) in numbers(&lp["evidence_path"]).into_iter().enumerate() {
                let got = &trace[at];
                let extra = if hard { (got.bases + got.features) as f64 * std::f64::consts::LN_2 } else { 0.0 };
                assert!(
                    (got.evidence - extra - evidence).abs() < 1e-5 * (1.0 + evidence.abs()),
                    "{name}, iteration {at}"
                );
                assert_eq!(lp["n_samples_path"][at], got.bases, "{name}, iteration {at}");
                assert_eq!(lp["n_features_path"][at], got.features, "{name}, iteration {at}");
            }
            let end = &lp["final"];
            assert_eq!(fitted.bases, numbers(&end["S"]).iter().map(|i| *i as usize).collect::<Vec<_>>(), "{name}");
            assert_eq!(fitted.features, numbers(&end["F"]).iter().map(|i| *i as usize).collect::<Vec<_>>(), "{name}");
            if !hard {
                near("end w", &fitted.w, &end["w"]);
                near("end theta", &fitted.theta, &end["theta"]);
                for (k, row) in end["Sigma_w"].as_array().expect("rows").iter().enumerate() {
                    near("Sigma", fitted.covariance.column(k), row);
                }
                let machine = fitted.machine(kernel, &x, &y, false);
                let (f, p) = machine.ready().predict(&matrix(&fixture["X_test"]).select_columns(&fitted.features));
                near("test f", &f, &lp["test_f"]);
                near("test p", &p, &lp["test_p"]);
            }
        });
    }
}
