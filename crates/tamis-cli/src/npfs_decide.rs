//! `tamis npfs-decide`: the test of `npfs` on a selection matrix from elsewhere.

use crate::args;
use crate::outputs::{Files, Sources};
use crate::progress_bar::Bar;
use crate::select::finish;
use tamis::analysis::Found;
use tamis::front::{Caller, decide_matrix, matrix_test};
use tamis::result::InputFacts;
use tamis::table::{self, Input};

pub fn run(args: &args::NpfsDecide) -> anyhow::Result<()> {
    args.run.apply()?;
    let test = matrix_test(&args.settings.pairs()?)?;
    args.saving.check(None)?;
    Files::check(&Sources::files([&args.file]), args.saving.outputs())?;
    let mut options = args.reading.options("");
    options.no_target = true;
    args.columns.fill(&mut options);
    let mut bar = Bar::new(&args.run);
    let caller = Caller::of(&bar);
    let input = Input::open(&args.file)?;
    let matrix = table::read(input, &options, &mut bar)?;
    drop(bar);
    let selection = decide_matrix(&test, &matrix)?;
    let mut facts = InputFacts { rows: matrix.n_rows(), features: matrix.names().len(), ..InputFacts::default() };
    let files = std::slice::from_ref(&args.file);
    args.saving.result.provenance.fill(&mut facts, files, files);
    finish(&Found::without_rows(selection, facts, caller), &args.saving, &args.run, Files::default())
}
