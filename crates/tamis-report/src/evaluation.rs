//! The page of a comparison of methods. Fields that are absent are not drawn.

use crate::escape::{html, json, prose};
use crate::frame;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use tamis::Result;

/// A comparison as `tamis evaluate` saves it; the script reads what it draws from it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Evaluation {
    /// The version of the program.
    #[serde(default)]
    pub tamis: String,
    /// What was read, one entry a file.
    #[serde(default)]
    pub inputs: Vec<Input>,
    /// What was read, where there is one file.
    #[serde(default, skip_serializing)]
    pub input: Option<Input>,
    /// The seed.
    #[serde(default)]
    pub seed: u64,
    /// Wall-clock seconds.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// How rows were split, in words.
    #[serde(default)]
    pub plan: String,
    /// One entry for every method, classifier and file.
    pub runs: Vec<Run>,
    /// Tests between runs.
    #[serde(default)]
    pub comparison: Option<Value>,
    /// What to use on these data.
    #[serde(default)]
    pub recommendation: Option<Recommendation>,
}

/// A file that was read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Input {
    /// Its name.
    pub file: String,
    /// Rows.
    pub rows: u64,
    /// Features.
    pub features: u64,
    /// How many rows each class has.
    pub classes: Option<BTreeMap<String, u64>>,
    /// The positive class, where there are two.
    pub positive: Option<String>,
}

/// What to use.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Recommendation {
    /// The run it names.
    #[serde(default)]
    pub label: String,
    /// Why, in words.
    #[serde(default)]
    pub text: String,
}

/// A method and a classifier on one file, over all folds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Run {
    /// Which input.
    #[serde(default)]
    pub input: usize,
    /// What it is called.
    #[serde(default)]
    pub label: String,
    /// Fold by fold.
    #[serde(default)]
    pub folds: Vec<Fold>,
    /// Over all folds.
    #[serde(default)]
    pub summary: Value,
    /// The ROC curve of all test rows.
    #[serde(default)]
    pub roc: Vec<Value>,
    /// Predicted and observed shares.
    #[serde(default)]
    pub calibration: Vec<Value>,
    /// How often each feature was selected, the most frequent first.
    #[serde(default)]
    pub frequency: Vec<Frequency>,
}

/// What plots need of one fold.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Fold {
    /// Features selected.
    #[serde(default)]
    pub n_selected: Option<f64>,
    /// Share of test rows on the wrong side.
    #[serde(default)]
    pub error: Option<f64>,
    /// Area under the ROC curve.
    #[serde(default)]
    pub auc: Option<f64>,
}

/// A feature and the share of folds that selected it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Frequency {
    /// The feature.
    #[serde(default)]
    pub name: String,
    /// The share of folds.
    #[serde(default)]
    pub frequency: f64,
}

/// Features listed for each run.
const LISTED: usize = 200;

/// Columns of the table of runs: head, where in the summary, digits, and how wide it is uncertain.
const SUMMARY: [(&str, &str, usize); 6] = [
    ("error", "/error", 3),
    ("AUC", "/auc", 3),
    ("kappa", "/kappa", 3),
    ("Brier", "/brier", 3),
    ("features", "/n_selected", 1),
    ("stability", "/stability/nogueira/stability", 2),
];

