//! Scores of null targets given as directions, off everything that features are adjusted for: permuted residuals of the
//! target where there are covariates or blocks (Freedman & Lane 1983), random directions where there are too few
//! arrangements. Variances are pooled, moderated where the real ones are.

use super::null_block::NullCounts;
use super::{Maps, NullBlock};
use crate::numeric::linalg::{Cholesky, Matrix, dot};
use crate::score::design::{Adjustment, Design, Samples};
use std::borrow::Cow;
use std::collections::HashMap;

/// Null targets as vectors over the samples.
pub(super) struct ByDirection {
    /// Some vectors per null target.
    nulls: Vec<Vec<Vec<f64>>>,
    /// Whether these are random directions.
    random: bool,
    /// How many of them, the first ones, the gate has.
    gate: usize,
    rows: Vec<u32>,
    samples: Samples,
    /// Where nothing is missing.
    complete: Directions,
}

impl ByDirection {
    /// `nulls` have as many vectors per target as the real target's coding has columns, the first `gate` of them are those of
    /// the gate; samples are these rows.
    pub(super) fn new(
        (nulls, random): (Vec<Vec<Vec<f64>>>, bool),
        design: Design,
        rows: &[u32],
        gate: usize,
    ) -> ByDirection {
        let complete = Directions::new(&nulls, design.complete, &design.samples);
        ByDirection { nulls, random, gate, rows: rows.to_vec(), samples: design.samples, complete }
    }

    /// The first vector of a null target.
    #[cfg(test)]
    pub(super) fn vector(&self, r: usize) -> Vec<f64> {
        self.nulls[r][0].clone()
    }

    /// Degrees of freedom of the residuals of a feature without missing values.
    pub(super) fn df(&self) -> f64 {
        self.complete.df
    }

    /// The dimension of the space that is left once target and nuisance are taken out.
    pub(super) fn residual_dimension(&self) -> usize {
        let taken = self.complete.adjustment.rank() + self.complete.adjustment.n_target();
        self.samples.len().saturating_sub(taken)
    }

    /// The scores of these features, of the table as it is and of the table without the real target's part.
    pub(super) fn score(&self, columns: &[Cow<[f64]>], features: &[usize], maps: &Maps) -> NullBlock {
        let mut out = NullBlock::new(NullCounts { gate: self.gate, states: self.nulls.len() }, columns.len());
        let mut known: HashMap<Vec<usize>, Option<Directions>> = HashMap::new();
        let mut together: (Vec<usize>, Vec<Vec<f64>>) = (vec![], vec![]);
        for (j, column) in columns.iter().enumerate() {
            let values: Vec<f64> = self.rows.iter().map(|&row| column[row as usize]).collect();
            let present: Vec<usize> = (0..values.len()).filter(|&i| !values[i].is_nan()).collect();
            if present.len() == values.len() && self.samples.cells.is_none() {
                together.0.push(j);
                together.1.push(values);
                continue;
            }
            if self.samples.cells.is_some() {
                if let Some(directions) = self.of_feature(features[j]) {
                    directions.score(vec![values], &[j], features, maps, &mut out);
                }
                continue;
            }
            let own: Vec<f64> = present.iter().map(|&i| values[i]).collect();
            let directions = known.entry(present).or_insert_with_key(|present| self.of_samples(present));
            if let Some(directions) = directions {
                directions.score(vec![own], &[j], features, maps, &mut out);
            }
        }
        self.complete.score(together.1, &together.0, features, maps, &mut out);
        out
    }

    /// Directions for a feature whose cells have precisions of their own.
    fn of_feature(&self, feature: usize) -> Option<Directions> {
        let samples = self.samples.of_feature(feature)?;
        let adjustment = Adjustment::new(&samples).ok()?;
        if !self.random {
            return Some(Directions::new(&self.nulls, adjustment, &samples));
        }
        // random directions are those of whitened samples
        let cells = &self.samples.cells.as_ref()?[feature];
        let own =
            |vector: &Vec<f64>| -> Vec<f64> { vector.iter().zip(cells).map(|(x, cell)| x / cell.sqrt()).collect() };
        let nulls: Vec<Vec<Vec<f64>>> = self.nulls.iter().map(|null| null.iter().map(own).collect()).collect();
        Some(Directions::new(&nulls, adjustment, &samples))
    }

    /// Directions over some of the samples; `None` where they do not determine the target.
    fn of_samples(&self, present: &[usize]) -> Option<Directions> {
        let samples = self.samples.only(present);
        let adjustment = Adjustment::new(&samples).ok()?;
        let pick = |vector: &Vec<f64>| -> Vec<f64> { present.iter().map(|&i| vector[i]).collect() };
        let nulls: Vec<Vec<Vec<f64>>> = self.nulls.iter().map(|null| null.iter().map(pick).collect()).collect();
        Some(Directions::new(&nulls, adjustment, &samples))
    }
}

