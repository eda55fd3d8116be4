//! Scores: one number per feature that is N(0, 1) where the feature has nothing to do with the target.
//!
//! | target | numbers, `score=auto` | or | categories | z |
//! | --- | --- | --- | --- | --- |
//! | two classes | Welch's t, positive minus negative class (SNBL eq. 1) | `pooled`, `mann-whitney` | χ² | t through its degrees of freedom; χ² one-sided |
//! | several classes | F, one-way analysis of variance | `kruskal` | χ² | p-value, one-sided |
//! | numeric | Pearson's correlation | `spearman` | F | r → t → z; F one-sided |
//!
//! A feature uses its own non-missing rows. One without variance has no score (NaN) and is named in a
//! note; one that separates the classes with no variance at all gets the largest finite score. A row of weight 3
//! counts as three rows.
//!
//! Cost: two passes over each column while it is in cache, or a sort for ranks; columns in parallel.

pub(crate) mod category;
pub mod comoments;
pub mod moments;
pub(crate) mod outcome;
pub(crate) mod rank;
mod statistic;

pub use moments::Moments;
pub use statistic::{Scale, Statistic};

use crate::base::note::{Note, NoteKind};
use crate::base::{Error, OptionName, Progress, Result};
use crate::numeric::special::t_to_z;
use crate::table::{Categories, Column, Source, Table, Target, View, source};
use comoments::CoMoments;
use moments::Grouped;
use outcome::Outcome;
use rayon::prelude::*;

/// Columns between two progress reports.
const BATCH: usize = 4096;

/// A score for every feature.
#[derive(Debug, Clone)]
pub struct Scores {
    z: Vec<f64>,
    one_sided: Vec<bool>,
    /// How many rows each feature's score rests on.
    pub rows: Vec<u32>,
    /// The statistic that was used, `auto` resolved.
    pub statistic: Statistic,
    /// Notes on features without a score.
    pub notes: Vec<Note>,
}

impl Scores {
    /// The score of each feature; NaN where it has none.
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// The scores alone.
    pub fn into_z(self) -> Vec<f64> {
        self.z
    }

    /// For each feature whether only a positive score speaks for it: F, χ² and H have one tail.
    pub fn one_sided(&self) -> &[bool] {
        &self.one_sided
    }

    /// How strongly a score speaks for its feature: |z| where both signs do, z where only a positive one does. NaN where
    /// there is no score.
    pub fn strength(&self, feature: usize) -> f64 {
        let z = self.z[feature];
        if self.one_sided[feature] { z } else { z.abs() }
    }

    /// The share of the target that a feature explains by itself on `rows` rows, s²/(s² + rows) for its strength s; 0
    /// where nothing speaks for it.
    pub fn explained(&self, feature: usize, rows: usize) -> f64 {
        let strength = self.strength(feature).max(0.0); // a NaN becomes 0
        strength * strength / (strength * strength + rows as f64)
    }
}

/// Scores every feature of `data` against its target.
pub fn compute(data: &View, statistic: Statistic, scale: Scale, progress: &mut dyn Progress) -> Result<Scores> {
    let scorer = Scorer::new(data, statistic, scale)?;
    let outcomes = by_column(data, progress, |scratch, column| match column {
        Column::Categories(c) => scorer.categories(c),
        Column::Numbers(values) => scorer.numbers(values, scratch),
    })?;
    let one_sided = |c: &Column| c.numbers().is_none() || scorer.statistic.one_sided();
    let one_sided = data.columns().iter().map(one_sided).collect();
    Ok(collect(outcomes, scorer.statistic, one_sided, data.names(), data.rows().len() as u64))
}

