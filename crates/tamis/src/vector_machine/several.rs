//! From rows and classes to machines: standardise, tell every class from the others, and join what was learned.

use super::kernel::{Kernel, Shape};
use super::machine::Machine;
use super::machines::Machines;
use super::standardise::{Learned, Standardise};
use crate::error::Place;
use crate::filter::Found;
use crate::model::{Fitted, Model};
use crate::note::{Note, NoteKind};
use crate::numeric::linalg::Matrix;
use crate::numeric::random;
use crate::selection::Selection;
use crate::settings::Auto;
use crate::table::{Target, View};
use crate::{Error, Method, Progress, Result};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Rows up to which every row is a basis.
const ALL_BASES: usize = 400;
/// Bases beyond that.
const SOME_BASES: usize = 200;

/// What the methods of this room have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common {
    pub(crate) shape: Shape,
    pub(crate) degree: u32,
    pub(crate) bases: Auto<usize>,
    pub(crate) samplewise: bool,
    pub(crate) seed: u64,
    /// Machines whose probabilities are averaged, the likeliest first.
    pub(crate) average: usize,
}

/// A method that learns to tell two classes apart.
pub(crate) trait Learner: Sync {
    fn common(&self) -> Common;
    fn method(&self) -> Method;
    fn validate(&self) -> Result<()>;
    /// For every problem (a sign per row) one run or several; those that came to nothing are left out.
    fn learn(&self, x: &Matrix, problems: &[Vec<f64>], progress: &mut dyn Progress) -> Result<Vec<Vec<Trained>>>;
}

/// What a run came to.
pub(crate) struct Trained {
    pub(crate) machine: Machine,
    pub(crate) detail: MachineDetail,
    /// What the best of several runs is chosen by.
    pub(crate) evidence: f64,
    pub(crate) converged: bool,
    pub(crate) jittered: bool,
    /// It ended because everything dropped out or left the range of numbers; the state before stands.
    pub(crate) collapsed: bool,
}

/// How a vector machine went: what plots need, class by class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineDetail {
    /// The class that was told from the others.
    pub class: String,
    /// Evidence after each iteration, where the method has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<f64>,
    /// The log-likelihood of the rows after each iteration, where the method has no evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_likelihood: Vec<f64>,
    /// Features left at each iteration.
    pub features_left: Vec<usize>,
    /// Samples left at each iteration.
    pub samples_left: Vec<usize>,
    /// The weight of every feature of the table; 0 where it dropped out.
    pub theta: Vec<f64>,
    /// Rows of the table that were kept as bases.
    pub samples: Vec<u32>,
    /// Runs from different starts.
    pub starts: usize,
    /// What the machine says of the rows it learned from: for each class, how many rows of that class it gives a
    /// probability of `class` in each of equal parts of 0…1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predicted: Vec<ClassPredictions>,
    /// How far the posterior moved from the prior, and what that bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generalisation: Option<super::Generalisation>,
}

/// What a machine says of the rows of one class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassPredictions {
    /// The class the rows are of.
    pub class: String,
    /// How many have a probability in each part of 0…1.
    pub counts: Vec<u32>,
}

/// Parts of 0…1 that predictions are counted in.
const PARTS: usize = 20;

/// Counts what a machine says of the rows of each class.
///
/// Cost: rows × bases × (features + bases).
fn predictions(machine: &Machine, x: &Matrix, data: &View) -> Vec<ClassPredictions> {
    let Target::Classes { codes, labels, .. } = data.target() else { return vec![] };
    let (_, p) = machine.ready().predict(&x.select_columns(&machine.features));
    let new = |class: &String| ClassPredictions { class: class.clone(), counts: vec![0; PARTS] };
    let mut found: Vec<ClassPredictions> = labels.iter().map(new).collect();
    for (&row, p) in data.rows().iter().zip(p) {
        let part = ((p * PARTS as f64) as usize).min(PARTS - 1);
        found[codes[row as usize] as usize].counts[part] += 1;
    }
    found
}

impl Common {
    pub(crate) fn validate(&self) -> Result<()> {
        check("degree", f64::from(self.degree), 1.0, 20.0)?;
        check("bases", self.bases.or(2) as f64, 2.0, 1e6)
    }

    /// The kernel for this many features.
    pub(crate) fn kernel(&self, features: usize) -> Kernel {
        Kernel { shape: self.shape, degree: self.degree, scale: 1.0 / features as f64 }
    }

    /// How many rows are bases.
    pub(crate) fn n_bases(&self, rows: usize) -> usize {
        self.bases.or(if rows > ALL_BASES { SOME_BASES } else { rows }).min(rows)
    }

