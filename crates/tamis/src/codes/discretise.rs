//! Columns as small whole numbers: where to cut is learned once, on the rows at hand, and serves any other rows.

use crate::base::error::Place;
use crate::base::note::{Note, NoteKind};

use crate::base::{Error, OptionName, Progress, Result, text};
use crate::codes::coded_table::{CodeStore, CodedTable, without_gaps};
use crate::codes::column_coding::{ColumnCoding, MOST_LEVELS, code};
use crate::codes::mdl;
use crate::table::{Categories, Column, MISSING, RowWeights, Target, View};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How columns of numbers are cut. Columns of categories keep their categories, whatever this says.
///
/// ```
/// use tamis::prelude::*;
///
/// let mut filter = Mim::default();
/// filter.filter.discretise = Discretise::Frequency;
/// let table = TwoGroups { features: 20, relevant: 3, ..TwoGroups::default() }.draw(1)?.table;
/// assert_eq!(filter.select(&table.view(), &mut Context::default())?.selected.len(), 10);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Discretise {
    /// Bins of equal width between the smallest and the largest value.
    #[default]
    Width,
    /// Bins of about equal numbers of rows; equal values are never split.
    Frequency,
    /// As many bins as the classes justify, by description length (Fayyad & Irani 1993).
    Mdl,
    /// Every value is a level of its own.
    Categories,
}

impl Discretise {
    /// Whether the number of bins is chosen by the user.
    pub(crate) fn has_bins(self) -> bool {
        matches!(self, Discretise::Width | Discretise::Frequency)
    }
}

impl CodedTable {
    /// Learns how to cut every column of a view and codes it. Columns of one value are set aside.
    ///
    /// Cost: a sort of every column for `frequency`, `mdl` and `categories`, a pass for `width`; one byte per cell.
    pub fn learn(data: &View, discretise: Discretise, bins: usize, progress: &mut dyn Progress) -> Result<CodedTable> {
        if !(2..MOST_LEVELS).contains(&bins) {
            return Err(Error::parameter("bins", bins, "it takes 2 to 255"));
        }
        let rows = data.rows();
        let weights = data
            .weights()
            .map(|w| RowWeights { values: rows.iter().map(|&r| w[r as usize]).collect(), kind: data.weight_kind() });
        let by_row = weights.as_ref().map(|weights| weights.values.as_slice());
        let (target, classes) = target_codes(data, bins, by_row)?;
        let learner = CodingLearner { discretise, bins, rows, weights: by_row, target: &target, classes };
        let names = data.names();
        let mut all = Vec::new();
        let mut codes = CodedTable {
            store: CodeStore::Memory(vec![]),
            rows: rows.len(),
            features: vec![],
            codings: vec![],
            levels: 1,
            target: vec![],
            classes,
            weights: None,
            notes: vec![],
        };
        let (mut constant, mut missing) = (vec![], vec![]);
        let (mut fewest, mut most) = (usize::MAX, 0);
        const BATCH: usize = 512;
        for from in (0..data.n_features()).step_by(BATCH) {
            progress.step("discretising", from as u64, data.n_features() as u64)?;
            let batch = from..(from + BATCH).min(data.n_features());
            let learned: Vec<Result<LearnedCoding>> =
                batch.clone().into_par_iter().map(|at| learner.column(&data.column(at), &names[at])).collect();
            for (feature, learned) in batch.zip(learned) {
                let LearnedCoding { coding, codes: column, occurring, has_missing } = learned?;
                if occurring < 2 {
                    constant.push(names[feature].clone());
                    continue;
                }
                if has_missing {
                    missing.push(names[feature].clone());
                }
                (fewest, most) = (fewest.min(occurring), most.max(occurring));
                codes.levels = codes.levels.max(column.iter().copied().max().map_or(1, |c| usize::from(c) + 1));
                all.extend(column);
                codes.features.push(feature as u32);
                codes.codings.push(coding);
            }
        }
        codes.check_any()?;
        codes.store = CodeStore::Memory(all);
        codes.notes = notes(constant, missing, (fewest, most), discretise);
        (codes.target, codes.weights) = (target, weights);
        Ok(codes)
    }
}

