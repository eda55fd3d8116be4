//! From the runs to the selection: the order of the features, a picture and the matrix.

use super::chosen_by_run::SelectionRuns;
use super::null_model::TestOutcome;
use super::permutation_test::statistic;
use super::{BaseCount, Npfs, NullModel};
use crate::base::{Describe, Note, NoteKind, Result};
use crate::selection::Selection;
use crate::selection::detail::{NpfsDetail, PictureRow};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

impl Npfs {
    /// From the runs to the answer, its parameters resolved.
    pub(super) fn answer(
        &self,
        runs: SelectionRuns,
        names: &Arc<[String]>,
        seed: u64,
        annotate: impl FnOnce(&mut Selection),
    ) -> Result<Selection> {
        let mut resolved = self.clone();
        resolved.k = runs.k.map_or(self.k, BaseCount::Set);
        self.decide(runs, names, resolved, seed, annotate)
    }

    /// From the runs to the answer; `annotate` adds the part that needs more than the runs.
    pub(super) fn decide(
        &self,
        runs: SelectionRuns,
        names: &Arc<[String]>,
        resolved: Npfs,
        seed: u64,
        annotate: impl FnOnce(&mut Selection),
    ) -> Result<Selection> {
        let features = names.len();
        let TestOutcome { mut detail, mut selected, notes } = self.test(&runs, features)?;
        let mut notes: Vec<Note> = runs.notes.into_iter().chain(notes).collect();
        if self.matrix {
            detail.matrix = matrix(&runs.chosen, features);
        }
        let mut scores = vec![f64::NAN; features];
        runs.usable.iter().for_each(|&i| scores[i as usize] = detail.frequency[i as usize]);
        let better = by_merit(&runs.chosen, &detail);
        let mut order: Vec<u32> = (0..features as u32).collect();
        let aside = |i: u32| scores[i as usize].is_nan();
        order.sort_by(|&a, &b| aside(a).cmp(&aside(b)).then_with(|| better(a, b)));
        let mut ranks = vec![0; features];
        order.iter().zip(1..).for_each(|(&i, rank)| ranks[i as usize] = rank);
        selected.sort_by_key(|&i| ranks[i as usize]);
        if selected.is_empty() && self.null != NullModel::Stability {
            notes.push(Note::new(NoteKind::NothingSelected, "no feature is chosen more often than chance explains"));
        }
        detail.picture = picture(&runs.chosen, &order, &detail.counts);
        let mut selection = Selection::new(Arc::clone(names), scores, ranks, selected, resolved.record(), seed);
        selection.notes = notes;
        selection.q_values = (!detail.adjusted.is_empty()).then(|| detail.adjusted.clone());
        selection.detail.npfs = Some(detail);
        annotate(&mut selection);
        Ok(selection)
    }
}

/// Compares two features: the statistic that decides comes first; among equals, how often and how early a feature was
/// chosen, then its position.
fn by_merit(chosen: &[Vec<u32>], detail: &NpfsDetail) -> impl Fn(u32, u32) -> Ordering + use<> {
    let features = detail.counts.len();
    let mut early = vec![0_u64; features];
    for some in chosen {
        some.iter().enumerate().for_each(|(at, &i)| early[i as usize] += (some.len() - at) as u64);
    }
    // only the permutations know a share explained
    let explained = |i: usize| detail.explained.get(i).copied().unwrap_or(0.0);
    let values: Vec<f64> = (0..features).map(|i| statistic(detail.counts[i], chosen.len(), explained(i))).collect();
    let counts = detail.counts.clone();
    move |a: u32, b: u32| {
        let key = |i: u32| (counts[i as usize], early[i as usize]);
        values[b as usize].total_cmp(&values[a as usize]).then(key(b).cmp(&key(a))).then(a.cmp(&b))
    }
}

/// The corner of the matrix that fits a page, from features in their order.
fn picture(chosen: &[Vec<u32>], order: &[u32], counts: &[u32]) -> Vec<PictureRow> {
    const ROWS: usize = 120;
    const COLUMNS: usize = 500;
    let shown: Vec<u32> = order.iter().copied().filter(|&i| counts[i as usize] > 0).take(ROWS).collect();
    let mut rows = vec![vec![b'0'; chosen.len().min(COLUMNS)]; shown.len()];
    let place: HashMap<u32, usize> = shown.iter().copied().zip(0..).collect();
    for (b, some) in chosen.iter().take(COLUMNS).enumerate() {
        some.iter().filter_map(|i| place.get(i)).for_each(|&at| rows[at][b] = b'1');
    }
    let text = |row: Vec<u8>| row.into_iter().map(char::from).collect();
    shown.into_iter().zip(rows).map(|(index, row)| PictureRow { index, runs: text(row) }).collect()
}

/// For each feature, 0 and 1 over the bootstraps.
fn matrix(chosen: &[Vec<u32>], features: usize) -> Vec<String> {
    let mut rows = vec![vec![b'0'; chosen.len()]; features];
    for (b, some) in chosen.iter().enumerate() {
        some.iter().for_each(|&i| rows[i as usize][b] = b'1');
    }
    rows.into_iter().map(|row| row.iter().map(|c| char::from(*c)).collect()).collect()
}
