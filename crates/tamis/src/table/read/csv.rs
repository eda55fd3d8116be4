//! A table, or a column of scores, from delimited text; `records` says why it is read by hand.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, OptionName, Progress, Result};
use crate::table::column::Column;
use crate::table::read::ColumnChoice;
use crate::table::read::column_names::header;
use crate::table::read::column_roles::{Role, TableParts, assign, left_out, numbers_as_names, position};
use crate::table::read::named_samples::looks_transposed;
use crate::table::read::number;
use crate::table::read::records::Records;
use crate::table::read::rows::{CellKind, RowParser};
use crate::table::{Covariate, IdColumn, Input, ReadOptions, StatisticTable, Table};

pub(crate) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let mut records = Records::open(input, options.expansion, options.delimiter)?;
    let place = Place::file(records.name());
    let CsvHeader { names, roles, notes } = head(&mut records, options, &place, progress)?;
    let kinds = roles.iter().map(|role| match role {
        Role::Feature | Role::Covariate => CellKind::NumberOrText,
        Role::Weight => CellKind::Number,
        Role::Target => CellKind::Target,
        Role::Group | Role::Block => CellKind::Levels,
        Role::Id(_) | Role::Event | Role::Counted => CellKind::Words,
        Role::Skip => CellKind::Skip,
    });
    let mut rows = RowParser::new(&names, kinds.collect(), options.cells(), place.clone());
    rows.read(records, progress)?;

    let (columns, labels) = rows.finish()?;
    let mut parts = TableParts { labels, notes, ..TableParts::default() };
    for ((name, role), column) in names.into_iter().zip(roles).zip(columns) {
        match (role, column) {
            (Role::Feature, column) => {
                parts.names.push(name);
                parts.columns.push(column);
            }
            (Role::Id(_), Column::Categories(c)) => {
                let values = (0..c.codes().len()).map(|row| c.text(row).to_string()).collect();
                parts.ids.push(IdColumn { name, values });
            }
            (Role::Event, Column::Categories(c)) => parts.events = Some((name, c)),
            (Role::Group, Column::Categories(c)) => parts.groups = Some((name, c)),
            (Role::Block, Column::Categories(c)) => parts.blocks = Some((name, c)),
            (Role::Counted, column) => parts.counted = Some(column.len()),
            (Role::Covariate, values) => parts.covariates.push(Covariate { name, values }),
            (Role::Weight, Column::Numbers(weights)) => parts.weights = Some((name, weights)),
            _ => {}
        }
    }
    parts.into_table(options, &place)
}

/// The columns of a file: names, roles, and notes on how they were read.
pub(crate) struct CsvHeader {
    pub(crate) names: Vec<String>,
    pub(crate) roles: Vec<Role>,
    pub(crate) notes: Vec<Note>,
}

/// Reads the header, and looks at the first row for columns without a name.
pub(crate) fn head(
    records: &mut Records,
    options: &ReadOptions,
    place: &Place,
    progress: &mut dyn Progress,
) -> Result<CsvHeader> {
    let mut names = header(records, place, progress)?;
    let mut roles = match assign(&names, options, place) {
        Err(Error::Unknown { name, .. }) if name == options.target && !names.contains(&name) => {
            let first = records.ahead(progress)?;
            let hint = looks_transposed(&name, &names, &first, place);
            return Err(hint.unwrap_or(Error::Unknown { kind: "column", name, known: names }));
        }
        roles => roles?,
    };
    let mut notes: Vec<Note> = left_out(&names, options).into_iter().collect();
    if matches!(names[0].as_str(), "" | "Unnamed: 0") && roles[0] == Role::Feature && names.len() > 1 {
        roles[0] = Role::Id(options.ids.len());
        notes.push(Note::new(NoteKind::RowNames, "the first column has no name and is taken as row names"));
    }
    let ahead = records.ahead(progress)?;
    let ends_empty = ahead.last().is_some_and(|cell| cell.trim_ascii().is_empty());
    if ahead.len() == names.len() + 1 && ends_empty {
        names.push(String::new());
        roles.push(Role::Skip);
        notes.push(Note::new(NoteKind::RowNames, "every row ends with a delimiter; the empty last column is ignored"));
    } else if ahead.len() == names.len() + 1 {
        names.insert(0, String::new());
        roles.insert(0, if options.ids.is_empty() { Role::Id(0) } else { Role::Skip });
        notes.push(Note::new(NoteKind::RowNames, ROW_NAMES));
    } else if ends_empty && names.last().is_some_and(String::is_empty) && ahead.len() == names.len() {
        let last = names.len() - 1;
        roles[last] = Role::Skip; // a delimiter at the end of every line
    }
    Ok(CsvHeader { names, roles, notes })
}

