//! The page of `web/` in a real browser, and its answers beside those of the program. `TAMIS_PAGE` names the page that
//! `web/build` made; without it, or without Chromium, the tests say so loudly and check nothing.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "../../../tamis-report/tests/chromium/mod.rs"]
mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod fixture_table;
mod page;

use common::small_table;
use common::spreadsheet::{sheet, workbook};
use fixture_table::FixtureTable;
use page::Page;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Probabilities of the page and of the program may differ by so much.
const TOLERANCE: f64 = 1e-12;

/// The same selection and probabilities, feature by feature.
fn assert_same(ours: &Value, programs: &Value, what: &str) {
    for key in ["n_selected", "n_expected_95", "n_strong_95"] {
        assert_eq!(ours[key], programs[key], "{what}: {key}");
    }
    let (ours, programs) = (ours["features"].as_array().unwrap(), programs["features"].as_array().unwrap());
    assert_eq!(ours.len(), programs.len(), "{what}");
    for (ours, programs) in ours.iter().zip(programs) {
        // ranks of features that are equal but for the last bit may be swapped
        let by_rank = programs["probability"].is_null().then_some("rank");
        for key in ["name", "selected", "kind"].into_iter().chain(by_rank) {
            assert_eq!(ours[key], programs[key], "{what}: {key} of {}", programs["name"]);
        }
        let apart = match (ours["probability"].as_f64(), programs["probability"].as_f64()) {
            (Some(a), Some(b)) => (a - b).abs(),
            (a, b) => f64::from(u8::from(a != b)),
        };
        assert!(apart <= TOLERANCE, "{what}: the probability of {} differs by {apart}", programs["name"]);
    }
}

#[test]
fn the_page_answers_as_the_program_does() {
    let Some(mut page) = Page::open() else { return };
    the_example_is_answered_and_its_report_works(&mut page);
    nothing_can_be_sent(&mut page);
    names_stay_text(&mut page);
    errors_are_the_programs_own(&mut page);
    a_run_can_be_cancelled(&mut page);
    studies_are_chosen_by_fields(&mut page);
    options_in_messages_lead_to_their_fields(&mut page);
    a_survival_time_is_offered_with_its_event(&mut page);
    a_second_file_describes_the_samples(&mut page);
    another_table_forgets_what_was_said_of_the_last(&mut page);
    a_file_that_is_left_is_the_table(&mut page);
    a_file_of_one_column_is_told(&mut page);
    a_table_on_its_side_is_noticed_and_turned(&mut page);
    ends_that_are_no_answer_are_told_in_words(&mut page);
    ten_formats_give_the_answer_of_the_program(&mut page);
    page.assert_no_connection();
}

fn the_example_is_answered_and_its_report_works(page: &mut Page) {
    page.browser.value("document.querySelector('#example').click()");
    page.wait_for("#study");
    assert!(page.browser.text("#likely").contains("control (100), treated (100)"));
    page.run();
    let ours = page.result();
    assert_eq!(page.place.run(&["demo", "--out", "."]).status, 0);
    assert_same(&ours, &page.place.json("result.json"), "the example");
    let told = page.place.run(&["select", "data.csv", "--target", "group"]).out;
    assert_eq!(page.browser.text("#answer"), told.lines().next().unwrap());
    let table = page.saved("#save-table");
    assert_eq!(table.lines().count(), 2001);
    assert!(page.saved("#save-report").starts_with("<!doctype html>"));
    page.wait_in_report("document.documentElement.dataset.ready === 'yes'");
    let named = ours["n_selected"].as_u64().unwrap();
    assert_eq!(page.in_report("document.querySelector('#count').textContent"), format!("{named} of 2000 chosen"));
    page.in_report(
        "(() => { const e = document.querySelector('#slider'); e.value = e.min; \
         e.dispatchEvent(new Event('input', { bubbles: true })); })()",
    );
    assert_ne!(page.in_report("document.querySelector('#count').textContent"), format!("{named} of 2000 chosen"));
    let command = page.browser.text("#command");
    assert_eq!(
        command,
        "tamis select --target=group --report=report.html --csv=table.csv --json=result.json -- example.csv"
    );
}

