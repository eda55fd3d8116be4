//! Values prepared, a selector, and a classifier behind it, trained together on the same rows.

use super::method::Method;
use super::preparation::{Preparation, PreparedTable};
use super::trained_model::Model;
use crate::base::{Context, Error, OptionName, Result, text};
use crate::model::{Calibrate, Calibrator, Majority};
use crate::resample::inner;
use crate::selection::{Selection, Selector};
use crate::table::{Target, View};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Selector, then classifier; values are prepared before, as for a selection.
///
/// ```
/// use tamis::prelude::*;
///
/// let pipeline = Pipeline::new(Some(Method::find("t")?.with("k", "3")?), Method::find("lda")?);
/// let table = TwoGroups { features: 30, relevant: 3, ..TwoGroups::default() }.draw(1)?.table;
/// let trained = pipeline.fit(&table.view(), &mut Context::default())?;
/// assert_eq!(trained.model.features().len(), 3);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pipeline {
    /// The selector; `None` passes all features to the classifier.
    pub selector: Option<Method>,
    /// The classifier trained on the selected features.
    pub classifier: Method,
    /// A parameter that is chosen by cross-validation inside the training rows.
    pub tune: Option<Tune>,
    /// How values are prepared, with quantities from the training rows.
    #[serde(default)]
    pub preparation: Preparation,
    /// How probabilities are corrected, by cross-validation inside the training rows.
    #[serde(default)]
    pub calibrate: Option<Calibrate>,
}

/// Values of a parameter, of which the one with the least error inside the training rows is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tune {
    /// The parameter, of the selector if it has one of this name, else of the classifier.
    pub key: String,
    /// Its values, as text.
    pub values: Vec<String>,
}

/// A trained pipeline.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TrainedPipeline {
    /// The classifier, which knows by name the columns it needs.
    pub model: Model,
    /// Positions of the features that its predictions rest on.
    pub selected: Vec<u32>,
    /// The value that tuning chose.
    pub tuned: Option<String>,
    /// What a classifier that selects as it learns selected, where it was trained for good.
    pub selection: Option<Selection>,
}

impl Pipeline {
    /// A classifier, behind a selector if there is one.
    pub fn new(selector: Option<Method>, classifier: Method) -> Pipeline {
        Pipeline { selector, classifier, tune: None, preparation: Preparation::default(), calibrate: None }
    }

    /// The name of the pipeline: `snbl + lda`, or the classifier alone.
    pub fn label(&self) -> String {
        let tuned = self.tune.as_ref().map(|t| format!("{} tuned", t.key));
        let changes: Vec<String> = tuned.into_iter().chain(self.calibrate.map(|how| how.name().into())).collect();
        let tuned = if changes.is_empty() { String::new() } else { format!(" ({})", changes.join(", ")) };
        match &self.selector {
            Some(selector) => format!("{} + {}{tuned}", selector.name(), self.classifier.name()),
            None => format!("{}{tuned}", self.classifier.name()),
        }
    }

    /// The selector with what follows from the values it will see.
    pub(crate) fn selector_for(&self, target: &Target) -> Option<Method> {
        self.selector.as_ref().map(|selector| self.preparation.method_for(selector, target).before_classifier())
    }

    /// Refuses a selector that cannot select and a classifier that cannot classify.
    pub fn validate(&self) -> Result<()> {
        if let Some(selector) = &self.selector
            && !selector.selects()
        {
            let remedy = text!["name it with ", OptionName::Classifier, ", or alone"];
            return Err(Error::method(selector.name(), "does not select features", remedy));
        }
        self.preparation.validate(self.selector.as_ref().unwrap_or(&self.classifier))?;
        if !self.classifier.classifies() {
            let remedy = format!("use one of {}", Method::classifiers().join(", "));
            return Err(Error::method(self.classifier.name(), "does not classify", remedy));
        }
        if let Some(tune) = &self.tune {
            tune.values.iter().try_for_each(|value| self.with_value(&tune.key, value).map(drop))?;
        }
        Ok(())
    }

    /// The pipeline without tuning, one parameter set.
    fn with_value(&self, key: &str, value: &str) -> Result<Pipeline> {
        let mut set = Pipeline { tune: None, ..self.clone() };
        match &mut set.selector {
            Some(selector) if selector.has(key) => *selector = selector.with(key, value)?,
            _ => set.classifier = set.classifier.with(key, value)?,
        }
        Ok(set)
    }

    /// Selects and trains on the rows of a view. A selector that selects nothing leaves the shares of the classes.
    pub fn fit(&self, data: &View, context: &mut Context) -> Result<TrainedPipeline> {
        self.train(data, false, context)
    }

    /// [`Pipeline::fit`] for a model that is tested and thrown away: without what only people read.
    pub(crate) fn fit_briefly(&self, data: &View, context: &mut Context) -> Result<TrainedPipeline> {
        self.train(data, true, context)
    }

    fn train(&self, data: &View, brief: bool, context: &mut Context) -> Result<TrainedPipeline> {
        self.validate()?;
        if let Some(tune) = &self.tune {
            let value = self.choose(tune, data, context)?;
            let trained = self.with_value(&tune.key, &value)?.train(data, brief, context)?;
            return Ok(TrainedPipeline { tuned: Some(value), ..trained });
        }
        if let Some(how) = self.calibrate {
            return self.train_calibrated(how, data, brief, context);
        }
        self.train_prepared(data, brief, context)
    }

