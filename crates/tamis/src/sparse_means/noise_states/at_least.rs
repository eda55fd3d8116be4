//! How many features differ at least, with 95 % confidence whatever their correlation.
//!
//! At every threshold the null targets' counts of scores as strong are ranked. The envelope is the counts at the rank that
//! 95 % of the targets exceed at no threshold; what the data have above it, at the best threshold, differs.

use super::strengths::{Strengths, THRESHOLDS};

const LEVEL: f64 = 0.95;

/// Counts of strong scores that noise exceeds at no threshold, in 95 of 100 tables.
pub(super) struct Envelope(Vec<u32>);

impl Envelope {
    pub(super) fn of(rows: &[Strengths]) -> Envelope {
        let r = rows.len();
        let sorted: Vec<Vec<u32>> = (0..THRESHOLDS)
            .map(|at| {
                let mut counts: Vec<u32> = rows.iter().map(|row| row.reaching[at]).collect();
                counts.sort_unstable();
                counts
            })
            .collect();
        let rank = |counts: &Vec<u32>, own: u32| counts.partition_point(|count| *count < own);
        let worst = |row: &Strengths| sorted.iter().zip(&row.reaching).map(|(counts, own)| rank(counts, *own)).max();
        let mut worst: Vec<usize> = rows.iter().map(|row| worst(row).unwrap_or(0)).collect();
        worst.sort_unstable();
        let at = ((LEVEL * (r as f64 + 1.0)).ceil() as usize).clamp(1, r) - 1;
        Envelope(sorted.iter().map(|counts| counts[worst[at].min(r - 1)]).collect())
    }

    /// The largest excess of counts of strong scores over the envelope.
    pub(super) fn excess(&self, reaching: &[u32]) -> usize {
        reaching.iter().zip(&self.0).map(|(have, noise)| have.saturating_sub(*noise)).max().unwrap_or(0) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_five_of_a_hundred_rows_exceed_the_envelope_of_all() {
        let row = |i: usize| {
            let reaching = (0..THRESHOLDS).map(|at| (((i * 37 + at / 30 * 11) % 101) / (1 + at / 10)) as u32).collect();
            Strengths { largest: vec![], tails: vec![], reaching }
        };
        let rows: Vec<Strengths> = (0..99).map(row).collect();
        let envelope = Envelope::of(&rows);
        let exceeding = rows.iter().filter(|row| envelope.excess(&row.reaching) > 0).count();
        assert!(exceeding <= 4, "{exceeding}");
        let planted: Vec<u32> = rows[0].reaching.iter().map(|count| count + 200).collect();
        assert!(envelope.excess(&planted) >= 100);
    }
}
