//! Bases that count information: their bootstraps run on codes, all at once or spread over workers.

use super::Npfs;
use super::chosen_by_run::SelectionRuns;
use super::lanes::{LaneEngine, MOST_ROWS};
use super::own_count::choose_own;
use crate::base::{Context, Describe, Error, Place, Progress, Result, parameter};
use crate::codes::{CodedTable, Discretise};
use crate::information::{CodedSelector, Criterion, relevance};
use crate::resample::bootstrap_and_half_samples::permutation;
use crate::selection::Selection;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Some of the bootstraps, run by a worker on all codes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartialRuns {
    /// The first of these bootstraps.
    pub start: usize,
    /// The features chosen in each, by position in the table.
    pub chosen: Vec<Vec<u32>>,
    /// Under each permutation, how often each feature was chosen.
    pub null: Vec<Vec<u32>>,
}

impl CodedSelector for Npfs {
    fn coding(&self) -> Option<(Discretise, usize)> {
        self.base.criterion(self.form).map(|_| (self.discretise, self.bins))
    }

    fn select_codes(
        &self,
        codes: &CodedTable,
        names: &Arc<[String]>,
        _keep: &[u32],
        context: &mut Context,
    ) -> Result<Selection> {
        let criterion = self.counting(codes)?;
        let copies = codes.copies_as_rows()?;
        let runs = self.by_information(criterion, copies.as_ref().unwrap_or(codes), names.len(), context)?;
        self.answer(runs, names, context.seed, |_| {})
    }
}

impl Npfs {
    /// Only these bootstraps, with all permutations.
    pub fn run_some(
        &self,
        codes: &CodedTable,
        features: usize,
        bootstraps: Range<usize>,
        context: &mut Context,
    ) -> Result<PartialRuns> {
        let criterion = self.counting(codes)?;
        let copies = codes.copies_as_rows()?;
        let codes = copies.as_ref().unwrap_or(codes);
        let targets = self.targets(codes, context.seed);
        let mut runs = self.no_runs(codes, features)?;
        let at_once = self.at_once(targets.len(), codes.len(), codes.n_rows());
        let end = bootstraps.end.min(self.bootstraps);
        for from in bootstraps.clone().step_by(at_once) {
            let batch = from..(from + at_once).min(end);
            self.run_information(criterion, codes, (&targets, 0), batch, &mut runs, context)?;
        }
        Ok(PartialRuns { start: bootstraps.start, chosen: runs.chosen, null: runs.null })
    }

    /// The selection from all bootstraps, run in parts that come in any order: the same as [`Npfs::select_codes`].
    pub(crate) fn join_runs(
        &self,
        codes: &CodedTable,
        names: &Arc<[String]>,
        mut parts: Vec<PartialRuns>,
        seed: u64,
    ) -> Result<Selection> {
        self.counting(codes)?;
        let copies = codes.copies_as_rows()?;
        let codes = copies.as_ref().unwrap_or(codes);
        let features = names.len();
        parts.sort_by_key(|part| part.start);
        let mut runs = self.no_runs(codes, features)?;
        for part in parts {
            let known = |i: &u32| (*i as usize) < features;
            let fits = part.start == runs.chosen.len()
                && part.null.len() == runs.null.len()
                && part.null.iter().all(|counts| counts.len() == features)
                && part.chosen.iter().flatten().all(known);
            if !fits {
                let problem =
                    format!("the bootstraps from {} on are missing, duplicated, or from another test", part.start);
                return Err(Error::data(Place::default(), problem, "run every bootstrap once, with the same settings"));
            }
            runs.chosen.extend(part.chosen);
            for (sum, counts) in runs.null.iter_mut().zip(part.null) {
                sum.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
            }
        }
        if runs.chosen.len() != self.bootstraps {
            let problem = format!("only {} of {} bootstraps are present", runs.chosen.len(), self.bootstraps);
            return Err(Error::data(Place::default(), problem, "run every bootstrap once"));
        }
        runs.alone = alone(codes, &self.targets(codes, seed), features)?;
        let critical = self.stop_value(runs.k, codes.len())?;
        self.stop(&mut runs, features, critical);
        self.drop_settled(&mut runs);
        self.answer(runs, names, seed, |_| {})
    }

    /// The base's criterion; a base that does not count information is refused.
    fn counting(&self, codes: &CodedTable) -> Result<Criterion> {
        self.validate()?;
        self.check_weights(codes.weights.is_some())?;
        self.base.criterion(self.form).ok_or_else(|| {
            let expected = "a table that is read in pieces needs a mutual-information base: jmi, mrmr, mim, cmim, disr \
                            or jmim";
            let fields = self.record().parameters;
            let base = fields.get("base").expect("`npfs` has a parameter `base`");
            Error::parameter("base", parameter::plain(base), expected)
        })
    }

