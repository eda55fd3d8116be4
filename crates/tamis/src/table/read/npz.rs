//! Named arrays of NumPy in a zip archive: features `X`, target `y`, and, if you like, the features' `names`.
//!
//! `data`, `target` and `feature_names` are understood too. Without `y` the target is a column of `X`.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Progress, Result, Text, counted, text};
use crate::table::read::column_roles::{TypedColumns, assemble};
use crate::table::read::npy::{Array, array_of_member, write_header, write_numbers};
use crate::table::read::number;
use crate::table::read::open::raise_limit;
use crate::table::read::zip::{Archive, ArchiveWriter};
use crate::table::write::{only_numbers, target_numbers};
use crate::table::{Categories, Column, Format, Input, ReadOptions, Table, Target};
use std::io::{self, Write};

pub(crate) fn read_table(input: Input, options: &ReadOptions, progress: &mut dyn Progress) -> Result<Table> {
    let endless = input.size().is_none();
    let mut decoded = input.decode_binary(options.expansion)?;
    let place = Place::file(&decoded.name);
    let mut bytes = Vec::new();
    loop {
        let (done, total) = decoded.progress();
        progress.step("reading", done, total)?;
        let from = bytes.len();
        let step = from.max(1 << 16);
        bytes.resize(from + step, 0);
        let got = decoded.fill(&mut bytes[from..])?;
        bytes.truncate(from + got);
        if got < step || !bytes.starts_with(b"PK") {
            break;
        }
        if endless && bytes.len() as u64 > options.expansion.bytes {
            let size = format!("it has more than {} bytes, and no end is in sight", options.expansion.bytes);
            return Err(Error::read(decoded.name, raise_limit(size)));
        }
    }
    if !bytes.starts_with(b"PK") {
        let remedy = text!["save the arrays with `np.savez`, or name the format with ", OptionName::Format];
        return Err(Error::data(place, "it is not an archive of NumPy", remedy));
    }
    let archive = Archive::new(bytes).map_err(|reason| Error::read(decoded.name.clone(), reason))?;
    Arrays { archive, options, place }.table()
}

/// The arrays of an archive.
struct Arrays<'a> {
    archive: Archive,
    options: &'a ReadOptions,
    place: Place,
}

