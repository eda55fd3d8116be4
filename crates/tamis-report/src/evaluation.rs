//! The page of a comparison of methods.

use crate::escape::{html, json, prose, text_cell};
use crate::frame;
use serde::Serialize;
use tamis::Result;
use tamis::evaluate::summary::Frequency;
use tamis::evaluate::{CalibrationBin, Comparison, Run, Summary, wilson};
use tamis::result::{Evaluation, InputFacts};

/// Features listed for each run.
const LISTED: usize = 200;

/// Input of the script: the parts of an evaluation that it draws.
#[derive(Serialize)]
struct Data<'a> {
    kind: &'static str,
    inputs: &'a [InputFacts],
    runs: Vec<RunData<'a>>,
    comparison: &'a Comparison,
}

#[derive(Serialize)]
struct RunData<'a> {
    input: usize,
    label: &'a str,
    folds: Vec<FoldData>,
    summary: Option<&'a Summary>,
    roc: Vec<CurvePoint>,
    calibration: &'a [CalibrationBin],
    frequency: &'a [Frequency],
}

#[derive(Serialize)]
struct FoldData {
    n_selected: usize,
    error: f64,
    auc: Option<f64>,
}

/// A point of a ROC curve.
#[derive(Serialize)]
struct CurvePoint {
    false_positive_rate: f64,
    true_positive_rate: f64,
    /// Wilson's interval for the share of positive rows found, where the positive class is known.
    interval_95: Option<[f64; 2]>,
}

/// The whole page.
pub(crate) fn page(evaluation: &Evaluation) -> Result<String> {
    let data = Data {
        kind: "evaluate",
        inputs: &evaluation.inputs,
        runs: evaluation.runs.iter().map(|run| run_data(run, evaluation)).collect(),
        comparison: &evaluation.comparison,
    };
    let answer = match &evaluation.recommendation {
        Some(best) => format!("Recommended: {}", best.label),
        None => format!("{} pipelines compared", evaluation.runs.len()),
    };
    let files: Vec<&str> = evaluation.inputs.iter().map(|input| input.file.as_str()).collect();
    let title = format!("{answer} – {} – tamis", files.join(", "));
    let body = head(evaluation, &answer)
        + "<main>\n<section id=\"evaluate\" aria-labelledby=\"evaluate-h\">\n<h2 id=\"evaluate-h\">Side by side</h2>\n\
           <p>Every number is from rows that neither the selection nor the classifier had seen.</p>\n\
           <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of runs\">\n"
        + &table(evaluation)
        + "</div>\n<div class=\"figures\"></div>\n</section>\n";
    Ok(frame::page(&title, &evaluation.tamis, &body, &json(&data)?))
}

fn run_data<'a>(run: &'a Run, evaluation: &Evaluation) -> RunData<'a> {
    let positives = evaluation.inputs.get(run.input).and_then(positive_rows);
    let roc = run.roc.iter().map(|point| CurvePoint {
        false_positive_rate: point.false_positive_rate,
        true_positive_rate: point.true_positive_rate,
        interval_95: positives.map(|n| wilson((point.true_positive_rate * n as f64).round() as u64, n)),
    });
    let folds = run.folds.iter().map(|f| FoldData { n_selected: f.n_selected, error: f.error, auc: f.auc });
    RunData {
        input: run.input,
        label: &run.label,
        folds: folds.collect(),
        summary: run.summary.as_ref(),
        roc: roc.collect(),
        calibration: &run.calibration,
        frequency: &run.frequency[..run.frequency.len().min(LISTED)],
    }
}

/// How many rows the positive class has.
fn positive_rows(input: &InputFacts) -> Option<u64> {
    input.classes.as_ref()?.get(input.positive.as_ref()?).copied()
}

/// The recommendation, the data and the plan.
fn head(evaluation: &Evaluation, answer: &str) -> String {
    let reason = evaluation
        .recommendation
        .as_ref()
        .map_or(String::new(), |best| format!("<p class=\"more\">{}</p>\n", prose(&best.text)));
    let inputs: String = evaluation
        .inputs
        .iter()
        .map(|i| format!("<dt>data</dt><dd>{}: {} rows, {} features</dd>\n", html(&i.file), i.rows, i.features))
        .collect();
    format!(
        "<header>\n<h1>{}</h1>\n{reason}<dl>\n{inputs}<dt>plan</dt><dd>{}</dd>\n\
         <dt>made by</dt><dd>tamis {}, seed {}, {:.1} s</dd>\n</dl>\n</header>\n",
        html(answer),
        html(&evaluation.plan),
        html(&evaluation.tamis),
        evaluation.seed,
        evaluation.seconds,
    )
}

