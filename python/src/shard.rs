//! Tables in pieces, for engines that carry the pieces: Arrow in, a small state out, states to one answer.

use crate::answer::{json_of, to_python};
use crate::input::{How, NAME, method, npfs, snbl, task};
use crate::option_names::{PythonVoice, translate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Deserialize;
use std::io::Cursor;
use std::sync::Arc;
use tamis::analysis::Found;
use tamis::codes::Discretise;
use tamis::front::{
    Answer, Caller, CodedBlock, CodedStream, Codings, Edges, PartialRuns, Profile, RowState, State, Stream,
};
use tamis::table::{Format, Input, ReadOptions, WeightKind};
use tamis::{Context, Snbl};

/// How a table is understood, as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    target: String,
    #[serde(default)]
    weight: Option<String>,
    #[serde(default)]
    weight_kind: WeightKind,
    #[serde(default)]
    covariates: Vec<String>,
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
        options.weight_kind = given.weight_kind;
        options.covariates = given.covariates;
        options.comparison.positive = given.positive;
        options.drop = given.drop;
        options.missing = given.missing;
        options.task = task(given.task.as_deref())?;
        Ok(Stream { options, method: snbl, seed, memory: None })
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
    fn update(&mut self, py: Python<'_>, bytes: &[u8], how: How<'_>) -> PyResult<()> {
        let (stream, state) = (&self.stream, &mut self.state);
        how.run_on_tables(py, move |context| stream.add(state, arrow(bytes), context))
    }

    /// The state; None if there were no rows.
    fn bytes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.state.as_ref().filter(|state| state.n_rows() > 0).map(|state| PyBytes::new(py, &state.to_bytes()))
    }
}

/// The profile of the target of some rows of a table.
#[pyclass(module = "tamis._core", name = "Profile")]
pub struct PyProfile {
    stream: Stream,
    profile: Option<Profile>,
}

#[pymethods]
impl PyProfile {
    #[new]
    fn new(reading: &str, settings: &str, seed: u64) -> PyResult<PyProfile> {
        Ok(PyProfile { stream: Reading::stream(reading, snbl(settings)?, seed)?, profile: None })
    }

    /// Whether the method makes use of null targets that rows draw by themselves.
    fn draws_by_row(&self) -> bool {
        self.stream.draws_by_row()
    }

    /// Adds the rows of an Arrow stream.
    fn update(&mut self, py: Python<'_>, bytes: &[u8], how: How<'_>) -> PyResult<()> {
        let (stream, profile) = (&self.stream, &mut self.profile);
        how.run_on_tables(py, move |context| stream.add_to_profile(profile, arrow(bytes), context))
    }

    /// The profile; None if there were no rows.
    fn bytes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let profile = self.profile.as_ref().filter(|profile| profile.n_rows() > 0);
        profile.map(|profile| PyBytes::new(py, &profile.to_bytes()))
    }

    /// The profile of the whole table from those of its partitions; None where rows draw no null targets.
    fn merged<'py>(
        &self,
        py: Python<'py>,
        profiles: Vec<Vec<u8>>,
        how: How<'py>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let stream = &self.stream;
        let found = how.run_on_tables(py, move |_| {
            let read = profiles.iter().map(|bytes| Profile::from_bytes(bytes, "a profile"));
            let whole = Arc::new(Profile::merge_all(read.collect::<tamis::Result<_>>()?)?);
            Ok(stream.planned_rows(&whole)?.map(|_| whole.to_bytes()))
        })?;
        Ok(found.map(|bytes| PyBytes::new(py, &bytes)))
    }
}

/// The state of some rows of a table with a known profile, which draw null targets by themselves.
#[pyclass(module = "tamis._core")]
pub struct RowShard {
    stream: Stream,
    state: RowState,
}

