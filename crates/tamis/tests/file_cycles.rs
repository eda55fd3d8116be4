//! Files of one room import each other in one direction: no two of them need each other, directly or through others.
//!
//! What a `mod.rs` only exports again counts as the file it comes from. Where a file uses an item that the `mod.rs` above
//! it defines, the two are a cycle only if that `mod.rs` itself uses the file. Methods are not followed, nor what macros
//! write.

use super::layers::sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Imports that close a cycle and are left: a file, the file it uses, and why it stays.
const LEFT: [(&str, &str, &str); 20] = [
    ("catalogue/trained_model.rs", "catalogue/method.rs", "a model keeps the method that trained it, which trains it"),
    ("classify/cart.rs", "classify/grow.rs", "a tree is grown by its method, of its nodes"),
    ("classify/cart.rs", "classify/prune.rs", "a tree is pruned by its method, of its nodes"),
    ("filter/scatter.rs", "filter/fisher.rs", "one score serves a method and a criterion"),
    ("information/pair_tables.rs", "information/pair_floors.rs", "a search skips pairs by floors of its own tiles"),
    ("merge/covariate_state.rs", "merge/feature.rs", "covariates are summed as features are, and features with them"),
    ("merge/feature.rs", "merge/cross_sums.rs", "covariates are summed as features are, and features with them"),
    ("merge/sum_pass.rs", "merge/mod.rs", "a state becomes sums of a pass over it"),
    ("merge/sum_pass.rs", "merge/pass.rs", "a pass is one of its kinds"),
    ("merge/sum_pass.rs", "merge/piece_target.rs", "a pass is one of its kinds"),
    ("npfs/base.rs", "npfs/method.rs", "a method's steps are in files of their own"),
    ("npfs/null_model.rs", "npfs/method.rs", "a method's steps are in files of their own"),
    ("result/answer_lines.rs", "result/remarks.rs", "lines and remarks write numbers alike"),
    ("result/feature_groups.rs", "result/selection.rs", "a part of the document is made of the whole"),
    ("result/read_document.rs", "result/evaluation.rs", "one reader for every kind of document"),
    ("result/read_document.rs", "result/selection.rs", "one reader for every kind of document"),
    ("sparse_means/kde.rs", "sparse_means/kde_binned.rs", "many scores are fitted in bins, few one by one"),
    (
        "sparse_means/noise_states/mod.rs",
        "sparse_means/noise_states/known_noise.rs",
        "known noise is an answer of its own",
    ),
    ("stream/assembly.rs", "stream/select_from_codes.rs", "codes are put together into what selects from them"),
    ("stream/mod.rs", "stream/summing.rs", "a stream is summed by a sink that knows it"),
];

/// The path of a module below `crate`.
type Module = Vec<String>;

/// One name that a `use` brings into a file.
struct Import {
    path: Vec<String>,
    name: String,
    is_public: bool,
}

/// The code of a file without its comments and tests.
struct File {
    shown: String,
    imports: Vec<Import>,
    /// The code without its `use` declarations.
    rest: String,
}

