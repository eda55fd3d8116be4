//! The page of a selection: the answer, and its parts for the script to draw.

use crate::clusters;
use crate::escape::{html, json, prose, short};
use crate::frame;
use crate::groups;
use crate::movable_thresholds::{Rule, rules};
use crate::needed::{self, NeededPart};
use crate::sample_weights;
use crate::values::{self, ValuesPart};
use crate::volcano::{self, VolcanoPart};
use serde::Serialize;
use std::collections::HashSet;
use tamis::Result;
use tamis::front::{Cell, ColumnValues, ResultColumn};
use tamis::result::{SampleValues, SelectionResult};
use tamis::selection::detail::{
    FeatureLevels, FeaturePair, FitDetail, FittedCurve, MachineDetail, NpfsDetail, NullBand, PairsDetail,
};

/// Features in the table as the page is written, for readers without scripts.
const SHOWN: usize = 50;

/// Input of the script.
#[derive(Serialize)]
struct Data<'a> {
    kind: &'static str,
    target: &'a str,
    positive: Option<&'a str>,
    /// What a value of a feature is.
    value: &'static str,
    names: &'a [String],
    rank: &'a [u32],
    selected: Vec<usize>,
    /// Features selected because the user asked for them.
    kept: Vec<usize>,
    columns: Vec<ResultColumn<'a>>,
    rules: Vec<Rule>,
    /// Whether points are coloured by probability.
    coloured: bool,
    volcano: Option<VolcanoPart>,
    values: Option<ValuesPart>,
    fit: Option<FitPart>,
    npfs: Option<&'a NpfsDetail>,
    pairs: Option<PairsPart<'a>>,
    needed: Option<NeededPart>,
    machines: &'a [MachineDetail],
}

/// A fit with numbers as long as a plot needs.
#[derive(Serialize)]
struct FitPart {
    curve: FittedCurve,
    fraction_trace: Vec<f64>,
    /// The scores of random targets, on the scale of the scores.
    band: Option<NullBand>,
    /// Names and values for people.
    facts: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct PairsPart<'a> {
    threshold: f64,
    null: &'a [f64],
    pairs: &'a [FeaturePair],
    levels: &'a [FeatureLevels],
    classes: &'a [String],
}

impl PairsPart<'_> {
    fn of(found: &PairsDetail) -> PairsPart<'_> {
        let PairsDetail { threshold, null, pairs, levels, classes, .. } = found;
        PairsPart { threshold: *threshold, null, pairs, levels, classes }
    }
}

/// The whole page.
pub(crate) fn page(saved: &SelectionResult, values: Option<&SampleValues>) -> Result<String> {
    let kept: HashSet<&str> = saved.kept.iter().map(String::as_str).collect();
    let features = &saved.features;
    let data = Data {
        kind: "selection",
        target: &saved.input.target,
        positive: saved.input.positive.as_deref(),
        value: if saved.log_counts { "log₂ counts per million" } else { "value" },
        names: &features.names,
        rank: &features.ranks,
        selected: (0..features.len()).filter(|&i| features.selected[i]).collect(),
        kept: (0..features.len()).filter(|&i| kept.contains(features.names[i].as_str())).collect(),
        columns: shortened_columns(saved),
        rules: rules(saved),
        coloured: saved.has_probabilities(),
        volcano: volcano::part(saved),
        values: values.filter(|values| !values.features.is_empty()).and_then(|values| values::part(saved, values)),
        fit: saved.detail.fit.as_ref().map(|fit| fit_part(saved, fit)),
        npfs: saved.detail.npfs.as_ref(),
        pairs: saved.detail.pairs.as_ref().map(PairsPart::of),
        needed: needed::part(saved, values),
        machines: &saved.detail.machines,
    };
    let mut body = head(saved);
    let needed = needed::section(saved, data.needed.as_ref());
    let own = saved.method.name == "needed";
    if own {
        body.push_str(&needed);
    }
    if let Some(fit) = data.fit.as_ref().filter(|fit| !fit.curve.z.is_empty()) {
        body.push_str(&section("fit", "Scores and the fit", &fit_words(saved, fit.band.is_some())));
    }
    body.push_str(&table(saved, &data));
    body.push_str(&clusters::section(saved));
    body.push_str(&groups::section(saved));
    body.push_str(&sample_weights::section(saved));
    if !own {
        body.push_str(&needed);
    }
    if data.npfs.is_some() {
        let words = "How often the base chose each feature, compared with chance.";
        body.push_str(&section("npfs", "Bootstraps and the test", words));
    }
    if data.pairs.is_some() {
        let words = "A feature is selected if its best pair is more informative than any pair under permuted targets.";
        body.push_str(&section("pairs", "Permutations and pairs", words));
    }
    if !data.machines.is_empty() {
        let words = "The features and samples left after every iteration; with several classes, one machine per class.";
        body.push_str(&section("machines", "How the classifier learned", words));
    }
    Ok(frame::page(&title(saved), &saved.tamis, &body, &json(&data)?))
}

fn title(saved: &SelectionResult) -> String {
    let file = saved.input.file.rsplit(['/', '\\']).next().unwrap_or("");
    format!("{} of {} features – {file} – tamis", saved.n_selected, saved.features.len())
}

fn section(id: &str, heading: &str, words: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{heading}</h2>\n<p>{words}</p>\n\
         <div class=\"figures\"></div>\n</section>\n"
    )
}

fn fit_words(saved: &SelectionResult, band: bool) -> String {
    let scores = if saved.has_probabilities() {
        "The scores and the fitted model: noise, features with an effect, and their sum. Where the bars depart from the \
         sum, the model fits poorly."
    } else {
        "The scores, and the distribution expected of features without an effect."
    };
    let noise =
        " The band shows where 95 % of permuted targets have their scores: what noise looks like in this table.";
    format!("{scores}{}", if band { noise } else { "" })
}

