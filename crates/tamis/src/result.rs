//! The result file: everything a run found, and what is needed to repeat it.

use crate::error::Place;
use crate::note::{Note, NoteKind};
use crate::selection::{Detail, Selection};
use crate::table::{Target, View};
use crate::{Error, Method, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The version of the format that is written; a reader refuses a newer one.
pub const FORMAT_VERSION: u32 = 1;

/// A selection as it is saved. Numbers read back to the same bits; NaN is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedSelection {
    /// The version of the format.
    pub format_version: u32,
    /// The version of the program.
    pub tamis: String,
    /// What was read.
    pub input: InputFacts,
    /// The method and its parameters, resolved.
    pub method: Method,
    /// The seed.
    pub seed: u64,
    /// Wall-clock seconds, reading included.
    pub seconds: f64,
    /// The most memory the run held, where the system tells.
    #[serde(default)]
    pub peak_bytes: Option<u64>,
    /// How many features are selected.
    pub n_selected: usize,
    /// How many are expected to matter.
    pub n_expected: Option<f64>,
    /// A 95 % interval for that.
    pub n_expected_95: Option<[u64; 2]>,
    /// The fraction that does not matter.
    pub fraction_irrelevant: Option<f64>,
    /// Whether the iteration reached its tolerance.
    pub converged: bool,
    /// Iterations taken.
    pub iterations: usize,
    /// Every feature, in input order.
    pub features: Vec<Feature>,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// What plots need.
    pub detail: Detail,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct InputFacts {
    /// The file as named by the user.
    pub file: String,
    /// Rows that were used.
    pub rows: usize,
    /// Features there are.
    pub features: usize,
    /// The target's name (for `shrink`, the column of scores).
    pub target: String,
    /// How many rows each class has; absent for a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<BTreeMap<String, u64>>,
    /// The positive class, where there are two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
}

impl InputFacts {
    /// The facts of a view of a table.
    pub fn of(file: impl Into<String>, target_name: &str, data: &View) -> Self {
        let (classes, positive) = match data.target() {
            Target::Classes { labels, positive, .. } => (
                Some(labels.iter().cloned().zip(data.class_counts()).collect()),
                (labels.len() == 2).then(|| labels[*positive as usize].clone()),
            ),
            Target::Real { .. } => (None, None),
        };
        InputFacts {
            file: file.into(),
            rows: data.rows().len(),
            features: data.names().len(),
            target: target_name.into(),
            classes,
            positive,
        }
    }
}

/// A feature as it is saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Position in the input, from 0.
    pub index: usize,
    /// Name.
    pub name: String,
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
}

impl SavedSelection {
    /// A selection with what it was made from.
    pub fn new(selection: &Selection, input: InputFacts, seconds: f64) -> Self {
        let peak_bytes = peak_memory();
        let mask = selection.mask();
        let known = |x: f64| (!x.is_nan()).then_some(x);
        let pick = |values: &Option<Vec<f64>>, i: usize| values.as_ref().and_then(|v| known(v[i]));
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
            })
            .collect();
        SavedSelection {
            format_version: FORMAT_VERSION,
            tamis: env!("CARGO_PKG_VERSION").into(),
            input,
            method: selection.method.clone(),
            seed: selection.seed,
            seconds,
            peak_bytes,
            n_selected: selection.selected.len(),
            n_expected: selection.n_expected,
            n_expected_95: selection.n_expected_95,
            fraction_irrelevant: selection.fraction_irrelevant,
            converged: selection.converged,
            iterations: selection.iterations,
            features,
            notes: selection.notes.clone(),
            detail: selection.detail.clone(),
        }
    }

    /// The answer in one sentence.
    pub fn sentence(&self) -> String {
        let counts = (self.n_selected, self.features.len());
        sentence(&self.method, &self.notes, counts, self.n_expected.zip(self.n_expected_95))
    }

    /// Writes it as JSON.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }

    /// Reads it back; a file of another kind or of a newer format is refused.
    pub fn read(text: &[u8], file: &str) -> Result<Self> {
        let refuse = |problem: String, remedy: &str| Error::data(Place::file(file), problem, remedy);
        let value: serde_json::Value = serde_json::from_slice(text)
            .map_err(|e| refuse(format!("it is not JSON ({e})"), "give a file written by `--json`"))?;
        match value.get("format_version").and_then(serde_json::Value::as_u64) {
            Some(v) if v <= u64::from(FORMAT_VERSION) => {}
            Some(v) => {
                return Err(refuse(format!("it has format version {v}, newer than {FORMAT_VERSION}"), "update tamis"));
            }
            None => return Err(refuse("it is not a tamis result".into(), "give a file written by `--json`")),
        }
        serde_json::from_value(value)
            .map_err(|e| refuse(format!("it is not a selection ({e})"), "give a file written by `--json`"))
    }
}

/// "117 of 6033 features can be named; about 440 are expected to matter (95 % given the fit: 405–476)".
pub(crate) fn sentence(
    method: &Method,
    notes: &[Note],
    (n_selected, features): (usize, usize),
    expected: Option<(f64, [u64; 2])>,
) -> String {
    let kept = notes.iter().filter(|note| note.kind == NoteKind::Kept).map(|note| note.features.len()).sum::<usize>();
    let (n, k) = (n_selected - kept.min(n_selected), features);
    if notes.iter().any(|note| note.kind == NoteKind::NoEvidence) {
        return format!(
            "no evidence that any feature matters: 0 of {k} features can be named, about 0 are expected to matter"
        );
    }
    let by = Method::find(method.name()).map_or("", |entry| entry.number_by);
    let mut text = match (by, n) {
        ("k", _) => format!("{n} of {k} features chosen"),
        (_, 0) if expected.is_none() => format!("no feature stands out: 0 of {k} can be named"),
        _ => format!("{n} of {k} features can be named"),
    };
    if kept > 0 {
        text.push_str(&format!(", and {kept} kept because you asked for it"));
    }
    if let Some((expected, [low, high])) = expected {
        let about = if expected >= 10.0 { format!("{expected:.0}") } else { format!("{expected:.1}") };
        text.push_str(&format!("; about {about} are expected to matter (95 % given the fit: {low}–{high})"));
    }
    text
}

/// The most memory this process has held, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb * 1024)
}
