//! Tables with a row per sample, by their format.

use crate::base::{Error, Progress, Result};
use crate::table::read::{arff, columnar, csv, libsvm, npy, npz};
use crate::table::{Format, Input, ReadOptions, Table, format_of};

/// Reads a table with a row per sample.
pub(super) fn read_by_format(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    match format_of(&input, options)? {
        Format::Csv | Format::Tsv => csv::read_table(input, options, progress),
        Format::Libsvm => libsvm::read_table(input, options, progress),
        Format::Arff => arff::read_table(input, options, progress),
        Format::Npy => npy::read_table(input, options, progress),
        Format::Npz => npz::read_table(input, options, progress),
        format @ (Format::Parquet | Format::Arrow) => columnar::read_table(input, format, options, progress),
        format @ (Format::Xlsx | Format::Geo | Format::Mtx) => {
            Err(Error::read(input.name(), format!("a file in the format {format} is read as a whole only")))
        }
    }
}
