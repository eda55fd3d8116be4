//! Parquet, row group by row group.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Progress, Result, text};
use crate::table::ReadOptions;
use crate::table::read::columnar::checked_pages::{CheckedPages, OneChunk};
use crate::table::read::columnar::columns_builder::ColumnsBuilder;
use crate::table::read::columnar::{ReadPlan, guarded, parquet_doubles, say_what_it_is};
use crate::table::read::open::{ExpansionLimit, Input};
use ::parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use ::parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use ::parquet::basic::{Compression, Type};
use ::parquet::column::page::{PageIterator, PageReader};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use ::parquet::file::reader::ChunkReader;
use ::parquet::file::serialized_reader::SerializedPageReader;
use ::parquet::schema::types::SchemaDescriptor;
use arrow_schema::{DataType, FieldRef, Fields};
use bytes::Bytes;
use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;

/// Cells decoded at a time: few enough to stay in the cache, enough to forget the cost of a call.
const CELLS: usize = 1 << 20;

/// The columns that `plan` asks for.
pub(crate) fn read(
    input: Input,
    options: &ReadOptions,
    progress: &mut dyn Progress,
    plan: &mut ReadPlan<'_>,
) -> Result<ColumnsBuilder> {
    let name = input.name().to_string();
    match input.file().and_then(plain) {
        Some(file) => read_from(file, &name, options, progress, plan),
        None => read_from(in_memory(input, options.expansion)?, &name, options, progress, plan),
    }
}

/// The file, if it is Parquet as it stands rather than compressed once more.
pub(crate) fn plain(file: &File) -> Option<File> {
    let mut file = file.try_clone().ok()?;
    let mut head = [0; 4];
    file.read_exact(&mut head).ok()?;
    file.rewind().ok()?;
    (head == *b"PAR1").then_some(file)
}

/// All bytes of an input that cannot be read from its end, such as a pipe.
pub(crate) fn in_memory(input: Input, limit: ExpansionLimit) -> Result<Bytes> {
    let mut decoded = input.decode_binary(limit)?;
    let most = if decoded.compressed() { u64::MAX } else { limit.bytes }; // compressed bytes are bounded already
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        match decoded.fill(&mut chunk)? {
            0 => break,
            n => bytes.extend_from_slice(&chunk[..n]),
        }
        if bytes.len() as u64 > most {
            let size = format!("it is larger than {most} bytes");
            let words = "Parquet is read from its end, so all of it must fit in memory here, and ";
            let reason = text![words, size, "; name a file instead, or raise ", OptionName::MaxExpanded];
            return Err(Error::read(decoded.name, reason));
        }
    }
    if !bytes.starts_with(b"PAR1") {
        let reason = text!["it is not a Parquet file", say_what_it_is()];
        return Err(Error::read(decoded.name, reason));
    }
    Ok(bytes.into())
}

fn read_from<R: ChunkReader + 'static>(
    file: R,
    name: &str,
    options: &ReadOptions,
    progress: &mut dyn Progress,
    plan: &mut ReadPlan<'_>,
) -> Result<ColumnsBuilder> {
    let place = Place::file(name);
    let bytes = file.len();
    let metadata = guarded(name, || ParquetMetaDataReader::new().parse_and_finish(&file))?;
    let schema = metadata.file_metadata().schema_descr_ptr();
    // types as Parquet has them: what the writer's library called them adds nothing that is needed here
    let arrow = guarded(name, || parquet_to_arrow_schema(&schema, None))?;
    let mut builder = ColumnsBuilder::new(arrow.fields(), &plan(arrow.fields())?, options.expansion, &place)?;

    let mut total = 0_u64;
    for group in metadata.row_groups() {
        total = total.saturating_add(u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
    }
    builder.check_size(total, bytes)?;

    let (direct, others) = split(&schema, &mut builder);
    let mask = ProjectionMask::roots(&schema, builder.wanted.iter().copied());
    check_codecs(&metadata, &mask, &place)?;
    let mask = ProjectionMask::roots(&schema, others.iter().map(|at| builder.wanted[*at]));
    let levels = guarded(name, || parquet_to_arrow_field_levels(&schema, mask, Some(&with_views(arrow.fields()))))?;
    let rows_at_once = (CELLS / others.len().max(1)).clamp(16, 1 << 16);
    let width = builder.wanted.len() as u64;
    let (file, metadata) = (Arc::new(file), Arc::new(metadata));
    for at in 0..metadata.num_row_groups() {
        let group = RowGroup { file: Arc::clone(&file), metadata: Arc::clone(&metadata), at };
        let before = builder.rows;
        let rows = group.num_rows();
        let mut cells = before.saturating_mul(width);
        progress.step("reading", cells, total.saturating_mul(width))?;
        for column in &direct {
            let Some(values) = builder.numbers(column.at) else { continue };
            values.reserve_exact(usize::try_from(total.min(bytes)).unwrap_or(0).saturating_sub(values.len()));
            let finite = guarded(name, || {
                let pages = group.pages(column.leaf)?;
                parquet_doubles::append(schema.column(column.leaf), pages, rows, values)
            })?;
            builder.finite &= finite;
            cells = cells.saturating_add(rows as u64);
            progress.step("reading", cells, total.saturating_mul(width))?;
        }
        if !others.is_empty() {
            let reader = || ParquetRecordBatchReader::try_new_with_row_groups(&levels, &group, rows_at_once, None);
            let mut batches = guarded(name, reader)?;
            while let Some(batch) = guarded(name, || batches.next().transpose())? {
                builder.push_some(&others, &batch)?;
                cells = cells.saturating_add((batch.num_rows() * others.len()) as u64);
                progress.step("reading", cells, total.saturating_mul(width))?;
            }
        }
        builder.finish_rows(before + rows as u64)?;
    }
    Ok(builder)
}

/// The fields with text as views: rows that share a text of the file's dictionary share its bytes in memory.
pub(crate) fn with_views<'a>(fields: impl IntoIterator<Item = &'a FieldRef>) -> Fields {
    let views = |field: &FieldRef| match field.data_type() {
        DataType::Utf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        _ => Arc::clone(field),
    };
    fields.into_iter().map(views).collect()
}

