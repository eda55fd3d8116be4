//! The pipelines that an evaluation compares: every selector with every classifier.

use crate::base::{Note, NoteKind, OptionName, text};
use crate::catalogue::{Method, Pipeline};
use crate::machines::PfcvmLp;
use crate::table::View;

/// Methods that are compared where nobody says: quick ones, one of each kind.
const METHODS: [&str; 5] = ["snbl", "jmi", "f", "dlda", "cart"];
/// A method that joins them where it takes less than a minute.
const SLOWER: &str = "pfcvm-lp";
const MINUTE: f64 = 60.0;

/// The methods that are compared where nobody says, and a note on one that would take too long.
pub fn default_methods(data: &View, folds: usize) -> (Vec<&'static str>, Option<Note>) {
    let mut methods = METHODS.to_vec();
    if has_categories(data) {
        return (methods, None); // the slower one takes no categories
    }
    let seconds = PfcvmLp::default().estimated_seconds(data) * folds as f64;
    if seconds < MINUTE {
        methods.push(SLOWER);
        return (methods, None);
    }
    let minutes = (seconds / MINUTE).ceil();
    let text = text![
        format!("`{SLOWER}` is not compared: it would take about {minutes:.0} minutes of one core; "),
        OptionName::Method.set(SLOWER),
        " asks for it"
    ];
    (methods, Some(Note::new(NoteKind::NotCompared, text)))
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
