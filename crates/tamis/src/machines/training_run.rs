//! The result of a run, and the runs of a problem, of which some predict.

use crate::machines::kernel::KernelShape;
use crate::machines::machine::Machine;
use crate::selection::detail::MachineDetail;

/// A machine whose f has a smaller standard deviation over the training rows tells nothing apart.
const FLAT: f64 = 1e-3;

/// The result of a run.
pub(crate) struct TrainingRun {
    pub(crate) machine: Machine,
    pub(crate) detail: MachineDetail,
    /// The criterion that chooses the best of several runs; −∞ where the run failed.
    pub(crate) evidence: f64,
    /// The place of the run among the starts.
    pub(crate) start: usize,
    pub(crate) converged: bool,
    pub(crate) jittered: bool,
    /// It ended because everything dropped out or left the range of numbers; the state before stands.
    pub(crate) collapsed: bool,
    /// f is the same for every row: the machine knows nothing, and whatever it kept means nothing.
    pub(crate) failed: bool,
}

impl TrainingRun {
    /// The run, failed if `f` of the training rows is flat.
    pub(crate) fn checked(self, f: &[f64]) -> TrainingRun {
        let failed = is_flat(f);
        TrainingRun { failed, evidence: if failed { f64::NEG_INFINITY } else { self.evidence }, ..self }
    }
}

/// Whether numbers are all the same, or not numbers.
fn is_flat(f: &[f64]) -> bool {
    let n = f.len().max(1) as f64;
    let mean = f.iter().sum::<f64>() / n;
    let variance = f.iter().map(|f| (f - mean) * (f - mean)).sum::<f64>() / n;
    variance.is_nan() || variance.sqrt() < FLAT
}

/// The runs of one problem with one kernel, the likeliest first and those that failed last.
pub(crate) struct KernelRuns {
    /// The kernel, where several are tried.
    pub(crate) kernel: Option<KernelShape>,
    pub(crate) runs: Vec<TrainingRun>,
    /// How many of the runs predict together, unless they failed.
    pub(crate) average: usize,
    /// Whether they take part in predictions: on rows held out they do better than the shares of the classes.
    pub(crate) enters: bool,
}

impl KernelRuns {
    /// Runs in any order, of which the likeliest predict.
    pub(crate) fn new(mut runs: Vec<TrainingRun>, average: usize) -> KernelRuns {
        runs.sort_by(|a, b| b.evidence.total_cmp(&a.evidence));
        KernelRuns { kernel: None, runs, average, enters: true }
    }

    /// For every problem the runs of a method that has one kernel, the likeliest of which predicts.
    pub(crate) fn of_problems(problems: Vec<Vec<TrainingRun>>) -> Vec<Vec<KernelRuns>> {
        problems.into_iter().map(|runs| vec![KernelRuns::new(runs, 1)]).collect()
    }

    /// The runs that predict.
    pub(crate) fn voters(&self) -> impl Iterator<Item = &TrainingRun> {
        self.runs.iter().filter(|run| !run.failed).take(if self.enters { self.average } else { 0 })
    }

    /// The runs that predict, to be changed.
    pub(crate) fn voters_mut(&mut self) -> impl Iterator<Item = &mut TrainingRun> {
        self.runs.iter_mut().filter(|run| !run.failed).take(if self.enters { self.average } else { 0 })
    }
}
