//! The covariates of the rows so far: how they become columns of numbers, and the joint moments of these columns.
//!
//! A covariate of numbers is one column, one of text an indicator for each of its levels. The moments are kept by label of
//! the target, so that classes can be told once they are known; where the target is numeric there is one group of rows, and
//! the target is the last column.

use crate::base::Result;
use crate::base::error::Place;
use crate::merge::feature::{check_categories, text_among_numbers};
use crate::merge::target_state::unit;
use crate::merge::target_state::{Change, TargetState};
use crate::score::joint_moments::{ColumnMove, JointMoments};
use crate::table::study::Lacks;
use serde::{Deserialize, Serialize};

/// The covariates so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CovariateState {
    /// For each covariate, its values.
    pub(crate) kinds: Vec<CovariateKind>,
    /// Rows with a target that lack a covariate.
    pub(crate) lacking: u64,
    /// The columns over the rows that count, by label of the target or in one group.
    pub(crate) groups: Vec<JointMoments>,
}

/// The values of a covariate so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum CovariateKind {
    /// All are missing.
    Unknown,
    /// Numbers, times [`unit`] of the largest size among them.
    Numbers(f64),
    /// Text: the levels that rows have, sorted.
    Levels(Vec<String>),
}

impl CovariateKind {
    /// How many columns it takes.
    pub(crate) fn width(&self) -> usize {
        match self {
            CovariateKind::Unknown => 0,
            CovariateKind::Numbers(_) => 1,
            CovariateKind::Levels(levels) => levels.len(),
        }
    }

    /// What both are together.
    fn union(&self, other: &CovariateKind, place: &dyn Fn() -> Place) -> Result<CovariateKind> {
        use CovariateKind::{Levels, Numbers, Unknown};
        Ok(match (self, other) {
            (Unknown, kind) | (kind, Unknown) => kind.clone(),
            (Numbers(a), Numbers(b)) => Numbers(a.max(*b)),
            (Levels(a), Levels(b)) => {
                let mut all: Vec<String> = a.iter().chain(b).cloned().collect();
                all.sort_unstable();
                all.dedup();
                check_categories(all.len(), all.first(), place)?;
                Levels(all)
            }
            (Levels(levels), Numbers(_)) | (Numbers(_), Levels(levels)) => {
                return Err(text_among_numbers(levels.first(), place()));
            }
        })
    }

    /// Where its columns go in a covariate of the kind `to`, whose first column is at `from`.
    fn moves(&self, to: &CovariateKind, from: usize) -> Vec<(usize, f64)> {
        match (self, to) {
            (CovariateKind::Numbers(own), CovariateKind::Numbers(size)) => vec![(from, unit(*size) / unit(*own))],
            (CovariateKind::Levels(own), CovariateKind::Levels(all)) => {
                own.iter().map(|level| (from + all.binary_search(level).unwrap_or(0), 1.0)).collect()
            }
            _ => vec![],
        }
    }
}

/// The columns of all covariates.
pub(crate) fn width_of(kinds: &[CovariateKind]) -> usize {
    kinds.iter().map(CovariateKind::width).sum()
}

/// Where columns of covariates go among those of `to`; a column of the target behind them stays behind.
fn moves(kinds: &[CovariateKind], to: &[CovariateKind], with_target: bool) -> ColumnMove {
    let (mut all, mut at) = (vec![], 0);
    for (own, to) in kinds.iter().zip(to) {
        all.extend(own.moves(to, at));
        at += to.width();
    }
    if with_target {
        all.push((at, 1.0));
        at += 1;
    }
    ColumnMove { to: all, width: at }
}

impl CovariateState {
    /// Of no rows.
    pub(crate) fn none(covariates: usize, target_state: &TargetState) -> CovariateState {
        let groups = match target_state {
            TargetState::Labels(labels) => labels.iter().map(|_| JointMoments::none(0)).collect(),
            TargetState::Number(_) => vec![JointMoments::none(1)],
        };
        CovariateState { kinds: vec![CovariateKind::Unknown; covariates], lacking: 0, groups }
    }

    /// Columns of the moments: those of covariates, and of a numeric target.
    pub(crate) fn width(&self, target_state: &TargetState) -> usize {
        width_of(&self.kinds) + usize::from(matches!(target_state, TargetState::Number(_)))
    }

    /// Whether no row counts.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.count == 0.0)
    }

    /// Recasts the groups for another target.
    pub(crate) fn change(&mut self, change: &Change) {
        let width = width_of(&self.kinds);
        self.groups = changed(&self.groups, change, width);
    }

    /// The covariates of both, and where the columns of each go; both stand against the same target, `with_target` says
    /// whether it is a column.
    pub(crate) fn union(
        &self,
        other: &CovariateState,
        names: &[String],
        with_target: bool,
        place: &Place,
    ) -> Result<(Vec<CovariateKind>, [ColumnMove; 2])> {
        let kinds = names.iter().zip(self.kinds.iter().zip(&other.kinds));
        let one =
            |(name, (a, b)): (&String, (&CovariateKind, &CovariateKind))| a.union(b, &|| place.clone().at_column(name));
        let kinds = kinds.map(one).collect::<Result<Vec<CovariateKind>>>()?;
        let moves = [moves(&self.kinds, &kinds, with_target), moves(&other.kinds, &kinds, with_target)];
        Ok((kinds, moves))
    }

    /// Puts columns at new places.
    pub(crate) fn rearrange(&mut self, kinds: Vec<CovariateKind>, change: &ColumnMove) {
        self.kinds = kinds;
        if !change.is_nothing() {
            self.groups.iter_mut().for_each(|group| *group = group.moved(change));
        }
    }

    /// Adds the rows of another, arranged alike.
    pub(crate) fn merge(&mut self, other: &CovariateState) {
        self.lacking = self.lacking.saturating_add(other.lacking);
        for (ours, theirs) in self.groups.iter_mut().zip(&other.groups) {
            *ours = merged(ours, theirs);
        }
    }

    /// Refuses a covariate without any value.
    pub(crate) fn check(&self, names: &[String]) -> Result<()> {
        match names.iter().zip(&self.kinds).find(|(_, kind)| **kind == CovariateKind::Unknown) {
            None => Ok(()),
            Some((name, _)) => Err(Lacks::Covariate.everywhere(Place::default().at_column(name))),
        }
    }
}

/// Two groups of rows together.
pub(crate) fn merged(a: &JointMoments, b: &JointMoments) -> JointMoments {
    JointMoments::merged([a, b].into_iter(), a.width())
}

/// Groups by label, of so many columns, recast for another target.
pub(crate) fn changed(groups: &[JointMoments], change: &Change, width: usize) -> Vec<JointMoments> {
    match change {
        Change::Keep => groups.to_vec(),
        Change::Move(places, count) => {
            let mut moved = vec![JointMoments::none(width); *count];
            groups.iter().zip(places).for_each(|(group, &at)| moved[at] = group.clone());
            moved
        }
        Change::ToNumber(values) => {
            let wider: Vec<JointMoments> = groups.iter().zip(values).map(|(g, y)| g.with_constants(&[*y])).collect();
            vec![JointMoments::merged(wider.iter(), width + 1)]
        }
        Change::Scale(by) => {
            let to = (0..width).map(|at| (at, 1.0)).chain([(width, *by)]).collect();
            let scale = ColumnMove { to, width: width + 1 };
            groups.iter().map(|group| group.moved(&scale)).collect()
        }
    }
}
