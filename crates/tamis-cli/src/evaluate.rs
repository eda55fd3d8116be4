//! `tamis evaluate`: methods and classifiers on the same folds, compared, and one recommended.

use crate::answer;
use crate::args::{self, Folds};
use crate::option_names::Program;
use crate::outputs::{Content, Destination, Files, Sources, separator};
use crate::progress_bar::Bar;
use crate::screen::{self, unless_closed};
use crate::standings;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;
use tamis::catalogue::Tune;
use tamis::evaluate::{Run, compared_pipelines, cross_validate};
use tamis::resample::{self, Plan, RequestedFolds};
use tamis::result::{Evaluation, InputFacts};
use tamis::table::{self, Cells, ExpansionLimit, Input, Table, Task, View};
use tamis::{Context, Error, Method, Note, NoteKind, Pipeline};

pub fn run(args: &args::Evaluate) -> anyhow::Result<()> {
    let started = Instant::now();
    args.run.running.apply()?;
    let csv = Destination::new("--csv", Content::Rows, args.csv.as_deref());
    let outputs = || args.saving.outputs().into_iter().chain([csv]);
    let samples = args.table.layout.samples.as_deref();
    let sources = Sources::files(&args.files).and("--samples", samples).and("--splits", args.splits.as_deref());
    Files::check(&sources, outputs())?;
    let mut bar = Bar::new(&args.run.running);
    let (mut inputs, mut runs, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let mut plan_line = String::new();
    for (at, file) in args.files.iter().enumerate() {
        let mut options = args.table.options();
        options.group.clone_from(&args.group.group);
        options.task = Some(Task::Classes);
        args.design.fill(&mut options);
        let input = Input::open(file)?;
        let name = input.name().to_string();
        let table = table::read(input, &options, &mut bar)?;
        let (plan, line) = plan(args, &table)?;
        let (pipelines, about_methods) = pipelines(args, &table, plan.len())?;
        let view = table.view();
        let about_counts = about_counts(args, &view)?;
        let found = cross_validate(&view, &pipelines, &plan, &mut Context::new(args.run.seed(), &mut bar))?;
        for (pipeline, folds) in pipelines.iter().zip(found) {
            runs.push(Run::new(at, &view, pipeline, folds, &Program));
        }
        let about = |note: &Note| Note { message: in_file(&name, &note.message, args.files.len()), ..note.clone() };
        let adjusted = about_covariates(args);
        let all = table.notes().iter().chain(&about_counts).chain(&adjusted).chain(&about_methods).chain(&plan.notes);
        notes.extend(all.map(about));
        inputs.push(InputFacts::of(name, table.target_name(), &view));
        plan_line = line;
    }
    drop(bar);
    let reasons: Vec<&String> = runs.iter().filter_map(|run| run.failed.as_ref()).collect();
    if let (Some(reason), true) = (reasons.first(), reasons.len() == runs.len()) {
        return Err(Error::parameter("--method", "all", format!("none can be used on these data: {reason}")).into());
    }
    let mut evaluation = Evaluation::new(inputs, runs, plan_line, notes, args.run.seed())?;
    evaluation.seconds = started.elapsed().as_secs_f64();
    write(args, &evaluation)
}

fn in_file(name: &str, message: &str, files: usize) -> String {
    if files == 1 { message.into() } else { format!("{name}: {message}") }
}

/// Notes on counts. Counts that cannot be normalised are refused, before any method fails on them.
fn about_counts(args: &args::Evaluate, view: &View) -> tamis::Result<Vec<Note>> {
    Ok(match args.counts.settings()?.learn(view)? {
        None => args.counts.suggestion(view).into_iter().collect(),
        Some(normaliser) => {
            let way = normaliser.normalize();
            let text =
                format!("counts are normalised ({way}) inside every fold, with quantities from its training rows");
            vec![Note::new(NoteKind::CountsNormalised, text)]
        }
    })
}

/// A note on covariates.
fn about_covariates(args: &args::Evaluate) -> Option<Note> {
    let quoted: Vec<String> = args.design.covariate.iter().map(|name| format!("`{name}`")).collect();
    let text = format!("features are adjusted for {} inside every fold, by its training rows", quoted.join(", "));
    (!quoted.is_empty()).then(|| Note::new(NoteKind::Adjusted, text))
}

/// Every selector with every classifier; classifiers among the methods stand alone. Also a note on methods left out.
fn pipelines(args: &args::Evaluate, table: &Table, folds: usize) -> tamis::Result<(Vec<Pipeline>, Option<Note>)> {
    let view = table.view();
    let (methods, note) = match args.methods.is_empty() {
        true => compared_pipelines::default_methods(&view, folds, &Program),
        false => (args.methods.iter().map(String::as_str).collect(), None),
    };
    let classifiers: Vec<&str> = match args.classifiers.is_empty() {
        true => vec![compared_pipelines::default_classifier(&view)],
        false => args.classifiers.iter().map(String::as_str).collect(),
    };
    let named: Vec<&str> = methods.iter().chain(&classifiers).copied().filter(|n| *n != "none").collect();
    let all = args.settings.methods(&named)?;
    // `none`: every classifier on all features
    let of = |name: &&str| named.iter().position(|n| n == name).map(|at| all[at].clone());
    let selectors: Vec<Option<Method>> = methods.iter().map(of).collect();
    let behind: Vec<Method> = classifiers.iter().filter_map(of).collect();
    let mut pipelines = compared_pipelines::pipelines(&selectors, &behind, !args.classifiers.is_empty());
    let unused = args.classifiers.iter().find(|name| pipelines.iter().all(|p| p.classifier.name() != name.as_str()));
    if let Some(name) = unused {
        let expected = "none of the methods is a selector; add `--method none` to use all features";
        return Err(Error::parameter("--classifier", name, expected));
    }
    let tunes = tunes(args, &named)?;
    let counts = args.counts.settings()?;
    for pipeline in &mut pipelines {
        let name = pipeline.selector.as_ref().unwrap_or(&pipeline.classifier).name();
        let tune = tunes.iter().find(|(method, _)| *method == name || *method == pipeline.classifier.name());
        pipeline.tune = tune.map(|(_, t)| t.clone());
        pipeline.counts = counts.clone();
        pipeline.calibrate = args.calibrate.map(Into::into);
        pipeline.validate()?;
    }
    Ok((pipelines, note))
}

/// What is tuned, by method.
fn tunes<'a>(args: &'a args::Evaluate, named: &[&str]) -> tamis::Result<Vec<(&'a str, Tune)>> {
    let mut tunes: Vec<(&str, Tune)> = Vec::new();
    for text in &args.tune {
        let wrong = || Error::parameter("--tune", text, "it takes METHOD.KEY=VALUE,VALUE,…, e.g. jmi.k=5,10,20");
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let (method, key) = name.split_once('.').ok_or_else(wrong)?;
        let values: Vec<String> = values.split(',').map(|v| v.trim().to_string()).filter(|v| !v.is_empty()).collect();
        if values.is_empty() || !named.contains(&method) {
            return Err(wrong());
        }
        tunes.push((method, Tune { key: key.into(), values }));
    }
    Ok(tunes)
}

