//! Every method by name: one table, from which names, parameters, dispatch and help follow.

use super::fitted_classifier::FittedClassifier;
use super::trained_model::Model;
use crate::base::parameter::{self, Parameter};
use crate::base::remedies::READ_WHOLE;
use crate::base::{Command, Context, Describe, Error, MethodInfo, MethodRecord, OptionName, Result, text};
use crate::classify::{Cart, Dlda, Ensemble, Lda, Logistic, NaiveBayes, Slda};
use crate::codes::{CodedTable, Discretise};
use crate::compose::{AucCurve, Peel};
use crate::dependence::Dependence;
use crate::filter::{Cat, FTest, Fisher, L21, TTest, TraceRatio};
use crate::information::{Cmim, CodedSelector, Disr, Jmi, Jmim, Mim, Mrmr, Pairs};
use crate::machines::{Ard, Jcfo, Pcvm, PfcvmEm, PfcvmLp, Rvm};
use crate::model::{Classifier, Training};
use crate::needed::Needed;
use crate::npfs::Npfs;
use crate::selection::{Selection, Selector};
use crate::sparse_means::{Snbl, SparseMeans};
use crate::table::View;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// An object-safe [`Classifier`] whose fitted form is a [`FittedClassifier`].
trait AnyClassifier {
    fn fit(&self, data: &View, context: &mut Context) -> Result<Training<FittedClassifier>>;
    fn fit_selecting(
        &self,
        data: &View,
        context: &mut Context,
    ) -> Result<(Training<FittedClassifier>, Option<Selection>)>;
}

impl<C: Classifier> AnyClassifier for C
where
    FittedClassifier: From<C::Fitted>,
{
    fn fit(&self, data: &View, context: &mut Context) -> Result<Training<FittedClassifier>> {
        let Training { fitted, notes } = Classifier::fit(self, data, context)?;
        Ok(Training { fitted: fitted.into(), notes })
    }

    fn fit_selecting(
        &self,
        data: &View,
        context: &mut Context,
    ) -> Result<(Training<FittedClassifier>, Option<Selection>)> {
        let (Training { fitted, notes }, selection) = Classifier::fit_selecting(self, data, context)?;
        Ok((Training { fitted: fitted.into(), notes }, selection))
    }
}

