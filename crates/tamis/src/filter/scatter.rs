//! The variance of features between the classes and within them.

use super::ranking::{missing_note, numbers, set_aside};
use crate::base::{Error, Note, NoteKind, OptionName, Result, text};
use crate::score::class_moments::{Grouped, Scratch};
use crate::score::moments::{Moments, scale_to_one};
use crate::table::{Target, View};
use rayon::prelude::*;
use std::borrow::Cow;

/// The scatter of a feature: Σ n_c (m_c − m)² between the classes, Σ (x − m_c)² within them. NaN where the feature has
/// one value only, or is of categories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scatter {
    /// Between the classes.
    pub between: f64,
    /// Within the classes.
    pub within: f64,
}

impl Scatter {
    fn of(classes: &[Moments]) -> Scatter {
        let occurring: Vec<Moments> = classes.iter().copied().filter(|c| c.count > 0.0).collect();
        let total = Moments::merge_in_order(&occurring);
        let between = occurring.iter().map(|c| c.count * total.difference(c).powi(2)).sum();
        let within = occurring.iter().map(|c| c.m2).sum();
        Scatter { between, within }
    }
}

/// The scatter of every column.
fn scatter(
    columns: &[Cow<[f64]>],
    rows: &[u32],
    codes: &[u32],
    classes: usize,
    weights: Option<&[f64]>,
) -> Vec<Scatter> {
    let groups = Grouped::new(rows, codes, classes, weights);
    let one = |scratch: &mut Scratch, column: &[f64]| Scatter::of(groups.moments(column, scratch).0);
    // squares must not leave the range of f64, and all columns must be scaled alike: sums of theirs are compared
    let size = |column: &Cow<[f64]>| rows.iter().map(|&r| column[r as usize].abs()).fold(0.0, f64::max);
    let largest = columns.iter().map(size).fold(0.0, f64::max);
    if largest == 0.0 || (1e-100..=1e100).contains(&largest) {
        return columns.par_iter().map_init(Scratch::default, |scratch, column| one(scratch, column)).collect();
    }
    let unit = scale_to_one(largest);
    let scaled = |scratch: &mut Scratch, column: &Cow<[f64]>| {
        one(scratch, &column.iter().map(|x| x * unit).collect::<Vec<f64>>())
    };
    columns.par_iter().map_init(Scratch::default, scaled).collect()
}

/// The scatter of every feature of a view with classes, Fisher's score of each (finite), and what should be known.
pub(super) fn scored(data: &View, method: &str) -> Result<(Vec<Scatter>, Vec<f64>, Vec<Note>)> {
    data.target().refuse_survival(method)?;
    let Target::Classes { codes, labels, .. } = data.target() else {
        let remedy = text!["pass ", OptionName::Task.set("classes"), ", or another method"];
        return Err(Error::method(method, "needs classes", remedy));
    };
    let columns = numbers(data, method)?;
    let scatter = scatter(&columns, data.rows(), codes, labels.len(), data.weights());
    let mut notes: Vec<Note> = set_aside(data, |i| scatter[i].between + scatter[i].within > 0.0).into_iter().collect();
    notes.extend(missing_note(data, &columns, "scored on the remaining rows"));
    let mut size = super::fisher(&scatter);
    let perfect: Vec<String> =
        size.iter().zip(data.names().iter()).filter(|(s, _)| s.is_infinite()).map(|(_, n)| n.clone()).collect();
    if !perfect.is_empty() {
        let largest = size.iter().copied().filter(|s| s.is_finite()).fold(1e9, f64::max);
        size.iter_mut().filter(|s| s.is_infinite()).for_each(|s| *s = largest);
        let text = "constant within every class; check that it is not a copy of the target";
        notes.push(Note::about(NoteKind::PerfectSeparation, text, perfect));
    }
    Ok((scatter, size, notes))
}
