//! Options of the input: the file's format, the roles of its columns, missing values.

use super::values::{TaskArg, decimal, delimiter, size};
use clap::Args;
use std::path::PathBuf;
use tamis::catalogue::Preparation;
use tamis::front::OptionName;
use tamis::table::counts::{CountSettings, Normalize};
use tamis::table::{ExpansionLimit, Format, Model, ReadOptions, SampleFile, WeightKind};
use tamis::{Error, Result};

/// A table with a target.
#[derive(Debug, Args)]
pub struct TableOptions {
    /// The column to explain [needed unless the format has its own: libsvm, npy, npz]
    #[arg(long, value_name = "COL")]
    target: Option<String>,
    /// Positive class of two: differences are positive minus reference [default: not the reference]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    positive: Option<String>,
    /// The class that others are compared with [default: one with a usual name, such as control, normal, wt, untreated,
    /// placebo, before or 0; else the first in sorted order]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    reference: Option<String>,
    #[command(flatten)]
    pub columns: ColumnOptions,
    #[command(flatten)]
    pub layout: LayoutOptions,
    #[command(flatten)]
    pub reading: FormatOptions,
}

/// Tables with features in rows, or with samples in a file of their own.
#[derive(Debug, Args)]
pub struct LayoutOptions {
    /// Features are in rows: the first column names them, the header names samples
    #[arg(long)]
    transpose: bool,
    /// Sample sheet: a file with one row per sample, with the target and other annotation
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,
    /// The column of `--samples` that names the samples [default: its first]
    #[arg(long, value_name = "COL", requires = "samples")]
    sample_id: Option<String>,
}

impl LayoutOptions {
    /// Puts the layout into the options of a reader.
    pub fn fill(&self, options: &mut ReadOptions) {
        options.transpose = self.transpose;
        options.samples =
            self.samples.as_ref().map(|path| SampleFile { path: path.clone(), id: self.sample_id.clone() });
    }
}

/// Columns that are not features.
#[derive(Debug, Args)]
pub struct ColumnOptions {
    /// A column that names the rows (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// A column to leave out (repeatable)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
}

/// What the target is, and how much rows count.
#[derive(Debug, Args)]
pub struct RoleOptions {
    /// Treat the target as classes or as numeric [default: decided from the data]
    #[arg(long, value_enum)]
    pub task: Option<TaskArg>,
    /// The column of row weights
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    /// What row weights mean: `importance`, how much a row counts beside others (only ratios matter), or `frequency`, a row
    /// of weight 3 is three rows [default: importance]
    #[arg(long, value_name = "KIND", requires = "weight", value_parser = |text: &str| text.parse::<WeightKind>())]
    weight_kind: Option<WeightKind>,
}

/// Options of tables that are summed up row by row.
#[derive(Debug, Args)]
pub struct RowOptions {
    #[command(flatten)]
    pub roles: RoleOptions,
    /// Memory limit for reading, e.g. 2G; a table that needs more is read in pieces (`snbl`, the mutual-information
    /// filters, `pairs`, `npfs` on these)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
}

impl RowOptions {
    /// Puts task, weight and the bound on records into the options of a reader.
    pub fn fill(&self, options: &mut ReadOptions) {
        self.roles.fill(options);
        if let Some(memory) = self.memory {
            options.expansion.record = (memory / 4).max(LEAST_RECORD);
        }
    }
}

/// Bytes of a record that are read whatever `--memory` says.
const LEAST_RECORD: u64 = 4 << 20;

#[derive(Debug, Args)]
pub struct GroupOption {
    /// The column that assigns rows to groups: it is not a feature, and folds never split a group
    #[arg(long, value_name = "COL", conflicts_with = "block")]
    pub group: Option<String>,
}

/// Survival times.
#[derive(Debug, Args)]
pub struct EventOption {
    /// The column that makes the target a survival time: 1 or true where the event happened, 0 or false where it had not
    /// happened yet; if its labels are others, `--positive` names the one that means the event
    #[arg(long, value_name = "COL")]
    pub event: Option<String>,
}

