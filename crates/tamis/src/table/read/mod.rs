//! Readers: one file per format, and their shared parts.
//!
//! | file | holds |
//! | --- | --- |
//! | `options`, `open` | what a reader is asked for; files opened and decompressed, `memory_limits` bounds what they may ask for |
//! | `row_per_sample` | tables with a row per sample, by their format |
//! | `csv` | delimited text: `delimiter`, `column_names`, `record` and `records`, `rows` of `number`s and text |
//! | `pieces` | delimited text in pieces that are parsed independently, from a `text_buffer` |
//! | `libsvm`, `arff`, `npy`, `npz` (in a `zip`), `columnar` | the other formats with a row per sample; `lines` reads text by lines |
//! | `named_samples` | features in rows, and sample sheets, with `distinct_names` |
//! | `converted`, `sparse` | spreadsheets and series matrices made text; sparse matrices |
//! | `column_roles` | the columns of a file made a table |
//! | `feature_groups` | groups of features |

mod arff;
mod column_names;
pub(crate) mod column_roles;
#[cfg(feature = "parquet")]
pub(crate) mod columnar;
#[cfg(not(feature = "parquet"))]
#[path = "columnar/without_parquet.rs"]
pub(crate) mod columnar;
mod converted;
mod csv;
mod delimiter;
mod distinct_names;
pub(crate) mod feature_groups;
pub(crate) mod libsvm;
mod lines;
mod memory_limits;
mod named_samples;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod number;
pub(crate) mod open;
mod options;
pub(crate) mod pieces;
mod record;
pub(crate) mod records;
mod row_per_sample;
pub(crate) mod rows;
pub(crate) mod sparse;
pub(crate) mod text_buffer;
mod zip;

use crate::base::{Error, Place, Progress, Result};
use crate::table::column::check_complete;
use crate::table::{Column, Format, Input, Table};
use converted::Dates;
pub use csv::score_column;
pub(crate) use options::format_of;
pub use options::{ColumnChoice, ReadOptions, SampleFile, StatisticTable};
use row_per_sample::read_by_format;
use std::path::Path;

/// Reads a table from a file (plain, gzip or zstd) or from standard input.
///
/// Cost: one pass over the file; memory is that of the numbers.
///
/// ```
/// use tamis::prelude::*;
///
/// let text = "x,y\n1,a\n3,b\n2,a\n,b\n";
/// let table = read(Input::from_reader(text.as_bytes(), "gap.csv"), &ReadOptions::target("y"), &mut Silent)?;
/// assert!(table.columns()[0].is_missing(3));
/// # Ok::<(), Error>(())
/// ```
pub fn read(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let place = Place::file(input.name());
    let format = format_of(&input, options)?;
    if format == Format::Xlsx {
        let (input, options) = converted::sheet(input, options, Dates::Refused, progress)?;
        return read(input, &options, progress);
    }
    if format == Format::Mtx || (format == Format::Npz && sparse::is_sparse(Path::new(input.name()), options)) {
        return sparse::read_dense(&input, options, progress);
    }
    let table = match options.transpose || options.samples.is_some() || format == Format::Geo {
        true => named_samples::read_table(input, options, progress)?,
        false => read_by_format(input, options, progress)?,
    };
    if options.refuse_missing {
        table.check_complete(&place)?;
    }
    Ok(table)
}

/// Reads the columns of numbers that `choose` takes of the header; the first of `options.ids` names the rows.
///
/// # Errors
///
/// A column that is not there or holds text, and a format that has no columns with names.
pub fn read_statistics(
    input: Input,
    options: &ReadOptions,
    choose: &ColumnChoice<'_>,
    progress: &mut dyn Progress,
) -> Result<StatisticTable> {
    let place = Place::file(input.name());
    let read = read_columns(input, options, choose, progress)?;
    if options.refuse_missing {
        for (name, values) in &read.columns {
            check_complete(&Column::Numbers(values.clone()), name, &place, 0)?;
        }
    }
    Ok(read)
}

fn read_columns(
    input: Input,
    options: &ReadOptions,
    choose: &ColumnChoice<'_>,
    progress: &mut dyn Progress,
) -> Result<StatisticTable> {
    match format_of(&input, options)? {
        Format::Csv | Format::Tsv => csv::read_statistics(input, options, choose, progress),
        format @ (Format::Parquet | Format::Arrow) => {
            columnar::read_statistics(input, format, options, choose, progress)
        }
        Format::Xlsx => {
            let (input, options) = converted::sheet(input, options, Dates::AsText, progress)?;
            csv::read_statistics(input, &options, choose, progress)
        }
        format @ (Format::Libsvm | Format::Arff | Format::Npy | Format::Npz | Format::Geo | Format::Mtx) => {
            let reason = format!("scores are not read from {format}; give a CSV, TSV, Excel, Parquet or Arrow file");
            Err(Error::read(input.name(), reason))
        }
    }
}
