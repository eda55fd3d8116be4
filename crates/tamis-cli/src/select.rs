//! `tamis select`: which features of a table matter, and how many.

use crate::answer;
use crate::args::{self, RunOptions, SelectionOptions};
use crate::outputs::{Content, Destination, Files, Sources, separator};
use crate::progress_bar::Bar;
use crate::screen::{self, unless_closed};
use crate::{input_paths, pieces, select_sparse};
use std::io::Write;
use std::path::Path;
use std::time::Instant;
use tamis::base::{Place, visible};
use tamis::result::{InputFacts, SampleValues, SelectionResult};
use tamis::table::counts::{CountNormaliser, CountSettings, Normalize};
use tamis::table::{self, BlockLayout, ExpansionLimit, Format, Input, Table};
use tamis::{Context, Error, Method, Note, Selection, Selector};

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
    let inputs = input_paths::expand(&args.files)?;
    let reduced = Destination::new("--reduced", Content::Table, args.reduced.as_deref());
    let sources = Sources::files(&inputs).and("--samples", args.table.layout.samples.as_deref());
    Files::check(&sources, args.saving.outputs().chain([reduced]))?;
    args.saving.check()?;
    let options = args.options_for(args.table.target());
    let mut bar = Bar::new(args.run.running.quiet);
    if pieces::needed(args, &inputs, &options, &mut bar)? {
        return pieces::run(args, &inputs, options, &method, bar, started);
    }
    let as_it_is = matches!(method, Method::Snbl(_)) && counts.normalize == Normalize::None;
    if as_it_is && table::is_sparse(&inputs[0], &options) {
        return select_sparse::run(args, &inputs[0], &options, &method, bar, started);
    }
    let input = Input::open(&inputs[0])?;
    let name = input.name().to_string();
    let table = table::read(input, &options, &mut bar)?;
    let pooled = pooled_counts(&table, &counts)?;
    let samples = pooled.as_ref().unwrap_or(&table);
    let normaliser = counts.learn(&samples.view())?;
    let normalised = normaliser.as_ref().map(|normaliser| normaliser.apply(&samples.view())).transpose()?;
    let view = normalised.as_ref().unwrap_or(samples).view();
    let mut selection = method.select(&view, &mut Context::new(args.run.seed(), &mut bar))?;
    drop(bar);
    let about_counts: Vec<Note> = match &normaliser {
        Some(normaliser) => {
            pooled.iter().flat_map(|t| t.notes()).cloned().chain(normaliser.notes(&table.view())).collect()
        }
        None => args.counts.suggestion(&view).into_iter().collect(),
    };
    selection.notes.splice(0..0, table.notes().iter().cloned().chain(about_counts));

    if let (Some(_), Some((blocks, _)), Some(design)) = (&pooled, table.view().blocks(), &mut selection.design) {
        design.blocks = Some(blocks.into());
    }
    let facts = InputFacts::of(name, table.target_name(), &view);
    let mut files = Files::default();
    if let Some(path) = &args.reduced {
        let kept = kept(&selection, &table, normaliser.as_ref())?;
        files.add(path, |out| table::write_reduced(&table, &kept, Format::of_path(path), out))?;
    }
    let result = SelectionResult::new(&selection, facts, started.elapsed().as_secs_f64());
    let values = args.saving.result.report.as_ref().and_then(|_| SampleValues::of(&view, &selection));
    finish(&result, values.as_ref(), &args.saving, &args.run.running, files)
}

/// The selected features by their place in the table; counts are written as they were read.
fn kept(selection: &Selection, table: &Table, normaliser: Option<&CountNormaliser>) -> tamis::Result<Vec<u32>> {
    let mut kept = selection.selected.clone();
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
    Files::check(&sources, [Destination::new("--reduced", Content::Table, args.reduced.as_deref())])?;
    let name = result.display().to_string();
    let text = Input::open(result)?.bytes(ExpansionLimit::default())?;
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
    let to_stdout = json == dash || csv == dash;
    if let Some(path) = &saving.result.report {
        let page = tamis_report::selection_page(result, values)?;
        files.add(path, |out| out.write_all(page.as_bytes()))?;
    }
    let bytes = json.map(|_| result.to_bytes()).transpose()?.unwrap_or_default();
    if let Some(path) = json.filter(|_| json != dash) {
        files.add(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = csv.filter(|_| csv != dash) {
        files.add(path, |out| result.write_csv(char::from(separator(path)), out))?;
    }
    if to_stdout {
        let mut out = screen::data();
        let written = if json == dash { out.write_all(&bytes) } else { result.write_csv(',', &mut out) };
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