impl EventOption {
    /// Puts the column into the options of a reader.
    pub fn fill(&self, options: &mut ReadOptions) {
        options.event.clone_from(&self.event);
    }
}

/// What features are adjusted for.
#[derive(Debug, Args)]
pub struct DesignOptions {
    /// A column to adjust for: numbers, or text as a factor (repeatable)
    #[arg(long, value_name = "COL")]
    pub covariate: Vec<String>,
    /// The column of blocks: paired or repeated rows, such as patients or donors (`snbl`). Where the target varies inside
    /// blocks, they are adjusted for; where it does not, or a class has many rows in a block, these are averaged
    #[arg(long, value_name = "COL")]
    pub block: Option<String>,
}

impl DesignOptions {
    /// Puts the columns into the options of a reader.
    pub fn fill(&self, options: &mut ReadOptions) {
        options.covariates.clone_from(&self.covariate);
        options.block.clone_from(&self.block);
    }
}

/// A linear model.
#[derive(Debug, Args)]
pub struct FormulaOptions {
    /// A linear model instead of --target and --covariate (`snbl`), in R's notation: '~ group * time + batch'; with + : * / ^
    /// - 0 1 and natural splines ns(x, df); names with other signs stand between backticks
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["target", "covariate", "event", "contrast", "positive", "reference"])]
    formula: Option<String>,
    /// With --formula: what is tested, a term (`group:time`, by F if it has several columns), a coefficient (`timelate`), or
    /// a sum of coefficients or levels ('late - early') [needed unless there is only one term]
    #[arg(long, value_name = "TERM", allow_hyphen_values = true)]
    test: Option<String>,
}

/// For a test without a formula.
const TEST_OF_MODEL: &str = "it says what is tested of a model; give one with `--formula`";

impl FormulaOptions {
    /// The model, if one is given.
    pub fn model(&self) -> Result<Option<Model>> {
        match (&self.formula, &self.test) {
            (Some(formula), test) => Model::new(formula, test.as_deref()).map(Some),
            (None, Some(test)) => Err(Error::parameter(OptionName::Test, test, TEST_OF_MODEL)),
            (None, None) => Ok(None),
        }
    }
}

/// Groups of rows in a command that has no folds to keep them together in.
#[derive(Debug, Args)]
pub struct GroupAsBlock {
    /// The same as `--block`
    #[arg(long, value_name = "COL", conflicts_with = "block")]
    group: Option<String>,
}

impl GroupAsBlock {
    /// Puts the column into the options of a reader.
    pub fn fill(&self, options: &mut ReadOptions) {
        if let Some(group) = &self.group {
            options.block = Some(group.clone());
        }
    }
}

#[derive(Debug, Args)]
pub struct KeepOption {
    /// A column to select whatever the method finds (repeatable)
    #[arg(long, value_name = "COL")]
    pub keep: Vec<String>,
}

/// Features that are counts.
#[derive(Debug, Args)]
pub struct CountOptions {
    /// Features are counts, of reads for instance: use log2 counts per million of each row's library size (`logcpm`);
    /// `tmm`: the same with TMM-scaled library sizes; `voom`: and with a precision for every value [default: none]
    #[arg(long, value_name = "HOW", value_parser = |text: &str| text.parse::<Normalize>())]
    normalize: Option<Normalize>,
    /// With --normalize: leave out features with fewer counts than this in too many rows; 0 uses all [default: 10]
    #[arg(long, value_name = "N", requires = "normalize", allow_negative_numbers = true)]
    min_count: Option<f64>,
}

