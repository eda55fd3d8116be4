//! The rows behind the selected features, and what pictures of a feature are made of.
//!
//! | file | holds |
//! | --- | --- |
//! | `box_plot.rs` | quartiles, whiskers and the values beyond them |
//! | `class_density.rs` | densities of a feature, class by class |
//! | `pair_table.rs` | rows of each class by thirds of two features |
//! | `regression_line.rs` | the least-squares line through a feature against a numeric target |
//! | `saved.rs` | the values as bytes, for objects of Python and R that are saved |
//! | `survival_curve.rs` | Kaplan–Meier curves of the rows below and above a feature's median |
//! | `working_set.rs` | how well the working set of `needed` predicts rows it has not seen |

mod box_plot;
mod class_density;
mod pair_table;
mod regression_line;
mod saved;
mod survival_curve;
mod working_set;

pub use crate::needed::ComponentScores;
pub use box_plot::BoxPlot;
pub use class_density::ClassDensity;
pub use pair_table::PairTable;
pub use regression_line::RegressionLine;
pub use survival_curve::{MedianHalves, SurvivalCurve};
pub use working_set::WorkingSetCurve;

use crate::selection::Selection;
use crate::table::{Target, View};

/// The target and the selected features of every row, for pictures of a feature. It is no part of a saved result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SampleValues {
    /// The target of every row.
    pub target: Target,
    /// The selected features that are numbers, best rank first.
    pub features: Vec<FeatureValues>,
    /// The scores of the samples on components that many features share, with the targets of these samples; where `needed` has
    /// looked.
    pub components: Option<(Target, Vec<ComponentScores>)>,
    /// How well the working set predicts, where somebody asked ([`SampleValues::with_working_set`]) and two classes are
    /// cross-validated quickly.
    pub working_set: Option<WorkingSetCurve>,
}

/// The values of a feature.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FeatureValues {
    /// Position in the input, from 0.
    pub index: usize,
    /// One value per row, NaN where it is missing.
    pub values: Vec<f64>,
}

impl SampleValues {
    /// Tables with more rows have no sample values.
    pub const MOST_ROWS: usize = 2000;
    /// More selected features are left out, from the last rank on.
    pub const MOST_FEATURES: usize = 500;

    /// The values of the features that were selected from this view: at most [`SampleValues::MOST_FEATURES`], categories
    /// left out. `None` where the view has more than [`SampleValues::MOST_ROWS`] rows, or neither such a feature nor an answer of
    /// `needed`.
    pub fn of(data: &View, selection: &Selection) -> Option<SampleValues> {
        let rows = data.rows();
        if rows.len() > Self::MOST_ROWS {
            return None;
        }
        let values_of = |&feature: &u32| {
            let column = data.numbers(feature as usize)?;
            let values = rows.iter().map(|&row| column[row as usize]).collect();
            Some(FeatureValues { index: feature as usize, values })
        };
        let features: Vec<FeatureValues> =
            selection.selected.iter().filter_map(values_of).take(Self::MOST_FEATURES).collect();
        let needed = selection.needed.as_ref();
        let components = needed
            .and_then(|needed| needed.component_scores(data).ok())
            .filter(|(_, components)| !components.is_empty());
        let any = !features.is_empty() || components.is_some() || needed.is_some_and(|n| !n.working_set.is_empty());
        any.then(|| SampleValues { target: data.target().of_rows(rows), features, components, working_set: None })
    }

    /// With how well the working set predicts.
    ///
    /// Cost: that of asking five times what is needed.
    pub fn with_working_set(self, data: &View, selection: &Selection) -> SampleValues {
        SampleValues { working_set: WorkingSetCurve::of(data, selection), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Context;
    use crate::selection::Selector;
    use crate::simulate::TwoGroups;
    use crate::sparse_means::Snbl;

    #[test]
    fn values_are_those_of_the_views_rows_by_rank_and_large_tables_have_none() {
        let drawn = TwoGroups { rows: 40, features: 30, relevant: 5, effect: (3.0, 4.0) }.draw(1).expect("a table");
        let view = drawn.table.view().of_these_rows(&(5..35).collect::<Vec<u32>>()).expect("rows");
        let selection = Snbl::default().select(&view, &mut Context::default()).expect("a selection");
        let found = SampleValues::of(&view, &selection).expect("values");
        assert_eq!(found.target.len(), 30);
        let indices: Vec<u32> = found.features.iter().map(|feature| feature.index as u32).collect();
        assert_eq!(indices, selection.selected);
        assert_eq!(found.features[0].values, drawn.table.columns()[indices[0] as usize].numbers().expect("x")[5..35]);

        let setup = TwoGroups { rows: SampleValues::MOST_ROWS + 1, features: 3, relevant: 1, effect: (1.0, 1.0) };
        let tall = setup.draw(1).expect("a table");
        assert_eq!(SampleValues::of(&tall.table.view(), &selection), None);
        let nothing = Selection { needed: None, selected: vec![], ..selection };
        assert_eq!(SampleValues::of(&view, &nothing), None);
    }
}
