//! A selection as one document: written, read and checked here, shown by every front end.

use super::column_values::ColumnValues;
use super::feature_groups::GroupSummary;
use super::feature_table::FeatureTable;
use super::gate_and_noise::{GateSummary, NoiseSummary, rates};
use super::needed_summary::{Beside, FindingSummary};
use super::read_document;
use crate::base::{MethodRecord, Note, Result, Voice, note};
use crate::selection::{DesignFacts, Detail, FactorProbability, RelatedAtAll, SecondLook, Selection, Unsaid};
use crate::table::InputFacts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The version of the format of selections; versions 1 and 2 are still read. Evaluations, models and states have their own.
pub const FORMAT_VERSION: u32 = 3;

/// A selection with the input it was made from. Numbers read back to the same bits; NaN is null.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 50, relevant: 5, ..TwoGroups::default() }.draw(1)?.table;
/// let found = Analysis::default().select(&Data::of_table("drawn", &table), &mut Silent)?;
/// println!("{}", found.result.sentence());
/// let bytes = found.result.to_bytes()?;
/// assert_eq!(SelectionResult::read(&bytes, "result.json")?, found.result);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SelectionResult {
    /// The version of the format.
    pub format_version: u32,
    /// The version of the program.
    pub tamis: String,
    /// The input.
    pub input: InputFacts,
    /// The method and its parameters, resolved.
    pub method: MethodRecord,
    /// The seed.
    pub seed: u64,
    /// Wall-clock seconds, reading included.
    pub seconds: f64,
    /// The most memory the run held, where the system tells.
    #[serde(default)]
    pub peak_bytes: Option<u64>,
    /// The answer in words, a sentence each.
    #[serde(default)]
    pub answer: Vec<String>,
    /// How many features are selected.
    pub n_selected: usize,
    /// Names of those that are selected because the user asked for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// Whether the data give no evidence that any feature matters.
    #[serde(default)]
    pub no_evidence: bool,
    /// Whether features are log₂ counts per million, from a table of counts that was normalised.
    #[serde(default)]
    pub log_counts: bool,
    /// How many of them are expected to be false.
    #[serde(default)]
    pub expected_false: Option<f64>,
    /// At least so many features differ, with 95 % confidence.
    #[serde(default)]
    pub at_least_95: Option<u64>,
    /// At least so many of the selected do, at the same time.
    #[serde(default)]
    pub at_least_named_95: Option<u64>,
    /// How many are expected to matter.
    pub n_expected: Option<f64>,
    /// A 95 % interval for how many matter, where it says something; in version 1, given the fitted prior.
    pub n_expected_95: Option<[u64; 2]>,
    /// How many are expected to matter strongly.
    #[serde(default)]
    pub n_strong: Option<f64>,
    /// A 95 % interval for how many matter strongly.
    #[serde(default)]
    pub n_strong_95: Option<[u64; 2]>,
    /// Why there is no interval, where there could be one.
    #[serde(default)]
    pub why: Option<Unsaid>,
    /// The share of selected features that may be expected to be false, where it decided.
    #[serde(default)]
    pub fdr: Option<f64>,
    /// The share of tables of pure noise on which nothing is selected, where it was asked for.
    #[serde(default)]
    pub quiet: Option<f64>,
    /// Whether there is evidence that anything matters.
    #[serde(default)]
    pub gate: Option<GateSummary>,
    /// The states the noise may be in, where null targets showed them.
    #[serde(default, alias = "correlation")]
    pub noise: Option<NoiseSummary>,
    /// How features were adjusted and variances moderated, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<DesignFacts>,
    /// The fraction that does not matter.
    pub fraction_irrelevant: Option<f64>,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken.
    pub iterations: usize,
    /// Every feature, in input order.
    pub features: FeatureTable,
    /// Groups of features, where they were given: those with the smallest p-value first, then those with most selected
    /// features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feature_groups: Vec<GroupSummary>,
    /// Relations of other kinds that a second look found; they are not selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_look: Option<SecondLook>,
    /// Sets of interchangeable features of which at least one is needed, given the others, where `needed` has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<FindingSummary>>,
    /// Names of features that predict together, the most probable first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub working_set: Vec<String>,
    /// Components of many features that compete with single ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<FactorProbability>,
    /// The share of what single features and factors leave that many tiny effects explain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<f64>,
    /// Whether any feature is related to the target at all, by permuted targets (`needed`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related_at_all: Option<RelatedAtAll>,
    /// Remarks for the user.
    pub notes: Vec<Note>,
    /// Data for plots.
    pub detail: Detail,
}

