//! Every method by name, with its parameters described once for all front ends.
//!
//! A method is a struct with serde and `Default`; a new one is a file in its family, a variant of [`Method`] and
//! a row of [`Method::catalogue`]. The program's `--set key=value`, `tamis methods` and the result file reach it
//! from here.

use crate::classify::{self, Cart, Dlda, Ensemble, Lda, Logistic, NaiveBayes, Slda};
use crate::evaluate::auc_curve::{self, AucCurve};
use crate::filter::{self, L21Filter, RankedFilter};
use crate::information::{self, Codes, Criterion, Discretise, InformationFilter, Mrmr, Pairs};
use crate::npfs::{self, Npfs};
use crate::selection::{Selection, Selector};
use crate::settings::{self, Auto, Parameter};
use crate::sparse_means::{Prior, Snbl, SparseMeans};
use crate::table::View;
use crate::vector_machine::peel::{self, Peel};
use crate::vector_machine::{self, Jcfo, Learner, Pcvm, PfcvmEm, PfcvmLp, Rvm, Shape};
use crate::{Error, Fitted, Model, Progress, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Method {
    /// Scores, then empirical Bayes.
    Snbl(Snbl),
    /// Empirical Bayes on scores that exist already.
    Shrink(SparseMeans),
    /// A base on many bootstraps, and a test.
    Npfs(Npfs),
    /// Joint mutual information.
    Jmi(InformationFilter),
    /// Relevance less redundancy.
    Mrmr(Mrmr),
    /// Mutual information.
    Mim(InformationFilter),
    /// Conditional mutual information.
    Cmim(InformationFilter),
    /// Symmetrical relevance.
    Disr(InformationFilter),
    /// The least joint mutual information.
    Jmim(InformationFilter),
    /// Features that matter only together.
    Pairs(Pairs),
    /// Welch's or Pearson's t.
    T(RankedFilter),
    /// Analysis of variance.
    F(RankedFilter),
    /// Fisher's score.
    Fisher(RankedFilter),
    /// The trace ratio.
    TraceRatio(RankedFilter),
    /// L2,1 regression.
    L21(L21Filter),
    /// A sparse Bayesian classifier.
    PfcvmLp(PfcvmLp),
    /// The same by expectation–maximisation.
    PfcvmEm(PfcvmEm),
    /// A sparse classifier with Laplace's priors on samples and features.
    Jcfo(Jcfo),
    /// A sparse classifier on all features.
    Pcvm(Pcvm),
    /// The relevance vector machine.
    Rvm(Rvm),
    /// Correlation-adjusted t.
    Cat(RankedFilter),
    /// An embedded selector again and again on what is left.
    Peel(Peel),
    /// Validation AUC as features are added.
    AucCurve(AucCurve),
    /// Diagonal discriminant.
    Dlda(Dlda),
    /// Linear discriminant.
    Lda(Lda),
    /// Linear discriminant with shrunken correlations.
    Slda(Slda),
    /// Logistic regression.
    Logistic(Logistic),
    /// Naive Bayes.
    NaiveBayes(NaiveBayes),
    /// A tree.
    Cart(Cart),
    /// The sum of three classifiers.
    Ensemble(Ensemble),
}

/// What a method is, for people.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The name users type.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What chooses the number of features; empty for a classifier, which takes what it is given.
    pub number_by: &'static str,
    /// What it costs.
    pub cost: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters, in the order they are explained.
    pub parameters: Vec<Parameter>,
    /// The method with its defaults.
    pub default: Method,
}

const SCORE: [Parameter; 2] = [
    Parameter {
        name: "score",
        range: "auto, welch, pooled, mann-whitney, f, kruskal, pearson, spearman",
        purpose: "how numbers are scored; auto: welch for two classes, f for several, pearson for a number",
    },
    Parameter {
        name: "scale",
        range: "z, raw",
        purpose: "t mapped to a normal score through its degrees of freedom, or t itself as in the papers",
    },
];

