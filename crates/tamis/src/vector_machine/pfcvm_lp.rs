//! `pfcvm-lp`: a sparse Bayesian classifier that selects features as it learns, by Laplace approximation.

use super::kernel::{Kernel, Shape};
use super::laplace::{Fitted, Options, Truncation, run};
use super::machine::Machine;
use super::standardise::{Learned, Standardise};
use crate::error::Place;
use crate::filter::Found;
use crate::method::Entry;
use crate::model::{Model, Parts};
use crate::note::{Note, NoteKind};
use crate::numeric::random;
use crate::selection::{Selection, Selector};
use crate::settings::{Auto, Parameter};
use crate::table::{Target, View};
use crate::{Error, Method, Progress, Result};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Rows up to which every row is a basis.
const ALL_BASES: usize = 400;
/// Bases beyond that.
const SOME_BASES: usize = 200;
/// Iterations of a start when not all rows are bases.
const FEW_ITERATIONS: usize = 50;

/// How weights are kept from being negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TruncationKind {
    /// `relative` where rows outnumber features, `hard` otherwise.
    #[default]
    Auto,
    /// σ(5x), as in the paper; it hardly prunes.
    Paper,
    /// Cut off at zero.
    Hard,
    /// σ(5√precision·x).
    Relative,
}

/// Probabilistic feature selection and classification vector machine (Jiang et al., ACM TKDD 13(2), 2019).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PfcvmLp {
    /// The kernel.
    pub kernel: Shape,
    /// The degree of a polynomial.
    pub degree: u32,
    /// c_β: the larger, the stronger a feature must be to stay.
    pub strictness: f64,
    /// How weights are kept from being negative.
    pub truncation: TruncationKind,
    /// Runs from different starts, of which the likeliest counts; auto: 8 where rows outnumber features, 1 otherwise.
    pub starts: Auto<usize>,
    /// Candidate bases; auto: all rows up to 400, 200 of them beyond.
    pub bases: Auto<usize>,
    /// Machines whose probabilities are averaged for prediction, the likeliest first.
    pub average: usize,
    /// Whether each row is standardised over the features first, as gene data are.
    pub samplewise: bool,
    /// A start ends when its evidence changes less, relatively, three times in a row.
    pub tol: f64,
    /// Most iterations of a start; auto: 200, or 50 where not all rows are bases.
    pub max_iter: Auto<usize>,
    /// The seed of the bases.
    #[serde(skip)]
    pub seed: u64,
}

impl Default for PfcvmLp {
    fn default() -> Self {
        PfcvmLp {
            kernel: Shape::Linear,
            degree: 2,
            strictness: 0.5,
            truncation: TruncationKind::Auto,
            starts: Auto::Auto,
            bases: Auto::Auto,
            average: 1,
            samplewise: false,
            tol: 1e-5,
            max_iter: Auto::Auto,
            seed: 0,
        }
    }
}

const PARAMETERS: [Parameter; 10] = [
    Parameter { name: "kernel", range: "linear, rbf, poly", purpose: "the kernel; every feature has a weight in it" },
    Parameter { name: "degree", range: "1…20", purpose: "of kernel=poly" },
    Parameter {
        name: "strictness",
        range: "0…100",
        purpose: "how strong a feature must be to stay: 0 keeps |z| > 1, 0.5 keeps 2.4, 1 keeps 3.1",
    },
    Parameter {
        name: "truncation",
        range: "auto, relative, hard, paper",
        purpose: "how weights are kept positive; auto: relative where rows outnumber features, else hard",
    },
    Parameter {
        name: "starts",
        range: "auto, 1…8",
        purpose: "runs of which the likeliest counts; auto: 8 where rows outnumber features, else 1",
    },
    Parameter {
        name: "bases",
        range: "auto, 2…",
        purpose: "candidate bases; auto: all up to 400 rows, else 200 of them",
    },
    Parameter { name: "average", range: "1…8", purpose: "machines whose probabilities are averaged in predictions" },
    Parameter { name: "samplewise", range: "true, false", purpose: "standardise each row over the features first" },
    Parameter { name: "tol", range: "1e-12…0.1", purpose: "stop when the evidence changes less, relatively" },
    Parameter { name: "max_iter", range: "auto, 1…100000", purpose: "most iterations of a start; auto: 200, or 50" },
];

