//! `ard`: logistic regression that prunes features, by automatic relevance determination.

use super::basis_parameters::{check, check_stopping, shared};
use super::kernel::{Kernel, KernelShape};
use super::log_posterior::BIAS_PRECISION;
use super::machine::{Link, Machine};
use super::one_vs_rest::{self, Learner, TrainingProblems};
use super::run_many::run_all;
use super::solver::{Objective, RunRecord, Solver};
use super::training_run::{ProblemRuns, TrainingRun};
use crate::base::parameter::parameters;
use crate::base::{Context, Describe, MethodInfo, Progress, Result};
use crate::numeric::factored_hessian::Curvature;
use crate::numeric::linalg::{Matrix, dot};
use crate::numeric::logistic::{ln_sigmoid, sigmoid};
use crate::selection::{Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

parameters! {
    /// Logistic regression with automatic relevance determination: each feature has a prior of its own, and features whose
    /// prior contracts to zero are pruned.
    ///
    /// ln p/(1 − p) = b + Σ u_k (x_k − m_k)/s_k with u_k ~ N(0, 1/β_k). For given precisions u is the mode of Q = Σ ln σ(y f)
    /// − ½ Σ β_k u_k² + ½ Σ ln β_k. Then β_k = (γ_k + 2c)/u_k², where γ_k is the share of u_k that the data determine and c is
    /// `strictness`. These two steps alternate until the evidence L = Q − ½ ln det H stands still, where H is the negative
    /// Hessian of Q; a feature whose precision diverges is pruned. The features left are selected. Probabilities are averaged
    /// over the posterior of u. Several classes are separated one against the rest. Where nothing is left, the model predicts
    /// the shares of the classes. It finds what `pfcvm-lp` with `kernel=linear` finds, at a small part of the cost.
    ///
    /// Cost: tens of iterations of rows × features × min(rows, features) flops for every class, fewer as features are pruned.
    ///
    /// Errors: [`Error::Parameter`](crate::Error::Parameter) for a value out of its range;
    /// [`Error::Method`](crate::Error::Method) for a numeric target; [`Error::Data`](crate::Error::Data) for a column of
    /// categories and for rows of a single class.
    ///
    /// Reference: MacKay, *Bayesian non-linear modelling for the prediction competition*, ASHRAE Transactions 100, 1994;
    /// Tipping, *Sparse Bayesian learning and the relevance vector machine*, JMLR 1, 2001.
    ///
    /// ```
    /// use tamis::{Context, Selector, machines::Ard, simulate::TwoGaussians};
    ///
    /// // two of five features separate the classes
    /// let drawn = TwoGaussians { rows: 100, features: 5 }.draw(1)?;
    /// let selection = Ard::default().select(&drawn.table.view(), &mut Context::default())?;
    /// assert!(selection.selected.contains(&0) && selection.selected.contains(&1));
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Ard {
        strictness: f64 = 0.5, "0…100",
            "strictness c for features: 0 keeps those whose z exceeds 1 in size, 0.5 above 2.4, 1 above 3.1";
        samplewise: bool = false, shared!(flag range), shared!(samplewise purpose);
        tol: f64 = 1e-5, shared!(tol range), shared!(evidence purpose);
        max_iter: usize = 200, shared!(steps range), "most iterations";
    }
}

impl Describe for Ard {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "ard",
            summary: "logistic regression with a prior for each feature, which prunes features",
            number_by: "the marginal likelihood",
            cost: "tens of iterations of rows × features × min(rows, features) flops, fewer as features are pruned",
            reference: "MacKay, Bayesian non-linear modelling for the prediction competition, ASHRAE Transactions 100, \
                        1994",
            parameters: Ard::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        check("strictness", self.strictness, 0.0, 100.0)?;
        check_stopping(self.tol, self.max_iter)
    }
}

impl Learner for Ard {
    fn samplewise(&self) -> bool {
        self.samplewise
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<ProblemRuns>> {
        let make = |problem: usize| ArdSolver::new(task.x, &task.problems[problem], task.weights, self);
        let runs = run_all(task.problems.len(), make, |run| run.trained(task.x), progress)?;
        Ok(ProblemRuns::of_problems(runs.into_iter().map(|run| run.into_iter().collect()).collect()))
    }
}

impl Selector for Ard {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        one_vs_rest::select(self, data, context)
    }
}

