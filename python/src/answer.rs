//! Results for Python: arrays for estimators, and the document that is saved and drawn.

use crate::option_names::{PythonVoice, translate};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tamis::Selection;
use tamis::result::{FeatureValues, InputFacts, SelectionResult};

/// A selection with the facts of its input. Its JSON, which for a wide table is long, is made when somebody asks.
#[pyclass(module = "tamis._core", frozen)]
pub struct Document {
    result: SelectionResult,
}

/// A class, and the JSON from which it makes an object again.
type Pickled = (Py<PyAny>, (String,));

#[pymethods]
impl Document {
    #[new]
    fn new(text: &str) -> PyResult<Document> {
        let result = SelectionResult::read(text.as_bytes(), "result");
        Ok(Document { result: result.map_err(|error| translate(error, PythonVoice::Arrays))? })
    }

    /// The document as the program's `--json` writes it.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| json_of(&self.result))
    }

    /// Everything that is known about every feature: names and arrays, in input order.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for column in self.result.feature_table() {
            let name = column.name;
            match column.values {
                FeatureValues::Numbers(x) => {
                    let numbers: Vec<f64> = x.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect();
                    out.set_item(name, numbers.into_pyarray(py))?;
                }
                FeatureValues::Counts(x) if x.iter().all(Option::is_some) => {
                    let counts: Vec<i64> = x.into_iter().flatten().map(|x| x as i64).collect();
                    out.set_item(name, counts.into_pyarray(py))?;
                }
                FeatureValues::Counts(x) => {
                    let counts: Vec<f64> = x.into_iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect();
                    out.set_item(name, counts.into_pyarray(py))?;
                }
                FeatureValues::Texts(x) => out.set_item(name, x)?,
                FeatureValues::Flags(x) => out.set_item(name, x.into_pyarray(py))?,
                _ => {}
            }
        }
        Ok(out)
    }

    /// The document drawn as one HTML page.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let page = py.detach(|| tamis_report::selection_page(&self.result, None));
        page.map_err(|error| translate(error, PythonVoice::Arrays))
    }

    /// The document of a run of which this was a part, and which took so many seconds.
    fn timed(&self, seconds: f64) -> Document {
        let mut result = self.result.clone();
        result.seconds = seconds;
        Document { result }
    }

    /// Text, so that a pickle does not depend on this module's version.
    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Pickled> {
        let class = slf.py().get_type::<Document>().into_any().unbind();
        Ok((class, (slf.json(slf.py())?,)))
    }
}

/// A selection as a dictionary of arrays, with notes and details as JSON and the whole as a [`Document`].
pub fn to_python<'py>(
    py: Python<'py>,
    found: Selection,
    input: InputFacts,
    seconds: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let result = SelectionResult::new(&found, input, seconds);
    of_units(py, found, result, &[])
}

/// As [`to_python`], with arrays that have an entry for every column: `members` are the columns of each feature, none
/// where every feature is one.
pub fn of_units<'py>(
    py: Python<'py>,
    found: Selection,
    result: SelectionResult,
    members: &[Vec<u32>],
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let interval = |ends: Option<[u64; 2]>| ends.map(|[low, high]| (low, high));
    let ranks: Vec<i64> = found.ranks.iter().map(|r| i64::from(*r)).collect();
    let optional = |values: Option<Vec<f64>>| values.map(|v| of_columns(v, members).into_pyarray(py));
    out.set_item("support", of_columns(found.mask(), members).into_pyarray(py))?;
    out.set_item("ranking", of_columns(ranks, members).into_pyarray(py))?;
    out.set_item("n_selected", result.n_selected)?;
    out.set_item("n_expected", found.n_expected)?;
    out.set_item("n_expected_95", interval(found.n_expected_95))?;
    out.set_item("n_strong_95", interval(found.n_strong_95))?;
    out.set_item("expected_false", found.expected_false)?;
    out.set_item("sentence", result.sentence())?;
    out.set_item("fraction_irrelevant", found.fraction_irrelevant)?;
    out.set_item("converged", found.converged)?;
    out.set_item("n_iter", found.iterations)?;
    out.set_item("of_classes", result.input.classes.is_some())?;
    out.set_item("method", json_of(&found.method)?)?;
    out.set_item("seed", found.seed)?;
    out.set_item("notes", found.notes.into_iter().map(|note| note.message).collect::<Vec<_>>())?;
    out.set_item("detail", json_of(&found.detail)?)?;
    out.set_item("scores", of_columns(found.scores, members).into_pyarray(py))?;
    out.set_item("effects", optional(found.effects))?;
    out.set_item("probabilities", optional(found.probabilities))?;
    out.set_item("q_values", optional(found.q_values))?;
    out.set_item("document", Document { result })?;
    Ok(out)
}

/// A value for every column: that of its feature.
fn of_columns<T: Copy>(values: Vec<T>, members: &[Vec<u32>]) -> Vec<T> {
    if members.is_empty() {
        return values;
    }
    let mut by: Vec<(u32, T)> = members
        .iter()
        .zip(values)
        .flat_map(|(columns, value)| columns.iter().map(move |&column| (column, value)))
        .collect();
    by.sort_by_key(|(column, _)| *column);
    by.into_iter().map(|(_, value)| value).collect()
}

pub fn json_of(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}