/// This method for the catalogue.
pub fn entry() -> Entry {
    Entry {
        name: "pfcvm-lp",
        summary: "a sparse Bayesian classifier that drops features and samples as it learns",
        number_by: "the marginal likelihood",
        cost: "tens of iterations of rows × bases² and rows × features × bases flops, less as features drop out",
        reference: "Jiang, Li, de Rijke, Yao & Chen, Probabilistic feature selection and classification vector \
                    machine, ACM TKDD 13(2), 2019",
        parameters: PARAMETERS.into(),
        default: Method::PfcvmLp(PfcvmLp::default()),
    }
}

/// What was learned of one class against the others.
struct OneClass {
    machines: Vec<Machine>,
    best: Fitted,
    runs: usize,
}

impl PfcvmLp {
    pub(crate) fn validate(&self) -> Result<()> {
        let check = |name, value: f64, low: f64, high: f64| {
            let expected = format!("it takes {low}…{high}");
            if (low..=high).contains(&value) { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
        };
        check("degree", f64::from(self.degree), 1.0, 20.0)?;
        check("strictness", self.strictness, 0.0, 100.0)?;
        check("starts", self.starts.or(1) as f64, 1.0, 8.0)?;
        check("bases", self.bases.or(2) as f64, 2.0, 1e6)?;
        check("average", self.average as f64, 1.0, 8.0)?;
        check("tol", self.tol, 1e-12, 0.1)?;
        check("max_iter", self.max_iter.or(1) as f64, 1.0, 1e5)
    }

    /// A parameter that the others make meaningless.
    pub(crate) fn unused(&self, key: &str) -> Option<&'static str> {
        (key == "degree" && self.kernel != Shape::Poly).then_some("only kernel=poly uses it")
    }

    /// The starts: how weights are kept positive, c_α and θ steps, and where θ begins.
    fn plan(&self, rows: usize, features: usize) -> Vec<Options> {
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
        let few = self.bases(rows) < rows;
        let base = Options {
            strictness: [0.0, self.strictness],
            tol: self.tol,
            max_iter: self.max_iter.or(if few { FEW_ITERATIONS } else { 200 }),
            ..Options::default()
        };
        let mut plan = Vec::new();
        for theta_start in [1.0, 4.0] {
            for (c_alpha, theta_steps) in [(0.0, 1), (0.25, 3)] {
                for truncation in [first, other] {
                    plan.push(Options {
                        truncation,
                        strictness: [c_alpha, self.strictness],
                        theta_steps,
                        theta_start,
                        ..base.clone()
                    });
                }
            }
        }
        plan.truncate(self.starts.or(if wide { 1 } else { 8 }));
        plan
    }

    fn bases(&self, rows: usize) -> usize {
        self.bases.or(if rows > ALL_BASES { SOME_BASES } else { rows }).min(rows)
    }

