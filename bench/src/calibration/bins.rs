//! Probability against truth: of the features said to matter with probability near q, a share q should.

use super::verdict;

const EDGES: [f64; 10] = [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0 + 1e-12];
const N: usize = EDGES.len() - 1;

/// Features by the probability that they matter.
#[derive(Debug, Clone, Default)]
pub struct Bins {
    count: [u64; N],
    true_ones: [u64; N],
    sum: [f64; N],
}

impl Bins {
    /// Adds features with their probabilities and whether they matter.
    pub fn add(&mut self, probabilities: impl Iterator<Item = f64>, matters: &[bool]) {
        for (probability, matters) in probabilities.zip(matters) {
            let at = EDGES[1..N].partition_point(|edge| *edge <= probability);
            self.count[at] += 1;
            self.true_ones[at] += u64::from(*matters);
            self.sum[at] += probability;
        }
    }

    /// Adds those of other tables.
    pub fn merge(&mut self, other: &Bins) {
        for at in 0..N {
            self.count[at] += other.count[at];
            self.true_ones[at] += other.true_ones[at];
            self.sum[at] += other.sum[at];
        }
    }

    /// Prints a line per bin.
    pub fn print(&self, title: &str) {
        println!("\nprobability against truth, {title}\n");
        println!(
            "| probability | features | mean probability | share that matters | bar: from ½ on share ≥ mean − .03 |"
        );
        println!("| --- | --- | --- | --- | --- |");
        for at in 0..N {
            let n = self.count[at].max(1) as f64;
            let (mean, share) = (self.sum[at] / n, self.true_ones[at] as f64 / n);
            let bar = if EDGES[at] < 0.5 { "–" } else { verdict(share >= mean - 0.03) };
            let (from, to) = (EDGES[at], EDGES[at + 1]);
            println!("| {from:.2}–{to:.2} | {} | {mean:.4} | {share:.4} | {bar} |", self.count[at]);
        }
    }
}