/// Like [`compute`], for numbers held by another library; `data` has their names, the target and the weights.
pub(crate) fn compute_from(
    numbers: &dyn Source,
    data: &View,
    statistic: Statistic,
    scale: Scale,
    progress: &mut dyn Progress,
) -> Result<Scores> {
    let scorer = Scorer::new(data, statistic, scale)?;
    let by_moments = matches!(scorer.statistic, Statistic::Welch | Statistic::Pooled | Statistic::F);
    let tells = matches!(scorer.statistic, Statistic::Welch | Statistic::Pooled | Statistic::Pearson);
    let outcomes = match &scorer.against {
        Against::Classes(classes) if by_moments && numbers.columns() > 0 && numbers.slice(0).is_none() => {
            // numbers that must be moved anyway are put in the order in which they are summed
            let order = classes.groups.rows();
            let frame = Table::reordered(data, order)?;
            let view = frame.view();
            let moved = Scorer::new(&view, scorer.statistic, scale)?;
            by_block(numbers, data, (Some(order), tells), progress, |scratch, values| moved.numbers(values, scratch))?
        }
        _ => by_block(numbers, data, (None, tells), progress, |scratch, values| scorer.numbers(values, scratch))?,
    };
    let one_sided = vec![scorer.statistic.one_sided(); outcomes.len()];
    Ok(collect(outcomes, scorer.statistic, one_sided, data.names(), data.rows().len() as u64))
}

/// Like [`compute`], for data not held in a [`Table`].
pub fn compute_source(
    numbers: &dyn Source,
    names: Vec<String>,
    target: Target,
    weights: Option<Vec<f64>>,
    (statistic, scale): (Statistic, Scale),
    progress: &mut dyn Progress,
) -> Result<Scores> {
    let frame = Table::frame(names, target, weights)?;
    compute_from(numbers, &frame.view(), statistic, scale, progress)
}

/// Scores from t statistics that all have `df` degrees of freedom.
pub fn from_t(t: &[f64], df: f64) -> Result<Vec<f64>> {
    if !(df > 0.0 && df.is_finite()) {
        return Err(Error::parameter(OptionName::Df, df, "degrees of freedom are more than 0"));
    }
    Ok(t.iter().map(|t| t_to_z(*t, df)).collect())
}

/// Memory a thread keeps from column to column.
#[derive(Default)]
struct Scratch {
    moments: moments::Scratch,
    ranks: rank::Scratch,
    pairs: Vec<(f64, f64, f64)>,
    target: Vec<rank::Item>,
}

/// Scores the columns in parallel, a batch at a time, in order.
fn by_column(
    data: &View,
    progress: &mut dyn Progress,
    score: impl Fn(&mut Scratch, &Column) -> Outcome + Sync,
) -> Result<Vec<Outcome>> {
    let columns = data.columns();
    let total = columns.len() as u64;
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(columns.len());
    for batch in columns.chunks(BATCH) {
        progress.step("scoring", outcomes.len() as u64, total)?;
        outcomes.par_extend(batch.par_iter().map_init(Scratch::default, &score));
    }
    progress.step("scoring", total, total)?;
    Ok(outcomes)
}

/// Scores the columns of a source in parallel, each while it is in cache; all rows, or these in their order. `tells`:
/// an infinite value leaves no finite score, so that only columns without one need to be looked through.
fn by_block(
    numbers: &dyn Source,
    data: &View,
    (order, tells): (Option<&[u32]>, bool),
    progress: &mut dyn Progress,
    score: impl Fn(&mut Scratch, &[f64]) -> Outcome + Sync,
) -> Result<Vec<Outcome>> {
    let (rows, total) = (order.map_or(numbers.rows(), <[u32]>::len), numbers.columns());
    let size = source::block(rows);
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(total);
    let of_block = |(scratch, room): &mut (Scratch, Vec<f64>), from: usize| -> Result<Vec<Outcome>> {
        let to = (from + size).min(total);
        let mut one = |j: usize, values: &[f64]| {
            let outcome = score(scratch, values);
            if !(tells && outcome.finite().is_some_and(f64::is_finite)) {
                source::check_finite(values, order, &data.names()[j])?;
            }
            Ok(outcome)
        };
        if order.is_none() && numbers.slice(from).is_some() {
            return (from..to).map(|j| one(j, numbers.slice(j).unwrap_or_default())).collect();
        }
        room.resize(rows * size, 0.0);
        let room = &mut room[..rows * (to - from)];
        numbers.fill(from..to, order, room);
        (from..to).zip(room.chunks_exact(rows)).map(|(j, values)| one(j, values)).collect()
    };
    let starts: Vec<usize> = (0..total).step_by(size).collect();
    for batch in starts.chunks(BATCH / size) {
        progress.step("scoring", outcomes.len() as u64, total as u64)?;
        let found: Vec<Result<Vec<Outcome>>> =
            batch.par_iter().map_init(Default::default, |scratch, &from| of_block(scratch, from)).collect();
        for some in found {
            outcomes.extend(some?);
        }
    }
    progress.step("scoring", total as u64, total as u64)?;
    Ok(outcomes)
}

