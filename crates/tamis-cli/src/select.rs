//! `tamis select`: which features of a table matter, and how many.

use crate::answer;
use crate::args::{self, RunOptions, SelectionOptions};
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen::{self, unless_closed};
use crate::{input_paths, pieces, sample_like_columns, select_sparse};
use std::io::Write;
use std::path::Path;
use std::time::Instant;
use tamis::base::{Place, visible};
use tamis::result::{InputFacts, SampleValues, SelectionResult};
use tamis::table::counts::{CountNormaliser, CountSettings, Normalize};
use tamis::table::{self, BlockLayout, ExpansionLimit, FeatureGroups, Format, Input, MergedColumns, Table};
use tamis::{Context, Error, Method, Note, Selection, Selector, View};

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
    let pooled = pooled_counts(&table, counts)?;
    let samples = pooled.as_ref().unwrap_or(&table);
    let normaliser = counts.learn(&samples.view())?;
    let normalised = normaliser.as_ref().map(|normaliser| normaliser.apply(&samples.view())).transpose()?;
    let columns = normalised.as_ref().unwrap_or(samples);
    let groups = feature_groups(args, method, columns, &mut bar)?;
    let is_snbl = matches!(method, Method::Snbl(_));
    let merged = is_snbl.then(|| table::merge_one_hot(&columns.view(), &groups.groups)).flatten();
    let view = merged.as_ref().map_or(columns, |merged| &merged.table).view();
    let mut selection = select(args, method, &view, &mut bar)?;
    drop(bar);
    let about_counts: Vec<Note> = match &normaliser {
        Some(normaliser) => {
            pooled.iter().flat_map(|t| t.notes()).cloned().chain(normaliser.notes(&table.view())).collect()
        }
        None => args.counts.suggestion(&view).into_iter().collect(),
    };
    let about_samples = sample_like_columns::note(table.names());
    let about_groups = groups.notes.iter().chain(merged.iter().map(|merged| &merged.note)).cloned();
    selection
        .notes
        .splice(0..0, table.notes().iter().cloned().chain(about_samples).chain(about_counts).chain(about_groups));

    if let (Some(_), Some((blocks, _)), Some(design)) = (&pooled, table.view().blocks(), &mut selection.design) {
        design.blocks = Some(blocks.into());
    }
    let facts = InputFacts::of(name, table.target_name(), &view);
    let mut files = Files::default();
    if let Some(path) = &args.reduced {
        let kept = kept(&selection, merged.as_ref(), &table, normaliser.as_ref())?;
        files.add(path, |out| table::write_reduced(&table, &kept, Format::of_path(path), out))?;
    }
    let mut result = SelectionResult::new(&selection, facts, started.elapsed().as_secs_f64());
    if let Some(merged) = &merged {
        result = result.with_columns(&merged.members, columns.names());
    }
    let moved = merged.as_ref().map(|merged| merged.groups(&groups.groups));
    let result = result.with_feature_groups(moved.as_ref().unwrap_or(&groups.groups));
    let values = args.saving.result.report.as_ref().and_then(|_| SampleValues::of(&view, &selection));
    finish(&result, values.as_ref(), &args.saving, &args.run.running, files)
}

/// Selects and, after `snbl`, looks again for what it does not see.
pub fn select(args: &args::Select, method: &Method, view: &View, bar: &mut Bar) -> tamis::Result<Selection> {
    let mut selection = method.select(view, &mut Context::new(args.run.seed(), bar))?;
    if matches!(method, Method::Snbl(_)) && !args.no_second_look {
        selection.look_again(view, &mut Context::new(args.run.seed(), bar))?;
    }
    Ok(selection)
}

/// The error of `--no-second-look` where there is none.
pub fn no_look_anyway(beside: &str) -> Error {
    Error::NoEffect { name: "--no-second-look".into(), beside: beside.into() }
}

/// The groups that the user gave; none where no file is named.
fn feature_groups(
    args: &args::Select,
    method: &Method,
    columns: &Table,
    progress: &mut Bar,
) -> anyhow::Result<FeatureGroups> {
    let Some(path) = &args.feature_groups else { return Ok(FeatureGroups::default()) };
    if !matches!(method, Method::Snbl(_)) {
        let remedy = "only `--method snbl` names features together; leave it out";
        return Err(Error::parameter("--feature-groups", path.display(), remedy).into());
    }
    let limit = args.options_for(args.table.target()).expansion;
    Ok(table::read_feature_groups(Input::open(path)?, columns.names(), limit, progress)?)
}

/// The columns of the selected features by their place in the table; counts are written as they were read.
fn kept(
    selection: &Selection,
    merged: Option<&MergedColumns>,
    table: &Table,
    normaliser: Option<&CountNormaliser>,
) -> tamis::Result<Vec<u32>> {
    let columns =
        |feature: u32| merged.map_or_else(|| vec![feature], |merged| merged.members[feature as usize].clone());
    let mut kept: Vec<u32> = selection.selected.iter().flat_map(|&feature| columns(feature)).collect();
    kept.sort_unstable();
    if let Some(normaliser) = normaliser {
        let positions = normaliser.positions(&table.view())?;
        kept.iter_mut().for_each(|feature| *feature = positions[*feature as usize]);
    }
    Ok(kept)
}

/// Counts of the rows of a block, summed before they are normalised, where the target is constant inside every block.
fn pooled_counts(table: &Table, counts: &CountSettings) -> tamis::Result<Option<Table>> {
    let view = table.view();
    let nested = view.blocks().is_some() && BlockLayout::of(&view) == BlockLayout::Nested;
    (nested && counts.normalize.gives_log_counts()).then(|| table::block_sums(&view)).transpose()
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