/// The code of a file up to its tests, without comments.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.split(" // ").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The names of a `use` tree: `a::{b, c::D as E}` has `a::b` and `a::c::D`, the second as `E`.
fn leaves(tree: &str, before: &[String], is_public: bool, found: &mut Vec<Import>) {
    let tree = tree.trim();
    if let Some((start, list)) = tree.split_once('{') {
        let start = start.trim_end_matches("::").split("::").filter(|s| !s.is_empty()).map(str::to_string);
        let before: Vec<String> = before.iter().cloned().chain(start).collect();
        let list = list.strip_suffix('}').unwrap_or(list);
        let (mut depth, mut from) = (0, 0);
        for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    if !list[from..at].trim().is_empty() {
                        leaves(&list[from..at], &before, is_public, found);
                    }
                    from = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
    let mut path: Vec<String> = before.iter().cloned().chain(path.split("::").map(str::to_string)).collect();
    path.pop_if(|last| last == "self");
    let name = alias.map_or_else(|| path.last().unwrap().clone(), str::to_string);
    found.push(Import { path, name, is_public });
}

/// The parts of a file: what it imports, and the rest of its code.
fn parsed(shown: String, text: &str) -> File {
    let (mut imports, mut rest, mut declaration) = (Vec::new(), String::new(), None::<(String, bool)>);
    let mut for_tests = false;
    for line in code(text).lines() {
        let said = line.trim();
        let said = said.split_once("pub(in ").map_or(said, |(_, rest)| rest.split_once(") ").unwrap().1);
        let (public, bare) = ["pub ", "pub(crate) ", "pub(super) "]
            .iter()
            .find_map(|word| said.strip_prefix(word))
            .map_or((false, said), |bare| (true, bare));
        if declaration.is_none() && bare.starts_with("use ") {
            declaration = Some((String::new(), public));
        }
        match &mut declaration {
            Some((tree, is_public)) => {
                tree.push_str(bare);
                if bare.ends_with(';') {
                    let tree = tree.trim_start_matches("use ").trim_end_matches(';');
                    if !for_tests {
                        leaves(tree, &[], *is_public, &mut imports);
                    }
                    declaration = None;
                }
            }
            None => {
                rest.push_str(said);
                rest.push('\n');
            }
        }
        if declaration.is_none() {
            for_tests = said == "#[cfg(test)]";
        }
    }
    File { shown, imports, rest }
}

/// The paths of two or more words in code: `score::null::draw`.
fn paths(code: &str) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut previous = ' ';
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        if !is_word(c) {
            previous = c;
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(|c| !is_word(c) && c != ':').unwrap_or(rest.len());
        let path: Vec<String> = rest[..end].split("::").map(str::to_string).collect();
        if path.len() > 1 && previous != '$' && previous != ':' {
            found.push(path.into_iter().take_while(|s| s.chars().all(is_word) && !s.is_empty()).collect());
        }
        previous = ' ';
        rest = &rest[end..];
    }
    found
}

struct Library(BTreeMap<Module, File>);

impl Library {
    fn read(root: &Path) -> Self {
        let mut found = Vec::new();
        sources(root, &mut found);
        let mut files = BTreeMap::new();
        for path in found {
            let shown = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            let module = shown.trim_end_matches(".rs").trim_end_matches("/mod").split('/').map(str::to_string);
            files.insert(module.collect(), parsed(shown, &std::fs::read_to_string(&path).unwrap()));
        }
        let for_tests: Vec<Module> = files
            .iter()
            .flat_map(|(module, file): (&Module, &File)| {
                let declared = file.rest.split("#[cfg(test)]\nmod ").skip(1).filter_map(|rest| rest.split_once(';'));
                declared.map(|(name, _)| [module.as_slice(), &[name.to_string()]].concat()).collect::<Vec<_>>()
            })
            .collect();
        files.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
        Library(files)
    }

    /// The file that defines what `path` names in the code of `from`; of a path that names a folder, the folder's module.
    fn file_of(&self, from: &Module, path: &[String], hops: usize) -> Option<Module> {
        let (first, mut rest) = path.split_first()?;
        let inside = |module: &Module, name: &String| [module.as_slice(), std::slice::from_ref(name)].concat();
        let mut at = match first.as_str() {
            "crate" => vec![],
            "self" => from.clone(),
            "super" => from[..from.len() - 1].to_vec(),
            _ if self.0.contains_key(&inside(from, first)) => inside(from, first),
            _ => {
                let import = self.0.get(from)?.imports.iter().find(|i| &i.name == first)?;
                if hops == 0 || import.path.first() == Some(first) {
                    return None;
                }
                let leads = [&import.path, rest].concat();
                return self.file_of(from, &leads, hops - 1);
            }
        };
        while let Some((name, after)) = rest.split_first() {
            if name == "super" {
                at.pop();
            } else if self.0.contains_key(&inside(&at, name)) {
                at.push(name.clone());
            } else {
                let exported = self.0.get(&at)?.imports.iter().find(|i| &i.name == name);
                return match exported {
                    Some(import) if hops > 0 => self.file_of(&at, &import.path, hops - 1).or(Some(at)),
                    _ => Some(at),
                };
            }
            rest = after;
        }
        Some(at)
    }

