//! Parameters by name: described once, set from text the same way everywhere.

use super::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A parameter, for people; its default is that of the struct it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The key.
    pub name: &'static str,
    /// The values allowed.
    pub range: &'static str,
    /// The purpose.
    pub purpose: &'static str,
}

/// A method's struct, each parameter of which is told once: its field, its default, the values allowed and its purpose
/// make the documented field, the table on the struct's page, `Default`, and what front ends show (`described`). A field
/// behind `..` holds the parameters of another struct, which come first; behind `+` they come last.
macro_rules! parameters {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $( ..$head:ident: $head_type:ty = $head_default:expr; )?
            $(
                $(#[doc = $more:literal])*
                $field:ident: $type:ty = $default:expr, $range:expr, $purpose:expr;
            )*
            $( + $tail:ident: $tail_type:ty = $tail_default:expr; )?
        }
    ) => {
        $(#[$about])*
        ///
        /// | parameter | default | values | purpose |
        /// | --- | --- | --- | --- |
        $(#[doc = concat!("| `", stringify!($head), "` | `", stringify!($head_default), "` | | those of [`", stringify!($head_type), "`] |")])?
        $(#[doc = concat!("| `", stringify!($field), "` | `", stringify!($default), "` | ", $range, " | ", $purpose, " |")])*
        $(#[doc = concat!("| `", stringify!($tail), "` | `", stringify!($tail_default), "` | | those of [`", stringify!($tail_type), "`] |")])?
        pub struct $name {
            $(
                #[doc = concat!("The parameters of [`", stringify!($head_type), "`].")]
                #[serde(flatten)]
                pub $head: $head_type,
            )?
            $(
                #[doc = concat!($purpose, " (", $range, ").")]
                $(#[doc = $more])*
                pub $field: $type,
            )*
            $(
                #[doc = concat!("The parameters of [`", stringify!($tail_type), "`].")]
                #[serde(flatten)]
                pub $tail: $tail_type,
            )?
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($head: $head_default,)? $($field: $default,)* $($tail: $tail_default,)? }
            }
        }

        impl $name {
            /// Its parameters, for people.
            pub(crate) fn described() -> Vec<$crate::base::Parameter> {
                let own = [$($crate::base::Parameter { name: stringify!($field), range: $range, purpose: $purpose }),*];
                let mut all = vec![];
                $( all.extend(<$head_type>::described()); )?
                all.extend(own);
                $( all.extend(<$tail_type>::described()); )?
                all
            }
        }
    };
}
pub(crate) use parameters;

/// A parameter that takes a number or one of a few words.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum NumberOrText<N> {
    Number(N),
    Text(String),
}

/// The value of this name among all; `kind` is what a message calls such a value.
pub(crate) fn named<T: Copy>(all: &[(&'static str, T)], kind: &'static str, name: &str) -> Result<T> {
    let found = all.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
    let known = || all.iter().map(|(own, _)| (*own).to_string()).collect();
    found.ok_or_else(|| Error::Unknown { kind, name: name.into(), known: known() })
}

/// The name of a value among all.
pub(crate) fn name_of<T: PartialEq>(all: &[(&'static str, T)], value: &T) -> &'static str {
    all.iter().find(|(_, own)| own == value).map_or("", |(name, _)| name)
}

/// The fields of a value that is a struct, or a variant holding one.
pub(crate) fn fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(), // methods and simulations are structs: always an object
    }
}

/// A value as it is typed behind `key=`.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `value` with some of its parameters set from text. A key that is not among `known` gets a did-you-mean, a text that
/// does not fit gets the parameter's range.
pub(crate) fn set<T: Serialize + DeserializeOwned>(
    value: T,
    known: &[Parameter],
    settings: &[(&str, &str)],
) -> Result<T> {
    // ".5" is no JSON, but a number to everybody
    let number = |text: &str| text.parse().ok().and_then(serde_json::Number::from_f64).map(Value::Number);
    let parse = |text: &str| {
        serde_json::from_str(text).ok().or_else(|| number(text)).unwrap_or_else(|| Value::String(text.into()))
    };
    set_values(value, known, settings.iter().map(|(key, text)| (*key, parse(text))))
}

/// `value` with some of its parameters set from values that have types.
pub(crate) fn set_values<'a, T: Serialize + DeserializeOwned>(
    value: T,
    known: &[Parameter],
    mut settings: impl Iterator<Item = (&'a str, Value)>,
) -> Result<T> {
    settings.try_fold(value, |value, (key, given)| {
        let Some(parameter) = known.iter().find(|p| p.name == key) else {
            return Err(Error::Unknown {
                kind: "parameter",
                name: key.into(),
                known: known.iter().map(|p| p.name.to_string()).collect(),
            });
        };
        let mut all = fields(&value);
        let text = given.as_str().map_or_else(|| given.to_string(), Into::into);
        all.insert(key.into(), given);
        serde_json::from_value(Value::Object(all))
            .map_err(|_| Error::parameter(parameter.name, format!("`{text}`"), format!("it takes {}", parameter.range)))
    })
}

/// A parameter that has a good value for every table unless the user says otherwise.
///
/// ```
/// use tamis::prelude::*;
///
/// assert_eq!(TTest::default().k, Auto::Auto);
/// assert_eq!(Auto::Set(5).or(10), 5);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Auto<T> {
    /// Chosen by the method; `auto` in text.
    #[default]
    Auto,
    /// As the user says.
    Set(T),
}

impl<T: Copy> Auto<T> {
    /// The value set, or this one.
    pub fn or(self, automatic: T) -> T {
        match self {
            Auto::Auto => automatic,
            Auto::Set(value) => value,
        }
    }
}

impl<T: Serialize> Serialize for Auto<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Auto::Auto => serializer.serialize_str("auto"),
            Auto::Set(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Auto<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Word {
            Auto,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either<T> {
            Word(Word),
            Value(T),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Word(Word::Auto) => Auto::Auto,
            Either::Value(value) => Auto::Set(value),
        })
    }
}

/// NaN as null, for files.
pub(crate) mod nan_is_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        (!x.is_nan()).then_some(x).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
    }
}
