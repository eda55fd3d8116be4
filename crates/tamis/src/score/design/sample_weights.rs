//! How precise every sample is, from the size of its residuals over all features (Ritchie and others 2006).
//!
//! The variance of sample j in feature i is σ_i²/w_j, with Σ ln w_j = 0. γ_j = −ln w_j is found by scoring the restricted
//! likelihood of all features; 10 samples' worth of prior keeps weights near 1 where features are few. Where cells are missing
//! or have precisions of their own, features come one after the other, each with a step.
//!
//! Cost: at most 50 fits of all features and as many systems of N equations; one system a feature in the second form.

use super::linear_fit::ROUNDING_VARIANCE;
use super::{Adjustment, Samples};
use crate::base::{Progress, Result};
use crate::numeric::linalg::{Cholesky, Matrix, dot};
use crate::table::View;
use rayon::prelude::*;

/// Samples' worth of prior.
const PRIOR: f64 = 10.0;

/// A precision for every sample of a view's design, whose geometric mean is 1; all are 1 where there is too little to tell.
/// `most` limits the features that are looked at, evenly spread; only those without missing values are then.
pub(crate) fn sample_weights(
    data: &View,
    samples: &Samples,
    most: Option<usize>,
    progress: &mut dyn Progress,
) -> Result<Vec<f64>> {
    let n = samples.len();
    let Ok(complete) = Adjustment::new(samples) else { return Ok(vec![1.0; n]) };
    if n < complete.rank() + complete.n_target() + 2 {
        return Ok(vec![1.0; n]);
    }
    let numeric: Vec<usize> = (0..data.n_features()).filter(|&at| data.columns().categories(at).is_none()).collect();
    let step = most.map_or(1, |most| numeric.len().div_ceil(most).max(1));
    let looked_at: Vec<usize> = numeric.into_iter().step_by(step).collect();
    let gaps = |&at: &usize| data.numbers(at).is_some_and(|x| data.rows().iter().any(|&row| x[row as usize].is_nan()));
    let (with_gaps, without): (Vec<usize>, Vec<usize>) = looked_at.iter().partition(|at| gaps(at));
    if samples.cells.is_some() || (!with_gaps.is_empty() && most.is_none()) {
        return one_by_one(data, samples, &looked_at, progress);
    }
    together(data, samples, &without, progress)
}

/// Features between two progress reports, and of a block.
const BATCH: usize = 512;

/// All features at once, none of which has missing values.
fn together(data: &View, samples: &Samples, features: &[usize], progress: &mut dyn Progress) -> Result<Vec<f64>> {
    const MOST: usize = 50;
    const TOLERANCE: f64 = 1e-5;
    let n = samples.len();
    let (mut weights, mut gamma) = (vec![1.0; n], vec![0.0; n - 1]);
    let (mut features, mut last) = (features.to_vec(), f64::INFINITY);
    for round in 0..MOST {
        progress.step("weights of samples", round as u64, MOST as u64)?;
        let Some(fit) = Fit::of(samples, &weights) else { break };
        if round == 0 {
            let varies: Vec<bool> = features.par_iter().map(|&at| fit.varies(data, at)).collect();
            let mut varies = varies.into_iter();
            features.retain(|_| varies.next() == Some(true));
        }
        let count = features.len() as f64;
        if features.len() < 2 {
            break;
        }
        let blocks: Vec<Vec<f64>> = features.par_chunks(BATCH).map(|some| fit.shares(data, some)).collect();
        let mut shares = vec![0.0; n];
        blocks.iter().for_each(|block| add(&mut shares, block));
        let z: Vec<f64> = (0..n).map(|j| shares[j] - count * fit.left[j] + PRIOR * (weights[j] - 1.0)).collect();
        let mut information = fit.information();
        let prior = prior_information(n);
        for j in 0..n - 1 {
            information.column_mut(j).iter_mut().zip(prior.column(j)).for_each(|(a, p)| *a = count * *a + p);
        }
        let gradient = off_last(&z);
        let Ok(factor) = Cholesky::factor(information) else { break };
        let mut step = gradient.clone();
        factor.solve(&mut step);
        let criterion = dot(&gradient, &step) / (n - 1) as f64 / (count + PRIOR);
        if criterion.is_nan() || criterion >= last {
            break;
        }
        last = criterion;
        add(&mut gamma, &step);
        weights = weights_of(&gamma);
        if criterion < TOLERANCE {
            break;
        }
    }
    Ok(weights)
}

