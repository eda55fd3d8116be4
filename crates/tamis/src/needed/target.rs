//! The target as working responses: numbers that a linear model explains.

use crate::base::Result;
use crate::numeric::linalg::dot;
use crate::numeric::special::normal_quantile;
use crate::numeric::ties::average_ranks;
use crate::score::design::coding;
use crate::table::{Target, View};

/// Working responses, a column each, over the rows of a view.
pub(super) struct WorkingTarget {
    pub(super) columns: Vec<Vec<f64>>,
    /// Whether no linear model can explain the target wholly: classes and survival.
    pub(super) bounded: bool,
}

impl WorkingTarget {
    /// Numbers: normal scores Φ⁻¹((rank − ½)/N), ties sharing their rank. Classes: orthonormal contrasts of the centred
    /// indicators, times √N. Survival: martingale residuals, the event less the cumulative hazard of Nelson and Aalen.
    pub(super) fn of(data: &View) -> Result<WorkingTarget> {
        let rows = data.rows();
        let number = |values: &[f64]| rows.iter().map(|&row| values[row as usize]).collect::<Vec<f64>>();
        Ok(match data.target() {
            Target::Real { values } => WorkingTarget { columns: vec![normal_scores(&number(values))?], bounded: false },
            Target::Classes { .. } => {
                let indicators = coding(data.target(), rows, data.comparison().contrast);
                let weights = data.weights_by_class();
                let roots: Vec<f64> =
                    rows.iter().map(|&row| weights.as_ref().map_or(1.0, |w| w[row as usize].sqrt())).collect();
                WorkingTarget { columns: contrasts(indicators, &roots), bounded: true }
            }
            Target::Survival { times, events } => {
                let events: Vec<bool> = rows.iter().map(|&row| events[row as usize]).collect();
                let weights: Vec<f64> =
                    rows.iter().map(|&row| data.weights().map_or(1.0, |w| w[row as usize])).collect();
                WorkingTarget { columns: vec![martingale_residuals(&number(times), &events, &weights)], bounded: true }
            }
        })
    }
}

fn normal_scores(values: &[f64]) -> Result<Vec<f64>> {
    let (ranks, _) = average_ranks(values, "target")?;
    let n = values.len() as f64;
    Ok(ranks.iter().map(|rank| normal_quantile((rank - 0.5) / n)).collect())
}

/// Gram and Schmidt on centred columns, all weighted by squared roots: any basis of their span will do.
fn contrasts(indicators: Vec<Vec<f64>>, roots: &[f64]) -> Vec<Vec<f64>> {
    let n: f64 = dot(roots, roots);
    let mut basis: Vec<Vec<f64>> = vec![];
    for mut column in indicators {
        let mean = column.iter().zip(roots).map(|(x, r)| x * r * r).sum::<f64>() / n;
        column.iter_mut().zip(roots).for_each(|(x, r)| *x = (*x - mean) * r);
        let before = dot(&column, &column);
        for _ in 0..2 {
            for direction in &basis {
                let share = dot(direction, &column);
                column.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
            }
        }
        let left = dot(&column, &column);
        if left > 1e-12 * before.max(1e-300) {
            column.iter_mut().for_each(|x| *x /= left.sqrt());
            basis.push(column);
        }
    }
    let unweighted = |column: Vec<f64>| column.iter().zip(roots).map(|(x, r)| x / r * n.sqrt()).collect();
    basis.into_iter().map(unweighted).collect()
}

fn martingale_residuals(times: &[f64], events: &[bool], weights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
    let mut at_risk: f64 = weights.iter().sum();
    let mut hazard = 0.0;
    let mut residuals = vec![0.0; times.len()];
    for tied in order.chunk_by(|&a, &b| times[a] == times[b]) {
        let deaths: f64 = tied.iter().filter(|&&at| events[at]).map(|&at| weights[at]).sum();
        hazard += deaths / at_risk;
        at_risk -= tied.iter().map(|&at| weights[at]).sum::<f64>();
        tied.iter().for_each(|&at| residuals[at] = f64::from(u8::from(events[at])) - hazard);
    }
    residuals
}
