//! Several methods on several data sets: average ranks, Friedman's test and critical differences.

use crate::base::{Error, Result, counted};
use crate::numeric::measure_checks::refuse;
use crate::numeric::special::{
    chi2_upper, f_upper, normal_quantile, studentised_range_quantile, studentised_range_upper,
};
use crate::numeric::ties::average_ranks;
use serde::{Deserialize, Serialize};
use std::f64::consts::SQRT_2;

/// Which values are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Small ones: error rates.
    Lower,
    /// Large ones: areas under the curve.
    Higher,
}

/// Friedman's test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Friedman {
    /// Each method's rank averaged over the data sets; 1 is the best, equal values share their average rank.
    pub average_ranks: Vec<f64>,
    /// Data sets.
    pub data_sets: u64,
    /// Friedman's χ², corrected for ties.
    pub chi_square: f64,
    /// Its p-value, with methods − 1 degrees of freedom.
    pub chi_square_p: f64,
    /// Iman and Davenport's F, less conservative; null if infinite (every data set ranks alike).
    pub f: Option<f64>,
    /// Its degrees of freedom: methods − 1 and (methods − 1)(data sets − 1).
    pub f_df: [f64; 2],
    /// Its p-value.
    pub f_p: f64,
}

/// How far two average ranks must be apart to differ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CriticalDifference {
    /// The level of the test over all comparisons.
    pub alpha: f64,
    /// The critical value.
    pub q: f64,
    /// q √(k(k+1)/(6N)).
    pub difference: f64,
}

/// Friedman's test that all methods are alike: `values[data set][method]`. O(N k log k).
///
/// χ² = [12/(Nk(k+1)) Σ Rⱼ² − 3N(k+1)] / [1 − Σ(t³−t)/(Nk(k²−1))], Rⱼ the sums of ranks, t the numbers of tied values;
/// F = (N−1)χ² / (N(k−1) − χ²). If every data set ties every method, both are 0. One data set gives no F: its
/// p-value is 1.
///
/// References: M. Friedman (1937), JASA 32; R. L. Iman, J. M. Davenport (1980), Communications in Statistics A9;
/// J. Demšar (2006), JMLR 7.
pub fn friedman<R: AsRef<[f64]>>(values: &[R], better: Better) -> Result<Friedman> {
    let k = values.first().map_or(0, |row| row.as_ref().len());
    check_sizes(k, values.len())?;
    let (mut sums, mut ties) = (vec![0.0; k], 0.0);
    for (at, row) in values.iter().enumerate() {
        let row = row.as_ref();
        if row.len() != k {
            return refuse(
                format!("data set {} has {} and data set 1 has {k}", at + 1, counted(row.len(), "value")),
                "give one value per method",
            );
        }
        let signed: Vec<f64> = row.iter().map(|v| if better == Better::Higher { -v } else { *v }).collect();
        let (ranks, tied) = average_ranks(&signed, &format!("data set {}, method", at + 1))?;
        ties += tied;
        sums.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank);
    }
    let (n, methods) = (values.len() as f64, k as f64);
    let mean = 0.5 * n * (methods + 1.0);
    let spread: f64 = sums.iter().map(|r| (r - mean) * (r - mean)).sum();
    // Σ(Rⱼ − R̄)² without the cancellation of ΣRⱼ² − 3N(k+1)
    let untied = 1.0 - ties / (n * methods * (methods * methods - 1.0));
    let chi_square = if spread > 0.0 { 12.0 * spread / (n * methods * (methods + 1.0)) / untied } else { 0.0 };
    let f_df = [methods - 1.0, (methods - 1.0) * (n - 1.0)];
    let rest = n * (methods - 1.0) - chi_square;
    let f = if chi_square == 0.0 || n == 1.0 {
        0.0
    } else if rest <= 1e-12 * chi_square {
        f64::INFINITY
    } else {
        (n - 1.0) * chi_square / rest
    };
    Ok(Friedman {
        average_ranks: sums.iter().map(|r| r / n).collect(),
        data_sets: values.len() as u64,
        chi_square,
        chi_square_p: chi2_upper(chi_square, methods - 1.0),
        f: f.is_finite().then_some(f),
        f_df,
        f_p: if n == 1.0 { 1.0 } else { f_upper(f, f_df[0], f_df[1]) },
    })
}

/// Nemenyi's critical difference: every method against every other, q from the studentised range with infinite
/// degrees of freedom over √2. Some milliseconds.
///
/// References: P. B. Nemenyi (1963), *Distribution-free multiple comparisons*; J. Demšar (2006), JMLR 7.
pub fn nemenyi(methods: usize, data_sets: usize, alpha: f64) -> Result<CriticalDifference> {
    check_sizes(methods, data_sets)?;
    check_alpha(alpha)?;
    let q = studentised_range_quantile(alpha, methods as u32) / SQRT_2;
    Ok(CriticalDifference { alpha, q, difference: q * rank_error(methods, data_sets) })
}

