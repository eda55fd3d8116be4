//! `tamis select`: which features of a table matter, and how many.

use crate::answer;
use crate::args::{self, ResultOptions, RunOptions};
use crate::bar::Bar;
use crate::outputs::{Content, Destination, Files};
use crate::{input_paths, pieces};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;
use tamis::base::Place;
use tamis::result::{InputFacts, SelectionResult};
use tamis::table::{self, Format, Input};
use tamis::{Context, Error, Selector};

pub fn run(args: &args::Select) -> anyhow::Result<()> {
    let started = Instant::now();
    args.run.running.apply()?;
    if let Some(result) = &args.result {
        return apply(args, result);
    }
    let method = args.settings.method_with(&args.method, [args.fdr.pair(), args.permutations.pair()])?;
    let inputs = input_paths::expand(&args.files)?;
    let reduced = Destination::new("--reduced", Content::Table, args.reduced.as_deref());
    for input in &inputs {
        Files::check(input, args.saving.outputs().into_iter().chain([reduced]))?;
    }
    let options = args.options_for(args.table.target());
    let mut bar = Bar::new(args.run.running.quiet);
    if pieces::needed(args, &inputs, &options, &mut bar)? {
        return pieces::run(args, &inputs, options, &method, bar, started);
    }
    let input = Input::open(&inputs[0])?;
    let name = input.name().to_string();
    let table = table::read(input, &options, &mut bar)?;
    let view = table.view();
    let mut selection = method.select(&view, &mut Context::new(args.run.seed(), &mut bar))?;
    drop(bar);
    selection.notes.splice(0..0, table.notes().iter().cloned());

    let facts = InputFacts::of(name, table.target_name(), &view);
    let mut files = Files::default();
    if let Some(path) = &args.reduced {
        let mut kept = selection.selected.clone();
        kept.sort_unstable();
        files.add(path, |out| table::write_reduced(&table, &kept, Format::of_path(path), out))?;
    }
    let result = SelectionResult::new(&selection, facts, started.elapsed().as_secs_f64());
    finish(&result, &args.saving, &args.run.running, files)
}

/// Applies an earlier selection to a file, which need not have the target.
fn apply(args: &args::Select, result: &Path) -> anyhow::Result<()> {
    let [file] = &args.files[..] else {
        return Err(Error::parameter("--result", result.display(), "it is applied to one file at a time").into());
    };
    Files::check(file, [Destination::new("--reduced", Content::Table, args.reduced.as_deref())])?;
    let name = result.display().to_string();
    let text = std::fs::read(result).map_err(|e| Error::read_io(&name, e))?;
    let saved = SelectionResult::read(&text, &name)?;
    let chosen: Vec<String> = saved.features.iter().filter(|f| f.selected).map(|f| f.name.clone()).collect();
    if chosen.is_empty() {
        let remedy = "there is nothing to apply";
        return Err(Error::data(Place::file(name), "it selects no feature", remedy).into());
    }
    let target = if args.table.target().is_empty() { &saved.input.target } else { args.table.target() };
    let mut options = args.options_for(target);
    options.only = Some(chosen);
    options.event = options.event.or(saved.input.event);
    let mut bar = Bar::new(args.run.running.quiet);
    let table = table::read(Input::open(file)?, &options, &mut bar)?;
    drop(bar);
    let all: Vec<u32> = (0..table.names().len() as u32).collect();
    let mut files = Files::default();
    if let Some(path) = &args.reduced {
        files.add(path, |out| table::write_reduced(&table, &all, Format::of_path(path), out))?;
    }
    let written = files.commit()?;
    let mut out = io::stdout().lock();
    let (rows, of) = (table.n_rows(), &saved.input.file);
    writeln!(out, "{} features selected on {of} kept, {rows} rows", all.len())?;
    if table.target_name().is_empty() {
        writeln!(out, "the file has no column `{target}`: its rows have no target")?;
    }
    answer::files(&written, &mut out)?;
    Ok(())
}

/// The end of every command that selects: save, answer, notes, files.
pub fn finish(
    result: &SelectionResult,
    saving: &ResultOptions,
    running: &RunOptions,
    mut files: Files,
) -> anyhow::Result<()> {
    let to_stdout = saving.json.as_deref() == Some(Path::new("-"));
    if let Some(path) = &saving.report {
        let page = tamis_report::selection_page(result)?;
        files.add(path, |out| out.write_all(page.as_bytes()))?;
    }
    match &saving.json {
        Some(_) if to_stdout => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            result.write(&mut out)?;
            out.flush()?;
        }
        Some(path) => files.add(path, |out| result.write(out))?,
        None => {}
    }
    let written = files.commit()?;
    let mut out = io::stdout().lock();
    if !to_stdout {
        answer::print(result, &mut out)?;
        out.flush()?;
    }
    if !running.quiet {
        answer::notes(result, &mut io::stderr())?;
    }
    if !to_stdout {
        answer::files(&written, &mut out)?;
    }
    Ok(())
}
