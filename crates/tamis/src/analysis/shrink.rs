//! Empirical Bayes on scores that others have computed.

use super::statistic_columns::{choose, given};
use super::{Analysis, Caller, Found, RequestedStatistics};
use crate::base::{Context, Error, Place, Progress, Result};
use crate::result::InputFacts;
use crate::score::given::GivenScores;
use crate::sparse_means;
use crate::table::{self, Input, ReadOptions};
use std::cell::RefCell;

impl Analysis {
    /// Shrinks scores; `called` is what the user calls their file and their column.
    ///
    /// # Errors
    ///
    /// Another method than `shrink`, and scores none of which says anything.
    pub fn shrink(
        &self,
        names: Vec<String>,
        given: &GivenScores,
        called: (String, String),
        progress: &mut dyn Progress,
    ) -> Result<Found> {
        let caller = Caller::of(progress);
        self.shrink_for(caller, names, given, called, progress)
    }

    fn shrink_for(
        &self,
        caller: Caller,
        names: Vec<String>,
        given: &GivenScores,
        (file, target): (String, String),
        progress: &mut dyn Progress,
    ) -> Result<Found> {
        let means = self.method.clone().into_sparse_means()?;
        let rows = names.len();
        let context = &mut Context::new(self.seed, progress);
        let selection = sparse_means::shrink_given(&means, names.into(), given, context)?;
        let facts = InputFacts { file, rows, features: rows, target, ..InputFacts::default() };
        Ok(Found::without_rows(selection, facts, caller))
    }

    /// Reads the columns of a table that make scores, and shrinks these.
    ///
    /// # Errors
    ///
    /// Those of reading, columns that are not what their option says, and those of [`Analysis::shrink`].
    pub fn shrink_file(
        &self,
        input: Input,
        options: &ReadOptions,
        wanted: &RequestedStatistics,
        progress: &mut dyn Progress,
    ) -> Result<Found> {
        let (caller, file) = (Caller::of(progress), input.name().to_string());
        let known = RefCell::new(None);
        let read = table::read_statistics(input, options, &|names| choose(wanted, names, &known), progress)?;
        let target = read.columns.first().map_or_else(String::new, |(name, _)| name.clone());
        let mut given = given(wanted, &read, known.into_inner().as_ref()).map_err(|error| in_file(error, &file))?;
        given.notes.splice(0..0, read.notes);
        self.shrink_for(caller, read.names, &given, (file, target), progress)
    }
}

/// An error about numbers, with the file that they are in.
fn in_file(error: Error, file: &str) -> Error {
    match error {
        Error::Data { place, problem, remedy } => {
            Error::Data { place: Place { file: Some(file.into()), ..place }, problem, remedy }
        }
        other => other,
    }
}