const SPARSE_MEANS: [Parameter; 9] = [
    Parameter {
        name: "prior",
        range: "auto, kde, normal, laplace, npmle",
        purpose: "what the effects of relevant features look like",
    },
    Parameter {
        name: "null",
        range: "theoretical, empirical",
        purpose: "take scores as N(0, 1) where nothing matters, or rescale them by their own middle",
    },
    Parameter {
        name: "decide",
        range: "auto, count, prob:P, fdr:Q",
        purpose: "what is selected; auto is prob:0.5 for prior=auto and count for the others",
    },
    Parameter {
        name: "estimate",
        range: "mean, median",
        purpose: "the effect reported; median (prior=normal, laplace) is exactly 0 for small scores",
    },
    Parameter {
        name: "bandwidth",
        range: "noise, paper, 0.01…1000",
        purpose: "smoothing of prior=kde: 1.06, the papers' rule, or a number",
    },
    Parameter {
        name: "update",
        range: "em, argmax",
        purpose: "how prior=kde moves its fraction of irrelevant features",
    },
    Parameter { name: "mixing", range: "true, false", purpose: "whether prior=kde has an atom at zero at all" },
    Parameter { name: "tol", range: "1e-15…0.1", purpose: "prior=kde stops when no probability moves more" },
    Parameter { name: "max_iter", range: "1…10000000", purpose: "most iterations of prior=kde" },
];

impl Method {
    /// All methods.
    pub fn catalogue() -> Vec<Entry> {
        let mut all = vec![
            Entry {
                name: "snbl",
                summary: "a score per feature, then empirical Bayes says how many matter and which",
                number_by: "the data",
                cost: "two passes over the table; the rest does not grow with its rows",
                reference: "Raykar & Zhao, Feature selection via sparse non-parametric Bayesian learning; \
                            Raykar & Zhao, Nonparametric prior for adaptive sparsity, AISTATS 2010",
                parameters: SCORE.into_iter().chain(SPARSE_MEANS).collect(),
                default: Method::Snbl(Snbl::default()),
            },
            Entry {
                name: "shrink",
                summary: "the same from scores you already have (`tamis shrink`)",
                number_by: "the data",
                cost: "one sort of the scores",
                reference: "as snbl",
                parameters: SPARSE_MEANS.into(),
                default: Method::Shrink(SparseMeans::default()),
            },
        ];
        all.push(npfs::entry());
        all.extend(information::filter::entries());
        all.push(information::pairs::entry());
        all.extend(filter::entries());
        all.push(vector_machine::pfcvm_lp::entry());
        all.extend(vector_machine::pfcvm_em::entries());
        all.push(vector_machine::jcfo::entry());
        all.push(vector_machine::rvm::entry());
        all.push(peel::entry());
        all.push(auc_curve::entry());
        all.extend(classify::entries());
        all
    }

    /// The catalogue's entry of this name.
    pub fn find(name: &str) -> Result<Entry> {
        let mut all = Self::catalogue();
        match all.iter().position(|e| e.name == name) {
            Some(at) => Ok(all.swap_remove(at)),
            None => Err(Error::Unknown {
                kind: "method",
                name: name.into(),
                known: all.iter().map(|e| e.name.to_string()).collect(),
            }),
        }
    }

