//! The test on a selection matrix from elsewhere, of which nothing else is known.

use super::chosen_by_run::SelectionRuns;
use super::{Base, Npfs, NullModel};
use crate::base::{Describe, Error, Parameter, Place, Result, parameter};
use crate::selection::Selection;
use crate::table::Table;

/// The test of [`decide_matrix`] with some of its parameters set from text: `null`, `alpha`, `adjust`, `beta`.
pub fn matrix_test(settings: &[(&str, &str)]) -> Result<Npfs> {
    let known: Vec<Parameter> =
        Npfs::described().into_iter().filter(|p| ["null", "alpha", "adjust", "beta"].contains(&p.name)).collect();
    let test =
        parameter::set(Npfs { base: Base::Matrix, null: NullModel::Binomial, ..Npfs::default() }, &known, settings)?;
    validate(&test)?;
    test.check_effect(&settings.iter().map(|(key, _)| *key).collect::<Vec<_>>())?;
    Ok(test)
}

/// The test on a selection matrix from elsewhere: a row per run, a column per feature, 1 where it was chosen; the
/// table's target is not looked at. `null` is `binomial` or `stability`: there is nothing to permute.
pub fn decide_matrix(test: &Npfs, matrix: &Table) -> Result<Selection> {
    let test = Npfs { base: Base::Matrix, ..test.clone() };
    validate(&test)?;
    let chosen = chosen(matrix)?;
    let test = Npfs { bootstraps: chosen.len(), ..test };
    let usable = (0..matrix.names().len() as u32).collect();
    let runs = SelectionRuns { chosen, null: vec![], alone: vec![], usable, notes: vec![], k: None };
    test.decide(runs, matrix.names(), test.clone(), 0, |_| {})
}

/// Refuses parameters out of range, and the null hypothesis that needs a target.
fn validate(test: &Npfs) -> Result<()> {
    if test.null == NullModel::Permutation {
        let expected = "a ready matrix has no target to permute; use binomial or stability";
        return Err(Error::parameter("null", "permutation", expected));
    }
    test.validate_test()
}

/// The features chosen in each run.
fn chosen(matrix: &Table) -> Result<Vec<Vec<u32>>> {
    let runs = matrix.n_rows();
    if runs < 2 {
        return Err(Error::data(Place::default(), "there are fewer than 2 runs", "give a row per run"));
    }
    let mut chosen = vec![vec![]; runs];
    for (feature, (column, name)) in matrix.columns().iter().zip(matrix.names().iter()).enumerate() {
        for (run, chosen) in chosen.iter_mut().enumerate() {
            match column.numbers().map(|x| x[run]) {
                Some(0.0) => {}
                Some(1.0) => chosen.push(feature as u32),
                _ => {
                    let place = Place::default().at_row(run as u64 + 1).at_column(name);
                    let problem = format!("`{}` is neither 0 nor 1", column.text(run));
                    let remedy = "give a row per run and a column per feature, with 1 where the feature was chosen";
                    return Err(Error::data(place, problem, remedy));
                }
            }
        }
    }
    Ok(chosen)
}
