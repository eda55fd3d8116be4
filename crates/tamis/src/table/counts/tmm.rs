//! Factors of library sizes: the trimmed mean of M values (TMM; Robinson & Oshlack 2010).
//!
//! A few features with very many counts take reads from all others, which then seem lower. TMM compares each row with a
//! reference row, and takes the typical log ratio of the features as the logarithm of the row's factor.

use super::checked_counts::CountColumns;
use crate::base::Result;
use crate::numeric::order_statistics::{ascending, median, quantile};
use crate::numeric::ties::average_ranks;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The share of features that is trimmed at each end of the log ratios.
const RATIO_TRIM: f64 = 0.3;
/// The share of features that is trimmed at each end of the mean log levels.
const LEVEL_TRIM: f64 = 0.05;
/// Log ratios below this size are rounding errors.
const NO_RATIO: f64 = 1e-6;

/// What TMM factors are computed with: the reference row, and the scale of the factors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TmmReference {
    /// The counts of the reference row, feature by feature.
    pub(super) counts: Vec<f64>,
    /// Their sum.
    pub(super) library_size: f64,
    /// The geometric mean of the training rows' factors before they are divided by it.
    pub(super) geometric_mean: f64,
}

impl TmmReference {
    /// Chooses the reference among these rows and scales their factors to a geometric mean of 1. Returns the factors too.
    ///
    /// Cost: O(rows × features × log features).
    pub(super) fn learn(counts: &CountColumns, library_sizes: &[f64]) -> Result<(TmmReference, Vec<f64>)> {
        let at = reference_row(counts, library_sizes);
        let mut reference =
            TmmReference { counts: counts.row(at), library_size: library_sizes[at], geometric_mean: 1.0 };
        let factors: Vec<f64> = (0..counts.n_rows())
            .into_par_iter()
            .map(|row| reference.factor(&counts.row(row), library_sizes[row]))
            .collect::<Result<_>>()?;
        let mean_log = factors.iter().map(|f| f.ln()).sum::<f64>() / factors.len() as f64;
        reference.geometric_mean = mean_log.exp();
        let scaled = factors.iter().map(|f| f / reference.geometric_mean).collect();
        Ok((reference, scaled))
    }

    /// The factor of a row with these counts: 2 to the power of Σ(M/v)/Σ(1/v), over the geometric mean.
    ///
    /// Only features above 0 in the row (o) and in the reference (r) count. M = log₂((o/L_o)/(r/L_r)) is the log ratio,
    /// A = (log₂(o/L_o) + log₂(r/L_r))/2 the level and v = (L_o − o)/(L_o·o) + (L_r − r)/(L_r·r) the variance of M. The
    /// sums are over features that are among neither the outer 30 % of M nor the outer 5 % of A at either end. Equal
    /// values are trimmed together, so M and A must be rounded in the order of these formulas.
    pub(super) fn factor(&self, counts: &[f64], library_size: f64) -> Result<f64> {
        let (mut ratios, mut levels, mut variances) = (vec![], vec![], vec![]);
        for (&count, &reference) in counts.iter().zip(&self.counts) {
            if count > 0.0 && reference > 0.0 {
                let (share, reference_share) = (count / library_size, reference / self.library_size);
                ratios.push((share / reference_share).log2());
                levels.push((share.log2() + reference_share.log2()) / 2.0);
                variances.push(
                    (library_size - count) / (library_size * count)
                        + (self.library_size - reference) / (self.library_size * reference),
                );
            }
        }
        if ratios.iter().all(|ratio| ratio.abs() < NO_RATIO) {
            return Ok(1.0 / self.geometric_mean);
        }
        let (ratio_kept, level_kept) = (untrimmed(&ratios, RATIO_TRIM)?, untrimmed(&levels, LEVEL_TRIM)?);
        let (mut sum, mut weights) = (0.0, 0.0);
        for at in (0..ratios.len()).filter(|&at| ratio_kept[at] && level_kept[at]) {
            sum += ratios[at] / variances[at];
            weights += 1.0 / variances[at];
        }
        let log_factor = if weights > 0.0 { sum / weights } else { 0.0 }; // ties may trim everything
        Ok(log_factor.exp2() / self.geometric_mean)
    }
}

/// Marks the values whose average rank is beyond the lowest and highest `share`.
fn untrimmed(values: &[f64], share: f64) -> Result<Vec<bool>> {
    let n = values.len() as f64;
    let cut = (n * share).floor();
    let (ranks, _) = average_ranks(values, "log count")?;
    Ok(ranks.iter().map(|&rank| cut + 1.0 <= rank && rank <= n - cut).collect())
}

/// The row whose upper quartile of counts, divided by the library size, is nearest to the mean over rows; the first of
/// equally near ones. If most upper quartiles are 0, the row with the largest sum of square roots. Features without any
/// count are not looked at.
fn reference_row(counts: &CountColumns, library_sizes: &[f64]) -> usize {
    let counted: Vec<bool> = counts.features().map(|mut feature| feature.any(|count| count > 0.0)).collect();
    let quartile = |row: usize| {
        let present: Vec<f64> = counts.row(row).into_iter().zip(&counted).filter(|c| *c.1).map(|c| c.0).collect();
        quantile(&ascending(present), 0.75) / library_sizes[row]
    };
    let rows = 0..counts.n_rows();
    let quartiles: Vec<f64> = rows.clone().into_par_iter().map(quartile).collect();
    if median(&mut quartiles.clone()) == 0.0 {
        let roots = |row: usize| counts.row(row).iter().map(|count| count.sqrt()).sum::<f64>();
        let negative: Vec<f64> = rows.into_par_iter().map(|row| -roots(row)).collect();
        return first_least(&negative);
    }
    let mean = quartiles.iter().sum::<f64>() / quartiles.len() as f64;
    let distances: Vec<f64> = quartiles.iter().map(|quartile| (quartile - mean).abs()).collect();
    first_least(&distances)
}

/// The position of the least number, the first of equal ones; 0 of none.
fn first_least(numbers: &[f64]) -> usize {
    (0..numbers.len()).min_by(|&a, &b| numbers[a].total_cmp(&numbers[b])).unwrap_or(0)
}