impl Arrays<'_> {
    fn table(&self) -> Result<Table> {
        if self.archive.names().any(|name| name == "indptr.npy") {
            return Err(self.refuse("it is a sparse matrix", "save it dense: `np.savez(…, X=x.toarray(), y=y)`"));
        }
        let Some((x, array)) = self.first(&["X", "data"])? else {
            let there: Vec<String> =
                self.archive.names().take(12).map(|n| format!("`{}`", n.trim_end_matches(".npy"))).collect();
            let problem = format!("there is no array `X` or `data`, only {}", there.join(", "));
            return Err(self.refuse(problem, "save with `np.savez(…, X=x, y=y)`"));
        };
        let (numbers, finite) = array.matrix(&format!("`{x}`"), &self.place)?;
        let rows = numbers.first().map_or(0, Vec::len);
        let mut names = self.names(numbers.len())?;
        let mut columns: Vec<Column> = numbers.into_iter().map(Column::from).collect();
        let mut options = self.options.clone();
        if let Some((y, array)) = self.first(&["y", "target"])? {
            let column = self.target(y, array)?;
            if column.len() != rows {
                let problem =
                    format!("`{y}` has {}, but `{x}` {}", counted(column.len(), "value"), counted(rows, "row"));
                return Err(self.refuse(problem, "save one value per row"));
            }
            if options.target.is_empty() {
                options.target = y.into();
            }
            if names.contains(&options.target) {
                let expected =
                    format!("a feature has this name, but the target is the array `{y}`; choose another name");
                return Err(Error::parameter(OptionName::Target, &options.target, expected));
            }
            names.push(options.target.clone());
            columns.push(column);
        }
        assemble(TypedColumns { names, columns, finite, ..TypedColumns::default() }, &options, &self.place)
    }

    /// The names of so many features.
    fn names(&self, width: usize) -> Result<Vec<String>> {
        match self.first(&["names", "feature_names"])? {
            None => Ok((1..=width).map(|i| format!("f{i}")).collect()),
            Some((_, Array::Texts(names))) if names.len() == width => Ok(names),
            Some((what, Array::Texts(names))) => {
                let problem =
                    format!("`{what}` has {} for {}", counted(names.len(), "value"), counted(width, "feature"));
                Err(self.refuse(problem, "save one name per feature"))
            }
            Some((what, Array::Numbers { .. })) => {
                Err(self.refuse(format!("`{what}` holds numbers"), "save names as text (`names.astype(str)`)"))
            }
        }
    }

    /// The target's values, numbers or text.
    fn target(&self, what: &str, array: Array) -> Result<Column> {
        match array {
            Array::Texts(texts) => {
                let missing = |text: &str| number::is_missing(text.trim().as_bytes(), &self.options.missing);
                Ok(Categories::of(texts.iter().map(|text| (!missing(text)).then_some(text))).into())
            }
            Array::Numbers { mut columns, .. } if columns.len() == 1 => Ok(columns.swap_remove(0).into()),
            Array::Numbers { columns, .. } => {
                let problem = format!("`{what}` has {}", counted(columns.len(), "column"));
                Err(self.refuse(problem, "save one value per row (`y.argmax(axis=1)`, say)"))
            }
        }
    }

    /// The first of these arrays that is there.
    fn first<'n>(&self, names: &[&'n str]) -> Result<Option<(&'n str, Array)>> {
        for name in names {
            let Some(content) = self.archive.open(&format!("{name}.npy"), self.options.expansion) else { continue };
            return Ok(Some((name, array_of_member(content, &format!("`{name}`"), &self.place)?)));
        }
        Ok(None)
    }

    fn refuse(&self, problem: impl Into<Text>, remedy: &str) -> Error {
        Error::data(self.place.clone(), problem, remedy)
    }
}

/// Writes `X`, `y` and `names`; classes that are not numbers, or not written as numbers are, become text.
pub(crate) fn write(table: &Table, kept: &[u32], out: &mut dyn Write) -> io::Result<()> {
    let columns = only_numbers(table, kept, Format::Npz)?;
    let rows = table.n_rows();
    let mut zip = ArchiveWriter::new(out);
    zip.add("X.npy", &|out| {
        write_header("<f8", &[rows, columns.len()], out)?;
        columns.iter().try_for_each(|column| write_numbers(column, out))
    })?;
    let plain =
        |label: &String| number::whole(label.as_bytes()).is_some_and(|x| x.is_finite() && x.to_string() == *label);
    match table.target() {
        Target::Classes { labels, .. } if !labels.iter().all(plain) => {
            let texts: Vec<String> = (0..rows).map(|row| table.target().text(row)).collect();
            zip.add("y.npy", &|out| write_texts(&texts, out))?;
        }
        target => {
            let values = target_numbers(target, Format::Npz)?;
            zip.add("y.npy", &|out| {
                write_header("<f8", &[rows], out)?;
                write_numbers(&values, out)
            })?;
        }
    }
    let names: Vec<String> = kept.iter().map(|&feature| table.names()[feature as usize].clone()).collect();
    zip.add("names.npy", &|out| write_texts(&names, out))?;
    zip.finish()
}