/// Where numbers are cut, by the definition of each way; `target` has a class below `classes` per number.
pub fn cuts(values: &[f64], target: &[u8], classes: usize, discretise: Discretise, bins: usize) -> Vec<f64> {
    let rows: Vec<u32> = (0..values.len() as u32).collect();
    CodingLearner { discretise, bins, rows: &rows, weights: None, target, classes }.cuts(values)
}

/// Notes on codes: features set aside, missing values, and numbers of levels that differ much.
pub(crate) fn notes(
    constant: Vec<String>,
    missing: Vec<String>,
    (fewest, most): (usize, usize),
    how: Discretise,
) -> Vec<Note> {
    let mut notes = Vec::new();
    notes.extend(match how {
        Discretise::Mdl => {
            let text = "{} with a single value, or without a cut that the classes justify, set aside";
            Note::counting(NoteKind::ConstantFeature, text, constant)
        }
        _ => Note::constant(constant),
    });
    notes.extend(Note::counting(NoteKind::MissingValues, MISSING_IS_A_LEVEL, missing));
    if most > 2 * fewest {
        let bins = || OptionName::from("bins");
        let by_frequency = || OptionName::from("discretise").set("frequency");
        let remedy = match how {
            Discretise::Frequency => text!["lower ", bins()],
            Discretise::Categories => text!["set ", by_frequency()],
            _ => text!["set ", by_frequency(), ", or lower ", bins()],
        };
        let problem = format!(
            "features have {fewest} to {most} levels, and mutual information favours features with many levels; "
        );
        let text = text![problem, remedy];
        notes.push(Note::new(NoteKind::MixedLevels, text));
    }
    notes
}

/// What is done with missing values where they are coded.
pub(crate) const MISSING_IS_A_LEVEL: &str = "{} with missing values, which form a level of their own";

/// Parameters and rows for learning the cuts of a column.
struct CodingLearner<'a> {
    discretise: Discretise,
    bins: usize,
    rows: &'a [u32],
    /// By position in `rows`, as `target` is.
    weights: Option<&'a [f64]>,
    target: &'a [u8],
    classes: usize,
}

struct LearnedCoding {
    coding: ColumnCoding,
    codes: Vec<u8>,
    /// How many levels occur.
    occurring: usize,
    has_missing: bool,
}

impl CodingLearner<'_> {
    fn column(&self, column: &Column, name: &str) -> Result<LearnedCoding> {
        let has_missing = self.rows.iter().any(|&r| column.is_missing(r as usize));
        let coding = match column {
            Column::Numbers(values) => ColumnCoding::Cuts(self.useful_cuts(values)),
            Column::Categories(c) => ColumnCoding::Labels(self.labels(c)),
        };
        coding.check_levels(has_missing, name)?;
        let codes = coding.encode(column, self.rows).expect("a coding fits the column it was learned from");
        let (codes, occurring) = without_gaps(codes);
        Ok(LearnedCoding { coding, codes, occurring, has_missing })
    }

    /// The categories that occur, sorted as they are in the column.
    fn labels(&self, column: &Categories) -> Vec<String> {
        let mut occurs = vec![false; column.labels().len()];
        for &row in self.rows {
            let code = column.codes()[row as usize];
            if code != MISSING {
                occurs[code as usize] = true;
            }
        }
        column.labels().iter().zip(occurs).filter(|(_, occurs)| *occurs).map(|(label, _)| label.clone()).collect()
    }

    fn cuts(&self, values: &[f64]) -> Vec<f64> {
        if self.discretise == Discretise::Width {
            let known = self.rows.iter().map(|&r| values[r as usize]).filter(|x| !x.is_nan());
            let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            return width(low, high, self.bins);
        }
        let weight = |at: usize| self.weights.map_or(1.0, |w| w[at]);
        let mut sorted: Vec<(f64, f64, u8)> = self
            .rows
            .iter()
            .enumerate()
            .map(|(at, &r)| (values[r as usize], weight(at), self.target[at]))
            .filter(|(x, ..)| !x.is_nan())
            .collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        match self.discretise {
            Discretise::Mdl => mdl::cuts(&sorted, self.classes),
            Discretise::Categories => {
                sorted.dedup_by(|b, a| a.0 == b.0);
                sorted.iter().skip(1).map(|(x, ..)| *x).collect()
            }
            _ => frequency(&sorted.iter().map(|(x, w, _)| (*x, *w)).collect::<Vec<_>>(), self.bins),
        }
    }

    /// Cuts of a column; if most values equal the smallest and every cut of equal frequency falls on it, the others are
    /// a
    /// level of their own: a column that varies is never taken as constant.
    fn useful_cuts(&self, values: &[f64]) -> Vec<f64> {
        let cuts = self.cuts(values);
        if !cuts.is_empty() || self.discretise != Discretise::Frequency {
            return cuts;
        }
        let known = || self.rows.iter().map(|&r| values[r as usize]).filter(|x| !x.is_nan());
        let smallest = known().fold(f64::INFINITY, f64::min);
        let next = known().filter(|x| *x > smallest).fold(f64::INFINITY, f64::min);
        if next.is_finite() { vec![next] } else { cuts }
    }
}

