//! Parquet and Arrow: what is written reads back, what others write reads too, and nothing damaged gets through.
#![cfg(feature = "parquet")]

mod damaged;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tamis::table::{Column, Format, Input, ReadOptions, Table, read, read_statistics, write_reduced};
use tamis::{Context, Error, Progress};

const FORMATS: [Format; 2] = [Format::Parquet, Format::Arrow];
/// The fixture's columns that are neither numbers nor text, and what they are called in words.
const ODD: [(&str, &str); 6] = [
    ("day", "dates"),
    ("time", "timestamps"),
    ("bytes", "binary data"),
    ("list", "lists"),
    ("struct", "structs"),
    ("map", "maps"),
];

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Options for the fixtures, with the columns that cannot be read left out.
fn usable() -> ReadOptions {
    let mut options = ReadOptions::target("label");
    options.ids = vec!["sample".into(), "big".into()];
    options.drop = ODD.iter().map(|(name, _)| (*name).into()).collect();
    options
}

fn from_bytes(bytes: &[u8], format: Format, options: &ReadOptions) -> tamis::Result<Table> {
    let options = ReadOptions { format: Some(format), ..options.clone() };
    read(Input::from_reader(Cursor::new(bytes.to_vec()), "memory"), &options, &mut Context::default())
}

fn from_csv(text: &str, options: &ReadOptions) -> Table {
    read(Input::from_reader(Cursor::new(text.as_bytes().to_vec()), "memory"), options, &mut Context::default()).unwrap()
}

fn written(table: &Table, format: Format) -> Vec<u8> {
    let all: Vec<u32> = (0..table.columns().len() as u32).collect();
    let mut out = Vec::new();
    write_reduced(table, &all, format, &mut out).unwrap();
    out
}

/// A table with every role and kind of column, and values missing in all that may miss them.
fn varied(rows: usize) -> (Table, ReadOptions) {
    let mut text = String::from("name,w,g,a,b,c,y\n");
    for i in 0..rows {
        let a = if i % 7 == 3 { "NA".into() } else { format!("{:e}", (i as f64 * 0.37).sin() / 3.0) };
        let c = ["red", "green", "", "blue"][i % 4];
        let y = ["1", "0", "1", "", "0"][i % 5];
        text += &format!("r{i},{},{},{a},{},{c},{y}\n", i % 3 + 1, ["u", "v"][i / 2 % 2], i as i64 - 5);
    }
    let mut options = ReadOptions::target("y");
    options.ids = vec!["name".into()];
    options.weight = Some("w".into());
    options.group = Some("g".into());
    options.keep = vec!["b".into()];
    (from_csv(&text, &options), options)
}

/// Columns with missing values made comparable.
fn bits(table: &Table) -> Vec<Result<Vec<Option<u64>>, Column>> {
    let bits = |column: &Column| match column {
        Column::Numbers(values) => Ok(values.iter().map(|x| (!x.is_nan()).then(|| x.to_bits())).collect()),
        other => Err(other.clone()),
    };
    table.columns().iter().map(bits).collect()
}

fn assert_same(a: &Table, b: &Table) {
    assert_eq!(a.names(), b.names());
    assert_eq!(bits(a), bits(b));
    assert_eq!(a.target(), b.target());
    assert_eq!(a.target_name(), b.target_name());
    assert_eq!(a.weights(), b.weights());
    assert_eq!(a.groups(), b.groups());
    assert_eq!(a.keep(), b.keep());
    let ids = |t: &Table| t.ids().iter().map(|id| (id.name.clone(), id.values.clone())).collect::<Vec<_>>();
    assert_eq!(ids(a), ids(b));
}

