//! Supervised cuts: the entropy criterion of Fayyad & Irani (1993) with a description-length stop.

/// Cuts halfway between neighbouring values, each the best of its interval, as long as its information about the
/// classes
/// exceeds its description length. `sorted` has (value, weight, class) by value.
pub(crate) fn cuts(sorted: &[(f64, f64, u8)], classes: usize) -> Vec<f64> {
    let mut found = Vec::new();
    let mut waiting = vec![(0, sorted.len())];
    while let Some((from, to)) = waiting.pop() {
        if let Some(at) = best_cut(&sorted[from..to], classes) {
            found.push(0.5 * sorted[from + at - 1].0 + 0.5 * sorted[from + at].0);
            waiting.push((from, from + at));
            waiting.push((from + at, to));
        }
    }
    found.sort_unstable_by(f64::total_cmp);
    found
}

/// Where to cut this interval, if it pays.
fn best_cut(part: &[(f64, f64, u8)], classes: usize) -> Option<usize> {
    let mut right = vec![0.0; classes];
    part.iter().for_each(|(_, w, c)| right[usize::from(*c)] += w);
    let total: f64 = right.iter().sum();
    let (whole, kinds) = (entropy(&right, total), occurring(&right));
    let mut left = vec![0.0; classes];
    let mut best: Option<(f64, usize, Vec<f64>)> = None;
    let mut before = 0.0;
    for at in 1..part.len() {
        let (x, w, c) = part[at - 1];
        left[usize::from(c)] += w;
        right[usize::from(c)] -= w;
        before += w;
        if x == part[at].0 {
            continue;
        }
        let after = total - before;
        let left_over = (before * entropy(&left, before) + after * entropy(&right, after)) / total;
        if best.as_ref().is_none_or(|(least, ..)| left_over < *least) {
            best = Some((left_over, at, left.clone()));
        }
    }
    let (left_over, at, left) = best?;
    let mut right = vec![0.0; classes];
    part[at..].iter().for_each(|(_, w, c)| right[usize::from(*c)] += w);
    let (n_left, n_right): (f64, f64) = (left.iter().sum(), right.iter().sum());
    let (k1, k2) = (occurring(&left), occurring(&right));
    let delta =
        (3f64.powf(kinds) - 2.0).log2() - (kinds * whole - k1 * entropy(&left, n_left) - k2 * entropy(&right, n_right));
    (whole - left_over > ((total - 1.0).log2() + delta) / total).then_some(at)
}

/// In bits.
fn entropy(counts: &[f64], total: f64) -> f64 {
    -counts.iter().filter(|c| **c > 0.0).map(|c| c / total * (c / total).log2()).sum::<f64>()
}

fn occurring(counts: &[f64]) -> f64 {
    counts.iter().filter(|c| **c > 0.0).count() as f64
}
