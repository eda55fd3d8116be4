//! `pairs`: features that matter only together, which no score of single features can see.
//!
//! The score of a feature is the most it tells of the target once some other feature is known,
//! max_k I(X_j;Y|X_k). With features as indicators O of their levels, the tables of all pairs in class c are the product
//! O_cᵀO_c over the rows of that class; of the L levels of a feature L − 1 are enough, the margins give the rest. The
//! target is permuted to learn how large the largest score gets by chance.

use super::criteria::Criterion;
use super::greedy::rank;
use super::pair_tables::{Best, all_pairs};
use crate::base::{Context, Describe, Error, MethodInfo, Note, NoteKind, OptionName, Parameter, Place, Result, text};
use crate::codes::{CodedTable, Discretise};
use crate::selection::detail::PairsDetail;
use crate::selection::{RankedFeatures, Selection, Selector};
use crate::table::View;
use serde::{Deserialize, Serialize};

/// More features than this are not looked at: all pairs would take too long.
const MOST_FEATURES: usize = 5000;

/// Features that tell about the target only together with another one, such as the two inputs of an exclusive or.
///
/// The score of feature j is max_k I(X_j; Y | X_k) over all other features k. The target is permuted, and a feature is
/// selected if its score exceeds the largest score of any feature under any permutation. With R permutations, a table
/// without any relation has a feature selected with probability about 1/(R + 1).
///
/// | name | default | purpose | range |
/// | --- | --- | --- | --- |
/// | `bins` | 3 | levels of about equal counts that numbers are cut into | 2…16 |
/// | `permutations` | 50 | number of permutations of the target | 1…100000 |
///
/// Of more than 5,000 features only the 5,000 with the largest I(X; Y) are paired, with a note.
///
/// Cost: rows × (2 × features)² flops with the default `bins`, for the data and again for every permutation.
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
    /// Number of levels of equal frequency for numeric columns.
    pub bins: usize,
    /// Number of permutations of the target.
    pub permutations: usize,
}

impl Default for Pairs {
    fn default() -> Self {
        Pairs { bins: 3, permutations: 50 }
    }
}

const PARAMETERS: [Parameter; 2] = [
    Parameter { name: "bins", range: "2…16", purpose: "number of levels of equal frequency for numeric columns" },
    Parameter { name: "permutations", range: "1…100000", purpose: "number of permutations of the target" },
];

