//! Writing Parquet and Arrow files: numbers as 64-bit floats, text as UTF-8, nulls where values are missing.

use crate::table::Format;
use crate::table::write::{Named, Values};
use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::properties::WriterProperties;
use ::parquet::schema::types::ColumnPath;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;

/// Cells written at a time.
const CELLS: usize = 1 << 20;

/// Writes these columns of `rows` rows.
pub(crate) fn write(columns: &[Named<'_>], rows: usize, format: Format, out: &mut dyn Write) -> io::Result<()> {
    let field = |column: &Named<'_>| {
        let text = matches!(column.values, Values::Text(_));
        Field::new(column.name, if text { DataType::Utf8 } else { DataType::Float64 }, true)
    };
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let step = (CELLS / columns.len().max(1)).clamp(256, 1 << 16);
    let batches = (0..rows).step_by(step).map(|start| batch(columns, &schema, start, (start + step).min(rows)));
    match format {
        Format::Arrow => {
            let mut writer = FileWriter::try_new(out, &schema).map_err(io::Error::other)?;
            for batch in batches {
                writer.write(&batch?).map_err(io::Error::other)?;
            }
            writer.finish().map_err(io::Error::other)
        }
        _ => {
            let mut properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
            for column in columns.iter().filter(|column| rarely_repeats(&column.values)) {
                let path = ColumnPath::new(vec![column.name.to_string()]);
                properties = properties.set_column_dictionary_enabled(path, false);
            }
            let properties = properties.build();
            // the writer must be able to move between threads, which `out` is not: a buffer carries its bytes over
            let mut writer =
                ArrowWriter::try_new(Vec::new(), Arc::clone(&schema), Some(properties)).map_err(io::Error::other)?;
            for batch in batches {
                writer.write(&batch?).map_err(io::Error::other)?;
                out.write_all(&std::mem::take(writer.inner_mut()))?;
            }
            out.write_all(&writer.into_inner().map_err(io::Error::other)?)
        }
    }
}

/// Whether a dictionary of a column's values would be about as long as the column, by its first rows.
fn rarely_repeats(values: &Values<'_>) -> bool {
    match values {
        Values::Numbers(values) => {
            let few = &values[..values.len().min(1 << 12)];
            let different: HashSet<u64> = few.iter().map(|x| x.to_bits()).collect();
            different.len() > few.len() / 2
        }
        Values::Text(_) => false,
    }
}

/// Rows from `start` to `end`.
fn batch(columns: &[Named<'_>], schema: &Arc<Schema>, start: usize, end: usize) -> io::Result<RecordBatch> {
    let array = |column: &Named<'_>| -> ArrayRef {
        match &column.values {
            Values::Numbers(values) => {
                let cells = values[start..end].iter().map(|x| (!x.is_nan()).then_some(*x));
                Arc::new(cells.collect::<Float64Array>())
            }
            Values::Text(text) => Arc::new((start..end).map(text).collect::<StringArray>()),
        }
    };
    let options = RecordBatchOptions::new().with_row_count(Some(end - start));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns.iter().map(array).collect(), &options)
        .map_err(io::Error::other)
}
