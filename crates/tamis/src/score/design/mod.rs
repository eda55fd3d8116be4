//! Designs: what a feature is compared with, made once for all features.
//!
//! A feature is the response, x = T·β + Z·γ + ε. T is the target's coding: one column for two classes (the positive one
//! against the reference), one per class but the reference for several, the numbers themselves for a numeric target. Z is
//! the mean, or a mean per block where blocks are crossed with the target, and the covariates; where two of several classes
//! are compared, T is the one and Z has a mean for each class beyond the two. Everything follows from
//! orthonormal directions off Z ([`adjustment`]): coefficients, their errors, residual variances ([`linear_fit`]), which
//! may be moderated ([`variance_prior`]).

pub(crate) mod adjustment;
pub(crate) mod block_correlation;
mod correlated_rows;
pub(crate) mod covariate_columns;
pub(crate) mod covariate_remover;
pub(crate) mod feature_variance;
pub(crate) mod latent_factors;
pub(crate) mod linear_fit;
mod robust_variance_prior;
pub(crate) mod sample_weights;
pub(crate) mod summed_design;
pub(crate) mod variance_prior;
pub(crate) mod variance_trend;
mod variance_trend_spline;
pub(crate) mod voom;

pub(crate) use adjustment::{Adjustment, Samples};

use crate::base::counted;
use crate::base::{Error, Note, NoteKind, OptionName, Place, Result, Weight, plural, text};
use crate::table::{BlockLayout, Target, View};
use correlated_rows::CorrelatedRows;
use covariate_columns::CovariateColumn;
use std::sync::Arc;

/// The rows of a view with the target's coding and what features are adjusted for.
pub(crate) struct Design {
    pub(crate) samples: Samples,
    /// For features without missing values.
    pub(crate) complete: Adjustment,
    /// Covariates that add nothing, rows that say nothing.
    pub(crate) notes: Vec<Note>,
}

impl Design {
    /// The design of a view whose blocks, if it has any, are crossed with its target.
    ///
    /// # Errors
    ///
    /// Covariates or blocks that determine the target, and too few rows for them.
    pub(crate) fn of(data: &View) -> Result<Design> {
        let rows = data.rows();
        let columns = covariate_columns::columns(data)?;
        let contrast = data.comparison().contrast;
        let noise = data.row_noise();
        let of_rows = |w: &[f64]| -> Vec<f64> { rows.iter().map(|&row| w[row as usize].sqrt()).collect() };
        let weights = match noise.and_then(|noise| noise.precisions.as_deref()) {
            Some(precisions) => Some(of_rows(precisions)),
            None => data.weights_by_class().map(|w| of_rows(&w)),
        };
        let correlation = noise.and_then(|noise| noise.correlation);
        let in_feature = |cells: &Vec<f64>| -> Vec<f64> { rows.iter().map(|&row| cells[row as usize]).collect() };
        let cells = noise.and_then(|noise| noise.cells.as_ref());
        let (blocks, layout) = match data.blocks() {
            None => (vec![0; rows.len()], None),
            Some((_, blocks)) => (blocks_from_zero(rows, blocks.codes()), Some(BlockLayout::of(data))),
        };
        let coded = data.coded_test();
        // what correlated rows have in common is no direction of its own: the mean is a column like others
        let (blocks, correlated) = match correlation {
            None => (blocks, None),
            Some(rho) => (vec![0; rows.len()], Some(CorrelatedRows::new(blocks, rho))),
        };
        let lacks_mean = coded.is_some_and(|coded| coded.lacks_mean);
        let mean = (correlated.is_some() && !lacks_mean).then(|| vec![1.0; rows.len()]);
        let means = usize::from(mean.is_some());
        let samples = Samples {
            roots: weights,
            precise: noise.is_some_and(|noise| noise.precisions.is_some() || noise.cells.is_some()),
            cells: cells.map(|cells| Arc::new(cells.iter().map(in_feature).collect())),
            blocks,
            covariates: mean.into_iter().chain(columns.iter().map(|column| column.values.clone())).collect(),
            target: target_columns(data, rows, contrast),
            no_mean: correlated.is_some() || coded.is_some_and(|coded| coded.no_mean),
            correlated,
            two_classes: data.target().n_classes() == Some(2) && noise.is_none(),
            several_classes: data.n_compared().is_some_and(|n| n > 2),
        };
        if (!samples.no_mean || means > 0) && samples.target.iter().all(|column| column.iter().all(|x| *x == column[0]))
        {
            return Err(constant_target(data.target_name()));
        }
        let complete = Adjustment::new(&samples).map_err(|_| confounded(data, &samples, &columns))?;
        let used = complete.rank() + complete.n_target();
        if samples.weight() <= used as f64 {
            return Err(too_few_rows(samples.len(), samples.weight(), used));
        }
        let covariates: Vec<&str> = columns.iter().map(|column| column.covariate.as_str()).collect();
        let dependents: Vec<usize> = complete.dependent.iter().filter_map(|at| at.checked_sub(means)).collect();
        let mut notes: Vec<Note> = dependent(&covariates, &dependents).into_iter().collect();
        if let (Some(BlockLayout::Mixed { constant }), None) = (layout, correlation) {
            notes.push(Note::new(NoteKind::Blocks, constant_blocks_words(constant)).weighing(Weight::Read));
        }
        Ok(Design { samples, complete, notes })
    }
}

