//! The correlation of rows of a block that all features share (Smyth, Michaud & Scott 2005).
//!
//! Off the design, a feature's squared residuals along the eigenvectors of the blocks' part are gamma distributed with
//! mean σ² + σ_b²λ; scoring for these two variances is the restricted likelihood. The answer is the mean of atanh ρ over
//! features without the largest and smallest. Cost: an eigenproblem of rows³ for every pattern of missing values, and
//! rows² for a feature.

use super::{Adjustment, Samples};
use crate::base::{Progress, Result};
use crate::numeric::linalg::{Eigen, Matrix, dot};
use crate::table::View;
use rayon::prelude::*;
use std::collections::HashMap;

/// The share of features that is left out at either end.
const TRIMMED: f64 = 0.15;
/// Numbers below this are 0 but for rounding.
const TINY: f64 = 1e-15;

/// What the features say about the correlation of rows of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BlockCorrelation {
    /// The correlation, which may be negative.
    Estimated(f64),
    /// Every block is one row, or the design knows the blocks already.
    Unknown,
}

/// The correlation of rows of the same block, of the samples of a view's design without its blocks.
pub(crate) fn consensus(
    data: &View,
    samples: &Samples,
    blocks: &[u32],
    progress: &mut dyn Progress,
) -> Result<BlockCorrelation> {
    const BATCH: usize = 2048;
    let sizes = block_sizes(blocks);
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    if largest < 2.0 {
        return Ok(BlockCorrelation::Unknown);
    }
    let lowest = 1.0 / (1.0 - largest) + 0.01;
    let all: Vec<usize> = (0..blocks.len()).collect();
    let complete = BlockSpace::of(samples, blocks, &all);
    let mut found = vec![];
    for from in (0..data.n_features()).step_by(BATCH) {
        progress.step("correlation of blocks", from as u64, data.n_features() as u64)?;
        let to = data.n_features().min(from + BATCH);
        let one = |known: &mut HashMap<Vec<usize>, Option<BlockSpace>>, feature: usize| {
            let numbers = data.numbers(feature)?;
            let values: Vec<f64> = data.rows().iter().map(|&row| numbers[row as usize]).collect();
            let present: Vec<usize> = (0..values.len()).filter(|&at| !values[at].is_nan()).collect();
            let own: Vec<f64> = present.iter().map(|&at| values[at]).collect();
            if let Some(samples) = samples.of_feature(feature) {
                let space = BlockSpace::of(&samples, blocks, &present)?;
                return space.correlation(&own).map(|rho| rho.clamp(lowest, 0.99).atanh());
            }
            let space = match present.len() == values.len() {
                true => complete.as_ref(),
                false => {
                    known.entry(present).or_insert_with_key(|present| BlockSpace::of(samples, blocks, present)).as_ref()
                }
            };
            space?.correlation(&own).map(|rho| rho.clamp(lowest, 0.99).atanh())
        };
        let some: Vec<Option<f64>> = (from..to).into_par_iter().map_init(HashMap::new, one).collect();
        found.extend(some.into_iter().flatten());
    }
    if found.is_empty() {
        return Ok(BlockCorrelation::Unknown);
    }
    found.sort_unstable_by(f64::total_cmp);
    let cut = (TRIMMED * found.len() as f64).floor() as usize;
    let middle = &found[cut..found.len() - cut];
    Ok(BlockCorrelation::Estimated((middle.iter().sum::<f64>() / middle.len() as f64).tanh()))
}

fn block_sizes(blocks: &[u32]) -> Vec<f64> {
    let mut sizes = vec![0.0; blocks.iter().max().map_or(0, |&most| most as usize + 1)];
    blocks.iter().for_each(|&block| sizes[block as usize] += 1.0);
    sizes
}

/// The directions off the design in which blocks differ by one amount each.
struct BlockSpace {
    roots: Option<Vec<f64>>,
    /// Orthonormal columns.
    directions: Matrix,
    /// How much blocks contribute along each.
    lambda: Vec<f64>,
}

