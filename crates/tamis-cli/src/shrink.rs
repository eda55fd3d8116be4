//! `tamis shrink`: which features matter, from scores that exist already.

use crate::args;
use crate::bar::Bar;
use crate::outputs::Files;
use crate::select::finish;
use std::time::Instant;
use tamis::result::{InputFacts, SelectionResult};
use tamis::score;
use tamis::sparse_means;
use tamis::table::{self, Input};
use tamis::{Context, Error, Method};

pub fn run(args: &args::Shrink) -> anyhow::Result<()> {
    let started = Instant::now();
    args.run.running.apply()?;
    let Method::Shrink(means) = args.settings.method_with("shrink", [args.fdr.pair()])? else {
        return Err(Error::parameter("--method", "shrink", "it is not a method of this build").into());
    };
    args.saving.check()?;
    Files::check(&args.file, args.saving.outputs())?;
    let mut options = args.reading.options(&args.column);
    options.ids = args.id.iter().cloned().collect();

    let mut bar = Bar::new(args.run.running.quiet);
    let input = Input::open(&args.file)?;
    let file = input.name().to_string();
    let column = table::read_scores(input, &options, &mut bar)?;
    let scores = match args.df {
        Some(df) => score::from_t(&column.scores, df)?,
        None => column.scores,
    };
    let context = &mut Context::new(args.run.seed(), &mut bar);
    let mut selection = sparse_means::shrink(&means, column.names.into(), &scores, context)?;
    drop(bar);
    selection.notes.splice(0..0, column.notes);

    let n = scores.len();
    let facts = InputFacts { file, rows: n, features: n, target: args.column.clone(), ..InputFacts::default() };
    let result = SelectionResult::new(&selection, facts, started.elapsed().as_secs_f64());
    finish(&result, None, &args.saving, &args.run.running, Files::default())
}
