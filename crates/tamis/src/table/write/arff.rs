//! Writing a table, quoted where it must be.

use crate::table::read::number;
use crate::table::write::{refuse_nul, write_number};
use crate::table::{Column, Format, Table, Target};
use std::borrow::Cow;
use std::io::{self, Write};

/// A text, quoted where it must be.
fn quote(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_-.+:/".contains(c);
    if text.chars().all(plain) && !number::is_missing(text.as_bytes(), &[]) {
        return text.into();
    }
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\'' | '"' | '\\' | '%' => quoted.extend(['\\', c]),
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted.into()
}

/// Writes the value of a row.
type WriteValue<'a> = Box<dyn Fn(usize, &mut dyn Write) -> io::Result<()> + 'a>;

/// A column to be written.
struct Written<'a> {
    name: &'a str,
    kind: String,
    value: WriteValue<'a>,
}

fn numbers<'a>(name: &'a str, values: &'a [f64]) -> Written<'a> {
    let value = |row: usize, out: &mut dyn Write| match values[row] {
        x if x.is_nan() => out.write_all(b"?"),
        x => write_number(out, x),
    };
    Written { name, kind: "numeric".into(), value: Box::new(value) }
}

fn categories<'a>(name: &'a str, labels: &'a [String], codes: &'a [u32]) -> Written<'a> {
    let quoted: Vec<Cow<'a, str>> = labels.iter().map(|label| quote(label)).collect();
    let kind = format!("{{{}}}", quoted.join(","));
    let value = move |row: usize, out: &mut dyn Write| {
        out.write_all(quoted.get(codes[row] as usize).map_or(b"?", |text| text.as_bytes()))
    };
    Written { name, kind, value: Box::new(value) }
}

/// A name for a column that has none, which an attribute must have; no other column is called so.
fn free_name(names: &[&str], wanted: &str) -> String {
    let mut name = wanted.to_string();
    while names.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Writes numbers as `numeric`, categories and classes as lists, row identifiers as `string`.
pub(crate) fn write(table: &Table, kept: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let mut columns: Vec<Written<'_>> = Vec::new();
    for id in table.ids() {
        let value = |row: usize, out: &mut dyn Write| {
            refuse_nul(&id.values[row], Format::Arff)?;
            out.write_all(quote(&id.values[row]).as_bytes())
        };
        columns.push(Written { name: &id.name, kind: "string".into(), value: Box::new(value) });
    }
    columns.extend(table.study.weights.iter().map(|(name, weights)| numbers(name, &weights.values)));
    columns.extend(table.study.groups.iter().map(|(name, groups)| categories(name, groups.labels(), groups.codes())));
    for &feature in kept {
        let name = &table.names()[feature as usize];
        columns.push(match &table.columns()[feature as usize] {
            Column::Numbers(values) => numbers(name, values),
            Column::Categories(c) => categories(name, c.labels(), c.codes()),
        });
    }
    if let (Some(name), Target::Survival { times, events }) = (&table.study.event_name, table.target()) {
        let value = |row: usize, out: &mut dyn Write| match times[row].is_nan() {
            true => out.write_all(b"?"),
            false => write!(out, "{}", u8::from(events[row])),
        };
        columns.push(Written { name, kind: "numeric".into(), value: Box::new(value) });
    }
    columns.push(match table.target() {
        Target::Real { values } | Target::Survival { times: values, .. } => numbers(table.target_name(), values),
        Target::Classes { labels, codes, .. } => categories(table.target_name(), labels, codes),
    });
    let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
    let unnamed = free_name(&names, if table.ids().is_empty() { "unnamed" } else { "row" });
    out.write_all(b"@relation tamis\n\n")?;
    for column in &columns {
        let name = if column.name.is_empty() { &unnamed } else { column.name };
        refuse_nul(name, Format::Arff)?;
        refuse_nul(&column.kind, Format::Arff)?;
        writeln!(out, "@attribute {} {}", quote(name), column.kind)?;
    }
    out.write_all(b"\n@data\n")?;
    for row in 0..table.n_rows() {
        for (i, column) in columns.iter().enumerate() {
            if i > 0 {
                out.write_all(b",")?;
            }
            (column.value)(row, out)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