/// Everything about the rows that a column is scored against.
struct Scorer<'a> {
    data: &'a View<'a>,
    statistic: Statistic,
    scale: Scale,
    against: Against<'a>,
}

enum Against<'a> {
    /// The target of each row of the view.
    Real(Vec<f64>),
    Classes(Classes<'a>),
}

impl<'a> Scorer<'a> {
    fn new(data: &'a View<'a>, statistic: Statistic, scale: Scale) -> Result<Self> {
        let target = data.target();
        let statistic = statistic.resolve_scaled(scale, target)?;
        let against = match target {
            Target::Real { values } => {
                let rows = data.rows();
                // the correlation does not depend on the target's scale; its squares must not overflow
                let unit = moments::scale_to_one(rows.iter().map(|&r| values[r as usize].abs()).fold(0.0, f64::max));
                Against::Real(rows.iter().map(|&r| values[r as usize] * unit).collect())
            }
            Target::Classes { codes, labels, .. } => Against::Classes(Classes::new(data, codes, labels.len())),
        };
        Ok(Scorer { data, statistic, scale, against })
    }

    fn numbers(&self, values: &[f64], scratch: &mut Scratch) -> Outcome {
        match &self.against {
            Against::Real(y) => real(self.data, values, y, self.statistic, self.scale, scratch),
            Against::Classes(classes) => classes.score(values, self.statistic, self.scale, scratch),
        }
    }

    fn categories(&self, column: &Categories) -> Outcome {
        let (rows, weights) = (self.data.rows(), self.data.weights());
        match &self.against {
            Against::Real(y) => category::variance(column, rows, y, weights),
            Against::Classes(Classes { codes, .. }) => {
                let n_classes = self.data.target().n_classes().unwrap_or(0);
                category::chi_square(column, rows, codes, n_classes, weights)
            }
        }
    }
}

/// The classes of a view's rows, as every statistic wants them.
struct Classes<'a> {
    data: &'a View<'a>,
    codes: &'a [u32],
    groups: Grouped<'a>,
    /// The rows that are not, and that are, of the positive class.
    two: [Vec<u32>; 2],
}

impl<'a> Classes<'a> {
    fn new(data: &'a View<'a>, codes: &'a [u32], n_classes: usize) -> Self {
        let positive = data.target().positive() as u32;
        let side = |wanted: bool| {
            data.rows().iter().copied().filter(|&r| (codes[r as usize] == positive) == wanted).collect::<Vec<u32>>()
        };
        let groups = Grouped::new(data.rows(), codes, n_classes, data.weights());
        Classes { data, codes, groups, two: [side(false), side(true)] }
    }

