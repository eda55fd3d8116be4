//! Selecting by any method: what it can analyse is checked first.

use super::Method;
use crate::base::{Context, Error, OptionName, Result, text};
use crate::score::Statistic;
use crate::selection::{Selection, Selector};
use crate::table::View;

impl Method {
    /// Refuses survival times where the method cannot analyse them.
    fn check_target(&self, data: &View) -> Result<()> {
        match self {
            Method::Snbl(_) => Ok(()),
            _ => data.target().refuse_survival(self.name()),
        }
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
    /// Lets the prior of variances follow the features' means, where variances are moderated: right for log counts, whose
    /// variance depends on their mean.
    pub fn follow_trend(&mut self) {
        if let Method::Snbl(snbl) = self
            && matches!(snbl.score, Statistic::Auto | Statistic::Moderated)
        {
            snbl.trend = true;
        }
    }

    /// Refuses covariates, blocks and comparisons of several classes where the method does not look at them.
    fn check_design(&self, data: &View) -> Result<()> {
        if !matches!(self, Method::Snbl(_)) {
            data.refuse_comparison(self.name())?;
        }
        let covariate = data.covariates().first().map(|covariate| (OptionName::Covariate, covariate.name.as_str()));
        let block = data.blocks().map(|(name, _)| (OptionName::Block, name));
        match (self, covariate.or(block)) {
            (Method::Snbl(_), _) | (_, None) => Ok(()),
            (_, Some((option, column))) => {
                let said = format!("`{}` does not adjust for other columns; pass ", self.name());
                Err(Error::parameter(option, column, text![said, OptionName::Method.set("snbl")]))
            }
        }
    }
}
