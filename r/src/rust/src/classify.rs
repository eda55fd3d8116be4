//! Classifiers: trained, applied to new rows, and compared on the same folds.

use crate::answer::{self, raw};
use crate::input::{Dataset, Rows, pairs};
use crate::values::to_r;
use crate::voice::RVoice;
use crate::work::{Failure, How, Outcome};
use extendr_api::prelude::*;
use std::collections::HashMap;
use tamis::analysis::Data;
use tamis::front::{Compared, RequestedSplits, note};
use tamis::resample::RequestedFolds;
use tamis::table::{Columns, Table};
use tamis::{Analysis, Method, Model, Note, View};

/// Settings of methods, lists by the name of the method, as the library takes them.
fn settings_of(lists: &List) -> Vec<(String, String)> {
    let own = |(method, list): (&str, Robj)| -> Vec<(String, String)> {
        pairs(&list).into_iter().map(|(key, value)| (format!("{method}.{key}"), value)).collect()
    };
    lists.iter().flat_map(own).collect()
}

/// Trains a classifier, behind a selector if one is named. `calibrate` is empty, `platt` or `isotonic`.
pub fn fit(
    classifier: &str,
    selector: Option<&str>,
    settings: &List,
    data: List,
    calibrate: &str,
    how: &How,
) -> Outcome<List> {
    let rows = Rows::of(data)?;
    let Dataset { columns, study, file, preparation, .. } = rows.dataset()?;
    let settings = settings_of(settings);
    let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (&**key, &**value)).collect();
    let analysis = Analysis {
        preparation,
        calibrate: calibration(calibrate)?,
        seed: how.seed,
        ..Analysis::to_train(selector.unwrap_or(classifier), selector.map(|_| classifier), &settings)?
    };
    let (trained, bytes) = how.run(|context| {
        let trained = analysis.fit(&Data::of_columns(file, &columns, &study)?, context)?;
        let bytes = trained.model.to_bytes()?;
        Ok((trained, bytes))
    })?;
    let model = described(&trained.model, &trained.label, &bytes);
    let (n_features, seconds) = (trained.input.features as i32, trained.seconds);
    let more = list!(n_features = n_features, seed = how.seed as f64, seconds = seconds);
    Ok(List::from_pairs(model.iter().chain(more.iter()).collect::<Vec<_>>()))
}

/// What a model needs and tells: its columns, covariates, classes and features.
fn described(model: &Model, label: &str, bytes: &[u8]) -> List {
    let notes: Vec<String> = model.notes.iter().map(Note::to_string).collect();
    list!(
        label = label,
        classes = model.classes.clone(),
        features = model.features(),
        columns = model.column_names(),
        covariates = model.covariate_names(),
        target = model.target.clone(),
        rows = model.rows as i32,
        notes = notes,
        document = raw(bytes)
    )
}

fn calibration(name: &str) -> Outcome<Option<tamis::model::Calibrate>> {
    match name {
        "" => Ok(None),
        name => serde_json::from_value(name.into()).map(Some).map_err(|_| {
            Failure::Words(format!("`calibrate` cannot be \"{name}\": it takes \"platt\" or \"isotonic\""))
        }),
    }
}

/// What a saved model needs and tells.
pub fn read_model(document: &Robj) -> Outcome<List> {
    let model = model(document)?;
    let label = match &model.selector {
        Some(selector) => format!("{} + {}", selector.name(), model.method.name()),
        None => model.method.name().into(),
    };
    Ok(described(&model, &label, document.as_raw_slice().unwrap_or_default()))
}

fn model(document: &Robj) -> Outcome<Model> {
    let bytes = document.as_raw_slice().ok_or_else(|| Failure::Words("the model is damaged".into()))?;
    Ok(Model::read(bytes, "model")?)
}

/// Classes and probabilities of new rows.
pub fn predict(document: &Robj, data: List, how: &How) -> Outcome<List> {
    let model = model(document)?;
    let rows = Rows::of(data)?;
    let (columns, covariates) = (rows.columns()?, rows.covariates()?);
    let places: HashMap<&str, usize> = columns.names().iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
    let wanted: Vec<&str> = model.column_names();
    let missing: Vec<&str> = wanted.iter().copied().filter(|name| !places.contains_key(name)).collect();
    if let [first, ..] = missing.as_slice() {
        let text = format!(
            "`newdata` lacks {} of the {} columns that the model needs (first: `{first}`)",
            missing.len(),
            wanted.len()
        );
        return Err(Failure::Words(text));
    }
    let at: Vec<usize> = wanted.iter().map(|name| places[name]).collect();
    let names: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let found = how.run(|_| {
        let table = Table::to_predict(&columns, &at, names)?.with_covariates(covariates)?;
        model.predict(&View::every_row(&table))
    })?;
    let notes: Vec<String> = note::said(found.notes, &RVoice).iter().map(Note::to_string).collect();
    let predicted: Vec<i32> = found.predicted.iter().map(|class| *class as i32 + 1).collect();
    Ok(list!(
        classes = model.classes.clone(),
        predicted = predicted,
        probabilities = found.probabilities.concat(),
        notes = notes
    ))
}

/// Compares methods on the same folds; `folds` 0 leaves out one row or group at a time.
pub fn evaluate(
    methods: Vec<String>,
    classifiers: Vec<String>,
    settings: &List,
    data: List,
    (folds, repeats): (usize, usize),
    how: &How,
) -> Outcome<List> {
    let rows = Rows::of(data)?;
    let Dataset { columns, study, file, preparation, .. } = rows.dataset()?;
    let compared = Compared { methods, classifiers, settings: settings_of(settings), ..Compared::default() };
    let folds = if folds == 0 { RequestedFolds::LeaveOneOut } else { RequestedFolds::Count { folds, repeats } };
    let analysis = Analysis { preparation, seed: how.seed, ..Analysis::default() };
    let evaluation = how.run(|context| {
        let data = Data::of_columns(file, &columns, &study)?;
        analysis.evaluate(&compared, &RequestedSplits::Folds(folds), &data, context)
    })?;
    answer::evaluation(evaluation)
}

/// Every method with its parameters.
pub fn methods() -> Outcome<List> {
    let pages = to_r(&serde_json::Value::Object(Method::pages()?));
    pages.as_list().ok_or_else(|| Failure::Words("there are no methods".into()))
}
