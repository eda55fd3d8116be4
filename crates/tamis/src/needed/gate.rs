//! Whether any column is related to the target at all, by permuted targets.

use super::projection::Projected;
use crate::base::{Progress, Result};
use crate::numeric::linalg::{Matrix, dot};
use crate::numeric::random::{self, permutation};
use crate::resample::arrangements::arrangements;
use rayon::prelude::*;

/// Permuted targets that are compared at a time.
const AT_A_TIME: usize = 50;
/// With more rows nearly all orders differ.
const COUNTED: usize = 100;
/// Drawn targets have streams of their own.
const ROTATIONS: u64 = 1 << 41;

/// How many permuted targets have a column as strongly related to them as the target has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gate {
    pub(super) exceeded: usize,
    pub(super) permutations: usize,
    /// Drawn targets took the place of permuted ones.
    pub(super) drawn: bool,
}

impl Gate {
    /// T = max_j |x_jᵀY|²/|Y|² of the target and of permuted residual targets. `levels` tell equal targets apart.
    pub(super) fn of(
        data: &Projected,
        levels: &[u32],
        permutations: usize,
        seed: u64,
        progress: &mut dyn Progress,
    ) -> Result<Gate> {
        let rows = data.columns.n_rows();
        let observed = largest(data, std::slice::from_ref(&data.y))[0];
        let samples = &data.projection.samples;
        let blocks = samples.blocks.iter().any(|&block| block > 0).then_some(&samples.blocks[..]);
        let orders = match rows > COUNTED {
            true => Some((0..permutations as u64).map(|r| in_blocks(permutation(seed, r, rows), blocks)).collect()),
            false => arrangements(levels, blocks, false, permutations, seed),
        };
        let residuals: Vec<Vec<f64>> = data.y.iter().map(|y| data.projection.unweighted(y)).collect();
        let target = |r: usize| -> Vec<Vec<f64>> {
            let permuted = |y: &Vec<f64>| match &orders {
                Some(orders) => orders[r].iter().map(|&row| y[row as usize]).collect(),
                None => vec![],
            };
            match &orders {
                Some(_) => residuals.iter().map(|y| data.projection.off(&permuted(y))).collect(),
                None => {
                    let mut rng = random::stream(seed, ROTATIONS + r as u64);
                    let mut draw = || (0..rows).map(|_| random::standard_normal(&mut rng)).collect::<Vec<f64>>();
                    residuals.iter().map(|_| data.projection.off(&draw())).collect()
                }
            }
        };
        let mut exceeded = 0;
        for from in (0..permutations).step_by(AT_A_TIME) {
            progress.step("gate", from as u64, permutations as u64)?;
            let targets: Vec<Vec<Vec<f64>>> =
                (from..permutations.min(from + AT_A_TIME)).into_par_iter().map(target).collect();
            exceeded += largest(data, &targets).iter().filter(|t| **t >= observed * (1.0 - 1e-9)).count();
        }
        Ok(Gate { exceeded, permutations, drawn: orders.is_none() })
    }

    /// The permutation p-value.
    pub(super) fn p(&self) -> f64 {
        (1 + self.exceeded) as f64 / (1 + self.permutations) as f64
    }
}

/// The largest share of each target that a column explains.
fn largest(data: &Projected, targets: &[Vec<Vec<f64>>]) -> Vec<f64> {
    let q = data.y.len();
    let all = Matrix::from_columns(data.columns.n_rows(), targets.len() * q, |at, out| {
        out.copy_from_slice(&targets[at / q][at % q]);
    });
    let of_block = |products: Matrix| -> Vec<f64> {
        let squares = |target: usize, j: usize| (0..q).map(|k| products.column(target * q + k)[j].powi(2)).sum::<f64>();
        let most = |target| (0..products.n_rows()).map(|j| squares(target, j)).fold(0.0, f64::max);
        (0..targets.len()).map(most).collect()
    };
    let blocks: Vec<Vec<f64>> = data.columns.products(&all).map(of_block).collect();
    let length = |target: &Vec<Vec<f64>>| target.iter().map(|y| dot(y, y)).sum::<f64>().max(1e-300);
    let over = |(at, target)| blocks.iter().map(|block| block[at]).fold(0.0, f64::max) / length(target);
    targets.iter().enumerate().map(over).collect()
}

/// An order in which rows change places within their own block only, each block in the order given.
fn in_blocks(order: Vec<u32>, blocks: Option<&[u32]>) -> Vec<u32> {
    let Some(blocks) = blocks else { return order };
    let most = blocks.iter().max().map_or(0, |&most| most as usize + 1);
    let mut members = vec![vec![]; most];
    order.iter().for_each(|&row| members[blocks[row as usize] as usize].push(row));
    let mut next = vec![0; most];
    blocks
        .iter()
        .map(|&block| {
            let at = &mut next[block as usize];
            *at += 1;
            members[block as usize][*at - 1]
        })
        .collect()
}
