//! Trained classifiers: saved as JSON, checked when loaded, applied to other tables.

use super::fitted_classifier::FittedClassifier;
use super::method::Method;
use super::preparation::LearnedPreparation;
use crate::base::remedies::REPORT;
use crate::base::{Command, Error, FORMAT_VERSION, Note, NoteKind, Place, Result, Text, Voice, note, text};
use crate::model::{Calibrator, Fitted};
use crate::table::{Column, Target, View};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::{self, Write};

/// A classifier as it is saved. Numbers read back to the same bits.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 5, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let model = Method::find("logistic")?.fit(&table.view(), &mut Context::default())?;
/// let again = Model::read(&model.to_bytes()?, "model.json")?;
/// assert_eq!(again.features(), model.features());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Model {
    /// The version of the format.
    pub format_version: u32,
    /// The version of the program.
    pub tamis: String,
    /// The method and its parameters.
    pub method: Method,
    /// The selector that chose the features, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<Method>,
    /// The target's name.
    pub target: String,
    /// The classes, in order.
    pub classes: Vec<String>,
    /// The class that counts as positive, of two.
    pub positive: usize,
    /// How many rows it was trained on.
    pub rows: usize,
    /// Notes on the training.
    pub notes: Vec<Note>,
    /// How values are prepared before they reach the classifier.
    #[serde(flatten)]
    pub preparation: LearnedPreparation,
    /// How probabilities are corrected by rows that were held out, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibrator>,
    /// The classifier itself.
    pub classifier: FittedClassifier,
}

/// Predictions for some rows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Predictions {
    /// The likeliest class of each row, by position.
    pub predicted: Vec<usize>,
    /// For each class, the probability of each row.
    pub probabilities: Vec<Vec<f64>>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

impl Model {
    pub(crate) fn new(data: &View, method: Method, notes: Vec<Note>, classifier: FittedClassifier) -> Model {
        let (classes, positive) = match data.target() {
            Target::Classes { labels, positive, .. } => (labels.clone(), *positive as usize),
            Target::Real { .. } | Target::Survival { .. } => (vec![], 0),
        };
        Model {
            format_version: FORMAT_VERSION,
            tamis: env!("CARGO_PKG_VERSION").into(),
            method,
            selector: None,
            target: data.target_name().into(),
            classes,
            positive,
            rows: data.rows().len(),
            notes,
            preparation: LearnedPreparation::default(),
            calibration: None,
            classifier,
        }
    }

    /// The model with its notes in the words of a front end.
    pub fn said(mut self, voice: &dyn Voice) -> Model {
        self.notes = note::said(self.notes, voice);
        self
    }

    /// The features that predictions rest on, by name.
    pub fn features(&self) -> Vec<&str> {
        self.classifier.features()
    }

    /// The columns a table must have: those of the classifier or, for counts, all that a library size is the sum of.
    pub fn column_names(&self) -> Vec<&str> {
        match &self.preparation.counts {
            Some(normaliser) => normaliser.features().iter().map(String::as_str).collect(),
            None => self.classifier.column_names(),
        }
    }

    /// The columns of covariates that a table must have besides, by name.
    pub fn covariate_names(&self) -> Vec<&str> {
        self.preparation.covariate_names()
    }

    /// Classes and probabilities for the rows of a view that has the model's columns; its target is not looked at.
    pub fn predict(&self, data: &View) -> Result<Predictions> {
        self.classify(&self.preparation.apply(data)?.view())
    }

    /// Classes and probabilities from the values that the classifier was trained on.
    fn classify(&self, data: &View) -> Result<Predictions> {
        let mut probabilities = self.classifier.probabilities(data)?;
        if let Some(calibrator) = &self.calibration {
            calibrator.apply(&mut probabilities);
        }
        check_probabilities(&probabilities, data)?;
        let best = |row: usize| {
            let mut best = 0;
            for class in 1..probabilities.len() {
                if probabilities[class][row] > probabilities[best][row] {
                    best = class;
                }
            }
            best
        };
        let predicted = (0..data.rows().len()).map(best).collect();
        let mut notes = Vec::new();
        let needed: HashSet<&str> = self.classifier.column_names().into_iter().collect();
        let has_gap = |c: &Column| data.rows().iter().any(|&r| c.is_missing(r as usize));
        let columns = data.names().iter().enumerate();
        let missing: Vec<String> = columns
            .filter(|(at, name)| needed.contains(name.as_str()) && has_gap(&data.column(*at)))
            .map(|(_, name)| name.clone())
            .collect();
        if !missing.is_empty() {
            let text = "missing values, replaced by the feature's mean in training";
            notes.push(Note::about(NoteKind::MissingValues, text, missing));
        }
        Ok(Predictions { predicted, probabilities, notes })
    }

    /// The model as it is saved, read back and checked: what is written can be used again.
    ///
    /// # Errors
    ///
    /// [`Error::Data`] for a model that has a number which is none.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![];
        let unwritten =
            |e: io::Error| Error::data(Place::default(), format!("the model cannot be written ({e})"), REPORT);
        self.write(&mut bytes).map_err(unwritten)?;
        match Model::read(&bytes, "the model") {
            Ok(_) => Ok(bytes),
            Err(e) => Err(Error::data(Place::default(), format!("the model could not be used again ({e})"), REPORT)),
        }
    }

    /// Writes the model.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }

    /// Reads a model and checks that it can be used.
    pub fn read(text: &[u8], file: &str) -> Result<Model> {
        let refuse = |problem: String, remedy: Text| Err(Error::data(Place::file(file), problem, remedy));
        let again = || text!["train it again with ", Command::Fit];
        #[derive(Deserialize)]
        struct Version {
            format_version: u32,
        }
        match serde_json::from_slice::<Version>(text) {
            Ok(Version { format_version }) if format_version > FORMAT_VERSION => {
                let problem =
                    format!("it is a model in format {format_version}, newer than this version's {FORMAT_VERSION}");
                return refuse(problem, "update tamis".into());
            }
            Ok(_) => {}
            Err(e) => {
                return refuse(format!("it is not a model of tamis ({e})"), text!["train one with ", Command::Fit]);
            }
        }
        let model: Model = match serde_json::from_slice(text) {
            Ok(model) => model,
            Err(e) => return refuse(format!("the model is damaged ({e})"), again()),
        };
        match model.fault() {
            Some(fault) => refuse(format!("the model is damaged: {fault}"), again()),
            None => Ok(model),
        }
    }

    fn fault(&self) -> Option<&'static str> {
        if self.classes.len() < 2 || self.positive >= self.classes.len() {
            return Some("its classes do not match");
        }
        if let Some(fault) = self.preparation.fault() {
            return Some(fault);
        }
        if let Some(fault) = self.calibration.as_ref().and_then(|c| c.fault(self.classes.len())) {
            return Some(fault);
        }
        self.classifier.fault(self.classes.len())
    }
}

/// Refuses probabilities that are none, or that do not sum to one.
fn check_probabilities(probabilities: &[Vec<f64>], data: &View) -> Result<()> {
    let sums = |at: &usize| probabilities.iter().map(|of_class| of_class[*at]).sum::<f64>();
    match (0..data.rows().len()).find(|at| (sums(at) - 1.0).abs().is_nan() || (sums(at) - 1.0).abs() > 1e-6) {
        None => Ok(()),
        Some(at) => {
            let place = Place::default().at_row(u64::from(data.rows()[at]) + 1);
            let remedy = text!["train the model again with ", Command::Fit];
            Err(Error::data(place, "the model's probabilities do not sum to one", remedy))
        }
    }
}
