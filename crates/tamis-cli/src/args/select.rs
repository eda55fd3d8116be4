//! Commands that select: `select`, `shrink`, `npfs-decide`; and `describe`, which shows what `select` would use.

use super::input::{
    ColumnOptions, CountOptions, DesignOptions, EventOption, FeatureGroupsOption, FormatOptions, FormulaOptions,
    GroupAsBlock, KeepOption, RoleOptions, RowOptions, TableOptions,
};
use super::output::SelectionOptions;
use super::running::{RunOptions, SeededRunOptions};
use super::settings::{FdrOption, MinDifferenceOption, PermutationsOption, RowNoiseOptions, Settings};
use super::values::class_pair;
use clap::Args;
use std::path::PathBuf;
use tamis::table::ReadOptions;
use tamis::{Analysis, Result};

#[derive(Debug, Args)]
pub struct Select {
    /// A table: CSV, TSV, Excel (.xlsx), libsvm, ARFF, npy, npz, GEO's series matrix, a folder of 10x Genomics or .mtx, or,
    /// if built in, Parquet and Arrow; plain or compressed (.gz, .zst); `-` is standard input. Several files, a folder or a
    /// quoted pattern ('part-*.csv') are one table, read in pieces
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The method; see `tamis methods`
    #[arg(long, value_name = "NAME", default_value = "snbl")]
    pub method: String,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub fdr: FdrOption,
    #[command(flatten)]
    pub permutations: PermutationsOption,
    #[command(flatten)]
    pub min_difference: MinDifferenceOption,
    #[command(flatten)]
    pub row_noise: RowNoiseOptions,
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    pub event: EventOption,
    /// Of several classes, compare B with A, with variances from all classes (`snbl`)
    #[arg(long, value_name = "A,B", value_parser = class_pair, allow_hyphen_values = true, conflicts_with_all = ["positive", "reference"])]
    pub contrast: Option<[String; 2]>,
    #[command(flatten)]
    pub rows: RowOptions,
    #[command(flatten)]
    pub formula: FormulaOptions,
    #[command(flatten)]
    pub design: DesignOptions,
    #[command(flatten)]
    pub group: GroupAsBlock,
    #[command(flatten)]
    pub keep: KeepOption,
    #[command(flatten)]
    pub counts: CountOptions,
    #[command(flatten)]
    pub groups_of_features: FeatureGroupsOption,
    /// Write the table of groups, with their tests as sets, to this file: CSV, or TSV, Parquet or Arrow where its name ends so
    #[arg(long, value_name = "PATH", requires = "feature_groups")]
    pub groups_csv: Option<PathBuf>,
    /// Do not look for relations by shape, or only together with another feature, after `snbl`
    #[arg(long)]
    pub no_second_look: bool,
    /// Do not ask which of the named features are needed, given the others, after `snbl`
    #[arg(long)]
    pub no_needed: bool,
    /// Apply the selection of this earlier result to the file, and write its columns to `--reduced`
    #[arg(long, value_name = "RESULT.json", requires = "reduced", conflicts_with_all = ["method", "set", "fdr", "permutations", "min_difference", "block_model", "sample_weights", "contrast", "formula", "covariate", "block", "group", "json", "report", "keep", "memory", "normalize", "csv", "groups_csv", "feature_groups", "no_second_look", "no_needed"])]
    pub result: Option<PathBuf>,
    /// Write the table with only the selected columns and the target to this file; with `-`, standard output holds nothing
    /// else. With `--method needed` the columns are the findings' leads; `--set keep=working` takes the working set
    #[arg(long, value_name = "PATH")]
    pub reduced: Option<PathBuf>,
    #[command(flatten)]
    pub saving: SelectionOptions,
    #[command(flatten)]
    pub run: SeededRunOptions,
}

#[derive(Debug, Args)]
pub struct Describe {
    /// A table, in any format that `select` reads
    pub file: PathBuf,
    #[command(flatten)]
    pub table: TableOptions,
    #[command(flatten)]
    pub event: EventOption,
    #[command(flatten)]
    pub rows: RoleOptions,
    #[command(flatten)]
    pub design: DesignOptions,
    #[command(flatten)]
    pub group: GroupAsBlock,
    /// Write the description as JSON to this file; with `-`, standard output holds nothing else
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunOptions,
}

