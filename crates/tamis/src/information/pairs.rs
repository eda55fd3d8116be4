//! `pairs`: features that matter only together, which no score of single features can see.
//!
//! The score of a feature is the most it tells of the target once some other feature is known, max_k I(X_j;Y|X_k). The
//! target is permuted to learn how large the largest score gets by chance.

use super::filter::CodedSelector;
use super::pair_levels::{class_names, level_names};
use super::pair_search::{AllPairs, MOST_PAIRS, all_pairs};
use crate::base::parameter::parameters;
use crate::base::{Context, Describe, Error, MethodInfo, Note, NoteKind, OptionName, Place, Result, counted, text};
use crate::codes::coded_table::JoinedLevels;
use crate::codes::{CodedTable, Discretise};
use crate::selection::detail::{FeaturePair, PairsDetail};
use crate::selection::{RankedFeatures, Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Pairs of which the result holds the tables by class.
const MOST_TABLES: usize = 100;

parameters! {
    /// Features that tell about the target only together with another one, such as the two inputs of an exclusive or.
    ///
    /// The score of feature j is max_k I(X_j; Y | X_k) over all other features k. The target is permuted, and a feature is
    /// selected if its score exceeds the largest score of any feature under any permutation. With R permutations, a table
    /// without any relation has a feature selected with probability about 1/(R + 1).
    ///
    /// The result also lists pairs of features that both need each other: those whose gain, I(X_j, X_k; Y) less the larger of
    /// I(X_j; Y) and I(X_k; Y), exceeds every score under every permutation. A strong feature beside an irrelevant one has a
    /// high score and no gain.
    ///
    /// Cost: features²/2 tables for the data and for every permutation, each counted on bits: with the default `bins` and two
    /// classes of equal size, rows/32 words of 64 bits. Logarithms are only taken of tables that may change the answer.
    ///
    /// Errors: [`Error::Parameter`] for a value out of its range; [`Error::Method`] for weighted rows; [`Error::Data`] if
    /// fewer than two features vary.
    ///
    /// Reference: none; the score is the conditional mutual information of Fleuret, JMLR 5, 2004, maximised instead of
    /// minimised.
    ///
    /// ```
    /// use tamis::{Context, Selector, Table, information::Pairs, table::Target};
    ///
    /// // the class is the exclusive or of the first two features; the third is noise
    /// let bit = |row: usize, by: usize| (row / by % 2) as f64;
    /// let columns: Vec<Vec<f64>> = [1, 2, 4].iter().map(|&by| (0..80).map(|row| bit(row, by)).collect()).collect();
    /// let label = |row: usize| Some(if bit(row, 1) == bit(row, 2) { "same" } else { "differ" });
    /// let labels: Vec<Option<&str>> = (0..80).map(label).collect();
    /// let names = ["a", "b", "c"].map(String::from).to_vec();
    /// let table = Table::new(names, columns, "class", Target::classes(&labels))?;
    ///
    /// let selection = Pairs::default().select(&table.view(), &mut Context::default())?;
    /// assert_eq!(selection.selected, [0, 1]);
    /// # Ok::<(), tamis::Error>(())
    /// ```
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Pairs {
        bins: usize = 3, "2…16", "number of levels of equal frequency for numeric columns";
        permutations: usize = 50, "1…100000", "number of permutations of the target";
    }
}

impl Describe for Pairs {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "pairs",
            summary: "features that are informative together with another one, even if not by themselves",
            number_by: "permutation threshold",
            cost: "features²/2 tables of rows/32 words for the data and for each permutation",
            reference: "",
            parameters: Pairs::described(),
        }
    }

    fn validate(&self) -> Result<()> {
        if !(2..=16).contains(&self.bins) {
            return Err(Error::parameter("bins", self.bins, "it takes 2…16"));
        }
        if !(1..=100_000).contains(&self.permutations) {
            return Err(Error::parameter("permutations", self.permutations, "it takes 1…100000"));
        }
        Ok(())
    }
}

impl Selector for Pairs {
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.check(data.weights().is_some())?;
        let codes = CodedTable::learn(data, Discretise::Frequency, self.bins, context)?;
        let (ranked, mut detail) = self.ranked(codes, data.names(), context)?;
        if !detail.pairs.is_empty() {
            detail.classes = class_names(data.target(), detail.pairs[0].counts.len());
        }
        let mut selection = ranked.into_selection(data, self.record(), context.seed);
        selection.detail.pairs = Some(detail);
        Ok(selection)
    }
}

impl CodedSelector for Pairs {
    fn coding(&self) -> Option<(Discretise, usize)> {
        Some((Discretise::Frequency, self.bins))
    }

    fn select_codes(
        &self,
        codes: &CodedTable,
        names: &Arc<[String]>,
        _keep: &[u32],
        context: &mut Context,
    ) -> Result<Selection> {
        self.check(codes.weights.is_some())?;
        let (ranked, detail) = self.ranked(codes.in_memory()?, names, context)?;
        let mut selection = ranked.into_plain(names, self.record(), context.seed);
        selection.detail.pairs = Some(detail);
        Ok(selection)
    }
}