    /// The method of this name with some parameters set from text, as the command line gives them.
    pub fn from_settings<'a>(name: &str, settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Method> {
        let entry = Self::find(name)?;
        let settings: Vec<(&str, &str)> = settings.into_iter().collect();
        let method = settings::set(entry.default, &entry.parameters, &settings)?;
        let given: Vec<&str> = settings.iter().map(|(key, _)| *key).collect();
        method.validate()?;
        method.check_used(&given)?;
        Ok(method)
    }

    /// The method of this name with some parameters set from values that have types. Unlike
    /// [`Method::from_settings`] it lets a parameter pass that the others make meaningless: callers who always give all
    /// of them, or try out many combinations, need that.
    pub fn from_values(name: &str, values: serde_json::Map<String, Value>) -> Result<Method> {
        let entry = Self::find(name)?;
        let values = values.iter().map(|(key, value)| (key.as_str(), value.clone()));
        let method = settings::set_values(entry.default, &entry.parameters, values)?;
        method.validate()?;
        Ok(method)
    }

    /// Refuses a parameter that the rest of the settings make meaningless, rather than ignore it.
    fn check_used(&self, given: &[&str]) -> Result<()> {
        match given.iter().find_map(|key| self.unused(key).map(|reason| (key, reason))) {
            Some((key, reason)) => Err(Error::parameter(key, "set", format!("{reason}; leave it out"))),
            None => Ok(()),
        }
    }

    /// Why this parameter means nothing beside the others, if it does not.
    fn unused(&self, key: &str) -> Option<&'static str> {
        const ONLY_KDE: [&str; 5] = ["bandwidth", "update", "mixing", "tol", "max_iter"];
        match self {
            Method::Snbl(Snbl { means, .. }) | Method::Shrink(means) => (ONLY_KDE.contains(&key)
                && means.prior != Prior::Kde)
                .then_some("only prior=kde uses it; add `--set prior=kde`, or"),
            Method::Npfs(npfs) => npfs.unused(key),
            Method::Jmi(m) | Method::Mim(m) | Method::Cmim(m) | Method::Disr(m) | Method::Jmim(m) => m.unused(key),
            Method::Mrmr(m) => m.filter.unused(key),
            Method::PfcvmLp(PfcvmLp { kernel, .. })
            | Method::PfcvmEm(PfcvmEm { kernel, .. })
            | Method::Jcfo(Jcfo { kernel, .. })
            | Method::Pcvm(Pcvm { kernel, .. })
            | Method::Rvm(Rvm { kernel, .. }) => {
                (key == "degree" && *kernel != Shape::Poly).then_some("only kernel=poly uses it")
            }
            _ => None,
        }
    }

    /// Whether it selects features of a table.
    pub fn selects(&self) -> bool {
        let also_classifies = matches!(self, Method::PfcvmLp(_) | Method::PfcvmEm(_) | Method::Jcfo(_));
        !matches!(self, Method::Shrink(_)) && (also_classifies || !self.classifies())
    }

    /// Whether it classifies.
    pub fn classifies(&self) -> bool {
        CLASSIFIERS.contains(&self.name())
    }

    /// Whether it has a parameter of this name.
    pub fn has(&self, key: &str) -> bool {
        settings::fields(self).contains_key(key) && key != "name"
    }

    /// The same method with one parameter set from text.
    pub fn with(&self, key: &str, text: &str) -> Result<Method> {
        let entry = Self::find(self.name())?;
        let seeded = settings::set(self.clone(), &entry.parameters, &[(key, text)])?.with_seed(self.seed());
        seeded.validate()?;
        seeded.check_used(&[key])?;
        Ok(seeded)
    }

    /// The parameters and their values.
    pub fn parameters(&self) -> serde_json::Map<String, Value> {
        let mut fields = settings::fields(self);
        fields.remove("name");
        fields
    }

    /// The parameters worth telling beside the name: those that say most, and those that are not their defaults.
    pub fn told(&self) -> Vec<(&'static str, Value)> {
        let always = ["score", "prior", "null", "base"];
        let values = self.parameters();
        let Ok(entry) = Method::find(self.name()) else { return vec![] };
        let defaults = entry.default.parameters();
        let keys = entry.parameters.iter().map(|p| p.name);
        keys.filter(|key| always.contains(key) || defaults.get(*key) != values.get(*key))
            .filter_map(|key| values.get(key).map(|value| (key, value.clone())))
            .collect()
    }

    /// The name users type.
    pub fn name(&self) -> &'static str {
        match self {
            Method::Snbl(_) => "snbl",
            Method::Shrink(_) => "shrink",
            Method::Npfs(_) => "npfs",
            Method::Jmi(_) => "jmi",
            Method::Mrmr(_) => "mrmr",
            Method::Mim(_) => "mim",
            Method::Cmim(_) => "cmim",
            Method::Disr(_) => "disr",
            Method::Jmim(_) => "jmim",
            Method::Pairs(_) => "pairs",
            Method::T(_) => "t",
            Method::F(_) => "f",
            Method::Fisher(_) => "fisher",
            Method::TraceRatio(_) => "trace-ratio",
            Method::L21(_) => "l21",
            Method::PfcvmLp(_) => "pfcvm-lp",
            Method::PfcvmEm(_) => "pfcvm-em",
            Method::Jcfo(_) => "jcfo",
            Method::Pcvm(_) => "pcvm",
            Method::Rvm(_) => "rvm",
            Method::Cat(_) => "cat",
            Method::Peel(_) => "peel",
            Method::AucCurve(_) => "auc-curve",
            Method::Dlda(_) => "dlda",
            Method::Lda(_) => "lda",
            Method::Slda(_) => "slda",
            Method::Logistic(_) => "logistic",
            Method::NaiveBayes(_) => "naive-bayes",
            Method::Cart(_) => "cart",
            Method::Ensemble(_) => "ensemble",
        }
    }

    /// The same method with this seed for everything random in it.
    pub fn with_seed(mut self, seed: u64) -> Method {
        match &mut self {
            Method::Npfs(m) => m.seed = seed,
            Method::Pairs(m) => m.seed = seed,
            Method::PfcvmLp(m) => m.seed = seed,
            Method::PfcvmEm(m) => m.seed = seed,
            Method::Jcfo(m) => m.seed = seed,
            Method::Pcvm(m) => m.seed = seed,
            Method::Rvm(m) => m.seed = seed,
            Method::Cart(m) => m.seed = seed,
            Method::Peel(m) => m.seed = seed,
            Method::AucCurve(m) => m.seed = seed,
            _ => {}
        }
        self
    }

    /// The seed of everything random in it; 0 where nothing is.
    fn seed(&self) -> u64 {
        match self {
            Method::Npfs(m) => m.seed,
            Method::Pairs(m) => m.seed,
            Method::PfcvmLp(m) => m.seed,
            Method::PfcvmEm(m) => m.seed,
            Method::Jcfo(m) => m.seed,
            Method::Pcvm(m) => m.seed,
            Method::Rvm(m) => m.seed,
            Method::Cart(m) => m.seed,
            Method::Peel(m) => m.seed,
            Method::AucCurve(m) => m.seed,
            _ => 0,
        }
    }

    /// The same filter with the number it chooses resolved.
    pub(crate) fn with_k(mut self, k: usize) -> Method {
        match &mut self {
            Method::Jmi(m) | Method::Mim(m) | Method::Cmim(m) | Method::Disr(m) | Method::Jmim(m) => m.k = Auto::Set(k),
            Method::Mrmr(m) => m.filter.k = Auto::Set(k),
            Method::T(m) | Method::F(m) | Method::Fisher(m) | Method::TraceRatio(m) | Method::Cat(m) => {
                m.k = Auto::Set(k)
            }
            Method::L21(m) => m.k = Auto::Set(k),
            Method::Npfs(m) => m.k = Auto::Set(k),
            _ => {}
        }
        self
    }

    fn validate(&self) -> Result<()> {
        match self {
            Method::Snbl(m) => m.means.validate(),
            Method::Shrink(m) => m.validate(),
            Method::Npfs(m) => m.validate(),
            Method::Jmi(m) | Method::Mim(m) | Method::Cmim(m) | Method::Disr(m) | Method::Jmim(m) => m.validate(),
            Method::Mrmr(m) => m.filter.validate(),
            Method::Pairs(m) => m.validate(),
            Method::L21(m) => m.validate(),
            Method::PfcvmLp(m) => m.validate(),
            Method::PfcvmEm(m) => m.validate(),
            Method::Jcfo(m) => m.validate(),
            Method::Pcvm(m) => m.validate(),
            Method::Rvm(m) => m.validate(),
            Method::Cart(m) => m.validate(),
            Method::Peel(m) => m.validate(),
            Method::AucCurve(m) => m.validate(),
            _ => Ok(()),
        }
    }
}

