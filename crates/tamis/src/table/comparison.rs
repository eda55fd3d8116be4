//! Which classes are compared: the positive one with its reference, or one of several with another.

use crate::base::{Error, OptionName, Result};
use serde::{Deserialize, Serialize};

/// Names of classes that others are usually compared with, in small letters.
const USUAL_REFERENCES: [&str; 14] = [
    "control",
    "ctl",
    "ctrl",
    "normal",
    "healthy",
    "wt",
    "untreated",
    "placebo",
    "vehicle",
    "mock",
    "sham",
    "baseline",
    "before",
    "0",
];

/// The classes that a user wants to have compared, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestedComparison {
    /// The class of two that counts as positive.
    pub positive: Option<String>,
    /// The class that others are compared with.
    pub reference: Option<String>,
    /// Two of several classes: the second is compared with the first, with variances from all.
    pub contrast: Option<[String; 2]>,
}

/// Which of several classes are compared, by their numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ComparedClasses {
    /// The class that the one that stands out is compared with; all others if `None`.
    pub reference: Option<u32>,
    /// The second of these is compared with the first.
    pub contrast: Option<[u32; 2]>,
}

impl RequestedComparison {
    /// Whether nothing is requested.
    pub fn is_default(&self) -> bool {
        *self == RequestedComparison::default()
    }

    /// The positive class of these, and how they are compared where there are several. `None` stands for a target without
    /// classes, of which nothing can be requested.
    ///
    /// # Errors
    ///
    /// A name that is no class, one class in two roles, and a role that this number of classes does not have.
    pub(crate) fn resolve(&self, classes: Option<&[String]>) -> Result<(usize, ComparedClasses)> {
        let Some(labels) = classes else {
            return self.refuse_without_classes().map(|()| (0, ComparedClasses::default()));
        };
        self.refuse_contradiction()?;
        let find = |label: &String| position(label, labels);
        let reference = self.reference.as_ref().map(find).transpose()?;
        let contrast = match &self.contrast {
            None => None,
            Some([from, to]) => Some([find(from)?, find(to)?]),
        };
        if labels.len() == 2 {
            let positive = self.positive.as_ref().map(find).transpose()?;
            let reference = reference.or(contrast.map(|[from, _]| from));
            let other = reference.map(|reference| 1 - reference);
            let named = positive.or(other).unwrap_or_else(|| usual_positive(labels));
            return Ok((named, ComparedClasses::default()));
        }
        if let Some(label) = &self.positive {
            let expected = format!("only a target of two classes has a positive one; this has {}", labels.len());
            return Err(Error::parameter(OptionName::Positive, label, expected));
        }
        let numbers = |pair: [usize; 2]| pair.map(|class| class as u32);
        let comparison = ComparedClasses { reference: reference.map(|r| r as u32), contrast: contrast.map(numbers) };
        Ok((usual_positive(labels), comparison))
    }

    /// Refuses to compare classes where there are none.
    fn refuse_without_classes(&self) -> Result<()> {
        let expected = "the target is numeric and has no classes";
        match (&self.positive, &self.reference, &self.contrast) {
            (Some(label), _, _) => Err(Error::parameter(OptionName::Positive, label, expected)),
            (_, Some(label), _) => Err(Error::parameter(OptionName::Reference, label, expected)),
            (_, _, Some(pair)) => Err(Error::parameter(OptionName::Contrast, pair.join(","), expected)),
            (None, None, None) => Ok(()),
        }
    }

    /// Refuses requests that exclude each other.
    fn refuse_contradiction(&self) -> Result<()> {
        if let (Some(positive), Some(reference)) = (&self.positive, &self.reference)
            && positive == reference
        {
            let expected = "it is the positive class; another must be the reference";
            return Err(Error::parameter(OptionName::Reference, reference, expected));
        }
        if let Some([from, to]) = &self.contrast {
            let given = format!("{from},{to}");
            if from == to {
                let expected = "two different classes: the second is compared with the first";
                return Err(Error::parameter(OptionName::Contrast, given, expected));
            }
            if self.positive.is_some() || self.reference.is_some() {
                let expected = "it names the reference and the class that is compared with it; leave out other names";
                return Err(Error::parameter(OptionName::Contrast, given, expected));
            }
        }
        Ok(())
    }
}

/// The number of a class.
fn position(label: &str, labels: &[String]) -> Result<usize> {
    let unknown = || Error::Unknown { kind: "class", name: label.into(), known: labels.to_vec() };
    labels.iter().position(|l| l == label).ok_or_else(unknown)
}

/// The positive class where nobody names one: of two, the other than a class that is usually a reference; else the last.
pub(crate) fn usual_positive(labels: &[String]) -> usize {
    let is_usual = |label: &String| USUAL_REFERENCES.contains(&label.to_lowercase().as_str());
    match labels {
        [first, second] if is_usual(second) && !is_usual(first) => 0,
        _ => labels.len().saturating_sub(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_usual_reference_is_recognised_by_its_name() {
        for (names, positive) in [
            (["case", "Control"], 0),
            (["KO", "wt"], 0),
            (["after", "before"], 0),
            (["act", "ctrl"], 0),
            (["-1", "0"], 0),
            (["0", "1"], 1),
            (["a", "b"], 1),
            (["control", "tumor"], 1),
            (["control", "untreated"], 1),
        ] {
            assert_eq!(usual_positive(&labels(&names)), positive, "{names:?}");
        }
        assert_eq!(usual_positive(&labels(&["a", "b", "control"])), 2);
    }

    #[test]
    fn requests_name_classes_and_exclude_each_other() {
        let two = labels(&["a", "b"]);
        let three = labels(&["a", "b", "c"]);
        let some = |name: &str| Some(name.to_string());
        let ask = |positive, reference, contrast: Option<[&str; 2]>| RequestedComparison {
            positive,
            reference,
            contrast: contrast.map(|pair| pair.map(String::from)),
        };
        assert_eq!(ask(None, some("b"), None).resolve(Some(&two)).expect("classes").0, 0);
        assert_eq!(ask(some("a"), some("b"), None).resolve(Some(&two)).expect("classes").0, 0);
        assert_eq!(ask(None, None, Some(["b", "a"])).resolve(Some(&two)).expect("classes").0, 0);
        let compared = ask(None, None, Some(["c", "a"])).resolve(Some(&three)).expect("classes").1;
        assert_eq!(compared.contrast, Some([2, 0]));
        let refused = [
            (ask(some("a"), some("a"), None), Some(&two)),
            (ask(None, some("z"), None), Some(&two)),
            (ask(some("a"), None, None), Some(&three)),
            (ask(None, None, Some(["a", "a"])), Some(&three)),
            (ask(None, some("a"), Some(["a", "b"])), Some(&three)),
            (ask(None, some("a"), None), None),
            (ask(None, None, Some(["a", "b"])), None),
        ];
        for (request, classes) in refused {
            assert!(request.resolve(classes.map(Vec::as_slice)).is_err(), "{request:?}");
        }
    }
}
