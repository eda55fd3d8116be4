//! Bootstraps of a base that is a method of its own: every sample is a view with other weights.

use super::BaseCount;
use super::Npfs;
use super::base::about_base;
use super::chosen_by_run::SelectionRuns;
use crate::base::{Auto, Context, Note, NoteKind, Progress, Result};
use crate::resample::bootstrap_and_half_samples::permutation;
use crate::selection::Selector;
use crate::table::{Target, View};
use rayon::prelude::*;
use std::ops::Range;

/// Everything the bootstraps share.
struct BootstrapSetup<'a> {
    data: &'a View<'a>,
    base: Box<dyn Selector + Sync>,
    /// The target of the data, then those of the permutations.
    targets: Vec<Target>,
    /// The weights of the view's rows, where they have any.
    weights: Option<Vec<f64>>,
    seed: u64,
}

impl Npfs {
    /// All runs of a base that does not count information.
    pub(super) fn by_method(&self, data: &View, context: &mut Context) -> Result<SelectionRuns> {
        let seed = context.seed;
        let k = if let BaseCount::Set(k) = self.k { Auto::Set(k) } else { Auto::Auto };
        let first = self.base_selector(k).select(data, &mut Context::seeded(seed)).map_err(about_base)?;
        let usable: Vec<u32> = (0..first.names.len() as u32).filter(|&i| !first.scores[i as usize].is_nan()).collect();
        let k = if self.base.chooses_number() { None } else { self.k.resolve(usable.len())?.0 };
        let kinds = [NoteKind::ConstantFeature, NoteKind::TooFewValues, NoteKind::MissingValues, NoteKind::FewFeatures];
        let notes: Vec<Note> = first.notes.into_iter().filter(|n| kinds.contains(&n.kind)).collect();
        let rows = data.rows();
        let shuffled = (0..self.permutations()).map(|r| permuted(data, &permutation(seed, r as u64, rows.len())));
        let sampling = BootstrapSetup {
            data,
            base: self.base_selector(k.map_or(Auto::Auto, Auto::Set)),
            targets: std::iter::once(data.target().clone()).chain(shuffled).collect(),
            weights: data.weights().map(|w| rows.iter().map(|&r| w[r as usize]).collect()),
            seed,
        };
        let alone = |target: &Target| self.explained(sampling.base.as_ref(), &data.permuted(target));
        let mut runs = SelectionRuns {
            chosen: vec![],
            null: vec![vec![0; data.names().len()]; sampling.targets.len() - 1],
            alone: sampling.targets.par_iter().map(alone).collect(),
            usable,
            notes,
            k,
        };
        let failed = self.run_samples(&sampling, &mut runs, context)?;
        if failed > 0 {
            let text = format!(
                "in {failed} of {} samples the base chose nothing, because some class had too few rows",
                runs.chosen.len() * (1 + runs.null.len())
            );
            runs.notes.push(Note::new(NoteKind::FailedSamples, text));
        }
        self.drop_settled(&mut runs);
        Ok(runs)
    }

    /// Adds every bootstrap of the data, then under permutations until none can change the answer; returns how many
    /// samples the base refused.
    fn run_samples(&self, sampling: &BootstrapSetup, runs: &mut SelectionRuns, context: &mut Context) -> Result<usize> {
        let critical = self.stop_value(runs.k, runs.usable.len())?;
        let mut failed = self.run_targets(sampling, 0..1, runs, critical, context)?;
        let mut done = 0;
        while done < self.permutations() && (done == 0 || !self.settled(runs, done)) {
            let some = done..(2 * done + 1).min(self.permutations());
            failed += self.run_targets(sampling, some.start + 1..some.end + 1, runs, None, context)?;
            done = some.end;
        }
        runs.null.truncate(done);
        Ok(failed)
    }

    /// Adds every bootstrap under some targets, a few at a time.
    fn run_targets(
        &self,
        sampling: &BootstrapSetup,
        targets: Range<usize>,
        runs: &mut SelectionRuns,
        critical: Option<u64>,
        context: &mut Context,
    ) -> Result<usize> {
        let mut failed = 0;
        let at_once = rayon::current_num_threads().max(2);
        let total = (self.bootstraps * sampling.targets.len()) as u64;
        for from in (0..self.bootstraps).step_by(at_once) {
            context.step("bootstrapping", (targets.start * self.bootstraps + from * targets.len()) as u64, total)?;
            let batch = from..(from + at_once).min(self.bootstraps);
            for by_target in self.run_batch(sampling, &sampling.targets[targets.clone()], batch) {
                for (target, features) in targets.clone().zip(by_target) {
                    failed += usize::from(features.is_none());
                    runs.add(target, features.unwrap_or_else(Vec::new));
                }
            }
            if self.stop(runs, sampling.data.names().len(), critical) {
                break;
            }
        }
        Ok(failed)
    }

    /// For each bootstrap and each target the features chosen; `None` where the base refuses the sample, as one without
    /// two rows of every class.
    fn run_batch(
        &self,
        sampling: &BootstrapSetup,
        targets: &[Target],
        batch: Range<usize>,
    ) -> Vec<Vec<Option<Vec<u32>>>> {
        let BootstrapSetup { data, base, weights, seed, .. } = sampling;
        let rows = data.rows();
        let one = |b: usize| {
            let drawn = self.draw(*seed, b, rows.len(), weights.as_deref());
            let mut weights = vec![0.0; data.target().len()];
            rows.iter().zip(drawn).for_each(|(&r, w)| weights[r as usize] = f64::from(w));
            let choose = |target: &Target| {
                let sample = data.permuted(target).bootstrapped(&weights);
                base.select(&sample, &mut Context::seeded(*seed)).ok().map(|s| s.selected)
            };
            targets.iter().map(choose).collect()
        };
        batch.into_par_iter().map(one).collect()
    }
}

/// A target whose rows, those of the view, are in another order.
pub(super) fn permuted(data: &View, order: &[u32]) -> Target {
    let rows = data.rows();
    let mut target = data.target().clone();
    match (&mut target, data.target()) {
        (Target::Classes { codes: new, .. }, Target::Classes { codes: old, .. }) => {
            rows.iter().zip(order).for_each(|(&r, &o)| new[r as usize] = old[rows[o as usize] as usize]);
        }
        (Target::Real { values: new }, Target::Real { values: old }) => {
            rows.iter().zip(order).for_each(|(&r, &o)| new[r as usize] = old[rows[o as usize] as usize]);
        }
        _ => {}
    }
    target
}
