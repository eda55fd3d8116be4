//! The states the noise may be in: a density of its scores for every null row and its mirror image.

use super::dispersion::Dispersion;
use super::features::{Features, Kind};
use super::null_rows::ScoreRow;
use super::row_shape::{RowShape, width};
use super::score_grid::{OnGrid, blurred, mirrored, normalised, standard_normal};
use super::smoothing::smoothed;
use super::tempering::RowLikelihoods;
use crate::base::{Progress, Result};
use rayon::prelude::*;

/// So many states are in the order of the null rows; more in the order of their widths, so that neighbours are alike and are
/// moved and stretched in different ways.
const FEW: usize = 800;
/// Of more null rows, so many are compared with the states.
const MOST_COMPARED: usize = 500;
/// More null rows than these show nothing further of the states.
pub(super) const MOST_ROWS: usize = 3000;
/// The standard deviation by which the pool is smoothed, and the share of N(0, 1) in it.
const POOL_BLUR: f64 = 0.1;
const POOL_NORMAL: f64 = 0.01;

/// The states of the noise.
pub(super) struct States {
    /// Kind by kind, the density of its scores in every state: one state if features are independent.
    pub(super) densities: Vec<Vec<OnGrid>>,
    /// The overdispersion φ ≥ 1 of counts of scores within a state.
    pub(super) phi: f64,
}

impl States {
    /// The one state of independent features: N(0, 1).
    pub(super) fn standard_normal(kinds: usize) -> States {
        States { densities: vec![vec![standard_normal()]; kinds], phi: 1.0 }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.densities.first().map_or(0, Vec::len)
    }

    /// Learns the states from null rows, and how far these differ, kind by kind.
    pub(super) fn learn(
        rows: &[ScoreRow],
        features: &Features,
        residual_dimension: usize,
        progress: &mut dyn Progress,
    ) -> Result<(States, Vec<Dispersion>)> {
        progress.step("learning the states of the noise", 0, 0)?;
        let rows = &rows[..rows.len().min(MOST_ROWS)];
        let shape = |row: &ScoreRow| -> Vec<RowShape> {
            features.kinds().iter().enumerate().map(|(k, kind)| RowShape::of(&row.of_kind(k, kind))).collect()
        };
        let shapes: Vec<Vec<RowShape>> = rows.par_iter().map(shape).collect();
        let kinds: Vec<KindRows<'_>> = (0..features.kinds().len())
            .map(|k| KindRows::new(k, &features.kinds()[k], rows, &shapes, residual_dimension))
            .collect();
        let dispersions = kinds.iter().map(|kind| kind.dispersion).collect();
        if !kinds.iter().any(|kind| kind.dispersion.rows_differ()) {
            let densities = kinds.iter().map(|kind| vec![kind.pool]).collect();
            return Ok((States { densities, phi: 1.0 }, dispersions));
        }
        let (r, both) = (rows.len(), features.any_signed());
        let densities: Vec<Vec<OnGrid>> = kinds.iter().map(|kind| kind.densities(both)).collect();
        let widths: Vec<f64> = shapes.iter().map(|shapes| width(shapes)).collect();
        let compared = compared(&widths);
        let mut likelihoods = RowLikelihoods::new(if both { 2 * r } else { r }, compared.len());
        for (kind, densities) in kinds.iter().zip(&densities).filter(|(kind, _)| kind.dispersion.rows_differ()) {
            likelihoods.add(&compared.iter().map(|&t| &kind.shapes[t].counts).collect::<Vec<_>>(), densities);
        }
        let phi = likelihoods.overdispersion(|t, s| s == compared[t] || s == r + compared[t], progress)?;
        let order = ordered(&widths, both);
        let finish = |(kind, densities): (&KindRows<'_>, Vec<OnGrid>)| {
            let densities: Vec<OnGrid> = order.iter().map(|&s| densities[s]).collect();
            let differ = kind.dispersion.rows_differ();
            if differ { smoothed(&densities, kind.kind.one_sided) } else { densities }
        };
        let densities = kinds.iter().zip(densities).map(finish).collect();
        Ok((States { densities, phi }, dispersions))
    }
}

/// The null rows of one kind of scores.
struct KindRows<'a> {
    number: usize,
    kind: &'a Kind,
    rows: &'a [ScoreRow],
    shapes: Vec<&'a RowShape>,
    dispersion: Dispersion,
    pool: OnGrid,
}

