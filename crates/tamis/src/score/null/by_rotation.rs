//! Scores of random directions, for targets that have too few arrangements; always with pooled variances.

use super::column_block::{Block, Groups};
use super::targets::orthonormal;
use super::{Maps, NullBlock};
use crate::numeric::linalg::dot;

/// Random directions of the samples.
pub(super) struct ByRotation {
    /// Vectors of standard normal numbers, some per null target.
    nulls: Vec<Vec<Vec<f64>>>,
    /// The coding of the real target: a vector per class but one, or its numbers.
    real: Vec<Vec<f64>>,
    /// Where nothing is missing.
    complete: Directions,
    groups: Groups,
}

impl ByRotation {
    pub(super) fn new(
        nulls: Vec<Vec<Vec<f64>>>,
        real: Vec<Vec<f64>>,
        rows: &[u32],
        weights: Option<&[f64]>,
    ) -> ByRotation {
        let weights: Vec<f64> = rows.iter().map(|&row| weights.map_or(1.0, |w| w[row as usize])).collect();
        let complete = directions(&nulls, &real, &weights);
        let groups = Groups { rows: vec![rows.to_vec()], weights: vec![weights] };
        ByRotation { nulls, real, complete, groups }
    }

    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The scores of the columns of a block: all directions for the table as it is, the first `calibration` for the
    /// table without the real target's part.
    pub(super) fn score(&self, block: &Block, calibration: usize, maps: &Maps) -> NullBlock {
        let mut out = NullBlock::new(self.nulls.len(), calibration, block.width());
        let all_weights = &self.groups.weights[0];
        for (j, facts) in block.columns.iter().enumerate() {
            let x = block.centred[0].column(j);
            let own: Option<Vec<f64>> = block
                .present
                .as_ref()
                .map(|present| present[0].column(j).iter().zip(all_weights).map(|(present, w)| present * w).collect());
            let own_directions = own.as_ref().map(|weights| directions(&self.nulls, &self.real, weights));
            let weights = own.as_ref().unwrap_or(all_weights);
            let Directions { real, nulls } = own_directions.as_ref().unwrap_or(&self.complete);
            let weighted: Vec<f64> = x.iter().zip(weights).map(|(x, w)| x * w).collect();
            let explained = |by: &[Vec<f64>]| by.iter().map(|e| dot(e, &weighted).powi(2)).sum::<f64>();
            let within = facts.squares - explained(real);
            let (width, n) = (self.real.len() as f64, facts.count);
            for (r, null) in nulls.iter().enumerate() {
                let one = |by: &[Vec<f64>], squares: f64, df: f64| match by {
                    [e] if self.real.len() == 1 => maps.t(dot(e, &weighted), 1.0, squares, df),
                    by => maps.f(explained(by), squares, width, df),
                };
                out.gate.column_mut(j)[r] = one(&null.gate, facts.squares, n - 1.0 - width);
                if r < calibration {
                    out.calibration.column_mut(j)[r] = one(&null.calibration, within, n - 1.0 - 2.0 * width);
                }
            }
        }
        out
    }
}

/// Orthonormal directions, all of them off the mean.
struct Directions {
    /// Of the real target.
    real: Vec<Vec<f64>>,
    nulls: Vec<NullDirections>,
}

/// Orthonormal directions of a null target.
struct NullDirections {
    gate: Vec<Vec<f64>>,
    /// Also off the real target.
    calibration: Vec<Vec<f64>>,
}

fn directions(nulls: &[Vec<Vec<f64>>], real: &[Vec<f64>], weights: &[f64]) -> Directions {
    let total: f64 = weights.iter().sum();
    let mean = vec![vec![1.0 / total.sqrt(); weights.len()]];
    let real = orthonormal(real, weights, &mean);
    let both: Vec<Vec<f64>> = mean.iter().chain(&real).cloned().collect();
    let one = |null: &Vec<Vec<f64>>| NullDirections {
        gate: orthonormal(null, weights, &mean),
        calibration: orthonormal(null, weights, &both),
    };
    Directions { nulls: nulls.iter().map(one).collect(), real }
}
