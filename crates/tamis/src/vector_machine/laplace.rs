//! PFCVM by Laplace approximation: type-II maximum likelihood over the precisions of samples and features
//! (Jiang, Li, de Rijke, Yao & Chen 2019), with the corrections of its errata.

use super::kernel::{Kernel, Values};
use super::point::{Problem, Slope, Weights};
use crate::numeric::linalg::Matrix;
use crate::{Progress, Result};

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
        }
    }
}

/// The precision of the bias, which is not estimated: it can run away.
const BIAS_PRECISION: f64 = 1e-3;
/// Most Newton steps for the samples' weights in an iteration.
const W_STEPS: usize = 25;
/// Iterations before it may stop, and how often in a row the evidence must stand still.
const LEAST_ITERATIONS: usize = 5;
const PATIENCE: usize = 3;

/// What one run came to.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    /// Positions of the kept bases and features.
    pub(crate) bases: Vec<usize>,
    pub(crate) features: Vec<usize>,
    /// The bias, then a weight per kept basis.
    pub(crate) w: Vec<f64>,
    pub(crate) theta: Vec<f64>,
    /// What an iteration came to, one after the other.
    pub(crate) trace: Vec<Iteration>,
    pub(crate) converged: bool,
    /// The posterior covariance of `w`.
    pub(crate) covariance: Matrix,
    /// Whether a factorisation needed help on the way.
    pub(crate) jittered: bool,
}

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