impl SelectionResult {
    /// A selection with the facts of its input and the seconds it took.
    pub fn new(selection: &Selection, input: InputFacts, seconds: f64) -> Self {
        let (fdr, quiet) = rates(&selection.method);
        let fit = selection.detail.fit.as_ref();
        let needed = selection.needed.as_ref();
        let beside = needed.map(|needed| Beside::of(selection, needed));
        let mut result = SelectionResult {
            format_version: FORMAT_VERSION,
            tamis: env!("CARGO_PKG_VERSION").into(),
            input,
            method: selection.method.clone(),
            seed: selection.seed,
            seconds,
            peak_bytes: peak_memory(),
            answer: vec![],
            n_selected: selection.selected.len(),
            kept: selection.kept.iter().map(|&i| selection.names[i as usize].clone()).collect(),
            no_evidence: selection.no_evidence,
            log_counts: selection.log_counts,
            expected_false: selection.expected_false,
            at_least_95: selection.at_least_95,
            at_least_named_95: selection.at_least_named_95,
            n_expected: selection.n_expected,
            n_expected_95: selection.n_expected_95,
            n_strong: selection.n_strong,
            n_strong_95: selection.n_strong_95,
            why: selection.why,
            fdr,
            quiet,
            gate: fit.and_then(|fit| fit.gate).map(GateSummary::from),
            noise: fit.and_then(|fit| fit.noise.as_ref()).map(NoiseSummary::from),
            design: selection.design.clone(),
            fraction_irrelevant: selection.fraction_irrelevant,
            converged: selection.converged,
            iterations: selection.iterations,
            features: FeatureTable::of(selection),
            feature_groups: vec![],
            second_look: selection.second_look.clone(),
            findings: needed.map(|needed| FindingSummary::all(selection, needed)),
            background: beside.as_ref().map(|beside| beside.background),
            related_at_all: beside.as_ref().map(|beside| beside.related_at_all),
            factors: beside.as_ref().map_or_else(Vec::new, |beside| beside.factors.clone()),
            working_set: beside.map_or_else(Vec::new, |beside| beside.working_set),
            notes: selection.notes.clone(),
            detail: Detail {
                needed: needed.map(|needed| needed.detail.as_saved()).filter(|detail| !detail.chains.is_empty()),
                ..selection.detail.clone()
            },
        };
        result.answer = result.sentences();
        result
    }

    /// The selection in the words of a front end, with those notes first that would change the answer.
    pub fn said(mut self, voice: &dyn Voice) -> SelectionResult {
        self.notes = note::said(self.notes, voice);
        self
    }

    /// The document as it is saved, read back and checked: what is written can be read.
    ///
    /// # Errors
    ///
    /// [`Error::Data`](crate::Error::Data) for a result that has a number which is none.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        read_document::checked_bytes::<Self>(|out| self.write(out), |read| read.fault())
    }

    /// Writes it as JSON.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }

    /// Reads it back and checks that its parts fit together; a file of another kind or of a newer format is refused.
    pub fn read(text: &[u8], file: &str) -> Result<Self> {
        read_document::selection(text, file)
    }

    /// The selected features by position, best rank first.
    pub fn selected(&self) -> Vec<usize> {
        let mut selected: Vec<usize> = (0..self.features.len()).filter(|&i| self.features.selected[i]).collect();
        selected.sort_by_key(|&i| self.features.ranks[i]);
        selected
    }

    /// The selected features in clusters of those that move together, by position, best rank first; none where features
    /// were not compared.
    pub fn clusters(&self) -> Vec<Vec<usize>> {
        let mut clusters = BTreeMap::<u32, Vec<usize>>::new();
        let Some(ColumnValues::Counts(numbers)) = self.features.column("cluster") else { return vec![] };
        for i in self.selected() {
            if let Some(number) = numbers[i] {
                clusters.entry(number).or_default().push(i);
            }
        }
        clusters.into_values().collect()
    }

    /// Whether the probabilities say something: without evidence all are 0 by decree.
    pub fn has_probabilities(&self) -> bool {
        !self.no_evidence && self.features.column("probability").is_some()
    }

    /// The reason why it cannot be shown, if its parts do not fit together.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let n = self.features.len();
        let detail = &self.detail;
        let sized = |len: usize| len == 0 || len == n;
        if self.features.selected.iter().filter(|selected| **selected).count() != self.n_selected {
            return Some("it does not select as many features as it says");
        }
        if let Some(npfs) = &detail.npfs {
            let sizes = [npfs.explained.len(), npfs.p_values.len(), npfs.adjusted.len(), npfs.matrix.len()];
            let inside = npfs.picture.iter().all(|row| (row.index as usize) < n);
            if npfs.counts.len() != n || npfs.frequency.len() != n || !sizes.into_iter().all(sized) || !inside {
                return Some("its bootstraps are of another size");
            }
        }
        if let Some(pairs) = &detail.pairs {
            let listed = pairs.pairs.iter().flat_map(|pair| [pair.first, pair.second]);
            let levels = pairs.levels.iter().map(|levels| levels.index);
            let inside = pairs.partners.iter().flatten().copied().chain(listed).chain(levels).all(|i| (i as usize) < n);
            if pairs.partners.len() != n || pairs.p_values.len() != n || !sized(pairs.gains.len()) || !inside {
                return Some("its pairs are of another size");
            }
        }
        if detail.dependence.as_ref().is_some_and(|found| !found.fits(n)) {
            return Some("its relations are of another size");
        }
        if self.second_look.as_ref().is_some_and(|look| look.indices().any(|i| i as usize >= n)) {
            return Some("its second look is at other features");
        }
        if detail.needed.as_ref().is_some_and(|found| !found.fits(n)) {
            return Some("its chains are of other features");
        }
        if self.findings.iter().flatten().any(|finding| finding.members.is_empty()) {
            return Some("a finding has no member");
        }
        if let Some(steps) = &detail.steps
            && (steps.features.len() != steps.p_values.len() || steps.features.iter().any(|&i| i as usize >= n))
        {
            return Some("its steps are of another size");
        }
        if detail.machines.iter().any(|m| m.theta.len() != n || m.features_left.len() != m.samples_left.len()) {
            return Some("its machines are of another size");
        }
        detail
            .fit
            .as_ref()
            .is_some_and(|fit| !fit.curve.is_even())
            .then_some("the parts of the fitted curve differ in size")
    }
}

/// The most memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb * 1024)
}