    /// The score of a column.
    fn score(&self, values: &[f64], statistic: Statistic, scale: Scale, scratch: &mut Scratch) -> Outcome {
        let Classes { data, codes, groups, two } = self;
        let n_classes = data.target().n_classes().unwrap_or(0);
        let positive = data.target().positive();
        let items = &mut scratch.ranks.items;
        match statistic {
            Statistic::MannWhitney if data.weights().is_some() => {
                gather(data, values, items, |row| u32::from(codes[row] as usize == positive));
                return rank::mann_whitney_weighted(items);
            }
            Statistic::MannWhitney => return rank::mann_whitney(values, two, &mut scratch.ranks),
            Statistic::Kruskal => {
                gather(data, values, items, |row| codes[row]);
                let rows = items.len() as u32;
                return rank::kruskal(items, n_classes, rows);
            }
            _ => {}
        }
        let (classes, rows) = groups.moments(values, &mut scratch.moments);
        match statistic {
            Statistic::F => Outcome::f(classes, rows),
            Statistic::Pooled => Outcome::pooled(&classes[positive], &classes[1 - positive], scale, rows),
            _ => Outcome::welch(&classes[positive], &classes[1 - positive], scale, rows),
        }
    }
}

/// The score of a column for a numeric target; `y` has one entry per row of the view.
fn real(data: &View, values: &[f64], y: &[f64], statistic: Statistic, scale: Scale, scratch: &mut Scratch) -> Outcome {
    let Scratch { pairs, target, ranks, .. } = scratch;
    pairs.clear();
    let weight = |row: u32| data.weights().map_or(1.0, |w| w[row as usize]);
    let both = data.rows().iter().zip(y).map(|(&row, &y)| (values[row as usize], y, weight(row)));
    pairs.extend(both.filter(|(x, ..)| !x.is_nan()));
    if statistic == Statistic::Spearman {
        // ranks among the rows that have this feature
        ranks.items.clear();
        ranks.items.extend(pairs.iter().zip(0..).map(|(p, i)| (p.0, i, p.2)));
        target.clear();
        target.extend(pairs.iter().zip(0..).map(|(p, i)| (p.1, i, p.2)));
        rank::to_ranks(&mut ranks.items);
        rank::to_ranks(target);
        for ((pair, x), y) in pairs.iter_mut().zip(&ranks.items).zip(&*target) {
            (pair.0, pair.1) = (x.0, y.0);
        }
    }
    let rows = pairs.len() as u32;
    Outcome::pearson(&CoMoments::of_pairs(pairs), scale, rows)
}

/// The non-missing values of the view's rows with a label and a weight each.
fn gather(data: &View, values: &[f64], items: &mut Vec<rank::Item>, label: impl Fn(usize) -> u32) {
    items.clear();
    let weights = data.weights();
    items.extend(data.rows().iter().filter_map(|&row| {
        let row = row as usize;
        (!values[row].is_nan()).then(|| (values[row], label(row), weights.map_or(1.0, |w| w[row])))
    }));
}

/// Turns outcomes into scores and notes; a feature without missing values has `expected` rows.
pub(crate) fn collect(
    outcomes: Vec<Outcome>,
    statistic: Statistic,
    one_sided: Vec<bool>,
    names: &[String],
    expected: u64,
) -> Scores {
    let largest = outcomes.iter().filter_map(|o| o.finite()).map(f64::abs).fold(outcome::LARGEST, f64::max);
    let named = |pick: &dyn Fn(&Outcome) -> bool| -> Vec<String> {
        outcomes.iter().zip(names.iter()).filter(|(o, _)| pick(o)).map(|(_, n)| n.clone()).collect()
    };
    let perfect = "{} fully determined by the target, given the largest finite score; check for a copy of the target";
    let too_few = "{} with too few values in some class set aside";
    let missing = "{} with missing values, scored on the remaining rows";
    let notes = [
        Note::constant(named(&|o| matches!(o, Outcome::Constant { .. }))),
        Note::counting(NoteKind::TooFewValues, too_few, named(&|o| matches!(o, Outcome::TooFew { .. }))),
        Note::counting(NoteKind::PerfectSeparation, perfect, named(&|o| matches!(o, Outcome::Perfect { .. }))),
        Note::counting(NoteKind::MissingValues, missing, named(&|o| u64::from(o.rows()) < expected)),
    ];
    Scores {
        z: outcomes.iter().map(|o| o.score(largest)).collect(),
        rows: outcomes.iter().map(Outcome::rows).collect(),
        one_sided,
        statistic,
        notes: notes.into_iter().flatten().collect(),
    }
}
