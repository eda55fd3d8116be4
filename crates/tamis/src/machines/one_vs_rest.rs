//! One machine per class against the rest: standardise the rows, train, and combine the machines.

use super::block::double_blocks;
use super::classifier::Machines;
use super::machine::Machine;
use super::training_run::{KernelRuns, ProblemRuns, Standing, TrainingRun};
use crate::base::{Context, Describe, Error, Note, NoteKind, OptionName, Place, Progress, Result, text};
use crate::model::standardise::{Standardise, StandardisedRows};
use crate::model::{Classifier, Training};
use crate::numeric::linalg::Matrix;
use crate::numeric::measure_checks::ONE_CLASS;
use crate::selection::detail::{ClassPredictions, MachineDetail};
use crate::selection::{RankedFeatures, Selection};
use crate::table::{Target, View};

/// Standardised rows, and problems of two classes on them.
#[derive(Clone, Copy)]
pub(crate) struct TrainingProblems<'a> {
    pub(crate) x: &'a Matrix,
    /// For every problem a sign per row.
    pub(crate) problems: &'a [Vec<f64>],
    /// How often each row counts, for methods that take weights.
    pub(crate) weights: Option<&'a [f64]>,
    /// The group of every row, where rows belong together.
    pub(crate) groups: Option<&'a [u32]>,
    pub(crate) seed: u64,
}

/// A method that learns to tell two classes apart.
pub(crate) trait Learner: Describe + Sync {
    /// Whether rows are standardised over the features first.
    fn samplewise(&self) -> bool;

    /// Whether rows may have weights.
    fn takes_weights(&self) -> bool {
        false
    }

    /// The runs of every problem.
    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<ProblemRuns>>;
}

/// Parts of 0…1 that predictions are counted in.
const PARTS: usize = 20;

/// How far sums of weights may be off.
const ROUNDING: f64 = 1e-9;

/// Counts what a machine says of the rows of each class.
///
/// Cost: rows × bases × (features + bases).
fn predictions(machine: &Machine, x: &Matrix, data: &View) -> Vec<ClassPredictions> {
    let Target::Classes { codes, labels, .. } = data.target() else { return vec![] };
    let new = |class: &String| ClassPredictions { class: class.clone(), counts: vec![0; PARTS] };
    let mut found: Vec<ClassPredictions> = labels.iter().map(new).collect();
    let prepared = machine.prepare();
    let blocks = double_blocks(&x.select_columns(&machine.features), machine.bases.len());
    let p = blocks.iter().flat_map(|block| prepared.predict(block).1);
    for (&row, p) in data.rows().iter().zip(p) {
        let part = ((p * PARTS as f64) as usize).min(PARTS - 1);
        found[codes[row as usize] as usize].counts[part] += 1;
    }
    found
}

/// The runs of every class.
struct ClassRuns {
    learned: StandardisedRows,
    /// Which class each list of runs tells from the others.
    classes: Vec<usize>,
    /// Its share of the rows.
    shares: Vec<f64>,
    runs: Vec<ProblemRuns>,
    notes: Vec<Note>,
}

/// Every class against the others, or two classes once; a class without rows is left out.
fn learn<L: Learner>(learner: &L, data: &View, context: &mut Context) -> Result<ClassRuns> {
    learner.validate()?;
    let name = L::info().name;
    if data.weights().is_some() && !learner.takes_weights() {
        let problem = "takes no weights";
        return Err(Error::method(name, problem, text!["remove ", OptionName::Weight]));
    }
    data.target().refuse_survival(name)?;
    let Target::Classes { codes, .. } = data.target() else {
        return Err(Error::method(name, "needs classes", text!["pass ", OptionName::Task.set("classes")]));
    };
    let learned = Standardise::learn(data, learner.samplewise())?;
    let mut notes = learned.notes.clone();
    let counts = data.class_counts();
    let present: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
    if present.len() < 2 {
        return Err(Error::data(Place::default(), ONE_CLASS, "give rows of at least two classes"));
    }
    let classes = if counts.len() == 2 { vec![data.target().positive()] } else { present };
    let signs = |&class: &usize| -> Vec<f64> {
        data.rows().iter().map(|&r| if codes[r as usize] as usize == class { 1.0 } else { -1.0 }).collect()
    };
    let problems: Vec<Vec<f64>> = classes.iter().map(signs).collect();
    let weights: Option<Vec<f64>> = data.weights().map(|w| data.rows().iter().map(|&r| w[r as usize]).collect());
    let weights = weights.as_deref();
    let groups: Option<Vec<u32>> = data.groups().map(|g| data.rows().iter().map(|&r| g.codes()[r as usize]).collect());
    let task =
        TrainingProblems { x: &learned.x, problems: &problems, weights, groups: groups.as_deref(), seed: context.seed };
    let runs = learner.learn(&task, context)?;
    notes.extend(notes_on(&runs));
    let shares = problems.iter().map(|y| share(y, weights)).collect();
    Ok(ClassRuns { learned, classes, shares, runs, notes })
}

