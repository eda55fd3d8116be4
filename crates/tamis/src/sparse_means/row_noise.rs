//! The noise of rows as `snbl` estimates it: how precise each sample is, how far rows of a block are correlated.

use super::Snbl;
use super::sample_weights::SampleWeights;
use crate::base::{Context, Error, Note, NoteKind, OptionName, Result, Weight, counted, text};
use crate::score::design::block_correlation::{BlockCorrelation, consensus};
use crate::score::design::sample_weights::sample_weights;
use crate::score::design::voom::cell_precisions;
use crate::score::design::{Design, Samples};
use crate::selection::Selector;
use crate::table::row_noise::RowNoise;
use crate::table::{BlockModel, Study, Target, View};
use std::sync::Arc;

/// A sample with a smaller weight is named in a note.
const LIGHT: f64 = 1.0 / 3.0;
/// Features that are looked at where nobody asked for weights.
const LOOKED_AT: usize = 2000;
/// With more cells the answer with weights that nobody asked for takes too long.
const MOST_CELLS: usize = 5_000_000;
/// With more samples weights that nobody asked for take too long.
const MOST_SAMPLES: usize = 200;

impl Snbl {
    /// The view with the noise of its rows, kept in `study`, and notes on it, where any of it is to be estimated.
    pub(super) fn with_row_noise<'a>(
        &self,
        data: &View<'a>,
        study: &'a mut Option<Study>,
        context: &mut Context,
    ) -> Result<(View<'a>, Vec<Note>)> {
        let correlated = self.block_model == BlockModel::Correlated;
        let weighs = self.sample_weights == SampleWeights::Auto;
        let sizes = data.library_sizes();
        if !correlated && !weighs && sizes.is_none() {
            return Ok((data.clone(), vec![]));
        }
        self.check_row_noise(data)?;
        let mut noise = RowNoise { correlation: correlated.then_some(0.0), ..RowNoise::default() };
        let mut notes = vec![];
        // precisions of cells and those of samples, or the correlation, rest on each other
        let rounds = if sizes.is_some() && (weighs || correlated) { 2 } else { 1 };
        for _ in 0..rounds {
            notes.clear();
            if let Some(sizes) = &sizes {
                noise.cells = None;
                let cells = cell_precisions(data, &samples(data, &noise)?, sizes, context)?;
                let all = cells.iter().map(|cells| over_all_rows(data, cells)).collect();
                noise.cells = Some(Arc::new(all));
            }
            if weighs {
                noise.precisions = None;
                let found = sample_weights(data, &samples(data, &noise)?, None, context)?;
                notes.extend(light_samples(data, &found));
                noise.precisions = Some(over_all_rows(data, &found));
            }
            if let (true, Some((name, blocks))) = (correlated, data.blocks()) {
                noise.correlation = Some(0.0);
                let codes: Vec<u32> = data.rows().iter().map(|&row| blocks.codes()[row as usize]).collect();
                let found = consensus(data, &samples(data, &noise)?, &codes, context)?;
                let (rho, said) = used_correlation(found);
                let text = format!("the correlation of rows of the same `{name}` {said}");
                notes.push(Note::new(NoteKind::Blocks, text).weighing(Weight::Read));
                noise.correlation = Some(rho);
            }
        }
        Ok((data.with_row_noise(noise, study), notes))
    }

    /// Refuses weights and correlations where features are not regressed on a design.
    fn check_row_noise(&self, data: &View) -> Result<()> {
        let name = if self.block_model == BlockModel::Correlated { "block_model" } else { "sample_weights" };
        let value = if name == "block_model" { self.block_model.to_string() } else { self.sample_weights.to_string() };
        if data.library_sizes().is_some() && matches!(data.target(), Target::Survival { .. }) {
            let expected = "survival times have no precisions; pass `tmm`";
            return Err(Error::parameter(OptionName::from("normalize"), "voom", expected));
        }
        if matches!(data.target(), Target::Survival { .. }) {
            return Err(Error::parameter(name, value, "survival times have no such design; leave it out"));
        }
        if self.sample_weights == SampleWeights::Auto && data.weights().is_some() {
            let expected = "rows have weights already; leave one of the two out";
            return Err(Error::parameter("sample_weights", self.sample_weights, expected));
        }
        Ok(())
    }

    /// The note that a sample disagrees, where weights were not asked for; `named` features are the answer without.
    ///
    /// Only a few features are looked at; the answer with weights is computed where there is such a sample.
    pub(super) fn disagreeing_samples(
        &self,
        (original, data): (&View, &View),
        named: usize,
        context: &mut Context,
    ) -> Result<Option<Note>> {
        let may_look = self.sample_weights == SampleWeights::None
            && self.wants_nulls()
            && data.rows().len() <= MOST_SAMPLES
            && data.weights().is_none()
            && !matches!(data.target(), Target::Survival { .. })
            && self.scoring().resolved(data)? == crate::score::Statistic::Moderated;
        if !may_look {
            return Ok(None);
        }
        let samples = Design::of(data)?.samples;
        let weights = sample_weights(data, &samples, Some(LOOKED_AT), context)?;
        let light: Vec<String> = light(data, &weights);
        if light.is_empty() {
            return Ok(None);
        }
        let disagrees = if light.len() == 1 { "disagrees" } else { "disagree" };
        let affordable = data.rows().len().saturating_mul(data.n_features()) <= MOST_CELLS;
        let with = match affordable {
            false => "features are blurred by it".into(),
            true => {
                let weighted = Snbl { sample_weights: SampleWeights::Auto, ..self.clone() };
                let with = weighted.choose(original, context)?.len();
                format!("with weights {with} named instead of {named}")
            }
        };
        let text = text![
            format!("{} {disagrees} with the others: {with}; pass ", listed(&light)),
            OptionName::from("sample_weights").set("auto")
        ];
        Ok(Some(Note::new(NoteKind::SampleWeights, text).weighing(Weight::ChangesAnswer)))
    }
}