fn nothing_can_be_sent(page: &mut Page) {
    for attempt in [
        "fetch('https://example.org/').then(() => 'went', () => 'refused')",
        "new Promise((done) => { const x = new XMLHttpRequest(); x.onload = () => done('went'); \
         x.onerror = () => done('refused'); x.open('GET', 'https://example.org/'); x.send(); })",
        "new Promise((done) => { const i = new Image(); i.onload = () => done('went'); i.onerror = () => done('refused'); \
         i.src = 'https://example.org/x.png'; })",
        "new Promise((done) => { const s = document.createElement('script'); s.onload = () => done('went'); \
         s.onerror = () => done('refused'); s.src = 'https://example.org/x.js'; document.head.append(s); })",
        "new Promise((done) => { try { const w = new WebSocket('wss://example.org/'); w.onopen = () => done('went'); \
         w.onerror = () => done('refused'); } catch { done('refused'); } })",
        "new Promise((done) => { const source = `fetch('https://example.org/').then(() => postMessage('went'), () => \
         postMessage('refused'))`; new Worker(URL.createObjectURL(new Blob([source]))).onmessage = (e) => done(e.data); })",
    ] {
        assert_eq!(page.browser.value(attempt), "refused", "{attempt}");
    }
    let sent = |event: &&Value| {
        let url = event["params"]["request"]["url"].as_str().or(event["params"]["url"].as_str()).unwrap_or("");
        let kind = event["method"].as_str().unwrap_or("");
        url.contains("example.org")
            && ["Network.responseReceived", "Network.webSocketHandshakeResponseReceived"].contains(&kind)
    };
    assert_eq!(page.browser.events.iter().find(sent), None);
    page.browser
        .events
        .retain(|event| event["params"]["request"]["url"].as_str().is_none_or(|url| !url.contains("example.org")));
}

fn names_stay_text(page: &mut Page) {
    let hostile = [
        "<script>window.hacked = 1</script>",
        "</script><script>window.hacked = 1</script>",
        "<img src=x onerror='window.hacked = 1'>",
        "' onmouseover='window.hacked = 1",
        "${window.hacked = 1}",
        "__proto__",
        "constructor",
        "--help",
    ];
    let plain = small_table(",", "\n");
    let mut lines = plain.lines();
    lines.next().unwrap();
    let rows: Vec<String> = lines.map(|line| line.replace(",yes", ",<b>yes</b>")).collect();
    let text = format!("{},<i>label</i>\n{}\n", hostile.join(","), rows.join("\n"));
    let name = "-<b>x<i> 'quoted' $(date).csv";
    page.place.write(name, &text);
    page.browser.value("document.querySelector('#given button').click()");
    page.drop_files(&[name]);
    assert!(page.browser.text("#likely").contains("<i>label</i>  <b>yes</b> (12), no (12)"));
    page.run();
    let programs = page.place.run(&["select", "--target=<i>label</i>", "--json=native.json", "--", name]);
    assert_eq!(programs.status, 0, "{}", programs.err);
    let ours = page.result();
    assert_same(&ours, &page.place.json("native.json"), "hostile names");
    page.wait_in_report("document.documentElement.dataset.ready === 'yes'");
    for hacked in [page.browser.value("typeof window.hacked"), page.in_report("typeof window.hacked")] {
        assert_eq!(hacked, "undefined");
    }
    assert_eq!(page.browser.value("document.querySelectorAll('main img, main script, main i').length"), 0);
    // the line for a shell is one that a shell understands
    page.place.write("line.sh", page.browser.text("#command").replacen("tamis", env!("CARGO_BIN_EXE_tamis"), 1));
    let shell = std::process::Command::new("sh").arg("line.sh").current_dir(page.place.path("")).output().unwrap();
    assert!(shell.status.success(), "{}", String::from_utf8_lossy(&shell.stderr));
    assert_same(&ours, &page.place.json("result.json"), "the line for a shell");
}

/// Drops a file in the place of those before it.
fn instead(page: &mut Page, names: &[&str]) {
    page.browser.visit(&page.index.clone());
    page.drop_files(names);
}

