//! A selection as one document: written, read and checked here, shown by every front end.

use super::feature_groups::GroupSummary;
use super::gate_and_correlation::{CorrelationSummary, GateSummary, rates};
use super::read_document;
use crate::base::{MethodRecord, Note, NoteKind, Result};
use crate::score::FeatureSummaries;
use crate::selection::detail::RelationKind;
use crate::selection::{DesignFacts, Detail, SecondLook, Selection};
use crate::table::InputFacts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The version of the format of selections; version 1 is still read. Evaluations, models and states have their own.
pub const FORMAT_VERSION: u32 = 2;

/// A selection with the input it was made from. Numbers read back to the same bits; NaN is null.
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
    /// How many features are selected.
    pub n_selected: usize,
    /// How many of them are expected to be false.
    #[serde(default)]
    pub expected_false: Option<f64>,
    /// How many are expected to matter.
    pub n_expected: Option<f64>,
    /// A 95 % interval for how many matter; in version 1, given the fitted prior.
    pub n_expected_95: Option<[u64; 2]>,
    /// A 95 % interval for how many matter strongly.
    #[serde(default)]
    pub n_strong_95: Option<[u64; 2]>,
    /// The share of selected features that may be expected to be false, where it decided.
    #[serde(default)]
    pub fdr: Option<f64>,
    /// The share of tables of pure noise on which nothing is selected, where it was asked for.
    #[serde(default)]
    pub quiet: Option<f64>,
    /// Whether there is evidence that anything matters.
    #[serde(default)]
    pub gate: Option<GateSummary>,
    /// How features are correlated, where null targets showed it.
    #[serde(default)]
    pub correlation: Option<CorrelationSummary>,
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
    pub features: Vec<Feature>,
    /// Groups of features, where they were given, those with most selected features first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feature_groups: Vec<GroupSummary>,
    /// Relations of other kinds that a second look found; they are not selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_look: Option<SecondLook>,
    /// Remarks for the user.
    pub notes: Vec<Note>,
    /// Data for plots.
    pub detail: Detail,
}

/// A feature as it is saved.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Feature {
    /// Position in the input, from 0.
    pub index: usize,
    /// Name.
    pub name: String,
    /// The columns of the input that it stands for, where it is not one itself: one-hot columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Score; null where it has none.
    pub score: Option<f64>,
    /// Estimated effect, where the method has one.
    pub effect: Option<f64>,
    /// The probability that it matters, where the method has one.
    pub probability: Option<f64>,
    /// The expected share of false discoveries down to this feature.
    pub q_value: Option<f64>,
    /// 1 for the best.
    pub rank: u32,
    /// Whether it is selected.
    pub selected: bool,
    /// How many rows the score rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u32>,
    /// The statistic behind the score: t, or F for several classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// Its (second) degrees of freedom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
    /// The probability of a score at least as extreme where the feature does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// The mean of every class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mean: BTreeMap<String, f64>,
    /// Of several classes the one whose mean stands out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_out: Option<String>,
    /// Positive class minus reference in the feature's unit, or change per unit of a numeric target; of several classes,
    /// the one that stands out minus the reference, or minus all other rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// The lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference_low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference_high: Option<f64>,
    /// The difference shrunk as the score was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunken_difference: Option<f64>,
    /// The lower end of its 95 % interval, where estimates came with standard errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunken_difference_low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunken_difference_high: Option<f64>,
    /// The probability that the effect has not the more likely sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lfsr: Option<f64>,
    /// The number of its cluster of correlated features, 1 for that of the best rank; null if it is not selected or was
    /// not compared.
    #[serde(default)]
    pub cluster: Option<u32>,
    /// How it is related to the target, where the method says.
    #[serde(default)]
    pub kind: Option<RelationKind>,
    /// The name of the feature together with which it is.
    #[serde(default)]
    pub partner: Option<String>,
}

impl Feature {
    /// What is known about a feature beside its score.
    fn of_detail(selection: &Selection, index: usize) -> Feature {
        let feature = Feature::of_summary(selection.summaries.as_ref(), index);
        let scored = !selection.scores[index].is_nan();
        if let Some(pairs) = selection.detail.pairs.as_ref().filter(|_| scored) {
            let partner = pairs.partners[index].map(|partner| selection.names[partner as usize].clone());
            return Feature { partner, p_value: Some(pairs.p_values[index]), ..feature };
        }
        let Some(found) = &selection.detail.dependence else { return feature };
        Feature {
            kind: found.kinds[index],
            partner: found.partners[index].map(|partner| selection.names[partner as usize].clone()),
            p_value: scored.then_some(found.p_values[index]),
            ..feature
        }
    }

