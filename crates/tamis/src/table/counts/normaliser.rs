//! Everything that is learned from training rows to normalise counts, and applied to others.

use super::checked_counts::CountColumns;
use super::enough_counts::enough_counts;
use super::group_size::least_group;
use super::log_cpm::RowScale;
use super::tmm::TmmReference;
use super::{CountSettings, Normalize};
use crate::base::remedies::no_rows;
use crate::base::{Error, Note, NoteKind, OptionName, Place, Result, text};
use crate::table::{Column, Table, View, first_repeated};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Turns counts into log₂ counts per million, with quantities from the rows it was learned from.
///
/// With [`Normalize::Voom`] it is log₂((c + ½)/(L + 1)·10⁶), and `snbl` gives every value a precision.
///
/// With count c in a row of library size L (times the row's factor, with TMM) and prior = 2·L/(mean L of the training
/// rows), the value is log₂((c + prior)/(L + 2·prior)·10⁶).
///
/// Features with too few counts are dropped first, by the rule of edgeR's `filterByExpr` with `min_count`. Library sizes
/// are sums over the other features, so these are the columns that a table must have. Importance weights have no influence.
///
/// ```
/// use tamis::table::counts::{CountSettings, Normalize};
/// use tamis::table::{Table, Target};
///
/// let target = Target::classes(&[Some("sick"), Some("sick"), Some("well"), Some("well")]);
/// let names = vec!["gene_1".to_string(), "gene_2".to_string()];
/// let counts = vec![vec![30.0, 60.0, 15.0, 31.0], vec![70.0, 141.0, 85.0, 168.0]];
/// let table = Table::new(names, counts, "state", target)?;
///
/// let settings = CountSettings { normalize: Normalize::LogCpm, ..CountSettings::default() };
/// if let Some(normaliser) = settings.learn(&table.view())? {
///     let normalised = normaliser.apply(&table.view())?;
///     // twice the depth, the same level
///     let gene_1 = normalised.columns()[0].numbers().unwrap_or_default();
///     assert!((gene_1[0] - gene_1[1]).abs() < 0.05 && gene_1[0] - gene_1[2] > 0.8);
/// }
/// # Ok::<(), tamis::Error>(())
/// ```
///
/// # Reference
///
/// Robinson & Oshlack, *A scaling normalization method for differential expression analysis of RNA-seq data*, Genome
/// Biology 2010. Law, Chen, Shi & Smyth, *voom: precision weights unlock linear model analysis tools for RNA-seq read
/// counts*, Genome Biology 2014.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountNormaliser {
    /// The features with enough counts, by name: library sizes are sums over them.
    features: Vec<String>,
    /// The mean library size of the training rows, TMM factors included.
    mean_library_size: f64,
    /// The reference of TMM factors; none without TMM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tmm: Option<TmmReference>,
    /// Whether values are to have precisions of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    precise: bool,
}

impl CountNormaliser {
    /// Learns from the rows of a view; the settings do not say [`Normalize::None`]. Features to keep are not dropped.
    pub(super) fn learn(data: &View, settings: &CountSettings) -> Result<CountNormaliser> {
        let data = &data.copies_as_rows()?;
        let all: Vec<u32> = (0..data.n_features() as u32).collect();
        let mut counts = CountColumns::of(data, &all)?;
        if counts.n_rows() == 0 {
            return Err(no_rows());
        }
        let least_group = least_group(data)?;
        let mut enough = enough_counts(&counts, &counts.library_sizes()?, least_group, settings.min_count);
        data.keep().iter().for_each(|&feature| enough[feature as usize] = true);
        if !enough.contains(&true) {
            let problem = format!("no feature has enough counts ({} in {least_group:.0} rows)", settings.min_count);
            let remedy = text!["lower ", OptionName::MinCount, "; 0 uses every feature"];
            return Err(Error::data(Place::default(), problem, remedy));
        }
        counts.keep(&enough);
        let mut sizes = counts.library_sizes()?;
        let tmm = match settings.normalize {
            Normalize::Tmm | Normalize::Voom => {
                let (reference, factors) = TmmReference::learn(&counts, &sizes)?;
                sizes.iter_mut().zip(factors).for_each(|(size, factor)| *size *= factor);
                Some(reference)
            }
            Normalize::LogCpm | Normalize::None => None,
        };
        let features = data.names().iter().zip(enough).filter(|(_, enough)| *enough).map(|(name, _)| name.clone());
        let mean_library_size = sizes.iter().sum::<f64>() / sizes.len() as f64;
        let precise = settings.normalize == Normalize::Voom;
        Ok(CountNormaliser { features: features.collect(), mean_library_size, tmm, precise })
    }

