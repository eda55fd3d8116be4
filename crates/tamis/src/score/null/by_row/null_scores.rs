//! The scores of null targets from sums over the rows.
//!
//! With u and s the shares of a feature and of a null target along orthonormal directions, first of what features are
//! adjusted for, then of the real target, products of what is left follow from the products of the whole. A feature with
//! missing cells uses its own rows, and the directions of all rows.

use super::digits::{BITS, power};
use super::draws::Draws;
use super::observed::shift_of;
use super::sums::{FeatureSums, NullProducts, NumberSums, RowSums, SomeRows};
use crate::numeric::linalg::{Cholesky, Matrix, dot};
use crate::score::category;
use crate::score::design::summed_design::{Factored, SummedDesign};
use crate::score::joint_moments::JointMoments;
use crate::score::null::{Maps, NullBlock, NullCounts};
use crate::score::score_from_moments::Outcome;
use crate::score::{Moments, Scale, Scores};
use std::ops::Range;
use std::sync::Arc;

/// Null scores of a table whose rows were summed.
pub(crate) struct RowScores {
    sums: Arc<RowSums>,
    design: SummedDesign,
    shared: Factored,
    maps: Maps,
    /// The weight of all rows.
    weight: f64,
    nulls: Vec<Null>,
    /// What a null number's whole number stands for.
    unit: f64,
}

/// A null target.
struct Null {
    /// The sum of each of its columns.
    sums: Vec<f64>,
    /// The shares of each of its columns along all directions.
    shares: Vec<Vec<f64>>,
    /// Products of its columns off what features are adjusted for, and off the real target too.
    gate: Vec<f64>,
    states: Vec<f64>,
}

impl RowScores {
    /// Null scores for features with these scores; `None` where the target cannot be told from what features are adjusted
    /// for.
    pub(crate) fn new(sums: Arc<RowSums>, scores: &Scores, scale: Scale) -> Option<RowScores> {
        let design = sums.design();
        let shared = design.factor()?;
        let width = sums.plan.width();
        let several = sums.plan.n_classes().is_some_and(|n| n > 2);
        let mut maps = Maps::new(scores.statistic, scale, sums.plan.weights.is_some(), scores.moderation.clone());
        maps.pool();
        maps.prepare_design(shared.weight() - shared.n_coefficients() as f64, width, several);
        let weight = shared.weight();
        let draws = Draws::new(&sums.plan);
        let units = (draws.unit, draws.unit_of_squares);
        let overall = design.all_moments();
        let nulls = (0..sums.plan.count).map(|r| Null::new(&sums, (&shared, &overall), r, units)).collect();
        Some(RowScores { design, shared, maps, weight, nulls, unit: draws.unit, sums })
    }

    /// How many features there are.
    pub(crate) fn n_features(&self) -> usize {
        self.sums.features.len()
    }

    /// How many null targets the gate has.
    pub(crate) fn count(&self) -> usize {
        self.nulls.len()
    }

    /// The dimension of the space that is left once target and what features are adjusted for are taken out.
    pub(crate) fn residual_dimension(&self) -> usize {
        let rows = usize::try_from(self.sums.n_samples()).unwrap_or(usize::MAX);
        rows.saturating_sub(self.shared.n_coefficients())
    }

    /// The null scores of neighbouring features.
    pub(crate) fn block(&self, features: Range<usize>) -> NullBlock {
        let mut out = NullBlock::new(NullCounts { gate: self.nulls.len(), states: self.nulls.len() }, features.len());
        for (j, at) in features.enumerate() {
            let (gate, states) = (out.gate.column_mut(j), out.states.column_mut(j));
            match &self.sums.features[at] {
                FeatureSums::Numbers(sums) if sums.known > 0 => self.score(sums, at, gate, states),
                FeatureSums::Categories(levels) if self.sums.plan.covariates.is_empty() => {
                    let levels: Vec<&SomeRows> = levels.values().collect();
                    for (r, out) in gate.iter_mut().enumerate() {
                        *out = self.category(&levels, r).finite().unwrap_or(0.0);
                    }
                    states.copy_from_slice(gate);
                }
                _ => {}
            }
        }
        out
    }

