//! Regression whose errors and coefficients are both summed as row norms: FSNM (Nie et al. 2010).

use crate::base::{Error, Progress, Result};
use crate::numeric::linalg::{Cholesky, Matrix, dot};

/// Options of the objective Σ_i ‖(x_iW − y_i)/γ‖ + Σ_j ‖w_j‖, rows i with weights.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    pub(super) gamma: f64,
    pub(super) tol: f64,
    pub(super) max_iter: usize,
}

/// The norms of the coefficients' rows, and how it ended.
#[derive(Debug)]
pub(super) struct Fit {
    pub(super) norms: Vec<f64>,
    pub(super) objective: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// Iteratively reweighted least squares from weights of one: W minimises Σ_j ‖w_j‖²/(2‖w_j‖ₒ) + Σ_i ‖e_i‖²/(2‖e_i‖ₒ),
/// norms of the step before, e = (Y − XW)/γ. Solved with as many unknowns as there are features or rows, whichever are
/// fewer.
///
/// Cost: an iteration takes rows × features × min(rows, features) flops.
pub(super) fn fit(
    x: &[Vec<f64>],
    y: &[Vec<f64>],
    weights: &[f64],
    options: Options,
    progress: &mut dyn Progress,
) -> Result<Fit> {
    let (n, d) = (weights.len(), x.len());
    let g2 = options.gamma * options.gamma;
    // 2‖u‖ of the step before, for the rows of W and of E
    let (mut features, mut errors) = (vec![1.0; d], vec![1.0; n]);
    let mut before = f64::INFINITY;
    let mut fitted = Fit { norms: vec![0.0; d], objective: f64::INFINITY, iterations: 0, converged: false };
    let columns = Matrix::from_fn(n, d, |i, j| x[j][i]);
    let rows = if d > n { Matrix::from_fn(d, n, |j, i| x[j][i]) } else { Matrix::zeros(0, 0) };
    while fitted.iterations < options.max_iter && !fitted.converged {
        progress.step("fitting", fitted.iterations as u64, options.max_iter as u64)?;
        let w = if d <= n {
            by_features(&columns, y, weights, &features, &errors, g2)?
        } else {
            by_rows(&columns, &rows, y, weights, &features, &errors, g2)?
        };
        let mut residual = y.to_vec();
        for (target, coefficients) in residual.iter_mut().zip(&w) {
            let mut product = vec![0.0; n];
            columns.times(coefficients, &mut product);
            target.iter_mut().zip(product).for_each(|(t, p)| *t = (*t - p) / options.gamma);
        }
        let norm = |columns: &[Vec<f64>], at: usize| columns.iter().map(|c| c[at] * c[at]).sum::<f64>().sqrt();
        fitted.norms = (0..d).map(|j| norm(&w, j)).collect();
        let error_norms: Vec<f64> = (0..n).map(|i| norm(&residual, i)).collect();
        fitted.objective = fitted.norms.iter().sum::<f64>() + dot(&error_norms, weights);
        features = fitted.norms.iter().map(|v| 2.0 * v).collect();
        errors = error_norms.iter().map(|v| 2.0 * v).collect();
        fitted.iterations += 1;
        fitted.converged = (before - fitted.objective).abs() <= options.tol * fitted.objective.abs();
        before = fitted.objective;
    }
    Ok(fitted)
}

fn singular() -> Error {
    Error::parameter("gamma", "so small", "the equations become singular; raise it")
}

/// (Xᵀ D X/γ² + F⁻¹) W = Xᵀ D Y/γ² with D = weight/errors, in the scale √F so that a norm of 0 does no harm.
fn by_features(
    x: &Matrix,
    y: &[Vec<f64>],
    weights: &[f64],
    features: &[f64],
    errors: &[f64],
    g2: f64,
) -> Result<Vec<Vec<f64>>> {
    // a row that is met exactly would weigh infinitely; this much less than the others is exact enough
    let least = 1e-8 * errors.iter().copied().fold(1e-290, f64::max);
    let (n, d) = (x.n_rows(), x.n_columns());
    let roots: Vec<f64> = features.iter().map(|f| f.sqrt()).collect();
    let scale: Vec<f64> = (0..n).map(|i| weights[i] / (g2 * errors[i].max(least))).collect();
    let scaled = Matrix::from_fn(n, d, |i, j| x.column(j)[i] * roots[j]);
    let (mut scratch, mut gram) = (Matrix::zeros(n, d), Matrix::zeros(d, d));
    scaled.weighted_gram(&scale, &mut scratch, &mut gram);
    gram.add_diagonal(&vec![1.0; d]);
    let factor = Cholesky::factor(gram).map_err(|_| singular())?;
    Ok(y.iter()
        .map(|y| {
            let right: Vec<f64> = y.iter().zip(&scale).map(|(y, s)| y * s).collect();
            let mut w = vec![0.0; d];
            scaled.transpose_times(&right, &mut w);
            factor.solve(&mut w);
            w.iter_mut().zip(&roots).for_each(|(w, r)| *w *= r);
            w
        })
        .collect())
}

/// The solution through a system of rows: W = F Xᵀ (X F Xᵀ + γ² E/weight)⁻¹ Y.
fn by_rows(
    x: &Matrix,
    transposed: &Matrix,
    y: &[Vec<f64>],
    weights: &[f64],
    features: &[f64],
    errors: &[f64],
    g2: f64,
) -> Result<Vec<Vec<f64>>> {
    let (n, d) = (x.n_rows(), x.n_columns());
    let (mut scratch, mut gram) = (Matrix::zeros(d, n), Matrix::zeros(n, n));
    transposed.weighted_gram(features, &mut scratch, &mut gram);
    let ridge: Vec<f64> = (0..n).map(|i| g2 * errors[i] / weights[i] + 1e-300).collect();
    gram.add_diagonal(&ridge);
    let factor = Cholesky::factor(gram).map_err(|_| singular())?;
    Ok(y.iter()
        .map(|y| {
            let mut dual = y.clone();
            factor.solve(&mut dual);
            let mut w = vec![0.0; d];
            x.transpose_times(&dual, &mut w);
            w.iter_mut().zip(features).for_each(|(w, f)| *w *= f);
            w
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use crate::fixtures::{numbers, third_party_fixture};

    #[test]
    fn both_ways_of_solving_agree() {
        let x: Vec<Vec<f64>> =
            (0..6).map(|j| (0..9).map(|i| f64::from((i * 7 + j * 5) % 11) - 5.0).collect()).collect();
        let y = vec![(0..9).map(|i| f64::from(i % 3)).collect::<Vec<f64>>(), vec![1.0; 9]];
        let weights = [1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 0.5, 1.0, 1.0];
        let columns = Matrix::from_fn(9, 6, |i, j| x[j][i]);
        let rows = Matrix::from_fn(6, 9, |j, i| x[j][i]);
        let features = [1.0, 0.5, 2.0, 1.0, 0.1, 3.0];
        let errors = [1.0, 0.3, 2.0, 1.0, 1.5, 1.0, 0.2, 1.0, 2.0];
        let a = by_features(&columns, &y, &weights, &features, &errors, 4.0).expect("solves");
        let b = by_rows(&columns, &rows, &y, &weights, &features, &errors, 4.0).expect("solves");
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((a - b).abs() < 1e-10, "{a} {b}");
        }
    }

    /// Norms, objective and steps of a reference program, on the wine table.
    #[test]
    #[ignore = "needs the tables of others in ../shared/oracle"]
    fn the_fixture_is_met() {
        let fixture = third_party_fixture("information/12_fisher_trc_fsnm.json");
        let rows: Vec<Vec<f64>> = fixture["X"].as_array().expect("rows").iter().map(numbers).collect();
        let x: Vec<Vec<f64>> = (0..rows[0].len()).map(|j| rows.iter().map(|r| r[j]).collect()).collect();
        let classes = numbers(&fixture["y"]);
        let y: Vec<Vec<f64>> =
            (0..3).map(|c| classes.iter().map(|k| f64::from(u8::from(*k == f64::from(c)))).collect()).collect();
        let options = Options { gamma: 1.0, tol: 1e-13, max_iter: 1000 };
        let fitted = fit(&x, &y, &vec![1.0; rows.len()], options, &mut Context::default()).expect("fits");
        for (a, b) in fitted.norms.iter().zip(numbers(&fixture["fsnm_gamma1"])) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
        let objective = fixture["fsnm_objective"].as_f64().expect("a number");
        assert!((fitted.objective - objective).abs() < 1e-9 * objective, "{} {objective}", fitted.objective);
        assert_eq!(fitted.iterations as u64, fixture["fsnm_iters"].as_u64().expect("a count"));
    }

    #[test]
    fn the_objective_only_falls() {
        let x: Vec<Vec<f64>> = (0..4).map(|j| (0..20).map(|i| f64::from((i * 3 + j * 7) % 13)).collect()).collect();
        let y = vec![x[0].iter().map(|v| 2.0 * v + 1.0).collect::<Vec<f64>>()];
        let mut last = f64::INFINITY;
        for max_iter in 1..20 {
            let options = Options { gamma: 1.0, tol: 0.0, max_iter };
            let fitted = fit(&x, &y, &[1.0; 20], options, &mut Context::default()).expect("fits");
            assert!(fitted.objective <= last * (1.0 + 1e-9), "{max_iter}: {} {last}", fitted.objective);
            last = fitted.objective;
        }
    }
}
