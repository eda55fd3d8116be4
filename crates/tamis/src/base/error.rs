//! Errors as data: what is wrong, where, and the remedy.

use super::visible;
use super::wording::{OptionName, RustVoice, Text, Voice, text};
use std::{io, path::PathBuf};

/// A `Result` whose error is [`Error`].
///
/// ```
/// use tamis::prelude::*;
///
/// let refused: Result<Method> = Method::find("snlb");
/// assert!(refused.unwrap_err().to_string().contains("did you mean `snbl`?"));
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything the library can refuse or fail to do. `Display` speaks in this library's names; front ends call
/// [`Error::say`] with their own.
///
/// ```
/// use tamis::prelude::*;
///
/// let error = Method::find("tt").unwrap_err();
/// assert!(matches!(error, Error::Unknown { .. }));
/// println!("{error}");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be opened or read.
    Read {
        /// The file's name as the user gave it.
        file: String,
        /// The reason, and the remedy if there is one.
        reason: Text,
        /// The system's own error, where there is one.
        source: Option<io::Error>,
    },
    /// The data cannot be used: where, what, and what to do about it.
    Data {
        /// Where the problem sits.
        place: Place,
        /// The problem.
        problem: Text,
        /// The remedy.
        remedy: Text,
    },
    /// An option or parameter has a value it cannot take.
    Parameter {
        /// Which one.
        name: OptionName,
        /// The value given.
        value: String,
        /// The values allowed.
        expected: Text,
    },
    /// A given parameter has no effect with the other settings.
    NoEffect {
        /// The parameter.
        name: OptionName,
        /// The setting beside which it has no effect: `base=fisher`.
        beside: String,
    },
    /// A method cannot be applied to these data.
    Method {
        /// The method's name.
        method: String,
        /// The obstacle, as the rest of a sentence that begins with the name: "needs classes".
        problem: Text,
        /// The remedy.
        remedy: Text,
    },
    /// An unknown name.
    Unknown {
        /// The kind of name: a column, a method, a key.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// Nobody has said which column to explain.
    NoTarget {
        /// The columns that exist.
        columns: Vec<String>,
    },
    /// A result cannot be written.
    Write {
        /// Where it was to go.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The folder an output should go to does not exist.
    NoFolder {
        /// The output file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The user stopped the work.
    Cancelled,
}

/// A place in the input. Empty parts are left out when it is printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file's name.
    pub file: Option<String>,
    /// The data row, counted from 1 below the header.
    pub row: Option<u64>,
    /// The column's name.
    pub column: Option<String>,
}

impl Place {
    /// A place that names a file only.
    pub fn file(name: impl Into<String>) -> Self {
        Place { file: Some(name.into()), ..Place::default() }
    }

    /// Adds a row.
    pub fn at_row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    /// Adds a column.
    pub fn at_column(mut self, name: impl Into<String>) -> Self {
        self.column = Some(name.into());
        self
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            self.file.as_ref().map(|file| format!("`{file}`")),
            self.row.map(|row| format!("row {row}")),
            self.column.as_ref().map(|column| format!("column `{column}`")),
        ];
        let said: Vec<String> = parts.into_iter().flatten().collect();
        if said.is_empty() { Ok(()) } else { write!(f, "{}: ", said.join(", ")) }
    }
}

impl Error {
    /// A problem with the data at a place.
    pub fn data(place: Place, problem: impl Into<Text>, remedy: impl Into<Text>) -> Self {
        Error::Data { place, problem: problem.into(), remedy: remedy.into() }
    }

    /// A file that cannot be read, for a reason of its own rather than the system's.
    pub fn read(file: impl Into<String>, reason: impl Into<Text>) -> Self {
        Error::Read { file: file.into(), reason: reason.into(), source: None }
    }

    /// A file that the system cannot read.
    pub fn read_io(file: impl Into<String>, source: io::Error) -> Self {
        Error::Read { file: file.into(), reason: source.to_string().into(), source: Some(source) }
    }

    /// An option or parameter out of its range.
    pub fn parameter(name: impl Into<OptionName>, value: impl ToString, expected: impl Into<Text>) -> Self {
        Error::Parameter { name: name.into(), value: value.to_string(), expected: expected.into() }
    }

