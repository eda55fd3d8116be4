//! From the columns of a file to a table: roles of columns, and checks that every table must pass.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::{REPLACE, TO_LEAVE_OUT, same_name};
use crate::base::{Error, OptionName, Result, Text, counted, plural, text};
use crate::table::column::{Categories, Column, is_too_large, too_large};
use crate::table::read::memory_limits::check_texts;
use crate::table::target::check_target_weights;
use crate::table::target_cells::TargetCells;
use crate::table::target_rule;
use crate::table::{
    ComparedClasses, Covariate, IdColumn, ReadOptions, RowWeights, Study, Table, Target, Task, WeightKind, survival,
};
use std::collections::HashSet;

/// A column of text with more values than this is not a category.
pub(crate) const MOST_CATEGORIES: usize = 64;

/// The columns a reader found, by role.
#[derive(Debug, Default)]
pub(crate) struct TableParts {
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<Column>,
    pub(crate) labels: TargetCells,
    /// The column that makes the target survival times.
    pub(crate) events: Option<(String, Categories)>,
    pub(crate) ids: Vec<IdColumn>,
    pub(crate) weights: Option<(String, Vec<f64>)>,
    pub(crate) groups: Option<(String, Categories)>,
    pub(crate) covariates: Vec<Covariate>,
    pub(crate) blocks: Option<(String, Categories)>,
    pub(crate) notes: Vec<Note>,
    /// Whether no number is infinite, for certain.
    pub(crate) finite: bool,
    /// How many rows there are, where no feature is wanted that would tell.
    pub(crate) counted: Option<usize>,
    /// Whether each row is a sample, named by the header or a file of samples.
    pub(crate) rows_are_samples: bool,
}

/// The role of a column of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A feature.
    Feature,
    Target,
    Event,
    /// Position among the identifying columns.
    Id(usize),
    Weight,
    Group,
    Covariate,
    Block,
    /// Read for the number of its rows alone, where no feature is wanted.
    Counted,
    Skip,
}

/// Gives every column its role; a name that does not exist, or is asked for twice, is refused.
pub(crate) fn assign(names: &[String], options: &ReadOptions, place: &Place) -> Result<Vec<Role>> {
    if let Some(name) = crate::table::first_repeated(names) {
        if name.is_empty() {
            let remedy =
                "name every column; if the first lines are a title, delete them, so that the header comes first";
            return Err(Error::data(place.clone(), "several columns have no name", remedy));
        }
        return Err(same_name(name, place.clone()));
    }
    if options.target.is_empty() && options.only.is_none() && !options.no_target {
        return Err(Error::NoTarget { columns: names.to_vec() });
    }
    let mut roles = vec![Role::Feature; names.len()];
    let mut give = |option: OptionName, name: &str, role: Role| -> Result<()> {
        let at = position(names, name)?;
        if roles[at] != Role::Feature {
            return Err(Error::parameter(option, name, "another option names the same column; name it once"));
        }
        roles[at] = role;
        Ok(())
    };
    for name in &options.drop {
        give(OptionName::Drop, name, Role::Skip)?;
    }
    for (i, name) in options.ids.iter().enumerate() {
        give(OptionName::Id, name, Role::Id(i))?;
    }
    if let Some(name) = options.event.as_ref().filter(|name| options.only.is_none() || names.contains(name)) {
        give(OptionName::Event, name, Role::Event)?;
    }
    if let Some(name) = &options.weight {
        give(OptionName::Weight, name, Role::Weight)?;
    }
    if let Some(name) = &options.group {
        give(OptionName::Group, name, Role::Group)?;
    }
    for name in &options.covariates {
        give(OptionName::Covariate, name, Role::Covariate)?;
    }
    if let Some(name) = &options.block {
        give(OptionName::Block, name, Role::Block)?;
    }
    if !options.no_target && (options.only.is_none() || names.contains(&options.target)) {
        give(OptionName::Target, &options.target, Role::Target)?;
    }
    if let Some(only) = &options.only {
        leave_only(only, names, &mut roles)?;
    }
    for name in &options.keep {
        if roles[position(names, name)?] != Role::Feature {
            return Err(Error::parameter(OptionName::Keep, name, "it is not a feature"));
        }
    }
    Ok(roles)
}

/// Leaves out all features but these; where there are none, one column is kept to count rows by.
fn leave_only(only: &[String], names: &[String], roles: &mut [Role]) -> Result<()> {
    let wanted: HashSet<&str> = only.iter().map(String::as_str).collect();
    let others =
        names.iter().zip(roles.iter_mut()).filter(|(n, role)| **role == Role::Feature && !wanted.contains(n.as_str()));
    others.for_each(|(_, role)| *role = Role::Skip);
    if only.is_empty()
        && let Some(role) = roles.iter_mut().find(|role| **role == Role::Skip)
    {
        *role = Role::Counted;
    }
    let there: HashSet<&str> = names.iter().map(String::as_str).collect();
    if let Some(name) = only.iter().find(|name| !there.contains(name.as_str())) {
        position(names, name)?; // which refuses it
    }
    Ok(())
}

