//! What a selection found.

use super::{Analysis, Caller};
use crate::catalogue::PreparedTable;
use crate::merge::Answer;
use crate::result::{InputFacts, SampleValues, SelectionResult};
use crate::selection::Selection;

/// The answer of a selection.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let found: Found = Analysis::default().select(&Data::of_table("drawn", &table), &mut Silent)?;
/// assert_eq!(found.result.n_selected, found.selection.selected.len());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found {
    /// The document, in the words of the front end that asked.
    pub result: SelectionResult,
    /// The same as arrays.
    pub selection: Selection,
    /// The values of the selected features, where they were asked for and are at hand.
    pub values: Option<SampleValues>,
    /// The columns of the table that the selected features stand for, by position, ascending.
    pub columns: Vec<u32>,
    /// The columns of the table that each feature was made of, by position; none where features are the columns.
    pub members: Vec<Vec<u32>>,
    /// How many columns the table has.
    pub n_columns: usize,
}

impl Found {
    /// The answer of rows that are not at hand.
    pub fn without_rows(selection: Selection, facts: InputFacts, caller: Caller) -> Found {
        let result = caller.selection(SelectionResult::new(&selection, facts, 0.0));
        let mut columns = selection.selected.clone();
        columns.sort_unstable();
        let n_columns = selection.names.len();
        Found { result, selection, values: None, columns, members: vec![], n_columns }
    }

    /// The answer of summed rows, which the user calls `file`.
    pub fn of_answer(answer: Answer, file: impl Into<String>, caller: Caller) -> Found {
        let facts = InputFacts { file: file.into(), ..answer.facts };
        Found::without_rows(answer.selection, facts, caller)
    }

    /// The answer from a prepared table.
    pub(super) fn of_table(
        table: &PreparedTable,
        selection: Selection,
        facts: InputFacts,
        analysis: &Analysis,
        caller: Caller,
    ) -> Found {
        let result = SelectionResult::new(&selection, facts, 0.0)
            .with_columns(table.members(), &table.names())
            .with_feature_groups(&table.groups(), &selection);
        let result = caller.selection(result);
        let mut columns = table.columns_of(&selection.selected);
        columns.sort_unstable();
        let view = table.view();
        let values = if analysis.sample_values { SampleValues::of(&view, &selection) } else { None };
        let values = match analysis.working_set_curve {
            true => values.map(|values| values.with_working_set(&view, &selection)),
            false => values,
        };
        let members = table.columns_of_each();
        Found { result, selection, values, columns, members, n_columns: table.n_columns() }
    }
}
