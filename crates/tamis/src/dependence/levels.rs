//! Columns as levels: tenths and fifths of the ranks for numbers, categories as they are.

use crate::base::remedies::leave_out_or_join;
use crate::base::{Error, Place, Result};
use crate::table::{Categories, Column, MISSING};

/// Levels that numbers are cut into.
pub(super) const FINE: usize = 10;
/// A fine level and the next are one coarse level.
const FINE_IN_COARSE: usize = 2;
/// Classes that a numeric target is cut into.
pub(super) const QUINTILES: usize = 5;
/// A half with fewer rows takes no part in pairs.
pub(super) const FEWEST_IN_HALF: u32 = 10;

/// A column as levels without gaps, from 0.
pub(super) struct Levels {
    /// The level of every row; missing values come after the others.
    pub(super) codes: Vec<u16>,
    /// Rows of every level, missing values left out.
    pub(super) sizes: Vec<u32>,
    /// Rows without a value.
    pub(super) missing: u32,
    /// The coarse level that each level belongs to.
    pub(super) coarse: Vec<u16>,
    /// Whether levels have an order.
    pub(super) ordered: bool,
}

/// ⌊bins·(2·below + equal)/(2N)⌋ for every number that is not missing, so that equal numbers are never split; N counts
/// the numbers there are. `None` where a number is missing.
pub(super) fn rank_codes(values: &[f64], bins: usize) -> Vec<Option<u16>> {
    let mut sorted: Vec<(f64, u32)> = values.iter().copied().zip(0..).filter(|(value, _)| !value.is_nan()).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut codes = vec![None; values.len()];
    let mut below = 0;
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        let code = bins * (2 * below + equal.len()) / (2 * sorted.len());
        equal.iter().for_each(|&(_, row)| codes[row as usize] = Some(code as u16));
        below += equal.len();
    }
    codes
}

impl Levels {
    /// The levels of a column over some rows of its table.
    pub(super) fn of(column: &Column, rows: &[u32], name: &str) -> Result<Levels> {
        match column {
            Column::Numbers(values) => {
                Ok(Levels::of_numbers(&rows.iter().map(|&row| values[row as usize]).collect::<Vec<_>>()))
            }
            Column::Categories(categories) => Levels::of_categories(categories, rows, name),
        }
    }

    fn of_numbers(values: &[f64]) -> Levels {
        Levels::renumbered(&rank_codes(values, FINE), FINE, true)
    }

    fn of_categories(categories: &Categories, rows: &[u32], name: &str) -> Result<Levels> {
        const MOST: usize = u16::MAX as usize;
        let known = categories.labels().len();
        if known >= MOST {
            let problem = format!("it has {known} categories; at most {} are possible", MOST - 1);
            return Err(Error::data(Place::default().at_column(name), problem, leave_out_or_join(name)));
        }
        let codes = rows.iter().map(|&row| categories.codes()[row as usize]);
        let codes: Vec<Option<u16>> = codes.map(|code| (code != MISSING).then_some(code as u16)).collect();
        Ok(Levels::renumbered(&codes, known, false))
    }

    /// Levels from codes below `known`, of which some may not occur.
    fn renumbered(codes: &[Option<u16>], known: usize, ordered: bool) -> Levels {
        let mut counts = vec![0; known];
        codes.iter().flatten().for_each(|&code| counts[usize::from(code)] += 1);
        let mut number = vec![0; known];
        let (mut sizes, mut coarse, mut before) = (vec![], Vec::<u16>::new(), None);
        for (code, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            number[code] = sizes.len() as u16;
            let joined = if ordered { code / FINE_IN_COARSE } else { code };
            let next = coarse.last().map_or(0, |last| last + u16::from(before != Some(joined)));
            coarse.push(next);
            before = Some(joined);
            sizes.push(count);
        }
        let absent = sizes.len() as u16;
        let missing = codes.len() as u32 - counts.iter().sum::<u32>();
        let codes = codes.iter().map(|code| code.map_or(absent, |code| number[usize::from(code)])).collect();
        Levels { missing, codes, sizes, coarse, ordered }
    }

    /// Whether there is more than one value; a missing one counts.
    pub(super) fn varies(&self) -> bool {
        self.sizes.len() + usize::from(self.missing > 0) > 1
    }

    /// Levels, that of missing values included.
    pub(super) fn count(&self) -> usize {
        self.sizes.len() + usize::from(self.missing > 0)
    }

