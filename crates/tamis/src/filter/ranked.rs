//! Filters on the numbers themselves: Fisher's score, the trace ratio, L2,1 regression, t and F.

use super::{Found, fisher, l21, resolve_k};
use crate::error::Place;
use crate::method::Entry;
use crate::note::{Note, NoteKind};
use crate::score::{self, Scale, Statistic};
use crate::selection::{Selection, Selector};
use crate::settings::{Auto, Parameter};
use crate::table::{Column, Target, View};
use crate::{Error, Method, Progress, Result};
use serde::{Deserialize, Serialize};

/// The `k` features with the largest score: `t` (Welch for two classes, Pearson for a number), `f`, or the variance
/// between the classes over that within, one by one (`fisher`) or together (`trace-ratio`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RankedFilter {
    /// How many features are chosen; auto: 10, or half of them where there are no more than that.
    pub k: Auto<usize>,
}

/// `l21`: regression on all features at once with row-wise norms of errors and coefficients (Nie et al. 2010), on
/// features of mean 0 and variance 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct L21Filter {
    /// How many features are chosen.
    pub k: Auto<usize>,
    /// What the errors are divided by: larger leaves fewer features.
    pub gamma: f64,
    /// The iteration stops when the objective changes less, relatively.
    pub tol: f64,
    /// Most iterations.
    pub max_iter: usize,
}

impl Default for L21Filter {
    fn default() -> Self {
        L21Filter { k: Auto::Auto, gamma: 1.0, tol: 1e-10, max_iter: 1000 }
    }
}

/// The parameter `k`.
pub(crate) const K: Parameter = Parameter {
    name: "k",
    range: "auto, 1…",
    purpose: "how many features are chosen; auto: 10, or half of them where there are no more than that",
};

const L21: [Parameter; 4] = [
    K,
    Parameter {
        name: "gamma",
        range: "1e-6…1e6",
        purpose: "what errors are divided by: the larger, the fewer features stay",
    },
    Parameter { name: "tol", range: "1e-15…0.1", purpose: "stop when the objective changes less, relatively" },
    Parameter { name: "max_iter", range: "1…10000000", purpose: "most iterations" },
];

/// These methods for the catalogue.
pub fn entries() -> Vec<Entry> {
    let entry = |name, summary, reference, default| Entry {
        name,
        summary,
        number_by: "k",
        cost: "two passes over the table",
        reference,
        parameters: vec![K],
        default,
    };
    let plain = RankedFilter::default;
    vec![
        entry(
            "t",
            "the size of Welch's t for two classes, of Pearson's for a number; scores are z",
            "",
            Method::T(plain()),
        ),
        entry("f", "one-way analysis of variance; scores are z of its tail", "", Method::F(plain())),
        Entry {
            cost: "rows × features × the smaller of both flops",
            ..entry(
                "cat",
                "the size of t after decorrelation, for two classes",
                "Zuber & Strimmer, Gene ranking and biomarker discovery under correlation, Bioinformatics 2009",
                Method::Cat(plain()),
            )
        },
        entry(
            "fisher",
            "variance between the classes over variance within",
            "Duda, Hart & Stork, Pattern Classification, 2001",
            Method::Fisher(plain()),
        ),
        entry(
            "trace-ratio",
            "the set of k features with the largest such ratio together; units matter",
            "Nie et al., Trace ratio criterion for feature selection, AAAI 2008",
            Method::TraceRatio(plain()),
        ),
        Entry {
            name: "l21",
            summary: "regression on all features, errors and coefficients summed by row norms",
            number_by: "k",
            cost: "tens of iterations of rows × features × the smaller of both flops",
            reference: "Nie et al., Efficient and robust feature selection via joint l2,1-norms minimization, NIPS 2010",
            parameters: L21.into(),
            default: Method::L21(L21Filter::default()),
        },
    ]
}

impl RankedFilter {
    /// By the size of t, or by F.
    pub(crate) fn by_score(&self, data: &View, f: bool, progress: &mut dyn Progress) -> Result<Selection> {
        let statistic = match (f, data.target().n_classes()) {
            (true, None) => {
                return Err(Error::parameter(
                    "--method",
                    "f",
                    "it needs classes; pass `--method t`, or `--task classes`",
                ));
            }
            (true, _) => Statistic::F,
            (false, Some(n)) if n > 2 => {
                return Err(Error::parameter(
                    "--method",
                    "t",
                    format!("it needs two classes, and there are {n}; pass `--method f`"),
                ));
            }
            _ => Statistic::Auto,
        };
        let scores = score::compute(data, statistic, Scale::Z, progress)?;
        let method = if f { Method::F(self.clone()) } else { Method::T(self.clone()) };
        let size: Vec<f64> = scores.z.iter().map(|z| if f { *z } else { z.abs() }).collect();
        choose(data, self.k, &size, scores.z, scores.notes, method)
    }

