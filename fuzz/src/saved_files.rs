//! Files that tamis itself has saved, edited or damaged: refused, or used without harm.

use super::readers::{input, limited};
use tamis::merge::State;
use tamis::stream::{CodedBlock, CodedStream, Codings, Counts, Edges};
use tamis::table::{self, ReadOptions, View};
use tamis::{Context, Model, resample};

/// A model predicts for a table with its columns, and its probabilities sum to one.
pub fn model(bytes: &[u8]) {
    let Ok(model) = Model::read(bytes, "fuzz") else { return };
    let names = model.column_names();
    if names.len() > 50 || names.iter().any(|name| name.contains(['"', '\n', '\r', '\0'])) {
        return;
    }
    let mut text: String = names.iter().map(|name| format!("\"{name}\",")).collect::<String>() + "rest\n";
    for row in 0..4 {
        text.extend(names.iter().enumerate().map(|(j, _)| format!("{},", (row * 7 + j) as f64 - 3.5)));
        text.push_str("x\n");
    }
    let mut options = limited(ReadOptions::target(""));
    options.no_target = true;
    options.delimiter = Some(b',');
    options.only = Some(names.iter().map(|name| (*name).to_string()).collect());
    let Ok(table) = table::read(input(text.as_bytes()), &options, &mut Context::default()) else { return };
    if let Ok(found) = model.predict(&View::every_row(&table)) {
        for row in 0..4 {
            let sum: f64 = found.probabilities.iter().map(|of_class| of_class[row]).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
    }
    model.to_bytes().expect("what was read can be written");
}

/// A result becomes a page without markup of its own.
pub fn result(bytes: &[u8]) {
    if let Ok(page) = tamis_report::page(bytes, "fuzz") {
        assert!(page.trim_end().ends_with("</html>"));
    }
}

/// The state of a shard merges with itself and answers, or is refused.
pub fn state(bytes: &[u8]) {
    let Ok(state) = State::from_bytes(bytes, "fuzz") else { return };
    assert_eq!(State::from_bytes(&state.to_bytes(), "fuzz").expect("reads back").digest(), state.digest());
    let method = state.frame().method.clone();
    let _ = state.answer(&method, &[], &mut Context::default());
    let again = State::from_bytes(bytes, "fuzz").expect("as before");
    if let Ok(merged) = State::merge_all(vec![state, again]) {
        let _ = merged.answer(&method, &[], &mut Context::default());
    }
}

/// Passes over coded columns.
pub fn codes(bytes: &[u8]) {
    let _ = Edges::from_bytes(bytes, "fuzz");
    let _ = Codings::from_bytes(bytes, "fuzz");
    let _ = Counts::from_bytes(bytes, "fuzz");
    let _ = CodedBlock::from_bytes(bytes, 3, "fuzz");
    let _ = CodedStream::from_bytes(bytes, "fuzz");
}

/// Splits of twelve rows.
pub fn splits(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let rows: String = (0..12).map(|row| format!("{},{}\n", row * 5 % 7, ["a", "b"][row % 2])).collect();
    let read =
        table::read(input(format!("x,y\n{rows}").as_bytes()), &ReadOptions::target("y"), &mut Context::default());
    let table = read.expect("a table");
    if let Ok(plan) = resample::given(&table.view(), text, "fuzz") {
        assert!(!plan.is_empty());
    }
}
