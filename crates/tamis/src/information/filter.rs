//! The mutual-information filters by name.

use super::codes::Codes;
use super::criteria::Criterion;
use super::discretise::Discretise;
use super::greedy::rank;
use crate::copies;
use crate::filter::{Found, resolve_k};
use crate::method::Entry;
use crate::note::{Note, NoteKind};
use crate::selection::Selection;
use crate::settings::{Auto, Parameter};
use crate::table::View;
use crate::{Error, Method, Progress, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The `k` features that tell most about the target together: `jmi`, `jmim`, `cmim`, `disr`, `mim`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InformationFilter {
    /// How many features are chosen; auto: 10, or half of them where there are no more than that.
    pub k: Auto<usize>,
    /// How columns of numbers are cut.
    pub discretise: Discretise,
    /// Into how many levels.
    pub bins: usize,
}

impl Default for InformationFilter {
    fn default() -> Self {
        InformationFilter { k: Auto::Auto, discretise: Discretise::Width, bins: 10 }
    }
}

/// How `mrmr` sets relevance against redundancy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// I(X;Y) minus the mean of I(X;S).
    #[default]
    Difference,
    /// I(X;Y) over the mean of I(X;S).
    Quotient,
}

/// `mrmr`: relevant to the target, and not to what is chosen already.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mrmr {
    /// Difference or quotient.
    pub form: Form,
    /// What all these filters share.
    #[serde(flatten)]
    pub filter: InformationFilter,
}

impl Mrmr {
    pub(crate) fn criterion(&self) -> Criterion {
        self.form.criterion()
    }
}

impl Form {
    pub(crate) fn criterion(self) -> Criterion {
        match self {
            Form::Difference => Criterion::MrmrDifference,
            Form::Quotient => Criterion::MrmrQuotient,
        }
    }
}

/// How columns are cut.
pub(crate) const DISCRETISE: [Parameter; 2] = [
    Parameter {
        name: "discretise",
        range: "width, frequency, mdl, categories",
        purpose: "how numbers become levels; equal widths, equal counts, what the classes justify, or every value",
    },
    Parameter {
        name: "bins",
        range: "2…255",
        purpose: "into how many levels (not for mdl and categories); also a target that is a number",
    },
];

/// The parameter `form`.
pub(crate) const FORM: Parameter =
    Parameter { name: "form", range: "difference, quotient", purpose: "how mrmr sets relevance against redundancy" };

/// These methods for the catalogue.
pub fn entries() -> Vec<Entry> {
    let parameters: Vec<Parameter> = [crate::filter::K].into_iter().chain(DISCRETISE).collect();
    let plain = InformationFilter::default;
    let entry = |name, summary, reference, default| Entry {
        name,
        summary,
        number_by: "k",
        cost: "rows × features × k additions over one byte per cell",
        reference,
        parameters: parameters.clone(),
        default,
    };
    let mut mrmr = entry(
        "mrmr",
        "information about the target, less what the chosen features say already",
        "Peng, Long & Ding, Feature selection based on mutual information, IEEE TPAMI 27(8), 2005",
        Method::Mrmr(Mrmr::default()),
    );
    mrmr.parameters.insert(1, FORM);
    vec![
        entry(
            "jmi",
            "information about the target together with each chosen feature, summed",
            "Yang & Moody, Data visualization and feature selection, NIPS 1999",
            Method::Jmi(plain()),
        ),
        mrmr,
        entry("mim", "information about the target, feature by feature", "Lewis 1992", Method::Mim(plain())),
        entry(
            "cmim",
            "the least information about the target that a chosen feature leaves",
            "Fleuret, Fast binary feature selection with conditional mutual information, JMLR 5, 2004",
            Method::Cmim(plain()),
        ),
        entry(
            "disr",
            "as jmi, each term divided by the entropy of what it is about",
            "Meyer & Bontempi, On the use of variable complementarity, 2006",
            Method::Disr(plain()),
        ),
        entry(
            "jmim",
            "as jmi, with the least term instead of the sum",
            "Bennasar, Hicks & Setchi, Feature selection using joint mutual information maximisation, 2015",
            Method::Jmim(plain()),
        ),
    ]
}

impl InformationFilter {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(2..256).contains(&self.bins) {
            return Err(Error::parameter("bins", self.bins, "it takes 2…255"));
        }
        Ok(())
    }

    /// A parameter that the others make meaningless.
    pub(crate) fn unused(&self, key: &str) -> Option<&'static str> {
        let counted = matches!(self.discretise, Discretise::Mdl | Discretise::Categories);
        (key == "bins" && counted).then_some("only discretise=width and discretise=frequency use it")
    }

    /// Selects by a criterion; `method` is what the selection says made it.
    pub(crate) fn select_by(
        &self,
        criterion: Criterion,
        method: Method,
        data: &View,
        progress: &mut dyn Progress,
    ) -> Result<Selection> {
        self.validate()?;
        let codes = Codes::learn(data, self.discretise, self.bins, progress)?;
        let mut selection = self.select_codes(criterion, method, &codes, (data.names(), data.keep()), progress)?;
        copies::annotate(&mut selection, data);
        Ok(selection)
    }

    /// The same from codes that exist already; features are not compared with each other for near-copies.
    pub(crate) fn select_codes(
        &self,
        criterion: Criterion,
        method: Method,
        codes: &Codes,
        (names, kept): (&Arc<[String]>, &[u32]),
        progress: &mut dyn Progress,
    ) -> Result<Selection> {
        self.validate()?;
        let (k, note) = resolve_k(self.k, codes.len())?;
        let position = |feature: &u32| codes.features.iter().position(|f| f == feature);
        let keep: Vec<usize> = kept.iter().filter_map(position).collect();
        if keep.len() > k {
            return Err(Error::parameter("k", k, format!("{} features are to be kept; raise it", keep.len())));
        }
        let ranking = rank(codes, codes.weights.as_deref(), criterion, k, &keep, progress)?;
        let mut scores = vec![f64::NAN; names.len()];
        for (at, &feature) in codes.features.iter().enumerate() {
            scores[feature as usize] = ranking.last[at];
        }
        let order = ranking.order.iter().map(|&at| codes.features[at]).collect();
        let mut notes = codes.notes.clone();
        notes.extend(note);
        if !keep.is_empty() {
            let names = kept.iter().map(|&i| names[i as usize].clone()).collect();
            notes.push(Note::about(NoteKind::Kept, "chosen first because you asked for it", names));
        }
        Ok(Found { order, scores, notes }.into_plain(names, method.with_k(k)))
    }
}
