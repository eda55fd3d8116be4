//! Selections: from a table, and from scores that exist already.

use crate::answer;
use crate::input::{Dataset, Rows, method};
use crate::work::{How, Outcome};
use extendr_api::prelude::*;
use tamis::Analysis;
use tamis::analysis::Data;
use tamis::front::{DegreesOfFreedom, GivenScores};

/// Runs the selector of this name as the program does.
pub fn select(name: &str, settings: &Robj, data: List, [second_look, needed]: [bool; 2], how: &How) -> Outcome<List> {
    let rows = Rows::of(data)?;
    let Dataset { columns, study, file, preparation, about } = rows.dataset()?;
    let analysis = Analysis {
        method: method(name, settings)?,
        preparation,
        second_look: (!second_look).then_some(false),
        needed: (!needed).then_some(false),
        sample_values: true,
        seed: how.seed,
        ..Analysis::default()
    };
    let found = how.run(|context| analysis.select(&about.told(Data::of_columns(file, &columns, &study)?), context))?;
    answer::selection(found.result, found.values.as_ref())
}

/// Empirical Bayes on z, on estimates with standard errors, or on p-values. `written` is how the user wrote them.
pub fn shrink(settings: &Robj, names: Vec<String>, given: &List, written: &str, how: &How) -> Outcome<List> {
    let analysis = Analysis { method: method("shrink", settings)?, seed: how.seed, ..Analysis::default() };
    let part = |name: &str| given.dollar(name).ok().and_then(|x| x.as_real_vector());
    let df = part("df").map(|df| match df.as_slice() {
        [one] => DegreesOfFreedom::Same(*one),
        _ => DegreesOfFreedom::Each(df),
    });
    let (scores, target) = match (part("z"), part("beta"), part("se"), part("p")) {
        (_, Some(beta), Some(se), _) => (GivenScores::of_estimates(&beta, &se, df.as_ref())?, "beta"),
        (_, _, _, Some(p)) => (GivenScores::of_p_values(&p, part("sign").as_deref())?, "p"),
        (z, ..) => (GivenScores::of_scores(&z.unwrap_or_default(), df.as_ref())?, "z"),
    };
    let called = (written.to_string(), target.to_string());
    let found = how.run(|context| analysis.shrink(names, &scores, called, context))?;
    answer::selection(found.result, None)
}