#[pymethods]
impl RowShard {
    #[new]
    fn new(reading: &str, settings: &str, seed: u64, profile: &[u8]) -> PyResult<RowShard> {
        let stream = Reading::stream(reading, snbl(settings)?, seed)?;
        let profile = Profile::from_bytes(profile, "a profile").and_then(|known| stream.row_state(&Arc::new(known)));
        Ok(RowShard { state: profile.map_err(|error| translate(error, PythonVoice::Tables))?, stream })
    }

    /// Adds the rows of an Arrow stream.
    fn update(&mut self, py: Python<'_>, bytes: &[u8], how: How<'_>) -> PyResult<()> {
        let (stream, state) = (&self.stream, &mut self.state);
        how.run_on_tables(py, move |context| stream.add_rows(state, arrow(bytes), context))
    }

    /// The state; None if there were no rows.
    fn bytes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        (self.state.n_rows() > 0).then(|| PyBytes::new(py, &self.state.to_bytes()))
    }
}

/// The answer of all states of rows that drew null targets.
#[pyfunction]
pub fn row_answer<'py>(
    py: Python<'py>,
    settings: &str,
    states: Vec<Vec<u8>>,
    keep: Vec<String>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let method = snbl(settings)?;
    answered(py, &how, move |context| {
        let mut whole: Option<RowState> = None;
        for bytes in &states {
            let state = RowState::from_bytes(bytes, "a state")?;
            whole = Some(match whole {
                None => state,
                Some(whole) => RowState::merge_all(vec![whole, state])?,
            });
        }
        RowState::merge_all(whole.into_iter().collect())?.answer(&method, &keep, context)
    })
}

/// One state from several, whatever their order.
#[pyfunction]
pub fn shard_merge<'py>(py: Python<'py>, states: Vec<Vec<u8>>, how: How<'py>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = how.run_on_tables(py, move |_| Ok(merged(&states)?.to_bytes()))?;
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
    answered(py, &how, move |context| {
        let state = merged(&states)?;
        state.answer(&state.frame().method, &keep, context)
    })
}

/// The answer that `work` makes of states, in the words of tables.
fn answered<'py>(
    py: Python<'py>,
    how: &How<'py>,
    work: impl FnOnce(&mut Context) -> tamis::Result<Answer> + Send,
) -> PyResult<Bound<'py, PyDict>> {
    let found = how.run_on_tables(py, move |context| {
        let caller = Caller::of(context);
        Ok(Found::of_answer(work(context)?, NAME, caller))
    })?;
    let names = found.selection.names.to_vec();
    let out = to_python(py, found)?;
    out.set_item("names", names)?;
    Ok(out)
}

fn discretise(name: &str) -> PyResult<Discretise> {
    let wrong = || PyValueError::new_err("`discretise` takes width, frequency or categories");
    serde_json::from_value(name.into()).map_err(|_| wrong())
}

fn arrow(bytes: &[u8]) -> Input {
    Input::from_reader(Cursor::new(bytes.to_vec()), "a partition")
}

/// Where the columns of a table can be cut, found in the first of two walks over it.
#[pyclass(module = "tamis._core", name = "Edges")]
pub struct PyEdges {
    stream: Stream,
    discretise: Discretise,
    edges: Option<Edges>,
}

#[pymethods]
impl PyEdges {
    #[new]
    fn new(reading: &str, how_cut: &str, seed: u64) -> PyResult<PyEdges> {
        let stream = Reading::stream(reading, Snbl::default(), seed)?;
        Ok(PyEdges { stream, discretise: discretise(how_cut)?, edges: None })
    }

    /// Adds the rows of an Arrow stream.
    fn update(&mut self, py: Python<'_>, bytes: &[u8], how: How<'_>) -> PyResult<()> {
        let (stream, discretise, edges) = (&self.stream, self.discretise, &mut self.edges);
        how.run_on_tables(py, move |context| stream.look(edges, discretise, arrow(bytes), context))
    }

    /// The cuts found so far; None if there were no rows.
    fn bytes<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.edges.as_ref().filter(|edges| edges.n_rows() > 0).map(|edges| PyBytes::new(py, &edges.to_bytes()))
    }
}