    /// By the size of correlation-adjusted t.
    pub(crate) fn by_cat(&self, data: &View, progress: &mut dyn Progress) -> Result<Selection> {
        progress.step("scoring", 0, 1)?;
        let columns = numbers(data, "cat")?;
        let scores = crate::classify::cat_scores(data)?;
        let mut notes = set_aside(data, |i| !scores[i].is_nan());
        notes.extend(missing_note(data, &columns, "taken as the mean of the others"));
        let size: Vec<f64> = scores.iter().map(|s| s.abs()).collect();
        choose(data, self.k, &size, scores, notes, Method::Cat(self.clone()))
    }

    /// By Fisher's score, or the trace ratio.
    pub(crate) fn by_scatter(&self, data: &View, together: bool, progress: &mut dyn Progress) -> Result<Selection> {
        let name = if together { "trace-ratio" } else { "fisher" };
        let Target::Classes { codes, labels, .. } = data.target() else {
            return Err(Error::parameter(
                "--method",
                name,
                "it needs classes; pass `--task classes`, or another method",
            ));
        };
        progress.step("scoring", 0, 1)?;
        let columns = numbers(data, name)?;
        let scatter = fisher::scatter(&columns, data.rows(), codes, labels.len(), data.weights());
        let mut notes = set_aside(data, |i| scatter[i].between + scatter[i].within > 0.0);
        notes.extend(missing_note(data, &columns, "scored on the rows that have one"));
        let mut size = fisher::fisher(&scatter);
        let perfect: Vec<String> =
            size.iter().zip(data.names().iter()).filter(|(s, _)| s.is_infinite()).map(|(_, n)| n.clone()).collect();
        if !perfect.is_empty() {
            let largest = size.iter().copied().filter(|s| s.is_finite()).fold(1e9, f64::max);
            size.iter_mut().filter(|s| s.is_infinite()).for_each(|s| *s = largest);
            let text = "no variance is left once the class is known; check that it does not simply repeat the target";
            notes.push(Note::about(NoteKind::PerfectSeparation, text, perfect));
        }
        if !together {
            return choose(data, self.k, &size.clone(), size, notes, Method::Fisher(self.clone()));
        }
        let usable = size.iter().filter(|s| !s.is_nan()).count();
        if usable == 0 {
            return Err(nothing_varies());
        }
        let (k, note) = resolve_k(self.k, usable)?;
        notes.extend(note);
        let (order, _) = fisher::trace_ratio(&scatter, k);
        let method = Method::TraceRatio(RankedFilter { k: Auto::Set(k) });
        let order = order.into_iter().map(|i| i as u32).collect();
        Ok(Found { order, scores: size, notes }.into_selection(data, method))
    }
}

impl Selector for L21Filter {
    fn select(&self, data: &View, progress: &mut dyn Progress) -> Result<Selection> {
        self.validate()?;
        let columns = numbers(data, "l21")?;
        let rows = data.rows();
        let weights: Vec<f64> = rows.iter().map(|&r| data.weights().map_or(1.0, |w| w[r as usize])).collect();
        let standardised: Vec<Option<Vec<f64>>> = columns.iter().map(|x| standardise(x, rows, &weights)).collect();
        let mut notes = set_aside(data, |i| standardised[i].is_some());
        notes.extend(missing_note(data, &columns, "taken as the feature's mean"));
        let used: Vec<u32> = (0..columns.len() as u32).filter(|&i| standardised[i as usize].is_some()).collect();
        let x: Vec<Vec<f64>> = standardised.into_iter().flatten().collect();
        let (k, note) = resolve_k(self.k, x.len())?;
        notes.extend(note);
        let y: Vec<Vec<f64>> = match data.target() {
            Target::Classes { codes, labels, .. } => (0..labels.len() as u32)
                .map(|class| rows.iter().map(|&r| f64::from(u8::from(codes[r as usize] == class))).collect())
                .collect(),
            Target::Real { values } => standardise(values, rows, &weights).into_iter().collect(),
        };
        let options = l21::Options { gamma: self.gamma, tol: self.tol, max_iter: self.max_iter };
        let fitted = l21::fit(&x, &y, &weights, options, progress)?;
        let mut scores = vec![f64::NAN; columns.len()];
        used.iter().zip(&fitted.norms).for_each(|(&i, norm)| scores[i as usize] = *norm);
        let method = Method::L21(L21Filter { k: Auto::Set(k), ..self.clone() });
        let mut selection = choose(data, Auto::Set(k), &scores.clone(), scores, notes, method)?;
        (selection.converged, selection.iterations) = (fitted.converged, fitted.iterations);
        if !fitted.converged {
            let text = format!("not converged after {} iterations; raise `max_iter` or `tol`", fitted.iterations);
            selection.notes.push(Note::new(NoteKind::NotConverged, text));
        }
        Ok(selection)
    }
}

