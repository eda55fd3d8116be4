//! One array of NumPy: a header in Python's notation, then the numbers.
//!
//! A two-dimensional array is a table whose columns are `f1`, `f2`, …, the last one being the target unless another
//! is named. NaN is missing. The shape a header declares is never believed: memory grows with the bytes that come.
//!
//! The reader is written by hand because the format is small and a crate would hand over a typed array to be converted:
//! here blocks of numbers of any width and byte order go from the stream (plain, gzip, zstd or a zip member) straight
//! into columns of f64, and a refusal names the array, the problem and how to save it instead.

mod array;
mod header;

pub(crate) use array::{Array, ArrayBytes, array_of_member};
pub(crate) use header::write_header;

use crate::base::error::Place;
use crate::base::{Progress, Result};
use crate::table::read::column_roles::{TypedColumns, assemble};
use crate::table::write::{only_numbers, target_numbers};
use crate::table::{Column, Format, Input, ReadOptions, Table};
use std::io::{self, Write};

pub(crate) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let mut decoded = input.decode(options.expansion)?;
    let place = Place::file(&decoded.name);
    let available = decoded.text_size();
    let mut fill = |buffer: &mut [u8]| {
        let (done, total) = decoded.progress();
        progress.step("reading", done, total)?;
        decoded.fill(buffer)
    };
    let (columns, finite) =
        ArrayBytes { fill: &mut fill, available, place: &place }.array("the array")?.matrix("the array", &place)?;
    let names: Vec<String> = (1..=columns.len()).map(|i| format!("f{i}")).collect();
    let mut options = options.clone();
    if let (true, Some(last)) = (options.target.is_empty() && !options.no_target, names.last()) {
        options.target.clone_from(last);
    }
    let columns = columns.into_iter().map(Column::from).collect();
    assemble(TypedColumns { names, columns, finite, ..TypedColumns::default() }, &options, &place)
}

/// Writes numbers of 8 bytes.
pub(crate) fn write_numbers(values: &[f64], out: &mut dyn Write) -> io::Result<()> {
    for block in values.chunks(1 << 13) {
        let bytes: Vec<u8> = block.iter().flat_map(|x| x.to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Writes the features and, as the last column, the target.
pub(crate) fn write(table: &Table, kept: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let columns = only_numbers(table, kept, Format::Npy)?;
    let target = target_numbers(table.target(), Format::Npy)?;
    write_header("<f8", &[table.n_rows(), columns.len() + 1], out)?;
    for column in columns {
        write_numbers(column, out)?;
    }
    write_numbers(&target, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use std::io;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: Vec<u8>) -> Result<Table> {
        let input = Input::from_reader(io::Cursor::new(bytes), "a.npy");
        read_table(input, &ReadOptions::target(""), &mut Context::default())
    }

    fn header(descr: &str, order: &str, shape: &str) -> String {
        format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")
    }

    #[test]
    fn both_orders_and_both_ends_first() {
        let data: Vec<u8> = [1_i16, 0, 2, 1, 3, 0, 4, 1].iter().flat_map(|x| x.to_be_bytes()).collect();
        let table = read(file(&header("'>i2'", "False", "(4, 2)"), &data)).expect("reads");
        assert_eq!(**table.names(), ["f1"]);
        assert_eq!(table.target_name(), "f2");
        assert_eq!(table.columns()[0].numbers().expect("numbers"), [1.0, 2.0, 3.0, 4.0]);
        let table = read(file(&header("'|u1'", "True", "(4, 2)"), &[1, 2, 3, 4, 0, 1, 0, 1])).expect("reads");
        assert_eq!(table.columns()[0].numbers().expect("numbers"), [1.0, 2.0, 3.0, 4.0]);
        let table = read(file(&header("'|b1'", "True", "(4, 2)"), &[1, 0, 0, 1, 0, 1, 0, 1])).expect("reads");
        assert_eq!(table.columns()[0].numbers().expect("numbers"), [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_shape_is_not_believed() {
        for shape in ["(1000000000000, 2)", "(2, 1000000000000)", "(18446744073709551615, 18446744073709551615)"] {
            for order in ["True", "False"] {
                let error = read(file(&header("'<f8'", order, shape), &[0; 64])).expect_err(shape).to_string();
                assert!(error.contains("`a.npy`: the array ends before"), "{error}");
            }
        }
        let error = read(file(&header("'|u1'", "True", "(2, 2)"), &[0; 5])).expect_err("too long").to_string();
        assert!(error.contains("behind"), "{error}");
    }

    #[test]
    fn what_is_not_numbers_is_refused_with_what_to_do() {
        let cases = [
            ("'|O'", "(2, 2)", "astype(float)"),
            ("'<c16'", "(2, 2)", "complex"),
            ("'<U3'", "(2, 2)", "holds text"),
            ("'|S3'", "(2, 2)", "bytes"),
            ("'<U0'", "(2, 2)", "`<U0`"),
            ("'<M8[ns]'", "(2, 2)", "dates"),
            ("'<f2'", "(2, 2)", "`<f2`"),
            ("[('a', '<f8')]", "(2,)", "structured"),
            ("'<f8'", "(2,)", "1 dimension, not 2"),
            ("'<f8'", "(2, 1, 1)", "3 dimensions"),
            ("'<f8'", "(0, 3)", "empty"),
            ("'<f8'", "(x, 3)", "header of the array is damaged"),
        ];
        for (descr, shape, says) in cases {
            let error = read(file(&header(descr, "True", shape), &[0; 16])).expect_err(descr).to_string();
            assert!(error.contains("`a.npy`") && error.contains(says), "{descr} {shape}: {error}");
        }
        let error = read(b"a,b\n1,2\n".to_vec()).expect_err("text").to_string();
        assert!(error.contains("np.save"), "{error}");
    }

    #[test]
    fn infinities_say_where_they_are() {
        let numbers = |x: [f64; 6]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let header = header("'<f8'", "False", "(3, 2)");
        let error = read(file(&header, &numbers([1.0, 0.0, f64::INFINITY, 1.0, 2.0, 5.0]))).expect_err("infinite");
        assert!(error.to_string().contains("row 2, column `f1`"), "{error}");
        let error = read(file(&header, &numbers([1.0, 0.0, 3.0, 1.0, 2.0, f64::INFINITY]))).expect_err("infinite");
        assert!(error.to_string().contains("row 3, column `f2`"), "{error}");
    }
}