/// The critical difference of Bonferroni and Dunn: one method against every other, q the normal quantile at
/// alpha/(methods − 1), two-sided.
///
/// References: O. J. Dunn (1961), JASA 56; J. Demšar (2006), JMLR 7.
pub fn bonferroni_dunn(methods: usize, data_sets: usize, alpha: f64) -> Result<CriticalDifference> {
    check_sizes(methods, data_sets)?;
    check_alpha(alpha)?;
    let q = -normal_quantile(0.5 * alpha / (methods - 1) as f64);
    Ok(CriticalDifference { alpha, q, difference: q * rank_error(methods, data_sets) })
}

/// The p-value of a difference of two average ranks by Nemenyi's test, for all pairs at once.
pub fn nemenyi_p(rank_difference: f64, methods: usize, data_sets: usize) -> Result<f64> {
    check_sizes(methods, data_sets)?;
    if rank_difference.is_nan() {
        return refuse("the difference of ranks is not a number", "compare average ranks");
    }
    let q = SQRT_2 * rank_difference.abs() / rank_error(methods, data_sets);
    Ok(studentised_range_upper(q, methods as u32))
}

/// The standard error of a difference of two average ranks.
fn rank_error(methods: usize, data_sets: usize) -> f64 {
    let k = methods as f64;
    (k * (k + 1.0) / (6.0 * data_sets as f64)).sqrt()
}

fn check_sizes(methods: usize, data_sets: usize) -> Result<()> {
    if methods < 2 || data_sets < 1 {
        let problem =
            format!("{} and {} cannot be compared", counted(methods, "method"), counted(data_sets, "data set"));
        return refuse(problem, "a comparison needs at least 2 methods and 1 data set");
    }
    Ok(())
}

fn check_alpha(alpha: f64) -> Result<()> {
    if alpha > 0.0 && alpha < 1.0 {
        return Ok(());
    }
    Err(Error::parameter("alpha", alpha, "it lies between 0 and 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_methods_on_fourteen_data_sets_differ_from_1_82_on() {
        let dunn = bonferroni_dunn(6, 14, 0.05).expect("usable");
        assert_eq!(format!("{:.3} {:.2}", dunn.q, dunn.difference), "2.576 1.82");
        let all = nemenyi(6, 14, 0.05).expect("usable");
        assert_eq!(format!("{:.3} {:.2}", all.q, all.difference), "2.850 2.02");
        let p = nemenyi_p(all.difference, 6, 14).expect("usable");
        assert!((p - 0.05).abs() < 1e-12, "{p}");
    }

    #[test]
    fn two_methods_need_no_more_than_a_normal_quantile() {
        let (q, d) = (nemenyi(2, 10, 0.05).expect("usable").q, bonferroni_dunn(2, 10, 0.05).expect("usable").q);
        assert!((q - 1.959_963_984_540_054).abs() < 1e-12, "{q}");
        assert!((d - 1.959_963_984_540_054).abs() < 1e-14, "{d}");
    }

    #[test]
    fn ranks_turn_with_the_direction() {
        let values = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.1]];
        assert_eq!(friedman(&values, Better::Lower).expect("usable").average_ranks, [1.5, 2.5, 2.0]);
        assert_eq!(friedman(&values, Better::Higher).expect("usable").average_ranks, [2.5, 1.5, 2.0]);
    }

    #[test]
    fn the_ends_have_numbers() {
        let alike = friedman(&[[1.0, 1.0], [2.0, 2.0]], Better::Lower).expect("usable");
        assert_eq!((alike.chi_square, alike.chi_square_p, alike.f, alike.f_p), (0.0, 1.0, Some(0.0), 1.0));
        let sure = friedman(&[[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]], Better::Lower).expect("usable");
        assert_eq!((sure.chi_square, sure.f, sure.f_p), (4.0, None, 0.0));
        let single = friedman(&[[1.0, 2.0, 3.0]], Better::Lower).expect("usable");
        assert_eq!((single.chi_square, single.f_p), (2.0, 1.0));
        assert!(friedman(&[vec![1.0, 2.0], vec![1.0]], Better::Lower).is_err());
        assert!(friedman(&[[1.0, f64::NAN]], Better::Lower).is_err());
        assert!(nemenyi(1, 5, 0.05).is_err());
        assert!(nemenyi(3, 5, 1.0).is_err());
    }
}