/// One feature after the other, in the table's order.
fn one_by_one(data: &View, samples: &Samples, features: &[usize], progress: &mut dyn Progress) -> Result<Vec<f64>> {
    let n = samples.len();
    let (mut weights, mut gamma) = (vec![1.0; n], vec![0.0; n - 1]);
    let mut information = prior_information(n);
    for (at, &feature) in features.iter().enumerate() {
        if at % BATCH == 0 {
            progress.step("weights of samples", at as u64, features.len() as u64)?;
        }
        let Some(values) = values(data, feature) else { continue };
        let present: Vec<usize> = (0..n).filter(|&j| !values[j].is_nan()).collect();
        if present.len() <= 2 {
            continue;
        }
        let cells = samples.cells.as_ref().map(|cells| &cells[feature]);
        let precise: Vec<f64> = present.iter().map(|&j| weights[j] * cells.map_or(1.0, |cells| cells[j])).collect();
        let Some(fit) = Fit::of(&samples.only(&present), &precise) else { continue };
        if fit.df < 2.0 && present.len() < n {
            continue;
        }
        let residuals = fit.residuals(present.iter().map(|&j| values[j]).collect());
        let variance = dot(&residuals, &residuals) / fit.df;
        if fit.df <= 0.0 || variance < ROUNDING_VARIANCE {
            continue;
        }
        let (mut z, mut left) = (vec![0.0; n], vec![0.0; n]);
        for (k, &j) in present.iter().enumerate() {
            left[j] = fit.left[k];
            z[j] = residuals[k] * residuals[k] / variance - left[j];
        }
        information.add(&reduced(&Matrix::from_fn(n, n, |i, j| if i == j { left[i] } else { 0.0 })));
        let Ok(factor) = Cholesky::factor(information.clone()) else { continue };
        let mut step = off_last(&z);
        factor.solve(&mut step);
        add(&mut gamma, &step);
        weights = weights_of(&gamma);
    }
    Ok(weights)
}

/// The weighted fit of features without missing values.
struct Fit {
    adjustment: Adjustment,
    /// Orthonormal columns of the design, in √w units.
    basis: Vec<Vec<f64>>,
    /// 1 − h of every sample.
    left: Vec<f64>,
    df: f64,
}

impl Fit {
    fn of(samples: &Samples, weights: &[f64]) -> Option<Fit> {
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let samples = Samples { roots: Some(roots), precise: true, cells: None, ..samples.clone() };
        let adjustment = Adjustment::new(&samples).ok()?;
        let basis = adjustment.all_directions();
        let left = (0..samples.len()).map(|j| 1.0 - basis.iter().map(|q| q[j] * q[j]).sum::<f64>()).collect();
        let df = samples.len() as f64 - basis.len() as f64;
        Some(Fit { adjustment, basis, left, df })
    }

    /// √w times the residuals.
    fn residuals(&self, values: Vec<f64>) -> Vec<f64> {
        let mut left = Matrix::from_columns(values.len(), 1, |_, out| {
            out.copy_from_slice(&values);
            self.adjustment.centre(out);
        });
        self.adjustment.residuals(&mut left);
        left.column(0).to_vec()
    }

    fn varies(&self, data: &View, feature: usize) -> bool {
        let Some(values) = values(data, feature) else { return false };
        let residuals = self.residuals(values);
        dot(&residuals, &residuals) / self.df >= ROUNDING_VARIANCE
    }

    /// Over these features, every sample's squared residual in units of the feature's variance.
    fn shares(&self, data: &View, features: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; self.left.len()];
        for &feature in features {
            let Some(values) = values(data, feature) else { continue };
            let residuals = self.residuals(values);
            let variance = dot(&residuals, &residuals) / self.df;
            sums.iter_mut().zip(&residuals).for_each(|(sum, r)| *sum += r * r / variance);
        }
        sums
    }

    /// The information about γ that a feature has: of the squares of the projector off the design.
    fn information(&self) -> Matrix {
        let n = self.left.len();
        let entry =
            |i: usize, j: usize| f64::from(u8::from(i == j)) - self.basis.iter().map(|q| q[i] * q[j]).sum::<f64>();
        reduced(&Matrix::from_fn(n, n, |i, j| entry(i, j).powi(2)))
    }
}

