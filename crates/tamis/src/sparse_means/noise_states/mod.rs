//! Which features differ, given null scores of their table: an average over the states the noise may be in.
//!
//! Noise of correlated features comes in *states*: in one table with a permuted target all scores are a little wide, in
//! the next narrow or off-centre. Every vector of null scores shows one state. The scores of the table are explained given
//! each state in turn, as noise of that shape and effects, and the explanations are averaged with the weight each
//! deserves. A feature's p is the probability that it has no effect, or one in the other direction.
//!
//! | question | files |
//! | --- | --- |
//! | what do null rows show? | `known_noise.rs`; `null_rows.rs`, `counted_scores.rs`, `independent_rows.rs`; `row_shape.rs`, `strengths.rs` |
//! | which states may the noise be in? | `dispersion.rs`, `states.rs`, `tempering.rs`, `smoothing.rs` |
//! | what explains the scores given a state? | `table_scores.rs`, `movable_density.rs`, `mixture_given_state.rs` |
//! | what do all states say together? | `average.rs`, `posterior.rs` |
//! | does anything differ at all? | `gate.rs`, exact whatever the correlation; so are the next two |
//! | is a score beyond noise by itself? | `floor.rs` |
//! | how many differ at least? | `at_least.rs` |
//! | how many effects are larger than 1, or 2? | `how_many_matter.rs` |
//!
//! Null rows are held up to 2²⁶ scores, rounded to single precision as the data's are; beyond, they are counted in cells,
//! so that memory does not grow with the number of features. All sums have a fixed order: the answer has the same bits on
//! any number of threads.

mod answer;
mod at_least;
mod average;
mod counted_scores;
mod dispersion;
mod features;
#[cfg(test)]
mod fixture_tests;
mod floor;
mod gate;
mod how_many_matter;
mod independent_rows;
mod known_noise;
mod mixture_given_state;
mod movable_density;
mod null_density_band;
mod null_rows;
mod posterior;
#[cfg(test)]
mod property_tests;
mod row_shape;
mod score_grid;
mod smoothing;
mod states;
mod strengths;
mod table_scores;
mod tempering;

pub use answer::{HowMany, NoiseStates};
pub use dispersion::Dispersion;
pub use gate::NoiseGate;
pub(crate) use gate::fewest_rows;

use super::named_features::longest_prefix;
use super::null_scores::NullScores;
use super::{Curves, Sides, check};
use crate::base::{Progress, Result};
use crate::selection::detail::FittedCurve;
use at_least::Envelope;
use features::Features;
use floor::LargestStrengths;
use known_noise::KnownNoise;
use posterior::{Judged, Posterior};
use score_grid::interpolate;
use strengths::Strengths;
use table_scores::{TableScores, is_far};

/// With fewer features only the floor speaks.
const FEWEST_FEATURES: usize = 20;
/// With fewer independent features the priors are weaker in proportion.
const MANY_FEATURES: f64 = 500.0;

/// What is known of the noise.
#[derive(Clone, Copy)]
pub enum Noise<'a> {
    /// Null scores of the table.
    Table {
        /// Scores of null targets: the states from the table without the target's own part, gate, floor and bounds from
        /// the table as it is.
        nulls: &'a dyn NullScores,
        /// The dimension of the space of residuals: it bounds how much rows can differ.
        residual_dimension: usize,
    },
    /// Nothing: the scores of noise are taken as independent and N(0, 1).
    Independent {
        /// The seed of the rows of independent scores that gate, floor and bounds use.
        seed: u64,
    },
}

impl Noise<'_> {
    /// How many features have null scores; not known where there are none.
    pub(super) fn features(&self) -> Option<usize> {
        match self {
            Noise::Table { nulls, .. } => Some(nulls.features()),
            Noise::Independent { .. } => None,
        }
    }
}

/// What is to be named.
#[derive(Debug, Clone, Copy)]
pub struct Naming {
    /// At most this share of the named features is expected to be false.
    pub fdr: f64,
    /// The share of tables of pure noise on which nothing is named.
    pub quiet: f64,
}

