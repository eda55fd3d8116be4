//! Parquet and Arrow: files whose columns have types.
//!
//! Both come as batches of rows ([`parquet`], [`ipc`]) that are gathered into columns ([`columns_builder`]); columns
//! nobody asks for are never decoded. The libraries underneath may panic on damaged bytes: every call into them is
//! [`guarded`].

mod arrow_batches;
mod checked_pages;
mod columns_builder;
mod ipc;
mod parquet;
mod parquet_doubles;
mod row_group_reader;

pub(crate) use arrow_batches::ArrowBatches;
pub(crate) use row_group_reader::RowGroupReader;

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::column::Column;
use crate::table::read::column_roles::{Role, TypedColumns, assemble, assign, left_out, position};
use crate::table::read::csv::score_column;
use crate::table::read::pieces::refuse_events;
use crate::table::target_cells::TargetCells;
use crate::table::{Format, Input, ReadOptions, ScoreColumn, Table};
use arrow_schema::Fields;
use columns_builder::{ColumnsBuilder, ReadAs};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The column pandas writes for row names that have no name.
const PANDAS_INDEX: &str = "__index_level_0__";

/// Reads a table; columns that are dropped may have any type.
pub(crate) fn read_table(
    input: Input,
    format: Format,
    options: &ReadOptions,
    progress: &mut dyn Progress,
) -> Result<Table> {
    let place = Place::file(input.name());
    let mut options = options.clone();
    let mut notes = Vec::new();
    let gathered = read(input, format, &options.clone(), progress, &mut |fields| {
        let names = names_of(fields);
        let at = names.iter().position(|name| name == PANDAS_INDEX);
        if let Some(at) = at
            && assign(&names, &options, &place)?[at] == Role::Feature
            && !options.keep.iter().any(|name| name == PANDAS_INDEX)
        {
            options.ids.push(PANDAS_INDEX.into());
            notes.push(Note::new(NoteKind::RowNames, format!("column `{PANDAS_INDEX}` is taken as row names")));
        }
        notes.extend(left_out(&names, &options));
        let kinds = assign(&names, &options, &place)?.into_iter().map(|role| match role {
            Role::Skip => ReadAs::Skip,
            Role::Id(_) | Role::Group | Role::Block => ReadAs::Words,
            Role::Feature | Role::Target | Role::Event | Role::Weight | Role::Covariate => ReadAs::Value,
        });
        Ok(kinds.collect())
    })?;
    options.drop.clear(); // they were never read
    let mut table = assemble(gathered.finish(&options.missing), &options, &place)?;
    table.notes.splice(0..0, notes);
    Ok(table)
}

/// Reads one column of scores, and the column that names its rows if there is one.
pub(crate) fn read_scores(
    input: Input,
    format: Format,
    options: &ReadOptions,
    progress: &mut dyn Progress,
) -> Result<ScoreColumn> {
    let place = Place::file(input.name());
    let mut wanted = None;
    let mut notes = Vec::new();
    let gathered = read(input, format, options, progress, &mut |fields| {
        let names = names_of(fields);
        let column = score_column(&names, &options.target)?;
        let mut naming = options.ids.first().map(|name| position(&names, name)).transpose()?;
        if naming == Some(column) {
            return Err(Error::parameter(OptionName::Id, &names[column], "it is the column of scores"));
        }
        if naming.is_none() && names[column] != PANDAS_INDEX {
            naming = names.iter().position(|name| name == PANDAS_INDEX);
            if naming.is_some() {
                let text = format!("column `{PANDAS_INDEX}` is taken as the features' names");
                notes.push(Note::new(NoteKind::RowNames, text));
            }
        }
        wanted = Some((names[column].clone(), naming.map(|at| names[at].clone())));
        let kind = |at: usize| match at {
            _ if at == column => ReadAs::Value,
            _ if naming == Some(at) => ReadAs::Words,
            _ => ReadAs::Skip,
        };
        Ok((0..names.len()).map(kind).collect())
    })?;
    let TypedColumns { names, columns, .. } = gathered.finish(&options.missing);
    let (score, naming) = wanted.unwrap_or_default();
    let scores = match &columns[position(&names, &score)?] {
        Column::Numbers(scores) => scores.clone(),
        Column::Categories(_) => {
            let remedy = text!["name a column of numbers with ", OptionName::Column];
            return Err(Error::data(place.at_column(score), "the scores are text", remedy));
        }
    };
    if let Some(row) = scores.iter().position(|x| x.is_infinite()) {
        let remedy = "replace it by a number, or leave it missing";
        return Err(Error::data(place.at_row(row as u64 + 1).at_column(score), "the value is infinite", remedy));
    }
    let names = match naming {
        Some(name) => {
            let column = &columns[position(&names, &name)?];
            (0..column.len()).map(|row| column.text(row)).collect()
        }
        None => (1..=scores.len()).map(|row| row.to_string()).collect(),
    };
    Ok(ScoreColumn { scores, names, notes })
}

