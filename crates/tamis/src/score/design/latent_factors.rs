//! Factors: what many features have in common beside the target, found in the features themselves.
//!
//! The principal components of the features' residuals, each feature brought to unit variance, are directions in which
//! features move together within classes. A factor is the features' own movement along such a direction, the target's
//! part included, and is adjusted for like a covariate. That assumes that most features do not differ in a factor's
//! direction because of the target.

use super::adjustment::Adjustment;
use super::{Design, Samples};
use crate::base::parameter::NumberOrText;
use crate::base::{Progress, Result};
use crate::numeric::linalg::{Eigen, Matrix};
use crate::numeric::random;
use crate::table::View;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;

/// At most so many factors.
const MOST: usize = 15;
/// Shuffled tables that the components of the real one must exceed.
const SHUFFLED: u64 = 19;
/// Features whose products are summed at a time.
const BLOCK: usize = 256;
/// Streams of random numbers for shuffling.
const STREAM: u64 = 1 << 46;

/// How many factors are adjusted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "NumberOrText<usize>", into = "NumberOrText<usize>")]
pub enum Factors {
    /// None.
    #[default]
    None,
    /// As many as exceed those of shuffled features (parallel analysis), at most 15.
    Auto,
    /// So many.
    Number(usize),
}

impl TryFrom<NumberOrText<usize>> for Factors {
    type Error = String;

    fn try_from(value: NumberOrText<usize>) -> Result<Self, String> {
        let number = match value {
            NumberOrText::Number(number) => Some(number),
            NumberOrText::Text(text) => match text.as_str() {
                "none" => return Ok(Factors::None),
                "auto" => return Ok(Factors::Auto),
                other => other.parse().ok(),
            },
        };
        match number {
            Some(0) => Ok(Factors::None),
            Some(number) if number <= MOST => Ok(Factors::Number(number)),
            _ => Err(format!("it takes `none`, `auto` or a number up to {MOST}")),
        }
    }
}

impl From<Factors> for NumberOrText<usize> {
    fn from(factors: Factors) -> NumberOrText<usize> {
        match factors {
            Factors::Number(number) => NumberOrText::Number(number),
            Factors::None | Factors::Auto => NumberOrText::Text(factors.to_string()),
        }
    }
}

impl fmt::Display for Factors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factors::None => f.write_str("none"),
            Factors::Auto => f.write_str("auto"),
            Factors::Number(n) => write!(f, "{n}"),
        }
    }
}

/// The factors of a view, each a number per row of the view.
///
/// Cost: rows² × features flops, twenty times that for `auto`.
pub(crate) fn find(data: &View, wanted: Factors, seed: u64, progress: &mut dyn Progress) -> Result<Vec<Vec<f64>>> {
    let design = Design::of(data)?;
    let room = design.samples.len().saturating_sub(design.complete.rank() + design.complete.n_target() + 1);
    let most = match wanted {
        Factors::None => 0,
        Factors::Auto => MOST.min(room),
        Factors::Number(n) => n.min(room),
    };
    if most == 0 {
        return Ok(vec![]);
    }
    let products = Products::of(data, &design, None);
    let Some(components) = Eigen::of(&products.within) else { return Ok(vec![]) };
    let count = match wanted {
        Factors::Auto => {
            let mut above = most;
            for r in 0..SHUFFLED {
                progress.step("looking for factors", r, SHUFFLED)?;
                let shuffled = Products::of(data, &design, Some((seed, r)));
                let Some(noise) = Eigen::of(&shuffled.within) else { continue };
                let exceeds = |j: &usize| largest(&components, *j) > largest(&noise, *j);
                above = (0..above).take_while(exceeds).count();
            }
            above
        }
        _ => most,
    };
    let n = design.samples.len();
    let factor = |j: usize| {
        let mut out = vec![0.0; n];
        products.across.times(components.vectors.column(n - 1 - j), &mut out);
        if let Some(roots) = &design.samples.roots {
            out.iter_mut().zip(roots).for_each(|(x, root)| *x /= root);
        }
        out
    };
    Ok((0..count).map(factor).collect())
}

/// The component in place j from the largest on.
fn largest(components: &Eigen, j: usize) -> f64 {
    components.values[components.values.len() - 1 - j]
}

/// Products of samples with samples, summed over features of unit residual variance.
struct Products {
    /// Residuals by residuals.
    within: Matrix,
    /// Features, adjusted but with the target's part, by residuals.
    across: Matrix,
}

impl Products {
    /// With `shuffle` every feature's residuals come in a random order of their own.
    fn of(data: &View, design: &Design, shuffle: Option<(u64, u64)>) -> Products {
        let n = design.samples.len();
        let starts: Vec<usize> = (0..data.n_features()).step_by(BLOCK).collect();
        let one = |&from: &usize| {
            let features = from..(from + BLOCK).min(data.n_features());
            let columns = features.filter_map(|at| complete_column(data, at).map(|x| (at, x))).collect();
            block(columns, &design.samples, &design.complete, shuffle)
        };
        let mut total = Products { within: Matrix::zeros(n, n), across: Matrix::zeros(n, n) };
        // a few at a time, added in their order: the memory is bounded and the bits are the same on any number of threads
        for some in starts.chunks(8) {
            let blocks: Vec<Products> = some.par_iter().map(one).collect();
            for block in blocks {
                total.within.add(&block.within);
                total.across.add(&block.across);
            }
        }
        total
    }
}

/// The numbers of a feature over the rows of a view; `None` where one is missing, or it holds categories.
fn complete_column(data: &View, at: usize) -> Option<Vec<f64>> {
    let numbers = data.numbers(at)?;
    let column: Vec<f64> = data.rows().iter().map(|&row| numbers[row as usize]).collect();
    column.iter().all(|x| x.is_finite()).then_some(column)
}

fn block(
    columns: Vec<(usize, Vec<f64>)>,
    samples: &Samples,
    adjustment: &Adjustment,
    shuffle: Option<(u64, u64)>,
) -> Products {
    let n = samples.len();
    let mut left = Matrix::from_columns(n, columns.len(), |j, out| {
        out.copy_from_slice(&columns[j].1);
        adjustment.centre(out);
    });
    let shares = adjustment.residuals(&mut left);
    if let Some((seed, r)) = shuffle {
        for (j, (feature, _)) in columns.iter().enumerate() {
            let order = random::permutation(seed, STREAM + r * (1 << 24) + *feature as u64, n);
            let moved: Vec<f64> = order.iter().map(|&i| left.column(j)[i as usize]).collect();
            left.column_mut(j).copy_from_slice(&moved);
        }
        adjustment.residuals(&mut left);
    }
    let scale: Vec<f64> = left.column_squares().iter().map(|s| if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 }).collect();
    (0..columns.len()).for_each(|j| left.column_mut(j).iter_mut().for_each(|x| *x *= scale[j]));
    let mut whole = left.clone();
    for (k, direction) in adjustment.target_directions().enumerate() {
        for j in 0..columns.len() {
            let share = shares.column(j)[k] * scale[j];
            whole.column_mut(j).iter_mut().zip(direction).for_each(|(x, d)| *x += share * d);
        }
    }
    let mut products = Products { within: Matrix::zeros(n, n), across: Matrix::zeros(n, n) };
    left.product_transposed(&left, &mut products.within);
    whole.product_transposed(&left, &mut products.across);
    products
}
