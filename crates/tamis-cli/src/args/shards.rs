//! Commands for tables in shards: `profile`, `partial`, `merge`.

use super::input::{DesignOptions, KeepOption, RowOptions, TableOptions};
use super::output::SelectionOptions;
use super::running::{RunOptions, SeededRunOptions};
use super::settings::{FdrOption, Settings};
use clap::Args;
use std::path::PathBuf;
use tamis::Result;
use tamis::front::Stream;

/// How shards are read, for `snbl`.
#[derive(Debug, Args)]
pub struct ShardOptions {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    design: DesignOptions,
    #[command(flatten)]
    rows: RowOptions,
    #[command(flatten)]
    pub run: SeededRunOptions,
}

impl ShardOptions {
    /// What reads them.
    ///
    /// # Errors
    ///
    /// Settings that the method does not have.
    pub fn stream(&self) -> Result<Stream> {
        let mut options = self.table.options();
        self.rows.fill(&mut options);
        self.design.fill(&mut options);
        let method = self.settings.method("snbl")?.into_snbl()?;
        Ok(Stream { options, method, seed: self.run.seed(), memory: self.rows.memory })
    }
}

#[derive(Debug, Args)]
#[command(mut_arg("target", |target| target.required(true).help("The column to explain")))]
#[command(mut_arg("block", |block| block.hide(true)))] // refused with a reason
pub struct Partial {
    /// A shard: CSV, TSV or, if built in, Parquet; plain or compressed (.gz, .zst); `-` is standard input. Several files,
    /// a folder or a quoted pattern are one shard
    #[arg(required = true, value_name = "SHARD")]
    pub files: Vec<PathBuf>,
    /// The profile of the whole table, from `tamis profile`: each row then draws null targets, and `merge` gives the answer
    /// of one machine. Without it features are taken as independent
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<PathBuf>,
    /// Where to write the state
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    #[command(flatten)]
    pub shards: ShardOptions,
}

#[derive(Debug, Args)]
#[command(mut_arg("target", |target| target.required(true).help("The column to explain")))]
#[command(mut_arg("block", |block| block.hide(true)))] // refused with a reason
pub struct Profile {
    /// Shards, of which only the target, weights and covariates are parsed, or profiles of shards; a quoted pattern stands
    /// for all matching files
    #[arg(required = true, value_name = "SHARD_OR_PROFILE")]
    pub files: Vec<PathBuf>,
    /// Where to write the profile
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    #[command(flatten)]
    pub shards: ShardOptions,
}

#[derive(Debug, Args)]
pub struct Merge {
    /// States written by `partial`, in any order; a quoted pattern ('*.part') stands for all matching files
    #[arg(required = true, value_name = "PART")]
    pub parts: Vec<PathBuf>,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub fdr: FdrOption,
    #[command(flatten)]
    pub keep: KeepOption,
    #[command(flatten)]
    pub saving: SelectionOptions,
    #[command(flatten)]
    pub running: RunOptions,
}
