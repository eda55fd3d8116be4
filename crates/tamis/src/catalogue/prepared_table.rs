//! A table as `snbl` and other selectors see it: counts normalised, one-hot columns joined.

use crate::base::{Context, Note, Result};
use crate::catalogue::Method;
use crate::selection::{Selection, Selector};
use crate::table::counts::{CountNormaliser, CountSettings};
use crate::table::{FeatureGroup, MergedColumns, Table, View, block_sums, merge_one_hot};
use std::sync::Arc;

/// A view with everything that is done to its values before a method selects.
pub struct PreparedTable<'a> {
    data: View<'a>,
    /// Counts of every block, summed.
    pooled: Option<Table>,
    normaliser: Option<CountNormaliser>,
    normalised: Option<Table>,
    merged: Option<MergedColumns>,
}

impl<'a> PreparedTable<'a> {
    /// Normalises counts, where the settings ask for it. Where rows of blocks are repeated, their counts are summed
    /// before.
    ///
    /// # Errors
    ///
    /// Features that are no counts, and settings that cannot be used.
    pub fn new(data: View<'a>, counts: &CountSettings) -> Result<Self> {
        let pooled = if counts.normalize.gives_log_counts() { block_sums(&data)? } else { None };
        let samples = pooled.as_ref().map_or_else(|| data.clone(), Table::view);
        let normaliser = counts.learn(&samples)?;
        let normalised = normaliser.as_ref().map(|normaliser| normaliser.apply(&samples)).transpose()?;
        Ok(PreparedTable { data, pooled, normaliser, normalised, merged: None })
    }

    /// The values before one-hot columns are joined.
    fn columns(&self) -> View<'_> {
        match (&self.normalised, &self.pooled) {
            (Some(table), _) | (None, Some(table)) => table.view(),
            (None, None) => self.data.clone(),
        }
    }

    /// The names of the columns, before one-hot columns are joined.
    pub fn names(&self) -> Arc<[String]> {
        Arc::clone(self.columns().columns().names())
    }

    /// Joins one-hot columns: those of the given groups, and those whose names and values show that they are.
    pub fn join_one_hot(&mut self, groups: &[FeatureGroup]) {
        self.merged = merge_one_hot(&self.columns(), groups);
    }

    /// The table that a method selects from.
    pub fn view(&self) -> View<'_> {
        self.merged.as_ref().map_or_else(|| self.columns(), |merged| merged.table.view())
    }

    /// Selects and, after `snbl`, looks again for what it does not see, if wanted.
    ///
    /// # Errors
    ///
    /// Those of the method.
    pub fn select(&self, method: &Method, second_look: bool, context: &mut Context) -> Result<Selection> {
        let view = self.view();
        let mut selection = method.select(&view, context)?;
        if second_look && matches!(method, Method::Snbl(_)) {
            selection.look_again(&view, context)?;
        }
        if let (Some(_), Some((blocks, _)), Some(design)) = (&self.pooled, self.data.blocks(), &mut selection.design) {
            design.blocks = Some(blocks.into());
        }
        Ok(selection)
    }

    /// Notes on what was done to counts; `None` where they were not normalised.
    pub fn notes_on_counts(&self) -> Option<Vec<Note>> {
        let normaliser = self.normaliser.as_ref()?;
        let pooled = self.pooled.iter().flat_map(Table::notes).cloned();
        Some(pooled.chain(normaliser.notes(&self.data)).collect())
    }

    /// The one-hot columns that were joined, if any were.
    pub fn merged(&self) -> Option<&MergedColumns> {
        self.merged.as_ref()
    }

    /// The columns of the selected features by their place in the table as it was given, in ascending order.
    ///
    /// # Errors
    ///
    /// A normaliser that does not know a column.
    pub fn selected_columns(&self, selection: &Selection) -> Result<Vec<u32>> {
        let columns = |feature: u32| match &self.merged {
            Some(merged) => merged.members[feature as usize].clone(),
            None => vec![feature],
        };
        let mut kept: Vec<u32> = selection.selected.iter().flat_map(|&feature| columns(feature)).collect();
        kept.sort_unstable();
        if let Some(normaliser) = &self.normaliser {
            let positions = normaliser.positions(&self.data)?;
            kept.iter_mut().for_each(|feature| *feature = positions[*feature as usize]);
        }
        Ok(kept)
    }
}