/// The values of a feature in the view's rows.
fn values(data: &View, feature: usize) -> Option<Vec<f64>> {
    let numbers = data.numbers(feature)?;
    Some(data.rows().iter().map(|&row| numbers[row as usize]).collect())
}

/// Z₂ᵀ(A − A1·1ᵀA/1ᵀA1)Z₂ for the basis e_j − e_N of vectors with sum 0.
fn reduced(a: &Matrix) -> Matrix {
    let n = a.n_rows();
    let sums: Vec<f64> = (0..n).map(|j| a.column(j).iter().sum()).collect();
    let total: f64 = sums.iter().sum();
    let centred = |i: usize, j: usize| a.column(j)[i] - sums[i] * sums[j] / total;
    let end = n - 1;
    Matrix::from_fn(end, end, |i, j| centred(i, j) - centred(end, j) - centred(i, end) + centred(end, end))
}

/// 10·Z₂ᵀZ₂.
fn prior_information(n: usize) -> Matrix {
    Matrix::from_fn(n - 1, n - 1, |i, j| if i == j { 2.0 * PRIOR } else { PRIOR })
}

/// Z₂ᵀ times a vector.
fn off_last(z: &[f64]) -> Vec<f64> {
    let last = z[z.len() - 1];
    z[..z.len() - 1].iter().map(|z| z - last).collect()
}

/// exp(−Z₂γ).
fn weights_of(gamma: &[f64]) -> Vec<f64> {
    let last: f64 = gamma.iter().sum();
    gamma.iter().map(|g| (-g).exp()).chain([last.exp()]).collect()
}

fn add(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::base::Silent;
    use crate::numeric::random;
    use crate::score::design::Design;
    use crate::table::{Column, Covariate, Table, Target};

    #[test]
    fn weights_agree_with_limma() {
        for name in ["sample_weights", "sample_weights_missing"] {
            let path = format!("{}/tests/fixtures/oracle/designs2/{name}.json", env!("CARGO_MANIFEST_DIR"));
            let file: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            let numbers = |v: &serde_json::Value| -> Vec<f64> {
                v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
            };
            let columns: Vec<Column> = file["x"].as_array().unwrap().iter().map(|x| numbers(x).into()).collect();
            let names = (0..columns.len()).map(|i| format!("g{i}")).collect();
            let table = Table::new(names, columns, "group", Target::Real { values: numbers(&file["group"]) }).unwrap();
            let age = Covariate { name: "age".into(), values: numbers(&file["age"]).into() };
            let table = table.with_covariates(vec![age]).unwrap();
            let samples = Design::of(&table.view()).unwrap().samples;
            let found = sample_weights(&table.view(), &samples, None, &mut Silent).unwrap();
            for (found, wanted) in found.iter().zip(numbers(&file["weights"])) {
                assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{name}: {found} {wanted}");
            }
        }
    }

    #[test]
    fn a_noisy_sample_weighs_less_than_a_third_and_no_other() {
        let mut rng = random::stream(11, 0);
        let target = Target::Real { values: (0..24).map(|i| f64::from(i % 2)).collect() };
        let names: Vec<String> = (0..300).map(|i| format!("g{i}")).collect();
        let (mut found, mut wrong) = (0, 0);
        for round in 0..60 {
            let noise = |row: usize| if round < 20 && row == 5 { 5.0 } else { 1.0 };
            let mut column = |_| -> Column {
                let size = (0.5 * random::standard_normal(&mut rng)).exp();
                (0..24).map(|row| size * noise(row) * random::standard_normal(&mut rng)).collect::<Vec<f64>>().into()
            };
            let columns = (0..names.len()).map(&mut column).collect();
            let table = Table::new::<Column>(names.clone(), columns, "group", target.clone()).unwrap();
            let samples = Design::of(&table.view()).unwrap().samples;
            let weights = sample_weights(&table.view(), &samples, Some(2000), &mut Silent).unwrap();
            let light: Vec<usize> = (0..24).filter(|&row| weights[row] < 1.0 / 3.0).collect();
            found += usize::from(round < 20 && light.contains(&5));
            wrong += light.iter().filter(|row| round >= 20 || **row != 5).count();
        }
        assert_eq!((found, wrong), (20, 0));
    }
}
