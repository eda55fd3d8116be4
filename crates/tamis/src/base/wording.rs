//! Sentences that refer to options and commands independently of any front end.
//!
//! The library says *which* option would help ([`OptionName`]); the program calls it `--task real`, Python
//! `task='real'`, Rust `ReadOptions::task`. A [`Text`] keeps the reference as data and a [`Voice`] puts it into words.

use super::visible;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// An option that a message refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OptionName {
    /// The column to explain.
    Target,
    /// The column that says whether the event of a survival time happened.
    Event,
    /// Whether the target is classes or numeric.
    Task,
    /// The class that counts as positive.
    Positive,
    /// The class that others are compared with.
    Reference,
    /// Two classes of several that are compared.
    Contrast,
    /// The column of row weights.
    Weight,
    /// What row weights mean.
    WeightKind,
    /// The column of groups.
    Group,
    /// A column that features are adjusted for.
    Covariate,
    /// The formula of a linear model.
    Formula,
    /// What is tested of it.
    Test,
    /// The column of blocks.
    Block,
    /// The least difference that matters.
    MinDifference,
    /// A column that identifies rows.
    Id,
    /// A column to leave out.
    Drop,
    /// A feature that is selected in any case.
    Keep,
    /// A further text that means *missing*.
    Missing,
    /// The refusal of missing values.
    RefuseMissing,
    /// The file's format.
    Format,
    /// The field separator.
    Delimiter,
    /// The mark before decimals.
    Decimal,
    /// Features in rows.
    Transpose,
    /// The file of samples.
    Samples,
    /// Its column of sample names.
    SampleId,
    /// The sheet of a spreadsheet.
    Sheet,
    /// Bytes that reading may hold.
    Memory,
    /// Bytes that a compressed file may expand to.
    MaxExpanded,
    /// The column of scores.
    Column,
    /// Degrees of freedom of given t statistics.
    Df,
    /// The column of p-values.
    PValue,
    /// The column whose signs p-values have.
    Sign,
    /// The method.
    Method,
    /// The classifier behind a selector.
    Classifier,
    /// The parameter that cross-validation chooses.
    Tune,
    /// How counts are made comparable between rows.
    Normalize,
    /// The count that a feature must reach in enough rows.
    MinCount,
    /// Features that count together.
    FeatureGroups,
    /// No second look after the selection.
    NoSecondLook,
    /// No question of which features are needed after the selection.
    NoNeeded,
    /// A method's own parameter; front ends agree on its name.
    Parameter(Cow<'static, str>),
}

/// Something a user can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Command {
    /// Select features of a table.
    Select,
    /// Shrink scores that exist already.
    Shrink,
    /// Train a classifier.
    Fit,
    /// Compare methods.
    Evaluate,
    /// Summarise one shard.
    Partial,
    /// Summarise the target of shards.
    Profile,
    /// Test a matrix of selections.
    NpfsDecide,
    /// Save a result.
    Save,
}

/// A piece of a [`Text`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Plain words.
    Words(Cow<'static, str>),
    /// An option, with the value it should have if one is meant.
    Option(OptionName, Option<String>),
    /// A command.
    Command(Command),
}