    /// A method that cannot be applied; `problem` continues a sentence that begins with its name.
    pub fn method(method: impl Into<String>, problem: impl Into<Text>, remedy: impl Into<Text>) -> Self {
        Error::Method { method: method.into(), problem: problem.into(), remedy: remedy.into() }
    }

    /// The error in the names of a front end, as one line; hidden characters of names and values are escaped.
    pub fn say(&self, voice: &dyn Voice) -> String {
        visible(&self.text().say(voice)).into_owned()
    }

    /// The error as one sentence, for documents that put it into words later.
    pub fn text(&self) -> Text {
        match self {
            Error::Read { file, reason, .. } => text![format!("cannot read `{file}`: "), reason.clone()],
            Error::Data { place, problem, remedy } => {
                text![place.to_string(), problem.clone(), "; ", remedy.clone()]
            }
            Error::Parameter { name, value, expected } => {
                text![name.clone(), format!(" cannot be {value}: "), expected.clone()]
            }
            Error::NoEffect { name, beside } => {
                text![name.clone(), format!(" has no effect with {beside}; remove it")]
            }
            Error::Method { method, problem, remedy } => {
                text![format!("`{method}` "), problem.clone(), "; ", remedy.clone()]
            }
            Error::Unknown { kind, name, known } => {
                format!("there is no {kind} `{name}`{}; {}", did_you_mean(name, known), list(kind, known)).into()
            }
            Error::NoTarget { columns } => {
                let few: Vec<String> = columns.iter().take(12).map(|name| format!("`{name}`")).collect();
                let more = if columns.len() > few.len() { ", …" } else { "" };
                text![
                    "no target is named; say which column to explain with ",
                    OptionName::Target,
                    format!(": there are {} ({}{more})", columns.len(), few.join(", "))
                ]
            }
            Error::Write { path, source } => format!("cannot write `{}`: {source}", path.display()).into(),
            Error::NoFolder { path, folder } => {
                format!("cannot write `{}`: there is no folder `{}`; create it first", path.display(), folder.display())
                    .into()
            }
            Error::Cancelled => "interrupted".into(),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.say(&RustVoice))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read { source, .. } => source.as_ref().map(|e| e as _),
            Error::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Names that differ by at most two letters are offered; shorter names than three letters differ from everything, and
/// nobody types very long ones.
fn did_you_mean(name: &str, known: &[String]) -> String {
    const LONGEST: usize = 200;
    let lower = name.to_lowercase();
    let length = lower.chars().count();
    if !(3..=LONGEST).contains(&length) {
        return String::new();
    }
    known
        .iter()
        .filter(|k| k.len() <= 4 * LONGEST && (3..=LONGEST).contains(&k.chars().count()))
        .filter(|k| k.chars().count().abs_diff(length) <= 2)
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), k))
        .filter(|(distance, _)| *distance <= 2)
        .min_by_key(|(distance, _)| *distance)
        .map_or_else(String::new, |(_, k)| format!(" (did you mean `{k}`?)"))
}

fn list(kind: &str, known: &[String]) -> String {
    const SHOWN: usize = 12;
    if known.is_empty() {
        return format!("there are no {kind}s at all");
    }
    let names: Vec<String> = known.iter().take(SHOWN).map(|k| format!("`{k}`")).collect();
    let rest = match known.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!("there are {}{rest}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_offered_and_a_far_one_is_not() {
        let known = vec!["label".to_string(), "age".to_string()];
        let near = Error::Unknown { kind: "column", name: "lable".into(), known: known.clone() };
        assert!(near.to_string().contains("did you mean `label`?"), "{near}");
        let far = Error::Unknown { kind: "column", name: "zzz".into(), known };
        assert!(!far.to_string().contains("did you mean"), "{far}");
        let short = Error::Unknown { kind: "column", name: "z".into(), known: vec!["a".into(), "zz".into()] };
        assert!(!short.to_string().contains("did you mean"), "{short}");
        let off = Error::Unknown { kind: "column", name: "label".into(), known: vec!["libel".into(), "lab".into()] };
        assert!(off.to_string().contains("did you mean `libel`?"), "{off}");
    }

    #[test]
    fn a_place_leaves_out_what_it_does_not_know() {
        assert_eq!(Place::file("a.csv").at_row(3).to_string(), "`a.csv`, row 3: ");
        assert_eq!(Place::default().to_string(), "");
    }
}
