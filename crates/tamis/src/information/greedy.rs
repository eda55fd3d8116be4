//! Forward selection: add the best candidate given those chosen, and repeat.

use crate::base::{Progress, Result};
use crate::codes::coded_table::CodedTable;
use crate::codes::counts::{CellIndex, CountScratch, EntropySums, RowCounts, XLnX, sums, x_ln_x};
use crate::information::criteria::{CandidateScores, Criterion, Sample, TIE};
use crate::numeric::scratch_pool::Pool;
use rayon::prelude::*;

/// Features in the order they were chosen.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// Positions among the features of the codes, the first choice first.
    pub order: Vec<usize>,
    /// The score each had when it was chosen.
    pub scores: Vec<f64>,
    /// I(X;Y) of every feature.
    pub relevance: Vec<f64>,
    /// The score of every feature when the last was chosen, or when it was chosen itself. For `cmim`, which looks no
    /// further at candidates that cannot win, an upper bound.
    pub last: Vec<f64>,
}

/// The largest sum of whole weights that a table of c ln c is made for.
const MOST_WHOLE: f64 = 4e6;

/// Whole weights, if all are.
enum OwnWeights<'a> {
    Once,
    Whole(Vec<u32>),
    Real(&'a [f64]),
}

impl OwnWeights<'_> {
    fn of(weights: Option<&[f64]>) -> OwnWeights<'_> {
        match weights {
            None => OwnWeights::Once,
            Some(w) if w.iter().all(|w| w.fract() == 0.0) && w.iter().sum::<f64>() < MOST_WHOLE => {
                OwnWeights::Whole(w.iter().map(|w| *w as u32).collect())
            }
            Some(w) => OwnWeights::Real(w),
        }
    }

    fn get(&self) -> RowCounts<'_> {
        match self {
            OwnWeights::Once => RowCounts::Once,
            OwnWeights::Whole(w) => RowCounts::Whole(w),
            OwnWeights::Real(w) => RowCounts::Real(w),
        }
    }
}

/// Candidates that a thread takes at a time.
const CHUNK: usize = 32;
/// Candidates that a thread takes at a time if each is read from a file.
const CHUNK_IN_FILE: usize = 4;

/// A sample of coded rows that candidates are counted on.
pub(super) struct Counter<'a> {
    codes: &'a CodedTable,
    target: &'a [u8],
    weights: OwnWeights<'a>,
    ln: XLnX,
    pub(super) sample: Sample,
    pool: Pool<CountScratch>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(codes: &'a CodedTable, target: &'a [u8], weights: Option<&'a [f64]>) -> Counter<'a> {
        let mut classes = vec![0.0; codes.classes];
        for (row, y) in target.iter().enumerate() {
            classes[usize::from(*y)] += weights.map_or(1.0, |w| w[row]);
        }
        let total: f64 = classes.iter().sum();
        let weights = OwnWeights::of(weights);
        let most = if matches!(weights, OwnWeights::Real(_)) { 0 } else { total as usize };
        let sample = Sample { total, whole: x_ln_x(total), classes: classes.iter().map(|c| x_ln_x(*c)).sum() };
        Counter { codes, target, weights, ln: XLnX::up_to(most), sample, pool: Pool::new(CountScratch::new) }
    }

    fn context(&self, chosen: Option<usize>, with_target: bool) -> Result<CellIndex> {
        let codes = self.codes;
        let chosen = chosen.map(|at| codes.load(at)).transpose()?;
        let chosen = chosen.as_ref().map(|column| (&column[..], codes.levels));
        let target = with_target.then_some((self.target, codes.classes));
        Ok(CellIndex::new(codes.n_rows(), chosen, target, codes.levels))
    }

    /// The sums of these candidates, in order.
    pub(super) fn sums(&self, context: &CellIndex, candidates: &[usize]) -> Result<Vec<EntropySums>> {
        self.weighted_sums(context, candidates, self.weights.get())
    }

    /// [`Counter::sums`] over rows of other weights.
    pub(super) fn weighted_sums(
        &self,
        context: &CellIndex,
        candidates: &[usize],
        weights: RowCounts<'_>,
    ) -> Result<Vec<EntropySums>> {
        let chunk = if self.codes.in_file() { CHUNK_IN_FILE } else { CHUNK };
        let chunks = candidates.par_chunks(chunk).map(|chunk| {
            let columns = chunk.iter().map(|&at| self.codes.load(at)).collect::<Result<Vec<_>>>()?;
            let columns: Vec<&[u8]> = columns.iter().map(|column| &column[..]).collect();
            Ok(self.pool.with(|scratch| sums(context, &columns, weights, &self.ln, scratch)))
        });
        Ok(chunks.collect::<Result<Vec<_>>>()?.concat())
    }
}

