//! `tamis predict`: labels and probabilities for new rows.

use crate::answer;
use crate::args;
use crate::outputs::{Content, Destination, Files, separator};
use crate::progress_bar::Bar;
use std::io::{self, Write};
use tamis::catalogue::Predictions;
use tamis::table::{self, Cells, Input, Table, View};
use tamis::{Error, Model};

pub fn run(args: &args::Predict) -> anyhow::Result<()> {
    args.run.apply()?;
    let name = args.model.display().to_string();
    let text = std::fs::read(&args.model).map_err(|e| Error::read_io(&name, e))?;
    let model = Model::read(&text, &name)?;
    Files::check(&args.file, [Destination::new("--out", Content::Rows, args.out.as_deref())])?;
    let mut options = args.reading.options(&model.target);
    options.only = Some(model.column_names().into_iter().map(str::to_string).collect());
    options.covariates = model.covariate_names().into_iter().map(str::to_string).collect();
    options.ids.clone_from(&args.id);
    options.no_target = true;
    args.layout.fill(&mut options);
    let mut bar = Bar::new(&args.run);
    let table = table::read(Input::open(&args.file)?, &options, &mut bar)?;
    drop(bar);
    let predictions = model.predict(&View::every_row(&table))?;
    if !args.run.quiet {
        for note in table.notes().iter().chain(&predictions.notes) {
            writeln!(io::stderr(), "note: {}", note.message)?;
        }
    }
    match &args.out {
        None => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            write(&model, &table, &predictions, b',', &mut out)?;
            out.flush()?;
        }
        Some(path) => {
            let mut files = Files::default();
            files.add(path, |out| write(&model, &table, &predictions, separator(path), out))?;
            let written = files.commit()?;
            answer::files(&written, &mut io::stdout().lock())?;
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
