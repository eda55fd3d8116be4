//! A sheet of an `.xlsx` file as delimited text.

use super::cells::{Dates, push_cell};
use super::declared_texts::DeclaredTexts;
use crate::base::error::Place;
use crate::base::{Error, OptionName, Progress, Result, Text, text};
use crate::table::read::memory_limits::check_dense;
use crate::table::read::open::{ExpansionExceeded, raise_limit, read_failed};
use crate::table::read::zip::{Archive, ArchiveWriter};
use crate::table::{Input, ReadOptions};
use calamine::{Data, DataRef, Range, Reader, Xlsx, XlsxError};
use std::collections::HashSet;
use std::io::{Cursor, Read, Write};

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
    let bytes_of_file = bytes.len() as u64;
    let bytes = checked_archive(bytes, options, &place)?;
    let damaged =
        |e: &dyn std::fmt::Display| Error::read(&name, format!("it is not a spreadsheet that can be read ({e})"));
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|e| damaged(&e))?;
    let (sheet, without_value) = chosen_sheet(&mut book, bytes_of_file, options, &place)?;
    let range = book.worksheet_range(&sheet).map_err(|e| damaged(&e))?;
    let merged = book.merge_cells_by_sheet_name(&sheet).map_err(|e| damaged(&e))?;
    if let Some(region) = merged.first() {
        let problem = format!("cells {}:{} of sheet `{sheet}` are merged", cell(region.start), cell(region.end));
        let remedy = "unmerge them and give every column a name of its own; delete a title above the header";
        return Err(Error::data(place, problem, remedy));
    }
    if let Some(at) = without_value {
        let problem = format!("cell {} of sheet `{sheet}` has a formula without a value", cell(at));
        let remedy = "open the file in a spreadsheet program and save it, or save it as CSV";
        return Err(Error::data(place, problem, remedy));
    }
    let unused: Vec<&String> = options.drop.iter().chain(&options.ids).collect();
    let text = delimited(&range, (&sheet, &place), |column| match dates {
        Dates::AsText => true,
        Dates::Refused => unused.iter().any(|name| *name == column),
    })?;
    Ok(Input::from_reader(Cursor::new(text.into_bytes()), name))
}

/// The archive written anew, its members as they were counted: another reader of the same bytes may see another directory.
///
/// # Errors
///
/// Members that, together, expand beyond the limit; two of one name; more texts declared than the bytes can hold.
fn checked_archive(bytes: Vec<u8>, options: &ReadOptions, place: &Place) -> Result<Vec<u8>> {
    const MOST_MEMBERS: usize = 10_000;
    let (name, compressed) = (place.file.clone().unwrap_or_default(), bytes.len() as u64);
    let archive = Archive::new(bytes).map_err(|reason| Error::read(&name, reason))?;
    let allowed = options.expansion.of_file(compressed);
    let refuse = |problem: String| Err(Error::data(place.clone(), problem, "save the sheet again, or as CSV"));
    let (mut out, mut expanded, mut declared) = (Vec::new(), 0, DeclaredTexts::default());
    let mut writer = ArchiveWriter::new(&mut out);
    let mut names = HashSet::new();
    for (member, content) in archive.contents(options.expansion) {
        if !names.insert(member) || names.len() > MOST_MEMBERS {
            return refuse(format!("its archive has more than {MOST_MEMBERS} parts, or two called `{member}`"));
        }
        let mut part = Vec::new();
        let left = allowed.saturating_sub(expanded);
        content.take(left.saturating_add(1)).read_to_end(&mut part).map_err(|e| read_failed(name.clone(), e))?;
        expanded += part.len() as u64;
        if expanded > allowed {
            let exceeded = ExpansionExceeded { compressed, allowed };
            return Err(Error::read(&name, raise_limit(exceeded.to_string())));
        }
        let written = declared.write_all(&part).and_then(|()| writer.add(member, &|out| out.write_all(&part)));
        written.map_err(|e| read_failed(name.clone(), e))?;
    }
    writer.finish().map_err(|e| read_failed(name.clone(), e))?;
    // a text takes more than four bytes
    if declared.largest > expanded / 4 {
        return refuse(format!("it declares {} texts in {expanded} bytes", declared.largest));
    }
    Ok(out)
}

