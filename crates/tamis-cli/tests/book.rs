//! The book, the README and the guide: every command on every page runs, and shows what the page says. `BOOK=overwrite`
//! writes the program's words into the pages. This test is not in the package of the crate, which has no book.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod common;

use common::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Pages with commands, of which each is a test.
macro_rules! pages {
    ($($name:ident: $file:literal,)+) => {
        const PAGES: &[&str] = &[$($file),+];
        $(
            #[test]
            fn $name() {
                check_page($file);
            }
        )+
    };
}

pages! {
    readme: "README.md",
    start: "docs/start.md",
    install: "docs/install.md",
    which_method: "docs/which-method.md",
    related_or_needed: "docs/related-or-needed.md",
    designs: "docs/designs.md",
    survival: "docs/survival.md",
    gallery: "docs/gallery.md",
    coming_from_elsewhere: "docs/coming-from-elsewhere.md",
    guide: "docs/guide.md",
    workflows: "docs/workflows.md",
}

#[test]
fn every_page_with_commands_is_tested() {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let others = ["README.md", "CONTRIBUTING.md", "python/README.md"].map(|name| root().join(name));
    for path in docs.chain(others).filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let listed = PAGES.iter().any(|page| path.ends_with(page));
        assert!(listed || blocks(&text).iter().all(|block| block.commands.is_empty()), "{}", path.display());
    }
}

/// A fenced block with commands. Where it is a transcript, each command is followed by what it shows.
struct Block {
    transcript: bool,
    commands: Vec<(String, String)>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found = vec![];
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else { continue };
        let inside: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let transcript = inside.first().is_some_and(|line| line.starts_with("$ "));
        let mut commands: Vec<(String, String)> = vec![];
        for line in inside {
            match (transcript, line.strip_prefix("$ ")) {
                (true, Some(command)) => commands.push((command.into(), String::new())),
                (true, None) => {
                    let shown = &mut commands.last_mut().unwrap().1;
                    shown.push_str(line);
                    shown.push('\n');
                }
                (false, _) if language == "sh" && (line.starts_with("tamis ") || line.starts_with("cp ")) => {
                    commands.push((line.into(), String::new()));
                }
                _ => {}
            }
        }
        found.push(Block { transcript, commands });
    }
    found
}

/// The time it took, which differs from run to run, and spaces at the ends of lines taken out.
fn without_time(text: &str) -> String {
    let timeless = |line: &str| {
        let line = line.split("; seed ").next().unwrap_or(line);
        let line = if line.trim_start().starts_with("seed ") { line.split(';').next().unwrap_or(line) } else { line };
        let takes = line.trim_start().starts_with("time ") && line.ends_with(" MB");
        let line = if takes { "" } else { line };
        line.trim_end().to_string()
    };
    let lines: Vec<String> = text.trim_end().lines().map(timeless).collect();
    lines.join("\n") + "\n"
}

/// Tables of evaluations end in a column of seconds, which is not compared.
fn comparable(text: &str) -> String {
    let mut timed = false;
    let line = |line: &str| {
        timed = if line.trim_end().ends_with("seconds") { true } else { timed && !line.is_empty() };
        match line.rsplit_once(' ') {
            Some((rest, _)) if timed => rest.trim_end().to_string() + "\n",
            _ => line.to_string() + "\n",
        }
    };
    without_time(text).lines().map(line).collect()
}

fn check_page(file: &str) {
    let path = root().join(file);
    let page = std::fs::read_to_string(&path).unwrap();
    let place = Place::new();
    write_files(&place, if page.contains("genes.csv --target label") { "label" } else { "group" });
    let mut renewed = page.clone();
    let mut ran = 0;
    for block in blocks(&page) {
        for (command, shown) in &block.commands {
            let wants_errors = shown.is_empty() || shown.contains("note: ") || shown.contains("error");
            let (status, said) = run(&place, command, !block.transcript || wants_errors);
            ran += 1;
            let fails = said.contains("error: ") || said.contains("\"error\"");
            assert!(status == 0 || (block.transcript && fails), "{file}: {command}\n{said}");
            if !block.transcript || comparable(shown) == comparable(&said) {
                continue;
            }
            assert!(std::env::var_os("BOOK").is_some(), "{file} does not show what `{command}` prints:\n{said}");
            let blank = if shown.ends_with("\n\n") { "\n" } else { "" };
            let (old, new) = (format!("$ {command}\n{shown}"), format!("$ {command}\n{said}{blank}"));
            renewed = renewed.replacen(&old, &new, 1);
        }
    }
    assert!(ran > 0, "{file} has no commands");
    if renewed != page {
        std::fs::write(&path, renewed).unwrap();
    }
}

/// Runs a line of a shell where the program is at hand.
fn run(place: &Place, command: &str, with_errors: bool) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_tamis")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let redirected =
        if with_errors { format!("{{ {command}\n}} 2>&1") } else { format!("{{ {command}\n}} 2>/dev/null") };
    let mut shell = Command::new("sh");
    shell.args(["-c", &redirected]).current_dir(place.path("")).env("PATH", path).env("COLUMNS", "80");
    let done = shell.output().unwrap();
    (done.status.code().unwrap_or(-1), String::from_utf8(done.stdout).unwrap())
}

