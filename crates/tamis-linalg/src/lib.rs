//! Dense linear algebra for tamis: the one room that knows the faer library.
//!
//! It is a crate of its own because faer is generic to the bottom: its machine code is made where it is called
//! with `f64`, and that takes a minute and a half. Here it is made once, and the library compiles in seconds.

mod by_columns;
mod cholesky;
mod eigen;
mod elementary;
mod matrix;
mod single;
mod slices;
mod vectors;

pub use cholesky::{Cholesky, NonPositivePivot};
pub use eigen::Eigen;
pub use elementary::{exp, ln};
pub use matrix::Matrix;
pub use single::{SingleMatrix, exp_of_distance_single};
pub use slices::{combine, project, weighted_gram};
pub use vectors::{WideWork, dot, exp_of_distance, run_wide, scale, vectorised};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_solves_what_gram_builds() {
        let a = Matrix::from_fn(30, 5, |i, j| ((i * 7 + j * 3) % 11) as f64 - 4.0 + 0.1 * j as f64);
        let d: Vec<f64> = (0..30).map(|i| 0.5 + (i % 3) as f64).collect();
        let (mut scratch, mut gram) = (Matrix::zeros(30, 5), Matrix::zeros(5, 5));
        a.weighted_gram(&d, &mut scratch, &mut gram);
        gram.add_diagonal(&[0.1; 5]);
        let truth = [1.0, -2.0, 0.5, 3.0, -1.0];
        // right-hand side by plain sums over the full matrix
        let mut rhs: Vec<f64> = (0..5)
            .map(|p| {
                let gram_row: f64 = (0..5)
                    .map(|q| truth[q] * (0..30).map(|i| d[i] * a.column(p)[i] * a.column(q)[i]).sum::<f64>())
                    .sum();
                gram_row + 0.1 * truth[p]
            })
            .collect();
        let factor = Cholesky::factor(gram).expect("positive definite");
        assert!(factor.smallest_pivot() > 0.1);
        factor.solve(&mut rhs);
        for (got, want) in rhs.iter().zip(truth) {
            assert!((got - want).abs() < 1e-11, "{got} {want}");
        }
    }

    #[test]
    fn products_are_what_sums_say() {
        let a = Matrix::from_fn(7, 3, |i, j| ((i + 2 * j) % 5) as f64);
        let b = Matrix::from_fn(7, 4, |i, j| ((3 * i + j) % 4) as f64);
        let mut out = Matrix::zeros(3, 4);
        a.transpose_product(&b, &mut out);
        let mut gram = Matrix::zeros(3, 3);
        a.add_gram(&mut gram);
        let c = Matrix::from_fn(3, 2, |i, j| (i + 2 * j) as f64 - 1.0);
        let (mut ac, mut aa, mut acc) = (Matrix::zeros(7, 2), Matrix::zeros(7, 7), Matrix::zeros(3, 7));
        a.product(&c, &mut ac);
        a.outer_gram(&mut aa);
        let mut twice = aa.clone();
        a.add_outer_gram(&mut twice);
        c.product_transposed(&ac, &mut acc);
        for i in 0..7 {
            for j in 0..2 {
                assert_eq!(ac.column(j)[i], (0..3).map(|k| a.column(k)[i] * c.column(j)[k]).sum::<f64>());
            }
            for k in 0..=i {
                assert_eq!(aa.column(k)[i], (0..3).map(|j| a.column(j)[i] * a.column(j)[k]).sum::<f64>());
                assert_eq!(twice.column(k)[i], 2.0 * aa.column(k)[i]);
            }
            for p in 0..3 {
                assert_eq!(acc.column(i)[p], (0..2).map(|j| c.column(j)[p] * ac.column(j)[i]).sum::<f64>());
            }
        }
        for p in 0..3 {
            for q in 0..=p {
                assert_eq!(gram.column(q)[p], (0..7).map(|i| a.column(p)[i] * a.column(q)[i]).sum::<f64>());
            }
        }
        for p in 0..3 {
            for q in 0..4 {
                let sum: f64 = (0..7).map(|i| a.column(p)[i] * b.column(q)[i]).sum();
                assert_eq!(out.column(q)[p], sum);
            }
        }
    }

    #[test]
    fn exp_is_exact_to_two_units() {
        let mut least: Vec<f64> = (0..200_000).map(|i| -0.5 * (f64::from(i) * 0.003_571 + 1e-12)).collect();
        let wanted: Vec<f64> = least.iter().map(|x| (2.0 * x).exp()).collect();
        let zeros = vec![0.0; least.len()];
        // a + b − 2x with a = b = 0 is −2x
        exp_of_distance(&mut least, &zeros, 0.0);
        for (at, (got, want)) in least.iter().zip(&wanted).enumerate() {
            let x = f64::from(at as u32) * 0.003_571 + 1e-12;
            if x > 708.0 {
                assert_eq!(*got, 0.0);
            } else {
                assert!((got - want).abs() <= 4.5e-16 * want, "{x}: {got} {want}");
            }
        }
        let mut ends = [0.0, 1e300, -1.0, f64::INFINITY];
        exp_of_distance(&mut ends, &[0.0; 4], 0.0);
        assert_eq!(ends, [1.0, 1.0, (-2.0_f64).exp(), 1.0], "a distance is never negative");
    }

    #[test]
    fn the_inverse_factor_inverts() {
        let a = Matrix::from_fn(12, 6, |i, j| ((i * 5 + j * 3) % 7) as f64 - 2.0);
        let mut gram = Matrix::zeros(6, 6);
        a.add_gram(&mut gram);
        gram.add_diagonal(&[1.0; 6]);
        let factor = Cholesky::factor(gram).expect("positive definite");
        let inverse = factor.inverse_factor();
        for k in 0..6 {
            let mut unit = [0.0; 6];
            unit[k] = 1.0;
            factor.solve(&mut unit);
            assert!((dot(inverse.column(k), inverse.column(k)) - unit[k]).abs() < 1e-14);
        }
    }

    #[test]
    fn eigenvectors_put_the_matrix_together_again() {
        for n in [1, 2, 7, 40] {
            let entry = |i: usize, j: usize| ((i * j + i + j) % 13) as f64 - 0.3 * i.abs_diff(j) as f64;
            let lower = Matrix::from_fn(n, n, |i, j| if i >= j { entry(i, j) } else { f64::NAN });
            let Eigen { values, vectors } = Eigen::of(&lower).expect("finite");
            assert!(values.windows(2).all(|w| w[0] <= w[1]));
            let sum = |i: usize, j: usize| -> f64 {
                (0..n).map(|k| values[k] * vectors.column(k)[i] * vectors.column(k)[j]).sum()
            };
            for i in 0..n {
                for j in 0..=i {
                    assert!((sum(i, j) - entry(i, j)).abs() < 1e-11 * n as f64, "{n}: {i} {j}");
                }
            }
        }
        assert!(Eigen::of(&Matrix::from_fn(2, 2, |_, _| f64::NAN)).is_none());
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let m = Matrix::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
        assert_eq!(Cholesky::factor(m).err(), Some(NonPositivePivot { index: 1 }));
    }
}