/// The methods that classify.
pub const CLASSIFIERS: [&str; 12] = [
    "pfcvm-lp",
    "pfcvm-em",
    "jcfo",
    "pcvm",
    "rvm",
    "dlda",
    "lda",
    "slda",
    "logistic",
    "naive-bayes",
    "cart",
    "ensemble",
];

impl Method {
    /// Trains a classifier.
    pub fn fit(&self, data: &View, progress: &mut dyn Progress) -> Result<Model> {
        let model = |classifier| Ok(Model::new(data, self.clone(), vec![], classifier));
        match self {
            Method::PfcvmLp(method) => method.fit(data, progress),
            Method::PfcvmEm(method) => method.fit(data, progress),
            Method::Jcfo(method) => method.fit(data, progress),
            Method::Pcvm(method) => method.fit(data, progress),
            Method::Rvm(method) => method.fit(data, progress),
            Method::Dlda(m) => model(Fitted::Dlda(m.fit(data, progress)?)),
            Method::Lda(m) => model(Fitted::Lda(m.fit(data, progress)?)),
            Method::Slda(m) => model(Fitted::Slda(m.fit(data, progress)?)),
            Method::Logistic(m) => model(Fitted::Logistic(m.fit(data, progress)?)),
            Method::NaiveBayes(m) => model(Fitted::NaiveBayes(m.fit(data, progress)?)),
            Method::Cart(m) => model(Fitted::Cart(m.fit(data, progress)?)),
            Method::Ensemble(m) => model(Fitted::Ensemble(Box::new(m.fit(data, progress)?))),
            _ => Err(Error::parameter(
                "--method",
                self.name(),
                format!("it selects features but does not classify; classifiers: {}", CLASSIFIERS.join(", ")),
            )),
        }
    }
}

