//! Options of the output.

use crate::outputs::{Content, Destination};
use crate::provenance::Provenance;
use clap::Args;
use std::path::{Path, PathBuf};

/// Where a result goes.
#[derive(Debug, Args)]
pub struct ResultOptions {
    /// Write the whole result as JSON to this file; with `-`, standard output holds nothing else
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// Write a report to this file: one HTML page that works offline
    #[arg(long, value_name = "PATH")]
    pub report: Option<PathBuf>,
    /// What the JSON holds of the place of the input
    #[arg(long, value_enum, value_name = "WHAT", default_value = "name", requires = "json")]
    pub provenance: Provenance,
}

/// Where a selection goes.
#[derive(Debug, Args)]
pub struct SelectionOptions {
    #[command(flatten)]
    pub result: ResultOptions,
    /// Write the whole table of features to this file, best first: CSV, or TSV, Parquet or Arrow where its name ends so; with
    /// `-`, standard output holds nothing else
    #[arg(long, value_name = "PATH")]
    pub csv: Option<PathBuf>,
}

impl SelectionOptions {
    /// The files to write, by the option that names each.
    pub fn outputs(&self) -> impl Iterator<Item = Destination<'_>> {
        let csv = Destination::new("--csv", Content::Features, self.csv.as_deref()).or_standard_output();
        self.result.outputs().into_iter().chain([csv])
    }

    /// Refuses two outputs for standard output, one of which may be the reduced table.
    pub fn check(&self, reduced: Option<&Path>) -> tamis::Result<()> {
        let outputs = [("--json", self.result.json.as_deref()), ("--csv", self.csv.as_deref()), ("--reduced", reduced)];
        let mut there = outputs.into_iter().filter(|(_, path)| *path == Some(Path::new("-")));
        if let (Some((first, _)), Some((second, _))) = (there.next(), there.next()) {
            let remedy = format!("`{first}` goes there already; give one of them a name");
            return Err(tamis::Error::parameter(second, "-", remedy));
        }
        Ok(())
    }
}

impl ResultOptions {
    /// The files to write, by the option that names each.
    pub fn outputs(&self) -> [Destination<'_>; 2] {
        [
            Destination::new("--json", Content::Json, self.json.as_deref()).or_standard_output(),
            Destination::new("--report", Content::Page, self.report.as_deref()),
        ]
    }
}
