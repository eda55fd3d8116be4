//! Files that are cut, damaged or claim more than they hold.

use super::{arrow_bytes, fixture, from_bytes, parquet_bytes, plain_batch, usable, varied, written};
use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, NullArray, RecordBatch, StringArray};
use parquet::basic::Encoding;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::sync::Arc;
use tamis::table::{ExpansionLimit, Format, ReadOptions};

/// Small valid files of every kind, with options under which they can be read.
fn small_files() -> Vec<(&'static str, Format, Vec<u8>, ReadOptions)> {
    let mut narrow = usable();
    narrow.drop.clear();
    let (table, options) = varied(24);
    let delta = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_dictionary_enabled(false)
        .set_column_encoding("text".into(), Encoding::DELTA_BYTE_ARRAY)
        .build();
    vec![
        ("parquet", Format::Parquet, std::fs::read(fixture("columnar.parquet")).unwrap(), usable()),
        ("delta", Format::Parquet, parquet_bytes(&plain_batch(40), delta), ReadOptions::target("label")),
        ("ours", Format::Parquet, written(&table, Format::Parquet), options.clone()),
        ("feather", Format::Arrow, std::fs::read(fixture("columnar.feather")).unwrap(), usable()),
        ("lz4", Format::Arrow, std::fs::read(fixture("columnar-lz4.feather")).unwrap(), narrow),
        ("ours", Format::Arrow, written(&table, Format::Arrow), options),
    ]
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    for (name, format, bytes, options) in small_files() {
        assert!(from_bytes(&bytes, format, &options).is_ok(), "{name}");
        for end in 0..bytes.len() {
            assert!(from_bytes(&bytes[..end], format, &options).is_err(), "{name} cut at {end} of {}", bytes.len());
        }
    }
}

#[test]
fn flipped_bytes_never_bring_the_program_down() {
    for (_, format, bytes, options) in small_files() {
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                drop(from_bytes(&bytes, format, &options)); // a changed number is a number: it may well read
            }
        }
    }
}

#[test]
fn a_few_bytes_cannot_claim_a_mountain_of_rows() {
    let rows = 1 << 20;
    let none: ArrayRef = Arc::new(NullArray::new(rows));
    let label: ArrayRef = Arc::new((0..rows as i64).map(|i| Some(i / (rows as i64 / 2))).collect::<Int64Array>());
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("a", none.clone(), true),
        ("b", none, true),
        ("label", label, false),
    ])
    .unwrap();
    let bytes = parquet_bytes(&batch, WriterProperties::default());
    assert!(bytes.len() < 20_000, "{}", bytes.len());
    let mut options = ReadOptions::target("label");
    options.expansion = ExpansionLimit { bytes: 1 << 20, ..ExpansionLimit::default() };
    let error = from_bytes(&bytes, Format::Parquet, &options).unwrap_err();
    assert!(error.to_string().contains("ReadOptions::expansion"), "{error}");
    options.expansion = ExpansionLimit { bytes: 1 << 30, ..ExpansionLimit::default() };
    assert!(from_bytes(&bytes, Format::Parquet, &options).is_ok());
}

#[test]
fn a_compressed_buffer_that_declares_terabytes_is_refused() {
    let bytes = std::fs::read(fixture("columnar-lz4.feather")).unwrap();
    let mut options = usable();
    options.drop.clear();
    // every little-endian 8-byte length before an lz4 frame
    let frames: Vec<usize> = (8..bytes.len() - 4).filter(|&i| bytes[i..i + 4] == [0x04, 0x22, 0x4d, 0x18]).collect();
    assert!(!frames.is_empty());
    for at in frames {
        let mut bytes = bytes.clone();
        bytes[at - 8..at].copy_from_slice(&(1_u64 << 45).to_le_bytes());
        assert!(from_bytes(&bytes, Format::Arrow, &options).is_err(), "{at}");
    }
}

#[test]
fn a_stream_too_large_for_memory_says_what_to_do() {
    let bytes = std::fs::read(fixture("columnar.parquet")).unwrap();
    let mut options = usable();
    options.expansion = ExpansionLimit { bytes: 1000, ..ExpansionLimit::default() };
    let error = from_bytes(&bytes, Format::Parquet, &options).unwrap_err();
    assert!(error.to_string().contains("name a file instead"), "{error}");
}

/// Rows that all have one text of this length, which the file holds once.
fn shared_text(rows: usize, length: usize) -> RecordBatch {
    let text: ArrayRef = Arc::new(StringArray::from(vec!["n".repeat(length)]));
    let name: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(vec![0; rows].into(), text));
    let y: ArrayRef = Arc::new((0..rows).map(|row| Some(row as i64 % 2)).collect::<Int64Array>());
    let x: ArrayRef = Arc::new((0..rows).map(|row| Some(row as i64 % 7)).collect::<Int64Array>());
    RecordBatch::try_from_iter([("name", name), ("x", x), ("y", y)]).unwrap()
}

#[test]
fn a_text_that_rows_share_is_not_copied_for_each() {
    let batch = shared_text(2500, 900_000); // 2.25 GB, more than an array of texts can hold
    let bytes = parquet_bytes(&batch, WriterProperties::default());
    let table = from_bytes(&bytes, Format::Parquet, &ReadOptions::target("y")).unwrap();
    assert_eq!(table.n_rows(), 2500);
}

#[test]
fn names_of_rows_that_would_fill_the_memory_are_refused() {
    let batch = shared_text(200, 100_000);
    let mut options = ReadOptions::target("y");
    options.ids = vec!["name".into()];
    options.expansion = ExpansionLimit::of_bytes(10_000_000);
    for (format, bytes) in
        [(Format::Arrow, arrow_bytes(&batch)), (Format::Parquet, parquet_bytes(&batch, WriterProperties::default()))]
    {
        let error = from_bytes(&bytes, format, &options).unwrap_err().to_string();
        assert!(error.contains("column `name`: its texts take 0.0 GiB when every row has its own"), "{error}");
        options.expansion = ExpansionLimit::of_bytes(30_000_000);
        assert_eq!(from_bytes(&bytes, format, &options).unwrap().ids()[0].values[199].len(), 100_000);
        options.expansion = ExpansionLimit::of_bytes(10_000_000);
    }
}
