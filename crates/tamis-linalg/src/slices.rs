//! Products of a matrix whose columns are slices, which may overlap.

use crate::vectors::{lanes, run_wide};
use crate::{Matrix, WideWork};

/// `out` = Σ_j x_j a_j; columns with x_j = 0 are passed over.
pub fn combine(columns: &[&[f64]], x: &[f64], out: &mut [f64]) {
    run_wide(Combine { columns, x, out });
}

/// `out`_j = a_jᵀx.
pub fn project(columns: &[&[f64]], x: &[f64], out: &mut [f64]) {
    run_wide(Project { columns, x, out });
}

/// The lower half of AᵀDA, D = diag(`d`). Cost: rows·columns² flops.
pub fn weighted_gram(columns: &[&[f64]], d: &[f64]) -> Matrix {
    let mut gram = Matrix::zeros(columns.len(), columns.len());
    run_wide(WeightedGram { columns, d, weighted: &mut vec![0.0; d.len()], gram: &mut gram });
    gram
}

struct Combine<'a> {
    columns: &'a [&'a [f64]],
    x: &'a [f64],
    out: &'a mut [f64],
}

impl WideWork for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Combine { columns, x, out } = self;
        out.fill(0.0);
        for (column, x) in columns.iter().zip(x).filter(|(_, x)| **x != 0.0) {
            out.iter_mut().zip(*column).for_each(|(out, a)| *out += a * x);
        }
    }
}

struct Project<'a> {
    columns: &'a [&'a [f64]],
    x: &'a [f64],
    out: &'a mut [f64],
}

impl WideWork for Project<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Project { columns, x, out } = self;
        for (out, column) in out.iter_mut().zip(columns) {
            *out = lanes(column, x);
        }
    }
}

struct WeightedGram<'a> {
    columns: &'a [&'a [f64]],
    d: &'a [f64],
    weighted: &'a mut [f64],
    gram: &'a mut Matrix,
}

impl WideWork for WeightedGram<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let WeightedGram { columns, d, weighted, gram } = self;
        for j in 0..columns.len() {
            weighted.iter_mut().zip(columns[j]).zip(d).for_each(|((w, a), d)| *w = a * d);
            let out = gram.column_mut(j);
            for i in j..columns.len() {
                out[i] = lanes(columns[i], weighted);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_columns_give_the_products_of_a_matrix() {
        let x: Vec<f64> = (0..40).map(|i| f64::from((i * 7) % 11) - 4.0).collect();
        let columns: Vec<&[f64]> = [0, 3, 9].iter().map(|&start| &x[start..start + 29]).collect();
        let matrix = Matrix::from_columns(29, 3, |j, out| out.copy_from_slice(columns[j]));
        let (weights, d) = ([0.5, 0.0, -2.0], (0..29).map(|i| f64::from(i % 4)).collect::<Vec<_>>());
        let (mut sum, mut expected) = (vec![1.0; 29], vec![0.0; 29]);
        combine(&columns, &weights, &mut sum);
        matrix.times(&weights, &mut expected);
        assert_eq!(sum, expected);
        let (mut products, mut expected) = ([1.0; 3], [0.0; 3]);
        project(&columns, &d, &mut products);
        matrix.transpose_times(&d, &mut expected);
        assert_eq!(products, expected);
        let gram = weighted_gram(&columns, &d);
        for j in 0..3 {
            for i in j..3 {
                let sum: f64 = (0..29).map(|b| d[b] * columns[i][b] * columns[j][b]).sum();
                assert_eq!(gram.column(j)[i], sum);
            }
        }
    }
}
