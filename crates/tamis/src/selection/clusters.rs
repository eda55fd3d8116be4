//! Clusters of selected features that move together, and near-copies among them.
//!
//! Features are compared by their residuals: two independent features that both differ by d standard deviations between
//! two classes correlate by d²/(4 + d²) over all rows, although nothing connects them.

use crate::base::counted;
use crate::base::note::{Note, NoteKind};
use crate::score::feature_residuals::FeatureResiduals;
use crate::selection::Selection;
use crate::selection::pairwise::{Columns, join_correlated};
use crate::table::View;
use rayon::prelude::*;

/// Correlation from which on two features are in one cluster.
const TOGETHER: f64 = 0.8;
/// Correlation from which on two features count as near-copies.
const ALIKE: f64 = 0.95;
/// With fewer residual degrees of freedom correlations are chance.
const FEWEST_DF: f64 = 15.0;
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

/// The clusters of these features, given best rank first; `None` where the design leaves fewer than 15 degrees of freedom.
///
/// r is Pearson's correlation of the features' residuals, over the rows in which both have a value; each feature's
/// residuals are those of its own rows. A category is a cluster of its own.
///
/// Cost: n²/2 correlations by matrix products, six where values are missing; over at most 5·10¹⁰/n² rows, but at least
/// 1,000 if there are as many, spread evenly over the table.
fn find(data: &View, selected: &[u32]) -> Option<Clusters> {
    let residuals = FeatureResiduals::of(data).filter(|residuals| residuals.df() >= FEWEST_DF)?;
    let n = selected.len();
    let all = data.rows().len();
    let affordable = usize::try_from(MOST_PRODUCTS / ((n * n) as u64).max(1)).unwrap_or(usize::MAX);
    let has_missing =
        || selected.iter().any(|&i| data.numbers(i as usize).is_some_and(|x| x.iter().any(|x| x.is_nan())));
    let affordable = match affordable < all && has_missing() {
        true => affordable / PRODUCTS_IF_MISSING,
        false => affordable,
    };
    let step = all.div_ceil(affordable.max(FEWEST_ROWS)).max(1);
    let some = |all: Vec<f64>| if step > 1 { all.into_iter().step_by(step).collect() } else { all };
    let column = |&i: &u32| data.numbers(i as usize).and_then(|x| residuals.of_column(&x)).map(some);
    let columns: Vec<Option<Vec<f64>>> = selected.par_iter().map(column).collect();
    let roots = some(residuals.roots());
    let sampled_rows = (step > 1).then_some(roots.len());
    // rows that two features share leave them as large a share of the degrees of freedom as all rows do
    let fewest_common = FEWEST_DF * residuals.weight() / residuals.df();
    let [together, alike] = join_correlated(&Columns::new(columns, &roots, fewest_common), [TOGETHER, ALIKE]);
    let mut near_copies = groups(selected, &alike);
    near_copies.retain(|group| group.len() > 1);
    near_copies.sort_by_key(|group| std::cmp::Reverse(group.len()));
    Some(Clusters { clusters: groups(selected, &together), near_copies, sampled_rows })
}

/// Features by the leader of their group, in their order.
fn groups(features: &[u32], leaders: &[usize]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = vec![];
    let mut group_of = vec![usize::MAX; features.len()];
    for (&feature, &leader) in features.iter().zip(leaders) {
        if group_of[leader] == usize::MAX {
            group_of[leader] = groups.len();
            groups.push(vec![]);
        }
        groups[group_of[leader]].push(feature);
    }
    groups
}

/// Adds clusters, and the closing notes of a selection: near-copies among its features, and features that were requested.
pub(crate) fn annotate(selection: &mut Selection, data: &View) {
    if selection.selected.len() > MOST_FEATURES {
        let text = format!("clusters of correlated features are not sought among more than {MOST_FEATURES}");
        selection.notes.push(Note::new(NoteKind::NotCompared, text));
    } else if let Some(found) = find(data, &selection.selected) {
        if let Some(rows) = found.sampled_rows.filter(|_| selection.selected.len() > 1) {
            let text = format!("correlations among selected features come from {rows} of {} rows", data.rows().len());
            selection.notes.push(Note::new(NoteKind::RowSample, text));
        }
        selection.notes.extend(near_copies_note(data, &found.near_copies));
        selection.detail.near_copies = found.near_copies;
        selection.clusters = Some(found.clusters);
    }
    selection.keep(data.keep());
}

