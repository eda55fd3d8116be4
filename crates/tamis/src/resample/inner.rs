//! Splits of training rows, for what a method learns from rows that it holds back: a parameter, a correction, a kernel.
//!
//! Every such split goes through here, so that rows of a group, or else of a block, are never on both sides: a method that
//! knows a patient from other rows looks better than it is on a new patient.

use super::deal::{checked_groups, shuffle};
use super::folds::{self, Fold, Plan, STREAMS, checked_rows};
use crate::base::Result;
use crate::numeric::random;
use crate::table::View;

pub(crate) use super::deal::deal;

/// Five folds of a view's rows.
///
/// # Errors
///
/// All rows in one group; fewer rows than folds.
pub fn folds(data: &View, seed: u64) -> Result<Plan> {
    const FOLDS: usize = 5;
    folds::drawn(data, FOLDS, 1, seed)
}

/// One split, with about this share of every class apart (of all rows, where the target is a number). At least one row of
/// a class stays on each side if it has two, and at least one group where rows belong together.
///
/// # Errors
///
/// All rows in one group.
pub fn holdout(data: &View, share: f64, seed: u64) -> Result<Fold> {
    let rows = checked_rows(data)?;
    let mut rng = random::stream(seed, STREAMS - 1);
    let is_apart = match data.groups() {
        Some(groups) => {
            let groups = checked_groups(data, rows, groups.codes())?;
            let mut side = groups.spread(groups.in_random_order(&mut rng), &[1.0 - share, share]);
            if side.iter().all(|s| *s == side[0]) {
                side[groups.smallest()] = 1 - side[0];
            }
            groups.parts_of_rows(&side).into_iter().map(|side| side == 1).collect()
        }
        None => {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            shuffle(&mut order, &mut rng);
            let class = |at: usize| data.target().code(rows[at] as usize).unwrap_or(0);
            order.sort_by_key(|&at| class(at));
            let mut is_apart = vec![false; rows.len()];
            for members in order.chunk_by(|&a, &b| class(a) == class(b)) {
                let wanted = (members.len() as f64 * share).round() as usize;
                let taken = if members.len() < 2 { 0 } else { wanted.clamp(1, members.len() - 1) };
                members[..taken].iter().for_each(|&at| is_apart[at] = true);
            }
            is_apart
        }
    };
    let of =
        |side: bool| rows.iter().zip(&is_apart).filter(|(_, apart)| **apart == side).map(|(row, _)| *row).collect();
    Ok(Fold { train: of(false), test: of(true), repeat: 0, fold: 0 })
}
