//! How many rows importance weights stand for: by what the sums of pieces are multiplied once all rows are there.

use crate::merge::target_state::WeightSums;
use crate::score::Moments;
use crate::score::comoments::CoMoments;
use crate::score::joint_moments::JointMoments;

/// By what the sums of each class, or of all rows, are multiplied, so that weights sum to their effective number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Factors(Vec<f64>);

impl Factors {
    /// Nothing is multiplied.
    pub(crate) const NONE: Factors = Factors(vec![]);

    /// For importance weights with these sums, class by class or of all rows.
    pub(crate) fn new(classes: &[WeightSums]) -> Factors {
        Factors(classes.iter().map(|sums| sums.factor()).collect())
    }

    /// That of a class; the first where the target is numeric.
    pub(crate) fn of(&self, class: usize) -> f64 {
        self.0.get(class).copied().unwrap_or(1.0)
    }

    pub(crate) fn moments(&self, moments: &mut [Moments]) {
        for (class, m) in moments.iter_mut().enumerate() {
            m.count *= self.of(class);
            m.m2 *= self.of(class);
        }
    }

    pub(crate) fn comoments(&self, m: CoMoments) -> CoMoments {
        let by = self.of(0);
        CoMoments { count: m.count * by, xx: m.xx * by, yy: m.yy * by, xy: m.xy * by, ..m }
    }

    pub(crate) fn joint(&self, groups: &mut [JointMoments]) {
        for (class, group) in groups.iter_mut().enumerate() {
            group.count *= self.of(class);
            group.products.iter_mut().for_each(|product| *product *= self.of(class));
        }
    }

    pub(crate) fn cross(&self, groups: &mut [Vec<f64>]) {
        for (class, cross) in groups.iter_mut().enumerate() {
            cross.iter_mut().for_each(|x| *x *= self.of(class));
        }
    }
}
