//! The answer of `tamis evaluate` for people: the recommendation, then how the methods stand.

use crate::layout::{Column, in_blocks, printable, table};
use std::io::{self, Write};
use tamis::Note;
use tamis::evaluate::{Run, Summary};
use tamis::front::{counted, note, visible};
use tamis::result::{Evaluation, InputFacts};

/// Prints the whole answer.
pub fn print(evaluation: &Evaluation, out: &mut dyn Write) -> io::Result<()> {
    match &evaluation.recommendation {
        Some(best) => writeln!(out, "{}", visible(&best.text))?,
        None => writeln!(out, "no method can be recommended: too few of them could be used on these data")?,
    }
    writeln!(out)?;
    if let [input] = evaluation.inputs.as_slice() {
        let classes: Vec<String> =
            input.classes.iter().flatten().map(|(name, rows)| format!("{rows} {}", printable(name))).collect();
        writeln!(
            out,
            "  data   {}: {} ({}), {}",
            visible(&input.file),
            input.rows_in_words(),
            classes.join(", "),
            counted(input.features, "feature")
        )?;
    } else {
        writeln!(out, "  data   {} tables", evaluation.inputs.len())?;
    }
    writeln!(out, "  folds  {}; everything is learned from the training rows", evaluation.plan)?;
    writeln!(out, "  seed   {}; {:.1} s", evaluation.seed, evaluation.seconds)?;
    writeln!(out)?;
    if evaluation.inputs.len() == 1 { one_table(evaluation, out) } else { several_tables(evaluation, out) }
}

/// Prints notes on standard error.
pub fn notes(notes: &[Note], out: &mut dyn Write) -> io::Result<()> {
    for note in note::remarks(notes) {
        writeln!(out, "note: {}", note)?;
    }
    Ok(())
}

fn percent(x: f64) -> String {
    format!("{:.1}", 100.0 * x)
}

fn one_table(evaluation: &Evaluation, out: &mut dyn Write) -> io::Result<()> {
    let mut order: Vec<(&Run, &Summary)> =
        evaluation.runs.iter().filter_map(|run| Some((run, run.summary.as_ref()?))).collect();
    let merit = |s: &Summary| s.auc.map_or(1.0 + s.error, |a| 1.0 - a);
    order.sort_by(|(_, a), (_, b)| merit(a).total_cmp(&merit(b)));
    let numbers = |head: &str, cell: &dyn Fn(&Summary) -> Option<String>| {
        Column::numbers(head, order.iter().map(|(_, s)| cell(s).unwrap_or_else(|| "–".into())).collect())
    };
    let columns = vec![
        Column::whole_words("method", order.iter().map(|(run, _)| run.label.clone()).collect()),
        numbers("error %", &|s| Some(percent(s.error))),
        numbers("±", &|s| Some(percent(s.error_se))).spare(2),
        numbers("AUC", &|s| s.auc.map(|a| format!("{a:.3}"))),
        numbers("95 %", &|s| s.auc_95.map(|[low, high]| format!("{low:.3}–{high:.3}"))).spare(1),
        numbers("kappa", &|s| s.kappa.map(|k| format!("{k:.2}"))).spare(8),
        numbers("Brier", &|s| Some(format!("{:.3}", s.brier))).spare(7),
        numbers("log loss", &|s| Some(format!("{:.3}", s.log_loss))).spare(4),
        numbers("slope", &|s| s.calibration_slope.map(|slope| format!("{slope:.2}"))).spare(6),
        numbers("features", &|s| Some(format!("{:.1}", s.n_selected))),
        numbers("±", &|s| Some(format!("{:.1}", s.n_selected_sd))).spare(5),
        numbers("stability", &|s| s.stability.as_ref().map(|s| format!("{:.2}", s.nogueira.stability))),
        numbers("seconds", &|s| Some(format!("{:.2}", s.seconds))).spare(3),
    ];
    table(columns, out)?;
    failures(evaluation, out)?;
    let different: Vec<String> = evaluation
        .comparison
        .pairs
        .iter()
        .filter(|p| p.paired_t_p.or(p.discordant_p).is_some_and(|p| p < 0.05))
        .map(|p| {
            let (better, worse) = if p.difference < 0.0 { (&p.a, &p.b) } else { (&p.b, &p.a) };
            format!("{better} beats {worse} (p = {:.3})", p.paired_t_p.or(p.discordant_p).unwrap_or(1.0))
        })
        .collect();
    writeln!(out)?;
    match different.is_empty() {
        true => writeln!(out, "  no two differ significantly in error (5 %)"),
        false => writeln!(
            out,
            "  significant differences (5 %, not corrected for the number of pairs): {}",
            different.join("; ")
        ),
    }?;
    frequencies(evaluation, out)
}

