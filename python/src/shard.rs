//! Tables in pieces, for engines that carry the pieces: Arrow in, a small state out, states to one answer.

use crate::work::run;
use crate::{How, json_of, method, to_python};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Deserialize;
use std::io::Cursor;
use tamis::shard::{State, Stream};
use tamis::table::{Format, Input, ReadOptions, Task};
use tamis::{Method, Snbl};

/// How a table is understood, as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    target: String,
    #[serde(default)]
    weight: Option<String>,
    #[serde(default)]
    positive: Option<String>,
    #[serde(default)]
    task: Option<String>,
    #[serde(default)]
    drop: Vec<String>,
    #[serde(default)]
    missing: Vec<String>,
}

impl Reading {
    fn stream(text: &str, snbl: Snbl, seed: u64) -> PyResult<Stream> {
        let given: Reading = serde_json::from_str(text).map_err(|e| PyValueError::new_err(e.to_string()))?;
        let mut options = ReadOptions::target(&given.target);
        options.format = Some(Format::Arrow);
        options.weight = given.weight;
        options.positive = given.positive;
        options.drop = given.drop;
        options.missing = given.missing;
        options.task = match given.task.as_deref() {
            None | Some("auto") => None,
            Some("classes") => Some(Task::Classes),
            Some("real") => Some(Task::Real),
            Some(_) => return Err(PyValueError::new_err("`task` takes auto, classes or real")),
        };
        Ok(Stream { options, method: snbl, seed, memory: None })
    }
}

fn snbl(settings: &str) -> PyResult<Snbl> {
    match method("snbl", settings, 0)? {
        Method::Snbl(snbl) => Ok(snbl),
        _ => Err(PyValueError::new_err("settings of snbl are needed")),
    }
}

/// The state of some rows of a table.
#[pyclass(module = "tamis._core")]
pub struct Shard {
    stream: Stream,
    state: Option<State>,
}

#[pymethods]
impl Shard {
    #[new]
    fn new(reading: &str, settings: &str, seed: u64) -> PyResult<Shard> {
        Ok(Shard { stream: Reading::stream(reading, snbl(settings)?, seed)?, state: None })
    }

    /// Adds the rows of an Arrow stream.
    fn update(&mut self, py: Python<'_>, arrow: &[u8], how: How<'_>) -> PyResult<()> {
        let (stream, state) = (&self.stream, &mut self.state);
        run(py, how.threads, None, move |progress| {
            stream.add(state, Input::from_reader(Cursor::new(arrow.to_vec()), "a partition"), progress)
        })
    }

    /// The state; None if there were no rows.
    fn bytes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.state.as_ref().filter(|state| state.rows() > 0).map(|state| PyBytes::new(py, &state.to_bytes()))
    }
}

/// One state from several, whatever their order.
#[pyfunction]
pub fn shard_merge<'py>(py: Python<'py>, states: Vec<Vec<u8>>, how: How<'py>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = run(py, how.threads, None, move |_| Ok(merged(&states)?.to_bytes()))?;
    Ok(PyBytes::new(py, &bytes))
}

fn merged(states: &[Vec<u8>]) -> tamis::Result<State> {
    State::merge_all(states.iter().map(|bytes| State::from_bytes(bytes, "a state")).collect::<tamis::Result<_>>()?)
}

/// The answer of all states.
#[pyfunction]
pub fn shard_answer<'py>(
    py: Python<'py>,
    states: Vec<Vec<u8>>,
    keep: Vec<String>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (mut answer, names) = run(py, how.threads, how.say.as_ref(), move |progress| {
        let state = merged(&states)?;
        let names = state.frame().names.to_vec();
        Ok((state.answer(&state.frame().method, &keep, progress)?, names))
    })?;
    answer.facts.file = "Python".into();
    let out = to_python(py, answer.selection, &answer.facts)?;
    out.set_item("names", json_of(&names)?)?;
    Ok(out)
}