const ROW_NAMES: &str = "every row has one field more than the header: the first is taken as row names";

/// Reads the columns of numbers that `choose` takes of the header, and what names the rows.
pub(crate) fn read_statistics(
    input: Input,
    options: &ReadOptions,
    choose: &ColumnChoice<'_>,
    progress: &mut dyn Progress,
) -> Result<StatisticTable> {
    let mut records = Records::open(input, options.expansion, options.delimiter)?;
    let place = Place::file(records.name());
    let mut names = header(&mut records, &place, progress)?;
    let chosen = choose(&names)?;
    let mut wanted = chosen.iter().map(|name| position(&names, name)).collect::<Result<Vec<usize>>>()?;
    let mut naming = options.ids.first().map(|name| position(&names, name)).transpose()?;
    if let Some(at) = naming.filter(|at| wanted.contains(at)) {
        return Err(numbers_as_names(&names[at]));
    }
    let mut notes = Vec::new();
    let ahead = records.ahead(progress)?;
    let text_first = ahead.first().is_some_and(|cell| number::whole(cell).is_none() && !cell.trim_ascii().is_empty());
    if ahead.len() == names.len() + 1 {
        names.insert(0, String::new());
        wanted.iter_mut().for_each(|at| *at += 1);
        naming = naming.map(|at| at + 1).or(Some(0));
        notes.push(Note::new(NoteKind::RowNames, ROW_NAMES));
    } else if naming.is_none() && !wanted.contains(&0) && (names[0].is_empty() || text_first) {
        naming = Some(0);
        let text = match names[0].as_str() {
            "" => "the features' names are taken from the first column, which has no name".into(),
            name => format!("the features' names are taken from the first column, `{name}`"),
        };
        notes.push(Note::new(NoteKind::RowNames, text));
    }
    let kind = |c: usize| match c {
        _ if wanted.contains(&c) => CellKind::Number,
        _ if naming == Some(c) => CellKind::Words,
        _ => CellKind::Skip,
    };
    let mut rows = RowParser::new(&names, (0..names.len()).map(kind).collect(), options.cells(), place);
    rows.read(records, progress)?;
    let (columns, _) = rows.finish()?;
    let numbers = |at: &usize| columns[*at].numbers().unwrap_or_default().to_vec(); // a `Number` column has them
    let columns_read: Vec<(String, Vec<f64>)> = chosen.into_iter().zip(wanted.iter().map(numbers)).collect();
    let names = match naming.map(|at| &columns[at]) {
        Some(Column::Categories(c)) => (0..c.codes().len()).map(|row| c.text(row).to_string()).collect(),
        _ => (1..=columns_read.first().map_or(0, |(_, x)| x.len())).map(|row| row.to_string()).collect(),
    };
    Ok(StatisticTable { names, columns: columns_read, notes })
}

/// The column of scores: the one that is named, or the only one.
pub fn score_column(names: &[String], wanted: &str) -> Result<usize> {
    if !wanted.is_empty() {
        return position(names, wanted);
    }
    match names {
        [_] => return Ok(0),
        [unnamed, _] if unnamed.is_empty() => return Ok(1), // names of rows
        _ => {}
    }
    let few: Vec<String> = names.iter().take(12).map(|n| format!("`{n}`")).collect();
    let more = if names.len() > few.len() { ", …" } else { "" };
    let expected =
        format!("the file has {} columns ({}{more}); say which holds the scores", names.len(), few.join(", "));
    Err(Error::parameter(OptionName::Column, "left out", expected))
}