/// The kind that every column of a file is read as.
type ReadPlan<'a> = dyn FnMut(&Fields) -> Result<Vec<ReadAs>> + 'a;

/// All columns that the plan asks for.
fn read(
    input: Input,
    format: Format,
    options: &ReadOptions,
    progress: &mut dyn Progress,
    plan: &mut ReadPlan<'_>,
) -> Result<ColumnsBuilder> {
    match format {
        Format::Arrow => ipc::read(input, options, progress, plan),
        _ => parquet::read(input, options, progress, plan),
    }
}

/// The role of every column of a file that is read in pieces, and notes on it.
fn roles_of(names: &[String], options: &ReadOptions, place: &Place) -> Result<(Vec<Role>, Vec<Note>)> {
    refuse_events(options)?;
    let mut roles = assign(names, options, place)?;
    let mut notes = vec![];
    if let Some(at) = names.iter().position(|name| name == PANDAS_INDEX)
        && roles[at] == Role::Feature
        && !options.keep.iter().any(|name| name == PANDAS_INDEX)
    {
        roles[at] = Role::Skip;
        notes.push(Note::new(NoteKind::RowNames, format!("column `{PANDAS_INDEX}` is taken as row names")));
    }
    Ok((roles, notes))
}

/// The target of some rows, behind so many of the file.
fn labels_of(column: &Column, name: &str, place: &Place, before: u64) -> Result<TargetCells> {
    let mut labels = TargetCells::default();
    match column {
        Column::Numbers(values) => {
            if let Some(row) = values.iter().position(|x| x.is_infinite()) {
                let place = place.clone().at_row(before + row as u64 + 1).at_column(name);
                return Err(Error::data(place, "the target is infinite", "replace it by a number"));
            }
            values.iter().for_each(|x| labels.push_number(*x));
        }
        Column::Categories(c) => labels.push_categories(c),
    }
    Ok(labels)
}

/// The weights of some rows.
fn weights_of(column: Column, name: &str, place: &Place) -> Result<Vec<f64>> {
    match column {
        Column::Numbers(weights) => Ok(weights),
        Column::Categories(_) => {
            let place = place.clone().at_column(name);
            Err(Error::data(place, "the weights are text", "give numbers"))
        }
    }
}

fn names_of(fields: &Fields) -> Vec<String> {
    fields.iter().map(|field| field.name().clone()).collect()
}

/// Calls into a library that may refuse or panic on a damaged file; both become an error that says so.
fn guarded<T, E: Display>(file: &str, work: impl FnOnce() -> Result<T, E>) -> Result<T> {
    let reason = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(e)) => format!("the file is damaged or uses something this build does not know ({e})"),
        Err(_) => "the file is damaged".into(),
    };
    Err(Error::read(file, format!("{reason}; write it again, or convert it to CSV")))
}
