//! Classifiers: trained, applied to new rows, and compared on the same folds.

use crate::answer::{self, raw};
use crate::input::{Dataset, Rows, method};
use crate::values::to_r;
use crate::voice::RVoice;
use crate::work::{Failure, How, Outcome};
use extendr_api::prelude::*;
use std::collections::HashMap;
use std::time::Instant;
use tamis::evaluate::{Run, compared_pipelines, cross_validate};
use tamis::resample::RequestedFolds;
use tamis::result::{Evaluation, InputFacts};
use tamis::table::{Columns, Table};
use tamis::{Error, Method, Model, Pipeline, View};

/// Settings of every method by name: a list of lists.
fn method_of(name: &str, settings: &List) -> Outcome<Method> {
    method(name, &settings.dollar(name).unwrap_or_default())
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
    let started = Instant::now();
    let rows = Rows::of(data)?;
    let data = rows.dataset()?;
    let pipeline = Pipeline {
        selector: selector.map(|name| method_of(name, settings)).transpose()?,
        classifier: method_of(classifier, settings)?,
        tune: None,
        counts: data.counts.clone(),
        calibrate: calibration(calibrate)?,
    };
    pipeline.validate()?;
    let n_features = data.columns.names().len();
    let about_rows = data.study.notes_on_rows();
    let (model, bytes) = how.run(|context| {
        let table = Table::of(&data.columns, data.study)?;
        let model = pipeline.fit(&table.view(), context)?.model;
        let bytes = model.to_bytes()?;
        Ok((model, bytes))
    })?;
    let notes: Vec<String> = about_rows.iter().chain(&model.notes).map(|note| note.message.clone()).collect();
    Ok(list!(
        label = pipeline.label(),
        classes = model.classes.clone(),
        features = model.features(),
        columns = model.column_names(),
        covariates = model.covariate_names(),
        target = model.target.clone(),
        rows = model.rows as i32,
        n_features = n_features as i32,
        notes = notes,
        seed = how.seed as f64,
        seconds = started.elapsed().as_secs_f64(),
        document = raw(&bytes)
    ))
}

fn calibration(name: &str) -> Outcome<Option<tamis::model::Calibrate>> {
    match name {
        "" => Ok(None),
        name => serde_json::from_value(name.into()).map(Some).map_err(|_| {
            Failure::Words(format!("`calibrate` cannot be \"{name}\": it takes \"platt\" or \"isotonic\""))
        }),
    }
}

/// What a saved model needs and tells: its columns, covariates, classes and features.
pub fn read_model(document: &Robj) -> Outcome<List> {
    let model = model(document)?;
    let notes: Vec<String> = model.notes.iter().map(|note| note.message.clone()).collect();
    let label = match &model.selector {
        Some(selector) => format!("{} + {}", selector.name(), model.method.name()),
        None => model.method.name().into(),
    };
    Ok(list!(
        label = label,
        classes = model.classes.clone(),
        features = model.features(),
        columns = model.column_names(),
        covariates = model.covariate_names(),
        target = model.target.clone(),
        rows = model.rows as i32,
        notes = notes,
        document = document
    ))
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
    let notes: Vec<String> = found.notes.iter().map(|note| note.message.clone()).collect();
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
    let started = Instant::now();
    let rows = Rows::of(data)?;
    let Dataset { columns, study, file, groups, counts, .. } = rows.dataset()?;
    let table = how.run(|_| Table::of(&columns, study))?;
    let view = table.view();
    let folds = if folds == 0 { RequestedFolds::LeaveOneOut } else { RequestedFolds::Count { folds, repeats } };
    let (plan, line) = folds.plan(&view, groups.as_ref(), how.seed)?;
    let (defaults, note) = match methods.is_empty() {
        true => compared_pipelines::default_methods(&view, plan.len(), &RVoice),
        false => (vec![], None),
    };
    let names = methods.iter().map(String::as_str).chain(defaults);
    let of_name = |name: &str| (name != "none").then(|| method_of(name, settings)).transpose();
    let selectors: Vec<Option<Method>> = names.map(of_name).collect::<Outcome<_>>()?;
    let behind: Vec<Method> = match classifiers.is_empty() {
        true => vec![method_of(compared_pipelines::default_classifier(&view), settings)?],
        false => classifiers.iter().map(|name| method_of(name, settings)).collect::<Outcome<_>>()?,
    };
    let mut pipelines = compared_pipelines::pipelines(&selectors, &behind, !classifiers.is_empty());
    for pipeline in &mut pipelines {
        pipeline.counts = counts.clone();
        pipeline.validate()?;
    }
    let found = how.run(|context| cross_validate(&view, &pipelines, &plan, context))?;
    let runs: Vec<Run> =
        pipelines.iter().zip(found).map(|(pipeline, folds)| Run::new(0, &view, pipeline, folds, &RVoice)).collect();
    if let Some(reason) =
        runs.iter().find_map(|run| run.failed.as_ref().filter(|_| runs.iter().all(|r| r.failed.is_some())))
    {
        return Err(Error::parameter("methods", "all", format!("none can be used on these data: {reason}")).into());
    }
    let facts = InputFacts::of(file, view.target_name(), &view);
    let notes = note.into_iter().chain(plan.notes.iter().cloned()).collect();
    let mut evaluation = Evaluation::new(vec![facts], runs, line, notes, how.seed)?;
    evaluation.seconds = started.elapsed().as_secs_f64();
    answer::evaluation(&evaluation)
}

/// Every method with its parameters.
pub fn methods() -> Outcome<List> {
    let pages = to_r(&serde_json::Value::Object(Method::pages()?));
    pages.as_list().ok_or_else(|| Failure::Words("there are no methods".into()))
}
