//! The sums of a feature with the columns of covariates.

use crate::merge::covariate_state::{changed, merged};
use crate::merge::effective_rows::Factors;
use crate::merge::feature::FeatureSums;
use crate::merge::target_state::Change;
use crate::score::joint_moments::{ColumnMove, CrossSet, JointMoments, merged_cross};

/// A feature against the columns of covariates (and of a numeric target), by group of rows: labels of the target, or all.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CrossSums {
    /// Σ(x − mean)(column − mean) in every group.
    pub(crate) cross: Vec<Vec<f64>>,
    /// The columns over the rows that have the feature; `None` where all rows that count have it.
    pub(crate) own: Option<Vec<JointMoments>>,
}

/// The weight, mean and rounding error of the mean of a feature in every group.
pub(crate) fn means(sums: &FeatureSums) -> Vec<(f64, [f64; 2])> {
    match sums {
        FeatureSums::Labels(moments) => moments.iter().map(|m| (m.count, [m.mean, m.rest])).collect(),
        FeatureSums::Number(joint) => vec![(joint.count, [joint.mean_x, 0.0])],
    }
}

/// A group for the merging of cross-products.
fn set<'a>(means: &[(f64, [f64; 2])], cross: &'a [Vec<f64>], columns: &'a [JointMoments], at: usize) -> CrossSet<'a> {
    let (count, mean) = means[at];
    CrossSet { count, mean, cross: &cross[at], means: &columns[at].means }
}

impl CrossSums {
    /// Recasts the sums for another target; `sums` are the feature's before that, `groups` those of all rows.
    pub(crate) fn change(&mut self, change: &Change, sums: &FeatureSums, groups: &[JointMoments], width: usize) {
        match change {
            Change::Keep => return,
            Change::Move(places, count) => {
                let mut moved = vec![vec![0.0; width]; *count];
                self.cross.iter_mut().zip(places).for_each(|(cross, &at)| moved[at] = std::mem::take(cross));
                self.cross = moved;
            }
            Change::ToNumber(values) => {
                let columns = self.own.as_deref().unwrap_or(groups);
                let wider: Vec<JointMoments> =
                    columns.iter().zip(values).map(|(group, y)| group.with_constants(&[*y])).collect();
                self.cross.iter_mut().for_each(|cross| cross.push(0.0));
                let means = means(sums);
                let sets = (0..means.len()).map(|at| set(&means, &self.cross, &wider, at));
                self.cross = vec![merged_cross(sets, width + 1)];
            }
            Change::Scale(by) => self.cross.iter_mut().for_each(|cross| cross[width] *= by),
        }
        if let Some(own) = &mut self.own {
            *own = changed(own, change, width);
        }
    }

    /// Puts columns at new places.
    pub(crate) fn rearrange(&mut self, change: &ColumnMove) {
        if change.is_nothing() {
            return;
        }
        self.cross.iter_mut().for_each(|cross| *cross = change.apply(cross));
        self.own.iter_mut().flatten().for_each(|group| *group = group.moved(change));
    }

    /// Rescales the feature.
    pub(crate) fn scale(&mut self, by: f64) {
        if by != 1.0 {
            self.cross.iter_mut().flatten().for_each(|cross| *cross *= by);
        }
    }

    /// Multiplies the weights of every group.
    pub(crate) fn weigh(&mut self, factors: &Factors) {
        factors.cross(&mut self.cross);
        self.own.iter_mut().for_each(|own| factors.joint(own));
    }

    /// Rows are added that lack the feature; `groups` are those of the rows before.
    pub(crate) fn add_lacking(&mut self, groups: &[JointMoments]) {
        if self.own.is_none() {
            self.own = Some(groups.to_vec());
        }
    }

    /// Adds the rows of another; both are in one unit and arranged alike. The feature's own sums are those before merging,
    /// `groups` those of all rows of each.
    pub(crate) fn merge(&mut self, other: &CrossSums, sums: [&FeatureSums; 2], [ours, theirs]: [&[JointMoments]; 2]) {
        let columns = [self.own.as_deref().unwrap_or(ours), other.own.as_deref().unwrap_or(theirs)];
        let means = sums.map(means);
        let one = |at: usize| {
            let sets = [set(&means[0], &self.cross, columns[0], at), set(&means[1], &other.cross, columns[1], at)];
            merged_cross(sets.into_iter(), self.cross[at].len())
        };
        let cross = (0..self.cross.len()).map(one).collect();
        if self.own.is_some() || other.own.is_some() {
            let all = columns[0].iter().zip(columns[1]).map(|(a, b)| merged(a, b)).collect();
            self.own = Some(all);
        }
        self.cross = cross;
    }

    /// By class, of so many; `class` has the class of every label, `sums` are the feature's, `groups` all rows'.
    pub(crate) fn by_class(
        &self,
        class: &[usize],
        n_classes: usize,
        sums: &FeatureSums,
        groups: &[JointMoments],
    ) -> CrossSums {
        let columns = self.own.as_deref().unwrap_or(groups);
        let means = means(sums);
        let one = |wanted: usize| {
            let labels = (0..class.len()).filter(|&at| class[at] == wanted);
            let sets = labels.map(|at| set(&means, &self.cross, columns, at));
            merged_cross(sets, self.cross.first().map_or(0, Vec::len))
        };
        CrossSums {
            cross: (0..n_classes).map(one).collect(),
            own: self.own.as_ref().map(|own| groups_by_class(own, class, n_classes)),
        }
    }
}

/// Groups by label joined to those by class.
pub(crate) fn groups_by_class(groups: &[JointMoments], class: &[usize], n_classes: usize) -> Vec<JointMoments> {
    let width = groups.first().map_or(0, JointMoments::width);
    let of =
        |wanted: usize| groups.iter().zip(class).filter(move |(_, class)| **class == wanted).map(|(group, _)| group);
    (0..n_classes).map(|class| JointMoments::merged(of(class), width)).collect()
}
