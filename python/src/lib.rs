//! `tamis._core`: arrays in, the library's work, arrays out. Everything people see is Python, on top of this.

mod matrix;
mod shard;
mod work;

use matrix::{Matrix, Numbers};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};
use tamis::resample::bootstrap;
use tamis::result::InputFacts;
use tamis::score;
use tamis::table::{Source, Target, Task, View, source};
use tamis::{Method, Npfs, Selection, Selector, Table};
use work::{run, translate};

/// How and on what threads a call works; what Python gives with every call.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct How<'py> {
    threads: usize,
    seed: u64,
    say: Option<Bound<'py, PyAny>>,
}

/// Rows to learn from.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Rows<'py> {
    x: Matrix<'py>,
    /// A number per row, which may still turn out to be classes.
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    /// Or a class per row.
    codes: Option<PyReadonlyArray1<'py, u32>>,
    labels: Vec<String>,
    task: Option<String>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    names: Option<Vec<String>>,
}

/// The same without Python.
struct Taken<'a> {
    facts: InputFacts,
    x: Numbers<'a>,
    names: Vec<String>,
    target: Target,
    weights: Option<Vec<f64>>,
}

impl Rows<'_> {
    fn take(&self) -> PyResult<Taken<'_>> {
        let x = self.x.numbers()?;
        let weights = self.weights.as_ref().map(|w| w.as_array().to_vec());
        let target = match (&self.codes, &self.numbers) {
            (Some(codes), _) => {
                let positive = (self.labels.len() as u32).saturating_sub(1);
                Target::of_codes(self.labels.clone(), codes.as_array().to_vec(), positive).map_err(translate)?
            }
            (None, Some(numbers)) => {
                let task = match self.task.as_deref() {
                    None | Some("auto") => None,
                    Some("classes") => Some(Task::Classes),
                    Some("real") => Some(Task::Real),
                    Some(_) => return Err(PyValueError::new_err("`task` takes auto, classes or real")),
                };
                Target::of_numbers(&numbers.as_array().to_vec(), weights.as_deref(), task).map_err(translate)?
            }
            (None, None) => return Err(PyValueError::new_err("there is no target")),
        };
        if target.len() != x.rows() {
            let text = format!("the target has {} rows, the matrix {}", target.len(), x.rows());
            return Err(PyValueError::new_err(text));
        }
        let names = self.names.clone().unwrap_or_else(|| numbered(x.columns()));
        Ok(Taken { facts: facts(&x, &target), x, names, target, weights })
    }
}

/// What was learned from, as the result file says it.
fn facts(x: &Numbers<'_>, target: &Target) -> InputFacts {
    let (classes, positive) = match target {
        Target::Classes { labels, codes, positive, .. } => {
            let count = |class: usize| codes.iter().filter(|c| **c as usize == class).count() as u64;
            let counts = labels.iter().cloned().enumerate().map(|(class, label)| (label, count(class))).collect();
            (Some(counts), (labels.len() == 2).then(|| labels[*positive as usize].clone()))
        }
        Target::Real { .. } => (None, None),
    };
    InputFacts { file: "Python".into(), rows: x.rows(), features: x.columns(), target: "y".into(), classes, positive }
}

fn numbered(n: usize) -> Vec<String> {
    (0..n).map(|j| format!("x{j}")).collect()
}

impl Taken<'_> {
    fn table(self) -> tamis::Result<Table> {
        Table::from_source(&self.x, self.names, self.target, self.weights)
    }
}

fn parameters(text: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("parameters are not an object: {e}")))
}

fn method(name: &str, text: &str, seed: u64) -> PyResult<Method> {
    Ok(Method::from_values(name, parameters(text)?).map_err(translate)?.with_seed(seed))
}

fn json_of(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// A selection as a dictionary of arrays; what is not an array is JSON.
fn to_python<'py>(py: Python<'py>, found: Selection, input: &InputFacts) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let interval = found.n_expected_95.map(|[low, high]| (low, high));
    let ranks: Vec<i64> = found.ranks.iter().map(|r| i64::from(*r)).collect();
    let selected: Vec<i64> = found.selected.iter().map(|i| i64::from(*i)).collect();
    let optional = |values: Option<Vec<f64>>| values.map(|v| v.into_pyarray(py));
    out.set_item("support", found.mask().into_pyarray(py))?;
    out.set_item("ranking", ranks.into_pyarray(py))?;
    out.set_item("selected", selected.into_pyarray(py))?;
    out.set_item("n_expected", found.n_expected)?;
    out.set_item("n_expected_95", interval)?;
    out.set_item("fraction_irrelevant", found.fraction_irrelevant)?;
    out.set_item("converged", found.converged)?;
    out.set_item("n_iter", found.iterations)?;
    out.set_item("method", json_of(&found.method)?)?;
    out.set_item("seed", found.seed)?;
    out.set_item("input", json_of(input)?)?;
    out.set_item("notes", json_of(&found.notes)?)?;
    out.set_item("detail", json_of(&found.detail)?)?;
    out.set_item("scores", found.scores.into_pyarray(py))?;
    out.set_item("effects", optional(found.effects))?;
    out.set_item("probabilities", optional(found.probabilities))?;
    out.set_item("q_values", optional(found.q_values))?;
    Ok(out)
}

