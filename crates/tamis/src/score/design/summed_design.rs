//! The regression of features on a target and covariates of which only joint moments are at hand.
//!
//! With S the centred cross-products of the columns of covariates and target over all rows, c those with a feature, and
//! LLᵀ = S, the feature's share along each direction is L⁻¹c: what an orthonormal basis of the rows would give.

use super::linear_fit::{ClassSquares, FeatureFit, LinearFit};
use crate::score::Moments;
use crate::score::joint_moments::{CrossSet, JointMoments, merged_cross};
use std::sync::Arc;

/// A column of which less than this share of its squares is left, once others are taken out, depends on them. Squares are
/// differences of sums here, so that no smaller share could be told from rounding.
const DEPENDENT: f64 = 1e-10;

/// What features are adjusted for, and against what they are compared.
#[derive(Debug, Clone)]
pub(crate) struct SummedDesign {
    /// The covariate of every column that features are adjusted for.
    pub(crate) covariates: Vec<String>,
    /// Where these columns are among those of the moments.
    pub(crate) columns: Vec<usize>,
    /// The target of each group of rows; the last column of the moments where it is numeric.
    pub(crate) coding: SummedCoding,
    /// The moments of all rows by group: by class, or of all rows where the target is numeric.
    pub(crate) groups: Arc<[JointMoments]>,
    /// The class that is positive, of two.
    pub(crate) positive: Option<usize>,
}

/// How the target is coded.
#[derive(Debug, Clone)]
pub(crate) enum SummedCoding {
    /// The columns of every class.
    Classes(Vec<Vec<f64>>),
    /// The last column of the moments, multiplied by this unit.
    Number(f64),
}

/// A feature against the columns, by group of rows.
#[derive(Debug, Clone)]
pub(crate) struct AdjustedSums {
    /// The moments of the feature in every group, times its unit.
    pub(crate) moments: Vec<Moments>,
    /// Its cross-products with the columns in every group.
    pub(crate) cross: Vec<Vec<f64>>,
    /// The columns over the rows that have the feature; `None` where all have it.
    pub(crate) own: Option<Vec<JointMoments>>,
    /// What the feature was multiplied by.
    pub(crate) unit: f64,
}

/// The columns that count, factored: those of covariates first, then the target's.
pub(crate) struct Factored {
    /// Columns among those of the extended moments, in order.
    kept: Vec<usize>,
    /// How many of them are of covariates.
    n_covariates: usize,
    /// L, row by row.
    triangle: Vec<Vec<f64>>,
    /// The weight of all rows.
    count: f64,
    /// √v of the target's coefficients.
    unscaled: Arc<[f64]>,
    /// Which columns of covariates depend on earlier ones.
    pub(crate) dependent: Vec<usize>,
}

impl SummedDesign {
    /// How the target's columns are called in the extended moments: behind those of the covariates.
    fn target_columns(&self, width: usize) -> std::ops::Range<usize> {
        match &self.coding {
            SummedCoding::Classes(codes) => width..width + codes.first().map_or(0, Vec::len),
            SummedCoding::Number(_) => width - 1..width,
        }
    }

    /// The constants by which the moments of a group are extended.
    fn constants(&self, group: usize) -> &[f64] {
        match &self.coding {
            SummedCoding::Classes(codes) => &codes[group],
            SummedCoding::Number(_) => &[],
        }
    }

    /// The moments of all rows with the target among the columns, behind those of covariates.
    pub(crate) fn all_moments(&self) -> JointMoments {
        self.overall(&self.groups)
    }

    /// Factors the design of the rows with these moments, as [`SummedDesign::factor`].
    pub(crate) fn factor_of_groups(&self, groups: &[JointMoments]) -> Option<Factored> {
        self.factor_of(groups, &self.columns)
    }

    /// A feature's shares along the directions of covariates and target.
    pub(crate) fn shares_of_feature(&self, sums: &AdjustedSums, factored: &Factored) -> Vec<f64> {
        factored.shares(&self.cross(sums, sums.own.as_deref().unwrap_or(&self.groups)))
    }

    /// The moments of all rows with the target among the columns.
    fn overall(&self, groups: &[JointMoments]) -> JointMoments {
        let extended: Vec<JointMoments> =
            groups.iter().enumerate().map(|(at, group)| group.with_constants(self.constants(at))).collect();
        JointMoments::merged(extended.iter(), extended.first().map_or(0, JointMoments::width))
    }

