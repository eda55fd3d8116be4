//! `prior=auto`: scores explained by effects and by the states of the noise.

use super::noise_states::{HowMany, Naming, Noise, NoiseStates, explain};
use super::posterior::HowManyDiffer;
use super::{Curves, PriorFit, Sides, SparseMeans};
use crate::base::{Context, Result};
use crate::selection::detail::{FitDetail, Gate, NoiseDetail};

/// Of more scores than this the sign is not asked: memory is short there.
const MOST_SIGN_ERRORS: usize = 10_000_000;

/// Explains ascending scores; `order[at]` is the feature of `sorted[at]`.
pub(super) fn fit(
    (sorted, order): (&[f64], &[u32]),
    sides: Sides<'_>,
    noise: Noise<'_>,
    means: &SparseMeans,
    curves: Curves,
    context: &mut Context,
) -> Result<(PriorFit, Option<HowManyDiffer>)> {
    let n = order.iter().max().map_or(0, |last| *last as usize + 1);
    let mut scores = vec![f64::NAN; n.max(noise.features().unwrap_or(0))];
    order.iter().zip(sorted).for_each(|(&feature, z)| scores[feature as usize] = *z);
    let naming = Naming { fdr: means.fdr, quiet: means.quiet };
    let answer = explain(&scores, sides, noise, naming, curves, context)?;
    drop(scores);
    let differ = how_many_differ(&answer);
    let drawn = matches!(noise, Noise::Independent { .. });
    let detail = detail(&answer, drawn);
    let NoiseStates { p, effects, sign_errors, effects_95, .. } = answer;
    let by_position =
        |values: Vec<f64>| -> Vec<f64> { order.iter().map(|&feature| values[feature as usize]).collect() };
    let asks_for_signs = !matches!(sides, Sides::One) && sorted.len() <= MOST_SIGN_ERRORS;
    let fit = PriorFit {
        irrelevant: by_position(p),
        effects: by_position(effects),
        sign_errors: asks_for_signs.then(|| by_position(sign_errors)),
        effects_95: effects_95.map(|ends| ends.map(by_position)),
        converged: true,
        iterations: 0,
        detail,
    };
    Ok((fit, Some(differ)))
}

fn detail(answer: &NoiseStates, drawn: bool) -> FitDetail {
    let gate = answer.gate;
    FitDetail {
        curve: answer.curve.clone(),
        gate: Some(Gate {
            passed: gate.open,
            exceeded: Some(gate.above),
            permutations: Some(gate.rows),
            allowed: Some(gate.allowed),
            drawn,
        }),
        noise: answer.band.clone().map(|band| NoiseDetail {
            states: answer.states,
            phi: answer.phi,
            lambda: answer.dispersions.iter().map(|kind| kind.lambda).reduce(f64::min),
            dispersion: answer.dispersions.iter().map(|kind| kind.dispersion).reduce(f64::max),
            permutations: gate.rows,
            band,
        }),
        ..FitDetail::default()
    }
}

fn how_many_differ(answer: &NoiseStates) -> HowManyDiffer {
    let matter = answer.matter;
    let [all, strong] = match matter {
        Some(limits) => limits.map(Some),
        None => [None, None],
    };
    let open = answer.gate.open;
    let expected = |of: Option<HowMany>| of.map(|of| if open { of.expected } else { 0.0 });
    HowManyDiffer {
        open,
        at_least: Some(answer.at_least as u64),
        at_least_named: Some(answer.at_least_named as u64),
        expected: expected(all),
        interval: all.and_then(|all| all.whole_numbers()),
        strong: expected(strong),
        strong_interval: strong.and_then(|strong| strong.whole_numbers()),
        why: all.and_then(|all| all.unsaid),
    }
}