/// A column of doubles.
struct DoubleColumn {
    /// Its position among the wanted columns.
    at: usize,
    /// Its position among those of the file.
    leaf: usize,
}

/// The wanted columns that are doubles without nesting, and the positions of the others.
fn split(schema: &SchemaDescriptor, builder: &mut ColumnsBuilder) -> (Vec<DoubleColumn>, Vec<usize>) {
    let leaves = single_leaves(schema);
    let (mut direct, mut others) = (vec![], vec![]);
    for at in 0..builder.wanted.len() {
        let leaf = leaves[builder.wanted[at]].filter(|_| builder.numbers(at).is_some());
        match leaf.filter(|leaf| is_flat_double(schema, *leaf)) {
            Some(leaf) => direct.push(DoubleColumn { at, leaf }),
            None => others.push(at),
        }
    }
    (direct, others)
}

/// The leaf of every field that has only one.
pub(crate) fn single_leaves(schema: &SchemaDescriptor) -> Vec<Option<usize>> {
    let mut leaves = vec![vec![]; schema.root_schema().get_fields().len()];
    for leaf in 0..schema.num_columns() {
        leaves[schema.get_column_root_idx(leaf)].push(leaf);
    }
    leaves.into_iter().map(|leaves| if let [leaf] = leaves[..] { Some(leaf) } else { None }).collect()
}

/// Whether a leaf holds doubles without nesting.
pub(crate) fn is_flat_double(schema: &SchemaDescriptor, leaf: usize) -> bool {
    let column = schema.column(leaf);
    column.physical_type() == Type::DOUBLE && column.max_rep_level() == 0 && column.max_def_level() <= 1
}

/// Refuses compression that is not built in, by name.
pub(crate) fn check_codecs(metadata: &ParquetMetaData, mask: &ProjectionMask, place: &Place) -> Result<()> {
    for column in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns).enumerate() {
        let (at, column) = column;
        let leaf = at % metadata.file_metadata().schema_descr().num_columns().max(1);
        let codec = column.compression();
        if mask.leaf_included(leaf) && matches!(codec, Compression::BROTLI(_) | Compression::LZO) {
            let place = place.clone().at_column(column.column_path().string());
            let problem = format!("it is compressed by {codec}, which this build does not read");
            return Err(Error::data(place, problem, "write the file with snappy, gzip, lz4 or zstd"));
        }
    }
    Ok(())
}

/// One row group, its pages checked as they come.
pub(crate) struct RowGroup<R> {
    pub(crate) file: Arc<R>,
    pub(crate) metadata: Arc<ParquetMetaData>,
    pub(crate) at: usize,
}

impl<R: ChunkReader + 'static> RowGroups for RowGroup<R> {
    fn num_rows(&self) -> usize {
        usize::try_from(self.metadata.row_group(self.at).num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        Ok(Box::new(OneChunk(Some(self.pages(column)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.metadata.row_group(self.at)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

impl<R: ChunkReader + 'static> RowGroup<R> {
    /// The pages of a column.
    pub(crate) fn pages(&self, column: usize) -> ParquetResult<Box<dyn PageReader>> {
        let chunk = self.metadata.row_group(self.at).column(column);
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        if start < 0 || chunk.compressed_size() < 0 {
            return Err(ParquetError::General("a column lies before the start of the file".into()));
        }
        let rows = self.num_rows();
        let nullable = chunk.column_descr().max_def_level() > 0;
        let pages = SerializedPageReader::new(Arc::clone(&self.file), chunk, rows, None);
        Ok(Box::new(CheckedPages { pages: pages?, rows, nullable }))
    }
}
