//! The score of one column against the target.

use super::class_moments::{self, Grouped};
use super::comoments::CoMoments;
use super::moments::{self, Moments};
use super::score_from_moments::Outcome;
use super::two_class_moments::TwoClasses;
use super::{Scale, Statistic, category, rank};
use crate::table::{Categories, Target, View};
use std::borrow::Cow;

/// Memory a thread keeps from column to column.
#[derive(Default)]
pub(super) struct Scratch {
    moments: class_moments::Scratch,
    ranks: rank::Scratch,
    pairs: Vec<(f64, f64, f64)>,
    target: Vec<rank::Item>,
}

/// The rows that a column is scored on, with their target and weights.
pub(super) struct Samples<'a> {
    /// Positions in the column, in the target and among the weights.
    rows: Cow<'a, [u32]>,
    target: Cow<'a, Target>,
    weights: Option<Cow<'a, [f64]>>,
}

impl<'a> Samples<'a> {
    pub(super) fn of(data: &'a View<'a>) -> Self {
        Samples {
            rows: Cow::Borrowed(data.rows()),
            target: Cow::Borrowed(data.target()),
            weights: data.weights_by_class(),
        }
    }

    /// Of columns that hold these rows only, in this order.
    pub(super) fn in_order(&self, order: &[u32]) -> Samples<'static> {
        let weights = |w: &Cow<'a, [f64]>| order.iter().map(|&r| w[r as usize]).collect();
        Samples {
            rows: (0..order.len() as u32).collect(),
            target: Cow::Owned(self.target.of_rows(order)),
            weights: self.weights.as_ref().map(weights),
        }
    }
}

/// Everything that a column is scored against.
pub(super) struct Scorer<'a> {
    samples: &'a Samples<'a>,
    statistic: Statistic,
    scale: Scale,
    target: TargetForm<'a>,
}

/// The target in the form that sums need.
enum TargetForm<'a> {
    /// The number of each sample.
    Real(Vec<f64>),
    Classes(Box<SampleClasses<'a>>),
}

impl<'a> Scorer<'a> {
    /// `statistic` must be one that fits the target: [`Statistic::resolve_for`].
    pub(super) fn new(samples: &'a Samples<'a>, statistic: Statistic, scale: Scale) -> Self {
        let target = match &*samples.target {
            // survival times are scored by `cox`
            Target::Real { values } | Target::Survival { times: values, .. } => {
                let rows = &samples.rows;
                // the correlation does not depend on the target's scale; its squares must not overflow
                let unit = moments::scale_to_one(rows.iter().map(|&r| values[r as usize].abs()).fold(0.0, f64::max));
                TargetForm::Real(rows.iter().map(|&r| values[r as usize] * unit).collect())
            }
            Target::Classes { codes, labels, .. } => {
                TargetForm::Classes(Box::new(SampleClasses::new(samples, codes, labels.len())))
            }
        };
        Scorer { samples, statistic, scale, target }
    }

    /// The order in which sums by class take the rows, where the score is made of such sums and takes them in another
    /// order than they lie.
    pub(super) fn summing_order(&self) -> Option<&[u32]> {
        self.grouped().and_then(Grouped::order)
    }

    /// The classes, where the score is made of sums by class.
    fn grouped(&self) -> Option<&Grouped<'a>> {
        match &self.target {
            TargetForm::Classes(classes) => {
                let by_moments = matches!(self.statistic, Statistic::Welch | Statistic::Pooled | Statistic::F);
                by_moments.then_some(&classes.groups)
            }
            TargetForm::Real(_) => None,
        }
    }

    /// The classes, where the score is made of sums over two classes without weights.
    pub(super) fn two_classes(&self) -> Option<&TwoClasses> {
        self.grouped().and_then(Grouped::two)
    }

    /// The score of a column from the moments of its [two classes](Scorer::two_classes); `None` if a value is missing or
    /// infinite, or if the column must be rescaled first.
    pub(super) fn of_two_classes(&self, two: &[Moments; 2]) -> Option<Outcome> {
        let TargetForm::Classes(classes) = &self.target else { return None };
        let all_there = two.iter().all(|m| m.mean.is_finite());
        let rows = (two[0].count + two[1].count) as u32;
        (all_there && class_moments::SQUARES.contains(&(two[0].m2 + two[1].m2)))
            .then(|| classes.of_moments(two, rows, self.statistic, self.scale))
    }

    /// Whether a column with an infinite value never has a finite score.
    pub(super) fn infinity_shows(&self) -> bool {
        matches!(self.statistic, Statistic::Welch | Statistic::Pooled | Statistic::Pearson)
    }

    pub(super) fn numbers(&self, values: &[f64], scratch: &mut Scratch) -> Outcome {
        match &self.target {
            TargetForm::Real(y) => real(self.samples, values, y, self.statistic, self.scale, scratch),
            TargetForm::Classes(classes) => classes.score(values, self.statistic, self.scale, scratch),
        }
    }

    pub(super) fn categories(&self, column: &Categories) -> Outcome {
        let Samples { rows, target, weights } = self.samples;
        match &self.target {
            TargetForm::Real(y) => category::variance(column, rows, y, weights.as_deref()),
            TargetForm::Classes(classes) => {
                let n_classes = target.n_classes().unwrap_or(0);
                category::chi_square(column, rows, classes.codes, n_classes, weights.as_deref())
            }
        }
    }
}