impl Method {
    /// [`Method::fit`], with what is left of the features where the classifier drops any: from one training.
    pub fn fit_selecting(&self, data: &View, progress: &mut dyn Progress) -> Result<(Model, Option<Selection>)> {
        let (model, selection) = match self {
            Method::PfcvmLp(method) => vector_machine::both(method, data, progress)?,
            Method::PfcvmEm(method) => vector_machine::both(method, data, progress)?,
            Method::Jcfo(method) => vector_machine::both(method, data, progress)?,
            Method::Pcvm(method) => vector_machine::both(method, data, progress)?,
            Method::Rvm(method) => vector_machine::both(method, data, progress)?,
            Method::Dlda(method) => {
                let fitted = method.fit(data, progress)?;
                let selection = fitted.selection(data, self.clone());
                (Model::new(data, self.clone(), vec![], Fitted::Dlda(fitted)), selection)
            }
            _ => return Ok((self.fit(data, progress)?, None)),
        };
        Ok((model, Some(selection)))
    }
}

impl Method {
    /// How numbers become levels, for methods that count information on levels and nothing else: what they select can
    /// be had from codes alone.
    pub fn coding(&self) -> Option<(Discretise, usize)> {
        match self {
            Method::Npfs(m) => m.coding(),
            _ => self.filter().map(|(filter, _)| (filter.discretise, filter.bins)),
        }
    }

    /// The filter of a method that ranks by information, and its criterion.
    fn filter(&self) -> Option<(&InformationFilter, Criterion)> {
        Some(match self {
            Method::Jmi(filter) => (filter, Criterion::Jmi),
            Method::Mrmr(mrmr) => (&mrmr.filter, mrmr.criterion()),
            Method::Mim(filter) => (filter, Criterion::Mim),
            Method::Cmim(filter) => (filter, Criterion::Cmim),
            Method::Disr(filter) => (filter, Criterion::Disr),
            Method::Jmim(filter) => (filter, Criterion::Jmim),
            _ => return None,
        })
    }

    /// Selects from codes, for methods that have a [`Method::coding`]. Features in `keep` are selected in any case, and
    /// features are not compared with each other for near-copies.
    pub(crate) fn select_codes(
        &self,
        codes: &Codes,
        names: &Arc<[String]>,
        keep: &[u32],
        progress: &mut dyn Progress,
    ) -> Result<Selection> {
        match (self, self.filter()) {
            (Method::Npfs(npfs), _) => npfs.select_codes(codes, names, progress),
            (_, Some((filter, criterion))) => {
                filter.select_codes(criterion, self.clone(), codes, (names, keep), progress)
            }
            _ => Err(Error::parameter("--method", self.name(), "it needs more of a table than levels")),
        }
    }
}

