//! One machine per class against the rest: standardise the rows, train, and combine the machines.

use super::basis_parameters::BasisParameters;
use super::classifier::Machines;
use super::machine::Machine;
use crate::base::{Context, Describe, Error, Note, NoteKind, OptionName, Place, Progress, Result, text};
use crate::model::standardise::{Standardise, StandardisedRows};
use crate::model::{Classifier, Training};
use crate::numeric::linalg::Matrix;
use crate::selection::detail::{ClassPredictions, MachineDetail};
use crate::selection::{RankedFeatures, Selection};
use crate::table::{Target, View};

/// Standardised rows, and problems of two classes on them.
#[derive(Clone, Copy)]
pub(crate) struct TrainingProblems<'a> {
    pub(crate) x: &'a Matrix,
    /// For every problem a sign per row.
    pub(crate) problems: &'a [Vec<f64>],
    pub(crate) seed: u64,
}

/// A method that learns to tell two classes apart.
pub(crate) trait Learner: Describe + Sync {
    fn basis(&self) -> &BasisParameters;

    /// Machines whose probabilities are averaged, the likeliest first.
    fn average(&self) -> usize {
        1
    }

    /// One or several runs per problem; failed runs are left out.
    fn learn(&self, task: &TrainingProblems, progress: &mut dyn Progress) -> Result<Vec<Vec<TrainingRun>>>;
}

/// The result of a run.
pub(crate) struct TrainingRun {
    pub(crate) machine: Machine,
    pub(crate) detail: MachineDetail,
    /// The criterion that chooses the best of several runs.
    pub(crate) evidence: f64,
    pub(crate) converged: bool,
    pub(crate) jittered: bool,
    /// It ended because everything dropped out or left the range of numbers; the state before stands.
    pub(crate) collapsed: bool,
}

/// Parts of 0…1 that predictions are counted in.
const PARTS: usize = 20;

/// Counts what a machine says of the rows of each class.
///
/// Cost: rows × bases × (features + bases).
fn predictions(machine: &Machine, x: &Matrix, data: &View) -> Vec<ClassPredictions> {
    let Target::Classes { codes, labels, .. } = data.target() else { return vec![] };
    let (_, p) = machine.prepare().predict(&x.select_columns(&machine.features));
    let new = |class: &String| ClassPredictions { class: class.clone(), counts: vec![0; PARTS] };
    let mut found: Vec<ClassPredictions> = labels.iter().map(new).collect();
    for (&row, p) in data.rows().iter().zip(p) {
        let part = ((p * PARTS as f64) as usize).min(PARTS - 1);
        found[codes[row as usize] as usize].counts[part] += 1;
    }
    found
}

/// The runs of every class, the likeliest first.
struct ClassRuns {
    learned: StandardisedRows,
    /// Which class each list of runs tells from the others.
    classes: Vec<usize>,
    runs: Vec<Vec<TrainingRun>>,
    notes: Vec<Note>,
}

/// Every class against the others, or two classes once; a class without rows is left out.
fn learn<L: Learner>(learner: &L, data: &View, context: &mut Context) -> Result<ClassRuns> {
    learner.validate()?;
    let name = L::info().name;
    if data.weights().is_some() {
        let problem = "takes no weights";
        return Err(Error::method(name, problem, text!["remove ", OptionName::Weight]));
    }
    data.target().refuse_survival(name)?;
    let Target::Classes { codes, .. } = data.target() else {
        return Err(Error::method(name, "needs classes", text!["pass ", OptionName::Task.set("classes")]));
    };
    let learned = Standardise::learn(data, learner.basis().samplewise)?;
    let mut notes = learned.notes.clone();
    let counts = data.class_counts();
    let present: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
    if present.len() < 2 {
        let problem = "all rows are of one class";
        return Err(Error::data(Place::default(), problem, "give rows of at least two classes"));
    }
    let classes = if counts.len() == 2 { vec![data.target().positive()] } else { present };
    let signs = |&class: &usize| -> Vec<f64> {
        data.rows().iter().map(|&r| if codes[r as usize] as usize == class { 1.0 } else { -1.0 }).collect()
    };
    let problems: Vec<Vec<f64>> = classes.iter().map(signs).collect();
    let task = TrainingProblems { x: &learned.x, problems: &problems, seed: context.seed };
    let mut runs = learner.learn(&task, context)?;
    for of_class in &mut runs {
        if of_class.is_empty() {
            let problem = "nothing can be learned from these rows";
            return Err(Error::data(Place::default(), problem, "check features and labels"));
        }
        let starts = of_class.len();
        of_class.sort_by(|a, b| b.evidence.total_cmp(&a.evidence));
        of_class.iter_mut().for_each(|run| run.detail.starts = starts);
    }
    let best = || runs.iter().map(|of_class| &of_class[0]);
    if best().any(|run| run.jittered) {
        let text = "a matrix was nearly singular: features may be copies of each other";
        notes.push(Note::new(NoteKind::Jitter, text));
    }
    if best().any(|run| run.collapsed) {
        let text = "every weight dropped out at once; the iteration before is reported, but the data hardly support it";
        notes.push(Note::new(NoteKind::NotConverged, text));
    } else if best().any(|run| !run.converged) {
        let text = "the last iteration still changed the fit, so the result is not reliable; raise `max_iter`";
        notes.push(Note::new(NoteKind::NotConverged, text));
    }
    Ok(ClassRuns { learned, classes, runs, notes })
}

