//! How `pfcvm-lp` trains: its starts, its kernels, and which of them predict.

use super::basis_parameters::BasisParameters;
use super::held_out;
use super::kernel::KernelShape;
use super::kernel_weights::{HeldOutPredictions, Weighed};
use super::laplace::{LaplaceOptions, LaplaceSolver, Truncation};
use super::machine::Machine;
use super::one_vs_rest::{Learner, TrainingProblems};
use super::pfcvm_lp::{PfcvmLp, TruncationKind};
use super::refit::{Refit, gaussian_process, linear_process};
use super::run_many::train;
use super::training_run::{KernelRuns, ProblemRuns, Standing, leave_out_unlikely};
use crate::base::{Auto, Progress, Result};
use crate::table::View;

/// Iterations of a start when not all rows are bases.
const FEW_ITERATIONS: usize = 50;
/// Rows up to which all starts are worth their time, and starts beyond that.
const MANY_ROWS: usize = 2000;
const FEW_STARTS: usize = 2;
/// Machines of each kernel that are averaged with `kernel=auto`.
const AVERAGED: usize = 3;
/// Iterations that cost as much as the first, all others together, and floating-point operations in a second: measured.
const FULL_ITERATIONS: f64 = 4.0;
const FLOPS_PER_SECOND: f64 = 4e9;

impl PfcvmLp {
    /// The kernels that are tried.
    fn kernels(&self, rows: usize, features: usize) -> Vec<KernelShape> {
        match self.kernel {
            Auto::Set(kernel) => vec![kernel],
            Auto::Auto if features >= rows => vec![KernelShape::Linear],
            Auto::Auto => vec![KernelShape::Linear, KernelShape::Rbf],
        }
    }

    /// The bases of machines with this kernel.
    pub(super) fn basis(&self, kernel: KernelShape) -> BasisParameters {
        BasisParameters { kernel, degree: self.degree, bases: self.bases, samplewise: self.samplewise }
    }

    /// Machines of a kernel that predict together, where features are at least as many as rows (`wide`) or not.
    fn averaged(&self, kernel: KernelShape, wide: bool) -> usize {
        let paper = self.truncation == TruncationKind::Paper;
        self.average.or(match (self.kernel, kernel) {
            (Auto::Auto, _) => AVERAGED,
            (_, KernelShape::Rbf | KernelShape::Poly) if wide && !paper => FEW_STARTS,
            _ => 1,
        })
    }

    /// Whether a kernel that is alone must predict held-out rows: of more features than rows some always fit.
    fn is_in_doubt(&self, kernel: KernelShape, wide: bool) -> bool {
        wide && kernel != KernelShape::Linear && self.truncation != TruncationKind::Paper
    }

