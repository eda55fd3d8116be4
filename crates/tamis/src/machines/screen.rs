//! A start for the features' weights that favours features which matter alone or together: an XOR or a ring shows in
//! products of two features long before a kernel over many features can see it.

use crate::numeric::linalg::Matrix;

/// Most features that are favoured, and how many are where features are at least as many as rows.
const MOST_FEATURES: usize = 10;
const FEW_FEATURES: usize = 5;
/// Features and rows that are looked at at most.
const MOST_SCREENED: usize = 2000;
const MOST_ROWS: usize = 5000;
/// How far a z score must exceed the largest that chance gives, in products and alone.
const MARGIN: f64 = 1.0;
const MARGIN_ALONE: f64 = 0.5;
/// The share of the kernel's distance that all other features have together.
const OTHERS: f64 = 0.1;

/// Weights whose distance is mostly that of the features with the largest z scores; `None` where no score exceeds those
/// that chance gives. Scores count alone or in products of two where rows outnumber features; otherwise alone, and five
/// features are favoured if the first of them exceeds chance.
pub(super) fn favoured_weights(x: &Matrix, y: &[f64]) -> Option<Vec<f64>> {
    let k = x.n_columns();
    let chosen = if k >= y.len() { strongest_alone(x, y) } else { beyond_chance(x, y) };
    if chosen.is_empty() || chosen.len() == k {
        return None;
    }
    let mut theta = vec![OTHERS * k as f64 / (k - chosen.len()) as f64; k];
    chosen.iter().for_each(|&feature| theta[feature] = k as f64 / chosen.len() as f64);
    Some(theta)
}

/// The features with the largest z = Σ (y − ȳ) x / √Σ (y − ȳ)² of standardised columns; none where chance may give all.
fn strongest_alone(x: &Matrix, y: &[f64]) -> Vec<usize> {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let unit = y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>().sqrt();
    let score = |j: usize| x.column(j).iter().zip(y).map(|(x, y)| x * (y - mean)).sum::<f64>().abs() / unit;
    let mut scored: Vec<(f64, usize)> = (0..x.n_columns()).map(|j| (score(j), j)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let chance = (2.0 * (x.n_columns() as f64).ln()).sqrt() + MARGIN_ALONE;
    if scored.first().is_none_or(|(z, _)| *z <= chance) {
        return vec![];
    }
    scored.into_iter().take(FEW_FEATURES).map(|(_, j)| j).collect()
}

/// The features with the largest z scores, alone or in products of two, that exceed what chance gives.
///
/// The score of a product is z_ij = Σ (y − ȳ) x_i x_j / √(N var y var x_i x_j). Cost: rows × features² flops, with at
/// most 5,000 rows.
fn beyond_chance(x: &Matrix, y: &[f64]) -> Vec<usize> {
    let k = x.n_columns();
    if !(2..=MOST_SCREENED).contains(&k) {
        return vec![];
    }
    let step = y.len().div_ceil(MOST_ROWS);
    let rows: Vec<usize> = (0..y.len()).step_by(step).collect();
    let n = rows.len() as f64;
    let mean = rows.iter().map(|&i| y[i]).sum::<f64>() / n;
    let centred: Vec<f64> = rows.iter().map(|&i| y[i] - mean).collect();
    let unit = (centred.iter().map(|y| y * y).sum::<f64>()).sqrt();
    let part = Matrix::from_columns(rows.len(), k, |j, out| {
        out.iter_mut().zip(&rows).for_each(|(o, &i)| *o = x.column(j)[i]);
    });
    let weighted = Matrix::from_columns(rows.len(), k, |j, out| {
        out.iter_mut().zip(part.column(j)).zip(&centred).for_each(|((o, x), y)| *o = x * y);
    });
    let mut products = Matrix::zeros(k, k);
    part.transpose_product(&weighted, &mut products);
    let mut found: Vec<(f64, usize, usize)> = Vec::new();
    let chance = (2.0 * (0.5 * (k * (k + 3)) as f64).ln()).sqrt() + MARGIN;
    let mut note = |z: f64, i: usize, j: usize| {
        if z.abs() > chance {
            found.push((z.abs(), i, j));
        }
    };
    for j in 0..k {
        let column = part.column(j);
        let fourth = column.iter().map(|x| x.powi(4)).sum::<f64>() / n;
        note(products.column(j)[j] / (unit * (fourth - 1.0).max(0.1).sqrt()), j, j);
        note(weighted.column(j).iter().sum::<f64>() / unit, j, j);
        ((j + 1)..k).for_each(|i| note(products.column(j)[i] / unit, i, j));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut chosen: Vec<usize> = Vec::new();
    for (_, i, j) in found {
        for feature in [i, j] {
            if !chosen.contains(&feature) && chosen.len() < MOST_FEATURES {
                chosen.push(feature);
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::random;
    use rand::RngExt;

    #[test]
    fn an_xor_and_a_ring_are_favoured_and_noise_is_not() {
        let mut rng = random::stream(5, 0);
        let x = Matrix::from_fn(400, 60, |_, _| (rng.random::<f64>() - 0.5) * 12_f64.sqrt());
        let favoured = |label: &dyn Fn(usize) -> bool| -> Option<Vec<usize>> {
            let y: Vec<f64> = (0..400).map(|i| if label(i) { 1.0 } else { -1.0 }).collect();
            favoured_weights(&x, &y).map(|theta| (0..60).filter(|&k| theta[k] > 1.0).collect())
        };
        assert_eq!(favoured(&|i| x.column(3)[i] * x.column(17)[i] > 0.0), Some(vec![3, 17]));
        assert_eq!(favoured(&|i| x.column(3)[i].hypot(x.column(17)[i]) > 1.3), Some(vec![3, 17]));
        assert_eq!(favoured(&|i| i % 2 == 0), None);
    }

    #[test]
    fn of_more_features_than_rows_the_five_strongest_are_favoured() {
        let mut rng = random::stream(6, 0);
        let y: Vec<f64> = (0..30).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        // columns of variance one, five of which are the signs themselves but for a little noise
        let noise = Matrix::from_fn(30, 50, |_, _| (rng.random::<f64>() - 0.5) * 12_f64.sqrt());
        assert_eq!(favoured_weights(&noise, &y), None);
        let mixed =
            |i: usize, k: usize| if k % 10 == 3 { 0.98 * y[i] + 0.2 * noise.column(k)[i] } else { noise.column(k)[i] };
        let theta = favoured_weights(&Matrix::from_fn(30, 50, mixed), &y).expect("five");
        assert_eq!((0..50).filter(|&k| theta[k] > 1.0).collect::<Vec<usize>>(), [3, 13, 23, 33, 43]);
    }
}