impl Selector for Method {
    fn choose(&self, data: &View, progress: &mut dyn Progress) -> Result<Vec<u32>> {
        match self {
            Method::Snbl(method) => method.choose(data, progress),
            _ => Ok(self.select(data, progress)?.selected),
        }
    }

    fn select(&self, data: &View, progress: &mut dyn Progress) -> Result<Selection> {
        if let Some((filter, criterion)) = self.filter() {
            return filter.select_by(criterion, self.clone(), data, progress);
        }
        match self {
            Method::Snbl(method) => method.select(data, progress),
            Method::Shrink(_) => Err(Error::parameter(
                "--method",
                "shrink",
                "it takes scores, not a table: run `tamis shrink`, or `--method snbl`",
            )),
            Method::Npfs(method) => method.select(data, progress),
            Method::Pairs(method) => method.select(data, progress),
            Method::T(filter) => filter.by_score(data, false, progress),
            Method::F(filter) => filter.by_score(data, true, progress),
            Method::Fisher(filter) => filter.by_scatter(data, false, progress),
            Method::TraceRatio(filter) => filter.by_scatter(data, true, progress),
            Method::L21(method) => method.select(data, progress),
            Method::PfcvmLp(method) => method.select(data, progress),
            Method::PfcvmEm(method) => method.select(data, progress),
            Method::Jcfo(method) => method.select(data, progress),
            Method::Cat(filter) => filter.by_cat(data, progress),
            Method::Peel(method) => method.select(data, progress),
            Method::AucCurve(method) => method.select(data, progress),
            _ => Err(Error::parameter(
                "--method",
                self.name(),
                "it classifies with all features and selects none: run `tamis fit`, or a method that selects",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_describes_exactly_the_parameters_there_are() {
        for entry in Method::catalogue() {
            let mut described: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
            let fields = entry.default.parameters();
            let mut real: Vec<&str> = fields.keys().map(String::as_str).collect();
            described.sort_unstable();
            real.sort_unstable();
            assert_eq!(described, real, "{}", entry.name);
            assert_eq!(entry.default.name(), entry.name);
            assert_eq!(Method::from_settings(entry.name, []).expect("defaults are valid"), entry.default);
        }
    }

    #[test]
    fn settings_reach_the_struct() {
        let set = [("prior", "kde"), ("bandwidth", ".5"), ("decide", "fdr:0.1"), ("mixing", "false"), ("scale", "raw")];
        let Method::Snbl(snbl) = Method::from_settings("snbl", set).expect("valid") else { panic!("snbl") };
        assert_eq!(snbl.scale, crate::score::Scale::Raw);
        assert_eq!(snbl.means.bandwidth, crate::sparse_means::Bandwidth::Fixed(0.5));
        assert_eq!(snbl.means.decide, crate::sparse_means::Decide::FalseDiscoveryRate(0.1));
        assert!(!snbl.means.mixing);
    }

    #[test]
    fn wrong_settings_say_what_is_right() {
        let message = |key, text| Method::from_settings("snbl", [(key, text)]).expect_err("wrong").to_string();
        assert!(message("priro", "kde").contains("did you mean `prior`?"));
        assert!(message("prior", "normall").contains("it takes auto, kde, normal"), "{}", message("prior", "normall"));
        assert!(message("bandwidth", "2").contains("only prior=kde uses it"));
        assert!(message("decide", "prob:1.5").contains("prob:"));
        assert!(message("decide", "fdr:x").contains("fdr:Q"));
        assert!(message("bandwidth", "-1").contains("0.01"));
        assert!(message("tol", "0").contains("1e-15"));
        assert!(message("max_iter", "-3").contains("it takes"));
        assert!(Method::from_settings("snlb", []).expect_err("wrong").to_string().contains("did you mean `snbl`?"));
    }
}
