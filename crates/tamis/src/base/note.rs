//! Warnings as data: every front end puts them into its own words, and the library prints nothing.

use super::counted;
use super::visible;
use super::wording::{RustVoice, Text, Voice, text};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something the user should know about a result.
///
/// ```
/// use tamis::prelude::*;
///
/// let labels = ["a", "b", "a", "b"].map(Some);
/// let table = Table::new(vec!["x".into(), "c".into()], vec![vec![1.0, 5.0, 2.0, 7.0], vec![3.0; 4]], "y", Target::classes(&labels))?;
/// let selection = TTest::default().select(&table.view(), &mut Context::default())?;
/// assert_eq!(selection.notes[0].features, ["c"]);
/// println!("{}", selection.notes[0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SavedNote")]
pub struct Note {
    /// The kind of note.
    pub kind: NoteKind,
    /// How much it matters.
    pub weight: Weight,
    /// One sentence.
    #[serde(rename = "message")]
    pub text: Text,
    /// The features it is about, by name.
    pub features: Vec<String>,
}

/// A note as files hold it: those of earlier versions have no weight.
#[derive(Deserialize)]
struct SavedNote {
    kind: NoteKind,
    weight: Option<Weight>,
    message: Text,
    #[serde(default)]
    features: Vec<String>,
}

/// How much a note matters, most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Weight {
    /// To act on it would change the answer.
    ChangesAnswer,
    /// It is worth reading.
    Read,
    /// It says how the data were read and prepared.
    HowRead,
}

/// Kinds of notes.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 20, relevant: 2, ..TwoGroups::default() }.draw(1)?.table;
/// let selection = TTest::default().select(&table.view(), &mut Context::default())?;
/// assert!(selection.notes.iter().all(|note| note.kind != NoteKind::ConstantFeature));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// Columns that are read as features describe samples, by their names.
    SampleColumns,
    /// Columns count and are named together.
    FeatureGroups,
    /// The feature has one value only; it is set aside.
    ConstantFeature,
    /// Too few values are left in some class to score the feature; it is set aside.
    TooFewValues,
    /// The feature separates the classes with no variance at all.
    PerfectSeparation,
    /// Values are missing; each feature uses its own rows.
    MissingValues,
    /// Rows without a target were set aside.
    MissingTarget,
    /// Rows whose group, block or covariates are not known were set aside.
    MissingCovariate,
    /// What given scores look like.
    GivenScores,
    /// Samples that only one of two files has.
    SampleNames,
    /// Covariates that features are adjusted for.
    Adjusted,
    /// A covariate that says nothing beyond the others is left out.
    DependentCovariate,
    /// A main effect is tested beside its interactions.
    Interactions,
    /// How blocks were used.
    Blocks,
    /// Samples that disagree with the others.
    SampleWeights,
    /// Columns of categories that cannot be adjusted.
    CategoriesSetAside,
    /// Factors of correlated features that were adjusted for.
    Factors,
    /// Classes of different size have different variances.
    UnequalVariances,
    /// A class has fewer than five samples.
    SmallClass,
    /// Scores were missing and are set aside.
    MissingScores,
    /// The iteration stopped before reaching its tolerance.
    NotConverged,
    /// The number of features that the other null distribution would select.
    OtherNull,
    /// The scores were rescaled by their own centre.
    EmpiricalNull,
    /// Features were taken as independent of each other.
    Independence,
    /// Random directions took the place of permuted targets.
    Rotations,
    /// How null targets were drawn.
    NullTargets,
    /// There is no evidence that anything matters.
    NoEvidence,
    /// A kernel that predicts no better than the shares of the classes.
    KernelLeftOut,
    /// A column was taken as row names.
    RowNames,
    /// Selected features are near-copies of each other.
    NearCopies,
    /// Selected features were not compared with each other.
    NotCompared,
    /// Numbers were put into bins before they were ranked.
    BinnedRanks,
    /// Only a sample of the rows was used.
    RowSample,
    /// Shards of columns were put side by side.
    ColumnShards,
    /// Two shards that hold the same.
    SameShard,
    /// A column only counts the rows.
    RowNumbers,
    /// Columns of the file that are not used.
    ColumnsNotUsed,
    /// Features selected because the user asked for them.
    Kept,
    /// Features differ much in their numbers of levels.
    MixedLevels,
    /// Too few features for the default number to choose.
    FewFeatures,
    /// A test that cannot reject whatever the data are.
    CannotReject,
    /// A null that is known to be too narrow.
    BinomialNull,
    /// Levels of a category that were taken as one.
    JoinedLevels,
    /// Permutations that are too few for a small p-value.
    FewPermutations,
    /// Bootstraps that were not needed.
    EarlyStop,
    /// Samples on which the base could not be run.
    FailedSamples,
    /// A null under which features are chosen as often as can be.
    SaturatedNull,
    /// A test that found nothing.
    NothingSelected,
    /// Features that were not looked at because there are too many.
    PreFiltered,
    /// Classes differ in the form of many features, not in their level.
    ShapesDominate,
    /// More pairs than are listed.
    ManyPairs,
    /// A factorisation that needed a larger diagonal.
    Jitter,
    /// How the target was understood.
    TargetRule,
    /// The features look like counts and were not normalised.
    LooksLikeCounts,
    /// Counts were normalised.
    CountsNormalised,
    /// Features were left out because they have too few counts.
    TooFewCounts,
    /// Chains of a sampler disagree.
    ChainsDisagree,
    /// The target follows a factor that many features share.
    FollowsFactor,
    /// Which features are needed was not computed, because it takes long.
    NeededNotAsked,
}