/// A number that looks random.
fn noise(i: usize, j: usize) -> f64 {
    let mut state =
        (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (j as u64 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut next = || {
        state ^= state >> 29;
        state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state ^= state >> 32;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..6).map(|_| next()).sum::<f64>() - 3.0
}

const ROWS: usize = 40;
const FEATURES: usize = 30;

fn value(i: usize, j: usize) -> String {
    let effect = if j < 4 { 1.5 * (i % 2) as f64 } else { 0.0 };
    format!("{:.3}", noise(i, j) + effect)
}

fn table(head: &str, own: impl Fn(usize) -> String) -> String {
    let names: Vec<String> = (0..FEATURES).map(|j| format!("g{j}")).collect();
    let row = |i: usize| own(i) + "," + &(0..FEATURES).map(|j| value(i, j)).collect::<Vec<_>>().join(",") + "\n";
    format!("{head},{}\n", names.join(",")) + &(0..ROWS).map(row).collect::<String>()
}

/// The files that the pages speak of.
fn write_files(place: &Place, target: &str) {
    for entry in std::fs::read_dir(root().join("docs/data")).unwrap() {
        let path = entry.unwrap().path();
        place.write(path.file_name().unwrap().to_str().unwrap(), std::fs::read(&path).unwrap());
    }
    let class = |i: usize| ["control", "treated"][i % 2];
    let study = |i: usize| {
        format!("{},{},{},{},{}", class(i), i / 20, i / 2, 5 + i * 7 % 31, usize::from(!i.is_multiple_of(3)))
    };
    let genes = table(&format!("{target},batch,patient,months,died"), study);
    for name in ["genes.csv", "new.csv", "huge.csv"] {
        place.write(name, &genes);
    }
    let few = table(target, |i| class(i).into());
    for name in ["day-1.csv", "day-2.csv", "shard1.csv"] {
        place.write(name, &few);
    }
    place.write("hallmark.gmt", "first\t\tg0\tg1\tg2\tg3\nsecond\t\tg10\tg11\tg12\tg13\tg14\n");
    place.write("sensors.csv", include_str!("cmd/relations.in/sensors.csv"));
    let samples: Vec<String> = (0..ROWS).map(|i| format!("s{i}")).collect();
    let gene = |j: usize| format!("g{j}\t{}\n", (0..ROWS).map(|i| value(i, j)).collect::<Vec<_>>().join("\t"));
    let across = format!("gene\t{}\n", samples.join("\t")) + &(0..FEATURES).map(gene).collect::<String>();
    place.write("genes.tsv", &across);
    place.write("expression.tsv", &across);
    let annotated = (0..ROWS).map(|i| format!("s{i}\t{0}\t{0}\tb{1}\n", class(i), i / 20)).collect::<String>();
    place.write("samples.tsv", format!("sample\tgroup\tlabel\tbatch\n{annotated}"));
    let counts = |i: usize, j: usize| ((noise(i, j) + 4.0) * 40.0).round().to_string();
    let counted = |j: usize| format!("g{j}\t{}\n", (0..ROWS).map(|i| counts(i, j)).collect::<Vec<_>>().join("\t"));
    let across = format!("gene\t{}\n", samples.join("\t")) + &(0..60).map(counted).collect::<String>();
    place.write("counts.tsv", across);
    let counts = |i: usize| (0..60).map(|j| counts(i, j)).collect::<Vec<_>>().join(",");
    let names: Vec<String> = (0..60).map(|j| format!("g{j}")).collect();
    let reads = (0..ROWS).map(|i| format!("{},{}\n", class(i), counts(i))).collect::<String>();
    place.write("reads.csv", format!("{target},{}\n{reads}", names.join(",")));
    let score = |i: usize| noise(i, 99) * 1.4 + if i < 8 { 5.0 } else { 0.0 };
    let limma = |i: usize| format!("g{i},{0:.3},7.1,{0:.3},0.{1:02},0.5,-2\n", score(i), 1 + i % 97);
    place.write(
        "limma.csv",
        format!("gene,logFC,AveExpr,t,P.Value,adj.P.Val,B\n{}", (0..200).map(limma).collect::<String>()),
    );
    place.write(
        "scores.csv",
        format!("gene,z\n{}", (0..200).map(|i| format!("g{i},{:.3}\n", score(i))).collect::<String>()),
    );
    let row = |i: usize| format!("g{i},{0:.3},{0:.3},1.0,0.{1:03},{0:.3}\n", score(i), 1 + i * 7 % 997);
    place.write("table.csv", format!("gene,t,estimate,error,p,difference\n{}", (0..200).map(row).collect::<String>()));
    let runs = (0..20).map(|i| format!("1,{},0,{},0,0\n", i % 2, i % 3 / 2)).collect::<String>();
    place.write("runs.csv", format!("a,b,c,d,e,f\n{runs}"));
}
