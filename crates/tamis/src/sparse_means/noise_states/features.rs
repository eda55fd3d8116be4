//! The features that have a score, arranged by kind: those with signed scores first, then those with one-sided ones.

use crate::sparse_means::Sides;
use std::ops::Range;

/// Features with one kind of scores.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kind {
    /// Only positive scores speak for a feature.
    pub(super) one_sided: bool,
    /// Its places among the arranged features.
    pub(super) places: Range<usize>,
}

impl Kind {
    /// How strongly a score speaks for its feature.
    #[inline(always)]
    pub(super) fn strength<T: Into<f64>>(&self, z: T) -> f64 {
        let z = z.into();
        if self.one_sided { z } else { z.abs() }
    }
}

/// The features that have a score.
#[derive(Debug, Clone)]
pub(super) struct Features {
    /// The input index of each, arranged.
    order: Vec<u32>,
    /// The place of each input feature; none where the score is missing.
    places: Vec<Option<u32>>,
    /// The kinds that occur.
    kinds: Vec<Kind>,
}

impl Features {
    pub(super) fn new(z: &[f64], sides: Sides<'_>) -> Features {
        let known = |one_sided: bool| {
            (0..z.len()).filter(move |&i| !z[i].is_nan() && sides.one(i) == one_sided).map(|i| i as u32)
        };
        let order: Vec<u32> = known(false).chain(known(true)).collect();
        let signed = known(false).count();
        let kinds = [(false, 0..signed), (true, signed..order.len())];
        let kinds = kinds.into_iter().filter(|(_, places)| !places.is_empty());
        let mut places = vec![None; z.len()];
        order.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = Some(place));
        let kinds = kinds.map(|(one_sided, places)| Kind { one_sided, places }).collect();
        Features { order, places, kinds }
    }

    /// How many have a score.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The kinds of scores that occur.
    pub(super) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Whether any score has a sign.
    pub(super) fn any_signed(&self) -> bool {
        self.kinds.iter().any(|kind| !kind.one_sided)
    }

    /// The place of an input feature; none where its score is missing.
    #[inline(always)]
    pub(super) fn place(&self, i: usize) -> Option<usize> {
        self.places[i].map(|place| place as usize)
    }

    /// The values of the features that have a score, arranged.
    pub(super) fn arranged(&self, values: &[f64]) -> Vec<f64> {
        self.order.iter().map(|&i| values[i as usize]).collect()
    }

    /// Arranged values in input order, `missing` where a feature has no score.
    pub(super) fn in_input_order(&self, arranged: &[f64], missing: f64) -> Vec<f64> {
        self.places.iter().map(|place| place.map_or(missing, |place| arranged[place as usize])).collect()
    }

    /// The input index of the feature at a place.
    pub(super) fn index(&self, place: usize) -> u32 {
        self.order[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arranging_and_back_leaves_out_missing_scores() {
        let z = [1.0, f64::NAN, 3.0, 4.0];
        let features = Features::new(&z, Sides::Mixed(&[true, false, false, true]));
        assert_eq!(features.arranged(&z), [3.0, 1.0, 4.0]);
        let [signed, one_sided] = features.kinds() else { panic!("two kinds") };
        assert_eq!((signed.places.clone(), one_sided.places.clone()), (0..1, 1..3));
        assert_eq!((signed.strength(-2.0), one_sided.strength(-2.0)), (2.0, -2.0));
        assert_eq!(features.in_input_order(&[3.0, 1.0, 4.0], 9.0), [1.0, 9.0, 3.0, 4.0]);
        assert_eq!(Features::new(&z, Sides::One).kinds(), [Kind { one_sided: true, places: 0..3 }]);
    }
}
