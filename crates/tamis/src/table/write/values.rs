//! Values as they are written: columns, the text of numbers, and what a format has no place for.

use crate::base::visible;
use crate::table::read::number;
use crate::table::{Column, Format, Table, Target};
use std::io::{self, Write};

/// A column to be written.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) values: Values<'a>,
}

/// The values of a column.
pub(crate) enum Values<'a> {
    Numbers(&'a [f64]),
    /// One text per row; `None` is missing.
    Text(Box<dyn Fn(usize) -> Option<String> + 'a>),
}

/// Writes the [text](number_text) of a number.
pub(crate) fn write_number(out: &mut dyn Write, x: f64) -> io::Result<()> {
    out.write_all(number_text(x).as_bytes())
}

/// The shortest text that reads back to the same bits; exponents keep extreme numbers short.
pub(crate) fn number_text(x: f64) -> String {
    if x != 0.0 && !(1e-5..1e16).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

/// Refuses values that a format cannot hold.
pub(crate) fn refuse<T>(format: Format, problem: impl std::fmt::Display) -> io::Result<T> {
    let text = format!("{problem}, which the format {format} has no place for; write CSV instead");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

/// Refuses a text with a NUL byte, which no reader of text takes.
pub(crate) fn refuse_nul(text: &str, format: Format) -> io::Result<()> {
    if !text.contains('\0') {
        return Ok(());
    }
    let problem =
        format!("`{}` holds a NUL byte, which the format {format} has no place for; rename it", visible(text));
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

/// The features `kept`, for a format that holds numbers and a target, nothing else.
pub(crate) fn only_numbers<'a>(table: &'a Table, kept: &[u32], format: Format) -> io::Result<Vec<&'a [f64]>> {
    let ids = table.ids().iter().map(|id| id.name.as_str());
    let weights = table.study.weights.iter().map(|(name, _)| name.as_str());
    let groups = table.study.groups.iter().map(|(name, _)| name.as_str());
    let events = table.study.event_name.iter().map(String::as_str);
    if let Some(name) = ids.chain(weights).chain(groups).chain(events).next() {
        return refuse(format, format!("the column `{name}` is neither a feature nor the target"));
    }
    let numbers = |&feature: &u32| match &table.columns()[feature as usize] {
        Column::Numbers(values) => Ok(values.as_slice()),
        Column::Categories(_) => refuse(format, format!("`{}` holds text", table.names()[feature as usize])),
    };
    kept.iter().map(numbers).collect()
}

/// The target as numbers, NaN where it is missing, for a format that holds nothing else.
pub(crate) fn target_numbers(target: &Target, format: Format) -> io::Result<Vec<f64>> {
    match target {
        Target::Real { values } | Target::Survival { times: values, .. } => Ok(values.clone()),
        Target::Classes { labels, codes, .. } => {
            let number = |label: &String| number::whole(label.as_bytes()).filter(|x| x.is_finite());
            let Some(numbers) = labels.iter().map(number).collect::<Option<Vec<f64>>>() else {
                let text = labels.iter().find(|label| number(label).is_none()).map_or("", String::as_str);
                return refuse(format, format!("the class `{text}` is not a number"));
            };
            Ok(codes.iter().map(|&code| numbers.get(code as usize).copied().unwrap_or(f64::NAN)).collect())
        }
    }
}
