//! What results tell about where their data were.

use crate::input_paths;
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use tamis::result::InputFacts;

/// How much of the place of its input a result holds: the file's name, without its folder, or its path too. (The values have
/// no comments of their own, which would make the whole help long.)
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Provenance {
    #[default]
    Name,
    Full,
}

impl Provenance {
    /// Names the files of a command line in the facts about its input.
    pub fn fill(self, facts: &mut InputFacts, files: &[PathBuf], given: &[PathBuf]) {
        facts.file = input_paths::name(files, given);
        facts.path = None;
        if self == Provenance::Full && files != [Path::new("-")] {
            let whole = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let paths: Vec<String> = given.iter().map(|path| whole(path).display().to_string()).collect();
            facts.path = Some(paths.join(", "));
        }
    }
}
