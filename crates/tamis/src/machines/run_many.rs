//! Many runs side by side: as many at a time as there are threads, an iteration of each at a time.

use crate::base::{Progress, Result};
use crate::machines::basis_parameters::BasisParameters;
use crate::machines::kernel::Kernel;
use crate::machines::one_vs_rest::TrainingProblems;
use crate::machines::solver::{Solver, Status};
use crate::machines::training_run::TrainingRun;
use crate::numeric::linalg::Matrix;
use rayon::prelude::*;

/// Makes and steps `count` runs until each is over, and keeps what `finish` makes of them, in order. Only the runs
/// under way are in memory.
pub(super) fn run_all<S: Solver, T: Send>(
    count: usize,
    make: impl Fn(usize) -> S + Sync,
    finish: impl Fn(&S) -> T + Sync,
    progress: &mut dyn Progress,
) -> Result<Vec<T>> {
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let mut waiting = 0..count;
    let mut active: Vec<(usize, S)> = Vec::new();
    let width = rayon::current_num_threads();
    loop {
        let free = width.saturating_sub(active.len());
        let next: Vec<usize> = waiting.by_ref().take(free).collect();
        active.par_extend(next.into_par_iter().map(|at| (at, make(at))));
        if active.is_empty() {
            return Ok(results.into_iter().flatten().collect()); // every run has ended
        }
        let ended: Vec<Option<T>> = active.par_iter_mut().map(|(_, run)| run.step().then(|| finish(run))).collect();
        let over = results.iter().flatten().count();
        let now = active.iter_mut().map(|(_, run)| run.status()).max_by_key(|s| s.iteration);
        if let Some(Status { iteration, max_iter, features, samples, evidence }) = now {
            let of = if count > 1 { format!(" of run {}/{count}", (over + 1).min(count)) } else { String::new() };
            let evidence = if evidence.is_nan() { String::new() } else { format!(", evidence {evidence:.1}") };
            let samples = if samples > 0 { format!(", {samples} samples") } else { String::new() };
            let stage = format!("iteration {iteration}{of}: {features} features{samples} left{evidence}");
            let done = over * max_iter + active.iter_mut().map(|(_, run)| run.status().iteration).sum::<usize>();
            progress.step(&stage, done as u64, (count * max_iter) as u64)?;
        }
        let mut ended = ended.into_iter();
        active.retain_mut(|(at, _)| match ended.next().flatten() {
            Some(result) => {
                results[*at] = Some(result);
                false
            }
            None => true,
        });
    }
}

/// Trains every problem from every start, one run of `new` for each pair: the runs that succeed, problem by problem.
pub(super) fn train<'a, S: Solver, O: Clone + Sync>(
    task: &TrainingProblems<'a>,
    basis: &BasisParameters,
    starts: &[O],
    new: impl Fn(Kernel, &'a Matrix, &'a [f64], Vec<usize>, O) -> S + Sync,
    progress: &mut dyn Progress,
) -> Result<Vec<Vec<TrainingRun>>> {
    train_with(basis.of_features(task.x.n_columns()), task, basis, starts, new, progress)
}

/// [`train`] with a kernel of another scale.
pub(super) fn train_with<'a, S: Solver, O: Clone + Sync>(
    kernel: Kernel,
    task: &TrainingProblems<'a>,
    basis: &BasisParameters,
    starts: &[O],
    new: impl Fn(Kernel, &'a Matrix, &'a [f64], Vec<usize>, O) -> S + Sync,
    progress: &mut dyn Progress,
) -> Result<Vec<Vec<TrainingRun>>> {
    let TrainingProblems { x, problems, seed, .. } = *task;
    let make = |at: usize| {
        let (problem, start) = (at / starts.len(), at % starts.len());
        let y = &problems[problem];
        new(kernel, x, y, basis.draw(y, seed, problem, start), starts[start].clone())
    };
    let mut all = run_all(problems.len() * starts.len(), make, |run| run.trained(x), progress)?.into_iter();
    let of_problem = |runs: Vec<Option<TrainingRun>>| -> Vec<TrainingRun> {
        let with_start = |(start, run): (usize, Option<TrainingRun>)| run.map(|run| TrainingRun { start, ..run });
        runs.into_iter().enumerate().filter_map(with_start).collect()
    };
    Ok(problems.iter().map(|_| of_problem(all.by_ref().take(starts.len()).collect())).collect())
}
