//! Commands with classifiers: `fit`, `predict`, `evaluate`.

use super::input::{
    CountOptions, DesignOptions, FeatureGroupsOption, FormatOptions, GroupOption, LayoutOptions, TableOptions,
};
use super::output::ResultOptions;
use super::running::{RunOptions, SeededRunOptions};
use super::settings::Settings;
use super::values::{CalibrateArg, Folds, folds};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Fit {
    /// A table, in any format that `select` reads
    pub file: PathBuf,
    /// Where to write the model
    #[arg(long, value_name = "PATH")]
    pub model: PathBuf,
    /// A classifier, or a selector whose features `--classifier` is trained on; see `tamis methods`
    #[arg(long, value_name = "NAME", default_value = "pfcvm-lp")]
    pub method: String,
    /// The classifier trained on a selector's features [default for a selector: logistic]
    #[arg(long, value_name = "NAME")]
    pub classifier: Option<String>,
    #[command(flatten)]
    pub settings: Settings,
    /// Calibrate probabilities by 5-fold cross-validation
    #[arg(long, value_enum, value_name = "HOW")]
    pub calibrate: Option<CalibrateArg>,
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    pub design: DesignOptions,
    #[command(flatten)]
    pub counts: CountOptions,
    #[command(flatten)]
    pub groups_of_features: FeatureGroupsOption,
    #[command(flatten)]
    pub run: SeededRunOptions,
}

#[derive(Debug, Args)]
pub struct Predict {
    /// A table with the model's columns; other columns are ignored
    pub file: PathBuf,
    /// The model, as `fit` wrote it
    #[arg(long, value_name = "PATH")]
    pub model: PathBuf,
    /// Write the predictions here as CSV [default: standard output]
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// A column that names the rows, to be written beside the predictions (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    #[command(flatten)]
    pub layout: LayoutOptions,
    #[command(flatten)]
    pub reading: FormatOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

#[derive(Debug, Args)]
pub struct Evaluate {
    /// Tables with classes and the same target, in any format that `select` reads; several are compared by average ranks
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A selector, a classifier, or `none` for all features (repeatable); see `tamis methods`
    /// [default: snbl, jmi, f, dlda, cart, and needed (its working set) and pfcvm-lp if each takes less than a minute]
    #[arg(long = "method", value_name = "NAME")]
    pub methods: Vec<String>,
    /// A classifier trained on a selector's features (repeatable)
    /// [default: logistic, and slda behind needed; naive-bayes where there are categories]
    #[arg(long = "classifier", value_name = "NAME")]
    pub classifiers: Vec<String>,
    #[command(flatten)]
    pub settings: Settings,
    /// Tune a parameter inside every fold, e.g. `jmi.k=5,10,20` (repeatable)
    #[arg(long, value_name = "METHOD.KEY=V1,V2,…")]
    pub tune: Vec<String>,
    /// Calibrate probabilities by 5-fold cross-validation within the training rows
    #[arg(long, value_enum, value_name = "HOW")]
    pub calibrate: Option<CalibrateArg>,
    /// Number of folds, or `loo` to leave out one row at a time (one group, with --group)
    #[arg(long, value_name = "N|loo", default_value = "10", value_parser = folds)]
    pub folds: Folds,
    /// Number of times the folds are drawn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeats: u32,
    /// Splits from a JSON file instead: {"splits": [{"train": [row, …], "test": [row, …]}, …]}
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "repeats", "group", "block"])]
    pub splits: Option<PathBuf>,
    #[command(flatten)]
    pub group: GroupOption,
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    pub design: DesignOptions,
    #[command(flatten)]
    pub counts: CountOptions,
    #[command(flatten)]
    pub groups_of_features: FeatureGroupsOption,
    /// Write one row per table and method to this file, as CSV or, if the name ends in .tsv, as TSV
    #[arg(long, value_name = "PATH")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub saving: ResultOptions,
    #[command(flatten)]
    pub run: SeededRunOptions,
}