/// The share of the rows of sign 1.
pub(crate) fn share(y: &[f64], weights: Option<&[f64]>) -> f64 {
    let weight = |at: usize| weights.map_or(1.0, |w| w[at]);
    let all: f64 = (0..y.len()).map(weight).sum();
    (0..y.len()).filter(|&at| y[at] > 0.0).map(weight).sum::<f64>() / all
}

/// Notes on runs that went wrong, and on kernels that are left out.
fn notes_on(problems: &[ProblemRuns]) -> Vec<Note> {
    let mut notes = Vec::new();
    let best = || problems.iter().flat_map(|problem| &problem.kernels).filter_map(|kernel| kernel.voters().next());
    if best().any(|run| run.jittered) {
        let text = "a matrix was nearly singular: features may be copies of each other";
        notes.push(Note::new(NoteKind::Jitter, text));
    }
    if best().any(|run| run.collapsed) {
        let text = "all weights were pruned in one step; the previous iteration is reported, with little support";
        notes.push(Note::new(NoteKind::NotConverged, text));
    } else if best().any(|run| !run.converged) {
        let text = text![
            "the last iteration still changed the fit, so the result is not reliable; raise ",
            OptionName::from("max_iter")
        ];
        notes.push(Note::new(NoteKind::NotConverged, text));
    }
    let nothing = problems.iter().filter(|problem| !problem.knows()).count();
    if nothing < problems.len() {
        notes.extend(notes_on_kernels(problems));
    }
    if nothing > 0 {
        let which =
            if problems.len() == 1 { String::new() } else { format!(" for {nothing} of {} classes", problems.len()) };
        let text = format!(
            "nothing found{which}: all weights were pruned, or held-out rows are predicted no better than by the class \
             frequencies; these frequencies are predicted, and no feature is selected"
        );
        notes.push(Note::new(NoteKind::NoEvidence, text));
    }
    notes
}

/// Which kernels take no part in the predictions of a class, and why.
fn notes_on_kernels(problems: &[ProblemRuns]) -> Vec<Note> {
    let kernels = problems.iter().flat_map(|problem| &problem.kernels);
    let silent = kernels.filter(|kernel| kernel.voters().next().is_none());
    let why = |kernel: &KernelRuns| {
        let why = match kernel.standing {
            Standing::Predicts(_) => "explains the rows far less than another kernel",
            Standing::BelowShares => "is no better than the class frequencies on held-out rows",
            Standing::AddsNothing => "adds nothing to the other kernels on held-out rows",
        };
        Some((kernel.kernel?.name(), why))
    };
    let mut reasons: Vec<(&str, &str)> = silent.filter_map(why).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let note = |(kernel, why): (&str, &str)| {
        let text = text![OptionName::from("kernel").set(kernel), format!(" {why}; it takes no part in predictions")];
        Note::new(NoteKind::KernelLeftOut, text)
    };
    reasons.into_iter().map(note).collect()
}

impl<L: Learner> Classifier for L {
    type Fitted = Machines;

    fn fit(&self, data: &View, context: &mut Context) -> Result<Training<Machines>> {
        Ok(learn(self, data, context)?.training(data))
    }

    fn fit_selecting(&self, data: &View, context: &mut Context) -> Result<(Training<Machines>, Option<Selection>)> {
        let all = learn(self, data, context)?;
        Ok((all.training(data), Some(all.selection(self, data, context.seed))))
    }
}

/// The features that any class keeps; each counts by the class that makes most of it.
pub(crate) fn select(learner: &impl Learner, data: &View, context: &mut Context) -> Result<Selection> {
    Ok(learn(learner, data, context)?.selection(learner, data, context.seed))
}

