//! One-hot columns: the 0/1 columns that one category column was spread over, brought back together.

use crate::base::counted;
use crate::base::note::{Note, NoteKind};
use crate::table::read::feature_groups::FeatureGroup;
use crate::table::{Categories, Column, MISSING, Table, View};
use std::collections::{BTreeMap, HashSet};

/// The signs between the name of a category column and one of its values.
const SEPARATORS: [char; 3] = ['_', '=', '['];
/// The category of rows in which none of the columns is 1.
const NONE: &str = "none of them";
/// Names that a note lists.
const LISTED: usize = 3;

/// A table whose one-hot columns are category columns.
#[derive(Debug)]
pub struct MergedColumns {
    /// The table.
    pub table: Table,
    /// The columns that each of its features was made of, by their positions before.
    pub members: Vec<Vec<u32>>,
    /// What was done.
    pub note: Note,
}

impl MergedColumns {
    /// Where groups of the columns before lie among the features.
    pub fn groups(&self, groups: &[FeatureGroup]) -> Vec<FeatureGroup> {
        let moved = |group: &FeatureGroup| {
            let holds = |members: &Vec<u32>| members.iter().any(|member| group.members.binary_search(member).is_ok());
            let members = (0..self.members.len() as u32).filter(|&at| holds(&self.members[at as usize]));
            FeatureGroup { name: group.name.clone(), members: members.collect() }
        };
        groups.iter().map(moved).collect()
    }
}

/// Brings one-hot columns together: 0/1 columns of a group that are never 1 in the same row, and columns that share the
/// beginning of their names (`city_Rome`, `city_Oslo`) of which exactly one is 1 in every row. `None` where there are
/// none.
///
/// Cost: one look at the values of columns whose names share a beginning, up to the first that is not 0 or 1.
pub fn merge_one_hot(data: &View, groups: &[FeatureGroup]) -> Option<MergedColumns> {
    let mut taken = vec![false; data.n_features()];
    let mut merged: Vec<(String, Vec<u32>, Categories)> = vec![];
    for group in groups.iter().filter(|group| group.members.len() > 1) {
        let free = group.members.iter().all(|&member| !taken[member as usize]);
        if let Some(categories) = free.then(|| categories(data, &group.members, "", true)).flatten() {
            group.members.iter().for_each(|&member| taken[member as usize] = true);
            merged.push((group.name.clone(), group.members.clone(), categories));
        }
    }
    for (beginning, members) in shared_beginnings(data) {
        let free = members.iter().all(|&member| !taken[member as usize]);
        if let Some(categories) = free.then(|| categories(data, &members, &beginning, false)).flatten() {
            members.iter().for_each(|&member| taken[member as usize] = true);
            merged.push((beginning.trim_end_matches(SEPARATORS).to_string(), members, categories));
        }
    }
    (!merged.is_empty()).then(|| assemble(data, &taken, merged))
}

/// Columns whose names share a beginning up to a separator, the shortest beginning first.
fn shared_beginnings(data: &View) -> Vec<(String, Vec<u32>)> {
    let mut by: BTreeMap<(usize, &str), Vec<u32>> = BTreeMap::new();
    for (name, at) in data.names().iter().zip(0..) {
        for (end, sign) in name.char_indices().filter(|(end, sign)| *end > 0 && SEPARATORS.contains(sign)) {
            let beginning = &name[..end + sign.len_utf8()];
            if beginning.len() < name.len() {
                by.entry((beginning.len(), beginning)).or_default().push(at);
            }
        }
    }
    let several = by.into_iter().filter(|(_, members)| members.len() > 1);
    several.map(|((_, beginning), members)| (beginning.to_string(), members)).collect()
}

/// The category of every row, if the columns are 0 or 1 and never 1 together; with `or_none` a row may have none.
fn categories(data: &View, members: &[u32], beginning: &str, or_none: bool) -> Option<Categories> {
    let columns = data.columns();
    let is_binary = |member: u32| {
        columns.numbers(member as usize).filter(|x| x.iter().all(|x| *x == 0.0 || *x == 1.0 || x.is_nan()))
    };
    let numbers = members.iter().map(|&member| is_binary(member)).collect::<Option<Vec<_>>>()?;
    let label = |&member: &u32| data.names()[member as usize][beginning.len()..].trim_end_matches(']').to_string();
    let mut labels: Vec<String> = members.iter().map(label).collect();
    let none = labels.len() as u32;
    let mut codes = vec![MISSING; columns.n_rows()];
    let mut any_none = false;
    for &row in data.rows() {
        let row = row as usize;
        if numbers.iter().any(|x| x[row].is_nan()) {
            continue;
        }
        let mut ones = (0_u32..).zip(&numbers).filter(|(_, x)| x[row] == 1.0).map(|(at, _)| at);
        codes[row] = match (ones.next(), ones.next()) {
            (Some(one), None) => one,
            (None, None) if or_none => {
                any_none = true;
                none
            }
            _ => return None,
        };
    }
    if any_none {
        labels.push(NONE.into());
    }
    Categories::new(labels, codes).ok()
}

