//! The loop of a training run, whatever the algorithm: iterate until the weights converge, the numbers break down or
//! the limit is reached, and record every iteration.

use crate::machines::active_set::ActiveSet;
use crate::machines::machine::Machine;
use crate::machines::one_vs_rest::TrainingRun;
use crate::numeric::linalg::Matrix;
use crate::selection::detail::MachineDetail;

/// An algorithm that trains a machine, at work on one problem from one start.
pub(crate) trait Solver: Send {
    /// The number that is recorded after every iteration.
    const OBJECTIVE: Objective;

    fn active(&self) -> &ActiveSet<'_>;
    fn record(&self) -> &RunRecord;
    fn record_mut(&mut self) -> &mut RunRecord;
    fn max_iter(&self) -> usize;

    /// One iteration; `None` where none can follow: at convergence, or after a numerical breakdown, when the last good
    /// state is final.
    fn iterate(&mut self) -> Option<()>;

    /// The trained machine and its record; `None` if no iteration gave a machine that can predict.
    fn trained(&self, x: &Matrix) -> Option<TrainingRun>;

    /// One iteration; true when it was the last.
    fn step(&mut self) -> bool {
        let over = self.record().over || self.iterate().is_none() || self.record().len() >= self.max_iter();
        self.record_mut().over = over;
        over
    }

    /// How far it has come.
    fn status(&self) -> Status {
        let evidence = match Self::OBJECTIVE {
            Objective::Evidence => self.record().last().unwrap_or(f64::NAN),
            Objective::LogLikelihood => f64::NAN,
        };
        let active = self.active();
        Status {
            iteration: self.record().len(),
            features: active.features.len(),
            samples: active.bases.len(),
            evidence,
        }
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
#[derive(Debug, Clone, Default)]
pub(crate) struct RunRecord {
    pub(crate) iterations: Vec<Iteration>,
    pub(crate) converged: bool,
    /// Whether a factorisation needed a larger diagonal on the way.
    pub(crate) jittered: bool,
    over: bool,
}

impl RunRecord {
    /// How many iterations there were.
    pub(crate) fn len(&self) -> usize {
        self.iterations.len()
    }

    /// The objective after the last iteration.
    pub(crate) fn last(&self) -> Option<f64> {
        self.iterations.last().map(|i| i.objective)
    }

    pub(crate) fn push(&mut self, active: &ActiveSet, objective: f64) {
        self.iterations.push(Iteration { bases: active.bases.len(), features: active.features.len(), objective });
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
            jittered: self.jittered,
            collapsed,
        }
    }
}
