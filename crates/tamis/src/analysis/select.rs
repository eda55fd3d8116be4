//! Selecting from rows in memory.

use super::{Analysis, Caller, Data, Found};
use crate::base::{Context, Progress, Result};
use crate::catalogue::PreparedTable;
use crate::result::InputFacts;

impl Analysis {
    /// Prepares the rows, selects, looks again, asks what is needed, and orders the notes: on the rows, on columns that seem to describe them, on
    /// counts and groups, on the method.
    ///
    /// `snbl` reads values where they lie. Methods that read them many times get a copy by columns.
    ///
    /// # Errors
    ///
    /// What [`Analysis::check_selection`] refuses, values that cannot be prepared, and errors of the method.
    pub fn select(&self, data: &Data, progress: &mut dyn Progress) -> Result<Found> {
        let caller = Caller::of(progress);
        self.select_for(caller, data, progress)
    }

    /// [`Analysis::select`] for a caller that asked before the data were read.
    pub(super) fn select_for(&self, caller: Caller, data: &Data, progress: &mut dyn Progress) -> Result<Found> {
        self.check_selection()?;
        let copied = if self.method.takes_designs() { None } else { data.view.as_table()? };
        let view = copied.as_ref().map_or_else(|| data.view.clone(), |table| data.view.over(table));
        let method = self.preparation.method_for(&self.method, view.target());
        let table = PreparedTable::new(view, &self.preparation, Some(&method))?;
        let mut selection = table.select(&method, self.beside(), &mut Context::new(self.seed, progress))?;
        selection.reach(self.least_features);
        selection.notes.splice(0..0, data.all_notes().into_iter().chain(table.notes()));
        let facts = InputFacts::of(&data.name, data.view.target_name(), &table.view());
        Ok(Found::of_table(&table, selection, facts, self, caller))
    }
}
