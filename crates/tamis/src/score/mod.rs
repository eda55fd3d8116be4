//! Scores: one number per feature that is N(0, 1) where the feature has nothing to do with the target.
//!
//! | target | `score=auto` | z |
//! | --- | --- | --- |
//! | two classes | [`Statistic::Welch`] t, positive minus negative class, SNBL eq. (1) | t through its degrees of freedom |
//! | several classes | [`Statistic::F`], one-way analysis of variance | p-value, one-sided |
//! | a number | [`Statistic::Pearson`] correlation | r → t → z |
//!
//! A feature uses its own non-missing rows. One without variance has no score (NaN) and is named in a
//! note; one that separates the classes with no variance at all gets the largest finite score.
//!
//! Cost: two passes over each column while it is in cache; columns in parallel.

pub mod comoments;
pub mod moments;
mod statistic;

pub use moments::Moments;
pub use statistic::{Scale, Statistic};

use crate::note::{Note, NoteKind};
use crate::table::{Target, View};
use crate::{Error, Progress, Result};
use comoments::CoMoments;
use moments::Grouped;
use rayon::prelude::*;
use statistic::Outcome;

/// Columns between two progress reports.
const BATCH: usize = 4096;

/// A score for every feature.
#[derive(Debug, Clone)]
pub struct Scores {
    /// The score of each feature; NaN where it has none.
    pub z: Vec<f64>,
    /// How many rows each feature's score rests on.
    pub rows: Vec<u32>,
    /// The statistic that was used, `auto` resolved.
    pub statistic: Statistic,
    /// What was set aside, and why.
    pub notes: Vec<Note>,
}

/// Scores every feature of `data` against its target.
pub fn compute(data: &View, statistic: Statistic, scale: Scale, progress: &mut dyn Progress) -> Result<Scores> {
    let target = data.target();
    let statistic = statistic.resolve(target)?;
    if scale == Scale::Raw && statistic == Statistic::F {
        return Err(Error::parameter("scale", "raw", "an F statistic is not normal; pass `scale=z`"));
    }
    let columns = data.columns();
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(columns.len());
    let total = columns.len() as u64;
    match target {
        Target::Real { values } => {
            let rows = data.rows();
            // the correlation does not depend on the target's scale; its squares must not overflow
            let unit = moments::scale_to_one(rows.iter().map(|&r| values[r as usize].abs()).fold(0.0, f64::max));
            let y: Vec<f64> = rows.iter().map(|&r| values[r as usize] * unit).collect();
            for batch in columns.chunks(BATCH) {
                progress.step("scoring", outcomes.len() as u64, total)?;
                outcomes.par_extend(batch.par_iter().map_init(Default::default, |scratch, column| {
                    Outcome::pearson(&CoMoments::of_column(column, rows, &y, scratch), scale)
                }));
            }
        }
        Target::Classes { codes, labels, .. } => {
            let groups = Grouped::new(data.rows(), codes, labels.len());
            let positive = target.positive();
            for batch in columns.chunks(BATCH) {
                progress.step("scoring", outcomes.len() as u64, total)?;
                outcomes.par_extend(batch.par_iter().map_init(Default::default, |scratch, column| {
                    let classes = groups.moments(column, scratch);
                    match statistic {
                        Statistic::F => Outcome::f(classes),
                        _ => Outcome::welch(&classes[positive], &classes[1 - positive], scale),
                    }
                }));
            }
        }
    }
    progress.step("scoring", total, total)?;
    Ok(collect(outcomes, statistic, data))
}

/// Turns outcomes into scores and notes.
fn collect(outcomes: Vec<Outcome>, statistic: Statistic, data: &View) -> Scores {
    let largest = outcomes.iter().filter_map(|o| o.finite()).map(f64::abs).fold(statistic::LARGEST, f64::max);
    let names = data.names();
    let named = |pick: fn(&Outcome) -> bool| -> Vec<String> {
        outcomes.iter().zip(names.iter()).filter(|(o, _)| pick(o)).map(|(_, n)| n.clone()).collect()
    };
    let mut notes = Vec::new();
    let mut note = |kind, text: &str, features: Vec<String>| {
        if !features.is_empty() {
            let count = features.len();
            notes.push(Note::about(kind, text.replace("{}", &count_of(count)), features));
        }
    };
    note(
        NoteKind::ConstantFeature,
        "{} with a single value set aside",
        named(|o| matches!(o, Outcome::Constant { .. })),
    );
    note(
        NoteKind::TooFewValues,
        "{} with too few values in some class set aside",
        named(|o| matches!(o, Outcome::TooFew { .. })),
    );
    note(
        NoteKind::PerfectSeparation,
        "{} without any variance left once the target is known, given the largest finite score; \
         check that it does not simply repeat the target",
        named(|o| matches!(o, Outcome::Perfect { .. })),
    );
    let expected = data.rows().len() as u32;
    let missing: Vec<String> =
        outcomes.iter().zip(names.iter()).filter(|(o, _)| o.rows() < expected).map(|(_, n)| n.clone()).collect();
    note(NoteKind::MissingValues, "{} with missing values, scored on the rows that have one", missing);
    Scores {
        z: outcomes.iter().map(|o| o.score(largest)).collect(),
        rows: outcomes.iter().map(Outcome::rows).collect(),
        statistic,
        notes,
    }
}

fn count_of(n: usize) -> String {
    if n == 1 { "1 feature".into() } else { format!("{n} features") }
}
