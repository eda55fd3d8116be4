//! Ranked features: the common outcome of all ranking methods, before it becomes a selection.

use super::{Selection, clusters};
use crate::base::{MethodRecord, Note};
use crate::table::View;
use std::sync::Arc;

/// The chosen features, best first, and a score for every feature (NaN for those set aside).
pub(crate) struct RankedFeatures {
    pub(crate) order: Vec<u32>,
    pub(crate) scores: Vec<f64>,
    pub(crate) notes: Vec<Note>,
}

impl RankedFeatures {
    /// The selection: those chosen rank first in their order, the others behind them by their scores.
    pub(crate) fn into_selection(self, data: &View, method: MethodRecord, seed: u64) -> Selection {
        let mut selection = self.into_plain(data.names(), method, seed);
        clusters::annotate(&mut selection, data);
        selection
    }

    /// The selection where features cannot be compared with each other.
    pub(crate) fn into_plain(self, names: &Arc<[String]>, method: MethodRecord, seed: u64) -> Selection {
        let RankedFeatures { order, scores, notes } = self;
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
        Selection { notes, ..Selection::new(Arc::clone(names), scores, ranks, order, method, seed) }
    }
}
