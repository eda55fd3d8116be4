//! Shards of columns: states of the same rows and other features, put side by side.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};
use crate::base::{Error, Result, counted};
use crate::merge::covariate_state::CovariateState;
use crate::merge::{Frame, State};
use std::collections::HashSet;
use std::sync::Arc;

/// States of shards of rows and columns, merged in the order of arrival: states of the same features add their rows.
#[derive(Debug, Default)]
pub(crate) struct ColumnShards(Vec<State>);

impl ColumnShards {
    /// Adds a state, read from `place`.
    pub(crate) fn add(&mut self, state: State, place: &Place) -> Result<()> {
        let names: HashSet<&str> = state.frame.names.iter().map(String::as_str).collect();
        let shares = |other: &State| other.frame.names.iter().any(|name| names.contains(name.as_str()));
        match self.0.iter_mut().find(|other| shares(other)) {
            Some(other) => other.merge(state, place),
            None => {
                if let Some(other) = self.0.first() {
                    other.frame.check_same(&state.frame, place)?;
                }
                self.0.push(state);
                Ok(())
            }
        }
    }

    /// The state of all; columns come in the order of the first feature of each shard.
    pub(crate) fn finish(mut self) -> Result<Option<State>> {
        self.0.sort_by(|a, b| a.frame.names.first().cmp(&b.frame.names.first()));
        let shards = self.0.len();
        let mut all = self.0.into_iter();
        let Some(mut whole) = all.next() else { return Ok(None) };
        for state in all {
            whole.beside(state)?;
        }
        if shards > 1 {
            let text = format!("{shards} shards of columns are joined");
            whole.note(Note::new(NoteKind::ColumnShards, text));
        }
        Ok(Some(whole))
    }
}

impl State {
    /// Adds the features of another state of the same rows.
    fn beside(&mut self, other: State) -> Result<()> {
        let name = |state: &State| state.frame.names.first().cloned().unwrap_or_default();
        let same_covariates = |a: &CovariateState, b: &CovariateState| (&a.kinds, a.lacking) == (&b.kinds, b.lacking);
        if self.covariates.iter().zip(&other.covariates).any(|(a, b)| !same_covariates(a, b)) {
            let (ours, theirs) = (name(self), name(&other));
            let problem = format!("the shard of columns with `{theirs}` has other covariates than that with `{ours}`");
            return Err(Error::data(
                Place::default(),
                problem,
                "give shards of one table, with its covariates in each",
            ));
        }
        let alike =
            (self.rows, self.used) == (other.rows, other.used) && self.target_state.has_rows_of(&other.target_state);
        if !alike {
            let (ours, theirs) = (name(self), name(&other));
            let problem = if self.rows == other.rows {
                format!("the shard of columns with `{theirs}` has a different target from that with `{ours}`")
            } else {
                let (a, b) = (other.rows, self.rows);
                format!("the shard of columns with `{theirs}` has {}, that with `{ours}` {b}", counted(a, "row"))
            };
            let remedy = "give shards of one table: every row of it, with its target, in each shard of columns";
            return Err(Error::data(Place::default(), problem, remedy));
        }
        let names: Vec<String> = self.frame.names.iter().chain(other.frame.names.iter()).cloned().collect();
        self.frame = Arc::new(Frame { names: names.into(), ..Frame::clone(&self.frame) });
        self.features.extend(other.features);
        other.notes.into_iter().for_each(|note| self.note(note));
        Ok(())
    }
}
