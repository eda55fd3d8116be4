//! `tamis merge`: one answer from the states of many shards.

use crate::args;
use crate::input_paths;
use crate::outputs::{Files, Sources};
use crate::progress_bar::Bar;
use crate::select::finish;
use tamis::front::answer_of_parts;

pub fn run(args: &args::Merge) -> anyhow::Result<()> {
    args.running.apply()?;
    args.saving.check(None)?;
    let parts = input_paths::expand_patterns(&args.parts)?;
    Files::check(&Sources::files(&parts), args.saving.outputs())?;
    let mut bar = Bar::new(&args.running);
    let settings = args.settings.pairs_with([args.fdr.pair()])?;
    let name = input_paths::name(&parts, &args.parts);
    let mut found = answer_of_parts(&parts, &name, &settings, &args.keep.keep, &mut bar)?;
    drop(bar);
    args.saving.result.provenance.fill(&mut found.result.input, &parts, &args.parts);
    finish(&found, &args.saving, &args.running, Files::default())
}
