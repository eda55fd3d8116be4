//! A sheet of an `.xlsx` file as delimited text.

use super::{Dates, push_cell};
use crate::base::error::Place;
use crate::base::{Error, OptionName, Progress, Result, Text, text};
use crate::table::read::memory_limits::check_dense;
use crate::table::read::open::{raise_limit, read_failed};
use crate::table::read::zip::Archive;
use crate::table::{ExpansionLimit, Input, ReadOptions};
use calamine::{Data, Range, Reader, Xlsx};
use std::io::{self, Cursor};

/// The sheet that options name, or the only one with anything in it.
///
/// # Errors
///
/// Several sheets and none named; merged cells, dates, and formulas without a value or with an error, each with its cell.
pub(super) fn as_text(input: Input, options: &ReadOptions, dates: Dates, progress: &mut dyn Progress) -> Result<Input> {
    progress.step("reading", 0, 0)?;
    let name = input.name().to_string();
    let place = Place::file(&name);
    let bytes = input.bytes(options.expansion)?;
    check_expansion(&bytes, options, &name)?;
    let damaged =
        |e: &dyn std::fmt::Display| Error::read(&name, format!("it is not a spreadsheet that can be read ({e})"));
    let bytes_of_file = bytes.len() as u64;
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|e| damaged(&e))?;
    let mut sheets: Vec<(String, Range<Data>)> = vec![];
    for sheet in book.sheet_names() {
        if options.sheet.as_ref().is_none_or(|wanted| *wanted == sheet) {
            check_extent(&mut book, &sheet, bytes_of_file, options, &place)?;
            let range = book.worksheet_range(&sheet).map_err(|e| damaged(&e))?;
            sheets.push((sheet, range));
        }
    }
    if options.sheet.is_none() {
        sheets.retain(|(_, range)| !range.is_empty());
    }
    let (sheet, range) = match (sheets.len(), &options.sheet) {
        (0, Some(wanted)) => {
            return Err(Error::Unknown { kind: "sheet", name: wanted.clone(), known: book.sheet_names() });
        }
        (0, None) => return Err(Error::data(place, "the spreadsheet is empty", "give a table")),
        (1, _) => sheets.remove(0),
        (n, _) => {
            let names: Vec<String> = sheets.iter().map(|(name, _)| format!("`{name}`")).collect();
            let problem = format!("{n} sheets hold something: {}", names.join(", "));
            return Err(Error::data(place, problem, text!["name one with ", OptionName::Sheet]));
        }
    };
    let merged = book.merge_cells_by_sheet_name(&sheet).map_err(|e| damaged(&e))?;
    if let Some(region) = merged.first() {
        let problem = format!("cells {}:{} of sheet `{sheet}` are merged", cell(region.start), cell(region.end));
        let remedy = "unmerge them and give every column a name of its own; delete a title above the header";
        return Err(Error::data(place, problem, remedy));
    }
    let formulas = book.worksheet_formula(&sheet).map_err(|e| damaged(&e))?;
    let unused: Vec<&String> = options.drop.iter().chain(&options.ids).collect();
    let text = delimited(&range, &formulas, (&sheet, &place), |column| match dates {
        Dates::AsText => true,
        Dates::Refused => unused.iter().any(|name| *name == column),
    })?;
    Ok(Input::from_reader(Cursor::new(text.into_bytes()), name))
}

/// Refuses an archive whose members, together, expand beyond the limit.
fn check_expansion(bytes: &[u8], options: &ReadOptions, name: &str) -> Result<()> {
    let archive = Archive::new(bytes.to_vec()).map_err(|reason| Error::read(name, reason))?;
    let members: Vec<String> = archive.names().map(String::from).collect();
    let ExpansionLimit { bytes: most, ratio, .. } = options.expansion;
    let allowed = most.saturating_add(ratio.saturating_mul(bytes.len() as u64));
    let mut expanded = 0;
    for member in members {
        if let Some(mut content) = archive.open(&member, options.expansion) {
            expanded += io::copy(&mut content, &mut io::sink()).map_err(|e| read_failed(name.to_string(), e))?;
        }
        if expanded > allowed {
            let words = format!("its {} compressed bytes expand to more than {allowed} bytes", bytes.len());
            return Err(Error::read(name, raise_limit(words)));
        }
    }
    Ok(())
}