impl Describe for Pairs {
    fn info() -> MethodInfo {
        MethodInfo {
            name: "pairs",
            summary: "features that are informative together with another one, even if not by themselves",
            number_by: "permutation threshold",
            cost: "rows × (2 × features)² flops for the data and for each permutation, on at most 5,000 features",
            reference: "",
            parameters: PARAMETERS.into(),
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
        self.validate()?;
        if data.weights().is_some() {
            return Err(Error::method("pairs", "takes no weights", text!["remove ", OptionName::Weight]));
        }
        let mut codes = CodedTable::learn(data, Discretise::Frequency, self.bins, context)?;
        let mut notes = codes.notes.clone();
        notes.retain(|note| note.kind != NoteKind::MixedLevels); // levels are made alike below
        // a column of many levels reaches a high score by chance, and would set the threshold for all
        let joined = codes.join_rare(self.bins + 1);
        if !joined.is_empty() {
            let names = joined.iter().map(|&i| data.names()[i as usize].clone()).collect();
            let text = format!("in columns with more than {} categories the rarest are merged", self.bins + 1);
            notes.push(Note::about(NoteKind::JoinedLevels, text, names));
        }
        notes.extend(self.few_permutations());
        let (looked_at, note) = candidates(&codes, context)?;
        notes.extend(note);
        let best = all_pairs(&codes, &looked_at, (self.permutations, context.seed), context)?;
        let (scores, detail) = scored(&codes, &looked_at, &best, data.names().len());
        let mut selected: Vec<u32> =
            (0..scores.len() as u32).filter(|&i| scores[i as usize] > detail.threshold).collect();
        selected.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        if selected.is_empty() {
            let text =
                format!("no pair is more informative than the best pair under {} permutations", self.permutations);
            notes.push(Note::new(NoteKind::NothingSelected, text));
        }
        let ranked = RankedFeatures { order: selected, scores, notes };
        let mut selection = ranked.into_selection(data, self.record(), context.seed);
        selection.detail.pairs = Some(detail);
        Ok(selection)
    }
}

impl Pairs {
    /// A note where a p-value cannot be small.
    fn few_permutations(&self) -> Option<Note> {
        let least = 1.0 / (self.permutations + 1) as f64;
        let text = format!(
            "with {} permutations, pure noise has a feature selected with probability {least:.2}; raise `permutations`",
            self.permutations
        );
        (least > 0.05).then(|| Note::new(NoteKind::FewPermutations, text))
    }
}

/// The features that are paired, by position among the codes: all, or those that tell most by themselves where all
/// pairs would take too long.
fn candidates(codes: &CodedTable, context: &mut Context) -> Result<(Vec<usize>, Option<Note>)> {
    if codes.len() < 2 {
        let problem = "fewer than 2 features vary";
        return Err(Error::data(Place::default(), problem, "pairs need two"));
    }
    if codes.len() <= MOST_FEATURES {
        return Ok(((0..codes.len()).collect(), None));
    }
    let mut order = rank(codes, None, Criterion::Mim, MOST_FEATURES, &[], context)?.order;
    order.sort_unstable();
    let text = format!(
        "of {} features only the {MOST_FEATURES} most informative by themselves were paired; pairs among the others \
         may be missed",
        codes.len()
    );
    Ok((order, Some(Note::new(NoteKind::PreFiltered, text))))
}

/// The score of every feature of the table, and how it compares with those under permutations.
fn scored(codes: &CodedTable, looked_at: &[usize], best: &[Best], features: usize) -> (Vec<f64>, PairsDetail) {
    let mut detail = PairsDetail {
        null: best[1..].iter().map(|b| b.iter().map(|b| b.0).fold(f64::NEG_INFINITY, f64::max)).collect(),
        partners: vec![None; features],
        p_values: vec![1.0; features],
        threshold: 0.0,
    };
    detail.threshold = detail.null.iter().copied().fold(0.0, f64::max);
    let mut scores = vec![f64::NAN; features];
    for (&at, &(score, partner)) in looked_at.iter().zip(&best[0]) {
        let feature = codes.features[at] as usize;
        let score = score.max(0.0); // it is, but for rounding
        scores[feature] = score;
        detail.partners[feature] = Some(codes.features[looked_at[partner as usize]]);
        let as_large = detail.null.iter().filter(|n| **n >= score).count();
        detail.p_values[feature] = (1 + as_large) as f64 / (1 + detail.null.len()) as f64;
    }
    (scores, detail)
}

/// I(X;Y|Z) by plain counting, for checks.
#[cfg(test)]
fn conditional(x: &[u8], y: &[u8], z: &[u8]) -> f64 {
    use crate::codes::counts::x_ln_x;
    use std::collections::HashMap;
    let entropy = |key: &dyn Fn(usize) -> (u8, u8, u8)| {
        let mut counts: HashMap<(u8, u8, u8), f64> = HashMap::new();
        (0..x.len()).for_each(|i| *counts.entry(key(i)).or_default() += 1.0);
        let n = x.len() as f64;
        (x_ln_x(n) - counts.values().map(|c| x_ln_x(*c)).sum::<f64>()) / n
    };
    entropy(&|i| (x[i], z[i], 0)) + entropy(&|i| (y[i], z[i], 0))
        - entropy(&|i| (x[i], y[i], z[i]))
        - entropy(&|i| (z[i], 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    #[test]
    fn scores_are_the_largest_conditional_informations() {
        let mut rng = random::stream(3, 0);
        let (rows, features) = (90, 70); // more than a block
        let columns: Vec<Vec<u8>> =
            (0..features).map(|j| (0..rows).map(|_| rng.random_range(0..2 + (j % 3) as u8)).collect()).collect();
        for classes in [2, 3] {
            let target: Vec<u8> = (0..rows).map(|_| rng.random_range(0..classes)).collect();
            let codes = CodedTable::from_columns(&columns, target.clone());
            let all: Vec<usize> = (0..features).collect();
            let found = all_pairs(&codes, &all, (1, 0), &mut Context::default()).expect("runs");
            for j in 0..features {
                let others = (0..features).filter(|k| *k != j).map(|k| conditional(&columns[j], &target, &columns[k]));
                let expected = others.fold(f64::NEG_INFINITY, f64::max);
                assert!((found[0][j].0 - expected).abs() < 1e-12, "{j}: {} {expected}", found[0][j].0);
                let partner = conditional(&columns[j], &target, &columns[found[0][j].1 as usize]);
                assert!((partner - expected).abs() < 1e-12);
            }
        }
    }
}