/// I(X;Y) of every feature with a target of the codes' classes, and H(Y).
pub fn relevance(codes: &CodedTable, target: &[u8], weights: Option<&[f64]>) -> Result<(Vec<f64>, f64)> {
    let counter = Counter::new(codes, target, weights);
    let all: Vec<usize> = (0..codes.len()).collect();
    let sums = counter.sums(&counter.context(None, true)?, &all)?;
    let Sample { total, whole, classes } = counter.sample;
    Ok((sums.into_iter().map(|sums| counter.sample.information(sums)).collect(), (whole - classes) / total))
}

/// Ranks the first `k` features by a criterion; those in `keep` are chosen first, in their order.
///
/// Cost: rows × features × k additions, one byte read for each; only the newest pair is counted at each step.
pub fn rank(
    codes: &CodedTable,
    weights: Option<&[f64]>,
    criterion: Criterion,
    k: usize,
    keep: &[usize],
    progress: &mut dyn Progress,
) -> Result<Ranking> {
    let counter = Counter::new(codes, &codes.target, weights);
    let all: Vec<usize> = (0..codes.len()).collect();
    progress.step("ranking", 0, k as u64)?;
    let singles = counter.sums(&counter.context(None, true)?, &all)?;
    let mut state = CandidateScores::new(criterion, counter.sample, singles.iter().copied());
    if criterion == Criterion::Cmim {
        return lazy_cmim(&counter, state.relevance, k, keep, progress);
    }
    let (mut order, mut scores) = (Vec::with_capacity(k), Vec::with_capacity(k));
    let mut last: Vec<f64> = state.relevance.clone();
    while order.len() < k.min(codes.len()) {
        progress.step("ranking", order.len() as u64, k as u64)?;
        for &at in all.iter().filter(|at| !state.taken(**at)) {
            last[at] = state.score(at);
        }
        let picked = match keep.get(order.len()) {
            Some(&at) => Some((at, state.take(at))),
            None => state.take_best(),
        };
        let Some((at, score)) = picked else { break };
        order.push(at);
        scores.push(score);
        if criterion.pairs() && order.len() < k {
            let left: Vec<usize> = all.iter().copied().filter(|at| !state.taken(*at)).collect();
            let sums = counter.sums(&counter.context(Some(at), criterion.pairs_with_target())?, &left)?;
            left.iter().zip(sums).for_each(|(&candidate, sums)| state.add(candidate, at, sums));
            state.end_step();
        }
    }
    Ok(Ranking { order, scores, relevance: state.relevance, last })
}

/// `cmim` without looking at terms that cannot matter (Fleuret 2004): a candidate's score only falls as features are
/// chosen, so one that is below the best already needs no further look.
fn lazy_cmim(
    counter: &Counter<'_>,
    relevance: Vec<f64>,
    k: usize,
    keep: &[usize],
    progress: &mut dyn Progress,
) -> Result<Ranking> {
    let n = relevance.len();
    let mut score = relevance.clone();
    let mut looked = vec![0; n]; // how many of the chosen each candidate has been paired with
    let mut taken = vec![false; n];
    let mut contexts: Vec<CellIndex> = Vec::new();
    let mut scratch = CountScratch::new();
    let (mut order, mut scores): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    while order.len() < k.min(n) {
        progress.step("ranking", order.len() as u64, k as u64)?;
        let forced = keep.get(order.len()).copied();
        let mut best: Option<(usize, f64)> = None;
        for at in 0..n {
            if taken[at] || forced.is_some_and(|f| f != at) {
                continue;
            }
            let beats = |score: f64| best.is_none_or(|(_, least)| score > least + TIE);
            while beats(score[at]) && looked[at] < order.len() {
                let chosen: usize = order[looked[at]];
                let column = counter.codes.load(at)?;
                let found =
                    sums(&contexts[looked[at]], &[&column[..]], counter.weights.get(), &counter.ln, &mut scratch);
                score[at] = score[at].min(counter.sample.information(found[0]) - relevance[chosen]);
                looked[at] += 1;
            }
            if beats(score[at]) {
                best = Some((at, score[at]));
            }
        }
        let Some((at, value)) = best else { break };
        taken[at] = true;
        order.push(at);
        scores.push(value);
        contexts.push(counter.context(Some(at), true)?);
    }
    Ok(Ranking { order, scores, relevance, last: score })
}
