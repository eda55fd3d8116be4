//! The parameters and the way from codes to a selection that all mutual-information filters share.

use super::auto_number::{AutoRanking, ORDERS, rank_auto};
use super::criteria::Criterion;
use super::greedy::{Ranking, rank};
use crate::base::parameter::parameters;
use crate::base::{Auto, Context, Error, MethodInfo, MethodRecord, Note, NoteKind, Result, counted, some_of};
use crate::codes::{CodedTable, Discretise};
use crate::numeric::random::permutation;
use crate::selection::detail::StepsDetail;
use crate::selection::k::k;
use crate::selection::{RankedFeatures, Selection, clusters, resolve_k};
use crate::table::View;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A method that needs only codes, not the values of a table.
pub(crate) trait CodedSelector {
    /// How numbers become levels, and how many; `None` if the present parameters need more than codes.
    fn coding(&self) -> Option<(Discretise, usize)>;

    /// Selects from codes. Features in `keep` are always selected; near-duplicates are not searched for.
    fn select_codes(
        &self,
        codes: &CodedTable,
        names: &Arc<[String]>,
        keep: &[u32],
        context: &mut Context,
    ) -> Result<Selection>;
}

/// What there is to say of the parameters that say how columns are cut, for the tables of parameters.
macro_rules! coding {
    (discretise range) => {
        "width, frequency, mdl, categories"
    };
    (discretise purpose) => {
        "how numbers become levels: equal widths, equal counts, cuts that the classes justify, or every value"
    };
    (bins range) => {
        "2…255"
    };
    (bins purpose) => {
        "number of levels (not for mdl and categories), also of a numeric target"
    };
}
pub(crate) use coding;

parameters! {
    /// The parameters of every mutual-information filter.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct InformationFilter {
        /// Only `jmi` and `cmim` choose it themselves; for others `auto` is 10.
        k: Auto<usize> = Auto::Set(10), "1…, auto",
            "number of features to select (10: half of them if there are at most 10); auto: until a permutation does as \
             well";
        discretise: Discretise = Discretise::Width, coding!(discretise range), coding!(discretise purpose);
        bins: usize = 10, coding!(bins range), coding!(bins purpose);
    }
}

/// The page of a filter that can choose its number of features itself.
pub(super) fn info_with_auto(name: &'static str, summary: &'static str, reference: &'static str) -> MethodInfo {
    MethodInfo {
        number_by: "k; k=auto: permutations",
        cost: "rows × features × k additions over one byte per cell; 20 times that with k=auto",
        parameters: InformationFilter::described(),
        ..info(name, summary, reference)
    }
}

/// The page of a filter.
pub(super) fn info(name: &'static str, summary: &'static str, reference: &'static str) -> MethodInfo {
    let mut parameters = InformationFilter::described();
    (parameters[0].range, parameters[0].purpose) = (k!(range), k!(purpose));
    let cost = "rows × features × k additions over one byte per cell";
    MethodInfo { name, summary, number_by: "k", cost, reference, parameters }
}

impl InformationFilter {
    pub(super) fn validate(&self) -> Result<()> {
        if !(2..256).contains(&self.bins) {
            return Err(Error::parameter("bins", self.bins, "it takes 2…255"));
        }
        Ok(())
    }

    pub(super) fn overruled(&self, key: &str) -> Option<&'static str> {
        (key == "bins" && !self.discretise.has_bins()).then_some("discretise")
    }

    /// Selects by a criterion; `record` makes the record of the method for the number chosen.
    pub(super) fn select(
        &self,
        criterion: Criterion,
        record: impl Fn(InformationFilter) -> MethodRecord,
        data: &View,
        context: &mut Context,
    ) -> Result<Selection> {
        self.validate()?;
        let codes = CodedTable::learn(data, self.discretise, self.bins, context)?;
        let mut selection = self.select_codes(criterion, record, &codes, (data.names(), data.keep()), context)?;
        clusters::annotate(&mut selection, data);
        Ok(selection)
    }

    /// Selects by a criterion from codes that exist already.
    pub(super) fn select_codes(
        &self,
        criterion: Criterion,
        record: impl Fn(InformationFilter) -> MethodRecord,
        codes: &CodedTable,
        (names, kept): (&Arc<[String]>, &[u32]),
        context: &mut Context,
    ) -> Result<Selection> {
        self.validate()?;
        let position = |feature: &u32| codes.features.iter().position(|f| f == feature);
        let keep: Vec<usize> = kept.iter().filter_map(position).collect();
        let mut notes = codes.notes.clone();
        let mut steps = None;
        let mut chosen = self.clone();
        let ranking = if self.k == Auto::Auto && criterion.can_choose_k() {
            let found = choose_k(criterion, codes, &keep, context)?;
            notes.extend(nothing_chosen(&found));
            steps = Some(steps_detail(&found, codes));
            found.ranking
        } else {
            let (k, note) = resolve_k(self.k, codes.len())?;
            if keep.len() > k {
                return Err(Error::parameter(
                    "k",
                    k,
                    format!("{} must be kept; raise it", counted(keep.len(), "feature")),
                ));
            }
            notes.extend(note);
            chosen.k = Auto::Set(k);
            rank(codes, codes.row_weights(), criterion, k, &keep, context)?
        };
        if !keep.is_empty() {
            let names = kept.iter().map(|&i| names[i as usize].clone()).collect();
            notes.push(Note::about(NoteKind::Kept, "chosen first on request", names));
        }
        let mut selection = ranked(&ranking, codes, names.len(), notes).into_plain(names, record(chosen), context.seed);
        selection.detail.steps = steps;
        selection.kept = kept.to_vec();
        Ok(selection)
    }
}

