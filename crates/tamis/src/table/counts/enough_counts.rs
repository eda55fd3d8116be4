//! Features with enough counts to be compared.

use super::checked_counts::CountColumns;
use crate::numeric::order_statistics::median;
use rayon::prelude::*;

/// The least sum of a feature's counts over all rows.
const MIN_TOTAL: f64 = 15.0;
/// Of a least group with more rows than this, only a share of the further rows need the count.
const LARGE_GROUP: f64 = 10.0;
/// That share.
const MIN_SHARE: f64 = 0.7;
/// Slack of the comparison with a number of rows that is not whole.
const TOLERANCE: f64 = 1e-14;

/// Marks the features with enough counts, by the rule of edgeR's `filterByExpr`: at least 15 in all rows together, and
/// at least `min_count` per library of median size in as many rows as the least group has (of more than 10: 10 and
/// 70 % of the others). All features with `min_count` 0.
///
/// A count c in a library of size L is enough if c/L ≥ `min_count`/median L. Both sides are compared multiplied out,
/// which is exact for whole numbers.
pub(super) fn enough_counts(
    counts: &CountColumns,
    library_sizes: &[f64],
    least_group: f64,
    min_count: f64,
) -> Vec<bool> {
    let median_size = median(&mut library_sizes.to_vec());
    let needed =
        if least_group > LARGE_GROUP { LARGE_GROUP + (least_group - LARGE_GROUP) * MIN_SHARE } else { least_group };
    let enough = |feature: &mut dyn Iterator<Item = f64>| {
        let (mut total, mut rows) = (0.0, 0_u32);
        for (count, size) in feature.zip(library_sizes) {
            total += count;
            rows += u32::from(count * median_size >= min_count * size);
        }
        total >= MIN_TOTAL - TOLERANCE && f64::from(rows) >= needed - TOLERANCE
    };
    counts.features().map(|mut feature| min_count == 0.0 || enough(&mut feature)).collect()
}
