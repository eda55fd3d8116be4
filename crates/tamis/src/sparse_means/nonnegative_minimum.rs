//! The minimum of a convex quadratic function of a few non-negative numbers.

use crate::numeric::linalg::Matrix;

/// Lowers ½x'Hx − q'x over x ≥ 0 from x = `start`, with H given by its lower half: goes to the minimum over the free
/// numbers, and fixes the first of them that would become negative on the way at 0, until none does. What is fixed stays
/// fixed. `None` if H has no positive diagonal or rounding spoils the answer.
pub(super) fn nonnegative_minimum(hessian: &Matrix, linear: &[f64], start: &[f64]) -> Option<Vec<f64>> {
    let mut free: Vec<usize> = (0..start.len()).collect();
    let mut x = start.to_vec();
    while !free.is_empty() {
        let target = minimum_over(hessian, linear, &free)?;
        let until_zero = |(&j, to): (&usize, &f64)| if *to < 0.0 { x[j] / (x[j] - to) } else { f64::INFINITY };
        let length = free.iter().zip(&target).map(until_zero).fold(1.0, f64::min);
        let blocks: Vec<bool> = free.iter().zip(&target).map(|pair| until_zero(pair) <= length).collect();
        for ((&j, to), blocks) in free.iter().zip(&target).zip(&blocks) {
            x[j] = if *blocks { 0.0 } else { (x[j] + length * (to - x[j])).max(0.0) };
        }
        if !blocks.contains(&true) {
            break;
        }
        free = free.iter().zip(&blocks).filter(|(_, blocks)| !**blocks).map(|(j, _)| *j).collect();
    }
    Some(x)
}

/// The minimum over the `free` numbers, the others being 0, by a Cholesky factor of H scaled to a unit diagonal. A trifle
/// on the diagonal keeps it positive where two rows are nearly alike.
fn minimum_over(hessian: &Matrix, linear: &[f64], free: &[usize]) -> Option<Vec<f64>> {
    const TRIFLE: f64 = 1e-13;
    let n = free.len();
    let scale: Vec<f64> = free.iter().map(|&j| hessian.column(j)[j].sqrt().recip()).collect();
    if !scale.iter().all(|s| s.is_finite()) {
        return None;
    }
    let mut factor = vec![0.0; n * n]; // by rows
    for i in 0..n {
        for j in 0..=i {
            let (row_i, row_j) = (&factor[i * n..i * n + j], &factor[j * n..j * n + j]);
            let inner: f64 = row_i.iter().zip(row_j).map(|(a, b)| a * b).sum();
            let entry = scale[i] * scale[j] * hessian.column(free[j])[free[i]] - inner;
            factor[i * n + j] = if i == j { (entry + TRIFLE).max(TRIFLE).sqrt() } else { entry / factor[j * n + j] };
        }
    }
    let mut x: Vec<f64> = free.iter().zip(&scale).map(|(&j, s)| linear[j] * s).collect();
    for i in 0..n {
        let inner: f64 = (0..i).map(|j| factor[i * n + j] * x[j]).sum();
        x[i] = (x[i] - inner) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        let inner: f64 = (i + 1..n).map(|j| factor[j * n + i] * x[j]).sum();
        x[i] = (x[i] - inner) / factor[i * n + i];
    }
    x.iter_mut().zip(&scale).for_each(|(x, s)| *x *= s);
    x.iter().all(|x| x.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_would_be_negative_are_fixed_at_zero() {
        // ½(x − a)'H(x − a) with its free minimum at a = (2, −1): on x ≥ 0 at (2 − .5, 0)
        let hessian = Matrix::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 });
        let linear = [2.0 * 2.0 - 1.0, 2.0 - 2.0];
        let found = nonnegative_minimum(&hessian, &linear, &[1.0, 1.0]).expect("positive definite");
        assert!((found[0] - 1.5).abs() < 1e-12 && found[1] == 0.0, "{found:?}");
        let free = nonnegative_minimum(&hessian, &[5.0, 4.0], &[1.0, 0.0]).expect("positive definite");
        assert!((free[0] - 2.0).abs() < 1e-11 && (free[1] - 1.0).abs() < 1e-11, "{free:?}");
        assert_eq!(nonnegative_minimum(&Matrix::zeros(1, 1), &[1.0], &[1.0]), None);
    }
}