/// Runs from the start to its end; `x` has a standardised row per sample, `bases` says which rows are candidates.
pub(crate) fn run(
    kernel: Kernel,
    x: &Matrix,
    y: &[f64],
    bases: &[usize],
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Fitted> {
    let mut state = State::start(x, y, bases, options);
    let mut fitted = Fitted {
        bases: state.bases.clone(),
        features: state.features.clone(),
        w: state.w.values.clone(),
        theta: state.theta.values.clone(),
        trace: vec![],
        converged: false,
        covariance: Matrix::zeros(0, 0),
        jittered: false,
    };
    let mut precision = state.w.precision.clone();
    let mut steepness = state.w.steepness.clone();
    let mut still = 0;
    while fitted.trace.len() < options.max_iter {
        progress.step("learning", fitted.trace.len() as u64, options.max_iter as u64)?;
        let problem = Problem { x: &state.x, y, z: &state.z, zy: &state.zy };
        let (w, theta) = (&mut state.w, &mut state.theta);
        let mut values = kernel.values(&state.x, &state.z, &theta.values);
        w_steps(&problem, &problem.design(&values), w, theta);
        for _ in 0..options.theta_steps {
            if !theta_step(&problem, kernel, &mut values, w, theta) {
                break;
            }
        }
        let design = problem.design(&values);
        let f = product(&design, &w.values);
        let q = problem.log_posterior(&f, w, theta);
        let by_w = problem.slope(&f, &design, w);
        let by_theta = problem.slope(&f, &derivative(&problem, kernel, &values, w), theta);
        let (Some(by_w), Some(by_theta)) = (by_w, by_theta) else { break }; // the last good state stands
        let determined = |slope: &Slope, weights: &Weights| slope.determined(weights, &slope.curvature.shares());
        let gamma = [determined(&by_w, w), determined(&by_theta, theta)];
        let evidence = q - 0.5 * by_w.curvature.log_determinant - 0.5 * by_theta.curvature.log_determinant;
        if !evidence.is_finite() {
            break; // the last good state stands
        }
        let before = fitted.trace.last().map(|i| i.evidence);
        fitted.trace.push(Iteration {
            bases: state.bases.len(),
            features: state.features.len(),
            evidence,
            #[cfg(test)]
            gamma: gamma.clone(),
            #[cfg(test)]
            weights: [w.values.clone(), theta.values.clone()],
        });
        let stands = before.is_some_and(|before| (evidence - before).abs() < options.tol * (1.0 + evidence.abs()));
        still = if stands { still + 1 } else { 0 };
        fitted.jittered |= by_w.curvature.jittered || by_theta.curvature.jittered;
        let old = state.w.clone();
        state.reestimate(&gamma, options);
        let kept = state.prune(x, y, options);
        precision = kept.iter().map(|&i| old.precision[i]).collect();
        steepness = kept.iter().map(|&i| old.steepness[i]).collect();
        (fitted.bases, fitted.features) = (state.bases.clone(), state.features.clone());
        (fitted.w, fitted.theta) = (state.w.values.clone(), state.theta.values.clone());
        if still >= PATIENCE && fitted.trace.len() >= LEAST_ITERATIONS {
            fitted.converged = true;
            break;
        }
        state.gauge(kernel, options);
    }
    let end = Weights { values: fitted.w.clone(), precision, steepness };
    match covariance(kernel, x, y, &fitted, &end) {
        Some(covariance) => fitted.covariance = covariance,
        // without it nothing can be predicted: as if the run had not been
        None => fitted.trace.clear(),
    }
    Ok(fitted)
}

/// H⁻¹ of the samples' weights at the end.
fn covariance(kernel: Kernel, x: &Matrix, y: &[f64], fitted: &Fitted, w: &Weights) -> Option<Matrix> {
    let rows = Matrix::from_columns(x.rows(), fitted.features.len(), |k, out| {
        out.copy_from_slice(x.column(fitted.features[k]));
    });
    let z = Matrix::from_fn(fitted.bases.len(), fitted.features.len(), |j, k| rows.column(k)[fitted.bases[j]]);
    let zy: Vec<f64> = fitted.bases.iter().map(|&j| y[j]).collect();
    let problem = Problem { x: &rows, y, z: &z, zy: &zy };
    let design = problem.design(&kernel.values(&rows, &z, &fitted.theta));
    let f = product(&design, &w.values);
    let slope = problem.slope(&f, &design, w)?;
    let inverse = Matrix::from_columns(w.values.len(), w.values.len(), |k, out| {
        out.fill(0.0);
        out[k] = 1.0;
        slope.curvature.solve(out);
    });
    let finite = (0..inverse.columns()).all(|k| inverse.column(k).iter().all(|x| x.is_finite()));
    finite.then_some(inverse)
}

/// Rows, bases and weights that are left.
struct State {
    bases: Vec<usize>,
    features: Vec<usize>,
    x: Matrix,
    z: Matrix,
    zy: Vec<f64>,
    w: Weights,
    theta: Weights,
}

impl State {
    fn start(x: &Matrix, y: &[f64], bases: &[usize], options: &Options) -> State {
        let (m, k) = (bases.len(), x.columns());
        let mut w = Weights { values: vec![1.0; m + 1], precision: vec![1.0; m + 1], steepness: vec![0.0; m + 1] };
        (w.values[0], w.precision[0]) = (0.0, BIAS_PRECISION);
        let theta = Weights { values: vec![options.theta_start; k], precision: vec![1.0; k], steepness: vec![0.0; k] };
        let features: Vec<usize> = (0..k).collect();
        let mut state =
            State { bases: bases.to_vec(), features, x: x.clone(), z: Matrix::zeros(0, 0), zy: vec![], w, theta };
        state.gather(x, y);
        state.steepen(options);
        state
    }

    /// Copies what is left of the rows.
    fn gather(&mut self, x: &Matrix, y: &[f64]) {
        let (features, bases) = (&self.features, &self.bases);
        if self.x.columns() != features.len() {
            self.x =
                Matrix::from_columns(x.rows(), features.len(), |k, out| out.copy_from_slice(x.column(features[k])));
        }
        self.z = Matrix::from_fn(bases.len(), features.len(), |j, k| x.column(features[k])[bases[j]]);
        self.zy = bases.iter().map(|&j| y[j]).collect();
    }

    /// The steepness of the truncation follows the precision.
    fn steepen(&mut self, options: &Options) {
        for (weights, from) in [(&mut self.w, 1), (&mut self.theta, 0)] {
            for at in from..weights.values.len() {
                weights.steepness[at] = match options.truncation {
                    Truncation::Relative => 5.0 * weights.precision[at].sqrt(),
                    Truncation::Hard => 0.0,
                    Truncation::Paper => 5.0,
                };
            }
        }
    }

    /// α = (γ + 2c)/w², β = (γ + 2c)/θ².
    fn reestimate(&mut self, gamma: &[Vec<f64>; 2], options: &Options) {
        for (at, (weights, from)) in [(&mut self.w, 1), (&mut self.theta, 0)].into_iter().enumerate() {
            for i in from..weights.values.len() {
                let square = weights.values[i] * weights.values[i];
                weights.precision[i] = (gamma[at][i] + 2.0 * options.strictness[at]) / square.max(1e-200);
            }
        }
    }

    /// Drops weights that are as good as zero; the last of its kind stays.
    /// Returns which weights of samples, the bias among them, were kept.
    fn prune(&mut self, x: &Matrix, y: &[f64], options: &Options) -> Vec<usize> {
        let left = |weights: &Weights, from: usize| {
            let size = weights.values.len();
            let largest = weights.values[from..].iter().copied().fold(0.0, f64::max);
            let unit = if options.prune_relative { largest * largest } else { 1.0 };
            let stays = |i: usize| {
                weights.precision[i] * unit <= options.prune_precision
                    && weights.values[i] >= options.prune_share * largest
            };
            let mut kept: Vec<usize> = (from..size).filter(|&i| stays(i)).collect();
            if kept.is_empty() {
                let best = (from..size).max_by(|&a, &b| weights.values[a].total_cmp(&weights.values[b]));
                kept.extend(best);
            }
            kept
        };
        let (w, theta) = (left(&self.w, 1), left(&self.theta, 0));
        let kept: Vec<usize> = std::iter::once(0).chain(w.iter().copied()).collect();
        if w.len() < self.bases.len() || theta.len() < self.features.len() {
            self.bases = w.iter().map(|&i| self.bases[i - 1]).collect();
            self.features = theta.iter().map(|&i| self.features[i]).collect();
            self.w.keep(&kept);
            self.theta.keep(&theta);
            self.gather(x, y);
        }
        self.steepen(options);
        kept
    }

    /// Of a linear kernel only w·θ is known: max θ = 1.
    fn gauge(&mut self, kernel: Kernel, options: &Options) {
        let g = self.theta.values.iter().copied().fold(0.0, f64::max);
        if !options.gauge || kernel.shape != super::Shape::Linear || g <= 0.0 {
            return;
        }
        self.theta.values.iter_mut().for_each(|t| *t /= g);
        self.theta.precision.iter_mut().for_each(|b| *b *= g * g);
        self.w.values[1..].iter_mut().for_each(|w| *w *= g);
        self.w.precision[1..].iter_mut().for_each(|a| *a /= g * g);
        self.steepen(options);
    }
}

impl Weights {
    fn keep(&mut self, kept: &[usize]) {
        for list in [&mut self.values, &mut self.precision, &mut self.steepness] {
            *list = kept.iter().map(|&i| list[i]).collect();
        }
    }
}

fn product(matrix: &Matrix, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; matrix.rows()];
    matrix.times(x, &mut out);
    out
}

