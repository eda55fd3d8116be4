//! Results for Python: arrays for estimators, and the document that is saved and drawn.

use crate::option_names::{PythonVoice, translate};
use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tamis::Note;
use tamis::analysis::Found;
use tamis::front::{ColumnValues, note};
use tamis::result::{SampleValues, SelectionResult};
use tamis::selection::{Finding, NeededFeatures};

/// A selection with the facts of its input, and the values of its report. Its JSON, which for a wide table is long, is made
/// when somebody asks.
#[pyclass(module = "tamis._core", frozen)]
pub struct Document {
    result: SelectionResult,
    values: Option<SampleValues>,
}

/// A class, and the JSON and the values from which it makes an object again.
type Pickled = (Py<PyAny>, (String, Option<Vec<u8>>));

#[pymethods]
impl Document {
    #[new]
    #[pyo3(signature = (text, values=None))]
    fn new(text: &str, values: Option<&[u8]>) -> PyResult<Document> {
        let read = || {
            let result = SelectionResult::read(text.as_bytes(), "result")?;
            Ok(Document { result, values: values.map(SampleValues::of_bytes).transpose()? })
        };
        read().map_err(|error| translate(error, PythonVoice::Arrays))
    }

    /// The document as the program's `--json` writes it.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| json_of(&self.result))
    }

    /// Everything that is known about every feature: names and arrays, in input order.
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (out, table) = (PyDict::new(py), &self.result.features);
        let counts = |x: &[u32]| x.iter().map(|x| i64::from(*x)).collect::<Vec<i64>>().into_pyarray(py);
        out.set_item("rank", counts(&table.ranks))?;
        out.set_item("name", &table.names[..])?;
        out.set_item("selected", table.selected.clone().into_pyarray(py))?;
        for column in table.columns() {
            let name = &*column.name;
            let numbers = |x: &mut dyn Iterator<Item = Option<f64>>| {
                x.map(|x| x.unwrap_or(f64::NAN)).collect::<Vec<f64>>().into_pyarray(py)
            };
            match &column.values {
                ColumnValues::Numbers(x) => out.set_item(name, numbers(&mut x.iter().copied()))?,
                ColumnValues::Counts(x) if x.iter().all(Option::is_some) => {
                    out.set_item(name, counts(&x.iter().copied().flatten().collect::<Vec<u32>>()))?;
                }
                ColumnValues::Counts(x) => out.set_item(name, numbers(&mut x.iter().map(|x| x.map(f64::from))))?,
                _ => out.set_item(name, table.texts(&column.values).collect::<Vec<&str>>())?,
            }
        }
        Ok(out)
    }

    /// The document drawn as one HTML page.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let page = py.detach(|| tamis_report::selection_page(&self.result, self.values.as_ref()));
        page.map_err(|error| translate(error, PythonVoice::Arrays))
    }

    /// The document of a run of which this was a part, and which took so many seconds.
    fn timed(&self, seconds: f64) -> Document {
        let mut result = self.result.clone();
        result.seconds = seconds;
        Document { result, values: self.values.clone() }
    }

    /// Text, so that a pickle does not depend on this module's version.
    fn __reduce__(slf: PyRef<'_, Self>) -> PyResult<Pickled> {
        let class = slf.py().get_type::<Document>().into_any().unbind();
        Ok((class, (slf.json(slf.py())?, slf.values.as_ref().map(SampleValues::to_bytes))))
    }
}

