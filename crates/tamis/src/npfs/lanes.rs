//! Many greedy selections at once: every bootstrap, of the data and of every permutation of the target, is a lane.
//!
//! At each step the lanes that chose the same feature last need the same table, (candidate, chosen), with other weights
//! or another target. So such lanes are counted together: a row adds its weights, one per lane, to the cell it falls
//! in, 8 to 32 of them by a few vector additions (`lane_counts` forms the groups, `lane_tables` adds). Lanes whose
//! targets differ carry two counts, of all rows and of the rows of class 1, which is enough for two classes. Counts have
//! 16 bits; larger samples are counted lane by lane.

use crate::base::Result;
use crate::codes::CodedTable;
use crate::codes::counts::{CellIndex, CountScratch, EntropySums, NARROW, RowCounts, XLnX, sums};
use crate::information::Criterion;
use crate::information::criteria::CandidateScores;
use crate::npfs::lane_counts::{Lane, LaneJob, sample};
use crate::npfs::lane_tables::LaneScratch;
use crate::npfs::packed_lanes::{PackedCandidates, TOGETHER};
use crate::numeric::scratch_pool::Pool;
use rayon::prelude::*;

/// The largest sample whose counts fit 16 bits.
pub(super) const MOST_ROWS: usize = NARROW - 1;

/// Work between two looks at the clock: rows × candidates × groups.
const WORK: usize = 400_000_000;

/// The features that a criterion chooses under every one of `weights` (one per row of the codes) with every one of
/// `targets`, in the order they are chosen; all targets of the first weights come first.
pub fn choose(
    codes: &CodedTable,
    criterion: Criterion,
    k: usize,
    weights: &[Vec<u32>],
    targets: &[Vec<u8>],
) -> Result<Vec<Vec<u32>>> {
    LaneEngine { codes, criterion, k }.run(weights, targets, &mut |_| Ok(()))
}

/// The selections to run.
pub(super) struct LaneEngine<'a> {
    pub(super) codes: &'a CodedTable,
    pub(super) criterion: Criterion,
    pub(super) k: usize,
}

impl LaneEngine<'_> {
    /// The features chosen under every one of `weights` with every one of `targets`, by position among the codes; all
    /// targets of the first weights come first.
    pub(super) fn run(
        &self,
        weights: &[Vec<u32>],
        targets: &[Vec<u8>],
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Vec<Vec<u32>>> {
        let most = weights.iter().map(|w| w.iter().map(|w| *w as usize).sum::<usize>()).max().unwrap_or(0);
        let ln = XLnX::up_to(most);
        let pairs: Vec<(usize, usize)> =
            (0..weights.len()).flat_map(|b| (0..targets.len()).map(move |t| (b, t))).collect();
        let narrow = self.codes.levels * self.codes.levels * self.codes.classes <= NARROW;
        if most > MOST_ROWS || !narrow {
            return self.one_by_one(weights, targets, &pairs, &ln, tick);
        }
        let mixed = targets.len() > 1 && self.codes.classes == 2;
        let weights: Vec<Vec<u16>> = weights.iter().map(|w| w.iter().map(|w| *w as u16).collect()).collect();
        let job = LaneJob { codes: self.codes, criterion: self.criterion, weights: &weights, targets, ln: &ln, mixed };
        let mut lanes: Vec<Lane> = pairs
            .iter()
            .enumerate()
            .map(|(at, &(bootstrap, target))| {
                let sample = job.sample(bootstrap, target);
                let state = CandidateScores::new(
                    self.criterion,
                    sample,
                    std::iter::repeat_n(EntropySums::default(), self.codes.len()),
                );
                Lane { at, bootstrap, target, state, chosen: Vec::with_capacity(self.k) }
            })
            .collect();
        let packed = PackedCandidates::new(self.codes, self.criterion, most, &ln);
        let pool = Pool::new(LaneScratch::default);
        let steps = if self.criterion.pairs() { self.k } else { 1 };
        for step in 0..steps {
            // thousandths of all the work
            let mut tick = |done: u64, total: u64| tick((step as u64 * total + done) * 1000 / (steps as u64 * total));
            match &packed {
                Some(packed) => {
                    tick(0, 1)?;
                    lanes.par_chunks_mut(TOGETHER).for_each(|some| packed.count(&job, some));
                }
                None => lanes = self.step(&job, lanes, &pool, &mut tick)?,
            }
            lanes.par_iter_mut().for_each(|lane| {
                let picks = if self.criterion.pairs() { 1 } else { self.k };
                for _ in 0..picks {
                    lane.chosen.extend(lane.state.take_best().map(|(at, _)| at as u32));
                }
            });
        }
        lanes.sort_by_key(|lane| lane.at);
        Ok(lanes.into_iter().map(|lane| lane.chosen).collect())
    }

    /// Counts the newest pair of every candidate in every lane, lanes that need the same tables together.
    fn step(
        &self,
        job: &LaneJob,
        lanes: Vec<Lane>,
        pool: &Pool<LaneScratch>,
        tick: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<Vec<Lane>> {
        let mut groups = job.group(lanes);
        let at_once = (WORK / (self.codes.n_rows() * self.codes.len()).max(1)).max(rayon::current_num_threads());
        let total = groups.len().max(1) as u64;
        for (done, some) in groups.chunks_mut(at_once).enumerate() {
            tick((done * at_once) as u64, total)?;
            some.par_iter_mut().for_each(|group| pool.with(|scratch| job.count(group, scratch)));
        }
        Ok(groups.into_iter().flat_map(|group| group.lanes).collect())
    }

    /// Without lanes, for samples whose counts do not fit.
    fn one_by_one(
        &self,
        weights: &[Vec<u32>],
        targets: &[Vec<u8>],
        pairs: &[(usize, usize)],
        ln: &XLnX,
        tick: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<Vec<Vec<u32>>> {
        let pool = Pool::new(CountScratch::new);
        let mut all = Vec::with_capacity(pairs.len());
        for some in pairs.chunks(rayon::current_num_threads()) {
            tick(all.len() as u64 * 1000 / pairs.len() as u64)?;
            let one = |&(b, t): &(usize, usize)| pool.with(|scratch| self.one(&weights[b], &targets[t], ln, scratch));
            all.par_extend(some.par_iter().map(one));
        }
        Ok(all)
    }

    fn one(&self, weights: &[u32], target: &[u8], ln: &XLnX, scratch: &mut CountScratch) -> Vec<u32> {
        let codes = self.codes;
        let columns: Vec<&[u8]> = (0..codes.len()).map(|at| codes.column(at)).collect();
        let context = |chosen: Option<usize>, with_target: bool| {
            let chosen = chosen.map(|at| (codes.column(at), codes.levels));
            CellIndex::new(codes.n_rows(), chosen, with_target.then_some((target, codes.classes)), codes.levels)
        };
        let singles = sums(&context(None, true), &columns, RowCounts::Whole(weights), ln, scratch);
        let mut state =
            CandidateScores::new(self.criterion, sample(weights, target, codes.classes), singles.into_iter());
        let mut chosen = Vec::new();
        while chosen.len() < self.k {
            let Some((at, _)) = state.take_best() else { break };
            chosen.push(at as u32);
            if self.criterion.pairs() && chosen.len() < self.k {
                let context = context(Some(at), self.criterion.pairs_with_target());
                let found = sums(&context, &columns, RowCounts::Whole(weights), ln, scratch);
                found.into_iter().enumerate().for_each(|(candidate, sums)| state.add(candidate, at, sums));
                state.end_step();
            }
        }
        chosen
    }
}
