//! The part of a table a method may look at.

use crate::base::error::Place;
use crate::base::{Error, OptionName, Result, remedies, text};
use crate::table::caller_checks::{check_length, check_rows};
use crate::table::row_noise::RowNoise;
use crate::table::row_weights::{RowWeights, ViewWeights, WeightKind};
use crate::table::{Categories, CodedTest, Column, Columns, ComparedClasses, Covariate, Model, Study, Table, Target};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Rows of a study: all that have a target, or some of them (a fold, a bootstrap), with the features to be looked at.
///
/// Every method takes its data through a view, whether they lie in a [`Table`] or in a matrix of another library.
///
/// ```
/// use tamis::prelude::*;
///
/// let table = TwoGroups { features: 10, relevant: 1, ..TwoGroups::default() }.draw(1)?.table;
/// let first_half: Vec<u32> = (0..100).collect();
/// let view = View::of_rows(&table, &first_half)?;
/// assert_eq!((view.rows().len(), view.n_features()), (100, 10));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct View<'a> {
    columns: &'a dyn Columns,
    study: &'a Study,
    rows: Vec<u32>,
    target: &'a Target,
    weights: Option<ViewWeights<'a>>,
}

/// Numbers of copies are written out up to so many rows.
const MOST_COPIES: f64 = 1e8;

impl<'a> View<'a> {
    /// Every row that has a target and any weight.
    ///
    /// # Errors
    ///
    /// Columns of another length than the target.
    pub fn new(columns: &'a dyn Columns, study: &'a Study) -> Result<Self> {
        check_length(columns.n_rows(), "value", study.target.len())?;
        Ok(View::of_study(columns, study))
    }

    /// [`View::new`] for columns that have the target's length.
    pub(super) fn of_study(columns: &'a dyn Columns, study: &'a Study) -> Self {
        let weight = |row: u32| study.weights().map_or(1.0, |weights| weights.values[row as usize]);
        let whole = View { columns, study, rows: vec![], target: &study.target, weights: None };
        let mut rows = whole.counting(0..study.target.len() as u32);
        rows.retain(|&row| weight(row) > 0.0);
        let weights = study.weights().map(|weights| ViewWeights::of(weights, &rows));
        View { rows, weights, ..whole }
    }

    /// Only these rows of the table, numbered from 0; those without a target or without weight are left out.
    ///
    /// # Errors
    ///
    /// A row number that the table does not have.
    pub fn of_rows(table: &'a Table, rows: &[u32]) -> Result<Self> {
        table.view().of_these_rows(rows)
    }

    /// All rows, whether they have a target and weight or not: rows to be predicted.
    pub fn every_row(table: &'a Table) -> Self {
        let rows = (0..table.n_rows() as u32).collect();
        View { columns: table, study: &table.study, rows, target: table.target(), weights: None }
    }

