//! Scores of one table share its rows, so noise moves together: what null targets show about that.
//!
//! Every null target (a permuted or rotated target) gives a vector of null scores ([`NullScores`]). Two sets are used:
//! *calibration* rows come from the table without the target's own part, *gate* rows from the table as it is.
//!
//! | step | file | question |
//! | --- | --- | --- |
//! | conditional null | `conditional_null.rs` | how far do a vector's own centre and width tell about its noise? |
//! | overdispersion | `overdispersion.rs` | how much more than independent scores do counts vary? |
//! | guard | `guard.rs` | below which score are too many of the features false? |
//! | gate | `noise_gate.rs` | does anything matter at all? |
//! | band | `null_density_band.rs` | where do the scores of noise lie, for plots? |
//!
//! Up to 100,000 features the null scores are held (`null_rows.rs`); beyond that each target's scores are counted on a grid of
//! 1/1024 as they come (`score_histogram.rs`), so that memory does not grow with the number of features. All sums have a fixed
//! order: the answer has the same bits on any number of threads.

mod conditional_null;
mod guard;
mod noise_gate;
mod null_density_band;
mod null_rows;
mod overdispersion;
mod score_histogram;
#[cfg(test)]
mod tests;

use crate::base::{Error, Place, Progress, Result};
use crate::numeric::order_statistics::variance;
use crate::selection::detail::{Correlation, Gate};
use crate::sparse_means::{Null, Sides};
use conditional_null::{ConditionalNull, Scaling};
use null_rows::{Features, Row};
use std::ops::Range;

/// Null scores of a table, computed in blocks of columns.
///
/// A row belongs to a null target and has a score for every feature, NaN where there is none. A method that has them all
/// in memory copies; others compute them when asked. Each block is asked for once.
pub trait NullScores: Sync {
    /// Features of the table.
    fn features(&self) -> usize;

    /// Null targets scored on the table without the target's own part.
    fn calibration_rows(&self) -> usize;

    /// Null targets scored on the table as it is.
    fn gate_rows(&self) -> usize;

    /// The scores of the real target, found as those of the null targets are, where these are found in another way than
    /// the scores that are judged. Gate and guard compare them with the null scores.
    fn observed(&self) -> Option<&[f64]> {
        None
    }

    /// Writes the null scores of some columns, one row after the other: row r has `columns.len()` scores from
    /// r·`columns.len()` on.
    fn fill(&self, columns: Range<usize>, calibration: &mut [f64], gate: &mut [f64]) -> Result<()>;
}

/// Null scores in memory, one vector per null target.
#[derive(Debug, Clone, Default)]
pub struct HeldNullScores {
    /// Scores on the table without the target's own part.
    pub calibration: Vec<Vec<f64>>,
    /// Scores on the table as it is.
    pub gate: Vec<Vec<f64>>,
}

impl NullScores for HeldNullScores {
    fn features(&self) -> usize {
        self.gate.first().or(self.calibration.first()).map_or(0, Vec::len)
    }

    fn calibration_rows(&self) -> usize {
        self.calibration.len()
    }

    fn gate_rows(&self) -> usize {
        self.gate.len()
    }

    fn fill(&self, columns: Range<usize>, calibration: &mut [f64], gate: &mut [f64]) -> Result<()> {
        for (held, out) in [(&self.calibration, calibration), (&self.gate, gate)] {
            for (row, out) in held.iter().zip(out.chunks_exact_mut(columns.len())) {
                out.copy_from_slice(&row[columns.clone()]);
            }
        }
        Ok(())
    }
}

/// How a table is to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Judgement {
    /// The share of tables of pure noise on which nothing is to be named.
    pub quiet: f64,
    /// Whether every score vector is standardised by its own centre and width, in place of the conditional null.
    pub null: Null,
    /// The dimension m of the space of residuals: it bounds how much the null scores can differ from each other.
    pub residual_dimension: usize,
}

/// The facts that null scores show about a table.
#[derive(Debug, Clone)]
pub struct Calibration {
    /// The scores less a shift and divided by a divisor, in input order; NaN where missing.
    pub standardised: Vec<f64>,
    /// The smallest strength (|z*|, or z* where only positive scores count) of a feature that may be named: infinite
    /// where none is large enough, absent where no null score could tell.
    pub guard: Option<f64>,
    /// The gate; its gain is 0 where the first test opened it.
    pub gate: Gate,
    /// The facts for the result.
    pub correlation: Correlation,
}

/// Learns from null scores how the scores `z` of noise move together, and judges them.
///
/// `sides` tells which scores speak for a feature. Features whose score is missing are left out.
///
/// Cost: for each null score one pass in blocks, and a few over all of them; the gate's second test fits two mixtures to
/// every gate row until more than the allowed number reach the data.
///
/// # Errors
///
/// Fails if the numbers of scores differ, if there are too few gate rows for `quiet`, if the null scores fail, or if the
/// user cancels.
pub fn calibrate(
    z: &[f64],
    sides: Sides<'_>,
    nulls: &dyn NullScores,
    judgement: &Judgement,
    progress: &mut dyn Progress,
) -> Result<Calibration> {
    if nulls.features() != z.len() {
        let problem = format!("{} features have null scores, and there are {} scores", nulls.features(), z.len());
        return Err(Error::data(Place::default(), problem, "score the features of one table"));
    }
    let features = Features::new(z, sides);
    let (calibration, gate_rows) = null_rows::collect(nulls, &features, progress)?;
    let band = null_density_band::of(&calibration, &features);
    let shapes = conditional_null::shapes(&calibration);
    let (calibration, shapes): (Vec<Row>, Vec<_>) =
        calibration.into_iter().zip(shapes).filter(|(_, shape)| shape.width > 0.0).unzip();
    let conditional = ConditionalNull::learn(&shapes, features.len(), judgement);
    let known = |scores: &[f64]| {
        let scored = z.iter().zip(scores).filter(|(z, _)| !z.is_nan());
        Row::Held(scored.map(|(_, score)| if score.is_nan() { 0.0 } else { *score }).collect())
    };
    let judged = known(z);
    let scaling = conditional.scaling_of(&judged);
    let observed = nulls.observed().map_or_else(|| known(z), known);
    let observed_scaling = conditional.scaling_of(&observed);
    let scalings: Vec<Scaling> = shapes.iter().map(|shape| conditional.scaling(*shape)).collect();
    let phi = match conditional.learnt {
        true => overdispersion::phi(&calibration, &scalings, &features, conditional.beyond),
        false => 1.0,
    };
    let guard = guard::limit(&calibration, &scalings, (&observed, observed_scaling), &features)
        .map(|limit| guard::at_same_rank(limit, (&observed, observed_scaling), (&judged, scaling), &features));
    let table = noise_gate::Table { observed: (&observed, observed_scaling), rows: &gate_rows, features: &features };
    let gate = noise_gate::decide(&table, &conditional, phi, judgement.quiet, progress)?;
    let centres: Vec<f64> = shapes.iter().map(|shape| shape.centre).collect();
    let correlation = Correlation {
        a: conditional.a,
        b: conditional.b,
        w0: conditional.w0,
        phi,
        shift: scaling.shift,
        divisor: scaling.divisor,
        guard: guard.filter(|limit| limit.is_finite()),
        permutations: nulls.gate_rows(),
        centre_deviation: variance(&centres).sqrt(),
        band,
    };
    let standardised = z.iter().map(|z| scaling.apply(*z)).collect();
    Ok(Calibration { standardised, guard, gate, correlation })
}
