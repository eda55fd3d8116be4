//! How a feature is related to the classes: densities where its shape differs, a table where it takes a partner.

use crate::escape::rounded;
use serde::Serialize;
use tamis::result::SelectionResult;
use tamis::result::samples::{ClassDensity, FeatureValues, PairTable, SampleValues};
use tamis::selection::detail::RelationKind;

/// Digits of a value.
const DIGITS: usize = 4;

/// The figure of a relation.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum RelationPart {
    /// A curve per class; null where there are too few values.
    Shape { at: Vec<f64>, curves: Vec<Option<Vec<f64>>> },
    /// Rows of each class by thirds of the feature and of its partner.
    Together { partner: usize, cuts: [Vec<f64>; 2], counts: Vec<Vec<Vec<u32>>> },
}

/// The figure of a feature's relation to classes, where the method found one that boxes do not show.
pub(crate) fn part(
    saved: &SelectionResult,
    values: &SampleValues,
    feature: &FeatureValues,
    codes: &[u32],
    classes: usize,
) -> Option<RelationPart> {
    let found = saved.detail.dependence.as_ref()?;
    let all = |values: &[f64]| values.iter().map(|x| rounded(*x, DIGITS)).collect::<Vec<f64>>();
    match found.kinds[feature.index]? {
        RelationKind::Shape => {
            let density = ClassDensity::of(&feature.values, codes, classes)?;
            let curves = density.curves.iter().map(|curve| curve.as_ref().map(|curve| all(curve))).collect();
            Some(RelationPart::Shape { at: all(&density.at), curves })
        }
        RelationKind::Together => {
            let partner = found.partners[feature.index]? as usize;
            let other = values.features.iter().find(|other| other.index == partner)?;
            let table = PairTable::of(&feature.values, &other.values, codes, classes)?;
            let cuts = [all(&table.cuts[0]), all(&table.cuts[1])];
            Some(RelationPart::Together { partner, cuts, counts: table.counts })
        }
        _ => None,
    }
}