    /// The view's rows with other weights, one per row of the table. Rows without weight are left out.
    ///
    /// # Errors
    ///
    /// Another number of weights than the table has rows.
    pub fn with_weights<'b>(&self, weights: &'b RowWeights) -> Result<View<'b>>
    where
        'a: 'b,
    {
        check_length(weights.values.len(), "weight", self.study.target.len())?;
        let rows: Vec<u32> = self.rows.iter().copied().filter(|&r| weights.values[r as usize] > 0.0).collect();
        let weights = Some(ViewWeights::of(weights, &rows));
        Ok(View { rows, weights, ..self.clone() })
    }

    /// The view's rows, each as often as a bootstrap has drawn it: a number per row of the table.
    pub(crate) fn bootstrapped<'b>(&self, drawn: &'b [f64]) -> View<'b>
    where
        'a: 'b,
    {
        let rows = self.rows.iter().copied().filter(|&r| drawn[r as usize] > 0.0).collect();
        View { rows, weights: Some(ViewWeights::Copies(drawn)), ..self.clone() }
    }

    /// The view with a row for every copy, and no weights, where weights are numbers of copies.
    ///
    /// # Errors
    ///
    /// More than 10⁸ copies.
    pub(crate) fn copies_as_rows(&self) -> Result<View<'a>> {
        let Some(ViewWeights::Copies(copies)) = &self.weights else { return Ok(self.clone()) };
        let all: f64 = self.rows.iter().map(|&row| copies[row as usize]).sum();
        if all > MOST_COPIES {
            return Err(remedies::too_many_copies(all));
        }
        let copies = |&row: &u32| std::iter::repeat_n(row, copies[row as usize] as usize);
        Ok(View { rows: self.rows.iter().flat_map(copies).collect(), weights: None, ..self.clone() })
    }

    /// A table with a row for every copy, where weights are numbers of copies: rows that change places must do so by
    /// themselves.
    ///
    /// # Errors
    ///
    /// More than 10⁸ copies.
    pub(crate) fn copies_as_table(&self) -> Result<Option<Table>> {
        let Some(ViewWeights::Copies(_)) = &self.weights else { return Ok(None) };
        let rows = self.copies_as_rows()?.rows;
        let recoded = |c: &Categories| c.recoded(rows.iter().map(|&row| c.codes()[row as usize]).collect());
        let gathered = |column: &Column| match column {
            Column::Numbers(x) => Column::Numbers(rows.iter().map(|&row| x[row as usize]).collect()),
            Column::Categories(c) => Column::Categories(recoded(c)),
        };
        let covariate = |c: &Covariate| Covariate { name: c.name.clone(), values: gathered(&c.values) };
        let study = Study {
            target_name: self.target_name().into(),
            target: self.target.of_rows(&rows),
            covariates: self.covariates().iter().map(covariate).collect(),
            blocks: self.blocks().map(|(name, blocks)| (name.to_string(), recoded(blocks))),
            groups: self.study.groups.as_ref().map(|(name, groups)| (name.clone(), recoded(groups))),
            rows_are_samples: self.study.rows_are_samples,
            row_names: self
                .study
                .row_names
                .as_ref()
                .map(|names| rows.iter().map(|&row| names[row as usize].clone()).collect()),
            comparison: self.comparison(),
            keep: self.keep().to_vec(),
            model: self.model().cloned(),
            ..Study::default()
        };
        let columns = (0..self.n_features()).map(|at| gathered(&self.column(at))).collect();
        Ok(Some(Table { names: Arc::clone(self.names()), columns, study, ids: vec![], notes: vec![] }))
    }

    /// The view's rows with another target, one value per row of the table. Rows without one are left out.
    ///
    /// # Errors
    ///
    /// Another number of values than the table has rows, and codes out of range.
    pub fn with_target<'b>(&self, target: &'b Target) -> Result<View<'b>>
    where
        'a: 'b,
    {
        check_length(target.len(), "target value", self.study.target.len())?;
        target.check_codes(&Place::default())?;
        let view = self.permuted(target);
        let rows = view.counting(view.rows.iter().copied());
        Ok(view.over_rows(rows))
    }

    /// The view with further covariates, a number per row of the view each; `study` is where they are kept.
    pub(crate) fn adjusted_for<'b>(&self, further: &[Vec<f64>], study: &'b mut Option<Study>) -> View<'b>
    where
        'a: 'b,
    {
        let mut changed = self.study.clone();
        for (number, values) in (1..).zip(further) {
            let mut all = vec![f64::NAN; self.study.target.len()];
            self.rows.iter().zip(values).for_each(|(&row, value)| all[row as usize] = *value);
            changed.covariates.push(Covariate { name: format!("factor {number}"), values: Column::Numbers(all) });
        }
        View { study: study.insert(changed), ..self.clone() }
    }

    /// The view's study with a test as its target.
    pub(super) fn study_of_test(
        &self,
        target_name: String,
        target: Target,
        covariates: Vec<Covariate>,
        coded: CodedTest,
    ) -> Study {
        let weights = self.own_weights();
        let comparison = ComparedClasses::default();
        let study = self.study.clone();
        Study { target_name, target, covariates, comparison, weights, model: None, coded: Some(coded), ..study }
    }

    /// The view whose rows have this noise; `study` is where it is kept.
    pub(crate) fn with_row_noise<'b>(&self, noise: RowNoise, study: &'b mut Option<Study>) -> View<'b>
    where
        'a: 'b,
    {
        let changed = Study { row_noise: Some(noise), ..self.study.clone() };
        View { study: study.insert(changed), ..self.clone() }
    }

    /// Library sizes of the view's rows, where values are log counts that are to have precisions of their own.
    pub(crate) fn library_sizes(&self) -> Option<Vec<f64>> {
        let sizes = self.study.library_sizes.as_ref()?;
        Some(self.rows.iter().map(|&row| sizes[row as usize]).collect())
    }

    /// What a row of the table is called: its name, or its number from 1 on.
    pub(crate) fn row_name(&self, row: u32) -> String {
        match &self.study.row_names {
            Some(names) => names[row as usize].clone(),
            None => format!("{} {}", self.study.row_noun(), row + 1),
        }
    }

    /// How the noise of rows differs, where that was estimated.
    pub(crate) fn row_noise(&self) -> Option<&'a RowNoise> {
        self.study.row_noise.as_ref()
    }

    /// The view's rows in a study whose test is the target.
    pub(crate) fn in_study<'b>(&self, study: &'b Study) -> View<'b>
    where
        'a: 'b,
    {
        View { study, target: &study.target, ..self.clone() }
    }

    /// The linear model that features are regressed on, if there is one.
    pub fn model(&self) -> Option<&'a Model> {
        self.study.model()
    }

    /// What the test of a model has beside a target of numbers.
    pub(crate) fn coded_test(&self) -> Option<&'a CodedTest> {
        self.study.coded.as_ref()
    }

    /// The view without covariates, blocks and contrast; `study` is where the rest is kept. Blocks stay together in splits.
    pub(crate) fn without_design<'b>(&self, study: &'b mut Option<Study>) -> View<'b>
    where
        'a: 'b,
    {
        if self.study.covariates.is_empty() && self.study.blocks.is_none() {
            return self.clone();
        }
        let Study { groups, blocks, .. } = self.study.clone();
        let changed = Study { covariates: vec![], groups: groups.or(blocks), blocks: None, ..self.study.clone() };
        View { study: study.insert(changed), ..self.clone() }
    }

    /// [`View::with_target`] for the view's own target in another order, which needs no check.
    pub(crate) fn permuted<'b>(&self, target: &'b Target) -> View<'b>
    where
        'a: 'b,
    {
        View { target, ..self.clone() }
    }

    /// Only these rows of the table, numbered from 0, with the view's target and weights.
    ///
    /// # Errors
    ///
    /// A row number that the table does not have.
    pub fn of_these_rows(&self, rows: &[u32]) -> Result<View<'a>> {
        check_rows(rows, self.study.target.len())?;
        Ok(self.over_rows(self.counting(rows.iter().copied())))
    }

    /// These rows, all of which count.
    fn over_rows(&self, rows: Vec<u32>) -> View<'a> {
        let weights = self.weights.as_ref().map(|weights| weights.over(&rows));
        View { rows, weights, ..self.clone() }
    }

    /// Those of the rows that have a target and any weight.
    fn counting(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        let weight = |row: usize| self.weights.as_ref().map_or(1.0, |weights| weights.values()[row]);
        let counts = |row: usize| self.target.has(row) && weight(row) > 0.0 && self.study.has_design(row);
        rows.filter(|&r| counts(r as usize)).collect()
    }

    /// The view's weights as those of a study of the same rows.
    fn own_weights(&self) -> Option<(String, RowWeights)> {
        let name = self.study.weights.as_ref().map_or("weight", |(name, _)| name);
        let weights = self.weights.as_ref()?;
        Some((name.to_string(), RowWeights { values: weights.values().to_vec(), kind: weights.kind() }))
    }

    /// A table of all features, copied, where they lie in another library's layout: for methods that read a column many
    /// times.
    ///
    /// # Errors
    ///
    /// An infinite number, and a name that stands twice.
    pub(crate) fn as_table(&self) -> Result<Option<Table>> {
        match self.columns.is_table() {
            true => Ok(None),
            false => Table::of(self.columns, self.study.clone()).map(Some),
        }
    }

    /// Whether only values other than 0 are held.
    pub(crate) fn is_sparse(&self) -> bool {
        self.columns.sparse_columns().is_some() || self.columns.sparse_rows().is_some()
    }

    /// A table of only these features, over all rows, with the view's target, weights and groups.
    pub fn narrowed(&self, features: &[u32]) -> Table {
        Table {
            names: features.iter().map(|&i| self.names()[i as usize].clone()).collect::<Vec<_>>().into(),
            columns: features.iter().map(|&i| self.column(i as usize).into_owned()).collect(),
            study: Study {
                target_name: self.study.target_name.clone(),
                event_name: self.study.event_name.clone(),
                target: self.target.clone(),
                weights: self.own_weights(),
                groups: self.study.groups.clone(),
                covariates: self.study.covariates.clone(),
                blocks: self.study.blocks.clone(),
                comparison: self.study.comparison,
                ..Study::default()
            },
            ids: vec![],
            notes: vec![],
        }
    }

    /// A table of other features, one value per row of the table, with the view's target, weights and groups. Features to
    /// keep are found by name.
    pub(crate) fn with_columns(&self, names: Vec<String>, columns: Vec<Column>) -> Table {
        let kept: HashSet<&String> = self.keep().iter().map(|&i| &self.names()[i as usize]).collect();
        let keep = (0..names.len() as u32).filter(|&i| kept.contains(&names[i as usize])).collect();
        let study = Study { target: self.target.clone(), weights: self.own_weights(), keep, ..self.study.clone() };
        Table { names: names.into(), columns, study, ids: vec![], notes: vec![] }
    }

    /// The same rows of another table that was made from this view's.
    pub(crate) fn over<'b>(&self, table: &'b Table) -> View<'b> {
        View {
            columns: table,
            study: &table.study,
            rows: self.rows.clone(),
            target: table.target(),
            weights: table.weights().map(|weights| ViewWeights::of(weights, &self.rows)),
        }
    }

    /// Whether rows are samples by the layout of the file.
    pub fn rows_are_samples(&self) -> bool {
        self.study.rows_are_samples
    }

    /// The rows' numbers in the table.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The features, wherever they lie.
    pub fn columns(&self) -> &'a dyn Columns {
        self.columns
    }

    /// How many features there are.
    pub fn n_features(&self) -> usize {
        self.names().len()
    }

    /// The numbers of a feature over all rows of the table: index them with [`View::rows`]. `None` for categories.
    pub fn numbers(&self, feature: usize) -> Option<Cow<'a, [f64]>> {
        self.columns.numbers(feature)
    }

    /// A feature over all rows of the table: index it with [`View::rows`].
    pub fn column(&self, feature: usize) -> Cow<'a, Column> {
        self.columns.column(feature)
    }

    /// The features' names.
    pub fn names(&self) -> &'a Arc<[String]> {
        self.columns.names()
    }

    /// Variables that features are adjusted for.
    pub fn covariates(&self) -> &'a [Covariate] {
        self.study.covariates()
    }

    /// The name of the blocks and the block of every row of the table, if there are any.
    pub fn blocks(&self) -> Option<(&'a str, &'a Categories)> {
        self.study.blocks()
    }

    /// Rows that stay together in every split, a code per row of the table: the groups of the study, or else its blocks.
    pub fn groups(&self) -> Option<&'a Categories> {
        self.study.groups()
    }

    /// How many classes the target tells apart: two where two of several are compared, one more than columns where several
    /// of a model are tested together. `None` for a target without classes.
    pub fn n_compared(&self) -> Option<usize> {
        let further = self.coded_test().map_or(0, |coded| coded.further.len());
        if further > 0 {
            return Some(further + 2);
        }
        self.target.n_classes().map(|n| if self.comparison().contrast.is_some() { 2 } else { n })
    }

    /// Which of several classes are compared.
    pub fn comparison(&self) -> ComparedClasses {
        self.study.comparison()
    }

    /// Refuses a comparison of some of several classes, for a method that looks at all of them alike.
    pub(crate) fn refuse_comparison(&self, method: &str) -> Result<()> {
        let Target::Classes { labels, .. } = self.target else { return Ok(()) };
        let label = |class: u32| labels[class as usize].as_str();
        let expected = text![format!("`{method}` looks at all classes alike; pass "), OptionName::Method.set("snbl")];
        match self.comparison() {
            ComparedClasses { contrast: Some([from, to]), .. } => {
                Err(Error::parameter(OptionName::Contrast, [label(from), label(to)].join(","), expected))
            }
            ComparedClasses { reference: Some(class), .. } => {
                Err(Error::parameter(OptionName::Reference, label(class), expected))
            }
            ComparedClasses { reference: None, contrast: None } => Ok(()),
        }
    }

    /// The target's name.
    pub fn target_name(&self) -> &'a str {
        self.study.target_name()
    }

    /// The name of the column of events, where the target is survival times from a file.
    pub fn event_name(&self) -> Option<&'a str> {
        self.study.event_name()
    }

    /// The target, over all rows of the table.
    pub fn target(&self) -> &'a Target {
        self.target
    }

    /// The weight of each row of the table, unless all rows of the view count alike: numbers of copies, or importance
    /// weights that sum over the view's rows to their effective number (Σw)²/Σw².
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().and_then(ViewWeights::unequal)
    }

    /// What [`View::weights`] mean.
    pub fn weight_kind(&self) -> WeightKind {
        self.weights.as_ref().map_or(WeightKind::default(), ViewWeights::kind)
    }

    /// Like [`View::weights`], but importance weights sum in every class to the effective number of that class's rows:
    /// what is compared is the classes, and how much they count beside each other makes no difference.
    pub(crate) fn weights_by_class(&self) -> Option<Cow<'_, [f64]>> {
        match self.target {
            Target::Classes { codes, labels, .. } => {
                self.weights.as_ref().and_then(|weights| weights.by_class(&self.rows, codes, labels.len()))
            }
            Target::Real { .. } | Target::Survival { .. } => self.weights().map(Cow::Borrowed),
        }
    }

    /// The weights as they were given, one per row of the table, and what they mean. Importance weights that are not the
    /// study's are those that sum to their effective number.
    pub(crate) fn given_weights(&self) -> Option<(WeightKind, &[f64])> {
        let weights = self.weights.as_ref()?;
        let own = self
            .study
            .weights()
            .filter(|own| own.kind == weights.kind() && ViewWeights::of(own, &self.rows).values() == weights.values());
        Some((weights.kind(), own.map_or(weights.values(), |own| &own.values)))
    }

    /// Features that are selected whatever the method says.
    pub fn keep(&self) -> &'a [u32] {
        self.study.keep()
    }

    /// How many rows of the view each class has, copies counted; empty for a target without classes.
    pub fn class_counts(&self) -> Vec<u64> {
        let Target::Classes { codes, labels, .. } = self.target else { return vec![] };
        let mut counts = vec![0_u64; labels.len()];
        for &row in self.rows.iter() {
            let count = &mut counts[codes[row as usize] as usize];
            *count = count.saturating_add(self.copies(row));
        }
        counts
    }

    /// How many rows the view has, copies counted.
    pub fn n_samples(&self) -> u64 {
        self.rows.iter().fold(0, |sum: u64, &row| sum.saturating_add(self.copies(row)))
    }

    /// How many rows a row of the view stands for.
    fn copies(&self, row: u32) -> u64 {
        match &self.weights {
            Some(ViewWeights::Copies(copies)) => copies[row as usize] as u64,
            _ => 1,
        }
    }
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let View { study, rows, target, weights, .. } = self;
        let mut shown = f.debug_struct("View");
        shown.field("names", self.names()).field("study", study).field("rows", rows);
        shown.field("target", target).field("weights", weights).finish_non_exhaustive()
    }
}

impl Table {
    /// All rows that have a target.
    pub fn view(&self) -> View<'_> {
        View::of_study(self, &self.study)
    }
}