    fn score(&self, sums: &NumberSums, feature: usize, gate: &mut [f64], states: &mut [f64]) {
        let found = self.sums.adjusted(sums);
        let all = Moments::merge_in_order(&found.moments);
        let factored = match &found.own {
            None => None,
            Some(own) => match self.design.factor_of_groups(own) {
                Some(factored) => Some(factored),
                None => return,
            },
        };
        let factored = factored.as_ref().unwrap_or(&self.shared);
        if factored.n_coefficients() != self.shared.n_coefficients() || all.m2 == 0.0 {
            return;
        }
        let shares = self.design.shares_of_feature(&found, factored);
        let n_z = factored.n_covariates();
        let squares = |shares: &[f64]| shares.iter().map(|x| x * x).sum::<f64>();
        // what rounding to two digits adds
        let grain = sums.products.top.map_or(0.0, |top| power(BITS * (top - 1) + shift_of(sums.products.top)));
        let noise = all.count * grain * grain / 12.0;
        if noise > 1.5 * all.m2 {
            return;
        }
        let off_nuisance = (all.m2 - squares(&shares[..n_z])).max(0.0) + noise;
        let residual = (all.m2 - squares(&shares)).max(0.0) + noise;
        let (unit, width) = (found.unit, self.sums.plan.width());
        let df = all.count - factored.n_coefficients() as f64;
        let part = if sums.lost.is_some() { all.count / self.weight } else { 1.0 };
        let mean = all.mean + all.rest;
        let several = self.sums.plan.n_classes().is_some_and(|n| n > 2);
        let products = Digits::of(&sums.products, self.unit * found.unit);
        let mut left = vec![0.0; width];
        for (r, null) in self.nulls.iter().enumerate() {
            for (a, left) in left.iter_mut().enumerate() {
                let lost = sums.lost.as_ref().map_or(0.0, |lost| lost.nulls[r * width + a] as f64 * self.unit);
                let product = products.at(r * width + a) - mean * (null.sums[a] - lost);
                *left = product - part.sqrt() * dot(&shares[..n_z], &null.shares[a][..n_z]);
            }
            let squares = (off_nuisance / unit / unit, residual / unit / unit);
            gate[r] = self.of(&left, &null.gate, part, (unit, squares.0, df, several), feature);
            for (a, left) in left.iter_mut().enumerate() {
                *left -= part.sqrt() * dot(&shares[n_z..], &null.shares[a][n_z..]);
            }
            states[r] = self.of(&left, &null.states, part, (unit, squares.1, df - width as f64, several), feature);
        }
    }

    /// The score of products with the columns of a null target.
    fn of(
        &self,
        products: &[f64],
        gram: &[f64],
        part: f64,
        (unit, squares, df, several): (f64, f64, f64, bool),
        feature: usize,
    ) -> f64 {
        if !several {
            return self.maps.t(products[0] / unit, gram[0] * part, squares, df, feature);
        }
        let width = products.len();
        let mut solved = products.to_vec();
        match Cholesky::factor(Matrix::from_fn(width, width, |i, k| gram[i * width + k] * part)) {
            Ok(factor) => factor.solve(&mut solved),
            Err(_) => return 0.0, // the null target is the real one, or lacks a class
        }
        self.maps.f(dot(products, &solved) / unit / unit, squares, width as f64, df, feature)
    }

