//! The summary of one column: moments of numbers, or of the rows of every category.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, text};
use crate::merge::target_state::{Against, Change, scaled};
use crate::score::category::{chi_square_of, variance_of};
use crate::score::comoments::CoMoments;
use crate::score::moments::scale_to_one;
use crate::score::outcome::Outcome;
use crate::score::{Moments, Scale, Statistic};
use crate::table::read::parts::row_names_or_drop;
use crate::table::read::rows::MOST_CATEGORIES;
use std::collections::BTreeMap;

/// A column so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Feature {
    /// Rows that have a value, a target and any weight.
    pub(crate) rows: u64,
    pub(crate) values: Values,
}

/// The kind of values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Values {
    /// All of them are missing: it may be anything yet.
    #[default]
    Unknown,
    /// Numbers, times [`unit`] of the largest size among them.
    Numbers { size: f64, sums: Sums },
    /// Categories: the sums are those of zeros, so that only counts and the target tell anything.
    Categories(BTreeMap<String, Sums>),
}

/// Moments of numbers against the target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sums {
    /// By label.
    Labels(Vec<Moments>),
    /// Joint with the target.
    Number(CoMoments),
}

/// A power of two that numbers of this size are multiplied by so that their squares stay in the range of f64: 1 for all
/// that are neither very large nor very small.
pub(crate) fn unit(size: f64) -> f64 {
    if size == 0.0 || (1e-100..=1e100).contains(&size) { 1.0 } else { scale_to_one(size) }
}

impl Values {
    /// A category, where it has some.
    fn text(&self) -> Option<&str> {
        match self {
            Values::Categories(all) => all.keys().next().map(String::as_str),
            _ => None,
        }
    }
}

impl Sums {
    /// Recasts the sums for another target.
    fn change(&mut self, change: &Change) {
        match (&mut *self, change) {
            (_, Change::Keep) => {}
            (Sums::Labels(moments), Change::Move(places, count)) => {
                let mut moved = vec![Moments::default(); *count];
                for (m, &at) in moments.iter().zip(places) {
                    moved[at] = *m;
                }
                *moments = moved;
            }
            (Sums::Labels(moments), Change::ToNumber(values)) => *self = Sums::Number(joint(moments, values)),
            (Sums::Number(m), Change::Scale(by)) => *m = rescaled(*m, 1.0, *by),
            _ => {}
        }
    }

    /// Rescales the column by a power of two.
    fn scale(&mut self, by: f64) {
        match self {
            _ if by == 1.0 => {}
            Sums::Labels(moments) => moments.iter_mut().for_each(|m| *m = scaled(*m, by)),
            Sums::Number(m) => *m = rescaled(*m, by, 1.0),
        }
    }

    fn merge(&mut self, other: Sums) {
        match (self, other) {
            (Sums::Labels(a), Sums::Labels(b)) => a.iter_mut().zip(b).for_each(|(a, b)| *a = a.merge(b)),
            (Sums::Number(a), Sums::Number(b)) => *a = a.merge(b),
            _ => {} // both stand against the same target
        }
    }
}

/// Joint moments from moments by label, exactly: the target has one value within each.
fn joint(moments: &[Moments], values: &[f64]) -> CoMoments {
    let one = |(m, y): (&Moments, &f64)| CoMoments {
        count: m.count,
        mean_x: m.mean + m.rest,
        mean_y: if m.count == 0.0 { 0.0 } else { *y },
        xx: m.m2,
        yy: 0.0,
        xy: 0.0,
    };
    moments.iter().zip(values).map(one).fold(CoMoments::default(), CoMoments::merge)
}

/// The joint moments of both numbers times powers of two.
fn rescaled(m: CoMoments, x: f64, y: f64) -> CoMoments {
    CoMoments {
        count: m.count,
        mean_x: m.mean_x * x,
        mean_y: m.mean_y * y,
        xx: m.xx * x * x,
        yy: m.yy * y * y,
        xy: m.xy * x * y,
    }
}

impl Feature {
    /// Makes it stand against another target.
    pub(crate) fn change(&mut self, change: &Change) {
        match &mut self.values {
            Values::Unknown => {}
            Values::Numbers { sums, .. } => sums.change(change),
            Values::Categories(all) => all.values_mut().for_each(|sums| sums.change(change)),
        }
    }

