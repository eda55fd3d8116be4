//! `tamis shrink`: which features matter, from statistics that exist already.

use crate::args;
use crate::outputs::{Files, Sources};
use crate::progress_bar::Bar;
use crate::select::finish;
use tamis::Analysis;
use tamis::front::RequestedStatistics;
use tamis::table::Input;

pub fn run(args: &args::Shrink) -> anyhow::Result<()> {
    args.run.running.apply()?;
    let method = args.settings.method_with("shrink", [args.fdr.pair()])?;
    args.saving.check(None)?;
    Files::check(&Sources::files([&args.file]), args.saving.outputs())?;
    let mut options = args.reading.options("");
    options.ids = args.id.iter().cloned().collect();
    let wanted = RequestedStatistics {
        column: args.column.clone(),
        beta: args.beta.clone(),
        se: args.se.clone(),
        pvalue: args.pvalue.clone(),
        sign: args.sign.clone(),
        df: args.df.clone(),
    };
    let analysis = Analysis { method, seed: args.run.seed(), ..Analysis::default() };
    let mut bar = Bar::new(&args.run.running);
    let mut found = analysis.shrink_file(Input::open(&args.file)?, &options, &wanted, &mut bar)?;
    drop(bar);
    let files = std::slice::from_ref(&args.file);
    args.saving.result.provenance.fill(&mut found.result.input, files, files);
    finish(&found, &args.saving, &args.run.running, Files::default())
}
