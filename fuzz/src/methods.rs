//! Every method on hostile tables: an answer that can be saved, or an error.

use tamis::result::{InputFacts, SelectionResult};
use tamis::table::{Categories, Column, Target};
use tamis::{Context, Method, Selector, Table};

/// Values that arithmetic does not like.
const ODD: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    1e300,
    -1e300,
    1e-300,
    5e-324,
    1e150,
    1e-150,
    0.1,
    1.0 + f64::EPSILON,
    1e16,
    -1e9,
    2.5,
];

/// The bytes: the method, rows, features, kind of target, then a byte per cell.
pub fn methods(bytes: &[u8]) {
    let [method, rows, features, target, cells @ ..] = bytes else { return };
    let catalogue = Method::catalogue();
    let name = catalogue[usize::from(*method) % catalogue.len()].name;
    let (rows, features) = (2 + usize::from(*rows) % 24, 1 + usize::from(*features) % 8);
    let cell = |at: usize| cells.get(at % cells.len().max(1)).copied().unwrap_or(at as u8);
    let value = |at: usize| match cell(at) {
        byte @ 0..=63 => ODD[usize::from(byte) % ODD.len()],
        byte @ 64..=127 => f64::from(byte % 4),
        byte => f64::from(byte) * 0.37 + (at % 13) as f64 * 0.01,
    };
    let column = |j: usize| -> Column {
        if *target & 64 != 0 && j == 0 {
            let texts = (0..rows).map(|row| (cell(row) % 5 != 0).then(|| format!("c{}", cell(row) % 4)));
            return Categories::of(texts).into();
        }
        Column::Numbers((0..rows).map(|row| value(j * rows + row)).collect())
    };
    let labels = |classes: usize| -> Target {
        let all: Vec<Option<String>> =
            (0..rows).map(|row| Some(format!("k{}", (row + usize::from(cell(row) & 1)) % classes))).collect();
        Target::classes(&all)
    };
    let target = match target % 4 {
        0 | 1 => labels(2),
        2 => labels(3),
        _ => Target::Real { values: (0..rows).map(|row| value(7 * row + 3)).collect() },
    };
    let names = (0..features).map(|j| format!("f{j}")).collect();
    let Ok(table) = Table::new(names, (0..features).map(column).collect::<Vec<Column>>(), "y", target) else { return };
    run(&quick(name), &table);
}

/// A method with as little work as it allows.
fn quick(name: &str) -> Method {
    let method = Method::find(name).expect("in the catalogue");
    let settings =
        [("permutations", "19"), ("bootstraps", "5"), ("max_iter", "30"), ("iterations", "30"), ("runs", "1")];
    settings.iter().fold(method, |method, (key, value)| method.with(key, value).unwrap_or(method))
}

fn run(method: &Method, table: &Table) {
    let view = table.view();
    if method.selects()
        && let Ok(selection) = method.select(&view, &mut Context::default())
    {
        let mut ranks = selection.ranks.clone();
        ranks.sort_unstable();
        assert!(selection.scores.len() == view.names().len() && ranks.first().is_none_or(|rank| *rank >= 1));
        assert!(selection.selected.iter().all(|&i| (i as usize) < view.names().len()));
        for p in selection.probabilities.iter().flatten() {
            assert!(p.is_nan() || (0.0..=1.0).contains(p), "{}: {p}", method.name());
        }
        let result = SelectionResult::new(&selection, InputFacts::of("fuzz", "y", &view), 0.0);
        let bytes = result.to_bytes().unwrap_or_else(|error| panic!("{}: {error}", method.name()));
        SelectionResult::read(&bytes, "fuzz").unwrap_or_else(|error| panic!("{}: {error}", method.name()));
        tamis_report::selection_page(&result, None).unwrap_or_else(|error| panic!("{}: {error}", method.name()));
    }
    if method.classifies()
        && let Ok(model) = method.fit(&view, &mut Context::default())
    {
        model.to_bytes().unwrap_or_else(|error| panic!("{}: {error}", method.name()));
        let found = model.predict(&view).unwrap_or_else(|error| panic!("{}: {error}", method.name()));
        for row in 0..view.rows().len() {
            let sum: f64 = found.probabilities.iter().map(|of_class| of_class[row]).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{}: {sum}", method.name());
        }
    }
}
