//! Near duplicates among selected features: users should not count one thing five times.

use crate::base::note::{Note, NoteKind};
use crate::numeric::linalg::dot;
use crate::selection::Selection;
use crate::table::View;

/// Correlation from which on two features count as near-copies.
const ALIKE: f64 = 0.95;
/// The best-ranked features that are compared; more would say no more.
const MOST_FEATURES: usize = 300;
/// Rows that are looked at: spread evenly over the view.
const MOST_ROWS: usize = 2000;

/// Groups of selected features whose correlation with another of the group is at least 0.95 in size, larger groups first.
///
/// Cost: at most 300²/2 correlations over at most 2,000 rows. Categories are not compared; a missing value counts as the
/// feature's mean.
pub fn groups(data: &View, selected: &[u32]) -> Vec<Vec<u32>> {
    let rows = data.rows();
    let step = rows.len().div_ceil(MOST_ROWS).max(1);
    let rows: Vec<u32> = rows.iter().copied().step_by(step).collect();
    let numeric = selected.iter().filter(|&&i| data.columns().categories(i as usize).is_none());
    let standardised = |&i: &u32| Some((i, standardised(&data.numbers(i as usize)?, &rows)?));
    let compared: Vec<(u32, Vec<f64>)> = numeric.take(MOST_FEATURES).filter_map(standardised).collect();
    let mut leader: Vec<usize> = (0..compared.len()).collect();
    for a in 0..compared.len() {
        for b in 0..a {
            let (la, lb) = (leader[a], leader[b]);
            if la != lb && dot(&compared[a].1, &compared[b].1).abs() >= ALIKE {
                let (low, high) = (la.min(lb), la.max(lb));
                leader.iter_mut().filter(|l| **l == high).for_each(|l| *l = low);
            }
        }
    }
    let members =
        |l: usize| (0..compared.len()).filter(|&i| leader[i] == l).map(|i| compared[i].0).collect::<Vec<u32>>();
    let mut groups: Vec<Vec<u32>> = (0..compared.len()).map(members).filter(|g| g.len() > 1).collect();
    groups.sort_by_key(|g| std::cmp::Reverse(g.len()));
    groups
}

/// Adds the closing notes of a selection: near duplicates among its features, and features that were requested.
pub(crate) fn annotate(selection: &mut Selection, data: &View) {
    let copies = groups(data, &selection.selected);
    selection.notes.extend(note(data, &copies));
    selection.detail.near_copies = copies;
    let forced = selection.keep(data.keep());
    if !forced.is_empty() {
        let text = format!("{} selected only on request", forced.len());
        selection.notes.push(Note::about(NoteKind::Kept, text, forced));
    }
}

/// Deviations from the mean with length one; `None` without variance.
fn standardised(x: &[f64], rows: &[u32]) -> Option<Vec<f64>> {
    let known: Vec<f64> = rows.iter().map(|&r| x[r as usize]).filter(|x| !x.is_nan()).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let mut values: Vec<f64> =
        rows.iter().map(|&r| if x[r as usize].is_nan() { 0.0 } else { x[r as usize] - mean }).collect();
    let length = dot(&values, &values).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    values.iter_mut().for_each(|v| *v /= length);
    Some(values)
}

/// The groups in words.
pub fn note(data: &View, groups: &[Vec<u32>]) -> Option<Note> {
    let name = |i: &u32| format!("`{}`", data.names()[*i as usize]);
    let shown = |g: &Vec<u32>| {
        let few: Vec<String> = g.iter().take(4).map(name).collect();
        let more = if g.len() > few.len() { format!(" and {} more", g.len() - few.len()) } else { String::new() };
        format!("{}{more}", few.join(", "))
    };
    let some: Vec<String> = groups.iter().take(3).map(shown).collect();
    let rest = if groups.len() > some.len() { "; …" } else { "" };
    let members = groups.iter().flatten();
    let text = format!(
        "{} selected features are near-copies of another (correlation 0.95 or more), in {} group{}: {}{rest}",
        members.clone().count(),
        groups.len(),
        if groups.len() == 1 { "" } else { "s" },
        some.join("; ")
    );
    let features = members.map(|&i| data.names()[i as usize].clone()).collect();
    (!groups.is_empty()).then_some(Note { kind: NoteKind::NearCopies, message: text, features })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Table, Target};

    #[test]
    fn copies_are_grouped_whatever_their_scale_and_sign() {
        let base: Vec<f64> = (0..40).map(|i| f64::from((i * 17) % 23)).collect();
        let other: Vec<f64> = (0..40).map(|i| f64::from((i * 11) % 29)).collect();
        let change = |x: &[f64], f: fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<f64>>();
        let mut holes = change(&base, |x| x);
        holes[3] = f64::NAN;
        let columns = vec![base.clone(), other, change(&base, |x| 5.0 - 2.0 * x), vec![1.0; 40], holes];
        let labels: Vec<Option<&str>> = (0..40).map(|i| Some(if i % 2 == 0 { "a" } else { "b" })).collect();
        let names = (0..5).map(|j| format!("f{j}")).collect();
        let table = Table::new(names, columns, "y", Target::classes(&labels)).expect("a table");
        let found = groups(&table.view(), &[4, 1, 0, 3, 2]);
        assert_eq!(found, [vec![4, 0, 2]]);
        let text = note(&table.view(), &found).expect("a note").message;
        assert!(text.contains("3 selected features") && text.contains("`f4`, `f0`, `f2`"), "{text}");
        assert!(note(&table.view(), &[]).is_none());
    }
}