fn parquet_bytes(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow_bytes(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// Texts, integers and floats enough for several pages.
fn plain_batch(rows: usize) -> RecordBatch {
    let texts: ArrayRef = Arc::new((0..rows).map(|i| Some(format!("name-{}", i % 50))).collect::<StringArray>());
    let whole: ArrayRef = Arc::new((0..rows).map(|i| (i % 5 != 0).then_some(i as i64)).collect::<Int64Array>());
    let real: ArrayRef = Arc::new((0..rows).map(|i| Some(i as f64 / 3.0)).collect::<Float64Array>());
    let label: ArrayRef = Arc::new((0..rows).map(|i| Some((i % 2) as i64)).collect::<Int64Array>());
    RecordBatch::try_from_iter([("text", texts), ("whole", whole), ("real", real), ("label", label)]).unwrap()
}

#[test]
fn what_is_written_reads_back_to_the_same_bits() {
    // more rows than go into one batch, so that several are joined
    for rows in [40, 70_000] {
        let (table, options) = varied(rows);
        for format in FORMATS {
            assert_same(&from_bytes(&written(&table, format), format, &options).unwrap(), &table);
        }
    }
}

#[test]
fn the_same_table_as_from_csv_down_to_the_class_labels() {
    let (table, options) = varied(60);
    let text = String::from_utf8(written(&table, Format::Csv)).unwrap();
    let csv = from_csv(&text, &options);
    for format in FORMATS {
        assert_same(&from_bytes(&written(&table, format), format, &options).unwrap(), &csv);
    }
    let batch = plain_batch(20); // integers, not their text
    let typed = from_bytes(&arrow_bytes(&batch), Format::Arrow, &ReadOptions::target("label")).unwrap();
    assert_eq!(typed.target().text(1), "1");
}

#[test]
fn files_by_another_library_read_alike_whatever_the_format() {
    let read_file = |name: &str, options: &ReadOptions| {
        read(Input::open(&fixture(name)).unwrap(), options, &mut Context::default()).unwrap()
    };
    let parquet = read_file("columnar.parquet", &usable());
    let mut narrow = usable();
    narrow.drop.clear();
    assert_same(&parquet, &read_file("columnar.feather", &usable()));
    assert_same(&parquet, &read_file("columnar-lz4.feather", &narrow));

    assert_eq!(parquet.n_rows(), 12);
    let column = |name: &str| &parquet.columns()[parquet.names().iter().position(|n| n == name).unwrap()];
    let numbers = |name: &str| column(name).numbers().unwrap();
    let close = |name: &str, missing: &[usize], value: &dyn Fn(f64) -> f64| {
        for (i, x) in numbers(name).iter().enumerate() {
            assert_eq!(x.is_nan(), missing.contains(&i), "{name} {i}");
            assert!(x.is_nan() || *x == value(i as f64), "{name} {i}: {x}");
        }
    };
    close("i8", &[3], &|i| i - 6.0);
    close("u64", &[0, 11], &|i| i);
    close("f16", &[], &|i| i / 8.0);
    close("f32", &[], &|i| f64::from(i as f32 / 3.0));
    close("f64", &[2], &|i| i / 7.0);
    close("flag", &[5], &|i| f64::from(u8::from(i % 3.0 == 0.0)));
    close("price", &[1], &|i| i / 100.0);
    close("none", &(0..12).collect::<Vec<_>>(), &|i| i);
    assert_eq!(column("city").text(0), "Oslo");
    assert!(column("city").is_missing(4));
    assert_eq!(column("large").text(1), "é");
    assert_eq!(parquet.ids()[1].values[0], "9007199254740993", "an integer that names rows keeps its digits");
}

#[test]
fn every_type_that_cannot_be_used_is_named_and_can_be_dropped() {
    for file in ["columnar.parquet", "columnar.feather"] {
        for (odd, words) in ODD {
            let mut options = usable();
            options.drop.retain(|name| name != odd);
            let error = read(Input::open(&fixture(file)).unwrap(), &options, &mut Context::default()).unwrap_err();
            let text = error.to_string();
            for part in [format!("column `{odd}`"), words.into(), format!("`ReadOptions::drop = {odd}`"), file.into()] {
                assert!(text.contains(&part), "`{part}` is not in: {text}");
            }
            assert!(!matches!(error, tamis::Error::Write { .. } | tamis::Error::Cancelled), "{error}");
        }
    }
}

#[test]
fn infinities_and_long_text_are_refused_where_they_are() {
    let x: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NEG_INFINITY, 2.0, 3.0]));
    let y: ArrayRef = Arc::new(Int64Array::from(vec![0, 1, 0, 1]));
    let batch = RecordBatch::try_from_iter([("x", x), ("y", y)]).unwrap();
    let error = from_bytes(&arrow_bytes(&batch), Format::Arrow, &ReadOptions::target("y")).unwrap_err();
    assert!(error.to_string().contains("row 2, column `x`: the value is infinite"), "{error}");

    let names: ArrayRef = Arc::new((0..100).map(|i| Some(format!("n{i}"))).collect::<StringArray>());
    let y: ArrayRef = Arc::new((0..100).map(|i| Some(i % 2)).collect::<Int64Array>());
    let batch = RecordBatch::try_from_iter([("who", names), ("y", y.clone()), ("x", y)]).unwrap();
    let bytes = parquet_bytes(&batch, WriterProperties::default());
    let error = from_bytes(&bytes, Format::Parquet, &ReadOptions::target("y")).unwrap_err();
    assert!(error.to_string().contains("`ReadOptions::ids = who`"), "{error}");
    let mut options = ReadOptions::target("y");
    options.ids = vec!["who".into()];
    assert_eq!(from_bytes(&bytes, Format::Parquet, &options).unwrap().ids()[0].values[99], "n99");
}

#[test]
fn texts_and_numbers_that_mean_missing_do_so_here_too() {
    let x: ArrayRef = Arc::new(Int64Array::from(vec![1, -999, 2, 3]));
    let c: ArrayRef = Arc::new("p ? q none".split(' ').map(Some).collect::<DictionaryArray<Int8Type>>());
    let y: ArrayRef = Arc::new(Int64Array::from(vec![0, 1, 0, 1]));
    let batch = RecordBatch::try_from_iter([("x", x), ("c", c), ("y", y)]).unwrap();
    let mut options = ReadOptions::target("y");
    options.missing = vec!["-999".into(), "none".into()];
    let table = from_bytes(&arrow_bytes(&batch), Format::Arrow, &options).unwrap();
    assert!(table.columns()[0].is_missing(1));
    let Column::Categories(c) = &table.columns()[1] else { panic!("text is a category") };
    assert_eq!(c.labels(), ["p", "q"]);
    assert_eq!([c.get(1), c.get(2), c.get(3)], [None, Some("q"), None]);
}