/// The chosen features and all scores, at their places in the table.
fn ranked(ranking: &Ranking, codes: &CodedTable, features: usize, notes: Vec<Note>) -> RankedFeatures {
    let mut scores = vec![f64::NAN; features];
    for (at, &feature) in codes.features.iter().enumerate() {
        scores[feature as usize] = ranking.last[at];
    }
    let order = ranking.order.iter().map(|&at| codes.features[at]).collect();
    RankedFeatures { order, scores, notes }
}

/// Takes features until a permutation does as well.
fn choose_k(criterion: Criterion, codes: &CodedTable, keep: &[usize], context: &mut Context) -> Result<AutoRanking> {
    let repeated = codes.copies_as_rows()?;
    let codes = repeated.as_ref().unwrap_or(codes);
    let orders: Vec<Vec<u32>> = (0..ORDERS as u64).map(|r| permutation(context.seed, r, codes.n_rows())).collect();
    rank_auto(codes, criterion, &orders, keep, context)
}

/// Says so where the first step could be chance.
fn nothing_chosen(found: &AutoRanking) -> Option<Note> {
    let as_high = found.p_values.last().map_or(0.0, |p| (p * (1 + ORDERS) as f64 - 1.0).round());
    let some = some_of(as_high, ORDERS, "permutations", ["has", "have"]);
    let text =
        format!("no feature tells more about the target than chance does: {some} a feature with as high a score");
    found.ranking.order.is_empty().then(|| Note::new(NoteKind::NothingSelected, text))
}

fn steps_detail(found: &AutoRanking, codes: &CodedTable) -> StepsDetail {
    let features = found.ranking.order.iter().copied().chain(found.refused);
    StepsDetail {
        features: features.map(|at| codes.features[at]).collect(),
        p_values: found.p_values.iter().map(|p| Some(*p).filter(|p| !p.is_nan())).collect(),
    }
}

/// The traits of a method that is an [`InformationFilter`] (its field `filter`) with a criterion and a page.
macro_rules! information_method {
    ($method:ty, $criterion:expr, $info:expr) => {
        impl $crate::base::Describe for $method {
            fn info() -> $crate::base::MethodInfo {
                $info
            }

            fn validate(&self) -> $crate::base::Result<()> {
                self.filter.validate()
            }

            fn overruled(&self, key: &str) -> Option<&'static str> {
                self.filter.overruled(key)
            }
        }

        impl $method {
            fn resolved(&self, filter: $crate::information::InformationFilter) -> $crate::base::MethodRecord {
                let mut method = self.clone();
                method.filter = filter;
                $crate::base::Describe::record(&method)
            }
        }

        impl $crate::selection::Selector for $method {
            fn select(
                &self,
                data: &$crate::table::View,
                context: &mut $crate::base::Context,
            ) -> $crate::base::Result<$crate::selection::Selection> {
                self.filter.select(($criterion)(self), |filter| self.resolved(filter), data, context)
            }
        }

        impl $crate::information::CodedSelector for $method {
            fn coding(&self) -> Option<($crate::codes::Discretise, usize)> {
                Some((self.filter.discretise, self.filter.bins))
            }

            fn select_codes(
                &self,
                codes: &$crate::codes::CodedTable,
                names: &std::sync::Arc<[String]>,
                keep: &[u32],
                context: &mut $crate::base::Context,
            ) -> $crate::base::Result<$crate::selection::Selection> {
                let record = |filter| self.resolved(filter);
                self.filter.select_codes(($criterion)(self), record, codes, (names, keep), context)
            }
        }
    };
}
pub(super) use information_method;
