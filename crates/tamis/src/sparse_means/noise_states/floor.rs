//! Single-step Westfall–Young: a score that few null targets reach anywhere is no noise, whatever the mixture says.

/// The largest strengths of the null targets, ascending.
pub(super) struct LargestStrengths(Vec<f64>);

impl LargestStrengths {
    pub(super) fn new(largest: impl Iterator<Item = f64>) -> LargestStrengths {
        let mut largest: Vec<f64> = largest.collect();
        largest.sort_by(f64::total_cmp);
        LargestStrengths(largest)
    }

    /// (1 + how many of R null targets have a score as strong)/(R + 1).
    pub(super) fn p_value(&self, strength: f64) -> f64 {
        let reaching = self.0.len() - self.0.partition_point(|largest| *largest < strength);
        (1 + reaching) as f64 / (self.0.len() + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strengths_count_as_reached() {
        let largest = LargestStrengths::new([3.0, 5.0, 4.0].into_iter());
        assert_eq!([2.0, 4.0, 4.5, 5.1].map(|z| largest.p_value(z)), [1.0, 0.75, 0.5, 0.25]);
    }
}
