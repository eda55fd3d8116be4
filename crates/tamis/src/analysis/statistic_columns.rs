//! The columns of a table that make scores: those that a user names, or those of a table that another program has written.

use crate::base::{Error, Note, NoteKind, OptionName, Place, Result};
use crate::score::given::{DegreesOfFreedom, GivenScores, degrees_of_freedom};
use crate::table::tables_of_other_programs::{KnownTable, StatisticColumns, recognise};
use crate::table::{self, StatisticTable};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// The columns that a user names; those of a table that is known by its header, or its only column, where none is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestedStatistics {
    /// Scores, each N(0, 1) if its feature does not matter; or t statistics, with `df`.
    pub column: Option<String>,
    /// Estimates, with `se`.
    pub beta: Option<String>,
    /// Their standard errors.
    pub se: Option<String>,
    /// Two-sided p-values.
    pub pvalue: Option<String>,
    /// Numbers whose signs the p-values have.
    pub sign: Option<String>,
    /// Degrees of freedom: a number, or a column.
    pub df: Option<String>,
}

/// The columns to read: those that options name, else those of a table that is known by its header, else the only one.
pub(super) fn choose(
    wanted: &RequestedStatistics,
    names: &[String],
    known: &RefCell<Option<KnownTable>>,
) -> Result<Vec<String>> {
    let mut chosen: Vec<String> = [&wanted.column, &wanted.beta, &wanted.se, &wanted.pvalue, &wanted.sign]
        .into_iter()
        .filter_map(|option| option.clone())
        .collect();
    // its statistic named alone means the same: the degrees of freedom follow from the p-values beside it
    let same_answer = |found: &KnownTable| match &found.columns {
        _ if chosen.is_empty() => true,
        StatisticColumns::StudentT { t: statistic, .. } | StatisticColumns::Scores { column: statistic, .. } => {
            wanted.column.as_ref() == Some(statistic)
        }
        _ => false,
    };
    if let Some(found) = recognise(names).filter(|found| wanted.df.is_none() && same_answer(found)) {
        let mut columns = found.columns.names();
        columns.extend(found.estimate.map(String::from));
        *known.borrow_mut() = Some(found);
        return Ok(columns);
    }
    if chosen.is_empty() {
        chosen.push(names[table::score_column(names, "")?].clone());
    }
    if let Some(df) = wanted.df.as_ref().filter(|df| df.parse::<f64>().is_err()) {
        chosen.push(df.clone());
    }
    Ok(chosen)
}

/// Scores from the columns that were read.
pub(super) fn given(
    wanted: &RequestedStatistics,
    read: &StatisticTable,
    known: Option<&KnownTable>,
) -> Result<GivenScores> {
    let column = |at: usize| read.columns.get(at).map_or(&[][..], |(_, values)| values.as_slice());
    if let Some(known) = known {
        if let StatisticColumns::Scores { column: statistic, p } = &known.columns
            && !is_z(column(0), column(1))?
        {
            let columns = StatisticColumns::Unsigned { p: p.clone() };
            let told = format!("{} (`{statistic}` is not z: a likelihood ratio?)", columns.words());
            return Ok(with_use(known, &told, GivenScores::of_p_values(column(1), None)?));
        }
        let given = of_known(known, column(0), column(1))?;
        return Ok(match known.estimate {
            Some(_) => given.with_estimates(column(read.columns.len() - 1), column(0)),
            None => given,
        });
    }
    if let Some(name) = wanted.pvalue.as_ref().filter(|name| is_adjusted(name)) {
        let expected =
            "these are adjusted p-values by their name; name the column of those before adjustment, or rename it";
        return Err(Error::parameter(OptionName::PValue, name, expected));
    }
    let df = wanted.df.as_ref().map(|df| match df.parse::<f64>() {
        Ok(df) => Ok(DegreesOfFreedom::Same(df)),
        Err(_) => each_df(df, column(read.columns.len() - 1)),
    });
    let df = df.transpose()?;
    match (&wanted.beta, &wanted.pvalue, &wanted.sign) {
        (Some(_), _, _) => GivenScores::of_estimates(column(0), column(1), df.as_ref()),
        (None, Some(_), Some(_)) => GivenScores::of_p_values(column(0), Some(column(1))),
        (None, Some(_), None) => GivenScores::of_p_values(column(0), None),
        (None, None, _) => GivenScores::of_scores(column(0), df.as_ref()),
    }
}

/// Whether a column is called like p-values after adjustment for many tests.
fn is_adjusted(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("adj") || matches!(name.as_str(), "fdr" | "qvalue" | "q_value" | "q.value" | "qval" | "q" | "bh")
}

/// Scores of a table that another program has written, with a note on what is used of it.
fn of_known(known: &KnownTable, first: &[f64], second: &[f64]) -> Result<GivenScores> {
    let mut used = known.columns.words();
    let given = match &known.columns {
        StatisticColumns::StudentT { .. } => match degrees_of_freedom(first, second) {
            Some(df) if df.is_finite() => {
                used.push_str(&format!(" with {df:.1} degrees of freedom"));
                GivenScores::of_scores(first, Some(&DegreesOfFreedom::Same(df)))?
            }
            Some(_) => GivenScores::of_scores(first, None)?,
            None => {
                used.push_str(" by the p-values beside it, for degrees of freedom differ");
                GivenScores::of_p_values(second, Some(first))?
            }
        },
        StatisticColumns::PValues { .. } => GivenScores::of_p_values(first, Some(second))?,
        StatisticColumns::Unsigned { .. } => GivenScores::of_p_values(first, None)?,
        _ => GivenScores::of_scores(first, None)?.without_p_values(second),
    };
    Ok(with_use(known, &used, given))
}

/// Scores with a note on what is used of a table.
fn with_use(known: &KnownTable, used: &str, mut given: GivenScores) -> GivenScores {
    let text = format!("this is a table of {}: using {used}", known.written_by);
    given.notes.insert(0, Note::new(NoteKind::GivenScores, text));
    given
}

/// Whether statistics are z by the p-values beside them: not so if none is below 0 and most have another p-value.
fn is_z(statistics: &[f64], p: &[f64]) -> Result<bool> {
    if statistics.iter().any(|x| *x < 0.0) {
        return Ok(true);
    }
    const LARGEST: f64 = 8.0; // beyond it p-values underflow or are written with too few digits
    const CLOSE: f64 = 0.05; // both may be rounded
    let by_p = GivenScores::of_p_values(p, Some(statistics))?.z;
    let known = || statistics.iter().zip(&by_p).filter(|(x, z)| **x < LARGEST && !z.is_nan());
    let other = known().filter(|(x, z)| (**x - **z).abs() > CLOSE * x.max(1.0)).count();
    Ok(2 * other <= known().count())
}

/// A column of degrees of freedom, all above 0 or missing.
fn each_df(name: &str, values: &[f64]) -> Result<DegreesOfFreedom> {
    match values.iter().position(|df| *df <= 0.0) {
        None => Ok(DegreesOfFreedom::Each(values.to_vec())),
        Some(row) => {
            let place = Place::default().at_row(row as u64 + 1).at_column(name);
            let problem = format!("{} is no number of degrees of freedom", values[row]);
            Err(Error::data(place, problem, "give numbers above 0, or leave the cell empty"))
        }
    }
}