    /// The files of its own room that a file uses, and what of them.
    fn used(&self, module: &Module) -> Uses {
        let file = &self.0[module];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_code = |line: &&str| !(line.ends_with(';') && (line.starts_with("mod ") || line.contains(" mod ")));
        let lines = file.rest.lines().filter(is_code);
        let words: BTreeSet<&str> = lines.flat_map(|line| line.split(|c| !is_word(c))).collect();
        let imported = file.imports.iter().filter(|import| !import.is_public || words.contains(import.name.as_str()));
        let mut used = Uses::new();
        for path in imported.map(|import| import.path.clone()).chain(paths(&file.rest)) {
            let Some(found) = self.file_of(module, &path, 8) else { continue };
            let Some(other) = self.0.get(&found) else { continue };
            // a folder that is imported counts by what is used of it
            let is_folder = other.shown.ends_with("mod.rs") && path.last() == found.last();
            if found.first() == module.first() && &found != module && !is_folder {
                used.entry(found).or_default().insert(path.last().unwrap().clone());
            }
        }
        used
    }
}

/// The files that a file uses, each with the names of what it uses.
type Uses = BTreeMap<Module, BTreeSet<String>>;

/// Groups of modules each of which leads to every other one.
fn cycles(edges: &BTreeMap<Module, Uses>) -> Vec<Vec<Module>> {
    let reached = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            for next in edges.get(at).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&Module, BTreeSet<&Module>> = edges.keys().map(|module| (module, reached(module))).collect();
    let mut groups = BTreeSet::new();
    for (module, seen) in &all {
        let group: Vec<Module> =
            seen.iter().filter(|other| all[**other].contains(module)).map(|&other| other.clone()).collect();
        if group.len() > 1 {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

#[test]
fn files_of_a_room_import_each_other_in_one_direction() {
    let library = Library::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let edges: BTreeMap<Module, Uses> = library.0.keys().map(|module| (module.clone(), library.used(module))).collect();
    let shown = |module: &Module| library.0[module].shown.as_str();
    let is_left = |from: &Module, to: &Module| LEFT.iter().any(|left| (left.0, left.1) == (shown(from), shown(to)));
    for (from, to, _) in LEFT {
        let is_there = edges.iter().any(|(module, used)| shown(module) == from && used.keys().any(|o| shown(o) == to));
        assert!(is_there, "{from} no longer uses {to}: remove it from LEFT");
    }
    let mut without_left = edges.clone();
    for (module, used) in &mut without_left {
        used.retain(|other, _| !is_left(module, other));
    }
    let mut wrong = String::new();
    for group in cycles(&without_left) {
        wrong.push_str(&format!("{} files in a cycle:\n", group.len()));
        for module in &group {
            wrong.push_str(&format!("  {} uses\n", shown(module)));
            for (other, names) in without_left[module].iter().filter(|(other, _)| group.contains(other)) {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                wrong.push_str(&format!("    {}: {}\n", shown(other), names.join(", ")));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "cycles between files of a room (move what both need to the file where it belongs):\n{wrong}"
    );
}

#[test]
fn a_cycle_is_noticed() {
    let file = |shown: &str, text: &str| parsed(shown.into(), text);
    let module = |path: &str| path.split('/').map(str::to_string).collect::<Module>();
    let library = |texts: [&str; 3]| {
        let [top, one, two] = texts;
        let files = [("room", "room/mod.rs", top), ("room/one", "room/one.rs", one), ("room/two", "room/two.rs", two)];
        Library(files.map(|(path, shown, text)| (module(path), file(shown, text))).into())
    };
    let found = |texts: [&str; 3]| {
        let library = library(texts);
        cycles(&library.0.keys().map(|module| (module.clone(), library.used(module))).collect())
    };
    let exports = "mod one;\nmod two;\npub use one::One;\nuse two::{self as other, Two};\n";
    assert!(found([exports, "use super::Two;", "struct Two;"]).is_empty(), "exported again, not used");
    assert_eq!(
        found([exports, "use super::Two;", "use crate::room::{One};"]),
        [[module("room/one"), module("room/two")]]
    );
    assert!(found(["mod one;\npub use one::One;", "use super::Top;", "fn f() -> super::one::One {}"]).is_empty());
    let uses = "pub use one::One;\nfn f() -> One {}";
    assert_eq!(found([uses, "use super::Top;", ""]), [[module("room"), module("room/one")]]);
    assert!(found([uses, "// super::Top\n#[cfg(test)]\nmod tests {\n use super::super::Top;\n}", ""]).is_empty());
}
