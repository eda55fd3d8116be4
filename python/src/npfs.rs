//! NPFS with a selector from elsewhere: the samples it is run on, and the test on its choices.

use crate::answer::to_python;
use crate::input::{How, NAME, Rows, npfs};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tamis::analysis::Found;
use tamis::front::{Caller, bootstrap_and_half_samples};
use tamis::result::InputFacts;

/// How often the selector is run: (bootstraps, permutations).
#[pyfunction]
pub fn npfs_plan(settings: &str) -> PyResult<(usize, usize)> {
    let npfs = npfs(settings)?;
    Ok((npfs.bootstraps, npfs.permutations()))
}

/// How often bootstrap `b` draws each row.
#[pyfunction]
pub fn npfs_draw<'py>(
    py: Python<'py>,
    settings: &str,
    seed: u64,
    b: usize,
    rows: usize,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    Ok(npfs(settings)?.draw(seed, b, rows, None).into_pyarray(py))
}

/// Permutation `r` of the rows.
#[pyfunction]
pub fn npfs_permutation(py: Python<'_>, seed: u64, r: u64, rows: usize) -> Bound<'_, PyArray1<u32>> {
    bootstrap_and_half_samples::permutation(seed, r, rows).into_pyarray(py)
}

/// The test on the runs of a selector.
#[pyfunction]
pub fn npfs_decide<'py>(
    py: Python<'py>,
    settings: &str,
    rows: Rows<'py>,
    chosen: Vec<Vec<u32>>,
    null: Vec<Vec<u32>>,
    how: How<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let npfs = npfs(settings)?;
    let data = rows.dataset()?;
    let found = how.run(py, move |context| {
        let (caller, data) = (Caller::of(context), data.of_rows()?);
        let selection = npfs.decide_runs(&data.view, chosen, null, context)?;
        let facts = InputFacts::of(NAME, data.view.target_name(), &data.view);
        Ok(Found::without_rows(selection, facts, caller))
    })?;
    to_python(py, found)
}