/// Near-copies in words.
fn near_copies_note(data: &View, groups: &[Vec<u32>]) -> Option<Note> {
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
        "{} selected features are near-copies of another (residuals correlated by 0.95 or more), in {}: {}{rest}",
        members.clone().count(),
        counted(groups.len(), "group"),
        some.join("; ")
    );
    let features = members.map(|&i| data.names()[i as usize].clone()).collect();
    (!groups.is_empty()).then(|| Note { features, ..Note::new(NoteKind::NearCopies, text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use crate::table::{Categories, Column, Covariate, RowWeights, Table, Target, WeightKind};
    use rand::RngExt;

    fn classes(n: usize, among: &[&'static str]) -> Target {
        Target::classes(&(0..n).map(|i| Some(among[i % among.len()])).collect::<Vec<_>>())
    }

    fn table_of(columns: Vec<Vec<f64>>, target: Target) -> Table {
        let names = (0..columns.len()).map(|j| format!("f{j}")).collect();
        Table::new(names, columns, "y", target).expect("a table")
    }

    fn table(columns: Vec<Vec<f64>>) -> Table {
        let target = classes(columns[0].len(), &["a", "b"]);
        table_of(columns, target)
    }

    fn all(table: &Table) -> Vec<u32> {
        (0..table.names().len() as u32).collect()
    }

    fn noise(n: usize, stream: u64) -> Vec<f64> {
        let mut rng = random::stream(3, stream);
        (0..n).map(|_| random::standard_normal(&mut rng)).collect()
    }

    /// `apart` columns of noise, and a copy of the first with a little noise, each plus `effect` of its row.
    fn independent(apart: u64, n: usize, effect: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
        let mut columns: Vec<Vec<f64>> = (0..apart).map(|j| noise(n, j)).collect();
        columns.push(columns[0].iter().zip(noise(n, apart)).map(|(x, e)| x + 0.05 * e).collect());
        columns.iter_mut().for_each(|column| column.iter_mut().enumerate().for_each(|(i, x)| *x += effect(i)));
        columns
    }

    /// Whether the first and the last column share a cluster and all others are alone.
    fn only_the_copy_is_found(table: &Table) -> bool {
        let found = find(&table.view(), &all(table)).expect("enough rows");
        let last = table.names().len() as u32 - 1;
        let mut expected = vec![vec![0, last]];
        expected.extend((1..last).map(|i| vec![i]));
        found.clusters == expected && found.near_copies == [vec![0, last]]
    }

    #[test]
    fn features_that_share_nothing_but_the_target_are_not_clustered() {
        let n = 40;
        let shift = |i: usize| 6.0 * (i % 2) as f64;
        assert!(only_the_copy_is_found(&table(independent(20, n, shift))), "two classes");
        let several = |i: usize| 5.0 * (i % 3) as f64;
        let table_of_three = table_of(independent(20, n, several), classes(n, &["a", "b", "c"]));
        assert!(only_the_copy_is_found(&table_of_three), "several classes");
        let slope = |i: usize| 0.5 * i as f64;
        let target = Target::Real { values: (0..n).map(|i| i as f64).collect() };
        assert!(only_the_copy_is_found(&table_of(independent(20, n, slope), target)), "a numeric target");
    }

    #[test]
    fn features_that_share_nothing_but_survival_covariates_or_blocks_are_not_clustered() {
        let n = 60;
        // the martingale residuals of uncensored times are 1 less the cumulative hazard
        let hazard = |i: usize| (0..=i).map(|k| 1.0 / (n - k) as f64).sum::<f64>();
        let times = (0..n).map(|i| (i + 1) as f64).collect();
        let survival = Target::Survival { times, events: vec![true; n] };
        assert!(only_the_copy_is_found(&table_of(independent(20, n, |i| 5.0 * hazard(i)), survival)), "survival");
        let age: Vec<f64> = (0..n).map(|i| ((i * 7) % 60) as f64).collect();
        let covariate = Covariate { name: "age".into(), values: Column::Numbers(age.clone()) };
        let aged = table(independent(20, n, |i| 0.3 * age[i])).with_covariates(vec![covariate]).expect("covariates");
        assert!(only_the_copy_is_found(&aged), "covariates");
        let donors: Vec<Option<&str>> = (0..n).map(|i| Some(["p", "q", "r", "s", "t"][i / 12])).collect();
        let blocked = table(independent(20, n, |i| 9.0 * (i / 12) as f64));
        let blocked = blocked.with_blocks("donor", Categories::of(donors)).expect("blocks");
        assert!(only_the_copy_is_found(&blocked), "blocks");
    }

    #[test]
    fn with_few_degrees_of_freedom_there_are_no_clusters_and_no_word_of_them() {
        let few = |n: usize| table(independent(5, n, |_| 0.0));
        assert!(find(&few(16).view(), &[0, 5]).is_none() && find(&few(17).view(), &[0, 5]).is_some());
        let table = few(8);
        let record = crate::base::MethodRecord { name: "t".into(), parameters: serde_json::Map::new() };
        let mut selection =
            Selection::new(table.names().clone(), vec![1.0; 6], (1..7).collect(), all(&table), record, 0);
        annotate(&mut selection, &table.view());
        assert!(selection.clusters.is_none() && selection.notes.is_empty() && selection.detail.near_copies.is_empty());
    }

    #[test]
    fn a_feature_without_variance_in_the_classes_is_alone() {
        let mut columns = independent(2, 40, |_| 0.0);
        let exact: Vec<f64> = (0..40).map(|i| 0.1 + 0.2 * f64::from(i % 2)).collect();
        columns.extend([exact.clone(), exact]);
        let table = table(columns);
        let found = find(&table.view(), &all(&table)).expect("enough rows");
        assert_eq!(found.clusters, [vec![0, 2], vec![1], vec![3], vec![4]]);
    }

    #[test]
    fn copies_are_grouped_whatever_their_scale_and_sign() {
        let base: Vec<f64> = (0..40).map(|i| f64::from((i * 17) % 23)).collect();
        let other: Vec<f64> = (0..40).map(|i| f64::from((i * 11) % 29)).collect();
        let change = |x: &[f64], f: fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<f64>>();
        let mut holes = change(&base, |x| x);
        holes[3] = f64::NAN;
        let table = table(vec![base.clone(), other, change(&base, |x| 5.0 - 2.0 * x), vec![1.0; 40], holes]);
        let found = find(&table.view(), &[4, 1, 0, 3, 2]).expect("enough rows");
        assert_eq!(found.near_copies, [vec![4, 0, 2]]);
        assert_eq!(found.clusters, [vec![4, 0, 2], vec![1], vec![3]]);
        let text = near_copies_note(&table.view(), &found.near_copies).expect("a note").to_string();
        assert!(text.contains("3 selected features") && text.contains("`f4`, `f0`, `f2`"), "{text}");
        assert!(near_copies_note(&table.view(), &[]).is_none());
    }

    /// Values without the means of their classes, of which the rows alternate.
    fn without_class_means(x: &[f64]) -> Vec<f64> {
        let mean = |class: usize| {
            let own: Vec<f64> = x.iter().skip(class).step_by(2).copied().filter(|x| !x.is_nan()).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        let means = [mean(0), mean(1)];
        x.iter().enumerate().map(|(i, x)| x - means[i % 2]).collect()
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
    fn clusters_are_the_components_of_residual_correlations_over_common_rows() {
        for (missing, features) in [(0.0, 40), (0.2, 40), (0.1, 300)] {
            let mut rng = random::stream(5, features as u64);
            let shared: Vec<Vec<f64>> =
                (0..12).map(|_| (0..50).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
            let columns: Vec<Vec<f64>> = (0..features)
                .map(|j| {
                    let noise = 0.2 + 0.6 * rng.random_range(0.0..1.0);
                    let value = |(i, &x): (usize, &f64), own: f64| 100.0 + x + noise * own + 3.0 * (i % 2) as f64;
                    let rows = shared[j % 12].iter().enumerate();
                    let mut column: Vec<f64> = rows.map(|x| value(x, rng.random_range(-1.0..1.0))).collect();
                    // whole features without gaps, so that both kinds of pairs are met
                    if j % 3 != 0 {
                        column.iter_mut().for_each(|x| *x = if rng.random_bool(missing) { f64::NAN } else { *x });
                    }
                    column
                })
                .collect();
            let table = table(columns.clone());
            let found = find(&table.view(), &all(&table)).expect("enough rows").clusters;
            let residuals: Vec<Vec<f64>> = columns.iter().map(|column| without_class_means(column)).collect();
            let expected = by_walking(&residuals);
            assert!(expected.len() < features && expected.len() > 12, "{}", expected.len());
            assert_eq!(found, expected, "{missing} {features}");
        }
    }

    #[test]
    fn rows_count_by_their_weights() {
        let mut columns = independent(1, 40, |_| 0.0);
        columns[0][7] = 90.0;
        let plain = table(columns);
        assert_eq!(find(&plain.view(), &[0, 1]).expect("two").clusters.len(), 2);
        let mut weights = vec![5.0; 40];
        weights[7] = 1e-9;
        let view = plain.view();
        let weights = RowWeights::new(weights, WeightKind::Importance).expect("weights");
        let weighted = view.with_weights(&weights).expect("weights");
        assert_eq!(find(&weighted, &[0, 1]).expect("two").clusters, [vec![0, 1]]);
    }
}
