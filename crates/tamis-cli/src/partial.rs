//! `tamis partial`: the mergeable state of one shard.

use crate::answer;
use crate::args;
use crate::input_paths;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use std::io::Write;
use std::sync::Arc;
use tamis::front::{counted, merge_profile_files, visible};

pub fn run(args: &args::Partial) -> anyhow::Result<()> {
    args.shards.run.running.apply()?;
    let stream = args.shards.stream()?;
    let inputs = input_paths::expand(&args.files)?;
    let sources = Sources::files(&inputs)
        .and("--samples", args.shards.table.layout.samples.as_deref())
        .and("--profile", args.profile.as_deref());
    Files::check(&sources, [Destination::new("--out", Content::State, Some(&args.out))])?;
    let mut bar = Bar::new(&args.shards.run.running);
    let (bytes, rows, features) = match &args.profile {
        None => {
            let state = stream.read(&inputs, &mut bar)?;
            (state.to_bytes(), state.n_rows(), state.frame().names.len())
        }
        Some(path) => {
            let profile = Arc::new(merge_profile_files(std::slice::from_ref(path), &mut bar)?);
            let state = stream.read_rows(&inputs, &profile, &mut bar)?;
            (state.to_bytes(), state.n_rows(), state.frame().names.len())
        }
    };
    drop(bar);
    let mut files = Files::default();
    files.add(&args.out, |out| out.write_all(&bytes))?;
    let written = files.commit()?;
    let mut out = screen::stdout();
    let name = input_paths::name(&inputs, &args.files);
    writeln!(
        out,
        "{}: {}, {}; target `{}`",
        visible(&name),
        counted(rows, "row"),
        counted(features, "feature"),
        visible(args.shards.table.target())
    )?;
    answer::files(&written, &mut out)?;
    Ok(())
}
