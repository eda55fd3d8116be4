//! Selections from annotated data (AnnData): counts are normalised, and what nobody asked for is noted.

use crate::answer::to_python;
use crate::input::{How, Rows, method};
use crate::option_names::{PythonVoice, translate};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Instant;
use tamis::base::Note;
use tamis::catalogue::PreparedTable;
use tamis::result::InputFacts;
use tamis::table::counts::{CountSettings, Normalize, looks_like_counts};
use tamis::table::{SampleColumn, notes_on_unused};

/// A column of the observations: its name and its cells.
type Cells = (String, Vec<Option<String>>);

/// What is known of the samples: the target and the columns that nobody asked for, with names.
#[derive(FromPyObject)]
pub struct About {
    #[pyo3(item)]
    target: Cells,
    #[pyo3(item)]
    unused: Vec<Cells>,
}

impl About {
    fn notes(&self) -> Vec<Note> {
        notes_on_unused(&column(&self.target), self.unused.iter().map(column), "", &PythonVoice::Arrays)
    }
}

fn column((name, cells): &Cells) -> SampleColumn<'_> {
    SampleColumn { name, cells: cells.iter().map(Option::as_deref).collect() }
}

/// A selection of `snbl` from annotated data, and the names of its features: of counts, those with too few are not among
/// them. Without `normalize`, numbers that look like counts are noted.
#[pyfunction]
pub fn select_annotated<'py>(
    py: Python<'py>,
    settings: &str,
    rows: Rows<'py>,
    counts: (Option<String>, f64),
    about: About,
    how: How<'py>,
) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
    let start = Instant::now();
    let mut method = method("snbl", settings)?;
    let said = counts.0.is_some();
    let normalize: Normalize =
        counts.0.as_deref().unwrap_or("none").parse().map_err(|e| translate(e, PythonVoice::Arrays))?;
    let counts = CountSettings { normalize, min_count: counts.1 };
    if normalize.gives_log_counts() {
        method.follow_trend();
    }
    let data = rows.dataset()?;
    let InputFacts { file, .. } = data.facts.clone();
    let (found, facts) = how.run(py, move |context| {
        let mut notes = about.notes();
        data.in_place(|view| {
            let prepared = PreparedTable::new(view.clone(), &counts)?;
            let mut found = prepared.select(&method, false, context)?;
            notes.extend(prepared.notes_on_counts().unwrap_or_default());
            if !said {
                notes.extend(looks_like_counts(view, &PythonVoice::Arrays));
            }
            found.notes.splice(0..0, notes);
            Ok((found, InputFacts::of(file, &about.target.0, &prepared.view())))
        })
    })?;
    let names = found.names.to_vec();
    Ok((to_python(py, found, facts, start.elapsed().as_secs_f64())?, names))
}