    /// The score of categories against null target `r`.
    fn category(&self, levels: &[&SomeRows], r: usize) -> Outcome {
        let width = self.sums.plan.width();
        let rows: u64 = levels.iter().flat_map(|level| &level.groups).map(|group| group.rows).sum();
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let weights: Vec<f64> = levels.iter().map(|level| self.sums.weights_of(level).iter().sum()).collect();
        let null = |level: &SomeRows, a: usize| level.nulls[r * width + a] as f64 * self.unit;
        if self.sums.plan.n_classes().is_none() {
            let total: f64 = weights.iter().sum();
            let sums: Vec<f64> = levels.iter().map(|level| null(level, 0)).collect();
            let mean = sums.iter().sum::<f64>() / total;
            let between: f64 =
                sums.iter().zip(&weights).filter(|(_, w)| **w > 0.0).map(|(s, w)| s * s / w).sum::<f64>()
                    - total * mean * mean;
            let within = (self.nulls[r].gate[0] * total / self.weight - between).max(0.0);
            let moments = sums.iter().zip(&weights).map(|(sum, &count)| {
                let mean = if count > 0.0 { sum / count } else { 0.0 };
                Moments { count, mean, rest: 0.0, m2: within * count / total }
            });
            return category::variance_of(&moments.collect::<Vec<Moments>>(), rows);
        }
        let mut table = Vec::with_capacity(weights.len() * (width + 1));
        for (level, weight) in levels.iter().zip(weights) {
            let mut left = weight;
            for a in 0..width {
                let count = null(level, a);
                table.push(count);
                left -= count;
            }
            table.push(left.max(0.0));
        }
        category::chi_square_of(&table, width + 1, rows)
    }
}

/// Sums of digits as numbers.
struct Digits<'a> {
    of: &'a NullProducts,
    units: [f64; 2],
}

impl Digits<'_> {
    fn of(products: &NullProducts, unit: f64) -> Digits<'_> {
        let place = |at: i32| products.top.map_or(0.0, |top| 2.0_f64.powi(BITS * (top - at)) * unit);
        Digits { of: products, units: [place(0), place(1)] }
    }

    fn at(&self, k: usize) -> f64 {
        self.of.high[k] as f64 * self.units[0] + self.of.low[k] as f64 * self.units[1]
    }
}

impl Null {
    fn new(
        sums: &RowSums,
        (shared, overall): (&Factored, &JointMoments),
        r: usize,
        (unit, unit_of_squares): (f64, f64),
    ) -> Null {
        let plan = &sums.plan;
        let width = plan.width();
        let shifts = sums.context_shifts();
        let coded = plan.coded();
        let n_context = plan.n_context();
        let column = |a: usize| r * width + a;
        let total = |a: usize| sums.nulls.iter().map(|group| group[column(a)] as f64).sum::<f64>() * unit;
        let totals: Vec<f64> = (0..width).map(total).collect();
        // centred products with every column of the design, covariates and a numeric target first, then classes
        let products = |a: usize| -> Vec<f64> {
            let context = sums.context.iter().zip(&shifts).enumerate();
            let context = context.map(|(k, (null, by))| {
                Digits::of(null, unit * 2.0_f64.powi(*by)).at(column(a)) - overall.means[k] * totals[a]
            });
            let classes = coded.iter().enumerate().map(|(k, &class)| {
                sums.nulls[class][column(a)] as f64 * unit - overall.means[n_context + k] * totals[a]
            });
            context.chain(classes).collect()
        };
        let shares: Vec<Vec<f64>> = (0..width).map(|a| shared.shares(&products(a))).collect();
        let n_z = shared.n_covariates();
        let own = |a: usize, b: usize| match (plan.n_classes(), a == b) {
            (None, _) => sums.squares[column(a)] as f64 * unit_of_squares,
            (Some(_), true) => totals[a],
            (Some(_), false) => 0.0,
        };
        let gram = |upto: &dyn Fn(&Vec<f64>) -> usize| -> Vec<f64> {
            let one = |a: usize, b: usize| {
                let taken = upto(&shares[a]);
                own(a, b) - totals[a] * totals[b] / overall.count - dot(&shares[a][..taken], &shares[b][..taken])
            };
            (0..width * width).map(|at| one(at / width, at % width)).collect()
        };
        Null { gate: gram(&|_| n_z), states: gram(&|shares| shares.len()), sums: totals, shares }
    }
}
