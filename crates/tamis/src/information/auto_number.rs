//! `k=auto`: forward selection that goes on as long as no permutation does as well.
//!
//! A number of row orders is drawn once. At every step each candidate is scored in the data and, for every order π, with
//! the target and all chosen features replaced by Y[π] and S[π] while the candidates stay. The best candidate is taken if
//! its score exceeds the largest score of any candidate under every order. Importance weights move with the target.

use super::criteria::{CandidateScores, Criterion, TIE};
use super::greedy::{Counter, Ranking};
use crate::base::{Progress, Result};
use crate::codes::CodedTable;
use crate::codes::counts::{CellIndex, EntropySums, RowCounts};

/// Row orders that a step is compared with.
pub(crate) const ORDERS: usize = 19;

/// A ranking that ended by itself.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AutoRanking {
    /// The features taken.
    pub ranking: Ranking,
    /// The best candidate of the step that ended it; `None` if every feature was taken.
    pub refused: Option<usize>,
    /// For each step the share of orders, the data counted among them, whose best candidate has as large a score; the
    /// last is the one that ended it. NaN for features that had to be taken.
    pub p_values: Vec<f64>,
}

/// How far a step is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    /// With every order, so that it has a p-value.
    All,
    /// Up to the first order that does as well: its fate is settled then.
    UntilSettled,
}

/// Takes features by `criterion`, `jmi` or `cmim`, until some order of the rows in `orders` has as good a candidate; those
/// in `keep` are taken first, in their order.
///
/// Cost: (1 + orders) × rows × features × (1 + features taken) additions. Weights of the codes are of importance, if there
/// are any: numbers of copies are written out before.
pub fn rank_auto(
    codes: &CodedTable,
    criterion: Criterion,
    orders: &[Vec<u32>],
    keep: &[usize],
    progress: &mut dyn Progress,
) -> Result<AutoRanking> {
    rank_compared(codes, (criterion, Compare::All), orders, keep, progress)
}

pub(crate) fn rank_compared(
    codes: &CodedTable,
    (criterion, compare): (Criterion, Compare),
    orders: &[Vec<u32>],
    keep: &[usize],
    progress: &mut dyn Progress,
) -> Result<AutoRanking> {
    let counter = Counter::new(codes, &codes.target, codes.row_weights());
    let mut data = Ordered::new(&counter, codes, criterion, None)?;
    let mut ordered: Vec<Option<Ordered>> = orders.iter().map(|_| None).collect();
    let relevance = data.state.relevance.clone();
    let mut ranking = Ranking { order: vec![], scores: vec![], last: relevance.clone(), relevance };
    let (mut p_values, mut refused) = (vec![], None);
    while let Some(best) = data.state.best() {
        progress.step("ranking", ranking.order.len() as u64, codes.len() as u64)?;
        data.left().for_each(|at| ranking.last[at] = data.state.score(at));
        let (at, score) = keep.get(ranking.order.len()).map_or(best, |&at| (at, data.state.score(at)));
        let forced = ranking.order.len() < keep.len();
        let mut as_good = 0;
        for (order, ordered) in orders.iter().zip(&mut ordered) {
            match ordered {
                None => *ordered = Some(Ordered::new(&counter, codes, criterion, Some(order))?),
                Some(ordered) => ordered.catch_up(&counter, codes, &ranking)?,
            }
            let reached = ordered.as_ref().and_then(|o| o.state.best()).is_some_and(|(_, most)| most >= score - TIE);
            as_good += usize::from(reached);
            if reached && compare == Compare::UntilSettled && !forced {
                break;
            }
        }
        let p = (1 + as_good) as f64 / (1 + orders.len()) as f64;
        p_values.push(if forced { f64::NAN } else { p });
        if as_good > 0 && !forced {
            refused = Some(at);
            break;
        }
        ranking.order.push(at);
        ranking.scores.push(score);
        data.state.take(at);
        ordered.iter_mut().flatten().for_each(|o| o.state.take_with(at, ranking.relevance[at]));
        data.catch_up(&counter, codes, &ranking)?;
    }
    Ok(AutoRanking { ranking, refused, p_values })
}

/// The candidates' scores, with target and chosen features in some order of the rows.
struct Ordered<'a> {
    order: Option<&'a [u32]>,
    target: Vec<u8>,
    /// The weights of the rows, where they have any.
    weights: Option<Vec<f64>>,
    state: CandidateScores,
    /// Chosen features that have entered the scores.
    paired: usize,
}

impl<'a> Ordered<'a> {
    /// The scores before anything is chosen.
    fn new(
        counter: &Counter,
        codes: &CodedTable,
        criterion: Criterion,
        order: Option<&'a Vec<u32>>,
    ) -> Result<Ordered<'a>> {
        let order = order.map(Vec::as_slice);
        let target = arranged(&codes.target, order);
        let weights = codes.row_weights().map(|weights| arranged(weights, order));
        let context = CellIndex::new(codes.n_rows(), None, Some((&target, codes.classes)), codes.levels);
        let all: Vec<usize> = (0..codes.len()).collect();
        let singles = weighted_sums(counter, weights.as_deref(), &context, &all)?;
        let state = CandidateScores::new(criterion, counter.sample, singles.into_iter());
        Ok(Ordered { order, target, weights, state, paired: 0 })
    }

    fn left(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.state.relevance.len()).filter(|at| !self.state.taken(*at))
    }

    /// Pairs the candidates with features chosen since the last time.
    fn catch_up(&mut self, counter: &Counter, codes: &CodedTable, ranking: &Ranking) -> Result<()> {
        for &chosen in &ranking.order[self.paired..] {
            let column = arranged(&codes.load(chosen)?, self.order);
            let target = Some((self.target.as_slice(), codes.classes));
            let context = CellIndex::new(codes.n_rows(), Some((&column, codes.levels)), target, codes.levels);
            let left: Vec<usize> = self.left().collect();
            let sums = weighted_sums(counter, self.weights.as_deref(), &context, &left)?;
            left.into_iter().zip(sums).for_each(|(at, sums)| self.state.add(at, chosen, sums));
            self.state.end_step();
            self.paired += 1;
        }
        Ok(())
    }
}

/// The sums of candidates over rows of these weights.
fn weighted_sums(
    counter: &Counter,
    weights: Option<&[f64]>,
    context: &CellIndex,
    candidates: &[usize],
) -> Result<Vec<EntropySums>> {
    counter.weighted_sums(context, candidates, weights.map_or(RowCounts::Once, RowCounts::Real))
}

/// Values of rows, row i taken from row `order[i]`.
fn arranged<T: Copy>(values: &[T], order: Option<&[u32]>) -> Vec<T> {
    order.map_or_else(|| values.to_vec(), |order| order.iter().map(|&from| values[from as usize]).collect())
}