    /// The starts: how weights are kept positive, c_α and θ steps, and where θ begins.
    fn plan(&self, kernel: KernelShape, rows: usize, features: usize) -> Vec<LaplaceOptions> {
        let wide = features >= rows;
        let first = match (self.truncation, wide) {
            (TruncationKind::Auto, true) | (TruncationKind::Hard, _) => Truncation::Hard,
            (TruncationKind::Auto, false) | (TruncationKind::Relative, _) => Truncation::Relative,
            (TruncationKind::Paper, _) => Truncation::Paper,
        };
        let other = match (self.truncation, first) {
            (TruncationKind::Auto, Truncation::Relative) => Truncation::Hard,
            (TruncationKind::Auto, _) => Truncation::Relative,
            _ => first, // what the user asked for
        };
        let paper = first == Truncation::Paper;
        let few = self.basis(kernel).n_bases(rows) < rows;
        // without the gauge of a linear kernel, many features that are hardly determined shrink together
        let strictness = self.strictness.or(if wide && kernel != KernelShape::Linear { 0.0 } else { 0.5 });
        let base = LaplaceOptions {
            prune_precision: self.prune_precision.or(if paper { 1e4 } else { 1e6 }),
            prune_share: self.prune_share.or(if paper { 0.0 } else { 1e-3 }),
            prune_relative: !paper,
            gauge: !paper,
            tol: self.tol,
            max_iter: self.max_iter.or(if few { FEW_ITERATIONS } else { 200 }),
            ..LaplaceOptions::default()
        };
        let mut plan = Vec::new();
        for theta_start in [1.0, 4.0] {
            for (c_alpha, theta_steps) in [(0.0, 1), (0.25, 3)] {
                for truncation in [first, other] {
                    plan.push(LaplaceOptions {
                        truncation,
                        strictness: [c_alpha, strictness],
                        theta_steps,
                        theta_start,
                        ..base.clone()
                    });
                }
            }
        }
        if kernel != KernelShape::Linear && !paper && wide {
            // the first start again where nothing stands out
            plan.insert(1, LaplaceOptions { screened: true, ..plan[0].clone() });
            plan.pop();
        } else if kernel != KernelShape::Linear && !paper {
            // starts further down, with favoured features where any stand out: the one whose weights are cut off at zero
            // second, so that few starts have it too
            for (from, to) in [(5, 1), (5, 5)] {
                let start = plan.remove(from);
                plan.insert(to, LaplaceOptions { screened: true, ..start });
            }
        }
        let worthwhile = match rows {
            _ if wide && (paper || kernel == KernelShape::Linear) => 1,
            _ if wide => FEW_STARTS,
            _ if rows <= MANY_ROWS => plan.len(),
            _ => FEW_STARTS,
        };
        plan.truncate(self.starts.or(worthwhile));
        plan
    }

    /// Seconds that training takes about on one core of today, by counted work: the same answer on any machine.
    pub fn estimated_seconds(&self, data: &View) -> f64 {
        let (rows, features) = (data.rows().len(), data.names().len());
        let classes = data.class_counts().iter().filter(|count| **count > 0).count();
        let problems = if classes > 2 { classes } else { 1 } as f64;
        let kernels = self.kernels(rows, features);
        let mut flops = 0.0;
        for &kernel in &kernels {
            let bases = self.basis(kernel).n_bases(rows);
            let (n, m, k) = (rows as f64, bases as f64, features as f64);
            let small = n.min(k);
            let by_features = if kernel == KernelShape::Linear { n * k } else { 4.0 * n * m * k };
            // in one iteration, some Newton steps of samples and one of features
            let iteration = 4.0 * n * m * m + 2.0 * n * m * k + by_features + n * k * small;
            let is_checked = kernels.len() > 1 || self.is_in_doubt(kernel, features >= rows);
            let held_out = if is_checked { held_out::starts_worth(rows, FEW_STARTS) } else { 0.0 };
            flops += iteration * (self.plan(kernel, rows, features).len() as f64 + held_out);
        }
        // soon most bases and features are pruned, and iterations cost next to nothing
        problems * FULL_ITERATIONS * flops / FLOPS_PER_SECOND
    }

    /// The machines of every problem with one kernel, refitted where that is wanted.
    fn train(
        &self,
        kernel: KernelShape,
        task: &TrainingProblems,
        plan: &[LaplaceOptions],
        progress: &mut dyn Progress,
    ) -> Result<Vec<KernelRuns>> {
        let basis = self.basis(kernel);
        let average = self.averaged(kernel, task.x.n_columns() >= task.x.n_rows());
        let runs = train(task, &basis, plan, LaplaceSolver::new, progress)?;
        let mut problems: Vec<KernelRuns> = runs.into_iter().map(|runs| KernelRuns::new(runs, average)).collect();
        for (of_problem, y) in problems.iter_mut().zip(task.problems) {
            leave_out_unlikely(std::slice::from_mut(of_problem), y);
        }
        if self.refit == Refit::Gp {
            for (problem, of_problem) in problems.iter_mut().enumerate() {
                let y = &task.problems[problem];
                for run in of_problem.voters_mut() {
                    progress.step("Gaussian process", 0, 0)?;
                    let landmarks = basis.draw(y, task.seed, problem, run.start);
                    if let Some(machine) = gaussian_process(&run.machine, task.x, y, &landmarks) {
                        run.machine = machine;
                    }
                }
            }
        }
        Ok(problems)
    }

