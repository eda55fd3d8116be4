//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use tamis::table::{ExpansionLimit, Format, ReadOptions, Task};
use tamis::{Error, Method, Result};

/// How many features matter, and which, with a probability for each.
#[derive(Debug, Parser)]
#[command(name = "tamis", version, about, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// A simulated table with known truth: select, compare with the truth, write the files
    Demo(Demo),
    /// Which features of a table matter, and how many
    Select(Select),
    /// The same from scores you already have, one z per row (from limma or DESeq2, say)
    Shrink(Shrink),
    /// Train a classifier, on all features or on those a selector chooses
    Fit(Fit),
    /// Labels and probabilities for the rows of a file, by a trained classifier
    Predict(Predict),
    /// Which method to trust on these data: methods and classifiers compared, selection inside every fold
    Evaluate(Evaluate),
    /// Which features a selector of yours chose too often for chance, from its 0/1 matrix of runs
    NpfsDecide(NpfsDecide),
    /// Draw a result that was saved with `--json`
    Report(Report),
    /// What methods there are: parameters, defaults, ranges, cost, reference
    Methods(Methods),
    /// The papers' synthetic data, with the truth beside them
    Simulate(Simulate),
    /// The mergeable state of one shard of a table, for `merge`
    Partial(Partial),
    /// One answer from the states of many shards, as if the table had been read whole
    Merge(Merge),
}

