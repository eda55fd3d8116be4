//! For people who do not know the program yet: examples, a guessed command, and likely targets.

use crate::args::Cli;
use crate::option_names::quoted;
use crate::screen;
use clap::CommandFactory;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use tamis::Error;
use tamis::base::Silent;
use tamis::front::{LikelyColumns, LikelyTarget, likely_targets, visible};
use tamis::table::ReadOptions;

const EXAMPLES: &str = "\
tamis: how many features matter, and which, with a probability for each

  tamis demo                                   a simulated table with known truth, and what tamis finds in it
  tamis select table.csv --target COLUMN       which columns of your table are related to one of them
  tamis evaluate table.csv --target COLUMN     compare methods and classifiers, selection repeated in every fold

`tamis --help` lists all commands, `tamis select --help` the options of one.
";

/// Files larger than this are not read for a hint alone.
const LARGEST_READ_FOR_HINTS: u64 = 500_000_000;

/// Shows three examples.
pub fn show_examples() -> io::Result<()> {
    io::stdout().write_all(EXAMPLES.as_bytes())
}

/// Puts `select` before a file that stands in the place of a command, and returns the file.
pub fn guess_select(arguments: &mut Vec<OsString>) -> Option<String> {
    let first = arguments.get(1)?.clone();
    let text = first.to_str()?;
    let is_command = text == "help" || Cli::command().get_subcommands().any(|command| command.get_name() == text);
    let like_a_file = Path::new(&first).exists() || text.contains(['.', '/', '*']);
    if text.starts_with('-') || is_command || !like_a_file {
        return None;
    }
    arguments.insert(1, "select".into());
    Some(text.into())
}

/// Says that `select` was guessed, and how to write it.
pub fn tell_guess(file: &str) {
    // Nothing can be done if the note cannot be written.
    let _ = writeln!(screen::stderr(), "note: `tamis {file}` is taken as `tamis select {file}`");
}

/// No target was named, but some columns look like one.
#[derive(Debug)]
pub struct TargetMissing {
    pub file: String,
    /// All columns, as far as they are known.
    pub columns: Vec<String>,
    pub likely: Vec<LikelyTarget>,
    /// Columns that seem to name the rows.
    pub row_names: Vec<String>,
}

impl std::error::Error for TargetMissing {}

impl fmt::Display for TargetMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no target is named; say which column of `{}` to explain. Likely ones:", visible(&self.file))?;
        let names: Vec<String> = self.likely.iter().map(words).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, target) in names.iter().zip(&self.likely) {
            write!(f, "\n  --target {name:<width$}  {}", visible(&values(target)))?;
        }
        for name in &self.row_names {
            write!(f, "\nand pass `--id {}`: its texts seem to name the rows", quoted(name))?;
        }
        Ok(())
    }
}

/// The words of the command line that name a target.
fn words(target: &LikelyTarget) -> String {
    let mut words = quoted(&target.name);
    if let Some(event) = &target.event {
        words += &format!(" --event {}", quoted(&event.column));
        words += &event.label.as_ref().map_or_else(String::new, |label| format!(" --positive {}", quoted(label)));
    }
    words
}

/// The values of a column in words.
fn values(target: &LikelyTarget) -> String {
    if let Some(event) = &target.event {
        return format!("a survival time with {} events", event.rows);
    }
    if let (true, Some([low, high])) = (target.classes.is_empty(), target.range) {
        return format!("numeric from {low} to {high}");
    }
    let counts: Vec<String> = target.classes.iter().map(|(label, count)| format!("{label} ({count})")).collect();
    counts.join(", ")
}

/// The error of a command that was given no target, with the columns of its first file that may be meant; or why that file
/// cannot be read.
pub fn with_likely_targets(error: anyhow::Error, file: &Path, options: &ReadOptions) -> anyhow::Error {
    let Some(Error::NoTarget { columns }) = error.downcast_ref() else { return error };
    let small = |path: &Path| std::fs::metadata(path).is_ok_and(|facts| facts.len() <= LARGEST_READ_FOR_HINTS);
    if !small(options.samples.as_ref().map_or(file, |samples| &samples.path)) {
        return error;
    }
    match likely_targets(file, options, &mut Silent) {
        Ok(LikelyColumns { targets: likely, row_names, .. }) if !likely.is_empty() => {
            let named = options.samples.as_ref().map_or(file, |samples| &samples.path);
            TargetMissing { file: named.display().to_string(), columns: columns.clone(), likely, row_names }.into()
        }
        Ok(_) => error,
        Err(unreadable) => unreadable.into(), // whatever the target
    }
}