/// Words that begin a line.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The answer: the sentence, the facts, the notes.
fn head(saved: &SelectionResult) -> String {
    let sentences = saved.sentences();
    let answer = capital(&sentences[0]);
    let (answer, rest) = answer.split_once("; ").unwrap_or((&answer, ""));
    let mut more = String::new();
    for line in [rest].into_iter().chain(sentences[1..].iter().map(String::as_str)).filter(|line| !line.is_empty()) {
        more.push_str(&format!("<p class=\"more\">{}</p>\n", html(&capital(line))));
    }
    for remark in saved.remarks() {
        more.push_str(&format!("<p class=\"remark\">{}</p>\n", prose(&remark)));
    }
    let notes: String = saved.notes.iter().map(|note| format!("<li>{}</li>\n", prose(&note.to_string()))).collect();
    let notes = if notes.is_empty() {
        String::new()
    } else {
        format!("<aside aria-label=\"Notes\">\n<h2>Notes</h2>\n<ul>\n{notes}</ul>\n</aside>\n")
    };
    let design =
        saved.design_words().map_or_else(String::new, |words| format!("<dt>design</dt><dd>{}</dd>\n", prose(&words)));
    format!(
        "<header>\n<h1>{}</h1>\n{more}<dl>\n<dt>data</dt><dd>{}</dd>\n{design}<dt>method</dt><dd>{}</dd>\n\
         <dt>made by</dt><dd>tamis {}, seed {}, {:.2} s</dd>\n</dl>\n</header>\n<main>\n{notes}",
        html(answer),
        prose(&saved.input_words()),
        prose(&format!("{}. {}", saved.method_words(), saved.method_summary())),
        html(&saved.tamis),
        saved.seed,
        saved.seconds,
    )
}

/// The decision, every feature, and the table: they move together.
fn table(saved: &SelectionResult, data: &Data) -> String {
    let features = &saved.features;
    let mut best: Vec<usize> = (0..features.len()).collect();
    best.sort_by_key(|&i| (!features.selected[i], features.ranks[i]));
    let head: String = ["rank", "feature"]
        .into_iter()
        .chain(data.columns.iter().map(|c| c.head))
        .map(|h| format!("<th scope=\"col\">{h}</th>"))
        .collect();
    let rows: String = best
        .iter()
        .take(SHOWN)
        .map(|&i| {
            let cells: String = data
                .columns
                .iter()
                .map(|c| match (c.values.cell(i, &features.names), &*c.values) {
                    (Some(Cell::Number(x)), _) if x.is_finite() => format!("<td>{x:.*}</td>", c.digits),
                    (Some(Cell::Count(n)), _) => format!("<td>{n}</td>"),
                    (Some(Cell::Text(text)), _) => format!("<td class=\"text\">{}</td>", html(text)),
                    (None, ColumnValues::Texts(_) | ColumnValues::Features(_)) => "<td class=\"text\"></td>".into(),
                    _ => "<td>–</td>".into(),
                })
                .collect();
            let class = if features.selected[i] { " class=\"chosen\"" } else { "" };
            let (rank, name) = (features.ranks[i], html(&features.names[i]));
            format!("<tr{class}><td>{rank}</td><th scope=\"row\">{name}</th>{cells}</tr>\n")
        })
        .collect();
    format!(
        "<section id=\"features\" aria-labelledby=\"features-h\">\n<h2 id=\"features-h\">Every feature</h2>\n\
         <div id=\"decision\"></div>\n<div class=\"figures wide\"></div>\n\
         <div class=\"figures\" id=\"closer\"></div>\n<div id=\"tools\"></div>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of features\">\n\
         <table id=\"table\">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n\
         <noscript><p>Without scripts this page lists at most {SHOWN} features; with scripts it shows all of \
         them, and plots.</p></noscript>\n<div id=\"pages\"></div>\n</section>\n"
    )
}

/// The columns with scores as long as a plot needs; probabilities and p-values are kept as they are.
fn shortened_columns(saved: &SelectionResult) -> Vec<ResultColumn<'_>> {
    const SHORTENED: [&str; 7] = ["score", "difference", "effect", "frequency", "explained", "p", "gain"];
    let mut columns = saved.columns();
    for column in columns.iter_mut().filter(|column| SHORTENED.contains(&column.key)) {
        if let ColumnValues::Numbers(values) = column.values.to_mut() {
            values.iter_mut().flatten().for_each(|x| *x = short(*x));
        }
    }
    columns
}

fn fit_part(saved: &SelectionResult, fit: &FitDetail) -> FitPart {
    const TRACED: usize = 2000;
    let all = |values: &[f64]| values.iter().copied().map(short).collect::<Vec<f64>>();
    let FittedCurve { z, irrelevant_density, relevant_density, effect } = &fit.curve;
    let curve = FittedCurve {
        z: all(z),
        irrelevant_density: all(irrelevant_density),
        relevant_density: all(relevant_density),
        effect: all(effect),
    };
    let mut fraction_trace = all(&fit.fraction_trace);
    fraction_trace.truncate(TRACED);
    // with an empirical null the scores shown are rescaled, and those of random targets are not
    let rescaled = saved.method.parameters.get("null").is_some_and(|null| null == "empirical");
    let band = fit.noise.as_ref().filter(|_| !rescaled).map(|found| {
        let NullBand { from, width, low, middle, high } = &found.band;
        NullBand { from: *from, width: *width, low: all(low), middle: all(middle), high: all(high) }
    });
    FitPart { curve, fraction_trace, band, facts: saved.fit_facts() }
}
