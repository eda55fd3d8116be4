//! Delimited text in pieces of whole records that can be parsed independently.

use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::column::Column;
use crate::table::read::column_roles::Role;
use crate::table::read::csv;
use crate::table::read::csv::CsvHeader;
use crate::table::read::number::Decimal;
use crate::table::read::records::Records;
use crate::table::read::rows::{CellKind, RowParser};
use crate::table::read::text_buffer::TextPiece;
use crate::table::target_cells::TargetCells;
use crate::table::{Input, ReadOptions};

/// Bytes of a piece: small enough for many to be in memory, large enough to forget what a piece costs.
const SIZE: usize = 2 << 20;
/// Records of a piece at least, and bytes at most, where records are long.
const RECORDS: usize = 64;
const LARGEST: usize = 64 << 20;

/// A file being read in pieces.
pub(crate) struct Pieces {
    records: Records,
    /// Bytes of a piece; it depends on nothing but the file, so that the same pieces come whatever the machine.
    pub(crate) size: usize,
}

/// The layout of a file: names and kinds of its columns, needed to parse a piece.
pub(crate) struct Layout {
    names: Vec<String>,
    kinds: Vec<CellKind>,
    roles: Vec<Role>,
    missing: Vec<String>,
    decimal: Decimal,
    pub(crate) place: Place,
    delimiter: u8,
    /// Notes on how the file was read.
    pub(crate) notes: Vec<Note>,
}

/// Rows of a piece, by column.
pub(crate) struct ParsedPiece {
    pub(crate) rows: u64,
    /// The features, in the file's order.
    pub(crate) columns: Vec<Column>,
    pub(crate) labels: TargetCells,
    pub(crate) weights: Option<Vec<f64>>,
    /// The covariates, by their names.
    pub(crate) covariates: Vec<(String, Column)>,
}

/// The covariates in the order in which they were asked for.
pub(crate) fn in_wanted_order(mut found: Vec<(String, Column)>, wanted: &[String]) -> Vec<Column> {
    let at = |name: &String| wanted.iter().position(|wanted| wanted == name).unwrap_or(usize::MAX);
    found.sort_by_key(|(name, _)| at(name));
    found.into_iter().map(|(_, column)| column).collect()
}

/// Refuses survival times, whose risk sets need all rows at once, blocks, whose rows may be anywhere, and tables whose features or samples lie elsewhere.
pub(crate) fn refuse_events(options: &ReadOptions) -> Result<()> {
    if options.transpose || options.samples.is_some() {
        let option = if options.transpose { OptionName::Transpose } else { OptionName::Samples };
        let expected = text!["such tables are not read in pieces; give one file, and more ", OptionName::Memory];
        return Err(Error::parameter(option, "given", expected));
    }
    if let Some(model) = &options.model {
        let expected = text![
            "a model is not fitted in pieces; give one file, and more ",
            OptionName::Memory,
            ", or adjust for variables with ",
            OptionName::Covariate
        ];
        return Err(Error::parameter(OptionName::Formula, model.formula.text(), expected));
    }
    if let Some(name) = &options.block {
        let expected = text![
            "the rows of a block may lie in several pieces; give one file, and more ",
            OptionName::Memory,
            ", or adjust for few blocks as a factor with ",
            OptionName::Covariate
        ];
        return Err(Error::parameter(OptionName::Block, name, expected));
    }
    match &options.event {
        None => Ok(()),
        Some(name) => {
            let expected = text!["survival times are not read in pieces; give one file, and more ", OptionName::Memory];
            Err(Error::parameter(OptionName::Event, name, expected))
        }
    }
}

/// Opens a file and reads its header.
pub(crate) fn open(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<(Pieces, Layout)> {
    refuse_events(options)?;
    let mut records = Records::open(input, options.expansion, options.delimiter)?;
    let place = Place::file(records.name());
    let CsvHeader { names, roles, notes } = csv::head(&mut records, options, &place, progress)?;
    let kinds = roles.iter().map(|role| match role {
        Role::Feature | Role::Covariate => CellKind::NumberOrText,
        Role::Weight => CellKind::Number,
        Role::Target => CellKind::Target,
        Role::Id(_) | Role::Event | Role::Group | Role::Block | Role::Counted | Role::Skip => CellKind::Skip,
    });
    let kinds = kinds.collect();
    let first: usize = records.ahead(progress)?.iter().map(|field| field.len() + 1).sum();
    let size = first.saturating_mul(RECORDS).clamp(SIZE, LARGEST);
    let delimiter = records.delimiter;
    let (missing, decimal) = (options.missing.clone(), Decimal::of(options.decimal));
    Ok((Pieces { records, size }, Layout { names, kinds, roles, missing, decimal, place, delimiter, notes }))
}

impl Pieces {
    /// The next piece; `None` at the end. `room` is memory to use again.
    pub(crate) fn next(&mut self, room: Vec<u8>, progress: &mut dyn Progress) -> Result<Option<TextPiece>> {
        self.records.piece(self.size, room, progress)
    }

    /// How many rows there are, by those that have been seen; `None` where the file's size is not known.
    pub(crate) fn expected_rows(&self) -> Option<u64> {
        self.records.expected_rows()
    }
}

impl Layout {
    /// Parses no features from here on.
    pub(crate) fn leave_features_out(&mut self) {
        for (role, kind) in self.roles.iter_mut().zip(&mut self.kinds) {
            if *role == Role::Feature {
                (*role, *kind) = (Role::Skip, CellKind::Skip);
            }
        }
    }

    /// The features' names, in the file's order.
    pub(crate) fn features(&self) -> Vec<String> {
        let features = self.names.iter().zip(&self.roles).filter(|(_, role)| **role == Role::Feature);
        features.map(|(name, _)| name.clone()).collect()
    }

    /// Understands a piece, behind so many rows of the file.
    pub(crate) fn read(&self, piece: &TextPiece, before: u64) -> Result<ParsedPiece> {
        let mut rows =
            RowParser::new(&self.names, self.kinds.clone(), (&self.missing, self.decimal), self.place.clone());
        let count = rows.read_piece(piece.text(), self.delimiter, before)?;
        let (columns, labels) = rows.finish()?;
        let mut read = ParsedPiece { rows: count, columns: vec![], labels, weights: None, covariates: vec![] };
        for ((role, name), column) in self.roles.iter().zip(&self.names).zip(columns) {
            match (role, column) {
                (Role::Covariate, column) => read.covariates.push((name.clone(), column)),
                (Role::Feature, column) => read.columns.push(column),
                (Role::Weight, Column::Numbers(weights)) => read.weights = Some(weights),
                _ => {}
            }
        }
        Ok(read)
    }
}