/// How often the recommended pipeline used its features.
fn frequencies(evaluation: &Evaluation, out: &mut dyn Write) -> io::Result<()> {
    const SHOWN: usize = 10;
    let best = evaluation.recommendation.as_ref().map(|r| &r.label);
    let Some(run) = evaluation.runs.iter().find(|run| Some(&run.label) == best) else { return Ok(()) };
    if run.frequency.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = run
        .frequency
        .iter()
        .take(SHOWN)
        .map(|f| format!("{} {:.0} %", printable(&f.name), 100.0 * f.frequency))
        .collect();
    let more = if run.frequency.len() > SHOWN {
        format!(", … ({} more)", run.frequency.len() - SHOWN)
    } else {
        String::new()
    };
    writeln!(out, "  features used by {} (share of folds): {}{more}", run.label, shown.join(", "))
}

fn failures(evaluation: &Evaluation, out: &mut dyn Write) -> io::Result<()> {
    for run in &evaluation.runs {
        if let Some(reason) = &run.failed {
            let file = &evaluation.inputs[run.input].file;
            let place = if evaluation.inputs.len() > 1 { format!(" on {file}") } else { String::new() };
            writeln!(out, "  {}{} could not be used: {}", run.label, visible(&place), reason)?;
        }
    }
    Ok(())
}

fn several_tables(evaluation: &Evaluation, out: &mut dyn Write) -> io::Result<()> {
    let mut labels: Vec<&str> = Vec::new();
    for run in &evaluation.runs {
        if !labels.contains(&run.label.as_str()) {
            labels.push(&run.label);
        }
    }
    let ranks = evaluation.comparison.friedman.as_ref();
    let tables = |cell: &dyn Fn(usize, &InputFacts) -> String, last: &str| {
        let cells = evaluation.inputs.iter().enumerate().map(|(at, input)| cell(at, input));
        cells.chain(ranks.map(|_| last.to_string())).collect::<Vec<String>>()
    };
    let name = |input: &InputFacts| printable(input.file.rsplit(['/', '\\']).next().unwrap_or(&input.file));
    let first = vec![
        Column::words("error % (features)", tables(&|_, input| name(input), "average rank")),
        Column::numbers("rows", tables(&|_, input| input.rows.to_string(), "")),
        Column::numbers("of", tables(&|_, input| input.features.to_string(), "")),
    ];
    let of_method = |label: &str| {
        let rank = ranks.and_then(|ranks| ranks.average_ranks.iter().find(|(l, _)| l == label));
        let cell = |at: usize, _: &InputFacts| {
            let run = evaluation.runs.iter().find(|r| r.input == at && r.label == label);
            run.and_then(|r| r.summary.as_ref())
                .map_or_else(|| "–".into(), |s| format!("{} ({:.0})", percent(s.error), s.n_selected))
        };
        let last = rank.map_or_else(|| "–".into(), |(_, rank)| format!("{rank:.2}"));
        Column::numbers(label, tables(&cell, &last))
    };
    in_blocks(&first, labels.into_iter().map(of_method).collect(), out)?;
    if let Some(ranks) = &evaluation.comparison.friedman {
        writeln!(out)?;
        writeln!(
            out,
            "  Friedman over {}: p = {:.4}; any two differ if their ranks are {:.2} apart (Nemenyi, 5 %)",
            counted(ranks.data_sets, "table"),
            ranks.f_p,
            ranks.critical_difference_nemenyi
        )?;
    }
    failures(evaluation, out)
}
