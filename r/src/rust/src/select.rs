//! Selections: from a table, and from scores that exist already.

use crate::answer;
use crate::input::{Dataset, Rows, method};
use crate::voice::RVoice;
use crate::work::{How, Outcome};
use extendr_api::prelude::*;
use std::time::Instant;
use tamis::catalogue::PreparedTable;
use tamis::result::{InputFacts, SelectionResult};
use tamis::score::given::{DegreesOfFreedom, GivenScores};
use tamis::table::counts::looks_like_counts;
use tamis::table::{Table, sample_like_columns};
use tamis::{Context, Error, Method, View, sparse_means};

/// Runs the selector of this name as the program does.
pub fn select(name: &str, settings: &Robj, data: List, second_look: bool, how: &How) -> Outcome<List> {
    let started = Instant::now();
    let mut method = method(name, settings)?;
    let rows = Rows::of(data)?;
    let data = rows.dataset()?;
    let trend = settings.as_list().is_some_and(|list| list.iter().any(|(name, _)| name == "trend"));
    if data.counts.normalize.gives_log_counts() && !trend {
        method.follow_trend();
    }
    let mut result = how.run(|context| of_dataset(&method, data, second_look, context))?;
    result.seconds = started.elapsed().as_secs_f64();
    answer::selection(result)
}

fn of_dataset(
    method: &Method,
    data: Dataset,
    second_look: bool,
    context: &mut Context,
) -> tamis::Result<SelectionResult> {
    let Dataset { columns, study, file, feature_groups, counts, normalize_given, about, .. } = data;
    let snbl = matches!(method, Method::Snbl(_));
    if !snbl && !feature_groups.is_empty() {
        let remedy = "only method = \"snbl\" names features together; leave it out";
        return Err(Error::parameter("feature_groups", method.name(), remedy));
    }
    let sparse = columns.is_sparse();
    let about_rows = study.notes_on_rows().into_iter().chain(about.notes()).collect::<Vec<_>>();
    // `snbl` reads the values where they lie; methods that read them many times get a copy
    let copied: Table;
    let view = if snbl {
        View::new(&columns, &study)?
    } else {
        copied = Table::of(&columns, study)?;
        copied.view()
    };
    let target = view.target_name().to_string();
    let mut prepared = PreparedTable::new(view, &counts)?;
    if snbl && !sparse {
        prepared.join_one_hot(&feature_groups);
    }
    let mut selection = prepared.select(method, second_look, context)?;
    let view = prepared.view();
    let about_counts = prepared.notes_on_counts().unwrap_or_else(|| match normalize_given {
        true => vec![],
        false => looks_like_counts(&view, &RVoice).into_iter().collect(),
    });
    let about_names = sample_like_columns(view.names().iter().map(String::as_str), &RVoice);
    let about_groups = prepared.merged().map(|merged| merged.note.clone());
    selection.notes.splice(0..0, about_rows.into_iter().chain(about_names).chain(about_counts).chain(about_groups));
    let result = SelectionResult::new(&selection, InputFacts::of(file, &target, &view), 0.0);
    Ok(match prepared.merged() {
        Some(merged) => {
            result.with_columns(&merged.members, &prepared.names()).with_feature_groups(&merged.groups(&feature_groups))
        }
        None => result.with_feature_groups(&feature_groups),
    })
}

/// Empirical Bayes on z, on estimates with standard errors, or on p-values. `written` is how the user wrote them.
pub fn shrink(settings: &Robj, names: Vec<String>, given: &List, written: &str, how: &How) -> Outcome<List> {
    let started = Instant::now();
    let Method::Shrink(means) = method("shrink", settings)? else {
        return Err(Error::parameter("method", "shrink", "it is not a method of this build").into());
    };
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
    let n = names.len();
    let found = how.run(|context| sparse_means::shrink_given(&means, names.into(), &scores, context))?;
    let facts =
        InputFacts { file: written.into(), rows: n, features: n, target: target.into(), ..InputFacts::default() };
    answer::selection(SelectionResult::new(&found, facts, started.elapsed().as_secs_f64()))
}