#[derive(Debug, Args)]
pub struct Shrink {
    /// A CSV or TSV file with one score per row; `-` is standard input
    pub file: PathBuf,
    /// The column of scores, each N(0, 1) if its feature has no effect [default: the only one, or what the table of limma,
    /// DESeq2, edgeR, MAST or scanpy has]
    #[arg(long, value_name = "COL", conflicts_with_all = ["beta", "pvalue"])]
    pub column: Option<String>,
    /// The column of estimates, each with a standard error
    #[arg(long, value_name = "COL", requires = "se", conflicts_with = "pvalue")]
    pub beta: Option<String>,
    /// The column of the estimates' standard errors
    #[arg(long, value_name = "COL", requires = "beta")]
    pub se: Option<String>,
    /// The column of two-sided p-values
    #[arg(long, value_name = "COL")]
    pub pvalue: Option<String>,
    /// The column whose signs the p-values have, such as a difference
    #[arg(long, value_name = "COL", requires = "pvalue")]
    pub sign: Option<String>,
    /// The scores, or estimates over their errors, are t statistics with so many degrees of freedom, or with those of a
    /// column
    #[arg(long, value_name = "N|COL", conflicts_with = "pvalue", allow_hyphen_values = true)]
    pub df: Option<String>,
    /// The column that names the features [default: row names or a first column of text, else row numbers]
    #[arg(long, value_name = "COL")]
    pub id: Option<String>,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub fdr: FdrOption,
    #[command(flatten)]
    pub reading: FormatOptions,
    #[command(flatten)]
    pub saving: SelectionOptions,
    #[command(flatten)]
    pub run: SeededRunOptions,
}

#[derive(Debug, Args)]
pub struct NpfsDecide {
    /// A table with a row per run and a column per feature: 1 where the run chose the feature, else 0
    pub file: PathBuf,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub columns: ColumnOptions,
    #[command(flatten)]
    pub reading: FormatOptions,
    #[command(flatten)]
    pub saving: SelectionOptions,
    #[command(flatten)]
    pub run: RunOptions,
}

impl Describe {
    /// Options for reading the table.
    pub fn options(&self) -> ReadOptions {
        let mut options = self.table.options();
        self.rows.fill(&mut options);
        self.event.fill(&mut options);
        self.design.fill(&mut options);
        self.group.fill(&mut options);
        options
    }
}

impl Select {
    /// The analysis that the options ask for.
    pub fn analysis(&self) -> Result<Analysis> {
        let short = [self.fdr.pair(), self.permutations.pair(), self.min_difference.pair()];
        let short = short.into_iter().chain(self.row_noise.pairs());
        Ok(Analysis {
            method: self.settings.method_with(&self.method, short)?,
            preparation: self.counts.preparation()?,
            second_look: self.no_second_look.then_some(false),
            needed: self.no_needed.then_some(false),
            sample_values: self.saving.result.report.is_some(),
            // beside another answer it would take five times as long as the answer
            working_set_curve: self.saving.result.report.is_some() && self.method == "needed",
            seed: self.run.seed(),
            ..Analysis::default()
        })
    }

    /// Options for reading the table with `target` as its target, or with the variables of a model.
    ///
    /// # Errors
    ///
    /// A formula that cannot be understood.
    pub fn options_for(&self, target: &str) -> Result<ReadOptions> {
        let options = self.options_without_model(target);
        Ok(match self.formula.model()? {
            None => options,
            Some(model) => options.of_model(model),
        })
    }

    /// Options for reading the table with `target` as its target.
    pub fn options_without_model(&self, target: &str) -> ReadOptions {
        let mut options = self.table.options_for(target);
        self.rows.fill(&mut options);
        self.event.fill(&mut options);
        options.comparison.contrast.clone_from(&self.contrast);
        options.keep.clone_from(&self.keep.keep);
        self.design.fill(&mut options);
        self.group.fill(&mut options);
        options
    }
}
