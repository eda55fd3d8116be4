//! Numbers of every feature that plots need and files do not hold.

use super::{Feature, SelectionResult};
use crate::base::NoteKind;
use crate::numeric::special::log_ndtr;
use std::f64::consts::{LN_2, LN_10};

impl Feature {
    /// −log₁₀ of the p-value; from the score, as a standard normal one, where the p-value is too small for a number.
    pub fn minus_log10_p(&self) -> Option<f64> {
        match self.p_value? {
            p if p >= f64::MIN_POSITIVE => Some((-p.log10()).max(0.0)),
            _ => Some(-(LN_2 + log_ndtr(-self.score?.abs())) / LN_10),
        }
    }
}

impl SelectionResult {
    /// Whether features are log₂ counts per million, from a table of counts that was normalised.
    pub fn of_counts(&self) -> bool {
        self.notes.iter().any(|note| note.kind == NoteKind::CountsNormalised)
    }

    /// The mean of every feature over all rows, from the means and sizes of the classes; `None` without classes, and where
    /// a class has rows but no mean.
    pub fn overall_means(&self) -> Vec<Option<f64>> {
        let Some(classes) = &self.input.classes else { return vec![None; self.features.len()] };
        let rows: u64 = classes.values().sum();
        let part = |feature: &Feature, class: &str, n: u64| match n {
            0 => Some(0.0),
            n => feature.mean.get(class).map(|mean| mean * (n as f64 / rows as f64)),
        };
        let mean = |feature: &Feature| classes.iter().map(|(class, n)| part(feature, class, *n)).sum();
        self.features.iter().map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Context, Note};
    use crate::result::InputFacts;
    use crate::sparse_means::{SparseMeans, shrink};

    #[test]
    fn a_p_value_that_underflows_is_drawn_from_its_score() {
        let feature = |p: f64, z: f64| Feature { p_value: Some(p), score: Some(z), ..Feature::default() };
        assert_eq!(feature(0.01, 2.5).minus_log10_p(), Some(2.0));
        assert_eq!(feature(1.0, 0.0).minus_log10_p(), Some(0.0));
        // 2 Φ(−40) = 7.31e-350
        let found = feature(0.0, -40.0).minus_log10_p().expect("a number");
        assert!((found - 349.135_976).abs() < 1e-5, "{found}");
        // both ways agree where both are possible
        let both = [2.0 * crate::numeric::special::ndtr(-30.0), 0.0].map(|p| feature(p, 30.0).minus_log10_p());
        assert!((both[0].expect("by p") - both[1].expect("by z")).abs() < 1e-9);
        assert_eq!(Feature::default().minus_log10_p(), None);
        assert_eq!(Feature { p_value: Some(0.0), ..Feature::default() }.minus_log10_p(), None);
    }

    #[test]
    fn the_mean_of_all_rows_weighs_classes_by_their_rows() {
        let names = ["a", "b"].map(String::from).to_vec();
        let found = shrink(&SparseMeans::default(), names.into(), &[1.0, 2.0], &mut Context::default());
        let classes = [("x".to_string(), 3), ("y".to_string(), 1)].into_iter().collect();
        let facts = InputFacts { classes: Some(classes), ..InputFacts::default() };
        let mut result = SelectionResult::new(&found.expect("a selection"), facts, 0.0);
        result.features[0].mean = [("x".to_string(), 2.0), ("y".to_string(), 6.0)].into_iter().collect();
        result.features[1].mean = [("x".to_string(), 2.0)].into_iter().collect();
        assert_eq!(result.overall_means(), [Some(3.0), None]);
        result.input.classes = None;
        assert_eq!(result.overall_means(), [None, None]);
        assert!(!result.of_counts());
        result.notes.push(Note::new(NoteKind::CountsNormalised, "counts"));
        assert!(result.of_counts());
    }
}
