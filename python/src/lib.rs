//! `tamis._core`: arrays in, the library's work, arrays out. Everything people see is Python, on top of this.

mod answer;
mod input;
mod matrix;
mod model;
mod npfs;
mod option_names;
mod shard;
mod work;

use answer::{Document, json_of, to_python};
use input::{Asked, How, NAME, Rows, method, model_variables, numbered, snbl};
use model::{Model, fit};
use npfs::{npfs_decide, npfs_draw, npfs_permutation, npfs_plan};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use option_names::{PythonVoice, translate};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tamis::catalogue::Preparation;
use tamis::evaluate::stability as indices;
use tamis::front::{DegreesOfFreedom, GivenScores};
use tamis::{Analysis, Error, Method, score};

/// Runs the selector of this name as the program does.
#[pyfunction]
fn select<'py>(
    py: Python<'py>,
    name: &str,
    settings: &str,
    rows: Rows<'py>,
    asked: Asked,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let analysis = Analysis {
        preparation: Preparation { counts: asked.counts()?, feature_groups: rows.feature_groups() },
        second_look: asked.second_look.filter(|looks| !looks),
        needed: asked.needed.filter(|asks| !asks),
        least_features: asked.least,
        ..analysis(method(name, settings)?, &how)
    };
    let data = rows.dataset()?;
    let found = how.run(py, move |context| {
        let data = data.of_rows()?;
        analysis.select(&asked.told(data), context)
    })?;
    to_python(py, found)
}

/// An analysis by this method that keeps the values for a report.
fn analysis(method: Method, how: &How<'_>) -> Analysis {
    Analysis { method, sample_values: true, seed: how.seed, ..Analysis::default() }
}

/// The score of every feature.
#[pyfunction]
fn scores<'py>(py: Python<'py>, settings: &str, rows: Rows<'py>, how: How<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let snbl = snbl(settings)?;
    let data = rows.dataset()?;
    let found = how.run(py, move |context| score::compute(&data.of_rows()?.view, snbl.score, snbl.scale, context))?;
    Ok(found.into_z().into_pyarray(py))
}

/// Empirical Bayes on scores that exist already.
#[pyfunction]
fn shrink<'py>(
    py: Python<'py>,
    settings: &str,
    z: PyReadonlyArray1<'py, f64>,
    df: Option<f64>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let analysis = analysis(method("shrink", settings)?, &how);
    let z = z.as_array().to_vec();
    let df = df.map(DegreesOfFreedom::Same);
    let found = how.run(py, move |context| {
        let given = GivenScores::of_scores(&z, df.as_ref())?;
        analysis.shrink(numbered(z.len()), &given, (NAME.into(), "z".into()), context)
    })?;
    to_python(py, found)
}

/// An index of agreement of several selections.
#[pyfunction]
fn stability(runs: Vec<Vec<u32>>, features: usize, index: &str) -> PyResult<f64> {
    let found = match index {
        "nogueira" => indices::nogueira(&runs, features).map(|found| found.stability),
        "kuncheva" => indices::kuncheva(&runs, features),
        "jaccard" => indices::jaccard(&runs, features),
        "pearson" => indices::pearson(&runs, features),
        _ => Err(Error::parameter("index", index, "it takes nogueira, kuncheva, jaccard or pearson")),
    };
    found.map_err(|error| translate(error, PythonVoice::Arrays))
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
        _endless, _fault, Document, Model, fit, methods, model_variables, npfs_decide, npfs_draw, npfs_permutation,
        npfs_plan, program, scores, select, shrink, stability,
    };

    #[pymodule_export]
    use super::shard::{
        PyEdges, PyProfile, RowShard, Shard, code_rows, codes_join, codes_select, codings_size, edges_codings,
        npfs_answer, npfs_part, row_answer, shard_answer, shard_merge,
    };

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
