//! The R package's bridge to the library: lists in, the library's work, lists out. Everything people see is R, on top of
//! this. Every function returns a list, with `error` or `interrupted` where there is no answer.

mod answer;
mod classify;
mod columns;
mod input;
mod select;
mod values;
mod voice;
mod work;

use extendr_api::prelude::*;
use tamis::Progress;
use tamis::result::{Document, SampleValues};
use tamis::table::Model;
use work::{Failure, How, answer};

/// Selects features of a table.
#[extendr]
fn core_select(method: &str, settings: Robj, data: List, second_look: bool, needed: bool, how: List) -> List {
    answer(|| select::select(method, &settings, data, [second_look, needed], &How::of(&how)))
}

/// Shrinks scores that exist already.
#[extendr]
fn core_shrink(settings: Robj, names: Vec<String>, given: List, written: &str, how: List) -> List {
    answer(|| select::shrink(&settings, names, &given, written, &How::of(&how)))
}

/// Trains a classifier; `selector` and `calibrate` are empty where there is none.
#[extendr]
fn core_fit(classifier: &str, selector: &str, settings: List, data: List, calibrate: &str, how: List) -> List {
    let selector = Some(selector).filter(|name| !name.is_empty());
    answer(|| classify::fit(classifier, selector, &settings, data, calibrate, &How::of(&how)))
}

/// The variables of a formula: the one that stands for the target, and the others.
#[extendr]
fn core_model(formula: &str, test: &str) -> List {
    answer(|| {
        let model = Model::new(formula, Some(test))?;
        let others: Vec<String> = model.covariates().into_iter().map(String::from).collect();
        Ok(list!(target = model.target().to_string(), others = others))
    })
}

/// Predicts new rows.
#[extendr]
fn core_predict(document: Robj, data: List, how: List) -> List {
    answer(|| classify::predict(&document, data, &How::of(&how)))
}

/// Compares methods.
#[extendr]
fn core_evaluate(
    methods: Vec<String>,
    classifiers: Vec<String>,
    settings: List,
    data: List,
    folds: f64,
    repeats: f64,
    how: List,
) -> List {
    let folds = (folds as usize, repeats as usize);
    answer(|| classify::evaluate(methods, classifiers, &settings, data, folds, &How::of(&how)))
}

/// A saved result, evaluation or model.
#[extendr]
fn core_read(document: Robj, kind: &str) -> List {
    answer(|| {
        if kind == "model" {
            return classify::read_model(&document);
        }
        let bytes = document.as_raw_slice().unwrap_or_default();
        match Document::read(bytes, "the file")? {
            Document::Selection(result) => answer::selection(*result, None),
            Document::Evaluation(found) => answer::evaluation(*found),
        }
    })
}

/// A saved result or evaluation as one HTML page; `values` are those of the samples, where they are at hand.
#[extendr]
fn core_page(document: Robj, values: Robj) -> List {
    answer(|| {
        let bytes = document.as_raw_slice().ok_or_else(|| Failure::Words("the result is damaged".into()))?;
        let values = values.as_raw_slice().map(SampleValues::of_bytes).transpose()?;
        let page = match Document::read(bytes, "result")? {
            Document::Selection(result) => tamis_report::selection_page(&result, values.as_ref())?,
            Document::Evaluation(found) => tamis_report::evaluation_page(&found)?,
        };
        Ok(list!(page = page))
    })
}

/// Every method with its parameters.
#[extendr]
fn core_methods() -> List {
    answer(classify::methods)
}

/// Works until it is interrupted (0), or panics (1): for tests.
#[extendr]
fn core_trouble(kind: i32, how: List) -> List {
    answer(|| {
        How::of(&how).run(|context| -> tamis::Result<()> {
            assert!(kind == 0, "on purpose");
            loop {
                context.step("waiting", 0, 0)?;
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        })?;
        Ok(List::new(0))
    })
}

extendr_module! {
    mod tamis;
    fn core_select;
    fn core_shrink;
    fn core_fit;
    fn core_model;
    fn core_predict;
    fn core_evaluate;
    fn core_read;
    fn core_page;
    fn core_methods;
    fn core_trouble;
}