/// Rows of blocks in which the target does not vary.
fn constant_blocks_words(rows: usize) -> String {
    let carry = plural(rows, "carries", "carry");
    format!("{} in blocks with a single value of the target {carry} no information about it", counted(rows, "row"))
}

/// The target's coding, and the further columns of a test.
pub(crate) fn target_columns(data: &View, rows: &[u32], contrast: Option<[u32; 2]>) -> Vec<Vec<f64>> {
    let mut columns = coding(data.target(), rows, contrast);
    let further = data.coded_test().map_or(&[][..], |coded| &coded.further);
    columns.extend(further.iter().map(|values| rows.iter().map(|&row| values[row as usize]).collect()));
    columns
}

/// The target of the rows as numbers: for two classes whether it is the positive one, for several a column for every class
/// that occurs but the first, or the numbers. Where two of several classes are compared, whether it is the second of them.
pub(crate) fn coding(target: &Target, rows: &[u32], contrast: Option<[u32; 2]>) -> Vec<Vec<f64>> {
    match target {
        Target::Real { values } | Target::Survival { times: values, .. } => {
            vec![rows.iter().map(|&row| values[row as usize]).collect()]
        }
        Target::Classes { codes, labels, positive } => {
            let is = |class: u32| rows.iter().map(|&row| f64::from(u8::from(codes[row as usize] == class))).collect();
            let occurs = |class: &u32| rows.iter().any(|&row| codes[row as usize] == *class);
            match (contrast, labels.len()) {
                (Some([_, class]), _) => vec![is(class)],
                (None, 2) => vec![is(*positive)],
                (None, n) => (0..n as u32).filter(occurs).skip(1).map(is).collect(),
            }
        }
    }
}

/// The block of each row, in numbers from 0 on without gaps.
fn blocks_from_zero(rows: &[u32], codes: &[u32]) -> Vec<u32> {
    let most = rows.iter().map(|&row| codes[row as usize] as usize + 1).max().unwrap_or(0);
    let mut number = vec![u32::MAX; most];
    let mut next = 0;
    rows.iter()
        .map(|&row| {
            let number = &mut number[codes[row as usize] as usize];
            if *number == u32::MAX {
                *number = next;
                next += 1;
            }
            *number
        })
        .collect()
}

