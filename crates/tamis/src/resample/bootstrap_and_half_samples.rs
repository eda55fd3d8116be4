//! Samples of rows as whole weights, one generator per replicate: the same on any number of threads or machines.

use crate::numeric::random;
pub use crate::numeric::random::permutation;
use rand::RngExt;

/// The largest sum of weights that is drawn in full.
const MOST_DRAWS: f64 = 1e6;

/// How often each of `rows` rows is drawn by bootstrap number `b`. With `weights`, rows are drawn in proportion to
/// them, as often as their sum says, but a million times at most: the number of copies, or the effective number of rows.
pub fn bootstrap(seed: u64, b: u64, rows: usize, weights: Option<&[f64]>) -> Vec<u32> {
    let mut rng = random::stream(seed, b);
    let mut drawn = vec![0; rows];
    match weights {
        None => (0..rows).for_each(|_| drawn[rng.random_range(0..rows)] += 1),
        Some(weights) => {
            let mut sum = 0.0;
            let ends: Vec<f64> = weights
                .iter()
                .map(|w| {
                    sum += w;
                    sum
                })
                .collect();
            for _ in 0..sum.min(MOST_DRAWS).round() as usize {
                let at = rng.random::<f64>() * sum;
                drawn[ends.partition_point(|end| *end <= at).min(rows - 1)] += 1;
            }
        }
    }
    drawn
}

/// Half of the rows, once each: subsample number `b` (Meinshausen & Bühlmann 2010).
pub(crate) fn half_sample(seed: u64, b: u64, rows: usize) -> Vec<u32> {
    let mut rng = random::stream(seed, b);
    let mut order: Vec<usize> = (0..rows).collect();
    let mut drawn = vec![0; rows];
    for at in 0..rows.div_ceil(2) {
        order.swap(at, rng.random_range(at..rows));
        drawn[order[at]] = 1;
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_the_size_they_should() {
        assert_eq!(bootstrap(1, 0, 57, None).iter().sum::<u32>(), 57);
        assert_eq!(bootstrap(1, 0, 3, Some(&[2.0, 0.0, 5.0])).iter().sum::<u32>(), 7);
        assert_eq!(bootstrap(1, 0, 3, Some(&[2.0, 0.0, 5.0]))[1], 0);
        assert_eq!(bootstrap(1, 0, 2, Some(&[1.2, 0.6])).iter().sum::<u32>(), 2);
        let half = half_sample(1, 0, 9);
        assert_eq!((half.iter().sum::<u32>(), half.iter().max()), (5, Some(&1)));
        let mut order = permutation(1, 0, 40);
        order.sort_unstable();
        assert!(order.iter().zip(0..).all(|(a, b)| *a == b));
    }

    #[test]
    fn weights_change_how_often_a_row_comes() {
        let mut counts = [0; 3];
        for b in 0..2000 {
            bootstrap(7, b, 3, Some(&[1.0, 2.0, 5.0])).iter().zip(&mut counts).for_each(|(d, c)| *c += d);
        }
        for (count, expected) in counts.iter().zip([2000.0, 4000.0, 10_000.0]) {
            assert!((f64::from(*count) - expected).abs() < 5.0 * f64::sqrt(expected), "{counts:?}");
        }
    }
}
