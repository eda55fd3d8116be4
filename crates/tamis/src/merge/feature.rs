//! The summary of one column: moments of numbers, or of the rows of every category.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, text};
use crate::merge::covariate_state::{CovariateState, width_of};
use crate::merge::cross_sums::CrossSums;
use crate::merge::effective_rows::Factors;
use crate::merge::target_state::{Change, TargetState, scaled, unit};
use crate::score::Moments;
use crate::score::category::{chi_square_of, variance_of};
use crate::score::comoments::CoMoments;
use crate::score::design::summed_design::AdjustedSums;
use crate::score::from_sums::FeatureSums as ScoredSums;
use crate::score::joint_moments::{ColumnMove, JointMoments};
use crate::table::read::column_roles::MOST_CATEGORIES;
use crate::table::read::column_roles::row_names_or_drop;
use crate::table::read::rows::too_many_values;
use std::collections::BTreeMap;

/// A column so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FeatureState {
    /// Rows that have a value, a target and any weight.
    pub(crate) rows: u64,
    pub(crate) values: MergedValues,
}

/// The kind of values.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum MergedValues {
    /// All of them are missing: it may be anything yet.
    #[default]
    Unknown,
    /// Numbers, times [`unit`] of the largest size among them, and their sums with covariates where there are some.
    Numbers { size: f64, sums: FeatureSums, cross: Option<CrossSums> },
    /// Categories: the sums are those of zeros, so that only counts and the target tell anything.
    Categories(BTreeMap<String, FeatureSums>),
}

/// Moments of numbers against the target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FeatureSums {
    /// By label.
    Labels(Vec<Moments>),
    /// Joint with the target.
    Number(CoMoments),
}

impl MergedValues {
    /// A category, where it has some.
    fn text(&self) -> Option<&String> {
        match self {
            MergedValues::Categories(all) => all.keys().next(),
            _ => None,
        }
    }
}

impl FeatureSums {
    /// Recasts the sums for another target.
    fn change(&mut self, change: &Change) {
        match (&mut *self, change) {
            (_, Change::Keep) => {}
            (FeatureSums::Labels(moments), Change::Move(places, count)) => {
                let mut moved = vec![Moments::default(); *count];
                for (m, &at) in moments.iter().zip(places) {
                    moved[at] = *m;
                }
                *moments = moved;
            }
            (FeatureSums::Labels(moments), Change::ToNumber(values)) => {
                *self = FeatureSums::Number(joint(moments, values))
            }
            (FeatureSums::Number(m), Change::Scale(by)) => *m = rescaled(*m, 1.0, *by),
            _ => {}
        }
    }

    /// By class, of so many; `class` has the class of every label.
    pub(crate) fn by_class(&self, class: &[usize], n_classes: usize) -> Vec<Moments> {
        let mut classes = vec![Moments::default(); n_classes];
        if let FeatureSums::Labels(moments) = self {
            for (m, &at) in moments.iter().zip(class) {
                classes[at] = classes[at].merge(*m);
            }
        }
        classes
    }

    /// Joint with a numeric target; `values` are those of the labels, where the target still has labels.
    pub(crate) fn by_number(&self, values: &[f64]) -> CoMoments {
        match self {
            FeatureSums::Labels(moments) => joint(moments, values),
            FeatureSums::Number(m) => *m,
        }
    }

    /// Rescales the column by a power of two.
    fn scale(&mut self, by: f64) {
        match self {
            _ if by == 1.0 => {}
            FeatureSums::Labels(moments) => moments.iter_mut().for_each(|m| *m = scaled(*m, by)),
            FeatureSums::Number(m) => *m = rescaled(*m, by, 1.0),
        }
    }