#[test]
fn row_names_from_pandas_are_not_a_feature() {
    let (index, x, y) = (vec!["a", "b", "c", "d"], vec![1.0, 2.0, 3.0, 4.0], vec![0, 1, 0, 1]);
    let batch = RecordBatch::try_from_iter([
        ("x", Arc::new(Float64Array::from(x)) as ArrayRef),
        ("y", Arc::new(Int64Array::from(y)) as ArrayRef),
        ("__index_level_0__", Arc::new(StringArray::from(index)) as ArrayRef),
    ])
    .unwrap();
    let bytes = parquet_bytes(&batch, WriterProperties::default());
    let table = from_bytes(&bytes, Format::Parquet, &ReadOptions::target("y")).unwrap();
    assert_eq!(table.names().as_ref(), ["x"]);
    assert_eq!(table.ids()[0].values, ["a", "b", "c", "d"]);
    assert!(table.notes().iter().any(|note| note.to_string().contains("row names")));

    let mut options = ReadOptions::target("x");
    options.format = Some(Format::Parquet);
    let choose = |_: &[String]| Ok(vec!["x".to_string()]);
    let input = Input::from_reader(Cursor::new(bytes), "memory");
    let scores = read_statistics(input, &options, &choose, &mut Context::default()).unwrap();
    assert_eq!(scores.columns, [("x".to_string(), vec![1.0, 2.0, 3.0, 4.0])]);
    assert_eq!(scores.names, ["a", "b", "c", "d"]);
}

#[test]
fn every_codec_and_encoding_reads_alike() {
    let batch = plain_batch(5000);
    let options = ReadOptions::target("label");
    let plain = from_bytes(&arrow_bytes(&batch), Format::Arrow, &options).unwrap();
    let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    stream.write(&batch).unwrap();
    assert_same(&from_bytes(&stream.into_inner().unwrap(), Format::Arrow, &options).unwrap(), &plain);
    for codec in ["UNCOMPRESSED", "SNAPPY", "GZIP(6)", "LZ4_RAW", "ZSTD(1)"] {
        let codec: Compression = codec.parse().unwrap();
        let properties = WriterProperties::builder()
            .set_compression(codec)
            .set_data_page_row_count_limit(700)
            .set_write_batch_size(100)
            .set_max_row_group_row_count(Some(1900))
            .build();
        assert_same(&from_bytes(&parquet_bytes(&batch, properties), Format::Parquet, &options).unwrap(), &plain);
    }
    for encoding in [Encoding::PLAIN, Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_dictionary_enabled(false)
                .set_column_encoding("text".into(), encoding)
                .build();
            assert_same(&from_bytes(&parquet_bytes(&batch, properties), Format::Parquet, &options).unwrap(), &plain);
        }
    }
}

#[test]
fn the_wrong_ending_is_told_and_gzip_around_it_is_taken_off() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path, options: &ReadOptions| read(Input::open(path).unwrap(), options, &mut Context::default());
    for (file, format) in [("columnar.parquet", "parquet"), ("columnar.feather", "arrow")] {
        let bytes = std::fs::read(fixture(file)).unwrap();
        let plain = open(&fixture(file), &usable()).unwrap();
        let wrong = folder.path().join("table.csv");
        std::fs::write(&wrong, &bytes).unwrap();
        let error = open(&wrong, &usable()).unwrap_err().to_string();
        assert!(error.contains(&format!("`ReadOptions::format = {format}`")), "{error}");
        let options = ReadOptions { format: Some(format.parse().unwrap()), ..usable() };
        assert_same(&open(&wrong, &options).unwrap(), &plain);

        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).unwrap();
        let zipped = folder.path().join(format!("{file}.gz"));
        std::fs::write(&zipped, gzip.finish().unwrap()).unwrap();
        assert_same(&open(&zipped, &usable()).unwrap(), &plain);

        let options = ReadOptions { format: Some(format.parse().unwrap()), ..usable() };
        std::fs::write(&wrong, "a,label\n1,0\n").unwrap();
        let error = open(&wrong, &options).unwrap_err().to_string();
        assert!(error.contains("`ReadOptions::format`"), "{error}");
    }
}

#[test]
fn reading_can_be_stopped_between_batches() {
    struct Stop(u32);
    impl Progress for Stop {
        fn update(&mut self, stage: &str, done: u64, total: u64) -> bool {
            assert_eq!(stage, "reading");
            assert!(total == 0 || done <= total);
            self.0 += 1;
            self.0 < 2
        }
    }
    for file in ["columnar.parquet", "columnar.feather"] {
        let stopped = read(Input::open(&fixture(file)).unwrap(), &usable(), &mut Stop(0));
        assert!(matches!(stopped, Err(Error::Cancelled)), "{file}");
    }
}