/// Groups of features.
#[derive(Debug, Args)]
pub struct FeatureGroupsOption {
    /// Features that count together (`snbl`): a file of two columns, feature and group, or gene sets (.gmt). `select` tests
    /// each group as a set; one-hot columns of a group become one category
    #[arg(long = "feature-groups", id = "feature_groups", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// How text becomes a table.
#[derive(Debug, Args)]
pub struct FormatOptions {
    /// A text that stands for a missing value, like an empty cell, NA, NaN and ? (repeatable)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    missing: Vec<String>,
    /// Refuse missing values instead of leaving them out
    #[arg(long)]
    no_missing: bool,
    /// The format of the file [default: by its ending]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| text.parse::<Format>())]
    format: Option<Format>,
    /// The field separator; `\t` or `tab` for a tab [default: guessed]
    #[arg(long, value_name = "C", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The mark before decimals, `,` or `.` [default: .]
    #[arg(long, value_name = "C", value_parser = decimal)]
    decimal: Option<u8>,
    /// The sheet of a spreadsheet (.xlsx) [default: the only one with anything in it]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// Largest size after decompression of a compressed or sparse file, e.g. 20G [default: 1 GB plus 50 times the file]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_expanded: Option<u64>,
}

/// The text that refused missing values before there was `--no-missing`.
const REFUSING_TEXT: &str = "error";

impl TableOptions {
    /// The target's name; empty where none was given.
    pub fn target(&self) -> &str {
        self.target.as_deref().unwrap_or("")
    }

    /// Options for reading the table.
    pub fn options(&self) -> ReadOptions {
        self.options_for(self.target())
    }

    /// Options for reading the table with another target.
    pub fn options_for(&self, target: &str) -> ReadOptions {
        let mut options = self.reading.options(target);
        self.columns.fill(&mut options);
        self.layout.fill(&mut options);
        options.comparison.positive.clone_from(&self.positive);
        options.comparison.reference.clone_from(&self.reference);
        options
    }
}

impl ColumnOptions {
    /// Puts the columns into the options of a reader.
    pub fn fill(&self, options: &mut ReadOptions) {
        options.ids.clone_from(&self.id);
        options.drop.clone_from(&self.drop);
    }
}

impl RoleOptions {
    /// Puts task and weights into the options of a reader.
    pub fn fill(&self, options: &mut ReadOptions) {
        options.weight.clone_from(&self.weight);
        options.weight_kind = self.weight_kind.unwrap_or_default();
        options.task = self.task.map(Into::into);
    }
}

impl CountOptions {
    /// How values are prepared. A `--min-count` that has no effect is refused.
    pub fn preparation(&self) -> Result<Preparation> {
        let Some(normalize) = self.normalize else { return Ok(Preparation::default()) };
        let mut settings = CountSettings { normalize, ..CountSettings::default() };
        if let Some(min_count) = self.min_count {
            if normalize == Normalize::None {
                return Err(Error::NoEffect { name: OptionName::MinCount, beside: "`--normalize none`".into() });
            }
            settings.min_count = min_count;
        }
        settings.validate()?;
        Ok(Preparation { counts: Some(settings), ..Preparation::default() })
    }
}

impl FormatOptions {
    /// Options for reading `target` from a file.
    pub fn options(&self, target: &str) -> ReadOptions {
        let mut options = ReadOptions::target(target);
        options.refuse_missing = self.no_missing || self.has_refusing_text();
        options.missing.clone_from(&self.missing);
        if self.has_refusing_text() {
            options.missing.retain(|text| text != REFUSING_TEXT);
        }
        options.format = self.format;
        options.delimiter = self.delimiter;
        options.decimal = self.decimal;
        options.sheet.clone_from(&self.sheet);
        if let Some(bytes) = self.max_expanded {
            options.expansion = ExpansionLimit::of_bytes(bytes);
        }
        options
    }

    /// Whether missing values are refused by `--missing error`. Beside `--no-missing` it is a text like any other.
    pub fn has_refusing_text(&self) -> bool {
        !self.no_missing && self.missing.iter().any(|text| text == REFUSING_TEXT)
    }
}
