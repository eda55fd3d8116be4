//! Spreadsheets that were made to do harm: a few bytes that ask for gigabytes, and archives that two readers take for two.

use crate::common::spreadsheet::{parts, sheet, stored, workbook};
use crate::common::{Place, small_table};

/// A workbook of one sheet with a list of shared texts.
fn with_texts(rows: String, texts: &str) -> Vec<u8> {
    let mut parts = parts(&[("Data", rows)]);
    parts.push(("xl/sharedStrings.xml".into(), texts.into()));
    stored(&parts)
}

/// Expects that a workbook is refused with these words, with the options given.
fn refused(book: Vec<u8>, more: &[&str], words: &str) {
    let place = Place::new();
    place.write("in.xlsx", book);
    let run = place.run(&[&["select", "in.xlsx", "--target", "label"], more].concat());
    assert_eq!(run.status, 2, "{words}: {run:?}");
    assert!(run.err.contains(words) && run.err.lines().count() == 1, "{words}: {}", run.err);
}

#[test]
fn shared_formulas_are_not_counted_in_memory() {
    let plain = sheet(&small_table(",", "\n"));
    let shared = r#"<c r="A2"><f t="shared" ref="A2:A9" si="4294967295">B2+1</f><v>0.5</v></c>"#;
    let at = plain.find("<c><v>").unwrap();
    let rows = format!("{}{shared}{}", &plain[..at], &plain[at + plain[at..].find("</c>").unwrap() + 4..]);
    let place = Place::new();
    place.write("in.xlsx", workbook(&[("Data", rows.clone())]));
    let run = place.run(&["select", "in.xlsx", "--target", "label", "--method", "t"]);
    assert_eq!(run.status, 0, "{run:?}");
    let without = rows.replace("</f><v>0.5</v>", "</f>");
    refused(workbook(&[("Data", without)]), &[], "cell A2 of sheet `Data` has a formula without a value");
}

#[test]
fn more_texts_than_bytes_are_refused() {
    for count in ["1099511627776", "18446744073709551615", "99999999999999999999999"] {
        let texts = format!("<sst uniqueCount=\"{count}\"><si><t>a</t></si></sst>");
        refused(with_texts(sheet("a,label\n1,x\n2,y\n"), &texts), &[], "texts in");
    }
}

#[test]
fn one_long_text_in_many_cells_is_refused_at_the_bound() {
    let texts = format!("<sst uniqueCount=\"1\"><si><t>{}</t></si></sst>", "n".repeat(100_000));
    let rows = format!("<sheetData>{}</sheetData>", r#"<row><c t="s"><v>0</v></c></row>"#.repeat(50));
    refused(with_texts(rows, &texts), &["--max-expanded", "1M"], "take more than 1048576 bytes");
}

#[test]
fn two_parts_of_one_name_are_refused() {
    let mut parts = parts(&[("Data", sheet(&small_table(",", "\n")))]);
    let again = parts[0].clone();
    parts.push(again);
    refused(stored(&parts), &[], "two called `xl/worksheets/sheet1.xml`");
}

#[test]
fn sheets_without_end_are_refused_unless_one_is_named() {
    let data = sheet(&small_table(",", "\n"));
    let names: Vec<String> = (0..200).map(|at| format!("s{at}")).collect();
    let book = workbook(&names.iter().map(|name| (name.as_str(), data.clone())).collect::<Vec<_>>());
    refused(book.clone(), &[], "it has 200 sheets; name one with `--sheet`");
    let place = Place::new();
    place.write("in.xlsx", book);
    let run = place.run(&["select", "in.xlsx", "--target", "label", "--sheet", "s7", "--method", "t"]);
    assert_eq!(run.status, 0, "{run:?}");
}
