//! `tamis shrink`: which features matter, from statistics that exist already.

use crate::args;
use crate::outputs::{Files, Sources};
use crate::progress_bar::Bar;
use crate::select::finish;
use std::cell::RefCell;
use std::time::Instant;
use tamis::base::Place;
use tamis::result::{InputFacts, SelectionResult};
use tamis::score::given::{DegreesOfFreedom, GivenScores, degrees_of_freedom};
use tamis::sparse_means;
use tamis::table::tables_of_other_programs::{KnownTable, StatisticColumns, recognise};
use tamis::table::{self, Input, StatisticTable};
use tamis::{Context, Error, Method, Note, NoteKind};

pub fn run(args: &args::Shrink) -> anyhow::Result<()> {
    let started = Instant::now();
    args.run.running.apply()?;
    let Method::Shrink(means) = args.settings.method_with("shrink", [args.fdr.pair()])? else {
        return Err(Error::parameter("--method", "shrink", "it is not a method of this build").into());
    };
    args.saving.check(None)?;
    Files::check(&Sources::files([&args.file]), args.saving.outputs())?;
    let mut options = args.reading.options("");
    options.ids = args.id.iter().cloned().collect();

    let mut bar = Bar::new(&args.run.running);
    let input = Input::open(&args.file)?;
    let file = input.name().to_string();
    let known = RefCell::new(None);
    let choose = |names: &[String]| choose(args, names, &known);
    let read = table::read_statistics(input, &options, &choose, &mut bar)?;
    let known = known.into_inner();
    let target = read.columns.first().map_or_else(String::new, |(name, _)| name.clone());
    let given = given(args, &read, known.as_ref()).map_err(|error| in_file(error, &file))?;
    let context = &mut Context::new(args.run.seed(), &mut bar);
    let n = read.names.len();
    let mut selection = sparse_means::shrink_given(&means, read.names.into(), &given, context)?;
    drop(bar);
    selection.notes.splice(0..0, read.notes);

    let facts = InputFacts { file, rows: n, features: n, target, ..InputFacts::default() };
    let result = SelectionResult::new(&selection, facts, started.elapsed().as_secs_f64());
    finish(&result, None, &args.saving, &args.run.running, Files::default())
}

/// The columns to read: those that options name, else those of a table that is known by its header, else the only one.
fn choose(args: &args::Shrink, names: &[String], known: &RefCell<Option<KnownTable>>) -> tamis::Result<Vec<String>> {
    let mut chosen: Vec<String> = [&args.column, &args.beta, &args.se, &args.pvalue, &args.sign]
        .into_iter()
        .filter_map(|option| option.clone())
        .collect();
    // its statistic named alone means the same: the degrees of freedom follow from the p-values beside it
    let same_answer = |found: &KnownTable| match &found.columns {
        _ if chosen.is_empty() => true,
        StatisticColumns::StudentT { t: statistic, .. } | StatisticColumns::Scores { column: statistic, .. } => {
            args.column.as_ref() == Some(statistic)
        }
        _ => false,
    };
    if let Some(found) = recognise(names).filter(|found| args.df.is_none() && same_answer(found)) {
        let mut columns = found.columns.names();
        columns.extend(found.estimate.map(String::from));
        *known.borrow_mut() = Some(found);
        return Ok(columns);
    }
    if chosen.is_empty() {
        chosen.push(names[table::score_column(names, "")?].clone());
    }
    if let Some(df) = args.df.as_ref().filter(|df| df.parse::<f64>().is_err()) {
        chosen.push(df.clone());
    }
    Ok(chosen)
}

/// Scores from the columns that were read.
fn given(args: &args::Shrink, read: &StatisticTable, known: Option<&KnownTable>) -> tamis::Result<GivenScores> {
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
    if let Some(name) = args.pvalue.as_ref().filter(|name| is_adjusted(name)) {
        let expected =
            "these are adjusted p-values by their name; name the column of those before adjustment, or rename it";
        return Err(Error::parameter("--pvalue", name, expected));
    }
    let df = args.df.as_ref().map(|df| match df.parse::<f64>() {
        Ok(df) => DegreesOfFreedom::Same(df),
        Err(_) => DegreesOfFreedom::Each(column(read.columns.len() - 1).to_vec()),
    });
    match (&args.beta, &args.pvalue, &args.sign) {
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
fn of_known(known: &KnownTable, first: &[f64], second: &[f64]) -> tamis::Result<GivenScores> {
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
fn is_z(statistics: &[f64], p: &[f64]) -> tamis::Result<bool> {
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

/// An error about numbers, with the file that they are in.
fn in_file(error: Error, file: &str) -> Error {
    match error {
        Error::Data { place, problem, remedy } => {
            Error::Data { place: Place { file: Some(file.into()), ..place }, problem, remedy }
        }
        other => other,
    }
}