/// Most Newton steps in an iteration, and the promise, relative to 1 + |Q|, at which they end.
const NEWTON_STEPS: usize = 25;
const AT_MODE: f64 = 1e-8;
/// Iterations before it may stop, and how often in a row the evidence must stand still.
const LEAST_ITERATIONS: usize = 5;
const PATIENCE: usize = 3;
/// A feature goes when its precision times the square of the largest weight is larger, or its weight a smaller share.
const PRUNE_PRECISION: f64 = 1e6;
const PRUNE_SHARE: f64 = 1e-3;
/// Most features whose covariance is worth its memory.
const MOST_UNITS: usize = 500;
/// Where the largest weight is smaller, nothing is left.
const NOTHING: f64 = 1e-6;

/// A run.
struct ArdSolver<'a> {
    x: &'a Matrix,
    y: &'a [f64],
    weights: Option<&'a [f64]>,
    strictness: f64,
    tol: f64,
    /// Features that are left, and their columns behind one of ones.
    features: Vec<usize>,
    design: Matrix,
    /// The bias, then the weights of the features left, with their precisions.
    u: Vec<f64>,
    precision: Vec<f64>,
    record: RunRecord,
    still: usize,
    gone: bool,
}

impl<'a> ArdSolver<'a> {
    fn new(x: &'a Matrix, y: &'a [f64], weights: Option<&'a [f64]>, ard: &Ard) -> ArdSolver<'a> {
        let k = x.n_columns();
        let mut run = ArdSolver {
            x,
            y,
            weights,
            strictness: ard.strictness,
            tol: ard.tol,
            features: (0..k).collect(),
            design: Matrix::zeros(0, 0),
            u: vec![0.0; k + 1],
            precision: vec![1.0; k + 1],
            record: RunRecord::new(0, k, ard.max_iter),
            still: 0,
            gone: false,
        };
        run.precision[0] = BIAS_PRECISION;
        run.gather();
        run
    }

    fn gather(&mut self) {
        self.design = Matrix::from_columns(self.x.n_rows(), self.features.len() + 1, |k, out| match k {
            0 => out.fill(1.0),
            k => out.copy_from_slice(self.x.column(self.features[k - 1])),
        });
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[row])
    }

    fn f(&self, u: &[f64]) -> Vec<f64> {
        let mut f = vec![0.0; self.y.len()];
        self.design.times(u, &mut f);
        f
    }

    /// Q, without the terms that do not depend on u.
    fn value(&self, u: &[f64], f: &[f64]) -> f64 {
        let rows = f.iter().zip(self.y).enumerate();
        let log: f64 = rows.map(|(row, (f, y))| self.weight(row) * ln_sigmoid(f * y)).sum();
        log - 0.5 * u.iter().zip(&self.precision).map(|(u, b)| b * u * u).sum::<f64>()
    }

    fn curvature(&self, f: &[f64]) -> Option<Curvature> {
        let spread: Vec<f64> =
            f.iter().enumerate().map(|(row, f)| self.weight(row) * sigmoid(*f) * sigmoid(-f)).collect();
        Curvature::of(&self.design, &spread, &self.precision)
    }

    /// Moves u to the mode of Q; returns Q and the curvature there.
    fn mode(&mut self) -> Option<(f64, Curvature)> {
        let mut f = self.f(&self.u);
        let mut now = self.value(&self.u, &f);
        let mut curvature = self.curvature(&f)?;
        for _ in 0..NEWTON_STEPS {
            let residual: Vec<f64> =
                f.iter().zip(self.y).enumerate().map(|(row, (f, y))| self.weight(row) * y * sigmoid(-f * y)).collect();
            let mut gradient = vec![0.0; self.u.len()];
            self.design.transpose_times(&residual, &mut gradient);
            gradient.iter_mut().zip(&self.u).zip(&self.precision).for_each(|((g, u), b)| *g -= b * u);
            let mut step = gradient.clone();
            curvature.solve(&mut step);
            let rise = dot(&gradient, &step);
            if rise.is_nan() || rise < AT_MODE * (1.0 + now.abs()) {
                break;
            }
            let mut size = 1.0;
            while size > 1e-10 {
                let tried: Vec<f64> = self.u.iter().zip(&step).map(|(u, s)| u + size * s).collect();
                let there = self.f(&tried);
                let value = self.value(&tried, &there);
                if value >= now + 1e-4 * size * rise {
                    (self.u, f, now) = (tried, there, value);
                    break;
                }
                size *= 0.5;
            }
            if size <= 1e-10 {
                break;
            }
            curvature = self.curvature(&f)?;
        }
        Some((now, curvature))
    }