/// Null targets over samples that some features share.
struct Directions {
    adjustment: Adjustment,
    /// Degrees of freedom of the residuals.
    df: f64,
    /// Orthonormal directions of each null target, off the nuisance, one target after the other. A null target that has
    /// none left is zero.
    gate: Matrix,
    /// Whether scores are those of several classes, by F.
    several: bool,
    /// Per null target: its directions along those of the real target, real by null.
    overlaps: Vec<Matrix>,
    /// Of several classes, per null target: the products of its directions without the real ones, factored; `None` where
    /// the null target is the real one.
    factors: Vec<Option<Cholesky>>,
}

impl Directions {
    fn new(nulls: &[Vec<Vec<f64>>], adjustment: Adjustment, samples: &Samples) -> Directions {
        let width = adjustment.n_target();
        let df = samples.weight() - (adjustment.rank() + width) as f64;
        let mut gate = Matrix::zeros(adjustment.n_samples(), nulls.len() * width);
        for (r, null) in nulls.iter().enumerate() {
            for (k, direction) in orthonormal(null, &adjustment).iter().take(width).enumerate() {
                gate.column_mut(r * width + k).copy_from_slice(direction);
            }
        }
        let real: Vec<&[f64]> = adjustment.target_directions().collect();
        let overlap = |r: usize| Matrix::from_fn(width, width, |i, k| dot(real[i], gate.column(r * width + k)));
        let overlaps: Vec<Matrix> = (0..nulls.len()).map(overlap).collect();
        let several = samples.several_classes;
        let factors = overlaps.iter().filter(|_| several).map(|overlap| Cholesky::factor(left_over(overlap)).ok());
        Directions { df, factors: factors.collect(), overlaps, gate, adjustment, several }
    }

    /// Writes the scores of columns that have values in all samples; column j of the block is feature `features[j]`.
    fn score(&self, columns: Vec<Vec<f64>>, places: &[usize], features: &[usize], maps: &Maps, out: &mut NullBlock) {
        let width = self.adjustment.n_target();
        let mut left = Matrix::from_columns(self.adjustment.n_samples(), columns.len(), |j, out| {
            out.copy_from_slice(&columns[j]);
            self.adjustment.centre(out);
        });
        let mut products = Matrix::zeros(self.gate.n_columns(), columns.len());
        self.gate.transpose_product(&left, &mut products);
        let shares = self.adjustment.residuals(&mut left);
        let residuals = left.column_squares();
        for (j, &place) in places.iter().enumerate() {
            let (share, within, feature) = (shares.column(j), residuals[j], features[place]);
            let squares = within + share.iter().map(|s| s * s).sum::<f64>();
            for (r, along) in products.column(j).chunks_exact(width).enumerate() {
                let gate = || match along {
                    [one] if !self.several => maps.t(*one, 1.0, squares, self.df, feature),
                    several => {
                        let explained = several.iter().map(|a| a * a).sum();
                        maps.f(explained, squares, width as f64, self.df, feature)
                    }
                };
                if let Some(out) = out.gate.column_mut(place).get_mut(r) {
                    *out = gate();
                }
                out.states.column_mut(place)[r] = self.without_target(r, along, share, within, maps, feature);
            }
        }
    }

    /// The score against null target `r`, made orthogonal to the real one, of a feature without the real target's part.
    fn without_target(&self, r: usize, along: &[f64], share: &[f64], within: f64, maps: &Maps, feature: usize) -> f64 {
        let (overlap, width) = (&self.overlaps[r], along.len());
        let df = self.df - width as f64;
        let left = |k: usize| along[k] - dot(overlap.column(k), share);
        if !self.several {
            let cosine = overlap.column(0)[0];
            return maps.t(left(0), 1.0 - cosine * cosine, within, df, feature);
        }
        let sums: Vec<f64> = (0..width).map(left).collect();
        let mut solved = sums.clone();
        let Some(factor) = &self.factors[r] else { return 0.0 };
        factor.solve(&mut solved);
        maps.f(dot(&sums, &solved), within, width as f64, df, feature)
    }
}

/// Products of the directions of a null target, without their parts along those of the real one.
fn left_over(overlap: &Matrix) -> Matrix {
    let width = overlap.n_columns();
    Matrix::from_fn(width, width, |i, k| f64::from(u8::from(i == k)) - dot(overlap.column(i), overlap.column(k)))
}

/// Vectors made orthonormal, one after the other, off the nuisance; those that depend on earlier ones are dropped.
fn orthonormal(vectors: &[Vec<f64>], adjustment: &Adjustment) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(vectors.len());
    for vector in vectors {
        let mut left = adjustment.off_nuisance(vector);
        let size = dot(&left, &left);
        // twice is enough (Kahan)
        for _ in 0..2 {
            for other in &basis {
                let share = dot(&left, other);
                left.iter_mut().zip(other).for_each(|(l, o)| *l -= share * o);
            }
        }
        let length = dot(&left, &left);
        if length > 1e-12 * size && length > 0.0 {
            left.iter_mut().for_each(|l| *l /= length.sqrt());
            basis.push(left);
        }
    }
    basis
}
