//! The note on a table that seems to hold counts.

use crate::base::{Note, NoteKind, OptionName, text};
use crate::table::View;

/// Fewer numeric features than this say nothing about what was measured.
const FEW_FEATURES: usize = 20;
/// Categories that were written as numbers rarely go beyond this.
const HIGHEST_CODE: f64 = 30.0;
/// Tables of so many features that are mostly 0 hold counts even where these are small, unless all are 0 or 1.
const MANY_FEATURES: usize = 100;
const FEW_COUNTS: f64 = 3.0;
/// The sums of counted features differ more than this; those of features measured on one scale rarely do.
const SPREAD: f64 = 10.0;

/// A note that suggests to normalise, if at least 20 features are numeric, all of these hold whole numbers of at least 0,
/// the highest is above 30, and the largest sum of a feature is over ten times the smallest one above 0; or if there are
/// 100 features, most values are 0 and the highest is 3 or more.
///
/// Cost: one pass, which ends at the first number that is no count.
pub fn looks_like_counts(data: &View) -> Option<Note> {
    let (mut features, mut highest, mut zeros) = (0, 0.0_f64, 0);
    let (mut smallest_sum, mut largest_sum) = (f64::INFINITY, 0.0_f64);
    for numbers in (0..data.n_features()).filter_map(|feature| data.numbers(feature)) {
        let mut sum = 0.0;
        for x in data.rows().iter().map(|&row| numbers[row as usize]) {
            if !(x >= 0.0 && x.fract() == 0.0) {
                return None;
            }
            sum += x;
            zeros += usize::from(x == 0.0);
            highest = highest.max(x);
        }
        features += 1;
        largest_sum = largest_sum.max(sum);
        if sum > 0.0 {
            smallest_sum = smallest_sum.min(sum);
        }
    }
    let high = features >= FEW_FEATURES && highest > HIGHEST_CODE && largest_sum > SPREAD * smallest_sum;
    let mostly_zero = 2 * zeros > features * data.rows().len();
    let sparse = features >= MANY_FEATURES && mostly_zero && highest >= FEW_COUNTS;
    if !high && !sparse {
        return None;
    }
    let text = text![
        "all numeric features are whole numbers of at least 0: if they are counts (of reads, for instance), pass ",
        OptionName::Normalize.set("tmm"),
        "; if not, pass ",
        OptionName::Normalize.set("none")
    ];
    Some(Note::new(NoteKind::LooksLikeCounts, text))
}
