//! How much is found where there is nothing to find: the same decision on tables with a permuted target.
//!
//! Benjamini and Hochberg's procedure bounds the share of false finds on average over tables. Where features are correlated,
//! the false ones come all at once in a few tables. So finds count only if tables with a permuted target rarely give as many.

use super::significance::{ALONE, SortedNull, TIE};
use crate::numeric::multiple_testing::benjamini_hochberg;

/// A feature that could be found in a table: its weighed p-value, its score, its position.
type Candidate = (f64, f64, u32);

/// What the tests of features by themselves find in tables with a permuted target.
#[derive(Debug, Default)]
pub(super) struct ChanceFinds {
    fdr: f64,
    /// For each permuted table the features that could be found, the smallest p first.
    tables: Vec<Vec<Candidate>>,
}

/// How many features are found in a table, and the largest score of these.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Finds {
    count: usize,
    strongest: f64,
}

impl ChanceFinds {
    /// From the scores of every feature in every permuted table, feature by feature, and all of them sorted.
    ///
    /// Cost: a sort of the scores that reach the false discovery rate by themselves.
    pub(super) fn of(null_scores: &[Vec<f64>], sorted: &SortedNull, fdr: f64) -> ChanceFinds {
        let permutations = null_scores.first().map_or(0, Vec::len);
        let least = sorted.least_score_of(fdr * ALONE);
        let mut tables: Vec<Vec<Candidate>> = vec![vec![]; permutations];
        for (feature, scores) in null_scores.iter().enumerate() {
            for (table, &score) in tables.iter_mut().zip(scores).filter(|(_, score)| **score >= least - TIE) {
                table.push(((sorted.p_value(score) / ALONE).min(1.0), score, feature as u32));
            }
        }
        tables.iter_mut().for_each(|table| table.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2))));
        ChanceFinds { fdr, tables }
    }

    /// The share of tables, the data among them, in which at least as much is found among the `considered` features as in the
    /// data. 1 if nothing is found.
    ///
    /// Much is many finds, or a strong one: a table's places by number (of as many, by the strongest) and by the strongest are
    /// taken among all tables, and the better one counts. The data and the permuted tables are treated alike.
    pub(super) fn share_with_as_much(&self, p: &[f64], scores: &[f64], considered: &[bool]) -> f64 {
        let among: Vec<usize> = (0..p.len()).filter(|&at| considered[at]).collect();
        let q = benjamini_hochberg(&among.iter().map(|&at| p[at]).collect::<Vec<_>>());
        let observed = Finds::of(among.iter().zip(&q).filter(|(_, q)| **q <= self.fdr).map(|(&at, _)| scores[at]));
        if observed.count == 0 {
            return 1.0;
        }
        let mut tables = vec![observed];
        tables.extend(self.tables.iter().map(|table| self.finds(table, considered, among.len())));
        let place = |finds: &Finds| {
            let stronger = |other: &&Finds| other.strongest >= finds.strongest - TIE;
            let more = |other: &&Finds| other.count > finds.count || (other.count == finds.count && stronger(other));
            match finds.count {
                0 => tables.len(),
                _ => tables.iter().filter(stronger).count().min(tables.iter().filter(more).count()),
            }
        };
        let of_data = place(&observed);
        tables.iter().filter(|finds| place(finds) <= of_data).count() as f64 / tables.len() as f64
    }

    /// What Benjamini and Hochberg's procedure finds among `n` considered features of a permuted table.
    fn finds(&self, table: &[Candidate], considered: &[bool], n: usize) -> Finds {
        let candidates: Vec<&Candidate> =
            table.iter().filter(|(_, _, feature)| considered[*feature as usize]).collect();
        let passes = |place: &usize| candidates[*place].0 * n as f64 <= self.fdr * (place + 1) as f64;
        let count = (0..candidates.len()).rev().find(passes).map_or(0, |last| last + 1);
        Finds::of(candidates[..count].iter().map(|(_, score, _)| *score))
    }
}

impl Finds {
    fn of(scores: impl Iterator<Item = f64>) -> Finds {
        scores.fold(Finds { count: 0, strongest: f64::NEG_INFINITY }, |finds, score| Finds {
            count: finds.count + 1,
            strongest: finds.strongest.max(score),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty features in three permuted tables: nothing in the first, a strong one in the second, five in the third.
    fn chance() -> (ChanceFinds, SortedNull) {
        let score = |feature: usize, table: usize| match (feature, table) {
            (7, 1) => 9.0,
            (10..15, 2) => 6.0,
            _ => 0.01 * feature as f64,
        };
        let scores: Vec<Vec<f64>> =
            (0..40).map(|feature| (0..3).map(|table| score(feature, table)).collect()).collect();
        // scores of many more tables, so that p-values are small
        let sorted = SortedNull::of((0..40_000).map(|at| 1e-4 * at as f64).chain(scores.concat()).collect());
        (ChanceFinds::of(&scores, &sorted, 0.05), sorted)
    }

    #[test]
    fn as_many_finds_of_the_same_strength_count_as_chance() {
        let (chance, sorted) = chance();
        let share = |scores: &[f64]| {
            let mut all = vec![0.0; 40];
            all[20..20 + scores.len()].copy_from_slice(scores);
            let p: Vec<f64> = all.iter().map(|score| (sorted.p_value(*score) / ALONE).min(1.0)).collect();
            chance.share_with_as_much(&p, &all, &[true; 40])
        };
        assert_eq!(share(&[]), 1.0, "nothing is found");
        assert_eq!(share(&[9.5]), 0.5, "no table has one as strong; the third has the most");
        assert_eq!(share(&[8.5]), 0.75, "one find, weaker than that of the second table");
        assert_eq!(share(&[7.0; 5]), 0.5, "no table has as many as strong; the second has the strongest");
        assert_eq!(share(&[5.0; 5]), 0.75);
        assert_eq!(share(&[9.5; 6]), 0.25, "no table has as many, nor one as strong");
    }

    #[test]
    fn features_that_are_not_considered_are_not_found_in_any_table() {
        let (chance, sorted) = chance();
        let mut scores = vec![0.0; 40];
        scores[20] = 7.0;
        let p: Vec<f64> = scores.iter().map(|score| (sorted.p_value(*score) / ALONE).min(1.0)).collect();
        let without =
            |left_out: std::ops::Range<usize>| -> Vec<bool> { (0..40).map(|at| !left_out.contains(&at)).collect() };
        assert_eq!(chance.share_with_as_much(&p, &scores, &without(10..15)), 0.5);
        assert_eq!(chance.share_with_as_much(&p, &scores, &without(7..15)), 0.25);
        assert_eq!(chance.share_with_as_much(&p, &scores, &without(20..21)), 1.0);
    }
}
