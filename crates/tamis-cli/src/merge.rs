//! `tamis merge`: one answer from the states of many shards.

use crate::args;
use crate::input_paths;
use crate::outputs::{Files, Sources};
use crate::progress_bar::Bar;
use crate::select::finish;
use std::time::Instant;
use tamis::merge::merge_files;
use tamis::result::SelectionResult;
use tamis::{Error, Method};

pub fn run(args: &args::Merge) -> anyhow::Result<()> {
    let started = Instant::now();
    args.running.apply()?;
    args.saving.check(None)?;
    let parts = input_paths::expand_patterns(&args.parts)?;
    Files::check(&Sources::files(&parts), args.saving.outputs())?;
    let mut bar = Bar::new(&args.running);
    let state = merge_files(&parts, &mut bar)?;
    let mut method = Method::Snbl(state.frame().method.clone());
    for (key, value) in args.settings.pairs_with([args.fdr.pair()])? {
        method = method.with(key, value)?;
    }
    let Method::Snbl(method) = method else {
        return Err(Error::parameter("--method", method.name(), "shards are for snbl").into());
    };
    let mut answer = state.answer(&method, &args.keep.keep, &mut bar)?;
    drop(bar);
    answer.facts.file = input_paths::name(&parts, &args.parts);
    let result = SelectionResult::new(&answer.selection, answer.facts, started.elapsed().as_secs_f64());
    finish(&result, None, &args.saving, &args.running, Files::default())
}
