//! Options of the output.

use crate::files::{Content, Destination};
use clap::Args;
use std::path::PathBuf;

/// Where a result goes.
#[derive(Debug, Args)]
pub struct ResultOptions {
    /// Write the whole result as JSON here; `-` is standard output, and nothing else goes there then
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// Write the result as a page to look at here: one HTML file that needs nothing else
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
