//! Parquet and Arrow: files whose columns have types.
//!
//! Both come as batches of rows ([`parquet`], [`ipc`]) that are gathered into columns ([`columns_builder`]); columns
//! nobody asks for are never decoded. The libraries underneath may panic on damaged bytes: every call into them is
//! [`guarded`](read_plan::guarded).

mod arrow_pieces;
mod checked_pages;
mod columns_builder;
mod ipc;
mod parquet;
mod parquet_doubles;
mod read_plan;
mod row_group_reader;

pub(crate) use arrow_pieces::ArrowBatches;
pub(crate) use row_group_reader::RowGroupReader;

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::{REPLACE, REPLACE_OR_LEAVE};
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::column::{Column, is_too_large, too_large, too_large_words};
use crate::table::read::ColumnChoice;
use crate::table::read::column_roles::{
    Role, TypedColumns, assemble, assign, left_out, numbers_as_names, position, weights_of_text,
};
use crate::table::read::pieces::refuse_events;
use crate::table::target_cells::TargetCells;
use crate::table::{Format, Input, ReadOptions, StatisticTable, Table};
use arrow_schema::Fields;
use columns_builder::{ColumnsBuilder, ReadAs};
use read_plan::{ReadPlan, guarded, say_what_it_is};

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
            Role::Id(_) | Role::Group | Role::Block | Role::Counted => ReadAs::Words,
            Role::Feature | Role::Target | Role::Event | Role::Weight | Role::Covariate => ReadAs::Value,
        });
        Ok(kinds.collect())
    })?;
    options.drop.clear(); // they were never read
    let mut table = assemble(gathered.finish(&options.missing), &options, &place)?;
    table.notes.splice(0..0, notes);
    Ok(table)
}

/// Reads the columns of numbers that `choose` takes of the header, and the column that names the rows if there is one.
pub(crate) fn read_statistics(
    input: Input,
    format: Format,
    options: &ReadOptions,
    choose: &ColumnChoice<'_>,
    progress: &mut dyn Progress,
) -> Result<StatisticTable> {
    let place = Place::file(input.name());
    let mut found = (vec![], None);
    let mut notes = Vec::new();
    let gathered = read(input, format, options, progress, &mut |fields| {
        let names = names_of(fields);
        let chosen = choose(&names)?;
        let wanted = chosen.iter().map(|name| position(&names, name)).collect::<Result<Vec<usize>>>()?;
        let mut naming = options.ids.first().map(|name| position(&names, name)).transpose()?;
        if let Some(at) = naming.filter(|at| wanted.contains(at)) {
            return Err(numbers_as_names(&names[at]));
        }
        if naming.is_none() && !chosen.iter().any(|name| name == PANDAS_INDEX) {
            naming = names.iter().position(|name| name == PANDAS_INDEX);
            if naming.is_some() {
                let text = format!("column `{PANDAS_INDEX}` is taken as the features' names");
                notes.push(Note::new(NoteKind::RowNames, text));
            }
        }
        let kind = |at: usize| match at {
            _ if wanted.contains(&at) => ReadAs::Value,
            _ if naming == Some(at) => ReadAs::Words,
            _ => ReadAs::Skip,
        };
        let kinds = (0..names.len()).map(kind).collect();
        found = (chosen, naming.map(|at| names[at].clone()));
        Ok(kinds)
    })?;
    let TypedColumns { names, columns, .. } = gathered.finish(&options.missing);
    let (chosen, naming) = found;
    let mut read: Vec<(String, Vec<f64>)> = vec![];
    for name in chosen {
        let Column::Numbers(values) = &columns[position(&names, &name)?] else {
            let remedy = text!["name a column of numbers with ", OptionName::Column];
            return Err(Error::data(place.at_column(name), "it is text", remedy));
        };
        if let Some(row) = values.iter().position(|x| is_too_large(*x)) {
            let remedy = REPLACE_OR_LEAVE;
            let problem = format!("the value {}", too_large_words(values[row]));
            return Err(Error::data(place.at_row(row as u64 + 1).at_column(name), problem, remedy));
        }
        read.push((name, values.clone()));
    }
    let names = match naming {
        Some(name) => {
            let column = &columns[position(&names, &name)?];
            (0..column.len()).map(|row| column.text(row)).collect()
        }
        None => (1..=read.first().map_or(0, |(_, x)| x.len())).map(|row| row.to_string()).collect(),
    };
    Ok(StatisticTable { names, columns: read, notes })
}

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

/// The error of a file without a target.
fn no_target(place: Place) -> Error {
    Error::data(place, "it has no target", text!["name it with ", OptionName::Target])
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
            if let Some(row) = values.iter().position(|x| is_too_large(*x)) {
                let place = place.clone().at_row(before + row as u64 + 1).at_column(name);
                return Err(too_large("the target", values[row], place, REPLACE));
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
        Column::Categories(_) => Err(weights_of_text(place.clone().at_column(name))),
    }
}

fn names_of(fields: &Fields) -> Vec<String> {
    fields.iter().map(|field| field.name().clone()).collect()
}
