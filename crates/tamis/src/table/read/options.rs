//! What a reader is asked for: the roles of columns, the format, the columns of statistics.

use crate::base::{Error, Note, OptionName, Result};
use crate::table::read::number::Decimal;
use crate::table::read::open::{ExpansionLimit, Input};
use crate::table::{Format, Model, RequestedComparison, Task, WeightKind};
use std::path::{Path, PathBuf};

/// Options for reading a file: the roles of its columns, its format, its missing values.
///
/// ```
/// use tamis::prelude::*;
///
/// let text = "age,sex,outcome\n61,f,ill\n44,m,well\n58,f,ill\n39,m,well\n";
/// let input = Input::from_reader(std::io::Cursor::new(text), "patients.csv");
/// let options = ReadOptions { drop: vec!["sex".into()], ..ReadOptions::target("outcome") };
/// let table = read(input, &options, &mut Silent)?;
/// assert_eq!(table.names().to_vec(), ["age"]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The column to explain; may be empty where the format has one of its own (libsvm, npy, npz).
    pub target: String,
    /// The column that says whether the event happened, 1 or 0; the target is then the time until it did, or until the row
    /// was last seen without it.
    pub event: Option<String>,
    /// Columns that identify rows.
    pub ids: Vec<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns that are selected whatever the method says.
    pub keep: Vec<String>,
    /// Read these features and no others; the target may then be absent, for rows whose target is not known.
    pub only: Option<Vec<String>>,
    /// Every column is a feature and none the target.
    pub no_target: bool,
    /// The column of row weights.
    pub weight: Option<String>,
    /// What they mean.
    pub weight_kind: WeightKind,
    /// The column of groups: rows of a group belong together.
    pub group: Option<String>,
    /// Columns that features are adjusted for: numbers, or text as a factor.
    pub covariates: Vec<String>,
    /// The linear model that is tested; its variables must be the target and the covariates ([`ReadOptions::of_model`]).
    pub model: Option<Model>,
    /// The column of blocks: paired or repeated rows.
    pub block: Option<String>,
    /// Further texts that mean *missing*, beside an empty cell, `NA`, `NaN` and `?`.
    pub missing: Vec<String>,
    /// Refuse a file in which any feature has a missing value.
    pub refuse_missing: bool,
    /// The format; by the file's ending if `None`.
    pub format: Option<Format>,
    /// The field separator; guessed if `None`.
    pub delimiter: Option<u8>,
    /// The mark before decimals, `,` or `.`; a point if `None`.
    pub decimal: Option<u8>,
    /// Whether features are in rows: the first column names them, and the header names samples.
    pub transpose: bool,
    /// A file with a row per sample, which holds the target and other columns that are no features.
    pub samples: Option<SampleFile>,
    /// The sheet of a spreadsheet; the first if `None`.
    pub sheet: Option<String>,
    /// The task, classes or numeric; decided from the data if `None`.
    pub task: Option<Task>,
    /// The classes that are compared. Of two, a class with a usual name (control, ctrl, normal, healthy, wt, untreated,
    /// placebo, baseline, before, 0 and the like) is the reference unless others are named here, else the first in sorted
    /// order. With `event`, its positive class is the
    /// label of that column that means the event.
    pub comparison: RequestedComparison,
    /// How far a compressed file may expand.
    pub expansion: ExpansionLimit,
}

impl ReadOptions {
    /// The defaults, for this target.
    pub fn target(name: impl Into<String>) -> Self {
        ReadOptions {
            target: name.into(),
            event: None,
            ids: vec![],
            drop: vec![],
            keep: vec![],
            only: None,
            no_target: false,
            weight: None,
            weight_kind: WeightKind::default(),
            group: None,
            covariates: vec![],
            model: None,
            block: None,
            missing: vec![],
            refuse_missing: false,
            format: None,
            delimiter: None,
            decimal: None,
            transpose: false,
            samples: None,
            sheet: None,
            task: None,
            comparison: RequestedComparison::default(),
            expansion: ExpansionLimit::default(),
        }
    }

    /// The options with the variables of a model as target and covariates.
    pub fn of_model(mut self, model: Model) -> Self {
        self.target = model.target().into();
        self.covariates = model.covariates().into_iter().map(Into::into).collect();
        self.model = Some(model);
        self
    }

    /// How cells are read: further texts that mean *missing*, and the decimal mark.
    pub(crate) fn cells(&self) -> (&[String], Decimal) {
        (&self.missing, Decimal::of(self.decimal))
    }
}

/// A file with a row per sample.
///
/// ```
/// use tamis::prelude::*;
///
/// let mut options = ReadOptions::target("group");
/// options.transpose = true;
/// options.samples = Some(SampleFile { path: "samples.csv".into(), id: Some("sample".into()) });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleFile {
    /// Where it is.
    pub path: PathBuf,
    /// The column that names the samples; the first if `None`.
    pub id: Option<String>,
}

/// Columns of numbers with a row per feature, and what names the rows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StatisticTable {
    /// A name per row: the `id` column's, or the row names', or the row numbers.
    pub names: Vec<String>,
    /// The columns that were chosen, in the order of the choice; NaN where missing.
    pub columns: Vec<(String, Vec<f64>)>,
    /// Notes on how the file was read.
    pub notes: Vec<Note>,
}

/// Which columns of a header are read.
pub type ColumnChoice<'a> = dyn Fn(&[String]) -> Result<Vec<String>> + 'a;

/// The format of an input: as asked for, or by its ending. A delimiter for a format without one is refused.
pub(crate) fn format_of(input: &Input, options: &ReadOptions) -> Result<Format> {
    let format = options.format.unwrap_or_else(|| Format::of_path(Path::new(input.name())));
    if let Some(sheet) = options.sheet.as_ref().filter(|_| format != Format::Xlsx) {
        let expected = format!("a file in the format {format} has no sheets; leave it out");
        return Err(Error::parameter(OptionName::Sheet, sheet, expected));
    }
    let is_text = matches!(format, Format::Csv | Format::Tsv | Format::Geo);
    if let Some(mark) = options.decimal.filter(|mark| *mark != b'.' && !is_text) {
        let expected = format!("a file in the format {format} has numbers of its own; leave it out");
        return Err(Error::parameter(OptionName::Decimal, char::from(mark), expected));
    }
    match options.delimiter {
        Some(c) if !matches!(format, Format::Csv | Format::Tsv) => {
            let expected = format!("a file in the format {format} has no delimiter; leave it out");
            Err(Error::parameter(OptionName::Delimiter, char::from(c), expected))
        }
        _ => Ok(format),
    }
}