    /// Whether kernels predict and with what weight, and that of a process on all features where there are several and
    /// machines are refitted: learned from rows held out of training, on machines from few starts.
    fn weigh(
        &self,
        kernels: &[KernelShape],
        task: &TrainingProblems,
        problem: usize,
        progress: &mut dyn Progress,
    ) -> Result<Weighed> {
        let y = &task.problems[problem];
        let mut held_out = HeldOutPredictions { kernels: vec![vec![]; kernels.len()], ..HeldOutPredictions::default() };
        for split in &held_out::splits(y, task.groups, task.seed) {
            let x = held_out::rows_of(task.x, &split.learn);
            let signs = [split.learn.iter().map(|&i| y[i]).collect::<Vec<f64>>()];
            let part = TrainingProblems { x: &x, problems: &signs, weights: None, groups: None, seed: task.seed };
            let predict = |machines: &[&Machine]| held_out::probabilities(machines, task.x, y, split);
            for (&kernel, p) in kernels.iter().zip(&mut held_out.kernels) {
                let plan = self.plan(kernel, task.x.n_rows(), task.x.n_columns());
                let runs = self.train(kernel, &part, &plan[..plan.len().min(FEW_STARTS)], progress)?;
                let voters = runs.iter().flat_map(KernelRuns::voters).map(|run| &run.machine);
                p.extend(predict(&voters.collect::<Vec<_>>()));
            }
            if self.refit == Refit::Gp && kernels.len() > 1 {
                progress.step("Gaussian process", 0, 0)?;
                let process = self.process(&part, 0);
                held_out.process.extend(predict(&process.iter().collect::<Vec<_>>()));
            }
            held_out.y.extend(split.test.iter().map(|&i| y[i]));
            held_out.shares.extend(vec![held_out::learned_share(y, split); split.test.len()]);
        }
        Ok(held_out.weigh())
    }

    /// The process on all features.
    fn process(&self, task: &TrainingProblems, problem: usize) -> Option<Machine> {
        let y = &task.problems[problem];
        linear_process(task.x, y, &self.basis(KernelShape::Linear).draw(y, task.seed, problem, 0))
    }
}

impl Learner for PfcvmLp {
    fn samplewise(&self) -> bool {
        self.samplewise
    }

    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<ProblemRuns>> {
        let (rows, features) = (task.x.n_rows(), task.x.n_columns());
        let kernels = self.kernels(rows, features);
        let several = kernels.len() > 1;
        let alone = |_| Weighed { kernels: vec![Standing::Predicts(1.0)], process: 0.0 };
        let problems = 0..task.problems.len();
        let weighed: Vec<Weighed> = if several || self.is_in_doubt(kernels[0], features >= rows) {
            problems.map(|problem| self.weigh(&kernels, task, problem, progress)).collect::<Result<_>>()?
        } else {
            problems.map(alone).collect()
        };
        let mut found: Vec<Vec<KernelRuns>> = task.problems.iter().map(|_| vec![]).collect();
        for (at, &kernel) in kernels.iter().enumerate() {
            let runs = self.train(kernel, task, &self.plan(kernel, rows, features), progress)?;
            for ((of_problem, runs), weighed) in found.iter_mut().zip(runs).zip(&weighed) {
                let standing = weighed.kernels[at];
                of_problem.push(KernelRuns { kernel: several.then_some(kernel), standing, ..runs });
            }
        }
        let of_problem = |(problem, (mut kernels, weighed)): (usize, (Vec<KernelRuns>, &Weighed))| {
            leave_out_unlikely(&mut kernels, &task.problems[problem]);
            let process = if weighed.process > 0.0 { self.process(task, problem) } else { None };
            ProblemRuns { kernels, process: process.map(|machine| (machine, weighed.process)) }
        };
        Ok(found.into_iter().zip(&weighed).enumerate().map(of_problem).collect())
    }
}
