//! From the columns of a file to a table: which column is what, and what every table must satisfy.

use super::column::{Categories, Column};
use super::rows::MOST_CATEGORIES;
use super::target::Labels;
use super::{IdColumn, ReadOptions, Table};
use crate::error::Place;
use crate::note::{Note, NoteKind};
use crate::{Error, Result};

/// What a reader found, roles assigned.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Column>,
    pub(super) labels: Labels,
    pub(super) ids: Vec<IdColumn>,
    pub(super) weights: Option<(String, Vec<f64>)>,
    pub(super) groups: Option<(String, Categories)>,
    pub(super) notes: Vec<Note>,
}

/// What a column of a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A feature.
    Feature,
    Target,
    /// Position among the identifying columns.
    Id(usize),
    Weight,
    Group,
    Skip,
}

/// Gives every column its role; a name that does not exist, or is asked for twice, is refused.
pub(super) fn assign(names: &[String], options: &ReadOptions, place: &Place) -> Result<Vec<Role>> {
    if let Some(name) = super::first_repeated(names) {
        let remedy = "rename one of them, so that a result can say which is meant";
        return Err(Error::data(place.clone(), format!("two columns are called `{name}`"), remedy));
    }
    let mut roles = vec![Role::Feature; names.len()];
    let mut give = |option: &'static str, name: &str, role: Role| -> Result<()> {
        let at = position(names, name)?;
        if roles[at] != Role::Feature {
            return Err(Error::parameter(option, name, "another option names the same column; name it once"));
        }
        roles[at] = role;
        Ok(())
    };
    for name in &options.drop {
        give("--drop", name, Role::Skip)?;
    }
    for (i, name) in options.ids.iter().enumerate() {
        give("--id", name, Role::Id(i))?;
    }
    if let Some(name) = &options.weight {
        give("--weight", name, Role::Weight)?;
    }
    if let Some(name) = &options.group {
        give("--group", name, Role::Group)?;
    }
    give("--target", &options.target, Role::Target)?;
    for name in &options.keep {
        if roles[position(names, name)?] != Role::Feature {
            return Err(Error::parameter("--keep", name, "it is not a feature"));
        }
    }
    Ok(roles)
}

/// Where the column of this name is.
pub(super) fn position(names: &[String], name: &str) -> Result<usize> {
    names.iter().position(|n| n == name).ok_or_else(|| Error::Unknown {
        kind: "column",
        name: name.into(),
        known: names.to_vec(),
    })
}

/// A table from a file whose columns have types: all of them, the target among them.
///
/// Text with more than 64 values is refused unless it identifies rows.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(super) fn assemble(
    names: Vec<String>,
    columns: Vec<Column>,
    options: &ReadOptions,
    place: &Place,
) -> Result<Table> {
    let roles = assign(&names, options, place)?;
    let mut parts = Parts::default();
    for ((name, role), column) in names.into_iter().zip(roles).zip(columns) {
        match role {
            Role::Skip => {}
            Role::Target => match &column {
                Column::Numbers(values) => values.iter().for_each(|x| parts.labels.push_number(*x)),
                Column::Categories(c) => (0..c.codes.len()).for_each(|row| parts.labels.push(c.get(row))),
            },
            Role::Id(_) => {
                let values = (0..column.len()).map(|row| column.text(row)).collect();
                parts.ids.push(IdColumn { name, values });
            }
            Role::Group => {
                let texts = (0..column.len()).map(|row| (!column.is_missing(row)).then(|| column.text(row)));
                parts.groups = Some((name, Categories::of(texts)));
            }
            Role::Weight => match column {
                Column::Numbers(weights) => parts.weights = Some((name, weights)),
                Column::Categories(_) => {
                    return Err(Error::data(place.clone().at_column(name), "the weights are text", "give numbers"));
                }
            },
            Role::Feature => {
                if let Column::Categories(c) = &column
                    && c.labels.len() > MOST_CATEGORIES
                {
                    let problem = format!("it holds text with more than {MOST_CATEGORIES} different values");
                    let remedy = format!("pass `--id {name}` if it names the rows, or `--drop {name}` to leave it out");
                    return Err(Error::data(place.clone().at_column(name), problem, remedy));
                }
                parts.names.push(name);
                parts.columns.push(column);
            }
        }
    }
    parts.into_table(options, place)
}

impl Parts {
    /// The table, with the target understood and everything checked.
    pub(super) fn into_table(mut self, options: &ReadOptions, place: &Place) -> Result<Table> {
        let (mut target, rule) = self.labels.into_target(options.task, &place.clone().at_column(&options.target))?;
        if let Some(label) = &options.positive {
            target = target.with_positive(label)?;
        }
        let rows = target.len();
        let labelled = target.labelled_rows().len();
        self.notes.push(Note::new(NoteKind::TargetRule, format!("target `{}` is taken as {rule}", options.target)));
        if labelled < rows {
            let text = format!("{} of {rows} rows have no target and are set aside", rows - labelled);
            self.notes.push(Note::new(NoteKind::MissingTarget, text));
        }
        let keep =
            options.keep.iter().map(|name| position(&self.names, name).map(|at| at as u32)).collect::<Result<_>>()?;
        if let Some((name, weights)) = &self.weights {
            check_weights(weights, &place.clone().at_column(name))?;
        }
        let table = Table {
            names: self.names.into(),
            columns: self.columns,
            target_name: options.target.clone(),
            target,
            ids: self.ids,
            weights: self.weights,
            groups: self.groups,
            keep,
            notes: self.notes,
        };
        table.check(place)?;
        Ok(table)
    }
}

/// Refuses weights that are missing, negative or infinite, or that sum to nothing.
pub(super) fn check_weights(weights: &[f64], place: &Place) -> Result<()> {
    if let Some(row) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
        let problem = if weights[row].is_nan() {
            "the weight is missing".into()
        } else {
            format!("the weight is {}", weights[row])
        };
        return Err(Error::data(
            place.clone().at_row(row as u64 + 1),
            problem,
            "a weight is a number that is 0 or more",
        ));
    }
    if weights.iter().sum::<f64>() <= 0.0 {
        return Err(Error::data(place.clone(), "the weights sum to nothing", "give some rows a positive weight"));
    }
    Ok(())
}
