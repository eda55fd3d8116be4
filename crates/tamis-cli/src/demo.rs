//! `tamis demo`: a simulated table with known truth, selected from and compared with it.

use crate::answer;
use crate::args;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::progress_bar::Bar;
use crate::screen;
use anyhow::Context;
use std::io::{self, Write};
use std::time::Instant;
use tamis::result::{InputFacts, SampleValues, SelectionResult};
use tamis::simulate::TwoGroups;
use tamis::table::{self, Cells, Format, Input, ReadOptions};
use tamis::{Selector, Snbl};

pub fn run(args: &args::Demo) -> anyhow::Result<()> {
    let started = Instant::now();
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

    // From here on as a user would: the file is read back, the truth is not looked at.
    let mut bar = Bar::new(&args.run.running);
    let options = ReadOptions::target("group");
    let table = table::read(Input::open(&path("data.csv"))?, &options, &mut bar)?;
    let view = table.view();
    let selection = Snbl::default().select(&view, &mut tamis::Context::new(args.run.seed(), &mut bar))?;
    drop(bar);
    let facts = InputFacts::of(path("data.csv").display().to_string(), "group", &view);
    let seconds = started.elapsed().as_secs_f64();

    let mut files = Files::default();
    let mut kept = selection.selected.clone();
    kept.sort_unstable();
    files.add(&path("reduced.csv"), |out| table::write_reduced(&table, &kept, Format::Csv, out))?;
    let saved = SelectionResult::new(&selection, facts, seconds);
    let bytes = saved.to_bytes()?;
    files.add(&path("result.json"), |out| out.write_all(&bytes))?;
    let page = tamis_report::selection_page(&saved, SampleValues::of(&view, &selection).as_ref())?;
    files.add(&path("report.html"), |out| out.write_all(page.as_bytes()))?;
    written.extend(files.commit()?);

    let mut out = screen::stdout();
    writeln!(
        out,
        "A simulated table: {} rows in two groups, {} features, {} of which differ between the groups\n\
         by {} to {} standard deviations. What does tamis find without knowing that?\n",
        setup.rows, setup.features, setup.relevant, setup.effect.0, setup.effect.1
    )?;
    answer::print(&saved, &mut out)?;
    let found = selection.selected.iter().filter(|&&i| drawn.truth[i as usize] != 0.0).count();
    let wrong = selection.selected.len() - found;
    let top: Vec<usize> = (0..setup.features).filter(|&i| selection.ranks[i] as usize <= setup.relevant).collect();
    let ranked = top.iter().filter(|&&i| drawn.truth[i] != 0.0).count();
    writeln!(
        out,
        "\nCompared with the truth: {found} of the {} planted features are named; false discoveries: {wrong}.",
        setup.relevant
    )?;
    writeln!(out, "Of the {} features ranked highest, {ranked} are planted.", setup.relevant)?;
    out.flush()?;
    if !args.run.running.quiet {
        answer::notes(&saved, &mut screen::stderr())?;
    }
    answer::files(&written, &mut out)?;
    writeln!(out, "\nLook at it in a browser:  {}", path("report.html").display())?;
    writeln!(out, "Try it on the file:  tamis select {} --target group", path("data.csv").display())?;
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
