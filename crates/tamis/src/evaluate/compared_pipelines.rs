//! The pipelines that an evaluation compares: every selector with every classifier.

use crate::base::{Note, NoteKind, OptionName, text};
use crate::catalogue::{Method, Pipeline};
use crate::classify::Slda;
use crate::machines::PfcvmLp;
use crate::needed::Needed;
use crate::table::View;

/// Methods that are compared where nobody says: quick ones, one of each kind.
const METHODS: [&str; 5] = ["snbl", "jmi", "f", "dlda", "cart"];
/// Methods that join them where all folds take less than a minute.
const SLOWER: [&str; 2] = ["needed", "pfcvm-lp"];
const MINUTE: f64 = 60.0;
/// With fewer rows to learn from `needed` says nothing, or refuses.
const FEWEST_TRAINING_ROWS: usize = 20;

/// The methods that are compared where nobody says, and notes on those that would take too long.
pub fn default_methods(data: &View, folds: usize) -> (Vec<&'static str>, Vec<Note>) {
    let mut methods = METHODS.to_vec();
    let mut notes = vec![];
    if has_categories(data) {
        return (methods, notes); // the slower ones take no categories
    }
    let training_rows = data.rows().len() - data.rows().len().div_ceil(folds.max(1));
    let seconds = [1e-9 * Needed::default().nanoseconds(data), PfcvmLp::default().estimated_seconds(data)];
    for (name, seconds) in SLOWER.into_iter().zip(seconds) {
        if name == "needed" && training_rows < FEWEST_TRAINING_ROWS {
            continue;
        }
        let seconds = seconds * folds as f64;
        match seconds < MINUTE {
            true => methods.push(name),
            false => notes.push(too_slow(name, seconds)),
        }
    }
    (methods, notes)
}

fn too_slow(name: &str, seconds: f64) -> Note {
    let minutes = (seconds / MINUTE).ceil();
    let text = text![
        format!("`{name}` is not compared: it would take about {minutes:.0} minutes of one core; "),
        OptionName::Method.set(name),
        " asks for it"
    ];
    Note::new(NoteKind::NotCompared, text)
}

/// A further classifier behind `needed`, where nobody says what is compared: the few features of a working set suit it.
pub fn further_default(methods: &[&str]) -> Option<Pipeline> {
    let needed = methods.contains(&"needed");
    needed.then(|| Pipeline::new(Some(Needed::default().into()), Slda::default().into()))
}

/// The classifier behind selectors where nobody says.
pub fn default_classifier(data: &View) -> &'static str {
    if has_categories(data) { "naive-bayes" } else { "logistic" }
}

fn has_categories(data: &View) -> bool {
    (0..data.n_features()).any(|feature| data.columns().categories(feature).is_some())
}

/// Every selector with every classifier, without counts, tuning or calibration. `None` among the methods stands for all
/// features. A method that classifies stands alone, unless `classifiers_given` says that the user named classifiers and
/// it can select for them.
pub fn pipelines(methods: &[Option<Method>], classifiers: &[Method], classifiers_given: bool) -> Vec<Pipeline> {
    let of_method = |method: &Option<Method>| -> Vec<Pipeline> {
        match method {
            Some(method) if method.classifies() && !(classifiers_given && method.selects()) => {
                vec![Pipeline::new(None, method.clone())]
            }
            selector => classifiers.iter().map(|c| Pipeline::new(selector.clone(), c.clone())).collect(),
        }
    };
    methods.iter().flat_map(of_method).collect()
}
