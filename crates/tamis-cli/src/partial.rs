//! `tamis partial`: the mergeable state of one shard.

use crate::answer;
use crate::args;
use crate::input_paths;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use std::io::Write;
use tamis::front::{Stream, counted, visible};

pub fn run(args: &args::Partial) -> anyhow::Result<()> {
    args.run.running.apply()?;
    let method = args.settings.method("snbl")?.into_snbl()?;
    let inputs = input_paths::expand(&args.files)?;
    let sources = Sources::files(&inputs).and("--samples", args.table.layout.samples.as_deref());
    Files::check(&sources, [Destination::new("--out", Content::State, Some(&args.out))])?;
    let mut options = args.table.options();
    args.rows.fill(&mut options);
    args.design.fill(&mut options);
    let stream = Stream { options, method, seed: args.run.seed(), memory: args.rows.memory };
    let mut bar = Bar::new(&args.run.running);
    let state = stream.read(&inputs, &mut bar)?;
    drop(bar);
    let mut files = Files::default();
    files.add(&args.out, |out| out.write_all(&state.to_bytes()))?;
    let written = files.commit()?;
    let mut out = screen::stdout();
    let name = input_paths::name(&inputs, &args.files);
    writeln!(
        out,
        "{}: {}, {}; target `{}`",
        visible(&name),
        counted(state.n_rows(), "row"),
        counted(state.frame().names.len(), "feature"),
        visible(args.table.target())
    )?;
    answer::files(&written, &mut out)?;
    Ok(())
}