impl<L: Learner> Classifier for L {
    type Fitted = Machines;

    fn fit(&self, data: &View, context: &mut Context) -> Result<Training<Machines>> {
        Ok(learn(self, data, context)?.training(self, data))
    }

    fn fit_selecting(&self, data: &View, context: &mut Context) -> Result<(Training<Machines>, Option<Selection>)> {
        let all = learn(self, data, context)?;
        Ok((all.training(self, data), Some(all.selection(self, data, context.seed))))
    }
}

/// The features that any class keeps; each counts by the class that makes most of it.
pub(crate) fn select(learner: &impl Learner, data: &View, context: &mut Context) -> Result<Selection> {
    Ok(learn(learner, data, context)?.selection(learner, data, context.seed))
}

impl ClassRuns {
    fn training(&self, learner: &impl Learner, data: &View) -> Training<Machines> {
        let average = learner.average();
        let first =
            |of_class: &Vec<TrainingRun>| of_class.iter().take(average).map(|run| run.machine.clone()).collect();
        let machines = Machines {
            standardise: self.learned.standardise.clone(),
            n_classes: data.class_counts().len(),
            classes: self.classes.clone(),
            machines: self.runs.iter().map(first).collect(),
        };
        Training { fitted: machines, notes: self.notes.clone() }
    }

    fn selection(self, learner: &impl Learner, data: &View, seed: u64) -> Selection {
        let ClassRuns { learned, classes, runs, notes } = self;
        let features = data.names().len();
        let mut scores = vec![f64::NAN; features];
        learned.features.iter().for_each(|&i| scores[i as usize] = 0.0);
        let labels = match data.target() {
            Target::Classes { labels, .. } => labels.clone(),
            Target::Real { .. } | Target::Survival { .. } => vec![],
        };
        let best: Vec<TrainingRun> = runs.into_iter().filter_map(|of_class| of_class.into_iter().next()).collect();
        let converged = best.iter().all(|run| run.converged);
        let mut details = Vec::new();
        for (run, class) in best.into_iter().zip(classes) {
            let mut theta = vec![0.0; features];
            for (&k, &t) in run.machine.features.iter().zip(&run.machine.theta) {
                theta[learned.features[k] as usize] = t;
            }
            // whatever the kernel's own scale
            let largest = theta.iter().copied().fold(1e-300, f64::max);
            for (score, t) in scores.iter_mut().zip(&theta) {
                *score = score.max(t / largest);
            }
            let samples = run.detail.samples.iter().map(|&i| data.rows()[i as usize]).collect();
            let predicted = predictions(&run.machine, &learned.x, data);
            details.push(MachineDetail { class: labels[class].clone(), theta, samples, predicted, ..run.detail });
        }
        let mut selected: Vec<u32> = (0..features as u32).filter(|&i| scores[i as usize] > 0.0).collect();
        selected.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        let mut selection =
            RankedFeatures { order: selected, scores, notes }.into_selection(data, learner.record(), seed);
        selection.converged = converged;
        selection.iterations = details.iter().map(|d| d.features_left.len()).max().unwrap_or(0);
        selection.detail.machines = details;
        selection
    }
}
