//! The mergeable state of the first of two passes: summaries of all columns, from which their cut points follow.

use crate::base::remedies::{GIVE_ONE, OTHER_CUTS, SAME_OPTIONS, nothing_to_merge};
use crate::base::{Error, OptionName, Place, Result, text};
use crate::codes::Discretise;
use crate::merge::envelope::{EDGES, MAKE_AGAIN, envelope, not_a_state, opened};
use crate::merge::{Frame, State};
use crate::stream::sketch::Sketch;
use crate::stream::summary_for_cuts::{ColumnSummary, SummaryKind};
use std::sync::Arc;

/// The mergeable state of the first walk.
#[derive(Debug, Clone, PartialEq)]
pub struct Edges {
    /// Rows, target and notes; no sums.
    pub(crate) state: State,
    pub(crate) keep: SummaryKind,
    pub(crate) columns: Vec<ColumnSummary>,
    /// The target, if it is numeric.
    pub(crate) target: Sketch,
}

impl Edges {
    /// No rows yet, of a table that is to be cut like this. `mdl` needs all rows at once and is refused.
    pub fn new(frame: &Arc<Frame>, discretise: Discretise) -> Result<Edges> {
        let keep = match discretise {
            Discretise::Width => SummaryKind::Range,
            Discretise::Frequency => SummaryKind::Quantiles(Sketch::precision(frame.names.len())),
            Discretise::Categories => SummaryKind::Values,
            Discretise::Mdl => {
                let set = |value: &str| OptionName::from("discretise").set(value);
                let expected = text![
                    "it needs all rows at once and cannot be used on a table in pieces; pass ",
                    set("width"),
                    " or ",
                    set("frequency")
                ];
                return Err(Error::parameter("discretise", "mdl", expected));
            }
        };
        let columns = vec![ColumnSummary::default(); frame.names.len()];
        Ok(Edges { state: State::new(frame), keep, columns, target: Sketch::new(Sketch::precision(1)) })
    }

    /// The frame shared by all pieces.
    pub fn frame(&self) -> &Arc<Frame> {
        self.state.frame()
    }

    /// Rows so far, with or without a target.
    pub fn n_rows(&self) -> u64 {
        self.state.n_rows()
    }

    /// Adds the rows of another state, read from `place`. The last bits of quantiles depend on the order: see
    /// [`Edges::merge_all`].
    pub fn merge(&mut self, other: Edges, place: &Place) -> Result<()> {
        let Edges { state, keep, mut columns, target } = other;
        if keep != self.keep {
            return Err(Error::data(place.clone(), OTHER_CUTS, SAME_OPTIONS));
        }
        if let Some(positions) = self.state.frame.positions(&state.frame.names, place)? {
            columns = positions.into_iter().map(|at| std::mem::take(&mut columns[at])).collect();
        }
        self.state.merge(state, place)?;
        for ((ours, theirs), name) in self.columns.iter_mut().zip(columns).zip(self.state.frame.names.iter()) {
            ours.merge(theirs, || place.clone().at_column(name))?;
        }
        self.target.merge(target);
        Ok(())
    }

    /// Merges a set of states to the same bits whatever order they come in.
    pub fn merge_all(states: Vec<Edges>) -> Result<Edges> {
        let mut states: Vec<(Vec<u8>, Edges)> = states.into_iter().map(|state| (state.to_bytes(), state)).collect();
        states.sort_by(|a, b| a.0.cmp(&b.0));
        let mut states = states.into_iter().map(|(_, state)| state);
        let mut whole = states.next().ok_or_else(|| nothing_to_merge(GIVE_ONE))?;
        states.try_for_each(|state| whole.merge(state, &Place::default()))?;
        Ok(whole)
    }

    /// The state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let state = self.state.to_bytes();
        let rest = serde_json::to_vec(&(self.keep, &self.columns, &self.target)).expect("finite numbers and text");
        let length = (state.len() as u64).to_le_bytes();
        envelope(&EDGES, &[&length[..], &state, &rest].concat())
    }

    /// Reads a state back; `name` is for messages.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Edges> {
        let body = opened(&EDGES, bytes, name)?;
        let wrong = || not_a_state(name, MAKE_AGAIN.into());
        let (length, rest) = body.split_first_chunk().ok_or_else(wrong)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| wrong())?;
        let (state, rest) = rest.split_at_checked(length).ok_or_else(wrong)?;
        let state = State::from_bytes(state, name)?;
        let (keep, columns, target): (SummaryKind, Vec<ColumnSummary>, Sketch) =
            serde_json::from_slice(rest).map_err(|_| wrong())?;
        if columns.len() != state.frame.names.len() {
            return Err(wrong());
        }
        Ok(Edges { state, keep, columns, target })
    }
}