    /// The features with enough counts, by name: those that a table must have, and that a normalised table has.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// How counts are normalised.
    pub fn normalize(&self) -> Normalize {
        match (&self.tmm, self.precise) {
            (_, true) => Normalize::Voom,
            (Some(_), false) => Normalize::Tmm,
            (None, false) => Normalize::LogCpm,
        }
    }

    /// Where [`CountNormaliser::features`] are among the features of a view.
    ///
    /// # Errors
    ///
    /// A feature that the view does not have.
    pub fn positions(&self, data: &View) -> Result<Vec<u32>> {
        let places: HashMap<&str, u32> = data.names().iter().zip(0..).map(|(name, at)| (name.as_str(), at)).collect();
        let place = |name: &String| {
            places.get(name.as_str()).copied().ok_or_else(|| Error::Unknown {
                kind: "column",
                name: name.clone(),
                known: data.names().to_vec(),
            })
        };
        self.features.iter().map(place).collect()
    }

    /// Library sizes of the rows of a view, times their TMM factors if there are any.
    fn library_sizes(&self, counts: &CountColumns) -> Result<Vec<f64>> {
        let sizes = counts.library_sizes()?;
        let Some(reference) = &self.tmm else { return Ok(sizes) };
        let scaled = |(row, size): (usize, f64)| Ok(size * reference.factor(&counts.row(row), size)?);
        sizes.into_par_iter().enumerate().map(scaled).collect()
    }

    /// A table with the log₂ counts per million of the view's rows, and with its target, weights and groups. Values of
    /// other rows are missing.
    ///
    /// Cost: O(cells) and a copy of the table; a sort of every row with TMM.
    ///
    /// # Errors
    ///
    /// A feature that the view does not have; values that are no counts; a row without any count above 0.
    pub fn apply(&self, data: &View) -> Result<Table> {
        let positions = self.positions(data)?;
        let counts = CountColumns::of(data, &positions)?;
        let sizes = self.library_sizes(&counts)?;
        let scale = |&size: &f64| match self.precise {
            true => RowScale::of_precise(size),
            false => RowScale::new(size, self.mean_library_size),
        };
        let scales: Vec<RowScale> = sizes.iter().map(scale).collect();
        let column = |feature: &mut dyn Iterator<Item = f64>| {
            let mut values = vec![f64::NAN; data.columns().n_rows()];
            for ((count, scale), &row) in feature.zip(&scales).zip(data.rows()) {
                values[row as usize] = scale.log_cpm(count);
            }
            Column::Numbers(values)
        };
        let columns = counts.features().map(|mut feature| column(&mut feature)).collect();
        let mut table = data.with_columns(self.features.clone(), columns);
        table.study.library_sizes = self.precise.then(|| {
            let mut all = vec![f64::NAN; data.columns().n_rows()];
            data.rows().iter().zip(sizes).for_each(|(&row, size)| all[row as usize] = size);
            all
        });
        Ok(table)
    }

    /// Notes for the user of a result on a view it was learned from: what was done, and the features that were dropped.
    pub fn notes(&self, data: &View) -> Vec<Note> {
        let sizes = match self.normalize() {
            Normalize::Tmm => "library sizes adjusted by TMM factors",
            Normalize::Voom => "library sizes adjusted by TMM factors, every value with a precision of its own (voom)",
            Normalize::LogCpm | Normalize::None => "library sizes not adjusted",
        };
        let done =
            Note::new(NoteKind::CountsNormalised, format!("counts are used as log2 counts per million, {sizes}"));
        let used: std::collections::HashSet<&String> = self.features.iter().collect();
        let dropped: Vec<String> = data.names().iter().filter(|name| !used.contains(name)).cloned().collect();
        let dropped = Note::counting(NoteKind::TooFewCounts, "{} with too few counts left out", dropped);
        std::iter::once(done).chain(dropped).collect()
    }

    /// What is wrong with a normaliser that was read from a file.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if self.features.is_empty() || first_repeated(&self.features).is_some() || !positive(self.mean_library_size) {
            return Some("its counts cannot be normalised");
        }
        let sound = |reference: &TmmReference| {
            reference.counts.len() == self.features.len()
                && reference.counts.iter().all(|count| *count >= 0.0 && count.is_finite())
                && positive(reference.library_size)
                && positive(reference.geometric_mean)
        };
        self.tmm.as_ref().is_some_and(|reference| !sound(reference)).then_some("its reference counts do not match")
    }
}
