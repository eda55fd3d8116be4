//! Where the scores of null targets lie: densities over null targets, for a histogram.

use super::features::Features;
use super::null_rows::ScoreRow;
use crate::numeric::order_statistics::{ascending, quantile};
use crate::selection::detail::NullBand;
use rayon::prelude::*;

const FROM: f64 = -6.0;
const WIDTH: f64 = 0.25;
const BINS: usize = 48;

/// The band of the scores of null targets.
pub(super) fn of(rows: &[ScoreRow], features: &Features) -> NullBand {
    let densities: Vec<[f64; BINS]> = rows.par_iter().map(|row| densities(row, features)).collect();
    let over = |bin: usize| ascending(densities.iter().map(|row| row[bin]).collect());
    let mut band = NullBand { from: FROM, width: WIDTH, ..NullBand::default() };
    for bin in 0..BINS {
        let values = over(bin);
        band.low.push(quantile(&values, 0.025));
        band.middle.push(quantile(&values, 0.5));
        band.high.push(quantile(&values, 0.975));
    }
    band
}

fn densities(row: &ScoreRow, features: &Features) -> [f64; BINS] {
    let (mut counts, mut n) = ([0.0; BINS], 0.0);
    for (k, kind) in features.kinds().iter().enumerate() {
        row.of_kind(k, kind).each(|z, count| {
            n += count;
            let bin = ((z - FROM) / WIDTH).floor();
            if (0.0..BINS as f64).contains(&bin) {
                counts[bin as usize] += count;
            }
        });
    }
    counts.map(|count| if n > 0.0 { count / (n * WIDTH) } else { 0.0 })
}