/// A sentence in parts; no two pieces of plain words follow each other. Files hold one of plain words as text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "SavedText", into = "SavedText")]
pub struct Text(Vec<Part>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SavedText {
    Words(String),
    Parts(Vec<Part>),
}

/// The names that a front end has for options and commands.
pub trait Voice: Sync {
    /// An option as users of this front end write it, with a value if one is given; no quotation marks around it.
    fn option(&self, name: &OptionName, value: Option<&str>) -> String;

    /// A command as users of this front end run it; no quotation marks around it.
    fn command(&self, command: Command) -> String;
}

/// The names in this library.
#[derive(Debug, Clone, Copy, Default)]
pub struct RustVoice;

impl OptionName {
    /// The option with this value.
    pub fn set(self, value: impl ToString) -> Part {
        Part::Option(self, Some(value.to_string()))
    }

    /// The part of its name that all front ends share: `target`, `max_expanded`.
    pub fn stem(&self) -> &str {
        match self {
            OptionName::Target => "target",
            OptionName::Event => "event",
            OptionName::Task => "task",
            OptionName::Positive => "positive",
            OptionName::Reference => "reference",
            OptionName::Contrast => "contrast",
            OptionName::Weight => "weight",
            OptionName::WeightKind => "weight_kind",
            OptionName::Group => "group",
            OptionName::Covariate => "covariate",
            OptionName::Formula => "formula",
            OptionName::Test => "test",
            OptionName::Block => "block",
            OptionName::MinDifference => "min_difference",
            OptionName::Id => "id",
            OptionName::Drop => "drop",
            OptionName::Keep => "keep",
            OptionName::Missing => "missing",
            OptionName::RefuseMissing => "no_missing",
            OptionName::Format => "format",
            OptionName::Delimiter => "delimiter",
            OptionName::Decimal => "decimal",
            OptionName::Transpose => "transpose",
            OptionName::Samples => "samples",
            OptionName::SampleId => "sample_id",
            OptionName::Sheet => "sheet",
            OptionName::Memory => "memory",
            OptionName::MaxExpanded => "max_expanded",
            OptionName::Column => "column",
            OptionName::Df => "df",
            OptionName::PValue => "pvalue",
            OptionName::Sign => "sign",
            OptionName::Method => "method",
            OptionName::Classifier => "classifier",
            OptionName::Tune => "tune",
            OptionName::Normalize => "normalize",
            OptionName::MinCount => "min_count",
            OptionName::FeatureGroups => "feature_groups",
            OptionName::NoSecondLook => "no_second_look",
            OptionName::NoNeeded => "no_needed",
            OptionName::Parameter(name) => name,
        }
    }
}

impl Text {
    /// The sentence in the names of a front end.
    pub fn say(&self, voice: &dyn Voice) -> String {
        let mut said = String::new();
        for part in &self.0 {
            match part {
                Part::Words(words) => said.push_str(words),
                Part::Option(name, value) => {
                    said.push('`');
                    said.push_str(&voice.option(name, value.as_deref()));
                    said.push('`');
                }
                Part::Command(command) => {
                    said.push('`');
                    said.push_str(&voice.command(*command));
                    said.push('`');
                }
            }
        }
        said
    }

    /// The sentence as plain words, in the names of a front end; hidden characters of names and values are escaped.
    pub fn said(&self, voice: &dyn Voice) -> Text {
        visible(&self.say(voice)).into_owned().into()
    }

    /// One text after the other.
    pub fn joined(texts: impl IntoIterator<Item = Text>) -> Text {
        let mut parts: Vec<Part> = vec![];
        for part in texts.into_iter().flat_map(|text| text.0) {
            match (parts.last_mut(), part) {
                (Some(Part::Words(before)), Part::Words(words)) => before.to_mut().push_str(&words),
                (_, part) => parts.push(part),
            }
        }
        Text(parts)
    }

    /// The sentence with every mention of an option replaced by what `rename` makes of it.
    pub fn renamed(self, rename: impl Fn(OptionName) -> OptionName) -> Text {
        let part = |part| match part {
            Part::Option(name, value) => Part::Option(rename(name), value),
            other => other,
        };
        Text(self.0.into_iter().map(part).collect())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(&RustVoice))
    }
}

