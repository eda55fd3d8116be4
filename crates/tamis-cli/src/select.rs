//! `tamis select`: which features of a table matter, and how many.

use crate::answer;
use crate::args::{self, RunOptions, SelectionOptions};
use crate::input_paths;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen::{self, unless_closed};
use std::io::Write;
use std::path::Path;
use tamis::Error;
use tamis::analysis::Found;
use tamis::base::{Place, Weight};
use tamis::front::{HeldTable, Passage, TableFiles, counted, visible};
use tamis::result::SelectionResult;
use tamis::table::{self, ExpansionLimit, Format, Input};

pub fn run(args: &args::Select) -> anyhow::Result<()> {
    args.run.running.apply()?;
    if let Some(result) = &args.result {
        return apply(args, result);
    }
    let mut bar = Bar::new(&args.run.running);
    let (found, table) = find(args, &mut bar)?;
    drop(bar);
    let mut outputs = Files::default();
    if let (Some(path), Some(table)) = (&args.reduced, &table) {
        outputs.add(path, |out| table.write_reduced(&found.columns, Format::of_path(path), out))?;
    }
    if let Some(path) = &args.groups_csv {
        outputs.add(path, |out| found.result.write_groups(Format::of_path(path), out))?;
    }
    finish(&found, &args.saving, &args.run.running, outputs)
}

/// Selects from the files of a command line; also what is held of the table.
pub fn find(args: &args::Select, bar: &mut Bar) -> anyhow::Result<(Found, Option<HeldTable>)> {
    let analysis = args.analysis()?;
    analysis.check_selection()?;
    let files = TableFiles {
        memory: args.rows.memory,
        feature_groups: args.groups_of_features.file.clone(),
        ..input_paths::tables(&args.files, args.options_for(args.table.target())?)?
    };
    let reduced = Destination::new("--reduced", Content::Table, args.reduced.as_deref()).or_standard_output();
    let sources = Sources::files(&files.paths)
        .and("--samples", args.table.layout.samples.as_deref())
        .and("--feature-groups", args.groups_of_features.file.as_deref());
    let groups = Destination::new("--groups-csv", Content::Features, args.groups_csv.as_deref());
    Files::check(&sources, args.saving.outputs().chain([reduced, groups]))?;
    args.saving.check(args.reduced.as_deref())?;
    let passage = analysis.passage(&files, bar)?;
    if let (Some(path), Passage::Pieces) = (&args.reduced, passage) {
        let expected = format!(
            "the table is read in pieces and not kept; write the result with `--json result.json`, then pass \
             `--result result.json --reduced {}` with each file",
            path.display()
        );
        return Err(Error::parameter("--reduced", path.display(), expected).into());
    }
    let (mut found, table) = analysis.select_files(&files, passage, bar)?;
    args.saving.result.provenance.fill(&mut found.result.input, &files.paths, &args.files);
    Ok((found, table))
}

/// Applies an earlier selection to a file, which need not have the target.
fn apply(args: &args::Select, result: &Path) -> anyhow::Result<()> {
    let files = input_paths::expand(&args.files)?;
    let [file] = &files[..] else {
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
    let mut options = args.options_for(target)?;
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
    writeln!(out, "{} selected on {of} kept, {}", counted(all.len(), "feature"), counted(rows, "row"))?;
    if table.target_name().is_empty() {
        writeln!(out, "the file has no column `{}`: its rows have no target", visible(target))?;
    }
    answer::files(&written, &mut out)?;
    Ok(())
}

/// The end of every command that selects: save, answer, notes, files. The report shows the values, where they are at hand.
pub fn finish(found: &Found, saving: &SelectionOptions, running: &RunOptions, mut files: Files) -> anyhow::Result<()> {
    let result = &found.result;
    let dash = Some(Path::new("-"));
    let (json, csv) = (saving.result.json.as_deref(), saving.csv.as_deref());
    let to_stdout = json == dash || csv == dash || files.uses_standard_output();
    if let Some(path) = &saving.result.report {
        let page = tamis_report::selection_page(result, found.values.as_ref())?;
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
            (false, true) => result.write_table(Format::Csv, &mut out),
            (false, false) => Ok(()), // the reduced table
        };
        unless_closed(written.and_then(|()| out.flush()))?;
    }
    let written = files.commit()?;
    let mut out = screen::stdout();
    if !to_stdout {
        answer::print(result, running.quiet, &mut out)?;
        out.flush()?;
    }
    if !running.quiet {
        let first = if to_stdout { Weight::ChangesAnswer } else { Weight::Read };
        answer::notes(result, first..=Weight::HowRead, &mut screen::stderr())?;
    }
    if !to_stdout {
        answer::files(&written, &mut out)?;
        if saving.result.report.is_none() && !running.quiet {
            writeln!(out, "\nFor pictures of all this, add `--report report.html`.")?;
        }
    }
    Ok(())
}
