//! Warnings as data: every front end shows them, nothing is printed from the library.

use super::visible;
use serde::{Deserialize, Serialize};

/// Something the user should know about a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The kind of note.
    pub kind: NoteKind,
    /// One sentence for people.
    pub message: String,
    /// The features it is about, by name.
    #[serde(default)]
    pub features: Vec<String>,
}

/// Kinds of notes.
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
    /// Rows whose block or covariates are not known were set aside.
    MissingCovariate,
    /// What given scores look like.
    GivenScores,
    /// Samples that only one of two files has.
    SampleNames,
    /// Covariates that features are adjusted for.
    Adjusted,
    /// A covariate that says nothing beyond the others is left out.
    DependentCovariate,
    /// How blocks were used.
    Blocks,
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
}

impl Note {
    /// A note about no feature in particular. Hidden characters of the message are escaped.
    pub fn new(kind: NoteKind, message: impl Into<String>) -> Self {
        Note { kind, message: visible(&message.into()).into_owned(), features: Vec::new() }
    }

    /// A note about these features; the message names the first few.
    pub fn about(kind: NoteKind, message: impl Into<String>, features: Vec<String>) -> Self {
        const SHOWN: usize = 5;
        let mut message = message.into();
        let named: Vec<String> = features.iter().take(SHOWN).map(|f| format!("`{f}`")).collect();
        message.push_str(": ");
        message.push_str(&named.join(", "));
        if features.len() > SHOWN {
            message.push_str(&format!(" and {} more", features.len() - SHOWN));
        }
        Note { features, ..Note::new(kind, message) }
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
}

/// A number and its noun: "1 feature", "3 features".
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