/// Says which columns are there beyond those that are wanted, where only some are.
pub(crate) fn left_out(names: &[String], options: &ReadOptions) -> Option<Note> {
    let wanted: HashSet<&str> = options.only.as_ref()?.iter().map(String::as_str).collect();
    let named = |name: &String| options.drop.contains(name) || options.ids.contains(name) || *name == options.target;
    let others: Vec<String> =
        names.iter().filter(|n| !n.is_empty() && !wanted.contains(n.as_str()) && !named(n)).cloned().collect();
    let text = format!("{} {} not used", counted(others.len(), "column"), plural(others.len(), "is", "are"));
    (!others.is_empty()).then(|| Note::about(NoteKind::ColumnsNotUsed, text, others))
}

/// The error of weights that are no numbers.
pub(crate) fn weights_of_text(place: Place) -> Error {
    Error::data(place, "the weights are text", "give numbers")
}

/// The error of a column of scores that is said to name rows.
pub(crate) fn numbers_as_names(name: &str) -> Error {
    Error::parameter(OptionName::Id, name, "it is a column of numbers that are used")
}

/// The remedy for a column of text with too many values.
pub(crate) fn row_names_or_drop(name: &str) -> Text {
    text!["pass ", OptionName::Id.set(name), " if it names the rows, or ", OptionName::Drop.set(name), TO_LEAVE_OUT]
}

/// Where the column of this name is.
pub(crate) fn position(names: &[String], name: &str) -> Result<usize> {
    names.iter().position(|n| n == name).ok_or_else(|| Error::Unknown {
        kind: "column",
        name: name.into(),
        known: names.to_vec(),
    })
}

/// The columns of a file that has types, the target among them.
#[derive(Debug, Default)]
pub(crate) struct TypedColumns {
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<Column>,
    /// Which columns the file declares as categories, however many levels they have; columns beyond its length are not.
    pub(crate) declared: Vec<bool>,
    /// Whether the reader has looked at every number and found none infinite.
    pub(crate) finite: bool,
    /// Whether each row is a sample, named by the header or a file of samples.
    pub(crate) rows_are_samples: bool,
}

/// A table from such columns. Text with more than 64 values is refused unless it identifies rows or is declared.
pub(crate) fn assemble(found: TypedColumns, options: &ReadOptions, place: &Place) -> Result<Table> {
    let TypedColumns { names, columns, declared, finite, rows_are_samples } = found;
    let roles = assign(&names, options, place)?;
    let mut parts = TableParts {
        finite,
        rows_are_samples,
        notes: left_out(&names, options).into_iter().collect(),
        ..TableParts::default()
    };
    for (at, ((name, role), column)) in names.into_iter().zip(roles).zip(columns).enumerate() {
        match role {
            Role::Skip => {}
            Role::Counted => parts.counted = Some(column.len()),
            Role::Target => match &column {
                Column::Numbers(values) if values.iter().any(|x| is_too_large(*x)) => {
                    let row = values.iter().position(|x| is_too_large(*x)).unwrap_or(0);
                    let place = place.clone().at_row(row as u64 + 1).at_column(name);
                    return Err(too_large("the target", values[row], place, REPLACE));
                }
                Column::Numbers(values) => values.iter().for_each(|x| parts.labels.push_number(*x)),
                Column::Categories(c) => parts.labels.push_categories(c),
            },
            Role::Id(_) => {
                let texts = (0..column.len()).map(|row| category(&column, row).map_or(0, str::len) as u128);
                check_texts(texts.sum(), options.expansion, place.clone().at_column(&name))?;
                let values = (0..column.len()).map(|row| column.text(row)).collect();
                parts.ids.push(IdColumn { name, values });
            }
            Role::Event => parts.events = Some((name, texts_of(&column))),
            Role::Group => parts.groups = Some((name, texts_of(&column))),
            Role::Block => parts.blocks = Some((name, texts_of(&column))),
            Role::Covariate => parts.covariates.push(Covariate { name, values: column }),
            Role::Weight => match column {
                Column::Numbers(weights) => parts.weights = Some((name, weights)),
                Column::Categories(_) => {
                    return Err(weights_of_text(place.clone().at_column(name)));
                }
            },
            Role::Feature => {
                if let Column::Categories(c) = &column
                    && c.labels().len() > MOST_CATEGORIES
                    && declared.get(at) != Some(&true)
                {
                    let problem = format!("it holds text with more than {MOST_CATEGORIES} distinct values");
                    let remedy = row_names_or_drop(&name);
                    return Err(Error::data(place.clone().at_column(name), problem, remedy));
                }
                parts.names.push(name);
                parts.columns.push(column);
            }
        }
    }
    parts.into_table(options, place)
}

