//! The loop of a training run, whatever the algorithm: iterate until the weights converge, the numbers break down or
//! the limit is reached, and record every iteration.

use crate::machines::machine::Machine;
use crate::machines::training_run::TrainingRun;
use crate::numeric::linalg::Matrix;
use crate::selection::detail::MachineDetail;

/// An algorithm that trains a machine, at work on one problem from one start.
pub(crate) trait Solver: Send {
    /// The number that is recorded after every iteration.
    const OBJECTIVE: Objective;

    /// The course of the run so far.
    fn record(&mut self) -> &mut RunRecord;

    /// One iteration; `None` where none can follow: at convergence, or after a numerical breakdown, when the last good
    /// state is final.
    fn iterate(&mut self) -> Option<()>;

    /// The trained machine and its record; `None` if no iteration gave a machine that can predict.
    fn trained(&self, x: &Matrix) -> Option<TrainingRun>;

    /// One iteration; true when it was the last.
    fn step(&mut self) -> bool {
        let ended = self.record().over || self.iterate().is_none();
        let record = self.record();
        record.over = ended || record.len() >= record.max_iter;
        record.over
    }

    /// How far it has come.
    fn status(&mut self) -> Status {
        let record = self.record();
        let evidence = match Self::OBJECTIVE {
            Objective::Evidence => record.last().unwrap_or(f64::NAN),
            Objective::LogLikelihood => f64::NAN,
        };
        let RunRecord { features, samples, max_iter, .. } = *record;
        Status { iteration: record.len(), max_iter, features, samples, evidence }
    }
}

/// What the number is that an algorithm records after every iteration.
pub(crate) enum Objective {
    Evidence,
    LogLikelihood,
}

/// How far a run has come.
pub(crate) struct Status {
    pub(crate) iteration: usize,
    /// The most that there can be.
    pub(crate) max_iter: usize,
    pub(crate) features: usize,
    pub(crate) samples: usize,
    /// NaN where there is none yet.
    pub(crate) evidence: f64,
}

/// An iteration: its objective, and the bases and features it had, before anything was pruned.
#[derive(Debug, Clone)]
pub(crate) struct Iteration {
    pub(crate) bases: usize,
    pub(crate) features: usize,
    pub(crate) objective: f64,
}

/// The course of a run.
#[derive(Debug, Clone)]
pub(crate) struct RunRecord {
    pub(crate) iterations: Vec<Iteration>,
    /// Features and samples that are left.
    features: usize,
    samples: usize,
    max_iter: usize,
    pub(crate) converged: bool,
    /// Whether a factorisation needed a larger diagonal on the way.
    pub(crate) jittered: bool,
    over: bool,
}

impl RunRecord {
    /// No iteration yet.
    pub(crate) fn new(samples: usize, features: usize, max_iter: usize) -> RunRecord {
        RunRecord { iterations: vec![], features, samples, max_iter, converged: false, jittered: false, over: false }
    }

    /// Notes what is left.
    pub(crate) fn pruned(&mut self, samples: usize, features: usize) {
        (self.features, self.samples) = (features, samples);
    }

    /// How many iterations there were.
    pub(crate) fn len(&self) -> usize {
        self.iterations.len()
    }

    /// The objective after the last iteration.
    pub(crate) fn last(&self) -> Option<f64> {
        self.iterations.last().map(|i| i.objective)
    }

    /// Adds an iteration, before anything is pruned.
    pub(crate) fn push(&mut self, objective: f64) {
        self.iterations.push(Iteration { bases: self.samples, features: self.features, objective });
    }

    /// The result of a run that ended with this machine on the rows `samples`.
    pub(crate) fn training_run<S: Solver>(&self, machine: Machine, samples: &[usize], collapsed: bool) -> TrainingRun {
        let objectives: Vec<f64> = self.iterations.iter().map(|i| i.objective).collect();
        let (evidence, log_likelihood) = match S::OBJECTIVE {
            Objective::Evidence => (objectives, vec![]),
            Objective::LogLikelihood => (vec![], objectives),
        };
        let detail = MachineDetail {
            evidence,
            log_likelihood,
            features_left: self.iterations.iter().map(|i| i.features).collect(),
            samples_left: self.iterations.iter().map(|i| i.bases).collect(),
            samples: samples.iter().map(|&i| i as u32).collect(),
            ..MachineDetail::default()
        };
        TrainingRun {
            machine,
            detail,
            evidence: self.last().unwrap_or(f64::NEG_INFINITY),
            converged: self.converged,
            start: 0,
            jittered: self.jittered,
            collapsed,
            failed: false,
        }
    }
}