impl L21Filter {
    pub(crate) fn validate(&self) -> Result<()> {
        let check = |name, value: f64, low: f64, high: f64| {
            let expected = format!("it takes {low:e}…{high:e}");
            if (low..=high).contains(&value) { Ok(()) } else { Err(Error::parameter(name, value, expected)) }
        };
        check("gamma", self.gamma, 1e-6, 1e6)?;
        check("tol", self.tol, 1e-15, 0.1)?;
        check("max_iter", self.max_iter as f64, 1.0, 1e7)
    }
}

/// The `k` features of the largest `size`; the first in order among equals.
fn choose(
    data: &View,
    k: Auto<usize>,
    size: &[f64],
    scores: Vec<f64>,
    mut notes: Vec<Note>,
    method: Method,
) -> Result<Selection> {
    let mut order: Vec<u32> = (0..size.len() as u32).filter(|&i| !size[i as usize].is_nan()).collect();
    if order.is_empty() {
        return Err(nothing_varies());
    }
    let (k, note) = resolve_k(k, order.len())?;
    notes.extend(note);
    order.sort_by(|&a, &b| size[b as usize].total_cmp(&size[a as usize]).then(a.cmp(&b)));
    order.truncate(k);
    let mut selection = Found { order, scores: size.to_vec(), notes }.into_selection(data, method.with_k(k));
    selection.scores = scores;
    Ok(selection)
}

fn nothing_varies() -> Error {
    let problem = "no feature can be scored: every one is constant or has too few values";
    Error::data(Place::default(), problem, "check that the right columns and rows are read")
}

/// The columns, which must be numbers.
fn numbers<'a>(data: &View<'a>, method: &str) -> Result<Vec<&'a [f64]>> {
    let number = |(column, name): (&'a Column, &String)| {
        column.numbers().ok_or_else(|| {
            let remedy = format!("`{method}` needs numbers; pass `--drop {name}`, or a method such as jmi");
            Error::data(Place::default().at_column(name), "it holds categories", remedy)
        })
    };
    data.columns().iter().zip(data.names().iter()).map(number).collect()
}

/// A note of the features that have gaps, but not only gaps.
fn missing_note(data: &View, columns: &[&[f64]], how: &str) -> Option<Note> {
    let gaps = |x: &[f64]| data.rows().iter().filter(|&&r| x[r as usize].is_nan()).count();
    let some = |x: &[f64]| (1..data.rows().len()).contains(&gaps(x));
    let named: Vec<String> =
        columns.iter().zip(data.names().iter()).filter(|(x, _)| some(x)).map(|(_, n)| n.clone()).collect();
    let text = if named.len() == 1 { "1 feature".into() } else { format!("{} features", named.len()) };
    let note = || Note::about(NoteKind::MissingValues, format!("{text} with missing values, {how}"), named.clone());
    (!named.is_empty()).then(note)
}

/// A note of the features that have one value only.
fn set_aside(data: &View, usable: impl Fn(usize) -> bool) -> Vec<Note> {
    let names = data.names();
    let constant: Vec<String> = (0..names.len()).filter(|&i| !usable(i)).map(|i| names[i].clone()).collect();
    if constant.is_empty() {
        return vec![];
    }
    let text = if constant.len() == 1 { "1 feature".into() } else { format!("{} features", constant.len()) };
    vec![Note::about(NoteKind::ConstantFeature, format!("{text} with a single value set aside"), constant)]
}

/// Mean 0 and variance 1, missing values at the mean; `None` without variance.
fn standardise(x: &[f64], rows: &[u32], weights: &[f64]) -> Option<Vec<f64>> {
    let size = rows.iter().map(|&r| x[r as usize].abs()).fold(0.0, f64::max);
    let unit = crate::score::moments::scale_to_one(size); // squares stay in range
    let known = || rows.iter().zip(weights).map(|(&r, w)| (x[r as usize] * unit, *w)).filter(|(x, _)| !x.is_nan());
    let total: f64 = known().map(|(_, w)| w).sum();
    let mean = known().map(|(x, w)| x * w).sum::<f64>() / total;
    let variance = known().map(|(x, w)| (x - mean).powi(2) * w).sum::<f64>() / total;
    let sd = variance.sqrt();
    if !(sd > 1e-300 && sd.is_finite()) || sd <= 1e-14 * mean.abs() {
        return None;
    }
    Some(rows.iter().map(|&r| if x[r as usize].is_nan() { 0.0 } else { (x[r as usize] * unit - mean) / sd }).collect())
}