    /// Factors the design of all rows; `None` where the target cannot be told apart from the covariates.
    pub(crate) fn factor(&self) -> Option<Factored> {
        self.factor_of(&self.groups, &self.columns)
    }

    /// Whether this covariate alone determines the target.
    pub(crate) fn is_determined_by(&self, covariate: &str) -> bool {
        let own = self.covariates.iter().zip(&self.columns).filter(|(name, _)| *name == covariate);
        self.factor_of(&self.groups, &own.map(|(_, column)| *column).collect::<Vec<usize>>()).is_none()
    }

    /// Whether the target has one value in all rows.
    pub(crate) fn target_is_constant(&self) -> bool {
        let all = self.overall(&self.groups);
        let width = self.groups.first().map_or(0, JointMoments::width);
        self.target_columns(width).all(|column| all.product(column, column) <= 0.0)
    }

    fn factor_of(&self, groups: &[JointMoments], covariates: &[usize]) -> Option<Factored> {
        let all = self.overall(groups);
        let target = self.target_columns(groups.first()?.width());
        let mut factored = Factored {
            kept: vec![],
            n_covariates: 0,
            triangle: vec![],
            count: all.count,
            unscaled: Arc::from([]),
            dependent: vec![],
        };
        for (at, &column) in covariates.iter().enumerate() {
            if !factored.add(&all, column) {
                factored.dependent.push(at);
            }
        }
        factored.n_covariates = factored.kept.len();
        for column in target {
            if !factored.add(&all, column) {
                return None;
            }
        }
        factored.unscaled = factored.unscaled_deviations().into();
        Some(factored)
    }

    /// The regression of a feature that so many rows have; `shared` is the design of all rows.
    pub(crate) fn fit(&self, rows: u32, sums: &AdjustedSums, shared: &Factored) -> FeatureFit {
        let all = Moments::merge_in_order(&sums.moments);
        if all.count == 0.0 || all.m2 == 0.0 {
            return FeatureFit::Constant { rows };
        }
        let groups = sums.own.as_deref().unwrap_or(&self.groups);
        let own = sums.own.as_ref().map(|own| self.factor_of(own, &self.columns));
        let factored = match &own {
            None => shared,
            Some(Some(factored)) => factored,
            Some(None) => return FeatureFit::Undetermined { rows, left: None },
        };
        let shares = factored.shares(&self.cross(sums, groups));
        let (of_covariates, of_target) = shares.split_at(factored.n_covariates);
        let squares = |shares: &[f64]| shares.iter().map(|share| share * share).sum::<f64>();
        let coefficients = factored.solve(&shares);
        let unit = sums.unit;
        let of_coding = match self.coding {
            SummedCoding::Classes(_) => 1.0,
            SummedCoding::Number(unit) => unit,
        };
        let (explained, residual) = without_rounding(all.m2, squares(of_covariates), squares(of_target));
        FeatureFit::Fitted(LinearFit {
            rows,
            mean: (all.mean + all.rest) / unit,
            mean_square: all.mean_square() / unit / unit,
            coefficients: coefficients[factored.n_covariates..].iter().map(|b| b / unit * of_coding).collect(),
            unscaled: factored.unscaled.iter().map(|v| v * of_coding).collect(),
            explained: explained / unit / unit,
            residual: residual / unit / unit,
            df: factored.count - (1 + shares.len()) as f64,
            classes: self.positive.map(|positive| {
                let on = &coefficients[..factored.n_covariates];
                [1 - positive, positive].map(|class| self.class_squares(class, sums, groups, &factored.kept, on))
            }),
        })
    }

    /// The cross-products of a feature with all columns, the target's among them, over all rows.
    fn cross(&self, sums: &AdjustedSums, groups: &[JointMoments]) -> Vec<f64> {
        let extended: Vec<JointMoments> =
            groups.iter().enumerate().map(|(at, group)| group.with_constants(self.constants(at))).collect();
        let width = extended.first().map_or(0, JointMoments::width);
        let padded: Vec<Vec<f64>> = sums
            .cross
            .iter()
            .map(|cross| cross.iter().copied().chain(std::iter::repeat(0.0)).take(width).collect())
            .collect();
        let set = |at: usize| {
            let m = &sums.moments[at];
            CrossSet { count: m.count, mean: [m.mean, m.rest], cross: &padded[at], means: &extended[at].means }
        };
        merged_cross((0..padded.len()).map(set), width)
    }