/// The samples of a view with this noise.
fn samples(data: &View, noise: &RowNoise) -> Result<Samples> {
    let mut study = None;
    Ok(Design::of(&data.with_row_noise(noise.clone(), &mut study))?.samples)
}

/// The correlation that is used, and what is said of it.
fn used_correlation(found: BlockCorrelation) -> (f64, String) {
    match found {
        BlockCorrelation::Unknown => {
            (0.0, "cannot be estimated: blocks have one row each, or are adjusted for; 0 is used".to_string())
        }
        BlockCorrelation::Estimated(rho) if rho < 0.0 => (0.0, format!("is {rho:.2}, below 0; 0 is used")),
        BlockCorrelation::Estimated(rho) => (rho, format!("is {rho:.2}, the same for all features")),
    }
}

/// Precisions of the view's rows over all rows of the table.
fn over_all_rows(data: &View, precisions: &[f64]) -> Vec<f64> {
    let mut all = vec![1.0; data.columns().n_rows()];
    data.rows().iter().zip(precisions).for_each(|(&row, precision)| all[row as usize] = *precision);
    all
}

/// The names of samples that weigh less than a third.
fn light(data: &View, weights: &[f64]) -> Vec<String> {
    let rows = data.rows().iter().zip(weights).filter(|(_, weight)| **weight < LIGHT);
    rows.map(|(&row, _)| data.row_name(row)).collect()
}

fn light_samples(data: &View, weights: &[f64]) -> Option<Note> {
    let named = light(data, weights);
    let text = format!("{} less than a third: {}", weigh(named.len()), listed(&named));
    (!named.is_empty()).then(|| Note::new(NoteKind::SampleWeights, text).weighing(Weight::Read))
}

fn weigh(samples: usize) -> String {
    format!("{} {}", counted(samples, "sample"), if samples == 1 { "weighs" } else { "weigh" })
}

/// The first of these names.
fn listed(names: &[String]) -> String {
    const LISTED: usize = 5;
    let first: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    first.join(", ") + &more
}
