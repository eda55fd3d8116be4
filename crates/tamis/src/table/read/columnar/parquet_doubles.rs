//! Columns of 64-bit floats, decoded straight to where they stay.

use crate::table::column::all_finite;
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::DoubleType;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescPtr;

/// Rows decoded at a time: few enough to stay in the cache.
const ROWS: usize = 1 << 15;

/// Appends `rows` values of one column chunk to `out`, nulls as NaN; false if one is infinite.
pub(crate) fn append(
    column: ColumnDescPtr,
    pages: Box<dyn PageReader>,
    rows: usize,
    out: &mut Vec<f64>,
) -> Result<bool> {
    let present = column.max_def_level();
    let mut reader = ColumnReaderImpl::<DoubleType>::new(column, pages);
    let mut levels = Vec::new();
    let mut finite = true;
    let mut left = rows;
    while left > 0 {
        let start = out.len();
        levels.clear();
        let (records, values, _) = reader.read_records(left.min(ROWS), Some(&mut levels), None, out)?;
        if records == 0 {
            return Err(ParquetError::EOF(format!("a column ends {left} rows early")));
        }
        if values < records {
            spread(out, start, &levels, present);
        }
        finite &= all_finite(&out[start..]);
        left -= records;
    }
    Ok(finite)
}

/// Moves the values from `start` on to the rows they belong to: those whose level is `present`.
fn spread(out: &mut Vec<f64>, start: usize, levels: &[i16], present: i16) {
    let mut from = out.len();
    out.resize(start + levels.len(), f64::NAN);
    for (row, level) in levels.iter().enumerate().rev() {
        let value = if *level == present {
            from -= 1;
            out[from]
        } else {
            f64::NAN
        };
        out[start + row] = value;
    }
}