    /// The squared residuals of a class of two, whose mean residual is 0.
    fn class_squares(
        &self,
        class: usize,
        sums: &AdjustedSums,
        groups: &[JointMoments],
        kept: &[usize],
        on_covariates: &[f64],
    ) -> ClassSquares {
        let (moments, cross, group) = (&sums.moments[class], &sums.cross[class], &groups[class]);
        let mut squares = moments.m2;
        for (i, (&a, b_a)) in kept.iter().zip(on_covariates).enumerate() {
            squares -= 2.0 * b_a * cross[a];
            squares += b_a * b_a * group.product(a, a);
            let others = kept[..i].iter().zip(on_covariates);
            squares += others.map(|(&b, b_b)| 2.0 * b_a * b_b * group.product(a, b)).sum::<f64>();
        }
        ClassSquares { count: moments.count, squares: squares.max(0.0) / sums.unit / sums.unit }
    }
}

/// The squares that the target explains and those that are left of `all`; what rounding may have left counts as nothing.
fn without_rounding(all: f64, of_covariates: f64, of_target: f64) -> (f64, f64) {
    const ROUNDING: f64 = 1e-13;
    let left = all - of_covariates - of_target;
    match (left > ROUNDING * all, of_target > 10.0 * ROUNDING * all) {
        (true, _) => (of_target, left),
        (false, true) => (of_target, 0.0),
        (false, false) => (0.0, 0.0),
    }
}

impl Factored {
    /// All coefficients: of the mean, the covariates and the target.
    pub(crate) fn n_coefficients(&self) -> usize {
        1 + self.kept.len()
    }

    /// The weight of all rows.
    pub(crate) fn weight(&self) -> f64 {
        self.count
    }

    /// Adds a column unless it depends on those before it.
    fn add(&mut self, all: &JointMoments, column: usize) -> bool {
        let products: Vec<f64> = self.kept.iter().map(|&other| all.product(column, other)).collect();
        let mut row = self.shares_of(&products);
        let squares = all.product(column, column);
        let left = squares - row.iter().map(|share| share * share).sum::<f64>();
        if !(squares > 0.0 && left > DEPENDENT * squares) {
            return false;
        }
        row.push(left.sqrt());
        self.triangle.push(row);
        self.kept.push(column);
        true
    }

    /// L⁻¹ times numbers of the columns kept.
    fn shares_of(&self, products: &[f64]) -> Vec<f64> {
        let mut shares: Vec<f64> = Vec::with_capacity(products.len());
        for (row, product) in self.triangle.iter().zip(products) {
            let known: f64 = row.iter().zip(&shares).map(|(l, share)| l * share).sum();
            shares.push((product - known) / row[shares.len()]);
        }
        shares
    }

    /// How many directions are of covariates.
    pub(crate) fn n_covariates(&self) -> usize {
        self.n_covariates
    }

    /// Shares along the directions, from cross-products with all columns.
    pub(crate) fn shares(&self, cross: &[f64]) -> Vec<f64> {
        self.shares_of(&self.kept.iter().map(|&column| cross[column]).collect::<Vec<f64>>())
    }

    /// The coefficients of all columns kept, from shares: L⁻ᵀ times them.
    fn solve(&self, shares: &[f64]) -> Vec<f64> {
        let mut solved = shares.to_vec();
        for at in (0..solved.len()).rev() {
            solved[at] /= self.triangle[at][at];
            let found = solved[at];
            (0..at).for_each(|other| solved[other] -= self.triangle[at][other] * found);
        }
        solved
    }

    /// √v of every coefficient of the target: the lengths of rows of the inverse of L's last block, transposed.
    fn unscaled_deviations(&self) -> Vec<f64> {
        let n = self.kept.len();
        let mut squares = vec![0.0; n - self.n_covariates];
        for k in self.n_covariates..n {
            let unit: Vec<f64> = (0..n).map(|j| f64::from(u8::from(j == k))).collect();
            let solved = self.solve(&unit);
            squares.iter_mut().zip(&solved[self.n_covariates..]).for_each(|(square, c)| *square += c * c);
        }
        squares.iter().map(|square| square.sqrt()).collect()
    }
}
