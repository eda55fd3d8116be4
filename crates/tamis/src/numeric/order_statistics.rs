//! Medians, quantiles and variances of a few numbers.

/// The quantile of type 7 (linear between order statistics) of ascending numbers; 0 of none.
pub(crate) fn quantile(ascending: &[f64], level: f64) -> f64 {
    let Some(last) = ascending.len().checked_sub(1) else { return 0.0 };
    let at = level * last as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    ascending[below] + (at - below as f64) * (ascending[above] - ascending[below])
}

/// The numbers in ascending order.
pub(crate) fn ascending(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

/// The sample variance, with one degree of freedom taken off; 0 of fewer than two numbers.
pub(crate) fn variance(numbers: &[f64]) -> f64 {
    let n = numbers.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let mean = numbers.iter().sum::<f64>() / n;
    numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)
}

/// The median, by selection; 0 of none. The numbers are reordered.
pub(crate) fn median(numbers: &mut [f64]) -> f64 {
    let n = numbers.len();
    if n == 0 {
        return 0.0;
    }
    let (below, middle, _) = numbers.select_nth_unstable_by(n / 2, f64::total_cmp);
    let middle = *middle;
    match n % 2 {
        1 => middle,
        _ => 0.5 * (below.iter().copied().fold(f64::NEG_INFINITY, f64::max) + middle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection_and_sorting_find_the_same_median() {
        for n in 1..30_usize {
            let numbers: Vec<f64> = (0..n).map(|i| ((i * 37 + 11) % 23) as f64).collect();
            let sorted = ascending(numbers.clone());
            assert_eq!(median(&mut numbers.clone()), quantile(&sorted, 0.5));
        }
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(variance(&[1.0, 2.0, 4.0, 5.0]), 10.0 / 3.0);
    }
}