impl ClassRuns {
    fn training(&self, data: &View) -> Training<Machines> {
        let machines = self.runs.iter().map(ProblemRuns::machines);
        let (machines, weights): (Vec<Vec<Machine>>, Vec<Vec<f64>>) = machines.unzip();
        let alike = |weights: &Vec<f64>| weights.iter().all(|v| (v * weights.len() as f64 - 1.0).abs() < 1e-12);
        let unknown = machines.iter().zip(&self.shares).map(|(m, share)| m.is_empty().then_some(*share));
        let unknown: Vec<Option<f64>> = unknown.collect();
        let machines = Machines {
            standardise: self.learned.standardise.clone(),
            n_classes: data.class_counts().len(),
            classes: self.classes.clone(),
            shares: if unknown.iter().all(Option::is_none) { vec![] } else { unknown },
            weights: if weights.iter().all(alike) { vec![] } else { weights },
            machines,
        };
        Training { fitted: machines, notes: self.notes.clone() }
    }

    fn selection(self, learner: &impl Learner, data: &View, seed: u64) -> Selection {
        let ClassRuns { learned, classes, runs, notes, .. } = self;
        let no_evidence = runs.iter().all(|of_class| !of_class.knows());
        let features = data.names().len();
        let mut scores = vec![f64::NAN; features];
        learned.features.iter().for_each(|&i| scores[i as usize] = 0.0);
        let labels = match data.target() {
            Target::Classes { labels, .. } => labels.clone(),
            Target::Real { .. } | Target::Survival { .. } => vec![],
        };
        let theta = |run: &TrainingRun| {
            let mut theta = vec![0.0; features];
            for (&k, &t) in run.machine.features.iter().zip(&run.machine.theta) {
                theta[learned.features[k] as usize] = t;
            }
            theta
        };
        let mut converged = true;
        let mut details = Vec::new();
        for (of_class, class) in runs.into_iter().zip(classes) {
            let voters = KernelRuns::weighted(&of_class.kernels).into_iter();
            let voters: Vec<(Vec<f64>, f64)> = voters.map(|(run, weight)| (theta(run), weight)).collect();
            scores.iter_mut().zip(agreed(&voters)).for_each(|(score, t)| *score = score.max(t));
            for kernel in of_class.kernels {
                let starts = kernel.runs.len();
                let Some(run) = kernel.runs.into_iter().next() else { continue };
                converged &= run.converged || run.failed;
                let samples = run.detail.samples.iter().map(|&i| data.rows()[i as usize]).collect();
                details.push(MachineDetail {
                    class: labels[class].clone(),
                    kernel: kernel.kernel.map(|shape| shape.name().to_string()),
                    theta: if run.failed { vec![0.0; features] } else { theta(&run) },
                    samples: if run.failed { vec![] } else { samples },
                    predicted: if run.failed { vec![] } else { predictions(&run.machine, &learned.x, data) },
                    starts,
                    ..run.detail
                });
            }
        }
        let mut selected: Vec<u32> = (0..features as u32).filter(|&i| scores[i as usize] > 0.0).collect();
        selected.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        let mut selection =
            RankedFeatures { order: selected, scores, notes }.into_selection(data, learner.record(), seed);
        selection.no_evidence = no_evidence;
        selection.converged = converged;
        selection.iterations = details.iter().map(|d| d.features_left.len()).max().unwrap_or(0);
        selection.detail.machines = details;
        selection
    }
}

/// The weight of each feature relative to the largest, on average over machines, which have weights of sum 1; 0 where
/// machines of less than half of the weight keep it.
fn agreed(machines: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let Some((first, _)) = machines.first() else { return vec![] };
    let mut sums = vec![0.0; first.len()];
    let mut kept = vec![0.0; first.len()];
    for (theta, weight) in machines {
        // whatever the kernel's own scale
        let largest = theta.iter().copied().fold(1e-300, f64::max);
        for (at, t) in theta.iter().enumerate() {
            sums[at] += weight * t / largest;
            kept[at] += if *t > 0.0 { *weight } else { 0.0 };
        }
    }
    sums.iter().zip(kept).map(|(sum, kept)| if kept >= 0.5 - ROUNDING { *sum } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::kernel::KernelShape;
    use super::*;

    #[test]
    fn no_kernel_is_compared_with_itself() {
        let linear = KernelRuns {
            kernel: Some(KernelShape::Linear),
            standing: Standing::AddsNothing,
            ..KernelRuns::new(vec![], 1)
        };
        let notes = notes_on_kernels(&[ProblemRuns { kernels: vec![linear], process: None }]);
        let said =
            "`kernel = linear` adds nothing to the other kernels on held-out rows; it takes no part in predictions";
        assert_eq!(notes[0].to_string(), said);
    }
}