    /// Trains, then corrects the probabilities by those of rows that were held out of the same training.
    fn train_calibrated(
        &self,
        how: Calibrate,
        data: &View,
        brief: bool,
        context: &mut Context,
    ) -> Result<TrainedPipeline> {
        let plain = Pipeline { calibrate: None, ..self.clone() };
        let mut trained = plain.train(data, brief, context)?;
        let mut probabilities: Vec<Vec<f64>> = vec![vec![]; trained.model.classes.len()];
        let mut truth = Vec::new();
        for fold in inner::folds(data, context.seed)?.iter() {
            let model = plain.fit_briefly(&data.of_these_rows(&fold.train)?, context)?.model;
            let test = data.of_these_rows(&fold.test)?;
            let predicted = model.predict(&test)?.probabilities;
            probabilities.iter_mut().zip(predicted).for_each(|(all, p)| all.extend(p));
            truth.extend(test.rows().iter().filter_map(|&r| data.target().code(r as usize)));
        }
        trained.model.calibration = Some(Calibrator::learn(how, &probabilities, &truth));
        Ok(trained)
    }

    /// [`Pipeline::train`] without tuning and calibration. A selector that takes designs sees the table that `select` shows
    /// it, any other the rows as the classifier does. Features are numbered as in `data`.
    fn train_prepared(&self, data: &View, brief: bool, context: &mut Context) -> Result<TrainedPipeline> {
        let designs = self.selector.as_ref().is_some_and(Method::takes_designs);
        if !designs {
            if !brief {
                refuse_blocks(data)?; // folds at least keep blocks together
            }
            data.refuse_comparison(self.classifier.name())?;
        }
        let table = PreparedTable::new(data.clone(), &self.preparation, self.selector.as_ref())?;
        let (learned, rows) = table.rows()?;
        let mut design = None;
        let values = rows.view().without_design(&mut design);
        let mut trained = match self.selector_for(data.target()) {
            None => {
                let (model, selection) = match brief {
                    true => (self.classifier.fit(&values, context)?, None),
                    false => self.classifier.fit_selecting(&values, context)?,
                };
                let selected = positions(model.features().into_iter(), data);
                TrainedPipeline { model, selected, tuned: None, selection }
            }
            Some(selector) => {
                let seen = if designs { table.view() } else { values.clone() };
                let (selected, notes, method) = if brief {
                    (selector.choose(&seen, context)?, vec![], selector)
                } else {
                    let selection = selector.select(&seen, context)?;
                    (selection.selected, selection.notes, Method::from_record(&selection.method)?)
                };
                let selected = match designs {
                    true => table.columns_of(&selected),
                    false => positions(selected.iter().map(|&at| seen.names()[at as usize].as_str()), data),
                };
                let mut model = self.behind_selector(&selected, data, &values, context)?;
                model.notes.splice(0..0, notes);
                model.selector = Some(method);
                TrainedPipeline { model, selected, tuned: None, selection: None }
            }
        };
        if !brief {
            trained.model.notes.splice(0..0, table.notes().into_iter().chain(rows.notes.iter().cloned()));
        }
        trained.model.preparation = learned;
        Ok(trained)
    }

    /// The classifier trained on `values` of the selected features of `data`; the shares of the classes where there are none.
    fn behind_selector(&self, selected: &[u32], data: &View, values: &View, context: &mut Context) -> Result<Model> {
        if selected.is_empty() {
            return Ok(Model::new(values, self.classifier.clone(), vec![], Majority::of(values).into()));
        }
        let names = selected.iter().map(|&at| data.names()[at as usize].as_str());
        let narrow = values.narrowed(&positions(names, values));
        self.classifier.fit(&View::of_rows(&narrow, values.rows())?, context)
    }

    /// The value with the least error, by rows' weights, in folds of these rows; of equal ones, the one with the fewest features.
    fn choose(&self, tune: &Tune, data: &View, context: &mut Context) -> Result<String> {
        let plan = inner::folds(data, context.seed)?;
        let weight = |row: u32| data.weights().map_or(1.0, |w| w[row as usize]);
        let mut best: Option<(f64, usize, &String)> = None;
        for value in &tune.values {
            // calibration moves probabilities, hardly ever the likeliest class
            let candidate = Pipeline { calibrate: None, ..self.with_value(&tune.key, value)? };
            let (mut wrong, mut features) = (0.0, 0);
            for fold in plan.iter() {
                let trained = candidate.fit_briefly(&data.of_these_rows(&fold.train)?, context)?;
                let test = data.of_these_rows(&fold.test)?;
                let predicted = trained.model.predict(&test)?.predicted;
                let rows = test.rows().iter().zip(predicted);
                let missed = rows.filter(|(r, p)| data.target().code(**r as usize) != Some(*p));
                wrong += missed.map(|(&row, _)| weight(row)).sum::<f64>();
                features += trained.selected.len();
            }
            if best.is_none_or(|(w, f, _)| (wrong, features) < (w, f)) {
                best = Some((wrong, features, value));
            }
        }
        best.map(|(_, _, value)| value.clone())
            .ok_or_else(|| Error::parameter(OptionName::Tune, &tune.key, "it takes KEY=VALUE,VALUE,…"))
    }
}

/// Refuses blocks that nothing would look at.
fn refuse_blocks(data: &View) -> Result<()> {
    let Some((name, _)) = data.blocks() else { return Ok(()) };
    let expected = text!["only the selection by `snbl` takes blocks; pass ", OptionName::Method.set("snbl")];
    Err(Error::parameter(OptionName::Block, name, expected))
}

/// Where features of these names are in a table.
fn positions<'a>(names: impl ExactSizeIterator<Item = &'a str>, data: &View) -> Vec<u32> {
    let places: HashMap<&str, u32> = data.names().iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
    names.filter_map(|name| places.get(name).copied()).collect()
}