impl<'a> KindRows<'a> {
    fn new(
        number: usize,
        kind: &'a Kind,
        rows: &'a [ScoreRow],
        shapes: &'a [Vec<RowShape>],
        residual_dimension: usize,
    ) -> KindRows<'a> {
        let shapes: Vec<&RowShape> = shapes.iter().map(|shapes| &shapes[number]).collect();
        let size = (kind.places.len(), kind.one_sided);
        let dispersion = Dispersion::of(shapes.iter().copied(), size, residual_dimension);
        let pool = pool(&shapes, kind.one_sided);
        KindRows { number, kind, rows, shapes, dispersion, pool }
    }

    /// The densities of the states, those of mirrored rows (`both`) after those of the rows.
    fn densities(&self, both: bool) -> Vec<OnGrid> {
        let copies = if both { 2 } else { 1 };
        if !self.dispersion.rows_differ() {
            return vec![self.pool; copies * self.rows.len()];
        }
        let own = |(row, shape): (&ScoreRow, &&RowShape)| shape.density(&row.of_kind(self.number, self.kind));
        let own: Vec<OnGrid> = self.rows.par_iter().zip(&self.shapes).map(own).collect();
        let lambda = self.dispersion.lambda;
        let mixed = |h: OnGrid| std::array::from_fn(|b| (1.0 - lambda) * h[b] + lambda * self.pool[b]);
        let image = |h: &OnGrid| if self.kind.one_sided { *h } else { mirrored(h) };
        let images: Vec<OnGrid> = if both { own.iter().map(image).collect() } else { vec![] };
        own.into_iter().chain(images).map(mixed).collect()
    }
}

/// The density of all rows together, and of their mirror images where scores have signs.
fn pool(shapes: &[&RowShape], one_sided: bool) -> OnGrid {
    let sum = std::array::from_fn(|b| shapes.iter().map(|shape| shape.counts[b]).sum());
    let image = mirrored(&sum);
    let both = std::array::from_fn(|b| if one_sided { sum[b] } else { sum[b] + image[b] });
    let (all, normal) = (normalised(blurred(&both, POOL_BLUR)), standard_normal());
    std::array::from_fn(|b| (1.0 - POOL_NORMAL) * all[b] + POOL_NORMAL * normal[b])
}

/// The rows in the order of their `widths`.
fn by_width(widths: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by(|a, b| widths[*a].total_cmp(&widths[*b]));
    order
}

/// The rows that are compared with the states: all, or some spread evenly over the `widths` of all.
fn compared(widths: &[f64]) -> Vec<usize> {
    let r = widths.len();
    if r <= MOST_COMPARED {
        return (0..r).collect();
    }
    let order = by_width(widths);
    (0..MOST_COMPARED).map(|i| order[((i as f64 + 0.5) * r as f64 / MOST_COMPARED as f64) as usize]).collect()
}

/// The order of the states, of which those of mirrored rows (`both`) come after those of the rows.
fn ordered(widths: &[f64], both: bool) -> Vec<usize> {
    let r = widths.len();
    let all = if both { 2 * r } else { r };
    if all <= FEW {
        return (0..all).collect();
    }
    let images = if both { 2 } else { 1 };
    by_width(widths).into_iter().flat_map(|row| (0..images).map(move |image| row + image * r)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_states_are_in_the_order_of_their_widths_each_beside_its_mirror_image() {
        assert_eq!(ordered(&[3.0, 1.0, 2.0], true), [0, 1, 2, 3, 4, 5]);
        assert_eq!(ordered(&[3.0, 1.0, 2.0], false), [0, 1, 2]);
        let widths: Vec<f64> = (0..999).map(|r| ((r * 38) % 999) as f64).collect();
        let order = ordered(&widths, true);
        assert_eq!(order.len(), 1998);
        assert!(order.chunks(2).all(|pair| pair[1] == pair[0] + 999));
        assert!(order.chunks(2).map(|pair| widths[pair[0]]).eq((0..999).map(f64::from)));
        assert_eq!(ordered(&widths, false).len(), 999);
    }

    #[test]
    fn the_rows_compared_are_spread_over_all_widths() {
        assert_eq!(compared(&[3.0, 1.0, 2.0]), [0, 1, 2]);
        let widths: Vec<f64> = (0..1998).map(|r| ((r * 38) % 1999) as f64).collect();
        let some: Vec<f64> = compared(&widths).into_iter().map(|row| widths[row]).collect();
        assert!(some.len() == MOST_COMPARED && some[0] < 5.0 && some[MOST_COMPARED - 1] > 1990.0);
        assert!(some.windows(2).all(|pair| (1.0..6.0).contains(&(pair[1] - pair[0]))));
    }
}
