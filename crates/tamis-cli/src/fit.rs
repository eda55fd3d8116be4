//! `tamis fit`: train a classifier, alone or on the features that a selector chooses.

use crate::answer;
use crate::args;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use std::io::Write;
use std::time::Instant;
use tamis::base::visible;
use tamis::catalogue::FittedClassifier;
use tamis::table::{self, Input, Task};
use tamis::{Context, Error, Method, Pipeline};

pub fn run(args: &args::Fit) -> anyhow::Result<()> {
    let started = Instant::now();
    args.run.running.apply()?;
    let pipeline = pipeline(args)?;
    pipeline.validate()?;
    let sources = Sources::files([&args.file]).and("--samples", args.table.layout.samples.as_deref());
    Files::check(&sources, [Destination::new("--model", Content::Model, Some(&args.model))])?;
    let mut options = args.table.options();
    options.task = Some(Task::Classes);
    args.design.fill(&mut options);
    let mut bar = Bar::new(&args.run.running);
    let input = Input::open(&args.file)?;
    let name = input.name().to_string();
    let table = table::read(input, &options, &mut bar)?;
    let view = table.view();
    let mut model = pipeline.fit(&view, &mut Context::new(args.run.seed(), &mut bar))?.model;
    model.notes.splice(0..0, table.notes().iter().cloned().chain(args.counts.suggestion(&view)));
    drop(bar);
    let bytes = model.to_bytes()?;
    let mut files = Files::default();
    files.add(&args.model, |out| out.write_all(&bytes))?;
    let written = files.commit()?;

    let mut out = screen::stdout();
    let kept = model.features();
    let samples = match (&model.classifier, &model.method) {
        (_, Method::Ard(_)) => String::new(), // it has no samples as bases
        (FittedClassifier::Machines(machines), _) => format!(", {} samples", machines.samples()),
        _ => String::new(),
    };
    writeln!(
        out,
        "a classifier for `{}` from {} rows of {}: {} of {} features kept{samples}",
        visible(&model.target),
        model.rows,
        visible(&name),
        kept.len(),
        table.names().len()
    )?;
    let few: Vec<String> = kept.iter().take(20).map(|name| answer::printable(name)).collect();
    let more = if kept.len() > few.len() { format!(" and {} more", kept.len() - few.len()) } else { String::new() };
    let named = if few.is_empty() { "none".to_string() } else { few.join(", ") };
    writeln!(out, "\n  features  {named}{more}")?;
    let classes: Vec<String> = model.classes.iter().map(|name| answer::printable(name)).collect();
    writeln!(out, "  classes   {}", classes.join(", "))?;
    writeln!(
        out,
        "  method    {}; seed {}; {:.2} s",
        pipeline.label(),
        args.run.seed(),
        started.elapsed().as_secs_f64()
    )?;
    out.flush()?;
    if !args.run.running.quiet {
        for note in &model.notes {
            writeln!(screen::stderr(), "note: {}", note.message)?;
        }
    }
    answer::files(&written, &mut out)?;
    Ok(())
}

/// A classifier alone, or behind a selector.
fn pipeline(args: &args::Fit) -> tamis::Result<Pipeline> {
    let alone = Method::find(&args.method)?.classifies();
    let behind = match &args.classifier {
        Some(name) => Some(name.as_str()),
        None if alone => None,
        None => Some("logistic"),
    };
    let names: Vec<&str> = std::iter::once(args.method.as_str()).chain(behind).collect();
    let mut methods = args.settings.methods(&names)?;
    let counts = args.counts.settings()?;
    let last = methods.pop();
    let first = methods.pop();
    match (first, last) {
        (first, Some(classifier)) => {
            Ok(Pipeline { selector: first, classifier, tune: None, counts, calibrate: args.calibrate.map(Into::into) })
        }
        (_, None) => Err(Error::parameter("--method", &args.method, "it takes a method")), // there is always one
    }
}