fn errors_are_the_programs_own(page: &mut Page) {
    page.place.write("small.csv", small_table(",", "\n"));
    instead(page, &["small.csv"]);
    page.browser.set("#block", "doner", "input");
    page.run();
    let told = page.place.run(&["select", "small.csv", "--target", "label", "--block", "doner"]);
    // names stand in another type instead of between backticks
    let words = |error: &str| error.trim().trim_start_matches("error: ").replace('`', "");
    assert_eq!(words(&told.err), page.alert());
    assert_eq!(page.browser.value("document.querySelector('#result').hidden"), true);
    page.place.write("broken.csv", "a,b,a\n1,2,3\n");
    instead(page, &["broken.csv"]);
    let told = page.place.run(&["select", "broken.csv"]);
    assert_eq!(format!("broken.csv could not be read as a table: {}", words(&told.err)), page.alert());
}

fn a_run_can_be_cancelled(page: &mut Page) {
    instead(page, &["small.csv"]);
    page.browser.set("#set", "permutations=100000", "change");
    page.browser.value("document.querySelector('#run').click()");
    page.browser.wait("!document.querySelector('#busy').hidden");
    page.browser.value("document.querySelector('#cancel').click()");
    page.wait_for("#result");
    assert!(page.alert().starts_with("Cancelled"), "{}", page.alert());
    instead(page, &["small.csv"]);
    page.run();
    assert_eq!(page.alert(), "");
}

