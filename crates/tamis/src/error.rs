//! What can go wrong, said so that the user knows where and what to do.

use std::{io, path::PathBuf};

/// A `Result` whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything the library can refuse or fail to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be opened or read.
    #[error("cannot read `{file}`: {reason}")]
    Read {
        /// The file's name as the user gave it.
        file: String,
        /// What the system or the decompressor said, and the remedy if there is one.
        reason: String,
    },
    /// The data cannot be used: where, what, and what to do about it.
    #[error("{place}{problem}; {remedy}")]
    Data {
        /// Where the problem sits.
        place: Place,
        /// What is wrong there.
        problem: String,
        /// What the user can do.
        remedy: String,
    },
    /// A parameter has a value it cannot take.
    #[error("`{name}` cannot be {value}: {expected}")]
    Parameter {
        /// The parameter's name.
        name: String,
        /// The value given.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// A name that does not exist among those that do.
    #[error("there is no {kind} `{name}`{}; {}", did_you_mean(.name, .known), list(.kind, .known))]
    Unknown {
        /// What sort of thing was looked for: a column, a method, a key.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A result cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// Where it was to go.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder an output should go to does not exist.
    #[error("cannot write `{}`: there is no folder `{}`; create it first", path.display(), folder.display())]
    NoFolder {
        /// The output file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The user stopped the work.
    #[error("interrupted")]
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

    /// The same place, at a row.
    pub fn at_row(mut self, row: u64) -> Self {
        self.row = Some(row);
        self
    }

    /// The same place, at a column.
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
    pub fn data(place: Place, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Error::Data { place, problem: problem.into(), remedy: remedy.into() }
    }

    /// A parameter out of its range.
    pub fn parameter(name: &str, value: impl ToString, expected: impl Into<String>) -> Self {
        Error::Parameter { name: name.into(), value: value.to_string(), expected: expected.into() }
    }

    /// Whether the user can mend this by changing the command line or the data.
    pub fn is_usage(&self) -> bool {
        match self {
            // a table that the chosen format cannot hold, as opposed to a disk that is full
            Error::Write { source, .. } => source.kind() == io::ErrorKind::InvalidInput,
            Error::Cancelled => false,
            _ => true,
        }
    }
}

fn did_you_mean(name: &str, known: &[String]) -> String {
    let lower = name.to_lowercase();
    known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), k))
        .filter(|(distance, k)| *distance <= 1.max(k.chars().count() / 3))
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
    }

    #[test]
    fn a_place_leaves_out_what_it_does_not_know() {
        assert_eq!(Place::file("a.csv").at_row(3).to_string(), "`a.csv`, row 3: ");
        assert_eq!(Place::default().to_string(), "");
    }
}