/// The error of a target that cannot be told apart from covariates: it names those that suffice.
fn confounded(data: &View, samples: &Samples, columns: &[CovariateColumn]) -> Error {
    let names: Vec<&str> = data.covariates().iter().map(|covariate| covariate.name.as_str()).collect();
    // indicators of classes that are not compared have the target's name; a covariate may have it too
    let is_class = |name: &str| name == data.target_name() && !names.contains(&name);
    let determines = |wanted: &[&str]| {
        let is_wanted = |name: &str| is_class(name) || wanted.contains(&name);
        let only = columns.iter().filter(|column| is_wanted(&column.covariate));
        let covariates = only.map(|column| column.values.clone()).collect();
        Adjustment::new(&Samples { covariates, ..samples.clone() }).is_err()
    };
    let place = Place::default().at_column(data.target_name());
    if determines(&[]) {
        let name = data.blocks().map_or("block", |(name, _)| name);
        let problem = format!("the blocks of `{name}` determine the target");
        return Error::data(place, problem, "leave the blocks out, or give blocks that hold several classes");
    }
    determined_by(data.target_name(), &names, &|name| determines(&[name]))
}

/// The error of a target that no row tells apart.
pub(crate) fn constant_target(target: &str) -> Error {
    let place = Place::default().at_column(target);
    Error::data(place, "all rows have the same target", "give rows that differ in it")
}

/// The error of covariates of these names that determine the target, one of them alone or all together.
pub(crate) fn determined_by(target: &str, names: &[&str], alone: &dyn Fn(&str) -> bool) -> Error {
    let place = Place::default().at_column(target);
    let named = match names.iter().find(|name| alone(name)) {
        Some(name) => format!("the covariate `{name}` determines the target"),
        None => {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("the covariates {} together determine the target", quoted.join(", "))
        }
    };
    let remedy = text!["an effect of the target cannot be told from theirs: leave one out of ", OptionName::Covariate];
    Error::data(place, named, remedy)
}

/// The error of fewer rows, or less `weight` of rows, than coefficients.
pub(crate) fn too_few_rows(rows: usize, weight: f64, used: usize) -> Error {
    let rows = match rows > used {
        true => format!("with their weights {rows} rows count as {weight:.1}, too few"),
        false => counted(rows, "row"),
    };
    let problem = format!("{rows} for {}", counted(used, "coefficient"));
    Error::data(Place::default(), problem, "adjust for fewer covariates or blocks, or give more rows")
}

/// A note on covariates some of whose columns add nothing; `covariates` has the covariate of every column.
pub(crate) fn dependent(covariates: &[&str], dependent: &[usize]) -> Option<Note> {
    let mut names: Vec<String> = dependent.iter().map(|&at| covariates[at].to_string()).collect();
    names.dedup();
    let adds = |name: &String| {
        let own = covariates.iter().enumerate().filter(|(_, covariate)| *covariate == name);
        own.into_iter().any(|(at, _)| !dependent.contains(&at))
    };
    let (partly, wholly): (Vec<String>, Vec<String>) = names.into_iter().partition(adds);
    if partly.is_empty() && wholly.is_empty() {
        return None;
    }
    let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let text = match (wholly.is_empty(), partly.is_empty()) {
        (false, true) => format!("covariates that say nothing beyond the others are left out: {}", quoted(&wholly)),
        (true, _) => {
            format!("levels of covariates that say nothing beyond the others are left out: {}", quoted(&partly))
        }
        (false, false) => format!(
            "covariates, or levels of them, that say nothing beyond the others are left out: {}, {}",
            quoted(&wholly),
            quoted(&partly)
        ),
    };
    Some(Note::new(NoteKind::DependentCovariate, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_constant_blocks_are_told_in_the_singular_and_the_plural() {
        let wanted = "in blocks with a single value of the target";
        assert_eq!(constant_blocks_words(1), format!("1 row {wanted} carries no information about it"));
        assert_eq!(constant_blocks_words(2), format!("2 rows {wanted} carry no information about it"));
    }
}