/// The values of a column as categories, numbers by their text.
fn category(column: &Column, row: usize) -> Option<&str> {
    match column {
        Column::Categories(categories) => categories.get(row),
        Column::Numbers(_) => None,
    }
}

fn texts_of(column: &Column) -> Categories {
    Categories::of((0..column.len()).map(|row| (!column.is_missing(row)).then(|| column.text(row))))
}

impl TableParts {
    /// The table, with the target understood and everything checked.
    pub(crate) fn into_table(mut self, options: &ReadOptions, place: &Place) -> Result<Table> {
        if (options.only.is_some() || options.no_target) && self.labels.is_empty() {
            return self.without_target(options.weight_kind, place);
        }
        let (mut target, rule) = self.understand_target(options, place)?;
        let comparison = compare_as_requested(&mut target, options)?;
        self.notes.push(target_rule::note(&options.target, rule));
        if let Some(name) = self.row_counter() {
            let text = "a column that only numbers the rows is no feature and should be left out";
            self.notes.push(Note::about(NoteKind::RowNumbers, text, vec![name]));
        }
        let keep =
            options.keep.iter().map(|name| position(&self.names, name).map(|at| at as u32)).collect::<Result<_>>()?;
        let weights = self.weights.map(|(name, values)| (name, RowWeights { values, kind: options.weight_kind }));
        if let Some((name, weights)) = &weights {
            weights.check(&place.clone().at_column(name))?;
            check_target_weights(&target, &weights.rows(), &place.clone().at_column(name))?;
        }
        let study = Study {
            target_name: options.target.clone(),
            target,
            rule: None,
            event_name: self.events.map(|(name, _)| name),
            weights,
            groups: self.groups,
            covariates: self.covariates,
            blocks: self.blocks,
            comparison,
            keep,
            rows_are_samples: self.rows_are_samples,
            row_names: self.ids.first().map(|ids| ids.values.as_slice().into()),
            ..Study::default()
        };
        let study = match &options.model {
            None => study,
            Some(model) => study.with_model(model.clone())?,
        };
        study.check_design(place)?;
        self.notes.extend(study.notes());
        let table = Table { names: self.names.into(), columns: self.columns, study, ids: self.ids, notes: self.notes };
        table.check_shape(place)?;
        if !self.finite {
            table.check_finite(place)?;
        }
        table.check_target(place)?;
        Ok(table)
    }
}

/// Which classes are compared. The positive label of survival times names their event.
fn compare_as_requested(target: &mut Target, options: &ReadOptions) -> Result<ComparedClasses> {
    let mut wanted = options.comparison.clone();
    if let Target::Survival { .. } = target {
        wanted.positive = None;
    }
    target.compare(&wanted)
}

impl TableParts {
    /// The target, and in words what it is treated as.
    fn understand_target(&mut self, options: &ReadOptions, place: &Place) -> Result<(Target, Text)> {
        let labels = std::mem::take(&mut self.labels);
        let at_target = place.clone().at_column(&options.target);
        if let Some((name, events)) = &self.events {
            if let Some(task) = options.task {
                let given = if task == Task::Classes { "classes" } else { "real" };
                let expected = text!["the target is survival times; leave it out, or leave out ", OptionName::Event];
                return Err(Error::parameter(OptionName::Task, given, expected));
            }
            let at_events = place.clone().at_column(name);
            let events =
                survival::events_of(events, &options.missing, options.comparison.positive.as_deref(), &at_events)?;
            let target = survival::of_cells(labels, events, &at_target)?;
            return Ok((target, format!("survival times, with events in `{name}`").into()));
        }
        labels.into_target(options.task, &at_target)
    }

    /// A table whose rows have no target: nothing can be learned from it, only applied to it.
    fn without_target(self, kind: WeightKind, place: &Place) -> Result<Table> {
        let rows = self.columns.first().map(Column::len).or(self.counted).unwrap_or(0);
        let table = Table {
            names: self.names.into(),
            columns: self.columns,
            study: Study {
                weights: self.weights.map(|(name, values)| (name, RowWeights { values, kind })),
                groups: self.groups,
                covariates: self.covariates,
                ..Study::without_target(rows)
            },
            ids: self.ids,
            notes: self.notes,
        };
        if self.counted.is_none() {
            table.check_shape(place)?;
        }
        table.check_finite(place)?;
        Ok(table)
    }

    /// The name of a column that only counts the rows, if there is one.
    fn row_counter(&self) -> Option<String> {
        let counts = |x: &[f64]| {
            let first = x.first().copied().unwrap_or(f64::NAN);
            x.len() > 2 && x.iter().enumerate().all(|(i, x)| *x == first + i as f64)
        };
        self.names.iter().zip(&self.columns).find(|(_, c)| c.numbers().is_some_and(counts)).map(|(n, _)| n.clone())
    }
}
