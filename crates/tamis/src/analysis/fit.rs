//! Training a classifier, alone or on the features that a selector chooses.

use super::{Analysis, Caller, Data, Found};
use crate::base::{Context, Progress, Result};
use crate::catalogue::{Method, Model, Pipeline};
use crate::result::{InputFacts, SampleValues};

/// The classifier that is trained on the features of a selector where nobody says.
const BEHIND_SELECTOR: &str = "logistic";

/// A trained classifier.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Trained {
    /// The model, with notes on the rows and on its training, in the words of the front end that asked.
    pub model: Model,
    /// What it was trained on.
    pub input: InputFacts,
    /// The name of what was trained: `snbl + logistic`, or the classifier alone.
    pub label: String,
    /// What a classifier that selects as it learns selected.
    pub found: Option<Found>,
    /// Wall-clock seconds, reading included.
    pub seconds: f64,
}

impl Analysis {
    /// The analysis that trains these methods by name, with settings as [`Method::several`] takes them: a classifier alone,
    /// or a classifier behind a selector.
    ///
    /// # Errors
    ///
    /// Names and settings that do not exist.
    pub fn to_train(method: &str, classifier: Option<&str>, settings: &[(&str, &str)]) -> Result<Analysis> {
        let default = if Method::find(method)?.classifies() { None } else { Some(BEHIND_SELECTOR) };
        let names: Vec<&str> = std::iter::once(method).chain(classifier.or(default)).collect();
        let mut methods = Method::several(&names, settings)?;
        let classifier = if methods.len() > 1 { methods.pop() } else { None };
        let method = methods.pop().map_or_else(|| Method::find(method), Ok)?;
        Ok(Analysis { method, classifier, ..Analysis::default() })
    }

    /// What is trained.
    fn pipeline(&self) -> Pipeline {
        let (selector, classifier) = match &self.classifier {
            Some(classifier) => (Some(self.method.clone()), classifier.clone()),
            None => (None, self.method.clone()),
        };
        Pipeline { selector, classifier, tune: None, preparation: self.preparation.clone(), calibrate: self.calibrate }
    }

    /// Refuses settings of a training that do not go together.
    ///
    /// # Errors
    ///
    /// A selector that cannot select, a classifier that cannot classify, and a least count that cannot be used.
    pub fn check_training(&self) -> Result<()> {
        self.pipeline().validate()
    }

    /// Prepares the rows and trains.
    ///
    /// # Errors
    ///
    /// What [`Analysis::check_training`] refuses, values that cannot be prepared, and errors of the methods.
    pub fn fit(&self, data: &Data, progress: &mut dyn Progress) -> Result<Trained> {
        let caller = Caller::of(progress);
        self.fit_for(caller, data, progress)
    }

    /// [`Analysis::fit`] for a caller that asked before the data were read.
    pub(super) fn fit_for(&self, caller: Caller, data: &Data, progress: &mut dyn Progress) -> Result<Trained> {
        let pipeline = self.pipeline();
        pipeline.validate()?;
        let copied = data.view.as_table()?;
        let view = copied.as_ref().map_or_else(|| data.view.clone(), |table| data.view.over(table));
        let trained = pipeline.fit(&view, &mut Context::new(self.seed, progress))?;
        let input = InputFacts::of(&data.name, view.target_name(), &view);
        let mut model = trained.model;
        model.notes.splice(0..0, data.all_notes());
        let found = trained.selection.map(|mut selection| {
            selection.notes.splice(0..0, data.all_notes());
            let values = if self.sample_values { SampleValues::of(&view, &selection) } else { None };
            Found { values, ..Found::without_rows(selection, input.clone(), caller) }
        });
        let (model, seconds) = (caller.model(model), caller.seconds());
        Ok(Trained { model, input, label: pipeline.label(), found, seconds })
    }
}
