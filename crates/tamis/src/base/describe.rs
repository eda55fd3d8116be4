//! Descriptions of methods: a page for people, parameters as data, and a record for results.

use super::parameter::{self, Parameter};
use super::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A method's page for people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MethodInfo {
    /// The name users type.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The criterion that determines the number of features; empty for classifiers that do not select.
    pub number_by: &'static str,
    /// The cost in time.
    pub cost: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters, in the order they are explained.
    pub parameters: Vec<Parameter>,
}

/// A method that describes itself. Its fields, by serde, are its parameters.
///
/// ```
/// use tamis::prelude::*;
///
/// assert_eq!(Fisher::info().name, "fisher");
/// assert!(Pairs { bins: 99, ..Pairs::default() }.validate().is_err());
/// ```
pub trait Describe: Clone + Default + PartialEq + Serialize + DeserializeOwned {
    /// The description of the method.
    fn info() -> MethodInfo;

    /// Refuses parameters that are out of range.
    fn validate(&self) -> Result<()> {
        Ok(())
    }

    /// The other parameter whose present value leaves `key` without effect, if one does.
    fn overruled(&self, _key: &str) -> Option<&'static str> {
        None
    }

    /// Its name and parameters, for a result.
    fn record(&self) -> MethodRecord {
        MethodRecord { name: Self::info().name.into(), parameters: parameter::fields(self) }
    }

    /// Refuses given parameters that have no effect with the other settings.
    fn check_effect(&self, given: &[&str]) -> Result<()> {
        check_effect(self, given)
    }
}

/// Refuses given parameters that another one overrules.
pub(crate) fn check_effect<M: Describe>(method: &M, given: &[&str]) -> Result<()> {
    let Some((key, other)) = given.iter().find_map(|key| method.overruled(key).map(|other| (key, other))) else {
        return Ok(());
    };
    let fields = parameter::fields(method);
    let value = parameter::plain(fields.get(other).expect("what overrules a parameter is a parameter"));
    Err(Error::NoEffect { name: (*key).to_string().into(), beside: format!("{other}={value}") })
}

/// The method behind a result: its name, and the values of its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodRecord {
    /// The method's name.
    pub name: String,
    /// Its parameters.
    #[serde(flatten)]
    pub parameters: Map<String, Value>,
}
