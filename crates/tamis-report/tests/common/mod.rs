//! Results of every kind to draw.
#![allow(dead_code, clippy::unwrap_used)]

use serde_json::{Value, json};
use tamis::result::{ColumnValues, InputFacts, SampleValues, SelectionResult};
use tamis::simulate::TwoGroups;
use tamis::sparse_means::{SparseMeans, shrink};
use tamis::table::Target;
use tamis::{Context, Method, Selection, Selector, Snbl, Table};

/// A selection from `n` scores `f0`, `f1`, …, of which the first `strong` are far from zero.
pub fn scores(n: usize, strong: usize) -> SelectionResult {
    let names = (0..n).map(|i| format!("f{i}")).collect();
    named(names, strong)
}

fn named(names: Vec<String>, strong: usize) -> SelectionResult {
    let n = names.len();
    // quantiles of a normal, in an order that looks like none
    let spread = |i: usize| {
        let u = ((i * 7919) % n) as f64 / n as f64 + 0.5 / n as f64;
        4.91 * (u.powf(0.14) - (1.0 - u).powf(0.14))
    };
    let z: Vec<f64> = (0..n)
        .map(|i| {
            if i < strong {
                (3.0 + 3.0 * i as f64 / strong as f64) * if i % 2 == 0 { 1.0 } else { -1.0 }
            } else {
                spread(i)
            }
        })
        .collect();
    let selection = shrink(&SparseMeans::default(), names.into(), &z, &mut Context::default()).unwrap();
    save(&selection, n)
}

pub fn save(selection: &Selection, rows: usize) -> SelectionResult {
    let features = selection.names.len();
    let facts = InputFacts { file: "in.csv".into(), rows, features, target: "z".into(), ..InputFacts::default() };
    SelectionResult::new(selection, facts, 0.5)
}

/// Names that try to be more than names.
pub fn hostile() -> SelectionResult {
    let names = [
        "<script>window.hacked = 1</script>",
        "</script><script>window.hacked = 1</script>",
        "<img src=x onerror='window.hacked = 1'>",
        "\"><b>bold</b>",
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        " =1",
        "\t=1",
        "a,b;\"c\"",
        "tab\there",
        "right\u{202e}left",
        "${7*7} {{7*7}}",
        "constructor",
        "__proto__",
        "",
        "名前 ñ 🙂",
        "<svg onload='window.hacked = 1'>",
        "<a href='javascript:window.hacked = 1'>click</a>",
        "javascript:window.hacked=1",
        "' onmouseover='window.hacked = 1",
        "\" onfocus=\"window.hacked = 1\" autofocus=\"",
        "<iframe srcdoc='<script>parent.hacked = 1</script>'>",
        "<!-- <script>window.hacked = 1</script>",
        "]]><script>window.hacked = 1</script>",
        "<style>body { display: none }</style>",
        "</style></title></textarea><b>x</b>",
        "&lt;script&gt;window.hacked = 1&lt;/script&gt;",
        "\\u003cscript\\u003e",
        "`${window.hacked = 1}`",
        "\u{1b}[31mred",
        "zero\u{200b}width",
        "\u{2028}line\u{2029}",
        "toString",
        "hasOwnProperty",
        "NaN",
        "null",
        "%00%0d%0a",
        "{{constructor.constructor('window.hacked = 1')()}}",
    ];
    assert_eq!(names.len(), 40);
    let mut saved = named(names.iter().map(|n| n.to_string()).collect(), 6);
    let clusters = saved.features.selected.iter().map(|selected| selected.then_some(1)).collect();
    saved.features.put("cluster", ColumnValues::Counts(clusters));
    saved.input.file = "<b>file</b>.csv".into();
    saved.input.target = "</title><script>window.hacked = 1</script>".into();
    let message = "<img src=x onerror='window.hacked = 1'>";
    saved.notes.push(tamis::Note::new(tamis::NoteKind::RowNames, message));
    saved
}