/// Makes [`Method`] from a table of rows `Variant(Type): can, …` where a method `selects`, selects from `codes`, or
/// `classifies`.
macro_rules! methods {
    ($( $(#[$doc:meta])* $variant:ident($type:ty): $($can:ident),*; )+) => {
        /// A method with its parameters.
        ///
        /// ```
        /// use tamis::prelude::*;
        ///
        /// let method = Method::find("jmi")?.with("k", "5")?;
        /// assert_eq!((method.name(), method.selects(), method.classifies()), ("jmi", true, false));
        /// # Ok::<(), Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Method {
            $( $(#[$doc])* $variant($type), )+
        }

        $( impl From<$type> for Method {
            fn from(method: $type) -> Method {
                Method::$variant(method)
            }
        } )+

        impl Method {
            /// The parameters of `snbl`.
    ///
    /// # Errors
    ///
    /// Any other method.
    pub fn into_snbl(self) -> Result<Snbl> {
        match self {
            Method::Snbl(snbl) => Ok(snbl),
            other => Err(other.is_not("snbl")),
        }
    }

    /// The parameters of `shrink`.
    ///
    /// # Errors
    ///
    /// Any other method.
    pub fn into_sparse_means(self) -> Result<SparseMeans> {
        match self {
            Method::Shrink(means) => Ok(means),
            other => Err(other.is_not("shrink")),
        }
    }

    fn is_not(&self, wanted: &str) -> Error {
        Error::parameter(OptionName::Method, self.name(), format!("only `{wanted}` is used here"))
    }

    /// Descriptions of all methods.
            pub fn catalogue() -> Vec<MethodInfo> {
                vec![$( <$type>::info() ),+]
            }

            /// The description of this method.
            pub fn info(&self) -> MethodInfo {
                match self {
                    $( Method::$variant(_) => <$type>::info(), )+
                }
            }

            fn default_of(name: &str) -> Option<Method> {
                let defaults: &[(&str, fn() -> Method)] =
                    &[$( (<$type>::info().name, || Method::$variant(<$type>::default())) ),+];
                defaults.iter().find(|(known, _)| *known == name).map(|(_, default)| default())
            }

            fn validate(&self) -> Result<()> {
                match self {
                    $( Method::$variant(method) => method.validate(), )+
                }
            }

            fn check_effect(&self, given: &[&str]) -> Result<()> {
                match self {
                    $( Method::$variant(method) => method.check_effect(given), )+
                }
            }

            fn selector(&self) -> Option<&(dyn Selector + Sync)> {
                match self {
                    $( Method::$variant(method) => { let _ = method; methods!(@selects method $($can)*) } )+
                }
            }

            fn coded(&self) -> Option<&(dyn CodedSelector + Sync)> {
                match self {
                    $( Method::$variant(method) => { let _ = method; methods!(@codes method $($can)*) } )+
                }
            }

            fn classifier(&self) -> Option<&(dyn AnyClassifier + Sync)> {
                match self {
                    $( Method::$variant(method) => { let _ = method; methods!(@classifies method $($can)*) } )+
                }
            }
        }
    };
    (@selects $method:ident selects $($rest:ident)*) => { Some($method) };
    (@codes $method:ident codes $($rest:ident)*) => { Some($method) };
    (@classifies $method:ident classifies $($rest:ident)*) => { Some($method) };
    (@$ask:ident $method:ident $other:ident $($rest:ident)*) => { methods!(@$ask $method $($rest)*) };
    (@$ask:ident $method:ident) => { None };
}

methods! {
    /// Scores, then empirical Bayes.
    Snbl(Snbl): selects;
    /// Empirical Bayes on scores that exist already.
    Shrink(SparseMeans): ;
    /// A base selector on many bootstraps, and a test.
    Npfs(Npfs): selects, codes;
    /// Joint mutual information.
    Jmi(Jmi): selects, codes;
    /// Relevance less redundancy.
    Mrmr(Mrmr): selects, codes;
    /// Mutual information.
    Mim(Mim): selects, codes;
    /// Conditional mutual information.
    Cmim(Cmim): selects, codes;
    /// Symmetrical relevance.
    Disr(Disr): selects, codes;
    /// The least joint mutual information.
    Jmim(Jmim): selects, codes;
    /// Features that matter only together.
    Pairs(Pairs): selects, codes;
    /// Relations of any kind.
    Dependence(Dependence): selects;
    /// Features that are needed, given the others.
    Needed(Needed): selects;
    /// Welch's or Pearson's t.
    T(TTest): selects;
    /// Analysis of variance.
    F(FTest): selects;
    /// Correlation-adjusted t.
    Cat(Cat): selects;
    /// Fisher's score.
    Fisher(Fisher): selects;
    /// The trace ratio.
    TraceRatio(TraceRatio): selects;
    /// L2,1 regression.
    L21(L21): selects;
    /// A sparse Bayesian classifier by Laplace approximation.
    PfcvmLp(PfcvmLp): selects, classifies;
    /// A sparse Bayesian classifier by expectation–maximisation.
    PfcvmEm(PfcvmEm): selects, classifies;
    /// A sparse classifier on all features.
    Pcvm(Pcvm): classifies;
    /// A sparse classifier with Laplace's priors on samples and features.
    Jcfo(Jcfo): selects, classifies;
    /// The relevance vector machine.
    Rvm(Rvm): classifies;
    /// Logistic regression that prunes features.
    Ard(Ard): selects, classifies;
    /// An embedded selector, run repeatedly on the remaining features.
    Peel(Peel): selects;
    /// Validation AUC as features are added.
    AucCurve(AucCurve): selects;
    /// Diagonal discriminant.
    Dlda(Dlda): classifies;
    /// Linear discriminant.
    Lda(Lda): classifies;
    /// Linear discriminant with shrunken correlations.
    Slda(Slda): classifies;
    /// Logistic regression.
    Logistic(Logistic): classifies;
    /// Naive Bayes: features are independent within a class.
    NaiveBayes(NaiveBayes): classifies;
    /// A tree.
    Cart(Cart): classifies;
    /// The sum of three classifiers.
    Ensemble(Ensemble): classifies;
}

impl Method {
    /// The method of this name with its defaults.
    pub fn find(name: &str) -> Result<Method> {
        Method::default_of(name).ok_or_else(|| Error::Unknown {
            kind: "method",
            name: name.into(),
            known: Self::catalogue().iter().map(|info| info.name.to_string()).collect(),
        })
    }

    /// The method of this name with some parameters set from text, as a command line gives them. A parameter
    /// without effect beside the others is refused.
    pub fn from_settings<'a>(name: &str, settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Method> {
        let settings: Vec<(&str, &str)> = settings.into_iter().collect();
        Self::find(name)?.with_settings(&settings)
    }

    /// The method of this name with some parameters set from typed values. Unlike [`Method::from_settings`], it accepts a
    /// parameter without effect, for callers who always give all parameters or try many combinations.
    pub fn from_values(name: &str, values: Map<String, Value>) -> Result<Method> {
        let method = Self::find(name)?;
        let known = method.info().parameters;
        let values = values.iter().map(|(key, value)| (key.as_str(), value.clone()));
        let method = parameter::set_values(method, &known, values)?;
        method.validate()?;
        Ok(method)
    }

    /// The method behind a result.
    pub fn from_record(record: &MethodRecord) -> Result<Method> {
        Self::from_values(&record.name, record.parameters.clone())
    }

    /// The method with one parameter set from text.
    pub fn with(&self, key: &str, text: &str) -> Result<Method> {
        self.clone().with_settings(&[(key, text)])
    }

    fn with_settings(self, settings: &[(&str, &str)]) -> Result<Method> {
        let known: Vec<Parameter> = self.info().parameters;
        let method = parameter::set(self, &known, settings)?;
        method.validate()?;
        method.check_effect(&settings.iter().map(|(key, _)| *key).collect::<Vec<_>>())?;
        Ok(method)
    }

    /// The name users type.
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// Whether it selects features of a table.
    pub fn selects(&self) -> bool {
        self.selector().is_some()
    }

    /// Whether it classifies.
    pub fn classifies(&self) -> bool {
        self.classifier().is_some()
    }

    /// The names of the methods that classify.
    pub fn classifiers() -> Vec<&'static str> {
        let classifies = |info: &MethodInfo| Method::default_of(info.name).is_some_and(|method| method.classifies());
        Self::catalogue().iter().filter(|info| classifies(info)).map(|info| info.name).collect()
    }

    /// Whether it has a parameter of this name.
    pub fn has(&self, key: &str) -> bool {
        self.info().parameters.iter().any(|parameter| parameter.name == key)
    }

    /// The parameters and their values.
    pub fn parameters(&self) -> Map<String, Value> {
        let mut fields = parameter::fields(self);
        fields.shift_remove("name");
        fields
    }

    /// Trains a classifier.
    pub fn fit(&self, data: &View, context: &mut Context) -> Result<Model> {
        let Training { fitted, notes } = self.to_classify()?.fit(data, context)?;
        Ok(Model::new(data, self.clone(), notes, fitted))
    }

    /// Trains a classifier and, if it selects features as it learns, returns its selection too, from the same training.
    pub fn fit_selecting(&self, data: &View, context: &mut Context) -> Result<(Model, Option<Selection>)> {
        let (Training { fitted, notes }, selection) = self.to_classify()?.fit_selecting(data, context)?;
        Ok((Model::new(data, self.clone(), notes, fitted), selection))
    }

    fn to_classify(&self) -> Result<&(dyn AnyClassifier + Sync)> {
        self.classifier().ok_or_else(|| {
            let remedy = format!("use a classifier: {}", Self::classifiers().join(", "));
            Error::method(self.name(), "selects features but does not classify", remedy)
        })
    }

    pub(super) fn to_select(&self) -> Result<&(dyn Selector + Sync)> {
        self.selector().ok_or_else(|| match self {
            Method::Shrink(_) => {
                let remedy = text!["run ", Command::Shrink, ", or pass ", OptionName::Method.set("snbl")];
                Error::method("shrink", "takes scores, not a table", remedy)
            }
            _ => {
                let remedy = text!["run ", Command::Fit, ", or use a method that selects"];
                Error::method(self.name(), "classifies with all features and selects none", remedy)
            }
        })
    }

    /// How numbers become levels, and how many, for methods that can select from codes alone.
    pub fn coding(&self) -> Option<(Discretise, usize)> {
        self.coded().and_then(CodedSelector::coding)
    }

    /// Selects from codes, for methods that have a [`Method::coding`]. Features in `keep` are always selected;
    /// near-duplicates are not searched for.
    pub(crate) fn select_codes(
        &self,
        codes: &CodedTable,
        names: &Arc<[String]>,
        keep: &[u32],
        context: &mut Context,
    ) -> Result<Selection> {
        match self.coded() {
            Some(method) => method.select_codes(codes, names, keep, context),
            None => Err(Error::method(self.name(), "needs the values themselves, not only their levels", READ_WHOLE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_describes_exactly_the_parameters_there_are() {
        for info in Method::catalogue() {
            let method = Method::find(info.name).expect("a method");
            let mut described: Vec<&str> = info.parameters.iter().map(|p| p.name).collect();
            let fields = method.parameters();
            let mut real: Vec<&str> = fields.keys().map(String::as_str).collect();
            described.sort_unstable();
            real.sort_unstable();
            assert_eq!(described, real, "{}", info.name);
            assert_eq!(Method::from_settings(info.name, []).expect("defaults are valid"), method);
            let value = serde_json::to_value(&method).expect("serialises");
            assert_eq!(value["name"], info.name, "the name in files is the name in the catalogue");
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
        assert_eq!(message("bandwidth", "2"), "`bandwidth` has no effect with prior=auto; remove it");
        assert!(message("decide", "prob:1.5").contains("prob:"));
        assert!(message("decide", "fdr:x").contains("fdr:Q"));
        assert!(message("bandwidth", "-1").contains("0.01"));
        assert!(message("tol", "0").contains("1e-15"));
        assert!(message("max_iter", "-3").contains("it takes"));
        assert!(Method::from_settings("snlb", []).expect_err("wrong").to_string().contains("did you mean `snbl`?"));
        let bins = Method::from_settings("npfs", [("base", "fisher"), ("bins", "5")]).expect_err("no effect");
        assert_eq!(bins.to_string(), "`bins` has no effect with base=fisher; remove it");
    }
}
