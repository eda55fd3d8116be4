//! `tamis predict`: labels and probabilities for new rows.

use crate::answer;
use crate::args;
use crate::input_paths;
use crate::option_names::Program;
use crate::outputs::{Content, Destination, Files, Sources, separator};
use crate::progress_bar::Bar;
use crate::screen;
use std::io::{self, Write};
use tamis::Model;
use tamis::catalogue::Predictions;
use tamis::front::{Cells, note};
use tamis::table::{self, ExpansionLimit, Input, Table, View};

pub fn run(args: &args::Predict) -> anyhow::Result<()> {
    args.run.apply()?;
    let file = &input_paths::expand_to_one(&args.file, "it is several files; give one at a time")?;
    let sources = Sources::files([file]).and("--samples", args.layout.samples.as_deref());
    let out = Destination::new("--out", Content::Rows, args.out.as_deref());
    Files::check(&sources.and("--model", Some(&args.model)), [out])?;
    let name = args.model.display().to_string();
    let text = Input::open(&args.model)?.bytes(ExpansionLimit::default())?;
    let model = Model::read(&text, &name)?;
    let mut options = args.reading.options(&model.target);
    options.only = Some(model.column_names().into_iter().map(str::to_string).collect());
    options.covariates = model.covariate_names().into_iter().map(str::to_string).collect();
    options.ids.clone_from(&args.id);
    options.no_target = true;
    args.layout.fill(&mut options);
    let mut bar = Bar::new(&args.run);
    let table = table::read(Input::open(file)?, &options, &mut bar)?;
    drop(bar);
    let predictions = model.predict(&View::every_row(&table))?;
    if !args.run.quiet {
        let notes = table.notes().iter().chain(&predictions.notes).cloned().collect();
        for note in note::said(notes, &Program) {
            writeln!(screen::stderr(), "note: {note}")?;
        }
    }
    match &args.out {
        None => {
            let mut out = screen::data();
            write(&model, &table, &predictions, b',', &mut out)?;
            out.flush()?;
        }
        Some(path) => {
            let mut files = Files::default();
            files.add(path, |out| write(&model, &table, &predictions, separator(path), out))?;
            let written = files.commit()?;
            answer::files(&written, &mut screen::stdout())?;
        }
    }
    Ok(())
}

/// The id columns, the likeliest class, and a probability per class, a row per row of the file.
fn write(
    model: &Model,
    table: &Table,
    predictions: &Predictions,
    separator: u8,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut cells = Cells::new(out, separator);
    for id in table.ids() {
        cells.text(&id.name)?;
    }
    cells.text("predicted")?;
    for class in &model.classes {
        cells.text(&format!("p_{class}"))?;
    }
    cells.end()?;
    for row in 0..table.n_rows() {
        for id in table.ids() {
            cells.text(&id.values[row])?;
        }
        cells.text(&model.classes[predictions.predicted[row]])?;
        for p in &predictions.probabilities {
            cells.number(p[row])?;
        }
        cells.end()?;
    }
    Ok(())
}
