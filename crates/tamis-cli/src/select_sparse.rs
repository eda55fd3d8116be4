//! `tamis select` on a sparse matrix, which stays sparse.

use crate::args;
use crate::outputs::Files;
use crate::progress_bar::Bar;
use crate::select::finish;
use std::path::Path;
use std::time::Instant;
use tamis::catalogue::PreparedTable;
use tamis::result::{InputFacts, SampleValues, SelectionResult};
use tamis::table::counts::CountSettings;
use tamis::table::{self, Format, ReadOptions};
use tamis::{Context, Method};

/// Selects from a sparse matrix, which stays sparse.
pub fn run(
    args: &args::Select,
    path: &Path,
    options: &ReadOptions,
    method: &Method,
    mut bar: Bar,
    started: Instant,
) -> anyhow::Result<()> {
    let table = table::read_sparse(path, options, &mut bar)?;
    let view = table.view();
    let prepared = PreparedTable::new(view.clone(), &CountSettings::default())?;
    let mut selection = prepared.select(method, !args.no_second_look, &mut Context::new(args.run.seed(), &mut bar))?;
    drop(bar);
    selection.notes.splice(0..0, table.notes().iter().cloned().chain(args.counts.suggestion(&view)));
    let facts = InputFacts::of(path.display().to_string(), table.target_name(), &view);
    let mut files = Files::default();
    if let Some(path) = &args.reduced {
        let mut kept = selection.selected.clone();
        kept.sort_unstable();
        let all: Vec<u32> = (0..kept.len() as u32).collect();
        let dense = table.dense(&kept)?;
        files.add(path, |out| table::write_reduced(&dense, &all, Format::of_path(path), out))?;
    }
    let values = args.saving.result.report.as_ref().and_then(|_| SampleValues::of(&view, &selection));
    let result = SelectionResult::new(&selection, facts, started.elapsed().as_secs_f64());
    finish(&result, values.as_ref(), &args.saving, &args.run.running, files)
}
