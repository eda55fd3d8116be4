//! The gate: does anything matter at all? Null scores decide, whatever the correlation.
//!
//! Each of two tests spends half of 1 − quiet: m = ⌊(1 − quiet)/2·(R + 1)⌋ − 1 of R null targets may do as well as the
//! data. The first compares the largest strength, the second the gain in log likelihood from allowing |μ| > 1, if that of
//! the data is positive. Under exchangeability both levels are exact, but for the estimated standardisation.

use super::conditional_null::{ConditionalNull, Scaling};
use super::null_rows::{Features, Row};
use crate::base::{Error, Progress, Result};
use crate::selection::detail::{Exceedances, Gate, GateTest};
use crate::sparse_means::auto_normal_mixtures::{CERTAIN, dispersed};
use crate::sparse_means::binned::{BIN, Binned};
use crate::sparse_means::named_features::strength;
use crate::sparse_means::normal_mixture_families;
use crate::sparse_means::parameters::{allowed_exceedances, fewest_permutations};
use rayon::prelude::*;

/// Null targets whose gain is found at a time.
const AT_A_TIME: usize = 16;

/// The scores and the null scores of a table.
pub(super) struct Table<'a> {
    pub(super) observed: (&'a Row, Scaling),
    pub(super) rows: &'a [Row],
    pub(super) features: &'a Features,
}

/// The gate's decision.
pub(super) fn decide(
    table: &Table<'_>,
    conditional: &ConditionalNull,
    phi: f64,
    quiet: f64,
    progress: &mut dyn Progress,
) -> Result<Gate> {
    let targets = table.rows.len();
    let Some(allowed) = allowed_exceedances(quiet, targets) else {
        let expected = format!("quiet={quiet} needs at least {} null targets", fewest_permutations(quiet));
        return Err(Error::parameter("permutations", targets, expected));
    };
    let scalings: Vec<Scaling> = table.rows.par_iter().map(|row| conditional.scaling_of(row)).collect();
    let (observed, scaling) = table.observed;
    let features = table.features;
    let largest = largest_strength(observed, scaling, features);
    let rows = table.rows.par_iter().zip(&scalings);
    let maximum = rows.filter(|(row, scaling)| largest_strength(row, **scaling, features) >= largest).count();
    let mut exceedances = Exceedances { targets, allowed, maximum, gain: None };
    if maximum <= allowed {
        let by = Some(GateTest::Maximum);
        return Ok(Gate { gain: 0.0, threshold: None, passed: true, by, exceedances: Some(exceedances) });
    }
    let own = gain(observed, scaling, features, phi);
    let mut passed = false;
    if own > 0.0 {
        let mut reached = 0;
        for (done, some) in table.rows.chunks(AT_A_TIME).enumerate() {
            progress.step("testing null targets", (done * AT_A_TIME) as u64, targets as u64)?;
            let of = |(i, row): (usize, &Row)| gain(row, scalings[done * AT_A_TIME + i], features, phi) >= own;
            reached += some.par_iter().enumerate().filter(|numbered| of(*numbered)).count();
            if reached > allowed {
                break;
            }
        }
        exceedances.gain = Some(reached.min(allowed + 1));
        passed = reached <= allowed;
    }
    let by = passed.then_some(GateTest::Gain);
    Ok(Gate { gain: own, threshold: None, passed, by, exceedances: Some(exceedances) })
}

fn largest_strength(row: &Row, scaling: Scaling, features: &Features) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    row.each(features, |z, one_sided, _| largest = largest.max(strength(scaling.apply(z), one_sided)));
    largest
}

/// The gain in log likelihood of a vector of scores from allowing |μ| > 1; 0 where none can be fitted.
fn gain(row: &Row, scaling: Scaling, features: &Features, phi: f64) -> f64 {
    let one_sided = features.all_one_sided();
    let mut scores = vec![];
    row.each(features, |z, _, count| {
        let z = scaling.apply(z);
        if z <= CERTAIN && (one_sided || z >= -CERTAIN) {
            scores.push((z, count));
        }
    });
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(&(low, _)), Some(&(high, _))) = (scores.first(), scores.last()) else { return 0.0 };
    let binned = dispersed(Binned::weighted(scores.into_iter(), BIN), phi);
    normal_mixture_families::gain(&binned, (low, high), one_sided)
}
