//! The values as bytes, for objects of Python and R that are saved. They are no part of a result's file.

use super::{ComponentScores, FeatureValues, SampleValues, WorkingSetCurve};
use crate::base::{Error, Place, Result};
use crate::table::Target;
use serde::{Deserialize, Serialize};

/// Numbers in a file: null is missing.
type Numbers = Vec<Option<f64>>;

#[derive(Serialize, Deserialize)]
struct Saved {
    target: SavedTarget,
    features: Vec<(usize, Numbers)>,
    #[serde(default)]
    components: Option<(SavedTarget, Vec<ComponentScores>)>,
    #[serde(default)]
    working_set: Option<WorkingSetCurve>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedTarget {
    Classes { labels: Vec<String>, codes: Vec<u32>, positive: u32 },
    Real { values: Numbers },
    Survival { times: Numbers, events: Vec<bool> },
}

fn written(values: &[f64]) -> Numbers {
    values.iter().map(|x| (!x.is_nan()).then_some(*x)).collect()
}

fn read(values: Numbers) -> Vec<f64> {
    values.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect()
}

impl SavedTarget {
    fn of(target: &Target) -> SavedTarget {
        match target {
            Target::Classes { labels, codes, positive } => {
                SavedTarget::Classes { labels: labels.clone(), codes: codes.clone(), positive: *positive }
            }
            Target::Real { values } => SavedTarget::Real { values: written(values) },
            Target::Survival { times, events } => {
                SavedTarget::Survival { times: written(times), events: events.clone() }
            }
        }
    }

    fn read(self) -> Result<Target> {
        Ok(match self {
            SavedTarget::Classes { labels, codes, positive } => Target::of_codes(labels, codes, positive)?,
            SavedTarget::Real { values } => Target::Real { values: read(values) },
            SavedTarget::Survival { times, events } => Target::Survival { times: read(times), events },
        })
    }
}

impl SampleValues {
    /// The values as bytes, which [`SampleValues::of_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let target = SavedTarget::of(&self.target);
        let components = self.components.as_ref().map(|(target, scores)| (SavedTarget::of(target), scores.clone()));
        let working_set = self.working_set.clone();
        let features = self.features.iter().map(|feature| (feature.index, written(&feature.values))).collect();
        serde_json::to_vec(&Saved { target, features, components, working_set }).expect("finite numbers and text")
    }

    /// Reads the values back.
    ///
    /// # Errors
    ///
    /// Bytes that are damaged.
    pub fn of_bytes(bytes: &[u8]) -> Result<SampleValues> {
        let damaged =
            |_| Error::data(Place::default(), "the values of the samples are damaged", "analyse the data again");
        let Saved { target, features, components, working_set } = serde_json::from_slice(bytes).map_err(damaged)?;
        let target = target.read()?;
        let components = components.map(|(target, scores)| Ok::<_, Error>((target.read()?, scores))).transpose()?;
        let one = |(index, values)| FeatureValues { index, values: read(values) };
        let features: Vec<FeatureValues> = features.into_iter().map(one).collect();
        let fits = |feature: &FeatureValues| feature.values.len() == target.len();
        let whole = match &target {
            Target::Survival { times, events } => times.len() == events.len(),
            Target::Classes { .. } | Target::Real { .. } => true,
        };
        let scored = |(target, scores): &(Target, Vec<ComponentScores>)| {
            scores.iter().all(|component| component.scores.len() == target.len())
        };
        if !whole || !features.iter().all(fits) || !components.as_ref().is_none_or(scored) {
            let problem = "the values of the samples are of different lengths";
            return Err(Error::data(Place::default(), problem, "analyse the data again"));
        }
        Ok(SampleValues { target, features, components, working_set })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_back_to_the_same_bits_and_damaged_ones_are_refused() {
        let feature = |values: &[f64]| vec![FeatureValues { index: 4, values: values.to_vec() }];
        let classes = Target::of_codes(vec!["a".into(), "b".into()], vec![0, 1, 1], 1).expect("classes");
        let targets = [
            classes,
            Target::Real { values: vec![0.1, -2.0, 1e-300] },
            Target::Survival { times: vec![1.0, 2.5, 3.0], events: vec![true, false, true] },
        ];
        for target in targets {
            let scores = ComponentScores::new(1, 0.9, vec![0.5, -0.5, 1.0 / 3.0]);
            let components = Some((target.clone(), vec![scores]));
            let features = feature(&[1.0 / 3.0, -0.0, 7.0]);
            let values = SampleValues { target, features, components, working_set: None };
            let bytes = values.to_bytes();
            assert_eq!(SampleValues::of_bytes(&bytes).expect("values"), values);
            assert!(SampleValues::of_bytes(&bytes[1..]).is_err());
            let shorter = SampleValues { features: feature(&[1.0]), ..values };
            assert!(SampleValues::of_bytes(&shorter.to_bytes()).is_err());
        }
        let target = Target::Real { values: vec![1.0, 2.0] };
        let features = feature(&[f64::NAN, 1.0]);
        let missing = SampleValues { target, features, components: None, working_set: None };
        assert!(SampleValues::of_bytes(&missing.to_bytes()).expect("values").features[0].values[0].is_nan());
    }
}