    /// Adds the rows of another; both stand against the same target.
    pub(crate) fn merge(&mut self, other: Feature, place: impl Fn() -> Place) -> Result<()> {
        self.rows = self.rows.saturating_add(other.rows);
        match (&mut self.values, other.values) {
            (_, Values::Unknown) => {}
            (ours @ Values::Unknown, theirs) => *ours = theirs,
            (Values::Numbers { size, sums }, Values::Numbers { size: their_size, sums: mut theirs }) => {
                let largest = size.max(their_size);
                sums.scale(unit(largest) / unit(*size));
                theirs.scale(unit(largest) / unit(their_size));
                *size = largest;
                sums.merge(theirs);
            }
            (Values::Categories(ours), Values::Categories(theirs)) => {
                for (text, sums) in theirs {
                    match ours.get_mut(&text) {
                        Some(known) => known.merge(sums),
                        None => drop(ours.insert(text, sums)),
                    }
                }
                check_categories(ours.len(), ours.keys().next(), place)?;
            }
            (ours, theirs) => {
                let text = ours.text().or(theirs.text()).unwrap_or_default();
                let problem = format!("it holds text (`{text}`) in some rows and numbers in others");
                let remedy = text![
                    "pass ",
                    OptionName::Missing.set(text),
                    " if that means missing, or leave the column out with ",
                    OptionName::Drop
                ];
                return Err(Error::data(place(), problem, remedy));
            }
        }
        Ok(())
    }

    /// Whether its score counts on its positive side only, whatever the statistic.
    pub(crate) fn is_category(&self) -> bool {
        matches!(self.values, Values::Categories(_))
    }

    /// The score against classes; `class` has the class of every label.
    pub(crate) fn against_classes(
        &self,
        class: &[usize],
        (n_classes, positive): (usize, usize),
        (statistic, scale): (Statistic, Scale),
    ) -> Outcome {
        let rows = u32::try_from(self.rows).unwrap_or(u32::MAX);
        let by_class = |sums: &Sums| {
            let mut classes = vec![Moments::default(); n_classes];
            if let Sums::Labels(moments) = sums {
                for (m, &at) in moments.iter().zip(class) {
                    classes[at] = classes[at].merge(*m);
                }
            }
            classes
        };
        match &self.values {
            Values::Unknown => Outcome::Constant { rows },
            Values::Numbers { sums, .. } => {
                let classes = by_class(sums);
                match statistic {
                    Statistic::F => Outcome::f(&classes, rows),
                    Statistic::Pooled => Outcome::pooled(&classes[positive], &classes[1 - positive], scale, rows),
                    _ => Outcome::welch(&classes[positive], &classes[1 - positive], scale, rows),
                }
            }
            Values::Categories(all) => {
                let counts: Vec<f64> = all.values().flat_map(by_class).map(|m| m.count).collect();
                chi_square_of(&counts, n_classes, rows)
            }
        }
    }

    /// The score for a numeric target; `values` are those of the labels, where the target still has labels.
    pub(crate) fn against_number(&self, values: &[f64], scale: Scale) -> Outcome {
        let rows = u32::try_from(self.rows).unwrap_or(u32::MAX);
        let joint = |sums: &Sums| match sums {
            Sums::Labels(moments) => joint(moments, values),
            Sums::Number(m) => *m,
        };
        match &self.values {
            Values::Unknown => Outcome::Constant { rows },
            Values::Numbers { sums, .. } => Outcome::pearson(&joint(sums), scale, rows),
            Values::Categories(all) => {
                let target = |m: CoMoments| Moments { count: m.count, mean: m.mean_y, rest: 0.0, m2: m.yy };
                variance_of(&all.values().map(|sums| target(joint(sums))).collect::<Vec<_>>(), rows)
            }
        }
    }

    /// Whether it stands against this target.
    pub(crate) fn fits(&self, against: &Against) -> bool {
        let fits = |sums: &Sums| match (sums, against) {
            (Sums::Labels(moments), Against::Labels(labels)) => moments.len() == labels.len(),
            (Sums::Number(_), Against::Number(_)) => true,
            _ => false,
        };
        match &self.values {
            Values::Unknown => true,
            Values::Numbers { sums, .. } => fits(sums),
            Values::Categories(all) => all.values().all(fits),
        }
    }
}

/// Refuses text with too many values to be categories.
pub(crate) fn check_categories(count: usize, first: Option<&String>, place: impl Fn() -> Place) -> Result<()> {
    if count <= MOST_CATEGORIES {
        return Ok(());
    }
    let first = first.map_or("", String::as_str);
    let place = place();
    let problem = format!("it holds text with more than {MOST_CATEGORIES} distinct values (first: `{first}`)");
    let remedy = row_names_or_drop(place.column.as_deref().unwrap_or_default());
    Err(Error::data(place, problem, remedy))
}