    /// What is known about a feature in its own units.
    fn of_summary(summaries: Option<&FeatureSummaries>, index: usize) -> Feature {
        let Some(FeatureSummaries { classes, features, .. }) = summaries else { return Feature::default() };
        let summary = &features[index];
        let known = |x: f64| (!x.is_nan()).then_some(x);
        let means = classes.iter().cloned().zip(summary.means.iter().copied()).filter(|(_, mean)| !mean.is_nan());
        Feature {
            n: Some(summary.rows),
            statistic: known(summary.statistic),
            df: known(summary.df),
            p_value: known(summary.p_value),
            mean: means.collect(),
            stands_out: summary.stands_out.map(|class| classes[class as usize].clone()),
            difference: known(summary.difference),
            difference_low: known(summary.low),
            difference_high: known(summary.high),
            ..Feature::default()
        }
    }
}

impl SelectionResult {
    /// A selection with the facts of its input and the seconds it took.
    pub fn new(selection: &Selection, input: InputFacts, seconds: f64) -> Self {
        let mask = selection.mask();
        let clusters = cluster_numbers(selection);
        let known = |x: f64| (!x.is_nan()).then_some(x);
        let pick = |values: &Option<Vec<f64>>, i: usize| values.as_ref().and_then(|v| known(v[i]));
        let end =
            |which: usize, i: usize| selection.shrunken_differences_95.as_ref().and_then(|ends| known(ends[which][i]));
        let features = (0..selection.names.len())
            .map(|i| Feature {
                index: i,
                name: selection.names[i].clone(),
                score: known(selection.scores[i]),
                effect: pick(&selection.effects, i),
                probability: pick(&selection.probabilities, i),
                q_value: pick(&selection.q_values, i),
                rank: selection.ranks[i],
                selected: mask[i],
                cluster: clusters[i],
                shrunken_difference: pick(&selection.shrunken_differences, i),
                shrunken_difference_low: end(0, i),
                shrunken_difference_high: end(1, i),
                lfsr: pick(&selection.sign_errors, i),
                ..Feature::of_detail(selection, i)
            })
            .collect();
        let (fdr, quiet) = rates(&selection.method);
        let fit = selection.detail.fit.as_ref();
        SelectionResult {
            format_version: FORMAT_VERSION,
            tamis: env!("CARGO_PKG_VERSION").into(),
            input,
            method: selection.method.clone(),
            seed: selection.seed,
            seconds,
            peak_bytes: peak_memory(),
            n_selected: selection.selected.len(),
            expected_false: selection.expected_false,
            n_expected: selection.n_expected,
            n_expected_95: selection.n_expected_95,
            n_strong_95: selection.n_strong_95,
            fdr,
            quiet,
            gate: fit.and_then(|fit| fit.gate).map(GateSummary::from),
            correlation: fit.and_then(|fit| fit.correlation.as_ref()).map(CorrelationSummary::from),
            design: selection.design.clone(),
            fraction_irrelevant: selection.fraction_irrelevant,
            converged: selection.converged,
            iterations: selection.iterations,
            features,
            feature_groups: vec![],
            second_look: selection.second_look.clone(),
            notes: selection.notes.clone(),
            detail: selection.detail.clone(),
        }
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
        let mut selected: Vec<usize> = (0..self.features.len()).filter(|&i| self.features[i].selected).collect();
        selected.sort_by_key(|&i| self.features[i].rank);
        selected
    }

    /// The selected features in clusters of correlated ones, by position, best rank first; none where features were not
    /// compared.
    pub fn clusters(&self) -> Vec<Vec<usize>> {
        let mut clusters = BTreeMap::<u32, Vec<usize>>::new();
        for i in self.selected() {
            if let Some(number) = self.features[i].cluster {
                clusters.entry(number).or_default().push(i);
            }
        }
        clusters.into_values().collect()
    }

    /// Whether the probabilities say something: without evidence all are 0 by decree.
    pub fn has_probabilities(&self) -> bool {
        !self.lacks_evidence() && self.features.iter().any(|f| f.probability.is_some())
    }

    /// Whether there is no evidence that any feature matters.
    pub(crate) fn lacks_evidence(&self) -> bool {
        self.notes.iter().any(|note| note.kind == NoteKind::NoEvidence)
    }

    /// Names of the features that are selected because the user asked for them.
    pub fn kept(&self) -> Vec<&str> {
        let kept = self.notes.iter().filter(|note| note.kind == NoteKind::Kept);
        kept.flat_map(|note| note.features.iter().map(String::as_str)).collect()
    }

    /// The reason why it cannot be shown, if its parts do not fit together.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let n = self.features.len();
        let detail = &self.detail;
        let sized = |len: usize| len == 0 || len == n;
        if self.features.iter().enumerate().any(|(i, f)| f.index != i) {
            return Some("features are not in order");
        }
        if self.features.iter().filter(|f| f.selected).count() != self.n_selected {
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

/// The number of each feature's cluster, from 1.
fn cluster_numbers(selection: &Selection) -> Vec<Option<u32>> {
    let mut numbers = vec![None; selection.names.len()];
    for (number, cluster) in (1..).zip(selection.clusters.iter().flatten()) {
        cluster.iter().for_each(|&i| numbers[i as usize] = Some(number));
    }
    numbers
}

/// The most memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb * 1024)
}
