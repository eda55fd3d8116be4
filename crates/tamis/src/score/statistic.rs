//! The statistics by name, and which target each fits.

use crate::base::{Auto, Error, OptionName, Result, Text, text};
use crate::table::Target;
use serde::{Deserialize, Serialize};

/// How a feature of numbers is scored against the target. Categories are scored by χ² against classes and by F
/// against a number, whatever this says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Statistic {
    /// `moderated` for 20 features or more; for fewer `welch` for two classes (`pooled` where they are adjusted for
    /// something), `f` for several, `pearson` for a numeric target; `cox` for survival times.
    #[default]
    Auto,
    /// Welch's two-sample t with Satterthwaite's degrees of freedom (SNBL eq. 1).
    Welch,
    /// The two-sample t with a common variance (adaptive sparsity eq. 27).
    Pooled,
    /// t or F with variances moderated by those of all features (Smyth 2004).
    Moderated,
    /// Mann–Whitney's U.
    MannWhitney,
    /// One-way analysis of variance.
    F,
    /// Kruskal–Wallis' H.
    Kruskal,
    /// Pearson's correlation.
    Pearson,
    /// Spearman's rank correlation.
    Spearman,
    /// Cox's score test with Efron's ties ([`cox`](crate::score::cox)).
    Cox,
}

/// The scale scores are reported on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scale {
    /// Mapped to a standard normal through the degrees of freedom.
    #[default]
    Z,
    /// The t statistic itself, as in the papers.
    Raw,
}

impl Statistic {
    /// `auto` resolved for a target of so many classes, `None` for a numeric one; an error where the statistic does not
    /// fit it.
    pub fn resolve(self, n_classes: Option<usize>) -> Result<Statistic> {
        use Statistic::{Auto, Cox, F, Kruskal, MannWhitney, Moderated, Pearson, Pooled, Spearman, Welch};
        let wrong = |expected: Text| Err(Error::parameter("score", self.name(), expected));
        let task = |task: &str| OptionName::Task.set(task);
        let auto = || OptionName::from("score").set("auto");
        match (self, n_classes) {
            (Auto, None) => Ok(Pearson),
            (Auto, Some(2)) => Ok(Welch),
            (Auto, Some(_)) => Ok(F),
            (Moderated, _) => Ok(self),
            (Welch | Pooled | MannWhitney, Some(2)) | (F | Kruskal, Some(_)) | (Pearson | Spearman, None) => Ok(self),
            (Welch | Pooled | MannWhitney, _) => wrong(text!["it needs a target of two classes; pass ", auto()]),
            (F | Kruskal, None) => wrong(text!["it needs classes; pass ", task("classes"), " or ", auto()]),
            (Cox, _) => wrong(times_needed()),
            (Pearson | Spearman, _) => wrong(text!["it needs a numeric target; pass ", task("real"), " or ", auto()]),
        }
    }

    /// `auto` resolved for a target; an error where the statistic or the scale does not fit it.
    pub(crate) fn resolve_for(self, target: &Target, scale: Scale) -> Result<Statistic> {
        match (target, self) {
            (Target::Survival { .. }, Statistic::Auto | Statistic::Cox) => Statistic::Cox.scaled(scale, None),
            (Target::Survival { .. }, _) => {
                let auto = OptionName::from("score").set("auto");
                let expected = text!["the target is survival times; pass ", auto];
                Err(Error::parameter("score", self.name(), expected))
            }
            (Target::Classes { .. } | Target::Real { .. }, _) => self.resolve_scaled(scale, target.n_classes()),
        }
    }

    /// Resolves `auto`, and refuses a scale that the statistic does not have.
    pub(crate) fn resolve_scaled(self, scale: Scale, n_classes: Option<usize>) -> Result<Statistic> {
        self.resolve(n_classes)?.scaled(scale, n_classes)
    }

    /// Refuses a scale that the statistic does not have.
    fn scaled(self, scale: Scale, n_classes: Option<usize>) -> Result<Statistic> {
        let statistic = self;
        if scale == Scale::Raw && !statistic.has_raw_scale(n_classes) {
            let said = format!("`{}` is not a t statistic; pass ", statistic.name());
            let expected = text![said, OptionName::from("scale").set("z")];
            return Err(Error::parameter("scale", "raw", expected));
        }
        Ok(statistic)
    }

    /// Whether it rests on moments, so that it can be had from pieces of a table.
    pub fn by_moments(self) -> bool {
        use Statistic::{Auto, F, Moderated, Pearson, Pooled, Welch};
        matches!(self, Auto | Welch | Pooled | Moderated | F | Pearson)
    }

    /// Whether it ranks the values of a column by themselves, so that bins of a table in pieces can stand for them.
    pub fn by_ranks(self) -> bool {
        matches!(self, Statistic::MannWhitney | Statistic::Kruskal)
    }

    /// Whether its scores are t statistics before they are mapped to z.
    pub(super) fn has_raw_scale(self, n_classes: Option<usize>) -> bool {
        use Statistic::{Moderated, Pearson, Pooled, Spearman, Welch};
        matches!(self, Welch | Pooled | Pearson | Spearman) || (self == Moderated && n_classes.is_none_or(|n| n == 2))
    }

    /// Whether only large values speak for a feature, where the target has so many classes, `None` if it is numeric.
    pub fn one_sided(self, n_classes: Option<usize>) -> bool {
        let several = n_classes.is_some_and(|n| n > 2);
        matches!(self, Statistic::F | Statistic::Kruskal) || (self == Statistic::Moderated && several)
    }

    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Auto => "auto",
            Statistic::Welch => "welch",
            Statistic::Pooled => "pooled",
            Statistic::Moderated => "moderated",
            Statistic::MannWhitney => "mann-whitney",
            Statistic::F => "f",
            Statistic::Kruskal => "kruskal",
            Statistic::Pearson => "pearson",
            Statistic::Spearman => "spearman",
            Statistic::Cox => "cox",
        }
    }
}

/// How features are scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoring {
    /// The statistic.
    pub statistic: Statistic,
    /// The scale of the scores.
    pub scale: Scale,
    /// Whether the prior of moderated variances follows the features' means; `auto`: where they explain the variances.
    pub trend: Auto<bool>,
    /// Whether features whose variance is far too large for the prior of moderated variances are not pulled towards it.
    pub robust: bool,
    /// The least difference that matters, in the features' unit.
    pub min_difference: f64,
}

impl Default for Scoring {
    fn default() -> Self {
        let (statistic, scale) = (Statistic::Auto, Scale::Z);
        Scoring { statistic, scale, trend: Auto::Auto, robust: true, min_difference: 0.0 }
    }
}

/// What a user must give for this score.
pub(super) fn times_needed() -> Text {
    text!["it needs survival times; name the column of events with ", OptionName::Event]
}
