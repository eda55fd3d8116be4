//! Options of the output.

use crate::outputs::{Content, Destination};
use clap::Args;
use std::path::PathBuf;

/// Where a result goes.
#[derive(Debug, Args)]
pub struct ResultOptions {
    /// Write the whole result as JSON to this file; with `-`, standard output holds nothing else
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// Write a report to this file: one HTML page that works offline
    #[arg(long, value_name = "PATH")]
    pub report: Option<PathBuf>,
}

impl ResultOptions {
    /// The files to write, by the option that names each.
    pub fn outputs(&self) -> [Destination<'_>; 2] {
        [
            Destination::new("--json", Content::Json, self.json.as_deref()),
            Destination::new("--report", Content::Page, self.report.as_deref()),
        ]
    }
}