/// The sheet that options name, or the only one with anything in it, and its first formula without a value.
fn chosen_sheet(
    book: &mut Xlsx<Cursor<Vec<u8>>>,
    file_bytes: u64,
    options: &ReadOptions,
    place: &Place,
) -> Result<(String, Option<(u32, u32)>)> {
    const MOST_SHEETS: usize = 100;
    let known = book.sheet_names();
    if let Some(wanted) = &options.sheet {
        if !known.contains(wanted) {
            return Err(Error::Unknown { kind: "sheet", name: wanted.clone(), known });
        }
        let cells = check_cells(book, wanted, file_bytes, options, place)?;
        return Ok((wanted.clone(), cells.without_value));
    }
    let name_one =
        |problem: String| Err(Error::data(place.clone(), problem, text!["name one with ", OptionName::Sheet]));
    if known.len() > MOST_SHEETS {
        return name_one(format!("it has {} sheets", known.len())); // all of them would be read
    }
    let mut filled = vec![];
    for sheet in known {
        let cells = check_cells(book, &sheet, file_bytes, options, place)?;
        if cells.any {
            filled.push((sheet, cells.without_value));
        }
    }
    match filled.len() {
        0 => Err(Error::data(place.clone(), "the spreadsheet is empty", "give a table")),
        1 => Ok(filled.remove(0)),
        n => {
            let names: Vec<String> = filled.iter().map(|(name, _)| format!("`{name}`")).collect();
            name_one(format!("{n} sheets hold something: {}", names.join(", ")))
        }
    }
}

/// What is known of a sheet before its cells are kept.
#[derive(Default)]
struct Cells {
    /// There is a value or a formula.
    any: bool,
    /// The first formula without a value.
    without_value: Option<(u32, u32)>,
}

/// Looks at the cells of a sheet before they are kept.
///
/// # Errors
///
/// Cells that lie so far apart that the empty ones between them would fill the memory; texts that do, since many cells can
/// share one.
fn check_cells(
    book: &mut Xlsx<Cursor<Vec<u8>>>,
    sheet: &str,
    file_bytes: u64,
    options: &ReadOptions,
    place: &Place,
) -> Result<Cells> {
    let mut cells = match book.worksheet_cells_reader(sheet) {
        Ok(cells) => cells,
        Err(XlsxError::NotAWorksheet(_)) => return Ok(Cells::default()), // a sheet of a chart
        // a sheet that cannot be read is refused where it is read
        Err(_) => return Ok(Cells { any: true, without_value: None }),
    };
    let (mut first, mut last) = ((u32::MAX, u32::MAX), (0, 0));
    let (mut text_bytes, mut found) = (0_u64, Cells::default());
    loop {
        let Ok(next) = cells.next_cell_with_formula_metadata() else {
            found.any = true;
            break;
        };
        let Some(cell) = next else { break };
        let (row, column) = cell.pos;
        first = (first.0.min(row), first.1.min(column));
        last = (last.0.max(row), last.1.max(column));
        found.any |= cell.value != DataRef::Empty || cell.formula.is_some();
        match cell.value {
            DataRef::SharedString(text) => text_bytes += text.len() as u64,
            DataRef::String(text) => text_bytes += text.len() as u64,
            DataRef::Empty if cell.formula.is_some() => found.without_value = found.without_value.or(Some(cell.pos)),
            _ => {}
        }
    }
    let allowed = options.expansion.of_file(file_bytes);
    if text_bytes > allowed {
        let words = format!("the texts of sheet `{sheet}` take more than {allowed} bytes");
        return Err(Error::read(place.file.clone().unwrap_or_default(), raise_limit(words)));
    }
    let size = |first: u32, last: u32| last.saturating_sub(first) as usize + 1;
    // a cell takes four times the memory of a number
    let extent = (4 * size(first.0, last.0), size(first.1, last.1));
    check_dense(extent, file_bytes, options.expansion, place)?;
    Ok(found)
}

/// The cells of a sheet as lines of text; dates only in columns that may have them.
fn delimited(
    range: &Range<Data>,
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
                Data::Empty => {}
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