/// Cuts at equal distances between `low` and `high`.
pub(crate) fn width(low: f64, high: f64, bins: usize) -> Vec<f64> {
    // a range that is no number in f64 is spanned from both ends
    let at = |j: usize| {
        let t = j as f64 / bins as f64;
        let range = high - low;
        if range.is_finite() { low + range * t } else { low * (1.0 - t) + high * t }
    };
    if low < high { (1..bins).map(at).collect() } else { vec![] }
}

/// Cuts at the sorted values of rank ⌈jN/bins⌉ (from 0), each once, none at the smallest value. `sorted` has values
/// with weights, a weight of 3 standing for three equal values.
pub(crate) fn frequency(sorted: &[(f64, f64)], bins: usize) -> Vec<f64> {
    let Some(&(smallest, _)) = sorted.first() else { return vec![] };
    let total: f64 = sorted.iter().map(|(_, w)| w).sum();
    let whole = sorted.iter().all(|(_, w)| w.fract() == 0.0);
    let (mut at, mut below) = (0, sorted[0].1); // the weight of everything up to and with `at`
    let mut cuts: Vec<f64> = Vec::new();
    for j in 1..bins {
        let rank = j as f64 * total / bins as f64;
        let rank = if whole { ((j as f64 * total) / bins as f64).ceil().min(total - 1.0) } else { rank };
        while below <= rank && at + 1 < sorted.len() {
            at += 1;
            below += sorted[at].1;
        }
        let cut = sorted[at].0;
        if cut > smallest && cuts.last() != Some(&cut) {
            cuts.push(cut);
        }
    }
    cuts
}

/// The target as classes: a number is cut into bins of equal frequency.
fn target_codes(data: &View, bins: usize, weights: Option<&[f64]>) -> Result<(Vec<u8>, usize)> {
    data.target().refuse_survival("a method on discretised columns")?;
    match data.target() {
        Target::Classes { codes, labels, .. } => {
            check_classes(labels.len())?;
            Ok((data.rows().iter().map(|&r| codes[r as usize] as u8).collect(), labels.len()))
        }
        Target::Real { values } | Target::Survival { times: values, .. } => {
            let mut sorted: Vec<(f64, f64)> = data
                .rows()
                .iter()
                .enumerate()
                .map(|(at, &r)| (values[r as usize], weights.map_or(1.0, |w| w[at])))
                .collect();
            sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let cuts = frequency(&sorted, bins);
            Ok((data.rows().iter().map(|&r| code(&cuts, values[r as usize])).collect(), cuts.len() + 1))
        }
    }
}

/// Refuses more classes than a byte can tell apart.
pub(crate) fn check_classes(classes: usize) -> Result<()> {
    if classes <= MOST_LEVELS {
        return Ok(());
    }
    let problem = format!("the target has {classes} classes; at most {MOST_LEVELS} are possible");
    Err(Error::data(Place::default(), problem, text!["join classes, or pass ", OptionName::Method.set("snbl")]))
}