/// Refuses a sheet whose cells lie so far apart that the empty ones between them would fill the memory.
fn check_extent(
    book: &mut Xlsx<Cursor<Vec<u8>>>,
    sheet: &str,
    file_bytes: u64,
    options: &ReadOptions,
    place: &Place,
) -> Result<()> {
    // a sheet that cannot be read is refused where it is read
    let Ok(mut cells) = book.worksheet_cells_reader(sheet) else { return Ok(()) };
    let (mut first, mut last) = ((u32::MAX, u32::MAX), (0, 0));
    while let Ok(Some(cell)) = cells.next_cell() {
        let (row, column) = cell.get_position();
        first = (first.0.min(row), first.1.min(column));
        last = (last.0.max(row), last.1.max(column));
    }
    let size = |first: u32, last: u32| last.saturating_sub(first) as usize + 1;
    // a cell takes four times the memory of a number
    let extent = (4 * size(first.0, last.0), size(first.1, last.1));
    check_dense(extent, file_bytes, options.expansion, place)
}

/// The cells of a sheet as lines of text; dates only in columns that may have them.
fn delimited(
    range: &Range<Data>,
    formulas: &Range<String>,
    (sheet, place): (&str, &Place),
    may_have_dates: impl Fn(&str) -> bool,
) -> Result<String> {
    let start = range.start().unwrap_or_default();
    let header: Vec<String> = range.rows().next().unwrap_or_default().iter().map(ToString::to_string).collect();
    let mut text = String::new();
    for (r, row) in range.rows().enumerate() {
        let at = |c: usize| (start.0 + r as u32, start.1 + c as u32);
        for (c, data) in row.iter().enumerate() {
            if c > 0 {
                text.push(',');
            }
            let refuse = |problem: String, remedy: Text| {
                Err(Error::data(place.clone(), format!("cell {} of sheet `{sheet}` {problem}", cell(at(c))), remedy))
            };
            match data {
                Data::Empty => {
                    if formulas.get_value(at(c)).is_some_and(|formula| !formula.is_empty()) {
                        let remedy = "open the file in a spreadsheet program and save it, or save it as CSV";
                        return refuse("has a formula without a value".into(), remedy.into());
                    }
                }
                Data::Int(x) => text.push_str(&x.to_string()),
                Data::Float(x) => text.push_str(&x.to_string()),
                Data::Bool(x) => text.push_str(if *x { "true" } else { "false" }),
                Data::String(x) => push_cell(x, &mut text),
                Data::DateTime(_) | Data::DateTimeIso(_) | Data::DurationIso(_) if may_have_dates(&header[c]) => {
                    push_cell(&date(data), &mut text);
                }
                Data::DateTime(_) | Data::DateTimeIso(_) | Data::DurationIso(_) => {
                    let problem = format!("is a date or a time, {}", date(data));
                    let drop = OptionName::Drop.set(&header[c]);
                    return refuse(problem, text!["pass ", drop, ", or give a number, such as days since a start"]);
                }
                Data::Error(e) => {
                    return refuse(format!("is an error, {e}"), "correct the formula, or clear the cell".into());
                }
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// A date or a time as text: `2024-05-17`, with the time of the day where there is one.
fn date(data: &Data) -> String {
    match data {
        Data::DateTime(date) if date.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
            let time = if (hour, minute, second) == (0, 0, 0) {
                String::new()
            } else {
                format!(" {hour:02}:{minute:02}:{second:02}")
            };
            format!("{year:04}-{month:02}-{day:02}{time}")
        }
        other => other.to_string(),
    }
}

/// The name of a cell: `B3`.
fn cell((row, column): (u32, u32)) -> String {
    let mut letters = String::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    format!("{letters}{}", row + 1)
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn cells_have_the_names_that_spreadsheets_show() {
        assert_eq!(cell((0, 0)), "A1");
        assert_eq!(cell((2, 25)), "Z3");
        assert_eq!(cell((9, 26)), "AA10");
        assert_eq!(cell((0, 701)), "ZZ1");
        assert_eq!(cell((0, 702)), "AAA1");
    }
}
