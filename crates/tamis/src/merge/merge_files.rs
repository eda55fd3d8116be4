//! Merging the states in files.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::remedies::nothing_to_merge;
use crate::base::{Command, Error, Progress, Result, Text, text};
use crate::merge::column_shards::ColumnShards;
use crate::merge::envelope::told_digest;
use crate::merge::{Profile, RowState, State};
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The reason why a file cannot be named twice.
pub const NAMED_TWICE: &str = "it is named twice, and its rows would count twice";

fn name_states() -> Text {
    text!["name files that ", Command::Partial, " wrote"]
}

/// The states of files, merged.
#[derive(Debug)]
pub enum Merged {
    /// Without null targets: features are taken as independent.
    Plain(Box<State>),
    /// With null targets.
    Rows(Box<RowState>),
}

impl Merged {
    /// How many rows there are.
    pub fn n_rows(&self) -> u64 {
        match self {
            Merged::Plain(state) => state.n_rows(),
            Merged::Rows(state) => state.n_rows(),
        }
    }
}

/// Merges the states in these files, one in memory at a time, whatever order they are named in. All have null targets, or
/// none.
pub fn merge_files(paths: &[PathBuf], progress: &mut dyn Progress) -> Result<Merged> {
    let files = named_once(paths)?;
    let mut with = vec![];
    for (_, path) in &files {
        with.push(RowState::is_one(&first_bytes(path).map_err(|e| unreadable(path, e))?));
    }
    match (with.iter().any(|with| *with), with.iter().position(|with| !with)) {
        (false, _) => Ok(Merged::Plain(Box::new(merge_plain(&files, progress)?))),
        (true, None) => Ok(Merged::Rows(Box::new(merge_rows(&files, progress)?))),
        (true, Some(without)) => {
            let problem = "it has no null targets, and others have";
            let remedy = "make the states of all shards with one profile, or all without";
            Err(Error::data(Place::file(files[without].1.display().to_string()), problem, remedy))
        }
    }
}

/// Merges the profiles in these files.
pub fn merge_profile_files(paths: &[PathBuf], progress: &mut dyn Progress) -> Result<Profile> {
    let files = named_once(paths)?;
    let mut profiles = vec![];
    for (done, (_, path)) in files.iter().enumerate() {
        progress.step("merging", done as u64, files.len() as u64)?;
        let name = path.display().to_string();
        profiles.push(Profile::from_bytes(&std::fs::read(path).map_err(|e| unreadable(path, e))?, &name)?);
    }
    Profile::merge_all(profiles)
}

fn merge_rows(files: &[(u64, &PathBuf)], progress: &mut dyn Progress) -> Result<RowState> {
    let mut whole: Option<RowState> = None;
    for (done, (_, path)) in files.iter().enumerate() {
        progress.step("merging", done as u64, files.len() as u64)?;
        let name = path.display().to_string();
        let state = RowState::from_bytes(&std::fs::read(path).map_err(|e| unreadable(path, e))?, &name)?;
        match &mut whole {
            Some(whole) => whole.merge(&state, &Place::file(name))?,
            none => *none = Some(state),
        }
    }
    whole.ok_or_else(|| nothing_to_merge(name_states()))
}

fn first_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![];
    std::fs::File::open(path)?.take(8).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The files, each of which is named once, in order of their digests.
fn named_once(paths: &[PathBuf]) -> Result<Vec<(u64, &PathBuf)>> {
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
    Ok(files)
}

/// Merges the states without null targets in these files, one in memory at a time: to the same bits as
/// [`State::merge_all`]. States of other features and the same rows are shards of columns, and are put side by side.
fn merge_plain(files: &[(u64, &PathBuf)], progress: &mut dyn Progress) -> Result<State> {
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