/// What was found, as a dictionary of arrays that have an entry for every column of the matrix, with notes and
/// details as JSON and the whole as a [`Document`].
pub fn to_python(py: Python<'_>, found: Found) -> PyResult<Bound<'_, PyDict>> {
    let Found { result, selection: found, values, members, n_columns, .. } = found;
    let out = PyDict::new(py);
    let interval = |ends: Option<[u64; 2]>| ends.map(|[low, high]| (low, high));
    let ranks: Vec<i64> = found.ranks.iter().map(|r| i64::from(*r)).collect();
    let columns = Columns { members: &members, n: n_columns };
    let optional = |values: Option<Vec<f64>>| values.map(|v| columns.spread(v, f64::NAN).into_pyarray(py));
    let notes = note::remarks(&result.notes);
    out.set_item("support", columns.spread(found.mask(), false).into_pyarray(py))?;
    out.set_item("ranking", columns.spread(ranks, n_columns as i64).into_pyarray(py))?;
    out.set_item("places", columns.places(found.names.len()).into_pyarray(py))?;
    out.set_item("n_selected", result.n_selected)?;
    out.set_item("n_expected", found.n_expected)?;
    out.set_item("n_expected_95", interval(found.n_expected_95))?;
    out.set_item("n_strong_95", interval(found.n_strong_95))?;
    out.set_item("at_least_95", result.at_least_95)?;
    out.set_item("at_least_named_95", result.at_least_named_95)?;
    out.set_item("expected_false", found.expected_false)?;
    out.set_item("sentence", result.sentence())?;
    out.set_item("answer", result.sentences())?;
    out.set_item("fraction_irrelevant", found.fraction_irrelevant)?;
    out.set_item("converged", found.converged)?;
    out.set_item("n_iter", found.iterations)?;
    out.set_item("of_classes", result.input.classes.is_some())?;
    out.set_item("method", json_of(&found.method)?)?;
    out.set_item("seed", found.seed)?;
    out.set_item("notes", notes.map(Note::to_string).collect::<Vec<_>>())?;
    out.set_item("detail", json_of(&found.detail)?)?;
    out.set_item("scores", columns.spread(found.scores, f64::NAN).into_pyarray(py))?;
    out.set_item("effects", optional(found.effects))?;
    out.set_item("probabilities", optional(found.probabilities))?;
    out.set_item("q_values", optional(found.q_values))?;
    out.set_item("groups", json_of(&result.feature_groups)?)?;
    if let Some(needed) = &found.needed {
        out.set_item("needed", needed_to_python(py, needed, &columns)?)?;
    }
    out.set_item("document", Document { result, values })?;
    Ok(out)
}

/// What `needed` found, with features by the positions of their columns.
fn needed_to_python<'py>(py: Python<'py>, needed: &NeededFeatures, columns: &Columns) -> PyResult<Bound<'py, PyDict>> {
    let n_features = needed.inclusion_probabilities.len();
    let places = columns.places(n_features);
    let positions = |features: &[u32]| {
        features.iter().map(|&feature| places[feature as usize]).collect::<Vec<i64>>().into_pyarray(py)
    };
    let finding = |finding: &Finding| -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        out.set_item("lead", places[finding.lead() as usize])?;
        out.set_item("members", positions(&finding.members))?;
        out.set_item("probability", finding.probability)?;
        out.set_item("correlation", finding.correlation)?;
        out.set_item("disputed", finding.disputed)?;
        Ok(out)
    };
    let factors: Vec<f64> = needed.factors.iter().map(|factor| factor.probability).collect();
    let out = PyDict::new(py);
    out.set_item("findings", needed.findings.iter().map(finding).collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("working_set", positions(&needed.working_set))?;
    out.set_item("factors", factors.into_pyarray(py))?;
    out.set_item("background", needed.background)?;
    let inclusion = columns.spread(needed.inclusion_probabilities.clone(), f64::NAN);
    out.set_item("inclusion_probabilities", inclusion.into_pyarray(py))?;
    Ok(out)
}

/// How features lie in the columns of a matrix.
struct Columns<'a> {
    /// The columns of each feature; none where every feature is one.
    members: &'a [Vec<u32>],
    n: usize,
}

impl Columns<'_> {
    /// A value for every column: that of its feature, or `none` where it is part of no feature.
    fn spread<T: Copy>(&self, values: Vec<T>, none: T) -> Vec<T> {
        if self.members.is_empty() {
            return values;
        }
        let mut all = vec![none; self.n];
        for (columns, value) in self.members.iter().zip(values) {
            columns.iter().for_each(|&column| all[column as usize] = value);
        }
        all
    }

    /// The first column of each of so many features.
    fn places(&self, features: usize) -> Vec<i64> {
        match self.members {
            [] => (0..features as i64).collect(),
            members => members.iter().map(|columns| columns.first().map_or(0, |first| i64::from(*first))).collect(),
        }
    }
}

pub fn json_of(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}