#[derive(Debug, Args)]
pub struct Demo {
    /// The folder to write to; it is created
    #[arg(long, value_name = "DIR", default_value = "tamis-demo")]
    pub out: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Select {
    /// A table: CSV, TSV, libsvm, ARFF, npy, npz or, if built in, Parquet and Arrow; plain or compressed (.gz, .zst);
    /// `-` is standard input. Several files, a folder or a quoted pattern ('part-*.csv') are one table, read in pieces
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The column to explain [needed unless the format has its own: libsvm, npy, npz]
    #[arg(long, value_name = "COL", default_value = "", hide_default_value = true)]
    pub target: String,
    /// Read a table that would take more memory than this in pieces, e.g. 2G (`snbl`, the filters that count information,
    /// `npfs` on those)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
    /// The method; see `tamis methods`
    #[arg(long, value_name = "NAME", default_value = "snbl")]
    pub method: String,
    /// The class that counts as positive [default: the last in sorted order]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<String>,
    /// Take the target as classes or as a number [default: decided from the data]
    #[arg(long, value_enum)]
    pub task: Option<TaskArg>,
    /// A column that names the rows (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// A column to leave out (repeatable)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
    /// A column that is selected whatever the method says (repeatable)
    #[arg(long, value_name = "COL")]
    pub keep: Vec<String>,
    /// The column of row weights: a row of weight 3 counts as three rows
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    /// The column of groups, rows that belong together; it is not a feature
    #[arg(long, value_name = "COL")]
    pub group: Option<String>,
    /// Apply the selection of this result to the file instead of making one: `--reduced` gets its columns
    #[arg(long, value_name = "RESULT.json", requires = "reduced", conflicts_with_all = ["method", "set", "json", "report", "keep", "memory"])]
    pub result: Option<PathBuf>,
    /// Write the table with only the selected columns and the target here
    #[arg(long, value_name = "PATH")]
    pub reduced: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub json: Json,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Shrink {
    /// A CSV or TSV file with one score per row; `-` is standard input
    pub file: PathBuf,
    /// The column of scores, each N(0, 1) if its feature does not matter [default: the only one]
    #[arg(long, value_name = "COL", default_value = "", hide_default_value = true)]
    pub column: String,
    /// The scores are t statistics with this many degrees of freedom: map them to z first
    #[arg(long, value_name = "N")]
    pub df: Option<f64>,
    /// The column that names the features [default: row names or a first column of text, else row numbers]
    #[arg(long, value_name = "COL")]
    pub id: Option<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub json: Json,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Fit {
    /// A table, in any format that `select` reads
    pub file: PathBuf,
    /// The column to explain [needed unless the format has its own: libsvm, npy, npz]
    #[arg(long, value_name = "COL", default_value = "", hide_default_value = true)]
    pub target: String,
    /// Where to write the model
    #[arg(long, value_name = "PATH")]
    pub model: PathBuf,
    /// A classifier, or a selector whose features `--classifier` is trained on; see `tamis methods`
    #[arg(long, value_name = "NAME", default_value = "pfcvm-lp")]
    pub method: String,
    /// What classifies by a selector's features [default for a selector: logistic]
    #[arg(long, value_name = "NAME")]
    pub classifier: Option<String>,
    /// The class that counts as positive [default: the last in sorted order]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<String>,
    /// A column that names the rows (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// A column to leave out (repeatable)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Predict {
    /// A table with the model's columns; others are left out
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
    pub reading: Reading,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Evaluate {
    /// Tables with classes, in any format that `select` reads; several are compared by average ranks
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The column to explain, the same in every file [needed unless the format has its own: libsvm, npy, npz]
    #[arg(long, value_name = "COL", default_value = "", hide_default_value = true)]
    pub target: String,
    /// A selector, a classifier, or `none` for all features (repeatable); see `tamis methods`
    /// [default: snbl, jmi, f, dlda, cart; npfs and pfcvm-lp take longer]
    #[arg(long = "method", value_name = "NAME")]
    pub methods: Vec<String>,
    /// What classifies by a selector's features (repeatable) [default: logistic; naive-bayes where there are categories]
    #[arg(long = "classifier", value_name = "NAME")]
    pub classifiers: Vec<String>,
    /// Choose a parameter inside every fold, e.g. `jmi.k=5,10,20` (repeatable)
    #[arg(long, value_name = "METHOD.KEY=V1,V2,…")]
    pub tune: Vec<String>,
    /// How many folds, or `loo` to leave out one row at a time (one group, with --group)
    #[arg(long, value_name = "N|loo", default_value = "10", value_parser = folds)]
    pub folds: Folds,
    /// How often the folds are drawn
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeats: u32,
    /// Splits from a JSON file instead: {"splits": [{"train": [row, …], "test": [row, …]}, …]}
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "repeats", "group"])]
    pub splits: Option<PathBuf>,
    /// The class that counts as positive [default: the last in sorted order]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<String>,
    /// A column that names the rows (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// A column to leave out (repeatable)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
    /// A column of groups: rows of a group never straddle folds
    #[arg(long, value_name = "COL")]
    pub group: Option<String>,
    /// Write a row per table and method as CSV here
    #[arg(long, value_name = "PATH")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub json: Json,
    #[command(flatten)]
    pub common: Common,
}

/// How many folds.
#[derive(Debug, Clone, Copy)]
pub enum Folds {
    LeaveOneOut,
    Count(usize),
}

#[derive(Debug, Args)]
pub struct NpfsDecide {
    /// A table with a row per run and a column per feature: 1 where the run chose the feature, else 0
    pub file: PathBuf,
    /// A column that names the runs (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// A column to leave out (repeatable)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub json: Json,
    #[command(flatten)]
    pub common: Common,
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
}

#[derive(Debug, Args)]
pub struct Simulate {
    /// What to simulate; without it, all kinds are listed with their parameters
    pub kind: Option<String>,
    /// The file to write; the truth goes to a file beside it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub settings: Settings,
}

#[derive(Debug, Args)]
pub struct Partial {
    /// A shard: CSV, TSV or, if built in, Parquet; plain or compressed (.gz, .zst); `-` is standard input. Several files,
    /// a folder or a quoted pattern are one shard
    #[arg(required = true, value_name = "SHARD")]
    pub files: Vec<PathBuf>,
    /// The column to explain
    #[arg(long, value_name = "COL")]
    pub target: String,
    /// Where to write the state
    #[arg(long, value_name = "PATH")]
    pub out: PathBuf,
    /// The class that counts as positive [default: the last in sorted order]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<String>,
    /// Take the target as classes or as a number [default: decided from all shards]
    #[arg(long, value_enum)]
    pub task: Option<TaskArg>,
    /// A column that names the rows (repeatable)
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// A column to leave out (repeatable)
    #[arg(long, value_name = "COL")]
    pub drop: Vec<String>,
    /// The column of row weights: a row of weight 3 counts as three rows
    #[arg(long, value_name = "COL")]
    pub weight: Option<String>,
    /// The memory that reading may take, e.g. 500M
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
pub struct Merge {
    /// States that `partial` wrote, in any order; a quoted pattern ('*.part') stands for all that fit
    #[arg(required = true, value_name = "PART")]
    pub parts: Vec<PathBuf>,
    /// A column that is selected whatever the method says (repeatable)
    #[arg(long, value_name = "COL")]
    pub keep: Vec<String>,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub json: Json,
    /// How many threads to use [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// No progress bar and no notes
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Common {
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many threads to use [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// No progress bar and no notes
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Json {
    /// Write the whole result as JSON here; `-` is standard output, and nothing else goes there then
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// Write the result as a page to look at here: one HTML file that needs nothing else
    #[arg(long, value_name = "PATH")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Settings {
    /// Set a parameter (repeatable); see `tamis methods NAME`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Reading {
    /// A text that means *missing*, beside an empty cell, NA, NaN and ? (repeatable); `error` refuses missing values
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub missing: Vec<String>,
    /// The format of the file [default: by its ending]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| text.parse::<Format>())]
    pub format: Option<Format>,
    /// The field separator; `\t` or `tab` for a tab [default: guessed]
    #[arg(long, value_name = "C", value_parser = delimiter)]
    pub delimiter: Option<u8>,
    /// How far a compressed file may expand, e.g. 20G [default: 1G and 50 times its size]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_expanded: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TaskArg {
    Classes,
    Real,
}

fn folds(text: &str) -> Result<Folds, String> {
    match text {
        "loo" => Ok(Folds::LeaveOneOut),
        text => match text.parse() {
            Ok(n) if n >= 2 => Ok(Folds::Count(n)),
            _ => Err("it takes a number from 2 on, or `loo`".into()),
        },
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("\\t" | "tab", _) => Ok(b'\t'),
        (_, [b'"' | b'\n' | b'\r']) => Err("it cannot be a quote or a line end".into()),
        (_, [c]) if c.is_ascii() => Ok(*c),
        _ => Err("it takes one ASCII character, or `tab`".into()),
    }
}

fn size(text: &str) -> Result<u64, String> {
    let wrong = || "it takes a number of bytes, with K, M, G or T behind it if you like: 500M, 20G".to_string();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1 << 10,
        "M" | "MB" => 1 << 20,
        "G" | "GB" => 1 << 30,
        "T" | "TB" => 1 << 40,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    if number > 0.0 && number.is_finite() { Ok((number * unit as f64) as u64) } else { Err(wrong()) }
}

impl Settings {
    /// Several methods by name, each with the settings that are its own: `KEY=VALUE` is for every method that has that
    /// key, `METHOD.KEY=VALUE` for one. A setting that none of them has is refused.
    pub fn methods(&self, names: &[&str]) -> Result<Vec<Method>> {
        let pairs = self.pairs()?;
        let mut used = vec![false; pairs.len()];
        let mut methods = Vec::new();
        for name in names {
            let entry = Method::find(name)?;
            let mut own = Vec::new();
            for (at, (key, value)) in pairs.iter().enumerate() {
                let (wanted, key) = match key.split_once('.') {
                    Some((method, key)) => (method == *name, key),
                    None => (entry.has(key), *key),
                };
                if wanted {
                    used[at] = true;
                    own.push((key, *value));
                }
            }
            methods.push(Method::from_settings(name, own)?);
        }
        if let Some(at) = used.iter().position(|u| !u) {
            let key = pairs[at].0;
            let mut known: Vec<String> = Vec::new();
            for name in names {
                let entry = Method::find(name)?;
                known.extend(entry.info().parameters.iter().map(|p| p.name.to_string()));
                known.extend(entry.info().parameters.iter().map(|p| format!("{name}.{}", p.name)));
            }
            return Err(Error::Unknown { kind: "parameter", name: key.into(), known });
        }
        Ok(methods)
    }

    /// The method of this name with these settings.
    pub fn method(&self, name: &str) -> Result<Method> {
        Method::from_settings(name, self.pairs()?)
    }

    /// Keys and values.
    pub fn pairs(&self) -> Result<Vec<(&str, &str)>> {
        self.set
            .iter()
            .map(|s| {
                let (key, value) =
                    s.split_once('=').ok_or_else(|| Error::parameter("--set", s, "it takes KEY=VALUE"))?;
                Ok((key.trim(), value.trim()))
            })
            .collect()
    }
}

impl Json {
    /// The files to write, by the option that names each.
    pub fn outputs(&self) -> [(&'static str, Option<&PathBuf>); 2] {
        [("--json", self.json.as_ref()), ("--report", self.report.as_ref())]
    }
}

impl Reading {
    /// Options for reading `target` from a file.
    pub fn options(&self, target: &str) -> ReadOptions {
        let mut options = ReadOptions::target(target);
        let (refuse, texts) = self.missing.iter().cloned().partition::<Vec<_>, _>(|text| text == "error");
        options.missing = texts;
        options.refuse_missing = !refuse.is_empty();
        options.format = self.format;
        options.delimiter = self.delimiter;
        if let Some(bytes) = self.max_expanded {
            options.expansion = ExpansionLimit { bytes, ratio: 0 };
        }
        options
    }
}

impl Common {
    /// Sets the number of threads, before any work.
    pub fn apply(&self) -> anyhow::Result<()> {
        if let Some(n) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(n.into()).build_global()?;
        }
        Ok(())
    }
}

impl From<TaskArg> for Task {
    fn from(task: TaskArg) -> Task {
        match task {
            TaskArg::Classes => Task::Classes,
            TaskArg::Real => Task::Real,
        }
    }
}