    fn merge(&mut self, other: FeatureSums) {
        match (self, other) {
            (FeatureSums::Labels(a), FeatureSums::Labels(b)) => a.iter_mut().zip(b).for_each(|(a, b)| *a = a.merge(b)),
            (FeatureSums::Number(a), FeatureSums::Number(b)) => *a = a.merge(b),
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

impl FeatureState {
    /// Makes it stand against another target; `covariates` are those of all its rows, before they are changed.
    pub(crate) fn change(&mut self, change: &Change, covariates: Option<&CovariateState>) {
        match &mut self.values {
            MergedValues::Unknown => {}
            MergedValues::Numbers { sums, cross, .. } => {
                if let (Some(cross), Some(all)) = (cross, covariates) {
                    cross.change(change, sums, &all.groups, width_of(&all.kinds));
                }
                sums.change(change);
            }
            MergedValues::Categories(all) => all.values_mut().for_each(|sums| sums.change(change)),
        }
    }

    /// Puts the columns of covariates at new places.
    pub(crate) fn rearrange(&mut self, columns: &ColumnMove) {
        if let MergedValues::Numbers { cross: Some(cross), .. } = &mut self.values {
            cross.rearrange(columns);
        }
    }

    /// Adds the rows of another; both stand against the same target and arrange their covariates alike.
    pub(crate) fn merge(
        &mut self,
        other: FeatureState,
        covariates: Option<[&CovariateState; 2]>,
        place: impl Fn() -> Place,
    ) -> Result<()> {
        self.rows = self.rows.saturating_add(other.rows);
        match (&mut self.values, other.values) {
            (MergedValues::Numbers { cross: Some(cross), .. }, MergedValues::Unknown) => {
                if let Some([ours, theirs]) = covariates
                    && !theirs.is_empty()
                {
                    cross.add_lacking(&ours.groups);
                }
            }
            (_, MergedValues::Unknown) => {}
            (ours @ MergedValues::Unknown, mut theirs) => {
                if let (MergedValues::Numbers { cross: Some(cross), .. }, Some([before, after])) =
                    (&mut theirs, covariates)
                    && !before.is_empty()
                {
                    cross.add_lacking(&after.groups);
                }
                *ours = theirs;
            }
            (
                MergedValues::Numbers { size, sums, cross },
                MergedValues::Numbers { size: their_size, sums: mut theirs, cross: mut their_cross },
            ) => {
                let largest = size.max(their_size);
                let scales = [unit(largest) / unit(*size), unit(largest) / unit(their_size)];
                sums.scale(scales[0]);
                theirs.scale(scales[1]);
                *size = largest;
                if let (Some(cross), Some(their_cross), Some([ours, others])) = (cross, &mut their_cross, covariates) {
                    cross.scale(scales[0]);
                    their_cross.scale(scales[1]);
                    cross.merge(their_cross, [sums, &theirs], [&ours.groups, &others.groups]);
                }
                sums.merge(theirs);
            }
            (MergedValues::Categories(ours), MergedValues::Categories(theirs)) => {
                for (text, sums) in theirs {
                    match ours.get_mut(&text) {
                        Some(known) => known.merge(sums),
                        None => drop(ours.insert(text, sums)),
                    }
                }
                check_categories(ours.len(), ours.keys().next(), place)?;
            }
            (ours, theirs) => {
                return Err(text_among_numbers(ours.text().or(theirs.text()), place()));
            }
        }
        Ok(())
    }

    /// Its rows and sums against classes; `class` has the class of every label, `groups` the covariates of all rows. Sums are
    /// multiplied by `factors`.
    pub(crate) fn against_classes(
        &self,
        class: &[usize],
        n_classes: usize,
        (groups, factors): (&[JointMoments], &Factors),
    ) -> (u32, ScoredSums) {
        let rows = u32::try_from(self.rows).unwrap_or(u32::MAX);
        let sums = match &self.values {
            MergedValues::Unknown => ScoredSums::Nothing,
            MergedValues::Numbers { size, sums, cross: None } => {
                let mut moments = sums.by_class(class, n_classes);
                factors.moments(&mut moments);
                ScoredSums::Classes { moments, unit: unit(*size) }
            }
            MergedValues::Numbers { size, sums, cross: Some(cross) } => {
                let mut cross = cross.by_class(class, n_classes, sums, groups);
                let mut moments = sums.by_class(class, n_classes);
                factors.moments(&mut moments);
                cross.weigh(factors);
                let CrossSums { cross, own } = cross;
                ScoredSums::Adjusted(AdjustedSums { moments, cross, own, unit: unit(*size) })
            }
            MergedValues::Categories(all) => {
                let of_category = |sums: &FeatureSums| {
                    let mut moments = sums.by_class(class, n_classes);
                    factors.moments(&mut moments);
                    moments
                };
                let counts: Vec<f64> = all.values().flat_map(of_category).map(|m| m.count).collect();
                ScoredSums::Categories(chi_square_of(&counts, n_classes, rows))
            }
        };
        (rows, sums)
    }

    /// Its rows and sums against a numeric target, whose numbers were multiplied by `target_unit`; `values` are those of
    /// the labels, where the target still has labels, and `covariates` are those of all rows. Sums are multiplied by
    /// `factors`.
    pub(crate) fn against_number(
        &self,
        values: &[f64],
        target_unit: f64,
        (covariates, factors): (Option<&CovariateState>, &Factors),
    ) -> (u32, ScoredSums) {
        let rows = u32::try_from(self.rows).unwrap_or(u32::MAX);
        let sums = match &self.values {
            MergedValues::Unknown => ScoredSums::Nothing,
            MergedValues::Numbers { size, sums, cross: Some(cross) } => {
                let mut cross = cross.clone();
                if let (FeatureSums::Labels(_), Some(all)) = (sums, covariates) {
                    cross.change(&Change::ToNumber(values.to_vec()), sums, &all.groups, width_of(&all.kinds));
                }
                cross.weigh(factors);
                let CoMoments { count, mean_x: mean, xx: m2, .. } = factors.comoments(sums.by_number(values));
                let moments = vec![Moments { count, mean, rest: 0.0, m2 }];
                ScoredSums::Adjusted(AdjustedSums { moments, cross: cross.cross, own: cross.own, unit: unit(*size) })
            }
            MergedValues::Numbers { size, sums, cross: None } => {
                let joint = factors.comoments(sums.by_number(values));
                ScoredSums::Number { joint, units: [unit(*size), target_unit] }
            }
            MergedValues::Categories(all) => {
                let target = |m: CoMoments| Moments { count: m.count, mean: m.mean_y, rest: 0.0, m2: m.yy };
                let of_category = |sums: &FeatureSums| target(factors.comoments(sums.by_number(values)));
                let groups: Vec<Moments> = all.values().map(of_category).collect();
                ScoredSums::Categories(variance_of(&groups, rows))
            }
        };
        (rows, sums)
    }

    /// Whether it stands against this target.
    pub(crate) fn fits(&self, target_state: &TargetState) -> bool {
        let fits = |sums: &FeatureSums| match (sums, target_state) {
            (FeatureSums::Labels(moments), TargetState::Labels(labels)) => moments.len() == labels.len(),
            (FeatureSums::Number(_), TargetState::Number(_)) => true,
            _ => false,
        };
        match &self.values {
            MergedValues::Unknown => true,
            MergedValues::Numbers { sums, .. } => fits(sums),
            MergedValues::Categories(all) => all.values().all(fits),
        }
    }
}

/// A column whose first category is `text`, where other rows have numbers.
pub(crate) fn text_among_numbers(text: Option<&String>, place: Place) -> Error {
    let text = text.map_or("", String::as_str);
    let problem = format!("it holds text (`{text}`) in some rows and numbers in others");
    let remedy = text![
        "pass ",
        OptionName::Missing.set(text),
        " if that means missing, or leave the column out with ",
        OptionName::Drop
    ];
    Error::data(place, problem, remedy)
}

/// Refuses text with too many values to be categories.
pub(crate) fn check_categories(count: usize, first: Option<&String>, place: impl Fn() -> Place) -> Result<()> {
    if count <= MOST_CATEGORIES {
        return Ok(());
    }
    let first = first.map_or("", String::as_str);
    let place = place();
    let remedy = row_names_or_drop(place.column.as_deref().unwrap_or_default());
    Err(Error::data(place, too_many_values(first), remedy))
}
