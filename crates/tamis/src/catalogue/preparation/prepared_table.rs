//! A table as a selector sees it: counts summed and normalised, one-hot columns joined.

use super::{LearnedPreparation, Preparation, PreparedRows};
use crate::base::{Context, Error, Note, NoteKind, OptionName, Result, counted, text};
use crate::catalogue::Method;
use crate::selection::Selection;
use crate::table::counts::{CountNormaliser, CountSettings, looks_like_counts};
use crate::table::{BlockModel, FeatureGroup, MergedColumns, Table, View, block_sums, merge_one_hot};
use std::collections::HashMap;
use std::sync::Arc;

/// What is looked at beside the answer of a method, and never changes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beside {
    /// Relations that the method does not see.
    pub second_look: bool,
    /// Which of the named features are needed, given the others.
    pub needed: bool,
}

/// The rows of a view with everything that is done to their values before a method selects.
pub struct PreparedTable<'a> {
    data: View<'a>,
    /// Counts of every block, summed.
    pooled: Option<Table>,
    normaliser: Option<CountNormaliser>,
    normalised: Option<Table>,
    /// The place of every normalised column in the table as it was given.
    positions: Option<Vec<u32>>,
    /// Groups of the columns, by their positions before one-hot columns are joined.
    groups: Vec<FeatureGroup>,
    merged: Option<MergedColumns>,
    /// Whether somebody has said if features are counts.
    said: bool,
    notes: Vec<Note>,
}

impl<'a> PreparedTable<'a> {
    /// Prepares the rows of a view for a selector; `None` stands for all features, or a classifier that selects as it
    /// learns.
    ///
    /// Counts are normalised where the settings ask for it. For a method that takes designs, counts are summed before where
    /// rows of blocks are repeated, and one-hot columns are joined: those of groups, and those whose names and values show
    /// that they are. A sparse matrix keeps its columns.
    ///
    /// # Errors
    ///
    /// Features that are no counts, and settings that cannot be used.
    pub fn new(data: View<'a>, preparation: &Preparation, selector: Option<&Method>) -> Result<Self> {
        let designs = selector.is_some_and(Method::takes_designs);
        let counts = preparation.counts.as_ref().filter(|counts| counts.normalize.gives_log_counts());
        let blocks = selector.map_or(BlockModel::Auto, Method::block_model);
        if blocks != BlockModel::Auto && data.blocks().is_none() {
            let expected = text!["there are no blocks: pass ", OptionName::Block];
            return Err(Error::parameter("block_model", blocks, expected));
        }
        let pooled = if designs && counts.is_some() { block_sums(&data, blocks)? } else { None };
        let mut table = PreparedTable {
            data,
            pooled,
            normaliser: None,
            normalised: None,
            positions: None,
            groups: preparation.feature_groups.groups.clone(),
            merged: None,
            said: preparation.counts.is_some(),
            notes: vec![],
        };
        if let Some(counts) = counts {
            table.normalise(counts)?;
        }
        table.notes.extend(preparation.feature_groups.notes.iter().cloned());
        if designs && !table.data.is_sparse() {
            table.merged = merge_one_hot(&table.columns(), &table.groups);
            table.notes.extend(table.merged.as_ref().map(|merged| merged.note.clone()));
        }
        Ok(table)
    }

    fn normalise(&mut self, counts: &CountSettings) -> Result<()> {
        let samples = self.pooled.as_ref().map_or_else(|| self.data.clone(), Table::view);
        let Some(normaliser) = counts.learn(&samples)? else { return Ok(()) };
        self.normalised = Some(normaliser.apply(&samples)?);
        self.notes.extend(self.pooled.iter().flat_map(Table::notes).cloned());
        self.notes.extend(normaliser.notes(&self.data));
        let positions = normaliser.positions(&self.data)?;
        let places: HashMap<u32, u32> = positions.iter().copied().zip(0..).collect();
        for group in &mut self.groups {
            group.members = group.members.iter().filter_map(|member| places.get(member).copied()).collect();
        }
        let empty = self.groups.iter().filter(|group| group.members.is_empty());
        let empty: Vec<String> = empty.map(|group| group.name.clone()).collect();
        self.groups.retain(|group| !group.members.is_empty());
        if !empty.is_empty() {
            let text = format!("{} without a feature that has enough counts: left out", counted(empty.len(), "group"));
            self.notes.push(Note::about(NoteKind::FeatureGroups, text, empty));
        }
        self.positions = Some(positions);
        self.normaliser = Some(normaliser);
        Ok(())
    }