impl Voice for RustVoice {
    fn option(&self, name: &OptionName, value: Option<&str>) -> String {
        let place = match name {
            OptionName::Id => "ReadOptions::ids".into(),
            OptionName::RefuseMissing => "ReadOptions::refuse_missing".into(),
            OptionName::MaxExpanded => "ReadOptions::expansion".into(),
            OptionName::Memory => "Stream::memory".into(),
            OptionName::SampleId => "SampleFile::id".into(),
            OptionName::Classifier => "Pipeline::classifier".into(),
            OptionName::Tune => "Pipeline::tune".into(),
            OptionName::Positive | OptionName::Reference | OptionName::Contrast => {
                format!("RequestedComparison::{}", name.stem())
            }
            OptionName::Normalize | OptionName::MinCount => format!("CountSettings::{}", name.stem()),
            OptionName::FeatureGroups => "Preparation::feature_groups".into(),
            OptionName::NoSecondLook => "Analysis::second_look".into(),
            OptionName::NoNeeded => "Analysis::needed".into(),
            OptionName::Column
            | OptionName::Df
            | OptionName::PValue
            | OptionName::Sign
            | OptionName::Method
            | OptionName::Parameter(_) => name.stem().into(),
            other => format!("ReadOptions::{}", other.stem()),
        };
        value.map_or_else(|| place.clone(), |value| format!("{place} = {value}"))
    }

    fn command(&self, command: Command) -> String {
        match command {
            Command::Select => "Selector::select",
            Command::Shrink => "sparse_means::shrink",
            Command::Fit => "Method::fit",
            Command::Evaluate => "evaluate::cross_validate",
            Command::Partial => "merge::State",
            Command::Profile => "merge::Profile",
            Command::NpfsDecide => "npfs::decide_matrix",
            Command::Save => "result",
        }
        .into()
    }
}

impl From<OptionName> for Part {
    fn from(name: OptionName) -> Part {
        Part::Option(name, None)
    }
}

impl From<Command> for Part {
    fn from(command: Command) -> Part {
        Part::Command(command)
    }
}

impl From<&str> for Part {
    fn from(words: &str) -> Part {
        Part::Words(words.to_owned().into())
    }
}

impl From<String> for Part {
    fn from(words: String) -> Part {
        Part::Words(words.into())
    }
}

impl<P: Into<Part>> From<P> for Text {
    fn from(part: P) -> Text {
        Text(vec![part.into()])
    }
}

impl From<SavedText> for Text {
    fn from(saved: SavedText) -> Text {
        match saved {
            SavedText::Words(words) => words.into(),
            SavedText::Parts(parts) => Text(parts),
        }
    }
}

impl From<Text> for SavedText {
    fn from(text: Text) -> SavedText {
        match text.0.iter().all(|part| matches!(part, Part::Words(_))) {
            true => SavedText::Words(text.to_string()),
            false => SavedText::Parts(text.0),
        }
    }
}

impl From<&'static str> for OptionName {
    fn from(name: &'static str) -> OptionName {
        OptionName::Parameter(name.into())
    }
}

impl From<String> for OptionName {
    fn from(name: String) -> OptionName {
        OptionName::Parameter(name.into())
    }
}

/// A [`Text`] from words, options, commands and other texts one after the other.
macro_rules! text {
    ($($part:expr),+ $(,)?) => {
        $crate::base::wording::Text::joined([$($crate::base::wording::Text::from($part)),+])
    };
}
pub(crate) use text;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_options_as_its_front_end_does() {
        struct Shell;
        impl Voice for Shell {
            fn option(&self, name: &OptionName, value: Option<&str>) -> String {
                value.map_or(format!("--{}", name.stem()), |value| format!("--{} {value}", name.stem()))
            }
            fn command(&self, _: Command) -> String {
                "tamis fit".into()
            }
        }
        let text = text!["pass ", OptionName::Task.set("real"), ", or run ", Command::Fit];
        assert_eq!(text.say(&Shell), "pass `--task real`, or run `tamis fit`");
        assert_eq!(text.to_string(), "pass `ReadOptions::task = real`, or run `Method::fit`");
        let renamed = text.renamed(|_| "base".into());
        assert_eq!(renamed.say(&Shell), "pass `--base real`, or run `tamis fit`");
    }
}
