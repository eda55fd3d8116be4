//! Arrow in batches of rows.

use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::{Progress, Result};
use crate::table::read::column_roles::{Role, TypedColumns};
use crate::table::read::columnar::columns_builder::{ColumnsBuilder, ReadAs};
use crate::table::read::columnar::ipc::IpcReader;
use crate::table::read::columnar::{labels_of, names_of, no_target, roles_of, weights_of};
use crate::table::read::pieces::ParsedPiece;
use crate::table::{Column, Input, ReadOptions};

/// An Arrow file or stream whose rows are read batch by batch.
pub(crate) struct ArrowBatches {
    batches: IpcReader,
    names: Vec<String>,
    roles: Vec<Role>,
    options: ReadOptions,
    pub(crate) place: Place,
    /// Notes on how the file was read.
    pub(crate) notes: Vec<Note>,
}

impl ArrowBatches {
    /// Opens a file and reads its schema.
    pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<ArrowBatches> {
        let batches = IpcReader::open(input, options)?;
        let place = batches.place();
        let names = names_of(batches.schema.fields());
        let (roles, notes) = roles_of(&names, options, &place)?;
        Ok(ArrowBatches { batches, names, roles, options: options.clone(), place, notes })
    }

    /// The features' names, in the file's order.
    pub(crate) fn features(&self) -> Vec<String> {
        let all = self.names.iter().zip(&self.roles);
        all.filter(|(_, role)| **role == Role::Feature).map(|(name, _)| name.clone()).collect()
    }

    /// The rows of the next batch, behind so many; `None` at the end.
    pub(crate) fn next(&mut self, before: u64, progress: &mut dyn Progress) -> Result<Option<ParsedPiece>> {
        let kind = |role: &Role| match role {
            Role::Feature | Role::Target | Role::Weight | Role::Covariate => ReadAs::Value,
            Role::Id(_) | Role::Event | Role::Group | Role::Block | Role::Counted | Role::Skip => ReadAs::Skip,
        };
        let kinds: Vec<ReadAs> = self.roles.iter().map(kind).collect();
        let fields = self.batches.schema.fields().clone();
        let mut builder = ColumnsBuilder::new(&fields, &kinds, self.options.expansion, &self.place)?;
        let Some(batch) = self.batches.next(&builder.wanted, &self.options, progress)? else { return Ok(None) };
        builder.push(&batch, self.batches.progress().0)?;
        let wanted = builder.wanted.clone();
        let TypedColumns { columns, .. } = builder.finish(&self.options.missing);
        let mut read = ParsedPiece {
            rows: batch.num_rows() as u64,
            columns: vec![],
            labels: Default::default(),
            weights: None,
            covariates: vec![],
        };
        let mut target: Option<Column> = None;
        for (at, column) in wanted.into_iter().zip(columns) {
            match self.roles[at] {
                Role::Target => target = Some(column),
                Role::Covariate => read.covariates.push((self.names[at].clone(), column)),
                Role::Weight => read.weights = Some(weights_of(column, &self.names[at], &self.place)?),
                _ => read.columns.push(column),
            }
        }
        let no_target = || no_target(self.place.clone());
        read.labels = labels_of(&target.ok_or_else(no_target)?, &self.options.target, &self.place, before)?;
        Ok(Some(read))
    }
}