/// The whole page.
pub(crate) fn page(evaluation: &Evaluation) -> Result<String> {
    let mut data = evaluation.clone();
    if data.inputs.is_empty() {
        data.inputs.extend(data.input.take());
    }
    data.runs.iter_mut().for_each(|run| run.frequency.truncate(LISTED));
    for (at, run) in data.runs.iter_mut().enumerate() {
        if run.label.is_empty() {
            run.label = format!("run {}", at + 1);
        }
    }
    let told = data.recommendation.as_ref().map(|r| (r.label.clone(), r.text.clone())).unwrap_or_default();
    let files: Vec<&str> = data.inputs.iter().map(|i| i.file.as_str()).collect();
    let answer = match (&told.0, &told.1) {
        (label, _) if !label.is_empty() => format!("Recommended: {label}"),
        _ => format!("{} ways compared", data.runs.len()),
    };
    let mut said: Vec<String> = data
        .inputs
        .iter()
        .map(|i| format!("<dt>data</dt><dd>{}: {} rows, {} features</dd>\n", html(&i.file), i.rows, i.features))
        .collect();
    if !data.plan.is_empty() {
        said.push(format!("<dt>plan</dt><dd>{}</dd>\n", html(&data.plan)));
    }
    let seconds = data.seconds.map_or(String::new(), |s| format!(", {s:.1} s"));
    said.push(format!("<dt>made by</dt><dd>tamis {}, seed {}{seconds}</dd>\n", html(&data.tamis), data.seed));
    let more = if told.1.is_empty() { String::new() } else { format!("<p class=\"more\">{}</p>\n", prose(&told.1)) };
    let body = format!(
        "<header>\n<h1>{}</h1>\n{more}<dl>\n{}</dl>\n</header>\n<main>\n\
         <section id=\"evaluate\" aria-labelledby=\"evaluate-h\">\n<h2 id=\"evaluate-h\">Side by side</h2>\n\
         <p>Every number is from rows that neither the selection nor the classifier had seen.</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of runs\">\n{}</div>\n\
         <div class=\"figures\"></div>\n</section>\n",
        html(&answer),
        said.concat(),
        table(&data),
    );
    let title = format!("{answer} – {} – tamis", files.join(", "));
    let mut value = serde_json::to_value(&data).unwrap_or_default();
    if let Value::Object(fields) = &mut value {
        fields.insert("kind".into(), "evaluate".into());
    }
    Ok(frame::page(&title, &data.tamis, &body, &json(&value)?))
}

fn table(data: &Evaluation) -> String {
    let several = data.inputs.len() > 1;
    let known = |path: &str| data.runs.iter().any(|run| run.summary.pointer(path).is_some_and(Value::is_number));
    let columns: Vec<_> = SUMMARY.iter().filter(|(_, path, _)| known(path)).collect();
    let head: String = columns.iter().map(|(head, ..)| format!("<th scope=\"col\">{head}</th>")).collect();
    let file = if several { "<th scope=\"col\">data</th>" } else { "" };
    let mut out = format!("<table>\n<thead><tr><th scope=\"col\">run</th>{file}{head}</tr></thead>\n<tbody>\n");
    for run in &data.runs {
        let best = data.recommendation.as_ref().is_some_and(|r| r.label == run.label);
        let class = if best { " class=\"chosen\"" } else { "" };
        out.push_str(&format!("<tr{class}><th scope=\"row\">{}</th>", html(&run.label)));
        if several {
            let file = data.inputs.get(run.input).map_or("", |i| i.file.as_str());
            out.push_str(&format!("<td class=\"text\">{}</td>", html(file)));
        }
        for (_, path, digits) in &columns {
            out.push_str(&format!("<td>{}</td>", cell(&run.summary, path, *digits)));
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody>\n</table>\n"
}

/// A number with its interval or standard error, where there is one.
fn cell(summary: &Value, path: &str, digits: usize) -> String {
    let number = |path: &str| summary.pointer(path).and_then(Value::as_f64);
    let Some(value) = number(path) else { return "–".into() };
    let interval = if path.ends_with("/stability") {
        path.replace("/stability/nogueira/stability", "/stability/nogueira/interval_95")
    } else {
        format!("{path}_95")
    };
    let ends = (number(&format!("{interval}/0")), number(&format!("{interval}/1")));
    let spread = number(&format!("{path}_se")).or_else(|| number(&format!("{path}_sd")));
    let more = match (ends, spread) {
        ((Some(low), Some(high)), _) => format!("{low:.digits$}–{high:.digits$}"),
        (_, Some(spread)) => format!("± {spread:.digits$}"),
        _ => return format!("{value:.digits$}"),
    };
    format!("{value:.digits$} <small>{more}</small>")
}
