//! `tamis simulate`: the papers' synthetic data, with the truth beside them.

use crate::answer;
use crate::args;
use crate::outputs::{Content, Destination, Files, Sources};
use crate::screen;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tamis::front::Cells;
use tamis::simulate::{Drawn, Simulation};
use tamis::table::{self, Format};

pub fn run(args: &args::Simulate) -> anyhow::Result<()> {
    let mut out = screen::stdout();
    let Some(kind) = &args.kind else { return list(&mut out) };
    let settings = args.settings.pairs()?;
    let simulation = Simulation::from_settings(kind, &settings)?;
    let path =
        args.out.as_deref().ok_or_else(|| tamis::Error::parameter("--out", "left out", "name the file to write"))?;
    let beside = truth_path(path);
    Files::check(
        &Sources::default(),
        [path, beside.as_path()].map(|path| Destination::new("--out", Content::Table, Some(path))),
    )?;
    let drawn = simulation.draw(args.random.seed)?;
    let mut files = Files::default();
    let truth = |names: &mut dyn Iterator<Item = String>, truth: &[f64], out: &mut dyn Write| -> io::Result<()> {
        pairs(("feature", "truth"), names, truth, out)
    };
    match drawn {
        Drawn::Table(drawn) => {
            let all: Vec<u32> = (0..drawn.truth.len() as u32).collect();
            files.add(path, |out| table::write_reduced(&drawn.table, &all, Format::of_path(path), out))?;
            let mut names = drawn.table.names().iter().cloned();
            files.add(&beside, |out| truth(&mut names, &drawn.truth, out))?;
        }
        Drawn::Scores { scores, truth: means } => {
            let names = || (1..).map(|i| format!("f{i}"));
            files.add(path, |out| pairs(("feature", "z"), &mut names(), &scores, out))?;
            files.add(&beside, |out| truth(&mut names(), &means, out))?;
        }
    }
    answer::files(&files.commit()?, &mut out)?;
    Ok(())
}

/// Two columns: names and numbers.
fn pairs(
    head: (&str, &str),
    names: &mut dyn Iterator<Item = String>,
    values: &[f64],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut cells = Cells::new(out, b',');
    cells.text(head.0)?;
    cells.text(head.1)?;
    cells.end()?;
    for (name, value) in names.zip(values) {
        cells.text(&name)?;
        cells.number(*value)?;
        cells.end()?;
    }
    Ok(())
}

/// `data.csv.gz` → `data.truth.csv`.
fn truth_path(path: &Path) -> PathBuf {
    // a path without a name is a folder, which is refused
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
    path.with_file_name(format!("{stem}.truth.csv"))
}

fn list(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "tamis simulate KIND --out FILE [--set KEY=VALUE …] [--seed N]\n")?;
    for info in Simulation::catalogue() {
        writeln!(out, "{}\n  {}", info.name, info.summary)?;
        let defaults = serde_json::to_value(&info.default)?;
        for p in info.parameters {
            writeln!(
                out,
                "  {:<11} {:<11} {}: {}",
                p.name,
                tamis::front::plain(&defaults[p.name]),
                p.purpose,
                p.range
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}
