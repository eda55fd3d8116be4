//! The columns that a fitted model asks of a table, by name.

use crate::base::{Error, OptionName, Place, Result, text};
use crate::table::{Column, View};
use std::borrow::Cow;
use std::collections::HashMap;

/// The columns of a view that have these names, in order.
///
/// Cost: one pass over the view's names.
pub(crate) fn columns<'v, S: AsRef<str>>(
    data: &View<'v>,
    names: impl IntoIterator<Item = S>,
) -> Result<Vec<Cow<'v, Column>>> {
    let places: HashMap<&str, usize> = data.names().iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
    let find = |name: S| match places.get(name.as_ref()) {
        Some(&at) => Ok(data.column(at)),
        None => Err(unknown_column(name.as_ref(), data)),
    };
    names.into_iter().map(find).collect()
}

/// The numbers of a column by this name; a column of categories is refused.
pub(crate) fn numbers<'v>(column: &'v Column, name: &str) -> Result<&'v [f64]> {
    column.numbers().ok_or_else(|| holds_categories(name))
}

/// The error of a column that a model needs and the data do not have.
pub(crate) fn unknown_column(name: &str, data: &View) -> Error {
    Error::Unknown { kind: "column of the model", name: name.into(), known: data.names().to_vec() }
}

pub(crate) fn holds_categories(name: &str) -> Error {
    let drop = OptionName::Drop.set(name);
    let remedy = text!["numbers are needed here; pass ", drop, ", or give it as columns of 0 and 1"];
    Error::data(Place::default().at_column(name), "it holds categories", remedy)
}
