//! Clusters of selected features that are correlated, and near-copies among them: users should not count one thing five
//! times.

use crate::base::note::{Note, NoteKind};
use crate::selection::Selection;
use crate::selection::pairwise::{Columns, join_correlated};
use crate::table::View;

/// Correlation from which on two features are in one cluster.
const TOGETHER: f64 = 0.8;
/// Correlation from which on two features count as near-copies.
const ALIKE: f64 = 0.95;
/// Clusters of more features are not sought.
const MOST_FEATURES: usize = 5000;
/// Multiplications that correlations may take; beyond that a sample of the rows has to do.
const MOST_PRODUCTS: u64 = 50_000_000_000;
/// Matrix products for a block of correlations where values are missing.
const PRODUCTS_IF_MISSING: usize = 6;
/// Rows of the smallest sample.
const FEWEST_ROWS: usize = 1000;

/// Correlated features in groups; each is listed best rank first.
pub(crate) struct Clusters {
    /// The connected components of |r| ≥ 0.8, the one with the best rank first; a feature alone is one too.
    pub(crate) clusters: Vec<Vec<u32>>,
    /// Those of |r| ≥ 0.95 that have two features or more, larger ones first.
    pub(crate) near_copies: Vec<Vec<u32>>,
    /// How many rows were used, if not all.
    pub(crate) sampled_rows: Option<usize>,
}

/// The clusters of these features, given best rank first; none if there are more than 5,000.
///
/// r is Pearson's correlation over the rows in which both features have a value. A category is a cluster of its own.
///
/// Cost: n²/2 correlations by matrix products, six where values are missing; over at most 5·10¹⁰/n² rows, but at least
/// 1,000 if there are as many, spread evenly over the table.
pub(crate) fn find(data: &View, selected: &[u32]) -> Option<Clusters> {
    let n = selected.len();
    if n > MOST_FEATURES {
        return None;
    }
    let has_missing =
        || selected.iter().any(|&i| data.numbers(i as usize).is_some_and(|x| x.iter().any(|x| x.is_nan())));
    let all = data.rows().len();
    let affordable = usize::try_from(MOST_PRODUCTS / ((n * n) as u64).max(1)).unwrap_or(usize::MAX);
    let affordable = match affordable < all && has_missing() {
        true => affordable / PRODUCTS_IF_MISSING,
        false => affordable,
    };
    let step = all.div_ceil(affordable.max(FEWEST_ROWS)).max(1);
    let rows: Vec<u32> = data.rows().iter().copied().step_by(step).collect();
    let [together, alike] = join_correlated(&Columns::new(data, selected, &rows), [TOGETHER, ALIKE]);
    let groups = |leaders: &[usize]| {
        let mut groups: Vec<Vec<u32>> = vec![];
        let mut group_of = vec![usize::MAX; n];
        for (&feature, &leader) in selected.iter().zip(leaders) {
            if group_of[leader] == usize::MAX {
                group_of[leader] = groups.len();
                groups.push(vec![]);
            }
            groups[group_of[leader]].push(feature);
        }
        groups
    };
    let mut near_copies = groups(&alike);
    near_copies.retain(|group| group.len() > 1);
    near_copies.sort_by_key(|group| std::cmp::Reverse(group.len()));
    Some(Clusters { clusters: groups(&together), near_copies, sampled_rows: (step > 1).then_some(rows.len()) })
}

/// Adds clusters, and the closing notes of a selection: near-copies among its features, and features that were requested.
pub(crate) fn annotate(selection: &mut Selection, data: &View) {
    match find(data, &selection.selected) {
        Some(Clusters { clusters, near_copies, sampled_rows }) => {
            if let Some(rows) = sampled_rows.filter(|_| selection.selected.len() > 1) {
                let text =
                    format!("correlations among selected features come from {rows} of {} rows", data.rows().len());
                selection.notes.push(Note::new(NoteKind::RowSample, text));
            }
            selection.notes.extend(near_copies_note(data, &near_copies));
            selection.detail.near_copies = near_copies;
            selection.clusters = Some(clusters);
        }
        None => {
            let text = format!("clusters of correlated features are not sought among more than {MOST_FEATURES}");
            selection.notes.push(Note::new(NoteKind::NotCompared, text));
        }
    }
    let forced = selection.keep(data.keep());
    if !forced.is_empty() {
        let text = format!("{} selected only on request", forced.len());
        selection.notes.push(Note::about(NoteKind::Kept, text, forced));
    }
}