/// The classes of the samples, as every statistic wants them.
struct SampleClasses<'a> {
    samples: &'a Samples<'a>,
    codes: &'a [u32],
    groups: Grouped<'a>,
    /// The rows that are not, and that are, of the positive class.
    two: [Vec<u32>; 2],
}

impl<'a> SampleClasses<'a> {
    fn new(samples: &'a Samples<'a>, codes: &'a [u32], n_classes: usize) -> Self {
        let positive = samples.target.positive() as u32;
        let side = |wanted: bool| {
            samples.rows.iter().copied().filter(|&r| (codes[r as usize] == positive) == wanted).collect::<Vec<u32>>()
        };
        let groups = Grouped::new(&samples.rows, codes, n_classes, samples.weights.as_deref());
        SampleClasses { samples, codes, groups, two: [side(false), side(true)] }
    }

    /// The score of a column.
    fn score(&self, values: &[f64], statistic: Statistic, scale: Scale, scratch: &mut Scratch) -> Outcome {
        let SampleClasses { samples, codes, groups, two } = self;
        let n_classes = samples.target.n_classes().unwrap_or(0);
        let items = &mut scratch.ranks.items;
        match statistic {
            Statistic::MannWhitney if samples.weights.is_some() => {
                gather(samples, values, items, |row| u32::from(codes[row] as usize == samples.target.positive()));
                return rank::mann_whitney_weighted(items);
            }
            Statistic::MannWhitney => return rank::mann_whitney(values, two, &mut scratch.ranks),
            Statistic::Kruskal => {
                gather(samples, values, items, |row| codes[row]);
                let rows = items.len() as u32;
                return rank::kruskal(items, n_classes, rows);
            }
            _ => {}
        }
        let (classes, rows) = groups.moments(values, &mut scratch.moments);
        self.of_moments(classes, rows, statistic, scale)
    }

    /// The score of a column from its moments by class.
    fn of_moments(&self, classes: &[Moments], rows: u32, statistic: Statistic, scale: Scale) -> Outcome {
        let positive = self.samples.target.positive();
        match statistic {
            Statistic::F => Outcome::f(classes, rows),
            Statistic::Pooled => Outcome::pooled(&classes[positive], &classes[1 - positive], scale, rows),
            _ => Outcome::welch(&classes[positive], &classes[1 - positive], scale, rows),
        }
    }
}

/// The score of a column for a numeric target; `y` has one entry per sample.
fn real(
    samples: &Samples,
    values: &[f64],
    y: &[f64],
    statistic: Statistic,
    scale: Scale,
    scratch: &mut Scratch,
) -> Outcome {
    let Scratch { pairs, target, ranks, .. } = scratch;
    pairs.clear();
    let weight = |row: u32| samples.weights.as_ref().map_or(1.0, |w| w[row as usize]);
    let both = samples.rows.iter().zip(y).map(|(&row, &y)| (values[row as usize], y, weight(row)));
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

/// The non-missing values of the samples with a label and a weight each.
fn gather(samples: &Samples, values: &[f64], items: &mut Vec<rank::Item>, label: impl Fn(usize) -> u32) {
    items.clear();
    let weights = samples.weights.as_deref();
    items.extend(samples.rows.iter().filter_map(|&row| {
        let row = row as usize;
        (!values[row].is_nan()).then(|| (values[row], label(row), weights.map_or(1.0, |w| w[row])))
    }));
}
