//! `tamis demo`: a simulated table with known truth, selected from and compared with it.

use crate::answer;
use crate::args::{self, Cli, Command};
use crate::option_names::quoted;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use crate::select;
use anyhow::Context;
use clap::Parser;
use std::ffi::OsString;
use std::io::{self, Write};
use tamis::base::Weight;
use tamis::front::Cells;
use tamis::simulate::TwoGroups;
use tamis::table::{self, Format};

pub fn run(args: &args::Demo) -> anyhow::Result<()> {
    args.run.running.apply()?;
    let setup = TwoGroups::default();
    let drawn = setup.draw(args.run.seed())?;
    std::fs::create_dir_all(&args.out).with_context(|| format!("cannot create the folder `{}`", args.out.display()))?;
    let path = |name: &str| args.out.join(name);
    let all: Vec<u32> = (0..setup.features as u32).collect();
    let all_paths = ["data.csv", "truth.csv", "reduced.csv", "result.json", "report.html"].map(path);
    let outputs = all_paths.iter().map(|path| Destination::new("--out", Content::Any, Some(path)));
    Files::check(&Sources::default(), outputs)?;
    let mut files = Files::default();
    files.add(&path("data.csv"), |out| table::write_reduced(&drawn.table, &all, Format::Csv, out))?;
    files.add(&path("truth.csv"), |out| write_truth(drawn.table.names(), &drawn.truth, out))?;
    let mut written = files.commit()?;

    // From here on what a user types: the file is read back, the truth is not looked at.
    let mut words: Vec<OsString> = vec!["tamis".into(), "select".into(), path("data.csv").into()];
    words.extend(["--target".into(), "group".into()]);
    if args.run.seed() != 0 {
        words.extend(["--seed".into(), args.run.seed().to_string().into()]);
    }
    let typed = words.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ");
    words.extend(["--report".into(), path("report.html").into()]);
    let Command::Select(select) = Cli::try_parse_from(words)?.command else {
        anyhow::bail!("`{typed}` does not select");
    };
    let mut bar = Bar::new(&args.run.running);
    let (found, table) = select::find(&select, &mut bar)?;
    drop(bar);

    let mut files = Files::default();
    if let Some(table) = &table {
        files.add(&path("reduced.csv"), |out| table.write_reduced(&found.columns, Format::Csv, out))?;
    }
    let bytes = found.result.to_bytes()?;
    files.add(&path("result.json"), |out| out.write_all(&bytes))?;
    let page = tamis_report::selection_page(&found.result, found.values.as_ref())?;
    files.add(&path("report.html"), |out| out.write_all(page.as_bytes()))?;
    written.extend(files.commit()?);

    let mut out = screen::stdout();
    writeln!(
        out,
        "A simulated table: {} rows in two groups, {} features, {} of which differ between the groups by \
         {} to {} standard deviations. What does tamis find without knowing that?\n",
        setup.rows, setup.features, setup.relevant, setup.effect.0, setup.effect.1
    )?;
    answer::print(&found.result, args.run.running.quiet, &mut out)?;
    let selection = &found.selection;
    let right = selection.selected.iter().filter(|&&i| drawn.truth[i as usize] != 0.0).count();
    let wrong = selection.selected.len() - right;
    let top: Vec<usize> = (0..setup.features).filter(|&i| selection.ranks[i] as usize <= setup.relevant).collect();
    let ranked = top.iter().filter(|&&i| drawn.truth[i] != 0.0).count();
    writeln!(
        out,
        "\nCompared with the truth: {right} of the {} planted features are named; false discoveries: {wrong}.",
        setup.relevant
    )?;
    writeln!(out, "Of the {} features ranked highest, {ranked} are planted.", setup.relevant)?;
    out.flush()?;
    if !args.run.running.quiet {
        answer::notes(&found.result, Weight::Read..=Weight::HowRead, &mut screen::stderr())?;
    }
    answer::files(&written, &mut out)?;
    writeln!(out, "\nLook at it in a browser:  {}", path("report.html").display())?;
    writeln!(out, "Try it on the file:  {typed}")?;
    Ok(())
}

fn write_truth(names: &[String], truth: &[f64], out: &mut dyn Write) -> io::Result<()> {
    let mut cells = Cells::new(out, b',');
    cells.text("feature")?;
    cells.text("difference")?;
    cells.end()?;
    for (name, truth) in names.iter().zip(truth) {
        cells.text(name)?;
        cells.number(*truth)?;
        cells.end()?;
    }
    Ok(())
}
