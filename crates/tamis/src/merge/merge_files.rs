//! Merging the states in files.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::nothing_to_merge;
use crate::base::{Command, Error, Progress, Result, Text, text};
use crate::merge::State;
use crate::merge::column_shards::ColumnShards;
use crate::merge::envelope::told_digest;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The reason why a file cannot be named twice.
pub const NAMED_TWICE: &str = "it is named twice, and its rows would count twice";

fn name_states() -> Text {
    text!["name files that ", Command::Partial, " wrote"]
}

/// Merges the states in these files, one in memory at a time, in order of their digests: to the same bits as
/// [`State::merge_all`], whatever order they are named in. States of other features and the same rows are shards of
/// columns, and are put side by side.
pub fn merge_files(paths: &[PathBuf], progress: &mut dyn Progress) -> Result<State> {
    let mut files: Vec<(u64, &PathBuf)> = vec![];
    let mut seen = HashSet::new();
    for path in paths {
        let name = path.display().to_string();
        if !seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
            return Err(Error::data(Place::file(name), NAMED_TWICE, "name every file once"));
        }
        if std::fs::metadata(path).is_ok_and(|facts| !facts.is_file()) {
            return Err(Error::data(Place::file(name), "it is not a file that can be read twice", name_states()));
        }
        files.push((told_digest(path).map_err(|e| unreadable(path, e))?, path));
    }
    files.sort_by_key(|(digest, _)| *digest);
    let mut shards = ColumnShards::default();
    for (done, (_, path)) in files.iter().enumerate() {
        progress.step("merging", done as u64, files.len() as u64)?;
        let name = path.display().to_string();
        let state = State::from_bytes(&std::fs::read(path).map_err(|e| unreadable(path, e))?, &name)?;
        shards.add(state, &Place::file(name))?;
    }
    let mut whole = shards.finish()?.ok_or_else(|| nothing_to_merge(name_states()))?;
    let repeated = files.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let Some([(_, a), (_, b)]) = repeated
        && whole.rows > 0
    {
        let text = format!("`{}` and `{}` hold the same data", a.display(), b.display());
        whole.note(Note::new(NoteKind::SameShard, text));
    }
    Ok(whole)
}

fn unreadable(path: &Path, error: std::io::Error) -> Error {
    let file = path.display().to_string();
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::Read { file, reason: "there is no such file".into(), source: Some(error) }
        }
        _ => Error::read_io(file, error),
    }
}