fn derivative(problem: &Problem, kernel: Kernel, values: &Values, w: &Weights) -> Matrix {
    let v: Vec<f64> = w.values[1..].iter().zip(problem.zy).map(|(w, y)| w * y).collect();
    kernel.derivative(problem.x, problem.z, values, &v)
}

/// A projected Newton step: weights at zero that would go below stay there. `None` at the mode, or where no step along
/// the direction improves Q.
fn newton(
    problem: &Problem,
    f: &[f64],
    q: f64,
    j: &Matrix,
    weights: &Weights,
    from: usize,
    mut try_weights: impl FnMut(&[f64]) -> f64,
) -> Option<Vec<f64>> {
    const ENOUGH: f64 = 1e-4;
    let gradient = problem.gradient(f, j, weights);
    let free: Vec<usize> =
        (0..gradient.len()).filter(|&i| i < from || weights.values[i] > 0.0 || gradient[i] > 0.0).collect();
    let mut inside = weights.clone();
    inside.keep(&free);
    let columns = Matrix::from_columns(j.rows(), free.len(), |k, out| out.copy_from_slice(j.column(free[k])));
    let slope = problem.slope(f, &columns, &inside)?;
    let mut direction = slope.gradient.clone();
    slope.curvature.solve(&mut direction);
    let rise: f64 = direction.iter().zip(&slope.gradient).map(|(d, g)| d * g).sum();
    if rise < 1e-8 * (1.0 + q.abs()) {
        return None;
    }
    let mut step = 1.0;
    while step > 1e-10 {
        let mut moved = weights.values.clone();
        for (&i, d) in free.iter().zip(&direction) {
            moved[i] += step * d;
            if i >= from {
                moved[i] = moved[i].max(0.0);
            }
        }
        let promised: f64 = moved.iter().zip(&weights.values).zip(&gradient).map(|((a, b), g)| (a - b) * g).sum();
        if try_weights(&moved) >= q + ENOUGH * promised {
            return Some(moved);
        }
        step *= 0.5;
    }
    None
}