/// The table with each merged column in the place of its first member.
fn assemble(data: &View, taken: &[bool], merged: Vec<(String, Vec<u32>, Categories)>) -> MergedColumns {
    let others: HashSet<&String> = data.names().iter().zip(taken).filter(|(_, t)| !**t).map(|(name, _)| name).collect();
    let mut by_first: BTreeMap<u32, (String, Vec<u32>, Categories)> = BTreeMap::new();
    let mut said = vec![];
    for (name, members, categories) in merged {
        let name = if others.contains(&name) { format!("{name} (one-hot)") } else { name };
        said.push(format!("`{name}` ({})", counted(members.len(), "column")));
        by_first.insert(members[0], (name, members, categories));
    }
    let (mut names, mut columns, mut all) = (vec![], vec![], vec![]);
    for (name, at) in data.names().iter().zip(0_u32..) {
        if let Some((name, members, categories)) = by_first.remove(&at) {
            names.push(name);
            columns.push(Column::Categories(categories));
            all.push(members);
        } else if !taken[at as usize] {
            names.push(name.clone());
            columns.push(data.column(at as usize).into_owned());
            all.push(vec![at]);
        }
    }
    let more = if said.len() > LISTED { format!(" and {} more", said.len() - LISTED) } else { String::new() };
    said.truncate(LISTED);
    let text = format!("one-hot columns count and are named together, as a category: {}{more}", said.join(", "));
    let mut table = data.with_columns(names, columns);
    let kept: HashSet<u32> = data.keep().iter().copied().collect();
    let is_kept = |at: &u32| all[*at as usize].iter().any(|member| kept.contains(member));
    table.study.keep = (0..all.len() as u32).filter(is_kept).collect();
    MergedColumns { table, members: all, note: Note::new(NoteKind::FeatureGroups, text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Target;

    fn table(columns: &[(&str, &[f64])]) -> Table {
        let names: Vec<String> = columns.iter().map(|(name, _)| name.to_string()).collect();
        let numbers: Vec<Vec<f64>> = columns.iter().map(|(_, x)| x.to_vec()).collect();
        let labels: Vec<Option<&str>> = ["u", "v", "u", "v"].map(Some).to_vec();
        Table::new(names, numbers, "y", Target::classes(&labels)).expect("a table")
    }

    #[test]
    fn columns_that_sum_to_one_become_one_category() {
        let table = table(&[
            ("age_mean", &[1.0, 2.0, 3.0, 4.0]),
            ("home_city_Rome", &[1.0, 0.0, 0.0, 0.0]),
            ("home_city_New_York", &[0.0, 1.0, 0.0, 1.0]),
            ("x", &[0.0, 1.0, 0.0, 1.0]),
            ("home_city_Oslo", &[0.0, 0.0, 1.0, 0.0]),
            ("home_a", &[0.0, 0.0, 1.0, 0.0]),
            ("age_old", &[0.0, 0.0, 1.0, 0.0]),
        ]);
        let merged = merge_one_hot(&table.view(), &[]).expect("one-hot columns");
        assert_eq!(merged.table.names().to_vec(), ["age_mean", "home_city", "x", "home_a", "age_old"]);
        assert_eq!(merged.members, [vec![0], vec![1, 2, 4], vec![3], vec![5], vec![6]]);
        let Some(Column::Categories(city)) = merged.table.column("home_city") else { panic!("no categories") };
        assert_eq!((0..4).map(|row| city.text(row)).collect::<Vec<_>>(), ["Rome", "New_York", "Oslo", "New_York"]);
    }

    #[test]
    fn groups_may_leave_rows_without_a_one_and_other_columns_stay() {
        let table = table(&[("a", &[1.0, 0.0, 0.0, 0.0]), ("b", &[0.0, 1.0, 0.0, 0.0]), ("c", &[0.5, 1.0, 0.0, 1.0])]);
        assert!(merge_one_hot(&table.view(), &[]).is_none());
        let group = |members: &[u32]| FeatureGroup { name: "g".into(), members: members.to_vec() };
        let merged = merge_one_hot(&table.view(), &[group(&[0, 1])]).expect("one-hot columns");
        assert_eq!(merged.members, [vec![0, 1], vec![2]]);
        assert_eq!(merged.groups(&[group(&[1, 2])])[0].members, [0, 1]);
        assert!(merge_one_hot(&table.view(), &[group(&[0, 2])]).is_none());
    }
}