fn studies_are_chosen_by_fields(page: &mut Page) {
    let mut text = String::from("patient,batch,age,arm");
    (0..30).for_each(|j| text.push_str(&format!(",g{j}")));
    for i in 0..40_usize {
        text.push_str(&format!(
            "\np{},{},{},{}",
            i / 2,
            ["x", "y"][(i / 2) % 2],
            30 + (i * 7) % 31,
            ["before", "after"][i % 2]
        ));
        for j in 0..30_usize {
            let noise = ((i * 37 + j * 101 + i * j) as f64 * 0.61).sin() + ((i / 2 * 13 + j) as f64).cos();
            text.push_str(&format!(",{:.4}", noise + if j < 4 { 1.5 * (i % 2) as f64 } else { 0.0 }));
        }
    }
    page.place.write("paired.csv", text + "\n");
    instead(page, &["paired.csv"]);
    page.browser.set("#target", "arm", "input");
    page.browser.set("#block", "patient", "input");
    page.browser.set("#covariate", "age", "change");
    page.browser.set("#leave", "batch", "change");
    page.browser.set("#fdr", "0.2", "input");
    page.run();
    let line =
        "select paired.csv --target arm --block patient --covariate age --drop batch --fdr 0.2 --json native.json";
    let told = page.place.run(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(told.status, 0, "{}", told.err);
    assert_same(&page.result(), &page.place.json("native.json"), "pairs");
    page.browser.set("#block", "", "input");
    page.browser.set("#fdr", "", "input");
    page.browser.set("#method", "jmi", "change");
    page.browser.value("document.querySelectorAll('.chosen button').forEach((button) => button.click())");
    page.browser.set("#leave", "patient", "change");
    page.browser.set("#set", "k=3", "change");
    page.run();
    let line = "select paired.csv --target arm --drop patient --method jmi --set k=3 --json native.json";
    assert_eq!(page.place.run(&line.split(' ').collect::<Vec<_>>()).status, 0);
    assert_same(&page.result(), &page.place.json("native.json"), "a filter");
}

fn a_second_file_describes_the_samples(page: &mut Page) {
    let table = small_table(",", "\n");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let names: Vec<String> = (1..rows.len()).map(|i| format!("s{i}")).collect();
    let mut genes = format!("gene\t{}\n", names.join("\t"));
    for j in 0..8 {
        let values: Vec<&str> = rows[1..].iter().map(|row| row[j]).collect();
        genes.push_str(&format!("{}\t{}\n", rows[0][j], values.join("\t")));
    }
    let samples: String = names.iter().zip(&rows[1..]).map(|(name, row)| format!("{name},{}\n", row[8])).collect();
    page.place.write("genes.tsv", genes);
    page.place.write("samples.csv", format!("sample,label\n{samples}"));
    page.browser.visit(&page.index.clone());
    page.drop_files(&["genes.tsv", "samples.csv"]); // the samples' names are in its columns, as the page finds out
    assert_eq!(page.browser.value("document.querySelector('#transpose').checked"), true);
    assert!(page.browser.text("#likely").contains("label"), "{}", page.alert());
    page.run();
    let line = "select genes.tsv --transpose --samples samples.csv --target label --json native.json";
    assert_eq!(page.place.run(&line.split(' ').collect::<Vec<_>>()).status, 0);
    assert_same(&page.result(), &page.place.json("native.json"), "two files");
}

/// Removes every file, and drops others; what was said in the fields stays, unless the page forgets it.
fn exchange(page: &mut Page, name: &str) {
    let remove = "while (document.querySelector('#given button')) document.querySelector('#given button').click()";
    page.browser.value(remove);
    page.drop_files(&[name]);
}

fn a_file_that_is_left_is_the_table(page: &mut Page) {
    instead(page, &["small.csv", "genes.tsv"]);
    assert_eq!(
        page.browser.value("[...document.querySelectorAll('#given select')].map((one) => one.value).join()"),
        "samples,table"
    );
    page.browser.value("document.querySelector('#given li:nth-child(2) button:last-child').click()");
    page.wait_for("#study");
    assert!(page.browser.text("#likely").contains("no (12), yes (12)"), "{}", page.alert());
    page.drop_files(&["genes.tsv"]);
    page.browser.value("document.querySelector('#given button').click()");
    page.browser.wait("document.querySelectorAll('#given li').length === 1");
    page.wait_for("#study");
    assert!(page.browser.text("#given").starts_with("small.csv"));
    page.run();
    assert_eq!(page.alert(), "");
}

fn another_table_forgets_what_was_said_of_the_last(page: &mut Page) {
    page.place.write("plain.csv", small_table(",", "\n"));
    page.browser.set("#covariate", "nowhere", "change");
    page.browser.set("#block", "nowhere", "input");
    assert_eq!(page.browser.value("document.querySelector('#transpose').checked"), true);
    exchange(page, "plain.csv");
    assert_eq!(page.browser.value("document.querySelector('#transpose').checked"), false);
    page.run();
    let line = "select plain.csv --target label --json native.json";
    assert_eq!(page.place.run(&line.split(' ').collect::<Vec<_>>()).status, 0);
    let ours = page.result();
    assert_same(&ours, &page.place.json("native.json"), "another table");
    let best = ours["features"].as_array().unwrap().iter().find(|one| one["rank"] == 1).unwrap();
    let told = page.browser.text("#names");
    assert!(told.starts_with(&format!("The best first: {}", best["name"].as_str().unwrap())), "{told}");
}

fn a_file_of_one_column_is_told(page: &mut Page) {
    page.place.write("words.txt", "no table at all\nbut words\n");
    exchange(page, "words.txt");
    assert!(page.alert().starts_with("Only one column was read: no table at all."), "{}", page.alert());
    assert_eq!(page.browser.value("document.querySelector('#reading').open"), true);
}

fn a_table_on_its_side_is_noticed_and_turned(page: &mut Page) {
    instead(page, &["genes.tsv"]);
    let told = page.browser.text("#about-columns");
    assert!(told.starts_with("25 columns: gene, s1, s2, s3, s4 and 20 more."), "{told}");
    page.browser.value("document.querySelector('#turn').click()");
    page.browser.wait("document.querySelector('#about-columns').textContent.startsWith('9 columns (features are in')");
    assert_eq!(page.browser.value("document.querySelector('#turn')"), Value::Null);
}

fn options_in_messages_lead_to_their_fields(page: &mut Page) {
    let names: String = (0..60).map(|j| format!(",g{j}")).collect();
    let values =
        |i: usize| (0..60).map(|j| format!(",{:.3}", ((i * 31 + j * 17) as f64 * 0.77).sin())).collect::<String>();
    let rows: String =
        (0..30).map(|i| format!("{},{},{}{}\n", ["a", "b"][i % 2], i % 3, 30 + i * 7 % 11, values(i))).collect();
    page.place.write("wide.csv", format!("arm,batch,age{names}\n{rows}"));
    instead(page, &["wide.csv"]);
    page.browser.set("#target", "arm", "input");
    page.run();
    assert!(page.browser.text("#hints").contains("read as features"), "{}", page.browser.text("#hints"));
    page.browser.value("document.querySelector('#reading').open = false");
    press_option(page, "#hints", "“Columns to leave out”: batch");
    assert_eq!(page.browser.value("document.querySelector('#reading').open"), true);
    assert_eq!(page.browser.value("document.activeElement.id"), "go-on");
    assert_eq!(page.browser.text("#leave ~ .chosen"), "batch ×");
    assert!(page.browser.text("#about-columns").starts_with("62 columns: arm, age"));
    // what was filled in is run from where that is told
    assert_eq!(page.alert(), "“Columns to leave out” is set to batch. Find the features that matter");
    page.browser.value("document.querySelector('#go-on').click()");
    page.browser.wait("!document.querySelector('#busy').hidden || !document.querySelector('#result').hidden");
    page.wait_for("#result");
    let ours = page.result();
    assert!(ours["features"].as_array().unwrap().iter().all(|one| one["name"] != "batch"));
}

/// Presses the button of a message that has this text.
fn press_option(page: &mut Page, inside: &str, text: &str) {
    let found = format!(
        "[...document.querySelectorAll('{inside} .option')].find((one) => one.textContent === {text:?})?.click() ?? 'pressed'"
    );
    let all = format!("[...document.querySelectorAll('{inside} .option')].map((one) => one.textContent).join(' | ')");
    let shown = page.browser.value(&all).to_string();
    assert!(shown.contains(text), "{text} is not in {shown}");
    page.browser.value(&found);
}

fn a_survival_time_is_offered_with_its_event(page: &mut Page) {
    let names: String = (0..60).map(|j| format!(",g{j}")).collect();
    let value = |i: usize, j: usize| ((i * 31 + j * 17 + i * j) as f64 * 0.77).sin();
    let rows: String = (0..90)
        .map(|i| {
            let values: String = (0..60).map(|j| format!(",{:.3}", value(i, j))).collect();
            let months = (1.0 + 8.0 * (value(i, 90) + 1.1) * (-1.2 * value(i, 0)).exp()).min(60.0);
            format!("p{i},{months:.2},{}{values}\n", ["yes", "yes", "no"][i % 3])
        })
        .collect();
    page.place.write("patients.csv", format!("patient,months,died{names}\n{rows}"));
    instead(page, &["patients.csv"]);
    let offered = page.browser.text("#likely");
    assert!(offered.starts_with("months  survival: the time until died is yes (60 rows)"), "{offered}");
    let columns = page.browser.text("#about-columns");
    assert!(columns.contains("The rows are named by patient."), "{columns}");
    page.run();
    assert!(
        page.browser.text("#hints").starts_with("The event is that died is yes"),
        "{}",
        page.browser.text("#hints")
    );
    let line = "select patients.csv --target months --event died --positive yes --id patient --json native.json";
    let told = page.place.run(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(told.status, 0, "{}", told.err);
    assert_same(&page.result(), &page.place.json("native.json"), "survival");
    assert_eq!(page.browser.value("document.querySelector('#stale').hidden"), true);
    // another column takes the event away; an event that is typed asks for its label
    page.browser.value("document.querySelectorAll('input[name=likely]')[1].click()");
    assert_eq!(page.browser.value("document.querySelector('#event').value"), "");
    assert_eq!(page.browser.value("document.querySelector('#positive').disabled"), true);
    assert_eq!(page.browser.value("document.querySelector('#stale').hidden"), false);
    page.run();
    assert!(page.browser.text("#hints").starts_with("Is months the time until died is yes?"));
    page.wait_in_report("document.documentElement.dataset.ready === 'yes'"); // also of a second run
    page.browser.set("#target", "months", "input");
    page.browser.set("#event", "died", "input");
    page.browser.set("#positive", "", "input");
    page.run();
    press_option(page, "#alert", "“Survival: the word for an event”: yes");
    page.browser.value("document.querySelector('#go-on').click()");
    page.browser.wait("!document.querySelector('#busy').hidden || !document.querySelector('#result').hidden");
    page.wait_for("#result");
    assert_same(&page.result(), &page.place.json("native.json"), "survival by fields");
}

fn ends_that_are_no_answer_are_told_in_words(page: &mut Page) {
    let mut words = |ended: Value| page.browser.value(&format!("trouble({ended})")).as_str().unwrap().to_string();
    let full = json!({"broken": "RuntimeError: unreachable", "errors": "memory allocation of 8 bytes failed", "memory": 4u64 << 30, "stage": "scoring"});
    assert!(words(full).contains("more memory than a page can have"));
    let damaged = json!({"broken": "RuntimeError: unreachable", "errors": "", "memory": 0, "stage": "reading"});
    assert!(words(damaged).contains("may be damaged"));
    let bug = json!({"broken": "RuntimeError: unreachable", "errors": "", "memory": 0, "stage": "scoring"});
    assert!(words(bug).contains("This is a bug in tamis"));
}

/// The same table in every format that the program writes, a spreadsheet, and compressed; Parquet and Arrow where the
/// second module lies beside the page.
fn ten_formats_give_the_answer_of_the_program(page: &mut Page) {
    page.place.write("t.csv", small_table(",", "\n").replace(",yes", ",1").replace(",no", ",0"));
    page.place.write("t.xlsx", workbook(&[("Data", sheet(&page.place.read("t.csv")))]));
    let keep: Vec<String> = "abcdefgh".chars().map(|c| format!("--keep={c}")).collect();
    let mut formats = vec!["t.csv", "t.tsv", "t.csv.gz", "t.csv.zst", "t.xlsx", "t.arff", "t.libsvm", "t.npy", "t.npz"];
    if page.index.with_file_name("tamis-parquet.js").exists() {
        formats.extend(["t.parquet", "t.arrow"]);
    } else {
        eprintln!("\n*** SKIPPED: Parquet and Arrow; the page was built without ***\n");
    }
    for name in formats {
        if !page.place.path(name).exists() {
            let reduced = format!("--reduced={name}");
            let mut line = vec!["select", "t.csv", "--target=label", &reduced];
            line.extend(keep.iter().map(String::as_str));
            let made = page.place.run(&line);
            assert_eq!(made.status, 0, "{name}: {}", made.err);
        }
        let has_target = [".libsvm", ".npy", ".npz"].iter().any(|ending| name.ends_with(ending));
        let mut line = vec!["select", name, "--json=native.json"];
        line.extend((!has_target).then_some("--target=label"));
        let told = page.place.run(&line);
        assert_eq!(told.status, 0, "{name}: {}", told.err);
        instead(page, &[name]);
        if !has_target {
            page.browser.set("#target", "label", "input");
        }
        page.run();
        assert_same(&page.result(), &page.place.json("native.json"), name);
    }
}

/// The tables of the fixtures, written as files: `select` or `shrink` on each, by the program and by the page.
#[test]
#[ignore = "takes a minute: every fixture in a browser"]
fn every_fixture_has_the_answer_of_the_program_which_takes_minutes() {
    let Some(mut page) = Page::open() else { return };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tamis/tests/fixtures/oracle");
    let folders = ["sparse_means", "designs", "dependence", "information", "vector_machine"];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(fixtures.join(folder)).unwrap());
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut compared = 0;
    for path in paths {
        let fixture: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let Some(table) = FixtureTable::of(&fixture) else { continue };
        page.place.write("fixture.csv", table.text());
        for command in table.commands() {
            let mut line: Vec<&str> = command.split(' ').collect();
            line.extend(["--json=-", "--", "fixture.csv"]);
            let (programs, ended) = (page.place.run(&line), page.command(&line, &["fixture.csv"]));
            let what = format!("{}: {command}", path.display());
            assert_eq!(ended["status"], programs.status, "{what}: {} {}", ended["errors"], programs.err);
            if programs.status == 0 {
                let ours: Value = serde_json::from_str(ended["out"].as_str().unwrap()).unwrap();
                assert_same(&ours, &serde_json::from_str(&programs.out).unwrap(), &what);
                compared += 1;
            }
        }
    }
    assert!(compared > 90, "{compared}");
    eprintln!("{compared} answers to fixtures are the same in the page");
}