/// All Newton steps for the samples' weights and the bias.
fn w_steps(problem: &Problem, design: &Matrix, w: &mut Weights, theta: &Weights) {
    for _ in 0..W_STEPS {
        let f = product(design, &w.values);
        let q = problem.log_posterior(&f, w, theta);
        let moved = newton(problem, &f, q, design, w, 1, |values| {
            let tried = Weights { values: values.to_vec(), ..w.clone() };
            problem.log_posterior(&product(design, values), &tried, theta)
        });
        match moved {
            Some(values) => w.values = values,
            None => return,
        }
    }
}

/// One Gauss–Newton step for the features' weights; `values` follow. False at the mode.
fn theta_step(problem: &Problem, kernel: Kernel, values: &mut Values, w: &Weights, theta: &mut Weights) -> bool {
    let f = product(&problem.design(values), &w.values);
    let q = problem.log_posterior(&f, w, theta);
    let d = derivative(problem, kernel, values, w);
    let mut tried_values = None;
    let moved = newton(problem, &f, q, &d, theta, 0, |tried| {
        let at = kernel.values(problem.x, problem.z, tried);
        let f = product(&problem.design(&at), &w.values);
        let weights = Weights { values: tried.to_vec(), ..theta.clone() };
        tried_values = Some(at);
        problem.log_posterior(&f, w, &weights)
    });
    match (moved, tried_values) {
        (Some(moved), Some(at)) => {
            theta.values = moved;
            *values = at;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Shape;
    use super::super::machine::Machine;
    use super::*;
    use crate::progress::Silent;
    use serde_json::Value;

    fn numbers(v: &Value) -> Vec<f64> {
        v.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
    }

    fn matrix(v: &Value) -> Matrix {
        let rows: Vec<Vec<f64>> = v.as_array().expect("rows").iter().map(numbers).collect();
        Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
    }

    #[test]
    fn paths_and_end_states_of_the_fixtures() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle/vector_machine");
        let Ok(files) = std::fs::read_dir(folder) else { return };
        for file in files {
            let path = file.expect("a file").path();
            let fixture: Value = serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
            let name = fixture["name"].as_str().expect("a name").to_string();
            let number = |v: &Value| v.as_f64().expect("a number");
            let kernel = Kernel {
                shape: match fixture["kernel"]["kind"].as_str().expect("a kind") {
                    "rbf" => Shape::Rbf,
                    "linear" => Shape::Linear,
                    _ => Shape::Poly,
                },
                degree: fixture["kernel"]["P"].as_u64().expect("P") as u32,
                scale: number(&fixture["kernel"]["s"]),
            };
            let (x, y) = (matrix(&fixture["X"]), numbers(&fixture["y"]));
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
            let bases: Vec<usize> = (0..y.len()).collect();
            let fitted = run(kernel, &x, &y, &bases, &options, &mut Silent).expect("runs");
            let hard = options.truncation == Truncation::Hard;
            // with a hard cut the fixtures leave out the ln 2 of every weight kept, and may stop one iteration earlier
            let wanted_iterations = lp["iterations"].as_u64().expect("a count") as usize;
            let more = fitted.trace.len().checked_sub(wanted_iterations);
            assert!(more.is_some_and(|more| more <= usize::from(hard)), "{name}: {}", fitted.trace.len());
            let near = |what: &str, got: &[f64], wanted: &Value| {
                let wanted = numbers(wanted);
                assert_eq!(got.len(), wanted.len(), "{name} {what}");
                for (a, b) in got.iter().zip(wanted) {
                    assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{name} {what}: {a} {b}");
                }
            };
            for (at, key) in ["iter0_at_mode", "iter1_at_mode"].iter().enumerate() {
                let (got, wanted) = (&fitted.trace[at], &lp[*key]);
                near("w", &got.weights[0], &wanted["w"]);
                near("theta", &got.weights[1], &wanted["theta"]);
                near("gamma_w", &got.gamma[0], &wanted["gamma_w"]);
                near("gamma_theta", &got.gamma[1], &wanted["gamma_theta"]);
            }
            for (at, evidence) in numbers(&lp["evidence_path"]).into_iter().enumerate() {
                let got = &fitted.trace[at];
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
                let machine = Machine::new(kernel, &x, &y, &fitted);
                let (f, p) = machine.predict(&matrix(&fixture["X_test"]).select_columns(&fitted.features));
                near("test f", &f, &lp["test_f"]);
                near("test p", &p, &lp["test_p"]);
            }
        }
    }
}