impl BlockSpace {
    /// Of these samples; `None` where they say nothing about blocks.
    fn of(samples: &Samples, blocks: &[u32], present: &[usize]) -> Option<BlockSpace> {
        let own = samples.only(present);
        let blocks: Vec<u32> = present.iter().map(|&at| blocks[at]).collect();
        let n = own.len();
        let basis = column_space(&own)?;
        let n_blocks = block_sizes(&blocks).iter().filter(|size| **size > 0.0).count();
        if !(n > basis.len() + 2 && n_blocks > 1 && n_blocks + 1 < n) {
            return None;
        }
        // P B P − QQᵀ: blocks off the design; the design's own directions have the eigenvalue −1
        let mut left = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(blocks[i] == blocks[j])));
        project(&mut left, &basis);
        let mut both = Matrix::from_fn(n, n, |i, j| left.column(i)[j]);
        project(&mut both, &basis);
        if (0..n).all(|j| both.column(j).iter().all(|x| x.abs() < 1e-14)) {
            return None;
        }
        let design = |i: usize, j: usize| basis.iter().map(|q| q[i] * q[j]).sum::<f64>();
        let eigen = Eigen::of(&Matrix::from_fn(n, n, |i, j| both.column(j)[i] - design(i, j)))?;
        let kept: Vec<usize> = (0..n).filter(|&j| eigen.values[j] > -0.5).collect();
        let most = kept.iter().map(|&j| eigen.values[j]).fold(f64::MIN_POSITIVE, f64::max);
        let lambda = kept.iter().map(|&j| if eigen.values[j] < 1e-12 * most { 0.0 } else { eigen.values[j] }).collect();
        Some(BlockSpace { roots: own.roots, directions: eigen.vectors.select_columns(&kept), lambda })
    }

    /// ρ of a feature.
    fn correlation(&self, values: &[f64]) -> Option<f64> {
        let root = |at: usize| self.roots.as_ref().map_or(1.0, |roots| roots[at]);
        let y: Vec<f64> = values.iter().enumerate().map(|(at, x)| x * root(at)).collect();
        let m = self.lambda.len();
        let q: Vec<f64> = (0..m).map(|j| dot(self.directions.column(j), &y).powi(2)).collect();
        let [noise, block] = variances(&q, &self.lambda)?;
        (noise + block != 0.0).then(|| block / (noise + block))
    }
}

/// An orthonormal basis of the columns of the design: mean, covariates and target, in √w units.
fn column_space(samples: &Samples) -> Option<Vec<Vec<f64>>> {
    let mut covariates = samples.covariates.clone();
    if !samples.no_mean {
        covariates.insert(0, vec![1.0; samples.len()]);
    }
    covariates.extend(samples.target.iter().cloned());
    let plain = Samples { covariates, target: vec![], no_mean: true, correlated: None, ..samples.clone() };
    let adjustment = Adjustment::new(&plain).ok()?;
    Some(adjustment.covariate_directions().map(<[f64]>::to_vec).collect())
}

/// Takes orthonormal directions out of every column.
fn project(columns: &mut Matrix, basis: &[Vec<f64>]) {
    for j in 0..columns.n_columns() {
        for direction in basis {
            let share = dot(direction, columns.column(j));
            columns.column_mut(j).iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
        }
    }
}

/// σ² and σ_b² of squares whose means are σ² + σ_b²λ; `None` where λ is constant.
fn variances(q: &[f64], lambda: &[f64]) -> Option<[f64; 2]> {
    let m = q.len() as f64;
    let middle = lambda.iter().sum::<f64>() / m;
    let squares: f64 = lambda.iter().map(|l| (l - middle).powi(2)).sum();
    if squares / m <= TINY {
        return None;
    }
    let mean = q.iter().sum::<f64>() / m;
    let slope = q.iter().zip(lambda).map(|(q, l)| (q - mean) * (l - middle)).sum::<f64>() / squares;
    let by_squares = [mean - slope * middle, slope];
    let some = lambda.iter().filter(|l| l.abs() > TINY).count() > 1;
    if !(q.len() > 2 && some && squares / (m - 1.0) > TINY) {
        return Some(by_squares);
    }
    let negative = lambda.iter().any(|l| by_squares[0] + by_squares[1] * l < 0.0);
    Some(Scoring { q, lambda }.maximum(if negative { [mean, 0.0] } else { by_squares }))
}

/// Damped scoring for gamma means that are linear in λ. That it stops early is part of the definition.
struct Scoring<'a> {
    q: &'a [f64],
    lambda: &'a [f64],
}

