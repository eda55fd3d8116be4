//! A sentence has one source: words that stand in two files drift apart.

use crate::layers::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// The library and the front ends, beside each other.
const SOURCES: [&str; 5] =
    ["crates/tamis/src", "crates/tamis-cli/src", "crates/tamis-report/src", "python/src", "r/src/rust/src"];

/// Texts with fewer words are not worth a name.
const FEWEST_WORDS: usize = 4;

/// The texts of a line of code or of several: what stands between quotation marks, line continuations joined.
fn literals(code: &str) -> Vec<String> {
    let (mut found, mut text, mut inside) = (vec![], String::new(), false);
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        match (inside, letter) {
            (true, '\\') => match letters.next() {
                Some('\n') => while letters.next_if(|c| c.is_whitespace()).is_some() {},
                Some(other) => text.extend(['\\', other]),
                None => {}
            },
            (true, '"') => {
                found.push(std::mem::take(&mut text));
                inside = false;
            }
            (true, other) => text.push(other),
            (false, '\'') if letters.peek() == Some(&'"') => drop(letters.next()), // the letter '"'
            (false, '"') => inside = true,
            (false, _) => {}
        }
    }
    found
}

/// How many words a text has beside what is filled in.
fn words(text: &str) -> usize {
    let plain: String = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    plain.split(|c: char| !c.is_alphanumeric()).filter(is_word).count()
}

/// The code of a file without its tests, comments, attributes, reasons of panics, and the descriptions of methods, which
/// stand on pages of their own.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let told = |line: &&str| {
        let line = line.trim_start();
        !["//", "#[", "cost:", "number_by:", "summary:"].iter().any(|start| line.starts_with(start))
            && !line.contains(".expect(\"")
    };
    code.lines().filter(told).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_sentence_stands_in_one_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files_of = BTreeMap::<String, Vec<String>>::new();
    for folder in SOURCES {
        let mut paths = vec![];
        sources(&root.join(folder), &mut paths);
        for path in paths {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            if name.ends_with("tests.rs") {
                continue;
            }
            let mut told = literals(&code(&std::fs::read_to_string(&path).unwrap()));
            told.iter_mut().for_each(|text| *text = text.trim().to_string());
            told.sort_unstable();
            told.dedup();
            for text in told.into_iter().filter(|text| words(text) >= FEWEST_WORDS) {
                files_of.entry(text).or_default().push(name.clone());
            }
        }
    }
    assert!(files_of.len() > 500, "the files were not read");
    let twice: Vec<_> = files_of.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(twice.is_empty(), "give each a name in one file (`base/remedies.rs` holds those of errors): {twice:#?}");
}

#[test]
fn literals_are_found_and_their_words_counted() {
    let found = literals("let a = format!(\"one {two} \\\n      three\"); let b = '\"'; let c = \"d \\\"e\\\" f\";");
    assert_eq!(found, ["one {two} three", "d \\\"e\\\" f"]);
    assert_eq!(["one {two} three", "a bc de fg hi", ""].map(words), [2, 4, 0]);
}
