//! The answer of `tamis evaluate` for people: the recommendation, then how the methods stand.

use crate::answer::printable;
use std::io::{self, Write};
use tamis::Note;
use tamis::NoteKind;
use tamis::evaluate::Run;
use tamis::front::{counted, visible};
use tamis::result::Evaluation;

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
    for note in notes.iter().filter(|n| n.kind != NoteKind::TargetRule) {
        writeln!(out, "note: {}", note)?;
    }
    Ok(())
}

fn percent(x: f64) -> String {
    format!("{:.1}", 100.0 * x)
}

fn one_table(evaluation: &Evaluation, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![
        [
            "method",
            "error %",
            "±",
            "AUC",
            "95 %",
            "kappa",
            "Brier",
            "log loss",
            "slope",
            "features",
            "±",
            "stability",
            "seconds",
        ]
        .map(String::from)
        .to_vec(),
    ];
    let mut order: Vec<&Run> = evaluation.runs.iter().collect();
    let merit = |run: &Run| run.summary.as_ref().map_or(f64::INFINITY, |s| s.auc.map_or(1.0 + s.error, |a| 1.0 - a));
    order.sort_by(|a, b| merit(a).total_cmp(&merit(b)));
    for run in &order {
        let Some(s) = &run.summary else { continue };
        let or_dash = |x: Option<String>| x.unwrap_or_else(|| "–".into());
        rows.push(vec![
            run.label.clone(),
            percent(s.error),
            percent(s.error_se),
            or_dash(s.auc.map(|a| format!("{a:.3}"))),
            or_dash(s.auc_95.map(|[low, high]| format!("{low:.3}–{high:.3}"))),
            or_dash(s.kappa.map(|k| format!("{k:.2}"))),
            format!("{:.3}", s.brier),
            format!("{:.3}", s.log_loss),
            or_dash(s.calibration_slope.map(|slope| format!("{slope:.2}"))),
            format!("{:.1}", s.n_selected),
            format!("{:.1}", s.n_selected_sd),
            or_dash(s.stability.as_ref().map(|s| format!("{:.2}", s.nogueira.stability))),
            format!("{:.2}", s.seconds),
        ]);
    }
    table(&rows, out)?;
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
    let mut rows = vec![vec!["error % (features)".to_string(), "rows".into(), "of".into()]];
    rows[0].extend(labels.iter().map(|l| (*l).to_string()));
    for (at, input) in evaluation.inputs.iter().enumerate() {
        let name = input.file.rsplit(['/', '\\']).next().unwrap_or(&input.file);
        let mut row = vec![visible(name).into_owned(), input.rows.to_string(), input.features.to_string()];
        for label in &labels {
            let run = evaluation.runs.iter().find(|r| r.input == at && r.label == *label);
            let cell =
                run.and_then(|r| r.summary.as_ref()).map(|s| format!("{} ({:.0})", percent(s.error), s.n_selected));
            row.push(cell.unwrap_or_else(|| "–".into()));
        }
        rows.push(row);
    }
    if let Some(ranks) = &evaluation.comparison.friedman {
        let mut row = vec!["average rank".to_string(), String::new(), String::new()];
        for label in &labels {
            let rank = ranks.average_ranks.iter().find(|(l, _)| l == label);
            row.push(rank.map_or("–".into(), |(_, rank)| format!("{rank:.2}")));
        }
        rows.push(row);
    }
    table(&rows, out)?;
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

/// Left-aligned first column, the others to the right.
fn table(rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    for row in rows {
        let mut line = format!("  {:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line.push_str(&format!("  {cell:>width$}"));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
