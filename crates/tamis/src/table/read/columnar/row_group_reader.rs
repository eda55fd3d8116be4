//! Parquet in row groups, one column of one group at a time.

use crate::base::error::Place;
use crate::base::note::Note;
use crate::base::{Error, Result};
use crate::table::read::column_roles::{Role, TypedColumns};
use crate::table::read::columnar::columns_builder::{ColumnsBuilder, ReadAs};
use crate::table::read::columnar::parquet::{RowGroup, in_memory, plain};
use crate::table::read::columnar::{
    guarded, labels_of, names_of, no_target, parquet, parquet_doubles, roles_of, weights_of,
};
use crate::table::target_cells::TargetCells;
use crate::table::{Column, Input, ReadOptions};
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use ::parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::schema::types::SchemaDescPtr;
use arrow_schema::{FieldRef, Fields};
use bytes::Bytes;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

/// Rows decoded at a time where a column is not plain doubles.
const ROWS: usize = 1 << 15;

/// A Parquet file whose columns are read one by one, by several threads if need be.
pub(crate) struct RowGroupReader {
    file: Arc<SharedFile>,
    metadata: Arc<ParquetMetaData>,
    schema: SchemaDescPtr,
    fields: Vec<FieldRef>,
    /// Where the features, the covariates, the target and the weights are among the fields.
    features: Vec<usize>,
    covariates: Vec<usize>,
    target: usize,
    weight: Option<usize>,
    /// The one leaf of a field, unless it is nested.
    leaves: Vec<Option<usize>>,
    options: ReadOptions,
    pub(crate) place: Place,
    /// Notes on how the file was read.
    pub(crate) notes: Vec<Note>,
}

impl RowGroupReader {
    /// Opens a file and reads its footer.
    pub(crate) fn open(input: Input, options: &ReadOptions) -> Result<RowGroupReader> {
        let name = input.name().to_string();
        let file = match input.file().and_then(plain) {
            Some(file) => {
                let length = Length::len(&file);
                SharedFile::File { file: Arc::new(Mutex::new(file)), length }
            }
            None => SharedFile::Memory(in_memory(input, options.expansion)?),
        };
        let place = Place::file(&name);
        let metadata = guarded(&name, || ParquetMetaDataReader::new().parse_and_finish(&file))?;
        let schema = metadata.file_metadata().schema_descr_ptr();
        let arrow = guarded(&name, || parquet_to_arrow_schema(&schema, None))?;
        let names = names_of(arrow.fields());
        let (roles, notes) = roles_of(&names, options, &place)?;
        let of = |wanted: Role| roles.iter().enumerate().filter(move |(_, role)| **role == wanted).map(|(at, _)| at);
        let features: Vec<usize> = of(Role::Feature).collect();
        let target = of(Role::Target).next().ok_or_else(|| no_target(place.clone()))?;
        let weight = of(Role::Weight).next();
        let covariates: Vec<usize> =
            options.covariates.iter().filter_map(|name| names.iter().position(|found| found == name)).collect();
        let wanted = features.iter().copied().chain([target]).chain(weight).chain(covariates.iter().copied());
        parquet::check_codecs(&metadata, &ProjectionMask::roots(&schema, wanted), &place)?;
        let leaves = parquet::single_leaves(&schema);
        let fields = arrow.fields().iter().cloned().collect();
        let (file, metadata, options) = (Arc::new(file), Arc::new(metadata), options.clone());
        Ok(RowGroupReader {
            file,
            metadata,
            schema,
            fields,
            features,
            covariates,
            target,
            weight,
            leaves,
            options,
            place,
            notes,
        })
    }