/// A measure of a run: its value, and how sure it is.
struct Measure {
    value: f64,
    spread: Spread,
}

enum Spread {
    Interval([f64; 2]),
    Deviation(f64),
    Unknown,
}

impl Spread {
    fn interval(ends: Option<[f64; 2]>) -> Spread {
        ends.map_or(Spread::Unknown, Spread::Interval)
    }
}

/// A column of the table of runs.
struct Column {
    head: &'static str,
    digits: usize,
    measure: fn(&Summary) -> Option<Measure>,
}

const COLUMNS: [Column; 8] = [
    Column {
        head: "error",
        digits: 3,
        measure: |s| Some(Measure { value: s.error, spread: Spread::Deviation(s.error_se) }),
    },
    Column {
        head: "AUC",
        digits: 3,
        measure: |s| s.auc.map(|value| Measure { value, spread: Spread::interval(s.auc_95) }),
    },
    Column {
        head: "kappa",
        digits: 3,
        measure: |s| s.kappa.map(|value| Measure { value, spread: Spread::interval(s.kappa_95) }),
    },
    Column { head: "Brier", digits: 3, measure: |s| Some(Measure { value: s.brier, spread: Spread::Unknown }) },
    Column { head: "log loss", digits: 3, measure: |s| Some(Measure { value: s.log_loss, spread: Spread::Unknown }) },
    Column {
        head: "calibration slope",
        digits: 2,
        measure: |s| s.calibration_slope.map(|value| Measure { value, spread: Spread::Unknown }),
    },
    Column {
        head: "features",
        digits: 1,
        measure: |s| Some(Measure { value: s.n_selected, spread: Spread::Deviation(s.n_selected_sd) }),
    },
    Column {
        head: "stability",
        digits: 2,
        measure: |s| {
            let nogueira = &s.stability.as_ref()?.nogueira;
            Some(Measure { value: nogueira.stability, spread: Spread::Interval(nogueira.interval_95) })
        },
    },
];

fn table(evaluation: &Evaluation) -> String {
    let several = evaluation.inputs.len() > 1;
    let measured = |run: &Run, column: &Column| run.summary.as_ref().and_then(column.measure);
    let known = |column: &&Column| evaluation.runs.iter().any(|run| measured(run, column).is_some());
    let columns: Vec<&Column> = COLUMNS.iter().filter(known).collect();
    let head: String = columns.iter().map(|column| format!("<th scope=\"col\">{}</th>", column.head)).collect();
    let file = if several { "<th scope=\"col\">data</th>" } else { "" };
    let mut out = format!("<table>\n<thead><tr><th scope=\"col\">run</th>{file}{head}</tr></thead>\n<tbody>\n");
    for run in &evaluation.runs {
        let best = evaluation.recommendation.as_ref().is_some_and(|r| r.label == run.label);
        let class = if best { " class=\"chosen\"" } else { "" };
        out.push_str(&format!("<tr{class}><th scope=\"row\">{}</th>", html(&run.label)));
        if several {
            let file = evaluation.inputs.get(run.input).map_or("", |input| input.file.as_str());
            out.push_str(&text_cell(&html(file)));
        }
        for column in &columns {
            out.push_str(&format!("<td>{}</td>", cell(measured(run, column), column.digits)));
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody>\n</table>\n"
}

/// A number with its interval or deviation, where there is one.
fn cell(measure: Option<Measure>, digits: usize) -> String {
    let Some(Measure { value, spread }) = measure.filter(|m| m.value.is_finite()) else { return "–".into() };
    match spread {
        Spread::Interval([low, high]) => {
            format!("{value:.digits$} <small>{low:.digits$}–{high:.digits$}</small>")
        }
        Spread::Deviation(spread) => format!("{value:.digits$} <small>± {spread:.digits$}</small>"),
        Spread::Unknown => format!("{value:.digits$}"),
    }
}
