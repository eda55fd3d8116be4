//! p-values of many tests at once.

/// Benjamini & Hochberg's adjusted p-values.
pub(crate) fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    let mut adjusted = vec![1.0; p.len()];
    let mut least = 1.0_f64;
    for (smaller, &at) in (1..=p.len()).rev().zip(&order) {
        least = least.min(p[at] * p.len() as f64 / smaller as f64);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_p_values_are_those_of_the_textbook() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.5]);
        let wanted = [0.04, 0.16 / 3.0, 0.16 / 3.0, 0.5];
        assert!(adjusted.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-15), "{adjusted:?}");
    }
}
