//! `tamis merge`: one answer from the states of many shards.

use crate::args;
use crate::input_paths;
use crate::outputs::{Files, Sources};
use crate::progress_bar::Bar;
use crate::select::finish;
use std::time::Instant;
use tamis::front::{Merged, answer_of_row_states, answer_of_states, merge_files};

pub fn run(args: &args::Merge) -> anyhow::Result<()> {
    let started = Instant::now();
    args.running.apply()?;
    args.saving.check(None)?;
    let parts = input_paths::expand_patterns(&args.parts)?;
    Files::check(&Sources::files(&parts), args.saving.outputs())?;
    let mut bar = Bar::new(&args.running);
    let state = merge_files(&parts, &mut bar)?;
    let settings = args.settings.pairs_with([args.fdr.pair()])?;
    let keep = &args.keep.keep;
    let mut found = match &state {
        Merged::Plain(state) => answer_of_states(state, &settings, keep, &mut bar)?,
        Merged::Rows(state) => answer_of_row_states(state, &settings, keep, &mut bar)?,
    };
    drop(bar);
    args.saving.result.provenance.fill(&mut found.result.input, &parts, &args.parts);
    finish(found, started, &args.saving, &args.running, Files::default())
}