impl Scoring<'_> {
    fn maximum(&self, start: [f64; 2]) -> [f64; 2] {
        const TOLERANCE: f64 = 1e-6;
        const MOST: usize = 21;
        if self.q.iter().all(|q| *q == 0.0) {
            return [0.0; 2];
        }
        let mut theta = start;
        let mut means = self.means(theta);
        let mut deviance = self.deviance(&means);
        let mut damping = None;
        for _ in 0..MOST {
            let (information, gradient) = self.information(&means);
            let [[a, b], [_, c]] = information;
            let largest = a.max(c);
            let mut delta = *damping.get_or_insert(0.25 * (a + c));
            let mut tries = 0;
            let step = loop {
                tries += 1;
                let (a, c) = (a + delta, c + delta);
                let determinant = a * c - b * b;
                let step = [
                    (c * gradient[0] - b * gradient[1]) / determinant,
                    (a * gradient[1] - b * gradient[0]) / determinant,
                ];
                let moved = [theta[0] + step[0], theta[1] + step[1]];
                let new_means = self.means(moved);
                let new = self.deviance(&new_means);
                let exact = new / new_means.iter().copied().fold(f64::MIN, f64::max) < TINY;
                if new <= deviance || exact {
                    (theta, means, deviance) = (moved, new_means, new);
                    break step;
                }
                if delta / largest > 1e15 {
                    return theta;
                }
                delta *= 2.0;
            };
            if tries == 1 {
                delta /= 10.0;
            }
            damping = Some(delta);
            let largest_mean = means.iter().copied().fold(f64::MIN, f64::max);
            if gradient[0] * step[0] + gradient[1] * step[1] < TOLERANCE || deviance / largest_mean < TINY {
                break;
            }
        }
        theta
    }

    fn means(&self, [noise, block]: [f64; 2]) -> Vec<f64> {
        self.lambda.iter().map(|l| noise + block * l).collect()
    }

    /// Twice the distance in log likelihood from means that equal the squares.
    fn deviance(&self, means: &[f64]) -> f64 {
        if means.iter().any(|mu| *mu < 0.0) {
            return f64::INFINITY;
        }
        let terms = self.q.iter().zip(means).filter(|(q, mu)| **q >= TINY || **mu >= TINY);
        2.0 * terms.map(|(q, mu)| (q - mu) / mu - (q / mu).ln()).sum::<f64>()
    }

    /// ΣTTᵀ/v and ΣT(q − μ)/v.
    fn information(&self, means: &[f64]) -> ([[f64; 2]; 2], [f64; 2]) {
        let most = means.iter().map(|mu| mu * mu).fold(0.0, f64::max);
        let (mut information, mut gradient) = ([[0.0; 2]; 2], [0.0; 2]);
        for ((q, l), mu) in self.q.iter().zip(self.lambda).zip(means) {
            let v = (mu * mu).max(most / 1e3);
            gradient[0] += (q - mu) / v;
            gradient[1] += l * (q - mu) / v;
            information[0][0] += 1.0 / v;
            information[0][1] += l / v;
            information[1][1] += l * l / v;
        }
        information[1][0] = information[0][1];
        (information, gradient)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::base::Silent;
    use crate::score::design::Design;
    use crate::table::row_noise::RowNoise;
    use crate::table::{Categories, Column, Table, Target};

    #[test]
    fn correlations_agree_with_limma() {
        let path =
            format!("{}/tests/fixtures/oracle/designs2/blocks_correlation_uneven.json", env!("CARGO_MANIFEST_DIR"));
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let numbers = |v: &serde_json::Value| -> Vec<f64> {
            v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
        };
        let columns: Vec<Column> = file["x"].as_array().unwrap().iter().map(|x| numbers(x).into()).collect();
        let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
        let labels: Vec<String> = file["block"].as_array().unwrap().iter().map(ToString::to_string).collect();
        let blocks = Categories::of(labels.into_iter().map(Some));
        let table = Table::new(names, columns, "group", Target::Real { values: numbers(&file["group"]) }).unwrap();
        let codes = blocks.codes().to_vec();
        let table = table.with_blocks("block", blocks).unwrap();
        let mut study = None;
        let noise = RowNoise { correlation: Some(0.0), ..RowNoise::default() };
        let view = table.view().with_row_noise(noise, &mut study);
        let samples = Design::of(&view).unwrap().samples;
        let BlockCorrelation::Estimated(rho) = consensus(&view, &samples, &codes, &mut Silent).unwrap() else {
            panic!("a correlation")
        };
        assert!((rho - file["consensus"].as_f64().unwrap()).abs() <= 1e-10, "{rho}");
        let all: Vec<usize> = (0..codes.len()).collect();
        for (at, wanted) in numbers(&file["atanh_correlation"]).into_iter().enumerate() {
            let values = view.numbers(at).unwrap();
            let present: Vec<usize> = all.iter().copied().filter(|&row| !values[row].is_nan()).collect();
            let own: Vec<f64> = present.iter().map(|&row| values[row]).collect();
            let space = BlockSpace::of(&samples, &codes, &present);
            let found = space.and_then(|space| space.correlation(&own));
            assert_eq!(found.is_none(), wanted.is_nan(), "{at}");
            let Some(found) = found else { continue };
            let lowest = 1.0 / (1.0 - block_sizes(&codes).into_iter().fold(0.0, f64::max)) + 0.01;
            let found = found.clamp(lowest, 0.99).atanh();
            assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{at}: {found} {wanted}");
        }
    }
}