/// Runs the selector of this name.
#[pyfunction]
fn select<'py>(
    py: Python<'py>,
    name: &str,
    settings: &str,
    rows: Rows<'py>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let method = method(name, settings, how.seed)?;
    let taken = rows.take()?;
    let input = taken.facts.clone();
    let found = run(py, how.threads, how.say.as_ref(), move |progress| match method {
        Method::Snbl(snbl) => {
            let Taken { x, names, target, weights, .. } = taken;
            snbl.select_from(&x, names, target, weights, progress)
        }
        method => method.select(&taken.table()?.view(), progress),
    })?;
    to_python(py, found, &input)
}

/// The score of every feature.
#[pyfunction]
fn scores<'py>(py: Python<'py>, settings: &str, rows: Rows<'py>, how: How<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let Method::Snbl(snbl) = method("snbl", settings, 0)? else {
        return Err(PyValueError::new_err("scores are those of snbl"));
    };
    let taken = rows.take()?;
    let found = run(py, how.threads, how.say.as_ref(), move |progress| {
        score::compute_source(&taken.x, taken.names, taken.target, taken.weights, (snbl.score, snbl.scale), progress)
    })?;
    Ok(found.z.into_pyarray(py))
}

/// Empirical Bayes on scores that exist already.
#[pyfunction]
fn shrink<'py>(
    py: Python<'py>,
    settings: &str,
    z: PyReadonlyArray1<'py, f64>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let Method::Shrink(means) = method("shrink", settings, 0)? else {
        return Err(PyValueError::new_err("shrink takes scores"));
    };
    let z = z.as_array().to_vec();
    let found = run(py, how.threads, how.say.as_ref(), move |progress| {
        tamis::sparse_means::shrink(&means, numbered(z.len()).into(), &z, progress)
    })?;
    let n = found.scores.len();
    let input = InputFacts { file: "Python".into(), rows: n, features: n, target: "z".into(), ..InputFacts::default() };
    to_python(py, found, &input)
}

/// z from t statistics of common degrees of freedom.
#[pyfunction]
fn from_t<'py>(py: Python<'py>, t: PyReadonlyArray1<'py, f64>, df: f64) -> PyResult<Bound<'py, PyArray1<f64>>> {
    Ok(score::from_t(&t.as_array().to_vec(), df).map_err(translate)?.into_pyarray(py))
}

/// Every index of agreement of several selections, as JSON.
#[pyfunction]
fn stability(runs: Vec<Vec<u32>>, features: usize) -> PyResult<String> {
    json_of(&tamis::evaluate::stability::stability(&runs, features).map_err(translate)?)
}

/// A trained classifier, with what it says of every feature where it selects.
type Fitted<'py> = (Model, Option<Bound<'py, PyDict>>);

/// Trains the classifier of this name.
#[pyfunction]
fn fit<'py>(py: Python<'py>, name: &str, settings: &str, rows: Rows<'py>, how: How<'py>) -> PyResult<Fitted<'py>> {
    let method = method(name, settings, how.seed)?;
    let taken = rows.take()?;
    let (names, input) = (taken.names.clone(), taken.facts.clone());
    let (model, selection) =
        run(py, how.threads, how.say.as_ref(), move |progress| method.fit_selecting(&taken.table()?.view(), progress))?;
    let places: std::collections::HashMap<&str, usize> =
        names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    let columns = model.columns().into_iter().filter_map(|name| places.get(name).copied()).collect();
    Ok((Model { model, columns }, selection.map(|found| to_python(py, found, &input)).transpose()?))
}

/// The page of a result: what the program writes with `--json`, drawn.
#[pyfunction]
fn report(py: Python<'_>, text: &str) -> PyResult<String> {
    py.detach(|| tamis_report::page(text.as_bytes(), "result")).map_err(translate)
}

/// The program `tamis`, with these arguments; returns its exit status.
#[pyfunction]
fn program(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| tamis_cli::run(arguments))
}

/// A class and the arguments that make the same object again.
type Pickled = (Py<PyAny>, (String, Vec<usize>));

/// A trained classifier, kept as the JSON that the program writes too.
#[pyclass(module = "tamis._core", frozen)]
struct Model {
    model: tamis::Model,
    /// Where the columns it needs are in the matrix it was trained on.
    columns: Vec<usize>,
}

#[pymethods]
impl Model {
    #[new]
    fn new(text: &str, columns: Vec<usize>) -> PyResult<Model> {
        let model = tamis::Model::read(text.as_bytes(), "model").map_err(translate)?;
        if model.columns().len() != columns.len() {
            return Err(PyValueError::new_err("the model and its columns do not match"));
        }
        Ok(Model { model, columns })
    }