impl Pairs {
    /// Refuses parameters out of range, and weights.
    fn check(&self, weighted: bool) -> Result<()> {
        self.validate()?;
        if weighted {
            return Err(Error::method("pairs", "takes no weights", text!["remove ", OptionName::Weight]));
        }
        Ok(())
    }

    /// Looks at all pairs, and ranks the features.
    fn ranked(
        &self,
        mut codes: CodedTable,
        names: &Arc<[String]>,
        context: &mut Context,
    ) -> Result<(RankedFeatures, PairsDetail)> {
        let mut notes = std::mem::take(&mut codes.notes);
        notes.retain(|note| note.kind != NoteKind::MixedLevels); // levels are made alike below
        // a column of many levels reaches a high score by chance, and would set the threshold for all
        let joined = codes.join_rare(self.bins + 1);
        if !joined.is_empty() {
            let names = joined.iter().map(|joined| names[joined.feature as usize].clone()).collect();
            let text = format!("in columns with more than {} categories the rarest are merged", self.bins + 1);
            notes.push(Note::about(NoteKind::JoinedLevels, text, names));
        }
        notes.extend(self.few_permutations());
        if codes.len() < 2 {
            let problem = "fewer than 2 features vary";
            return Err(Error::data(Place::default(), problem, "pairs need two"));
        }
        let found = all_pairs(&codes, (self.permutations, context.seed), context)?;
        let (scores, mut detail) = scored(&codes, &found, names.len());
        list_pairs(&codes, &found, &joined, &mut detail);
        if found.more {
            let text = format!("more than {MOST_PAIRS} pairs pass; the {MOST_PAIRS} with the largest gain are listed");
            notes.push(Note::new(NoteKind::ManyPairs, text));
        }
        let mut order: Vec<u32> = (0..scores.len() as u32).filter(|&i| scores[i as usize] > detail.threshold).collect();
        order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        if order.is_empty() {
            let text = format!(
                "no pair is more informative than the best pair under {}",
                counted(self.permutations, "permutation")
            );
            notes.push(Note::new(NoteKind::NothingSelected, text));
        }
        Ok((RankedFeatures { order, scores, notes }, detail))
    }

    /// A note where a p-value cannot be small.
    fn few_permutations(&self) -> Option<Note> {
        let least = 1.0 / (self.permutations + 1) as f64;
        let text = text![
            format!(
                "with {}, pure noise has a feature selected with probability {least:.2}; raise ",
                counted(self.permutations, "permutation")
            ),
            OptionName::from("permutations")
        ];
        (least > 0.05).then(|| Note::new(NoteKind::FewPermutations, text))
    }
}

/// The score of every feature of the table, and how it compares with those under permutations.
fn scored(codes: &CodedTable, found: &AllPairs, features: usize) -> (Vec<f64>, PairsDetail) {
    let mut detail = PairsDetail {
        null: found.null.clone(),
        threshold: found.null.iter().copied().fold(0.0, f64::max),
        partners: vec![None; features],
        gains: vec![None; features],
        p_values: vec![1.0; features],
        ..PairsDetail::default()
    };
    let mut scores = vec![f64::NAN; features];
    for (at, &(score, partner)) in found.best.iter().enumerate() {
        let feature = codes.features[at] as usize;
        let score = score.max(0.0); // it is, but for rounding
        scores[feature] = score;
        detail.partners[feature] = Some(codes.features[partner]);
        detail.gains[feature] = Some(found.gain((at, partner)).max(0.0));
        detail.p_values[feature] = p_value(&detail.null, score);
    }
    (scores, detail)
}

/// The share of permutations, the data counted among them, whose largest score is as large.
fn p_value(null: &[f64], score: f64) -> f64 {
    (1 + null.iter().filter(|n| **n >= score).count()) as f64 / (1 + null.len()) as f64
}

/// Lists the pairs whose features need each other, the first of them with their tables by class.
fn list_pairs(codes: &CodedTable, found: &AllPairs, joined: &[JoinedLevels], detail: &mut PairsDetail) {
    let mut described: Vec<usize> = Vec::new();
    for (rank, pair) in found.pairs.iter().enumerate() {
        let (first, second) = (codes.features[pair.first], codes.features[pair.second]);
        let mut listed = FeaturePair { first, second, gain: pair.gain, ..FeaturePair::default() };
        listed.p_value = p_value(&detail.null, pair.gain);
        if rank < MOST_TABLES {
            let (tables, side) = found.tables((pair.first, pair.second));
            let (rows, columns) = (codes.levels_of(pair.first), codes.levels_of(pair.second));
            let row = |table: &[usize], u: usize| table[u * side..][..columns].iter().map(|c| *c as u32).collect();
            listed.counts = tables.iter().map(|table| (0..rows).map(|u| row(table, u)).collect()).collect();
            described.extend([pair.first, pair.second]);
        }
        detail.pairs.push(listed);
    }
    described.sort_unstable();
    described.dedup();
    detail.levels = described.into_iter().map(|at| level_names(codes, at, joined)).collect();
}