    /// The rows over a table that was made of them; of summed counts, the samples.
    fn over<'b>(&'b self, table: &'b Table) -> View<'b> {
        if self.pooled.is_some() { table.view() } else { self.data.over(table) }
    }

    /// The values before one-hot columns are joined.
    fn columns(&self) -> View<'_> {
        self.normalised.as_ref().map_or_else(|| self.data.clone(), |table| self.over(table))
    }

    /// The table that a method selects from.
    pub fn view(&self) -> View<'_> {
        self.merged.as_ref().map_or_else(|| self.columns(), |merged| self.over(&merged.table))
    }

    /// The names of the columns, before one-hot columns are joined.
    pub fn names(&self) -> Arc<[String]> {
        Arc::clone(self.columns().columns().names())
    }

    /// What was done; a suggestion where nobody has said whether features that look like counts are.
    pub fn notes(&self) -> Vec<Note> {
        let suggestion = if self.said { None } else { looks_like_counts(&self.view()) };
        suggestion.into_iter().chain(self.notes.iter().cloned()).collect()
    }

    /// The columns that each feature was made of, by their positions in [`PreparedTable::names`]; none where each is one.
    pub fn members(&self) -> &[Vec<u32>] {
        self.merged.as_ref().map_or(&[], |merged| &merged.members)
    }

    /// Where groups lie among the features.
    pub fn groups(&self) -> Vec<FeatureGroup> {
        self.merged.as_ref().map_or_else(|| self.groups.clone(), |merged| merged.groups(&self.groups))
    }

    /// Selects and, if wanted, looks again for what the method does not see, and asks which of the named features are
    /// needed.
    ///
    /// # Errors
    ///
    /// Those of the method.
    pub fn select(&self, method: &Method, beside: Beside, context: &mut Context) -> Result<Selection> {
        let view = self.view();
        let mut selection = method.select_with_sets(&view, &self.groups(), context)?;
        if beside.second_look {
            selection.look_again(&view, context)?;
        }
        if beside.needed {
            selection.ask_what_is_needed(&view, method, context)?;
        }
        selection.log_counts = self.normaliser.is_some();
        if let (Some(_), Some((blocks, _)), Some(design)) = (&self.pooled, self.data.blocks(), &mut selection.design) {
            design.blocks = Some(blocks.into());
        }
        Ok(selection)
    }

    /// The columns of every feature by their place in the table as it was given; none where features are its columns.
    pub fn columns_of_each(&self) -> Vec<Vec<u32>> {
        match (&self.merged, &self.positions) {
            (None, None) => vec![],
            _ => (0..self.view().n_features() as u32).map(|feature| self.columns_of(&[feature])).collect(),
        }
    }

    /// How many columns the table as it was given has.
    pub fn n_columns(&self) -> usize {
        self.data.n_features()
    }

    /// The columns of some features by their place in the table as it was given, in the order of the features.
    pub fn columns_of(&self, features: &[u32]) -> Vec<u32> {
        let members = |&feature: &u32| match self.members() {
            [] => vec![feature],
            members => members[feature as usize].clone(),
        };
        let given = |column: u32| self.positions.as_ref().map_or(column, |positions| positions[column as usize]);
        features.iter().flat_map(members).map(given).collect()
    }

    /// The rows as a classifier behind the selector sees them, and how others are prepared like them.
    ///
    /// # Errors
    ///
    /// Covariates that cannot be removed.
    pub(crate) fn rows(&self) -> Result<(LearnedPreparation, PreparedRows<'_>)> {
        let rows = match (&self.normaliser, &self.pooled) {
            (Some(normaliser), Some(_)) => PreparedRows::changed(&self.data, normaliser.apply(&self.data)?),
            _ => PreparedRows::given(self.columns()),
        };
        LearnedPreparation::learn(self.normaliser.clone(), rows)
    }
}
