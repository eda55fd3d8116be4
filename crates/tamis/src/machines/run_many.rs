//! Many runs side by side: as many at a time as there are threads, an iteration of each at a time.

use crate::base::{Progress, Result};
use rayon::prelude::*;

/// Something that learns step by step.
pub(crate) trait Stepwise: Send {
    /// One step; true when it was the last.
    fn step(&mut self) -> bool;
    /// Where it is.
    fn status(&self) -> Status;
}

/// Where a run is.
pub(crate) struct Status {
    pub(crate) iteration: usize,
    pub(crate) features: usize,
    pub(crate) samples: usize,
    /// NaN where there is none yet.
    pub(crate) evidence: f64,
}

/// Makes and steps `count` runs until each is over, and keeps what `finish` makes of them, in order. Only the runs
/// under way are in memory. `most` is the number of steps a run may take.
pub(crate) fn run_all<R: Stepwise, T: Send>(
    count: usize,
    most: usize,
    make: impl Fn(usize) -> R + Sync,
    finish: impl Fn(&R) -> T + Sync,
    progress: &mut dyn Progress,
) -> Result<Vec<T>> {
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let mut waiting = 0..count;
    let mut active: Vec<(usize, R)> = Vec::new();
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
        let now = active.iter().map(|(_, run)| run.status()).max_by_key(|s| s.iteration);
        if let Some(Status { iteration, features, samples, evidence }) = now {
            let of = if count > 1 { format!(" of run {}/{count}", (over + 1).min(count)) } else { String::new() };
            let evidence = if evidence.is_nan() { String::new() } else { format!(", evidence {evidence:.1}") };
            let stage = format!("iteration {iteration}{of}: {features} features, {samples} samples left{evidence}");
            let done = over * most + active.iter().map(|(_, run)| run.status().iteration).sum::<usize>();
            progress.step(&stage, done as u64, (count * most) as u64)?;
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

/// [`run_all`] for several starts of several problems: the successful runs, problem by problem.
pub(crate) fn by_problem<R: Stepwise, T: Send>(
    problems: usize,
    starts: usize,
    most: usize,
    make: impl Fn(usize) -> R + Sync,
    finish: impl Fn(&R) -> Option<T> + Sync,
    progress: &mut dyn Progress,
) -> Result<Vec<Vec<T>>> {
    let mut all = run_all(problems * starts, most, make, finish, progress)?.into_iter();
    Ok((0..problems).map(|_| all.by_ref().take(starts).flatten().collect()).collect())
}