/// The numbers of a column in which every feature has one.
pub fn numbers(saved: &SelectionResult, column: &str) -> Vec<f64> {
    (0..saved.features.len()).map(|feature| saved.features.number(column, feature).unwrap()).collect()
}

/// Gives a feature another number, or none.
pub fn change(saved: &mut SelectionResult, column: &str, feature: usize, number: Option<f64>) {
    let Some(ColumnValues::Numbers(mut numbers)) = saved.features.column(column).cloned() else { panic!("{column}") };
    numbers[feature] = number;
    saved.features.put(column.to_string(), ColumnValues::Numbers(numbers));
}

/// The saved result of a method on a small table.
pub fn of_method(name: &str, settings: &[(&str, &str)]) -> SelectionResult {
    let setup = TwoGroups { rows: 60, features: 30, relevant: 4, effect: (1.5, 2.5) };
    let drawn = setup.draw(3).unwrap();
    let view = drawn.table.view();
    let selection =
        Method::from_settings(name, settings.to_vec()).unwrap().select(&view, &mut Context::default()).unwrap();
    SelectionResult::new(&selection, InputFacts::of("small.csv", "group", &view), 0.1)
}

/// Numbers between -1 and 1 in an order that looks like none.
pub fn noise(row: usize, column: usize) -> f64 {
    let mixed =
        (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (column as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A selection from 20 features, of which the first four follow `signal`, with the values of those that are selected.
pub fn with_values(signal: &[f64], target: Target, names: &[&str]) -> (SelectionResult, SampleValues) {
    let rows = signal.len();
    let follows = |row: usize, column: usize| if column < 4 { 2.0 * signal[row] } else { 0.0 };
    let column = |j: usize| (0..rows).map(|row| noise(row, j) + follows(row, j)).collect::<Vec<f64>>();
    let mut columns: Vec<Vec<f64>> = (0..20).map(column).collect();
    columns[0][1] = f64::NAN;
    columns[19] = vec![7.0; rows];
    let name = |j: usize| names.get(j).map_or_else(|| format!("f{j}"), |name| name.to_string());
    let table = Table::new((0..20).map(name).collect(), columns, "y", target).unwrap();
    let view = table.view();
    let selection = Snbl::default().select(&view, &mut Context::default()).unwrap();
    let values = SampleValues::of(&view, &selection).unwrap();
    (SelectionResult::new(&selection, InputFacts::of("in.csv", "y", &view), 0.1), values)
}

/// Finds of `dependence` with their values: the first of 12 features is wider in one class, the exclusive or of the next
/// two is the class.
pub fn of_relations(names: &[&str]) -> (SelectionResult, SampleValues) {
    let rows = 200;
    let mut columns: Vec<Vec<f64>> = (0..12).map(|j| (0..rows).map(|row| noise(row, j)).collect()).collect();
    let same: Vec<bool> = (0..rows).map(|row| columns[1][row] * columns[2][row] > 0.0).collect();
    (0..rows).filter(|&row| same[row]).for_each(|row| columns[0][row] *= 4.0);
    let labels: Vec<Option<&str>> = same.iter().map(|same| Some(if *same { "same" } else { "other" })).collect();
    let name = |j: usize| names.get(j).map_or_else(|| format!("f{j}"), |name| name.to_string());
    let table = Table::new((0..12).map(name).collect(), columns, "y", Target::classes(&labels)).unwrap();
    let view = table.view();
    let selection = tamis::Dependence::default().select(&view, &mut Context::default()).unwrap();
    let values = SampleValues::of(&view, &selection).unwrap();
    (SelectionResult::new(&selection, InputFacts::of("in.csv", "y", &view), 0.1), values)
}

/// What is needed of 30 features, of which the third is a near-copy of the first and names look like markup.
pub fn of_needed() -> (SelectionResult, SampleValues) {
    let rows = 80;
    let mut columns: Vec<Vec<f64>> = (0..30).map(|j| (0..rows).map(|row| noise(row, j)).collect()).collect();
    columns[2] = (0..rows).map(|row| columns[0][row] + 0.05 * noise(row, 50)).collect();
    let class = |row: usize| Some(if columns[0][row] + columns[1][row] > 0.0 { "case" } else { "<b>control</b>" });
    let target = Target::classes(&(0..rows).map(class).collect::<Vec<_>>());
    let names = ["<b>first</b>", "second", "</script><script>window.hacked = 1</script>"];
    let name = |j: usize| names.get(j).map_or_else(|| format!("f{j}"), |name| name.to_string());
    let table = Table::new((0..30).map(name).collect(), columns.clone(), "y", target).unwrap();
    let view = table.view();
    let selection = Method::from_settings("needed", []).unwrap().select(&view, &mut Context::default()).unwrap();
    let values = SampleValues::of(&view, &selection).unwrap().with_working_set(&view, &selection);
    (SelectionResult::new(&selection, InputFacts::of("in.csv", "y", &view), 0.1), values)
}

/// Classes of 30 rows each.
pub fn of_classes(labels: [&str; 2], names: &[&str]) -> (SelectionResult, SampleValues) {
    let signal: Vec<f64> = (0..60).map(|row| (row % 2) as f64).collect();
    let classes: Vec<Option<&str>> = (0..60).map(|row| Some(labels[row % 2])).collect();
    with_values(&signal, Target::classes(&classes), names)
}

/// Pairs of a table whose classes are told by two features together; one name looks like markup.
pub fn of_pairs() -> SelectionResult {
    let columns: Vec<Vec<f64>> = (0..12).map(|j| (0..150).map(|row| noise(row, j)).collect()).collect();
    let class = |row: usize| Some(if columns[3][row] * columns[7][row] > 0.0 { "same" } else { "<b>other</b>" });
    let target = Target::classes(&(0..150).map(class).collect::<Vec<_>>());
    let names = (0..12).map(|j| if j == 7 { "<b>f7</b>".into() } else { format!("f{j}") }).collect();
    let table = Table::new(names, columns.clone(), "y", target).unwrap();
    let view = table.view();
    let selection = Method::from_settings("pairs", []).unwrap().select(&view, &mut Context::default()).unwrap();
    SelectionResult::new(&selection, InputFacts::of("in.csv", "y", &view), 0.1)
}

pub fn of_numbers() -> (SelectionResult, SampleValues) {
    let signal: Vec<f64> = (0..60).map(|row| noise(row, 99)).collect();
    with_values(&signal, Target::Real { values: signal.clone() }, &[])
}

/// Times that are short where the signal is large, a third of them censored.
pub fn of_survival() -> (SelectionResult, SampleValues) {
    let signal: Vec<f64> = (0..80).map(|row| noise(row, 99)).collect();
    let times =
        signal.iter().enumerate().map(|(row, s)| ((1.0 - 1.5 * s + 0.3 * noise(row, 98)).exp() * 10.0).round() + 1.0);
    let events = (0..80).map(|row| Some(row % 3 != 0)).collect();
    with_values(&signal, Target::survival(times.collect(), events).unwrap(), &[])
}

pub fn text(saved: &SelectionResult) -> String {
    let mut out = vec![];
    saved.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Results of every kind, and how many pictures each has.
pub fn kinds() -> Vec<(String, String, u64)> {
    let mut nothing = scores(300, 0);
    change(&mut nothing, "score", 3, None);
    let no_evidence = text(&nothing);
    assert_eq!(nothing.n_selected, 0);
    let few = [("bootstraps", "30"), ("k", "4")];
    let all = vec![
        ("nothing", no_evidence, 2),
        ("one", text(&scores(1, 1)), 4),
        ("snbl", text(&of_method("snbl", &[])), 5),
        ("kde", text(&of_method("snbl", &[("prior", "kde")])), 6),
        ("npfs", text(&of_method("npfs", &few)), 4),
        ("npfs-binomial", text(&of_method("npfs", &[few[0], few[1], ("null", "binomial")])), 4),
        ("npfs-stability", text(&of_method("npfs", &[few[0], few[1], ("null", "stability")])), 4),
        ("pairs", text(&of_method("pairs", &[("permutations", "20")])), 2),
        ("dependence", text(&of_method("dependence", &[])), 1),
        ("jmi", text(&of_method("jmi", &[("k", "5")])), 1),
        ("pfcvm-lp", text(&of_method("pfcvm-lp", &[("kernel", "linear"), ("starts", "1")])), 6),
    ];
    all.into_iter().map(|(name, text, pictures)| (name.to_string(), text, pictures)).collect()
}

/// A comparison, as `tamis evaluate` writes it.
pub fn evaluation() -> Value {
    let run = |label: &str, worse: f64, n: usize| {
        let fold = |f: usize| {
            json!({"repeat": 0, "fold": f, "n_train": 56, "n_test": 6, "n_selected": n + f % 3, "selected": [], "error": 0.1 + worse,
                "auc": 0.95 - worse, "kappa": 0.8, "brier": 0.07, "log_loss": 0.3, "seconds": 0.01})
        };
        json!({
            "input": 0, "label": label, "method": null, "classifier": {"name": "dlda"},
            "folds": (0..10).map(fold).collect::<Vec<_>>(),
            "summary": {"error": 0.1 + worse, "error_se": 0.02, "auc": 0.95 - worse, "auc_95": [0.9 - worse, 0.99],
                "kappa": 0.8, "kappa_95": [0.6, 0.9], "brier": 0.07, "log_loss": 0.3, "n_selected": n, "n_selected_sd": 1.0, "seconds": 0.1,
                "stability": {"runs": 10, "mean_selected": n, "kuncheva": 0.8, "jaccard": 0.8, "pearson": 0.8,
                    "nogueira": {"stability": 0.8 - worse, "variance": 0.01, "interval_95": [0.7, 0.9]}}},
            "roc": [{"false_positive_rate": 0.0, "true_positive_rate": 0.0, "threshold": null},
                {"false_positive_rate": 0.0, "true_positive_rate": 0.5, "threshold": 0.9},
                {"false_positive_rate": 0.2, "true_positive_rate": 0.9 - worse, "threshold": 0.5},
                {"false_positive_rate": 1.0, "true_positive_rate": 1.0, "threshold": 0.0}],
            "calibration": [{"range": [0.0, 0.1], "count": 5, "predicted": 0.1, "observed": 0.2},
                {"range": [0.7, 0.8], "count": 9, "predicted": 0.8, "observed": 0.9}],
            "frequency": [{"name": "<b>g1</b>", "frequency": 1.0}, {"name": "g2", "frequency": 0.4}],
        })
    };
    let input = json!({"file": "in.csv", "rows": 62, "features": 2000, "target": "y", "classes": {"a": 22, "b": 40},
        "positive": "a"});
    json!({
        "format_version": 1, "tamis": "0.1.0", "kind": "evaluate", "seed": 0, "seconds": 1.2, "plan": "10 folds",
        "input": input, "inputs": [input], "notes": [],
        "runs": [run("snbl + dlda", 0.0, 12), run("t + lda", 0.02, 20), run("none + <i>lda</i>", 0.05, 2000)],
        "comparison": {
            "pairs": [{"a": "snbl + dlda", "b": "t + lda", "difference": -0.02, "paired_t_p": 0.2, "wilcoxon_p": null, "discordant_p": null}],
            "friedman": {"average_ranks": [["snbl + dlda", 1.2], ["t + lda", 1.9], ["none + <i>lda</i>", 2.9]],
                "data_sets": 4, "f": 2.0, "f_p": 0.2, "chi_square": 3.1, "chi_square_p": 0.2, "critical_difference_nemenyi": 1.0,
                "critical_difference_bonferroni_dunn": 0.9}},
        "recommendation": {"label": "snbl + dlda", "text": "it errs least"},
    })
}