    /// The model as JSON.
    fn json(&self) -> PyResult<String> {
        json_of(&self.model)
    }

    /// Text and whole numbers: what is pickled does not depend on this module's version.
    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Pickled> {
        let class = slf.py().get_type::<Model>().into_any().unbind();
        Ok((class, (slf.json()?, slf.columns.clone())))
    }

    /// The probability of each class, a row per row.
    fn predict_proba<'py>(
        &self,
        py: Python<'py>,
        x: Matrix<'py>,
        how: How<'py>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = x.numbers()?;
        if let Some(&last) = self.columns.iter().max()
            && last >= numbers.columns()
        {
            let text = format!("the model needs column {last}, and there are {}", numbers.columns());
            return Err(PyValueError::new_err(text));
        }
        let found = run(py, how.threads, how.say.as_ref(), |_| {
            let rows = numbers.rows();
            let names: Vec<String> = self.model.columns().into_iter().map(Into::into).collect();
            let columns = source::copy(&numbers, &self.columns);
            let table = Table::to_predict(names, columns, rows)?;
            let by_class = self.model.classifier.probabilities(&View::every_row(&table))?;
            Ok(Array2::from_shape_fn((rows, by_class.len()), |(row, class)| by_class[class][row]))
        })?;
        Ok(found.into_pyarray(py))
    }
}

/// What NPFS asks of a selector from elsewhere: (bootstraps, permutations).
#[pyfunction]
fn npfs_plan(settings: &str) -> PyResult<(usize, usize)> {
    let npfs = npfs(settings, 0)?;
    Ok((npfs.bootstraps, npfs.permutations()))
}

fn npfs(settings: &str, seed: u64) -> PyResult<Npfs> {
    match method("npfs", settings, seed)? {
        Method::Npfs(npfs) => Ok(npfs),
        _ => Err(PyValueError::new_err("settings of npfs are needed")),
    }
}

/// How often bootstrap `b` draws each row.
#[pyfunction]
fn npfs_draw<'py>(
    py: Python<'py>,
    settings: &str,
    seed: u64,
    b: usize,
    rows: usize,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    Ok(npfs(settings, seed)?.draw(b, rows, None).into_pyarray(py))
}

/// Permutation `r` of the rows.
#[pyfunction]
fn npfs_permutation(py: Python<'_>, seed: u64, r: u64, rows: usize) -> Bound<'_, PyArray1<u32>> {
    bootstrap::permutation(seed, r, rows).into_pyarray(py)
}

/// The test on runs of a selector from elsewhere.
#[pyfunction]
fn npfs_decide<'py>(
    py: Python<'py>,
    settings: &str,
    rows: Rows<'py>,
    chosen: Vec<Vec<u32>>,
    null: Vec<Vec<u32>>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let npfs = npfs(settings, how.seed)?;
    let taken = rows.take()?;
    let input = taken.facts.clone();
    let found = run(py, how.threads, how.say.as_ref(), move |progress| {
        npfs.decide_runs(&taken.table()?.view(), chosen, null, progress)
    })?;
    to_python(py, found, &input)
}

/// Every method with its parameters, as JSON.
#[pyfunction]
fn methods() -> PyResult<String> {
    let entry = |e: tamis::catalogue::method::Entry| {
        let defaults = e.default.parameters();
        let one = |p: &tamis::base::parameter::Parameter| {
            let value = json!({ "default": defaults[p.name], "range": p.range, "purpose": p.purpose });
            (p.name.to_string(), value)
        };
        let parameters: Map<String, Value> = e.parameters.iter().map(one).collect();
        let about = json!({ "summary": e.summary, "reference": e.reference, "parameters": parameters });
        (e.name.to_string(), about)
    };
    json_of(&Method::catalogue().into_iter().map(entry).collect::<Map<String, Value>>())
}

/// Panics, to see that it does not get through.
#[pyfunction]
fn _fault(py: Python<'_>) -> PyResult<()> {
    run(py, 1, None, |_| -> tamis::Result<()> { panic!("on purpose") })
}

/// Works until it is interrupted, to see that it can be.
#[pyfunction]
fn _endless(py: Python<'_>) -> PyResult<()> {
    run(py, 1, None, |progress| {
        loop {
            progress.step("waiting", 0, 0)?;
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    })
}

#[pymodule]
#[pyo3(name = "_core")]
mod core {
    #[pymodule_export]
    use super::{
        _endless, _fault, Model, fit, from_t, methods, npfs_decide, npfs_draw, npfs_permutation, npfs_plan, program,
        report, scores, select, shrink, stability,
    };

    #[pymodule_export]
    use super::shard::{
        PyEdges, Shard, code_rows, codes_join, codes_select, codings_size, edges_codings, npfs_answer, npfs_part,
        shard_answer, shard_merge,
    };

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
