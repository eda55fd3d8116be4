//! All that later steps use of the null rows: the states of the noise, and how strong the scores of every row are.

use super::Noise;
use super::dispersion::Dispersion;
use super::features::Features;
use super::gate::{check_rows, fewest_rows};
use super::independent_rows;
use super::null_density_band;
use super::null_rows::{ScoreRow, collect, held, rounded};
use super::states::States;
use super::strengths::{Ranks, Strengths};
use crate::base::{Error, Place, Progress, Result};
use crate::selection::detail::NullBand;
use rayon::prelude::*;

/// Null rows whose strengths are found between two reports.
const ROWS_OF_A_WAVE: usize = 64;

/// What is known of the noise of a table.
pub(super) struct KnownNoise {
    pub(super) states: States,
    /// Kind by kind; none without null scores.
    pub(super) dispersions: Vec<Dispersion>,
    /// Of the data, found as those of the rows are.
    pub(super) observed: Strengths,
    /// Of null targets on the table as it is.
    pub(super) rows: Vec<Strengths>,
    /// Where the scores of null targets lie; none without null scores.
    pub(super) band: Option<NullBand>,
    /// The strength of each score of the data, rounded as those of the rows are.
    pub(super) strengths: Vec<f64>,
}

impl KnownNoise {
    /// What `noise` shows about the features with scores `z`.
    pub(super) fn of(
        z: &[f64],
        noise: Noise<'_>,
        features: &Features,
        quiet: f64,
        progress: &mut dyn Progress,
    ) -> Result<KnownNoise> {
        let ranks = Ranks::new(features);
        let strengths = |row: &ScoreRow| Strengths::of(row, features, &ranks);
        match noise {
            Noise::Table { nulls, residual_dimension } => {
                if nulls.features() != z.len() {
                    let problem =
                        format!("{} features have null scores, and there are {} scores", nulls.features(), z.len());
                    return Err(Error::data(Place::default(), problem, "score the features of one table"));
                }
                let observed = nulls.observed().unwrap_or(z);
                let rows = collect(observed, nulls, features, progress)?;
                check_rows(rows.gate.len().min(rows.states.len()), quiet)?;
                let band = Some(null_density_band::of(&rows.states, features));
                let (states, dispersions) = States::learn(&rows.states, features, residual_dimension, progress)?;
                Ok(KnownNoise {
                    states,
                    dispersions,
                    observed: strengths(&rows.observed),
                    rows: in_waves(rows.gate.len(), |r| strengths(&rows.gate[r]), progress)?,
                    strengths: of_each(observed, features),
                    band,
                })
            }
            Noise::Independent { seed } => {
                let count = independent_rows::ROWS.max(fewest_rows(quiet));
                let row = |r: usize| strengths(&independent_rows::row(seed, r, features));
                Ok(KnownNoise {
                    states: States::standard_normal(features.kinds().len()),
                    dispersions: vec![],
                    observed: strengths(&held(z, features)),
                    rows: in_waves(count, row, progress)?,
                    strengths: of_each(z, features),
                    band: None,
                })
            }
        }
    }
}

/// Values of `count` rows.
fn in_waves<T: Send>(count: usize, of: impl Fn(usize) -> T + Sync, progress: &mut dyn Progress) -> Result<Vec<T>> {
    let mut values = Vec::with_capacity(count);
    for start in (0..count).step_by(ROWS_OF_A_WAVE) {
        progress.step("ranking null scores", start as u64, count as u64)?;
        let wave = start..count.min(start + ROWS_OF_A_WAVE);
        values.extend(wave.into_par_iter().map(&of).collect::<Vec<T>>());
    }
    Ok(values)
}

/// The strength of each arranged score, rounded as those of null rows are.
fn of_each(z: &[f64], features: &Features) -> Vec<f64> {
    let arranged = features.arranged(z);
    let kinds = features.kinds().iter().flat_map(|kind| kind.places.clone().map(move |place| (kind, place)));
    kinds.map(|(kind, place)| kind.strength(rounded(arranged[place]))).collect()
}
