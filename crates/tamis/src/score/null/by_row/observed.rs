//! The real target's scores from sums over the rows.

use super::context_sums::{ContextSums, centred};
use super::digits::BITS;
use super::plan::{PlannedCovariate, PlannedTarget};
use super::sums::{FeatureSums, NumberSums, RowSums, SomeRows};
use crate::score::Moments;
use crate::score::category::{chi_square_of, variance_of};
use crate::score::comoments::CoMoments;
use crate::score::design::summed_design::{AdjustedSums, SummedCoding, SummedDesign};
use crate::score::from_sums::{FeatureSums as ScoredSums, SummedFeatures};
use crate::score::joint_moments::JointMoments;
use crate::table::{ComparedClasses, WeightKind};
use rayon::prelude::*;

/// The power of two that numbers with this highest digit are multiplied by, so that their squares stay in the range of f64:
/// 2^0 for all that are neither very large nor very small.
pub(super) fn shift_of(top: Option<i32>) -> i32 {
    top.map_or(0, |top| if (BITS * top).abs() > 340 { -BITS * top } else { 0 })
}

impl RowSums {
    /// Every feature as its sums against the target.
    pub(crate) fn summed(&self, comparison: ComparedClasses) -> SummedFeatures<'_> {
        let (classes, positive): (&[String], usize) = match &self.plan.target {
            PlannedTarget::Classes { labels, positive, .. } => (labels, *positive),
            PlannedTarget::Numbers { .. } => (&[], 0),
        };
        let adjusted = !self.plan.covariates.is_empty();
        SummedFeatures {
            names: &self.plan.names,
            features: self.features.par_iter().map(|feature| self.scored(feature, adjusted)).collect(),
            classes,
            positive,
            comparison,
            target: &self.plan.target_name,
            design: adjusted.then(|| self.design()),
            rows: self.n_samples(),
        }
    }

    /// Rows that count, with their copies.
    pub(crate) fn n_samples(&self) -> u64 {
        match &self.plan.weights {
            Some(weights) if weights.kind == WeightKind::Frequency => {
                self.groups.iter().map(|group| group.weight.value() as u64).sum()
            }
            _ => self.n_rows(),
        }
    }

    /// By what the weights of a group are multiplied.
    pub(super) fn factor(&self, group: usize) -> f64 {
        self.plan.weights.as_ref().and_then(|weights| weights.factors.get(group)).copied().unwrap_or(1.0)
    }

    /// What features are adjusted for, and the target's columns behind that.
    pub(super) fn design(&self) -> SummedDesign {
        let covariates = self.plan.covariates.iter();
        let named = |covariate: &PlannedCovariate| std::iter::repeat_n(covariate.name.clone(), covariate.width());
        let names: Vec<String> = covariates.flat_map(named).collect();
        let coded = self.plan.coded();
        let is = |class: usize, other: usize| f64::from(u8::from(class == other));
        let coding = match self.plan.n_classes() {
            Some(n) => {
                SummedCoding::Classes((0..n).map(|class| coded.iter().map(|&of| is(class, of)).collect()).collect())
            }
            None => SummedCoding::Number(power_of(self.target_shift())),
        };
        let positive = match &self.plan.target {
            PlannedTarget::Classes { labels, positive, .. } if labels.len() == 2 => Some(*positive),
            _ => None,
        };
        let groups = self.groups.iter().enumerate().map(|(at, group)| self.joint(group, at)).collect::<Vec<_>>();
        SummedDesign { columns: (0..names.len()).collect(), covariates: names, coding, groups: groups.into(), positive }
    }

    /// By which powers of two covariates and a numeric target are multiplied.
    pub(super) fn context_shifts(&self) -> Vec<i32> {
        self.context.iter().map(|column| shift_of(column.top)).collect()
    }

    fn target_shift(&self) -> i32 {
        self.context_shifts().last().copied().unwrap_or(0)
    }

    /// The joint moments of covariates and numeric target of some rows in a group.
    fn joint(&self, sums: &ContextSums, group: usize) -> JointMoments {
        let mut moments = sums.moments(&self.context_shifts());
        let factor = self.factor(group);
        moments.count *= factor;
        moments.products.iter_mut().for_each(|product| *product *= factor);
        moments
    }

    /// What each group's rows that have a feature have beside it.
    fn own(&self, sums: &NumberSums, group: usize) -> ContextSums {
        match &sums.lost {
            Some(lost) => self.groups[group].less(&lost.groups[group]),
            None => self.groups[group].clone(),
        }
    }

    /// A feature's moments in each group and its products with covariates and a numeric target.
    pub(super) fn adjusted(&self, sums: &NumberSums) -> AdjustedSums {
        let shift = shift_of(sums.products.top);
        let shifts = self.context_shifts();
        let (mut moments, mut cross, mut own) = (vec![], vec![], vec![]);
        for (at, group) in sums.groups.iter().enumerate() {
            let rows = self.own(sums, at);
            let joint = self.joint(&rows, at);
            let factor = self.factor(at);
            let weight = rows.weight.scaled(0);
            if rows.rows == 0 || weight.value() <= 0.0 {
                moments.push(Moments::default());
                cross.push(vec![0.0; shifts.len()]);
            } else {
                let sum = group.sum.scaled(shift);
                let mean = sum.over(weight);
                let m2 = centred(group.squares.scaled(2 * shift), sum, mean).max(0.0);
                moments.push(Moments { count: weight.value() * factor, mean: mean.0, rest: mean.1, m2: m2 * factor });
                let product = |(cross, (column, by)): (&super::exact::Exact, (&super::exact::Exact, &i32))| {
                    factor * centred(cross.scaled(shift + by), column.scaled(*by), mean)
                };
                cross.push(group.cross.iter().zip(rows.sums.iter().zip(&shifts)).map(product).collect());
            }
            own.push(joint);
        }
        let own = sums.lost.is_some().then_some(own);
        AdjustedSums { moments, cross, own, unit: power_of(shift) }
    }

    /// How many rows have a feature, and its sums.
    fn scored(&self, feature: &FeatureSums, adjusted: bool) -> (u32, ScoredSums) {
        match feature {
            FeatureSums::Numbers(sums) if sums.known > 0 => {
                let found = self.adjusted(sums);
                let rows = self.rows_of(sums.lost.as_ref());
                let scored = match (adjusted, self.plan.n_classes()) {
                    (true, _) => ScoredSums::Adjusted(found),
                    (false, Some(_)) => ScoredSums::Classes { moments: found.moments, unit: found.unit },
                    (false, None) => {
                        let all;
                        let y = match &found.own {
                            Some(own) => &own[0],
                            None => {
                                all = self.joint(&self.groups[0], 0);
                                &all
                            }
                        };
                        let m = found.moments[0];
                        let joint = CoMoments {
                            count: m.count,
                            mean_x: m.mean + m.rest,
                            mean_y: y.means[0],
                            xx: m.m2,
                            yy: y.product(0, 0),
                            xy: found.cross[0][0],
                        };
                        ScoredSums::Number { joint, units: [found.unit, power_of(self.target_shift())] }
                    }
                };
                (rows, scored)
            }
            FeatureSums::Categories(levels) => {
                let rows = levels.values().map(|level| self.count_of(level)).sum::<u64>();
                let rows = u32::try_from(rows).unwrap_or(u32::MAX);
                let outcome = match self.plan.n_classes() {
                    Some(n) => {
                        let counts: Vec<f64> = levels.values().flat_map(|level| self.weights_of(level)).collect();
                        chi_square_of(&counts, n, rows)
                    }
                    None => variance_of(&levels.values().map(|level| self.target_of(level)).collect::<Vec<_>>(), rows),
                };
                (rows, ScoredSums::Categories(outcome))
            }
            _ => (0, ScoredSums::Nothing),
        }
    }

    /// Rows with a feature that some lack.
    fn rows_of(&self, lost: Option<&SomeRows>) -> u32 {
        let lost = lost.map_or(0, |lost| self.count_of(lost));
        u32::try_from(self.n_samples() - lost.min(self.n_samples())).unwrap_or(u32::MAX)
    }

    /// How many rows some are, with their copies.
    fn count_of(&self, some: &SomeRows) -> u64 {
        match &self.plan.weights {
            Some(weights) if weights.kind == WeightKind::Frequency => {
                some.groups.iter().map(|group| group.weight.value() as u64).sum()
            }
            _ => some.groups.iter().map(|group| group.rows).sum(),
        }
    }

    /// The weight of some rows in each group.
    pub(super) fn weights_of(&self, some: &SomeRows) -> Vec<f64> {
        some.groups.iter().enumerate().map(|(at, group)| group.weight.value() * self.factor(at)).collect()
    }

    /// The moments of the numeric target over some rows.
    fn target_of(&self, some: &SomeRows) -> Moments {
        let joint = self.joint(&some.groups[0], 0);
        let y = joint.width() - 1;
        Moments { count: joint.count, mean: joint.means[y], rest: 0.0, m2: joint.product(y, y) }
    }
}

/// 2^k.
fn power_of(k: i32) -> f64 {
    2.0_f64.powi(k)
}
