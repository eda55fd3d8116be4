//! A quantile sketch: approximate quantiles of very many numbers in little memory, in any order.
//!
//! Numbers wait in a buffer; when it holds 2k of them they are sorted, and of every two neighbours one goes on to the next
//! buffer and stands for both, the lower and the upper one in turn (Manku, Rajagopalan & Lindsay 1998; Karnin, Lang &
//! Liberty 2016, without their coins). So up to 2k − 1 numbers nothing is lost. Beyond, with n numbers of equal weight, a
//! rank is off by at most n·L/2k with L = log₂(n/2k) + 1 buffers, and in practice by a tenth of that.

use serde::{Deserialize, Serialize};

/// The summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sketch {
    k: usize,
    levels: Vec<Level>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Level {
    /// Numbers with their weights.
    items: Vec<(f64, f64)>,
    /// Whether the upper one of two goes on next time.
    upper: bool,
}

impl Sketch {
    pub(crate) fn new(k: usize) -> Sketch {
        Sketch { k, levels: vec![Level::default()] }
    }

    /// How precise it can be where there are so many columns: all of their summaries take some hundred megabytes at most.
    pub(crate) fn precision(columns: usize) -> usize {
        const MEMORY: usize = 256 << 20;
        const PER_K: usize = 2 * 16 * 12; // numbers with weights in a dozen buffers
        (MEMORY / (columns.max(1) * PER_K)).clamp(64, 1024)
    }

    /// Takes finite numbers with their weights.
    pub(crate) fn extend(&mut self, items: impl IntoIterator<Item = (f64, f64)>) {
        for item in items {
            self.levels[0].items.push(item);
            if self.levels[0].items.len() >= 2 * self.k {
                self.settle();
            }
        }
    }

    /// Adds what another has seen. The bits depend on the order.
    pub(crate) fn merge(&mut self, other: Sketch) {
        if self.levels.len() < other.levels.len() {
            self.levels.resize(other.levels.len(), Level::default());
        }
        for (level, theirs) in self.levels.iter_mut().zip(other.levels) {
            level.items.extend(theirs.items);
        }
        self.settle();
    }

    /// Empties every buffer that is full into the next.
    fn settle(&mut self) {
        let mut at = 0;
        while at < self.levels.len() {
            if self.levels[at].items.len() >= 2 * self.k {
                if at + 1 == self.levels.len() {
                    self.levels.push(Level::default());
                }
                let level = &mut self.levels[at];
                let mut items = std::mem::take(&mut level.items);
                sort(&mut items);
                let pairs = items.chunks_exact(2);
                level.items.extend(pairs.remainder());
                let upper = level.upper;
                level.upper = !upper;
                let one = |pair: &[(f64, f64)]| (pair[usize::from(upper)].0, pair[0].1 + pair[1].1);
                self.levels[at + 1].items.extend(pairs.map(one));
            }
            at += 1;
        }
    }

    /// The numbers that are left, sorted, each with the weight it stands for.
    pub(crate) fn sorted(&self) -> Vec<(f64, f64)> {
        let mut all: Vec<(f64, f64)> = self.levels.iter().flat_map(|level| level.items.iter().copied()).collect();
        sort(&mut all);
        all
    }
}

fn sort(items: &mut [(f64, f64)]) {
    items.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
}

#[cfg(test)]
mod tests {
    use crate::numeric::random;
    use crate::stream::sketch::Sketch;
    use rand::RngExt;

    /// The largest distance between a number's rank by the sketch and its true rank, as a share of all.
    fn error(sketch: &Sketch, values: &mut [f64]) -> f64 {
        values.sort_unstable_by(f64::total_cmp);
        let (n, mut below, mut worst) = (values.len() as f64, 0.0, 0.0_f64);
        for (x, w) in sketch.sorted() {
            let low = values.partition_point(|v| *v < x) as f64;
            let high = values.partition_point(|v| *v <= x) as f64;
            // somewhere between below and below + w
            let off = (low - (below + w)).max(below - high).max(0.0);
            worst = worst.max(off / n);
            below += w;
        }
        assert!((below - n).abs() < 1e-6 * n, "no weight is lost");
        worst
    }

    #[test]
    fn few_numbers_are_kept_exactly() {
        let mut sketch = Sketch::new(64);
        sketch.extend((0..127).map(|i| (f64::from(i * 37 % 127), 1.0)));
        assert_eq!(sketch.sorted(), (0..127).map(|i| (f64::from(i), 1.0)).collect::<Vec<_>>());
    }

    #[test]
    fn ranks_stay_within_the_bound_however_the_numbers_come() {
        let mut rng = random::stream(3, 0);
        let n = 200_000;
        let orders: [Vec<f64>; 4] = [
            (0..n).map(|_| rng.random::<f64>()).collect(),
            (0..n).map(f64::from).collect(),
            (0..n).rev().map(f64::from).collect(),
            (0..n).map(|i| f64::from(i % 1000)).collect(),
        ];
        for mut values in orders {
            for parts in [1, 64] {
                let mut whole = Sketch::new(1024);
                for part in values.chunks(values.len().div_ceil(parts)) {
                    let mut some = Sketch::new(1024);
                    some.extend(part.iter().map(|x| (*x, 1.0)));
                    whole.merge(some);
                }
                let bound = (f64::from(n) / 2048.0).log2().ceil() / 2048.0;
                let found = error(&whole, &mut values.clone());
                assert!(found <= bound, "{parts} parts: {found} against {bound}");
                assert!(found <= 0.002, "{parts} parts: {found}");
            }
            values.clear();
        }
    }

    #[test]
    fn weights_count_as_so_many_numbers() {
        let mut sketch = Sketch::new(64);
        sketch.extend((0..10_000).map(|i| (f64::from(i % 100), f64::from(i % 3))));
        let total: f64 = sketch.sorted().iter().map(|(_, w)| w).sum();
        assert_eq!(total, (0..10_000).map(|i| f64::from(i % 3)).sum::<f64>());
    }
}
