//! The answer: how many features matter, and which.

pub(crate) mod clusters;
mod design_facts;
pub mod detail;
pub(crate) mod k;
mod needed;
mod needed_detail;
mod pairs_detail;
mod pairwise;
mod ranked;
mod relation;
mod second_look;
mod set_test;
mod unsaid;

pub use design_facts::{DesignFacts, SampleWeight};
pub use detail::Detail;
pub(crate) use k::resolve_k;
pub use needed::{FactorProbability, Finding, NeededFeatures, RelatedAtAll};
pub(crate) use ranked::RankedFeatures;
pub use second_look::SecondLook;
pub use set_test::{Direction, OfEachQuestion, SetTest};
pub use unsaid::Unsaid;

use crate::base::{Context, MethodRecord, Note, NoteKind, Result};
use crate::score::FeatureSummaries;
use crate::table::View;
use std::sync::Arc;

/// A method that chooses features.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 30, relevant: 3, ..TwoGroups::default() }.draw(1)?.table;
/// let methods: [&dyn Selector; 2] = [&TTest { k: Auto::Set(3) }, &Jmi::default()];
/// for method in methods {
///     assert!(!method.select(&table.view(), &mut Context::default())?.selected.is_empty());
/// }
/// # Ok::<(), Error>(())
/// ```
pub trait Selector {
    /// Chooses among the features of `data`, looking at nothing else.
    fn select(&self, data: &View, context: &mut Context) -> Result<Selection>;

    /// The features that [`Selector::select`] would choose, best first: notes, curves and comparisons are left out
    /// where that saves time.
    fn choose(&self, data: &View, context: &mut Context) -> Result<Vec<u32>> {
        Ok(self.select(data, context)?.selected)
    }
}

/// The result of a selector: arrays over all features, in input order.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 50, relevant: 5, effect: (2.0, 2.5), ..TwoGroups::default() }.draw(1)?.table;
/// let selection = Snbl::default().select(&table.view(), &mut Context::default())?;
/// let best = selection.ranks.iter().position(|rank| *rank == 1).unwrap();
/// assert!(selection.selected_names().any(|name| *name == selection.names[best]));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Selection {
    /// The features' names.
    pub names: Arc<[String]>,
    /// The score of each feature; NaN where it has none.
    pub scores: Vec<f64>,
    /// The estimated effect of each feature, where the method has one.
    pub effects: Option<Vec<f64>>,
    /// The ends of a 95 % interval for each effect, where they were asked for.
    pub effects_95: Option<[Vec<f64>; 2]>,
    /// The probability that each feature matters, where the method has one.
    pub probabilities: Option<Vec<f64>>,
    /// The expected share of false discoveries if this feature and all more probable ones are selected.
    pub q_values: Option<Vec<f64>>,
    /// 1 for the best feature.
    pub ranks: Vec<u32>,
    /// The selected features, best rank first.
    pub selected: Vec<u32>,
    /// Those of them that are selected because the user asked for them.
    pub kept: Vec<u32>,
    /// The selected features in clusters of those whose residuals are correlated, the best rank first in each and over all;
    /// a feature alone is a cluster too. Absent where features were not compared.
    pub clusters: Option<Vec<Vec<u32>>>,
    /// Whether the data give no evidence that any feature matters.
    pub no_evidence: bool,
    /// Whether features are log₂ counts per million, normalised here.
    pub log_counts: bool,
    /// How features were adjusted and variances moderated, where they were.
    pub design: Option<DesignFacts>,
    /// Every feature in its own units, where the method knows it.
    pub summaries: Option<FeatureSummaries>,
    /// The effect of every feature in its own unit: the difference shrunk as its score was.
    pub shrunken_differences: Option<Vec<f64>>,
    /// The ends of a 95 % interval for each of them, where they are known.
    pub shrunken_differences_95: Option<[Vec<f64>; 2]>,
    /// The probability that each feature's effect has the other sign or is zero (the local false sign rate).
    pub sign_errors: Option<Vec<f64>>,
    /// At least so many features differ, with 95 % confidence, where null targets or null scores say so.
    pub at_least_95: Option<u64>,
    /// At least so many of the selected do, at the same time.
    pub at_least_named_95: Option<u64>,
    /// How many features are expected to matter, named or not.
    pub n_expected: Option<f64>,
    /// A 95 % interval for that number, where it says something.
    pub n_expected_95: Option<[u64; 2]>,
    /// How many features are expected to matter strongly, where the method has such a number.
    pub n_strong: Option<f64>,
    /// A 95 % interval for that number, where it says something.
    pub n_strong_95: Option<[u64; 2]>,
    /// Why there is no interval, where there could be one.
    pub why: Option<Unsaid>,
    /// How many of the selected features are expected to be false.
    pub expected_false: Option<f64>,
    /// The fraction of features that do not matter.
    pub fraction_irrelevant: Option<f64>,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken; 0 where the method does not iterate.
    pub iterations: usize,
    /// The method, its parameters resolved.
    pub method: MethodRecord,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Relations that the method does not see, where they were looked for; never part of the answer.
    pub second_look: Option<SecondLook>,
    /// Which features are needed, given the others: the answer of `needed`, or beside that of another method.
    pub needed: Option<NeededFeatures>,
    /// The tests of the sets of features that were given, in their order; `None` for a set that cannot be tested.
    pub set_tests: Vec<Option<SetTest>>,
    /// Notes for the user.
    pub notes: Vec<Note>,
    /// Data for plots.
    pub detail: Detail,
}

