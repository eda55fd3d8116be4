//! The curvature of a log posterior in the weights of a machine.

use super::jacobian::{Jacobian, JacobianProducts};
use crate::numeric::factored_hessian::Curvature;
use crate::numeric::linalg::Matrix;

/// H = JᵀCJ + G: `effect` is J and `products` a pass over it, of which only the columns `which` count; `c` weighs the
/// rows, `g` is the diagonal.
///
/// `None` where the numbers have left the range that can be factored.
///
/// Cost: the smaller of rows and unknowns cubed, and where rows are fewer, rows² × unknowns.
pub(super) fn hessian(
    effect: &Jacobian,
    products: &JacobianProducts,
    which: &[usize],
    c: &[f64],
    g: &[f64],
) -> Option<Curvature> {
    let root_g: Vec<f64> = g.iter().map(|g| g.sqrt()).collect();
    let inverse: Vec<f64> = root_g.iter().map(|g| 1.0 / g).collect();
    let Some(gram) = &products.gram else {
        let root_c: Vec<f64> = c.iter().map(|c| c.sqrt()).collect();
        return Curvature::of_s(effect.scaled(which, &root_c, &inverse), root_g);
    };
    let scaled = Matrix::from_columns(which.len(), which.len(), |k, out| {
        for i in k..which.len() {
            // `which` goes up, so this is the lower half of the gram matrix too
            out[i] = gram.column(which[k])[which[i]] * inverse[k] * inverse[i];
        }
    });
    Curvature::of_gram(scaled, root_g)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::kernel::{Kernel, KernelShape};
    use crate::numeric::linalg::Cholesky;
    use crate::numeric::random;
    use rand::RngExt;

    /// Both ways of factoring against H formed in full and inverted column by column.
    #[test]
    fn both_sides_agree_with_the_matrix_in_full() {
        let mut rng = random::stream(5, 0);
        for (n, p) in [(4, 9), (9, 4), (6, 6), (1, 3), (3, 1)] {
            let j = Matrix::from_fn(n, p, |_, _| rng.random::<f64>() * 2.0 - 1.0);
            let c: Vec<f64> = (0..n).map(|_| rng.random::<f64>()).collect();
            // one unknown with hardly any say of the data
            let g: Vec<f64> = (0..p).map(|k| if k == 0 { 1e9 } else { 0.1 + rng.random::<f64>() }).collect();
            let all: Vec<usize> = (0..p).collect();
            // a linear kernel between j's rows and one basis of ones is j itself, in the features' weights
            let z = Matrix::from_fn(1, p, |_, _| 1.0);
            let kernel = Kernel { shape: KernelShape::Linear, degree: 1, scale: 1.0 };
            let blocks = std::sync::Arc::new(crate::machines::block::row_blocks(&j, &all, 4));
            let values = kernel.values(&blocks, &z, &vec![1.0; p]);
            let effect = Jacobian::Features { kernel, z: &z, values: &values, v: vec![1.0] };
            let products = effect.products(&vec![0.0; n], Some(&c));
            let curvature = hessian(&effect, &products, &all, &c, &g).expect("factors");
            let h = Matrix::from_fn(p, p, |a, b| {
                let sum: f64 = (0..n).map(|i| c[i] * j.column(a)[i] * j.column(b)[i]).sum();
                sum + if a == b { g[a] } else { 0.0 }
            });
            let full = Cholesky::factor(h).expect("positive definite");
            assert!((curvature.log_determinant - full.log_determinant()).abs() < 1e-10);
            let (shares, inverse) = (curvature.shares(), curvature.inverse());
            for k in 0..p {
                let mut unit = vec![0.0; p];
                unit[k] = 1.0;
                full.solve(&mut unit);
                let off = |a: f64, b: f64| (a - b).abs() / (1e-300 + b.abs());
                assert!(off(inverse.column(k)[k], unit[k]) < 1e-10);
                assert!(off(curvature.variances(&shares)[k], unit[k]) < 1e-10);
                // [H⁻¹JᵀCJ]_kk, by the definition
                let data: f64 =
                    (0..p).map(|b| unit[b] * (0..n).map(|i| c[i] * j.column(b)[i] * j.column(k)[i]).sum::<f64>()).sum();
                assert!(off(shares[k], data) < 1e-8, "{n}×{p}, {k}: {} {data}", shares[k]);
            }
        }
    }
}
