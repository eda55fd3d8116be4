//! `tamis fit`: train a classifier, alone or on the features that a selector chooses.

use crate::answer;
use crate::args;
use crate::input_paths;
use crate::layout;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use std::io::Write;
use tamis::catalogue::FittedClassifier;
use tamis::front::{TableFiles, Trained, counted, visible};
use tamis::{Analysis, Method};

pub fn run(args: &args::Fit) -> anyhow::Result<()> {
    args.run.running.apply()?;
    let trained = Analysis::to_train(&args.method, args.classifier.as_deref(), &args.settings.pairs()?)?;
    let analysis = Analysis {
        preparation: args.counts.preparation()?,
        calibrate: args.calibrate.map(Into::into),
        seed: args.run.seed(),
        ..trained
    };
    analysis.check_training()?;
    let file = &input_paths::expand_to_one(&args.file, "it is several files; a model is trained on one")?;
    let groups = &args.groups_of_features.file;
    let sources = Sources::files([file])
        .and("--samples", args.table.layout.samples.as_deref())
        .and("--feature-groups", groups.as_deref());
    Files::check(&sources, [Destination::new("--model", Content::Model, Some(&args.model))])?;
    let mut options = args.table.options();
    args.design.fill(&mut options);
    let mut bar = Bar::new(&args.run.running);
    let name = input_paths::name(std::slice::from_ref(file), std::slice::from_ref(&args.file));
    let table = TableFiles::new(vec![file.clone()], options);
    let table = TableFiles { name, feature_groups: groups.clone(), ..table };
    let Trained { model, input, label, seconds, .. } = analysis.fit_files(&table, &mut bar)?;
    drop(bar);
    let bytes = model.to_bytes()?;
    let mut files = Files::default();
    files.add(&args.model, |out| out.write_all(&bytes))?;
    let written = files.commit()?;

    let mut out = screen::stdout();
    let kept = model.features();
    let samples = match (&model.classifier, &model.method) {
        (_, Method::Ard(_)) => String::new(), // it has no samples as bases
        (FittedClassifier::Machines(machines), _) => format!(", {}", counted(machines.samples(), "sample")),
        _ => String::new(),
    };
    writeln!(
        out,
        "a classifier for `{}` from {} of {}: {} of {} kept{samples}",
        visible(&model.target),
        input.rows_in_words(),
        visible(&input.file),
        kept.len(),
        counted(input.features, "feature")
    )?;
    let few: Vec<String> = kept.iter().take(20).map(|name| layout::printable(name)).collect();
    let more = if kept.len() > few.len() { format!(" and {} more", kept.len() - few.len()) } else { String::new() };
    let named = if few.is_empty() { "none".to_string() } else { few.join(", ") };
    writeln!(out, "\n  features  {named}{more}")?;
    let classes: Vec<String> = model.classes.iter().map(|name| layout::printable(name)).collect();
    writeln!(out, "  classes   {}", classes.join(", "))?;
    writeln!(out, "  method    {label}; seed {}; {seconds:.2} s", analysis.seed)?;
    out.flush()?;
    if !args.run.running.quiet {
        for note in &model.notes {
            writeln!(screen::stderr(), "note: {note}")?;
        }
    }
    answer::files(&written, &mut out)?;
    Ok(())
}
