//! What a classifier's rows go through, learned from training rows and saved with the model.

use crate::base::{Note, Result};
use crate::score::CovariateRemover;
use crate::table::counts::CountNormaliser;
use crate::table::{Table, View};
use serde::{Deserialize, Serialize};

/// How rows are prepared for a classifier, with quantities from the rows it was trained on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LearnedPreparation {
    /// How counts are normalised, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountNormaliser>,
    /// How the covariates' part is taken from the features, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covariates: Option<CovariateRemover>,
}

/// Rows as a classifier sees them.
pub struct PreparedRows<'a> {
    data: View<'a>,
    table: Option<Table>,
    /// What was learned of covariates.
    pub(crate) notes: Vec<Note>,
}

impl<'a> PreparedRows<'a> {
    /// Rows as they are.
    pub(super) fn given(data: View<'a>) -> Self {
        PreparedRows { data, table: None, notes: vec![] }
    }

    /// The rows of a view with the values of a table that was made of them.
    pub(super) fn changed(data: &View<'a>, table: Table) -> Self {
        PreparedRows { table: Some(table), ..Self::given(data.clone()) }
    }

    /// The rows; covariates and blocks are no part of them where they were removed.
    pub fn view(&self) -> View<'_> {
        self.table.as_ref().map_or_else(|| self.data.clone(), |table| self.data.over(table))
    }
}

impl LearnedPreparation {
    /// Learns what covariates explain from rows whose counts, if they are counts, are normalised; also the rows without it.
    ///
    /// # Errors
    ///
    /// Covariates that cannot be removed.
    pub(super) fn learn<'a>(
        counts: Option<CountNormaliser>,
        rows: PreparedRows<'a>,
    ) -> Result<(Self, PreparedRows<'a>)> {
        let covariates = CovariateRemover::learn(&rows.view())?;
        let rows = match &covariates {
            None => rows,
            Some(remover) => {
                let (table, notes) = (remover.apply(&rows.view())?, remover.notes(&rows.view()));
                PreparedRows { table: Some(table), notes, ..rows }
            }
        };
        Ok((LearnedPreparation { counts, covariates }, rows))
    }

    /// The rows of a view as a classifier sees them.
    ///
    /// # Errors
    ///
    /// A column that the view does not have, values that are no counts, a covariate's level that was not there to learn
    /// from.
    pub fn apply<'a>(&self, data: &View<'a>) -> Result<PreparedRows<'a>> {
        let mut rows = PreparedRows::given(data.clone());
        if let Some(normaliser) = &self.counts {
            rows.table = Some(normaliser.apply(data)?);
        }
        if let Some(remover) = &self.covariates {
            rows.table = Some(remover.apply(&rows.view())?);
        }
        Ok(rows)
    }

    /// The columns of covariates that a table must have, by name.
    pub fn covariate_names(&self) -> Vec<&str> {
        self.covariates.as_ref().map_or_else(Vec::new, CovariateRemover::covariates)
    }

    /// The reason why it cannot be used, if its parts do not fit together.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let counts = self.counts.as_ref().and_then(CountNormaliser::fault);
        counts.or_else(|| self.covariates.as_ref().and_then(CovariateRemover::fault))
    }
}
