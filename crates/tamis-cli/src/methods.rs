//! `tamis methods`: what there is.

use crate::answer::plain;
use crate::args;
use std::io::{self, Write};
use tamis::Method;

pub fn run(args: &args::Methods) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let Some(name) = &args.name else {
        for entry in Method::catalogue() {
            writeln!(out, "{:<8}  {}", entry.name, entry.summary)?;
            writeln!(out, "{:<8}  number chosen by {}", "", entry.number_by)?;
        }
        writeln!(out, "\n`tamis methods NAME` shows a method's parameters.")?;
        return Ok(());
    };
    let entry = Method::find(name)?;
    writeln!(out, "{}: {}\n", entry.name, entry.summary)?;
    writeln!(out, "  number     {}", entry.number_by)?;
    writeln!(out, "  cost       {}", entry.cost)?;
    writeln!(out, "  reference  {}\n", entry.reference)?;
    let defaults = entry.default.parameters();
    let rows: Vec<[String; 4]> = entry
        .parameters
        .iter()
        .map(|p| {
            let default = defaults.get(p.name).map_or_else(String::new, plain);
            [p.name.into(), default, p.range.into(), p.purpose.into()]
        })
        .collect();
    let head = ["key", "default", "range", "purpose"].map(String::from);
    let width = |c: usize| rows.iter().chain([&head]).map(|r| r[c].chars().count()).max().unwrap_or(0);
    let (a, b, c) = (width(0), width(1), width(2));
    for row in std::iter::once(&head).chain(&rows) {
        writeln!(out, "  {:<a$}  {:<b$}  {:<c$}  {}", row[0], row[1], row[2], row[3])?;
    }
    Ok(())
}