/// Near-copies in words. In few rows nothing is said: features with strong effects are then correlated through the target.
fn near_copies_note(data: &View, groups: &[Vec<u32>]) -> Option<Note> {
    const FEWEST_ROWS: usize = 20;
    if data.rows().len() < FEWEST_ROWS {
        return None;
    }
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
    use crate::numeric::random;
    use crate::table::{Table, Target};
    use rand::RngExt;

    fn table(columns: Vec<Vec<f64>>) -> Table {
        let labels: Vec<Option<&str>> = (0..columns[0].len()).map(|i| Some(["a", "b"][i % 2])).collect();
        let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
        Table::new(names, columns, "y", Target::classes(&labels)).expect("a table")
    }

    #[test]
    fn copies_are_grouped_whatever_their_scale_and_sign() {
        let base: Vec<f64> = (0..40).map(|i| f64::from((i * 17) % 23)).collect();
        let other: Vec<f64> = (0..40).map(|i| f64::from((i * 11) % 29)).collect();
        let change = |x: &[f64], f: fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<f64>>();
        let mut holes = change(&base, |x| x);
        holes[3] = f64::NAN;
        let table = table(vec![base.clone(), other, change(&base, |x| 5.0 - 2.0 * x), vec![1.0; 40], holes]);
        let found = find(&table.view(), &[4, 1, 0, 3, 2]).expect("few features");
        assert_eq!(found.near_copies, [vec![4, 0, 2]]);
        assert_eq!(found.clusters, [vec![4, 0, 2], vec![1], vec![3]]);
        let text = near_copies_note(&table.view(), &found.near_copies).expect("a note").message;
        assert!(text.contains("3 selected features") && text.contains("`f4`, `f0`, `f2`"), "{text}");
        assert!(near_copies_note(&table.view(), &[]).is_none());
    }

    /// Pearson's r over the rows in which both have a value.
    fn correlation(x: &[f64], y: &[f64]) -> f64 {
        let both: Vec<(f64, f64)> =
            x.iter().zip(y).filter(|(x, y)| !x.is_nan() && !y.is_nan()).map(|(x, y)| (*x, *y)).collect();
        let n = both.len() as f64;
        let (mx, my) = (both.iter().map(|p| p.0).sum::<f64>() / n, both.iter().map(|p| p.1).sum::<f64>() / n);
        let sum = |f: &dyn Fn(f64, f64) -> f64| both.iter().map(|(x, y)| f(x - mx, y - my)).sum::<f64>();
        sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
    }

    /// Components of |r| ≥ 0.8 by walking from feature to feature.
    fn by_walking(columns: &[Vec<f64>]) -> Vec<Vec<u32>> {
        let mut seen = vec![false; columns.len()];
        let mut found = vec![];
        for start in 0..columns.len() {
            let (mut reached, mut open) = (vec![], vec![start]);
            while let Some(i) = open.pop() {
                if !std::mem::replace(&mut seen[i], true) {
                    reached.push(i as u32);
                    open.extend(
                        (0..columns.len()).filter(|&j| correlation(&columns[i], &columns[j]).abs() >= TOGETHER),
                    );
                }
            }
            reached.sort_unstable();
            found.extend((!reached.is_empty()).then_some(reached));
        }
        found
    }

    #[test]
    fn clusters_are_the_components_of_correlations_over_common_rows() {
        for (missing, features) in [(0.0, 40), (0.2, 40), (0.1, 300)] {
            let mut rng = random::stream(5, features as u64);
            let shared: Vec<Vec<f64>> =
                (0..12).map(|_| (0..50).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
            let columns: Vec<Vec<f64>> = (0..features)
                .map(|j| {
                    let noise = 0.2 + 0.6 * rng.random_range(0.0..1.0);
                    let value = |&x: &f64, own: f64| 100.0 + x + noise * own;
                    let mut column: Vec<f64> =
                        shared[j % 12].iter().map(|x| value(x, rng.random_range(-1.0..1.0))).collect();
                    // whole features without gaps, so that both kinds of pairs are met
                    if j % 3 != 0 {
                        column.iter_mut().for_each(|x| *x = if rng.random_bool(missing) { f64::NAN } else { *x });
                    }
                    column
                })
                .collect();
            let all: Vec<u32> = (0..features as u32).collect();
            let found = find(&table(columns.clone()).view(), &all).expect("few features").clusters;
            let expected = by_walking(&columns);
            assert!(expected.len() < features && expected.len() > 12, "{}", expected.len());
            assert_eq!(found, expected, "{missing} {features}");
        }
    }

    #[test]
    fn weights_count_as_repeated_rows() {
        let columns = vec![vec![1.0, 2.0, 3.0, 9.0, 4.0], vec![1.1, 2.3, 2.9, 1.5, 4.2]];
        let plain = table(columns.clone());
        assert_eq!(find(&plain.view(), &[0, 1]).expect("two").clusters.len(), 2);
        let weights = [5.0, 5.0, 5.0, 1e-9, 5.0];
        let view = plain.view();
        let weighted = view.with_weights(&weights).expect("weights");
        assert_eq!(find(&weighted, &[0, 1]).expect("two").clusters, [vec![0, 1]]);
    }
}