    /// The mid-rank of every level among the rows that have a value, less the mean of all ranks.
    pub(super) fn centred_midranks(&self) -> Vec<f64> {
        let present: u32 = self.sizes.iter().sum();
        let mut below = 0;
        let rank = |&size: &u32| {
            let twice = 2 * i64::from(below) + i64::from(size) - i64::from(present);
            below += size;
            0.5 * twice as f64
        };
        self.sizes.iter().map(rank).collect()
    }

    /// Whether rows of each level, and of missing values last, are in the upper half: above the cut that splits all rows
    /// most evenly, the lower of two such cuts; of categories, all but the most frequent. A missing value never is.
    /// `None` where a half has fewer than ten rows.
    pub(super) fn upper_half(&self) -> Option<Vec<bool>> {
        let rows = self.codes.len() as u32;
        let upper: Vec<bool> = if self.ordered {
            let mut above: u32 = self.sizes.iter().sum();
            let mut best = (u32::MAX, 0);
            for (level, size) in self.sizes.iter().enumerate().take(self.sizes.len().saturating_sub(1)) {
                above -= size;
                best = best.min(((2 * above).abs_diff(rows), level));
            }
            (0..self.sizes.len()).map(|level| best.0 < u32::MAX && level > best.1).collect()
        } else {
            let most = self.sizes.iter().copied().max().unwrap_or(0);
            let first = self.sizes.iter().position(|&size| size == most);
            (0..self.sizes.len()).map(|level| Some(level) != first).collect()
        };
        let in_upper: u32 = self.sizes.iter().zip(&upper).filter(|(_, upper)| **upper).map(|(size, _)| size).sum();
        let fits = in_upper.min(rows - in_upper) >= FEWEST_IN_HALF;
        fits.then(|| upper.into_iter().chain([false]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fixture, numbers};

    #[test]
    fn codes_ranks_and_halves_are_those_of_the_definition() {
        for case in fixture("oracle/dependence/codes.json").as_array().expect("cases") {
            let x = numbers(&case["x"]);
            let bins = case["bins"].as_u64().expect("a number") as usize;
            let levels = Levels::renumbered(&rank_codes(&x, bins), bins, true);
            let codes: Vec<f64> = levels.codes.iter().map(|code| f64::from(*code)).collect();
            assert_eq!(codes, numbers(&case["codes"]));
            let ranks = levels.centred_midranks();
            let ranks: Vec<f64> = levels.codes.iter().map(|code| ranks[usize::from(*code)]).collect();
            assert_eq!(ranks, numbers(&case["midranks"]));
            if let Some(upper) = levels.upper_half() {
                let half: Vec<f64> =
                    levels.codes.iter().map(|code| f64::from(u8::from(upper[usize::from(*code)]))).collect();
                assert_eq!(half, numbers(&case["upper_half"]));
            }
        }
    }

    #[test]
    fn fifths_are_pairs_of_tenths() {
        let x: Vec<f64> = (0..57).map(|i| f64::from(i * i % 31)).collect();
        let (levels, coarse) = (Levels::of_numbers(&x), rank_codes(&x, QUINTILES));
        for a in 0..x.len() {
            for b in 0..x.len() {
                let joined = |row: usize| levels.coarse[usize::from(levels.codes[row])];
                assert_eq!(joined(a) == joined(b), coarse[a] == coarse[b]);
            }
        }
    }

    #[test]
    fn missing_values_are_a_level_of_their_own_and_in_the_lower_half() {
        let mut x: Vec<f64> = (0..40).map(f64::from).collect();
        x[..12].fill(f64::NAN);
        let levels = Levels::of_numbers(&x);
        assert_eq!((levels.missing, levels.sizes.iter().sum::<u32>()), (12, 28));
        let upper = levels.upper_half().expect("halves");
        let above = levels.codes.iter().filter(|code| upper[usize::from(**code)]).count();
        assert!(above.abs_diff(20) <= 2, "{above}");
        assert!(!upper[usize::from(levels.codes[0])]);
        let constant = Levels::of_numbers(&[vec![f64::NAN; 15], vec![2.0; 15]].concat());
        assert!(constant.varies() && constant.upper_half().is_none());
    }

    #[test]
    fn the_most_frequent_category_is_the_lower_half() {
        let texts = (0..60).map(|row| (row > 4).then(|| ["b", "a", "c"][row % 3]));
        let Ok(levels) = Levels::of_categories(&Categories::of(texts), &(0..60).collect::<Vec<_>>(), "x") else {
            panic!("three levels")
        };
        assert_eq!(levels.sizes, [18, 18, 19]);
        assert_eq!(levels.upper_half().expect("halves"), [true, true, false, false]);
    }
}
