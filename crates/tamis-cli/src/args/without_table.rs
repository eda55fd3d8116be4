//! Commands that need no table: `demo`, `report`, `methods`, `schema`, `simulate`, `completions`, `man`.

use super::running::{Random, SeededRunOptions};
use super::settings::Settings;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Demo {
    /// The folder to write to, created if necessary
    #[arg(long, value_name = "DIR", default_value = "tamis-demo")]
    pub out: PathBuf,
    #[command(flatten)]
    pub run: SeededRunOptions,
}

#[derive(Debug, Args)]
pub struct Report {
    /// A result of any command, written by `--json`; `-` is standard input
    pub file: PathBuf,
    /// The page to write
    #[arg(long, value_name = "PATH", default_value = "report.html")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct Methods {
    /// Show this method in full
    pub name: Option<String>,
    /// Print the methods as JSON, with every parameter
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Schema {
    /// The kind of file: result, evaluation or model [default: all of them]
    pub kind: Option<String>,
}

#[cfg(not(target_os = "wasi"))]
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[cfg(not(target_os = "wasi"))]
#[derive(Debug, Args)]
pub struct Man {
    /// The command that the page is about [default: the program]
    pub command: Option<String>,
    /// Write a page for the program and one for every command to this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Simulate {
    /// The kind of data; without it, all kinds are listed with their parameters
    pub kind: Option<String>,
    /// The file to write; a second file next to it holds the truth
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub random: Random,
}
