//! Survival times in the order in which risk sets grow.

use std::cmp::Ordering;

/// Samples stratum by stratum, the latest time first: the risk set of a time is all samples of its stratum met so far.
///
/// A *position* is a place in this order; all vectors of this module have an entry per position.
#[derive(Debug, Clone, Default)]
pub(super) struct RiskSets {
    /// The sample at each position; of equal times, events come before censored ones.
    pub(super) order: Vec<u32>,
    /// The positions of each stratum and time, in order.
    pub(super) ties: Vec<Tie>,
}

/// The positions of one stratum and one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tie {
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many of them, from the start, are events.
    pub(super) events: usize,
    /// Whether its time is the latest of its stratum.
    pub(super) opens_stratum: bool,
}

impl RiskSets {
    /// Sorts samples by stratum and time. Cost: O(N log N), once for all features.
    pub(super) fn new(times: &[f64], events: &[bool], strata: Option<&[u32]>) -> RiskSets {
        let stratum = |sample: u32| strata.map_or(0, |strata| strata[sample as usize]);
        let later_first = |a: u32, b: u32| times[b as usize].total_cmp(&times[a as usize]);
        let event_first = |a: u32, b: u32| events[b as usize].cmp(&events[a as usize]);
        let mut order: Vec<u32> = (0..times.len() as u32).collect();
        order.sort_by(|&a, &b| {
            stratum(a).cmp(&stratum(b)).then(later_first(a, b)).then(event_first(a, b)).then(a.cmp(&b))
        });
        let together = |a: u32, b: u32| stratum(a) == stratum(b) && later_first(a, b) == Ordering::Equal;
        let mut ties: Vec<Tie> = Vec::new();
        for (at, &sample) in order.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| order[at]);
            match ties.last_mut() {
                Some(tie) if before.is_some_and(|before| together(before, sample)) => tie.end = at + 1,
                _ => {
                    let opens_stratum = before.is_none_or(|before| stratum(before) != stratum(sample));
                    ties.push(Tie { start: at, end: at + 1, events: 0, opens_stratum });
                }
            }
            if let (true, Some(tie)) = (events[sample as usize], ties.last_mut()) {
                tie.events += 1;
            }
        }
        RiskSets { order, ties }
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Only some positions. Cost: O(N).
    pub(super) fn of_positions(&self, kept: &[bool]) -> RiskSets {
        let mut some = RiskSets::default();
        let mut opens_stratum = false;
        for tie in &self.ties {
            opens_stratum |= tie.opens_stratum;
            let start = some.order.len();
            let present = (tie.start..tie.end).filter(|&at| kept[at]);
            some.order.extend(present.map(|at| self.order[at]));
            let events = kept[tie.start..tie.start + tie.events].iter().filter(|kept| **kept).count();
            if some.order.len() > start {
                some.ties.push(Tie { start, end: some.order.len(), events, opens_stratum });
                opens_stratum = false;
            }
        }
        some
    }
}
