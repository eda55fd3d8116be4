//! Parquet, row group by row group.

use super::super::ReadOptions;
use super::super::open::{ExpansionLimit, Input};
use super::gather::Gather;
use super::pages::{Checked, OneChunk};
use super::{Plan, guarded};
use crate::error::Place;
use crate::{Error, Progress, Result};
use ::parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use ::parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use ::parquet::basic::Compression;
use ::parquet::column::page::{PageIterator, PageReader};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use ::parquet::file::reader::ChunkReader;
use ::parquet::file::serialized_reader::SerializedPageReader;
use bytes::Bytes;
use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;

/// Cells decoded at a time: few enough to stay in the cache, enough to forget the cost of a call.
const CELLS: usize = 1 << 20;

/// The columns that `plan` asks for.
pub(super) fn read(
    input: Input,
    options: &ReadOptions,
    progress: &mut dyn Progress,
    plan: &mut Plan<'_>,
) -> Result<Gather> {
    let name = input.name().to_string();
    match input.file().and_then(plain) {
        Some(file) => read_from(file, &name, options, progress, plan),
        None => read_from(in_memory(input, options.expansion)?, &name, options, progress, plan),
    }
}

/// The file, if it is Parquet as it stands rather than compressed once more.
fn plain(file: &File) -> Option<File> {
    let mut file = file.try_clone().ok()?;
    let mut head = [0; 4];
    file.read_exact(&mut head).ok()?;
    file.rewind().ok()?;
    (head == *b"PAR1").then_some(file)
}

/// All bytes of an input that cannot be read from its end, such as a pipe.
fn in_memory(input: Input, limit: ExpansionLimit) -> Result<Bytes> {
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
            let reason = format!(
                "Parquet is read from its end, so all of it must fit in memory here, and it is larger than {most} \
                 bytes; name a file instead, or raise `--max-expanded`"
            );
            return Err(Error::Read { file: decoded.name, reason });
        }
    }
    if !bytes.starts_with(b"PAR1") {
        let reason = "it is not a Parquet file; pass `--format` to say what it is";
        return Err(Error::Read { file: decoded.name, reason: reason.into() });
    }
    Ok(bytes.into())
}

fn read_from<R: ChunkReader + 'static>(
    file: R,
    name: &str,
    options: &ReadOptions,
    progress: &mut dyn Progress,
    plan: &mut Plan<'_>,
) -> Result<Gather> {
    let place = Place::file(name);
    let bytes = file.len();
    let metadata = guarded(name, || ParquetMetaDataReader::new().parse_and_finish(&file))?;
    let schema = metadata.file_metadata().schema_descr_ptr();
    // types as Parquet has them: what the writer's library called them adds nothing that is needed here
    let arrow = guarded(name, || parquet_to_arrow_schema(&schema, None))?;
    let mut gather = Gather::new(arrow.fields(), &plan(arrow.fields())?, options.expansion, &place)?;

    let mut total = 0_u64;
    for group in metadata.row_groups() {
        total = total.saturating_add(u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
    }
    gather.check_size(total, bytes)?;

    let mask = ProjectionMask::roots(&schema, gather.wanted.iter().copied());
    check_codecs(&metadata, &mask, &place)?;
    let levels = guarded(name, || parquet_to_arrow_field_levels(&schema, mask, None))?;
    let rows_at_once = (CELLS / gather.wanted.len().max(1)).clamp(16, 1 << 16);
    let (file, metadata) = (Arc::new(file), Arc::new(metadata));
    progress.step("reading", 0, total)?;
    for at in 0..metadata.num_row_groups() {
        let group = Group { file: Arc::clone(&file), metadata: Arc::clone(&metadata), at };
        let mut batches =
            guarded(name, || ParquetRecordBatchReader::try_new_with_row_groups(&levels, &group, rows_at_once, None))?;
        let expected = gather.rows + group.num_rows() as u64;
        while let Some(batch) = guarded(name, || batches.next().transpose())? {
            gather.push(&batch, bytes)?;
            progress.step("reading", gather.rows, total)?;
        }
        if gather.rows != expected {
            let reason = format!(
                "row group {} ends after {} of {expected} rows; the file is damaged: write it again",
                at + 1,
                gather.rows
            );
            return Err(Error::Read { file: name.into(), reason });
        }
    }
    Ok(gather)
}

/// Refuses compression that is not built in, by name.
fn check_codecs(metadata: &ParquetMetaData, mask: &ProjectionMask, place: &Place) -> Result<()> {
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
struct Group<R> {
    file: Arc<R>,
    metadata: Arc<ParquetMetaData>,
    at: usize,
}

impl<R: ChunkReader + 'static> RowGroups for Group<R> {
    fn num_rows(&self) -> usize {
        usize::try_from(self.metadata.row_group(self.at).num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let chunk = self.metadata.row_group(self.at).column(column);
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        if start < 0 || chunk.compressed_size() < 0 {
            return Err(ParquetError::General("a column lies before the start of the file".into()));
        }
        let rows = self.num_rows();
        let nullable = chunk.column_descr().max_def_level() > 0;
        let pages = SerializedPageReader::new(Arc::clone(&self.file), chunk, rows, None);
        let checked = pages.map(|pages| Box::new(Checked { pages, rows, nullable }) as Box<dyn PageReader>);
        Ok(Box::new(OneChunk(Some(checked))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.metadata.row_group(self.at)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}