impl Selection {
    /// A selection with only scores, ranks and selected features.
    pub(crate) fn new(
        names: Arc<[String]>,
        scores: Vec<f64>,
        ranks: Vec<u32>,
        selected: Vec<u32>,
        method: MethodRecord,
        seed: u64,
    ) -> Selection {
        Selection {
            names,
            scores,
            effects: None,
            effects_95: None,
            probabilities: None,
            q_values: None,
            ranks,
            selected,
            kept: vec![],
            no_evidence: false,
            log_counts: false,
            clusters: None,
            design: None,
            summaries: None,
            shrunken_differences: None,
            shrunken_differences_95: None,
            sign_errors: None,
            at_least_95: None,
            at_least_named_95: None,
            n_expected: None,
            n_expected_95: None,
            n_strong: None,
            n_strong_95: None,
            why: None,
            expected_false: None,
            fraction_irrelevant: None,
            converged: true,
            iterations: 0,
            method,
            seed,
            second_look: None,
            needed: None,
            set_tests: vec![],
            notes: vec![],
            detail: Detail::default(),
        }
    }

    /// The selected features' names, best first.
    pub fn selected_names(&self) -> impl Iterator<Item = &str> {
        self.selected.iter().map(|&i| self.names[i as usize].as_str())
    }

    /// Selects these features too; a note names those the method had not selected.
    pub fn keep(&mut self, features: &[u32]) {
        let mask = self.mask();
        let forced: Vec<u32> = features.iter().copied().filter(|&i| !mask[i as usize]).collect();
        self.selected.extend(&forced);
        self.selected.sort_by_key(|&i| self.ranks[i as usize]);
        self.kept.extend(&forced);
        let names = forced.iter().map(|&i| self.names[i as usize].clone()).collect();
        self.notes.extend(Note::counting(NoteKind::Kept, "{} selected only on request", names));
    }

    /// Selects the best features by rank until there are so many; a note names those the method had not selected.
    pub fn reach(&mut self, least: usize) {
        let mask = self.mask();
        let scored = |i: &u32| !mask[*i as usize] && !self.scores[*i as usize].is_nan();
        let mut others: Vec<u32> = (0..self.names.len() as u32).filter(scored).collect();
        others.sort_by_key(|&i| self.ranks[i as usize]);
        others.truncate(least.saturating_sub(self.selected.len()));
        self.keep(&others);
    }

    /// Which features are selected, by index.
    pub fn mask(&self) -> Vec<bool> {
        let mut mask = vec![false; self.names.len()];
        for &i in &self.selected {
            mask[i as usize] = true;
        }
        mask
    }
}
