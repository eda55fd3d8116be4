//! What an output file holds, and the endings that promise something else.

use std::path::Path;
use tamis::{Error, Result};

/// What is written to an output file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A result as JSON.
    Json,
    /// A page of HTML.
    Page,
    /// Rows of CSV, or of TSV where the name ends so.
    Rows,
    /// The table of features: CSV, or TSV, Parquet or Arrow where the name ends so.
    Features,
    /// A table, in the format that its ending names.
    Table,
    /// A trained model.
    Model,
    /// The state of a shard.
    State,
    /// Something whose name the program has chosen.
    Any,
}

/// Endings of tables that tamis writes.
const TABLES: [&str; 14] = [
    "csv", "tsv", "tab", "libsvm", "svm", "svmlight", "arff", "npy", "npz", "parquet", "pq", "arrow", "feather", "ipc",
];
/// Endings of formats that tamis does not write.
const FOREIGN: [&str; 26] = [
    "mtx", "gmt", "xlsx", "xlsm", "xls", "ods", "rds", "rda", "rdata", "mat", "h5", "hdf5", "h5ad", "loom", "pkl",
    "sav", "dta", "pdf", "png", "svg", "xml", "yaml", "md", "zip", "bz2", "xz",
];

impl Content {
    /// Refuses a name whose ending promises another format. An ending that promises nothing is no fault.
    pub fn check_ending(self, option: &'static str, path: &Path) -> Result<()> {
        if self == Content::Any {
            return Ok(());
        }
        let Some(ending) = ending(path) else { return Ok(()) };
        let ending = ending.as_str();
        let known = TABLES.contains(&ending) || FOREIGN.contains(&ending) || ["json", "html", "htm"].contains(&ending);
        if !known || self.own().contains(&ending) {
            return Ok(());
        }
        Err(Error::parameter(option, path.display(), self.remedy()))
    }

    /// The endings that say what this is.
    fn own(self) -> &'static [&'static str] {
        match self {
            Content::Json | Content::Model => &["json"],
            Content::Page => &["html", "htm"],
            Content::Rows => &["csv", "tsv", "tab"],
            Content::Features => &["csv", "tsv", "tab", "parquet", "pq", "arrow", "feather", "ipc"],
            Content::Table => &TABLES,
            Content::State | Content::Any => &[],
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Content::Json => "the result is written as JSON; end the name in .json",
            Content::Page => "the report is an HTML page; end the name in .html",
            Content::Rows => "it is written as CSV; end the name in .csv or .tsv",
            Content::Features => "it is written as CSV; end the name in .csv, .tsv, .parquet or .arrow",
            Content::Table => {
                "this format cannot be written; end the name in .csv, .tsv, .libsvm, .arff, .npy, .npz or .parquet"
            }
            Content::Model => "the model is written as JSON; end the name in .json",
            Content::Any => "choose another name",
            Content::State => "the state has a format of its own; end the name in .part",
        }
    }
}

/// The separator that a name asks for: tabs where it ends in .tsv or .tab, else commas.
pub fn separator(path: &Path) -> u8 {
    match ending(path).as_deref() {
        Some("tsv" | "tab") => b'\t',
        _ => b',',
    }
}

/// The last part of a name, in small letters, behind which a compressor may have put its own.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    plain.rsplit_once('.').map(|(_, ending)| ending.to_string())
}