/// Explains the scores `z` of a table by effects and noise, and names features.
///
/// `sides` tells which scores speak for a feature. A feature whose score is missing (NaN) is left out; a missing null
/// score counts as 0.
///
/// Cost: for each null row a few passes over its scores; then two fits of 161 × 41 numbers for each of at most 6,000 states,
/// and 500 of 161 × 81 for the intervals, whatever the number of features.
///
/// # Errors
///
/// Fails if a score is infinite, if the numbers of scores differ, if there are too few null rows for `quiet`, if the null
/// scores fail, or if the user cancels.
pub fn explain(
    z: &[f64],
    sides: Sides<'_>,
    noise: Noise<'_>,
    naming: Naming,
    curves: Curves,
    progress: &mut dyn Progress,
) -> Result<NoiseStates> {
    check(z)?;
    let features = Features::new(z, sides);
    if features.len() == 0 {
        return Ok(NoiseStates::of_nothing(z.len()));
    }
    let known = KnownNoise::of(z, noise, &features, naming.quiet, progress)?;
    let arranged = features.arranged(z);
    let tables: Vec<TableScores> = features.kinds().iter().map(|kind| TableScores::new(&arranged, kind)).collect();
    let independent = known.states.len() == 1;
    let prior_share = if independent { (features.len() as f64 / MANY_FEATURES).min(1.0) } else { 1.0 };
    let posteriors = average::explain(&tables, &known.states, prior_share, progress)?;
    let gate = gate::decide(&known.observed, &known.rows, naming.quiet);
    let judged = judge(&arranged, &known, &features, &posteriors, gate.open);
    let (named, at_least) = name(&judged, &known, naming.fdr, gate.open);
    let matter = match curves {
        Curves::LeftOut => None,
        _ => Some(how_many(&tables, &known, &posteriors, gate.open, progress)?),
    };
    let effects_95 = (curves == Curves::DrawnWithIntervals).then(|| intervals(&arranged, &features, &posteriors));
    let mut curve = FittedCurve::default();
    for (kind, posterior) in features.kinds().iter().zip(&posteriors) {
        posterior.add_to(&mut curve, kind, kind.places.len() as f64 / features.len() as f64, gate.open);
    }
    let far: usize = tables.iter().map(|table| table.far).sum();
    curve.dilute(1.0 - far as f64 / features.len() as f64);
    let of_each = |value: fn(&Judged) -> f64, missing: f64| {
        features.in_input_order(&judged.iter().map(value).collect::<Vec<f64>>(), missing)
    };
    let mut named: Vec<u32> = named.into_iter().map(|place| features.index(place)).collect();
    named.sort_unstable();
    Ok(NoiseStates {
        p: of_each(|judged| judged.p, 1.0),
        effects: of_each(|judged| judged.effect, 0.0),
        sign_errors: of_each(|judged| judged.sign_error, f64::NAN),
        named,
        gate,
        states: known.states.len(),
        phi: known.states.phi,
        dispersions: known.dispersions,
        at_least: at_least[0],
        at_least_named: at_least[1],
        matter,
        effects_95: effects_95.map(|ends| ends.map(|values| features.in_input_order(&values, f64::NAN))),
        curve,
        band: known.band,
    })
}

/// Judges the arranged scores by the mixtures and the floor; everything is noise behind a shut gate.
fn judge(z: &[f64], known: &KnownNoise, features: &Features, posteriors: &[Posterior], open: bool) -> Vec<Judged> {
    let floors = LargestStrengths::new(known.rows.iter().map(Strengths::most));
    let few = features.len() < FEWEST_FEATURES;
    let mut judged = Vec::with_capacity(z.len());
    for (kind, posterior) in features.kinds().iter().zip(posteriors) {
        for place in kind.places.clone() {
            let by_mixture = posterior.judge(z[place], kind);
            let p = if few { 1.0 } else { by_mixture.p };
            let p = if open { p.min(floors.p_value(known.strengths[place])) } else { 1.0 };
            // a missing false sign rate stays missing
            let sign_error = if by_mixture.sign_error > p { p } else { by_mixture.sign_error };
            judged.push(Judged { p, sign_error, ..by_mixture });
        }
    }
    judged
}

/// The ends of a 95 % interval for the effect behind each of the arranged scores; those beyond doubt are taken as measured
/// with standard error 1.
fn intervals(z: &[f64], features: &Features, posteriors: &[Posterior]) -> [Vec<f64>; 2] {
    const NORMAL_95: f64 = 1.959_963_984_540_054;
    let mut ends = [Vec::with_capacity(z.len()), Vec::with_capacity(z.len())];
    for (kind, posterior) in features.kinds().iter().zip(posteriors) {
        let quantiles = posterior.effect_quantiles();
        for &z in &z[kind.places.clone()] {
            let far = is_far(kind, z);
            let [low, high] =
                if far { [z - NORMAL_95, z + NORMAL_95] } else { quantiles.each_ref().map(|q| interpolate(q, z)) };
            ends[0].push(low);
            ends[1].push(high);
        }
    }
    ends
}

/// The places of the named features; and how many of all features, and of the named, differ at least.
fn name(judged: &[Judged], known: &KnownNoise, fdr: f64, open: bool) -> (Vec<usize>, [usize; 2]) {
    let mut likely: Vec<usize> = (0..judged.len()).filter(|&place| judged[place].p < 0.5).collect();
    likely.sort_by(|&a, &b| judged[a].p.total_cmp(&judged[b].p));
    likely.truncate(longest_prefix(likely.iter().map(|&place| judged[place].p), fdr));
    if !open {
        return (likely, [0, 0]);
    }
    let envelope = Envelope::of(&known.rows);
    let of_all = envelope.excess(&known.observed.reaching);
    let of_named = envelope.excess(&strengths::reaching(likely.iter().map(|&place| known.strengths[place])));
    (likely, [of_all, of_named.min(of_all)])
}

/// How many effects exceed each limit, all kinds together.
fn how_many(
    tables: &[TableScores],
    known: &KnownNoise,
    posteriors: &[Posterior],
    open: bool,
    progress: &mut dyn Progress,
) -> Result<[HowMany; 2]> {
    let mut ends = [[0.0; 2]; 2];
    for (table, densities) in tables.iter().zip(&known.states.densities) {
        let of_kind = how_many_matter::intervals(table, densities, known.states.phi, progress)?;
        ends.iter_mut().flatten().zip(of_kind.iter().flatten()).for_each(|(sum, end)| *sum += end);
    }
    Ok([0, 1].map(|limit| {
        let expected = posteriors.iter().map(|posterior| posterior.expected[limit]).sum();
        HowMany::new(expected, ends[limit], open)
    }))
}