impl NoteKind {
    /// How much notes of this kind matter, where they do not say otherwise.
    pub fn weight(self) -> Weight {
        use NoteKind as Kind;
        match self {
            Kind::SampleColumns
            | Kind::LooksLikeCounts
            | Kind::RowNumbers
            | Kind::PerfectSeparation
            | Kind::NotConverged
            | Kind::Independence
            | Kind::CannotReject
            | Kind::FewPermutations
            | Kind::SaturatedNull
            | Kind::ShapesDominate
            | Kind::FollowsFactor
            | Kind::SameShard => Weight::ChangesAnswer,
            Kind::RowNames
            | Kind::TargetRule
            | Kind::ColumnsNotUsed
            | Kind::FeatureGroups
            | Kind::ConstantFeature
            | Kind::MissingValues
            | Kind::Adjusted
            | Kind::CountsNormalised
            | Kind::TooFewCounts
            | Kind::BinnedRanks
            | Kind::ColumnShards
            | Kind::EmpiricalNull
            | Kind::Rotations
            | Kind::Kept
            | Kind::Blocks
            | Kind::EarlyStop => Weight::HowRead,
            _ => Weight::Read,
        }
    }
}

impl Note {
    /// A note about no feature in particular.
    pub fn new(kind: NoteKind, text: impl Into<Text>) -> Self {
        Note { kind, weight: kind.weight(), text: text.into(), features: Vec::new() }
    }

    /// A note about these features; the sentence names the first few.
    pub fn about(kind: NoteKind, text: impl Into<Text>, features: Vec<String>) -> Self {
        const SHOWN: usize = 5;
        let named: Vec<String> = features.iter().take(SHOWN).map(|f| format!("`{f}`")).collect();
        let mut names = format!(": {}", named.join(", "));
        if features.len() > SHOWN {
            names.push_str(&format!(" and {} more", features.len() - SHOWN));
        }
        Note { features, ..Note::new(kind, Text::joined([text.into(), names.into()])) }
    }

    /// A note about these features, with `{}` of the message replaced by their number ("1 feature"); none about none.
    pub(crate) fn counting(kind: NoteKind, message: &str, features: Vec<String>) -> Option<Self> {
        let text = message.replace("{}", &counted(features.len(), "feature"));
        (!features.is_empty()).then(|| Note::about(kind, text, features))
    }