/// How to code every column, from the cuts found in all partitions.
#[pyfunction]
pub fn edges_codings<'py>(
    py: Python<'py>,
    states: Vec<Vec<u8>>,
    bins: usize,
    how: How<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = how.run_on_tables(py, move |_| {
        let states = states.iter().map(|bytes| Edges::from_bytes(bytes, "a state")).collect::<tamis::Result<_>>()?;
        Ok(Edges::merge_all(states)?.codings(bins)?.to_bytes())
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// (rows that count, features): codes take a byte for each pair.
#[pyfunction]
pub fn codings_size(codings: &[u8]) -> PyResult<(u64, usize)> {
    Ok(Codings::from_bytes(codings, "codings").map_err(|error| translate(error, PythonVoice::Tables))?.size())
}

/// The rows of an Arrow stream as a block of codes; with a sample, some of them: it is the share to keep, the number of the
/// partition, and how many of its rows came before.
#[pyfunction]
#[pyo3(signature = (codings, reading, bytes, how, sample=None))]
pub fn code_rows<'py>(
    py: Python<'py>,
    codings: &[u8],
    reading: &str,
    bytes: &[u8],
    how: How<'py>,
    sample: Option<(f64, u64, u64)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let reader = Reading::stream(reading, Snbl::default(), 0)?;
    let block = how.run_on_tables(py, move |context| {
        let codings = Arc::new(Codings::from_bytes(codings, "codings")?);
        let block = reader.encode(&codings, arrow(bytes), context)?;
        let block = match sample {
            Some((share, partition, first)) => block.sampled(share, codings.seed(), partition, first),
            None => block,
        };
        Ok(block.to_bytes())
    })?;
    Ok(PyBytes::new(py, &block))
}

/// A table of codes from blocks in the order of the rows; a sample of the rows if they take too many bytes.
#[pyfunction]
pub fn codes_join<'py>(
    py: Python<'py>,
    codings: &[u8],
    blocks: Vec<Vec<u8>>,
    most_bytes: u64,
    how: How<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = how.run_on_tables(py, move |_| {
        let codings = Arc::new(Codings::from_bytes(codings, "codings")?);
        let columns = codings.size().1;
        let read = |bytes: &Vec<u8>| CodedBlock::from_bytes(bytes, columns, "a block");
        let blocks = blocks.iter().map(read).collect::<tamis::Result<_>>()?;
        Ok(CodedStream::join(&codings, blocks, most_bytes)?.to_bytes())
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Selects by a method that counts information.
#[pyfunction]
pub fn codes_select<'py>(
    py: Python<'py>,
    name: &str,
    settings: &str,
    codes: &[u8],
    keep: Vec<String>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let method = method(name, settings)?;
    answered(py, &how, move |context| CodedStream::from_bytes(codes, "codes")?.select(&method, &keep, context))
}

/// Some of the bootstraps of npfs on a table of codes, as JSON.
#[pyfunction]
pub fn npfs_part(
    py: Python<'_>,
    settings: &str,
    codes: &[u8],
    start: usize,
    stop: usize,
    how: How<'_>,
) -> PyResult<String> {
    let npfs = npfs(settings)?;
    let runs = how.run_on_tables(py, move |context| {
        CodedStream::from_bytes(codes, "codes")?.run_some(&npfs, start..stop, context)
    })?;
    json_of(&runs)
}

/// The answer of all bootstraps, each run once in one of the parts.
#[pyfunction]
pub fn npfs_answer<'py>(
    py: Python<'py>,
    settings: &str,
    codes: &[u8],
    parts: Vec<String>,
    keep: Vec<String>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let npfs = npfs(settings)?;
    let wrong = |e: serde_json::Error| PyValueError::new_err(format!("a part of the runs is damaged: {e}"));
    let parts: Vec<PartialRuns> =
        parts.iter().map(|text| serde_json::from_str(text).map_err(wrong)).collect::<PyResult<_>>()?;
    answered(py, &how, move |_| CodedStream::from_bytes(codes, "codes")?.join_runs(&npfs, parts, &keep))
}
