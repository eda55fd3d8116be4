//! Names of samples that differ between two files in a way that can be told.

use std::collections::HashSet;

/// A way in which names may differ, in words, and what makes them alike.
type Difference = (&'static str, fn(&str) -> String);

const DIFFERENCES: [Difference; 4] = [
    ("if capital letters did not count", |name| name.to_lowercase()),
    ("if `-`, `.`, `_` and blanks were the same", |name| {
        name.replace(['.', '_', ' '], "-").trim_matches('X').to_string()
    }),
    ("without what follows the last `-`, `.` or `_`", |name| without_end(name).to_string()),
    ("without what precedes the first `-`, `.` or `_`", |name| without_start(name).to_string()),
];

fn without_end(name: &str) -> &str {
    name.rfind(['-', '.', '_']).filter(|at| *at > 0).map_or(name, |at| &name[..at])
}

fn without_start(name: &str) -> &str {
    name.find(['-', '.', '_']).map_or(name, |at| &name[at + 1..])
}

/// The difference without which at least half of `here`, and two, would be among `there`: "12 would be if …".
pub(super) fn almost(here: &[&str], there: &[&str]) -> Option<String> {
    DIFFERENCES.iter().find_map(|(words, alike)| {
        let known: HashSet<String> = there.iter().map(|name| alike(name)).collect();
        let found: HashSet<String> = here.iter().map(|name| alike(name)).filter(|name| known.contains(name)).collect();
        // names that become one name are told apart by what is taken away
        (found.len() >= 2 && 2 * found.len() >= here.len().min(there.len()))
            .then(|| format!("{} would be {words}", found.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_that_can_be_told_are_told() {
        let told = |here: [&str; 3], there: [&str; 3]| almost(&here, &there).unwrap_or_default();
        assert!(told(["AAC-1", "AAG-1", "AAT-1"], ["AAC", "AAG", "AAT"]).contains("the last"));
        assert!(told(["S.1", "S.2", "S.3"], ["S-1", "S-2", "S-3"]).contains("the same"));
        assert!(told(["s1", "s2", "s3"], ["S1", "S2", "S3"]).contains("capital"));
        assert!(told(["run_a", "run_b", "run_c"], ["a", "b", "c"]).contains("precedes"));
        assert_eq!(told(["p-1", "p-2", "p-3"], ["q-4", "q-5", "q-6"]), "");
    }
}
