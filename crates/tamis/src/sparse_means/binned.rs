//! Scores on a grid: fits cost the same whatever their number.

/// Scores on a grid: the nodes that have any weight, ascending, and their weights.
#[derive(Debug, Clone, Default)]
pub(super) struct Binned {
    pub(super) x: Vec<f64>,
    pub(super) count: Vec<f64>,
}

impl Binned {
    /// Linear binning of ascending scores onto multiples of `width`: a score between two nodes is shared between them in
    /// proportion. Sums run in the order of the scores.
    pub(super) fn new(sorted: &[f64], width: f64) -> Binned {
        Self::weighted(sorted.iter().map(|z| (*z, 1.0)), width)
    }

    /// Like [`Binned::new`] for ascending scores of which each stands for several.
    pub(super) fn weighted(ascending: impl Iterator<Item = (f64, f64)>, width: f64) -> Binned {
        let mut out = Binned::default();
        // the weights of `node` and of the next one, the only two that can still grow
        let (mut node, mut here, mut next) = (i64::MIN, 0.0, 0.0);
        for (z, weight) in ascending {
            let at = z / width;
            let below = floor(at);
            if below != node {
                out.push(node, here, width);
                if below != node.wrapping_add(1) {
                    out.push(node.wrapping_add(1), next, width);
                    next = 0.0;
                }
                (node, here, next) = (below, next, 0.0);
            }
            let share = (at - below as f64) * weight;
            here += weight - share;
            next += share;
        }
        out.push(node, here, width);
        out.push(node.wrapping_add(1), next, width);
        out
    }

    fn push(&mut self, node: i64, weight: f64, width: f64) {
        if weight > 0.0 {
            self.x.push(node as f64 * width);
            self.count.push(weight);
        }
    }
}

/// ⌊x⌋ as an integer, without a call on processors that have no instruction for it.
pub(super) fn floor(x: f64) -> i64 {
    let towards_zero = x as i64;
    towards_zero - i64::from((towards_zero as f64) > x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIN: f64 = 0.05;

    #[test]
    fn binning_keeps_the_number_and_the_sum_of_scores() {
        let z = [-3.01, -3.0, -0.07, -0.02, 0.0, 0.0, 0.01, 0.05, 0.1, 7.3, 19.98];
        let binned = Binned::new(&z, BIN);
        assert!(binned.x.windows(2).all(|x| x[0] < x[1]) && binned.count.iter().all(|c| *c > 0.0));
        assert!((binned.count.iter().sum::<f64>() - 11.0).abs() < 1e-12);
        let sum: f64 = binned.x.iter().zip(&binned.count).map(|(x, c)| x * c).sum();
        assert!((sum - z.iter().sum::<f64>()).abs() < 1e-12);
        assert!(binned.x.iter().all(|x| z.iter().any(|z| (x - z).abs() < BIN)));
    }

    #[test]
    fn a_weight_counts_as_so_many_scores() {
        let (a, b) = (
            Binned::weighted([(0.31, 3.0), (0.36, 1.0)].into_iter(), BIN),
            Binned::new(&[0.31, 0.31, 0.31, 0.36], BIN),
        );
        assert_eq!(a.x, b.x);
        assert!(a.count.iter().zip(&b.count).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!(Binned::new(&[], BIN).x.is_empty());
    }
}
