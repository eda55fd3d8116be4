//! Names of features that stand more than once in a file with a row per feature: they are numbered.

use crate::base::note::{Note, NoteKind};
use crate::table::ReadOptions;
use std::collections::{HashMap, HashSet};

/// Names that are told apart, of the features that are not dropped, and which these are.
pub(super) fn distinct(names: Vec<String>, options: &ReadOptions, notes: &mut Vec<Note>) -> (Vec<String>, Vec<bool>) {
    let given: HashSet<String> = names.iter().cloned().collect();
    let mut seen = HashMap::<String, usize>::new();
    let mut renamed = vec![];
    let mut out = vec![];
    let mut kept = vec![];
    for name in names {
        let count = seen.entry(name.clone()).or_insert(0);
        *count += 1;
        let mut own = name.clone();
        if *count > 1 {
            let (from, taken) = (*count - 1, |own: &String| given.contains(own));
            let number = (from..).find(|number| !taken(&format!("{name}-{number}"))).unwrap_or(from);
            *count = number + 1;
            own = format!("{name}-{number}");
            renamed.push(own.clone());
        }
        let keep = !options.drop.contains(&name);
        kept.push(keep);
        if keep {
            out.push(own);
        }
    }
    let text = "{} called like another, and numbered";
    notes.extend(Note::counting(NoteKind::RowNames, text, renamed));
    (out, kept)
}
