//! Effects of five kinds planted on the noise of real tables, beside Benjamini and Hochberg's procedure.

use super::judged::{Judged, false_share, judge, split};
use super::real_noise::{self, EFFECTS};
use super::{Effort, mean, print_bar, verdict};
use rayon::prelude::*;

/// Effects are planted on the first of the tables.
const PLANTED: usize = 5;

/// What became of a table.
struct Outcome {
    named: [usize; 2],
    by_p: [usize; 2],
    /// The lower bound does not exceed the number of effects.
    bound_holds: bool,
    /// The lower bound for the named ones does not exceed the number of these that differ.
    named_bound_holds: bool,
    /// Whether the interval holds the number of effects beyond 1, if it is shown.
    interval_holds: Option<bool>,
    /// The noise varies so much that the answer warns of unlucky tables.
    warns: bool,
    bins: Bins,
}

/// For each tenth of the probability: features, the sum of their probabilities, true ones.
type Bins = [(usize, f64, usize); 10];

fn outcome(judged: &Judged, sizes: &[f64]) -> Outcome {
    let selection = &judged.selection;
    let is_right = |i: u32| sizes[i as usize] * judged.z()[i as usize] > 0.0;
    let beyond = sizes.iter().filter(|size| size.abs() > 1.0).count() as u64;
    let mut bins = [(0, 0.0, 0); 10];
    for (probability, i) in selection.probabilities.iter().flatten().zip(0..) {
        let bin = &mut bins[((10.0 * probability) as usize).min(9)];
        *bin = (bin.0 + 1, bin.1 + probability, bin.2 + usize::from(is_right(i)));
    }
    let differ = |i: &u32| sizes[*i as usize] != 0.0;
    let noise = selection.detail.fit.as_ref().and_then(|fit| fit.noise.as_ref());
    Outcome {
        named: split(judged.named(), is_right),
        by_p: split(&judged.by_p(0.1), is_right),
        bound_holds: selection.at_least_95.unwrap() <= sizes.iter().filter(|size| **size != 0.0).count() as u64,
        named_bound_holds: selection.at_least_named_95.unwrap()
            <= judged.named().iter().filter(|i| differ(i)).count() as u64,
        interval_holds: selection.n_expected_95.map(|[low, high]| low <= beyond && beyond <= high),
        warns: noise.is_some_and(|noise| noise.phi > 2.0),
        bins,
    }
}

/// Prints a line per table and kind of effects, and the bars over all.
pub fn print(effort: Effort) {
    let runs = effort.runs(20);
    println!("\n### Effects planted on the noise of real tables, {runs} tables a line\n");
    println!(
        "| table | effects | true ones | Benjamini–Hochberg 10 % | ratio | false share | theirs |\n\
         | --- | --- | --- | --- | --- | --- | --- |"
    );
    let (mut all, mut ratios, mut shares) = (vec![], vec![], vec![]);
    for (t, noise) in real_noise::all().iter().take(PLANTED).enumerate() {
        for (e, effects) in EFFECTS.iter().enumerate() {
            let seed = 21_000 + 100 * (5 * t + e) as u64;
            let one = |run: u64| {
                let (table, sizes) = noise.draw(Some(effects), seed, run);
                outcome(&judge(&table, 1_000_000 + seed + run), &sizes)
            };
            let outcomes: Vec<Outcome> = (0..runs).into_par_iter().map(one).collect();
            let over = |of: fn(&Outcome) -> f64| mean(outcomes.iter().map(of));
            let (right, theirs) = (over(|o| o.named[0] as f64), over(|o| o.by_p[0] as f64));
            let share = over(|o| false_share(o.named));
            let ratio = if theirs > 0.0 { right / theirs } else { 1.0 };
            println!(
                "| {} | {} | {right:.1} | {theirs:.1} | {ratio:.2} | {share:.3} | {:.3} |",
                noise.name,
                effects.0,
                over(|o| false_share(o.by_p))
            );
            ratios.push(ratio);
            shares.push(share);
            all.extend(outcomes);
        }
    }
    if !all.is_empty() {
        print_bars(&all, &ratios, &shares);
    }
}

fn print_bars(all: &[Outcome], ratios: &[f64], shares: &[f64]) {
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = shares.iter().copied().fold(0.0, f64::max);
    let share_of = |is: &dyn Fn(&Outcome) -> bool| all.iter().filter(|o| is(o)).count() as f64 / all.len() as f64;
    let above = |limit: f64| share_of(&|o| false_share(o.named) > limit);
    let theirs_above = |limit: f64| share_of(&|o| false_share(o.by_p) > limit);
    let shown: Vec<bool> = all.iter().filter_map(|o| o.interval_holds).collect();
    let held = shown.iter().filter(|held| **held).count() as f64 / shown.len().max(1) as f64;
    let (ratio, share) = (mean(ratios.iter().copied()), mean(shares.iter().copied()));
    println!(
        "\n{} tables together (Benjamini and Hochberg's: {:.3} of them above .2, {:.3} above .3):\n",
        all.len(),
        theirs_above(0.2),
        theirs_above(0.3)
    );
    println!("| what | measured | bar | |\n| --- | --- | --- | --- |");
    print_bar("mean ratio of true ones", ratio, "at least 1.1", ratio >= 1.1);
    print_bar("least ratio of a line", least, "at least .95", least >= 0.95);
    print_bar("mean false share", share, "at most .10", share <= 0.1);
    print_bar("largest false share of a line", most, "at most .15", most <= 0.15);
    print_bar("share of tables with a false share above .2", above(0.2), "at most .06", above(0.2) <= 0.06);
    print_bar("share of tables with a false share above .3", above(0.3), "at most .015", above(0.3) <= 0.015);
    let unwarned = share_of(&|o| false_share(o.named) > 0.3 && !o.warns);
    print_bar("of these without a warning of unlucky tables", unwarned, "–", true);
    let bound = share_of(&|o| o.bound_holds);
    print_bar("share of tables in which “at least k” holds", bound, "at least .95", bound >= 0.95);
    let bound = share_of(&|o| o.named_bound_holds);
    print_bar("share in which “at least k of the named” holds", bound, "at least .95", bound >= 0.95);
    print_bar(&format!("share of the {} intervals shown that hold", shown.len()), held, "at least .93", held >= 0.93);
    println!("\nProbability against truth, the same tables:\n");
    println!("| probability | features | said | true | within .12 |\n| --- | --- | --- | --- | --- |");
    for bin in 0..10 {
        let sum = all.iter().fold((0, 0.0, 0), |s, o| (s.0 + o.bins[bin].0, s.1 + o.bins[bin].1, s.2 + o.bins[bin].2));
        let count = sum.0.max(1) as f64;
        let (said, held) = (sum.1 / count, sum.2 as f64 / count);
        println!("| .{bin}– | {} | {said:.3} | {held:.3} | {} |", sum.0, verdict((said - held).abs() <= 0.12));
    }
}
