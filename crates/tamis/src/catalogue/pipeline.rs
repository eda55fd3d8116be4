//! Counts normalised, covariates removed, a selector, and a classifier behind it, trained together on the same rows.

use super::method::Method;
use super::trained_model::Model;
use crate::base::{Context, Error, OptionName, Result, text};
use crate::model::{Calibrate, Calibrator, Majority};
use crate::resample::folds;
use crate::score::CovariateRemover;
use crate::selection::Selector;
use crate::table::View;
use crate::table::counts::CountSettings;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Selector, then classifier; counts are normalised and the covariates of the study removed before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pipeline {
    /// The selector; `None` passes all features to the classifier.
    pub selector: Option<Method>,
    /// The classifier trained on the selected features.
    pub classifier: Method,
    /// A parameter that is chosen by cross-validation inside the training rows.
    pub tune: Option<Tune>,
    /// How counts are normalised, with quantities from the training rows.
    #[serde(default)]
    pub counts: CountSettings,
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

/// Folds of the cross-validation that chooses a parameter.
const INNER_FOLDS: usize = 5;

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
}

impl Pipeline {
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

    /// Refuses a selector that cannot select and a classifier that cannot classify.
    pub fn validate(&self) -> Result<()> {
        if let Some(selector) = &self.selector
            && !selector.selects()
        {
            let remedy = text!["name it with ", OptionName::Classifier, ", or alone"];
            return Err(Error::method(selector.name(), "does not select features", remedy));
        }
        self.counts.validate()?;
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
        let Some(normaliser) = self.counts.learn(data)? else {
            return self.train_adjusted(data, brief, context);
        };
        let normalised = normaliser.apply(data)?;
        let mut trained = self.train_adjusted(&data.over(&normalised), brief, context)?;
        let positions = normaliser.positions(data)?;
        trained.selected.iter_mut().for_each(|feature| *feature = positions[*feature as usize]);
        trained.model.notes.splice(0..0, normaliser.notes(data));
        trained.model.counts = Some(normaliser);
        Ok(trained)
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
        let groups = data.groups().or(data.blocks().map(|(_, blocks)| blocks));
        let plan = match groups {
            Some(groups) => folds::grouped(data, groups.codes(), INNER_FOLDS, 1, context.seed)?,
            None => folds::stratified(data, INNER_FOLDS, 1, context.seed)?,
        };
        let mut probabilities: Vec<Vec<f64>> = vec![vec![]; trained.model.classes.len()];
        let mut truth = Vec::new();
        for fold in plan.iter() {
            let model = plain.fit_briefly(&data.of_these_rows(&fold.train)?, context)?.model;
            let test = data.of_these_rows(&fold.test)?;
            let predicted = model.predict(&test)?.probabilities;
            probabilities.iter_mut().zip(predicted).for_each(|(all, p)| all.extend(p));
            truth.extend(test.rows().iter().filter_map(|&r| data.target().code(r as usize)));
        }
        trained.model.calibration = Some(Calibrator::learn(how, &probabilities, &truth));
        Ok(trained)
    }

    /// [`Pipeline::train`] on features that are not counts, without tuning: the covariates' part is taken away first.
    fn train_adjusted(&self, data: &View, brief: bool, context: &mut Context) -> Result<TrainedPipeline> {
        if !brief {
            self.check_blocks(data)?; // folds at least keep blocks together
        }
        if !matches!(self.selector, Some(Method::Snbl(_))) {
            data.refuse_comparison(self.classifier.name())?;
        }
        let Some(remover) = CovariateRemover::learn(data)? else {
            return self.train_on_values(data, &data.without_design(&mut None), brief, context);
        };
        let adjusted = remover.apply(data)?;
        let mut trained = self.train_on_values(data, &data.over(&adjusted), brief, context)?;
        trained.model.notes.splice(0..0, remover.notes(data));
        trained.model.covariates = Some(remover);
        Ok(trained)
    }

    /// Refuses blocks that nothing would look at.
    fn check_blocks(&self, data: &View) -> Result<()> {
        match (data.blocks(), &self.selector) {
            (None, _) | (Some(_), Some(Method::Snbl(_))) => Ok(()),
            (Some((name, _)), _) => {
                let expected =
                    text!["only the selection by `snbl` takes blocks; pass ", OptionName::Method.set("snbl")];
                Err(Error::parameter(OptionName::Block, name, expected))
            }
        }
    }

    /// [`Pipeline::train`] on `values` without covariates and blocks; `data` has them, for a selector that can take them.
    /// Features are numbered as in `data`.
    fn train_on_values(
        &self,
        data: &View,
        values: &View,
        brief: bool,
        context: &mut Context,
    ) -> Result<TrainedPipeline> {
        let Some(selector) = &self.selector else {
            let model = self.classifier.fit(values, context)?;
            let selected = positions(model.features().into_iter(), data);
            return Ok(TrainedPipeline { model, selected, tuned: None });
        };
        let seen = if matches!(selector, Method::Snbl(_)) { data } else { values };
        let (selected, notes, method) = if brief {
            (selector.choose(seen, context)?, vec![], selector.clone())
        } else {
            let selection = selector.select(seen, context)?;
            (selection.selected, selection.notes, Method::from_record(&selection.method)?)
        };
        let names: Vec<&str> = selected.iter().map(|&at| seen.names()[at as usize].as_str()).collect();
        let mut model = if selected.is_empty() {
            Model::new(values, self.classifier.clone(), vec![], Majority::of(values).into())
        } else {
            let narrow = values.narrowed(&positions(names.iter().copied(), values));
            self.classifier.fit(&View::of_rows(&narrow, values.rows())?, context)?
        };
        model.notes.splice(0..0, notes);
        model.selector = Some(method);
        Ok(TrainedPipeline { model, selected: positions(names.into_iter(), data), tuned: None })
    }

    /// The value with the least error in folds of these rows; of equal ones, the one with the fewest features.
    fn choose(&self, tune: &Tune, data: &View, context: &mut Context) -> Result<String> {
        let plan = folds::stratified(data, INNER_FOLDS, 1, context.seed)?;
        let mut best: Option<(usize, usize, &String)> = None;
        for value in &tune.values {
            // calibration moves probabilities, hardly ever the likeliest class
            let candidate = Pipeline { calibrate: None, ..self.with_value(&tune.key, value)? };
            let (mut wrong, mut features) = (0, 0);
            for fold in plan.iter() {
                let trained = candidate.fit_briefly(&data.of_these_rows(&fold.train)?, context)?;
                let test = data.of_these_rows(&fold.test)?;
                let predicted = trained.model.predict(&test)?.predicted;
                let rows = test.rows().iter().zip(predicted);
                wrong += rows.filter(|(r, p)| data.target().code(**r as usize) != Some(*p)).count();
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

/// Where features of these names are in a table.
fn positions<'a>(names: impl ExactSizeIterator<Item = &'a str>, data: &View) -> Vec<u32> {
    let places: HashMap<&str, u32> = data.names().iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
    names.filter_map(|name| places.get(name).copied()).collect()
}
