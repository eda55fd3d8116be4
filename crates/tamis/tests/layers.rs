//! The direction of imports: a module of the library imports only from layers before its own, never from a sibling in
//! its layer. The layers are those of CONTRIBUTING.

use std::path::{Path, PathBuf};

/// From the ground up; modules that share a layer do not know each other.
const LAYERS: [&[&str]; 18] = [
    &["base"],
    &["numeric"],
    &["table"],
    &["resample", "codes", "simulate"],
    &["score"],
    &["selection"],
    &["model"],
    &["sparse_means", "information", "dependence", "filter"],
    &["machines", "needed"],
    &["npfs", "classify"],
    &["compose"],
    &["catalogue"],
    &["evaluate", "merge"],
    &["stream"],
    &["result"],
    &["analysis"],
    &["prelude", "front"],
    &["lib"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The Rust files of a folder and those below it.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The top modules that a line of code names: `crate::table::View`, `crate::{table, score}`; `super` counts its way up.
fn named(line: &str, depth: usize) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let inside = line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$');
        let rest = &line[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => found.extend(list.split(',').map(|part| word(part.trim()))),
            None if !inside => found.push(word(rest)),
            None => {}
        }
    }
    for (at, _) in line.match_indices("super::") {
        let path = line[at..].trim_start_matches("super::");
        let ups = (line[at..].len() - path.len()) / "super::".len();
        let starts = !line[..at].ends_with("::");
        if starts && ups >= depth {
            found.push(word(path.trim_start_matches('{')));
        }
    }
    found
}

#[test]
fn imports_point_to_layers_before_their_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut wrong = Vec::new();
    for path in &files {
        let inside: Vec<String> =
            path.strip_prefix(&root).unwrap().iter().map(|p| p.to_string_lossy().replace(".rs", "")).collect();
        let own = layer(&inside[0]).unwrap_or_else(|| panic!("`{}` has no layer: add it to LAYERS", inside[0]));
        // how many times `super` leads from this file's module to the root of the library
        let depth = inside.len() - usize::from(inside[inside.len() - 1] == "mod");
        let text = std::fs::read_to_string(path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            let said = line.trim_start();
            if inside[0] == "lib" || said.starts_with("//") {
                continue;
            }
            for module in named(line, depth) {
                let test_only = module == "fixtures";
                let place = || format!("{}:{}: {said}", path.display(), number + 1);
                match layer(&module) {
                    _ if test_only || module == inside[0] || module == "self" => {}
                    Some(other) if other < own => {}
                    Some(_) => wrong.push(place()),
                    None => wrong.push(format!("{} (name the room: crate::room::Item)", place())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports that do not point to a layer before their own:\n{}", wrong.join("\n"));
}

#[test]
fn a_wrong_import_is_noticed() {
    assert_eq!(named("use crate::catalogue::Method;", 2), ["catalogue"]);
    assert_eq!(named("    let x = crate::table::View::new(super::super::score::z());", 2), ["table", "score"]);
    assert_eq!(named("use crate::{table, score};", 1), ["table", "score"]);
    assert!(named("use super::kernel::Shape;", 2).is_empty());
    assert!(layer("table") < layer("score") && layer("npfs") == layer("classify"));
}
