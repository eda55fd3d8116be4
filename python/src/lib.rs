//! `tamis._core`: arrays in, the library's work, arrays out. Everything people see is Python, on top of this.

mod annotated;
mod answer;
mod input;
mod matrix;
mod model;
mod npfs;
mod option_names;
mod shard;
mod work;

use annotated::select_annotated;
use answer::{Document, json_of, of_units, to_python};
use input::{How, Rows, method, numbered, snbl};
use model::{Model, fit};
use npfs::{npfs_decide, npfs_draw, npfs_permutation, npfs_plan};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use option_names::{PythonVoice, translate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::time::Instant;
use tamis::result::{InputFacts, SelectionResult};
use tamis::table::{FeatureGroup, View, merge_one_hot};
use tamis::{Context, Method, Selection, Selector, Snbl, score};

/// Runs the selector of this name.
#[pyfunction]
fn select<'py>(
    py: Python<'py>,
    name: &str,
    settings: &str,
    rows: Rows<'py>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let start = Instant::now();
    let method = method(name, settings)?;
    let groups = rows.feature_groups();
    let data = rows.dataset()?;
    let (input, names) = (data.facts.clone(), Arc::clone(&data.x.names));
    let (found, units) = how.run(py, move |context| match method {
        Method::Snbl(snbl) => data.in_place(|view| select_together(&snbl, view, groups, context)),
        method => Ok((method.select(&data.table()?.view(), context)?, Units::default())),
    })?;
    let result = SelectionResult::new(&found, input, start.elapsed().as_secs_f64());
    let result = result.with_columns(&units.members, &names).with_feature_groups(&units.groups);
    of_units(py, found, result, &units.members)
}

/// Features that count together: the columns that each was made of (none: each is one), and their groups.
#[derive(Default)]
struct Units {
    members: Vec<Vec<u32>>,
    groups: Vec<FeatureGroup>,
}

/// A selection in which one-hot columns count as one feature.
fn select_together(
    snbl: &Snbl,
    view: &View,
    groups: Vec<FeatureGroup>,
    context: &mut Context,
) -> tamis::Result<(Selection, Units)> {
    let Some(merged) = merge_one_hot(view, &groups) else {
        return Ok((snbl.select(view, context)?, Units { groups, ..Units::default() }));
    };
    let mut found = snbl.select(&merged.table.view(), context)?;
    found.notes.insert(0, merged.note.clone());
    let groups = merged.groups(&groups);
    Ok((found, Units { members: merged.members, groups }))
}

/// The score of every feature.
#[pyfunction]
fn scores<'py>(py: Python<'py>, settings: &str, rows: Rows<'py>, how: How<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let snbl = snbl(settings)?;
    let data = rows.dataset()?;
    let found =
        how.run(py, move |context| data.in_place(|view| score::compute(view, snbl.score, snbl.scale, context)))?;
    Ok(found.into_z().into_pyarray(py))
}

/// Empirical Bayes on scores that exist already.
#[pyfunction]
fn shrink<'py>(
    py: Python<'py>,
    settings: &str,
    z: PyReadonlyArray1<'py, f64>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let start = Instant::now();
    let Method::Shrink(means) = method("shrink", settings)? else {
        return Err(PyValueError::new_err("settings of shrink are needed"));
    };
    let z = z.as_array().to_vec();
    let n = z.len();
    let found = how.run(py, move |context| tamis::sparse_means::shrink(&means, numbered(n).into(), &z, context))?;
    let input = InputFacts { file: "Python".into(), rows: n, features: n, target: "z".into(), ..InputFacts::default() };
    to_python(py, found, input, start.elapsed().as_secs_f64())
}

/// z from t statistics of common degrees of freedom.
#[pyfunction]
fn from_t<'py>(py: Python<'py>, t: PyReadonlyArray1<'py, f64>, df: f64) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let z = score::from_t(&t.as_array().to_vec(), df).map_err(|error| translate(error, PythonVoice::Arrays))?;
    Ok(z.into_pyarray(py))
}

/// Every index of agreement of several selections, as JSON.
#[pyfunction]
fn stability(runs: Vec<Vec<u32>>, features: usize) -> PyResult<String> {
    let found = tamis::evaluate::stability::stability(&runs, features);
    json_of(&found.map_err(|error| translate(error, PythonVoice::Arrays))?)
}

/// The program `tamis`, with these arguments; returns its exit status.
#[pyfunction]
fn program(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| tamis_cli::run(arguments))
}

/// Every method with its parameters, as JSON.
#[pyfunction]
fn methods() -> PyResult<String> {
    json_of(&Method::pages().map_err(|error| translate(error, PythonVoice::Arrays))?)
}

/// Panics, to see that it does not get through.
#[pyfunction]
fn _fault(py: Python<'_>) -> PyResult<()> {
    How { threads: 1, seed: 0, say: None }.run(py, |_| -> tamis::Result<()> { panic!("on purpose") })
}

/// Works until it is interrupted, to see that it can be.
#[pyfunction]
fn _endless(py: Python<'_>) -> PyResult<()> {
    How { threads: 1, seed: 0, say: None }.run(py, |context| {
        use tamis::Progress;
        loop {
            context.step("waiting", 0, 0)?;
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    })
}

#[pymodule]
#[pyo3(name = "_core")]
mod core {
    #[pymodule_export]
    use super::{
        _endless, _fault, Document, Model, fit, from_t, methods, npfs_decide, npfs_draw, npfs_permutation, npfs_plan,
        program, scores, select, select_annotated, shrink, stability,
    };

    #[pymodule_export]
    use super::shard::{
        PyEdges, Shard, code_rows, codes_join, codes_select, codings_size, edges_codings, npfs_answer, npfs_part,
        shard_answer, shard_merge,
    };

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
