//! `tamis select`: which features of a table matter, and how many.

use crate::answer;
use crate::args::{self, RunOptions, SelectionOptions};
use crate::option_names::Program;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen::{self, unless_closed};
use crate::{input_paths, pieces, select_sparse};
use std::io::Write;
use std::path::Path;
use std::time::Instant;
use tamis::base::{Place, visible};
use tamis::catalogue::PreparedTable;
use tamis::result::{InputFacts, SampleValues, SelectionResult};
use tamis::table::counts::{CountSettings, Normalize};
use tamis::table::{self, ExpansionLimit, FeatureGroups, Format, Input, Table, sample_like_columns};
use tamis::{Context, Error, Method};

pub fn run(args: &args::Select) -> anyhow::Result<()> {
    let started = Instant::now();
    args.run.running.apply()?;
    if let Some(result) = &args.result {
        return apply(args, result);
    }
    let mut method = args
        .settings
        .method_with(&args.method, [args.fdr.pair(), args.permutations.pair(), args.min_difference.pair()])?;
    let counts = args.counts.settings()?;
    if counts.normalize.gives_log_counts() && args.settings.pairs()?.iter().all(|(key, _)| *key != "trend") {
        method.follow_trend();
    }
    if args.no_second_look && !matches!(method, Method::Snbl(_)) {
        return Err(no_look_anyway(&format!("method={}", method.name())).into());
    }
    let inputs = input_paths::expand(&args.files)?;
    let reduced = Destination::new("--reduced", Content::Table, args.reduced.as_deref()).or_standard_output();
    let sources = Sources::files(&inputs)
        .and("--samples", args.table.layout.samples.as_deref())
        .and("--feature-groups", args.feature_groups.as_deref());
    Files::check(&sources, args.saving.outputs().chain([reduced]))?;
    args.saving.check(args.reduced.as_deref())?;
    let options = args.options_for(args.table.target());
    let mut bar = Bar::new(&args.run.running);
    let in_pieces = pieces::needed(args, &inputs, &options, &mut bar)?;
    if let (Some(path), true) = (&args.feature_groups, in_pieces || table::is_sparse(&inputs[0], &options)) {
        let remedy = "features are named together only in a dense table that fits into memory; leave it out";
        return Err(Error::parameter("--feature-groups", path.display(), remedy).into());
    }
    if in_pieces {
        return pieces::run(args, &inputs, options, &method, bar, started);
    }
    let as_it_is = matches!(method, Method::Snbl(_)) && counts.normalize == Normalize::None;
    if as_it_is && table::is_sparse(&inputs[0], &options) {
        return select_sparse::run(args, &inputs[0], &options, &method, bar, started);
    }
    let input = Input::open(&inputs[0])?;
    let name = input.name().to_string();
    let table = table::read(input, &options, &mut bar)?;
    whole_table(args, (name, table), &method, &counts, bar, started)
}

/// Selects from a table in memory.
fn whole_table(
    args: &args::Select,
    (name, table): (String, Table),
    method: &Method,
    counts: &CountSettings,
    mut bar: Bar,
    started: Instant,
) -> anyhow::Result<()> {
    let mut prepared = PreparedTable::new(table.view(), counts)?;
    let groups = feature_groups(args, method, &prepared.names(), &mut bar)?;
    if matches!(method, Method::Snbl(_)) {
        prepared.join_one_hot(&groups.groups);
    }
    let mut selection = prepared.select(method, !args.no_second_look, &mut Context::new(args.run.seed(), &mut bar))?;
    drop(bar);
    let view = prepared.view();
    let about_counts =
        prepared.notes_on_counts().unwrap_or_else(|| args.counts.suggestion(&view).into_iter().collect());
    let about_samples = sample_like_columns(table.names().iter().map(String::as_str), &Program);
    let about_groups = groups.notes.iter().chain(prepared.merged().map(|merged| &merged.note)).cloned();
    selection
        .notes
        .splice(0..0, table.notes().iter().cloned().chain(about_samples).chain(about_counts).chain(about_groups));
    let facts = InputFacts::of(name, table.target_name(), &view);
    let mut files = Files::default();
    if let Some(path) = &args.reduced {
        let kept = prepared.selected_columns(&selection)?;
        files.add(path, |out| table::write_reduced(&table, &kept, Format::of_path(path), out))?;
    }
    let mut result = SelectionResult::new(&selection, facts, started.elapsed().as_secs_f64());
    if let Some(merged) = prepared.merged() {
        result = result.with_columns(&merged.members, &prepared.names());
    }
    let moved = prepared.merged().map(|merged| merged.groups(&groups.groups));
    let result = result.with_feature_groups(moved.as_ref().unwrap_or(&groups.groups));
    let values = args.saving.result.report.as_ref().and_then(|_| SampleValues::of(&view, &selection));
    finish(&result, values.as_ref(), &args.saving, &args.run.running, files)
}