    /// The features' names, in the file's order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.features.iter().map(|&at| self.fields[at].name().clone()).collect()
    }

    /// How many row groups there are.
    pub(crate) fn count(&self) -> usize {
        self.metadata.num_row_groups()
    }

    /// How many rows a group has, or claims to have.
    pub(crate) fn n_rows(&self, group: usize) -> u64 {
        u64::try_from(self.metadata.row_group(group).num_rows()).unwrap_or(0)
    }

    /// How many bytes of the file a group takes.
    pub(crate) fn bytes(&self, group: usize) -> u64 {
        u64::try_from(self.metadata.row_group(group).compressed_size()).unwrap_or(0)
    }

    /// The target of a group's rows.
    pub(crate) fn target(&self, group: usize, before: u64) -> Result<TargetCells> {
        labels_of(&self.column(group, self.target)?, &self.options.target, &self.place, before)
    }

    /// The weights of a group's rows.
    pub(crate) fn weights(&self, group: usize) -> Result<Option<Vec<f64>>> {
        let Some(at) = self.weight else { return Ok(None) };
        weights_of(self.column(group, at)?, self.fields[at].name(), &self.place).map(Some)
    }

    /// The covariates of a group's rows, in the order in which they were asked for.
    pub(crate) fn covariates(&self, group: usize) -> Result<Vec<Column>> {
        self.covariates.iter().map(|&at| self.column(group, at)).collect()
    }

    /// A feature of a group's rows, by its position in [`RowGroupReader::names`].
    pub(crate) fn feature(&self, group: usize, at: usize) -> Result<Column> {
        self.column(group, self.features[at])
    }

    fn column(&self, group: usize, field: usize) -> Result<Column> {
        let name = self.place.file.clone().unwrap_or_default();
        let rows = usize::try_from(self.n_rows(group)).unwrap_or(usize::MAX);
        let group = RowGroup { file: Arc::clone(&self.file), metadata: Arc::clone(&self.metadata), at: group };
        let fields = Fields::from(vec![Arc::clone(&self.fields[field])]);
        let mut builder = ColumnsBuilder::new(&fields, &[ReadAs::Value], self.options.expansion, &self.place)?;
        builder.check_size(rows as u64, self.file.len())?;
        let leaf = self.leaves[field].filter(|&leaf| parquet::is_flat_double(&self.schema, leaf));
        match (leaf, builder.numbers(0)) {
            (Some(leaf), Some(values)) => {
                values.reserve_exact(rows);
                guarded(&name, || parquet_doubles::append(self.schema.column(leaf), group.pages(leaf)?, rows, values))?;
            }
            _ => {
                let mask = ProjectionMask::roots(&self.schema, [field]);
                let views = parquet::with_views(&self.fields);
                let levels = guarded(&name, || parquet_to_arrow_field_levels(&self.schema, mask, Some(&views)))?;
                let reader = || ParquetRecordBatchReader::try_new_with_row_groups(&levels, &group, ROWS, None);
                let mut batches = guarded(&name, reader)?;
                while let Some(batch) = guarded(&name, || batches.next().transpose())? {
                    builder.push_some(&[0], &batch)?;
                }
            }
        }
        builder.finish_rows(rows as u64)?;
        let TypedColumns { mut columns, .. } = builder.finish(&self.options.missing);
        columns.pop().ok_or_else(|| Error::read(name, "a column is missing; write it again"))
    }
}

/// A file that several threads read from: handles of one file share their position, so that each read is one step.
pub(crate) enum SharedFile {
    File { file: Arc<Mutex<File>>, length: u64 },
    Memory(Bytes),
}

/// A place in a shared file.
pub(crate) struct SharedFileReader {
    file: Arc<Mutex<File>>,
    at: u64,
}

impl Read for SharedFileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().map_err(|_| io::Error::other("another thread failed"))?;
        file.seek(SeekFrom::Start(self.at))?;
        let n = file.read(buffer)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        match self {
            SharedFile::File { length, .. } => *length,
            SharedFile::Memory(bytes) => bytes.len() as u64,
        }
    }
}

impl ChunkReader for SharedFile {
    type T = Box<dyn Read + Send>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            SharedFile::File { file, .. } => {
                Box::new(BufReader::new(SharedFileReader { file: Arc::clone(file), at: start }))
            }
            SharedFile::Memory(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let file = match self {
            SharedFile::Memory(bytes) => return bytes.get_bytes(start, length),
            SharedFile::File { file, .. } => file,
        };
        let mut bytes = Vec::new();
        let mut file = file.lock().map_err(|_| ParquetError::General("another thread failed".into()))?;
        file.seek(SeekFrom::Start(start))?;
        let wanted = (length as u64).min(self.len().saturating_sub(start));
        bytes.reserve_exact(usize::try_from(wanted).unwrap_or(0));
        (&mut *file).take(wanted).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{} of {length} bytes are there", bytes.len())));
        }
        Ok(bytes.into())
    }
}