    /// Rows that are bases: all, or some of each sign in proportion, fresh for every problem and start.
    pub(crate) fn draw_bases(&self, y: &[f64], problem: usize, start: usize) -> Vec<usize> {
        let (rows, wanted) = (y.len(), self.n_bases(y.len()));
        if wanted >= rows {
            return (0..rows).collect();
        }
        let mut rng = random::stream(self.seed, ((problem as u64) << 32) + start as u64);
        let mut chosen = Vec::new();
        for sign in [-1.0, 1.0] {
            let mut of_class: Vec<usize> = (0..rows).filter(|&i| y[i] == sign).collect();
            let share = (wanted as f64 * of_class.len() as f64 / rows as f64).round() as usize;
            for at in 0..share.clamp(1, of_class.len()) {
                let other = rng.random_range(at..of_class.len());
                of_class.swap(at, other);
                chosen.push(of_class[at]);
            }
        }
        chosen.sort_unstable();
        chosen
    }
}

pub(crate) fn check(name: &str, value: f64, low: f64, high: f64) -> Result<()> {
    let expected = format!("it takes {low}…{high}");
    if (low..=high).contains(&value) { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
}

/// What was learned of every class, the likeliest run of each first.
struct All {
    learned: Learned,
    /// Which class each list of runs tells from the others.
    classes: Vec<usize>,
    runs: Vec<Vec<Trained>>,
    notes: Vec<Note>,
}

/// Every class against the others, or two classes once; a class without rows is left out.
fn learn(learner: &impl Learner, data: &View, progress: &mut dyn Progress) -> Result<All> {
    learner.validate()?;
    if data.weights().is_some() {
        let expected = "a basis has one prior, so vector machines take no weights; leave it out";
        return Err(Error::parameter("--weight", "set", expected));
    }
    let Target::Classes { codes, .. } = data.target() else {
        return Err(Error::parameter("--method", learner.method().name(), "it needs classes; pass `--task classes`"));
    };
    let learned = Standardise::learn(data, learner.common().samplewise)?;
    let mut notes = learned.notes.clone();
    let counts = data.class_counts();
    let present: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
    if present.len() < 2 {
        let problem = "all rows are of one class: there is nothing to tell apart";
        return Err(Error::data(Place::default(), problem, "give rows of at least two classes"));
    }
    let classes = if counts.len() == 2 { vec![data.target().positive()] } else { present };
    let signs = |&class: &usize| -> Vec<f64> {
        data.rows().iter().map(|&r| if codes[r as usize] as usize == class { 1.0 } else { -1.0 }).collect()
    };
    let problems: Vec<Vec<f64>> = classes.iter().map(signs).collect();
    let mut runs = learner.learn(&learned.x, &problems, progress)?;
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
        let text = "a factorisation needed a larger diagonal: features may be copies of each other";
        notes.push(Note::new(NoteKind::Jitter, text));
    }
    if best().any(|run| run.collapsed) {
        let text = "every weight dropped out at once; what stood before is kept, but these rows hardly support it";
        notes.push(Note::new(NoteKind::NotConverged, text));
    } else if best().any(|run| !run.converged) {
        let text = "the last iteration still changed the fit; raise `max_iter`, or doubt the number";
        notes.push(Note::new(NoteKind::NotConverged, text));
    }
    Ok(All { learned, classes, runs, notes })
}

/// Trains a classifier.
pub(crate) fn fit(learner: &impl Learner, data: &View, progress: &mut dyn Progress) -> Result<Model> {
    Ok(learn(learner, data, progress)?.model(learner, data))
}

/// The features that any class keeps; each counts by the class that makes most of it.
pub(crate) fn select(learner: &impl Learner, data: &View, progress: &mut dyn Progress) -> Result<Selection> {
    Ok(learn(learner, data, progress)?.selection(learner, data))
}

/// Both from one training.
pub(crate) fn both(learner: &impl Learner, data: &View, progress: &mut dyn Progress) -> Result<(Model, Selection)> {
    let all = learn(learner, data, progress)?;
    Ok((all.model(learner, data), all.selection(learner, data)))
}

impl All {
    fn model(&self, learner: &impl Learner, data: &View) -> Model {
        let average = learner.common().average;
        let first = |of_class: &Vec<Trained>| of_class.iter().take(average).map(|run| run.machine.clone()).collect();
        let machines = Machines {
            standardise: self.learned.standardise.clone(),
            n_classes: data.class_counts().len(),
            classes: self.classes.clone(),
            machines: self.runs.iter().map(first).collect(),
        };
        Model::new(data, learner.method(), self.notes.clone(), Fitted::Machines(machines))
    }

    fn selection(self, learner: &impl Learner, data: &View) -> Selection {
        let All { learned, classes, runs, notes } = self;
        let features = data.names().len();
        let mut scores = vec![f64::NAN; features];
        learned.features.iter().for_each(|&i| scores[i as usize] = 0.0);
        let labels = match data.target() {
            Target::Classes { labels, .. } => labels.clone(),
            Target::Real { .. } => vec![],
        };
        let best: Vec<Trained> = runs.into_iter().filter_map(|of_class| of_class.into_iter().next()).collect();
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
        let mut selection = Found { order: selected, scores, notes }.into_selection(data, learner.method());
        selection.converged = converged;
        selection.iterations = details.iter().map(|d| d.features_left.len()).max().unwrap_or(0);
        selection.detail.machines = details;
        selection.seed = learner.common().seed;
        selection
    }
}
