//! Values of options that are more than text or a number.

use clap::ValueEnum;
use tamis::model::Calibrate;
use tamis::table::Task;

/// How many folds.
#[derive(Debug, Clone, Copy)]
pub enum Folds {
    LeaveOneOut,
    Count(usize),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TaskArg {
    Classes,
    Real,
}

impl From<TaskArg> for Task {
    fn from(task: TaskArg) -> Task {
        match task {
            TaskArg::Classes => Task::Classes,
            TaskArg::Real => Task::Real,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CalibrateArg {
    /// A logistic curve of the log odds
    Platt,
    /// An increasing step function
    Isotonic,
}

impl From<CalibrateArg> for Calibrate {
    fn from(how: CalibrateArg) -> Calibrate {
        match how {
            CalibrateArg::Platt => Calibrate::Platt,
            CalibrateArg::Isotonic => Calibrate::Isotonic,
        }
    }
}

pub fn folds(text: &str) -> Result<Folds, String> {
    match text {
        "loo" => Ok(Folds::LeaveOneOut),
        text => match text.parse() {
            Ok(n) if n >= 2 => Ok(Folds::Count(n)),
            _ => Err("it takes a whole number of at least 2, or `loo`".into()),
        },
    }
}

pub fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("\\t" | "tab", _) => Ok(b'\t'),
        (_, [b'"' | b'\n' | b'\r']) => Err("it cannot be a quote or a line end".into()),
        (_, [c]) if c.is_ascii() => Ok(*c),
        _ => Err("it takes one ASCII character, or `tab`".into()),
    }
}

pub fn decimal(text: &str) -> Result<u8, String> {
    match text {
        "," | "." => Ok(text.as_bytes()[0]),
        _ => Err("it takes `,` or `.`".into()),
    }
}

pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "it takes a number of bytes, optionally followed by K, M, G or T: 500M, 20G".to_string();
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

/// Two classes with a comma between them.
pub fn class_pair(text: &str) -> Result<[String; 2], String> {
    match text.split(',').map(str::trim).collect::<Vec<_>>()[..] {
        [from, to] if !from.is_empty() && !to.is_empty() => Ok([from.into(), to.into()]),
        _ => Err("two classes with a comma between them, such as `control,treated`".into()),
    }
}
