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
    /// Whether they take part in predictions, and with what weight.
    pub(crate) standing: Standing,
    /// The least evidence of a run that predicts.
    pub(crate) least_evidence: f64,
}

/// A problem's runs, kernel by kernel, and what predicts beside them.
pub(crate) struct ProblemRuns {
    pub(crate) kernels: Vec<KernelRuns>,
    /// A machine that predicts with this weight beside the kernels and selects nothing.
    pub(crate) process: Option<(Machine, f64)>,
}

impl ProblemRuns {
    /// For every problem the runs of a method that has one kernel, the likeliest of which predicts.
    pub(crate) fn of_problems(problems: Vec<Vec<TrainingRun>>) -> Vec<ProblemRuns> {
        let one = |runs: Vec<TrainingRun>| ProblemRuns { kernels: vec![KernelRuns::new(runs, 1)], process: None };
        problems.into_iter().map(one).collect()
    }

    /// Whether any run found something.
    pub(crate) fn knows(&self) -> bool {
        self.kernels.iter().any(|kernel| kernel.voters().next().is_some())
    }

    /// The machines that predict, and their weights; none where nothing was found.
    pub(crate) fn machines(&self) -> (Vec<Machine>, Vec<f64>) {
        let process = self.process.iter().filter(|_| self.knows());
        let rest = 1.0 - process.clone().map(|(_, weight)| weight).sum::<f64>();
        let of_kernels =
            KernelRuns::weighted(&self.kernels).into_iter().map(|(run, weight)| (&run.machine, weight * rest));
        let all = of_kernels.chain(process.map(|(machine, weight)| (machine, *weight)));
        all.filter(|(_, weight)| *weight > 0.0).map(|(machine, weight)| (machine.clone(), weight)).unzip()
    }
}

/// What rows that were held out say of the runs of a kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Standing {
    /// They predict with this weight.
    Predicts(f64),
    /// They predict no better than the shares of the classes.
    BelowShares,
    /// They add nothing to what a simpler kernel predicts.
    AddsNothing,
}

impl Standing {
    /// The weight of predictions; 0 where there are none.
    pub(crate) fn weight(self) -> f64 {
        match self {
            Standing::Predicts(weight) => weight,
            Standing::BelowShares | Standing::AddsNothing => 0.0,
        }
    }

    /// With the weight times a factor.
    pub(crate) fn scaled(self, by: f64) -> Standing {
        match self {
            Standing::Predicts(weight) if weight * by > 0.0 => Standing::Predicts(weight * by),
            Standing::Predicts(_) => Standing::AddsNothing,
            other => other,
        }
    }
}

/// The share of the likeliest run's gain in evidence over the classes' shares that a run must have to predict.
const WORTHWHILE_GAIN: f64 = 0.1;

/// Runs predict only if they gain enough evidence beside the likeliest run of any kernel that takes part: an average with
/// machines that found nothing would hide what another found.
pub(crate) fn leave_out_unlikely(kernels: &mut [KernelRuns], y: &[f64]) {
    let likeliest = |kernel: &KernelRuns| kernel.runs.first().map(|run| run.evidence);
    let predicts = |kernel: &&KernelRuns| kernel.standing.weight() > 0.0;
    let best = kernels.iter().filter(predicts).filter_map(likeliest).fold(f64::NEG_INFINITY, f64::max);
    let least = least_evidence(best, y);
    kernels.iter_mut().for_each(|kernel| kernel.least_evidence = least);
}

/// The log likelihood of the signs' shares and a part of what the best evidence gains; −∞ where that gains nothing.
fn least_evidence(best: f64, y: &[f64]) -> f64 {
    let rows = |sign: f64| y.iter().filter(|y| **y == sign).count() as f64;
    let of_sign = |n: f64| if n > 0.0 { n * (n / y.len() as f64).ln() } else { 0.0 };
    let by_shares = of_sign(rows(-1.0)) + of_sign(rows(1.0));
    if best > by_shares { by_shares + WORTHWHILE_GAIN * (best - by_shares) } else { f64::NEG_INFINITY }
}

impl KernelRuns {
    /// Runs in any order, of which the likeliest predict.
    pub(crate) fn new(mut runs: Vec<TrainingRun>, average: usize) -> KernelRuns {
        runs.sort_by(|a, b| b.evidence.total_cmp(&a.evidence));
        let standing = Standing::Predicts(1.0);
        KernelRuns { kernel: None, runs, average, standing, least_evidence: f64::NEG_INFINITY }
    }

    /// The runs that predict.
    pub(crate) fn voters(&self) -> impl Iterator<Item = &TrainingRun> {
        let likely = self.runs.iter().filter(|run| !run.failed && run.evidence >= self.least_evidence);
        likely.take(if self.standing.weight() > 0.0 { self.average } else { 0 })
    }

    /// The runs that predict, each with its weight: a kernel's is shared alike by its runs. The weights sum to 1.
    pub(crate) fn weighted(kernels: &[KernelRuns]) -> Vec<(&TrainingRun, f64)> {
        let mut found = Vec::new();
        for kernel in kernels {
            let n = kernel.voters().count() as f64;
            found.extend(kernel.voters().map(|run| (run, kernel.standing.weight() / n)));
        }
        let total: f64 = found.iter().map(|(_, weight)| weight).sum();
        found.iter_mut().for_each(|(_, weight)| *weight /= total);
        found
    }

    /// The runs that predict, to be changed.
    pub(crate) fn voters_mut(&mut self) -> impl Iterator<Item = &mut TrainingRun> {
        let least = self.least_evidence;
        let likely = self.runs.iter_mut().filter(move |run| !run.failed && run.evidence >= least);
        likely.take(if self.standing.weight() > 0.0 { self.average } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::least_evidence;

    #[test]
    fn a_run_must_gain_a_tenth_of_what_the_best_gains() {
        let y = [1.0, 1.0, -1.0, -1.0];
        let by_shares = 4.0 * 0.5_f64.ln();
        assert!((least_evidence(by_shares + 1.0, &y) - (by_shares + 0.1)).abs() < 1e-12);
        assert_eq!(least_evidence(by_shares - 1.0, &y), f64::NEG_INFINITY, "no run gains anything: none is left out");
        assert_eq!(least_evidence(f64::NEG_INFINITY, &y), f64::NEG_INFINITY, "every run failed");
        assert!((least_evidence(2.0, &[1.0, 1.0]) - 0.2).abs() < 1e-12, "one sign only");
    }
}