/// The error of `--no-second-look` where there is none.
pub fn no_look_anyway(beside: &str) -> Error {
    Error::NoEffect { name: "--no-second-look".into(), beside: beside.into() }
}

/// The groups that the user gave; none where no file is named.
fn feature_groups(
    args: &args::Select,
    method: &Method,
    names: &[String],
    progress: &mut Bar,
) -> anyhow::Result<FeatureGroups> {
    let Some(path) = &args.feature_groups else { return Ok(FeatureGroups::default()) };
    if !matches!(method, Method::Snbl(_)) {
        let remedy = "only `--method snbl` names features together; leave it out";
        return Err(Error::parameter("--feature-groups", path.display(), remedy).into());
    }
    let limit = args.options_for(args.table.target()).expansion;
    Ok(table::read_feature_groups(Input::open(path)?, names, limit, progress)?)
}

/// Applies an earlier selection to a file, which need not have the target.
fn apply(args: &args::Select, result: &Path) -> anyhow::Result<()> {
    let [file] = &args.files[..] else {
        return Err(Error::parameter("--result", result.display(), "it is applied to one file at a time").into());
    };
    let samples = args.table.layout.samples.as_deref();
    let sources = Sources::files([file]).and("--samples", samples).and("--result", Some(result));
    let reduced = Destination::new("--reduced", Content::Table, args.reduced.as_deref()).or_standard_output();
    Files::check(&sources, [reduced])?;
    let name = result.display().to_string();
    let text = Input::open(result)?.bytes(ExpansionLimit::default())?;
    let saved = SelectionResult::read(&text, &name)?;
    let chosen = saved.selected_columns();
    if chosen.is_empty() {
        let remedy = "there is nothing to apply";
        return Err(Error::data(Place::file(name), "it selects no feature", remedy).into());
    }
    let target = if args.table.target().is_empty() { &saved.input.target } else { args.table.target() };
    let mut options = args.options_for(target);
    options.only = Some(chosen);
    options.event = options.event.or(saved.input.event);
    let mut bar = Bar::new(&args.run.running);
    let table = table::read(Input::open(file)?, &options, &mut bar)?;
    drop(bar);
    let all: Vec<u32> = (0..table.names().len() as u32).collect();
    let mut files = Files::default();
    if let Some(path) = &args.reduced {
        files.add(path, |out| table::write_reduced(&table, &all, Format::of_path(path), out))?;
    }
    let to_stdout = files.uses_standard_output();
    let written = files.commit()?;
    if to_stdout {
        return Ok(());
    }
    let mut out = screen::stdout();
    let (rows, of) = (table.n_rows(), visible(&saved.input.file));
    writeln!(out, "{} features selected on {of} kept, {rows} rows", all.len())?;
    if table.target_name().is_empty() {
        writeln!(out, "the file has no column `{}`: its rows have no target", visible(target))?;
    }
    answer::files(&written, &mut out)?;
    Ok(())
}

/// The end of every command that selects: save, answer, notes, files. The report shows the values, where they are at hand.
pub fn finish(
    result: &SelectionResult,
    values: Option<&SampleValues>,
    saving: &SelectionOptions,
    running: &RunOptions,
    mut files: Files,
) -> anyhow::Result<()> {
    let dash = Some(Path::new("-"));
    let (json, csv) = (saving.result.json.as_deref(), saving.csv.as_deref());
    let to_stdout = json == dash || csv == dash || files.uses_standard_output();
    if let Some(path) = &saving.result.report {
        let page = tamis_report::selection_page(result, values)?;
        files.add(path, |out| out.write_all(page.as_bytes()))?;
    }
    let bytes = json.map(|_| result.to_bytes()).transpose()?.unwrap_or_default();
    if let Some(path) = json.filter(|_| json != dash) {
        files.add(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = csv.filter(|_| csv != dash) {
        files.add(path, |out| result.write_table(Format::of_path(path), out))?;
    }
    if to_stdout {
        let mut out = screen::data();
        let written = match (json == dash, csv == dash) {
            (true, _) => out.write_all(&bytes),
            (false, true) => result.write_csv(',', &mut out),
            (false, false) => Ok(()), // the reduced table
        };
        unless_closed(written.and_then(|()| out.flush()))?;
    }
    let written = files.commit()?;
    let mut out = screen::stdout();
    if !to_stdout {
        answer::print(result, &mut out)?;
        out.flush()?;
    }
    if !running.quiet {
        answer::notes(result, &mut screen::stderr())?;
    }
    if !to_stdout {
        answer::files(&written, &mut out)?;
    }
    Ok(())
}
