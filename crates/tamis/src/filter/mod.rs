//! Filters: every feature gets a score, or a place in an order, and the first `k` are selected.

mod fisher;
mod l21;
mod ranked;

pub use fisher::{Scatter, fisher, trace_ratio};
pub(crate) use ranked::K;
pub use ranked::{L21Filter, RankedFilter, entries};

use crate::copies;
use crate::note::{Note, NoteKind};
use crate::selection::{Detail, Selection};
use crate::settings::Auto;
use crate::table::View;
use crate::{Error, Method, Result};
use std::sync::Arc;

/// How many features are chosen where nobody says.
pub const DEFAULT_K: usize = 10;

/// The number of features to choose from `features`, and a note where the default had to give way.
pub(crate) fn resolve_k(k: Auto<usize>, features: usize) -> Result<(usize, Option<Note>)> {
    match k {
        Auto::Set(0) => Err(Error::parameter("k", 0, "at least one feature must be chosen")),
        Auto::Set(k) if k >= features => {
            let expected = format!("it must be less than the number of features that vary, which is {features}");
            Err(Error::parameter("k", k, expected))
        }
        Auto::Set(k) => Ok((k, None)),
        Auto::Auto if features > DEFAULT_K => Ok((DEFAULT_K, None)),
        Auto::Auto => {
            let k = (features / 2).max(1);
            let are = if features == 1 { "1 feature varies".into() } else { format!("{features} features vary") };
            let text = format!("only {are}, so k is {k}");
            Ok((k, Some(Note::new(NoteKind::FewFeatures, text))))
        }
    }
}

/// What a filter found: the chosen features, best first, and a score for every feature (NaN for those set aside).
pub(crate) struct Found {
    pub(crate) order: Vec<u32>,
    pub(crate) scores: Vec<f64>,
    pub(crate) notes: Vec<Note>,
}

impl Found {
    /// The selection: those chosen rank first in their order, the others behind them by their scores.
    pub(crate) fn into_selection(self, data: &View, method: Method) -> Selection {
        let mut selection = self.into_plain(data.names(), method);
        copies::annotate(&mut selection, data);
        selection
    }

    /// The same where features cannot be compared with each other.
    pub(crate) fn into_plain(self, names: &Arc<[String]>, method: Method) -> Selection {
        let Found { order, scores, notes } = self;
        let mut ranks = vec![0; scores.len()];
        let mut others: Vec<u32> = (0..scores.len() as u32).collect();
        let mut chosen = vec![false; scores.len()];
        order.iter().for_each(|&i| chosen[i as usize] = true);
        others.retain(|&i| !chosen[i as usize]);
        let low = |i: u32| if scores[i as usize].is_nan() { f64::NEG_INFINITY } else { scores[i as usize] };
        others.sort_by(|&a, &b| low(b).total_cmp(&low(a)).then(a.cmp(&b)));
        for (at, &i) in order.iter().chain(&others).enumerate() {
            ranks[i as usize] = at as u32 + 1;
        }
        Selection {
            names: Arc::clone(names),
            scores,
            effects: None,
            probabilities: None,
            q_values: None,
            ranks,
            selected: order,
            n_expected: None,
            n_expected_95: None,
            fraction_irrelevant: None,
            converged: true,
            iterations: 0,
            method,
            seed: 0,
            notes,
            detail: Detail::default(),
        }
    }
}