/// The folds, and a line that says what they are.
fn plan(args: &args::Evaluate, table: &Table) -> tamis::Result<(Plan, String)> {
    let (view, seed, repeats) = (table.view(), args.run.seed(), args.repeats as usize);
    if let Some(path) = &args.splits {
        let input = Input::open(path)?;
        let name = input.name().to_string();
        let plan = resample::given(&view, &input.text(ExpansionLimit::default())?, &name)?;
        let line = format!("{} splits from {name}", plan.len());
        return Ok((plan, line));
    }
    if matches!(args.folds, Folds::LeaveOneOut) && repeats > 1 {
        let expected = "leave-one-out folds are not random; remove it";
        return Err(Error::parameter("--repeats", repeats, expected));
    }
    let folds = match args.folds {
        Folds::LeaveOneOut => RequestedFolds::LeaveOneOut,
        Folds::Count(folds) => RequestedFolds::Count { folds, repeats },
    };
    folds.plan(&view, table.groups(), seed)
}

fn write(args: &args::Evaluate, evaluation: &Evaluation) -> anyhow::Result<()> {
    let to_stdout = args.saving.json.as_deref() == Some(Path::new("-"));
    let mut files = Files::default();
    let bytes = args.saving.json.as_ref().map(|_| evaluation.to_bytes()).transpose()?.unwrap_or_default();
    if let Some(path) = args.saving.json.as_ref().filter(|_| !to_stdout) {
        files.add(path, |out| out.write_all(&bytes))?;
    }
    if let Some(path) = &args.saving.report {
        let page = tamis_report::evaluation_page(evaluation)?;
        files.add(path, |out| out.write_all(page.as_bytes()))?;
    }
    if let Some(path) = &args.csv {
        files.add(path, |out| csv(evaluation, separator(path), out))?;
    }
    if to_stdout {
        let mut out = screen::data();
        unless_closed(out.write_all(&bytes).and_then(|()| out.flush()))?;
    }
    let written = files.commit()?;
    let mut out = screen::stdout();
    if !to_stdout {
        standings::print(evaluation, &mut out)?;
        out.flush()?;
    }
    if !args.run.running.quiet {
        standings::notes(&evaluation.notes, &mut screen::stderr())?;
    }
    if !to_stdout {
        answer::files(&written, &mut out)?;
    }
    Ok(())
}

/// A row per table and pipeline.
fn csv(evaluation: &Evaluation, separator: u8, out: &mut dyn Write) -> io::Result<()> {
    let mut cells = Cells::new(out, separator);
    let names = [
        "file",
        "method",
        "error",
        "error_se",
        "auc",
        "auc_low",
        "auc_high",
        "kappa",
        "brier",
        "log_loss",
        "calibration_slope",
        "n_selected",
        "n_selected_sd",
        "stability",
        "seconds",
        "failed",
    ];
    names.iter().try_for_each(|name| cells.text(name))?;
    cells.end()?;
    for run in &evaluation.runs {
        cells.text(&evaluation.inputs[run.input].file)?;
        cells.text(&run.label)?;
        let s = run.summary.as_ref();
        let numbers = [
            s.map(|s| s.error),
            s.map(|s| s.error_se),
            s.and_then(|s| s.auc),
            s.and_then(|s| s.auc_95).map(|i| i[0]),
            s.and_then(|s| s.auc_95).map(|i| i[1]),
            s.and_then(|s| s.kappa),
            s.map(|s| s.brier),
            s.map(|s| s.log_loss),
            s.and_then(|s| s.calibration_slope),
            s.map(|s| s.n_selected),
            s.map(|s| s.n_selected_sd),
            s.and_then(|s| s.stability.as_ref()).map(|s| s.nogueira.stability),
            s.map(|s| s.seconds),
        ];
        for number in numbers {
            match number {
                Some(number) => cells.number(number)?,
                None => cells.text("")?,
            }
        }
        cells.text(run.failed.as_deref().unwrap_or(""))?;
        cells.end()?;
    }
    Ok(())
}
