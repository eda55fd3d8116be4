//! Which format a file has, by its ending or because the user says so.

use crate::base::parameter::{name_of, named};
use crate::base::{Error, Result};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format that tables are read from and written to.
///
/// ```
/// use std::path::Path;
/// use tamis::prelude::*;
///
/// assert_eq!(Format::of_path(Path::new("genes.tsv.gz")), Format::Tsv);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Delimited text; the delimiter is guessed when reading.
    Csv,
    /// Delimited text, separated by tabs when writing.
    Tsv,
    /// Lines of `label index:value …`, as LIBSVM and SVMlight have them.
    Libsvm,
    /// Weka's attribute-relation text.
    Arff,
    /// One array of NumPy.
    Npy,
    /// Named arrays of NumPy in a zip archive.
    Npz,
    /// Parquet; needs the feature `parquet`.
    Parquet,
    /// A sheet of a spreadsheet; needs the feature `spreadsheet`.
    Xlsx,
    /// A sparse matrix in Matrix Market's coordinates.
    Mtx,
    /// A series matrix of the Gene Expression Omnibus.
    Geo,
    /// Arrow's IPC file, also known as Feather 2, or IPC stream; needs the feature `parquet`.
    Arrow,
}

impl Format {
    /// Every format with the name users type.
    const ALL: &'static [(&'static str, Format)] = &[
        ("csv", Format::Csv),
        ("tsv", Format::Tsv),
        ("libsvm", Format::Libsvm),
        ("arff", Format::Arff),
        ("npy", Format::Npy),
        ("npz", Format::Npz),
        ("parquet", Format::Parquet),
        ("arrow", Format::Arrow),
        ("xlsx", Format::Xlsx),
        ("geo", Format::Geo),
        ("mtx", Format::Mtx),
    ];

    /// The format of a file by its ending, with any `.gz` or `.zst` taken off; delimited text if it says nothing.
    pub fn of_path(path: &Path) -> Format {
        let name = path.to_string_lossy().to_lowercase();
        let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        if plain.ends_with("series_matrix.txt") {
            return Format::Geo;
        }
        match plain.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "xlsx" => Format::Xlsx,
            "mtx" => Format::Mtx,
            "tsv" | "tab" => Format::Tsv,
            "libsvm" | "svm" | "svmlight" => Format::Libsvm,
            "arff" => Format::Arff,
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "arrows" | "feather" | "ipc" => Format::Arrow,
            _ => Format::Csv,
        }
    }
}

impl FromStr for Format {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        named(Self::ALL, "format", text)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(Self::ALL, self))
    }
}