/// I(X;Y|Z) of codes below 16 by plain counting, for checks.
#[cfg(test)]
fn conditional(x: &[u8], y: &[u8], z: &[u8]) -> f64 {
    use crate::codes::counts::x_ln_x;
    let entropy = |cell: &dyn Fn(usize) -> (u8, u8, u8)| {
        let mut counts = [0.0; 1 << 12];
        for i in 0..x.len() {
            let (a, b, c) = cell(i);
            counts[usize::from(a) << 8 | usize::from(b) << 4 | usize::from(c)] += 1.0;
        }
        let n = x.len() as f64;
        (x_ln_x(n) - counts.iter().filter(|c| **c > 0.0).map(|c| x_ln_x(*c)).sum::<f64>()) / n
    };
    entropy(&|i| (x[i], z[i], 0)) + entropy(&|i| (y[i], z[i], 0))
        - entropy(&|i| (x[i], y[i], z[i]))
        - entropy(&|i| (z[i], 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random::{self, permutation};
    use rand::RngExt;

    /// 90 rows and 70 features, more than a block; the target is told by the first two together, and noise.
    fn drawn(levels: u8, classes: u8) -> CodedTable {
        let mut rng = random::stream(3, 0);
        let (rows, features) = (90, 70);
        let columns: Vec<Vec<u8>> = (0..features)
            .map(|j| (0..rows).map(|_| rng.random_range(0..2 + (j % (levels - 1) as usize) as u8)).collect())
            .collect();
        let target = (0..rows).map(|i| {
            let noise = rng.random_range(0..10) == 0;
            if noise { rng.random_range(0..classes) } else { (columns[0][i] + columns[1][i]) % classes }
        });
        let target = target.collect();
        CodedTable::from_columns(&columns, target)
    }

    #[test]
    fn scores_are_the_largest_conditional_informations() {
        for (levels, classes) in [(2, 2), (3, 2), (3, 3), (4, 4), (5, 2), (12, 3)] {
            let codes = drawn(levels, classes);
            let features = codes.len();
            let found = all_pairs(&codes, (1, 0), &mut Context::default()).expect("runs");
            let given = |j: usize, k: usize| conditional(codes.column(j), &codes.target, codes.column(k));
            for j in 0..features {
                let others = (0..features).filter(|k| *k != j).map(|k| given(j, k));
                let expected = others.fold(f64::NEG_INFINITY, f64::max);
                let (score, partner) = found.best[j];
                assert!((score - expected).abs() < 1e-12, "{levels} {classes} {j}: {score} {expected}");
                assert!((given(j, partner) - expected).abs() < 1e-12);
                let gain = given(j, partner).min(given(partner, j));
                assert!((found.gain((j, partner)) - gain).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn permutations_and_listed_pairs_agree_with_counting_every_pair() {
        for (levels, classes) in [(3, 2), (4, 3)] {
            let codes = drawn(levels, classes);
            let found = all_pairs(&codes, (3, 5), &mut Context::default()).expect("runs");
            let all = || (0..codes.len()).flat_map(|j| (j + 1..codes.len()).map(move |k| (j, k)));
            for (r, largest) in found.null.iter().enumerate() {
                let order = permutation(5, r as u64, codes.n_rows());
                let target: Vec<u8> = order.iter().map(|&i| codes.target[i as usize]).collect();
                let given = |j: usize, k: usize| conditional(codes.column(j), &target, codes.column(k));
                let expected = all().map(|(j, k)| given(j, k).max(given(k, j))).fold(f64::NEG_INFINITY, f64::max);
                assert!((largest - expected).abs() < 1e-12, "{largest} {expected}");
            }
            let threshold = found.null.iter().copied().fold(0.0, f64::max);
            let given = |j: usize, k: usize| conditional(codes.column(j), &codes.target, codes.column(k));
            let expected: Vec<(usize, usize)> =
                all().filter(|&(j, k)| given(j, k).min(given(k, j)) > threshold + 1e-12).collect();
            let mut listed: Vec<(usize, usize)> = found.pairs.iter().map(|pair| (pair.first, pair.second)).collect();
            listed.sort_unstable();
            assert_eq!(listed, expected);
            assert!(listed.contains(&(0, 1)), "the pair that makes the target is listed");
            let (tables, side) = found.tables((0, 1));
            for (class, table) in tables.iter().enumerate() {
                let rows = (0..codes.n_rows()).filter(|&i| usize::from(codes.target[i]) == class);
                let mut counted = vec![0; side * side];
                let cell = |i: usize| usize::from(codes.column(0)[i]) * side + usize::from(codes.column(1)[i]);
                rows.for_each(|i| counted[cell(i)] += 1);
                assert_eq!(*table, counted);
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_pairs() {
        let codes = drawn(3, 2);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let found = pool.install(|| all_pairs(&codes, (4, 1), &mut Context::default()).expect("runs"));
            (found.best, found.null, found.pairs)
        };
        assert_eq!(on(1), on(3));
    }
}