    /// β = (γ + 2c)/u², and features whose precision diverges go.
    fn prune(&mut self, determined: &[f64]) {
        let largest = self.u[1..].iter().map(|u| u.abs()).fold(0.0, f64::max);
        for k in 1..self.u.len() {
            self.precision[k] = (determined[k] + 2.0 * self.strictness) / (self.u[k] * self.u[k]).max(1e-200);
        }
        self.gone = largest < NOTHING;
        let stays = |&k: &usize| {
            self.u[k].abs() >= PRUNE_SHARE * largest && self.precision[k] * largest * largest <= PRUNE_PRECISION
        };
        let kept: Vec<usize> = (1..self.u.len()).filter(stays).collect();
        if kept.is_empty() {
            self.gone = true;
        }
        if self.gone || kept.len() == self.features.len() {
            return;
        }
        let with_bias = || std::iter::once(0).chain(kept.iter().copied());
        self.u = with_bias().map(|k| self.u[k]).collect();
        self.precision = with_bias().map(|k| self.precision[k]).collect();
        self.features = kept.iter().map(|k| self.features[k - 1]).collect();
        self.record.pruned(0, self.features.len());
        self.gather();
    }
}

impl Solver for ArdSolver<'_> {
    const OBJECTIVE: Objective = Objective::Evidence;

    fn record(&mut self) -> &mut RunRecord {
        &mut self.record
    }

    fn iterate(&mut self) -> Option<()> {
        let (q, curvature) = self.mode()?;
        self.record.jittered |= curvature.jittered;
        let prior: f64 = self.precision.iter().map(|b| 0.5 * b.ln()).sum();
        let evidence = q + prior - 0.5 * curvature.log_determinant;
        if !evidence.is_finite() {
            return None;
        }
        let before = self.record.last();
        self.record.push(evidence);
        let stands = before.is_some_and(|before| (evidence - before).abs() < self.tol * (1.0 + evidence.abs()));
        self.still = if stands { self.still + 1 } else { 0 };
        if self.still >= PATIENCE && self.record.len() >= LEAST_ITERATIONS {
            self.record.converged = true;
            return None;
        }
        self.prune(&curvature.shares());
        (!self.gone).then_some(())
    }

    /// A machine whose bases are the unit vectors of the features left: k_θ(x, e_k) = θ_k x_k with θ_k = |u_k|. Where too
    /// many are left, one basis, and probabilities at the mode.
    fn trained(&self, _: &Matrix) -> Option<TrainingRun> {
        let f = self.f(&self.u);
        let m = self.features.len();
        let size = |k: usize| if k == 0 { 1.0 } else { self.u[k].abs().max(1e-300) };
        let sign = |k: usize| self.u[k].signum();
        let mut machine = Machine {
            kernel: Kernel { shape: KernelShape::Linear, degree: 1, scale: 1.0 },
            link: Link::Logistic,
            features: self.features.clone(),
            theta: (1..=m).map(size).collect(),
            bases: vec![(1..=m).map(sign).collect()],
            signs: vec![1.0],
            w: vec![self.u[0], 1.0],
            covariance: vec![],
        };
        if m <= MOST_UNITS {
            let inverse = self.curvature(&f)?.inverse();
            let unit = |j: usize| (0..m).map(|k| f64::from(u8::from(k == j))).collect();
            let covariance = |i: usize| (0..=m).map(|j| inverse.column(i)[j] / (size(i) * size(j))).collect();
            machine.bases = (0..m).map(unit).collect();
            machine.signs = vec![1.0; m];
            machine.w = std::iter::once(self.u[0]).chain((1..=m).map(sign)).collect();
            machine.covariance = (0..=m).map(covariance).collect();
        }
        let finite = machine.covariance.iter().flatten().all(|x| x.is_finite());
        let run = self.record.training_run::<Self>(machine, &[], self.gone);
        Some(if finite && !self.gone { run.checked(&f) } else { run.checked(&vec![0.0; f.len()]) })
    }
}
