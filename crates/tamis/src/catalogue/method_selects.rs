//! Selecting by any method: what it can analyse is checked first.

use super::Method;
use crate::base::{Auto, Context, Error, OptionName, Result, text};
use crate::score::Statistic;
use crate::selection::{Selection, Selector};
use crate::table::{BlockModel, FeatureGroup, View};

impl Method {
    /// Refuses survival times where the method cannot analyse them.
    fn check_target(&self, data: &View) -> Result<()> {
        if self.adjusts() { Ok(()) } else { data.target().refuse_survival(self.name()) }
    }
}

impl Selector for Method {
    fn choose(&self, data: &View, context: &mut Context) -> Result<Vec<u32>> {
        self.check_design(data)?;
        self.check_target(data)?;
        self.to_select()?.choose(data, context)
    }

    fn select(&self, data: &View, context: &mut Context) -> Result<Selection> {
        self.check_design(data)?;
        self.check_target(data)?;
        self.to_select()?.select(data, context)
    }
}

impl Method {
    /// Selects, and tests sets of features where the method names features together.
    ///
    /// # Errors
    ///
    /// Those of the method.
    pub(super) fn select_with_sets(
        &self,
        data: &View,
        sets: &[FeatureGroup],
        context: &mut Context,
    ) -> Result<Selection> {
        match self {
            Method::Snbl(snbl) => snbl.select_with_sets(data, sets, context),
            _ => self.select(data, context),
        }
    }

    /// Whether it adjusts for covariates and blocks and compares some of several classes.
    pub(super) fn adjusts(&self) -> bool {
        matches!(self, Method::Snbl(_) | Method::Needed(_))
    }

    /// Whether it adjusts for covariates and blocks, compares some of several classes, and names features together.
    pub fn takes_designs(&self) -> bool {
        matches!(self, Method::Snbl(_))
    }

    /// What it does about rows of a block.
    pub(super) fn block_model(&self) -> BlockModel {
        match self {
            Method::Snbl(snbl) => snbl.block_model,
            _ => BlockModel::Auto,
        }
    }

    /// The method with `trend=auto` resolved, where variances are moderated.
    pub(super) fn with_trend(mut self, follows: bool) -> Method {
        if let Method::Snbl(snbl) = &mut self
            && matches!(snbl.score, Statistic::Auto | Statistic::Moderated)
        {
            snbl.trend = Auto::Set(snbl.trend.or(follows));
        }
        self
    }

    /// The method where a classifier follows: of `needed` that takes the features that predict.
    pub(super) fn before_classifier(self) -> Method {
        match self {
            Method::Needed(needed) => needed.for_prediction().into(),
            other => other,
        }
    }

    /// Refuses covariates, blocks and comparisons of several classes where the method does not look at them.
    fn check_design(&self, data: &View) -> Result<()> {
        if self.adjusts() {
            return Ok(());
        }
        data.refuse_comparison(self.name())?;
        let covariate = data.covariates().first().map(|covariate| (OptionName::Covariate, covariate.name.as_str()));
        let block = data.blocks().map(|(name, _)| (OptionName::Block, name));
        let model = data.model().map(|model| (OptionName::Formula, model.formula.text()));
        match model.or(covariate).or(block) {
            None => Ok(()),
            Some((option, column)) => {
                let said = format!("`{}` does not adjust for other columns; pass ", self.name());
                Err(Error::parameter(option, column, text![said, OptionName::Method.set("snbl")]))
            }
        }
    }
}