    /// Rows that are bases in a start: all, or some of each class in proportion.
    fn draw_bases(&self, y: &[f64], class: u64, start: u64) -> Vec<usize> {
        let (rows, wanted) = (y.len(), self.bases(y.len()));
        if wanted >= rows {
            return (0..rows).collect();
        }
        let mut rng = random::stream(self.seed, (class << 32) + start);
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

    fn one_class(
        &self,
        x: &crate::numeric::linalg::Matrix,
        y: &[f64],
        class: u64,
        progress: &mut dyn Progress,
    ) -> Result<OneClass> {
        let kernel = Kernel { shape: self.kernel, degree: self.degree, scale: 1.0 / x.columns() as f64 };
        let mut fits: Vec<Fitted> = Vec::new();
        for (start, options) in self.plan(x.rows(), x.columns()).iter().enumerate() {
            let bases = self.draw_bases(y, class, start as u64);
            let fitted = run(kernel, x, y, &bases, options, progress)?;
            if !fitted.trace.is_empty() {
                fits.push(fitted);
            }
        }
        let runs = fits.len();
        fits.sort_by(|a, b| evidence(b).total_cmp(&evidence(a)));
        let machines = fits.iter().take(self.average).map(|fitted| Machine::new(kernel, x, y, fitted)).collect();
        let best = fits.into_iter().next().ok_or_else(|| {
            Error::data(Place::default(), "nothing can be learned from these rows", "check features and labels")
        })?;
        Ok(OneClass { machines, best, runs })
    }

    /// Every class against the others, or two classes once.
    fn learn(&self, data: &View, progress: &mut dyn Progress) -> Result<(Learned, Vec<OneClass>, Vec<Note>)> {
        self.validate()?;
        if data.weights().is_some() {
            let expected = "a basis has one prior, so vector machines take no weights; leave it out";
            return Err(Error::parameter("--weight", "set", expected));
        }
        let Target::Classes { codes, labels, .. } = data.target() else {
            return Err(Error::parameter("--method", "pfcvm-lp", "it needs classes; pass `--task classes`"));
        };
        let learned = Standardise::learn(data, self.samplewise)?;
        let mut notes = learned.notes.clone();
        let classes: Vec<u32> =
            if labels.len() == 2 { vec![data.target().positive() as u32] } else { (0..labels.len() as u32).collect() };
        let mut found = Vec::new();
        for class in classes {
            let sign = |&r: &u32| if codes[r as usize] == class { 1.0 } else { -1.0 };
            let y: Vec<f64> = data.rows().iter().map(sign).collect();
            found.push(self.one_class(&learned.x, &y, u64::from(class), progress)?);
        }
        if found.iter().any(|one| one.best.jittered) {
            let text = "a factorisation needed a larger diagonal: features may be copies of each other";
            notes.push(Note::new(NoteKind::Jitter, text));
        }
        if found.iter().any(|one| !one.best.converged) {
            let text = "the evidence still moved after the last iteration; raise `max_iter`, or doubt the number";
            notes.push(Note::new(NoteKind::NotConverged, text));
        }
        Ok((learned, found, notes))
    }

    /// Trains a classifier.
    pub fn fit(&self, data: &View, progress: &mut dyn Progress) -> Result<Model> {
        let (learned, found, notes) = self.learn(data, progress)?;
        let machines = found.into_iter().map(|one| one.machines).collect();
        Ok(Model::new(data, Method::PfcvmLp(self.clone()), notes, Parts { standardise: learned.standardise, machines }))
    }
}

fn evidence(fitted: &Fitted) -> f64 {
    fitted.trace.last().map_or(f64::NEG_INFINITY, |i| i.evidence)
}

/// What plots need of a vector machine: how it went, class by class.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineDetail {
    /// The class that was told from the others.
    pub class: String,
    /// Evidence after each iteration.
    pub evidence: Vec<f64>,
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
}

impl Selector for PfcvmLp {
    fn select(&self, data: &View, progress: &mut dyn Progress) -> Result<Selection> {
        if self.average > 1 {
            let expected = "features are selected by the likeliest machine alone; averaging is for `tamis fit`";
            return Err(Error::parameter("average", self.average, expected));
        }
        let (learned, found, notes) = self.learn(data, progress)?;
        let features = data.names().len();
        let mut scores = vec![f64::NAN; features];
        learned.features.iter().for_each(|&i| scores[i as usize] = 0.0);
        let labels = match data.target() {
            Target::Classes { labels, .. } => labels.clone(),
            Target::Real { .. } => vec![],
        };
        let mut details = Vec::new();
        for (at, one) in found.iter().enumerate() {
            let class = if found.len() == 1 { data.target().positive() } else { at };
            let mut theta = vec![0.0; features];
            for (&k, &t) in one.best.features.iter().zip(&one.best.theta) {
                theta[learned.features[k] as usize] = t;
            }
            // a feature counts by the class that makes most of it, whatever the kernel's own scale
            let largest = theta.iter().copied().fold(1e-300, f64::max);
            for (score, t) in scores.iter_mut().zip(&theta) {
                *score = score.max(t / largest);
            }
            details.push(MachineDetail {
                class: labels[class].clone(),
                evidence: one.best.trace.iter().map(|i| i.evidence).collect(),
                features_left: one.best.trace.iter().map(|i| i.features).collect(),
                samples_left: one.best.trace.iter().map(|i| i.bases).collect(),
                theta,
                samples: one.best.bases.iter().map(|&i| data.rows()[i]).collect(),
                starts: one.runs,
            });
        }
        let mut selected: Vec<u32> = (0..features as u32).filter(|&i| scores[i as usize] > 0.0).collect();
        selected.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        let mut selection =
            Found { order: selected, scores, notes }.into_selection(data, Method::PfcvmLp(self.clone()));
        selection.converged = found.iter().all(|one| one.best.converged);
        selection.iterations = found.iter().map(|one| one.best.trace.len()).max().unwrap_or(0);
        selection.detail.machines = details;
        selection.seed = self.seed;
        Ok(selection)
    }
}
