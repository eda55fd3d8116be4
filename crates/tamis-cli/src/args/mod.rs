//! The command line: one struct per command, made of groups of options that are written once.

mod classify;
mod input;
mod output;
mod running;
mod select;
mod settings;
mod shards;
mod values;
mod without_table;

pub use classify::{Evaluate, Fit, Predict};
pub use input::FormatOptions;
pub use output::SelectionOptions;
pub use running::RunOptions;
pub use select::{Describe, NpfsDecide, Select, Shrink};
pub use shards::{Merge, Partial, Profile};
pub use values::Folds;
#[cfg(not(target_os = "wasi"))]
pub use without_table::{Completions, Man};
pub use without_table::{Demo, Methods, Report, Schema, Simulate};

use clap::{Parser, Subcommand};

/// How many features matter, and which, with a probability for each.
#[derive(Debug, Parser)]
#[command(name = "tamis", version = crate::version::version(), max_term_width = 100, subcommand_required = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a table with known truth, select from it, compare with the truth and write the files
    Demo(Demo),
    /// Find the features of a table that matter, and how many there are
    Select(Box<Select>),
    /// Show how a file is understood, without computing anything: columns, target, covariates, blocks, what is set aside
    Describe(Describe),
    /// Find the features that matter from scores you already have, one z per row (from limma or DESeq2, say)
    Shrink(Shrink),
    /// Train a classifier, on all features or on those a selector chooses
    Fit(Fit),
    /// Predict labels and probabilities for the rows of a file with a trained classifier
    Predict(Predict),
    /// Compare methods and classifiers on your data, repeating the selection in every fold, and recommend one
    Evaluate(Evaluate),
    /// Test which features your own selector chose more often than by chance, from a 0/1 matrix of its runs
    NpfsDecide(NpfsDecide),
    /// Write the report of a result that was saved with `--json`
    Report(Report),
    /// List the methods: parameters, defaults, ranges, cost, reference
    Methods(Methods),
    /// Print the JSON Schema of the files that tamis writes: results, evaluations, models
    Schema(Schema),
    /// Write the papers' synthetic data, and the truth to a second file
    Simulate(Simulate),
    /// Summarise the target of all shards, for `partial --profile`
    Profile(Profile),
    /// Summarise one shard of a table in a state that `merge` reads
    Partial(Partial),
    /// Merge the states of all shards into the answer for the whole table
    Merge(Merge),
    /// Print the completions of a shell
    #[cfg(not(target_os = "wasi"))]
    Completions(Completions),
    /// Print a manual page, or write all of them to a folder
    #[cfg(not(target_os = "wasi"))]
    Man(Man),
}

impl Command {
    /// The options of reading and running, for commands that read a table.
    pub fn reading(&self) -> Option<(&FormatOptions, &RunOptions)> {
        match self {
            Command::Select(args) => Some((&args.table.reading, &args.run.running)),
            Command::Describe(args) => Some((&args.table.reading, &args.run)),
            Command::Shrink(args) => Some((&args.reading, &args.run.running)),
            Command::Fit(args) => Some((&args.table.reading, &args.run.running)),
            Command::Predict(args) => Some((&args.reading, &args.run)),
            Command::Evaluate(args) => Some((&args.table.reading, &args.run.running)),
            Command::NpfsDecide(args) => Some((&args.reading, &args.run)),
            Command::Partial(args) => Some((&args.shards.table.reading, &args.shards.run.running)),
            Command::Profile(args) => Some((&args.shards.table.reading, &args.shards.run.running)),
            _ => None,
        }
    }
}
