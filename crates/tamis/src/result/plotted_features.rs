//! Numbers of every feature that plots need and files do not hold.

use super::SelectionResult;
use super::column_values::ColumnValues;
use super::feature_table::{FeatureTable, MEAN};
use crate::numeric::special::log_ndtr;
use std::f64::consts::{LN_2, LN_10};

impl FeatureTable {
    /// −log₁₀ of the p-value of a feature; from the score, as a standard normal one, where the p-value is too small for a
    /// number.
    pub fn minus_log10_p(&self, feature: usize) -> Option<f64> {
        match self.number("p_value", feature)? {
            p if p >= f64::MIN_POSITIVE => Some((-p.log10()).max(0.0)),
            _ => Some(-(LN_2 + log_ndtr(-self.number("score", feature)?.abs())) / LN_10),
        }
    }
}

impl SelectionResult {
    /// Of two classes the one in which a feature is higher, by the sign of its difference.
    pub fn higher_in(&self, feature: usize) -> Option<&str> {
        let difference = self.features.number("difference", feature).filter(|difference| *difference != 0.0)?;
        let (positive, classes) = (self.input.positive.as_ref()?, self.input.classes.as_ref()?);
        match difference > 0.0 {
            true => Some(positive),
            false => classes.keys().find(|class| *class != positive).map(String::as_str),
        }
    }

    /// The mean of every feature over all rows, from the means and sizes of the classes; `None` without classes, and where
    /// a class has rows but no mean.
    pub fn overall_means(&self) -> Vec<Option<f64>> {
        let Some(classes) = &self.input.classes else { return vec![None; self.features.len()] };
        let rows: u64 = classes.values().sum();
        let class = |(class, n): (&String, &u64)| (self.features.column(&format!("{MEAN}{class}")), *n);
        let classes: Vec<(Option<&ColumnValues>, u64)> = classes.iter().map(class).collect();
        let part = |feature: usize, (means, n): &(Option<&ColumnValues>, u64)| match (means, n) {
            (_, 0) => Some(0.0),
            (Some(ColumnValues::Numbers(means)), n) => means[feature].map(|mean| mean * (*n as f64 / rows as f64)),
            _ => None,
        };
        let mean = |feature: usize| classes.iter().map(|class| part(feature, class)).sum();
        (0..self.features.len()).map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use crate::result::InputFacts;
    use crate::sparse_means::{SparseMeans, shrink};

    #[test]
    fn a_p_value_that_underflows_is_drawn_from_its_score() {
        let drawn = |p: Option<f64>, z: Option<f64>| {
            let mut table = FeatureTable::default();
            table.add("p_value", Some(ColumnValues::Numbers(vec![p])));
            table.add("score", Some(ColumnValues::Numbers(vec![z])));
            table.minus_log10_p(0)
        };
        assert_eq!(drawn(Some(0.01), Some(2.5)), Some(2.0));
        assert_eq!(drawn(Some(1.0), Some(0.0)), Some(0.0));
        // 2 Φ(−40) = 7.31e-350
        let found = drawn(Some(0.0), Some(-40.0)).expect("a number");
        assert!((found - 349.135_976).abs() < 1e-5, "{found}");
        // both ways agree where both are possible
        let both = [2.0 * crate::numeric::special::ndtr(-30.0), 0.0].map(|p| drawn(Some(p), Some(30.0)));
        assert!((both[0].expect("by p") - both[1].expect("by z")).abs() < 1e-9);
        assert_eq!((drawn(None, None), drawn(Some(0.0), None)), (None, None));
    }

    #[test]
    fn the_mean_of_all_rows_weighs_classes_by_their_rows() {
        let names = ["a", "b"].map(String::from).to_vec();
        let found = shrink(&SparseMeans::default(), names.into(), &[1.0, 2.0], &mut Context::default());
        let classes = [("x".to_string(), 3), ("y".to_string(), 1)].into_iter().collect();
        let facts = InputFacts { classes: Some(classes), ..InputFacts::default() };
        let mut result = SelectionResult::new(&found.expect("a selection"), facts, 0.0);
        result.features.add("mean_x", Some(ColumnValues::Numbers(vec![Some(2.0), Some(2.0)])));
        result.features.add("mean_y", Some(ColumnValues::Numbers(vec![Some(6.0), None])));
        assert_eq!(result.overall_means(), [Some(3.0), None]);
        result.input.classes = None;
        assert_eq!(result.overall_means(), [None, None]);
    }
}