/// Writes an array of texts, all as long as the longest.
fn write_texts(texts: &[String], out: &mut dyn Write) -> io::Result<()> {
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    write_header(&format!("<U{longest}"), &[texts.len()], out)?;
    for text in texts {
        let points = text.chars().chain(std::iter::repeat('\0')).take(longest);
        let bytes: Vec<u8> = points.flat_map(|c| u32::from(c).to_le_bytes()).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    fn read(bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
        read_table(Input::from_reader(io::Cursor::new(bytes), "a.npz"), options, &mut Context::default())
    }

    /// An array of numbers: its name, its shape, its values.
    type Given<'a> = (&'a str, &'a [usize], &'a [f64]);

    /// An archive of arrays.
    fn archive(arrays: &[Given<'_>]) -> Vec<u8> {
        let mut bytes = vec![];
        let mut zip = ArchiveWriter::new(&mut bytes);
        for (name, shape, values) in arrays {
            zip.add(&format!("{name}.npy"), &|out| {
                write_header("<f8", shape, out)?;
                write_numbers(values, out)
            })
            .expect("writes");
        }
        zip.finish().expect("writes");
        bytes
    }

    #[test]
    fn the_target_is_an_array_or_a_column() {
        let x = [1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 0.0, 1.0];
        let with_y = archive(&[("X", &[4, 2], &x), ("y", &[4], &[1.0, 1.0, 2.0, 2.0])]);
        let table = read(with_y.clone(), &ReadOptions::target("")).expect("reads");
        assert_eq!((table.target_name(), table.names().len()), ("y", 2));
        let error = read(with_y, &ReadOptions::target("f2")).expect_err("a feature").to_string();
        assert!(error.contains("the target is the array `y`"), "{error}");
        let without = archive(&[("data", &[4, 2], &x)]);
        assert_eq!(read(without.clone(), &ReadOptions::target("f2")).expect("reads").target_name(), "f2");
        let error = read(without, &ReadOptions::target("")).expect_err("no target").to_string();
        assert!(error.contains("say which column to explain"), "{error}");
    }

    #[test]
    fn arrays_that_do_not_belong_together_are_refused() {
        let cases: [(&[Given<'_>], &str); 6] = [
            (&[("Z", &[1], &[1.0])], "no array `X` or `data`, only `Z`"),
            (&[("X", &[2], &[1.0, 2.0])], "`X` has 1 dimension, not 2"),
            (&[("X", &[2, 1], &[1.0, 2.0]), ("y", &[1], &[1.0])], "`y` has 1 value, but `X` 2 rows"),
            (&[("X", &[1, 1], &[1.0]), ("y", &[1, 2], &[1.0, 2.0])], "`y` has 2 columns"),
            (&[("X", &[1, 1], &[1.0]), ("names", &[1], &[1.0])], "`names` holds numbers"),
            (&[("indptr", &[1], &[1.0])], "sparse"),
        ];
        for (arrays, says) in cases {
            let error = read(archive(arrays), &ReadOptions::target("")).expect_err(says).to_string();
            assert!(error.contains("a.npz") && error.contains(says), "{error}");
        }
        let error = read(b"1,2\n".to_vec(), &ReadOptions::target("")).expect_err("text").to_string();
        assert!(error.contains("np.savez"), "{error}");
    }

    #[test]
    fn a_member_expands_no_further_than_allowed() {
        // one deflated member that claims to hold nothing, and expands to a megabyte of zeros
        let mut content = vec![];
        write_header("<f8", &[1 << 16, 2], &mut content).expect("writes");
        content.resize(content.len() + (16 << 16), 0);
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&content).expect("packs");
        let packed = packer.finish().expect("packs");
        let mut bytes = vec![];
        let mut zip = ArchiveWriter::new(&mut bytes);
        zip.add("X.npy", &|out| out.write_all(&packed)).expect("writes");
        zip.finish().expect("writes");
        let entry = bytes.len() - 22 - 46 - "X.npy".len();
        bytes[entry + 10] = 8;
        bytes[entry + 24..entry + 28].fill(0);
        let mut options = ReadOptions::target("");
        options.expansion = crate::table::ExpansionLimit { bytes: 1 << 17, ratio: 2, ..Default::default() };
        let error = read(bytes.clone(), &options).expect_err("a bomb").to_string();
        assert!(error.contains("`a.npz`") && error.contains("`ReadOptions::expansion`"), "{error}");
        options.expansion = Default::default();
        let error = read(bytes, &options).expect_err("a lie").to_string();
        assert!(error.contains("damaged"), "{error}");
    }
}