    /// All runs of a base that counts information.
    pub(super) fn by_information(
        &self,
        criterion: Criterion,
        codes: &CodedTable,
        features: usize,
        context: &mut Context,
    ) -> Result<SelectionRuns> {
        let targets = self.targets(codes, context.seed);
        let mut runs = self.no_runs(codes, features)?;
        runs.alone = alone(codes, &targets, features)?;
        let critical = self.stop_value(runs.k, codes.len())?;
        let at_once = self.at_once(1, codes.len(), codes.n_rows());
        for from in (0..self.bootstraps).step_by(at_once) {
            let batch = from..(from + at_once).min(self.bootstraps);
            self.run_information(criterion, codes, (&targets[..1], 0), batch, &mut runs, context)?;
            if self.stop(&mut runs, features, critical) {
                break;
            }
        }
        // permutations in batches that grow, as the first may settle everything
        let mut done = 0;
        while done < self.permutations() && (done == 0 || !self.settled(&runs, done)) {
            let some = done..(done + done / 2 + 1).min(self.permutations());
            let at_once = self.at_once(some.len(), codes.len(), codes.n_rows());
            for from in (0..self.bootstraps).step_by(at_once) {
                let batch = from..(from + at_once).min(self.bootstraps);
                let targets = (&targets[1 + some.start..1 + some.end], 1 + some.start);
                self.run_information(criterion, codes, targets, batch, &mut runs, context)?;
            }
            done = some.end;
        }
        runs.null.truncate(done);
        self.drop_settled(&mut runs);
        Ok(runs)
    }

    /// No runs yet.
    fn no_runs(&self, codes: &CodedTable, features: usize) -> Result<SelectionRuns> {
        let (k, note) = self.k.resolve(codes.len())?;
        let mut notes = codes.notes.clone();
        notes.extend(note);
        let null = vec![vec![0; features]; self.permutations()];
        Ok(SelectionRuns { chosen: vec![], null, alone: vec![], usable: codes.features.clone(), notes, k })
    }

    /// The target of the data, and that of every permutation.
    fn targets(&self, codes: &CodedTable, seed: u64) -> Vec<Vec<u8>> {
        let mut targets = vec![codes.target.clone()];
        for r in 0..self.permutations() {
            let order = permutation(seed, r as u64, codes.n_rows());
            targets.push(order.iter().map(|&i| codes.target[i as usize]).collect());
        }
        targets
    }

    /// Adds some bootstraps under every one of some targets, of which the first has the number given.
    fn run_information(
        &self,
        criterion: Criterion,
        codes: &CodedTable,
        (targets, first): (&[Vec<u8>], usize),
        batch: Range<usize>,
        runs: &mut SelectionRuns,
        context: &mut Context,
    ) -> Result<()> {
        let (rows, lanes, seed) = (codes.n_rows(), targets.len(), context.seed);
        let weights: Vec<Vec<u32>> =
            batch.clone().into_par_iter().map(|b| self.draw(seed, b, rows, codes.row_weights())).collect();
        // thousandths of all the work: bootstraps times targets
        let (all, bootstraps) = (1 + self.permutations() as u64, self.bootstraps as u64);
        let from = first as u64 * bootstraps + (batch.start * lanes) as u64;
        let size = (batch.len() * lanes) as u64;
        let mut tick = |done: u64| context.step("bootstrapping", from * 1000 + done * size, all * bootstraps * 1000);
        let chosen = match runs.k {
            Some(k) => LaneEngine { codes, criterion, k }.run(&weights, targets, &mut tick)?,
            None => {
                tick(0)?;
                choose_own(codes, criterion, (&weights, targets), seed)?
            }
        };
        for (at, features) in chosen.into_iter().enumerate() {
            let features: Vec<u32> = features.iter().map(|&i| codes.features[i as usize]).collect();
            runs.add(first + at % lanes, features);
        }
        Ok(())
    }

    /// Bootstraps that are run together: the more the better, within some memory.
    fn at_once(&self, lanes: usize, features: usize, rows: usize) -> usize {
        const MEMORY: usize = 128 << 20;
        let states = MEMORY / (lanes * features * 25).max(1);
        let weights = MEMORY / (rows * 6).max(1);
        let several = if rows > MOST_ROWS { 16 } else { states.min(weights) };
        // an early stop is worth looking out for
        several.clamp(1, if self.early_stop { 32 } else { usize::MAX })
    }
}

/// I(X;Y)/H(Y) of every feature under every target; NaN for features set aside.
fn alone(codes: &CodedTable, targets: &[Vec<u8>], features: usize) -> Result<Vec<Vec<f64>>> {
    let one = |target: &Vec<u8>| {
        let mut out = vec![f64::NAN; features];
        let (found, entropy) = relevance(codes, target, codes.row_weights())?;
        codes.features.iter().zip(found).for_each(|(&i, x)| out[i as usize] = x / entropy);
        Ok(out)
    };
    targets.iter().map(one).collect()
}
