//! `tamis methods`: what there is.

use crate::args;
use crate::screen;
use serde_json::{Value, json};
use std::io::{self, Write};
use tamis::Method;
use tamis::front::{MethodInfo, Parameter, plain};

pub fn run(args: &args::Methods) -> anyhow::Result<()> {
    let mut out = screen::stdout();
    if args.json {
        let methods = match &args.name {
            Some(name) => vec![described(&Method::find(name)?)],
            None => Method::catalogue()
                .iter()
                .map(|info| Ok(described(&Method::find(info.name)?)))
                .collect::<tamis::Result<_>>()?,
        };
        let listed = json!({ "tamis": env!("CARGO_PKG_VERSION"), "methods": methods });
        let mut out = screen::data();
        serde_json::to_writer_pretty(&mut out, &listed).map_err(io::Error::from)?;
        writeln!(out)?;
        return Ok(out.flush()?);
    }
    let Some(name) = &args.name else {
        for entry in Method::catalogue() {
            writeln!(out, "{:<11}  {}", entry.name, entry.summary)?;
            let number = if entry.number_by.is_empty() { "" } else { "number of features: " };
            writeln!(out, "{:<11}  {number}{}", "", number_words(&entry))?;
        }
        writeln!(out, "\n`tamis methods NAME` shows a method's parameters.")?;
        return Ok(());
    };
    let method = Method::find(name)?;
    let entry = method.info();
    writeln!(out, "{}: {}\n", entry.name, entry.summary)?;
    writeln!(out, "  number     {}", number_words(&entry))?;
    writeln!(out, "  cost       {}", entry.cost)?;
    if !entry.reference.is_empty() {
        writeln!(out, "  reference  {}", entry.reference)?;
    }
    if entry.parameters.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let defaults = method.parameters();
    let default = |key: &str| defaults.get(key).map_or_else(String::new, plain);
    let width = |text: &dyn Fn(&Parameter) -> usize| entry.parameters.iter().map(text).max().unwrap_or(0).max(7);
    let (a, b) = (width(&|p| p.name.len()), width(&|p| default(p.name).len()));
    writeln!(out, "  {:<a$}  {:<b$}  purpose and range", "key", "default")?;
    for p in &entry.parameters {
        writeln!(out, "  {:<a$}  {:<b$}  {}", p.name, default(p.name), p.purpose)?;
        writeln!(out, "  {:<a$}  {:<b$}  {}", "", "", p.range)?;
    }
    Ok(())
}

/// What sets the number of features.
fn number_words(entry: &MethodInfo) -> String {
    match entry.number_by {
        "" => "uses the features it is given".into(),
        by => format!("set by {by}"),
    }
}

/// A method as data.
fn described(method: &Method) -> Value {
    let info = method.info();
    let defaults = method.parameters();
    let parameter = |p: &Parameter| json!({ "name": p.name, "default": defaults.get(p.name), "range": p.range, "purpose": p.purpose });
    json!({
        "name": info.name,
        "summary": info.summary,
        "selects": method.selects(),
        "classifies": method.classifies(),
        "number_by": (!info.number_by.is_empty()).then_some(info.number_by),
        "cost": info.cost,
        "reference": (!info.reference.is_empty()).then_some(info.reference),
        "parameters": info.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}
