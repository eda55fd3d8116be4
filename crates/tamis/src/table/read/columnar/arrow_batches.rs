//! Arrow in batches of rows.

use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::read::columnar::gather::{Gather, Kind};
use crate::table::read::columnar::ipc::Batches;
use crate::table::read::columnar::{labels_of, names_of, roles_of, weights_of};
use crate::table::read::parts::{Found, Role};
use crate::table::read::pieces::Read;
use crate::table::{Column, Input, ReadOptions};

/// An Arrow file or stream whose rows are read batch by batch.
pub(crate) struct Rows {
    batches: Batches,
    names: Vec<String>,
    roles: Vec<Role>,
    options: ReadOptions,
    pub(crate) place: Place,
    /// Notes on how the file was read.
    pub(crate) notes: Vec<Note>,
}

impl Rows {
    /// Opens a file and reads its schema.
    pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<Rows> {
        let batches = Batches::open(input, options)?;
        let place = batches.place();
        let names = names_of(batches.schema.fields());
        let (roles, notes) = roles_of(&names, options, &place)?;
        Ok(Rows { batches, names, roles, options: options.clone(), place, notes })
    }

    /// The features' names, in the file's order.
    pub(crate) fn features(&self) -> Vec<String> {
        let all = self.names.iter().zip(&self.roles);
        all.filter(|(_, role)| **role == Role::Feature).map(|(name, _)| name.clone()).collect()
    }

    /// The rows of the next batch, behind so many; `None` at the end.
    pub(crate) fn next(&mut self, before: u64, progress: &mut dyn Progress) -> Result<Option<Read>> {
        let kind = |role: &Role| match role {
            Role::Feature | Role::Target | Role::Weight => Kind::Value,
            Role::Id(_) | Role::Group | Role::Skip => Kind::Skip,
        };
        let kinds: Vec<Kind> = self.roles.iter().map(kind).collect();
        let fields = self.batches.schema.fields().clone();
        let mut gather = Gather::new(&fields, &kinds, self.options.expansion, &self.place)?;
        let Some(batch) = self.batches.next(&gather.wanted, &self.options, progress)? else { return Ok(None) };
        gather.push(&batch, self.batches.progress().0)?;
        let wanted = gather.wanted.clone();
        let Found { columns, .. } = gather.finish(&self.options.missing);
        let mut read =
            Read { rows: batch.num_rows() as u64, columns: vec![], labels: Default::default(), weights: None };
        let mut target: Option<Column> = None;
        for (at, column) in wanted.into_iter().zip(columns) {
            match self.roles[at] {
                Role::Target => target = Some(column),
                Role::Weight => read.weights = Some(weights_of(column, &self.names[at], &self.place)?),
                _ => read.columns.push(column),
            }
        }
        let no_target =
            || Error::data(self.place.clone(), "it has no target", text!["name it with ", OptionName::Target]);
        read.labels = labels_of(&target.ok_or_else(no_target)?, &self.options.target, &self.place, before)?;
        Ok(Some(read))
    }
}