    /// Features of one value, which are set aside.
    pub(crate) fn constant(features: Vec<String>) -> Option<Self> {
        Note::counting(NoteKind::ConstantFeature, "{} with a single value set aside", features)
    }

    /// The note with another weight than that of its kind.
    pub fn weighing(self, weight: Weight) -> Self {
        Note { weight, ..self }
    }

    /// The note with these words before its own: the file it is about.
    pub fn preceded_by(self, words: String) -> Self {
        Note { text: text![words, self.text], ..self }
    }

    /// The sentence in the names of a front end, as one line; hidden characters of names and values are escaped.
    pub fn say(&self, voice: &dyn Voice) -> String {
        visible(&self.text.say(voice)).into_owned()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(&RustVoice))
    }
}

impl From<SavedNote> for Note {
    fn from(saved: SavedNote) -> Note {
        let SavedNote { kind, weight, message, features } = saved;
        Note { kind, weight: weight.unwrap_or_else(|| kind.weight()), text: message, features }
    }
}

/// The notes that are shown as such; how the target is treated stands beside the data ([`target_rule`]).
pub fn remarks(notes: &[Note]) -> impl Iterator<Item = &Note> {
    notes.iter().filter(|note| note.kind != NoteKind::TargetRule)
}

/// How the target is treated.
pub fn target_rule(notes: &[Note]) -> Option<&Note> {
    notes.iter().find(|note| note.kind == NoteKind::TargetRule)
}

/// Notes as every front end shows and saves them: in its own words, and those that would change the answer first.
pub fn said(notes: Vec<Note>, voice: &dyn Voice) -> Vec<Note> {
    let mut said: Vec<Note> = notes.into_iter().map(|note| Note { text: note.text.said(voice), ..note }).collect();
    said.sort_by_key(|note| note.weight);
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::OptionName;

    #[test]
    fn notes_are_said_in_order_and_read_back_as_words() {
        let option = || text!["pass ", OptionName::Block.set("donor")];
        let notes = vec![
            Note::new(NoteKind::RowNames, "names"),
            Note::about(NoteKind::Kept, "kept", vec!["a\u{1b}".into()]).weighing(Weight::Read),
            Note::new(NoteKind::SampleColumns, option()),
        ];
        let said = said(notes.clone(), &RustVoice);
        let words: Vec<String> = said.iter().map(Note::to_string).collect();
        assert_eq!(words, ["pass `ReadOptions::block = donor`", "kept: `a\\u{1b}`", "names"]);
        let saved = serde_json::to_value(&said).expect("JSON");
        assert_eq!(saved[0]["message"], "pass `ReadOptions::block = donor`");
        assert_eq!((&saved[0]["weight"], &saved[1]["weight"]), (&"changes_answer".into(), &"read".into()));
        assert_eq!(serde_json::from_value::<Vec<Note>>(saved).expect("notes"), said);
    }

    #[test]
    fn a_note_that_nobody_has_said_yet_keeps_its_options() {
        let note = Note::new(NoteKind::SampleColumns, text!["pass ", OptionName::Parameter("x".into()).set(1), "; or"]);
        let saved = serde_json::to_string(&note).expect("JSON");
        assert_eq!(serde_json::from_str::<Note>(&saved).expect("a note"), note);
    }

    #[test]
    fn notes_of_earlier_versions_get_the_weight_of_their_kind() {
        let read = |kind: &str| {
            let text = format!(r#"{{"kind":"{kind}","message":"words"}}"#);
            serde_json::from_str::<Note>(&text).expect("a note")
        };
        assert_eq!(read("looks_like_counts").weight, Weight::ChangesAnswer);
        assert_eq!(read("near_copies").weight, Weight::Read);
        assert_eq!((read("row_names").weight, read("row_names").to_string()), (Weight::HowRead, "words".into()));
    }
}
