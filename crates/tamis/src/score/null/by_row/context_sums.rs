//! Sums of what every row has beside its features: its weight, covariates, and a numeric target.

use super::digits::Digits;
use super::exact::{Double, Exact};
use crate::score::joint_moments::JointMoments;
use std::ops::Range;

/// The sums of some rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ContextSums {
    pub(crate) rows: u64,
    pub(crate) weight: Exact,
    /// Of weight times each column.
    pub(crate) sums: Vec<Exact>,
    /// Of weight times products of columns: the lower triangle, row by row.
    pub(crate) products: Vec<Exact>,
}

/// The digits of some rows' weights and columns.
#[derive(Default)]
pub(super) struct ContextDigits {
    pub(super) weight: Digits,
    pub(super) plain: Vec<Digits>,
    /// Weight times column.
    pub(super) weighted: Vec<Digits>,
}

impl ContextDigits {
    pub(super) fn of(weights: &[f64], columns: &[&[f64]]) -> ContextDigits {
        let digits = |x: &[f64]| {
            let mut digits = Digits::default();
            digits.set(x);
            digits
        };
        let weighted = |x: &&[f64]| digits(&x.iter().zip(weights).map(|(x, w)| x * w).collect::<Vec<f64>>());
        ContextDigits {
            weight: digits(weights),
            plain: columns.iter().map(|x| digits(x)).collect(),
            weighted: columns.iter().map(weighted).collect(),
        }
    }
}

impl ContextSums {
    pub(super) fn none(columns: usize) -> ContextSums {
        ContextSums {
            sums: vec![Exact::default(); columns],
            products: vec![Exact::default(); JointMoments::triangle(columns)],
            ..ContextSums::default()
        }
    }

    /// Adds a span of rows.
    pub(super) fn add(&mut self, context: &ContextDigits, rows: Range<usize>) {
        self.rows += rows.len() as u64;
        self.weight.add(&context.weight, rows.clone());
        let mut at = 0;
        for (i, weighted) in context.weighted.iter().enumerate() {
            self.sums[i].add(weighted, rows.clone());
            for plain in &context.plain[..=i] {
                self.products[at].add_products(weighted, plain, rows.clone());
                at += 1;
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &ContextSums) {
        self.rows += other.rows;
        self.weight.merge(&other.weight);
        self.sums.iter_mut().zip(&other.sums).for_each(|(a, b)| a.merge(b));
        self.products.iter_mut().zip(&other.products).for_each(|(a, b)| a.merge(b));
    }

    /// What is left once some of the rows are taken away.
    pub(super) fn less(&self, other: &ContextSums) -> ContextSums {
        let each = |a: &[Exact], b: &[Exact]| a.iter().zip(b).map(|(a, b)| a.less(b)).collect();
        ContextSums {
            rows: self.rows - other.rows,
            weight: self.weight.less(&other.weight),
            sums: each(&self.sums, &other.sums),
            products: each(&self.products, &other.products),
        }
    }

    /// Their joint moments, of columns times powers of two.
    pub(super) fn moments(&self, shifts: &[i32]) -> JointMoments {
        let width = self.sums.len();
        let mut moments = JointMoments::none(width);
        let weight = self.weight.scaled(0);
        moments.count = weight.value();
        if self.rows == 0 || moments.count == 0.0 {
            return moments;
        }
        let means: Vec<Double> = self.sums.iter().zip(shifts).map(|(sum, by)| sum.scaled(*by).over(weight)).collect();
        moments.means = means.iter().map(|mean| mean.value()).collect();
        let mut at = 0;
        for i in 0..width {
            for j in 0..=i {
                let product = self.products[at].scaled(shifts[i] + shifts[j]);
                let left = centred(product, self.sums[i].scaled(shifts[i]), means[j]);
                moments.products[at] = if i == j { left.max(0.0) } else { left };
                at += 1;
            }
        }
        moments
    }
}

/// Σ(x − mean)(y − mean) from Σxy, Σx and the mean of y; 0 where nothing but rounding is left.
pub(super) fn centred(product: Double, sum: Double, mean: Double) -> f64 {
    let between = sum.times(mean);
    let left = product.minus(between).value();
    if left.abs() <= ROUNDING * product.0.abs().max(between.0.abs()) { 0.0 } else { left }
}

/// What the digits kept leave of equal values: their squares are cut off at 2⁻⁸⁰ of the largest.
const ROUNDING: f64 = 1e-22;
